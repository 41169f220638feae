//! Reader of a level: its header, sections, chunks and end.

use super::super::bytes::{ChunkIndex, Cursor, Part, Section, Side};
use super::super::chunk_codec::{add_section, is_inside, read_entities};
use super::super::level::{LevelClient, LevelCommon};
use super::super::{Chunk, Frame, Level, LevelServer, Pmf, rules};
use super::frame::{Ends, missing, read_frames};
use super::layout::{
    are_entities, begins, is_confirmed_grid, is_grid, is_level, is_whole_level, level_size,
    next_level,
};
use super::{DIRECTORY_BYTES, LEVEL_HEAD_BYTES, MAX_CHUNK_EXPONENT, Reader, bytes_from, refused};
use crate::{Place, Problems, ReadError, counted};

/// The loss if a section of a level cannot be read to its end.
const REST: &str = "the rest of the section";
/// The loss if the server section of a level is unreadable.
const LEVEL_ENTITIES: &str = "the entities of the level";

/// Location of the chunks of a level.
struct Chunks {
    directory_at: u64,
    /// End of the last chunk.
    end: u64,
}

/// The grid of a level, if it is readable, and the location of its chunks.
type Placed = (Option<[u32; 3]>, Result<Chunks, ReadError>);

impl Level {
    /// A level at an offset that was not read.
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
                is_incomplete: true,
                ..LevelCommon::default()
            },
            client: None,
            server: None,
            chunks: Vec::new(),
        }
    }
}

impl Reader<'_, '_> {
    /// Reads the next level of the list and moves the cursor past it.
    pub(super) fn read_level(
        &mut self,
        cursor: &mut Cursor<'_>,
        (sizes, sizes_at): (&[u32], usize),
        map: &mut Pmf,
    ) -> Result<(), ReadError> {
        self.find_level(cursor, sizes, map);
        if map.levels.len() >= sizes.len() {
            return Ok(());
        }
        let index = map.levels.len();
        let number = index as u8;
        let size = sizes.get(index).copied().unwrap_or(0);
        let is_last = index + 1 >= sizes.len();
        let at = cursor.pos();
        let file = self.bytes;
        cursor.enter("level", index);
        self.report_progress(at as u64)?;
        let follows = |at: u64| {
            let rest = bytes_from(file, at);
            (!is_last && is_whole_level(rest)) || are_entities(rest, &map.strings)
        };
        let start = at as u64;
        let mut end = start + u64::from(size);
        let own_size = level_size(bytes_from(file, start)).filter(|own| *own != u64::from(size));
        if let Some(own) = own_size
            && (size < LEVEL_HEAD_BYTES as u32 || !follows(end))
            && follows(start + own)
        {
            let found = format!("a size of {}", counted(size as usize, "byte"));
            let expected = format!("{own}, as its sections have");
            let rule = &rules::SECTION_SIZE;
            self.add(cursor.fault(rule, sizes_at + 4 * index, found, expected));
            end = start + own;
        }
        let left = cursor.left();
        let is_whole = end <= file.len() as u64;
        let mut level = Level::unread(at, size);
        self.damages.clear();
        let ends = Ends {
            announced: end,
            is_plain: &follows,
            is_found: &follows,
        };
        let placed = (left > 0).then(|| self.place_level(number, &mut level, ends));
        let own_end = placed.as_ref().and_then(|placed| {
            let (_, chunks) = placed.as_ref().ok()?;
            Some(chunks.as_ref().ok()?.end)
        });
        // Damage within a level can make it end before the file does.
        let is_shorter = !self.damages.is_empty() && own_end.is_some_and(&follows);
        if !is_whole && !is_shorter {
            let lost = if left == 0 {
                "the level"
            } else {
                "the end of the level"
            };
            // Reported at the end of the file.
            let missing = counted(size as usize - left, "byte");
            let found = format!("truncated, {missing} missing");
            let error = cursor.fault(&rules::TRUNCATED, at + left, found, size);
            self.keep::<()>(Err(error), lost)?;
            self.cut = self.cut.or(self.problems.last());
        }
        if let Some(placed) = placed {
            let filled = placed.and_then(|placed| self.fill_level(number, &mut level, placed));
            self.keep(filled, "the rest of the level")?;
        }
        map.levels.push(level);
        match own_end {
            // If it has missing or surplus bytes, it ends elsewhere.
            Some(own) if own != end && !self.damages.is_empty() && !follows(end) => {
                end = own;
            }
            Some(own) if own < end && is_whole => {
                cursor.seek(own as usize);
                cursor.enter("end of level", index);
                cursor.warn(
                    &mut self.problems,
                    &rules::TRAILING_DATA,
                    own as usize,
                    || format!("{} left over", counted((end - own) as usize, "byte")),
                );
            }
            _ => {}
        }
        cursor.seek(end as usize);
        Ok(())
    }

    /// Moves the cursor to the next level, unless that level or a later one is where the sizes put
    /// it. Adds unread levels for those that are lost completely.
    fn find_level(&mut self, cursor: &mut Cursor<'_>, sizes: &[u32], map: &mut Pmf) {
        let file = self.bytes;
        let behind = sizes.get(map.levels.len()..).unwrap_or_default();
        let here = cursor.pos();
        // Search from the last frame of the previous level on. An intact level ends where its size
        // says.
        let (announced, from) = map.levels.last().map_or((here, here), |level| {
            let of_chunks = level.chunks.iter().flat_map(|chunk| &chunk.frames);
            let starts = level
                .frames
                .iter()
                .chain(of_chunks)
                .map(|frame| frame.start);
            let from = starts.max().unwrap_or(0).max(level.offset + 1);
            (level.offset as usize + level.size as usize, from as usize)
        });
        let mut at = here as u64;
        let is_there = behind.iter().any(|size| {
            let is_there = is_level(bytes_from(file, at));
            at += u64::from(*size);
            is_there
        });
        let is_end = !is_there && are_entities(bytes_from(file, here as u64), &map.strings);
        let next = if is_there || is_end {
            Some(here)
        } else {
            next_level(file, from)
        };
        let Some(found) = next.filter(|found| *found != announced) else {
            return;
        };
        // The first level whose size leads from there to another level or to the entities.
        let leads_on = |(lost, size): (usize, &u32)| {
            let rest = bytes_from(file, found as u64 + u64::from(*size));
            if lost + 1 == behind.len() {
                are_entities(rest, &map.strings)
            } else {
                is_level(rest)
            }
        };
        let lost = behind.iter().enumerate().position(leads_on);
        let lost = if is_end {
            behind.len()
        } else {
            lost.unwrap_or(0)
        };
        self.damage = self.damages.first().map(|(cause, _)| *cause);
        for _ in 0..lost {
            let part = Part::Level(map.levels.len() as u8);
            let what = format!("{part}: missing");
            let place = Place::Offset(found as u64);
            let error = refused(&rules::TRUNCATED, part, place, what, "the level");
            self.add_damage(error.with_loss("the level"), None);
            map.levels.push(Level::unread(found, 0));
        }
        if !is_there && !is_end {
            cursor.enter("level list", None);
            let part = Part::Level(map.levels.len() as u8);
            let (what, expected) = (format!("{part} at {found:#x}"), format!("it at {here:#x}"));
            self.add_damage(cursor.fault(&rules::LEVEL_LIST, here, what, expected), None);
        }
        cursor.seek(found);
    }

    /// Reads the sizes of a level and locates its sections and chunks. Returns its grid, if
    /// readable, and the location of its chunks or the error. `ends` are the possible ends of the
    /// level.
    fn place_level(
        &mut self,
        number: u8,
        level: &mut Level,
        ends: Ends<'_>,
    ) -> Result<Placed, ReadError> {
        let file = self.bytes;
        let start = level.offset;
        let section = Section {
            part: Part::Level(number),
            start,
            is_packed: false,
        };
        let mut cursor = Cursor::new(bytes_from(file, start), section);
        cursor.enter("head", None);
        level.flags = cursor.u8()?;
        let known = Level::KEEP_VELOCITY | Level::KEEP_CHUNK | Level::KEEP_PLACE;
        cursor.check_bits(&mut self.problems, 0, level.flags, known);
        level.frames = read_frames(&mut cursor)?;
        let sections_at = start + cursor.pos() as u64;
        let part = |side: usize| {
            Part::LevelSection(number, Side::ALL.get(side).copied().unwrap_or(Side::Common))
        };
        let of_grid = Ends {
            announced: 0,
            is_plain: &|at| is_grid(bytes_from(file, at)),
            is_found: &|at| is_confirmed_grid(bytes_from(file, at)),
        };
        let grid_at =
            self.place_frames(&mut level.frames, part, sections_at, |_| start + 1, of_grid);
        cursor.seek((grid_at - start) as usize);
        if let Err(error) = read_grid(&mut cursor, level) {
            return Ok((None, Err(error)));
        }
        let said = level.chunk_exponent;
        if said > MAX_CHUNK_EXPONENT {
            level.chunk_exponent = 0;
            let found = format!("chunks of 2^{said} m");
            let error = cursor.fault(
                &rules::CHUNK_SIZE,
                (grid_at - start) as usize + 4,
                found,
                "at most 2^24",
            );
            self.add(error.with_loss("the positions of the chunks; all are shown at the centre"));
        }
        if !is_inside(level.grid, level.center) {
            let center = level.center;
            let at = (grid_at - start) as usize + 5;
            cursor.warn(&mut self.problems, &rules::CHUNK_INDEX, at, || {
                format!("the grid has no chunk {center}, which should be its centre")
            });
        }
        let chunks = self.place_chunks(cursor, number, level, ends);
        Ok((Some(level.grid), chunks))
    }

    /// Reads as much as possible of each section and chunk of a level.
    fn fill_level(
        &mut self,
        number: u8,
        level: &mut Level,
        (grid, chunks): Placed,
    ) -> Result<(), ReadError> {
        self.read_sections(number, level, grid.unwrap_or([u32::MAX; 3]))?;
        self.read_chunks(number, level, chunks?.directory_at)?;
        self.check_views(number, level);
        Ok(())
    }

    /// Reads the directory of a level and locates its chunks.
    fn place_chunks(
        &mut self,
        mut cursor: Cursor<'_>,
        number: u8,
        level: &mut Level,
        ends: Ends<'_>,
    ) -> Result<Chunks, ReadError> {
        let start = level.offset;
        let directory_at = start + cursor.pos() as u64;
        let [y, x, z] = level.grid;
        let count = level.grid.iter().copied().map(u64::from).product::<u64>();
        cursor.enter("directory", None);
        let what = format!("chunk ({y} along Y, {x} along X, {z} along Z)");
        let count = cursor.count(count, DIRECTORY_BYTES, &what)?;
        let mut frames = Vec::with_capacity(3 * count);
        for _ in 0..count {
            frames.extend(read_frames(&mut cursor)?);
        }
        let index = |i: usize| {
            let (i, x, z) = (i as u32, x, z);
            ChunkIndex::new([i / (x * z), i / z % x, i % z])
        };
        let part = |i: usize| {
            let side = Side::ALL.get(i % 3).copied().unwrap_or(Side::Common);
            Part::ChunkSection(number, index(i / 3), side)
        };
        let sizes_at = |i: usize| directory_at + (DIRECTORY_BYTES * (i / 3)) as u64;
        let chunks_at = start + cursor.pos() as u64;
        let end = self.place_frames(&mut frames, part, chunks_at, sizes_at, ends);
        let mut there = frames.iter().filter(|frame| frame.packed > 0);
        let is_cut = chunks_at + 4 > self.bytes.len() as u64;
        if !is_cut && there.clone().next().is_some() && !there.any(|f| begins(self.bytes, f.start))
        {
            let at = (directory_at - start) as usize;
            let found = format!(
                "no section found with the sizes of {}",
                counted(count, "chunk")
            );
            let expected = "sizes that match the sections";
            return Err(cursor.fault(&rules::SECTION_SIZE, at, found, expected));
        }
        let (rows, _) = frames.as_chunks();
        let chunks = rows.iter().enumerate().map(|(i, frames)| Chunk {
            index: index(i),
            frames: *frames,
            data: None,
        });
        level.chunks = chunks.collect();
        Ok(Chunks { directory_at, end })
    }

    /// Reads as much as possible of each section of a level.
    fn read_sections(
        &mut self,
        number: u8,
        level: &mut Level,
        grid: [u32; 3],
    ) -> Result<(), ReadError> {
        let sizes_at = level.offset + 1;
        let [common, client, server] = &mut level.frames;
        let part = |side| Part::LevelSection(number, side);
        let lost = "all materials and environments of the level";
        let section = (part(Side::Common), sizes_at, lost);
        if common.is_empty() {
            self.add(missing(part(Side::Common), sizes_at).with_loss(lost));
        } else if let Some((read, is_whole)) =
            self.read_section(common, section, LevelCommon::read)?
        {
            level.common = read;
            level.common.is_incomplete = !is_whole;
        }
        let lost = "the looks of materials, the sky and the sound environments of the level";
        let section = (part(Side::Client), sizes_at, lost);
        let common = &level.common;
        let read = |client: &mut LevelClient, cursor: Cursor<'_>, problems: &mut Problems| {
            client.read(cursor, problems, common, grid)
        };
        if let Some((mut read, is_whole)) = self.read_section(client, section, read)? {
            read.is_incomplete = !is_whole;
            level.client = Some(read);
        }
        let section = (part(Side::Server), sizes_at, LEVEL_ENTITIES);
        let server = self.read_section(server, section, LevelServer::read)?;
        level.server = server.map(|(read, _)| read);
        Ok(())
    }

    /// Reads a section of a level. Returns the content and `true` if it is complete; `None` if it
    /// is missing or corrupt.
    fn read_section<T: Default>(
        &mut self,
        frame: &mut Frame,
        (part, sizes_at, lost): (Part, u64, &str),
        read: impl FnOnce(&mut T, Cursor<'_>, &mut Problems) -> Result<(), ReadError>,
    ) -> Result<Option<(T, bool)>, ReadError> {
        if frame.is_empty() {
            return Ok(None);
        }
        let is_cut = frame.end() > self.bytes.len() as u64;
        let damage = self.damage_in(frame.start..frame.end());
        let cause = damage.or(self.cut.filter(|_| is_cut));
        let (bytes, why) = match self.unpack_partial(frame, part, sizes_at) {
            Ok(unpacked) => unpacked,
            Err(ReadError::Cancelled) => return Err(ReadError::Cancelled),
            Err(error) => {
                add_section(
                    &mut self.problems,
                    Problems::new(),
                    cause,
                    Some(error.with_loss(lost)),
                );
                return Ok(None);
            }
        };
        let is_whole = why.is_none();
        let cause = add_section(&mut self.problems, Problems::new(), cause, why);
        let mut found = Problems::new();
        let mut data = T::default();
        let cursor = Cursor::new(&bytes, frame.section(part));
        let stop = read(&mut data, cursor, &mut found)
            .err()
            .map(|error| error.with_loss(REST));
        let is_whole = is_whole && stop.is_none();
        add_section(&mut self.problems, found, cause, stop);
        Ok(Some((data, is_whole)))
    }
}

impl LevelServer {
    /// Reads the server section of a level.
    fn read(&mut self, mut cursor: Cursor<'_>, problems: &mut Problems) -> Result<(), ReadError> {
        self.strings = cursor.string_table()?;
        self.entities = read_entities(&mut cursor, &self.strings, problems, &rules::ENTITIES);
        Ok(())
    }
}

/// Reads the grid of a level.
fn read_grid(cursor: &mut Cursor<'_>, level: &mut Level) -> Result<(), ReadError> {
    cursor.enter("grid", None);
    // Each number is stored as the count minus one.
    level.grid = ChunkIndex(cursor.u32()?).yxz().map(|count| count + 1);
    level.chunk_exponent = cursor.u8()?;
    level.center = ChunkIndex(cursor.u32()?);
    Ok(())
}
