//! How an animation of the view is to be saved, and what is being saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::State;
use super::session::Session;
use crate::images::animation::{AnimationFormat, DEFAULT_FPS};
use crate::images::series::{Destination, FramePattern};
use crate::images::shots::Shot;
use mapscope_scene::Progress;
use mapscope_scene::camera::Camera;
use mapscope_scene::saving::GIF;

/// How many views a turntable or a flight through cameras has at first.
const FIRST_VIEWS: u32 = 72;

/// How an animation of the view is to be saved. Its size and its background are those of pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnimationOptions {
    /// What moves in it; where that cannot, something else does.
    pub motion: Motion,
    /// How many views there are where the camera moves.
    pub views: u32,
    /// How many are shown in a second.
    pub fps: f32,
}

/// What moves in an animation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    /// The view turns once around its target.
    Turntable,
    /// The clip plays, as far as the timeline plays it.
    Clip,
    /// The view flies through the cameras of the file.
    Cameras,
}

impl Motion {
    /// All of them, in the order in which they are offered.
    pub(crate) const ALL: [Self; 3] = [Self::Turntable, Self::Clip, Self::Cameras];

    /// What it is called, and what happens.
    pub(crate) fn name_and_help(self) -> [&'static str; 2] {
        match self {
            Self::Turntable => ["Turntable", "Turn the view once around its middle"],
            Self::Clip => ["Clip", "Play the clip, as far as the timeline does"],
            Self::Cameras => ["Flight", "Fly through the cameras of the file"],
        }
    }
}

impl Default for AnimationOptions {
    fn default() -> Self {
        Self {
            motion: Motion::Turntable,
            views: FIRST_VIEWS,
            fps: DEFAULT_FPS,
        }
    }
}

/// Something that is being saved.
#[derive(Debug, Clone)]
pub(crate) struct SavingView {
    /// The name of the file, or of the first.
    pub name: String,
    /// How many files there are.
    pub files: usize,
    /// How far it is; it ends when that is cancelled.
    pub progress: Arc<Progress>,
}

impl SavingView {
    /// The file that is being written, or which of them: files with numbers have one image each.
    pub(crate) fn text(&self) -> String {
        if self.files < 2 {
            return format!("Saving {}", self.name);
        }
        // Fractions are not exact.
        let done = (self.progress.fraction() * self.files as f32 + 0.01) as usize;
        format!(
            "Saving image {} of {}",
            (done + 1).min(self.files),
            self.files
        )
    }
}

impl Session {
    /// Why something cannot move in an animation now.
    pub(crate) fn why_no_motion(&self, motion: Motion) -> Option<&'static str> {
        match motion {
            Motion::Turntable => {
                let can_turn = self.view.camera.pose.turned(0.0).is_some() && !self.view.is_flat();
                (!can_turn).then_some("A view from straight above cannot turn")
            }
            Motion::Clip => {
                let [first, last] = self.player.range();
                let plays = self.player.clip().is_some() && first < last;
                (!plays).then_some("There is no clip, or only one frame of it")
            }
            Motion::Cameras => {
                let cameras = self.document().map_or(0, |it| it.cameras().len());
                (cameras < 2).then_some("The file has fewer than two cameras")
            }
        }
    }
}

impl State {
    /// What moves in an animation: what was chosen, or else the first that can.
    pub(crate) fn motion(&self) -> Option<Motion> {
        let chosen = self.interface.animation.motion;
        let mut motions = [chosen].into_iter().chain(Motion::ALL);
        motions.find(|motion| self.session.why_no_motion(*motion).is_none())
    }

    /// Whether nothing is being saved. Two at once would take more of the graphics device than they
    /// gain.
    pub(crate) fn can_save(&self) -> bool {
        self.session.document().is_some() && self.notices.saving.is_none()
    }

    /// Whether there is something to animate that can be saved.
    pub(crate) fn can_save_animation(&self) -> bool {
        self.can_save() && self.motion().is_some()
    }

    /// Why nothing can be saved at all, where that is not plain from what is open.
    pub(crate) fn why_no_saving(&self) -> Option<String> {
        let saving = self.notices.saving.as_ref()?;
        Some(format!("{} is still being saved", saving.name))
    }

    /// Why no animation can be saved, where that is not plain from what is open.
    pub(crate) fn why_no_animation(&self) -> Option<String> {
        if self.session.document().is_none() || self.can_save_animation() {
            return None;
        }
        let why = self.why_no_saving();
        let nothing_moves =
            "Nothing moves, and from straight above there is nothing to turn around";
        Some(why.unwrap_or_else(|| nothing_moves.to_owned()))
    }

    /// How many images the animation has that is asked for.
    pub(crate) fn animation_length(&self) -> u32 {
        let [first, last] = self.session.player.range();
        match self.motion() {
            Some(Motion::Clip) => last - first + 1,
            Some(Motion::Turntable | Motion::Cameras) => self.interface.animation.views,
            None => 0,
        }
    }

    /// What is drawn for the animation that is asked for; nothing where nothing can be.
    pub(crate) fn animation_shots(&self) -> Vec<Shot> {
        let views = self.interface.animation.views;
        match self.motion() {
            Some(Motion::Turntable) => Shot::all_around(views),
            Some(Motion::Clip) => {
                let [first, last] = self.session.player.range();
                Shot::of_frames(first..=last)
            }
            Some(Motion::Cameras) => {
                let cameras = self.session.document().map_or(&[][..], |it| it.cameras());
                let poses: Vec<_> = cameras.iter().map(|camera| camera.pose).collect();
                Shot::along(&poses, views).unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// The camera of the animation that is asked for, where its shots say no more: that of the view, but
    /// through cameras of the file one sees as [`|state| state.session.look_through()`] does.
    pub(crate) fn animation_camera(&self) -> Camera {
        let camera = self.session.view.camera;
        if self.motion() == Some(Motion::Cameras) {
            return Camera {
                near: camera.near,
                ..Camera::new(camera.pose, camera.handedness)
            };
        }
        camera
    }

    /// What the animation that is asked for becomes at a path: by its ending one file, or a PNG for each
    /// image. Without an ending it is a GIF.
    pub(crate) fn animation_at(&self, path: &Path) -> Destination {
        let path = GIF.with_ending(path);
        if let Some(format) = AnimationFormat::of(&path) {
            return Destination::Animation(format, path);
        }
        let pattern = FramePattern::of_or_numbered(&path);
        let shots = self.animation_shots();
        let paths: Vec<PathBuf> = shots.iter().map(|it| pattern.path(it.number)).collect();
        Destination::Images(paths)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::state::settings::Settings;
    use crate::viewer::testing::{loaded, moving};
    use mapscope_scene::camera::{Pose, Projection};

    #[test]
    fn what_moves_is_what_can() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        assert_eq!(state.motion(), Some(Motion::Turntable));
        assert!(!state.can_save_animation(), "nothing is open");
        state.loaded(loaded(moving(&[("Walk", 32), ("Salute", 1)]), false));
        state.session.view.camera.pose = Pose {
            eye: Vec3::new(0.0, 9.0, 0.0),
            target: Vec3::ZERO,
        };
        assert_eq!(state.motion(), Some(Motion::Clip), "it is seen from above");
        state.session.player.set_range_start(4);
        state.session.player.set_range_end(6);
        state.session.view.camera.projection = Projection::Orthographic;
        assert_eq!(state.animation_camera(), state.session.view.camera);
        let frames: Vec<_> = state.animation_shots().iter().map(|it| it.frame).collect();
        assert_eq!(frames, [4, 5, 6].map(Some));
        state.session.player.choose(Some((1, 1)));
        assert_eq!(state.motion(), None);
        assert!(state.why_no_animation().is_some());
        state.session.view.camera.pose.eye = Vec3::new(9.0, 9.0, 0.0);
        state.interface.animation.views = 4;
        assert_eq!(state.animation_shots(), Shot::all_around(4));
        assert!(state.can_save_animation());
    }

    #[test]
    fn the_ending_says_what_it_becomes() {
        let mut state = State::new(Settings::default(), ViewRequest::default());
        state.interface.animation.views = 2;
        let at = |path: &str| state.animation_at(Path::new(path));
        let gif = |path: &str| Destination::Animation(AnimationFormat::Gif, path.into());
        assert_eq!(at("a/knight"), gif("a/knight.gif"));
        assert_eq!(at("knight.GIF"), gif("knight.GIF"));
        let apng = Destination::Animation(AnimationFormat::Apng, "knight.apng".into());
        assert_eq!(at("knight.apng"), apng);
        let images = ["knight_000.png", "knight_001.png"].map(PathBuf::from);
        assert_eq!(at("knight.png"), Destination::Images(images.to_vec()));
        let images = ["0.png", "1.png"].map(PathBuf::from);
        assert_eq!(at("%d.png"), Destination::Images(images.to_vec()));
    }
}
