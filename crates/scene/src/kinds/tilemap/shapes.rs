//! World-space bounds and outlines of the parts of a map.

use std::borrow::Cow;

use glam::{Vec3, vec3};

use super::known::ZoneCounts;
use super::{Grid, Layer, Object, ObjectKind, Pass, RectPx, Step, TileMap, Tileset};
use crate::{Aabb, Item, OverlayId, Shown, TileMapItem};

/// Minimum half extent of an object without size, in map pixels.
const MIN_HALF_PX: f32 = 6.0;
/// Maximum number of cells of a zone whose outline follows the edges; larger zones get a rectangle.
const MAX_CELLS_FOLLOWED: u64 = 1 << 20;
/// Maximum number of lines of such an outline.
const MAX_EDGES: usize = 20_000;

impl RectPx {
    /// A rectangle given by its top left corner and its size.
    pub fn at([x, y]: [f32; 2], [w, h]: [f32; 2]) -> Self {
        Self {
            min: [x, y],
            max: [x + w, y + h],
        }
    }

    /// Width and height.
    pub(super) fn size(&self) -> [f32; 2] {
        [0, 1].map(|axis| self.max[axis] - self.min[axis])
    }

    /// Width times height; 0 for an inverted rectangle.
    pub fn area(&self) -> f32 {
        self.size().map(|side| side.max(0.0)).iter().product()
    }

    /// The smallest rectangle around this one and another.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: [0, 1].map(|axis| self.min[axis].min(other.min[axis])),
            max: [0, 1].map(|axis| self.max[axis].max(other.max[axis])),
        }
    }

    /// The middle.
    pub fn center(&self) -> [f32; 2] {
        [0, 1].map(|axis| (self.min[axis] + self.max[axis]) * 0.5)
    }

    /// `true` if it contains a point; its right and lower edges are excluded.
    pub fn contains(&self, [x, y]: [f32; 2]) -> bool {
        x >= self.min[0] && x < self.max[0] && y >= self.min[1] && y < self.max[1]
    }

    /// The edges at a height in world space.
    pub(super) fn edges(&self, height: f32) -> [[Vec3; 2]; 4] {
        let [[left, top], [right, bottom]] = [self.min, self.max];
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
            .map(|[x, z]| vec3(x, height, z));
        [0, 1, 2, 3].map(|i| [corners[i], corners[(i + 1) % 4]])
    }

    fn aabb(&self, height: f32) -> Aabb {
        Aabb {
            min: vec3(self.min[0], height, self.min[1]),
            max: vec3(self.max[0], height, self.max[1]),
        }
    }
}

impl Layer {
    /// `true` if it has room for tiles; a sprite layer has none.
    pub(super) fn has_tiles(&self) -> bool {
        self.size.iter().all(|side| *side > 0)
    }
}

impl Object {
    /// Its rectangle, enlarged to a minimum size for pointing.
    pub(super) fn room_px(&self) -> RectPx {
        let mut rect = self.rect_px;
        for axis in 0..2 {
            let [min, max] = [rect.min[axis], rect.max[axis]];
            if max - min < 1.0 {
                let middle = (min + max) * 0.5;
                rect.min[axis] = middle - MIN_HALF_PX;
                rect.max[axis] = middle + MIN_HALF_PX;
            }
        }
        rect
    }

    /// The world-space lines of its outline.
    pub(super) fn lines(&self, place: ObjectOffset) -> Vec<[Vec3; 2]> {
        let ObjectOffset { moved_px, height } = place;
        let corner = |[x, z]: &[f32; 2]| vec3(*x + moved_px[0], height, *z + moved_px[1]);
        if self.outline_px.len() > 1 {
            let ends = self.outline_px.iter().zip(self.outline_px.iter().skip(1));
            let mut lines: Vec<_> = ends.map(|(a, b)| [corner(a), corner(b)]).collect();
            if let (false, [first, .., last]) = (self.kind == ObjectKind::Line, &*self.outline_px) {
                lines.push([corner(last), corner(first)]);
            }
            return lines;
        }
        let room = place.rect(self.room_px());
        if self.kind == ObjectKind::Waypoint {
            let [x, z] = room.center();
            let [w, h] = room.size().map(|side| side * 0.5);
            let middle = vec3(x, height, z);
            return [vec3(w, 0.0, h), vec3(w, 0.0, -h)]
                .map(|arm| [middle - arm, middle + arm])
                .to_vec();
        }
        room.edges(height).to_vec()
    }
}

/// The displacement of a layer's objects in the view.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ObjectOffset {
    /// Offset from the position in the file, in map pixels.
    moved_px: [f32; 2],
    /// Height in world space.
    pub(super) height: f32,
}

impl ObjectOffset {
    /// Moves a rectangle of the file to its place in the view.
    pub(super) fn rect(&self, rect: RectPx) -> RectPx {
        let [x, y] = self.moved_px;
        let [min, max] = [rect.min, rect.max].map(|corner| [corner[0] + x, corner[1] + y]);
        RectPx { min, max }
    }
}

impl TileMap {
    /// The size of the tiles of a layer, if it has a tileset.
    pub(super) fn tile_size(&self, layer: &Layer) -> Option<[u32; 2]> {
        let tileset = self.tilesets.get(layer.tileset)?;
        let is_some = tileset.tile_size.iter().all(|side| *side > 0);
        is_some.then_some(tileset.tile_size)
    }

    /// Top left corner of a layer in the view, in map pixels.
    pub fn shown_origin_px(&self, layer: &Layer, shown: &Shown) -> [i64; 2] {
        if shown.flat && !shown.overlays.contains(OverlayId::Still) {
            layer.origin_px(shown.flat_camera_px)
        } else {
            layer.position_px.map(i64::from)
        }
    }

    /// The displacement of a layer's objects, which scroll with the layer. Objects without a layer
    /// scroll with the camera, as entities of ika's old maps do (fact sheet of ika, section 3).
    pub(super) fn object_offset(&self, layer: Option<usize>, shown: &Shown) -> ObjectOffset {
        let moved_px = layer.and_then(|layer| self.layers.get(layer)).map(|layer| {
            let origin = self.shown_origin_px(layer, shown);
            [0, 1].map(|axis| (origin[axis] - i64::from(layer.position_px[axis])) as f32)
        });
        ObjectOffset {
            moved_px: moved_px.unwrap_or_default(),
            height: self.objects_height(layer, shown),
        }
    }

    /// The layer below a grid. For a grid of the map itself, an empty layer at the map's position
    /// that wraps like the map's layers.
    pub fn ground_of(&self, grid: &Grid) -> Option<Cow<'_, Layer>> {
        self.ground(grid.layer, grid.size)
    }

    /// The same for anything that belongs to a layer, or to the map itself with the given columns
    /// and rows.
    pub(super) fn ground(&self, layer: Option<usize>, size: [u32; 2]) -> Option<Cow<'_, Layer>> {
        if let Some(layer) = layer {
            return self.layers.get(layer).map(Cow::Borrowed);
        }
        let wraps = self.layers.first().map_or([false; 2], |layer| layer.wraps);
        Some(Cow::Owned(Layer {
            size,
            wraps,
            ..Layer::default()
        }))
    }

    /// Height of a grid along Y: that of its layer, or of objects without a layer.
    pub fn grid_height_px(&self, grid: &Grid, shown: &Shown) -> f32 {
        self.ground_height_px(grid.layer, shown)
    }

    /// The same for anything with or without a layer.
    pub(super) fn ground_height_px(&self, layer: Option<usize>, shown: &Shown) -> f32 {
        match layer {
            Some(layer) => self.layer_height(layer, shown),
            None => self.objects_height(None, shown),
        }
    }

    /// Column and row at a map pixel in the view, for a layer of `size` columns and rows.
    pub(super) fn cell_place(
        &self,
        layer: &Layer,
        size: [u32; 2],
        px: [i64; 2],
        shown: &Shown,
    ) -> Option<[u32; 2]> {
        let tile_size = self.tile_size(layer)?;
        let origin = self.shown_origin_px(layer, shown);
        let mut place = [0; 2];
        for axis in 0..2 {
            let size = i64::from(size[axis]);
            let mut cell = (px[axis] - origin[axis]).div_euclid(i64::from(tile_size[axis]));
            if shown.flat && layer.wraps[axis] && size > 0 {
                cell = cell.rem_euclid(size);
            }
            place[axis] = u32::try_from(cell).ok().filter(|_| cell < size)?;
        }
        Some(place)
    }

    /// The heights of all steps along Y ([`TileMap::step_height_px`]).
    pub(super) fn step_heights(&self, shown: &Shown) -> Vec<f32> {
        let gap = self.layer_gap_px(shown);
        let mut layers = 0_u32;
        let heights = self.steps.iter().map(|step| {
            layers += u32::from(Self::is_new_layer(*step));
            let base = layers.saturating_sub(1) as f32;
            (base + Self::height_within(*step)) * gap
        });
        heights.collect()
    }

    /// The height of a layer along Y: that of the last step that draws it.
    pub(super) fn layer_height(&self, layer: usize, shown: &Shown) -> f32 {
        let draws = |step: &Step| {
            matches!(step, Step::Layer { layer: drawn, pass, .. }
                if *drawn == layer && *pass != Pass::Priority)
        };
        let step = self.steps.iter().rposition(draws);
        step.map_or(0.0, |step| self.step_height_px(step, shown))
    }

    /// The height of the objects of a layer, or of objects without a layer.
    pub fn objects_height(&self, layer: Option<usize>, shown: &Shown) -> f32 {
        let of_layer = Step::Objects { layer };
        let step = self.steps.iter().rposition(|step| *step == of_layer);
        match (step, layer) {
            (Some(step), _) => self.step_height_px(step, shown),
            (None, Some(layer)) => self.layer_height(layer, shown),
            (None, None) => {
                let last = self.steps.len().checked_sub(1);
                last.map_or(0.0, |last| self.step_height_px(last, shown))
            }
        }
    }

    /// The rectangle of some columns and rows of a layer in the view; the end is exclusive.
    pub(super) fn cells_px(
        &self,
        layer: &Layer,
        cells: [[u32; 2]; 2],
        shown: &Shown,
    ) -> Option<RectPx> {
        let tile_size = self.tile_size(layer)?;
        let origin = self.shown_origin_px(layer, shown);
        let [min, max] = cells.map(|cell| {
            [0, 1].map(|axis| {
                let px = i64::from(cell[axis]) * i64::from(tile_size[axis]);
                (origin[axis] + px) as f32
            })
        });
        Some(RectPx { min, max })
    }

    /// The rectangle and height of a layer; for a layer without tiles, of its objects.
    pub(super) fn layer_px(&self, index: usize, shown: &Shown) -> Option<(RectPx, f32)> {
        let layer = self.layers.get(index)?;
        let rect = if layer.has_tiles() {
            self.cells_px(layer, [[0; 2], layer.size], shown)?
        } else {
            let objects = self
                .objects
                .iter()
                .filter(|object| object.layer == Some(index));
            let all = objects
                .map(Object::room_px)
                .reduce(|all, next| all.union(&next))?;
            self.object_offset(Some(index), shown).rect(all)
        };
        Some((rect, self.layer_height(index, shown)))
    }

    /// The rectangle and height of some columns and rows of a grid; the end is inclusive.
    pub(super) fn grid_cells_px(
        &self,
        grid: &Grid,
        [first, last]: [[u32; 2]; 2],
        shown: &Shown,
    ) -> Option<(RectPx, f32)> {
        let ground = self.ground_of(grid)?;
        let end = last.map(|last| last.saturating_add(1));
        let rect = self.cells_px(&ground, [first, end], shown)?;
        Some((rect, self.grid_height_px(grid, shown)))
    }

    /// The rectangle and height of a cell.
    fn cell_px(&self, item: Item, shown: &Shown) -> Option<(RectPx, f32)> {
        let at = self.cell_at(item)?;
        let next = at.place.map(|place| place + 1);
        let rect = self.cells_px(at.layer, [at.place, next], shown)?;
        Some((rect, self.layer_height(at.layer_number, shown)))
    }

    /// The rectangles and heights of an item; empty for an item without a place.
    fn rects_of(&self, item: Item, shown: &Shown) -> Vec<(RectPx, f32)> {
        let Item::TileMap(of_map) = item else {
            return Vec::new();
        };
        let rect = match of_map {
            TileMapItem::Layer { index } => self.layer_px(index as usize, shown),
            TileMapItem::Cell { .. } => self.cell_px(item, shown),
            TileMapItem::Pixel { .. } => self.pixel_at(item).map(|at| (at.rect_px(), 0.0)),
            TileMapItem::Tileset { index: tileset } | TileMapItem::Tile { tileset, .. } => {
                let layers = self.layers.iter().enumerate();
                let drawn = layers.filter(|(_, layer)| layer.tileset == tileset as usize);
                return drawn
                    .filter_map(|(index, _)| self.layer_px(index, shown))
                    .collect();
            }
            TileMapItem::Zone { index } => {
                let Some(zone) = self.zone_counts().get(index as usize) else {
                    return Vec::new();
                };
                let areas = self
                    .areas_of(zone, shown)
                    .map(|(area, place)| (place.rect(area.rect_px), place.height));
                let cells = zone.bounds.iter().filter_map(|(grid, bounds)| {
                    self.grid_cells_px(self.grids.get(*grid)?, *bounds, shown)
                });
                return areas.chain(cells).collect();
            }
            _ => self.object_at(item).map(|(_, object)| {
                let place = self.object_offset(object.layer, shown);
                (place.rect(object.room_px()), place.height)
            }),
        };
        rect.into_iter().collect()
    }

    /// The areas of a zone and their displacements.
    fn areas_of<'a>(
        &'a self,
        zone: &'a ZoneCounts,
        shown: &'a Shown,
    ) -> impl Iterator<Item = (&'a Object, ObjectOffset)> {
        let areas = zone.areas.iter().filter_map(|area| self.objects.get(*area));
        areas.map(|area| (area, self.object_offset(area.layer, shown)))
    }

    /// World-space bounds of an item; `None` if it has no place.
    pub(super) fn bounds_of(&self, item: Item, shown: &Shown) -> Option<Aabb> {
        if matches!(item, Item::TileMap(TileMapItem::Map | TileMapItem::Picture)) {
            return Some(self.bounds_of_all());
        }
        let rects = self.rects_of(item, shown).into_iter();
        let boxes = rects.map(|(rect, height)| rect.aabb(height));
        boxes.reduce(|all, next| all.union(&next))
    }

    /// World-space lines that outline an item; empty if it has no place.
    pub(super) fn contour_of(&self, item: Item, shown: &Shown) -> Vec<[Vec3; 2]> {
        match item {
            Item::TileMap(TileMapItem::Zone { index }) => self.zone_contour(index as usize, shown),
            Item::TileMap(
                TileMapItem::Layer { .. } | TileMapItem::Cell { .. } | TileMapItem::Pixel { .. },
            ) => {
                let rects = self.rects_of(item, shown).into_iter();
                rects
                    .flat_map(|(rect, height)| rect.edges(height))
                    .collect()
            }
            _ => {
                let Some((_, object)) = self.object_at(item) else {
                    return Vec::new();
                };
                let place = self.object_offset(object.layer, shown);
                let mut lines = object.lines(place);
                let wander = object.wander_px.into_iter();
                lines.extend(wander.flat_map(|rect| place.rect(rect).edges(place.height)));
                lines
            }
        }
    }

    fn zone_contour(&self, number: usize, shown: &Shown) -> Vec<[Vec3; 2]> {
        let Some(zone) = self.zone_counts().get(number) else {
            return Vec::new();
        };
        let areas = self.areas_of(zone, shown);
        let mut lines: Vec<_> = areas.flat_map(|(area, place)| area.lines(place)).collect();
        for (grid, bounds) in &zone.bounds {
            let Some(grid) = self.grids.get(*grid) else {
                continue;
            };
            let (Some(ground), Some((rect, height))) = (
                self.ground_of(grid),
                self.grid_cells_px(grid, *bounds, shown),
            ) else {
                continue;
            };
            let edges = zone_edges(grid, number as u64, *bounds);
            if edges.is_empty() {
                lines.extend(rect.edges(height));
            }
            lines.extend(edges.into_iter().filter_map(|edge| {
                let line = self.cells_px(&ground, edge, shown)?;
                Some([line.min, line.max].map(|[x, z]| vec3(x, height, z)))
            }));
        }
        lines
    }
}

/// The edges between the cells of a zone and other cells, as columns and rows of their ends; empty
/// if there are too many.
fn zone_edges(grid: &Grid, zone: u64, [first, last]: [[u32; 2]; 2]) -> Vec<[[u32; 2]; 2]> {
    let [columns, rows] = [0, 1].map(|axis| last[axis] - first[axis] + 1);
    let mut edges = Vec::new();
    if u64::from(columns) * u64::from(rows) > MAX_CELLS_FOLLOWED {
        return edges;
    }
    // Called for cells within the bounds and up to one beyond on each side.
    let is_in = |column: i64, row: i64| {
        let [width, height] = grid.size.map(i64::from);
        let is_there = (0..width).contains(&column) && (0..height).contains(&row);
        is_there && grid.values.get((row * width + column) as usize) == Some(zone)
    };
    for axis in 0..2 {
        // Edges run along this axis, and are scanned across the other one.
        let across = 1 - axis;
        for line in i64::from(first[across])..=i64::from(last[across]) + 1 {
            let mut from = None;
            for along in i64::from(first[axis])..=i64::from(last[axis]) + 1 {
                let at = |line: i64| match axis {
                    0 => is_in(along, line),
                    _ => is_in(line, along),
                };
                let is_edge = along <= i64::from(last[axis]) && at(line) != at(line - 1);
                match (from, is_edge) {
                    (None, true) => from = Some(along),
                    (Some(begun), false) => {
                        let end = |along: i64| match axis {
                            0 => [along as u32, line as u32],
                            _ => [line as u32, along as u32],
                        };
                        edges.push([end(begun), end(along)]);
                        from = None;
                    }
                    _ => {}
                }
            }
        }
        if edges.len() > MAX_EDGES {
            return Vec::new();
        }
    }
    edges
}

impl Tileset {
    /// `true` if a pixel of a cell, given from its top left, is visible at a moment.
    pub(super) fn shows(&self, cell: super::Cell, pixel: [u32; 2], ticks: u64) -> bool {
        let Some(image) = cell.image() else {
            return false;
        };
        let Some(rgba) = self.image(self.image_at(image, ticks)) else {
            return false;
        };
        let [x, y] = cell.source_pixel(pixel, self.tile_size);
        let at = (y as usize * self.tile_size[0] as usize + x as usize) * 4 + 3;
        rgba.get(at).is_some_and(|opacity| *opacity > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Places as _;
    use crate::kinds::tilemap::{Integers, Parallax, sample};

    #[test]
    fn cells_and_layers_have_frames_where_they_are_shown() {
        let mut map = sample::made_up();
        let apart = Shown {
            layer_gap: Some(30.0),
            ..Shown::default()
        };
        let cell = TileMap::cell_item(1, [1, 0]);
        let bounds = map.place(cell, &apart).bounds.unwrap();
        assert_eq!(bounds.min, vec3(8.0, 30.0, 4.0));
        assert_eq!(bounds.max, vec3(12.0, 30.0, 8.0));
        let outline = map.contour(cell, &apart);
        assert_eq!(Aabb::around(outline.into_iter().flatten()), Some(bounds));
        map.layers[1].parallax = Parallax {
            mul: [0, 0],
            div: [1, 1],
        };
        let flat = Shown {
            flat: true,
            flat_camera_px: [100, 50],
            ..Shown::default()
        };
        let moved = map.place(TileMap::layer_item(1), &flat).bounds.unwrap();
        assert_eq!(moved.min, vec3(104.0, 0.0, 54.0));
        // Without a known view, its bounds are those in the file.
        let still = map.place(TileMap::layer_item(1), &Shown::default()).bounds;
        assert_eq!(
            still.unwrap().min,
            vec3(4.0, map.layer_height(1, &Shown::default()), 4.0)
        );
        assert_eq!(
            map.place(TileMap::cell_item(0, [0, 3]), &Shown::default())
                .bounds,
            None
        );
    }

    #[test]
    fn heights_of_all_steps_are_those_of_each() {
        let mut map = sample::made_up();
        map.steps.push(Step::tiles(0, Pass::Priority));
        for shown in [
            Shown::default(),
            Shown {
                flat: true,
                ..Shown::default()
            },
        ] {
            let each = (0..map.steps.len()).map(|step| map.step_height_px(step, &shown));
            assert_eq!(map.step_heights(&shown), each.collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_outline_of_a_zone_follows_its_cells() {
        let map = sample::made_up();
        let outline = map.contour(TileMap::zone_item(1), &Shown::default());
        // The zone is a cross of five cells, whose outline has twelve edges, one cell long each.
        let length: f32 = outline.iter().map(|[a, b]| a.distance(*b)).sum();
        assert_eq!(length, 12.0 * 4.0);
        assert_eq!(outline.len(), 12);
        let areas = map.contour(TileMap::zone_item(2), &Shown::default());
        assert_eq!(areas.len(), 4);
        let bounds = map.place(TileMap::zone_item(1), &Shown::default()).bounds;
        assert_eq!(bounds.unwrap().max.x, 12.0);
        // A large zone gets a rectangle.
        let mut large = sample::made_up();
        large.grids[1].size = [2048, 1024];
        large.grids[1].values = Integers::U8(vec![1; 2048 * 1024]);
        let outline = large.contour(TileMap::zone_item(1), &Shown::default());
        assert_eq!(outline.len(), 4);
    }

    #[test]
    fn shapes_are_closed_and_lines_are_not() {
        let corners = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]];
        let shape = |kind| Object {
            outline_px: corners.clone(),
            ..Object::new(kind, "", None)
        };
        assert_eq!(
            shape(ObjectKind::Box).lines(ObjectOffset::default()).len(),
            3
        );
        assert_eq!(
            shape(ObjectKind::Line).lines(ObjectOffset::default()).len(),
            2
        );
    }
}
