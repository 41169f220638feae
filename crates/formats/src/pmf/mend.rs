//! Counts that are wrong: one of them leads all that follows astray, so that what is read behind it is
//! wrong everywhere but there. The number is looked for with which all of a section can be read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::bytes::Cursor;
use super::rules;
use crate::{Cause, Place, Problem, Problems, ReadError};

/// How many bytes are read in vain for counts of a file, at most: this, and so many times its length.
const TRIED_BYTES: usize = 16 << 20;
const TRIED_PER_FILE_BYTE: usize = 4;
/// Of how many counts of a name, the last ones, all numbers are tried, and not only what is near.
const LAST_OF_NAME: usize = 4;

/// The name of the size of a string table.
pub(super) const STRING_TABLE: [&str; 2] = ["string table", "size"];

/// The name of the number of entities.
pub(super) const ENTITIES: [&str; 2] = ["entity", "count"];

/// A number in a section that says how much follows it.
#[derive(Debug, Clone, Copy)]
struct Count {
    /// Offset in the section.
    at: usize,
    /// How many bytes it has.
    bytes: usize,
    /// The fewest bytes that one of what it counts takes.
    each: usize,
    /// What it is of, and how messages call it there.
    name: [&'static str; 2],
    /// Whether it is the number of bits that are set.
    is_mask: bool,
    /// The number that would take all that follows in the section.
    fill: Option<u64>,
}

impl Count {
    /// What it is in a section.
    fn of(&self, section: &[u8]) -> u64 {
        let bytes = section.get(self.at..self.at + self.bytes);
        let bytes = bytes.unwrap_or_default().iter().rev();
        let number = bytes.fold(0, |count, byte| count << 8 | u64::from(*byte));
        if self.is_mask {
            number.count_ones().into()
        } else {
            number
        }
    }

    /// Makes it another number. Of a mask the lowest bits that are not set are set for that, or the highest
    /// cleared that are.
    fn set(&self, section: &mut [u8], count: u64) {
        let Some(bytes) = section.get_mut(self.at..self.at + self.bytes) else {
            return;
        };
        if let ([mask], true) = (&mut *bytes, self.is_mask) {
            while u64::from(mask.count_ones()) < count.min(8) {
                *mask |= mask.wrapping_add(1);
            }
            while u64::from(mask.count_ones()) > count {
                *mask ^= 1 << mask.ilog2();
            }
            return;
        }
        for (byte, new) in bytes.iter_mut().zip(count.to_le_bytes()) {
            *byte = new;
        }
    }

    /// What follows it in a section.
    fn behind<'a>(&self, section: &'a [u8]) -> &'a [u8] {
        section.get(self.at + self.bytes..).unwrap_or_default()
    }

    /// The most that it can be.
    fn most(&self, section: &[u8]) -> u64 {
        let behind = self.behind(section);
        let left = match self.name {
            STRING_TABLE => text_len(behind),
            _ => behind.len(),
        };
        let most = if self.is_mask {
            8
        } else {
            u64::MAX >> (64 - 8 * self.bytes)
        };
        most.min((left / self.each.max(1)) as u64)
    }

    /// Whether so much of what follows it can be what it counts, if there is so much.
    fn can_be(&self, section: &[u8], number: u64) -> bool {
        let last = (number as usize).checked_sub(1);
        let last = last.and_then(|last| self.behind(section).get(last));
        self.name != STRING_TABLE || last.is_none_or(|last| *last == 0)
    }
}

/// How many of the first bytes can be strings.
fn text_len(bytes: &[u8]) -> usize {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => bytes
            .get(..error.valid_up_to())
            .and_then(|text| std::str::from_utf8(text).ok())
            .unwrap_or_default(),
    };
    let is_odd = |c: char| c.is_control() && c != '\0' && !c.is_whitespace();
    text.find(is_odd).unwrap_or(text.len())
}

/// The counts of a section, as they are read, and how much of it is read.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// None where it only matters how much is read.
    list: Option<RefCell<Vec<Count>>>,
    /// Offset in the section of the end of what was read.
    reached: Cell<usize>,
}

impl Counts {
    /// An empty list.
    pub(super) fn new() -> Self {
        Self {
            list: Some(RefCell::default()),
            ..Self::default()
        }
    }

    /// How many bytes of the section were read, at most.
    pub(super) fn reached(&self) -> usize {
        self.reached.get()
    }
}

impl Cursor<'_> {
    /// Notes that what was read last is a count of what takes at least so many bytes each. Its name is
    /// that of a record and of the field.
    #[inline]
    pub(super) fn note_count(&self, bytes: usize, each: usize, name: [&'static str; 2]) {
        self.note_count_at(self.pos() - bytes, bytes, each, name);
    }

    /// The same of what stands at an offset.
    #[inline]
    pub(super) fn note_count_at(
        &self,
        at: usize,
        bytes: usize,
        each: usize,
        name: [&'static str; 2],
    ) {
        self.note(Count {
            at,
            bytes,
            each,
            name,
            is_mask: false,
            fill: None,
        });
    }

    /// Notes that the byte that was read last has as many bits set as records of so many bytes follow.
    #[inline]
    pub(super) fn note_mask(&self, each: usize, name: [&'static str; 2]) {
        self.note(Count {
            at: self.pos() - 1,
            bytes: 1,
            each,
            name,
            is_mask: true,
            fill: None,
        });
    }

    #[inline]
    fn note(&self, count: Count) {
        if let Some(counts) = self.source().counts {
            self.note_reached(self.pos());
            if let Some(list) = &counts.list {
                list.borrow_mut().push(count);
            }
        }
    }

    /// Notes that all that follows in the section would be of the count that was noted last, if it were
    /// what `find` says. It is asked only where counts are looked for.
    pub(super) fn note_fill(&self, find: impl FnOnce() -> Option<u64>) {
        if let Some(Counts {
            list: Some(list), ..
        }) = self.source().counts
            && let Some(count) = list.borrow_mut().last_mut()
        {
            count.fill = find();
        }
    }

    /// Notes that the section is read up to an offset.
    #[inline]
    pub(super) fn note_reached(&self, pos: usize) {
        if let Some(Counts { reached, .. }) = self.source().counts {
            reached.set(reached.get().max(pos));
        }
    }
}

/// How many bytes may still be read to find counts and sizes.
#[derive(Debug)]
pub(super) struct Patience(pub usize);

impl Patience {
    /// For a file of so many bytes.
    pub(super) fn new(file_bytes: usize) -> Self {
        let more = file_bytes.saturating_mul(TRIED_PER_FILE_BYTE);
        Self(TRIED_BYTES.saturating_add(more))
    }
}

/// A section with the count that it should have.
pub(super) struct Mended {
    count: Count,
    found: u64,
    expected: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Mended {
    /// Whether the count has a name.
    pub(super) fn is_of(&self, name: [&str; 2]) -> bool {
        self.count.name == name
    }

    /// Whether it is the number of entities, of which there are fewer.
    pub(super) fn is_of_fewer_entities(&self) -> bool {
        self.is_of(ENTITIES) && self.expected < self.found
    }

    /// What is wrong with the count. `cursor` is one of the section.
    pub(super) fn error(&self, cursor: Cursor<'_>) -> ReadError {
        let Count { at, name, .. } = self.count;
        wrong_count(cursor, (at, name), self.found, self.expected)
    }
}

/// That the count at an offset in the section of a cursor is wrong.
pub(super) fn wrong_count(
    mut cursor: Cursor<'_>,
    (at, [record, field]): (usize, [&'static str; 2]),
    found: u64,
    expected: u64,
) -> ReadError {
    cursor.enter(record, None);
    cursor.field(field);
    let expected = format!("{expected}, with which all that follows can be read");
    cursor.fault(&rules::COUNT, at, found, expected)
}

/// Looks for the one count that is wrong in a section, and for what it should be. `works` says whether
/// bytes can be read as the section, and how many it has read to find that out.
pub(super) fn mend(
    section: &[u8],
    counts: &Counts,
    Patience(left): &mut Patience,
    works: impl Fn(&[u8]) -> (bool, usize),
) -> Option<Mended> {
    // The counts before the one that is wrong are right, and those behind it are no counts: it is rather
    // one of the last. Of those of a name most are right, so that the last of each come first.
    let mut of_name: HashMap<[&str; 2], usize> = HashMap::new();
    let counts = counts.list.as_ref().map(RefCell::take).unwrap_or_default();
    let counts = counts.into_iter().rev();
    let mut counts: Vec<(usize, Count, u64)> = counts
        .map(|count| {
            let rank = of_name.entry(count.name).or_default();
            *rank += 1;
            (*rank, count, count.most(section))
        })
        .collect();
    counts.sort_by_key(|(rank, ..)| *rank);
    let mut bytes = section.to_vec();
    let mut is_it = |count: &Count, most: u64, number: u64| {
        if *left == 0 {
            return None;
        }
        let can_be = number <= most && number != count.of(section) && count.can_be(section, number);
        let (works, read) = if can_be {
            count.set(&mut bytes, number);
            works(&bytes)
        } else {
            (false, 0)
        };
        *left = left.saturating_sub(read.max(1));
        if can_be && !works {
            let place = count.at..count.at + count.bytes;
            if let (Some(to), Some(from)) = (bytes.get_mut(place.clone()), section.get(place)) {
                to.copy_from_slice(from);
            }
        }
        Some(works)
    };
    let last = counts.partition_point(|(rank, ..)| *rank <= LAST_OF_NAME);
    let (last, others) = counts.split_at_checked(last)?;
    // Nearly what is there comes first.
    let near = |(_, count, most): &(usize, Count, u64)| {
        let found = count.of(section);
        let near = [
            count.fill.unwrap_or(found),
            found.wrapping_sub(1),
            found.wrapping_add(1),
            found / 2,
            found.wrapping_mul(2),
        ];
        let (count, most) = (*count, *most);
        // A mask has few bits.
        let masks = 0..if count.is_mask { most + 1 } else { 0 };
        let near = near.into_iter().chain(masks);
        near.map(move |number| (count, most, number))
    };
    let most = last.iter().map(|(_, _, most)| *most).max();
    let any = (0..=most.unwrap_or(0)).flat_map(|number| {
        let last = last.iter();
        last.map(move |(_, count, most)| (*count, *most, number))
    });
    let tries = last.iter().flat_map(near).chain(any);
    for (count, most, expected) in tries.chain(others.iter().flat_map(near)) {
        if is_it(&count, most, expected)? {
            let found = count.of(section);
            return Some(Mended {
                count,
                found,
                expected,
                bytes,
            });
        }
    }
    None
}

/// Whether a problem may show that a section is read astray.
pub(super) fn may_be_astray(problem: &Problem) -> bool {
    let rules = [
        &rules::STRING,
        &rules::CUBE_TYPE,
        &rules::ENTITY_TYPE,
        &rules::LIGHT_LIGHTMAP,
        &rules::LIGHT_VERTICES,
        &rules::REGION_CORNERS,
    ];
    is_astray(problem) || rules.contains(&problem.rule)
}

/// Whether a problem shows that a section is read astray.
pub(super) fn is_astray(problem: &Problem) -> bool {
    let rules = [
        &rules::TRUNCATED,
        &rules::TRAILING_DATA,
        &rules::CUBE_COUNT,
        &rules::ENTITIES,
        &rules::MAP_ENTITIES,
        &rules::LIGHTMAP_SIZE,
    ];
    rules.contains(&problem.rule)
}

/// Whether a problem is of values that a section has where it is read astray.
fn is_odd(problem: &Problem) -> bool {
    let rules = [
        &rules::RESERVED_BITS,
        &rules::INDEX,
        &rules::CHUNK_INDEX,
        &rules::NOT_FINITE,
        &rules::NOT_FINITE_GEOMETRY,
        &rules::ENTITY_VALUE,
        &rules::ENTITY_PROPERTY,
    ];
    rules.contains(&problem.rule)
}

/// The first problem that may show that a section is read astray, which has its problems where `is_here`
/// says.
pub(super) fn first_sign(problems: &Problems, is_here: impl Fn(Place) -> bool) -> Option<Cause> {
    let is_sign = |problem: &Problem| may_be_astray(problem) || is_odd(problem);
    problems.find_since(0, |problem| is_here(problem.place) && is_sign(problem))
}

/// Whether what was tried can be right: it has no more problems than it may have, and none that may show
/// that the section is read astray.
pub(super) fn is_right(tried: &Problems, is_here: impl Fn(Place) -> bool) -> bool {
    !tried.has_failed() && first_sign(tried, is_here).is_none()
}

/// Lets what is wrong with a section that is read astray follow from the first sign of that.
pub(super) fn fold_astray(problems: &mut Problems, is_here: impl Fn(Place) -> bool) {
    if problems.find_since(0, is_astray).is_some()
        && let Some(first) = first_sign(problems, is_here)
    {
        problems.fold_behind(first);
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{Part, Section};
    use super::*;

    #[test]
    fn no_more_is_tried_than_there_is_patience_for() {
        let section: Vec<u8> = (0..=255).cycle().take(4096).collect();
        let counts = || {
            let counts = Counts::new();
            let mut cursor = Cursor::new(
                &section,
                Section {
                    part: Part::File,
                    start: 0,
                    is_packed: true,
                    counts: Some(&counts),
                },
            );
            for _ in 0..100 {
                cursor.u16().unwrap();
                cursor.note_count(2, 1, ["record", "count"]);
            }
            counts
        };
        for (patience, most) in [(0, 0), (1000, 10), (100_000, 1000)] {
            let tries = Cell::new(0);
            let never = |_: &[u8]| {
                tries.set(tries.get() + 1);
                (false, 100)
            };
            let mut left = Patience(patience);
            assert!(mend(&section, &counts(), &mut left, never).is_none());
            assert!(tries.get() <= most, "{} of {most}", tries.get());
            assert!(2 * tries.get() >= most, "{} of {most}", tries.get());
            assert_eq!(left.0, 0);
        }
        // What is read in vain counts, and not how long the section is.
        let mut left = Patience(1 << 20);
        let right = [&section[..6], &[7, 7], &section[8..]].concat();
        let works = |bytes: &[u8]| (bytes == right, 8);
        let found = mend(&section, &counts(), &mut left, works).unwrap();
        assert_eq!((found.count.at, found.expected), (6, 0x707));
        assert!(left.0 > 0);
    }

    #[test]
    fn masks_get_the_bits_that_they_lack() {
        let mask = Count {
            at: 0,
            bytes: 1,
            each: 4,
            name: ["parent", "number of children"],
            is_mask: true,
            fill: None,
        };
        for found in 0..=255_u8 {
            for count in 0..=8_u32 {
                let mut section = [found, 0];
                mask.set(&mut section, count.into());
                let bits = section[0];
                assert_eq!(bits.count_ones(), count);
                // None is moved.
                assert!(bits & found == bits || bits | found == bits);
                assert_eq!(mask.of(&section), count.into());
            }
        }
    }
}
