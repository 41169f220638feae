//! Lines with a width in pixels: contours of the selection, and overlays.

use std::ops::Range;

use glam::Vec3;

use mapscope_scene::{Document, Item, Line, ModelItem, Shown, colors};

use super::{FRAME, Frame, FrameLayout, FramePass, View};
use crate::gpu::{
    Gpu, GrowingBuffer, PipelineCache, PipelineKey, PipelineMaker, PipelineOptions, Pipelines,
    Shader, source, vertex_layout,
};

/// Colour and width of the contour of the selection.
const CONTOUR_COLOR: [u8; 4] = selected(255);
const CONTOUR_WIDTH_POINTS: f32 = 3.0;
/// The same where the contour is hidden: fainter and thinner.
const HIDDEN_CONTOUR_COLOR: [u8; 4] = selected(110);
const HIDDEN_CONTOUR_WIDTH_POINTS: f32 = 1.5;

const fn selected(alpha: u8) -> [u8; 4] {
    let [r, g, b] = colors::bytes(colors::SELECTED);
    [r, g, b, alpha]
}

mod gpu_data {
    /// A line: the vertex inputs of `vs_line`.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    pub(crate) struct Line {
        pub(crate) start: [f32; 3],
        pub(crate) width_pixels: f32,
        pub(crate) end: [f32; 3],
        /// World units that the line has room for, which limits its width; 0 for no limit.
        pub(crate) room: f32,
        pub(crate) color: [u8; 4],
    }
}

/// The shader of lines.
pub(crate) static SHADER: Shader = Shader {
    name: "lines",
    shared: &[Frame::wgsl],
    parts: &[FRAME, source!("lines.wgsl")],
};

/// Draws lines.
#[derive(Debug, Clone)]
pub(crate) struct LineRenderer {
    pipelines: PipelineCache<Depth>,
}

/// Depth test of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Tested,
    OnTop,
}

/// The lines of one view.
#[derive(Debug)]
pub(crate) struct LineData {
    /// The state that the lines are for, and the scale of their widths.
    shown: Option<(Shown, f32)>,
    /// The lines of the document.
    lines: Vec<Line>,
    /// The contents of `buffer`: depth-tested lines, then the others.
    packed: Vec<gpu_data::Line>,
    /// Number of depth-tested lines.
    hidden: u32,
    buffer: GrowingBuffer,
}

impl PipelineKey for Depth {
    fn create(self, maker: &PipelineMaker<'_>) -> wgpu::RenderPipeline {
        let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Unorm8x4];
        let lines = vertex_layout::<gpu_data::Line>(wgpu::VertexStepMode::Instance, &attributes);
        maker.create(&PipelineOptions {
            vertices: [Some(lines), None],
            depth_compare: Some(match self {
                Self::Tested => wgpu::CompareFunction::GreaterEqual,
                Self::OnTop => wgpu::CompareFunction::Always,
            }),
            ..PipelineOptions::blended("vs_line", "fs_line")
        })
    }
}

impl LineRenderer {
    pub(crate) fn new(frame: &FrameLayout) -> Self {
        Self {
            pipelines: PipelineCache::new(&SHADER, &[&frame.layout]),
        }
    }

    /// Returns a copy whose pipelines use the shaders that are now on disk.
    pub(crate) fn reloaded(&self, gpu: &Gpu) -> Self {
        let mut renderer = self.clone();
        renderer.pipelines.recreate(gpu);
        renderer
    }

    pub(crate) fn pipelines(&mut self) -> &mut dyn Pipelines {
        &mut self.pipelines
    }

    /// Updates and uploads the lines of a view, if they may have changed.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        data: &mut LineData,
        document: &dyn Document,
        view: &View,
    ) {
        data.update(gpu, document, view);
        for (depth, lines) in data.ranges() {
            if !lines.is_empty() {
                self.pipelines.request(depth, false);
            }
        }
    }

    pub(crate) fn draw(&self, pass: &mut FramePass<'_>, data: &LineData) {
        for (depth, lines) in data.ranges() {
            if !lines.is_empty() && pass.set_pipeline(&self.pipelines, depth) {
                pass.set_vertex_buffer(0, data.buffer.buffer.slice(..));
                pass.draw(6, lines);
            }
        }
    }
}

impl LineData {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            shown: None,
            lines: Vec::new(),
            packed: Vec::new(),
            hidden: 0,
            buffer: GrowingBuffer::new(
                gpu,
                "lines",
                size_of::<gpu_data::Line>(),
                wgpu::BufferUsages::VERTEX,
            ),
        }
    }

    /// The range of lines for each depth test.
    fn ranges(&self) -> [(Depth, Range<u32>); 2] {
        let all = self.packed.len() as u32;
        [
            (Depth::Tested, 0..self.hidden),
            (Depth::OnTop, self.hidden..all),
        ]
    }

    fn update(&mut self, gpu: &Gpu, document: &dyn Document, view: &View) {
        let scale = view.line_scale;
        match &mut self.shown {
            Some((shown, last_scale)) if *shown == view.shown && *last_scale == scale => return,
            Some((shown, last_scale)) => {
                // During playback only the moment changes; avoid cloning the lists.
                if shown.eq_except_playhead(&view.shown) {
                    shown.playhead = view.shown.playhead;
                } else {
                    *shown = view.shown.clone();
                }
                *last_scale = scale;
            }
            none => *none = Some((view.shown.clone(), scale)),
        }
        self.lines.clear();
        if let Some(annotations) = document.annotations() {
            annotations.lines(&view.shown, &mut self.lines);
        }
        self.lines.extend(view.shown.changes.lines());
        if let Some(item) = view.shown.selected {
            let contour = document.contour(item, &view.shown);
            // Bones are inside the mesh.
            let on_top = matches!(item, Item::Model(ModelItem::Joint { .. }));
            let line = |ends: &[Vec3; 2], on_top, color, width_points| Line {
                ends: *ends,
                color,
                width_points,
                on_top,
                room: None,
            };
            let plain = contour
                .iter()
                .map(|ends| line(ends, on_top, CONTOUR_COLOR, CONTOUR_WIDTH_POINTS));
            self.lines.extend(plain);
            if !on_top {
                let (color, width) = (HIDDEN_CONTOUR_COLOR, HIDDEN_CONTOUR_WIDTH_POINTS);
                let hidden = contour.iter().map(|ends| line(ends, true, color, width));
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
                room: line.room.unwrap_or_default(),
                color: line.color,
            }));
            if !on_top {
                self.hidden = self.packed.len() as u32;
            }
        }
        self.write(gpu);
    }

    /// Uploads the lines; drops all of them if they exceed the limit of the device.
    fn write(&mut self, gpu: &Gpu) {
        if let Err(error) = self.buffer.reserve(gpu, self.packed.len()) {
            log::error!("{error}");
            self.packed.clear();
            self.hidden = 0;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&self.packed);
        if !bytes.is_empty() {
            gpu.queue.write_buffer(&self.buffer.buffer, 0, bytes);
        }
    }
}
