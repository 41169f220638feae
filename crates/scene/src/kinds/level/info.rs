//! The JSON keys of `info` for a level.

use super::Map;
use super::fields::MapAt;
use super::fields::cube::CubeRecord;
use crate::describe::table::{FieldKey, InfoKeys, ValueType};

impl Map {
    /// JSON keys of a level.
    pub(crate) fn info_keys() -> InfoKeys {
        let cube: fn() -> Vec<FieldKey> = || CubeRecord::FIELDS.listed_keys();
        let cube = ("cube", ValueType::Record(cube));
        InfoKeys::new(MapAt::FIELDS.listed_keys(), &[], &[cube])
    }
}
