//! The data stored in a container itself. Files that it names are excluded, so that its location
//! makes no difference.

use super::facts::XmfFacts;
use super::objects::mirrored;
use crate::Item;
use crate::describe::own::{bytes_text, hex_text};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::document::parts::Parts;
use crate::kinds::tilemap::TileMap;
use mapscope_formats::ppe::sdlang::{self, At, Attribute, Tag};
use mapscope_formats::ppe::xmf::{
    MapSource, Metadata, Object, Palette, PaletteSource, Shape, SheetSprite, Sprite, SpriteSheet,
    SpriteSource, TileInfo, TileSource, Xmf, XmfLayer,
};

/// Maximum bytes of a tag that is shown as written.
const MAX_TAG_BYTES: usize = 400;
/// Maximum number of listed elements of one kind.
const MAX_LISTED: usize = 32;

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

/// Attributes that the format does not define, as written.
fn attributes(attributes: &[Attribute]) -> Option<Fact> {
    let attribute = |attribute: &Attribute| {
        let attributes = vec![attribute.clone()];
        written(Tag {
            attributes,
            ..Tag::default()
        })
    };
    let fact = Fact::new("Attribute", Value::list(attributes.iter().map(attribute)));
    (!attributes.is_empty()).then(|| fact.keyed("attributes").hidden())
}

/// Tags that are left to the game, or that Mapscope does not interpret: as written, and in short.
fn tags(tags: &[Tag]) -> Option<Fact> {
    let full = Value::list(tags.iter().cloned().map(written));
    let short = Value::list(tags.iter().map(Tag::summary)).showing(MAX_LISTED);
    let fact = Fact::new("Tag", full).keyed("tags").shown(short);
    (!tags.is_empty()).then_some(fact)
}

fn place(at: At) -> Fact {
    let At { line, column } = at;
    Fact::new("Place", Value::column(line.into(), column.into())).place()
}

/// Appends attributes and tags that the format does not define, and the place.
fn rest(mut facts: Vec<Fact>, of: (&[Attribute], &[Tag]), at: At) -> Vec<Fact> {
    facts.extend(attributes(of.0));
    facts.extend(tags(of.1));
    facts.push(place(at));
    facts
}

/// Records of a list that is compared by itself, each with a line for people.
fn records<T>(
    (name, key): (&'static str, &'static str),
    all: &[T],
    facts: fn(&T) -> Vec<Fact>,
    line: fn(&T) -> String,
) -> Fact {
    let all = all.iter();
    let all = all.map(|record| Value::object(facts(record)).shown_as(line(record)));
    let list = Value::list(all).showing(MAX_LISTED);
    Fact::new(name, list).keyed(key).derived()
}

/// The data of a container outside of its layers.
pub(super) fn map(xmf: &Xmf) -> Vec<Fact> {
    let Metadata {
        version,
        name,
        resolution,
        other,
        attributes: of_metadata,
    } = &xmf.metadata;
    let version = version.map(|[major, minor]| format!("{major}.{minor}"));
    let screen = resolution.map(|size| Value::size(size, "pixels"));
    let mut facts = vec![
        Fact::new("Name", name.clone()),
        Fact::new("Screen", screen).keyed("resolution"),
        Fact::new("Version", version),
    ];
    facts.extend(tags(other));
    facts.extend(attributes(of_metadata));
    let palettes = ("Palette", "palettes");
    facts.push(records(palettes, &xmf.palettes, palette, palette_line));
    facts.extend(tags(&xmf.other).map(|fact| fact.keyed("other_tags").derived()));
    facts
}

/// The tags outside of layers that are left to the game.
pub(super) fn parts_of_tags(xmf: &Xmf) -> Parts<'_> {
    listed("tag", &xmf.other, Tag::name_in_file, |tag| {
        let text = written(tag.clone());
        vec![Fact::new("Tag", text), place(tag.at)]
    })
}

/// A layer without its contents.
pub(super) fn layer(layer: &XmfLayer) -> Vec<Fact> {
    let (cells, shared) = match &layer.map {
        Some(MapSource::File { path, .. }) => (path.as_str().into(), None),
        Some(MapSource::Embedded { .. }) => (Value::none("in the file"), None),
        Some(MapSource::Shared { layer, .. }) => {
            let text = format!("those of layer {layer}");
            (Value::none(text), Some(*layer))
        }
        None => (Value::none("none"), None),
    };
    let is_embedded = matches!(layer.map, Some(MapSource::Embedded { .. }));
    let mut facts = vec![
        Fact::new("Name", &*layer.name).hidden(),
        Fact::new("Kind", layer.kind.name()),
        Fact::new("Priority", layer.priority),
        Fact::new("Embedded", is_embedded).hidden(),
        Fact::new("Cells of layer", shared).hidden(),
    ];
    let cells = Fact::new("Cells", cells).keyed("map");
    if layer.kind.has_tiles() {
        let size = (!layer.size.contains(&0)).then_some(layer.size);
        facts.extend([
            cells,
            Fact::new("Tile size", layer.tile_size).hidden(),
            Fact::new("Size", size).hidden(),
            Fact::new("Around it", layer.repeat.name()).keyed("repeat"),
        ]);
    } else {
        facts.push(cells.hidden());
    }
    let shared = layer.shared_tiles.iter().map(|priority| {
        let text = format!("those of the layer of priority {priority}");
        Value::from(*priority).shown_as(text)
    });
    let images = ("Sprite", "sprite_images");
    let holders = ("Sprites", "sprite_sheets");
    let [across, down] = layer.scroll_rate.map(|rate| rate.map(|rate| rate as f32));
    facts.extend([
        records(("Sheet", "sheets"), &layer.tile_sources, sheet, sheet_line),
        Fact::new("Tiles too", Value::list(shared).showing(MAX_LISTED)).keyed("shared_tiles"),
        records(
            images,
            &layer.sprite_sources,
            sprite_image,
            sprite_image_line,
        ),
        records(
            holders,
            &layer.sprite_sheets,
            sprite_sheet,
            sprite_sheet_line,
        ),
        records(
            ("Palette", "palettes"),
            &layer.palettes,
            palette,
            palette_line,
        ),
        Fact::new("Scroll rate X", across).hidden(),
        Fact::new("Scroll rate Y", down).hidden(),
        Fact::new("Rendering mode", layer.rendering_mode.clone()),
    ]);
    facts.extend(attributes(&layer.map_attributes).map(|fact| fact.keyed("map_attributes")));
    rest(facts, (&layer.attributes, &layer.other), layer.at)
}

fn sheet(sheet: &TileSource) -> Vec<Fact> {
    let facts = vec![
        Fact::new("File", &*sheet.path),
        Fact::new("Shift of palettes", sheet.pal_shift).keyed("palette_shift"),
        Fact::new("First colour", sheet.offset).keyed("first_color"),
        Fact::new("Names its tiles", sheet.tiles.is_some()),
        Fact::new("Tiles", sheet.tiles.as_ref().map(Vec::len)).derived(),
    ];
    rest(facts, (&sheet.attributes, &sheet.other), sheet.at)
}

fn sheet_line(source: &TileSource) -> String {
    let palettes = source
        .pal_shift
        .map(|shift| format!("palettes of {} colours", 1_u64 << shift));
    let offset = source
        .offset
        .map(|offset| format!("its own from {offset} on"));
    let named = source
        .tiles
        .as_ref()
        .map(|tiles| format!("{} tiles named", tiles.len()));
    let parts = [Some(source.path.clone()), palettes, offset, named];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn tile(tile: &TileInfo) -> Vec<Fact> {
    vec![
        Fact::new("Identifier", tile.first),
        Fact::new("Place in the sheet", tile.second),
        Fact::new("Name", &*tile.name),
        place(tile.at),
    ]
}

fn palette(palette: &Palette) -> Vec<Fact> {
    let source = match &palette.source {
        PaletteSource::File(path) => Fact::new("File", &**path),
        PaletteSource::Embedded { name, .. } => Fact::new("Name", name.clone()),
    };
    let facts = vec![
        source,
        Fact::new("Shift of palettes", palette.pal_shift).keyed("palette_shift"),
        Fact::new("First colour", palette.offset).keyed("first_color"),
    ];
    rest(facts, (&palette.attributes, &[]), palette.at)
}

fn palette_line(palette: &Palette) -> String {
    let source = match &palette.source {
        PaletteSource::File(path) => path.clone(),
        PaletteSource::Embedded { name, colors } => {
            let name = name.as_deref().unwrap_or("embedded");
            format!("{name}, {} colours in the file", colors.len())
        }
    };
    let max = palette.pal_shift.map_or_else(String::new, |shift| {
        format!(", at most {} colours", 1_u64 << shift)
    });
    format!("{source}{max}, from {} on", palette.offset)
}

fn sprite_image(source: &SpriteSource) -> Vec<Fact> {
    let facts = vec![
        Fact::new("Identifier", source.id),
        Fact::new("File", &*source.path),
        Fact::new("Name", source.name.clone()),
        Fact::new("Part", source.part),
    ];
    rest(facts, (&source.attributes, &[]), source.at)
}

fn sprite_image_line(source: &SpriteSource) -> String {
    let name = source.name.as_deref().map(|name| format!(" {name}"));
    let part = source
        .part
        .map(|[x, y, width, height]| format!(", {width} x {height} pixels at {x}, {y}"));
    let (name, part) = (name.unwrap_or_default(), part.unwrap_or_default());
    format!("{}{name}: {}{part}", source.id, source.path)
}

fn sprite_sheet(sheet: &SpriteSheet) -> Vec<Fact> {
    let facts = vec![
        Fact::new("File", &*sheet.path),
        Fact::new("Sprites", sheet.sprites.len()).derived(),
    ];
    rest(facts, (&sheet.attributes, &sheet.other), sheet.at)
}

fn sprite_sheet_line(sheet: &SpriteSheet) -> String {
    format!("{}, {} sprites", sheet.path, sheet.sprites.len())
}

fn sheet_sprite(sprite: &SheetSprite) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("Identifier", sprite.id),
        Fact::new("Part", sprite.part),
        Fact::new("Name", sprite.name.clone()),
    ];
    facts.extend(attributes(&sprite.attributes));
    facts
}

/// A box, sprite or shape on a layer.
pub(super) fn object(object: &Object, (layer, layer_name): (usize, &str)) -> Vec<Fact> {
    let layer = Value::reference(layer, layer_name).naming("layer", layer, "");
    let kind = Fact::new("Kind", object.shape.kind());
    let mut facts = vec![
        Fact::new("Name", &*object.name).hidden(),
        Fact::new("Identifier", object.id),
        Fact::new("Layer", layer).hidden(),
        match &object.shape {
            Shape::Other { .. } => kind,
            _ => kind.hidden(),
        },
    ];
    match &object.shape {
        Shape::Box(sides) => {
            let [left, top, right, bottom] = sides;
            let text = format!("{left}, {top} to {right}, {bottom}");
            facts.push(Fact::new("Sides", Value::from(*sides).shown_as(text)));
        }
        Shape::Sprite(of) => facts.extend(sprite(of)),
        Shape::QuadSprite(of, [upper_right, lower_left, lower_right]) => {
            facts.extend(sprite(of));
            let all = [of.position, *upper_right, *lower_left, *lower_right];
            facts.push(corners(all));
        }
        Shape::Polyline { points, is_closed } => {
            let positions = Value::list(points.iter().map(|point| point.position)).whole();
            let has_bends = points.iter().any(|point| !point.controls.is_empty());
            let bends = has_bends.then(|| {
                let bends = points.iter().map(|point| point.controls.concat());
                Value::list(bends.map(Value::integers)).whole()
            });
            let tags = points.iter().flat_map(|point| &point.other);
            let tags = Value::list(tags.cloned().map(written));
            facts.extend([
                Fact::new("Points", positions).shown(points.len().into()),
                Fact::new("Bend", bends).keyed("bends").hidden(),
                Fact::new("Tag of a point", tags)
                    .keyed("tags_of_points")
                    .hidden(),
                Fact::new("Closed", *is_closed),
            ]);
        }
        Shape::Quad(all) => facts.push(corners(*all).hidden()),
        Shape::Other { values, .. } => {
            let values = written(Tag::new("", "", values.iter().cloned()));
            facts.push(Fact::new("Values", values).hidden());
        }
    }
    facts.push(Fact::new("Collision", object.to_collision));
    rest(facts, (&object.attributes, &object.other), object.at)
}

/// Upper left, upper right, lower left and lower right corner.
fn corners(corners: [[i32; 2]; 4]) -> Fact {
    let text = corners.map(|[x, y]| format!("{x}, {y}")).join("  ");
    Fact::new("Corners", Value::list(corners).shown_as(text))
}

fn sprite(sprite: &Sprite) -> impl Iterator<Item = Fact> {
    let text = |number: Option<i32>, none: &str| {
        number.map_or_else(|| none.to_owned(), |number| number.to_string())
    };
    let [across, down] = sprite.scale;
    let scale = || format!("{} x {} of 1024", text(across, "1024"), text(down, "1024"));
    let [right, bottom] = sprite.corner;
    let corner = || format!("{}, {}", text(right, "-"), text(bottom, "-"));
    let mirrored = match mirrored(sprite) {
        [false, false] => None,
        [true, false] => Some("left to right"),
        [false, true] => Some("upside down"),
        [true, true] => Some("left to right and upside down"),
    };
    let colors = sprite.pal_shift.map(|shift| 1_u64 << shift);
    let colors = colors.map(|colors| Value::amount(colors, "colours"));
    let opacity = sprite.alpha.map(|alpha| Value::amount(alpha, "of 255"));
    [
        Fact::new("Image", sprite.source),
        Fact::new("Position", sprite.position).hidden(),
        Fact::new("Scale X", across).hidden(),
        Fact::new("Scale Y", down).hidden(),
        Fact::shown_only("Scale", across.or(down).map(|_| scale())),
        Fact::new("Lower right corner X", right).hidden(),
        Fact::new("Lower right corner Y", bottom).hidden(),
        Fact::shown_only("Lower right", right.or(bottom).map(|_| corner())),
        Fact::new("Mirrored X", sprite.mirror[0])
            .keyed("mirror_x")
            .hidden(),
        Fact::new("Mirrored Y", sprite.mirror[1])
            .keyed("mirror_y")
            .hidden(),
        Fact::shown_only("Mirrored", mirrored),
        Fact::new("Palette", sprite.palette),
        Fact::new("Shift of palettes", sprite.pal_shift)
            .keyed("palette_shift")
            .hidden(),
        Fact::shown_only("Palette size", colors),
        Fact::new("Opacity", opacity),
    ]
    .into_iter()
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
            FactGroup::new("Colour", [Fact::new("bytes", hex_text(&color))]).own()
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
    facts: fn(&T) -> Vec<Fact>,
) -> Parts<'a> {
    let own = move |record| FactGroup::new("In the file", facts(record)).own();
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
