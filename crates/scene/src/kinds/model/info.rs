//! The JSON keys of `info` for a model.

use super::Model;
use crate::describe::table::{InfoKeys, ValueType};

impl Model {
    /// JSON keys of a model.
    pub(crate) fn info_keys() -> InfoKeys {
        let lods = ("lods", ValueType::List(&ValueType::Text));
        InfoKeys::new(Self::FIELDS.listed_keys(), &[], &[lods])
    }
}
