//! Commands that share a key.

use super::{Action, Command, all};
use crate::viewer::docks::Panel;
use crate::viewer::keymap::Keymap;
use mapscope_scene::overlays_by_kind;

/// The kinds of documents, as bits in the order of [`overlays_by_kind`].
const TERRAIN: u8 = 1;
const MODEL: u8 = 2;
const SCENE: u8 = 4;
const LEVEL: u8 = 8;
const TILE_MAP: u8 = 16;
const ALL: u8 = 31;

/// The kinds of documents that can offer a command.
fn kinds(action: Action) -> u8 {
    match action {
        Action::Panel(Panel::Octree | Panel::Lights | Panel::ChunkMap | Panel::Lightmaps)
        | Action::HoldVisibility
        | Action::Cut
        | Action::Level { .. } => LEVEL,
        Action::Panel(Panel::Layers | Panel::Tileset)
        | Action::Flat
        | Action::ActualSize
        | Action::Zoom { .. }
        | Action::SaveMap => TILE_MAP,
        Action::MiniMap | Action::Rulers => TERRAIN | SCENE | TILE_MAP,
        Action::GameView => ALL & !TILE_MAP,
        Action::HideSelection | Action::ShowAll | Action::Solo => ALL & !MODEL,
        Action::SelectedWeights => MODEL,
        Action::Do(operation) if operation.is_of_models() => MODEL,
        Action::ChooseMap => SCENE,
        Action::Counterpart => TERRAIN | SCENE,
        Action::Animation(_) => ALL & !TERRAIN,
        Action::Overlay(id) => overlays_by_kind()
            .iter()
            .zip([TERRAIN, MODEL, SCENE, LEVEL, TILE_MAP])
            .filter(|(overlays, _)| overlays.iter().any(|overlay| overlay.id == id))
            .fold(0, |kinds, (_, kind)| kinds | kind),
        _ => ALL,
    }
}

/// The commands that conflict with a command: a document can offer both, and they have a key in
/// common with the same priority.
pub(crate) fn conflicts<'a>(
    command: &'a Command,
    keymap: &'a Keymap,
) -> impl Iterator<Item = &'static Command> + use<'a> {
    let is_same_key = |other: &Command| {
        let (ours, theirs) = (command.keys(keymap), other.keys(keymap));
        ours.iter().zip(theirs).any(|(ours, theirs)| ours == theirs)
    };
    all().iter().filter(move |other| {
        other.id != command.id
            && is_same_key(other)
            && kinds(command.action) & kinds(other.action) != 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::find;
    use crate::viewer::state::State;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::maps::map;
    use crate::viewer::testing::{document, level, loaded, model};
    use crate::viewer::ui::menus::is_listed;

    #[test]
    fn a_document_offers_only_commands_of_its_kind() {
        let documents = [document(), model(), level(), map()];
        for (document, kind) in documents.into_iter().zip([TERRAIN, MODEL, LEVEL, TILE_MAP]) {
            let mut state = State::new(Settings::default(), ViewRequest::default());
            state.loaded(loaded(document, false));
            for command in all() {
                let is_of_kind = kinds(command.action) & kind != 0;
                assert!(is_of_kind || !is_listed(&state, command), "{}", command.id);
            }
        }
    }

    #[test]
    fn default_keys_have_no_conflicts_and_changed_ones_may() {
        let conflicts = |id, keymap: &Keymap| -> Vec<&str> {
            let command = find(id).unwrap();
            conflicts(command, keymap).map(|other| other.id).collect()
        };
        for command in all() {
            let others = conflicts(command.id, &Keymap::default());
            assert!(others.is_empty(), "{}: {others:?}", command.id);
        }
        let changed = r#"{"open": ["F5"], "view.cut": ["K"], "camera.top": ["Ctrl+5", "F5"]}"#;
        let keymap: Keymap = serde_json::from_str(changed).unwrap();
        assert_eq!(conflicts("open", &keymap), ["reload"]);
        assert_eq!(conflicts("reload", &keymap), ["open"]);
        // Only levels can be cut, and only models have a skeleton.
        assert!(conflicts("view.cut", &keymap).is_empty());
        assert_eq!(conflicts("camera.top", &keymap), ["panel.statistics"]);
    }
}
