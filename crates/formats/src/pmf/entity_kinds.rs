//! The 27 entity types and their fields. This table drives reading, checking, listing and writing
//! of entities.
//!
//! Type numbers, sizes and the offsets that the reader relies on follow fact sheet C. The fields in
//! between follow the document of map entities for this revision of the format.

use super::entity_fields::{CORNERS, Field, FieldKind, ONE, QUAD, Signal, UV, Unit, XY, XYZ};

/// Fields of a kind and unit.
const fn all<const N: usize>(kind: FieldKind, unit: Unit, names: [&'static str; N]) -> [Field; N] {
    let mut fields = [Field {
        name: "",
        offset: 0,
        kind,
        unit,
    }; N];
    let mut i = 0;
    while i < N {
        fields[i].name = names[i];
        i += 1;
    }
    fields
}

const fn of<const N: usize>(kind: FieldKind, names: [&'static str; N]) -> [Field; N] {
    all(kind, Unit::None, names)
}

const fn texts<const N: usize>(names: [&'static str; N]) -> [Field; N] {
    of(FieldKind::Text, names)
}

const fn inputs<const N: usize>(names: [&'static str; N]) -> [Field; N] {
    of(FieldKind::Signal(Signal::Input), names)
}

const fn outputs<const N: usize>(names: [&'static str; N]) -> [Field; N] {
    of(FieldKind::Signal(Signal::Output), names)
}

/// Rows with one float per column.
const fn rows<const N: usize>(
    rows: &'static [&'static str],
    columns: &'static [&'static str],
    unit: Unit,
    names: [&'static str; N],
) -> [Field; N] {
    all(FieldKind::Floats { rows, columns }, unit, names)
}

const fn vectors<const N: usize>(unit: Unit, names: [&'static str; N]) -> [Field; N] {
    rows(ONE, XYZ, unit, names)
}

const fn floats<const N: usize>(unit: Unit, names: [&'static str; N]) -> [Field; N] {
    rows(ONE, ONE, unit, names)
}

/// Unsigned integers of `bytes` bytes.
const fn unsigned<const N: usize>(bytes: u8, names: [&'static str; N]) -> [Field; N] {
    of(FieldKind::Unsigned(bytes), names)
}

const fn micros<const N: usize>(names: [&'static str; N]) -> [Field; N] {
    all(FieldKind::Unsigned(4), Unit::Microseconds, names)
}

/// One byte of flags, from the lowest bit.
const fn flags(names: &'static [&'static str]) -> [Field; 1] {
    of(FieldKind::Flags(1, names), ["flags"])
}

const fn flags16(names: &'static [&'static str]) -> [Field; 1] {
    of(FieldKind::Flags(2, names), ["flags"])
}

/// Name of the position field, shared by all entities with a position. It is relative to the centre
/// of its chunk, or to the centre of the center chunk for entities of a level or the file.
pub(super) const POSITION: &str = "position";
pub(super) const ROTATION: &str = "rotation";
/// The two corners of a box, relative to the position.
pub(super) const BOUNDS_MAX: &str = "bounds max";
pub(super) const BOUNDS_MIN: &str = "bounds min";
/// Eight corners, relative to the position.
pub(super) const SHAPE: &str = "shape";
pub(super) const KIND: &str = "kind";

// Field groups that many types share.
const PLACE: [Field; 1] = vectors(Unit::Metres, [POSITION]);
const TURN: [Field; 1] = vectors(Unit::Degrees, [ROTATION]);
const FOLLOWED: [Field; 2] = texts(["followed entity", "followed bone"]);
const BOUNDS: [Field; 2] = vectors(Unit::Metres, [BOUNDS_MAX, BOUNDS_MIN]);
const CORNER_SHAPE: [Field; 1] = rows(CORNERS, XYZ, Unit::Metres, [SHAPE]);
const MASS: [Field; 2] = floats(Unit::None, ["mass", "drag"]);
const INFLUENCES: [Field; 2] = floats(Unit::None, ["gravity influence", "wind influence"]);
const SHADOW: [Field; 1] = rows(ONE, XY, Unit::None, ["shadow size"]);
const MOTION: [Field; 3] = vectors(
    Unit::None,
    ["velocity", "direction randomness", "velocity randomness"],
);
const TYPE_FILTER: [Field; 1] = of(FieldKind::TypeFilter, ["type filter"]);
const TEAM_FILTER: [Field; 1] = texts(["team filter"]);
const ACTIVATION: [Field; 3] = inputs([
    "signal to activate",
    "signal to deactivate",
    "signal to toggle activation",
]);
const VISIBILITY: [Field; 3] = inputs([
    "signal to show",
    "signal to hide",
    "signal to toggle visibility",
]);
const COLLISION: [Field; 3] = inputs([
    "signal to enable collision",
    "signal to disable collision",
    "signal to toggle collision",
]);
const SWITCHING: [Field; 3] = inputs([
    "signal to turn on",
    "signal to turn off",
    "signal to toggle",
]);
const FADING: [Field; 2] = micros(["delay before fading", "fade time"]);

/// Comparison operator of a counter, with the names of the format's documents.
const COMPARISON: [Field; 1] = of(
    FieldKind::Choice(&["EQ", "NE", "LT", "LE", "GT", "GE"]),
    ["comparison"],
);
const COUNTED: [&str; 2] = ["initial value", "target value"];
const COUNTING: [Field; 5] = laid_out(&[
    &inputs([
        "signal to increment",
        "signal to decrement",
        "signal to reset",
        "signal to compare",
    ]),
    &outputs(["output signal"]),
]);
const TIMING: [Field; 4] = laid_out(&[
    &inputs(["signal to pause", "signal to resume", "signal to reset"]),
    &outputs(["output signal"]),
]);

const fn fields_in(groups: &[&[Field]]) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < groups.len() {
        count += groups[i].len();
        i += 1;
    }
    count
}

/// Lays out groups of fields consecutively, as in the body of an entity.
const fn laid_out<const N: usize>(groups: &[&[Field]]) -> [Field; N] {
    let mut fields = [Field {
        name: "",
        offset: 0,
        kind: FieldKind::EntityKind,
        unit: Unit::None,
    }; N];
    let (mut count, mut offset, mut group) = (0, 0, 0);
    while group < groups.len() {
        let mut i = 0;
        while i < groups[group].len() {
            fields[count] = groups[group][i];
            fields[count].offset = offset as u16;
            offset += fields[count].kind.bytes();
            count += 1;
            i += 1;
        }
        group += 1;
    }
    fields
}

/// The table of types: description, name in the format's documents, and groups of fields after the
/// type byte.
macro_rules! entity_kinds {
    ($($(#[$doc:meta])+ $kind:ident $name:literal { $($group:expr,)* })+) => {
        /// The type of an entity. The numbers are those of the file (fact sheet B28).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum EntityKind {
            $($(#[$doc])+ $kind,)+
        }

        const KINDS: &[(EntityKind, &str, &[Field])] = &[$({
            const GROUPS: &[&[Field]] = &[$(&$group),*];
            const FIELDS: [Field; fields_in(GROUPS)] = laid_out(GROUPS);
            (EntityKind::$kind, $name, &FIELDS)
        }),+];
    };
}

entity_kinds! {
    /// An entity with only a name.
    Dummy "DUMMY" {}
    /// A script without a position.
    Headless "HEADLESS" {
        texts(["script"]),
    }
    /// A model with a script.
    Generic "GENERIC" {
        flags(&["inactive", "hidden", "follows the bone's tail", "keeps its own rotation",
            "keeps its own scale", "no collision", "high-quality shadow"]),
        PLACE, TURN, FOLLOWED, BOUNDS, MASS,
        texts(["script", "model", "shadow texture"]),
        SHADOW, ACTIVATION, VISIBILITY, COLLISION,
    }
    /// A model.
    Prop "PROP" {
        flags16(&["hidden", "follows the bone's tail", "keeps its own rotation",
            "keeps its own scale", "no collision", "physics", "better physics",
            "animation plays once", "high-quality shadow"]),
        PLACE, TURN, FOLLOWED, BOUNDS, MASS,
        texts(["model", "animation", "shadow texture"]),
        SHADOW, VISIBILITY, COLLISION,
        inputs(["signal to start the animation", "signal to pause the animation",
            "signal to resume the animation", "signal to stop the animation"]),
    }
    /// A box with a material on each face.
    Cube "CUBE" {
        flags16(&["hidden", "follows the bone's tail", "keeps its own rotation",
            "keeps its own scale", "no collision", "backfaces drawn", "", "",
            "+X face", "+Y face", "+Z face", "-X face", "-Y face", "-Z face"]),
        PLACE, TURN, FOLLOWED, CORNER_SHAPE,
        texts(["+X material", "+Y material", "+Z material",
            "-X material", "-Y material", "-Z material"]),
        rows(QUAD, UV, Unit::None, ["+X texture", "+Y texture", "+Z texture",
            "-X texture", "-Y texture", "-Z texture"]),
        texts(["+X physics material", "+Y physics material", "+Z physics material",
            "-X physics material", "-Y physics material", "-Z physics material"]),
        VISIBILITY, COLLISION,
    }
    /// A shape for intersection tests.
    Intersectable "INTERSECTABLE" {
        of(FieldKind::HighNibble(&["axis-aligned box", "sphere", "box"]), [KIND]),
        flags(&["follows the bone's tail"]),
        PLACE, TURN, FOLLOWED,
        all(FieldKind::Shape(&[3, 3, 24]), Unit::Metres, [SHAPE]),
    }
    /// A model that moves between two places. Its position is the closed one.
    Door "DOOR" {
        flags16(&["open", "backfaces drawn", "follows the bone's tail", "keeps its own rotation",
            "keeps its own scale", "no collision", "", "",
            "+X face", "+Y face", "+Z face", "-X face", "-Y face", "-Z face"]),
        PLACE, TURN,
        vectors(Unit::None, ["scale"]),
        vectors(Unit::Metres, ["open position"]),
        vectors(Unit::Degrees, ["open rotation"]),
        vectors(Unit::None, ["open scale"]),
        FOLLOWED, CORNER_SHAPE,
        texts(["model", "opening animation", "closing animation", "physics material"]),
        micros(["delay before opening", "opening time", "delay before closing", "closing time"]),
        inputs(["signal to open", "signal to close", "signal to toggle"]),
    }
    /// A box that signals entities that enter or leave it.
    Trigger "TRIGGER" {
        flags(&["inactive", "follows the bone's tail", "type filter on", "type filter excludes",
            "team filter excludes", "initiator becomes itself", "mutual", "continuous"]),
        PLACE, FOLLOWED, CORNER_SHAPE, TYPE_FILTER, TEAM_FILTER,
        outputs(["output when entering", "output when entered", "output when fully entered",
            "output when exiting", "output when exited", "output when fully exited"]),
        ACTIVATION,
    }
    /// A light. The documents do not state the unit of its cone radius.
    Light "LIGHT" {
        of(FieldKind::HighNibble(&["point", "spot", "area"]), [KIND]),
        flags(&["inactive", "follows the bone's tail"]),
        PLACE, FOLLOWED,
        of(FieldKind::Rgb, ["color"]),
        floats(Unit::None, ["intensity"]),
        vectors(Unit::Metres, ["size"]),
        floats(Unit::Metres, ["range"]),
        of(FieldKind::Shape(&[0, 1, 6]), [SHAPE]),
        ACTIVATION,
    }
    /// A textured line between two places. Its position is that of the head.
    Beam "BEAM" {
        flags(&["inactive", "head follows the bone's tail", "tail follows the bone's tail",
            "texture wrap not relative to size"]),
        PLACE,
        vectors(Unit::None, ["head direction"]),
        texts(["head's followed entity", "head's followed bone"]),
        vectors(Unit::Metres, ["tail position"]),
        vectors(Unit::None, ["tail direction"]),
        texts(["tail's followed entity", "tail's followed bone"]),
        of(FieldKind::Pattern32, ["pattern"]),
        micros(["pattern advance time"]),
        unsigned(1, ["segments", "curve"]),
        floats(Unit::Metres, ["radius"]),
        texts(["material"]),
        floats(Unit::None, ["texture wrap", "scroll"]),
        unsigned(4, ["ripple seed"]),
        floats(Unit::None, ["ripple at head", "ripple at middle", "ripple at tail"]),
        unsigned(1, ["ripple smoothing"]),
        floats(Unit::None, ["ripple speed"]),
        unsigned(4, ["alpha noise seed"]),
        unsigned(1, ["alpha noise", "alpha noise smoothing"]),
        floats(Unit::None, ["alpha noise speed"]),
        unsigned(4, ["radius noise seed"]),
        floats(Unit::None, ["radius noise"]),
        unsigned(1, ["radius noise smoothing"]),
        floats(Unit::None, ["radius noise speed"]),
        ACTIVATION,
    }
    /// A source of particles.
    Particles "PARTICLES" {
        flags(&["inactive", "follows the bone's tail"]),
        PLACE, FOLLOWED,
        unsigned(4, ["seed"]),
        unsigned(2, ["particles"]),
        MOTION,
        floats(Unit::None, ["gravity influence", "drag influence", "wind influence"]),
        texts(["material"]),
        rows(QUAD, UV, Unit::None, ["texture"]),
        unsigned(1, ["trail segments"]),
        micros(["trail time"]),
        texts(["trail material"]),
        rows(QUAD, UV, Unit::None, ["trail texture"]),
        micros(["min fade-in time", "max fade-in time"]),
        unsigned(1, ["min first alpha", "max first alpha"]),
        rows(ONE, XY, Unit::Metres, ["min first size", "max first size"]),
        micros(["min time", "max time"]),
        unsigned(1, ["min alpha", "max alpha"]),
        rows(ONE, XY, Unit::Metres, ["min size", "max size"]),
        micros(["min fade-out time", "max fade-out time"]),
        unsigned(1, ["min last alpha", "max last alpha"]),
        rows(ONE, XY, Unit::Metres, ["min last size", "max last size"]),
        ACTIVATION,
    }
    /// A source of pieces of a model.
    Gibs "GIBS" {
        flags(&["deleted once activated", "follows the bone's tail", "better physics"]),
        PLACE, FOLLOWED,
        texts(["model", "animation"]),
        MOTION, MASS, INFLUENCES,
        of(FieldKind::TextList, ["collision sounds"]),
        FADING,
        inputs(["signal to activate"]),
    }
    /// A glowing rectangle.
    Glow "GLOW" {
        flags(&["follows the bone's tail"]),
        PLACE, FOLLOWED,
        rows(QUAD, XYZ, Unit::Metres, ["corner offsets"]),
        texts(["material"]),
        rows(ONE, XY, Unit::Metres, ["radius"]),
    }
    /// A text in the world.
    Text "TEXT" {
        flags(&["hidden", "follows the bone's tail", "centred horizontally",
            "centred vertically", "escape codes"]),
        PLACE, FOLLOWED,
        floats(Unit::Metres, ["view distance"]),
        rows(ONE, &["left", "right", "top", "bottom"], Unit::None, ["offsets"]),
        texts(["font"]),
        floats(Unit::None, ["font size"]),
        of(FieldKind::Rgba, ["color"]),
        texts(["text"]),
        VISIBILITY,
    }
    /// A rectangle that faces the camera.
    Billboard "BILLBOARD" {
        flags(&["hidden", "follows the bone's tail"]),
        PLACE, FOLLOWED,
        floats(Unit::Metres, ["view distance"]),
        rows(QUAD, XY, Unit::Metres, ["corner offsets"]),
        texts(["material"]),
        rows(QUAD, UV, Unit::None, ["texture UV"]),
        VISIBILITY,
    }
    /// A texture on a wall.
    Decal "DECAL" {
        PLACE,
        vectors(Unit::None, ["spray direction"]),
        texts(["texture"]),
        of(FieldKind::Rgba, ["color"]),
        of(FieldKind::Rgb, ["emission"]),
        FADING,
    }
    /// A flying model.
    Projectile "PROJECTILE" {
        flags(&["initiator becomes itself on a hit"]),
        PLACE,
        vectors(Unit::None, ["velocity"]),
        MASS, INFLUENCES,
        texts(["model", "animation"]),
        outputs(["signal on a hit"]),
    }
    /// A push, away from a point or along a direction. With "direction from position" the first
    /// number of its velocity is the speed, and the others are zero.
    Push "PUSH" {
        flags(&["inactive", "follows the bone's tail", "deleted once activated",
            "radius is cubic", "type filter on", "type filter excludes", "team filter excludes",
            "direction from position"]),
        PLACE, FOLLOWED,
        vectors(Unit::Metres, ["radius"]),
        floats(Unit::None, ["falloff"]),
        TYPE_FILTER, TEAM_FILTER,
        vectors(Unit::None, ["velocity"]),
        inputs(["signal to activate"]),
    }
    /// A relay for a signal.
    Broadcaster "BROADCASTER" {
        flags(&["inactive", "type filter on", "type filter excludes", "team filter excludes",
            "initiator becomes itself for output 1", "initiator becomes itself for output 2"]),
        inputs(["input signal"]),
        TYPE_FILTER, TEAM_FILTER,
        outputs(["output signal 1", "output signal 2"]),
        unsigned(1, ["repeat"]),
        ACTIVATION,
    }
    /// A 32-bit counter of signals.
    Counter "COUNTER" {
        COMPARISON, unsigned(4, COUNTED), COUNTING,
    }
    /// A 64-bit counter of signals.
    ExtendedCounter "EXCOUNTER" {
        COMPARISON, unsigned(8, COUNTED), COUNTING,
    }
    /// A delayed signal with a 32-bit time.
    Timer "TIMER" {
        micros(["time"]), TIMING,
    }
    /// A delayed signal with a 64-bit time.
    ExtendedTimer "EXTIMER" {
        all(FieldKind::Unsigned(8), Unit::Microseconds, ["time"]), TIMING,
    }
    /// A change to an attribute of an entity.
    Setter "SETTER" {
        flags(&["times tick time"]),
        texts(["target entity"]),
        of(FieldKind::EntityKind, ["expected type"]),
        unsigned(1, ["attribute"]),
        of(FieldKind::Property, ["value"]),
        inputs(["signal to activate"]),
    }
    /// A sound.
    AudioEmitter "AUDIOEMITTER" {
        flags(&["follows the bone's tail", "loop", "wrap", "radius is cubic",
            "no Doppler effect"]),
        PLACE, FOLLOWED,
        all(FieldKind::Signed64, Unit::Microseconds, ["offset"]),
        floats(Unit::None, ["speed"]),
        rows(ONE, &["left", "right"], Unit::None,
            ["volume", "low-pass filter", "high-pass filter"]),
        floats(Unit::Metres, ["range"]),
        vectors(Unit::Metres, ["radius"]),
        texts(["sound"]),
        inputs(["signal to play"]),
    }
    /// A switch for a dynamic light.
    DynamicLightController "DYNLIGHTCTL" {
        flags(&["pattern advances while off"]),
        unsigned(4, ["light"]),
        of(FieldKind::Pattern32, ["pattern"]),
        micros(["pattern advance time"]),
        SWITCHING,
    }
    /// A dimmer for a fast light.
    FastLightController "FASTLIGHTCTL" {
        flags(&["pattern advances while off", "pattern in steps"]),
        unsigned(4, ["light"]),
        of(FieldKind::Bytes(32), ["pattern"]),
        micros(["pattern advance time"]),
        SWITCHING,
    }
}

/// The fields at the start of every entity, before those of its type.
pub(super) const HEAD: [Field; 5] = laid_out(&[
    &of(FieldKind::Pattern32, ["gamemodes"]),
    &texts(["name"]),
    &unsigned(4, ["properties", "property reference"]),
    &of(FieldKind::EntityKind, ["type"]),
]);

impl EntityKind {
    /// All types in numerical order.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// The type with a number; `None` for an unknown number.
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

    /// The fields after the type byte, in file order.
    pub fn fields(self) -> &'static [Field] {
        KINDS[self as usize].2
    }

    /// The field with a name.
    pub fn field(self, name: &str) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// Number of bytes after the type byte.
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

    /// Position offsets according to fact sheet C.
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
    fn no_two_fields_or_flags_of_a_type_have_the_same_name() {
        for kind in EntityKind::all() {
            for (i, field) in kind.fields().iter().enumerate() {
                let earlier = &kind.fields()[..i];
                assert!(
                    earlier.iter().all(|other| other.name != field.name),
                    "{} {}",
                    kind.name(),
                    field.name
                );
                if let FieldKind::Flags(bytes, names) = field.kind {
                    assert!(names.len() <= 8 * usize::from(bytes), "{}", kind.name());
                    let named = || names.iter().filter(|name| !name.is_empty());
                    let different: std::collections::BTreeSet<_> = named().collect();
                    assert_eq!(different.len(), named().count(), "{}", kind.name());
                }
            }
        }
    }
}
