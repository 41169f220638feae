//! The state of one view of a document.

use std::any::Any;

use super::scene::{Content, ContentKey};
use crate::frame::{
    AnyRenderer, AnyView, Background, DrawnIn, FrameData, FrameLayout, FrameLight, Frustum,
    Instance, LineData, LocalView, Phase, Placements, Reflection, ShadowData, largest_scale,
};
use crate::gpu::Gpu;
use glam::Affine3A;
use mapscope_scene::{Aabb, Document, Drawable};

/// The state of one view of a document: everything that depends on the camera. It holds one frame at
/// a time; commands that draw two frames of it must be submitted one after the other.
#[derive(Debug)]
pub struct ViewData {
    pub(super) frame: FrameData,
    pub(super) lines: LineData,
    pub(super) shadow: ShadowData,
    /// The reflection in water, once one was drawn.
    pub(super) reflection: Option<Reflection>,
    /// `true` if the frame shows the reflection.
    pub(super) has_reflection: bool,
    pub(super) background: Background,
    /// The placed contents, in the order in which the document first listed them.
    pub(super) placed: Vec<Placed>,
    /// Indices into `placed`, from far to near.
    far_to_near: Vec<usize>,
}

/// Content in the next frame of a view: one placement, or all if it is instanced.
#[derive(Debug)]
pub(super) struct Placed {
    key: ContentKey,
    /// The index of its content, once it is prepared.
    pub(super) content: usize,
    pub(super) placements: Placements,
    /// The state of the content for the camera, and for the reflection if that needs its own.
    pub(super) view: AnyView,
    pub(super) mirror: AnyView,
    /// The uniforms of the frame in model space, unless that is world space.
    pub(super) frame: Option<FrameData>,
    /// `true` if model space is mirrored.
    pub(super) is_mirrored: bool,
    /// `true` for a model that is attached to another one.
    is_attached: bool,
    /// Distance from the eye.
    depth: f32,
    /// The revision of its shadow, and `true` if that has changed.
    shadow_revision: u32,
    is_new_shadow: bool,
    is_listed: bool,
    pub(super) is_prepared: bool,
}

impl ViewData {
    pub(super) fn new(gpu: &Gpu, layout: &FrameLayout, document: &dyn Document) -> Self {
        let bounds = document.about().bounds;
        let floor_height = document.about().floor_height.unwrap_or(0.0);
        Self {
            frame: FrameData::new(gpu, layout, bounds, floor_height),
            lines: LineData::new(gpu),
            shadow: ShadowData::default(),
            reflection: None,
            has_reflection: false,
            background: Background::Sky,
            placed: Vec::new(),
            far_to_near: Vec::new(),
        }
    }

    /// Bytes of GPU memory.
    pub fn gpu_bytes(&self) -> u64 {
        let views = self
            .placed
            .iter()
            .flat_map(|it| [&it.view, &it.mirror])
            .flatten()
            .map(|view| view.gpu_bytes())
            .sum::<u64>();
        let reflection = self.reflection.as_ref().map_or(0, Reflection::gpu_bytes);
        views + self.shadow.gpu_bytes() + reflection
    }

    /// Removes the placements of the last frame.
    pub(super) fn begin(&mut self) {
        for placed in &mut self.placed {
            placed.placements.clear();
            (placed.is_listed, placed.is_prepared) = (false, false);
        }
    }

    /// Adds the placements of a drawable that a frustum of the frame or of its reflection contains,
    /// or whose shadows may be visible.
    pub(super) fn place(
        &mut self,
        renderer: &dyn AnyRenderer,
        content: &Content,
        drawable: &Drawable<'_>,
        local: &LocalView<'_>,
        frusta: [Option<&Frustum>; 2],
    ) {
        let is_instanced = renderer.is_instanced();
        for placed in &mut self.placed {
            placed.is_listed |= placed.key == content.key;
        }
        let frusta = frusta.map(|frustum| frustum.filter(|_| is_instanced));
        let together = if is_instanced { usize::MAX } else { 1 };
        for placements in drawable.placements.chunks(together) {
            let is_free = |placed: &Placed| {
                placed.key == content.key && (is_instanced || placed.placements.is_empty())
            };
            let at = self.placed.iter().position(is_free).unwrap_or_else(|| {
                self.placed.push(Placed::new(content));
                self.placed.len() - 1
            });
            let shadow = Some(&mut self.shadow).filter(|_| renderer.casts_shadows());
            let placed = &mut self.placed[at];
            placed.place(content, (drawable, placements), local, frusta, shadow);
        }
    }

    /// Removes contents that are no longer listed, and finds out which shadows have changed.
    pub(super) fn end(&mut self) {
        let shadow = &mut self.shadow;
        self.placed.retain_mut(|placed| {
            let [drawn, next] = &mut placed.placements.casting;
            shadow.compare(drawn, next);
            drawn.clone_from(next);
            placed.is_listed
        });
    }

    /// Sorts the prepared contents by distance, and chooses the background. The shadow map becomes
    /// stale if any of them casts another shadow in the same place.
    pub(super) fn arrange(&mut self, has_floor: bool, has_skybox: bool) {
        let placed = &self.placed;
        self.far_to_near.clear();
        self.far_to_near.extend(0..placed.len());
        self.far_to_near.sort_unstable_by(|&a, &b| {
            let nearness = placed[b].depth.total_cmp(&placed[a].depth);
            nearness.then(a.cmp(&b))
        });
        let prepared = placed.iter().filter(|placed| placed.is_prepared);
        if prepared.clone().any(|placed| placed.is_new_shadow) {
            self.shadow.invalidate();
        }
        let views = prepared.filter_map(|placed| placed.view.as_ref());
        let background = views.map(|view| view.background()).max();
        // The floor is visible even if nothing on it can be drawn.
        let of_nothing = if has_floor {
            Background::Studio
        } else {
            Background::Sky
        };
        self.background = match background.unwrap_or(of_nothing) {
            Background::Sky if has_skybox => Background::Skybox,
            background => background,
        };
    }

    /// The prepared contents, in the drawing order of a phase. Transparent content is drawn from
    /// far to near. Opaque content is drawn in reverse document order, in which the ground comes
    /// first, so that hidden pixels are not shaded.
    pub(super) fn in_phase(&self, phase: Phase) -> impl Iterator<Item = &Placed> {
        let last = self.placed.len().wrapping_sub(1);
        let far_to_near = self.far_to_near.iter().enumerate();
        let placed = far_to_near.filter_map(move |(at, &far_at)| {
            self.placed.get(match phase {
                Phase::Transparent => far_at,
                Phase::Opaque | Phase::Reflection => last - at,
                Phase::Shadow | Phase::Background | Phase::Lines => at,
            })
        });
        placed.filter(|placed| placed.is_prepared)
    }
}

impl Placed {
    fn new(content: &Content) -> Self {
        Self {
            key: content.key,
            content: 0,
            placements: Placements::default(),
            view: None,
            mirror: None,
            frame: None,
            is_mirrored: false,
            is_attached: false,
            depth: 0.0,
            shadow_revision: 0,
            is_new_shadow: false,
            is_listed: true,
            is_prepared: false,
        }
    }

    fn place(
        &mut self,
        content: &Content,
        (drawable, placements): (&Drawable<'_>, &[Affine3A]),
        local: &LocalView<'_>,
        [frustum, mirrored]: [Option<&Frustum>; 2],
        mut shadow: Option<&mut ShadowData>,
    ) {
        self.is_attached = drawable.is_attached;
        let playhead = drawable.playhead.unwrap_or(local.playhead);
        // A model may reach further between two frames than in either.
        let bounds = drawable.bounds.filter(|_| !playhead.smooth);
        let middle = drawable.bounds.unwrap_or_default().center();
        for world_from_model in placements.iter().copied() {
            let in_world = drawable.bounds.map(|it| it.transformed(&world_from_model));
            let within = in_world.filter(|_| bounds.is_some());
            let sees = |frustum: &Frustum| within.is_none_or(|it| frustum.sees(&it).is_some());
            let shadow = shadow.as_deref_mut();
            let drawn = DrawnIn {
                frame: frustum.is_none_or(sees),
                reflection: mirrored.is_some_and(sees),
                shadow_map: shadow.is_some_and(|shadow| shadow.add_caster(in_world)),
            };
            let level = match (in_world, &content.data) {
                (Some(in_world), Some(data)) if drawn.is_any() => {
                    let pixels = local.pixels_per_unit(&in_world);
                    let scale = largest_scale(&world_from_model);
                    data.level_of_detail(&local.view.shown, scale * pixels)
                }
                _ => 0,
            };
            if drawn.is_any() {
                self.depth = local.depth(world_from_model.transform_point3(middle));
            }
            let instance = Instance {
                world_from_model,
                playhead,
            };
            self.placements.add(instance, level, drawn);
        }
    }

    /// `true` if this is a placement of some content that is not prepared yet.
    pub(super) fn awaits(&self, key: ContentKey) -> bool {
        self.key == key && !self.is_prepared
    }

    /// Prepares the next frame of it, and its reflection if that needs a view of its own.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        layout: &FrameLayout,
        renderer: &mut dyn AnyRenderer,
        (content, drawn): (&mut Content, &dyn Any),
        (mut local, mirrored): (LocalView<'_>, Option<&LocalView<'_>>),
    ) {
        let Some(data) = content.data.as_deref_mut() else {
            return;
        };
        self.placements.arrange(mirrored.is_some());
        let Placements {
            instances, ranges, ..
        } = &self.placements;
        if !renderer.is_instanced() {
            let Some(only) = instances.first() else {
                return;
            };
            local = local.in_model_space(&only.world_from_model);
            local.playhead = only.playhead;
        }
        (local.instances, local.ranges) = (instances, ranges);
        local.is_attached = self.is_attached;
        if local.is_in_place {
            self.frame = None;
        } else {
            let new = || FrameData::new(gpu, layout, Aabb::default(), 0.0);
            let frame = self.frame.get_or_insert_with(new);
            frame.write(gpu, &local, &FrameLight::default());
        }
        self.is_mirrored = local.is_mirrored;
        renderer.prepare(gpu, data, &mut self.view, drawn, &local);
        let is_ground = data.ground_shadow().is_some() && self.placements.is_in_place();
        if let Some(mirrored) = mirrored.filter(|_| is_ground) {
            renderer.prepare(gpu, data, &mut self.mirror, drawn, mirrored);
        }
        let revision = std::mem::replace(&mut self.shadow_revision, data.shadow_revision());
        self.is_new_shadow = revision != self.shadow_revision;
        self.is_prepared = true;
    }
}
