//! Everything that is wrong with the file.

use super::PanelContext;

/// Everything that is wrong with the file.
#[derive(Debug, Default)]
pub struct Problems {}

impl Problems {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
