//! Poses of bones between the keys of a P3M file (fact sheet P4 and P5).

use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::Playhead;
use crate::kinds::model::skeleton::LocalPose;
use mapscope_formats::p3m::{P3m, Timeline};

/// The animations of a P3M file, and its bones at rest.
#[derive(Debug)]
pub(crate) struct Keys {
    file: Arc<P3m>,
    /// The pose of each bone at rest, relative to its parent.
    rest: Vec<LocalPose>,
    /// For each action, the index of each bone's tracks in it.
    tracks: Vec<Vec<Option<u32>>>,
    timelines: Vec<Timeline>,
}

impl Keys {
    pub(super) fn new(file: Arc<P3m>, rest: Vec<LocalPose>) -> Self {
        let tracks = file.actions.iter().map(|action| {
            let index_of = |name: &str| {
                let mut tracks = action.tracks.iter();
                let index = tracks.position(|tracks| tracks.bone.text == name)?;
                Some(index as u32)
            };
            // Of bones with one name, the first is meant.
            let bones = file.bones.iter().enumerate().map(|(index, bone)| {
                let name = &bone.name.text;
                let is_first = file.bone_named(name) == Some(index);
                index_of(name).filter(|_| is_first)
            });
            bones.collect()
        });
        let animations = 0..file.animations.len();
        let timelines = animations.filter_map(|index| file.timeline(index));
        Self {
            tracks: tracks.collect(),
            timelines: timelines.collect(),
            rest,
            file,
        }
    }

    /// The number of frames of each animation.
    pub(in crate::kinds::model) fn frames(&self) -> impl Iterator<Item = u32> {
        self.timelines.iter().map(|timeline| timeline.frames)
    }

    /// The timeline of an animation.
    pub(in crate::kinds::model) fn timeline(&self, clip: usize) -> Option<&Timeline> {
        self.timelines.get(clip)
    }

    /// The frame rates of an animation, as in [`ClipInfo::rates`](crate::ClipInfo::rates).
    pub(in crate::kinds::model) fn rates(&self, clip: usize) -> Vec<(u32, f64)> {
        let spans = self
            .timelines
            .get(clip)
            .into_iter()
            .flat_map(|it| &it.spans);
        let rates = spans.map(|span| (span.first_frame + span.frames, 1e6 / span.us_per_frame));
        rates
            .filter(|(_, fps)| fps.is_finite() && *fps > 0.0)
            .collect()
    }

    /// Index of the action that plays at a moment.
    pub(super) fn action_at(&self, playhead: Playhead) -> Option<usize> {
        let moment = self.timelines.get(playhead.clip?)?.at(playhead.frame)?;
        Some(moment.action)
    }

    /// Returns the pose of a bone relative to its parent at a moment of an animation, in frames of
    /// the animation.
    pub(in crate::kinds::model) fn local(&self, clip: usize, frame: f32, bone: usize) -> LocalPose {
        let Some(rest) = self.rest.get(bone) else {
            return LocalPose::REST;
        };
        let moment = self.timelines.get(clip).and_then(|it| it.at(frame));
        let tracks = moment.and_then(|moment| {
            let index = *self.tracks.get(moment.action)?.get(bone)?;
            let action = self.file.actions.get(moment.action)?;
            Some((action.tracks.get(index? as usize)?, moment.frame))
        });
        let Some((tracks, frame)) = tracks else {
            return *rest;
        };
        let (translation, [x, y, z], scale) = tracks.pose_at(frame);
        // The keys are in Blender's axes: Y and Z change places, which turns rotations around.
        let rotation =
            Quat::from_rotation_z(-y) * Quat::from_rotation_x(-x) * Quat::from_rotation_y(-z);
        LocalPose {
            translation: rest.translation + rest.rotation * swapped(translation),
            rotation: rest.rotation * rotation,
            scale: swapped(scale),
        }
    }

    /// `true` if some action scales a bone.
    pub(in crate::kinds::model) fn is_scaled(&self, bone: usize) -> bool {
        let mut actions = self.file.actions.iter().zip(&self.tracks);
        actions.any(|(action, tracks)| {
            let index = tracks.get(bone).copied().flatten();
            let tracks = index.and_then(|index| action.tracks.get(index as usize));
            tracks.is_some_and(|tracks| !tracks.scale.is_empty())
        })
    }

    /// Heap size in bytes.
    pub(in crate::kinds::model) fn cpu_bytes(&self) -> usize {
        let tracks = self.tracks.iter().map(|it| size_of_val(it.as_slice()));
        size_of_val(self.rest.as_slice()) + tracks.sum::<usize>()
    }
}

/// Exchanges Y and Z, between the axes of the file and those of Blender.
fn swapped([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x, z, y)
}
