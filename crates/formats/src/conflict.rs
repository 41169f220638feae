//! Unresolved merge conflicts in a text: two versions of some lines between lines of `<<<<<<<`,
//! `=======` and `>>>>>>>`, as Git writes them.
//!
//! If the plain reading reports a problem on a marker line, the text is read again with one version
//! of each conflict: the first, unless the second has fewer errors. Markers inside a string or a
//! comment are not a conflict: the plain reading reports no problem there.

use std::collections::HashSet;
use std::ops::Range;

use crate::problems::{Problems, count_errors};
use crate::{Message, Place, Problem, ReadError, Rule, Subject, quoted};

/// Line prefixes of a conflict: before the first version, before the common base (missing in most
/// conflicts), before the second version, and at the end.
const OURS: &[u8] = b"<<<<<<<";
const BASE: &[u8] = b"|||||||";
const THEIRS: &[u8] = b"=======";
const END: &[u8] = b">>>>>>>";

/// The marker lines of a conflict.
#[derive(Debug, Default)]
struct Conflict<'a> {
    /// `<<<<<<<` with Git's label of the first version, such as `HEAD`.
    ours: Marker<'a>,
    /// The line after the first version.
    rest: Option<Marker<'a>>,
    /// `=======`.
    theirs: Option<Marker<'a>>,
    /// `>>>>>>>` with Git's label of the second version, such as a branch.
    end: Marker<'a>,
}

/// A marker line: its number from 1, its byte range and its label.
#[derive(Debug, Clone, Default)]
struct Marker<'a> {
    line: u64,
    bytes: Range<usize>,
    name: &'a [u8],
}

/// The version that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    First,
    Second,
}

impl Conflict<'_> {
    /// Returns the two markers around a version.
    fn version(&self, version: Version) -> [&Marker<'_>; 2] {
        match version {
            Version::First => [&self.ours, self.rest.as_ref().unwrap_or(&self.end)],
            Version::Second => [self.theirs.as_ref().unwrap_or(&self.ours), &self.end],
        }
    }

    /// Returns the byte ranges of the conflict before and after a version.
    fn others(&self, version: Version) -> [Range<usize>; 2] {
        let [before, behind] = self.version(version);
        [
            self.ours.bytes.start..before.bytes.end,
            behind.bytes.start..self.end.bytes.end,
        ]
    }
}

/// Reads a text, with one version of each conflict for which the plain reading reports a problem.
///
/// # Errors
/// Same as `read` of the unchanged text.
pub(crate) fn read<T>(
    bytes: &[u8],
    rule: &'static Rule,
    mut read: impl FnMut(&[u8]) -> Result<T, ReadError>,
    problems_of: fn(&mut T) -> &mut Vec<Problem>,
) -> Result<T, ReadError> {
    let mut plain = read(bytes);
    if plain
        .as_mut()
        .is_ok_and(|found| problems_of(found).is_empty())
    {
        return plain;
    }
    let mut conflicts = conflicts_in(bytes);
    let problems = match &mut plain {
        Ok(found) => problems_of(found).as_slice(),
        Err(error) => error
            .problem()
            .map(std::slice::from_ref)
            .unwrap_or_default(),
    };
    let all = problems.iter().flat_map(Problem::with_consequences);
    let lines: HashSet<u64> = all.filter_map(|it| it.place.line_number()).collect();
    conflicts.retain(|conflict| {
        let mut markers = [
            Some(&conflict.ours),
            conflict.theirs.as_ref(),
            Some(&conflict.end),
        ]
        .into_iter()
        .flatten();
        markers.any(|marker| lines.contains(&marker.line))
    });
    if conflicts.is_empty() {
        return plain;
    }
    let mut best: Option<(usize, Version, T)> = None;
    for version in [Version::First, Version::Second] {
        let mut found = match read(&with_version(bytes, &conflicts, version)) {
            Ok(found) => found,
            Err(ReadError::Unreadable(_)) => continue,
            Err(cancelled) => return Err(cancelled),
        };
        let problems = problems_of(&mut found);
        // Lines that are blanked here are not problems of the file.
        problems.retain(|problem| {
            let line = problem.place.line_number().unwrap_or_default();
            let at = conflicts.partition_point(|conflict| conflict.end.line < line);
            conflicts.get(at).is_none_or(|conflict| {
                let [before, behind] = conflict.version(version);
                line < conflict.ours.line || (before.line + 1..behind.line).contains(&line)
            })
        });
        let errors = count_errors(problems);
        if best.as_ref().is_none_or(|(fewest, ..)| errors < *fewest) {
            best = Some((errors, version, found));
        }
        if errors == 0 {
            break;
        }
    }
    let Some((_, version, mut found)) = best else {
        return plain;
    };
    let is_left_out = match version {
        Version::First => "second",
        Version::Second => "first",
    };
    let mut of_conflicts = Problems::new();
    for conflict in conflicts {
        let place = Place::line(conflict.ours.line);
        of_conflicts.add_about(rule, Subject::File, place, || {
            let [ours, theirs] = [conflict.ours.name, conflict.end.name].map(quoted);
            let middle = conflict.theirs.as_ref().map_or(0, |theirs| theirs.line);
            let end = conflict.end.line;
            let found = format!(
                "unresolved merge conflict between {ours} (to line {middle}) and {theirs} (to line {end})"
            );
            Message::left_out(found, format_args!("the {is_left_out} side"))
        });
    }
    let problems = problems_of(&mut found);
    problems.extend(of_conflicts.finish());
    problems.sort_by_key(|problem| problem.place);
    Ok(found)
}

/// Replaces the conflicts of a text by spaces, except one version of each, so that all offsets stay
/// the same.
fn with_version(bytes: &[u8], conflicts: &[Conflict<'_>], version: Version) -> Vec<u8> {
    let mut text = bytes.to_vec();
    for part in conflicts.iter().flat_map(|it| it.others(version)) {
        let part = text.get_mut(part).unwrap_or_default();
        let chars = part.iter_mut().filter(|byte| !byte.is_ascii_control());
        chars.for_each(|byte| *byte = b' ');
    }
    text
}

/// Returns the complete conflicts of a text.
fn conflicts_in(bytes: &[u8]) -> Vec<Conflict<'_>> {
    let mut conflicts = Vec::new();
    // The conflict whose end has not been reached.
    let mut open: Option<Conflict<'_>> = None;
    let mut start = 0;
    for (text, line) in bytes.split_inclusive(|byte| *byte == b'\n').zip(1..) {
        let range = start..start + text.len();
        start = range.end;
        let marker = |begin: &[u8]| {
            let name = text.trim_ascii_end().strip_prefix(begin)?;
            (name.is_empty() || name.starts_with(b" ")).then(|| Marker {
                line,
                bytes: range.clone(),
                name: name.trim_ascii_start(),
            })
        };
        if let Some(ours) = marker(OURS) {
            open = Some(Conflict {
                ours,
                ..Conflict::default()
            });
        } else if let Some(conflict) = &mut open {
            if let Some(base) = marker(BASE).filter(|_| conflict.theirs.is_none()) {
                conflict.rest.get_or_insert(base);
            } else if let Some(theirs) = marker(THEIRS) {
                conflict.rest.get_or_insert(theirs.clone());
                conflict.theirs.get_or_insert(theirs);
            }
        }
        let is_end = |conflict: &mut Conflict<'_>| conflict.theirs.is_some();
        if let Some(end) = marker(END)
            && let Some(conflict) = open.take_if(is_end)
        {
            conflicts.push(Conflict { end, ..conflict });
        }
    }
    conflicts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    const TEXT: &str = "a\n<<<<<<< HEAD\nb 1\n=======\nb 2\nc\n>>>>>>> other\nd\n";

    #[test]
    fn the_first_version_stays_where_it_is() {
        let found = |text: &str| {
            let conflicts = conflicts_in(text.as_bytes());
            let read = with_version(text.as_bytes(), &conflicts, Version::First);
            (String::from_utf8(read).unwrap(), conflicts.len())
        };
        let expected = "a\n            \nb 1\n       \n   \n \n             \nd\n";
        assert_eq!(found(TEXT), (expected.to_owned(), 1));
        // With the common base, and with other line ends.
        let text = "<<<<<<<\r\nb\r\n||||||| base\r\nc\r\n=======\r\n>>>>>>>\r\n";
        let (read, count) = found(text);
        assert_eq!((read.trim(), read.len(), count), ("b", text.len(), 1));
        // Lines that only resemble a conflict, or a conflict without an end, are ignored.
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
        severity: Severity::Error,
        leaves_out: true,
        summary: "There are two versions.",
    };
    static ODD: Rule = Rule {
        id: "test/odd",
        ..CONFLICT
    };

    #[test]
    fn a_conflict_is_the_one_problem_of_its_lines() {
        // Blank lines, markers and each `d` are problems.
        let read_lines = |bytes: &[u8]| {
            let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
            let is_marker = |line: &[u8]| [OURS, THEIRS, END].iter().any(|it| line.starts_with(it));
            let odd = lines
                .filter(|(line, _)| is_marker(line) || matches!(line.trim_ascii(), b"" | b"d"));
            let problem = |line| Problem::new(&ODD, Subject::File, Place::line(line), "odd");
            Ok(odd.map(|(_, line)| problem(line)).collect::<Vec<_>>())
        };
        let text = TEXT.trim_end();
        let problems = read(text.as_bytes(), &CONFLICT, read_lines, |it| it).unwrap();
        let said: Vec<_> = problems.iter().map(Problem::facts).collect();
        let expected = "2:1: error: test/conflict, left out: 4 7 HEAD other";
        assert_eq!(said, [expected, "8:1: error: test/odd"]);
        // The second version leaves `d` out, so it has no problem.
        let text = "a\n<<<<<<< HEAD\nd\n=======\nb\n>>>>>>> other";
        let problems = read(text.as_bytes(), &CONFLICT, read_lines, |it| it).unwrap();
        let said: Vec<_> = problems.iter().map(Problem::facts).collect();
        let expected = "2:1: error: test/conflict, left out: 4 6 HEAD other";
        assert_eq!(said, [expected]);
    }
}
