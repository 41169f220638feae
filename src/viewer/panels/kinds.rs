//! The kinds of thing a map is built of.

use super::PanelContext;

/// The kinds of thing a map is built of.
#[derive(Debug, Default)]
pub struct Kinds {}

impl Kinds {
    /// Shows the panel.
    pub fn ui(&mut self, _ui: &mut egui::Ui, _context: &mut PanelContext<'_>) {}
}
