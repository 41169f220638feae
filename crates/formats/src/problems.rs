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
    /// If something is only tried, how many it may have, which do not matter; none that is read.
    allowed: Option<usize>,
}

/// The id of a rule, and the hash of what the cause of several problems is known by.
type Key = (&'static str, u64);

/// A problem in a list from which others can follow; those that were listed first are least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(usize);

impl Cause {
    /// The moment at which it was listed: how many were listed before it.
    pub(crate) fn moment(self) -> usize {
        self.0
    }
}

/// A problem with what follows from it.
#[derive(Debug)]
struct Listed {
    problem: Problem,
    /// What it shares with those that are alike.
    key: Option<Key>,
    unlisted: Option<Unlisted>,
    /// The problem from which it turned out to follow.
    cause: Option<Cause>,
}

impl Listed {
    /// Takes another for one that follows from it.
    fn add_below(&mut self, below: Self) {
        self.problem.add_consequence(below.problem);
        if let Some(more) = below.unlisted {
            let none = Unlisted { count: 0, ..more };
            self.unlisted.get_or_insert(none).count += more.count;
        }
    }
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

    /// An empty list of what is only tried: it only matters whether it has more problems than so many.
    pub(crate) fn of_trial(allowed: usize) -> Self {
        Self {
            allowed: Some(allowed),
            ..Self::default()
        }
    }

    /// Whether what it is of is only tried.
    pub(crate) fn is_trial(&self) -> bool {
        self.allowed.is_some()
    }

    /// Whether something was tried that has too many problems, so that the rest of it does not matter.
    #[inline]
    pub(crate) fn has_failed(&self) -> bool {
        self.allowed
            .is_some_and(|allowed| self.listed.len() > allowed)
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
        // Nobody reads what is said of what is only tried, and thousands of things are.
        let is_trial = self.is_trial();
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

    /// How many are listed: a moment, for [`Problems::first_since`].
    pub(crate) fn moment(&self) -> usize {
        self.listed.len()
    }

    /// The first problem of a kind that was listed since a moment.
    pub(crate) fn find_since(
        &self,
        moment: usize,
        is_it: impl Fn(&Problem) -> bool,
    ) -> Option<Cause> {
        let mut since = self.listed.iter().enumerate().skip(moment);
        let found = since.find(|(_, listed)| is_it(&listed.problem));
        found.map(|(index, _)| Cause(index))
    }

    /// The first problem that was listed since a moment.
    pub(crate) fn first_since(&self, moment: usize) -> Option<Cause> {
        (moment < self.listed.len()).then_some(Cause(moment))
    }

    /// The first error that was listed since a moment.
    pub(crate) fn first_error_since(&self, moment: usize) -> Option<Cause> {
        self.find_since(moment, |problem| problem.severity == Severity::Error)
    }

    /// Lets others that are listed follow from a problem, as far as they do.
    pub(crate) fn fold(&mut self, cause: Cause, follows: impl Fn(&Problem) -> bool) {
        self.fold_some_since(0, cause, follows);
    }

    /// Lets all that were listed since a moment follow from a problem.
    pub(crate) fn fold_since(&mut self, moment: usize, cause: Cause) {
        self.fold_some_since(moment, cause, |_| true);
    }

    /// Lets all that were found after a problem follow from it, those too that are not listed.
    pub(crate) fn fold_behind(&mut self, cause: Cause) {
        self.fold_since(cause.0 + 1, cause);
        let unlisted = self.counts.iter_mut().filter_map(|of_rule| {
            let place = of_rule.first_unlisted.take()?;
            let count = std::mem::take(&mut of_rule.unlisted) as usize;
            of_rule.found -= count as u64;
            Some((of_rule.rule, place, count))
        });
        for (rule, place, count) in unlisted.collect::<Vec<_>>() {
            self.count_below(cause, rule, place, count);
        }
    }

    /// Where a problem is.
    pub(crate) fn place_of(&self, cause: Option<Cause>) -> Option<Place> {
        let listed = self.listed.get(cause?.0)?;
        Some(listed.problem.place)
    }

    /// What a problem is about.
    pub(crate) fn subject_of(&self, cause: Cause) -> Option<Subject> {
        self.listed
            .get(cause.0)
            .map(|listed| listed.problem.subject)
    }

    /// Lets another problem follow from a problem.
    pub(crate) fn fold_one(&mut self, cause: Cause, other: Cause) {
        let cause = self.root(cause);
        if let Some(listed) = self.listed.get_mut(other.0).filter(|_| other != cause) {
            listed.cause = Some(cause);
        }
    }

    /// The same of some of them.
    pub(crate) fn fold_some_since(
        &mut self,
        moment: usize,
        cause: Cause,
        follows: impl Fn(&Problem) -> bool,
    ) {
        let cause = self.root(cause);
        for (index, listed) in self.listed.iter_mut().enumerate().skip(moment) {
            if Cause(index) != cause && listed.cause.is_none() && follows(&listed.problem) {
                listed.cause = Some(cause);
            }
        }
    }

    /// What a problem follows from in the end; itself if it follows from nothing.
    fn root(&self, cause: Cause) -> Cause {
        root(&self.listed, cause)
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
        if self.has_failed() {
            return;
        }
        let of_rule = self.count_of(rule);
        of_rule.found += 1;
        if of_rule.found <= LISTED {
            self.last = Some(Cause(self.listed.len()));
            self.listed.push(Listed {
                problem: problem(),
                key: None,
                unlisted: None,
                cause: None,
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
            ..
        } in folded(others.listed).into_iter().flatten()
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
        let listed = folded(self.listed);
        let listed = listed.into_iter().flatten().map(|listed| {
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

/// What a problem of a list follows from in the end; itself if it follows from nothing.
fn root(listed: &[Listed], mut cause: Cause) -> Cause {
    while let Some(above) = listed.get(cause.0).and_then(|listed| listed.cause) {
        cause = above;
    }
    cause
}

/// The problems of a list with those below them that turned out to follow from them.
fn folded(listed: Vec<Listed>) -> Vec<Option<Listed>> {
    let roots = (0..listed.len()).map(|index| root(&listed, Cause(index)));
    let roots: Vec<Cause> = roots.collect();
    let mut listed: Vec<Option<Listed>> = listed.into_iter().map(Some).collect();
    for (index, Cause(root)) in roots.into_iter().enumerate() {
        if index != root
            && let Some(below) = listed[index].take()
            && let Some(Some(cause)) = listed.get_mut(root)
        {
            cause.add_below(below);
        }
    }
    listed
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

    #[test]
    fn what_turns_out_to_follow_is_folded_below_its_cause() {
        let mut problems = alike(0..6);
        let moment = problems.moment();
        assert_eq!(problems.first_since(moment), None);
        for place in 10..13 {
            problems.add(&TYPO, Place::Offset(place), || "typo".to_owned());
        }
        let cause = problems.first_since(moment).unwrap();
        let last = problems.last().unwrap();
        problems.fold(last, |problem| problem.place == Place::Offset(11));
        problems.fold(cause, |problem| problem.place != Place::Offset(0));
        // The last follows from the first, and what follows from the last does too.
        problems.fold(last, |problem| problem.place == Place::Offset(10));
        problems.add_consequence(Some(last), &TYPO, Subject::File, Place::Offset(20), || {
            "typo".to_owned()
        });
        let found = problems.finish();
        let places = |problem: &Problem| -> Vec<Place> {
            problem.with_consequences().map(|it| it.place).collect()
        };
        let found: Vec<_> = found.iter().map(places).collect();
        assert_eq!(
            found,
            [&[0, 3][..], &[10, 1, 2, 4, 5, 11, 12, 20]].map(|places| {
                let places = places.iter().copied();
                places.map(Place::Offset).collect::<Vec<_>>()
            })
        );
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
    fn how_many_more_follow_is_said_last() {
        let mut problems = alike(0..600);
        let cause = problems.first_since(0);
        problems.add(&TYPO, Place::Offset(900), || "typo".to_owned());
        problems.fold_since(600, cause.unwrap());
        problems.fold(cause.unwrap(), |problem| problem.rule == &TYPO);
        let found = problems.finish();
        let [.., typo, more] = &found[0].consequences[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&*typo.message, more.count), ("typo", 165));
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
