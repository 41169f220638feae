//! A cursor over the bytes of a binary file or of a part of one. It knows the place and the record
//! of each fault that it reports.

use std::fmt;
use std::hash::Hash;

use super::{Message, Place, Problem, Problems, ReadError, Rule, Subject, counted};

/// The record that is being read, as messages name it: `material 3`, `string table`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub name: &'static str,
    pub index: Option<usize>,
    /// The field that is read next, in formats whose messages name fields.
    pub field: &'static str,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.index.map_or(Ok(()), |index| write!(f, " {index}"))
    }
}

/// The origin of a cursor's bytes, and how the messages of a format name it.
pub(super) trait Source {
    /// The rule for missing bytes.
    const TRUNCATED: &'static Rule;
    /// The record name before any record is entered.
    const WHOLE: &'static str;

    /// Returns the place of a byte.
    fn place(&self, pos: usize) -> Place;

    /// Returns the subject of a record, for problems.
    fn subject(&self, record: Record) -> Subject;

    /// Returns the beginning of a message: a record and the position of a byte in it.
    fn context(&self, record: Record, pos: usize) -> String;

    /// Returns the fault and the expectation where fewer bytes are left than wanted.
    fn missing_bytes(record: Record, left: usize, wanted: usize) -> [String; 2];
}

/// Bytes and a read position.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a, S> {
    bytes: &'a [u8],
    pos: usize,
    source: S,
    record: Record,
}

impl<'a, S: Source + Copy> Cursor<'a, S> {
    pub(super) fn new(bytes: &'a [u8], source: S) -> Self {
        let record = Record {
            name: S::WHOLE,
            index: None,
            field: "",
        };
        Self {
            bytes,
            pos: 0,
            source,
            record,
        }
    }

    /// Number of bytes already read.
    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Number of bytes left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    /// The origin of the bytes.
    pub(super) fn source(&self) -> S {
        self.source
    }

    /// Moves to a byte. Nothing can be read past the end.
    pub(super) fn seek(&mut self, pos: usize) {
        self.pos = pos.min(self.bytes.len());
    }

    /// Names the record that is read from here on, for messages.
    #[inline]
    pub(super) fn enter(&mut self, name: &'static str, index: impl Into<Option<usize>>) {
        self.record = Record {
            name,
            index: index.into(),
            field: "",
        };
    }

    /// Names the field that is read next, for messages.
    pub(super) fn field(&mut self, name: &'static str) -> &mut Self {
        self.record.field = name;
        self
    }

    /// Name of the field that is read next.
    pub(super) fn field_name(&self) -> &'static str {
        self.record.field
    }

    /// Returns an error with the fault at a byte and the expectation.
    #[cold]
    pub(super) fn fault(
        &self,
        rule: &'static Rule,
        pos: usize,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> ReadError {
        let context = self.source.context(self.record, pos);
        let message = format!("{context}: {found}; expected {expected}");
        let subject = self.source.subject(self.record);
        ReadError::Unreadable(Problem::new(rule, subject, self.source.place(pos), message))
    }

    /// Lists a tolerable fault at a byte.
    #[cold]
    pub(super) fn warn<M: Into<Message>>(
        &self,
        problems: &mut Problems,
        rule: &'static Rule,
        pos: usize,
        message: impl FnOnce() -> M,
    ) {
        let subject = self.source.subject(self.record);
        problems.add_about(rule, subject, self.source.place(pos), || {
            let context = self.source.context(self.record, pos);
            message().into().within(context)
        });
    }

    /// Same as [`Cursor::warn`] for one of several faults with the same cause. The cause is
    /// identified by `named`; later faults become consequences of the first.
    #[cold]
    pub(super) fn warn_grouped<M: Into<Message>>(
        &self,
        problems: &mut Problems,
        named: impl Hash,
        (rule, pos): (&'static Rule, usize),
        message: impl FnOnce() -> M,
    ) {
        let subject = self.source.subject(self.record);
        problems.add_grouped(named, rule, subject, self.source.place(pos), || {
            let context = self.source.context(self.record, pos);
            message().into().within(context)
        });
    }

    #[cold]
    fn missing_bytes(&self, wanted: usize) -> ReadError {
        let [found, expected] = S::missing_bytes(self.record, self.left(), wanted);
        self.fault(S::TRUNCATED, self.pos, found, expected)
    }

    /// Reads the next bytes.
    #[inline]
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match rest.get(..count) {
            Some(bytes) => {
                self.pos += count;
                Ok(bytes)
            }
            None => Err(self.missing_bytes(count)),
        }
    }

    /// Reads all remaining bytes.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos = self.bytes.len();
        rest
    }

    /// Reads the bytes before the next zero byte, and skips that byte. Returns `None` without a
    /// zero byte.
    pub(super) fn read_until_zero(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.pos..)?;
        let len = rest.iter().position(|byte| *byte == 0)?;
        self.pos += len + 1;
        rest.get(..len)
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        match rest.first_chunk() {
            Some(bytes) => {
                self.pos += N;
                Ok(*bytes)
            }
            None => Err(self.missing_bytes(N)),
        }
    }

    /// Reads the next numbers.
    #[inline]
    pub(super) fn floats<const N: usize>(&mut self) -> Result<[f32; N], ReadError> {
        let bytes = self.bytes(4 * N)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(std::array::from_fn(|i| {
            numbers.get(i).copied().map_or(0.0, f32::from_le_bytes)
        }))
    }

    /// Checks an element count that has just been read: the remaining bytes must have room for that
    /// many elements of at least `min_bytes` each. Nothing is allocated for a count before this
    /// check.
    #[inline]
    pub(super) fn count(
        &self,
        count: impl Into<u64>,
        min_bytes: usize,
        what: &str,
    ) -> Result<usize, ReadError> {
        let count = count.into();
        let is_possible = count
            .checked_mul(min_bytes as u64)
            .is_some_and(|bytes| bytes <= self.left() as u64);
        if is_possible {
            Ok(count as usize)
        } else {
            Err(self.impossible_count(count, min_bytes, what))
        }
    }

    #[cold]
    fn impossible_count(&self, count: u64, min_bytes: usize, what: &str) -> ReadError {
        self.fault(
            S::TRUNCATED,
            self.pos,
            format_args!(
                "{}, but {} left",
                counted(usize::try_from(count).unwrap_or(usize::MAX), what),
                counted(self.left(), "byte")
            ),
            format_args!("at least {min_bytes} for each"),
        )
    }
}

/// Methods that read the next little-endian number.
macro_rules! numbers {
    ($($number:ident)+) => {
        impl<S: Source + Copy> Cursor<'_, S> {
            $(
                #[inline]
                pub(super) fn $number(&mut self) -> Result<$number, ReadError> {
                    Ok($number::from_le_bytes(self.array()?))
                }
            )+
        }
    };
}
numbers!(u8 u16 u32 u64 i32 f32);
