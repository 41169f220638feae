//! Lines of a width in pixels: outlines of what is selected.

use glam::Vec3;

use super::shaders::LINES;
use super::{FrameData, FrameRenderer, Gpu, PipelineOptions, create_pipeline};

mod gpu_data {
    /// Keep in sync with the vertex inputs of `lines.wgsl`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    pub(super) struct Line {
        pub(super) start: [f32; 3],
        pub(super) width_pixels: f32,
        pub(super) end: [f32; 3],
        pub(super) color: [u8; 4],
    }
}

/// Draws lines.
#[derive(Debug)]
pub(super) struct LineRenderer {
    pipeline: wgpu::RenderPipeline,
}

/// Lines of one picture.
#[derive(Debug)]
pub(super) struct LineData {
    lines: Vec<gpu_data::Line>,
    buffer: wgpu::Buffer,
}

impl LineRenderer {
    pub(super) fn new(gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x3, 2 => Unorm8x4];
        let pipeline = create_pipeline(
            gpu,
            &LINES.module(&gpu.device),
            &[&frame.layout],
            &PipelineOptions {
                instances: Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<gpu_data::Line>() as u64,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &attributes,
                }),
                depth_write: false,
                blend: true,
                cull: false,
                ..PipelineOptions::new("vs_line", "fs_line")
            },
        );
        Self { pipeline }
    }

    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &LineData,
    ) -> u32 {
        if data.lines.is_empty() {
            return 0;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &frame.bind_group, &[]);
        pass.set_vertex_buffer(0, data.buffer.slice(..));
        pass.draw(0..6, 0..data.lines.len() as u32);
        1
    }
}

impl LineData {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self {
            lines: Vec::new(),
            buffer: buffer(gpu, 64),
        }
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Adds segments, given in world space.
    pub(super) fn add(&mut self, segments: &[[Vec3; 2]], width_pixels: f32, color: [u8; 4]) {
        self.lines
            .extend(segments.iter().map(|[start, end]| gpu_data::Line {
                start: start.to_array(),
                width_pixels,
                end: end.to_array(),
                color,
            }));
    }

    /// Sends the lines to the GPU.
    pub(super) fn write(&mut self, gpu: &Gpu) {
        let bytes: &[u8] = bytemuck::cast_slice(&self.lines);
        if bytes.len() as u64 > self.buffer.size() {
            self.buffer = buffer(gpu, self.lines.len().next_power_of_two());
        }
        if !bytes.is_empty() {
            gpu.queue.write_buffer(&self.buffer, 0, bytes);
        }
    }
}

fn buffer(gpu: &Gpu, lines: usize) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("lines"),
        size: (lines * size_of::<gpu_data::Line>()) as u64,
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
