//! Finds the files that a document names: below its asset roots, and nowhere else.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thiserror::Error;

use crate::rules;
use mapscope_formats::{Rule, quoted_path};

/// Where a document looks for the files that it names.
#[derive(Debug, Clone, Default)]
pub(super) struct AssetRoots {
    /// Folders to look in, most wanted first.
    folders: Vec<PathBuf>,
    /// How often it was looked which file may be meant by the name of one that is missing.
    guesses: Arc<AtomicUsize>,
}

/// How many names that are missing are looked up in other cases, for each document.
const MAX_GUESSES: usize = 256;
/// How many entries of a folder are looked at for that.
const MAX_ENTRIES: usize = 4096;

/// Why a name was not turned into a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum AssetError {
    /// The name would lead out of the asset root; such names are never opened.
    #[error("{} is refused: {reason}; expected a file name below the asset root", quoted_path(.name))]
    Refused {
        /// The name as the file has it.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No folder has such a file.
    #[error("{} was not found in {}{}", quoted_path(.name), list(.looked_in), did_you_mean(.meant.as_deref()))]
    Missing {
        /// The name as the file has it.
        name: String,
        /// The name in another case of a file that is there, which Windows would take.
        meant: Option<String>,
        /// The folders that were looked in.
        looked_in: Vec<PathBuf>,
    },
    /// It was found, but not read.
    #[error("{0}")]
    Unreadable(String),
}

impl AssetError {
    /// The rule that a texture of such a name breaks.
    pub(crate) fn rule(&self) -> &'static Rule {
        match self {
            Self::Refused { .. } => &rules::TEXTURE_NAME,
            Self::Missing { .. } => &rules::MISSING_TEXTURE,
            Self::Unreadable(_) => &rules::UNREADABLE_TEXTURE,
        }
    }

    /// The files that would have been taken.
    pub(super) fn looked_for(&self) -> impl Iterator<Item = PathBuf> {
        let missing = match self {
            Self::Missing {
                name, looked_in, ..
            } => Some((name, looked_in)),
            _ => None,
        };
        let folders = missing.into_iter();
        folders.flat_map(|(name, looked_in)| {
            let inside = inside(name).unwrap_or(Cow::Borrowed(name));
            looked_in.iter().map(move |folder| folder.join(&*inside))
        })
    }
}

/// The end of a message about a file that is missing, where another may be meant.
pub(super) fn did_you_mean(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |meant| {
        format!("; did you mean {}?", quoted_path(meant))
    })
}

fn list(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return "any folder: this document has none".to_owned();
    }
    let names: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    names.join(" or ")
}

impl AssetRoots {
    /// Looks in these folders, in this order.
    pub(super) fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
            guesses: Arc::default(),
        }
    }

    /// The folders, most wanted first.
    #[cfg(test)]
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Finds the file of a name that stands in a document.
    ///
    /// # Errors
    /// When the name is absolute, has a drive, is a network path, leads out of the root with `..` or
    /// through a link, or when no folder has it, or only in another case: what a system finds that does
    /// not tell them apart is missing on others.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, AssetError> {
        self.find_real(name).map(|(path, _)| path)
    }

    /// The same, and the path that leads there without links.
    ///
    /// # Errors
    /// As [`AssetRoots::find`].
    pub(super) fn find_real(&self, name: &str) -> Result<(PathBuf, PathBuf), AssetError> {
        let inside = inside(name)?;
        for folder in &self.folders {
            let path = folder.join(&*inside);
            let (Ok(real), Ok(root)) = (path.canonicalize(), folder.canonicalize()) else {
                continue;
            };
            if !real.starts_with(&root) {
                return Err(AssetError::Refused {
                    name: name.to_owned(),
                    reason: "it is a link that leads out of the asset root",
                });
            }
            if real.is_file() && (real.ends_with(&*inside) || is_spelt_so(folder, &inside)) {
                return Ok((path, real));
            }
        }
        Err(AssetError::Missing {
            name: name.to_owned(),
            meant: self.meant(&inside),
            looked_in: self.folders.clone(),
        })
    }

    /// The name in another case of a file that is there, with its folders, or else without them.
    fn meant(&self, inside: &str) -> Option<String> {
        if self.guesses.fetch_add(1, Ordering::Relaxed) >= MAX_GUESSES {
            return None;
        }
        let mut folders = self.folders.iter();
        let whole = folders.find_map(|folder| in_any_case(folder, inside));
        let file = inside.rsplit(['/', '\\']).next().unwrap_or(inside);
        let mut folders = self.folders.iter();
        whole.or_else(|| folders.find_map(|folder| in_any_case(folder, file)))
    }

    /// Finds the file of a name that stands in a document in a folder itself, whatever the case of
    /// its letters: what was made on a system that does not tell them apart. Folders in the name
    /// are left out.
    ///
    /// # Errors
    /// As [`AssetRoots::find`].
    pub(super) fn find_any_case(&self, name: &str) -> Result<PathBuf, AssetError> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let exact = self.find(file);
        if !matches!(exact, Err(AssetError::Missing { .. })) {
            return exact;
        }
        let wanted = file.to_lowercase();
        for folder in &self.folders {
            let Ok(entries) = std::fs::read_dir(folder) else {
                continue;
            };
            let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            // Of several, always the same one.
            let found = names.filter(|name| name.to_lowercase() == wanted).min();
            if let Some(found) = found {
                return self.find(&found);
            }
        }
        exact
    }
}

/// Whether a file below a folder has this name in this very case.
fn is_spelt_so(folder: &Path, inside: &str) -> bool {
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

/// The path of a file below a folder that has this name but for the case of its letters.
fn in_any_case(folder: &Path, inside: &str) -> Option<String> {
    let mut at = folder.to_owned();
    let mut found: Vec<String> = Vec::new();
    for part in inside
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."))
    {
        let wanted = part.to_lowercase();
        // Of several, that of the same case, and else always the same one.
        let mut names: Vec<String> = entries(&at)
            .filter(|name| name.to_lowercase() == wanted)
            .collect();
        names.sort_unstable_by_key(|name| (name != part, name.clone()));
        let name = names.into_iter().next()?;
        at.push(&name);
        found.push(name);
    }
    at.is_file().then(|| found.join("/"))
}

/// The names in a folder, the first ones of a large one.
fn entries(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.take(MAX_ENTRIES)
}

/// The path of a name from the folder that it is looked up in, without `..`. Refuses every name that
/// could lead out of that folder, on any system.
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
                ".." => return refuse("it leads out of the asset root with `..`"),
                part => parts.push(part),
            }
        }
        inside = parts.join("/").into();
    }
    // What begins with `..` may lead to a drive.
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
        assert!(error.contains("x...` was") && error.len() < 330, "{error}");
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
        ] {
            let found = roots.find_any_case(name).unwrap();
            assert_eq!(found.parent(), Some(dir.path()), "{name}");
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
                "; did you mean `Models/Oak/oak.PFOBJ`?",
            ),
            (
                "Models/Oak/oak.pfobj",
                "; did you mean `Models/Oak/oak.PFOBJ`?",
            ),
            ("textures/bark.png", "; did you mean `Bark.png`?"),
            ("elm.png", ""),
        ] {
            let error = roots.find(name).unwrap_err().to_string();
            let end = error
                .split_once(&dir.path().display().to_string())
                .unwrap()
                .1;
            assert_eq!(end, meant);
        }
        // What a system finds that does not tell cases apart is told by the names in the folder.
        assert!(is_spelt_so(dir.path(), "Models/Oak/oak.PFOBJ"));
        for name in ["models/Oak/oak.PFOBJ", "Models/Oak/oak.pfobj"] {
            assert!(!is_spelt_so(dir.path(), name), "{name}");
        }
        // However many are missing, few folders are listed.
        for _ in 0..2 * MAX_GUESSES {
            roots.find("elm.png").unwrap_err();
        }
        let error = roots.find("bark.png").unwrap_err().to_string();
        assert!(!error.contains("did you mean"), "{error}");
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
            let error = AssetRoots::new([root.clone()]).find("a.png").unwrap_err();
            assert!(matches!(error, AssetError::Refused { .. }), "{error}");
        }
        std::fs::write(root.join("b.png"), b"x").unwrap();
        let found = AssetRoots::new([root.clone()]).find("b.png").unwrap();
        assert_eq!(found, root.join("b.png"));
    }
}
