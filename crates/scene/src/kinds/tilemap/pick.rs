//! Picking: objects with an active overlay first, then the tiles of layers.

use super::{Cell, Grid, Pass, Step, TileMap};
use crate::{Hit, Item, Ray, Shown, TileMapItem};

/// The cells that a ray can hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HitMode {
    /// Cells with a visible pixel at the hit point.
    Pixels,
    /// Cells that are drawn.
    Tiles,
    /// All cells, including empty ones.
    Cells,
}

impl TileMap {
    /// `true` if a layer is visible.
    pub(super) fn is_layer_shown(layer: usize, shown: &Shown) -> bool {
        let item = Self::layer_item(layer);
        !shown.hides(item) && shown.opacities.get(item) != Some(0)
    }

    /// `true` if a grid is visible; it is hidden with its layer.
    pub(super) fn is_grid_shown(grid: &Grid, shown: &Shown) -> bool {
        let layer = grid.layer;
        layer.is_none_or(|layer| Self::is_layer_shown(layer, shown))
    }

    /// The layer whose tile and pixel grids are drawn: the selected layer, or the lowest visible
    /// one.
    pub fn lined_layer(&self, shown: &Shown) -> Option<usize> {
        let selected = shown.selected.and_then(|item| match item {
            Item::TileMap(TileMapItem::Layer { index }) => Some(index as usize),
            Item::TileMap(TileMapItem::Cell { layer, .. }) => Some(layer as usize),
            _ => None,
        });
        self.steps.iter().find_map(|step| match *step {
            Step::Layer { layer, .. } => {
                let is_it = selected.is_none_or(|selected| selected == layer);
                (is_it && Self::is_layer_shown(layer, shown)).then_some(layer)
            }
            Step::Objects { .. } => None,
        })
    }

    /// The first visible object or cell that a ray hits.
    pub(super) fn first_visible_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        if let Some(hit) = self.object_hit(ray, shown) {
            return Some(hit);
        }
        let heights = self.step_heights(shown);
        let distances = heights
            .iter()
            .map(|height| distance_to(*height, ray))
            .zip(0..);
        let mut steps: Vec<(f32, usize)> = distances
            .filter_map(|(distance, step)| Some((distance?, step)))
            .collect();
        // At the same distance, the step that is drawn last is on top.
        steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let meet = |meets, (distance, step): &(f32, usize)| {
            let item = self.hit_cell(*step, ray, *distance, shown, meets)?;
            Some(hit_at(item, ray, *distance))
        };
        let mut from_top = steps.iter();
        if let Some(hit) = from_top.find_map(|step| meet(HitMode::Pixels, step)) {
            return Some(hit);
        }
        if !shown.flat {
            return None;
        }
        let drawn = steps.iter().find_map(|step| meet(HitMode::Tiles, step));
        // If nothing is drawn there, the lowest layer's cell is the hit, so that the place can be
        // described.
        let from_bottom = || steps.iter().rev();
        drawn.or_else(|| from_bottom().find_map(|step| meet(HitMode::Cells, step)))
    }

    /// The cell of a step where a ray hits its layer.
    fn hit_cell(
        &self,
        step: usize,
        ray: Ray,
        distance: f32,
        shown: &Shown,
        meets: HitMode,
    ) -> Option<Item> {
        let Some(&Step::Layer {
            layer: number,
            skips_zero,
            is_opaque,
            pass,
        }) = self.steps.get(step)
        else {
            return None;
        };
        let layer = self.layers.get(number)?;
        let tile_size = self.tile_size(layer)?;
        if !Self::is_layer_shown(number, shown) {
            return None;
        }
        let point = ray.origin + ray.direction * distance;
        let px = [point.x, point.z].map(|at| at.floor() as i64);
        let place = self.cell_place(layer, layer.size, px, shown)?;
        let origin = self.shown_origin_px(layer, shown);
        let pixel =
            [0, 1].map(|axis| (px[axis] - origin[axis]).rem_euclid(tile_size[axis].into()) as u32);
        let index = place[1] as usize * layer.size[0] as usize + place[0] as usize;
        let cell = *layer.cells.get(index)?;
        let item = if self.is_picture() {
            let [x, y] = pixel;
            TileMapItem::Pixel { x, y }.into()
        } else {
            Self::cell_item(number, place)
        };
        let is_met = match meets {
            HitMode::Cells => true,
            HitMode::Tiles => pass.draws(cell, skips_zero),
            HitMode::Pixels => {
                let ticks = self.ticks(shown.playhead);
                let tileset = self.tilesets.get(layer.tileset)?;
                pass.draws(cell, skips_zero) && (is_opaque || tileset.shows(cell, pixel, ticks))
            }
        };
        is_met.then_some(item)
    }

    /// The smallest object that a ray hits.
    fn object_hit(&self, ray: Ray, shown: &Shown) -> Option<Hit> {
        let met = self
            .shown_objects(shown)
            .filter_map(|(index, object, place)| {
                let distance = distance_to(place.height, ray)?;
                let point = ray.origin + ray.direction * distance;
                let room = place.rect(object.room_px());
                let is_met = room.contains([point.x, point.z]);
                is_met.then(|| (room.area(), index, distance))
            });
        let smallest = met.min_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let (_, index, distance) = smallest?;
        Some(hit_at(self.object_item(index)?, ray, distance))
    }
}

impl Pass {
    /// `true` if a step with this pass draws a cell.
    pub fn draws(self, cell: Cell, skips_zero: bool) -> bool {
        let is_in_pass = match self {
            Self::All => true,
            Self::Normal => !cell.has_priority(),
            Self::Priority => cell.has_priority(),
        };
        let image = cell.image();
        is_in_pass && image.is_some_and(|image| image != 0 || !skips_zero)
    }
}

/// Distance along a ray to a height; `None` if the ray never reaches it.
fn distance_to(height: f32, ray: Ray) -> Option<f32> {
    let distance = (height - ray.origin.y) / ray.direction.y;
    (distance.is_finite() && distance >= 0.0).then_some(distance)
}

fn hit_at(item: Item, ray: Ray, distance: f32) -> Hit {
    Hit {
        item,
        position: ray.origin + ray.direction * distance,
        distance,
    }
}

#[cfg(test)]
mod tests {
    use crate::Places as _;
    use glam::{Vec3, vec3};

    use super::*;
    use crate::kinds::tilemap::{Parallax, sample};
    use crate::{Document, OverlayId, Playhead};

    fn flat() -> Shown {
        Shown {
            flat: true,
            ..Shown::default()
        }
    }

    /// Picks straight below a pixel.
    fn below(map: &TileMap, x: f32, y: f32, shown: &Shown) -> Option<Item> {
        let ray = Ray {
            origin: vec3(x + 0.5, 1000.0, y + 0.5),
            direction: Vec3::NEG_Y,
        };
        map.pick(ray, shown).map(|hit| hit.item)
    }

    fn on(map: &TileMap, ids: &[OverlayId], mut shown: Shown) -> Shown {
        for id in ids {
            shown.overlays.set(map.about.overlays, *id, true);
        }
        shown
    }

    #[test]
    fn the_topmost_pixel_that_is_seen_is_met() {
        let map = sample::made_up();
        let at = |x, y| below(&map, x, y, &flat());
        let cell = |layer: usize, index| Some(map.layers[layer].cell_item(layer, index));
        assert_eq!(at(0.0, 0.0), cell(0, 0));
        assert_eq!(at(15.0, 7.0), cell(0, 7));
        // Only one pixel of the roof's first tile is visible, and its tile 0 is not drawn.
        assert_eq!(at(4.0, 4.0), cell(1, 0));
        assert_eq!(at(8.0, 4.0), cell(0, 6));
        // Without a visible pixel, a drawn tile is hit, or else the ground.
        assert_eq!(at(7.0, 7.0), cell(1, 0), "above the ground's like tile");
        assert_eq!(at(1.0, 9.0), cell(0, 8));
        assert_eq!(at(16.0, 0.0), None);
        assert_eq!(at(-1.0, 0.0), None);
    }

    #[test]
    fn hidden_layers_are_passed_through() {
        let map = sample::made_up();
        let ground = Some(TileMap::cell_item(0, [1, 1]));
        let mut shown = flat();
        shown.hidden.push(TileMap::layer_item(1));
        assert_eq!(below(&map, 4.0, 4.0, &shown), ground);
        shown.hidden.clear();
        shown.opacities.set(TileMap::layer_item(1), Some(0));
        assert_eq!(below(&map, 4.0, 4.0, &shown), ground);
        shown.opacities.set(TileMap::layer_item(1), Some(1));
        assert_eq!(
            below(&map, 4.0, 4.0, &shown),
            Some(TileMap::cell_item(1, [0, 0]))
        );
    }

    #[test]
    fn layers_are_met_where_the_camera_moved_them() {
        let mut map = sample::made_up();
        map.layers[1].parallax = Parallax {
            mul: [1, 1],
            div: [2, 1],
        };
        let mut shown = flat();
        shown.flat_camera_px = [8, 0];
        let roof = Some(TileMap::cell_item(1, [0, 0]));
        // It lags behind by half of 8 pixels.
        assert_eq!(below(&map, 8.0, 4.0, &shown), roof);
        assert_ne!(below(&map, 4.0, 4.0, &shown), roof);
        let still = on(&map, &[OverlayId::Still], shown);
        assert_eq!(below(&map, 4.0, 4.0, &still), roof);
    }

    #[test]
    fn objects_are_met_where_their_layer_was_moved_to() {
        let mut map = sample::made_up();
        // The area and the door of the ground; entities scroll with the camera.
        map.layers[0].parallax = Parallax {
            mul: [1, 0],
            div: [2, 1],
        };
        let mut shown = on(&map, &[OverlayId::Entities, OverlayId::Zones], flat());
        shown.flat_camera_px = [8, 3];
        let [area, door] = [2, 3].map(|index| map.object_item(index));
        assert_eq!(below(&map, 9.0 + 4.0, 5.0 + 3.0, &shown), area);
        assert_eq!(below(&map, 14.0 + 4.0, 9.0 + 3.0, &shown), door);
        assert_ne!(below(&map, 9.0, 5.0, &shown), area);
        assert_eq!(below(&map, 1.0, 1.0, &shown), map.object_item(0));
        let bounds = map.place(area.unwrap(), &shown).bounds.unwrap();
        assert_eq!((bounds.min.x, bounds.min.z), (12.0, 7.0));
        let outline = map.contour(area.unwrap(), &shown);
        assert_eq!(outline[0][0], vec3(12.0, 0.0, 7.0));
        let still = on(&map, &[OverlayId::Still], shown);
        assert_eq!(below(&map, 9.0, 5.0, &still), area);
    }

    #[test]
    fn layers_that_repeat_are_met_everywhere_while_flat() {
        let mut map = sample::made_up();
        map.layers[0].wraps = [true, false];
        let first = Some(TileMap::cell_item(0, [0, 0]));
        assert_eq!(below(&map, 32.0, 0.0, &flat()), first);
        assert_eq!(
            below(&map, -1.0, 0.0, &flat()),
            Some(TileMap::cell_item(0, [3, 0]))
        );
        assert_eq!(below(&map, 0.0, -1.0, &flat()), None);
        assert_eq!(below(&map, 32.0, 0.0, &Shown::default()), None);
    }

    #[test]
    fn layers_apart_are_met_from_the_eye() {
        let map = sample::made_up();
        let shown = Shown {
            layer_gap: Some(100.0),
            ..Shown::default()
        };
        let ray = |from: Vec3, to: Vec3| Ray {
            origin: from,
            direction: (to - from).normalize(),
        };
        let roof = vec3(4.5, 100.0, 4.5);
        let hit = map
            .pick(ray(vec3(20.0, 300.0, 40.0), roof), &shown)
            .unwrap();
        assert_eq!(hit.item, TileMap::cell_item(1, [0, 0]));
        assert!(hit.position.distance(roof) < 1e-3);
        // From below, the ground is nearer.
        let ground = vec3(1.0, 0.0, 1.0);
        let hit = map
            .pick(ray(vec3(0.0, -50.0, 0.0), ground), &shown)
            .unwrap();
        assert_eq!(hit.item, TileMap::cell_item(0, [0, 0]));
        // Invisible pixels are not hit: neither tile has a visible pixel here.
        assert_eq!(below(&map, 7.0, 7.0, &shown), None);
        let level = Ray {
            origin: vec3(0.0, 100.0, 0.0),
            direction: Vec3::X,
        };
        assert_eq!(map.pick(level, &shown), None);
    }

    #[test]
    fn tiles_are_met_as_they_are_at_the_moment() {
        let mut map = sample::made_up();
        // One image of the animation is invisible.
        map.tilesets[0].rgba[3 * 64..4 * 64].fill(0);
        map.layers[1].position_px = [8, 0];
        map.layers[1].cells = sample::cells(&[2, 2, 2, 2]);
        let mut shown = flat();
        assert_eq!(
            below(&map, 8.0, 0.0, &shown),
            Some(TileMap::cell_item(1, [0, 0]))
        );
        shown.playhead = Playhead::at_frame(0, 3);
        assert_eq!(map.ticks(shown.playhead), 12);
        // The ground is animated in the same way, so nothing is visible and the upper tile is hit.
        map.layers[0].cells[2] = Cell(0);
        assert_eq!(
            below(&map, 8.0, 0.0, &shown),
            Some(TileMap::cell_item(0, [2, 0]))
        );
    }

    #[test]
    fn cells_with_priority_are_met_in_their_own_turn() {
        let mut map = sample::made_up();
        map.layers[0].cells[6].0 |= Cell::PRIORITY;
        map.layers[1].cells = sample::cells(&[2, 2, 2, 2]);
        let step = Step::tiles;
        map.steps = vec![
            step(0, Pass::Normal),
            step(1, Pass::All),
            step(0, Pass::Priority),
        ];
        assert_eq!(
            below(&map, 9.0, 4.0, &flat()),
            Some(TileMap::cell_item(0, [2, 1]))
        );
        assert_eq!(
            below(&map, 5.0, 4.0, &flat()),
            Some(TileMap::cell_item(1, [0, 0]))
        );
    }

    #[test]
    fn of_objects_that_are_shown_the_smallest_is_met() {
        let map = sample::made_up();
        let shown = on(&map, &[OverlayId::Entities], flat());
        assert_eq!(below(&map, 1.0, 1.0, &shown), map.object_item(0));
        assert_eq!(below(&map, 2.0, 2.0, &shown), map.object_item(1));
        // A waypoint has no size but can be pointed at.
        assert_eq!(below(&map, 14.0, 9.0, &shown), map.object_item(3));
        assert_eq!(
            below(&map, 15.0, 1.0, &shown),
            Some(TileMap::cell_item(0, [3, 0]))
        );
        let zones = on(&map, &[OverlayId::Zones], flat());
        assert_eq!(below(&map, 9.0, 5.0, &zones), map.object_item(2));
        assert_eq!(
            below(&map, 2.0, 2.0, &zones),
            Some(TileMap::cell_item(0, [0, 0]))
        );
        let mut hidden = on(&map, &[OverlayId::Zones], flat());
        hidden.hidden.push(TileMap::layer_item(0));
        assert_eq!(below(&map, 9.0, 5.0, &hidden).map(Item::kind), Some("cell"));
    }
}
