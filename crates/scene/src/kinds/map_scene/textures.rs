//! The textures of a scene: those of its ground, and those of its models.

use std::sync::Arc;

use super::MapScene;
use super::parts::Posed;
use crate::assets::Texture;
use crate::{Item, ModelItem, SceneItem, TextureInfo, TextureScale, Textures, UvLayout};

impl Textures for MapScene {
    fn list(&self) -> Vec<TextureInfo> {
        let ground = self.terrain().into_iter();
        let ground = ground.flat_map(|terrain| terrain.list());
        let models = self.models.iter().filter_map(|model| {
            let entity = self.posed(*model.entities.first()?)?;
            let textures = entity.model().list().into_iter();
            Some(textures.map(move |texture| TextureInfo {
                item: entity.in_scene(texture.item),
                ..texture
            }))
        });
        ground.chain(models.flatten()).collect()
    }

    fn image(&self, texture: Item) -> Option<Arc<Texture>> {
        match self.posed_part(texture) {
            Some((entity, part)) => entity.model().image(part),
            None => self.terrain()?.image(texture),
        }
    }

    fn scale(&self, texture: Item) -> Option<TextureScale> {
        match self.posed_part(texture) {
            Some((entity, part)) => entity.model().scale(part),
            None => self.terrain()?.scale(texture),
        }
    }

    fn layout(&self, texture: Item) -> Option<UvLayout> {
        let (entity, part) = self.posed_part(texture)?;
        let layout = entity.model().layout(part)?;
        Some(layout.with_items(|item| entity.in_scene(item)))
    }

    fn representative(&self, item: Item) -> Option<Item> {
        let Item::Scene(SceneItem::Part { entity, part }) = item else {
            return Some(item);
        };
        let placed = self.entities.get(entity as usize)?;
        let entity = *self.models.get(placed.model)?.entities.first()?;
        Some(SceneItem::Part { entity, part }.into())
    }
}

impl MapScene {
    fn posed_part(&self, item: Item) -> Option<(Posed<'_>, Item)> {
        let (entity, part): (_, ModelItem) = self.part(item)?;
        Some((entity, part.into()))
    }
}
