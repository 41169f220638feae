//! The [`Document`] of a PFSCENE.

use crate::{Compare, Deferred, Hiding, Places, RelatedFiles, Walk};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde_json::Map;

use super::MapScene;
use super::fields::{
    CameraAt, ClassAt, EntityAt, FactionAt, ModelAt, RegionAt, SceneAt, entity_item,
};
use super::parts::entity_of;
use crate::core::overlay::{joined, overlays};
use crate::core::rules;
use crate::describe::outline::file_name;
use crate::describe::table::{
    Describe, FieldKey, GroupKeys, INTEGERS, ItemKeys, ValueType, WithFacts,
};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::kinds::model::Model;
use crate::terrain::Terrain;
use crate::{
    Aabb, About, Animation, Annotations, ClipInfo, Curve, CurveOptions, Document, Drawable,
    Environment, Hit, InfoQuery, Item, Legend, NamedCamera, NamedFile, OtherFile, OutlineNode,
    Overlay, OwnClip, Placements, Playhead, ProblemTarget, Ray, SceneItem, Shown, Statistic,
    Textures, ViewState, terrain,
};
use mapscope_formats::{Problem, Rule, Subject, pfmap, pfobj};

/// The overlays of a scene: its own, and those of its ground.
pub(crate) static OVERLAYS: [Overlay; OWN_OVERLAYS.len() + terrain::OVERLAYS.len()] =
    joined(&OWN_OVERLAYS, &terrain::OVERLAYS);

/// The scene's own overlays. Overlays that models also have are drawn for the selected entity.
pub(super) static OWN_OVERLAYS: [Overlay; 9] = overlays![
    Entities "Entities" "Show the entities on the map" on,
    Regions "Regions" "Draw the regions that scripts use, with their names",
    Cameras "Cameras" "Draw the cameras of the scene, with their names",
    Circles "Circles" "Draw the selection circle and the vision range of every entity",
    Skeleton "Skeleton" "Draw the bones of the selected entity in front of its mesh",
    JointNames "Joint names"
        "Write the name of each joint of the selected entity beside its bone, in the window only",
    NormalLines "Normal lines"
        "Draw a yellow line along the normal of each vertex of the selected entity",
    FrameBounds "Bounds of the frame"
        "Draw the bounding box declared for the frame of the selected entity, and that of the mesh \
         where it differs",
    EngineTextures "Engine texture size"
        "Show textures of models at the 128 by 128 pixels to which the engine resizes them",
];

impl MapScene {
    /// The record of an item with its fields; `None` for an item of the map, or one that does not
    /// exist.
    pub(super) fn described<'a>(
        &'a self,
        item: Item,
        playhead: Playhead,
    ) -> Option<Box<dyn Describe + 'a>> {
        let Item::Scene(item) = item else {
            return None;
        };
        Some(match item {
            SceneItem::Scene => SceneAt::FIELDS.of(SceneAt(self)),
            SceneItem::Entity { index } => {
                EntityAt::FIELDS.of(EntityAt::new(self, index, playhead)?)
            }
            SceneItem::Faction { index } => FactionAt::FIELDS.of(FactionAt::new(self, index)?),
            SceneItem::Model { index } => ModelAt::FIELDS.of(ModelAt::new(self, index)?),
            SceneItem::Class { index } => ClassAt::FIELDS.of(ClassAt::new(self, index)?),
            SceneItem::Region { index } => RegionAt::FIELDS.of(RegionAt::new(self, index)?),
            SceneItem::Camera { index } => CameraAt::FIELDS.of(CameraAt::new(self, index)?),
            SceneItem::Part { .. } | SceneItem::Clip => return None,
        })
    }

    /// JSON keys of items of each kind. Parts of entities have the keys of their models.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        let parts = Model::item_keys().into_iter().map(|mut part| {
            part.kind = "part";
            part.groups.push(GroupKeys {
                key: "part_of".to_owned(),
                title: "Part of",
                keys: vec![FieldKey {
                    key: "entity".into(),
                    name: "Entity",
                    ty: ValueType::Integer,
                }],
                is_open: false,
            });
            part
        });
        let mut kinds = vec![
            SceneAt::FIELDS.keys("scene"),
            EntityAt::FIELDS.keys("entity"),
            FactionAt::FIELDS.keys("faction"),
            ClassAt::FIELDS.keys("class"),
            ModelAt::FIELDS.keys("model"),
            RegionAt::FIELDS.keys("region"),
            CameraAt::FIELDS.keys("camera"),
        ];
        kinds.extend(parts);
        kinds.extend(Terrain::item_keys().into_iter().map(|mut keys| {
            if keys.kind == "tile" {
                keys.groups.push(GroupKeys {
                    key: "entities_here".to_owned(),
                    title: "Entities here",
                    keys: vec![FieldKey {
                        key: "entities".into(),
                        name: "Entity",
                        ty: INTEGERS,
                    }],
                    is_open: false,
                });
            }
            keys
        }));
        kinds
    }

    /// The entities on an item, if it is an occupied tile.
    fn entities_on(&self, item: Item) -> Option<FactGroup> {
        let tile = self.terrain()?.tile_rc(item)?;
        let by_tile = self.entities_by_tile.get_or_init(|| {
            let mut by_tile: HashMap<_, Vec<u32>> = HashMap::new();
            for index in 0..self.entities.len() as u32 {
                let entity = EntityAt::new(self, index, Playhead::default());
                if let Some(tile) = entity.and_then(|entity| entity.tile()) {
                    by_tile.entry(tile).or_default().push(index);
                }
            }
            by_tile
        });
        let entities = by_tile.get(&tile)?.iter();
        let entities = entities.filter_map(|index| {
            Some(EntityAt::new(self, *index, Playhead::default())?.reference())
        });
        let fact = Fact::new("Entity", Value::list(entities)).keyed("entities");
        Some(FactGroup::new("Entities here", [fact]))
    }

    /// The groups of an entity: a faction, a class and a model.
    pub(super) fn kinds_of(&self, index: u32) -> impl Iterator<Item = SceneItem> {
        let placed = self.entities.get(index as usize);
        placed.into_iter().flat_map(|placed| placed.kinds).flatten()
    }

    /// The entities of a faction, a class or a model, in file order.
    pub(super) fn members(&self, kind: SceneItem) -> &[u32] {
        let members = match kind {
            SceneItem::Model { index } => self.models.get(index as usize).map(|it| &it.entities),
            kind => self.members.get(&kind),
        };
        members.map_or(&[], Vec::as_slice)
    }

    /// The factions that entities name but the file lacks, in ascending order.
    pub(super) fn unknown_factions(&self) -> BTreeSet<u32> {
        let known = self.pfscene.factions.len();
        let factions = self.members.keys().filter_map(|kind| match kind {
            SceneItem::Faction { index } => Some(*index),
            _ => None,
        });
        factions.filter(|index| *index as usize >= known).collect()
    }
}

impl Document for MapScene {
    fn about(&self) -> &About {
        self.whole_about.get().unwrap_or(&self.about)
    }

    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        if let Some(terrain) = self.terrain() {
            draw(Drawable {
                revision: terrain.revision(),
                ..Drawable::in_place(&**terrain)
            });
        }
        for group in &self.groups {
            let Some(model) = self
                .models
                .get(group.model)
                .and_then(|m| m.model.as_deref())
            else {
                continue;
            };
            let all = Drawable {
                content: model,
                revision: 0,
                placements: Placements::Held(&group.placements),
                entities: &group.entities,
                playhead: Some(Self::playhead_of(group.clip, model, shown.playhead)),
                bounds: model.extent_of(group.clip),
                is_attached: false,
            };
            if shown.hidden.is_empty() && Self::shows_entities(shown) {
                draw(all);
                continue;
            }
            // Without placements, the model stays on the GPU. Then draw the runs of visible
            // entities between hidden ones.
            draw(Drawable {
                placements: Placements::Held(&[]),
                entities: &[],
                ..all
            });
            let is_hidden = |index: &u32| self.is_entity_hidden(*index, shown);
            let mut rest = &*group.placements;
            for entities in group.entities.chunk_by(|a, b| is_hidden(a) == is_hidden(b)) {
                let (placements, after) = rest.split_at(entities.len());
                rest = after;
                if !entities.first().is_some_and(is_hidden) {
                    draw(Drawable {
                        placements: Placements::Held(placements),
                        entities,
                        ..all
                    });
                }
            }
        }
    }

    fn environment(&self) -> Option<&Environment> {
        Some(&self.environment)
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world, shown)
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        if let Some((posed, part)) = self.part(item) {
            return posed.record(part, view);
        }
        if let Item::Scene(_) = item {
            return self.described(item, view.playhead);
        }
        let record = self.terrain()?.record(item, view)?;
        let facts = move || self.entities_on(item).into_iter().collect();
        Some(Box::new(WithFacts { record, facts }))
    }

    fn notes(&self) -> Vec<Problem> {
        let mut notes = self.misplaced_entities();
        notes.extend(self.other_names());
        notes.sort_by_key(|note| note.place);
        notes
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let item = match problem.subject {
            Subject::SceneEntity(index) => SceneItem::Entity { index },
            Subject::Faction(index) => SceneItem::Faction { index },
            Subject::Region(index) => SceneItem::Region { index },
            Subject::Camera(index) => SceneItem::Camera { index },
            _ => return None,
        };
        self.described(item.into(), Playhead::default())?;
        Some(ProblemTarget {
            item: item.into(),
            moment: None,
            overlay: None,
        })
    }

    fn cameras(&self) -> &[NamedCamera] {
        &self.cameras
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        self.legend_list(shown)
    }

    fn statistics(&self) -> Vec<Statistic> {
        let triangles = self
            .entities
            .iter()
            .filter_map(|placed| Some(self.model_of(placed)?.pfobj().triangle_count()));
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let mut statistics = vec![
            statistic("Entities", self.entities.len()),
            statistic("Models", self.models.len()),
            statistic("Entities without a model", self.missing_count()),
            statistic("Triangles of entities", triangles.sum()),
        ];
        statistics.extend(
            self.terrain()
                .into_iter()
                .flat_map(|terrain| terrain.statistics()),
        );
        statistics
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let after = self
            .models
            .partition_point(|model| model.first_thumbnail <= index);
        match after.checked_sub(1).and_then(|last| self.models.get(last)) {
            Some(model) => {
                let own = index - model.first_thumbnail;
                model.model.as_ref()?.thumbnail(own)
            }
            None => self.terrain()?.thumbnail(index),
        }
    }

    fn info(&self, _query: &InfoQuery) -> Map<String, serde_json::Value> {
        self.info_json()
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self)
    }

    fn deferred(&self) -> Option<&dyn Deferred> {
        Some(self)
    }

    fn textures(&self) -> Option<&dyn Textures> {
        Some(self)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }

    fn hiding(&self) -> Option<&dyn Hiding> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }
}

impl Hiding for MapScene {
    fn hide_target(&self, item: Item) -> Option<Item> {
        match item {
            Item::Scene(
                SceneItem::Entity { .. }
                | SceneItem::Faction { .. }
                | SceneItem::Class { .. }
                | SceneItem::Model { .. }
                | SceneItem::Region { .. }
                | SceneItem::Camera { .. },
            ) => Some(item),
            item => Some(entity_item(entity_of(item)?)),
        }
    }

    fn is_hidden(&self, item: Item, shown: &Shown) -> bool {
        match entity_of(item) {
            Some(entity) => self.is_entity_hidden(entity, shown),
            None => shown.hides(item),
        }
    }
}

impl RelatedFiles for MapScene {
    fn files(&self) -> Vec<NamedFile> {
        let named = |kind, name: String, path, found| NamedFile {
            kind,
            name,
            path,
            found,
            named_by: None,
        };
        let inner = |files: Vec<NamedFile>, by: &str| {
            let named_by = Some(by.to_owned());
            files.into_iter().map(move |file| NamedFile {
                named_by: named_by.clone(),
                ..file
            })
        };
        let mut files = Vec::new();
        if let Some(path) = &self.map_path {
            let name = file_name(path);
            let terrain = self.terrain();
            let on_disk = path.is_file().then(|| path.clone());
            files.push(named("map", name.clone(), on_disk, terrain.is_some()));
            let of_map = terrain.map_or_else(Vec::new, |terrain| terrain.files());
            files.extend(inner(of_map, &name));
        }
        for model in &self.models {
            let (name, file) = (model.name.clone(), model.file.clone());
            files.push(named("model", name, file, model.model.is_some()));
            let of_model = model.model.as_ref().map_or_else(Vec::new, |it| it.files());
            files.extend(inner(of_model, &model.name));
        }
        if let Some(skybox) = &self.pfscene.general.skybox {
            let found = self.environment.skybox.is_some();
            files.push(named("skybox", skybox.value.folder.clone(), None, found));
        }
        files
    }

    fn other_files(&self) -> Vec<OtherFile<'_>> {
        let map = match (&self.map, &self.refused_map) {
            (Some((path, terrain)), _) => Some(OtherFile {
                path: path.clone(),
                format: &pfmap::FORMAT,
                document: Some(&**terrain),
                problems: terrain.about().problems.clone(),
            }),
            (None, Some(problem)) => self.map_path.clone().map(|path| OtherFile {
                path,
                format: &pfmap::FORMAT,
                document: None,
                problems: vec![problem.clone()],
            }),
            (None, None) => None,
        };
        let models = self.models.iter().filter_map(|it| {
            let model = it.model.as_deref();
            Some(OtherFile {
                path: it.file.clone()?,
                format: &pfobj::FORMAT,
                document: model.map(|model| model as &dyn Document),
                problems: match model {
                    Some(model) => model.problems(),
                    None => vec![it.refused.clone()?],
                },
            })
        });
        map.into_iter().chain(models).collect()
    }

    fn summarized_file(&self, problem: &Problem) -> Option<PathBuf> {
        let is_of = |rules: [&Rule; 2]| rules.iter().any(|rule| rule.id == problem.rule.id);
        if is_of([&rules::BROKEN_MAP, &rules::MISSING_MAP]) {
            return self.map_path.clone();
        }
        match problem.subject {
            Subject::SceneEntity(index)
                if is_of([&rules::BROKEN_MODEL, &rules::UNREADABLE_MODEL]) =>
            {
                self.file_of(entity_item(index))
            }
            _ => None,
        }
    }

    fn file_of(&self, item: Item) -> Option<PathBuf> {
        match item {
            Item::Scene(SceneItem::Model { index }) => {
                self.models.get(index as usize)?.file.clone()
            }
            Item::Scene(SceneItem::Entity { index: entity } | SceneItem::Part { entity, .. }) => {
                let placed = self.entities.get(entity as usize)?;
                self.models.get(placed.model)?.file.clone()
            }
            Item::Scene(SceneItem::Scene) => Some(self.map.as_ref()?.0.clone()),
            Item::Scene(_) => None,
            item => self.terrain()?.file_of(item),
        }
    }

    fn source_of(&self, item: Item) -> Option<PathBuf> {
        match item {
            Item::Scene(SceneItem::Model { .. } | SceneItem::Part { .. }) => self.file_of(item),
            Item::Scene(_) => None,
            _ => Some(self.map.as_ref()?.0.clone()),
        }
    }
}

impl Animation for MapScene {
    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn curves(&self, item: Item, clip: usize, options: CurveOptions) -> Vec<Curve> {
        let frames = self.clips.get(clip).map_or(0, |clip| clip.frames);
        let part = self.part(item);
        part.map_or_else(Vec::new, |(posed, part)| {
            posed.curves(part, frames, options)
        })
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn own_clip(&self, item: Item, playhead: Playhead) -> Option<OwnClip<'_>> {
        self.posed(entity_of(item)?)?.own_clip(playhead)
    }

    fn follows_playhead(&self, item: Item) -> bool {
        let placed = entity_of(item).and_then(|entity| self.entities.get(entity as usize));
        placed.is_some_and(|placed| placed.clip.is_some())
    }

    fn bounds(&self, _clip: Option<usize>) -> Option<Aabb> {
        Some(self.about.bounds)
    }
}
