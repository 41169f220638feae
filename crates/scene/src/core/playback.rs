//! Moments of an animation, and what a document says of its clips.

use std::fmt;

use super::item::Item;

/// A moment of a document's animation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Playhead {
    /// Index of the clip; none for the pose without any, such as the bind pose of a model.
    pub clip: Option<usize>,
    /// The frame, from 0. A fraction lies between a frame and the next one; after the last frame
    /// comes the first.
    pub frame: f32,
    /// Whether poses between two frames are blended. If not, a frame stays until the next one,
    /// as the Permafrost Engine plays clips (fact sheet B5).
    pub smooth: bool,
}

impl Playhead {
    /// A whole frame of a clip.
    pub fn at_frame(clip: usize, frame: u32) -> Self {
        Self {
            clip: Some(clip),
            frame: frame as f32,
            smooth: false,
        }
    }

    /// The two frames of a clip of `frames` that this moment lies between, and how far it is from
    /// the first to the second, from 0 to 1. None in an empty clip.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipInfo {
    /// Its name.
    pub name: String,
    /// How many frames it has.
    pub frames: u32,
    /// The item that stands for it.
    pub item: Item,
    /// Whether it is only how long all else plays that has clips of its own: then the time counts
    /// and not the frame.
    pub is_clock: bool,
}

/// The clip of its own that an item plays while the document plays another, and where that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnClip<'a> {
    /// Its name.
    pub name: &'a str,
    /// The frame, from 0.
    pub frame: u32,
    /// How many frames it has.
    pub frames: u32,
}

/// As the timeline counts: `walk 22 / 32`, from 0 to the last frame.
impl fmt::Display for OwnClip<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.frames.saturating_sub(1);
        f.pad(&format!("{} {} / {last}", self.name, self.frame))
    }
}

/// How one number of an item runs over a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is a part of, such as `Translation`.
    pub group: &'static str,
    /// Which part, such as `X`.
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
