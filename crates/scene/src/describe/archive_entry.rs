//! Entries of an archive, which is a file of its own or part of a map.

use std::fmt;
use std::path::{Path, PathBuf};

use super::outline::{leaf, remainder_line};
use super::own::sha256;
use super::table::{Field, Table, ValueType, flag, integer, keyed_facts, place, section, text};
use super::value::{Fact, Value};
use super::{OutlineNode, Swatch, colors};
use crate::core::inside::path_inside;
use crate::core::item::Item;
use crate::core::parsed::FORMATS;
use mapscope_formats::counted;
use mapscope_formats::paf::{Archive, Content, Entry, File, Link, Target, name_crc};

/// Maximum size of a file whose content is described, in bytes.
const MAX_BYTES: u32 = 64 << 20;
/// Maximum size of a file that is decompressed only to know its format, in bytes.
const MAX_SNIFFED_BYTES: u32 = 1 << 20;
/// Number of bytes at the beginning of a file that tell text from other data.
const TEXT_BYTES: usize = 4096;
/// Size of a directory entry.
const ENTRY_BYTES: usize = 13;

/// The document that contains an archive.
pub(crate) trait ArchiveOwner: fmt::Debug {
    /// The archive, if the document has one.
    fn archive(&self) -> Option<&Archive>;

    /// The item of an entry.
    fn entry_item(&self, index: usize) -> Option<Item>;

    /// Offset of the archive in the file.
    fn archive_start(&self) -> u64 {
        0
    }

    /// The thumbnail of a file.
    fn entry_swatch(&self, index: usize) -> Option<Swatch> {
        let _ = index;
        None
    }

    /// Facts about the content of a file that only this document knows. Their keys are in
    /// [`CONTENT`].
    fn content_facts(&self, entry: &EntryAt<'_>, bytes: &[u8]) -> Vec<Fact> {
        let _ = (entry, bytes);
        Vec::new()
    }
}

/// An entry of an archive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryAt<'a> {
    owner: &'a dyn ArchiveOwner,
    pub(crate) archive: &'a Archive,
    pub(crate) index: usize,
    pub(crate) entry: &'a Entry,
}

/// The content of a file, and its header if it is a texture.
const CONTENT: &[(&str, ValueType)] = &[
    ("size_px", ValueType::Integers(2)),
    ("has_alpha", ValueType::Flag),
    ("unknown_flags", ValueType::Integer),
    ("named_by_materials", ValueType::Text),
    ("bytes", ValueType::Bytes),
];

impl<'a> EntryAt<'a> {
    /// Returns an entry of the archive of a document.
    pub(crate) fn new(owner: &'a dyn ArchiveOwner, index: usize) -> Option<Self> {
        let archive = owner.archive()?;
        Some(Self {
            owner,
            archive,
            index,
            entry: archive.entries().get(index)?,
        })
    }

    /// The fields of an entry of a map's archive.
    pub(crate) const OF_MAP: Table<'a, Self> = Table {
        sections: &[
            section("Archive file", Self::ENTRY),
            section("Content", Self::CONTENT),
        ],
    };

    /// The fields of an entry of an archive that is a file of its own.
    pub(crate) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Entry", Self::ENTRY),
            section("Content", Self::CONTENT),
        ],
    };

    const ENTRY: &'a [Field<Self>] = &[
        text("Name", "name", |at| at.entry.name.as_str().into()),
        text("Path", "path", |at: &Self| {
            let swatch = at.owner.entry_swatch(at.index);
            Value::from(at.path()).swatch(swatch)
        })
        .derived()
        .in_summary_as("File"),
        text("Type", "kind", |at: &Self| at.kind())
            .summary("Size", |at| match &at.entry.content {
                Content::File(file) => Value::count(file.bytes, "byte"),
                _ => at.kind(),
            })
            .note(Self::note),
        text("Link to", "target", |at| {
            at.link().map(|link| &*link.text).into()
        }),
        text("Leads to", "leads_to", |at: &Self| at.leads_to()).derived(),
        integer("Bytes", "size", |at| {
            at.file().map(|file| file.bytes).into()
        }),
        integer("Stored bytes", "stored_bytes", |at: &Self| {
            at.file().map(|file| file.stored_bytes).into()
        })
        .derived(),
        flag("Compressed", "compressed", |at: &Self| {
            at.file().map(|file| file.is_compressed).into()
        })
        .derived(),
        integer("Parts", "parts", |at: &Self| {
            at.file().map(|file| file.segments.len()).into()
        })
        .derived(),
        integer("Entries", "entries", |at: &Self| match &at.entry.content {
            Content::Directory(children) => children.len().into(),
            _ => Value::absent(),
        })
        .derived(),
        integer("Checksum of the name", "name_crc32", |at: &Self| {
            let right = name_crc(at.entry.name.as_bytes());
            let found = at.entry.crc;
            let shown = if found == right {
                format!("{found:08x} (right)")
            } else {
                format!("{found:08x} (expected {right:08x})")
            };
            Value::from(found).shown_as(shown)
        })
        .derived(),
        place("Record at", "place", |at: &Self| at.place()).place(),
    ];

    const CONTENT: &'a [Field<Self>] = &[
        text("Format", "format", |at: &Self| at.format().into()).derived(),
        integer("CRC-32", "crc32", |at: &Self| {
            let crc = at.bytes().map(|bytes| crc32fast::hash(&bytes));
            crc.map_or_else(Value::absent, |crc| Value::hex(crc, 8))
        })
        .derived(),
        text("SHA-256", "sha256", |at: &Self| {
            at.bytes().map(|bytes| sha256(&bytes)).into()
        })
        .derived(),
        keyed_facts(CONTENT, Self::content).compared(Self::own_content),
    ];

    /// Its path in the archive.
    pub(crate) fn path(&self) -> String {
        self.archive.path(self.entry)
    }

    fn kind(&self) -> Value {
        match self.entry.content {
            Content::Directory(_) => "folder".into(),
            Content::Link(_) => "link".into(),
            Content::File(_) => "file".into(),
            Content::Unknown(kind) => Value::none(format!("unknown type {kind}")),
        }
    }

    /// The note of its outline line.
    fn note(&self) -> Value {
        match &self.entry.content {
            Content::Directory(_) => Value::absent(),
            Content::File(file) if file.fault.is_some() => "unreadable".into(),
            Content::File(file) => Value::count(file.bytes, "byte"),
            Content::Link(Link { text, target }) => match target {
                Ok(_) => format!("link to {text}").into(),
                Err(_) => format!("link to {text}, leads nowhere").into(),
            },
            Content::Unknown(kind) => format!("unknown type {kind}").into(),
        }
    }

    /// The file, unless the entry is something else.
    pub(crate) fn file(&self) -> Option<&'a File> {
        match &self.entry.content {
            Content::File(file) => Some(file),
            _ => None,
        }
    }

    fn link(&self) -> Option<&'a Link> {
        match &self.entry.content {
            Content::Link(link) => Some(link),
            _ => None,
        }
    }

    /// The entry that a link leads to.
    fn leads_to(&self) -> Value {
        let Some(link) = self.link() else {
            return Value::absent();
        };
        match link.target {
            Ok(Target::Root) => Value::from("").shown_as("the root of the archive"),
            Ok(Target::Entry(index)) => {
                let entry = self.archive.entries().get(index as usize);
                let path = entry.map(|entry| self.archive.path(entry));
                Value::from(path).link_if(self.owner.entry_item(index as usize))
            }
            Err(dead_end) => Value::none(format!("nowhere: it {dead_end}")),
        }
    }

    /// Index of the file that the entry is or leads to.
    fn file_index(&self) -> Option<usize> {
        match &self.entry.content {
            Content::File(_) => Some(self.index),
            Content::Link(Link {
                target: Ok(Target::Entry(index)),
                ..
            }) => Some(*index as usize),
            _ => None,
        }
    }

    /// Returns the place of its record. The bytes of a file follow the record, mostly in one piece.
    fn place(&self) -> Value {
        let (at, bytes) = match &self.entry.content {
            Content::File(file) => (self.entry.record, file.stored_bytes as usize),
            _ => (self.entry.at, ENTRY_BYTES),
        };
        let start = self.owner.archive_start() + u64::from(at);
        Value::bytes_at(start as usize, bytes).shown_as(format!("{at:#x} of the archive"))
    }

    /// The bytes of a file, unless it is unreadable or large.
    fn bytes(&self) -> Option<bytes::Bytes> {
        let file = self.file()?;
        let is_small = file.bytes <= MAX_BYTES;
        is_small.then(|| self.archive.file(self.index)?.ok())?
    }

    /// Name of the format of a file, by its content.
    fn format(&self) -> Option<&'static str> {
        self.bytes().map(|bytes| format_of(&bytes))
    }

    /// `true` if the entry is or leads to a file that can be opened as a document.
    fn can_be_opened(&self) -> bool {
        let file = self
            .file_index()
            .and_then(|index| Self::new(self.owner, index));
        let has_ending = |at: &Self| {
            let ending = at
                .entry
                .name
                .rsplit_once('.')
                .map(|(_, ending)| ending.to_lowercase());
            let known = FORMATS.iter().flat_map(|format| format.endings);
            ending.is_some_and(|ending| known.into_iter().any(|known| *known == ending))
        };
        let is_known = |at: &Self| {
            let is_cheap = |file: &File| !file.is_compressed || file.bytes <= MAX_SNIFFED_BYTES;
            let bytes = at
                .file()
                .filter(|file| is_cheap(file))
                .and_then(|_| at.bytes());
            bytes.is_some_and(|bytes| FORMATS.iter().any(|format| (format.sniff)(&bytes)))
        };
        file.is_some_and(|at| {
            at.file().is_some_and(|file| file.fault.is_none()) && (has_ending(&at) || is_known(&at))
        })
    }

    /// The path behind that of the archive by which the entry is opened, if it can be opened.
    pub(crate) fn openable_path(&self, archive: &Path) -> Option<PathBuf> {
        let entry = self.archive.entries().get(self.file_index()?)?;
        let path = || path_inside(archive, &self.archive.path(entry));
        self.can_be_opened().then(path)?
    }

    /// Returns the bytes of a file, or the reason why they are unreadable.
    fn own_content(&self) -> Value {
        let content = self.archive.file(self.index);
        let fact = content.map(|content| match content {
            Ok(bytes) => Fact::new("Bytes", Value::bytes(&bytes[..])),
            Err(error) => Fact::new("Unreadable", error.to_string()),
        });
        Value::object(fact)
    }

    /// Describes the content of a file.
    fn content(&self) -> Value {
        let size = self.file().map_or(0, |file| file.bytes);
        let content = self.archive.file(self.index);
        let bytes = match content.filter(|_| size <= MAX_BYTES) {
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => {
                let reason = Value::none(error.to_string());
                return Value::object([Fact::new("Unreadable", reason).keyed("bytes")]);
            }
            None => return Value::absent(),
        };
        let mut facts = self.owner.content_facts(self, &bytes);
        if !bytes.is_empty() {
            facts.push(Fact::new("Bytes", Value::bytes(&bytes[..])));
        }
        facts.into()
    }
}

/// Name of the format of a file, by its content.
fn format_of(bytes: &[u8]) -> &'static str {
    if bytes.is_empty() {
        return "empty";
    }
    if let Some(format) = FORMATS.iter().find(|format| (format.sniff)(bytes)) {
        return format.name;
    }
    if let Ok(format) = image::guess_format(bytes) {
        return match format {
            image::ImageFormat::Png => "PNG image",
            image::ImageFormat::Jpeg => "JPEG image",
            _ => "image",
        };
    }
    let begin = bytes.get(..TEXT_BYTES).unwrap_or(bytes);
    let valid = begin.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // The last character may be cut.
    let is_text = valid.len() + 4 > begin.len()
        && !valid.contains(|c: char| c.is_control() && !c.is_whitespace());
    if is_text { "text" } else { "unknown data" }
}

/// Returns the entries of an archive as a tree of at most `max` lines: in each folder first the
/// folders, then the rest, by name.
pub(crate) fn outline(owner: &dyn ArchiveOwner, max: usize) -> Vec<OutlineNode> {
    let Some(archive) = owner.archive() else {
        return Vec::new();
    };
    let mut left = max;
    let mut lines = lines_below(owner, archive, None, &mut left);
    lines.extend(remainder_line(archive.entries().len(), max - left));
    lines
}

fn lines_below(
    owner: &dyn ArchiveOwner,
    archive: &Archive,
    directory: Option<u32>,
    left: &mut usize,
) -> Vec<OutlineNode> {
    let children = archive.children(directory);
    let is_folder = |index: &u32| {
        let entry = archive.entries().get(*index as usize);
        entry.is_some_and(|entry| matches!(entry.content, Content::Directory(_)))
    };
    let folders = children.iter().filter(|index| is_folder(index));
    let others = children.iter().filter(|index| !is_folder(index));
    let mut lines = Vec::with_capacity(children.len().min(*left));
    for index in folders.chain(others) {
        let at = EntryAt::new(owner, *index as usize);
        let Some((at, item)) = at.and_then(|at| Some((at, owner.entry_item(at.index)?))) else {
            continue;
        };
        if *left == 0 {
            break;
        }
        *left -= 1;
        let children = lines_below(owner, archive, Some(*index), left);
        let is_broken = match &at.entry.content {
            Content::File(file) => file.fault.is_some(),
            Content::Link(link) => link.target.is_err(),
            Content::Directory(_) => false,
            Content::Unknown(_) => true,
        };
        let note = match at.entry.content {
            Content::Directory(_) => counted(archive.children(Some(*index)).len(), "entry"),
            _ => EntryAt::FIELDS.note(&at),
        };
        lines.push(OutlineNode {
            swatch: if is_broken {
                Some(Swatch::Color(colors::BROKEN))
            } else {
                at.file().and_then(|_| owner.entry_swatch(at.index))
            },
            children,
            ..leaf(at.entry.name.clone(), item, note)
        });
    }
    lines
}
