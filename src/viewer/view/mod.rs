//! Where a document is seen from, and what the pointer does there: the camera, framing, picking,
//! walking, measuring, and what is painted over the view.

pub(crate) mod camera_control;
mod contour;
pub(crate) mod flat;
mod framing;
mod free_view;
mod labels;
pub(crate) mod measure;
pub(crate) mod viewport;
mod walk;
