//! Writer of PMF. Reading the output restores the same data.

use super::bytes::ChunkIndex;
use super::codec::{Out, Stored as _};
use super::{Level, LevelServer, Pmf, lz4, newer};
use crate::WriteError;

/// The encoding of sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Compressed.
    #[default]
    Compressed,
    /// Uncompressed, but still in LZ4 frames.
    Stored,
}

/// Writes a map. The output is deterministic and does not depend on file locations or problems of
/// the map. A chunk that was unreadable is written as an unreadable one.
///
/// # Errors
/// Returns an error for data that the format cannot represent:
///
/// * lists that are too long
/// * parallel lists of different lengths
/// * a text with a zero byte
/// * a creation time that looks like the text at the start of newer maps
pub fn write(map: &Pmf, packing: Packing) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    map.header.write(&mut out);
    out.sized("string table", map.strings.bytes());
    let archive = map
        .archive
        .as_ref()
        .map_or(&[][..], |archive| archive.bytes());
    out.sized("archive", archive);

    let extensions = map.extensions.iter().map(|extension| {
        let mut out = Out::default();
        extension.write(&mut out);
        out.finish()
    });
    write_parts(&mut out, ("extension", 2), extensions)?;
    let levels = map.levels.iter().enumerate().map(|(i, level)| {
        write_level(level, packing).map_err(|error| in_record(format_args!("level {i}"), error))
    });
    write_parts(&mut out, ("level", 1), levels)?;
    out.bytes.extend(map.entities.bytes());
    let bytes = out.finish()?;
    match newer::found(&bytes) {
        Some(found) => Err(WriteError::new(
            "header",
            format!("would be read as {found}"),
        )),
        None => Ok(bytes),
    }
}

/// Adds a record to an error.
fn in_record(record: impl std::fmt::Display, error: WriteError) -> WriteError {
    WriteError::new(format!("{record}: {}", error.record), error.what)
}

/// Writes the count and sizes of parts, then their bytes.
fn write_parts(
    out: &mut Out,
    (noun, count_bytes): (&str, usize),
    parts: impl Iterator<Item = Result<Vec<u8>, WriteError>>,
) -> Result<(), WriteError> {
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    out.count(noun, parts.len(), count_bytes);
    for part in &parts {
        out.count("byte", part.len(), 4);
    }
    out.bytes.extend(parts.concat());
    Ok(())
}

/// Three encoded sections; `None` for a missing one.
type Sections = [Option<Vec<u8>>; 3];

/// Writes the sizes of sections and returns their frames.
fn write_sizes(out: &mut Out, sections: &Sections, packing: Packing) -> Vec<u8> {
    let frames = sections.each_ref().map(|section| match (section, packing) {
        (None, _) => Vec::new(),
        (Some(bytes), Packing::Compressed) => lz4::pack(bytes),
        (Some(bytes), Packing::Stored) => lz4::store(bytes),
    });
    let unpacked = sections
        .each_ref()
        .map(|section| section.as_ref().map_or(0, Vec::len));
    for size in frames.each_ref().map(Vec::len).into_iter().chain(unpacked) {
        out.count("byte of a section", size, 4);
    }
    frames.concat()
}

fn write_level(level: &Level, packing: Packing) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    level.flags.write(&mut out);
    let common = level.common.write()?;
    let client = level
        .client
        .as_ref()
        .map(|client| client.write(&level.common));
    let server = level.server.as_ref().map(LevelServer::write);
    let sections = [Some(common), client.transpose()?, server.transpose()?];
    let frames = write_sizes(&mut out, &sections, packing);
    out.bytes.extend(frames);

    let [y, x, z] = level.grid;
    let fits = |count: u32, max: u32| (1..=max).contains(&count);
    if !fits(y, 256) || !fits(x, 4096) || !fits(z, 4096) {
        let what = format!("{y} x {x} x {z} chunks; expected at most 256 x 4096 x 4096");
        return Err(WriteError::new("grid", what));
    }
    let count = u64::from(y) * u64::from(x) * u64::from(z);
    out.check_len("chunks", level.chunks.len(), count as usize);
    ChunkIndex::new([y - 1, x - 1, z - 1]).write(&mut out);
    level.chunk_exponent.write(&mut out);
    level.center.write(&mut out);
    let mut bodies = Vec::new();
    for chunk in &level.chunks {
        let sections = chunk.data.as_ref().map(|data| data.write()).transpose();
        let sections =
            sections.map_err(|error| in_record(format_args!("chunk {}", chunk.index), error))?;
        bodies.extend(write_sizes(
            &mut out,
            &sections.unwrap_or_default(),
            packing,
        ));
    }
    out.bytes.extend(bodies);
    out.finish()
}

impl LevelServer {
    fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Out::default();
        out.sized("string table", self.strings.bytes());
        out.bytes.extend(self.entities.bytes());
        out.finish()
    }
}
