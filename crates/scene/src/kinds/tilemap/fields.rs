//! Field tables of the parts of a map, shared by the inspector, the status line, the outline and
//! JSON.

use std::cell::OnceCell;
use std::ops::{Deref, Range};

use serde_json::{Map as JsonMap, Value as Json};

use super::grids::zone_color;
use super::here::{AT_REST, Here, ZoneAt};
use super::items::{CellAt, TileAt};
use super::layers::{parallax_as_written, parallax_name};
use super::left_out::{LEFT_OUT, not_read};
use super::picture::{PixelAt, WholePicture};
use super::place::RectPx;
use super::{Cell, GridKind, Layer, Object, ObjectKind, Step, TileMap, Tileset, Zone};
use crate::describe::numbers::short;
use crate::describe::own::{OwnLine, key_of};
use crate::describe::table::{
    Describe, Field, INTEGERS, ItemKeys, Table, ValueType, decimal, field, flag, integer, section,
    shown_only, summary_only, table, text,
};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::{ClipInfo, Item, PropertyGroup, Shown, SummaryPart, Swatch, TileMapItem, ViewState};
use mapscope_formats::{UnreadReason, counted};

/// Placeholder key of an object's fields until it is replaced by the key of the kind.
const OBJECT: &str = "object";
/// Maximum number of listed parts of one kind.
const MAX_LISTED: usize = 64;
/// Maximum reserved width of a name in the status line, in characters; longer names shift the rest.
const NAME_WIDTH: usize = 16;
/// Reserved width of tile numbers, in characters.
const TILE_WIDTH: usize = 5;

/// Two whole numbers.
const PAIR: ValueType = ValueType::Integers(2);
/// Left, top, width and height.
const RECT: ValueType = ValueType::Numbers(4);
/// A rectangle on a layer.
const AREA: ValueType = ValueType::Object(&[("layer", ValueType::Integer), ("rect", RECT)]);
/// A drawing step.
const STEP: ValueType =
    ValueType::Object(&[("what", ValueType::Text), ("layer", ValueType::Integer)]);
/// An animated run of tiles.
const STRAND: ValueType = ValueType::Object(&[
    ("first", ValueType::Integer),
    ("last", ValueType::Integer),
    ("mode", ValueType::Text),
    ("delay_s", ValueType::Number),
]);

/// A part of a map with its number.
#[derive(Debug, Clone, Copy)]
struct Part<'a, T> {
    map: &'a TileMap,
    number: usize,
    record: &'a T,
}

impl<T> Deref for Part<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.record
    }
}

impl TileMap {
    /// The fields and the other file data of an item. `None` if the item does not exist.
    pub(super) fn described<'a>(
        &'a self,
        item: Item,
        view: ViewState<'a>,
    ) -> Option<Box<dyn Describe + 'a>> {
        Some(Box::new(ItemRecord {
            map: self,
            item,
            fields: self.fields_of(item, view)?,
        }))
    }

    /// The fields of an item, and everything at its place. `None` if the item does not exist.
    pub(super) fn fields_of<'a>(
        &'a self,
        item: Item,
        view: ViewState<'a>,
    ) -> Option<Box<dyn Describe + 'a>> {
        let Item::TileMap(of_map) = item else {
            return None;
        };
        Some(match of_map {
            TileMapItem::Map => Part::<Self>::FIELDS.of(self.part(std::slice::from_ref(self), 0)?),
            TileMapItem::Picture if self.is_picture() => {
                WholePicture::FIELDS.of(WholePicture(self))
            }
            TileMapItem::Pixel { .. } => PixelAt::FIELDS.of(self.pixel_at(item)?),
            TileMapItem::Layer { index } => {
                Part::<Layer>::FIELDS.of(self.part(&self.layers, index)?)
            }
            TileMapItem::Cell { .. } => {
                let at = self.cell_at(item)?;
                let (px, shown) = match self.described_px(&at, view) {
                    Some((px, shown)) => (px.map(|at| at.floor() as i64), shown),
                    None => (self.middle_px(&at), &*AT_REST),
                };
                CellWithPlace::FIELDS.of(CellWithPlace::new(self, at, px, shown))
            }
            TileMapItem::Tileset { index } => {
                Part::<Tileset>::FIELDS.of(self.part(&self.tilesets, index)?)
            }
            TileMapItem::Tile { .. } => TileAt::FIELDS.of(self.tile_at(item)?),
            TileMapItem::Zone { index } => Part::<Zone>::FIELDS.of(self.part(&self.zones, index)?),
            TileMapItem::Clip => Part::<ClipInfo>::FIELDS.of(self.part(&self.clips, 0)?),
            _ => {
                let (number, _) = self.object_at(item)?;
                Part::<Object>::FIELDS.of(self.part(&self.objects, number as u32)?)
            }
        })
    }

    /// JSON keys of items of each kind, without format-specific ones.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        let mut kinds = vec![
            Part::<Self>::FIELDS.keys("map"),
            WholePicture::FIELDS.keys("picture"),
            PixelAt::FIELDS.keys("pixel"),
            Part::<Layer>::FIELDS.keys("layer"),
            CellWithPlace::FIELDS.keys("cell"),
            Part::<Tileset>::FIELDS.keys("tileset"),
            TileAt::FIELDS.keys("tile"),
            Part::<Zone>::FIELDS.keys("zone"),
            Part::<ClipInfo>::FIELDS.keys("clip"),
        ];
        kinds.extend(ObjectKind::ALL.map(|kind| {
            let mut keys = Part::<Object>::FIELDS.keys(kind.item(0).kind());
            let title = kind.said().title;
            for group in &mut keys.groups {
                (group.key, group.title) = (key_of(title), title);
            }
            keys
        }));
        for keys in &mut kinds {
            keys.is_open = true;
        }
        kinds
    }

    fn part<'a, T>(&'a self, list: &'a [T], number: u32) -> Option<Part<'a, T>> {
        let number = number as usize;
        Some(Part {
            map: self,
            number,
            record: list.get(number)?,
        })
    }

    /// File data of an item beyond its fields.
    pub fn facts_of(&self, item: Item) -> Vec<FactGroup> {
        let Item::TileMap(of_map) = item else {
            return Vec::new();
        };
        let mut facts = self.facts.of(self, of_map);
        if let Some(at) = self.cell_at(item) {
            facts.extend(at.layer.stored.facts(at.index, self.tile_not_read(&at)));
        }
        facts
    }

    /// File data of an item, for comparison with another one.
    pub(super) fn own_of(&self, item: Item) -> Vec<OwnLine> {
        let of_map = match item {
            Item::TileMap(of_map) => self.facts.own(self, of_map),
            _ => None,
        };
        of_map.unwrap_or_else(|| {
            let described = self.described(item, ViewState::default());
            described.map_or_else(Vec::new, |described| described.own())
        })
    }

    /// The position at which a cell is described, in map pixels, with the view that determines what
    /// is there: the pointer's, that of the cell in the flat view, or that of the map at rest.
    fn described_px<'a>(
        &self,
        at: &CellAt<'_>,
        view: ViewState<'a>,
    ) -> Option<([f32; 2], &'a Shown)> {
        let shown = view.shown?;
        if let Some(pointer) = view.pointer {
            return Some(([pointer.x, pointer.z], shown));
        }
        let end = at.place.map(|place| place.saturating_add(1));
        let cell = self.cells_px(at.layer, [at.place, end], shown);
        cell.filter(|_| shown.flat)
            .map(|cell| (cell.center(), shown))
    }
}

/// The record of an item with the file data beyond its fields.
struct ItemRecord<'a> {
    map: &'a TileMap,
    item: Item,
    fields: Box<dyn Describe + 'a>,
}

impl Describe for ItemRecord<'_> {
    fn groups(&self) -> Vec<PropertyGroup> {
        let mut groups = self.fields.groups();
        if let (Some((_, object)), Some(first)) =
            (self.map.object_at(self.item), groups.first_mut())
        {
            first.title = object.kind.said().title;
        }
        let facts = self.map.facts_of(self.item).into_iter();
        groups.extend(facts.map(FactGroup::group));
        groups
    }

    fn summary(&self) -> Vec<SummaryPart> {
        self.fields.summary()
    }

    fn note(&self) -> String {
        self.fields.note()
    }

    fn own(&self) -> Vec<OwnLine> {
        let facts = self.map.facts_of(self.item).into_iter();
        let own = self.fields.own().into_iter();
        own.chain(facts.flat_map(FactGroup::own)).collect()
    }

    fn details(&self) -> JsonMap<String, Json> {
        let mut details = self.fields.details();
        if let Some((_, object)) = self.map.object_at(self.item)
            && let Some(fields) = details.remove(OBJECT)
        {
            details.insert(key_of(object.kind.said().title), fields);
        }
        let facts = self.map.facts_of(self.item).into_iter();
        details.extend(facts.map(FactGroup::json));
        details
    }

    fn value(&self, path: &[String]) -> Option<Value> {
        self.fields.value(path).or_else(|| {
            let mut facts = self.map.facts_of(self.item).into_iter();
            facts.find_map(|group| group.value(path))
        })
    }
}

/// The whole map.
impl<'a> Part<'a, TileMap> {
    const FIELDS: Table<'a, Self> = table!(
        "Map",
        text("Format", "format", |map: &Self| map
            .about
            .format
            .name
            .into())
        .in_summary_as("Map")
        .derived(),
        text("Version", "version", |map| (&*map.about.version).into()),
        field("Size", "size_px", PAIR, |map: &Self| {
            Value::size(map.canvas_px(), "pixels")
        })
        .in_note()
        .derived(),
        integer("Layers", "layers", |map: &Self| map.layers.len().into())
            .in_summary()
            .derived(),
        field("Drawn", "steps", ValueType::List(&STEP), |map: &Self| {
            let steps = map.steps.iter().map(|step| {
                let (what, layer) = match *step {
                    Step::Layer { layer, .. } if TileMap::is_new_layer(*step) => {
                        ("tiles", Some(layer))
                    }
                    Step::Layer { layer, .. } => ("priority tiles", Some(layer)),
                    Step::Objects { layer } => ("objects", layer),
                };
                vec![Fact::new("What", what), Fact::new("Layer", layer)]
            });
            Value::list(steps)
        })
        .shown(|map| map.drawing_order().into())
        .derived(),
        field("Tileset", "tilesets", INTEGERS, |at: &Self| {
            let tilesets = at.map.tilesets_with_tiles();
            let tilesets = tilesets.map(|(number, _)| at.map.tileset_link(number));
            Value::list(tilesets).showing(MAX_LISTED)
        })
        .derived(),
        field("Not read", "left_out", LEFT_OUT, |at: &Self| {
            at.map.left_out_value(None)
        })
        .note(|at| {
            let notes = at.map.left_out_notes(None);
            (!notes.is_empty()).then(|| notes.join(", ")).into()
        })
        .derived(),
    );
}

/// A layer.
impl<'a> Part<'a, Layer> {
    const FIELDS: Table<'a, Self> = table!(
        "Layer",
        text("Name", "name", |at: &Self| {
            at.map.layer_name(at.number).into()
        })
        .in_summary_as("Layer")
        .compared(|at| {
            let is_named = !at.map.form.has_unnamed_layers;
            is_named.then(|| at.map.layer_name(at.number)).into()
        }),
        integer("Number", "number", |at: &Self| at.number.into()).derived(),
        field("Size", "size", PAIR, |at: &Self| {
            if at.has_tiles() {
                Value::size(at.size, "tiles")
            } else {
                Value::none("no tiles")
            }
        })
        .summary("Size", |at| Value::size(at.size, ""))
        // A size that the file stores once is not a difference of each layer.
        .compared(|at: &Self| at.own(|| Value::size(at.size, "tiles"))),
        field("", "size_px", PAIR, |at: &Self| {
            let px = |tile: [u32; 2]| {
                [0, 1].map(|axis| u64::from(at.size[axis]) * u64::from(tile[axis]))
            };
            at.tile_size()
                .map(|tile| Value::size(px(tile), "pixels"))
                .into()
        })
        .derived(),
        integer("Tileset", "tileset", |at: &Self| {
            let tileset = at.tile_size().map(|_| at.map.tileset_link(at.tileset));
            tileset.into()
        })
        .summary("Tileset", |at| at.map.tileset_name(at.tileset).into())
        .derived(),
        field("Position", "position_px", PAIR, |at: &Self| {
            at.position_px.into()
        }),
        field("Moves", "parallax", ValueType::Integers(4), |at: &Self| {
            let moves = match &*parallax_name(&at.parallax) {
                "" => "with the camera".to_owned(),
                "fixed" => "stays where it is on the screen".to_owned(),
                parallax => format!("{parallax} of the camera"),
            };
            let text = match parallax_as_written(&at.parallax) {
                Some(written) => format!("{moves} ({written})"),
                None => moves,
            };
            let ([x, y], [x_div, y_div]) = (at.parallax.mul, at.parallax.div);
            Value::from([x, x_div, y, y_div]).shown_as(text)
        }),
        field(
            "Repeats",
            "wrap",
            ValueType::List(&ValueType::Flag),
            Self::repeats
        )
        .compared(|at| at.own(|| at.repeats())),
        integer("Around it", "outside_tile", |at: &Self| {
            let outside = at.outside.map(|outside| {
                let tileset = at.map.tilesets.get(at.tileset);
                let tile = outside.image().and_then(|image| tileset?.tile_id(image));
                tile.map_or_else(
                    || Value::none("tile none"),
                    |tile| Value::from(tile).shown_as(format!("tile {tile}")),
                )
            });
            outside.into()
        })
        .derived(),
        field("Drawn", "turns", INTEGERS, |at: &Self| {
            at.map.drawing_turns(at.number)
        })
        .derived(),
        integer("Empty tiles", "empty", |at: &Self| {
            let empty = || at.map.counts().empty.get(at.number).copied().unwrap_or(0);
            let value = || {
                let text = format!("{} of {}", empty(), at.cells.len());
                Value::from(empty()).shown_as(text)
            };
            at.has_tiles().then(value).into()
        })
        .derived(),
        field("Not read", "left_out", LEFT_OUT, |at: &Self| {
            at.map.left_out_value(Some(at.number))
        })
        .derived(),
    );

    /// A value that the file stores for each layer.
    fn own(&self, value: impl FnOnce() -> Value) -> Value {
        let is_own = !self.map.form.has_single_size;
        is_own.then(value).into()
    }

    /// Directions in which it repeats: across and down.
    fn repeats(&self) -> Value {
        Value::list(self.wraps).shown_as(match self.wraps {
            [true, true] => "in all directions",
            [true, false] => "left and right",
            [false, true] => "up and down",
            [false, false] => "no",
        })
    }

    /// The size of its tiles, if it has any.
    fn tile_size(&self) -> Option<[u32; 2]> {
        let size = self.map.tile_size(self);
        size.filter(|_| self.has_tiles())
    }
}

/// A cell, with everything at its place.
#[derive(Debug)]
pub(super) struct CellWithPlace<'a> {
    map: &'a TileMap,
    at: CellAt<'a>,
    /// The place as a map pixel, under these view settings.
    px: [i64; 2],
    shown: &'a Shown,
    /// Everything at the place. It examines all layers, and most fields do not need it.
    here: OnceCell<Here<'a>>,
}

/// Parts of the status line have a fixed width per kind, so that the line does not jump while the
/// pointer moves.
impl<'a> CellWithPlace<'a> {
    pub(super) fn new(map: &'a TileMap, at: CellAt<'a>, px: [i64; 2], shown: &'a Shown) -> Self {
        let here = OnceCell::new();
        Self {
            map,
            at,
            px,
            shown,
            here,
        }
    }

    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Tile", Self::TILE), section("Here", Self::HERE)],
    };

    const TILE: &'a [Field<Self>] = &[
        integer("Layer", "layer", |cell: &Self| cell.at.layer_number.into())
            .shown(|cell| cell.map.layer_link(cell.at.layer_number))
            .summary("Layer", |cell| {
                let layers = 0..cell.map.layers.len();
                let widths = layers.map(|layer| cell.map.layer_name(layer).chars().count());
                let width = widths.max().unwrap_or(0).min(NAME_WIDTH);
                Value::from(cell.layer_name()).width(width)
            })
            .derived()
            .listed(),
        text("Layer name", "name", |cell: &Self| cell.layer_name().into())
            .hidden()
            .derived()
            .listed(),
        integer("X", "x", |cell: &Self| cell.at.place[0].into())
            .summary("X", |cell| cell.coordinate(0))
            .derived()
            .listed(),
        integer("Y", "y", |cell: &Self| cell.at.place[1].into())
            .summary("Y", |cell| cell.coordinate(1))
            .derived()
            .listed(),
        field(
            "At pixel",
            "position_px",
            ValueType::Numbers(2),
            |cell: &Self| {
                let cells = [cell.at.place; 2];
                let rect = cell.map.cells_px(cell.at.layer, cells, &AT_REST);
                rect.map(|rect| rect.min).into()
            },
        )
        .derived(),
        integer("Tile", "tile", |cell: &Self| {
            cell.map.tile_in_file(&cell.at).into()
        })
        .shown(|cell| match cell.map.tile_of(&cell.at) {
            Some(tile) => tile.value(),
            None => match cell.map.tile_not_read(&cell.at) {
                Some(why) => not_read(why).into(),
                None => "empty".into(),
            },
        })
        .summary("Tile", |cell| {
            Value::from(cell.map.tile_text(&cell.at)).width(TILE_WIDTH)
        })
        .listed(),
        text("Name", "tile_name", |cell: &Self| {
            cell.map.tile_of(&cell.at).map(|tile| tile.name()).into()
        })
        .derived(),
        integer("Palette", "palette", |cell: &Self| {
            cell.map.tile_of(&cell.at).map(|tile| tile.palette()).into()
        })
        .derived(),
        flag("", "is_missing", |cell: &Self| {
            let tile = cell.map.tile_of(&cell.at);
            tile.is_some_and(|tile| tile.is_missing()).into()
        })
        .shown(|cell| {
            let tile = cell.map.tile_of(&cell.at).filter(TileAt::is_missing);
            tile.map(|_| "the tileset does not have this tile").into()
        })
        .derived(),
        shown_only("Flags", Self::flags),
        flag("Mirrored left to right", "mirror_x", |cell: &Self| {
            cell.flag(Cell::MIRROR_X)
        })
        .derived()
        .hidden(),
        flag("Mirrored upside down", "mirror_y", |cell: &Self| {
            cell.flag(Cell::MIRROR_Y)
        })
        .derived()
        .hidden(),
        flag("Axes exchanged", "swap_axes", |cell: &Self| {
            cell.flag(Cell::SWAP_AXES)
        })
        .derived()
        .hidden(),
        flag("With priority", "has_priority", |cell: &Self| {
            cell.flag(Cell::PRIORITY)
        })
        .derived()
        .hidden(),
        // Of the upper left, upper right, lower left and lower right corner.
        field(
            "Tint",
            "tints",
            ValueType::List(&ValueType::Integers(4)),
            |cell: &Self| tints_of(&cell.at).map(Value::list).into(),
        )
        .shown(|cell| match cell.map.tint_not_read(&cell.at) {
            Some(why) => not_read(why).into(),
            None => tint_lines(&cell.at),
        }),
        field(
            "Not read",
            "not_read",
            ValueType::List(&ValueType::Text),
            |cell: &Self| {
                let keys = cell.keys_not_read();
                (!keys.is_empty()).then(|| Value::list(keys)).into()
            },
        )
        .hidden()
        .derived()
        .listed(),
    ];

    const HERE: &'a [Field<Self>] = &[
        summary_only("Zone", |cell| {
            let here = cell.here();
            let name = |zone: &ZoneAt| {
                cell.map
                    .with_layer(cell.map.zone_name(zone.zone), zone.layer)
            };
            let mut zones: Vec<String> = here.zones.iter().map(name).collect();
            zones.extend(here.zones_not_read().map(|_| "not read".to_owned()));
            match &*zones {
                [] if cell.map.zones.is_empty() => Value::absent(),
                [] => Value::from("none").width(NAME_WIDTH),
                zones => Value::from(zones.join(", ")).width(NAME_WIDTH),
            }
        }),
        flag("Obstructed", "obstructed", |cell: &Self| {
            let layer = cell.at.layer_number;
            cell.map.is_obstructed(layer, cell.px, cell.shown).into()
        })
        .shown(|cell| cell.map.obstruction_text(cell.here(), not_read).into())
        .summary("Obstructed", |cell| {
            let grids = cell
                .map
                .grids
                .iter()
                .filter(|grid| grid.kind.is_obstruction());
            let names = grids.map(|grid| cell.map.with_layer("yes".to_owned(), grid.layer));
            let widest = names.map(|name| name.chars().count()).max();
            let brief = |_| "not read".to_owned();
            Value::from(cell.map.obstruction_text(cell.here(), brief))
                .width(widest.unwrap_or(0).min(NAME_WIDTH))
        })
        .derived()
        .listed(),
        field(
            "Zone",
            "zones",
            ValueType::List(&ValueType::Text),
            |cell: &Self| Value::list(cell.here().zone_names(cell.map)),
        )
        .shown(|cell| {
            let here = cell.here();
            match (&*here.zones, here.zones_not_read()) {
                ([], Some(lost)) => not_read(lost.why).into(),
                ([], None) if cell.map.zones.is_empty() => Value::absent(),
                ([], None) => "none".into(),
                (zones, lost) => {
                    let zones = zones.iter().map(|zone| cell.map.zone_value(*zone));
                    let lost = lost.map(|lost| Value::from(not_read(lost.why)));
                    Value::list(zones.chain(lost)).showing(MAX_LISTED)
                }
            }
        })
        .derived(),
        integer("Logic value", "logic", |cell: &Self| {
            cell.map
                .logic_value(cell.at.layer_number, cell.px, cell.shown)
                .into()
        })
        .shown(|cell| {
            Value::list(cell.logic_values(|value| format!("{value} ({value:#x})"), not_read))
                .showing(MAX_LISTED)
        })
        .summary("Logic", |cell| {
            let values = cell.logic_values(|value| value.to_string(), |_| "not read".to_owned());
            let text = (!values.is_empty()).then(|| values.join(", "));
            Value::from(text).width(TILE_WIDTH)
        })
        .derived()
        .listed(),
        summary_only("Flags", Self::flags),
        // From the lowest layer to the highest; each line links to the layer's cell.
        shown_only("On layer", |cell: &Self| {
            let cells = cell.cells().map(|at| {
                let swatch = cell.map.tile_of(at).map(|tile| tile.swatch());
                let is_other = at.layer_number != cell.at.layer_number;
                Value::from(cell.on_layer(at, ": "))
                    .link_if(is_other.then(|| at.item()))
                    .swatch(swatch)
            });
            Value::list(cells).showing(MAX_LISTED)
        })
        .summary("Here", |cell| {
            let layers: Vec<String> = cell.cells().map(|at| cell.on_layer(at, " ")).collect();
            (!layers.is_empty()).then(|| layers.join("  ")).into()
        }),
    ];

    /// Everything at its place.
    fn here(&self) -> &Here<'a> {
        let here = || self.map.here(self.px, self.shown);
        self.here.get_or_init(here)
    }

    fn layer_name(&self) -> String {
        self.map.layer_name(self.at.layer_number)
    }

    /// Its column or row.
    fn coordinate(&self, axis: usize) -> Value {
        let layers = self.map.layers.iter();
        let widths = layers.map(|layer| layer.size[axis].saturating_sub(1).to_string().len());
        Value::from(self.at.place[axis]).width(widths.max().unwrap_or(0))
    }

    fn flag(&self, bit: u32) -> Value {
        let tile = self.at.cell.image();
        tile.map(|_| self.at.cell.0 & bit != 0).into()
    }

    fn flags(&self) -> Value {
        let flags = self.at.cell.flags_text();
        let is_said = !flags.is_empty() && self.at.cell.image().is_some();
        is_said.then_some(flags).into()
    }

    /// The logic values of all layers at the place, and the reasons why others were not read.
    fn logic_values(
        &self,
        text: fn(u64) -> String,
        not_read: fn(UnreadReason) -> String,
    ) -> Vec<String> {
        let values = self.here().logic_values();
        let values = values.map(|number| (text(number.value), number.layer));
        let lost = self.here().logic_not_read();
        let lost = lost.map(|grid| (not_read(grid.why), grid.layer));
        let all = values.chain(lost);
        all.map(|(text, layer)| self.map.with_layer(text, layer))
            .collect()
    }

    /// The cells of all layers at the place, the lowest first; empty if there is only one.
    fn cells(&self) -> impl Iterator<Item = &CellAt<'a>> {
        let cells = &self.here().cells;
        cells.iter().filter(|_| cells.len() > 1)
    }

    fn on_layer(&self, at: &CellAt<'_>, between: &str) -> String {
        let name = self.map.layer_name(at.layer_number);
        format!("{name}{between}{}", self.map.layer_text(self.here(), at))
    }

    /// JSON keys without a value because their data was not read.
    fn keys_not_read(&self) -> Vec<&'static str> {
        let layer = self.at.layer_number;
        let lost = self.map.grids_not_read(self.px, self.shown);
        let mut obstruction = lost.iter().filter(|grid| grid.kind.is_obstruction());
        let mut logic = lost.iter().filter(|grid| grid.kind == GridKind::Logic);
        let keys = [
            ("tile", self.map.tile_not_read(&self.at).is_some()),
            (
                "obstructed",
                obstruction.any(|grid| grid.layer.is_none_or(|of| of == layer))
                    && self.map.is_obstructed(layer, self.px, self.shown).is_none(),
            ),
            ("logic", logic.any(|grid| grid.layer == Some(layer))),
        ];
        let lost = keys.into_iter().filter(|(_, is_lost)| *is_lost);
        lost.map(|(key, _)| key).collect()
    }

    /// The cell in the form of `info --tile`.
    pub(super) fn json(&self) -> JsonMap<String, Json> {
        let mut json = Self::FIELDS.json(self);
        // These keys are only present for layers with logic values, and for unread data.
        json.retain(|key, value| !matches!(&**key, "logic" | "not_read") || !value.is_null());
        json
    }
}

/// A tileset.
impl<'a> Part<'a, Tileset> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Tileset", Self::TILESET),
            section("Animation", Self::ANIMATION),
        ],
    };

    const TILESET: &'a [Field<Self>] = &[
        text("Name", "name", |at: &Self| {
            at.map.tileset_name(at.number).into()
        })
        .in_summary_as("Tileset")
        .derived(),
        integer("Tiles", "tiles", |at: &Self| {
            let count = Value::from(at.tile_count());
            if at.is_placeholder {
                let text = format!("{}, a guess by those that are used", at.tile_count());
                count.shown_as(text)
            } else {
                count
            }
        })
        .summary("Tiles", |at| {
            (!at.is_placeholder).then(|| at.tile_count()).into()
        })
        .note(|at| {
            let count = || counted(at.tile_count(), "tile");
            (!at.is_placeholder).then(count).into()
        })
        .derived(),
        field("Tile size", "tile_size", PAIR, |at: &Self| {
            Value::size(at.tile_size, "pixels")
        })
        .summary("Size", |at| Value::size(at.tile_size, "")),
        integer("Used", "used", |at: &Self| {
            let uses = at.map.counts().uses.get(at.number).into_iter().flatten();
            let uses = uses.take(at.tile_count());
            Value::count(uses.filter(|uses| **uses > 0).count(), "tile")
        })
        .derived(),
        flag("Images", "found", |at: &Self| (!at.is_placeholder).into())
            .shown(|at| {
                let text = "not found; tiles are shown by their numbers";
                at.is_placeholder.then_some(text).into()
            })
            .note(|at| at.is_placeholder.then_some("not found").into())
            .derived(),
        integer("Other tiles", "missing_uses", |at: &Self| {
            let missing = at
                .missing
                .and_then(|missing| at.map.tile(at.number, missing));
            let missing = missing.filter(|missing| missing.uses() > 0);
            let value = missing.map(|missing| {
                let text = format!("used {}", missing.times_used());
                missing.linked(Value::from(missing.uses()).shown_as(text))
            });
            value.into()
        })
        .derived(),
        field("Layer", "layers", INTEGERS, |at: &Self| {
            let layers = at.map.layers.iter().enumerate();
            let layers = layers.filter(|(_, layer)| layer.tileset == at.number);
            Value::list(layers.map(|(layer, _)| at.map.layer_link(layer))).showing(MAX_LISTED)
        })
        .derived(),
    ];

    const ANIMATION: &'a [Field<Self>] = &[field(
        "Strand",
        "strands",
        ValueType::List(&STRAND),
        |at: &Self| at.map.strands(at.number..at.number + 1),
    )
    .derived()];
}

/// A tile of a tileset.
impl<'a> TileAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Tile", Self::TILE),
            section("Animation", Self::ANIMATION),
            section("In other palettes", Self::OTHER_PALETTES),
        ],
    };

    const TILE: &'a [Field<Self>] = &[
        integer("Number", "number", |at: &Self| {
            at.number_value().swatch(Some(at.swatch()))
        })
        .summary("Tile", |at| at.number().into())
        .derived(),
        text("Name", "name", Self::name).in_summary(),
        integer("Palette", "palette", Self::palette).in_summary(),
        flag("", "is_missing", |at: &Self| at.is_missing().into())
            .shown(|at| {
                let text = "stands for the tiles that the tileset does not have";
                at.is_missing().then_some(text).into()
            })
            .derived(),
        integer("Tileset", "tileset", |at: &Self| {
            at.map.tileset_link(at.tileset_number)
        })
        .derived(),
        integer("Used", "uses", |at: &Self| {
            Value::from(at.uses()).shown_as(at.times_used())
        })
        .in_summary()
        .derived(),
    ];

    const ANIMATION: &'a [Field<Self>] = &[
        text("Plays", "mode", |at: &Self| {
            at.strand().map(|strand| strand.mode.said()).into()
        })
        .derived(),
        decimal("Each for", "delay_s", |at: &Self| {
            let strand = at.strand();
            strand
                .map(|strand| Value::amount(strand.delay_secs(), "s"))
                .into()
        })
        .derived(),
        field("Tile", "tiles", INTEGERS, |at: &Self| {
            let tiles = at.strand().map(|strand| strand.first..=strand.last);
            let tiles = tiles.into_iter().flatten();
            let tiles = tiles.filter_map(|image| at.map.tile(at.tileset_number, image as usize));
            Value::list(tiles.map(|tile| tile.value())).showing(MAX_LISTED)
        })
        .derived(),
    ];

    const OTHER_PALETTES: &'a [Field<Self>] =
        &[field("Palette", "palettes", INTEGERS, |at: &Self| {
            let id = at.tile().map(|tile| tile.id);
            let tiles = at.tileset.tiles.iter().enumerate();
            let others = tiles
                .filter(|(other, like)| Some(like.id) == id && *other != at.image)
                .filter(|(_, like)| like.palette.is_some())
                .filter_map(|(other, _)| at.map.tile(at.tileset_number, other));
            Value::list(others.map(|other| other.linked(other.palette()))).showing(MAX_LISTED)
        })
        .derived()];

    /// Its name in the file.
    fn name(&self) -> Value {
        let name = self.tile().map(|tile| &*tile.name);
        name.filter(|name| !name.is_empty()).into()
    }

    /// The palette that it is shown in.
    fn palette(&self) -> Value {
        self.tile().and_then(|tile| tile.palette).into()
    }

    /// Its number in the file.
    fn number_value(&self) -> Value {
        let id = self.tileset.tile_id(self.image).map(Value::from);
        id.unwrap_or_else(|| Value::none("none"))
    }

    /// Its number, as a link to it.
    fn value(&self) -> Value {
        self.linked(self.number_value())
    }

    /// A value that links to it.
    fn linked(&self, value: Value) -> Value {
        value.link(self.item()).swatch(Some(self.swatch()))
    }
}

/// A zone.
impl<'a> Part<'a, Zone> {
    const FIELDS: Table<'a, Self> = table!(
        "Zone",
        text("Name", "name", |at: &Self| {
            let swatch = Swatch::Color(zone_color(at.number));
            Value::from(at.map.zone_name(at.number)).swatch(Some(swatch))
        })
        .compared(|at: &Self| Some(&*at.name).filter(|name| !name.is_empty()).into())
        .in_summary_as("Zone"),
        integer("Number", "number", |at: &Self| at.number.into()).derived(),
        integer("Tiles", "tiles", |at: &Self| {
            at.has_grid().then(|| at.cells()).into()
        })
        .summary("Tiles", |at| {
            Some(at.cells()).filter(|cells| *cells > 0).into()
        })
        .note(|at| match (at.has_grid(), at.areas().is_empty()) {
            (true, _) if at.cells() == 0 => "nowhere".into(),
            (true, _) => counted(at.cells(), "tile").into(),
            (false, true) => match at.map.zone_areas_not_read().next() {
                Some(areas) => not_read(areas.why).into(),
                None => "nowhere".into(),
            },
            (false, false) => Value::absent(),
        })
        .derived(),
        field("Area", "areas", ValueType::List(&AREA), |at: &Self| {
            let areas = at.areas().iter();
            let areas = areas.filter_map(|index| Some((*index, at.map.objects.get(*index)?)));
            let areas = areas.map(|(index, area)| {
                Value::object([
                    Fact::new("Layer", area.layer),
                    Fact::new("Rect", rect(&area.rect_px)),
                ])
                .shown_as(area.rect_px.said())
                .link_if(at.map.object_item(index))
            });
            Value::list(areas).showing(MAX_LISTED)
        })
        .summary("Areas", Self::area_count)
        .note(Self::area_count)
        .derived(),
        field("", "objects", INTEGERS, |at: &Self| {
            let objects = at.map.objects.iter().enumerate();
            let others = objects.filter(|(_, object)| {
                object.zone == Some(at.number) && object.kind != ObjectKind::ZoneArea
            });
            let others = others.map(|(index, object)| {
                Value::reference(index, at.map.object_name(index))
                    .link_if(at.map.object_item(index))
                    .named(object.kind.said().title)
            });
            Value::list(others).showing(MAX_LISTED)
        })
        .derived(),
    );

    fn has_grid(&self) -> bool {
        self.map.has_zone_grid()
    }

    /// Number of its cells.
    fn cells(&self) -> usize {
        let counts = self.map.zone_counts().get(self.number);
        counts.map_or(0, |counts| counts.cells as usize)
    }

    /// Its areas, by their indices among the objects.
    fn areas(&self) -> &'a [usize] {
        let counts = self.map.zone_counts().get(self.number);
        counts.map_or(&[], |counts| &counts.areas)
    }

    fn area_count(&self) -> Value {
        let count = self.areas().len();
        (count > 0).then_some(count).into()
    }
}

/// The clip of the animated tiles.
impl<'a> Part<'a, ClipInfo> {
    const FIELDS: Table<'a, Self> = table!(
        "Clip",
        text("Name", "name", |at: &Self| (&*at.name).into()).in_summary_as("Clip"),
        decimal("Lasts", "duration_s", |at: &Self| {
            let secs = at
                .map
                .loop_secs()
                .map_or_else(|| TileMap::clip_secs(at), |secs| secs as f32);
            Value::amount(secs, "s")
        })
        .in_summary(),
        field("Strand", "strands", ValueType::List(&STRAND), |at| {
            at.map.strands(0..at.map.tilesets.len())
        }),
    );
}

/// An object on the map.
impl<'a> Part<'a, Object> {
    /// The heading is replaced by that of its kind.
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("", Self::OBJECT).keyed(OBJECT)],
    };

    const OBJECT: &'a [Field<Self>] = &[
        text("Name", "name", |at: &Self| {
            let name = Value::from(at.map.object_name(at.number));
            name.swatch(at.map.object_swatch(at))
        })
        .summary("Name", |at| {
            let name = Value::from(at.map.object_name(at.number));
            name.named(at.kind.said().title)
        })
        .compared(|at| {
            // An area has the name of its zone.
            let is_area = at.kind == ObjectKind::ZoneArea && at.record.zone.is_some();
            let name = Some(&*at.name).filter(|name| !is_area && !name.is_empty());
            name.into()
        })
        .note(|at| match (at.zone, at.layer) {
            (Some(zone), _) => at.map.zone_name(zone).into(),
            (None, Some(layer)) if at.map.layers.len() > 1 => at.map.layer_name(layer).into(),
            _ => Value::absent(),
        }),
        summary_only("X", |at| at.rect_px.min[0].into()),
        summary_only("Y", |at| at.rect_px.min[1].into()),
        integer("Layer", "layer", |at: &Self| {
            let link = |layer| at.map.layer_link(layer).naming("layer", layer, "");
            at.layer.map(link).into()
        }),
        field("Place", "rect", RECT, |at: &Self| rect(&at.rect_px))
            .compared(|at| rect(&at.rect_in_layer())),
        field("Walks about in", "wander_rect", RECT, |at: &Self| {
            at.wander_px.as_ref().map(rect).into()
        })
        .derived(),
        integer("Zone", "zone", |at: &Self| at.zone(true)).in_summary(),
        integer("Wanders in", "wander_zone", |at: &Self| at.zone(false))
            .in_summary()
            .derived(),
        summary_only("Layer", |at| {
            at.layer.map(|layer| at.map.layer_name(layer)).into()
        }),
    ];

    /// Its rectangle as stored in the file: relative to its layer.
    fn rect_in_layer(&self) -> RectPx {
        let layer = self.layer.and_then(|layer| self.map.layers.get(layer));
        let [x, y] = layer.map_or([0; 2], |layer| layer.position_px);
        let moved = |[left, top]: [f32; 2]| [left - x as f32, top - y as f32];
        RectPx {
            min: moved(self.rect_px.min),
            max: moved(self.rect_px.max),
        }
    }

    /// The zone that it is an area of, or the zone that it wanders in.
    fn zone(&self, as_area: bool) -> Value {
        let is_area = self.kind == ObjectKind::ZoneArea;
        let zone = self.record.zone.filter(|_| is_area == as_area);
        let zone = zone.map(|zone| {
            let value = self.map.zone_value(ZoneAt { zone, layer: None });
            value.naming("zone", zone, "")
        });
        zone.into()
    }
}

impl TileMap {
    fn layer_link(&self, layer: usize) -> Value {
        Value::reference(layer, self.layer_name(layer)).link(Self::layer_item(layer))
    }

    fn tileset_link(&self, tileset: usize) -> Value {
        Value::reference(tileset, self.tileset_name(tileset)).link(Self::tileset_item(tileset))
    }

    fn zone_value(&self, ZoneAt { zone, layer }: ZoneAt) -> Value {
        let is_there = zone < self.zones.len();
        Value::reference(zone, self.with_layer(self.zone_name(zone), layer))
            .link_if(is_there.then(|| Self::zone_item(zone)))
            .swatch(Some(Swatch::Color(zone_color(zone))))
    }

    /// The animation strands of some tilesets.
    fn strands(&self, tilesets: Range<usize>) -> Value {
        let strands = tilesets.flat_map(|number| {
            let tileset = self.tilesets.get(number);
            let strands = tileset.into_iter().flat_map(|tileset| &tileset.strands);
            let strands = strands.filter(|strand| strand.is_active());
            strands
                .filter_map(move |strand| Some((strand, self.tile(number, strand.first as usize)?)))
        });
        let strands = strands.map(|(strand, tile)| {
            let [first, last] =
                [strand.first, strand.last].map(|image| tile.tileset.tile_id(image as usize));
            let facts = [
                Fact::new("First", first),
                Fact::new("Last", last),
                Fact::new("Mode", strand.mode.said()),
                Fact::new("Delay", strand.delay_secs()).keyed("delay_s"),
            ];
            let text = format!(
                "{} to {}, {}, each for {} s",
                tile.number(),
                tile.tileset.tile_number(strand.last as usize),
                strand.mode.said(),
                short(strand.delay_secs())
            );
            tile.linked(Value::object(facts).shown_as(text))
        });
        Value::list(strands).showing(MAX_LISTED)
    }
}

/// Left, top, width and height in pixels.
fn rect(rect: &RectPx) -> Value {
    let ([x, y], [w, h]) = (rect.min, rect.size());
    Value::from([x, y, w, h]).shown_as(rect.said())
}

/// The tints of the corners of a cell.
fn tints_of(at: &CellAt<'_>) -> Option<[[u8; 4]; 4]> {
    at.layer.tints.as_ref()?.get(at.index).copied()
}

/// A line for the tint of each corner; a single one if all are equal.
fn tint_lines(at: &CellAt<'_>) -> Value {
    const NAMES: [&str; 4] = [
        "Tint, upper left",
        "Tint, upper right",
        "Tint, lower left",
        "Tint, lower right",
    ];
    let Some(corners) = tints_of(at) else {
        return Value::absent();
    };
    let is_even = corners.iter().all(|corner| *corner == corners[0]);
    let names: &[&str] = if is_even { &["Tint"] } else { &NAMES };
    let lines = names.iter().zip(corners).map(|(name, corner)| {
        let [r, g, b, a] = corner;
        let value = match corner {
            [128, 128, 128, 255] => Value::from("none"),
            _ => Value::from(format!("{r} {g} {b}, opacity {a}"))
                .swatch(Some(Swatch::Color([r, g, b]))),
        };
        value.named(name)
    });
    Value::list(lines)
}

#[cfg(test)]
mod tests;
