//! Tables of fields that describe a scene and its contents.

use glam::Vec3;
use serde_json::{Map, Value as Json, json};

use super::build::class;
use super::place::{camera_pose, rotation, yaw_degrees};
use super::{MapScene, Placed, SceneModel};
use crate::describe::fields::{Table, Value, field, json_only, own_only, section};
use crate::describe::numbers::{fixed, number, short};
use crate::describe::outline::base_name;
use crate::{Animation as _, Item, ModelItem, Playhead, Property, SceneItem, Swatch, TerrainItem};
use mapscope_formats::pfscene::{
    Attribute, Attributes, Camera, ENTITY_ATTRIBUTES, Entity, Faction, Region, Setting, Shape,
    Value as FileValue, ValueType,
};
use mapscope_formats::{Problem, Severity, Subject, counted};

/// Text for values that a scene does not define.
const GAME_DEFAULT_NOTE: &str = "as in the game";
/// Maximum number of problems listed for an entity, and for its model.
const MAX_PROBLEMS: usize = 20;

/// A whole scene.
#[derive(Clone, Copy)]
pub(super) struct SceneAt<'a>(pub(super) &'a MapScene);

impl<'a> SceneAt<'a> {
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section(
                "Scene",
                &[
                    own_only("Version", |SceneAt(scene): &Self| {
                        scene.pfscene.version.as_str().into()
                    }),
                    field("Map", |SceneAt(scene): &Self| match &scene.map {
                        Some((path, _)) => {
                            Value::from(path.display().to_string()).link(TerrainItem::Map)
                        }
                        None => "none".into(),
                    })
                    .derived(),
                    field("Entities", |SceneAt(scene): &Self| {
                        scene.entities.len().into()
                    })
                    .derived()
                    .summary("Entities", |SceneAt(scene)| scene.entities.len().into())
                    .note(|SceneAt(scene)| counted(scene.entities.len(), "entity").into()),
                    field("Models", |SceneAt(scene): &Self| scene.models.len().into()).derived(),
                    field("Without a model", |SceneAt(scene): &Self| {
                        let missing = scene.missing_count();
                        (missing > 0).then_some(missing).into()
                    })
                    .derived(),
                    field("Factions", |SceneAt(scene): &Self| {
                        scene.pfscene.factions.len().into()
                    })
                    .derived(),
                    field("Regions", |SceneAt(scene): &Self| {
                        scene.pfscene.regions.len().into()
                    })
                    .derived(),
                    field("Cameras", |SceneAt(scene): &Self| {
                        scene.pfscene.cameras.len().into()
                    })
                    .derived(),
                ],
            ),
            section(
                "Sky and light",
                &[
                    field("Skybox", |SceneAt(scene): &Self| scene.skybox_value())
                        .own(|SceneAt(scene)| {
                            let named = scene.pfscene.general.skybox.as_ref().map(|it| &it.value);
                            named
                                .map(|it| format!("{} ({})", it.folder, it.extension))
                                .into()
                        })
                        .note(|SceneAt(scene)| {
                            let skybox = scene.environment.skybox.as_ref();
                            let name = skybox.map(|skybox| base_name(&skybox.name[0]));
                            name.map(|name| format!("sky {name}")).into()
                        }),
                    field("Ambient light", |SceneAt(scene): &Self| {
                        color(scene.pfscene.general.ambient_light_color.as_ref())
                    }),
                    field("Sun", |SceneAt(scene): &Self| {
                        color(scene.pfscene.general.emit_light_color.as_ref())
                    }),
                    field("Position of the sun", |SceneAt(scene): &Self| {
                        let named = scene.pfscene.general.emit_light_pos.as_ref();
                        named.map_or_else(
                            || {
                                let position = scene.environment.sun.position.to_array();
                                let [x, y, z] = position.map(short);
                                format!("{x} {y} {z}, {GAME_DEFAULT_NOTE}").into()
                            },
                            |position| position.value.into(),
                        )
                    })
                    .own(|SceneAt(scene)| {
                        let named = scene.pfscene.general.emit_light_pos.as_ref();
                        named.map(|position| position.value).into()
                    }),
                    field("Height of the sun", |SceneAt(scene): &Self| {
                        let degrees = scene.environment.sun.direction().y.asin().to_degrees();
                        format!("{}° above the horizon", fixed(degrees, 1)).into()
                    })
                    .derived(),
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

    /// The skybox, or the source of the sky if the skybox is missing.
    fn skybox_value(&self) -> Value {
        let named = self
            .pfscene
            .general
            .skybox
            .as_ref()
            .map(|it| format!("{} ({})", it.value.folder, it.value.extension));
        let text = match (named, &self.environment.skybox) {
            (Some(_), Some(skybox)) => skybox.said(),
            (Some(named), None) => format!("{named}, which cannot be shown"),
            (None, Some(skybox)) => format!("{}, {GAME_DEFAULT_NOTE}", skybox.said()),
            (None, None) => "none".to_owned(),
        };
        text.into()
    }

    /// Sky and light as defined in the file, for `info --json`.
    fn general_json(&self) -> Json {
        let general = &self.pfscene.general;
        let skybox = general.skybox.as_ref().map(|it| {
            json!({
                "folder": it.value.folder,
                "extension": it.value.extension,
                "found": self.environment.skybox.is_some(),
            })
        });
        let color = |setting: &Option<Setting<[i32; 4]>>| setting.as_ref().map(|it| it.value);
        let position = general
            .emit_light_pos
            .as_ref()
            .map(|it| it.value.map(number));
        json!({
            "skybox": skybox,
            "ambient_light_color": color(&general.ambient_light_color),
            "emit_light_color": color(&general.emit_light_color),
            "emit_light_pos": position,
        })
    }

    /// The keys of `info --json` that only scenes have.
    pub(super) fn info_json(&self) -> Map<String, Json> {
        let entities: Vec<_> = (0..self.entities.len())
            .filter_map(|index| EntityAt::new(self, index as u32, Playhead::default()))
            .map(|entity| EntityAt::FIELDS.json(&entity))
            .map(Json::from)
            .collect();
        let scene = &self.pfscene;
        let factions = scene.factions.iter().map(|faction| faction.name.as_str());
        let regions = scene.regions.iter().map(|region| region.name.as_str());
        let cameras = scene.cameras.iter().map(|camera| camera.name.as_str());
        let map = self
            .map
            .as_ref()
            .map(|(path, _)| path.display().to_string());
        let keys = [
            ("map", json!(map)),
            ("entities", entities.into()),
            ("factions", factions.collect()),
            ("regions", regions.collect()),
            ("cameras", cameras.collect()),
            ("general", self.general_json()),
        ];
        let navigation = self.terrain().map(|terrain| terrain.navigation_json());
        keys.into_iter()
            .chain(navigation.map(|json| ("navigation", json)))
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    }
}

/// A colour of `general`; the game's default is white.
fn color(named: Option<&Setting<[i32; 4]>>) -> Value {
    let Some([r, g, b, alpha]) = named.map(|setting| setting.value) else {
        let white = Some(Swatch::Color([255; 3]));
        return Value::from(format!("255 255 255, {GAME_DEFAULT_NOTE}")).swatch(white);
    };
    let rgb = [r, g, b].map(|part| part.clamp(0, 255) as u8);
    let text = format!("{r} {g} {b}, alpha {alpha}");
    Value::from(text).swatch(Some(Swatch::Color(rgb)))
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

    /// Its faction, and the index of the faction in the file.
    fn faction(&self) -> Option<(u32, Option<&'a Faction>)> {
        let index = u32::try_from(self.value("faction_id")?.int()?).ok()?;
        Some((index, self.scene.pfscene.factions.get(index as usize)))
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
                    field("Number", |at: &Self| at.index.into()).derived(),
                    field("Name", |at: &Self| at.entity.name.as_str().into())
                        .in_summary()
                        .json("name"),
                    field("Model", |at: &Self| {
                        let index = at.placed.model as u32;
                        Value::from(at.entity.model.as_str()).link(SceneItem::Model { index })
                    })
                    .json("model"),
                    field("Model found", |at: &Self| at.model.model.is_some().into())
                        .derived()
                        .json("found"),
                    field("Faction", |at: &Self| {
                        let faction = at.faction().map(|(index, faction)| match faction {
                            Some(faction) => Value::from(format!("{index} {}", faction.name))
                                .swatch(faction_color(faction).map(Swatch::Color))
                                .link(SceneItem::Faction { index }),
                            None => Value::from(format!("{index}, which does not exist"))
                                .link(SceneItem::Faction { index }),
                        });
                        faction.into()
                    })
                    .derived()
                    .summary("Faction", |at| {
                        let faction = at.faction().and_then(|(_, faction)| faction);
                        faction.map(|faction| faction.name.clone()).into()
                    })
                    .json_as("faction", |at| {
                        json!(at.value("faction_id").and_then(FileValue::int))
                    }),
                    field("Class", |at: &Self| {
                        let name = class(at.entity).map(Value::from);
                        let [_, kind, _] = at.placed.kinds;
                        name.zip(kind).map(|(name, kind)| name.link(kind)).into()
                    })
                    .derived()
                    .in_note(),
                    field("Clip", |at: &Self| at.clip().into()).derived(),
                    field("Line", |at: &Self| at.entity.line.into()).place(),
                ],
            ),
            section(
                "Place",
                &[
                    field("Position", |at: &Self| at.position().into())
                        .derived()
                        .note(|at| {
                            let position = at.position().map(|at| {
                                let [x, z] = [at.x, at.z].map(|at| fixed(at, 0));
                                format!("x {x}  z {z}")
                            });
                            position.into()
                        })
                        .json_as("position", |at| file_numbers(at.value("position"))),
                    field("Ground", |at: &Self| at.placed.ground.into())
                        .derived()
                        .json_as("ground", |at| at.placed.ground.map_or(Json::Null, number)),
                    field("Off the ground", |at: &Self| {
                        at.placed
                            .above_ground()
                            .map(|above| match above {
                                above if above.abs() < 0.005 => "no".to_owned(),
                                above if above > 0.0 => format!("{} above it", short(above)),
                                above => format!("{} below it", short(-above)),
                            })
                            .into()
                    })
                    .derived(),
                    field("Tile", |at: &Self| match at.tile() {
                        Some((row, col)) => Value::from(format!("row {row}, column {col}"))
                            .link(TerrainItem::Tile { row, col }),
                        None => Value::absent(),
                    })
                    .derived(),
                    field("", |at: &Self| at.regions().into()).derived(),
                    field("Scale", |at: &Self| {
                        let scale = at.value("scale").and_then(FileValue::vec3);
                        let scale = scale.map(|[x, y, z]| match [x, y, z] {
                            _ if x == y && y == z => Value::from(x),
                            scale => scale.into(),
                        });
                        scale.into()
                    })
                    .derived()
                    .json_as("scale", |at| file_numbers(at.value("scale"))),
                    field("Rotation", |at: &Self| {
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
                    })
                    .derived()
                    .json_as("rotation", |at| file_numbers(at.value("rotation"))),
                    field("Size along its axes", |at: &Self| {
                        at.size_along_axes().into()
                    })
                    .derived(),
                    field("Selection circle", |at: &Self| {
                        at.float("selection_radius").into()
                    })
                    .derived(),
                    field("Vision range", |at: &Self| at.float("vision_range").into()).derived(),
                ],
            ),
            section(
                "Problems",
                &[field("", |at: &Self| at.problems().into()).derived()],
            ),
            section(
                "Problems of the model",
                &[field("", |at: &Self| {
                    let model = at.model.model.as_ref();
                    let lines = model.map(|model| problem_lines(model.problems().iter()));
                    lines.into()
                })
                .derived()
                .only_shown()],
            ),
            section(
                "Model",
                &[field("", |at: &Self| {
                    at.scene.posed(at.index).map(|posed| posed.parts()).into()
                })
                .derived()
                .only_shown()],
            ),
            section(
                "Attributes",
                &[field("", |at: &Self| {
                    attribute_lines(&at.entity.attributes).into()
                })
                .own(|at| own_attributes(&at.entity.attributes))],
            ),
        ],
    };

    /// The clip that it plays, and its current frame.
    fn clip(&self) -> Option<Value> {
        let index = self.placed.clip?;
        let posed = self.scene.posed(self.index)?;
        let own = posed.own_clip(self.playhead)?;
        let part = ModelItem::Clip {
            index: index as u32,
        };
        let entity = self.index;
        Some(Value::from(own.to_string()).link(SceneItem::Part { entity, part }))
    }

    /// Its problems in the scene.
    fn problems(&self) -> Vec<Property> {
        let subject = Subject::SceneEntity(self.index);
        let problems = self
            .scene
            .about
            .problems
            .iter()
            .flat_map(Problem::with_consequences);
        problem_lines(problems.filter(|problem| problem.subject == subject))
    }

    /// A line for an entity that stands on an item.
    pub(super) fn standing(self) -> Property {
        Property {
            link: Some(entity_item(self.index)),
            ..Property::new("Entity", format!("{} {}", self.index, self.entity.name))
        }
    }

    /// A line for each region that contains it.
    fn regions(&self) -> Vec<Property> {
        let Some(position) = self.position() else {
            return Vec::new();
        };
        let regions = (0..).zip(&self.scene.pfscene.regions);
        let around = regions.filter(|(_, region)| region.contains([position.x, position.z]));
        let lines = around.map(|(index, region)| Property {
            link: Some(SceneItem::Region { index }.into()),
            ..Property::new("Region", region.name.clone())
        });
        lines.collect()
    }
}

/// The problems, each with its place in its file.
fn problem_lines<'a>(problems: impl Iterator<Item = &'a Problem>) -> Vec<Property> {
    let mut problems = problems;
    let line = |problem: &Problem| {
        let name = match problem.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Note => "Note",
        };
        Property::new(name, format!("{}: {}", problem.place, problem.message))
    };
    let mut lines: Vec<Property> = problems.by_ref().take(MAX_PROBLEMS).map(line).collect();
    let more = problems.count();
    if more > 0 {
        lines.push(Property::new("", format!("and {more} more")));
    }
    lines
}

fn file_numbers(value: Option<&FileValue>) -> Json {
    let vec3 = value
        .and_then(FileValue::vec3)
        .map(|v| v.map(number).to_vec());
    let quat = || {
        value
            .and_then(FileValue::quat)
            .map(|q| q.map(number).to_vec())
    };
    vec3.or_else(quat).map_or(Json::Null, Json::from)
}

pub(super) fn faction_color(faction: &Faction) -> Option<[u8; 3]> {
    faction
        .color()
        .map(|color| color.map(|part| part.clamp(0.0, 255.0) as u8))
}

/// Attributes as written in the file, each with its line.
fn attribute_lines(attributes: &Attributes) -> Vec<Property> {
    let mut lines = Vec::new();
    for attribute in &attributes.0 {
        let known = ENTITY_ATTRIBUTES
            .iter()
            .find(|known| known.key == attribute.key);
        let text = attribute_text(attribute);
        lines.push(match known {
            Some(known) => Property::new(known.key, text),
            None => Property::new("Other", format!("{} = {text}", attribute.key)),
        });
        match &attribute.value {
            FileValue::Arguments(arguments) => {
                lines.extend(
                    arguments
                        .iter()
                        .map(|argument| Property::new("Argument", attribute_text(argument))),
                );
            }
            FileValue::Tags(tags) => {
                let tag = |tag: &mapscope_formats::pfscene::Tag| {
                    Property::new("Tag", format!("{} (line {})", tag.text, tag.line))
                };
                lines.extend(tags.iter().map(tag));
            }
            _ => {}
        }
    }
    lines
}

/// The same without the lines, and with all digits of numbers.
fn own_attributes(attributes: &Attributes) -> Value {
    Value::list(attributes.0.iter().map(|attribute| {
        let value = match &attribute.value {
            FileValue::Int(number) => (*number).into(),
            FileValue::Float(number) => (*number).into(),
            FileValue::Bool(is_so) => (*is_so).into(),
            FileValue::Vec3(vector) => (*vector).into(),
            FileValue::Arguments(arguments) => {
                let values = arguments.iter().map(|argument| own_text(&argument.value));
                Value::from(values.collect::<Vec<_>>().join(", "))
            }
            FileValue::Tags(tags) => {
                let tags = tags.iter().map(|tag| &*tag.text);
                Value::from(tags.collect::<Vec<_>>().join(", "))
            }
            value => own_text(value).into(),
        };
        let known = ENTITY_ATTRIBUTES
            .iter()
            .find(|known| known.key == attribute.key);
        if let Some(known) = known {
            value.named(known.key)
        } else {
            let value = own_text(&attribute.value);
            Value::from(format!("{} = {value}", attribute.key)).named("Other")
        }
    }))
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
    let value_type = value.value_type().map_or("unreadable", ValueType::name);
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

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section(
            "Model",
            &[
                field("Path", |at: &Self| at.model.name.as_str().into()),
                field("File", |at: &Self| match &at.model.file {
                    Some(file) => file.display().to_string().into(),
                    None if at.model.model.is_some() => "built in".into(),
                    None => "not found; boxes stand for its entities".into(),
                }),
                field("Entities", |at: &Self| at.model.entities.len().into())
                    .in_summary()
                    .in_note(),
                field("Triangles", |at: &Self| {
                    let model = at.model.model.as_ref();
                    model.map(|model| model.pfobj().triangle_count()).into()
                }),
                field("Clips", |at: &Self| {
                    let model = at.model.model.as_ref();
                    let clips = model.map(|model| {
                        let clips = model.clips().iter();
                        clips
                            .map(|clip| clip.name.as_str())
                            .collect::<Vec<_>>()
                            .join(", ")
                    });
                    clips.filter(|clips| !clips.is_empty()).into()
                }),
                json_only("path", |at| json!(at.model.name)),
            ],
        )],
    };
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
                    field("Name", |at: &Self| at.name().into()).in_summary(),
                    field("Index", |at: &Self| at.index.into()).derived(),
                    field("Colour", |at: &Self| {
                        let color = at.faction.and_then(faction_color);
                        color.map_or_else(Value::absent, Value::color)
                    })
                    .own(|at| at.faction.and_then(Faction::color).into()),
                    field("Controllable", |at: &Self| {
                        at.faction.and_then(Faction::is_controllable).into()
                    }),
                    field("Entities", |at: &Self| {
                        let item = SceneItem::Faction { index: at.index };
                        at.scene.members(item).len().into()
                    })
                    .derived()
                    .in_summary()
                    .in_note(),
                    field("Line", |at: &Self| {
                        at.faction.map(|faction| faction.line).into()
                    })
                    .place(),
                ],
            ),
            section(
                "Diplomacy",
                &[field("", |at: &Self| at.diplomacy().into()).own(FactionAt::own_diplomacy)],
            ),
        ],
    };

    /// Its relations to all factions, without the lines of the file.
    fn own_diplomacy(&self) -> Value {
        let lines = self.scene.pfscene.diplomacy.iter();
        let own = lines.filter(|line| line.faction == self.index);
        Value::list(own.map(|line| {
            let state = state_name(line.state);
            Value::from(format!("{}: {state}", self.faction_name(line.other)))
                .naming("faction", line.other as usize, state)
                .named("Towards")
        }))
    }

    /// The name of a faction, or its number if it does not exist.
    fn faction_name(&self, index: u32) -> String {
        let faction = self.scene.pfscene.factions.get(index as usize);
        faction.map_or_else(|| index.to_string(), |faction| faction.name.clone())
    }

    fn diplomacy(&self) -> Vec<Property> {
        let lines = self.scene.pfscene.diplomacy.iter();
        let own = lines.filter(|line| line.faction == self.index && line.other != self.index);
        let line = own.map(|line| {
            let other = self.scene.pfscene.factions.get(line.other as usize);
            let name = self.faction_name(line.other);
            let state = state_name(line.state);
            Property {
                link: other.map(|_| SceneItem::Faction { index: line.other }.into()),
                ..Property::new("Towards", format!("{name}: {state} (line {})", line.line))
            }
        });
        line.collect()
    }
}

/// The relation of a faction to another.
fn state_name(state: u32) -> &'static str {
    match state {
        0 => "peace",
        1 => "war",
        _ => "an unknown state",
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

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section(
            "Class",
            &[
                field("Name", |at: &Self| at.name.into()).in_summary(),
                field("Entities", |at: &Self| {
                    at.scene
                        .members(SceneItem::Class { index: at.index })
                        .len()
                        .into()
                })
                .in_summary()
                .in_note(),
            ],
        )],
    };
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

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section(
            "Region",
            &[
                field("Name", |at: &Self| at.region.name.as_str().into()).in_summary(),
                field("Shape", |at: &Self| match at.region.shape() {
                    Some(Shape::Circle { radius }) => {
                        format!("circle, radius {}", short(radius)).into()
                    }
                    Some(Shape::Rectangle { size: [x, z] }) => {
                        format!("rectangle, {} along X, {} along Z", short(x), short(z)).into()
                    }
                    None => "unknown".into(),
                })
                .own(|at| match at.region.shape() {
                    Some(Shape::Circle { radius }) => format!("circle, radius {radius}").into(),
                    Some(Shape::Rectangle { size: [x, z] }) => {
                        format!("rectangle, {x} along X, {z} along Z").into()
                    }
                    None => "unknown".into(),
                })
                .in_note(),
                field("Middle", |at: &Self| {
                    at.region
                        .center()
                        .map(|[x, z]| format!("x {}  z {}", short(x), short(z)))
                        .into()
                })
                .own(|at| {
                    let middle = at.region.center();
                    middle.map(|[x, z]| format!("x {x}  z {z}")).into()
                }),
                field("Entities in it", |at: &Self| {
                    let places = at.scene.entities.iter().map(Placed::position);
                    let inside = places.filter(|place| at.region.contains([place.x, place.z]));
                    inside.count().into()
                })
                .derived(),
                field("Line", |at: &Self| at.region.line.into()).place(),
            ],
        )],
    };
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

    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[section(
            "Camera",
            &[
                field("Name", |at: &Self| at.camera.name.as_str().into()).in_summary(),
                field("Position", |at: &Self| {
                    camera_pose(at.camera).map(|pose| pose.eye).into()
                })
                .own(|at| at.camera.position().into()),
                field("Pitch", |at: &Self| {
                    at.camera
                        .pitch_and_yaw()
                        .map(|[pitch, _]| format!("{}°", short(pitch)))
                        .into()
                })
                .own(|at| at.camera.pitch_and_yaw().map(|[pitch, _]| pitch).into()),
                field("Yaw", |at: &Self| {
                    at.camera
                        .pitch_and_yaw()
                        .map(|[_, yaw]| format!("{}°", short(yaw)))
                        .into()
                })
                .own(|at| at.camera.pitch_and_yaw().map(|[_, yaw]| yaw).into()),
                field("Line", |at: &Self| at.camera.line.into()).place(),
            ],
        )],
    };
}

/// The item of an entity.
pub(super) fn entity_item(index: u32) -> Item {
    SceneItem::Entity { index }.into()
}
