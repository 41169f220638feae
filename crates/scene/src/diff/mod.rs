//! What differs between two documents of a format, in the terms of the format.
//!
//! A document lists what its file is made of ([`Document::parts`]), and its tables of fields say what
//! the file says of each ([`Document::own`]). Everything else is the same for all formats: parts are
//! matched by name, by place, by number or by the order of those that are the same, what is the same at a
//! glance is passed over, and of the rest the fields are compared. A part that names another, such as a tile
//! its material, is the same while the two that are named are matched, whatever they are called.

mod align;
mod fields;
mod matches;
mod outline;
mod parts;
mod text;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::rc::Rc;

use thiserror::Error;

pub use self::fields::FieldChange;
use self::fields::{compared, only_in};
use self::matches::Matches;
pub use self::outline::{ChangeLines, change_color};
pub use self::parts::Parts;
use self::parts::{Line, Order};
pub use self::text::{Told, tell};
use crate::rules::is_of_file;
use crate::{Document, Item, OwnLine};
use mapscope_formats::{Format, Place, Problem, is_of_end};

/// How many differences of each kind are listed; the others are counted.
pub const MAX_LISTED: usize = 1000;
/// What an error is that leaves something out, where nothing else differs.
const ERROR: &str = "error";
/// How many cells of two grids are compared at once: a page of memory or so.
const RUN: usize = 1024;
/// How many names a changed order lists.
const MAX_NAMES: usize = 32;

/// What differs between two documents, A and B.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// What differs of each kind, in the order of the format.
    pub groups: Vec<DiffGroup>,
    /// The differences that are listed, group by group.
    pub differences: Vec<Difference>,
    /// The error of A, and of B, that left something of it out, which is not compared; where the file
    /// ends too early, that one.
    pub not_read: [Option<Problem>; 2],
}

/// How many parts of a kind differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffGroup {
    /// What they are, such as `tile`.
    pub what: &'static str,
    /// How many there are in both, but not the same.
    pub changed: u64,
    /// How many there are only in A, and only in B.
    pub only_in: [u64; 2],
    /// How many of all these are listed.
    pub listed: usize,
}

impl DiffGroup {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.changed + self.only_in.iter().sum::<u64>()
    }
}

/// Something that is not the same in two documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What it is, such as `tile`.
    pub what: &'static str,
    /// Its name or its place, as the format has it.
    pub place: String,
    /// Whether A has it, and whether B has it.
    pub is_in: [bool; 2],
    /// What it is in A and in B, where it can be pointed at.
    pub items: [Option<Item>; 2],
    /// Where it stands in each file, where that is known.
    pub at: [Option<String>; 2],
    /// What is said of it in A and in B.
    pub fields: Vec<FieldChange>,
}

/// Why two documents cannot be compared.
#[derive(Debug, Error)]
pub enum DiffError {
    /// They have nothing in common.
    #[error("{} is a file of another format than {}; expected two of the same format", .0[0].name, .0[1].name)]
    Formats([&'static Format; 2]),
    /// They are not made of parts.
    #[error("files of the format {} cannot be compared", .0.name)]
    NoParts(&'static Format),
}

impl Diff {
    /// How many differences there are.
    pub fn count(&self) -> u64 {
        self.groups.iter().map(DiffGroup::count).sum()
    }

    /// Whether A and B have other errors that left something out, so that they are not the same.
    pub fn has_other_errors(&self) -> bool {
        let [a, b] = self.errors();
        a != b
    }

    /// Whether such errors are the differences.
    pub fn tells_errors(&self) -> bool {
        self.groups.iter().any(|group| group.what == ERROR)
    }

    /// Of these errors the places, rules and messages.
    fn errors(&self) -> [Option<(Place, &'static str, String)>; 2] {
        let said = |problem: &Problem| (problem.place, problem.rule.id, problem.message.clone());
        self.not_read.each_ref().map(|it| it.as_ref().map(said))
    }

    /// Takes the errors that left something out for the differences if nothing that was read differs. It is for
    /// files of other bytes: those of the same bytes are the same whatever is wrong with them.
    pub fn tell_errors(&mut self) {
        let [a, b] = self.errors();
        if self.count() > 0 || (&a, &b) == (&None, &None) {
            return;
        }
        let both = if a == b {
            vec![[a, b]]
        } else {
            let alone = [[a, None], [None, b]].into_iter();
            alone
                .filter(|both| both.iter().any(Option::is_some))
                .collect()
        };
        let is_in = |both: &[Option<_>; 2]| both.each_ref().map(Option::is_some);
        let count = |of: [bool; 2]| both.iter().filter(|both| is_in(both) == of).count() as u64;
        self.groups.push(DiffGroup {
            what: ERROR,
            changed: count([true, true]),
            only_in: [count([true, false]), count([false, true])],
            listed: both.len(),
        });
        self.differences = both
            .into_iter()
            .map(|both| {
                let rule = both.iter().flatten().map(|(_, rule, _)| *rule).next();
                Difference {
                    what: ERROR,
                    place: rule.unwrap_or_default().to_owned(),
                    is_in: is_in(&both),
                    items: [None; 2],
                    at: both
                        .each_ref()
                        .map(|error| error.as_ref().map(|(place, ..)| place.to_string())),
                    fields: vec![FieldChange::new(
                        "message",
                        both.map(|error| error.map(|(.., message)| message.into())),
                    )],
                }
            })
            .collect();
    }

    /// Compares two documents.
    ///
    /// # Errors
    /// When they are of different formats.
    pub fn of(documents: [&dyn Document; 2]) -> Result<Self, DiffError> {
        let formats = documents.map(|document| document.about().format);
        let [format, other] = formats;
        if format.id != other.id {
            return Err(DiffError::Formats(formats));
        }
        let lists = documents.map(Document::parts);
        let [Some(a), Some(b)] = lists else {
            return Err(DiffError::NoParts(format));
        };
        let mut comparison = Comparison {
            documents,
            diff: Self {
                not_read: documents.map(not_read),
                ..Self::default()
            },
            groups: HashMap::new(),
            raw: Default::default(),
            named: HashMap::new(),
            parts_named: Default::default(),
        };
        comparison.lists([a, b], "");
        let Comparison { mut diff, .. } = comparison;
        // Those of lists within lists come in turns.
        let order: HashMap<&str, usize> = comparison.groups;
        diff.differences
            .sort_by_key(|difference| order.get(difference.what).copied());
        Ok(diff)
    }
}

/// The error of a file that left something of it out, itself or by what follows from it: that it ends too
/// early, or else the first one.
fn not_read(document: &dyn Document) -> Option<Problem> {
    let leaves_out = |problem: &Problem| is_of_file(problem.rule) && problem.may_leave_out();
    let problems = document.about().problems.iter();
    let mut errors = problems.filter(|problem| problem.with_consequences().any(leaves_out));
    let end = errors.clone().find(|problem| is_of_end(problem.rule));
    end.or_else(|| errors.next()).cloned()
}

/// Two documents, and what was found so far.
struct Comparison<'d> {
    documents: [&'d dyn Document; 2],
    diff: Diff,
    /// Of each kind its index among the groups.
    groups: HashMap<&'static str, usize>,
    /// For what a list says of a part.
    raw: [Vec<u8>; 2],
    /// Which parts of lists that others name go together.
    named: HashMap<&'static str, Rc<Matches>>,
    /// For what a part names.
    parts_named: [Vec<(&'static str, usize)>; 2],
}

impl Comparison<'_> {
    /// Compares lists of the same kinds.
    fn lists(&mut self, lists: [Vec<Parts<'_>>; 2], within: &str) {
        let [a, b] = lists.map(|mut lists| {
            lists.retain(|list| list.is_compared);
            lists
        });
        for first in a.iter().filter(|list| list.is_named_by_others) {
            self.named.remove(first.what);
            let second = b.iter().find(|list| list.is_like(first));
            if let Some(second) = second.filter(|second| !first.is_cut && !second.is_cut) {
                let matches = self.matches([first, second]);
                self.named.insert(first.what, Rc::new(matches));
            }
        }
        let mut others: Vec<Option<Parts<'_>>> = b.into_iter().map(Some).collect();
        for list in a {
            let mut others = others.iter_mut();
            let other = others.find(|other| other.as_ref().is_some_and(|it| it.is_like(&list)));
            let other = other.and_then(Option::take);
            let other = other.unwrap_or_else(|| list.without_any());
            self.list([&list, &other], within);
        }
        for other in others.into_iter().flatten() {
            self.list([&other.without_any(), &other], within);
        }
    }

    fn list(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        let [a, b] = lists;
        match (a.order, b.order) {
            (Order::Grid(size), Order::Grid(other)) if size == other => {
                self.in_place(lists, within);
            }
            (Order::Grid(size), Order::Grid(other))
                if a.has_lines && b.has_lines && (size[0] == other[0] || size[1] == other[1]) =>
            {
                let line = if size[1] == other[1] {
                    Line::Row
                } else {
                    Line::Column
                };
                let turns = self.lines_in_turn(lists, line);
                self.by_lines(lists, line, &turns, within);
            }
            (Order::Grid(size), Order::Grid(other)) => {
                let index = |[rows, cols]: [usize; 2], row, col| {
                    (row < rows && col < cols).then(|| row * cols + col)
                };
                // How many rows, and how much of a row, was read.
                let rows =
                    |list: &Parts<'_>, [_, cols]: [usize; 2]| list.lost_from.div_ceil(cols.max(1));
                let read = |list: &Parts<'_>, [_, cols]: [usize; 2], row: usize| {
                    list.lost_from
                        .saturating_sub(row.saturating_mul(cols))
                        .min(cols)
                };
                for row in 0..rows(a, size).max(rows(b, other)) {
                    for col in 0..read(a, size, row).max(read(b, other, row)) {
                        let at = [size, other].map(|size| index(size, row, col));
                        // Where one is wider and the other higher, neither has anything.
                        if at != [None; 2] {
                            self.pair(lists, at, within);
                        }
                    }
                }
            }
            (Order::Names, Order::Names) => self.by_name(lists, within),
            (Order::Sequence, Order::Sequence) => self.by_sequence(lists, within),
            _ => {
                for index in 0..a.count.max(b.count) {
                    let at = [a, b].map(|list| (index < list.count).then_some(index));
                    self.pair(lists, at, within);
                }
            }
        }
    }

    /// Compares parts that follow each other: those that are the same at a glance with each other, and
    /// those between them in turn.
    fn by_sequence(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        let [a, b] = [0, 1].map(|side| {
            let parts = 0..lists[side].count;
            self.hashes(side, lists[side], parts.map(std::iter::once))
        });
        for at in in_turn(&a, &b) {
            self.pair(lists, at, within);
        }
    }

    /// Compares grids of one size, in which rows or columns may have been inserted and as many removed.
    fn in_place(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        let [a, b] = lists;
        let are_numbers_same = self.named.values().all(|matches| matches.is_in_place());
        let count = a.lost_from.min(b.lost_from);
        let runs = (0..count).step_by(RUN);
        let runs = runs.map(|first| first..count.min(first + RUN));
        let runs = runs.filter(|run| !are_numbers_same || !a.has_same_memory(b, run.clone()));
        let different: Vec<usize> = runs
            .flatten()
            .filter(|cell| !self.is_same(lists, [*cell; 2]))
            .collect();
        if a.has_lines && b.has_lines {
            for line in [Line::Row, Line::Column] {
                // One that is inserted and one that is removed are as much, and more.
                if different.len() <= 2 * a.line(line, 0).len() || has_lost(a) || has_lost(b) {
                    continue;
                }
                let turns = self.lines_in_turn(lists, line);
                if self.is_less_by_lines(lists, line, &turns, different.len()) {
                    return self.by_lines(lists, line, &turns, within);
                }
            }
        }
        for index in different {
            self.pair(lists, [Some(index); 2], within);
        }
    }

    /// Of the rows or columns of two grids, in their order, those that are the same at a glance with each other,
    /// and those between them in turn.
    fn lines_in_turn(&mut self, lists: [&Parts<'_>; 2], line: Line) -> Vec<[Option<usize>; 2]> {
        let [a, b] = [0, 1].map(|side| {
            let lines = 0..lists[side].line_count(line);
            self.hashes(
                side,
                lists[side],
                lines.map(|it| lists[side].line(line, it)),
            )
        });
        in_turn(&a, &b).collect()
    }

    /// Whether fewer cells than so many differ by lines, with all of those that are only in one file.
    fn is_less_by_lines(
        &mut self,
        lists: [&Parts<'_>; 2],
        line: Line,
        turns: &[[Option<usize>; 2]],
        different: usize,
    ) -> bool {
        let mut count = 0;
        for at in turns {
            let [a, b] = [0, 1].map(|side| at[side].map(|at| lists[side].line(line, at)));
            count += match (a, b) {
                (Some(a), Some(b)) => {
                    let cells = a.zip(b);
                    cells
                        .filter(|at| !self.is_same(lists, (*at).into()))
                        .count()
                }
                (Some(alone), None) | (None, Some(alone)) => alone.len(),
                (None, None) => 0,
            };
            if count >= different {
                return false;
            }
        }
        true
    }

    /// Compares rows or columns of grids, of which those that only one file has are told together.
    fn by_lines(
        &mut self,
        lists: [&Parts<'_>; 2],
        line: Line,
        turns: &[[Option<usize>; 2]],
        within: &str,
    ) {
        let name = match line {
            Line::Row => "row",
            Line::Column => "column",
        };
        let has_lost = lists.map(|list| list.is_cut || has_lost(list));
        let mut turns = turns.iter().peekable();
        while let Some(at) = turns.next() {
            let ([Some(first), None] | [None, Some(first)]) = *at else {
                let [of_a, of_b] = [0, 1].map(|side| at[side].map(|at| lists[side].line(line, at)));
                for at in of_a.into_iter().flatten().zip(of_b.into_iter().flatten()) {
                    self.pair(lists, [Some(at.0), Some(at.1)], within);
                }
                continue;
            };
            let side = usize::from(at[0].is_none());
            let mut last = first;
            while let Some(next) =
                turns.next_if(|it| it[side] == Some(last + 1) && it[1 - side].is_none())
            {
                last = next[side].unwrap_or(last);
            }
            // What was not read makes no difference.
            if has_lost[1 - side] {
                continue;
            }
            let place = match last - first {
                0 => format!("{within}{name} {first}"),
                _ => format!("{within}{name}s {first} to {last}"),
            };
            let cells = (first..=last).flat_map(|it| lists[side].line(line, it));
            let cells = cells.filter(|cell| !lists[side].is_lost(*cell)).count();
            if cells == 0 {
                continue;
            }
            let mut found = Found::default();
            let values = [0, 1].map(|of| (of == side).then(|| cells.into()));
            found.fields.push(FieldChange::new("cells", values));
            let cell = lists[side].line(line, first).next();
            let at = [0, 1].map(|of| cell.filter(|_| of == side));
            self.add(lists, at, || place, |_| found);
        }
    }

    /// Numbers of which two are the same where the bytes that stand for parts are, and what these name.
    fn hashes<P: Iterator<Item = usize>>(
        &mut self,
        side: usize,
        list: &Parts<'_>,
        all: impl Iterator<Item = P>,
    ) -> Vec<u64> {
        let mut raw = std::mem::take(&mut self.raw[0]);
        let mut named = std::mem::take(&mut self.parts_named[0]);
        let hash = |parts: P| {
            let mut hasher = DefaultHasher::new();
            for index in parts {
                self.hash_bytes(side, list, index, &mut raw, &mut named, &mut hasher);
            }
            hasher.finish()
        };
        let hashes = all.map(hash).collect();
        self.raw[0] = raw;
        self.parts_named[0] = named;
        hashes
    }

    /// Compares parts of the same names.
    fn by_name(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        let known = self.named.get(lists[0].what);
        let known = known.filter(|_| lists[0].is_named_by_others).map(Rc::clone);
        let matches = known.unwrap_or_else(|| Rc::new(self.matches(lists)));
        let [of_a, of_b] = &matches.others;
        for (index, other) in of_a.iter().enumerate() {
            self.pair(lists, [Some(index), *other], within);
        }
        for (index, _) in (0..).zip(of_b).filter(|(_, other)| other.is_none()) {
            self.pair(lists, [None, Some(index)], within);
        }
        if lists.iter().all(|list| list.is_ordered) {
            self.order(lists, &matches, within);
        }
    }

    /// Adds that parts that both have come in another order, if they do. Those that stand on others have one on
    /// each of these.
    fn order(&mut self, lists: [&Parts<'_>; 2], matches: &Matches, within: &str) {
        let both = matches.others[0].iter().enumerate();
        let both = both.filter_map(|(index, other)| {
            let at = [index, (*other)?];
            let [on, on_in_b] = [0, 1].map(|side| {
                let owner = lists[side].owner(at[side]);
                owner.map(|owner| self.identity(side, owner))
            });
            (on == on_in_b).then_some((on, at))
        });
        let mut both: Vec<_> = both.collect();
        both.sort_by_key(|(on, _)| *on);
        if both.is_sorted_by_key(|(on, [_, other])| (*on, *other)) {
            return;
        }
        let mut others = both.clone();
        others.sort_by_key(|(on, [_, other])| (*on, *other));
        // From the first that is elsewhere on.
        let same = both
            .iter()
            .zip(&others)
            .take_while(|(is, should)| is == should);
        let same = same.count();
        // Under one name in both, whatever B calls or counts them.
        let names = |of: &[(_, [usize; 2])]| {
            let of = of.get(same..).unwrap_or_default();
            let more = of.len().saturating_sub(MAX_NAMES);
            let names = of.iter().take(MAX_NAMES);
            let names = names.map(|(_, [index, _])| lists[0].name(*index));
            let more = (more > 0).then(|| format!("and {more} more"));
            names.chain(more).collect::<Vec<_>>().into()
        };
        let moved = [&both, &others].map(|of| of.iter().map(|(_, [index, _])| *index).collect());
        let moved = Some(moved).filter(|_| both.len() - same > MAX_NAMES);
        let moved = moved.and_then(|orders| moved_names(lists[0], &orders));
        let values = moved.unwrap_or_else(|| [names(&both), names(&others)]);
        self.add(
            lists,
            [None; 2],
            || format!("{within}order"),
            |_| Found {
                at: [None, None],
                fields: vec![FieldChange::new("order", values.map(Some))],
            },
        );
    }

    /// Compares a part of A with one of B, or says that only one of them is there. What was not read on
    /// either side makes no difference.
    fn pair(&mut self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2], within: &str) {
        let is_unknown = |(list, at): (&Parts<'_>, Option<usize>)| match at {
            Some(index) => list.is_lost(index),
            None => list.is_cut,
        };
        if lists.into_iter().zip(at).any(is_unknown) {
            return;
        }
        // Of a part that only one file has, that alone is said.
        let is_alone = |side: usize| {
            let owner = at[side].and_then(|index| lists[side].owner(index));
            owner.is_some_and(|owner| self.is_alone(side, owner))
        };
        if at.contains(&None) && (is_alone(0) || is_alone(1)) {
            return;
        }
        if let [Some(first), Some(second)] = at {
            return self.both(lists, [first, second], within);
        }
        let place = || place_of(lists, at, within);
        self.add(lists, at, place, |comparison| {
            let own = comparison.own_of(lists, at);
            Found {
                at: fields::places(&own),
                fields: only_in(&own, at.map(|at| at.is_some())),
            }
        });
    }

    /// Compares two parts that are there.
    fn both(&mut self, lists: [&Parts<'_>; 2], at: [usize; 2], within: &str) {
        if !self.is_same(lists, at) {
            let raw = std::mem::take(&mut self.raw);
            self.unlike(lists, at.map(Some), within, &raw);
            self.raw = raw;
        }
    }

    /// Whether two parts are the same at a glance, for which the bytes that stand for them are read.
    fn is_same(&mut self, lists: [&Parts<'_>; 2], at: [usize; 2]) -> bool {
        for ((list, at), raw) in lists.into_iter().zip(at).zip(&mut self.raw) {
            raw.clear();
            list.raw(at, raw);
        }
        if let Some(is_same) = self.name_the_same(lists, at) {
            return is_same;
        }
        if !lists.iter().all(|list| list.has_raw()) || self.raw[0] != self.raw[1] {
            return false;
        }
        let mut named = std::mem::take(&mut self.parts_named);
        let is_same = self.name_same_parts(lists, at, &mut named);
        self.parts_named = named;
        is_same
    }

    /// Compares two parts that may differ.
    fn unlike(
        &mut self,
        lists: [&Parts<'_>; 2],
        at: [Option<usize>; 2],
        within: &str,
        raw: &[Vec<u8>; 2],
    ) {
        let place = || place_of(lists, at, within);
        let count = self.diff.count();
        let raw_field = lists[0].raw_field;
        // What is no longer listed need not be looked at where it is known to differ.
        if raw_field.is_some() && self.is_full(lists[0].what) {
            return self.add(lists, at, place, |_| Found::default());
        }
        let own = self.own_of(lists, at);
        let mut fields = compared(&own, |lines| self.is_same_value(lines));
        let sides = lists.into_iter().zip(at);
        fields.retain(|field| {
            // What was not read on either side makes no difference.
            let mut sides = sides.clone();
            !sides.any(|(list, at)| at.is_some_and(|at| list.is_unknown(at, &field.name)))
        });
        let at_lines = fields::places(&own);
        if !fields.is_empty() {
            let at_lines = at_lines.clone();
            self.add(lists, at, place, |_| Found {
                at: at_lines,
                fields,
            });
        }
        let [a, b] = [0, 1].map(|i| at[i].map_or_else(Vec::new, |at| lists[i].inner(at)));
        if !a.is_empty() || !b.is_empty() {
            self.lists([a, b], &format!("{}: ", place()));
        }
        if let Some(field) = raw_field.filter(|_| self.diff.count() == count && raw[0] != raw[1]) {
            let values = [0, 1].map(|i| Some(lists[i].told(&raw[i]).into()));
            self.add(lists, at, place, |_| Found {
                at: at_lines,
                fields: vec![FieldChange::new(field, values)],
            });
        }
    }

    /// What the files say of a part in A and in B.
    fn own_of(&self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2]) -> [Vec<OwnLine>; 2] {
        [0, 1].map(|i| {
            let document = self.documents[i];
            at[i].map_or_else(Vec::new, |at| lists[i].own(at, document))
        })
    }

    fn is_full(&self, what: &'static str) -> bool {
        let group = self.groups.get(what);
        let group = group.and_then(|index| self.diff.groups.get(*index));
        group.is_some_and(|group| group.listed >= MAX_LISTED)
    }

    /// Counts a difference, and lists it if there is room for it.
    fn add(
        &mut self,
        lists: [&Parts<'_>; 2],
        at: [Option<usize>; 2],
        place: impl FnOnce() -> String,
        find: impl FnOnce(&Self) -> Found,
    ) {
        let what = lists[0].what;
        let groups = &mut self.diff.groups;
        let index = *self.groups.entry(what).or_insert_with(|| {
            groups.push(DiffGroup {
                what,
                changed: 0,
                only_in: [0; 2],
                listed: 0,
            });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(index) else {
            return;
        };
        match at {
            [Some(_), None] => group.only_in[0] += 1,
            [None, Some(_)] => group.only_in[1] += 1,
            _ => group.changed += 1,
        }
        if group.listed >= MAX_LISTED {
            return;
        }
        group.listed += 1;
        let items = [0, 1].map(|i| at[i].and_then(|at| lists[i].item(at)));
        let is_in = match at {
            [None, None] => [true; 2],
            at => at.map(|at| at.is_some()),
        };
        let Found { at, fields } = find(self);
        self.diff.differences.push(Difference {
            what,
            place: place(),
            is_in,
            items,
            at,
            fields,
        });
    }
}

/// What is said of a difference.
#[derive(Debug, Default)]
struct Found {
    at: [Option<String>; 2],
    fields: Vec<FieldChange>,
}

/// Of two sequences, in their order, what is the same of both, and what is between that in turn.
fn in_turn(a: &[u64], b: &[u64]) -> impl Iterator<Item = [Option<usize>; 2]> {
    let ends = [a.len(), b.len()];
    let mut next = [0; 2];
    let same = align::aligned(a, b).into_iter().chain([ends]);
    same.flat_map(move |end| {
        let between = [0, 1].map(|side| next[side]..end[side]);
        next = end.map(|end| end + 1);
        let count = between.iter().map(ExactSizeIterator::len).max();
        let between = (0..count.unwrap_or(0))
            .map(move |offset| between.clone().map(|mut between| between.nth(offset)));
        // These are the same, unless two hashes happen to be.
        between.chain((end != ends).then(|| end.map(Some)))
    })
}

/// Of two long orders of the same parts, by their indices, those that have moved, and behind which one each of
/// them is; none where there are many.
fn moved_names(list: &Parts<'_>, orders: &[Vec<usize>; 2]) -> Option<[serde_json::Value; 2]> {
    let [a, b] = orders.each_ref().map(|order| {
        let order = order.iter().map(|index| *index as u64);
        order.collect::<Vec<_>>()
    });
    let stay = align::aligned(&a, &b);
    if a.len() - stay.len() > MAX_NAMES {
        return None;
    }
    let names = [0, 1].map(|side| {
        let stay: HashSet<usize> = stay.iter().map(|pair| pair[side]).collect();
        let moved = (0..orders[side].len()).filter(|at| !stay.contains(at));
        let name = |at: usize| orders[side].get(at).map(|index| list.name(*index));
        let names = moved.map(|at| {
            let before = at.checked_sub(1).and_then(name);
            let place = before.map_or_else(|| "first".to_owned(), |it| format!("behind {it}"));
            format!("{} {place}", name(at).unwrap_or_default())
        });
        names.collect::<Vec<_>>().into()
    });
    Some(names)
}

/// Whether some parts of a list only stand in the place of those that were not read.
fn has_lost(list: &Parts<'_>) -> bool {
    (0..list.count).any(|index| list.is_lost(index))
}

/// What a part is called, as A calls it if it has it.
fn place_of(lists: [&Parts<'_>; 2], at: [Option<usize>; 2], within: &str) -> String {
    let names = lists.into_iter().zip(at);
    let mut names = names.filter_map(|(list, at)| Some(list.name(at?)));
    format!("{within}{}", names.next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
