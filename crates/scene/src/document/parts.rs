//! Lists of the parts of a file.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter::StepBy;
use std::ops::Range;
use std::rc::Rc;

use crate::{Document, Item, OwnLine};

/// Reads something of a part by its index.
type Read<'a, T> = Rc<dyn Fn(usize) -> T + 'a>;
/// Reads the contents of a run of parts.
type ReadContent<'a> = Box<dyn Fn(Range<usize>, &mut Content<'_>) + 'a>;

/// A list of parts of a file that are of one kind.
pub struct Parts<'a> {
    /// The kind, such as `tile`.
    pub(crate) what: &'static str,
    pub(crate) count: usize,
    /// Number of columns, if the parts are the cells of a grid.
    pub(crate) columns: Option<usize>,
    /// The name or the place of a part, as the format has it.
    name: Read<'a, String>,
    /// What a part is matched by. Parts without a key are matched by their contents and their order.
    key: Option<Read<'a, String>>,
    /// The part of another list that each belongs to.
    owner: Option<(&'static str, Read<'a, Option<usize>>)>,
    /// Where a part stands. Parts of one key are matched by it before their order.
    position: Option<Read<'a, Option<[i64; 2]>>>,
    item: Option<Read<'a, Option<Item>>>,
    own: Option<Read<'a, Vec<OwnLine>>>,
    content: Option<ReadContent<'a>>,
    children: Option<Read<'a, Vec<Parts<'a>>>>,
    /// `true` if some of the children are items.
    has_items_within: bool,
    /// `true` if parts of other lists name those of this one by their indices.
    pub(crate) is_named_by_others: bool,
    /// `true` if another order is a difference.
    pub(crate) is_ordered: bool,
    /// `false` if the list only serves to find items.
    pub(crate) is_compared: bool,
}

/// Digest of what a file has for some parts. Parts of equal content are equal.
pub(crate) struct Content<'c> {
    hasher: DefaultHasher,
    side: usize,
    references: &'c References,
}

/// A row of a grid, or a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Row,
    Column,
}

/// Which parts of two lists go together: for each of A that of B, and for each of B that of A.
#[derive(Debug)]
pub(crate) struct Matches {
    pub(crate) others: [Vec<Option<usize>>; 2],
}

/// The lists whose parts are named by others, and which of these parts go together.
#[derive(Debug, Default)]
pub(crate) struct References(Vec<(&'static str, Rc<Matches>)>);

/// A part that others name. It is equal for parts that go together.
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
    pub(crate) fn is_alone(&self, side: usize, (what, index): (&str, usize)) -> bool {
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

    /// Adds the name of a part of another list, which may have another number in the other file.
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
    /// A list of parts without names, which are numbered.
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
            is_named_by_others: false,
            is_ordered: true,
            is_compared: true,
        }
    }

    /// A list of one item.
    pub(crate) fn one(what: &'static str, item: impl Into<Item>) -> Self {
        let item = item.into();
        Self::named(what, 1, move |_| what.to_owned()).items(move |_| Some(item))
    }

    /// A list of parts that have names.
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

    /// A list of records that have names.
    pub(crate) fn records<T>(what: &'static str, all: &'a [T], name: fn(&T) -> String) -> Self {
        Self::named(what, all.len(), move |index| {
            all.get(index).map_or_else(String::new, name)
        })
    }

    /// The cells of a grid, row by row, with a name for each row and column.
    pub(crate) fn grid(
        what: &'static str,
        [rows, columns]: [u32; 2],
        name: impl Fn([u32; 2]) -> String + 'a,
    ) -> Self {
        let [rows, columns] = [rows, columns].map(|count| count as usize);
        let list = Self::list(what, rows * columns);
        let list = list.called(move |index| name(row_and_column(index, columns)));
        Self {
            columns: Some(columns),
            ..list
        }
    }

    /// The same list up to a part that could not be read.
    pub(crate) fn up_to(mut self, count: usize) -> Self {
        self.count = self.count.min(count);
        self
    }

    /// Sets the name of each part.
    pub(crate) fn called(mut self, name: impl Fn(usize) -> String + 'a) -> Self {
        self.name = Rc::new(name);
        self
    }

    /// Matches parts by this key instead of their names.
    pub(crate) fn keys(mut self, key: impl Fn(usize) -> String + 'a) -> Self {
        self.key = Some(Rc::new(key));
        self
    }

    /// Matches parts by their owners, if they have any, and else by their contents.
    pub(crate) fn without_keys(self) -> Self {
        Self { key: None, ..self }
    }

    /// Sets the part of another list that each belongs to, by its index there. Parts without a key are matched by
    /// it. A part of one that only one file has is no difference of its own.
    pub(crate) fn of(
        mut self,
        what: &'static str,
        owner: impl Fn(usize) -> Option<usize> + 'a,
    ) -> Self {
        self.owner = Some((what, Rc::new(owner)));
        self
    }

    /// Sets where each part stands. Of several parts with one key, those in one place are matched first.
    pub(crate) fn at(mut self, position: impl Fn(usize) -> Option<[i64; 2]> + 'a) -> Self {
        self.position = Some(Rc::new(position));
        self
    }

    /// Where a part stands, if that is known.
    pub(crate) fn position(&self, index: usize) -> Option<[i64; 2]> {
        self.position.as_ref()?(index)
    }

    /// Parts of other lists name those of this one by their indices. If one is gone and another has come in its
    /// place, they are the same part.
    pub(crate) fn named_by_others(self) -> Self {
        Self {
            is_named_by_others: true,
            ..self
        }
    }

    /// Sets whether the order of parts means anything.
    pub(crate) fn ordered(self, is_ordered: bool) -> Self {
        Self { is_ordered, ..self }
    }

    /// Leaves the list out of comparisons.
    pub(crate) fn for_finding(self) -> Self {
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

    /// Sets the content of a run of parts: all that the file has for them. Fields and children of parts of equal
    /// content are not compared.
    pub(crate) fn contents(
        mut self,
        content: impl Fn(Range<usize>, &mut Content<'_>) + 'a,
    ) -> Self {
        self.content = Some(Box::new(content));
        self
    }

    /// Sets the children of each part.
    pub(crate) fn made_of(mut self, children: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        self.children = Some(Rc::new(children));
        self
    }

    /// Sets the children of each part, none of which is an item.
    pub(crate) fn detailed(self, children: impl Fn(usize) -> Vec<Parts<'a>> + 'a) -> Self {
        Self {
            has_items_within: false,
            ..self.made_of(children)
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

    /// The part of another list that a part belongs to.
    pub(crate) fn owner(&self, index: usize) -> Option<(&'static str, usize)> {
        let (what, owner) = self.owner.as_ref()?;
        Some((what, owner(index)?))
    }

    /// Returns `true` if it is a list of items, and not of something else that is said of them.
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

    /// Adds the contents of a run of parts; returns `false` if the list has none.
    pub(crate) fn add_content(&self, run: Range<usize>, content: &mut Content<'_>) -> bool {
        let read = self.content.as_ref();
        read.inspect(|read| read(run, content)).is_some()
    }

    /// The end of the run of equal cells that begins at an index, at most the end of its row. A run of what is no
    /// cell is one part.
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

    /// Number of rows, or of columns, of a grid.
    pub(crate) fn line_count(&self, line: Line) -> usize {
        let columns = self.columns.unwrap_or(1);
        match line {
            Line::Row => self.count.div_ceil(columns.max(1)),
            Line::Column => columns.min(self.count),
        }
    }

    /// Adds the contents of a row, or of a column.
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

    /// The cells of a row, or of a column.
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
