//! A text field above a list. The text narrows the list; the arrow keys and Enter choose a row.

use egui::accesskit::Role;
use egui::{
    Button, Key, Label, Modifiers, RichText, ScrollArea, Sense, TextEdit, Ui, UiKind, vec2,
};

use super::dialogs;
use crate::viewer::panels::parts;

/// Width of the field and the list, in points.
const WIDTH: f32 = 460.0;
/// Height of two lines about the selected row, in points.
const HELP_HEIGHT: f32 = 36.0;
/// Height of the separator between list and help, in points.
const SEPARATOR_HEIGHT: f32 = 6.0;

/// A field with its list.
pub(crate) struct Chooser<'a> {
    /// Accessible name of the dialog and the field.
    pub name: &'static str,
    /// Text in the empty field.
    pub hint: &'static str,
    /// Accessible name of the list.
    pub list: &'static str,
    /// Height of the list, in points.
    pub height: f32,
    /// The typed text.
    pub text: &'a mut String,
    /// Index of the selected row.
    pub at: &'a mut usize,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Text at its start, which is its accessible name.
    pub name: String,
    /// Text at its end: a key in words.
    pub key: String,
    /// Text for its tooltip.
    pub help: String,
    /// Text below the list while it is selected.
    pub about: String,
    /// `false` if it cannot be chosen.
    pub is_enabled: bool,
}

impl Chooser<'_> {
    /// Shows the field, and the rows that `rows` returns for the typed text. `empty` explains a
    /// list without rows. Returns the index of the chosen row, if one was chosen.
    pub(crate) fn show(
        self,
        ui: &mut Ui,
        rows: impl FnOnce(&str) -> (Vec<Row>, String),
    ) -> Option<usize> {
        let Self { text, at, .. } = self;
        ui.set_width(WIDTH);
        let (down, up, enter) = ui.input_mut(|input| {
            (
                input.consume_key(Modifiers::NONE, Key::ArrowDown),
                input.consume_key(Modifiers::NONE, Key::ArrowUp),
                input.key_pressed(Key::Enter),
            )
        });
        let field = TextEdit::singleline(text)
            .hint_text(self.hint)
            .desired_width(f32::INFINITY);
        let field = ui.add(field);
        dialogs::name_field(&field, self.name);
        parts::name_enclosing(ui, |kind| kind == UiKind::Modal, self.name);
        field.request_focus();
        if field.changed() {
            *at = 0;
            // The field itself shows the typed text only in the next frame.
            ui.ctx().request_repaint();
        }
        let (rows, empty) = rows(text);
        let last = rows.len().saturating_sub(1);
        *at = match (down, up) {
            (true, _) => (*at + 1).min(last),
            (_, true) => at.saturating_sub(1),
            _ => (*at).min(last),
        };
        let mut chosen = None;
        let above = ui.cursor().top() - ui.max_rect().top();
        let below = HELP_HEIGHT + 2.0 * ui.spacing().item_spacing.y + SEPARATOR_HEIGHT;
        let room = dialogs::room(ui.ctx()) - above - below;
        ScrollArea::vertical()
            .max_height(self.height.min(room))
            // The field stays in place, whatever the number of results.
            .auto_shrink([false, false])
            .show(ui, |ui| {
                parts::take_role(ui, Role::ListBox);
                parts::name_ui(ui, self.list);
                for (index, row) in rows.iter().enumerate() {
                    let is_selected = index == *at;
                    let button = ui.add_enabled(
                        row.is_enabled,
                        Button::new(&*row.name)
                            .right_text(RichText::new(&*row.key).weak())
                            .selected(is_selected)
                            .frame_when_inactive(is_selected)
                            .min_size(vec2(ui.available_width(), 0.0)),
                    );
                    ui.ctx().accesskit_node_builder(button.id, |node| {
                        node.set_role(Role::ListBoxOption);
                        node.clear_toggled();
                        node.set_label(&*row.name);
                        node.set_keyboard_shortcut(&*row.key);
                        node.set_selected(is_selected);
                    });
                    // A screen reader announces the field when the dialog opens, not the first row.
                    if is_selected && (*at > 0 || !text.is_empty()) {
                        field.ctx.accesskit_node_builder(field.id, |node| {
                            node.set_active_descendant(button.id.accesskit_id());
                        });
                    }
                    let button = button.on_hover_text(&*row.help);
                    if is_selected && (down || up) {
                        button.scroll_to_me(None);
                    }
                    if button.clicked() {
                        chosen = Some(index);
                    }
                }
                if rows.is_empty() {
                    ui.add(Label::new(RichText::new(empty).weak()).wrap());
                }
            });
        ui.add(egui::Separator::default().spacing(SEPARATOR_HEIGHT));
        let room = vec2(ui.available_width(), HELP_HEIGHT);
        let (room, _) = ui.allocate_exact_size(room, Sense::hover());
        if let Some(row) = rows.get(*at) {
            let mut below = ui.new_child(egui::UiBuilder::new().max_rect(room));
            below.add(Label::new(RichText::new(&*row.about).weak()).wrap());
            if enter {
                chosen = Some(*at);
            }
        }
        chosen
    }
}
