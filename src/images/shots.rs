//! Shots that are rendered one after the other: frames of a clip, or views from several poses.

#[cfg(feature = "gpu")]
use mapscope_render::View;
#[cfg(feature = "gpu")]
use mapscope_scene::Document;
use mapscope_scene::Playhead;
use mapscope_scene::camera::Pose;

/// Maximum number of views of a turntable or along a camera path.
pub const MAX_VIEWS: u32 = 10_000;

/// One of the requested images, as differences from the common view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// Its number in file names.
    pub number: u32,
    /// The frame of the clip.
    pub frame: Option<u32>,
    /// The moment, if it is not only another frame of the common clip.
    pub playhead: Option<Playhead>,
    /// Rotation of the view around the target, as a fraction of a full turn.
    pub turn: Option<f32>,
    /// The camera pose.
    pub pose: Option<Pose>,
}

impl Shot {
    /// The common view, with this number.
    pub fn numbered(number: u32) -> Self {
        Self {
            number,
            frame: None,
            playhead: None,
            turn: None,
            pose: None,
        }
    }

    /// Frames of a clip, numbered as in the clip.
    pub fn of_frames(frames: impl IntoIterator<Item = u32>) -> Vec<Self> {
        let shot = |frame| Self {
            frame: Some(frame),
            ..Self::numbered(frame)
        };
        frames.into_iter().map(shot).collect()
    }

    /// `views` evenly spaced views around the target.
    pub fn all_around(views: u32) -> Vec<Self> {
        let shot = |number| Self {
            turn: Some(number as f32 / views as f32),
            ..Self::numbered(number)
        };
        (0..views).map(shot).collect()
    }

    /// `views` views along a path through the poses; `None` if eye and target meet on it.
    pub fn along(poses: &[Pose], views: u32) -> Option<Vec<Self>> {
        let last = views.saturating_sub(1).max(1) as f32;
        let shots = (0..views).map(|number| {
            let pose = Pose::along_path(poses, number as f32 / last)?;
            Some(Self {
                pose: Some(pose),
                ..Self::numbered(number)
            })
        });
        shots.collect()
    }

    /// The view to render, derived from the common view.
    #[cfg(feature = "gpu")]
    pub fn view(&self, common: &View, document: &dyn Document) -> View {
        let mut view = common.clone();
        if let Some(playhead) = self.playhead {
            view.shown.playhead = playhead;
        } else if let Some(frame) = self.frame {
            view.shown.playhead.frame = frame as f32;
        }
        let before = view.camera.pose;
        let pose = self.pose.unwrap_or(before);
        let pose = self.turn.and_then(|part| pose.turned(part)).unwrap_or(pose);
        if pose != before {
            view.camera.pose = pose;
            let levels = document.levels();
            let visible = levels.and_then(|levels| levels.visibility_at(pose.eye, &view.shown));
            view.shown.visibility_from = visible;
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn views_go_all_around_once_and_along_a_way_to_its_end() {
        let turns: Vec<_> = Shot::all_around(4).iter().map(|shot| shot.turn).collect();
        assert_eq!(turns, [0.0, 0.25, 0.5, 0.75].map(Some));
        let frames: Vec<_> = Shot::of_frames(3..=5).iter().map(|s| s.number).collect();
        assert_eq!(frames, [3, 4, 5]);
        let pose = |x| Pose {
            eye: Vec3::new(x, 0.0, 5.0),
            target: Vec3::ZERO,
        };
        let way = Shot::along(&[pose(0.0), pose(8.0)], 3).unwrap();
        assert_eq!(way[0].pose, Some(pose(0.0)));
        assert_eq!(way[2].pose, Some(pose(8.0)));
        let nowhere = Pose {
            eye: Vec3::ZERO,
            target: Vec3::ZERO,
        };
        assert_eq!(Shot::along(&[nowhere; 2], 3), None);
    }
}
