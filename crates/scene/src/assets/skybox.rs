//! Skyboxes: six surrounding images, named and oriented as in the engine.

use bytes::Bytes;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use ::image::{RgbaImage, imageops};

use super::deferred::catch_panic;
use super::roots::{Suggestion, did_you_mean};
use super::{AssetError, Assets, Decoded, Head, MAX_SIDE_TEXELS, Reusable, Texture};
use crate::core::parallel::map_parallel;
use crate::core::rules::{self, Fault};
use mapscope_formats::quoted_path;

/// Image names of a skybox, in layer order of a cube texture: +X, -X, +Y, -Y, +Z, -Z (fact sheet
/// D). +X is west in the world, and +Z south.
pub const FACE_NAMES: [&str; 6] = ["right", "left", "top", "bottom", "back", "front"];
/// The game's default skybox, used if the file names none: folder and file extension.
const DEFAULT_SKYBOX: [&str; 2] = ["assets/skyboxes/clouds_blue", "jpg"];
/// Maximum bytes of an image.
const MAX_IMAGE_BYTES: u64 = 64 << 20;

/// The skyboxes of open documents, by the real path of their first image.
static SKYBOXES: Reusable<DeferredSkybox> = Reusable::new();

/// A skybox, ready for the GPU.
#[derive(Debug)]
pub struct Skybox {
    /// Its faces in the order of [`FACE_NAMES`]: square, of equal size, and oriented as layers of a
    /// cube texture.
    pub faces: [Texture; 6],
}

impl Skybox {
    /// Side of each face in texels.
    pub fn side(&self) -> u32 {
        self.faces[0].size[0]
    }

    /// Bytes of memory that it holds.
    pub fn cpu_bytes(&self) -> u64 {
        let levels = self.faces.iter().flat_map(|face| &face.levels);
        levels.map(|level| level.len() as u64).sum()
    }
}

/// A skybox that was read.
#[derive(Debug)]
struct ReadSkybox {
    /// `None` if one of its images cannot be read.
    skybox: Option<Skybox>,
    /// Problems of its images.
    faults: Vec<Fault>,
}

/// A skybox whose images were found but may not be read yet. The first caller that waits for it
/// reads it.
#[derive(Debug)]
pub struct DeferredSkybox {
    /// Its source as a scene names it: the folder below the asset root, and the file extension
    /// without the dot.
    pub name: [String; 2],
    read: LazyLock<ReadSkybox, Box<dyn FnOnce() -> ReadSkybox + Send + Sync>>,
}

impl DeferredSkybox {
    fn new(name: [String; 2], images: [Image; 6]) -> Self {
        Self {
            name,
            read: LazyLock::new(Box::new(move || read(&images))),
        }
    }

    /// Wraps a skybox that is available at once.
    pub fn of(name: [&str; 2], skybox: Skybox) -> Self {
        let there = Self {
            name: name.map(str::to_owned),
            read: LazyLock::new(Box::new(|| ReadSkybox {
                skybox: Some(skybox),
                faults: Vec::new(),
            })),
        };
        LazyLock::force(&there.read);
        there
    }

    /// Its source as display text.
    pub(crate) fn said(&self) -> String {
        let [folder, extension] = &self.name;
        let broken = if self.is_broken() {
            ", which cannot be shown"
        } else {
            ""
        };
        format!("{folder} ({extension}){broken}")
    }

    /// `true` once it was read.
    pub(crate) fn is_read(&self) -> bool {
        LazyLock::get(&self.read).is_some()
    }

    /// The skybox; `None` until it is read, or if one of its images is broken.
    pub fn get(&self) -> Option<&Skybox> {
        LazyLock::get(&self.read)?.skybox.as_ref()
    }

    /// Problems of its images; reads them now if no thread has started to.
    pub(crate) fn faults(&self) -> &[Fault] {
        &self.read.faults
    }

    /// `true` if it was read and cannot be shown.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_read() && self.get().is_none()
    }
}

/// The result of looking up a skybox.
#[derive(Debug, Default)]
pub(crate) struct LoadedSkybox {
    /// The skybox; `None` if one of its images is missing or not an image.
    pub(crate) skybox: Option<Arc<DeferredSkybox>>,
    /// The reason for a missing skybox, or problems of its images.
    pub(crate) faults: Vec<Fault>,
    /// Files that were found or looked for.
    pub(crate) candidates: Vec<PathBuf>,
}

/// An image of a skybox that was found.
#[derive(Debug)]
struct Image {
    face: &'static str,
    /// Its name below the asset root.
    name: String,
    bytes: Bytes,
    /// Width and height in pixels.
    size: [u32; 2],
}

/// The result of looking up an image of a skybox.
struct Face {
    image: Result<Image, Fault>,
    /// `true` if the file does not exist.
    is_missing: bool,
    /// A suggestion for a missing file.
    meant: Option<Suggestion>,
    candidates: Vec<PathBuf>,
}

impl Assets {
    /// Looks up the six images of a skybox that a scene names. They are decoded on demand.
    pub(crate) fn skybox(&self, folder: &str, extension: &str) -> LoadedSkybox {
        // The engine adds the dot itself.
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        let folder = folder.trim_end_matches('/');
        let name = [folder, extension].map(str::to_owned);
        let began = SystemTime::now();
        let first = self.locate(&format!("{folder}/{}.{extension}", FACE_NAMES[0]));
        let first = first
            .ok()
            .filter(|first| first.path.is_some() && !self.checks_textures);
        let first = first.map(|first| first.identity);
        if let Some((skybox, ())) = first.as_ref().and_then(|first| SKYBOXES.get(first))
            && skybox.name == name
            && skybox.get().is_some()
        {
            let all = FACE_NAMES.map(|face| self.locate(&format!("{folder}/{face}.{extension}")));
            let candidates = all.into_iter().flatten().filter_map(|face| face.path);
            return LoadedSkybox {
                skybox: Some(skybox),
                faults: Vec::new(),
                candidates: candidates.collect(),
            };
        }
        let faces = FACE_NAMES.map(|face| self.face(face, format!("{folder}/{face}.{extension}")));
        let mut loaded = LoadedSkybox::default();
        if faces.iter().all(|face| face.is_missing) {
            let meant = faces.iter().find_map(|face| face.meant.clone());
            loaded.candidates = faces.into_iter().flat_map(|face| face.candidates).collect();
            let [first, others @ ..] = FACE_NAMES;
            let message = format!(
                "no skybox image found below the asset root; expected {}, {}{}",
                quoted_path(&format!("{folder}/{first}.{extension}")),
                others.join(", "),
                did_you_mean(meant.as_ref()),
            );
            loaded.faults.push((&rules::MISSING_SKYBOX, message));
            return loaded;
        }
        let mut images = Vec::with_capacity(FACE_NAMES.len());
        for face in faces {
            loaded.candidates.extend(face.candidates);
            match face.image {
                Ok(image) => images.push(image),
                Err(fault) => loaded.faults.push(fault),
            }
        }
        // If the path leads out, all six images report it: keep one.
        let outside = rules::SKYBOX_NAME.id;
        (loaded.faults).dedup_by(|(a, _), (b, _)| a.id == outside && b.id == outside);
        let Ok(images) = <[Image; 6]>::try_from(images) else {
            return loaded;
        };
        let side = images[0].size[0];
        if let Some(odd) = images.iter().find(|image| image.size != [side; 2]) {
            let [width, height] = odd.size;
            let message = format!(
                "the image {} is {width} x {height}; expected a square as wide as {}, which is \
                 {side}",
                quoted_path(&odd.name),
                FACE_NAMES[0],
            );
            loaded.faults.push((&rules::SKYBOX_SIZE, message));
            return loaded;
        }
        if self.checks_textures {
            loaded.faults.extend(read(&images).faults);
        }
        let skybox = Arc::new(DeferredSkybox::new(name, images));
        if let Some(first) = first {
            SKYBOXES.put(first, (&skybox, ()), loaded.candidates.clone(), began);
        }
        loaded.skybox = Some(skybox);
        loaded
    }

    /// The game's default skybox if it is below the asset root. A missing one is not a problem.
    pub(crate) fn default_skybox(&self) -> LoadedSkybox {
        let [folder, extension] = DEFAULT_SKYBOX;
        let mut names = FACE_NAMES
            .iter()
            .map(|name| format!("{folder}/{name}.{extension}"));
        if names.any(|name| self.locate(&name).is_ok()) {
            return self.skybox(folder, extension);
        }
        LoadedSkybox::default()
    }

    fn face(&self, face: &'static str, name: String) -> Face {
        let file = self.read_up_to(&name, MAX_IMAGE_BYTES);
        let (is_missing, meant) = match &file.bytes {
            Err(AssetError::Missing { meant, .. }) => (true, meant.clone()),
            _ => (false, None),
        };
        let image = match file.bytes {
            Ok(bytes) => match self.spend_for_face(&bytes) {
                Ok(size) => Ok(Image {
                    face,
                    name,
                    bytes,
                    size,
                }),
                Err(error) => Err(unreadable(&name, &error)),
            },
            Err(AssetError::Unreadable(error)) => Err(unreadable(&name, &error)),
            Err(error) => {
                let rule = match error {
                    AssetError::Refused { .. } => &rules::SKYBOX_NAME,
                    _ => &rules::MISSING_SKYBOX,
                };
                Err((rule, format!("skybox image {error}")))
            }
        };
        Face {
            image,
            is_missing,
            meant,
            candidates: file.candidates,
        }
    }
}

impl Assets {
    /// Spends the cost of a skybox image from the budget of the document, and returns its size in
    /// pixels.
    fn spend_for_face(&self, bytes: &[u8]) -> Result<[u32; 2], String> {
        let file_bytes = bytes.len() as u64;
        let head = Head::read(bytes, file_bytes)?;
        let cost = head.cost(file_bytes, Some(MAX_SIDE_TEXELS));
        self.budget.take(cost).map(|()| head.size)
    }
}

/// Decodes the images of a skybox, in the order of [`FACE_NAMES`].
fn read(images: &[Image; 6]) -> ReadSkybox {
    let decoded = map_parallel(images.len(), |index| {
        let Image {
            face, name, bytes, ..
        } = &images[index];
        let what = format!("the image {}", quoted_path(name));
        let decoded = catch_panic(|| Decoded::of(&what, bytes, MAX_SIDE_TEXELS))
            .unwrap_or_else(|error| Decoded::failed(unreadable(name, &error)));
        let texture = decoded
            .image
            .map(|image| Texture::new(as_layer(face, image)));
        (texture, decoded.fault)
    });
    let (faces, faults): (Vec<_>, Vec<_>) = decoded.into_iter().unzip();
    let faces: Vec<Texture> = faces.into_iter().flatten().collect();
    ReadSkybox {
        skybox: faces.try_into().ok().map(|faces| Skybox { faces }),
        faults: faults.into_iter().flatten().collect(),
    }
}

fn unreadable(name: &str, error: &str) -> Fault {
    let message = format!("the image {} cannot be read: {error}", quoted_path(name));
    (&rules::UNREADABLE_SKYBOX, message)
}

/// Converts an image of a skybox to a layer of a cube texture.
///
/// The engine uploads images with the last row first (fact sheet 0). It samples the top and bottom
/// images toward -Z where OpenGL has X, and toward -X where OpenGL has Z (its
/// `shaders/fragment/skybox.glsl`), which amounts to a quarter turn.
fn as_layer(face: &str, mut image: RgbaImage) -> RgbaImage {
    match face {
        "top" => imageops::rotate270(&image),
        "bottom" => imageops::rotate90(&image),
        _ => {
            imageops::flip_vertical_in_place(&mut image);
            image
        }
    }
}
