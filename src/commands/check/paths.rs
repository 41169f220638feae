//! Files as a repository names them.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// What stands for something else in a URI of a file (RFC 3986, section 3.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A path from the working folder where it lies below that, or else an absolute one; without `.` and
/// with `/` on every system.
#[derive(Debug)]
pub(super) struct RelativePath(PathBuf);

impl RelativePath {
    /// A file as it was named.
    pub(super) fn new(path: &Path) -> Self {
        let here = std::env::current_dir().ok();
        let below = here.and_then(|here| Some(path.strip_prefix(here).ok()?.to_owned()));
        let path = below.unwrap_or_else(|| path.to_owned());
        let parts = path.components();
        Self(parts.filter(|part| *part != Component::CurDir).collect())
    }

    /// Whether it goes from the working folder.
    pub(super) fn is_relative(&self) -> bool {
        !self.0.has_root()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.0.as_os_str().as_encoded_bytes().to_vec();
        if cfg!(windows) {
            for byte in bytes.iter_mut().filter(|byte| **byte == b'\\') {
                *byte = b'/';
            }
        }
        bytes
    }

    /// As text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// As a URI, or a reference to one.
    pub(super) fn uri(&self) -> String {
        let path = percent_encode(&self.bytes(), ESCAPED).to_string();
        match self.is_relative() {
            true => path,
            // `C:/` has no slash before it.
            false if path.starts_with('/') => format!("file://{path}"),
            false => format!("file:///{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_from_the_working_folder_and_are_escaped() {
        let here = std::env::current_dir().unwrap();
        for (path, text, uri) in [
            ("./maps/a b.pfmap", "maps/a b.pfmap", "maps/a%20b.pfmap"),
            (
                "größe,100%.pmf",
                "größe,100%.pmf",
                "gr%C3%B6%C3%9Fe%2C100%25.pmf",
            ),
            ("../a:b", "../a:b", "../a%3Ab"),
            ("/x y/z", "/x y/z", "file:///x%20y/z"),
        ] {
            let path = RelativePath::new(Path::new(path));
            assert_eq!((&*path.text(), &*path.uri()), (text, uri));
        }
        let inside = RelativePath::new(&here.join("maps/a.pfmap"));
        assert_eq!(inside.uri(), "maps/a.pfmap");
        assert!(inside.is_relative());
    }
}
