//! The images of a map's textures, each at the first material that names it.

use std::collections::HashMap;
use std::sync::Arc;

use super::Map;
use crate::assets::Texture;
use crate::{Item, LevelItem, TextureInfo, Textures};

impl Textures for Map {
    fn list(&self) -> Vec<TextureInfo> {
        let items = self.first_materials();
        let textures = self.textures.list.iter().enumerate();
        let textures = textures.filter_map(|(index, texture)| {
            let item = *items.get(&index)?;
            let (path, file) = (&texture.path, &texture.file);
            Some(TextureInfo::new(item, path, path, file))
        });
        textures.collect()
    }

    fn image(&self, texture: Item) -> Option<Arc<Texture>> {
        let texture = self.textures.list.get(self.texture_of(texture)?)?;
        Some(Arc::clone(&texture.texture))
    }

    fn representative(&self, item: Item) -> Option<Item> {
        self.first_materials().remove(&self.texture_of(item)?)
    }
}

impl Map {
    /// Returns the index of the first texture of a material.
    fn texture_of(&self, item: Item) -> Option<usize> {
        let Item::Level(LevelItem::Material { level, index }) = item else {
            return None;
        };
        let materials = &self.levels.get(level as usize)?.materials;
        let look = materials.list.get(index as usize)?.look.as_ref()?;
        look.texture
    }

    /// Returns the first material of each texture, by the index of the texture.
    fn first_materials(&self) -> HashMap<usize, Item> {
        let mut items = HashMap::new();
        for (number, level) in self.levels.iter().enumerate() {
            for (index, material) in level.materials.list.iter().enumerate() {
                let texture = material.look.as_ref().and_then(|look| look.texture);
                if let Some(texture) = texture {
                    let item = LevelItem::material(number, index).into();
                    items.entry(texture).or_insert(item);
                }
            }
        }
        items
    }
}
