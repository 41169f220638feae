//! The placements of content in a view, sorted by the passes that draw them.

use std::ops::Range;

use glam::Affine3A;

use super::is_mirrored;
use mapscope_scene::Playhead;
use mapscope_scene::model::simplify::MAX_LEVELS;

/// A placement of content, and the moment at which it is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Instance {
    pub(crate) world_from_model: Affine3A,
    pub(crate) playhead: Playhead,
}

/// The instances of one level of detail that each pass draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct InstanceRanges {
    /// In the frame, not mirrored.
    pub(crate) upright: Range<u32>,
    /// In the frame, mirrored.
    pub(crate) mirrored: Range<u32>,
    /// In the shadow map.
    pub(crate) casting: Range<u32>,
    /// In the reflection: not mirrored, and mirrored.
    pub(crate) reflected: [Range<u32>; 2],
}

impl InstanceRanges {
    /// No instances.
    pub(crate) const NONE: Self = Self {
        upright: 0..0,
        mirrored: 0..0,
        casting: 0..0,
        reflected: [0..0, 0..0],
    };

    /// The instances of the frame, each range with `true` if it is seen mirrored.
    pub(crate) fn in_frame(&self) -> [(bool, Range<u32>); 2] {
        [(false, self.upright.clone()), (true, self.mirrored.clone())]
    }

    /// The same for the reflection.
    pub(crate) fn in_water(&self) -> [(bool, Range<u32>); 2] {
        let [upright, mirrored] = self.reflected.clone();
        [(true, upright), (false, mirrored)]
    }
}

/// [`InstanceRanges`] by level of detail, from the finest.
pub(crate) type LevelRanges = [InstanceRanges; MAX_LEVELS];

/// The placements of some content in the next frame of a view.
#[derive(Debug, Default)]
pub(crate) struct Placements {
    /// By level of detail and [`group`].
    groups: [[Vec<Instance>; GROUPS]; MAX_LEVELS],
    /// All of them: level by level, and within it group by group.
    pub(crate) instances: Vec<Instance>,
    pub(crate) ranges: LevelRanges,
    /// The shadow casters in document order: those on the shadow map, and those of the next frame.
    pub(crate) casting: [Vec<Instance>; 2],
}

/// Passes that draw a placement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnIn {
    pub(crate) frame: bool,
    pub(crate) shadow_map: bool,
    pub(crate) reflection: bool,
}

impl DrawnIn {
    /// `true` if any pass draws it.
    pub(crate) fn is_any(self) -> bool {
        self.frame || self.shadow_map || self.reflection
    }
}

/// Number of groups of placements that the same passes draw.
const GROUPS: usize = 8;

/// The group of a placement. The order of groups makes the instances of each pass contiguous: only
/// reflected, seen, seen and casting, only casting, then mirrored ones the other way round.
fn group(is_mirrored: bool, drawn: DrawnIn) -> usize {
    let group = match (drawn.frame, drawn.shadow_map) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    };
    if is_mirrored {
        GROUPS - 1 - group
    } else {
        group
    }
}

impl Placements {
    /// Removes the placements of the last frame.
    pub(crate) fn clear(&mut self) {
        let groups = self.groups.as_flattened_mut();
        groups.iter_mut().for_each(Vec::clear);
        self.casting[1].clear();
    }

    /// `true` if the next frame has no placement.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.as_flattened().iter().all(Vec::is_empty)
    }

    /// `true` if no placement moves the content.
    pub(crate) fn is_in_place(&self) -> bool {
        let mut placed = self.groups.as_flattened().iter().flatten();
        placed.all(|it| it.world_from_model == Affine3A::IDENTITY)
    }

    /// Adds a placement, unless no pass draws it.
    pub(crate) fn add(&mut self, instance: Instance, level: usize, drawn: DrawnIn) {
        if !drawn.is_any() {
            return;
        }
        let group = group(is_mirrored(&instance.world_from_model), drawn);
        self.groups[level][group].push(instance);
        if drawn.shadow_map {
            self.casting[1].push(instance);
        }
    }

    /// Lists the instances and the ranges that each pass draws.
    pub(crate) fn arrange(&mut self, has_reflection: bool) {
        self.instances.clear();
        for (groups, ranges) in self.groups.iter().zip(&mut self.ranges) {
            let mut at = [self.instances.len() as u32; GROUPS + 1];
            for (group, end) in groups.iter().zip(&mut at[1..]) {
                self.instances.extend_from_slice(group);
                *end = self.instances.len() as u32;
            }
            *ranges = InstanceRanges {
                upright: at[1]..at[3],
                casting: at[2]..at[6],
                mirrored: at[5]..at[7],
                // All of a winding.
                reflected: if has_reflection {
                    [at[0]..at[4], at[4]..at[8]]
                } else {
                    [0..0, 0..0]
                },
            };
        }
    }
}
