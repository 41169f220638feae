//! Files dragged onto the window, as reported by the desktop. On Wayland and X11 the viewer's own
//! readers report why something cannot be opened. Elsewhere winit reads drops.

mod uri_list;

use std::fmt;
use std::path::PathBuf;

use super::clipboard::{PasteTarget, Pasted};
use uri_list::UriList;

/// Maximum length of a list of dropped files, in bytes: tens of thousands of files.
pub(super) const MAX_LIST_BYTES: usize = 4 << 20;
/// The MIME type in which programs offer files.
pub(super) const URI_LIST: &str = "text/uri-list";

/// The data dragged over the window or dropped on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dragged {
    /// Files and folders, empty until they are known.
    pub paths: Vec<PathBuf>,
    /// The reason why some of it cannot be opened, if any, as a sentence without a full stop.
    pub refusal: Option<String>,
}

impl Dragged {
    /// Returns the files of a `text/uri-list`.
    pub(crate) fn of_list(bytes: &[u8]) -> Self {
        let list = UriList::read(bytes);
        let first = &list.first_rejected;
        let refusal = match list.others {
            0 if list.paths.is_empty() => {
                Some("The dragged data contains no file names".to_owned())
            }
            0 => None,
            1 => Some(format!("{first} is not a file on this computer")),
            count => Some(format!(
                "{first} and {} more are not files on this computer",
                count - 1
            )),
        };
        Self {
            paths: list.paths,
            refusal,
        }
    }

    /// Returns the refusal of data that is not offered as a list of files.
    pub(crate) fn no_file() -> Self {
        Self {
            paths: Vec::new(),
            refusal: Some("The dragged data is not a file".to_owned()),
        }
    }

    /// Returns the refusal of files whose list was not received.
    pub(crate) fn failed(why: impl fmt::Display) -> Self {
        Self {
            paths: Vec::new(),
            refusal: Some(format!("The dragged data cannot be opened: {why}")),
        }
    }

    /// `true` if no part of it can be opened.
    pub(crate) fn is_rejected(&self) -> bool {
        self.paths.is_empty() && self.refusal.is_some()
    }
}

/// An event of drops or of the clipboard.
#[derive(Debug)]
pub(crate) enum DeviceEvent {
    /// Data is dragged over the window.
    Over(Dragged),
    /// The drag has left the window.
    Left,
    /// Data was dropped.
    Dropped(Dragged),
    /// The requested text of the clipboard.
    Pasted(PasteTarget, Pasted),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(list: &str) -> (usize, Option<String>) {
        let dragged = Dragged::of_list(list.as_bytes());
        (dragged.paths.len(), dragged.refusal)
    }

    #[test]
    fn data_without_files_is_rejected() {
        let says = |text: &str| Some(text.to_owned());
        assert_eq!(refusal("file:///a\r\nfile:///b\r\n"), (2, None));
        let one = says("https://a.org/b is not a file on this computer");
        assert_eq!(refusal("https://a.org/b"), (0, one.clone()));
        assert_eq!(refusal("file:///a\nhttps://a.org/b"), (1, one));
        let several = says("a:b and 2 more are not files on this computer");
        assert_eq!(refusal("a:b\nfile:///a\nc:d\ne:f"), (1, several));
        assert_eq!(
            refusal("\r\n"),
            (0, says("The dragged data contains no file names"))
        );
    }
}
