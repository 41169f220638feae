//! The lights of a level: what they are called, what controls them, and what they light.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::OnceLock;

use super::Map;
use super::items::{EntityAt, in_level, item};
use super::properties::{colored, yes};
use crate::formats::pmf::{ChunkData, DynamicLight, EntityKind};
use crate::scene::numbers::plural;
use crate::scene::{Aabb, Item, Light, Property, PropertyGroup, Shown};

/// How many chunks and controllers of a light are listed.
const MOST_LISTED: usize = 64;

/// The lights of all levels, worked out when somebody first asks.
#[derive(Debug, Default)]
pub(super) struct LightList {
    found: OnceLock<HashMap<Item, Found>>,
    /// Controllers by the light that they name: entities by their numbers.
    controllers: OnceLock<HashMap<(&'static str, u32), Vec<u64>>>,
}

/// A light of a level: the same number in several chunks is one light.
#[derive(Debug)]
struct Found {
    flags: u8,
    color: [u8; 3],
    /// The chunks that it is in by their numbers in the level, and its index in each.
    chunks: Vec<(usize, usize)>,
}

impl Map {
    fn found_lights(&self) -> &HashMap<Item, Found> {
        self.light_list.found.get_or_init(|| {
            let mut found = HashMap::new();
            for (number, level) in self.pmf.levels.iter().enumerate() {
                for (chunk, source) in level.chunks.iter().enumerate() {
                    if let Some(data) = &source.data {
                        add_lights(&mut found, number, chunk, data);
                    }
                }
            }
            found
        })
    }

    /// The light of a kind with a number in the map: that of a level, or else of the first level
    /// that has it.
    pub(super) fn light_with_id(&self, kind: &'static str, level: usize, id: u32) -> Option<Item> {
        let levels = [level].into_iter().chain(0..self.pmf.levels.len());
        let mut items = levels.map(|level| Self::light_item(level, kind, id));
        items.find(|item| self.found_lights().contains_key(item))
    }

    /// Entities that control a light, by their numbers.
    fn controllers(&self, light: Item) -> &[u64] {
        let all = self.light_list.controllers.get_or_init(|| {
            let mut all: HashMap<_, Vec<u64>> = HashMap::new();
            let lists = [None]
                .into_iter()
                .chain((0..self.pmf.levels.len()).map(Some));
            for (kind, numbers) in lists.flat_map(|level| self.entities_by_kind(level)) {
                let controlled = match kind {
                    EntityKind::DynamicLightController => item::DYNAMIC_LIGHT,
                    EntityKind::FastLightController => item::FAST_LIGHT,
                    _ => continue,
                };
                for number in numbers {
                    let entity = self.entity_at(Item {
                        kind: item::ENTITY,
                        index: *number,
                    });
                    let id = entity.and_then(|at| at.entity.value("light")?.number());
                    if let Some(id) = id {
                        all.entry((controlled, id as u32))
                            .or_default()
                            .push(*number);
                    }
                }
            }
            all
        });
        let id = light.index as u32;
        all.get(&(light.kind, id)).map_or(&[], Vec::as_slice)
    }

    /// The lights of a level, the dynamic ones first, each in rising order of their numbers.
    pub(super) fn light_list(&self, level: usize) -> Vec<Light> {
        let of_level: BTreeMap<(&str, u64), &Found> = self
            .found_lights()
            .iter()
            .filter(|(item, _)| in_level(**item).0 == level)
            .map(|(item, found)| ((item.kind, item.index), found))
            .collect();
        let lights = of_level.into_iter().map(|((kind, index), found)| {
            let kind = if kind == item::DYNAMIC_LIGHT {
                item::DYNAMIC_LIGHT
            } else {
                item::FAST_LIGHT
            };
            let light = Item { kind, index };
            Light {
                item: light,
                name: light_name(light),
                note: self.light_note(light, found),
                color: found.color,
                intensity: self.intensity_in_file(light),
            }
        });
        lights.collect()
    }

    fn intensity_in_file(&self, light: Item) -> u8 {
        let (level, id) = in_level(light);
        self.light_intensity(&Shown::default(), level, light.kind, id as u32)
    }

    /// What controls a light, and where it is.
    fn light_note(&self, light: Item, found: &Found) -> String {
        let mut note = plural(found.chunks.len(), "chunk", "chunks");
        let controllers = self.controllers(light);
        if let Some(first) = controllers.first() {
            let first = self.entity_at(Item {
                kind: item::ENTITY,
                index: *first,
            });
            let name = first.map(|at| at.entity.brief_name().into_owned());
            let name = name.filter(|name| !name.is_empty());
            note.push_str(", controlled by ");
            note.push_str(name.as_deref().unwrap_or("an entity without name"));
            if controllers.len() > 1 {
                // Writing to a string does not fail.
                let _ = write!(note, " and {} more", controllers.len() - 1);
            }
        }
        note
    }

    pub(super) fn light_summary(&self, light: Item) -> Option<[(&'static str, String); 2]> {
        let found = self.found_lights().get(&light)?;
        Some([
            ("Light", light_name(light)),
            ("Chunks", found.chunks.len().to_string()),
        ])
    }

    pub(super) fn light_properties(&self, light: Item) -> Option<Vec<PropertyGroup>> {
        let found = self.found_lights().get(&light)?;
        let (level, id) = in_level(light);
        let has = |flag: u8| yes(found.flags & flag != 0);
        let mut properties = vec![
            Property::new("Number", id.to_string()),
            colored("Colour", found.color),
            Property::new("Enabled", has(DynamicLight::ENABLED)),
            Property::new("Preserved", has(DynamicLight::PRESERVE)),
        ];
        if light.kind == item::FAST_LIGHT {
            properties.push(Property::new(
                "Initial intensity",
                self.intensity_in_file(light).to_string(),
            ));
        }
        let mut chunks = Vec::new();
        for (number, index) in found.chunks.iter().take(MOST_LISTED) {
            let chunk = self
                .pmf
                .levels
                .get(level)
                .and_then(|l| l.chunks.get(*number));
            let Some(chunk) = chunk else { continue };
            let client = chunk.data.as_deref().and_then(|data| data.client.as_ref());
            let reach = client.and_then(|client| {
                if light.kind == item::DYNAMIC_LIGHT {
                    let look = client.dynamic_lights.get(*index)?;
                    let maps = look.layers.iter().map(|layer| layer.lightmap.to_string());
                    let maps: Vec<String> = maps.collect();
                    Some(format!("lightmaps {}", maps.join(", ")))
                } else {
                    let look = client.fast_lights.get(*index)?;
                    let (mut ranges, mut vertices) = (0, 0);
                    for (range, _) in look.ranges() {
                        ranges += 1;
                        vertices += range.len();
                    }
                    let ranges = plural(ranges, "range", "ranges");
                    Some(format!("{vertices} vertices in {ranges}"))
                }
            });
            chunks.push(Property {
                link: self.chunk_item(level, *number),
                ..Property::new(
                    "Chunk",
                    format!("{}: {}", chunk.index, reach.unwrap_or_default()),
                )
            });
        }
        if found.chunks.len() > MOST_LISTED {
            let more = found.chunks.len() - MOST_LISTED;
            chunks.push(Property::new("Chunk", format!("and {more} more")));
        }
        let controllers = self.controllers(light).iter().take(MOST_LISTED);
        let controllers = controllers.map(|number| {
            let link = Item {
                kind: item::ENTITY,
                index: *number,
            };
            let title = self.entity_at(link).as_ref().map(EntityAt::title);
            Property {
                link: Some(link),
                ..Property::new("Controlled by", title.unwrap_or_default())
            }
        });
        let groups = [
            ("Light", properties),
            ("Controllers", controllers.collect()),
            ("Chunks", chunks),
        ];
        let groups = groups.into_iter().filter(|(_, list)| !list.is_empty());
        let groups = groups.map(|(title, properties)| PropertyGroup { title, properties });
        Some(groups.collect())
    }

    /// What a light lights in each chunk, in world space.
    pub(super) fn lit_boxes(&self, light: Item) -> Vec<Aabb> {
        let Some(found) = self.found_lights().get(&light) else {
            return Vec::new();
        };
        let (number, _) = in_level(light);
        let Some((level, source)) = self.level(number) else {
            return Vec::new();
        };
        let boxes = found.chunks.iter().filter_map(|(chunk, index)| {
            let mesh = level.mesh(*chunk)?;
            let data = source.chunks.get(*chunk)?.data.as_deref()?;
            let client = data.client.as_ref()?;
            let mut points = Vec::new();
            if light.kind == item::DYNAMIC_LIGHT {
                let layers = &client.dynamic_lights.get(*index)?.layers;
                let is_lit = |lightmap| layers.iter().any(|layer| layer.lightmap == lightmap);
                for (face, lightmap) in mesh.faces_with_lightmaps(data) {
                    if is_lit(lightmap) {
                        points.extend(mesh.triangles(face).flatten());
                    }
                }
            } else {
                let ranges: Vec<_> = client.fast_lights.get(*index)?.ranges().collect();
                for face in &mesh.faces {
                    let vertices = mesh.vertex_range(face);
                    let file = u64::from(face.file_vertex);
                    let file = file..file + vertices.len() as u64;
                    let first = ranges.partition_point(|(r, _)| u64::from(r.end) <= file.start);
                    let next = ranges.get(first);
                    if next.is_some_and(|(range, _)| u64::from(range.start) < file.end) {
                        points.extend(mesh.triangles(face).flatten());
                    }
                }
            }
            Aabb::around(points)
        });
        boxes.collect()
    }
}

fn light_name(light: Item) -> String {
    let id = light.index as u32;
    if light.kind == item::DYNAMIC_LIGHT {
        format!("Dynamic light {id}")
    } else {
        format!("Fast light {id}")
    }
}

fn add_lights(all: &mut HashMap<Item, Found>, level: usize, chunk: usize, data: &ChunkData) {
    let client = data.client.as_ref();
    let mut add = |kind, id, index: usize, flags: u8, color: Option<[u8; 3]>| {
        let light = all
            .entry(Map::light_item(level, kind, id))
            .or_insert_with(|| Found {
                flags,
                color: color.unwrap_or([u8::MAX; 3]),
                chunks: Vec::new(),
            });
        light.chunks.push((chunk, index));
    };
    for (index, light) in data.dynamic_lights.iter().enumerate() {
        let look = client.and_then(|client| client.dynamic_lights.get(index));
        let color = look.map(|look| look.color);
        add(item::DYNAMIC_LIGHT, light.id, index, light.flags, color);
    }
    for (index, light) in data.fast_lights.iter().enumerate() {
        let look = client.and_then(|client| client.fast_lights.get(index));
        let color = look.map(|look| look.color);
        add(item::FAST_LIGHT, light.id, index, light.flags, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pmf::{self, EntityList, NewEntity, StringTableBuilder};
    use crate::scene::level::sample;

    #[test]
    fn lights_are_listed_once_with_what_controls_them() {
        let mut pmf = pmf::synthesize([1, 2, 1], 2, 7);
        let level = &mut pmf.levels[0];
        for chunk in &mut level.chunks {
            let data = chunk.data.as_mut().unwrap();
            data.fast_lights[0].id = 201;
        }
        let mut strings = StringTableBuilder::default();
        let control =
            NewEntity::new(EntityKind::FastLightController, "dimmer").with("light", 201_u64);
        let list = EntityList {
            entities: vec![control],
            ..EntityList::default()
        };
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let map = sample::map(pmf);
        let lights = map.light_list(0);
        let names: Vec<_> = lights.iter().map(|light| light.name.as_str()).collect();
        let dynamic = |chunk: usize| {
            let data = map.pmf().levels[0].chunks[chunk].data.as_ref().unwrap();
            format!("Dynamic light {}", data.dynamic_lights[0].id)
        };
        assert_eq!(names, [&dynamic(0), &dynamic(1), "Fast light 201"]);
        let fast = &lights[2];
        assert_eq!((fast.color, fast.intensity), ([100, 200, 255], 128));
        assert_eq!(fast.note, "2 chunks, controlled by dimmer");
        let boxes = map.lit_boxes(fast.item);
        assert_eq!(boxes.len(), 2);
        let first = map.lit_boxes(lights[0].item);
        assert!(first.len() == 1 && first[0].max.x <= 8.01, "{first:?}");
        let groups = map.item_properties(fast.item);
        let links = groups.iter().flat_map(|group| &group.properties);
        let kinds: Vec<_> = links.filter_map(|p| p.link).map(|link| link.kind).collect();
        assert_eq!(kinds, [item::ENTITY, item::CHUNK, item::CHUNK]);
        // And from what controls it to the light.
        let entity = Item {
            kind: item::ENTITY,
            index: 0,
        };
        let groups = map.item_properties(entity);
        let mut links = groups.iter().flat_map(|group| &group.properties);
        assert!(links.any(|property| property.link == Some(fast.item)));
    }
}
