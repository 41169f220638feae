//! Maps of the Tiled editor, in TMX and Tiled's JSON format. Both are written from one map in
//! memory.
//!
//! Layers are in the game's drawing order: a layer that is drawn in two passes becomes two layers,
//! and cells that the game skips are empty. Tiled has one cell size for the whole map. It is the
//! largest size of which the tiles of all layers are multiples; a larger tile is in the lower left
//! cell of those it covers. All layers have the size of the largest one; smaller ones store their
//! size in the properties `columns` and `rows`.
//!
//! The number of a tile in its tileset is that of its image; in tilesets of ika, this is its number
//! in the file. If a file numbers tiles differently, tiles have the properties `id`, `palette` and
//! `name`. Obstruction, zones and logic attributes become hidden layers above all others. Each of
//! them has a tileset of its values, whose tiles have the property `value` and, for zones, the
//! properties of the zone.

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

/// Tiled maps as XML.
const TMX: FileKind = FileKind::with_check("Tiled map", "tmx", xml::is_map);
/// Tiled maps as JSON.
const TMJ: FileKind = FileKind::with_check("Tiled JSON map", "tmj", is_json_map);

/// The Tiled targets of a document.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    if !crate::has_cells(document) {
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
            // All keys are strings, so serialisation cannot fail.
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

/// `true` if a file is a JSON map as Tiled or [`make`] writes it, in any formatting.
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
