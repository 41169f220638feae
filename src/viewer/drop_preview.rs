//! What dropping files on the window would do, said while they are held over it.

use std::path::PathBuf;

use super::folder;
use crate::scene::registry;

/// What dropping files would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DropPreview {
    /// The file that would be opened, if any.
    pub opens: Option<PathBuf>,
    /// The main line.
    pub title: String,
    /// A smaller line below it.
    pub detail: String,
}

/// Says what dropping these files would do. Reads folders.
pub(super) fn preview_drop(paths: &[PathBuf]) -> DropPreview {
    let openable = |path: &&PathBuf| registry::looks_openable(path);
    match paths {
        [folder] if folder.is_dir() => {
            let name = folder::name(folder);
            let files = folder::openable_files(folder).unwrap_or_default();
            match files.first() {
                Some(first) => DropPreview {
                    title: format!("Drop to open the folder {name}"),
                    detail: match files.len() {
                        1 => folder::name(first),
                        count => format!("{}, the first of {count} files", folder::name(first)),
                    },
                    opens: Some(first.clone()),
                },
                None => DropPreview {
                    title: format!("{name} has no file that Mapscope opens"),
                    detail: String::new(),
                    opens: None,
                },
            }
        }
        [file] => DropPreview {
            title: format!("Drop to open {}", folder::name(file)),
            detail: if openable(&file) {
                String::new()
            } else {
                "Its name promises nothing, but its content may".to_owned()
            },
            opens: Some(file.clone()),
        },
        several => match several.iter().find(openable).or(several.first()) {
            Some(first) => DropPreview {
                title: format!("Drop to open {}", folder::name(first)),
                detail: format!(
                    "{} files: the first that can be opened, the others with Page Down",
                    several.len()
                ),
                opens: Some(first.clone()),
            },
            None => DropPreview {
                title: "Drop to open".to_owned(),
                detail: String::new(),
                opens: None,
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlay_says_what_a_drop_would_open() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        for name in ["b10.pfmap", "b9.pfmap", "notes.txt"] {
            std::fs::write(in_dir(name), b"x").unwrap();
        }
        let one = preview_drop(&[in_dir("日本 100%.pfmap")]);
        assert_eq!(one.title, "Drop to open 日本 100%.pfmap");
        let several = preview_drop(&[in_dir("notes.txt"), in_dir("b9.pfmap")]);
        assert_eq!(several.opens, Some(in_dir("b9.pfmap")));
        assert!(several.detail.starts_with("2 files"), "{several:?}");
        let folder = preview_drop(&[dir.path().to_owned()]);
        assert_eq!(folder.opens, Some(in_dir("b9.pfmap")));
        assert!(folder.detail.contains("first of 2"), "{folder:?}");
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(preview_drop(&[empty.path().to_owned()]).opens, None);
    }
}
