//! Finds the files that a document names, only below its asset roots.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use image::ImageFormat;
use thiserror::Error;

use super::{LEADS_OUT, below};
use crate::core::rules;
use mapscope_formats::{Rule, quoted_path};

/// The folders in which a document looks for the files that it names.
#[derive(Debug, Clone, Default)]
pub(super) struct AssetRoots {
    /// Folders to search, in order of preference.
    folders: Vec<PathBuf>,
    /// Canonical path of the asset root; links in the folders may lead into it.
    within: Option<PathBuf>,
    /// Number of searches for similar names of missing files so far.
    guesses: Arc<AtomicUsize>,
}

/// Scores for the difference between a name and an existing file: letter case, Unicode form, copy
/// number, and another image extension or misspelt letters.
const OTHER_CASE: usize = 1;
const OTHER_FORM: usize = 2;
const COPY_NUMBER: usize = 3;
const OTHER_ENDING: usize = 4;
/// Maximum length difference in bytes for comparing two names letter by letter.
const MAX_APART: usize = 8;
/// Maximum number of missing names per document for which similar names are searched.
const MAX_GUESSES: usize = 256;
/// Maximum number of folder entries examined in such a search.
const MAX_ENTRIES: usize = 4096;

/// Reason why a name could not be resolved to a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum AssetError {
    /// The name would lead out of the asset root; such names are never opened.
    #[error("{} refused: {reason}; expected a file name below the asset root", quoted_path(.name))]
    Refused {
        /// The name as written in the file.
        name: String,
        /// The reason for the refusal.
        reason: &'static str,
    },
    /// The file is in no folder.
    #[error("{} not found in {}{}", quoted_path(.name), list(.looked_in), did_you_mean(.meant.as_ref()))]
    Missing {
        /// The name as written in the file.
        name: String,
        /// The file that may be meant.
        meant: Option<Suggestion>,
        /// The folders that were searched.
        looked_in: Vec<PathBuf>,
        /// The paths at which the file was expected.
        candidates: Vec<PathBuf>,
    },
    /// The file was found but not read.
    #[error("{0}")]
    Unreadable(String),
}

impl AssetError {
    /// The rule for a texture with this error.
    pub(crate) fn rule(&self) -> &'static Rule {
        match self {
            Self::Refused { .. } => &rules::TEXTURE_NAME,
            Self::Missing { .. } => &rules::MISSING_TEXTURE,
            Self::Unreadable(_) => &rules::UNREADABLE_TEXTURE,
        }
    }

    /// The paths at which the file was expected.
    pub(super) fn candidates(&self) -> impl Iterator<Item = PathBuf> {
        let missing = match self {
            Self::Missing { candidates, .. } => Some(candidates.iter().cloned()),
            _ => None,
        };
        missing.into_iter().flatten()
    }
}

/// A suggestion for the name of a missing file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// Its path below the asset root.
    path: String,
    /// Its difference from the name.
    difference: usize,
    /// `true` if it has the same letters in another Unicode form.
    is_other_form: bool,
}

/// The end of a message about a missing file, with the suggestion if there is one.
pub(super) fn did_you_mean(meant: Option<&Suggestion>) -> String {
    meant.map_or_else(String::new, |meant| {
        let how = if meant.is_other_form {
            ", which differs in its Unicode form"
        } else {
            ""
        };
        format!(" (did you mean {}{how}?)", quoted_path(&meant.path))
    })
}

fn list(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "any folder, because this document has none".to_owned();
    }
    let names: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    names.join(" or ")
}

impl AssetRoots {
    /// Searches these folders in the given order.
    pub(super) fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
            within: None,
            guesses: Arc::default(),
        }
    }

    /// Also allows links that lead into the asset root.
    pub(super) fn within(self, asset_root: Option<PathBuf>) -> Self {
        let within = asset_root.and_then(|root| root.canonicalize().ok());
        Self { within, ..self }
    }

    /// The folders, in order of preference.
    #[cfg(test)]
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Finds a file by its name in a document.
    ///
    /// # Errors
    /// If the name is absolute, has a drive, is a network path, or leads out of the root with `..`
    /// or through a link. Also if no folder has the file, or only in another case: a file found on
    /// a case-insensitive system would be missing on others.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, AssetError> {
        self.find_real(name).map(|(path, _)| path)
    }

    /// Like [`AssetRoots::find`], and also returns the canonical path.
    ///
    /// # Errors
    /// As [`AssetRoots::find`].
    pub(super) fn find_real(&self, name: &str) -> Result<(PathBuf, PathBuf), AssetError> {
        if let Some(found) = self.look_up(name)? {
            return Ok(found);
        }
        let inside = inside(name)?;
        Err(AssetError::Missing {
            name: name.to_owned(),
            meant: self.meant(&inside),
            looked_in: self.folders.clone(),
            candidates: self.in_folders(&inside),
        })
    }

    /// Like [`AssetRoots::find_real`], but returns `None` if the file is missing.
    ///
    /// # Errors
    /// If the name or a link leads out of the root.
    pub(super) fn look_up(&self, name: &str) -> Result<Option<(PathBuf, PathBuf)>, AssetError> {
        let inside = inside(name)?;
        for folder in &self.folders {
            let path = below(folder, &inside);
            let (Ok(real), Ok(root)) = (path.canonicalize(), folder.canonicalize()) else {
                continue;
            };
            let within = self.within.as_ref();
            if !real.starts_with(&root) && !within.is_some_and(|root| real.starts_with(root)) {
                return Err(AssetError::Refused {
                    name: name.to_owned(),
                    reason: LEADS_OUT,
                });
            }
            if real.is_file() && (real.ends_with(&*inside) || has_exact_case(folder, &inside)) {
                return Ok(Some((path, real)));
            }
        }
        Ok(None)
    }

    /// The paths of a file in all folders.
    fn in_folders(&self, inside: &str) -> Vec<PathBuf> {
        let folders = self.folders.iter();
        folders.map(|folder| below(folder, inside)).collect()
    }

    /// The existing file most similar to a name, with or without the folders in the name.
    fn meant(&self, inside: &str) -> Option<Suggestion> {
        if self.guesses.fetch_add(1, Ordering::Relaxed) >= MAX_GUESSES {
            return None;
        }
        let file = inside.rsplit(['/', '\\']).next().unwrap_or(inside);
        let names = [inside, file].into_iter();
        let all = names.flat_map(|name| self.folders.iter().map(move |folder| (folder, name)));
        let found = all.filter_map(|(folder, name)| most_alike(folder, name, difference));
        found.min_by_key(|meant| meant.difference)
    }

    /// Finds a file by its name in a document, ignoring case, for documents made on a
    /// case-insensitive system. If the folders in the name do not exist or lead out of the root,
    /// they are ignored.
    ///
    /// # Errors
    /// As [`AssetRoots::find`].
    pub(super) fn find_any_case(&self, name: &str) -> Result<PathBuf, AssetError> {
        let whole = self.find(name);
        if whole.is_ok() {
            return whole;
        }
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let inside = inside(name).ok();
        for name in inside.as_deref().into_iter().chain([file]) {
            for folder in &self.folders {
                if let Some(found) = most_alike(folder, name, difference_in_case) {
                    return self.find(&found.path);
                }
            }
        }
        let whole_is_inside = inside.is_some();
        match whole {
            Err(AssetError::Refused { .. }) if !whole_is_inside => Err(AssetError::Missing {
                name: name.to_owned(),
                meant: self.meant(file),
                looked_in: self.folders.clone(),
                candidates: self.in_folders(file),
            }),
            Err(AssetError::Missing {
                name,
                meant,
                looked_in,
                mut candidates,
            }) => {
                candidates.extend(self.in_folders(file));
                Err(AssetError::Missing {
                    name,
                    meant,
                    looked_in,
                    candidates,
                })
            }
            whole => whole,
        }
    }
}

/// `true` if a file below a folder has exactly this name, including case.
fn has_exact_case(folder: &Path, inside: &str) -> bool {
    let mut folder = folder.to_owned();
    inside
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .all(|part| {
            let is_there = part == "." || entries(&folder).any(|name| name == part);
            folder.push(part);
            is_there
        })
}

/// The file below a folder whose path is most similar to a name, part by part. Targets of links
/// outside the folder are ignored.
fn most_alike(
    folder: &Path,
    inside: &str,
    difference: impl Fn(&str, &str) -> Option<usize>,
) -> Option<Suggestion> {
    let root = folder.canonicalize().ok()?;
    let is_inside = |at: &Path| at.canonicalize().is_ok_and(|real| real.starts_with(&root));
    let mut at = folder.to_owned();
    let mut found: Vec<String> = Vec::new();
    let (mut sum, mut is_other_form) = (0, false);
    for part in inside
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."))
    {
        let names = entries(&at).filter_map(|name| Some((difference(part, &name)?, name)));
        // Deterministic if several names are equally similar.
        let (difference, name) = names.min()?;
        sum += difference;
        is_other_form |= difference == OTHER_FORM;
        at.push(&name);
        if !is_inside(&at) {
            return None;
        }
        found.push(name);
    }
    at.is_file().then(|| Suggestion {
        path: found.join("/"),
        difference: sum,
        is_other_form,
    })
}

/// Difference between a name and an existing name if they differ at most in case.
fn difference_in_case(name: &str, there: &str) -> Option<usize> {
    if name == there {
        return Some(0);
    }
    (name.to_lowercase() == there.to_lowercase()).then_some(OTHER_CASE)
}

/// Difference between a name and an existing name if it is small enough for a mistake.
fn difference(name: &str, there: &str) -> Option<usize> {
    if let Some(difference) = difference_in_case(name, there) {
        return Some(difference);
    }
    let there = there.to_lowercase();
    let name = name.to_lowercase();
    if same_in_other_form(&name, &there) {
        return Some(OTHER_FORM);
    }
    let without = without_copy_number(&name);
    let name = without.unwrap_or(&name);
    if name == there {
        return Some(COPY_NUMBER);
    }
    let [(stem, ending), (other, other_ending)] = [name, &there].map(split_ending);
    if stem == other && (ending.is_empty() || is_image(ending)) && is_image(other_ending) {
        return Some(OTHER_ENDING);
    }
    let has_digit = |stem: &str| stem.contains(|c: char| c.is_ascii_digit());
    let letters = |stem: &str| stem.replace(|c: char| c.is_ascii_digit(), "");
    // Another file of a numbered series is not a misspelling.
    let is_of_series = has_digit(stem) && has_digit(other) && letters(stem) == letters(other);
    let most = match stem.chars().count() {
        0..4 => 0,
        4..9 => 1,
        _ => 2,
    };
    if ending != other_ending || is_of_series || stem.len().abs_diff(other.len()) > MAX_APART {
        return None;
    }
    let slips = strsim::osa_distance(stem, other);
    (slips <= most).then_some(OTHER_ENDING + slips)
}

/// A name without the number that Blender appends to copies, such as `.001`.
fn without_copy_number(name: &str) -> Option<&str> {
    let (name, number) = name.rsplit_once('.')?;
    let is_number = number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(name)
}

/// Splits a file name into stem and extension, which may be empty.
fn split_ending(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

fn is_image(ending: &str) -> bool {
    ImageFormat::from_extension(ending).is_some_and(|format| format.reading_enabled())
}

/// `true` if two names differ only in composed and decomposed letters with diacritics.
fn same_in_other_form(name: &str, other: &str) -> bool {
    const DIACRITICS: std::ops::RangeInclusive<char> = '\u{300}'..='\u{36f}';
    let plain = |name: &str| {
        let mut plain = String::new();
        for c in name.chars() {
            match c {
                '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => plain.push('*'),
                c if DIACRITICS.contains(&c) => {
                    if !plain.ends_with('*') {
                        plain.pop();
                        plain.push('*');
                    }
                }
                c => plain.push(c),
            }
        }
        plain
    };
    let is_decomposed = |name: &str| name.contains(|c| DIACRITICS.contains(&c));
    is_decomposed(name) != is_decomposed(other) && plain(name) == plain(other)
}

/// The names in a folder, limited to the first [`MAX_ENTRIES`].
fn entries(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.take(MAX_ENTRIES)
}

/// Returns the path of a name relative to its lookup folder, without `..`. Refuses every name that
/// could lead out of that folder on any system.
fn inside(name: &str) -> Result<Cow<'_, str>, AssetError> {
    let refuse = |reason| {
        Err(AssetError::Refused {
            name: name.to_owned(),
            reason,
        })
    };
    if name.starts_with("\\\\") || name.starts_with("//") || name.contains("://") {
        return refuse("it is a network path");
    }
    if name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':') {
        return refuse("it is an absolute path");
    }
    if name.contains('\0') {
        return refuse("it has a zero byte");
    }
    let mut inside = Cow::Borrowed(name);
    if name.split(['/', '\\']).any(|part| part == "..") {
        let mut parts = Vec::new();
        for part in name.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_some() => {}
                ".." => return refuse("it points outside the asset root with `..`"),
                part => parts.push(part),
            }
        }
        inside = parts.join("/").into();
    }
    // A name that begins with `..` may lead to a drive.
    let plain = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    if !Path::new(&*inside).components().all(plain) || inside.as_bytes().get(1) == Some(&b':') {
        return refuse("it is not a plain file name");
    }
    Ok(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_refused_before_anything_is_opened() {
        let roots = AssetRoots::new([std::env::temp_dir()]);
        for name in [
            "../../../etc/passwd",
            "a/../../b.png",
            "a/../C:/b.png",
            "a/..//../b.png",
            "..\\b.png",
            "/etc/passwd",
            "\\windows\\x",
            "C:\\x.png",
            "\\\\server\\share\\x.png",
            "//server/share/x.png",
            "http://example.org/x.png",
        ] {
            let error = roots.find(name).unwrap_err();
            assert!(
                matches!(error, AssetError::Refused { .. }),
                "{name}: {error}"
            );
        }
    }

    #[test]
    fn a_name_may_go_up_within_the_root() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("rocks")).unwrap();
        std::fs::write(dir.path().join("rocks/a.pfobj"), b"x").unwrap();
        let roots = AssetRoots::new([dir.path().to_owned()]);
        for name in [
            "trees/../rocks/a.pfobj",
            "rocks/../rocks/./a.pfobj",
            "rocks/old/..\\a.pfobj",
        ] {
            let found = roots.find(name).unwrap();
            assert_eq!(found, dir.path().join("rocks/a.pfobj"), "{name}");
        }
        let error = roots.find("rocks/..").unwrap_err();
        assert!(matches!(error, AssetError::Missing { .. }), "{error}");
    }

    #[test]
    fn a_long_name_is_said_whole() {
        let name = format!("assets/models/{}/house.pfobj", "old".repeat(40));
        let error = AssetRoots::default().find(&name).unwrap_err().to_string();
        assert!(error.contains(&name), "{error}");
        let name = "x".repeat(300);
        let error = AssetRoots::default().find(&name).unwrap_err().to_string();
        assert!(error.contains("x...` not") && error.len() < 330, "{error}");
    }

    #[test]
    fn names_are_found_in_any_case_and_without_their_folders() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Town.VSP"), b"x").unwrap();
        let roots = AssetRoots::new([dir.path().join("nowhere"), dir.path().to_owned()]);
        for name in [
            "town.vsp",
            "Town.VSP",
            "gfx\\TOWN.vsp",
            "../c:/maps/town.vsp",
            "C:\\maps\\town.vsp",
        ] {
            let found = roots.find_any_case(name).unwrap();
            assert_eq!(found.parent(), Some(dir.path()), "{name}");
        }
        // The name with its folders takes precedence.
        std::fs::create_dir(dir.path().join("Data")).unwrap();
        std::fs::write(dir.path().join("Data/town.vsp"), b"x").unwrap();
        for name in ["data/town.vsp", "./Data/TOWN.vsp", "data\\town.vsp"] {
            let found = roots.find_any_case(name).unwrap();
            assert_eq!(found, dir.path().join("Data/town.vsp"), "{name}");
        }
        for name in ["data/cave.vsp", "C:\\data\\cave.vsp"] {
            let error = roots.find_any_case(name).unwrap_err();
            assert!(matches!(&error, AssetError::Missing { name: it, .. } if it == name));
            let watched = error
                .candidates()
                .any(|it| it == dir.path().join("cave.vsp"));
            assert!(watched, "{name}");
        }
        for name in ["", "..", "town", "maps/", "C:town.vsp"] {
            assert!(roots.find_any_case(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_in_another_case_is_missing_and_says_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("Models/Oak")).unwrap();
        std::fs::write(dir.path().join("Models/Oak/oak.PFOBJ"), b"x").unwrap();
        std::fs::write(dir.path().join("Bark.png"), b"x").unwrap();
        let roots = AssetRoots::new([dir.path().to_owned()]);
        for (name, meant) in [
            (
                "models/oak/oak.pfobj",
                " (did you mean `Models/Oak/oak.PFOBJ`?)",
            ),
            (
                "Models/Oak/oak.pfobj",
                " (did you mean `Models/Oak/oak.PFOBJ`?)",
            ),
            ("textures/bark.png", " (did you mean `Bark.png`?)"),
            ("elm.png", ""),
        ] {
            let error = roots.find(name).unwrap_err().to_string();
            let end = error
                .split_once(&dir.path().display().to_string())
                .unwrap()
                .1;
            assert_eq!(end, meant);
        }
        // Case-insensitive matches are rejected by the names in the folder.
        assert!(has_exact_case(dir.path(), "Models/Oak/oak.PFOBJ"));
        for name in ["models/Oak/oak.PFOBJ", "Models/Oak/oak.pfobj"] {
            assert!(!has_exact_case(dir.path(), name), "{name}");
        }
        // The number of listed folders is limited, however many files are missing.
        for _ in 0..2 * MAX_GUESSES {
            roots.find("elm.png").unwrap_err();
        }
        let error = roots.find("bark.png").unwrap_err().to_string();
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_anywhere_in_the_asset_root_and_no_further() {
        let game = tempfile::tempdir().unwrap();
        let path = |name: &str| game.path().join(name);
        std::fs::create_dir_all(path("game/assets/maps")).unwrap();
        std::fs::write(path("game/inside.png"), b"x").unwrap();
        std::fs::write(path("outside.png"), b"x").unwrap();
        for (name, target) in [("in", "../../inside.png"), ("out", "../../../outside.png")] {
            std::os::unix::fs::symlink(target, path("game/assets/maps").join(name)).unwrap();
        }
        let roots = AssetRoots::new([path("game/assets/maps")]);
        assert!(roots.find("in").is_err());
        let roots = roots.within(Some(path("game")));
        assert!(roots.find("in").is_ok());
        let error = roots.find("out").unwrap_err();
        assert!(matches!(error, AssetError::Refused { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_outside_is_not_suggested() {
        let [dir, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("key.png"), b"x").unwrap();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::fs::write(dir.path().join("in/key.png"), b"x").unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("out")).unwrap();
        std::os::unix::fs::symlink("in", dir.path().join("to")).unwrap();
        let roots = AssetRoots::new([dir.path().to_owned()]);
        for (name, is_suggested) in [("out/KEY.png", false), ("to/KEY.png", true)] {
            let error = roots.find(name).unwrap_err().to_string();
            assert_eq!(error.contains("did you mean"), is_suggested, "{error}");
        }
    }

    #[test]
    fn near_names_are_suggested() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("models/crate")).unwrap();
        for name in [
            "models/crate/crate.pfobj",
            "grass.png",
            "skin.png",
            "rock1.png",
            "Ba\u{308}ume.png",
            "h\u{fc}te.png",
            "notes.txt",
        ] {
            std::fs::write(dir.path().join(name), b"x").unwrap();
        }
        let roots = AssetRoots::new([dir.path().to_owned()]);
        let meant = |name: &str| match roots.find(name) {
            Err(AssetError::Missing { meant, .. }) => meant.map(|meant| meant.path),
            other => panic!("{name}: {other:?}"),
        };
        for (name, expected) in [
            ("gras.png", "grass.png"),
            ("models/crate/crate1.pfobj", "models/crate/crate.pfobj"),
            ("models/crates/crate.pfobj", "models/crate/crate.pfobj"),
            ("skin.png.001", "skin.png"),
            ("Skin.PNG.012", "skin.png"),
            ("skin.jpg", "skin.png"),
            ("skin", "skin.png"),
            ("old/skin.tga.001", "skin.png"),
            ("B\u{e4}ume.png", "Ba\u{308}ume.png"),
            ("hu\u{308}te.png", "h\u{fc}te.png"),
            ("h\u{fffd}te.png", "h\u{fc}te.png"),
        ] {
            assert_eq!(meant(name).as_deref(), Some(expected), "{name}");
        }
        // Not suggested: another file of a series, a short name, and a non-image.
        for name in ["rock2.png", "ski.png", "notes.png", "grass.pfobj"] {
            assert_eq!(meant(name), None, "{name}");
        }
        let error = roots.find("B\u{e4}ume.png").unwrap_err().to_string();
        assert!(error.contains("Unicode form"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_root_may_lead_to_another_case() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Bark.PNG"), b"x").unwrap();
        std::os::unix::fs::symlink("Bark.PNG", dir.path().join("bark.png")).unwrap();
        let found = AssetRoots::new([dir.path().to_owned()]).find("bark.png");
        assert_eq!(found.unwrap(), dir.path().join("bark.png"));
    }

    #[test]
    fn a_link_out_of_the_root_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(dir.path().join("secret.png"), b"x").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(dir.path().join("secret.png"), root.join("a.png")).unwrap();
            let roots = AssetRoots::new([root.clone()]);
            for found in [roots.find("a.png"), roots.find_any_case("a.png")] {
                let error = found.unwrap_err();
                assert!(matches!(error, AssetError::Refused { .. }), "{error}");
            }
        }
        std::fs::write(root.join("b.png"), b"x").unwrap();
        let found = AssetRoots::new([root.clone()]).find("b.png").unwrap();
        assert_eq!(found, root.join("b.png"));
    }
}
