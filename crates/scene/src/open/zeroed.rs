//! Blocks of zero bytes: what was not written when a disk failed, or not downloaded.
//!
//! All that is wrong in such a block has one cause.

use std::ops::Range;

use super::rules::ZEROED;
use mapscope_formats::{Place, Problem, Severity, Subject, counted};

/// How long a run of zero bytes is at least, so that it is no part of what was saved: in a file that may have
/// some, and in a text, which has none.
const MIN_BYTES: usize = 256;
const MIN_BYTES_OF_TEXT: usize = 16;
/// How many runs are looked at.
const MAX_BLOCKS: usize = 64;
/// The rules of lists with fewer lines than their count says, which shows where the list ends.
const SHORT_LISTS: [&str; 3] = ["pfobj/count", "pfobj/frame-count", PFSCENE_COUNT];
/// Of which that of entities is said where the count stands.
const PFSCENE_COUNT: &str = "pfscene/count";
/// The warning of a text that there is a zero byte.
const NUL_BYTE: &str = "pfscene/nul-byte";

/// A block of zero bytes.
struct Block {
    bytes: Range<u64>,
    /// Where it begins in a text.
    line: u64,
    column: u64,
    /// The end of a text whose lines all end, where what is missing is said.
    end: Option<Place>,
    /// The frames that have bytes in it; none of a file without frames, of which zero bytes may be
    /// what was saved.
    frames: Option<Vec<Range<u64>>>,
}

/// Lets what is wrong with a text or with compressed frames, and lies in a block of zero bytes, follow from
/// that. `frames` are the frames of the file.
pub(super) fn fold(
    bytes: &[u8],
    frames: impl Fn() -> Vec<Range<u64>>,
    problems: &mut Vec<Problem>,
) {
    // Most files have no such block.
    let mut all_frames = None;
    let is_in_text = |problem: &Problem| matches!(problem.place, Place::Text { .. });
    let min = if problems.iter().any(is_in_text) {
        MIN_BYTES_OF_TEXT
    } else {
        MIN_BYTES
    };
    for block in runs(bytes, min).take(MAX_BLOCKS) {
        let frames = all_frames.get_or_insert_with(&frames);
        let block = Block::new(bytes, block, frames);
        // In a text they are wrong whatever the engine makes of them.
        let is_wrong = |problem: &Problem| {
            let is_error = problem.severity == Severity::Error || is_in_text(problem);
            is_error && block.reaches(problem.place)
        };
        let Some(first) = problems.iter().find(|problem| is_wrong(problem)) else {
            continue;
        };
        let mut cause = block.problem(first.place);
        let is_short = |problem: &&Problem| SHORT_LISTS.contains(&problem.rule.id);
        let mut short_lists = problems
            .iter()
            .filter(is_short)
            .map(|problem| problem.place);
        let list_end = short_lists.find(|place| *place > cause.place);
        let is_count =
            |problem: &&Problem| problem.rule.id == PFSCENE_COUNT && problem.place < cause.place;
        let count = problems.iter().rfind(is_count).map(|count| count.place);
        let follows = |place| block.reaches(place) || [list_end, count].contains(&Some(place));
        for problem in problems.extract_if(.., |problem| follows(problem.place)) {
            cause.add_consequence(problem);
        }
        let index = problems.partition_point(|problem| problem.place < cause.place);
        problems.insert(index, cause);
    }
}

/// The same of a text without errors.
pub(super) fn fold_mild(bytes: &[u8], problems: &mut Vec<Problem>) {
    if problems.iter().any(|problem| problem.rule.id == NUL_BYTE) {
        fold(bytes, Vec::new, problems);
    }
}

/// Lets what was found later, and is on the line of a block of zero bytes in a text, follow from that, and
/// sorts all by their places.
pub(crate) fn fold_later(problems: &mut Vec<Problem>) {
    let line = |place: Place| match place {
        Place::Text { line, .. } => Some(line),
        Place::Offset(_) => None,
    };
    let is_block = |problem: &mut Problem| *problem.rule == ZEROED;
    let mut blocks: Vec<Problem> = problems.extract_if(.., is_block).collect();
    for block in &mut blocks {
        let of = line(block.place);
        let follows = |problem: &mut Problem| of.is_some() && line(problem.place) == of;
        for problem in problems.extract_if(.., follows) {
            block.add_consequence(problem);
        }
    }
    problems.extend(blocks);
    problems.sort_by_key(|problem| problem.place);
}

/// The runs of zero bytes that are as long as this at least.
fn runs(bytes: &[u8], min: usize) -> impl Iterator<Item = Range<usize>> {
    let is_zero = |byte: &&u8| **byte == 0;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let (before, behind) = bytes.split_at(at);
            let start = at - before.iter().rev().take_while(is_zero).count();
            let end = at + behind.iter().take_while(is_zero).count();
            // No long run is between two bytes that are this far apart.
            at = end + min;
            if end - start >= min {
                return Some(start..end);
            }
        }
        None
    })
}

impl Block {
    fn new(file: &[u8], run: Range<usize>, all_frames: &[Range<u64>]) -> Self {
        let lines_before = |end: usize| memchr::memchr_iter(b'\n', &file[..end]).count() as u64;
        let line_start = memchr::memrchr(b'\n', &file[..run.start]).map_or(0, |at| at + 1);
        let bytes = run.start as u64..run.end as u64;
        let is_in = |frame: &&Range<u64>| frame.start < bytes.end && bytes.start < frame.end;
        let frames = all_frames.iter().filter(is_in).cloned().collect();
        Self {
            line: lines_before(run.start) + 1,
            column: (run.start - line_start) as u64 + 1,
            end: file
                .ends_with(b"\n")
                .then(|| Place::line(lines_before(file.len()) + 1)),
            frames: (!all_frames.is_empty()).then_some(frames),
            bytes,
        }
    }

    /// Whether something at a place follows from it.
    fn reaches(&self, place: Place) -> bool {
        match place {
            // What follows it on its line is behind what stood there, and so is the next line.
            Place::Text { line, .. } => {
                (self.line..=self.line + 1).contains(&line) || self.end == Some(place)
            }
            // Where a frame is broken is said by its end too.
            Place::Offset(offset) => self.frames.as_ref().is_some_and(|frames| {
                let is_in = |frame: &Range<u64>| (frame.start..=frame.end).contains(&offset);
                self.bytes.contains(&offset) || frames.iter().any(is_in)
            }),
        }
    }

    /// That it is there; `place` is that of something that follows.
    fn problem(&self, place: Place) -> Problem {
        let place = match place {
            Place::Text { .. } => Place::Text {
                line: self.line,
                column: self.column,
            },
            Place::Offset(_) => Place::Offset(self.bytes.start),
        };
        let count = counted((self.bytes.end - self.bytes.start) as usize, "byte");
        let message = format!(
            "{count} from here on are zero, as a disk that failed or a download that was cut off leaves \
             them; what stood there is lost"
        );
        Problem::new(&ZEROED, Subject::File, place, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_found_wherever_they_are() {
        for start in [0, 1, 255, 256, 257, 700] {
            for len in [255, 256, 257, 600] {
                for behind in [0, 1, 300] {
                    let bytes = [vec![1; start], vec![0; len], vec![2; behind]].concat();
                    let expected = (len >= MIN_BYTES).then_some(start..start + len);
                    assert!(runs(&bytes, MIN_BYTES).eq(expected));
                }
            }
        }
        let bytes = [
            vec![0; 256],
            vec![1],
            vec![0; 256],
            vec![1; 9],
            vec![0; 900],
        ]
        .concat();
        assert!(runs(&bytes, MIN_BYTES).eq([0..256, 257..513, 522..1422]));
    }
}
