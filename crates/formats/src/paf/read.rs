//! Reads an archive. All readable entries of a damaged archive are kept.

use std::collections::HashSet;
use std::fmt;
use std::ops::{ControlFlow, Range};

use bytes::Bytes;

use super::layout::{Layout, Number, P1, P2, P3, Record};
use super::rules::{self, ArchiveRules};
use super::{Archive, Content, DeadEnd, Entry, File, Link, MAGIC, MAX_NAME_BYTES, links, name_crc};
use crate::text::hex;
use crate::{Message, Place, Problem, Problems, ReadError, Rule, Subject, counted, quoted};

/// Size of an entry of a directory.
pub(super) const ENTRY_BYTES: usize = 13;
/// Size of the head: magic, the offset of the root directory, and that of the free-space tracker.
const HEAD_BYTES: usize = 12;
/// Maximum directory depth.
pub(super) const MAX_DEPTH: usize = 64;
/// Types of entries.
pub(super) const DIRECTORY: u8 = 0;
pub(super) const FILE: u8 = 1;
pub(super) const LINK: u8 = 2;
/// The file is a single LZ4 frame.
pub(super) const LZ4: u8 = 1;
/// The first bytes of an LZ4 frame.
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// An archive in a file of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Paf {
    /// The archive.
    pub archive: Archive,
    /// All problems, in file order.
    pub problems: Vec<Problem>,
}

/// Reads an archive in a file of its own. The three layouts have the same magic and version, so the
/// archive is read under each that fits its head; the reading without faults is taken, or else the
/// one with most readable entries (fact sheet F).
///
/// # Errors
/// If the file has another magic or version, or no readable root directory.
pub fn read(bytes: &Bytes) -> Result<Paf, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a callback that can cancel before each of the three readings.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &Bytes,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Paf, ReadError> {
    let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
    if start != MAGIC {
        return Err(ReadError::unreadable(
            &rules::MAGIC,
            Place::Offset(0),
            format_args!("begins with {}", hex(start)),
            hex(&MAGIC),
        ));
    }
    let root = u32_at(bytes, 4).filter(|_| bytes.len() >= HEAD_BYTES);
    let root = root.ok_or_else(|| {
        ReadError::unreadable(
            &rules::HEAD,
            Place::Offset(bytes.len() as u64),
            format_args!("a head of {}", counted(bytes.len(), "byte")),
            format_args!("{HEAD_BYTES} bytes"),
        )
    })?;
    if root as usize >= bytes.len() {
        return Err(ReadError::unreadable(
            &rules::HEAD,
            Place::Offset(4),
            format_args!("the root directory is at {root:#x}"),
            format_args!("a position below {:#x}", bytes.len()),
        ));
    }
    let under = |layout| Reading::new(bytes, layout, 0, &rules::OF_FILES, Problems::new());
    let mut best: Option<Reading<'_>> = None;
    let layouts = [is_p1(bytes, root).then_some(&P1), Some(&P3), Some(&P2)];
    for layout in layouts.into_iter().flatten() {
        if watch(0.0).is_break() {
            return Err(ReadError::Cancelled);
        }
        // A reading of P2 as P3 can be whole by chance, but then its records overlap.
        if best.as_mut().is_some_and(Reading::is_certain) {
            break;
        }
        let mut reading = under(layout);
        if best
            .as_mut()
            .is_none_or(|best| reading.score() > best.score())
        {
            best = Some(reading);
        }
    }
    let reading = best.unwrap_or_else(|| under(&P3));
    let (archive, problems) = reading.finish();
    Ok(Paf {
        archive,
        problems: problems.finish(),
    })
}

/// `true` if the head is that of layout P1: the free-space tracker is part of the head, and the
/// root directory follows it.
fn is_p1(bytes: &[u8], root: u32) -> bool {
    let numbers = [8, 12, 16].map(|at| u32_at(bytes, at));
    let [Some(slots), Some(slots_here), Some(used)] = numbers else {
        return false;
    };
    u64::from(root) == 24 + 8 * u64::from(slots_here) && slots == slots_here && used <= slots
}

impl Archive {
    /// Reads the archive of a map and reports its problems. `start` is the offset of its first byte
    /// in the file.
    pub(crate) fn read_embedded(bytes: &[u8], start: u64, problems: &mut Problems) -> Self {
        let bytes = Bytes::copy_from_slice(bytes);
        // An empty archive has no entries.
        if bytes.is_empty() {
            return Self::default();
        }
        let rules = &rules::OF_MAPS;
        let found = std::mem::take(problems);
        let reading = Reading::new(&bytes, &P2, start, rules, found);
        let (archive, found) = reading.finish();
        *problems = found;
        archive
    }
}

/// A directory that is still to be read.
#[derive(Debug, Clone, Copy)]
struct PendingDirectory {
    /// Its index; `None` for the root.
    index: Option<u32>,
    /// Its offset.
    at: u32,
    /// Length of its path in bytes.
    path_bytes: usize,
    /// Number of directories that contain it.
    depth: usize,
}

/// The reason why a record cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Its position is outside the archive, which has this size.
    Outside(u32, usize),
    /// The numbers before the data of a part are truncated.
    TruncatedHead(u32),
    /// The archive ends before its data.
    TruncatedData(Progress),
    /// A part uses more units than it has room for.
    Overfull(u32, u32),
    /// No further part follows.
    NoPart(Progress),
    /// A part is empty.
    EmptyPart(Progress),
    /// Its parts form a cycle.
    Cycle(Progress),
    /// Records have more parts or texts than the archive can hold.
    Limit,
    /// A text is too long: its length and the maximum.
    Length(u32, usize),
    /// A file has an unknown compression.
    Compression(u8),
    /// A compressed file does not begin like an LZ4 frame.
    NoFrame,
}

/// The part of a record that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    read: u32,
    declared: u32,
    noun: &'static str,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared = counted(self.declared as usize, self.noun);
        write!(f, "after {} of {declared}", self.read)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Outside(at, size) => {
                write!(f, "position {at:#x}; expected a position below {size:#x}")
            }
            Self::TruncatedHead(at) => write!(f, "the archive ends in the part at {at:#x}"),
            Self::TruncatedData(progress) => write!(f, "the archive ends {progress}"),
            Self::Overfull(used, room) => write!(f, "a part with {used} of {room} entries used"),
            Self::NoPart(progress) => write!(f, "no further part {progress}"),
            Self::EmptyPart(progress) => write!(f, "an empty part {progress}"),
            Self::Cycle(progress) => write!(f, "a cycle of parts {progress}"),
            Self::Limit => f.write_str("more parts or texts than the archive can hold"),
            Self::Length(len, max) => {
                let len = counted(len as usize, "byte");
                write!(f, "a length of {len}; expected at most {max}")
            }
            Self::Compression(found) => write!(f, "compression {found}; expected 0 or {LZ4}"),
            Self::NoFrame => f.write_str("the compressed data does not begin like an LZ4 frame"),
        }
    }
}

/// The data of a record, part by part.
#[derive(Debug, Default)]
struct Parts {
    total: Option<u32>,
    unpacked: u32,
    compression: u8,
    ranges: Vec<Range<u32>>,
    /// The reason why further parts are missing.
    fault: Option<Fault>,
}

impl Parts {
    fn unreadable(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }
}

/// The numbers before the data of a part.
#[derive(Debug, Default)]
struct PartHead {
    total: Option<u32>,
    room: u32,
    used: Option<u32>,
    next: u32,
    compression: u8,
    unpacked: u32,
    /// Offset of the data.
    data: usize,
}

/// An archive read under one layout.
struct Reading<'a> {
    bytes: &'a Bytes,
    layout: &'static Layout,
    rules: &'static ArchiveRules,
    /// Offset of the archive in the file.
    start: u64,
    problems: Problems,
    entries: Vec<Entry>,
    by_name: Vec<u32>,
    root: Range<u32>,
    /// Offsets of the directories already found.
    directories: HashSet<u32>,
    /// Remaining budget for names and links, in bytes. Entries may share a name or directory, but
    /// an archive that expands to many times its size is a trap.
    text_bytes_left: usize,
    /// Remaining budget for paths, in bytes.
    path_bytes_left: usize,
    /// Remaining budget for parts of strings and files; the archive has no room for more part
    /// headers.
    parts_left: usize,
    /// Number of parts of the archive that cannot be read under the layout.
    faults: usize,
    /// Extents of all records, to detect overlaps.
    extents: Vec<Range<u32>>,
    overlaps: Option<bool>,
}

impl<'a> Reading<'a> {
    fn new(
        bytes: &'a Bytes,
        layout: &'static Layout,
        start: u64,
        rules: &'static ArchiveRules,
        problems: Problems,
    ) -> Self {
        let mut reading = Self {
            bytes,
            layout,
            rules,
            start,
            problems,
            entries: Vec::new(),
            by_name: Vec::new(),
            root: 0..0,
            directories: HashSet::new(),
            text_bytes_left: 4 * bytes.len(),
            path_bytes_left: 16 * bytes.len(),
            parts_left: bytes.len() / 8 + 1,
            faults: 0,
            extents: Vec::new(),
            overlaps: None,
        };
        reading.read_all();
        reading
    }

    /// Returns `true` if the reading has no faults and its records do not overlap.
    fn is_certain(&mut self) -> bool {
        self.faults == 0 && !self.overlaps()
    }

    /// The rank among readings under other layouts.
    fn score(&mut self) -> (bool, bool, usize) {
        let readable = self.entries.len().saturating_sub(self.faults);
        (self.faults == 0, self.is_certain(), readable)
    }

    fn overlaps(&mut self) -> bool {
        let extents = &mut self.extents;
        *self.overlaps.get_or_insert_with(|| {
            extents.sort_unstable_by_key(|extent| (extent.start, extent.end));
            // Entries may share a record.
            extents.dedup();
            extents.array_windows().any(|[a, b]| a.end > b.start)
        })
    }

    fn finish(self) -> (Archive, Problems) {
        let mut archive = Archive {
            bytes: self.bytes.clone(),
            layout: self.layout.number,
            rules: self.rules,
            entries: self.entries,
            by_name: self.by_name,
            root: self.root,
        };
        links::resolve(&mut archive);
        let mut problems = self.problems;
        if let Some(strict) = &self.rules.strict {
            for (index, entry) in archive.entries.iter().enumerate() {
                let Content::Link(Link {
                    text,
                    target: Err(dead_end),
                }) = &entry.content
                else {
                    continue;
                };
                if *dead_end == DeadEnd::Unreadable {
                    continue;
                }
                let subject = Subject::ArchiveEntry(index as u32);
                let place = Place::Offset(self.start + u64::from(entry.at));
                problems.add_about(strict.link, subject, place, || {
                    let path = archive.path(entry);
                    let (path, text) = (quoted(path.as_bytes()), quoted(text.as_bytes()));
                    format!("link {path} leads nowhere: {text} {dead_end}")
                });
            }
        }
        (archive, problems)
    }

    /// Reports a problem at an offset. `index` is that of the entry, if it is listed.
    #[cold]
    fn warn<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: u32,
        index: Option<u32>,
        message: impl FnOnce(&[Entry]) -> M,
    ) {
        let subject = index.map_or(Subject::File, Subject::ArchiveEntry);
        let place = Place::Offset(self.start + u64::from(at));
        let entries = &self.entries;
        let is_embedded = self.rules.strict.is_none();
        self.problems.add_about(rule, subject, place, || {
            let message = message(entries).into();
            if is_embedded {
                message.within("archive")
            } else {
                message
            }
        });
    }

    /// [`Reading::warn`] of a part that cannot be read under this layout.
    #[cold]
    fn fault<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: u32,
        index: Option<u32>,
        message: impl FnOnce(&[Entry]) -> M,
    ) {
        self.faults += 1;
        self.warn(rule, at, index, message);
    }

    fn read_all(&mut self) {
        let bytes = self.bytes;
        // Readers of files check this before.
        let magic = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if magic != MAGIC {
            let (found, expected) = (hex(magic), hex(&MAGIC));
            self.fault(self.rules.directory, 0, None, |_| {
                format!("begins with {found}; expected {expected}")
            });
            return;
        }
        let Some(root) = u32_at(bytes, 4).filter(|_| bytes.len() >= HEAD_BYTES) else {
            let at = bytes.len() as u32;
            self.fault(self.rules.directory, at, None, |_| {
                format!("the head is truncated; expected {HEAD_BYTES} bytes")
            });
            return;
        };
        self.extents.push(0..HEAD_BYTES as u32);
        self.directories.insert(root);
        let mut pending = vec![PendingDirectory {
            index: None,
            at: root,
            path_bytes: 0,
            depth: 0,
        }];
        while let Some(directory) = pending.pop() {
            if self.entries.len() > bytes.len() / ENTRY_BYTES {
                self.fault(self.rules.directory, directory.at, directory.index, |_| {
                    "more entries than the archive can hold".to_owned()
                });
                break;
            }
            self.read_directory(directory, &mut pending);
        }
    }

    fn read_directory(&mut self, directory: PendingDirectory, pending: &mut Vec<PendingDirectory>) {
        let parts = self.parts(directory.at, &self.layout.directory, ENTRY_BYTES);
        let parts = parts.unwrap_or_else(Parts::unreadable);
        if let Some(fault) = parts.fault {
            let index = directory.index;
            let entry = index.and_then(|index| self.entries.get(index as usize));
            let at = entry.map_or(directory.at, |entry| entry.at);
            self.fault(self.rules.directory, at, index, |entries| {
                let entry = index.and_then(|index| entries.get(index as usize));
                match entry.map(|entry| shown_path(entries, entry.parent, &entry.name)) {
                    None => format!("the root directory: {fault}"),
                    Some(path) => format!("directory {path}: {fault}"),
                }
            });
        }
        let first = self.entries.len();
        let cause = self.problems.cause;
        if parts.fault.is_some() {
            self.problems.cause = self.problems.last().or(cause);
        }
        let all = parts.ranges.into_iter();
        for at in all.flat_map(|range| range.step_by(ENTRY_BYTES)) {
            let faults = self.faults;
            if self.entries.len() > self.bytes.len() / ENTRY_BYTES {
                break;
            }
            self.read_entry(directory, at);
            // The number of entries is wrong, or they are cut off.
            if parts.fault.is_some() && self.faults > faults {
                break;
            }
        }
        self.problems.cause = cause;
        self.drop_duplicates(first);
        let last = self.entries.len();
        let children = first as u32..last as u32;
        // Pending directories are popped from the end.
        for index in (first..last).rev() {
            let Some(entry) = self.entries.get(index) else {
                continue;
            };
            if !matches!(entry.content, Content::Directory(_)) {
                continue;
            }
            let below = PendingDirectory {
                index: Some(index as u32),
                at: entry.record,
                path_bytes: directory.path_bytes + entry.name.len() + 1,
                depth: directory.depth + 1,
            };
            if below.depth > MAX_DEPTH {
                let parent = entry.parent;
                let name = entry.name.clone();
                self.fault(self.rules.directory, below.at, below.index, |entries| {
                    let path = shown_path(entries, parent, &name);
                    Message::left_out(
                        format!("directory {path} is more than {MAX_DEPTH} directories deep"),
                        "its entries",
                    )
                });
            } else {
                pending.push(below);
            }
        }
        let entry = directory
            .index
            .and_then(|index| self.entries.get_mut(index as usize));
        match entry {
            Some(entry) => entry.content = Content::Directory(children),
            None => self.root = children,
        }
    }

    /// Lists the entries from an index on by name, and leaves out those with the name of an earlier
    /// one.
    fn drop_duplicates(&mut self, first: usize) {
        let entries = self.entries.get(first..).unwrap_or_default();
        let key = |index: &u32| entries.get(*index as usize).map(|entry| &*entry.name);
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut dropped: Vec<u32> = order
            .array_windows()
            .filter(|[a, b]| key(a) == key(b))
            .map(|[_, b]| *b)
            .collect();
        if !dropped.is_empty() {
            dropped.sort_unstable();
            for index in &dropped {
                let Some(entry) = self.entries.get(first + *index as usize) else {
                    continue;
                };
                let (at, parent, name) = (entry.at, entry.parent, entry.name.clone());
                self.warn(self.rules.duplicate_name, at, None, |entries| {
                    let path = shown_path(entries, parent, &name);
                    format!("duplicate name {path} in the directory; the first is used")
                });
            }
            let mut dropped = dropped.into_iter().peekable();
            let mut index = 0;
            let kept = self.entries.split_off(first).into_iter().filter(|_| {
                let is_dropped = dropped.next_if_eq(&index).is_some();
                index += 1;
                !is_dropped
            });
            self.entries.extend(kept);
            // The kept names are unique.
            return self.drop_duplicates(first);
        }
        let order = order.into_iter().map(|index| index + first as u32);
        self.by_name.extend(order);
    }

    /// Reads an entry. An entry without a usable name is reported and left out.
    fn read_entry(&mut self, directory: PendingDirectory, at: u32) {
        let bytes = self.bytes.get(at as usize..).unwrap_or_default();
        let (Some(&kind), Some(name_at), Some(crc), Some(record)) = (
            bytes.first(),
            u32_at(bytes, 1),
            u32_at(bytes, 5),
            u32_at(bytes, 9),
        ) else {
            return;
        };
        let name = match self.string(name_at, MAX_NAME_BYTES) {
            Ok(name) => name,
            Err(fault) => {
                return self.fault(self.rules.string, at, None, |_| {
                    Message::left_out(format!("the name at {name_at:#x}: {fault}"), "the entry")
                });
            }
        };
        let is_crc_right = name_crc(&name) == crc;
        let name = String::from_utf8(name)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let parent = directory.index;
        if !is_name(&name) {
            return self.warn(self.rules.name, at, None, |entries| {
                let path = shown_path(entries, parent, &name);
                Message::left_out(format!("{path} is not a valid file name"), "the entry")
            });
        }
        let path_bytes = directory.path_bytes + name.len() + 1;
        let Some(left) = self.path_bytes_left.checked_sub(path_bytes) else {
            return self.fault(self.rules.directory, at, None, |_| {
                Message::left_out("paths are many times longer than the archive", "the entry")
            });
        };
        self.path_bytes_left = left;
        if kind == DIRECTORY && !self.directories.insert(record) {
            return self.warn(self.rules.repeated_directory, at, None, |entries| {
                let path = shown_path(entries, parent, &name);
                Message::left_out(
                    format!("directory {path} at {record:#x} is in itself or was listed before"),
                    "the entry",
                )
            });
        }
        let index = self.entries.len() as u32;
        let content = match kind {
            DIRECTORY => Content::Directory(0..0),
            FILE => {
                let file = self.file(record);
                if let Some(fault) = file.fault {
                    self.fault(self.rules.file, at, Some(index), |entries| {
                        let path = shown_path(entries, parent, &name);
                        format!("file {path} at {record:#x}: {fault}")
                    });
                }
                Content::File(file)
            }
            LINK => {
                let text = self.string(record, self.bytes.len());
                if let Err(fault) = text {
                    self.fault(self.rules.string, at, Some(index), |entries| {
                        let path = shown_path(entries, parent, &name);
                        format!("link {path}: the text at {record:#x}: {fault}")
                    });
                }
                let target = text
                    .as_ref()
                    .map_or(DeadEnd::Unreadable, |_| DeadEnd::Missing);
                Content::Link(Link {
                    text: String::from_utf8_lossy(&text.unwrap_or_default()).into_owned(),
                    target: Err(target),
                })
            }
            _ => {
                self.fault(self.rules.entry_type, at, Some(index), |entries| {
                    let path = shown_path(entries, parent, &name);
                    format!(
                        "{path} has type {kind}; expected {DIRECTORY} (directory), {FILE} (file) \
                         or {LINK} (link)"
                    )
                });
                Content::Unknown(kind)
            }
        };
        if !is_crc_right && let Some(strict) = &self.rules.strict {
            let right = name_crc(name.as_bytes());
            self.warn(strict.name_checksum, at, Some(index), |entries| {
                let path = shown_path(entries, parent, &name);
                Message::read_as_expected(format!(
                    "the checksum of the name {path} is {crc:#010x}; expected {right:#010x}"
                ))
            });
        }
        self.entries.push(Entry {
            name,
            parent,
            at,
            record,
            crc,
            content,
        });
    }

    /// Reads the string at an offset, of at most `max_bytes` bytes.
    fn string(&mut self, at: u32, max_bytes: usize) -> Result<Vec<u8>, Fault> {
        let head = self.part_head(at, self.layout.string.head)?;
        let len = head.total.unwrap_or_default();
        if len as usize > max_bytes {
            return Err(Fault::Length(len, max_bytes));
        }
        let parts = self.parts(at, &self.layout.string, 1)?;
        if let Some(fault) = parts.fault {
            return Err(fault);
        }
        let left = self.text_bytes_left.checked_sub(len as usize);
        self.text_bytes_left = left.ok_or(Fault::Limit)?;
        Ok(concat(self.bytes, &parts.ranges))
    }

    /// Reads the file at an offset.
    fn file(&mut self, at: u32) -> File {
        let parts = self.parts(at, &self.layout.file, 1);
        let parts = parts.unwrap_or_else(Parts::unreadable);
        let is_compressed = parts.compression == LZ4;
        let stored_bytes = parts.total.unwrap_or_default();
        let fault = if parts.compression > LZ4 {
            Some(Fault::Compression(parts.compression))
        } else if is_compressed
            && parts.fault.is_none()
            && self.first_bytes(&parts.ranges, LZ4_MAGIC.len()) != LZ4_MAGIC
        {
            Some(Fault::NoFrame)
        } else {
            parts.fault
        };
        File {
            is_compressed,
            stored_bytes,
            bytes: if is_compressed {
                parts.unpacked
            } else {
                stored_bytes
            },
            segments: if fault.is_none() {
                parts.ranges
            } else {
                Vec::new()
            },
            fault,
        }
    }

    fn first_bytes(&self, ranges: &[Range<u32>], count: usize) -> Vec<u8> {
        let bytes = ranges.iter().flat_map(|range| slice(self.bytes, range));
        bytes.take(count).copied().collect()
    }

    /// Reads the parts of a record whose data consists of units of `unit` bytes: its head at an
    /// offset, then each part with the offset of the next one before its data.
    ///
    /// # Errors
    /// Describes why its head cannot be read. A fault in a further part is in [`Parts::fault`].
    fn parts(&mut self, at: u32, record: &Record, unit: usize) -> Result<Parts, Fault> {
        let size = self.bytes.len();
        let noun = if unit == 1 { "byte" } else { "entry" };
        let mut part_at = at;
        let mut part = self.part_head(at, record.head)?;
        let mut parts = Parts {
            total: part.total,
            unpacked: part.unpacked,
            compression: part.compression,
            ..Parts::default()
        };
        // A record without a total ends with its last part.
        let mut units_left = part.total.unwrap_or(u32::MAX);
        let mut visited = HashSet::new();
        loop {
            let count = part.used.unwrap_or(part.room).min(units_left);
            let room = (size - part.data) / unit;
            let fits = (count as usize).min(room);
            let end = part.data + fits * unit;
            if fits > 0 {
                parts.ranges.push(part.data as u32..end as u32);
            }
            self.extents.push(part_at..end as u32);
            units_left -= fits as u32;
            let progress = Progress {
                read: parts.total.unwrap_or(u32::MAX) - units_left,
                declared: parts.total.unwrap_or(count),
                noun,
            };
            let is_last = match parts.total {
                Some(_) => units_left == 0,
                None => part.next == 0,
            };
            let next = part.next;
            let fault = if fits < count as usize {
                Fault::TruncatedData(progress)
            } else if let Some(used) = part.used.filter(|used| *used > part.room) {
                Fault::Overfull(used, part.room)
            } else if is_last {
                break;
            } else if next == 0 {
                Fault::NoPart(progress)
            } else if fits == 0 {
                Fault::EmptyPart(progress)
            } else if next == at || !visited.insert(next) {
                Fault::Cycle(progress)
            } else if self.parts_left == 0 {
                Fault::Limit
            } else {
                match self.part_head(next, record.part) {
                    Ok(further) => {
                        self.parts_left -= 1;
                        (part_at, part) = (next, further);
                        continue;
                    }
                    Err(fault) => fault,
                }
            };
            parts.fault = Some(fault);
            break;
        }
        Ok(parts)
    }

    /// Reads the numbers before the data of a part.
    fn part_head(&self, at: u32, numbers: &[Number]) -> Result<PartHead, Fault> {
        if at as usize >= self.bytes.len() {
            return Err(Fault::Outside(at, self.bytes.len()));
        }
        let truncated = || Fault::TruncatedHead(at);
        let mut head = PartHead {
            data: at as usize,
            ..PartHead::default()
        };
        for number in numbers {
            if *number == Number::Compression {
                head.compression = *self.bytes.get(head.data).ok_or_else(truncated)?;
                head.data += 1;
                continue;
            }
            let value = u32_at(self.bytes, head.data).ok_or_else(truncated)?;
            head.data += 4;
            match number {
                Number::Total => head.total = Some(value),
                Number::Room => head.room = value,
                Number::Used => head.used = Some(value),
                Number::Next => head.next = value,
                Number::Unpacked => head.unpacked = value,
                Number::Compression | Number::Unread => {}
            }
        }
        Ok(head)
    }
}

/// The path of an entry, quoted for messages.
fn shown_path(entries: &[Entry], parent: Option<u32>, name: &str) -> String {
    quoted(super::join_path(entries, parent, name).as_bytes())
}

/// Returns `true` for a valid name of an entry.
pub(super) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

/// Reads a number.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let number = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*number))
}

/// The bytes of a part.
fn slice<'a>(archive: &'a [u8], range: &Range<u32>) -> &'a [u8] {
    let range = range.start as usize..range.end as usize;
    archive.get(range).unwrap_or_default()
}

/// Concatenates the bytes of parts of an archive.
pub(super) fn concat(archive: &[u8], parts: &[Range<u32>]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|part| slice(archive, part)).collect();
    parts.concat()
}
