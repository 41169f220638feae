//! Export to glTF 2.0: meshes, materials, skins and clips in the form that Blender, Godot and other
//! programs read.
//!
//! The world of glTF is right-handed with Y up, in metres. The V axis of textures points down from
//! the top left, and front faces are counter-clockwise. A unit of a document becomes a metre, and
//! mirrored worlds are converted ([`axes`]). A single model keeps its own axes, X left, Y up and Z
//! forward, which equal those of glTF.

mod axes;
mod build;
mod level;
mod model;
mod parts;
#[cfg(test)]
mod read_back;
mod skin;
mod terrain;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::Affine3A;
use gltf_json::extras::RawValue;
use gltf_json::{Extras, Index, Node};
use serde_json::Value as Json;

use self::axes::Axes;
use self::build::Builder;
use crate::Target;
use mapscope_formats::{p3m, pfobj, pfscene};
use mapscope_scene::camera::Handedness;
use mapscope_scene::level::Map;
use mapscope_scene::saving::FileKind;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Document, Drawable, Item, SceneItem, Shown, items_of_kinds};

/// Binary glTF in one file.
const GLB: FileKind = FileKind::new("binary glTF", "glb", b"glTF");
/// glTF as text, with its data embedded as base64.
const GLTF: FileKind = FileKind::with_check("glTF", "gltf", is_gltf);
/// Maximum number of files of a kind that a sentence names.
const MAX_LISTED: usize = 5;
/// Entity attributes that are already in the transform of the node.
const IN_TRANSFORM: [&str; 3] = ["position", "rotation", "scale"];

/// Message for a model that keeps its axes.
const AS_IN_FILE: &str = "Left and right are as in the file; the game shows models mirrored. \
                          `mapscope export --mirror` swaps them.";
/// Message for a model whose left and right were swapped.
const MIRRORED: &str = "Left and right are swapped, as the game shows the model.";

/// Adds drawable content to a file and returns a node for each of its placements. `None` if the
/// content has another type.
type Add = fn(&mut Builder, &Drawable<'_>) -> Option<Vec<Index<Node>>>;

/// The functions for each type of content.
const CONTENT: [Add; 3] = [model::add, terrain::add, level::add];

/// `true` if a file is glTF as text: its asset has a version.
fn is_gltf(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Asset {
        #[serde(rename = "version")]
        _version: String,
    }
    #[derive(serde::Deserialize)]
    struct Head {
        #[serde(rename = "asset")]
        _asset: Asset,
    }
    serde_json::from_slice::<Head>(bytes).is_ok()
}

/// The glTF targets of a document.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    if document.layers().is_some() {
        return Vec::new();
    }
    let is_model = is_model(document);
    let glb = Target {
        kind: GLB,
        what,
        make: |document, _| make(document, false).into_glb(),
        mirrored: is_model.then_some(|document, _| make(document, true).into_glb()),
    };
    let gltf = Target {
        kind: GLTF,
        what,
        make: |document, _| make(document, false).into_gltf(),
        mirrored: is_model.then_some(|document, _| make(document, true).into_gltf()),
    };
    vec![glb, gltf]
}

/// `true` if a document is a single model, which has its own axes.
fn is_model(document: &dyn Document) -> bool {
    document.about().format.id == pfobj::FORMAT.id
}

/// A description of the exported content of a document.
fn what(document: &dyn Document) -> &'static str {
    let drawables = drawables(document);
    let is_of_scene = |drawable: &Drawable<'_>| !drawable.entities.is_empty();
    if drawables.iter().any(is_of_scene) {
        return "all that stands in the scene";
    }
    let [alone] = drawables.as_slice() else {
        return "what is drawn in space";
    };
    let content: &dyn Any = alone.content;
    if content.is::<Terrain>() {
        "the ground with its textures"
    } else if content.is::<Map>() {
        "the levels with their lightmaps"
    } else if !model::moves(alone) {
        "the mesh"
    } else if document.animation().is_some() {
        "the mesh with its skeleton and clips"
    } else {
        "the mesh with its skeleton"
    }
}

/// Builds everything that a document draws initially. A single model keeps its axes unless it is
/// mirrored.
fn make(document: &dyn Document, is_mirrored: bool) -> Builder {
    document.wait_until_complete();
    let drawables = drawables(document);
    let mut builder = Builder::default();
    builder.axes = Axes::of(match document.about().handedness {
        Handedness::Mirrored if is_model(document) && !is_mirrored => Handedness::Right,
        // The exporter of P3M exchanges two axes of Blender; these are Blender's own again.
        _ if document.about().format.id == p3m::FORMAT.id => Handedness::Left,
        handedness => handedness,
    });
    if is_model(document) {
        builder.report_loss(if is_mirrored { MIRRORED } else { AS_IN_FILE });
    }
    builder.is_single_drawable = drawables.len() == 1;
    builder.entities = entities(document);
    for drawable in &drawables {
        let nodes = CONTENT.iter().find_map(|add| add(&mut builder, drawable));
        match nodes {
            Some(nodes) => builder.show(nodes),
            None => builder.report_loss("Some visible content is left out."),
        }
    }
    for camera in document.cameras() {
        parts::add_camera(&mut builder, camera);
    }
    if builder.is_empty() {
        builder.report_loss("Nothing is visible, so the exported file has no scene.");
    }
    report_missing_files(&mut builder, document);
    let shown: usize = drawables
        .iter()
        .map(|drawable| drawable.entities.len())
        .sum();
    let all = items_of_kinds(document, &["entity"]).len();
    if document.about().format.id == pfscene::FORMAT.id && shown < all {
        builder.report_loss(&format!(
            "Entities without a usable model or position are left out: {} of {all}.",
            all - shown
        ));
    }
    if let Some(environment) = document.environment() {
        builder.report_loss("Ambient light and the sky are left out.");
        if !builder.is_empty() {
            parts::add_sun(&mut builder, &environment.sun);
        }
    }
    builder
}

fn drawables(document: &dyn Document) -> Vec<Drawable<'_>> {
    let mut drawables = Vec::new();
    document.for_each_drawable(&Shown::default(), &mut |drawable| drawables.push(drawable));
    drawables
}

/// Name and attributes of an entity for its node.
#[derive(Debug, Clone, Default)]
struct EntityNode {
    name: String,
    extras: Extras,
}

/// The entities of a scene by their numbers.
fn entities(document: &dyn Document) -> HashMap<u32, EntityNode> {
    let factions: HashMap<u32, String> = items_of_kinds(document, &["faction"])
        .into_iter()
        .filter_map(|faction| match faction.item {
            Item::Scene(SceneItem::Faction { index }) => Some((index, faction.name?)),
            _ => None,
        })
        .collect();
    let entities = items_of_kinds(document, &["entity"]).into_iter();
    let nodes = entities.filter_map(|entity| {
        let Item::Scene(SceneItem::Entity { index }) = entity.item else {
            return None;
        };
        let mut attributes = serde_json::Map::new();
        for line in document.own(entity.item) {
            if let Some((key, value)) = line.attribute() {
                attributes.insert(key, value);
            }
        }
        let faction = attributes.get("faction_id").and_then(Json::as_u64);
        let faction = faction.and_then(|index| factions.get(&u32::try_from(index).ok()?));
        if let Some(faction) = faction {
            attributes.insert("faction".to_owned(), faction.as_str().into());
        }
        attributes.retain(|key, _| !IN_TRANSFORM.contains(&key.as_str()));
        let node = EntityNode {
            name: entity.name?,
            extras: extras(attributes),
        };
        Some((index, node))
    });
    nodes.collect()
}

/// Additional attributes of a node for other programs; `None` if there are no attributes.
fn extras(attributes: serde_json::Map<String, Json>) -> Extras {
    if attributes.is_empty() {
        return None;
    }
    RawValue::from_string(Json::from(attributes).to_string()).ok()
}

/// Reports files that the document references but that were not found.
fn report_missing_files(builder: &mut Builder, document: &dyn Document) {
    let files = document.files();
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.found) {
        missing.entry(file.kind).or_default().insert(&file.name);
    }
    for (kind, names) in missing {
        let listed: Vec<&str> = names.iter().copied().take(MAX_LISTED).collect();
        let listed = listed.join(", ");
        let more = names.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let instead = match kind {
            "texture" => "shown as placeholders",
            _ => "left out",
        };
        builder.report_loss(&format!(
            "Not found, refused or unreadable, and {instead}: {kind} {listed}{more}."
        ));
    }
}

/// The transform of a node for a placement; `None` at the origin.
fn node_matrix(world_from_model: &Affine3A) -> Option<[f32; 16]> {
    let matrix = glam::Mat4::from(*world_from_model);
    (matrix != glam::Mat4::IDENTITY).then(|| matrix.to_cols_array())
}
