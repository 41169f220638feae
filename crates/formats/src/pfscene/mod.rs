//! PFSCENE, the scenes of the Permafrost Engine: the objects on a map, as lists of entities,
//! factions, regions and cameras.
//!
//! The layout is that of fact sheet C: a head of two lines, then sections in any order. Every
//! record is a line with its name, followed by lines of attributes, which have a key, a type and a
//! value. Until 2021 the engine's editor wrote neither the head nor the first lines of sections.

mod attribute;
mod known;
mod layout;
mod lines;
mod read;
mod rules;
#[cfg(feature = "write")]
mod write;

pub use attribute::{Attribute, Attributes, Tag, Value, ValueType};
use known::{CAMERA_ATTRIBUTES, FACTION_ATTRIBUTES};
pub use known::{ENTITY_ATTRIBUTES, KnownAttribute, REGION_ATTRIBUTES};
pub use layout::Layout;
pub use read::{MAX_LENGTH, read, read_with};
pub(crate) use rules::RULES;
#[cfg(feature = "write")]
pub use write::write;

use crate::{Format, Problem, Subject, quoted};

/// The entry of PFSCENE in the table of formats.
pub static FORMAT: Format = Format {
    id: "pfscene",
    name: "Permafrost Engine scene",
    endings: &["pfscene"],
    sniff: read::sniff,
};

/// Maximum number of factions in the engine.
pub const MAX_FACTIONS: usize = 15;

/// Prefixes the messages of an entity's problems with its number and name. A problem above the
/// first line of its entity is about a record that was left out.
fn name_entities(problems: &mut [Problem], entities: &[Entity]) {
    for problem in problems {
        name_entities(&mut problem.consequences, entities);
        let Subject::SceneEntity(index) = problem.subject else {
            continue;
        };
        if let Some(entity) = entities.get(index as usize)
            && problem.place.line_number() >= Some(entity.line)
        {
            problem.message = format!("{}: {}", entity.numbered(index), problem.message);
        }
    }
}

/// A PFSCENE file as plain data, as it is written: nothing is normalised or rotated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pfscene {
    /// The version as written, such as `1.0`; empty if it is missing.
    pub version: String,
    /// The sections in file order. A kind that occurs twice in the file is listed once, with the
    /// entries of both.
    pub sections: Vec<Section>,
    /// Sky and light of a scene (version 1.1).
    pub general: General,
    /// The factions, in file order; entities name them by index.
    pub factions: Vec<Faction>,
    /// The relations between factions (version 1.1).
    pub diplomacy: Vec<Diplomacy>,
    /// The objects on the map, in file order.
    pub entities: Vec<Entity>,
    /// Areas of the map that scripts use, in file order.
    pub regions: Vec<Region>,
    /// Points of view that scripts use, in file order.
    pub cameras: Vec<Camera>,
    /// The spelling of lines that the writer would spell differently.
    pub layout: Layout,
    /// All faults of the file, in file order. The first hundred of each rule are listed, followed
    /// by the number of further ones.
    pub problems: Vec<Problem>,
}

/// A section of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The content.
    pub kind: SectionKind,
    /// First line of the section in the file, from 1; 0 if it has none.
    pub line: u64,
    /// Line of the file, from 1, with the number of its entries; 0 without such a line.
    pub count_line: u64,
}

/// The content of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionKind {
    /// Sky and light.
    General,
    /// Factions and their relations.
    Factions,
    /// Entities.
    Entities,
    /// Regions.
    Regions,
    /// Cameras.
    Cameras,
    /// A section that the engine does not know.
    Unknown {
        /// Its name.
        name: String,
        /// Its lines.
        lines: Vec<UnknownLine>,
    },
}

/// A line that the engine does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLine {
    /// The line without its end.
    pub text: String,
    /// Line of the file, from 1.
    pub line: u64,
}

impl SectionKind {
    /// The name between the quotation marks of a `section` line.
    pub fn name(&self) -> &str {
        match self {
            Self::General => "general",
            Self::Factions => "factions",
            Self::Entities => "entities",
            Self::Regions => "regions",
            Self::Cameras => "cameras",
            Self::Unknown { name, .. } => name,
        }
    }

    /// The first word of the line with the number of its entries; `None` for a section without one.
    pub fn count_key(&self) -> Option<&'static str> {
        match self {
            Self::Factions => Some("num_factions"),
            Self::Entities => Some("num_entities"),
            Self::Regions => Some("num_regions"),
            Self::Cameras => Some("num_cameras"),
            Self::General | Self::Unknown { .. } => None,
        }
    }
}

/// Sky and light of a scene, as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct General {
    /// The images of the sky.
    pub skybox: Option<Setting<Skybox>>,
    /// Red, green, blue and alpha of the ambient light, 0 to 255. Alpha has no meaning.
    pub ambient_light_color: Option<Setting<[i32; 4]>>,
    /// Red, green, blue and alpha of the sun, 0 to 255. Alpha has no meaning.
    pub emit_light_color: Option<Setting<[i32; 4]>>,
    /// Position of the sun, in world space.
    pub emit_light_pos: Option<Setting<[f32; 3]>>,
    /// The other lines, in file order.
    pub other: Vec<UnknownLine>,
}

/// A value of the section `general`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Line of the file, from 1.
    pub line: u64,
}

/// The images of a sky: six files named `right`, `left`, `top`, `bottom`, `back` and `front`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skybox {
    /// Their folder, relative to the asset root.
    pub folder: String,
    /// The end of their names, with or without the dot.
    pub extension: String,
}

/// A faction.
#[derive(Debug, Clone, PartialEq)]
pub struct Faction {
    /// Name for people.
    pub name: String,
    /// `color` (0 to 255) and, from version 1.1 on, `controllable`. The engine reads them in this
    /// order, regardless of their keys.
    pub attributes: Attributes,
    /// First line of the faction in the file, from 1.
    pub line: u64,
}

impl Faction {
    /// Red, green and blue, 0 to 255.
    pub fn color(&self) -> Option<[f32; 3]> {
        self.attributes.by_order(0)?.vec3()
    }

    /// `true` if a player controls it; `None` before version 1.1.
    pub fn is_controllable(&self) -> Option<bool> {
        self.attributes.by_order(1)?.bool()
    }
}

/// The relation of one faction to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diplomacy {
    /// Index of a faction. It may be outside the list.
    pub faction: u32,
    /// Index of the other faction. It may be outside the list.
    pub other: u32,
    /// 0 for peace, 1 for war.
    pub state: u32,
    /// Line of the file, from 1.
    pub line: u64,
}

/// An object on the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Name for people; many may have the same.
    pub name: String,
    /// Path of its model relative to the asset root, as written.
    pub model: String,
    /// The attributes ([`ENTITY_ATTRIBUTES`]), in file order.
    pub attributes: Attributes,
    /// First line of the entity in the file, from 1.
    pub line: u64,
}

impl Entity {
    /// Number in the file, from 0, and name, in the form of messages: ``entity 12 `knight` ``.
    pub fn numbered(&self, index: u32) -> String {
        format!("entity {index} {}", quoted(self.name.as_bytes()))
    }
}

/// An area of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The name by which scripts find it.
    pub name: String,
    /// The kind of [`Region::shape`]: 0 for a rectangle, 1 for a circle.
    pub shape_type: u32,
    /// `pos`, and `radius` or `dimensions`, in world units.
    pub attributes: Attributes,
    /// First line of the region in the file, from 1.
    pub line: u64,
}

/// The shape of a region on the ground, in world units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A circle.
    Circle {
        /// Radius.
        radius: f32,
    },
    /// An axis-aligned rectangle.
    Rectangle {
        /// Full extents along X and Z.
        size: [f32; 2],
    },
}

impl Region {
    /// X and Z of the centre, in world space.
    pub fn center(&self) -> Option<[f32; 2]> {
        self.attributes.value("pos")?.vec2()
    }

    /// The shape, if its type is known and has its attribute.
    pub fn shape(&self) -> Option<Shape> {
        match self.shape_type {
            0 => Some(Shape::Rectangle {
                size: self.attributes.value("dimensions")?.vec2()?,
            }),
            1 => Some(Shape::Circle {
                radius: self.attributes.value("radius")?.float()?,
            }),
            _ => None,
        }
    }

    /// `true` if the region contains a point of the ground, X and Z in world space.
    pub fn contains(&self, point: [f32; 2]) -> bool {
        let (Some(center), Some(shape)) = (self.center(), self.shape()) else {
            return false;
        };
        let [x, z] = [point[0] - center[0], point[1] - center[1]];
        match shape {
            Shape::Circle { radius } => x * x + z * z <= radius * radius,
            Shape::Rectangle { size } => x.abs() <= size[0] / 2.0 && z.abs() <= size[1] / 2.0,
        }
    }
}

/// A point of view.
#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    /// The name by which scripts find it.
    pub name: String,
    /// Position, pitch and yaw. The engine reads them in this order, regardless of their keys.
    pub attributes: Attributes,
    /// First line of the camera in the file, from 1.
    pub line: u64,
}

impl Camera {
    /// Position in world space.
    pub fn position(&self) -> Option<[f32; 3]> {
        self.attributes.by_order(0)?.vec3()
    }

    /// Pitch and yaw in degrees, as defined in fact sheet 0: the camera looks along (cos yaw cos
    /// pitch, sin pitch, -sin yaw cos pitch).
    pub fn pitch_and_yaw(&self) -> Option<[f32; 2]> {
        let angle = |index| self.attributes.by_order(index)?.float();
        Some([angle(1)?, angle(2)?])
    }
}

impl Pfscene {
    /// `true` for versions with controllable factions, diplomacy and the section `general`.
    pub fn is_1_1(&self) -> bool {
        version_number(&self.version).is_some_and(|version| version >= [1, 1])
    }
}

/// Major and minor number of a version.
fn version_number(text: &str) -> Option<[u32; 2]> {
    let (major, minor) = text.split_once('.')?;
    Some([major.parse().ok()?, minor.parse().ok()?])
}
