//! Writes archives of the layouts P2 and P3.

use bytes::Bytes;

use super::read::{DIRECTORY, FILE, LZ4, MAX_DEPTH, is_name};
use super::{Archive, MAGIC, MAX_NAME_BYTES, name_crc};
use crate::{Problems, WriteError, lz4};

/// A file to put into a new archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewFile<'a> {
    /// Directory names and the file name, separated by `/`.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// `true` to compress it, if the layout can.
    pub compress: bool,
}

/// A layout that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenLayout {
    /// The layout of archives in maps, whose files may be compressed.
    P2,
    /// The layout of the current document.
    P3,
}

/// Writes an archive. Each file is stored in one piece, and directories are sorted by name.
///
/// # Errors
/// Returns an error for a file that the archive cannot contain: its path has an invalid part,
/// exists twice or is the directory of another file, or the archive exceeds 4 GiB.
pub fn write(files: &[NewFile<'_>], layout: WrittenLayout) -> Result<Vec<u8>, WriteError> {
    let mut named = Vec::with_capacity(files.len());
    for (order, file) in files.iter().enumerate() {
        named.push((file.names()?, order, file));
    }
    named.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0; 8]);
    let root_at = write_directory(&named, 0, layout, &mut bytes)?;
    if let Some(at) = bytes.get_mut(4..8) {
        at.copy_from_slice(&root_at.to_le_bytes());
    }
    if bytes.len() > u32::MAX as usize {
        let last = files.last().map_or("", |file| file.path);
        return Err(refused(last, "the archive exceeds 4 GiB"));
    }
    Ok(bytes)
}

impl Archive {
    /// Builds the archive of a map from files ([`write()`]).
    ///
    /// # Errors
    /// See [`write()`].
    pub fn build(files: &[NewFile<'_>]) -> Result<Self, WriteError> {
        let bytes = Bytes::from(write(files, WrittenLayout::P2)?);
        Ok(Self::read_embedded(&bytes, 0, &mut Problems::new()))
    }
}

fn refused(path: &str, why: &str) -> WriteError {
    WriteError::new(format!("archive: file `{path}`"), why)
}

impl<'a> NewFile<'a> {
    /// The names in its path.
    fn names(&self) -> Result<Vec<&'a str>, WriteError> {
        let is_writable =
            |name: &&str| is_name(name) && name.len() <= MAX_NAME_BYTES && !name.contains('\\');
        let names: Vec<_> = self.path.split('/').collect();
        if names.len() > MAX_DEPTH || !names.iter().all(is_writable) {
            return Err(refused(self.path, "its path has an invalid name"));
        }
        Ok(names)
    }
}

/// Writes the contents of a directory at the given depth, then the directory, and returns its
/// offset. `files` are sorted by name; each has its index in the original list.
fn write_directory(
    files: &[(Vec<&str>, usize, &NewFile<'_>)],
    depth: usize,
    layout: WrittenLayout,
    bytes: &mut Vec<u8>,
) -> Result<u32, WriteError> {
    let mut entries = Vec::new();
    let mut count = 0;
    for group in files.chunk_by(|(a, ..), (b, ..)| a.get(depth) == b.get(depth)) {
        let Some((names, _, file)) = group.first() else {
            continue;
        };
        let (kind, target) = if names.len() > depth + 1 {
            (DIRECTORY, write_directory(group, depth + 1, layout, bytes)?)
        } else if group.len() == 1 {
            (FILE, write_file(file, layout, bytes))
        } else {
            // Another file or a directory has the same name.
            let last = group.iter().max_by_key(|(_, order, _)| order);
            let path = last.map_or("", |(.., file)| file.path);
            return Err(refused(path, "its path conflicts with another file"));
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

fn write_file(file: &NewFile<'_>, layout: WrittenLayout, bytes: &mut Vec<u8>) -> u32 {
    let at = bytes.len() as u32;
    let size = file.bytes.len() as u32;
    match layout {
        WrittenLayout::P2 if file.compress => {
            let frame = lz4::pack(file.bytes);
            let stored = frame.len() as u32;
            bytes.push(LZ4);
            put(bytes, &[stored, size, stored, 0]);
            bytes.extend(frame);
        }
        WrittenLayout::P2 => {
            bytes.push(0);
            put(bytes, &[size, 0, size, 0]);
            bytes.extend(file.bytes);
        }
        WrittenLayout::P3 => {
            put(bytes, &[size, size, 0]);
            bytes.extend(file.bytes);
        }
    }
    at
}

pub(super) fn put(bytes: &mut Vec<u8>, numbers: &[u32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
