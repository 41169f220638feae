//! The files of a folder that can be opened, in the order in which people expect them.

use std::cmp::Ordering;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::loader::Failure;
use mapscope_formats::{Format, pfmap, pfscene};

/// Bytes by which a text of the Permafrost Engine is known.
const HEAD_BYTES: u64 = 512;

/// The files of a folder whose names say that they can be opened, in natural order.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn openable_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| mapscope_scene::looks_openable(path) && path.is_file())
        .collect();
    files.sort_by(|a, b| natural_order(&name(a), &name(b)));
    Ok(files)
}

/// The files that these files and folders stand for, in the order in which they are tried, and
/// the folders that have none.
pub(crate) fn expand(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Failure>) {
    let mut files = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        let refuse = |message: &str| Failure::new(path, message);
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match openable_files(path) {
            Ok(inside) if inside.is_empty() => {
                failures.push(refuse("This folder has no file that Mapscope opens"));
            }
            Ok(inside) => files.extend(inside),
            Err(error) => failures.push(refuse(&format!("This folder cannot be read: {error}"))),
        }
    }
    // Files whose names promise nothing are tried last: a map may come with its notes.
    files.sort_by_key(|file| !mapscope_scene::looks_openable(file));
    (files, failures)
}

/// The scene and the map among files that were given together: the one scene, and of the maps the
/// one of its name or else the only one. They need not lie in the same folder.
pub(crate) fn scene_and_map(paths: &[PathBuf]) -> Option<(&Path, &Path)> {
    let of = |format: &'static Format| {
        let mut files = paths.iter().map(PathBuf::as_path);
        files
            .by_ref()
            .filter(|path| is_of(path, format))
            .collect::<Vec<_>>()
    };
    let [scene] = of(&pfscene::FORMAT)[..] else {
        return None;
    };
    let maps = of(&pfmap::FORMAT);
    let own = maps.iter().find(|map| map.file_stem() == scene.file_stem());
    let only = maps.first().filter(|_| maps.len() == 1);
    Some((scene, own.or(only)?))
}

/// Whether a file is of a format: by its name, or by how it begins if its name says nothing.
fn is_of(path: &Path, format: &'static Format) -> bool {
    if mapscope_scene::looks_openable(path) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_it = |ending: &str| {
            format
                .endings
                .iter()
                .any(|e| ending.eq_ignore_ascii_case(e))
        };
        return ending.is_some_and(is_it);
    }
    let mut head = Vec::new();
    let file = std::fs::File::open(path).ok().filter(|_| path.is_file());
    let read = file.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head).ok());
    read.is_some() && (format.sniff)(&head)
}

/// The name of a file for people.
pub(crate) fn name(path: &Path) -> String {
    match path.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.display().to_string(),
    }
}

/// A path that means the same wherever the program is started.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let goes_up = |part| matches!(part, Component::ParentDir);
    if !absolute.components().any(goes_up) {
        return absolute;
    }
    // What `..` is depends on links; without one nothing needs to be asked.
    let folder = absolute
        .parent()
        .and_then(|folder| folder.canonicalize().ok());
    match (folder, absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => absolute,
    }
}

/// Whether two paths lead to the same file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    a == b || a.file_name() == b.file_name() && real(a).is_some_and(|a| real(b) == Some(a))
}

/// For each file the folders above it by which it is told apart from those of the same name, such
/// as `maps` or `old/maps`.
pub(crate) fn told_apart(files: &[PathBuf]) -> Vec<String> {
    let folders_above = |file: &PathBuf| -> Vec<String> {
        let above = file.ancestors().skip(1).map(Path::file_name);
        above
            .map_while(|name| Some(name?.to_string_lossy().into_owned()))
            .collect()
    };
    let above: Vec<Vec<String>> = files.iter().map(folders_above).collect();
    let tail = |folders: &[String], length: usize| -> String {
        let length = length.min(folders.len());
        let names = folders[..length].iter().rev();
        names
            .cloned()
            .collect::<Vec<_>>()
            .join(std::path::MAIN_SEPARATOR_STR)
    };
    let alone = |at: usize, length: usize| {
        let mut others = (0..files.len()).filter(|&other| other != at);
        !others.any(|other| {
            files[other].file_name() == files[at].file_name()
                && tail(&above[other], length) == tail(&above[at], length)
        })
    };
    (0..files.len())
        .map(|at| {
            let most = above[at].len().max(1);
            let length = (1..most).find(|&length| alone(at, length));
            tail(&above[at], length.unwrap_or(most))
        })
        .collect()
}

/// Compares names as people do: without regard to case, and numbers by their value.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (piece_a, piece_b) = (next_piece(&mut rest_a), next_piece(&mut rest_b));
        let order = match (piece_a, piece_b) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(Piece::Number(a)), Some(Piece::Number(b))) => {
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            (Some(a), Some(b)) => a.text().to_lowercase().cmp(&b.text().to_lowercase()),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// A run of digits, without leading zeros, or of anything else.
enum Piece<'a> {
    Number(&'a str),
    Text(&'a str),
}

impl<'a> Piece<'a> {
    fn text(&self) -> &'a str {
        match self {
            Self::Number(text) | Self::Text(text) => text,
        }
    }
}

fn next_piece<'a>(rest: &mut &'a str) -> Option<Piece<'a>> {
    let digits = rest.starts_with(|c: char| c.is_ascii_digit());
    let end = rest
        .find(|c: char| c.is_ascii_digit() != digits)
        .unwrap_or(rest.len());
    let (piece, after) = rest.split_at(end);
    *rest = after;
    match (piece.is_empty(), digits) {
        (true, _) => None,
        (false, true) => Some(Piece::Number(piece.trim_start_matches('0'))),
        (false, false) => Some(Piece::Text(piece)),
    }
}

/// The files that Page Down and Page Up go through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Playlist {
    files: Vec<PathBuf>,
    /// Which of them is open.
    at: usize,
    /// Which of them was asked for last, and whether by going back. It is not the open one while
    /// it is read, nor when it cannot be.
    tried: Option<(usize, bool)>,
}

impl Playlist {
    /// These files in their natural order, of which one is open; it is one of them also while it
    /// is gone from its folder.
    pub(crate) fn new(mut files: Vec<PathBuf>, open: &Path) -> Self {
        let found = files.iter().position(|file| file == open);
        let at = found.unwrap_or_else(|| {
            let is_before = |file: &PathBuf| natural_order(&name(file), &name(open)).is_lt();
            let at = files.partition_point(is_before);
            files.insert(at, open.to_owned());
            at
        });
        Self {
            files,
            at,
            tried: None,
        }
    }

    /// Whether there is anything to go to.
    pub(crate) fn has_others(&self) -> bool {
        self.files.len() > 1
    }

    /// The file after the open one, or before it, round at the end. Who goes on in the same
    /// direction passes by a file that cannot be opened.
    pub(crate) fn step(&mut self, backwards: bool) -> Option<&Path> {
        let count = self.files.len();
        if count < 2 {
            return None;
        }
        let tried = self.tried.filter(|(_, direction)| *direction == backwards);
        let from = tried.map_or(self.at, |(at, _)| at);
        let to = (from + if backwards { count - 1 } else { 1 }) % count;
        self.tried = Some((to, backwards));
        self.files.get(to).map(PathBuf::as_path)
    }

    /// A file was opened; says whether it is among them.
    pub(crate) fn go_to(&mut self, file: &Path) -> bool {
        let found = self.files.iter().position(|known| known == file);
        self.at = found.unwrap_or(self.at);
        self.tried = None;
        found.is_some()
    }

    /// `2 of 7`, where there is more than one.
    pub(crate) fn position_text(&self) -> Option<String> {
        self.has_others()
            .then(|| format!("{} of {}", self.at + 1, self.files.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_file_that_is_gone_keeps_its_place_among_the_others() {
        let names = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut list = Playlist::new(names(&["/a/v1.pfmap"]), Path::new("/a/v2.pfmap"));
        assert!(list.has_others());
        assert_eq!(list.step(false), Some(Path::new("/a/v1.pfmap")));
        let mut list = Playlist::new(names(&["/a/1.map", "/a/10.map"]), Path::new("/a/2.map"));
        assert_eq!(list.step(false), Some(Path::new("/a/10.map")));
        assert!(list.go_to(Path::new("/a/2.map")));
        assert_eq!(list.step(true), Some(Path::new("/a/1.map")));
    }

    #[test]
    fn numbers_in_names_are_ordered_by_their_value() {
        let mut names = [
            "b2", "a10", "A9", "a010", "a1b", "a", "b", "ä1", "a1", "7", "a 3",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            [
                "7", "a", "a1", "a1b", "A9", "a010", "a10", "a 3", "b", "b2", "ä1"
            ]
        );
    }

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
        ];
        let files = files.map(PathBuf::from);
        assert_eq!(told_apart(&files), ["a/maps", "b/maps", "maps", ""]);
        assert_eq!(told_apart(&["/x".into(), "/a/x".into()]), ["", "a"]);
    }

    #[test]
    fn a_file_that_is_not_opened_is_passed_by_and_not_counted() {
        let files: Vec<PathBuf> = ["a", "bad", "c"].map(PathBuf::from).to_vec();
        let mut list = Playlist::new(files, Path::new("a"));
        assert_eq!(list.step(false), Some(Path::new("bad")));
        assert_eq!(list.position_text().as_deref(), Some("1 of 3"));
        // Back from where one is, and on from what was tried.
        assert_eq!(list.clone().step(true), Some(Path::new("c")));
        assert_eq!(list.step(false), Some(Path::new("c")));
        assert!(list.go_to(Path::new("c")));
        assert_eq!(list.position_text().as_deref(), Some("3 of 3"));
    }

    #[test]
    fn a_playlist_goes_round() {
        let files: Vec<PathBuf> = ["a", "b", "c"].map(PathBuf::from).to_vec();
        let mut list = Playlist::new(files, Path::new("b"));
        assert_eq!(list.position_text().as_deref(), Some("2 of 3"));
        assert_eq!(list.step(false), Some(Path::new("c")));
        assert_eq!(list.step(false), Some(Path::new("a")));
        assert_eq!(list.step(true), Some(Path::new("a")));
        assert!(list.go_to(Path::new("a")));
        assert_eq!(list.step(true), Some(Path::new("c")));
        let mut alone = Playlist::new(vec!["a".into()], Path::new("a"));
        assert_eq!(alone.step(false), None);
        assert_eq!(alone.position_text(), None);
    }
}
