//! The graphics device and its resources, independent of frames and documents.

mod adapters;
pub(crate) mod bindings;
pub(crate) mod buffers;
pub(crate) mod data_texture;
mod device;
mod limits;
pub(crate) mod pipelines;
mod samples;
mod shader;
mod specialize;
pub(crate) mod target;
pub(crate) mod textures;
mod timing;
pub(crate) mod wgsl;

pub use self::adapters::*;
pub use self::device::Gpu;
pub use self::limits::UploadError;
pub use self::samples::{COLOR_FORMAT, Samples};
pub use self::shader::{Shader, shader_folder};
pub use self::target::Target;
pub use self::timing::{PassTimes, TimedPass};

pub(crate) use self::bindings::*;
pub(crate) use self::buffers::*;
pub(crate) use self::data_texture::DataTexture;
pub(crate) use self::limits::*;
pub(crate) use self::pipelines::*;
pub(crate) use self::samples::*;
pub(crate) use self::shader::source;
pub(crate) use self::specialize::Source;
pub(crate) use self::textures::*;
pub(crate) use self::timing::PassTimer;
pub(crate) use self::wgsl::{bits, constants, declare_struct, shader_enum, shader_struct};
