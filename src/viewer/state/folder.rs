//! Lists the files of a folder that can be opened, in natural order.

use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

pub(crate) use crate::file_names::{name, natural_order};
use mapscope_formats::{Format, pfmap, pfscene};

/// Number of bytes at the start of a file that are read to recognise its format.
const HEAD_BYTES: u64 = 512;

/// The files of a folder whose extensions are known, in natural order.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(crate) fn openable_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| mapscope_scene::has_known_ending(path) && path.is_file())
        .collect();
    files.sort_by(|a, b| natural_order(&name(a), &name(b)));
    Ok(files)
}

/// Returns the scene and its map among files that were opened together. There must be exactly one
/// scene. The map is the one with the same name, or else the only one. They may lie in different
/// folders.
pub(crate) fn scene_and_map(paths: &[PathBuf]) -> Option<(&Path, &Path)> {
    let files_of = |format: &'static Format| {
        paths
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| has_format(path, format))
            .collect::<Vec<_>>()
    };
    let [scene] = files_of(&pfscene::FORMAT)[..] else {
        return None;
    };
    let maps = files_of(&pfmap::FORMAT);
    let own = maps.iter().find(|map| map.file_stem() == scene.file_stem());
    let only = maps.first().filter(|_| maps.len() == 1);
    Some((scene, own.or(only)?))
}

/// `true` if a file has a format, according to its extension, or to its content if the extension is
/// unknown.
fn has_format(path: &Path, format: &'static Format) -> bool {
    if mapscope_scene::has_known_ending(path) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_it = |ending: &str| {
            format
                .endings
                .iter()
                .any(|e| ending.eq_ignore_ascii_case(e))
        };
        return ending.is_some_and(is_it);
    }
    (format.sniff)(&read_head(path))
}

/// The probable format of a file: by its name, or by its content if several formats share the
/// extension.
pub(crate) fn format_of(path: &Path) -> Option<&'static Format> {
    mapscope_scene::format_by_name(path, || read_head(path))
}

/// Reads the start of a file. Empty if it cannot be read.
fn read_head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    // Opening a pipe would block until a writer appears.
    let file = path
        .is_file()
        .then(|| std::fs::File::open(path).ok())
        .flatten();
    let read = file.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head).ok());
    if read.is_some() { head } else { Vec::new() }
}

/// The absolute path of a file, independent of the current folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let goes_up = |part| matches!(part, Component::ParentDir);
    if !absolute.components().any(goes_up) {
        return absolute;
    }
    // The target of `..` depends on links. Paths without `..` need no access to the disk.
    let folder = absolute
        .parent()
        .and_then(|folder| folder.canonicalize().ok());
    match (folder, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// `true` if two paths refer to the same file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    a == b || a.file_name() == b.file_name() && real(a).is_some_and(|a| real(b) == Some(a))
}

/// For each file, the shortest folder suffix that distinguishes it from files of the same name,
/// such as `maps` or `old/maps`.
pub(crate) fn disambiguated(files: &[PathBuf]) -> Vec<String> {
    let folders_above = |file: &PathBuf| -> Vec<String> {
        file.ancestors()
            .skip(1)
            .map(Path::file_name)
            .map_while(|name| Some(name?.to_string_lossy().into_owned()))
            .collect()
    };
    let above: Vec<Vec<String>> = files.iter().map(folders_above).collect();
    let tail = |folders: &[String], length: usize| -> String {
        let length = length.min(folders.len());
        folders[..length]
            .iter()
            .rev()
            .cloned()
            .collect::<Vec<_>>()
            .join(std::path::MAIN_SEPARATOR_STR)
    };
    let is_unique = |at: usize, length: usize| {
        let mut others = (0..files.len()).filter(|&other| other != at);
        !others.any(|other| {
            files[other].file_name() == files[at].file_name()
                && tail(&above[other], length) == tail(&above[at], length)
        })
    };
    (0..files.len())
        .map(|at| {
            let max_length = above[at].len().max(1);
            let length = (1..max_length).find(|&length| is_unique(at, length));
            tail(&above[at], length.unwrap_or(max_length))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_the_files_that_can_be_opened() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["map10.pfmap", "map9.PFMAP", "note.txt", "日本 1.pfmap"] {
            std::fs::write(dir.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(dir.path().join("folder.pfmap")).unwrap();
        let files = openable_files(dir.path()).unwrap();
        let names: Vec<String> = files.iter().map(|f| name(f)).collect();
        assert_eq!(names, ["map9.PFMAP", "map10.pfmap", "日本 1.pfmap"]);
        assert!(openable_files(&dir.path().join("no such folder")).is_err());
    }

    #[test]
    fn a_path_is_the_same_from_everywhere() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(
            absolute(Path::new("maps/a.pfmap")),
            here.join("maps/a.pfmap")
        );
        assert_eq!(absolute(Path::new("./a.pfmap")), here.join("a.pfmap"));
        assert_eq!(
            absolute(Path::new("src/../a.pfmap")),
            here.canonicalize().unwrap().join("a.pfmap")
        );
        assert_eq!(absolute(Path::new("/x/a.pfmap")), Path::new("/x/a.pfmap"));
    }

    #[test]
    fn files_of_the_same_name_are_told_apart_by_their_folders() {
        let files = [
            "/a/maps/x.pfmap",
            "/b/maps/x.pfmap",
            "/b/maps/y.pfmap",
            "/z.pfmap",
        ]
        .map(PathBuf::from);
        assert_eq!(disambiguated(&files), ["a/maps", "b/maps", "maps", ""]);
        assert_eq!(disambiguated(&["/x".into(), "/a/x".into()]), ["", "a"]);
    }
}
