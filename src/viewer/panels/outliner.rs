//! The document as a tree.

use super::PanelContext;

/// The document as a tree.
#[derive(Debug, Default)]
pub struct Outliner {}

impl Outliner {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
