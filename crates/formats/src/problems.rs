//! The list of what is wrong with a file, which stays short however much is wrong.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Message, Place, Problem, ReadError, Rule, Severity, Subject};

/// Problems as they are found: of each rule the first 100, and then how many more there are. Of those
/// that follow from others it is the same.
#[derive(Debug, Default)]
pub struct Problems {
    /// What is being read, which problems are about unless they say otherwise.
    pub subject: Subject,
    /// The cause of what is being read next: problems that are added while it is set are its consequences.
    pub(crate) cause: Option<Cause>,
    listed: Vec<Listed>,
    counts: Vec<Count>,
    /// The problems that stand for all of the same rule and cause ([`Problems::add_alike`]).
    alike: HashMap<Key, Cause>,
    /// The one that was added last, if it is listed.
    last: Option<Cause>,
    /// `true` in a trial read, whose problems nobody sees: their messages are not made.
    is_trial: bool,
}

/// The id of a rule, and the hash of what the cause of several problems is known by.
type Key = (&'static str, u64);

/// A problem in a list from which others can follow; those that were listed first are least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(usize);

/// A problem with what follows from it.
#[derive(Debug)]
struct Listed {
    problem: Problem,
    /// What it shares with those that are alike.
    key: Option<Key>,
    unlisted: Option<Unlisted>,
}

/// Problems that follow from another and are not listed.
#[derive(Debug, Clone, Copy)]
struct Unlisted {
    count: usize,
    /// Rule and place of the first one.
    rule: &'static Rule,
    place: Place,
}

/// How many problems there are of a rule.
#[derive(Debug)]
struct Count {
    rule: &'static Rule,
    found: u64,
    /// How many of them are not listed.
    unlisted: u64,
    /// Where the first one is that is not listed.
    first_unlisted: Option<Place>,
    /// How many are listed below those from which they follow.
    consequences: u64,
}

/// As [`Problems::LISTED`].
const LISTED: u64 = Problems::LISTED;

impl Problems {
    /// How many problems of a rule are listed.
    pub const LISTED: u64 = 100;

    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty list for a trial read.
    pub(crate) fn of_trial() -> Self {
        Self {
            is_trial: true,
            ..Self::default()
        }
    }

    /// Lists a problem of what is being read, or counts it when there are many of its rule already.
    #[cold]
    pub fn add<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        place: Place,
        message: impl FnOnce() -> M,
    ) {
        self.add_about(rule, self.subject, place, message);
    }

    /// [`Problems::add`] for something else than what is being read.
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

    /// The problem that was added last, for those that follow from it; none where it is only counted.
    pub fn last(&self) -> Option<Cause> {
        self.last
    }

    /// [`Problems::add_about`] for what follows from another problem. Without one it stands for itself.
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

    /// [`Problems::add_about`] for one of several of a rule that have the same cause, which is known by
    /// what all of them name, such as a file or an index: the first one is listed, and the others follow
    /// from it. Gives the first one, for what else follows.
    #[cold]
    pub fn add_alike<M: Into<Message>>(
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
            self.share(key);
        }
        first.or(self.last)
    }

    /// Returns the first listed problem of a kind.
    pub(crate) fn find(&self, is_it: impl Fn(&Problem) -> bool) -> Option<Cause> {
        let mut listed = self.listed.iter();
        listed.position(|listed| is_it(&listed.problem)).map(Cause)
    }

    /// Number of listed problems: a moment, for [`Problems::first_since`].
    pub(crate) fn moment(&self) -> usize {
        self.listed.len()
    }

    /// Returns the first problem that was listed since a moment.
    pub(crate) fn first_since(&self, moment: usize) -> Option<Cause> {
        (moment < self.listed.len()).then_some(Cause(moment))
    }

    /// Lets those that are alike follow from the problem that was added last.
    fn share(&mut self, key: Key) {
        if let Some(cause @ Cause(index)) = self.last
            && let Some(listed) = self.listed.get_mut(index)
        {
            listed.key = Some(key);
            self.alike.insert(key, cause);
        }
    }

    /// Lists why a part of the file cannot be read.
    pub(crate) fn add_error(&mut self, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            self.push(problem);
        }
    }

    /// [`Problems::add_error`] as a problem of another rule, which says what is lost.
    pub(crate) fn add_error_as(&mut self, rule: &'static Rule, error: ReadError) {
        if let ReadError::Unreadable(problem) = error {
            self.push(Problem {
                severity: rule.severity,
                rule,
                ..problem
            });
        }
    }

    /// Lists a problem that is made already.
    pub fn push(&mut self, problem: Problem) {
        self.put_after(None, problem.rule, problem.place, || problem);
    }

    /// [`Problems::push`] for what follows from another problem. Without one it stands for itself.
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
            Some(cause) => self.put_below(cause, rule, place, problem),
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

    /// Lists a problem below one from which it follows, or counts it there.
    fn put_below(
        &mut self,
        cause: Cause,
        rule: &'static Rule,
        place: Place,
        problem: impl FnOnce() -> Problem,
    ) {
        let of_rule = self.count_of(rule);
        if of_rule.consequences >= LISTED {
            self.count_below(cause, rule, place, 1);
            return;
        }
        of_rule.consequences += 1;
        self.last = None;
        if let Some(Listed { problem: cause, .. }) = self.listed.get_mut(cause.0) {
            cause.severity = cause.severity.max(rule.severity);
            cause.consequences.push(problem());
        }
    }

    /// Counts so many problems that follow from another and are not listed, with the place of the first.
    fn count_below(&mut self, cause: Cause, rule: &'static Rule, place: Place, count: usize) {
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

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        let mut listed = self.listed.iter();
        listed.any(|listed| listed.problem.severity == Severity::Error)
    }

    /// `true` if something in the file may be left out for one of them.
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

    /// Lists the problems of another part behind those that there are. Some of them may follow from a
    /// problem that there is.
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
                self.put_below(first, problem.rule, problem.place, || problem);
                Some(first)
            } else {
                self.push(problem);
                if let Some(key) = key {
                    self.share(key);
                }
                self.last
            };
            // Of what is not listed itself, nothing is known but that it is there.
            let Some(cause) = cause else {
                continue;
            };
            for problem in below {
                self.put_below(cause, problem.rule, problem.place, || problem);
            }
            if let Some(Unlisted { count, rule, place }) = unlisted {
                self.count_below(cause, rule, place, count);
            }
        }
        for other in others.counts {
            if let Some(place) = other.first_unlisted {
                let of_rule = self.count_of(other.rule);
                // Those that were listed are counted already.
                of_rule.found += other.unlisted;
                of_rule.unlisted += other.unlisted;
                of_rule.first_unlisted.get_or_insert(place);
            }
        }
    }

    /// Lists the problems of another part below a problem, those too that are not listed there.
    pub(crate) fn append_below(&mut self, mut others: Self, cause: Cause) {
        let counts = std::mem::take(&mut others.counts);
        self.append(others, Some(cause), |_| true);
        for other in counts {
            if let Some(place) = other.first_unlisted {
                self.count_below(cause, other.rule, place, other.unlisted as usize);
            }
        }
    }

    /// All problems by their place.
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

/// How many problems are errors, without those that follow from others.
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

    /// Gaps that have a few causes, each known by a number.
    fn alike(places: std::ops::Range<u64>) -> Problems {
        let mut problems = Problems::new();
        for place in places {
            let (rule, subject) = (&GAP, Subject::File);
            let message = || format!("gap of {}", place % 3);
            problems.add_alike(place % 3, rule, subject, Place::Offset(place), message);
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
            // However many there are, few are held.
            let held = parts.iter().map(|problem| problem.consequences.len());
            assert!(held.sum::<usize>() <= 103);
        }
        let whole = alike(0..600).finish();
        let last = whole[0].consequences.last().unwrap();
        assert_eq!((last.count, &*last.message), (165, "and 165 more"));
        assert_eq!(last.place, Place::Offset(105));
    }
}
