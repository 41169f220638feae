//! The records of XMF. Each declares its fields once, for reading and for writing.

use std::collections::HashMap;
use std::mem::take;

use super::tag::{
    ALPHA, BYTES, COLOR, FLAG, Fields, INT, LONG, NUMBER, PAL_SHIFT, REPEAT, Record, SIZE, TEXT,
    UNSIGNED, is, write,
};
use super::{
    LayerKind, MapSource, Metadata, Object, Palette, PaletteSource, Point, RepeatMode, Shape,
    SheetSprite, Sprite, SpriteSheet, SpriteSource, TileInfo, TileSource, XmfLayer,
};
use crate::ppe::rules;
use crate::ppe::sdlang::{At, Tag, Value};
use crate::ppe::unpack::{append_elements, copy_elements};
use crate::{Cause, Message, counted};

/// The only version: major and minor.
const VERSION: [i64; 2] = [1, 0];

impl Record for Metadata {
    const TAGS: &[[&str; 2]] = &[["", "Metadata"]];

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        let version = ["the major version", "the minor version"];
        tag.child(
            &[["", "Version"]],
            &mut self.version,
            |tag, numbers: &mut [i64; 2]| {
                tag.values(numbers, &version, &LONG)?;
                if *numbers != VERSION {
                    let [[major, minor], [known, of_it]] = [*numbers, VERSION];
                    tag.problem(&rules::VERSION, || {
                        let found = format!("version {major}.{minor}; expected {known}.{of_it}");
                        Message::read(found, "as expected")
                    });
                }
                Some(())
            },
        );
        tag.child_value("Name", &mut self.name, "the name of the map", &TEXT);
        let size = ["the width", "the height"];
        tag.child_values("Resolution", &mut self.resolution, &size, &SIZE);
        tag.rest(&mut self.attributes, &mut self.other);
        Some(())
    }
}

impl Record for XmfLayer {
    const TAGS: &[[&str; 2]] = &[["Layer", "*"]];

    fn name(&self) -> [&str; 2] {
        ["Layer", self.kind.name()]
    }

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.at(&mut self.at);
        tag.is_cut(&mut self.is_cut);
        if tag.is_read() {
            self.kind = LayerKind::of(&tag.tag().name);
        }
        tag.value(&mut self.name, "the name of the layer", &TEXT);
        tag.value(&mut self.priority, "the priority of the layer", &INT);
        if let LayerKind::Other(_) = self.kind {
            let title = tag.tag().title();
            tag.problem_after(tag.wrong_value(), &rules::LAYER_KIND, || {
                format!("unknown layer kind {title}; the engine refuses it")
            });
        }
        if self.kind.has_tiles() {
            let names = ["the width of tiles", "the height of tiles"];
            tag.values(&mut self.tile_size, &names, &SIZE);
            let names = ["the width of the map", "the height of the map"];
            if tag.values(&mut self.size, &names, &SIZE).is_none() {
                self.size = [0; 2];
            }
        }
        let mode = "the name of a rendering mode";
        tag.child_value("RenderingMode", &mut self.rendering_mode, mode, &TEXT);
        let mut repeat = (self.repeat != RepeatMode::Off).then_some(self.repeat);
        tag.child_value("RepeatMode", &mut repeat, "the repeat mode", &REPEAT);
        self.repeat = repeat.unwrap_or_default();
        let [across, down] = &mut self.scroll_rate;
        let what = "a scroll rate";
        tag.child_value("ScrollRateX", across, what, &NUMBER);
        tag.child_value("ScrollRateY", down, what, &NUMBER);
        let mut both = None;
        tag.child_values("ScrollRate", &mut both, &[what], &NUMBER);
        if let Some(both) = both {
            self.scroll_rate = both.map(Some);
        }
        map_source(self, tag);
        tag.children(&mut self.shared_tiles);
        tag.children(&mut self.tile_sources);
        check_tiles(&self.tile_sources, tag);
        tag.children(&mut self.sprite_sources);
        tag.children(&mut self.sprite_sheets);
        tag.children(&mut self.palettes);
        tag.children(&mut self.objects);
        let images = self.sprite_sources.iter().map(|image| (image.id, image.at));
        check_identifiers(images, "image", tag);
        let objects = self.objects.iter().map(|object| (object.id, object.at));
        check_identifiers(objects, "object", tag);
        tag.rest(&mut self.attributes, &mut self.other);
        Some(())
    }
}

/// Reads or writes the tag that locates the cells of a layer.
fn map_source(layer: &mut XmfLayer, tag: &mut Fields<'_>) {
    let tags = ["File", "Embed", "Shared"].map(|namespace| [namespace, "MapData"]);
    let maps = tag.take_children(&tags);
    if maps.is_empty() {
        tag.note_missing(&tags);
    }
    if tag.is_read() && maps.is_empty() && layer.kind.has_tiles() && !layer.is_cut {
        tag.problem(&rules::NO_CELLS, || {
            "layer without map data; expected `File:MapData`, `Embed:MapData` or \
             `Shared:MapData`"
                .to_owned()
        });
    }
    for map in maps.into_iter().filter(|map| !map.is_open) {
        let at = map.at;
        let wrong_value = tag.wrong_value();
        let mut map = tag.inside(map);
        let source = match &*map.tag().namespace {
            "File" => {
                let mut path = String::new();
                let read = map.value(&mut path, "the path of the map data", &TEXT);
                read.map(|()| MapSource::File { path, at })
            }
            "Embed" => {
                let cells = cells(layer.size, wrong_value, &mut map);
                cells.map(|cells| MapSource::Embedded { cells, at })
            }
            _ => {
                let mut layer = 0;
                let read = layer.fields(&mut map);
                read.map(|()| MapSource::Shared { layer, at })
            }
        };
        match source {
            Some(_) if layer.map.is_some() => map.problem(&rules::DUPLICATE_CELLS, || {
                "duplicate map data of the layer; ignored".to_owned()
            }),
            Some(_) => {
                layer.map = source;
                map.other_attributes(&mut layer.map_attributes);
            }
            None => {}
        }
    }
    if tag.is_read() {
        return;
    }
    let (namespace, value) = match layer.map.take() {
        None => return,
        Some(MapSource::File { path, .. }) => ("File", Value::Text(path)),
        Some(MapSource::Shared { layer, .. }) => ("Shared", Value::Integer(layer.into())),
        Some(MapSource::Embedded { cells, .. }) => {
            let mut bytes = Vec::with_capacity(4 * cells.len());
            append_elements(&cells, &mut bytes);
            ("Embed", Value::Binary(bytes))
        }
    };
    let mut map = Tag::new(namespace, "MapData", [value]);
    map.attributes.append(&mut layer.map_attributes);
    tag.tag().children.push(map);
}

/// The raw cells of embedded map data. A wrong value in the layer may explain a wrong number of
/// cells.
fn cells(
    [width, height]: [u32; 2],
    wrong_value: Option<Cause>,
    map: &mut Fields<'_>,
) -> Option<Vec<u32>> {
    let mut bytes = Vec::new();
    map.value(&mut bytes, "the cells", &BYTES)?;
    let count = u64::from(width) * u64::from(height);
    let (found, expected) = (bytes.len() as u64, 4 * count);
    // A missing layer size has been reported already.
    if found != expected && count > 0 {
        map.problem_after(wrong_value, &rules::EMBEDDED_SIZE, || {
            let found = counted(found as usize, "byte");
            format!("{found} of cells; expected {expected}, 4 for each of {width} x {height}")
        });
    }
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    Some(copy_elements(&bytes, count))
}

/// The priority of a layer whose tiles another one uses too.
impl Record for i32 {
    const TAGS: &[[&str; 2]] = &[["Shared", "TileData"]];

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.value(self, "the priority of another layer", &INT)
    }
}

impl Record for TileSource {
    const TAGS: &[[&str; 2]] = &[["File", "TileSource"]];
    const IS_LIST: bool = true;

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.at(&mut self.at);
        tag.is_cut(&mut self.is_cut);
        tag.value(&mut self.path, "the path of an image", &TEXT)?;
        tag.attribute("palShift", &mut self.pal_shift, &PAL_SHIFT);
        tag.attribute("offset", &mut self.offset, &COLOR);
        // The document calls it `TileData`, the engine `TileInfo`.
        let infos = [["Embed", "TileInfo"], ["Embed", "TileData"]];
        tag.child(&infos, &mut self.tiles, |info, tiles| {
            info.children(tiles);
            Some(())
        });
        tag.rest(&mut self.attributes, &mut self.other);
        Some(())
    }
}

/// Warns of duplicate tile identifiers, within a sheet or across sheets.
fn check_tiles(sources: &[TileSource], tag: &mut Fields<'_>) {
    if !tag.is_read() {
        return;
    }
    let mut lines = HashMap::new();
    for tile in sources.iter().flat_map(|source| &source.tiles).flatten() {
        let first = *lines.entry(tile.first).or_insert(tile.at);
        if first != tile.at {
            let (id, line) = (tile.first, first.line);
            tag.problem_at(&rules::TILE_ID, tile.at, || {
                format!(
                    "duplicate identifier {id} of the tile on line {line}; the first one is used"
                )
            });
        }
    }
}

/// Warns of duplicate identifiers of images or objects in a layer.
fn check_identifiers(all: impl Iterator<Item = (i32, At)>, what: &str, tag: &mut Fields<'_>) {
    if !tag.is_read() {
        return;
    }
    let mut lines = HashMap::new();
    for (id, at) in all {
        let first = *lines.entry(id).or_insert(at);
        if first != at && !tag.is_doubtful(first) && !tag.is_doubtful(at) {
            tag.problem_at(&rules::IDENTIFIER, at, || {
                let line = first.line;
                format!("duplicate identifier {id} of the {what} on line {line}; expected another")
            });
        }
    }
}

impl Record for TileInfo {
    const TAGS: &[[&str; 2]] = &[["", "*"]];

    fn name(&self) -> [&str; 2] {
        ["", ""]
    }

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.at(&mut self.at);
        tag.value(&mut self.first, "the identifier of a tile", &UNSIGNED)?;
        tag.value(
            &mut self.second,
            "the place of a tile in the sheet",
            &UNSIGNED,
        )?;
        let mut name = Some(take(&mut self.name));
        tag.optional_value(&mut name, &TEXT);
        self.name = name.unwrap_or_default();
        tag.check_surplus();
        Some(())
    }
}

impl Record for Palette {
    const TAGS: &[[&str; 2]] = &[["File", "Palette"], ["Embed", "Palette"]];

    fn name(&self) -> [&str; 2] {
        let namespace = match self.source {
            PaletteSource::File(_) => "File",
            PaletteSource::Embedded { .. } => "Embed",
        };
        [namespace, "Palette"]
    }

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.at(&mut self.at);
        if tag.is_read() && tag.tag().namespace == "Embed" {
            self.source = PaletteSource::Embedded {
                name: None,
                colors: Vec::new(),
            };
        }
        match &mut self.source {
            PaletteSource::File(path) => tag.value(path, "the path of an image", &TEXT)?,
            PaletteSource::Embedded { name, colors } => {
                // The document omits the name, which the engine writes.
                tag.optional_value(name, &TEXT);
                let mut bytes = colors.concat();
                tag.value(&mut bytes, "colours", &BYTES)?;
                let (all, rest) = bytes.as_chunks();
                *colors = all.to_vec();
                if !rest.is_empty() {
                    tag.problem(&rules::EMBEDDED_SIZE, || {
                        let found = counted(bytes.len(), "byte");
                        format!("{found} of colours; expected 4 for each")
                    });
                }
            }
        }
        tag.attribute("palShift", &mut self.pal_shift, &PAL_SHIFT);
        tag.attribute_or_default("offset", &mut self.offset, &COLOR);
        tag.other_attributes(&mut self.attributes);
        Some(())
    }
}

impl Record for SpriteSource {
    const TAGS: &[[&str; 2]] = &[["File", "SpriteSource"]];

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        const PART: [&str; 4] = ["horizOffset", "vertOffset", "width", "height"];
        tag.at(&mut self.at);
        tag.value(&mut self.id, "the identifier of the image", &INT)?;
        tag.value(&mut self.path, "the path of an image", &TEXT)?;
        tag.attribute("name", &mut self.name, &TEXT);
        // Only all four together define a part.
        let attributes = &tag.tag().attributes;
        let is_there = |name: &&str| attributes.iter().any(|it| it.name == **name);
        let is_part = PART.iter().all(is_there);
        if is_part || !tag.is_read() {
            let mut sides = self.part.map_or([None; 4], |part| part.map(Some));
            for (name, side) in PART.into_iter().zip(&mut sides) {
                tag.attribute(name, side, &INT);
            }
            if let [Some(x), Some(y), Some(width), Some(height)] = sides {
                self.part = Some([x, y, width, height]);
            }
        }
        tag.other_attributes(&mut self.attributes);
        Some(())
    }
}

impl Record for SpriteSheet {
    const TAGS: &[[&str; 2]] = &[["File", "SpriteSheet"]];
    const IS_LIST: bool = true;

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        let is_holder = |tag: &Tag| tag.is("", "SheetData");
        tag.at(&mut self.at);
        tag.is_cut(&mut self.is_cut);
        tag.value(&mut self.path, "the path of an image", &TEXT)?;
        // The sprites in a truncated container are complete.
        for holder in &mut tag.tag().children {
            holder.is_open &= !is_holder(holder);
        }
        tag.rest(&mut self.attributes, &mut self.other);
        // The containers of the sprites are kept without the sprites.
        for holder in self.other.iter_mut().filter(|other| is_holder(other)) {
            let mut sprites = tag.inside(take(holder));
            sprites.children(&mut self.sprites);
            *holder = take(sprites.tag());
        }
        if !tag.is_read() && !self.sprites.is_empty() {
            let children = &mut tag.tag().children;
            let first = children.iter().position(is_holder).unwrap_or_else(|| {
                children.push(Tag::new("", "SheetData", []));
                children.len() - 1
            });
            children[first].children = self.sprites.drain(..).map(write).collect();
        }
        Some(())
    }
}

impl Record for SheetSprite {
    const TAGS: &[[&str; 2]] = &[["", "*"]];

    fn name(&self) -> [&str; 2] {
        ["", ""]
    }

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.value(&mut self.id, "the identifier of the sprite", &INT)?;
        let sides = ["the left side", "the top", "the width", "the height"];
        tag.values(&mut self.part, &sides, &INT)?;
        tag.check_surplus();
        tag.attribute("name", &mut self.name, &TEXT);
        tag.other_attributes(&mut self.attributes);
        Some(())
    }
}

impl Record for Object {
    const TAGS: &[[&str; 2]] = &[["Object", "*"]];

    /// An unknown object is a tag of the game unless it has a name and an identifier.
    fn is(tag: &Tag) -> bool {
        let is_known = !matches!(Shape::of(tag), Shape::Other { .. });
        is_known || matches!(tag.values[..], [Value::Text(_), Value::Integer(_), ..])
    }

    fn name(&self) -> [&str; 2] {
        ["Object", self.shape.kind()]
    }

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.at(&mut self.at);
        tag.value(&mut self.name, "the name of the object", &TEXT);
        tag.value(&mut self.id, "the identifier of the object", &INT);
        if tag.is_read() {
            self.shape = Shape::of(tag.tag());
        }
        let coordinate = ["a coordinate of a corner"];
        match &mut self.shape {
            Shape::Box(sides) => {
                let names = ["the left side", "the top", "the right side", "the bottom"];
                tag.values(sides, &names, &INT)?;
            }
            Shape::Sprite(shape) => sprite(shape, tag)?,
            Shape::QuadSprite(shape, corners) => {
                sprite(shape, tag)?;
                tag.values(corners.as_flattened_mut(), &coordinate, &INT)?;
            }
            Shape::Polyline { points, is_closed } => {
                polyline(points, tag);
                tag.flag("Close", is_closed, &self.other);
            }
            Shape::Quad(corners) => tag.values(corners.as_flattened_mut(), &coordinate, &INT)?,
            Shape::Other { values, .. } => {
                tag.other_values(values);
            }
        }
        tag.flag("ToCollision", &mut self.to_collision, &self.other);
        tag.rest(&mut self.attributes, &mut self.other);
        Some(())
    }
}

impl Shape {
    /// The shape of an object tag, with default values.
    fn of(tag: &Tag) -> Self {
        match &*tag.name {
            "Box" => Self::Box([0; 4]),
            "Sprite" => Self::Sprite(Sprite::default()),
            "QuadSprite" => Self::QuadSprite(Sprite::default(), [[0; 2]; 3]),
            "Polyline" => Self::Polyline {
                points: Vec::new(),
                is_closed: false,
            },
            "Quad" if tag.values.len() >= 10 => Self::Quad([[0; 2]; 4]),
            kind => Self::Other {
                kind: kind.to_owned(),
                values: Vec::new(),
            },
        }
    }
}

fn sprite(sprite: &mut Sprite, tag: &mut Fields<'_>) -> Option<()> {
    tag.value(&mut sprite.source, "the identifier of an image", &INT)?;
    tag.values(&mut sprite.position, &["the left side", "the top"], &INT)?;
    for (name, scale) in ["scaleHoriz", "scaleVert"]
        .into_iter()
        .zip(&mut sprite.scale)
    {
        tag.attribute(name, scale, &INT);
    }
    for (name, corner) in ["lrCornerX", "lrCornerY"]
        .into_iter()
        .zip(&mut sprite.corner)
    {
        tag.attribute(name, corner, &INT);
    }
    for (name, mirror) in ["hMirror", "vMirror"].into_iter().zip(&mut sprite.mirror) {
        tag.attribute(name, mirror, &FLAG);
    }
    tag.attribute_or_default("palSel", &mut sprite.palette, &COLOR);
    tag.attribute("palShift", &mut sprite.pal_shift, &PAL_SHIFT);
    tag.attribute("masterAlpha", &mut sprite.alpha, &ALPHA);
    Some(())
}

/// The points of a line. The first one has a different tag name from the others.
fn polyline(points: &mut Vec<Point>, tag: &mut Fields<'_>) {
    let tags = tag.tag().children.iter().filter(|tag| is::<Point>(tag));
    let misplaced: Vec<_> = tags
        .enumerate()
        .filter(|(i, tag)| (*i == 0) != (tag.name == "Begin"))
        .map(|(i, tag)| (i, tag.at))
        .collect();
    for (i, at) in misplaced {
        tag.problem_at(&rules::POLYLINE, at, || match i {
            0 => "found `Segment` at the beginning of a polyline; expected `Begin`".to_owned(),
            _ => "found `Begin` in the middle of a polyline; expected `Segment`".to_owned(),
        });
        tag.set_cause_to_last();
    }
    tag.children(points);
    if !tag.is_read() {
        let written = tag.tag().children.iter_mut();
        written
            .skip(1)
            .for_each(|point| "Segment".clone_into(&mut point.name));
    } else if points.len() < 2 && !tag.has_doubtful() {
        let count = points.len();
        tag.problem(&rules::POLYLINE_POINTS, || {
            let points = if count == 1 { "point" } else { "points" };
            format!("polyline of {count} {points}; expected at least 2")
        });
    }
}

impl Record for Point {
    const TAGS: &[[&str; 2]] = &[["", "Begin"], ["", "Segment"]];

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        self.position.fields(tag)?;
        tag.children(&mut self.controls);
        if let (false, [first, second]) = (tag.is_read(), &mut tag.tag().children[..]) {
            "Bezier0".clone_into(&mut first.name);
            "Bezier1".clone_into(&mut second.name);
        }
        tag.rest(&mut Vec::new(), &mut self.other);
        Some(())
    }
}

/// A Bezier control point.
impl Record for [i32; 2] {
    const TAGS: &[[&str; 2]] = &[["", "Bezier"], ["", "Bezier0"], ["", "Bezier1"]];

    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()> {
        tag.values(self, &["X of a point", "Y of a point"], &INT)
    }
}
