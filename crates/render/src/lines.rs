//! Lines of a width in pixels: outlines of what is selected, and overlays.

use glam::Vec3;

use mapscope_scene::{Document, Line, Shown};

use super::resources::{PipelineOptions, create_pipeline};
use super::shaders::LINES;
use super::{FrameData, FrameRenderer, Gpu, View};

/// Colour and width of the outline of what is selected.
const OUTLINE_COLOR: [u8; 4] = [255, 196, 61, 255];
const OUTLINE_WIDTH_POINTS: f32 = 3.0;
/// The same where something is before it: fainter and thinner, so that one sees that it is behind.
const HIDDEN_OUTLINE_COLOR: [u8; 4] = [255, 196, 61, 110];
const HIDDEN_OUTLINE_WIDTH_POINTS: f32 = 1.5;

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
    /// Lines that are hidden by what is in front of them, and lines that are not.
    pipelines: [wgpu::RenderPipeline; 2],
}

/// Lines of one picture.
#[derive(Debug)]
pub(super) struct LineData {
    /// What the lines are of, and how much wider than on a plain screen they are.
    shown: Option<(Shown, f32)>,
    /// The lines as the document gives them.
    lines: Vec<Line>,
    /// What `buffer` holds: lines that are hidden by what is in front of them, then the others.
    packed: Vec<gpu_data::Line>,
    /// How many of them may be hidden.
    hidden: u32,
    buffer: wgpu::Buffer,
}

impl LineRenderer {
    pub(super) fn new(gpu: &Gpu, frame: &FrameRenderer) -> Self {
        let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x3, 2 => Unorm8x4];
        let module = LINES.module(&gpu.device);
        let pipeline = |depth_compare| {
            create_pipeline(
                gpu,
                &module,
                &[&frame.layout],
                &PipelineOptions {
                    vertices: Some(wgpu::VertexBufferLayout {
                        array_stride: size_of::<gpu_data::Line>() as u64,
                        step_mode: wgpu::VertexStepMode::Instance,
                        attributes: &attributes,
                    }),
                    depth_write: false,
                    depth_compare,
                    blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                    cull: false,
                    ..PipelineOptions::new("vs_line", "fs_line")
                },
            )
        };
        Self {
            pipelines: [
                pipeline(wgpu::CompareFunction::GreaterEqual),
                pipeline(wgpu::CompareFunction::Always),
            ],
        }
    }

    /// Draws the lines, and says how many draw calls it took.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &FrameData,
        data: &LineData,
    ) -> u32 {
        let all = data.packed.len() as u32;
        let ranges = [0..data.hidden, data.hidden..all];
        let mut draw_calls = 0;
        for (pipeline, lines) in self.pipelines.iter().zip(ranges) {
            if lines.is_empty() {
                continue;
            }
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &frame.bind_group, &[]);
            pass.set_vertex_buffer(0, data.buffer.slice(..));
            pass.draw(0..6, lines);
            draw_calls += 1;
        }
        draw_calls
    }
}

impl LineData {
    pub(super) fn new(gpu: &Gpu) -> Self {
        Self {
            shown: None,
            lines: Vec::new(),
            packed: Vec::new(),
            hidden: 0,
            buffer: buffer(gpu, 64),
        }
    }

    /// Asks a document for the lines of a view, if they may have changed, and sends them.
    pub(super) fn prepare(&mut self, gpu: &Gpu, document: &dyn Document, view: &View) {
        let scale = view.outline_scale;
        match &mut self.shown {
            Some((shown, last_scale)) if *shown == view.shown && *last_scale == scale => return,
            Some((shown, last_scale)) => {
                // Playing changes the moment alone, and no list is made for that.
                if shown.is_same_but_moment(&view.shown) {
                    shown.playhead = view.shown.playhead;
                } else {
                    *shown = view.shown.clone();
                }
                *last_scale = scale;
            }
            none => *none = Some((view.shown.clone(), scale)),
        }
        self.lines.clear();
        document.lines(&view.shown, &mut self.lines);
        if let Some(item) = view.shown.selected {
            let outline = document.outline_shown(item, &view.shown);
            // Bones are inside the mesh.
            let on_top = item.kind == "joint";
            let line = |ends: &[Vec3; 2], on_top, color, width_points| Line {
                ends: *ends,
                color,
                width_points,
                on_top,
            };
            let plain = outline.iter();
            let plain = plain.map(|ends| line(ends, on_top, OUTLINE_COLOR, OUTLINE_WIDTH_POINTS));
            self.lines.extend(plain);
            if !on_top {
                let (color, width) = (HIDDEN_OUTLINE_COLOR, HIDDEN_OUTLINE_WIDTH_POINTS);
                let hidden = outline.iter().map(|ends| line(ends, true, color, width));
                self.lines.extend(hidden);
            }
        }
        self.packed.clear();
        for on_top in [false, true] {
            let lines = self.lines.iter().filter(|line| line.on_top == on_top);
            self.packed.extend(lines.map(|line| gpu_data::Line {
                start: line.ends[0].to_array(),
                width_pixels: line.width_points * scale,
                end: line.ends[1].to_array(),
                color: line.color,
            }));
            if !on_top {
                self.hidden = self.packed.len() as u32;
            }
        }
        self.write(gpu);
    }

    /// Sends the lines to the GPU.
    fn write(&mut self, gpu: &Gpu) {
        let bytes: &[u8] = bytemuck::cast_slice(&self.packed);
        if bytes.len() as u64 > self.buffer.size() {
            self.buffer = buffer(gpu, self.packed.len().next_power_of_two());
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
