//! Keys as text, and the keys of commands that differ from the defaults.

use std::collections::BTreeMap;

use egui::{Key, KeyboardShortcut, ModifierNames, Modifiers};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The keys for flying: forward, left, back, right, down and up, by their position on the keyboard.
pub(crate) const FLY_KEYS: [Key; 6] = [Key::W, Key::A, Key::S, Key::D, Key::Q, Key::E];

/// The reason why a key cannot be bound to a command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum KeyError {
    /// The text is not a key.
    #[error("unknown key `{0}`; expected a key such as `F5` or `Ctrl+Shift+O`")]
    Unknown(String),
    /// The key flies the camera.
    #[error("{0} is reserved for flying (W A S D Q E, faster with Shift)")]
    Flies(String),
    /// The key moves the focus or presses a button.
    #[error("{0} is reserved for moving between buttons and pressing them")]
    Focus(String),
}

/// Display text of a shortcut, such as `Ctrl+Shift+O`.
pub(crate) fn key_text(shortcut: KeyboardShortcut) -> String {
    let mut text = ModifierNames::NAMES.format(&shortcut.modifiers, cfg!(target_os = "macos"));
    if !text.is_empty() {
        text.push('+');
    }
    text.push_str(match shortcut.logical_key {
        Key::PageDown => "Page Down",
        Key::PageUp => "Page Up",
        Key::Escape => "Esc",
        Key::Plus => "+",
        Key::Minus => "-",
        Key::Equals => "=",
        Key::Comma => ",",
        Key::Period => ".",
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        key => key.name(),
    });
    text
}

/// Parses a display text of a shortcut.
///
/// # Errors
/// Fails if the text is not a key, or if the key is reserved.
pub(crate) fn parse_key(text: &str) -> Result<KeyboardShortcut, KeyError> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = text.trim();
    while let Some((name, after)) = rest.split_once('+')
        && let Some(modifier) = modifier(name.trim())
    {
        modifiers |= modifier;
        rest = after.trim();
    }
    let name = rest.replace(' ', "");
    let by_name = |key: &&Key| key.name().eq_ignore_ascii_case(&name);
    let key = Key::from_name(&name).or_else(|| Key::ALL.iter().find(by_name).copied());
    let key = key.ok_or_else(|| KeyError::Unknown(text.to_owned()))?;
    let shortcut = KeyboardShortcut::new(modifiers, key);
    check(shortcut).map(|()| shortcut)
}

fn modifier(name: &str) -> Option<Modifiers> {
    Some(match name.to_ascii_lowercase().as_str() {
        "ctrl" if cfg!(target_os = "macos") => Modifiers::CTRL,
        "ctrl" | "cmd" => Modifiers::COMMAND,
        "alt" | "option" => Modifiers::ALT,
        "shift" => Modifiers::SHIFT,
        _ => return None,
    })
}

/// Checks that a key may be bound to a command.
///
/// # Errors
/// Fails if the window needs the key for something else.
pub(crate) fn check(shortcut: KeyboardShortcut) -> Result<(), KeyError> {
    let is_plain = shortcut.modifiers.is_none() || shortcut.modifiers == Modifiers::SHIFT;
    match shortcut.logical_key {
        key if is_plain && FLY_KEYS.contains(&key) => Err(KeyError::Flies(key_text(shortcut))),
        Key::Tab | Key::Enter if is_plain => Err(KeyError::Focus(key_text(shortcut))),
        _ => Ok(()),
    }
}

/// The shortcut of a pressed key.
pub(crate) fn shortcut_of(key: Key, modifiers: Modifiers) -> KeyboardShortcut {
    let modifiers = Modifiers {
        alt: modifiers.alt,
        ctrl: modifiers.ctrl && !modifiers.command,
        shift: modifiers.shift,
        mac_cmd: false,
        command: modifiers.command,
    };
    KeyboardShortcut::new(modifiers, key)
}

/// The keys of each command, by its id. Commands that are not listed have their default keys.
///
/// Texts are stored as they are in the settings file. Unknown ids and texts have no effect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "KeyTexts", into = "KeyTexts")]
pub struct Keymap(BTreeMap<String, (Vec<String>, Option<Vec<KeyboardShortcut>>)>);

/// The key texts of commands in the settings file.
type KeyTexts = BTreeMap<String, Vec<String>>;

impl From<KeyTexts> for Keymap {
    fn from(texts: KeyTexts) -> Self {
        let parsed = |texts: Vec<String>| {
            let keys: Vec<_> = texts
                .iter()
                .filter_map(|text| parse_key(text).ok())
                .collect();
            // A list of which no text is known does not remove the default keys.
            let is_usable = texts.is_empty() || !keys.is_empty();
            (texts, is_usable.then_some(keys))
        };
        Self(
            texts
                .into_iter()
                .map(|(id, texts)| (id, parsed(texts)))
                .collect(),
        )
    }
}

impl From<Keymap> for KeyTexts {
    fn from(Keymap(keys): Keymap) -> Self {
        keys.into_iter()
            .map(|(id, (texts, _))| (id, texts))
            .collect()
    }
}

impl Keymap {
    /// The keys of a command, if they differ from its default keys.
    pub(crate) fn get(&self, id: &str) -> Option<&[KeyboardShortcut]> {
        self.0.get(id)?.1.as_deref()
    }

    /// Sets the keys of a command; `None` restores its default keys.
    pub(crate) fn set(&mut self, id: &str, keys: Option<Vec<KeyboardShortcut>>) {
        self.0.remove(id);
        if let Some(keys) = keys {
            let texts = keys.iter().copied().map(key_text).collect();
            self.0.insert(id.to_owned(), (texts, Some(keys)));
        }
    }

    /// The entries without an effect: commands that do not exist, and texts that are not keys.
    pub(crate) fn faults(&self, is_command: impl Fn(&str) -> bool) -> Vec<String> {
        let mut faults = Vec::new();
        for (id, (texts, _)) in &self.0 {
            if !is_command(id) {
                faults.push(format!("unknown command `{id}`"));
            }
            let errors = texts.iter().filter_map(|text| parse_key(text).err());
            faults.extend(errors.map(|error| format!("{id}: {error}")));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Keymap {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_key_with_any_modifiers_parses_back() {
        let all = [Modifiers::ALT, Modifiers::COMMAND, Modifiers::SHIFT];
        for bits in 0..8 {
            let chosen = (0..3).filter(|bit| bits >> bit & 1 == 1);
            let modifiers = chosen.fold(Modifiers::NONE, |before, bit| before | all[bit]);
            for key in Key::ALL {
                let shortcut = KeyboardShortcut::new(modifiers, *key);
                let text = key_text(shortcut);
                let expected = check(shortcut).map(|()| shortcut);
                assert_eq!(parse_key(&text), expected, "{text}");
            }
        }
    }

    #[test]
    fn a_typed_key_need_not_be_spelled_exactly() {
        for (typed, text) in [
            (" ctrl + shift+o", "Ctrl+Shift+O"),
            ("Shift+Ctrl+O", "Ctrl+Shift+O"),
            ("pagedown", "Page Down"),
            ("Ctrl++", "Ctrl++"),
            ("Alt+Escape", "Alt+Esc"),
        ] {
            if !cfg!(target_os = "macos") {
                assert_eq!(key_text(parse_key(typed).unwrap()), text);
            }
        }
        for typed in ["", "Ctrl+", "Ctlr+O", "Ctrl+O+P", "F99", "+Ctrl"] {
            assert_eq!(parse_key(typed), Err(KeyError::Unknown(typed.to_owned())));
        }
        let flies = Err(KeyError::Flies("Shift+W".to_owned()));
        assert_eq!(parse_key("shift+w"), flies);
        assert_eq!(parse_key("Tab"), Err(KeyError::Focus("Tab".to_owned())));
        assert!(parse_key("Ctrl+W").is_ok());
    }

    #[test]
    fn unknown_ids_and_texts_are_kept_and_reported() {
        let json = r#"{"gone":["F5"],"open":["Ctlr+O"],"quit":["Ctlr+Q","F4"],"reload":[]}"#;
        let keymap = parsed(json);
        assert_eq!(serde_json::to_string(&keymap).unwrap(), json);
        assert_eq!(keymap.get("open"), None, "the default keys stay");
        let f4 = KeyboardShortcut::new(Modifiers::NONE, Key::F4);
        assert_eq!(keymap.get("quit"), Some(&[f4][..]));
        assert_eq!(keymap.get("reload"), Some(&[][..]), "without keys");
        let expected = "; expected a key such as `F5` or `Ctrl+Shift+O`";
        assert_eq!(
            keymap.faults(|id| id != "gone"),
            [
                "unknown command `gone`".to_owned(),
                format!("open: unknown key `Ctlr+O`{expected}"),
                format!("quit: unknown key `Ctlr+Q`{expected}"),
            ]
        );
    }

    #[test]
    fn only_what_differs_is_stored() {
        let mut keymap = parsed(r#"{"open":["F2"]}"#);
        keymap.set(
            "quit",
            Some(vec![KeyboardShortcut::new(Modifiers::ALT, Key::F4)]),
        );
        keymap.set("open", None);
        assert_eq!(
            serde_json::to_string(&keymap).unwrap(),
            r#"{"quit":["Alt+F4"]}"#
        );
    }
}
