//! The list of what is wrong with a file, which stays short however much is wrong.

use super::{Place, Problem, Severity};

/// How many problems of a kind are listed.
const LISTED: u64 = 100;

/// What can be wrong with a file of a format that can be shown all the same.
pub(super) trait Kind: Copy {
    /// How bad each kind is, and what there are more of when not all are listed.
    const KINDS: &'static [(Severity, &'static str)];

    /// Its index in [`Kind::KINDS`].
    fn index(self) -> usize;
}

/// What can be wrong with a text file.
pub(super) trait TextKind: Kind {
    /// Something odd in the head of the file.
    const HEADER: Self;
    /// Something in the head of the file on which the engine refuses all of it.
    const REFUSED: Self;
    /// A line that is too long for the engine.
    const LONG_LINE: Self;
}

/// Problems as they are found.
#[derive(Debug)]
pub(super) struct Problems<K> {
    /// Each with the index of its kind.
    listed: Vec<(usize, Problem)>,
    /// Of each kind, how many there are, and where the first one is that is not listed. Empty as
    /// long as nothing is wrong.
    counts: Vec<(u64, Option<Place>)>,
    kind: std::marker::PhantomData<K>,
}

impl<K: Kind> Problems<K> {
    pub(super) fn new() -> Self {
        Self {
            listed: Vec::new(),
            counts: Vec::new(),
            kind: std::marker::PhantomData,
        }
    }

    /// Lists a problem, or counts it when there are many of its kind already.
    #[cold]
    pub(super) fn add(&mut self, kind: K, place: Place, message: impl FnOnce() -> String) {
        let kind = kind.index();
        self.put(kind, place, || Problem {
            severity: K::KINDS[kind].0,
            place,
            message: message(),
        });
    }

    fn put(&mut self, kind: usize, place: Place, problem: impl FnOnce() -> Problem) {
        self.counts.resize(K::KINDS.len(), (0, None));
        let (count, first_unlisted) = &mut self.counts[kind];
        *count += 1;
        if *count <= LISTED {
            self.listed.push((kind, problem()));
        } else {
            first_unlisted.get_or_insert(place);
        }
    }

    /// Lists the problems of another part behind those that there are.
    pub(super) fn append(&mut self, others: Self) {
        for (kind, problem) in others.listed {
            self.put(kind, problem.place, || problem);
        }
        for (kind, (count, first_unlisted)) in others.counts.into_iter().enumerate() {
            if let Some(place) = first_unlisted {
                // Those that were listed are counted already.
                self.counts[kind].0 += count - LISTED;
                self.counts[kind].1.get_or_insert(place);
            }
        }
    }

    /// All problems by their place.
    pub(super) fn finish(self) -> Vec<Problem> {
        let mut problems: Vec<_> = self
            .listed
            .into_iter()
            .map(|(_, problem)| problem)
            .collect();
        for (&(severity, noun), (count, first_unlisted)) in K::KINDS.iter().zip(self.counts) {
            if let Some(place) = first_unlisted {
                problems.push(Problem {
                    severity,
                    place,
                    message: format!("and {} more {noun}", count - LISTED),
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

    #[derive(Debug, Clone, Copy)]
    struct Typo;

    impl Kind for Typo {
        const KINDS: &'static [(Severity, &'static str)] = &[(Severity::Warning, "typos")];

        fn index(self) -> usize {
            0
        }
    }

    fn typos(places: std::ops::Range<u64>) -> Problems<Typo> {
        let mut problems = Problems::new();
        for place in places {
            problems.add(Typo, Place::Offset(place), || "typo".to_owned());
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
        assert_eq!(whole[100].to_string(), "0x64: warning: and 150 more typos");
    }
}
