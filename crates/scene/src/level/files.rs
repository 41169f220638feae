//! What a map brings along beside its levels: the files of its archive, extensions and string
//! tables.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::Map;
use super::properties::yes;
use super::textures::{self, Textures};
use crate::assets::THUMBNAIL_SIDE;
use crate::listed::{and_more, leaf};
use crate::numbers::plural;
use crate::parallel::in_parallel;
use crate::rules;
use crate::{LevelItem, OutlineNode, Owner, Property, PropertyGroup, Swatch};
use crate::{OpenError, Progress};
use mapscope_formats::pmf::archive::{Archive, Content};
use mapscope_formats::pmf::{
    self, ChunkData, Cube, Entities, Extension, Level, Pmf, Side, StringRef, StringTable,
};
use mapscope_formats::{Place, Problem, Subject};

/// How many pixels of textures that no material names are decoded to see whether they can be.
const MOST_PIXELS: u64 = 32 << 20;
/// Bytes of files of the archive that are decompressed for that.
const MOST_BYTES: u64 = 64 << 20;
/// How many files, extensions and strings are listed.
const MOST_LISTED: usize = 2000;
/// How many references to strings are followed to find those that are unused.
const MOST_REFERENCES: usize = 1 << 20;

/// The textures of the archive that no material names.
#[derive(Debug, Default)]
pub(super) struct Unnamed {
    /// Entries of the archive, and their thumbnails once somebody looks.
    list: Vec<(usize, OnceLock<Option<Vec<u8>>>)>,
    /// Index in the list by entry.
    by_entry: HashMap<usize, usize>,
    /// Of entries that materials name, the index of their texture.
    named: HashMap<usize, usize>,
    pub(super) problems: Vec<Problem>,
}

/// Where the archive and what follows it begins, and how long the head is, in bytes; none of a map
/// that is not from a file.
pub(super) fn archive_start(pmf: &Pmf) -> Option<u64> {
    let levels: u64 = pmf.levels.iter().map(|level| u64::from(level.size)).sum();
    let extensions = pmf
        .extensions
        .iter()
        .map(|extension| u64::from(extension.size));
    let after = levels
        + 4 * pmf.levels.len() as u64
        + 1
        + extensions.sum::<u64>()
        + 4 * pmf.extensions.len() as u64
        + 2;
    let archive = pmf
        .archive
        .as_ref()
        .map_or(0, |archive| archive.bytes().len());
    (pmf.entities.range().start as u64).checked_sub(after + archive as u64)
}

impl Unnamed {
    /// Finds the textures that no material names, and those among them that cannot be decoded.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(super) fn find(
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
        let (mut pixels_left, mut bytes_left) = (MOST_PIXELS, MOST_BYTES);
        let mut looked_at = Vec::new();
        let mut not_looked_at = 0_usize;
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
                not_looked_at += 1;
                continue;
            };
            bytes_left = bytes;
            let Some(content) = archive.file(entry) else {
                continue;
            };
            let pixels = content.as_ref().map_or(0, |bytes| textures::pixels(bytes));
            match pixels_left.checked_sub(pixels) {
                Some(left) => {
                    pixels_left = left;
                    looked_at.push((entry, content));
                }
                None => not_looked_at += 1,
            }
        }
        let errors = in_parallel(looked_at.len(), progress, |i| match &looked_at.get(i)?.1 {
            Ok(bytes) => match textures::read(bytes) {
                Ok(texture) if texture.unknown_flags != 0 => {
                    Some(textures::unknown_flags(texture.unknown_flags))
                }
                Ok(_) => None,
                Err(error) => Some(error),
            },
            Err(error) => Some(textures::fault_of(error)),
        })?;
        let start = archive_start(pmf).unwrap_or(0);
        for ((entry, _), error) in looked_at.into_iter().zip(errors) {
            let (Some((rule, error)), Some(data)) = (error, archive.entries().get(entry)) else {
                continue;
            };
            let path = archive.path(data);
            let message = format!("texture `{path}` of the archive: {error}");
            let place = Place::Offset(start + u64::from(data.at));
            let subject = Subject::ArchiveEntry(entry as u32);
            unnamed
                .problems
                .push(Problem::new(rule, subject, place, message));
        }
        if not_looked_at > 0 {
            let message = format!(
                "{not_looked_at} textures of the archive that no material names are not checked: \
                 there are too many before them"
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
    /// A thumbnail by its index: those of textures that materials name, then of the others.
    pub(super) fn thumbnail_of(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        if let Some(texture) = self.textures.list.get(index) {
            return Some(texture.file.thumbnail());
        }
        let (entry, thumbnail) = self.unnamed.list.get(index - self.textures.list.len())?;
        let thumbnail = thumbnail.get_or_init(|| {
            let bytes = self.pmf.archive.as_ref()?.file(*entry)?.ok()?;
            textures::thumbnail_of(&bytes)
        });
        Some((THUMBNAIL_SIDE, THUMBNAIL_SIDE, thumbnail.as_deref()?))
    }

    /// The picture of a file of the archive.
    fn swatch_of(&self, entry: usize) -> Option<Swatch> {
        let named = self.unnamed.named.get(&entry).copied();
        let index = named.or_else(|| {
            let unnamed = self.unnamed.by_entry.get(&entry)?;
            Some(self.textures.list.len() + unnamed)
        });
        index.map(Swatch::Thumbnail)
    }

    /// The files of the archive as a tree.
    pub(super) fn archive_lines(&self) -> Vec<OutlineNode> {
        let Some(archive) = &self.pmf.archive else {
            return Vec::new();
        };
        let mut inside: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
        for (index, entry) in archive.entries().iter().enumerate().take(MOST_LISTED) {
            inside.entry(entry.parent).or_default().push(index);
        }
        let mut lines: HashMap<usize, OutlineNode> = HashMap::new();
        // A directory stands before what is in it: from behind, what is in one is made before it.
        let count = archive.entries().len().min(MOST_LISTED);
        let mut of = |index: usize, entry: &pmf::archive::Entry| {
            let (note, swatch) = match &entry.content {
                Content::Directory => (String::new(), None),
                Content::File(file) => (
                    plural(file.bytes as usize, "byte", "bytes"),
                    self.swatch_of(index),
                ),
                Content::Link(target) => (format!("link to {target}"), None),
            };
            let below = inside.remove(&Some(index as u32)).unwrap_or_default();
            let mut children: Vec<OutlineNode> = below
                .iter()
                .filter_map(|child| lines.remove(child))
                .collect();
            children.sort_by(|a, b| a.label.cmp(&b.label));
            let line = OutlineNode {
                label: entry.name.clone(),
                item: Some(LevelItem::archive_file(index).into()),
                note,
                swatch,
                children,
            };
            lines.insert(index, line);
        };
        for (index, entry) in archive.entries().iter().enumerate().take(count).rev() {
            of(index, entry);
        }
        let top = inside.remove(&None).unwrap_or_default();
        let mut top: Vec<OutlineNode> =
            top.iter().filter_map(|index| lines.remove(index)).collect();
        top.sort_by(|a, b| a.label.cmp(&b.label));
        top.extend(and_more(archive.entries().len(), count));
        top
    }

    pub(super) fn archive_file_summary(&self, index: usize) -> Option<(String, String)> {
        let archive = self.pmf.archive.as_ref()?;
        let entry = archive.entries().get(index)?;
        let size = match &entry.content {
            Content::File(file) => plural(file.bytes as usize, "byte", "bytes"),
            Content::Directory => "directory".to_owned(),
            Content::Link(_) => "link".to_owned(),
        };
        Some((archive.path(entry), size))
    }

    /// Everything about an entry of the archive.
    pub(super) fn archive_file_properties(&self, index: usize) -> Option<Vec<PropertyGroup>> {
        let archive = self.pmf.archive.as_ref()?;
        let entry = archive.entries().get(index)?;
        let mut properties = vec![
            Property::new("Name", &*entry.name),
            Property {
                swatch: self.swatch_of(index),
                ..Property::new("Path", archive.path(entry))
            },
        ];
        let mut say = |name, value: String| properties.push(Property::new(name, value));
        let mut groups = Vec::new();
        match &entry.content {
            Content::Directory => say("Type", "directory".to_owned()),
            Content::Link(target) => {
                say("Type", "link".to_owned());
                say("Leads to", target.clone());
            }
            Content::File(file) => {
                say("Type", "file".to_owned());
                say("Bytes", file.bytes.to_string());
                say("Stored bytes", file.stored_bytes.to_string());
                say("Compressed", yes(file.is_compressed).to_owned());
                say("Record at", format!("{:#x} of the archive", file.at));
                groups = self.content_properties(archive, index, file.bytes);
            }
        }
        let whole = PropertyGroup {
            title: "Archive file",
            properties,
        };
        Some([vec![whole], groups].concat())
    }

    /// What is in a file of the archive: what a texture says of itself, and the first bytes.
    fn content_properties(&self, archive: &Archive, index: usize, size: u32) -> Vec<PropertyGroup> {
        if u64::from(size) > MOST_BYTES {
            return Vec::new();
        }
        let (title, properties) = match archive.file(index) {
            Some(Ok(bytes)) => {
                let mut properties = textures::head_properties(&bytes);
                let number = self.unnamed.named.get(&index);
                let named = number.and_then(|number| self.textures.list.get(*number));
                properties.push(match named {
                    Some(texture) => Property::new("Named by materials", &*texture.path),
                    None if archive
                        .entries()
                        .get(index)
                        .is_some_and(|entry| is_texture(&entry.name)) =>
                    {
                        Property::new("Named by materials", "none")
                    }
                    None => Property::new("Content", plural(bytes.len(), "byte", "bytes")),
                });
                if !bytes.is_empty() {
                    properties.push(Property::dump(&*bytes));
                }
                ("Content", properties)
            }
            Some(Err(error)) => (
                "Content",
                vec![Property::new("Unreadable", error.to_string())],
            ),
            None => return Vec::new(),
        };
        vec![PropertyGroup { title, properties }]
    }

    pub(super) fn extension_lines(&self) -> Vec<OutlineNode> {
        let extensions = self.pmf.extensions.iter().enumerate().take(MOST_LISTED);
        let mut lines: Vec<OutlineNode> = extensions
            .map(|(index, extension)| {
                let required = if extension.flags & Extension::SUPPORT_REQUIRED != 0 {
                    ", required"
                } else {
                    ""
                };
                let size = plural(extension.data.len(), "byte", "bytes");
                let index = index as u32;
                let item = LevelItem::Extension { index }.into();
                leaf(extension.name.clone(), item, format!("{size}{required}"))
            })
            .collect();
        lines.extend(and_more(self.pmf.extensions.len(), lines.len()));
        lines
    }

    pub(super) fn extension_properties(&self, index: usize) -> Option<Vec<PropertyGroup>> {
        let extension = self.pmf.extensions.get(index)?;
        let has = |flag: u8| yes(extension.flags & flag != 0);
        let known = if extension.name == Extension::KNOWN {
            "yes; its data has no meaning yet"
        } else {
            "no"
        };
        let properties = vec![
            Property::new("Name", &*extension.name),
            Property::new("Known", known),
            Property::new("Flags", format!("{:#04x}", extension.flags)),
            Property::new("Part of the checksum", has(Extension::USE_IN_CRC)),
            Property::new("Support required", has(Extension::SUPPORT_REQUIRED)),
            Property::new("Offset", format!("{:#x}", extension.offset)),
            Property::new("Bytes", extension.size.to_string()),
            Property::new("Bytes of data", extension.data.len().to_string()),
        ];
        let mut groups = vec![PropertyGroup {
            title: "Extension",
            properties,
        }];
        if !extension.data.is_empty() {
            groups.push(PropertyGroup {
                title: "Data",
                properties: vec![Property::dump(&*extension.data)],
            });
        }
        Some(groups)
    }
}

/// A string table and what names its strings.
struct Table<'a> {
    strings: &'a StringTable,
    /// What it is of.
    of: String,
    /// Offsets of strings that are named, at most [`MOST_REFERENCES`].
    named: Vec<u32>,
}

impl Map {
    fn string_table(&self, item: LevelItem, with_names: bool) -> Option<Table<'_>> {
        let LevelItem::Strings { owner, index } = item else {
            return None;
        };
        let entity_names = |entities: &Entities, strings: &StringTable| -> Vec<u32> {
            let offsets = entities.string_offsets(strings);
            if with_names {
                offsets.take(MOST_REFERENCES).collect()
            } else {
                Vec::new()
            }
        };
        match owner {
            Owner::Map => Some(Table {
                strings: &self.pmf.strings,
                of: "the entities of the map".to_owned(),
                named: entity_names(&self.pmf.entities, &self.pmf.strings),
            }),
            Owner::Level { level: number } => {
                let level = self.pmf.levels.get(number as usize)?;
                let side = *Side::ALL.get(index as usize)?;
                let (strings, named) = match side {
                    Side::Common => (&level.common.strings, names_of_common(level)),
                    Side::Client => {
                        let client = level.client.as_ref()?;
                        (&client.strings, names_of_client(client))
                    }
                    Side::Server => {
                        let server = level.server.as_ref()?;
                        let named = entity_names(&server.entities, &server.strings);
                        (&server.strings, named)
                    }
                };
                Some(Table {
                    strings,
                    of: format!("the {side} section of level {number}"),
                    named,
                })
            }
            Owner::Chunk { level, chunk } => {
                let at = self.chunk_at(level, chunk)?;
                let data = at.chunk.data.as_deref()?;
                let (strings, side, named) = if index == 0 {
                    (&data.strings, Side::Common, names_of_chunk(data))
                } else {
                    let server = data.server.as_ref()?;
                    let mut named = entity_names(&server.entities, &server.strings);
                    if with_names {
                        let attributes = data.cubes.iter().filter_map(|(_, cube)| match cube {
                            Cube::PathInfo(info) => Some(data.cubes.attributes(info)),
                            _ => None,
                        });
                        let texts = attributes.flatten().flat_map(|a| [a.name.0, a.data.0]);
                        let left = MOST_REFERENCES - named.len();
                        named.extend(texts.take(left));
                    }
                    (&server.strings, Side::Server, named)
                };
                Some(Table {
                    strings,
                    of: format!(
                        "the {side} section of chunk {} of level {level}",
                        at.chunk.index
                    ),
                    named,
                })
            }
        }
    }

    /// The line of a string table.
    pub(super) fn strings_line(&self, label: &str, item: LevelItem) -> Option<OutlineNode> {
        let table = self.string_table(item, false)?;
        let bytes = table.strings.bytes();
        let count = bytes.split_inclusive(|byte| *byte == 0).count();
        let strings = plural(count, "string", "strings");
        let bytes = plural(table.strings.bytes().len(), "byte", "bytes");
        let note = format!("{strings}, {bytes}");
        Some(leaf(label.to_owned(), item.into(), note))
    }

    pub(super) fn strings_summary(&self, item: LevelItem) -> Option<String> {
        Some(self.string_table(item, false)?.of)
    }

    /// Everything about a string table: its strings with their offsets, and which of them nothing
    /// names.
    pub(super) fn strings_properties(&self, item: LevelItem) -> Option<Vec<PropertyGroup>> {
        let Table { strings, of, named } = self.string_table(item, true)?;
        let is_complete = named.len() < MOST_REFERENCES;
        let named: BTreeSet<u32> = named.into_iter().collect();
        let mut lines = Vec::new();
        let (mut count, mut unused) = (0_usize, 0_usize);
        let mut start = 0_u32;
        let ends = strings
            .bytes()
            .iter()
            .zip(1..)
            .filter(|(byte, _)| **byte == 0);
        for (_, end) in ends {
            // One that begins within another is a part of it (fact sheet A11).
            let is_named = !is_complete || named.range(start..end).next().is_some();
            unused += usize::from(!is_named);
            if count < MOST_LISTED {
                let text = strings.brief(StringRef(start));
                let note = if is_named { "" } else { "  (unused)" };
                lines.push(Property::new("", format!("{start:#06x}  {text}{note}")));
            }
            count += 1;
            start = end;
        }
        if count > MOST_LISTED {
            let more = count - MOST_LISTED;
            lines.push(Property::new("", format!("and {more} more")));
        }
        let unused = if is_complete {
            unused.to_string()
        } else {
            "not known: too many are named".to_owned()
        };
        let properties = vec![
            Property::new("Of", of),
            Property::new("Strings", count.to_string()),
            Property::new("Unused", unused),
            Property::new("Bytes", strings.bytes().len().to_string()),
        ];
        let groups = [("String table", properties), ("Strings", lines)];
        let groups = groups.into_iter().filter(|(_, list)| !list.is_empty());
        let groups = groups.map(|(title, properties)| PropertyGroup { title, properties });
        Some(groups.collect())
    }
}

fn offsets(strings: impl IntoIterator<Item = StringRef>) -> impl Iterator<Item = u32> {
    strings.into_iter().map(|string| string.0)
}

fn names_of_common(level: &Level) -> Vec<u32> {
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
        .collect()
}

fn names_of_client(client: &pmf::LevelClient) -> Vec<u32> {
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
        .collect()
}

fn names_of_chunk(data: &ChunkData) -> Vec<u32> {
    use super::environments::Environment;
    let lists = [
        &data.materials,
        &data.physics_materials,
        &data.sound_materials,
    ];
    let regions = Environment::ALL.into_iter().flat_map(|of| of.regions(data));
    offsets(lists.into_iter().flatten().copied())
        .chain(offsets(regions.map(|region| region.environment)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::sample;

    #[test]
    fn textures_that_no_material_names_are_checked_and_shown() {
        let map = sample::with_archive();
        let broken: Vec<_> = map
            .about
            .problems
            .iter()
            .filter(|problem| problem.message.contains("of the archive"))
            .collect();
        let [problem] = broken[..] else {
            panic!("{broken:?}");
        };
        assert!(
            problem.message.contains("`textures/broken.ptf`"),
            "{problem}"
        );
        let item = map.item_of_problem(problem).unwrap();
        assert!(matches!(item, LevelItem::ArchiveFile { .. }), "{item}");
        let summary = map.summary_of(item);
        assert_eq!(summary[0].value, "textures/broken.ptf");
        let archive = map.pmf().archive.as_ref().unwrap();
        let find = |path: &str| LevelItem::archive_file(archive.find(path).unwrap());
        let picture = |path: &str| {
            let groups = map.properties_of(find(path));
            let swatch = groups[0].properties.iter().find_map(|p| p.swatch);
            match swatch {
                Some(Swatch::Thumbnail(index)) => map.thumbnail_of(index),
                _ => None,
            }
        };
        let (width, height, pixels) = picture("textures/whole.ptf").unwrap();
        assert_eq!(pixels.len() as u32, width * height * 4);
        // The first texel is black with a little green and blue.
        assert_eq!(pixels[..4], [0, 9, 18, 255]);
        assert_eq!(picture("textures/broken.ptf"), None);
        assert_eq!(picture("readme.txt"), None);
        let text = map.properties_of(find("readme.txt"));
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
        let groups = map.properties_of(LevelItem::strings_of_level(0, Side::Common));
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
        for side in Side::ALL {
            let groups = map.properties_of(LevelItem::strings_of_level(0, side));
            assert!(groups[0].properties[2].value.parse::<u32>().unwrap() < 2);
        }
    }
}
