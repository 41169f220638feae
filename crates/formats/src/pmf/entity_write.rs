//! Entities from a description: what [`Entities::read`] reads, written.

use super::WriteError;
use super::bytes::{Cursor, Part, Section, StringTable};
use super::entities::Entities;
use super::entity_fields::{Field, FieldKind, Value};
use super::entity_kinds::{EntityKind, KIND};
use super::entity_properties::{Property, PropertyRecord, PropertyValues};
use super::string_builder::StringTableBuilder;
use crate::{Problems, outside};

/// A description of the entities of a file, of a level or of a chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityList {
    /// What entities have beside the fields of their types; they name them by index.
    pub properties: Vec<Property>,
    /// The entities.
    pub entities: Vec<NewEntity>,
}

/// A description of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntity {
    /// What it is.
    pub kind: EntityKind,
    /// Its name.
    pub name: String,
    /// The gamemodes that it is part of, one bit each.
    pub gamemodes: u32,
    /// Indices of its properties.
    pub properties: Vec<u32>,
    /// Names of fields of its type, and what they hold. The others are zero or empty.
    pub values: Vec<(&'static str, Value)>,
}

impl NewEntity {
    /// An entity of all gamemodes whose fields are all zero.
    pub fn new(kind: EntityKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            gamemodes: u32::MAX,
            properties: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The same with a value of a field.
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((field, value.into()));
        self
    }
}

impl EntityList {
    /// The description of entities that have been read. `strings` is the string table of their
    /// section.
    ///
    /// # Errors
    /// What of them cannot be described, since it leads nowhere or is of an unknown type.
    pub fn of(entities: &Entities, strings: &StringTable) -> Result<Self, String> {
        if entities.opaque().is_some() {
            return Err("an entity is of an unknown type".to_owned());
        }
        let properties = (0..entities.property_count())
            .filter_map(|index| entities.property(index))
            .map(|record| record.resolve(entities, strings))
            .collect::<Result<_, _>>()?;
        let describe = |entity: super::entities::Entity<'_>| {
            Ok(NewEntity {
                kind: entity.kind(),
                name: entity.name().into_owned(),
                gamemodes: entity.gamemodes(),
                properties: entity.property_indices().ok_or_else(|| {
                    format!("the properties of entity {} lead nowhere", entity.index())
                })?,
                values: entity
                    .fields()
                    .map(|field| (field.field.name, field.value))
                    .collect(),
            })
        };
        Ok(Self {
            properties,
            entities: entities
                .iter(strings)
                .map(describe)
                .collect::<Result<_, String>>()?,
        })
    }

    /// The entities of a map that is to be written. Their strings are added to `strings`, the table
    /// of the section.
    ///
    /// # Errors
    /// Which value of which entity does not fit its field.
    pub fn build(&self, strings: &mut StringTableBuilder) -> Result<Entities, WriteError> {
        let bytes = self.write(strings)?;
        let section = Section {
            part: Part::File,
            start: 0,
            is_packed: false,
        };
        let mut cursor = Cursor::new(&bytes, section);
        Entities::read(&mut cursor, &strings.finish(), &mut Problems::new())
            .map_err(|error| refused("entities", error.to_string()))
    }

    /// The entities as the file has them. Their strings are added to `strings`, the table of the
    /// section.
    ///
    /// # Errors
    /// Which value of which entity does not fit its field.
    pub fn write(&self, strings: &mut StringTableBuilder) -> Result<Vec<u8>, WriteError> {
        let mut writer = Writer {
            strings,
            property_count: self.properties.len(),
            tables: Tables::default(),
        };
        let mut records = Vec::new();
        for (index, property) in self.properties.iter().enumerate() {
            let record = writer
                .property(property)
                .map_err(|wrong| refused(format!("property {index}"), wrong))?;
            records.extend(record.to_bytes());
        }
        let mut entities = Vec::new();
        for (index, entity) in self.entities.iter().enumerate() {
            writer.entity(entity, &mut entities).map_err(|wrong| {
                let (kind, name) = (entity.kind.name(), &entity.name);
                refused(format!("entity {index} ({kind} `{name}`)"), wrong)
            })?;
        }
        let tables = writer.tables;
        let mut bytes = Vec::new();
        let mut part = |count: usize, part: &[u8]| {
            let count = length(count).map_err(|wrong| refused("entities", wrong))?;
            bytes.extend(count.to_le_bytes());
            bytes.extend(part);
            Ok::<_, WriteError>(())
        };
        part(tables.values16.len(), tables.values16.as_flattened())?;
        part(tables.values32.len(), tables.values32.as_flattened())?;
        part(tables.values64.len(), tables.values64.as_flattened())?;
        part(self.properties.len(), &records)?;
        part(self.entities.len(), &entities)?;
        Ok(bytes)
    }
}

fn refused(record: impl Into<String>, what: String) -> WriteError {
    WriteError {
        record: record.into(),
        what,
    }
}

/// A count or an index as the file has it.
fn length(count: usize) -> Result<u32, String> {
    u32::try_from(count).map_err(|_| format!("{count} values; at most {} fit", u32::MAX))
}

#[derive(Default)]
struct Tables {
    values16: Vec<[u8; 2]>,
    values32: Vec<[u8; 4]>,
    values64: Vec<[u8; 8]>,
}

/// Adds values to a table, and gives the index of the first.
fn push<const N: usize>(
    table: &mut Vec<[u8; N]>,
    values: impl IntoIterator<Item = [u8; N]>,
) -> Result<u32, String> {
    let first = length(table.len())?;
    table.extend(values);
    Ok(first)
}

/// Adds a whole number of so many bytes.
fn whole(number: u64, size: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    let all = number.to_le_bytes();
    let (fits, rest) = all.split_at(size);
    if rest.iter().any(|byte| *byte != 0) {
        return Err(format!("found {number}; expected a number of {size} bytes"));
    }
    bytes.extend(fits);
    Ok(())
}

struct Writer<'s> {
    strings: &'s mut StringTableBuilder,
    property_count: usize,
    tables: Tables,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) -> Result<u32, String> {
        self.strings
            .add(text)
            .map(|string| string.0)
            .ok_or_else(|| format!("the text {text:?} cannot be in a string table"))
    }

    fn texts(&mut self, texts: &[String]) -> Result<Vec<[u8; 4]>, String> {
        let offset = |text: &String| self.text(text).map(u32::to_le_bytes);
        texts.iter().map(offset).collect()
    }

    fn property(&mut self, property: &Property) -> Result<PropertyRecord, String> {
        let Property { lengths, values } = property;
        let dimensions = length(lengths.len())?;
        let length = match lengths[..] {
            [] => 0,
            [length] => length,
            _ => push(
                &mut self.tables.values32,
                lengths.iter().map(|length| length.to_le_bytes()),
            )?,
        };
        let count = lengths
            .iter()
            .try_fold(1_usize, |count, length| count.checked_mul(*length as usize));
        let has = |found: usize| {
            if count == Some(found) {
                Ok(())
            } else {
                Err(format!("{found} values; expected {lengths:?}"))
            }
        };
        let value = match (values, lengths.is_empty()) {
            (PropertyValues::None, _) => 0,
            (PropertyValues::Bool(value), true) => u32::from(*value),
            (PropertyValues::Bits(bytes), false) => {
                if count.map(|count| count.div_ceil(8)) != Some(bytes.len()) {
                    let found = bytes.len();
                    return Err(format!("{found} bytes of bits; expected {lengths:?} bits"));
                }
                self.bytes(bytes)?
            }
            (PropertyValues::Bool(_) | PropertyValues::Bits(_), _) => {
                return Err("bits are for arrays, and a truth value for a single one".to_owned());
            }
            (values, is_single) => {
                has(values.len())?;
                if is_single {
                    self.single(values)?
                } else {
                    self.array(values)?
                }
            }
        };
        Ok(PropertyRecord {
            kind: values.kind().number(),
            dimensions,
            length,
            value,
        })
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<u32, String> {
        self.strings
            .add_bytes(bytes)
            .ok_or_else(|| format!("{} bytes do not fit into the string table", bytes.len()))
    }

    /// The value of a property that is no array: inline, or in a table if it has 64 bits.
    fn single(&mut self, values: &PropertyValues) -> Result<u32, String> {
        let inline = match values {
            PropertyValues::I8(values) => values.first().map(|value| u32::from(*value as u8)),
            PropertyValues::I16(values) => values.first().map(|value| u32::from(*value as u16)),
            PropertyValues::I32(values) => values.first().map(|value| *value as u32),
            PropertyValues::U8(values) => values.first().map(|value| u32::from(*value)),
            PropertyValues::U16(values) => values.first().map(|value| u32::from(*value)),
            PropertyValues::U32(values) => values.first().copied(),
            PropertyValues::F32(values) => values.first().map(|value| value.to_bits()),
            PropertyValues::Texts(texts) => match texts.first() {
                Some(text) => Some(self.text(text)?),
                None => None,
            },
            _ => None,
        };
        match inline {
            Some(value) => Ok(value),
            None => self.array(values),
        }
    }

    fn array(&mut self, values: &PropertyValues) -> Result<u32, String> {
        fn all<const N: usize, T: Copy>(
            values: &[T],
            bytes: fn(T) -> [u8; N],
        ) -> impl Iterator<Item = [u8; N]> {
            values.iter().map(move |value| bytes(*value))
        }
        let tables = &mut self.tables;
        match values {
            PropertyValues::None | PropertyValues::Bool(_) => Ok(0),
            PropertyValues::Bits(bytes) | PropertyValues::U8(bytes) => self.bytes(bytes),
            PropertyValues::I8(values) => {
                let bytes: Vec<_> = values.iter().map(|value| *value as u8).collect();
                self.bytes(&bytes)
            }
            PropertyValues::I16(values) => {
                push(&mut tables.values16, all(values, i16::to_le_bytes))
            }
            PropertyValues::U16(values) => {
                push(&mut tables.values16, all(values, u16::to_le_bytes))
            }
            PropertyValues::I32(values) => {
                push(&mut tables.values32, all(values, i32::to_le_bytes))
            }
            PropertyValues::U32(values) => {
                push(&mut tables.values32, all(values, u32::to_le_bytes))
            }
            PropertyValues::F32(values) => {
                push(&mut tables.values32, all(values, f32::to_le_bytes))
            }
            PropertyValues::I64(values) => {
                push(&mut tables.values64, all(values, i64::to_le_bytes))
            }
            PropertyValues::U64(values) => {
                push(&mut tables.values64, all(values, u64::to_le_bytes))
            }
            PropertyValues::F64(values) => {
                push(&mut tables.values64, all(values, f64::to_le_bytes))
            }
            PropertyValues::Texts(texts) => {
                let offsets = self.texts(texts)?;
                push(&mut self.tables.values32, offsets)
            }
        }
    }

    fn entity(&mut self, entity: &NewEntity, bytes: &mut Vec<u8>) -> Result<(), String> {
        for (i, (name, _)) in entity.values.iter().enumerate() {
            if entity.kind.field(name).is_none() {
                return Err(format!("no field `{name}`"));
            }
            if entity.values.iter().take(i).any(|(other, _)| other == name) {
                return Err(format!("the field `{name}` is there twice"));
            }
        }
        let property_count = self.property_count;
        let is_outside = |index: &&u32| **index as usize >= property_count;
        if let Some(index) = entity.properties.iter().find(is_outside) {
            let outside = outside("property", property_count as u64);
            return Err(format!("property {index}, {outside}"));
        }
        let reference = match entity.properties[..] {
            [] => 0,
            [index] => index,
            _ => push(
                &mut self.tables.values32,
                entity.properties.iter().map(|index| index.to_le_bytes()),
            )?,
        };
        let head = [
            entity.gamemodes,
            self.text(&entity.name)?,
            length(entity.properties.len())?,
            reference,
        ];
        bytes.extend(head.map(u32::to_le_bytes).as_flattened());
        bytes.push(entity.kind.number());
        let value_of = |name: &str| {
            let mut values = entity.values.iter();
            values
                .find(|(other, _)| *other == name)
                .map(|(_, value)| value)
        };
        // Shares a byte with the flags after it.
        let nibble = match value_of(KIND) {
            Some(Value::Number(kind @ 0..16)) => Some(*kind as u8),
            Some(_) => return Err(format!("{KIND}: expected a number of 0 to 15")),
            None => entity.kind.field(KIND).map(|_| 0),
        };
        for field in entity.kind.fields() {
            if !matches!(field.kind, FieldKind::HighNibble(_)) {
                self.field(field, value_of(field.name), nibble, bytes)
                    .map_err(|wrong| format!("{}: {wrong}", field.name))?;
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        value: Option<&Value>,
        nibble: Option<u8>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), String> {
        let wrong = |expected: &str| Err(format!("found {value:?}; expected {expected}"));
        let size = field.kind.bytes();
        match (field.kind, value) {
            (FieldKind::Flags8(_), value) => {
                let (upper, most) = nibble.map_or((0, 0xFF), |nibble| (nibble << 4, 0x0F));
                match value {
                    None => bytes.push(upper),
                    Some(Value::Number(bits)) if *bits <= most => bytes.push(upper | *bits as u8),
                    Some(_) => return wrong(&format!("bits of {most:#x}")),
                }
            }
            (FieldKind::Text | FieldKind::Signal(_), None) => {
                bytes.extend(self.text("")?.to_le_bytes());
            }
            (FieldKind::LightShape, value) => match (nibble.unwrap_or_default(), value) {
                (1, Some(Value::Floats(floats))) if floats.len() == 1 => {
                    bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
                }
                (2, Some(Value::Floats(floats))) if floats.len() == 6 => {
                    bytes.extend(self.table_floats(floats)?.to_le_bytes());
                }
                (0 | 1, None) => bytes.extend([0; 4]),
                (0 | 3.., Some(Value::Number(number))) => whole(*number, size, bytes)?,
                _ => return wrong("nothing, one or six floats, as the kind is"),
            },
            (FieldKind::IntersectableShape, value) => match (nibble.unwrap_or_default(), value) {
                (0 | 1, Some(Value::Floats(floats))) if floats.len() == 3 => {
                    bytes.extend(self.table_floats(floats)?.to_le_bytes());
                }
                (2, Some(Value::Floats(floats))) if floats.len() == 24 => {
                    bytes.extend(self.table_floats(floats)?.to_le_bytes());
                }
                (3.., Some(Value::Number(number))) => whole(*number, size, bytes)?,
                _ => return wrong("3 or 24 floats, as the kind is"),
            },
            (_, None) => bytes.extend(std::iter::repeat_n(0, size)),
            (
                FieldKind::Flags16(_)
                | FieldKind::Choice(_)
                | FieldKind::EntityKind
                | FieldKind::TypeFilter
                | FieldKind::Unsigned(_)
                | FieldKind::Pattern32,
                Some(Value::Number(number)),
            ) => whole(*number, size, bytes)?,
            (FieldKind::Signed64, Some(Value::Signed(number))) => {
                bytes.extend(number.to_le_bytes());
            }
            (FieldKind::Floats { .. }, Some(Value::Floats(floats))) if 4 * floats.len() == size => {
                bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
            }
            (
                FieldKind::Rgb | FieldKind::Rgba | FieldKind::Bytes(_),
                Some(Value::Bytes(values)),
            ) if values.len() == size => bytes.extend(values),
            (FieldKind::Text | FieldKind::Signal(_), Some(Value::Text(text))) => {
                bytes.extend(self.text(text)?.to_le_bytes());
            }
            (FieldKind::Property, Some(Value::Property(index)))
                if (*index as usize) < self.property_count =>
            {
                bytes.extend(index.to_le_bytes());
            }
            (FieldKind::TextList, Some(Value::Texts(texts))) if texts.len() < 256 => {
                bytes.push(texts.len() as u8);
                let offsets = self.texts(texts)?;
                let reference = match offsets[..] {
                    [] => [0; 4],
                    [offset] => offset,
                    _ => push(&mut self.tables.values32, offsets)?.to_le_bytes(),
                };
                bytes.extend(reference);
            }
            (kind, Some(_)) => return wrong(&format!("{kind:?}")),
        }
        Ok(())
    }

    fn table_floats(&mut self, floats: &[f32]) -> Result<u32, String> {
        let floats = floats.iter().map(|float| float.to_le_bytes());
        push(&mut self.tables.values32, floats)
    }
}

#[cfg(test)]
mod tests {
    use super::super::entities::tests::read;
    use super::super::entity_fields::Unit;
    use super::*;

    /// A value of a field that no other field has.
    fn value(field: &Field, seed: &mut u32) -> Value {
        let mut next = || {
            *seed += 1;
            *seed
        };
        let mut floats = |count: usize| {
            let float = |_| next() as f32 + 0.25;
            Value::Floats((0..count).map(float).collect())
        };
        match field.kind {
            FieldKind::Flags8(flags) | FieldKind::Flags16(flags) => {
                Value::Number(u64::from(flags[flags.len() / 2].mask))
            }
            FieldKind::HighNibble(names) => Value::Number(names.len() as u64 - 1),
            FieldKind::Choice(names) => Value::Number(names.len() as u64 - 1),
            FieldKind::EntityKind => Value::Number(26),
            FieldKind::TypeFilter => Value::Number(255),
            FieldKind::Unsigned(1) => Value::Number(u64::from(next() % 256)),
            FieldKind::Unsigned(2) => Value::Number(u64::from(next() % 65536)),
            FieldKind::Unsigned(8) => Value::Number(u64::from(next()) << 40),
            FieldKind::Unsigned(_) | FieldKind::Pattern32 => Value::Number(u64::from(next())),
            FieldKind::Signed64 => Value::Signed(-i64::from(next()) << 40),
            FieldKind::Floats { .. } => floats(field.kind.bytes() / 4),
            FieldKind::Rgb | FieldKind::Rgba | FieldKind::Bytes(_) => {
                let byte = |_| next() as u8;
                Value::Bytes((0..field.kind.bytes()).map(byte).collect())
            }
            FieldKind::Text | FieldKind::Signal(_) => {
                Value::Text(format!("{} {}", field.name, next()))
            }
            FieldKind::Property => Value::Property(1),
            FieldKind::LightShape => floats(6),
            FieldKind::IntersectableShape => floats(24),
            FieldKind::TextList => Value::Texts(vec![next().to_string(), next().to_string()]),
        }
    }

    fn properties() -> Vec<Property> {
        let single = |values| Property {
            lengths: Vec::new(),
            values,
        };
        let array = |lengths: &[u32], values| Property {
            lengths: lengths.to_vec(),
            values,
        };
        vec![
            single(PropertyValues::None),
            single(PropertyValues::Bool(true)),
            single(PropertyValues::I8(vec![-8])),
            single(PropertyValues::I16(vec![-1600])),
            single(PropertyValues::I32(vec![-320_000])),
            single(PropertyValues::I64(vec![i64::MIN])),
            single(PropertyValues::U8(vec![200])),
            single(PropertyValues::U16(vec![60_000])),
            single(PropertyValues::U32(vec![u32::MAX])),
            single(PropertyValues::U64(vec![u64::MAX])),
            single(PropertyValues::F32(vec![-1.5])),
            single(PropertyValues::F64(vec![1e300])),
            single(PropertyValues::Texts(vec!["one".to_owned()])),
            array(&[11], PropertyValues::Bits(vec![0xA5, 0x03])),
            array(&[3], PropertyValues::I8(vec![1, -2, 3])),
            array(&[2, 2], PropertyValues::I16(vec![1, -2, 3, -4])),
            array(&[1, 3], PropertyValues::I32(vec![1, -2, 3])),
            array(&[2], PropertyValues::I64(vec![-1, 2])),
            array(&[3], PropertyValues::U8(vec![0, 200, 0])),
            array(&[1], PropertyValues::U16(vec![9])),
            array(&[0], PropertyValues::U32(vec![])),
            array(&[2], PropertyValues::U64(vec![1, 2])),
            array(&[1, 1, 2], PropertyValues::F32(vec![0.5, 1.5])),
            array(&[2], PropertyValues::F64(vec![0.5, 1.5])),
            array(
                &[2],
                PropertyValues::Texts(vec!["a".to_owned(), "b".to_owned()]),
            ),
            array(&[4, 5], PropertyValues::None),
        ]
    }

    /// An entity of each type with a value in each field.
    fn one_of_each() -> EntityList {
        let mut seed = 0;
        let entity = |kind: EntityKind| NewEntity {
            kind,
            name: format!("the {}", kind.name()),
            gamemodes: 1 << kind.number(),
            properties: (0..u32::from(kind.number()) % 4).collect(),
            values: kind
                .fields()
                .iter()
                .map(|field| (field.name, value(field, &mut seed)))
                .collect(),
        };
        EntityList {
            properties: properties(),
            entities: EntityKind::all().map(entity).collect(),
        }
    }

    #[test]
    fn every_field_of_every_type_reads_back_the_same() {
        let list = one_of_each();
        let mut strings = StringTableBuilder::default();
        let bytes = list.write(&mut strings).unwrap();
        let strings = strings.finish();
        let (entities, problems) = read(&bytes, &strings);
        let entities = entities.unwrap();
        assert_eq!(problems, []);
        assert_eq!(entities.bytes(), bytes);
        assert_eq!(entities.range(), 0..bytes.len());
        assert_eq!(entities.len(), 27);
        assert_eq!(EntityList::of(&entities, &strings).unwrap(), list);

        // And once more from what was read.
        let mut again = StringTableBuilder::default();
        let rewritten = EntityList::of(&entities, &strings).unwrap();
        assert_eq!(rewritten.write(&mut again).unwrap(), bytes);
        assert_eq!(again.finish(), strings);
        let built = list.build(&mut StringTableBuilder::default());
        assert_eq!(built.unwrap(), entities);
    }

    /// Whatever a byte is, the entities are read or refused, and all of them can be shown.
    #[test]
    fn no_byte_is_believed() {
        let mut strings = StringTableBuilder::default();
        let bytes = one_of_each().write(&mut strings).unwrap();
        let strings = strings.finish();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7F, 0xFF, bytes[at] ^ 0x10] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let (Ok(entities), _) = read(&bytes, &strings) else {
                    continue;
                };
                for entity in entities.iter(&strings) {
                    let fields = entity.head().chain(entity.fields());
                    let shown: usize = fields
                        .map(|field| field.field.describe(&field.value).len())
                        .sum();
                    assert!(shown < 10_000);
                    for (_, property) in entity.properties() {
                        let _ = property.map(|property| property.values.describe(3));
                    }
                }
            }
        }
    }

    #[test]
    fn an_inspector_finds_each_field_in_the_bytes() {
        let list = one_of_each();
        let mut strings = StringTableBuilder::default();
        let bytes = list.write(&mut strings).unwrap();
        let strings = strings.finish();
        let entities = read(&bytes, &strings).0.unwrap();
        for entity in entities.iter(&strings) {
            let mut end = entity.range().start;
            for field in entity.head().chain(entity.fields()) {
                assert_eq!(
                    field.at,
                    end,
                    "{} {}",
                    entity.kind().name(),
                    field.field.name
                );
                end += field.field.kind.bytes();
                let shown = field.field.describe(&field.value);
                assert!(!shown.is_empty() && !shown.contains("outside"), "{shown}");
                match (field.field.kind, &field.value) {
                    (FieldKind::Floats { .. }, Value::Floats(floats)) => {
                        let (first, _) = bytes[field.at..].split_first_chunk().unwrap();
                        assert_eq!(f32::from_le_bytes(*first), floats[0]);
                    }
                    (FieldKind::Text, Value::Text(text)) => assert_eq!(&shown, text),
                    _ => {}
                }
                if field.field.unit == Unit::Microseconds {
                    assert!(shown.ends_with(" µs"), "{shown}");
                }
            }
            assert_eq!(end, entity.range().end);
            assert_eq!(&bytes[entity.range()], entity.bytes());
            let expected = list.entities[entity.index()].kind;
            assert_eq!(entity.kind(), expected);
            assert_eq!(entity.name(), format!("the {}", expected.name()));
        }
    }

    #[test]
    fn shapes_are_as_their_kind_says() {
        let light = |kind: u64, shape: Value| {
            NewEntity::new(EntityKind::Light, "lamp")
                .with("kind", kind)
                .with("flags", 1)
                .with("shape", shape)
        };
        let shape = |kind: u64, shape: Value| {
            NewEntity::new(EntityKind::Intersectable, "thing")
                .with("kind", kind)
                .with("shape", shape)
        };
        let good = [
            light(0, Value::Number(0)),
            light(1, Value::from(0.5)),
            light(2, Value::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
            shape(0, Value::from([1.0, 2.0, 3.0])),
            shape(1, Value::from([4.0; 3])),
            shape(2, Value::from([5.0; 24])),
        ];
        let list = EntityList {
            properties: Vec::new(),
            entities: good.to_vec(),
        };
        let mut strings = StringTableBuilder::default();
        let bytes = list.write(&mut strings).unwrap();
        let strings = strings.finish();
        let (entities, problems) = read(&bytes, &strings);
        let entities = entities.unwrap();
        assert_eq!(problems, []);
        for (entity, written) in entities.iter(&strings).zip(&good) {
            for (name, value) in &written.values {
                assert_eq!(entity.value(name).as_ref(), Some(value), "{name}");
            }
        }
        let first_byte = entities.get(2, &strings).unwrap().bytes()[17];
        assert_eq!(first_byte, 0x21);
        assert_eq!(
            entities.get(5, &strings).unwrap().corners(),
            Some([[5.0; 3]; 8])
        );

        for bad in [
            light(0, Value::from(0.5)),
            light(1, Value::from([1.0; 6])),
            light(2, Value::from(0.5)),
            shape(2, Value::from([1.0; 3])),
            light(16, Value::Number(0)),
            shape(3, Value::from([1.0; 3])),
        ] {
            refused(bad, "");
        }
    }

    #[track_caller]
    fn refused(entity: NewEntity, with: &str) {
        let list = EntityList {
            properties: Vec::new(),
            entities: vec![entity],
        };
        let error = list
            .write(&mut StringTableBuilder::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("entity 0 (") && error.contains(with),
            "{error}"
        );
    }

    #[test]
    fn what_does_not_fit_its_field_is_not_written() {
        let text = || NewEntity::new(EntityKind::Text, "sign");
        refused(text().with("texture", "a"), "no field `texture`");
        refused(
            text().with("text", "a").with("text", "b"),
            "`text` is there twice",
        );
        refused(text().with("text", 3), "text: found");
        refused(text().with("text", "a\0b"), "cannot be in a string table");
        refused(text().with("position", [1.0; 4]), "position: found");
        refused(text().with("color", [1_u8; 3]), "color: found");
        refused(text().with("flags", 256), "flags: found");
        refused(
            text().with("position", Value::Nowhere(3)),
            "position: found",
        );
        let timer = NewEntity::new(EntityKind::Timer, "t");
        refused(timer.clone().with("time", 1 << 32), "a number of 4 bytes");
        let mut wrong = timer;
        wrong.properties = vec![0];
        refused(wrong, "property 0, but the list is empty");
        let setter = NewEntity::new(EntityKind::Setter, "s");
        refused(setter.with("value", Value::Property(0)), "value: found");

        for (lengths, values) in [
            (vec![], PropertyValues::U8(vec![1, 2])),
            (vec![3], PropertyValues::U8(vec![1, 2])),
            (vec![2], PropertyValues::Bool(true)),
            (vec![], PropertyValues::Bits(vec![1])),
            (vec![9], PropertyValues::Bits(vec![1])),
            (vec![u32::MAX; 3], PropertyValues::U64(vec![1])),
        ] {
            let list = EntityList {
                properties: vec![Property { lengths, values }],
                entities: Vec::new(),
            };
            let error = list
                .write(&mut StringTableBuilder::default())
                .unwrap_err()
                .to_string();
            assert!(error.starts_with("property 0: "), "{error}");
        }
    }

    #[test]
    fn values_are_described_for_people() {
        let entity = NewEntity::new(EntityKind::Light, "lamp")
            .with("kind", 1)
            .with("flags", 3)
            .with("position", [1.0, -2.5, 3.0])
            .with("color", [255, 128, 0])
            .with("shape", 0.5);
        let list = EntityList {
            properties: properties(),
            entities: vec![entity, one_of_each().entities.swap_remove(19)],
        };
        let mut strings = StringTableBuilder::default();
        let bytes = list.write(&mut strings).unwrap();
        let strings = strings.finish();
        let entities = read(&bytes, &strings).0.unwrap();
        let shown = |index: usize, name: &str| {
            let entity = entities.get(index, &strings).unwrap();
            let mut fields = entity.fields();
            let field = fields.find(|field| field.field.name == name).unwrap();
            field.field.describe(&field.value)
        };
        assert_eq!(shown(0, "kind"), "spot");
        assert_eq!(shown(0, "flags"), "inactive, follows the bone's tail");
        assert_eq!(shown(0, "position"), "1, -2.5, 3 m");
        assert_eq!(shown(0, "color"), "#ff8000");
        assert_eq!(shown(0, "shape"), "0.5");
        assert_eq!(shown(1, "comparison"), "GE");
        let property = |index: usize| {
            let record = entities.property(index).unwrap();
            record.resolve(&entities, &strings).unwrap()
        };
        assert_eq!(property(14).values.describe(2), "1, -2, ...");
        assert_eq!(property(13).values.describe(2), "bits 0xa5, 0x03");
        assert_eq!(property(24).values.kind().name(), "STR");
    }
}
