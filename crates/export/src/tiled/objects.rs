//! Items on a map as Tiled objects.

use std::collections::BTreeMap;

use super::layers::{self, Builder};
use super::model::{Content, Layer, Object, Property, Shape};
use super::properties::Properties;
use mapscope_scene::Item;
use mapscope_scene::tilemap::{self, ObjectKind, TileMap};

/// Object indices by layer; `None` for objects without a layer.
pub(super) type ByLayer = BTreeMap<Option<usize>, Vec<usize>>;

impl<'a> Builder<'a> {
    /// Returns the objects of a layer in two groups: images, and all other objects. Both groups
    /// move with the layer.
    pub(super) fn groups(
        &mut self,
        layer: Option<usize>,
        indices: &[usize],
        is_visible: bool,
    ) -> Vec<Layer<'a>> {
        let map = self.map;
        let objects = indices.iter().filter_map(|index| self.object(*index));
        let objects: Vec<Object> = objects.collect();
        let is_picture = |object: &Object| matches!(object.shape, Shape::Tile(_));
        let (pictures, others): (Vec<Object>, Vec<Object>) =
            objects.into_iter().partition(is_picture);
        let of = layer.map_or_else(String::new, |layer| {
            format!(" of {}", self.layer_name(layer))
        });
        let parallax = layer.and_then(|layer| map.layers.get(layer));
        let parallax = parallax.map_or([1.0; 2], layers::parallax);
        [("Sprites", pictures), ("Objects", others)]
            .into_iter()
            .filter(|(_, objects)| !objects.is_empty())
            .map(|(name, objects)| Layer {
                name: format!("{name}{of}"),
                is_visible,
                opacity: 1.0,
                offset: [0.0; 2],
                parallax,
                properties: Vec::new(),
                content: Content::Objects(objects),
            })
            .collect()
    }

    /// An object. Its id is its position in the file, from 1.
    fn object(&self, index: usize) -> Option<Object> {
        let map = self.map;
        let of = map.objects.get(index)?;
        let whole = |px: f32| if px.is_finite() { f64::from(px) } else { 0.0 };
        let [min, max] = [of.rect_px.min, of.rect_px.max].map(|corner| corner.map(whole));
        let size = [0, 1].map(|axis| (max[axis] - min[axis]).max(0.0));
        let gid = of
            .image
            .and_then(|image| self.images.get(image).copied().flatten());
        let outline = of.outline_px.iter().map(|corner| corner.map(whole));
        let outline: Vec<[f64; 2]> = outline.collect();
        let (at, shape) = match (gid, outline.first()) {
            (Some(gid), _) => ([min[0], max[1]], Shape::Tile(gid)),
            (None, Some(&[x, y])) => {
                let corners = outline.iter().map(|corner| [corner[0] - x, corner[1] - y]);
                ([x, y], Shape::Line(corners.collect()))
            }
            (None, None) if size == [0.0; 2] => (min, Shape::Point),
            (None, None) => (min, Shape::Rectangle),
        };
        Some(Object {
            id: index as u32 + 1,
            name: of.name.clone(),
            class: map.object_item(index).map_or("", Item::kind),
            at,
            size,
            shape,
            properties: self.said_of_object(index, of),
        })
    }

    fn said_of_object(&self, index: usize, of: &tilemap::Object) -> Vec<Property> {
        let mut properties = Properties::default();
        if let Some(item) = self.map.object_item(index) {
            properties.add_facts(self.map.facts_of(item));
        }
        if let Some(number) = of.zone
            && let Some(zone) = self.map.zones.get(number)
        {
            properties.add(Property::text("zone", &*zone.name));
            // Areas have no properties of their own and get those of their zone.
            if of.kind == ObjectKind::ZoneArea {
                properties.add_facts(self.map.facts_of(TileMap::zone_item(number)));
            }
        }
        properties.finish()
    }
}
