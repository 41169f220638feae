//! The numbers of grids at a cell, and the colours that stand for them.

use std::ops::ControlFlow;

use super::items::CellAt;
use super::known::Scale;
use super::{Grid, GridKind, TileMap};
use crate::formats::parallel::in_parallel;
use crate::scene::{LegendEntry, Shown, colors};

/// How opaque colours lie upon tiles.
const OPACITY: u8 = 150;
/// The same for a 0 that has a colour.
const ZERO_OPACITY: u8 = 50;
/// The colour of what cannot be walked on.
const BLOCKED: [u8; 3] = [230, 40, 40];
/// Of more numbers than these several have the same colour.
const MOST_STEPS: usize = 9;
/// How many zones or numbers a legend names.
const MOST_LISTED: usize = 128;
/// How many cells are coloured in one go.
const CELLS_AT_ONCE: usize = 1 << 18;

/// The number of what is blocked from all of its straight sides.
const ALL_SIDES: u64 = 15;
/// How many numbers those bits make.
const ALL_BITS: u64 = 64;
/// What the bits of ika's obstruction say, from the lowest (fact sheet of ika, section 4).
const SIDES: [&str; 6] = [
    "top",
    "bottom",
    "left",
    "right",
    "diagonal",
    "other diagonal",
];

/// The colour of a zone.
pub(super) fn zone_color(zone: usize) -> [u8; 3] {
    colors::distinct(u32::try_from(zone).unwrap_or(u32::MAX))
}

/// The colour of a number that says from where a tile cannot be walked on: a shade of red for each
/// choice of sides.
fn obstruction_color(value: u64) -> [u8; 3] {
    let [r, g, b] = BLOCKED;
    let shade = |shift: u32| (value >> shift & 3) as u8 * 45;
    match value {
        1 => BLOCKED,
        ALL_SIDES => [160, 10, 10],
        _ => [r - shade(4), g + shade(0), b + shade(2)],
    }
}

/// What a number of obstruction says, for people.
pub(super) fn obstruction_name(value: u64) -> String {
    match value {
        0 => "free".to_owned(),
        // Maps have it on tiles that nobody gets upon from any side.
        1 => "blocked".to_owned(),
        ALL_SIDES => format!("all sides ({value})"),
        _ => {
            let sides = SIDES.iter().enumerate();
            let sides = sides.filter(|(bit, _)| value >> bit & 1 == 1);
            let sides: Vec<&str> = sides.map(|(_, name)| *name).collect();
            if sides.is_empty() {
                return format!("blocked ({value})");
            }
            format!("{} ({value})", sides.join(", "))
        }
    }
}

impl Scale {
    /// The colours of the numbers that a grid may have, one by one or step by step.
    pub(super) fn palette(&self, kind: GridKind, zones: usize) -> Vec<[u8; 4]> {
        let with = |[r, g, b]: [u8; 3], opacity| [r, g, b, opacity];
        match kind {
            GridKind::Obstruction => (0..ALL_BITS)
                .map(|value| with(obstruction_color(value), OPACITY))
                .collect(),
            GridKind::Zones => (0..zones)
                .map(|zone| with(zone_color(zone), OPACITY))
                .collect(),
            GridKind::Logic => {
                let steps = self.steps();
                let colors = (0..steps).map(|step| with(colors::step(step, steps), OPACITY));
                colors.collect()
            }
        }
    }

    /// Whether each number has a colour of its own, so few are they.
    fn is_short(&self) -> bool {
        (1..=MOST_STEPS).contains(&self.values.len())
    }

    /// How many colours there are for numbers that the game makes something of.
    fn steps(&self) -> usize {
        if self.is_short() {
            self.values.len()
        } else {
            self.bounds.len() + 1
        }
    }

    /// Which of them a number has.
    fn step_of(&self, value: u64) -> usize {
        if self.is_short() {
            return self.values.partition_point(|(known, _)| *known < value);
        }
        self.bounds.partition_point(|bound| *bound <= value)
    }

    /// A number of a step: the least of all, the greatest of all, or the least of the step.
    fn value_at(&self, step: usize) -> u64 {
        let [min, max] = self.range;
        match step.checked_sub(1) {
            None => min,
            Some(last) if last + 1 == self.bounds.len() => max,
            Some(before) => self.bounds.get(before).copied().unwrap_or(max),
        }
    }

    /// The colour of a number: red, green, blue and opacity.
    fn color(&self, kind: GridKind, value: u64) -> [u8; 4] {
        let known = |index: usize| self.palette.get(index).copied();
        let at = usize::try_from(value).unwrap_or(usize::MAX);
        match (kind, value) {
            (GridKind::Obstruction | GridKind::Zones, 0) => [0; 4],
            (GridKind::Obstruction, _) => known(at).unwrap_or_else(|| {
                let [r, g, b] = obstruction_color(value);
                [r, g, b, OPACITY]
            }),
            (GridKind::Zones, _) => known(at).unwrap_or_else(|| {
                let [r, g, b] = zone_color(at);
                [r, g, b, OPACITY]
            }),
            (GridKind::Logic, _) => {
                let [r, g, b, opacity] = known(self.step_of(value)).unwrap_or_default();
                let opacity = if value == 0 { ZERO_OPACITY } else { opacity };
                [r, g, b, opacity]
            }
        }
    }

    fn logic_legend(&self) -> Vec<LegendEntry> {
        let entry = |value: u64, cells: String| {
            let [r, g, b, _] = self.color(GridKind::Logic, value);
            LegendEntry {
                color: [r, g, b],
                label: format!("{value}{cells}"),
            }
        };
        if self.is_short() {
            let values = self.values.iter();
            return values
                .map(|(value, cells)| entry(*value, format!(" ({cells})")))
                .collect();
        }
        let last = self.steps().saturating_sub(1);
        let listed = self.steps().min(MOST_STEPS);
        let steps = (0..listed).map(|place| place * last / listed.saturating_sub(1).max(1));
        steps
            .map(|step| entry(self.value_at(step), String::new()))
            .collect()
    }
}

impl Grid {
    /// Whether its numbers are shown as colours.
    pub fn is_shown(&self, shown: &Shown) -> bool {
        shown.overlays.contains(match self.kind {
            GridKind::Obstruction => "obstruction",
            GridKind::Zones => "zones",
            GridKind::Logic => "logic",
        })
    }
}

impl TileMap {
    /// The colour that an overlay gives to a cell of a grid: red, green, blue and opacity, not
    /// multiplied by it.
    pub fn grid_color(&self, grid: usize, index: usize) -> [u8; 4] {
        let color = || {
            let of = self.grids.get(grid)?;
            let value = of.values.get(index)?;
            Some(self.scale(grid)?.color(of.kind, value))
        };
        color().unwrap_or_default()
    }

    /// The same of all cells, row by row from the top left.
    pub fn grid_colors(&self, grid: usize) -> Vec<[u8; 4]> {
        let Some((of, scale)) = self.grids.get(grid).zip(self.scale(grid)) else {
            return Vec::new();
        };
        let count = of.values.len();
        let pieces = count.div_ceil(CELLS_AT_ONCE);
        let work = |piece: usize| -> Vec<[u8; 4]> {
            let from = piece * CELLS_AT_ONCE;
            let mut last = (0, scale.color(of.kind, 0));
            let cells = from..(from + CELLS_AT_ONCE).min(count);
            let colors = cells.map(|index| {
                let value = of.values.get(index).unwrap_or(0);
                // Most numbers are those of the cell before.
                if value != last.0 {
                    last = (value, scale.color(of.kind, value));
                }
                last.1
            });
            colors.collect()
        };
        let colored = in_parallel(pieces, &mut |_| ControlFlow::Continue(()), work);
        let mut all = Vec::with_capacity(count);
        for piece in colored.unwrap_or_default() {
            all.extend(piece);
        }
        all
    }

    /// The grid of a kind that says something of a cell, and the index of the cell in it: that of
    /// its layer, or the only one of the map.
    fn grid_at(&self, kind: GridKind, at: &CellAt<'_>) -> Option<(&Grid, usize)> {
        let own = self
            .grids_of(kind)
            .find(|(_, grid)| grid.layer == at.layer_number);
        let only = || {
            let mut all = self.grids_of(kind);
            all.next().filter(|_| all.next().is_none())
        };
        let (_, grid) = own.or_else(only)?;
        let index = if grid.layer == at.layer_number && grid.size == at.layer.size {
            at.index
        } else {
            let beside = self.layers.get(grid.layer)?;
            let (from, to) = (self.tile_size(at.layer)?, self.tile_size(beside)?);
            let mut place = [0; 2];
            for axis in 0..2 {
                // What is in the middle of the cell.
                let px = i64::from(at.layer.position_px[axis])
                    + i64::from(at.place[axis]) * i64::from(from[axis])
                    + i64::from(from[axis] / 2);
                let cell = (px - i64::from(beside.position_px[axis])).div_euclid(to[axis].into());
                place[axis] = u32::try_from(cell)
                    .ok()
                    .filter(|cell| *cell < grid.size[axis])? as usize;
            }
            place[1] * grid.size[0] as usize + place[0]
        };
        Some((grid, index))
    }

    /// The number that a grid of a kind has for a cell.
    pub(super) fn grid_value(&self, kind: GridKind, at: &CellAt<'_>) -> Option<u64> {
        let (grid, index) = self.grid_at(kind, at)?;
        grid.values.get(index)
    }

    /// The zones that a cell is in: by its number, and by the areas around its middle.
    pub(super) fn zones_of(&self, at: &CellAt<'_>) -> Vec<usize> {
        let mut zones = Vec::new();
        if let Some(zone) = self.grid_value(GridKind::Zones, at)
            && zone > 0
        {
            zones.extend(usize::try_from(zone));
        }
        let Some(tile_size) = self.tile_size(at.layer) else {
            return zones;
        };
        let middle = [0, 1].map(|axis| {
            let size = tile_size[axis] as f32;
            at.layer.position_px[axis] as f32 + (at.place[axis] as f32 + 0.5) * size
        });
        for thing in &self.things {
            let is_here = thing.kind == super::ThingKind::ZoneArea
                && thing.layer.is_none_or(|layer| layer == at.layer_number)
                && thing.rect_px.contains(middle);
            if let Some(zone) = thing.zone.filter(|zone| is_here && !zones.contains(zone)) {
                zones.push(zone);
            }
        }
        zones
    }

    fn grids_of(&self, kind: GridKind) -> impl Iterator<Item = (usize, &Grid)> {
        let grids = self.grids.iter().enumerate();
        grids.filter(move |(_, grid)| grid.kind == kind)
    }

    /// What the colours of obstruction mean.
    pub(super) fn obstruction_legend(&self) -> Vec<LegendEntry> {
        let scales = self.grids_of(GridKind::Obstruction);
        let scales = scales.filter_map(|(number, _)| self.scale(number));
        let mut values: Vec<u64> = scales
            .flat_map(|scale| scale.values.iter().map(|(value, _)| *value))
            .filter(|value| *value != 0)
            .collect();
        values.sort_unstable();
        values.dedup();
        let entries = values
            .into_iter()
            .take(MOST_LISTED)
            .map(|value| LegendEntry {
                color: obstruction_color(value),
                label: obstruction_name(value),
            });
        entries.collect()
    }

    /// What the colours of zones mean: those that are anywhere.
    pub(super) fn zone_legend(&self) -> Vec<LegendEntry> {
        let zones = self.zone_counts().iter().enumerate();
        let seen = zones.filter(|(number, zone)| {
            // The number 0 of a grid has no colour.
            *number > 0 && zone.cells > 0 || !zone.areas.is_empty()
        });
        let entries = seen.take(MOST_LISTED).map(|(number, _)| LegendEntry {
            color: zone_color(number),
            label: self.zone_name(number),
        });
        entries.collect()
    }

    /// What the colours of the numbers mean that the game makes something of.
    pub(super) fn logic_legend(&self) -> Vec<LegendEntry> {
        let mut scales = self.grids_of(GridKind::Logic);
        let scale = scales.next().and_then(|(number, _)| self.scale(number));
        scale.map_or_else(Vec::new, Scale::logic_legend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Document;
    use crate::scene::tilemap::{GridValues, sample};

    fn logic(values: GridValues) -> TileMap {
        let mut map = sample::made_up();
        map.grids = vec![Grid {
            kind: GridKind::Logic,
            layer: 0,
            size: [4, 3],
            values,
        }];
        map
    }

    #[test]
    fn all_cells_have_the_colors_of_each() {
        let map = sample::made_up();
        for grid in 0..map.grids.len() {
            let colors = map.grid_colors(grid);
            assert_eq!(colors.len(), 12);
            for (index, color) in colors.into_iter().enumerate() {
                assert_eq!(color, map.grid_color(grid, index));
            }
        }
        assert_eq!(map.grid_color(0, 2), [0; 4]);
        assert_eq!(map.grid_color(0, 0)[..3], BLOCKED);
        assert_eq!(map.grid_color(1, 1)[..3], zone_color(1));
        assert_eq!(map.grid_color(1, 99), [0; 4]);
        assert_eq!(map.grid_colors(9), Vec::<[u8; 4]>::new());
    }

    #[test]
    fn legends_name_the_colors_that_there_are() {
        let map = sample::made_up();
        let legend = map.legend("obstruction");
        assert_eq!(legend.len(), 1);
        assert_eq!((legend[0].color, &*legend[0].label), (BLOCKED, "blocked"));
        let zones = map.legend("zones");
        let names: Vec<&str> = zones.iter().map(|entry| &*entry.label).collect();
        assert_eq!(names, ["meadow", "Zone 2"]);
        assert_eq!(zones[0].color, zone_color(1));
        assert!(map.legend("logic").is_empty());
        let few = logic(GridValues::U16(vec![0, 7, 7, 300, 0, 0, 0, 0, 0, 0, 0, 0]));
        let legend = few.legend("logic");
        let labels: Vec<&str> = legend.iter().map(|entry| &*entry.label).collect();
        assert_eq!(labels, ["0 (9)", "7 (2)", "300 (1)"]);
        for (entry, index) in legend.iter().zip([0, 1, 3]) {
            assert_eq!(few.grid_color(0, index)[..3], entry.color);
        }
    }

    #[test]
    fn many_numbers_have_a_scale_from_the_least_to_the_greatest() {
        let far = (0..50).map(|i| u64::MAX - (1 << 57) * i);
        for values in [far.collect(), Vec::new()] {
            let numbers = values.into_iter().chain(0..100);
            let map = logic(GridValues::U64(numbers.collect()));
            let legend = map.legend("logic");
            assert_eq!(legend.len(), MOST_STEPS);
            assert_eq!(legend[0].label, "0");
            let last = &legend[MOST_STEPS - 1];
            assert_eq!(last.label, map.scale(0).unwrap().range[1].to_string());
            let mut seen: Vec<[u8; 3]> = legend.iter().map(|entry| entry.color).collect();
            seen.dedup();
            assert_eq!(seen.len(), MOST_STEPS);
            // As many numbers are below the middle of the scale as above it.
            let count = map.grids[0].values.len();
            let far = count - 100;
            let [r, g, b, _] = map.grid_color(0, far + count / 2);
            let half = colors::step(1, 3);
            let channels = half.into_iter().zip([r, g, b]);
            let far_off = channels.map(|(a, b)| a.abs_diff(b)).max();
            assert!(far_off < Some(30), "{r} {g} {b}");
        }
    }

    #[test]
    fn sides_that_are_blocked_are_named() {
        assert_eq!(obstruction_name(0), "free");
        assert_eq!(obstruction_name(5), "top, left (5)");
        assert_eq!(obstruction_name(15), "all sides (15)");
        assert_eq!(obstruction_name(0x40), "blocked (64)");
        let mut colors: Vec<[u8; 3]> = (1..64).map(obstruction_color).collect();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() >= 62, "{}", colors.len());
    }

    #[test]
    fn the_only_grid_of_a_map_holds_for_all_layers() {
        let mut map = sample::made_up();
        let value = |map: &TileMap, layer, index| {
            let at = map.cell_at(TileMap::cell_item(layer, index)).unwrap();
            map.grid_value(GridKind::Obstruction, &at)
        };
        // The roof lies at column and row 1 of the ground.
        assert_eq!(value(&map, 0, 4), Some(1));
        assert_eq!(value(&map, 1, 0), Some(0));
        map.layers[1].position_px = [0, 0];
        assert_eq!(value(&map, 1, 2), Some(1));
        map.layers[1].position_px = [-4, 0];
        assert_eq!(value(&map, 1, 0), None);
        // With one for each layer only its own holds.
        let mut of_roof = map.grids[0].clone();
        of_roof.layer = 1;
        of_roof.size = [2, 2];
        of_roof.values = GridValues::U8(vec![4, 0, 0, 0]);
        map.grids.push(of_roof);
        assert_eq!(value(&map, 1, 0), Some(4));
        assert_eq!(value(&map, 2, 0), None);
    }
}
