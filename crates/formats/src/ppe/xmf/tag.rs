//! Tags of XMF and the records that they stand for: a record names its fields once, for reading and
//! for writing.

use super::RepeatMode;
use crate::misspelt::suggest;
use crate::ppe::rules;
use crate::ppe::sdlang::{At, Attribute, Tag, Value};
use crate::{Cause, Message, Problems, Rule, counted, quoted};

/// How many unknown names of a tag are compared with known ones.
const MAX_UNKNOWN: usize = 64;

/// What a tag stands for.
pub(super) trait Record: Default {
    /// Namespace and name of the tags that it is read from; `*` is any name.
    const TAGS: &'static [[&'static str; 2]];
    /// Whether it is read as far as it goes where the text ends inside it. Others are left out.
    const IS_LIST: bool = false;

    /// `true` if a tag of such a name is a record; any other is kept as it is.
    fn is(_tag: &Tag) -> bool {
        true
    }

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

/// Reads a record, and returns whether all its values could be read. What is wrong with its fields is listed;
/// `None` if it lacks what it cannot do without.
pub(super) fn read<T: Record>(tag: Tag, problems: &mut Problems) -> (Option<T>, bool) {
    let mut record = T::default();
    let mut fields = Fields::new(tag, Some(problems));
    let read = record.fields(&mut fields).map(|()| record);
    (read, !fields.has_wrong_value)
}

/// Writes a record.
pub(super) fn write<T: Record>(mut record: T) -> Tag {
    let [namespace, name] = record.name();
    let mut fields = Fields::new(Tag::new(namespace, name, []), None);
    record.fields(&mut fields);
    std::mem::take(&mut fields.tag)
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
    /// The cause of what is read after the tag.
    outer: Option<Cause>,
    has_wrong_value: bool,
    /// The first value that is wrong: whatever is wrong with the others follows from it.
    wrong_value: Option<Cause>,
    /// The tags inside of which values could not be read.
    doubtful: Vec<At>,
    /// Names of attributes and tags that were looked for and are missing.
    missing: Vec<String>,
}

impl Drop for Fields<'_> {
    fn drop(&mut self) {
        if let Some(problems) = &mut self.problems {
            problems.cause = self.outer;
        }
    }
}

impl<'p> Fields<'p> {
    fn new(tag: Tag, mut problems: Option<&'p mut Problems>) -> Self {
        let outer = problems.as_ref().and_then(|problems| problems.cause);
        if let Some(problems) = &mut problems {
            problems.cause = outer.or(tag.places.fault());
        }
        Self {
            tag,
            next_value: 0,
            problems,
            outer,
            has_wrong_value: false,
            wrong_value: None,
            doubtful: Vec::new(),
            missing: Vec::new(),
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

    /// [`Fields::problem`] of what follows from another problem, if there is one.
    pub(super) fn problem_after<M: Into<Message>>(
        &mut self,
        cause: Option<Cause>,
        rule: &'static Rule,
        message: impl FnOnce() -> M,
    ) {
        if let Some(problems) = &mut self.problems {
            let subject = problems.subject;
            problems.add_consequence(cause, rule, subject, self.tag.at.into(), message);
        }
    }

    /// The first value that is wrong.
    pub(super) fn wrong_value(&self) -> Option<Cause> {
        self.wrong_value
    }

    /// Takes the last problem for the cause of what else is wrong with the tag.
    pub(super) fn follow_last(&mut self) {
        if let Some(problems) = &mut self.problems {
            problems.cause = problems.cause.or(problems.last());
        }
    }

    /// `true` if a tag inside has a value that could not be read.
    pub(super) fn has_doubtful(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// `true` if a value of the tag that begins there could not be read.
    pub(super) fn is_doubtful(&self, at: At) -> bool {
        self.doubtful.contains(&at)
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
        let (rule, subject, cause) = (&rules::VALUE, problems.subject, self.wrong_value);
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
        self.has_wrong_value = true;
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
        let attributes = &mut self.tag.attributes;
        if self.problems.is_none() {
            attributes.extend(field.as_ref().map(|value| Attribute {
                namespace: String::new(),
                name: name.to_owned(),
                value: (kind.write)(value),
            }));
            return;
        }
        let Some(index) = attributes.iter().position(|other| other.name == name) else {
            self.missing.push(name.to_owned());
            return;
        };
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
        if field.is_none() {
            self.misses(tags);
        }
        if let (None, Some(value), [[namespace, name], ..]) = (&self.problems, field, tags) {
            let mut child = Fields::new(Tag::new(namespace, name, []), None);
            fields(&mut child, value);
            self.tag.children.push(std::mem::take(&mut child.tag));
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
            let children = &mut self.tag.children;
            let tags = children.extract_if(.., |tag| is::<T>(tag) && T::is(tag));
            for tag in tags.collect::<Vec<_>>().into_iter().filter(is_whole) {
                let (mut record, at) = (T::default(), tag.at);
                let mut fields = self.inside(tag);
                let read = record.fields(&mut fields);
                let is_doubtful = fields.has_wrong_value;
                drop(fields);
                self.doubtful.extend(is_doubtful.then_some(at));
                list.extend(read.map(|()| record));
            }
            if list.is_empty() {
                self.misses(T::TAGS);
            }
        } else {
            self.tag.children.extend(list.drain(..).map(write));
        }
    }

    /// Notes that tags were looked for and are missing.
    pub(super) fn misses(&mut self, tags: &[[&'static str; 2]]) {
        let tags = tags.iter().filter(|[_, name]| !["", "*"].contains(name));
        let names = tags.map(|[namespace, name]| Tag::new(namespace, name, []).name_in_file());
        self.missing
            .extend(names.filter(|_| self.problems.is_some()));
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
            if !*flag {
                self.missing.push(name.to_owned());
            }
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

    /// Warns of the tags that are left and have no name, of which the first causes the others, or nearly the name
    /// of one that is missing.
    fn check_names(&mut self) {
        let Some(problems) = &mut self.problems else {
            return;
        };
        let (subject, rule) = (problems.subject, &rules::TAG_NAME);
        let mut first = None;
        let whole = self.tag.children.iter().filter(|tag| !tag.is_open);
        let (nameless, named): (Vec<&Tag>, _) =
            whole.partition(|tag| tag.name_in_file().is_empty());
        for tag in nameless {
            problems.add_consequence(
                first,
                rule,
                subject,
                tag.at.into(),
                || "found a tag without a name, which is ignored; expected its name",
            );
            first = first.or(problems.last());
        }
        for tag in named.into_iter().take(MAX_UNKNOWN) {
            if let Some(meant) = suggest(&tag.name_in_file(), &self.missing) {
                problems.add(rule, tag.at.into(), || {
                    let title = tag.title();
                    format!("{title} is no known tag; did you mean `{meant}`?")
                });
            }
        }
    }

    /// All attributes that are left. Those that have nearly the name of one that is missing are listed.
    pub(super) fn other_attributes(&mut self, attributes: &mut Vec<Attribute>) {
        if let Some(problems) = &mut self.problems {
            let tag = &mut self.tag;
            for (index, attribute) in tag.attributes.iter().take(MAX_UNKNOWN).enumerate() {
                if let Some(meant) = suggest(&attribute.name, &self.missing) {
                    let at = tag.places.of_attribute(index).unwrap_or(tag.at);
                    problems.add(&rules::TAG_NAME, at.into(), || {
                        let found = quoted(attribute.name.as_bytes());
                        format!("{found} is no known attribute; did you mean `{meant}`?")
                    });
                }
            }
            *attributes = std::mem::take(&mut tag.attributes);
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
