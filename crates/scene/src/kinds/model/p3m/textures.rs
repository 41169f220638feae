//! The textures of a P3M file: images inside it, or files below the asset root (fact sheet R).

use std::path::PathBuf;
use std::sync::Arc;

use image::RgbaImage;

use super::Rig;
use crate::assets::{Assets, DeferredTexture, LookUp, SharedTextures, Texture, TextureFile};
use crate::kinds::model::materials::{Blending, Material, Materials, unknown};
use crate::{NamedFile, OpenOptions, Source};
use mapscope_formats::p3m::{self, P3m, TextureContent};

/// Endings of textures, in the order of the engine.
const ENDINGS: [&str; 5] = ["ptf", "png", "jpg", "tga", "bmp"];
/// Folder of textures below the asset root, which a path may leave out.
const FOLDER: &str = "textures";
/// Light on a material without shading, so that its colour is that of the texture.
const EVEN_LIGHT: f32 = 1.0 / 0.55;

/// The textures of a file, in file order.
#[derive(Debug, Default)]
pub(in crate::kinds::model) struct TextureSet {
    list: Vec<Arc<DeferredTexture>>,
}

impl TextureSet {
    /// Returns the file of a texture.
    pub(super) fn file(&self, index: usize) -> Option<&TextureFile> {
        Some(self.list.get(index)?.file())
    }
}

impl Rig {
    /// The files that the file names.
    pub(in crate::kinds::model) fn named_files(&self) -> Vec<NamedFile> {
        let textures = self.file.textures.iter().zip(&self.textures.list);
        let named = textures.filter_map(|(texture, file)| {
            let path = texture.path().filter(|path| !path.is_empty())?;
            Some(file.file().named(path))
        });
        named.collect()
    }
}

/// Finds the textures of a file, and the materials that show them. Images inside the file are read
/// at once.
pub(super) fn find(file: &P3m, source: &Source, options: &OpenOptions) -> (Materials, TextureSet) {
    let of = |look_up| Arc::new(Assets::new(source, options, look_up));
    let (own, all) = (of(LookUp::Game), of(LookUp::AllGames));
    let shared = SharedTextures::default();
    let mut dependencies: Vec<PathBuf> = Vec::new();
    let textures = file.textures.iter().zip(0_u64..);
    let list: Vec<Arc<DeferredTexture>> = textures
        .map(|(texture, number)| match &texture.content {
            TextureContent::Embedded { ptf, .. } => {
                let name = format!("embedded texture {number}");
                Arc::new(own.texture_of_bytes(&name, ptf, number))
            }
            TextureContent::External(path) => {
                let (assets, name) = match root_of(&path.text) {
                    (Root::Game, name) => (&own, name),
                    (Root::AllGames, name) => (&all, name),
                    // Such a name leads nowhere.
                    (Root::Other, _) => (&own, path.text.clone()),
                };
                let found = candidates(&name).find(|name| assets.locate(name).is_ok());
                let name = found.unwrap_or_else(|| format!("{name}.{}", ENDINGS[0]));
                let (texture, candidates) = assets.deferred_texture(&name, number, &shared);
                dependencies.extend(candidates);
                texture
            }
        })
        .collect();
    let none = Arc::new(DeferredTexture::of(Arc::new(white())));
    let drawn = file.materials.iter().map(|material| {
        let texture = list.get(usize::from(material.texture));
        drawn(material, Arc::clone(texture.unwrap_or(&none)))
    });
    let materials = Materials {
        drawn: drawn.chain([unknown()]).collect(),
        dependencies,
    };
    (materials, TextureSet { list })
}

/// A material for drawing: its colour multiplies the texture, and its shading mixes directional and
/// even light (fact sheet P1).
fn drawn(material: &p3m::Material, texture: Arc<DeferredTexture>) -> Material {
    let part = |byte: u8| f32::from(byte) / 255.0;
    let [r, g, b, opacity] = material.color.map(part);
    let shading = part(material.shading);
    let color = [r, g, b];
    Material {
        ambient: color.map(|it| it * (shading + (1.0 - shading) * EVEN_LIGHT)),
        diffuse: color.map(|it| it * shading),
        specular: [0.0; 3],
        emission: material.emission.map(part),
        opacity,
        blending: match material.mode & 0x0F {
            1 => Blending::Add,
            _ if opacity < 1.0 => Blending::Mix,
            _ => Blending::None,
        },
        texture,
    }
}

/// A texture that leaves a material its own colour.
fn white() -> Texture {
    Texture::new(RgbaImage::from_pixel(1, 1, image::Rgba([u8::MAX; 4])))
}

/// The folder in which the resource manager of the engine looks for a path (fact sheet R).
enum Root {
    /// That of the game.
    Game,
    /// That with all games.
    AllGames,
    /// A folder of the engine or of the system, which is never looked at.
    Other,
}

/// The root of a path, and the path below it, past which it never goes up.
fn root_of(path: &str) -> (Root, String) {
    let (prefix, path) = path.split_once(':').unwrap_or(("", path));
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let root = match prefix {
        "" | "self" => Root::Game,
        "game" => Root::AllGames,
        _ => Root::Other,
    };
    (root, parts.join("/"))
}

/// The names that a path may mean, in the order of the engine: with each ending, then as it is, and
/// then the same below the folder of textures.
fn candidates(path: &str) -> impl Iterator<Item = String> {
    let below = format!("{FOLDER}/{path}");
    [path.to_owned(), below].into_iter().flat_map(|path| {
        let with_endings = ENDINGS.map(|ending| format!("{path}.{ending}"));
        with_endings.into_iter().chain([path])
    })
}
