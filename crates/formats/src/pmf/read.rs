//! Reader of PMF: the parts of a file, its levels and their chunks (fact sheet A1 to A3, A13).
//!
//! Readable parts are kept, and unreadable parts are reported with the loss they cause. A corrupt
//! section costs only its own content. A wrong size costs nothing if the frames show where they
//! end. A file is rejected only if even its name is unreadable.

mod chunks;
mod frame;
mod front;
mod layout;
mod level;

use std::ops::{ControlFlow, Range};

use super::bytes::{Cursor, Part, Section, StringTable};
use super::chunk_codec::{add_section, read_entities};
use super::cube_codec::CubeBudget;
use super::entities::{Entities, MIN_BYTES};
use super::header::read_name;
use super::lz4::Budget;
use super::{Frame, Pmf, PmfError, rules};
use crate::paf::Archive;
use crate::{Cause, Place, Problem, Problems, ReadError, Rule, counted};
use front::leads_to_level;

/// Largest exponent of the chunk size.
const MAX_CHUNK_EXPONENT: u8 = 24;
/// Size of the directory entry of a chunk, in bytes.
const DIRECTORY_BYTES: usize = 24;
/// Maximum number of frames whose blocks are walked to find their end. Each may have as many blocks
/// as the file has bytes.
const MAX_WALKS: u32 = 1024;
/// Maximum distance in bytes between the end of the frames and the end by their sizes, when
/// searching for it.
const MAX_SHIFT_BYTES: u64 = 64;
/// Budget for decoding only to measure the decoded size: these bytes, plus this multiple of the
/// file size.
const MEASURED_BYTES: usize = 16 << 20;
const MEASURED_PER_FILE_BYTE: usize = 4;
/// Budget for comparing offsets with sizes: this number, plus this multiple of the file size.
const MAX_COMPARISONS: usize = 1 << 16;
const COMPARISONS_PER_FILE_BYTE: usize = 4;
/// Bytes of a level before its sections: flags and six sizes.
const LEVEL_HEAD_BYTES: usize = 25;
/// Bytes between the sections of a level and the directory: grid, size of chunks, centre.
const GRID_BYTES: usize = 9;

/// Reads a map.
///
/// Unreadable parts are in [`Pmf::problems`], each with the data that is lost. A chunk with
/// unreadable cubes has no [`data`](super::Chunk::data); an unreadable level has no chunks. Memory
/// use is bounded by the decoded size of the sections, which is bounded by the length of `bytes`.
///
/// # Errors
/// Returns an error if even the name of the map is unreadable.
pub fn read(bytes: &[u8]) -> Result<Pmf, PmfError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called now and then with the progress from 0 to 1
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`PmfError::Cancelled`] if the callback breaks.
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
    let times = |count: usize| bytes.len().saturating_mul(count);
    let mut reader = Reader {
        bytes,
        problems,
        budget: Budget::new(bytes.len()),
        cubes: CubeBudget::new(bytes.len()),
        walks_left: MAX_WALKS,
        measured_left: MEASURED_BYTES.saturating_add(times(MEASURED_PER_FILE_BYTE)),
        steps_left: MAX_COMPARISONS.saturating_add(times(COMPARISONS_PER_FILE_BYTE)),
        frame_starts: None,
        cut: None,
        damage: None,
        damages: Vec::new(),
        watch,
    };
    let read = reader.read_parts(&mut cursor, &mut map);
    reader.keep(read, "the rest of the file")?;
    map.problems = reader.problems.finish();
    Ok(map)
}

/// Reads only the archive of a map, which is empty if the map has none.
///
/// # Errors
/// Returns an error if the parts before it are unreadable.
pub fn read_archive(bytes: &[u8]) -> Result<Archive, PmfError> {
    let (mut cursor, mut problems) = (in_file(bytes), Problems::new());
    let mut header = read_name(&mut cursor, &mut problems)?;
    let archive = front::read_to_archive(&mut cursor, &mut problems, &mut header)?.1;
    Ok(archive.unwrap_or_default())
}

/// A cursor over the file, outside its levels.
fn in_file(bytes: &[u8]) -> Cursor<'_> {
    Cursor::new(bytes, FILE)
}

/// The file, outside its levels.
const FILE: Section = Section {
    part: Part::File,
    start: 0,
    is_packed: false,
};

struct Reader<'a, 'w> {
    bytes: &'a [u8],
    problems: Problems,
    budget: Budget,
    cubes: CubeBudget,
    /// Remaining number of frames whose blocks may be walked.
    walks_left: u32,
    /// Remaining number of bytes that may be decoded only to measure them.
    measured_left: usize,
    /// Remaining number of comparisons of offsets with sizes.
    steps_left: usize,
    /// File offsets of frames, if they were searched for.
    frame_starts: Option<Vec<u64>>,
    /// The problem that the file ends inside a level. Consequences of it have no place of their
    /// own.
    cut: Option<Cause>,
    /// The first problem of the current sizes; later ones follow from it.
    damage: Option<Cause>,
    /// Damaged ranges of the level, with their problems.
    damages: Vec<(Cause, Range<u64>)>,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
}

impl Reader<'_, '_> {
    /// Reports progress to the callback.
    fn report_progress(&mut self, offset: u64) -> Result<(), ReadError> {
        match (self.watch)(offset as f32 / self.bytes.len() as f32) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ReadError::Cancelled),
        }
    }

    /// Reports an error with the data that is lost.
    ///
    /// # Errors
    /// Fails only if the reading was cancelled.
    fn keep<T>(
        &mut self,
        read: Result<T, ReadError>,
        lost: impl std::fmt::Display,
    ) -> Result<Option<T>, ReadError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(ReadError::Cancelled) => Err(ReadError::Cancelled),
            Err(error) => {
                self.add(error.with_loss(lost));
                Ok(None)
            }
        }
    }

    /// Reports an error. Truncation errors follow from the end of the file.
    fn add(&mut self, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            let cause = self.cut.filter(|_| problem.rule == &rules::TRUNCATED);
            self.problems.push_consequence(cause, problem);
        }
    }

    /// Reports a problem with sizes or frames, and records the damaged range of the file if there
    /// is one.
    fn add_damage(&mut self, error: ReadError, range: Option<Range<u64>>) {
        if let ReadError::Unreadable(problem) = error {
            self.problems.push_consequence(self.damage, problem);
            self.damage = self.damage.or(self.problems.last());
            self.damages.extend(self.damage.zip(range));
        }
    }

    /// The cause of damage in a range of the file, if it is known.
    fn damage_in(&self, range: Range<u64>) -> Option<Cause> {
        let mut damages = self.damages.iter();
        let found = damages.find(|(_, damaged)| {
            let overlaps = range.start < damaged.end && damaged.start < range.end;
            let here = range.start..=range.end;
            overlaps || (damaged.is_empty() && here.contains(&damaged.start))
        });
        found.map(|(cause, _)| *cause)
    }

    /// Decodes as much of a section as possible. Also returns the reason if it is incomplete. If
    /// only its declared size is wrong, it is complete.
    fn unpack_partial(
        &mut self,
        frame: &mut Frame,
        part: Part,
        sizes_at: u64,
    ) -> Result<(Vec<u8>, Option<ReadError>), ReadError> {
        let mut begun = self
            .admit(*frame, part, sizes_at)
            .and_then(|()| frame.unpack_partial(self.bytes, part));
        if !matches!(begun, Ok((_, None))) && self.correct_unpacked_size(frame, part, sizes_at) {
            begun = frame.unpack_partial(self.bytes, part);
        }
        let (bytes, why) = begun?;
        let why = why.map(|why| frame.losing_end(why, &bytes));
        Ok((bytes, why))
    }

    /// Reads the rest of the file after the time in the header. If the list of levels is unreadable
    /// or invalid, the levels are searched for.
    fn read_parts(&mut self, cursor: &mut Cursor<'_>, map: &mut Pmf) -> Result<(), ReadError> {
        let from = cursor.pos();
        let front = self.read_front(cursor, map);
        let front = self.keep(
            front,
            "the rest of the file, except for levels that can be found",
        )?;
        let cause = self.problems.last().filter(|_| front.is_none());
        let is_listed = front.is_some();
        let mut sizes = front.unwrap_or_default();
        let mut sizes_at = cursor.pos() - 4 * sizes.len();
        if !is_listed || !leads_to_level(cursor, &sizes) {
            match self.find_levels(cursor, from, is_listed) {
                Some(found) => (sizes_at, sizes) = (cursor.pos(), found),
                None if !is_listed => {
                    map.entities = Entities::unread();
                    return Ok(());
                }
                None => {}
            }
        }
        while map.levels.len() < sizes.len() {
            self.read_level(cursor, (&sizes, sizes_at), map)?;
        }
        self.read_entities(cursor, map, cause)
    }

    /// Reads the entities at the end of the file. `cause` is the reason if their strings may be
    /// missing.
    fn read_entities(
        &mut self,
        cursor: &mut Cursor<'_>,
        map: &mut Pmf,
        cause: Option<Cause>,
    ) -> Result<(), ReadError> {
        cursor.enter("entity tables", None);
        if cursor.left() < MIN_BYTES {
            let found = format!("{} left", counted(cursor.left(), "byte"));
            let expected = "at least 20 for entities";
            let error = cursor.fault(&rules::TRUNCATED, cursor.pos(), found, expected);
            self.keep::<()>(Err(error), "the entities of the map")?;
            map.entities = Entities::unread();
            return Ok(());
        }
        let mut found = Problems::new();
        map.entities = read_entities(cursor, &map.strings, &mut found, &rules::MAP_ENTITIES);
        let is_astray = map.entities.opaque().is_some() || map.entities.is_incomplete();
        let damage = self.damages.first().filter(|_| is_astray);
        let cause = cause.or(damage.map(|(cause, _)| *cause));
        add_section(&mut self.problems, found, cause, None);
        Ok(())
    }
}

/// The error for an unreadable part of the map.
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
