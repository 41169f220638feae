//! Models attached to the joints of another model, such as a sword in a hand.
//!
//! An [`Assembly`] is a document of its own around the open one, so neither model changes: models
//! can be attached and detached without reading the other files again, and the renderer sees
//! ordinary drawables. Only [`Model::joint_matrix`] turns a joint and a moment into a placement.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use glam::{Affine3A, Vec3};
use serde_json::{Map, Value as Json};

use super::{Model, joint_item};
use crate::describe::outline::{file_name, heading, leaf};
use crate::describe::table::{Describe, WithFacts};
use crate::describe::value::{Fact, FactGroup};
use crate::document::textures::Textures;
use crate::{
    Aabb, About, Animation, Annotations, ClipInfo, Compare, Curve, CurveOptions, Document,
    Drawable, Environment, Hit, InfoQuery, Item, ItemPlace, Legend, ModelItem, OutlineNode,
    OverlayId, OwnClip, Placements, Places, Playhead, ProblemTarget, Ray, RelatedFiles, Shown,
    Statistic, ViewState, Walk,
};
use mapscope_formats::{Format, Problem, p3m, pfobj};

/// A model with other models at its joints. Its file, clips, textures and statistics are those of
/// the model alone.
#[derive(Debug)]
pub struct Assembly {
    /// The model that the others are attached to.
    host: Arc<dyn Document>,
    attached: Vec<Attached>,
    about: About,
    /// Bounds over each clip, then those in the bind pose, once they were needed.
    bounds: Vec<OnceLock<Option<Aabb>>>,
}

/// A model in its bind pose, whose model space is the space of a joint of another model.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Index of the joint.
    pub joint: u32,
    /// The file of the model.
    pub path: PathBuf,
    /// The model.
    pub model: Arc<dyn Document>,
}

/// The formats of models, which can be attached to joints and have joints.
pub static FORMATS: [&Format; 2] = [&pfobj::FORMAT, &p3m::FORMAT];

/// The message about an attached file of another format.
pub const NOT_A_MODEL: &str = "it is not a model; expected a file that ends in .pfobj or .p3m";

/// `true` for a document that can be attached to a joint, and that others can be attached to.
pub fn is_model(document: &dyn Document) -> bool {
    let format = document.about().format;
    FORMATS.iter().any(|of_models| of_models.id == format.id)
}

/// The name of a joint of a model; `None` for other items and documents.
pub fn joint_name(document: &dyn Document, item: Item) -> Option<&str> {
    let model = host_model(document)?;
    let joint = model.pfobj.joints.get(model.joint_of(item)?)?;
    Some(&joint.name)
}

/// The index of the first joint with a name.
///
/// # Errors
/// A sentence for the user that lists the joints, if the document has no such joint.
pub fn joint_named(document: &dyn Document, name: &str) -> Result<u32, String> {
    let joints = host_model(document).map_or(&[][..], |model| &model.pfobj.joints);
    let found = joints.iter().zip(0..).find(|(it, _)| it.name == name);
    found.map(|(_, index)| index).ok_or_else(|| {
        let known: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
        let known = match &known[..] {
            [] => "none".to_owned(),
            known => known.join(", "),
        };
        format!("joint `{name}` not found; this file has {known}")
    })
}

fn host_model(document: &dyn Document) -> Option<&Model> {
    document.content().filter(|_| is_model(document))
}

impl Model {
    /// Returns the matrix from the space of a joint to model space at a moment. `None` if the joint
    /// does not exist, or if the file gives numbers that are not finite.
    pub fn joint_matrix(&self, joint: u32, playhead: Playhead) -> Option<Affine3A> {
        let matrix = self.with_joints(playhead, |all| all.get(joint as usize).copied());
        matrix.filter(Affine3A::is_finite)
    }
}

impl Attached {
    /// Bounds in the bind pose, in model space.
    fn extent(&self) -> Option<Aabb> {
        self.model.content::<Model>()?.extent_of(None)
    }
}

impl Assembly {
    /// Attaches models to another one. Without any, returns that one.
    pub fn of(host: &Arc<dyn Document>, attached: Vec<Attached>) -> Arc<dyn Document> {
        if attached.is_empty() {
            return Arc::clone(host);
        }
        let mut about = host.about().clone();
        for (at, it) in attached.iter().enumerate() {
            about.dependencies.push(it.path.clone());
            let others = it.model.about().dependencies.iter().cloned();
            about.dependencies.extend(others);
            let is_same = |other: &Attached| Arc::ptr_eq(&other.model, &it.model);
            if !attached[..at].iter().any(is_same) {
                about.cpu_bytes += it.model.cpu_bytes();
            }
        }
        let clips = host.animation().map_or(0, |it| it.clips().len());
        let mut assembly = Self {
            host: Arc::clone(host),
            attached,
            about,
            bounds: vec![OnceLock::new(); clips + 1],
        };
        let bounds = [None, (clips > 0).then_some(0)].map(|clip| assembly.extent_of(clip));
        let bounds = bounds.into_iter().flatten();
        assembly.about.bounds =
            bounds.fold(assembly.about.bounds, |all, bounds| all.union(&bounds));
        Arc::new(assembly)
    }

    /// The placement of an attached model at a moment.
    fn placement(&self, attached: &Attached, playhead: Playhead) -> Option<Affine3A> {
        let model = self.host.content::<Model>()?;
        model.joint_matrix(attached.joint, playhead)
    }

    /// Bounds of the attached models at a moment.
    fn extent_at(&self, playhead: Playhead) -> Option<Aabb> {
        let bounds = self.attached.iter().filter_map(|it| {
            let place = self.placement(it, playhead)?;
            Some(it.extent()?.transformed(&place))
        });
        Aabb::around_all(bounds.filter(Aabb::is_finite))
    }

    /// Bounds of the attached models over a clip, or in the bind pose.
    fn extent_of(&self, clip: Option<usize>) -> Option<Aabb> {
        let cached = match clip {
            Some(clip) => self.bounds[..self.bounds.len() - 1].get(clip),
            None => self.bounds.last(),
        };
        *cached?.get_or_init(|| match clip {
            Some(clip) => {
                let frames = self.host.content::<Model>()?.poses.measured_frames(clip);
                let moments = frames.map(|frame| Playhead::at_frame(clip, frame));
                Aabb::around_all(moments.filter_map(|moment| self.extent_at(moment)))
            }
            None => self.extent_at(Playhead::default()),
        })
    }

    /// Returns the first intersection of a ray with the attached models, as one with the joint.
    fn attached_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let mut overlays = shown.overlays.clone();
        // The bones of attached models are not drawn.
        overlays.set(self.about.overlays, OverlayId::Skeleton, false);
        let bound = Shown {
            overlays,
            ..Shown::default()
        };
        let hits = self.attached.iter().filter_map(|it| {
            let place = self.placement(it, shown.playhead)?;
            let from_world = place.inverse();
            let local = Ray {
                origin: from_world.transform_point3(ray.origin),
                direction: from_world
                    .transform_vector3(ray.direction)
                    .try_normalize()?,
            };
            let hit = it.model.pick(local, &bound)?;
            let position = place.transform_point3(hit.position);
            Some(Hit {
                item: joint_item(it.joint as usize),
                position,
                distance: position.distance(ray.origin),
            })
        });
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The attached models of a joint.
    fn at_joint(&self, item: Item) -> impl Iterator<Item = &Attached> {
        let is_at = move |it: &&Attached| item == joint_item(it.joint as usize);
        self.attached.iter().filter(is_at)
    }
}

impl Document for Assembly {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        self.host.for_each_drawable(shown, draw);
        for attached in &self.attached {
            let placement = self.placement(attached, shown.playhead);
            attached.model.for_each_drawable(shown, &mut |drawable| {
                draw(Drawable {
                    placements: placement.map_or(Placements::Held(&[]), Placements::Now),
                    playhead: Some(Playhead::default()),
                    bounds: attached.extent(),
                    is_attached: true,
                    ..drawable
                });
            });
        }
    }

    fn environment(&self) -> Option<&Environment> {
        self.host.environment()
    }

    fn outline(&self) -> Vec<OutlineNode> {
        let lines = self.attached.iter().map(|it| {
            let joint = joint_item(it.joint as usize);
            let name = joint_name(&*self.host, joint).unwrap_or_default();
            leaf(file_name(&it.path), joint, name.to_owned())
        });
        let mut outline = self.host.outline();
        outline.push(heading("Attached", lines.collect()));
        outline
    }

    fn pick(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let hit = self.host.pick(ray, shown);
        // Bones are drawn in front of everything.
        if let Some(Item::Model(ModelItem::Joint { .. })) = hit.map(|hit| hit.item) {
            return hit;
        }
        let hits = [hit, self.attached_hit(ray, shown)].into_iter().flatten();
        hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        let record = self.host.record(item, view)?;
        if self.at_joint(item).next().is_none() {
            return Some(record);
        }
        let facts = move || {
            let models = self.at_joint(item);
            let facts = models.map(|it| Fact::shown_only("Model", file_name(&it.path)));
            vec![FactGroup::new("Attached", facts)]
        };
        Some(Box::new(WithFacts { record, facts }))
    }

    fn notes(&self) -> Vec<Problem> {
        self.host.notes()
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        self.host.problem_target(problem)
    }

    fn emptiness(&self, shown: &Shown) -> Option<String> {
        self.host.emptiness(shown)
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        self.host.legends(shown)
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.host.statistics()
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        self.host.thumbnail(index)
    }

    fn info(&self, query: &InfoQuery) -> Map<String, Json> {
        self.host.info(query)
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        self.host.annotations()
    }

    fn animation(&self) -> Option<&dyn Animation> {
        self.host.animation().map(|_| self as _)
    }

    fn textures(&self) -> Option<&dyn Textures> {
        self.host.textures()
    }

    fn walk(&self) -> Option<&dyn Walk> {
        self.host.walk()
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        self.host.related_files()
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        self.host.comparison()
    }
}

impl Animation for Assembly {
    fn clips(&self) -> &[ClipInfo] {
        self.host.animation().map_or(&[], Animation::clips)
    }

    fn curves(&self, item: Item, clip: usize, options: CurveOptions) -> Vec<Curve> {
        let animation = self.host.animation();
        animation.map_or_else(Vec::new, |it| it.curves(item, clip, options))
    }

    fn has_curves(&self) -> bool {
        self.host.animation().is_some_and(Animation::has_curves)
    }

    fn own_clip(&self, item: Item, playhead: Playhead) -> Option<OwnClip<'_>> {
        self.host.animation()?.own_clip(item, playhead)
    }

    fn follows_playhead(&self, item: Item) -> bool {
        let animation = self.host.animation();
        animation.is_some_and(|it| it.follows_playhead(item))
    }

    fn bounds(&self, clip: Option<usize>) -> Option<Aabb> {
        let of_host = self.host.animation()?.bounds(clip);
        Aabb::around_all(of_host.into_iter().chain(self.extent_of(clip)))
    }
}

impl Places for Assembly {
    fn place(&self, item: Item, shown: &Shown) -> ItemPlace {
        let mut place = self.host.place(item, shown);
        if item == ModelItem::Model.into() {
            let attached = self.extent_at(shown.playhead);
            place.bounds = Aabb::around_all(place.bounds.into_iter().chain(attached));
        }
        place
    }

    fn contour(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        self.host.contour(item, shown)
    }
}
