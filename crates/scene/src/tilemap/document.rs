//! A 2D map as the rest of the program sees it: its [`Document`].

use std::path::PathBuf;

use glam::Vec3;

use super::items::{self, item};
use super::{FlatPicture, HANDEDNESS, Step, TileMap};
use crate::camera::Handedness;
use crate::{
    Aabb, ClipInfo, Direction, Document, Drawable, GridPlace, Hit, InfoQuery, Item, Kind, Label,
    LayerInfo, Legend, LegendEntry, Line, OutlineNode, Overlay, Picture, Playhead, PropertyGroup,
    Ray, Shown, Statistic, SummaryPart, TilesetInfo,
};
use mapscope_formats::{Format, Problem};

impl Document for TileMap {
    fn format(&self) -> &'static Format {
        self.format
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn bounds(&self) -> Aabb {
        self.bounds_of_all()
    }

    fn handedness(&self) -> Handedness {
        HANDEDNESS
    }

    fn drawable(&self) -> Drawable<'_> {
        Drawable::Tiles(self)
    }

    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    /// Nothing that is said of a map changes while its tiles do.
    fn follows_playhead(&self, _item: Item) -> bool {
        false
    }

    fn hidden_with(&self, item: Item) -> Option<Item> {
        match item.kind {
            item::LAYER => Some(item),
            item::CELL => Some(Self::layer_item(items::split(item).0)),
            _ => None,
        }
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_shown(ray_in_world, shown)
    }

    fn summary(&self, item: Item) -> Vec<SummaryPart> {
        self.item_summary(item, None)
    }

    fn summary_shown(&self, item: Item, at: Option<Vec3>, shown: &Shown) -> Vec<SummaryPart> {
        self.item_summary(item, at.map(|at| (at, shown)))
    }

    fn properties(&self, item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        self.item_properties(item)
    }

    fn item_bounds(&self, item: Item, _playhead: Playhead) -> Option<Aabb> {
        self.bounds_of(item, &Shown::default())
    }

    fn item_outline(&self, item: Item, _playhead: Playhead) -> Vec<[Vec3; 2]> {
        self.outline_of(item, &Shown::default())
    }

    fn bounds_shown(&self, item: Item, shown: &Shown) -> Option<Aabb> {
        self.bounds_of(item, shown)
    }

    fn outline_shown(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        self.outline_of(item, shown)
    }

    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        self.overlay_lines(shown, lines);
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        self.overlay_labels(shown, labels);
    }

    fn neighbor(&self, item: Item, direction: Direction) -> Option<Item> {
        self.item_beside(item, direction)
    }

    fn grid_place(&self, item: Item) -> Option<GridPlace> {
        let cell = self.cell_at(item)?;
        let [column, row] = cell.place.map(u64::from);
        Some(GridPlace {
            grid: cell.layer_number as u64,
            row,
            column,
        })
    }

    fn item_on_grid(&self, kind: &'static str, place: GridPlace) -> Option<Item> {
        let layer = usize::try_from(place.grid).ok()?;
        let [width, height] = self.layers.get(layer)?.size.map(u64::from);
        let is_there = kind == item::CELL && place.column < width && place.row < height;
        let index = usize::try_from(place.row * width + place.column).ok()?;
        is_there.then(|| Self::cell_item(layer, index))
    }

    fn problem_item(&self, problem: &Problem) -> Option<Item> {
        self.item_of_problem(problem)
    }

    fn overlays(&self) -> &'static [Overlay] {
        self.offered_overlays()
    }

    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry> {
        self.legend_of(overlay_id)
    }

    fn selection_legend(&self, item: Item) -> Option<Legend> {
        self.legend_of_selection(item)
    }

    fn kinds(&self) -> Vec<Kind> {
        Vec::new()
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        self.next_of(kind, after, backwards)
    }

    fn flat_size(&self) -> Option<[u64; 2]> {
        Some(self.canvas_px())
    }

    fn flat_wraps(&self) -> [bool; 2] {
        self.wraps()
    }

    fn flat<'a>(&'a self, shown: &'a Shown) -> Option<FlatPicture<'a>> {
        Some(self.flat_picture(shown))
    }

    fn layers(&self) -> Vec<LayerInfo> {
        self.layer_list()
    }

    fn tilesets(&self) -> Vec<TilesetInfo> {
        self.tileset_list()
    }

    fn tile_picture(&self, tile: Item, playhead: Playhead) -> Option<Picture> {
        self.picture_of_tile(tile, playhead)
    }

    fn tile_item(&self, tileset: Item, index: usize) -> Option<Item> {
        let (number, tileset) = Self::numbered(&self.tilesets, tileset)?;
        (index < tileset.tile_count()).then(|| Self::tile_item(number, index))
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.numbers_of_all()
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        self.thumbnail_of(index)
    }

    /// The gap that lets one see between the layers, and still what is above what.
    fn usual_layer_gap(&self) -> f32 {
        let [width, height] = self.canvas_px();
        (width.max(height) as f32 / 8.0).round()
    }

    fn dependencies(&self) -> Vec<PathBuf> {
        self.dependencies.clone()
    }

    fn cpu_bytes(&self) -> u64 {
        let layers = self.layers.iter().map(|layer| {
            let tints = layer.tints.as_ref().map_or(0, |tints| tints.len() * 16);
            layer.cells.len() * 4 + tints
        });
        let tilesets = self.tilesets.iter().map(|tileset| tileset.rgba.len());
        (layers.sum::<usize>() + tilesets.sum::<usize>()) as u64 + self.facts.cpu_bytes()
    }

    fn tile_count(&self) -> Option<[u32; 2]> {
        self.tiles_of_map()
    }

    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let mut info = self.facts.info(self, query);
        let tile = query.tile.and_then(|(x, y)| self.tile_info([x, y]));
        info.extend(tile.map(|tile| ("tile".to_owned(), tile)));
        info
    }
}

impl TileMap {
    /// How far apart layers are along Y that are next to each other, in pixels of the map.
    pub fn layer_gap_px(&self, shown: &Shown) -> f32 {
        if shown.flat {
            return 0.0;
        }
        shown.layer_gap.unwrap_or_else(|| self.usual_layer_gap())
    }

    /// The height of a step of [`TileMap::steps`] along Y, in pixels of the map.
    pub fn step_height_px(&self, step: usize, shown: &Shown) -> f32 {
        let gap = self.layer_gap_px(shown);
        let before = self.steps.iter().take(step + 1);
        let layers = before.filter(|step| Self::is_new_layer(**step)).count();
        let base = layers.saturating_sub(1) as f32;
        let above = self
            .steps
            .get(step)
            .copied()
            .map_or(0.0, Self::height_within);
        (base + above) * gap
    }

    /// How far above its layer a step is, as a share of the gap: things stand on their layer, and
    /// what has priority is above them.
    pub(super) fn height_within(step: Step) -> f32 {
        match step {
            Step::Things { .. } => 0.25,
            Step::Layer { .. } if !Self::is_new_layer(step) => 0.5,
            Step::Layer { .. } => 0.0,
        }
    }

    /// Whether a step is drawn on a height of its own.
    pub(super) fn is_new_layer(step: Step) -> bool {
        matches!(
            step,
            Step::Layer {
                pass: super::Pass::All | super::Pass::Normal,
                ..
            }
        )
    }

    /// What all layers occupy in world space while they are as far apart as usual.
    pub(super) fn bounds_of_all(&self) -> Aabb {
        let shown = Shown::default();
        let top = self.steps.len().checked_sub(1);
        let top = top.map_or(0.0, |last| self.step_height_px(last, &shown));
        let rects = self.layers.iter().filter_map(|layer| {
            let tileset = self.tilesets.get(layer.tileset)?;
            let [left, above] = layer.position_px.map(|px| px as f32);
            let [w, h] =
                [0, 1].map(|axis| layer.size[axis] as f32 * tileset.tile_size[axis] as f32);
            Some(Aabb {
                min: Vec3::new(left, 0.0, above),
                max: Vec3::new(left + w, top, above + h),
            })
        });
        rects.reduce(|all, next| all.union(&next)).unwrap_or(Aabb {
            min: Vec3::ZERO,
            max: Vec3::splat(16.0),
        })
    }
}
