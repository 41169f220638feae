//! Reader of P3M: the header, and the choice between the two layouts (fact sheet P7).

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::bytes::{Cursor, File};
use super::decode::{Reading, decode};
use super::{Layout, P3m, P3mError, check, rules};
use crate::{Place, Problem, Problems, ReadError, Subject, quoted};

/// The bytes before the version.
const MAGIC: &[u8; 3] = b"P3M";
/// Number of bytes before the sections: magic, version and flags.
pub(super) const HEADER_BYTES: usize = 5;
/// The flag of a part that exists only in layout B.
const NORMALS_OF_B: u8 = 0x02;

/// `true` if a file that begins with these bytes is a P3M file.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a model.
///
/// The layout is recognised by its content. A file of version 1 has only its layout and a problem.
/// Whatever precedes a truncation is kept, without names, which are at the end of the file. Memory
/// use is bounded by the length of `bytes`.
///
/// # Errors
/// Returns an error if the header is missing or of another format or version.
pub fn read(bytes: &[u8]) -> Result<P3m, P3mError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called now and then with the progress from 0 to 1
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`P3mError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<P3m, P3mError> {
    let flags = read_header(bytes)?;
    if let Some(model) = old_model(bytes, flags) {
        return Ok(model);
    }
    let mut parse = |layout, from: f32| {
        let mut watch = |progress: f32| watch(from + progress / 2.0);
        decode(bytes, P3m::empty(layout, flags), &mut watch)
    };
    let reading = if is_certainly_b(bytes) {
        parse(Layout::B, 0.0)?
    } else {
        let a = parse(Layout::A, 0.0)?;
        if a.is_whole() {
            a
        } else {
            let b = parse(Layout::B, 0.5)?;
            if rank(&b) > rank(&a) { b } else { a }
        }
    };
    let is_complete = reading.is_complete;
    let (mut model, mut problems) = (reading.model, reading.problems);
    let mut notes = Problems::new();
    check::lint(&model, is_complete, &mut problems, &mut notes);
    model.problems = problems.finish();
    model.notes = notes.finish();
    Ok(model)
}

/// Reads magic, version and flags, and returns the flags.
fn read_header(bytes: &[u8]) -> Result<u8, ReadError> {
    let mut cursor = Cursor::new(bytes, File);
    let magic = cursor.field("magic").bytes(MAGIC.len())?;
    if magic != MAGIC {
        let found = format_args!("begins with {}", quoted(magic));
        return Err(cursor.fault(&rules::MAGIC, 0, found, "`P3M`"));
    }
    let version = cursor.field("version").u8()?;
    if version != 0 {
        let found = format_args!("version {version}");
        return Err(cursor.fault(&rules::VERSION, MAGIC.len(), found, "version 0"));
    }
    cursor.field("flags").u8()
}

/// A model of version 1, without any content. Its flags are the first number of its version.
fn old_model(bytes: &[u8], flags: u8) -> Option<P3m> {
    let (layout, version) = match (flags, bytes.get(HEADER_BYTES)?) {
        (1, 0) => (Layout::V1_0, "1.0"),
        (1, 1) => (Layout::V1_1, "1.1"),
        _ => return None,
    };
    let message = format!(
        "version {version}, which the engine has not read since November 2024; expected version 0"
    );
    let place = Place::Offset(HEADER_BYTES as u64 - 1);
    let problem = Problem::new(&rules::OLD_LAYOUT, Subject::File, place, message);
    Some(P3m {
        problems: vec![problem],
        ..P3m::empty(layout, 0)
    })
}

/// `true` if the first part has a flag that exists only in layout B. The place of later parts
/// depends on the layout.
fn is_certainly_b(bytes: &[u8]) -> bool {
    let count = bytes.get(HEADER_BYTES).copied().unwrap_or(0);
    let mask_bytes = usize::from(count).div_ceil(8);
    let flags = bytes.get(HEADER_BYTES + 1 + mask_bytes);
    count > 0 && flags.is_some_and(|flags| flags & NORMALS_OF_B != 0)
}

/// The order of preference of readings: those that reach the strings come first, by the number of
/// their problems. Of truncated ones, that with the later first problem comes first.
fn rank(reading: &Reading) -> (bool, Reverse<u64>, Option<Place>) {
    let problems = if reading.is_complete {
        reading.problems.count()
    } else {
        0
    };
    let first = reading.problems.first_place();
    (reading.is_complete, Reverse(problems), first)
}
