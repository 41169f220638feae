//! Entities: the contents of a map besides its cubes (fact sheet C).
//!
//! They are kept as the bytes of the file and decoded on demand, field by field, with the table of
//! their type ([`EntityKind::fields`]). An inspector can therefore show each field with its offset,
//! and writing preserves the bytes.

use std::borrow::Cow;
use std::ops::Range;

use super::bytes::{Cursor, StringRef, StringTable};
use super::entity_fields::{Field, FieldKind, PLAYER_NAME, Signal, Value};
use super::entity_kinds::{
    BOUNDS_MAX, BOUNDS_MIN, EntityKind, HEAD, KIND, POSITION, ROTATION, SHAPE,
};
use super::entity_properties::{PROPERTY_BYTES, Property, PropertyRecord, texts};
use super::rules;
use crate::{Problems, ReadError, Rule, counted, outside, quoted};

/// Size of an empty list of entities, in bytes: five counts.
pub(super) const MIN_BYTES: usize = 20;
/// Bytes of an entity before its fields: gamemodes, name, properties and type.
pub(super) const HEAD_BYTES: usize = 17;
const TYPE_AT: usize = 16;
/// Maximum number of bytes to search for the next entity.
const MAX_RESUMED_BYTES: usize = 1 << 20;

/// The entities of the file, of a level or of a chunk.
#[derive(Debug, Clone, Eq)]
pub struct Entities {
    /// The tables and the entities as stored in the file.
    bytes: Box<[u8]>,
    /// Offset of these bytes in the section.
    start: usize,
    /// Ranges in `bytes` of the tables of 16, 32 and 64 bits. The properties follow in their own
    /// field.
    tables: [Range<usize>; 3],
    properties: Range<usize>,
    /// Start of each entity in `bytes`.
    starts: Vec<u32>,
    /// Range in `bytes` of unreadable entities, if any. It begins with an entity that is truncated
    /// or of an unknown type. Later entities belong to it too, unless reading can resume at one of
    /// them.
    opaque: Option<Range<usize>>,
    /// `true` if they are unreadable for another reason than an unknown type.
    is_incomplete: bool,
}

impl Default for Entities {
    /// No entities.
    fn default() -> Self {
        let after_count = |count: usize| 4 * count..4 * count;
        Self {
            bytes: [0; MIN_BYTES].into(),
            start: 0,
            tables: [1, 2, 3].map(after_count),
            properties: after_count(4),
            starts: Vec::new(),
            opaque: None,
            is_incomplete: false,
        }
    }
}

impl PartialEq for Entities {
    /// Equality does not depend on the location in the file.
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Entities {
    /// Reads the declared number of entities and keeps the intact ones. The rest, if any, is a
    /// single problem of the rule `broken`, or of [`rules::ENTITY_TYPE`] for an unknown type.
    /// Values without a meaning are reported.
    ///
    /// # Errors
    /// Returns an error if the tables are corrupt, which makes all entities unreadable.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        strings: &StringTable,
        problems: &mut Problems,
        broken: &'static Rule,
    ) -> Result<Self, ReadError> {
        let start = cursor.pos();
        let whole = cursor.clone();
        cursor.enter("entity tables", None);
        let mut table = |element_bytes: usize, what: &'static str| {
            let count = cursor.u32()?;
            let count = cursor.count(count, element_bytes, what)?;
            let first = cursor.pos() - start;
            cursor.bytes(count * element_bytes)?;
            Ok(first..first + count * element_bytes)
        };
        let tables = [
            table(2, "16-bit value")?,
            table(4, "32-bit value")?,
            table(8, "64-bit value")?,
        ];
        let properties = table(PROPERTY_BYTES, "property")?;
        let announced = cursor.u32()?;
        let end = whole.left();
        let mut error = cursor.count(announced, HEAD_BYTES, "entity").err();
        // Limited by the size of the section.
        let count = (announced as usize).min(cursor.left() / HEAD_BYTES);
        let mut entities = Self {
            bytes: Box::default(),
            start,
            tables,
            properties,
            starts: Vec::with_capacity(count),
            opaque: None,
            is_incomplete: false,
        };
        for i in 0..count {
            cursor.enter("entity", i);
            let at = cursor.pos();
            match Self::skip_entity(cursor) {
                Ok(None) => entities.starts.push((at - start) as u32),
                Ok(Some(number)) => {
                    let behind = announced - i as u32 - 1;
                    let found = format!("type {number}");
                    let last = EntityKind::all().count() - 1;
                    let expected = format_args!("a type from 0 to {last}");
                    let fault = cursor.fault(&rules::ENTITY_TYPE, at + TYPE_AT, found, expected);
                    let next = entities.resume(cursor, behind);
                    entities.opaque = Some(at - start..next.map_or(end, |next| next - start));
                    let lost = if next.is_some() {
                        "the entity".to_owned()
                    } else {
                        let lost = counted(behind as usize + 1, "entity");
                        format!("{lost} from this one on")
                    };
                    problems.add_error(fault.with_loss(lost));
                    error = None;
                    break;
                }
                Err(of_this) => {
                    error.get_or_insert(of_this);
                    break;
                }
            }
        }
        if let Some(error) = error {
            let lost = counted(announced as usize - entities.starts.len(), "entity");
            problems.add_error_as(broken, error.with_loss(lost));
            entities.is_incomplete = true;
            entities.opaque = Some(cursor.pos() - start..end);
        }
        if let Some(opaque) = &entities.opaque {
            cursor.seek(cursor.pos().max(start + opaque.end));
        }
        entities.bytes = whole.clone().bytes(cursor.pos() - start)?.into();
        entities.check(cursor, strings, problems);
        Ok(entities)
    }

    /// Adds the entities after one of an unknown type, whose header ends at the cursor: `count`
    /// whole entities that end with the section. Returns the offset of the first one.
    fn resume(&mut self, cursor: &mut Cursor<'_>, count: u32) -> Option<usize> {
        if count == 0 || cursor.left() > MAX_RESUMED_BYTES {
            return None;
        }
        let counts = counts_to_end(cursor.clone().rest());
        let next = cursor.pos() + counts.iter().position(|found| *found == Some(count))?;
        cursor.seek(next);
        for _ in 0..count {
            self.starts.push((cursor.pos() - self.start) as u32);
            Self::skip_entity(cursor).ok()?;
        }
        Some(next)
    }

    /// Skips an entity. If its type is unknown, returns the type and leaves the cursor after the
    /// header.
    fn skip_entity(cursor: &mut Cursor<'_>) -> Result<Option<u8>, ReadError> {
        let mut next = cursor.clone();
        next.bytes(TYPE_AT)?;
        let number = next.u8()?;
        let kind = EntityKind::from_number(number);
        next.bytes(kind.map_or(0, EntityKind::body_bytes))?;
        *cursor = next;
        Ok(kind.is_none().then_some(number))
    }

    /// All bytes as stored in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Byte range in their section.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }

    /// Number of readable entities.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns `true` if no entity is readable.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes of unreadable entities with their offset in the section: usually from the first of
    /// them to the end. `None` if all entities are readable.
    pub fn opaque(&self) -> Option<(usize, &[u8])> {
        let opaque = self.opaque.clone()?;
        Some((self.start + opaque.start, self.bytes.get(opaque)?))
    }

    /// A list without readable entities.
    pub(super) fn unread() -> Self {
        Self {
            is_incomplete: true,
            ..Self::default()
        }
    }

    /// Returns `true` if the list is truncated or its tables are corrupt. The number and types of
    /// its entities are then unknown.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// An entity by its number. `strings` is the string table of its section.
    pub fn get<'a>(&'a self, index: usize, strings: &'a StringTable) -> Option<Entity<'a>> {
        let start = *self.starts.get(index)? as usize;
        let kind = EntityKind::from_number(*self.bytes.get(start + TYPE_AT)?)?;
        Some(Entity {
            entities: self,
            strings,
            index,
            start,
            kind,
        })
    }

    /// All readable entities. `strings` is the string table of their section.
    pub fn iter<'a>(&'a self, strings: &'a StringTable) -> impl Iterator<Item = Entity<'a>> {
        (0..self.len()).filter_map(|index| self.get(index, strings))
    }

    /// Number of properties (entity data containers).
    pub fn property_count(&self) -> usize {
        self.properties.len() / PROPERTY_BYTES
    }

    /// Offsets in the string table that the entities and their properties use: starts of names and
    /// texts, and bytes of array values. They may be out of range and may repeat.
    pub fn string_offsets<'a>(&'a self, strings: &'a StringTable) -> impl Iterator<Item = u32> {
        let of_entities = self.iter(strings).flat_map(move |entity| {
            let texts = entity.kind.fields().iter().flat_map(move |field| {
                let at = HEAD_BYTES + usize::from(field.offset);
                match field.kind {
                    FieldKind::Text | FieldKind::Signal(_) => vec![entity.u32_at(at)],
                    FieldKind::TextList => {
                        let [count] = entity.array_at(at);
                        let offsets = self.listed(count.into(), entity.u32_at(at + 1));
                        offsets.unwrap_or_default()
                    }
                    _ => Vec::new(),
                }
            });
            [entity.u32_at(4)].into_iter().chain(texts)
        });
        let records = (0..self.property_count()).filter_map(|index| self.property(index));
        of_entities.chain(records.flat_map(|record| record.string_offsets(self, strings)))
    }

    /// Resolves a counted reference. It is unused for a count of 0 and is the number itself for 1.
    /// For more, it is the index of the numbers in the table of 32-bit values. `None` if the table
    /// is too short.
    pub(super) fn listed(&self, count: u32, reference: u32) -> Option<Vec<u32>> {
        match count {
            0 => Some(Vec::new()),
            1 => Some(vec![reference]),
            _ => {
                let values = self.values32(reference, count as usize)?;
                Some(values.iter().copied().map(u32::from_le_bytes).collect())
            }
        }
    }

    /// A property by its number.
    pub fn property(&self, index: usize) -> Option<PropertyRecord> {
        let at = PROPERTY_BYTES.checked_mul(index)?;
        let table = self.bytes.get(self.properties.clone())?;
        let record = table.get(at..)?.first_chunk::<PROPERTY_BYTES>()?;
        Some(PropertyRecord::from_bytes(*record))
    }

    /// The fault of a property number that does not exist.
    fn not_a_property(&self, index: u32) -> Option<String> {
        let count = self.property_count();
        let is_outside = index as usize >= count;
        is_outside.then(|| format!("property {index}, {}", outside("property", count as u64)))
    }

    /// The table of values of 2, 4 or 8 bytes.
    pub(super) fn table(&self, value_bytes: usize) -> &[u8] {
        let mut tables = [2, 4, 8]
            .iter()
            .zip(&self.tables)
            .filter(|(bytes, _)| **bytes == value_bytes);
        let table = tables.next().map(|(_, table)| table.clone());
        let table = table.and_then(|table| self.bytes.get(table));
        table.unwrap_or_default()
    }

    /// 32-bit values from an index on, in little-endian order; `None` if the table is too short.
    fn values32(&self, index: u32, count: usize) -> Option<&[[u8; 4]]> {
        let (values, _) = self.table(4).as_chunks();
        let first = index as usize;
        values.get(first..first.checked_add(count)?)
    }

    /// Reports invalid values.
    fn check(&self, cursor: &mut Cursor<'_>, strings: &StringTable, problems: &mut Problems) {
        let mut texts_left = self.bytes.len();
        for index in 0..self.property_count() {
            let checked = self
                .property(index)
                .map(|record| record.check(self, strings, &mut texts_left));
            if let Some(Err(wrong)) = checked {
                let at = self.start + self.properties.start + PROPERTY_BYTES * index;
                cursor.enter("property", index);
                cursor.warn(problems, &rules::ENTITY_PROPERTY, at, || wrong);
            }
        }
        let lists = PropertyLists::of(self);
        for entity in self.iter(strings) {
            cursor.enter("entity", entity.index);
            entity.check(cursor, &lists, problems);
        }
    }
}

/// Number of whole entities from each offset to the end; `None` for offsets from which they do not
/// end exactly there.
fn counts_to_end(bytes: &[u8]) -> Vec<Option<u32>> {
    let mut counts = vec![None; bytes.len() + 1];
    if let Some(last) = counts.last_mut() {
        *last = Some(0);
    }
    for at in (0..bytes.len()).rev() {
        let number = bytes.get(at + TYPE_AT);
        let kind = number.and_then(|number| EntityKind::from_number(*number));
        let next = kind.map(|kind| at + HEAD_BYTES + kind.body_bytes());
        let count = next.and_then(|next| *counts.get(next)?);
        if let Some(here) = counts.get_mut(at) {
            *here = count.map(|count| count + 1);
        }
    }
    counts
}

/// Finds values in the table of 32-bit values that are not property numbers. Indexed once, because
/// many entities may share a long run.
struct PropertyLists {
    /// Indices of the values that are not property numbers.
    others: Vec<u32>,
}

impl PropertyLists {
    fn of(entities: &Entities) -> Self {
        let count = entities.property_count();
        let is_other = |value: &[u8; 4]| u32::from_le_bytes(*value) as usize >= count;
        let (values, _) = entities.table(4).as_chunks();
        Self {
            others: values
                .iter()
                .zip(0..)
                .filter_map(|(value, index)| is_other(value).then_some(index))
                .collect(),
        }
    }

    /// Index of the first value of a run that is not a property number.
    fn first_invalid(&self, index: u32, count: u32) -> Option<u32> {
        let at = self.others.partition_point(|other| *other < index);
        let other = *self.others.get(at)?;
        (other - index < count).then_some(other)
    }
}

/// An entity.
#[derive(Debug, Clone, Copy)]
pub struct Entity<'a> {
    entities: &'a Entities,
    strings: &'a StringTable,
    index: usize,
    /// Its start in the bytes of the entities.
    start: usize,
    kind: EntityKind,
}

/// A field of an entity with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldValue {
    /// Its storage. For fields of the entity header, `offset` is relative to the entity's first
    /// byte.
    pub field: &'static Field,
    /// Offset of its first byte in the section.
    pub at: usize,
    /// Its value.
    pub value: Value,
}

impl<'a> Entity<'a> {
    /// Its number in its list, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its type.
    pub fn kind(&self) -> EntityKind {
        self.kind
    }

    /// Its name, with invalid UTF-8 replaced; empty if its offset is invalid.
    pub fn name(&self) -> Cow<'a, str> {
        self.strings.get(StringRef(self.u32_at(4)))
    }

    /// Its name for lists, truncated to the usual length of names.
    pub fn brief_name(&self) -> Cow<'a, str> {
        self.strings.brief(StringRef(self.u32_at(4)))
    }

    /// The string table of its section.
    pub fn strings(&self) -> &'a StringTable {
        self.strings
    }

    /// The gamemodes in which it exists: bit `i` is the `i`th of the file's header (fact sheet
    /// B29).
    pub fn gamemodes(&self) -> u32 {
        self.u32_at(0)
    }

    /// Byte range in its section.
    pub fn range(&self) -> Range<usize> {
        let start = self.entities.start + self.start;
        start..start + HEAD_BYTES + self.kind.body_bytes()
    }

    /// Its bytes: the header and the fields.
    pub fn bytes(&self) -> &'a [u8] {
        self.entities
            .bytes
            .get(self.start..self.start + HEAD_BYTES + self.kind.body_bytes())
            .unwrap_or_default()
    }

    /// The numbers of its properties; `None` if the reference in the file is invalid.
    pub fn property_indices(&self) -> Option<Vec<u32>> {
        self.entities.listed(self.u32_at(8), self.u32_at(12))
    }

    /// Its properties with their numbers, or the reason if one is unreadable. Empty if the
    /// reference in the file is invalid.
    pub fn properties(&self) -> impl Iterator<Item = (u32, Result<Property, String>)> {
        let indices = self.property_indices().unwrap_or_default();
        indices.into_iter().map(|index| {
            let property = match self.entities.property(index as usize) {
                Some(record) => record.resolve(self.entities, self.strings),
                None => Err(self.entities.not_a_property(index).unwrap_or_default()),
            };
            (index, property)
        })
    }

    /// The fields that all entities begin with.
    pub fn head(&self) -> impl Iterator<Item = FieldValue> {
        self.values(&HEAD, 0)
    }

    /// All fields after the header.
    pub fn fields(&self) -> impl Iterator<Item = FieldValue> {
        self.values(self.kind.fields(), HEAD_BYTES)
    }

    fn values(&self, fields: &'static [Field], first: usize) -> impl Iterator<Item = FieldValue> {
        fields.iter().map(move |field| {
            let at = first + usize::from(field.offset);
            FieldValue {
                field,
                at: self.range().start + at,
                value: self.value_at(field, at),
            }
        })
    }

    /// The value of the field with a name; `None` if the type has no such field.
    pub fn value(&self, name: &str) -> Option<Value> {
        let field = self.kind.field(name)?;
        Some(self.value_at(field, HEAD_BYTES + usize::from(field.offset)))
    }

    /// Its signals: the field, the direction and the name of each.
    pub fn signals(&self) -> impl Iterator<Item = (&'static Field, Signal, StringRef)> {
        self.kind.fields().iter().filter_map(|field| {
            let FieldKind::Signal(signal) = field.kind else {
                return None;
            };
            let name = self.u32_at(HEAD_BYTES + usize::from(field.offset));
            Some((field, signal, StringRef(name)))
        })
    }

    /// Its position in metres, relative to the centre of its chunk. For entities of a level or the
    /// file, it is relative to the centre of the center chunk. For a door it is the closed
    /// position, for a beam that of its head.
    pub fn position(&self) -> Option<[f32; 3]> {
        self.vector(POSITION)
    }

    /// Its rotation in degrees about X, Y and Z.
    pub fn rotation_degrees(&self) -> Option<[f32; 3]> {
        self.vector(ROTATION)
    }

    /// Three floats by the name of their field.
    pub fn vector(&self, name: &str) -> Option<[f32; 3]> {
        let value = self.value(name)?;
        value.floats()?.first_chunk().copied()
    }

    /// The min and max corner of its box, relative to its position, in metres; `None` if its type
    /// has no box.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        Some([self.vector(BOUNDS_MIN)?, self.vector(BOUNDS_MAX)?])
    }

    /// The eight corners of its shape in the order of the format, relative to its position, in
    /// metres; `None` if its type or kind has no such shape.
    pub fn corners(&self) -> Option<[[f32; 3]; 8]> {
        let value = self.value(SHAPE)?;
        let (corners, _) = value.floats()?.as_chunks::<3>();
        corners.first_chunk().copied()
    }

    /// The four bytes at an offset from the start of the entity.
    fn u32_at(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.array_at(offset))
    }

    /// The bytes at an offset from the start of the entity.
    fn array_at<const N: usize>(&self, offset: usize) -> [u8; N] {
        let rest = self.bytes().get(offset..).unwrap_or_default();
        // In range: the whole entity was read, and its fields lie inside it.
        rest.first_chunk().copied().unwrap_or([0; N])
    }

    /// The upper four bits of the first byte.
    fn nibble(&self) -> u8 {
        self.array_at::<1>(HEAD_BYTES)[0] >> 4
    }

    /// The value of a field that begins `at` bytes after the start of the entity.
    fn value_at(&self, field: &Field, at: usize) -> Value {
        let bytes = || {
            let bytes = self.bytes().get(at..at + field.kind.bytes());
            bytes.unwrap_or_default()
        };
        let number = || {
            let digits = bytes().iter().rev();
            digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        match field.kind {
            FieldKind::HighNibble(_) => Value::Number(self.nibble().into()),
            FieldKind::Flags(..) if self.kind.field(KIND).is_some() => {
                Value::Number(number() & 0x0F)
            }
            FieldKind::Flags(..)
            | FieldKind::Choice(_)
            | FieldKind::EntityKind
            | FieldKind::TypeFilter
            | FieldKind::Pattern32
            | FieldKind::Unsigned(_) => Value::Number(number()),
            FieldKind::Signed64 => Value::Signed(number() as i64),
            FieldKind::Floats { .. } => floats(bytes().as_chunks().0),
            FieldKind::Rgb | FieldKind::Rgba | FieldKind::Bytes(_) => {
                Value::Bytes(bytes().to_vec())
            }
            FieldKind::Text | FieldKind::Signal(_) => {
                let offset = self.u32_at(at);
                if self.strings.has(offset) {
                    Value::Text(self.strings.get(StringRef(offset)).into_owned())
                } else {
                    Value::Nowhere(offset)
                }
            }
            FieldKind::Property => Value::Property(self.u32_at(at)),
            FieldKind::Shape(counts) => match counts.get(usize::from(self.nibble())) {
                None | Some(0) => Value::Number(number()),
                Some(1) => floats(bytes().as_chunks().0),
                Some(count) => {
                    let index = self.u32_at(at);
                    let shape = self.entities.values32(index, *count);
                    shape.map_or(Value::Nowhere(index), floats)
                }
            },
            FieldKind::TextList => {
                let [count] = self.array_at(at);
                let reference = self.u32_at(at + 1);
                let offsets = self.entities.listed(count.into(), reference);
                let texts = offsets.and_then(|offsets| texts(&offsets, self.strings).ok());
                texts.map_or(Value::Nowhere(reference), Value::Texts)
            }
        }
    }

    /// Reports invalid values.
    fn check(&self, cursor: &Cursor<'_>, lists: &PropertyLists, problems: &mut Problems) {
        let start = self.range().start;
        let name = self.u32_at(4);
        if !self.strings.has(name) {
            // Report a missing string once, however many entities name it.
            let named = (cursor.source().start, name);
            cursor.warn_grouped(problems, named, (&rules::ENTITY_VALUE, start + 4), || {
                format!("name: {}", nowhere(name))
            });
        }
        let text = self
            .strings
            .bytes()
            .get(name as usize..)
            .unwrap_or_default();
        if text.starts_with(PLAYER_NAME) {
            cursor.warn(problems, &rules::PLAYER_NAME, start + 4, || {
                let name = quoted(self.strings.raw(StringRef(name)).unwrap_or_default());
                format!("the name {name} begins with `player:`, which is reserved for players")
            });
        }
        self.check_properties(cursor, lists, problems);
        for field in self.kind.fields() {
            let at = HEAD_BYTES + usize::from(field.offset);
            let mut warn = |rule, message: String| {
                cursor.warn(problems, rule, start + at, || {
                    format!("{}: {message}", field.name)
                });
            };
            // Not copied: many entities may share a long text.
            if let FieldKind::Text | FieldKind::Signal(_) = field.kind {
                let offset = self.u32_at(at);
                if !self.strings.has(offset) {
                    warn(&rules::ENTITY_VALUE, nowhere(offset));
                }
                continue;
            }
            match (field.kind, self.value_at(field, at)) {
                (_, Value::Nowhere(index)) => {
                    warn(
                        &rules::ENTITY_VALUE,
                        format!("index {index:#x} is outside its table"),
                    );
                }
                (_, Value::Property(index)) => {
                    if let Some(wrong) = self.entities.not_a_property(index) {
                        warn(&rules::ENTITY_PROPERTY, wrong);
                    }
                }
                (_, Value::Floats(floats)) => {
                    if let Some(float) = floats.iter().find(|float| !float.is_finite()) {
                        warn(&rules::NOT_FINITE, format!("{float} is not finite"));
                    }
                }
                (FieldKind::Flags(_, names), Value::Number(bits)) => {
                    let known = (0..).zip(names).filter(|(_, name)| !name.is_empty());
                    let unknown = known.fold(bits, |bits, (bit, _)| bits & !(1 << bit));
                    if unknown != 0 {
                        let wrong = format!("unknown bits {unknown:#x}; expected 0");
                        warn(&rules::RESERVED_BITS, wrong);
                    }
                }
                (kind, Value::Number(number)) => {
                    if let Some(wrong) = self.unknown_number(kind, number as u8) {
                        warn(&rules::ENTITY_VALUE, wrong);
                    }
                }
                _ => {}
            }
        }
    }

    /// The fault of a number without a meaning, for fields whose numbers are names.
    fn unknown_number(&self, kind: FieldKind, number: u8) -> Option<String> {
        let or_player = match kind {
            // The number of a disabled filter is not checked.
            FieldKind::TypeFilter if !self.uses_type_filter() => return None,
            FieldKind::TypeFilter => ", or 255",
            _ => "",
        };
        let is_unknown = kind.name_of(number).is_none();
        match kind {
            FieldKind::HighNibble(names) | FieldKind::Choice(names) => is_unknown
                .then(|| format!("unknown value {number}; expected 0 to {}", names.len() - 1)),
            FieldKind::EntityKind | FieldKind::TypeFilter => is_unknown
                .then(|| format!("unknown entity type {number}; expected 0 to 26{or_player}")),
            _ => None,
        }
    }

    /// Returns `true` if its filter by type is enabled.
    fn uses_type_filter(&self) -> bool {
        let flags = self.kind.field("flags").map(|field| field.kind);
        let Some(FieldKind::Flags(_, names)) = flags else {
            return false;
        };
        let bit = names.iter().position(|name| *name == "type filter on");
        bit.is_some_and(|bit| self.array_at::<1>(HEAD_BYTES)[0] >> bit & 1 == 1)
    }

    fn check_properties(
        &self,
        cursor: &Cursor<'_>,
        lists: &PropertyLists,
        problems: &mut Problems,
    ) {
        let (count, reference) = (self.u32_at(8), self.u32_at(12));
        let wrong = match count {
            0 => None,
            1 => self.entities.not_a_property(reference),
            _ => match self.entities.values32(reference, count as usize) {
                None => Some(format!(
                    "the table of 32-bit values does not have {count} values at index {reference:#x}"
                )),
                Some(_) => lists.first_invalid(reference, count).map(|at| {
                    format!(
                        "value {at} of the table of 32-bit values is not a \
                                       property"
                    )
                }),
            },
        };
        if let Some(wrong) = wrong {
            let at = self.range().start + 12;
            cursor.warn(problems, &rules::ENTITY_PROPERTY, at, || {
                format!("property reference: {wrong}")
            });
        }
    }
}

/// Message for a string offset that is not in the table.
pub(super) fn nowhere(offset: u32) -> String {
    format!("the string table has no complete string at {offset:#x}")
}

fn floats(values: &[[u8; 4]]) -> Value {
    Value::Floats(values.iter().copied().map(f32::from_le_bytes).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::bytes::{Part, Section};
    use super::super::entity_properties::PropertyValues;
    use super::super::entity_write::{EntityList, NewEntity};
    use super::super::string_builder::StringTableBuilder;
    use super::*;
    use crate::{Problem, Severity};

    /// Reads a section that contains only entities.
    pub(in super::super) fn read(
        bytes: &[u8],
        strings: &StringTable,
    ) -> (Result<Entities, ReadError>, Vec<Problem>) {
        let section = Section {
            part: Part::File,
            start: 0x1000,
            is_packed: false,
        };
        let mut problems = Problems::new();
        let mut cursor = Cursor::new(bytes, section);
        let entities = Entities::read(&mut cursor, strings, &mut problems, &rules::ENTITIES);
        (entities, problems.finish())
    }

    /// A trigger with two properties, the second one an array, and its strings.
    fn sample() -> (Vec<u8>, StringTable) {
        let mut strings = StringTableBuilder::default();
        let list = EntityList {
            properties: vec![
                Property {
                    lengths: vec![2, 2],
                    values: PropertyValues::U16(vec![1, 2, 3, 4]),
                },
                Property {
                    lengths: Vec::new(),
                    values: PropertyValues::F64(vec![0.5]),
                },
            ],
            entities: vec![
                NewEntity {
                    properties: vec![0, 1],
                    ..NewEntity::new(EntityKind::Trigger, "door bell").with("flags", 4)
                },
                NewEntity {
                    properties: vec![1],
                    ..NewEntity::new(EntityKind::Counter, "counter")
                },
            ],
        };
        let bytes = list.write(&mut strings).unwrap();
        (bytes, strings.finish())
    }

    // Offsets in the sample.
    const TABLE16: usize = 4;
    const TABLE32: usize = TABLE16 + 4 * 2 + 4;
    const TABLE64: usize = TABLE32 + 4 * 4 + 4;
    const PROPERTIES: usize = TABLE64 + 8 + 4;
    const TRIGGER: usize = PROPERTIES + 2 * 13 + 4;
    const COUNTER: usize = TRIGGER + 17 + 158;

    #[track_caller]
    fn warned(change: impl FnOnce(&mut Vec<u8>), at: usize, with: &str) -> Entities {
        let (mut bytes, strings) = sample();
        change(&mut bytes);
        let (entities, problems) = read(&bytes, &strings);
        let place = crate::Place::Offset(0x1000 + at as u64);
        assert!(
            problems.iter().any(|problem| problem.place == place
                && problem.severity == Severity::Warning
                && problem.facts().contains(with)),
            "{problems:?}"
        );
        assert_eq!(problems.len(), 1, "{problems:?}");
        entities.unwrap()
    }

    fn set(at: usize, value: u32) -> impl FnOnce(&mut Vec<u8>) {
        move |bytes| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes())
    }

    #[test]
    fn the_sample_is_sound() {
        let (bytes, strings) = sample();
        let (entities, problems) = read(&bytes, &strings);
        let entities = entities.unwrap();
        assert_eq!(problems, []);
        assert_eq!(bytes.len(), COUNTER + 17 + 29);
        let trigger = entities.get(0, &strings).unwrap();
        assert_eq!(trigger.range(), TRIGGER..COUNTER);
        assert_eq!(trigger.property_indices(), Some(vec![0, 1]));
        let properties: Vec<_> = trigger.properties().collect();
        assert_eq!(properties.len(), 2);
        let (index, property) = &properties[1];
        assert_eq!(*index, 1);
        let values = &property.as_ref().unwrap().values;
        assert_eq!(*values, PropertyValues::F64(vec![0.5]));
        assert_eq!(trigger.position(), Some([0.0; 3]));
        assert_eq!(trigger.rotation_degrees(), None);
        assert_eq!([2, 4, 8].map(|size| entities.table(size).len()), [8, 16, 8]);
        assert!(entities.get(2, &strings).is_none());
        assert!(entities.property(2).is_none() && entities.property(usize::MAX).is_none());
    }

    #[test]
    fn players_are_in_filters_only() {
        fn said(kind: EntityKind, name: &str, field: &'static str, number: u64) -> String {
            let mut strings = StringTableBuilder::default();
            let entity = NewEntity::new(kind, name).with(field, number);
            let entity = match kind {
                EntityKind::Trigger => entity.with("flags", 4),
                _ => entity,
            };
            let list = EntityList {
                properties: vec![Property {
                    lengths: Vec::new(),
                    values: PropertyValues::F64(vec![0.5]),
                }],
                entities: vec![entity],
            };
            let bytes = list.write(&mut strings).unwrap();
            let (entities, problems) = read(&bytes, &strings.finish());
            assert_eq!(entities.unwrap().len(), 1);
            let messages = problems.iter().map(Problem::facts);
            messages.collect::<Vec<_>>().join("; ")
        }
        assert_eq!(said(EntityKind::Trigger, "a", "type filter", 255), "");
        assert!(said(EntityKind::Trigger, "a", "type filter", 27).contains("255 26 27"));
        assert_eq!(said(EntityKind::Setter, "a", "expected type", 26), "");
        let wrong = said(EntityKind::Setter, "a", "expected type", 255);
        assert!(
            wrong.ends_with("pmf/entity-value (MapEntity 0): 0 255 26"),
            "{wrong}"
        );
        // Names that the server gives to players.
        assert_eq!(said(EntityKind::Trigger, "players", "type filter", 1), "");
        let wrong = said(EntityKind::Trigger, "player:1", "type filter", 1);
        assert!(
            wrong.contains("pmf/player-name") && wrong.contains("player:1"),
            "{wrong}"
        );
    }

    #[test]
    fn empty_entities_are_twenty_bytes() {
        let (entities, problems) = read(&[0; 20], &StringTable::default());
        let entities = entities.unwrap();
        assert!(entities.is_empty() && entities == Entities::default());
        assert_eq!(entities.tables, Entities::default().tables);
        assert_eq!(entities.properties, Entities::default().properties);
        assert_eq!(problems, []);
        for len in 0..20 {
            assert!(read(&vec![0; len], &StringTable::default()).0.is_err());
        }
    }

    #[test]
    fn counts_are_not_trusted() {
        let (bytes, strings) = sample();
        for at in [0, TABLE32 - 4, TABLE64 - 4, PROPERTIES - 4] {
            for count in [u32::MAX, 1 << 30, 200] {
                let mut bytes = bytes.clone();
                set(at, count)(&mut bytes);
                let error = read(&bytes, &strings).0.unwrap_err();
                let facts = error.problem().unwrap().facts();
                assert!(facts.contains(&count.to_string()), "{error}");
            }
        }
        for cut in TABLE16..TRIGGER {
            assert!(read(&bytes[..cut], &strings).0.is_err(), "{cut}");
        }
        // The list is cut to the entities that fit.
        for cut in TRIGGER..bytes.len() {
            let (entities, problems) = read(&bytes[..cut], &strings);
            let entities = entities.unwrap();
            assert_eq!(entities.len(), usize::from(cut >= COUNTER), "{cut}");
            assert_eq!(problems.len(), 1, "{problems:#?}");
            assert!(problems[0].may_leave_out() && entities.is_incomplete());
        }
        // A count below the number that fits.
        let mut fewer = bytes.clone();
        set(TRIGGER - 4, 1)(&mut fewer);
        let (entities, problems) = read(&fewer, &strings);
        assert_eq!((entities.unwrap().len(), problems.len()), (1, 0));
    }

    #[test]
    fn an_entity_of_a_type_to_come_costs_no_other() {
        let (mut bytes, strings) = sample();
        bytes[TRIGGER + 16] = 40;
        bytes.splice(COUNTER..COUNTER, [7; 5]);
        let (entities, problems) = read(&bytes, &strings);
        let entities = entities.unwrap();
        let [problem] = &problems[..] else {
            panic!("{problems:#?}");
        };
        let said = "pmf/entity-type (MapEntity 0), left out: 0 26 40";
        assert!(problem.facts().ends_with(said), "{}", problem.facts());
        assert_eq!(entities.len(), 1);
        let left = entities.get(0, &strings).unwrap();
        assert_eq!(
            (left.kind(), &*left.name()),
            (EntityKind::Counter, "counter")
        );
        let (at, rest) = entities.opaque().unwrap();
        assert_eq!((at, rest.len()), (TRIGGER, 17 + 158 + 5));
        assert_eq!(entities.bytes(), bytes);
        assert!(EntityList::of(&entities, &strings).is_err());
        // No entity follows the last one, so the reader cannot resume.
        let (mut bytes, strings) = sample();
        bytes[COUNTER + 16] = 40;
        bytes.extend([7; 5]);
        let (entities, problems) = read(&bytes, &strings);
        let entities = entities.unwrap();
        assert_eq!(entities.len(), 1);
        assert_eq!(problems.len(), 1, "{problems:#?}");
        assert_eq!(problems[0].severity, Severity::Warning);
        assert!(problems[0].may_leave_out());
    }

    #[test]
    fn dangling_references_are_reported() {
        let entities = warned(
            set(TRIGGER + 4, 900),
            TRIGGER + 4,
            "pmf/entity-value (MapEntity 0): 0 0x384",
        );
        let (_, strings) = sample();
        let trigger = entities.get(0, &strings).unwrap();
        assert_eq!(trigger.name(), "");
        let name = trigger.head().find(|field| field.field.name == "name");
        assert_eq!(name.unwrap().value, Value::Nowhere(900));

        let signal = COUNTER + 17 + 9;
        let entities = warned(
            set(signal, 900),
            signal,
            "pmf/entity-value (MapEntity 1): 0x384 1",
        );
        let counter = entities.get(1, &strings).unwrap();
        let value = counter.value("signal to increment");
        assert_eq!(value, Some(Value::Nowhere(900)));
    }

    #[test]
    fn property_references_are_held_against_their_tables() {
        let at = TRIGGER + 12;
        let entities = warned(
            set(at, 4),
            at,
            "pmf/entity-property (MapEntity 0): 0 0x4 2 32-bit",
        );
        let trigger = entities.get(0, &sample().1).unwrap().property_indices();
        assert_eq!(trigger, None);
        warned(set(at, u32::MAX), at, "pmf/entity-property");
        warned(set(TRIGGER + 8, u32::MAX), at, "pmf/entity-property");
        // The list of the trigger follows the lengths of the array.
        warned(
            set(TABLE32 + 12, 2),
            at,
            "pmf/entity-property (MapEntity 0): 0 3 32-bit",
        );
        warned(
            set(COUNTER + 12, 2),
            COUNTER + 12,
            "pmf/entity-property (MapEntity 1): 1 2",
        );
    }

    #[test]
    fn properties_are_held_against_their_tables() {
        let at = PROPERTIES;
        warned(|bytes| bytes[at] = 13, at, "pmf/entity-property: 0 12 13");
        warned(set(at + 1, 33), at, "pmf/entity-property: 0 32 33");
        warned(
            set(at + 1, u32::MAX),
            at,
            "pmf/entity-property: 0 32 4294967295",
        );
        warned(set(at + 5, 3), at, "pmf/entity-property: 0 0x3 2 32-bit");
        warned(
            set(at + 9, 1),
            at,
            "pmf/entity-property: 0 0x1 16-bit 4 U16",
        );
        warned(set(TABLE32, u32::MAX), at, "pmf/entity-property");
        warned(
            set(PROPERTIES + 13 + 9, 1),
            at + 13,
            "pmf/entity-property: 0x1 1 64-bit F64",
        );
        warned(
            |bytes| {
                bytes[at] = 10;
                set(at + 9, u32::MAX)(bytes);
            },
            at,
            "pmf/entity-property",
        );
        warned(
            |bytes| {
                bytes[at] = 12;
                set(at + 1, 0)(bytes);
                set(at + 9, 700)(bytes);
            },
            at,
            "pmf/entity-property: 0 0x2bc",
        );
        // An array of texts with one invalid offset.
        warned(
            |bytes| {
                bytes[at] = 12;
                set(at + 9, 0)(bytes);
                set(TABLE32 + 8, 700)(bytes);
                set(TRIGGER + 8, 0)(bytes);
            },
            at,
            "pmf/entity-property: 0 0x2bc",
        );
    }

    #[test]
    fn many_dimensions_do_not_overflow() {
        let entities = warned(
            |bytes| {
                set(PROPERTIES + 1, 4)(bytes);
                set(PROPERTIES + 5, 0)(bytes);
                for i in 0..4 {
                    set(TABLE32 + 4 * i, u32::MAX)(bytes);
                }
                set(TRIGGER + 8, 0)(bytes);
            },
            PROPERTIES,
            "pmf/entity-property: 0 4294967295",
        );
        let record = entities.property(0).unwrap();
        assert!(record.resolve(&entities, &sample().1).is_err());
    }

    #[test]
    fn meaningless_values_are_reported() {
        let body = COUNTER + 17;
        warned(
            |bytes| bytes[body] = 6,
            body,
            "pmf/entity-value (MapEntity 1): 0 1 5 6",
        );
        let filter = TRIGGER + 17 + 117;
        warned(
            |bytes| bytes[filter] = 27,
            filter,
            "pmf/entity-value (MapEntity 0): 0 255 26 27",
        );
        let x = TRIGGER + 17 + 1;
        warned(set(x, 0x7FC0_0000), x, "pmf/not-finite (MapEntity 0): 0");

        // A disabled filter may contain any value.
        let (mut bytes, strings) = sample();
        bytes[TRIGGER + 17] = 0;
        bytes[filter] = 27;
        assert_eq!(read(&bytes, &strings).1, []);
    }

    #[test]
    fn reserved_bits_are_listed() {
        let mut strings = StringTableBuilder::default();
        let kinds = [EntityKind::Light, EntityKind::Cube, EntityKind::Glow];
        let list = EntityList {
            properties: Vec::new(),
            entities: kinds.map(|kind| NewEntity::new(kind, "")).to_vec(),
        };
        let mut bytes = list.write(&mut strings).unwrap();
        bytes[20 + 17] |= 0x18;
        let cube = 20 + 17 + 60;
        bytes[cube + 17 + 1] |= 0x40;
        let glow = cube + 17 + 394;
        bytes[glow + 17] |= 0x02;
        let (entities, problems) = read(&bytes, &strings.finish());
        let texts: Vec<_> = problems.iter().map(Problem::facts).collect();
        let expected = [
            "0x1025: warning: pmf/reserved-bits (MapEntity 0): 0 0x8",
            "0x1072: warning: pmf/reserved-bits (MapEntity 1): 0 0x4000 1",
            "0x120d: warning: pmf/reserved-bits (MapEntity 2): 0 0x2 2",
        ];
        assert_eq!(texts, expected);
        let light = entities.unwrap();
        let strings = strings.finish();
        let light = light.get(0, &strings).unwrap();
        assert_eq!(light.value("kind"), Some(Value::Number(1)));
    }

    /// Many entities that share one long list must not scan it once each.
    #[test]
    fn shared_lists_are_looked_at_once() {
        const LIST: u32 = 200_000;
        const ENTITIES: u32 = 50_000;
        let mut bytes = Vec::new();
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(LIST.to_le_bytes());
        bytes.extend(vec![0; 4 * LIST as usize]);
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend([0; 13]);
        bytes.extend(ENTITIES.to_le_bytes());
        for _ in 0..ENTITIES {
            bytes.extend([0, 0, LIST, 0].map(u32::to_le_bytes).as_flattened());
            bytes.push(0);
        }
        let start = std::time::Instant::now();
        let (entities, problems) = read(&bytes, &StringTable::default());
        assert_eq!(entities.unwrap().len(), ENTITIES as usize);
        assert_eq!(problems, []);
        assert!(start.elapsed().as_secs_f64() < 5.0);
    }
}
