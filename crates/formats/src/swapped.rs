//! Two lines of a text in each other's place.

use crate::cursor::{first_words, is_separator, text_place};
use crate::{Place, Problem, ReadError, Rule, quoted};

/// Two lines in each other's place give no more problems.
const MAX_PROBLEMS: usize = 16;
/// How many pairs of lines are tried.
const MAX_TRIES: usize = 6;

/// What a format says of lines that are in each other's place.
#[derive(Debug)]
pub(crate) struct SwapRules {
    /// Two lines are.
    pub swapped: &'static Rule,
    /// What lines out of place break: without any of it no lines are tried.
    pub signs: &'static [&'static Rule],
}

/// Reads a text. Where problems are gone when two lines next to each other are swapped, it is read so,
/// and says that of these two alone: otherwise whatever is between them would be lost.
///
/// # Errors
/// As `read` of the text as it is.
pub(crate) fn read<T>(
    bytes: &[u8],
    rules: &SwapRules,
    mut read: impl FnMut(&[u8]) -> Result<T, ReadError>,
    problems_of: fn(&mut T) -> &mut Vec<Problem>,
) -> Result<T, ReadError> {
    let mut found = read(bytes)?;
    let problems = std::mem::take(problems_of(&mut found));
    let all = || problems.iter().flat_map(Problem::with_consequences);
    let count = all().take(MAX_PROBLEMS + 1).count();
    let is_sign = |problem: &Problem| rules.signs.contains(&problem.rule);
    if (2..=MAX_PROBLEMS).contains(&count) && all().any(is_sign) {
        let lines = all().filter_map(|problem| match problem.place {
            Place::Text { line, .. } => Some([line, line.saturating_sub(1)]),
            Place::Offset(_) => None,
        });
        let mut lines: Vec<u64> = lines.flatten().collect();
        lines.sort_unstable();
        lines.dedup();
        let pairs = lines
            .into_iter()
            .filter_map(|line| Swapped::new(bytes, line));
        for swapped in pairs.take(MAX_TRIES) {
            let mut other = match read(&swapped.bytes) {
                Ok(other) => other,
                // With these lines swapped it is no such file any more.
                Err(ReadError::Unreadable(_)) => continue,
                Err(cancelled) => return Err(cancelled),
            };
            let left = problems_of(&mut other);
            let of_left = || left.iter().flat_map(Problem::with_consequences);
            let is_known = |left: &Problem| all().any(|it| it.message == left.message);
            if of_left().count() + 2 > count || !of_left().all(is_known) {
                continue;
            }
            if let Some(problem) = swap_problem(&problems, left, &swapped, rules.swapped) {
                let at = left.partition_point(|it| it.place < problem.place);
                left.insert(at, problem);
                return Ok(other);
            }
        }
    }
    *problems_of(&mut found) = problems;
    Ok(found)
}

/// What is said of two lines in each other's place: it has the subject of the first of the problems that
/// are gone when they are swapped.
fn swap_problem(
    problems: &[Problem],
    left: &[Problem],
    swapped: &Swapped<'_>,
    rule: &'static Rule,
) -> Option<Problem> {
    let is_left = |problem: &Problem| left.iter().any(|it| it.message == problem.message);
    let gone = || problems.iter().filter(|problem| !is_left(problem));
    let first = gone().min_by_key(|problem| problem.place)?;
    let [found, other] = swapped.keys.map(quoted);
    let message =
        format!("found {found} before {other}; expected these two lines the other way round");
    let mut problem = Problem::new(rule, first.subject, swapped.place, message);
    problem.severity = gone().map(|it| it.severity).max()?;
    Some(problem)
}

/// A text of which two lines are swapped.
struct Swapped<'a> {
    bytes: Vec<u8>,
    /// Of the first word of the first line.
    place: Place,
    /// The first words of both lines, in the order of the file.
    keys: [&'a [u8]; 2],
}

impl<'a> Swapped<'a> {
    /// Swaps a line, from 1, and the next one; none where there are no two lines that begin with
    /// different words.
    fn new(bytes: &'a [u8], line: u64) -> Option<Self> {
        let is_end = |byte: &(usize, &u8)| *byte.1 == b'\n';
        let ends = bytes.iter().enumerate().filter(is_end);
        let mut ends = ends.map(|(at, _)| at + 1);
        let start = match usize::try_from(line).ok()? {
            0 => return None,
            1 => 0,
            line => ends.nth(line - 2)?,
        };
        let middle = ends.next()?;
        let end = ends.next()?;
        let [first, second] = [&bytes[start..middle], &bytes[middle..end]];
        let keys = [first_words(first).next()?, first_words(second).next()?];
        let indent = first.iter().position(|byte| !is_separator(*byte))?;
        (keys[0] != keys[1]).then(|| Self {
            bytes: [&bytes[..start], second, first, &bytes[end..]].concat(),
            place: text_place((line, 1), indent),
            keys,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, Subject};

    static LINE: Rule = Rule {
        id: "test/line",
        severity: Severity::Error,
        leaves_out: true,
        summary: "A line is out of place.",
    };
    static RULES: SwapRules = SwapRules {
        swapped: &LINE,
        signs: &[&LINE],
    };

    fn problem(line: u64) -> Problem {
        let place = Place::Text { line, column: 1 };
        Problem::new(&LINE, Subject::File, place, format!("line {line}"))
    }

    #[test]
    fn a_file_stays_as_it_is_where_it_is_none_with_lines_swapped() {
        let read_lines = |bytes: &[u8]| match bytes {
            b"a\nb\n" => Ok(vec![problem(1), problem(2)]),
            _ => Err(ReadError::Unreadable(problem(1))),
        };
        let found = read(b"a\nb\n", &RULES, read_lines, |problems| problems).unwrap();
        assert_eq!(found, [problem(1), problem(2)]);
    }
}
