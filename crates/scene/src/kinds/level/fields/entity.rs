//! Descriptions and positions of entities.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use glam::{EulerRot, Quat, Vec3};

use crate::describe::lines::box_edges;
use crate::describe::own::{key_of, long_text};
use crate::describe::table::{
    Field, INTEGERS, TEXTS, Table, ValueType, facts, field, integer, place, section, shown_only,
    text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::Map;
use crate::kinds::level::fields::{MAX_BYTES, hex, in_server_section};
use crate::kinds::level::items::EntityAt;
use crate::kinds::level::lights::LightKind;
use crate::kinds::level::signals::Signals;
use crate::{Aabb, Item, LevelItem, Owner, Shown, Spawn, Swatch};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    self, Entity, EntityKind, FieldKind, FieldValue, PropertyValues, Unit,
};

/// Maximum number of listed properties of an entity, and of listed values of each.
const MAX_PROPERTIES: usize = 256;
const MAX_VALUES: usize = 64;
/// Maximum number of values of all properties of an entity in JSON. Properties can share long lists.
const MAX_ALL_VALUES: usize = 1 << 20;
/// Parts of the names that mappers give to player starts.
const SPAWN_NAMES: [&str; 4] = ["spawn", "player_start", "player start", "playerstart"];
/// Number of lines in a circle.
const CIRCLE_SEGMENTS: usize = 24;

/// An entity with a position.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct Marker {
    pub(in crate::kinds::level) item: LevelItem,
    pub(in crate::kinds::level) kind: EntityKind,
    /// Gamemodes that it belongs to, as a bit mask.
    gamemodes: u32,
    /// Position in world space.
    pub(in crate::kinds::level) place: Vec3,
}

/// An entity of a map that has a position.
#[derive(Debug, Clone)]
pub struct PlacedEntity {
    /// Level that owns it, directly or through a chunk, or `None` for an entity of the whole map.
    pub level: Option<usize>,
    /// Type and name.
    pub title: String,
    /// Type.
    pub kind: &'static str,
    /// Position in world space.
    pub place: Vec3,
    /// Rotation.
    pub rotation: Quat,
}

/// Index of the entities, built on first use.
#[derive(Debug, Default)]
pub(in crate::kinds::level) struct EntityIndex {
    /// Entities of the map, then of each level with its chunks.
    parts: OnceLock<Vec<Part>>,
    pub(in crate::kinds::level) signals: OnceLock<Signals>,
}

/// The entities of the map, or of a level with its chunks.
#[derive(Debug, Default)]
struct Part {
    /// Entities with a position.
    markers: Vec<Marker>,
    by_kind: BTreeMap<EntityKind, Vec<LevelItem>>,
    /// Number of entities of each gamemode, by its bit.
    in_gamemodes: [usize; 32],
}

impl EntityAt<'_> {
    /// Origin of its coordinates, in world space.
    fn origin(&self) -> Vec3 {
        self.chunk.map_or(Vec3::ZERO, |at| at.center())
    }

    /// Returns its position in world space, or `None` if it has none.
    pub(in crate::kinds::level) fn place(&self) -> Option<Vec3> {
        let place = Vec3::from(self.entity.position()?) + self.origin();
        place.is_finite().then_some(place)
    }

    /// Returns lines in world space along the volume that it occupies or reaches.
    pub(in crate::kinds::level) fn shape(&self) -> Vec<[Vec3; 2]> {
        let Some(place) = self.place() else {
            return Vec::new();
        };
        let entity = &self.entity;
        let vector = |name| entity.vector(name).map(Vec3::from);
        let number = |name| entity.value(name)?.number();
        // Around the position of entities that have a range.
        let reach = || {
            let range = entity.value("range");
            let range = range.and_then(|range| range.floats()?.first().copied());
            range
                .into_iter()
                .flat_map(|range| ellipsoid(place, Vec3::splat(range)))
        };
        let rotation = rotation(entity.rotation_degrees().unwrap_or_default());
        let scale = vector("scale").unwrap_or(Vec3::ONE);
        let turned = |offset: Vec3| place + rotation * (scale * offset);
        // The axes of this box are those of the level.
        let upright = |half: Vec3| box_edges(&Aabb::centered(place, half).corners());
        let mut lines = Vec::new();
        if let Some([min, max]) = entity.bounds() {
            let [min, max] = [min, max].map(Vec3::from);
            let corners = Aabb { min, max }.corners();
            lines.extend(box_edges(&corners.map(turned)));
        }
        match entity.kind() {
            EntityKind::Intersectable if number("kind") != Some(2) => {
                let radius = vector("shape").into_iter();
                match number("kind") {
                    Some(1) => {
                        let ends = radius.flat_map(|radius| ellipsoid(Vec3::ZERO, radius));
                        lines.extend(ends.map(|ends| ends.map(turned)));
                    }
                    _ => lines.extend(radius.flat_map(upright)),
                }
            }
            EntityKind::Light => {
                lines.extend(reach());
                let size = vector("size").filter(|_| number("kind") == Some(2));
                lines.extend(size.into_iter().flat_map(|size| upright(size * 0.5)));
            }
            EntityKind::Push | EntityKind::AudioEmitter => {
                let radius = vector("radius").into_iter();
                // Bit 0x08: the radius is half the size of a box.
                if number("flags").is_some_and(|flags| flags & 0x08 != 0) {
                    lines.extend(radius.flat_map(upright));
                } else {
                    lines.extend(radius.flat_map(|radius| ellipsoid(place, radius)));
                }
                if entity.kind() == EntityKind::AudioEmitter {
                    lines.extend(reach());
                }
            }
            EntityKind::Beam => {
                lines.extend(vector("tail position").map(|tail| [place, tail + self.origin()]));
            }
            EntityKind::Decal => {
                lines.extend(vector("spray direction").map(|way| [place, place + way]));
            }
            EntityKind::Glow => {
                let offsets = entity.value("corner offsets");
                let offsets = offsets.as_ref().and_then(|offsets| offsets.floats());
                let (offsets, _) = offsets.unwrap_or_default().as_chunks::<3>();
                // Top left, top right, bottom left, bottom right.
                if let [a, b, c, d] = *offsets {
                    let [a, b, c, d] = [a, b, c, d].map(|offset| Vec3::from(offset) + place);
                    lines.extend([[a, b], [b, d], [d, c], [c, a]]);
                }
            }
            _ => {
                if let Some(corners) = entity.corners() {
                    lines.extend(box_edges(&corners.map(|corner| turned(corner.into()))));
                }
                if let Some(open) = vector("open position") {
                    lines.push([place, open + self.origin()]);
                }
            }
        }
        lines.retain(|ends| ends.iter().all(|end| end.is_finite()));
        lines
    }

    /// Returns its display title: type and name.
    pub(in crate::kinds::level) fn title(&self) -> String {
        let name = self.entity.brief_name();
        let kind = self.entity.kind().name();
        if name.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind} {name}")
        }
    }
}

/// Converts degrees about X, Y and Z to a rotation.
///
/// The documents do not specify the order. It matches the camera of the engine:
///
/// 1. About Z, which turns up to the right.
/// 2. About X, which turns ahead to up.
/// 3. About Y, which turns ahead to the right.
fn rotation(degrees: [f32; 3]) -> Quat {
    let [x, y, z] = degrees.map(f32::to_radians);
    Quat::from_euler(EulerRot::YXZ, y, -x, -z)
}

/// Returns three circles around a position.
fn ellipsoid(place: Vec3, radius: Vec3) -> impl Iterator<Item = [Vec3; 2]> {
    let planes = [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]];
    planes.into_iter().flat_map(move |[a, b]| {
        let at = move |i: usize| {
            let (sin, cos) = (i as f32 / CIRCLE_SEGMENTS as f32 * std::f32::consts::TAU).sin_cos();
            place + radius * (a * cos + b * sin)
        };
        (0..CIRCLE_SEGMENTS).map(move |i| [at(i), at(i + 1)])
    })
}

impl Map {
    fn entity_parts(&self) -> &[Part] {
        self.entities.parts.get_or_init(|| {
            let mut parts = Vec::new();
            parts.resize_with(1 + self.pmf.levels.len(), Part::default);
            for list in self.owners().filter_map(|owner| self.entity_list(owner)) {
                let part = list.owner.in_level().map_or(0, |level| 1 + level);
                let Some(part) = parts.get_mut(part) else {
                    continue;
                };
                for at in list.iter() {
                    let (item, kind) = (at.item(), at.entity.kind());
                    part.by_kind.entry(kind).or_default().push(item);
                    let gamemodes = at.entity.gamemodes();
                    for (bit, count) in part.in_gamemodes.iter_mut().enumerate() {
                        *count += (gamemodes >> bit & 1) as usize;
                    }
                    part.markers.extend(at.place().map(|place| Marker {
                        item,
                        kind,
                        gamemodes,
                        place,
                    }));
                }
            }
            parts
        })
    }

    /// Returns all entities with a position: those of the map, then those of each level with its
    /// chunks.
    pub fn placed_entities(&self) -> Vec<PlacedEntity> {
        let lists = self.owners().filter_map(|owner| self.entity_list(owner));
        let placed = lists.flat_map(|list| {
            let level = list.owner.in_level();
            list.iter().filter_map(move |at| {
                let rotation = rotation(at.entity.rotation_degrees().unwrap_or_default());
                Some(PlacedEntity {
                    level,
                    title: at.title(),
                    kind: at.entity.kind().name(),
                    place: at.place()?,
                    rotation: if rotation.is_finite() {
                        rotation
                    } else {
                        Quat::IDENTITY
                    },
                })
            })
        });
        placed.collect()
    }

    /// `true` if some entities have no position.
    pub fn has_entities_without_place(&self) -> bool {
        self.entity_parts().iter().any(|part| {
            let all: usize = part.by_kind.values().map(Vec::len).sum();
            all > part.markers.len()
        })
    }

    /// Returns the entities with a position that are shown with a level: its own and those of the
    /// map.
    pub(in crate::kinds::level) fn markers(&self, level: usize) -> impl Iterator<Item = &Marker> {
        let parts = [0, 1 + level].into_iter();
        let parts = parts.filter_map(|part| self.entity_parts().get(part));
        parts.flat_map(|part| &part.markers)
    }

    /// Returns the visible entities of [`Map::markers`]: those whose type is not hidden, and whose
    /// gamemodes are not all hidden.
    pub(in crate::kinds::level) fn shown_markers(
        &self,
        shown: &Shown,
    ) -> impl Iterator<Item = &Marker> {
        let count = self.pmf.header.gamemodes.len().min(32) as u32;
        // Bits without a name have no meaning (fact sheet B29).
        let known = u32::MAX.checked_shr(32 - count).unwrap_or(0);
        let mut hidden = 0;
        let mut kinds = Vec::new();
        for item in &shown.hidden {
            match *item {
                Item::Level(LevelItem::Gamemode { index }) => {
                    hidden |= 1_u32.checked_shl(index).unwrap_or(0);
                }
                Item::Level(LevelItem::EntityType { entity_type }) => kinds.push(entity_type),
                _ => {}
            }
        }
        self.markers(shown.level).filter(move |marker| {
            let modes = marker.gamemodes & known;
            (modes == 0 || modes & !hidden != 0) && !kinds.contains(&marker.kind.number().into())
        })
    }

    /// Number of entities in a gamemode.
    pub(in crate::kinds::level) fn entities_in(&self, gamemode: usize) -> usize {
        let counts = self.entity_parts().iter();
        let counts = counts.filter_map(|part| part.in_gamemodes.get(gamemode));
        counts.sum()
    }

    /// Number of entities in a gamemode that have a position.
    fn entities_with_place_in(&self, gamemode: usize) -> usize {
        let markers = self.entity_parts().iter().flat_map(|part| &part.markers);
        let bit = 1_u32.checked_shl(gamemode as u32).unwrap_or(0);
        markers.filter(|marker| marker.gamemodes & bit != 0).count()
    }

    /// Returns the entities of the map, or of a level with its chunks, grouped by type.
    pub(in crate::kinds::level) fn entities_by_kind(
        &self,
        level: Option<usize>,
    ) -> impl Iterator<Item = (&EntityKind, &Vec<LevelItem>)> {
        let part = level.map_or(0, |level| 1 + level);
        let part = self.entity_parts().get(part).into_iter();
        part.flat_map(|part| &part.by_kind)
    }

    /// Returns all entities grouped by type: first those of the map, then those of each level with
    /// its chunks.
    pub(in crate::kinds::level) fn entities_of_all(
        &self,
    ) -> impl Iterator<Item = (&EntityKind, &Vec<LevelItem>)> {
        self.entity_parts().iter().flat_map(|part| &part.by_kind)
    }

    /// Finds the player start of a level. The format has no entity type for it: the first entity
    /// with a position and a matching name is used, such as `player_start` or `spawn 1`.
    pub(in crate::kinds::level) fn player_start(&self, level: usize) -> Option<Spawn> {
        self.markers(level).find_map(|marker| {
            let at = self.entity_at(marker.item)?;
            let name = at.entity.brief_name().to_lowercase();
            if !SPAWN_NAMES.iter().any(|known| name.contains(known)) {
                return None;
            }
            let [_, yaw, _] = at.entity.rotation_degrees().unwrap_or_default();
            Some(Spawn {
                place: marker.place,
                ahead: rotation([0.0, yaw, 0.0]) * Vec3::Z,
            })
        })
    }

    /// Half the length of an entity marker, in metres.
    pub(in crate::kinds::level) fn marker_half(&self, level: Option<usize>) -> f32 {
        let level = self.pmf.levels.get(level.unwrap_or(0));
        let side = level.map_or(16.0, pmf::Level::chunk_side);
        (side / 64.0).clamp(0.02, 0.3)
    }

    /// Returns the bounds of an entity in world space, including the volume that it reaches.
    pub(in crate::kinds::level) fn entity_bounds(&self, item: LevelItem) -> Option<Aabb> {
        let at = self.entity_at(item)?;
        let place = at.place()?;
        let half = Vec3::splat(self.marker_half(Self::level_of_item(item)));
        let ends = at.shape().into_iter().flatten();
        Aabb::around(ends.chain([place - half, place + half]))
    }

    /// Returns the outline of an entity.
    pub(in crate::kinds::level) fn entity_contour(&self, item: LevelItem) -> Vec<[Vec3; 2]> {
        let Some(at) = self.entity_at(item) else {
            return Vec::new();
        };
        let half = Vec3::splat(self.marker_half(Self::level_of_item(item)));
        let marker = at
            .place()
            .map(|place| Aabb::centered(place, half).corners());
        let marker = marker.iter().flat_map(box_edges);
        marker.chain(at.shape()).collect()
    }

    /// Returns an entity type by its number in files.
    pub(in crate::kinds::level) fn entity_type_at(
        &self,
        entity_type: u32,
    ) -> Option<EntityTypeAt<'_>> {
        let kind = EntityKind::from_number(u8::try_from(entity_type).ok()?)?;
        Some(EntityTypeAt { map: self, kind })
    }

    /// Returns a gamemode by its index.
    pub(in crate::kinds::level) fn gamemode_at(&self, number: usize) -> Option<GamemodeAt<'_>> {
        let name = self.pmf.header.gamemodes.get(number)?;
        Some(GamemodeAt {
            map: self,
            number,
            name,
        })
    }
}

/// A gamemode of the map.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct GamemodeAt<'a> {
    map: &'a Map,
    number: usize,
    name: &'a str,
}

impl<'a> GamemodeAt<'a> {
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[section("Gamemode", Self::GAMEMODE)],
    };

    const GAMEMODE: &'a [Field<Self>] = &[
        text("Name", "name", |at: &Self| at.name.into()).in_summary_as("Gamemode"),
        integer("Number", "number", |at| at.number.into()),
        integer("Bit", "bit", |at| Value::hex(1_u64 << at.number, 1)),
        integer("Entities", "entities", |at: &Self| {
            at.map.entities_in(at.number).into()
        })
        .note(|at| Value::count(at.map.entities_in(at.number), "entity")),
        integer("With a place", "entities_with_place", |at: &Self| {
            at.map.entities_with_place_in(at.number).into()
        }),
    ];
}

/// An entity type.
#[derive(Debug, Clone, Copy)]
pub(in crate::kinds::level) struct EntityTypeAt<'a> {
    map: &'a Map,
    kind: EntityKind,
}

impl<'a> EntityTypeAt<'a> {
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Entity type", Self::TYPE),
            section("Fields", Self::OWN),
        ],
    };

    const TYPE: &'a [Field<Self>] = &[
        text("Type", "type", |at: &Self| name_of(at.kind)).in_summary(),
        integer("Number", "number", |at| at.kind.number().into()),
        integer("Bytes", "bytes", |at| at.kind.body_bytes().into()),
        integer("Of the map", "of_the_map", |at| at.count(None).into()),
        field("Of a level", "of_levels", INTEGERS, |at| {
            let levels = (0..at.map.pmf.levels.len()).map(|level| {
                let count = at.count(Some(level));
                let value = Value::from(count).shown_as(format!("{level}: {count}"));
                value.link(LevelItem::level(level))
            });
            Value::list(levels)
        }),
    ];

    const OWN: &'a [Field<Self>] = &[facts(|at| {
        Value::object(at.kind.fields().iter().map(|field| {
            let (offset, length) = (usize::from(field.offset), field.kind.bytes());
            let text = format!("at {offset}, {}", counted(length, "byte"));
            let place = Value::bytes_at(offset, length).shown_as(text);
            Fact::new(field.name, place).keyed(key(field))
        }))
    })];

    /// Number of such entities in the map, or in a level with its chunks.
    fn count(&self, level: Option<usize>) -> usize {
        let mut kinds = self.map.entities_by_kind(level);
        let found = kinds.find(|(of, _)| **of == self.kind);
        found.map_or(0, |(_, items)| items.len())
    }
}

impl<'a> EntityAt<'a> {
    /// The fields of any entity. Type-specific fields are in the table of its type
    /// ([`EntityKind::fields`]).
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Entity", Self::ENTITY),
            section("Fields", Self::OWN),
            section("Signals", Self::SIGNALS),
            section("Properties", Self::PROPERTIES),
            section("Bytes", Self::BYTES),
        ],
    };

    const ENTITY: &'a [Field<Self>] = &[
        text("Type", "type", |at: &Self| {
            let kind = at.entity.kind();
            name_of(kind).link(LevelItem::entity_type(kind))
        })
        .summary("Entity", |at| at.title().into()),
        text("Name", "name", |at: &Self| at.entity.brief_name().into())
            .compared(|at| long_text(at.entity.name().into_owned()).into()),
        shown_only("Belongs to", |at: &Self| match (at.owner, at.chunk) {
            (Owner::Level { level }, _) => {
                Value::from(format!("level {level}")).link(LevelItem::Level { level })
            }
            (_, Some(chunk)) => {
                Value::from(format!("chunk {}", chunk.chunk.index)).link(chunk.item())
            }
            _ => "the map".into(),
        }),
        integer("Level", "level", |at: &Self| at.owner.in_level().into())
            .derived()
            .hidden(),
        field("Chunk", "chunk", ValueType::Integers(3), |at: &Self| {
            at.chunk.map(|chunk| chunk.chunk.index.yxz()).into()
        })
        .derived()
        .hidden(),
        integer("Number", "number", |at: &Self| at.entity.index().into()).derived(),
        vector("World position", "world_position", |at: &Self| {
            at.place().into()
        })
        .derived(),
        field("Gamemodes", "gamemodes", TEXTS, |at: &Self| {
            let names = at.map.pmf.header.gamemodes.iter().enumerate();
            let set = names.filter(|(bit, _)| at.entity.gamemodes() >> bit & 1 == 1);
            Value::list(set.map(|(_, name)| name.as_str()))
        })
        .derived()
        .shown(|at| format!("{} ({:#x})", at.gamemodes(), at.entity.gamemodes()).into())
        .summary("Gamemodes", |at| {
            let are_named = !at.map.pmf.header.gamemodes.is_empty();
            are_named.then(|| at.gamemodes()).into()
        })
        .note(|at| Some(at.gamemodes()).filter(|modes| modes != "all").into()),
        integer("Gamemodes", "gamemode_bits", |at: &Self| {
            Value::hex(at.entity.gamemodes(), 1)
        })
        .hidden(),
    ];

    const OWN: &'a [Field<Self>] = &[facts(|at: &Self| {
        Value::object(at.entity.fields().map(|value| at.field(&value)))
    })];

    const SIGNALS: &'a [Field<Self>] = &[
        field("Signal", "signals", SIGNALS, |at: &Self| {
            at.map.signals_of(at).0
        })
        .derived(),
        integer("Signals", "more_signals", |at: &Self| {
            at.map.signals_of(at).1.into()
        })
        .derived()
        .shown(|at| {
            let (_, more) = at.map.signals_of(at);
            (more > 0).then(|| format!("and {more} more")).into()
        }),
    ];

    const PROPERTIES: &'a [Field<Self>] =
        &[field("Property", "properties", PROPERTIES, |at: &Self| {
            properties(&at.entity)
        })
        .shown(|at| custom(&at.entity))
        .compared(|at| all_custom(&at.entity))];

    const BYTES: &'a [Field<Self>] = &[
        place("In its section", "place", |at: &Self| {
            let range = at.entity.range();
            match at.chunk {
                Some(_) => in_server_section(range.start, range.len()),
                None => Value::bytes_at(range.start, range.len()),
            }
        })
        .place(),
        field("Bytes", "bytes", ValueType::Bytes, |at: &Self| {
            Value::bytes(at.entity.bytes())
        })
        .derived()
        .shown(|at| hex(at.entity.bytes(), MAX_BYTES).into()),
    ];

    /// Returns the names of the gamemodes that it belongs to.
    fn gamemodes(&self) -> String {
        let names = &self.map.pmf.header.gamemodes;
        let mask = self.entity.gamemodes();
        if names.is_empty() || mask == u32::MAX {
            return "all".to_owned();
        }
        let set = names.iter().enumerate();
        let set = set.filter(|(bit, _)| mask >> bit & 1 == 1);
        let set: Vec<&str> = set.map(|(_, name)| name.as_str()).collect();
        match set.len() {
            0 => "none".to_owned(),
            _ if set.len() == names.len() => "all".to_owned(),
            _ => set.join(", "),
        }
    }

    /// Returns the value of a field of its type.
    fn field(&self, value: &FieldValue) -> Fact {
        let text = match (value.field.kind, &value.value) {
            (FieldKind::Flags(bytes, names), pmf::Value::Number(bits)) if *bits != 0 => {
                flags(bytes, names, *bits).collect::<Vec<_>>().join(", ")
            }
            _ => cut(value.field.describe(&value.value)),
        };
        let swatch = match (value.field.kind, &value.value) {
            (FieldKind::Rgb | FieldKind::Rgba, pmf::Value::Bytes(bytes)) => {
                bytes.first_chunk().map(|color| Swatch::Color(*color))
            }
            _ => None,
        };
        let data = typed(value.field, &value.value);
        let data = data.shown_as(text).swatch(swatch);
        Fact::new(value.field.name, data.link_if(self.referenced_item(value)))
            .keyed(key(value.field))
    }

    /// Returns the item that one of its fields refers to.
    fn referenced_item(&self, value: &FieldValue) -> Option<LevelItem> {
        let level = self.owner.in_level().unwrap_or(0);
        let map = self.map;
        match (self.entity.kind(), value.field.name, &value.value) {
            (EntityKind::DynamicLightController, "light", pmf::Value::Number(id)) => {
                map.light_with_id(LightKind::Dynamic, level, *id as u32)
            }
            (EntityKind::FastLightController, "light", pmf::Value::Number(id)) => {
                map.light_with_id(LightKind::Fast, level, *id as u32)
            }
            (_, name, pmf::Value::Text(text)) if !text.is_empty() => {
                let common = &map.pmf.levels.get(level)?.common;
                if name.ends_with("physics material") {
                    let physics = common.physics_by_name();
                    let index = *physics.get(text.as_bytes())?;
                    Some(LevelItem::physics_material(level, index))
                } else if name.ends_with("material") {
                    let materials = common.materials_by_name();
                    let index = *materials.get(text.as_bytes())?;
                    Some(LevelItem::material(level, index))
                } else {
                    let archive = map.pmf.archive.as_ref()?;
                    let (folder, ending) = match name {
                        "texture" | "shadow texture" => ("textures", ".ptf"),
                        "model" => ("models", ".p3m"),
                        _ => return None,
                    };
                    let index = archive.find_resource(text, folder, ending)?;
                    Some(LevelItem::archive_file(index))
                }
            }
            _ => None,
        }
    }
}

/// Signals, each with the entity at its other end.
const SIGNALS: ValueType = ValueType::List(&ValueType::Object(&[
    ("signal", ValueType::Text),
    ("sends", ValueType::Flag),
    ("field", ValueType::Text),
    ("other", ValueType::Text),
    ("other_field", ValueType::Text),
]));
/// Custom properties, with numbers, texts or flags.
const PROPERTIES: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("type", ValueType::Text),
    ("lengths", INTEGERS),
    // Values of the type.
    ("values", ValueType::List(&ValueType::Object(&[]))),
]));

/// Returns the name of an entity type, which is shown in upper case.
fn name_of(kind: EntityKind) -> Value {
    Value::from(kind.name().to_lowercase()).shown_as(kind.name())
}

/// JSON key of a field, with the unit if it is not that of the map.
fn key(field: &pmf::Field) -> String {
    let key = key_of(field.name);
    match field.unit {
        Unit::None | Unit::Metres => key,
        Unit::Degrees => format!("{key}_degrees"),
        Unit::Microseconds => format!("{key}_us"),
    }
}

/// Returns the names of set bits, and the numbers of those without a name.
fn flags(bytes: u8, names: &'static [&str], bits: u64) -> impl Iterator<Item = Cow<'static, str>> {
    let set = (0..8 * usize::from(bytes)).filter(move |bit| bits >> bit & 1 == 1);
    set.map(|bit| match names.get(bit) {
        Some(name) if !name.is_empty() => (*name).into(),
        _ => format!("bit {bit}").into(),
    })
}

/// Returns the data of a field.
fn typed(field: &pmf::Field, value: &pmf::Value) -> Value {
    match (field.kind, value) {
        (FieldKind::Flags(bytes, names), pmf::Value::Number(bits)) => {
            Value::list(flags(bytes, names, *bits).map(|name| name.to_lowercase()))
        }
        (kind, pmf::Value::Number(number)) => {
            let name = u8::try_from(*number).ok().and_then(|it| kind.name_of(it));
            match name {
                Some(name) => name.to_lowercase().into(),
                None => (*number).into(),
            }
        }
        (_, pmf::Value::Signed(number)) => (*number).into(),
        (kind, pmf::Value::Floats(floats)) => {
            let columns = match (kind, floats.len()) {
                (FieldKind::Floats { columns, .. }, _) => columns.len(),
                (_, 6) => 2,
                (_, 24) => 3,
                (_, count) => count,
            };
            match &**floats {
                [float] => (*float).into(),
                floats if columns > 1 && floats.len() > columns => {
                    Value::list(floats.chunks(columns))
                }
                floats => floats.into(),
            }
        }
        (FieldKind::Rgb | FieldKind::Rgba, pmf::Value::Bytes(bytes)) => {
            Value::integers(bytes.iter().copied())
        }
        (_, pmf::Value::Bytes(bytes)) => Value::bytes(&**bytes),
        (_, pmf::Value::Text(text)) => text.as_str().into(),
        (_, pmf::Value::Texts(texts)) => Value::list(texts.iter().map(String::as_str)),
        (_, pmf::Value::Property(index) | pmf::Value::Nowhere(index)) => (*index).into(),
    }
}

/// Lists the custom properties of an entity with their values.
fn properties(entity: &Entity<'_>) -> Value {
    if entity.property_indices().is_none() {
        return Value::absent();
    }
    let mut left = MAX_ALL_VALUES;
    Value::list(entity.properties().map(|(index, property)| {
        let property = property.ok();
        let values = property.as_ref().map(|it| values(it, &mut left));
        let kind = property
            .as_ref()
            .map(|it| it.values.kind().name().to_lowercase());
        let lengths = property.map(|it| Value::integers(it.lengths));
        Value::object([
            Fact::new("Index", index),
            Fact::new("Type", kind),
            Fact::new("Lengths", lengths),
            Fact::new("Values", values),
        ])
    }))
}

/// Lists the values of a property, or none if there are more than `left`.
fn values(property: &pmf::Property, left: &mut usize) -> Value {
    let count = property
        .lengths
        .iter()
        .map(|length| *length as usize)
        .product();
    let Some(fewer) = left.checked_sub(count) else {
        return Value::absent();
    };
    *left = fewer;
    match &property.values {
        PropertyValues::None => Value::absent(),
        PropertyValues::Bool(value) => Value::list([*value]),
        PropertyValues::Bits(bytes) => {
            let is_set = |bit: usize| {
                bytes
                    .get(bit / 8)
                    .is_some_and(|it| it >> (bit % 8) & 1 == 1)
            };
            Value::list((0..count).map(is_set))
        }
        PropertyValues::I8(list) => Value::integers(list.iter().copied()),
        PropertyValues::I16(list) => Value::integers(list.iter().copied()),
        PropertyValues::I32(list) => Value::integers(list.iter().copied()),
        PropertyValues::I64(list) => Value::integers(list.iter().copied()),
        PropertyValues::U8(list) => Value::integers(list.iter().copied()),
        PropertyValues::U16(list) => Value::integers(list.iter().copied()),
        PropertyValues::U32(list) => Value::integers(list.iter().copied()),
        PropertyValues::U64(list) => Value::list(list.iter().copied()),
        PropertyValues::F32(list) => list.as_slice().into(),
        PropertyValues::F64(list) => Value::list(list.iter().map(|number| *number as f32)),
        PropertyValues::Texts(list) => Value::list(list.iter().map(String::as_str)),
    }
}

/// Lists the custom properties of an entity.
fn custom(entity: &Entity<'_>) -> Value {
    let Some(indices) = entity.property_indices() else {
        return Value::from("outside of their table").named("Properties");
    };
    let properties = entity.properties().take(MAX_PROPERTIES);
    let lines = properties.map(|(index, property)| {
        let text = property.map(|property| cut(property_text(&property, MAX_VALUES)));
        format!("{index}: {}", text.unwrap_or_else(|reason| reason))
    });
    let more = indices.len().saturating_sub(MAX_PROPERTIES);
    let more = (more > 0).then(|| format!("and {more} more"));
    Value::list(lines.chain(more))
}

/// Lists all custom properties with all their values, independent of their position in the table.
fn all_custom(entity: &Entity<'_>) -> Value {
    if entity.property_indices().is_none() {
        return custom(entity);
    }
    let lines = entity.properties().map(|(_, property)| {
        let text = property.map(|property| property_text(&property, usize::MAX));
        long_text(text.unwrap_or_else(|reason| reason))
    });
    Value::list(lines)
}

/// Formats the type of a property and its first values.
fn property_text(property: &pmf::Property, max: usize) -> String {
    let lengths: Vec<String> = property.lengths.iter().map(u32::to_string).collect();
    let (kind, values) = (property.values.kind().name(), property.values.describe(max));
    match &lengths[..] {
        [] => format!("{kind} = {values}"),
        lengths => format!("{kind}[{}] = {values}", lengths.join(" x ")),
    }
}

/// Truncates a text to the length of an inspector line.
pub(in crate::kinds::level) fn cut(text: String) -> String {
    const MAX_CHARACTERS: usize = 1024;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hiding as _;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf::{EntityList, NewEntity, StringTableBuilder};
    use serde_json::json;

    #[test]
    fn ahead_is_turned_up_then_right_and_up_rolls_to_the_right() {
        let close = |found: Vec3, expected: Vec3| found.abs_diff_eq(expected, 1e-5);
        assert!(close(rotation([90.0, 0.0, 0.0]) * Vec3::Z, Vec3::Y));
        assert!(close(rotation([0.0, 90.0, 0.0]) * Vec3::Z, Vec3::X));
        assert!(close(rotation([0.0, 0.0, 90.0]) * Vec3::Y, Vec3::X));
        // A vector that points up keeps doing so after the turn.
        assert!(close(rotation([90.0, 90.0, 0.0]) * Vec3::Z, Vec3::Y));
        assert!(close(rotation([90.0, 0.0, 90.0]) * Vec3::Z, Vec3::Y));
        assert!(close(rotation([0.0, 90.0, 90.0]) * Vec3::Y, -Vec3::Z));
    }

    #[test]
    fn entities_are_hidden_with_their_type_and_with_all_their_gamemodes() {
        let mut strings = StringTableBuilder::default();
        let of = |kind, name: &str, gamemodes| NewEntity {
            gamemodes,
            ..NewEntity::new(kind, name)
        };
        let list = EntityList {
            entities: vec![
                of(EntityKind::Prop, "both", 0b11),
                of(EntityKind::Prop, "first", 0b101),
                of(EntityKind::Generic, "second", 0b10),
                // In no named gamemode.
                of(EntityKind::Generic, "other", 0b100),
                // Without a position.
                of(EntityKind::Dummy, "referee", 0b11),
            ],
            ..EntityList::default()
        };
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        for chunk in &mut pmf.levels[0].chunks {
            chunk.data.as_mut().unwrap().server = None;
        }
        pmf.levels[0].server = None;
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        pmf.header.gamemodes = vec!["duel".to_owned(), "race".to_owned()];
        let map = sample::map(pmf);
        let seen = |hidden: &[Item]| {
            let shown = Shown {
                hidden: hidden.to_vec(),
                ..Shown::default()
            };
            let markers = map.shown_markers(&shown);
            let indices = markers.map(|marker| match marker.item {
                LevelItem::Entity { index, .. } => index,
                other => panic!("{other:?}"),
            });
            indices.collect::<Vec<_>>()
        };
        let [duel, race] = [0, 1].map(|index| Item::from(LevelItem::Gamemode { index }));
        let prop = Item::from(LevelItem::entity_type(EntityKind::Prop));
        let counts = [0, 1].map(|mode| (map.entities_in(mode), map.entities_with_place_in(mode)));
        assert_eq!(counts, [(3, 2), (3, 2)]);
        assert_eq!(seen(&[]), [0, 1, 2, 3]);
        assert_eq!(seen(&[duel]), [0, 2, 3]);
        assert_eq!(seen(&[race]), [0, 1, 3]);
        assert_eq!(seen(&[duel, race]), [3]);
        assert_eq!(seen(&[prop]), [2, 3]);
        // Their tree lines have visibility toggles.
        assert!(
            [duel, prop]
                .into_iter()
                .all(|item| map.hide_target(item) == Some(item))
        );
        let groups = GamemodeAt::FIELDS.groups(&map.gamemode_at(1).unwrap());
        let counts = groups[0].properties[3..].iter().map(|it| &*it.value);
        assert_eq!(counts.collect::<Vec<_>>(), ["3", "2"]);
    }

    #[test]
    fn fields_and_properties_are_typed() {
        let mut strings = StringTableBuilder::default();
        let property = |lengths: &[u32], values| pmf::Property {
            lengths: lengths.to_vec(),
            values,
        };
        let door = NewEntity {
            properties: vec![0, 1, 2],
            gamemodes: 0b10,
            ..NewEntity::new(EntityKind::Door, "gate")
        };
        let door = door
            .with("flags", 0x8101_u64)
            .with("rotation", [90.0, 0.0, 0.5])
            .with("opening time", 250_u64)
            .with("physics material", "ice");
        let list = EntityList {
            properties: vec![
                property(&[], PropertyValues::U64(vec![1 << 40])),
                property(&[2, 5], PropertyValues::Bits(vec![0b101, 0b10])),
                property(&[2], PropertyValues::Texts(vec!["a".into(), "b".into()])),
            ],
            entities: vec![door],
        };
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        pmf.header.gamemodes = vec!["duel".to_owned(), "race".to_owned()];
        let map = sample::map(pmf);
        let owner = Owner::Map;
        let door = LevelItem::Entity { owner, index: 0 };
        let details =
            (&map as &dyn crate::Document).details(door.into(), crate::Playhead::default());
        let entity = &details["entity"];
        assert_eq!(
            [&entity["type"], &entity["name"], &entity["level"]],
            [&json!("door"), &json!("gate"), &json!(null)]
        );
        assert_eq!(entity["gamemodes"], json!(["race"]));
        assert_eq!(entity["gamemode_bits"], 2);
        let fields = &details["fields"];
        assert_eq!(fields["flags"], json!(["open", "+x face", "bit 15"]));
        assert_eq!(fields["rotation_degrees"], json!([90.0, 0.0, 0.5]));
        assert_eq!(fields["opening_time_us"], 250);
        assert_eq!(fields["physics_material"], "ice");
        assert_eq!(fields["shape"].as_array().unwrap().len(), 8);
        let bits = [
            true, false, true, false, false, false, false, false, false, true,
        ];
        assert_eq!(
            details["properties"]["properties"],
            json!([
                {"index": 0, "type": "u64", "lengths": [], "values": [1_u64 << 40]},
                {"index": 1, "type": "bool", "lengths": [2, 5], "values": bits},
                {"index": 2, "type": "str", "lengths": [2], "values": ["a", "b"]},
            ])
        );
    }

    #[test]
    fn a_player_begins_where_an_entity_of_that_name_is() {
        let start = |names: [&str; 2]| {
            let mut strings = StringTableBuilder::default();
            let [first, second] = names.map(|name| NewEntity::new(EntityKind::Generic, name));
            let list = EntityList {
                entities: vec![
                    first.with("position", [1.0, 2.0, 3.0]),
                    second
                        .with("position", [4.0, 5.0, 6.0])
                        .with("rotation", [10.0, 90.0, 20.0]),
                ],
                ..EntityList::default()
            };
            let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
            pmf.entities = list.build(&mut strings).unwrap();
            pmf.strings = strings.finish();
            sample::map(pmf).player_start(0)
        };
        let found = start(["guard", "Player_Start 1"]).unwrap();
        assert_eq!(found.place, Vec3::new(4.0, 5.0, 6.0));
        assert!(found.ahead.abs_diff_eq(Vec3::X, 1e-5), "{found:?}");
        assert_eq!(start(["red spawn", "spawn"]).unwrap().place.x, 1.0);
        assert_eq!(start(["guard", "player"]), None);
    }

    #[test]
    fn boxes_are_turned_and_stretched_with_their_entity() {
        let mut strings = StringTableBuilder::default();
        let corners = Aabb {
            min: Vec3::ZERO,
            max: Vec3::new(1.0, 2.0, 3.0),
        };
        let corners: Vec<f32> = corners.corners().iter().flat_map(Vec3::to_array).collect();
        let list = EntityList {
            entities: vec![
                NewEntity::new(EntityKind::Generic, "guard")
                    .with("position", [10.0, 0.0, 0.0])
                    .with("rotation", [0.0, 90.0, 0.0])
                    .with("bounds max", [1.0, 2.0, 3.0]),
                NewEntity::new(EntityKind::Door, "gate")
                    .with("scale", [1.0, 1.0, 2.0])
                    .with("rotation", [90.0, 0.0, 0.0])
                    .with("shape", pmf::Value::Floats(corners)),
            ],
            ..EntityList::default()
        };
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        pmf.entities = list.build(&mut strings).unwrap();
        pmf.strings = strings.finish();
        let map = sample::map(pmf);
        let occupied = |index| {
            let entities = map.entity_list(Owner::Map).unwrap();
            let shape = entities.get(index).unwrap().shape();
            assert_eq!(shape.len(), 12 + index as usize);
            Aabb::around(shape.into_iter().flatten()).unwrap()
        };
        let expected = [
            [Vec3::new(10.0, 0.0, -1.0), Vec3::new(13.0, 2.0, 0.0)],
            [Vec3::new(0.0, 0.0, -2.0), Vec3::new(1.0, 6.0, 0.0)],
        ];
        for (index, [min, max]) in (0..).zip(expected) {
            let found = occupied(index);
            assert!(found.min.abs_diff_eq(min, 1e-4), "{found:?}");
            assert!(found.max.abs_diff_eq(max, 1e-4), "{found:?}");
        }
    }
}
