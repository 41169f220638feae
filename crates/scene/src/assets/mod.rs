//! Files that a document names: found below its asset root or among built-in files, read, and
//! decoded if they are textures.

mod deferred;
mod image;
mod mips;
mod reuse;
mod roots;
mod skybox;
mod texture;

use std::path::{Component, Path, PathBuf};

use bytes::Bytes;

pub use self::deferred::{DeferredTexture, Pending};
pub(crate) use self::deferred::{DeferredTextures, SharedTextures};
pub use self::image::THUMBNAIL_SIDE;
pub(crate) use self::image::{Head, checker_colors, decode, placeholder, thumbnail};
pub(crate) use self::mips::mip_levels;
pub(crate) use self::reuse::Reusable;
pub(crate) use self::roots::AssetError;
use self::roots::AssetRoots;
pub(crate) use self::skybox::LoadedSkybox;
pub use self::skybox::{DeferredSkybox, FACE_NAMES, Skybox};
use self::texture::Decoded;
pub(crate) use self::texture::{MAX_SIDE_TEXELS, placeholder_texture};
pub use self::texture::{Texture, TextureFile, Thumbnail};
use crate::core::budget::{Cost, DecodeBudget};
use crate::core::inside::ArchiveOrigin;
use crate::core::source::{OpenOptions, Source};

/// The engine's folder of map textures, relative to its asset root.
const MAP_TEXTURES: &str = "assets/map_textures";
/// The folder that identifies the engine's asset root.
const ASSETS: &str = "assets";
/// The file that identifies the folder of a game of `PlatinumSrc`.
const GAME_FILE: &str = "game.cfg";
/// Marker of a Git repository root. Folders above it belong to someone else.
pub const REPOSITORY: &str = ".git";
/// The working directory.
const CURRENT_DIR: &str = ".";
/// Maximum number of parent folders in which an asset root is searched.
const MAX_ANCESTORS: usize = 12;

/// The folders in which files named by a document are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookUp {
    /// The engine's map textures, then the document's own folder.
    MapTextures,
    /// The document's own folder, then the engine's map textures.
    Beside,
    /// The document's own folder, unless the document is built in.
    BesideOnly,
    /// The engine's asset root, which scenes use for model names. Falls back to the document's own
    /// folder if there is no asset root.
    AssetRoot,
    /// The game's folder of `PlatinumSrc`, or else the document's own folder.
    Game,
    /// The folder with all games of `PlatinumSrc`, or else none.
    AllGames,
}

/// A file that a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Its purpose, such as `texture` or `map`.
    pub kind: &'static str,
    /// Its name as written in the document.
    pub name: String,
    /// Its path; `None` if it was not found, is built in or is part of the document.
    pub path: Option<PathBuf>,
    /// `true` if it was found and is usable, as far as is known.
    pub found: bool,
    /// The file that names it, under its name in the document; `None` for the document itself.
    pub named_by: Option<String>,
}

/// The files that a document may name.
#[derive(Debug)]
pub(crate) struct Assets {
    /// Names and bytes of built-in files.
    embedded: &'static [(&'static str, &'static [u8])],
    /// The archive that the document comes from, if any.
    archive: Option<ArchiveOrigin>,
    roots: AssetRoots,
    /// `true` if deferred textures are only checked, without keeping their pixels.
    checks_textures: bool,
    /// The decode budget of the document.
    budget: DecodeBudget,
}

/// The result of looking up and reading a file.
#[derive(Debug)]
pub(crate) struct AssetFile {
    /// Its bytes.
    pub(crate) bytes: Result<Bytes, AssetError>,
    /// Its path; `None` if it was not found or is built in.
    pub(crate) path: Option<PathBuf>,
    /// The files that were found or looked for, to be watched for changes.
    pub(crate) candidates: Vec<PathBuf>,
}

/// A file that was found.
#[derive(Debug)]
pub(crate) struct Located {
    /// Its path; `None` if it is built in.
    pub(crate) path: Option<PathBuf>,
    /// Its canonical path, the same for all names of the file.
    pub(crate) identity: PathBuf,
}

impl Assets {
    /// Files for the surroundings of a document. A built-in document has none on disk.
    pub(crate) fn for_environment(source: &Source, options: &OpenOptions) -> Self {
        let mut assets = Self::new(source, options, LookUp::AssetRoot);
        if !source.embedded.is_empty() {
            assets.roots = AssetRoots::default();
        }
        assets
    }

    /// Files of a document. Folders named by the user are searched last.
    pub(crate) fn new(source: &Source, options: &OpenOptions, look_up: LookUp) -> Self {
        let beside = folder_of(&source.path);
        let named = &options.texture_folders;
        let engine = || {
            let mut folders =
                folders_above(&source.path).map(|folder| below(&folder, MAP_TEXTURES));
            folders.find(|folder| folder.is_dir())
        };
        let own = match look_up {
            LookUp::MapTextures => [engine(), beside.clone()],
            LookUp::Beside => [beside.clone(), engine()],
            LookUp::BesideOnly => {
                let beside = beside.clone();
                [beside.filter(|_| source.embedded.is_empty()), None]
            }
            LookUp::AssetRoot => {
                let root = asset_root(&source.path);
                [root.or(beside.clone()), None]
            }
            LookUp::Game => [game_folder(&source.path).or(beside.clone()), None],
            LookUp::AllGames => {
                let game = game_folder(&source.path);
                [game.as_deref().and_then(folder_above), None]
            }
        };
        let named: Vec<PathBuf> = match look_up {
            LookUp::BesideOnly | LookUp::AssetRoot | LookUp::Game | LookUp::AllGames => {
                named.clone()
            }
            LookUp::MapTextures | LookUp::Beside => named
                .iter()
                .flat_map(|folder| [folder.join(MAP_TEXTURES), folder.clone()])
                .filter(|folder| folder.is_dir())
                .collect(),
        };
        Self {
            embedded: source.embedded,
            archive: source.archive.clone(),
            roots: AssetRoots::new(own.into_iter().flatten().chain(named))
                .within(own_asset_root(&source.path)),
            checks_textures: options.checks_textures,
            budget: options.budget.clone(),
        }
    }

    /// Reads a file by name.
    pub(crate) fn read(&self, name: &str) -> AssetFile {
        self.read_found(name, u64::MAX, || self.roots.find(name))
    }

    /// Reads a file by name unless it has more than `max_bytes` bytes.
    pub(crate) fn read_up_to(&self, name: &str, max_bytes: u64) -> AssetFile {
        self.read_found(name, max_bytes, || self.roots.find(name))
    }

    /// Reads a file by name, ignoring case, with the folders in the name or else without them.
    pub(crate) fn read_any_case(&self, name: &str) -> AssetFile {
        self.read_found(name, u64::MAX, || self.roots.find_any_case(name))
    }

    fn read_found(
        &self,
        name: &str,
        max_bytes: u64,
        find: impl FnOnce() -> Result<PathBuf, AssetError>,
    ) -> AssetFile {
        if let Some(bytes) = self.embedded(name) {
            return AssetFile {
                bytes: Ok(Bytes::from_static(bytes)),
                path: None,
                candidates: Vec::new(),
            };
        }
        if let Some((path, index)) = self.in_archive(name) {
            return AssetFile {
                bytes: self.read_in_archive(index, max_bytes),
                path: Some(path),
                // The archive is watched as the file of the document.
                candidates: Vec::new(),
            };
        }
        match find() {
            Ok(path) => AssetFile {
                bytes: Source::read_up_to(&path, max_bytes)
                    .map_err(|error| AssetError::Unreadable(error.to_string())),
                candidates: vec![path.clone()],
                path: Some(path),
            },
            Err(error) => AssetFile {
                candidates: error.candidates().collect(),
                bytes: Err(error),
                path: None,
            },
        }
    }

    /// The canonical path of a file, the same for all its names, if the file exists.
    pub(crate) fn identity(&self, name: &str) -> Option<PathBuf> {
        match (self.embedded(name), self.in_archive(name)) {
            (Some(_), _) => Some(name.into()),
            (None, Some((path, _))) => Some(path),
            (None, None) => self.roots.look_up(name).ok()?.map(|(_, real)| real),
        }
    }

    /// Spends the decoding cost of a file from the budget of the document.
    ///
    /// # Errors
    /// Describes the exceeded limit.
    pub(crate) fn spend(&self, cost: Cost) -> Result<(), String> {
        self.budget.take(cost)
    }

    /// Finds a file by name without reading it.
    pub(crate) fn locate(&self, name: &str) -> Result<Located, AssetError> {
        if self.embedded(name).is_some() {
            return Ok(Located {
                path: None,
                identity: name.into(),
            });
        }
        if let Some((path, _)) = self.in_archive(name) {
            return Ok(Located {
                identity: path.clone(),
                path: Some(path),
            });
        }
        let (path, identity) = self.roots.find_real(name)?;
        Ok(Located {
            path: Some(path),
            identity,
        })
    }

    /// Finds a file by name in the archive of the document: its path and its index.
    fn in_archive(&self, name: &str) -> Option<(PathBuf, usize)> {
        self.archive.as_ref()?.find(name)
    }

    /// Reads a file of the archive by its index.
    fn read_in_archive(&self, index: usize, max_bytes: u64) -> Result<Bytes, AssetError> {
        let bytes = self.archive.as_ref().map(|archive| archive.read(index));
        let bytes = bytes.unwrap_or_else(|| Ok(Bytes::new()));
        let bytes = bytes.map_err(AssetError::Unreadable)?;
        if bytes.len() as u64 > max_bytes {
            let message = format!("{} bytes; expected at most {max_bytes}", bytes.len());
            return Err(AssetError::Unreadable(message));
        }
        Ok(bytes)
    }

    /// The bytes of a built-in file.
    pub(crate) fn embedded(&self, name: &str) -> Option<&'static [u8]> {
        let file = self.embedded.iter().find(|(file, _)| *file == name);
        file.map(|(_, bytes)| *bytes)
    }
}

impl AssetFile {
    /// Purpose and name of the file as used in the document, for machine-readable output.
    pub(crate) fn named(&self, kind: &'static str, name: &str) -> NamedFile {
        NamedFile {
            kind,
            name: name.to_owned(),
            path: self.path.clone(),
            found: self.bytes.is_ok(),
            named_by: None,
        }
    }

    /// Falls back to another file if this one cannot be read. If both fail, the error of this one
    /// is kept.
    pub(crate) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.bytes.is_ok() {
            return self;
        }
        let other = other();
        let candidates = [self.candidates, other.candidates].concat();
        let (bytes, path) = match other.bytes {
            Ok(bytes) => (Ok(bytes), other.path),
            Err(_) => (self.bytes, self.path),
        };
        Self {
            bytes,
            path,
            candidates,
        }
    }
}

/// The folder of a file, along its path; the working directory is `.`.
pub(crate) fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let is_here = folder.as_os_str().is_empty();
    Some(if is_here {
        CURRENT_DIR.into()
    } else {
        folder.into()
    })
}

/// The parent of a folder, along its path.
fn folder_above(folder: &Path) -> Option<PathBuf> {
    match folder.components().next_back()? {
        Component::Normal(_) if folder.parent()?.as_os_str().is_empty() => Some(CURRENT_DIR.into()),
        Component::Normal(_) => folder.parent().map(Path::to_owned),
        Component::CurDir => Some("..".into()),
        Component::ParentDir => Some(folder.join("..")),
        Component::RootDir | Component::Prefix(_) => None,
    }
}

/// The folder of a file and its ancestors, nearest first, up to the search limit for asset roots.
fn folders_above(file: &Path) -> impl Iterator<Item = PathBuf> {
    let first = folder_of(file);
    std::iter::successors(first, |folder| folder_above(folder)).take(MAX_ANCESTORS)
}

/// The engine's asset root that contains a file.
fn asset_root(file: &Path) -> Option<PathBuf> {
    folders_above(file).find(|folder| below(folder, ASSETS).is_dir())
}

/// The folder of the game of `PlatinumSrc` that contains a file (fact sheet R).
fn game_folder(file: &Path) -> Option<PathBuf> {
    folders_above(file).find(|folder| below(folder, GAME_FILE).is_file())
}

/// The asset root of a file, unless it is above the file's repository, where others may have
/// created it.
fn own_asset_root(file: &Path) -> Option<PathBuf> {
    let is_root = |folder: &PathBuf| below(folder, ASSETS).is_dir();
    let mut folders = folders_above(file);
    let nearest = folders.find(|folder| is_root(folder) || below(folder, REPOSITORY).exists());
    nearest.filter(is_root)
}

/// Returns `true` if a file is a link that leads out of the folder and the asset root of
/// `implied_by`. That is the file that implies it, as a scene implies its map. A missing file never
/// leads out.
pub fn leads_out(implied_by: &Path, file: &Path) -> bool {
    let Ok(real) = file.canonicalize() else {
        return false;
    };
    let mut roots = folder_of(implied_by)
        .into_iter()
        .chain(own_asset_root(implied_by));
    !roots.any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)))
}

/// The reason for not reading a file that [leads out](leads_out).
pub(crate) const LEADS_OUT: &str = "it is a link to a file outside the asset root";

/// The path of a file or folder below another folder.
pub(crate) fn below(folder: &Path, path: &str) -> PathBuf {
    if folder == Path::new(CURRENT_DIR) {
        path.into()
    } else {
        folder.join(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_looks_beside_itself_first_and_a_map_last() {
        let folder = tempfile::tempdir().unwrap();
        let maps = folder.path().join(MAP_TEXTURES);
        let model = folder.path().join("assets/models/knight");
        std::fs::create_dir_all(&maps).unwrap();
        std::fs::create_dir_all(&model).unwrap();
        let source = Source {
            path: model.join("knight.pfobj"),
            bytes: Bytes::new(),
            embedded: &[],
            archive: None,
        };
        let options = OpenOptions {
            texture_folders: vec![folder.path().to_owned()],
            ..OpenOptions::default()
        };
        let folders = |look_up| Assets::new(&source, &options, look_up).roots;
        let named = [maps.clone(), folder.path().to_owned()];
        let expected = [&[model.clone(), maps.clone()][..], &named].concat();
        assert_eq!(folders(LookUp::Beside).folders(), expected);
        let expected = [&[maps, model.clone()][..], &named].concat();
        assert_eq!(folders(LookUp::MapTextures).folders(), expected);
        let expected = [model, folder.path().to_owned()];
        assert_eq!(folders(LookUp::BesideOnly).folders(), expected);
    }

    #[test]
    fn an_asset_root_above_the_repository_is_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("assets")).unwrap();
        std::fs::create_dir_all(path("mods/maps")).unwrap();
        let file = path("mods/maps/a.pfmap");
        std::fs::write(path("key"), b"x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../key", &file).unwrap();
        assert_eq!(own_asset_root(&file), Some(folder.path().to_owned()));
        assert!(!leads_out(&file, &file));
        std::fs::create_dir_all(path("mods/.git")).unwrap();
        assert_eq!(own_asset_root(&file), None);
        assert_eq!(leads_out(&file, &file), cfg!(unix));
        std::fs::create_dir_all(path("mods/assets")).unwrap();
        assert_eq!(own_asset_root(&file), Some(path("mods")));
    }

    #[test]
    fn folders_above_a_file_are_named_from_where_its_path_goes() {
        let above = |file: &str| {
            let folders = std::iter::successors(folder_of(Path::new(file)), |it| folder_above(it))
                .take(4)
                .map(|it| it.to_str().unwrap().to_owned());
            folders.collect::<Vec<_>>()
        };
        assert_eq!(above("maps/old/a.pfmap"), ["maps/old", "maps", ".", ".."]);
        assert_eq!(above("a.pfmap"), [".", "..", "../..", "../../.."]);
        assert_eq!(above("./a.pfmap"), [".", "..", "../..", "../../.."]);
        assert_eq!(
            above("../maps/a.pfmap"),
            ["../maps", "..", "../..", "../../.."]
        );
        assert_eq!(above("/maps/a.pfmap"), ["/maps", "/"]);
        assert_eq!(below(Path::new("."), "a.png"), Path::new("a.png"));
        assert_eq!(below(Path::new("maps"), "a.png"), Path::new("maps/a.png"));
    }
}
