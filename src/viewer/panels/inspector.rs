//! What is known of the selected item.

use super::PanelContext;

/// What is known of the selected item.
#[derive(Debug, Default)]
pub struct Inspector {}

impl Inspector {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
