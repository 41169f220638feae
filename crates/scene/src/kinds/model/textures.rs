//! The textures of a model, and the layouts of its triangles.

use std::ops::Range;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::{Model, material_item};
use crate::assets::Texture;
use crate::{Item, ModelItem, TextureInfo, TextureScale, Textures, UvLayout};

impl Textures for Model {
    fn list(&self) -> Vec<TextureInfo> {
        let materials = self.pfobj.materials.iter().enumerate();
        let textures = materials.filter_map(|(index, material)| {
            let (item, file) = (material_item(index), self.materials.file(index)?);
            let (name, texture) = (&material.name, &material.texture);
            Some(TextureInfo::new(item, name, texture, file))
        });
        textures.collect()
    }

    fn image(&self, texture: Item) -> Option<Arc<Texture>> {
        let material = self.materials.drawn.get(self.material_of(texture)?)?;
        material.texture.get().cloned()
    }

    fn scale(&self, texture: Item) -> Option<TextureScale> {
        let triangles = self.triangles_of(self.material_of(texture)?);
        TextureScale::median(triangles.map(|(_, uv, corners)| (uv, corners)))
    }

    fn layout(&self, texture: Item) -> Option<UvLayout> {
        let triangles = self.triangles_of(self.material_of(texture)?);
        Some(UvLayout::new(triangles.map(|(item, uv, _)| (item, uv))))
    }

    fn first_with_layout(&self) -> Option<Item> {
        let material = self.mesh.parts.first()?.material;
        (material < self.pfobj.materials.len()).then(|| material_item(material))
    }
}

impl Model {
    /// Returns the index of a material of the file.
    fn material_of(&self, item: Item) -> Option<usize> {
        let Item::Model(ModelItem::Material { index }) = item else {
            return None;
        };
        Some(index as usize).filter(|index| *index < self.pfobj.materials.len())
    }

    /// Returns the drawn triangles with a material: their items, texture coordinates, and corners in
    /// the bind pose.
    fn triangles_of(&self, material: usize) -> impl Iterator<Item = (Item, [Vec2; 3], [Vec3; 3])> {
        let parts = self.mesh.parts.iter();
        let part = parts.filter(move |part| part.material == material);
        let triangles = part.flat_map(|part| {
            let Range { start, end } = part.indices;
            start as usize / 3..end as usize / 3
        });
        triangles.filter_map(|at| {
            let index = *self.mesh.triangles.get(at)?;
            let vertices = self.mesh.indices.get(at * 3..at * 3 + 3)?;
            let [a, b, c] =
                [0, 1, 2].map(|corner| self.mesh.vertices.get(vertices[corner] as usize));
            let corners = [a?, b?, c?];
            let item = ModelItem::Triangle { index }.into();
            let uv = corners.map(|corner| corner.uv.into());
            Some((item, uv, corners.map(|corner| corner.position.into())))
        })
    }
}
