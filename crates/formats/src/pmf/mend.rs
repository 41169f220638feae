//! Counts that are wrong: one of them leads all that follows astray, so that what is read behind it is
//! wrong everywhere but there. The number is looked for with which all of a section can be read.

use std::cell::RefCell;

use super::bytes::Cursor;
use super::rules;
use crate::{Problem, Problems, ReadError};

/// How many bytes are read in vain for counts of a file, at most: this, and so many times its length.
const TRIED_BYTES: usize = 16 << 20;
const TRIED_PER_FILE_BYTE: usize = 4;

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
}

impl Count {
    /// What it is in a section.
    fn of(&self, section: &[u8]) -> u64 {
        let bytes = section.get(self.at..self.at + self.bytes);
        let bytes = bytes.unwrap_or_default().iter().rev();
        bytes.fold(0, |count, byte| count << 8 | u64::from(*byte))
    }

    /// Makes it another number.
    fn set(&self, section: &mut [u8], count: u64) {
        let bytes = section.get_mut(self.at..self.at + self.bytes);
        for (byte, new) in bytes
            .unwrap_or_default()
            .iter_mut()
            .zip(count.to_le_bytes())
        {
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
        let most = u64::MAX >> (64 - 8 * self.bytes);
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

/// The counts of a section, as they are read.
#[derive(Debug, Default)]
pub(super) struct Counts(RefCell<Vec<Count>>);

impl Counts {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.borrow().len()
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
        if let Some(Counts(counts)) = self.source().counts {
            counts.borrow_mut().push(Count {
                at,
                bytes,
                each,
                name,
            });
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
    /// Whether it is the number of entities, of which there are fewer.
    pub(super) fn is_of_fewer_entities(&self) -> bool {
        self.count.name == ENTITIES && self.expected < self.found
    }

    /// What is wrong with the count. `cursor` is one of the section.
    pub(super) fn error(&self, mut cursor: Cursor<'_>) -> ReadError {
        let Self {
            count,
            found,
            expected,
            ..
        } = self;
        let [record, field] = count.name;
        cursor.enter(record, None);
        cursor.field(field);
        let expected = format!("{expected}, with which all that follows can be read");
        cursor.fault(&rules::COUNT, count.at, found, expected)
    }
}

/// Looks for the one count that is wrong in a section, and for what it should be. `works` says whether
/// bytes can be read as the section, for which it reads at most `cost` bytes.
pub(super) fn mend(
    section: &[u8],
    counts: &Counts,
    cost: usize,
    Patience(left): &mut Patience,
    works: impl Fn(&[u8]) -> bool,
) -> Option<Mended> {
    let counts = counts.0.take();
    // With the most that each can be.
    let counts: Vec<(Count, u64)> = counts
        .into_iter()
        .map(|count| (count, count.most(section)))
        .collect();
    let mut bytes = section.to_vec();
    let mut is_it = |(count, most): &(Count, u64), number: u64| {
        let can_be =
            number <= *most && number != count.of(section) && count.can_be(section, number);
        let Some(less) = left.checked_sub(if can_be { cost } else { 1 }) else {
            *left = 0;
            return None;
        };
        *left = less;
        if !can_be {
            return Some(false);
        }
        count.set(&mut bytes, number);
        let works = works(&bytes);
        if !works {
            count.set(&mut bytes, count.of(section));
        }
        Some(works)
    };
    // The counts before the one that is wrong are right, and those behind it are no counts: it is rather
    // one of the last. Nearly what is there comes first.
    let near = counts.iter().rev().flat_map(|count| {
        let found = count.0.of(section);
        let near = [
            found.wrapping_add(1),
            found.wrapping_sub(1),
            found / 2,
            found.wrapping_mul(2),
        ];
        near.map(|number| (count, number))
    });
    let most = counts.iter().map(|(_, most)| *most).max();
    let any = (0..=most.unwrap_or(0))
        .flat_map(|number| counts.iter().rev().map(move |count| (count, number)));
    for (count, expected) in near.chain(any) {
        if is_it(count, expected)? {
            let (count, _) = *count;
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
    is_astray(problem) || [&rules::STRING, &rules::CUBE_TYPE].contains(&problem.rule)
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

/// Lets what is wrong with a section that is read astray follow from the first sign of that.
pub(super) fn fold_astray(problems: &mut Problems) {
    let first = problems.find_since(0, may_be_astray);
    if let Some(first) = first.filter(|_| problems.find_since(0, is_astray).is_some()) {
        problems.fold_behind(first);
    }
}
