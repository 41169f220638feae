//! The uniforms of frames: bind group 0 of every shader.

use bytemuck::Zeroable as _;
use glam::{Mat4, Vec2, Vec4};

use super::{FrameLight, GroundShadow, LocalView};
use crate::gpu::{
    COLOR_FORMAT, COMPARISON, CUBE_TEXTURE, DEPTH_FORMAT, DEPTH_TEXTURE, Gpu, SAMPLER, TEXTURE,
    UNIFORM, Uniform, bind_group, bind_group_layout, sampler, shader_struct, source, texture,
    upload_cube, upload_texture,
};
use mapscope_scene::Aabb;
use mapscope_scene::camera::Projection;
use mapscope_scene::terrain::noise;

/// The declarations of the frame, for every shader.
pub(crate) const FRAME: (&str, &str) = source!("frame.wgsl");

shader_struct! {
    /// The uniforms of a frame.
    pub(crate) struct Frame {
        clip_from_world: Mat4,
        /// Eye in world space; w: time in seconds, for animation.
        eye: Vec4,
        /// From the frame's centre to its right edge, in world space at distance 1.
        right: Vec4,
        /// From the frame's centre to its top edge; w is the distance of the target.
        up: Vec4,
        /// Straight ahead; w is 1 for an orthographic projection.
        ahead: Vec4,
        /// The floor: x and z of the centre of what stands on it, and half its size.
        floor: Vec4,
        /// The floor's grid: side of a cell, visible range, darkening, and world height.
        grid: Vec4,
        /// Position of the environment's light, in world space.
        light_position: Vec4,
        /// Unit vector toward it from the origin of the world.
        to_sun: Vec4,
        /// Colour of its light.
        light_color: Vec4,
        /// Colour of the ambient light.
        ambient_color: Vec4,
        /// World space to the shadow map: texture coordinates, and depth.
        shadow_from_world: Mat4,
        /// Offset of a shadow lookup from the surface, in world units; size of a texel of the
        /// shadow map, in texture coordinates.
        shadow: Vec4,
        /// World x and z at the origin of the ground's shadow texture, and texture coordinates per
        /// world unit.
        ground: Vec4,
        /// Normalized device coordinates of the whole image from those of the drawn part: multiply
        /// by x and y, add z and w.
        part: Vec4,
        /// Width and height of the drawn part in pixels.
        size: Vec2,
        /// World height of the value 0 in the ground's shadow texture, and height per value 1.
        ground_heights: Vec2,
    }
}

/// The layout of bind group 0, and the resources that all frames share.
#[derive(Debug)]
pub(crate) struct FrameLayout {
    pub(crate) layout: wgpu::BindGroupLayout,
    pub(crate) noise: wgpu::TextureView,
    pub(crate) repeating: wgpu::Sampler,
    comparison: wgpu::Sampler,
    clamped: wgpu::Sampler,
    /// The textures of a frame without shadows.
    plain: FrameTextures,
}

/// The textures that differ between frames.
#[derive(Debug, Clone, PartialEq)]
struct FrameTextures {
    shadow_map: wgpu::TextureView,
    ground_shadow: wgpu::TextureView,
    skybox: wgpu::TextureView,
    reflection: wgpu::TextureView,
}

/// Bind group 0: the uniforms and textures of one frame at a time.
#[derive(Debug)]
pub(crate) struct FrameData {
    uniform: Uniform<Frame>,
    /// `floor` and `grid` of the shader.
    floor: [Vec4; 2],
    textures: FrameTextures,
    pub(crate) bind_group: wgpu::BindGroup,
}

/// Bind group 0 of the shadow map, with the view of the sun.
#[derive(Debug)]
pub(crate) struct LightData {
    uniform: Uniform<Frame>,
    pub(crate) bind_group: wgpu::BindGroup,
}

impl FrameLayout {
    pub(crate) fn new(gpu: &Gpu) -> Self {
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
        // -65504, the lowest finite 16-bit float: nothing is below it, so nothing is in its shadow.
        let far_below = 0xfbff_u16.to_ne_bytes();
        let texels: &[&[u8]] = &[&far_below];
        let format = wgpu::TextureFormat::R16Float;
        let level = upload_texture(gpu, "no ground", format, [1, 1], &[texels]);
        let texels: &[&[u8]] = &[&[0; 4]];
        let nothing = upload_texture(gpu, "no reflection", COLOR_FORMAT, [1, 1], &[texels]);
        // Cleared to 0: nothing is in the shadow.
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let size = ([1, 1], 1, 1);
        let shadow_map = texture(gpu, "no shadow map", DEPTH_FORMAT, size, usage);
        Self {
            layout: bind_group_layout(gpu, "frame", &bindings),
            noise: noise.create_view(&wgpu::TextureViewDescriptor::default()),
            repeating: sampler(gpu, "repeating", repeat, nearest),
            comparison: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                // Depth is reversed: a surface is lit if it is at least as near to the sun as the
                // map.
                compare: Some(wgpu::CompareFunction::GreaterEqual),
                ..Default::default()
            }),
            clamped: sampler(gpu, "ground", wgpu::AddressMode::ClampToEdge, nearest),
            plain: FrameTextures {
                shadow_map: shadow_map.create_view(&wgpu::TextureViewDescriptor::default()),
                ground_shadow: level.create_view(&wgpu::TextureViewDescriptor::default()),
                skybox: upload_cube(gpu, [1, 1], &[texels; 6]),
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

impl FrameData {
    /// Creates it for content with these bounds, above a floor at a world height if it has one.
    pub(crate) fn new(gpu: &Gpu, frame: &FrameLayout, bounds: Aabb, floor_height: f32) -> Self {
        let uniform = Uniform::new(gpu, "frame");
        Self {
            bind_group: frame.bind_group(gpu, &uniform, &frame.plain),
            textures: frame.plain.clone(),
            uniform,
            floor: floor_below(bounds, floor_height),
        }
    }

    /// Binds the shadows, the sky and the reflection of the next frame.
    pub(crate) fn bind(
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

    /// Writes the uniforms of the next frame.
    pub(crate) fn write(&mut self, gpu: &Gpu, local: &LocalView<'_>, light: &FrameLight) {
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
    pub(crate) fn new(gpu: &Gpu, layout: &FrameLayout) -> Self {
        let uniform = Uniform::new(gpu, "light");
        Self {
            bind_group: layout.bind_group(gpu, &uniform, &layout.plain),
            uniform,
        }
    }

    /// Sets the view of the sun.
    pub(crate) fn write(&mut self, gpu: &Gpu, clip_from_world: Mat4) {
        let frame = Frame {
            clip_from_world,
            ..Frame::zeroed()
        };
        self.uniform.write(gpu, frame);
    }
}

/// `floor` and `grid` of the shader for content of this size. The side of a cell is a power of two,
/// so that it fits the tiles of terrain.
fn floor_below(bounds: Aabb, floor_height: f32) -> [Vec4; 2] {
    let (center, half_size) = (bounds.center(), (bounds.max - bounds.min) * 0.5);
    let radius = bounds.radius().max(1e-3);
    let cell = (radius * 0.3).log2().round().exp2();
    // Hovering content darkens the floor less, and content far away from it not at all.
    let height = (bounds.max.y - bounds.min.y).max(1e-3);
    let shade = 1.0 - ((bounds.min.y - floor_height).abs() / height * 2.0).min(1.0);
    [
        Vec4::new(center.x, center.z, half_size.x, half_size.z),
        Vec4::new(cell, radius * 9.0, shade, floor_height),
    ]
}
