//! A codec per record type: its fields are read and written in declaration order.

use std::collections::HashMap;

use super::bytes::{ChunkIndex, Cursor, LONGEST_NAME_BYTES, StringRef, StringTable};
use super::cube::Corners;
use super::rules;
pub(super) use crate::out::Out;
use crate::{Message, Plural, Problems, ReadError, Rule, quoted};

/// A type that is stored in sections: numbers, strings, and records made of them.
pub(super) trait Stored: Sized {
    /// Minimum encoded size, in bytes.
    const MIN_BYTES: usize;
    /// Size in bytes of the count before a list of them.
    const COUNT_BYTES: usize = 1;
    /// Noun in messages for an element of a list without a name of its own.
    const NOUN: &str = "element";

    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError>;

    fn write(&self, out: &mut Out);
}

/// Declares records whose fields are stored consecutively.
macro_rules! records {
    ($(
        $(#[$meta:meta])*
        pub struct $record:ident $($noun:literal)? $(counted by $count:ident)? {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)+
        }
    )+) => {$(
        $(#[$meta])*
        pub struct $record {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        impl $crate::pmf::codec::Stored for $record {
            const MIN_BYTES: usize =
                0 $(+ <$type as $crate::pmf::codec::Stored>::MIN_BYTES)+;
            $(const COUNT_BYTES: usize = size_of::<$count>();)?
            $(const NOUN: &str = $noun;)?

            #[inline]
            fn read(
                r: &mut $crate::pmf::codec::Reader<'_, '_, '_>,
            ) -> Result<Self, $crate::ReadError> {
                Ok(Self { $($field: r.read()?,)+ })
            }

            #[inline]
            fn write(&self, out: &mut $crate::pmf::codec::Out) {
                $(self.$field.write(out);)+
            }
        }
    )+};
}
pub(super) use records;

macro_rules! integers {
    ($($integer:ident)+) => {$(
        impl Stored for $integer {
            const MIN_BYTES: usize = size_of::<Self>();
            const COUNT_BYTES: usize = 4;
            const NOUN: &str = "visible cube";

            #[inline]
            fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
                r.cursor.$integer()
            }

            #[inline]
            fn write(&self, out: &mut Out) {
                out.bytes.extend(self.to_le_bytes());
            }
        }
    )+};
}
integers!(u8 u32);

impl Stored for f32 {
    const MIN_BYTES: usize = 4;

    /// Reads a number and warns if it is not finite. Geometry is not read here, because a bad box
    /// is omitted as a whole.
    #[inline]
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let number = r.cursor.f32()?;
        if !number.is_finite() {
            r.warn(&rules::NOT_FINITE, r.cursor.pos() - 4, || {
                format!("found {number}; expected a finite number")
            });
        }
        Ok(number)
    }

    #[inline]
    fn write(&self, out: &mut Out) {
        out.bytes.extend(self.to_le_bytes());
    }
}

impl Stored for StringRef {
    const MIN_BYTES: usize = 4;
    const NOUN: &str = "string";

    /// Reads a string. A string outside the table is empty and reported.
    #[inline]
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let offset = r.cursor.u32()?;
        if !r.strings.has(offset) {
            let error = r.cursor.string_error(offset, r.strings);
            if let ReadError::Unreadable(problem) = error {
                // Report a missing string once, however many records name it, and a truncated table
                // once for all of its strings.
                let is_inside = (offset as usize) < r.strings.bytes().len();
                let named = (r.cursor.source().start, (!is_inside).then_some(offset));
                let (rule, subject, place) = (problem.rule, problem.subject, problem.place);
                r.problems.add_grouped(named, rule, subject, place, || {
                    Message::left_out(problem.message, "the string")
                });
            }
        }
        Ok(Self(offset))
    }

    fn write(&self, out: &mut Out) {
        self.0.write(out);
    }
}

impl Stored for ChunkIndex {
    const MIN_BYTES: usize = 4;
    const COUNT_BYTES: usize = 4;
    const NOUN: &str = "chunk";

    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        r.read().map(Self)
    }

    fn write(&self, out: &mut Out) {
        self.0.write(out);
    }
}

impl<T: Stored + Copy + Default, const N: usize> Stored for [T; N] {
    const MIN_BYTES: usize = N * T::MIN_BYTES;
    const COUNT_BYTES: usize = 4;

    #[inline]
    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let mut array = [T::default(); N];
        for element in &mut array {
            *element = r.read()?;
        }
        Ok(array)
    }

    #[inline]
    fn write(&self, out: &mut Out) {
        for element in self {
            element.write(out);
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    const MIN_BYTES: usize = T::COUNT_BYTES;

    fn read(r: &mut Reader<'_, '_, '_>) -> Result<Self, ReadError> {
        let count = r.count::<T>()?;
        let count = r.cursor.count(count, T::MIN_BYTES, T::NOUN)?;
        (0..count).map(|_| r.read()).collect()
    }

    fn write(&self, out: &mut Out) {
        out.list(T::NOUN, self);
    }
}

/// State for reading a section: its bytes, its string table and its problems.
pub(super) struct Reader<'a, 's, 'p> {
    pub cursor: Cursor<'a>,
    pub strings: &'s StringTable,
    pub problems: &'p mut Problems,
}

/// Index of the first record of each name in a list.
pub(super) type Names<'s> = HashMap<&'s [u8], usize>;

/// A record that is looked up by its name, its first field.
pub(super) trait Named: Stored {
    fn name(&self) -> StringRef;
}

/// Indexes the records of a list by name; the first one of each name wins (fact sheet B19, B33).
pub(super) fn by_name<'s>(strings: &'s StringTable, list: &[impl Named]) -> Names<'s> {
    let mut indices = HashMap::new();
    for (i, record) in list.iter().enumerate() {
        if let Some(name) = strings.name(record.name()) {
            indices.entry(name).or_insert(i);
        }
    }
    indices
}

/// The check for records without constraints.
pub(super) fn unchecked<T>(_: &mut Reader<'_, '_, '_>, _: usize, _: &T) {}

impl<'s> Reader<'_, 's, '_> {
    #[inline]
    pub(super) fn read<T: Stored>(&mut self) -> Result<T, ReadError> {
        T::read(self)
    }

    /// Reads the corners of a box, which may not be finite.
    pub(super) fn corners(&mut self) -> Result<Corners, ReadError> {
        let mut corners = Corners::default();
        for corner in &mut corners {
            *corner = self.cursor.floats()?;
        }
        Ok(corners)
    }

    /// Warns of geometry that is not finite. Returns `true` if the geometry is kept.
    pub(super) fn check_geometry(&mut self, at: usize, corners: &[[f32; 3]], what: &str) -> bool {
        let is_finite = corners
            .as_flattened()
            .iter()
            .all(|number| number.is_finite());
        if !is_finite {
            self.warn(&rules::NOT_FINITE_GEOMETRY, at, || {
                format!("a corner is not finite; the {what} is left out")
            });
        }
        is_finite
    }

    /// Reports a problem at a byte of the section.
    #[cold]
    pub(super) fn warn<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: usize,
        message: impl FnOnce() -> M,
    ) {
        self.cursor.warn(self.problems, rule, at, message);
    }

    /// Warns of set bits that have no meaning.
    #[inline]
    pub(super) fn check_bits(&mut self, at: usize, bits: u8, known: u8) {
        self.cursor.check_bits(self.problems, at, bits, known);
    }

    /// Warns of a name that matches no record, if all record names are known.
    pub(super) fn check_name(
        &mut self,
        at: usize,
        name: StringRef,
        what: &str,
        known: Option<&Names<'_>>,
    ) {
        let Some(known) = known else { return };
        let strings = self.strings;
        // A missing string has been reported already.
        if strings.has(name.0)
            && !strings
                .name(name)
                .is_some_and(|name| known.contains_key(name))
        {
            let raw = strings.raw(name).unwrap_or_default();
            // Report a missing name once, however many records refer to it.
            let named = (self.cursor.source().part.level(), what, raw);
            let rule = (&rules::UNKNOWN_NAME, at);
            self.cursor.warn_grouped(self.problems, named, rule, || {
                format!("{what} {} not found in the level", quoted(raw))
            });
        }
    }

    /// [`Self::check_name`] for an optional name: an empty one is valid.
    pub(super) fn check_name_if_any(
        &mut self,
        at: usize,
        name: StringRef,
        what: &str,
        known: Option<&Names<'_>>,
    ) {
        if self.strings.name(name) != Some(&[]) {
            self.check_name(at, name, what, known);
        }
    }

    /// Reads a field that is an optional name of a record.
    pub(super) fn default_name(
        &mut self,
        field: &'static str,
        what: &str,
        known: &Names<'_>,
    ) -> Result<StringRef, ReadError> {
        self.cursor.enter(field, None);
        let name = self.read()?;
        self.check_name_if_any(self.cursor.pos() - 4, name, what, Some(known));
        Ok(name)
    }

    /// Reads the count before a list.
    fn count<T: Stored>(&mut self) -> Result<u64, ReadError> {
        let bytes = self.cursor.bytes(T::COUNT_BYTES)?.iter().rev();
        Ok(bytes.fold(0, |count, byte| count << 8 | u64::from(*byte)))
    }

    /// Reads a counted list of records. `check` gets each record with its offset in the section.
    pub(super) fn list<T: Stored>(
        &mut self,
        name: &'static str,
        mut check: impl FnMut(&mut Self, usize, &T),
    ) -> Result<Vec<T>, ReadError> {
        self.list_if(name, |r, at, record| {
            check(r, at, record);
            true
        })
    }

    /// Reads a counted list of records and drops those that `keep` rejects.
    pub(super) fn list_if<T: Stored>(
        &mut self,
        name: &'static str,
        keep: impl FnMut(&mut Self, usize, &T) -> bool,
    ) -> Result<Vec<T>, ReadError> {
        self.cursor.enter(name, None);
        self.cursor.field("list");
        let count = self.count::<T>()?;
        self.records(name, count, keep)
    }

    /// Reads `count` records.
    pub(super) fn records<T: Stored>(
        &mut self,
        name: &'static str,
        count: u64,
        mut keep: impl FnMut(&mut Self, usize, &T) -> bool,
    ) -> Result<Vec<T>, ReadError> {
        self.cursor.enter(name, None);
        self.cursor.field("list");
        let count = self.cursor.count(count, T::MIN_BYTES, name)?;
        let mut records = Vec::with_capacity(count);
        for i in 0..count {
            self.cursor.enter(name, i);
            let at = self.cursor.pos();
            let record = self.read()?;
            if keep(self, at, &record) {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Reads a list of fixed-size records that are looked up by name, and warns of unreachable
    /// ones.
    pub(super) fn named<T: Named>(
        &mut self,
        name: &'static str,
        check: impl FnMut(&mut Self, usize, &T),
    ) -> Result<(Vec<T>, Names<'s>), ReadError> {
        let records = self.list(name, check)?;
        let start = self.cursor.pos() - T::MIN_BYTES * records.len();
        let names = by_name(self.strings, &records);
        for (i, record) in records.iter().enumerate() {
            self.cursor.enter(name, i);
            let at = start + T::MIN_BYTES * i;
            match self.strings.name(record.name()) {
                None if !self.strings.has(record.name().0) => {}
                None => self.warn(&rules::UNKNOWN_NAME, at, || {
                    format!("name of more than {LONGEST_NAME_BYTES} bytes, which cannot be found")
                }),
                Some(name) if names.get(name) != Some(&i) => {
                    self.warn(&rules::DUPLICATE_NAME, at, || {
                        format!("duplicate name {}; the first is used", quoted(name))
                    });
                }
                Some(_) => {}
            }
        }
        Ok((records, names))
    }

    /// Warns of bytes after the last value read.
    pub(super) fn finish(&mut self) {
        self.cursor.check_end(self.problems);
    }
}

impl Out {
    /// Writes exactly `count` records.
    pub(super) fn records<T: Stored>(&mut self, noun: &str, list: &[T], count: usize) {
        self.check_len(&Plural(noun).to_string(), list.len(), count);
        for record in list {
            record.write(self);
        }
    }

    /// Writes records after their count.
    pub(super) fn list<T: Stored>(&mut self, noun: &str, list: &[T]) {
        self.count(noun, list.len(), T::COUNT_BYTES);
        for record in list {
            record.write(self);
        }
    }

    /// Writes bytes after their count.
    pub(super) fn sized(&mut self, noun: &str, bytes: &[u8]) {
        self.count(noun, bytes.len(), 4);
        self.bytes.extend(bytes);
    }

    /// Writes a zero-terminated text.
    pub(super) fn text(&mut self, record: &str, text: &str) {
        if text.contains('\0') {
            self.fail(record, "a text contains a NUL byte");
        }
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }
}
