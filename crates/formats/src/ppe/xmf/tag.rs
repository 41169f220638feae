//! Tags of XMF as records. A record declares its fields once, for reading and for writing.

use super::RepeatMode;
use crate::misspelt::suggest;
use crate::ppe::rules;
use crate::ppe::sdlang::{At, Attribute, Tag, Value};
use crate::{Cause, Message, Problems, Rule, counted, quoted};

/// Maximum number of unknown names in a tag to compare with known ones.
const MAX_UNKNOWN: usize = 64;

/// A record stored as a tag.
pub(super) trait Record: Default {
    /// Namespace and name of the tags that it is read from; `*` is any name.
    const TAGS: &'static [[&'static str; 2]];
    /// `true` if a truncated record is read up to the end of the text; otherwise it is omitted.
    const IS_LIST: bool = false;

    /// Returns `true` if a tag with a matching name is a record. Any other tag is kept unchanged.
    fn is(_tag: &Tag) -> bool {
        true
    }

    /// Namespace and name of the tag that it is written as.
    fn name(&self) -> [&str; 2] {
        Self::TAGS.first().copied().unwrap_or_default()
    }

    /// Reads or writes its fields, in the order in which they are written; `None` if the record is
    /// unreadable.
    fn fields(&mut self, tag: &mut Fields<'_>) -> Option<()>;
}

/// Returns `true` if a tag has one of the names of a record.
pub(super) fn is<T: Record>(tag: &Tag) -> bool {
    is_one(tag, T::TAGS)
}

fn is_one(tag: &Tag, tags: &[[&str; 2]]) -> bool {
    let is = |[namespace, name]: &[&str; 2]| {
        tag.namespace == *namespace && (*name == "*" || tag.name == *name)
    };
    tags.iter().any(is)
}

/// Reads a record and reports faults in its fields. Returns `None` if an essential field is
/// missing, and `true` if all values were readable.
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

/// Codec of a tag value.
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

/// The fields of a tag, for reading or writing.
pub(super) struct Fields<'p> {
    tag: Tag,
    /// Index of the next value.
    next_value: usize,
    /// Problems of a tag being read; `None` for a tag being written.
    problems: Option<&'p mut Problems>,
    /// The cause for problems after the tag.
    outer: Option<Cause>,
    has_wrong_value: bool,
    /// The first invalid value; faults in the others follow from it.
    wrong_value: Option<Cause>,
    /// Child tags with unreadable values.
    doubtful: Vec<At>,
    /// Names of missing attributes and tags that were looked up.
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

    /// The tag; while writing, the part written so far.
    pub(super) fn tag(&mut self) -> &mut Tag {
        &mut self.tag
    }

    /// Returns `true` if the tag is being read.
    pub(super) fn is_read(&self) -> bool {
        self.problems.is_some()
    }

    /// Reports a problem of a tag being read.
    pub(super) fn problem<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        message: impl FnOnce() -> M,
    ) {
        self.problem_at(rule, self.tag.at, message);
    }

    /// [`Fields::problem`] at another position.
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

    /// [`Fields::problem`] as a consequence of another problem, if there is one.
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

    /// The first invalid value.
    pub(super) fn wrong_value(&self) -> Option<Cause> {
        self.wrong_value
    }

    /// Makes the last problem the cause of later problems of the tag.
    pub(super) fn set_cause_to_last(&mut self) {
        if let Some(problems) = &mut self.problems {
            problems.cause = problems.cause.or(problems.last());
        }
    }

    /// Returns `true` if a child tag has an unreadable value.
    pub(super) fn has_doubtful(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// Returns `true` if the child tag at `at` has an unreadable value.
    pub(super) fn is_doubtful(&self, at: At) -> bool {
        self.doubtful.contains(&at)
    }

    /// Sets the field to `true` if the text ends inside the tag.
    pub(super) fn is_cut(&mut self, is_cut: &mut bool) {
        *is_cut = self.tag.is_open;
    }

    /// Sets the field to the position of the tag.
    pub(super) fn at(&mut self, at: &mut At) {
        if self.is_read() {
            *at = self.tag.at;
        }
    }

    /// Reads or writes the next value.
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

    /// Reads or writes the next values, each with its name. Surplus values use the last name.
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

    /// Reads or writes the next value if it is present and of the right kind.
    pub(super) fn optional_value<T>(&mut self, field: &mut Option<T>, kind: &Kind<T>) {
        if self.is_read() {
            *field = self.tag.values.get(self.next_value).and_then(kind.read);
            self.next_value += usize::from(field.is_some());
        } else {
            self.tag.values.extend(field.as_ref().map(kind.write));
        }
    }

    /// Reads or writes all remaining values unchanged.
    pub(super) fn other_values(&mut self, values: &mut Vec<Value>) {
        if self.is_read() {
            let first = self.next_value.min(self.tag.values.len());
            *values = self.tag.values.split_off(first);
        } else {
            self.tag.values.append(values);
        }
    }

    /// Reports values after the last expected one, such as those of the next line of a list if a
    /// line end is missing.
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

    /// Reads or writes an attribute. One of the wrong kind is reported and kept with the other
    /// attributes.
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

    /// Reads or writes an attribute that is omitted if it has its default value.
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

    /// Reads or writes a child tag with fields of its own. If several are readable, the last one
    /// wins.
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
            self.note_missing(tags);
        }
        if let (None, Some(value), [[namespace, name], ..]) = (&self.problems, field, tags) {
            let mut child = Fields::new(Tag::new(namespace, name, []), None);
            fields(&mut child, value);
            self.tag.children.push(std::mem::take(&mut child.tag));
        }
    }

    /// Reads or writes a child tag without namespace that has one value.
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

    /// [`Fields::child_value`] for several values.
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

    /// Reads or writes the child records. Unreadable ones are omitted.
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
                self.note_missing(T::TAGS);
            }
        } else {
            self.tag.children.extend(list.drain(..).map(write));
        }
    }

    /// Records that tags were looked up but are missing.
    pub(super) fn note_missing(&mut self, tags: &[[&'static str; 2]]) {
        let tags = tags.iter().filter(|[_, name]| !["", "*"].contains(name));
        let names = tags.map(|[namespace, name]| Tag::new(namespace, name, []).name_in_file());
        self.missing
            .extend(names.filter(|_| self.problems.is_some()));
    }

    /// The fields of a child tag.
    pub(super) fn inside(&mut self, tag: Tag) -> Fields<'_> {
        Fields::new(tag, self.problems.as_deref_mut())
    }

    /// Removes and returns child tags while reading; returns an empty list while writing.
    pub(super) fn take_children(&mut self, tags: &[[&'static str; 2]]) -> Vec<Tag> {
        let (is_read, children) = (self.is_read(), &mut self.tag.children);
        children
            .extract_if(.., |tag| is_read && is_one(tag, tags))
            .collect()
    }

    /// Reads or writes a flag that is the presence of a child tag. A tag with more than its name is
    /// also kept with the other tags.
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

    /// Reads or writes all remaining attributes, then all remaining tags.
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

    /// Warns of remaining tags that have no name, or a name that resembles a missing one. The first
    /// nameless tag is the cause of the others.
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
                || "found a tag without a name; ignored",
            );
            first = first.or(problems.last());
        }
        for tag in named.into_iter().take(MAX_UNKNOWN) {
            if let Some(meant) = suggest(&tag.name_in_file(), &self.missing) {
                problems.add(rule, tag.at.into(), || {
                    let title = tag.title();
                    format!("unknown tag {title} (did you mean `{meant}`?)")
                });
            }
        }
    }

    /// Reads or writes all remaining attributes. Names that resemble a missing one are reported.
    pub(super) fn other_attributes(&mut self, attributes: &mut Vec<Attribute>) {
        if let Some(problems) = &mut self.problems {
            let tag = &mut self.tag;
            for (index, attribute) in tag.attributes.iter().take(MAX_UNKNOWN).enumerate() {
                if let Some(meant) = suggest(&attribute.name, &self.missing) {
                    let at = tag.places.of_attribute(index).unwrap_or(tag.at);
                    problems.add(&rules::TAG_NAME, at.into(), || {
                        let found = quoted(attribute.name.as_bytes());
                        format!("unknown attribute {found} (did you mean `{meant}`?)")
                    });
                }
            }
            *attributes = std::mem::take(&mut tag.attributes);
            // The excess capacity would be most of the memory of a palette.
            attributes.shrink_to_fit();
        } else {
            self.tag.attributes.append(attributes);
        }
    }
}

/// Formats a value for messages.
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
