//! Field tables of maps, levels, chunks and their contents, and the lookup of the tables of all
//! records ([`Map::described`]).

pub(super) mod cube;
pub(super) mod entity;
pub(super) mod environment;
pub(super) mod file;
pub(super) mod light;
pub(super) mod material;

use crate::describe::archive_entry::EntryAt;
use crate::describe::numbers::fixed;
use crate::describe::own::hex_text;
use crate::describe::table::{
    Describe, Field, INTEGERS, ItemKeys, TEXTS, Table, ValueType, compared_only, decimal, field,
    flag, integer, keyed_facts, place, section, shown_only, table, text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::chunk_map::packed_bytes;
use crate::kinds::level::fields::cube::{CubeRecord, MIN_AND_MAX};
use crate::kinds::level::fields::entity::{EntityTypeAt, GamemodeAt};
use crate::kinds::level::fields::environment::{
    Environment, EnvironmentAt, RegionAt, ServerRegionAt,
};
use crate::kinds::level::fields::file::{ExtensionAt, StringTableAt, archive_start};
use crate::kinds::level::fields::light::LightAt;
use crate::kinds::level::fields::material::{MaterialAt, PhysicsMaterialAt, SoundMaterialAt};
use crate::kinds::level::items::{ChunkAt, EntityAt};
use crate::kinds::level::known::{Counts, kind_counts};
use crate::kinds::level::lights::LightKind;
use crate::kinds::level::mesh::ChunkMesh;
use crate::kinds::level::{Level, Map, date};
use crate::{ClipInfo, LevelItem};
use mapscope_formats::pmf::{
    self, ChunkClient, ChunkData, ChunkIndex, ChunkServer, Cube, CubeKind, Entities, Frame, Side,
    StringRef, StringTable,
};
use mapscope_formats::{Problem, counted};

/// Maximum number of listed entries: the full range of a byte, or the first entries of longer
/// lists.
pub(in crate::kinds::level) const MAX_LISTED: usize = 256;
/// Maximum number of bytes in a line of text.
pub(in crate::kinds::level) const MAX_BYTES: usize = 256;

/// Names of the sections of levels and chunks, in their order.
pub(in crate::kinds::level) const SECTION_NAMES: [&str; 3] = ["Common", "Client", "Server"];

/// Formats the first bytes, at most `max`, in hexadecimal.
pub(in crate::kinds::level) fn hex(bytes: &[u8], max: usize) -> String {
    let numbers = bytes.iter().take(max).map(|byte| format!("{byte:02x}"));
    let more = (bytes.len() > max).then(|| "...".to_owned());
    numbers.chain(more).collect::<Vec<_>>().join(" ")
}

/// Returns a string; null, and shown as its offset, if it is not in the table.
pub(in crate::kinds::level) fn string(strings: &StringTable, string: StringRef) -> Value {
    let shown = strings.told(string);
    if strings.has(string.0) {
        shown.into()
    } else {
        Value::none(shown.into_owned())
    }
}

/// Returns the position of a chunk in the grid of its level.
pub(in crate::kinds::level) fn grid_place(index: ChunkIndex) -> Value {
    Value::tuple(index.yxz())
}

/// Shows the unreadable rest of an entity list as bytes. It starts at the first entity that is
/// truncated or of an unknown type. `place` converts its offset and its length.
fn unread_entities(entities: Option<&Entities>, place: fn(usize, usize) -> Value) -> Value {
    let list = entities.and_then(|entities| Some((entities, entities.opaque()?)));
    let facts = list
        .filter(|(_, (_, bytes))| !bytes.is_empty())
        .map(|(entities, (at, bytes))| {
            let (reason, shown) = if entities.is_incomplete() {
                ("cut off", "the first is cut off")
            } else {
                ("unknown type", "the first is of an unknown type")
            };
            let place = place(at, bytes.len()).shown_as(format!("{at:#x} of their section"));
            Value::object([
                Fact::new("Why", Value::from(reason).shown_as(shown)).keyed("reason"),
                Fact::new("Offset", place).keyed("place").derived(),
                Fact::new("Size", Value::count(bytes.len(), "byte")).keyed("size_bytes"),
                Fact::new("Bytes", Value::bytes(bytes)),
            ])
        });
    facts.into()
}

/// Creates the place of bytes in the server data of a chunk.
pub(super) fn in_server_section(offset: usize, length: usize) -> Value {
    Value::bytes_in("server", offset, length)
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
            section("Entities that are not read", Self::UNREAD).keyed("unread_entities"),
        ],
    };

    const MAP: &'a [Field<Self>] = &[
        field("Header", "header", HEADER, |at: &Self| at.header_facts())
            .summary("Map", |at| at.header().name.as_str().into())
            .listed(),
        text("Version", "version", |at| {
            at.map.about.version.as_str().into()
        }),
        text("Read as of", "document", |_: &Self| {
            Value::from(pmf::DOCUMENT_DATE).shown_as(format!("document of {}", pmf::DOCUMENT_DATE))
        })
        .derived()
        .listed(),
        field("Levels", "levels", LEVELS, |at: &Self| {
            let levels = (0..).map_while(|number| at.map.level_at(number));
            Value::list(levels.map(|at| LevelAt::FIELDS.listed(&at)))
        })
        .derived()
        .listed()
        .shown(|at| at.map.levels.len().into())
        .in_summary()
        .note(|at| Value::count(at.map.levels.len(), "level")),
        field("Archive", "archive", TEXTS, |at: &Self| {
            Value::list(at.map.archive_paths())
        })
        .derived()
        .listed()
        .shown(|at| Value::count(at.map.archive_paths().len(), "file")),
        field("Extensions", "extensions", EXTENSIONS, |at: &Self| {
            let extensions = (0..).map_while(|index| at.map.extension_at(index));
            Value::list(extensions.map(|at| ExtensionAt::FIELDS.listed(&at)))
        })
        .derived()
        .listed()
        .shown(|at| at.map.pmf.extensions.len().into()),
        integer("Entities of the map", "entities", |at: &Self| {
            at.map.pmf.entities.len().into()
        })
        .derived()
        .listed(),
    ];

    const SIZES: &'a [Field<Self>] = &[
        integer("File", "file_bytes", |at: &Self| {
            let bytes = at.archive_start().map(|_| at.map.bytes.len());
            bytes.map(|bytes| Value::amount(bytes, "bytes")).into()
        })
        .derived(),
        integer("Header", "header_bytes", |at: &Self| {
            let after = at.map.pmf.strings.bytes().len() + 8;
            let header = at.archive_start();
            let header = header.map(|start| start.saturating_sub(after as u64));
            header.map(|header| at.share(header)).into()
        })
        .derived(),
        integer("String table", "string_table_bytes", |at: &Self| {
            let bytes = at.map.pmf.strings.bytes().len();
            at.share(bytes as u64).link(LevelItem::STRINGS_OF_FILE)
        })
        .derived(),
        integer("Archive", "archive_bytes", |at: &Self| {
            let archive = at.map.pmf.archive.as_ref();
            let bytes = archive.map_or(0, |archive| archive.bytes().len());
            at.share(bytes as u64)
        })
        .derived(),
        field("Extension", "extensions", SIZES, |at: &Self| {
            let extensions = at.map.pmf.extensions.iter().enumerate();
            let sizes = extensions.map(|(index, extension)| {
                let index = index as u32;
                let size = u64::from(extension.size);
                let facts = [Fact::new("Index", index), Fact::new("Bytes", size)];
                Value::object(facts)
                    .shown_as(format!("{}: {}", extension.name, at.share_text(size)))
                    .link(LevelItem::Extension { index })
            });
            Value::list(sizes).showing(MAX_LISTED)
        })
        .derived(),
        field("Level", "levels", LEVEL_SIZES, |at: &Self| {
            let levels = at.map.pmf.levels.iter().enumerate();
            Value::list(levels.map(|(index, level)| {
                let [packed, unpacked] = packed_of(level);
                let facts = [
                    Fact::new("Index", index),
                    Fact::new("Bytes", level.size),
                    Fact::new("Decoded bytes", unpacked),
                ];
                let (share, ratio) = (at.share_text(level.size.into()), ratio(packed, unpacked));
                Value::object(facts)
                    .shown_as(format!("{index}: {share}, decoded {unpacked}, {ratio}"))
                    .link(LevelItem::level(index))
            }))
        })
        .derived(),
        integer("Entities", "entities_bytes", |at: &Self| {
            at.share(at.map.pmf.entities.bytes().len() as u64)
        })
        .derived(),
    ];

    const UNREAD: &'a [Field<Self>] = &[keyed_facts(UNREAD, |at| {
        unread_entities(Some(&at.map.pmf.entities), Value::bytes_at)
    })];

    fn header_facts(self) -> Value {
        let header = self.header();
        let time = Value::from(header.created_unix_secs);
        Value::object([
            Fact::new("Name", &*header.name),
            Fact::new("Description", &*header.description),
            Fact::new("Authors", &*header.authors),
            Fact::new("Compiler", &*header.compiler),
            Fact::new(
                "Compiled",
                time.shown_as(date::utc(header.created_unix_secs)),
            )
            .keyed("time"),
            Fact::new(
                "Gamemodes",
                Value::list(header.gamemodes.iter().map(String::as_str)).whole(),
            ),
        ])
    }

    fn header(self) -> &'a pmf::Header {
        &self.map.pmf.header
    }

    /// Offset of the archive, or `None` for a map that is not from a file.
    fn archive_start(self) -> Option<u64> {
        archive_start(&self.map.pmf).filter(|_| !self.map.bytes.is_empty())
    }

    /// Returns a number of bytes, shown with its percentage of the file.
    fn share(self, bytes: u64) -> Value {
        Value::from(bytes).shown_as(self.share_text(bytes))
    }

    fn share_text(self, bytes: u64) -> String {
        let share = bytes as f64 * 100.0 / self.map.bytes.len().max(1) as f64;
        format!("{bytes} bytes ({} %)", fixed(share, 1))
    }
}

impl Map {
    /// Returns the paths of the archive's files.
    pub(in crate::kinds::level) fn archive_paths(&self) -> Vec<String> {
        let archive = self.pmf.archive.as_ref();
        archive.map_or_else(Vec::new, mapscope_formats::paf::Archive::file_paths)
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

    /// Describes a string table, if it exists.
    fn strings_value(&self, item: LevelItem) -> Value {
        let LevelItem::Strings { owner, index } = item else {
            return Value::absent();
        };
        let table = self.string_table_at(owner, index);
        table.map(|table| table.size_value().link(item)).into()
    }

    /// Describes a light by its kind and its number, shown by its name.
    fn light_value(&self, item: LevelItem) -> Value {
        let Some((kind, _, id)) = LightKind::of_item(item) else {
            return Value::absent();
        };
        Value::object([Fact::new("Kind", kind.name()), Fact::new("Number", id)])
            .shown_as(self.light_name(item))
            .link(item)
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
            EntryAt::OF_MAP.keys("archive file"),
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
                EntryAt::OF_MAP.of(EntryAt::new(self, index as usize)?)
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
            section("Entities that are not read", Self::UNREAD).keyed("unread_entities"),
        ],
    };

    const LEVEL: &'a [Field<Self>] = &[
        integer("Index", "index", |at: &Self| at.number.into())
            .derived()
            .in_summary_as("Level"),
        field("Chunks", "grid", ValueType::Integers(3), |at: &Self| {
            let [y, x, z] = at.source.grid;
            Value::from([y, x, z]).shown_as(format!("{y} along Y, {x} along X, {z} along Z"))
        })
        .listed()
        .summary("Chunks", |at| {
            let [y, x, z] = at.source.grid;
            Value::size([x, y, z], "")
        }),
        field("Chunks", "chunks", CHUNKS, |at: &Self| {
            let chunks = at.map.chunks_of(at.number);
            Value::list(chunks.map(|at| ChunkAt::FIELDS.listed(&at)))
        })
        .derived()
        .hidden()
        .listed(),
        integer("Unreadable chunks", "unreadable_chunks", |at: &Self| {
            let chunks = at.source.chunks.iter();
            chunks.filter(|chunk| chunk.data.is_none()).count().into()
        })
        .derived(),
        flag("Contents", "readable", |at: &Self| {
            at.map.is_level_whole(at.number).into()
        })
        .derived()
        .listed()
        .shown(|at| {
            let is_whole = at.map.is_level_whole(at.number);
            (!is_whole).then_some("something is left out").into()
        }),
        decimal("Chunk size", "chunk_size", |at: &Self| {
            Value::amount(at.source.chunk_side(), "m")
        })
        .listed()
        .in_summary(),
        field(
            "Center chunk",
            "center",
            ValueType::Integers(3),
            |at: &Self| {
                let center = at.source.chunk_number(at.source.center);
                let item = center.map(|center| LevelItem::chunk(at.number, center));
                grid_place(at.source.center).link_if(item)
            },
        )
        .listed(),
        integer("Flags", "flags", |at| Value::hex(at.source.flags, 2)),
        field("Players keep", "kept", TEXTS, Self::kept).derived(),
        place("Offset", "place", |at: &Self| {
            let offset = at.source.offset;
            Value::bytes_at(offset as usize, at.source.size as usize)
                .shown_as(format!("{offset:#x}"))
        })
        .place(),
        shown_only("Bytes", |at| at.source.size.into()),
        integer("Entities", "entities", |at: &Self| {
            let server = at.source.server.as_ref();
            server.map_or(0, |server| server.entities.len()).into()
        })
        .derived()
        .hidden()
        .listed(),
    ];

    const CUBES: &'a [Field<Self>] = &[
        field("Cubes", "by_type", COUNTS, |at: &Self| {
            let kinds = CubeKind::ALL.into_iter().zip(at.counts().kinds);
            Value::object(kinds.map(|(kind, count)| {
                let item = LevelItem::cube_type(at.number, kind);
                Fact::new(kind.name(), Value::from(count).link(item))
            }))
        })
        .derived(),
        integer("Not reached", "not_reached", |at: &Self| {
            at.counts().orphans.into()
        })
        .derived(),
    ];

    const DEPTHS: &'a [Field<Self>] = &[field("Depth", "cells", INTEGERS, |at: &Self| {
        let counts = at.counts();
        let depths = counts.depths.iter().enumerate();
        let depths = depths.take(usize::from(counts.deepest()) + 1);
        Value::list(depths.map(|(depth, count)| {
            let cells = counted(*count as usize, "cell");
            Value::from(*count).shown_as(format!("{depth}: {cells}"))
        }))
    })
    .derived()];

    const DEFAULTS: &'a [Field<Self>] = &[
        text("Air physics material", "air_physics_material", |at| {
            let common = &at.source.common;
            string(&common.strings, common.air_physics)
        }),
        field(
            "Environments",
            "environments",
            ENVIRONMENTS,
            Self::environments,
        )
        .listed()
        .compared(Self::default_environments),
        field(
            "Sounds named by chunks",
            "chunk_sounds",
            TEXTS,
            |at: &Self| Value::list(at.map.sound_labels(at.number)).whole(),
        )
        .derived(),
        field("Materials", "materials", TEXTS, |at: &Self| {
            let common = &at.source.common;
            let names = common.materials.iter();
            Value::list(names.map(|material| common.strings.brief(material.name)))
        })
        .derived()
        .hidden()
        .listed(),
    ];

    const SECTIONS: &'a [Field<Self>] =
        &[keyed_facts(SECTIONS, |at: &Self| sections(&at.source.frames)).derived()];

    const CHUNK_SECTIONS: &'a [Field<Self>] = &[keyed_facts(PACKED_SIZES, |at: &Self| {
        let sizes = SECTION_NAMES.into_iter().zip(packed_of_chunks(at.source));
        Value::object(sizes.map(|(name, [packed, unpacked])| {
            let ratio = ratio(packed, unpacked);
            let text = format!("{packed} bytes, {unpacked} decoded, {ratio}");
            let facts = [
                Fact::new("Bytes", packed),
                Fact::new("Decoded bytes", unpacked),
            ];
            Fact::new(name, Value::object(facts).shown_as(text))
        }))
    })
    .derived()];

    const TABLES: &'a [Field<Self>] = &[keyed_facts(STRINGS, |at: &Self| {
        let sides = Side::ALL.into_iter().zip(SECTION_NAMES);
        Value::object(sides.map(|(side, name)| {
            let item = LevelItem::strings_of_level(at.number, side);
            Fact::new(name, at.map.strings_value(item))
        }))
    })
    .derived()];

    const UNREAD: &'a [Field<Self>] = &[keyed_facts(UNREAD, |at| {
        let server = at.source.server.as_ref();
        unread_entities(server.map(|server| &server.entities), in_server_section)
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
    fn kept(&self) -> Value {
        let keeps = [
            (pmf::Level::KEEP_VELOCITY, "velocity"),
            (pmf::Level::KEEP_CHUNK, "chunk"),
            (pmf::Level::KEEP_PLACE, "place in the chunk"),
        ];
        let kept = keeps
            .into_iter()
            .filter(|(flag, _)| self.source.flags & flag != 0);
        let kept: Vec<&str> = kept.map(|(_, name)| name).collect();
        let shown = match &kept[..] {
            [] => "nothing".to_owned(),
            kept => kept.join(", "),
        };
        Value::list(kept).shown_as(shown)
    }

    /// Returns the names of the environments of each kind and the default one.
    fn environments(&self) -> Value {
        Value::object(Environment::ALL.into_iter().filter_map(|of| {
            let (strings, names, default) = of.names(self.source)?;
            let count = names.len();
            let names = names.into_iter().map(|name| strings.brief(name));
            let facts = [
                Fact::new("Names", Value::list(names)),
                Fact::new("Default", strings.brief(default)),
            ];
            let default = match strings.told(default) {
                name if name.is_empty() => "none".into(),
                name => name,
            };
            let text = format!("{default} by default, of {count}");
            Some(Fact::new(of.name(), Value::object(facts).shown_as(text)))
        }))
    }

    /// Returns the default environment of each kind.
    fn default_environments(&self) -> Value {
        Value::object(Environment::ALL.into_iter().filter_map(|of| {
            let (strings, _, default) = of.names(self.source)?;
            let key = format!("default_{}", of.name().to_lowercase());
            Some(Fact::new(of.name(), strings.told(default)).keyed(key))
        }))
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
            section("Entities that are not read", Self::UNREAD).keyed("unread_entities"),
        ],
    };

    const CHUNK: &'a [Field<Self>] = &[
        integer("Level", "level", |at: &Self| {
            Value::from(at.level_number).link(LevelItem::level(at.level_number))
        })
        .derived(),
        field("Chunk", "index", ValueType::Integers(3), |at: &Self| {
            Value::from(at.chunk.index.yxz()).shown_as(format!("{} (Y, X, Z)", at.chunk.index))
        })
        .derived()
        .listed()
        .summary("Chunk", |at| grid_place(at.chunk.index)),
        vector("Center", "center", |at: &Self| at.center().into()).derived(),
        field("Bounds", "bounds", MIN_AND_MAX, |at: &Self| {
            let bounds = at.bounds();
            let corners = [("From", bounds.min), ("To", bounds.max)];
            Value::list(corners.map(|(name, corner)| Value::from(corner).named(name)))
        })
        .derived(),
        integer("Faces", "faces", |at: &Self| {
            at.of_mesh(|mesh| mesh.faces.len())
        })
        .derived(),
        integer("Triangles", "triangles", |at: &Self| {
            at.triangle_count().into()
        })
        .derived()
        .listed()
        .shown(|at| at.of_mesh(|mesh| mesh.indices.len() / 3)),
        integer("Vertices", "vertices", |at: &Self| {
            at.client().map_or(0, |client| client.vertices.len()).into()
        })
        .derived()
        .listed()
        .shown(|at| at.client().map(|client| client.vertices.len()).into()),
        integer("Normals", "normals", |at: &Self| {
            at.client().map_or(0, |client| client.normals.len()).into()
        })
        .derived()
        .listed()
        .shown(|at| at.client().map(|client| client.normals.len()).into()),
        field("Lightmaps", "lightmaps", LIGHTMAPS, |at: &Self| {
            Value::list(at.lightmaps().iter().map(|map| {
                let crc32 = crc32fast::hash(&map.luxels);
                Value::object([Fact::new("Side", map.side()), Fact::new("CRC32", crc32)])
            }))
        })
        .derived()
        .listed()
        .shown(|at| at.client().map(|client| client.lightmaps.len()).into()),
        integer("Entities", "entities", |at: &Self| {
            at.server().map_or(0, |server| server.entities.len()).into()
        })
        .derived()
        .listed()
        .shown(|at| at.server().map(|server| server.entities.len()).into()),
        flag("Contents", "readable", |at: &Self| {
            at.chunk.is_whole().into()
        })
        .derived()
        .listed()
        .shown(|at| {
            let what = match at.data() {
                None => "cannot be read",
                Some(_) => "something is left out",
            };
            (!at.chunk.is_whole()).then_some(what).into()
        }),
        shown_only("Problem", Self::problems),
    ];

    const CUBES: &'a [Field<Self>] = &[
        integer("Cubes", "cubes", |at: &Self| {
            at.data().map_or(0, |data| data.cubes.len()).into()
        })
        .derived()
        .listed()
        .shown(|at| {
            let count = at.data().map(|data| data.cubes.len());
            Value::from(count).link(at.cube_item(0))
        })
        .summary("Cubes", |at| match at.data() {
            Some(data) => data.cubes.len().into(),
            None => "cannot be read".into(),
        })
        .note(|at| match at.data() {
            Some(data) => Value::count(data.cubes.len(), "cube"),
            None => "cannot be read".into(),
        }),
        field("Type", "by_type", COUNTS, Self::counts_by_type)
            .derived()
            .listed()
            .shown(|at| at.data().map(|_| at.counts_by_type()).into()),
        integer("Not reached", "not_reached", |at: &Self| {
            at.data().map(|data| data.cubes.orphans()).into()
        })
        .derived(),
    ];

    const USES: &'a [Field<Self>] = &[
        field("Material", "materials", TEXTS, |at: &Self| {
            let materials = at.data().into_iter().flat_map(|data| &data.materials);
            Value::list(materials.map(|name| at.material(*name)))
        })
        .derived(),
        field(
            "Physics material",
            "physics_materials",
            TEXTS,
            |at: &Self| {
                let data = at.data().into_iter();
                let physics = data.flat_map(|data| &data.physics_materials);
                Value::list(physics.map(|name| at.physics_material(*name)))
            },
        )
        .derived(),
        field("Sound material", "sound_materials", TEXTS, |at: &Self| {
            let data = at.data().into_iter();
            Value::list(data.flat_map(|data| {
                let names = data.sound_materials.iter();
                names.map(|name| string(&data.strings, *name))
            }))
        })
        .derived(),
    ];

    const REGIONS: &'a [Field<Self>] = &[field("Region", "regions", REGIONS, Self::region_facts)
        .derived()
        .listed()];

    const LIGHTS: &'a [Field<Self>] = &[field("Light", "lights", LIGHTS, |at: &Self| {
        Value::list(at.lights().map(|light| at.map.light_value(light)))
    })
    .derived()];

    const LIGHTMAPS: &'a [Field<Self>] = &[shown_only("Lightmap", |at| {
        let lightmaps = at.lightmaps().iter().enumerate();
        Value::list(lightmaps.map(|(index, map)| {
            let text = format!("{index}: {0} x {0} luxels", map.side());
            Value::from(text).link(at.lightmap_item(index))
        }))
    })];

    const TABLES: &'a [Field<Self>] = &[keyed_facts(STRINGS, |at: &Self| {
        let strings = |side| at.map.strings_value(at.strings_item(side));
        Value::object([
            Fact::new("Common and client", strings(Side::Common)).keyed("common"),
            Fact::new("Server", strings(Side::Server)),
        ])
    })
    .derived()];

    const SECTIONS: &'a [Field<Self>] = &[
        keyed_facts(SECTIONS, |at: &Self| sections(&at.chunk.frames)).derived(),
        integer("Together", "bytes", |at: &Self| {
            Value::amount(packed_bytes(at.chunk), "bytes")
        })
        .derived(),
    ];

    const UNREAD: &'a [Field<Self>] = &[keyed_facts(UNREAD, |at| {
        unread_entities(
            at.server().map(|server| &server.entities),
            in_server_section,
        )
    })];

    /// Returns its position in the grid, as a link to the chunk.
    pub(in crate::kinds::level) fn link(&self) -> Value {
        grid_place(self.chunk.index).link(self.item())
    }

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
    fn counts_by_type(&self) -> Value {
        let counts = self.data().map(|data| kind_counts(&data.cubes));
        let kinds = CubeKind::ALL.into_iter().zip(counts.unwrap_or_default());
        Value::object(kinds.map(|(kind, count)| Fact::new(kind.name(), count)))
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
        Value::list(messages).showing(MAX_LISTED)
    }

    /// Finds the material of its level that has a name of the chunk.
    pub(in crate::kinds::level) fn level_material(&self, name: StringRef) -> Option<usize> {
        let name = self.data()?.strings.name(name)?;
        self.level.common.materials_by_name().get(name).copied()
    }

    /// Describes a physics material, with a link to that of its level.
    fn physics_material(&self, name: StringRef) -> Value {
        let Some(data) = self.data() else {
            return Value::absent();
        };
        let physics = self.level.common.physics_by_name();
        let found = data.strings.name(name).and_then(|name| physics.get(name));
        let item = found.map(|index| LevelItem::physics_material(self.level_number, *index));
        string(&data.strings, name).link_if(item)
    }

    /// Describes a material of its faces.
    fn material(&self, name: StringRef) -> Value {
        let Some(data) = self.data() else {
            return Value::absent();
        };
        let value = string(&data.strings, name);
        let Some(index) = self.level_material(name) else {
            let text = data.strings.told(name);
            return value.shown_as(format!("{text} (the level has none)"));
        };
        value
            .swatch(self.map.material_swatch(self.level_number, index))
            .link(LevelItem::material(self.level_number, index))
    }

    /// Returns its regions: names of environments, and for each server region the number of chunks
    /// that it keeps active.
    fn region_facts(&self) -> Value {
        let Some(data) = self.data() else {
            return Value::absent();
        };
        let environments = Environment::ALL.map(|of| {
            let regions = self.regions().filter(|region| region.of == of);
            let names = regions.map(|region| {
                Value::from(data.strings.brief(region.region.environment))
                    .shown_as(region.name())
                    .link(region.item())
            });
            Fact::new(of.name(), Value::list(names))
        });
        let server = self.server_regions().map(|region| {
            Value::from(region.region.chunks.len())
                .shown_as(format!("keeps {} active", region.count()))
                .link(region.item())
        });
        let server = Fact::new("Server", Value::list(server));
        Value::object(environments.into_iter().chain([server]))
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

/// All cubes of a type in a level.
#[derive(Debug, Clone, Copy)]
struct CubeTypeAt<'a> {
    level: LevelAt<'a>,
    kind: CubeKind,
    count: u64,
}

impl<'a> CubeTypeAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Cube type",
        text("Type", "type", |at: &Self| at.kind.name().into()).in_summary(),
        integer("Number", "number", |at| (at.kind as u8).into()),
        integer("Level", "level", |at| at.level.number.into()),
        integer("Cubes", "cubes", |at: &Self| at.count.into())
            .in_summary()
            .in_note(),
    );
}

/// The clip of the animated materials.
#[derive(Debug, Clone, Copy)]
struct ClipAt<'a> {
    map: &'a Map,
    clip: &'a ClipInfo,
}

impl<'a> ClipAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Clip",
        text("Name", "name", |at: &Self| at.clip.name.as_str().into()).in_summary_as("Clip"),
        integer("Frames", "frames", |at| at.clip.frames.into()),
        decimal("Lasts", "duration_s", |at: &Self| {
            Value::amount(Map::clip_secs(at.clip), "s")
        })
        .in_summary(),
        field("Moves", "materials", MOVING_MATERIALS, |at: &Self| {
            let materials = at.map.moving_materials();
            let materials = materials.map(|(level, index, material)| {
                let motions = material.motion_names();
                let text = format!("{}: {}", material.name, motions.join(", "));
                let facts = [
                    Fact::new("Level", level),
                    Fact::new("Index", index),
                    Fact::new("Name", &*material.name),
                    Fact::new("Motions", Value::list(motions)),
                ];
                Value::object(facts)
                    .shown_as(text)
                    .link(LevelItem::material(level, index))
            });
            Value::list(materials).showing(MAX_LISTED)
        })
        .summary("Materials", |at| at.map.moving_materials().count().into()),
    );
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
    const FIELDS: Table<'a, Self> = table!(
        "Lightmap",
        field("Chunk", "chunk", ValueType::Integers(3), |map: &Self| map
            .at
            .link())
        .derived()
        .in_summary(),
        integer("Index", "index", |map: &Self| map.index.into())
            .derived()
            .in_summary_as("Lightmap"),
        integer("Size", "side", |map: &Self| {
            Value::from(map.side).shown_as(format!("{0} x {0} luxels", map.side))
        })
        .summary("Size", |map| Value::size([map.side; 2], ""))
        .note(|map| Value::size([map.side; 2], "")),
        integer("Bytes", "bytes", |map: &Self| (3 * map.side * map.side)
            .into())
        .derived(),
        compared_only("luxels", |map: &Self| {
            let lightmap = map.at.lightmaps().get(map.index as usize);
            lightmap.map(|lightmap| hex_text(&lightmap.luxels)).into()
        }),
        integer("Faces", "faces", |map: &Self| {
            let faces = map.at.map.lit_faces(map.item, |_, _, _, _| Some(()));
            faces.len().into()
        })
        .derived(),
        field("Light", "lights", LIGHTS, |map: &Self| {
            let level = map.at.level_number;
            let lights = map.at.data().map_or(&[][..], |data| &data.dynamic_lights);
            let looks = map.at.client().map_or(&[][..], |c| &c.dynamic_lights);
            let lit = lights.iter().zip(looks).filter(|(_, look)| {
                let mut layers = look.layers.iter();
                layers.any(|layer| u32::from(layer.lightmap) == map.index)
            });
            Value::list(lit.map(|(light, _)| {
                let light = LightKind::Dynamic.item(level, light.id);
                map.at.map.light_value(light)
            }))
        })
        .derived(),
    );
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

/// Describes the places and the decoded sizes of sections.
fn sections(frames: &[Frame; 3]) -> Value {
    let sections = SECTION_NAMES.into_iter().zip(frames);
    Value::object(sections.map(|(name, frame)| {
        let &Frame {
            start,
            packed,
            unpacked,
        } = frame;
        if frame.is_empty() {
            return Fact::new(name, Value::none("none"));
        }
        let ratio = ratio(packed.into(), unpacked.into());
        let text = format!("{packed} bytes at {start:#x}, {unpacked} decoded, {ratio}");
        let facts = [
            Fact::new("Place", Value::bytes_at(start as usize, packed as usize)),
            Fact::new("Decoded bytes", unpacked),
        ];
        Fact::new(name, Value::object(facts).shown_as(text))
    }))
}

/// The unreadable rest of an entity list.
const UNREAD: &[(&str, ValueType)] = &[
    ("reason", ValueType::Text),
    ("place", ValueType::Place),
    ("size_bytes", ValueType::Integer),
    ("bytes", ValueType::Bytes),
];

/// Numbers by name.
const COUNTS: ValueType = ValueType::ByName(&ValueType::Integer);

/// Positions of chunks in the grid of their level: Y, X, Z.
pub(in crate::kinds::level) const GRID_PLACES: ValueType = ValueType::List(&ValueType::Integers(3));

const HEADER: ValueType = ValueType::Object(&[
    ("name", ValueType::Text),
    ("description", ValueType::Text),
    ("authors", ValueType::Text),
    ("compiler", ValueType::Text),
    ("time", ValueType::Integer),
    ("gamemodes", TEXTS),
]);

const LEVELS: ValueType = ValueType::Records(|| LevelAt::FIELDS.listed_keys());

const CHUNKS: ValueType = ValueType::Records(|| ChunkAt::FIELDS.listed_keys());

const EXTENSIONS: ValueType = ValueType::Records(|| ExtensionAt::FIELDS.listed_keys());

/// Sizes of the records of a list.
const SIZES: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("bytes", ValueType::Integer),
]));

/// The same with the sizes of their decoded sections.
const LEVEL_SIZES: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("bytes", ValueType::Integer),
    ("decoded_bytes", ValueType::Integer),
]));

/// Sizes of sections.
const PACKED_SIZES: &[(&str, ValueType)] = &by_section(ValueType::Object(&[
    ("bytes", ValueType::Integer),
    ("decoded_bytes", ValueType::Integer),
]));

/// Places and sizes of sections.
const SECTIONS: &[(&str, ValueType)] = &by_section(ValueType::Object(&[
    ("place", ValueType::Place),
    ("decoded_bytes", ValueType::Integer),
]));

/// String tables of sections.
const STRINGS: &[(&str, ValueType)] = &by_section(ValueType::Object(&[
    ("strings", ValueType::Integer),
    ("bytes", ValueType::Integer),
]));

const fn by_section(ty: ValueType) -> [(&'static str, ValueType); 3] {
    [("common", ty), ("client", ty), ("server", ty)]
}

/// Names of the environments of each kind.
const ENVIRONMENTS: ValueType = ValueType::ByName(&ValueType::Object(&[
    ("names", TEXTS),
    ("default", ValueType::Text),
]));

/// Regions of a chunk by kind.
const REGIONS: ValueType = ValueType::Object(&[
    ("weather?", TEXTS),
    ("gravity?", TEXTS),
    ("sound?", TEXTS),
    ("sky?", TEXTS),
    ("server?", INTEGERS),
]);

const LIGHTS: ValueType = ValueType::List(&ValueType::Object(&[
    ("kind", ValueType::Text),
    ("number", ValueType::Integer),
]));

const LIGHTMAPS: ValueType = ValueType::List(&ValueType::Object(&[
    ("side", ValueType::Integer),
    ("crc32", ValueType::Integer),
]));

/// Animated materials, with the index of their level and their own.
const MOVING_MATERIALS: ValueType = ValueType::List(&ValueType::Object(&[
    ("level", ValueType::Integer),
    ("index", ValueType::Integer),
    ("name", ValueType::Text),
    ("motions", TEXTS),
]));

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use mapscope_formats::pmf::LightReference;

    use super::*;
    use crate::describe::numbers::xyz;
    use crate::kinds::level::sample::{self, properties, summary};
    use crate::{Document as _, Item, OutlineNode, Owner, Playhead};
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
        let center = Vec3::from(map.pmf().levels[0].chunk_center(ChunkIndex::default()));
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
        const NUMBERS: Table<'static, Value> = table!(
            "",
            field("Number", "numbers", INTEGERS, |list: &Value| list.clone()).listed(),
        );
        let said = |count: u32| {
            let list = Value::list(0..count).showing(MAX_LISTED);
            let all = &NUMBERS.json(&list)["numbers"];
            assert_eq!(all.as_array().unwrap().len(), count as usize);
            let lines = &NUMBERS.groups(&list)[0].properties;
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
        let details = &(&*map as &dyn crate::Document)
            .details(LevelItem::Map.into(), Playhead::default())["unread_entities"];
        assert_eq!(details["reason"], "unknown type");
        assert_eq!(details["size_bytes"], 22);
        let place = &details["place"];
        assert_eq!(place["length"], 22);
        assert_eq!(place["offset"], bytes.len() - 22);
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
