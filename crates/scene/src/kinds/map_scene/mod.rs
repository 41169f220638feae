//! Scenes: what stands on a Permafrost map, on that map, as the game shows it (fact sheet C).
//!
//! A scene has a terrain and any number of entities, each a model at a place. Entities of the same
//! model and clip are one drawable, so that a village of hundreds is a few dozen draws. What is asked
//! about the ground is handed on to the terrain; what is asked about an entity is answered here.

mod build;
mod check;
mod describe;
mod fields;
mod load;
mod overlays;
mod parts;
mod pick;
mod place;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use glam::Affine3A;

pub(crate) use describe::OVERLAYS;
pub use load::{MapFile, maps_beside};
use pick::Covers;

use crate::assets::DeferredTextures;
use crate::kinds::model::Model;
use crate::terrain::Terrain;
use crate::{
    Aabb, About, Animation as _, ClipInfo, Document, Environment, Item, NamedCamera, OpenError,
    OpenOptions, Playhead, Progress, SceneItem, Source,
};
use mapscope_formats::Problem;
use mapscope_formats::pfscene::Pfscene;

/// An open scene, ready to be drawn, pointed at and described.
#[derive(Debug)]
pub struct MapScene {
    /// What was known of it when it was opened.
    about: About,
    /// The same with what is wrong with its skybox, once that was read.
    whole_about: OnceLock<About>,
    path: PathBuf,
    pfscene: Pfscene,
    /// The map that it stands on, and its file.
    map: Option<(PathBuf, Arc<Terrain>)>,
    /// Where its map is or would be; none where it is to stand nowhere.
    map_path: Option<PathBuf>,
    /// The problem for which nothing of its map can be shown.
    refused_map: Option<Problem>,
    models: Vec<SceneModel>,
    /// The textures of the models.
    textures: DeferredTextures,
    entities: Vec<Placed>,
    groups: Vec<Group>,
    covers: Covers,
    /// The numbers of the entities of each faction and class, rising.
    members: HashMap<SceneItem, Vec<u32>>,
    /// Whether any entity has a selection circle, and whether any has a vision range.
    has_circles: [bool; 2],
    /// The classes of scripts that entities name, in alphabetical order.
    classes: Vec<String>,
    clips: Vec<ClipInfo>,
    cameras: Vec<NamedCamera>,
    environment: Environment,
}

/// A model that entities name.
#[derive(Debug)]
struct SceneModel {
    /// Its path, as the file has it.
    name: String,
    /// Its file, if it was found.
    file: Option<PathBuf>,
    /// The model; none where it was not found or cannot be read.
    model: Option<Arc<Model>>,
    /// The problem for which nothing in its file can be shown.
    refused: Option<Problem>,
    /// The number of the first of its thumbnails among those of the scene.
    first_thumbnail: usize,
    /// The entities that name it, in file order.
    entities: Vec<u32>,
}

/// An entity on the map.
#[derive(Debug)]
struct Placed {
    /// Where it stands.
    world_from_model: Affine3A,
    /// What it occupies in world space, in the first frame of its clip.
    bounds: Aabb,
    /// The index of its model.
    model: usize,
    /// The clip that it plays, by its index in the model.
    clip: Option<usize>,
    /// Whether the file says where. What it does not say so of is not shown.
    is_somewhere: bool,
    /// World height of the ground below it; none off the map, or without one.
    ground: Option<f32>,
    /// What it is one of: its faction, its class and its model.
    kinds: [Option<SceneItem>; 3],
}

/// Entities of a model that play the same clip.
#[derive(Debug)]
struct Group {
    model: usize,
    clip: Option<usize>,
    /// Their numbers, rising.
    entities: Vec<u32>,
    /// Where they stand, in the same order.
    placements: Vec<Affine3A>,
}

/// Opens a scene for the table of formats.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let pfscene = source.parse::<Pfscene>(progress)?;
    let scene = MapScene::build(pfscene, source, options, progress)?;
    Ok(Arc::new(scene))
}

impl MapScene {
    /// The scene as it was read. Its problems are in [`About::problems`].
    pub fn pfscene(&self) -> &Pfscene {
        &self.pfscene
    }

    /// The map that it stands on.
    pub fn terrain(&self) -> Option<&Arc<Terrain>> {
        Some(&self.map.as_ref()?.1)
    }

    /// The moment of an entity's clip while the scene is at a moment of its own; always the same one
    /// if it plays none.
    fn playhead_of(clip: Option<usize>, model: &Model, playhead: Playhead) -> Playhead {
        let played = clip.and_then(|clip| model.clips().get(clip));
        played.map_or_else(Playhead::default, |played| Playhead {
            clip,
            frame: playhead.frame.rem_euclid(played.frames.max(1) as f32),
            ..playhead
        })
    }

    fn entity(&self, item: Item) -> Option<(u32, &Placed)> {
        let Item::Scene(SceneItem::Entity { index }) = item else {
            return None;
        };
        Some((index, self.entities.get(index as usize)?))
    }

    /// The model of an entity, if it could be read.
    fn model_of(&self, placed: &Placed) -> Option<&Arc<Model>> {
        self.models.get(placed.model)?.model.as_ref()
    }
}
