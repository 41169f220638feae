//! The list of what is wrong with a file, which stays short however much is wrong.

use crate::{Place, Problem, ReadError, Rule, Severity, Subject};

/// Problems as they are found: of each rule the first 100, and then how many more there are.
#[derive(Debug, Default)]
pub struct Problems {
    /// What is being read, which problems are about unless they say otherwise.
    pub subject: Subject,
    listed: Vec<Problem>,
    counts: Vec<Count>,
}

/// How many problems there are of a rule.
#[derive(Debug)]
struct Count {
    rule: &'static Rule,
    found: u64,
    /// Where the first one is that is not listed.
    first_unlisted: Option<Place>,
}

/// As [`Problems::LISTED`].
const LISTED: u64 = Problems::LISTED;

impl Problems {
    /// How many problems of a rule are listed.
    pub const LISTED: u64 = 100;

    /// An empty list.
    pub const fn new() -> Self {
        Self {
            subject: Subject::File,
            listed: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Lists a problem of what is being read, or counts it when there are many of its rule already.
    #[cold]
    pub fn add(&mut self, rule: &'static Rule, place: Place, message: impl FnOnce() -> String) {
        self.add_about(rule, self.subject, place, message);
    }

    /// [`Problems::add`] for something else than what is being read.
    #[cold]
    pub fn add_about(
        &mut self,
        rule: &'static Rule,
        subject: Subject,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        self.put(rule, place, || {
            Problem::new(rule, subject, place, message())
        });
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
            self.add_about(rule, problem.subject, problem.place, || problem.message);
        }
    }

    /// Lists a problem that is made already.
    pub fn push(&mut self, problem: Problem) {
        self.put(problem.rule, problem.place, || problem);
    }

    fn put(&mut self, rule: &'static Rule, place: Place, problem: impl FnOnce() -> Problem) {
        let of_rule = self.count_of(rule);
        of_rule.found += 1;
        if of_rule.found <= LISTED {
            self.listed.push(problem());
        } else {
            of_rule.first_unlisted.get_or_insert(place);
        }
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        let mut rules = self.counts.iter().map(|count| count.rule);
        rules.any(|rule| rule.severity == Severity::Error)
    }

    fn count_of(&mut self, rule: &'static Rule) -> &mut Count {
        let known = self.counts.iter().position(|count| count.rule == rule);
        let index = known.unwrap_or(self.counts.len());
        if known.is_none() {
            self.counts.push(Count {
                rule,
                found: 0,
                first_unlisted: None,
            });
        }
        &mut self.counts[index]
    }

    /// Lists the problems of another part behind those that there are.
    pub(crate) fn append(&mut self, others: Self) {
        for problem in others.listed {
            self.push(problem);
        }
        for other in others.counts {
            if let Some(place) = other.first_unlisted {
                let of_rule = self.count_of(other.rule);
                // Those that were listed are counted already.
                of_rule.found += other.found - LISTED;
                of_rule.first_unlisted.get_or_insert(place);
            }
        }
    }

    /// All problems by their place.
    pub fn finish(self) -> Vec<Problem> {
        let mut problems = self.listed;
        for Count {
            rule,
            found,
            first_unlisted,
        } in self.counts
        {
            if let Some(place) = first_unlisted {
                let count = (found - LISTED) as usize;
                let message = format!("and {count} more of this rule");
                problems.push(Problem {
                    count,
                    ..Problem::new(rule, Subject::File, place, message)
                });
            }
        }
        problems.sort_by_key(|problem| problem.place);
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;

    static TYPO: Rule = Rule {
        id: "test/typo",
        severity: Severity::Warning,
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
            parts.append(typos(cuts[0]..cuts[1]));
            parts.append(typos(cuts[1]..250));
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
}
