//! Field tables of the parts of a map, shared by the inspector, the status line, the outline and
//! JSON.

use std::cell::LazyCell;
use std::ops::Deref;
use std::rc::Rc;

use glam::Vec3;
use serde_json::{Map as JsonMap, Value as Json, json};

use super::grids::zone_color;
use super::here::{Here, ZoneAt};
use super::items::{CellAt, TileAt};
use super::layers::{parallax_as_written, parallax_name};
use super::left_out::not_read;
use super::place::RectPx;
use super::{Layer, Object, ObjectKind, TileMap, Tileset, Zone};
use crate::describe::fields::{
    Describe, Field, ItemKeys, Table, Value, add_group, field, json_only, section, summary_only,
};
use crate::describe::numbers::{number, short};
use crate::describe::own::{OwnLine, key_of, lines_of_groups};
use crate::{ClipInfo, Item, Property, PropertyGroup, Shown, Swatch, TileMapItem};
use mapscope_formats::counted;

/// Placeholder key of an object's fields until it is replaced by the key of the kind.
const OBJECT: &str = "object";
/// Maximum number of listed parts of one kind.
const MAX_LISTED: usize = 64;
/// Maximum reserved width of a name in the status line, in characters; longer names shift the rest.
const NAME_WIDTH: usize = 16;
/// Reserved width of tile numbers, in characters.
const TILE_WIDTH: usize = 5;

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
    /// The fields of an item, and everything at its place: the pointer's place, or the place of the
    /// item while the map is at rest. `None` if the item does not exist.
    pub(super) fn described(
        &self,
        item: Item,
        pointer: Option<(Vec3, &Shown)>,
    ) -> Option<Box<dyn Describe + '_>> {
        let Item::TileMap(of_map) = item else {
            return None;
        };
        Some(match of_map {
            TileMapItem::Map => Part::<Self>::FIELDS.of(self.part(std::slice::from_ref(self), 0)?),
            TileMapItem::Layer { index } => {
                Part::<Layer>::FIELDS.of(self.part(&self.layers, index)?)
            }
            TileMapItem::Cell { .. } => {
                let at = self.cell_at(item)?;
                let here: LazyPlaceData<'_> = match pointer {
                    Some((point, shown)) => {
                        let px = [point.x, point.z].map(|at| at.floor() as i64);
                        let here = self.here(px, shown);
                        lazy(move || here)
                    }
                    None => lazy(move || self.here_at_cell(&at)),
                };
                CellWithPlace::FIELDS.of(CellWithPlace {
                    map: self,
                    at,
                    here,
                })
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
    fn facts_of(&self, item: Item) -> Vec<PropertyGroup> {
        let Item::TileMap(of_map) = item else {
            return Vec::new();
        };
        match of_map {
            TileMapItem::Map => self.facts.map(),
            TileMapItem::Layer { index } => self.facts.layer(index as usize),
            TileMapItem::Cell { .. } => {
                let at = self.cell_at(item);
                at.map_or_else(Vec::new, |at| self.facts.cell(at.layer_number, at.index))
            }
            TileMapItem::Zone { index } => {
                let zone = self.zones.get(index as usize);
                zone.map_or_else(Vec::new, |zone| zone.properties.clone())
            }
            _ => {
                let object = self.object_at(item);
                object.map_or_else(Vec::new, |(_, object)| object.properties.clone())
            }
        }
    }

    /// File data of an item, for comparison with another one.
    pub(super) fn own_of(&self, item: Item) -> Vec<OwnLine> {
        let Some(described) = self.described(item, None) else {
            return Vec::new();
        };
        let of_map = match item {
            Item::TileMap(of_map) => self.facts.own(self, of_map),
            _ => None,
        };
        if let Some(own) = of_map {
            return own;
        }
        let mut own = described.own();
        own.extend(lines_of_groups(&self.facts_of(item)));
        own
    }

    /// The inspector groups of an item at its visible place: its fields, then its file data.
    pub(super) fn groups_of(&self, item: Item, shown: &Shown) -> Vec<PropertyGroup> {
        let middle = self.cell_at(item).filter(|_| shown.flat).and_then(|at| {
            let end = at.place.map(|place| place.saturating_add(1));
            let rect = self.cells_px(at.layer, [at.place, end], shown)?;
            let [x, z] = rect.center();
            Some((Vec3::new(x, 0.0, z), shown))
        });
        let Some(described) = self.described(item, middle) else {
            return Vec::new();
        };
        let mut groups = described.groups();
        groups.extend(self.facts_of(item));
        if let (Some((_, object)), Some(first)) = (self.object_at(item), groups.first_mut()) {
            first.title = object.kind.said().title;
        }
        groups
    }
}

impl TileMap {
    /// The same for machine-readable output.
    pub(super) fn details_of(&self, item: Item) -> JsonMap<String, Json> {
        let Some(described) = self.described(item, None) else {
            return JsonMap::new();
        };
        let mut details = described.details();
        if let Some((_, object)) = self.object_at(item)
            && let Some(fields) = details.remove(OBJECT)
        {
            details.insert(key_of(object.kind.said().title), fields);
        }
        for group in self.facts_of(item) {
            add_group(&mut details, &group);
        }
        details
    }
}

/// The whole map.
impl<'a> Part<'a, TileMap> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Map", Self::MAP)],
    };

    const MAP: &'a [Field<Self>] = &[
        field("Format", |map: &Self| map.about.format.name.into())
            .in_summary_as("Map")
            .derived(),
        field("Version", |map| (&*map.about.version).into()),
        field("Size", |map: &Self| by(map.canvas_px(), " pixels"))
            .in_note()
            .derived(),
        field("Layers", |map: &Self| map.layers.len().into())
            .in_summary()
            .derived(),
        field("Drawn", |map: &Self| map.drawing_order().into()).derived(),
        field("Tileset", |at: &Self| {
            let tilesets = at.map.tilesets_with_tiles();
            listed("Tileset", tilesets, |(number, _)| {
                at.map.tileset_link(number)
            })
        })
        .derived(),
        field("", |at: &Self| at.map.left_out_lines(None).into())
            .note(|at| {
                let notes = at.map.left_out_notes(None);
                (!notes.is_empty()).then(|| notes.join(", ")).into()
            })
            .derived(),
    ];
}

/// A layer.
impl<'a> Part<'a, Layer> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Layer", Self::LAYER)],
    };

    const LAYER: &'a [Field<Self>] = &[
        field("Name", |at: &Self| at.map.layer_name(at.number).into())
            .in_summary_as("Layer")
            .own(|at| {
                let is_named = at.map.facts.stores_layer_names();
                is_named.then(|| at.map.layer_name(at.number)).into()
            }),
        field("Number", |at: &Self| at.number.into()).derived(),
        field("Size", |at: &Self| {
            if at.has_tiles() {
                by(at.size, " tiles")
            } else {
                "no tiles".into()
            }
        })
        .summary("Size", |at| by(at.size, ""))
        .own(|at: &Self| {
            // A size that the file stores once is not a difference of each layer.
            let is_own = !at.map.facts.has_single_size();
            is_own.then(|| by(at.size, " tiles")).into()
        }),
        field("", |at: &Self| {
            let px = |tile: [u32; 2]| {
                [0, 1].map(|axis| u64::from(at.size[axis]) * u64::from(tile[axis]))
            };
            at.tile_size().map(|tile| by(px(tile), " pixels")).into()
        })
        .derived(),
        field("Tileset", |at: &Self| {
            let tileset = at.tile_size().map(|_| at.map.tileset_link(at.tileset));
            tileset.into()
        })
        .summary("Tileset", |at| at.map.tileset_name(at.tileset).into())
        .derived(),
        field("Position", |at| {
            let [x, y] = at.position_px;
            format!("{x}, {y}").into()
        }),
        field("Moves", |at| {
            let moves = match &*parallax_name(&at.parallax) {
                "" => "with the camera".to_owned(),
                "fixed" => "stays where it is on the screen".to_owned(),
                parallax => format!("{parallax} of the camera"),
            };
            let written = parallax_as_written(&at.parallax);
            written
                .map_or(moves.clone(), |written| format!("{moves} ({written})"))
                .into()
        }),
        field("Repeats", |at: &Self| at.repeats().into()).own(|at| {
            let is_own = !at.map.facts.has_single_size();
            is_own.then(|| at.repeats()).into()
        }),
        field("Around it", |at: &Self| {
            let tile = |image| Some(at.map.tile(at.tileset, image)?.number());
            let outside = at.outside.map(|outside| outside.image().and_then(tile));
            let said = outside.map(|tile| format!("tile {}", tile.as_deref().unwrap_or("none")));
            said.into()
        })
        .derived(),
        field("Drawn", |at: &Self| at.map.drawing_turns(at.number).into()).derived(),
        field("Empty tiles", |at: &Self| {
            let empty = || at.map.counts().empty.get(at.number).copied().unwrap_or(0);
            let said = || format!("{} of {}", empty(), at.cells.len());
            at.has_tiles().then(said).into()
        })
        .derived(),
        field("", |at: &Self| {
            at.map.left_out_lines(Some(at.number)).into()
        })
        .derived(),
    ];

    /// Directions in which it repeats.
    fn repeats(&self) -> &'static str {
        match self.wraps {
            [true, true] => "in all directions",
            [true, false] => "left and right",
            [false, true] => "up and down",
            [false, false] => "no",
        }
    }

    /// The size of its tiles, if it has any.
    fn tile_size(&self) -> Option<[u32; 2]> {
        let size = self.map.tile_size(self);
        size.filter(|_| self.has_tiles())
    }
}

/// A cell, with everything at its place.
#[derive(Clone)]
pub(super) struct CellWithPlace<'a> {
    pub(super) map: &'a TileMap,
    pub(super) at: CellAt<'a>,
    pub(super) here: LazyPlaceData<'a>,
}

/// Everything at a place, computed on demand. It examines all layers, and listing all cells does
/// not need it.
pub(super) type LazyPlaceData<'a> = Rc<LazyCell<Here<'a>, Box<dyn FnOnce() -> Here<'a> + 'a>>>;

pub(super) fn lazy<'a>(here: impl FnOnce() -> Here<'a> + 'a) -> LazyPlaceData<'a> {
    Rc::new(LazyCell::new(Box::new(here)))
}

/// Parts of the status line have a fixed width per kind, so that the line does not jump while the
/// pointer moves.
impl<'a> CellWithPlace<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Tile", Self::TILE), section("Here", Self::HERE)],
    };

    const TILE: &'a [Field<Self>] = &[
        field("Layer", |cell: &Self| {
            cell.map.layer_link(cell.at.layer_number)
        })
        .summary("Layer", |cell| {
            let layers = 0..cell.map.layers.len();
            let widths = layers.map(|layer| cell.map.layer_name(layer).chars().count());
            let width = widths.max().unwrap_or(0).min(NAME_WIDTH);
            Value::from(cell.layer_name()).width(width)
        })
        .derived()
        .json_as("layer", |cell| json!(cell.at.layer_number)),
        json_only("name", |cell| json!(cell.layer_name())),
        field("X", |cell: &Self| cell.coordinate(0))
            .in_summary()
            .derived()
            .json("x"),
        field("Y", |cell: &Self| cell.coordinate(1))
            .in_summary()
            .derived()
            .json("y"),
        field("At pixel", |cell: &Self| {
            let cells = [cell.at.place; 2];
            let rect = cell.map.cells_px(cell.at.layer, cells, &Shown::default());
            rect.map(|rect| rect.min.map(short).join(", ")).into()
        })
        .derived(),
        field("Tile", |cell: &Self| match cell.map.tile_of(&cell.at) {
            Some(tile) => tile.value(),
            None => match cell.map.tile_not_read(&cell.at) {
                Some(why) => not_read(why).into(),
                None => "empty".into(),
            },
        })
        .summary("Tile", |cell| {
            Value::from(cell.map.tile_text(&cell.at)).width(TILE_WIDTH)
        })
        .own(|cell| match cell.map.tile_in_file(&cell.at) {
            Some(tile) => tile.into(),
            None => cell.map.tile_text(&cell.at).into(),
        })
        .json_as("tile", |cell| json!(cell.map.tile_in_file(&cell.at))),
        field("Name", |cell: &Self| {
            cell.map.tile_of(&cell.at).map(|tile| tile.name()).into()
        })
        .derived(),
        field("Palette", |cell: &Self| {
            cell.map.tile_of(&cell.at).map(|tile| tile.palette()).into()
        })
        .derived(),
        field("", |cell: &Self| {
            let tile = cell.map.tile_of(&cell.at).filter(TileAt::is_missing);
            tile.map(|_| "the tileset does not have this tile").into()
        })
        .derived(),
        field("Flags", Self::flags),
        field("Tint", |cell| match cell.map.tint_not_read(&cell.at) {
            Some(why) => not_read(why).into(),
            None => tints_of(&cell.at).into(),
        }),
        json_only("not_read", |cell| {
            let keys = cell.keys_not_read();
            (!keys.is_empty()).then_some(keys).into()
        }),
    ];

    const HERE: &'a [Field<Self>] = &[
        summary_only("Zone", |cell| {
            let name = |zone: &ZoneAt| {
                cell.map
                    .with_layer(cell.map.zone_name(zone.zone), zone.layer)
            };
            let mut zones: Vec<String> = cell.here.zones.iter().map(name).collect();
            zones.extend(cell.here.zones_not_read().map(|_| "not read".to_owned()));
            match &*zones {
                [] if cell.map.zones.is_empty() => Value::absent(),
                [] => Value::from("none").width(NAME_WIDTH),
                zones => Value::from(zones.join(", ")).width(NAME_WIDTH),
            }
        }),
        field("Obstructed", |cell: &Self| {
            cell.map.obstruction_text(&cell.here, not_read).into()
        })
        .summary("Obstructed", |cell| {
            let grids = cell
                .map
                .grids
                .iter()
                .filter(|grid| grid.kind.is_obstruction());
            let names = grids.map(|grid| cell.map.with_layer("yes".to_owned(), grid.layer));
            let widest = names.map(|name| name.chars().count()).max();
            let brief = |_| "not read".to_owned();
            Value::from(cell.map.obstruction_text(&cell.here, brief))
                .width(widest.unwrap_or(0).min(NAME_WIDTH))
        })
        .derived()
        .json_as("obstructed", |cell| {
            json!(cell.here.is_obstructed(cell.at.layer_number))
        }),
        field("Zone", |cell: &Self| {
            match (&*cell.here.zones, cell.here.zones_not_read()) {
                ([], Some(lost)) => not_read(lost.why).into(),
                ([], None) if cell.map.zones.is_empty() => Value::absent(),
                ([], None) => "none".into(),
                (zones, lost) => {
                    let zones = zones.iter().map(|zone| cell.map.zone_value(*zone));
                    let lost = lost.map(|lost| Value::from(not_read(lost.why)));
                    listed("Zone", zones.chain(lost), |zone| zone)
                }
            }
        })
        .derived(),
        field("Logic value", |cell: &Self| {
            let values = cell.here.logic_values().map(|number| {
                let value = number.value;
                (format!("{value} ({value:#x})"), number.layer)
            });
            let lost = cell
                .here
                .logic_not_read()
                .map(|grid| (not_read(grid.why), grid.layer));
            listed("Logic value", values.chain(lost), |(said, layer)| {
                cell.map.with_layer(said, layer).into()
            })
        })
        .summary("Logic", |cell| {
            let values = cell
                .here
                .logic_values()
                .map(|number| (number.value.to_string(), number.layer));
            let lost = cell
                .here
                .logic_not_read()
                .map(|grid| ("not read".to_owned(), grid.layer));
            let values: Vec<String> = values
                .chain(lost)
                .map(|(said, layer)| cell.map.with_layer(said, layer))
                .collect();
            let said = (!values.is_empty()).then(|| values.join(", "));
            Value::from(said).width(TILE_WIDTH)
        })
        .derived()
        .json_as("logic", |cell| {
            let mut values = cell.here.logic_values();
            let of_layer = values.find(|number| number.layer == Some(cell.at.layer_number));
            json!(of_layer.map(|number| number.value))
        }),
        summary_only("Flags", Self::flags),
        // From the lowest layer to the highest; each line links to the layer's cell.
        field("On layer", |cell: &Self| {
            listed("On layer", cell.cells(), |at| {
                let swatch = cell.map.tile_of(at).map(|tile| tile.swatch());
                let is_other = at.layer_number != cell.at.layer_number;
                Value::from(cell.on_layer(at, ": "))
                    .link_if(is_other.then(|| at.item()))
                    .swatch(swatch)
            })
        })
        .summary("Here", |cell| {
            let layers: Vec<String> = cell.cells().map(|at| cell.on_layer(at, " ")).collect();
            (!layers.is_empty()).then(|| layers.join("  ")).into()
        })
        .derived(),
    ];

    fn layer_name(&self) -> String {
        self.map.layer_name(self.at.layer_number)
    }

    /// Its column or row.
    fn coordinate(&self, axis: usize) -> Value {
        let layers = self.map.layers.iter();
        let widths = layers.map(|layer| layer.size[axis].saturating_sub(1).to_string().len());
        Value::from(self.at.place[axis]).width(widths.max().unwrap_or(0))
    }

    fn flags(&self) -> Value {
        let flags = self.at.cell.flags_text();
        let is_said = !flags.is_empty() && self.at.cell.image().is_some();
        is_said.then_some(flags).into()
    }

    /// The cells of all layers at the place, the lowest first; empty if there is only one.
    fn cells(&self) -> impl Iterator<Item = &CellAt<'a>> {
        let cells = &self.here.cells;
        cells.iter().filter(|_| cells.len() > 1)
    }

    fn on_layer(&self, at: &CellAt<'_>, between: &str) -> String {
        let name = self.map.layer_name(at.layer_number);
        format!("{name}{between}{}", self.map.layer_text(&self.here, at))
    }

    /// JSON keys without a value because their data was not read.
    fn keys_not_read(&self) -> Vec<&'static str> {
        let layer = self.at.layer_number;
        let is_own = |of: Option<usize>| of.is_none_or(|of| of == layer);
        let mut obstruction = self.here.obstructions_not_read();
        let mut logic = self.here.logic_not_read();
        let keys = [
            ("tile", self.map.tile_not_read(&self.at).is_some()),
            (
                "obstructed",
                self.here.is_obstructed(layer).is_none()
                    && obstruction.any(|grid| is_own(grid.layer)),
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
        field("Name", |at: &Self| at.map.tileset_name(at.number).into())
            .in_summary_as("Tileset")
            .derived(),
        field("Tiles", |at: &Self| {
            if at.is_placeholder {
                format!("{}, a guess by those that are used", at.tile_count()).into()
            } else {
                at.tile_count().into()
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
        field("Tile size", |at: &Self| by(at.tile_size, " pixels"))
            .summary("Size", |at| by(at.tile_size, "")),
        field("Used", |at: &Self| {
            let uses = at
                .map
                .counts()
                .uses
                .get(at.number)
                .into_iter()
                .flatten()
                .take(at.tile_count());
            counted(uses.filter(|uses| **uses > 0).count(), "tile").into()
        })
        .derived(),
        field("Images", |at: &Self| {
            let said = "not found; tiles are shown by their numbers";
            at.is_placeholder.then_some(said).into()
        })
        .note(|at| at.is_placeholder.then_some("not found").into())
        .derived(),
        field("Other tiles", |at: &Self| {
            let missing = at
                .missing
                .and_then(|missing| at.map.tile(at.number, missing));
            let missing = missing.filter(|missing| missing.uses() > 0);
            let said = missing.map(|missing| missing.linked(missing.used()));
            said.into()
        })
        .derived(),
        field("Layer", |at: &Self| {
            let layers = at
                .map
                .layers
                .iter()
                .enumerate()
                .filter(|(_, layer)| layer.tileset == at.number);
            listed("Layer", layers, |(layer, _)| at.map.layer_link(layer))
        })
        .derived(),
    ];

    const ANIMATION: &'a [Field<Self>] = &[field("Strand", |at: &Self| {
        at.map.strands(at.number..at.number + 1)
    })
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
        field("Number", |at: &Self| {
            Value::from(at.number()).swatch(Some(at.swatch()))
        })
        .summary("Tile", |at| at.number().into())
        .derived(),
        field("Name", Self::name).in_summary(),
        field("Palette", Self::palette).in_summary(),
        field("", |at: &Self| {
            let said = "stands for the tiles that the tileset does not have";
            at.is_missing().then_some(said).into()
        })
        .derived(),
        field("Tileset", |at: &Self| {
            at.map.tileset_link(at.tileset_number)
        })
        .derived(),
        field("Used", |at: &Self| at.times_used().into())
            .in_summary()
            .derived(),
    ];

    const ANIMATION: &'a [Field<Self>] = &[
        field("Plays", |at: &Self| {
            at.strand().map(|strand| strand.mode.said()).into()
        })
        .derived(),
        field("Each for", |at: &Self| {
            let strand = at.strand();
            strand
                .map(|strand| format!("{} s", strand.delay_secs()))
                .into()
        })
        .derived(),
        field("Tile", |at: &Self| {
            let tiles = at
                .strand()
                .map(|strand| strand.first..=strand.last)
                .into_iter()
                .flatten()
                .filter_map(|image| at.map.tile(at.tileset_number, image as usize));
            listed("Tile", tiles, |tile| tile.value())
        })
        .derived(),
    ];

    const OTHER_PALETTES: &'a [Field<Self>] = &[field("Palette", |at: &Self| {
        let id = at.tile().map(|tile| tile.id);
        let tiles = at.tileset.tiles.iter().enumerate();
        let others = tiles
            .filter(|(other, like)| Some(like.id) == id && *other != at.image)
            .filter(|(_, like)| like.palette.is_some())
            .filter_map(|(other, _)| at.map.tile(at.tileset_number, other));
        listed("Palette", others, |other| other.linked(other.palette()))
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

    fn used(&self) -> Value {
        format!("used {}", self.times_used()).into()
    }

    /// Its number, as a link to it.
    fn value(&self) -> Value {
        self.linked(self.number().into())
    }

    /// A value that links to it.
    fn linked(&self, value: Value) -> Value {
        value.link(self.item()).swatch(Some(self.swatch()))
    }
}

/// A zone.
impl<'a> Part<'a, Zone> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Zone", Self::ZONE)],
    };

    const ZONE: &'a [Field<Self>] = &[
        field("Name", |at: &Self| {
            let swatch = Swatch::Color(zone_color(at.number));
            Value::from(at.map.zone_name(at.number)).swatch(Some(swatch))
        })
        .own(|at: &Self| Some(&*at.name).filter(|name| !name.is_empty()).into())
        .in_summary_as("Zone"),
        field("Number", |at: &Self| at.number.into()).derived(),
        field("Tiles", |at: &Self| {
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
        field("Area", |at: &Self| {
            let areas = at
                .areas()
                .iter()
                .filter_map(|index| Some((*index, at.map.objects.get(*index)?)));
            listed("Area", areas, |(index, area)| {
                Value::from(area.rect_px.said()).link_if(at.map.object_item(index))
            })
        })
        .detail_as("areas", |at| {
            let areas = at
                .areas()
                .iter()
                .filter_map(|index| at.map.objects.get(*index))
                .map(|area| json!({"layer": area.layer, "rect": rect(&area.rect_px)}));
            areas.collect()
        })
        .summary("Areas", Self::area_count)
        .note(Self::area_count)
        .derived(),
        field("", |at: &Self| {
            let objects = at.map.objects.iter().enumerate();
            let others = objects.filter(|(_, object)| {
                object.zone == Some(at.number) && object.kind != ObjectKind::ZoneArea
            });
            listed("", others, |(index, object)| {
                Value::from(at.map.object_name(index))
                    .link_if(at.map.object_item(index))
                    .named(object.kind.said().title)
            })
        })
        .derived(),
    ];

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
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Clip", Self::CLIP)],
    };

    const CLIP: &'a [Field<Self>] = &[
        field("Name", |at: &Self| (&*at.name).into()).in_summary_as("Clip"),
        field("Lasts", |at: &Self| {
            let secs = at
                .map
                .loop_secs()
                .map_or_else(|| TileMap::clip_secs(at), |secs| secs as f32);
            format!("{} s", short(secs)).into()
        })
        .in_summary(),
        field("Strand", |at| at.map.strands(0..at.map.tilesets.len())),
    ];
}

/// An object on the map.
impl<'a> Part<'a, Object> {
    /// The heading is replaced by that of its kind.
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("", Self::OBJECT).keyed(OBJECT)],
    };

    const OBJECT: &'a [Field<Self>] = &[
        field("Name", |at: &Self| {
            let name = Value::from(at.map.object_name(at.number));
            name.swatch(at.map.object_swatch(at))
        })
        .detail_as("name", |at| at.map.object_name(at.number).into())
        .summary("Name", |at| {
            let name = Value::from(at.map.object_name(at.number));
            name.named(at.kind.said().title)
        })
        .own(|at| {
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
        summary_only("X", |at| short(at.rect_px.min[0]).into()),
        summary_only("Y", |at| short(at.rect_px.min[1]).into()),
        field("Layer", |at: &Self| {
            let link = |layer| at.map.layer_link(layer).naming("layer", layer, "");
            at.layer.map(link).into()
        })
        .detail_as("layer", |at| json!(at.layer)),
        field("Place", |at: &Self| at.rect_px.said().into())
            .own(|at: &Self| at.rect_in_layer().said().into())
            .detail_as("rect", |at| rect(&at.rect_px)),
        field("Walks about in", |at: &Self| {
            at.wander_px.map(|rect| rect.said()).into()
        })
        .derived()
        .detail_as("wander_rect", |at| at.wander_px.as_ref().map(rect).into()),
        field("Zone", |at: &Self| at.zone(true)).in_summary(),
        field("Wanders in", |at: &Self| at.zone(false))
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
        Value::from(self.layer_name(layer)).link(Self::layer_item(layer))
    }

    fn tileset_link(&self, tileset: usize) -> Value {
        Value::from(self.tileset_name(tileset)).link(Self::tileset_item(tileset))
    }

    fn zone_value(&self, ZoneAt { zone, layer }: ZoneAt) -> Value {
        let is_there = zone < self.zones.len();
        Value::from(self.with_layer(self.zone_name(zone), layer))
            .link_if(is_there.then(|| Self::zone_item(zone)))
            .swatch(Some(Swatch::Color(zone_color(zone))))
    }

    /// The animation strands of some tilesets.
    fn strands(&self, tilesets: std::ops::Range<usize>) -> Value {
        let strands = tilesets.flat_map(|number| {
            let strands = self
                .tilesets
                .get(number)
                .map(|tileset| &tileset.strands)
                .into_iter()
                .flatten()
                .filter(|strand| strand.is_active());
            strands
                .filter_map(move |strand| Some((strand, self.tile(number, strand.first as usize)?)))
        });
        listed("Strand", strands, |(strand, first)| {
            let value = format!(
                "{} to {}, {}, each for {} s",
                first.number(),
                first.tileset.tile_number(strand.last as usize),
                strand.mode.said(),
                strand.delay_secs()
            );
            first.linked(value.into())
        })
    }
}

/// Left, top, width and height in pixels, for machine-readable output.
fn rect(rect: &RectPx) -> Json {
    let ([x, y], [w, h]) = (rect.min, rect.size());
    json!([x, y, w, h].map(number))
}

/// A size followed by its unit.
fn by<T: std::fmt::Display>([w, h]: [T; 2], unit: &str) -> Value {
    format!("{w} x {h}{unit}").into()
}

/// A line for each part, up to [`MAX_LISTED`], and the number of remaining parts.
fn listed<T>(
    name: &'static str,
    mut parts: impl Iterator<Item = T>,
    value: impl Fn(T) -> Value,
) -> Value {
    let first = parts.by_ref().take(MAX_LISTED);
    let mut lines: Vec<Property> = first
        .filter_map(|part| value(part).property(name))
        .collect();
    let more = parts.count();
    if more > 0 {
        lines.push(Property::new("", format!("and {more} more")));
    }
    lines.into()
}

/// The tints of the corners of a cell; a single one if all are equal.
fn tints_of(at: &CellAt<'_>) -> Vec<Property> {
    const NAMES: [&str; 4] = [
        "Tint, upper left",
        "Tint, upper right",
        "Tint, lower left",
        "Tint, lower right",
    ];
    let tints = at.layer.tints.as_ref();
    let Some(corners) = tints.and_then(|tints| tints.get(at.index)) else {
        return Vec::new();
    };
    let is_even = corners.iter().all(|corner| *corner == corners[0]);
    let names: &[&str] = if is_even { &["Tint"] } else { &NAMES };
    let tints = names
        .iter()
        .zip(corners)
        .map(|(name, [r, g, b, a])| match [r, g, b, a] {
            [128, 128, 128, 255] => Property::new(name, "none"),
            _ => Property {
                swatch: Some(Swatch::Color([*r, *g, *b])),
                ..Property::new(name, format!("{r} {g} {b}, opacity {a}"))
            },
        });
    tints.collect()
}

#[cfg(test)]
mod tests;
