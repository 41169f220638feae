//! A document on the GPU.

use std::any::Any;

use glam::Affine3A;

use crate::frame::content::{AnyRenderer, ContentData};
use crate::frame::instances::{Instance, InstanceRanges, LevelRanges};
use crate::frame::light::FrameLight;
use crate::frame::lines::LineData;
use crate::frame::pass::{Background, Phase};
use crate::frame::reflection::Reflection;
use crate::frame::shadow::ShadowData;
use crate::frame::uniforms::{FrameData, FrameLayout};
use crate::frame::view::{Frustum, LocalView, is_mirrored, largest_scale};
use crate::gpu::Gpu;
use crate::kinds::level::LevelData;
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::{Aabb, Drawable};

/// A document on the GPU. It holds the values of one frame at a time: commands that draw it
/// from two places must be submitted one after the other.
#[derive(Debug)]
pub struct SceneData {
    pub(super) frame: FrameData,
    pub(super) lines: LineData,
    pub(super) shadow: ShadowData,
    /// In the order in which the document first named them.
    pub(super) contents: Vec<Content>,
    /// How many bytes are sent before each frame; none to send all at once.
    pub(super) bytes_per_frame: Option<u64>,
    /// How many contents are not there yet.
    pub(super) awaited: usize,
    pub(super) background: Background,
    /// The sky of the document, if it is made of images.
    pub(super) skybox: Option<Skybox>,
    /// What its water reflects, once that is drawn.
    pub(super) reflection: Option<Reflection>,
    /// The contents of the frame that was prepared, the furthest first.
    pub(super) far_to_near: Vec<usize>,
}

/// A sky of images on the GPU.
#[derive(Debug)]
pub(super) struct Skybox {
    pub(super) view: wgpu::TextureView,
    pub(super) bytes: u64,
}

/// Something that a document is made of, on the GPU.
#[derive(Debug)]
pub(super) struct Content {
    /// The index of its renderer.
    pub(super) renderer: usize,
    pub(super) key: ContentKey,
    /// None if the device has no room for it.
    pub(super) data: Option<Box<dyn ContentData>>,
    /// Whether the document still has it.
    pub(super) is_listed: bool,
    /// Where it stands in the next frame, or casts a shadow from, by level of detail and [`Group`].
    pub(super) groups: [[Vec<Instance>; Group::COUNT]; MAX_LEVELS],
    /// All of these, one level after the other, and in it one group after the other.
    pub(super) instances: Vec<Instance>,
    pub(super) ranges: LevelRanges,
    /// What of it is on the shadow map, in the order of the document: as it was when that was drawn
    /// last, and as it is to be.
    pub(super) casting: [Vec<Instance>; 2],
    pub(super) is_prepared: bool,
    /// Whether the space that it is drawn in is mirrored.
    pub(super) is_mirrored: bool,
    /// How far away it is.
    pub(super) depth: f32,
    /// The frame as it is seen from there, once it stands elsewhere than in the middle of the world.
    pub(super) frame: Option<FrameData>,
}

/// Instances that are drawn in the same places: what the frame draws and what the shadow map draws
/// follow each other. All that are not mirrored are drawn for the water to reflect, and all that are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Group {
    Reflected,
    Seen,
    SeenAndCasting,
    Casting,
    MirroredCasting,
    MirroredSeenAndCasting,
    MirroredSeen,
    MirroredReflected,
}

impl Group {
    const COUNT: usize = 8;

    /// None for what is neither in the frame nor in a mirror nor casts a shadow.
    fn of(is_mirrored: bool, [is_seen, is_casting, is_reflected]: [bool; 3]) -> Option<Self> {
        Some(match (is_mirrored, is_seen, is_casting) {
            (_, false, false) if !is_reflected => return None,
            (false, false, false) => Self::Reflected,
            (true, false, false) => Self::MirroredReflected,
            (false, true, false) => Self::Seen,
            (false, true, true) => Self::SeenAndCasting,
            (false, false, true) => Self::Casting,
            (true, false, true) => Self::MirroredCasting,
            (true, true, true) => Self::MirroredSeenAndCasting,
            (true, true, false) => Self::MirroredSeen,
        })
    }
}

/// What tells content from other content: its address, and its revision.
pub(super) type ContentKey = (usize, u64);

pub(super) fn key(drawable: &Drawable<'_>) -> ContentKey {
    ((&raw const *drawable.content).addr(), drawable.revision)
}

impl SceneData {
    pub(super) fn new(gpu: &Gpu, frame: FrameData, bytes_per_frame: Option<u64>) -> Self {
        Self {
            frame,
            lines: LineData::new(gpu),
            shadow: ShadowData::default(),
            contents: Vec::new(),
            bytes_per_frame,
            awaited: 0,
            background: Background::Sky,
            skybox: None,
            reflection: None,
            far_to_near: Vec::new(),
        }
    }

    /// Bytes of GPU memory that it holds.
    pub fn gpu_bytes(&self) -> u64 {
        let data = self.contents.iter().filter_map(|c| c.data.as_ref());
        let skybox = self.skybox.as_ref().map_or(0, |skybox| skybox.bytes);
        let reflection = self.reflection.as_ref().map_or(0, Reflection::gpu_bytes);
        let data = data.map(|data| data.gpu_bytes()).sum::<u64>();
        data + self.shadow.gpu_bytes() + skybox + reflection
    }

    /// How many chunks or other contents of how many are on the GPU, of a document that appears
    /// piece by piece; none once all are.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let data = self.contents.iter().filter_map(|c| c.data.as_ref());
        let progress = data.filter_map(|data| data.progress());
        let there = self.contents.len();
        let awaited = (self.awaited > 0).then_some((there, there + self.awaited));
        let all = progress.chain(awaited);
        all.reduce(|(done, all), (more, of)| (done + more, all + of))
    }

    /// What was prepared, as it follows each other in a phase: what is transparent from far to
    /// near. What is opaque goes against the order of the document, which has the ground before what
    /// stands on it: what is hidden is not shaded.
    pub(super) fn in_phase(
        &self,
        phase: Phase,
    ) -> impl Iterator<Item = (&Content, &dyn ContentData)> {
        let contents = self
            .far_to_near
            .iter()
            .enumerate()
            .map(move |(at, &far_at)| {
                self.contents.get(match phase {
                    Phase::Transparent => far_at,
                    Phase::Opaque | Phase::Reflection => self.contents.len() - 1 - at,
                    Phase::Shadow | Phase::Background | Phase::Lines => at,
                })
            });
        let prepared = contents.flatten().filter(|content| content.is_prepared);
        prepared.filter_map(|content| Some((content, content.data.as_deref()?)))
    }

    /// The first content of a type.
    fn data_mut<D: ContentData>(&mut self) -> Option<&mut D> {
        self.contents.iter_mut().find_map(|content| {
            let data: &mut dyn Any = &mut **content.data.as_mut()?;
            data.downcast_mut()
        })
    }

    /// Says whether flat faces of levels are joined where they are small on screen, which leaves
    /// gaps of a pixel now and then. At first they are.
    pub fn set_merges_faces(&mut self, merges_faces: bool) {
        if let Some(level) = self.data_mut::<LevelData>() {
            level.set_merges_faces(merges_faces);
        }
    }
}

impl Content {
    pub(super) fn new(
        renderer: usize,
        key: ContentKey,
        data: Option<Box<dyn ContentData>>,
    ) -> Self {
        Self {
            renderer,
            key,
            data,
            is_listed: true,
            groups: Default::default(),
            instances: Vec::new(),
            ranges: [InstanceRanges::NONE; MAX_LEVELS],
            casting: Default::default(),
            is_prepared: false,
            is_mirrored: false,
            depth: 0.0,
            frame: None,
        }
    }

    /// Whether it is ground in its own place, as far as that is known.
    pub(super) fn is_ground(&self) -> bool {
        let data = self.data.as_ref();
        let mut instances = self.groups.as_flattened().iter().flatten();
        data.is_some_and(|it| it.ground_shadow().is_some())
            && instances.all(|it| it.world_from_model == Affine3A::IDENTITY)
    }

    /// Whether it stands nowhere in the next frame yet.
    pub(super) fn is_nowhere(&self) -> bool {
        self.groups.as_flattened().iter().all(Vec::is_empty)
    }

    /// Lets it stand in some places in the next frame, of those that the frustum of the frame or that
    /// of what water reflects sees, or whose shadows may be seen.
    pub(super) fn place(
        &mut self,
        drawable: &Drawable<'_>,
        placements: &[Affine3A],
        local: Option<&LocalView<'_>>,
        [frustum, mirrored]: [Option<&Frustum>; 2],
        mut shadow: Option<&mut ShadowData>,
    ) {
        let view_playhead = local.map(|local| local.playhead).unwrap_or_default();
        let playhead = drawable.playhead.unwrap_or(view_playhead);
        // Between two frames a model may reach further than in either.
        let bounds = drawable.bounds.filter(|_| !playhead.smooth);
        let middle = drawable.bounds.unwrap_or_default().center();
        for world_from_model in placements.iter().copied() {
            let in_world = drawable.bounds.map(|it| it.transformed(&world_from_model));
            let within = in_world.filter(|_| bounds.is_some());
            let sees = |frustum: &Frustum| within.is_none_or(|it| frustum.sees(&it).is_some());
            let is_seen = frustum.is_none_or(sees);
            let is_reflected = mirrored.is_some_and(sees);
            let shadow = shadow.as_deref_mut();
            let is_casting = shadow.is_some_and(|shadow| shadow.add_caster(in_world));
            let is_mirrored = is_mirrored(&world_from_model);
            let Some(group) = Group::of(is_mirrored, [is_seen, is_casting, is_reflected]) else {
                continue;
            };
            let level = match (local, in_world, &self.data) {
                (Some(local), Some(in_world), Some(data)) => {
                    let pixels = local.pixels_per_unit(&in_world);
                    let scale = largest_scale(&world_from_model);
                    data.level_of_detail(&local.view.shown, scale * pixels)
                }
                _ => 0,
            };
            if let Some(local) = local {
                self.depth = local.depth(world_from_model.transform_point3(middle));
            }
            let instance = Instance {
                world_from_model,
                playhead,
            };
            self.groups[level][group as usize].push(instance);
            if is_casting {
                self.casting[1].push(instance);
            }
        }
    }

    /// Makes ready what the next frame needs of it.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        frame: &FrameLayout,
        renderer: &mut dyn AnyRenderer,
        content: &dyn Any,
        local: LocalView<'_>,
    ) {
        let Some(data) = self.data.as_deref_mut() else {
            return;
        };
        self.instances.clear();
        for (groups, ranges) in self.groups.iter().zip(&mut self.ranges) {
            let first = self.instances.len() as u32;
            let mut ends = [0; Group::COUNT];
            for (group, end) in groups.iter().zip(&mut ends) {
                self.instances.extend_from_slice(group);
                *end = self.instances.len() as u32;
            }
            let end = |group: Group| ends[group as usize];
            *ranges = InstanceRanges {
                upright: end(Group::Reflected)..end(Group::SeenAndCasting),
                casting: end(Group::Seen)..end(Group::MirroredSeenAndCasting),
                mirrored: end(Group::MirroredCasting)..end(Group::MirroredSeen),
                reflected: if local.reflected.ground {
                    let [upright, all] = [Group::Casting, Group::MirroredReflected].map(end);
                    [first..upright, upright..all]
                } else {
                    [0..0, 0..0]
                },
            };
        }
        let only = self.instances.first().filter(|_| !renderer.is_instanced());
        if only.is_none() && !renderer.is_instanced() {
            return;
        }
        let mut local = local;
        if let Some(instance) = only {
            local = local.of(&instance.world_from_model);
            local.playhead = instance.playhead;
        }
        (local.instances, local.ranges) = (&self.instances, &self.ranges);
        if local.is_in_place {
            self.frame = None;
        } else {
            let new = || FrameData::new(gpu, frame, Aabb::default(), 0.0);
            self.frame
                .get_or_insert_with(new)
                .write(gpu, &local, &FrameLight::default());
        }
        self.is_mirrored = local.is_mirrored;
        renderer.prepare(gpu, data, content, &local);
        self.is_prepared = true;
    }
}
