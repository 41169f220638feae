//! A level: its head, its sections, and where it ends.

use super::super::bytes::{ChunkIndex, Cursor, Part, Section, Side};
use super::super::chunk_codec::read_entities;
use super::super::entities::Tries;
use super::super::level::{LevelClient, LevelCommon};
use super::super::{Frame, Level, LevelServer, Pmf, rules};
use super::frame::{missing, read_frames};
use super::grid::read_grid;
use super::layout::{are_entities, begins, has_sections, is_grid, is_level, lost_before, near};
use super::{
    DIRECTORY_BYTES, GRID_BYTES, LARGEST_SMALL_SHIFT, LEVEL_HEAD_BYTES, Reader, bytes_from, refused,
};
use crate::{Place, Problem, Problems, ReadError, counted};

/// What is left out where the server section of a level cannot be read.
const LEVEL_ENTITIES: &str = "the entities of the level";

impl Level {
    /// A level at an offset of which nothing is read.
    pub(super) fn unread(offset: usize, size: u32) -> Self {
        Self {
            flags: 0,
            offset: offset as u64,
            size,
            frames: [Frame::default(); 3],
            grid: [0; 3],
            chunk_exponent: 0,
            center: ChunkIndex::default(),
            common: LevelCommon {
                is_torn: true,
                ..LevelCommon::default()
            },
            client: None,
            server: None,
            chunks: Vec::new(),
        }
    }
}

impl Reader<'_, '_> {
    /// Reads the level that begins at the cursor, one of so many that have these sizes, and goes to what
    /// follows it: where its size says, or where its sections end, if only there is what must follow. Where
    /// it does at neither, that is looked for, and levels of which nothing is there are left out.
    pub(super) fn read_level(
        &mut self,
        cursor: &mut Cursor<'_>,
        (sizes, sizes_at): (&[u32], usize),
        map: &mut Pmf,
    ) -> Result<(), ReadError> {
        let number = map.levels.len() as u8;
        let size = sizes.get(map.levels.len()).copied().unwrap_or(0);
        let size_at = sizes_at + 4 * map.levels.len();
        let is_last = map.levels.len() + 1 == sizes.len();
        let at = cursor.pos();
        cursor.enter("level", usize::from(number));
        self.look_up(at as u64)?;
        let is_whole = cursor.bytes(size as usize).is_ok();
        let left = cursor.left();
        if !is_whole {
            let lost = if left == 0 {
                "the level"
            } else {
                "the end of the level"
            };
            // The place is where the file ends.
            let found = format!("{} left", counted(left, "byte"));
            let error = cursor.fault(&rules::TRUNCATED, at + left, found, size);
            self.keep::<()>(Err(error), lost)?;
            self.cut = self.cut.or(self.problems.last());
        }
        let announced = at + size as usize;
        let mut level = Level::unread(at, size);
        let mut end = None;
        let moment = self.problems.moment();
        (self.shift, self.shifts) = (0, Vec::new());
        if is_whole || left > 0 {
            let filled = self.fill_level(number, &mut level, announced as u64);
            end = self.keep(filled, "the rest of the level")?;
        }
        let last_frames = level
            .chunks
            .last()
            .map_or(level.frames, |chunk| chunk.frames);
        // Behind the last section nothing tells where it ends but itself.
        let [first, ..] = last_frames;
        let of_last = self.problems.find_since(
            moment,
            |problem| matches!(problem.place, Place::Offset(at) if at >= first.start),
        );
        let whole_ones = level.chunks.iter().rev().filter(|chunk| chunk.is_whole());
        let last_whole = whole_ones
            .map(|chunk| chunk.frames[0].start as usize)
            .next();
        let from = last_whole.unwrap_or(at) + 1;
        let is_broken = end.is_none_or(|end| end as usize != announced) || of_last.is_some();
        map.levels.push(level);
        let sizes_behind = sizes.get(map.levels.len()..).unwrap_or_default();
        let strings = &map.strings;
        let file = self.bytes;
        let follows = |at: usize| {
            let rest = file.get(at..);
            rest.is_some_and(|rest| {
                if is_last {
                    are_entities(rest, strings)
                } else {
                    is_level(rest)
                }
            })
        };
        let end = end.map(|end| end as usize).filter(|end| *end != announced);
        let lost_at_end = end.filter(|end| follows(*end));
        let lost_at_end = lost_at_end.map(|end| lost_before(file, end, sizes_behind, strings));
        let is_sure = |at: usize| !is_last && has_sections(bytes_from(file, at as u64));
        let next = match end {
            // A level is never so short that it could follow within its own head.
            Some(end)
                if lost_at_end == Some(0)
                    && (announced < at + LEVEL_HEAD_BYTES
                        || !follows(announced)
                        || (is_sure(end) && !is_sure(announced))) =>
            {
                let found = format!("a size of {}", counted(size as usize, "byte"));
                let expected = format!("{}, as its sections have", end - at);
                let rule = &rules::SECTION_SIZE;
                let error = cursor.fault(rule, size_at, found, expected);
                // It is no end of the file that a wrong size leads to.
                let shift = self.shifts.last().map(|(cause, _)| *cause);
                self.add_below(shift, error);
                let cause = shift.or(self.problems.last());
                if let Some((cause, cut)) = cause.zip(self.cut.take()) {
                    self.problems.fold_one(cause, cut);
                }
                end
            }
            None if of_last.is_some()
                && !follows(announced)
                && let Some(next) = near(announced as u64, LARGEST_SMALL_SHIFT, |next| {
                    let next = next as usize;
                    next > at + LEVEL_HEAD_BYTES
                        && follows(next)
                        && (is_last || has_sections(bytes_from(file, next as u64)))
                }) =>
            {
                let next = next as usize;
                let found = format!("a size of {}", counted(size as usize, "byte"));
                let expected = format!("{}, up to what follows", next - at);
                let error = cursor.fault(&rules::SECTION_SIZE, size_at, found, expected);
                self.add_below(of_last, error);
                if let (Some(cause), Some(cut)) = (of_last, self.cut.take()) {
                    self.problems.fold_one(cause, cut);
                }
                next
            }
            _ if !follows(announced)
                && (number > 0 || is_level(bytes_from(file, at as u64)))
                && let Some((lost, next)) = lost_at_end
                    .zip(end)
                    .or_else(|| self.next_part(from, sizes_behind, strings, is_broken)) =>
            {
                let to = if lost == sizes_behind.len() {
                    "the entities".to_owned()
                } else {
                    Part::Level(number + 1 + lost as u8).to_string()
                };
                let part = Part::Level(number);
                let len = counted(next - at, "byte");
                let found = format!("{part}: {len} up to {to}");
                let behind = sizes_behind.iter().take(lost).copied();
                let len = u64::from(size) + behind.map(u64::from).sum::<u64>();
                let expected = format!("{len}, as the level list says");
                let first = self.problems.first_error_since(moment);
                let place = self.problems.place_of(first);
                let place = place.unwrap_or(Place::Offset(at as u64));
                let error = refused(&rules::SHIFTED, part, place, found, expected);
                let shift = self.shifts.first().map(|(cause, _)| *cause);
                self.add_below(shift, error);
                if let Some(cause) = shift.or(self.problems.last()) {
                    if let Some(cut) = self.cut.take() {
                        self.problems.fold_one(cause, cut);
                    }
                    self.problems.fold_since(moment, cause);
                    for number in (number + 1..).take(lost) {
                        let part = Part::Level(number);
                        let found = format!("{part}: nothing of it is there");
                        let error = refused(&rules::TRUNCATED, part, place, found, "the level");
                        self.add_below(Some(cause), error);
                    }
                }
                map.levels.extend((0..lost).map(|_| Level::unread(next, 0)));
                next
            }
            Some(end) if end < announced && is_whole => {
                cursor.seek(end);
                cursor.enter("end of level", usize::from(number));
                let left = announced - end;
                cursor.warn(&mut self.problems, &rules::TRAILING_DATA, end, || {
                    format!("{} left over", counted(left, "byte"))
                });
                announced
            }
            _ => announced,
        };
        cursor.seek(next);
        Ok(())
    }

    /// Reads a level that begins at its offset, as far as it can be read, and says where it ends by
    /// what is in it. It should end at `announced`.
    pub(super) fn fill_level(
        &mut self,
        number: u8,
        level: &mut Level,
        announced: u64,
    ) -> Result<u64, ReadError> {
        let start = level.offset;
        let section = Section {
            part: Part::Level(number),
            start,
            is_packed: false,
            counts: None,
        };
        let file = self.bytes;
        let mut cursor = Cursor::new(bytes_from(file, start), section);
        cursor.enter("head", None);
        let moment = self.problems.moment();
        level.flags = cursor.u8()?;
        let known = Level::KEEP_VELOCITY | Level::KEEP_CHUNK | Level::KEEP_PLACE;
        cursor.check_bits(&mut self.problems, 0, level.flags, known);
        level.frames = read_frames(&mut cursor)?;
        (self.shift, self.shifts) = (0, Vec::new());
        let sizes_at = start + 1;
        let mut sections_at = start + cursor.pos() as u64;
        let is_end = |at: u64| is_grid(bytes_from(file, at));
        if let Some(near) = near(sections_at, LARGEST_SMALL_SHIFT, |at| begins(file, at))
            && let Some(rows) = self.read_shifted((sizes_at, near), 1, is_end)
            && let [frames] = rows[..]
        {
            level.frames = frames;
            self.add_shift(&cursor, start..near, sections_at);
            sections_at = near;
        }
        let parts = Side::ALL.map(|side| Part::LevelSection(number, side));
        let frames = level.frames.iter_mut().zip(parts).collect();
        let grid_at = self.settle(frames, sections_at, |_| sizes_at, |at, _| is_end(at));
        cursor.seek((grid_at - start) as usize);
        // It is where the level ends unless something is missing, or too many.
        let mut announced = announced;
        if announced != u64::MAX {
            announced = announced.saturating_add_signed(self.shift);
        }
        let mut grids = read_grid(&mut cursor, level, announced);
        let mut rows = None;
        if grids == Ok(vec![level.grid]) {
            rows = self.read_shifted_grid((grid_at, announced), level);
            if let Some((_, chunks_at)) = &rows {
                let count: u32 = level.grid.iter().product();
                let expected = grid_at + (GRID_BYTES + DIRECTORY_BYTES * count as usize) as u64;
                cursor.enter("grid and directory", None);
                self.add_shift(&cursor, grid_at..*chunks_at, expected);
                announced = announced.saturating_add_signed(*chunks_at as i64 - expected as i64);
                grids = Ok(vec![level.grid]);
            }
        }
        self.read_sections(number, level, grids.is_ok())?;
        let end = grids.and_then(|grids| {
            let grids = (grid_at as usize - start as usize, &*grids);
            self.read_directory(cursor, (number, level), (grids, rows), announced)
        });
        // Along which axis a grid is another one cannot always be told.
        let is_of_grid = |problem: &Problem| {
            problem.rule == &rules::COUNT && problem.place == Place::Offset(grid_at)
        };
        let problems = &mut self.problems;
        if let Some(grid) = problems.find_since(moment, is_of_grid) {
            problems.fold_some_since(moment, grid, |problem| problem.rule == &rules::CHUNK_INDEX);
        }
        self.check_chunk_size((number, grid_at), level);
        self.fold_shifts(moment, level, grid_at);
        end
    }

    /// Reads the sections of a level, each as far as it can be read.
    pub(super) fn read_sections(
        &mut self,
        number: u8,
        level: &mut Level,
        is_grid_known: bool,
    ) -> Result<(), ReadError> {
        let part = |side| Part::LevelSection(number, side);
        let sizes_at = level.offset + 1;
        let [common, client, server] = &mut level.frames;
        let grid = if is_grid_known {
            level.grid
        } else {
            [u32::MAX; 3]
        };

        let moment = self.problems.moment();
        let bytes = if common.is_empty() {
            Err(missing(part(Side::Common), sizes_at))
        } else {
            self.unpack_begun(common, part(Side::Common), sizes_at)
        };
        let lost = "all materials and environments of the level";
        if let Some((bytes, is_whole)) = self.keep(bytes, lost)? {
            let section = common.section(part(Side::Common), None);
            level.common = self.read_mending(section, (&bytes, 0, is_whole), LevelCommon::read);
            level.common.is_torn |= !is_whole;
            self.fold_section(moment, is_whole);
        }
        if !client.is_empty() {
            let moment = self.problems.moment();
            let bytes = self.unpack_begun(client, part(Side::Client), sizes_at);
            let lost = "the looks of materials, the sky and the sound environments of the level";
            if let Some((bytes, is_whole)) = self.keep(bytes, lost)? {
                let section = client.section(part(Side::Client), None);
                let read = |cursor: Cursor<'_>, problems: &mut Problems| {
                    LevelClient::read(cursor, problems, &level.common, grid)
                };
                let mut read = self.read_mending(section, (&bytes, 0, is_whole), read);
                read.is_torn |= !is_whole;
                level.client = Some(read);
                self.fold_section(moment, is_whole);
            }
        }
        if !server.is_empty() {
            let moment = self.problems.moment();
            let bytes = self.unpack_begun(server, part(Side::Server), sizes_at);
            if let Some((bytes, is_whole)) = self.keep(bytes, LEVEL_ENTITIES)? {
                let section = server.section(part(Side::Server), None);
                level.server = self.read_mending(section, (&bytes, 0, is_whole), read_level_server);
                self.fold_section(moment, is_whole);
            }
        }
        Ok(())
    }
}

/// Reads the server section of a level.
pub(super) fn read_level_server(
    mut cursor: Cursor<'_>,
    problems: &mut Problems,
) -> Option<LevelServer> {
    match cursor.string_table() {
        Ok(strings) => {
            let how = (&rules::ENTITIES, &Tries::new(0));
            let entities = read_entities(&mut cursor, &strings, problems, how);
            Some(LevelServer { strings, entities })
        }
        Err(error) => {
            problems.add_error(error.losing(LEVEL_ENTITIES));
            None
        }
    }
}
