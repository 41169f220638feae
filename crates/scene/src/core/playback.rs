//! Moments of an animation, and information about its clips.

use std::fmt;

use super::item::Item;

/// A moment of a document's animation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Playhead {
    /// Index of the clip; `None` for the pose without a clip, such as the bind pose of a model.
    pub clip: Option<usize>,
    /// The frame, from 0. A fraction lies between a frame and the next one; the last frame is
    /// followed by the first.
    pub frame: f32,
    /// `true` to interpolate poses between frames. Otherwise each frame is held until the next one,
    /// as the Permafrost Engine plays clips (fact sheet B5).
    pub smooth: bool,
    /// A transition to another clip, if one is in progress.
    pub blend: Option<Blend>,
}

/// The share of another clip in a pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// Index of the other clip.
    pub clip: usize,
    /// Its frame, from 0.
    pub frame: f32,
    /// Blend factor from the moment's own clip to this one, from 0 to 1.
    pub part: f32,
}

impl Playhead {
    /// A whole frame of a clip.
    pub fn at_frame(clip: usize, frame: u32) -> Self {
        Self {
            clip: Some(clip),
            frame: frame as f32,
            smooth: false,
            blend: None,
        }
    }

    /// Returns the two frames around this moment in a clip of `frames`, and the blend factor from
    /// the first to the second, from 0 to 1. `None` for an empty clip.
    pub fn between(&self, frames: u32) -> Option<([u32; 2], f32)> {
        let last = frames.checked_sub(1)?;
        // NaN counts as 0.
        let frame = self.frame.max(0.0);
        let first = (frame as u32).min(last);
        let part = if self.smooth {
            (frame - first as f32).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let second = if first == last { 0 } else { first + 1 };
        Some(([first, second], part))
    }
}

/// A clip as a document offers it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// Number of frames.
    pub frames: u32,
    /// The item of the clip.
    pub item: Item,
    /// `true` if the clip only sets the duration for content that has its own clips. The timeline
    /// then counts time rather than frames.
    pub is_clock: bool,
    /// The frame rates of the file: for each run of frames, the frame after its last one, and its
    /// frames per second. Empty if the file says none.
    pub rates: Vec<(u32, f64)>,
}

impl ClipInfo {
    /// Its duration in seconds: at the frame rates of the file, or else at the given one.
    pub fn seconds(&self, fps: f64) -> f64 {
        if self.rates.is_empty() {
            return f64::from(self.frames) / fps;
        }
        let starts = std::iter::once(0).chain(self.rates.iter().map(|(end, _)| *end));
        let runs = self.rates.iter().zip(starts);
        runs.map(|((end, fps), start)| f64::from(end - start) / fps)
            .sum()
    }
}

/// The clip that an item plays in place of the document's clip, and its current frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnClip<'a> {
    /// Its name.
    pub name: &'a str,
    /// The frame, from 0.
    pub frame: u32,
    /// Number of frames.
    pub frames: u32,
}

/// Formats like the timeline: `walk 22 / 32`, from 0 to the last frame.
impl fmt::Display for OwnClip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.frames.saturating_sub(1);
        f.pad(&format!("{} {} / {last}", self.name, self.frame))
    }
}

/// The space and the form of the values of [`Curve`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CurveOptions {
    /// `true` for poses in model space, `false` for poses relative to the parent.
    pub is_global: bool,
    /// `true` for rotations as quaternions, `false` for angles in degrees.
    pub has_quaternions: bool,
}

/// The values of one number of an item over a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its group, such as `Translation`.
    pub group: &'static str,
    /// The component within the group, such as `X`.
    pub name: &'static str,
    /// Red, green and blue.
    pub color: [u8; 3],
    /// Its value in each frame.
    pub values: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::Playhead;

    #[test]
    fn a_moment_lies_between_two_frames() {
        let between = |frame, smooth| {
            let clip = Some(0);
            Playhead {
                clip,
                frame,
                smooth,
                blend: None,
            }
            .between(4)
        };
        assert_eq!(between(1.25, true), Some(([1, 2], 0.25)));
        assert_eq!(between(1.25, false), Some(([1, 2], 0.0)));
        assert_eq!(between(3.5, true), Some(([3, 0], 0.5)));
        assert_eq!(between(99.0, false), Some(([3, 0], 0.0)));
        assert_eq!(between(-1.0, true), Some(([0, 1], 0.0)));
        assert_eq!(between(f32::NAN, true), Some(([0, 1], 0.0)));
        assert_eq!(Playhead::default().between(0), None);
    }
}
