//! The graphics device and what is made of it, whatever is drawn.

pub(crate) mod adapters;
pub(crate) mod bindings;
pub(crate) mod buffers;
pub(crate) mod data_texture;
mod device;
pub(crate) mod limits;
pub(crate) mod pipelines;
pub(crate) mod samples;
pub(crate) mod shader;
mod specialize;
pub(crate) mod target;
pub(crate) mod textures;
pub(crate) mod timing;
pub(crate) mod wgsl;

pub use adapters::{
    AdapterRow, Backend, GpuError, GpuRequest, Interfaces, Reason, adapters, type_name,
};
pub use device::Gpu;
pub use limits::UploadError;
pub use samples::{COLOR_FORMAT, Samples};
pub use shader::{Shader, shader_folder};
pub use target::Target;
pub use timing::{PassTimes, TimedPass};
