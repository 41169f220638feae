//! Animations over time (fact sheet P5).

use super::{Action, Animation, BoneTracks, Key, P3m, Part};

/// The course of an animation: the frames of its references, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Number of frames of all references. The last frame takes time too.
    pub frames: u32,
    /// Duration in microseconds.
    pub duration_us: f64,
    /// The references that can be played, in order.
    pub spans: Vec<Span>,
}

/// The part of an animation in which one reference is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Index of the reference in the animation.
    pub reference: usize,
    /// Index of the action.
    pub action: usize,
    /// First frame of the animation that belongs to it.
    pub first_frame: u32,
    /// Number of its frames, at least 1.
    pub frames: u32,
    /// Time of its beginning in microseconds.
    pub start_us: f64,
    /// Time of a frame in microseconds, with the speed.
    pub us_per_frame: f64,
    /// First frame of the action.
    pub start: u16,
    /// `true` if the frames of the action are played downward.
    pub is_downward: bool,
}

/// A moment of an animation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Index of the reference in the animation.
    pub reference: usize,
    /// Index of the action.
    pub action: usize,
    /// Frame of the action.
    pub frame: f32,
}

impl Span {
    fn end_us(&self) -> f64 {
        self.start_us + f64::from(self.frames) * self.us_per_frame
    }
}

impl Timeline {
    /// The moment at a frame of the whole animation, from 0. Frames outside are those of the
    /// beginning or of the end. `None` if nothing can be played.
    pub fn at(&self, clip_frame: f32) -> Option<Moment> {
        let span = self.span_at(clip_frame)?;
        let frame = (clip_frame - span.first_frame as f32).clamp(0.0, span.frames as f32);
        let start = f32::from(span.start);
        Some(Moment {
            reference: span.reference,
            action: span.action,
            frame: if span.is_downward {
                start - frame
            } else {
                start + frame
            },
        })
    }

    /// The frame of the whole animation at a time in microseconds, from 0 to [`Timeline::frames`].
    pub fn frame_at_us(&self, us: f64) -> f32 {
        let next = self.spans.partition_point(|span| span.end_us() <= us);
        let Some(span) = self.spans.get(next) else {
            return self.frames as f32;
        };
        let frame = ((us - span.start_us) / span.us_per_frame).max(0.0);
        (f64::from(span.first_frame) + frame) as f32
    }

    /// The time in microseconds of a frame of the whole animation.
    pub fn us_at(&self, clip_frame: f32) -> f64 {
        let Some(span) = self.span_at(clip_frame) else {
            return 0.0;
        };
        let frame = f64::from(clip_frame) - f64::from(span.first_frame);
        span.start_us + frame.clamp(0.0, span.frames.into()) * span.us_per_frame
    }

    /// The span of a frame, which is the first or last one for frames outside.
    fn span_at(&self, clip_frame: f32) -> Option<&Span> {
        let next = self
            .spans
            .partition_point(|span| span.first_frame as f32 <= clip_frame);
        self.spans.get(next.saturating_sub(1))
    }
}

impl P3m {
    /// The course of an animation; `None` if it does not exist. References to actions that do not
    /// exist are left out.
    pub fn timeline(&self, animation: usize) -> Option<Timeline> {
        let mut timeline = Timeline {
            frames: 0,
            duration_us: 0.0,
            spans: Vec::new(),
        };
        let references = &self.animations.get(animation)?.references;
        for (i, reference) in references.iter().enumerate() {
            let Some(action) = self.actions.get(usize::from(reference.action)) else {
                continue;
            };
            let is_valid = reference.speed.is_finite() && reference.speed > 0.0;
            let speed = if is_valid { reference.speed } else { 1.0 };
            let span = Span {
                reference: i,
                action: reference.action.into(),
                first_frame: timeline.frames,
                frames: u32::from(reference.start.abs_diff(reference.end)) + 1,
                start_us: timeline.duration_us,
                us_per_frame: f64::from(action.us_per_frame) / f64::from(speed),
                start: reference.start,
                is_downward: reference.start > reference.end,
            };
            timeline.frames += span.frames;
            timeline.duration_us = span.end_us();
            timeline.spans.push(span);
        }
        Some(timeline)
    }

    /// `true` for each part that is drawn while an action plays, or at rest.
    pub fn visible_parts(&self, action: Option<usize>) -> Vec<bool> {
        let action = action.and_then(|action| self.actions.get(action));
        let is_visible = |part: &Part| {
            let is_listed = action.is_some_and(|action| action.lists(&part.name.text));
            match action.map_or(0, |action| action.part_list_mode) {
                1 => part.is_visible && !is_listed,
                2 => is_listed,
                3 => !is_listed,
                _ => part.is_visible || is_listed,
            }
        };
        self.parts.iter().map(is_visible).collect()
    }

    /// Index of the material of a part while an animation plays, or at rest, as written. It may be
    /// outside the list.
    pub fn material_of(&self, part: &Part, animation: Option<usize>) -> u8 {
        let animation = animation.and_then(|animation| self.animations.get(animation));
        let name = animation.map_or("", |animation: &Animation| &animation.name.text);
        let overrides = part.overrides.iter().rev();
        let of_animation = overrides.filter(|it| !name.is_empty() && it.animation.text == name);
        // Of equal priorities, the first applies: it is the last one from the end.
        let highest = of_animation.max_by_key(|it| it.priority);
        highest.map_or(part.material, |it| it.material)
    }
}

impl Action {
    /// The tracks of a bone: the first with its name.
    pub fn tracks_of(&self, bone: &str) -> Option<&BoneTracks> {
        let mut tracks = self.tracks.iter();
        tracks.find(|tracks| !bone.is_empty() && tracks.bone.text == bone)
    }

    /// `true` if its list contains a part.
    fn lists(&self, part: &str) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|listed| !part.is_empty() && listed.text == part)
    }
}

impl BoneTracks {
    /// Translation, rotation and scale at a frame of the action.
    pub fn pose_at(&self, frame: f32) -> ([f32; 3], [f32; 3], [f32; 3]) {
        (
            value_at(&self.translation, frame, [0.0; 3]),
            value_at(&self.rotation, frame, [0.0; 3]),
            value_at(&self.scale, frame, [1.0; 3]),
        )
    }
}

/// The value of a track at a frame of the action. `absent` is the value of an empty track, and of
/// keys that are not finite.
pub fn value_at(keys: &[Key], frame: f32, absent: [f32; 3]) -> [f32; 3] {
    let value = |key: &Key| {
        let is_finite = key.value.iter().all(|number| number.is_finite());
        if is_finite { key.value } else { absent }
    };
    let next = keys.partition_point(|key| key.frame as f32 <= frame);
    let before = next.checked_sub(1).and_then(|before| keys.get(before));
    match (before, keys.get(next)) {
        (None, None) => absent,
        (None, Some(key)) | (Some(key), None) => value(key),
        // The mode is that of the way to the key.
        (Some(before), Some(after)) if after.mode == 0 => value(before),
        (Some(before), Some(after)) => {
            let way = (frame - before.frame as f32) / (after.frame - before.frame) as f32;
            let (before, after) = (value(before), value(after));
            std::array::from_fn(|i| before[i] * (1.0 - way) + after[i] * way)
        }
    }
}
