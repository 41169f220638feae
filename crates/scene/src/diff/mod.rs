//! Compares two documents of one format, in the terms of the format.
//!
//! A document lists its parts ([`Compare::parts`](crate::Compare::parts)), and its tables of fields
//! describe the data of each ([`Compare::own`](crate::Compare::own)). The comparison is the same for
//! all formats. Parts of two lists are matched by key, then by content, then by order; rows or
//! columns of grids by content. Unequal parts differ in fields or in children. A part may reference
//! another one, as a tile references its material. Such references are equal if their targets are
//! matched, regardless of names and numbers.

mod align;
mod fields;
mod matches;
mod outline;
mod text;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use thiserror::Error;

pub use self::fields::FieldChange;
use self::fields::changes;
pub use self::outline::change_color;
pub use self::text::{PartText, tell};
use crate::core::rules::is_of_file;
use crate::document::parts::{Line, Matches, Parts, References};
use crate::{Document, Item, Origin, OwnLine};
use mapscope_formats::{Format, Problem, is_truncation};

/// Maximum number of listed differences of each kind; further ones are only counted.
pub const MAX_LISTED: usize = 1000;
/// Maximum number of matched items that are recorded.
const MAX_COUNTERPARTS: usize = 1 << 18;
/// The kind for an error that causes omissions.
const ERROR: &str = "error";
/// Maximum number of names that a changed order lists.
const MAX_NAMES: usize = 32;

/// The differences between two documents, A and B.
#[derive(Debug, Clone, Default)]
pub struct Diff {
    /// Counts of differences by kind, in the order of the format.
    pub groups: Vec<DiffGroup>,
    /// The listed differences, group by group.
    pub differences: Vec<Difference>,
    /// The errors of A and of B that left out a part, which is therefore not compared. An error
    /// about a truncated file takes precedence.
    pub not_read: [Option<Problem>; 2],
    /// For items of A and of B, the matched item of the other document where it is not the same.
    counterparts: [HashMap<Item, Option<Item>>; 2],
}

/// Number of differing parts of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffGroup {
    /// The kind, such as `tile`.
    pub what: &'static str,
    /// Number of parts in both documents that differ.
    pub changed: u64,
    /// Numbers of parts only in A, and only in B.
    pub only_in: [u64; 2],
    /// Number of listed differences.
    pub listed: usize,
}

impl DiffGroup {
    /// Number of differences.
    pub fn count(&self) -> u64 {
        self.changed + self.only_in.iter().sum::<u64>()
    }
}

/// A difference between two documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The kind, such as `tile`.
    pub what: &'static str,
    /// Its name or its place, in the terms of the format.
    pub place: String,
    /// `true` for each document that has it: A, then B.
    pub is_in: [bool; 2],
    /// Its item in A and in B, if there is one.
    pub items: [Option<Item>; 2],
    /// Its position in each file, if known.
    pub at: [Option<String>; 2],
    /// Its differing fields.
    pub fields: Vec<FieldChange>,
}

/// Reason why two documents cannot be compared.
#[derive(Debug, Error)]
pub enum DiffError {
    /// Their formats differ.
    #[error("{} and {} are different formats; expected two files of the same format", .0[0].name, .0[1].name)]
    Formats([&'static Format; 2]),
    /// Their format does not list parts.
    #[error("files of the format {} cannot be compared", .0.name)]
    NoParts(&'static Format),
}

impl Diff {
    /// Returns the item of the other document that an item of A (0) or B (1) is matched with.
    pub fn counterpart(&self, side: usize, item: Item) -> Option<Item> {
        let other = self.counterparts.get(side).and_then(|it| it.get(&item));
        other.copied().unwrap_or(Some(item))
    }

    /// Number of differences.
    pub fn count(&self) -> u64 {
        self.groups.iter().map(DiffGroup::count).sum()
    }

    /// Compares the files of two documents.
    ///
    /// # Errors
    /// If they are of different formats.
    pub fn of(documents: [&dyn Document; 2]) -> Result<Self, DiffError> {
        Self::compare(documents, false)
    }

    /// Compares two documents with the other files that they show, such as the map of a scene.
    ///
    /// # Errors
    /// If they are of different formats.
    pub fn of_shown(documents: [&dyn Document; 2]) -> Result<Self, DiffError> {
        Self::compare(documents, true)
    }

    fn compare(documents: [&dyn Document; 2], with_others: bool) -> Result<Self, DiffError> {
        let formats = documents.map(|document| document.about().format);
        let [format, other] = formats;
        if format.id != other.id {
            return Err(DiffError::Formats(formats));
        }
        let [Some(a), Some(b)] = documents.map(|document| all_parts(document, with_others)) else {
            return Err(DiffError::NoParts(format));
        };
        let mut comparison = Comparison {
            documents,
            diff: Self {
                not_read: documents.map(|document| not_read(document, with_others)),
                ..Self::default()
            },
            groups: HashMap::new(),
            references: References::default(),
        };
        comparison.lists([a, b], "");
        let Comparison { mut diff, .. } = comparison;
        // Groups of nested lists alternate.
        let order: HashMap<&str, usize> = comparison.groups;
        diff.differences
            .sort_by_key(|difference| order.get(difference.what).copied());
        Ok(diff)
    }
}

/// The compared lists of a document: the error that left something out, and the parts that were
/// read.
fn all_parts(document: &dyn Document, with_others: bool) -> Option<Vec<Parts<'_>>> {
    let error = not_read(document, with_others);
    let own = |error: &Problem| {
        let place = OwnLine::new(ERROR, "Place", error.place.to_string());
        let message = OwnLine::new(ERROR, "message", error.message.clone());
        vec![message, place.within(Origin::Place)]
    };
    let [rule, message] = error.as_ref().map_or_else(Default::default, |error| {
        [error.rule.id.to_owned(), error.message.clone()]
    });
    let errors = Parts::named(ERROR, usize::from(error.is_some()), move |_| rule.clone())
        .keys(move |_| message.clone())
        .owns(move |_| error.as_ref().map_or_else(Vec::new, own));
    let others = with_others.then(|| document.other_parts());
    let parts = document
        .parts()?
        .into_iter()
        .chain(others.into_iter().flatten());
    let compared = parts.filter(|list| list.is_compared);
    Some([errors].into_iter().chain(compared).collect())
}

/// The error of a file that caused omissions, directly or by its consequences. A truncation takes
/// precedence, then the first error.
fn not_read(document: &dyn Document, with_others: bool) -> Option<Problem> {
    let leaves_out = |problem: &Problem| is_of_file(problem.rule) && problem.may_leave_out();
    let others = if with_others {
        document.other_files()
    } else {
        Vec::new()
    };
    let of_others = others.iter().flat_map(|other| &other.problems);
    let problems = document.about().problems.iter().chain(of_others);
    let mut errors = problems.filter(|problem| problem.with_consequences().any(leaves_out));
    let end = errors.clone().find(|problem| is_truncation(problem.rule));
    end.or_else(|| errors.next()).cloned()
}

/// Pairs of rows or columns of two grids that are compared with each other.
type LinePairs = (Line, Vec<[Option<usize>; 2]>);

/// Two documents, and the differences found so far.
struct Comparison<'d> {
    documents: [&'d dyn Document; 2],
    diff: Diff,
    /// The group index of each kind.
    groups: HashMap<&'static str, usize>,
    references: References,
}

impl Comparison<'_> {
    /// Compares lists of the same kinds.
    fn lists(&mut self, [a, b]: [Vec<Parts<'_>>; 2], within: &str) {
        for first in a.iter().filter(|list| list.is_referenced) {
            self.references.set(first.what, None);
            if let Some(second) = b.iter().find(|list| list.what == first.what) {
                let matches = Rc::new(self.matches([first, second]));
                self.references.set(first.what, Some(matches));
            }
        }
        for first in &a {
            let none = Parts::list(first.what, 0);
            let second = b.iter().find(|list| list.what == first.what);
            self.list([first, second.unwrap_or(&none)], within);
        }
        let only_in_b = b
            .iter()
            .filter(|list| a.iter().all(|it| it.what != list.what));
        for second in only_in_b {
            self.list([&Parts::list(second.what, 0), second], within);
        }
    }

    fn list(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        if lists.iter().any(|list| list.columns.is_some()) {
            return self.grids(lists, within);
        }
        let known = self
            .references
            .get(lists[0].what)
            .filter(|_| lists[0].is_referenced)
            .map(Rc::clone);
        let matches = known.unwrap_or_else(|| Rc::new(self.matches(lists)));
        for at in matches.pairs() {
            self.note_counterparts(lists, at);
            self.pair(lists, at, within);
        }
        if lists.iter().all(|list| list.is_ordered) {
            self.order(lists, &matches, within);
        }
    }

    /// Records matched items that are not the same.
    fn note_counterparts(&mut self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2]) {
        let items = [0, 1].map(|side| at[side].and_then(|index| lists[side].item(index)));
        let counterparts = &mut self.diff.counterparts;
        if items[0] != items[1] && counterparts[0].len() < MAX_COUNTERPARTS {
            for side in 0..2 {
                counterparts[side].extend(items[side].map(|item| (item, items[1 - side])));
            }
        }
    }

    /// Compares grids in place, or by matched rows or columns if that gives fewer different cells.
    fn grids(&mut self, lists: [&Parts<'_>; 2], within: &str) {
        let counts = |line| lists.map(|list| list.line_count(line));
        let hashes = |line| [0, 1].map(|side| self.line_hashes(side, lists[side], line));
        let unequal = |[a, b]: [Vec<u64>; 2]| {
            let hash = |all: &[u64], at: Option<usize>| all.get(at?).copied();
            let turns = aligned_pairs(&a, &b).filter(|at| hash(&a, at[0]) != hash(&b, at[1]));
            turns.collect::<Vec<_>>()
        };
        let ([rows, others], [width, other]) = (counts(Line::Row), counts(Line::Column));
        let [a, b] = hashes(Line::Row);
        let in_place = (0..rows.max(others))
            .filter(|row| a.get(*row) != b.get(*row))
            .map(|row| [rows, others].map(|count| (row < count).then_some(row)));
        let in_place: LinePairs = (Line::Row, in_place.collect());
        let is_one_size = rows == others && width == other;
        let mut turns = Vec::new();
        let least = rows.min(width);
        // If fewer cells differ than a row or column has, matching lines cannot improve the result.
        if !is_one_size || self.cost(lists, &in_place, least + 1) > least {
            if width == other {
                turns.push((Line::Row, unequal([a, b])));
            }
            if rows == others {
                turns.push((Line::Column, unequal(hashes(Line::Column))));
            }
        }
        turns.insert(if is_one_size { 0 } else { turns.len() }, in_place);
        let (mut limit, mut best) = (usize::MAX, None);
        for turns in turns {
            let cost = self.cost(lists, &turns, limit);
            if cost < limit {
                (limit, best) = (cost, Some(turns));
            }
        }
        if let Some(turns) = best {
            self.by_lines(lists, turns, within);
        }
    }

    /// Number of cells that differ under this matching of rows or columns, up to a limit.
    fn cost(&self, lists: [&Parts<'_>; 2], (line, turns): &LinePairs, limit: usize) -> usize {
        let cells = turns.iter().flat_map(|at| paired_cells(lists, *line, *at));
        let different = cells.filter(|at| !self.is_same(lists, *at));
        different.take(limit).count()
    }

    /// Compares rows or columns of grids. Consecutive rows or columns that only one file has form
    /// one difference.
    fn by_lines(&mut self, lists: [&Parts<'_>; 2], (line, turns): LinePairs, within: &str) {
        let mut turns = turns.into_iter().peekable();
        while let Some(at) = turns.next() {
            let ([Some(first), None] | [None, Some(first)]) = at else {
                for cells in paired_cells(lists, line, at) {
                    self.pair(lists, cells, within);
                }
                continue;
            };
            let side = usize::from(at[0].is_none());
            let mut last = first;
            while turns
                .next_if(|it| it[side] == Some(last + 1) && it[1 - side].is_none())
                .is_some()
            {
                last += 1;
            }
            let name = if line == Line::Row { "row" } else { "column" };
            let place = match last - first {
                0 => format!("{within}{name} {first}"),
                _ => format!("{within}{name}s {first} to {last}"),
            };
            let cells = (first..=last).flat_map(|it| lists[side].line(line, it));
            let cell = cells.clone().next();
            let values = [0, 1].map(|of| (of == side).then(|| cells.clone().count().into()));
            let at = [0, 1].map(|of| cell.filter(|_| of == side));
            self.add(
                lists,
                at,
                || place,
                |_| Found {
                    fields: vec![FieldChange::new("cells", values)],
                    ..Found::default()
                },
            );
        }
    }

    /// Adds a difference if the common parts have another order. Parts with owners are ordered
    /// within each owner.
    fn order(&mut self, lists: [&Parts<'_>; 2], matches: &Matches, within: &str) {
        let mut both: Vec<_> = matches
            .pairs()
            .filter_map(|pair| {
                let at = [pair[0]?, pair[1]?];
                let [on, on_in_b] = [0, 1].map(|side| {
                    let owner = lists[side].owner(at[side]);
                    owner.map(|owner| self.references.identity(side, owner))
                });
                (on == on_in_b).then_some((on, at))
            })
            .collect();
        both.sort_by_key(|(on, _)| *on);
        let mut others = both.clone();
        others.sort_by_key(|(on, [_, other])| (*on, *other));
        let same = both
            .iter()
            .zip(&others)
            .take_while(|(is, should)| is == should)
            .count();
        if same == both.len() {
            return;
        }
        // In the names of A, from the first part that moved.
        let orders = [both, others].map(|of| {
            let of = of.into_iter().skip(same);
            of.map(|(_, [index, _])| index as u64).collect::<Vec<_>>()
        });
        let name = |index: u64| lists[0].name(index as usize);
        let values = if orders[0].len() > MAX_NAMES {
            moved_names(&orders, name)
        } else {
            orders.map(|order| order.into_iter().map(name).collect())
        };
        let found = Found {
            fields: vec![FieldChange::new(
                "order",
                values.map(|names| Some(names.into())),
            )],
            ..Found::default()
        };
        self.add(lists, [None; 2], || format!("{within}order"), |_| found);
    }

    /// Compares a part of A with one of B, or adds that only one of them exists.
    fn pair(&mut self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2], within: &str) {
        if at.iter().all(Option::is_some) {
            if !self.is_same(lists, at) {
                self.compare_pair(lists, at, within);
            }
            return;
        }
        // A part whose owner is gone is not reported separately.
        let is_with_owner = (0..2).any(|side| {
            let owner = at[side].and_then(|index| lists[side].owner(index));
            owner.is_some_and(|owner| self.references.is_unmatched(side, owner))
        });
        if is_with_owner {
            return;
        }
        self.add(
            lists,
            at,
            || place_of(lists, at, within),
            |comparison| {
                let own = comparison.own_of(lists, at);
                Found {
                    at: fields::places(&own),
                    fields: changes(&own, |_| false),
                }
            },
        );
    }

    /// Returns `true` if two parts have equal content.
    fn is_same(&self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2]) -> bool {
        let [Some(a), Some(b)] = at else {
            return false;
        };
        let content = self.content(0, lists[0], a);
        content.is_some() && content == self.content(1, lists[1], b)
    }

    /// Compares two parts that may differ.
    fn compare_pair(&mut self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2], within: &str) {
        let place = || place_of(lists, at, within);
        // Cells beyond the limit are only counted.
        if lists[0].columns.is_some() && self.is_full(lists[0].what) {
            return self.add(lists, at, place, |_| Found::default());
        }
        let own = self.own_of(lists, at);
        let fields = changes(&own, |lines| self.is_same_value(lines));
        if !fields.is_empty() {
            let at_lines = fields::places(&own);
            self.add(lists, at, place, |_| Found {
                at: at_lines,
                fields,
            });
        }
        let children = [0, 1].map(|side| {
            let children = at[side].map(|at| lists[side].compared_children(at));
            children.unwrap_or_default()
        });
        if children.iter().any(|lists| !lists.is_empty()) {
            self.lists(children, &format!("{}: ", place()));
        }
    }

    /// The data of a part in A and in B.
    fn own_of(&self, lists: [&Parts<'_>; 2], at: [Option<usize>; 2]) -> [Vec<OwnLine>; 2] {
        [0, 1].map(|i| {
            let document = self.documents[i];
            at[i].map_or_else(Vec::new, |at| lists[i].own(at, document))
        })
    }

    fn is_full(&self, what: &'static str) -> bool {
        let group = self
            .groups
            .get(what)
            .and_then(|index| self.diff.groups.get(*index));
        group.is_some_and(|group| group.listed >= MAX_LISTED)
    }

    /// Counts a difference, and lists it if the limit allows.
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

/// The details of a difference.
#[derive(Debug, Default)]
struct Found {
    at: [Option<String>; 2],
    fields: Vec<FieldChange>,
}

/// Pairs two sequences in order: matched elements, and the elements between them side by side.
fn aligned_pairs(a: &[u64], b: &[u64]) -> impl Iterator<Item = [Option<usize>; 2]> {
    let ends = [a.len(), b.len()];
    let mut next = [0; 2];
    let same = align::aligned(a, b).into_iter().chain([ends]);
    same.flat_map(move |end| {
        let between = [0, 1].map(|side| next[side]..end[side]);
        next = end.map(|end| end + 1);
        let count = between.iter().map(ExactSizeIterator::len).max();
        let between = (0..count.unwrap_or(0))
            .map(move |offset| between.clone().map(|mut between| between.nth(offset)));
        // These are equal, barring a hash collision.
        between.chain((end != ends).then(|| end.map(Some)))
    })
}

/// The names of the parts that moved between two orders, each with its predecessor.
fn moved_names(orders: &[Vec<u64>; 2], name: impl Fn(u64) -> String) -> [Vec<String>; 2] {
    let stay = align::aligned(&orders[0], &orders[1]);
    [0, 1].map(|side| {
        let stay: HashSet<usize> = stay.iter().map(|pair| pair[side]).collect();
        let order = &orders[side];
        let moved = (0..order.len()).filter(|at| !stay.contains(at));
        let more = moved.clone().count().saturating_sub(MAX_NAMES);
        let names = moved.take(MAX_NAMES).map(|at| {
            let before = at.checked_sub(1).map(|before| name(order[before]));
            let place = before.map_or_else(|| "first".to_owned(), |it| format!("behind {it}"));
            format!("{} {place}", name(order[at]))
        });
        let more = (more > 0).then(|| format!("and {more} more"));
        names.chain(more).collect()
    })
}

/// Pairs the cells of a row or column of A and of B by position.
fn paired_cells(
    lists: [&Parts<'_>; 2],
    line: Line,
    at: [Option<usize>; 2],
) -> impl Iterator<Item = [Option<usize>; 2]> {
    let mut cells = [0, 1].map(|side| at[side].map(|at| lists[side].line(line, at)));
    std::iter::from_fn(move || {
        let next = cells
            .each_mut()
            .map(|cells| cells.as_mut().and_then(Iterator::next));
        (next != [None; 2]).then_some(next)
    })
}

/// The name of a part, in A if A has it.
fn place_of(lists: [&Parts<'_>; 2], at: [Option<usize>; 2], within: &str) -> String {
    let mut names = lists
        .into_iter()
        .zip(at)
        .filter_map(|(list, at)| Some(list.name(at?)));
    format!("{within}{}", names.next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
