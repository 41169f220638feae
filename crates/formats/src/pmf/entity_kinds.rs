//! The 27 types of entities and the fields of each: the table by which entities are read, checked,
//! listed and written.
//!
//! Numbers, sizes and the places that the reader relies on are those of fact sheet C. What lies
//! between them follows the document of map entities that belongs to this revision of the format.

use super::entity_fields::{
    CORNERS, Field, FieldKind, Flag, ONE, QUAD, Signal, UV, Unit, XY, XYZ, laid_out,
};

/// What an entity is. The numbers are those of the file (fact sheet B28).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EntityKind {
    /// Nothing but a name.
    Dummy,
    /// A script without a place.
    Headless,
    /// A model with a script.
    Generic,
    /// A model.
    Prop,
    /// A box with a material on each face.
    Cube,
    /// A shape to be met.
    Intersectable,
    /// A model that moves between two places.
    Door,
    /// A box that signals what enters and leaves it.
    Trigger,
    /// A light.
    Light,
    /// A line with a texture between two places.
    Beam,
    /// A source of particles.
    Particles,
    /// A source of pieces of a model.
    Gibs,
    /// A rectangle that glows.
    Glow,
    /// A text in the world.
    Text,
    /// A rectangle that faces the camera.
    Billboard,
    /// A picture on a wall.
    Decal,
    /// A model that flies.
    Projectile,
    /// A push away or along.
    Push,
    /// A signal that is passed on.
    Broadcaster,
    /// A counter of signals, of 32 bits.
    Counter,
    /// A counter of signals, of 64 bits.
    ExtendedCounter,
    /// A signal after a time, of 32 bits.
    Timer,
    /// A signal after a time, of 64 bits.
    ExtendedTimer,
    /// A change to an attribute of an entity.
    Setter,
    /// A sound.
    AudioEmitter,
    /// What switches a dynamic light.
    DynamicLightController,
    /// What dims a fast light.
    FastLightController,
}

const fn field(name: &'static str, kind: FieldKind, unit: Unit) -> Field {
    Field {
        name,
        offset: 0,
        kind,
        unit,
    }
}

const fn text(name: &'static str) -> Field {
    field(name, FieldKind::Text, Unit::None)
}

const fn input(name: &'static str) -> Field {
    field(name, FieldKind::Signal(Signal::Input), Unit::None)
}

const fn output(name: &'static str) -> Field {
    field(name, FieldKind::Signal(Signal::Output), Unit::None)
}

const fn vector(name: &'static str, unit: Unit) -> Field {
    let kind = FieldKind::Floats {
        rows: ONE,
        columns: XYZ,
    };
    field(name, kind, unit)
}

const fn pair(name: &'static str, columns: &'static [&'static str], unit: Unit) -> Field {
    field(name, FieldKind::Floats { rows: ONE, columns }, unit)
}

const fn float(name: &'static str, unit: Unit) -> Field {
    pair(name, ONE, unit)
}

const fn corners(name: &'static str) -> Field {
    let kind = FieldKind::Floats {
        rows: CORNERS,
        columns: XYZ,
    };
    field(name, kind, Unit::Metres)
}

const fn quad(name: &'static str, columns: &'static [&'static str], unit: Unit) -> Field {
    let kind = FieldKind::Floats {
        rows: QUAD,
        columns,
    };
    field(name, kind, unit)
}

const fn unsigned(name: &'static str, bytes: u8) -> Field {
    field(name, FieldKind::Unsigned(bytes), Unit::None)
}

const fn micros(name: &'static str) -> Field {
    field(name, FieldKind::Unsigned(4), Unit::Microseconds)
}

const fn flags(flags: &'static [Flag]) -> Field {
    field("flags", FieldKind::Flags8(flags), Unit::None)
}

const fn flags16(flags: &'static [Flag]) -> Field {
    field("flags", FieldKind::Flags16(flags), Unit::None)
}

const fn flag(mask: u16, name: &'static str) -> Flag {
    Flag { mask, name }
}

/// The field of the same name of every entity that has a place: relative to the centre of its
/// chunk, or to the centre of the center chunk for entities of a level or the file.
pub(super) const POSITION: &str = "position";
pub(super) const ROTATION: &str = "rotation";
/// The two corners of a box, relative to the position.
pub(super) const BOUNDS_MAX: &str = "bounds max";
pub(super) const BOUNDS_MIN: &str = "bounds min";
/// Eight corners, relative to the position.
pub(super) const SHAPE: &str = "shape";
pub(super) const KIND: &str = "kind";

const HEADLESS: &[Field] = &laid_out([text("script")]);

const GENERIC: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "hidden"),
        flag(0x04, "follows the bone's tail"),
        flag(0x08, "keeps its own rotation"),
        flag(0x10, "keeps its own scale"),
        flag(0x20, "no collision"),
        flag(0x40, "high-quality shadow"),
    ]),
    vector(POSITION, Unit::Metres),
    vector(ROTATION, Unit::Degrees),
    text("followed entity"),
    text("followed bone"),
    vector(BOUNDS_MAX, Unit::Metres),
    vector(BOUNDS_MIN, Unit::Metres),
    float("mass", Unit::None),
    float("drag", Unit::None),
    text("script"),
    text("model"),
    text("shadow texture"),
    pair("shadow size", XY, Unit::None),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
    input("signal to show"),
    input("signal to hide"),
    input("signal to toggle visibility"),
    input("signal to enable collision"),
    input("signal to disable collision"),
    input("signal to toggle collision"),
]);

const PROP: &[Field] = &laid_out([
    flags16(&[
        flag(0x01, "hidden"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "keeps its own rotation"),
        flag(0x08, "keeps its own scale"),
        flag(0x10, "no collision"),
        flag(0x20, "physics"),
        flag(0x40, "better physics"),
        flag(0x80, "animation plays once"),
        flag(0x100, "high-quality shadow"),
    ]),
    vector(POSITION, Unit::Metres),
    vector(ROTATION, Unit::Degrees),
    text("followed entity"),
    text("followed bone"),
    vector(BOUNDS_MAX, Unit::Metres),
    vector(BOUNDS_MIN, Unit::Metres),
    float("mass", Unit::None),
    float("drag", Unit::None),
    text("model"),
    text("animation"),
    text("shadow texture"),
    pair("shadow size", XY, Unit::None),
    input("signal to show"),
    input("signal to hide"),
    input("signal to toggle visibility"),
    input("signal to enable collision"),
    input("signal to disable collision"),
    input("signal to toggle collision"),
    input("signal to start the animation"),
    input("signal to pause the animation"),
    input("signal to resume the animation"),
    input("signal to stop the animation"),
]);

const CUBE: &[Field] = &laid_out([
    flags16(&[
        flag(0x01, "hidden"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "keeps its own rotation"),
        flag(0x08, "keeps its own scale"),
        flag(0x10, "no collision"),
        flag(0x20, "backfaces drawn"),
        flag(0x0100, "+X face"),
        flag(0x0200, "+Y face"),
        flag(0x0400, "+Z face"),
        flag(0x0800, "-X face"),
        flag(0x1000, "-Y face"),
        flag(0x2000, "-Z face"),
    ]),
    vector(POSITION, Unit::Metres),
    vector(ROTATION, Unit::Degrees),
    text("followed entity"),
    text("followed bone"),
    corners(SHAPE),
    text("+X material"),
    text("+Y material"),
    text("+Z material"),
    text("-X material"),
    text("-Y material"),
    text("-Z material"),
    quad("+X texture", UV, Unit::None),
    quad("+Y texture", UV, Unit::None),
    quad("+Z texture", UV, Unit::None),
    quad("-X texture", UV, Unit::None),
    quad("-Y texture", UV, Unit::None),
    quad("-Z texture", UV, Unit::None),
    text("+X physics material"),
    text("+Y physics material"),
    text("+Z physics material"),
    text("-X physics material"),
    text("-Y physics material"),
    text("-Z physics material"),
    input("signal to show"),
    input("signal to hide"),
    input("signal to toggle visibility"),
    input("signal to enable collision"),
    input("signal to disable collision"),
    input("signal to toggle collision"),
]);

const INTERSECTABLE: &[Field] = &laid_out([
    field(
        KIND,
        FieldKind::HighNibble(&["axis-aligned box", "sphere", "box"]),
        Unit::None,
    ),
    flags(&[flag(0x01, "follows the bone's tail")]),
    vector(POSITION, Unit::Metres),
    vector(ROTATION, Unit::Degrees),
    text("followed entity"),
    text("followed bone"),
    field(SHAPE, FieldKind::IntersectableShape, Unit::Metres),
]);

const DOOR: &[Field] = &laid_out([
    flags16(&[
        flag(0x01, "open"),
        flag(0x02, "backfaces drawn"),
        flag(0x04, "follows the bone's tail"),
        flag(0x08, "keeps its own rotation"),
        flag(0x10, "keeps its own scale"),
        flag(0x20, "no collision"),
        flag(0x0100, "+X face"),
        flag(0x0200, "+Y face"),
        flag(0x0400, "+Z face"),
        flag(0x0800, "-X face"),
        flag(0x1000, "-Y face"),
        flag(0x2000, "-Z face"),
    ]),
    // Where it is while it is closed.
    vector(POSITION, Unit::Metres),
    vector(ROTATION, Unit::Degrees),
    vector("scale", Unit::None),
    vector("open position", Unit::Metres),
    vector("open rotation", Unit::Degrees),
    vector("open scale", Unit::None),
    text("followed entity"),
    text("followed bone"),
    corners(SHAPE),
    text("model"),
    text("opening animation"),
    text("closing animation"),
    text("physics material"),
    micros("delay before opening"),
    micros("opening time"),
    micros("delay before closing"),
    micros("closing time"),
    input("signal to open"),
    input("signal to close"),
    input("signal to toggle"),
]);

const TRIGGER: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "type filter on"),
        flag(0x08, "type filter excludes"),
        flag(0x10, "team filter excludes"),
        flag(0x20, "initiator becomes itself"),
        flag(0x40, "mutual"),
        flag(0x80, "continuous"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    corners(SHAPE),
    field("type filter", FieldKind::TypeFilter, Unit::None),
    text("team filter"),
    output("output when entering"),
    output("output when entered"),
    output("output when fully entered"),
    output("output when exiting"),
    output("output when exited"),
    output("output when fully exited"),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
]);

const LIGHT: &[Field] = &laid_out([
    field(
        KIND,
        FieldKind::HighNibble(&["point", "spot", "area"]),
        Unit::None,
    ),
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "follows the bone's tail"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    field("color", FieldKind::Rgb, Unit::None),
    float("intensity", Unit::None),
    vector("size", Unit::Metres),
    float("range", Unit::Metres),
    // The documents do not say what the cone's radius is counted in.
    field(SHAPE, FieldKind::LightShape, Unit::None),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
]);

const BEAM: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "head follows the bone's tail"),
        flag(0x04, "tail follows the bone's tail"),
        flag(0x08, "texture wrap not relative to size"),
    ]),
    // Where its head is.
    vector(POSITION, Unit::Metres),
    vector("head direction", Unit::None),
    text("head's followed entity"),
    text("head's followed bone"),
    vector("tail position", Unit::Metres),
    vector("tail direction", Unit::None),
    text("tail's followed entity"),
    text("tail's followed bone"),
    field("pattern", FieldKind::Pattern32, Unit::None),
    micros("pattern advance time"),
    unsigned("segments", 1),
    unsigned("curve", 1),
    float("radius", Unit::Metres),
    text("material"),
    float("texture wrap", Unit::None),
    float("scroll", Unit::None),
    unsigned("ripple seed", 4),
    float("ripple at head", Unit::None),
    float("ripple at middle", Unit::None),
    float("ripple at tail", Unit::None),
    unsigned("ripple smoothing", 1),
    float("ripple speed", Unit::None),
    unsigned("alpha noise seed", 4),
    unsigned("alpha noise", 1),
    unsigned("alpha noise smoothing", 1),
    float("alpha noise speed", Unit::None),
    unsigned("radius noise seed", 4),
    float("radius noise", Unit::None),
    unsigned("radius noise smoothing", 1),
    float("radius noise speed", Unit::None),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
]);

const PARTICLES: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "follows the bone's tail"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    unsigned("seed", 4),
    unsigned("particles", 2),
    vector("velocity", Unit::None),
    vector("direction randomness", Unit::None),
    vector("velocity randomness", Unit::None),
    float("gravity influence", Unit::None),
    float("drag influence", Unit::None),
    float("wind influence", Unit::None),
    text("material"),
    quad("texture", UV, Unit::None),
    unsigned("trail segments", 1),
    micros("trail time"),
    text("trail material"),
    quad("trail texture", UV, Unit::None),
    micros("min fade-in time"),
    micros("max fade-in time"),
    unsigned("min first alpha", 1),
    unsigned("max first alpha", 1),
    pair("min first size", XY, Unit::Metres),
    pair("max first size", XY, Unit::Metres),
    micros("min time"),
    micros("max time"),
    unsigned("min alpha", 1),
    unsigned("max alpha", 1),
    pair("min size", XY, Unit::Metres),
    pair("max size", XY, Unit::Metres),
    micros("min fade-out time"),
    micros("max fade-out time"),
    unsigned("min last alpha", 1),
    unsigned("max last alpha", 1),
    pair("min last size", XY, Unit::Metres),
    pair("max last size", XY, Unit::Metres),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
]);

const GIBS: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "deleted once activated"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "better physics"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    text("model"),
    text("animation"),
    vector("velocity", Unit::None),
    vector("direction randomness", Unit::None),
    vector("velocity randomness", Unit::None),
    float("mass", Unit::None),
    float("drag", Unit::None),
    float("gravity influence", Unit::None),
    float("wind influence", Unit::None),
    field("collision sounds", FieldKind::TextList, Unit::None),
    micros("delay before fading"),
    micros("fade time"),
    input("signal to activate"),
]);

const GLOW: &[Field] = &laid_out([
    flags(&[flag(0x01, "follows the bone's tail")]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    quad("corner offsets", XYZ, Unit::Metres),
    text("material"),
    pair("radius", XY, Unit::Metres),
]);

const TEXT: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "hidden"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "centred horizontally"),
        flag(0x08, "centred vertically"),
        flag(0x10, "escape codes"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    float("view distance", Unit::Metres),
    pair("offsets", &["left", "right", "top", "bottom"], Unit::None),
    text("font"),
    float("font size", Unit::None),
    field("color", FieldKind::Rgba, Unit::None),
    text("text"),
    input("signal to show"),
    input("signal to hide"),
    input("signal to toggle visibility"),
]);

const BILLBOARD: &[Field] = &laid_out([
    flags(&[flag(0x01, "hidden"), flag(0x02, "follows the bone's tail")]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    float("view distance", Unit::Metres),
    quad("corner offsets", XY, Unit::Metres),
    text("material"),
    quad("texture UV", UV, Unit::None),
    input("signal to show"),
    input("signal to hide"),
    input("signal to toggle visibility"),
]);

const DECAL: &[Field] = &laid_out([
    vector(POSITION, Unit::Metres),
    vector("spray direction", Unit::None),
    text("texture"),
    field("color", FieldKind::Rgba, Unit::None),
    field("emission", FieldKind::Rgb, Unit::None),
    micros("delay before fading"),
    micros("fade time"),
]);

const PROJECTILE: &[Field] = &laid_out([
    flags(&[flag(0x01, "initiator becomes itself on a hit")]),
    vector(POSITION, Unit::Metres),
    vector("velocity", Unit::None),
    float("mass", Unit::None),
    float("drag", Unit::None),
    float("gravity influence", Unit::None),
    float("wind influence", Unit::None),
    text("model"),
    text("animation"),
    output("signal on a hit"),
]);

const PUSH: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "follows the bone's tail"),
        flag(0x04, "deleted once activated"),
        flag(0x08, "radius is cubic"),
        flag(0x10, "type filter on"),
        flag(0x20, "type filter excludes"),
        flag(0x40, "team filter excludes"),
        flag(0x80, "direction from position"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    vector("radius", Unit::Metres),
    float("falloff", Unit::None),
    field("type filter", FieldKind::TypeFilter, Unit::None),
    text("team filter"),
    // With "direction from position", the first number is the speed, and the others are zero.
    vector("velocity", Unit::None),
    input("signal to activate"),
]);

const BROADCASTER: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "inactive"),
        flag(0x02, "type filter on"),
        flag(0x04, "type filter excludes"),
        flag(0x08, "team filter excludes"),
        flag(0x10, "initiator becomes itself for output 1"),
        flag(0x20, "initiator becomes itself for output 2"),
    ]),
    input("input signal"),
    field("type filter", FieldKind::TypeFilter, Unit::None),
    text("team filter"),
    output("output signal 1"),
    output("output signal 2"),
    unsigned("repeat", 1),
    input("signal to activate"),
    input("signal to deactivate"),
    input("signal to toggle activation"),
]);

/// How a counter compares, with the names of the format's documents.
const COMPARISONS: &[&str] = &["EQ", "NE", "LT", "LE", "GT", "GE"];

const fn counter(bytes: u8) -> [Field; 8] {
    laid_out([
        field("comparison", FieldKind::Choice(COMPARISONS), Unit::None),
        unsigned("initial value", bytes),
        unsigned("target value", bytes),
        input("signal to increment"),
        input("signal to decrement"),
        input("signal to reset"),
        input("signal to compare"),
        output("output signal"),
    ])
}

const fn timer(bytes: u8) -> [Field; 5] {
    laid_out([
        field("time", FieldKind::Unsigned(bytes), Unit::Microseconds),
        input("signal to pause"),
        input("signal to resume"),
        input("signal to reset"),
        output("output signal"),
    ])
}

const COUNTER: &[Field] = &counter(4);
const EXTENDED_COUNTER: &[Field] = &counter(8);
const TIMER: &[Field] = &timer(4);
const EXTENDED_TIMER: &[Field] = &timer(8);

const SETTER: &[Field] = &laid_out([
    flags(&[flag(0x01, "times tick time")]),
    text("target entity"),
    field("expected type", FieldKind::EntityKind, Unit::None),
    unsigned("attribute", 1),
    field("value", FieldKind::Property, Unit::None),
    input("signal to activate"),
]);

const LEFT_RIGHT: &[&str] = &["left", "right"];

const AUDIO_EMITTER: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "follows the bone's tail"),
        flag(0x02, "loop"),
        flag(0x04, "wrap"),
        flag(0x08, "radius is cubic"),
        flag(0x10, "no Doppler effect"),
    ]),
    vector(POSITION, Unit::Metres),
    text("followed entity"),
    text("followed bone"),
    field("offset", FieldKind::Signed64, Unit::Microseconds),
    float("speed", Unit::None),
    pair("volume", LEFT_RIGHT, Unit::None),
    pair("low-pass filter", LEFT_RIGHT, Unit::None),
    pair("high-pass filter", LEFT_RIGHT, Unit::None),
    float("range", Unit::Metres),
    vector("radius", Unit::Metres),
    text("sound"),
    input("signal to play"),
]);

const DYNAMIC_LIGHT_CONTROLLER: &[Field] = &laid_out([
    flags(&[flag(0x01, "pattern advances while off")]),
    unsigned("light", 4),
    field("pattern", FieldKind::Pattern32, Unit::None),
    micros("pattern advance time"),
    input("signal to turn on"),
    input("signal to turn off"),
    input("signal to toggle"),
]);

const FAST_LIGHT_CONTROLLER: &[Field] = &laid_out([
    flags(&[
        flag(0x01, "pattern advances while off"),
        flag(0x02, "pattern in steps"),
    ]),
    unsigned("light", 4),
    field("pattern", FieldKind::Bytes(32), Unit::None),
    micros("pattern advance time"),
    input("signal to turn on"),
    input("signal to turn off"),
    input("signal to toggle"),
]);

/// Of each type: the type, its name in the format's documents, and its fields.
const KINDS: [(EntityKind, &str, &[Field]); 27] = [
    (EntityKind::Dummy, "DUMMY", &[]),
    (EntityKind::Headless, "HEADLESS", HEADLESS),
    (EntityKind::Generic, "GENERIC", GENERIC),
    (EntityKind::Prop, "PROP", PROP),
    (EntityKind::Cube, "CUBE", CUBE),
    (EntityKind::Intersectable, "INTERSECTABLE", INTERSECTABLE),
    (EntityKind::Door, "DOOR", DOOR),
    (EntityKind::Trigger, "TRIGGER", TRIGGER),
    (EntityKind::Light, "LIGHT", LIGHT),
    (EntityKind::Beam, "BEAM", BEAM),
    (EntityKind::Particles, "PARTICLES", PARTICLES),
    (EntityKind::Gibs, "GIBS", GIBS),
    (EntityKind::Glow, "GLOW", GLOW),
    (EntityKind::Text, "TEXT", TEXT),
    (EntityKind::Billboard, "BILLBOARD", BILLBOARD),
    (EntityKind::Decal, "DECAL", DECAL),
    (EntityKind::Projectile, "PROJECTILE", PROJECTILE),
    (EntityKind::Push, "PUSH", PUSH),
    (EntityKind::Broadcaster, "BROADCASTER", BROADCASTER),
    (EntityKind::Counter, "COUNTER", COUNTER),
    (EntityKind::ExtendedCounter, "EXCOUNTER", EXTENDED_COUNTER),
    (EntityKind::Timer, "TIMER", TIMER),
    (EntityKind::ExtendedTimer, "EXTIMER", EXTENDED_TIMER),
    (EntityKind::Setter, "SETTER", SETTER),
    (EntityKind::AudioEmitter, "AUDIOEMITTER", AUDIO_EMITTER),
    (
        EntityKind::DynamicLightController,
        "DYNLIGHTCTL",
        DYNAMIC_LIGHT_CONTROLLER,
    ),
    (
        EntityKind::FastLightController,
        "FASTLIGHTCTL",
        FAST_LIGHT_CONTROLLER,
    ),
];

impl EntityKind {
    /// All types in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// The type with a number; none for a number that the format does not know.
    pub fn from_number(number: u8) -> Option<Self> {
        KINDS.get(usize::from(number)).map(|(kind, ..)| *kind)
    }

    /// Its number in files.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name in the format's documents, such as `AUDIOEMITTER`.
    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// The fields after the type byte, in the order of the file.
    pub fn fields(self) -> &'static [Field] {
        KINDS[self as usize].2
    }

    /// The field with a name.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// Bytes after the type byte.
    pub fn body_bytes(self) -> usize {
        self.fields()
            .last()
            .map_or(0, |field| usize::from(field.offset) + field.kind.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of fact sheet C.
    const BODY_BYTES: [usize; 27] = [
        0, 4, 121, 126, 394, 37, 222, 158, 60, 147, 242, 98, 81, 69, 105, 43, 53, 58, 31, 29, 37,
        20, 24, 15, 81, 25, 53,
    ];

    /// Where fact sheet C says that positions are.
    const POSITIONS: [Option<u16>; 27] = [
        None,
        None,
        Some(1),
        Some(2),
        Some(2),
        Some(1),
        Some(2),
        Some(1),
        Some(1),
        Some(1),
        Some(1),
        Some(1),
        Some(1),
        Some(1),
        Some(1),
        Some(0),
        Some(1),
        Some(1),
        None,
        None,
        None,
        None,
        None,
        None,
        Some(1),
        None,
        None,
    ];

    #[test]
    fn fields_fill_the_bodies_of_the_fact_sheet() {
        assert_eq!(EntityKind::all().count(), 27);
        for (i, kind) in EntityKind::all().enumerate() {
            assert_eq!(usize::from(kind.number()), i, "{}", kind.name());
            assert_eq!(kind.body_bytes(), BODY_BYTES[i], "{}", kind.name());
            let position = kind.field(POSITION).map(|field| field.offset);
            assert_eq!(position, POSITIONS[i], "{}", kind.name());
        }
        // The fact sheet counts it from the position of the head.
        let tail = EntityKind::Beam.field("tail position");
        assert_eq!(tail.map(|field| field.offset), Some(1 + 32));
    }

    #[test]
    fn signals_go_in_and_out() {
        let count = |kind: EntityKind, signal: Signal| {
            let signal = FieldKind::Signal(signal);
            let mut fields = kind.fields().iter();
            fields.by_ref().filter(|field| field.kind == signal).count()
        };
        for (kind, inputs, outputs) in [
            (EntityKind::Trigger, 3, 6),
            (EntityKind::Broadcaster, 4, 2),
            (EntityKind::Counter, 4, 1),
            (EntityKind::ExtendedTimer, 3, 1),
            (EntityKind::Projectile, 0, 1),
            (EntityKind::Generic, 9, 0),
            (EntityKind::Prop, 10, 0),
            (EntityKind::Decal, 0, 0),
        ] {
            assert_eq!(count(kind, Signal::Input), inputs, "{}", kind.name());
            assert_eq!(count(kind, Signal::Output), outputs, "{}", kind.name());
        }
    }

    #[test]
    fn no_two_fields_of_a_type_have_the_same_name_and_no_two_flags_the_same_bit() {
        for kind in EntityKind::all() {
            for (i, field) in kind.fields().iter().enumerate() {
                let earlier = &kind.fields()[..i];
                assert!(
                    earlier.iter().all(|other| other.name != field.name),
                    "{} {}",
                    kind.name(),
                    field.name
                );
                if let FieldKind::Flags8(flags) | FieldKind::Flags16(flags) = field.kind {
                    let all = flags.iter().fold(0, |all, flag| all + flag.mask);
                    let union = flags.iter().fold(0, |all, flag| all | flag.mask);
                    assert_eq!(all, union, "{}", kind.name());
                    assert!(flags.iter().all(|flag| flag.mask.is_power_of_two()));
                    if matches!(field.kind, FieldKind::Flags8(_)) {
                        assert!(union < 0x100);
                    }
                }
            }
        }
    }
}
