//! Finds the files that a document names: below its asset roots, and nowhere else.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use crate::rules;
use mapscope_formats::{Rule, quoted_path};

/// Where a document looks for the files that it names.
#[derive(Debug, Clone, Default)]
pub(super) struct AssetRoots {
    /// Folders to look in, most wanted first.
    folders: Vec<PathBuf>,
}

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
    #[error("{} was not found in {}", quoted_path(.name), list(.looked_in))]
    Missing {
        /// The name as the file has it.
        name: String,
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
            Self::Missing { name, looked_in } => Some((name, looked_in)),
            _ => None,
        };
        let folders = missing.into_iter();
        folders.flat_map(|(name, looked_in)| {
            let inside = inside(name).unwrap_or(Cow::Borrowed(name));
            looked_in.iter().map(move |folder| folder.join(&*inside))
        })
    }
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
    /// through a link, or when no folder has it.
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
            if real.is_file() {
                return Ok((path, real));
            }
        }
        Err(AssetError::Missing {
            name: name.to_owned(),
            looked_in: self.folders.clone(),
        })
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
