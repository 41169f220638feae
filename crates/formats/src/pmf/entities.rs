//! Entities: what a map holds beside its cubes (fact sheet C).
//!
//! They stay as the bytes that they are in the file, and are read field by field by the table of
//! their type ([`EntityKind::fields`]) when they are asked for: an inspector shows each with its
//! offset, and what is written is what was read.

use std::borrow::Cow;
use std::ops::Range;

use super::bytes::{Cursor, StringRef, StringTable};
use super::entity_fields::{Field, FieldKind, PLAYER, PLAYER_NAME, Signal, Unit, Value};
use super::entity_kinds::{BOUNDS_MAX, BOUNDS_MIN, EntityKind, KIND, POSITION, ROTATION, SHAPE};
use super::entity_properties::{PROPERTY_BYTES, Property, PropertyRecord, texts};
use super::rules;
use crate::{Problems, ReadError, quoted};

/// Bytes of no entities: five counts.
pub(super) const MIN_BYTES: usize = 20;
/// Bytes of an entity before its fields: gamemodes, name, properties and type.
const HEAD_BYTES: usize = 17;
const TYPE_AT: usize = 16;

/// The fields that every entity begins with. Offsets count from its first byte.
pub const HEAD_FIELDS: [Field; 5] = [
    head_field("gamemodes", 0, FieldKind::Pattern32),
    head_field("name", 4, FieldKind::Text),
    head_field("properties", 8, FieldKind::Unsigned(4)),
    head_field("property reference", 12, FieldKind::Unsigned(4)),
    head_field("type", TYPE_AT as u16, FieldKind::EntityKind),
];

const fn head_field(name: &'static str, offset: u16, kind: FieldKind) -> Field {
    Field {
        name,
        offset,
        kind,
        unit: Unit::None,
    }
}

/// The entities of the file, of a level or of a chunk.
#[derive(Debug, Clone, Eq)]
pub struct Entities {
    /// The tables and the entities as they are in the file.
    bytes: Box<[u8]>,
    /// Offset in the section of the first of these bytes.
    start: usize,
    /// Where in `bytes` the tables of 16, 32 and 64 bits stand, and the properties.
    tables: [Range<usize>; 3],
    properties: Range<usize>,
    /// Where in `bytes` each entity begins.
    starts: Vec<u32>,
    /// Where in `bytes` the first entity of an unknown type begins, if there is one: what follows
    /// cannot be read.
    opaque_from: Option<usize>,
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
            opaque_from: None,
        }
    }
}

impl PartialEq for Entities {
    /// Entities are the same wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Entities {
    /// Reads the entities that are next, to the end of the section if one of them is of an unknown
    /// type. Values that mean nothing are listed.
    ///
    /// # Errors
    /// What is announced does not fit into the bytes left.
    pub(super) fn read(
        cursor: &mut Cursor<'_>,
        strings: &StringTable,
        problems: &mut Problems,
    ) -> Result<Self, ReadError> {
        let start = cursor.pos();
        let mut whole = cursor.clone();
        cursor.enter("entity tables", None);
        let mut table = |element_bytes: usize, what: &str| {
            let count = cursor.u32()?;
            let count = cursor.count(count, element_bytes, what)?;
            let first = cursor.pos() - start;
            cursor.bytes(count * element_bytes)?;
            Ok(first..first + count * element_bytes)
        };
        let tables = [
            table(2, "16-bit values")?,
            table(4, "32-bit values")?,
            table(8, "64-bit values")?,
        ];
        let properties = table(PROPERTY_BYTES, "properties")?;
        let count = cursor.u32()?;
        let count = cursor.count(count, HEAD_BYTES, "entities")?;
        let mut starts = Vec::with_capacity(count);
        let mut opaque_from = None;
        for i in 0..count {
            cursor.enter("entity", i);
            let at = cursor.pos();
            cursor.bytes(TYPE_AT)?;
            let number = cursor.u8()?;
            if let Some(kind) = EntityKind::from_number(number) {
                cursor.bytes(kind.body_bytes())?;
                starts.push((at - start) as u32);
            } else {
                cursor.warn(problems, &rules::ENTITY_TYPE, at + TYPE_AT, || {
                    let left = count - i;
                    format!("unknown type {number}; it and all that follow ({left}) are not read")
                });
                cursor.rest();
                opaque_from = Some(at - start);
                break;
            }
        }
        let entities = Self {
            bytes: whole.bytes(cursor.pos() - start)?.into(),
            start,
            tables,
            properties,
            starts,
            opaque_from,
        };
        entities.check(cursor, strings, problems);
        Ok(entities)
    }

    /// All bytes, as they are in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where they stand in their section.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.bytes.len()
    }

    /// How many there are that can be read.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none that can be read.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The bytes from the first entity of an unknown type to the end, and their offset in the
    /// section; none where all entities are known.
    pub fn opaque(&self) -> Option<(usize, &[u8])> {
        let from = self.opaque_from?;
        Some((self.start + from, self.bytes.get(from..)?))
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

    /// All entities that can be read. `strings` is the string table of their section.
    pub fn iter<'a>(&'a self, strings: &'a StringTable) -> impl Iterator<Item = Entity<'a>> {
        (0..self.len()).filter_map(|index| self.get(index, strings))
    }

    /// How many properties (entity data containers) there are.
    pub fn property_count(&self) -> usize {
        self.properties.len() / PROPERTY_BYTES
    }

    /// Offsets of all bytes of the string table at which a name or text of the entities and their
    /// properties begins, or that are values of an array. Some may lead out of the table, and
    /// many may be the same.
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

    /// What a count and a number say: nothing, the number, or where in the table of 32-bit values
    /// so many numbers are; none where they are not all there.
    fn listed(&self, count: u32, reference: u32) -> Option<Vec<u32>> {
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

    /// Where in its section a property stands.
    pub fn property_offset(&self, index: usize) -> usize {
        self.start + self.properties.start + PROPERTY_BYTES * index
    }

    /// The tables of values: their offsets in the section, and how many values of 16, 32 and 64
    /// bits they have.
    pub fn table_sizes(&self) -> [(usize, usize); 3] {
        let [a, b, c] = &self.tables;
        [
            (self.start + a.start, a.len() / 2),
            (self.start + b.start, b.len() / 4),
            (self.start + c.start, c.len() / 8),
        ]
    }

    /// Values of a table from an index on; none where they are not all there.
    fn table<const N: usize>(&self, table: usize, index: u32, count: usize) -> Option<&[[u8; N]]> {
        let bytes = self.bytes.get(self.tables.get(table)?.clone())?;
        let (values, _) = bytes.as_chunks::<N>();
        let first = index as usize;
        values.get(first..first.checked_add(count)?)
    }

    /// 16-bit values from an index on, in little-endian order; none where they are not all there.
    pub(super) fn values16(&self, index: u32, count: usize) -> Option<&[[u8; 2]]> {
        self.table(0, index, count)
    }

    /// 32-bit values from an index on.
    pub(super) fn values32(&self, index: u32, count: usize) -> Option<&[[u8; 4]]> {
        self.table(1, index, count)
    }

    /// 64-bit values from an index on.
    pub(super) fn values64(&self, index: u32, count: usize) -> Option<&[[u8; 8]]> {
        self.table(2, index, count)
    }

    /// Floats of the table of 32-bit values.
    fn floats(&self, index: u32, count: usize) -> Option<Vec<f32>> {
        let values = self.values32(index, count)?;
        Some(values.iter().copied().map(f32::from_le_bytes).collect())
    }

    /// Lists what means nothing.
    fn check(&self, cursor: &mut Cursor<'_>, strings: &StringTable, problems: &mut Problems) {
        let mut texts_left = self.bytes.len();
        for index in 0..self.property_count() {
            let at = self.property_offset(index);
            cursor.enter("property", index);
            let record = self.property(index);
            if let Some(Err(wrong)) =
                record.map(|record| record.check(self, strings, &mut texts_left))
            {
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

/// Which runs of the table of 32-bit values are all numbers of properties. Many entities may have
/// the same long run.
struct PropertyLists {
    /// Indices of the values that are not.
    others: Vec<u32>,
}

impl PropertyLists {
    fn of(entities: &Entities) -> Self {
        let count = entities.property_count();
        let len = entities.table_sizes()[1].1;
        let values = entities.values32(0, len).unwrap_or_default();
        let is_other = |value: &[u8; 4]| u32::from_le_bytes(*value) as usize >= count;
        Self {
            others: values
                .iter()
                .zip(0..)
                .filter_map(|(value, index)| is_other(value).then_some(index))
                .collect(),
        }
    }

    /// The index of the first value of a run that is no property.
    fn first_other(&self, index: u32, count: u32) -> Option<u32> {
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
    /// Where in the bytes of the entities it begins.
    start: usize,
    kind: EntityKind,
}

/// A field of an entity with what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldValue {
    /// How it is stored. For the fields of the head, `offset` counts from the entity's first byte.
    pub field: &'static Field,
    /// Where its first byte stands in the section.
    pub at: usize,
    /// What it holds.
    pub value: Value,
}

impl<'a> Entity<'a> {
    /// Its number in its list, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What it is.
    pub fn kind(&self) -> EntityKind {
        self.kind
    }

    /// Its name; empty where its offset leads nowhere. Replaced where it is no UTF-8.
    pub fn name(&self) -> Cow<'a, str> {
        self.strings.get(StringRef(self.u32_at(4)))
    }

    /// Its name for lists, cut off where it is longer than names are.
    pub fn brief_name(&self) -> Cow<'a, str> {
        self.strings.brief(StringRef(self.u32_at(4)))
    }

    /// The string table of its section.
    pub fn strings(&self) -> &'a StringTable {
        self.strings
    }

    /// The gamemodes that it is part of: bit `i` is the `i`th of the file's head (fact sheet B29).
    pub fn gamemodes(&self) -> u32 {
        self.u32_at(0)
    }

    /// Where it stands in its section.
    pub fn range(&self) -> Range<usize> {
        let start = self.entities.start + self.start;
        start..start + HEAD_BYTES + self.kind.body_bytes()
    }

    /// Its bytes: the head and the fields.
    pub fn bytes(&self) -> &'a [u8] {
        self.entities
            .bytes
            .get(self.start..self.start + HEAD_BYTES + self.kind.body_bytes())
            .unwrap_or_default()
    }

    /// The numbers of its properties; none where the file says nonsense.
    pub fn property_indices(&self) -> Option<Vec<u32>> {
        self.entities.listed(self.u32_at(8), self.u32_at(12))
    }

    /// Its properties with their numbers; of one that cannot be read, why. None where the file says
    /// nonsense.
    pub fn properties(&self) -> impl Iterator<Item = (u32, Result<Property, String>)> {
        let indices = self.property_indices().unwrap_or_default();
        indices.into_iter().map(|index| {
            let record = self.entities.property(index as usize);
            let property = match record {
                Some(record) => record.resolve(self.entities, self.strings),
                None => Err(outside_properties(index, self.entities.property_count())),
            };
            (index, property)
        })
    }

    /// What every entity begins with.
    pub fn head(&self) -> impl Iterator<Item = FieldValue> {
        HEAD_FIELDS.iter().map(|field| FieldValue {
            field,
            at: self.range().start + usize::from(field.offset),
            value: match field.kind {
                FieldKind::Text => self.text(self.u32_at(usize::from(field.offset))),
                FieldKind::EntityKind => Value::Number(u64::from(self.kind.number())),
                _ => Value::Number(u64::from(self.u32_at(usize::from(field.offset)))),
            },
        })
    }

    /// All fields after the head.
    pub fn fields(&self) -> impl Iterator<Item = FieldValue> {
        self.kind.fields().iter().map(|field| FieldValue {
            field,
            at: self.range().start + HEAD_BYTES + usize::from(field.offset),
            value: self.field_value(field),
        })
    }

    /// What the field with a name holds; none where the type has no such field.
    pub fn value(&self, name: &str) -> Option<Value> {
        Some(self.field_value(self.kind.field(name)?))
    }

    /// Its signals: which field names each, whether it comes or goes, and its name.
    pub fn signals(&self) -> impl Iterator<Item = (&'static Field, Signal, StringRef)> {
        self.kind.fields().iter().filter_map(|field| {
            let FieldKind::Signal(signal) = field.kind else {
                return None;
            };
            let name = self.u32_at(HEAD_BYTES + usize::from(field.offset));
            Some((field, signal, StringRef(name)))
        })
    }

    /// Where it is, in metres: relative to the centre of its chunk, or to the centre of the center
    /// chunk for entities of a level or the file. A door's is the closed one, a beam's its head's.
    pub fn position(&self) -> Option<[f32; 3]> {
        self.vector(POSITION)
    }

    /// How it is turned, in degrees about X, Y and Z.
    pub fn rotation_degrees(&self) -> Option<[f32; 3]> {
        self.vector(ROTATION)
    }

    /// Three floats by the name of their field.
    pub fn vector(&self, name: &str) -> Option<[f32; 3]> {
        let value = self.value(name)?;
        value.floats()?.first_chunk().copied()
    }

    /// The least and the greatest corner of its box, relative to its position, in metres; none
    /// where its type has none.
    pub fn bounds(&self) -> Option<[[f32; 3]; 2]> {
        Some([self.vector(BOUNDS_MIN)?, self.vector(BOUNDS_MAX)?])
    }

    /// The eight corners of its shape in the order of the format, relative to its position, in
    /// metres; none where its type or kind has no such shape.
    pub fn corners(&self) -> Option<[[f32; 3]; 8]> {
        let value = self.value(SHAPE)?;
        let (corners, _) = value.floats()?.as_chunks::<3>();
        corners.first_chunk().copied()
    }

    /// The four bytes at an offset from the beginning of the entity.
    fn u32_at(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.array_at(offset))
    }

    /// The bytes at an offset from the beginning of the entity.
    fn array_at<const N: usize>(&self, offset: usize) -> [u8; N] {
        let rest = self.bytes().get(offset..).unwrap_or_default();
        // An entity was read to its end, and fields lie inside.
        rest.first_chunk().copied().unwrap_or([0; N])
    }

    fn text(&self, offset: u32) -> Value {
        if self.strings.has(offset) {
            Value::Text(self.strings.get(StringRef(offset)).into_owned())
        } else {
            Value::Nowhere(offset)
        }
    }

    /// The number in the upper four bits of the first byte.
    fn nibble(&self) -> u8 {
        self.array_at::<1>(HEAD_BYTES)[0] >> 4
    }

    fn field_value(&self, field: &Field) -> Value {
        let at = HEAD_BYTES + usize::from(field.offset);
        let number = |value: u64| Value::Number(value);
        match field.kind {
            FieldKind::Flags8(_) if self.kind.field(KIND).is_some() => {
                number(u64::from(self.array_at::<1>(at)[0] & 0x0F))
            }
            FieldKind::HighNibble(_) => number(u64::from(self.nibble())),
            FieldKind::Flags8(_)
            | FieldKind::Choice(_)
            | FieldKind::EntityKind
            | FieldKind::TypeFilter
            | FieldKind::Unsigned(1) => number(u64::from(self.array_at::<1>(at)[0])),
            FieldKind::Flags16(_) | FieldKind::Unsigned(2) => {
                number(u64::from(u16::from_le_bytes(self.array_at(at))))
            }
            FieldKind::Unsigned(8) => number(u64::from_le_bytes(self.array_at(at))),
            FieldKind::Pattern32 | FieldKind::Unsigned(_) => number(u64::from(self.u32_at(at))),
            FieldKind::Signed64 => Value::Signed(i64::from_le_bytes(self.array_at(at))),
            FieldKind::Floats { .. } => {
                let bytes = self.bytes().get(at..at + field.kind.bytes());
                let (floats, _) = bytes.unwrap_or_default().as_chunks::<4>();
                Value::Floats(floats.iter().copied().map(f32::from_le_bytes).collect())
            }
            FieldKind::Rgb | FieldKind::Rgba | FieldKind::Bytes(_) => {
                let bytes = self.bytes().get(at..at + field.kind.bytes());
                Value::Bytes(bytes.unwrap_or_default().to_vec())
            }
            FieldKind::Text | FieldKind::Signal(_) => self.text(self.u32_at(at)),
            FieldKind::Property => Value::Property(self.u32_at(at)),
            FieldKind::LightShape => {
                let shape = self.u32_at(at);
                match self.nibble() {
                    1 => Value::Floats(vec![f32::from_bits(shape)]),
                    2 => self.table_floats(shape, 6),
                    _ => number(u64::from(shape)),
                }
            }
            FieldKind::IntersectableShape => {
                let shape = self.u32_at(at);
                match self.nibble() {
                    0 | 1 => self.table_floats(shape, 3),
                    2 => self.table_floats(shape, 24),
                    _ => number(u64::from(shape)),
                }
            }
            FieldKind::TextList => {
                let [count] = self.array_at(at);
                self.texts(count, self.u32_at(at + 1))
            }
        }
    }

    fn table_floats(&self, index: u32, count: usize) -> Value {
        let floats = self.entities.floats(index, count);
        floats.map_or(Value::Nowhere(index), Value::Floats)
    }

    fn texts(&self, count: u8, reference: u32) -> Value {
        let offsets = self.entities.listed(count.into(), reference);
        let texts = offsets.and_then(|offsets| texts(&offsets, self.strings).ok());
        texts.map_or(Value::Nowhere(reference), Value::Texts)
    }

    /// Lists what means nothing.
    fn check(&self, cursor: &Cursor<'_>, lists: &PropertyLists, problems: &mut Problems) {
        let start = self.range().start;
        let name = self.u32_at(4);
        if !self.strings.has(name) {
            cursor.warn(problems, &rules::ENTITY_VALUE, start + 4, || {
                format!("name {}", nowhere(name))
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
                format!("the name {name}: `player:` is reserved for those that the server makes")
            });
        }
        self.check_properties(cursor, lists, problems);
        for field in self.kind.fields() {
            let at = start + HEAD_BYTES + usize::from(field.offset);
            let mut warn = |rule, message: &dyn Fn() -> String| {
                cursor.warn(problems, rule, at, || {
                    format!("{}: {}", field.name, message())
                });
            };
            match field.kind {
                FieldKind::Unsigned(_)
                | FieldKind::Signed64
                | FieldKind::Pattern32
                | FieldKind::Rgb
                | FieldKind::Rgba
                | FieldKind::Bytes(_) => {}
                FieldKind::Text | FieldKind::Signal(_) => {
                    let offset = self.u32_at(HEAD_BYTES + usize::from(field.offset));
                    if !self.strings.has(offset) {
                        warn(&rules::ENTITY_VALUE, &|| nowhere(offset));
                    }
                }
                FieldKind::Property => {
                    let index = self.u32_at(HEAD_BYTES + usize::from(field.offset));
                    let count = self.entities.property_count();
                    if index as usize >= count {
                        warn(&rules::ENTITY_PROPERTY, &|| {
                            outside_properties(index, count)
                        });
                    }
                }
                FieldKind::Flags8(flags) | FieldKind::Flags16(flags) => {
                    let known = flags.iter().fold(0, |known, flag| known | flag.mask);
                    let bits = self.field_value(field).number().unwrap_or_default();
                    let unknown = bits & !u64::from(known);
                    if unknown != 0 {
                        warn(&rules::RESERVED_BITS, &|| {
                            format!("the bits {unknown:#x} mean nothing; expected 0")
                        });
                    }
                }
                FieldKind::HighNibble(names) | FieldKind::Choice(names) => {
                    let number = self.field_value(field).number().unwrap_or_default();
                    if number >= names.len() as u64 {
                        warn(&rules::ENTITY_VALUE, &|| {
                            format!("{number} means nothing; expected 0 to {}", names.len() - 1)
                        });
                    }
                }
                FieldKind::EntityKind | FieldKind::TypeFilter => {
                    let number = self.field_value(field).number().unwrap_or_default() as u8;
                    // Players are no entities of maps, but one can filter for them.
                    let is_filter = field.kind == FieldKind::TypeFilter;
                    let is_known = EntityKind::from_number(number).is_some()
                        || is_filter && (number == PLAYER || !self.uses_type_filter());
                    if !is_known {
                        let or_player = if is_filter { ", or 255" } else { "" };
                        warn(&rules::ENTITY_VALUE, &|| {
                            format!("no entity is of type {number}; expected 0 to 26{or_player}")
                        });
                    }
                }
                FieldKind::Floats { .. }
                | FieldKind::LightShape
                | FieldKind::IntersectableShape
                | FieldKind::TextList => match self.field_value(field) {
                    Value::Nowhere(index) => warn(&rules::ENTITY_VALUE, &|| {
                        format!("{index:#x} leads out of its table")
                    }),
                    Value::Floats(floats) => {
                        if let Some(float) = floats.iter().find(|float| !float.is_finite()) {
                            warn(&rules::NOT_FINITE, &|| format!("{float} is not finite"));
                        }
                    }
                    _ => {}
                },
            }
        }
    }

    /// Whether its type field is looked at: that of a filter only if the filter is on.
    fn uses_type_filter(&self) -> bool {
        let flags = self.kind.field("flags");
        let Some(FieldKind::Flags8(flags)) = flags.map(|field| field.kind) else {
            return true;
        };
        flags
            .iter()
            .find(|flag| flag.name == "type filter on")
            .is_none_or(|flag| u16::from(self.array_at::<1>(HEAD_BYTES)[0]) & flag.mask != 0)
    }

    fn check_properties(
        &self,
        cursor: &Cursor<'_>,
        lists: &PropertyLists,
        problems: &mut Problems,
    ) {
        let (count, reference) = (self.u32_at(8), self.u32_at(12));
        let properties = self.entities.property_count();
        let wrong = match count {
            0 => None,
            1 => (reference as usize >= properties)
                .then(|| outside_properties(reference, properties)),
            _ => match self.entities.values32(reference, count as usize) {
                None => Some(format!(
                    "{count} properties from {reference:#x} lead out of the table of 32-bit values"
                )),
                Some(_) => lists
                    .first_other(reference, count)
                    .map(|at| format!("value {at} of the table of 32-bit values is no property")),
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

/// What messages say of the offset of a string that is not in the table.
pub(super) fn nowhere(offset: u32) -> String {
    format!("at {offset:#x} of the string table is no string that ends")
}

fn outside_properties(index: u32, count: usize) -> String {
    format!(
        "property {index}, {}",
        crate::outside("property", count as u64)
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::bytes::{Part, Section};
    use super::super::entity_properties::PropertyValues;
    use super::super::entity_write::{EntityList, NewEntity};
    use super::super::string_builder::StringTableBuilder;
    use super::*;
    use crate::{Problem, Severity};

    /// Reads entities that are alone in a section.
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
        let entities = Entities::read(&mut Cursor::new(bytes, section), strings, &mut problems);
        (entities, problems.finish())
    }

    /// A trigger with two properties, the second an array, and its strings.
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

    // Places in the sample.
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
                && problem.message.contains(with)),
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
        assert_eq!(entities.property_offset(1), PROPERTIES + 13);
        assert_eq!(
            entities.table_sizes(),
            [(TABLE16, 4), (TABLE32, 4), (TABLE64, 1)]
        );
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
            let messages = problems.into_iter().map(|problem| problem.message);
            messages.collect::<Vec<_>>().join("; ")
        }
        assert_eq!(said(EntityKind::Trigger, "a", "type filter", 255), "");
        assert!(said(EntityKind::Trigger, "a", "type filter", 27).contains("0 to 26, or 255"));
        assert_eq!(said(EntityKind::Setter, "a", "expected type", 26), "");
        let wrong = said(EntityKind::Setter, "a", "expected type", 255);
        assert!(
            wrong.ends_with("no entity is of type 255; expected 0 to 26"),
            "{wrong}"
        );
        // Names that the server gives to players.
        assert_eq!(said(EntityKind::Trigger, "players", "type filter", 1), "");
        let wrong = said(EntityKind::Trigger, "player:1", "type filter", 1);
        assert!(
            wrong.contains("`player:1`") && wrong.contains("is reserved"),
            "{wrong}"
        );
    }

    #[test]
    fn empty_entities_are_twenty_bytes() {
        let (entities, problems) = read(&[0; 20], &StringTable::default());
        let entities = entities.unwrap();
        assert!(entities.is_empty() && entities == Entities::default());
        assert_eq!(entities.table_sizes(), Entities::default().table_sizes());
        assert_eq!(problems, []);
        for len in 0..20 {
            assert!(read(&vec![0; len], &StringTable::default()).0.is_err());
        }
    }

    #[test]
    fn no_count_is_believed() {
        let (bytes, strings) = sample();
        for at in [0, TABLE32 - 4, TABLE64 - 4, PROPERTIES - 4, TRIGGER - 4] {
            for count in [u32::MAX, 1 << 30, 200] {
                let mut bytes = bytes.clone();
                set(at, count)(&mut bytes);
                let error = read(&bytes, &strings).0.unwrap_err().to_string();
                assert!(error.contains(&format!("{count} ")), "{error}");
            }
        }
        for cut in TABLE16..bytes.len() {
            assert!(read(&bytes[..cut], &strings).0.is_err(), "{cut}");
        }
    }

    #[test]
    fn unknown_types_end_what_can_be_read() {
        for number in [27, 254, 255] {
            let entities = warned(
                |bytes| bytes[COUNTER + 16] = number,
                COUNTER + 16,
                "unknown type",
            );
            assert_eq!(entities.len(), 1);
            let (at, rest) = entities.opaque().unwrap();
            assert_eq!((at, rest.len()), (COUNTER, 17 + 29));
            assert!(EntityList::of(&entities, &sample().1).is_err());
        }
    }

    #[test]
    fn what_leads_nowhere_is_listed() {
        let entities = warned(set(TRIGGER + 4, 900), TRIGGER + 4, "name at 0x384");
        let (_, strings) = sample();
        let trigger = entities.get(0, &strings).unwrap();
        assert_eq!(trigger.name(), "");
        let name = trigger.head().find(|field| field.field.name == "name");
        assert_eq!(name.unwrap().value, Value::Nowhere(900));

        let signal = COUNTER + 17 + 9;
        let entities = warned(set(signal, 900), signal, "signal to increment: at 0x384");
        let counter = entities.get(1, &strings).unwrap();
        let value = counter.value("signal to increment");
        assert_eq!(value, Some(Value::Nowhere(900)));
    }

    #[test]
    fn property_references_are_held_against_their_tables() {
        let at = TRIGGER + 12;
        let entities = warned(set(at, 4), at, "2 properties from 0x4 lead out");
        let trigger = entities.get(0, &sample().1).unwrap().property_indices();
        assert_eq!(trigger, None);
        warned(set(at, u32::MAX), at, "lead out");
        warned(set(TRIGGER + 8, u32::MAX), at, "lead out");
        // The list of the trigger is behind the lengths of the array.
        warned(
            set(TABLE32 + 12, 2),
            at,
            "value 3 of the table of 32-bit values is no property",
        );
        warned(
            set(COUNTER + 12, 2),
            COUNTER + 12,
            "property 2, but the list ends at 1",
        );
    }

    #[test]
    fn properties_are_held_against_their_tables() {
        let at = PROPERTIES;
        warned(|bytes| bytes[at] = 13, at, "unknown kind 13");
        warned(set(at + 1, 33), at, "33 dimensions");
        warned(set(at + 1, u32::MAX), at, "4294967295 dimensions");
        warned(set(at + 5, 3), at, "2 lengths from 0x3 lead out");
        warned(set(at + 9, 1), at, "4 values of U16 from 0x1 lead out");
        warned(
            set(TABLE32, u32::MAX),
            at,
            "lead out of the table of 16-bit values",
        );
        warned(
            set(PROPERTIES + 13 + 9, 1),
            at + 13,
            "1 values of F64 from 0x1 lead out",
        );
        warned(
            |bytes| {
                bytes[at] = 10;
                set(at + 9, u32::MAX)(bytes);
            },
            at,
            "table of 32-bit values",
        );
        warned(
            |bytes| {
                bytes[at] = 12;
                set(at + 1, 0)(bytes);
                set(at + 9, 700)(bytes);
            },
            at,
            "at 0x2bc of the string table",
        );
        // An array of texts, one of which is nowhere.
        warned(
            |bytes| {
                bytes[at] = 12;
                set(at + 9, 0)(bytes);
                set(TABLE32 + 8, 700)(bytes);
                set(TRIGGER + 8, 0)(bytes);
            },
            at,
            "at 0x2bc of the string table",
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
            "an array of 4294967295 x 4294967295 x 4294967295 x 4294967295 values",
        );
        let record = entities.property(0).unwrap();
        assert!(record.resolve(&entities, &sample().1).is_err());
    }

    #[test]
    fn what_means_nothing_is_listed() {
        let body = COUNTER + 17;
        warned(|bytes| bytes[body] = 6, body, "comparison: 6 means nothing");
        let filter = TRIGGER + 17 + 117;
        warned(
            |bytes| bytes[filter] = 27,
            filter,
            "no entity is of type 27",
        );
        let x = TRIGGER + 17 + 1;
        warned(set(x, 0x7FC0_0000), x, "position: NaN is not finite");

        // A filter that is off may say anything.
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
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        let expected = [
            "0x1025: warning: entity 0: flags: the bits 0x8 mean nothing; expected 0",
            "0x1072: warning: entity 1: flags: the bits 0x4000 mean nothing; expected 0",
            "0x120d: warning: entity 2: flags: the bits 0x2 mean nothing; expected 0",
        ];
        assert_eq!(texts, expected);
        let light = entities.unwrap();
        let strings = strings.finish();
        let light = light.get(0, &strings).unwrap();
        assert_eq!(light.value("kind"), Some(Value::Number(1)));
    }

    /// Many entities that share one long list must not be looked at entry by entry each.
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
