//! Writing XMF.

use super::{
    MapSource, Metadata, Object, Packing, Palette, PaletteSource, Point, RepeatMode, Shape,
    SheetSprite, Sprite, SpriteSheet, SpriteSource, TileInfo, TileSource, Xmf, XmfLayer,
};
use crate::ppe::sdlang::{self, Attribute, Tag, Value};
use crate::ppe::unpack::{append_elements, pack_zlib, pack_zstd};

/// Writes XMF as [`Xmf::packing`] says. Read again it is the same, but for places and problems.
pub fn write(xmf: &Xmf) -> Vec<u8> {
    let mut tags = vec![metadata(&xmf.metadata)];
    tags.extend(xmf.layers.iter().map(layer));
    tags.extend(xmf.palettes.iter().map(palette));
    tags.extend(xmf.other.iter().cloned());
    let text = sdlang::write(&tags).into_bytes();
    match xmf.packing {
        Packing::Text => text,
        Packing::Zlib => [b"ZLIB".to_vec(), pack_zlib(&text)].concat(),
        Packing::Zstd => [b"ZSTD".to_vec(), pack_zstd(&text)].concat(),
    }
}

fn int(number: impl Into<i64>) -> Value {
    Value::Integer(number.into())
}

fn ints<const N: usize>(numbers: [impl Into<i64>; N]) -> [Value; N] {
    numbers.map(int)
}

/// An attribute, where there is a value.
fn attribute(tag: &mut Tag, name: &str, value: Option<Value>) {
    tag.attributes.extend(value.map(|value| Attribute {
        namespace: String::new(),
        name: name.to_owned(),
        value,
    }));
}

fn metadata(metadata: &Metadata) -> Tag {
    let mut tag = Tag::new("", "Metadata", []);
    let version = metadata.version.map(|v| Tag::new("", "Version", ints(v)));
    let name = metadata.name.as_deref();
    let name = name.map(|name| Tag::new("", "Name", [name.into()]));
    let resolution = metadata.resolution;
    let resolution = resolution.map(|size| Tag::new("", "Resolution", ints(size)));
    tag.children
        .extend([version, name, resolution].into_iter().flatten());
    tag.attributes.extend(metadata.attributes.iter().cloned());
    tag.children.extend(metadata.other.iter().cloned());
    tag
}

fn layer(layer: &XmfLayer) -> Tag {
    let values = [layer.name.as_str().into(), int(layer.priority)];
    let mut tag = Tag::new("Layer", layer.kind.name(), values);
    tag.attributes.extend(layer.attributes.iter().cloned());
    if layer.kind.has_tiles() {
        tag.values.extend(ints(layer.tile_size));
        tag.values.extend(ints(layer.size));
    }
    let children = &mut tag.children;
    children.extend(
        layer
            .rendering_mode
            .as_deref()
            .map(|mode| Tag::new("", "RenderingMode", [mode.into()])),
    );
    if layer.repeat != RepeatMode::Off {
        children.push(Tag::new("", "RepeatMode", [layer.repeat.name().into()]));
    }
    for (name, rate) in ["ScrollRateX", "ScrollRateY"]
        .into_iter()
        .zip(layer.scroll_rate)
    {
        children.extend(rate.map(|rate| Tag::new("", name, [Value::Float(rate)])));
    }
    children.extend(layer.map.as_ref().map(|source| {
        let mut tag = map_source(source);
        tag.attributes.extend(layer.map_attributes.iter().cloned());
        tag
    }));
    let shared = layer.shared_tiles.iter();
    children.extend(shared.map(|priority| Tag::new("Shared", "TileData", [int(*priority)])));
    children.extend(layer.tile_sources.iter().map(tile_source));
    children.extend(layer.sprite_sources.iter().map(sprite_source));
    children.extend(layer.sprite_sheets.iter().map(sprite_sheet));
    children.extend(layer.palettes.iter().map(palette));
    children.extend(layer.objects.iter().map(object));
    children.extend(layer.other.iter().cloned());
    tag
}

fn map_source(source: &MapSource) -> Tag {
    match source {
        MapSource::File { path, .. } => Tag::new("File", "MapData", [path.as_str().into()]),
        MapSource::Embedded { cells, .. } => {
            let mut bytes = Vec::with_capacity(4 * cells.len());
            append_elements(cells, &mut bytes);
            Tag::new("Embed", "MapData", [Value::Binary(bytes)])
        }
        MapSource::Shared { layer, .. } => Tag::new("Shared", "MapData", [int(*layer)]),
    }
}

fn tile_source(source: &TileSource) -> Tag {
    let mut tag = Tag::new("File", "TileSource", [source.path.as_str().into()]);
    attribute(&mut tag, "palShift", source.pal_shift.map(int));
    attribute(&mut tag, "offset", source.offset.map(int));
    tag.attributes.extend(source.attributes.iter().cloned());
    tag.children.extend(source.tiles.as_ref().map(|tiles| {
        let mut info = Tag::new("Embed", "TileInfo", []);
        info.children.extend(tiles.iter().map(tile_info));
        info
    }));
    tag.children.extend(source.other.iter().cloned());
    tag
}

fn tile_info(tile: &TileInfo) -> Tag {
    let mut tag = Tag::new("", "", ints([tile.first, tile.second]));
    tag.values.push(tile.name.as_str().into());
    tag
}

fn palette(palette: &Palette) -> Tag {
    let mut tag = match &palette.source {
        PaletteSource::File(path) => Tag::new("File", "Palette", [path.as_str().into()]),
        PaletteSource::Embedded { name, colors } => {
            let mut tag = Tag::new("Embed", "Palette", name.as_deref().map(Value::from));
            tag.values.push(Value::Binary(colors.concat()));
            tag
        }
    };
    attribute(&mut tag, "palShift", palette.pal_shift.map(int));
    let offset = (palette.offset != 0).then(|| int(palette.offset));
    attribute(&mut tag, "offset", offset);
    tag.attributes.extend(palette.attributes.iter().cloned());
    tag
}

fn sprite_source(source: &SpriteSource) -> Tag {
    let values = [int(source.id), source.path.as_str().into()];
    let mut tag = Tag::new("File", "SpriteSource", values);
    attribute(&mut tag, "name", source.name.as_deref().map(Value::from));
    if let Some(part) = source.part {
        let names = ["horizOffset", "vertOffset", "width", "height"];
        for (name, number) in names.into_iter().zip(part) {
            attribute(&mut tag, name, Some(int(number)));
        }
    }
    tag.attributes.extend(source.attributes.iter().cloned());
    tag
}

fn sprite_sheet(sheet: &SpriteSheet) -> Tag {
    let mut tag = Tag::new("File", "SpriteSheet", [sheet.path.as_str().into()]);
    tag.attributes.extend(sheet.attributes.iter().cloned());
    tag.children.extend(sheet.other.iter().cloned());
    if !sheet.sprites.is_empty() {
        let holders = tag
            .children
            .iter()
            .position(|child| child.is("", "SheetData"));
        let holder = holders.unwrap_or_else(|| {
            tag.children.push(Tag::new("", "SheetData", []));
            tag.children.len() - 1
        });
        if let Some(holder) = tag.children.get_mut(holder) {
            holder.children = sheet.sprites.iter().map(sheet_sprite).collect();
        }
    }
    tag
}

fn sheet_sprite(sprite: &SheetSprite) -> Tag {
    let mut tag = Tag::new("", "", [int(sprite.id)]);
    tag.values.extend(ints(sprite.part));
    attribute(&mut tag, "name", sprite.name.as_deref().map(Value::from));
    tag.attributes.extend(sprite.attributes.iter().cloned());
    tag
}

fn object(object: &Object) -> Tag {
    let values = [object.name.as_str().into(), int(object.id)];
    let mut tag = Tag::new("Object", object.shape.kind(), values);
    match &object.shape {
        Shape::Box(sides) => tag.values.extend(ints(*sides)),
        Shape::Sprite(shape) => sprite(shape, &mut tag),
        Shape::QuadSprite(shape, corners) => {
            sprite(shape, &mut tag);
            for corner in corners {
                tag.values.extend(ints(*corner));
            }
        }
        Shape::Polyline { points, is_closed } => {
            tag.children
                .extend(points.iter().enumerate().map(|(i, p)| point(i, p)));
            let is_said = object.other.iter().any(|child| child.is("", "Close"));
            if *is_closed && !is_said {
                tag.children.push(Tag::new("", "Close", []));
            }
        }
        Shape::Quad(corners) => corners
            .iter()
            .for_each(|corner| tag.values.extend(ints(*corner))),
        Shape::Other { values, .. } => tag.values.extend(values.iter().cloned()),
    }
    let is_said = object.other.iter().any(|child| child.is("", "ToCollision"));
    if object.to_collision && !is_said {
        tag.children.push(Tag::new("", "ToCollision", []));
    }
    tag.attributes.extend(object.attributes.iter().cloned());
    tag.children.extend(object.other.iter().cloned());
    tag
}

fn sprite(sprite: &Sprite, tag: &mut Tag) {
    tag.values.push(int(sprite.source));
    tag.values.extend(ints(sprite.position));
    for (name, scale) in ["scaleHoriz", "scaleVert"].into_iter().zip(sprite.scale) {
        attribute(tag, name, scale.map(int));
    }
    for (name, corner) in ["lrCornerX", "lrCornerY"].into_iter().zip(sprite.corner) {
        attribute(tag, name, corner.map(int));
    }
    for (name, is_mirrored) in ["hMirror", "vMirror"].into_iter().zip(sprite.mirror) {
        attribute(tag, name, is_mirrored.map(Value::Bool));
    }
    let palette = (sprite.palette != 0).then(|| int(sprite.palette));
    attribute(tag, "palSel", palette);
    attribute(tag, "palShift", sprite.pal_shift.map(int));
    attribute(tag, "masterAlpha", sprite.alpha.map(int));
}

fn point(index: usize, point: &Point) -> Tag {
    let name = if index == 0 { "Begin" } else { "Segment" };
    let mut tag = Tag::new("", name, ints(point.position));
    let names: &[&str] = match point.controls.len() {
        1 => &["Bezier"],
        _ => &["Bezier0", "Bezier1"],
    };
    let controls = names.iter().zip(&point.controls);
    tag.children
        .extend(controls.map(|(name, control)| Tag::new("", name, ints(*control))));
    tag.children.extend(point.other.iter().cloned());
    tag
}
