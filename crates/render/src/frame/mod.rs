//! Frames: views, light, passes, and the interface of all kinds of content.

pub(crate) mod blit;
pub(crate) mod constants;
mod content;
pub(crate) mod floor;
mod instances;
mod light;
pub(crate) mod lines;
mod part;
mod pass;
mod reflection;
pub(crate) mod shadow;
pub(crate) mod sky;
mod uniforms;
mod view;

pub use self::blit::{Blit, BlitSource};
pub use self::floor::Floor;
pub use self::part::ImagePart;
pub use self::pass::DrawStatistics;
pub use self::view::View;

pub(crate) use self::constants::{NOTHING, SURFACE};
pub(crate) use self::content::*;
pub(crate) use self::instances::*;
pub(crate) use self::light::*;
pub(crate) use self::lines::{LineData, LineRenderer};
pub(crate) use self::pass::*;
pub(crate) use self::reflection::Reflection;
pub(crate) use self::shadow::*;
pub(crate) use self::sky::{SKY, SkyRenderer, upload_skybox};
pub(crate) use self::uniforms::*;
pub(crate) use self::view::*;
