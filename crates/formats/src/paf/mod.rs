//! PAF archives: files, directories and links (fact sheet F). PMF maps embed an
//! archive of layout P2.
//!
//! All offsets are relative to the first byte of the archive.

mod layout;
mod links;
mod read;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
#[cfg(feature = "write")]
mod write;

use std::fmt;
use std::ops::Range;

use bytes::Bytes;

use self::rules::ArchiveRules;
use crate::{Format, Place, ReadError, lz4};

pub use read::{Fault, Paf, read, read_with};
#[cfg(feature = "write")]
pub use write::{NewFile, WrittenLayout, write};

/// Magic bytes: three letters and the version.
const MAGIC: [u8; 4] = *b"PAF\0";
/// Maximum length of a name in bytes. The format has no limit, but no file system accepts longer
/// names. Link targets may have any length.
const MAX_NAME_BYTES: usize = 255;

/// The table entry for PAF.
pub static FORMAT: Format = Format {
    id: "paf",
    name: "PlatinumSrc archive",
    endings: &["paf"],
    sniff: |bytes| bytes.starts_with(&MAGIC),
};

/// An archive: its bytes and an index of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    bytes: Bytes,
    layout: u8,
    rules: &'static ArchiveRules,
    entries: Vec<Entry>,
    /// Indices of the entries. Those of a directory are at the same positions as its entries, and
    /// sorted by name.
    by_name: Vec<u32>,
    /// The entries of the root directory.
    root: Range<u32>,
}

impl Default for Archive {
    /// An empty archive of a map.
    fn default() -> Self {
        Self {
            bytes: Bytes::new(),
            layout: layout::P2.number,
            rules: &rules::OF_MAPS,
            entries: Vec::new(),
            by_name: Vec::new(),
            root: 0..0,
        }
    }
}

/// A file, directory or link in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name within its directory.
    pub name: String,
    /// Index of the parent directory; `None` in the root.
    pub parent: Option<u32>,
    /// Offset of the entry in the archive.
    pub at: u32,
    /// Offset of its record: the directory, the file, or the text of the link.
    pub record: u32,
    /// The stored checksum of its name; [`name_crc`] returns the right one.
    pub crc: u32,
    /// Its type and content.
    pub content: Content,
}

/// The type and content of an archive entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A directory with the indices of its entries.
    Directory(Range<u32>),
    /// A file.
    File(File),
    /// A path to another entry.
    Link(Link),
    /// An entry of an unknown type.
    Unknown(u8),
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// `true` if the file is a single LZ4 frame.
    pub is_compressed: bool,
    /// Size in the archive, in bytes.
    pub stored_bytes: u32,
    /// Size after decompression, in bytes.
    pub bytes: u32,
    /// Ranges of its bytes in the archive, part by part; empty if it cannot be read.
    pub segments: Vec<Range<u32>>,
    /// The reason why it cannot be read, if so.
    pub fault: Option<Fault>,
}

/// A link in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// A path from the root if it begins with `/`, else from the link's directory.
    pub text: String,
    /// The entry that it leads to, which is not a link.
    ///
    /// # Errors
    /// If it leads nowhere.
    pub target: Result<Target, DeadEnd>,
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The root directory.
    Root,
    /// The entry with this index.
    Entry(u32),
}

/// The reason why a link leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadEnd {
    /// No entry has this path.
    Missing,
    /// The path leads above the root.
    AboveRoot,
    /// The link leads to itself.
    Cycle,
    /// The path leads through more than 8 links.
    TooManyLinks,
    /// The text of the link cannot be read.
    Unreadable,
}

impl fmt::Display for DeadEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "does not exist",
            Self::AboveRoot => "leads above the root",
            Self::Cycle => "leads back to the link",
            Self::TooManyLinks => "leads through more than 8 links",
            Self::Unreadable => "cannot be read",
        })
    }
}

impl Archive {
    /// The archive as stored in the file.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Number of its layout: 1, 2 or 3.
    pub fn layout(&self) -> u8 {
        self.layout
    }

    /// All readable entries. A directory precedes its contents, and the entries of a directory are
    /// consecutive.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Indices of the entries of a directory, sorted by name; `None` is the root. Other entries
    /// have none.
    pub fn children(&self, directory: Option<u32>) -> &[u32] {
        let range = match directory {
            None => Some(&self.root),
            Some(index) => match self.entries.get(index as usize).map(|it| &it.content) {
                Some(Content::Directory(range)) => Some(range),
                _ => None,
            },
        };
        let range = range.map(|range| range.start as usize..range.end as usize);
        range
            .and_then(|range| self.by_name.get(range))
            .unwrap_or_default()
    }

    /// The path of an entry from the root, such as `textures/brick.ptf`.
    pub fn path(&self, entry: &Entry) -> String {
        join_path(&self.entries, entry.parent, &entry.name)
    }

    /// The paths of all readable files, sorted.
    pub fn file_paths(&self) -> Vec<String> {
        let is_file =
            |entry: &&Entry| matches!(&entry.content, Content::File(file) if file.fault.is_none());
        let files = self.entries.iter().filter(is_file);
        let mut paths: Vec<_> = files.map(|entry| self.path(entry)).collect();
        paths.sort_unstable();
        paths
    }

    /// Index of the file at a path from the root. Links are followed.
    pub fn find(&self, path: &str) -> Option<usize> {
        let Target::Entry(index) = self.walk(path).ok()? else {
            return None;
        };
        let entry = self.entries.get(index as usize)?;
        matches!(entry.content, Content::File(_)).then_some(index as usize)
    }

    /// Resolves a path from the root. Links are followed.
    ///
    /// # Errors
    /// If no entry has this path.
    pub fn walk(&self, path: &str) -> Result<Target, DeadEnd> {
        let mut at = Target::Root;
        for name in path.split('/') {
            at = self.step(at, name)?;
            if let Target::Entry(index) = at
                && let Some(entry) = self.entries.get(index as usize)
                && let Content::Link(link) = &entry.content
            {
                at = link.target?;
            }
        }
        Ok(at)
    }

    /// Resolves a name of a path without following links.
    fn step(&self, from: Target, name: &str) -> Result<Target, DeadEnd> {
        let directory = match from {
            Target::Root => None,
            Target::Entry(index) => Some(index),
        };
        match name {
            "" | "." => Ok(from),
            ".." => {
                // The root has no parent.
                let index = directory.ok_or(DeadEnd::AboveRoot)?;
                let parent = self.entries.get(index as usize).and_then(|it| it.parent);
                Ok(parent.map_or(Target::Root, Target::Entry))
            }
            _ => {
                let children = self.children(directory);
                let name_of = |index: &u32| self.entries.get(*index as usize).map(|it| &*it.name);
                let found = children.binary_search_by(|index| name_of(index).cmp(&Some(name)));
                let index = found.ok().and_then(|found| children.get(found));
                index.copied().map(Target::Entry).ok_or(DeadEnd::Missing)
            }
        }
    }

    /// Index of the file that a material or entity refers to by a resource path (fact sheet R). The
    /// ending (`.ptf` for textures) is optional, and the path starts at the root or in a folder
    /// such as `textures`.
    pub fn find_resource(&self, path: &str, folder: &str, ending: &str) -> Option<usize> {
        let path = path
            .split_once(':')
            .map_or(path, |(_, path)| path)
            .trim_start_matches('/');
        if path.is_empty() {
            return None;
        }
        [
            format!("{path}{ending}"),
            path.to_owned(),
            format!("{folder}/{path}{ending}"),
            format!("{folder}/{path}"),
        ]
        .iter()
        .find_map(|path| self.find(path))
    }

    /// Index of the texture that a material refers to by a path (fact sheet B30).
    pub fn find_texture(&self, path: &str) -> Option<usize> {
        self.find_resource(path, "textures", ".ptf")
    }

    /// The bytes of the file at an index; `None` if that entry is not a file. A file in one piece
    /// shares the bytes of the archive.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or decompressed, with the offset of its record
    /// in the archive.
    pub fn file(&self, index: usize) -> Option<Result<Bytes, ReadError>> {
        let entry = self.entries.get(index)?;
        match &entry.content {
            Content::File(file) => Some(self.extract(entry, file)),
            _ => None,
        }
    }

    fn extract(&self, entry: &Entry, file: &File) -> Result<Bytes, ReadError> {
        let unreadable = |found: String, expected: String| {
            let place = Place::Offset(u64::from(entry.record));
            ReadError::unreadable(self.rules.file, place, found, expected)
        };
        if let Some(fault) = &file.fault {
            return Err(unreadable(fault.to_string(), "a readable file".to_owned()));
        }
        let stored = match &file.segments[..] {
            [] => Bytes::new(),
            // The reader checked the range.
            [part] => self.bytes.slice(part.start as usize..part.end as usize),
            parts => read::concat(&self.bytes, parts).into(),
        };
        if !file.is_compressed {
            return Ok(stored);
        }
        let bytes = lz4::unpack(&stored, u64::from(file.bytes)).map_err(|wrong| {
            let found = format!("at {:#x} of the stored file: {}", wrong.at, wrong.found);
            unreadable(found, wrong.expected)
        })?;
        Ok(bytes.into())
    }
}

/// The path of an entry by its parent and name.
fn join_path(entries: &[Entry], parent: Option<u32>, name: &str) -> String {
    let mut names = vec![name];
    let mut parent = parent;
    // A directory always precedes its contents, so this loop ends.
    while let Some(directory) = parent.and_then(|index| entries.get(index as usize)) {
        names.push(&directory.name);
        parent = directory.parent;
    }
    names.reverse();
    names.join("/")
}

/// Checksum of a name: CRC-32 with the usual reflected polynomial, initial value 0 and no final
/// inversion (fact sheet F).
pub fn name_crc(name: &[u8]) -> u32 {
    // The hasher inverts the state at both ends.
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(name);
    !hasher.finalize()
}
