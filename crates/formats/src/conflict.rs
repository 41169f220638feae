//! Unresolved merge conflicts in a text: two versions of some lines between lines of `<<<<<<<`, `=======`
//! and `>>>>>>>`, as Git writes them.
//!
//! A reader would say of each of these lines, and of each line that is there twice, that it is not what is
//! expected. Such a text is read again with the first version of each alone.

use std::borrow::Cow;
use std::ops::Range;

use crate::problems::Problems;
use crate::{Place, Problem, ReadError, Rule, Subject, quoted};

/// What begins the lines of a conflict: before the first version, before what both come from (which most
/// conflicts lack), before the second version, and behind it.
const OURS: &[u8] = b"<<<<<<<";
const BASE: &[u8] = b"|||||||";
const THEIRS: &[u8] = b"=======";
const END: &[u8] = b">>>>>>>";

/// A conflict, by the lines of it, from 1.
#[derive(Debug, Default)]
struct Conflict<'a> {
    /// With what Git calls the first version, such as `HEAD`.
    ours: (u64, &'a [u8]),
    /// Of the line behind the first version, and where that begins.
    rest: Option<(u64, usize)>,
    /// Of `=======`.
    theirs: Option<u64>,
    /// With what Git calls the second version, such as a branch.
    end: (u64, &'a [u8]),
}

/// Whether a text has any.
#[cfg(any(feature = "pfmap", feature = "pfobj", feature = "pfscene"))]
pub(crate) fn is_in(bytes: &[u8]) -> bool {
    !without_conflicts(bytes).1.is_empty()
}

/// Reads a text with the first version of each conflict, which breaks the rule, and without the others.
///
/// # Errors
/// As `read` of the text as it is.
pub(crate) fn read<T>(
    bytes: &[u8],
    rule: &'static Rule,
    mut read: impl FnMut(&[u8]) -> Result<T, ReadError>,
    problems_of: fn(&mut T) -> &mut Vec<Problem>,
) -> Result<T, ReadError> {
    let (text, conflicts) = without_conflicts(bytes);
    if conflicts.is_empty() {
        return read(bytes);
    }
    let mut read = match read(&text) {
        Ok(read) => read,
        Err(ReadError::Unreadable(_)) => return read(bytes),
        Err(cancelled) => return Err(cancelled),
    };
    let problems = problems_of(&mut read);
    // Lines that are blank now are no problem of the file.
    problems.retain(|problem| {
        let line = problem.place.line_number().unwrap_or_default();
        let at = conflicts.partition_point(|conflict| conflict.end.0 < line);
        let rest = conflicts
            .get(at)
            .and_then(|it| Some((it.ours.0, it.rest?.0)));
        rest.is_none_or(|(ours, rest)| line < rest && line != ours)
    });
    let mut of_conflicts = Problems::new();
    for conflict in conflicts {
        let place = Place::line(conflict.ours.0);
        of_conflicts.add_about(rule, Subject::File, place, || {
            let [ours, theirs] = [conflict.ours.1, conflict.end.1].map(quoted);
            let (middle, end) = (conflict.theirs.unwrap_or_default(), conflict.end.0);
            format!(
                "an unresolved merge conflict between {ours}, up to line {middle}, and {theirs}, up to line \
                 {end}; the first is read; left out: the second"
            )
        });
    }
    problems.extend(of_conflicts.finish());
    problems.sort_by_key(|problem| problem.place);
    Ok(read)
}

/// A text with spaces in place of its conflicts, but for the first version of each, so that all else stays
/// where it is; and these conflicts.
fn without_conflicts(bytes: &[u8]) -> (Cow<'_, [u8]>, Vec<Conflict<'_>>) {
    let mut conflicts = Vec::new();
    let mut text = Cow::Borrowed(bytes);
    // The conflict that is not at its end, and where its first line is.
    let mut open: Option<(Conflict<'_>, Range<usize>)> = None;
    let mut start = 0;
    for (line, number) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let end = start + line.len();
        let name_after = |marker: &[u8]| {
            let name = line.trim_ascii_end().strip_prefix(marker)?;
            (name.is_empty() || name.starts_with(b" ")).then(|| name.trim_ascii_start())
        };
        if let Some(name) = name_after(OURS) {
            let ours = (number, name);
            let conflict = Conflict {
                ours,
                ..Conflict::default()
            };
            open = Some((conflict, start..end));
        } else if let Some((conflict, _)) = &mut open {
            if name_after(BASE).is_some() && conflict.theirs.is_none() {
                conflict.rest.get_or_insert((number, start));
            } else if name_after(THEIRS).is_some() {
                conflict.theirs.get_or_insert(number);
                conflict.rest.get_or_insert((number, start));
            }
        }
        let is_end = open
            .as_ref()
            .is_some_and(|(conflict, _)| conflict.theirs.is_some());
        if let Some(name) = name_after(END).filter(|_| is_end)
            && let Some((mut conflict, marker)) = open.take()
        {
            conflict.end = (number, name);
            let rest = conflict.rest.map_or(end, |(_, start)| start);
            for part in [marker, rest..end] {
                let part = text.to_mut().get_mut(part).unwrap_or_default();
                let chars = part.iter_mut().filter(|byte| !byte.is_ascii_control());
                chars.for_each(|byte| *byte = b' ');
            }
            conflicts.push(conflict);
        }
        start = end;
    }
    (text, conflicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< HEAD\nb 1\n=======\nb 2\nc\n>>>>>>> other\nd\n";

    #[test]
    fn the_first_version_stays_where_it_is() {
        let found = |text: &str| {
            let (read, conflicts) = without_conflicts(text.as_bytes());
            (
                String::from_utf8(read.into_owned()).unwrap(),
                conflicts.len(),
            )
        };
        let expected = "a\n            \nb 1\n       \n   \n \n             \nd\n";
        assert_eq!(found(TEXT), (expected.to_owned(), 1));
        // With what both come from, and with other line ends.
        let text = "<<<<<<<\r\nb\r\n||||||| base\r\nc\r\n=======\r\n>>>>>>>\r\n";
        let (read, count) = found(text);
        assert_eq!((read.trim(), read.len(), count), ("b", text.len(), 1));
        // What only begins like one, or does not end, is none.
        for text in [
            "a\n=======\nb\n>>>>>>> c\n",
            "<<<<<<< a\n=======\n",
            "<<<<<<<< a\n=======\n>>>>>>>> b\n",
            "<<<<<<< a\n>>>>>>> b\n",
        ] {
            assert_eq!(found(text).1, 0, "{text}");
        }
        assert_eq!(found(&TEXT.repeat(3)).1, 3);
    }

    static CONFLICT: Rule = Rule {
        id: "test/conflict",
        severity: crate::Severity::Error,
        leaves_out: true,
        summary: "There are two versions.",
    };
    static ODD: Rule = Rule {
        id: "test/odd",
        ..CONFLICT
    };

    #[test]
    fn a_conflict_is_the_one_problem_of_its_lines() {
        // Each line without words is a problem, and each `d`.
        let read_lines = |bytes: &[u8]| {
            let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
            let odd = lines.filter(|(line, _)| matches!(line.trim_ascii(), b"" | b"d"));
            let problem = |line| Problem::new(&ODD, Subject::File, Place::line(line), "odd");
            Ok(odd.map(|(_, line)| problem(line)).collect::<Vec<_>>())
        };
        let text = TEXT.trim_end();
        let problems = read(text.as_bytes(), &CONFLICT, read_lines, |it| it).unwrap();
        let said: Vec<_> = problems.iter().map(Problem::to_string).collect();
        let expected = "2:1: error: an unresolved merge conflict between `HEAD`, up to line 4, and `other`, \
                        up to line 7; the first is read; left out: the second";
        assert_eq!(said, [expected, "8:1: error: odd"]);
    }
}
