//! The JSON keys of `info` for a scene.

use super::MapScene;
use super::fields::SceneAt;
use crate::describe::table::InfoKeys;
use crate::kinds::terrain::info::NAVIGATION;

impl MapScene {
    /// JSON keys of a scene. Those of its navigation grid are absent without a map.
    pub(crate) fn info_keys() -> InfoKeys {
        let navigation = ("navigation", NAVIGATION);
        InfoKeys::new(SceneAt::FIELDS.listed_keys(), &[], &[navigation])
    }
}
