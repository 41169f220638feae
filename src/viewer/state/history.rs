//! History of opened files, each with its view, for going back and forward.

use super::load::{Cause, Target};
use super::reload::LostSelection;
use super::session::Session;
use super::{OpenFile, State};
use crate::viewer::view::camera_control::CameraMode;
use crate::viewer::view::flat::FlatView;
use mapscope_scene::camera::Camera;
use mapscope_scene::{MapChoice, Shown};

/// Maximum number of remembered files.
const MAX_VISITS: usize = 50;

/// The files before and after the open one.
#[derive(Debug, Default)]
pub(crate) struct History {
    before: Vec<Visit>,
    after: Vec<Visit>,
}

/// A previously opened file and its view.
#[derive(Debug)]
pub(crate) struct Visit {
    target: Target,
    /// The map chosen for it, if it is a scene.
    map: MapChoice,
    camera: Camera,
    mode: CameraMode,
    flat: FlatView,
    shown: Shown,
    lost_selection: LostSelection,
}

impl History {
    fn side(&mut self, backwards: bool) -> &mut Vec<Visit> {
        if backwards {
            &mut self.before
        } else {
            &mut self.after
        }
    }
}

impl Session {
    /// `true` if there is a file to go back or forward to.
    pub(crate) fn can_return(&self, backwards: bool) -> bool {
        let history = &self.history;
        !if backwards {
            history.before.is_empty()
        } else {
            history.after.is_empty()
        }
    }

    /// Records the open file before another one replaces it. When the cause is a return, the
    /// recorded visit of the new file is returned.
    pub(crate) fn leave_for(&mut self, target: &Target, cause: Cause) -> Option<Visit> {
        if cause.is_reload() {
            return None;
        }
        let left = self.visit_of_open();
        let history = &mut self.history;
        if let Cause::Return { backwards } = cause {
            let returned = history.side(backwards).pop();
            history.side(!backwards).extend(left);
            return returned;
        }
        let is_left = |visit: &Visit| visit.target != *target;
        if let Some(left) = left.filter(is_left) {
            history.after.clear();
            history.before.push(left);
            let too_many = history.before.len().saturating_sub(MAX_VISITS);
            history.before.drain(..too_many);
        }
        None
    }

    /// Records the open file before it is closed.
    pub(crate) fn leave(&mut self) {
        let left = self.visit_of_open();
        self.history.before.extend(left);
    }

    fn visit_of_open(&mut self) -> Option<Visit> {
        let open = self.open.clone()?;
        Some(Visit {
            lost_selection: self.capture_selection(&open),
            target: open.target(),
            map: open.map.clone(),
            camera: self.view.camera,
            mode: self.view.mode,
            flat: self.view.flat,
            shown: Shown::clone(&self.view.shown),
        })
    }
}

impl State {
    /// Opens the previous or the next file of the history.
    pub(crate) fn go_back(&mut self, backwards: bool) {
        if let Some(visit) = self.session.history.side(backwards).last() {
            let (target, map) = (visit.target.clone(), visit.map.clone());
            self.load_with_map(target, Cause::Return { backwards }, map);
        }
    }

    /// Restores the recorded view of the file that was just opened.
    pub(crate) fn restore_visit(&mut self, visit: Visit) {
        let Some(document) = self.session.document().cloned() else {
            return;
        };
        let playhead = self.session.view.shown.playhead;
        *self.session.view.shown = Shown {
            playhead,
            selected: None,
            hides_weights: !self.settings.joint_weights,
            ..visit.shown
        };
        self.session.keep_shown(&*document);
        self.session.tools.clip_box = super::clip_box::ClipBox::at(self.session.view.shown.cut);
        self.session.restore_selection(visit.lost_selection);
        self.session.view.framing = None;
        (self.session.view.camera, self.session.view.flat) = (visit.camera, visit.flat);
        // After walking or flying, the position is kept, but falling and drifting stop.
        self.session.view.mode = match visit.mode {
            CameraMode::Fly | CameraMode::Walk => CameraMode::Orbit,
            mode => mode,
        };
        self.session.view.use_field_of_view();
    }
}

impl OpenFile {
    /// The load target that opens it again.
    pub(crate) fn target(&self) -> Target {
        match self.demo {
            Some(demo) => Target::Demo(demo),
            None => Target::Paths(vec![self.path.clone()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::load::{LoadRequest, Loaded, Outcome};
    use super::super::settings::Settings;
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::commands::find;
    use crate::viewer::state::Effect;
    use crate::viewer::testing::{document, model};
    use glam::Vec3;
    use mapscope_scene::camera::Pose;
    use mapscope_scene::{Document, ModelItem, TerrainItem};

    /// Opens a file for a cause.
    fn open(state: &mut State, name: &str, document: &Arc<dyn Document>, cause: Cause) {
        let path = PathBuf::from(name);
        state.loaded(Outcome {
            request: LoadRequest {
                target: Target::Paths(vec![path.clone()]),
                cause,
                map: MapChoice::Beside,
            },
            loaded: Some(Loaded::new(path, Arc::clone(document))),
            failures: Vec::new(),
            number: 1,
        });
    }

    /// Runs a command and returns the load that it requests.
    fn requested_load(state: &mut State, command: &str) -> Option<LoadRequest> {
        state.effects.clear();
        state.run(find(command).unwrap().action);
        state.effects.drain(..).find_map(|effect| match effect {
            Effect::Load(request) => Some(request),
            _ => None,
        })
    }

    #[test]
    fn who_goes_back_finds_the_file_as_it_was_left() {
        let (map, model) = (document(), model());
        let mut state = State::new(Settings::default(), ViewRequest::default());
        open(&mut state, "a.pfmap", &map, Cause::Opened);
        assert_eq!(
            requested_load(&mut state, "file.back"),
            None,
            "there is nothing before"
        );
        let tile = TerrainItem::Tile { row: 3, col: 4 }.into();
        state.session.select(Some(tile));
        let pose = Pose {
            eye: Vec3::new(1.0, 50.0, 2.0),
            target: Vec3::new(3.0, 0.0, 4.0),
        };
        state.session.apply_pose(pose);
        open(&mut state, "b.pfobj", &model, Cause::Opened);
        assert_eq!(state.session.view.shown.selected, None);
        let joint = ModelItem::Joint { index: 1 }.into();
        state.session.select(Some(joint));
        state.session.go_to_frame(3.0);

        let request = requested_load(&mut state, "file.back").unwrap();
        assert_eq!(request.target, Target::Paths(vec!["a.pfmap".into()]));
        open(&mut state, "a.pfmap", &map, request.cause);
        state.session.shape_view(1.5);
        assert_eq!(state.session.view.shown.selected, Some(tile));
        assert_eq!(state.session.view.camera.pose, pose);
        assert_eq!(requested_load(&mut state, "file.back"), None);

        let request = requested_load(&mut state, "file.forward").unwrap();
        open(&mut state, "b.pfobj", &model, request.cause);
        assert_eq!(state.session.view.shown.selected, Some(joint));
        assert_eq!(state.session.player.whole_frame(), 3);
        assert!(!state.session.player.is_playing());

        // A reload is the same visit. Opening a file clears the forward history.
        open(&mut state, "b.pfobj", &model, Cause::Asked);
        let request = requested_load(&mut state, "file.back").unwrap();
        open(&mut state, "a.pfmap", &map, request.cause);
        open(&mut state, "c.pfobj", &model, Cause::Opened);
        assert_eq!(requested_load(&mut state, "file.forward"), None);
        state.close();
        let request = requested_load(&mut state, "file.back").unwrap();
        assert_eq!(request.target, Target::Paths(vec!["c.pfobj".into()]));
    }
}
