//! Entries: the steps of a 2D map, the areas of its zones, and its grids.

use std::ops::Range;

use super::atlas::Atlas;
use super::cells::{Band, Rows};
use super::gpu_data;
use super::pipelines::CellsKey;
use super::sprites::Sprites;
use mapscope_scene::tilemap::{Cell, Grid, Layer, Pass, Step, TileMap, hatch_px};
use mapscope_scene::{Item, OverlayId, Shown, TileMapItem};

/// A drawable part of a map.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: EntryKind,
    /// The layer that it belongs to.
    pub(super) layer: Option<usize>,
    pub(super) slots: Range<usize>,
    /// The colours of a grid, once it was shown.
    pub(super) colors: Option<Vec<(Rows, Band)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Tiles {
        skips_zero: bool,
        is_opaque: bool,
        pass: Pass,
        /// `true` if the adjacent step draws the other pass of the layer. One draw then covers both
        /// where they are at the same height.
        joins: bool,
    },
    Objects {
        step: usize,
    },
    /// The filled areas of the zones of a layer, as an index into [`Sprites::of_areas`].
    Areas {
        range: usize,
    },
    Grid {
        grid: usize,
    },
}

impl Entry {
    /// `true` if it is drawn.
    pub(super) fn is_shown(&self, map: &TileMap, shown: &Shown, sprites: &Sprites) -> bool {
        let opacity = self.layer.map_or(1.0, |layer| opacity(shown, layer));
        let is_asked_for = match self.kind {
            // The adjacent step draws it too.
            EntryKind::Tiles {
                pass: Pass::Priority,
                joins: true,
                ..
            } => !shown.flat,
            EntryKind::Tiles { .. } => true,
            EntryKind::Objects { .. } => !sprites.of(self.kind).is_empty(),
            EntryKind::Areas { .. } => shown.overlays.contains(OverlayId::Zones),
            EntryKind::Grid { grid } => {
                map.grids.get(grid).is_some_and(|grid| grid.is_shown(shown))
            }
        };
        is_asked_for && opacity > 0.0
    }

    /// Height above the ground in pixels.
    pub(super) fn height_px(&self, map: &TileMap, shown: &Shown, number: usize) -> f32 {
        match self.kind {
            EntryKind::Tiles { .. } | EntryKind::Objects { .. } => {
                map.step_height_px(number, shown)
            }
            EntryKind::Areas { .. } => map.objects_height(self.layer, shown),
            EntryKind::Grid { grid } => {
                let grid = map.grids.get(grid);
                grid.map_or(0.0, |grid| map.grid_height_px(grid, shown))
            }
        }
    }

    /// The uniforms and the pipeline key, except for what depends on the camera.
    pub(super) fn values(
        &self,
        map: &TileMap,
        shown: &Shown,
        layer: &Layer,
        (atlas, is_animated): (&Atlas, bool),
    ) -> (gpu_data::Draw, CellsKey) {
        let mut flags = 0;
        let mut outside = Cell::EMPTY;
        let is_grid = matches!(self.kind, EntryKind::Grid { .. });
        let is_hatched = match self.kind {
            EntryKind::Grid { grid } => map.grids.get(grid).is_some_and(Grid::is_hatched),
            _ => false,
        };
        let mut opaque = false;
        if let EntryKind::Tiles {
            skips_zero,
            is_opaque,
            pass,
            joins,
        } = self.kind
        {
            opaque = is_opaque;
            flags |= if skips_zero { gpu_data::SKIPS_ZERO } else { 0 };
            flags |= match pass {
                Pass::All => 0,
                Pass::Normal if joins && shown.flat => 0,
                Pass::Normal => gpu_data::NORMAL_ONLY,
                Pass::Priority => gpu_data::PRIORITY_ONLY,
            };
            outside = layer.outside.unwrap_or(outside);
        }
        let masked = flags != 0 || outside != Cell::EMPTY;
        for (wraps, bit) in layer.wraps.into_iter().zip(gpu_data::WRAPS) {
            flags |= if wraps { bit } else { 0 };
        }
        let highlighted = selected_tile(shown).filter(|_| !is_grid);
        let size = match self.kind {
            EntryKind::Grid { grid } => map.grids.get(grid).map_or(layer.size, |grid| grid.size),
            _ => layer.size,
        };
        let tile = atlas.arrangement.tile_size;
        let values = gpu_data::Draw {
            opacity: match (is_grid, self.layer) {
                (false, Some(layer)) => opacity(shown, layer),
                _ => 1.0,
            },
            size: size.map(|side| side as i32),
            tile: tile.map(|side| side as f32),
            per_tile: tile.map(|side| 1.0 / side as f32),
            per_size: size.map(|side| 1.0 / side.max(1) as f32),
            count: atlas.count,
            last_level: atlas.arrangement.last_level(),
            flags,
            page: atlas.arrangement.bits(),
            outside: outside.0,
            hatch: hatch_px(tile) as f32,
            highlighted: highlighted.map_or(Cell::NOTHING, |(tileset, image)| {
                if tileset == layer.tileset {
                    image
                } else {
                    Cell::NOTHING
                }
            }),
            ..Default::default()
        };
        let key = CellsKey {
            are_colors: is_grid,
            opaque,
            tinted: layer.tints.is_some() && !is_grid,
            remapped: is_animated && !is_grid,
            masked,
            wraps: false,
            highlights: highlighted.is_some(),
            square: tile[0] == tile[1],
            far: false,
            is_split: false,
            hatched: is_hatched,
        };
        (values, key)
    }
}

/// `true` if a step draws one pass of a layer, and an adjacent step the other one.
pub(super) fn joins(steps: &[Step], number: usize) -> bool {
    let half = |number: Option<usize>| match steps.get(number?)? {
        Step::Layer { layer, pass, .. } => Some((*layer, *pass)),
        Step::Objects { .. } => None,
    };
    match half(Some(number)) {
        Some((layer, Pass::Normal)) => half(Some(number + 1)) == Some((layer, Pass::Priority)),
        Some((layer, Pass::Priority)) => half(number.checked_sub(1)) == Some((layer, Pass::Normal)),
        _ => false,
    }
}

/// Opacity of a layer from 0 to 1; 0 if it is hidden.
fn opacity(shown: &Shown, layer: usize) -> f32 {
    let item = TileMapItem::Layer {
        index: layer as u32,
    };
    if shown.hides(item.into()) {
        return 0.0;
    }
    f32::from(shown.opacities.get(item.into()).unwrap_or(u8::MAX)) / 255.0
}

/// Strengths of the lines around tiles and around pixels.
pub(super) fn lines(shown: &Shown) -> [f32; 2] {
    let is_on = |id| shown.overlays.contains(id);
    [OverlayId::Grid, OverlayId::PixelGrid].map(|id| f32::from(u8::from(is_on(id))))
}

/// The tileset and number of the selected tile, if any.
fn selected_tile(shown: &Shown) -> Option<(usize, u32)> {
    match shown.selected {
        Some(Item::TileMap(TileMapItem::Tile { tileset, index })) => {
            Some((tileset as usize, index))
        }
        _ => None,
    }
}
