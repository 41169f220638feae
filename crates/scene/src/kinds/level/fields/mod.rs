//! Field tables of maps, levels, chunks and their contents, and the lookup of the tables of all
//! records ([`Map::described`]).

pub(super) mod cube;
pub(super) mod entity;
pub(super) mod environment;
pub(super) mod file;
pub(super) mod light;
pub(super) mod material;

use serde_json::{Value as Json, json};

use crate::describe::fields::{
    Describe, Field, ItemKeys, Table, Value, field, json_only, own_only, section, summary_only,
};
use crate::describe::numbers::{fixed, number, short};
use crate::describe::own::hex_text;
use crate::kinds::level::chunk_map::packed_bytes;
use crate::kinds::level::fields::cube::CubeRecord;
use crate::kinds::level::fields::entity::{EntityTypeAt, GamemodeAt};
use crate::kinds::level::fields::environment::{
    Environment, EnvironmentAt, RegionAt, ServerRegionAt,
};
use crate::kinds::level::fields::file::{ArchiveFileAt, ExtensionAt, StringTableAt, archive_start};
use crate::kinds::level::fields::light::LightAt;
use crate::kinds::level::fields::material::{MaterialAt, PhysicsMaterialAt, SoundMaterialAt};
use crate::kinds::level::items::{ChunkAt, EntityAt};
use crate::kinds::level::known::{Counts, kind_counts};
use crate::kinds::level::lights::LightKind;
use crate::kinds::level::mesh::ChunkMesh;
use crate::kinds::level::{Level, Map, date};
use crate::{ClipInfo, LevelItem, Property};
use mapscope_formats::pmf::{
    self, ChunkClient, ChunkData, ChunkServer, Cube, CubeKind, Entities, Frame, Side, StringRef,
    StringTable,
};
use mapscope_formats::{Problem, counted};

/// Maximum number of listed entries: the full range of a byte, or the first entries of longer
/// lists.
pub(in crate::kinds::level) const MAX_LISTED: usize = 256;
/// Maximum number of bytes in a line of text.
pub(in crate::kinds::level) const MAX_BYTES: usize = 256;
/// Maximum number of levels in the table of sizes.
const MAX_LEVELS: usize = 256;

/// Names of the sections of levels and chunks, in their order.
pub(in crate::kinds::level) const SECTION_NAMES: [&str; 3] = ["Common", "Client", "Server"];

/// Formats the first bytes, at most `max`, in hexadecimal.
pub(in crate::kinds::level) fn hex(bytes: &[u8], max: usize) -> String {
    let numbers = bytes.iter().take(max).map(|byte| format!("{byte:02x}"));
    let more = (bytes.len() > max).then(|| "...".to_owned());
    numbers.chain(more).collect::<Vec<_>>().join(" ")
}

/// Returns a name as JSON.
pub(in crate::kinds::level) fn text(strings: &StringTable, name: StringRef) -> Json {
    strings.brief(name).into()
}

/// Shows the unreadable rest of an entity list as bytes. It starts at the first entity that is
/// truncated or of an unknown type.
fn unread_entities(entities: Option<&Entities>) -> Value {
    let list = entities.and_then(|entities| Some((entities, entities.opaque()?)));
    let lines = list
        .filter(|(_, (_, bytes))| !bytes.is_empty())
        .map(|(entities, (at, bytes))| {
            let why = if entities.is_incomplete() {
                "the first is cut off"
            } else {
                "the first is of an unknown type"
            };
            vec![
                Property::new("Why", why),
                Property::new("Offset", format!("{at:#x} of their section")).derived(),
                Property::new("Size", counted(bytes.len(), "byte")),
                Property::dump(bytes),
            ]
        });
    lines.into()
}

/// The file as a whole.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct MapAt<'a> {
    pub(in crate::kinds::level) map: &'a Map,
}

impl<'a> MapAt<'a> {
    /// The fields of the file.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Map", Self::MAP),
            section("Sizes", Self::SIZES),
            section("Entities that are not read", Self::UNREAD),
        ],
    };

    /// The fields of the header.
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
        field("Read as of", |_| {
            format!("document of {}", pmf::DOCUMENT_DATE).into()
        })
        .derived(),
        field("Gamemodes", |at: &Self| {
            at.header().gamemodes.join(", ").into()
        })
        .json_as("gamemodes", |at| json!(at.header().gamemodes)),
    ];

    const MAP: &'a [Field<Self>] = &[
        field("Header", |at: &Self| Self::HEADER.properties(at).into())
            .json_as("header", |at| Self::HEADER.json(at).into()),
        json_only("document", |_| pmf::DOCUMENT_DATE.into()),
        summary_only("Map", |at| at.header().name.as_str().into()),
        field("Levels", |at: &Self| at.map.levels.len().into())
            .derived()
            .in_summary()
            .note(|at| counted(at.map.levels.len(), "level").into())
            .json_as("levels", |at| {
                let levels = (0..).map_while(|number| at.map.level_at(number));
                levels.map(|at| LevelAt::FIELDS.json(&at)).collect()
            }),
        field("Archive", |at: &Self| {
            counted(at.map.archive_paths().len(), "file").into()
        })
        .derived()
        .json_as("archive", |at| at.map.archive_paths().into()),
        field("Extensions", |at: &Self| at.map.pmf.extensions.len().into())
            .derived()
            .json_as("extensions", |at| {
                let extensions = (0..).map_while(|index| at.map.extension_at(index));
                extensions.map(|at| ExtensionAt::FIELDS.json(&at)).collect()
            }),
        field("Entities of the map", |at: &Self| {
            at.map.pmf.entities.len().into()
        })
        .derived()
        .json("entities"),
    ];

    const SIZES: &'a [Field<Self>] = &[
        field("File", |at: &Self| {
            let bytes = at.archive_start().map(|_| at.map.bytes.len());
            bytes.map(|bytes| format!("{bytes} bytes")).into()
        })
        .derived(),
        field("Header", |at: &Self| {
            let after = at.map.pmf.strings.bytes().len() + 8;
            let header = at
                .archive_start()
                .map(|start| start.saturating_sub(after as u64));
            header.map(|header| at.share(header)).into()
        })
        .derived(),
        field("String table", |at: &Self| {
            let bytes = at.map.pmf.strings.bytes().len();
            Value::from(at.share(bytes as u64)).link(LevelItem::STRINGS_OF_FILE)
        })
        .derived(),
        field("Archive", |at: &Self| {
            let archive = at.map.pmf.archive.as_ref();
            let bytes = archive.map_or(0, |archive| archive.bytes().len());
            at.share(bytes as u64).into()
        })
        .derived(),
        field("Extension", |at: &Self| {
            let extensions = at.map.pmf.extensions.iter().enumerate();
            let lines = extensions.map(|(index, extension)| {
                let index = index as u32;
                let size = at.share(extension.size.into());
                let text = format!("{}: {size}", extension.name);
                Value::from(text).link(LevelItem::Extension { index })
            });
            Value::list_up_to(MAX_LISTED, lines)
        })
        .derived(),
        field("Level", |at: &Self| {
            let levels = at.map.pmf.levels.iter().enumerate().take(MAX_LEVELS);
            Value::list(levels.map(|(index, level)| {
                let [packed, unpacked] = packed_of(level);
                let (share, ratio) = (at.share(level.size.into()), ratio(packed, unpacked));
                let text = format!("{index}: {share}, decoded {unpacked}, {ratio}");
                Value::from(text).link(LevelItem::level(index))
            }))
        })
        .derived(),
        field("Entities", |at: &Self| {
            at.share(at.map.pmf.entities.bytes().len() as u64).into()
        })
        .derived(),
    ];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        unread_entities(Some(&at.map.pmf.entities))
    })];

    fn header(self) -> &'a pmf::Header {
        &self.map.pmf.header
    }

    /// Offset of the archive, or `None` for a map that is not from a file.
    fn archive_start(self) -> Option<u64> {
        archive_start(&self.map.pmf).filter(|_| !self.map.bytes.is_empty())
    }

    /// Formats a number of bytes with its percentage of the file.
    fn share(self, bytes: u64) -> String {
        let share = bytes as f64 * 100.0 / self.map.bytes.len().max(1) as f64;
        format!("{bytes} bytes ({} %)", fixed(share, 1))
    }
}

impl Map {
    /// Returns the paths of the archive's files.
    pub(in crate::kinds::level) fn archive_paths(&self) -> Vec<String> {
        let archive = self.pmf.archive.as_ref();
        archive.map_or_else(Vec::new, pmf::archive::Archive::file_paths)
    }

    /// Returns a level by its number.
    pub(in crate::kinds::level) fn level_at(&self, number: usize) -> Option<LevelAt<'_>> {
        let (data, source) = self.level(number)?;
        Some(LevelAt {
            map: self,
            number,
            data,
            source,
        })
    }

    /// Lists existing string tables, each with its note.
    fn string_tables(&self, tables: impl IntoIterator<Item = (&'static str, LevelItem)>) -> Value {
        Value::list(tables.into_iter().filter_map(|(name, item)| {
            let note = self.described(item)?.note();
            Some(Value::from(note).named(name).link(item))
        }))
    }

    /// Returns the JSON keys of each kind of item.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        let mut kinds = vec![
            MapAt::FIELDS.keys("map"),
            LevelAt::FIELDS.keys("level"),
            ChunkAt::FIELDS.keys("chunk"),
            CubeRecord::FIELDS.keys("cube"),
            CubeRecord::FIELDS.keys("face"),
            CubeTypeAt::FIELDS.keys("cube type"),
            MaterialAt::FIELDS.keys("material"),
            LightmapAt::FIELDS.keys("lightmap"),
            LightAt::FIELDS.keys("dynamic light"),
            LightAt::FIELDS.keys("fast light"),
            PhysicsMaterialAt::FIELDS.keys("physics material"),
            SoundMaterialAt::FIELDS.keys("sound material"),
            RegionAt::FIELDS.keys("environment region"),
            ServerRegionAt::FIELDS.keys("server region"),
            EntityAt::FIELDS.keys("entity"),
            EntityTypeAt::FIELDS.keys("entity type"),
            GamemodeAt::FIELDS.keys("gamemode"),
            StringTableAt::FIELDS.keys("string table"),
            ArchiveFileAt::FIELDS.keys("archive file"),
            ExtensionAt::FIELDS.keys("extension"),
            ClipAt::FIELDS.keys("clip"),
        ];
        let environments = Environment::ALL.map(|of| of.item(0, 0).kind());
        kinds.extend(environments.map(|kind| EnvironmentAt::FIELDS.keys(kind)));
        kinds
    }

    /// Returns the record of an item with its fields, or `None` if the item does not exist.
    pub(in crate::kinds::level) fn described(
        &self,
        item: LevelItem,
    ) -> Option<Box<dyn Describe + '_>> {
        Some(match item {
            LevelItem::Map => MapAt::FIELDS.of(MapAt { map: self }),
            LevelItem::Level { level } => LevelAt::FIELDS.of(self.level_at(level as usize)?),
            LevelItem::Chunk { .. } => ChunkAt::FIELDS.of(self.chunk_of(item)?),
            LevelItem::Cube { .. } | LevelItem::Face { .. } => {
                CubeRecord::FIELDS.of(self.cube_record(item)?)
            }
            LevelItem::CubeType { level, cube_type } => {
                CubeTypeAt::FIELDS.of(self.cube_type_at(level, cube_type)?)
            }
            LevelItem::Material { level, index } => {
                MaterialAt::FIELDS.of(self.material_at(level, index)?)
            }
            LevelItem::PhysicsMaterial { level, index } => {
                let material = self.in_common(level, index, |common| &common.physics_materials);
                PhysicsMaterialAt::FIELDS.of(material?)
            }
            LevelItem::SoundMaterial { level, index } => {
                let material = self.in_common(level, index, |common| &common.sound_materials);
                SoundMaterialAt::FIELDS.of(material?)
            }
            LevelItem::Lightmap { index, .. } => {
                LightmapAt::FIELDS.of(self.chunk_of(item)?.lightmap(index)?)
            }
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
            LevelItem::Strings { owner, index } => {
                StringTableAt::FIELDS.of(self.string_table_at(owner, index)?)
            }
            LevelItem::ArchiveFile { index } => {
                ArchiveFileAt::FIELDS.of(self.archive_file_at(index as usize)?)
            }
            LevelItem::Extension { index } => {
                ExtensionAt::FIELDS.of(self.extension_at(index as usize)?)
            }
            LevelItem::Clip => ClipAt::FIELDS.of(ClipAt {
                map: self,
                clip: self.clips.first()?,
            }),
        })
    }

    fn cube_type_at(&self, level: u32, cube_type: u8) -> Option<CubeTypeAt<'_>> {
        let level = self.level_at(level as usize)?;
        let kind = *CubeKind::ALL.get(usize::from(cube_type))?;
        let count = *level.counts().kinds.get(usize::from(cube_type))?;
        Some(CubeTypeAt { level, kind, count })
    }
}

/// A level of a map.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct LevelAt<'a> {
    pub(in crate::kinds::level) map: &'a Map,
    pub(in crate::kinds::level) number: usize,
    pub(in crate::kinds::level) data: &'a Level,
    pub(in crate::kinds::level) source: &'a pmf::Level,
}

impl<'a> LevelAt<'a> {
    /// The fields of a level.
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
        field("Index", |at: &Self| at.number.into())
            .derived()
            .in_summary_as("Level"),
        field("Chunks", |at: &Self| {
            let [y, x, z] = at.source.grid;
            format!("{y} along Y, {x} along X, {z} along Z").into()
        })
        .summary("Chunks", |at| {
            let [y, x, z] = at.source.grid;
            format!("{x} x {y} x {z}").into()
        })
        .json_as("grid", |at| json!(at.source.grid)),
        field("Unreadable chunks", |at: &Self| {
            let chunks = at.source.chunks.iter();
            chunks.filter(|chunk| chunk.data.is_none()).count().into()
        })
        .derived(),
        field("Contents", |at: &Self| {
            let is_whole = at.map.is_level_whole(at.number);
            (!is_whole).then_some("something is left out").into()
        })
        .json_as("readable", |at| at.map.is_level_whole(at.number).into())
        .derived(),
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
        field("Players keep", |at: &Self| at.kept().into()).derived(),
        field("Offset", |at: &Self| {
            format!("{:#x}", at.source.offset).into()
        })
        .place(),
        field("Bytes", |at: &Self| at.source.size.into()).derived(),
        json_only("entities", |at| {
            let server = at.source.server.as_ref();
            server.map_or(0, |server| server.entities.len()).into()
        }),
    ];

    const CUBES: &'a [Field<Self>] = &[
        field("Cubes", |at: &Self| {
            let kinds = CubeKind::ALL.into_iter().zip(at.counts().kinds);
            Value::list(kinds.map(|(kind, count)| {
                let item = LevelItem::cube_type(at.number, kind);
                Value::from(count).named(kind.name()).link(item)
            }))
        })
        .derived(),
        field("Not reached", |at: &Self| at.counts().orphans.into()).derived(),
    ];

    const DEPTHS: &'a [Field<Self>] = &[field("Depth", |at: &Self| {
        let counts = at.counts();
        let depths = counts
            .depths
            .iter()
            .enumerate()
            .take(usize::from(counts.deepest()) + 1);
        Value::list(depths.map(|(depth, count)| {
            let cells = counted(*count as usize, "cell");
            format!("{depth}: {cells}")
        }))
    })
    .derived()];

    const DEFAULTS: &'a [Field<Self>] = &[
        field("Air physics material", |at| {
            let common = &at.source.common;
            common.strings.told(common.air_physics).into()
        }),
        field("Environments", Self::environments).json_as("environments", Self::environments_json),
        field("Sounds named by chunks", |at: &Self| {
            let labels = at.map.sound_labels(at.number);
            (!labels.is_empty()).then(|| labels.join(", ")).into()
        })
        .derived(),
        json_only("materials", |at| {
            let common = &at.source.common;
            let names = common.materials.iter().map(|material| material.name);
            names.map(|name| text(&common.strings, name)).collect()
        }),
    ];

    const SECTIONS: &'a [Field<Self>] =
        &[field("Section", |at: &Self| sections(&at.source.frames)).derived()];

    const CHUNK_SECTIONS: &'a [Field<Self>] = &[field("Section", |at: &Self| {
        let sizes = packed_of_chunks(at.source);
        let sizes = SECTION_NAMES.into_iter().zip(sizes);
        Value::list(sizes.map(|(name, [packed, unpacked])| {
            let ratio = ratio(packed, unpacked);
            Value::from(format!("{packed} bytes, {unpacked} decoded, {ratio}")).named(name)
        }))
    })
    .derived()
    .json_as("chunks", |at| {
        let chunks = at.map.chunks_of(at.number);
        chunks.map(|at| ChunkAt::FIELDS.json(&at)).collect()
    })];

    const TABLES: &'a [Field<Self>] = &[field("String table", |at: &Self| {
        let sides = Side::ALL.into_iter().zip(SECTION_NAMES);
        let tables = sides.map(|(side, name)| (name, LevelItem::strings_of_level(at.number, side)));
        at.map.string_tables(tables)
    })
    .derived()];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        let server = at.source.server.as_ref();
        unread_entities(server.map(|server| &server.entities))
    })];

    /// Its number, as a link to the level.
    pub(in crate::kinds::level) fn link(&self) -> Value {
        Value::from(self.number).link(LevelItem::level(self.number))
    }

    /// Returns the counts of its contents.
    pub(in crate::kinds::level) fn counts(&self) -> &'a Counts {
        self.data.counts(self.source)
    }

    /// Lists the player state that is kept on arrival from another level.
    fn kept(&self) -> String {
        let keeps = [
            (pmf::Level::KEEP_VELOCITY, "velocity"),
            (pmf::Level::KEEP_CHUNK, "chunk"),
            (pmf::Level::KEEP_PLACE, "place in the chunk"),
        ];
        let kept: Vec<&str> = keeps
            .into_iter()
            .filter(|(flag, _)| self.source.flags & flag != 0)
            .map(|(_, name)| name)
            .collect();
        match &kept[..] {
            [] => "nothing".to_owned(),
            kept => kept.join(", "),
        }
    }

    /// Lists the default environment of each kind.
    fn environments(&self) -> Value {
        Value::list(Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, default) = of.names(self.source)?;
            let default = match &*strings.told(default) {
                "" => "none".to_owned(),
                name => name.to_owned(),
            };
            let text = format!("{default} by default, of {}", names.len());
            Some(Value::from(text).named(of.name()))
        }))
    }

    /// Returns the names of the environments of each kind and the default one, as JSON.
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
    /// The fields of a chunk.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
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
        field("Level", |at: &Self| {
            Value::from(at.level_number).link(LevelItem::level(at.level_number))
        }).derived(),
        field("Chunk", |at: &Self| {
            format!("{} (Y, X, Z)", at.chunk.index).into()
        }).derived()
        .summary("Chunk", |at| at.chunk.index.to_string().into())
        .json_as("index", |at| json!(at.chunk.index.yxz())),
        field("Center", |at: &Self| at.center().into()).derived(),
        field("From", |at: &Self| at.bounds().min.into()).derived(),
        field("To", |at: &Self| at.bounds().max.into()).derived(),
        field("Faces", |at: &Self| at.of_mesh(|mesh| mesh.faces.len())).derived(),
        field("Triangles", |at: &Self| {
            at.of_mesh(|mesh| mesh.indices.len() / 3)
        }).derived()
        .json_as("triangles", |at| at.triangle_count().into()),
        field("Vertices", |at: &Self| {
            at.client().map(|client| client.vertices.len()).into()
        }).derived()
        .json_or_0("vertices"),
        field("Normals", |at: &Self| {
            at.client().map(|client| client.normals.len()).into()
        }).derived()
        .json_or_0("normals"),
        field("Lightmaps", |at: &Self| {
            at.client().map(|client| client.lightmaps.len()).into()
        }).derived()
        .json_as("lightmaps", |at| {
            let of_map = |map: &pmf::Lightmap| {
                json!({"side": map.side(), "crc32": crc32fast::hash(&map.luxels)})
            };
            at.lightmaps().iter().map(of_map).collect()
        }),
        field("Entities", |at: &Self| {
            at.server().map(|server| server.entities.len()).into()
        }).derived()
        .json_or_0("entities"),
        field("Contents", |at: &Self| {
            let what = match at.data() {
                None => "cannot be read",
                Some(_) => "something is left out",
            };
            (!at.chunk.is_whole()).then_some(what).into()
        })
        .derived()
        .json_as("readable", |at| at.chunk.is_whole().into()),
        field("Problem", Self::problems).derived(),
    ];

    const CUBES: &'a [Field<Self>] = &[
        field("Cubes", |at: &Self| {
            let count = at.data().map(|data| data.cubes.len());
            Value::from(count).link(at.cube_item(0))
        })
        .derived()
        .summary("Cubes", |at| match at.data() {
            Some(data) => data.cubes.len().into(),
            None => "cannot be read".into(),
        })
        .note(|at| match at.data() {
            Some(data) => counted(data.cubes.len(), "cube").into(),
            None => "cannot be read".into(),
        })
        .json_or_0("cubes"),
        field("Type", |at: &Self| {
            let kinds = at.data().into_iter().flat_map(|_| at.counts_by_type());
            Value::list(kinds.map(|(kind, count)| Value::from(count).named(kind.name())))
        })
        .derived()
        .json_as("by_type", |at| {
            let kinds = at
                .counts_by_type()
                .map(|(kind, count)| (kind.name().to_owned(), count.into()));
            Json::Object(kinds.collect())
        }),
        field("Not reached", |at: &Self| {
            at.data().map(|data| data.cubes.orphans()).into()
        })
        .derived(),
    ];

    const USES: &'a [Field<Self>] = &[
        field("Material", |at: &Self| {
            let materials = at.data().into_iter().flat_map(|data| &data.materials);
            Value::list(materials.map(|name| at.material(*name)))
        })
        .derived(),
        field("Physics material", |at: &Self| {
            let physics = at
                .data()
                .into_iter()
                .flat_map(|data| &data.physics_materials);
            Value::list(physics.map(|name| at.physics_material(*name)))
        })
        .derived(),
        field("Sound material", |at: &Self| {
            let data = at.data().into_iter();
            Value::list(data.flat_map(|data| {
                let names = data.sound_materials.iter();
                names.map(|name| data.strings.told(*name))
            }))
        })
        .derived(),
    ];

    const REGIONS: &'a [Field<Self>] = &[field("Region", Self::region_lines)
        .derived()
        .json_as("regions", |at| at.data().map(regions_json).into())];

    const LIGHTS: &'a [Field<Self>] = &[field("Light", |at: &Self| {
        let lights = at.lights();
        Value::list(lights.map(|light| Value::from(at.map.light_name(light)).link(light)))
    })
    .derived()];

    const LIGHTMAPS: &'a [Field<Self>] = &[field("Lightmap", |at: &Self| {
        let lightmaps = at.lightmaps().iter().enumerate();
        Value::list(lightmaps.map(|(index, map)| {
            let text = format!("{index}: {0} x {0} luxels", map.side());
            Value::from(text).link(at.lightmap_item(index))
        }))
    })
    .derived()];

    const TABLES: &'a [Field<Self>] = &[field("String table", |at: &Self| {
        let names = [
            ("Common and client", Side::Common),
            ("Server", Side::Server),
        ];
        let tables = names.map(|(name, side)| (name, at.strings_item(side)));
        at.map.string_tables(tables)
    })
    .derived()];

    const SECTIONS: &'a [Field<Self>] = &[
        field("Section", |at: &Self| sections(&at.chunk.frames)).derived(),
        field("Together", |at: &Self| {
            format!("{} bytes", packed_bytes(at.chunk)).into()
        })
        .derived(),
    ];

    const UNREAD: &'a [Field<Self>] = &[field("Bytes", |at| {
        unread_entities(at.server().map(|server| &server.entities))
    })];

    pub(in crate::kinds::level) fn data(&self) -> Option<&'a ChunkData> {
        self.chunk.data.as_deref()
    }

    pub(in crate::kinds::level) fn client(&self) -> Option<&'a ChunkClient> {
        self.data()?.client.as_ref()
    }

    pub(in crate::kinds::level) fn server(&self) -> Option<&'a ChunkServer> {
        self.data()?.server.as_ref()
    }

    pub(in crate::kinds::level) fn lightmaps(&self) -> &'a [pmf::Lightmap] {
        self.client().map_or(&[], |client| &client.lightmaps)
    }

    fn lightmap(self, index: u32) -> Option<LightmapAt<'a>> {
        let side = self.lightmaps().get(index as usize)?.side();
        Some(LightmapAt {
            at: self,
            item: self.lightmap_item(index as usize),
            index,
            side,
        })
    }

    /// Counts elements of its mesh. Absent if the chunk is unreadable.
    fn of_mesh(&self, count: impl Fn(&ChunkMesh) -> usize) -> Value {
        let level = self.map.levels.get(self.level_number);
        let mesh = level.and_then(|level| level.mesh(self.number));
        self.data().map(|_| mesh.map_or(0, count)).into()
    }

    /// Number of triangles of its drawn boxes; a quad has two.
    fn triangle_count(&self) -> u64 {
        let cubes = self.data().map(|data| &data.cubes).into_iter();
        let triangles = cubes.flat_map(|cubes| {
            let drawn = cubes.iter().filter(|(cube, _)| cubes.is_drawn(*cube));
            drawn.map(|(_, cube)| match cube {
                Cube::Geometry(geometry) => {
                    geometry.faces().map(|face| u64::from(face.triangles)).sum()
                }
                _ => 0,
            })
        });
        triangles.sum()
    }

    /// Counts its cubes by type.
    fn counts_by_type(&self) -> impl Iterator<Item = (CubeKind, u64)> {
        let counts = self.data().map(|data| kind_counts(&data.cubes));
        CubeKind::ALL.into_iter().zip(counts.unwrap_or_default())
    }

    /// Lists the reasons why it is unreadable.
    fn problems(&self) -> Value {
        if self.data().is_some() {
            return Value::absent();
        }
        let item = Some(self.item());
        let problems = self
            .map
            .about
            .problems
            .iter()
            .flat_map(Problem::with_consequences);
        let about = problems.filter(|problem| self.map.item_of_problem(problem) == item);
        let messages: Vec<&str> = about.map(|problem| &*problem.message).collect();
        Value::list_up_to(MAX_LISTED, messages.into_iter())
    }

    /// Finds the material of its level that has a name of the chunk.
    pub(in crate::kinds::level) fn level_material(&self, name: StringRef) -> Option<usize> {
        let name = self.data()?.strings.name(name)?;
        self.level.common.materials_by_name().get(name).copied()
    }

    /// Describes a physics material, with a link to that of its level.
    pub(in crate::kinds::level) fn physics_material(&self, name: StringRef) -> Value {
        let strings = self.data().map(|data| &data.strings);
        let physics = self.level.common.physics_by_name();
        let found = strings.and_then(|strings| physics.get(strings.name(name)?));
        let item = found.map(|index| LevelItem::physics_material(self.level_number, *index));
        Value::from(strings.map(|strings| strings.told(name))).link_if(item)
    }

    /// Describes a material of its faces.
    fn material(&self, name: StringRef) -> Value {
        let text = self
            .data()
            .map(|data| data.strings.told(name))
            .unwrap_or_default();
        match self.level_material(name) {
            Some(index) => Value::from(text)
                .swatch(self.map.material_swatch(self.level_number, index))
                .link(LevelItem::material(self.level_number, index)),
            None => format!("{text} (the level has none)").into(),
        }
    }

    fn region_lines(&self) -> Value {
        let regions = self.regions().map(|region| {
            let line = Value::from(region.name()).named(region.of.name());
            line.link(region.item())
        });
        let server = self.server_regions().map(|region| {
            let line = Value::from(format!("keeps {} active", region.count()));
            line.named("Server").link(region.item())
        });
        Value::list(regions.chain(server))
    }

    /// Returns the lights that reach its cubes, the dynamic ones first.
    fn lights(&self) -> impl Iterator<Item = LevelItem> {
        let level = self.level_number;
        self.data().into_iter().flat_map(move |data| {
            let lights = LightKind::ALL.map(|kind| kind.lights(data));
            lights
                .into_iter()
                .flatten()
                .map(move |light| light.item(level))
        })
    }
}

/// Returns the regions of a chunk as JSON: names of environments, and for each server region the
/// number of chunks that it keeps active.
fn regions_json(data: &ChunkData) -> Json {
    let environments = Environment::ALL.into_iter().map(|of| {
        let regions = of.regions(data).iter();
        let names = regions.map(|region| text(&data.strings, region.environment));
        (of.name().to_lowercase(), names.collect())
    });
    let server = data
        .server
        .iter()
        .flat_map(|server| &server.regions)
        .map(|region| Json::from(region.chunks.len()));
    let all = environments.chain([("server".to_owned(), server.collect())]);
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

/// The clip of the animated materials.
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
            let lines = moving.into_iter().map(|(level, index, material)| {
                let text = format!("{}: {}", material.name, material.motion_text());
                Value::from(text).link(LevelItem::material(level, index))
            });
            Value::list_up_to(MAX_LISTED, lines)
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
        .derived()
        .in_summary(),
        field("Index", |map: &Self| map.index.into())
            .derived()
            .in_summary_as("Lightmap"),
        field("Size", |map: &Self| {
            format!("{0} x {0} luxels", map.side).into()
        })
        .summary("Size", |map| format!("{0} x {0}", map.side).into())
        .note(|map| format!("{0} x {0}", map.side).into()),
        field("Bytes", |map: &Self| (3 * map.side * map.side).into()).derived(),
        own_only("luxels", |map: &Self| {
            let lightmap = map.at.lightmaps().get(map.index as usize);
            lightmap.map(|lightmap| hex_text(&lightmap.luxels)).into()
        }),
        field("Faces", |map: &Self| {
            let faces = map.at.map.lit_faces(map.item, |_, _, _, _| Some(()));
            faces.len().into()
        })
        .derived(),
        field("Light", |map: &Self| {
            let level = map.at.level_number;
            let lights = map.at.data().map_or(&[][..], |data| &data.dynamic_lights);
            let looks = map.at.client().map_or(&[][..], |c| &c.dynamic_lights);
            let lit = lights.iter().zip(looks).filter(|(_, look)| {
                let mut layers = look.layers.iter();
                layers.any(|layer| u32::from(layer.lightmap) == map.index)
            });
            Value::list(lit.map(|(light, _)| {
                let light = LightKind::Dynamic.item(level, light.id);
                Value::from(map.at.map.light_name(light)).link(light)
            }))
        })
        .derived(),
    ];
}

/// Packed and decoded bytes of the three sections, summed over all chunks of a level.
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

/// Packed and decoded bytes of all sections of a level: its own and those of its chunks.
fn packed_of(level: &pmf::Level) -> [u64; 2] {
    let own = level
        .frames
        .iter()
        .map(|frame| [frame.packed, frame.unpacked].map(u64::from));
    let all = own.chain(packed_of_chunks(level));
    all.fold([0; 2], |[a, b], [packed, unpacked]| {
        [a + packed, b + unpacked]
    })
}

/// Formats the ratio of decoded to packed bytes.
fn ratio(packed: u64, unpacked: u64) -> String {
    let times = unpacked as f64 / packed.max(1) as f64;
    format!("{} times", fixed(times, 1))
}

/// Lists the packed and decoded sizes of sections.
fn sections(frames: &[Frame; 3]) -> Value {
    let sections = SECTION_NAMES.into_iter().zip(frames);
    Value::list(sections.map(|(name, frame)| {
        let &Frame {
            start,
            packed,
            unpacked,
        } = frame;
        let ratio = ratio(packed.into(), unpacked.into());
        let text = || format!("{packed} bytes at {start:#x}, {unpacked} decoded, {ratio}");
        let text = (!frame.is_empty()).then(text);
        Value::from(text.unwrap_or_else(|| "none".to_owned())).named(name)
    }))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use mapscope_formats::pmf::LightReference;

    use super::*;
    use crate::describe::numbers::xyz;
    use crate::kinds::level::sample::{self, properties, summary};
    use crate::{Document as _, Item, OutlineNode, Owner};
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

    /// The inspector's contents of a cube of the first chunk.
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
        // All lights, by the names used everywhere.
        let lights: Vec<_> = said.iter().filter(|(name, ..)| *name == "Light").collect();
        assert_eq!(lights.len(), 202);
        assert_eq!(lights[199].1, "Dynamic light 41, index 0, times 150 of 255");
        assert_eq!(lights[199].2, Some(LightKind::Dynamic.item(0, 41).into()));
        assert_eq!(lights[200].2, Some(LightKind::Fast.item(0, 42).into()));
        assert!(lights[201].1.starts_with("no such light") && lights[201].2.is_none());
    }

    #[test]
    fn long_lists_end_with_how_many_more_there_are() {
        const NUMBERS: Table<'static, Value> = Table {
            sections: &[section("", &[field("Number", |list: &Value| list.clone())])],
        };
        let said = |count: u32| {
            let list = Value::list_up_to(MAX_LISTED, (0..count).map(Value::from));
            let lines = NUMBERS.properties(&list);
            (lines.len(), lines.last().map(|last| last.value.clone()))
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
        // The type of the last entity is its last byte. With more bytes after it, it is of an
        // unknown type.
        *bytes.last_mut().unwrap() = 99;
        bytes.extend([7; 5]);
        let map = sample::file(&bytes);
        let groups = properties(&map, LevelItem::Map);
        let unread = groups
            .iter()
            .find(|group| group.title == "Entities that are not read");
        let dump = &unread.unwrap().properties[3];
        assert_eq!((dump.bytes.len(), dump.bytes.last()), (22, Some(&7)));
        assert_eq!(unread.unwrap().properties[2].value, "22 bytes");
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
