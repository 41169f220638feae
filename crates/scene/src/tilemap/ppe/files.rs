//! Files that a container names: looked for below its folder and those of the user, never above.

use bytes::Bytes;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use image::RgbaImage;

use crate::assets::{AssetError, Assets, LookUp, below, decode, folder_of};
use crate::outline::name_at_end;
use crate::rules::{self, Fault};
use crate::{NamedFile, OpenOptions, Source};
use mapscope_formats::ppe::xmf::{Dialect, TileOrder, path_below_root};
use mapscope_formats::ppe::{IndexedImage, MapData, Xmf, indexed, map_data};
use mapscope_formats::quoted;

/// How many names of a folder are looked at.
const MAX_NAMES: usize = 4096;

/// An image as tiles and sprites are cut from it.
#[derive(Debug)]
pub(super) enum Pixels {
    /// Numbers of colours.
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

/// What a file became, or why it became nothing.
type Outcome<T> = Result<Arc<T>, Fault>;

/// Files that were looked for, each of them once.
pub(super) struct Files<'a> {
    source: &'a Source,
    assets: Assets,
    folder: Option<PathBuf>,
    /// What the user said of containers.
    dialect: Option<Dialect>,
    pub(super) tile_order: TileOrder,
    pub(super) hides_undefined: bool,
    images: HashMap<String, Outcome<Pixels>>,
    maps: HashMap<String, Outcome<MapData>>,
    /// The files that were read or looked for.
    pub(super) dependencies: Vec<PathBuf>,
    /// Those that the document names.
    pub(super) named: Vec<NamedFile>,
}

/// The name of the file at the end of a path, as messages quote it.
pub(super) fn quoted_name(path: &str) -> String {
    quoted(name_at_end(path).as_bytes())
}

impl<'a> Files<'a> {
    pub(super) fn new(source: &'a Source, options: &OpenOptions) -> Self {
        // What is built in has no folder.
        let folder = folder_of(&source.path).filter(|_| source.embedded.is_empty());
        Self {
            source,
            assets: Assets::new(source, options, LookUp::BesideOnly),
            folder,
            dialect: options.xmf_dialect,
            tile_order: options.xmf_tile_order,
            hides_undefined: options.xmf_hides_undefined,
            images: HashMap::new(),
            maps: HashMap::new(),
            dependencies: Vec::new(),
            named: Vec::new(),
        }
    }

    /// How embedded data of a container is read.
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

    /// Reads a file beside the opened one, if it can be read and is not too large.
    pub(super) fn read_beside(&self, name: &str, max_bytes: u64) -> Option<Bytes> {
        if let Some(bytes) = self.assets.embedded(name) {
            return Some(Bytes::from_static(bytes));
        }
        let path = below(self.folder.as_ref()?, name);
        let is_small = path.metadata().is_ok_and(|meta| meta.len() <= max_bytes);
        is_small
            .then(|| Source::read(&path).ok())
            .flatten()
            .map(|source| source.bytes)
    }

    /// Notes that the map was made with a file beside the opened one.
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

    /// Reads a file by a path that stands in a container: with its folders below one of those that
    /// are looked in, or without them right there.
    fn read(&mut self, kind: &'static str, path: &str) -> Result<Cow<'static, [u8]>, Fault> {
        let below = path_below_root(path).replace('\\', "/");
        let file = self.assets.read_any_case(&below);
        self.named.push(file.named(kind, &below));
        self.dependencies.extend(file.looked_for);
        file.bytes.map_err(|error| {
            let rule = match error {
                AssetError::Unreadable(_) => &rules::UNREADABLE_FILE,
                _ => &rules::MISSING_FILE,
            };
            (rule, error.to_string())
        })
    }

    /// An image by its path in a container.
    pub(super) fn image(&mut self, path: &str) -> Outcome<Pixels> {
        if let Some(known) = self.images.get(path) {
            return known.clone();
        }
        let image = self.read("image", path).and_then(|bytes| {
            let broken = |rule, reason: &dyn Display| -> Fault {
                let message = format!("{} cannot be read: {reason}", quoted_name(path));
                (rule, message)
            };
            match indexed::read(&bytes) {
                Ok(Some(sheet)) => Ok(Arc::new(Pixels::Indexed(sheet))),
                Ok(None) => {
                    let image = decode(&bytes);
                    let image = image.map_err(|error| broken(&rules::UNREADABLE_FILE, &error))?;
                    Ok(Arc::new(Pixels::Colors(image)))
                }
                Err(error) => {
                    let rule = error.problem().map(|problem| problem.rule);
                    Err(broken(rule.unwrap_or(&rules::UNREADABLE_FILE), &error))
                }
            }
        });
        self.images.insert(path.to_owned(), image.clone());
        image
    }

    /// Map data by its path in a container.
    pub(super) fn map(&mut self, path: &str) -> Outcome<MapData> {
        if let Some(known) = self.maps.get(path) {
            return known.clone();
        }
        let map = self.read("map", path).and_then(|bytes| {
            let map = map_data::read(&bytes);
            let broken = |error| {
                let message = format!("{} cannot be read: {error}", quoted_name(path));
                (&rules::UNREADABLE_FILE, message)
            };
            map.map(Arc::new).map_err(broken)
        });
        self.maps.insert(path.to_owned(), map.clone());
        map
    }
}
