//! glTF 2.0: meshes, materials, skins and clips in space, as Blender, Godot and others read them.
//!
//! The world of glTF is right-handed, Y up, in metres, with textures whose V runs down from the top
//! left; a face is seen from where its corners run counter-clockwise. A unit of a document becomes a
//! metre, and worlds that are seen mirrored are turned ([`axes`]).

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
use gltf_json::{Index, Node};

use self::axes::Axes;
use self::build::Builder;
use crate::Target;
use mapscope_formats::pfscene;
use mapscope_scene::level::Map;
use mapscope_scene::saving::FileKind;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Document, Drawable, Item, SceneItem, Shown, items_of_kinds};

/// glTF in one file of binary data.
const GLB: FileKind = FileKind::new("binary glTF", "glb", b"glTF");
/// glTF as text, with its data in it as base64.
const GLTF: FileKind = FileKind::with_check("glTF", "gltf", is_gltf);
/// Names of files of a kind that a sentence lists.
const MAX_LISTED: usize = 5;

/// Adds content that is drawn to a file: the nodes that stand for it at each of its places.
type Add = fn(&mut Builder, &Drawable<'_>) -> Option<Vec<Index<Node>>>;

/// What can be added. Each gives none for content that it does not know.
const CONTENT: [Add; 3] = [model::add, terrain::add, level::add];

/// Whether a file is glTF as text: its asset has a version.
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

/// What a document can become as glTF.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    if document.layers().is_some() {
        return Vec::new();
    }
    let glb = Target {
        kind: GLB,
        what,
        make: |document, _| make(document).into_glb(),
    };
    let gltf = Target {
        kind: GLTF,
        what,
        make: |document, _| make(document).into_gltf(),
    };
    vec![glb, gltf]
}

/// What of a document is in the file.
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

/// All that a document draws at first.
fn make(document: &dyn Document) -> Builder {
    document.wait_until_complete();
    let drawables = drawables(document);
    let mut builder = Builder::default();
    builder.axes = Axes::of(document.about().handedness);
    builder.is_alone = drawables.len() == 1;
    builder.entity_names = entity_names(document);
    for drawable in &drawables {
        let nodes = CONTENT.iter().find_map(|add| add(&mut builder, drawable));
        match nodes {
            Some(nodes) => builder.show(nodes),
            None => builder.lose("Some of what is drawn is left out."),
        }
    }
    if builder.is_empty() {
        builder.lose("Nothing of it is drawn: the file has no scene.");
    }
    lose_missing(&mut builder, document);
    let shown: usize = drawables
        .iter()
        .map(|drawable| drawable.entities.len())
        .sum();
    let all = items_of_kinds(document, &["entity"]).len();
    if document.about().format.id == pfscene::FORMAT.id && shown < all {
        builder.lose(&format!(
            "Entities without a model or a place that can be shown are left out: {} of {all}.",
            all - shown
        ));
    }
    if document.environment().is_some() {
        builder.lose("The sun, the light around and the sky are left out.");
    }
    if !document.cameras().is_empty() {
        builder.lose("Its cameras are left out.");
    }
    builder
}

fn drawables(document: &dyn Document) -> Vec<Drawable<'_>> {
    let mut drawables = Vec::new();
    document.for_each_drawable(&Shown::default(), &mut |drawable| drawables.push(drawable));
    drawables
}

fn entity_names(document: &dyn Document) -> HashMap<u32, String> {
    let entities = items_of_kinds(document, &["entity"]).into_iter();
    let named = entities.filter_map(|entity| match entity.item {
        Item::Scene(SceneItem::Entity { index }) => Some((index, entity.name?)),
        _ => None,
    });
    named.collect()
}

/// Says which files that the document names were not found.
fn lose_missing(builder: &mut Builder, document: &dyn Document) {
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
        builder.lose(&format!(
            "Not found, refused or not readable, and {instead}: {kind} {listed}{more}."
        ));
    }
}

/// A node's transform for a place in the world; none where it stands at the origin.
fn node_matrix(world_from_model: &Affine3A) -> Option<[f32; 16]> {
    let matrix = glam::Mat4::from(*world_from_model);
    (matrix != glam::Mat4::IDENTITY).then(|| matrix.to_cols_array())
}
