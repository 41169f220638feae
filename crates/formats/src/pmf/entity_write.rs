//! Writes entities from a description: the inverse of [`Entities::read`].

use super::bytes::{Cursor, Part, Section, StringTable};
use super::entities::{Entities, Entity};
use super::entity_fields::{Field, FieldKind, Value};
use super::entity_kinds::{EntityKind, KIND};
use super::entity_properties::{Property, PropertyKind, PropertyRecord, PropertyValues};
use super::string_builder::StringTableBuilder;
use super::{WriteError, rules};
use crate::{Problems, outside};

/// A description of the entities of a file, of a level or of a chunk.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityList {
    /// Properties in addition to the fields of the types; entities refer to them by index.
    pub properties: Vec<Property>,
    /// The entities.
    pub entities: Vec<NewEntity>,
}

/// A description of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntity {
    /// Its type.
    pub kind: EntityKind,
    /// Its name.
    pub name: String,
    /// The gamemodes in which it exists, one bit each.
    pub gamemodes: u32,
    /// Indices of its properties.
    pub properties: Vec<u32>,
    /// Names and values of fields of its type. The others are zero or empty.
    pub values: Vec<(&'static str, Value)>,
}

impl NewEntity {
    /// An entity in all gamemodes with all fields zero.
    pub fn new(kind: EntityKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            gamemodes: u32::MAX,
            properties: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Sets the value of a field.
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.values.push((field, value.into()));
        self
    }
}

impl EntityList {
    /// The description of parsed entities. `strings` is the string table of their section.
    ///
    /// # Errors
    /// Returns the part that cannot be described because a reference is invalid or its type is
    /// unknown.
    pub fn of(entities: &Entities, strings: &StringTable) -> Result<Self, String> {
        if entities.opaque().is_some() {
            return Err("an entity is of an unknown type".to_owned());
        }
        let properties = (0..entities.property_count())
            .filter_map(|index| entities.property(index))
            .map(|record| record.resolve(entities, strings))
            .collect::<Result<_, _>>()?;
        let describe = |entity: Entity<'_>| {
            Ok(NewEntity {
                kind: entity.kind(),
                name: entity.name().into_owned(),
                gamemodes: entity.gamemodes(),
                properties: entity.property_indices().ok_or_else(|| {
                    format!("the properties of entity {} do not exist", entity.index())
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

    /// Builds the entities of a map to be written. Their strings are added to `strings`, the table
    /// of the section.
    ///
    /// # Errors
    /// Names the entity and the value that does not fit its field.
    pub fn build(&self, strings: &mut StringTableBuilder) -> Result<Entities, WriteError> {
        let bytes = self.write(strings)?;
        let section = Section {
            part: Part::File,
            start: 0,
            is_packed: false,
        };
        let mut cursor = Cursor::new(&bytes, section);
        let problems = &mut Problems::new();
        Entities::read(&mut cursor, &strings.finish(), problems, &rules::ENTITIES)
            .map_err(|error| WriteError::new("entities", error.to_string()))
    }

    /// Encodes the entities. Their strings are added to `strings`, the table of the section.
    ///
    /// # Errors
    /// Names the entity and the value that does not fit its field.
    pub fn write(&self, strings: &mut StringTableBuilder) -> Result<Vec<u8>, WriteError> {
        let mut writer = Writer {
            strings,
            property_count: self.properties.len(),
            tables: std::array::from_fn(|_| Vec::new()),
        };
        let mut properties = Vec::new();
        for (index, property) in self.properties.iter().enumerate() {
            let record = writer
                .property(property)
                .map_err(|wrong| WriteError::new(format!("property {index}"), wrong))?;
            record.write(&mut properties);
        }
        let mut entities = Vec::new();
        for (index, entity) in self.entities.iter().enumerate() {
            writer.entity(entity, &mut entities).map_err(|wrong| {
                let (kind, name) = (entity.kind.name(), &entity.name);
                WriteError::new(format!("entity {index} ({kind} `{name}`)"), wrong)
            })?;
        }
        let mut bytes = Vec::new();
        let tables = [2, 4, 8].into_iter().zip(writer.tables);
        for (count, part) in tables
            .map(|(size, table)| (table.len() / size, table))
            .chain([
                (self.properties.len(), properties),
                (self.entities.len(), entities),
            ])
        {
            let count = length(count).map_err(|wrong| WriteError::new("entities", wrong))?;
            bytes.extend(count.to_le_bytes());
            bytes.extend(part);
        }
        Ok(bytes)
    }
}

/// A count or an index as stored in the file.
fn length(count: usize) -> Result<u32, String> {
    u32::try_from(count).map_err(|_| format!("{count} values; expected at most {}", u32::MAX))
}

/// Encodes 32-bit numbers.
fn words(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn float_bytes(floats: &[f32]) -> Vec<u8> {
    floats
        .iter()
        .flat_map(|float| float.to_le_bytes())
        .collect()
}

struct Writer<'s> {
    strings: &'s mut StringTableBuilder,
    property_count: usize,
    /// The values of 2, 4 and 8 bytes.
    tables: [Vec<u8>; 3],
}

impl Writer<'_> {
    fn text(&mut self, text: &str) -> Result<u32, String> {
        self.strings
            .add(text)
            .map(|string| string.0)
            .ok_or_else(|| format!("the text {text:?} cannot be in a string table"))
    }

    fn texts(&mut self, texts: &[String]) -> Result<Vec<u32>, String> {
        texts.iter().map(|text| self.text(text)).collect()
    }

    /// Adds values of 2, 4 or 8 bytes to their table, or bytes to the string table, and returns the
    /// index of the first.
    fn push(&mut self, size: usize, bytes: &[u8]) -> Result<u32, String> {
        let tables = [2, 4, 8].iter().zip(&mut self.tables);
        let Some((_, table)) = tables.into_iter().find(|(bytes, _)| **bytes == size) else {
            let offset = self.strings.add_bytes(bytes);
            return offset
                .ok_or_else(|| format!("{} bytes do not fit into the string table", bytes.len()));
        };
        let first = length(table.len() / size)?;
        table.extend(bytes);
        Ok(first)
    }

    /// The reference for a list of numbers: 0 if it is empty, the number itself for one, and
    /// otherwise the index in the table of 32-bit values.
    fn list(&mut self, numbers: &[u32]) -> Result<u32, String> {
        match *numbers {
            [] => Ok(0),
            [number] => Ok(number),
            _ => self.push(4, &words(numbers)),
        }
    }

    fn property(
        &mut self,
        Property { lengths, values }: &Property,
    ) -> Result<PropertyRecord, String> {
        let dimensions = length(lengths.len())?;
        let length = self.list(lengths)?;
        let (kind, is_single) = (values.kind(), lengths.is_empty());
        let bytes = match values {
            PropertyValues::Bool(_) if !is_single => Err("a boolean; expected bits"),
            PropertyValues::Bits(_) if is_single => Err("bits; expected a boolean"),
            PropertyValues::Texts(texts) => Ok(words(&self.texts(texts)?)),
            values => Ok(values.bytes()),
        }?;
        let count = lengths
            .iter()
            .try_fold(1_usize, |count, length| count.checked_mul(*length as usize));
        let expected = match kind {
            PropertyKind::Bool => count.map(|count| count.div_ceil(8)),
            kind => count.and_then(|count| count.checked_mul(kind.bytes())),
        };
        if kind != PropertyKind::None && expected != Some(bytes.len()) {
            let found = bytes.len();
            return Err(format!(
                "{found} bytes of values; expected {lengths:?} of {}",
                kind.name()
            ));
        }
        let value = match *bytes {
            [] if is_single || kind == PropertyKind::None => 0,
            [a] if is_single => u32::from(a),
            [a, b] if is_single => u32::from_le_bytes([a, b, 0, 0]),
            [a, b, c, d] if is_single => u32::from_le_bytes([a, b, c, d]),
            _ => self.push(kind.bytes(), &bytes)?,
        };
        Ok(PropertyRecord {
            kind: kind as u8,
            dimensions,
            length,
            value,
        })
    }

    fn entity(&mut self, entity: &NewEntity, bytes: &mut Vec<u8>) -> Result<(), String> {
        for (i, (name, _)) in entity.values.iter().enumerate() {
            if entity.kind.field(name).is_none() {
                return Err(format!("no field `{name}`"));
            }
            if entity.values.iter().take(i).any(|(other, _)| other == name) {
                return Err(format!("duplicate field `{name}`"));
            }
        }
        let property_count = self.property_count;
        let is_outside = |index: &&u32| **index as usize >= property_count;
        if let Some(index) = entity.properties.iter().find(is_outside) {
            let outside = outside("property", property_count as u64);
            return Err(format!("property {index}, {outside}"));
        }
        bytes.extend(words(&[
            entity.gamemodes,
            self.text(&entity.name)?,
            length(entity.properties.len())?,
            self.list(&entity.properties)?,
        ]));
        bytes.push(entity.kind.number());
        let value_of = |name: &str| {
            let value = entity.values.iter().find(|(other, _)| *other == name);
            value.map(|(_, value)| value)
        };
        // Shares a byte with the flags after it.
        let nibble = match value_of(KIND) {
            Some(Value::Number(kind @ 0..16)) => Some(*kind as u8),
            Some(_) => return Err(format!("{KIND}: expected a number of 0 to 15")),
            None => entity.kind.field(KIND).map(|_| 0),
        };
        for field in entity.kind.fields() {
            if !matches!(field.kind, FieldKind::HighNibble(_)) {
                let field_bytes = self.field(field, value_of(field.name), nibble);
                bytes.extend(field_bytes.map_err(|wrong| format!("{}: {wrong}", field.name))?);
            }
        }
        Ok(())
    }

    /// Encodes a field. `nibble` is the upper half of the first byte if the field has a kind.
    fn field(
        &mut self,
        field: &Field,
        value: Option<&Value>,
        nibble: Option<u8>,
    ) -> Result<Vec<u8>, String> {
        let size = field.kind.bytes();
        let kind = usize::from(nibble.unwrap_or_default());
        let bytes = match (field.kind, value) {
            (FieldKind::Text | FieldKind::Signal(_), None) => words(&[self.text("")?]),
            (FieldKind::Flags(..), _) if nibble.is_some() => {
                match value.unwrap_or(&Value::Number(0)) {
                    Value::Number(bits @ 0..16) => vec![(kind << 4) as u8 | *bits as u8],
                    _ => return Err(format!("found {value:?}; expected bits of 0xf")),
                }
            }
            (FieldKind::Shape(counts), value) => match (counts.get(kind), value) {
                (Some(1), Some(Value::Floats(floats))) if floats.len() == 1 => float_bytes(floats),
                (Some(count), Some(Value::Floats(floats))) if floats.len() == *count => {
                    words(&[self.push(4, &float_bytes(floats))?])
                }
                (Some(0 | 1), None) => vec![0; size],
                (None | Some(0), Some(Value::Number(number))) => whole(*number, size)?,
                (count, _) => {
                    let count = count.copied().unwrap_or_default();
                    return Err(format!(
                        "found {value:?}; expected {count} floats, as the kind is"
                    ));
                }
            },
            (_, None) => vec![0; size],
            (
                FieldKind::Flags(..)
                | FieldKind::Choice(_)
                | FieldKind::EntityKind
                | FieldKind::TypeFilter
                | FieldKind::Unsigned(_)
                | FieldKind::Pattern32,
                Some(Value::Number(number)),
            ) => whole(*number, size)?,
            (FieldKind::Signed64, Some(Value::Signed(number))) => number.to_le_bytes().to_vec(),
            (FieldKind::Floats { .. }, Some(Value::Floats(floats))) if 4 * floats.len() == size => {
                float_bytes(floats)
            }
            (
                FieldKind::Rgb | FieldKind::Rgba | FieldKind::Bytes(_),
                Some(Value::Bytes(values)),
            ) if values.len() == size => values.clone(),
            (FieldKind::Text | FieldKind::Signal(_), Some(Value::Text(text))) => {
                words(&[self.text(text)?])
            }
            (FieldKind::Property, Some(Value::Property(index)))
                if (*index as usize) < self.property_count =>
            {
                words(&[*index])
            }
            (FieldKind::TextList, Some(Value::Texts(texts))) if texts.len() < 256 => {
                let offsets = self.texts(texts)?;
                let reference = words(&[self.list(&offsets)?]);
                [&[texts.len() as u8][..], &reference].concat()
            }
            (kind, Some(value)) => return Err(format!("found {value:?}; expected {kind:?}")),
        };
        Ok(bytes)
    }
}

/// Encodes an unsigned integer, if it fits.
fn whole(number: u64, size: usize) -> Result<Vec<u8>, String> {
    let mut bytes = number.to_le_bytes().to_vec();
    if bytes.split_off(size).iter().any(|byte| *byte != 0) {
        return Err(format!("found {number}; expected a number of {size} bytes"));
    }
    Ok(bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::entities::tests::read;
    use super::super::entity_fields::Unit;
    use super::*;

    /// A field value that differs from that of every other field.
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
            FieldKind::Flags(_, flags) => Value::Number(1 << (flags.len() - 1)),
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
            FieldKind::Shape(counts) => floats(counts[counts.len() - 1]),
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
    pub(in super::super) fn one_of_each() -> EntityList {
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

        // Write the parsed entities again.
        let mut again = StringTableBuilder::default();
        let rewritten = EntityList::of(&entities, &strings).unwrap();
        assert_eq!(rewritten.write(&mut again).unwrap(), bytes);
        assert_eq!(again.finish(), strings);
        let built = list.build(&mut StringTableBuilder::default());
        assert_eq!(built.unwrap(), entities);
    }

    /// For any value of any byte, the entities are either read or rejected, and all of them can be
    /// shown.
    #[test]
    fn corrupt_bytes_are_tolerated() {
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
            "duplicate field `text`",
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
