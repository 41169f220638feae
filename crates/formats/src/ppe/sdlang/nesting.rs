//! Which tags of XMF stand in which.

use super::Tag;
use crate::misspelt::nearest;

/// The namespace and name of tags; `*` is any name.
type Name = [&'static str; 2];

/// The tags that are in no other.
const TOP: &[Name] = &[
    ["", "Metadata"],
    ["Layer", "Tile"],
    ["Layer", "TransformableTile"],
    ["Layer", "Sprite"],
    ["Layer", "*"],
    ["File", "Palette"],
    ["Embed", "Palette"],
];
/// Tags in which tags of some names stand, and these. All others may have any in them.
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

fn is(tag: &Tag, name: Name) -> bool {
    matches([&tag.namespace, &tag.name], name)
}

/// Whether a namespace and a name are those of a row. The name is compared first: most namespaces are empty.
fn matches(called: [&str; 2], [namespace, name]: Name) -> bool {
    (name == "*" || called[1] == name) && called[0] == namespace
}

/// The tags that stand in one, or in none; none where they may be any.
fn children(parent: Option<&Tag>) -> Option<&'static [Name]> {
    match parent {
        Some(parent) => children_of([&parent.namespace, &parent.name]),
        None => Some(TOP),
    }
}

fn children_of(called: [&str; 2]) -> Option<&'static [Name]> {
    let mut rows = INSIDE.iter();
    let row = rows.find(|(name, _)| matches(called, *name));
    row.map(|(_, children)| *children)
}

/// Whether a tag may have any in it.
pub(super) fn may_have_any(tag: Option<&Tag>) -> bool {
    children(tag).is_none()
}

/// Whether the same tags stand in two.
pub(super) fn have_same(tag: &Tag, other: &Tag) -> bool {
    children(Some(tag)) == children(Some(other))
}

/// Whether a tag stands in another, or in none.
pub(super) fn lists(parent: Option<&Tag>, tag: &Tag) -> bool {
    has(children(parent), tag)
}

fn has(children: Option<&[Name]>, tag: &Tag) -> bool {
    children.is_some_and(|children| children.iter().any(|name| is(tag, *name)))
}

/// Whether a tag cannot stand in another, or in none, but elsewhere.
pub(super) fn is_misplaced(parent: Option<&Tag>, tag: &Tag) -> bool {
    !may_have_any(parent) && !lists(parent, tag) && has_place(tag)
}

fn has_place(tag: &Tag) -> bool {
    let is_it = |name: &Name| is(tag, *name);
    TOP.iter().any(is_it)
        || INSIDE
            .iter()
            .any(|(_, children)| children.iter().any(is_it))
}

/// Whether a tag may stand in another behind what is in it.
pub(super) fn continues(parent: &Tag, tag: &Tag) -> bool {
    let is_single = tag.namespace.is_empty() && !["", "Segment"].contains(&&*tag.name);
    let is_it = |other: &Tag| other.is(&tag.namespace, &tag.name);
    lists(Some(parent), tag) && !(is_single && parent.children.iter().any(is_it))
}

/// The first tag that stands in another, or in none, and has one in it.
pub(super) fn between(parent: Option<&Tag>, tag: &Tag) -> Option<Tag> {
    let mut between = children(parent)?.iter().filter(|[_, name]| *name != "*");
    let [namespace, name] = between.find(|between| has(children_of(**between), tag))?;
    Some(Tag::new(namespace, name, []))
}

/// The name that is misspelt in that of a tag, as it is written, if one is; and whether no other is as near.
pub(super) fn meant(parent: Option<&Tag>, tag: &Tag) -> Option<(Name, bool)> {
    let is_known = |name: &Name| tag.name == name[1] && tag.namespace == name[0];
    let children = children(parent)?;
    let is_elsewhere = || {
        INSIDE
            .iter()
            .any(|(_, children)| children.iter().any(is_known))
    };
    if tag.name.is_empty() || children.iter().any(is_known) || is_elsewhere() {
        return None;
    }
    let in_file = |[namespace, name]: Name| match namespace {
        "" => name.to_owned(),
        _ => format!("{namespace}:{name}"),
    };
    let found = tag.name_in_file();
    let mut names = children.iter().filter(|[_, name]| *name != "*");
    let same = names
        .clone()
        .find(|name| in_file(**name).eq_ignore_ascii_case(&found));
    if let Some(same) = same {
        return Some((*same, true));
    }
    let (near, is_only) = nearest(&found, names.clone().map(|name| in_file(*name)))?;
    let name = names.find(|name| in_file(**name) == near)?;
    Some((*name, is_only))
}
