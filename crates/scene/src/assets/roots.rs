//! Finds the files that a document names: below its asset roots, and nowhere else.

use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use crate::rules;
use mapscope_formats::{Rule, quoted};

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
    #[error("{} is refused: {reason}; expected a file name below the asset root", quoted(.name.as_bytes()))]
    Refused {
        /// The name as the file has it.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No folder has such a file.
    #[error("{} was not found in {}", quoted(.name.as_bytes()), list(.looked_in))]
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
        folders.flat_map(|(name, looked_in)| looked_in.iter().map(move |folder| folder.join(name)))
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
    /// When the name is absolute, has `..` or a drive, is a network path, leads out of the root
    /// through a link, or when no folder has it.
    pub(super) fn find(&self, name: &str) -> Result<PathBuf, AssetError> {
        check(name)?;
        for folder in &self.folders {
            let path = folder.join(name);
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
                return Ok(path);
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

/// Refuses every name that could lead out of the folder it is looked up in, on any system.
fn check(name: &str) -> Result<(), AssetError> {
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
    if name.split(['/', '\\']).any(|part| part == "..") {
        return refuse("it leads out of the asset root with `..`");
    }
    if name.contains('\0') {
        return refuse("it has a zero byte");
    }
    let plain = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    if !Path::new(name).components().all(plain) {
        return refuse("it is not a plain file name");
    }
    Ok(())
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
