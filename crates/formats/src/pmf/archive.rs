//! PAF, the archive embedded in a map: files in directories (fact sheet D).
//!
//! All offsets are relative to the first byte of the archive. The format's document and the fact
//! sheet differ in the free-space tracker, the slots in use and the parts of strings; this follows
//! the fact sheet.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::bytes::{Cursor, Part, Section, hex};
use super::{WriteError, lz4, rules};
use crate::{Message, Place, Problems, ReadError, Rule, counted, quoted};

/// Magic bytes: three letters and the version.
pub(super) const MAGIC: [u8; 4] = *b"PAF\0";
const ENTRY_BYTES: usize = 13;
/// Maximum length of a name in bytes. The format has no limit, but no file system accepts longer
/// names. Link targets may have any length.
const MAX_NAME_BYTES: usize = 255;
/// Maximum number of consecutive links to follow.
const MAX_LINKS: usize = 8;
/// Maximum directory depth in archives that we write.
const MAX_DEPTH: usize = 64;
/// Types of entries.
const DIRECTORY: u8 = 0;
const FILE: u8 = 1;
const LINK: u8 = 2;
/// The file is a single LZ4 frame.
const LZ4: u8 = 1;

/// An archive: its bytes and an index of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Archive {
    bytes: Box<[u8]>,
    entries: Vec<Entry>,
    /// Indices of the entries, sorted by directory and name.
    by_name: Vec<u32>,
}

/// A file, directory or link in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name within its directory.
    pub name: String,
    /// Index of the parent directory; `None` in the root.
    pub parent: Option<u32>,
    /// Offset of its record in the archive.
    pub at: u32,
    /// Its type and content.
    pub content: Content,
}

/// The type and content of an archive entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A directory.
    Directory,
    /// A file.
    File(File),
    /// A path to another entry.
    Link(String),
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Offset of its record in the archive.
    pub at: u32,
    /// `true` if the file is a single LZ4 frame.
    pub is_compressed: bool,
    /// Size in the archive, in bytes.
    pub stored_bytes: u32,
    /// Size after decompression, in bytes.
    pub bytes: u32,
    /// Ranges of its bytes in the archive, part by part.
    segments: Vec<Range<u32>>,
}

/// No entry exists at a path.
struct NotFound;

/// A directory that is still to be read.
#[derive(Clone, Copy)]
struct PendingDirectory {
    /// Its index; `None` for the root.
    index: Option<u32>,
    /// Its offset.
    at: u32,
    /// Length of its path in bytes.
    path_bytes: usize,
}

impl Archive {
    /// Reads an archive, reports its problems and keeps everything readable. `start` is the offset
    /// of its first byte in the file.
    pub(super) fn read(bytes: &[u8], start: u64, problems: &mut Problems) -> Self {
        let section = Section {
            part: Part::Archive,
            start,
            is_packed: false,
        };
        let mut reader = Reader {
            cursor: Cursor::new(bytes, section),
            problems,
            bytes,
            entries: Vec::new(),
            directories: BTreeSet::new(),
            text_bytes_left: 4 * bytes.len(),
            parts_left: bytes.len() / 8 + 1,
        };
        // An empty archive has no entries.
        if !bytes.is_empty()
            && let Err(error) = reader.read_root()
        {
            reader.problems.add_error_as(&rules::ARCHIVE, error);
        }
        let entries = reader.entries;
        let mut by_name: Vec<_> = (0..entries.len() as u32).collect();
        by_name.sort_unstable_by_key(|index| Self::key(&entries, *index));
        Self {
            bytes: bytes.into(),
            entries,
            by_name,
        }
    }

    /// The lookup key of an entry.
    fn key(entries: &[Entry], index: u32) -> (Option<u32>, &str) {
        entries
            .get(index as usize)
            .map_or((None, ""), |entry| (entry.parent, &entry.name))
    }

    /// Builds an archive from files. Each file is stored in one piece, and directories are sorted
    /// by name.
    ///
    /// # Errors
    /// Returns an error for a file that the archive cannot contain: its path has an invalid part,
    /// exists twice or is the directory of another file, or the archive exceeds 4 GiB.
    pub fn build(files: &[NewFile<'_>]) -> Result<Self, WriteError> {
        let bytes = write(files).map_err(|path| WriteError {
            record: format!("archive: file `{path}`"),
            what: "its path conflicts with another file".to_owned(),
        })?;
        Ok(Self::read(&bytes, 0, &mut Problems::new()))
    }

    /// The archive as stored in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All readable entries. A directory precedes its contents.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The path of an entry from the root, such as `textures/brick.ptf`.
    pub fn path(&self, entry: &Entry) -> String {
        let mut names = vec![entry.name.as_str()];
        let mut parent = entry.parent;
        // A directory always precedes its contents, so this loop ends.
        while let Some(directory) = parent.and_then(|index| self.entries.get(index as usize)) {
            names.push(&directory.name);
            parent = directory.parent;
        }
        names.reverse();
        names.join("/")
    }

    /// The paths of all files, sorted.
    pub fn file_paths(&self) -> Vec<String> {
        let is_file = |entry: &&Entry| matches!(entry.content, Content::File(_));
        let files = self.entries.iter().filter(is_file);
        let mut paths: Vec<_> = files.map(|entry| self.path(entry)).collect();
        paths.sort_unstable();
        paths
    }

    /// Index of the file at a path from the root. Links are followed.
    pub fn find(&self, path: &str) -> Option<usize> {
        let mut links_left = MAX_LINKS;
        let index = self.walk(None, path, &mut links_left).ok()?? as usize;
        let entry = self.entries.get(index)?;
        matches!(entry.content, Content::File(_)).then_some(index)
    }

    /// Resolves a path from a directory; `None` is the root.
    fn walk(
        &self,
        directory: Option<u32>,
        path: &str,
        links_left: &mut usize,
    ) -> Result<Option<u32>, NotFound> {
        let mut at = if path.starts_with('/') {
            None
        } else {
            directory
        };
        for name in path.split('/') {
            match name {
                "" | "." => continue,
                ".." => {
                    // The root has no parent.
                    let directory = at.and_then(|index| self.entries.get(index as usize));
                    at = directory.ok_or(NotFound)?.parent;
                    continue;
                }
                _ => {}
            }
            let found = self
                .by_name
                .binary_search_by_key(&(at, name), |index| Self::key(&self.entries, *index))
                .map_err(|_| NotFound)?;
            let index = *self.by_name.get(found).ok_or(NotFound)?;
            let entry = self.entries.get(index as usize).ok_or(NotFound)?;
            at = match &entry.content {
                Content::Link(target) => {
                    *links_left = links_left.checked_sub(1).ok_or(NotFound)?;
                    self.walk(at, target, links_left)?
                }
                Content::Directory | Content::File(_) => Some(index),
            };
        }
        Ok(at)
    }

    /// Index of the file that a material or entity refers to by a resource path (fact sheet B30).
    /// The ending (`.ptf` for textures) is optional, and the path starts at the root or in a folder
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

    /// The bytes of the file at an index; `None` if that entry is not a file.
    ///
    /// # Errors
    /// Returns an error if the file is compressed and corrupt, with the offset of its record in the
    /// archive.
    pub fn file(&self, index: usize) -> Option<Result<Cow<'_, [u8]>, ReadError>> {
        match &self.entries.get(index)?.content {
            Content::File(file) => Some(self.extract(file)),
            Content::Directory | Content::Link(_) => None,
        }
    }

    fn extract(&self, file: &File) -> Result<Cow<'_, [u8]>, ReadError> {
        let whole = match &file.segments[..] {
            [part] => self.bytes.get(part.start as usize..part.end as usize),
            _ => None,
        };
        let stored = match whole {
            Some(part) => Cow::Borrowed(part),
            None => Cow::Owned(concat(&self.bytes, &file.segments)),
        };
        if !file.is_compressed {
            return Ok(stored);
        }
        let bytes = lz4::unpack(&stored, u64::from(file.bytes)).map_err(|wrong| {
            ReadError::unreadable(
                &rules::ARCHIVE_ENTRY,
                Place::Offset(u64::from(file.at)),
                format!("at {:#x} of the stored file: {}", wrong.at, wrong.found),
                wrong.expected,
            )
        })?;
        Ok(Cow::Owned(bytes))
    }
}

struct Reader<'a, 'p> {
    cursor: Cursor<'a>,
    problems: &'p mut Problems,
    bytes: &'a [u8],
    entries: Vec<Entry>,
    /// Offsets of the directories already read.
    directories: BTreeSet<u32>,
    /// Remaining budget for paths and links, in bytes. Entries may share a name or directory, but
    /// an archive that expands to many times its size is a trap.
    text_bytes_left: usize,
    /// Remaining budget for parts of strings and files; the archive has no room for more part
    /// headers.
    parts_left: usize,
}

impl Reader<'_, '_> {
    /// Reports a problem at an offset.
    fn warn<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        pos: u32,
        message: impl FnOnce() -> M,
    ) {
        self.cursor.warn(self.problems, rule, pos as usize, message);
    }

    fn read_root(&mut self) -> Result<(), ReadError> {
        self.cursor.enter("head", None);
        let magic = self.cursor.array()?;
        if magic != MAGIC {
            let found = format!("it begins with {}", hex(&magic));
            return Err(self.cursor.fault(&rules::ARCHIVE, 0, found, hex(&MAGIC)));
        }
        let root = self.cursor.u32()?;
        // The free-space tracker, which only writers use.
        self.cursor.u32()?;

        let mut pending = vec![PendingDirectory {
            index: None,
            at: root,
            path_bytes: 0,
        }];
        while let Some(directory) = pending.pop() {
            if !self.directories.insert(directory.at) {
                self.cursor.enter("directory", None);
                self.warn(&rules::ARCHIVE, directory.at, || {
                    "the directory is in several directories or in itself; it is shown once"
                        .to_owned()
                });
            } else if let Err(error) = self.read_directory(directory, &mut pending) {
                self.problems.add_error_as(&rules::ARCHIVE, error);
            }
        }
        Ok(())
    }

    /// Seeks to a record, whose offset must be inside the archive.
    fn go(&mut self, at: u32, name: &'static str) -> Result<(), ReadError> {
        self.cursor.enter(name, None);
        self.cursor.seek(at as usize);
        if at as usize >= self.bytes.len() {
            let found = format_args!("position {at:#x} is outside the archive");
            let expected = format!("a position below {:#x}", self.bytes.len());
            return Err(self
                .cursor
                .fault(&rules::ARCHIVE, at as usize, found, expected));
        }
        Ok(())
    }

    fn read_directory(
        &mut self,
        directory: PendingDirectory,
        pending: &mut Vec<PendingDirectory>,
    ) -> Result<(), ReadError> {
        let at = directory.at;
        self.go(at, "directory")?;
        let mut entries_left = self.cursor.u32()?;
        let mut slots = self.cursor.u32()?;
        let mut next = self.cursor.u32()?;
        let mut segments = BTreeSet::new();
        let mut names = BTreeSet::new();
        let first_pending = pending.len();
        loop {
            let count = slots.min(entries_left);
            self.cursor.enter("directory", None);
            let count = self.cursor.count(count, ENTRY_BYTES, "entry")?;
            let first = self.cursor.pos();
            for i in 0..count {
                if self.entries.len() > self.bytes.len() / ENTRY_BYTES {
                    let found = "more entries than the archive can hold";
                    return Err(self.cursor.fault(
                        &rules::ARCHIVE,
                        first,
                        found,
                        "each entry once",
                    ));
                }
                self.cursor.seek(first + i * ENTRY_BYTES);
                self.cursor.enter("entry", self.entries.len());
                self.read_entry(directory, &mut names, pending)?;
            }
            entries_left -= count as u32;
            if entries_left == 0 {
                break;
            }
            self.cursor.enter("directory", None);
            if next == 0 || !segments.insert(next) || count == 0 {
                let wrong = if next == 0 {
                    "no further part"
                } else if count == 0 {
                    "a part without entries"
                } else {
                    "a cycle of parts"
                };
                self.warn(&rules::ARCHIVE, at, || {
                    format!("{entries_left} more entries declared; found {wrong}")
                });
                break;
            }
            self.go(next, "directory part")?;
            slots = self.cursor.u32()?;
            next = self.cursor.u32()?;
        }
        // Pending directories are popped from the end.
        if let Some(added) = pending.get_mut(first_pending..) {
            added.reverse();
        }
        Ok(())
    }

    /// Reads an entry. An unusable entry is reported and omitted.
    fn read_entry(
        &mut self,
        directory: PendingDirectory,
        names: &mut BTreeSet<String>,
        pending: &mut Vec<PendingDirectory>,
    ) -> Result<(), ReadError> {
        let at = self.cursor.pos() as u32;
        let kind = self.cursor.u8()?;
        let name_at = self.cursor.u32()?;
        // The checksum of the name.
        self.cursor.u32()?;
        let target = self.cursor.u32()?;
        let (name, content) = match self.entry(kind, name_at, target) {
            Ok(entry) => entry,
            Err(wrong) => {
                self.warn(&rules::ARCHIVE_ENTRY, at, || wrong);
                return Ok(());
            }
        };
        if !names.insert(name.clone()) {
            self.warn(&rules::ARCHIVE_DUPLICATE, at, || {
                let name = quoted(name.as_bytes());
                format!("duplicate name {name} in the directory; the first is used")
            });
            return Ok(());
        }
        let path_bytes = directory.path_bytes + name.len() + 1;
        let Some(left) = self.text_bytes_left.checked_sub(path_bytes) else {
            let found = "paths many times longer than the archive";
            return Err(self
                .cursor
                .fault(&rules::ARCHIVE, at as usize, found, "shorter ones"));
        };
        self.text_bytes_left = left;
        if content == Content::Directory {
            pending.push(PendingDirectory {
                index: Some(self.entries.len() as u32),
                at: target,
                path_bytes,
            });
        }
        self.entries.push(Entry {
            name,
            parent: directory.index,
            at,
            content,
        });
        Ok(())
    }

    /// Reads the name and content of an entry.
    ///
    /// # Errors
    /// Describes the unreadable part of the entry.
    fn entry(&mut self, kind: u8, name_at: u32, at: u32) -> Result<(String, Content), String> {
        let name = self.string(name_at, MAX_NAME_BYTES)?;
        let shown = quoted(name.as_bytes());
        if matches!(name.as_str(), "" | "." | "..") || name.contains(['/', '\0']) {
            return Err(format!(
                "{shown} is not a valid file name; the entry is left out"
            ));
        }
        let content = match kind {
            DIRECTORY => Content::Directory,
            FILE => Content::File(
                self.file(at)
                    .map_err(|wrong| format!("the file {shown} at {at:#x} {wrong}"))?,
            ),
            LINK => Content::Link(self.string(at, self.bytes.len())?),
            _ => return Err(format!("{shown} has type {kind}; expected 0, 1 or 2")),
        };
        Ok((name, content))
    }

    /// Reads the string at an offset, of at most `max_bytes` bytes.
    fn string(&mut self, at: u32, max_bytes: usize) -> Result<String, String> {
        let bytes = self
            .string_bytes(at, max_bytes)
            .map_err(|wrong| format!("the string at {at:#x} {wrong}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn string_bytes(&mut self, at: u32, max_bytes: usize) -> Result<Vec<u8>, String> {
        self.cursor.seek(at as usize);
        let [len] = self.numbers()?;
        if len as usize > max_bytes {
            return Err(format!("has {len} bytes; expected at most {max_bytes}"));
        }
        self.text_bytes_left = self
            .text_bytes_left
            .checked_sub(len as usize)
            .ok_or("is longer than the archive can hold")?;
        let parts = self.parts(len, false)?;
        Ok(concat(self.bytes, &parts))
    }

    /// Reads the file at an offset.
    fn file(&mut self, at: u32) -> Result<File, String> {
        self.cursor.seek(at as usize);
        let compression = self.cursor.u8().map_err(outside)?;
        if compression > LZ4 {
            return Err(format!("has compression {compression}; expected 0 or 1"));
        }
        let is_compressed = compression == LZ4;
        let [stored_bytes, unpacked_bytes] = self.numbers()?;
        if stored_bytes as usize > self.bytes.len() {
            return Err(format!(
                "has a declared size of {stored_bytes} bytes, more than the archive"
            ));
        }
        Ok(File {
            at,
            is_compressed,
            stored_bytes,
            bytes: if is_compressed {
                unpacked_bytes
            } else {
                stored_bytes
            },
            segments: self.parts(stored_bytes, true)?,
        })
    }

    /// Reads the parts of a string or file. Each part has its length and the offset of the next one
    /// before it. Parts of a file after the first also have the offset of the previous part.
    fn parts(&mut self, total: u32, has_previous: bool) -> Result<Vec<Range<u32>>, String> {
        let mut parts = Vec::new();
        let mut visited = BTreeSet::new();
        let mut bytes_left = total;
        let [mut here, mut next] = self.numbers()?;
        loop {
            let part = here.min(bytes_left);
            let start = self.cursor.pos() as u32;
            self.cursor.bytes(part as usize).map_err(outside)?;
            if part > 0 {
                parts.push(start..start + part);
            }
            bytes_left -= part;
            if bytes_left == 0 {
                return Ok(parts);
            }
            let so_far = total - bytes_left;
            if next == 0 || part == 0 {
                return Err(format!(
                    "ends after {so_far} of {}",
                    counted(total as usize, "byte")
                ));
            }
            if !visited.insert(next) {
                return Err(format!(
                    "repeats a part after {so_far} of {}",
                    counted(total as usize, "byte")
                ));
            }
            self.parts_left = self
                .parts_left
                .checked_sub(1)
                .ok_or("has more parts than the archive can hold")?;
            self.cursor.seek(next as usize);
            [here, next] = self.numbers()?;
            if has_previous {
                self.numbers::<1>()?;
            }
        }
    }

    fn numbers<const N: usize>(&mut self) -> Result<[u32; N], String> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.cursor.u32().map_err(outside)?;
        }
        Ok(numbers)
    }
}

fn outside(_: ReadError) -> String {
    "extends past the end of the archive".to_owned()
}

/// Concatenates the bytes of parts of an archive.
fn concat(archive: &[u8], parts: &[Range<u32>]) -> Vec<u8> {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| part.start as usize..part.end as usize)
        .filter_map(|part| archive.get(part))
        .collect();
    parts.concat()
}

/// A file to put into a new archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewFile<'a> {
    /// Directory names and the file name, separated by `/`.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// `true` to compress it.
    pub compress: bool,
}

/// Writes an archive. Fails with the first path that it cannot contain.
fn write(files: &[NewFile<'_>]) -> Result<Vec<u8>, String> {
    let mut named = Vec::with_capacity(files.len());
    for (order, file) in files.iter().enumerate() {
        named.push((file.names()?, order, file));
    }
    named.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0; 8]);
    let root_at = write_directory(&named, 0, &mut bytes)?;
    if let Some(at) = bytes.get_mut(4..8) {
        at.copy_from_slice(&root_at.to_le_bytes());
    }
    if bytes.len() > u32::MAX as usize {
        return Err(files.last().map_or("", |file| file.path).to_owned());
    }
    Ok(bytes)
}

impl<'a> NewFile<'a> {
    /// The names in its path.
    fn names(&self) -> Result<Vec<&'a str>, String> {
        let is_name = |name: &&str| {
            !matches!(*name, "" | "." | "..")
                && name.len() <= MAX_NAME_BYTES
                && !name.contains(['\\', '\0'])
        };
        let names: Vec<_> = self.path.split('/').collect();
        if names.len() > MAX_DEPTH || !names.iter().all(is_name) {
            return Err(self.path.to_owned());
        }
        Ok(names)
    }
}

/// Writes the contents of a directory at the given depth, then the directory, and returns its
/// offset. `files` are sorted by name; each has its index in the original list.
fn write_directory(
    files: &[(Vec<&str>, usize, &NewFile<'_>)],
    depth: usize,
    bytes: &mut Vec<u8>,
) -> Result<u32, String> {
    let mut entries = Vec::new();
    let mut count = 0;
    for group in files.chunk_by(|(a, ..), (b, ..)| a.get(depth) == b.get(depth)) {
        let Some((names, _, file)) = group.first() else {
            continue;
        };
        let (kind, target) = if names.len() > depth + 1 {
            (DIRECTORY, write_directory(group, depth + 1, bytes)?)
        } else if group.len() == 1 {
            (FILE, write_file(file, bytes))
        } else {
            // Another file or a directory has the same name.
            let last = group.iter().max_by_key(|(_, order, _)| order);
            return Err(last.map_or("", |(.., file)| file.path).to_owned());
        };
        let name = names.get(depth).copied().unwrap_or_default();
        let name_at = bytes.len() as u32;
        let len = name.len() as u32;
        put(bytes, &[len, len, 0]);
        bytes.extend(name.bytes());
        entries.push(kind);
        put(&mut entries, &[name_at, name_crc(name.as_bytes()), target]);
        count += 1;
    }
    let at = bytes.len() as u32;
    put(bytes, &[count, count, 0]);
    bytes.extend(entries);
    Ok(at)
}

fn write_file(file: &NewFile<'_>, bytes: &mut Vec<u8>) -> u32 {
    let at = bytes.len() as u32;
    if file.compress {
        let frame = lz4::pack(file.bytes);
        let stored = frame.len() as u32;
        bytes.push(LZ4);
        put(bytes, &[stored, file.bytes.len() as u32, stored, 0]);
        bytes.extend(frame);
    } else {
        let stored = file.bytes.len() as u32;
        bytes.push(0);
        put(bytes, &[stored, 0, stored, 0]);
        bytes.extend(file.bytes);
    }
    at
}

fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Checksum of a name: CRC-32 with the usual reflected polynomial, initial value 0 and no final
/// inversion (fact sheet D).
fn name_crc(name: &[u8]) -> u32 {
    name.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Problem, Severity};

    const START: u64 = 0x1000;

    fn read(bytes: &[u8]) -> (Archive, Vec<Problem>) {
        let mut problems = Problems::new();
        let archive = Archive::read(bytes, START, &mut problems);
        (archive, problems.finish())
    }

    #[track_caller]
    fn sound(bytes: &[u8]) -> Archive {
        let (archive, problems) = read(bytes);
        assert_eq!(problems, []);
        archive
    }

    /// Reads an archive with exactly one fault.
    #[track_caller]
    fn warned(bytes: &[u8], at: usize, with: &str) -> Archive {
        let (archive, problems) = read(bytes);
        let place = Place::Offset(START + at as u64);
        let [problem] = &problems[..] else {
            panic!("{problems:?}");
        };
        assert!(
            problem.place == place
                && problem.severity == Severity::Warning
                && problem.facts().contains(with),
            "{}",
            problem.facts()
        );
        archive
    }

    fn file<'a>(path: &'a str, bytes: &'a [u8], compress: bool) -> NewFile<'a> {
        NewFile {
            path,
            bytes,
            compress,
        }
    }

    fn bytes_of(archive: &Archive, path: &str) -> Vec<u8> {
        let index = archive.find(path).expect(path);
        archive.file(index).unwrap().unwrap().into_owned()
    }

    /// An archive assembled record by record.
    struct Raw(Vec<u8>);

    impl Raw {
        fn new() -> Self {
            let mut bytes = MAGIC.to_vec();
            bytes.extend([0; 8]);
            Self(bytes)
        }

        fn here(&self) -> u32 {
            self.0.len() as u32
        }

        fn numbers(&mut self, numbers: &[u32]) -> u32 {
            let at = self.here();
            put(&mut self.0, numbers);
            at
        }

        fn string(&mut self, text: &[u8]) -> u32 {
            let len = text.len() as u32;
            let at = self.numbers(&[len, len, 0]);
            self.0.extend(text);
            at
        }

        /// A file in one piece.
        fn file(&mut self, bytes: &[u8]) -> u32 {
            let at = self.here();
            self.0.push(0);
            let len = bytes.len() as u32;
            self.numbers(&[len, 0, len, 0]);
            self.0.extend(bytes);
            at
        }

        fn entries(&mut self, entries: &[(u8, u32, u32)]) {
            for (kind, name, target) in entries {
                self.0.push(*kind);
                self.numbers(&[*name, 0, *target]);
            }
        }

        /// A directory in one piece.
        fn directory(&mut self, entries: &[(u8, u32, u32)]) -> u32 {
            let count = entries.len() as u32;
            let at = self.numbers(&[count, count, 0]);
            self.entries(entries);
            at
        }

        fn set(&mut self, at: u32, number: u32) {
            self.0[at as usize..][..4].copy_from_slice(&number.to_le_bytes());
        }

        fn root(mut self, at: u32) -> Vec<u8> {
            self.set(4, at);
            self.0
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let long = [7; 5000];
        let files = [
            file("textures/brick.ptf", &long, true),
            file("textures/wood/oak.ptf", b"oak", false),
            file("readme.txt", b"Hello", false),
            file("textures/wood/empty", b"", true),
            file("z/none", b"", false),
        ];
        let bytes = write(&files).unwrap();
        let archive = sound(&bytes);
        assert_eq!(archive.bytes(), bytes);
        let mut paths: Vec<_> = files.iter().map(|file| file.path).collect();
        paths.sort_unstable();
        assert_eq!(archive.file_paths(), paths);
        for file in files {
            assert_eq!(bytes_of(&archive, file.path), file.bytes);
        }
        let again: Vec<_> = paths.iter().map(|path| bytes_of(&archive, path)).collect();
        let again: Vec<_> = paths
            .iter()
            .zip(&again)
            .map(|(path, bytes)| {
                let index = archive.find(path).unwrap();
                let Content::File(record) = &archive.entries()[index].content else {
                    panic!("{path}");
                };
                file(path, bytes, record.is_compressed)
            })
            .collect();
        assert_eq!(write(&again).unwrap(), bytes);
        assert_eq!(sound(&write(&[]).unwrap()).entries(), []);
        assert_eq!(sound(&[]).entries(), []);
    }

    #[test]
    fn paths_that_an_archive_cannot_have_are_not_written() {
        let deep = ["a"; MAX_DEPTH + 1].join("/");
        let long = "a".repeat(MAX_NAME_BYTES + 1);
        for path in [
            "", "/", "/a", "a/", "../x", "a/../b", ".", "a\\b", "a\0", &deep, &long,
        ] {
            assert_eq!(write(&[file(path, b"", false)]), Err(path.to_owned()));
        }
        for paths in [["a", "a"], ["a", "a/b"], ["a/b", "a"]] {
            let files = paths.map(|path| file(path, b"", false));
            assert_eq!(write(&files), Err(paths[1].to_owned()), "{paths:?}");
            let error = Archive::build(&files).unwrap_err().to_string();
            assert!(error.starts_with(&format!("archive: file `{}`: ", paths[1])));
        }
    }

    #[test]
    fn names_have_the_checksum_of_the_format() {
        // From an archive of the samples.
        assert_eq!(name_crc(b"readme.txt"), 0xC1D3_E37E);
        assert_eq!(name_crc(b"textures"), 0xC0A5_667F);
    }

    #[test]
    fn resources_are_found_as_the_fact_sheet_says() {
        let archive = sound(
            &write(&[
                file("textures/brick.ptf", b"1", false),
                file("textures/brick", b"2", false),
                file("wood.ptf", b"3", false),
                file("textures/wood.ptf", b"4", false),
                file("textures/plain", b"5", false),
            ])
            .unwrap(),
        );
        let found = |path: &str| {
            let index = archive.find_texture(path)?;
            Some(archive.file(index).unwrap().unwrap()[0] - b'0')
        };
        assert_eq!(found("textures/brick"), Some(1));
        assert_eq!(found("brick"), Some(1));
        assert_eq!(found("map:/textures/brick"), Some(1));
        assert_eq!(found("map://brick"), Some(1));
        assert_eq!(found("brick.ptf"), Some(1));
        assert_eq!(found("wood"), Some(3));
        assert_eq!(found("plain"), Some(5));
        assert_eq!(found("textures"), None);
        assert_eq!(found("stone"), None);
        assert_eq!(found(""), None);
        assert_eq!(found("map:/"), None);
        assert_eq!(found("../brick"), None);
        assert_eq!(found("textures/wood/../brick"), None);
        assert_eq!(found("textures/../wood"), Some(3));
    }

    #[test]
    fn parts_are_put_together() {
        let mut raw = Raw::new();
        let frame = lz4::pack(b"brick brick brick brick");
        let (first, second) = frame.split_at(9);
        let name = raw.numbers(&[5, 2, 0]);
        raw.0.extend(b"br");
        let rest = raw.numbers(&[3, 0]);
        raw.0.extend(b"ick");
        raw.set(name + 8, rest);
        let at = raw.here();
        raw.0.push(1);
        raw.numbers(&[frame.len() as u32, 23, first.len() as u32, 0]);
        raw.0.extend(first);
        let next = raw.numbers(&[second.len() as u32, 0, at]);
        raw.0.extend(second);
        raw.set(at + 13, next);
        let other = raw.file(b"other");
        let other_name = raw.string(b"other");
        // A directory with a spare entry slot and a second part.
        let root = raw.numbers(&[2, 1, 0]);
        raw.entries(&[(FILE, name, at)]);
        let part = raw.numbers(&[6, 0]);
        raw.entries(&[(FILE, other_name, other)]);
        raw.set(root + 8, part);
        let archive = sound(&raw.root(root));
        assert_eq!(archive.file_paths(), ["brick", "other"]);
        assert_eq!(bytes_of(&archive, "brick"), b"brick brick brick brick");
        assert_eq!(bytes_of(&archive, "other"), b"other");
        let brick = &archive.entries()[0];
        assert_eq!((brick.at, brick.parent), (root + 12, None));
    }

    #[test]
    fn heads_are_checked() {
        let bytes = write(&[file("a", b"b", false)]).unwrap();
        for cut in 1..12 {
            warned(
                &bytes[..cut],
                if cut < 4 { 0 } else { cut / 4 * 4 },
                "pmf/archive: ",
            );
        }
        let mut wrong = bytes.clone();
        wrong[3] = 1;
        warned(&wrong, 0, "pmf/archive: 00 01 41 46 50");
        for root in [bytes.len() as u32, u32::MAX] {
            let mut raw = Raw(bytes.clone());
            raw.set(4, root);
            let archive = warned(&raw.0, root as usize, "pmf/archive");
            assert_eq!(archive.entries(), []);
        }
    }

    #[test]
    fn directories_do_not_go_in_circles() {
        let mut raw = Raw::new();
        let name = raw.string(b"again");
        let inner_at = raw.here();
        raw.numbers(&[2, 2, 0]);
        raw.entries(&[(DIRECTORY, name, 0), (DIRECTORY, name, 0)]);
        let root = raw.directory(&[(DIRECTORY, name, inner_at)]);
        // The first entry of the inner directory is the root.
        raw.set(inner_at + 12 + 9, root);
        raw.set(inner_at + 12 + 13 + 9, inner_at);
        let (archive, problems) = read(&raw.root(root));
        assert_eq!(archive.entries().len(), 2);
        let found: Vec<_> = problems.iter().map(|it| it.rule.id).collect();
        assert_eq!(found, ["pmf/archive-duplicate", "pmf/archive"]);
    }

    #[test]
    fn directory_counts_are_not_trusted() {
        let mut raw = Raw::new();
        let root = raw.numbers(&[u32::MAX, u32::MAX, 0]);
        warned(&raw.root(root), root as usize + 12, " 4294967295");

        // A part whose next part is itself: its second pass finds the name already there.
        let mut raw = Raw::new();
        let name = raw.string(b"a");
        let other = raw.string(b"b");
        let file = raw.file(b"1");
        let root = raw.numbers(&[5, 1, 0]);
        raw.entries(&[(FILE, name, file)]);
        let part = raw.numbers(&[1, 0]);
        raw.entries(&[(FILE, other, file)]);
        raw.set(root + 8, part);
        raw.set(part + 4, part);
        let archive = warned(&raw.root(root), root as usize, "pmf/archive: 3");
        assert_eq!(archive.file_paths(), ["a", "b"]);

        for (part, with) in [([0, 0], "pmf/archive: 4"), ([1, 0], "pmf/archive: 3")] {
            let mut raw = Raw::new();
            let name = raw.string(b"a");
            let other = raw.string(b"b");
            let file = raw.file(b"b");
            let root = raw.numbers(&[5, 1, 0]);
            raw.entries(&[(FILE, name, file)]);
            let part = raw.numbers(&part);
            raw.entries(&[(FILE, other, file)]);
            raw.set(root + 8, part);
            if with.contains("without") {
                raw.set(part + 4, part);
            }
            warned(&raw.root(root), root as usize, with);
        }
    }

    #[test]
    fn bad_names_are_left_out() {
        for name in [&b"../x"[..], b"..", b".", b"", b"a/b", b"a\0b"] {
            let mut raw = Raw::new();
            let bad = raw.string(name);
            let good = raw.string(b"good");
            let file = raw.file(b"1");
            let root = raw.directory(&[(FILE, bad, file), (FILE, good, file)]);
            let archive = warned(&raw.root(root), root as usize + 12, "pmf/archive-entry");
            assert_eq!(archive.file_paths(), ["good"]);
        }
    }

    #[test]
    fn names_may_hold_a_backslash_and_links_lead_any_way() {
        let mut raw = Raw::new();
        let name = raw.string(br"a\b");
        let link = raw.string(b"link");
        let way = ["./".repeat(200), r"a\b".to_owned()].concat();
        let way = raw.string(way.as_bytes());
        let file = raw.file(b"found");
        let root = raw.directory(&[(FILE, name, file), (LINK, link, way)]);
        let mut problems = Problems::new();
        let archive = Archive::read(&raw.root(root), 0, &mut problems);
        assert_eq!(problems.finish(), []);
        let found = archive.find("link").unwrap();
        assert_eq!(archive.entries()[found].name, r"a\b");
        assert_eq!(&*archive.file(found).unwrap().unwrap(), b"found");
    }

    #[test]
    fn strings_stay_inside() {
        let with = |numbers: &[u32; 3], text: &str| {
            let mut raw = Raw::new();
            let file = raw.file(b"1");
            let root_at = raw.here();
            let name = root_at + 12 + 13;
            let root = raw.directory(&[(FILE, name, file)]);
            raw.numbers(numbers);
            raw.0.extend(b"ab");
            let bytes = raw.root(root);
            let archive = warned(&bytes, root as usize + 12, text);
            assert_eq!(archive.entries(), []);
        };
        with(&[3, 3, 0], "pmf/archive-entry: 0 0x37");
        with(
            &[u32::MAX, u32::MAX, 0],
            "pmf/archive-entry: 0 0x37 255 4294967295",
        );
        with(&[3, 2, 0], "pmf/archive-entry: 0 0x37 2 3");
        with(&[3, 0, 12], "pmf/archive-entry: 0 0x37 3");
        with(&[3, 2, u32::MAX], "pmf/archive-entry: 0 0x37");
    }

    #[test]
    fn files_stay_inside() {
        let with = |compression: u8, numbers: &[u32; 4], text: &str| {
            let mut raw = Raw::new();
            let name = raw.string(b"a");
            let at = raw.here();
            raw.0.push(compression);
            raw.numbers(numbers);
            raw.0.extend(b"0123456789");
            // A one-byte part whose next part is itself.
            let part = raw.here();
            raw.numbers(&[1, part, at]);
            raw.0.push(b'x');
            let root = raw.directory(&[(FILE, name, at)]);
            if numbers[3] == 1 {
                raw.set(at + 13, part);
            }
            let archive = warned(&raw.root(root), root as usize + 12, text);
            assert_eq!(archive.entries(), []);
        };
        with(2, &[10, 0, 10, 0], "pmf/archive-entry: 0 0x19 1 2 a");
        with(
            0,
            &[u32::MAX, 0, u32::MAX, 0],
            "pmf/archive-entry: 0 0x19 4294967295 a",
        );
        with(0, &[90, 0, 90, 0], "pmf/archive-entry");
        with(0, &[12, 0, 10, 0], "pmf/archive-entry: 0 0x19 10 12 a");
        with(0, &[12, 0, 10, 1], "pmf/archive-entry: 0 0x19 11 12 a");
        with(0, &[12, 0, 10, u32::MAX], "pmf/archive-entry");
        with(0, &[12, 0, 0, 1], "pmf/archive-entry: 0 0x19 12 a");

        let mut raw = Raw::new();
        let name = raw.string(b"a");
        let root = raw.directory(&[(FILE, name, u32::MAX), (9, name, 12)]);
        let (archive, problems) = read(&raw.root(root));
        assert_eq!(archive.entries(), []);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[1].facts().contains("pmf/archive-entry: 0 1 2 9 a"));
    }

    #[test]
    fn files_that_cannot_be_decompressed_say_why() {
        let mut bytes = write(&[file("a", &[1; 1000], true)]).unwrap();
        let at = 12;
        assert_eq!(bytes[at], LZ4);
        for (size, with) in [
            (999_u32, "pmf/archive-entry: 0x0 999 LZ4"),
            (1001, "pmf/archive-entry: 0x0 1000 1001 LZ4"),
            (u32::MAX, "pmf/archive-entry: 0x0 34 4294967295 8734 LZ4"),
        ] {
            bytes[at + 5..at + 9].copy_from_slice(&size.to_le_bytes());
            let archive = sound(&bytes);
            let error = archive
                .file(archive.find("a").unwrap())
                .unwrap()
                .unwrap_err()
                .problem()
                .unwrap()
                .facts();
            assert!(
                error.starts_with("0xc: ") && error.contains(with),
                "{error}"
            );
        }
    }

    #[test]
    fn links_lead_to_files() {
        let mut raw = Raw::new();
        let [a, b, c, d, e, f] = [b"a", b"b", b"c", b"d", b"e", b"f"].map(|name| raw.string(name));
        let file = raw.file(b"1");
        let up = raw.string(b"../a");
        let through = raw.string(b"d/b");
        let own = raw.string(b"e");
        let out = raw.string(b"../../../a");
        let inner = raw.directory(&[(LINK, b, up)]);
        let root = raw.directory(&[
            (FILE, a, file),
            (DIRECTORY, d, inner),
            (LINK, c, through),
            (LINK, e, own),
            (LINK, f, out),
        ]);
        let archive = sound(&raw.root(root));
        assert_eq!(archive.find("d/b"), archive.find("a"));
        assert_eq!(archive.find("c"), archive.find("a"));
        assert_eq!(archive.find("e"), None);
        assert_eq!(archive.find("f"), None);
        assert_eq!(archive.file_paths(), ["a"]);
        let paths: Vec<_> = archive
            .entries()
            .iter()
            .map(|entry| archive.path(entry))
            .collect();
        assert_eq!(paths, ["a", "d", "c", "e", "f", "d/b"]);
    }

    /// For any value of any byte, every entry that is read can be extracted.
    #[test]
    fn corrupt_bytes_are_tolerated() {
        let files = [
            file("a/b/c.ptf", b"some text, and some text", true),
            file("a/d", b"other", false),
            file("e", &[5; 300], true),
        ];
        let bytes = write(&files).unwrap();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7F, 0xFF, bytes[at] ^ 0x10] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let (archive, problems) = read(&bytes);
                assert!(problems.len() <= 6, "{at}: {problems:?}");
                for (i, entry) in archive.entries().iter().enumerate() {
                    assert!(archive.path(entry).len() < 100);
                    if let Some(Ok(file)) = archive.file(i) {
                        assert!(file.len() <= 300);
                    }
                }
                let _ = archive.find_texture("a/b/c");
            }
        }
    }

    #[test]
    fn a_small_archive_makes_no_large_list() {
        // Overlapping directories: each begins a byte after the previous one, and all have the same
        // name.
        let mut raw = Raw::new();
        let name = raw.string(&[b'n'; MAX_NAME_BYTES]);
        let file = raw.file(b"1");
        let count = 20_000;
        let inner = raw.directory(&vec![(FILE, name, file); count]);
        let root = raw.directory(&vec![(DIRECTORY, name, inner); count]);
        let bytes = raw.root(root);
        let (archive, problems) = read(&bytes);
        assert!(problems.len() <= 202, "{}", problems.len());
        assert!(archive.entries().len() <= bytes.len() / ENTRY_BYTES + 1);

        // A chain of directories, each with the same long name.
        let mut raw = Raw::new();
        let name = raw.string(&[b'n'; MAX_NAME_BYTES]);
        let mut inner = raw.directory(&[]);
        for _ in 0..10_000 {
            inner = raw.directory(&[(DIRECTORY, name, inner)]);
        }
        let bytes = raw.root(inner);
        let (archive, problems) = read(&bytes);
        assert_eq!(problems.len(), 1);
        let paths: usize = archive
            .entries()
            .iter()
            .map(|entry| archive.path(entry).len())
            .sum();
        assert!(paths <= 4 * bytes.len(), "{paths}");

        // One file of many parts, entered many times.
        let mut raw = Raw::new();
        let at = raw.here();
        raw.0.push(0);
        let parts = 5000;
        raw.numbers(&[parts, 0, 0, 0]);
        for _ in 0..parts {
            let next = raw.here() + 13;
            raw.numbers(&[1, next, 0]);
            raw.0.push(b'x');
        }
        raw.set(at + 9, 1);
        raw.0.splice(at as usize + 17..at as usize + 17, [b'x']);
        raw.set(at + 13, at + 18);
        for i in 0..parts {
            let part = at + 18 + 13 * i;
            raw.set(part + 4, part + 13);
        }
        let names: Vec<_> = (0..500)
            .map(|i: u32| raw.string(i.to_string().as_bytes()))
            .collect();
        let entries: Vec<_> = names.iter().map(|name| (FILE, *name, at)).collect();
        let root = raw.directory(&entries);
        let (archive, problems) = read(&raw.root(root));
        assert!((1..10).contains(&archive.entries().len()));
        assert!(problems[0].rule.id == "pmf/archive-entry");
    }
}
