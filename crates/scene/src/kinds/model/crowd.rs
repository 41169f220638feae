//! A model with many instances, for benchmarks of crowds.

use std::sync::Arc;

use glam::Affine3A;

use super::Model;
use crate::{Aabb, About, Document, Drawable, Placements, Playhead, Shown};

/// A document whose content is drawn any number of times, each instance at its own playhead. It has
/// no descriptions.
#[derive(Debug)]
pub struct Crowd {
    document: Arc<dyn Document>,
    /// Bounds over all clips, in model space.
    bounds: Option<Aabb>,
    /// Instances.
    pub instances: Vec<Instance>,
}

/// One instance of a crowd.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Placement.
    pub world_from_model: Affine3A,
    /// Playhead that poses its skeleton.
    pub playhead: Playhead,
}

impl Instance {
    /// Creates an instance whose model space is world space.
    pub fn in_place(playhead: Playhead) -> Self {
        Self {
            world_from_model: Affine3A::IDENTITY,
            playhead,
        }
    }
}

impl Crowd {
    /// Creates a crowd of a document.
    pub fn new(document: Arc<dyn Document>, instances: Vec<Instance>) -> Self {
        let bounds = document.animation().and_then(|animation| {
            let clips = (0..animation.clips().len()).map(Some);
            let bounds = clips
                .chain([None])
                .filter_map(|clip| animation.bounds(clip));
            bounds.reduce(|all, bounds| all.union(&bounds))
        });
        if let Some(model) = document.content::<Model>() {
            model.simplify_for(instances.len());
        }
        Self {
            document,
            bounds,
            instances,
        }
    }
}

impl Document for Crowd {
    fn about(&self) -> &About {
        self.document.about()
    }

    fn for_each_drawable<'a>(&'a self, shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        self.document.for_each_drawable(shown, &mut |drawable| {
            for instance in &self.instances {
                draw(Drawable {
                    placements: Placements::Now(instance.world_from_model),
                    entities: &[],
                    playhead: Some(instance.playhead),
                    bounds: self.bounds,
                    ..drawable
                });
            }
        });
    }
}
