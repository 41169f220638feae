//! What every shader knows of the picture.

use glam::{Mat4, Vec3, Vec4};

use super::resources::{sampler_entry, texture_entry, uniform_entry, upload_texture};
use super::{Gpu, View};
use mapscope_scene::Aabb;
use mapscope_scene::camera::Projection;
use mapscope_scene::terrain::{noise, sun};

mod gpu_data {
    use glam::{Mat4, Vec2, Vec4};

    /// Keep in sync with `frame.wgsl`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    pub(super) struct Frame {
        pub(super) clip_from_world: Mat4,
        pub(super) eye: Vec4,
        pub(super) right: Vec4,
        pub(super) up: Vec4,
        pub(super) ahead: Vec4,
        pub(super) sun: Vec4,
        pub(super) size: Vec2,
        pub(super) padding: Vec2,
        pub(super) floor: Vec4,
        pub(super) grid: Vec4,
    }

    const _: () = assert!(size_of::<Frame>() == 192, "frame.wgsl has 192 bytes");
}

/// The layout of bind group 0, and what is the same in all pictures.
#[derive(Debug)]
pub(super) struct FrameRenderer {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) noise: wgpu::TextureView,
    pub(super) repeating: wgpu::Sampler,
}

/// Bind group 0 of one scene: it holds one picture's values at a time.
#[derive(Debug)]
pub(super) struct FrameData {
    buffer: wgpu::Buffer,
    /// What it holds.
    written: Option<gpu_data::Frame>,
    /// `floor` and `grid` of the shader.
    floor: [Vec4; 2],
    pub(super) bind_group: wgpu::BindGroup,
}

impl FrameRenderer {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("frame"),
                entries: &[
                    uniform_entry(0),
                    texture_entry(1, wgpu::TextureViewDimension::D2),
                    sampler_entry(2),
                ],
            });
        let side = noise::SIDE as u32;
        let noise = upload_texture(
            gpu,
            "noise",
            wgpu::TextureFormat::Rgba8Unorm,
            [side, side],
            &[&[noise::texture()]],
        );
        let repeating = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("repeating"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Self {
            layout,
            noise: noise.create_view(&wgpu::TextureViewDescriptor::default()),
            repeating,
        }
    }
}

impl FrameData {
    /// For pictures of what occupies these bounds.
    pub(super) fn new(gpu: &Gpu, renderer: &FrameRenderer, bounds: Aabb) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<gpu_data::Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &renderer.layout,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: buffer.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(&renderer.noise),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: wgpu::BindingResource::Sampler(&renderer.repeating),
                },
            ],
        });
        Self {
            buffer,
            written: None,
            floor: floor_below(bounds),
            bind_group,
        }
    }

    /// Sets the values for the next picture.
    pub(super) fn write(&mut self, gpu: &Gpu, view: &View, size: [u32; 2]) {
        let camera = &view.camera;
        let aspect = size[0] as f32 / size[1] as f32;
        let [right, up] = camera.right_up();
        let tan_y = camera.half_height();
        let flat = f32::from(u8::from(camera.projection == Projection::Orthographic));
        let frame = gpu_data::Frame {
            clip_from_world: clip_from_world(view, size),
            eye: camera.pose.eye.extend(view.time_secs),
            right: (right * tan_y * aspect).extend(0.0),
            up: (up * tan_y).extend(camera.distance()),
            ahead: camera.forward().extend(flat),
            sun: Vec4::from((sun::TO_SUN, 0.0)),
            size: glam::Vec2::new(size[0] as f32, size[1] as f32),
            padding: glam::Vec2::ZERO,
            floor: self.floor[0],
            grid: self.floor[1],
        };
        if self.written != Some(frame) {
            gpu.queue
                .write_buffer(&self.buffer, 0, bytemuck::bytes_of(&frame));
            self.written = Some(frame);
        }
    }
}

/// `floor` and `grid` of the shader for something of this size. Four cells of the grid, or one,
/// or two, and so on, are as wide as a tile of terrain.
fn floor_below(bounds: Aabb) -> [Vec4; 2] {
    let (center, half_size) = (bounds.center(), (bounds.max - bounds.min) * 0.5);
    let radius = bounds.radius().max(1e-3);
    let cell = (radius * 0.3).log2().round().exp2();
    // What hovers shades less, and what is below the floor nothing.
    let height = (bounds.max.y - bounds.min.y).max(1e-3);
    let shade = 1.0 - (bounds.min.y.abs() / height * 2.0).min(1.0);
    [
        Vec4::new(center.x, center.z, half_size.x, half_size.z),
        Vec4::new(cell, radius * 9.0, shade, 0.0),
    ]
}

/// World space to clip space for a picture of this many pixels.
pub(super) fn clip_from_world(view: &View, size: [u32; 2]) -> Mat4 {
    view.camera.clip_from_world(size[0] as f32 / size[1] as f32)
}

/// The planes that bound what a camera sees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frustum {
    /// Left, right, bottom, top and near; a point is inside where all are positive.
    planes: [Vec4; 5],
}

impl Frustum {
    pub(super) fn new(clip_from_world: Mat4) -> Self {
        let row = |i: usize| clip_from_world.row(i);
        let (x, y, z, w) = (row(0), row(1), row(2), row(3));
        Self {
            planes: [w + x, w - x, w + y, w - y, w - z],
        }
    }

    /// Whether a box may be seen: none when it is not, and else whether all of it is inside. Boxes
    /// near a corner of the picture may be taken for seen when they are not.
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
