//! The overlays of a map: lines, labels, and legends.

use std::sync::LazyLock;

use glam::{Vec3, vec3};

use super::grids::zone_color;
use super::shapes::ObjectOffset;
use super::{Grid, GridKind, Object, ObjectKind, TileMap};
use crate::core::overlay::{LEFT_OUT_HELP, overlays};
use crate::describe::lines::LineBuilder;
use crate::{
    Annotations, Item, Label, Legend, LegendEntry, Line, Overlay, OverlayId, Shown, colors,
};

/// The overlays of 2D maps. All can be active at once: obstruction is hatched over the colours of
/// zones and numbers.
pub(crate) static OVERLAYS: [Overlay; 9] = overlays![
    Obstruction "Obstruction" "Hatch obstructed tiles",
    Zones "Zones" "Colour each zone and write its name",
    Logic "Logic values"
        "Colour tiles by their logic value, and write the value if there is room",
    Entities "Entities"
        "Draw entities with their direction and walking area, waypoints, sprites and boxes",
    Grid "Tile grid" "Draw lines between the tiles",
    PixelGrid "Pixel grid" "Draw lines between the pixels, when they are large enough",
    LayerFrames "Layer edges" "Draw a frame around each layer",
    LeftOut "Left out" LEFT_OUT_HELP on,
    Still "No parallax" "Keep all layers in place while the flat view moves",
];

/// Overlays that are only offered for maps with such content (grids, objects, unread parts), in bit
/// order.
const OPTIONAL: [OverlayId; 5] = [
    OverlayId::Obstruction,
    OverlayId::Zones,
    OverlayId::Logic,
    OverlayId::Entities,
    OverlayId::LeftOut,
];

/// The offered overlays for each combination of these bits.
static OFFERED: LazyLock<[Vec<Overlay>; 1 << OPTIONAL.len()]> = LazyLock::new(|| {
    std::array::from_fn(|bits| {
        let is_offered = |overlay: &&Overlay| {
            let bit = OPTIONAL.iter().position(|id| *id == overlay.id);
            bit.is_none_or(|bit| bits >> bit & 1 == 1)
        };
        OVERLAYS.iter().filter(is_offered).copied().collect()
    })
});

/// Maximum number of objects with lines.
const MAX_OBJECTS: usize = 20_000;
/// Maximum number of labels of an overlay.
const MAX_LABELS: usize = 2000;
/// Size of an arrow's head, as a share of the arrow's length.
const HEAD_SHARE: f32 = 0.3;

const WANDER: [u8; 3] = [255, 160, 60];
/// Width of object lines, and extra width of the casing below them, in logical pixels.
const LINE_POINTS: f32 = 2.0;
const CASING_POINTS: f32 = 2.0;
/// Red, green, blue and alpha of the casing.
const CASING: [u8; 4] = [12, 14, 18, 170];
/// Colour of the frames of layers.
const FRAME: [u8; 3] = [160, 190, 240];
/// Colour of the selection.
const SELECTED: [u8; 3] = colors::bytes(colors::SELECTED);
/// Colour of numbers on tiles.
const NUMBER: [u8; 3] = [255, 255, 255];

/// The colour of an object's lines.
fn color_of(object: &Object) -> [u8; 3] {
    let zone = object.zone.filter(|_| object.kind == ObjectKind::ZoneArea);
    zone.map_or(object.kind.said().color, zone_color)
}

impl Annotations for TileMap {
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        if shown.overlays.contains(OverlayId::LayerFrames) {
            let mut builder = LineBuilder::new(lines, FRAME, 1.5).on_top();
            for number in 0..self.layers.len() {
                let place = self
                    .layer_px(number, shown)
                    .filter(|_| Self::is_layer_shown(number, shown));
                if let Some((rect, height)) = place {
                    for [from, to] in rect.edges(height) {
                        builder.line(from, to);
                    }
                }
            }
        }
        for (_, object, place) in self.shown_objects(shown).take(MAX_OBJECTS) {
            object_lines(object, place, lines);
        }
        self.left_out_marks(shown, lines);
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        if shown.has_names {
            let mut named = Shown {
                has_names: false,
                ..shown.clone()
            };
            for id in [OverlayId::Entities, OverlayId::Zones] {
                named.overlays.set(self.about.overlays, id, true);
            }
            return self.labels(&named, labels);
        }
        let selected = shown.selected.and_then(|item| self.object_at(item));
        let is_selected = |index: usize| selected.is_some_and(|(at, _)| at == index);
        let named = || {
            let objects = self.shown_objects(shown);
            objects.filter(|(_, object, _)| object.kind != ObjectKind::ZoneArea)
        };
        let first = named().filter(|(index, ..)| is_selected(*index));
        let others = named().filter(|(index, ..)| !is_selected(*index));
        let objects = first.chain(others).take(MAX_LABELS);
        labels.extend(objects.map(|(index, object, place)| {
            let room = place.rect(object.room_px());
            Label {
                room: None,
                position: vec3(room.max[0], place.height, room.min[1]),
                text: self.object_name(index),
                color: color_of(object),
            }
        }));
        if shown.overlays.contains(OverlayId::Zones) {
            self.zone_labels(shown, labels);
        }
        for (number, grid) in self.grids.iter().enumerate() {
            let is_on = match grid.kind {
                GridKind::Logic => shown.overlays.contains(OverlayId::Logic),
                GridKind::Obstruction { by_sides } => {
                    // The colour alone distinguishes free from blocked.
                    let says_more = || self.scale(number).is_some_and(|scale| scale.range[1] > 1);
                    shown.overlays.contains(OverlayId::Obstruction) && by_sides && says_more()
                }
                GridKind::Zones => false,
            };
            if is_on && Self::is_grid_shown(grid, shown) {
                self.number_labels(grid, shown, labels);
            }
        }
    }
}

impl TileMap {
    /// The overlays that apply to this map.
    pub(super) fn offered_overlays(&self) -> &'static [Overlay] {
        let has = |is_so: fn(GridKind) -> bool| self.grids.iter().any(|grid| is_so(grid.kind));
        let is_area = |object: &Object| object.kind == ObjectKind::ZoneArea;
        let has_areas = self.objects.iter().any(is_area);
        let has = [
            has(GridKind::is_obstruction),
            has(|kind| kind == GridKind::Zones) || has_areas,
            has(|kind| kind == GridKind::Logic),
            self.objects.iter().any(|object| !is_area(object)),
            self.has_left_out_marks(),
        ];
        let bits = has
            .iter()
            .rev()
            .fold(0, |bits, has| bits << 1 | usize::from(*has));
        OFFERED.get(bits).map_or(&[], Vec::as_slice)
    }

    /// The objects with an active overlay and a visible layer, with their indices and places.
    pub(super) fn shown_objects<'a>(
        &'a self,
        shown: &'a Shown,
    ) -> impl Iterator<Item = (usize, &'a Object, ObjectOffset)> {
        let is_any_on = [OverlayId::Entities, OverlayId::Zones]
            .iter()
            .any(|id| shown.overlays.contains(*id));
        let objects = if is_any_on { &*self.objects } else { &[] };
        // Objects of the same layer are consecutive.
        let mut of_layer: Option<(Option<usize>, ObjectOffset)> = None;
        objects
            .iter()
            .enumerate()
            .filter_map(move |(index, object)| {
                let is_on = shown.overlays.contains(object.kind.said().overlay);
                let is_shown = object
                    .layer
                    .is_none_or(|layer| Self::is_layer_shown(layer, shown));
                if !is_on || !is_shown {
                    return None;
                }
                let place = match of_layer {
                    Some((layer, place)) if layer == object.layer => place,
                    _ => self.object_offset(object.layer, shown),
                };
                of_layer = Some((object.layer, place));
                Some((index, object, place))
            })
    }

    /// Adds the name of each zone at its largest part, and at its other areas if it fits there.
    fn zone_labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let zones = || self.zone_counts().iter().enumerate().take(MAX_LABELS);
        let label = |number: usize, position: Vec3, room: Option<f32>| Label {
            room,
            position,
            text: self.zone_name(number),
            // Lightened, since a dark name would be unreadable.
            color: zone_color(number).map(|channel| 128 + channel / 2),
        };
        let of_area = |index: &usize| {
            let area = self.objects.get(*index)?;
            let is_shown = |layer| Self::is_layer_shown(layer, shown);
            area.layer.is_none_or(is_shown).then_some(())?;
            let place = self.object_offset(area.layer, shown);
            let rect = place.rect(area.rect_px);
            let [x, z] = rect.center();
            Some((vec3(x, place.height, z), rect.size()[0]))
        };
        labels.extend(zones().filter_map(|(number, zone)| {
            let of_grid = || {
                // The number 0 is no zone.
                let (grid, cell) = zone.middle.filter(|_| number > 0)?;
                let grid = self.grids.get(grid)?;
                self.middle_of(grid, cell, shown)
            };
            let largest = zone.areas.first().and_then(of_area);
            let position = largest.map(|(position, _)| position).or_else(of_grid)?;
            Some(label(number, position, None))
        }));
        let others = zones()
            .flat_map(|(number, zone)| {
                let areas = zone.areas.iter().skip(1).filter_map(of_area);
                areas.map(move |(position, width)| (number, position, width))
            })
            .take(MAX_LABELS);
        labels.extend(others.map(|(number, position, width)| label(number, position, Some(width))));
    }

    /// The middle of a cell of a grid in world space.
    fn middle_of(&self, grid: &Grid, cell: [u32; 2], shown: &Shown) -> Option<Vec3> {
        if !Self::is_grid_shown(grid, shown) {
            return None;
        }
        let (rect, height) = self.grid_cells_px(grid, [cell; 2], shown)?;
        let [x, z] = rect.center();
        Some(vec3(x, height, z))
    }

    /// Adds the numbers of the visible cells, unless they are too many to be readable.
    fn number_labels(&self, grid: &Grid, shown: &Shown, labels: &mut Vec<Label>) {
        let Some([columns, rows]) = self.columns_and_rows_in_view(grid, shown) else {
            return;
        };
        let count = |range: &std::ops::Range<u32>| u64::from(range.end.saturating_sub(range.start));
        if count(&columns) * count(&rows) > MAX_LABELS as u64 {
            return;
        }
        let ground = self.ground_of(grid);
        let Some([width, _]) = ground.and_then(|ground| self.tile_size(&ground)) else {
            return;
        };
        let width = width as f32;
        for row in rows {
            for column in columns.clone() {
                let index = row as usize * grid.size[0] as usize + column as usize;
                let value = grid.values.get(index);
                let is_shown = |value: &u64| *value != 0 || grid.kind == GridKind::Logic;
                let place = || self.middle_of(grid, [column, row], shown);
                if let Some(value) = value.filter(is_shown)
                    && let Some(position) = place()
                {
                    labels.push(Label {
                        room: Some(width),
                        position,
                        text: value.to_string(),
                        color: NUMBER,
                    });
                }
            }
        }
    }

    /// The columns and rows of a grid in a flat view; all of them if the view is unknown or not
    /// flat.
    fn columns_and_rows_in_view(
        &self,
        grid: &Grid,
        shown: &Shown,
    ) -> Option<[std::ops::Range<u32>; 2]> {
        let all = grid.size.map(|size| 0..size);
        let Some(view) = shown.flat_view_px.filter(|_| shown.flat) else {
            return Some(all);
        };
        let ground = self.ground_of(grid)?;
        let tile_size = self.tile_size(&ground)?;
        let origin = self.shown_origin_px(&ground, shown);
        Some([0, 1].map(|axis| {
            let from = shown.flat_camera_px[axis].saturating_sub(origin[axis]);
            let to = from.saturating_add(i64::from(view[axis]));
            let tile = i64::from(tile_size[axis]);
            let clamped = |cell: i64| cell.clamp(0, i64::from(grid.size[axis])) as u32;
            clamped(from.div_euclid(tile))..clamped(to.div_euclid(tile).saturating_add(1))
        }))
    }

    /// The legend of an overlay.
    pub(super) fn legend_of(&self, overlay: OverlayId) -> Vec<LegendEntry> {
        match overlay {
            OverlayId::Obstruction => self.obstruction_legend(),
            OverlayId::Zones => self.zone_legend(),
            OverlayId::Logic => self.logic_legend(),
            OverlayId::Entities => self.object_legend(),
            OverlayId::LayerFrames => vec![LegendEntry::new(FRAME, "Layer edge")],
            OverlayId::LeftOut => self.left_out_legend(),
            _ => Vec::new(),
        }
    }

    /// The legend of the highlight of a selected tile.
    pub(super) fn legend_of_selection(&self, item: Item) -> Option<Legend> {
        let tile = self.tile_at(item)?;
        let label = format!("Tile {}, used {}", tile.number(), tile.times_used());
        Some(Legend {
            title: "Selected tile",
            entries: vec![LegendEntry::new(SELECTED, label)],
        })
    }

    /// Legend entries for the kinds of objects in the map.
    fn object_legend(&self) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry::new(color, label);
        let mut entries = Vec::new();
        for kind in ObjectKind::ALL {
            let said = kind.said();
            let mut objects = self.objects.iter();
            if !said.legend.is_empty() && objects.any(|object| object.kind == kind) {
                entries.push(entry(said.color, said.legend));
            }
            let walks = |object: &Object| object.wander_px.is_some();
            if kind == ObjectKind::Entity && self.objects.iter().any(walks) {
                entries.push(entry(WANDER, "Walking area"));
            }
        }
        entries
    }
}

/// Adds the lines of an object: its box or shape, its direction, and its walking area. Wider dark
/// lines below them keep them visible on any background.
fn object_lines(object: &Object, place: ObjectOffset, lines: &mut Vec<Line>) {
    let first = lines.len();
    let mut builder = LineBuilder::new(lines, color_of(object), LINE_POINTS).on_top();
    for [from, to] in object.lines(place) {
        builder.line(from, to);
    }
    if let Some(faces) = object.faces.filter(|faces| *faces != [0; 2]) {
        let room = place.rect(object.room_px());
        let [x, z] = room.center();
        let [w, h] = room.size();
        let [right, down] = faces.map(f32::from);
        let direction = vec3(right, 0.0, down).normalize_or_zero();
        let from = vec3(x, place.height, z);
        let to = from + direction * w.max(h);
        let side = vec3(-direction.z, 0.0, direction.x);
        let back = (to - from) * HEAD_SHARE;
        let wing = side * back.length() * 0.7;
        for (from, to) in [(from, to), (to - back + wing, to), (to - back - wing, to)] {
            builder.line(from, to);
        }
    }
    if let Some(wander) = object.wander_px {
        let mut builder = LineBuilder::new(lines, WANDER, 1.0).on_top();
        for [from, to] in place.rect(wander).edges(place.height) {
            builder.line(from, to);
        }
    }
    let casing: Vec<Line> = lines
        .get(first..)
        .unwrap_or_default()
        .iter()
        .map(|line| Line {
            color: CASING,
            width_points: line.width_points + CASING_POINTS,
            ..*line
        })
        .collect();
    lines.splice(first..first, casing);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use crate::kinds::tilemap::{Integers, sample};

    fn shown(map: &TileMap, ids: &[OverlayId]) -> Shown {
        let mut shown = Shown {
            flat: true,
            ..Shown::default()
        };
        for id in ids {
            shown.overlays.set(map.about.overlays, *id, true);
        }
        shown
    }

    fn lines(map: &TileMap, shown: &Shown) -> Vec<Line> {
        let mut lines = Vec::new();
        map.lines(shown, &mut lines);
        lines
    }

    fn texts(map: &TileMap, shown: &Shown) -> Vec<String> {
        let mut labels = Vec::new();
        map.labels(shown, &mut labels);
        labels.into_iter().map(|label| label.text).collect()
    }

    #[test]
    fn names_need_no_overlay() {
        let map = sample::made_up();
        let mut names = shown(&map, &[]);
        names.has_names = true;
        let all = texts(&map, &names);
        let of_overlays = shown(&map, &[OverlayId::Entities, OverlayId::Zones]);
        assert_eq!(all, texts(&map, &of_overlays));
        assert!(!all.is_empty() && texts(&map, &shown(&map, &[])).is_empty());
        assert!(lines(&map, &names).is_empty());
    }

    #[test]
    fn each_overlay_draws_its_lines() {
        let map = sample::made_up();
        let count = |ids: &[OverlayId]| lines(&map, &shown(&map, ids)).len();
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[OverlayId::LayerFrames]), 3 * 4);
        // Two boxes, an arrow, a walking area and a cross, each with a dark line below it.
        assert_eq!(count(&[OverlayId::Entities]), (2 * 4 + 3 + 4 + 2) * 2);
        assert_eq!(count(&[OverlayId::Zones]), 4 * 2);
        let mut hidden = shown(
            &map,
            &[
                OverlayId::Entities,
                OverlayId::Zones,
                OverlayId::LayerFrames,
            ],
        );
        hidden.hidden.push(TileMap::layer_item(0));
        assert_eq!(lines(&map, &hidden).len(), 8 + (2 * 4 + 3 + 4) * 2);
    }

    #[test]
    fn lines_are_at_the_height_of_their_layer() {
        let map = sample::made_up();
        let mut apart = shown(&map, &[OverlayId::Entities]);
        apart.flat = false;
        apart.layer_gap = Some(40.0);
        let all = lines(&map, &apart);
        // Entities have no layer and are above everything; the waypoint is on the ground.
        assert_eq!(all[0].ends[0], vec3(1.0, 50.0, 1.0));
        assert!(all[all.len() - 1].ends[0].y.abs() < 1e-6);
    }

    #[test]
    fn an_arrow_points_where_an_entity_looks() {
        let map = sample::made_up();
        let all = lines(&map, &shown(&map, &[OverlayId::Entities]));
        // It follows the box and the dark lines of everything.
        let dark = 4 + 3 + 4;
        assert_eq!(all[0].color, CASING);
        assert_eq!(all[dark].color[..3], ObjectKind::Entity.said().color);
        assert!(all[0].width_points > all[dark].width_points);
        let [first, second] = [dark + 4, dark + 5].map(|at| all[at].ends);
        assert_eq!(first, [vec3(4.0, 0.0, 4.0), vec3(10.0, 0.0, 4.0)]);
        assert_eq!(second[1], first[1]);
    }

    #[test]
    fn objects_follow_their_layer_with_lines_and_names() {
        let mut map = sample::made_up();
        map.layers[0].parallax.mul = [0, 0];
        let place = |camera: [i64; 2]| {
            let mut view = shown(&map, &[OverlayId::Zones]);
            view.flat_camera_px = camera;
            let mut labels = Vec::new();
            map.labels(&view, &mut labels);
            (lines(&map, &view)[0].ends[0], labels[1].position)
        };
        let (line, label) = place([0, 0]);
        let by = vec3(30.0, 0.0, 20.0);
        assert_eq!(place([30, 20]), (line + by, label + by));
    }

    #[test]
    fn overlays_are_offered_where_they_show_something() {
        let ids = |map: &TileMap| -> Vec<OverlayId> {
            let offered = map.offered_overlays();
            offered.iter().map(|overlay| overlay.id).collect()
        };
        let always = [
            OverlayId::Grid,
            OverlayId::PixelGrid,
            OverlayId::LayerFrames,
            OverlayId::Still,
        ];
        let mut map = sample::made_up();
        let of_map = [
            OverlayId::Obstruction,
            OverlayId::Zones,
            OverlayId::Entities,
        ];
        assert_eq!(ids(&map), [&of_map[..], &always].concat());
        map.grids.truncate(1);
        map.grids[0].kind = GridKind::Logic;
        assert_eq!(
            ids(&map),
            [
                &[OverlayId::Zones, OverlayId::Logic, OverlayId::Entities][..],
                &always
            ]
            .concat()
        );
        // Areas alone count as zones, but other objects do not.
        map.objects
            .retain(|object| object.kind == ObjectKind::ZoneArea);
        assert_eq!(
            ids(&map),
            [&[OverlayId::Zones, OverlayId::Logic][..], &always].concat()
        );
        map.objects.clear();
        map.grids.clear();
        assert_eq!(ids(&map), always);
    }

    #[test]
    fn names_are_written_with_the_selected_one_first() {
        let map = sample::made_up();
        let mut names = shown(&map, &[OverlayId::Entities]);
        assert_eq!(texts(&map, &names), ["Hero", "Chest", "Door"]);
        names.selected = map.object_item(1);
        assert_eq!(texts(&map, &names), ["Chest", "Hero", "Door"]);
        assert_eq!(
            texts(&map, &shown(&map, &[OverlayId::Zones])),
            ["meadow", "Zone 2"]
        );
    }

    #[test]
    fn numbers_are_written_where_they_are_in_view() {
        let mut map = sample::made_up();
        map.grids[0].kind = GridKind::Logic;
        map.grids[0].values = Integers::U8((0..12).collect());
        let map = map.finished();
        let mut view = shown(&map, &[OverlayId::Logic]);
        assert_eq!(texts(&map, &view).len(), 12);
        view.flat_camera_px = [5, 3];
        view.flat_view_px = Some([4, 2]);
        assert_eq!(texts(&map, &view), ["1", "2", "5", "6"]);
        view.flat_camera_px = [-100, 0];
        assert!(texts(&map, &view).is_empty());
        // Too many to be readable.
        let mut large = sample::made_up();
        large.grids[0].kind = GridKind::Logic;
        large.grids[0].size = [100, 100];
        large.grids[0].values = Integers::U8(vec![1; 10_000]);
        assert!(texts(&large, &shown(&large, &[OverlayId::Logic])).is_empty());
        // The colour alone distinguishes free from blocked.
        let map = sample::made_up();
        assert!(texts(&map, &shown(&map, &[OverlayId::Obstruction])).is_empty());
    }

    #[test]
    fn legends_name_what_there_is() {
        let map = sample::made_up();
        let mut view = Shown {
            selected: Some(TileMap::tile_item(0, 2)),
            ..Shown::default()
        };
        let of_tile = map.legends(&view);
        assert_eq!(of_tile[0].entries[0].label, "Tile 2, used 3 times");
        view.selected = Some(TileMap::layer_item(0));
        assert_eq!(map.legends(&view), []);
        let of_entities = map.legends(&shown(&map, &[OverlayId::Entities]));
        assert_eq!(of_entities[0].title, "Entities");
        let entries = of_entities[0].entries.iter();
        let labels: Vec<&str> = entries.map(|entry| &*entry.label).collect();
        let expected = ["Entity, with its direction", "Walking area", "Waypoint"];
        assert_eq!(labels, expected);
        for overlay in map.about.overlays {
            let plain = [OverlayId::Grid, OverlayId::PixelGrid, OverlayId::Still];
            let legends = map.legends(&shown(&map, &[overlay.id]));
            assert_eq!(
                legends.is_empty(),
                plain.contains(&overlay.id),
                "{overlay:?}"
            );
        }
    }
}
