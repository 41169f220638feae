//! Renders documents with wgpu, without a window.
//!
//! A document lists its [`Drawable`]s: content plus placements. Each kind of content has one
//! renderer, which knows no other kind. GPU resources live in [`SceneData`]; they are uploaded once
//! per document and updated when the view changes. A frame has four phases: opaque, background,
//! transparent, lines. The shadow map and the reflections in water are drawn before it.
//!
//! Modules use only those before them in this list: `gpu`, `frame`, `kinds`, `renderer`.
//!
//! [`Drawable`]: mapscope_scene::Drawable

mod frame;
mod gpu;
mod kinds;
mod probe;
mod renderer;
mod shaders;

pub use frame::{Blit, BlitSource, DrawStatistics, Floor, ImagePart, View};
pub use gpu::{
    AdapterEntry, AdapterReason, Backend, COLOR_FORMAT, Gpu, GpuError, GpuOptions, GraphicsApis,
    PassTimes, Samples, Shader, Target, TimedPass, UploadError, adapter_type_name, adapters,
    shader_folder,
};
pub use probe::{SkinningProbe, TileProbe, probe_skinning, probe_tiles};
pub use renderer::{PictureError, Renderer, SceneData, ViewData, fits_one_target};
pub use shaders::SHADERS;
