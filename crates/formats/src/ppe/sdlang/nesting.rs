//! The allowed nesting of XMF tags.

use crate::nesting::Grammar;

/// The namespace and name of tags; `*` is any name.
type Name = [&'static str; 2];

/// The top-level tags.
const TOP: &[Name] = &[
    ["", "Metadata"],
    ["Layer", "Tile"],
    ["Layer", "TransformableTile"],
    ["Layer", "Sprite"],
    ["Layer", "*"],
    ["File", "Palette"],
    ["Embed", "Palette"],
];
/// Tags with a fixed set of child tags. All other tags may contain any tag.
const INSIDE: &[(Name, &[Name])] = &[
    (
        ["", "Metadata"],
        &[
            ["", "Version"],
            ["", "Name"],
            ["", "Resolution"],
            ["", "DateOfCreation"],
            ["", "DateOfLastModification"],
        ],
    ),
    (
        ["Layer", "Sprite"],
        &[
            ["", "ShaderProgram"],
            ["", "ShaderProgram32"],
            ["", "RenderingMode"],
            ["File", "SpriteSource"],
            ["File", "SpriteSheet"],
            ["File", "Palette"],
            ["Embed", "Palette"],
            ["Object", "Sprite"],
            ["Object", "Box"],
            ["Object", "QuadSprite"],
            ["Object", "Polyline"],
            ["Object", "Quad"],
            ["Object", "*"],
        ],
    ),
    (
        ["Layer", "*"],
        &[
            ["", "ShaderProgram"],
            ["", "ShaderProgram32"],
            ["", "RenderingMode"],
            ["", "RepeatMode"],
            ["", "ScrollRate"],
            ["", "ScrollRateX"],
            ["", "ScrollRateY"],
            ["File", "MapData"],
            ["Embed", "MapData"],
            ["Shared", "MapData"],
            ["Shared", "TileData"],
            ["File", "TileSource"],
            ["File", "Palette"],
            ["Embed", "Palette"],
        ],
    ),
    (
        ["File", "TileSource"],
        &[["Embed", "TileInfo"], ["Embed", "TileData"]],
    ),
    (["Embed", "TileInfo"], &[["", ""]]),
    (["Embed", "TileData"], &[["", ""]]),
    (["File", "SpriteSheet"], &[["", "SheetData"]]),
    (["", "SheetData"], &[["", ""]]),
    (
        ["Object", "Polyline"],
        &[
            ["", "Begin"],
            ["", "Segment"],
            ["", "Close"],
            ["", "ToCollision"],
            ["", "RenderingMode"],
            ["", "ShaderProgram"],
            ["", "ShaderProgram32"],
        ],
    ),
    (
        ["Object", "*"],
        &[
            ["", "ToCollision"],
            ["", "RenderingMode"],
            ["", "ShaderProgram"],
            ["", "ShaderProgram32"],
        ],
    ),
    (["", "Begin"], BEZIER),
    (["", "Segment"], BEZIER),
];
const BEZIER: &[Name] = &[["", "Bezier"], ["", "Bezier0"], ["", "Bezier1"]];

/// Returns `true` if the name of a tag, as written, matches that of a row.
fn matches(called: &[u8], [namespace, name]: Name) -> bool {
    let rest = match namespace {
        "" => Some(called),
        _ => called
            .strip_prefix(namespace.as_bytes())
            .and_then(|rest| rest.strip_prefix(b":")),
    };
    rest.is_some_and(|rest| name == "*" || rest == name.as_bytes())
}

/// The allowed child tags of a tag, or the top-level tags; `None` if any tag is allowed.
fn children(parent: &[u8]) -> Option<&'static [Name]> {
    if parent.is_empty() {
        return Some(TOP);
    }
    let mut rows = INSIDE.iter();
    let row = rows.find(|(name, _)| matches(parent, *name));
    row.map(|(_, children)| *children)
}

/// The tags of XMF.
pub(super) struct Tags;

impl Grammar for Tags {
    fn lists(&self, parent: &[u8], child: &[u8]) -> bool {
        children(parent).is_some_and(|names| names.iter().any(|name| matches(child, *name)))
    }

    fn is_free(&self, parent: &[u8]) -> bool {
        children(parent).is_none()
    }

    fn is_repeated(&self, _: &[u8], child: &[u8]) -> bool {
        child.is_empty() || child.contains(&b':') || child == b"Segment"
    }

    fn knows(&self, name: &[u8]) -> bool {
        let inside = INSIDE.iter().flat_map(|(_, children)| *children);
        TOP.iter().chain(inside).any(|row| matches(name, *row))
    }

    /// Only tags without values can be inserted.
    fn between(&self, parent: &[u8], child: &[u8]) -> Vec<&'static str> {
        let is_list = parent == b"File:TileSource" && child.is_empty();
        is_list.then_some("Embed:TileInfo").into_iter().collect()
    }
}
