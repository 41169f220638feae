//! Resynchronisation in the lists of zones and entities. If a record is unreadable, reading
//! continues at the next record from which the rest of the file parses to its end.

use super::super::bytes::Cursor;
use super::super::rules;
use super::layout::COUNT_BYTES;
use super::read::{read_entity, read_zone};
use super::{Entity, Zone};
use crate::{Message, Place, Problems, ReadError, counted};

/// Maximum length of the lists to search, in bytes.
const MAX_LIST_BYTES: usize = 1 << 20;
/// Read budget: average number of reads per byte of the lists.
const READS_PER_BYTE: usize = 64;
/// Largest plausible number in a record.
const MAX_PLAUSIBLE_NUMBER: u32 = 0xFFFF;
/// Largest plausible direction or state.
const MAX_PLAUSIBLE_CODE: u32 = 0xFF;
/// Size of the engine's text buffer, in bytes.
const MAX_TEXT_BYTES: usize = 1023;

/// A text in [`Record::FIELDS`], with its length in bytes before it.
const TEXT: usize = 0;

/// Size in bytes of a zone or entity whose texts are empty.
pub(super) const ZONE_BYTES: usize = min_bytes(Zone::FIELDS);
pub(super) const ENTITY_BYTES: usize = min_bytes(Entity::FIELDS);

const fn min_bytes(fields: &[usize]) -> usize {
    let (mut bytes, mut i) = (0, 0);
    while i < fields.len() {
        bytes += if fields[i] == TEXT {
            COUNT_BYTES
        } else {
            fields[i]
        };
        i += 1;
    }
    bytes
}

/// A record of a list.
pub(super) trait Record: Sized {
    /// The size of each field in bytes, or [`TEXT`].
    const FIELDS: &'static [usize];

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError>;

    /// Returns `true` if the values are plausible for a game. No other test distinguishes a record
    /// from arbitrary bytes.
    fn is_plausible(&self) -> bool;

    /// Length of the record at the start of the bytes, for any content.
    fn length(bytes: &[u8]) -> Option<usize> {
        Self::FIELDS.iter().try_fold(0, |at, field| {
            let end = if *field == TEXT {
                let length = bytes.get(at..)?.first_chunk::<COUNT_BYTES>()?;
                (at + COUNT_BYTES).checked_add(u32::from_le_bytes(*length) as usize)?
            } else {
                at + field
            };
            (end <= bytes.len()).then_some(end)
        })
    }

    /// Returns `true` if the bytes are a truncated record.
    fn is_cut(bytes: &[u8]) -> bool {
        let mut rest = bytes;
        for field in Self::FIELDS {
            let mut length = *field;
            if length == TEXT {
                let Some((announced, behind)) = rest.split_first_chunk::<COUNT_BYTES>() else {
                    return true;
                };
                (length, rest) = (u32::from_le_bytes(*announced) as usize, behind);
            }
            match rest.get(length..) {
                Some(behind) => rest = behind,
                None => return length <= MAX_TEXT_BYTES,
            }
        }
        false
    }

    /// Returns `true` if the file can end in these bytes after a record.
    fn is_end(bytes: &[u8]) -> bool {
        Self::is_cut(bytes)
    }

    /// Returns the record at an offset if it is plausible.
    fn parse_plausible(cursor: &Cursor<'_>, at: usize) -> Option<Self> {
        let mut cursor = cursor.clone();
        cursor.seek(at);
        let record = Self::read(&mut cursor, &mut Problems::for_trial()).ok()?;
        record.is_plausible().then_some(record)
    }
}

/// Returns `true` if the texts and numbers are plausible. Zero bytes are not: a record has at least
/// one text.
fn are_plausible(texts: &[&String], numbers: &[i32]) -> bool {
    let is_odd = |c: char| c.is_control() && !c.is_whitespace();
    texts.iter().any(|text| !text.is_empty())
        && texts
            .iter()
            .all(|text| text.len() <= 2 * MAX_TEXT_BYTES && !text.contains(is_odd))
        && numbers
            .iter()
            .all(|number| number.unsigned_abs() <= MAX_PLAUSIBLE_NUMBER)
}

impl Record for Zone {
    const FIELDS: &'static [usize] = &[TEXT, TEXT, TEXT, TEXT, 4, 4, 1];

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        read_zone(cursor, problems)
    }

    fn is_end(bytes: &[u8]) -> bool {
        let behind_number = bytes.get(COUNT_BYTES..);
        Self::is_cut(bytes) || behind_number.is_some_and(Entity::is_cut)
    }

    fn is_plausible(&self) -> bool {
        let scripts = [&self.activation_script, &self.entity_script];
        let texts = [&self.name, &self.description, scripts[0], scripts[1]];
        are_plausible(&texts, &[self.chance_percent, self.delay_steps])
    }
}

impl Record for Entity {
    const FIELDS: &'static [usize] = &[TEXT, 8, 8, 3, TEXT, 1, TEXT, 4, TEXT, 8, 16, TEXT, TEXT, 4];

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        read_entity(cursor, problems)
    }

    fn is_plausible(&self) -> bool {
        let texts = [
            &self.name,
            &self.sprite,
            &self.activation_script,
            &self.move_script,
            &self.wander_zone,
            &self.chase_target,
        ];
        let numbers = [
            self.speed,
            self.wander_steps,
            self.wander_delay,
            self.chase_distance,
        ];
        let codes = [self.direction.cast_unsigned(), self.state];
        are_plausible(&texts, &numbers)
            && are_plausible(&texts, &self.position)
            && are_plausible(&texts, &self.wander_rect)
            && codes.iter().all(|code| *code <= MAX_PLAUSIBLE_CODE)
    }
}

/// Counts of consecutive plausible records from each offset to the end of the file or to a
/// truncated record.
pub(super) struct Runs<'a> {
    /// Offset of the lists in the file.
    start: usize,
    bytes: &'a [u8],
    /// Number of entities from each byte on, plus 1; 0 if no entity begins there.
    entities: Vec<u32>,
    /// Number of zones from each byte up to the list of entities, plus 1.
    zones: Vec<u32>,
    /// Index of the list of entities.
    list: Option<usize>,
}

impl<'a> Runs<'a> {
    /// `None` if the lists are too long.
    pub(super) fn new(cursor: &Cursor<'a>) -> Option<Self> {
        let (start, left) = (cursor.pos(), cursor.left());
        if left > MAX_LIST_BYTES {
            return None;
        }
        let mut runs = Self {
            start,
            bytes: cursor.clone().rest(),
            entities: vec![0; left + 1],
            zones: vec![0; left + 1],
            list: None,
        };
        let mut read_budget = READS_PER_BYTE * left;
        runs.entities[left] = 1;
        extend::<Entity>(cursor, left, &mut runs.entities, &mut read_budget)?;
        let first = runs.first(&runs.entities, start, 1);
        runs.list = first.and_then(|(at, run)| runs.list_before(at - start, run));
        if let Some(list) = runs.list {
            runs.zones[list] = 1;
        }
        let before = runs.list.unwrap_or(left);
        extend::<Zone>(cursor, before, &mut runs.zones, &mut read_budget)?;
        Some(runs)
    }

    fn is_whole_list(&self, list: usize) -> bool {
        let run = self.entities.get(list + COUNT_BYTES);
        let run = run.map_or(0, |run| run.saturating_sub(1));
        self.number_at(list) == Some(run)
            && self.end::<Entity>(list + COUNT_BYTES, run) == self.bytes.len()
    }

    /// Index of the list that contains the entities, if their count precedes them. A truncated file
    /// has fewer entities than the count.
    fn list_before(&self, first: usize, entities: u32) -> Option<usize> {
        let list = first.checked_sub(COUNT_BYTES)?;
        let number = self.number_at(list)?;
        (number >= entities && number as usize <= self.bytes.len()).then_some(list)
    }

    fn number_at(&self, at: usize) -> Option<u32> {
        let number = self.bytes.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*number))
    }

    /// End of `records` records.
    fn end<T: Record>(&self, from: usize, records: u32) -> usize {
        (0..records).fold(from, |at, _| {
            let rest = self.bytes.get(at..).unwrap_or_default();
            at + T::length(rest).unwrap_or_default()
        })
    }

    /// First offset at which a run of at least `min` records begins, and the length of the run.
    fn first(&self, counts: &[u32], from: usize, min: u32) -> Option<(usize, u32)> {
        let mut counts = counts
            .get(from.checked_sub(self.start)?..)?
            .iter()
            .zip(from..);
        // The first record needs a name; otherwise zero bytes would count.
        let has_name = |at: usize| !self.bytes[at - self.start..].starts_with(&[0; COUNT_BYTES]);
        let (count, at) = counts.find(|(count, at)| **count > min && has_name(*at))?;
        Some((at, count - 1))
    }

    /// The best continuation after damage: the one with the most whole records.
    fn next<T: Record>(
        &self,
        cursor: &Cursor<'_>,
        (count_at, announced): (usize, u32),
        counts: &[u32],
        min: u32,
    ) -> Option<Continuation> {
        let (_, end) = whole_records::<T>(cursor, count_at, announced, usize::MAX);
        let ways = [end, count_at].into_iter().filter_map(|from| {
            let next = self.first(counts, from, min)?;
            let whole = whole_records::<T>(cursor, count_at, u32::MAX, next.0);
            Some(Continuation::new::<T>(
                cursor,
                (count_at, announced),
                whole,
                next,
            ))
        });
        ways.max_by_key(|next| next.whole + next.following)
    }

    /// The continuation after damaged zones, if the declared number of zones does not lead to the
    /// end. `None` if these zones are whole or if no whole record follows the damage.
    pub(super) fn next_zone(
        &self,
        cursor: &Cursor<'_>,
        count_at: usize,
        announced: u32,
    ) -> Option<Continuation> {
        let (read, end) = read_records::<Zone>(cursor, count_at, announced);
        let entities_at = end + COUNT_BYTES;
        let is_cut = |at| self.bytes.get(at..).is_some_and(Entity::is_cut);
        if read == announced
            && (is_cut(entities_at - self.start)
                || Entity::parse_plausible(cursor, entities_at).is_some())
        {
            return None;
        }
        let count = (count_at, announced);
        if let Some(mut next) = self.next::<Zone>(cursor, count, &self.zones, 0) {
            let end = self.end::<Zone>(next.at - self.start, next.following);
            let is_all = next.lost <= 1 && next.whole + next.lost + next.following == announced;
            next.set_cut(self.list != Some(end) && !is_all);
            let is_damaged = next.damaged_at < next.at;
            let is_list = next.following > 0
                || next.whole < announced
                || self.is_whole_list(next.at - self.start);
            // A truncated file ends in a zone without other damage, and its zone count is right.
            let is_other = next.whole + next.following != announced && !next.is_cut;
            if is_list {
                return (is_damaged || is_other).then_some(next);
            }
        }
        let mut next = self.next::<Zone>(cursor, count, &self.entities, 1)?;
        next.is_entity = true;
        next.lost = next.announced.saturating_sub(next.whole);
        next.lost = if next.is_count_likely { next.lost } else { 0 };
        let end = self.end::<Entity>(next.at - self.start, next.following);
        next.is_cut = end < self.bytes.len();
        (read < announced).then_some(next)
    }

    /// The continuation after damaged entities.
    pub(super) fn next_entity(
        &self,
        cursor: &Cursor<'_>,
        count_at: usize,
        announced: u32,
    ) -> Option<Continuation> {
        let mut next = self.next::<Entity>(cursor, (count_at, announced), &self.entities, 1)?;
        let end = self.end::<Entity>(next.at - self.start, next.following);
        next.set_cut(end < self.bytes.len());
        (next.damaged_at < next.at).then_some(next)
    }
}

/// Counts the records from each offset before `before`, adding the counts already known behind it.
fn extend<T: Record>(
    cursor: &Cursor<'_>,
    before: usize,
    counts: &mut [u32],
    read_budget: &mut usize,
) -> Option<()> {
    let start = cursor.pos();
    let bytes = cursor.clone().rest();
    for i in (0..before).rev() {
        let Some(length) = bytes.get(i..).and_then(T::length) else {
            continue;
        };
        let mut following = counts.get(i + length).copied().unwrap_or_default();
        if following == 0 && bytes.get(i + length..).is_some_and(T::is_end) {
            following = 1;
        }
        if following > 0 {
            *read_budget = read_budget.checked_sub(length)?;
            if T::parse_plausible(cursor, start + i).is_some() {
                counts[i] = following + 1;
            }
        }
    }
    Some(())
}

/// Parses up to `max` records after a count. Returns their number and where they end.
fn read_records<T: Record>(cursor: &Cursor<'_>, count_at: usize, max: u32) -> (u32, usize) {
    let problems = &mut Problems::for_trial();
    let mut cursor = cursor.clone();
    cursor.seek(count_at + COUNT_BYTES);
    let mut read = 0;
    while read < max && T::read(&mut cursor, problems).is_ok() {
        read += 1;
    }
    (read, cursor.pos())
}

/// Counts the whole records after a count, up to `max`. Returns their number and where they end.
/// They end at or before `end`; the last one must be plausible unless it ends exactly there.
fn whole_records<T: Record>(
    cursor: &Cursor<'_>,
    count_at: usize,
    max: u32,
    end: usize,
) -> (u32, usize) {
    let problems = &mut Problems::for_trial();
    let mut cursor = cursor.clone();
    cursor.seek(count_at + COUNT_BYTES);
    let mut whole = (0, cursor.pos());
    let mut read = 0;
    while read < max && cursor.left() > 0 {
        let has_name = cursor.clone().u32().is_ok_and(|length| length > 0);
        let Some(record) = T::read(&mut cursor, problems).ok() else {
            break;
        };
        if cursor.pos() > end {
            break;
        }
        read += 1;
        if has_name && record.is_plausible() || cursor.pos() == end {
            whole = (read, cursor.pos());
        }
    }
    whole
}

/// A continuation of a list after damage.
pub(super) struct Continuation {
    count_at: usize,
    announced: u32,
    /// `true` if the declared count fits into the file.
    is_count_likely: bool,
    /// Number of records before the damage.
    whole: u32,
    damaged_at: usize,
    /// Offset of the next record.
    at: usize,
    /// Number of records from there on.
    following: u32,
    /// `true` if these are entities although the damage begins in the list of zones.
    pub is_entity: bool,
    /// `true` if the file ends in the record after these.
    is_cut: bool,
    /// Number of damaged records.
    lost: u32,
}

impl Continuation {
    fn new<T: Record>(
        cursor: &Cursor<'_>,
        (count_at, announced): (usize, u32),
        (whole, damaged_at): (u32, usize),
        (at, following): (usize, u32),
    ) -> Self {
        let min = min_bytes(T::FIELDS);
        let (bytes, damaged) = (
            cursor.pos() + cursor.left() - count_at,
            at.saturating_sub(damaged_at),
        );
        let lost = announced.saturating_sub(whole + following);
        let is_count_likely = announced as usize <= bytes / min;
        let is_lost = is_count_likely && damaged > 0 && (lost == 1 || damaged >= min);
        Self {
            count_at,
            announced,
            is_count_likely,
            whole,
            damaged_at,
            at,
            following,
            is_entity: false,
            is_cut: false,
            lost: if is_lost { lost } else { 0 },
        }
    }

    /// Sets whether the file ends in the record after the following ones. If it does, their number
    /// is no evidence of lost records.
    fn set_cut(&mut self, is_cut: bool) {
        self.is_cut = is_cut;
        if is_cut {
            self.lost = self.lost.min(1);
        }
    }

    /// Number of records to read, including the truncated one: reading it reports the truncation.
    pub(super) fn to_read(&self) -> u32 {
        self.following + u32::from(self.is_cut)
    }

    /// Reads the records before the damage, reports the damage and seeks to the next record.
    /// Returns the number of damaged records.
    pub(super) fn skip_damage<T: Record>(
        &self,
        name: &'static str,
        cursor: &mut Cursor<'_>,
        list: &mut Vec<T>,
        problems: &mut Problems,
    ) -> u32 {
        cursor.seek(self.count_at + COUNT_BYTES);
        for i in 0..self.whole {
            cursor.enter(name, i as usize);
            list.extend(T::read(cursor, problems).ok());
        }
        let (next, records) = (self.at, counted(self.announced as usize, name));
        cursor.seek(next);
        if self.damaged_at >= next && !self.is_entity {
            let place = Place::Offset(self.count_at as u64);
            problems.add(&rules::RECORD_COUNT, place, || {
                let is = self.whole + self.following;
                Message::read_as_expected(format!("file: {records} declared, {is} found"))
            });
            return 0;
        }
        cursor.enter(name, self.whole as usize);
        cursor.warn(problems, &rules::RECORD, self.damaged_at, || {
            let last = self.whole + self.lost.saturating_sub(1);
            let what = match self.lost {
                _ if self.is_entity => "damaged up to the first intact entity".to_owned(),
                0 => "unexpected data before it".to_owned(),
                1 => "damaged".to_owned(),
                _ => format!("damaged up to number {last}"),
            };
            format!("{what}; reading continues at {next:#x}")
        });
        self.lost
    }
}
