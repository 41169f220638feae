//! Matches the parts of two lists.
//!
//! Lists without keys are aligned by the digests of their parts. Other lists are matched in passes,
//! each of which matches some of the remaining parts:
//!
//! 1. unique keys
//! 2. equal keys and equal data
//! 3. equal keys and shared children
//! 4. equal keys and the same position, the same preceding part, or the same order
//! 5. renamed parts with equal data
//! 6. parts that other lists reference by index, by their preceding part

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Comparison, aligned_pairs};
use crate::document::parts::{Content, Line, Matches, Parts};
use crate::{Origin, OwnLine};

/// Digest of all data of a part except its name.
#[derive(Debug, Clone, Copy)]
struct Digest {
    hash: u64,
    /// `true` if the file stores the name and also other data, which can identify a renamed part.
    can_be_renamed: bool,
}

impl Matches {
    fn new(counts: [usize; 2]) -> Self {
        Self {
            others: counts.map(|count| vec![None; count]),
        }
    }

    /// Adds a match, unless one of its parts already has one.
    fn add(&mut self, [index, other]: [usize; 2]) {
        let [of_a, of_b] = &mut self.others;
        if let (Some(a @ None), Some(b @ None)) = (of_a.get_mut(index), of_b.get_mut(other)) {
            (*a, *b) = (Some(other), Some(index));
        }
    }

    /// All parts of A with their matches, followed by the unmatched parts of B.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [Option<usize>; 2]> {
        let [of_a, of_b] = &self.others;
        let in_a = of_a.iter().enumerate();
        let in_b = of_b.iter().enumerate().filter(|(_, it)| it.is_none());
        in_a.map(|(index, other)| [Some(index), *other])
            .chain(in_b.map(|(index, _)| [None, Some(index)]))
    }

    /// The parts of A and of B without a match.
    fn unmatched(&self) -> [Vec<usize>; 2] {
        self.others.each_ref().map(|others| {
            let unmatched = others.iter().enumerate().filter(|(_, it)| it.is_none());
            unmatched.map(|(index, _)| index).collect()
        })
    }

    /// For each part of A and of B, the last matched part at or before it, by its index in A.
    fn anchors(&self) -> [Vec<Option<usize>>; 2] {
        [0, 1].map(|side| {
            let mut anchor = None;
            let all = self.others[side].iter().enumerate();
            all.map(|(index, other)| {
                if let Some(other) = other {
                    anchor = Some(if side == 0 { index } else { *other });
                }
                anchor
            })
            .collect()
        })
    }

    /// Matches unmatched parts of equal value, in order, if `accepts` accepts the numbers of such
    /// parts in A and B. `value` gets the side, the index, and the anchor of a part
    /// ([`Matches::anchors`]).
    fn match_by<K: Eq + Hash>(
        &mut self,
        accepts: impl Fn(usize, usize) -> bool,
        value: impl Fn(usize, usize, Option<usize>) -> Option<K>,
    ) {
        let anchors = self.anchors();
        let mut of_value: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
        for (side, unmatched) in self.unmatched().into_iter().enumerate() {
            for index in unmatched {
                if let Some(value) = value(side, index, anchors[side][index]) {
                    of_value.entry(value).or_default()[side].push(index);
                }
            }
        }
        for [a, b] in of_value.into_values() {
            if accepts(a.len(), b.len()) {
                a.into_iter().zip(b).for_each(|pair| self.add(pair.into()));
            }
        }
    }
}

impl Comparison<'_> {
    /// Matches the parts of two lists.
    pub(super) fn matches(&self, lists: [&Parts<'_>; 2]) -> Matches {
        let mut matches = Matches::new(lists.map(|list| list.count));
        if !lists.iter().any(|list| list.has_keys()) {
            let digests = [0, 1].map(|side| {
                let all = 0..lists[side].count;
                all.map(|index| self.digest(side, lists[side], index).hash)
                    .collect::<Vec<_>>()
            });
            for pair in aligned_pairs(&digests[0], &digests[1]) {
                if let [Some(index), Some(other)] = pair {
                    matches.add([index, other]);
                }
            }
            return matches;
        }
        // A part without a key is matched by its owner.
        let keys = [0, 1].map(|side| {
            let list = lists[side];
            let owner = |index| Some(self.references.identity(side, list.owner(index)?));
            let key = |index| match list.key(index) {
                Some(key) => (Some(key), None),
                None => (None, owner(index)),
            };
            (0..list.count).map(key).collect::<Vec<_>>()
        });
        let key = |side: usize, index: usize| keys[side].get(index);
        let are_single = |a, b| a == 1 && b == 1;
        matches.match_by(are_single, |side, index, _| key(side, index));
        // Most lists are fully matched at this point.
        let unmatched = matches.unmatched();
        if unmatched.iter().any(Vec::is_empty) {
            return matches;
        }
        let digests = [0, 1].map(|side| {
            let digest = |index: &usize| (*index, self.digest(side, lists[side], *index));
            unmatched[side]
                .iter()
                .map(digest)
                .collect::<HashMap<_, _>>()
        });
        let digest =
            |side: usize, index| Some((key(side, index)?, digests[side].get(&index)?.hash));
        let renamed = |side: usize, index| {
            let digest = digests[side].get(&index)?;
            digest.can_be_renamed.then_some(digest.hash)
        };
        let any = |_, _| true;
        matches.match_by(any, |side, index, _| digest(side, index));
        self.match_similar(lists, key, &mut matches);
        matches.match_by(are_single, |side, index, _| {
            Some((key(side, index)?, lists[side].position(index)?))
        });
        matches.match_by(any, |side, index, anchor| Some((key(side, index)?, anchor)));
        matches.match_by(any, |side, index, _| key(side, index));
        matches.match_by(any, |side, index, anchor| {
            Some((renamed(side, index)?, anchor))
        });
        matches.match_by(any, |side, index, _| renamed(side, index));
        if lists[0].is_referenced {
            // A reference by index now refers to the part that took the index.
            matches.match_by(|a, b| a == b, |_, _, anchor| Some(anchor));
        }
        matches
    }

    /// Matches parts of the same key that share children, the pairs with the most shared children
    /// first. Children that occur in several parts of a file are ignored.
    fn match_similar<'k, K: Eq + Hash + 'k>(
        &self,
        lists: [&Parts<'_>; 2],
        key: impl Fn(usize, usize) -> Option<&'k K>,
        matches: &mut Matches,
    ) {
        let unmatched = matches.unmatched();
        if unmatched.iter().any(Vec::is_empty) || unmatched.iter().all(|parts| parts.len() == 1) {
            return;
        }
        let mut holders: HashMap<_, [HashSet<usize>; 2]> = HashMap::new();
        for (side, unmatched) in unmatched.iter().enumerate() {
            for index in unmatched {
                for child in self.child_digests(side, lists[side], *index) {
                    let holders = holders.entry((key(side, *index), child)).or_default();
                    holders[side].insert(*index);
                }
            }
        }
        let mut common: HashMap<[usize; 2], usize> = HashMap::new();
        for [a, b] in holders
            .into_values()
            .filter(|it| it.iter().all(|it| it.len() == 1))
        {
            for pair in a.into_iter().zip(b) {
                *common.entry(pair.into()).or_default() += 1;
            }
        }
        let mut pairs: Vec<_> = common.into_iter().collect();
        // The sort key is symmetric: exchanging the files gives the same matches.
        pairs.sort_by_key(|([index, other], count)| {
            (Reverse(*count), index + other, *index.min(other))
        });
        for (pair, _) in pairs {
            matches.add(pair);
        }
    }

    /// Digests of the children of a part. For children in a grid, digests of the rows.
    fn child_digests(&self, side: usize, list: &Parts<'_>, index: usize) -> Vec<u64> {
        let children = list.compared_children(index).into_iter();
        let digests = children.map(|list| match list.columns {
            Some(_) => self.line_hashes(side, &list, Line::Row),
            None => (0..list.count)
                .map(|index| {
                    let mut hasher = DefaultHasher::new();
                    let digest = self.digest(side, &list, index);
                    (list.what, list.key(index), digest.hash).hash(&mut hasher);
                    hasher.finish()
                })
                .collect(),
        });
        digests.flatten().collect()
    }

    /// Digests of the rows or columns of a grid.
    pub(super) fn line_hashes(&self, side: usize, list: &Parts<'_>, line: Line) -> Vec<u64> {
        let hash = |at| {
            let mut content = Content::new(side, &self.references);
            list.add_line(line, at, &mut content);
            content.digest()
        };
        (0..list.line_count(line)).map(hash).collect()
    }

    /// The digest of the content of a part, if it has one.
    pub(super) fn content(&self, side: usize, list: &Parts<'_>, index: usize) -> Option<u64> {
        let mut content = Content::new(side, &self.references);
        let has_content = list.add_content(index..index + 1, &mut content);
        has_content.then(|| content.digest())
    }

    /// Digest of all data of a part: its content if it has any, otherwise its children and its
    /// fields without the name.
    fn digest(&self, side: usize, list: &Parts<'_>, index: usize) -> Digest {
        let (content, key) = (self.content(side, list, index), list.key(index));
        if let (Some(hash), None) = (content, &key) {
            return Digest {
                hash,
                can_be_renamed: false,
            };
        }
        let name = key.unwrap_or_default();
        let own: Vec<OwnLine> = list
            .own(index, self.documents[side])
            .into_iter()
            .filter(|line| line.origin == Origin::File)
            .collect();
        let is_value = |line: &&OwnLine| line.value == *name;
        // Some parts have the same name as the part that they reference.
        let stores_name = own.iter().filter(is_value).any(|line| line.names.is_none());
        let is_name = |line: &OwnLine| is_value(&line) && (line.names.is_none() || !stores_name);
        let is_named = name.is_empty() || own.iter().any(is_name);
        let mut has_more = content.is_some() || own.len() > 1;
        let hash = content.unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            for line in own.iter().filter(|line| !is_name(line)) {
                self.hash_line(side, line, &mut hasher);
            }
            let children = self.child_digests(side, list, index);
            has_more |= !children.is_empty();
            children.hash(&mut hasher);
            hasher.finish()
        });
        Digest {
            hash,
            can_be_renamed: is_named && has_more,
        }
    }

    fn hash_line(&self, side: usize, line: &OwnLine, hasher: &mut DefaultHasher) {
        (line.title, line.name, &line.key).hash(hasher);
        match &line.names {
            Some(named) => {
                (self.references.identity(side, named.part), &named.remainder).hash(hasher);
            }
            None => line.value.to_string().hash(hasher),
        }
    }

    /// Returns `true` if two values are equal. References are equal if their targets are matched.
    pub(super) fn is_same_value(&self, [a, b]: [&OwnLine; 2]) -> bool {
        match (&a.names, &b.names) {
            (Some(of_a), Some(of_b))
                if of_a.part.0 == of_b.part.0 && self.references.get(of_a.part.0).is_some() =>
            {
                let [one, other] = [of_a, of_b].map(|named| named.part);
                self.references.identity(0, one) == self.references.identity(1, other)
                    && of_a.remainder == of_b.remainder
            }
            _ => a.value == b.value,
        }
    }
}
