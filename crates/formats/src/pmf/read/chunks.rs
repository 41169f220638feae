//! Reader of the sections of a level's chunks.

use super::super::bytes::{Cursor, Part, Side};
use super::super::chunk::ChunkData;
use super::super::chunk_codec::{CHUNK, LevelContext, Optional, read_chunk};
use super::super::level::LevelNames;
use super::super::{Chunk, Frame, Level, rules};
use super::frame::missing;
use super::{DIRECTORY_BYTES, Reader};
use crate::{Place, Problems, ReadError, parallel};

/// Number of chunks read per batch. Problems are merged after each batch, so that corrupt files do
/// not fill the memory with problems beyond the reported ones.
const CHUNKS_AT_ONCE: usize = 64;

/// For each section of a chunk, the error if it must not be decoded.
type Admitted = [Result<(), ReadError>; 3];

impl Reader<'_, '_> {
    /// Reads the chunks of a level, whose sizes are in the directory.
    pub(super) fn read_chunks(
        &mut self,
        number: u8,
        level: &mut Level,
        directory_offset: u64,
    ) -> Result<(), ReadError> {
        let file = self.bytes;
        let mut chunks = std::mem::take(&mut level.chunks);
        let cubes = std::mem::take(&mut self.cubes);
        let has_client = !level.frames[1].is_empty();
        let around = LevelContext {
            names: &LevelNames::new(&level.common, has_client, level.client.as_ref()),
            grid: level.grid,
            cubes: &cubes,
        };
        let sizes_at = |i: usize| directory_offset + (DIRECTORY_BYTES * i) as u64;
        for (first, batch) in (0..)
            .step_by(CHUNKS_AT_ONCE)
            .zip(chunks.chunks_mut(CHUNKS_AT_ONCE))
        {
            let admitted = batch.iter().zip(first..);
            let admitted =
                admitted.map(|(chunk, i)| self.admit_chunk((number, chunk), sizes_at(i)));
            let admitted: Vec<Admitted> = admitted.collect();
            let source = &*batch;
            let mut report_progress = |begun: usize| {
                let start = source.get(begun).map_or(0, |chunk| chunk.frames[0].start);
                (self.watch)((start as f32 / file.len() as f32).min(1.0))
            };
            let done = parallel::in_parallel(source.len(), &mut report_progress, |i| {
                let (chunk, admitted) = (source.get(i)?, admitted.get(i)?);
                Some(unpack_chunk(file, (number, chunk), admitted, &around))
            })
            .ok_or(ReadError::Cancelled)?;
            for (((chunk, mut admitted), done), i) in
                batch.iter_mut().zip(admitted).zip(done).zip(first..)
            {
                let mut read = done.ok_or(ReadError::Cancelled)?;
                if read.has_bad_frame
                    && self.correct_chunk_sizes((number, chunk), sizes_at(i), &mut admitted)
                {
                    read = unpack_chunk(file, (number, chunk), &admitted, &around);
                }
                let Unpacked { data, problems, .. } = read;
                let is_damaged = problems.has_errors() || problems.may_leave_out();
                let damage = self.damage_in(chunk.frames[0].start..chunk.end());
                match damage {
                    Some(damage) => self.problems.append_as_consequences(problems, damage),
                    None => self.problems.append(problems, self.cut, |problem| {
                        problem.rule == &rules::TRUNCATED
                    }),
                }
                chunk.data = data.map(|data| Box::new(ChunkData { is_damaged, ..data }));
            }
        }
        self.cubes = cubes;
        level.chunks = chunks;
        Ok(())
    }

    /// Checks for each section of a chunk whether it may be decoded.
    fn admit_chunk(&mut self, (level, chunk): (u8, &Chunk), sizes_at: u64) -> Admitted {
        let [common, ..] = &chunk.frames;
        let mut admitted = Side::ALL.map(|side| {
            let part = Part::ChunkSection(level, chunk.index, side);
            let frame = chunk.frames.get(side as usize);
            self.admit(frame.copied().unwrap_or_default(), part, sizes_at)
        });
        if common.is_empty() {
            let part = Part::ChunkSection(level, chunk.index, Side::Common);
            admitted[0] = Err(missing(part, sizes_at));
        }
        admitted
    }

    /// [`Self::correct_unpacked_size`] for the sections of a chunk. Corrected sections may be decoded.
    fn correct_chunk_sizes(
        &mut self,
        (level, chunk): (u8, &mut Chunk),
        sizes_at: u64,
        admitted: &mut Admitted,
    ) -> bool {
        let mut is_settled = false;
        let frames = chunk.frames.iter_mut().zip(Side::ALL).zip(admitted);
        for ((frame, side), admitted) in frames {
            let part = Part::ChunkSection(level, chunk.index, side);
            if self.correct_unpacked_size(frame, part, sizes_at) {
                *admitted = Ok(());
                is_settled = true;
            }
        }
        is_settled
    }

    /// Warns of visible cubes in other chunks that do not exist.
    pub(super) fn check_views(&mut self, number: u8, level: &Level) {
        for chunk in &level.chunks {
            let Some(data) = &chunk.data else { continue };
            let cubes = &data.cubes;
            for seen in cubes.all_visible_chunks() {
                let other = level
                    .chunk(seen.chunk)
                    .and_then(|chunk| chunk.data.as_ref());
                let Some(other) = other else { continue };
                let count = other.cubes.len();
                let listed = cubes.visible_chunk_cubes(seen);
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

/// The result of reading a chunk.
struct Unpacked {
    data: Option<ChunkData>,
    problems: Problems,
    /// A frame does not decode to its declared size.
    has_bad_frame: bool,
}

/// Decodes and reads the admitted sections of a chunk.
fn unpack_chunk(
    file: &[u8],
    (level, chunk): (u8, &Chunk),
    admitted: &Admitted,
    around: &LevelContext<'_>,
) -> Unpacked {
    let lost = [
        CHUNK,
        "the faces, lightmaps and lights of the chunk",
        "the entities and server regions of the chunk",
    ];
    let mut problems = Problems::new();
    let mut has_bad_frame = false;
    let mut causes = [None; 3];
    let mut sections = [const { Optional::Missing }; 3];
    for (((side, frame), lost), admitted) in Side::ALL
        .into_iter()
        .zip(&chunk.frames)
        .zip(lost)
        .zip(admitted)
    {
        // The other sections are meaningless without the common one.
        let is_lost = matches!(sections[0], Optional::Broken);
        if (frame.is_empty() && admitted.is_ok()) || is_lost {
            continue;
        }
        let part = Part::ChunkSection(level, chunk.index, side);
        let unpacked = admitted
            .clone()
            .and_then(|()| frame.unpack_partial(file, part));
        let (section, error) = match unpacked {
            Ok((bytes, why)) => {
                let why = why.map(|why| frame.losing_end(why, &bytes));
                (Optional::Present(bytes), why)
            }
            Err(error) => (Optional::Broken, Some(error.with_loss(lost))),
        };
        sections[side as usize] = section;
        if let Some(error) = error {
            has_bad_frame = true;
            problems.add_error(error);
            causes[side as usize] = problems.last();
        }
    }
    let [common, client, server] = &sections;
    let cursor = |side, frame: &Frame, bytes| {
        Cursor::new(
            bytes,
            frame.section(Part::ChunkSection(level, chunk.index, side)),
        )
    };
    let [of_common, of_client, of_server] = &chunk.frames;
    let data = match common {
        Optional::Present(common) => read_chunk(
            cursor(Side::Common, of_common, common),
            client.map(|bytes| cursor(Side::Client, of_client, bytes)),
            server.map(|bytes| cursor(Side::Server, of_server, bytes)),
            causes,
            around,
            &mut problems,
        ),
        Optional::Missing | Optional::Broken => None,
    };
    Unpacked {
        data,
        problems,
        has_bad_frame,
    }
}
