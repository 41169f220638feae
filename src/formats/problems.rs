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
    /// A line that is too long for the engine.
    const LONG_LINE: Self;
}

/// Problems as they are found.
#[derive(Debug)]
pub(super) struct Problems<K> {
    listed: Vec<Problem>,
    /// Of each kind, how many there are, and where the first one is that is not listed.
    counts: Vec<(u64, Option<Place>)>,
    kind: std::marker::PhantomData<K>,
}

impl<K: Kind> Problems<K> {
    pub(super) fn new() -> Self {
        Self {
            listed: Vec::new(),
            counts: vec![(0, None); K::KINDS.len()],
            kind: std::marker::PhantomData,
        }
    }

    /// Lists a problem, or counts it when there are many of its kind already.
    #[cold]
    pub(super) fn add(&mut self, kind: K, place: Place, message: impl FnOnce() -> String) {
        let (count, first_unlisted) = &mut self.counts[kind.index()];
        *count += 1;
        if *count <= LISTED {
            self.listed.push(Problem {
                severity: K::KINDS[kind.index()].0,
                place,
                message: message(),
            });
        } else {
            first_unlisted.get_or_insert(place);
        }
    }

    /// All problems by their place.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        for (&(severity, noun), (count, first_unlisted)) in K::KINDS.iter().zip(self.counts) {
            if let Some(place) = first_unlisted {
                self.listed.push(Problem {
                    severity,
                    place,
                    message: format!("and {} more {noun}", count - LISTED),
                });
            }
        }
        self.listed.sort_by_key(|problem| problem.place);
        self.listed
    }
}
