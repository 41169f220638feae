//! The tools that work on the open document.

use super::clip_box::ClipBox;
use super::compare::Comparison;
use super::find::Finding;
use crate::viewer::view::measure::Measure;
use mapscope_scene::{Item, OverlayId};

/// The tools of the view.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// The measuring tool.
    pub measure: Measure,
    /// The clip box.
    pub clip_box: ClipBox,
    /// `true` if visibility is frozen at the position where this was switched on.
    pub holds_visibility: bool,
    /// The kind whose items are being stepped through.
    pub stepping: Option<Item>,
    /// Overlays that were switched on to show problems of the document.
    pub problem_overlays: Vec<OverlayId>,
    /// The comparison with another file.
    pub comparison: Comparison,
    /// The search for items.
    pub finding: Finding,
}
