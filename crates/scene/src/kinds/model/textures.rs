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
        // A material of P3M may have no texture.
        let textures = materials.filter(|(_, it)| self.rig.is_none() || !it.texture.is_empty());
        let textures = textures.filter_map(|(index, material)| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::model::sample;

    #[test]
    fn each_material_has_its_texture_and_the_triangles_that_show_it() {
        let mut pfobj = sample::quad();
        let unused = pfobj.materials[0].clone();
        pfobj.materials.push(unused);
        for corner in &mut pfobj.vertices {
            corner.uv = corner.uv.map(|at| at * 0.5);
            corner.position = corner.position.map(|at| at * 4.0);
        }
        let model = sample::model(pfobj);
        let list = model.list();
        let items: Vec<_> = list.iter().map(|texture| texture.item).collect();
        assert_eq!(items, [material_item(0), material_item(1)]);
        assert_eq!((&*list[0].name, &*list[0].texture), ("Stone", "stone.png"));
        // The placeholder of a missing texture.
        assert!(!list[0].is_found && list[0].file_facts().is_none());
        assert_eq!(model.image(items[0]).unwrap().size, [256; 2]);
        assert_eq!(model.scale(items[0]).unwrap().texels([256; 2]), 32.0);
        assert_eq!(model.first_with_layout(), Some(items[0]));

        let layout = model.layout(items[0]).unwrap();
        assert_eq!((layout.triangles, layout.lines.len()), (2, 5));
        let at = |x, y| layout.triangles_at(Vec2::new(x, y)).collect::<Vec<_>>();
        assert_eq!(at(0.4, 0.8), [ModelItem::Triangle { index: 0 }.into()]);
        assert_eq!(at(0.1, 0.6), [ModelItem::Triangle { index: 1 }.into()]);
        assert_eq!(at(0.4, 0.2), []);

        let empty = model.layout(items[1]).unwrap();
        assert_eq!(empty, UvLayout::default());
        assert_eq!(model.scale(items[1]), None);
        for none in [material_item(2), ModelItem::Model.into()] {
            assert!(model.layout(none).is_none() && model.image(none).is_none());
        }
    }
}
