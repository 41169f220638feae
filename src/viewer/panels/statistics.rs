//! Numbers about the last picture and the document.

use super::PanelContext;

/// Numbers about the last picture and the document.
#[derive(Debug, Default)]
pub struct Statistics {}

impl Statistics {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
