//! What is known of the parts of a map, each field once: for the inspector, the status line, the
//! outline and JSON.

use mapscope_formats::counted;

use std::rc::Rc;

use glam::Vec3;
use serde_json::{Map as JsonMap, Value as Json, json};

use super::grids::zone_color;
use super::here::{Here, ZoneHere};
use super::items::CellAt;
use super::known::ZoneCounts;
use super::layers::parallax_name;
use super::{GridKind, Layer, Object, ObjectKind, Tile, TileMap, Tileset, Zone};
use crate::fields::{Section, Table, Value, field, json_only, summary_only};
use crate::numbers::short;
use crate::{ClipInfo, Item, Property, PropertyGroup, Shown, SummaryPart, Swatch, TileMapItem};

/// How many of one kind are listed.
const MAX_LISTED: usize = 64;
/// Characters that a name takes at most in the status line before what follows moves.
const NAME_WIDTH: usize = 16;
/// Characters of the longest number that is likely to be that of a tile.
const TILE_WIDTH: usize = 5;

/// A record of which a table knows something.
pub(super) trait Described {
    /// For the inspector.
    fn groups(&self) -> Vec<PropertyGroup>;

    /// For the status line.
    fn summary(&self) -> Vec<SummaryPart>;

    /// For the note of its line in the outline.
    fn note(&self) -> String;
}

/// Describes records by their tables, and by what else there is for the inspector.
macro_rules! described {
    ($($record:ident and $more:expr;)+) => { $(
        impl Described for $record<'_> {
            fn groups(&self) -> Vec<PropertyGroup> {
                let more: fn(&Self) -> Vec<PropertyGroup> = $more;
                let mut groups = Self::FIELDS.groups(self);
                groups.extend(more(self));
                groups
            }

            fn summary(&self) -> Vec<SummaryPart> {
                Self::FIELDS.summary(self)
            }

            fn note(&self) -> String {
                Self::FIELDS.note(self)
            }
        }
    )+ };
}

described! {
    WholeMap and |at| at.map.facts.map();
    LayerAt and |at| at.map.facts.layer(at.number);
    CellHere and |at| at.map.facts.cell(at.at.layer_number, at.at.index);
    TilesetAt and |_| Vec::new();
    TileAt and |_| Vec::new();
    ZoneAt and |at| at.zone.properties.clone();
    ClipAt and |_| Vec::new();
}

impl TileMap {
    /// What is known of an item, with what else is where the pointer is, or where the item itself is
    /// while the map is at rest; none of one that is not there.
    pub(super) fn described(
        &self,
        item: Item,
        pointer: Option<(Vec3, &Shown)>,
    ) -> Option<Box<dyn Described + '_>> {
        let Item::TileMap(of_map) = item else {
            return None;
        };
        Some(match of_map {
            TileMapItem::Map => Box::new(WholeMap { map: self }),
            TileMapItem::Layer { index } => Box::new(self.layer_at(index as usize)?),
            TileMapItem::Cell { .. } => {
                let at = self.cell_at(item)?;
                let here = match pointer {
                    Some((point, shown)) => {
                        self.here([point.x, point.z].map(|at| at.floor() as i64), shown)
                    }
                    None => self.here_of(&at),
                };
                Box::new(CellHere {
                    map: self,
                    at,
                    here: Rc::new(here),
                })
            }
            TileMapItem::Tileset { index } => Box::new(self.tileset_at(index as usize)?),
            TileMapItem::Tile { .. } => {
                let (number, tileset, image) = self.tile_at(item)?;
                Box::new(TileAt {
                    map: self,
                    number,
                    tileset,
                    image,
                })
            }
            TileMapItem::Zone { index } => Box::new(self.zone_at(index as usize)?),
            TileMapItem::Clip => Box::new(ClipAt {
                map: self,
                clip: self.clips.first()?,
            }),
            _ => {
                let (index, object) = self.object_at(item)?;
                Box::new(ObjectAt {
                    map: self,
                    index,
                    object,
                })
            }
        })
    }

    pub(super) fn layer_at(&self, number: usize) -> Option<LayerAt<'_>> {
        let layer = self.layers.get(number)?;
        Some(LayerAt {
            map: self,
            number,
            layer,
        })
    }

    pub(super) fn tileset_at(&self, number: usize) -> Option<TilesetAt<'_>> {
        let tileset = self.tilesets.get(number)?;
        Some(TilesetAt {
            map: self,
            number,
            tileset,
        })
    }

    pub(super) fn zone_at(&self, number: usize) -> Option<ZoneAt<'_>> {
        Some(ZoneAt {
            map: self,
            number,
            zone: self.zones.get(number)?,
            counts: self.zone_counts().get(number)?,
        })
    }
}

/// The whole map.
#[derive(Clone, Copy)]
pub(super) struct WholeMap<'a> {
    pub(super) map: &'a TileMap,
}

impl<'a> WholeMap<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[Section {
            title: "Map",
            fields: &[
                field("Format", |at: &Self| at.map.about.format.name.into())
                    .summary("Map", |at| at.map.about.format.name.into()),
                field("Version", |at| (&*at.map.about.version).into()),
                field("Size", |at: &Self| by_u64(at.map.canvas_px(), "pixels")).in_note(),
                field("Layers", |at: &Self| at.map.layers.len().into()).in_summary(),
                field("Drawn", |at| at.map.drawing_order().into()),
                field("Tileset", |at| {
                    let tilesets = at.map.tilesets_with_tiles().take(MAX_LISTED);
                    lines(
                        "Tileset",
                        tilesets.map(|(number, _)| at.map.tileset_link(number)),
                    )
                }),
            ],
        }],
    };
}

/// A layer.
#[derive(Clone, Copy)]
pub(super) struct LayerAt<'a> {
    map: &'a TileMap,
    number: usize,
    layer: &'a Layer,
}

impl<'a> LayerAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[Section {
            title: "Layer",
            fields: &[
                field("Name", |at: &Self| at.name()).summary("Layer", Self::name),
                field("Number", |at| at.number.into()),
                field("Size", |at: &Self| {
                    let tiles = at.layer.has_tiles().then(|| by(at.layer.size, " tiles"));
                    tiles.unwrap_or_else(|| "no tiles".into())
                })
                .summary("Size", |at| by(at.layer.size, "")),
                field("", |at| {
                    at.tile_size()
                        .map(|tile| {
                            let size = at.layer.size;
                            by_u64(
                                [0, 1].map(|axis| u64::from(size[axis]) * u64::from(tile[axis])),
                                "pixels",
                            )
                        })
                        .into()
                }),
                field("Tileset", |at: &Self| {
                    let tileset = at
                        .tile_size()
                        .map(|_| at.map.tileset_link(at.layer.tileset));
                    tileset.into()
                })
                .summary("Tileset", |at| at.map.tileset_name(at.layer.tileset).into()),
                field("Position", |at| {
                    let [x, y] = at.layer.position_px;
                    format!("{x}, {y}").into()
                }),
                field("Moves", |at| {
                    let parallax = parallax_name(&at.layer.parallax);
                    match &*parallax {
                        "" => "with the camera".into(),
                        "fixed" => "stays where it is on the screen".into(),
                        _ => format!("{parallax} of the camera").into(),
                    }
                }),
                field("Repeats", |at| match at.layer.wraps {
                    [true, true] => "in all directions".into(),
                    [true, false] => "left and right".into(),
                    [false, true] => "up and down".into(),
                    [false, false] => "no".into(),
                }),
                field("Around it", |at| {
                    let tileset = at.map.tilesets.get(at.layer.tileset);
                    let said = at.layer.outside.map(|outside| {
                        let tile = tileset.zip(outside.image());
                        let tile = tile.map(|(tileset, image)| tileset.tile_number(image));
                        format!("tile {}", tile.as_deref().unwrap_or("none"))
                    });
                    said.into()
                }),
                field("Drawn", |at| at.map.turns_of(at.number).into()),
                field("Empty tiles", |at| {
                    let empty = || at.map.counts().empty.get(at.number).copied().unwrap_or(0);
                    let has_tiles = at.layer.has_tiles();
                    let said =
                        has_tiles.then(|| format!("{} of {}", empty(), at.layer.cells.len()));
                    said.into()
                }),
            ],
        }],
    };

    fn name(&self) -> Value {
        self.map.layer_name(self.number).into()
    }

    /// The size of its tiles, if it has any.
    fn tile_size(&self) -> Option<[u32; 2]> {
        self.map
            .tile_size(self.layer)
            .filter(|_| self.layer.has_tiles())
    }
}

/// A cell, with what else is at its place.
#[derive(Clone)]
pub(super) struct CellHere<'a> {
    pub(super) map: &'a TileMap,
    pub(super) at: CellAt<'a>,
    pub(super) here: Rc<Here<'a>>,
}

impl<'a> CellHere<'a> {
    /// Each part of the status line is as wide as the widest of its kind, so that nothing moves while
    /// the pointer does.
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            Section {
                title: "Tile",
                fields: &[
                    field("Layer", |cell: &Self| {
                        cell.map.layer_link(cell.at.layer_number)
                    })
                    .summary("Layer", |cell| {
                        let layers = 0..cell.map.layers.len();
                        let widths = layers.map(|layer| cell.map.layer_name(layer).chars().count());
                        let width = widths.max().unwrap_or(0).min(NAME_WIDTH);
                        Value::from(cell.map.layer_name(cell.at.layer_number)).width(width)
                    })
                    .json_as("layer", |cell| json!(cell.at.layer_number)),
                    json_only("name", |cell| {
                        json!(cell.map.layer_name(cell.at.layer_number))
                    }),
                    field("X", |cell: &Self| cell.coordinate(0))
                        .in_summary()
                        .json("x"),
                    field("Y", |cell: &Self| cell.coordinate(1))
                        .in_summary()
                        .json("y"),
                    field("At pixel", |cell| {
                        let (at, rest) = (&cell.at, Shown::default());
                        let rect = cell.map.cells_px(at.layer, [at.place; 2], &rest);
                        let [left, top] = match rect {
                            Some(rect) => rect.min.map(short),
                            None => return Value::absent(),
                        };
                        format!("{left}, {top}").into()
                    }),
                    field("Tile", |cell: &Self| match cell.map.tile_of(&cell.at) {
                        Some((tileset, image, _)) => {
                            let number = cell.at.layer.tileset;
                            cell.map.tile_link(number, tileset, image)
                        }
                        None => "empty".into(),
                    })
                    .summary("Tile", |cell| {
                        Value::from(cell.map.tile_said(&cell.at)).width(TILE_WIDTH)
                    })
                    .json_as("tile", |cell| json!(cell.map.tile_in_file(&cell.at))),
                    field("Name", |cell| tile_name(cell.tile())),
                    field("Palette", |cell| tile_palette(cell.tile())),
                    field("", |cell| {
                        let tile = cell.map.tile_of(&cell.at);
                        let is_missing =
                            tile.is_some_and(|(tileset, image, _)| tileset.missing == Some(image));
                        is_missing
                            .then_some("the tileset does not have this tile")
                            .into()
                    }),
                    field("Flags", Self::flags),
                    field("Tint", |cell| tints_of(&cell.at).into()),
                ],
            },
            Section {
                title: "Here",
                fields: &[
                    summary_only("Zone", |cell| {
                        if cell.map.zones.is_empty() {
                            return Value::absent();
                        }
                        let zones = cell.here.zones.iter();
                        let zones = zones.map(|zone| {
                            cell.map
                                .with_layer(cell.map.zone_name(zone.zone), zone.layer)
                        });
                        let zones: Vec<String> = zones.collect();
                        let zones = match &*zones {
                            [] => "none".to_owned(),
                            zones => zones.join(", "),
                        };
                        Value::from(zones).width(NAME_WIDTH)
                    }),
                    field("Obstructed", |cell: &Self| {
                        cell.map.obstruction_said(&cell.here).into()
                    })
                    .summary("Obstructed", |cell| {
                        let names = cell.map.grids.iter().filter_map(|grid| match grid.kind {
                            GridKind::Obstruction { .. } => {
                                Some(cell.map.with_layer("yes".to_owned(), grid.layer))
                            }
                            GridKind::Zones | GridKind::Logic => None,
                        });
                        let widest = names.map(|name| name.chars().count()).max();
                        Value::from(cell.map.obstruction_said(&cell.here))
                            .width(widest.unwrap_or(0).min(NAME_WIDTH))
                    })
                    .json_as("obstructed", |cell| {
                        json!(cell.here.is_obstructed(cell.at.layer_number))
                    }),
                    field("Zone", |cell| match &*cell.here.zones {
                        [] if cell.map.zones.is_empty() => Value::absent(),
                        [] => "none".into(),
                        zones => lines("Zone", zones.iter().map(|zone| cell.map.zone_value(*zone))),
                    }),
                    field("Logic value", |cell: &Self| {
                        let values = cell.here.logic_values().map(|number| {
                            let value = number.value;
                            let said = format!("{value} ({value:#x})");
                            cell.map.with_layer(said, number.layer).into()
                        });
                        lines("Logic value", values)
                    })
                    .summary("Logic", |cell| {
                        let values = cell.here.logic_values();
                        let values = values.map(|number| {
                            cell.map.with_layer(number.value.to_string(), number.layer)
                        });
                        let values: Vec<String> = values.collect();
                        let said = (!values.is_empty()).then(|| values.join(", "));
                        Value::from(said).width(TILE_WIDTH)
                    })
                    .json_as("logic", |cell| {
                        let layer = Some(cell.at.layer_number);
                        let mut values = cell.here.logic_values();
                        json!(
                            values
                                .find(|number| number.layer == layer)
                                .map(|number| number.value)
                        )
                    }),
                    summary_only("Flags", Self::flags),
                    // From the lowest to the highest; each layer leads to its own cell.
                    field("On layer", |cell: &Self| {
                        lines(
                            "On layer",
                            cell.cells().map(|at| {
                                let tile = cell.map.tile_of(at);
                                let swatch = tile.map(|(_, image, _)| {
                                    cell.map.tile_swatch(at.layer.tileset, image)
                                });
                                let other =
                                    (at.layer_number != cell.at.layer_number).then(|| at.item());
                                Value::from(cell.on_layer(at, ": "))
                                    .link_if(other)
                                    .swatch(swatch)
                            }),
                        )
                    })
                    .summary("Here", |cell| {
                        let layers: Vec<String> =
                            cell.cells().map(|at| cell.on_layer(at, " ")).collect();
                        (!layers.is_empty()).then(|| layers.join("  ")).into()
                    }),
                ],
            },
        ],
    };

    /// Its column or row.
    fn coordinate(&self, axis: usize) -> Value {
        let layers = self.map.layers.iter();
        let widths = layers.map(|layer| layer.size[axis].saturating_sub(1).to_string().len());
        Value::from(self.at.place[axis]).width(widths.max().unwrap_or(0))
    }

    fn tile(&self) -> Option<&'a Tile> {
        let (tileset, image, _) = self.map.tile_of(&self.at)?;
        tileset.tiles.get(image)
    }

    fn flags(&self) -> Value {
        let flags = self.at.cell.flags_said();
        let is_said = !flags.is_empty() && self.at.cell.image().is_some();
        is_said.then_some(flags).into()
    }

    /// The cells of all layers at the place, the lowest first; none where there is only one.
    fn cells(&self) -> impl Iterator<Item = &CellAt<'a>> {
        let cells = &self.here.cells;
        cells.iter().filter(|_| cells.len() > 1)
    }

    fn on_layer(&self, at: &CellAt<'_>, between: &str) -> String {
        let name = self.map.layer_name(at.layer_number);
        format!("{name}{between}{}", self.map.layer_said(&self.here, at))
    }

    /// What `info --tile` says of it.
    pub(super) fn json(&self) -> JsonMap<String, Json> {
        let mut json = Self::FIELDS.json(self);
        // Only of layers that have logic values.
        json.retain(|key, value| key != "logic" || !value.is_null());
        json
    }
}

/// A tileset.
#[derive(Clone, Copy)]
pub(super) struct TilesetAt<'a> {
    map: &'a TileMap,
    number: usize,
    tileset: &'a Tileset,
}

impl<'a> TilesetAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            Section {
                title: "Tileset",
                fields: &[
                    field("Name", |at: &Self| at.name()).summary("Tileset", Self::name),
                    field("Tiles", |at: &Self| {
                        if at.tileset.is_placeholder {
                            let count = at.tileset.tile_count();
                            format!("{count}, a guess by those that are used").into()
                        } else {
                            at.tileset.tile_count().into()
                        }
                    })
                    .summary("Tiles", |at| at.tileset.tile_count().into())
                    .note(|at| counted(at.tileset.tile_count(), "tile").into()),
                    field("Tile size", |at: &Self| by(at.tileset.tile_size, " pixels"))
                        .summary("Size", |at| by(at.tileset.tile_size, "")),
                    field("Used", |at| {
                        let uses = at.map.counts().uses.get(at.number);
                        let uses = uses.into_iter().flatten().take(at.tileset.tile_count());
                        counted(uses.filter(|uses| **uses > 0).count(), "tile").into()
                    }),
                    field("Pictures", |at: &Self| {
                        let said = "not found; tiles are shown by their numbers";
                        at.tileset.is_placeholder.then_some(said).into()
                    })
                    .note(|at| at.tileset.is_placeholder.then_some("not found").into()),
                    field("Other tiles", |at| {
                        let missing = at.tileset.missing;
                        let missing =
                            missing.filter(|missing| at.map.uses(at.number, *missing) > 0);
                        let said = missing.map(|missing| {
                            let said = format!("used {}", at.map.times_used(at.number, missing));
                            Value::from(said)
                                .link(TileMap::tile_item(at.number, missing))
                                .swatch(Some(at.map.tile_swatch(at.number, missing)))
                        });
                        said.into()
                    }),
                    field("Layer", |at| {
                        let layers = at.map.layers.iter().enumerate();
                        let layers = layers.filter(|(_, layer)| layer.tileset == at.number);
                        let layers = layers.take(MAX_LISTED);
                        lines("Layer", layers.map(|(layer, _)| at.map.layer_link(layer)))
                    }),
                ],
            },
            Section {
                title: "Animation",
                fields: &[field("Strand", |at| {
                    at.map.strands(at.number, at.tileset).into()
                })],
            },
        ],
    };

    fn name(&self) -> Value {
        self.map.tileset_name(self.number).into()
    }
}

/// A tile of a tileset.
#[derive(Clone, Copy)]
pub(super) struct TileAt<'a> {
    map: &'a TileMap,
    number: usize,
    tileset: &'a Tileset,
    image: usize,
}

impl<'a> TileAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            Section {
                title: "Tile",
                fields: &[
                    field("Number", |at: &Self| {
                        let swatch = at.map.tile_swatch(at.number, at.image);
                        Value::from(at.tileset.tile_number(at.image)).swatch(Some(swatch))
                    })
                    .summary("Tile", |at| at.tileset.tile_number(at.image).into()),
                    field("Name", |at: &Self| tile_name(at.tile())).in_summary(),
                    field("Palette", |at: &Self| tile_palette(at.tile())).in_summary(),
                    field("", |at| {
                        let said = "stands for the tiles that the tileset does not have";
                        (at.tileset.missing == Some(at.image))
                            .then_some(said)
                            .into()
                    }),
                    field("Tileset", |at| at.map.tileset_link(at.number)),
                    field("Used", |at: &Self| {
                        at.map.times_used(at.number, at.image).into()
                    })
                    .in_summary(),
                ],
            },
            Section {
                title: "Animation",
                fields: &[
                    field("Plays", |at| {
                        at.tileset.strand_of(at.image).map(|s| s.mode.said()).into()
                    }),
                    field("Each for", |at| {
                        let strand = at.tileset.strand_of(at.image);
                        strand
                            .map(|strand| format!("{} s", strand.delay_secs()))
                            .into()
                    }),
                    field("Tile", |at| {
                        let Some(strand) = at.tileset.strand_of(at.image) else {
                            return Value::absent();
                        };
                        let last = at.tileset.image_count().saturating_sub(1);
                        let members = strand.first as usize..=(strand.last as usize).min(last);
                        let count = members.clone().count();
                        let members = members.take(MAX_LISTED);
                        let members =
                            members.map(|member| at.map.tile_link(at.number, at.tileset, member));
                        capped("Tile", members, count)
                    }),
                ],
            },
            Section {
                title: "In other palettes",
                fields: &[field("Palette", |at| {
                    let Some(tile) = at.tile() else {
                        return Value::absent();
                    };
                    let tiles = at.tileset.tiles.iter().enumerate();
                    let others =
                        tiles.filter(|(other, like)| like.id == tile.id && *other != at.image);
                    let others = others.filter_map(|(other, like)| {
                        let palette = Value::from(like.palette?);
                        let swatch = at.map.tile_swatch(at.number, other);
                        Some(
                            palette
                                .link(TileMap::tile_item(at.number, other))
                                .swatch(Some(swatch)),
                        )
                    });
                    lines("Palette", others.take(MAX_LISTED))
                })],
            },
        ],
    };

    fn tile(&self) -> Option<&'a Tile> {
        self.tileset.tiles.get(self.image)
    }
}

/// A zone.
#[derive(Clone, Copy)]
pub(super) struct ZoneAt<'a> {
    map: &'a TileMap,
    number: usize,
    zone: &'a Zone,
    counts: &'a ZoneCounts,
}

impl<'a> ZoneAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[Section {
            title: "Zone",
            fields: &[
                field("Name", |at: &Self| {
                    let swatch = Swatch::Color(zone_color(at.number));
                    Value::from(at.map.zone_name(at.number)).swatch(Some(swatch))
                })
                .summary("Zone", |at| at.map.zone_name(at.number).into()),
                field("Number", |at| at.number.into()),
                field("Tiles", |at: &Self| {
                    at.has_grid().then_some(at.counts.cells).into()
                })
                .summary("Tiles", |at| {
                    Some(at.counts.cells).filter(|cells| *cells > 0).into()
                })
                .note(|at| {
                    let cells = usize::try_from(at.counts.cells).unwrap_or(usize::MAX);
                    match (at.has_grid(), at.counts.areas.is_empty()) {
                        (true, _) => counted(cells, "tile").into(),
                        (false, true) => "nowhere".into(),
                        (false, false) => Value::absent(),
                    }
                }),
                field("Area", |at: &Self| {
                    let areas = at.counts.areas.iter().take(MAX_LISTED);
                    let areas = areas.filter_map(|index| {
                        let area = at.map.objects.get(*index)?;
                        Some(Value::from(area.rect_px.said()).link_if(at.map.object_item(*index)))
                    });
                    capped("Area", areas, at.counts.areas.len())
                })
                .summary("Areas", Self::areas)
                .note(Self::areas),
                field("", |at| {
                    let objects = at.map.objects.iter().enumerate();
                    let others = objects.filter(|(_, object)| {
                        object.zone == Some(at.number) && object.kind != ObjectKind::ZoneArea
                    });
                    let count = others.clone().count();
                    let others = others.take(MAX_LISTED).filter_map(|(index, object)| {
                        let name = Value::from(at.map.object_name(index));
                        name.link_if(at.map.object_item(index))
                            .property(object.kind.said().title)
                    });
                    let mut others: Vec<Property> = others.collect();
                    others.extend(and_more(count));
                    others.into()
                }),
            ],
        }],
    };

    fn has_grid(&self) -> bool {
        let mut grids = self.map.grids.iter();
        grids.any(|grid| grid.kind == GridKind::Zones)
    }

    /// How many areas it has, if any.
    fn areas(&self) -> Value {
        Some(self.counts.areas.len())
            .filter(|count| *count > 0)
            .into()
    }
}

/// The clip of the animated tiles.
#[derive(Clone, Copy)]
pub(super) struct ClipAt<'a> {
    map: &'a TileMap,
    clip: &'a ClipInfo,
}

impl<'a> ClipAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[Section {
            title: "Clip",
            fields: &[
                field("Name", |at: &Self| (&*at.clip.name).into())
                    .summary("Clip", |at| (&*at.clip.name).into()),
                field("Lasts", |at: &Self| {
                    format!("{} s", short(TileMap::clip_secs(at.clip))).into()
                })
                .in_summary(),
                field("Strand", |at| {
                    let tilesets = at.map.tilesets.iter().enumerate();
                    let strands =
                        tilesets.flat_map(|(number, tileset)| at.map.strands(number, tileset));
                    strands.collect::<Vec<Property>>().into()
                }),
            ],
        }],
    };
}

/// An object that stands on the map.
#[derive(Clone, Copy)]
pub(super) struct ObjectAt<'a> {
    map: &'a TileMap,
    index: usize,
    object: &'a Object,
}

impl<'a> ObjectAt<'a> {
    /// The heading and the name of the first part are those of its kind.
    const FIELDS: Table<'a, Self> = Table {
        sections: &[Section {
            title: "",
            fields: &[
                field("Name", |at: &Self| {
                    let name = Value::from(at.map.object_name(at.index));
                    name.swatch(at.map.object_swatch(at.object))
                })
                .in_summary(),
                summary_only("X", |at| short(at.object.rect_px.min[0]).into()),
                summary_only("Y", |at| short(at.object.rect_px.min[1]).into()),
                field("Layer", |at| {
                    at.object.layer.map(|layer| at.map.layer_link(layer)).into()
                }),
                field("Place", |at| at.object.rect_px.said().into()),
                field("Walks about in", |at| {
                    at.object.wander_px.map(|rect| rect.said()).into()
                }),
                field("Zone", |at: &Self| at.zone(true)).summary("Zone", |at| at.zone_name(true)),
                field("Wanders in", |at: &Self| at.zone(false))
                    .summary("Wanders in", |at| at.zone_name(false)),
                summary_only("Layer", |at| {
                    at.object.layer.map(|layer| at.map.layer_name(layer)).into()
                }),
            ],
        }],
    };

    /// The zone that it is an area of, or the one that it wanders in.
    fn zone_number(&self, as_area: bool) -> Option<usize> {
        let is_area = self.object.kind == ObjectKind::ZoneArea;
        self.object.zone.filter(|_| is_area == as_area)
    }

    fn zone(&self, as_area: bool) -> Value {
        let zone = self.zone_number(as_area);
        let zone = zone.map(|zone| self.map.zone_value(ZoneHere { zone, layer: None }));
        zone.into()
    }

    fn zone_name(&self, as_area: bool) -> Value {
        let zone = self.zone_number(as_area);
        zone.map(|zone| self.map.zone_name(zone)).into()
    }
}

impl Described for ObjectAt<'_> {
    fn groups(&self) -> Vec<PropertyGroup> {
        let mut groups = Self::FIELDS.groups(self);
        for group in &mut groups {
            group.title = self.object.kind.said().title;
        }
        groups.extend(self.object.properties.iter().cloned());
        groups
    }

    fn summary(&self) -> Vec<SummaryPart> {
        let mut parts = Self::FIELDS.summary(self);
        if let Some(name) = parts.first_mut() {
            name.name = self.object.kind.said().title;
        }
        parts
    }

    fn note(&self) -> String {
        match (self.object.zone, self.object.layer) {
            (Some(zone), _) => self.map.zone_name(zone),
            (None, Some(layer)) if self.map.layers.len() > 1 => self.map.layer_name(layer),
            _ => String::new(),
        }
    }
}

impl TileMap {
    fn layer_link(&self, layer: usize) -> Value {
        Value::from(self.layer_name(layer)).link(Self::layer_item(layer))
    }

    fn tileset_link(&self, tileset: usize) -> Value {
        Value::from(self.tileset_name(tileset)).link(Self::tileset_item(tileset))
    }

    /// A tile by its image and its number.
    fn tile_link(&self, number: usize, tileset: &Tileset, image: usize) -> Value {
        Value::from(tileset.tile_number(image))
            .link(Self::tile_item(number, image))
            .swatch(Some(self.tile_swatch(number, image)))
    }

    fn zone_value(&self, ZoneHere { zone, layer }: ZoneHere) -> Value {
        if zone >= self.zones.len() {
            return format!("{zone}, which the file does not describe").into();
        }
        Value::from(self.with_layer(self.zone_name(zone), layer))
            .link(Self::zone_item(zone))
            .swatch(Some(Swatch::Color(zone_color(zone))))
    }

    /// The runs of tiles of a tileset that follow each other.
    fn strands(&self, number: usize, tileset: &Tileset) -> Vec<Property> {
        let strands = tileset.strands.iter().filter(|strand| strand.is_active());
        let count = strands.clone().count();
        let lines = strands.take(MAX_LISTED).filter_map(|strand| {
            let [first, last] = [strand.first, strand.last].map(|tile| tile as usize);
            let value = format!(
                "{} to {}, {}, each for {} s",
                tileset.tile_number(first),
                tileset.tile_number(last),
                strand.mode.said(),
                strand.delay_secs()
            );
            let value = Value::from(value).link(Self::tile_item(number, first));
            value
                .swatch(Some(self.tile_swatch(number, first)))
                .property("Strand")
        });
        lines.chain(and_more(count)).collect()
    }
}

fn tile_name(tile: Option<&Tile>) -> Value {
    let name = tile.map(|tile| &*tile.name);
    name.filter(|name| !name.is_empty()).into()
}

fn tile_palette(tile: Option<&Tile>) -> Value {
    tile.and_then(|tile| tile.palette).into()
}

/// A size, with what it is counted in behind it.
fn by([w, h]: [u32; 2], unit: &str) -> Value {
    format!("{w} x {h}{unit}").into()
}

fn by_u64([w, h]: [u64; 2], unit: &str) -> Value {
    format!("{w} x {h} {unit}").into()
}

/// As many lines of a name as there are values.
fn lines(name: &'static str, values: impl Iterator<Item = Value>) -> Value {
    let lines = values.filter_map(|value| value.property(name));
    lines.collect::<Vec<Property>>().into()
}

/// The same with how many more there are of all.
fn capped(name: &'static str, values: impl Iterator<Item = Value>, count: usize) -> Value {
    let lines = values.filter_map(|value| value.property(name));
    lines
        .chain(and_more(count))
        .collect::<Vec<Property>>()
        .into()
}

/// The line that says how many more there are than are listed.
fn and_more(count: usize) -> Option<Property> {
    let more = count.checked_sub(MAX_LISTED).filter(|more| *more > 0)?;
    Some(Property::new("", format!("and {more} more")))
}

/// What the corners of a cell are tinted with, once where all are alike.
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
