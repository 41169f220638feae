//! The attributes that the engine knows.

use super::ValueType;

/// An attribute whose meaning is known.
#[derive(Debug)]
pub struct KnownAttribute {
    /// The key.
    pub key: &'static str,
    /// The type of its value.
    pub value_type: ValueType,
    /// The meaning as a sentence.
    pub summary: &'static str,
}

macro_rules! attributes {
    ($($(#[$doc:meta])* $pub:vis $name:ident { $($key:ident $type:ident $summary:literal;)* })*) => {
        $($(#[$doc])* $pub static $name: &[KnownAttribute] = &[$(KnownAttribute {
            key: stringify!($key),
            value_type: ValueType::$type,
            summary: $summary,
        }),*];)*
    };
}

attributes! {
    /// The attributes of entities that the engine reads (fact sheet C). Script classes may have
    /// others.
    pub ENTITY_ATTRIBUTES {
        position Vec3 "Where it stands, in world space.";
        scale Vec3 "Its size along X, Y and Z of the world.";
        rotation Quat "How it is turned: the conjugate of a quaternion.";
        animated Bool "Whether it plays clips.";
        idle_clip String "The clip that it plays while it does nothing.";
        selectable Bool "Whether a player can select it.";
        static Bool "Whether it never moves.";
        collision Bool "Whether units walk around it.";
        faction_id Int "The index of its faction.";
        selection_radius Float "The radius of its selection circle, in world units.";
        vision_range Float "How far it sees, in world units.";
        class String "The class of the script that runs it.";
        constructor_arguments Int "The number of values that the class is made with.";
        tags Int "The number of its tags.";
    }
    /// The attributes of regions that the engine reads.
    pub REGION_ATTRIBUTES {
        radius Float "The radius of a circle.";
        dimensions Vec2 "The extents of a rectangle along X and Z.";
        pos Vec2 "The X and Z of its middle.";
    }
    /// The attributes of factions, which the engine identifies by their order. The second one is
    /// new in version 1.1.
    pub(super) FACTION_ATTRIBUTES {
        color Vec3 "Red, green and blue, 0 to 255.";
        controllable Bool "`true` if a player controls it.";
    }
    /// The attributes of cameras, which the engine identifies by their order.
    pub(super) CAMERA_ATTRIBUTES {
        position Vec3 "Its place in world space.";
        pitch Float "Its pitch in degrees.";
        yaw Float "Its yaw in degrees.";
    }
}
