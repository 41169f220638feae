//! The layers and tilesets of a map, as listed in panels.

use super::flatten::FlatMap;
use super::{Parallax, Pass, Step, TileMap, Tileset};
use crate::describe::value::Value;
use crate::{FlatImage, Image, Item, LayerInfo, Layers, Playhead, Shown, TileMapItem, TilesetInfo};

/// Maximum number of drawing steps that are named.
const MAX_NAMED: usize = 64;

/// Display text of a layer's parallax; empty if the layer scrolls with the camera.
pub(super) fn parallax_name(parallax: &Parallax) -> String {
    let [x, y] = [0, 1].map(|axis| match (parallax.mul[axis], parallax.div[axis]) {
        (0, _) | (_, 0) => "fixed".to_owned(),
        (mul, div) if mul == div => "1:1".to_owned(),
        (mul, div) => format!("{mul}:{div}"),
    });
    match (x == y, &*x) {
        (true, "1:1") => String::new(),
        (true, _) => x,
        (false, _) => format!("{x} across, {y} down"),
    }
}

/// The numbers of the file if the display text hides them: 7:7 is equivalent to 1:1.
pub(super) fn parallax_as_written(parallax: &Parallax) -> Option<String> {
    let axes = [0, 1].map(|axis| (parallax.mul[axis], parallax.div[axis]));
    let is_told = |(mul, div): (i32, i32)| match (mul, div) {
        (0, _) | (_, 0) => (mul, div) == (0, 1),
        _ => mul != div || mul == 1,
    };
    let [x, y] = axes.map(|(mul, div)| format!("{mul}:{div}"));
    match (axes.into_iter().all(is_told), x == y) {
        (true, _) => None,
        (false, true) => Some(x),
        (false, false) => Some(format!("{x} across, {y} down")),
    }
}

/// The parallax as a sentence; empty if the layer scrolls with the camera.
pub(super) fn parallax_help(parallax: &Parallax) -> String {
    let [x, y] = [0, 1].map(|axis| match (parallax.mul[axis], parallax.div[axis]) {
        (0, _) | (_, 0) => "does not move".to_owned(),
        (mul, div) if mul == div => "moves with the camera".to_owned(),
        (mul, div) => {
            let pixels = if mul == 1 { "pixel" } else { "pixels" };
            format!("moves {mul} {pixels} for {div} of the camera")
        }
    });
    match (x == y, &*x) {
        (true, "moves with the camera") => String::new(),
        (true, _) => format!("Parallax: {x}"),
        (false, _) => format!("Parallax: {x} across, {y} down"),
    }
}

impl Layers for TileMap {
    fn layers(&self) -> Vec<LayerInfo> {
        if self.is_picture() {
            return Vec::new();
        }
        let first = self.first_steps();
        let order = self.layers_from_below().into_iter();
        let layers = order.filter_map(|number| {
            let layer = self.layers.get(number)?;
            let is_drawn = first.get(number).copied().flatten().is_some();
            let [x, y] = layer.position_px;
            let notes = [
                (!layer.has_tiles()).then(|| "no tiles".to_owned()),
                (!is_drawn).then(|| "not drawn".to_owned()),
                layer.wraps.contains(&true).then(|| "repeats".to_owned()),
                ([x, y] != [0; 2]).then(|| format!("at {x}, {y}")),
            ];
            let left_out = self.left_out_notes(Some(number));
            let notes: Vec<String> = notes.into_iter().flatten().chain(left_out).collect();
            Some(LayerInfo {
                item: Self::layer_item(number),
                name: self.layer_name(number),
                size: layer.size,
                parallax: parallax_name(&layer.parallax),
                parallax_help: parallax_help(&layer.parallax),
                is_drawn,
                note: notes.join(", "),
            })
        });
        layers.collect()
    }

    fn tilesets(&self) -> Vec<TilesetInfo> {
        let tilesets = self.tilesets_with_tiles();
        let tilesets = tilesets.filter(|_| !self.is_picture());
        let list = tilesets.map(|(number, tileset)| {
            let uses = self.counts().uses.get(number).into_iter().flatten();
            let tiles = tileset.tile_count();
            let ids = tileset.tiles.iter().take(tiles).map(|tile| tile.id);
            TilesetInfo {
                item: Self::tileset_item(number),
                name: self.tileset_name(number),
                tile_size: tileset.tile_size,
                uses: uses.copied().take(tiles).collect(),
                ids: ids.collect(),
                is_missing: tileset.is_placeholder,
            }
        });
        list.collect()
    }

    fn tile_image(&self, tile: Item, playhead: Playhead) -> Option<Image> {
        let tile = self.tile_at(tile)?;
        let shown = tile.tileset.image_at(tile.image, self.ticks(playhead));
        Some(Image {
            size: tile.tileset.tile_size,
            rgba: tile.tileset.image(shown)?.to_vec(),
        })
    }

    fn tile_item(&self, tileset: Item, index: usize) -> Option<Item> {
        let Item::TileMap(TileMapItem::Tileset { index: number }) = tileset else {
            return None;
        };
        let number = number as usize;
        let tileset = self.tilesets.get(number)?;
        (index < tileset.tile_count()).then(|| Self::tile_item(number, index))
    }

    /// A gap that reveals the layers below while keeping their order recognisable.
    fn default_layer_gap(&self) -> f32 {
        let [width, height] = self.canvas_px();
        (width.max(height) as f32 / 8.0).round()
    }

    fn tile_px(&self) -> Option<[u32; 2]> {
        self.tile_of_map_px()
    }

    fn tile_count(&self) -> Option<[u32; 2]> {
        let tile = self.tile_of_map_px()?;
        let canvas = self.canvas_px();
        let count = |axis: usize| canvas[axis].div_ceil(tile[axis].into());
        Some([0, 1].map(|axis| u32::try_from(count(axis)).unwrap_or(u32::MAX)))
    }

    fn wraps(&self) -> [bool; 2] {
        let layers = || self.layers.iter().filter(|layer| layer.has_tiles());
        [0, 1].map(|axis| layers().count() > 0 && layers().all(|layer| layer.wraps[axis]))
    }

    fn flat_size(&self) -> [u64; 2] {
        self.canvas_px()
    }

    fn flat<'a>(&'a self, shown: &'a Shown) -> Box<dyn FlatImage + 'a> {
        Box::new(FlatMap::new(self, shown))
    }
}

impl TileMap {
    /// The first step that draws each layer; `None` if it is not drawn.
    fn first_steps(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.layers.len()];
        for (at, step) in self.steps.iter().enumerate() {
            if let Step::Layer { layer, .. } = step
                && let Some(first) = first.get_mut(*layer)
            {
                first.get_or_insert(at);
            }
        }
        first
    }

    /// Indices of the layers from bottom to top, starting with layers that are not drawn.
    pub(super) fn layers_from_below(&self) -> Vec<usize> {
        let first = self.first_steps();
        let mut order: Vec<usize> = (0..self.layers.len()).collect();
        order.sort_by_key(|layer| first.get(*layer).copied().flatten());
        order
    }

    /// The tilesets, except those of layers without tiles.
    pub(super) fn tilesets_with_tiles(&self) -> impl Iterator<Item = (usize, &Tileset)> {
        let tilesets = self.tilesets.iter().enumerate();
        tilesets.filter(|(_, tileset)| tileset.image_count() > 0)
    }

    /// Display text of the drawing order.
    pub(super) fn drawing_order(&self) -> String {
        let mut steps: Vec<String> = self
            .steps
            .iter()
            .take(MAX_NAMED)
            .map(|step| match *step {
                Step::Layer { layer, pass, .. } => {
                    let name = self.layer_name(layer);
                    match pass {
                        Pass::All | Pass::Normal => name,
                        Pass::Priority => format!("priority tiles of {name}"),
                    }
                }
                Step::Objects { layer: Some(layer) } => {
                    format!("what is on {}", self.layer_name(layer))
                }
                Step::Objects { layer: None } => "entities".to_owned(),
            })
            .collect();
        match self.steps.len().checked_sub(MAX_NAMED) {
            Some(more) if more > 0 => steps.push(format!("and {more} more")),
            _ if steps.is_empty() => steps.push("nothing".to_owned()),
            _ => {}
        }
        steps.join(", ")
    }

    /// The turns in which a layer is drawn, from 1 for the lowest.
    pub(super) fn drawing_turns(&self, number: usize) -> Value {
        let new = self.steps.iter().filter(|step| Self::is_new_layer(**step));
        let all = new.clone().count();
        let is_this = |step: &Step| matches!(step, Step::Layer { layer, .. } if *layer == number);
        let turns = new.zip(1..).filter(|(step, _)| is_this(step));
        let turns: Vec<u32> = turns.map(|(_, turn)| turn).collect();
        let text = match turns.iter().take(8).map(u32::to_string).collect::<Vec<_>>() {
            turns if turns.is_empty() => "never".to_owned(),
            turns => format!("{} of {all}, counted from the bottom", turns.join(" and ")),
        };
        Value::list(turns).shown_as(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallax_is_said_where_there_is_some() {
        let said = |mul, div| parallax_name(&Parallax { mul, div });
        assert_eq!(said([1, 1], [1, 1]), "");
        assert_eq!(said([2, 3], [2, 3]), "");
        assert_eq!(said([1, 1], [2, 2]), "1:2");
        assert_eq!(said([0, 1], [1, 0]), "fixed");
        assert_eq!(said([1, 1], [2, 1]), "1:2 across, 1:1 down");
        let written = |mul, div| parallax_as_written(&Parallax { mul, div });
        assert_eq!(written([7, 7], [7, 7]).as_deref(), Some("7:7"));
        let across = "0:3 across, 1:2 down";
        assert_eq!(written([0, 1], [3, 2]).as_deref(), Some(across));
        for (mul, div) in [([1, 1], [1, 1]), ([0, 6], [1, 4])] {
            assert_eq!(written(mul, div), None);
        }
        let help = |mul, div| parallax_help(&Parallax { mul, div });
        assert_eq!(help([2, 3], [2, 3]), "");
        let slow = "Parallax: moves 3 pixels for 2 of the camera";
        assert_eq!(help([3, 3], [2, 2]), slow);
        let across = "Parallax: does not move across, moves with the camera down";
        assert_eq!(help([0, 1], [5, 1]), across);
    }
}
