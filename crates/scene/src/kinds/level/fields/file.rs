//! Data of a map besides its levels: archive files, extensions and string tables.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use crate::assets::THUMBNAIL_SIDE;
use crate::core::parallel::in_parallel;
use crate::core::rules;
use crate::describe::archive_entry::{ArchiveOwner, EntryAt};
use crate::describe::table::{
    Field, Table, ValueType, field, flag, integer, place, section, shown_only, text,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::Map;
use crate::kinds::level::items::ChunkAt;
use crate::kinds::level::textures::{self, Textures};
use crate::{Item, LevelItem, OpenError, Owner, Progress, Swatch};
use mapscope_formats::paf::{Archive, Content};
use mapscope_formats::pmf::{
    self, ChunkData, ChunkServer, Cube, Entities, Extension, Level, Pmf, Side, StringRef,
    StringTable,
};
use mapscope_formats::{Place, Problem, Subject, counted};

/// Pixel budget for test-decoding textures that no material references.
const MAX_PIXELS: u64 = 32 << 20;
/// Byte budget for decompressing archive files in that test.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum number of listed files, extensions and strings.
const MAX_LISTED: usize = 2000;
/// Maximum number of string references followed to find unused strings.
const MAX_REFERENCES: usize = 1 << 20;

/// The textures of the archive that no material references.
#[derive(Debug, Default)]
pub(in crate::kinds::level) struct UnreferencedTextures {
    /// Archive entries, with their lazily built thumbnails.
    list: Vec<(usize, OnceLock<Option<Vec<u8>>>)>,
    /// Index in the list by entry.
    by_entry: HashMap<usize, usize>,
    /// Texture index of each entry that materials reference.
    named: HashMap<usize, usize>,
    pub(in crate::kinds::level) problems: Vec<Problem>,
}

/// Returns the offset at which the archive begins, which is the length of the header before it, in
/// bytes. Returns `None` for a map that is not from a file.
pub(in crate::kinds::level) fn archive_start(pmf: &Pmf) -> Option<u64> {
    let levels: u64 = pmf.levels.iter().map(|level| u64::from(level.size)).sum();
    let sizes = pmf.extensions.iter();
    let extensions: u64 = sizes.map(|extension| u64::from(extension.size)).sum();
    // The counts (a byte for levels, two for extensions), and a size before each entry.
    let sizes = 4 * (pmf.levels.len() + pmf.extensions.len()) as u64 + 3;
    let archive = pmf.archive.as_ref();
    let archive = archive.map_or(0, |archive| archive.bytes().len() as u64);
    let entities = pmf.entities.range().start as u64;
    entities.checked_sub(levels + extensions + sizes + archive)
}

impl UnreferencedTextures {
    /// Finds the textures that no material references, and reports those that cannot be decoded.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(in crate::kinds::level) fn find(
        pmf: &Pmf,
        textures: &Textures,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let mut unnamed = Self::default();
        let Some(archive) = &pmf.archive else {
            return Ok(unnamed);
        };
        for (number, texture) in textures.list.iter().enumerate() {
            if texture.file.path.is_none()
                && let Some(entry) = archive.find_texture(&texture.path)
            {
                unnamed.named.entry(entry).or_insert(number);
            }
        }
        let (mut pixels_left, mut bytes_left) = (MAX_PIXELS, MAX_BYTES);
        let mut examined = Vec::new();
        let mut unchecked = 0_usize;
        for (entry, data) in archive.entries().iter().enumerate() {
            let Content::File(file) = &data.content else {
                continue;
            };
            if !is_texture(&data.name) || unnamed.named.contains_key(&entry) {
                continue;
            }
            unnamed.by_entry.insert(entry, unnamed.list.len());
            unnamed.list.push((entry, OnceLock::new()));
            let Some(bytes) = bytes_left.checked_sub(file.bytes.into()) else {
                unchecked += 1;
                continue;
            };
            bytes_left = bytes;
            let Some(content) = archive.file(entry) else {
                continue;
            };
            let pixels = content.as_ref().map_or(0, |bytes| textures::pixels(bytes));
            let Some(pixels) = pixels_left.checked_sub(pixels) else {
                unchecked += 1;
                continue;
            };
            pixels_left = pixels;
            examined.push((entry, content));
        }
        let errors = in_parallel(examined.len(), progress, |i| match &examined.get(i)?.1 {
            Ok(bytes) => match textures::read(bytes) {
                Ok(texture) => textures::faults(&texture).into_iter().next(),
                Err(error) => Some(error),
            },
            Err(error) => Some(textures::archive_fault(error)),
        })?;
        let start = archive_start(pmf).unwrap_or(0);
        let errors = examined.into_iter().zip(errors);
        unnamed.problems = errors
            .filter_map(|((entry, _), error)| {
                let ((rule, error), data) = error.zip(archive.entries().get(entry))?;
                let path = archive.path(data);
                let message = format!("texture `{path}` of the archive: {error}");
                let place = Place::Offset(start + u64::from(data.at));
                let subject = Subject::ArchiveEntry(entry as u32);
                Some(Problem::new(rule, subject, place, message))
            })
            .collect();
        if unchecked > 0 {
            let message = format!(
                "{unchecked} archive textures that no material uses are not checked; the limit \
                 was reached before them"
            );
            let place = Place::Offset(start);
            let problem = Problem::new(&rules::TEXTURE_LIMIT, Subject::File, place, message);
            unnamed.problems.push(problem);
        }
        Ok(unnamed)
    }
}

fn is_texture(name: &str) -> bool {
    std::path::Path::new(name)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("ptf"))
}

impl Map {
    /// Returns a thumbnail by its index: first those of textures that materials reference, then the
    /// others.
    pub(in crate::kinds::level) fn thumbnail_of(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        if let Some(texture) = self.textures.list.get(index) {
            return texture.file.thumbnail();
        }
        let (entry, thumbnail) = self.unnamed.list.get(index - self.textures.list.len())?;
        let thumbnail = thumbnail.get_or_init(|| {
            let bytes = self.pmf.archive.as_ref()?.file(*entry)?.ok()?;
            textures::thumbnail_of(&bytes)
        });
        Some((THUMBNAIL_SIDE, THUMBNAIL_SIDE, thumbnail.as_deref()?))
    }

    /// Returns the thumbnail of a file of the archive.
    fn swatch_of(&self, entry: usize) -> Option<Swatch> {
        let named = self.unnamed.named.get(&entry).copied();
        let index = named.or_else(|| {
            let unnamed = self.unnamed.by_entry.get(&entry)?;
            Some(self.textures.list.len() + unnamed)
        });
        index.map(Swatch::Thumbnail)
    }

    /// Returns an extension of the format.
    pub(in crate::kinds::level) fn extension_at(&self, index: usize) -> Option<ExtensionAt<'_>> {
        let extension = self.pmf.extensions.get(index)?;
        Some(ExtensionAt { extension })
    }
}

impl ArchiveOwner for Map {
    fn archive(&self) -> Option<&Archive> {
        self.pmf.archive.as_ref()
    }

    fn entry_item(&self, index: usize) -> Option<Item> {
        Some(LevelItem::archive_file(index).into())
    }

    fn archive_start(&self) -> u64 {
        archive_start(&self.pmf).unwrap_or(0)
    }

    fn entry_swatch(&self, index: usize) -> Option<Swatch> {
        self.swatch_of(index)
    }

    /// The header of a texture, and the material that names it.
    fn content_facts(&self, at: &EntryAt<'_>, bytes: &[u8]) -> Vec<Fact> {
        let mut facts = textures::head_facts(bytes);
        let number = self.unnamed.named.get(&at.index);
        let named = number.and_then(|number| self.textures.list.get(*number));
        facts.extend(match named {
            Some(texture) => Some(Fact::new("Named by materials", &*texture.path)),
            None if is_texture(&at.entry.name) => {
                Some(Fact::new("Named by materials", Value::none("none")))
            }
            None => None,
        });
        facts
    }
}

/// An extension of the format.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct ExtensionAt<'a> {
    extension: &'a Extension,
}

impl<'a> ExtensionAt<'a> {
    /// The fields of an extension.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Extension", Self::EXTENSION),
            section("Data", Self::DATA),
        ],
    };

    const EXTENSION: &'a [Field<Self>] = &[
        text("Name", "name", |at: &Self| {
            at.extension.name.as_str().into()
        })
        .in_summary_as("Extension")
        .listed(),
        flag("Known", "known", |at: &Self| {
            let is_known = at.extension.name == Extension::KNOWN;
            let known = "yes; its data has no meaning yet";
            Value::from(is_known).shown_as(if is_known { known } else { "no" })
        })
        .derived(),
        integer("Flags", "flags", |at| Value::hex(at.extension.flags, 2)),
        flag("Part of the checksum", "crc", |at: &Self| {
            at.has(Extension::USE_IN_CRC).into()
        })
        .derived()
        .listed(),
        flag("Support required", "required", |at: &Self| {
            at.has(Extension::SUPPORT_REQUIRED).into()
        })
        .derived()
        .listed(),
        place("Offset", "place", |at: &Self| {
            let Extension { offset, size, .. } = *at.extension;
            Value::bytes_at(offset as usize, size as usize).shown_as(format!("{offset:#x}"))
        })
        .place(),
        shown_only("Bytes", |at| at.extension.size.into()),
        integer("Bytes of data", "bytes", |at: &Self| {
            at.extension.data.len().into()
        })
        .listed()
        .note(|at| {
            let size = counted(at.extension.data.len(), "byte");
            let is_required = at.has(Extension::SUPPORT_REQUIRED);
            let required = if is_required { ", required" } else { "" };
            format!("{size}{required}").into()
        }),
    ];

    const DATA: &'a [Field<Self>] = &[field("Bytes", "bytes", ValueType::Bytes, |at| {
        let data = &at.extension.data;
        (!data.is_empty()).then(|| Value::bytes(&**data)).into()
    })];

    fn has(self, flag: u8) -> bool {
        self.extension.flags & flag != 0
    }
}

/// A string table.
#[derive(Debug)]
pub(in crate::kinds::level) struct StringTableAt<'a> {
    strings: &'a StringTable,
    /// Owner of the table.
    of: TableOwner<'a>,
    users: StringUsers<'a>,
    found: OnceCell<Strings>,
}

/// The owner of a string table.
#[derive(Debug, Clone, Copy)]
enum TableOwner<'a> {
    Map,
    Level(u32, Side),
    Chunk(ChunkAt<'a>, Side),
}

/// The records that reference the strings of a table.
#[derive(Debug)]
enum StringUsers<'a> {
    Entities(&'a Entities),
    Common(&'a Level),
    Client(&'a pmf::LevelClient),
    Chunk(&'a ChunkData),
    /// The entities of a chunk, and the attributes of its cubes.
    ChunkServer(&'a ChunkServer, &'a ChunkData),
}

/// The analysed strings of a table.
#[derive(Debug)]
struct Strings {
    /// The first strings.
    list: Vec<Value>,
    count: usize,
    /// Number of unreferenced strings, or `None` if there are too many references to count.
    unused: Option<usize>,
}

impl<'a> StringTableAt<'a> {
    /// The fields of a string table: its strings with their offsets, and the unreferenced ones
    /// among them.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("String table", Self::TABLE),
            section("Strings", Self::STRINGS),
        ],
    };

    const TABLE: &'a [Field<Self>] = &[
        field("Of", "of", OWNER, |at: &Self| at.of.value()).in_summary_as("Strings of"),
        integer("Strings", "strings", |at: &Self| at.strings().count.into())
            .note(|at| Value::count(at.count(), "string")),
        integer("Unused", "unused", |at| match at.strings().unused {
            Some(unused) => unused.into(),
            None => Value::none("not known: too many are named"),
        }),
        integer("Bytes", "bytes", |at: &Self| {
            at.strings.bytes().len().into()
        })
        .note(|at| Value::count(at.strings.bytes().len(), "byte")),
    ];

    const STRINGS: &'a [Field<Self>] = &[
        field("", "first", STRINGS, |at| at.strings().list.clone().into()),
        shown_only("", |at| {
            let strings = at.strings();
            let more = strings.count - strings.list.len();
            (more > 0).then(|| format!("and {more} more")).into()
        }),
    ];

    /// Number of its strings.
    fn count(&self) -> usize {
        let bytes = self.strings.bytes();
        bytes.split_inclusive(|byte| *byte == 0).count()
    }

    /// Describes the table by its size.
    pub(in crate::kinds::level) fn size_value(&self) -> Value {
        let facts = [
            Fact::new("Strings", self.count()),
            Fact::new("Bytes", self.strings.bytes().len()),
        ];
        Value::object(facts).shown_as(Self::FIELDS.note(self))
    }

    fn strings(&self) -> &Strings {
        self.found.get_or_init(|| self.find_strings())
    }

    fn find_strings(&self) -> Strings {
        let mut named = self.users.named(self.strings);
        let offsets: BTreeSet<u32> = named.by_ref().take(MAX_REFERENCES).collect();
        let is_complete = named.next().is_none();
        let mut list = Vec::new();
        let (mut count, mut unused) = (0_usize, 0_usize);
        let mut start = 0_u32;
        let bytes = self.strings.bytes().iter().zip(1..);
        for (_, end) in bytes.filter(|(byte, _)| **byte == 0) {
            // A reference into the middle of a string uses a part of it (fact sheet A11).
            let is_named = !is_complete || offsets.range(start..end).next().is_some();
            unused += usize::from(!is_named);
            if count < MAX_LISTED {
                let text = self.strings.brief(StringRef(start));
                let note = if is_named { "" } else { "  (unused)" };
                let shown = format!("{start:#06x}  {text}{note}");
                let facts = [
                    Fact::new("Offset", start),
                    Fact::new("Text", text),
                    Fact::new("Used", is_complete.then_some(is_named)),
                ];
                list.push(Value::object(facts).shown_as(shown));
            }
            count += 1;
            start = end;
        }
        Strings {
            list,
            count,
            unused: is_complete.then_some(unused),
        }
    }
}

impl StringUsers<'_> {
    /// Returns the offsets of referenced strings.
    fn named<'b>(&'b self, strings: &'b StringTable) -> Box<dyn Iterator<Item = u32> + 'b> {
        match *self {
            Self::Entities(entities) => Box::new(entities.string_offsets(strings)),
            Self::Common(level) => Box::new(names_of_common(level)),
            Self::Client(client) => Box::new(names_of_client(client)),
            Self::Chunk(data) => Box::new(names_of_chunk(data)),
            Self::ChunkServer(server, data) => {
                let attributes = data.cubes.iter().filter_map(|(_, cube)| match cube {
                    Cube::PathInfo(info) => Some(data.cubes.attributes(info)),
                    _ => None,
                });
                let texts = attributes.flatten().flat_map(|a| [a.name.0, a.data.0]);
                Box::new(server.entities.string_offsets(strings).chain(texts))
            }
        }
    }
}

impl Map {
    /// Returns a string table by its owner.
    pub(in crate::kinds::level) fn string_table_at(
        &self,
        owner: Owner,
        index: u32,
    ) -> Option<StringTableAt<'_>> {
        let pmf = &self.pmf;
        let (strings, of, users) = match owner {
            Owner::Map => {
                let users = StringUsers::Entities(&pmf.entities);
                (&pmf.strings, TableOwner::Map, users)
            }
            Owner::Level { level: number } => {
                let level = pmf.levels.get(number as usize)?;
                let side = *Side::ALL.get(index as usize)?;
                let (client, server) = (level.client.as_ref(), level.server.as_ref());
                let (strings, users) = match side {
                    Side::Common => (&level.common.strings, StringUsers::Common(level)),
                    Side::Client => (&client?.strings, StringUsers::Client(client?)),
                    Side::Server => (&server?.strings, StringUsers::Entities(&server?.entities)),
                };
                (strings, TableOwner::Level(number, side), users)
            }
            Owner::Chunk { level, chunk } => {
                let at = self.chunk_at(level, chunk)?;
                let (data, server) = (at.data()?, at.server());
                let (strings, side, users) = if index == 0 {
                    (&data.strings, Side::Common, StringUsers::Chunk(data))
                } else {
                    let users = StringUsers::ChunkServer(server?, data);
                    (&server?.strings, Side::Server, users)
                };
                (strings, TableOwner::Chunk(at, side), users)
            }
        };
        Some(StringTableAt {
            strings,
            of,
            users,
            found: OnceCell::new(),
        })
    }
}

impl TableOwner<'_> {
    fn value(self) -> Value {
        let (level, chunk, side, shown) = match self {
            Self::Map => (None, None, None, "the entities of the map".to_owned()),
            Self::Level(level, side) => {
                let shown = format!("the {side} section of level {level}");
                (Some(level as usize), None, Some(side), shown)
            }
            Self::Chunk(at, side) => {
                let (level, place) = (at.level_number, at.chunk.index);
                let shown = format!("the {side} section of chunk {place} of level {level}");
                (Some(level), Some(place.yxz()), Some(side), shown)
            }
        };
        let facts = [
            Fact::new("Level", level),
            Fact::new("Chunk", chunk),
            Fact::new("Section", side.map(|side| side.to_string())),
        ];
        Value::object(facts).shown_as(shown)
    }
}

/// The owner of a string table: the map, a level or a chunk.
const OWNER: ValueType = ValueType::Object(&[
    ("level", ValueType::Integer),
    ("chunk", ValueType::Integers(3)),
    ("section", ValueType::Text),
]);

const STRINGS: ValueType = ValueType::List(&ValueType::Object(&[
    ("offset", ValueType::Integer),
    ("text", ValueType::Text),
    ("used", ValueType::Flag),
]));

fn offsets(strings: impl IntoIterator<Item = StringRef>) -> impl Iterator<Item = u32> {
    strings.into_iter().map(|string| string.0)
}

fn names_of_common(level: &Level) -> impl Iterator<Item = u32> {
    let common = &level.common;
    let materials = common.materials.iter();
    let physics = common.physics_materials.iter();
    let defaults = [
        common.air_physics,
        common.default_weather,
        common.default_gravity,
    ];
    offsets(materials.flat_map(|material| [material.name, material.kind]))
        .chain(offsets(physics.map(|material| material.name)))
        .chain(offsets(common.weathers.iter().map(|weather| weather.name)))
        .chain(offsets(common.gravities.iter().map(|gravity| gravity.name)))
        .chain(offsets(defaults))
}

fn names_of_client(client: &pmf::LevelClient) -> impl Iterator<Item = u32> {
    let skies = client.skies.iter().flat_map(|sky| {
        let others = [sky.name, sky.top_clouds, sky.bottom_clouds];
        others.into_iter().chain(sky.skybox)
    });
    let materials = client.materials.iter().flat_map(|material| {
        let extra = material.extra_textures.iter().copied();
        extra.chain([material.texture, material.matcap])
    });
    offsets(client.sounds.iter().map(|sound| sound.name))
        .chain(offsets(skies))
        .chain(offsets([client.default_sound, client.default_sky]))
        .chain(offsets(materials))
}

fn names_of_chunk(data: &ChunkData) -> impl Iterator<Item = u32> {
    use crate::kinds::level::fields::environment::Environment;
    let lists = [
        &data.materials,
        &data.physics_materials,
        &data.sound_materials,
    ];
    let regions = Environment::ALL.into_iter().flat_map(|of| of.regions(data));
    offsets(lists.into_iter().flatten().copied())
        .chain(offsets(regions.map(|region| region.environment)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Playhead;
    use crate::kinds::level::sample::{self, properties, summary};

    #[test]
    fn textures_that_no_material_names_are_checked_and_shown() {
        let map = sample::with_archive();
        let broken: Vec<_> = map
            .about
            .problems
            .iter()
            .filter(|problem| matches!(problem.subject, Subject::ArchiveEntry(_)))
            .collect();
        let [problem] = broken[..] else {
            panic!("{broken:?}");
        };
        assert!(problem.facts().contains("textures/broken.ptf"), "{problem}");
        let item = map.item_of_problem(problem).unwrap();
        assert!(matches!(item, LevelItem::ArchiveFile { .. }), "{item}");
        let summary = summary(&map, item);
        assert_eq!(summary[0].value, "textures/broken.ptf");
        let archive = map.pmf().archive.as_ref().unwrap();
        let find = |path: &str| LevelItem::archive_file(archive.find(path).unwrap());
        let thumbnail = |path: &str| {
            let groups = properties(&map, find(path));
            let swatch = groups[0].properties.iter().find_map(|p| p.swatch);
            match swatch {
                Some(Swatch::Thumbnail(index)) => map.thumbnail_of(index),
                _ => None,
            }
        };
        let (width, height, pixels) = thumbnail("textures/whole.ptf").unwrap();
        assert_eq!(pixels.len() as u32, width * height * 4);
        let details = (&map as &dyn crate::Document)
            .details(find("textures/whole.ptf").into(), Playhead::default());
        assert_eq!(details["archive_file"]["kind"], "file");
        assert_eq!(details["content"]["has_alpha"], false);
        assert_eq!(details["content"]["size_px"], json!([4, 2]));
        // The first texel is black with a little green and blue.
        assert_eq!(pixels[..4], [0, 9, 18, 255]);
        assert_eq!(thumbnail("textures/broken.ptf"), None);
        assert_eq!(thumbnail("readme.txt"), None);
        let text = properties(&map, find("readme.txt"));
        let lines = text.iter().flat_map(|group| &group.properties);
        let dumps: Vec<_> = lines.filter(|line| !line.bytes.is_empty()).collect();
        assert_eq!((dumps.len(), &*dumps[0].bytes), (1, &b"Made up"[..]));
    }

    #[test]
    fn strings_that_nothing_names_are_marked() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let common = &mut pmf.levels[0].common;
        let used = common.strings.bytes().len();
        let more = [common.strings.bytes(), b"nobody\0sandstone\0"].concat();
        common.strings = StringTable::new(&more);
        // The end of a string is a string too.
        common.air_physics = StringRef(used as u32 + 7 + 4);
        let map = sample::map(pmf);
        let groups = properties(&map, LevelItem::strings_of_level(0, Side::Common));
        let lines = &groups[1].properties;
        let line = |text: &str| {
            let found = lines.iter().find(|line| line.value.contains(text));
            found.unwrap().value.clone()
        };
        assert!(line("nobody").ends_with("nobody  (unused)"));
        assert!(line("sandstone").ends_with("sandstone"));
        assert!(line("stone").starts_with("0x0001  stone"), "{lines:?}");
        let unused = &groups[0].properties[2];
        assert_eq!((unused.name, unused.value.as_str()), ("Unused", "1"));
        let details = (&map as &dyn crate::Document).details(
            LevelItem::strings_of_level(0, Side::Common).into(),
            Playhead::default(),
        );
        assert_eq!(details["string_table"]["unused"], 1);
        let of = json!({"level": 0, "chunk": null, "section": "common"});
        assert_eq!(details["string_table"]["of"], of);
        let first = details["strings"]["first"].as_array().unwrap();
        let stone = json!({"offset": 1, "text": "stone", "used": true});
        assert_eq!(first[1], stone);
        let nobody = first.iter().find(|it| it["text"] == "nobody");
        assert_eq!(nobody.unwrap()["used"], false);
        for side in Side::ALL {
            let groups = properties(&map, LevelItem::strings_of_level(0, side));
            assert!(groups[0].properties[2].value.parse::<u32>().unwrap() < 2);
        }
    }
}
