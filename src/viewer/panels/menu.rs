//! Context menus.

use egui::accesskit::Role;
use egui::{Button, Ui};

use super::{EditTarget, PanelContext, Request};
use crate::viewer::state::edit::WHY_NO_DEMO;

/// Shows an entry of a menu, disabled if there is a reason. Returns `true` if it was clicked; the menu
/// then closes.
pub(super) fn entry(ui: &mut Ui, name: &str, why_not: Option<&str>) -> bool {
    let entry = ui.add_enabled(why_not.is_none(), Button::new(name));
    let set_role = |node: &mut egui::accesskit::Node| node.set_role(Role::MenuItem);
    ui.ctx().accesskit_node_builder(entry.id, set_role);
    let entry = entry.on_disabled_hover_text(why_not.unwrap_or_default());
    if entry.clicked() {
        ui.close();
    }
    entry.clicked()
}

/// Shows the entry that opens a place in the editor.
pub(super) fn edit(ui: &mut Ui, context: &mut PanelContext<'_>, name: &str, target: EditTarget) {
    let why_not = context.path.is_none().then_some(WHY_NO_DEMO);
    if entry(ui, name, why_not) {
        context.ask(Request::Edit(target));
    }
}
