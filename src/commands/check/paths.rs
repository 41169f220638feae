//! Paths of files relative to their repository.

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use mapscope_scene::assets::REPOSITORY;

/// Characters that are escaped in a file URI (RFC 3986, section 3.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The working folder and the root of its Git repository, or the working folder twice if it is not
/// in one.
static FOLDERS: LazyLock<Option<[PathBuf; 2]>> = LazyLock::new(|| {
    let here = std::env::current_dir().ok()?;
    let mut above = here.ancestors();
    let root = above.find(|folder| folder.join(REPOSITORY).exists());
    let root = root.unwrap_or(&here).to_owned();
    Some([here, root])
});

/// A path relative to the root of the working folder's repository if it lies below it, or else the
/// path as given; without `.`, and with `/` on every system. Services that display a report expect
/// paths relative to that root.
#[derive(Debug)]
pub(super) struct RelativePath(PathBuf);

impl RelativePath {
    /// Converts the path of a file as the user gave it.
    pub(super) fn new(path: &Path) -> Self {
        Self::within(path, FOLDERS.as_ref())
    }

    fn within(path: &Path, folders: Option<&[PathBuf; 2]>) -> Self {
        let below = folders.and_then(|[here, root]| {
            let mut whole = PathBuf::new();
            for part in here.join(path).components() {
                match part {
                    Component::CurDir => {}
                    Component::ParentDir => {
                        whole.pop();
                    }
                    part => whole.push(part),
                }
            }
            Some(whole.strip_prefix(root).ok()?.to_owned())
        });
        let path = below.unwrap_or_else(|| path.to_owned());
        let parts = path.components();
        Self(parts.filter(|part| *part != Component::CurDir).collect())
    }

    /// `true` if the path is relative.
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

    /// The path as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// The path as a URI or a relative reference.
    pub(super) fn uri(&self) -> String {
        let path = percent_encode(&self.bytes(), ESCAPED).to_string();
        match self.is_relative() {
            true => path,
            // `C:/` has no leading slash.
            false if path.starts_with('/') => format!("file://{path}"),
            false => format!("file:///{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_from_the_repository_and_are_escaped() {
        let folders = ["/repo/assets", "/repo"].map(PathBuf::from);
        for (path, text, uri) in [
            (
                "./maps/a b.pfmap",
                "assets/maps/a b.pfmap",
                "assets/maps/a%20b.pfmap",
            ),
            (
                "größe,100%.pmf",
                "assets/größe,100%.pmf",
                "assets/gr%C3%B6%C3%9Fe%2C100%25.pmf",
            ),
            ("../other/a.pmf", "other/a.pmf", "other/a.pmf"),
            ("../../a:b", "../../a:b", "../../a%3Ab"),
            ("/repo/a.pfmap", "a.pfmap", "a.pfmap"),
            ("/x y/z", "/x y/z", "file:///x%20y/z"),
        ] {
            let path = RelativePath::within(Path::new(path), Some(&folders));
            assert_eq!((&*path.text(), &*path.uri()), (text, uri));
        }
    }
}
