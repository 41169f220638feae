//! `PixelPerfectEngine`'s maps and their containers as 2D maps ([`TileMap`]).
//!
//! Section numbers refer to the fact sheet of `PixelPerfectEngine`.

mod facts;
mod files;
mod layers;
mod notes;
mod objects;
mod own;
mod palette;
mod tiles;

use std::path::Path;
use std::sync::Arc;

pub(super) use self::facts::cell_facts;
use self::facts::{MapFacts, XmfFacts};
use self::files::Files;
use self::layers::Builder;
use self::notes::Notes;
use super::{Contents, FileForm, TileMap};
use crate::core::rules;
use crate::{Document, OpenError, OpenOptions, Progress, Source};
use mapscope_formats::ppe::xmf::{self, MapSource, Xmf, XmfLayer};
use mapscope_formats::ppe::{MAP_FORMAT, MapData, XMF_FORMAT};
use mapscope_formats::{Place, Problem};

/// Maximum number of containers beside a map that are searched for its name.
const MAX_CONTAINERS: usize = 64;
/// Maximum size of a container that is searched, in bytes.
const MAX_CONTAINER_BYTES: u64 = 16 << 20;

/// Opens map data for the table of formats.
pub(crate) fn open_map(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let map = source.parse::<MapData>(progress)?;
    let document = map_document(map, source, options);
    progress.report(1.0)?;
    Ok(Arc::new(document))
}

/// Opens a container for the table of formats.
pub(crate) fn open_xmf(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let xmf = source.parse::<Xmf>(progress)?;
    let document = xmf_document(xmf, source, options);
    progress.report(1.0)?;
    Ok(Arc::new(document))
}

/// Builds a 2D map from map data. Tiles come from the container beside it that names it; without
/// one, numbered placeholders are used.
pub fn map_document(mut map: MapData, source: &Source, options: &OpenOptions) -> TileMap {
    let mut problems = std::mem::take(&mut map.problems);
    let mut files = Files::new(source, options);
    let container = container_of(source, &mut files);
    let place = Place::Offset(0);
    let name = source.path.file_stem().unwrap_or_default();
    let container_name = container.as_ref().map(|(name, ..)| name.clone());
    let mut builder = Builder::new(place, Notes::new(container_name));
    builder.notes.enter(0);
    let map = Arc::new(map);
    let container = container.map(|(name, xmf, layer)| {
        builder
            .palette
            .load(&xmf, Some(layer), &mut files, &mut builder.notes);
        builder.add_tile_layer(&xmf, layer, &map, &mut files);
        name
    });
    if container.is_none() {
        let message = "no container (.xmf) beside the map refers to it; its tiles are shown as \
                       numbers";
        builder
            .notes
            .add_tile_problem(&rules::NO_CONTAINER, place, message.to_owned());
        builder.add_bare_layer(&name.to_string_lossy(), &map);
    }
    builder.keep_cells(Arc::clone(&map));
    // Problems of other files have no place in this file.
    problems.extend(std::mem::take(&mut builder.notes).finish());
    let version = map.flags.layout().name();
    let facts = MapFacts { map, container };
    let mut map = TileMap::new(&MAP_FORMAT, version, Box::new(facts));
    map.form = FileForm {
        contents: Contents::Layer,
        has_unnamed_layers: true,
        ..FileForm::default()
    };
    map.about.dependencies = files.dependencies;
    map.files = files.named;
    builder.finish(map, problems)
}

/// Builds a 2D map from a container and all files that it names.
pub fn xmf_document(mut xmf: Xmf, source: &Source, options: &OpenOptions) -> TileMap {
    let mut problems = std::mem::take(&mut xmf.problems);
    let mut files = Files::new(source, options);
    let mut builder = Builder::new(Place::Text { line: 1, column: 1 }, Notes::default());
    builder
        .palette
        .load(&xmf, None, &mut files, &mut builder.notes);
    // Layers are drawn by priority; ties are in file order.
    let mut order: Vec<usize> = (0..xmf.layers.len()).collect();
    order.sort_by_key(|index| xmf.layers.get(*index).map(|layer| layer.priority));
    let mut layers = Vec::with_capacity(order.len());
    let mut layers_of_file = vec![0; order.len()];
    for (shown, index) in order.into_iter().enumerate() {
        builder.add_layer(&xmf, index, &mut files);
        if let Some(of_file) = layers_of_file.get_mut(index) {
            *of_file = shown;
        }
        layers.push(index);
    }
    if xmf.is_cut {
        builder.mark_layers_unread();
    }
    problems.extend(std::mem::take(&mut builder.notes).finish());
    problems.sort_by_key(|problem: &Problem| problem.place);
    let version = xmf
        .metadata
        .version
        .map_or_else(String::new, |[major, minor]| format!("{major}.{minor}"));
    let facts = Box::new(XmfFacts::new(xmf, layers));
    let mut map = TileMap::new(&XMF_FORMAT, version, facts);
    map.form = FileForm {
        contents: Contents::NamedTiles,
        has_sorted_objects: true,
        ..FileForm::default()
    };
    map.about.dependencies = files.dependencies;
    map.files = files.named;
    map.layers_of_file = layers_of_file;
    builder.finish(map, problems)
}

/// The container beside a map that names it: its file name, its contents, and the index of the
/// layer.
fn container_of(source: &Source, files: &mut Files<'_>) -> Option<(String, Xmf, usize)> {
    let map_name = source.path.file_name()?.to_str()?.to_lowercase();
    let names_map = |layer: &XmfLayer| match &layer.map {
        Some(MapSource::File { path, .. }) => {
            crate::describe::outline::base_name(path).to_lowercase() == map_name
        }
        _ => false,
    };
    let is_container = |name: &str| {
        let ending = Path::new(name)
            .extension()
            .and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| {
            XMF_FORMAT
                .endings
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
        })
    };
    let mut names = files.names_beside();
    names.retain(|name| is_container(name));
    names.sort();
    names.into_iter().take(MAX_CONTAINERS).find_map(|name| {
        let bytes = files.read_beside(&name, MAX_CONTAINER_BYTES)?;
        let xmf = xmf::read(&bytes).ok()?;
        let layer = xmf.layers.iter().position(names_map)?;
        files.depend_on_beside(&name);
        Some((name, xmf, layer))
    })
}
