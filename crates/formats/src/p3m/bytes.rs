//! The byte cursor of models, with its error messages.

use super::rules;
use crate::bytes::{self, Record, Source};
use crate::{Place, Plural, Rule, Subject, counted};

/// A whole file as source; messages name only records.
#[derive(Debug, Clone, Copy)]
pub(super) struct File;

/// A cursor over the bytes of a file.
pub(super) type Cursor<'a> = bytes::Cursor<'a, File>;

impl Source for File {
    const TRUNCATED: &'static Rule = &rules::TRUNCATED;
    const WHOLE: &'static str = "file";

    fn place(&self, pos: usize) -> Place {
        Place::Offset(pos as u64)
    }

    fn subject(&self, Record { name, index, .. }: Record) -> Subject {
        match (name, index.map(|index| index as u32)) {
            ("part", Some(part)) => Subject::Part(part),
            ("material", Some(material)) => Subject::Material(material),
            ("texture", Some(texture)) => Subject::Texture(texture),
            ("bone", Some(bone)) => Subject::Joint(bone),
            ("animation", Some(animation)) => Subject::Clip(animation),
            ("action", Some(action)) => Subject::Action(action),
            _ => Subject::File,
        }
    }

    fn context(&self, record: Record, _: usize) -> String {
        match record.index {
            None if record.name != Self::WHOLE => Plural(record.name).to_string(),
            _ => record.to_string(),
        }
    }

    fn missing_bytes(record: Record, left: usize, wanted: usize) -> [String; 2] {
        let left = counted(left, "byte");
        let found = format!("the file ends in the {}: {left} left", record.field);
        [found, counted(wanted, "byte")]
    }
}

/// The record of a name or an index.
pub(super) fn record(name: &'static str, index: usize, field: &'static str) -> Record {
    Record {
        name,
        index: Some(index),
        field,
    }
}
