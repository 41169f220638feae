//! Reading PMF: the parts of a file, its levels and their chunks (fact sheet A1 to A3, A13).
//!
//! What can be read is there, and what cannot is listed with what is lost for it: a section that is
//! broken costs what is in it, a size that lies nothing where frames say themselves where they end.
//! Only a file of which not even the name can be read is refused.

mod chunks;
mod frame;
mod front;
mod grid;
mod layout;
mod level;
mod shift;

use std::ops::{ControlFlow, Range};

use super::bytes::{Cursor, Part, Section, StringTable};
use super::chunk_codec::read_entities;
use super::cube_codec::CubeAllowance;
use super::entities::{Entities, MIN_BYTES, Tries};
use super::header::read_name;
use super::lz4::Budget;
use super::mend::{
    Counts, Mended, Patience, first_sign, fold_astray, is_right, may_be_astray, mend,
};
use super::{Frame, Pmf, PmfError, rules};
use crate::{Cause, Place, Problem, Problems, ReadError, Rule, Severity, counted};
use layout::{has_sections, is_level, near};
use shift::FrameStarts;

/// The largest exponent of the size of chunks.
const LARGEST_CHUNK: u8 = 24;
/// What reading a section again costs beside what is read of it, in bytes.
const TRY_COST: usize = 1 << 8;
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
/// cubes cannot be read has no [`data`](super::Chunk::data); a level of which nothing can be read
/// has no chunks. The memory in use is bounded by what the compressed sections decode to, and that
/// by the length of `bytes`.
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

/// The bytes of a file from an offset on.
fn bytes_from(file: &[u8], offset: u64) -> &[u8] {
    let offset = usize::try_from(offset).ok();
    let bytes = offset.and_then(|offset| file.get(offset..));
    bytes.unwrap_or_default()
}

/// Whether a problem is one of a frame or its sizes.
fn is_of_frame(problem: &Problem) -> bool {
    [&rules::LZ4, &rules::SECTION_SIZE].contains(&problem.rule)
}

/// Whether a problem is that the creation time is absurd.
fn is_time(problem: &Problem) -> bool {
    problem.rule == &rules::CREATION_TIME
}
