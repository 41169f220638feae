//! A 2D map as the rest of the program sees it: its [`Document`].

use std::path::PathBuf;

use glam::Vec3;

use super::items::{self, item};
use super::{FlatPicture, HANDEDNESS, Step, TileMap};
use crate::formats::{Format, Problem};
use crate::scene::camera::Handedness;
use crate::scene::{
    Aabb, ClipInfo, Direction, Document, Drawable, Hit, InfoQuery, Item, Kind, LegendEntry,
    OutlineNode, Overlay, Playhead, PropertyGroup, Ray, Shown, Statistic, SummaryPart,
};

/// The overlays of a 2D map.
static OVERLAYS: [Overlay; 0] = [];

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
        Vec::new()
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
        let _ = (ray_in_world, shown);
        None
    }

    fn summary(&self, _item: Item) -> Vec<SummaryPart> {
        Vec::new()
    }

    fn properties(&self, _item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        Vec::new()
    }

    fn item_bounds(&self, _item: Item, _playhead: Playhead) -> Option<Aabb> {
        None
    }

    fn item_outline(&self, _item: Item, _playhead: Playhead) -> Vec<[Vec3; 2]> {
        Vec::new()
    }

    fn neighbor(&self, _item: Item, _direction: Direction) -> Option<Item> {
        None
    }

    fn problem_item(&self, _problem: &Problem) -> Option<Item> {
        None
    }

    fn overlays(&self) -> &'static [Overlay] {
        &OVERLAYS
    }

    fn legend(&self, _overlay_id: &str) -> Vec<LegendEntry> {
        Vec::new()
    }

    fn kinds(&self) -> Vec<Kind> {
        Vec::new()
    }

    fn next_of_kind(&self, _kind: Item, _after: Option<Item>, _backwards: bool) -> Option<Item> {
        None
    }

    fn flat_size(&self) -> Option<[u64; 2]> {
        Some(self.canvas_px())
    }

    fn flat<'a>(&'a self, shown: &'a Shown) -> Option<FlatPicture<'a>> {
        Some(self.flat_picture(shown))
    }

    fn statistics(&self) -> Vec<Statistic> {
        Vec::new()
    }

    fn thumbnail(&self, _index: usize) -> Option<(u32, u32, &[u8])> {
        None
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

    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        self.facts.info(self, query)
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
        // Things stand on their layer, and what has priority is above them.
        let above = match self.steps.get(step) {
            Some(Step::Things { .. }) => 0.25,
            Some(step) if !Self::is_new_layer(*step) => 0.5,
            _ => 0.0,
        };
        (base + above) * gap
    }

    /// Whether a step is drawn on a height of its own.
    fn is_new_layer(step: Step) -> bool {
        matches!(
            step,
            Step::Layer {
                pass: super::Pass::All | super::Pass::Normal,
                ..
            }
        )
    }

    /// What all layers occupy in world space while they are as far apart as usual.
    fn bounds_of_all(&self) -> Aabb {
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
