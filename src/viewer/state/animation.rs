//! Options and progress of saving animations of the view.

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

/// Initial number of views of a turntable or a flight through cameras.
const DEFAULT_VIEWS: u32 = 72;

/// Options for saving an animation. Size and background are those of pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnimationOptions {
    /// The preferred motion. If it is unavailable, another one is used.
    pub motion: Motion,
    /// Number of views of a moving camera.
    pub views: u32,
    /// Frames per second.
    pub fps: f32,
}

/// The motion of an animation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motion {
    /// The view turns once around its target.
    Turntable,
    /// The clip plays over the range of the timeline.
    Clip,
    /// The view flies through the cameras of the file.
    Cameras,
}

impl Motion {
    /// All motions, in the order of the menu.
    pub(crate) const ALL: [Self; 3] = [Self::Turntable, Self::Clip, Self::Cameras];

    /// Its label and tooltip.
    pub(crate) fn name_and_help(self) -> [&'static str; 2] {
        match self {
            Self::Turntable => ["Turntable", "Turn the view once around its centre"],
            Self::Clip => ["Clip", "Play the range of the timeline"],
            Self::Cameras => ["Flight", "Fly through the cameras of the file"],
        }
    }
}

impl Default for AnimationOptions {
    fn default() -> Self {
        Self {
            motion: Motion::Turntable,
            views: DEFAULT_VIEWS,
            fps: DEFAULT_FPS,
        }
    }
}

/// A running save.
#[derive(Debug, Clone)]
pub(crate) struct SavingView {
    /// Name of the file, or of the first file.
    pub name: String,
    /// Number of files.
    pub files: usize,
    /// Progress of the save. Cancelling it stops the save.
    pub progress: Arc<Progress>,
}

impl SavingView {
    /// Describes the file that is being written, or its number in a series.
    pub(crate) fn text(&self) -> String {
        if self.files < 2 {
            return format!("Saving {}", self.name);
        }
        // The tolerance compensates rounding.
        let done = (self.progress.fraction() * self.files as f32 + 0.01) as usize;
        format!(
            "Saving image {} of {}",
            (done + 1).min(self.files),
            self.files
        )
    }
}

impl Session {
    /// The reason why a motion is unavailable, if it is.
    pub(crate) fn why_no_motion(&self, motion: Motion) -> Option<&'static str> {
        match motion {
            Motion::Turntable => {
                let can_turn = self.view.camera.pose.turned(0.0).is_some() && !self.view.is_flat();
                (!can_turn).then_some("A view from straight above cannot turn")
            }
            Motion::Clip => {
                let [first, last] = self.player.range();
                let plays = self.player.clip().is_some() && first < last;
                (!plays).then_some("No clip is shown, or its range has only one frame")
            }
            Motion::Cameras => {
                let cameras = self.document().map_or(0, |it| it.cameras().len());
                (cameras < 2).then_some("The file has fewer than two cameras")
            }
        }
    }
}

impl State {
    /// The motion of the animation: the preferred one, or else the first available one.
    pub(crate) fn motion(&self) -> Option<Motion> {
        let chosen = self.interface.animation.motion;
        [chosen]
            .into_iter()
            .chain(Motion::ALL)
            .find(|motion| self.session.why_no_motion(*motion).is_none())
    }

    /// `true` if a document is open and no save is running. Two saves at once would overload the
    /// graphics device.
    pub(crate) fn can_save(&self) -> bool {
        self.session.document().is_some() && self.notices.saving.is_none()
    }

    /// `true` if an animation can be saved.
    pub(crate) fn can_save_animation(&self) -> bool {
        self.can_save() && self.motion().is_some()
    }

    /// The reason why nothing can be saved while a document is open, if there is one.
    pub(crate) fn why_no_saving(&self) -> Option<String> {
        let saving = self.notices.saving.as_ref()?;
        Some(format!("{} is still being saved", saving.name))
    }

    /// The reason why no animation can be saved while a document is open, if there is one.
    pub(crate) fn why_no_animation(&self) -> Option<String> {
        if self.session.document().is_none() || self.can_save_animation() {
            return None;
        }
        let why = self.why_no_saving();
        let nothing_moves = "Nothing moves, and a view from straight above cannot turn";
        Some(why.unwrap_or_else(|| nothing_moves.to_owned()))
    }

    /// Number of images of the animation.
    pub(crate) fn animation_length(&self) -> u32 {
        let [first, last] = self.session.player.range();
        match self.motion() {
            Some(Motion::Clip) => last - first + 1,
            Some(Motion::Turntable | Motion::Cameras) => self.interface.animation.views,
            None => 0,
        }
    }

    /// The shots of the animation. Empty if nothing moves.
    pub(crate) fn animation_shots(&self) -> Vec<Shot> {
        let views = self.interface.animation.views;
        match self.motion() {
            Some(Motion::Turntable) => Shot::all_around(views),
            Some(Motion::Clip) => {
                let [first, last] = self.session.player.range();
                let mut shots = Shot::of_frames(first..=last);
                if self.session.player.transition().is_some() {
                    for shot in &mut shots {
                        let playhead = self.session.player.playhead_at(shot.number.into());
                        shot.playhead = Some(playhead);
                    }
                }
                shots
            }
            Some(Motion::Cameras) => {
                let cameras = self.session.document().map_or(&[][..], |it| it.cameras());
                let poses: Vec<_> = cameras.iter().map(|camera| camera.pose).collect();
                Shot::along(&poses, views).unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// The camera for shots without their own: the camera of the view. A flight uses the camera
    /// settings of [`Session::look_through`].
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

    /// The destination of the animation at a path. The extension selects one file or a series of
    /// PNGs. The default is a GIF.
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
