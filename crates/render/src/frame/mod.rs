//! Frames, whatever is drawn in them: views, passes, light, and what all kinds of content share.

pub(crate) mod blit;
pub(crate) mod constants;
pub(crate) mod content;
pub(crate) mod floor;
pub(crate) mod instances;
pub(crate) mod light;
pub(crate) mod lines;
mod part;
pub(crate) mod pass;
pub(crate) mod reflection;
pub(crate) mod shadow;
pub(crate) mod sky;
pub(crate) mod uniforms;
pub(crate) mod view;

pub use blit::{Blit, BlitSource};
pub use floor::Floor;
pub use part::ImagePart;
pub use pass::DrawStatistics;
pub use view::View;
