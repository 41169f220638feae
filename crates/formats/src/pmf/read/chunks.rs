//! The sections of the chunks of a level.

use super::super::bytes::{Cursor, Part, Side};
use super::super::chunk::ChunkData;
use super::super::chunk_codec::{Optional, Surroundings, client_fits, read_chunk, server_fits};
use super::super::cube_codec::CubeAllowance;
use super::super::entities::Tries;
use super::super::level::LevelNames;
use super::super::mend::{
    Counts, first_sign, fold_astray, is_astray, is_right, may_be_astray, mend,
};
use super::super::{Chunk, Frame, Level, rules};
use super::frame::missing;
use super::{DIRECTORY_BYTES, FILE, Reader, TRY_COST, is_of_frame};
use crate::{Place, Problem, Problems, ReadError, Rule, parallel};

/// Chunks that are read at once: what is wrong with them is collected after that, so that broken
/// files do not fill the memory with problems that are never listed.
const CHUNKS_AT_ONCE: usize = 64;
/// What going over a list of a section costs, in bytes.
const STEP_COST: usize = 1 << 3;

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
        let around = Surroundings {
            names: &LevelNames::new(&level.common, has_client, level.client.as_ref()),
            grid: level.grid,
            cubes: &cubes,
            tries: &Tries::new(file.len()),
        };
        let mut sizes_at = directory_offset;
        let mut next_sizes_at = directory_offset;
        for batch in chunks.chunks_mut(CHUNKS_AT_ONCE) {
            let mut admitted = Vec::with_capacity(batch.len());
            for chunk in &*batch {
                let part = |side| Part::ChunkSection(number, chunk.index, side);
                let [common, client, server] = chunk.frames;
                let first = if common.is_empty() {
                    Err(missing(part(Side::Common), sizes_at))
                } else {
                    self.admit(common, part(Side::Common), sizes_at)
                };
                admitted.push([
                    first,
                    self.admit(client, part(Side::Client), sizes_at),
                    self.admit(server, part(Side::Server), sizes_at),
                ]);
                sizes_at += DIRECTORY_BYTES as u64;
            }
            let starts: Vec<u64> = batch.iter().map(|chunk| chunk.frames[0].start).collect();
            let mut look_up = |begun: usize| {
                let start = starts.get(begun).copied().unwrap_or_default();
                (self.watch)((start as f32 / file.len() as f32).min(1.0))
            };
            let source = &*batch;
            let done = parallel::in_parallel(source.len(), &mut look_up, |i| {
                let mut problems = Problems::new();
                let data = match (source.get(i), admitted.get(i)) {
                    (Some(chunk), Some(admitted)) => {
                        unpack_chunk(file, (number, chunk), admitted, &around, &mut problems)
                    }
                    _ => Err(ReadError::Cancelled),
                };
                (data, problems)
            });
            let done = done.ok_or(ReadError::Cancelled)?;
            let done = batch.iter_mut().zip(admitted).zip(done);
            for ((chunk, mut admitted), (mut data, mut problems)) in done {
                let sizes_at = next_sizes_at;
                next_sizes_at += DIRECTORY_BYTES as u64;
                if (admitted.iter().any(Result::is_err)
                    || problems.find_since(0, is_of_frame).is_some())
                    && self.settle_chunk((number, chunk), sizes_at, &mut admitted)
                {
                    problems = Problems::new();
                    data = unpack_chunk(file, (number, chunk), &admitted, &around, &mut problems);
                }
                let mut data = data.map_err(|error| {
                    let cause = problems.find_since(0, is_of_frame);
                    problems.add_error(error.losing("the chunk"));
                    // Of a frame that is not whole a section may end too early.
                    if let Some(cause) = cause {
                        problems.fold_some_since(cause.moment(), cause, |problem| {
                            is_of_cut(problem.rule)
                        });
                    }
                });
                let read = (data.as_ref().ok(), &problems);
                if let Some((mended, others)) = self.mend_chunk((number, chunk), &around, read) {
                    (data, problems) = (Ok(mended), others);
                }
                let astray = problems.place_of(problems.find_since(0, is_astray));
                fold_astray(&mut problems, |place| Some(place) == astray);
                let leaves_out =
                    |problem: &Problem| problem.with_consequences().any(Problem::leaves_out);
                let is_damaged = problems.find_since(0, leaves_out).is_some();
                self.problems.append(problems, self.cut, |problem| {
                    problem.rule == &rules::TRUNCATED
                });
                let data = data.ok().map(|data| ChunkData { is_damaged, ..data });
                chunk.data = data.map(Box::new);
            }
        }
        self.cubes = cubes;
        level.chunks = chunks;
        Ok(())
    }

    /// [`Self::settle_unpacked`] for the sections of a chunk, which may be decoded then.
    pub(super) fn settle_chunk(
        &mut self,
        (level, chunk): (u8, &mut Chunk),
        sizes_at: u64,
        admitted: &mut [Result<(), ReadError>; 3],
    ) -> bool {
        let mut is_settled = false;
        let frames = chunk.frames.iter_mut().zip(Side::ALL).zip(admitted);
        for ((frame, side), admitted) in frames {
            let part = Part::ChunkSection(level, chunk.index, side);
            if self.settle_unpacked(frame, part, sizes_at) {
                *admitted = Ok(());
                is_settled = true;
            }
        }
        is_settled
    }

    /// Reads a chunk again in which a wrong count leads astray, if the right one is found: all of it then,
    /// with what else is wrong with it. `read` is what was read of it, and what was wrong.
    pub(super) fn mend_chunk(
        &mut self,
        (level, chunk): (u8, &Chunk),
        around: &Surroundings<'_>,
        (data, problems): (Option<&ChunkData>, &Problems),
    ) -> Option<(ChunkData, Problems)> {
        let part = |side| Part::ChunkSection(level, chunk.index, side);
        let frame = |side| {
            let frame: &Frame = chunk.frames.get(side as usize)?;
            (!frame.is_empty()).then_some(frame)
        };
        let astray_at = |side: &Side| {
            let start = Place::Offset(frame(*side)?.start);
            let is_it = |problem: &Problem| may_be_astray(problem) && problem.place == start;
            problems.find_since(0, is_it).map(|_| (*side, start))
        };
        let (astray, start) = Side::ALL.iter().find_map(astray_at)?;
        let is_here = |place| place == start;
        let sign = first_sign(problems, is_here)?;
        if self.patience.0 == 0 {
            return None;
        }
        let mut sections = [const { Vec::new() }; 3];
        for (side, section) in Side::ALL.into_iter().zip(&mut sections) {
            if let Some(frame) = frame(side) {
                *section = frame.unpack(self.bytes, part(side)).ok()?;
            }
        }
        let read = |bytes: &[u8],
                    counts: Option<&Counts>,
                    (around, problems): (&Surroundings<'_>, &mut Problems)| {
            let section = |side| {
                let bytes = match sections.get(side as usize) {
                    Some(section) if side != astray => section,
                    _ => bytes,
                };
                let counts = if side == astray { counts } else { None };
                frame(side).map(|frame| Cursor::new(bytes, frame.section(part(side), counts)))
            };
            let or_missing = |section| match section {
                Some(cursor) => Optional::There(cursor),
                None => Optional::Missing,
            };
            let common = section(Side::Common)?;
            let [client, server] = [Side::Client, Side::Server].map(section).map(or_missing);
            read_chunk((common, true), client, server, around, problems).ok()
        };
        let bytes = sections.get(astray as usize)?;
        // What is wrong before it goes astray has nothing to do with that.
        let allowed = sign.moment();
        // What is only tried takes nothing from the cubes of the file.
        let try_with = |bytes: &[u8], counts: &Counts| {
            let mut tried = Problems::of_trial(allowed);
            let cubes = &CubeAllowance::new(0);
            let around = &Surroundings { cubes, ..*around };
            let data = read(bytes, Some(counts), (around, &mut tried));
            data.is_some() && is_right(&tried, is_here)
        };
        let counts = Counts::new();
        try_with(bytes, &counts);
        let (before, behind) = sections.split_at_checked(astray as usize)?;
        let all_of = |sections: &[Vec<u8>]| sections.iter().map(Vec::len).sum::<usize>();
        let (before, behind) = (all_of(before), all_of(behind) - bytes.len());
        let works = |bytes: &[u8]| {
            // Most numbers do not go with the other counts.
            let mut steps = 2;
            let mut cursor = Cursor::new(bytes, FILE);
            let fits = match (astray, data) {
                (Side::Client, Some(data)) => client_fits(cursor, data, &mut steps),
                (Side::Server, Some(data)) => {
                    let fits = server_fits(&mut cursor, data, &mut steps);
                    steps += cursor.pos() / STEP_COST;
                    fits
                }
                _ => true,
            };
            if !fits {
                return (false, STEP_COST * steps);
            }
            let counts = Counts::default();
            let works = try_with(bytes, &counts);
            let rest = if counts.reached() == bytes.len() {
                behind
            } else {
                0
            };
            (works, TRY_COST + before + counts.reached() + rest)
        };
        let mended = mend(bytes, &counts, &mut self.patience, works)?;
        let mut others = Problems::new();
        let data = read(&mended.bytes, None, (around, &mut others))?;
        let section = frame(astray)?.section(part(astray), None);
        self.add(mended.error(Cursor::new(bytes, section)));
        Some((data, others))
    }

    /// Warns of cubes that are said to be seen in other chunks and are not there.
    pub(super) fn check_views(&mut self, number: u8, level: &Level) {
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

/// Decodes and reads the sections of a chunk, of which `admitted` says why they may not be decoded.
pub(super) fn unpack_chunk(
    file: &[u8],
    (level, chunk): (u8, &Chunk),
    admitted: &[Result<(), ReadError>; 3],
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Result<ChunkData, ReadError> {
    let part = |side| Part::ChunkSection(level, chunk.index, side);
    let [common, client, server] = chunk.frames;
    let [common_fits, client_fits, server_fits] = admitted;
    // Where the file ends before it, or sizes lie, that is enough.
    common_fits.clone()?;
    let mut cut = Vec::new();
    let mut unpack = |frame: Frame, side, fits: &Result<(), ReadError>, problems: &mut Problems| {
        let begun = fits
            .clone()
            .and_then(|()| frame.unpack_begun(file, part(side)));
        begun.map(|(bytes, why)| {
            let is_cut = why.is_some();
            if let Some(why) = why {
                problems.add_error(frame.losing_end(why, &bytes));
                cut.push(Place::Offset(frame.start));
            }
            (bytes, is_cut)
        })
    };
    let common_bytes = unpack(common, Side::Common, common_fits, problems);
    let mut unpack_any = |frame: Frame, side, fits, lost| {
        if frame.is_empty() {
            return Optional::Missing;
        }
        match unpack(frame, side, fits, problems) {
            Ok((bytes, _)) => Optional::There(bytes),
            Err(error) => {
                problems.add_error(error.losing(lost));
                Optional::Broken
            }
        }
    };
    let lost = "the faces, lightmaps and lights of the chunk";
    let client_bytes = unpack_any(client, Side::Client, client_fits, lost);
    let lost = "the entities and server regions of the chunk";
    let server_bytes = unpack_any(server, Side::Server, server_fits, lost);
    let moment = problems.moment();
    let (common_bytes, is_cut) = common_bytes?;
    let data = read_chunk(
        (
            Cursor::new(&common_bytes, common.section(part(Side::Common), None)),
            is_cut,
        ),
        client_bytes.map(|bytes| Cursor::new(bytes, client.section(part(Side::Client), None))),
        server_bytes.map(|bytes| Cursor::new(bytes, server.section(part(Side::Server), None))),
        around,
        problems,
    );
    // What a section lacks that is not whole follows from that.
    if let Some(cause) = problems.first_since(0).filter(|_| moment > 0) {
        problems.fold_some_since(moment, cause, |problem| {
            let is_here = is_of_cut(problem.rule) || cut.contains(&problem.place);
            is_here || problem.rule == &rules::MISSING_CHILDREN
        });
    }
    data
}

/// Whether a rule is broken by what is only not whole.
pub(super) fn is_of_cut(rule: &Rule) -> bool {
    [&rules::TRUNCATED, &rules::STRING, &rules::ENTITIES].contains(&rule)
}
