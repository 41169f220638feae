//! A byte of a map that is lost, too many or wrong: what is around it is read all the same.

use std::ops::Range;

use super::super::bytes::{Cursor, File};
use super::super::rules;
use super::read::{ENTITY_BYTES, ZONE_BYTES, read_entity, read_zone};
use super::{Entity, Zone};
use crate::{Message, Problem, Problems, ReadError, counted};
use Field::{Bytes, Text};

/// Of longer lists of zones and entities it is not looked where they go on behind what is damaged.
const MAX_TAIL: usize = 1 << 20;
/// How long a record may be that is damaged: the engine has room for 1023 bytes a text.
const MAX_RECORD: usize = 8 << 10;
/// How often each byte of these lists is read, to find out where records begin.
const MAX_READ: usize = 64;
/// In longer records it is not looked for the byte that is wrong.
const MAX_MENDED: usize = 1 << 8;
/// Numbers beyond this are not those of a game.
const MAX_LIKELY: u32 = 0xFFFF;

/// The largest direction or state that is likely where the engine's tables do not have it.
const MAX_CODE: u32 = 0xFF;

/// What is wrong with a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Missing,
    TooMany(u8),
    Wrong {
        found: u8,
        expected: u8,
    },
    /// A text is longer or shorter than it is said to be.
    Length {
        found: u32,
        expected: u32,
    },
}

impl Fault {
    pub(super) fn message(self) -> Message {
        match self {
            Self::Missing => Message::read("a byte is missing", "as if there were one"),
            Self::TooMany(byte) => {
                Message::read(format!("there is a byte too many, {byte:#x}"), "without it")
            }
            Self::Wrong { found, expected } => {
                Message::read_so(format!("a byte is {found:#x}; expected {expected:#x}"))
            }
            Self::Length { found, expected } => {
                let found = match found.cast_signed() {
                    below @ ..0 => format!("{below} bytes"),
                    _ => counted(found as usize, "byte"),
                };
                Message::read_so(format!(
                    "a text is said to be {found} long; expected {expected}"
                ))
            }
        }
    }
}

/// A field of a record.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    Bytes(usize),
    /// A text with the number of its bytes before it.
    Text,
}

impl Field {
    /// How long a record with such fields is at least, with nothing in its texts.
    pub(super) const fn min_bytes(fields: &[Self]) -> usize {
        let (mut bytes, mut i) = (0, 0);
        while i < fields.len() {
            bytes += match fields[i] {
                Self::Bytes(count) => count,
                Self::Text => TEXT_HEAD,
            };
            i += 1;
        }
        bytes
    }

    /// Where a record with such fields ends that bytes begin with, whatever is in it.
    fn end_of(fields: &[Self], bytes: &[u8]) -> Option<usize> {
        fields.iter().try_fold(0, |at, field| {
            let end = match field {
                Self::Bytes(count) => at + count,
                Self::Text => {
                    let len = bytes.get(at..)?.first_chunk::<TEXT_HEAD>()?;
                    (at + TEXT_HEAD).checked_add(u32::from_le_bytes(*len) as usize)?
                }
            };
            (end <= bytes.len()).then_some(end)
        })
    }
}

/// Bytes of the number before a text.
const TEXT_HEAD: usize = 4;

/// A record of a list, or what stands before the layers.
pub(super) trait Record: Sized {
    /// What it consists of: where it ends is found without reading it, since it is tried often.
    const FIELDS: &'static [Field];
    /// How many of its values are indices into tables of the engine ([`Record::codes`]).
    const CODES: usize = 0;

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError>;

    fn texts(&self) -> Vec<&str>;

    fn numbers(&self) -> Vec<i32>;

    /// Its indices into tables of the engine, which may be out of range.
    fn codes(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Says where the record is.
    fn set_place(&mut self, _: Range<u64>) {}

    /// How many of its values are hardly those of a game.
    fn oddities(&self) -> usize {
        let is_odd = |text: &&str| text.chars().any(|c| c.is_control() && !c.is_whitespace());
        let odd_texts = self.texts().into_iter().filter(is_odd).count();
        let numbers = self.numbers().into_iter();
        odd_texts + numbers.filter(|n| n.unsigned_abs() > MAX_LIKELY).count()
    }

    /// Where the record ends that begins at a byte, if its values are those of a game.
    fn likely_end(cursor: &Cursor<'_>, pos: usize) -> Option<usize> {
        let mut cursor = cursor.clone();
        cursor.seek(pos);
        let mut problems = Problems::of_trial(Self::CODES);
        let record = Self::read(&mut cursor, &mut problems).ok()?;
        let is_of_other = |problem: &Problem| problem.rule != &rules::VALUE;
        let is_good = !problems.has_failed() && problems.find_since(0, is_of_other).is_none();
        // Zero bytes are a record too, but nothing has no name.
        let has_name = record.texts().first().is_some_and(|name| !name.is_empty());
        let has_codes = record.codes().into_iter().all(|code| code <= MAX_CODE);
        (is_good && has_name && has_codes && record.oddities() == 0).then(|| cursor.pos())
    }
}

impl Record for Zone {
    const FIELDS: &'static [Field] = &[Text, Text, Text, Text, Bytes(4), Bytes(4), Bytes(1)];

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        read_zone(cursor, problems)
    }

    fn texts(&self) -> Vec<&str> {
        let scripts = [&self.activation_script, &self.entity_script];
        let texts = [&self.name, &self.description].into_iter().chain(scripts);
        texts.map(String::as_str).collect()
    }

    fn numbers(&self) -> Vec<i32> {
        vec![self.chance_percent, self.delay_steps]
    }

    fn set_place(&mut self, place: Range<u64>) {
        self.place = place;
    }
}

impl Record for Entity {
    const FIELDS: &'static [Field] = &[
        Text,
        Bytes(2 * 4),
        Bytes(2 * 4),
        Bytes(3),
        Text,
        Bytes(1),
        Text,
        Bytes(4),
        Text,
        Bytes(2 * 4),
        Bytes(4 * 4),
        Text,
        Text,
        Bytes(4),
    ];
    const CODES: usize = 2;

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        read_entity(cursor, problems)
    }

    fn codes(&self) -> Vec<u32> {
        vec![self.direction.cast_unsigned(), self.state]
    }

    fn texts(&self) -> Vec<&str> {
        let scripts = [&self.activation_script, &self.move_script];
        let others = [
            &self.name,
            &self.sprite,
            &self.wander_zone,
            &self.chase_target,
        ];
        let texts = others.into_iter().chain(scripts);
        texts.map(String::as_str).collect()
    }

    fn numbers(&self) -> Vec<i32> {
        let mut numbers = vec![
            self.speed,
            self.wander_steps,
            self.wander_delay,
            self.chase_distance,
        ];
        numbers.extend(self.position);
        numbers.extend(self.wander_rect);
        numbers
    }

    fn set_place(&mut self, place: Range<u64>) {
        self.place = place;
    }
}

/// Records in a row that are damaged, by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lost {
    pub records: Range<u32>,
    /// Where what is whole behind them begins.
    pub next: usize,
}

/// What is damaged of zones and entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Damage {
    /// Some zones.
    Zones(Lost),
    /// The number of zones: where these begin, and how many they are.
    ZoneCount(usize, u32),
    /// The number of entities: the same.
    EntityCount(usize, u32),
    /// Some entities.
    Entities(Lost),
    /// The number of entities, and maybe some of them: where the first one is that is whole, and how many are.
    FirstEntities(usize, u32),
    /// Zones from one on, by its index, and the same.
    ZonesAndEntities(u32, usize, u32),
}

/// How many records there are from each byte of the end of a file up to that end.
struct ToEnd {
    start: usize,
    /// 1 more than the entities; 0 where there are none.
    entities: Vec<u32>,
    /// 1 more than the zones, behind which there is the number of the entities and these.
    zones: Vec<u32>,
}

impl ToEnd {
    fn new(cursor: &Cursor<'_>) -> Option<Self> {
        let (start, left) = (cursor.pos(), cursor.left());
        if left > MAX_TAIL {
            return None;
        }
        let mut to_end = Self {
            start,
            entities: vec![0; left + 1],
            zones: vec![0; left + 1],
        };
        to_end.entities[left] = 1;
        let mut patience = MAX_READ * left;
        for i in (0..left).rev() {
            let counts = (start, &*to_end.entities);
            to_end.entities[i] = count_from::<Entity>(cursor, i, counts, &mut patience)?;
        }
        for i in (0..left.saturating_sub(3)).rev() {
            let mut number = cursor.clone();
            number.seek(start + i);
            let number = number.u32().ok()?;
            // Without entities, four zero bytes are their number, and tell too little.
            let has_entities = number > 0 && number.checked_add(1) == Some(to_end.entities[i + 4]);
            to_end.zones[i] = if has_entities {
                1
            } else {
                let counts = (start, &*to_end.zones);
                count_from::<Zone>(cursor, i, counts, &mut patience)?
            };
        }
        Some(to_end)
    }

    /// Where records begin that go on up to the end, and how many they are, where that is a byte before or
    /// behind where they should.
    fn beside(&self, counts: &[u32], pos: usize) -> Option<(usize, u32)> {
        let count = |pos: usize| {
            let count = counts.get(pos.checked_sub(self.start)?)?;
            count.checked_sub(1).filter(|count| *count > 0)
        };
        if count(pos).is_some() {
            return None;
        }
        [pos - 1, pos + 1]
            .into_iter()
            .find_map(|pos| Some((pos, count(pos)?)))
    }

    /// Where the first record is from a byte on with which records go on up to the end, and how many they are.
    fn first(&self, counts: &[u32], pos: usize) -> Option<(usize, u32)> {
        let from = counts.get(pos - self.start..)?.iter().zip(pos..);
        let mut records = from.map(|(count, pos)| (pos, count.saturating_sub(1)));
        records.find(|(_, count)| *count > 0)
    }

    /// Where so many records go on up to the end, behind one that begins at a byte and is at least so long.
    fn next(&self, counts: &[u32], pos: usize, min_bytes: usize, records: u32) -> Option<usize> {
        let first = pos + min_bytes - 1 - self.start;
        let near = counts.get(first..counts.len().min(first + MAX_RECORD))?;
        let next = near.iter().position(|count| *count == records + 1)?;
        Some(self.start + first + next)
    }
}

/// 1 more than the records from a byte on, by those behind it; 0 where there is none. None where too much was
/// read to find that out.
fn count_from<T: Record>(
    cursor: &Cursor<'_>,
    index: usize,
    (start, counts): (usize, &[u32]),
    patience: &mut usize,
) -> Option<u32> {
    let mut rest = cursor.clone();
    rest.seek(start + index);
    let len = Field::end_of(T::FIELDS, rest.rest());
    let behind = len.and_then(|len| Some((len, counts.get(index + len)?)));
    let Some((len, behind)) = behind.filter(|(_, behind)| **behind > 0) else {
        return Some(0);
    };
    *patience = patience.checked_sub(len)?;
    let end = T::likely_end(cursor, start + index);
    Some(end.map_or(0, |_| behind + 1))
}

impl Damage {
    /// Finds what is damaged of zones and entities that do not end where the file does: as many as are said
    /// to follow it do so up to that end.
    pub(super) fn find(cursor: &Cursor<'_>) -> Option<Self> {
        let to_end = ToEnd::new(cursor)?;
        Self::of_a_record(cursor, &to_end).or_else(|| Self::of_more(cursor, &to_end))
    }

    /// Damage to a single record or number.
    fn of_a_record(cursor: &Cursor<'_>, to_end: &ToEnd) -> Option<Self> {
        let mut cursor = cursor.clone();
        let scratch = &mut Problems::of_trial(usize::MAX);
        if let Some((first, count)) = to_end.beside(&to_end.zones, cursor.pos() + 4) {
            return Some(Self::ZoneCount(first, count));
        }
        let zones = cursor.u32().ok()?;
        for zone in 0..zones {
            let more = zones - zone - 1;
            let next = to_end.next(&to_end.zones, cursor.pos(), ZONE_BYTES, more);
            // A number that is the one of the entities behind it tells little: neither is the last zone whole
            // then, nor are entities before it.
            let is_damaged = |next: &usize| {
                let end = Zone::likely_end(&cursor, cursor.pos());
                let is_whole =
                    end.is_some_and(|end| Entity::likely_end(&cursor, end + 4).is_some());
                let entities = to_end.first(&to_end.entities, cursor.pos());
                let is_first = entities.is_none_or(|(first, _)| first > *next);
                more > 0 || (!is_whole && is_first)
            };
            if let Some(next) = next.filter(is_damaged) {
                let records = zone..zone + 1;
                return Some(Self::Zones(Lost { records, next }));
            }
            read_zone(&mut cursor, scratch).ok()?;
        }
        if let Some((first, count)) = to_end.beside(&to_end.entities, cursor.pos() + 4) {
            return Some(Self::EntityCount(first, count));
        }
        let entities = cursor.u32().ok()?;
        for entity in 0..entities {
            let more = entities - entity - 1;
            let next = to_end.next(&to_end.entities, cursor.pos(), ENTITY_BYTES, more);
            let is_damaged = |next: &usize| {
                if more == 0 {
                    return is_damaged_up_to(&cursor, *next);
                }
                let first = to_end.first(&to_end.entities, cursor.pos());
                first.is_some_and(|(first, _)| first == *next)
            };
            let next = next.filter(is_damaged);
            if let Some(next) = next {
                let records = entity..entity + 1;
                return Some(Self::Entities(Lost { records, next }));
            }
            read_entity(&mut cursor, scratch).ok()?;
        }
        None
    }

    /// Damage from the first record that cannot be one of a game up to where others follow.
    fn of_more(cursor: &Cursor<'_>, to_end: &ToEnd) -> Option<Self> {
        let mut cursor = cursor.clone();
        // A number that lies says nothing of how many are lost.
        let file_bytes = cursor.pos() + cursor.left();
        let count = |cursor: &mut Cursor<'_>, min_bytes| {
            let count = cursor.u32().ok();
            count.filter(|count| *count as usize <= file_bytes / min_bytes)
        };
        let zones = count(&mut cursor, ZONE_BYTES)?;
        let first = pass_likely::<Zone>(&mut cursor, zones);
        if first < zones {
            return match to_end.first(&to_end.zones, cursor.pos()) {
                Some((next, count)) if count < zones - first => {
                    let records = first..zones - count;
                    Some(Self::Zones(Lost { records, next }))
                }
                _ => {
                    let (next, count) = to_end.first(&to_end.entities, cursor.pos())?;
                    Some(Self::ZonesAndEntities(first, next, count))
                }
            };
        }
        let number = cursor.pos();
        let entities = count(&mut cursor, ENTITY_BYTES)?;
        let first = pass_likely::<Entity>(&mut cursor, entities);
        // Bytes of the number can be lost as well.
        let from = if first == 0 { number } else { cursor.pos() };
        let (next, count) = to_end.first(&to_end.entities, from)?;
        if count < entities - first {
            let records = first..entities - count;
            return Some(Self::Entities(Lost { records, next }));
        }
        (first == 0 && entities < count).then_some(Self::FirstEntities(next, count))
    }
}

/// Goes past records, of which there are so many, up to the first one that cannot be one of a game. Says how
/// many these are.
fn pass_likely<T: Record>(cursor: &mut Cursor<'_>, count: u32) -> u32 {
    let mut passed = 0;
    while passed < count
        && let Some(end) = T::likely_end(cursor, cursor.pos())
    {
        cursor.seek(end);
        passed += 1;
    }
    passed
}

/// Whether the last entity is damaged, and neither cut off nor followed by something else: it is good but for
/// a byte.
fn is_damaged_up_to(cursor: &Cursor<'_>, end: usize) -> bool {
    let rest = cursor.clone().rest();
    let Some(bytes) = rest.get(..end - cursor.pos()) else {
        return false;
    };
    // Of one that is cut off, the rest is taken for zero bytes.
    let padded = [bytes, &[0; ENTITY_BYTES]].concat();
    if bytes.len() > MAX_MENDED || Entity::likely_end(&Cursor::new(&padded, File), 0).is_some() {
        return false;
    }
    let is_whole = |_: &[u8], end| end == bytes.len();
    Mended::find(bytes, is_whole, |entity: &Entity, _| entity.oddities() == 0).is_some()
}

/// A record that bytes are but for one of them.
pub(super) struct Mended<T> {
    pub record: T,
    pub fault: Fault,
    /// Where that is in the bytes.
    pub at: usize,
    /// Where the record ends in them.
    pub end: usize,
}

impl<T: Record> Mended<T> {
    /// The record that bytes begin with but for one of them: of those that are good, with where they end, the
    /// first one with the fewest values that are hardly those of a game. Whether one can be good is asked of its
    /// bytes and where it ends before it is read.
    pub(super) fn find(
        bytes: &[u8],
        can_be: impl Fn(&[u8], usize) -> bool,
        is_good: impl Fn(&T, usize) -> bool,
    ) -> Option<Self> {
        if bytes.len() > MAX_MENDED {
            return None;
        }
        let mut best: Option<(usize, Self)> = None;
        // With another length no letter of a text is lost.
        let others = with_other_lengths(T::FIELDS, bytes).chain(without_a_fault(bytes));
        for (fault, at, changed) in others {
            let Some(end) = Field::end_of(T::FIELDS, &changed) else {
                continue;
            };
            let record = changed.get(..end).unwrap_or_default();
            let left = changed.len() - end;
            let Some(end) = bytes.len().checked_sub(left) else {
                continue;
            };
            if !can_be(record, end) {
                continue;
            }
            let mut cursor = Cursor::new(&changed, File);
            let mut problems = Problems::of_trial(usize::MAX);
            let Ok(record) = T::read(&mut cursor, &mut problems) else {
                continue;
            };
            let oddities = record.oddities() + problems.moment();
            if best.as_ref().is_some_and(|(fewest, _)| oddities >= *fewest)
                || !is_good(&record, end)
            {
                continue;
            }
            let mended = Self {
                record,
                fault,
                at,
                end,
            };
            if oddities == 0 {
                return Some(mended);
            }
            best = Some((oddities, mended));
        }
        best.map(|(_, mended)| mended)
    }
}

/// The bytes that are tried in place of one that is lost or wrong: those of the lengths of most texts, and of
/// what a map begins with.
fn expected_bytes() -> impl Iterator<Item = u8> {
    (0..=b'P').chain([0xF9])
}

/// The bytes of a record with each other length that one of its texts can have, the fault that this is, and
/// where the length is.
fn with_other_lengths<'a>(
    fields: &'static [Field],
    bytes: &'a [u8],
) -> impl Iterator<Item = (Fault, usize, Vec<u8>)> + 'a {
    let texts = fields.iter().enumerate().filter_map(|(index, field)| {
        let at = Field::end_of(fields.get(..index)?, bytes)?;
        let found = bytes.get(at..)?.first_chunk::<TEXT_HEAD>()?;
        matches!(field, Text).then_some((at, u32::from_le_bytes(*found)))
    });
    texts.flat_map(move |(at, found)| {
        let (before, from) = bytes.split_at(at);
        let text = from.get(TEXT_HEAD..).unwrap_or_default();
        let others = (0..=text.len() as u32).filter(move |expected| *expected != found);
        others.map(move |expected| {
            let other = [before, &expected.to_le_bytes(), text].concat();
            (Fault::Length { found, expected }, at, other)
        })
    })
}

/// Bytes without each fault that one of them may have, that fault, and where it is.
fn without_a_fault(bytes: &[u8]) -> impl Iterator<Item = (Fault, usize, Vec<u8>)> {
    let places = move || bytes.iter().copied().enumerate();
    let around = |at| bytes.split_at(at);
    let of_other_length = places().flat_map(move |(at, byte)| {
        let (before, from) = around(at);
        let fewer = [before, from.get(1..).unwrap_or_default()].concat();
        // Which one is missing nobody knows.
        let missing = [0, b'?'].into_iter().chain(expected_bytes());
        let more = missing.map(move |missing| {
            let more = [before, &[missing], from].concat();
            (Fault::Missing, at, more)
        });
        std::iter::once((Fault::TooMany(byte), at, fewer)).chain(more)
    });
    let others = places().flat_map(move |(at, found)| {
        let others = expected_bytes().filter(move |expected| *expected != found);
        others.map(move |expected| {
            let (before, from) = around(at);
            let other = [before, &[expected], from.get(1..).unwrap_or_default()].concat();
            (Fault::Wrong { found, expected }, at, other)
        })
    });
    of_other_length.chain(others)
}
