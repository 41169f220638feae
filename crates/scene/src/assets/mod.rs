//! Files that a document names: found below its asset root or among what is built in, read, and
//! decoded where they are textures.

mod deferred;
mod image;
mod mips;
mod roots;
mod skybox;
mod texture;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

pub(crate) use self::deferred::DeferredTextures;
pub(crate) use self::deferred::SharedTextures;
pub use self::deferred::{DeferredTexture, Pending};
pub use self::image::THUMBNAIL_SIDE;
pub(crate) use self::image::{Head, checker_colors, decode, placeholder, thumbnail};
pub(crate) use self::mips::mip_levels;
pub(crate) use self::roots::AssetError;
use self::roots::AssetRoots;
pub(crate) use self::skybox::LoadedSkybox;
pub use self::skybox::{DeferredSkybox, FACE_NAMES, Skybox};
use self::texture::Decoded;
pub(crate) use self::texture::MAX_TEXELS_A_SIDE;
pub(crate) use self::texture::placeholder_texture;
pub use self::texture::{Texture, TextureFile, Thumbnail};
use crate::core::budget::{Cost, DecodeBudget};
use crate::core::source::{OpenOptions, Source};

/// Where the engine keeps the textures of maps, below its asset root.
const MAP_TEXTURES: &str = "assets/map_textures";
/// The folder by which the engine's asset root is known.
const ASSETS: &str = "assets";
/// What holds a repository of Git: what lies above is somebody else's.
pub const REPOSITORY: &str = ".git";
/// The working folder.
const HERE: &str = ".";
/// How far up from a file its asset root is looked for.
const MAX_ANCESTORS: usize = 12;

/// In which folders the files that a document names are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookUp {
    /// The engine's textures of maps, then the document's own folder.
    MapTextures,
    /// The document's own folder, then the engine's textures of maps.
    Beside,
    /// The document's own folder, unless it is built in.
    BesideOnly,
    /// The engine's asset root, from which scenes name models; the document's own folder where it
    /// is in none.
    AssetRoot,
}

/// A file that a document names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// What it is for, such as `texture` or `map`.
    pub kind: &'static str,
    /// Its name, as the document has it.
    pub name: String,
    /// Where it is; none where it was not found, or is built in or in the document itself.
    pub path: Option<PathBuf>,
    /// Whether it was found and can be used, as far as that is known.
    pub found: bool,
    /// The file that names it, as the document names that; none where it is the document itself.
    pub named_by: Option<String>,
}

/// The files that a document may name.
#[derive(Debug)]
pub(crate) struct Assets {
    /// Names and bytes of files that are built in.
    embedded: &'static [(&'static str, &'static [u8])],
    roots: AssetRoots,
    /// Whether textures that are read later are read only to know whether they can be.
    checks_textures: bool,
    /// What may still be decoded for the document.
    budget: DecodeBudget,
}

/// A file that was looked up.
#[derive(Debug)]
pub(crate) struct AssetFile {
    /// Its bytes.
    pub(crate) bytes: Result<Cow<'static, [u8]>, AssetError>,
    /// Where it is; none where it was not found, or is built in.
    pub(crate) path: Option<PathBuf>,
    /// The files that were found or looked for, to be watched for changes.
    pub(crate) candidates: Vec<PathBuf>,
}

/// A file that was found.
#[derive(Debug)]
struct Located {
    /// Where it is; none of what is built in.
    path: Option<PathBuf>,
    /// The same in the one form that all names of it have.
    identity: PathBuf,
}

impl Assets {
    /// The files that what surrounds a document may be made of. What is built in has none on disk.
    pub(crate) fn of_surroundings(source: &Source, options: &OpenOptions) -> Self {
        let mut assets = Self::new(source, options, LookUp::AssetRoot);
        if !source.embedded.is_empty() {
            assets.roots = AssetRoots::default();
        }
        assets
    }

    /// Those of a document. Last come the folders that the user named.
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
        };
        let named: Vec<PathBuf> = match look_up {
            LookUp::BesideOnly | LookUp::AssetRoot => named.clone(),
            LookUp::MapTextures | LookUp::Beside => named
                .iter()
                .flat_map(|folder| [folder.join(MAP_TEXTURES), folder.clone()])
                .filter(|folder| folder.is_dir())
                .collect(),
        };
        Self {
            embedded: source.embedded,
            roots: AssetRoots::new(own.into_iter().flatten().chain(named))
                .within(own_asset_root(&source.path)),
            checks_textures: options.checks_textures,
            budget: options.budget.clone(),
        }
    }

    /// Reads the file of a name.
    pub(crate) fn read(&self, name: &str) -> AssetFile {
        self.read_found(name, u64::MAX, || self.roots.find(name))
    }

    /// Reads the file of a name unless it has more bytes.
    pub(crate) fn read_up_to(&self, name: &str, max_bytes: u64) -> AssetFile {
        self.read_found(name, max_bytes, || self.roots.find(name))
    }

    /// Reads the file of a name whatever the case of its letters, with the folders in the name or else without
    /// them.
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
                bytes: Ok(bytes.into()),
                path: None,
                candidates: Vec::new(),
            };
        }
        match find() {
            Ok(path) => AssetFile {
                bytes: match Source::read_up_to(&path, max_bytes) {
                    Ok(bytes) => Ok(bytes.into()),
                    Err(error) => Err(AssetError::Unreadable(error.to_string())),
                },
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

    /// The one form of the path of a file that all its names have, if it is there.
    pub(crate) fn identity(&self, name: &str) -> Option<PathBuf> {
        match self.embedded(name) {
            Some(_) => Some(name.into()),
            None => self.roots.look_up(name).ok()?.map(|(_, real)| real),
        }
    }

    /// Takes what it costs to decode a file from the budget of the document.
    ///
    /// # Errors
    /// Says which limit it exceeds.
    pub(crate) fn afford(&self, cost: Cost) -> Result<(), String> {
        self.budget.take(cost)
    }

    /// Finds the file of a name, without reading it.
    fn locate(&self, name: &str) -> Result<Located, AssetError> {
        if self.embedded(name).is_some() {
            return Ok(Located {
                path: None,
                identity: name.into(),
            });
        }
        let (path, identity) = self.roots.find_real(name)?;
        Ok(Located {
            path: Some(path),
            identity,
        })
    }

    /// The bytes of a file that is built in.
    pub(crate) fn embedded(&self, name: &str) -> Option<&'static [u8]> {
        let file = self.embedded.iter().find(|(file, _)| *file == name);
        file.map(|(_, bytes)| *bytes)
    }
}

impl AssetFile {
    /// What it is for, and the name that a document has for it, for programs.
    pub(crate) fn named(&self, kind: &'static str, name: &str) -> NamedFile {
        NamedFile {
            kind,
            name: name.to_owned(),
            path: self.path.clone(),
            found: self.bytes.is_ok(),
            named_by: None,
        }
    }

    /// Looks up another if this one cannot be read; if that one cannot be either, this one counts.
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

/// The folder of a file, from where its path goes; the working folder is `.`.
pub(crate) fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let is_here = folder.as_os_str().is_empty();
    Some(if is_here { HERE.into() } else { folder.into() })
}

/// The folder above another, from where its path goes.
fn folder_above(folder: &Path) -> Option<PathBuf> {
    match folder.components().next_back()? {
        Component::Normal(_) if folder.parent()?.as_os_str().is_empty() => Some(HERE.into()),
        Component::Normal(_) => folder.parent().map(Path::to_owned),
        Component::CurDir => Some("..".into()),
        Component::ParentDir => Some(folder.join("..")),
        Component::RootDir | Component::Prefix(_) => None,
    }
}

/// The folder of a file and those above it, nearest first, as far as an asset root is looked for.
fn folders_above(file: &Path) -> impl Iterator<Item = PathBuf> {
    let first = folder_of(file);
    std::iter::successors(first, |folder| folder_above(folder)).take(MAX_ANCESTORS)
}

/// The asset root of the engine that a file is in.
fn asset_root(file: &Path) -> Option<PathBuf> {
    folders_above(file).find(|folder| below(folder, ASSETS).is_dir())
}

/// The same unless it is above the repository of the file: then others may have made it.
fn own_asset_root(file: &Path) -> Option<PathBuf> {
    let is_root = |folder: &PathBuf| below(folder, ASSETS).is_dir();
    let mut folders = folders_above(file);
    let nearest = folders.find(|folder| is_root(folder) || below(folder, REPOSITORY).exists());
    nearest.filter(is_root)
}

/// Says whether a file is a link that leads out of the folder and the asset root of another file, which implies
/// it, such as a scene its map. A file that is not there leads nowhere.
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
pub(crate) const LEADS_OUT: &str = "it is a link that leads out of the asset root";

/// The path of a file or folder below another folder.
pub(crate) fn below(folder: &Path, path: &str) -> PathBuf {
    if folder == Path::new(HERE) {
        path.into()
    } else {
        folder.join(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

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
            let folders = std::iter::successors(folder_of(Path::new(file)), |it| folder_above(it));
            let folders = folders.take(4).map(|it| it.to_str().unwrap().to_owned());
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
