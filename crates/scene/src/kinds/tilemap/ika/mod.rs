//! ika's maps and tilesets as 2D maps ([`TileMap`]).
//!
//! Section numbers refer to the fact sheet of ika.

mod cells;
mod map;
mod properties;
mod text_map;
mod tileset;

use std::sync::Arc;

pub(super) use cells::Numbers;
pub use map::document as map_document;
pub use text_map::document as text_document;
pub use tileset::{Found, document as tileset_document};

#[cfg(doc)]
use super::TileMap;
use crate::{Document, OpenError, OpenOptions, Progress, Source};
use mapscope_formats::ika::{Map, TextMap, Vsp};
use mapscope_formats::{Problem, is_truncation};

/// Opens a binary map for the table of formats.
pub(crate) fn open_map(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let map = source.parse::<Map>(progress)?;
    let tileset = tileset::find(&map.tileset, source, options);
    progress.report(0.7)?;
    let document = map_document(map, tileset);
    progress.report(1.0)?;
    Ok(Arc::new(document))
}

/// Opens a text map for the table of formats.
pub(crate) fn open_text(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let map = source.parse::<TextMap>(progress)?;
    let mut tileset = tileset::find(&map.tileset, source, options);
    let has_no_head = |it: &Problem| is_truncation(it.rule) || it.rule.id == "ika/no-header";
    let problems = || map.problems.iter().flat_map(Problem::with_consequences);
    let is_head_lost = problems().any(has_no_head);
    if map.tileset.is_empty() && is_head_lost {
        // The file ends before it names one, or has no header that could.
        tileset.faults.clear();
    }
    progress.report(0.7)?;
    let document = text_document(map, tileset);
    progress.report(1.0)?;
    Ok(Arc::new(document))
}

/// Opens a tileset for the table of formats.
pub(crate) fn open_tileset(
    source: &Source,
    _options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let vsp = source.parse::<Vsp>(progress)?;
    let name = source.path.file_name().unwrap_or_default();
    let document = tileset_document(vsp, &name.to_string_lossy());
    progress.report(1.0)?;
    Ok(Arc::new(document))
}
