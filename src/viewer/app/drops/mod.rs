//! Files that are dragged onto the window, as the desktop tells of them: on Wayland and X11 by own readers, which
//! say why something cannot be opened. Elsewhere winit does it.

mod uri_list;

use std::fmt;
use std::path::PathBuf;

use super::clipboard::{PasteTarget, Pasted};
use uri_list::UriList;

/// The longest list of dropped files, in bytes: tens of thousands of files.
pub(super) const LONGEST_LIST: usize = 4 << 20;
/// The form in which programs offer files.
pub(super) const URI_LIST: &str = "text/uri-list";

/// What is dragged over the window, or was dropped on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dragged {
    /// Files and folders. Empty until they are known.
    pub paths: Vec<PathBuf>,
    /// What of it cannot be opened, in a sentence without its full stop.
    pub refusal: Option<String>,
}

impl Dragged {
    /// The files of a `text/uri-list`.
    pub(crate) fn of_list(bytes: &[u8]) -> Self {
        let list = UriList::read(bytes);
        let first = &list.first_other;
        let refusal = match list.others {
            0 if list.paths.is_empty() => Some("What is dragged has no names of files".to_owned()),
            0 => None,
            1 => Some(format!("{first} is no file on this machine")),
            count => Some(format!(
                "{first} and {} more are no files on this machine",
                count - 1
            )),
        };
        Self {
            paths: list.paths,
            refusal,
        }
    }

    /// Something that is offered in no form that names files.
    pub(crate) fn no_file() -> Self {
        Self {
            paths: Vec::new(),
            refusal: Some("What is dragged is no file".to_owned()),
        }
    }

    /// Files whose list did not come.
    pub(crate) fn failed(why: impl fmt::Display) -> Self {
        Self {
            paths: Vec::new(),
            refusal: Some(format!("What is dragged cannot be opened: {why}")),
        }
    }

    /// Whether nothing of it can be opened.
    pub(crate) fn is_refused_whole(&self) -> bool {
        self.paths.is_empty() && self.refusal.is_some()
    }
}

/// What the desktop says of drops and of the clipboard.
#[derive(Debug)]
pub(crate) enum DeviceEvent {
    /// Something is held over the window.
    Over(Dragged),
    /// It is no longer.
    Left,
    /// It was dropped.
    Dropped(Dragged),
    /// The text that was asked for.
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
    fn what_is_no_file_is_said() {
        let says = |text: &str| Some(text.to_owned());
        assert_eq!(refusal("file:///a\r\nfile:///b\r\n"), (2, None));
        let one = says("https://a.org/b is no file on this machine");
        assert_eq!(refusal("https://a.org/b"), (0, one.clone()));
        assert_eq!(refusal("file:///a\nhttps://a.org/b"), (1, one));
        let several = says("a:b and 2 more are no files on this machine");
        assert_eq!(refusal("a:b\nfile:///a\nc:d\ne:f"), (1, several));
        assert_eq!(
            refusal("\r\n"),
            (0, says("What is dragged has no names of files"))
        );
    }
}
