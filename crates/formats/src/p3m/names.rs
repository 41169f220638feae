//! The names of a model: offsets in its strings, at the end of the file.

use std::borrow::Cow;
use std::hash::Hash;

use super::bytes::{File, record};
use super::{Name, P3m, TextureContent, field, rules};
use crate::budget::Budget;
use crate::bytes::{Record, Source as _};
use crate::{Message, Place, Problems, Rule, counted, quoted};

/// Maximum number of bytes of strings that the engine reads; offsets reach no further.
pub(super) const MAX_STRING_BYTES: usize = u16::MAX as usize;
/// Budget of the texts of the smallest file, in bytes. Names can overlap in the strings.
const TEXT_BYTES: u64 = 1 << 20;

/// The strings of a file, and the budget of the texts that are taken from them.
pub(super) struct Strings<'s, 'p> {
    bytes: &'s [u8],
    /// Offsets of the zero bytes.
    ends: Vec<usize>,
    budget: Budget,
    file_bytes: usize,
    problems: &'p mut Problems,
}

/// A name: its file offset, and the record and field that contain it.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub at: u64,
    pub record: Record,
}

impl<'s, 'p> Strings<'s, 'p> {
    pub(super) fn new(bytes: &'s [u8], file_bytes: usize, problems: &'p mut Problems) -> Self {
        // Longer strings are refused by the engine and cannot be referred to.
        let bytes = bytes.get(..=MAX_STRING_BYTES).unwrap_or(bytes);
        let is_end = |(_, byte): &(usize, &u8)| **byte == 0;
        Self {
            bytes,
            ends: bytes
                .iter()
                .enumerate()
                .filter(is_end)
                .map(|(i, _)| i)
                .collect(),
            budget: Budget::new(TEXT_BYTES, file_bytes),
            file_bytes,
            problems,
        }
    }

    /// Adds a problem of a name. Problems with the same cause are grouped.
    #[cold]
    pub(super) fn add(
        &mut self,
        cause: impl Hash,
        rule: &'static Rule,
        owner: Owner,
        message: impl FnOnce() -> Message,
    ) {
        let Owner { at, record } = owner;
        let (subject, place) = (File.subject(record), Place::Offset(at));
        self.problems.add_grouped(cause, rule, subject, place, || {
            message().within(format_args!("{record}: {}", record.field))
        });
    }

    /// Bytes that begin at an offset and have the given length.
    pub(super) fn get(&self, offset: u16, count: usize) -> Option<&'s [u8]> {
        self.bytes.get(offset.into()..)?.get(..count)
    }

    /// The bytes of the string at an offset. If it does not exist, that is a problem.
    pub(super) fn find(&mut self, offset: u16, owner: Owner) -> Option<&'s [u8]> {
        let start = usize::from(offset);
        let end = self.ends.partition_point(|end| *end < start);
        let end = self.ends.get(end).copied();
        let rest = self.bytes.get(start..).unwrap_or_default();
        if let Some(end) = end {
            return rest.get(..end - start);
        }
        // The engine takes the end of strings without a terminator for an empty string.
        if start > self.bytes.len() || self.bytes.ends_with(&[0]) {
            let strings = counted(self.bytes.len(), "byte");
            self.add(offset, &rules::STRING, owner, || {
                let found = format!("offset {offset}; expected an offset in {strings} of strings");
                Message::left_out(found, "the name")
            });
            return None;
        }
        let end = Owner {
            at: self.file_bytes as u64,
            ..owner
        };
        self.add((), &rules::UNTERMINATED_STRING, end, || {
            let found = "the string has no terminating zero byte";
            Message::read(found, "up to the end of the file")
        });
        Some(rest)
    }

    /// The text of the string at an offset; empty if it does not exist.
    fn text(&mut self, offset: u16, owner: Owner) -> String {
        let Some(bytes) = self.find(offset, owner) else {
            return String::new();
        };
        if self.budget.take(bytes.len() as u64).is_err() {
            self.add((), &rules::STRING, owner, || {
                let found = "the texts of all names are too long for a file of this size";
                Message::left_out(found, "the name")
            });
            return String::new();
        }
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(_) = text {
            self.add(offset, &rules::ENCODING, owner, || {
                let found = format!("{} is not valid UTF-8", quoted(bytes));
                Message::read(found, "with replacement characters")
            });
        }
        text.into_owned()
    }
}

/// Resolves the names of a model.
pub(super) fn resolve(model: &mut P3m, file_bytes: usize, problems: &mut Problems) {
    let bytes = std::mem::take(&mut model.strings);
    let mut strings = Strings::new(&bytes, file_bytes, problems);
    each_name(model, &mut |name, at, record| {
        name.text = strings.text(name.offset, Owner { at, record });
    });
    let strings_at = (file_bytes - bytes.len()) as u64;
    field::resolve(&mut model.fields, &mut strings, strings_at);
    model.strings = bytes;
}

/// Calls `visit` with each name, its file offset, and its record and field.
fn each_name(model: &mut P3m, visit: &mut dyn FnMut(&mut Name, u64, Record)) {
    for (i, part) in model.parts.iter_mut().enumerate() {
        visit(&mut part.name, part.at + 1, record("part", i, "name"));
        for (number, it) in (0..).zip(&mut part.overrides) {
            let at = part.at + 5 + 4 * number;
            visit(&mut it.animation, at, record("part", i, "animation"));
        }
        for group in &mut part.groups {
            visit(
                &mut group.bone,
                group.at,
                record("part", i, "bone of a group"),
            );
        }
    }
    for (i, texture) in model.textures.iter_mut().enumerate() {
        if let TextureContent::External(path) = &mut texture.content {
            visit(path, texture.at + 1, record("texture", i, "path"));
        }
    }
    for (i, bone) in model.bones.iter_mut().enumerate() {
        visit(&mut bone.name, bone.at, record("bone", i, "name"));
    }
    for (i, animation) in model.animations.iter_mut().enumerate() {
        visit(
            &mut animation.name,
            animation.at,
            record("animation", i, "name"),
        );
    }
    for (i, action) in model.actions.iter_mut().enumerate() {
        for (number, part) in (0..).zip(&mut action.parts) {
            let at = action.at + 6 + 2 * number;
            visit(part, at, record("action", i, "part of its list"));
        }
        for tracks in &mut action.tracks {
            visit(&mut tracks.bone, tracks.at, record("action", i, "bone"));
        }
    }
    for (i, field) in model.fields.iter_mut().enumerate() {
        visit(&mut field.name, field.at, record("field", i, "name"));
    }
}
