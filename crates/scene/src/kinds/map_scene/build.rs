//! Builds a scene from its file by placing the models on the map.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use glam::Vec3;

use super::document::OVERLAYS;
use super::overlays::circle_radii;
use super::pick::Covers;
use super::place::{
    camera_pose, footprint, has_position, missing_bounds, model_bounds, world_from_entity,
};
use super::{Group, MapScene, Placed, SceneModel, check, load};
use crate::camera::Handedness;
use crate::core::parallel::in_parallel;
use crate::core::rules;
use crate::describe::numbers::{fixed, short};
use crate::kinds::model::Model;
use crate::kinds::terrain::Terrain;
use crate::kinds::terrain::navigation::Blocker;
use crate::{
    Aabb, About, Animation as _, ClipInfo, Document as _, Environment, GameView, NamedCamera,
    OpenError, OpenOptions, Progress, SceneItem, Source, Sun,
};
use mapscope_formats::pfscene::{
    self, Attribute, ENTITY_ATTRIBUTES, Entity, General, Pfscene, REGION_ATTRIBUTES, SectionKind,
    Setting, Shape, Value,
};
use mapscope_formats::{
    Place, Problem, Problems, Rule, Severity, Subject, Tally, pfobj, quoted, suggest,
};

/// Maximum distance from the ground, in world units, of an entity that stands on it: positions have
/// six decimals.
const ON_GROUND: f32 = 0.05;
/// Frames of the clip that represents all idle clips: a minute.
const CLIP_FRAMES: u32 = 60 * pfobj::FRAMES_PER_SECOND as u32;

impl MapScene {
    /// Builds a scene from a parsed file.
    ///
    /// # Errors
    /// Only if the load is cancelled.
    pub fn build(
        mut pfscene: Pfscene,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let mut problems = Problems::new();
        let mut models = named_models(&pfscene.entities);
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        let load::Loaded {
            mut map,
            map_path,
            map_fault,
            refused_map,
            models: loaded,
            skybox,
            textures,
            mut dependencies,
        } = load::load(&names, &pfscene.general, source, options, progress)?;
        for (rule, message) in skybox.faults {
            problems.add(rule, skybox_place(&pfscene), || message);
        }
        if let Some(fault) = map_fault {
            let place = Place::Text { line: 1, column: 1 };
            problems.add(&rules::MISSING_MAP, place, || fault);
        }
        for (model, loaded) in models.iter_mut().zip(loaded) {
            model.file = loaded.file;
            match loaded.model {
                Ok(found) => model.model = Some(found),
                Err(load::Unread { fault, refused }) => {
                    let (rule, message) = fault;
                    model.refused = refused.map(|problem| *problem);
                    for &index in &model.entities {
                        let (subject, place) = of_entity(&pfscene, index, None);
                        let message = || of_numbered(&pfscene, index, &message);
                        problems.add_grouped(&model.name, rule, subject, place, message);
                    }
                }
            }
        }
        if let Some((path, terrain)) = &map
            && let Some(fault) = fault_of_part(&terrain.about().problems)
        {
            let place = Place::Text { line: 1, column: 1 };
            problems.add(&rules::BROKEN_MAP, place, || {
                format!("the map {} has {fault}", path.display())
            });
        }
        check_models(&pfscene, &models, &mut problems);
        number_thumbnails(&mut models, map.as_ref().map(|(_, terrain)| &**terrain));
        dependencies.sort_unstable();
        dependencies.dedup();
        let terrain = map.as_ref().map(|(_, terrain)| &**terrain);
        let classes: BTreeSet<&str> = pfscene
            .entities
            .iter()
            .filter_map(|entity| class(entity))
            .collect();
        let classes: Vec<String> = classes.into_iter().map(str::to_owned).collect();
        let entities = place_all(&pfscene, &models, &classes, terrain, &mut problems);
        check::check_doubles(&pfscene, &entities, &mut problems);
        check::check_scales(&pfscene, &models, &mut problems);
        if let Some(terrain) = terrain {
            check_regions(&pfscene, terrain, &mut problems);
        }
        // Entities far off the map must not reduce it to a speck.
        let is_framed = |placed: &&Placed| match terrain {
            Some(_) => placed.ground.is_some(),
            None => placed.has_position,
        };
        let bounds = entities
            .iter()
            .filter(is_framed)
            .map(|placed| placed.bounds)
            .chain(terrain.map(|terrain| terrain.about().bounds))
            .reduce(|all, next| all.union(&next));
        let blockers = blockers(&pfscene, &entities, &models);
        // The map was just read and has no other owner.
        if let Some(terrain) = map.as_mut().and_then(|(_, map)| Arc::get_mut(map)) {
            terrain.set_blockers(blockers);
        }
        let has_cover = map.as_ref().is_some_and(|(_, map)| map.has_cover());
        let groups = group(&entities, &models);
        in_parallel(models.len(), progress, |index| {
            let SceneModel {
                model, entities, ..
            } = &models[index];
            if let Some(model) = model {
                model.simplify_for(entities.len());
            }
        })?;
        let covers = Covers::of(&entities, &models);
        let members = by_kind(&entities);
        let radii = pfscene.entities.iter().map(circle_radii);
        let has_circles = radii.fold([false; 2], |[selection, vision], radii| {
            [
                selection || radii[0].is_some(),
                vision || radii[1].is_some(),
            ]
        });
        let is_animated = groups.iter().any(|group| group.clip.is_some());
        let clip = ClipInfo {
            name: "Idle clips".to_owned(),
            frames: CLIP_FRAMES,
            item: SceneItem::Clip.into(),
            is_clock: true,
            rates: Vec::new(),
        };
        let mut all_problems = std::mem::take(&mut pfscene.problems);
        all_problems.extend(problems.finish());
        all_problems.sort_by_key(|problem| problem.place);
        let mut scene = Self {
            about: About {
                format: &pfscene::FORMAT,
                version: pfscene.version.clone(),
                problems: all_problems,
                bounds: bounds.unwrap_or(Aabb {
                    min: Vec3::ZERO,
                    max: Vec3::ONE,
                }),
                handedness: Handedness::Mirrored,
                game_view: GameView::FromAbove,
                overlays: &OVERLAYS[..OVERLAYS.len() - usize::from(!has_cover)],
                dependencies,
                kinds: Vec::new(),
                floor_height: map.is_none().then(|| {
                    let heights = entities.iter().map(|placed| placed.position().y);
                    heights.reduce(f32::min).unwrap_or(0.0)
                }),
                cpu_bytes: 0,
            },
            whole_about: OnceLock::new(),
            entities_by_tile: OnceLock::new(),
            path: source.path.clone(),
            map,
            map_path,
            refused_map,
            models,
            textures,
            entities,
            groups,
            covers,
            classes,
            members,
            has_circles,
            clips: if is_animated { vec![clip] } else { Vec::new() },
            cameras: cameras(&pfscene),
            environment: Environment {
                sun: sun(&pfscene.general),
                skybox: skybox.skybox,
            },
            pfscene,
        };
        scene.about.cpu_bytes = scene.cpu_bytes();
        progress.report(1.0)?;
        Ok(scene)
    }

    fn cpu_bytes(&self) -> u64 {
        let models = self
            .models
            .iter()
            .filter_map(|model| model.model.as_ref())
            .map(|model| model.about().cpu_bytes + model.simplified_bytes() as u64)
            .sum::<u64>();
        let map = self
            .terrain()
            .map_or(0, |terrain| terrain.about().cpu_bytes);
        let entities = size_of_val(self.entities.as_slice()) + self.covers.cpu_bytes();
        models + map + entities as u64
    }
}

/// Place for problems of a scene's skybox.
pub(super) fn skybox_place(pfscene: &Pfscene) -> Place {
    let line = pfscene.general.skybox.as_ref().map_or(1, |it| it.line);
    Place::Text { line, column: 1 }
}

/// Summarises the errors of a map or a model, and its missing or broken files, which affect the
/// scene: their number, and the worst of them.
fn fault_of_part(problems: &[Problem]) -> Option<String> {
    let shows = |problem: &&Problem| {
        problem.severity == Severity::Error
            || rules::is_missing_file(problem.rule)
            || problem.rule.id == rules::UNREADABLE_TEXTURE.id
            || problem.rule.id == rules::TRUNCATED_IMAGE.id
    };
    let faults: Vec<Problem> = problems.iter().filter(shows).cloned().collect();
    // The first of the worst.
    let worst = faults.iter().rev().max_by_key(|fault| fault.severity)?;
    let worst = format!("{}: {}", worst.place, worst.message);
    let tally = Tally::of(&faults);
    Some(match faults.as_slice() {
        [_] => format!("{tally}, at {worst}"),
        _ => format!("{tally}, the worst at {worst}"),
    })
}

/// Reports models with faults, each at its first entity.
pub(super) fn check_models(pfscene: &Pfscene, models: &[SceneModel], problems: &mut Problems) {
    for SceneModel {
        name,
        model,
        entities,
        ..
    } in models
    {
        let of_model = model.as_ref().map(|model| model.problems());
        let fault = of_model.and_then(|problems| fault_of_part(&problems));
        if let (Some(fault), Some(&first)) = (fault, entities.first()) {
            let (subject, place) = of_entity(pfscene, first, None);
            problems.add_about(&rules::BROKEN_MODEL, subject, place, || {
                format!("the model {} has {fault}", quoted(name.as_bytes()))
            });
        }
    }
}

/// The light of a scene; values that it does not define are those of the game (fact sheets A10, C).
pub(super) fn sun(general: &General) -> Sun {
    let game = Sun::default();
    let color = |setting: &Option<Setting<[i32; 4]>>, of_game| {
        let part = |part: i32| part.clamp(0, 255) as f32 / 255.0;
        let named = setting.as_ref().map(|setting| setting.value);
        named.map_or(of_game, |[r, g, b, _]| Vec3::new(part(r), part(g), part(b)))
    };
    let position = general.emit_light_pos.as_ref();
    Sun {
        position: position.map_or(game.position, |position| position.value.into()),
        color: color(&general.emit_light_color, game.color),
        ambient: color(&general.ambient_light_color, game.ambient),
    }
}

/// Numbers the thumbnails of the map and of all models consecutively.
fn number_thumbnails(models: &mut [SceneModel], terrain: Option<&Terrain>) {
    let mut next = terrain.map_or(0, |terrain| terrain.map().materials.len());
    for model in models {
        model.first_thumbnail = next;
        let materials = model.model.as_ref().map(|m| m.pfobj().materials.len());
        next += materials.unwrap_or(0);
    }
}

/// The cameras of a scene that have a position.
fn cameras(pfscene: &Pfscene) -> Vec<NamedCamera> {
    let cameras = pfscene
        .cameras
        .iter()
        .zip(0..)
        .filter_map(|(camera, index)| {
            Some(NamedCamera {
                name: camera.name.clone(),
                item: SceneItem::Camera { index }.into(),
                pose: camera_pose(camera)?,
            })
        });
    cameras.collect()
}

/// The script class of an entity.
pub(super) fn class(entity: &Entity) -> Option<&str> {
    entity.attributes.value("class").and_then(Value::string)
}

impl MapScene {
    /// Names that the engine does not know, each at its first occurrence.
    pub(super) fn other_names(&self) -> Vec<Problem> {
        let mut notes = Problems::new();
        let mut note = |noun: &str, name: &str, line: u64, subject: Subject| {
            let (rule, place) = (&rules::OTHER_NAME, Place::line(line));
            notes.add_grouped((noun, name), rule, subject, place, || {
                format!(
                    "{noun} {} is unknown to the engine",
                    quoted(name.as_bytes())
                )
            });
        };
        let scene = &self.pfscene;
        for section in &scene.sections {
            if let SectionKind::Unknown { name, .. } = &section.kind {
                note("section", name, section.line, Subject::File);
            }
        }
        for other in &scene.general.other {
            let name = other.text.split_whitespace().next().unwrap_or_default();
            note("setting", name, other.line, Subject::File);
        }
        let entities = (0..)
            .map(Subject::SceneEntity)
            .zip(&scene.entities)
            .map(|(subject, it)| (subject, &it.attributes, ENTITY_ATTRIBUTES));
        let regions = (0..)
            .map(Subject::Region)
            .zip(&scene.regions)
            .map(|(subject, it)| (subject, &it.attributes, REGION_ATTRIBUTES));
        for (subject, attributes, known) in entities.chain(regions) {
            for Attribute { key, value, line } in &attributes.0 {
                let is_known = known.iter().any(|known| known.key == key);
                if !is_known && value.value_type().is_some() {
                    note("attribute", key, *line, subject);
                }
            }
        }
        notes.finish()
    }
}

/// Adds a problem of an entity at the line of one of its attributes, or of the entity. The message
/// begins with its number and name.
pub(super) fn add(
    problems: &mut Problems,
    rule: &'static Rule,
    pfscene: &Pfscene,
    index: u32,
    key: Option<&str>,
    message: impl FnOnce() -> String,
) {
    let (subject, place) = of_entity(pfscene, index, key);
    problems.add_about(rule, subject, place, || {
        of_numbered(pfscene, index, &message())
    });
}

/// A message about an entity, prefixed with its number and name.
fn of_numbered(pfscene: &Pfscene, index: u32, message: &str) -> String {
    match pfscene.entities.get(index as usize) {
        Some(entity) => format!("{}: {message}", entity.numbered(index)),
        None => message.to_owned(),
    }
}

/// The subject of an entity's problem, and the line of one of its attributes, or of the entity.
fn of_entity(pfscene: &Pfscene, index: u32, key: Option<&str>) -> (Subject, Place) {
    let entity = pfscene.entities.get(index as usize);
    let line = entity.map_or(1, |entity| {
        let attribute = key.and_then(|key| entity.attributes.get(key));
        attribute.map_or(entity.line, |attribute| attribute.line)
    });
    (Subject::SceneEntity(index), Place::line(line))
}

/// The models that entities name, in the order of their first occurrence.
fn named_models(entities: &[Entity]) -> Vec<SceneModel> {
    let mut models: Vec<SceneModel> = Vec::new();
    let mut by_name = HashMap::new();
    for (entity, index) in entities.iter().zip(0..) {
        let known = *by_name.entry(entity.model.as_str()).or_insert(models.len());
        if known == models.len() {
            models.push(SceneModel {
                name: entity.model.clone(),
                file: None,
                model: None,
                refused: None,
                first_thumbnail: 0,
                entities: Vec::new(),
            });
        }
        models[known].entities.push(index);
    }
    models
}

fn place_all(
    pfscene: &Pfscene,
    models: &[SceneModel],
    classes: &[String],
    terrain: Option<&Terrain>,
    problems: &mut Problems,
) -> Vec<Placed> {
    let mut model_of = vec![0; pfscene.entities.len()];
    for (i, model) in models.iter().enumerate() {
        for &entity in &model.entities {
            model_of[entity as usize] = i;
        }
    }
    let placed = pfscene.entities.iter().zip(0..).map(|(entity, index)| {
        let world_from_model = world_from_entity(entity);
        let model_index = model_of[index as usize];
        let model = models[model_index].model.as_deref();
        let clip = model.and_then(|model| idle_clip(pfscene, index, model, problems));
        let bounds = model.and_then(|model| model_bounds(model, clip, &world_from_model));
        let position = Vec3::from(world_from_model.translation);
        let placed = Placed {
            world_from_model,
            bounds: bounds.unwrap_or_else(|| missing_bounds(entity, &world_from_model)),
            model: model_index,
            clip,
            has_position: has_position(entity),
            ground: terrain
                .filter(|_| has_position(entity))
                .and_then(|terrain| terrain.height_at(position.x, position.z)),
            kinds: kinds_of(entity, classes, model_index),
        };
        if placed.has_position {
            check_ground(pfscene, index, &placed, terrain, problems);
        }
        placed
    });
    placed.collect()
}

/// The groups of an entity: a faction, a class and a model. `classes` is in alphabetical order.
fn kinds_of(entity: &Entity, classes: &[String], model: usize) -> [Option<SceneItem>; 3] {
    let faction = entity
        .attributes
        .value("faction_id")
        .and_then(Value::int)
        .and_then(|index| u32::try_from(index).ok());
    let class =
        class(entity).and_then(|name| classes.binary_search_by(|c| c.as_str().cmp(name)).ok());
    [
        faction.map(|index| SceneItem::Faction { index }),
        class.map(|index| SceneItem::Class {
            index: index as u32,
        }),
        Some(SceneItem::Model {
            index: model as u32,
        }),
    ]
}

/// Maximum number of a model's clips that a message lists.
const LISTED_CLIPS: usize = 20;

/// The clip that an idle entity plays, by its index in the model.
fn idle_clip(
    pfscene: &Pfscene,
    index: u32,
    model: &Model,
    problems: &mut Problems,
) -> Option<usize> {
    let entity = pfscene.entities.get(index as usize)?;
    let attributes = &entity.attributes;
    if attributes.value("animated").and_then(Value::bool) != Some(true) {
        return None;
    }
    let clips = model.clips();
    let expected = || {
        let names: Vec<_> = clips
            .iter()
            .map(|clip| quoted(clip.name.as_bytes()))
            .take(LISTED_CLIPS)
            .collect();
        match clips.len() - names.len() {
            _ if names.is_empty() => "the model has no clips".to_owned(),
            0 => format!("expected one of {}", names.join(", ")),
            more => format!("expected one of {} and {more} more", names.join(", ")),
        }
    };
    let Some(attribute) = attributes.get("idle_clip") else {
        let (rule, key) = (&rules::NO_IDLE_CLIP, Some("animated"));
        add(problems, rule, pfscene, index, key, || {
            format!("animated without `idle_clip`; {}", expected())
        });
        return None;
    };
    let name = attribute.value.string()?;
    let clip = clips.iter().position(|clip| clip.name == name);
    if clip.is_none() {
        let (subject, place) = of_entity(pfscene, index, Some("idle_clip"));
        // Other entities of the model with this clip name are consequences of the first.
        let named = (&entity.model, name);
        problems.add_grouped(named, &rules::IDLE_CLIP, subject, place, || {
            let near = suggest(name, clips.iter().map(|clip| &clip.name));
            let near = near.map(|near| format!(" (did you mean {}?)", quoted(near.as_bytes())));
            let (entity, name) = (entity.numbered(index), quoted(name.as_bytes()));
            let (expected, near) = (expected(), near.unwrap_or_default());
            format!("{entity}: clip {name} not found; {expected}{near}")
        });
    }
    clip
}

/// Warns of regions that lie entirely outside the map.
fn check_regions(pfscene: &Pfscene, terrain: &Terrain, problems: &mut Problems) {
    let map = terrain.about().bounds;
    for (index, region) in (0..).zip(&pfscene.regions) {
        let (Some([x, z]), Some(shape)) = (region.center(), region.shape()) else {
            continue;
        };
        let [reach_x, reach_z] = match shape {
            Shape::Circle { radius } => [radius; 2],
            Shape::Rectangle { size } => size.map(|side| side / 2.0),
        };
        // The condition also fails for NaN.
        let is_on_map = x + reach_x >= map.min.x
            && x - reach_x <= map.max.x
            && z + reach_z >= map.min.z
            && z - reach_z <= map.max.z;
        if !is_on_map {
            let line = region
                .attributes
                .get("pos")
                .map_or(region.line, |pos| pos.line);
            let subject = Subject::Region(index);
            let place = Place::line(line);
            problems.add_about(&rules::REGION_OUTSIDE_MAP, subject, place, || {
                let name = quoted(region.name.as_bytes());
                format!("region {name} around x {x} and z {z} is outside the map")
            });
        }
    }
}

fn check_ground(
    pfscene: &Pfscene,
    index: u32,
    placed: &Placed,
    terrain: Option<&Terrain>,
    problems: &mut Problems,
) {
    let position = placed.position();
    let Some(terrain) = terrain else {
        return;
    };
    // Positions this far away are outside any map and already reported by the format.
    if position.abs().max_element() > pfscene::MAX_LENGTH {
        return;
    }
    if terrain
        .placement()
        .tile_at(position.x, position.z)
        .is_none()
    {
        add(
            problems,
            &rules::OUTSIDE_MAP,
            pfscene,
            index,
            Some("position"),
            || format!("x {} and z {} are outside the map", position.x, position.z),
        );
        return;
    }
    if let Some(above) = placed.above_ground()
        && above.abs() > ON_GROUND
    {
        add(
            problems,
            &rules::OFF_GROUND,
            pfscene,
            index,
            Some("position"),
            || {
                let side = if above > 0.0 { "above" } else { "below" };
                let [y, ground] = [position.y, position.y - above].map(short);
                let height = fixed(above.abs(), 2);
                format!("y {y} is {height} {side} the ground, which is at {ground}")
            },
        );
    }
}

/// The entities that block units on the ground below them.
fn blockers(pfscene: &Pfscene, entities: &[Placed], models: &[SceneModel]) -> Vec<Blocker> {
    let all = (0..).zip(pfscene.entities.iter().zip(entities));
    let blockers = all.filter_map(|(index, (entity, placed))| {
        Some(Blocker {
            item: SceneItem::Entity { index }.into(),
            name: entity.name.clone(),
            footprint: footprint(entity, placed, models[placed.model].model.as_deref())?,
        })
    });
    blockers.collect()
}

/// Entities by faction and by class; models store their own.
fn by_kind(entities: &[Placed]) -> HashMap<SceneItem, Vec<u32>> {
    let mut members: HashMap<SceneItem, Vec<u32>> = HashMap::new();
    for (index, placed) in (0..).zip(entities) {
        for kind in placed.kinds.into_iter().flatten() {
            if !matches!(kind, SceneItem::Model { .. }) {
                members.entry(kind).or_default().push(index);
            }
        }
    }
    members
}

/// Groups entities by model and clip.
fn group(entities: &[Placed], models: &[SceneModel]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known = HashMap::new();
    for (index, placed) in (0..).zip(entities) {
        if models[placed.model].model.is_none() || !placed.has_position {
            continue;
        }
        let at = *known
            .entry((placed.model, placed.clip))
            .or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                model: placed.model,
                clip: placed.clip,
                entities: Vec::new(),
                placements: Vec::new(),
            });
        }
        groups[at].entities.push(index);
        groups[at].placements.push(placed.world_from_model);
    }
    groups
}
