//! Slips in a text: two lines in each other's place, a line without its first word or the space after it, or
//! a blank line in place of another.
//!
//! A reader says of such lines that they are not what it expects, and so of what follows. A text is
//! therefore read again as it was perhaps meant. Where that leaves nothing new to be said and less than
//! before, it was meant so: that alone is said, and nothing is lost.

use std::ops::RangeInclusive;

use crate::cursor::{first_words, is_separator, text_place};
use crate::{Place, Problem, ReadError, Rule, Subject, conflict, quoted};

/// A slip gives no more problems that follow from none.
const MAX_PROBLEMS: usize = 16;
/// How many lines are looked at.
const MAX_LINES: usize = 6;
/// How many bytes are read again in all, but for a few times in any case, and no more often than this: a small
/// file may promise much, which takes time whenever it is read.
const MAX_BYTES: usize = 16 << 20;
const TRIES: RangeInclusive<usize> = 8..=32;

/// What a format says of slips.
#[derive(Debug)]
pub(crate) struct SlipRules {
    /// A merge conflict was left in it.
    pub conflict: &'static Rule,
    /// Two lines are in each other's place.
    pub swapped: &'static Rule,
    /// A line lacks its first word, or the space after it.
    pub first_word: &'static Rule,
    /// A line is blank.
    pub blank_line: &'static Rule,
    /// What such lines break: without any of it nothing is tried.
    pub signs: &'static [&'static Rule],
    /// Which of that is said elsewhere than of the next line where one is missing.
    pub elsewhere: &'static [&'static Rule],
    /// The first words that lines must have, each with how many words follow.
    pub lines: &'static [(&'static str, RangeInclusive<usize>)],
    /// How many words follow the number that lines begin with, where some do.
    pub after_number: Option<usize>,
    /// First words that may be second ones, each with one that may be missing before it.
    pub second_words: &'static [(&'static str, &'static str)],
}

/// Reads a text, as it was meant where it has a slip, and with one version of each merge conflict.
///
/// # Errors
/// As `read` of the text as it is.
pub(crate) fn read<T>(
    bytes: &[u8],
    rules: &SlipRules,
    mut read: impl FnMut(&[u8]) -> Result<T, ReadError>,
    problems_of: fn(&mut T) -> &mut Vec<Problem>,
) -> Result<T, ReadError> {
    let mut read = |bytes: &[u8]| read_with_slips(bytes, rules, &mut read, problems_of);
    let mut found = read(bytes);
    let is_whole = found
        .as_mut()
        .is_ok_and(|found| problems_of(found).is_empty());
    // Lines of a conflict are none of what these formats have.
    if is_whole || matches!(found, Err(ReadError::Cancelled)) || !conflict::is_in(bytes) {
        return found;
    }
    conflict::read(bytes, rules.conflict, read, problems_of)
}

fn read_with_slips<T>(
    bytes: &[u8],
    rules: &SlipRules,
    mut read: impl FnMut(&[u8]) -> Result<T, ReadError>,
    problems_of: fn(&mut T) -> &mut Vec<Problem>,
) -> Result<T, ReadError> {
    let mut found = read(bytes);
    let mut problems = match &mut found {
        Ok(found) => std::mem::take(problems_of(found)),
        Err(ReadError::Unreadable(problem)) => vec![problem.clone()],
        Err(ReadError::Cancelled) => return found,
    };
    let mut tries = (MAX_BYTES / bytes.len().max(1)).clamp(*TRIES.start(), *TRIES.end());
    // What is read of the text as it was perhaps meant, and how much is said of that; none where it was not
    // meant so.
    let mut try_slip = |slip: &Slip<'_>, min_gone: usize| {
        let Some(left_tries) = tries.checked_sub(1) else {
            return Ok(None);
        };
        tries = left_tries;
        let mut meant = match read(&slip.bytes) {
            Ok(meant) => meant,
            Err(ReadError::Unreadable(_)) => return Ok(None),
            Err(cancelled) => return Err(cancelled),
        };
        let left = problems_of(&mut meant);
        let count = all(left).count();
        Ok(is_meant(&problems, left, rules, min_gone).then_some((count, meant)))
    };
    if problems.len() <= MAX_PROBLEMS && all(&problems).any(|it| rules.signs.contains(&it.rule)) {
        let of_problems = all(&problems).filter_map(|problem| problem.place.line_number());
        let mut lines: Vec<u64> = of_problems.collect();
        lines.sort_unstable();
        lines.dedup();
        // Two lines are no line too many and no line too few: both are wrong, but where nothing is read.
        let min_gone = 1 + usize::from(found.is_ok());
        let mut pairs: Vec<u64> = lines
            .iter()
            .flat_map(|line| [line.saturating_sub(1), *line])
            .collect();
        pairs.dedup();
        for line in pairs.iter().copied().take(MAX_LINES) {
            if let Some(slip) = Slip::swapped(bytes, line, rules)
                && let Some((_, mut meant)) = try_slip(&slip, min_gone)?
            {
                slip.add_problem(&problems, problems_of(&mut meant));
                return Ok(meant);
            }
        }
        for line in pairs.into_iter().take(MAX_LINES) {
            for slip in Slip::without_space(bytes, line, rules) {
                if let Some((_, mut meant)) = try_slip(&slip, 1)? {
                    slip.add_problem(&problems, problems_of(&mut meant));
                    return Ok(meant);
                }
            }
            let mut best: Option<(usize, Slip<'_>, T)> = None;
            for slip in Slip::without_word(bytes, line, rules) {
                let Some((left, meant)) = try_slip(&slip, 1)? else {
                    continue;
                };
                match &mut best {
                    // It is not known which of several words it is.
                    Some((least, best, _)) if *least == left => best.keys.extend(slip.keys),
                    Some((least, ..)) if *least < left => {}
                    _ => best = Some((left, slip, meant)),
                }
            }
            if let Some((_, slip, mut meant)) = best {
                slip.add_problem(&problems, problems_of(&mut meant));
                return Ok(meant);
            }
        }
    }
    if let Ok(found) = &mut found {
        fold_blank_line(bytes, &mut problems, rules);
        *problems_of(found) = problems;
    }
    found
}

/// Lets that a line is missing follow from the blank line that stands in its place, where a text has one of
/// each alone.
fn fold_blank_line(bytes: &[u8], problems: &mut Vec<Problem>, rules: &SlipRules) -> Option<()> {
    let only = |is_it: &dyn Fn(&Problem) -> bool| {
        let mut found = (0..problems.len()).filter(|at| is_it(&problems[*at]));
        found.next().filter(|_| found.next().is_none())
    };
    let blank = only(&|problem| problem.rule == rules.blank_line)?;
    let missing = only(&|problem| rules.signs.contains(&problem.rule))?;
    let from = problems[blank].place.line_number()?;
    let (start, _) = line_at(bytes, from)?;
    let lines = bytes[start..].split_inclusive(|byte| *byte == b'\n');
    let blank_lines = lines.take_while(|line| first_words(line).next().is_none());
    let next = from + blank_lines.count() as u64;
    let is_next = problems[missing].place.line_number() == Some(next);
    if is_next || rules.elsewhere.contains(&problems[missing].rule) {
        let follows = problems[missing].clone();
        problems[blank].add_consequence(follows);
        problems.remove(missing);
    }
    Some(())
}

/// Problems with those that follow from them.
fn all(problems: &[Problem]) -> impl Iterator<Item = &Problem> {
    problems.iter().flat_map(Problem::with_consequences)
}

/// Whether a text was meant so that only some of its problems are left: none of these is new, and at least
/// so many are gone, one of which is a sign of a slip.
fn is_meant(problems: &[Problem], left: &[Problem], rules: &SlipRules, min_gone: usize) -> bool {
    let is_sign = |problem: &Problem| rules.signs.contains(&problem.rule);
    all(left).all(|problem| is_in(problem, problems))
        && all(left).count() + min_gone <= all(problems).count()
        && all(problems).any(|problem| is_sign(problem) && !is_in(problem, left))
}

/// Whether the same is said among others.
fn is_in(problem: &Problem, problems: &[Problem]) -> bool {
    all(problems).any(|it| it.message == problem.message)
}

/// A text without a slip that it has.
struct Slip<'a> {
    bytes: Vec<u8>,
    rule: &'static Rule,
    /// Of the first word of the line, or of the first of two.
    place: Place,
    kind: SlipKind,
    /// The first word of the line.
    found: &'a [u8],
    /// The words that should stand before it, what it begins with or, of two lines, the first word of the
    /// second.
    keys: Vec<&'a [u8]>,
}

enum SlipKind {
    Swap,
    Word,
    Space,
}

impl<'a> Slip<'a> {
    /// A line, from 1, and the next one; none where there are no two lines that begin with different
    /// words.
    fn swapped(bytes: &'a [u8], line: u64, rules: &SlipRules) -> Option<Self> {
        let (start, first) = line_at(bytes, line)?;
        let (middle, second) = line_at(bytes, line + 1)?;
        let end = middle + second.len();
        // The last line of a file may have no end.
        if !second.ends_with(b"\n") {
            return None;
        }
        let keys = [first_words(first).next()?, first_words(second).next()?];
        (keys[0] != keys[1]).then(|| Self {
            bytes: [&bytes[..start], second, first, &bytes[end..]].concat(),
            rule: rules.swapped,
            place: first_word_place(line, first),
            kind: SlipKind::Swap,
            found: keys[0],
            keys: vec![keys[1]],
        })
    }

    /// A line, from 1, with a space after each of the first words that it may begin with.
    fn without_space(
        bytes: &'a [u8],
        line: u64,
        rules: &'a SlipRules,
    ) -> impl Iterator<Item = Self> {
        let found = line_with_word(bytes, line);
        found.into_iter().flat_map(move |(start, text, first)| {
            let words = first_words(text).count();
            let lines = rules.lines.iter();
            let is_whole = lines.clone().any(|(key, _)| key.as_bytes() == first);
            // What was one word is two.
            let keys = lines.filter(move |(key, after)| {
                !is_whole && first.starts_with(key.as_bytes()) && after.contains(&words)
            });
            let digits = first.iter().take_while(|byte| byte.is_ascii_digit());
            let digits = match rules.after_number {
                Some(after) if after == words => digits.count(),
                _ => 0,
            };
            let indent = text.iter().position(|byte| !is_separator(*byte));
            let lens = keys.map(|(key, _)| key.len()).chain(1..=digits);
            lens.filter_map(move |len| {
                let key = first.get(..len).filter(|key| *key != first)?;
                let (before, after) = bytes.split_at(start + indent.unwrap_or(0) + len);
                Some(Self {
                    bytes: [before, b" ", after].concat(),
                    rule: rules.first_word,
                    place: first_word_place(line, text),
                    kind: SlipKind::Space,
                    found: first,
                    keys: vec![key],
                })
            })
        })
    }

    /// A line, from 1, with each of the first words that it may lack.
    fn without_word(
        bytes: &'a [u8],
        line: u64,
        rules: &'a SlipRules,
    ) -> impl Iterator<Item = Self> {
        let found = line_with_word(bytes, line);
        let (rule, lines) = (rules.first_word, rules.lines);
        found.into_iter().flat_map(move |(start, text, first)| {
            let is_known = lines.iter().any(|(key, _)| key.as_bytes() == first);
            let words = first_words(text).count();
            let may_lack = move |key: &str, after: &RangeInclusive<usize>| {
                let mut second_words = rules.second_words.iter();
                let is_second = second_words.any(|it| (it.0.as_bytes(), it.1) == (first, key));
                (is_second || !is_known) && after.contains(&words)
            };
            let lines = lines.iter();
            let lines = lines.filter(move |(key, after)| may_lack(key, after));
            lines.map(move |(key, _)| Self {
                bytes: [&bytes[..start], key.as_bytes(), b" ", &bytes[start..]].concat(),
                rule,
                place: first_word_place(line, text),
                kind: SlipKind::Word,
                found: first,
                keys: vec![key.as_bytes()],
            })
        })
    }

    /// Adds the slip to the problems that are left without it. It has the subject of the first of those that
    /// are gone.
    fn add_problem(&self, problems: &[Problem], left: &mut Vec<Problem>) {
        let gone = all(problems).filter(|problem| !is_in(problem, left));
        let first = gone.min_by_key(|problem| problem.place);
        let subject = first.map_or(Subject::File, |problem| problem.subject);
        let found = quoted(self.found);
        let keys: Vec<String> = self.keys.iter().map(|key| quoted(key)).collect();
        let keys = keys.join(" or ");
        let message = match self.kind {
            SlipKind::Swap => {
                format!("found {found} before {keys}; expected these two lines the other way round")
            }
            SlipKind::Word => format!("found {found}; expected {keys} before it"),
            SlipKind::Space => format!("found {found}; expected a space after {keys}"),
        };
        let problem = Problem::new(self.rule, subject, self.place, message);
        let at = left.partition_point(|it| it.place < problem.place);
        left.insert(at, problem);
    }
}

/// Where a line, from 1, begins, and the line with its end.
fn line_at(bytes: &[u8], line: u64) -> Option<(usize, &[u8])> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut start = 0;
    for before in lines
        .by_ref()
        .take(usize::try_from(line.checked_sub(1)?).ok()?)
    {
        start += before.len();
    }
    Some((start, lines.next()?))
}

/// The same of a line that is not blank, with its first word.
fn line_with_word(bytes: &[u8], line: u64) -> Option<(usize, &[u8], &[u8])> {
    let (start, text) = line_at(bytes, line)?;
    Some((start, text, first_words(text).next()?))
}

fn first_word_place(line: u64, text: &[u8]) -> Place {
    let indent = text.iter().position(|byte| !is_separator(*byte));
    text_place((line, 1), indent.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    static LINE: Rule = Rule {
        id: "test/line",
        severity: Severity::Error,
        leaves_out: true,
        summary: "A line is out of place.",
    };
    static BLANK: Rule = Rule {
        id: "test/blank",
        ..LINE
    };
    static RULES: SlipRules = SlipRules {
        conflict: &LINE,
        swapped: &LINE,
        first_word: &LINE,
        blank_line: &BLANK,
        signs: &[&LINE],
        elsewhere: &[],
        lines: &[("a", 1..=1), ("b", 1..=1), ("c", 2..=3)],
        after_number: Some(2),
        second_words: &[],
    };

    fn problem(line: u64) -> Problem {
        let place = Place::Text { line, column: 1 };
        Problem::new(&LINE, Subject::File, place, format!("line {line}"))
    }

    #[test]
    fn a_file_stays_as_it_is_where_it_is_none_without_a_slip() {
        let read_lines = |bytes: &[u8]| match bytes {
            b"a\nb\n" => Ok(vec![problem(1), problem(2)]),
            _ => Err(ReadError::Unreadable(problem(1))),
        };
        let found = read(b"a\nb\n", &RULES, read_lines, |problems| problems).unwrap();
        assert_eq!(found, [problem(1), problem(2)]);
    }

    /// What is said of a text while only these are good.
    fn said_of(text: &str, good: &[&str]) -> Vec<String> {
        let read_lines = |bytes: &[u8]| {
            let is_good = good.iter().any(|good| good.as_bytes() == bytes);
            Ok(if is_good {
                Vec::new()
            } else {
                vec![problem(2)]
            })
        };
        let found = read(text.as_bytes(), &RULES, read_lines, |problems| problems).unwrap();
        found.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_word_is_put_before_a_line_where_that_leaves_nothing() {
        let found = said_of("a 1\n  2\n", &["a 1\nb   2\n"]);
        assert_eq!(found, ["2:3: error: found `2`; expected `b` before it"]);
        // It is not known which of two is meant.
        let found = said_of("a 1\n  2\n", &["a 1\nb   2\n", "a 1\na   2\n"]);
        assert_eq!(
            found,
            ["2:3: error: found `2`; expected `a` or `b` before it"]
        );
        // Three words are none of these, and `c` has its first word.
        assert_eq!(said_of("a 1\nx 2\n", &["a 1\nc x 2\n"]).len(), 1);
        assert_eq!(
            said_of("a 1\nc 2\n", &["a 1\nc c 2\n"]),
            ["2:1: error: line 2"]
        );
    }

    #[test]
    fn a_space_is_put_after_a_first_word_where_that_leaves_nothing() {
        let space = ["2:3: error: found `b2`; expected a space after `b`"];
        assert_eq!(said_of("a 1\n  b2\n", &["a 1\n  b 2\n"]), space);
        // Rather than a word before it.
        let both = ["a 1\n  b 2\n", "a 1\na   b2\n"];
        assert_eq!(said_of("a 1\n  b2\n", &both), space);
        // `c` has two words.
        let line = ["2:1: error: line 2"];
        assert_eq!(said_of("a 1\nc2\n", &["a 1\nc 2\n"]), line);
        // Which digits are those of the number?
        assert_eq!(
            said_of("a 1\n171.5 0\n", &["a 1\n17 1.5 0\n"]),
            ["2:1: error: found `171.5`; expected a space after `17`"]
        );
        assert_eq!(said_of("a 1\n171.5\n", &["a 1\n17 1.5\n"]), line);
    }

    #[test]
    fn a_file_that_is_refused_is_read_without_its_slip() {
        let read_lines = |bytes: &[u8]| match bytes {
            b"b 1\na 2\nc 3 4\n" => Ok(Vec::new()),
            _ => Err(ReadError::Unreadable(problem(1))),
        };
        let found = read(b"a 2\nb 1\nc 3 4\n", &RULES, read_lines, |problems| {
            problems
        });
        let [problem] = &*found.unwrap() else {
            panic!();
        };
        assert_eq!(
            problem.to_string(),
            "1:1: error: found `a` before `b`; expected these two lines the other way round"
        );
    }
}
