//! The entities of the bath house.

use mapscope_formats::pmf::{
    Entities, EntityKind, EntityList, NewEntity, Property, PropertyValues, StringTableBuilder,
    Value, WriteError,
};

use super::plan::{self, Point};

/// The game modes, in the order of their bits.
pub(crate) const GAMEMODES: [&str; 2] = ["bathe", "hide and seek"];
const BATHE: u32 = 0x01;
const HIDE: u32 = 0x02;

/// Names of signals.
const LAMPS: &str = "lamps";
const ENTERED: &str = "somebody enters";
const FULL: &str = "the bath is full";
const EVENING: &str = "evening comes";

fn single(values: PropertyValues) -> Property {
    Property {
        lengths: Vec::new(),
        values,
    }
}

fn new(kind: EntityKind, name: &str) -> NewEntity {
    NewEntity::new(kind, name)
}

/// Corners of a box around a point, given half of its edges.
fn around([x, y, z]: Point) -> [f32; 24] {
    let mut corners = [0.0; 24];
    for (corner, place) in corners.chunks_exact_mut(3).enumerate() {
        let signs = mapscope_formats::pmf::corner_signs(corner);
        for (place, (sign, half)) in place.iter_mut().zip(signs.iter().zip([x, y, z])) {
            *place = sign * half;
        }
    }
    corners
}

/// The entities of the whole map.
fn of_map() -> EntityList {
    let texts =
        |texts: &[&str]| PropertyValues::Texts(texts.iter().copied().map(str::to_owned).collect());
    EntityList {
        properties: vec![
            single(texts(&["an evening in late summer"])),
            single(PropertyValues::U32(vec![12])),
            Property {
                lengths: vec![3],
                values: texts(&["quiet", "warm", "a little steamy"]),
            },
        ],
        entities: vec![
            NewEntity {
                properties: vec![0, 1, 2],
                ..new(EntityKind::Headless, "keeper").with("script", "scripts/keeper")
            },
            new(EntityKind::Timer, "sunset")
                .with("time", 600_000_000)
                .with("output signal", EVENING),
            new(EntityKind::Broadcaster, "lamplighter")
                .with("input signal", EVENING)
                .with("type filter", 255)
                .with("output signal 1", LAMPS)
                .with("repeat", 1),
        ],
    }
}

/// The entities of the level.
fn of_level() -> EntityList {
    let controller = |name: &str, light: u32, pattern: u64| {
        new(EntityKind::DynamicLightController, name)
            .with("light", u64::from(light))
            .with("pattern", pattern)
            .with("pattern advance time", 125_000)
            .with("signal to toggle", LAMPS)
    };
    let fast = |name: &str, light: u32, pattern: [u8; 32]| {
        new(EntityKind::FastLightController, name)
            .with("light", u64::from(light))
            .with("pattern", pattern)
            .with("pattern advance time", 160_000)
            .with("flags", 2)
    };
    // The sign switches off twice in five steps, as its texture does.
    let mut flicker = [255; 32];
    for (step, value) in flicker.iter_mut().enumerate() {
        if step % 5 == 2 || step % 5 == 4 {
            *value = 60;
        }
    }
    EntityList {
        properties: vec![single(PropertyValues::F32(vec![0.8]))],
        entities: vec![
            new(EntityKind::Counter, "visitors")
                .with("comparison", 5)
                .with("initial value", 0)
                .with("target value", 8)
                .with("signal to increment", ENTERED)
                .with("output signal", FULL),
            new(EntityKind::Setter, "quieter fountain")
                .with("target entity", "water")
                .with("expected type", 24)
                .with("attribute", 2)
                .with("value", Value::Property(0))
                .with("signal to activate", FULL),
            controller("lanterns", plan::LANTERN_LIGHT, 0xFFFF_FFFF),
            controller("pool lamps", plan::POOL_LIGHT, 0xFFFF_FFFF),
            controller("rose lamp", plan::ROSE_LIGHT, 0xFFFF_FFFF),
            controller("garden lamps", plan::GARDEN_LIGHT, 0xFFF7_FFDF),
            fast("sign", plan::SIGN_LIGHT, flicker),
            fast("spots on the letters", plan::BRASS_LIGHT, [255; 32]),
        ],
    }
}

/// The entities of a chunk, relative to its centre.
fn of_chunk(chunk: usize) -> EntityList {
    let first = || {
        vec![
            new(EntityKind::Dummy, "start"),
            new(EntityKind::Generic, "player start")
                .with("position", [-2.5, -3.9, 0.0])
                .with("rotation", [0.0, 90.0, 0.0])
                .with("bounds max", [0.4, 1.8, 0.4])
                .with("bounds min", [-0.4, 0.0, -0.4])
                .with("flags", 0x02),
            NewEntity {
                gamemodes: BATHE,
                properties: vec![0],
                ..new(EntityKind::Door, "house door")
                    .with("position", [-7.0, -2.75, 0.0])
                    .with("open position", [-7.0, -2.75, 2.0])
                    .with("scale", [1.0; 3])
                    .with("open scale", [1.0; 3])
                    .with("shape", around([0.25, 1.25, 1.0]))
                    .with("physics material", "wood")
                    .with("opening time", 900_000)
                    .with("closing time", 1_200_000)
                    .with("signal to toggle", ENTERED)
                    .with("flags", 0x0900)
            },
            new(EntityKind::Trigger, "in the arch")
                .with("position", [1.5, -2.75, 0.0])
                .with("shape", around([0.5, 1.25, 1.5]))
                .with("flags", 0x04)
                .with("type filter", 255)
                .with("output when entered", ENTERED),
            new(EntityKind::Text, "welcome")
                .with("position", [-2.5, -1.6, -3.4])
                .with("view distance", 12.0)
                .with("font", "fonts/serif")
                .with("font size", 0.25)
                .with("color", [255, 226, 190, 255])
                .with("text", "Shoes off, please")
                .with("flags", 0x0C),
            new(EntityKind::Light, "rose lamp")
                .with("kind", 0)
                .with("position", plan::ROSE_LAMP)
                .with("color", [255, 160, 130])
                .with("intensity", 2.6)
                .with("range", 8.0)
                .with("signal to toggle activation", LAMPS),
            new(EntityKind::Prop, "stool")
                .with("position", [-5.0, -4.0, -2.0])
                .with("rotation", [0.0, 35.0, 0.0])
                .with("bounds max", [0.25, 0.5, 0.25])
                .with("bounds min", [-0.25, 0.0, -0.25])
                .with("mass", 4.0)
                .with("flags", 0x20),
        ]
    };
    let second = || {
        vec![
            new(EntityKind::AudioEmitter, "water")
                .with("position", [-6.5, -4.5, 0.0])
                .with("speed", 1.0)
                .with("volume", [0.6, 0.6])
                .with("range", 18.0)
                .with("radius", [4.5, 0.5, 3.0])
                .with("sound", "sounds/water")
                .with("flags", 0x02),
            new(EntityKind::Particles, "steam")
                .with("position", [-6.5, -4.3, 0.0])
                .with("seed", 7)
                .with("particles", 60)
                .with("velocity", [0.0, 0.25, 0.0])
                .with("direction randomness", [0.4, 0.1, 0.4])
                .with("wind influence", 0.2)
                .with("material", "sunbeam")
                .with("min fade-in time", 400_000)
                .with("max fade-in time", 900_000)
                .with("min time", 2_000_000)
                .with("max time", 4_000_000)
                .with("min size", [0.4, 0.4])
                .with("max size", [1.1, 0.9]),
            new(EntityKind::Glow, "lantern glow")
                .with("position", [-2.25, 1.25, 5.25])
                .with("material", "sunbeam")
                .with("radius", [0.6, 0.6]),
            new(EntityKind::Light, "spot on the letters")
                .with("kind", 1)
                .with("position", [-1.0, 3.0, 2.0])
                .with("color", [255, 210, 120])
                .with("intensity", 3.0)
                .with("range", 6.0)
                .with("shape", 0.5),
            new(EntityKind::Push, "current")
                .with("position", [-6.5, -5.25, 0.0])
                .with("radius", [4.5, 0.75, 3.0])
                .with("falloff", 0.5)
                .with("velocity", [0.3, 0.0, 0.0])
                .with("flags", 0x08),
            NewEntity {
                gamemodes: HIDE,
                ..new(EntityKind::Billboard, "hiding place")
                    .with("position", [7.5, -3.0, 6.0])
                    .with("view distance", 30.0)
                    .with(
                        "corner offsets",
                        [-0.25, 0.25, 0.25, 0.25, -0.25, -0.25, 0.25, -0.25],
                    )
                    .with("material", "brass")
                    .with("texture UV", [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
            },
        ]
    };
    EntityList {
        properties: vec![single(PropertyValues::Bool(true))],
        entities: if chunk == 0 { first() } else { second() },
    }
}

/// The owner of entities: the map, its level or a chunk.
pub(crate) enum Of {
    Map,
    Level,
    Chunk(usize),
}

/// The entities of a part. Their strings are added to those of its section.
pub(crate) fn entities(of: &Of, strings: &mut StringTableBuilder) -> Result<Entities, WriteError> {
    let list = match of {
        Of::Map => of_map(),
        Of::Level => of_level(),
        Of::Chunk(chunk) => of_chunk(*chunk),
    };
    list.build(strings)
}
