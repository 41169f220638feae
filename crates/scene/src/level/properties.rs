//! What is known of a map, its levels, its chunks and what they hold, and where the tables of all
//! records are ([`Map::described`]).

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::chunk_map::packed_bytes;
use super::describe::CubeRecord;
use super::entities::{EntityTypeAt, GamemodeAt};
use super::environments::{Environment, EnvironmentAt, RegionAt, ServerRegionAt};
use super::files::{ArchiveFileAt, ExtensionAt, StringTableAt, archive_start};
use super::items::{ChunkAt, EntityAt};
use super::known::Counts;
use super::light_list::LightAt;
use super::lights::LightKind;
use super::mesh::ChunkMesh;
use super::surfaces::{MaterialAt, PhysicsMaterialAt, SoundMaterialAt};
use super::{Level, Map, date};
use crate::fields::{Describe, Field, Table, Value, field, json_only, section, summary_only};
use crate::numbers::{number, short};
use crate::{ClipInfo, Item, LevelItem, Property};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    self, ChunkClient, ChunkData, ChunkServer, Cube, CubeKind, Entities, Frame, Side, StringRef,
    StringTable,
};

/// How many of a list are shown: all that a byte can count, and the first ones of longer lists.
const MAX_LISTED: usize = 256;
/// How many bytes are shown as numbers in a line of text.
pub(super) const MAX_BYTES: usize = 256;
/// How many levels are in the table of sizes.
const MAX_LEVELS: usize = 256;

/// Names of the sections of levels and chunks, in their order.
const SECTION_NAMES: [&str; 3] = ["Common", "Client", "Server"];

/// The first bytes, at most so many, as numbers.
pub(super) fn hex(bytes: &[u8], most: usize) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(most) {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = write!(text, "{space}{byte:02x}");
    }
    if bytes.len() > most {
        text.push_str(" ...");
    }
    text
}

/// A line that leads to an item.
pub(super) fn linked(
    name: &'static str,
    value: impl Into<String>,
    item: Option<LevelItem>,
) -> Property {
    Property {
        link: item.map(Item::from),
        ..Property::new(name, value)
    }
}

/// A line for each of a list, and how many more there are where it is long.
pub(super) fn listed<T>(
    list: impl ExactSizeIterator<Item = T>,
    name: &'static str,
    property: impl FnMut(T) -> Option<Property>,
) -> Vec<Property> {
    listed_up_to(MAX_LISTED, list, name, property)
}

/// The same for lists that are cut elsewhere.
pub(super) fn listed_up_to<T>(
    most: usize,
    list: impl ExactSizeIterator<Item = T>,
    name: &'static str,
    property: impl FnMut(T) -> Option<Property>,
) -> Vec<Property> {
    let more = list.len().saturating_sub(most);
    let mut properties: Vec<Property> = list.take(most).filter_map(property).collect();
    if more > 0 {
        properties.push(Property::new(name, format!("and {more} more")));
    }
    properties
}

/// The name of something for programs.
pub(super) fn text(strings: &StringTable, name: StringRef) -> Json {
    strings.brief(name).into()
}

/// The entities of a list that cannot be read, byte by byte: those from the first of an unknown
/// type on.
fn unread_entities(entities: Option<&Entities>) -> Value {
    let lines = entities.and_then(Entities::opaque).map(|(at, bytes)| {
        vec![
            Property::new("Why", "the first is of an unknown type"),
            Property::new("Offset", format!("{at:#x} of their section")),
            Property::new("Size", counted(bytes.len(), "byte")),
            Property::dump(bytes),
        ]
    });
    lines.into()
}

/// The file as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct MapAt<'a> {
    pub(super) map: &'a Map,
}

impl<'a> MapAt<'a> {
    /// What is known of the file.
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Map", Self::MAP),
            section("Sizes", Self::SIZES),
            section("Entities that are not read", Self::UNREAD),
        ],
    };

    /// What the header says.
    const HEADER: Table<'a, Self> = Table {
        sections: &[section("Header", Self::OF_HEADER)],
    };

    const OF_HEADER: &'a [Field<Self>] = &[
        field("Name", |at: &Self| at.header().name.as_str().into()).json("name"),
        field("Description", |at: &Self| {
            at.header().description.as_str().into()
        })
        .json("description"),
        field("Authors", |at: &Self| at.header().authors.as_str().into()).json("authors"),
        field("Compiler", |at: &Self| at.header().compiler.as_str().into()).json("compiler"),
        field("Compiled", |at: &Self| {
            date::utc(at.header().created_unix_secs).into()
        })
        .json_as("time", |at| at.header().created_unix_secs.into()),
        field("Version", |at| at.map.about.version.as_str().into()),
        field("Gamemodes", |at: &Self| {
            at.header().gamemodes.join(", ").into()
        })
        .json_as("gamemodes", |at| json!(at.header().gamemodes)),
    ];

    const MAP: &'a [Field<Self>] = &[
        field("Header", |at: &Self| Self::HEADER.properties(at).into())
            .json_as("header", |at| Self::HEADER.json(at).into()),
        summary_only("Map", |at| at.header().name.as_str().into()),
        field("Levels", |at: &Self| at.map.levels.len().into())
            .in_summary()
            .note(|at| counted(at.map.levels.len(), "level").into())
            .json_as("levels", |at| {
                let levels = (0..).map_while(|number| at.map.level_at(number));
                levels.map(|at| LevelAt::FIELDS.json(&at)).collect()
            }),
        field("Archive", |at: &Self| {
            counted(at.map.archive_paths().len(), "file").into()
        })
        .json_as("archive", |at| at.map.archive_paths().into()),
        field("Extensions", |at: &Self| at.map.pmf.extensions.len().into()).json_as(
            "extensions",
            |at| {
                let extensions = (0..).map_while(|index| at.map.extension_at(index));
                extensions.map(|at| ExtensionAt::FIELDS.json(&at)).collect()
            },
        ),
        field("Entities of the map", |at: &Self| {
            at.map.pmf.entities.len().into()
        })
        .json("entities"),
    ];

    const SIZES: &'a [Field<Self>] = &[field("Size", |at| at.map.sizes().into())];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        unread_entities(Some(&at.map.pmf.entities))
    })];

    fn header(self) -> &'a pmf::Header {
        &self.map.pmf.header
    }
}

impl Map {
    /// The paths of the files of the archive.
    fn archive_paths(&self) -> Vec<String> {
        let archive = self.pmf.archive.as_ref();
        archive.map_or_else(Vec::new, pmf::archive::Archive::file_paths)
    }

    /// The bytes of each part of the file.
    fn sizes(&self) -> Vec<Property> {
        let pmf = &self.pmf;
        let bytes = |count: u64| {
            let share = count as f64 * 100.0 / self.bytes.len().max(1) as f64;
            format!("{count} bytes ({share:.1} %)")
        };
        let mut sizes = Vec::new();
        let archive = pmf.archive.as_ref();
        let archive = archive.map_or(0, |archive| archive.bytes().len());
        let strings = pmf.strings.bytes().len() as u64;
        if let Some(start) = archive_start(pmf).filter(|_| !self.bytes.is_empty()) {
            sizes.push(Property::new("File", format!("{} bytes", self.bytes.len())));
            let header = start.saturating_sub(strings + 8);
            sizes.push(Property::new("Header", bytes(header)));
        }
        let table = Some(LevelItem::STRINGS_OF_FILE);
        sizes.push(linked("String table", bytes(strings), table));
        sizes.push(Property::new("Archive", bytes(archive as u64)));
        let extensions = pmf.extensions.iter().enumerate();
        sizes.extend(listed(extensions, "Extension", |(index, extension)| {
            let index = index as u32;
            let size = bytes(extension.size.into());
            let text = format!("{}: {size}", extension.name);
            Some(linked(
                "Extension",
                text,
                Some(LevelItem::Extension { index }),
            ))
        }));
        for (index, level) in pmf.levels.iter().enumerate().take(MAX_LEVELS) {
            let [packed, unpacked] = packed_of(level);
            let text = format!(
                "{index}: {}, decoded {unpacked}, {}",
                bytes(level.size.into()),
                ratio(packed, unpacked)
            );
            sizes.push(linked("Level", text, Some(LevelItem::level(index))));
        }
        let entities = bytes(pmf.entities.bytes().len() as u64);
        sizes.push(Property::new("Entities", entities));
        sizes
    }

    /// A level by its number.
    pub(super) fn level_at(&self, number: usize) -> Option<LevelAt<'_>> {
        let (data, source) = self.level(number)?;
        Some(LevelAt {
            map: self,
            number,
            data,
            source,
        })
    }

    /// Lines that lead to string tables, with what is in each; those that are not there are left out.
    fn string_tables(
        &self,
        tables: impl IntoIterator<Item = (&'static str, LevelItem)>,
    ) -> Vec<Property> {
        let lines = tables.into_iter().filter_map(|(name, item)| {
            let note = self.described(item)?.note();
            Some(linked(name, note, Some(item)))
        });
        lines.collect()
    }

    /// The record of an item with its fields; none for an item that is not there.
    pub(super) fn described(&self, item: LevelItem) -> Option<Box<dyn Describe + '_>> {
        Some(match item {
            LevelItem::Map => MapAt::FIELDS.of(MapAt { map: self }),
            LevelItem::Level { level } => LevelAt::FIELDS.of(self.level_at(level as usize)?),
            LevelItem::Chunk { .. } => ChunkAt::FIELDS.of(self.chunk_of(item)?),
            LevelItem::Cube { .. } | LevelItem::Face { .. } => {
                CubeRecord::FIELDS.of(self.cube_record(item)?)
            }
            LevelItem::CubeType { .. } => CubeTypeAt::FIELDS.of(self.cube_type_at(item)?),
            LevelItem::Material { .. } => MaterialAt::FIELDS.of(self.material_at(item)?),
            LevelItem::PhysicsMaterial { .. } => {
                PhysicsMaterialAt::FIELDS.of(self.physics_material_at(item)?)
            }
            LevelItem::SoundMaterial { .. } => {
                SoundMaterialAt::FIELDS.of(self.sound_material_at(item)?)
            }
            LevelItem::Lightmap { .. } => LightmapAt::FIELDS.of(self.lightmap_at(item)?),
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                LightAt::FIELDS.of(self.light_at(item)?)
            }
            LevelItem::Weather { .. }
            | LevelItem::Gravity { .. }
            | LevelItem::SoundEnvironment { .. }
            | LevelItem::Sky { .. } => EnvironmentAt::FIELDS.of(self.environment_at(item)?),
            LevelItem::Region { .. } => RegionAt::FIELDS.of(self.region_at(item)?),
            LevelItem::ServerRegion { .. } => {
                ServerRegionAt::FIELDS.of(self.server_region_at(item)?)
            }
            LevelItem::Entity { .. } => EntityAt::FIELDS.of(self.entity_at(item)?),
            LevelItem::EntityType { entity_type } => {
                EntityTypeAt::FIELDS.of(self.entity_type_at(entity_type)?)
            }
            LevelItem::Gamemode { index } => {
                GamemodeAt::FIELDS.of(self.gamemode_at(index as usize)?)
            }
            LevelItem::Strings { .. } => StringTableAt::FIELDS.of(self.string_table_at(item)?),
            LevelItem::ArchiveFile { index } => {
                ArchiveFileAt::FIELDS.of(self.archive_file_at(index as usize)?)
            }
            LevelItem::Extension { index } => {
                ExtensionAt::FIELDS.of(self.extension_at(index as usize)?)
            }
            LevelItem::Clip => ClipAt::FIELDS.of(self.clip_at()?),
        })
    }

    fn cube_type_at(&self, item: LevelItem) -> Option<CubeTypeAt<'_>> {
        let LevelItem::CubeType { level, cube_type } = item else {
            return None;
        };
        let level = self.level_at(level as usize)?;
        let kind = *CubeKind::ALL.get(usize::from(cube_type))?;
        let count = *level.counts().kinds.get(usize::from(cube_type))?;
        Some(CubeTypeAt { level, kind, count })
    }

    fn lightmap_at(&self, item: LevelItem) -> Option<LightmapAt<'_>> {
        let LevelItem::Lightmap { index, .. } = item else {
            return None;
        };
        let at = self.chunk_of(item)?;
        let map = at.client()?.lightmaps.get(index as usize)?;
        let side = map.side();
        Some(LightmapAt {
            at,
            item,
            index,
            side,
        })
    }

    fn clip_at(&self) -> Option<ClipAt<'_>> {
        let clip = self.clips.first()?;
        Some(ClipAt { map: self, clip })
    }
}

/// A level of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelAt<'a> {
    pub(super) map: &'a Map,
    pub(super) number: usize,
    pub(super) data: &'a Level,
    pub(super) source: &'a pmf::Level,
}

impl<'a> LevelAt<'a> {
    /// What is known of a level.
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Level", Self::LEVEL),
            section("Cubes", Self::CUBES),
            section("Depths", Self::DEPTHS),
            section("Defaults", Self::DEFAULTS),
            section("Sections", Self::SECTIONS),
            section("Sections of all chunks", Self::CHUNK_SECTIONS),
            section("String tables", Self::TABLES),
            section("Entities that are not read", Self::UNREAD),
        ],
    };

    const LEVEL: &'a [Field<Self>] = &[
        field("Index", |at: &Self| at.number.into()).in_summary_as("Level"),
        field("Chunks", |at: &Self| {
            let [y, x, z] = at.source.grid;
            format!("{y} along Y, {x} along X, {z} along Z").into()
        })
        .summary("Chunks", |at| {
            let [y, x, z] = at.source.grid;
            format!("{x} x {y} x {z}").into()
        })
        .json_as("grid", |at| json!(at.source.grid)),
        field("Unreadable chunks", |at| {
            let chunks = at.source.chunks.iter();
            chunks.filter(|chunk| chunk.data.is_none()).count().into()
        }),
        field("Chunk size", |at: &Self| {
            format!("{} m", short(at.source.chunk_side())).into()
        })
        .in_summary()
        .json_as("chunk_size", |at| number(at.source.chunk_side())),
        field("Center chunk", |at: &Self| {
            let center = at.source.chunk_number(at.source.center);
            let item = center.map(|center| LevelItem::chunk(at.number, center));
            Value::from(at.source.center.to_string()).link_if(item)
        })
        .json_as("center", |at| json!(at.source.center.yxz())),
        field("Flags", |at| Value::bits(at.source.flags)),
        field("Players keep", |at| at.kept().into()),
        field("Offset", |at| format!("{:#x}", at.source.offset).into()),
        field("Bytes", |at| at.source.size.into()),
        json_only("entities", |at| {
            let server = at.source.server.as_ref();
            server.map_or(0, |server| server.entities.len()).into()
        }),
    ];

    const CUBES: &'a [Field<Self>] = &[
        field("Cubes", |at| {
            let kinds = CubeKind::ALL.iter().zip(at.counts().kinds);
            let lines = kinds.map(|(kind, count)| {
                let item = LevelItem::cube_type(at.number, *kind);
                linked(kind.name(), count.to_string(), Some(item))
            });
            Value::lines(lines)
        }),
        field("Not reached", |at| at.counts().orphans.into()),
    ];

    const DEPTHS: &'a [Field<Self>] = &[field("Depth", |at| {
        let counts = at.counts();
        let depths = counts.depths.iter().enumerate();
        let lines = depths.take(usize::from(counts.deepest()) + 1);
        let lines = lines.map(|(depth, count)| {
            let cells = counted(*count as usize, "cell");
            Property::new("Depth", format!("{depth}: {cells}"))
        });
        Value::lines(lines)
    })];

    const DEFAULTS: &'a [Field<Self>] = &[
        field("Air physics material", |at| {
            let common = &at.source.common;
            common.strings.brief(common.air_physics).into()
        }),
        field("Environments", |at: &Self| at.environments().into())
            .json_as("environments", Self::environments_json),
        field("Sounds named by chunks", |at| {
            let labels = at.map.sound_labels(at.number);
            (!labels.is_empty()).then(|| labels.join(", ")).into()
        }),
        json_only("materials", |at| {
            let common = &at.source.common;
            let names = common.materials.iter().map(|material| material.name);
            names.map(|name| text(&common.strings, name)).collect()
        }),
    ];

    const SECTIONS: &'a [Field<Self>] =
        &[field("Section", |at| sections(&at.source.frames).into())];

    const CHUNK_SECTIONS: &'a [Field<Self>] = &[field("Section", |at: &Self| {
        let sizes = packed_of_chunks(at.source);
        let lines = SECTION_NAMES.into_iter().zip(sizes);
        let lines = lines.map(|(name, [packed, unpacked])| {
            let ratio = ratio(packed, unpacked);
            let text = format!("{packed} bytes, {unpacked} decoded, {ratio}");
            Property::new(name, text)
        });
        Value::lines(lines)
    })
    .json_as("chunks", |at| {
        let chunks = at.map.chunks_of(at.number);
        chunks.map(|at| ChunkAt::FIELDS.json(&at)).collect()
    })];

    const TABLES: &'a [Field<Self>] = &[field("String table", |at| {
        let sides = Side::ALL.into_iter().zip(SECTION_NAMES);
        let tables = sides.map(|(side, name)| (name, LevelItem::strings_of_level(at.number, side)));
        at.map.string_tables(tables).into()
    })];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        let server = at.source.server.as_ref();
        unread_entities(server.map(|server| &server.entities))
    })];

    /// Its number, which leads to it.
    pub(super) fn link(&self) -> Value {
        Value::from(self.number).link(LevelItem::level(self.number))
    }

    /// How many of what it has.
    pub(super) fn counts(&self) -> &'a Counts {
        self.data.counts(self.source)
    }

    /// What players keep when they come from another level.
    fn kept(&self) -> String {
        let keeps = [
            (pmf::Level::KEEP_VELOCITY, "velocity"),
            (pmf::Level::KEEP_CHUNK, "chunk"),
            (pmf::Level::KEEP_PLACE, "place in the chunk"),
        ];
        let kept = keeps
            .iter()
            .filter(|(flag, _)| self.source.flags & flag != 0);
        let kept: Vec<&str> = kept.map(|(_, name)| *name).collect();
        if kept.is_empty() {
            "nothing".to_owned()
        } else {
            kept.join(", ")
        }
    }

    /// The default environment of each kind.
    fn environments(&self) -> Vec<Property> {
        let kinds = Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, default) = of.names(self.source)?;
            let default = strings.brief(default);
            let default = if default.is_empty() {
                "none"
            } else {
                &*default
            };
            let text = format!("{default} by default, of {}", names.len());
            Some(Property::new(of.name(), text))
        });
        kinds.collect()
    }

    /// The names of the environments of each kind, and which is the default.
    fn environments_json(&self) -> Json {
        let kinds = Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, default) = of.names(self.source)?;
            let names: Vec<Json> = names.iter().map(|name| text(strings, *name)).collect();
            let of_kind = json!({"names": names, "default": text(strings, default)});
            Some((of.name().to_lowercase(), of_kind))
        });
        Json::Object(kinds.collect())
    }
}

impl<'a> ChunkAt<'a> {
    /// What is known of a chunk.
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Chunk", Self::CHUNK),
            section("Cubes", Self::CUBES),
            section("Uses", Self::USES),
            section("Regions", Self::REGIONS),
            section("Lights", Self::LIGHTS),
            section("Lightmaps", Self::LIGHTMAPS),
            section("String tables", Self::TABLES),
            section("Sections", Self::SECTIONS),
            section("Entities that are not read", Self::UNREAD),
        ],
    };

    const CHUNK: &'a [Field<Self>] = &[
                    field("Level", |at| {
                        Value::from(at.level_number).link(LevelItem::level(at.level_number))
                    }),
                    field("Chunk", |at: &Self| {
                        format!("{} (Y, X, Z)", at.chunk.index).into()
                    })
                    .summary("Chunk", |at| at.chunk.index.to_string().into())
                    .json_as("index", |at| json!(at.chunk.index.yxz())),
                    field("Center", |at| at.center().into()),
                    field("From", |at| at.bounds().min.into()),
                    field("To", |at| at.bounds().max.into()),
                    field("Faces", |at| at.of_mesh(|mesh| mesh.faces.len())),
                    field("Triangles", |at: &Self| {
                        at.of_mesh(|mesh| mesh.indices.len() / 3)
                    })
                    .json_as("triangles", |at| at.triangle_count().into()),
                    field("Vertices", |at: &Self| {
                        at.client().map(|client| client.vertices.len()).into()
                    })
                    .json_as("vertices", |at| {
                        at.client().map_or(0, |client| client.vertices.len()).into()
                    }),
                    field("Normals", |at: &Self| {
                        at.client().map(|client| client.normals.len()).into()
                    })
                    .json_as("normals", |at| {
                        at.client().map_or(0, |client| client.normals.len()).into()
                    }),
                    field("Lightmaps", |at: &Self| {
                        at.client().map(|client| client.lightmaps.len()).into()
                    })
                    .json_as("lightmaps", |at| {
                        let lightmaps = at.client().map_or(&[][..], |c| &c.lightmaps).iter();
                        let of_map = |map: &pmf::Lightmap| {
                            json!({"side": map.side(), "crc32": crc32fast::hash(&map.luxels)})
                        };
                        lightmaps.map(of_map).collect()
                    }),
                    field("Entities", |at: &Self| {
                        at.server().map(|server| server.entities.len()).into()
                    })
                    .json_as("entities", |at| {
                        at.server().map_or(0, |server| server.entities.len()).into()
                    }),
                    field("Contents", |at: &Self| {
                        at.data().is_none().then_some("cannot be read").into()
                    })
                    .json_as("readable", |at| at.data().is_some().into()),
                    field("Problem", |at| at.problems().into()),
                ];

    const CUBES: &'a [Field<Self>] = &[
        field("Cubes", |at: &Self| {
            let count = at.data().map(|data| data.cubes.len());
            Value::from(count).link(at.cube_item(0))
        })
        .summary("Cubes", |at| match at.data() {
            Some(data) => data.cubes.len().into(),
            None => "cannot be read".into(),
        })
        .note(|at| match at.data() {
            Some(data) => counted(data.cubes.len(), "cube").into(),
            None => "cannot be read".into(),
        })
        .json_as("cubes", |at| {
            at.data().map_or(0, |data| data.cubes.len()).into()
        }),
        field("Type", |at: &Self| {
            let counts = at.data().map(|_| at.counts_by_type());
            let kinds = CubeKind::ALL.iter().zip(counts.into_iter().flatten());
            Value::lines(kinds.map(|(k, n)| Property::new(k.name(), n.to_string())))
        })
        .json_as("by_type", |at| {
            let kinds = CubeKind::ALL.iter().zip(at.counts_by_type());
            let kinds = kinds.map(|(kind, count)| (kind.name().to_owned(), count.into()));
            Json::Object(kinds.collect())
        }),
        field("Not reached", |at| {
            at.data().map(|data| data.cubes.orphans()).into()
        }),
    ];

    const USES: &'a [Field<Self>] = &[field("Use", |at| at.uses().into())];

    const REGIONS: &'a [Field<Self>] = &[field("Region", |at: &Self| at.region_lines().into())
        .json_as("regions", |at| at.data().map(regions_json).into())];

    const LIGHTS: &'a [Field<Self>] = &[field("Light", |at| {
        Value::lines(
            at.lights()
                .map(|light| linked("Light", at.map.light_name(light), Some(light))),
        )
    })];

    const LIGHTMAPS: &'a [Field<Self>] = &[field("Lightmap", |at| {
        let lightmaps = at.client().map_or(&[][..], |client| &client.lightmaps);
        let lines = lightmaps.iter().enumerate().map(|(index, map)| {
            let text = format!("{index}: {0} x {0} luxels", map.side());
            linked("Lightmap", text, Some(at.lightmap_item(index)))
        });
        Value::lines(lines)
    })];

    const TABLES: &'a [Field<Self>] = &[field("String table", |at| {
        let names = [
            ("Common and client", Side::Common),
            ("Server", Side::Server),
        ];
        let tables = names.map(|(name, side)| (name, at.strings_item(side)));
        at.map.string_tables(tables).into()
    })];

    const SECTIONS: &'a [Field<Self>] = &[
        field("Section", |at| sections(&at.chunk.frames).into()),
        field("Together", |at| {
            format!("{} bytes", packed_bytes(at.chunk)).into()
        }),
    ];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        unread_entities(at.server().map(|server| &server.entities))
    })];

    pub(super) fn data(&self) -> Option<&'a ChunkData> {
        self.chunk.data.as_deref()
    }

    pub(super) fn client(&self) -> Option<&'a ChunkClient> {
        self.data()?.client.as_ref()
    }

    pub(super) fn server(&self) -> Option<&'a ChunkServer> {
        self.data()?.server.as_ref()
    }

    /// How many of something its mesh has; nothing of a chunk that cannot be read.
    fn of_mesh(&self, count: impl Fn(&ChunkMesh) -> usize) -> Value {
        let level = self.map.levels.get(self.level_number);
        let mesh = level.and_then(|level| level.mesh(self.number));
        self.data().map(|_| mesh.map_or(0, count)).into()
    }

    /// The triangles of its boxes that are drawn; a quad has two.
    fn triangle_count(&self) -> u64 {
        let cubes = self.data().map(|data| &data.cubes).into_iter();
        let triangles = cubes.flat_map(|cubes| {
            let reached = cubes.iter().filter(|(cube, _)| cubes.is_reached(*cube));
            reached.map(|(_, cube)| match cube {
                Cube::Geometry(geometry) => {
                    geometry.faces().map(|face| u64::from(face.triangles)).sum()
                }
                _ => 0,
            })
        });
        triangles.sum()
    }

    fn counts_by_type(&self) -> [u64; CubeKind::ALL.len()] {
        let mut counts = [0; CubeKind::ALL.len()];
        let cubes = self.data().map(|data| &data.cubes).into_iter();
        for kind in cubes.flat_map(|cubes| (0..cubes.len() as u32).map(|i| cubes.kind(i))) {
            if let Some(count) = kind.and_then(|kind| counts.get_mut(kind as usize)) {
                *count += 1;
            }
        }
        counts
    }

    /// Why it cannot be read.
    fn problems(&self) -> Vec<Property> {
        if self.data().is_some() {
            return Vec::new();
        }
        let item = Some(self.item());
        let problems = self.map.about.problems.iter();
        let about = problems.filter(|problem| self.map.item_of_problem(problem) == item);
        let about: Vec<_> = about.collect();
        listed(about.into_iter(), "Problem", |problem| {
            Some(Property::new("Problem", &*problem.message))
        })
    }

    /// The materials that its faces have.
    fn uses(&self) -> Vec<Property> {
        let Some(data) = self.data() else {
            return Vec::new();
        };
        let (level, strings) = (self.level_number, &data.strings);
        let common = &self.level.common;
        let (materials, physics) = (common.materials_by_name(), common.physics_by_name());
        let mut uses = Vec::new();
        for name in &data.materials {
            let text = strings.brief(*name);
            let found = strings.name(*name).and_then(|name| materials.get(name));
            uses.push(match found {
                Some(index) => Property {
                    swatch: self.map.material_swatch(level, *index),
                    ..linked("Material", text, Some(LevelItem::material(level, *index)))
                },
                None => Property::new("Material", format!("{text} (the level has none)")),
            });
        }
        for name in &data.physics_materials {
            let found = strings.name(*name).and_then(|name| physics.get(name));
            let item = found.map(|index| LevelItem::physics_material(level, *index));
            uses.push(linked("Physics material", strings.brief(*name), item));
        }
        for name in &data.sound_materials {
            uses.push(Property::new("Sound material", strings.brief(*name)));
        }
        uses
    }

    fn region_lines(&self) -> Vec<Property> {
        let Some(data) = self.data() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for of in Environment::ALL {
            for (index, region) in of.regions(data).iter().enumerate() {
                let name = data.strings.brief(region.environment);
                lines.push(linked(of.name(), name, Some(self.region_item(of, index))));
            }
        }
        for (index, region) in self.server_regions() {
            let count = counted(region.chunks.len(), "chunk");
            let text = format!("keeps {count} active");
            lines.push(linked("Server", text, Some(self.server_region_item(index))));
        }
        lines
    }

    /// The regions of the server, with their indices.
    pub(super) fn server_regions(
        &self,
    ) -> impl Iterator<Item = (usize, &'a pmf::ServerRegion)> + use<'a> {
        let regions = self.server().map_or(&[][..], |server| &server.regions);
        regions.iter().enumerate()
    }

    /// The lights that reach its cubes, the dynamic ones first.
    fn lights(&self) -> impl Iterator<Item = LevelItem> {
        let level = self.level_number;
        self.data().into_iter().flat_map(move |data| {
            let dynamic = data.dynamic_lights.iter();
            let dynamic = dynamic.map(move |light| LightKind::Dynamic.item(level, light.id));
            let fast = data.fast_lights.iter();
            dynamic.chain(fast.map(move |light| LightKind::Fast.item(level, light.id)))
        })
    }
}

/// The regions of a chunk: of environments their names, of the server how many chunks each keeps
/// active.
fn regions_json(data: &ChunkData) -> Json {
    let environments = Environment::ALL.into_iter().map(|of| {
        let regions = of.regions(data).iter();
        let names: Json = regions
            .map(|region| text(&data.strings, region.environment))
            .collect();
        (of.name().to_lowercase(), names)
    });
    let server = data.server.iter().flat_map(|server| &server.regions);
    let server: Json = server
        .map(|region| Json::from(region.chunks.len()))
        .collect();
    let all = environments.chain([("server".to_owned(), server)]);
    Json::Object(all.collect())
}

/// All cubes of a type in a level.
#[derive(Debug, Clone, Copy)]
struct CubeTypeAt<'a> {
    level: LevelAt<'a>,
    kind: CubeKind,
    count: u64,
}

impl<'a> CubeTypeAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Cube type", Self::TYPE)],
    };

    const TYPE: &'a [Field<Self>] = &[
        field("Type", |at: &Self| at.kind.name().into()).in_summary(),
        field("Number", |at| (at.kind as u8).into()),
        field("Level", |at| at.level.number.into()),
        field("Cubes", |at: &Self| at.count.into())
            .in_summary()
            .in_note(),
    ];
}

/// The clip of the materials that move.
#[derive(Debug, Clone, Copy)]
struct ClipAt<'a> {
    map: &'a Map,
    clip: &'a ClipInfo,
}

impl<'a> ClipAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Clip", Self::CLIP)],
    };

    const CLIP: &'a [Field<Self>] = &[
        field("Name", |at: &Self| at.clip.name.as_str().into()).in_summary_as("Clip"),
        field("Frames", |at| at.clip.frames.into()),
        field("Lasts", |at: &Self| {
            format!("{} s", short(Map::clip_secs(at.clip))).into()
        })
        .in_summary(),
        field("Moves", |at: &Self| {
            let moving: Vec<_> = at.map.moving_materials().collect();
            let moving = moving.into_iter();
            let lines = listed(moving, "Moves", |(level, index, material)| {
                let text = format!("{}: {}", material.name, material.motion_text());
                Some(linked(
                    "Moves",
                    text,
                    Some(LevelItem::material(level, index)),
                ))
            });
            lines.into()
        })
        .summary("Materials", |at| at.map.moving_materials().count().into()),
    ];
}

/// A lightmap of a chunk.
#[derive(Debug, Clone, Copy)]
struct LightmapAt<'a> {
    at: ChunkAt<'a>,
    item: LevelItem,
    index: u32,
    side: u32,
}

impl<'a> LightmapAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Lightmap", Self::LIGHTMAP)],
    };

    const LIGHTMAP: &'a [Field<Self>] = &[
        field("Chunk", |map: &Self| {
            Value::from(map.at.chunk.index.to_string()).link(map.at.item())
        })
        .in_summary(),
        field("Index", |map: &Self| map.index.into()).in_summary_as("Lightmap"),
        field("Size", |map: &Self| {
            format!("{0} x {0} luxels", map.side).into()
        })
        .summary("Size", |map| format!("{0} x {0}", map.side).into())
        .note(|map| format!("{0} x {0}", map.side).into()),
        field("Bytes", |map| (3 * map.side * map.side).into()),
        field("Faces", |map| {
            let faces = map.at.map.lit_faces(map.item, |_, _, _, _| Some(()));
            faces.len().into()
        }),
        field("Light", |map| {
            let level = map.at.level_number;
            let lights = map.at.data().map_or(&[][..], |data| &data.dynamic_lights);
            let looks = map.at.client().map_or(&[][..], |c| &c.dynamic_lights);
            let lit = lights.iter().zip(looks).filter(|(_, look)| {
                let mut layers = look.layers.iter();
                layers.any(|layer| u32::from(layer.lightmap) == map.index)
            });
            let lines = lit.map(|(light, _)| {
                let light = LightKind::Dynamic.item(level, light.id);
                linked("Light", map.at.map.light_name(light), Some(light))
            });
            Value::lines(lines)
        }),
    ];
}

/// Packed and decoded bytes of the three sections of all chunks of a level.
fn packed_of_chunks(level: &pmf::Level) -> [[u64; 2]; 3] {
    let mut sums = [[0; 2]; 3];
    for chunk in &level.chunks {
        for ([packed, unpacked], frame) in sums.iter_mut().zip(&chunk.frames) {
            *packed += u64::from(frame.packed);
            *unpacked += u64::from(frame.unpacked);
        }
    }
    sums
}

/// Packed and decoded bytes of all sections of a level together: its own, and those of its chunks.
fn packed_of(level: &pmf::Level) -> [u64; 2] {
    let own = level.frames.iter();
    let own = own.map(|frame| [frame.packed, frame.unpacked].map(u64::from));
    let all = own.chain(packed_of_chunks(level));
    all.fold([0; 2], |[a, b], [packed, unpacked]| {
        [a + packed, b + unpacked]
    })
}

/// How many times as many bytes there are once decoded.
fn ratio(packed: u64, unpacked: u64) -> String {
    format!("{:.1} times", unpacked as f64 / packed.max(1) as f64)
}

/// How large sections are in the file and decoded.
fn sections(frames: &[Frame; 3]) -> Vec<Property> {
    let sections = SECTION_NAMES.into_iter().zip(frames);
    let lines = sections.map(|(name, frame)| {
        let text = if frame.is_empty() {
            "none".to_owned()
        } else {
            let Frame {
                start,
                packed,
                unpacked,
            } = frame;
            let ratio = ratio((*packed).into(), (*unpacked).into());
            format!("{packed} bytes at {start:#x}, {unpacked} decoded, {ratio}")
        };
        Property::new(name, text)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use mapscope_formats::pmf::LightReference;

    use super::*;
    use crate::level::sample::{self, properties, summary};
    use crate::numbers::xyz;
    use crate::{Document as _, OutlineNode, Owner};
    use mapscope_formats::pmf;

    fn of_level(item: Item) -> LevelItem {
        match item {
            Item::Level(item) => item,
            other => panic!("{other}"),
        }
    }

    fn items(lines: &[OutlineNode], items: &mut Vec<LevelItem>) {
        for line in lines {
            items.extend(line.item.map(of_level));
            self::items(&line.children, items);
        }
    }

    /// What is said of the contents of a cube of the first chunk.
    fn contents(map: &Map, cube: u32) -> Vec<(&'static str, String, Option<Item>)> {
        let groups = properties(map, LevelItem::cube(0, 0, cube));
        let group = groups.into_iter().find(|group| group.title == "Contents");
        let properties = group.unwrap().properties.into_iter();
        properties.map(|p| (p.name, p.value, p.link)).collect()
    }

    #[test]
    fn whatever_a_cube_lists_is_listed() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 1, 7);
        let level = &mut pmf.levels[0];
        let other = level.chunks[1].index;
        let data = level.chunks[0].data.as_mut().unwrap();
        let mut cubes = pmf::Cubes::default();
        cubes.push_parent(0b1001_0000, &[1, 2]);
        cubes.push_vis_info(3, [2, 4, 99], &[(other, vec![0]), (other, vec![])]);
        cubes.push_collider(5, [[[1.0; 3]; 8], [[-2.0, 3.0, 4.5]; 8]]);
        let dim = LightReference {
            light: 0,
            multiplier: 150,
        };
        let none = LightReference {
            light: 9,
            multiplier: 7,
        };
        cubes.push_light_info(Some(4), [1, 2, 3], &[dim; 200], &[dim, none]);
        cubes.push_empty();
        cubes.push_empty();
        cubes.link().unwrap();
        data.cubes = cubes;
        (data.dynamic_lights[0].id, data.fast_lights[0].id) = (41, 42);
        let map = sample::map(pmf);
        let cube = |index: u32| Some(Item::from(LevelItem::cube(0, 0, index)));

        let said = contents(&map, 0);
        assert_eq!(
            said[0],
            ("Cube", "+X -Y +Z: 1 (visinfo)".to_owned(), cube(1))
        );
        assert_eq!(
            said[1],
            ("Cube", "-X -Y -Z: 2 (collider)".to_owned(), cube(2))
        );

        let said = contents(&map, 1);
        let lines: Vec<_> = said
            .iter()
            .map(|(name, text, _)| format!("{name} {text}"))
            .collect();
        assert_eq!(
            lines,
            [
                "Cube 3 (lightinfo)",
                "Sees 3 other cubes of this chunk",
                "Sees cube 2 (collider)",
                "Sees cube 4 (empty)",
                "Sees cube 99 (not there)",
                "Sees chunk (0, 1, 0): 1 cube",
                "Sees cube (0, 1, 0) 0 (visinfo)",
                "Sees chunk (0, 1, 0): all of it",
            ]
        );
        assert_eq!((said[2].2, said[4].2), (cube(2), None));
        assert_eq!(
            (said[5].2, said[6].2),
            (
                Some(LevelItem::chunk(0, 1).into()),
                Some(LevelItem::cube(0, 1, 0).into())
            )
        );

        let said = contents(&map, 2);
        let boxes: Vec<_> = said.iter().filter(|(name, ..)| *name == "Box").collect();
        assert_eq!(boxes.len(), 2);
        let center = Vec3::from(map.pmf().levels[0].chunk_center(pmf::ChunkIndex::default()));
        let corner = xyz(center + Vec3::new(-2.0, 3.0, 4.5));
        let corners = said.iter().filter(|(_, text, _)| *text == corner);
        assert_eq!(corners.count(), 8);

        let said = contents(&map, 3);
        // All of them, by the names that they have elsewhere.
        let lights: Vec<_> = said.iter().filter(|(name, ..)| *name == "Light").collect();
        assert_eq!(lights.len(), 202);
        assert_eq!(lights[199].1, "Dynamic light 41, index 0, times 150 of 255");
        assert_eq!(lights[199].2, Some(LightKind::Dynamic.item(0, 41).into()));
        assert_eq!(lights[200].2, Some(LightKind::Fast.item(0, 42).into()));
        assert!(lights[201].1.starts_with("no such light") && lights[201].2.is_none());
    }

    #[test]
    fn long_lists_end_with_how_many_more_there_are() {
        let said = |count: u32| {
            let list: Vec<u32> = (0..count).collect();
            let list = listed(list.iter(), "Number", |i| {
                Some(Property::new("Number", i.to_string()))
            });
            (list.len(), list.last().map(|last| last.value.clone()))
        };
        assert_eq!(said(255), (255, Some("254".to_owned())));
        assert_eq!(said(300), (257, Some("and 44 more".to_owned())));
    }

    #[test]
    fn entities_that_are_not_read_are_shown_byte_by_byte() {
        use mapscope_formats::pmf::{EntityKind, EntityList, NewEntity, StringTableBuilder};
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let mut strings = StringTableBuilder::default();
        let list = EntityList {
            entities: vec![
                NewEntity::new(EntityKind::Dummy, "a"),
                NewEntity::new(EntityKind::Dummy, "b"),
            ],
            ..EntityList::default()
        };
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let mut bytes = pmf::write(&pmf, pmf::Packing::Stored).unwrap();
        // The type of the last entity is its last byte.
        *bytes.last_mut().unwrap() = 99;
        let map = sample::file(&bytes);
        let groups = properties(&map, LevelItem::Map);
        let unread = groups
            .iter()
            .find(|group| group.title == "Entities that are not read");
        let dump = &unread.unwrap().properties[3];
        assert_eq!((dump.bytes.len(), dump.bytes.last()), (17, Some(&99)));
        assert_eq!(unread.unwrap().properties[2].value, "17 bytes");
    }

    #[test]
    fn every_line_of_the_tree_and_every_link_leads_to_something() {
        let map = sample::with_archive();
        let mut waiting = Vec::new();
        items(&map.outline(), &mut waiting);
        let last = map.pmf().levels[0].chunks.len() - 1;
        waiting.extend((0..200).map(|cube| LevelItem::cube(0, last, cube)));
        waiting.extend((0..200).map(|cube| LevelItem::face(0, last, cube, 1)));
        let mut known = std::collections::HashSet::new();
        let mut kinds = std::collections::BTreeSet::new();
        while let Some(item) = waiting.pop() {
            if !known.insert(item) {
                continue;
            }
            kinds.insert(item.kind());
            let groups = properties(&map, item);
            assert!(!groups.is_empty(), "{item}");
            assert!(groups.iter().all(|group| !group.properties.is_empty()));
            assert!(!summary(&map, item).is_empty(), "{item}");
            let properties = groups.iter().flat_map(|group| &group.properties);
            waiting.extend(properties.filter_map(|property| property.link.map(of_level)));
        }
        let all = [
            "archive file",
            "chunk",
            "cube",
            "cube type",
            "dynamic light",
            "entity",
            "entity type",
            "environment region",
            "extension",
            "face",
            "fast light",
            "gamemode",
            "gravity",
            "level",
            "lightmap",
            "map",
            "material",
            "physics material",
            "server region",
            "sky",
            "sound environment",
            "sound material",
            "string table",
            "weather",
        ];
        assert!(kinds.iter().eq(all.iter()), "{kinds:?}");
        const NONE: u32 = u32::MAX;
        let owner = Owner::Chunk {
            level: 0,
            chunk: NONE,
        };
        let missing = [
            LevelItem::Level { level: NONE },
            LevelItem::chunk(0, NONE as usize),
            LevelItem::cube(0, 0, NONE),
            LevelItem::face(0, 0, 0, 6),
            LevelItem::CubeType {
                level: 0,
                cube_type: u8::MAX,
            },
            LevelItem::material(0, NONE as usize),
            LevelItem::Lightmap {
                level: 0,
                chunk: NONE,
                index: 0,
            },
            LightKind::Dynamic.item(0, NONE),
            LightKind::Fast.item(0, NONE),
            LevelItem::physics_material(0, NONE as usize),
            LevelItem::SoundMaterial {
                level: 0,
                index: NONE,
            },
            Environment::Weather.item(0, NONE as usize),
            Environment::Gravity.item(0, NONE as usize),
            Environment::Sound.item(0, NONE as usize),
            Environment::Sky.item(NONE as usize, 0),
            LevelItem::Region {
                level: 0,
                chunk: 0,
                environment: 0,
                index: NONE,
            },
            LevelItem::ServerRegion {
                level: 0,
                chunk: 0,
                index: NONE,
            },
            LevelItem::Entity {
                owner: Owner::Map,
                index: NONE,
            },
            LevelItem::EntityType { entity_type: NONE },
            LevelItem::Gamemode { index: NONE },
            LevelItem::Strings { owner, index: 0 },
            LevelItem::ArchiveFile { index: NONE },
            LevelItem::Extension { index: NONE },
            LevelItem::Clip,
        ];
        for none in missing {
            assert!(properties(&map, none).is_empty(), "{none}");
            assert!(summary(&map, none).is_empty(), "{none}");
            assert_eq!(map.bounds_of(none), None, "{none}");
        }
    }
}
