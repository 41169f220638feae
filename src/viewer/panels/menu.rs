//! Context menus.

use std::path::Path;

use egui::accesskit::Role;
use egui::{Button, Ui};
use glam::Vec3;

use super::{EditTarget, PanelContext, Request};
use crate::viewer::state::copy::Copied;
use crate::viewer::state::edit::WHY_NO_DEMO;
use mapscope_scene::{Document, Item, Shown, alike};

/// The data that a context menu reads, and the place for its requests.
pub(in crate::viewer) struct MenuContext<'a> {
    /// The open document.
    pub(in crate::viewer) document: &'a dyn Document,
    /// Its path; `None` for a demo.
    pub(in crate::viewer) path: Option<&'a Path>,
    /// The visible parts of the document.
    pub(in crate::viewer) shown: &'a Shown,
    /// Requests, in order.
    pub(in crate::viewer) requests: &'a mut Vec<Request>,
}

impl PanelContext<'_> {
    /// The context of a menu.
    pub(super) fn menu(&mut self) -> MenuContext<'_> {
        MenuContext {
            document: &**self.document,
            path: self.path,
            shown: self.shown,
            requests: self.requests,
        }
    }
}

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

/// Shows the menu of an item. `at` is the position of the pointer in world space, if it is on the
/// item.
pub(in crate::viewer) fn of_item(
    ui: &mut Ui,
    context: MenuContext<'_>,
    item: Item,
    at: Option<Vec3>,
) {
    let MenuContext {
        document,
        path,
        shown,
        requests,
    } = context;
    let bounds = document.place(item, shown).bounds;
    let position = at.or(bounds.map(|bounds| bounds.center()));
    let hidden = document.hide_target(item).map(|target| {
        let is_hidden = shown.hides(target);
        let verb = if is_hidden { "Show" } else { "Hide" };
        let name = format!("{verb} {}", target.kind());
        (name, Request::Hide(target, !is_hidden))
    });
    let (hide, hide_request) = hidden.unzip();
    let file = document.file_of(item);
    let is_camera = document.camera_of(item).is_some();
    let copy = |copied| Some(Request::Copy(item, copied));
    let on_disk = path.is_none().then_some(WHY_NO_DEMO);
    // Entries without a request are left out; those with a reason are disabled.
    let groups = [
        vec![
            ("Frame", bounds.map(|_| Request::Frame(item)), None),
            (
                "Look through",
                is_camera.then_some(Request::LookThrough(item)),
                None,
            ),
            ("Open file", file.map(|_| Request::OpenFileOf(item)), None),
            (hide.as_deref().unwrap_or_default(), hide_request, None),
        ],
        vec![
            (
                "Copy position",
                position.and_then(|at| copy(Copied::Position(at))),
                None,
            ),
            ("Copy text", copy(Copied::Text), None),
            ("Copy item", copy(Copied::Item), None),
            ("Copy command line", copy(Copied::CommandLine), None),
        ],
        vec![
            (
                "Open in editor",
                Some(Request::Edit(EditTarget::Item(item))),
                on_disk,
            ),
            (
                "Show in file manager",
                Some(Request::ShowInFolder(item)),
                on_disk,
            ),
        ],
    ];
    for (index, group) in groups.into_iter().enumerate() {
        let mut entries = group
            .into_iter()
            .filter_map(|(name, request, why_not)| Some((name, request?, why_not)))
            .peekable();
        if index > 0 && entries.peek().is_some() {
            ui.separator();
        }
        for (name, request, why_not) in entries {
            if entry(ui, name, why_not) {
                requests.push(request);
            }
        }
        if index == 0 {
            ui.menu_button("Find all with", |ui| {
                for query in alike(document, item) {
                    if entry(ui, &query, None) {
                        requests.push(Request::ListMatches(query));
                    }
                }
            });
        }
    }
}
