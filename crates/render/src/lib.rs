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
    AdapterRow, Backend, COLOR_FORMAT, Gpu, GpuError, GpuRequest, Interfaces, PassTimes, Reason,
    Samples, Shader, Target, TimedPass, UploadError, adapters, shader_folder, type_name,
};
pub use probe::{SkinProbe, TileProbe, probe_skin, probe_tiles};
pub use renderer::{PictureError, Renderer, SceneData, ViewData, is_drawn_at_once};
pub use shaders::SHADERS;
