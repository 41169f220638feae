//! The lights of a level: their names, controllers and lit surfaces.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use crate::describe::table::{
    Field, Table, ValueType, field, flag, integer, section, summary_only,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::Map;
use crate::kinds::level::fields::{LevelAt, MAX_LISTED};
use crate::kinds::level::items::EntityAt;
use crate::kinds::level::lights::{ChunkLight, LightKind};
use crate::{Aabb, LevelItem, Light};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    Chunk, ChunkData, ClientDynamicLight, ClientFastLight, DynamicLight, EntityKind,
};

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

    /// Returns a flag that all chunks share, or else shows the number of chunks in which it is set.
    fn is_set(&self, is_set: impl Fn(ChunkLight) -> bool) -> Value {
        let count = self.chunks.iter().filter(|at| is_set(at.in_file)).count();
        match (count, self.chunks.len()) {
            (0, _) => false.into(),
            (so, all) if so == all => true.into(),
            (so, all) => Value::none(format!("in {so} of {all} chunks")),
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
        integer("Number", "number", |at: &Self| at.id.into()).derived(),
        field("Colour", "color", ValueType::Integers(3), |at: &Self| {
            Value::color(at.found.color)
        })
        .derived(),
        flag("Enabled", "enabled", |at: &Self| {
            at.found.is_set(ChunkLight::is_enabled)
        })
        .derived(),
        flag("Preserved", "preserved", |at: &Self| {
            let preserve = |at: ChunkLight| at.flags & DynamicLight::PRESERVE != 0;
            at.found.is_set(preserve)
        })
        .derived(),
        integer("Initial intensity", "initial_intensity", Self::intensity).derived(),
    ];

    const CONTROLLERS: &'a [Field<Self>] = &[field(
        "Controlled by",
        "controllers",
        ValueType::List(&ValueType::Object(&[
            ("item", ValueType::Text),
            ("name", ValueType::Text),
        ])),
        |at: &Self| {
            let map = at.level.map;
            let controllers = map.controllers(at.item).iter().map(|item| {
                let controller = map.entity_at(*item);
                let name = controller.as_ref().map(|at| at.entity.brief_name());
                let facts = [Fact::new("Item", item.to_string()), Fact::new("Name", name)];
                let title = controller.as_ref().map(EntityAt::title);
                let value = Value::object(facts).shown_as(title.unwrap_or_default());
                value.link(*item)
            });
            Value::list(controllers).showing(MAX_LISTED)
        },
    )
    .derived()];

    const CHUNKS: &'a [Field<Self>] = &[field("Chunk", "chunks", IN_CHUNKS, |at: &Self| {
        at.in_chunks(|chunk| Value::object(chunk.facts()))
    })
    .shown(|at| at.in_chunks(LightIn::shown).showing(MAX_LISTED))
    .compared(|at| at.in_chunks(LightIn::compared))];

    /// Brightness of a fast light when it is on.
    fn intensity(&self) -> Value {
        let all = self.found.chunks.iter().map(|at| at.in_file.full);
        match (all.clone().min(), all.max()) {
            (Some(min), Some(max)) if self.kind == LightKind::Fast && min == max => min.into(),
            (Some(min), Some(max)) if self.kind == LightKind::Fast => {
                Value::none(format!("{min} to {max}, by chunk"))
            }
            _ => Value::absent(),
        }
    }

    /// Lists the records of the chunks.
    fn in_chunks(&self, read: impl Fn(&LightIn<'a>) -> Value) -> Value {
        Value::list(self.found.chunks.iter().filter_map(|at| {
            let chunk = self.level.source.chunks.get(at.chunk)?;
            let data = chunk.data.as_deref()?;
            Some(read(&LightIn {
                of: *self,
                at: *at,
                chunk,
                data,
            }))
        }))
    }
}

/// The record of a light in a chunk.
struct LightIn<'a> {
    of: LightAt<'a>,
    at: InChunk,
    chunk: &'a Chunk,
    data: &'a ChunkData,
}

/// The records of a light.
const IN_CHUNKS: ValueType = ValueType::List(&ValueType::Object(&[
    ("chunk", ValueType::Integers(3)),
    ("flags", ValueType::Integer),
    ("intensity", ValueType::Integer),
    ("color", ValueType::Integers(3)),
    ("lightmaps", ValueType::List(&ValueType::Integer)),
    ("vertices", ValueType::Integer),
    ("ranges", ValueType::Integer),
    ("crc32", ValueType::Integer),
]));

impl<'a> LightIn<'a> {
    fn dynamic(&self) -> Option<&'a ClientDynamicLight> {
        let client = self.data.client.as_ref();
        let client = client.filter(|_| self.of.kind == LightKind::Dynamic);
        client?.dynamic_lights.get(self.at.index)
    }

    fn fast(&self) -> Option<&'a ClientFastLight> {
        let client = self.data.client.as_ref();
        let client = client.filter(|_| self.of.kind == LightKind::Fast);
        client?.fast_lights.get(self.at.index)
    }

    fn facts(&self) -> [Fact; 8] {
        let ChunkLight { flags, full, .. } = self.at.in_file;
        let lightmaps = self
            .dynamic()
            .map(|look| Value::integers(look.layers.iter().map(|layer| layer.lightmap)));
        let extent = self.fast().map(extent);
        [
            Fact::new("Chunk", self.chunk.index.yxz()),
            Fact::new("Flags", flags),
            Fact::new("Intensity", full),
            Fact::new("Color", self.of.kind.color(self.data, self.at.index)),
            Fact::new("Lightmaps", lightmaps),
            Fact::new("Vertices", extent.map(|[vertices, _]| vertices)),
            Fact::new("Ranges", extent.map(|[_, ranges]| ranges)),
            Fact::new("CRC32", self.crc32()),
        ]
    }

    /// Checksum of the light on its surfaces, with the indices of lightmaps or vertices.
    fn crc32(&self) -> u32 {
        let mut bytes = Vec::new();
        for layer in self.dynamic().iter().flat_map(|look| &look.layers) {
            bytes.push(layer.lightmap);
            bytes.extend(&layer.luxels);
        }
        for (range, values) in self.fast().iter().flat_map(|look| look.ranges()) {
            bytes.extend(range.start.to_le_bytes());
            bytes.extend(values);
        }
        crc32fast::hash(&bytes)
    }

    /// Describes the whole record.
    fn compared(&self) -> Value {
        let ChunkLight { flags, full, .. } = self.at.in_file;
        let color = self.of.kind.color(self.data, self.at.index);
        let color = color.map_or_else(String::new, |[r, g, b]| format!(", {r} {g} {b}"));
        let (index, crc32) = (self.chunk.index, self.crc32());
        Value::object(self.facts()).shown_as(format!(
            "{index}: flags {flags:#04x}, intensity {full}{color}, light with the CRC-32 {crc32:08x}"
        ))
    }

    /// Describes the lit surfaces.
    fn shown(&self) -> Value {
        let maps = self.dynamic().map(|look| {
            let maps = look.layers.iter().map(|layer| layer.lightmap.to_string());
            format!("lightmaps {}", maps.collect::<Vec<_>>().join(", "))
        });
        let reach = maps.or_else(|| {
            let [vertices, ranges] = extent(self.fast()?);
            Some(format!(
                "{vertices} vertices in {}",
                counted(ranges, "range")
            ))
        });
        let InChunk { chunk, in_file, .. } = self.at;
        let enabled = if in_file.is_enabled() { "on" } else { "off" };
        let in_chunk = match self.of.kind {
            _ if !self.of.found.differs() => String::new(),
            LightKind::Dynamic => format!(", {enabled}"),
            LightKind::Fast => format!(", {enabled}, intensity {}", in_file.full),
        };
        let text = format!(
            "{}: {}{in_chunk}",
            self.chunk.index,
            reach.unwrap_or_default()
        );
        Value::from(text).link(LevelItem::chunk(self.of.level.number, chunk))
    }
}

/// Numbers of lit vertices and of their ranges.
fn extent(look: &ClientFastLight) -> [usize; 2] {
    let vertices = look.ranges().map(|(range, _)| range.len());
    [vertices.sum(), look.ranges().count()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use crate::kinds::level::tint::Tint;
    use crate::{Item, Owner, Playhead, Shown};
    use mapscope_formats::pmf::{EntityList, NewEntity, StringTableBuilder};
    use serde_json::json;

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
        let groups = (&map as &dyn crate::Document).properties(fast.item, Playhead::default());
        let links = groups.iter().flat_map(|group| &group.properties);
        let kinds: Vec<_> = links.filter_map(|p| p.link).map(Item::kind).collect();
        assert_eq!(kinds, ["entity", "chunk", "chunk"]);
        let details = (&map as &dyn crate::Document).details(fast.item, Playhead::default());
        assert_eq!(details["light"]["color"], json!([100, 200, 255]));
        assert_eq!(
            details["controllers"]["controllers"],
            json!([{"item": "entity map 0", "name": "dimmer"}])
        );
        // The controller links back to the light.
        let owner = Owner::Map;
        let groups = (&map as &dyn crate::Document).properties(
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
        let groups = (&map as &dyn crate::Document).properties(light.item, Playhead::default());
        let all: Vec<_> = groups.iter().flat_map(|group| &group.properties).collect();
        let value = |name: &str| {
            let found = all.iter().find(|property| property.name == name);
            found.unwrap().value.as_str()
        };
        assert_eq!(value("Enabled"), "in 2 of 3 chunks");
        assert_eq!(value("Preserved"), "in 1 of 3 chunks");
        assert_eq!(value("Initial intensity"), "77 to 99, by chunk");
        let details = (&map as &dyn crate::Document).details(light.item, Playhead::default());
        let unlike = ["enabled", "preserved", "initial_intensity"];
        assert!(unlike.iter().all(|key| details["light"][key].is_null()));
        let records = details["chunks"]["chunks"].as_array().unwrap();
        let record = |of: &serde_json::Value| json!([of["chunk"], of["flags"], of["intensity"]]);
        assert_eq!(
            records.iter().map(record).collect::<Vec<_>>(),
            [
                json!([[0, 0, 0], 0, 77]),
                json!([[0, 1, 0], 1, 99]),
                json!([[0, 2, 0], 3, 99]),
            ]
        );
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
