//! What every shader knows of the frame.

use bytemuck::Zeroable as _;
use glam::{Affine3A, Mat4, Vec2, Vec3, Vec3A, Vec4};

use crate::content::{Instance, InstanceRanges, LevelRanges};
use crate::gpu::bindings::{
    COMPARISON, CUBE_TEXTURE, DEPTH_TEXTURE, SAMPLER, TEXTURE, UNIFORM, bind_group,
    bind_group_layout,
};
use crate::gpu::buffers::Uniform;
use crate::gpu::textures::{sampler, upload_texture};
use crate::gpu::wgsl::shader_struct;
use crate::gpu::{COLOR_FORMAT, Gpu};
use crate::picture::ImagePart;
use crate::shadow::{self, GroundShadow, ShadowPlace};
use crate::{View, sky};
use mapscope_scene::camera::Projection;
use mapscope_scene::model::simplify::MAX_LEVELS;
use mapscope_scene::terrain::noise;
use mapscope_scene::{Aabb, Playhead, Sun};

shader_struct! {
    /// What every shader knows of the frame.
    pub(super) struct Frame {
        clip_from_world: Mat4,
        /// Eye in world space; w: seconds, for what moves.
        eye: Vec4,
        /// From the frame's centre to its right edge, in world space at distance 1.
        right: Vec4,
        /// The same to its top; w is the distance of the target.
        up: Vec4,
        /// The same straight ahead; w is 1 where the projection is orthographic.
        ahead: Vec4,
        /// What models stand on: x and z of the middle of what stands there, and half its size.
        floor: Vec4,
        /// Side of a cell of the floor's grid, how far it is seen, how much light reaches it less,
        /// and its world height.
        grid: Vec4,
        /// Where the light of the environment is, in world space.
        light_position: Vec4,
        /// Unit vector toward it from the middle of the world.
        to_sun: Vec4,
        /// The colour of its light.
        light_color: Vec4,
        /// The colour of the light from everywhere.
        ambient_color: Vec4,
        /// World space to the shadow map: texture coordinates, and depth.
        shadow_from_world: Mat4,
        /// How far before a surface one looks for its shadow, in world units; how wide a texel of the
        /// shadow map is, in texture coordinates.
        shadow: Vec4,
        /// World x and z where the texture of the ground's shadow begins, and texture coordinates
        /// for each unit from there.
        ground: Vec4,
        /// Normalized device coordinates of the whole image: those of the part that is drawn, times
        /// x and y, plus z and w.
        part: Vec4,
        /// Width and height in pixels of what is drawn at once.
        size: Vec2,
        /// The world height that 0 stands for in the texture of the ground's shadow, and what 1 adds.
        ground_heights: Vec2,
    }
}

/// The layout of bind group 0, and what is the same in all frames.
#[derive(Debug)]
pub(super) struct FrameLayout {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) noise: wgpu::TextureView,
    pub(super) repeating: wgpu::Sampler,
    comparison: wgpu::Sampler,
    clamped: wgpu::Sampler,
    /// Those of a frame without shadows.
    plain: FrameTextures,
}

/// The textures that frames differ in.
#[derive(Debug, Clone, PartialEq)]
struct FrameTextures {
    shadow_map: wgpu::TextureView,
    ground_shadow: wgpu::TextureView,
    skybox: wgpu::TextureView,
    reflection: wgpu::TextureView,
}

/// What water reflects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reflected {
    /// Whether the sky is the skybox of the document, and not Mapscope's own.
    pub(super) skybox: bool,
    /// Whether the ground and what stands on it are as well, which are drawn as in a mirror.
    pub(super) ground: bool,
}

/// What lights a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FrameLight {
    pub(super) sun: Sun,
    pub(super) shadow: ShadowPlace,
    /// `ground` and `ground_heights` of the shader.
    pub(super) ground: Vec4,
    pub(super) ground_heights: Vec2,
}

/// A frame from the space of something that is drawn in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalView<'a> {
    /// What is shown, and the camera in world space.
    pub(super) view: &'a View,
    /// Width and height in pixels of the whole image.
    pub(super) size: [u32; 2],
    /// Which part of it is drawn.
    pub(super) part: ImagePart,
    /// Model space to clip space.
    pub(super) clip_from_model: Mat4,
    /// The camera in model space: where the eye is, where it looks, and what is right and up.
    pub(super) eye: Vec3,
    pub(super) forward: Vec3,
    right: Vec3,
    up: Vec3,
    /// How long a unit of the world is in model space.
    scale: f32,
    /// Whether model space is world space.
    pub(super) is_in_place: bool,
    /// Whether the world shows it as in a mirror, so that its front faces are the other way round.
    pub(super) is_mirrored: bool,
    /// The moment that is shown of it.
    pub(super) playhead: Playhead,
    /// What is in view, or casts a shadow, of content that is drawn wherever it stands.
    pub(super) instances: &'a [Instance],
    /// Which of these are drawn where.
    pub(super) ranges: &'a LevelRanges,
    /// What casts shadows on others, in world space; none without such shadows.
    pub(super) casters: Option<&'a [Aabb]>,
    /// Unit vector toward the sun, in world space.
    pub(super) to_sun: Vec3,
    /// What water reflects.
    pub(super) reflected: Reflected,
}

/// Bind group 0: it holds one frame's values at a time.
#[derive(Debug)]
pub(super) struct FrameData {
    uniform: Uniform<Frame>,
    /// `floor` and `grid` of the shader.
    floor: [Vec4; 2],
    textures: FrameTextures,
    pub(super) bind_group: wgpu::BindGroup,
}

/// Bind group 0 of the shadow map, which is seen from the sun.
#[derive(Debug)]
pub(super) struct LightData {
    uniform: Uniform<Frame>,
    pub(super) bind_group: wgpu::BindGroup,
}

impl FrameLayout {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let side = noise::SIDE as u32;
        let texels: &[&[u8]] = &[noise::texture()];
        let noise = upload_texture(gpu, "noise", COLOR_FORMAT, [side, side], &[texels]);
        let (repeat, nearest) = (wgpu::AddressMode::Repeat, wgpu::MipmapFilterMode::Nearest);
        let bindings = [
            UNIFORM,
            TEXTURE,
            SAMPLER,
            DEPTH_TEXTURE,
            COMPARISON,
            TEXTURE,
            SAMPLER,
            CUBE_TEXTURE,
            TEXTURE,
        ];
        // The lowest number of 16 bits, -65504: nothing is in its shadow.
        let far_below = 0xfbff_u16.to_ne_bytes();
        let texels: &[&[u8]] = &[&far_below];
        let format = wgpu::TextureFormat::R16Float;
        let level = upload_texture(gpu, "no ground", format, [1, 1], &[texels]);
        let texels: &[&[u8]] = &[&[0; 4]];
        let nothing = upload_texture(gpu, "no reflection", COLOR_FORMAT, [1, 1], &[texels]);
        Self {
            layout: bind_group_layout(gpu, "frame", &bindings),
            noise: noise.create_view(&wgpu::TextureViewDescriptor::default()),
            repeating: sampler(gpu, "repeating", repeat, nearest),
            comparison: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                // Depth is reversed: lit is what is as near to the sun as what the sun sees.
                compare: Some(wgpu::CompareFunction::GreaterEqual),
                ..Default::default()
            }),
            clamped: sampler(gpu, "ground", wgpu::AddressMode::ClampToEdge, nearest),
            plain: FrameTextures {
                shadow_map: shadow::no_shadow_map(gpu),
                ground_shadow: level.create_view(&wgpu::TextureViewDescriptor::default()),
                skybox: sky::cube_texture(gpu, [1, 1], &[texels; 6]),
                reflection: nothing.create_view(&wgpu::TextureViewDescriptor::default()),
            },
        }
    }

    fn bind_group(
        &self,
        gpu: &Gpu,
        uniform: &Uniform<Frame>,
        textures: &FrameTextures,
    ) -> wgpu::BindGroup {
        let resources = [
            uniform.buffer.as_entire_binding(),
            wgpu::BindingResource::TextureView(&self.noise),
            wgpu::BindingResource::Sampler(&self.repeating),
            wgpu::BindingResource::TextureView(&textures.shadow_map),
            wgpu::BindingResource::Sampler(&self.comparison),
            wgpu::BindingResource::TextureView(&textures.ground_shadow),
            wgpu::BindingResource::Sampler(&self.clamped),
            wgpu::BindingResource::TextureView(&textures.skybox),
            wgpu::BindingResource::TextureView(&textures.reflection),
        ];
        bind_group(gpu, "frame", &self.layout, resources)
    }
}

impl<'a> LocalView<'a> {
    /// The part of an image that a view is of, in so many pixels, from world space.
    pub(super) fn new(view: &'a View, size: [u32; 2]) -> Self {
        let part = view.part.unwrap_or(ImagePart::whole(size));
        let whole = Self::whole(view, size);
        Self {
            clip_from_model: part.clip_from_whole() * whole.clip_from_model,
            part: ImagePart { size, ..part },
            ..whole
        }
    }

    /// The whole image, of which so many pixels are drawn at once, from world space.
    pub(super) fn whole(view: &'a View, drawn: [u32; 2]) -> Self {
        let camera = &view.camera;
        let [right, up] = camera.right_up();
        let size = view.part.map_or(drawn, |part| part.of);
        Self {
            view,
            size,
            part: ImagePart::whole(size),
            clip_from_model: camera.clip_from_world(size[0] as f32 / size[1] as f32),
            eye: camera.pose.eye,
            forward: camera.forward(),
            right,
            up,
            scale: 1.0,
            is_in_place: true,
            is_mirrored: false,
            playhead: view.shown.playhead,
            instances: &[],
            ranges: &[InstanceRanges::NONE; MAX_LEVELS],
            casters: None,
            to_sun: Sun::default().direction(),
            reflected: Reflected::default(),
        }
    }

    /// The frame from the space of something that stands in the world.
    pub(super) fn of(self, world_from_model: &Affine3A) -> Self {
        if *world_from_model == Affine3A::IDENTITY {
            return self;
        }
        let model_from_world = world_from_model.inverse();
        let direction = |vector| {
            model_from_world
                .transform_vector3(vector)
                .normalize_or_zero()
        };
        Self {
            clip_from_model: self.clip_from_model * Mat4::from(*world_from_model),
            eye: model_from_world.transform_point3(self.eye),
            forward: direction(self.forward),
            right: direction(self.right),
            up: direction(self.up),
            scale: model_from_world.transform_vector3(self.forward).length(),
            is_in_place: false,
            casters: None,
            // Its directions are those of the world.
            reflected: Reflected::default(),
            is_mirrored: is_mirrored(world_from_model),
            ..self
        }
    }

    /// The frame as a level mirror at a world height shows it: of what is above the mirror, where it
    /// is seen in the mirror. None if nothing is, or not from there; it must be in world space.
    pub(super) fn mirrored_at(self, height: f32) -> Option<Self> {
        let is_seen = self.eye.y > height && self.is_in_place;
        if !is_seen || self.view.camera.projection == Projection::Orthographic {
            return None;
        }
        let flip = |vector: Vec3| vector.with_y(-vector.y);
        let [forward, right, up] = [self.forward, self.right, self.up].map(flip);
        let mirror = Mat4::from_cols(
            Vec4::X,
            -Vec4::Y,
            Vec4::Z,
            Vec4::new(0.0, 2.0 * height, 0.0, 1.0),
        );
        // What is below the mirror is before the near plane. Depth falls from 1 at the mirror, and
        // along the steepest ray of the frame it ends at zero.
        let [_, to_right, to_top] = self.rays();
        let steepest = forward.y + to_right.y.abs() + to_top.y.abs();
        if steepest <= 0.0 {
            return None;
        }
        let above = Vec4::new(0.0, 1.0, 0.0, -height) * (0.999 / steepest);
        let rows = (self.clip_from_model * mirror).transpose();
        let rows = Mat4::from_cols(rows.x_axis, rows.y_axis, rows.w_axis - above, rows.w_axis);
        Some(Self {
            clip_from_model: rows.transpose(),
            eye: self.eye.with_y(2.0 * height - self.eye.y),
            forward,
            right,
            up,
            is_mirrored: !self.is_mirrored,
            casters: None,
            reflected: Reflected::default(),
            ..self
        })
    }

    /// The ray through the middle of the whole image, and what is added to it toward its right and
    /// its upper edge, in model space.
    pub(super) fn rays(&self) -> [Vec3; 3] {
        let half_height = self.view.camera.half_height();
        let half_width = half_height * self.size[0] as f32 / self.size[1] as f32;
        [self.forward, self.right * half_width, self.up * half_height]
    }

    /// Whether this is what water reflects.
    pub(super) fn is_reflection(&self) -> bool {
        self.is_mirrored && self.is_in_place
    }

    /// How far away the target of the camera is, in model space.
    pub(super) fn distance(&self) -> f32 {
        self.view.camera.distance() * self.scale
    }

    /// How many pixels a unit of model space has at distance 1.
    pub(super) fn pixels_at_1(&self) -> f32 {
        self.size[1] as f32 / (2.0 * self.view.camera.half_height())
    }

    /// How many pixels a unit of model space has where a box is nearest to the eye.
    pub(super) fn pixels_per_unit(&self, bounds: &Aabb) -> f32 {
        let distance = match self.view.camera.projection {
            Projection::Perspective => bounds.distance(self.eye),
            Projection::Orthographic => self.distance(),
        };
        self.pixels_at_1() / distance
    }

    /// How far away a place in model space is; only for comparing it with others.
    pub(super) fn depth(&self, place: Vec3) -> f32 {
        match self.view.camera.projection {
            Projection::Perspective => self.eye.distance_squared(place),
            Projection::Orthographic => self.forward.dot(place),
        }
    }

    /// How far away the near plane is, in model space.
    pub(super) fn near(&self) -> f32 {
        self.view.camera.near * self.scale
    }
}

/// Whether what stands so is seen as in a mirror.
pub(super) fn is_mirrored(world_from_model: &Affine3A) -> bool {
    world_from_model.matrix3.determinant() < 0.0
}

/// By how much lengths grow at most in what stands so.
pub(super) fn largest_scale(world_from_model: &Affine3A) -> f32 {
    let axes = world_from_model.matrix3;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3A::length);
    lengths.into_iter().fold(0.0, f32::max)
}

impl FrameData {
    /// For frames of what occupies these bounds, and stands on a floor at this world height if there
    /// is one.
    pub(super) fn new(gpu: &Gpu, frame: &FrameLayout, bounds: Aabb, floor_height: f32) -> Self {
        let uniform = Uniform::new(gpu, "frame");
        Self {
            bind_group: frame.bind_group(gpu, &uniform, &frame.plain),
            textures: frame.plain.clone(),
            uniform,
            floor: floor_below(bounds, floor_height),
        }
    }

    /// Has the next frame in the light of these shadows, below this sky.
    pub(super) fn bind(
        &mut self,
        gpu: &Gpu,
        layout: &FrameLayout,
        shadow_map: Option<&wgpu::TextureView>,
        ground: Option<&GroundShadow>,
        skybox: Option<&wgpu::TextureView>,
        reflection: Option<&wgpu::TextureView>,
    ) {
        let plain = &layout.plain;
        let wanted = [
            shadow_map.unwrap_or(&plain.shadow_map),
            ground.map_or(&plain.ground_shadow, |ground| &ground.heights),
            skybox.unwrap_or(&plain.skybox),
            reflection.unwrap_or(&plain.reflection),
        ];
        let FrameTextures {
            shadow_map,
            ground_shadow,
            skybox,
            reflection,
        } = &self.textures;
        if wanted != [shadow_map, ground_shadow, skybox, reflection] {
            let [shadow_map, ground_shadow, skybox, reflection] =
                wanted.map(wgpu::TextureView::clone);
            self.textures = FrameTextures {
                shadow_map,
                ground_shadow,
                skybox,
                reflection,
            };
            self.bind_group = layout.bind_group(gpu, &self.uniform, &self.textures);
        }
    }

    /// Sets the values for the next frame.
    pub(super) fn write(&mut self, gpu: &Gpu, local: &LocalView<'_>, light: &FrameLight) {
        let LocalView { view, part, .. } = local;
        let [ahead, right, up] = local.rays();
        let is_flat = view.camera.projection == Projection::Orthographic;
        let frame = Frame {
            clip_from_world: local.clip_from_model,
            eye: local.eye.extend(view.time_secs),
            right: right.extend(0.0),
            up: up.extend(local.distance()),
            ahead: ahead.extend(f32::from(u8::from(is_flat))),
            light_position: light.sun.position.extend(0.0),
            to_sun: light.sun.direction().extend(0.0),
            light_color: light.sun.color.extend(0.0),
            ambient_color: light.sun.ambient.extend(0.0),
            shadow_from_world: light.shadow.shadow_from_world,
            shadow: light.shadow.shadow,
            ground: light.ground,
            part: part.scale_and_offset(),
            size: Vec2::new(part.size[0] as f32, part.size[1] as f32),
            ground_heights: light.ground_heights,
            floor: self.floor[0],
            grid: self.floor[1],
        };
        self.uniform.write(gpu, frame);
    }
}

impl LightData {
    pub(super) fn new(gpu: &Gpu, layout: &FrameLayout) -> Self {
        let uniform = Uniform::new(gpu, "light");
        Self {
            bind_group: layout.bind_group(gpu, &uniform, &layout.plain),
            uniform,
        }
    }

    /// Sets where the sun sees what casts shadows.
    pub(super) fn write(&mut self, gpu: &Gpu, clip_from_world: Mat4) {
        let frame = Frame {
            clip_from_world,
            ..Frame::zeroed()
        };
        self.uniform.write(gpu, frame);
    }
}

/// `floor` and `grid` of the shader for something of this size. Four cells of the grid, or one,
/// or two, and so on, are as wide as a tile of terrain.
fn floor_below(bounds: Aabb, floor_height: f32) -> [Vec4; 2] {
    let (center, half_size) = (bounds.center(), (bounds.max - bounds.min) * 0.5);
    let radius = bounds.radius().max(1e-3);
    let cell = (radius * 0.3).log2().round().exp2();
    // What hovers shades less, and what is below the floor nothing.
    let height = (bounds.max.y - bounds.min.y).max(1e-3);
    let shade = 1.0 - ((bounds.min.y - floor_height).abs() / height * 2.0).min(1.0);
    [
        Vec4::new(center.x, center.z, half_size.x, half_size.z),
        Vec4::new(cell, radius * 9.0, shade, floor_height),
    ]
}

/// The planes that bound what a camera sees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frustum {
    /// Left, right, bottom, top and near; a point is inside where all are positive.
    pub(super) planes: [Vec4; 5],
}

impl Frustum {
    pub(super) fn new(clip_from_model: Mat4) -> Self {
        let row = |i: usize| clip_from_model.row(i);
        let (x, y, z, w) = (row(0), row(1), row(2), row(3));
        Self {
            planes: [w + x, w - x, w + y, w - y, w - z],
        }
    }

    /// Whether a box may be seen: none when it is not, and else whether all of it is inside. Boxes
    /// near a corner of the frame may be taken for seen when they are not.
    pub(super) fn sees(&self, bounds: &Aabb) -> Option<bool> {
        let mut inside = true;
        for plane in &self.planes {
            let normal = plane.truncate();
            let outward = normal.cmpge(Vec3::ZERO);
            let furthest = Vec3::select(outward, bounds.max, bounds.min);
            let nearest = Vec3::select(outward, bounds.min, bounds.max);
            if normal.dot(furthest) + plane.w < 0.0 {
                return None;
            }
            inside &= normal.dot(nearest) + plane.w >= 0.0;
        }
        Some(inside)
    }
}
