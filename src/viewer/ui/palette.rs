//! The command palette: type part of a command's name and press Enter.

use egui::accesskit::Role;
use egui::{Key, Modifiers, RichText, TextEdit, UiKind};

use super::menus;
use crate::viewer::commands::{self, Action, Command};
use crate::viewer::panels::parts;
use crate::viewer::state::State;

/// Height of the list of commands, in points.
const LIST_HEIGHT: f32 = 330.0;
/// Height of two lines about the selected command, in points.
const HELP_HEIGHT: f32 = 36.0;
/// Height of the separator between list and help, in points.
const SEPARATOR_HEIGHT: f32 = 6.0;

/// Fuzzy match score of a text: the typed letters must occur in order, otherwise `None`.
/// Consecutive letters and letters at the beginning of a word score higher.
fn score(typed: &str, text: &str) -> Option<i32> {
    let mut before = ' ';
    let begins = text.char_indices().filter(|(_, letter)| {
        let begins = !before.is_alphanumeric();
        before = *letter;
        begins
    });
    let scores = begins.filter_map(|(at, _)| score_from_here(typed, text.get(at..)?));
    // Of two equal matches the shorter text wins.
    let length = i32::try_from(text.chars().count()).unwrap_or(i32::MAX);
    Some(scores.max()? * 8 - length.min(200))
}

/// The score of a match that starts at the beginning of a text, regardless of its length.
fn score_from_here(typed: &str, text: &str) -> Option<i32> {
    let mut letters = typed.chars().filter(|c| !c.is_whitespace()).peekable();
    let mut score = 0;
    let mut run = 0;
    let mut before = ' ';
    for letter in text.chars().flat_map(char::to_lowercase) {
        let Some(wanted) = letters.peek() else {
            break;
        };
        if wanted.to_lowercase().eq([letter]) {
            letters.next();
            let word_begins = !before.is_alphanumeric();
            run += 1;
            score += run * 2 + if word_begins { 6 } else { 0 };
        } else {
            run = 0;
        }
        before = letter;
    }
    letters.peek().is_none().then_some(score)
}

/// `true` if a sentence contains a word.
fn has_word(sentence: &str, word: &str) -> bool {
    let mut words = sentence.split(|letter: char| !letter.is_alphanumeric());
    !word.is_empty() && words.any(|w| w.to_lowercase() == word.to_lowercase())
}

/// Returns the commands that match the typed text, best first.
fn matching(
    typed: &str,
    name_and_help: impl Fn(&Command) -> [&'static str; 2],
) -> Vec<&'static Command> {
    let mut found: Vec<(i32, &Command)> = commands::all()
        .iter()
        .filter(|command| command.action != Action::Palette)
        .filter_map(|command| {
            let [name, help] = name_and_help(command);
            let menu = score(typed, &format!("{} {name}", command.menu.title));
            let name = score(typed, name);
            // Letters scattered over a sentence score low; a whole word of it scores like a name.
            let is_word = has_word(help, typed.trim());
            let scattered = |score: i32| if is_word { score } else { score / 4 - 100 };
            let help = score(typed, help).map(scattered);
            Some((name.max(menu).max(help)?, command))
        })
        .collect();
    if !typed.trim().is_empty() {
        found.sort_by_key(|(score, _)| -score);
    }
    found.into_iter().map(|(_, command)| command).collect()
}

/// Shows the palette; returns the command to run.
pub(crate) fn ui(
    ui: &mut egui::Ui,
    state: &State,
    text: &mut String,
    at: &mut usize,
) -> Option<Action> {
    ui.set_width(460.0);
    let (down, up, enter) = ui.input_mut(|input| {
        (
            input.consume_key(Modifiers::NONE, Key::ArrowDown),
            input.consume_key(Modifiers::NONE, Key::ArrowUp),
            input.key_pressed(Key::Enter),
        )
    });
    let field = TextEdit::singleline(text)
        .hint_text("Find a command")
        .desired_width(f32::INFINITY);
    let field = ui.add(field);
    super::dialogs::name_field(&field, "Find a command");
    parts::name_enclosing(ui, |kind| kind == UiKind::Modal, "Find a command");
    field.request_focus();
    if field.changed() {
        *at = 0;
        // The field itself shows the typed text only in the next frame.
        ui.ctx().request_repaint();
    }
    let mut found = matching(text, |command| state.name_and_help(command));
    found.retain(|command| menus::is_listed(state, command));
    // Disabled commands come last.
    found.sort_by_key(|command| !state.is_enabled(command.action));
    let last = found.len().saturating_sub(1);
    *at = match (down, up) {
        (true, _) => (*at + 1).min(last),
        (_, true) => at.saturating_sub(1),
        _ => (*at).min(last),
    };
    let mut chosen = None;
    let above = ui.cursor().top() - ui.max_rect().top();
    let below = HELP_HEIGHT + 2.0 * ui.spacing().item_spacing.y + SEPARATOR_HEIGHT;
    let room = super::dialogs::room(ui.ctx()) - above - below;
    egui::ScrollArea::vertical()
        .max_height(LIST_HEIGHT.min(room))
        // The field stays in place, whatever the number of results.
        .auto_shrink([false, false])
        .show(ui, |ui| {
            parts::take_role(ui, Role::ListBox);
            parts::name_ui(ui, "Commands");
            for (index, command) in found.iter().enumerate() {
                let [name, help] = state.name_and_help(command);
                let row = ui.add_enabled(
                    state.is_enabled(command.action),
                    egui::Button::new(name)
                        .right_text(RichText::new(command.first_key_text()).weak())
                        .selected(index == *at)
                        .frame_when_inactive(index == *at)
                        .min_size(egui::vec2(ui.available_width(), 0.0)),
                );
                ui.ctx().accesskit_node_builder(row.id, |node| {
                    node.set_role(Role::ListBoxOption);
                    node.clear_toggled();
                    node.set_label(name);
                    node.set_keyboard_shortcut(command.first_key_text());
                    node.set_selected(index == *at);
                });
                // A screen reader announces the field when the palette opens, not the first row.
                if index == *at && (*at > 0 || !text.is_empty()) {
                    field.ctx.accesskit_node_builder(field.id, |node| {
                        node.set_active_descendant(row.id.accesskit_id());
                    });
                }
                let row = row.on_hover_text(help);
                if index == *at && (down || up) {
                    row.scroll_to_me(None);
                }
                if row.clicked() {
                    chosen = Some(command.action);
                }
            }
            if found.is_empty() {
                ui.weak("No matching command");
            }
        });
    ui.add(egui::Separator::default().spacing(SEPARATOR_HEIGHT));
    let room = egui::vec2(ui.available_width(), HELP_HEIGHT);
    let (room, _) = ui.allocate_exact_size(room, egui::Sense::hover());
    if let Some(command) = found.get(*at) {
        let on = match state.is_on(command.action) {
            Some(true) => " (on)",
            Some(false) => " (off)",
            None => "",
        };
        let [name, help] = state.name_and_help(command);
        let text = format!("{} › {name}: {help}{on}", command.menu.title);
        let mut below = ui.new_child(egui::UiBuilder::new().max_rect(room));
        below.add(egui::Label::new(RichText::new(text).weak()).wrap());
        if enter {
            chosen = Some(command.action);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(typed: &str) -> Vec<&'static Command> {
        super::matching(typed, |command| [command.name, command.help])
    }

    fn first(typed: &str) -> &'static str {
        matching(typed).first().map_or("", |command| command.id)
    }

    #[test]
    fn a_few_letters_find_the_command_that_is_meant() {
        assert_eq!(first("reload"), "reload");
        assert_eq!(first("ftop"), "camera.top");
        assert_eq!(first("tile grid"), "overlay.tile-grid");
        assert_eq!(first("ORTHO"), "camera.orthographic");
        assert_eq!(first("wire"), "overlay.wireframe");
        assert_eq!(first("png"), "save-picture");
        assert_eq!(first("quit"), "quit");
    }

    #[test]
    fn letters_that_no_command_has_find_nothing() {
        assert!(matching("xyzzyq").is_empty());
        assert_eq!(matching("").len(), commands::all().len() - 1);
    }
}
