//! Reading PMF: the parts of a file, its levels and their chunks (fact sheet A1 to A3, A13).
//!
//! What keeps the whole file from being shown is an error; what spoils one chunk loses that chunk
//! and is listed; anything else is listed and lived with.

use std::ops::ControlFlow;

use super::archive::Archive;
use super::bytes::{ChunkIndex, Cursor, Part, Section, Side};
use super::chunk::ChunkData;
use super::chunk_codec::{Surroundings, is_inside, read_chunk, read_entities};
use super::cube_codec::CubeAllowance;
use super::entities::MIN_BYTES;
use super::header::{read_extensions, read_header};
use super::level::{LevelClient, LevelCommon, LevelNames};
use super::lz4::{self, Budget, Lz4Fault};
use super::{Chunk, Frame, Level, LevelServer, Pmf, PmfError, rules};
use crate::{Place, Problem, Problems, ReadError, Rule, parallel};

/// The largest exponent of the size of chunks.
const LARGEST_CHUNK: u8 = 24;
/// Chunks that are read at once: what is wrong with them is collected after that, so that broken
/// files do not fill the memory with problems that are never listed.
const CHUNKS_AT_ONCE: usize = 64;
/// Bytes of the directory for a chunk.
const DIRECTORY_BYTES: usize = 24;

/// Reads a map.
///
/// Whatever does not keep the rest from being shown is in [`Pmf::problems`]. A chunk that cannot
/// be read has no [`Chunk::data`]. The memory in use is bounded by what the compressed sections
/// decode to, and that by the length of `bytes`.
///
/// # Errors
/// When something is missing or broken that chunks do not have of their own.
pub fn read(bytes: &[u8]) -> Result<Pmf, PmfError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told now and then how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`PmfError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Pmf, PmfError> {
    let section = Section {
        part: Part::File,
        start: 0,
        is_packed: false,
    };
    let mut cursor = Cursor::new(bytes, section);
    let mut problems = Problems::new();
    let header = read_header(&mut cursor, &mut problems)?;
    let strings = cursor.string_table()?;

    cursor.enter("archive", None);
    let size = cursor.u32()?;
    let archive_offset = cursor.pos() as u64;
    let archive = cursor.bytes(size as usize)?;
    let archive = (size > 0).then(|| Archive::read(archive, archive_offset, &mut problems));

    let extensions = read_extensions(&mut cursor, &mut problems)?;

    cursor.enter("level list", None);
    let count = cursor.u8()?;
    let count = cursor.count(count, 4, "levels")?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        sizes.push(cursor.u32()?);
    }
    let mut reader = Reader {
        bytes,
        problems,
        budget: Budget::new(bytes.len()),
        cubes: CubeAllowance::new(bytes.len()),
        watch,
    };
    let mut levels = Vec::with_capacity(count);
    for (i, size) in sizes.into_iter().enumerate() {
        cursor.enter("level", i);
        let section = Section {
            part: Part::Level(i as u8),
            start: cursor.pos() as u64,
            is_packed: false,
        };
        let body = Cursor::new(cursor.bytes(size as usize)?, section);
        levels.push(reader.read_level(i as u8, body)?);
    }

    cursor.enter("entity tables", None);
    if cursor.left() < MIN_BYTES {
        let found = format!("{} bytes left", cursor.left());
        return Err(cursor.fault(
            &rules::TRUNCATED,
            cursor.pos(),
            found,
            "at least 20 of entities",
        ));
    }
    let problems = &mut reader.problems;
    let entities = read_entities(&mut cursor, &strings, problems, &rules::MAP_ENTITIES);
    Ok(Pmf {
        header,
        strings,
        archive,
        extensions,
        levels,
        entities,
        problems: reader.problems.finish(),
    })
}

impl Frame {
    /// Whether there is nothing: the section is missing.
    pub fn is_empty(&self) -> bool {
        self.packed == 0 && self.unpacked == 0
    }

    /// Decodes it once more. `file` are the bytes of the whole file; `part` is what errors call it.
    ///
    /// # Errors
    /// As when the file was read.
    pub fn unpack(&self, file: &[u8], part: Part) -> Result<Vec<u8>, PmfError> {
        let frame = usize::try_from(self.start).ok();
        let frame = frame.and_then(|start| file.get(start..)?.get(..self.packed as usize));
        let declared = u64::from(self.unpacked);
        lz4::unpack(frame.unwrap_or_default(), declared).map_err(|fault| self.fault(part, fault))
    }

    fn fault(&self, part: Part, fault: Lz4Fault) -> ReadError {
        let place = Place::Offset(self.start + fault.at as u64);
        let found = format!("{part}: {}", fault.found);
        refused(&rules::LZ4, part, place, found, fault.expected)
    }

    /// Decodes it, unless the section is missing.
    fn unpack_any(&self, file: &[u8], part: Part) -> Result<Option<Vec<u8>>, ReadError> {
        (!self.is_empty())
            .then(|| self.unpack(file, part))
            .transpose()
    }

    /// What it decodes to, to be read.
    fn section<'a>(&self, bytes: &'a [u8], part: Part) -> Cursor<'a> {
        let start = self.start;
        Cursor::new(
            bytes,
            Section {
                part,
                start,
                is_packed: true,
            },
        )
    }
}

struct Reader<'a, 'w> {
    bytes: &'a [u8],
    problems: Problems,
    budget: Budget,
    cubes: CubeAllowance,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
}

impl Reader<'_, '_> {
    /// Tells the watcher how far the reading has come.
    fn look_up(&mut self, offset: u64) -> Result<(), ReadError> {
        match (self.watch)(offset as f32 / self.bytes.len() as f32) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ReadError::Cancelled),
        }
    }

    fn read_level(&mut self, number: u8, mut cursor: Cursor<'_>) -> Result<Level, ReadError> {
        let offset = cursor.source().start;
        let size = cursor.left() as u32;
        self.look_up(offset)?;
        cursor.enter("head", None);
        let flags = cursor.u8()?;
        let known = Level::KEEP_VELOCITY | Level::KEEP_CHUNK | Level::KEEP_PLACE;
        cursor.check_bits(&mut self.problems, 0, flags, known);
        let mut position = 0;
        let mut frames = read_frames(&mut cursor, &mut position)?;
        for (frame, side) in frames.iter_mut().zip(Side::ALL) {
            frame.start = offset + cursor.pos() as u64;
            cursor.enter(side.name(), None);
            cursor.field("section");
            cursor.bytes(frame.packed as usize)?;
        }

        cursor.enter("grid", None);
        let at = cursor.pos();
        // Each number is one below the count.
        let grid = ChunkIndex(cursor.u32()?).yxz().map(|count| count + 1);
        let count = grid.iter().map(|count| u64::from(*count)).product::<u64>();
        let chunk_exponent = cursor.u8()?;
        if chunk_exponent > LARGEST_CHUNK {
            let found = format!("chunks of 2^{chunk_exponent} m");
            return Err(cursor.fault(&rules::CHUNK_SIZE, at + 4, found, "at most 2^24"));
        }
        let center = ChunkIndex(cursor.u32()?);
        if !is_inside(grid, center) {
            cursor.warn(&mut self.problems, &rules::CHUNK_INDEX, at + 5, || {
                format!("the grid has no chunk {center} to be its centre")
            });
        }
        cursor.enter("directory", None);
        let [y, x, z] = grid;
        let what = format!("chunks ({y} along Y, {x} along X, {z} along Z)");
        let count = cursor.count(count, DIRECTORY_BYTES, &what)?;

        let (common, client, server) = self.read_sections(number, &frames, grid, offset)?;

        // The sections follow the directory in its order.
        cursor.enter("directory", None);
        let directory = cursor.bytes(DIRECTORY_BYTES * count)?;
        let mut directory = Cursor::new(directory, cursor.source());
        let mut position = offset + cursor.pos() as u64;
        let mut chunks = Vec::with_capacity(count);
        for i in 0..count as u32 {
            chunks.push(Chunk {
                index: ChunkIndex::new([i / (x * z), i / z % x, i % z]),
                frames: read_frames(&mut directory, &mut position)?,
                data: None,
            });
        }
        let directory_offset = offset + (cursor.pos() - DIRECTORY_BYTES * count) as u64;
        let needed = position - (offset + cursor.pos() as u64);
        cursor.enter("chunks", None);
        let needed = cursor.count(needed, 1, "bytes of sections")?;
        cursor.bytes(needed)?;
        cursor.check_end(&mut self.problems);

        let mut level = Level {
            flags,
            offset,
            size,
            frames,
            grid,
            chunk_exponent,
            center,
            common,
            client,
            server,
            chunks,
        };
        self.read_chunks(number, &mut level, directory_offset)?;
        self.check_views(number, &level);
        Ok(level)
    }

    /// Reads the sections of a level.
    fn read_sections(
        &mut self,
        number: u8,
        frames: &[Frame; 3],
        grid: [u32; 3],
        offset: u64,
    ) -> Result<(LevelCommon, Option<LevelClient>, Option<LevelServer>), ReadError> {
        let part = |side| Part::LevelSection(number, side);
        let sizes_at = offset + 1;
        for (frame, side) in frames.iter().zip(Side::ALL) {
            self.admit(*frame, part(side), sizes_at)?;
        }
        let [common, client, server] = *frames;
        if common.is_empty() {
            return Err(missing(part(Side::Common), sizes_at));
        }
        let (file, problems) = (self.bytes, &mut self.problems);
        let bytes = common.unpack(file, part(Side::Common))?;
        let section = common.section(&bytes, part(Side::Common));
        let common = LevelCommon::read(section, problems)?;
        let client = client.unpack_any(file, part(Side::Client))?.map(|bytes| {
            let section = client.section(&bytes, part(Side::Client));
            LevelClient::read(section, problems, &common, grid)
        });
        let client = client.transpose()?;
        let server = server.unpack_any(file, part(Side::Server))?.map(|bytes| {
            let mut section = server.section(&bytes, part(Side::Server));
            let strings = section.string_table()?;
            let entities = read_entities(&mut section, &strings, problems, &rules::ENTITIES);
            Ok(LevelServer { strings, entities })
        });
        let server = server.transpose()?;
        Ok((common, client, server))
    }

    /// Takes what a section decodes to from what all may decode to. Its sizes stand among the six
    /// that begin at `sizes_at` in the file.
    fn admit(&mut self, frame: Frame, part: Part, sizes_at: u64) -> Result<(), ReadError> {
        let place = Place::Offset(sizes_at);
        let Frame {
            packed, unpacked, ..
        } = frame;
        // Where nothing is, nothing is to be decoded, and the other way round.
        if (packed == 0) != (unpacked == 0) {
            let found = format!("sizes of the {part}: {packed} bytes decode to {unpacked}");
            let expected = "both 0, or neither";
            return Err(refused(&rules::SECTION_SIZE, part, place, found, expected));
        }
        self.budget
            .take(packed.into(), unpacked.into())
            .map_err(|fault| {
                let found = format!("sizes of the {part}: {}", fault.found);
                refused(&rules::SECTION_SIZE, part, place, found, fault.expected)
            })
    }

    /// Reads the chunks of a level, whose sizes are in the directory.
    fn read_chunks(
        &mut self,
        number: u8,
        level: &mut Level,
        directory_offset: u64,
    ) -> Result<(), ReadError> {
        let file = self.bytes;
        let mut chunks = std::mem::take(&mut level.chunks);
        let cubes = std::mem::take(&mut self.cubes);
        let around = Surroundings {
            names: LevelNames::new(&level.common, level.client.as_ref()),
            grid: level.grid,
            cubes: &cubes,
        };
        let mut sizes_at = directory_offset;
        for batch in chunks.chunks_mut(CHUNKS_AT_ONCE) {
            let mut admitted = Vec::with_capacity(batch.len());
            for chunk in &*batch {
                let parts = chunk.frames.into_iter().zip(Side::ALL);
                admitted.push(parts.into_iter().try_for_each(|(frame, side)| {
                    let part = Part::ChunkSection(number, chunk.index, side);
                    if side == Side::Common && frame.is_empty() {
                        return Err(missing(part, sizes_at));
                    }
                    self.admit(frame, part, sizes_at)
                }));
                sizes_at += DIRECTORY_BYTES as u64;
            }
            let starts: Vec<u64> = batch.iter().map(|chunk| chunk.frames[0].start).collect();
            let mut look_up = |begun: usize| {
                let start = starts.get(begun).copied().unwrap_or_default();
                (self.watch)(start as f32 / file.len() as f32)
            };
            let source = &*batch;
            let done = parallel::in_parallel(source.len(), &mut look_up, |i| {
                let mut problems = Problems::new();
                let data = match (source.get(i), admitted.get(i)) {
                    (Some(chunk), Some(Ok(()))) => {
                        unpack_chunk(file, number, chunk, &around, &mut problems)
                    }
                    (_, Some(Err(error))) => Err(error.clone()),
                    _ => Err(ReadError::Cancelled),
                };
                (data, problems)
            });
            for (chunk, (data, problems)) in batch.iter_mut().zip(done.ok_or(ReadError::Cancelled)?)
            {
                match data {
                    Ok(data) => {
                        chunk.data = Some(Box::new(data));
                        self.problems.append(problems);
                    }
                    // What else is wrong with a chunk that is lost does not matter.
                    Err(error) => self.problems.add_error(error),
                }
            }
        }
        drop(around);
        self.cubes = cubes;
        level.chunks = chunks;
        Ok(())
    }

    /// Warns of cubes that are said to be seen in other chunks and are not there.
    fn check_views(&mut self, number: u8, level: &Level) {
        for chunk in &level.chunks {
            let Some(data) = &chunk.data else { continue };
            let cubes = &data.cubes;
            for seen in cubes.all_seen_chunks() {
                let other = level
                    .chunk(seen.chunk)
                    .and_then(|chunk| chunk.data.as_ref());
                let Some(other) = other else { continue };
                let count = other.cubes.len();
                let listed = cubes.seen_chunk_cubes(seen);
                let Some(bad) = listed.iter().find(|cube| **cube as usize >= count) else {
                    continue;
                };
                let [frame, ..] = chunk.frames;
                let part = Part::ChunkSection(number, chunk.index, Side::Common);
                self.problems.add_about(
                    &rules::INDEX,
                    part.subject(),
                    Place::Offset(frame.start),
                    || {
                        let other = seen.chunk;
                        format!("{part}: visible cube {bad} of chunk {other}, which has {count}")
                    },
                );
            }
        }
    }
}

/// Why a part of the map cannot be read.
fn refused(
    rule: &'static Rule,
    part: Part,
    place: Place,
    found: impl std::fmt::Display,
    expected: impl std::fmt::Display,
) -> ReadError {
    let message = format!("{found}; expected {expected}");
    ReadError::Unreadable(Problem::new(rule, part.subject(), place, message))
}

/// Why something without its common section cannot be read.
fn missing(part: Part, at: u64) -> ReadError {
    let found = format!("{part}: the section is missing");
    let expected = "a section that says what is there";
    refused(
        &rules::MISSING_SECTION,
        part,
        Place::Offset(at),
        found,
        expected,
    )
}

/// Reads three packed sizes and what they decode to. The sections begin at `position` and follow
/// each other.
fn read_frames(cursor: &mut Cursor<'_>, position: &mut u64) -> Result<[Frame; 3], ReadError> {
    let mut frames = [Frame::default(); 3];
    for frame in &mut frames {
        frame.packed = cursor.u32()?;
        frame.start = *position;
        *position += u64::from(frame.packed);
    }
    for frame in &mut frames {
        frame.unpacked = cursor.u32()?;
    }
    Ok(frames)
}

/// Decodes and reads the sections of a chunk.
fn unpack_chunk(
    file: &[u8],
    level: u8,
    chunk: &Chunk,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Result<ChunkData, ReadError> {
    let [common, client, server] = chunk.frames;
    let part = |side| Part::ChunkSection(level, chunk.index, side);
    let common_bytes = common.unpack(file, part(Side::Common))?;
    let client_bytes = client.unpack_any(file, part(Side::Client))?;
    let server_bytes = server.unpack_any(file, part(Side::Server))?;
    let client_bytes = client_bytes.as_deref();
    let server_bytes = server_bytes.as_deref();
    read_chunk(
        common.section(&common_bytes, part(Side::Common)),
        client_bytes.map(|bytes| client.section(bytes, part(Side::Client))),
        server_bytes.map(|bytes| server.section(bytes, part(Side::Server))),
        around,
        problems,
    )
}
