//! Scenes: entities on a Permafrost map, as the game shows them (fact sheet C).
//!
//! A scene has a terrain and any number of entities, each a model at a place. Entities of the same
//! model and clip form one drawable, so a village of hundreds needs only a few dozen draws. Queries
//! about the ground are forwarded to the terrain; queries about entities are answered here.

mod build;
mod check;
mod compare;
mod document;
mod fields;
mod info;
mod legends;
mod load;
mod outline;
mod overlays;
mod parts;
mod pick;
mod place;
mod textures;
mod walk;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use glam::Affine3A;

pub(crate) use document::OVERLAYS;
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
    /// Metadata at the time of opening.
    about: About,
    /// The same with problems of its skybox, once that is read.
    whole_about: OnceLock<About>,
    path: PathBuf,
    pfscene: Pfscene,
    /// Its map, and the file of the map.
    map: Option<(PathBuf, Arc<Terrain>)>,
    /// The actual or expected path of its map; `None` if it is opened without a map.
    map_path: Option<PathBuf>,
    /// The problem of a map in which nothing can be shown.
    refused_map: Option<Problem>,
    models: Vec<SceneModel>,
    /// The textures of the models.
    textures: DeferredTextures,
    entities: Vec<Placed>,
    /// The entities of each occupied tile, by row and column, in file order.
    entities_by_tile: OnceLock<HashMap<(u32, u32), Vec<u32>>>,
    groups: Vec<Group>,
    covers: Covers,
    /// The entities of each faction and class, in ascending order.
    members: HashMap<SceneItem, Vec<u32>>,
    /// `true` if any entity has a selection circle, and if any has a vision range.
    has_circles: [bool; 2],
    /// The script classes of entities, in alphabetical order.
    classes: Vec<String>,
    clips: Vec<ClipInfo>,
    cameras: Vec<NamedCamera>,
    environment: Environment,
}

/// A model that entities name.
#[derive(Debug)]
struct SceneModel {
    /// Its path as written in the file.
    name: String,
    /// Its file, if it was found.
    file: Option<PathBuf>,
    /// The model; `None` if it was not found or cannot be read.
    model: Option<Arc<Model>>,
    /// The problem of a file in which nothing can be shown.
    refused: Option<Problem>,
    /// Index of its first thumbnail in the scene.
    first_thumbnail: usize,
    /// The entities that name it, in file order.
    entities: Vec<u32>,
}

/// An entity on the map.
#[derive(Debug)]
struct Placed {
    /// Its transform.
    world_from_model: Affine3A,
    /// Bounds in world space, in the first frame of its clip.
    bounds: Aabb,
    /// The index of its model.
    model: usize,
    /// The clip that it plays, by its index in the model.
    clip: Option<usize>,
    /// `true` if the file has a position for it. Other entities are not shown.
    has_position: bool,
    /// World height of the ground below it; `None` off the map or without a map.
    ground: Option<f32>,
    /// Its groups: its faction, its class and its model.
    kinds: [Option<SceneItem>; 3],
}

/// Entities of a model that play the same clip.
#[derive(Debug)]
struct Group {
    model: usize,
    clip: Option<usize>,
    /// Their numbers, in ascending order.
    entities: Vec<u32>,
    /// Their transforms, in the same order.
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
    /// The parsed scene. Its problems are in [`About::problems`].
    pub fn pfscene(&self) -> &Pfscene {
        &self.pfscene
    }

    /// The map of the scene.
    pub fn terrain(&self) -> Option<&Arc<Terrain>> {
        Some(&self.map.as_ref()?.1)
    }

    /// Converts the scene's playhead to the clip of an entity; constant if the entity has no clip.
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
