//! Previews the effect of dropping files while they are dragged over the window.

use std::path::PathBuf;

use super::search::{self, Found};
use crate::search::{Limits, SearchProgress};
use crate::viewer::state::folder;
use crate::viewer::state::interface::DropPreview;
use mapscope_formats::counted;

/// Describes the effect of dropping files. Searches folders, with a short limit.
pub(crate) fn preview_drop(paths: &[PathBuf]) -> DropPreview {
    preview_within(paths, Limits::PREVIEW)
}

/// Describes the effect of dropping models while a joint is selected.
pub(crate) fn preview_attach(paths: &[PathBuf], joint: &str) -> Option<DropPreview> {
    let first = paths.first()?;
    let what = match paths {
        [model] => folder::name(model),
        _ => counted(paths.len(), "model"),
    };
    Some(DropPreview {
        opens: Some(first.clone()),
        title: format!("Attach to joint {joint}"),
        detail: format!("{what}; to open instead, deselect the joint first"),
    })
}

fn preview_within(paths: &[PathBuf], limits: Limits) -> DropPreview {
    let progress = SearchProgress::default();
    let Found {
        files,
        base,
        is_cut_off,
        ..
    } = search::find(paths, limits, &progress, &|| true).unwrap_or_default();
    let Some(first) = files.first() else {
        let what = match paths {
            [folder] => folder::name(folder),
            _ => "these folders".to_owned(),
        };
        let title = if is_cut_off {
            format!("Drop to search {what}")
        } else {
            format!("No supported files in {what}")
        };
        return DropPreview {
            opens: None,
            title,
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
                _ => format!("{} can be opened next", counted(others, "other file")),
            },
        };
    }
    let name = folder::name(first);
    let (title, detail) = match (paths, files.len()) {
        ([file], 1) if file == first => {
            let detail = if mapscope_scene::has_known_ending(file) {
                ""
            } else {
                "Unknown file name extension: the format is detected from the content"
            };
            (format!("Drop to open {name}"), detail.to_owned())
        }
        ([folder], count) => {
            let title = format!("Drop to open the folder {}", folder::name(folder));
            let name = first.strip_prefix(&base).unwrap_or(first).display();
            let detail = match count {
                _ if is_cut_off => format!("{} or more", counted(count, "file")),
                1 => name.to_string(),
                _ => format!("{name}, the first of {count} files"),
            };
            (title, detail)
        }
        (_, count) => {
            let or_more = if is_cut_off { " or more" } else { "" };
            let detail = match count {
                1 => String::new(),
                _ => format!(
                    "{count} files{or_more}: opens the first readable one; the others can be \
                     opened next"
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
        let preview = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| in_dir(name)).collect();
            let preview = preview_drop(&paths);
            (preview.title, preview.detail)
        };
        let on = |map: &str| format!("Drop to open siege.pfscene on {map}");
        let two = preview(&["castle.pfmap", "siege.pfscene"]);
        assert_eq!(two, (on("castle.pfmap"), String::new()));
        let by_content = preview(&["siege.pfscene", "map"]);
        assert_eq!(by_content.0, on("map"));
        let three = preview(&["castle.pfmap", "siege.pfscene", "siege.pfmap"]);
        assert_eq!(three.0, on("siege.pfmap"));
        assert_eq!(three.1, "1 other file can be opened next");
        let scenes = preview(&["siege.pfscene", "other.pfscene", "castle.pfmap"]);
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
        let empty = [empty.path().to_owned()];
        let preview = preview_drop(&empty);
        assert_eq!(preview.opens, None);
        assert!(
            preview.title.starts_with("No supported files"),
            "{preview:?}"
        );
    }

    #[test]
    fn a_folder_is_looked_into_below_itself_but_not_for_long() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("models");
        for name in ["barrel/barrel.pfobj", "well/well.pfobj"] {
            std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.join(name), b"x").unwrap();
        }
        let preview = preview_drop(std::slice::from_ref(&folder));
        assert_eq!(preview.title, "Drop to open the folder models");
        assert_eq!(preview.detail, "barrel/barrel.pfobj, the first of 2 files");
        let within = |entries, files| {
            preview_within(std::slice::from_ref(&folder), Limits { entries, files })
        };
        assert_eq!(within(9, 1).detail, "1 file or more");
        let none = within(1, 9);
        assert_eq!(none.title, "Drop to search models");
    }
}
