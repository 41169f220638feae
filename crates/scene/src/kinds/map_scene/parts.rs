//! Parts of an entity's model at the entity's place: joints, triangles, materials and clips,
//! described by the model's own view.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde_json::{Map, Value as Json};

use super::document::OWN_OVERLAYS;
use super::fields::entity_item;
use super::{MapScene, Placed};
use crate::describe::own::OwnLine;
use crate::describe::table::Describe;
use crate::describe::value::{Fact, FactGroup, Value};
use crate::kinds::model::Model;
use crate::{
    Animation as _, Annotations as _, Curve, CurveOptions, Direction, Document as _, Item,
    ItemPlace, Label, LegendEntry, Line, ModelItem, Neighbor, OverlayId, OwnClip, Places as _,
    Playhead, PropertyGroup, Ray, SceneItem, Shown, SummaryPart, Swatch, ViewState, VisibleFrom,
    Walk as _,
};

/// An entity and its model, posed at the shown moment.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    scene: &'a MapScene,
    entity: u32,
    placed: &'a Placed,
    model: &'a Arc<Model>,
}

/// The entity that an item refers to, directly or as a part.
pub(super) fn entity_of(item: Item) -> Option<u32> {
    match item {
        Item::Scene(SceneItem::Entity { index: entity } | SceneItem::Part { entity, .. }) => {
            Some(entity)
        }
        _ => None,
    }
}

impl MapScene {
    /// An entity with a readable model.
    pub(super) fn posed(&self, entity: u32) -> Option<Posed<'_>> {
        let placed = self.entities.get(entity as usize)?;
        Some(Posed {
            scene: self,
            entity,
            placed,
            model: self.model_of(placed)?,
        })
    }

    /// The entity that is selected, directly or through a part.
    pub(super) fn selected_entity(&self, shown: &Shown) -> Option<Posed<'_>> {
        let entity = entity_of(shown.selected?)?;
        let is_shown = !self.is_entity_hidden(entity, shown);
        self.posed(entity).filter(|_| is_shown)
    }

    /// The entity of a part of a model, and the part.
    pub(super) fn part(&self, item: Item) -> Option<(Posed<'_>, ModelItem)> {
        let Item::Scene(SceneItem::Part { entity, part }) = item else {
            return None;
        };
        Some((self.posed(entity)?, part))
    }
}

/// A part of an entity, with the fields that it has in its model.
struct PartRecord<'a> {
    posed: Posed<'a>,
    of_model: Box<dyn Describe + 'a>,
}

impl Describe for PartRecord<'_> {
    fn groups(&self) -> Vec<PropertyGroup> {
        let mut groups = self.of_model.groups();
        // Links lead to parts of the same entity.
        for property in groups.iter_mut().flat_map(|group| &mut group.properties) {
            property.link = property.link.map(|item| self.posed.in_scene(item));
            property.swatch = property.swatch.map(|swatch| self.posed.swatch(swatch));
        }
        groups.insert(0, self.posed.part_of().group());
        groups
    }

    fn summary(&self) -> Vec<SummaryPart> {
        let entity = self.posed.whole();
        let entity = SummaryPart::new("Entity", entity.text().unwrap_or_default());
        [entity]
            .into_iter()
            .chain(self.of_model.summary())
            .collect()
    }

    fn note(&self) -> String {
        self.of_model.note()
    }

    fn own(&self) -> Vec<OwnLine> {
        self.of_model.own()
    }

    fn details(&self) -> Map<String, Json> {
        let mut details = self.of_model.details();
        details.extend([self.posed.part_of().json()]);
        details
    }

    fn value(&self, path: &[String]) -> Option<Value> {
        let of_model = self.of_model.value(path);
        of_model.or_else(|| self.posed.part_of().value(path))
    }
}

impl<'a> Posed<'a> {
    /// Converts the scene's view settings for the model: the moment of its clip, and the overlays
    /// that are drawn for the selected entity.
    pub(super) fn shown(&self, shown: &Shown) -> Shown {
        let mut of_model = Shown {
            playhead: self.playhead(shown.playhead),
            selected: shown.selected.and_then(|item| self.in_model(item)),
            ..Shown::default()
        };
        for overlay in &OWN_OVERLAYS {
            let is_on = shown.overlays.contains(overlay.id);
            let offered = self.model.about().overlays;
            of_model.overlays.set(offered, overlay.id, is_on);
        }
        of_model
    }

    /// The legend entries of an overlay that is drawn for its model.
    pub(super) fn model_colors(&self, overlay: OverlayId, shown: &Shown) -> Vec<LegendEntry> {
        let playhead = self.playhead(shown.playhead);
        self.model.overlay_colors(overlay, playhead)
    }

    /// The clip that it plays, and its current frame.
    pub(super) fn own_clip(&self, of_scene: Playhead) -> Option<OwnClip<'a>> {
        let clip = self.model.clips().get(self.placed.clip?)?;
        Some(OwnClip {
            name: &clip.name,
            frame: self.playhead(of_scene).frame as u32,
            frames: clip.frames,
        })
    }

    pub(super) fn playhead(&self, of_scene: Playhead) -> Playhead {
        MapScene::playhead_of(self.placed.clip, self.model, of_scene)
    }

    /// Converts a part of this entity to the item of its model.
    fn in_model(&self, item: Item) -> Option<Item> {
        match item {
            Item::Scene(SceneItem::Part { entity, part }) if entity == self.entity => {
                Some(part.into())
            }
            _ => None,
        }
    }

    /// Converts an item of its model to a part of this entity.
    pub(super) fn in_scene(&self, item: Item) -> Item {
        let entity = self.entity;
        match item {
            Item::Model(ModelItem::Model) => SceneItem::Entity { index: entity }.into(),
            Item::Model(part) => SceneItem::Part { entity, part }.into(),
            item => item,
        }
    }

    /// Its model.
    pub(super) fn model(&self) -> &'a Model {
        self.model
    }

    /// The whole entity.
    fn whole(&self) -> Value {
        let index = self.entity;
        let entity = self.scene.pfscene.entities.get(index as usize);
        let name = entity.map_or("", |entity| entity.name.as_str());
        Value::reference(index as usize, name)
            .with_index()
            .link(SceneItem::Entity { index })
    }

    fn part_of(&self) -> FactGroup {
        FactGroup::new("Part of", [Fact::new("Entity", self.whole())])
    }

    /// The record of a part, at the moment of the entity's clip and in model space.
    pub(super) fn record(
        self,
        part: ModelItem,
        view: ViewState<'a>,
    ) -> Option<Box<dyn Describe + 'a>> {
        let view = ViewState {
            playhead: self.playhead(view.playhead),
            shown: None,
            ..view
        };
        let of_model = self.model.record(part.into(), view)?;
        Some(Box::new(PartRecord {
            posed: self,
            of_model,
        }))
    }

    fn swatch(&self, swatch: Swatch) -> Swatch {
        match swatch {
            Swatch::Thumbnail(index) => {
                let model = self.scene.models.get(self.placed.model);
                Swatch::Thumbnail(index + model.map_or(0, |model| model.first_thumbnail))
            }
            color @ Swatch::Color(_) => color,
        }
    }

    /// Links to the contents of its model: materials, clips and root joints.
    pub(super) fn parts(&self) -> Value {
        let pfobj = self.model.pfobj();
        let entity = self.entity;
        let line = |name, text: &str, part| {
            let value = Value::from(text).named(name);
            value.link(SceneItem::Part { entity, part })
        };
        let materials = (0..).zip(&pfobj.materials).map(|(index, material)| {
            let line = line("Material", &material.name, ModelItem::Material { index });
            line.swatch(Some(self.swatch(Swatch::Thumbnail(index as usize))))
        });
        let clips = (0..)
            .zip(self.model.clips())
            .map(|(index, clip)| line("Clip", &clip.name, ModelItem::Clip { index }));
        let joints = (0..).zip(&pfobj.joints);
        let roots = joints.filter(|(_, joint)| joint.parent.is_none());
        let roots =
            roots.map(|(index, joint)| line("Root joint", &joint.name, ModelItem::Joint { index }));
        Value::list(materials.chain(clips).chain(roots))
    }

    fn world_from_model(&self) -> &'a Affine3A {
        &self.placed.world_from_model
    }

    pub(super) fn place(&self, part: ModelItem, shown: &Shown) -> ItemPlace {
        let place = self.model.place(part.into(), &self.shown(shown));
        let world_from_model = self.world_from_model();
        ItemPlace {
            bounds: place.bounds.map(|aabb| aabb.transformed(world_from_model)),
            seen_from: match place.seen_from {
                VisibleFrom::Before { middle, normal } => {
                    // Normals need the inverse transpose under a non-uniform scale.
                    let turned = world_from_model.matrix3.inverse().transpose() * normal;
                    turned
                        .try_normalize()
                        .map_or(VisibleFrom::AllSides, |normal| VisibleFrom::Before {
                            middle: world_from_model.transform_point3(middle),
                            normal,
                        })
                }
                seen_from => seen_from,
            },
            ..place
        }
    }

    pub(super) fn contour(&self, part: ModelItem, shown: &Shown) -> Vec<[Vec3; 2]> {
        let mut lines = self.model.contour(part.into(), &self.shown(shown));
        for end in lines.iter_mut().flatten() {
            *end = self.world_from_model().transform_point3(*end);
        }
        lines
    }

    pub(super) fn neighbor(&self, part: ModelItem, direction: Direction) -> Neighbor {
        let neighbor = self.model.neighbor(part.into(), direction);
        Neighbor {
            item: neighbor.item.map(|item| self.in_scene(item)),
            ..neighbor
        }
    }

    pub(super) fn next_of_kind(
        &self,
        kind: ModelItem,
        after: Option<Item>,
        backwards: bool,
    ) -> Option<Item> {
        let after = after.and_then(|item| self.in_model(item));
        let next = self.model.next_of_kind(kind.into(), after, backwards)?;
        Some(self.in_scene(next))
    }

    /// Its placement.
    pub(super) fn placed(&self) -> &'a Placed {
        self.placed
    }

    /// Transforms a ray into model space. Also returns the factor by which distances along it grow.
    /// `None` for a scale of zero, which nothing can hit.
    fn in_model_space(&self, ray: Ray) -> Option<(Ray, f32)> {
        let model_from_world = self.world_from_model().inverse();
        let direction = model_from_world.transform_vector3(ray.direction);
        let scale = direction.length();
        if !scale.is_finite() || scale == 0.0 {
            return None;
        }
        let ray_in_model = Ray {
            origin: model_from_world.transform_point3(ray.origin),
            direction: direction / scale,
        };
        Some((ray_in_model, scale))
    }

    /// Distance at which a ray hits its model, approximately: in the first frame of the clip of the
    /// first entity with this model, since posing the model for each ray would take too long.
    pub(super) fn first_surface(&self, ray: Ray) -> Option<f32> {
        let (ray_in_model, scale) = self.in_model_space(ray)?;
        let model = self.scene.models.get(self.placed.model)?;
        let first = self.scene.entities.get(*model.entities.first()? as usize)?;
        let still = Shown {
            playhead: MapScene::playhead_of(first.clip, self.model, Playhead::default()),
            ..Shown::default()
        };
        let hit = self.model.pick(ray_in_model, &still)?;
        Some(hit.distance / scale)
    }

    /// Distance at which a ray hits it, and the item: the entity, or the part of it if the entity
    /// is selected.
    pub(super) fn hit(&self, ray: Ray, shown: &Shown) -> Option<(f32, Item)> {
        let (ray_in_model, scale) = self.in_model_space(ray)?;
        let is_selected = shown.selected.and_then(entity_of) == Some(self.entity);
        let of_model = if is_selected {
            self.shown(shown)
        } else {
            Shown {
                playhead: self.playhead(shown.playhead),
                ..Shown::default()
            }
        };
        let hit = self.model.pick(ray_in_model, &of_model)?;
        let item = if is_selected {
            self.in_scene(hit.item)
        } else {
            entity_item(self.entity)
        };
        Some((hit.distance / scale, item))
    }

    /// The lines of its model's overlays and of its selected part.
    pub(super) fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let first = lines.len();
        self.model.lines(&self.shown(shown), lines);
        for line in lines.iter_mut().skip(first) {
            line.ends = line
                .ends
                .map(|end| self.world_from_model().transform_point3(end));
        }
    }

    /// The labels of its model's overlays and of its selected part.
    pub(super) fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let first = labels.len();
        self.model.labels(&self.shown(shown), labels);
        for label in labels.iter_mut().skip(first) {
            label.position = self.world_from_model().transform_point3(label.position);
        }
    }

    /// The curves of a part over `frames` frames of the scene, with its clip repeated.
    pub(super) fn curves(&self, part: ModelItem, frames: u32, options: CurveOptions) -> Vec<Curve> {
        let own = |clip| self.model.curves(part.into(), clip, options);
        let mut curves = self.placed.clip.map_or_else(Vec::new, own);
        for curve in &mut curves {
            let once = std::mem::take(&mut curve.values);
            curve.values = once.into_iter().cycle().take(frames as usize).collect();
        }
        curves
    }
}
