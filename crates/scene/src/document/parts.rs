//! Lists of the parts of a file.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter::StepBy;
use std::ops::Range;
use std::rc::Rc;

use crate::{Document, Item, OwnLine};

/// Reads a property of a part by its index.
type Read<'a, T> = Rc<dyn Fn(usize) -> T + 'a>;
/// Reads the contents of a run of parts.
type ReadContent<'a> = Box<dyn Fn(Range<usize>, &mut Content<'_>) + 'a>;

/// A list of parts of one kind in a file.
pub struct Parts<'a> {
    /// The kind, such as `tile`.
    pub(crate) what: &'static str,
    pub(crate) count: usize,
    /// Number of columns, if the parts are the cells of a grid.
    pub(crate) columns: Option<usize>,
    /// The name or the place of a part, in the terms of the format.
    name: Read<'a, String>,
    /// The matching key of a part. Parts without a key are matched by their contents and their
    /// order.
    key: Option<Read<'a, String>>,
    /// The owner of each part, in another list.
    owner: Option<(&'static str, Read<'a, Option<usize>>)>,
    /// The position of a part. Parts with the same key are matched by position before order.
    position: Option<Read<'a, Option<[i64; 2]>>>,
    item: Option<Read<'a, Option<Item>>>,
    own: Option<Read<'a, Vec<OwnLine>>>,
    content: Option<ReadContent<'a>>,
    children: Option<Read<'a, Vec<Parts<'a>>>>,
    /// `true` if some of the children are items.
    has_items_within: bool,
    /// `true` if parts of other lists reference these parts by index.
    pub(crate) is_referenced: bool,
    /// `true` if a changed order is a difference.
    pub(crate) is_ordered: bool,
    /// `false` if the list only serves to find items.
    pub(crate) is_compared: bool,
}

/// Digest of the file data of some parts. Parts of equal content are equal.
pub(crate) struct Content<'c> {
    hasher: DefaultHasher,
    side: usize,
    references: &'c References,
}

/// Direction of a line of grid cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Row,
    Column,
}

/// The matches of two lists: for each part of A its partner in B, and for each part of B its
/// partner in A.
#[derive(Debug)]
pub(crate) struct Matches {
    pub(crate) others: [Vec<Option<usize>>; 2],
}

/// The matches of lists whose parts are named by others.
#[derive(Debug, Default)]
pub(crate) struct References(Vec<(&'static str, Rc<Matches>)>);

/// Identity of a part that others name; equal for matched parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Identity {
    /// By its index in A.
    OfA(usize),
    /// Only B has it, at this index.
    OnlyInB(usize),
    /// Its list is unknown, or has no part of this number.
    Number(usize),
}

impl References {
    pub(crate) fn set(&mut self, what: &'static str, matches: Option<Rc<Matches>>) {
        self.0.retain(|(of, _)| *of != what);
        self.0.extend(matches.map(|matches| (what, matches)));
    }

    pub(crate) fn get(&self, what: &str) -> Option<&Rc<Matches>> {
        let list = self.0.iter().find(|(of, _)| *of == what);
        list.map(|(_, matches)| matches)
    }

    pub(crate) fn identity(&self, side: usize, (what, index): (&str, usize)) -> Identity {
        let matches = self.get(what);
        match matches.and_then(|matches| matches.others[side].get(index)) {
            None => Identity::Number(index),
            Some(_) if side == 0 => Identity::OfA(index),
            Some(Some(other)) => Identity::OfA(*other),
            Some(None) => Identity::OnlyInB(index),
        }
    }

    /// Returns `true` if only one file has a part.
    pub(crate) fn is_unmatched(&self, side: usize, (what, index): (&str, usize)) -> bool {
        let matches = self.get(what);
        let other = matches.and_then(|matches| matches.others[side].get(index));
        other.is_some_and(Option::is_none)
    }

    pub(crate) fn are_numbers_same(&self, what: &str) -> bool {
        self.get(what).is_none_or(|matches| {
            let [a, b] = &matches.others;
            let mut all = a.iter().enumerate();
            a.len() == b.len() && all.all(|(index, other)| *other == Some(index))
        })
    }
}

impl<'c> Content<'c> {
    pub(crate) fn new(side: usize, references: &'c References) -> Self {
        Self {
            hasher: DefaultHasher::new(),
            side,
            references,
        }
    }

    pub(crate) fn digest(&self) -> u64 {
        self.hasher.finish()
    }

    /// Adds bytes of the file.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
    }

    /// Adds numbers of the file.
    pub(crate) fn numbers(&mut self, numbers: &[f32]) {
        self.bytes(bytemuck::cast_slice(numbers));
    }

    /// Adds a reference to a part of another list, which may have another number in the other file.
    pub(crate) fn part(&mut self, what: &'static str, index: usize) {
        let identity = self.references.identity(self.side, (what, index));
        identity.hash(&mut self.hasher);
    }

    /// Returns `true` if the parts of a list have the same numbers in both files.
    pub(crate) fn are_numbers_same(&self, what: &'static str) -> bool {
        self.references.are_numbers_same(what)
    }
}

impl<'a> Parts<'a> {
    /// A list of unnamed, numbered parts.
    pub(crate) fn list(what: &'static str, count: usize) -> Self {
        Self {
            what,
            count,
            columns: None,
            name: Rc::new(|index| index.to_string()),
            key: None,
            owner: None,
            position: None,
            item: None,
            own: None,
            content: None,
            children: None,
            has_items_within: true,
            is_referenced: false,
            is_ordered: true,
            is_compared: true,
        }
    }

    /// A list of one item.
    pub(crate) fn one(what: &'static str, item: impl Into<Item>) -> Self {
        let item = item.into();
        Self::named(what, 1, move |_| what.to_owned()).items(move |_| Some(item))
    }

    /// A list of named parts.
    pub(crate) fn named(
        what: &'static str,
        count: usize,
        name: impl Fn(usize) -> String + 'a,
    ) -> Self {
        let name: Read<'a, String> = Rc::new(name);
        Self {
            name: Rc::clone(&name),
            key: Some(name),
            ..Self::list(what, count)
        }
    }

    /// A list of named records.
    pub(crate) fn records<T>(what: &'static str, all: &'a [T], name: fn(&T) -> String) -> Self {
        Self::named(what, all.len(), move |index| {
            all.get(index).map_or_else(String::new, name)
        })
    }

    /// The cells of a grid, row by row; `name` gets the row and column of a cell.
    pub(crate) fn grid(
        what: &'static str,
        [rows, columns]: [u32; 2],
        name: impl Fn([u32; 2]) -> String + 'a,
    ) -> Self {
        let [rows, columns] = [rows, columns].map(|count| count as usize);
        let list = Self::list(what, rows * columns)
            .called(move |index| name(row_and_column(index, columns)));
        Self {
            columns: Some(columns),
            ..list
        }
    }

    /// Truncates the list at the first part that could not be read.
    pub(crate) fn up_to(mut self, count: usize) -> Self {
        self.count = self.count.min(count);
        self
    }

    /// Sets the name of each part.
    pub(crate) fn called(mut self, name: impl Fn(usize) -> String + 'a) -> Self {
        self.name = Rc::new(name);
        self
    }

    /// Sets a matching key other than the name.
    pub(crate) fn keys(mut self, key: impl Fn(usize) -> String + 'a) -> Self {
        self.key = Some(Rc::new(key));
        self
    }

    /// Matches parts by their owners if they have any, else by their contents.
    pub(crate) fn without_keys(self) -> Self {
        Self { key: None, ..self }
    }

    /// Sets the owner of each part by its index in another list. Parts without a key are matched by
    /// owner. If only one file has the owner, its parts are not reported separately.
    pub(crate) fn of(
        mut self,
        what: &'static str,
        owner: impl Fn(usize) -> Option<usize> + 'a,
    ) -> Self {
        self.owner = Some((what, Rc::new(owner)));
        self
    }

    /// Sets the position of each part. Among parts with the same key, those at the same position
    /// are matched first.
    pub(crate) fn at(mut self, position: impl Fn(usize) -> Option<[i64; 2]> + 'a) -> Self {
        self.position = Some(Rc::new(position));
        self
    }

    /// The position of a part, if known.
    pub(crate) fn position(&self, index: usize) -> Option<[i64; 2]> {
        self.position.as_ref()?(index)
    }

    /// Marks the list as referenced by index from other lists. If a part disappears and another
    /// takes its place, they count as the same part.
    pub(crate) fn referenced_by_index(self) -> Self {
        Self {
            is_referenced: true,
            ..self
        }
    }

    /// Sets whether the order of parts is significant.
    pub(crate) fn ordered(self, is_ordered: bool) -> Self {
        Self { is_ordered, ..self }
    }

    /// Leaves the list out of comparisons.
    pub(crate) fn not_compared(self) -> Self {
        Self {
            is_compared: false,
            ..self
        }
    }

    /// Sets the item of each part, whose fields are compared.
    pub(crate) fn items<I: Into<Item>>(mut self, item: impl Fn(usize) -> Option<I> + 'a) -> Self {
        self.item = Some(Rc::new(move |index| item(index).map(Into::into)));
        self
    }

    /// Sets the items of a grid by row and column.
    pub(crate) fn cells<I: Into<Item>>(self, item: impl Fn([u32; 2]) -> I + 'a) -> Self {
        let columns = self.columns.unwrap_or(1);
        self.items(move |index| Some(item(row_and_column(index, columns))))
    }

    /// Sets the fields of each part, if they are not those of its item.
    pub(crate) fn owns(mut self, own: impl Fn(usize) -> Vec<OwnLine> + 'a) -> Self {
        self.own = Some(Rc::new(own));
        self
    }

    /// Sets the content of a run of parts: all data that the file has for them. Fields and children
    /// of parts of equal content are not compared.
    pub(crate) fn contents(
        mut self,
        content: impl Fn(Range<usize>, &mut Content<'_>) + 'a,
    ) -> Self {
        self.content = Some(Box::new(content));
        self
    }

    /// Sets the children of each part.
    pub(crate) fn with_children(mut self, children: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        self.children = Some(Rc::new(children));
        self
    }

    /// Sets children that are not items.
    pub(crate) fn detailed(self, children: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        Self {
            has_items_within: false,
            ..self.with_children(children)
        }
    }

    pub(crate) fn name(&self, index: usize) -> String {
        (self.name)(index)
    }

    pub(crate) fn key(&self, index: usize) -> Option<String> {
        self.key.as_ref().map(|key| key(index))
    }

    /// Returns `true` if parts are matched by a key or by their owners.
    pub(crate) fn has_keys(&self) -> bool {
        self.key.is_some() || self.owner.is_some()
    }

    /// The owner of a part: its list and index.
    pub(crate) fn owner(&self, index: usize) -> Option<(&'static str, usize)> {
        let (what, owner) = self.owner.as_ref()?;
        Some((what, owner(index)?))
    }

    /// Returns `true` if the parts are items, rather than details of items.
    pub(crate) fn lists_items(&self) -> bool {
        self.item.is_some() && self.own.is_none()
    }

    /// Returns `true` if some children of its parts are items.
    pub(crate) fn has_items_within(&self) -> bool {
        self.children.is_some() && self.has_items_within
    }

    pub(crate) fn item(&self, index: usize) -> Option<Item> {
        self.item.as_ref().and_then(|item| item(index))
    }

    pub(crate) fn own(&self, index: usize, document: &dyn Document) -> Vec<OwnLine> {
        match (&self.own, self.item(index)) {
            (Some(own), _) => own(index),
            (None, Some(item)) => document.own(item),
            (None, None) => Vec::new(),
        }
    }

    /// Adds the contents of a run of parts; returns `false` if the list has no contents.
    pub(crate) fn add_content(&self, run: Range<usize>, content: &mut Content<'_>) -> bool {
        let read = self.content.as_ref();
        read.inspect(|read| read(run, content)).is_some()
    }

    /// End of the run of equal cells that begins at an index, limited to its row. Outside grids, a
    /// run is one part.
    pub(crate) fn end_of_run(&self, index: usize) -> usize {
        let columns = self.columns.filter(|_| self.children.is_none());
        let references = References::default();
        let digest = |index| {
            let mut content = Content::new(0, &references);
            let has_content = self.add_content(index..index + 1, &mut content);
            has_content.then(|| content.digest())
        };
        let Some((columns, first)) = columns.zip(digest(index)) else {
            return index + 1;
        };
        let columns = columns.max(1);
        let row_end = ((index / columns + 1) * columns).min(self.count);
        let end = (index + 1..row_end).find(|&index| digest(index) != Some(first));
        end.unwrap_or(row_end)
    }

    pub(crate) fn children(&self, index: usize) -> Vec<Self> {
        let children = self.children.as_ref();
        children.map_or_else(Vec::new, |children| children(index))
    }

    /// The children of a part that are compared.
    pub(crate) fn compared_children(&self, index: usize) -> Vec<Self> {
        let mut children = self.children(index);
        children.retain(|list| list.is_compared);
        children
    }

    /// Number of rows or columns of a grid.
    pub(crate) fn line_count(&self, line: Line) -> usize {
        let columns = self.columns.unwrap_or(1);
        match line {
            Line::Row => self.count.div_ceil(columns.max(1)),
            Line::Column => columns.min(self.count),
        }
    }

    /// Adds the contents of a row or column.
    pub(crate) fn add_line(&self, line: Line, index: usize, content: &mut Content<'_>) {
        let mut cells = self.line(line, index);
        if line == Line::Row {
            let (count, first) = (cells.len(), cells.next().unwrap_or_default());
            self.add_content(first..first + count, content);
            return;
        }
        for cell in cells {
            self.add_content(cell..cell + 1, content);
        }
    }

    /// The cells of a row or column.
    pub(crate) fn line(&self, line: Line, index: usize) -> StepBy<Range<usize>> {
        let columns = self.columns.unwrap_or(1).max(1);
        match line {
            Line::Row => (index * columns..self.count.min((index + 1) * columns)).step_by(1),
            Line::Column => (index..self.count).step_by(columns),
        }
    }
}

fn row_and_column(index: usize, columns: usize) -> [u32; 2] {
    let columns = columns.max(1);
    [index / columns, index % columns].map(|at| at as u32)
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count, self.what)
    }
}
