//! The images of a map's materials.

use std::sync::Arc;

use super::Terrain;
use super::patchwork::{CORE, SOURCE_SIDE};
use super::textures::MaterialTexture;
use crate::assets::Texture;
use crate::{Item, TerrainItem, TextureInfo, TextureScale, Textures};

impl Textures for Terrain {
    fn list(&self) -> Vec<TextureInfo> {
        let textures = self.map.materials.iter().zip(&self.textures.materials);
        let textures = textures.zip(0..).map(|((material, texture), index)| {
            let item = TerrainItem::Material { index }.into();
            TextureInfo::new(item, &material.name, &material.texture, &texture.file)
        });
        textures.collect()
    }

    fn image(&self, texture: Item) -> Option<Arc<Texture>> {
        Some(Arc::new(self.texture_of(texture)?.image()))
    }

    fn scale(&self, texture: Item) -> Option<TextureScale> {
        self.texture_of(texture)?;
        Some(TextureScale {
            repeats: CORE as f32 / SOURCE_SIDE as f32,
            unit: "tile",
        })
    }
}

impl Terrain {
    fn texture_of(&self, item: Item) -> Option<&MaterialTexture> {
        let Item::Terrain(TerrainItem::Material { index }) = item else {
            return None;
        };
        self.textures.materials.get(index as usize)
    }
}
