//! Tables of fields that describe a scene and its contents.

use glam::Vec3;
use serde_json::{Map, Value as Json};

use super::build::class;
use super::place::{camera_pose, rotation, yaw_degrees};
use super::{MapScene, Placed, SceneModel};
use crate::describe::numbers::{fixed, short};
use crate::describe::outline::base_name;
use crate::describe::own::OTHER;
use crate::describe::table::{
    TEXTS, Table, ValueType, decimal, facts, field, flag, integer, place, section, shown_only,
    table, text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::{Animation as _, Item, ModelItem, OwnClip, Playhead, SceneItem, Swatch, TerrainItem};
use mapscope_formats::pfscene::{
    Attribute, Attributes, Camera, ENTITY_ATTRIBUTES, Entity, Faction, Region, Setting, Shape,
    Value as FileValue, ValueType as FileType,
};
use mapscope_formats::{Problem, Severity, Subject};

/// Text for values that a scene does not define.
const GAME_DEFAULT_NOTE: &str = "as in the game";
/// Maximum number of problems listed for an entity, and for its model.
const MAX_PROBLEMS: usize = 20;

/// Sky and light.
const GENERAL: ValueType = ValueType::Object(&[
    (
        "skybox",
        ValueType::Object(&[
            ("folder", ValueType::Text),
            ("extension", ValueType::Text),
            ("found", ValueType::Flag),
        ]),
    ),
    ("ambient_light_color", ValueType::Integers(4)),
    ("emit_light_color", ValueType::Integers(4)),
    ("emit_light_pos", ValueType::Numbers(3)),
]);
const PROBLEMS: ValueType = ValueType::List(&ValueType::Object(&[
    ("severity", ValueType::Text),
    ("rule", ValueType::Text),
    ("at", ValueType::Text),
    ("message", ValueType::Text),
]));
/// The relations of a faction to all factions.
const RELATIONS: ValueType = ValueType::List(&ValueType::Object(&[
    ("faction", ValueType::Integer),
    ("state", ValueType::Text),
]));

/// A whole scene.
#[derive(Clone, Copy)]
pub(super) struct SceneAt<'a>(pub(super) &'a MapScene);

impl<'a> SceneAt<'a> {
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section(
                "Scene",
                &[
                    text("Version", "version", |SceneAt(scene): &Self| {
                        scene.pfscene.version.as_str().into()
                    })
                    .hidden(),
                    text("Map", "map", |SceneAt(scene): &Self| match &scene.map {
                        Some((path, _)) => {
                            Value::from(path.display().to_string()).link(TerrainItem::Map)
                        }
                        None => Value::none("none"),
                    })
                    .derived()
                    .listed(),
                    field(
                        "Entities",
                        "entities",
                        ValueType::Records(|| EntityAt::FIELDS.listed_keys()),
                        |at: &Self| {
                            let numbers = 0..at.0.entities.len() as u32;
                            let entities = numbers.filter_map(|index| {
                                EntityAt::new(at.0, index, Playhead::default())
                            });
                            Value::list(entities.map(|entity| EntityAt::FIELDS.listed(&entity)))
                        },
                    )
                    .derived()
                    .listed()
                    .shown(|SceneAt(scene)| scene.entities.len().into())
                    .in_summary()
                    .note(|SceneAt(scene)| Value::count(scene.entities.len(), "entity")),
                    integer("Models", "models", |SceneAt(scene): &Self| {
                        scene.models.len().into()
                    })
                    .derived(),
                    integer(
                        "Without a model",
                        "entities_without_a_model",
                        |at: &Self| at.0.missing_count().into(),
                    )
                    .derived()
                    .shown(|SceneAt(scene)| {
                        let missing = scene.missing_count();
                        (missing > 0).then_some(missing).into()
                    }),
                    field("Factions", "factions", TEXTS, |SceneAt(scene): &Self| {
                        Value::list(scene.pfscene.factions.iter().map(|it| it.name.as_str()))
                    })
                    .derived()
                    .listed()
                    .shown(|SceneAt(scene)| scene.pfscene.factions.len().into()),
                    field("Regions", "regions", TEXTS, |SceneAt(scene): &Self| {
                        Value::list(scene.pfscene.regions.iter().map(|it| it.name.as_str()))
                    })
                    .derived()
                    .listed()
                    .shown(|SceneAt(scene)| scene.pfscene.regions.len().into()),
                    field("Cameras", "cameras", TEXTS, |SceneAt(scene): &Self| {
                        Value::list(scene.pfscene.cameras.iter().map(|it| it.name.as_str()))
                    })
                    .derived()
                    .listed()
                    .shown(|SceneAt(scene)| scene.pfscene.cameras.len().into()),
                ],
            ),
            section(
                "Sky and light",
                &[
                    field("General", "general", GENERAL, |SceneAt(scene): &Self| {
                        scene.general()
                    })
                    .listed()
                    .note(|SceneAt(scene)| {
                        let skybox = scene.environment.skybox.as_ref();
                        let name = skybox.map(|skybox| base_name(&skybox.name[0]));
                        name.map(|name| format!("sky {name}")).into()
                    }),
                    decimal("Height of the sun", "sun_elevation_degrees", |at: &Self| {
                        let direction = at.0.environment.sun.direction();
                        direction.y.asin().to_degrees().into()
                    })
                    .derived()
                    .shown(|SceneAt(scene)| {
                        let degrees = scene.environment.sun.direction().y.asin().to_degrees();
                        format!("{}° above the horizon", fixed(degrees, 1)).into()
                    }),
                ],
            ),
        ],
    };
}

impl MapScene {
    /// Number of entities without a drawable model.
    pub(super) fn missing_count(&self) -> usize {
        let missing = self.models.iter().filter(|model| model.model.is_none());
        missing.map(|model| model.entities.len()).sum()
    }

    /// Sky and light as defined in the file.
    fn general(&self) -> Value {
        let general = &self.pfscene.general;
        let skybox = general.skybox.as_ref().map(|it| {
            Value::object([
                Fact::new("Skybox folder", it.value.folder.as_str()).keyed("folder"),
                Fact::new("Skybox extension", it.value.extension.as_str()).keyed("extension"),
                Fact::new("Found", self.environment.skybox.is_some()).derived(),
            ])
        });
        let skybox = Value::from(skybox).shown_as(self.skybox_text());
        let ambient = color(general.ambient_light_color.as_ref());
        let sun = color(general.emit_light_color.as_ref());
        Value::object([
            Fact::new("Skybox", skybox),
            Fact::new("Ambient light", ambient).keyed("ambient_light_color"),
            Fact::new("Sun", sun).keyed("emit_light_color"),
            Fact::new("Position of the sun", self.sun_position()).keyed("emit_light_pos"),
        ])
    }

    /// The skybox, or the source of the sky if the skybox is missing.
    fn skybox_text(&self) -> String {
        let named = self.pfscene.general.skybox.as_ref().map(|it| &it.value);
        match (named, &self.environment.skybox) {
            (Some(_), Some(skybox)) => skybox.said(),
            (Some(named), None) => {
                format!(
                    "{} ({}), which cannot be shown",
                    named.folder, named.extension
                )
            }
            (None, Some(skybox)) => format!("{}, {GAME_DEFAULT_NOTE}", skybox.said()),
            (None, None) => "none".to_owned(),
        }
    }

    /// The position of the sun in the file.
    fn sun_position(&self) -> Value {
        let named = self.pfscene.general.emit_light_pos.as_ref();
        let value = named.map(|position| Value::from(position.value));
        value.unwrap_or_else(|| {
            let [x, y, z] = self.environment.sun.position.to_array().map(short);
            Value::none(format!("{x} {y} {z}, {GAME_DEFAULT_NOTE}"))
        })
    }

    /// The keys of `info --json` that only scenes have.
    pub(super) fn info_json(&self) -> Map<String, Json> {
        let mut keys = SceneAt::FIELDS.json(&SceneAt(self));
        let navigation = self.terrain().map(|terrain| terrain.navigation_json());
        keys.extend(navigation.map(|json| ("navigation".to_owned(), json)));
        keys
    }
}

/// A colour of `general`; the game's default is white.
fn color(named: Option<&Setting<[i32; 4]>>) -> Value {
    let Some([r, g, b, alpha]) = named.map(|setting| setting.value) else {
        let white = Some(Swatch::Color([255; 3]));
        return Value::none(format!("255 255 255, {GAME_DEFAULT_NOTE}")).swatch(white);
    };
    let rgb = [r, g, b].map(|part| part.clamp(0, 255) as u8);
    let text = format!("{r} {g} {b}, alpha {alpha}");
    Value::from([r, g, b, alpha])
        .shown_as(text)
        .swatch(Some(Swatch::Color(rgb)))
}

/// An entity of a scene.
#[derive(Clone, Copy)]
pub(super) struct EntityAt<'a> {
    scene: &'a MapScene,
    entity: &'a Entity,
    placed: &'a Placed,
    model: &'a SceneModel,
    index: u32,
    playhead: Playhead,
}

impl<'a> EntityAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32, playhead: Playhead) -> Option<Self> {
        let placed = scene.entities.get(index as usize)?;
        Some(Self {
            scene,
            entity: scene.pfscene.entities.get(index as usize)?,
            placed,
            model: scene.models.get(placed.model)?,
            index,
            playhead,
        })
    }

    fn value(&self, key: &str) -> Option<&'a FileValue> {
        self.entity.attributes.value(key)
    }

    fn float(&self, key: &str) -> Option<f32> {
        self.value(key)?.float()
    }

    /// The faction that it names; `None` if the file lacks it.
    fn faction(&self) -> Option<&'a Faction> {
        let index = self.value("faction_id")?.int()?;
        let index = usize::try_from(index).ok()?;
        self.scene.pfscene.factions.get(index)
    }

    /// The index of its faction.
    fn faction_value(&self) -> Value {
        let Some(id) = self.value("faction_id").and_then(FileValue::int) else {
            return Value::absent();
        };
        let item = u32::try_from(id)
            .ok()
            .map(|index| SceneItem::Faction { index });
        let value = match self.faction() {
            Some(faction) => Value::reference(id as usize, faction.name.as_str())
                .with_index()
                .swatch(faction_color(faction).map(Swatch::Color)),
            None => Value::from(id).shown_as(format!("{id}, which does not exist")),
        };
        value.link_if(item)
    }

    /// Its size along its own axes, in the first frame of its clip, in world units.
    fn size_along_axes(&self) -> Option<Vec3> {
        let playhead = Playhead {
            clip: self.placed.clip,
            ..Playhead::default()
        };
        let extent = self.model.model.as_ref()?.extent_at(playhead)?;
        let (scale, ..) = self.placed.world_from_model.to_scale_rotation_translation();
        Some((extent.max - extent.min) * scale.abs())
    }

    /// Its position in world space; `None` if the file has no valid position.
    fn position(&self) -> Option<Vec3> {
        let placed = self.placed;
        placed.has_position.then(|| placed.position())
    }

    pub(super) fn tile(&self) -> Option<(u32, u32)> {
        let position = self.position()?;
        let placement = self.scene.terrain()?.placement();
        let (row, col, _) = placement.tile_at(position.x, position.z)?;
        Some((row, col))
    }

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section(
                "Entity",
                &[
                    integer("Number", "index", |at: &Self| at.index.into()).derived(),
                    text("Name", "name", |at: &Self| at.entity.name.as_str().into())
                        .in_summary()
                        .listed(),
                    text("Model", "model", |at: &Self| {
                        let index = at.placed.model as u32;
                        Value::from(at.entity.model.as_str()).link(SceneItem::Model { index })
                    })
                    .listed(),
                    flag("Model found", "found", |at: &Self| {
                        at.model.model.is_some().into()
                    })
                    .derived()
                    .listed(),
                    integer("Faction", "faction", |at: &Self| at.faction_value())
                        .derived()
                        .summary("Faction", |at| {
                            at.faction().map(|faction| faction.name.as_str()).into()
                        })
                        .listed(),
                    text("Class", "class", |at: &Self| {
                        let name = class(at.entity).map(Value::from);
                        let [_, kind, _] = at.placed.kinds;
                        name.zip(kind).map(|(name, kind)| name.link(kind)).into()
                    })
                    .derived()
                    .in_note(),
                    text("Clip", "clip", |at: &Self| at.clip().into()).derived(),
                    integer("Frame", "frame", |at: &Self| {
                        at.own_clip().map(|clip| clip.frame).into()
                    })
                    .derived()
                    .hidden(),
                    place("Line", "place", |at: &Self| Value::line(at.entity.line))
                        .place()
                        .shown(|at| at.entity.line.into()),
                ],
            ),
            section(
                "Place",
                &[
                    vector("Position", "position", |at: &Self| at.numbers("position"))
                        .derived()
                        .listed()
                        .shown(|at| at.position().into())
                        .note(|at| {
                            let position = at.position().map(|at| {
                                let [x, z] = [at.x, at.z].map(|at| fixed(at, 0));
                                format!("x {x}  z {z}")
                            });
                            position.into()
                        }),
                    decimal("Ground", "ground", |at: &Self| at.placed.ground.into())
                        .derived()
                        .listed(),
                    decimal("Off the ground", "above_ground", |at: &Self| {
                        at.placed.above_ground().into()
                    })
                    .derived()
                    .shown(|at| {
                        at.placed
                            .above_ground()
                            .map(|above| match above {
                                above if above.abs() < 0.005 => "no".to_owned(),
                                above if above > 0.0 => format!("{} above it", short(above)),
                                above => format!("{} below it", short(-above)),
                            })
                            .into()
                    }),
                    field("Tile", "tile", ValueType::Integers(2), |at: &Self| {
                        let tile = at.tile().map(|(row, col)| {
                            Value::from([row, col])
                                .shown_as(format!("row {row}, column {col}"))
                                .link(TerrainItem::Tile { row, col })
                        });
                        tile.into()
                    })
                    .derived(),
                    field(
                        "Region",
                        "regions",
                        ValueType::List(&ValueType::Integer),
                        |at: &Self| at.regions(),
                    )
                    .derived(),
                    vector("Scale", "scale", |at: &Self| at.numbers("scale"))
                        .derived()
                        .listed()
                        .shown(|at| {
                            let scale = at.value("scale").and_then(FileValue::vec3);
                            let scale = scale.map(|[x, y, z]| match [x, y, z] {
                                _ if x == y && y == z => Value::from(x),
                                scale => scale.into(),
                            });
                            scale.into()
                        }),
                    field(
                        "Rotation",
                        "rotation",
                        ValueType::Numbers(4),
                        |at: &Self| at.numbers("rotation"),
                    )
                    .derived()
                    .listed()
                    .shown(|at| {
                        let quat = rotation(&at.entity.attributes);
                        quat.map(|quat| {
                            if let Some(yaw) = yaw_degrees(quat) {
                                format!("{}° around the vertical", fixed(yaw, 2))
                            } else {
                                let (x, y, z) = quat.to_euler(glam::EulerRot::XYZ);
                                let [x, y, z] = [x, y, z].map(|it| fixed(it.to_degrees(), 2));
                                format!("{x}° {y}° {z}° around X, Y and Z, Z first")
                            }
                        })
                        .into()
                    }),
                    vector("Size along its axes", "size_along_its_axes", |at: &Self| {
                        at.size_along_axes().into()
                    })
                    .derived(),
                    decimal("Selection circle", "selection_radius", |at: &Self| {
                        at.float("selection_radius").into()
                    })
                    .derived(),
                    decimal("Vision range", "vision_range", |at: &Self| {
                        at.float("vision_range").into()
                    })
                    .derived(),
                ],
            ),
            section(
                "Problems",
                &[field("Problem", "problems", PROBLEMS, |at: &Self| at.problems()).derived()],
            ),
            section(
                "Problems of the model",
                &[shown_only("Problem", |at: &Self| {
                    let model = at.model.model.as_ref();
                    let lines = model.map(|model| problem_values(model.problems().iter()));
                    lines.into()
                })],
            ),
            section(
                "Model",
                &[shown_only("Part", |at: &Self| {
                    at.scene.posed(at.index).map(|posed| posed.parts()).into()
                })],
            ),
            section(
                "Attributes",
                &[facts(|at: &Self| attributes(&at.entity.attributes).into())
                    .shown(|at| attribute_lines(&at.entity.attributes).into())],
            ),
        ],
    };

    /// The numbers of an attribute as in the file.
    fn numbers(&self, key: &str) -> Value {
        match self.value(key) {
            Some(FileValue::Vec3(vector)) => (*vector).into(),
            Some(FileValue::Quat(xyzw)) => (*xyzw).into(),
            _ => Value::absent(),
        }
    }

    /// The moment of the clip that it plays.
    fn own_clip(&self) -> Option<OwnClip<'a>> {
        self.scene.posed(self.index)?.own_clip(self.playhead)
    }

    /// The clip that it plays, shown with its current frame.
    fn clip(&self) -> Option<Value> {
        let part = ModelItem::Clip {
            index: self.placed.clip? as u32,
        };
        let (own, entity) = (self.own_clip()?, self.index);
        let value = Value::from(own.name).shown_as(own.to_string());
        Some(value.link(SceneItem::Part { entity, part }))
    }

    /// Its problems in the scene.
    fn problems(&self) -> Value {
        let subject = Subject::SceneEntity(self.index);
        let problems = self
            .scene
            .about
            .problems
            .iter()
            .flat_map(Problem::with_consequences);
        problem_values(problems.filter(|problem| problem.subject == subject))
    }

    /// A reference to it, shown with its index.
    pub(super) fn reference(self) -> Value {
        Value::reference(self.index as usize, self.entity.name.as_str())
            .with_index()
            .link(entity_item(self.index))
    }

    /// The regions that contain it.
    fn regions(&self) -> Value {
        let Some(position) = self.position() else {
            return Value::absent();
        };
        let regions = self.scene.pfscene.regions.iter().enumerate();
        let around = regions.filter(|(_, region)| region.contains([position.x, position.z]));
        Value::list(around.map(|(number, region)| {
            let index = number as u32;
            Value::reference(number, region.name.as_str()).link(SceneItem::Region { index })
        }))
    }
}

/// The problems, each with its place in its file.
fn problem_values<'a>(problems: impl Iterator<Item = &'a Problem>) -> Value {
    let values = problems.map(|problem| {
        let name = match problem.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Note => "Note",
        };
        let facts = [
            Fact::new("Severity", problem.severity.to_string()),
            Fact::new("Rule", problem.rule.id),
            Fact::new("At", problem.place.to_string()),
            Fact::new("Message", problem.message.as_str()),
        ];
        let text = format!("{}: {}", problem.place, problem.message);
        Value::object(facts).shown_as(text).named(name)
    });
    Value::list(values).showing(MAX_PROBLEMS).named("")
}

pub(super) fn faction_color(faction: &Faction) -> Option<[u8; 3]> {
    faction
        .color()
        .map(|color| color.map(|part| part.clamp(0.0, 255.0) as u8))
}

/// The name of an attribute; [`OTHER`] if the engine does not know it.
fn attribute_name(key: &str) -> &'static str {
    let known = ENTITY_ATTRIBUTES.iter().find(|known| known.key == key);
    known.map_or(OTHER, |known| known.key)
}

/// The values of attributes by their keys.
fn attributes(attributes: &Attributes) -> Vec<Fact> {
    let attributes = attributes.0.iter().map(|attribute| {
        let fact = Fact::new(attribute_name(&attribute.key), file_value(&attribute.value));
        fact.keyed(attribute.key.clone())
    });
    attributes.collect()
}

fn file_value(value: &FileValue) -> Value {
    match value {
        FileValue::String(text) | FileValue::Unreadable(text) => text.as_str().into(),
        FileValue::Int(number) => (*number).into(),
        FileValue::Float(number) => (*number).into(),
        FileValue::Bool(is_so) => (*is_so).into(),
        FileValue::Vec2(vector) => (*vector).into(),
        FileValue::Vec3(vector) => (*vector).into(),
        FileValue::Quat(xyzw) => (*xyzw).into(),
        FileValue::Arguments(arguments) => {
            Value::list(arguments.iter().map(|it| file_value(&it.value))).whole()
        }
        FileValue::Tags(tags) => Value::list(tags.iter().map(|tag| &*tag.text)).whole(),
    }
}

/// Attributes as written in the file, each with its line.
fn attribute_lines(attributes: &Attributes) -> Vec<Fact> {
    let mut lines = Vec::new();
    for attribute in &attributes.0 {
        let (name, text) = (attribute_name(&attribute.key), attribute_text(attribute));
        let text = match name {
            OTHER => format!("{} = {text}", attribute.key),
            _ => text,
        };
        lines.push(Fact::new(name, text));
        match &attribute.value {
            FileValue::Arguments(arguments) => {
                let texts = arguments.iter().map(attribute_text);
                lines.extend(texts.map(|text| Fact::new("Argument", text)));
            }
            FileValue::Tags(tags) => {
                let texts = tags
                    .iter()
                    .map(|tag| format!("{} (line {})", tag.text, tag.line));
                lines.extend(texts.map(|text| Fact::new("Tag", text)));
            }
            _ => {}
        }
    }
    lines
}

/// A value as text, with all digits of numbers.
fn own_text(value: &FileValue) -> String {
    match value.numbers() {
        [] => value.to_string(),
        numbers => {
            let numbers = numbers.iter().map(f32::to_string);
            numbers.collect::<Vec<_>>().join(" ")
        }
    }
}

fn attribute_text(Attribute { value, line, .. }: &Attribute) -> String {
    let value_type = value.value_type().map_or("unreadable", FileType::name);
    let value = own_text(value);
    format!("{value} ({value_type}, line {line})")
}

/// All entities of a model.
#[derive(Clone, Copy)]
pub(super) struct ModelAt<'a> {
    model: &'a SceneModel,
}

impl<'a> ModelAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32) -> Option<Self> {
        let model = scene.models.get(index as usize)?;
        Some(Self { model })
    }

    pub(super) fn name(self) -> &'a str {
        base_name(&self.model.name)
    }

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Model",
        text("Path", "path", |at: &Self| at.model.name.as_str().into()),
        text("File", "file", |at: &Self| match &at.model.file {
            Some(file) => file.display().to_string().into(),
            None if at.model.model.is_some() => Value::none("built in"),
            None => Value::none("not found; boxes stand for its entities"),
        }),
        integer("Entities", "entities", |at: &Self| at
            .model
            .entities
            .len()
            .into())
        .in_summary()
        .in_note(),
        integer("Triangles", "triangles", |at: &Self| {
            let model = at.model.model.as_ref();
            model.map(|model| model.pfobj().triangle_count()).into()
        }),
        field("Clips", "clips", TEXTS, |at: &Self| {
            let model = at.model.model.as_ref();
            let names = model.map(|model| {
                let clips = model.clips().iter();
                Value::list(clips.map(|clip| clip.name.as_str())).whole()
            });
            names.into()
        }),
    );
}

/// A faction and its members.
#[derive(Clone, Copy)]
pub(super) struct FactionAt<'a> {
    scene: &'a MapScene,
    /// `None` if entities name a faction that the file lacks.
    faction: Option<&'a Faction>,
    index: u32,
}

impl<'a> FactionAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32) -> Option<Self> {
        let faction = scene.pfscene.factions.get(index as usize);
        let is_named = || !scene.members(SceneItem::Faction { index }).is_empty();
        (faction.is_some() || is_named()).then_some(Self {
            scene,
            faction,
            index,
        })
    }

    pub(super) fn name(self) -> String {
        self.faction.map_or_else(
            || format!("faction {} (unknown)", self.index),
            |faction| faction.name.clone(),
        )
    }

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section(
                "Faction",
                &[
                    text("Name", "name", |at: &Self| match at.faction {
                        Some(faction) => faction.name.as_str().into(),
                        None => Value::none(at.name()),
                    })
                    .in_summary(),
                    integer("Index", "index", |at: &Self| at.index.into()).derived(),
                    field("Colour", "color", ValueType::Numbers(3), |at: &Self| {
                        at.faction.and_then(Faction::color).into()
                    })
                    .shown(|at| at.faction.and_then(faction_color).map(Value::color).into()),
                    flag("Controllable", "controllable", |at: &Self| {
                        at.faction.and_then(Faction::is_controllable).into()
                    }),
                    integer("Entities", "entities", |at: &Self| {
                        let item = SceneItem::Faction { index: at.index };
                        at.scene.members(item).len().into()
                    })
                    .derived()
                    .in_summary()
                    .in_note(),
                    place("Line", "place", |at: &Self| {
                        at.faction.map(|faction| Value::line(faction.line)).into()
                    })
                    .place()
                    .shown(|at| at.faction.map(|faction| faction.line).into()),
                ],
            ),
            section(
                "Diplomacy",
                &[
                    field("Towards", "towards", RELATIONS, |at: &Self| at.diplomacy())
                        .shown(FactionAt::shown_diplomacy),
                ],
            ),
        ],
    };

    /// Its relations to all factions.
    fn diplomacy(&self) -> Value {
        let lines = self.scene.pfscene.diplomacy.iter();
        let own = lines.filter(|line| line.faction == self.index);
        Value::list(own.map(|line| {
            let (other, state) = (line.other as usize, state_name(line.state));
            let facts = [Fact::new("Faction", other), Fact::new("State", state)];
            let state = state.unwrap_or(UNKNOWN_STATE);
            Value::object(facts)
                .shown_as(format!("{}: {state}", self.faction_name(line.other)))
                .naming("faction", other, state)
        }))
    }

    /// The name of a faction, or its number if it does not exist.
    fn faction_name(&self, index: u32) -> String {
        let faction = self.scene.pfscene.factions.get(index as usize);
        faction.map_or_else(|| index.to_string(), |faction| faction.name.clone())
    }

    /// Its relations to other factions, as shown.
    fn shown_diplomacy(&self) -> Value {
        let lines = self.scene.pfscene.diplomacy.iter();
        let own = lines.filter(|line| line.faction == self.index && line.other != self.index);
        Value::list(own.map(|line| {
            let index = line.other;
            let other = self.scene.pfscene.factions.get(index as usize);
            let name = self.faction_name(index);
            let state = state_name(line.state).unwrap_or(UNKNOWN_STATE);
            Value::from(format!("{name}: {state} (line {})", line.line))
                .link_if(other.map(|_| SceneItem::Faction { index }))
        }))
    }
}

const UNKNOWN_STATE: &str = "an unknown state";

/// The relation of a faction to another.
fn state_name(state: u32) -> Option<&'static str> {
    match state {
        0 => Some("peace"),
        1 => Some("war"),
        _ => None,
    }
}

/// All entities of a class.
#[derive(Clone, Copy)]
pub(super) struct ClassAt<'a> {
    scene: &'a MapScene,
    name: &'a str,
    index: u32,
}

impl<'a> ClassAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32) -> Option<Self> {
        let name = scene.classes.get(index as usize)?;
        Some(Self { scene, name, index })
    }

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Class",
        text("Name", "name", |at: &Self| at.name.into()).in_summary(),
        integer("Entities", "entities", |at: &Self| {
            let item = SceneItem::Class { index: at.index };
            at.scene.members(item).len().into()
        })
        .in_summary()
        .in_note(),
    );
}

/// A region.
#[derive(Clone, Copy)]
pub(super) struct RegionAt<'a> {
    scene: &'a MapScene,
    region: &'a Region,
}

impl<'a> RegionAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32) -> Option<Self> {
        let region = scene.pfscene.regions.get(index as usize)?;
        Some(Self { scene, region })
    }

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Region",
        text("Name", "name", |at: &Self| at.region.name.as_str().into()).in_summary(),
        text("Shape", "shape", |at: &Self| match at.region.shape() {
            Some(Shape::Circle { .. }) => "circle".into(),
            Some(Shape::Rectangle { .. }) => "rectangle".into(),
            None => Value::none("unknown"),
        })
        .shown(|at| match at.region.shape() {
            Some(Shape::Circle { radius }) => format!("circle, radius {}", short(radius)).into(),
            Some(Shape::Rectangle { size: [x, z] }) => {
                format!("rectangle, {} along X, {} along Z", short(x), short(z)).into()
            }
            None => "unknown".into(),
        })
        .in_note(),
        decimal("Radius", "radius", |at: &Self| match at.region.shape() {
            Some(Shape::Circle { radius }) => radius.into(),
            _ => Value::absent(),
        })
        .hidden(),
        field(
            "Dimensions",
            "dimensions",
            ValueType::Numbers(2),
            |at: &Self| {
                match at.region.shape() {
                    Some(Shape::Rectangle { size }) => size.into(),
                    _ => Value::absent(),
                }
            }
        )
        .hidden(),
        field("Middle", "middle", ValueType::Numbers(2), |at: &Self| at
            .region
            .center()
            .into())
        .shown(|at| {
            let middle = at.region.center();
            let text = middle.map(|[x, z]| format!("x {}  z {}", short(x), short(z)));
            text.into()
        }),
        integer("Entities in it", "entities", |at: &Self| {
            let places = at.scene.entities.iter().map(Placed::position);
            let inside = places.filter(|place| at.region.contains([place.x, place.z]));
            inside.count().into()
        })
        .derived(),
        place("Line", "place", |at: &Self| Value::line(at.region.line))
            .place()
            .shown(|at| at.region.line.into()),
    );
}

/// A camera.
#[derive(Clone, Copy)]
pub(super) struct CameraAt<'a> {
    camera: &'a Camera,
}

impl<'a> CameraAt<'a> {
    pub(super) fn new(scene: &'a MapScene, index: u32) -> Option<Self> {
        let camera = scene.pfscene.cameras.get(index as usize)?;
        Some(Self { camera })
    }

    /// Its pitch or its yaw.
    fn degrees(self, index: usize) -> Option<f32> {
        self.camera.pitch_and_yaw()?.get(index).copied()
    }

    pub(super) const FIELDS: Table<'a, Self> = table!(
        "Camera",
        text("Name", "name", |at: &Self| at.camera.name.as_str().into()).in_summary(),
        vector("Position", "position", |at: &Self| at
            .camera
            .position()
            .into())
        .shown(|at| camera_pose(at.camera).map(|pose| pose.eye).into()),
        decimal("Pitch", "pitch_degrees", |at: &Self| at.degrees(0).into()).shown(|at| at
            .degrees(0)
            .map(|pitch| format!("{}°", short(pitch)))
            .into()),
        decimal("Yaw", "yaw_degrees", |at: &Self| at.degrees(1).into())
            .shown(|at| at.degrees(1).map(|yaw| format!("{}°", short(yaw))).into()),
        place("Line", "place", |at: &Self| Value::line(at.camera.line))
            .place()
            .shown(|at| at.camera.line.into()),
    );
}

/// The item of an entity.
pub(super) fn entity_item(index: u32) -> Item {
    SceneItem::Entity { index }.into()
}
