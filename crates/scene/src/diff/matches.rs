//! Which parts of two lists go together, and whether what others say of them is the same.
//!
//! Parts of one name do. Of those that are left, two of which all but the name is the same are one under
//! another name, and so is one in the place of another in a list whose parts others name by their places.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Comparison, Parts};
use crate::{Document, Origin, OwnLine};

/// How many parts of either file whose names the other does not have are compared by what else is said of
/// them.
const MAX_RENAMED: usize = 1000;

/// Which parts of two lists go together: of each of A that of B, and of each of B that of A.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) others: [Vec<Option<usize>>; 2],
}

/// What a part of a list is that others name: the same in both files where the two go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// By its index in A.
    OfA(usize),
    /// Only B has it, at this index.
    OnlyInB(usize),
    /// Its list is not known, or has none of this number.
    Number(usize),
}

impl Matches {
    fn new(counts: [usize; 2]) -> Self {
        Self {
            others: counts.map(|count| vec![None; count]),
        }
    }

    fn add(&mut self, [index, other]: [usize; 2]) {
        let [of_a, of_b] = &mut self.others;
        if let (Some(of), Some(is)) = (of_a.get_mut(index), of_b.get_mut(other)) {
            (*of, *is) = (Some(other), Some(index));
        }
    }

    /// The parts of A and of B that go with none.
    fn alone(&self) -> [Vec<usize>; 2] {
        [0, 1].map(|side| {
            let all = self.others[side].iter().enumerate();
            let alone = all.filter(|(_, other)| other.is_none());
            alone.map(|(index, _)| index).collect()
        })
    }

    /// Where each part of A and of B is: behind which part of A that both have.
    fn places(&self) -> [Vec<Option<usize>>; 2] {
        [0, 1].map(|side| {
            let mut before = None;
            let all = self.others[side].iter().enumerate();
            let places = all.map(|(index, other)| {
                if let Some(other) = other {
                    before = Some(if side == 0 { index } else { *other });
                }
                before
            });
            places.collect()
        })
    }

    /// Matches the parts that go with none and have the same key, one after the other.
    fn match_alone<K: Eq + Hash>(&mut self, key: impl Fn(usize, usize) -> Option<K>) {
        let [alone_a, alone_b] = self.alone();
        let mut of_key: HashMap<K, VecDeque<usize>> = HashMap::new();
        for index in alone_b {
            if let Some(key) = key(1, index) {
                of_key.entry(key).or_default().push_back(index);
            }
        }
        for index in alone_a {
            let others = key(0, index).and_then(|key| of_key.get_mut(&key));
            if let Some(other) = others.and_then(VecDeque::pop_front) {
                self.add([index, other]);
            }
        }
    }
}

impl Comparison<'_> {
    /// Finds the parts that go together.
    pub(super) fn matches(&self, lists: [&Parts<'_>; 2]) -> Matches {
        let mut by_name: HashMap<_, [Vec<usize>; 2]> = HashMap::new();
        for (side, list) in lists.into_iter().enumerate() {
            for index in 0..list.count {
                let owner = list.owner(index).map(|owner| self.identity(side, owner));
                let of_name = by_name.entry((list.key(index), owner)).or_default();
                of_name[side].push(index);
            }
        }
        let mut matches = Matches::new(lists.map(|list| list.count));
        for of_name in by_name.into_values() {
            for pair in self.matched(lists, of_name) {
                matches.add(pair);
            }
        }
        // What is not in a list that is cut may be in the file.
        if !lists.iter().any(|list| list.has_owners() || list.is_cut) {
            self.match_renamed(lists, &mut matches);
        }
        matches
    }

    /// Matches parts that have other names.
    fn match_renamed(&self, lists: [&Parts<'_>; 2], matches: &mut Matches) {
        let alone = matches.alone();
        if alone
            .iter()
            .any(|alone| !(1..=MAX_RENAMED).contains(&alone.len()))
        {
            return;
        }
        let said = [0, 1].map(|side| {
            let said = alone[side].iter();
            let said = said.map(|index| (*index, self.said_besides_name(lists, side, *index)));
            said.collect::<HashMap<_, _>>()
        });
        let said = |side: usize, index| said[side].get(&index).copied().flatten();
        let places = matches.places();
        matches.match_alone(|side, index| Some((places[side][index], said(side, index)?)));
        matches.match_alone(said);
        if !lists[0].is_named_by_others {
            return;
        }
        // Where one is gone and another has come, what names it by its place names that.
        let (alone, places) = (matches.alone(), matches.places());
        let is_lost = |(list, alone): (&Parts<'_>, &Vec<usize>)| {
            alone.iter().any(|index| list.is_lost(*index))
        };
        if lists.into_iter().zip(&alone).any(is_lost) {
            return;
        }
        let count = |side: usize, place| {
            let alone = alone[side].iter();
            alone.filter(|index| places[side][**index] == place).count()
        };
        matches.match_alone(|side, index| {
            let place = places[side][index];
            (count(0, place) == count(1, place)).then_some(place)
        });
    }

    /// All that a file says of a part but what it is called, and whatever it is made of; none where its name is
    /// nothing that the file says, or all that it says.
    fn said_besides_name(&self, lists: [&Parts<'_>; 2], side: usize, index: usize) -> Option<u64> {
        let list = lists[side];
        let own = list.own(index, self.documents[side]);
        let name = list.key(index);
        let is_name = |line: &&OwnLine| line.names.is_none() && line.value == *name;
        let own_lines = || own.iter().filter(|line| line.origin == Origin::File);
        let mut is_more = own_lines().count() > 1 || list.has_raw();
        if list.is_lost(index) || !own_lines().any(|line| is_name(&line)) {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        for line in own_lines().filter(|line| !is_name(line)) {
            self.hash_line(side, line, &mut hasher);
        }
        let mut raw = Vec::new();
        list.raw(index, &mut raw);
        hasher.write(&raw);
        for inner in list.inner(index) {
            is_more |= inner.count > 0;
            self.hash_list(side, &inner, &mut hasher);
        }
        is_more.then(|| hasher.finish())
    }

    /// All that a file says of a list.
    fn hash_list(&self, side: usize, list: &Parts<'_>, hasher: &mut DefaultHasher) {
        (list.what, list.count).hash(hasher);
        let document: &dyn Document = self.documents[side];
        let (mut raw, mut named) = (Vec::new(), Vec::new());
        for index in 0..list.count {
            raw.clear();
            list.raw(index, &mut raw);
            hasher.write(&raw);
            named.clear();
            list.named_parts(index, &mut named);
            for part in &named {
                self.identity(side, *part).hash(hasher);
            }
            if !list.has_raw() {
                for line in list.own(index, document) {
                    if line.origin == Origin::File {
                        self.hash_line(side, &line, hasher);
                    }
                }
            }
            for inner in list.inner(index) {
                self.hash_list(side, &inner, hasher);
            }
        }
    }

    fn hash_line(&self, side: usize, line: &OwnLine, hasher: &mut DefaultHasher) {
        (line.title, line.name).hash(hasher);
        match &line.names {
            Some(named) => (self.identity(side, named.part), &named.besides).hash(hasher),
            None => line.value.to_string().hash(hasher),
        }
    }

    /// What a part is that is named in A or in B.
    pub(super) fn identity(&self, side: usize, (what, index): (&'static str, usize)) -> Identity {
        let matches = self.named.get(what);
        match matches.and_then(|matches| matches.others[side].get(index)) {
            None => Identity::Number(index),
            Some(_) if side == 0 => Identity::OfA(index),
            Some(Some(other)) => Identity::OfA(*other),
            Some(None) => Identity::OnlyInB(index),
        }
    }

    /// Whether a part that is named in A or in B is only there.
    pub(super) fn is_alone(&self, side: usize, (what, index): (&'static str, usize)) -> bool {
        let matches = self.named.get(what);
        let other = matches.and_then(|matches| matches.others[side].get(index));
        other.is_some_and(Option::is_none)
    }

    /// Whether two values are the same, given that two parts that are named may go together.
    pub(super) fn is_same_value(&self, [a, b]: [&OwnLine; 2]) -> bool {
        if let (Some(of_a), Some(of_b)) = (&a.names, &b.names)
            && self.named.contains_key(of_a.part.0)
            && of_a.part.0 == of_b.part.0
        {
            return self.identity(0, of_a.part) == self.identity(1, of_b.part)
                && of_a.besides == of_b.besides;
        }
        a.value == b.value
    }

    /// Whether two parts of lists name the same parts of others.
    pub(super) fn name_same_parts(&self, lists: [&Parts<'_>; 2], at: [usize; 2]) -> bool {
        let [a, b] = [0, 1].map(|side| {
            let mut named = Vec::new();
            lists[side].named_parts(at[side], &mut named);
            named
        });
        let mut both = a.iter().zip(&b);
        a.len() == b.len() && both.all(|(a, b)| self.identity(0, *a) == self.identity(1, *b))
    }

    /// Whether two parts name the same part of another list; none where they name nothing, or what has no
    /// counterpart on either side, so that their numbers tell.
    pub(super) fn name_the_same(&self, lists: [&Parts<'_>; 2], at: [usize; 2]) -> Option<bool> {
        let matches = self.named.get(lists[0].names_of()?)?;
        let [a, b] = [0, 1].map(|i| lists[i].named_by(at[i]));
        let [of_a, of_b] = &matches.others;
        let (other, is_matched) = (*of_a.get(a?)?, of_b.get(b?)?.is_some());
        (other.is_some() || is_matched).then_some(other == b)
    }

    /// Matches parts of one name: where there are several, first those of which all is the same, so
    /// that what is inserted among them is one difference, and then one after the other.
    fn matched(&self, lists: [&Parts<'_>; 2], [a, b]: [Vec<usize>; 2]) -> Vec<[usize; 2]> {
        if a.len() <= 1 && b.len() <= 1 {
            return a.into_iter().zip(b).map(|(a, b)| [a, b]).collect();
        }
        let mut pairs = Vec::new();
        let mut alike: HashMap<String, VecDeque<usize>> = HashMap::new();
        for index in b {
            let said = self.all_said(lists, 1, index);
            alike.entry(said).or_default().push_back(index);
        }
        let mut rest = Vec::new();
        for index in a {
            let said = self.all_said(lists, 0, index);
            match alike.get_mut(&said).and_then(VecDeque::pop_front) {
                Some(other) => pairs.push([index, other]),
                None => rest.push(index),
            }
        }
        let mut others: Vec<usize> = alike.into_values().flatten().collect();
        others.sort_unstable();
        pairs.extend(rest.into_iter().zip(others).map(|(a, b)| [a, b]));
        pairs
    }

    /// All that a file says of a part, as one text.
    fn all_said(&self, lists: [&Parts<'_>; 2], side: usize, index: usize) -> String {
        let own = lists[side].own(index, self.documents[side]);
        let lines = own.iter().filter(|line| line.origin == Origin::File);
        let lines = lines.map(|line| format!("{} {} {}\n", line.title, line.name, line.value));
        let mut said: String = lines.collect();
        let mut raw = Vec::new();
        lists[side].raw(index, &mut raw);
        said.extend(raw.iter().map(|byte| char::from(*byte)));
        said
    }
}
