//! What a file is made of, in lists of parts.

use std::fmt;
use std::iter::StepBy;
use std::ops::Range;

use crate::describe::own::{bytes_text, hex_text};
use crate::{Document, Item, OwnLine};

/// Reads something of a part by its index.
type Read<'a, T> = Box<dyn Fn(usize) -> T + 'a>;
/// Says whether a field of a part could not be read, by its name.
type IsUnknown<'a> = Box<dyn Fn(usize, &str) -> bool + 'a>;
/// A list of another kind, and which part of it a part names.
type Names<'a> = (&'static str, Read<'a, Option<usize>>);
/// Appends the parts of other lists that a part names, by their kinds and indices.
type ReadNamed<'a> = Box<dyn Fn(usize, &mut Vec<(&'static str, usize)>) + 'a>;
/// Appends bytes that stand for a part.
type ReadRaw<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;
/// The memory of a run of parts.
type Memory<'a> = Box<dyn Fn(Range<usize>) -> Option<&'a [u8]> + 'a>;

/// A list of parts of a file that are of one kind.
pub struct Parts<'a> {
    /// What each of them is, in a word or two, such as `tile`.
    pub(crate) what: &'static str,
    pub(super) order: Order,
    pub(crate) count: usize,
    /// What each is called, or where it is, as the format has it.
    name: Read<'a, String>,
    /// What each is matched by, where that is not what it is called.
    key: Option<Read<'a, String>>,
    /// The part of another list that each is of.
    owner: Option<Names<'a>>,
    /// Whether parts are matched by that one too, so that none is found again in another.
    pub(super) is_matched_by_owner: bool,
    item: Option<Read<'a, Option<Item>>>,
    own: Option<Read<'a, Vec<OwnLine>>>,
    raw: Option<ReadRaw<'a>>,
    /// What the file has in the place of a run of parts.
    memory: Option<Memory<'a>>,
    /// The field that shows the bytes of parts that differ in nothing else; none where parts are the
    /// same all the same.
    pub(super) raw_field: Option<&'static str>,
    /// Whether these bytes are those of a text.
    is_text: bool,
    /// Whether these bytes are told of parts of which fields are told too: they do not say all of it.
    pub(super) is_raw_told: bool,
    /// Whether a field of a part, by its name, could not be read.
    unknown: Option<IsUnknown<'a>>,
    /// What each part names by the number that it is.
    names: Option<Names<'a>>,
    /// What each part names besides the bytes that stand for it.
    named: Option<ReadNamed<'a>>,
    /// Whether parts of other lists name those of this one.
    pub(super) is_named_by_others: bool,
    /// Whether another order is a difference.
    pub(super) is_ordered: bool,
    /// Whether rows and columns of a grid that only one file has are told as a whole.
    pub(super) has_lines: bool,
    /// Whether it is a part of the file, and not only something to find items in.
    pub(super) is_compared: bool,
    /// Whether a part only stands in the place of one that was not read.
    lost: Option<Read<'a, bool>>,
    /// From which part on all are such.
    pub(super) lost_from: usize,
    has_items_within: bool,
    /// Whether the file has more of them, or may have, that were not read.
    pub(super) is_cut: bool,
    inner: Option<Read<'a, Vec<Parts<'a>>>>,
}

/// How the parts of two lists are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Those of one name.
    Names,
    /// Those in the same row and column; how many there are of both.
    Grid([usize; 2]),
    /// Those of one number.
    Numbers,
    /// Those that are the same at a glance, in their order, and those between them in turn.
    Sequence,
}

/// A row of a grid, or a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Row,
    Column,
}

impl<'a> Parts<'a> {
    fn new(
        what: &'static str,
        order: Order,
        count: usize,
        name: impl Fn(usize) -> String + 'a,
    ) -> Self {
        Self {
            what,
            order,
            count,
            name: Box::new(name),
            key: None,
            owner: None,
            is_matched_by_owner: false,
            item: None,
            own: None,
            raw: None,
            memory: None,
            raw_field: None,
            is_text: false,
            is_raw_told: false,
            unknown: None,
            names: None,
            named: None,
            is_named_by_others: false,
            is_ordered: true,
            has_lines: false,
            is_compared: true,
            lost: None,
            lost_from: count,
            has_items_within: true,
            is_cut: false,
            inner: None,
        }
    }

    /// A list with one item.
    pub(crate) fn one(what: &'static str, item: impl Into<Item>) -> Self {
        let item = item.into();
        Self::new(what, Order::Numbers, 1, move |_| what.to_owned()).items(move |_| Some(item))
    }

    /// A list of parts that have names.
    pub(crate) fn named(
        what: &'static str,
        count: usize,
        name: impl Fn(usize) -> String + 'a,
    ) -> Self {
        Self::new(what, Order::Names, count, name)
    }

    /// A list of parts that have only their numbers.
    pub(crate) fn numbered(what: &'static str, count: usize) -> Self {
        Self::new(what, Order::Numbers, count, |index| index.to_string())
    }

    /// A list of parts that have only their numbers, which others may have where some are inserted: each
    /// needs a glance, by which it is found again.
    pub(crate) fn sequence(
        what: &'static str,
        count: usize,
        glance: impl Fn(usize, &mut Vec<u8>) + 'a,
    ) -> Self {
        let list = Self::new(what, Order::Sequence, count, |index| index.to_string());
        list.glance(glance)
    }

    /// Rows and columns of parts, row by row, each with a name that says where it is.
    pub(crate) fn grid(
        what: &'static str,
        [rows, cols]: [u32; 2],
        name: impl Fn([u32; 2]) -> String + 'a,
    ) -> Self {
        let [rows, cols] = [rows, cols].map(|count| count as usize);
        let name = move |index: usize| name(row_and_col(index, cols));
        Self::new(what, Order::Grid([rows, cols]), rows * cols, name)
    }

    /// What each part is called, where its number alone says too little.
    pub(crate) fn called(mut self, name: impl Fn(usize) -> String + 'a) -> Self {
        self.name = Box::new(name);
        self
    }

    /// Matches parts by this and not by what they are called.
    pub(crate) fn keys(mut self, key: impl Fn(usize) -> String + 'a) -> Self {
        self.key = Some(Box::new(key));
        self
    }

    /// The part of another list that each is of, by its index there: parts are matched where those are, and
    /// one of a part that only one file has is no difference of its own.
    pub(crate) fn each_of(
        self,
        what: &'static str,
        owner: impl Fn(usize) -> Option<usize> + 'a,
    ) -> Self {
        Self {
            is_matched_by_owner: true,
            ..self.standing_on(what, owner)
        }
    }

    /// The same of parts that may be moved to another one. They have an order on each of these.
    pub(crate) fn standing_on(
        mut self,
        what: &'static str,
        owner: impl Fn(usize) -> Option<usize> + 'a,
    ) -> Self {
        self.owner = Some((what, Box::new(owner)));
        self
    }

    /// Says that parts of other lists name those of this one by their indices. One of another name in the
    /// place of one that is gone is the same under that name, unless it is made of others.
    pub(crate) fn named_by_others(self) -> Self {
        Self {
            is_named_by_others: true,
            ..self
        }
    }

    /// The parts of other lists that a part names, by their kinds and their indices there. They belong to
    /// the bytes that stand for it, but may be called and counted otherwise in another file.
    pub(crate) fn naming_parts(
        mut self,
        named: impl Fn(usize, &mut Vec<(&'static str, usize)>) + 'a,
    ) -> Self {
        self.named = Some(Box::new(named));
        self
    }

    /// Says that the order of parts means nothing.
    pub(crate) fn unordered(self) -> Self {
        self.ordered(false)
    }

    /// Whether the order of parts means anything.
    pub(crate) fn ordered(self, is_ordered: bool) -> Self {
        Self { is_ordered, ..self }
    }

    /// Tells rows or columns of a grid that only one file has as a whole, wherever they are inserted.
    pub(crate) fn told_by_lines(self) -> Self {
        Self {
            has_lines: true,
            ..self
        }
    }

    /// Leaves the list out of comparisons: what it lists is in another file, and is only found by it.
    pub(crate) fn for_finding(self) -> Self {
        Self {
            is_compared: false,
            ..self
        }
    }

    /// Which parts only stand in the place of those that were not read, of which nothing can be said.
    pub(crate) fn lost(mut self, is_lost: impl Fn(usize) -> bool + 'a) -> Self {
        self.lost = Some(Box::new(is_lost));
        self
    }

    /// From which part on all only stand in the place of those that were not read, of which there may be far
    /// more than the file is long.
    pub(crate) fn lost_from(mut self, first: usize) -> Self {
        self.lost_from = first.min(self.count);
        self
    }

    /// Which fields of a part could not be read: what is in their place is nothing that the file says.
    pub(crate) fn unknown(mut self, is_unknown: impl Fn(usize, &str) -> bool + 'a) -> Self {
        self.unknown = Some(Box::new(is_unknown));
        self
    }

    /// Which part of another list each names, by its index there: parts that name the same are the same
    /// whatever its number is, and those that name others are others.
    pub(crate) fn naming(
        mut self,
        what: &'static str,
        named: impl Fn(usize) -> Option<usize> + 'a,
    ) -> Self {
        self.names = Some((what, Box::new(named)));
        self
    }

    /// Whether the file has more of them, or may have, that were not read: what is not in the list may be
    /// in the file all the same.
    pub(crate) fn cut(self, is_cut: bool) -> Self {
        Self { is_cut, ..self }
    }

    /// The same where that may be for another reason too.
    pub(crate) fn or_cut(self, is_cut: bool) -> Self {
        let is_cut = self.is_cut || is_cut;
        self.cut(is_cut)
    }

    /// What each part is in the document; unless it is said otherwise, its fields are those of the
    /// item.
    pub(crate) fn items<I: Into<Item>>(mut self, item: impl Fn(usize) -> Option<I> + 'a) -> Self {
        self.item = Some(Box::new(move |index| item(index).map(Into::into)));
        self
    }

    /// The same of a grid, by row and column.
    pub(crate) fn cells<I: Into<Item>>(self, item: impl Fn([u32; 2]) -> I + 'a) -> Self {
        let cols = match self.order {
            Order::Grid([_, cols]) => cols,
            _ => 1,
        };
        self.items(move |index| Some(item(row_and_col(index, cols))))
    }

    /// What the file says of each part, where that is not what it says of its item.
    pub(crate) fn owns(mut self, own: impl Fn(usize) -> Vec<OwnLine> + 'a) -> Self {
        self.own = Some(Box::new(own));
        self
    }

    /// Bytes that stand for each part: of the same bytes, parts are the same.
    pub(crate) fn glance(mut self, raw: impl Fn(usize, &mut Vec<u8>) + 'a) -> Self {
        self.raw = Some(Box::new(raw));
        self
    }

    /// What the file has in the place of a run of parts of a grid, as it lies in memory, which is faster than these
    /// bytes: where two runs are the same, so are their parts if what they name has the same numbers. The parts of
    /// other runs, and of those without any, are looked at one by one.
    pub(crate) fn memory(mut self, memory: impl Fn(Range<usize>) -> Option<&'a [u8]> + 'a) -> Self {
        self.memory = Some(Box::new(memory));
        self
    }

    /// Bytes that stand for each part, of which parts of other bytes are others in any case. Where no field says
    /// so, one of this name says what the bytes are.
    pub(crate) fn bytes(self, field: &'static str, raw: impl Fn(usize, &mut Vec<u8>) + 'a) -> Self {
        Self {
            raw_field: Some(field),
            ..self.glance(raw)
        }
    }

    /// The same of bytes that are a text.
    pub(crate) fn text(self, field: &'static str, raw: impl Fn(usize, &mut Vec<u8>) + 'a) -> Self {
        Self {
            is_text: true,
            ..self.bytes(field, raw)
        }
    }

    /// The same of bytes that no field says anything of.
    pub(crate) fn data(self, field: &'static str, raw: impl Fn(usize, &mut Vec<u8>) + 'a) -> Self {
        Self {
            is_raw_told: true,
            ..self.bytes(field, raw)
        }
    }

    /// What each part is made of in turn, where nothing of that is an item of its own.
    pub(crate) fn detailed(self, inner: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        Self {
            has_items_within: false,
            ..self.made_of(inner)
        }
    }

    /// What each part is made of in turn.
    pub(crate) fn made_of(mut self, inner: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        self.inner = Some(Box::new(inner));
        self
    }

    /// Whether the parts of another list are of the same kind.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.what == other.what
    }

    /// A list of the same kind with nothing in it.
    pub(super) fn without_any(&self) -> Self {
        let order = match self.order {
            Order::Grid(_) => Order::Grid([0; 2]),
            order => order,
        };
        Self::new(self.what, order, 0, |_| String::new())
    }

    pub(crate) fn name(&self, index: usize) -> String {
        (self.name)(index)
    }

    pub(super) fn key(&self, index: usize) -> String {
        self.key
            .as_ref()
            .map_or_else(|| self.name(index), |key| key(index))
    }

    /// Whether it is a list of items, and not of something else that is said of them.
    pub(crate) fn lists_items(&self) -> bool {
        self.item.is_some() && self.own.is_none()
    }

    pub(super) fn is_made_of_others(&self) -> bool {
        self.inner.is_some()
    }

    /// Whether its parts are made of others, some of which are items.
    pub(crate) fn has_items_within(&self) -> bool {
        self.inner.is_some() && self.has_items_within
    }

    pub(crate) fn item(&self, index: usize) -> Option<Item> {
        self.item.as_ref().and_then(|item| item(index))
    }

    pub(super) fn own(&self, index: usize, document: &dyn Document) -> Vec<OwnLine> {
        if let Some(own) = &self.own {
            return own(index);
        }
        let item = self.item(index);
        item.map_or_else(Vec::new, |item| document.own(item))
    }

    /// How many rows, or columns, of a grid were read.
    pub(super) fn line_count(&self, line: Line) -> usize {
        let [_, cols] = self.size();
        match line {
            Line::Row => self.lost_from.div_ceil(cols.max(1)),
            Line::Column => cols.min(self.lost_from),
        }
    }

    /// The cells of a row, or of a column, that were read.
    pub(super) fn line(&self, line: Line, index: usize) -> StepBy<Range<usize>> {
        let [rows, cols] = self.size();
        let (first, step, end) = match line {
            Line::Row => (index * cols, 1, (index + 1) * cols),
            Line::Column => (index, cols.max(1), rows * cols),
        };
        (first..end.min(self.lost_from)).step_by(step)
    }

    /// How many rows and columns a grid has.
    fn size(&self) -> [usize; 2] {
        match self.order {
            Order::Grid(size) => size,
            _ => [self.count, 1],
        }
    }

    /// The part of another list that a part is of.
    pub(super) fn owner(&self, index: usize) -> Option<(&'static str, usize)> {
        let (what, owner) = self.owner.as_ref()?;
        Some((what, owner(index)?))
    }

    /// Appends the parts of other lists that a part names.
    pub(super) fn named_parts(&self, index: usize, named: &mut Vec<(&'static str, usize)>) {
        if let Some(read) = &self.named {
            read(index, named);
        }
    }

    /// The kind of list whose parts are named.
    pub(super) fn names_of(&self) -> Option<&'static str> {
        self.names.as_ref().map(|(what, _)| *what)
    }

    /// The part of such a list that a part names.
    pub(super) fn named_by(&self, index: usize) -> Option<usize> {
        let (_, named) = self.names.as_ref()?;
        named(index)
    }

    pub(super) fn is_lost(&self, index: usize) -> bool {
        index >= self.lost_from || self.lost.as_ref().is_some_and(|is_lost| is_lost(index))
    }

    pub(super) fn is_unknown(&self, index: usize, field: &str) -> bool {
        let unknown = self.unknown.as_ref();
        unknown.is_some_and(|is_unknown| is_unknown(index, field))
    }

    pub(super) fn has_raw(&self) -> bool {
        self.raw.is_some()
    }

    /// Whether two lists have the same memory in the place of a run of parts.
    pub(super) fn has_same_memory(&self, other: &Self, run: Range<usize>) -> bool {
        let [of_a, of_b] = [self, other].map(|list| list.memory.as_ref()?(run.clone()));
        of_a.is_some() && of_a == of_b
    }

    pub(super) fn raw(&self, index: usize, bytes: &mut Vec<u8>) {
        if let Some(raw) = &self.raw {
            raw(index, bytes);
        }
    }

    /// What is told of such bytes.
    pub(super) fn told(&self, raw: &[u8]) -> String {
        if self.is_text {
            bytes_text(raw)
        } else {
            hex_text(raw)
        }
    }

    pub(crate) fn inner(&self, index: usize) -> Vec<Self> {
        self.inner
            .as_ref()
            .map_or_else(Vec::new, |inner| inner(index))
    }
}

fn row_and_col(index: usize, cols: usize) -> [u32; 2] {
    let cols = cols.max(1);
    [index / cols, index % cols].map(|at| at as u32)
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count, self.what)
    }
}
