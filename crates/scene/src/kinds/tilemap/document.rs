//! The [`Document`] of a 2D map.

use crate::describe::table::Describe;
use crate::{Compare, Hiding, Places, RelatedFiles, Walk};
use glam::Vec3;

use super::{Step, TileMap};
use crate::{
    Aabb, About, Animation, Annotations, Document, Drawable, Hit, InfoQuery, Item, Layers, Legend,
    NamedFile, OutlineNode, ProblemTarget, Ray, Shown, Statistic, Textures, TileMapItem, ViewState,
};
use mapscope_formats::Problem;

impl Document for TileMap {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        draw(Drawable {
            bounds: Some(self.about().bounds),
            ..Drawable::in_place(self)
        });
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_visible_hit(ray_in_world, shown)
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        self.described(item, view)
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let item = self.item_of_problem(problem)?;
        Some(ProblemTarget {
            item,
            moment: None,
            overlay: None,
        })
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let on = self
            .about
            .overlays
            .iter()
            .filter(|overlay| shown.overlays.is_on(overlay));
        let of_overlays = on.map(|overlay| Legend {
            title: overlay.name,
            entries: self.legend_of(overlay.id),
        });
        let selected = shown
            .selected
            .and_then(|item| self.legend_of_selection(item));
        let all = of_overlays.chain(selected);
        all.filter(|legend| !legend.entries.is_empty()).collect()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.statistics_of_map()
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let mut left = index;
        for tileset in &self.tilesets {
            let count = tileset.image_count();
            if left < count {
                let [w, h] = tileset.tile_size;
                return Some((w, h, tileset.image(left)?));
            }
            left -= count;
        }
        let image = self.images.get(left)?;
        let [w, h] = image.size;
        Some((w, h, &image.rgba))
    }

    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let mut info = self.facts.info(self, query);
        let tile = query.tile.and_then(|(x, y)| self.tile_info([x, y]));
        info.extend(tile.map(|tile| ("tile".to_owned(), tile)));
        info.insert("obstruction".to_owned(), self.obstruction_info());
        info.insert("left_out".to_owned(), self.left_out_info().json());
        info.insert("loop_s".to_owned(), self.loop_secs().into());
        info
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self)
    }

    fn layers(&self) -> Option<&dyn Layers> {
        Some(self)
    }

    fn textures(&self) -> Option<&dyn Textures> {
        Some(self)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }

    fn hiding(&self) -> Option<&dyn Hiding> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }
}

impl Hiding for TileMap {
    fn hide_target(&self, item: Item) -> Option<Item> {
        match item {
            Item::TileMap(TileMapItem::Layer { .. }) => Some(item),
            Item::TileMap(TileMapItem::Cell { layer, .. }) => {
                Some(TileMapItem::Layer { index: layer }.into())
            }
            _ => None,
        }
    }
}

impl RelatedFiles for TileMap {
    fn files(&self) -> Vec<NamedFile> {
        self.files.clone()
    }
}

impl TileMap {
    /// Distance between adjacent layers along Y, in map pixels.
    pub fn layer_gap_px(&self, shown: &Shown) -> f32 {
        if shown.flat {
            return 0.0;
        }
        shown.layer_gap.unwrap_or_else(|| self.default_layer_gap())
    }

    /// Height of a step of [`TileMap::steps`] along Y, in map pixels.
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

    /// Height of a step above its layer, as a share of the gap: objects are above the layer, and
    /// priority tiles above the objects.
    pub(super) fn height_within(step: Step) -> f32 {
        match step {
            Step::Objects { .. } => 0.25,
            Step::Layer { .. } if !Self::is_new_layer(step) => 0.5,
            Step::Layer { .. } => 0.0,
        }
    }

    /// `true` if a step starts a new height.
    pub(super) fn is_new_layer(step: Step) -> bool {
        matches!(
            step,
            Step::Layer {
                pass: super::Pass::All | super::Pass::Normal,
                ..
            }
        )
    }

    /// World-space bounds of all layers at the default distance.
    pub(super) fn bounds_of_all(&self) -> Aabb {
        let shown = Shown::default();
        let top = self
            .steps
            .len()
            .checked_sub(1)
            .map_or(0.0, |last| self.step_height_px(last, &shown));
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

    /// Bytes of memory that it holds.
    pub(super) fn bytes(&self) -> u64 {
        let layers = self.layers.iter().map(|layer| {
            let tints = layer.tints.as_ref().map_or(0, |tints| tints.len() * 16);
            (layer.cells.len() * 4 + tints) as u64 + layer.stored.cpu_bytes()
        });
        let tilesets = self.tilesets.iter().map(|tileset| {
            let bytes = tileset.rgba.len() + tileset.pixels.indices.len();
            bytes as u64
        });
        layers.sum::<u64>() + tilesets.sum::<u64>() + self.facts.cpu_bytes()
    }
}
