//! The data stored in a container itself, for comparisons. Files that it names are excluded, so
//! that its location makes no difference.

use serde_json::Value as Json;

use super::facts::{XmfFacts, source_name};
use crate::describe::own::{Named, OwnLine, bytes_text, hex_text};
use crate::document::parts::Parts;
use crate::kinds::tilemap::TileMap;
use crate::{Item, Origin};
use mapscope_formats::ppe::sdlang::{self, At, Attribute, Tag};
use mapscope_formats::ppe::xmf::{
    Metadata, Object, Palette, PaletteSource, Point, Shape, SheetSprite, Sprite, SpriteSheet,
    SpriteSource, TileInfo, TileSource, Xmf, XmfLayer,
};

/// Maximum bytes of a tag that is shown as written.
const MAX_TAG_BYTES: usize = 400;

/// The lines of a record.
struct Lines(Vec<OwnLine>);

impl Lines {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn say(mut self, name: &'static str, value: impl Into<Json>) -> Self {
        self.0.push(OwnLine::new("In the file", name, value));
        self
    }

    /// Adds the name of a referenced part.
    fn name(self, name: &'static str, value: &str, part: (&'static str, usize)) -> Self {
        let mut lines = self.say(name, value);
        if let Some(line) = lines.0.last_mut() {
            let remainder = String::new();
            line.names = Some(Named { part, remainder });
        }
        lines
    }

    /// Adds a value if the file has it.
    fn say_if_some<T: Into<Json>>(self, name: &'static str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.say(name, value),
            None => self,
        }
    }

    /// Adds a line for each value of a list.
    fn each<T: Into<Json>>(self, name: &'static str, all: impl IntoIterator<Item = T>) -> Self {
        let all = all.into_iter();
        all.fold(self, |lines, value| lines.say(name, value))
    }

    /// Adds attributes and tags that the format does not define, as written.
    fn rest(self, attributes: &[Attribute], tags: &[Tag]) -> Self {
        let attribute = |attribute: &Attribute| {
            let attributes = vec![attribute.clone()];
            written(Tag {
                attributes,
                ..Tag::default()
            })
        };
        let lines = self.each("Attribute", attributes.iter().map(attribute));
        lines.each("Tag", tags.iter().cloned().map(written))
    }

    fn at(mut self, at: At) -> Vec<OwnLine> {
        let At { line, column } = at;
        let place = format!("line {line}, column {column}");
        let place = OwnLine::new("In the file", "Place in the file", place);
        self.0.push(place.within(Origin::Place));
        self.0
    }
}

/// A tag as written, in one line.
fn written(tag: Tag) -> String {
    let text = sdlang::write(&[tag]);
    let lines = text.lines().map(str::trim);
    let text = lines.collect::<Vec<_>>().join(" ");
    if text.len() <= MAX_TAG_BYTES {
        return text;
    }
    bytes_text(text.as_bytes())
}

/// The data at the beginning of a container, outside of its layers.
pub(super) fn map(xmf: &Xmf) -> Vec<OwnLine> {
    let Metadata {
        version,
        name,
        resolution,
        other,
        attributes,
    } = &xmf.metadata;
    let version = version.map(|[major, minor]| format!("{major}.{minor}"));
    let lines = Lines::new()
        .say_if_some("Version", version)
        .say_if_some("Name", name.clone())
        .say_if_some("Screen", resolution.map(Vec::from));
    lines.rest(attributes, other).0
}

/// The tags outside of layers that are left to the game.
pub(super) fn tags(xmf: &Xmf) -> Parts<'_> {
    let said = |tag: &Tag| Lines::new().say("Tag", written(tag.clone())).at(tag.at);
    listed("tag", &xmf.other, Tag::name_in_file, said)
}

/// A layer without its contents.
pub(super) fn layer(layer: &XmfLayer) -> Vec<OwnLine> {
    let mut lines = Lines::new()
        .say("Name", &*layer.name)
        .say("Kind", layer.kind.name())
        .say("Priority", layer.priority);
    if layer.kind.has_tiles() {
        let is_said = !layer.size.contains(&0);
        lines = lines
            .say("Tile size", Vec::from(layer.tile_size))
            .say_if_some("Size", is_said.then(|| Vec::from(layer.size)))
            .say("Around it", layer.repeat.name());
    }
    let [across, down] = layer.scroll_rate;
    lines
        .say("Cells", source_name(layer))
        .rest(&layer.map_attributes, &[])
        .each("Tiles too", layer.shared_tiles.iter().copied())
        .say_if_some("Scroll rate X", across)
        .say_if_some("Scroll rate Y", down)
        .say_if_some("Rendering mode", layer.rendering_mode.clone())
        .rest(&layer.attributes, &layer.other)
        .at(layer.at)
}

fn sheet(sheet: &TileSource) -> Vec<OwnLine> {
    Lines::new()
        .say("File", &*sheet.path)
        .say_if_some("Shift of palettes", sheet.pal_shift)
        .say_if_some("First colour", sheet.offset)
        .say("Names its tiles", sheet.tiles.is_some())
        .rest(&sheet.attributes, &sheet.other)
        .at(sheet.at)
}

fn tile(tile: &TileInfo) -> Vec<OwnLine> {
    let lines = Lines::new()
        .say("Identifier", tile.first)
        .say("Place in the sheet", tile.second);
    lines.say("Name", &*tile.name).at(tile.at)
}

fn palette(palette: &Palette) -> Vec<OwnLine> {
    let lines = match &palette.source {
        PaletteSource::File(path) => Lines::new().say("File", &**path),
        PaletteSource::Embedded { name, .. } => Lines::new().say_if_some("Name", name.clone()),
    };
    lines
        .say_if_some("Shift of palettes", palette.pal_shift)
        .say("First colour", palette.offset)
        .rest(&palette.attributes, &[])
        .at(palette.at)
}

fn sprite_image(source: &SpriteSource) -> Vec<OwnLine> {
    Lines::new()
        .say("Identifier", source.id)
        .say("File", &*source.path)
        .say_if_some("Name", source.name.clone())
        .say_if_some("Part", source.part.map(Vec::from))
        .rest(&source.attributes, &[])
        .at(source.at)
}

fn sprite_sheet(sheet: &SpriteSheet) -> Vec<OwnLine> {
    let lines = Lines::new().say("File", &*sheet.path);
    lines.rest(&sheet.attributes, &sheet.other).at(sheet.at)
}

fn sheet_sprite(sprite: &SheetSprite) -> Vec<OwnLine> {
    Lines::new()
        .say("Identifier", sprite.id)
        .say("Part", Vec::from(sprite.part))
        .say_if_some("Name", sprite.name.clone())
        .rest(&sprite.attributes, &[])
        .0
}

/// A box, sprite or shape on a layer.
pub(super) fn object(object: &Object, (layer, layer_name): (usize, &str)) -> Vec<OwnLine> {
    let lines = Lines::new()
        .say("Name", &*object.name)
        .say("Identifier", object.id)
        .name("Layer", layer_name, ("layer", layer))
        .say("Kind", object.shape.kind());
    let lines = match &object.shape {
        Shape::Box(sides) => lines.say("Sides", Vec::from(*sides)),
        Shape::Sprite(of) => sprite(of, lines),
        Shape::QuadSprite(of, corners) => sprite(of, lines).say("Corners", corners.concat()),
        Shape::Polyline { points, is_closed } => {
            let controls = |point: &Point| point.controls.concat();
            let lines = lines
                .each("Point", points.iter().map(|it| Vec::from(it.position)))
                .each("Bend", points.iter().map(controls));
            let tags = points.iter().flat_map(|point| &point.other);
            let lines = lines.each("Tag of a point", tags.cloned().map(written));
            lines.say("Closed", *is_closed)
        }
        Shape::Quad(corners) => lines.say("Corners", corners.concat()),
        Shape::Other { values, .. } => {
            let tag = Tag::new("", "", values.iter().cloned());
            lines.say("Values", written(tag))
        }
    };
    let lines = lines.say("Collision", object.to_collision);
    lines.rest(&object.attributes, &object.other).at(object.at)
}

fn sprite(sprite: &Sprite, lines: Lines) -> Lines {
    lines
        .say("Image", sprite.source)
        .say("Position", Vec::from(sprite.position))
        .say_if_some("Scale X", sprite.scale[0])
        .say_if_some("Scale Y", sprite.scale[1])
        .say_if_some("Lower right corner X", sprite.corner[0])
        .say_if_some("Lower right corner Y", sprite.corner[1])
        .say_if_some("Mirrored X", sprite.mirror[0])
        .say_if_some("Mirrored Y", sprite.mirror[1])
        .say("Palette", sprite.palette)
        .say_if_some("Shift of palettes", sprite.pal_shift)
        .say_if_some("Opacity", sprite.alpha)
}

/// The palettes of a container or of a layer, including embedded colours.
pub(super) fn palettes(all: &[Palette]) -> Parts<'_> {
    let name = |palette: &Palette| match &palette.source {
        PaletteSource::File(path) => path.clone(),
        PaletteSource::Embedded { name, .. } => name.clone().unwrap_or_default(),
    };
    listed("palette", all, name, palette).with_children(|index| {
        let Some(PaletteSource::Embedded { colors, .. }) = all.get(index).map(|it| &it.source)
        else {
            return Vec::new();
        };
        let list = Parts::list("colour", colors.len()).owns(|index| {
            let color = colors.get(index).copied().unwrap_or_default();
            vec![OwnLine::new("Colour", "bytes", hex_text(&color))]
        });
        vec![list]
    })
}

/// The parts of a layer other than cells and objects: sheets with their tiles, images of sprites,
/// and palettes. `item` maps a tile identifier to its item.
pub(super) fn of_layer<'a>(
    layer: &'a XmfLayer,
    item: impl Fn(u32) -> Option<Item> + Copy + 'a,
) -> Vec<Parts<'a>> {
    let sheets = listed("sheet", &layer.tile_sources, |it| it.path.clone(), sheet).with_children(
        move |index| {
            let source = layer.tile_sources.get(index);
            let tiles = source.and_then(|source| source.tiles.as_ref());
            let of_tiles = tiles.map(|tiles| {
                let list = listed("tile", tiles, |it| it.first.to_string(), tile);
                list.items(move |index| item(tiles.get(index)?.first))
            });
            of_tiles.into_iter().collect()
        },
    );
    let images = &layer.sprite_sources;
    let images = listed("sprite image", images, |it| it.id.to_string(), sprite_image);
    let holders = &layer.sprite_sheets;
    let holders = listed("sprite sheet", holders, |it| it.path.clone(), sprite_sheet)
        .with_children(move |index| {
            let sheet = layer.sprite_sheets.get(index);
            let sprites = sheet.map_or(&[][..], |sheet| &sheet.sprites);
            let name = |it: &SheetSprite| it.id.to_string();
            vec![listed("image of a sheet", sprites, name, sheet_sprite)]
        });
    vec![sheets, images, holders, palettes(&layer.palettes)]
}

/// A list of named records.
fn listed<'a, T>(
    what: &'static str,
    all: &'a [T],
    name: fn(&T) -> String,
    own: fn(&T) -> Vec<OwnLine>,
) -> Parts<'a> {
    let list = Parts::records(what, all, name);
    list.owns(move |index| all.get(index).map_or_else(Vec::new, own))
}

impl XmfFacts {
    /// The item of a tile of a layer by its identifier.
    pub(super) fn tile_item(map: &TileMap, layer: usize, id: u32) -> Option<Item> {
        let tileset = map.layers.get(layer)?.tileset;
        let mut tiles = map.tilesets.get(tileset)?.tiles.iter();
        let image = tiles.position(|tile| tile.id == id)?;
        Some(TileMap::tile_item(tileset, image))
    }
}
