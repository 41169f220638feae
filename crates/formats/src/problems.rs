//! The problem list of a file, which stays short however many problems there are.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Message, Place, Problem, ReadError, Rule, Severity, Subject};

/// Collects problems: the first 100 of each rule, then the number of further ones. The same limit
/// applies to consequences.
#[derive(Debug, Default)]
pub struct Problems {
    /// The record that is being read: the default subject of problems.
    pub subject: Subject,
    /// The cause of the part that is read next: problems added while it is set are its
    /// consequences.
    pub(crate) cause: Option<Cause>,
    listed: Vec<Listed>,
    counts: Vec<Count>,
    /// The first problem of each group with the same rule and cause ([`Problems::add_grouped`]).
    alike: HashMap<Key, Cause>,
    /// The problem added last, if it is listed.
    last: Option<Cause>,
    /// `true` in a trial read, whose problems are never shown: their messages are not made.
    is_trial: bool,
}

/// The id of a rule, and a hash that identifies the common cause of several problems.
type Key = (&'static str, u64);

/// A listed problem that can have consequences. The order is that of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(usize);

/// A problem and its consequences.
#[derive(Debug)]
struct Listed {
    problem: Problem,
    /// The key that it shares with problems of the same cause.
    key: Option<Key>,
    unlisted: Option<Unlisted>,
}

/// Consequences that are not listed.
#[derive(Debug, Clone, Copy)]
struct Unlisted {
    count: usize,
    /// Rule and place of the first one.
    rule: &'static Rule,
    place: Place,
}

/// Number of problems of a rule.
#[derive(Debug)]
struct Count {
    rule: &'static Rule,
    found: u64,
    /// Number of problems that are not listed.
    unlisted: u64,
    /// Place of the first problem that is not listed.
    first_unlisted: Option<Place>,
    /// Number of problems that are listed as consequences.
    consequences: u64,
}

/// Short form of [`Problems::LISTED`].
const LISTED: u64 = Problems::LISTED;

impl Problems {
    /// Maximum number of listed problems of a rule.
    pub const LISTED: u64 = 100;

    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty list for a trial read.
    pub(crate) fn for_trial() -> Self {
        Self {
            is_trial: true,
            ..Self::default()
        }
    }

    /// Lists a problem of the record that is being read. If its rule has too many, it is only
    /// counted.
    #[cold]
    pub fn add<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        place: Place,
        message: impl FnOnce() -> M,
    ) {
        self.add_about(rule, self.subject, place, message);
    }

    /// [`Problems::add`] with another subject.
    #[cold]
    pub fn add_about<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        subject: Subject,
        place: Place,
        message: impl FnOnce() -> M,
    ) {
        self.add_consequence(None, rule, subject, place, message);
    }

    /// The problem added last, as a cause of others; `None` if it was only counted.
    pub fn last(&self) -> Option<Cause> {
        self.last
    }

    /// [`Problems::add_about`] for a consequence. Without a cause it is a problem of its own.
    #[cold]
    pub fn add_consequence<M: Into<Message>>(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        subject: Subject,
        place: Place,
        message: impl FnOnce() -> M,
    ) {
        let is_trial = self.is_trial;
        self.put_after(cause, rule, place, || {
            let message = if is_trial {
                Message::from("")
            } else {
                message().into()
            };
            Problem::new(rule, subject, place, message)
        });
    }

    /// [`Problems::add_about`] for one of several problems of a rule with the same cause. `named`
    /// identifies the cause, such as a file or an index. The first problem is listed, and the
    /// others are its consequences. Returns the first one, for further consequences.
    #[cold]
    pub fn add_grouped<M: Into<Message>>(
        &mut self,
        named: impl Hash,
        rule: &'static Rule,
        subject: Subject,
        place: Place,
        message: impl FnOnce() -> M,
    ) -> Option<Cause> {
        let mut hasher = DefaultHasher::new();
        named.hash(&mut hasher);
        let key = (rule.id, hasher.finish());
        let first = self.alike.get(&key).copied();
        self.add_consequence(first, rule, subject, place, message);
        if first.is_none() {
            self.set_group_cause(key);
        }
        first.or(self.last)
    }

    /// Returns the first listed problem that matches.
    pub(crate) fn find(&self, is_it: impl Fn(&Problem) -> bool) -> Option<Cause> {
        let mut listed = self.listed.iter();
        listed.position(|listed| is_it(&listed.problem)).map(Cause)
    }

    /// Number of listed problems: a mark for [`Problems::first_since`].
    pub(crate) fn checkpoint(&self) -> usize {
        self.listed.len()
    }

    /// Returns the first problem listed since a mark.
    pub(crate) fn first_since(&self, checkpoint: usize) -> Option<Cause> {
        (checkpoint < self.listed.len()).then_some(Cause(checkpoint))
    }

    /// Makes the problem added last the cause of later ones with the same key.
    fn set_group_cause(&mut self, key: Key) {
        if let Some(cause @ Cause(index)) = self.last
            && let Some(listed) = self.listed.get_mut(index)
        {
            listed.key = Some(key);
            self.alike.insert(key, cause);
        }
    }

    /// Lists the reason why a part of the file cannot be read.
    pub(crate) fn add_error(&mut self, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            self.push(problem);
        }
    }

    /// [`Problems::add_error`] as a problem of another rule, which names the loss.
    pub(crate) fn add_error_as(&mut self, rule: &'static Rule, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            self.push(Problem {
                severity: rule.severity,
                rule,
                ..problem
            });
        }
    }

    /// Lists an existing problem.
    pub fn push(&mut self, problem: Problem) {
        self.put_after(None, problem.rule, problem.place, || problem);
    }

    /// [`Problems::push`] for a consequence. Without a cause it is a problem of its own.
    pub fn push_consequence(&mut self, cause: Option<Cause>, problem: Problem) {
        self.put_after(cause, problem.rule, problem.place, || problem);
    }

    fn put_after(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        place: Place,
        problem: impl FnOnce() -> Problem,
    ) {
        match cause.or(self.cause) {
            Some(cause) => self.list_consequence(cause, rule, place, problem),
            None => self.put(rule, place, problem),
        }
    }

    fn put(&mut self, rule: &'static Rule, place: Place, problem: impl FnOnce() -> Problem) {
        let of_rule = self.count_of(rule);
        of_rule.found += 1;
        if of_rule.found <= LISTED {
            self.last = Some(Cause(self.listed.len()));
            self.listed.push(Listed {
                problem: problem(),
                key: None,
                unlisted: None,
            });
        } else {
            of_rule.unlisted += 1;
            of_rule.first_unlisted.get_or_insert(place);
            self.last = None;
        }
    }

    /// Lists a problem as a consequence of another, or counts it there.
    fn list_consequence(
        &mut self,
        cause: Cause,
        rule: &'static Rule,
        place: Place,
        problem: impl FnOnce() -> Problem,
    ) {
        let of_rule = self.count_of(rule);
        if of_rule.consequences >= LISTED {
            self.count_consequences(cause, rule, place, 1);
            return;
        }
        of_rule.consequences += 1;
        self.last = None;
        if let Some(Listed { problem: cause, .. }) = self.listed.get_mut(cause.0) {
            cause.severity = cause.severity.max(rule.severity);
            cause.consequences.push(problem());
        }
    }

    /// Counts unlisted consequences of a problem. `place` is the place of the first.
    fn count_consequences(
        &mut self,
        cause: Cause,
        rule: &'static Rule,
        place: Place,
        count: usize,
    ) {
        self.last = None;
        if let Some(Listed {
            problem, unlisted, ..
        }) = self.listed.get_mut(cause.0)
        {
            problem.severity = problem.severity.max(rule.severity);
            let none = Unlisted {
                count: 0,
                rule,
                place,
            };
            unlisted.get_or_insert(none).count += count;
        }
    }

    /// Number of problems, without consequences.
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().map(|count| count.found).sum()
    }

    /// The first place with a listed problem.
    pub(crate) fn first_place(&self) -> Option<Place> {
        self.listed.iter().map(|listed| listed.problem.place).min()
    }

    /// `true` if at least one problem is an error.
    pub fn has_errors(&self) -> bool {
        let mut listed = self.listed.iter();
        listed.any(|listed| listed.problem.severity == Severity::Error)
    }

    /// `true` if something in the file may be left out because of a problem.
    pub(crate) fn may_leave_out(&self) -> bool {
        let mut listed = self.listed.iter();
        listed.any(|listed| {
            let mut all = listed.problem.with_consequences();
            all.any(Problem::may_leave_out)
        })
    }

    fn count_of(&mut self, rule: &'static Rule) -> &mut Count {
        let known = self.counts.iter().position(|count| count.rule == rule);
        let index = known.unwrap_or(self.counts.len());
        if known.is_none() {
            self.counts.push(Count {
                rule,
                found: 0,
                unlisted: 0,
                first_unlisted: None,
                consequences: 0,
            });
        }
        &mut self.counts[index]
    }

    /// Appends the problems of another part. Problems that match `follows` become consequences of
    /// `cause`.
    pub(crate) fn append(
        &mut self,
        others: Self,
        cause: Option<Cause>,
        follows: impl Fn(&Problem) -> bool,
    ) {
        for Listed {
            mut problem,
            key,
            unlisted,
        } in others.listed
        {
            let below = std::mem::take(&mut problem.consequences);
            let alike = key.and_then(|key| self.alike.get(&key));
            let below_cause = cause.filter(|_| follows(&problem));
            let cause = if let Some(first) = alike.copied().or(below_cause) {
                self.list_consequence(first, problem.rule, problem.place, || problem);
                Some(first)
            } else {
                self.push(problem);
                if let Some(key) = key {
                    self.set_group_cause(key);
                }
                self.last
            };
            // The consequences of an unlisted problem are dropped.
            let Some(cause) = cause else {
                continue;
            };
            for problem in below {
                self.list_consequence(cause, problem.rule, problem.place, || problem);
            }
            if let Some(Unlisted { count, rule, place }) = unlisted {
                self.count_consequences(cause, rule, place, count);
            }
        }
        for other in others.counts {
            if let Some(place) = other.first_unlisted {
                let of_rule = self.count_of(other.rule);
                // The listed ones have already been counted.
                of_rule.found += other.unlisted;
                of_rule.unlisted += other.unlisted;
                of_rule.first_unlisted.get_or_insert(place);
            }
        }
    }

    /// Appends the problems of another part as consequences of a problem, including unlisted ones.
    pub(crate) fn append_as_consequences(&mut self, mut others: Self, cause: Cause) {
        let counts = std::mem::take(&mut others.counts);
        self.append(others, Some(cause), |_| true);
        for other in counts {
            if let Some(place) = other.first_unlisted {
                self.count_consequences(cause, other.rule, place, other.unlisted as usize);
            }
        }
    }

    /// Returns all problems by place.
    pub fn finish(self) -> Vec<Problem> {
        let more = |rule, place, count, message| Problem {
            count,
            ..Problem::new(rule, Subject::File, place, message)
        };
        let listed = self.listed.into_iter().map(|listed| {
            let mut problem = listed.problem;
            problem.consequences.sort_by_key(|problem| problem.place);
            if let Some(Unlisted { count, rule, place }) = listed.unlisted {
                let message = format!("and {count} more");
                let more = more(rule, place, count, message);
                problem.consequences.push(more);
            }
            problem
        });
        let mut problems: Vec<Problem> = listed.collect();
        for Count {
            rule,
            unlisted,
            first_unlisted,
            ..
        } in self.counts
        {
            if let Some(place) = first_unlisted {
                let count = unlisted as usize;
                let message = format!("and {count} more of this rule");
                problems.push(more(rule, place, count, message));
            }
        }
        problems.sort_by_key(|problem| problem.place);
        problems
    }
}

/// Number of errors, without consequences.
pub fn count_errors(problems: &[Problem]) -> usize {
    let errors = problems.iter();
    errors
        .filter(|problem| problem.severity == Severity::Error)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;

    static TYPO: Rule = Rule {
        id: "test/typo",
        severity: Severity::Warning,
        leaves_out: false,
        summary: "A word is misspelt.",
    };

    fn typos(places: std::ops::Range<u64>) -> Problems {
        let mut problems = Problems::new();
        for place in places {
            problems.add(&TYPO, Place::Offset(place), || "typo".to_owned());
        }
        problems
    }

    #[test]
    fn lists_of_parts_are_as_one_of_all() {
        for cuts in [[0, 250], [10, 20], [150, 200], [99, 101], [100, 250]] {
            let mut parts = typos(0..cuts[0]);
            parts.append(typos(cuts[0]..cuts[1]), None, |_| false);
            parts.append(typos(cuts[1]..250), None, |_| false);
            assert_eq!(parts.finish(), typos(0..250).finish(), "{cuts:?}");
        }
        let whole = typos(0..250).finish();
        assert_eq!(whole.len(), 101);
        assert_eq!(
            whole[100].to_string(),
            "0x64: warning: and 150 more of this rule"
        );
        assert_eq!(whole[100].rule, &TYPO);
        assert_eq!(Tally::of(&whole).to_string(), "250 warnings");
    }

    #[test]
    fn those_below_another_are_no_others_of_their_rule() {
        let mut problems = Problems::new();
        problems.add(&GAP, Place::Offset(0), || "gap".to_owned());
        let cause = problems.last();
        problems.append(typos(1..151), cause, |_| true);
        let problems = problems.finish();
        let [gap, more] = &problems[..] else {
            panic!("{problems:?}");
        };
        assert_eq!(gap.consequences.len(), 100);
        assert_eq!(more.message, "and 50 more of this rule");
    }

    static GAP: Rule = Rule {
        id: "test/gap",
        severity: Severity::Error,
        leaves_out: false,
        summary: "A word is missing.",
    };

    #[test]
    fn what_follows_from_a_problem_is_below_it_and_not_counted() {
        let mut problems = Problems::new();
        problems.add(&TYPO, Place::Offset(5), || "typo".to_owned());
        let cause = problems.last();
        for place in [9, 7] {
            let place = Place::Offset(place);
            problems.add_consequence(cause, &GAP, Subject::File, place, || "gap".to_owned());
        }
        problems.add_consequence(None, &GAP, Subject::File, Place::Offset(1), || {
            "alone".to_owned()
        });
        assert!(problems.has_errors());
        let [alone, typo] = &problems.finish()[..] else {
            panic!();
        };
        assert_eq!((&*alone.message, alone.consequence_count()), ("alone", 0));
        assert_eq!(typo.severity, Severity::Error, "a gap follows from it");
        let places = typo.consequences.iter().map(|gap| gap.place);
        assert!(places.eq([7, 9].map(Place::Offset)));
    }

    /// Gaps with three causes, each identified by a number.
    fn alike(places: std::ops::Range<u64>) -> Problems {
        let mut problems = Problems::new();
        for place in places {
            let (rule, subject) = (&GAP, Subject::File);
            let message = || format!("gap of {}", place % 3);
            problems.add_grouped(place % 3, rule, subject, Place::Offset(place), message);
        }
        problems
    }

    #[test]
    fn what_has_the_same_cause_is_one_problem_also_in_several_parts() {
        for cuts in [[0, 600], [10, 20], [3, 500], [1, 2]] {
            let mut parts = alike(0..cuts[0]);
            parts.append(alike(cuts[0]..cuts[1]), None, |_| false);
            parts.append(alike(cuts[1]..600), None, |_| false);
            let parts = parts.finish();
            assert_eq!(Tally::of(&parts).to_string(), "3 errors", "{cuts:?}");
            for (problem, of) in parts.iter().zip(0..) {
                assert_eq!(problem.message, format!("gap of {of}"));
                assert_eq!(problem.consequence_count(), 199);
            }
            // Only few are held in memory, however many there are.
            let held = parts.iter().map(|problem| problem.consequences.len());
            assert!(held.sum::<usize>() <= 103);
        }
        let whole = alike(0..600).finish();
        let last = whole[0].consequences.last().unwrap();
        assert_eq!((last.count, &*last.message), (165, "and 165 more"));
        assert_eq!(last.place, Place::Offset(105));
    }
}
