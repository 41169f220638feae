//! Reading PMF: the parts of a file, its levels and their chunks (fact sheet A1 to A3, A13).
//!
//! What can be read is there, and what cannot is listed with what is lost for it: a section that is
//! broken costs what is in it, a size that lies nothing where frames say themselves where they end.
//! Only a file of which not even the name can be read is refused.

mod shift;

use std::ops::{ControlFlow, Range};

use super::archive::{self, Archive};
use super::bytes::{ChunkIndex, Cursor, Part, Section, Side, StringTable};
use super::chunk::ChunkData;
use super::chunk_codec::{
    Optional, Surroundings, client_fits, is_inside, read_chunk, read_entities, server_fits,
};
use super::cube_codec::CubeAllowance;
use super::entities::{Entities, MIN_BYTES, Tries};
use super::header::{read_extensions, read_gamemodes, read_name, read_texts};
use super::level::{LevelClient, LevelCommon, LevelNames};
use super::lz4::{self, Budget, Lz4Fault};
use super::mend::{
    Counts, Mended, Patience, STRING_TABLE, first_sign, fold_astray, is_astray, is_right,
    may_be_astray, mend,
};
use super::{
    Chunk, Cube, Extension, Frame, Geometry, Level, LevelServer, Pmf, PmfError, Sky, Vertex,
    chunk_number, rules,
};
use crate::{Cause, Place, Problem, Problems, ReadError, Rule, Severity, counted, parallel};
use shift::{FrameStarts, Next};

/// The largest exponent of the size of chunks.
const LARGEST_CHUNK: u8 = 24;
/// Chunks that are read at once: what is wrong with them is collected after that, so that broken
/// files do not fill the memory with problems that are never listed.
const CHUNKS_AT_ONCE: usize = 64;
/// The name of the size of the archive.
const ARCHIVE: [&str; 2] = ["archive", "size"];
/// What is left out where the server section of a level cannot be read.
const LEVEL_ENTITIES: &str = "the entities of the level";
/// What is left out where a section decodes to all of it although its frame is not as it should be.
const NOTHING: &str = "nothing, since it decodes to the right size";
/// What is left out where a section decodes to less than all of it.
const END_OF_SECTION: &str = "the end of the section";
/// The longest name of a gamemode, in bytes with the zero byte behind it.
const LONGEST_GAMEMODE: usize = 16;
/// What a number before the levels counts as read whenever another one is tried, in bytes: to go where it
/// leads takes as long as to read so many bytes of a section.
const FRONT_COST: usize = 1 << 4;
/// What it takes to read a section again beside what is read of it, in bytes, and to go over a list in it.
const TRY_COST: usize = 1 << 8;
const STEP_COST: usize = 1 << 3;
/// How many faces must show the same size of chunks, if it is not the one that is said, and how many cells
/// of each chunk are looked at for them.
const FACES_FOR_SIZE: usize = 6;
const CELLS_FOR_SIZE: usize = 1 << 12;
/// Bytes of the directory for a chunk.
const DIRECTORY_BYTES: usize = 24;
/// How many frames are asked where they end since their sizes do not go with what follows: each may
/// have as many blocks as the file has bytes.
const MAX_WALKS: u32 = 1024;
/// By how many bytes a section is too long or too short, at most, if that shows in where the next one
/// begins; and the same of numbers and of what is between sections, which is never so long.
const LARGEST_SHIFT: u64 = 64;
const LARGEST_SMALL_SHIFT: u64 = 8;
/// Bytes of a level before its sections: flags and six sizes.
const LEVEL_HEAD_BYTES: usize = 25;
/// Bytes between the sections of a level and the directory: grid, size of chunks, centre.
const GRID_BYTES: usize = 9;

/// The sizes of the sections of all chunks, and the offset in the file of the first section.
type Rows = (Vec<[Frame; 3]>, u64);

/// Reads a map.
///
/// What cannot be read is in [`Pmf::problems`], each with what is left out for it. A chunk whose
/// cubes cannot be read has no [`Chunk::data`]; a level of which nothing can be read has no chunks.
/// The memory in use is bounded by what the compressed sections decode to, and that by the length of
/// `bytes`.
///
/// # Errors
/// When not even the name of the map can be read.
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
    let mut cursor = in_file(bytes);
    let mut problems = Problems::new();
    let mut map = Pmf {
        header: read_name(&mut cursor, &mut problems)?,
        strings: StringTable::default(),
        archive: None,
        extensions: Vec::new(),
        levels: Vec::new(),
        entities: Entities::default(),
        problems: Vec::new(),
    };
    let mut reader = Reader {
        bytes,
        problems,
        budget: Budget::new(bytes.len()),
        cubes: CubeAllowance::new(bytes.len()),
        walks_left: MAX_WALKS,
        patience: Patience::new(bytes.len()),
        cut: None,
        shift: 0,
        decoded_left: Patience::new(bytes.len()),
        shifts: Vec::new(),
        frame_starts: FrameStarts::new(bytes.len()),
        watch,
    };
    let read = reader.read_parts(&mut cursor, &mut map);
    reader.keep(read, "all that follows in the file")?;
    map.problems = reader.problems.finish();
    Ok(map)
}

/// The bytes of a file outside of its levels.
fn in_file(bytes: &[u8]) -> Cursor<'_> {
    Cursor::new(bytes, FILE)
}

/// The file, outside of its levels.
const FILE: Section<'_> = Section {
    part: Part::File,
    start: 0,
    is_packed: false,
    counts: None,
};

impl Level {
    /// A level at an offset of which nothing is read.
    fn unread(offset: usize, size: u32) -> Self {
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

    /// Decodes as much of it as can be decoded, and says why that is not all.
    fn unpack_begun(
        &self,
        file: &[u8],
        part: Part,
    ) -> Result<(Vec<u8>, Option<ReadError>), ReadError> {
        let rest = bytes_from(file, self.start);
        let frame = rest.get(..self.packed as usize).unwrap_or(rest);
        let fault = |fault| {
            // Of the end of the file it is enough to say so.
            if frame.len() < self.packed as usize {
                self.cut_off(frame.len(), part)
            } else {
                self.fault(part, fault)
            }
        };
        match lz4::unpack_begun(frame, self.unpacked.into()) {
            Ok((bytes, why)) => Ok((bytes, why.map(fault))),
            Err(why) => Err(fault(why)),
        }
    }

    /// Why it is not as it should be, and what is left out for that of what it decodes to.
    fn losing_end(&self, why: ReadError, bytes: &[u8]) -> ReadError {
        let is_all = bytes.len() == self.unpacked as usize;
        why.losing(if is_all { NOTHING } else { END_OF_SECTION })
    }

    /// That the file ends after so many of its bytes.
    fn cut_off(&self, left: usize, part: Part) -> ReadError {
        let found = format!("{part}: {} left", counted(left, "byte"));
        let place = Place::Offset(self.start);
        refused(&rules::TRUNCATED, part, place, found, self.packed)
    }

    fn fault(&self, part: Part, fault: Lz4Fault) -> ReadError {
        let place = Place::Offset(self.end().min(self.start + fault.at as u64));
        let found = format!("{part}: {}", fault.found);
        refused(&rules::LZ4, part, place, found, fault.expected)
    }

    /// Where it ends in the file, as its sizes say.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.packed.into())
    }

    /// What it decodes to, to be read.
    fn section<'a>(&self, part: Part, counts: Option<&'a Counts>) -> Section<'a> {
        Section {
            part,
            start: self.start,
            is_packed: true,
            counts,
        }
    }
}

struct Reader<'a, 'w> {
    bytes: &'a [u8],
    problems: Problems,
    budget: Budget,
    cubes: CubeAllowance,
    /// How many frames may still be asked where they end.
    walks_left: u32,
    /// How much may still be read to find counts that are wrong.
    patience: Patience,
    /// That the file ends before a level does: what follows from that has no place of its own.
    cut: Option<Cause>,
    /// By how many bytes what follows in the level is behind where it should be.
    shift: i64,
    /// How much may still be decoded to find out how much that is.
    decoded_left: Patience,
    /// Why that is so, and where in the file else is something wrong for it.
    shifts: Vec<(Cause, Range<u64>)>,
    /// Where frames begin in the file.
    frame_starts: FrameStarts,
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

    /// Lists why something cannot be read, and what is left out for that.
    ///
    /// # Errors
    /// Only when the reading was cancelled.
    fn keep<T>(
        &mut self,
        read: Result<T, ReadError>,
        lost: impl std::fmt::Display,
    ) -> Result<Option<T>, ReadError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(ReadError::Cancelled) => Err(ReadError::Cancelled),
            Err(error) => {
                self.add(error.losing(lost));
                Ok(None)
            }
        }
    }

    /// Lists why something cannot be read. That the file ends before it follows from where it does.
    fn add(&mut self, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            let cause = self.cut.filter(|_| problem.rule == &rules::TRUNCATED);
            self.problems.push_consequence(cause, problem);
        }
    }

    /// Lists why something cannot be read that follows from another problem, if there is one.
    fn add_below(&mut self, cause: Option<Cause>, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            self.problems.push_consequence(cause, problem);
        }
    }

    /// Decodes as much of a section as can be decoded, and says whether that is all. Where only its size
    /// is wrong, it is all.
    fn unpack_begun(
        &mut self,
        frame: &mut Frame,
        part: Part,
        sizes_at: u64,
    ) -> Result<(Vec<u8>, bool), ReadError> {
        let begun = self.admit(*frame, part, sizes_at);
        let mut begun = begun.and_then(|()| frame.unpack_begun(self.bytes, part));
        if !matches!(begun, Ok((_, None))) && self.settle_unpacked(frame, part, sizes_at) {
            begun = frame.unpack_begun(self.bytes, part);
        }
        let (bytes, why) = begun?;
        let is_whole = why.is_none();
        if let Some(why) = why {
            self.add(frame.losing_end(why, &bytes));
        }
        Ok((bytes, is_whole))
    }

    /// Reads a section from an offset on. Where a wrong count leads astray in one that is whole, and the
    /// right one is found, all of it is read with that.
    fn read_mending<T>(
        &mut self,
        section: Section<'_>,
        (bytes, from, is_whole): (&[u8], usize, bool),
        read: impl Fn(Cursor<'_>, &mut Problems) -> T,
    ) -> T {
        let read = |bytes: &[u8], counts: Option<&Counts>, problems: &mut Problems| {
            let mut cursor = Cursor::new(bytes, Section { counts, ..section });
            cursor.seek(from);
            read(cursor, problems)
        };
        let mut problems = Problems::new();
        let mut found = read(bytes, None, &mut problems);
        if is_whole
            && problems.find_since(0, may_be_astray).is_some()
            && let Some(sign) = first_sign(&problems, |_| true)
        {
            let counts = Counts::new();
            // What is wrong before it goes astray has nothing to do with that.
            let allowed = sign.moment();
            read(bytes, Some(&counts), &mut Problems::of_trial(allowed));
            let works = |bytes: &[u8]| {
                let counts = Counts::default();
                let mut tried = Problems::of_trial(allowed);
                read(bytes, Some(&counts), &mut tried);
                let read = counts.reached().saturating_sub(from);
                (is_right(&tried, |_| true), TRY_COST + read)
            };
            let mended = mend(bytes, &counts, &mut self.patience, works);
            // Of fewer entities at the end of a file, the others are rather cut off.
            let is_cut =
                |mended: &Mended| section.part == Part::File && mended.is_of_fewer_entities();
            if let Some(mended) = mended.filter(|mended| !is_cut(mended)) {
                self.add(mended.error(Cursor::new(bytes, section)));
                problems = Problems::new();
                found = read(&mended.bytes, None, &mut problems);
            }
            fold_astray(&mut problems, |_| true);
        }
        self.problems.append(problems, None, |_| false);
        found
    }

    /// Lets what a section lacks follow from that it is not whole.
    fn fold_section(&mut self, moment: usize, is_whole: bool) {
        let of_frame = self.problems.find_since(moment, is_of_frame);
        let cause = of_frame.or(self.cut);
        let cause = cause.or_else(|| self.problems.first_since(moment));
        if let Some(cause) = cause.filter(|_| !is_whole) {
            let problems = &mut self.problems;
            problems.fold_since(moment, cause);
        }
    }

    /// Reads what follows the name of the map. Where levels cannot be found as the file says, they are
    /// looked for.
    fn read_parts(&mut self, cursor: &mut Cursor<'_>, map: &mut Pmf) -> Result<(), ReadError> {
        let moment = self.problems.moment();
        let front = self.read_mended_front(cursor, map);
        let front = self.keep(front, "what follows, except for levels that can be found")?;
        // What is before the texts moves them and all that follows.
        if let Some(time) = self.problems.find_since(0, is_time) {
            let problems = &mut self.problems;
            problems.fold_some_since(moment, time, |problem| problem.severity == Severity::Error);
        }
        // What is wrong with levels does not count where they are not.
        let before = std::mem::take(&mut self.problems);
        // With bytes too many or too few before them, there may be other levels than are said to be.
        let is_whole_level = |at| {
            let bytes = bytes_from(self.bytes, at);
            is_level(bytes) && has_sections(bytes)
        };
        let at = cursor.pos() as u64;
        let is_astray = !is_level(bytes_from(self.bytes, at))
            && near(at, LARGEST_SMALL_SHIFT, is_whole_level).is_some();
        if let Some(sizes) = front.filter(|_| !is_astray) {
            let sizes_at = cursor.pos() - 4 * sizes.len();
            while map.levels.len() < sizes.len() {
                self.read_level(cursor, (&sizes, sizes_at), map)?;
            }
            self.read_entities(cursor, map)?;
        }
        let of_levels = std::mem::replace(&mut self.problems, before);
        self.cut = None;
        let mut chunks = map.levels.iter().flat_map(|level| &level.chunks);
        if chunks.any(|chunk| chunk.data.is_some()) || !self.find_levels(cursor, map, moment)? {
            self.problems.append(of_levels, None, |_| false);
        }
        Ok(())
    }

    /// Reads what stands before the levels, and gives their sizes. Where a wrong count or size leads to
    /// no level, and the right one is found, it is read with that.
    fn read_mended_front(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
    ) -> Result<Vec<u32>, ReadError> {
        read_texts(cursor, &mut self.problems, &mut map.header)?;
        let file = self.bytes;
        let from = cursor.pos();
        let counts = Counts::new();
        let noting = Section {
            counts: Some(&counts),
            ..FILE
        };
        let mut noting = Cursor::new(file, noting);
        noting.seek(from);
        let sizes = pass_front(&mut noting, &mut 0);
        if sizes
            .as_ref()
            .is_some_and(|sizes| are_levels(&noting, sizes))
        {
            return self.read_front(cursor, map);
        }
        // A size that lies could as well hide all levels.
        let has_levels =
            sizes.is_some_and(|sizes| !sizes.is_empty()) || next_level(file, from).is_some();
        let works = |bytes: &[u8]| {
            let mut cursor = in_file(bytes);
            cursor.seek(from);
            let mut read = 0;
            let sizes = pass_front(&mut cursor, &mut read);
            let sizes = sizes.filter(|sizes| !sizes.is_empty() || !has_levels);
            let works = sizes.is_some_and(|sizes| are_levels_to_end(cursor, &sizes, &mut read));
            (works, read)
        };
        let Some(mended) = mend(file, &counts, &mut self.patience, works) else {
            return self.read_front(cursor, map);
        };
        self.add(mended.error(in_file(file)));
        let mut front = in_file(&mended.bytes);
        front.seek(from);
        let (cause, moment) = (self.problems.last(), self.problems.moment());
        let sizes = self.read_front(&mut front, map);
        // An archive of another size has bytes that are lost or too many.
        if let Some(cause) = cause.filter(|_| mended.is_of(ARCHIVE)) {
            let of_archive = [
                &rules::ARCHIVE,
                &rules::ARCHIVE_ENTRY,
                &rules::ARCHIVE_DUPLICATE,
            ];
            self.problems
                .fold_some_since(moment, cause, |problem| of_archive.contains(&problem.rule));
        }
        cursor.seek(front.pos());
        sizes
    }

    /// Reads what stands before the levels, and gives their sizes.
    fn read_front(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
    ) -> Result<Vec<u32>, ReadError> {
        read_gamemodes(cursor, &mut self.problems, &mut map.header)?;
        map.strings = cursor.string_table()?;

        cursor.enter("archive", None);
        let size = cursor.u32()?;
        let archive_offset = cursor.pos() as u64;
        // Of an archive that is cut off the files are there that are whole.
        let whole = cursor.bytes(size as usize);
        let bytes = whole.clone().unwrap_or_else(|_| cursor.rest());
        if size > 0 {
            let archive = Archive::read(bytes, archive_offset, &mut self.problems);
            map.archive = Some(archive);
        }
        whole?;

        read_extensions(cursor, &mut self.problems, &mut map.extensions)?;

        cursor.enter("level list", None);
        let count = cursor.u8()?;
        let count = cursor.count(count, 4, "level")?;
        (0..count).map(|_| cursor.u32()).collect()
    }

    /// Reads the entities at the end of the file.
    fn read_entities(&mut self, cursor: &mut Cursor<'_>, map: &mut Pmf) -> Result<(), ReadError> {
        cursor.enter("entity tables", None);
        if cursor.left() < MIN_BYTES {
            let found = format!("{} left", counted(cursor.left(), "byte"));
            let expected = "at least 20 of entities";
            let error = cursor.fault(&rules::TRUNCATED, cursor.pos(), found, expected);
            self.keep::<()>(Err(error), "the entities of the map")?;
            map.entities = Entities::unread();
            return Ok(());
        }
        let strings = &map.strings;
        let read = |mut cursor: Cursor<'_>, problems: &mut Problems| {
            let how = (&rules::MAP_ENTITIES, &Tries::new(0));
            read_entities(&mut cursor, strings, problems, how)
        };
        let entities = (self.bytes, cursor.pos(), self.cut.is_none());
        map.entities = self.read_mending(FILE, entities, read);
        Ok(())
    }

    /// Looks through the whole file for levels: sections that follow each other as their sizes say, with
    /// a grid behind them. They take the place of those that are not where they should be. Says whether
    /// there are any. What is wrong since a moment is why they are not where they should be.
    fn find_levels(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
        moment: usize,
    ) -> Result<bool, ReadError> {
        let file = self.bytes;
        let mut levels = Vec::new();
        let mut at = 0;
        // A level whose chunks are all lost is where it should be.
        let first = next_level(file, at).map(|at| at as u64);
        if map.levels.iter().any(|level| Some(level.offset) == first) {
            return Ok(false);
        }
        let why = self.problems.first_error_since(moment);
        if let Some(why) = why {
            self.problems.fold_since(moment, why);
        }
        while let Some(found) = next_level(file, at)
            && let Ok(number) = u8::try_from(levels.len())
        {
            let mut level = Level::unread(found, 0);
            let filled = self.fill_level(number, &mut level, u64::MAX);
            let end = self.keep(filled, "the rest of the level")?;
            at = end.map_or(found + 1, |end| end as usize);
            level.size = u32::try_from(at - found).unwrap_or(u32::MAX);
            levels.push(level);
        }
        let Some(first) = levels.first() else {
            return Ok(false);
        };
        cursor.enter("level list", None);
        let count = counted(levels.len(), "level");
        let is = if levels.len() == 1 { "is" } else { "are" };
        let found = format!("it leads to no level, but {count} {is} in the file");
        let first_at = first.offset as usize;
        let error = cursor.fault(&rules::LEVEL_LIST, first_at, found, "where levels are");
        if let ReadError::Unreadable(problem) = error {
            self.problems.push_consequence(why, problem);
        }
        if let (None, Some(list)) = (why, self.problems.last()) {
            self.problems.fold_since(moment, list);
        }
        let why = why.or(self.problems.last());
        let of_entities = self.problems.moment();
        map.levels = levels;
        map.entities = Entities::unread();
        if are_entities(bytes_from(file, at as u64), &map.strings) {
            let mut cursor = in_file(file);
            cursor.seek(at);
            self.read_entities(&mut cursor, map)?;
        }
        if let Some(why) = why {
            self.problems.fold_since(of_entities, why);
        }
        Ok(true)
    }

    /// Reads the level that begins at the cursor, one of so many that have these sizes, and goes to what
    /// follows it: where its size says, or where its sections end, if only there is what must follow. Where
    /// it does at neither, that is looked for, and levels of which nothing is there are left out.
    fn read_level(
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

    /// What follows in the file from an offset on: how many of the levels of these sizes are not there, and
    /// where the next one begins, or the entities. These are only looked for behind what is broken.
    fn next_part(
        &mut self,
        from: usize,
        sizes: &[u32],
        strings: &StringTable,
        is_broken: bool,
    ) -> Option<(usize, usize)> {
        let file = self.bytes;
        let left = file.len().checked_sub(from)?;
        self.patience.0 = self.patience.0.checked_sub(left)?;
        if !sizes.is_empty()
            && let Some(at) = next_level(file, from)
        {
            return Some((lost_before(file, at, sizes, strings), at));
        }
        let at = (from..file.len()).filter(|_| is_broken).find(|at| {
            let mut cursor = in_file(bytes_from(file, *at as u64));
            let entities = Entities::read(&mut cursor, strings, &mut Problems::new());
            self.patience.0 = self.patience.0.saturating_sub(cursor.pos());
            let is_it = |entities: Entities| !entities.is_empty() && entities.opaque().is_none();
            self.patience.0 > 0 && cursor.left() == 0 && entities.is_ok_and(is_it)
        });
        Some((sizes.len(), at?))
    }

    /// Reads a level that begins at its offset, as far as it can be read, and says where it ends by
    /// what is in it. It should end at `announced`.
    fn fill_level(
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

    /// Reads the directory of a level and the chunks that follow, and says where they end. Of grids that
    /// the level can have instead of that at an offset in it, the one is taken that fits best.
    fn read_directory(
        &mut self,
        mut cursor: Cursor<'_>,
        (number, level): (u8, &mut Level),
        ((grid_at, grids), rows): ((usize, &[[u32; 3]]), Option<Rows>),
        announced: u64,
    ) -> Result<u64, ReadError> {
        let start = level.offset;
        cursor.enter("directory", None);
        let directory_offset = start + cursor.pos() as u64;
        let count: u64 = grids
            .first()
            .into_iter()
            .flatten()
            .copied()
            .map(u64::from)
            .product();
        let [y, x, z] = grids.first().copied().unwrap_or_default();
        let what = format!("chunk ({y} along Y, {x} along X, {z} along Z)");
        let (rows, chunks_at) = if let Some(rows) = rows {
            rows
        } else {
            let count = cursor.count(count, DIRECTORY_BYTES, &what)?;
            let directory = cursor.bytes(DIRECTORY_BYTES * count)?;
            let mut directory = Cursor::new(directory, cursor.source());
            let rows = (0..count).map(|_| read_frames(&mut directory));
            let rows = rows.collect::<Result<Vec<_>, _>>()?;
            (rows, start + cursor.pos() as u64)
        };
        let chunks = rows.into_iter().map(|frames| Chunk {
            index: ChunkIndex::default(),
            frames,
            data: None,
        });
        let mut chunks: Vec<_> = chunks.collect();
        place_chunks(&mut chunks, [y, x, z]);
        let frames = chunks.iter_mut().flat_map(|chunk| {
            let parts = Side::ALL.map(|side| Part::ChunkSection(number, chunk.index, side));
            chunk.frames.iter_mut().zip(parts)
        });
        let sizes_at = |i: usize| directory_offset + (DIRECTORY_BYTES * (i / 3)) as u64;
        let is_end = |at: u64, moved| announced.checked_add_signed(moved) == Some(at);
        let end = self.settle(frames.collect(), chunks_at, sizes_at, is_end);
        level.chunks = chunks;
        let was = std::mem::replace(&mut level.grid, [y, x, z]);
        if was != level.grid {
            let grids = self.best_grids(level, grids, was);
            if let Some(best) = grids.first() {
                level.grid = *best;
                place_chunks(&mut level.chunks, level.grid);
            }
            let expected: Vec<_> = grids.iter().map(|grid| in_words(*grid)).collect();
            let expected = expected.join(" or ");
            let expected = format!("{expected}, with which the level ends where its size says");
            cursor.enter("grid", None);
            let found = format!("{} chunks along Y, X and Z", in_words(was));
            self.add(cursor.fault(&rules::COUNT, grid_at, found, expected));
        }
        if !is_inside(level.grid, level.center) {
            cursor.enter("grid", None);
            let center = level.center;
            cursor.warn(&mut self.problems, &rules::CHUNK_INDEX, grid_at + 5, || {
                format!("the grid has no chunk {center}, which should be its centre")
            });
        }
        self.read_chunks(number, level, directory_offset)?;
        self.check_views(number, level);
        Ok(end)
    }

    /// Which of the grids that a level can have fit best what its chunks say of others, and its centre.
    fn best_grids(&mut self, level: &Level, grids: &[[u32; 3]], was: [u32; 3]) -> Vec<[u32; 3]> {
        let names = &LevelNames::new(&level.common, false, None);
        let mut named = vec![(level.center, 0)];
        let mut cube_counts = Vec::new();
        for chunk in &level.chunks {
            // No more is decoded for this than there is patience for.
            let mut section = |side| {
                let frame: &Frame = chunk.frames.get(side as usize)?;
                let part = Part::ChunkSection(0, chunk.index, side);
                let len = frame.unpacked as usize;
                self.patience.0 = self.patience.0.checked_sub(len)?;
                let bytes = frame.unpack(self.bytes, part).ok()?;
                Some((bytes, frame.section(part, None)))
            };
            let sections = [section(Side::Common), section(Side::Server)];
            let cursors = sections.each_ref().map(|section| {
                let (bytes, of) = section.as_ref()?;
                Some(Cursor::new(bytes, *of))
            });
            let [common, server] = cursors;
            let (cubes, grid) = (&CubeAllowance::new(0), level.grid);
            let tries = &Tries::default();
            let around = &Surroundings {
                names,
                grid,
                cubes,
                tries,
            };
            let data = common.and_then(|common| {
                let server = server.map_or(Optional::Missing, Optional::There);
                let problems = &mut Problems::new();
                read_chunk((common, true), Optional::Missing, server, around, problems).ok()
            });
            cube_counts.push(
                data.as_ref()
                    .map_or(u32::MAX, |data| data.cubes.len() as u32),
            );
            let Some(data) = data else { continue };
            let cubes = &data.cubes;
            named.extend(cubes.all_seen_chunks().iter().map(|seen| {
                let last = cubes.seen_chunk_cubes(seen).iter().max();
                (seen.chunk, last.map_or(0, |last| last.saturating_add(1)))
            }));
            let regions = data.server.iter().flat_map(|server| &server.regions);
            let regions = regions.flat_map(|region| &region.chunks);
            named.extend(regions.map(|chunk| (*chunk, 0)));
        }
        let skies = level.client.iter().flat_map(|client| &client.skies);
        let skies = skies.filter(|sky| sky.flags & Sky::HAS_3D_SKYBOX != 0);
        named.extend(skies.map(|sky| (sky.skybox_chunk, 0)));
        // What is named is there, with as many cubes as that needs.
        let has = |grid: [u32; 3], (chunk, cubes): (ChunkIndex, u32)| {
            let number = chunk_number(grid, chunk);
            let count = number.and_then(|number| cube_counts.get(number));
            count.is_some_and(|count| *count >= cubes)
        };
        named.sort_unstable();
        named.dedup();
        let odds = |grid: &[u32; 3]| {
            let lacking = named.iter().filter(|named| !has(*grid, **named)).count();
            let others = grid.iter().zip(was).filter(|(count, was)| *count != was);
            let apart = grid.iter().zip(was).map(|(count, was)| count.abs_diff(was));
            (lacking, others.count(), apart.sum::<u32>())
        };
        let least = grids.iter().map(odds).min();
        let best = grids.iter().filter(|grid| Some(odds(grid)) == least);
        best.copied().collect()
    }

    /// Checks the size of the chunks of a level, whose grid is at an offset, against where the faces of
    /// whole cubes are. If these show another, that is taken.
    fn check_chunk_size(&mut self, (number, grid_at): (u8, u64), level: &mut Level) {
        let said = level.chunk_exponent;
        let data = level
            .chunks
            .iter()
            .filter_map(|chunk| chunk.data.as_deref());
        let mut shown = data
            .flat_map(shown_exponents)
            .take(FACES_FOR_SIZE)
            .peekable();
        let first = shown.peek().copied().flatten();
        let is_shown = first.is_some_and(|first| first != said)
            && shown.by_ref().filter(|exponent| *exponent == first).count() == FACES_FOR_SIZE;
        let part = Part::Level(number);
        let found = format!("grid of {part}: chunks of 2^{said} m");
        let fault = |expected: String| {
            let place = Place::Offset(grid_at + 4);
            refused(&rules::CHUNK_SIZE, part, place, &found, expected)
        };
        if let (Some(exponent), true) = (first, is_shown) {
            level.chunk_exponent = exponent;
            let expected = format!("2^{exponent}, with which vertices are where their cubes are");
            self.add(fault(expected));
        } else if said > LARGEST_CHUNK {
            level.chunk_exponent = 0;
            let error = fault("at most 2^24".to_owned());
            self.add(error.losing("the places of the chunks; all are shown at the centre"));
        }
    }

    /// Finds out where frames are that follow each other from an offset on, and gives the end of the
    /// last one. A frame says itself where it ends: a size that does not go with what follows is
    /// taken from there, and listed with its place among the sizes of this frame, by its number.
    /// `is_end` says whether the last one can end at an offset, if so many bytes before that are too many.
    /// Where a frame does not say either, it goes on with the next one that is found.
    fn settle(
        &mut self,
        mut frames: Vec<(&mut Frame, Part)>,
        from_offset: u64,
        sizes_at: impl Fn(usize) -> u64,
        is_end: impl Fn(u64, i64) -> bool,
    ) -> u64 {
        let file = self.bytes;
        let before = self.shift;
        let last = frames.iter().rposition(|(frame, _)| !frame.is_empty());
        let sizes: Vec<u32> = frames.iter().map(|(frame, _)| frame.packed).collect();
        let mut position = from_offset;
        let mut i = 0;
        while let Some((frame, part)) = frames.get_mut(i) {
            let part = *part;
            frame.start = position;
            let moved = self.shift - before;
            let is_last = Some(i) == last;
            let goes_on = |at: u64| begins(file, at) || (is_last && is_end(at, moved));
            let mut is_right = frame.is_empty() || (frame.packed > 0 && goes_on(frame.end()));
            let mut len = None;
            if !is_right || is_last {
                len = self.walk(position);
                // Where the last one ends something else can look like what follows it.
                is_right &= len.is_none_or(|len| !goes_on(position + u64::from(len)));
                is_right |= len == Some(frame.packed) && goes_on(frame.end());
            }
            if is_right {
                position = frame.end();
                i += 1;
                continue;
            }
            // Of a section that is not there, a size can lie as well: the next one is there.
            let mut behind = sizes.iter().skip(i + 1).filter(|size| **size > 0);
            let is_missing = match behind.next() {
                Some(next) => len == Some(*next),
                None => is_end(position, moved),
            };
            if is_missing && (frame.packed == 0) != (frame.unpacked == 0) {
                let error = one_size(frame, part, sizes_at(i));
                self.problems.add_error(error);
                (frame.packed, frame.unpacked) = (0, 0);
                i += 1;
                continue;
            }
            let is_whole = len == Some(frame.packed);
            let end = frame.end();
            let own_end = len.map(|len| position + u64::from(len));
            let own_end = own_end.filter(|end| !is_whole && goes_on(*end));
            let is_of_size = own_end.is_some_and(|end| is_last && is_end(end, moved));
            let next = if is_of_size {
                None
            } else {
                self.resume(&sizes, (i, position, own_end), |at| is_end(at, moved))
            };
            // A last one that is broken can be where it should be.
            let is_next_last = last == Some(i + 1);
            let last_end = end + u64::from(sizes.get(i + 1).copied().unwrap_or(0));
            let is_in_place = is_whole && is_next_last && is_end(last_end, moved);
            let is_it = |next: &Next| {
                let is_behind = next.at > position && (next.at < end || !is_in_place);
                next.at != next.expected && (is_behind || !is_whole)
            };
            let next = next.filter(is_it);
            let next = next.or_else(|| {
                let (most, is_looked_for) = if is_whole {
                    (LARGEST_SMALL_SHIFT, !is_last)
                } else {
                    (LARGEST_SHIFT, own_end.is_none())
                };
                let is_next = |at| {
                    if is_last {
                        is_end(at, moved)
                    } else {
                        begins(file, at)
                    }
                };
                let at = near(end, most, |at| at > position && is_next(at));
                let at = at.filter(|_| is_looked_for && end <= file.len() as u64)?;
                Some(Next {
                    frame: i + 1,
                    at,
                    expected: end,
                })
            });
            if let Some(next) = next
                && (next.frame == i || Some(next.at) != own_end)
            {
                self.skip(&mut frames, (i, is_whole), &next, &sizes_at);
                (i, position) = (next.frame, next.at);
                continue;
            }
            if let Some(end) = own_end {
                let packed = counted(frame.packed as usize, "byte");
                let found = format!("sizes of the {part}: {packed}");
                frame.packed = (end - position) as u32;
                let expected = format!("{}, as its frame has", frame.packed);
                let [place, _] = part.size_places(sizes_at(i));
                let error = refused(&rules::SECTION_SIZE, part, place, found, expected);
                self.problems.add_error(error);
            }
            position = frame.end();
            i += 1;
        }
        // The last ones can be there although they have no sizes, or one is there twice.
        if begins(file, position)
            && let Some(len) = self.walk(position)
            && let end = position + u64::from(len)
            && is_end(end, self.shift - before)
        {
            if !self.add_unsized(&mut frames, position..end, &sizes_at)
                && let Some((_, part)) = frames.last()
            {
                let found = format!("{} behind the {part}", counted(len as usize, "byte"));
                let place = Place::Offset(position);
                let error = refused(&rules::SHIFTED, *part, place, found, "none");
                self.push_shift(error, position..end, position);
            }
            position = end;
        }
        position
    }

    /// Finds out what a frame decodes to of which it cannot be what is said. Says whether it is known, and
    /// something else.
    fn settle_unpacked(&mut self, frame: &mut Frame, part: Part, sizes_at: u64) -> bool {
        let rest = bytes_from(self.bytes, frame.start);
        let packed = rest.get(..frame.packed as usize).unwrap_or_default();
        let len = lz4::len_of(packed, &mut self.patience.0);
        let len = len.filter(|len| *len != frame.unpacked && *len > 0);
        let Some(len) = len else { return false };
        if self.budget.take(packed.len() as u64, len.into()).is_err() {
            return false;
        }
        let unpacked = counted(frame.unpacked as usize, "byte");
        let found = format!("sizes of the {part}: {unpacked} once decoded");
        let expected = format!("{len}, as its frame has");
        let [_, place] = part.size_places(sizes_at);
        self.add(refused(&rules::SECTION_SIZE, part, place, found, expected));
        frame.unpacked = len;
        true
    }

    /// [`Self::settle_unpacked`] for the sections of a chunk, which may be decoded then.
    fn settle_chunk(
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

    /// The bytes of the frame at an offset, as it says itself; none where it is broken.
    fn walk(&mut self, offset: u64) -> Option<u32> {
        self.walks_left = self.walks_left.checked_sub(1)?;
        let len = lz4::end_of(bytes_from(self.bytes, offset))?;
        u32::try_from(len).ok()
    }

    /// Reads the sections of a level, each as far as it can be read.
    fn read_sections(
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

    /// Takes what a section decodes to from what all may decode to. Its sizes stand among the six
    /// that begin at `sizes_at` in the file.
    fn admit(&mut self, frame: Frame, part: Part, sizes_at: u64) -> Result<(), ReadError> {
        let [_, unpacked_at] = part.size_places(sizes_at);
        let Frame {
            packed, unpacked, ..
        } = frame;
        if self.is_lost(&frame) {
            let found = format!("{part}: nothing of it is there");
            let expected = format!(
                "a section that decodes to {}",
                counted(unpacked as usize, "byte")
            );
            let place = Place::Offset(frame.start);
            return Err(refused(&rules::TRUNCATED, part, place, found, expected));
        }
        // Where nothing is, nothing is to be decoded, and the other way round.
        if (packed == 0) != (unpacked == 0) {
            return Err(one_size(&frame, part, sizes_at));
        }
        let file_bytes = self.bytes.len() as u64;
        let (mut packed, mut unpacked) = (u64::from(packed), u64::from(unpacked));
        if frame.end() > file_bytes {
            let left = file_bytes.saturating_sub(frame.start);
            if left == 0 {
                let start = frame.start.min(file_bytes);
                return Err(Frame { start, ..frame }.cut_off(0, part));
            }
            // What there is of it may be read.
            packed = left;
            unpacked = unpacked.min(lz4::most_of(left));
        }
        self.budget.take(packed, unpacked).map_err(|fault| {
            let found = format!("sizes of the {part}: {}", fault.found);
            let rule = &rules::SECTION_SIZE;
            refused(rule, part, unpacked_at, found, fault.expected)
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

    /// Reads a chunk again in which a wrong count leads astray, if the right one is found: all of it then,
    /// with what else is wrong with it. `read` is what was read of it, and what was wrong.
    fn mend_chunk(
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

/// That only one of the sizes of a section is 0. They are among the six that begin at an offset.
fn one_size(frame: &Frame, part: Part, sizes_at: u64) -> ReadError {
    let Frame {
        packed, unpacked, ..
    } = *frame;
    let [packed_at, unpacked_at] = part.size_places(sizes_at);
    let decodes = if packed == 1 { "decodes" } else { "decode" };
    let bytes = counted(packed as usize, "byte");
    let found = format!("sizes of the {part}: {bytes} {decodes} to {unpacked}");
    let place = if packed == 0 { packed_at } else { unpacked_at };
    refused(
        &rules::SECTION_SIZE,
        part,
        place,
        found,
        "both 0, or neither",
    )
}

/// Reads the server section of a level.
fn read_level_server(mut cursor: Cursor<'_>, problems: &mut Problems) -> Option<LevelServer> {
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

/// Whether a frame begins at an offset in a file.
fn begins(file: &[u8], at: u64) -> bool {
    lz4::begins(bytes_from(file, at))
}

/// The offset nearest to another one, and no more than so many bytes from it, that is the one; none where the
/// other one is.
fn near(at: u64, most: u64, is_it: impl Fn(u64) -> bool) -> Option<u64> {
    if is_it(at) {
        return None;
    }
    let others = (1..=most).flat_map(|by| [at.checked_add(by), at.checked_sub(by)]);
    others.flatten().find(|at| is_it(*at))
}

/// The bytes of a file from an offset on.
fn bytes_from(file: &[u8], offset: u64) -> &[u8] {
    let offset = usize::try_from(offset).ok();
    let bytes = offset.and_then(|offset| file.get(offset..));
    bytes.unwrap_or_default()
}

/// Whether bytes may begin with a level: flags that have a meaning, and the first of its sections
/// behind the sizes.
fn is_level(bytes: &[u8]) -> bool {
    let known = Level::KEEP_VELOCITY | Level::KEEP_CHUNK | Level::KEEP_PLACE;
    let has_flags = bytes.first().is_some_and(|flags| flags & !known == 0);
    has_flags && bytes.get(LEVEL_HEAD_BYTES..).is_some_and(lz4::begins)
}

/// Goes over what stands before the levels from the gamemodes on, and gives the sizes of the levels; none
/// where it cannot be so. Counts how many bytes that takes, in `read`.
fn pass_front(cursor: &mut Cursor<'_>, read: &mut usize) -> Option<Vec<u32>> {
    let gamemodes = cursor.u8().ok()?;
    cursor.note_count(1, 2, ["gamemode", "count"]);
    *read += FRONT_COST;
    for _ in 0..gamemodes {
        let len = cursor.until_zero()?.len();
        *read += FRONT_COST + len;
        (1..LONGEST_GAMEMODE).contains(&len).then_some(())?;
    }
    let mut sized = |name| {
        let size = cursor.u32().ok()?;
        cursor.note_count(4, 1, name);
        *read += FRONT_COST;
        cursor.bytes(size as usize).ok()
    };
    let strings = sized(STRING_TABLE)?;
    let archive = sized(ARCHIVE)?;
    let are_strings = strings.last().is_none_or(|last| *last == 0);
    let is_archive = archive.is_empty() || archive.starts_with(&archive::MAGIC);
    if !are_strings || !is_archive {
        return None;
    }
    let extensions = cursor.u16().ok()?;
    cursor.note_count(2, 4, ["extension", "count"]);
    *read += FRONT_COST;
    let mut size_at = cursor.pos();
    let sizes = cursor.bytes(4 * usize::from(extensions)).ok()?;
    let known = Extension::USE_IN_CRC | Extension::SUPPORT_REQUIRED;
    for size in sizes.as_chunks().0 {
        cursor.note_count_at(size_at, 4, 1, ["extension", "size"]);
        size_at += size.len();
        let body = cursor.bytes(u32::from_le_bytes(*size) as usize).ok()?;
        let (flags, name) = body.split_first()?;
        (flags & !known == 0).then_some(())?;
        let len = name.iter().position(|byte| *byte == 0);
        *read += FRONT_COST + len.unwrap_or(name.len());
        let name = name.get(..len?)?;
        let is_name = name.iter().all(|byte| !byte.is_ascii_control());
        (!name.is_empty() && is_name).then_some(())?;
    }
    let levels = cursor.u8().ok()?;
    cursor.note_count(1, 4, ["level", "count"]);
    *read += FRONT_COST * (1 + usize::from(levels));
    (0..levels).map(|_| cursor.u32().ok()).collect()
}

/// Whether the first of the levels of these sizes, or what follows if there is none, begins at a cursor.
fn are_levels(cursor: &Cursor<'_>, sizes: &[u32]) -> bool {
    let rest = cursor.clone().rest();
    if sizes.is_empty() {
        return are_entities(rest, &StringTable::default());
    }
    is_level(rest)
}

/// Whether levels of these sizes begin at a cursor, and after them the entities at the end of the file.
/// Counts how many bytes it reads to find that out.
fn are_levels_to_end(mut cursor: Cursor<'_>, sizes: &[u32], read: &mut usize) -> bool {
    for size in sizes {
        if !cursor.bytes(*size as usize).is_ok_and(is_level) {
            return false;
        }
    }
    let rest = cursor.rest();
    let mut entities = in_file(rest);
    let are_entities = are_entities_of(&mut entities, &StringTable::default());
    *read += entities.pos();
    are_entities
}

/// The offset of the next level from an offset on that can be told by its sections alone.
fn next_level(file: &[u8], from: usize) -> Option<usize> {
    (from..file.len()).find(|at| {
        let bytes = bytes_from(file, *at as u64);
        is_level(bytes) && has_sections(bytes)
    })
}

/// How many of the levels of these sizes are not there before the one that begins at an offset: as many as
/// before the first size with which it leads to another level, or to the entities behind the last one.
fn lost_before(file: &[u8], at: usize, sizes: &[u32], strings: &StringTable) -> usize {
    let leads_on = |(lost, size): (usize, &u32)| {
        let rest = bytes_from(file, at as u64 + u64::from(*size));
        let is_last = lost + 1 == sizes.len();
        if is_last {
            are_entities(rest, strings)
        } else {
            is_level(rest)
        }
    };
    sizes.iter().enumerate().position(leads_on).unwrap_or(0)
}

/// Whether the sections of the level that bytes begin with are where its sizes say, and its grid behind
/// them.
fn has_sections(level: &[u8]) -> bool {
    let mut cursor = in_file(level);
    cursor.seek(1);
    let Ok(frames) = read_frames(&mut cursor) else {
        return false;
    };
    let mut at = LEVEL_HEAD_BYTES as u64;
    let are_there = frames.iter().all(|frame| {
        let begins = frame.is_empty() || lz4::begins(bytes_from(level, at));
        at += u64::from(frame.packed);
        begins
    });
    are_there && is_grid(bytes_from(level, at))
}

/// Whether bytes may begin with the grid of a level: one whose directory follows.
fn is_grid(bytes: &[u8]) -> bool {
    let Some((grid, directory)) = bytes.split_at_checked(GRID_BYTES) else {
        return false;
    };
    let counts = grid.first_chunk().copied().map(u32::from_le_bytes);
    let counts = ChunkIndex(counts.unwrap_or(u32::MAX)).yxz();
    let chunks: u64 = counts.iter().map(|count| u64::from(count + 1)).product();
    let is_small = grid
        .get(4)
        .is_some_and(|exponent| *exponent <= LARGEST_CHUNK);
    is_small && is_directory(directory, chunks)
}

/// Reads the grid of a level, and gives those that it can be instead, if it is wrong: one of them is
/// the right one, and all have as many chunks.
fn read_grid(
    cursor: &mut Cursor<'_>,
    level: &mut Level,
    announced: u64,
) -> Result<Vec<[u32; 3]>, ReadError> {
    cursor.enter("grid", None);
    // Each number is one below the count.
    level.grid = ChunkIndex(cursor.u32()?).yxz().map(|count| count + 1);
    level.chunk_exponent = cursor.u8()?;
    level.center = ChunkIndex(cursor.u32()?);
    let size = announced.saturating_sub(level.offset + cursor.pos() as u64);
    let chunks = mended_chunk_count(cursor.clone().rest(), size, level.grid);
    let grids = chunks.map(|chunks| grids_of(chunks, level.grid));
    Ok(grids
        .filter(|grids| !grids.is_empty())
        .unwrap_or_else(|| vec![level.grid]))
}

/// How many chunks a level has, if its grid is wrong: as many as with which sections follow the directory
/// up to the end of the level, which is after so many bytes. None where the grid is right, or where no such
/// number is.
fn mended_chunk_count(directory: &[u8], size: u64, grid: [u32; 3]) -> Option<u64> {
    let chunks = grid.iter().map(|count| u64::from(*count)).product();
    if is_directory(directory, chunks) {
        return None;
    }
    let mut end = 0;
    let mut chunks = 0;
    for sizes in directory.as_chunks::<DIRECTORY_BYTES>().0 {
        let [packed, _] = sizes.as_chunks::<12>().0 else {
            break;
        };
        let packed = packed.as_chunks().0.iter().copied();
        let packed = packed.map(|size| u64::from(u32::from_le_bytes(size)));
        end += DIRECTORY_BYTES as u64 + packed.sum::<u64>();
        chunks += 1;
        if end > size {
            break;
        }
        if end == size && is_directory(directory, chunks) {
            return Some(chunks);
        }
    }
    None
}

/// All grids of so many chunks that a level can have, the most like another one first.
fn grids_of(chunks: u64, like: [u32; 3]) -> Vec<[u32; 3]> {
    let mut grids = Vec::new();
    for y in (1..=1_u64 << 8).filter(|y| chunks.is_multiple_of(*y)) {
        let layer = chunks / y;
        for x in (1..=1_u64 << 12).filter(|x| layer.is_multiple_of(*x)) {
            if layer / x <= 1 << 12 {
                grids.push([y, x, layer / x].map(|count| count as u32));
            }
        }
    }
    grids.sort_by_key(|grid| {
        let counts = grid.iter().zip(like);
        let others = counts.clone().filter(|(count, was)| *count != was);
        let apart = counts.map(|(count, was)| count.abs_diff(was));
        (others.count(), apart.sum::<u32>())
    });
    grids
}

/// A grid as messages have it: `1 by 2 by 3`.
fn in_words([y, x, z]: [u32; 3]) -> String {
    format!("{y} by {x} by {z}")
}

/// Gives chunks, which are in file order, their places in a grid.
fn place_chunks(chunks: &mut [Chunk], [_, x, z]: [u32; 3]) {
    for (chunk, i) in chunks.iter_mut().zip(0..) {
        chunk.index = ChunkIndex::new([i / (x * z), i / z % x, i % z]);
    }
}

/// The sizes of a chunk that the faces of its whole cubes show, as exponents: each lies in a side of its
/// cube. None for a face that shows none.
fn shown_exponents(data: &ChunkData) -> impl Iterator<Item = Option<u8>> {
    let vertices = data
        .client
        .as_ref()
        .map_or(&[][..], |client| &client.vertices);
    let cells = data.cubes.cells(1.0).take(CELLS_FOR_SIZE);
    cells.flat_map(move |cell| {
        let geometry = match data.cubes.get(cell.cube) {
            Some(Cube::Geometry(geometry)) if geometry.moved == 0 => Some(geometry),
            _ => None,
        };
        let faces = geometry.into_iter().flat_map(Geometry::faces);
        faces.filter_map(move |face| {
            let axis = face.side % 3;
            let out = if face.side < 3 { cell.half } else { -cell.half };
            let side = cell.center.get(axis)? + out;
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let at = |vertex: &Vertex| vertex.position.get(axis).copied().unwrap_or(f32::NAN);
            let mut at = vertices.get(range)?.iter().map(at);
            let first = at.next()?;
            // The middle of a chunk is there whatever its size.
            (side != 0.0).then(|| {
                let exponent = 1.0 + (first / side).log2();
                let is_size = at.all(|at| at == first) && exponent.fract() == 0.0;
                let is_size = is_size && (0.0..=f32::from(LARGEST_CHUNK)).contains(&exponent);
                is_size.then_some(exponent as u8)
            })
        })
    })
}

/// Whether bytes may begin with the directory of so many chunks: the first section follows it.
fn is_directory(bytes: &[u8], chunks: u64) -> bool {
    let len = chunks.saturating_mul(DIRECTORY_BYTES as u64);
    let directory = usize::try_from(len)
        .ok()
        .and_then(|len| bytes.split_at_checked(len));
    directory.is_some_and(|(sizes, sections)| {
        let are_empty = sizes.iter().all(|byte| *byte == 0);
        are_empty || sections.len() < 4 || lz4::begins(sections)
    })
}

/// Whether bytes are entities and nothing else.
fn are_entities(bytes: &[u8], strings: &StringTable) -> bool {
    are_entities_of(&mut in_file(bytes), strings)
}

/// The same of what a cursor has left.
fn are_entities_of(cursor: &mut Cursor<'_>, strings: &StringTable) -> bool {
    let read = Entities::read(cursor, strings, &mut Problems::new());
    read.is_ok_and(|entities| entities.opaque().is_none()) && cursor.left() == 0
}

/// Reads three packed sizes and what they decode to. Where the sections begin is not known yet.
fn read_frames(cursor: &mut Cursor<'_>) -> Result<[Frame; 3], ReadError> {
    let mut frames = [Frame::default(); 3];
    for frame in &mut frames {
        frame.packed = cursor.u32()?;
    }
    for frame in &mut frames {
        frame.unpacked = cursor.u32()?;
    }
    Ok(frames)
}

/// Decodes and reads the sections of a chunk, of which `admitted` says why they may not be decoded.
fn unpack_chunk(
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

/// Whether a problem is one of a frame or its sizes.
fn is_of_frame(problem: &Problem) -> bool {
    [&rules::LZ4, &rules::SECTION_SIZE].contains(&problem.rule)
}

/// Whether a problem is that the creation time is absurd.
fn is_time(problem: &Problem) -> bool {
    problem.rule == &rules::CREATION_TIME
}

/// Whether a rule is broken by what is only not whole.
fn is_of_cut(rule: &Rule) -> bool {
    [&rules::TRUNCATED, &rules::STRING, &rules::ENTITIES].contains(&rule)
}
