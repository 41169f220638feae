//! The lights of a level: their names, controllers and lit surfaces.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::describe::fields::{Field, Table, Value, field, section, summary_only};
use crate::kinds::level::Map;
use crate::kinds::level::fields::{LevelAt, MAX_LISTED};
use crate::kinds::level::items::EntityAt;
use crate::kinds::level::lights::{ChunkLight, LightKind};
use crate::{Aabb, LevelItem, Light};
use mapscope_formats::counted;
use mapscope_formats::pmf::{DynamicLight, EntityKind};

/// The lights of all levels, collected on first use.
#[derive(Debug, Default)]
pub(in crate::kinds::level) struct LightList {
    found: OnceLock<HashMap<LevelItem, Found>>,
    /// Entities that control a light, by its kind and number.
    controllers: OnceLock<HashMap<(LightKind, u32), Vec<LevelItem>>>,
}

/// A light of a level. The same number in several chunks is one light.
#[derive(Debug)]
struct Found {
    color: [u8; 3],
    chunks: Vec<InChunk>,
}

/// A light in a chunk.
#[derive(Debug, Clone, Copy)]
struct InChunk {
    /// Number of the chunk in the level.
    chunk: usize,
    /// Index of the light in the chunk.
    index: usize,
    in_file: ChunkLight,
}

impl Found {
    /// Returns the record of the first chunk.
    fn first(&self) -> Option<ChunkLight> {
        Some(self.chunks.first()?.in_file)
    }

    /// `true` if chunks have different records of it.
    fn differs(&self) -> bool {
        let first = self.first();
        self.chunks.iter().any(|at| Some(at.in_file) != first)
    }

    /// Describes a flag over all chunks: `yes`, `no`, or the number of chunks in which it is set.
    fn is_set(&self, is_set: impl Fn(ChunkLight) -> bool) -> String {
        let count = self.chunks.iter().filter(|at| is_set(at.in_file)).count();
        match (count, self.chunks.len()) {
            (0, _) => "no".to_owned(),
            (so, all) if so == all => "yes".to_owned(),
            (so, all) => format!("in {so} of {all} chunks"),
        }
    }
}

impl Map {
    fn found_lights(&self) -> &HashMap<LevelItem, Found> {
        self.light_list.found.get_or_init(|| {
            let mut found: HashMap<_, Found> = HashMap::new();
            let chunks = (0..self.pmf.levels.len()).flat_map(|level| self.chunks_of(level));
            for (at, data) in chunks.filter_map(|at| Some((at, at.data()?))) {
                for kind in LightKind::ALL {
                    for (index, in_file) in kind.lights(data).into_iter().enumerate() {
                        let light = in_file.item(at.level_number);
                        let light = found.entry(light).or_insert_with(|| Found {
                            color: kind.color(data, index).unwrap_or([u8::MAX; 3]),
                            chunks: Vec::new(),
                        });
                        light.chunks.push(InChunk {
                            chunk: at.number,
                            index,
                            in_file,
                        });
                    }
                }
            }
            found
        })
    }

    /// Finds the light with a kind and a number in the map: that of the given level, or else of the
    /// first level that has it.
    pub(in crate::kinds::level) fn light_with_id(
        &self,
        kind: LightKind,
        level: usize,
        id: u32,
    ) -> Option<LevelItem> {
        let levels = [level].into_iter().chain(0..self.pmf.levels.len());
        let mut items = levels.map(|level| kind.item(level, id));
        items.find(|item| self.found_lights().contains_key(item))
    }

    /// Returns the entities that control a light.
    fn controllers(&self, light: LevelItem) -> &[LevelItem] {
        let all = self.light_list.controllers.get_or_init(|| {
            let mut all: HashMap<_, Vec<LevelItem>> = HashMap::new();
            for (kind, entities) in self.entities_of_all() {
                let controlled = match kind {
                    EntityKind::DynamicLightController => LightKind::Dynamic,
                    EntityKind::FastLightController => LightKind::Fast,
                    _ => continue,
                };
                for item in entities {
                    let entity = self.entity_at(*item);
                    let id = entity.and_then(|at| at.entity.value("light")?.number());
                    if let Some(id) = id {
                        let of_light = all.entry((controlled, id as u32));
                        of_light.or_default().push(*item);
                    }
                }
            }
            all
        });
        let of_light = LightKind::of_item(light).and_then(|(kind, _, id)| all.get(&(kind, id)));
        of_light.map_or(&[], Vec::as_slice)
    }

    /// Returns the lights of a level: dynamic ones first, each kind in ascending order of number.
    pub(in crate::kinds::level) fn light_list(&self, level: usize) -> Vec<Light> {
        let all = self.found_lights().iter();
        let of_level: BTreeMap<_, (LevelItem, &Found)> = all
            .filter_map(|(item, found)| {
                let (kind, of, id) = LightKind::of_item(*item)?;
                (of == level).then_some(((kind, id), (*item, found)))
            })
            .collect();
        let lights = of_level.into_values().map(|(light, found)| {
            let first = found.first();
            Light {
                item: light.into(),
                name: self.light_name(light),
                note: self.light_note(light, found),
                color: found.color,
                intensity: first.map_or(0, ChunkLight::intensity),
                // A light with full brightness 0 would not be visible when switched on.
                full: match first.map_or(0, |first| first.full) {
                    0 => u8::MAX,
                    full => full,
                },
            }
        });
        lights.collect()
    }

    /// Returns the display name of a light: that of the entity that controls it, or else its
    /// number.
    pub(in crate::kinds::level) fn light_name(&self, light: LevelItem) -> String {
        let Some((kind, _, id)) = LightKind::of_item(light) else {
            return String::new();
        };
        match (self.controller_name(light), kind) {
            (Some(name), _) => format!("{name} ({} {id})", light.kind()),
            (None, LightKind::Dynamic) => format!("Dynamic light {id}"),
            (None, LightKind::Fast) => format!("Fast light {id}"),
        }
    }

    /// Returns the name of the first named entity that controls a light.
    fn controller_name(&self, light: LevelItem) -> Option<String> {
        let controllers = self.controllers(light).iter();
        let mut names = controllers
            .filter_map(|item| Some(self.entity_at(*item)?.entity.brief_name().into_owned()));
        names.find(|name| !name.is_empty())
    }

    /// Describes the controller of a light and its chunks.
    fn light_note(&self, light: LevelItem, found: &Found) -> String {
        let chunks = counted(found.chunks.len(), "chunk");
        let differ = if found.differs() {
            ", which differ"
        } else {
            ""
        };
        let name = self.controller_name(light);
        let name = name.as_deref().unwrap_or("an entity without name");
        match self.controllers(light).len() {
            0 => format!("{chunks}{differ}"),
            1 => format!("{chunks}{differ}, controlled by {name}"),
            count => format!(
                "{chunks}{differ}, controlled by {name} and {} more",
                count - 1
            ),
        }
    }

    /// Returns a light of a level by its item.
    pub(in crate::kinds::level) fn light_at(&self, item: LevelItem) -> Option<LightAt<'_>> {
        let found = self.found_lights().get(&item)?;
        let (kind, level, id) = LightKind::of_item(item)?;
        let level = self.level_at(level)?;
        Some(LightAt {
            level,
            item,
            kind,
            id,
            found,
        })
    }

    /// Returns the bounds of the lit surfaces in each chunk, in world space.
    pub(in crate::kinds::level) fn lit_boxes(&self, light: LevelItem) -> Vec<Aabb> {
        let found = self.found_lights().get(&light);
        let Some((found, (kind, number, _))) = found.zip(LightKind::of_item(light)) else {
            return Vec::new();
        };
        let Some(level) = self.levels.get(number) else {
            return Vec::new();
        };
        let boxes = found.chunks.iter().filter_map(|at| {
            let mesh = level.mesh(at.chunk)?;
            let data = self.chunk_data(number, at.chunk)?;
            let client = data.client.as_ref()?;
            let mut points = Vec::new();
            if kind == LightKind::Dynamic {
                let layers = &client.dynamic_lights.get(at.index)?.layers;
                let is_lit = |lightmap| layers.iter().any(|layer| layer.lightmap == lightmap);
                for (face, lightmap) in mesh.faces_with_lightmaps(data) {
                    if is_lit(lightmap) {
                        points.extend(mesh.triangles(face).flatten());
                    }
                }
            } else {
                let ranges: Vec<_> = client.fast_lights.get(at.index)?.ranges().collect();
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

/// A light of a level.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct LightAt<'a> {
    level: LevelAt<'a>,
    item: LevelItem,
    kind: LightKind,
    id: u32,
    found: &'a Found,
}

impl<'a> LightAt<'a> {
    /// The fields of a light.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Light", Self::LIGHT),
            section("Controllers", Self::CONTROLLERS),
            section("Chunks", Self::CHUNKS),
        ],
    };

    const LIGHT: &'a [Field<Self>] = &[
        summary_only("Light", |at| at.level.map.light_name(at.item).into()),
        summary_only("Chunks", |at| at.found.chunks.len().into()),
        field("Number", |at: &Self| at.id.into()).derived(),
        field("Colour", |at: &Self| Value::color(at.found.color)).derived(),
        field("Enabled", |at: &Self| {
            at.found.is_set(ChunkLight::is_enabled).into()
        })
        .derived(),
        field("Preserved", |at: &Self| {
            let preserve = |at: ChunkLight| at.flags & DynamicLight::PRESERVE != 0;
            at.found.is_set(preserve).into()
        })
        .derived(),
        field("Initial intensity", |at: &Self| at.intensity().into()).derived(),
    ];

    const CONTROLLERS: &'a [Field<Self>] = &[field("Controlled by", |at: &Self| {
        let map = at.level.map;
        let controllers = map.controllers(at.item).iter().map(|item| {
            let title = map.entity_at(*item).as_ref().map(EntityAt::title);
            Value::from(title.unwrap_or_default()).link(*item)
        });
        Value::list_up_to(MAX_LISTED, controllers)
    })
    .derived()];

    const CHUNKS: &'a [Field<Self>] = &[field("Chunk", |at: &Self| {
        let chunks = at.found.chunks.iter();
        Value::list_up_to(MAX_LISTED, chunks.map(|chunk| at.chunk(chunk)))
    })
    .own(LightAt::own_chunks)];

    /// Brightness of a fast light when it is on.
    fn intensity(&self) -> Option<String> {
        let all = self.found.chunks.iter().map(|at| at.in_file.full);
        let (min, max) = (all.clone().min()?, all.max()?);
        let text = if min == max {
            min.to_string()
        } else {
            format!("{min} to {max}, by chunk")
        };
        Some(text).filter(|_| self.kind == LightKind::Fast)
    }

    /// Lists the record of each chunk.
    fn own_chunks(&self) -> Value {
        Value::list(self.found.chunks.iter().filter_map(|at| {
            let chunk = self.level.source.chunks.get(at.chunk)?;
            let data = chunk.data.as_deref()?;
            let ChunkLight { flags, full, .. } = at.in_file;
            let color = self
                .kind
                .color(data, at.index)
                .map(|[r, g, b]| format!(", {r} {g} {b}"));
            // The lit surfaces, as indices of lightmaps or vertices.
            let mut bytes = Vec::new();
            let client = data.client.as_ref();
            match self.kind {
                LightKind::Dynamic => {
                    let look = client.and_then(|client| client.dynamic_lights.get(at.index));
                    for layer in look.iter().flat_map(|look| &look.layers) {
                        bytes.push(layer.lightmap);
                        bytes.extend(&layer.luxels);
                    }
                }
                LightKind::Fast => {
                    let look = client.and_then(|client| client.fast_lights.get(at.index));
                    for (range, values) in look.iter().flat_map(|look| look.ranges()) {
                        bytes.extend(range.start.to_le_bytes());
                        bytes.extend(values);
                    }
                }
            }
            let crc32 = crc32fast::hash(&bytes);
            let (index, color) = (chunk.index, color.unwrap_or_default());
            Some(Value::from(format!(
                "{index}: flags {flags:#04x}, intensity {full}{color}, light with the CRC-32 \
                 {crc32:08x}"
            )))
        }))
    }

    /// Describes the lit surfaces in a chunk.
    fn chunk(&self, at: &InChunk) -> Option<Value> {
        let chunk = self.level.source.chunks.get(at.chunk)?;
        let client = chunk.data.as_deref().and_then(|data| data.client.as_ref());
        let reach = client.and_then(|client| match self.kind {
            LightKind::Dynamic => {
                let look = client.dynamic_lights.get(at.index)?;
                let maps: Vec<String> = look
                    .layers
                    .iter()
                    .map(|layer| layer.lightmap.to_string())
                    .collect();
                Some(format!("lightmaps {}", maps.join(", ")))
            }
            LightKind::Fast => {
                let look = client.fast_lights.get(at.index)?;
                let vertices: usize = look.ranges().map(|(range, _)| range.len()).sum();
                let ranges = counted(look.ranges().count(), "range");
                Some(format!("{vertices} vertices in {ranges}"))
            }
        });
        let enabled = if at.in_file.is_enabled() { "on" } else { "off" };
        let in_chunk = match self.kind {
            _ if !self.found.differs() => String::new(),
            LightKind::Dynamic => format!(", {enabled}"),
            LightKind::Fast => format!(", {enabled}, intensity {}", at.in_file.full),
        };
        let text = format!("{}: {}{in_chunk}", chunk.index, reach.unwrap_or_default());
        Some(Value::from(text).link(LevelItem::chunk(self.level.number, at.chunk)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use crate::kinds::level::tint::Tint;
    use crate::{Document as _, Item, Owner, Playhead, Shown};
    use mapscope_formats::pmf::{EntityList, NewEntity, StringTableBuilder};

    #[test]
    fn lights_are_listed_once_with_what_controls_them() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 2, 7);
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
        assert_eq!(names, [&dynamic(0), &dynamic(1), "dimmer (fast light 201)"]);
        let fast = &lights[2];
        assert_eq!((fast.color, fast.intensity), ([100, 200, 255], 128));
        assert_eq!(fast.note, "2 chunks, controlled by dimmer");
        let lit = |light: &Light| {
            let Item::Level(light) = light.item else {
                panic!("{light:?}");
            };
            map.lit_boxes(light)
        };
        let boxes = lit(fast);
        assert_eq!(boxes.len(), 2);
        let first = lit(&lights[0]);
        assert!(first.len() == 1 && first[0].max.x <= 8.01, "{first:?}");
        let groups = map.properties(fast.item, Playhead::default());
        let links = groups.iter().flat_map(|group| &group.properties);
        let kinds: Vec<_> = links.filter_map(|p| p.link).map(Item::kind).collect();
        assert_eq!(kinds, ["entity", "chunk", "chunk"]);
        // The controller links back to the light.
        let owner = Owner::Map;
        let groups = map.properties(
            LevelItem::Entity { owner, index: 0 }.into(),
            Playhead::default(),
        );
        let mut links = groups.iter().flat_map(|group| &group.properties);
        assert!(links.any(|property| property.link == Some(fast.item)));
    }

    #[test]
    fn what_chunks_have_differently_is_said() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 3, 1], 3, 7);
        let records = [(0, 77), (1, 99), (3, 99)];
        for (chunk, (flags, intensity)) in pmf.levels[0].chunks.iter_mut().zip(records) {
            let light = &mut chunk.data.as_mut().unwrap().fast_lights[0];
            (light.id, light.flags, light.intensity) = (9, flags, intensity);
        }
        let map = sample::map(pmf);
        let light = map.light_list(0).pop().unwrap();
        assert_eq!(light.name, "Fast light 9");
        assert_eq!(light.note, "3 chunks, which differ");
        // Initially off, with the stored brightness once it is on.
        assert_eq!((light.intensity, light.full), (0, 77));
        let groups = map.properties(light.item, Playhead::default());
        let all: Vec<_> = groups.iter().flat_map(|group| &group.properties).collect();
        let value = |name: &str| {
            let found = all.iter().find(|property| property.name == name);
            found.unwrap().value.as_str()
        };
        assert_eq!(value("Enabled"), "in 2 of 3 chunks");
        assert_eq!(value("Preserved"), "in 1 of 3 chunks");
        assert_eq!(value("Initial intensity"), "77 to 99, by chunk");
        let chunks: Vec<_> = all.iter().filter(|p| p.name == "Chunk").collect();
        assert!(
            chunks[0].value.ends_with(", off, intensity 77"),
            "{chunks:?}"
        );
        assert!(
            chunks[2].value.ends_with(", on, intensity 99"),
            "{chunks:?}"
        );
        // Each chunk is drawn with its own record.
        let lit: Vec<Option<u8>> = (map.levels()[0].chunks.iter())
            .map(|mesh| match map.tint(&Shown::default(), 0, mesh) {
                Tint::Same(_) => None,
                Tint::Each(tints) => tints.iter().map(|tint| tint[2]).max(),
            })
            .collect();
        assert!(
            lit[0].is_none() && lit[1] > Some(0) && lit[2] > Some(0),
            "{lit:?}"
        );
    }
}
