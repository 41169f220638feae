//! What dropping files on the window would do, said while they are held over it.

use std::path::PathBuf;

use super::folder;
use mapscope_formats::counted;

/// What dropping files would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DropPreview {
    /// The file that would be opened, if any.
    pub opens: Option<PathBuf>,
    /// The main line.
    pub title: String,
    /// A smaller line below it.
    pub detail: String,
}

/// Says what dropping these files would do. Reads folders.
pub(crate) fn preview_drop(paths: &[PathBuf]) -> DropPreview {
    let (files, _) = folder::expand(paths);
    let Some(first) = files.first() else {
        let what = match paths {
            [folder] => folder::name(folder),
            _ => "This".to_owned(),
        };
        return DropPreview {
            opens: None,
            title: format!("{what} has no file that Mapscope opens"),
            detail: String::new(),
        };
    };
    if let Some((scene, map)) = folder::scene_and_map(paths) {
        let [name, map] = [scene, map].map(folder::name);
        let others = paths.len() - 2;
        return DropPreview {
            opens: Some(scene.to_owned()),
            title: format!("Drop to open {name} on {map}"),
            detail: match others {
                0 => String::new(),
                _ => format!("{} with Page Down", counted(others, "other file")),
            },
        };
    }
    let name = folder::name(first);
    let (title, detail) = match (paths, files.len()) {
        ([file], 1) if file == first => {
            let detail = if mapscope_scene::looks_openable(file) {
                ""
            } else {
                "Its name promises nothing, but its content may"
            };
            (format!("Drop to open {name}"), detail.to_owned())
        }
        ([folder], count) => {
            let title = format!("Drop to open the folder {}", folder::name(folder));
            let detail = match count {
                1 => name,
                _ => format!("{name}, the first of {count} files"),
            };
            (title, detail)
        }
        (_, count) => {
            let detail = match count {
                1 => String::new(),
                _ => format!(
                    "{count} files: the first that can be opened, the others with Page Down"
                ),
            };
            (format!("Drop to open {name}"), detail)
        }
    };
    DropPreview {
        opens: Some(first.clone()),
        title,
        detail,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_that_is_dropped_with_a_map_opens_on_it() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        for name in [
            "siege.pfscene",
            "other.pfscene",
            "castle.pfmap",
            "siege.pfmap",
        ] {
            std::fs::write(in_dir(name), b"x").unwrap();
        }
        std::fs::write(in_dir("map"), b"version 1.0\nnum_materials 1\nnum_rows 1\n").unwrap();
        let said = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| in_dir(name)).collect();
            let preview = preview_drop(&paths);
            (preview.title, preview.detail)
        };
        let on = |map: &str| format!("Drop to open siege.pfscene on {map}");
        let two = said(&["castle.pfmap", "siege.pfscene"]);
        assert_eq!(two, (on("castle.pfmap"), String::new()));
        let by_content = said(&["siege.pfscene", "map"]);
        assert_eq!(by_content.0, on("map"));
        let three = said(&["castle.pfmap", "siege.pfscene", "siege.pfmap"]);
        assert_eq!(three.0, on("siege.pfmap"));
        assert_eq!(three.1, "1 other file with Page Down");
        let scenes = said(&["siege.pfscene", "other.pfscene", "castle.pfmap"]);
        assert_eq!(scenes.0, "Drop to open siege.pfscene");
    }

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
        let mixed = preview_drop(&[
            dir.path().to_owned(),
            in_dir("notes.txt"),
            in_dir("z.pfmap"),
        ]);
        assert_eq!(mixed.opens, Some(in_dir("b9.pfmap")));
        assert!(mixed.detail.starts_with("4 files"), "{mixed:?}");
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(preview_drop(&[empty.path().to_owned()]).opens, None);
    }
}
