//! What the colours of the overlays mean.

use super::PanelContext;

/// What the colours of the overlays mean.
#[derive(Debug, Default)]
pub struct Legend {}

impl Legend {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
