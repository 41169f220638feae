//! The places where content stands.

use std::ops::Range;

use glam::Affine3A;

use mapscope_scene::Playhead;
use mapscope_scene::model::simplify::MAX_LEVELS;

/// One of the places where content stands, and the moment at which it is there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Instance {
    pub(crate) world_from_model: Affine3A,
    pub(crate) playhead: Playhead,
}

/// Which of the instances of a level of detail are drawn where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InstanceRanges {
    /// In the frame, of those that are not mirrored.
    pub(crate) upright: Range<u32>,
    /// The same of those that are.
    pub(crate) mirrored: Range<u32>,
    /// In the shadow map.
    pub(crate) casting: Range<u32>,
    /// In what water reflects: of those that are not mirrored, and of those that are.
    pub(crate) reflected: [Range<u32>; 2],
}

impl InstanceRanges {
    /// Nothing is drawn anywhere.
    pub(crate) const NONE: Self = Self {
        upright: 0..0,
        mirrored: 0..0,
        casting: 0..0,
        reflected: [0..0, 0..0],
    };

    /// What is drawn in the frame, and whether it is seen as in a mirror.
    pub(crate) fn in_frame(&self) -> [(bool, Range<u32>); 2] {
        [(false, self.upright.clone()), (true, self.mirrored.clone())]
    }

    /// The same of what water reflects.
    pub(crate) fn in_water(&self) -> [(bool, Range<u32>); 2] {
        let [upright, mirrored] = self.reflected.clone();
        [(true, upright), (false, mirrored)]
    }
}

/// [`InstanceRanges`] by level of detail, from the finest.
pub(crate) type LevelRanges = [InstanceRanges; MAX_LEVELS];
