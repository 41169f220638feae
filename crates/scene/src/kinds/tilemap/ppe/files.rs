//! Files that a container names: searched below its folder and the user's folders, never above
//! them.

use bytes::Bytes;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use image::RgbaImage;

use crate::assets::{
    AssetError, AssetFile, Assets, Head, LookUp, below, decode, folder_of, leads_out,
};
use crate::core::budget::Cost;
use crate::core::rules::{self, Fault};
use crate::describe::outline::base_name;
use crate::{NamedFile, OpenOptions, Source};
use mapscope_formats::ppe::xmf::{Dialect, TileOrder, path_below_root};
use mapscope_formats::ppe::{IndexedImage, MapData, Xmf, indexed, map_data};
use mapscope_formats::quoted;

/// Maximum number of file names examined in a folder.
const MAX_NAMES: usize = 4096;

/// An image from which tiles and sprites are cut.
#[derive(Debug)]
pub(super) enum Pixels {
    /// Palette indices.
    Indexed(IndexedImage),
    /// Colours.
    Colors(RgbaImage),
}

impl Pixels {
    pub(super) fn size(&self) -> [u32; 2] {
        match self {
            Self::Indexed(sheet) => sheet.size,
            Self::Colors(image) => [image.width(), image.height()],
        }
    }
}

/// The decoded contents of a file, or the reason for the failure.
type Outcome<T> = Result<Arc<T>, Fault>;

/// Cache of decoded files, by path in a container and by actual file, since many paths may lead to
/// the same file.
struct Decoded<T> {
    by_path: HashMap<String, Outcome<T>>,
    by_file: HashMap<PathBuf, Outcome<T>>,
}

impl<T> Default for Decoded<T> {
    fn default() -> Self {
        Self {
            by_path: HashMap::new(),
            by_file: HashMap::new(),
        }
    }
}

/// Files of a container, each read once.
pub(super) struct Files<'a> {
    source: &'a Source,
    assets: Assets,
    folder: Option<PathBuf>,
    /// The user's options for containers.
    dialect: Option<Dialect>,
    pub(super) tile_order: TileOrder,
    pub(super) hides_undefined: bool,
    images: Decoded<Pixels>,
    maps: Decoded<MapData>,
    /// The files that were read or looked for.
    pub(super) dependencies: Vec<PathBuf>,
    /// The files that the document names.
    pub(super) named: Vec<NamedFile>,
}

/// The quoted file name at the end of a path, for messages.
pub(super) fn quoted_name(path: &str) -> String {
    quoted(base_name(path).as_bytes())
}

impl<'a> Files<'a> {
    pub(super) fn new(source: &'a Source, options: &OpenOptions) -> Self {
        // A built-in file has no folder.
        let folder = folder_of(&source.path).filter(|_| source.embedded.is_empty());
        Self {
            source,
            assets: Assets::new(source, options, LookUp::BesideOnly),
            folder,
            dialect: options.xmf_dialect,
            tile_order: options.xmf_tile_order,
            hides_undefined: options.xmf_hides_undefined,
            images: Decoded::default(),
            maps: Decoded::default(),
            dependencies: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Encoding of a container's embedded data.
    pub(super) fn dialect(&self, xmf: &Xmf) -> Dialect {
        self.dialect.unwrap_or_else(|| Dialect::of(&xmf.metadata))
    }

    /// The names of the files beside the opened one.
    pub(super) fn names_beside(&self) -> Vec<String> {
        let embedded = self.source.embedded.iter();
        let mut names: Vec<String> = embedded.map(|(name, _)| (*name).to_owned()).collect();
        if let Some(entries) = self
            .folder
            .as_ref()
            .and_then(|folder| folder.read_dir().ok())
        {
            let entries = entries.take(MAX_NAMES);
            names.extend(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()));
        }
        names
    }

    /// Reads a file beside the opened one, if it is readable and not too large.
    pub(super) fn read_beside(&self, name: &str, max_bytes: u64) -> Option<Bytes> {
        if let Some(bytes) = self.assets.embedded(name) {
            return Some(Bytes::from_static(bytes));
        }
        let path = below(self.folder.as_ref()?, name);
        if leads_out(&self.source.path, &path) {
            return None;
        }
        let is_small = path.metadata().is_ok_and(|meta| meta.len() <= max_bytes);
        is_small
            .then(|| Source::read(&path).ok())
            .flatten()
            .map(|source| source.bytes)
    }

    /// Records that the map depends on a file beside the opened one.
    pub(super) fn depend_on_beside(&mut self, name: &str) {
        let path = self.folder.as_ref().map(|folder| below(folder, name));
        self.dependencies.extend(path.clone());
        self.named.push(NamedFile {
            kind: "container",
            name: name.to_owned(),
            path,
            found: true,
            named_by: None,
        });
    }

    /// Reads a file by its path in a container: with its folders below one of the search folders,
    /// or directly in one.
    fn read(&mut self, kind: &'static str, path: &str) -> AssetFile {
        let below = path_below_root(path).replace('\\', "/");
        let mut file = self.assets.read_any_case(&below);
        self.named.push(file.named(kind, &below));
        self.dependencies.append(&mut file.candidates);
        file
    }

    /// Returns the decoded contents of a file by its path in a container. `decode` runs once per
    /// file.
    fn decoded<T>(
        &mut self,
        of: fn(&mut Self) -> &mut Decoded<T>,
        kind: &'static str,
        path: &str,
        decode: fn(&str, &[u8], &Assets) -> Result<T, Fault>,
    ) -> Outcome<T> {
        if let Some(known) = of(self).by_path.get(path) {
            return known.clone();
        }
        let file = self.read(kind, path);
        let real = file.path.and_then(|path| path.canonicalize().ok());
        let known = real.as_ref().and_then(|real| of(self).by_file.get(real));
        let outcome = match (known, file.bytes) {
            (Some(known), _) => known.clone(),
            (None, Ok(bytes)) => decode(path, &bytes, &self.assets).map(Arc::new),
            (None, Err(error)) => {
                let rule = match error {
                    AssetError::Unreadable(_) => &rules::UNREADABLE_FILE,
                    _ => &rules::MISSING_FILE,
                };
                Err((rule, error.to_string()))
            }
        };
        let decoded = of(self);
        decoded.by_path.insert(path.to_owned(), outcome.clone());
        (decoded.by_file).extend(real.map(|real| (real, outcome.clone())));
        outcome
    }

    /// An image by its path in a container.
    pub(super) fn image(&mut self, path: &str) -> Outcome<Pixels> {
        self.decoded(|files| &mut files.images, "image", path, decode_image)
    }

    /// Map data by its path in a container.
    pub(super) fn map(&mut self, path: &str) -> Outcome<MapData> {
        self.decoded(|files| &mut files.maps, "map", path, decode_map)
    }
}

fn decode_image(path: &str, bytes: &[u8], assets: &Assets) -> Result<Pixels, Fault> {
    let fault = |rule, reason: &dyn Display| -> Fault {
        (
            rule,
            format!("{} cannot be read: {reason}", quoted_name(path)),
        )
    };
    let file_bytes = bytes.len() as u64;
    if let Ok(head) = Head::read(bytes, file_bytes) {
        let mut cost = head.cost(file_bytes, None);
        if indexed::has_palette(bytes) {
            cost.working_bytes = 0;
            cost.kept_bytes = head.pixels();
        }
        let afforded = assets.spend(cost);
        afforded.map_err(|limit| fault(&rules::UNREADABLE_FILE, &limit))?;
    }
    match indexed::read(bytes) {
        Ok(Some(sheet)) => Ok(Pixels::Indexed(sheet)),
        Ok(None) => match decode(bytes, None) {
            Ok(image) => Ok(Pixels::Colors(image)),
            Err(error) => Err(fault(&rules::UNREADABLE_FILE, &error)),
        },
        Err(error) => {
            let rule = error.problem().map(|problem| problem.rule);
            Err(fault(rule.unwrap_or(&rules::UNREADABLE_FILE), &error))
        }
    }
}

fn decode_map(path: &str, bytes: &[u8], assets: &Assets) -> Result<MapData, Fault> {
    let fault = |reason: &dyn Display| -> Fault {
        let message = format!("{} cannot be read: {reason}", quoted_name(path));
        (&rules::UNREADABLE_FILE, message)
    };
    if let Some(decoded_bytes) = map_data::decoded_bytes(bytes) {
        let afforded = assets.spend(Cost {
            file_bytes: bytes.len() as u64,
            elements: decoded_bytes / map_data::CELL_BYTES,
            working_bytes: 0,
            kept_bytes: decoded_bytes,
        });
        afforded.map_err(|limit| fault(&limit))?;
    }
    map_data::read(bytes).map_err(|error| fault(&error))
}
