//! The system clipboard.
//!
//! egui-winit's own clipboard is disabled in the build, because on Wayland drops and the clipboard
//! have to share one data device, [`super::wayland`].

use arboard::ImageData;
use egui::{Event, Key, Modifiers, Pos2};
use image::RgbaImage;
#[cfg(target_os = "linux")]
use winit::event_loop::OwnedDisplayHandle;

#[cfg(target_os = "linux")]
use super::drops::DeviceEvent;
#[cfg(target_os = "linux")]
use super::wayland::{Content, DataDevice};

/// Maximum length of a pasted text, in bytes. No text field needs more.
pub(crate) const MAX_PASTE_BYTES: usize = 1 << 20;

/// The text of the clipboard, empty if it has no text, or the error.
pub(crate) type Pasted = Result<String, String>;

/// The destination of a paste.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PasteTarget {
    /// The focused widget.
    Focused,
    /// The text field at this window position, in points.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only X11 does so")
    )]
    At(Pos2),
    /// The camera.
    Camera,
}

/// A clipboard shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shortcut {
    Cut,
    Copy,
    Paste,
}

/// Removes the clipboard shortcuts from the events of the interface. Cut and copy are replaced by
/// their meaning. Returns `true` if there was a paste shortcut: its text may arrive later.
pub(crate) fn take_shortcuts(events: &mut Vec<Event>) -> bool {
    let mut pastes = false;
    events.retain_mut(|event| {
        let Event::Key {
            key,
            pressed: true,
            modifiers,
            ..
        } = *event
        else {
            return true;
        };
        let found = shortcut(key, modifiers);
        match found {
            Some(Shortcut::Cut) => *event = Event::Cut,
            Some(Shortcut::Copy) => *event = Event::Copy,
            Some(Shortcut::Paste) => pastes = true,
            None => {}
        }
        found != Some(Shortcut::Paste)
    });
    pastes
}

fn shortcut(key: Key, modifiers: Modifiers) -> Option<Shortcut> {
    let command = modifiers.command_only();
    let shift = modifiers.shift_only();
    match key {
        Key::Cut => Some(Shortcut::Cut),
        Key::X if command => Some(Shortcut::Cut),
        Key::Delete if shift && cfg!(target_os = "windows") => Some(Shortcut::Cut),
        Key::Copy => Some(Shortcut::Copy),
        Key::C | Key::Insert if command => Some(Shortcut::Copy),
        Key::Paste => Some(Shortcut::Paste),
        Key::V if command => Some(Shortcut::Paste),
        Key::Insert if shift => Some(Shortcut::Paste),
        _ => None,
    }
}

/// The clipboard of the window system.
pub(crate) enum Clipboard {
    /// The clipboard of a Wayland seat.
    #[cfg(target_os = "linux")]
    Wayland(DataDevice),
    /// The clipboard of any other system, created on first use: on X11 it has its own connection
    /// and thread.
    Other(Option<arboard::Clipboard>),
}

impl Clipboard {
    /// Opens the clipboard of a display. On Wayland, `on_event` receives the events of the
    /// clipboard and of drops.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(
        display: OwnedDisplayHandle,
        on_event: impl Fn(DeviceEvent) + Send + 'static,
    ) -> Self {
        match DataDevice::start(display, on_event) {
            Ok(Some(device)) => Self::Wayland(device),
            Ok(None) => Self::Other(None),
            Err(error) => {
                log::warn!("there are no drops on this Wayland display: {error}");
                Self::Other(None)
            }
        }
    }

    /// `true` if drag events come from here and not from winit.
    pub(crate) fn reports_drags(&self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Self::Wayland(_) => true,
            Self::Other(_) => false,
        }
    }

    /// Copies a text to the clipboard.
    pub(crate) fn copy(&mut self, text: String) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Wayland(device) => device.copy(Content::Text(text.into())),
            Self::Other(other) => {
                let done = connect(other).and_then(|clipboard| clipboard.set_text(text));
                if let Err(error) = done {
                    log::warn!("nothing was copied: {error}");
                }
            }
        }
    }

    /// Copies an image to the clipboard.
    ///
    /// # Errors
    /// Fails if the system rejects it; the error is for display.
    pub(crate) fn copy_image(&mut self, image: RgbaImage) -> Result<(), String> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Wayland(device) => {
                let mut png = Vec::new();
                let encoder = image::codecs::png::PngEncoder::new(&mut png);
                let encoded = image.write_with_encoder(encoder);
                encoded.map_err(|error| error.to_string())?;
                device.copy(Content::Png(png.into()));
                Ok(())
            }
            Self::Other(other) => {
                let data = ImageData {
                    width: image.width() as usize,
                    height: image.height() as usize,
                    bytes: image.into_raw().into(),
                };
                let done = connect(other).and_then(|clipboard| clipboard.set_image(data));
                done.map_err(|error| error.to_string())
            }
        }
    }

    /// Sets the primary selection, which the middle mouse button pastes.
    pub(crate) fn copy_selection(&mut self, text: String) {
        #[cfg(target_os = "linux")]
        if let Self::Other(other) = self {
            use arboard::{LinuxClipboardKind, SetExtLinux as _};
            let primary = LinuxClipboardKind::Primary;
            let done = connect(other).and_then(|it| it.set().clipboard(primary).text(text));
            if let Err(error) = done {
                log::debug!("the selected text was not kept: {error}");
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _only_on_x11 = text;
    }

    /// Returns the text to paste; `None` if `on_event` receives it later.
    pub(crate) fn paste(&mut self, target: PasteTarget) -> Option<Pasted> {
        match (self, target) {
            #[cfg(target_os = "linux")]
            (Self::Wayland(_), PasteTarget::At(_)) => Some(Ok(String::new())),
            #[cfg(target_os = "linux")]
            (Self::Wayland(device), target) => {
                device.paste(target);
                None
            }
            #[cfg(target_os = "linux")]
            (Self::Other(other), PasteTarget::At(_)) => {
                use arboard::{GetExtLinux as _, LinuxClipboardKind};
                let primary = LinuxClipboardKind::Primary;
                Some(text(
                    connect(other).and_then(|it| it.get().clipboard(primary).text()),
                ))
            }
            (Self::Other(other), _) => {
                Some(text(connect(other).and_then(arboard::Clipboard::get_text)))
            }
        }
    }
}

fn connect(
    clipboard: &mut Option<arboard::Clipboard>,
) -> Result<&mut arboard::Clipboard, arboard::Error> {
    Ok(match clipboard {
        Some(clipboard) => clipboard,
        none => none.insert(arboard::Clipboard::new()?),
    })
}

fn text(text: Result<String, arboard::Error>) -> Pasted {
    match text {
        Ok(text) if text.len() > MAX_PASTE_BYTES => Err(format!(
            "the data is larger than {} MiB",
            MAX_PASTE_BYTES >> 20
        )),
        Ok(text) => Ok(text),
        // The clipboard contains an image, or is empty.
        Err(arboard::Error::ContentNotAvailable) => Ok(String::new()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_cut_copy_and_paste() {
        let key = |key, modifiers, pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers,
        };
        let after = |event: Event| {
            let mut events = vec![event];
            let pastes = take_shortcuts(&mut events);
            (events.pop(), pastes)
        };
        let (command, shift) = (Modifiers::COMMAND, Modifiers::SHIFT);
        for (pressed, modifiers, wanted) in [
            (Key::X, command, Event::Cut),
            (Key::C, command, Event::Copy),
            (Key::Insert, command, Event::Copy),
            (Key::Copy, Modifiers::NONE, Event::Copy),
        ] {
            assert_eq!(after(key(pressed, modifiers, true)), (Some(wanted), false));
        }
        for (pressed, modifiers) in [(Key::V, command), (Key::Insert, shift)] {
            assert_eq!(after(key(pressed, modifiers, true)), (None, true));
            let release = key(pressed, modifiers, false);
            assert_eq!(after(release.clone()), (Some(release), false));
        }
        // Shortcuts of the camera, and letters.
        for modifiers in [command | shift, Modifiers::NONE] {
            for letter in [Key::X, Key::C, Key::V] {
                let event = key(letter, modifiers, true);
                assert_eq!(after(event.clone()), (Some(event), false));
            }
        }
    }
}
