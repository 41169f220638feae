//! Skyboxes: six images around everything, named and turned as the engine has them.

use std::path::PathBuf;
use std::sync::Arc;

use ::image::{RgbaImage, imageops};

use super::roots::did_you_mean;
use super::{AssetError, Assets, Texture, decode};
use crate::parallel::in_parallel;
use crate::rules::{self, Fault};
use crate::{OpenError, Progress};
use mapscope_formats::quoted_path;

/// The names of the images of a skybox, in the order of the layers of a cube texture: toward +X, -X,
/// +Y, -Y, +Z and -Z (fact sheet D). +X is west in the world, and +Z south.
pub const FACE_NAMES: [&str; 6] = ["right", "left", "top", "bottom", "back", "front"];
/// The skybox of the game, which stands around what names none: its folder and what the names of its
/// images end in.
const OF_THE_GAME: [&str; 2] = ["assets/skyboxes/clouds_blue", "jpg"];
/// Bytes of an image that is read.
const MAX_IMAGE_BYTES: u64 = 64 << 20;

/// A skybox, ready for the GPU.
#[derive(Debug)]
pub struct Skybox {
    /// Where it was found, as a scene names it: its folder below the asset root, and what the names of
    /// its images end in, without the dot.
    pub name: [String; 2],
    /// Its faces in the order of [`FACE_NAMES`], all square and of one size, turned as the layers of
    /// a cube texture are.
    pub faces: [Texture; 6],
}

impl Skybox {
    /// Texels along a side of each face.
    pub fn side(&self) -> u32 {
        self.faces[0].size[0]
    }

    /// Bytes of memory that it holds.
    pub fn cpu_bytes(&self) -> u64 {
        let levels = self.faces.iter().flat_map(|face| &face.levels);
        levels.map(|level| level.len() as u64).sum()
    }
}

/// A skybox that was looked up.
#[derive(Debug, Default)]
pub(crate) struct LoadedSkybox {
    /// The skybox; none where one of its images is missing or cannot be used.
    pub(crate) skybox: Option<Arc<Skybox>>,
    /// Why there is none.
    pub(crate) faults: Vec<Fault>,
    /// Files that were found or looked for.
    pub(crate) looked_for: Vec<PathBuf>,
}

/// A face that was looked up.
struct Face {
    texture: Result<Texture, Fault>,
    /// Whether there is no such file.
    is_missing: bool,
    /// The one that may be meant then.
    meant: Option<String>,
    looked_for: Vec<PathBuf>,
}

impl Assets {
    /// Reads and decodes the six images of a skybox that a scene names.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(crate) fn skybox(
        &self,
        folder: &str,
        extension: &str,
        progress: &Progress,
    ) -> Result<LoadedSkybox, OpenError> {
        // The engine puts a dot before it itself.
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        let folder = folder.trim_end_matches('/');
        let faces = in_parallel(FACE_NAMES.len(), progress, |index| {
            self.face(folder, FACE_NAMES[index], extension)
        })?;
        let mut loaded = LoadedSkybox::default();
        if faces.iter().all(|face| face.is_missing) {
            let meant = faces.iter().find_map(|face| face.meant.clone());
            loaded.looked_for = faces.into_iter().flat_map(|face| face.looked_for).collect();
            let [first, others @ ..] = FACE_NAMES;
            let message = format!(
                "no image of the skybox was found below the asset root; expected {}, and with it {}{}",
                quoted_path(&format!("{folder}/{first}.{extension}")),
                others.join(", "),
                did_you_mean(meant.as_deref()),
            );
            loaded.faults.push((&rules::MISSING_SKYBOX, message));
            return Ok(loaded);
        }
        let mut textures = Vec::with_capacity(FACE_NAMES.len());
        for face in faces {
            loaded.looked_for.extend(face.looked_for);
            match face.texture {
                Ok(texture) => textures.push(texture),
                Err(fault) => loaded.faults.push(fault),
            }
        }
        // Of a path that leads out, all six do.
        let outside = rules::SKYBOX_NAME.id;
        (loaded.faults).dedup_by(|(a, _), (b, _)| a.id == outside && b.id == outside);
        let Ok(faces) = <[Texture; 6]>::try_from(textures) else {
            return Ok(loaded);
        };
        let odd =
            (FACE_NAMES.iter().zip(&faces)).find(|(_, face)| face.size != [faces[0].size[0]; 2]);
        if let Some((name, face)) = odd {
            let ([width, height], side) = (face.size, faces[0].size[0]);
            let message = format!(
                "the image {} is {width} x {height} as it is drawn; expected it square and as wide \
                 as {}, which is {side}",
                quoted_path(&format!("{folder}/{name}.{extension}")),
                FACE_NAMES[0],
            );
            loaded.faults.push((&rules::SKYBOX_SIZE, message));
            return Ok(loaded);
        }
        let name = [folder, extension].map(str::to_owned);
        loaded.skybox = Some(Arc::new(Skybox { name, faces }));
        Ok(loaded)
    }

    /// The skybox of the game, if it is below the asset root. None of it is nothing to be said.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(crate) fn skybox_of_the_game(
        &self,
        progress: &Progress,
    ) -> Result<LoadedSkybox, OpenError> {
        let [folder, extension] = OF_THE_GAME;
        let mut names = FACE_NAMES
            .iter()
            .map(|name| format!("{folder}/{name}.{extension}"));
        if names.any(|name| self.locate(&name).is_ok()) {
            return self.skybox(folder, extension, progress);
        }
        Ok(LoadedSkybox::default())
    }

    fn face(&self, folder: &str, face: &str, extension: &str) -> Face {
        let name = format!("{folder}/{face}.{extension}");
        let file = self.read_up_to(&name, MAX_IMAGE_BYTES);
        let is_missing = matches!(file.bytes, Err(AssetError::Missing { .. }));
        let meant = match &file.bytes {
            Err(AssetError::Missing { meant, .. }) => meant.clone(),
            _ => None,
        };
        let texture = match &file.bytes {
            Ok(bytes) => decode(bytes),
            Err(AssetError::Unreadable(error)) => Err(error.clone()),
            Err(error) => {
                let rule = match error {
                    AssetError::Refused { .. } => &rules::SKYBOX_NAME,
                    _ => &rules::MISSING_SKYBOX,
                };
                let fault = (rule, format!("the image of a skybox {error}"));
                return Face {
                    texture: Err(fault),
                    is_missing,
                    meant,
                    looked_for: file.looked_for,
                };
            }
        };
        let texture = texture.map(|image| Texture::new(as_layer(face, image)));
        let unreadable = |error: String| {
            let message = format!("the image {} cannot be read: {error}", quoted_path(&name));
            (&rules::UNREADABLE_SKYBOX, message)
        };
        Face {
            texture: texture.map_err(unreadable),
            is_missing,
            meant,
            looked_for: file.looked_for,
        }
    }
}

/// An image of a skybox as it is a layer of a cube texture.
///
/// The engine uploads images with the last row first (fact sheet 0). The upper and the lower one it
/// looks up toward -Z where OpenGL has X, and toward -X where that has Z (its
/// `shaders/fragment/skybox.glsl`), which is a quarter turn.
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
