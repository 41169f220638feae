//! Which parts of two lists go together, and whether what others say of them is the same.
//!
//! Parts of one name do. Of those that are left, two of which all but the name is the same are one under
//! another name, and so is one in the place of another in a list whose parts others name by their places.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::parts::Line;
use super::{Comparison, Parts};
use crate::{Origin, OwnLine};

/// How many parts of either file whose names the other does not have are compared by what else is said of
/// them.
const MAX_RENAMED: usize = 1000;
/// How far down parts are looked into that are told apart by what they are made of: chunks of a level, then
/// cubes.
const MAX_DEPTH: usize = 2;
/// How much of each is looked at then.
const MAX_CONTENTS: usize = 1 << 16;

/// Which parts of two lists go together: of each of A that of B, and of each of B that of A.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) others: [Vec<Option<usize>>; 2],
}

/// What a part of a list is that others name: the same in both files where the two go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Identity {
    /// By its index in A.
    OfA(usize),
    /// Only B has it, at this index.
    OnlyInB(usize),
    /// Its list is not known, or has none of this number.
    Number(usize),
}

/// Which of the parts of a file has something.
#[derive(Debug, Clone, Copy, Default)]
enum Holder {
    #[default]
    Nobody,
    /// This one alone, by its index.
    One(usize),
    Several,
}

impl Holder {
    fn add(&mut self, index: usize) {
        *self = match *self {
            Self::Nobody => Self::One(index),
            Self::One(holder) if holder == index => return,
            _ => Self::Several,
        };
    }
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

    /// Whether all parts go with that of their number.
    pub(super) fn is_in_place(&self) -> bool {
        let [a, b] = &self.others;
        let mut all = a.iter().enumerate();
        a.len() == b.len() && all.all(|(index, other)| *other == Some(index))
    }

    /// Whether a part of A and one of B go together; of those that are in neither list, those of one number.
    fn go_together(&self, [index, other]: [usize; 2]) -> bool {
        let [of_a, of_b] = &self.others;
        match (of_a.get(index), of_b.get(other)) {
            (None, None) => index == other,
            (Some(matched), Some(_)) => *matched == Some(other),
            _ => false,
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
                let owner = list.owner(index).filter(|_| list.is_matched_by_owner);
                let owner = owner.map(|owner| self.identity(side, owner));
                let of_name = by_name.entry((list.key(index), owner)).or_default();
                of_name[side].push(index);
            }
        }
        let mut matches = Matches::new(lists.map(|list| list.count));
        let mut of_one_name = [0, 1].map(|_| HashMap::new());
        for (number, of_name) in by_name.into_values().enumerate() {
            match &of_name.each_ref().map(Vec::as_slice) {
                [[index], [other]] => matches.add([*index, *other]),
                [[], _] | [_, []] => {}
                _ => {
                    for (side, of_name) in of_name.into_iter().enumerate() {
                        of_one_name[side].extend(of_name.into_iter().map(|it| (it, number)));
                    }
                }
            }
        }
        if of_one_name.iter().any(|of_side| !of_side.is_empty()) {
            self.match_of_one_name(lists, &of_one_name, &mut matches);
        }
        // What is not in a list that is cut may be in the file.
        let can_be_renamed = |list: &&Parts<'_>| !list.is_matched_by_owner && !list.is_cut;
        if lists.iter().all(can_be_renamed) {
            self.match_renamed(lists, &mut matches);
        }
        matches
    }

    /// Matches parts of names that several have, each with the number of its name: first those of which all
    /// is the same, so that what is inserted among them is one difference, then those that are made of the same,
    /// then those that differ only in what they are made of, then those between the same others, and then one
    /// after the other.
    fn match_of_one_name(
        &self,
        lists: [&Parts<'_>; 2],
        of_one_name: &[HashMap<usize, usize>; 2],
        matches: &mut Matches,
    ) {
        let name = |side: usize, index| of_one_name[side].get(&index).copied();
        let said = [0, 1].map(|side| {
            let said = of_one_name[side].keys();
            let said = said.map(|index| (*index, self.said_of(lists[side], side, *index)));
            said.collect::<HashMap<_, _>>()
        });
        let said = |side: usize, index| said[side].get(&index);
        matches.match_alone(|side, index| Some((name(side, index)?, said(side, index)?.all)));
        for depth in 0..MAX_DEPTH {
            self.match_alike(lists, of_one_name, depth, matches);
        }
        let places = matches.places();
        let own = |side, index| Some((name(side, index)?, said(side, index)?.own));
        matches.match_alone(|side, index| Some((places[side][index], own(side, index)?)));
        matches.match_alone(own);
        let places = matches.places();
        matches.match_alone(|side, index| Some((places[side][index], name(side, index)?)));
        matches.match_alone(name);
    }

    /// Matches parts of one name by what they are made of, so far down: those that have the most in common that
    /// no other of their file has.
    fn match_alike(
        &self,
        lists: [&Parts<'_>; 2],
        of_one_name: &[HashMap<usize, usize>; 2],
        depth: usize,
        matches: &mut Matches,
    ) {
        if !lists.iter().all(|list| list.is_made_of_others()) {
            return;
        }
        let mut alone = matches.alone();
        for (side, alone) in alone.iter_mut().enumerate() {
            alone.retain(|index| of_one_name[side].contains_key(index));
        }
        // Of two there is no choice.
        if alone.iter().any(Vec::is_empty) || alone.iter().all(|alone| alone.len() == 1) {
            return;
        }
        let mut holders: HashMap<(usize, u64), [Holder; 2]> = HashMap::new();
        for (side, alone) in alone.iter().enumerate() {
            for index in alone {
                let mut contents = Vec::new();
                for list in lists[side].inner(*index) {
                    self.add_contents(side, &list, depth, &mut contents);
                }
                for content in contents {
                    let holders = holders.entry((of_one_name[side][index], content));
                    holders.or_default()[side].add(*index);
                }
            }
        }
        let mut common: HashMap<[usize; 2], usize> = HashMap::new();
        for holders in holders.into_values() {
            if let [Holder::One(index), Holder::One(other)] = holders {
                *common.entry([index, other]).or_default() += 1;
            }
        }
        let mut pairs: Vec<_> = common.into_iter().collect();
        // The same ones whichever file comes first.
        pairs.sort_by_key(|([index, other], count)| {
            (Reverse(*count), index + other, *index.min(other))
        });
        for (pair, _) in pairs {
            if [0, 1]
                .iter()
                .all(|side| matches.others[*side][pair[*side]].is_none())
            {
                matches.add(pair);
            }
        }
    }

    /// Adds numbers that stand for the parts of a list, or so far down for what they are made of; of a grid
    /// that is told by lines, for its rows.
    fn add_contents(&self, side: usize, list: &Parts<'_>, depth: usize, contents: &mut Vec<u64>) {
        let (mut raw, mut named) = (Vec::new(), Vec::new());
        let count = if list.has_lines {
            list.line_count(Line::Row)
        } else {
            list.lost_from
        };
        for index in 0..count {
            if contents.len() >= MAX_CONTENTS {
                return;
            }
            let inner = if depth > 0 {
                list.inner(index)
            } else {
                Vec::new()
            };
            for list in &inner {
                self.add_contents(side, list, depth - 1, contents);
            }
            if !inner.is_empty() {
                continue;
            }
            let mut hasher = DefaultHasher::new();
            list.what.hash(&mut hasher);
            let mut add = |index| {
                self.hash_part(side, list, index, &mut raw, &mut named, &mut hasher);
            };
            if list.has_lines {
                list.line(Line::Row, index).for_each(add);
            } else {
                add(index);
            }
            contents.push(hasher.finish());
        }
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
        // What is made of others is another where these are.
        if !lists[0].is_named_by_others || lists[0].is_made_of_others() {
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
        let own_lines = || own.iter().filter(|line| line.origin == Origin::File);
        // Some are called what they name.
        let is_named = own_lines().any(|line| line.names.is_none() && line.value == *name);
        let is_name = |line: &&OwnLine| line.value == *name && (line.names.is_none() || !is_named);
        let mut is_more = own_lines().count() > 1 || list.has_raw();
        let is_known = name.is_empty() || own_lines().any(|line| is_name(&line));
        if list.is_lost(index) || !is_known {
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
        let (mut raw, mut named) = (Vec::new(), Vec::new());
        for index in 0..list.lost_from {
            self.hash_part(side, list, index, &mut raw, &mut named, hasher);
        }
    }

    /// All that a file says of a part of a list: the bytes that stand for it, where there are any.
    fn hash_part(
        &self,
        side: usize,
        list: &Parts<'_>,
        index: usize,
        raw: &mut Vec<u8>,
        named: &mut Vec<(&'static str, usize)>,
        hasher: &mut DefaultHasher,
    ) {
        self.hash_bytes(side, list, index, raw, named, hasher);
        if list.has_raw() {
            return;
        }
        for line in list.own(index, self.documents[side]) {
            if line.origin == Origin::File {
                self.hash_line(side, &line, hasher);
            }
        }
        for inner in list.inner(index) {
            self.hash_list(side, &inner, hasher);
        }
    }

    /// The bytes that stand for a part, or what it names instead, and what it names besides.
    pub(super) fn hash_bytes(
        &self,
        side: usize,
        list: &Parts<'_>,
        index: usize,
        raw: &mut Vec<u8>,
        named: &mut Vec<(&'static str, usize)>,
        hasher: &mut DefaultHasher,
    ) {
        let instead = list.names_of().zip(list.named_by(index));
        match instead.map(|named| self.identity(side, named)) {
            Some(identity @ (Identity::OfA(_) | Identity::OnlyInB(_))) => identity.hash(hasher),
            Some(Identity::Number(_)) | None => {
                raw.clear();
                list.raw(index, raw);
                hasher.write(raw);
            }
        }
        named.clear();
        list.named_parts(index, named);
        for part in &*named {
            self.identity(side, *part).hash(hasher);
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

    /// Whether two parts of lists name the same parts of others, for which these are read.
    pub(super) fn name_same_parts(
        &self,
        lists: [&Parts<'_>; 2],
        at: [usize; 2],
        named: &mut [Vec<(&'static str, usize)>; 2],
    ) -> bool {
        for ((list, at), named) in lists.into_iter().zip(at).zip(&mut *named) {
            named.clear();
            list.named_parts(at, named);
        }
        let [a, b] = &*named;
        // Several in turn are of one kind.
        let mut last: Option<(&str, Option<&Matches>)> = None;
        a.len() == b.len()
            && a.iter().zip(b).all(|((what, index), (what_of_b, other))| {
                let of_last = last.filter(|(of, _)| of == what);
                let found = || (*what, self.named.get(what).map(Rc::as_ref));
                let (_, matches) = *last.insert(of_last.unwrap_or_else(found));
                let go_together = |matches: &Matches| matches.go_together([*index, *other]);
                what == what_of_b && matches.map_or(index == other, go_together)
            })
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

    /// All that a file says of a part.
    fn said_of(&self, list: &Parts<'_>, side: usize, index: usize) -> SaidOf {
        let mut hasher = DefaultHasher::new();
        for line in list.own(index, self.documents[side]) {
            if line.origin == Origin::File {
                self.hash_line(side, &line, &mut hasher);
            }
        }
        let (mut raw, mut named) = (Vec::new(), Vec::new());
        self.hash_bytes(side, list, index, &mut raw, &mut named, &mut hasher);
        let own = hasher.finish();
        for inner in list.inner(index) {
            self.hash_list(side, &inner, &mut hasher);
        }
        let all = hasher.finish();
        SaidOf { own, all }
    }
}

/// What a file says of a part, as numbers that are the same where that is.
struct SaidOf {
    /// Of the part itself.
    own: u64,
    /// Of what it is made of too.
    all: u64,
}
