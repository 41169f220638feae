//! The shadow map: shadows of the objects on the ground.
//!
//! The map covers the view. It moves in coarse steps of whole texels: shadow edges do not shimmer
//! while the camera moves, and many frames share one map. It is redrawn only if it moves or a
//! caster changes. During playback, a separate texture keeps the resting casters. Each frame copies
//! it and draws only the playing casters.
//!
//! The ground does not cast into the map. Its shadow is computed exactly
//! ([`sun`](mapscope_scene::terrain::sun)) and kept in a texture of its own.

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::{
    DrawStatistics, FrameLayout, FramePass, Frustum, Instance, LightData, LocalView, ShadowPlace,
};
use crate::gpu::{DEPTH_FORMAT, Gpu, PassTimer, TimedPass, source, texture};
use mapscope_scene::Aabb;

/// Texels along a side of the shadow map: on a GPU as in the engine (fact sheet A10), and on a
/// software adapter, where each texel costs CPU time.
const SHADOW_TEXELS: [u32; 2] = [2048, 1024];
/// Lookups at the edge of a shadow: on a GPU, and on a software adapter, which would execute extra
/// lookups for every pixel.
const SHADOW_LOOKUPS: [u32; 2] = [5, 1];
/// Steps per width of the map. The map moves by whole steps.
const STEPS: f32 = 16.0;
/// Number of map sizes per doubling of the size.
const SIZES_PER_OCTAVE: f32 = 4.0;
/// Minimum width and height of the map, in world units.
const MIN_SIDE: f32 = 8.0;
/// Distance from the nearest visible point up to which shadows are drawn, in world units.
const MAX_DISTANCE: f32 = 1536.0;
/// The depth range begins and ends at multiples of this, in world units.
const DEPTH_STEP: f32 = 16.0;

/// Shader source of the lookups in the shadow map, for surfaces that receive shadows.
pub(crate) const SHADOW: (&str, &str) = source!("shadow.wgsl");

/// The shader constant with the number of lookups.
pub(crate) fn lookups_constant(gpu: &Gpu) -> (&'static str, f64) {
    let lookups = SHADOW_LOOKUPS[usize::from(gpu.is_software())];
    ("SHADOW_LOOKUPS", lookups.into())
}

/// The bounds of a box and of its shadow on a plane at height `lowest`, in world space.
pub(crate) fn with_shadow(bounds: &Aabb, to_sun: Vec3, lowest: f32) -> Aabb {
    // Light from the side casts long shadows.
    let fall = ((bounds.max.y - lowest) / to_sun.y.max(1e-3)).max(0.0);
    let shift = to_sun * fall;
    let end = Aabb {
        min: (bounds.min - shift).with_y(bounds.min.y.min(lowest)),
        max: bounds.max - shift,
    };
    bounds.union(&end)
}

/// The part of the world that the shadow map covers: an infinite box along the direction of the
/// sun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShadowFit {
    /// Right, up and toward the sun, as unit vectors.
    axes: [Vec3; 3],
    /// Start along the first two axes.
    min: Vec2,
    /// Size along the first two axes.
    size: Vec2,
    /// The frustum of the view.
    frustum: Frustum,
    /// Bounds of the document.
    bounds: Aabb,
}

impl ShadowFit {
    /// Covers the visible part of a box; `None` if the box is invisible.
    pub(crate) fn new(local: &LocalView<'_>, bounds: &Aabb, to_sun: Vec3) -> Option<Self> {
        let up = if to_sun.y.abs() > 0.999 {
            Vec3::X
        } else {
            Vec3::Y
        };
        let right = up.cross(to_sun).normalize_or(Vec3::X);
        let axes = [right, to_sun.cross(right), to_sun];
        let mut corners = corners_in_view(local, bounds, None);
        let ahead = |point: &Vec3| (*point - local.eye).dot(local.forward);
        let nearest = corners.iter().map(ahead).fold(f32::INFINITY, f32::min);
        let end = nearest.max(0.0) + MAX_DISTANCE;
        if corners.iter().any(|point| ahead(point) > end) {
            let far_plane = (-local.forward).extend(end + local.forward.dot(local.eye));
            corners = corners_in_view(local, bounds, Some(far_plane));
        }
        let flat = |point: &Vec3| Vec2::new(point.dot(axes[0]), point.dot(axes[1]));
        let flat = corners.iter().map(flat);
        let [min, max] = flat.fold([Vec2::INFINITY, Vec2::NEG_INFINITY], |[min, max], point| {
            [min.min(point), max.max(point)]
        });
        if !(min.is_finite() && max.is_finite()) {
            return None;
        }
        let [(x, width), (y, height)] = [snapped(min.x, max.x), snapped(min.y, max.y)];
        Some(Self {
            axes,
            min: Vec2::new(x, y),
            size: Vec2::new(width, height),
            frustum: Frustum::new(local.clip_from_model),
            bounds: *bounds,
        })
    }

    /// `true` if the shadow of a box may be visible and is on the map.
    fn meets(&self, bounds: &Aabb) -> bool {
        let overlaps = |i: usize| {
            let [low, high] = extent(bounds, self.axes[i]);
            low <= self.min[i] + self.size[i] && high >= self.min[i]
        };
        let in_shadow = with_shadow(bounds, self.axes[2], self.bounds.min.y);
        overlaps(0) && overlaps(1) && self.frustum.sees(&in_shadow).is_some()
    }

    /// World space to clip space of the shadow map, for a range of depths.
    fn clip_from_world(&self, [low, high]: [f32; 2]) -> Mat4 {
        let scale = (2.0 / self.size).extend(1.0 / (high - low));
        let offset = (-1.0 - self.min * scale.truncate()).extend(-low * scale.z);
        let [right, up, to_sun] = self.axes;
        Mat4::from_cols(
            (right * scale.x).extend(offset.x),
            (up * scale.y).extend(offset.y),
            (to_sun * scale.z).extend(offset.z),
            Vec4::W,
        )
        .transpose()
    }
}

/// The range of a box along an axis.
fn extent(bounds: &Aabb, axis: Vec3) -> [f32; 2] {
    let middle = bounds.center().dot(axis);
    let half = ((bounds.max - bounds.min) * 0.5).dot(axis.abs());
    [middle - half, middle + half]
}

/// Extends a range to the next map size. Returns its start, a multiple of the step, and its length.
fn snapped(low: f32, high: f32) -> (f32, f32) {
    let needed = (high - low).max(MIN_SIDE) * STEPS / (STEPS - 2.0);
    let length = ((needed.log2() * SIZES_PER_OCTAVE).ceil() / SIZES_PER_OCTAVE).exp2();
    let step = length / STEPS;
    ((low / step - 0.5).floor() * step, length)
}

/// The corners of the visible part of a box, up to an optional far plane.
fn corners_in_view(local: &LocalView<'_>, bounds: &Aabb, far: Option<Vec4>) -> Points<MAX_CORNERS> {
    /// The corners of each face of a box, in order.
    const FACES: [[usize; 4]; 6] = [
        [0, 1, 3, 2],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 3, 7, 5],
    ];
    let frustum = Frustum::new(local.clip_from_model);
    let planes = || frustum.planes.iter().copied().chain(far);
    let mut corners = Points::default();
    let all = bounds.corners();
    for face in FACES {
        let mut polygon = Points::default();
        for corner in face {
            polygon.push(all[corner]);
        }
        for plane in planes() {
            polygon = clip(&polygon, plane);
        }
        for point in polygon.iter() {
            corners.push(*point);
        }
    }
    let world_from_clip = local.clip_from_model.inverse();
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let point = world_from_clip.project_point3(Vec3::new(x, y, 1.0));
        if point.clamp(bounds.min, bounds.max) == point {
            corners.push(point);
        }
    }
    corners
}

/// Maximum number of corners of a face after six cuts. Each cut may add one corner.
const MAX_FACE_CORNERS: usize = 4 + 6;
/// Maximum number of corners of six faces and of the near plane.
const MAX_CORNERS: usize = 6 * MAX_FACE_CORNERS + 4;

/// A list of points with a maximum length.
#[derive(Debug, Clone, Copy)]
struct Points<const MAX: usize> {
    points: [Vec3; MAX],
    count: usize,
}

impl<const MAX: usize> Default for Points<MAX> {
    fn default() -> Self {
        Self {
            points: [Vec3::ZERO; MAX],
            count: 0,
        }
    }
}

impl<const MAX: usize> Points<MAX> {
    fn push(&mut self, point: Vec3) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += 1;
        }
    }

    fn iter(&self) -> std::slice::Iter<'_, Vec3> {
        self.points[..self.count].iter()
    }
}

/// Cuts a convex polygon at a plane, and keeps the part with positive distances. The corners are in
/// order around the polygon.
fn clip(polygon: &Points<MAX_FACE_CORNERS>, plane: Vec4) -> Points<MAX_FACE_CORNERS> {
    let mut kept = Points::default();
    let distance = |point: Vec3| plane.dot(point.extend(1.0));
    let nexts = polygon.iter().cycle().skip(1);
    for (&point, &next) in polygon.iter().zip(nexts) {
        let [here, there] = [distance(point), distance(next)];
        if here >= 0.0 {
            kept.push(point);
        }
        if (here >= 0.0) != (there >= 0.0) {
            kept.push(point.lerp(next, here / (here - there)));
        }
    }
    kept
}

/// A kind of casters: resting or playing. Each kind is redrawn if any of its casters changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Casters {
    Resting,
    Playing,
}

impl Casters {
    /// All kinds, in drawing order.
    const ALL: [Self; 2] = [Self::Resting, Self::Playing];

    /// The kind of the instances of some content.
    pub(crate) fn of(instances: &[Instance]) -> Self {
        let plays = |instance: &Instance| instance.playhead.clip.is_some();
        if instances.iter().any(plays) {
            Self::Playing
        } else {
            Self::Resting
        }
    }
}

/// The shadow map of one view.
#[derive(Debug, Default)]
pub(crate) struct ShadowData {
    /// Created with the first caster.
    map: Option<ShadowMap>,
    /// A copy of the map with only the resting casters. Created with the first playing caster.
    resting: Option<DepthTexture>,
    /// The area that the map covers in the next frame; `None` without shadows.
    pub(crate) fit: Option<ShadowFit>,
    /// World space to clip space of the map. A change makes the map stale.
    clip_from_world: Mat4,
    /// Bounds of the casters of the next frame, in world space.
    pub(crate) casters: Vec<Aabb>,
    /// `true` for each kind of casters that must be redrawn.
    is_stale: [bool; 2],
    /// The cost of each kind when it was last drawn.
    statistics: [DrawStatistics; 2],
}

#[derive(Debug)]
struct ShadowMap {
    /// Number of texels along each side.
    texels: u32,
    depths: DepthTexture,
    light: LightData,
}

#[derive(Debug)]
struct DepthTexture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

impl ShadowData {
    /// Begins the next frame.
    pub(crate) fn begin(&mut self, fit: Option<ShadowFit>) {
        self.fit = fit;
        self.casters.clear();
    }

    /// Marks the affected kinds of casters as stale, if the instances of some content on the map
    /// (`drawn`) differ from those of the next frame.
    pub(crate) fn compare(&mut self, drawn: &[Instance], next: &[Instance]) {
        if drawn == next {
            return;
        }
        for instances in [drawn, next] {
            if !instances.is_empty() {
                self.is_stale[Casters::of(instances) as usize] = true;
            }
        }
    }

    /// Marks the whole map as stale.
    pub(crate) fn invalidate(&mut self) {
        self.is_stale = [true; 2];
    }

    /// Adds a caster of the next frame. A caster without bounds may be anywhere. Returns `true` if
    /// its shadow may be visible.
    pub(crate) fn add_caster(&mut self, in_world: Option<Aabb>) -> bool {
        let Some(fit) = self.fit else {
            return false;
        };
        let in_world = in_world.unwrap_or(fit.bounds);
        let is_needed = in_world.is_finite() && fit.meets(&in_world);
        if is_needed {
            self.casters.push(in_world);
        }
        is_needed
    }

    /// The casters of the next frame; `None` without shadows.
    pub(crate) fn casters_of_frame(&self) -> Option<&[Aabb]> {
        self.is_on().then_some(&*self.casters)
    }

    /// `true` if the next frame has shadows.
    pub(crate) fn is_on(&self) -> bool {
        self.fit.is_some() && !self.casters.is_empty()
    }

    /// Prepares the map, and returns its place.
    pub(crate) fn prepare(&mut self, gpu: &Gpu, layout: &FrameLayout) -> ShadowPlace {
        let Some(fit) = self.fit.filter(|_| self.is_on()) else {
            return ShadowPlace::default();
        };
        let depths = self
            .casters
            .iter()
            .map(|bounds| extent(bounds, fit.axes[2]));
        let whole = [f32::INFINITY, f32::NEG_INFINITY];
        let [low, high] = depths.fold(whole, |[low, high], [a, b]| [low.min(a), high.max(b)]);
        let low = ((low / DEPTH_STEP).floor() - 1.0) * DEPTH_STEP;
        let high = ((high / DEPTH_STEP).ceil() + 1.0) * DEPTH_STEP;
        let clip_from_world = fit.clip_from_world([low, high]);
        let map = self.map.get_or_insert_with(|| {
            self.is_stale = [true; 2];
            ShadowMap::new(gpu, layout)
        });
        if self.clip_from_world != clip_from_world {
            self.clip_from_world = clip_from_world;
            self.is_stale = [true; 2];
        }
        map.light.write(gpu, clip_from_world);
        // Texture rows run from top to bottom, unlike clip space.
        let texture_from_clip = Mat4::from_cols(
            Vec4::new(0.5, 0.0, 0.0, 0.0),
            Vec4::new(0.0, -0.5, 0.0, 0.0),
            Vec4::Z,
            Vec4::new(0.5, 0.5, 0.0, 1.0),
        );
        let texel = 1.0 / map.texels as f32;
        let surface_offset = fit.size.max_element() * texel * 1.5;
        ShadowPlace {
            shadow_from_world: texture_from_clip * clip_from_world,
            shadow: Vec4::new(surface_offset, texel, 0.0, 0.0),
        }
    }

    /// The texture of the map, if it exists.
    pub(crate) fn view(&self) -> Option<&wgpu::TextureView> {
        self.map.as_ref().map(|map| &map.depths.view)
    }

    /// Redraws the stale parts of the map. `plays` is `true` if there are playing casters. `draw`
    /// draws the casters of a kind, with the sun's view in bind group 0.
    pub(crate) fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        mut timer: Option<&mut PassTimer>,
        plays: bool,
        draw: impl Fn(Casters, &mut FramePass<'_>),
    ) {
        let is_on = self.is_on();
        let Some(map) = self.map.as_ref().filter(|_| is_on) else {
            return;
        };
        // OpenGL cannot copy depth textures. There, resting casters are redrawn with the playing
        // ones.
        if plays && self.resting.is_none() && !gpu.is_opengl() {
            self.resting = Some(DepthTexture::new(gpu, map.texels));
            self.is_stale = [true; 2];
        }
        if self.is_stale == [false; 2] {
            return;
        }
        let [resting, playing] = Casters::ALL;
        if self.is_stale[resting as usize] || self.resting.is_none() {
            let target = self.resting.as_ref().unwrap_or(&map.depths);
            let timestamps = timestamps_of(&mut timer);
            let load = wgpu::LoadOp::Clear(0.0);
            let mut pass = map.begin_pass(encoder, target, load, timestamps);
            draw(resting, &mut pass);
            self.statistics[resting as usize] = pass.statistics;
        }
        if let Some(resting) = &self.resting {
            let [from, to] = [resting, &map.depths].map(|depths| depths.texture.as_image_copy());
            encoder.copy_texture_to_texture(from, to, map.depths.texture.size());
        }
        self.statistics[playing as usize] = DrawStatistics::default();
        if plays {
            let timestamps = timestamps_of(&mut timer);
            let load = wgpu::LoadOp::Load;
            let mut pass = map.begin_pass(encoder, &map.depths, load, timestamps);
            draw(playing, &mut pass);
            self.statistics[playing as usize] = pass.statistics;
        }
        self.is_stale = [false; 2];
    }

    /// Triangles and draw calls of all casters on the map.
    pub(crate) fn statistics(&self) -> DrawStatistics {
        if !self.is_on() {
            return DrawStatistics::default();
        }
        let [resting, playing] = self.statistics;
        DrawStatistics {
            shadow_triangles: resting.triangles + playing.triangles,
            shadow_draw_calls: resting.draw_calls + playing.draw_calls,
            ..DrawStatistics::default()
        }
    }

    /// Size in GPU memory, in bytes.
    pub(crate) fn gpu_bytes(&self) -> u64 {
        let map = self.map.as_ref().map(|map| &map.depths);
        let all = map.into_iter().chain(&self.resting);
        all.map(|DepthTexture { texture, .. }| u64::from(texture.width() * texture.height()) * 4)
            .sum()
    }
}

/// The timestamps of a pass over the map, if it is timed.
fn timestamps_of<'t>(
    timer: &'t mut Option<&mut PassTimer>,
) -> Option<wgpu::RenderPassTimestampWrites<'t>> {
    timer.as_mut()?.begin(TimedPass::ShadowMap)
}

impl ShadowMap {
    fn new(gpu: &Gpu, layout: &FrameLayout) -> Self {
        let texels = SHADOW_TEXELS[usize::from(gpu.is_software())];
        Self {
            texels,
            depths: DepthTexture::new(gpu, texels),
            light: LightData::new(gpu, layout),
        }
    }

    /// Begins a pass that draws to `target` from the sun's view.
    fn begin_pass<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        target: &DepthTexture,
        load: wgpu::LoadOp<f32>,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> FramePass<'e> {
        let mut pass = FramePass::new(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow map"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &target.view,
                depth_ops: Some(wgpu::Operations {
                    load,
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes,
            ..Default::default()
        }));
        pass.set_bind_group(0, &self.light.bind_group, &[]);
        pass
    }
}

impl DepthTexture {
    /// Creates a square texture with `texels` texels along each side.
    fn new(gpu: &Gpu, texels: u32) -> Self {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC
            | wgpu::TextureUsages::COPY_DST;
        let size = ([texels; 2], 1, 1);
        let texture = texture(gpu, "shadow map", DEPTH_FORMAT, size, usage);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self { texture, view }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::View;
    use mapscope_scene::camera::{Camera, Handedness, Pose};

    const BOUNDS: Aabb = Aabb {
        min: Vec3::new(-512.0, -12.0, -512.0),
        max: Vec3::new(512.0, 60.0, 512.0),
    };
    const TO_SUN: Vec3 = Vec3::new(0.835_673, 0.514_260, 0.192_848);

    fn view(eye: Vec3, target: Vec3) -> View {
        View::plain(Camera::new(Pose { eye, target }, Handedness::Mirrored))
    }

    fn fit(view: &View) -> ShadowFit {
        let local = LocalView::new(view, [1280, 720]);
        ShadowFit::new(&local, &BOUNDS, TO_SUN).unwrap()
    }

    /// From above, near the ground, and from inside the map.
    fn views() -> [View; 4] {
        [
            view(Vec3::new(0.0, 175.0, 0.0), Vec3::new(-15.0, 130.0, -15.0)),
            view(Vec3::new(30.0, 10.0, 30.0), Vec3::new(-60.0, 0.0, 100.0)),
            view(Vec3::new(0.0, 900.0, 1200.0), Vec3::ZERO),
            view(Vec3::new(0.0, 300.0, 0.1), Vec3::ZERO),
        ]
    }

    #[test]
    fn the_map_covers_everything_visible_within_the_maximum_distance() {
        for view in views() {
            let fit = fit(&view);
            let local = LocalView::new(&view, [1280, 720]);
            let shadow_from_world = fit.clip_from_world([-800.0, 800.0]);
            let mut seen = 0;
            for i in 0..40_u32 * 40 * 3 {
                let at = Vec3::new((i % 40) as f32, (i / 1600) as f32, (i / 40 % 40) as f32);
                let place =
                    BOUNDS.min + (BOUNDS.max - BOUNDS.min) * at / Vec3::new(39.0, 2.0, 39.0);
                let clip = local.clip_from_model.project_point3(place);
                let depth = (place - local.eye).dot(local.forward);
                if clip.truncate().abs().max_element() <= 1.0 && depth > 0.0 {
                    seen += 1;
                    let on_map = shadow_from_world.transform_point3(place);
                    // Away from the border, where shadows fade.
                    let max = 1.0 - 2.0 / 32.0 + 1e-4;
                    assert!(on_map.truncate().abs().max_element() <= max, "{on_map}");
                    assert!((0.0..=1.0).contains(&on_map.z));
                }
            }
            assert!(seen > 10, "{seen}");
        }
    }

    #[test]
    fn playback_redraws_only_playing_casters() {
        let gpu = Gpu::headless(None).unwrap();
        let layout = FrameLayout::new(&gpu);
        let view = &views()[0];
        let at = |clip: Option<usize>, frame: f32| {
            let mut instance = Instance::default();
            instance.playhead.clip = clip;
            instance.playhead.frame = frame;
            vec![instance]
        };
        let mut shadow = ShadowData::default();
        let mut last = [Vec::new(), Vec::new()];
        // Draws a frame with resting and playing instances, and returns the redrawn kinds.
        let mut drawn = |next: [Vec<Instance>; 2]| {
            shadow.begin(Some(fit(view)));
            assert!(shadow.add_caster(None));
            for (last, next) in last.iter().zip(&next) {
                shadow.compare(last, next);
            }
            let plays = !next[1].is_empty();
            last = next;
            shadow.prepare(&gpu, &layout);
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            let drawn = std::cell::RefCell::new(Vec::new());
            shadow.draw(&gpu, &mut encoder, None, plays, |casters, _| {
                drawn.borrow_mut().push(casters);
            });
            gpu.queue.submit([encoder.finish()]);
            drawn.into_inner()
        };
        use Casters::{Playing, Resting};
        let rests = || at(None, 0.0);
        assert_eq!(drawn([rests(), Vec::new()]), [Resting]);
        assert_eq!(drawn([rests(), Vec::new()]), []);
        assert_eq!(drawn([rests(), at(Some(0), 0.0)]), [Resting, Playing]);
        assert_eq!(drawn([rests(), at(Some(0), 1.0)]), [Playing]);
        assert_eq!(drawn([rests(), at(Some(0), 1.0)]), []);
        assert_eq!(drawn([Vec::new(), at(Some(0), 1.0)]), [Resting, Playing]);
        assert_eq!(drawn([Vec::new(), at(Some(0), 2.0)]), [Playing]);
    }

    #[test]
    fn the_map_moves_by_whole_texels_and_keeps_its_size() {
        let mut steps = Vec::new();
        let first = fit(&view(
            Vec3::new(0.0, 175.0, 0.0),
            Vec3::new(-15.0, 130.0, -15.0),
        ));
        for i in 0..40 {
            let aside = Vec3::new(0.7, 0.0, 0.4) * i as f32;
            let moved = fit(&view(
                Vec3::new(0.0, 175.0, 0.0) + aside,
                Vec3::new(-15.0, 130.0, -15.0) + aside,
            ));
            assert_eq!(moved.size, first.size);
            let texels = (moved.min - first.min) / first.size * 1024.0;
            assert!(
                (texels - texels.round()).abs().max_element() < 0.01,
                "{texels}"
            );
            steps.push(moved.min.to_array().map(f32::to_bits));
        }
        steps.dedup();
        assert!((2..20).contains(&steps.len()), "{} of 40", steps.len());
    }

    #[test]
    fn an_invisible_caster_counts_if_its_shadow_is_visible() {
        let view = view(Vec3::new(0.0, 60.0, 0.0), Vec3::new(0.0, 0.0, -1.0));
        let fit = fit(&view);
        let tree = |x: f32| Aabb {
            min: Vec3::new(x, 0.0, -5.0),
            max: Vec3::new(x + 5.0, 40.0, 5.0),
        };
        let is_seen = |x| fit.frustum.sees(&tree(x)).is_some();
        // The sun is in the west, which is +X.
        assert!(fit.meets(&tree(0.0)) && is_seen(0.0));
        assert!(fit.meets(&tree(70.0)) && !is_seen(70.0));
        assert!(!fit.meets(&tree(-80.0)) && !fit.meets(&tree(170.0)));
    }
}
