//! The command palette: type part of a command's name and press Enter.

use egui::Ui;

use super::chooser::{Chooser, Row};
use super::menus;
use crate::viewer::commands::{self, Action, Command};
use crate::viewer::state::State;

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
pub(crate) fn ui(ui: &mut Ui, state: &State, text: &mut String, at: &mut usize) -> Option<Action> {
    let chooser = Chooser {
        name: "Find a command",
        hint: "Find a command",
        list: "Commands",
        height: 330.0,
        text,
        at,
    };
    let mut found = Vec::new();
    let chosen = chooser.show(ui, |text| {
        found = matching(text, |command| state.name_and_help(command));
        found.retain(|command| menus::is_listed(state, command));
        // Disabled commands come last.
        found.sort_by_key(|command| !state.is_enabled(command.action));
        let rows = found.iter().map(|command| row(state, command)).collect();
        (rows, "No matching command".to_owned())
    });
    Some(found.get(chosen?)?.action)
}

fn row(state: &State, command: &Command) -> Row {
    let on = match state.is_on(command.action) {
        Some(true) => " (on)",
        Some(false) => " (off)",
        None => "",
    };
    let [name, help] = state.name_and_help(command);
    Row {
        name: name.to_owned(),
        key: command.first_key_text(&state.settings.keys),
        help: help.to_owned(),
        about: format!("{} › {name}: {help}{on}", command.menu.title),
        is_enabled: state.is_enabled(command.action),
    }
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
