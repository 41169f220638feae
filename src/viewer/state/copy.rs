//! Copies texts about items.

use std::path::Path;

use glam::Vec3;

use super::session::{OpenFile, Session};
use super::{Effect, State};
use mapscope_formats::{Severity, printable};
use mapscope_scene::{Item, find_items, fixed};

/// A text about an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Copied {
    /// A position in world space: `x y z`.
    Position(Vec3),
    /// Its line in the status bar.
    Text,
    /// Its form on the command line, such as `tile:30,50`.
    Item,
    /// The command line that opens the file with the item selected.
    CommandLine,
}

impl State {
    /// Copies a text about an item.
    pub(crate) fn copy(&mut self, item: Item, copied: Copied) {
        self.copy_text(self.session.text_of(item, copied));
    }

    /// Copies a command line that finds the same items as the query.
    pub(crate) fn copy_query(&mut self) {
        self.copy_text(self.session.text_of_query());
    }

    fn copy_text(&mut self, text: Option<String>) {
        let Some(text) = text else {
            let text = "The name of this file cannot be written on a command line";
            self.notices.toast(text, Some(Severity::Warning));
            return;
        };
        let told = format!("Copied {}", printable(&text));
        self.notices.replace_toast("Copied ", told);
        self.effects.push(Effect::Copy(text));
    }
}

impl Session {
    fn text_of(&self, item: Item, copied: Copied) -> Option<String> {
        let open = self.open_file()?;
        let document = &*open.document;
        Some(match copied {
            Copied::Position(at) => at.to_array().map(|number| fixed(number, 3)).join(" "),
            Copied::Text => {
                let parts = document.summary(item, &*self.view.shown);
                let texts = parts
                    .iter()
                    .map(|part| format!("{} {}", part.name, part.value.trim()));
                printable(&texts.collect::<Vec<_>>().join(", ")).into_owned()
            }
            Copied::Item => self.written(item)?,
            Copied::CommandLine => {
                let file = quoted_file(open)?;
                let item = quoted(Path::new(&self.written(item)?))?;
                format!("mapscope {file} --select {item}")
            }
        })
    }

    fn text_of_query(&self) -> Option<String> {
        let file = quoted_file(self.open_file()?)?;
        let query = quoted(Path::new(&self.tools.finding.query))?;
        Some(format!("mapscope info {file} --find {query}"))
    }

    /// The form of an item that `--select` reads. If it is also the name of another item, the form
    /// with spaces, which is not read as a name.
    fn written(&self, item: Item) -> Option<String> {
        let document = self.document()?;
        let written = item.written();
        let found = find_items(&**document, &written).unwrap_or_default();
        let is_it = found.first().is_some_and(|found| found.item == item);
        Some(if is_it { written } else { item.to_string() })
    }
}

/// The open file as a word for a shell.
fn quoted_file(open: &OpenFile) -> Option<String> {
    match open.demo {
        Some(demo) => Some(format!("demo:{}", demo.id)),
        None => quoted(&open.path),
    }
}

/// Quotes a word for a shell. Returns `None` if it is no text, or has characters that control a
/// terminal.
fn quoted(word: &Path) -> Option<String> {
    let word = word.to_str()?;
    if word.contains(char::is_control) {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,+@".contains(c);
    Some(if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let quoted = |word: &str| quoted(Path::new(word));
        assert_eq!(quoted("/a/b-1.pfmap").as_deref(), Some("/a/b-1.pfmap"));
        assert_eq!(quoted("/a b/$(x)").as_deref(), Some("'/a b/$(x)'"));
        assert_eq!(quoted("it's; ~").as_deref(), Some(r"'it'\''s; ~'"));
        assert_eq!(quoted("").as_deref(), Some("''"));
        assert_eq!(quoted("a\u{1b}[0m"), None);
    }
}
