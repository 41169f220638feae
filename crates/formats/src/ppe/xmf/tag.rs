//! Tags of XMF and the records that they stand for: a record names its fields once, for reading and
//! for writing.

use super::RepeatMode;
use crate::misspelt::nearest;
use crate::ppe::rules;
use crate::ppe::sdlang::{At, Attribute, Tag, Value};
use crate::{Cause, Message, Place, Problem, Problems, Rule, counted, quoted};

/// The names of all attributes that are read.
const ATTRIBUTES: [&str; 15] = [
    "height",
    "hMirror",
    "horizOffset",
    "lrCornerX",
    "lrCornerY",
    "masterAlpha",
    "name",
    "offset",
    "palSel",
    "palShift",
    "scaleHoriz",
    "scaleVert",
    "vertOffset",
    "vMirror",
    "width",
];

/// Among how many attributes of a tag one is looked for that is misspelt. A broken file may have any number.
const MAX_MISSPELT: usize = 64;

/// The attribute of a name, by its index: that one, or else one whose name is written in other cases or
/// misspelt.
pub(super) fn find(attributes: &[Attribute], name: &str) -> Option<usize> {
    let exact = attributes.iter().position(|other| other.name == name);
    let others = || attributes.iter().take(MAX_MISSPELT);
    exact.or_else(|| others().position(|other| is_meant(&other.name, name)))
}

/// Whether the name of an attribute is one of those that are read, written in other cases or misspelt.
pub(super) fn is_meant(found: &str, name: &str) -> bool {
    let is_misspelt = || {
        let nearest = nearest(found, ATTRIBUTES);
        nearest.is_some_and(|(meant, is_only)| meant == name && is_only)
    };
    found.eq_ignore_ascii_case(name) || !ATTRIBUTES.contains(&found) && is_misspelt()
}

/// What a tag stands for.
pub(super) trait Record: Default {
    /// Namespace and name of the tags that it is read from; `*` is any name.
    const TAGS: &'static [[&'static str; 2]];
    /// Whether it is read as far as it goes where the text ends inside it. Others are left out.
    const IS_LIST: bool = false;

    /// Namespace and name of the tag that it is written as.
    fn name(&self) -> [&str; 2] {
        Self::TAGS.first().copied().unwrap_or_default()
    }

    /// Reads or writes its fields, in the order in which they are written; none if the record cannot
    /// be read.
    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()>;
}

/// Whether a tag is such a record.
pub(super) fn is<T: Record>(tag: &Tag) -> bool {
    is_one(tag, T::TAGS)
}

fn is_one(tag: &Tag, tags: &[[&str; 2]]) -> bool {
    let is = |[namespace, name]: &[&str; 2]| {
        tag.namespace == *namespace && (*name == "*" || tag.name == *name)
    };
    tags.iter().any(is)
}

/// Reads a record. What is wrong with its fields is listed; none if it lacks what it cannot do
/// without.
pub(super) fn read<T: Record>(tag: Tag, problems: &mut Problems) -> Option<T> {
    let mut record = T::default();
    record.fields(&mut Fields::new(tag, Some(problems)))?;
    Some(record)
}

/// Writes a record.
pub(super) fn write<T: Record>(mut record: T) -> Tag {
    let [namespace, name] = record.name();
    let mut fields = Fields::new(Tag::new(namespace, name, []), None);
    record.fields(&mut fields);
    fields.tag
}

/// How a value of a tag is read and written.
pub(super) struct Kind<T> {
    expected: &'static str,
    read: fn(&Value) -> Option<T>,
    write: fn(&T) -> Value,
}

const fn kind<T>(
    expected: &'static str,
    read: fn(&Value) -> Option<T>,
    write: fn(&T) -> Value,
) -> Kind<T> {
    Kind {
        expected,
        read,
        write,
    }
}

fn integer<T: TryFrom<i64>>(value: &Value) -> Option<T> {
    value.as_integer()?.try_into().ok()
}

fn integer_to<const MAX: u32>(value: &Value) -> Option<u32> {
    integer(value).filter(|number| *number <= MAX)
}

fn write_integer<T: Copy + Into<i64>>(number: &T) -> Value {
    Value::Integer((*number).into())
}

pub(super) const TEXT: Kind<String> = kind(
    "a text",
    |value| value.as_text().map(str::to_owned),
    |text| text.as_str().into(),
);
pub(super) const BYTES: Kind<Vec<u8>> = kind(
    "bytes in base64",
    |value| value.as_bytes().map(<[u8]>::to_vec),
    |bytes| Value::Binary(bytes.clone()),
);
pub(super) const FLAG: Kind<bool> = kind("`true` or `false`", Value::as_bool, |flag| {
    Value::Bool(*flag)
});
pub(super) const NUMBER: Kind<f64> =
    kind("a number", Value::as_number, |number| Value::Float(*number));
pub(super) const LONG: Kind<i64> = kind("a whole number", integer, write_integer);
pub(super) const INT: Kind<i32> = kind("a whole number of 32 bits", integer, write_integer);
pub(super) const UNSIGNED: Kind<u32> = kind(
    "a whole number from 0 to 4294967295",
    integer,
    write_integer,
);
pub(super) const SIZE: Kind<u32> = kind(
    "a whole number from 1 to 2147483647",
    |value| integer_to::<{ i32::MAX as u32 }>(value).filter(|size| *size > 0),
    write_integer,
);
/// The palette of the engine has 65536 colours.
pub(super) const PAL_SHIFT: Kind<u32> = kind(
    "a whole number from 0 to 16",
    integer_to::<16>,
    write_integer,
);
pub(super) const COLOR: Kind<u32> = kind(
    "a whole number from 0 to 65535",
    integer_to::<0xFFFF>,
    write_integer,
);
pub(super) const ALPHA: Kind<u8> = kind("a whole number from 0 to 255", integer, write_integer);
pub(super) const REPEAT: Kind<RepeatMode> = kind(
    "`On`, `Off` or `SingleTile`",
    |value| {
        let modes = [RepeatMode::Off, RepeatMode::On, RepeatMode::SingleTile];
        let name = value.as_text()?;
        modes.into_iter().find(|mode| mode.name() == name)
    },
    |mode| mode.name().into(),
);

/// The fields of a tag, which are read from it or written to it.
pub(super) struct Fields<'p> {
    tag: Tag,
    /// The index of the value that comes next.
    next_value: usize,
    /// What is wrong with a tag that is read; none for one that is written.
    problems: Option<&'p mut Problems>,
    /// The first value that is wrong.
    wrong_value: Option<Cause>,
}

impl<'p> Fields<'p> {
    fn new(tag: Tag, problems: Option<&'p mut Problems>) -> Self {
        Self {
            tag,
            next_value: 0,
            problems,
            wrong_value: None,
        }
    }

    /// The tag; while it is written, as far as that has got.
    pub(super) fn tag(&mut self) -> &mut Tag {
        &mut self.tag
    }

    /// Whether the fields are those of a tag that is read.
    pub(super) fn is_read(&self) -> bool {
        self.problems.is_some()
    }

    /// Lists a problem of a tag that is read.
    pub(super) fn problem<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        message: impl FnOnce() -> M,
    ) {
        self.problem_at(rule, self.tag.at, message);
    }

    /// The same at another place.
    pub(super) fn problem_at<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: At,
        message: impl FnOnce() -> M,
    ) {
        if let Some(problems) = &mut self.problems {
            problems.add(rule, at.into(), message);
        }
    }

    /// How many problems there are, for [`Fields::fold_since`].
    pub(super) fn moment(&self) -> usize {
        self.problems
            .as_ref()
            .map_or(0, |problems| problems.moment())
    }

    /// Lets all that were listed since a moment follow from the first of them.
    pub(super) fn fold_since(&mut self, moment: usize) {
        if let Some(problems) = &mut self.problems
            && let Some(first) = problems.first_since(moment)
        {
            problems.fold_since(moment, first);
        }
    }

    /// Whether a value on one of these lines is missing or wrong.
    pub(super) fn has_wrong_value(&self, lines: [At; 2]) -> bool {
        let is_it = |problem: &Problem| {
            let lines = lines.map(|at| u64::from(at.line));
            problem.rule == &rules::VALUE
                && matches!(problem.place, Place::Text { line, .. } if lines.contains(&line))
        };
        let problems = self.problems.as_ref();
        problems.is_some_and(|problems| problems.find_since(0, is_it).is_some())
    }

    /// Whether the text ends inside the tag.
    pub(super) fn is_cut(&mut self, is_cut: &mut bool) {
        *is_cut = self.tag.is_open;
    }

    /// Where the tag is in the file.
    pub(super) fn at(&mut self, at: &mut At) {
        if self.is_read() {
            *at = self.tag.at;
        }
    }

    /// The next value.
    pub(super) fn value<T>(&mut self, field: &mut T, what: &str, kind: &Kind<T>) -> Option<()> {
        let Some(problems) = &mut self.problems else {
            self.tag.values.push((kind.write)(field));
            return Some(());
        };
        self.next_value += 1;
        let (tag, number) = (&self.tag, self.next_value);
        let value = tag.values.get(number - 1);
        if let Some(read) = value.and_then(kind.read) {
            *field = read;
            return Some(());
        }
        // Where one is missing, those behind it stand in the place of others.
        let cause = self.wrong_value.filter(|_| value.is_none());
        if let Some(cause) = cause {
            problems.fold_behind(cause);
        }
        let (rule, subject) = (&rules::VALUE, problems.subject);
        let at = value.and(tag.places.of_value(number - 1));
        let place = at.unwrap_or(tag.at).into();
        problems.add_consequence(cause, rule, subject, place, || {
            let (title, expected) = (tag.title(), kind.expected);
            match value {
                None => format!("{title} has no value {number}; expected {what}, {expected}"),
                Some(value) => {
                    let found = described(value);
                    format!("{title}: value {number} is {found}; expected {what}, {expected}")
                }
            }
        });
        self.wrong_value = self.wrong_value.or(problems.last());
        None
    }

    /// The next values, each with its name, or with the last of fewer names.
    pub(super) fn values<T>(
        &mut self,
        fields: &mut [T],
        names: &[&str],
        kind: &Kind<T>,
    ) -> Option<()> {
        let last = names.last().copied().unwrap_or_default();
        let names = names.iter().copied().chain(std::iter::repeat(last));
        let mut read = Some(());
        for (field, name) in fields.iter_mut().zip(names) {
            read = self.value(field, name, kind).and(read);
        }
        read
    }

    /// The next value if it is there and of the right kind.
    pub(super) fn optional_value<T>(&mut self, field: &mut Option<T>, kind: &Kind<T>) {
        if self.is_read() {
            *field = self.tag.values.get(self.next_value).and_then(kind.read);
            self.next_value += usize::from(field.is_some());
        } else {
            self.tag.values.extend(field.as_ref().map(kind.write));
        }
    }

    /// All values that follow, as they are.
    pub(super) fn other_values(&mut self, values: &mut Vec<Value>) {
        if self.is_read() {
            let first = self.next_value.min(self.tag.values.len());
            *values = self.tag.values.split_off(first);
        } else {
            self.tag.values.append(values);
        }
    }

    /// Lists values behind the last one that is read, such as those of the next line of a list where
    /// the end of the line is missing.
    pub(super) fn check_surplus(&mut self) {
        let (tag, next) = (&self.tag, self.next_value);
        if let (Some(problems), Some(value)) = (&mut self.problems, tag.values.get(next)) {
            let at = tag.places.of_value(next).unwrap_or(tag.at);
            problems.add(&rules::SURPLUS_VALUES, at.into(), || {
                let (title, found) = (tag.title(), described(value));
                let count = counted(tag.values.len() - next, "value");
                format!("{title}: found {found}; expected the end of the line; {count} left out")
            });
        }
    }

    /// An attribute. One of the wrong kind is listed and kept among the others.
    pub(super) fn attribute<T>(&mut self, name: &str, field: &mut Option<T>, kind: &Kind<T>) {
        debug_assert!(ATTRIBUTES.contains(&name), "`{name}` is not in the list");
        let attributes = &mut self.tag.attributes;
        if self.problems.is_none() {
            attributes.extend(field.as_ref().map(|value| Attribute {
                namespace: String::new(),
                name: name.to_owned(),
                value: (kind.write)(value),
            }));
            return;
        }
        let Some(index) = find(attributes, name) else {
            return;
        };
        if attributes[index].name != name
            && let Some(problems) = &mut self.problems
        {
            let at = self.tag.places.of_attribute(index).unwrap_or(self.tag.at);
            let found = quoted(attributes[index].name.as_bytes());
            problems.add(&rules::TAG_NAME, at.into(), || {
                Message::read(
                    format!("no attribute is named {found}"),
                    format_args!("as `{name}`"),
                )
            });
        }
        *field = (kind.read)(&attributes[index].value);
        let places = &mut self.tag.places;
        if field.is_some() {
            attributes.remove(index);
            places.remove_attribute(index);
            return;
        }
        let at = places.of_attribute(index);
        let (title, found) = (
            self.tag.title(),
            described(&self.tag.attributes[index].value),
        );
        self.problem_at(&rules::VALUE, at.unwrap_or(self.tag.at), || {
            let expected = kind.expected;
            format!("{title}: the attribute `{name}` is {found}; expected {expected}")
        });
    }

    /// An attribute that is left out where it says what goes without saying.
    pub(super) fn attribute_or_default<T: Default + Clone + PartialEq>(
        &mut self,
        name: &str,
        field: &mut T,
        kind: &Kind<T>,
    ) {
        let mut value = (*field != T::default()).then(|| field.clone());
        self.attribute(name, &mut value, kind);
        *field = value.unwrap_or_default();
    }

    /// A tag inside, with fields of its own. Of several that can be read, the last one counts.
    pub(super) fn child<T: Default + Clone>(
        &mut self,
        tags: &[[&'static str; 2]],
        field: &mut Option<T>,
        fields: impl Fn(&mut Fields<'_>, &mut T) -> Option<()>,
    ) {
        for tag in self.take_children(tags) {
            let mut value = field.clone().unwrap_or_default();
            if fields(&mut self.inside(tag), &mut value).is_some() {
                *field = Some(value);
            }
        }
        if let (None, Some(value), [[namespace, name], ..]) = (&self.problems, field, tags) {
            let mut child = Fields::new(Tag::new(namespace, name, []), None);
            fields(&mut child, value);
            self.tag.children.push(child.tag);
        }
    }

    /// A tag inside without namespace that has values alone.
    pub(super) fn child_value<T: Default + Clone>(
        &mut self,
        name: &'static str,
        field: &mut Option<T>,
        what: &str,
        kind: &Kind<T>,
    ) {
        let value = |child: &mut Fields<'_>, value: &mut T| child.value(value, what, kind);
        self.child(&[["", name]], field, value);
    }

    /// The same with several values.
    pub(super) fn child_values<T: Default + Clone, const N: usize>(
        &mut self,
        name: &'static str,
        field: &mut Option<[T; N]>,
        names: &[&str],
        kind: &Kind<T>,
    ) where
        [T; N]: Default,
    {
        let values = |child: &mut Fields<'_>, all: &mut [T; N]| child.values(all, names, kind);
        self.child(&[["", name]], field, values);
    }

    /// The records inside. While they are read, those that cannot be are left out.
    pub(super) fn children<T: Record>(&mut self, list: &mut Vec<T>) {
        if self.is_read() {
            let is_whole = |tag: &Tag| T::IS_LIST || !tag.is_open;
            for tag in self.take_children(T::TAGS).into_iter().filter(is_whole) {
                let mut record = T::default();
                list.extend(record.fields(&mut self.inside(tag)).map(|()| record));
            }
        } else {
            self.tag.children.extend(list.drain(..).map(write));
        }
    }

    /// The fields of a tag inside this one.
    pub(super) fn inside(&mut self, tag: Tag) -> Fields<'_> {
        Fields::new(tag, self.problems.as_deref_mut())
    }

    /// Takes tags out of one that is read; none out of one that is written.
    pub(super) fn take_children(&mut self, tags: &[[&'static str; 2]]) -> Vec<Tag> {
        let (is_read, children) = (self.is_read(), &mut self.tag.children);
        children
            .extract_if(.., |tag| is_read && is_one(tag, tags))
            .collect()
    }

    /// Whether a tag is inside. One that says more than its name is kept among the others.
    pub(super) fn flag(&mut self, name: &'static str, flag: &mut bool, other: &[Tag]) {
        let is = |tag: &Tag| tag.is("", name);
        if self.is_read() {
            *flag = self.tag.children.iter().any(is);
            let plain = Tag::new("", name, []);
            let is_plain = |tag: &Tag| {
                *tag == Tag {
                    at: tag.at,
                    ..plain.clone()
                }
            };
            self.tag.children.retain(|tag| !is_plain(tag));
        } else if *flag && !other.iter().any(is) {
            self.tag.children.push(Tag::new("", name, []));
        }
    }

    /// All attributes that are left, and then all tags.
    pub(super) fn rest(&mut self, attributes: &mut Vec<Attribute>, other: &mut Vec<Tag>) {
        self.other_attributes(attributes);
        if self.is_read() {
            self.check_names();
            *other = std::mem::take(&mut self.tag.children);
            other.retain(|tag| !tag.is_open);
        } else {
            self.tag.children.append(other);
        }
    }

    /// Where there are more values than are read, one of them is too many, and those behind it stand in the
    /// place of others.
    fn fold_values(&mut self) {
        let is_too_many = self.tag.values.len() > self.next_value;
        let at = self.tag.at;
        if let (Some(problems), Some(cause), true) =
            (&mut self.problems, self.wrong_value, is_too_many)
        {
            problems.fold(cause, |problem| {
                let is_of_tag = matches!(problem.place, Place::Text { line, column }
                    if line == u64::from(at.line) && column >= u64::from(at.column));
                problem.rule == &rules::VALUE && is_of_tag
            });
        }
    }

    /// Lists the tags that are left and have no name. Of several, the first is why: a brace that is lost
    /// before a list leaves all its lines so.
    fn check_names(&mut self) {
        let Some(problems) = &mut self.problems else {
            return;
        };
        let is_nameless = |tag: &&Tag| !tag.is_open && tag.name_in_file().is_empty();
        let mut first = None;
        for tag in self.tag.children.iter().filter(is_nameless) {
            let (rule, subject) = (&rules::TAG_NAME, problems.subject);
            problems.add_consequence(first, rule, subject, tag.at.into(), || {
                "found a tag without a name, which is ignored; expected its name".to_owned()
            });
            first = first.or(problems.last());
        }
    }

    /// All attributes that are left.
    pub(super) fn other_attributes(&mut self, attributes: &mut Vec<Attribute>) {
        self.fold_values();
        if self.is_read() {
            *attributes = std::mem::take(&mut self.tag.attributes);
            // Room for those that were read would be most of what a palette takes.
            attributes.shrink_to_fit();
        } else {
            self.tag.attributes.append(attributes);
        }
    }
}

/// A value, as messages name it.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(yes) => format!("`{yes}`"),
        Value::Integer(number) => format!("{number}"),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => format!("the text {}", quoted(text.as_bytes())),
        Value::Binary(bytes) => counted(bytes.len(), "byte"),
        Value::Time(text) => format!("the time {}", quoted(text.as_bytes())),
    }
}
