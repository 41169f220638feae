//! Maps of Tiled, the editor: TMX and its JSON, written of one map in memory.
//!
//! Layers come in the order in which the game draws them: a layer that is drawn in two passes is two
//! layers, and cells that the game leaves out are empty. Tiled has one size of cells for the whole map:
//! it is the largest that the tiles of all layers are multiples of, and a larger tile stands in the
//! lower left of the cells that it covers. All layers have the size of the largest; `columns` and
//! `rows` are properties of those that were smaller.
//!
//! A tile's number in its tileset is that of its image: in tilesets of ika its number in the file.
//! Where a file numbers tiles in another way, tiles have the properties `id`, `palette` and `name`.
//! Obstruction, zones and logic attributes are hidden layers over all others, each with a tileset of
//! its numbers, whose tiles have the property `value`, and those of zones what the file says of the zone.

mod cells;
mod layers;
mod model;
mod objects;
mod properties;
#[cfg(test)]
mod tests;
mod tilesets;
mod xml;

use std::borrow::Cow;

use serde::de::IgnoredAny;

use self::layers::Builder;
use crate::{Export, ExportError, Target};
use mapscope_scene::Document;
use mapscope_scene::saving::FileKind;
use mapscope_scene::tilemap::TileMap;

/// Maps of Tiled as XML.
const TMX: FileKind = FileKind::with_check("Tiled map", "tmx", xml::is_map);
/// The same as JSON.
const TMJ: FileKind = FileKind::with_check("Tiled JSON map", "tmj", is_json_map);

/// What a document can become for Tiled.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    if document.layers().is_none() {
        return Vec::new();
    }
    let what = |_: &dyn Document| "layers, tilesets with their animations, and objects";
    let tmx = Target {
        kind: TMX,
        what,
        make: |document, stem| make(document, stem, xml::write),
        mirrored: None,
    };
    let tmj = Target {
        kind: TMJ,
        what,
        make: |document, stem| {
            // All keys are texts.
            make(document, stem, |map, _| {
                serde_json::to_vec(map).unwrap_or_default()
            })
        },
        mirrored: None,
    };
    vec![tmx, tmj]
}

fn make(
    document: &dyn Document,
    stem: &str,
    write: impl FnOnce(&model::Map<'_>, &mut Vec<String>) -> Vec<u8>,
) -> Result<Export, ExportError> {
    let Some(map) = document.content::<TileMap>() else {
        return Ok(Export::default());
    };
    let mut builder = Builder::new(map, stem);
    let model = builder.map()?;
    let mut losses = builder.losses;
    let file = write(&model, &mut losses);
    Ok(Export {
        file,
        beside: builder.files.beside,
        losses,
    })
}

/// Whether a file is a map as Tiled or [`make`] writes it as JSON, however it is spelt.
fn is_json_map(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Head<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(rename = "orientation")]
        _orientation: IgnoredAny,
        #[serde(rename = "layers")]
        _layers: IgnoredAny,
    }
    serde_json::from_slice::<Head<'_>>(bytes).is_ok_and(|head| head.kind == "map")
}
