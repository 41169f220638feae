//! The numbers of grids at a cell, and their colours.

use std::ops::Range;

use super::known::Scale;
use super::{Grid, GridKind, TileMap};
use crate::core::parallel::map_parallel;
use crate::{LegendEntry, OverlayId, Shown, colors};

/// Alpha of logic value colours over tiles.
const OPACITY: u8 = 150;
/// Alpha of zone colours, low enough to keep tiles recognisable.
pub(super) const ZONE_OPACITY: u8 = 110;
/// Alpha of obstruction colours, which cover only every other stripe ([`hatched`]).
const OBSTRUCTION_OPACITY: u8 = 215;
/// Alpha of the dark stripes between them.
const HATCH_DARK_OPACITY: u8 = 90;
/// Alpha of the dark stripes relative to the coloured ones.
pub const DARK_STRIPES: f32 = HATCH_DARK_OPACITY as f32 / OBSTRUCTION_OPACITY as f32;
/// Spacing of the stripes in map pixels, unless tiles are smaller.
const HATCH_PX: u32 = 8;
/// Alpha of a coloured 0.
const ZERO_OPACITY: u8 = 50;
/// Colour of blocked tiles.
const BLOCKED: [u8; 3] = [230, 40, 40];
/// Maximum number of distinct colours; beyond that, several numbers share a colour.
const MAX_STEPS: usize = 9;
/// Maximum number of zones or numbers in a legend.
const MAX_LISTED: usize = 128;
/// Number of cells coloured per work item.
const CELLS_PER_TASK: usize = 1 << 18;

/// The number that blocks all straight sides.
const ALL_SIDES: u64 = 15;
/// Number of combinations of these bits.
const ALL_BITS: u64 = 64;
/// Names of ika's obstruction bits, from the lowest (fact sheet of ika, section 4).
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

/// The colour of a number whose bits are blocked sides: a shade of red for each combination.
fn obstruction_color(value: u64) -> [u8; 3] {
    let [r, g, b] = BLOCKED;
    let shade = |shift: u32| (value >> shift & 3) as u8 * 45;
    match value {
        1 => BLOCKED,
        ALL_SIDES => [160, 10, 10],
        _ => [r - shade(4), g + shade(0), b + shade(2)],
    }
}

/// Display text of an obstruction number.
pub(super) fn obstruction_name(kind: GridKind, value: u64) -> String {
    match value {
        0 => "free".to_owned(),
        // Maps use it for tiles that cannot be entered from any side.
        1 => "blocked".to_owned(),
        _ if kind == (GridKind::Obstruction { by_sides: false }) => format!("blocked ({value})"),
        ALL_SIDES => format!("all sides ({value})"),
        _ => {
            let sides: Vec<&str> = SIDES
                .iter()
                .enumerate()
                .filter(|(bit, _)| value >> bit & 1 == 1)
                .map(|(_, name)| *name)
                .collect();
            if sides.is_empty() {
                return format!("blocked ({value})");
            }
            format!("{} ({value})", sides.join(", "))
        }
    }
}

impl Scale {
    /// The colours of the numbers that a grid may have, by number or by step.
    pub(super) fn palette(&self, kind: GridKind, zones: usize) -> Vec<[u8; 4]> {
        let with = |[r, g, b]: [u8; 3], opacity| [r, g, b, opacity];
        match kind {
            GridKind::Obstruction { by_sides } => {
                let shown = |value: u64| if by_sides { value } else { value.min(1) };
                let colors = (0..ALL_BITS).map(|value| obstruction_color(shown(value)));
                colors
                    .map(|color| with(color, OBSTRUCTION_OPACITY))
                    .collect()
            }
            GridKind::Zones => (0..zones)
                .map(|zone| with(zone_color(zone), ZONE_OPACITY))
                .collect(),
            GridKind::Logic => {
                let steps = self.steps();
                let colors = (0..steps).map(|step| with(colors::step(step, steps), OPACITY));
                colors.collect()
            }
        }
    }

    /// `true` if the numbers are few enough for one legend line each.
    fn is_short(&self) -> bool {
        (1..=MAX_STEPS).contains(&self.values.len())
    }

    /// Number of colours for logic values: one per number while all numbers are known, else one per
    /// step.
    fn steps(&self) -> usize {
        if self.values.is_empty() {
            self.bounds.len() + 1
        } else {
            self.values.len()
        }
    }

    /// Index of the colour of a number.
    fn step_of(&self, value: u64) -> usize {
        if self.values.is_empty() {
            self.bounds.partition_point(|bound| *bound <= value)
        } else {
            self.values.partition_point(|(known, _)| *known < value)
        }
    }

    /// The lowest and the highest number of a range of steps.
    fn numbers_of(&self, steps: Range<usize>) -> [u64; 2] {
        let [min, max] = self.range;
        let last = steps.end.saturating_sub(1);
        if !self.values.is_empty() {
            let value = |at: usize| self.values.get(at).map_or(max, |(value, _)| *value);
            return [value(steps.start), value(last)];
        }
        let begin = |step: usize| match step.checked_sub(1) {
            None => Some(min),
            Some(before) => self.bounds.get(before).copied(),
        };
        let end = begin(steps.end).map_or(max, |next| next.saturating_sub(1));
        [begin(steps.start).unwrap_or(max), end.max(min)]
    }

    /// The colour of a number: red, green, blue and alpha.
    fn color(&self, kind: GridKind, value: u64) -> [u8; 4] {
        let known = |index: usize| self.palette.get(index).copied();
        let at = usize::try_from(value).unwrap_or(usize::MAX);
        match (kind, value) {
            (GridKind::Obstruction { .. } | GridKind::Zones, 0) => [0; 4],
            (GridKind::Obstruction { by_sides }, _) => known(at).unwrap_or_else(|| {
                let [r, g, b] = obstruction_color(if by_sides { value } else { 1 });
                [r, g, b, OBSTRUCTION_OPACITY]
            }),
            (GridKind::Zones, _) => known(at).unwrap_or_else(|| {
                let [r, g, b] = zone_color(at);
                [r, g, b, ZONE_OPACITY]
            }),
            (GridKind::Logic, _) => {
                let [r, g, b, opacity] = known(self.step_of(value)).unwrap_or_default();
                let opacity = if value == 0 { ZERO_OPACITY } else { opacity };
                [r, g, b, opacity]
            }
        }
    }

    fn logic_legend(&self) -> Vec<LegendEntry> {
        let color = |step: usize| {
            let [r, g, b, _] = self.palette.get(step).copied().unwrap_or_default();
            [r, g, b]
        };
        if self.is_short() {
            let values = self.values.iter().enumerate();
            return values
                .map(|(step, (value, cells))| {
                    LegendEntry::new(color(step), format!("{value} ({cells})"))
                })
                .collect();
        }
        // Each line covers several steps and has the colour of the middle one.
        let steps = self.steps();
        let lines = steps.min(MAX_STEPS);
        let lines = (0..lines).map(|line| line * steps / lines..(line + 1) * steps / lines);
        lines
            .map(|steps| {
                let middle = steps.start + (steps.len() - 1) / 2;
                let [first, last] = self.numbers_of(steps);
                let label = if first >= last {
                    first.to_string()
                } else {
                    format!("{first} to {last}")
                };
                LegendEntry::new(color(middle), label)
            })
            .collect()
    }
}

impl Grid {
    /// `true` if its numbers are shown as colours.
    pub fn is_shown(&self, shown: &Shown) -> bool {
        shown.overlays.contains(match self.kind {
            GridKind::Obstruction { .. } => OverlayId::Obstruction,
            GridKind::Zones => OverlayId::Zones,
            GridKind::Logic => OverlayId::Logic,
        })
    }
}

impl Grid {
    /// `true` if its colours are drawn as stripes, so that other colours of the same tiles remain
    /// visible between them.
    pub fn is_hatched(&self) -> bool {
        self.kind.is_obstruction()
    }
}

/// Spacing of the stripes of a hatched grid with such tiles, in map pixels along either axis. If
/// possible, it divides the tile size, so that the stripes continue from tile to tile and where a
/// layer repeats.
pub fn hatch_px(tile_size: [u32; 2]) -> u32 {
    let goes_on = |px: &u32| tile_size.iter().all(|side| side % px == 0);
    let smallest = tile_size[0].min(tile_size[1]);
    let fitting = (HATCH_PX / 2..=HATCH_PX).rev().find(goes_on);
    fitting.unwrap_or_else(|| smallest.clamp(2, HATCH_PX))
}

/// The colour of a hatched grid at a pixel, counted from the grid's top left: diagonal coloured and
/// dark stripes, visible on any background. CPU counterpart of `hatched` in `tiles.wgsl`.
pub(super) fn hatched([r, g, b, a]: [u8; 4], px: [i64; 2], apart: u32) -> [u8; 4] {
    let apart = i64::from(apart);
    if a == 0 || (px[0] + px[1]).rem_euclid(apart) * 2 < apart {
        return [r, g, b, a];
    }
    [r / 5, g / 5, b / 5, HATCH_DARK_OPACITY]
}

impl TileMap {
    /// Indices of the grids in drawing order; obstruction is drawn last.
    pub fn grids_from_below(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.grids.len()).collect();
        order.sort_by_key(|grid| self.grids.get(*grid).is_some_and(Grid::is_hatched));
        order
    }

    /// The overlay colour of a cell of a grid: red, green, blue and alpha, not premultiplied.
    pub fn grid_color(&self, grid: usize, index: usize) -> [u8; 4] {
        let color = || {
            let of = self.grids.get(grid)?;
            let value = of.values.get(index)?;
            Some(self.scale(grid)?.color(of.kind, value))
        };
        color().unwrap_or_default()
    }

    /// The overlay colours of all cells of a grid, row by row from the top left.
    pub fn grid_colors(&self, grid: usize) -> Vec<[u8; 4]> {
        let Some((of, scale)) = self.grids.get(grid).zip(self.scale(grid)) else {
            return Vec::new();
        };
        let count = of.size[0] as usize * of.size[1] as usize;
        let pieces = count.div_ceil(CELLS_PER_TASK);
        let work = |piece: usize| -> Vec<[u8; 4]> {
            let from = piece * CELLS_PER_TASK;
            let mut last = (0, scale.color(of.kind, 0));
            let cells = from..(from + CELLS_PER_TASK).min(count);
            let colors = cells.map(|index| {
                // Unread numbers have no colour.
                let Some(value) = of.values.get(index) else {
                    return [0; 4];
                };
                // Most cells repeat the previous number.
                if value != last.0 {
                    last = (value, scale.color(of.kind, value));
                }
                last.1
            });
            colors.collect()
        };
        map_parallel(pieces, work).concat()
    }

    /// The legend of the obstruction colours.
    pub(super) fn obstruction_legend(&self) -> Vec<LegendEntry> {
        let mut entries: Vec<(u64, LegendEntry)> = Vec::new();
        for (number, grid) in self.grids.iter().enumerate() {
            let GridKind::Obstruction { by_sides } = grid.kind else {
                continue;
            };
            let values = self.scale(number).map_or(&[][..], |scale| &scale.values);
            // If any nonzero number blocks, all have the same colour.
            let shown = |value: u64| if by_sides { value } else { 1 };
            for (value, _) in values.iter().filter(|(value, _)| *value != 0) {
                let value = shown(*value);
                if !entries.iter().any(|(known, _)| *known == value) {
                    let label = obstruction_name(grid.kind, value);
                    let entry = LegendEntry::new(obstruction_color(value), label);
                    entries.push((value, entry));
                }
            }
        }
        entries.sort_unstable_by_key(|(value, _)| *value);
        let entries = entries.into_iter().take(MAX_LISTED);
        entries.map(|(_, entry)| entry).collect()
    }

    /// The legend of zones, limited to zones with a place.
    pub(super) fn zone_legend(&self) -> Vec<LegendEntry> {
        let zones = self.zone_counts().iter().enumerate();
        let seen = zones.filter(|(number, zone)| {
            // The number 0 of a grid has no colour.
            *number > 0 && zone.cells > 0 || !zone.areas.is_empty()
        });
        let entries = seen
            .take(MAX_LISTED)
            .map(|(number, _)| LegendEntry::new(zone_color(number), self.zone_name(number)));
        entries.collect()
    }

    /// The legend of the logic values.
    pub(super) fn logic_legend(&self) -> Vec<LegendEntry> {
        // All logic grids share one scale.
        let grid = self.first_logic_grid();
        let scale = grid.and_then(|number| self.scale(number));
        scale.map_or_else(Vec::new, Scale::logic_legend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::{Integers, ListPlace, sample};

    fn logic(values: Integers) -> TileMap {
        let mut map = sample::made_up();
        map.grids = vec![Grid {
            kind: GridKind::Logic,
            layer: Some(0),
            size: [4, 3],
            values,
            place: ListPlace::Unknown,
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
        let legend = map.obstruction_legend();
        assert_eq!(legend.len(), 1);
        assert_eq!(
            (legend[0].color, &*legend[0].label),
            (Some(BLOCKED), "blocked")
        );
        let zones = map.zone_legend();
        let names: Vec<&str> = zones.iter().map(|entry| &*entry.label).collect();
        assert_eq!(names, ["meadow", "Zone 2"]);
        assert_eq!(zones[0].color, Some(zone_color(1)));
        assert!(map.logic_legend().is_empty());
        let few = logic(Integers::U16(vec![0, 7, 7, 300, 0, 0, 0, 0, 0, 0, 0, 0]));
        let legend = few.logic_legend();
        let labels: Vec<&str> = legend.iter().map(|entry| &*entry.label).collect();
        assert_eq!(labels, ["0 (9)", "7 (2)", "300 (1)"]);
        for (entry, index) in legend.iter().zip([0, 1, 3]) {
            let [r, g, b, _] = few.grid_color(0, index);
            assert_eq!(entry.color, Some([r, g, b]));
        }
    }

    #[test]
    fn many_numbers_have_a_scale_from_the_least_to_the_greatest() {
        let far = (0..50).map(|i| u64::MAX - (1 << 57) * i);
        for values in [far.collect(), Vec::new()] {
            let numbers = values.into_iter().chain(0..100);
            let map = logic(Integers::U64(numbers.collect()));
            let legend = map.logic_legend();
            assert_eq!(legend.len(), MAX_STEPS);
            assert!(legend[0].label.starts_with("0 to "), "{}", legend[0].label);
            let last = &legend[MAX_STEPS - 1];
            let max = map.scale(0).unwrap().range[1];
            assert!(
                last.label.ends_with(&format!(" to {max}")),
                "{}",
                last.label
            );
            let mut seen: Vec<_> = legend.iter().map(|entry| entry.color).collect();
            seen.dedup();
            assert_eq!(seen.len(), MAX_STEPS);
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
    fn any_number_of_numbers_has_a_scale_and_a_legend() {
        for count in [1_u64, 5, 9, 10, 17, 60, 64, 65, 200, 60_000] {
            // Neither consecutive nor sorted in the file.
            let numbers: Vec<u64> = (0..count).map(|i| (i * 7919 % count) * 3 + 2).collect();
            let mut map = logic(Integers::U64(numbers.clone()));
            map.grids[0].size = [count as u32, 1];
            let colors = map.grid_colors(0);
            let mut different = colors.clone();
            different.sort_unstable();
            different.dedup();
            // Among many numbers, some may share the colour of the next one.
            let least = if count > 64 {
                count.min(250) * 3 / 4
            } else {
                count
            } as usize;
            assert!(different.len() >= least, "{count}: {}", different.len());
            let legend = map.logic_legend();
            assert_eq!(legend.len(), (count as usize).min(MAX_STEPS), "{count}");
            // The lines together cover every number once, from the lowest to the highest.
            let mut next = 2;
            for entry in &legend {
                let said = entry.label.split(" (").next().unwrap();
                let (first, last) = said.split_once(" to ").unwrap_or((said, said));
                let [first, last] = [first, last].map(|number| number.parse::<u64>().unwrap());
                assert!(first <= next && last >= first, "{count}: {}", entry.label);
                for (number, color) in numbers.iter().zip(&colors) {
                    if (first..=last).contains(number) {
                        let far_off = colors::difference(
                            entry.color.unwrap(),
                            [color[0], color[1], color[2]],
                        );
                        assert!(far_off < 180, "{count}: {number} is not {}", entry.label);
                    }
                }
                next = last + 3;
            }
            assert!(next > count * 3, "{count}: {next}");
        }
    }

    #[test]
    fn all_layers_have_one_scale() {
        let mut map = logic(Integers::U8(vec![1, 2, 3, 4]));
        map.grids[0].size = [4, 1];
        let mut other = map.grids[0].clone();
        other.layer = Some(1);
        other.values = Integers::U32(vec![4, 9, 9, 1]);
        map.grids.push(other);
        assert_eq!(map.grid_color(0, 3), map.grid_color(1, 0));
        assert_eq!(map.grid_color(0, 0), map.grid_color(1, 3));
        assert_ne!(map.grid_color(0, 3), map.grid_color(1, 1));
        let legend = map.logic_legend().into_iter();
        let labels: Vec<String> = legend.map(|entry| entry.label).collect();
        assert_eq!(labels, ["1 (2)", "2 (1)", "3 (1)", "4 (2)", "9 (2)"]);
    }

    #[test]
    fn sides_that_are_blocked_are_named() {
        let kind = GridKind::Obstruction { by_sides: true };
        assert_eq!(obstruction_name(kind, 0), "free");
        assert_eq!(obstruction_name(kind, 5), "top, left (5)");
        assert_eq!(obstruction_name(kind, 15), "all sides (15)");
        assert_eq!(obstruction_name(kind, 0x40), "blocked (64)");
        let mut colors: Vec<[u8; 3]> = (1..64).map(obstruction_color).collect();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() >= 62, "{}", colors.len());
    }

    #[test]
    fn any_byte_of_an_old_map_blocks_all_of_a_tile() {
        let kind = GridKind::Obstruction { by_sides: false };
        assert_eq!(obstruction_name(kind, 5), "blocked (5)");
        let mut map = sample::made_up();
        map.grids[0].values = Integers::U8(vec![0, 1, 5, 15, 200, 0, 0, 0, 0, 0, 0, 0]);
        let colors: Vec<_> = (1..5).map(|index| map.grid_color(0, index)).collect();
        assert!(colors.iter().all(|color| *color == colors[0]), "{colors:?}");
        let legend = map.obstruction_legend();
        assert_eq!(legend.len(), 1);
        assert_eq!(legend[0].label, "blocked");
    }

    #[test]
    fn hatching_goes_on_from_tile_to_tile() {
        let color = [230, 40, 40, OBSTRUCTION_OPACITY];
        let is_bright = |x, y| hatched(color, [x, y], hatch_px([16, 24])) == color;
        for at in -20..20 {
            assert_eq!(is_bright(at, 0), at.rem_euclid(8) < 4, "{at}");
            assert_eq!(is_bright(at, 3), is_bright(at + 1, 2), "{at}");
        }
        assert_eq!(hatch_px([12, 24]), 6);
        assert_eq!(hatch_px([3, 16]), 3);
        assert_eq!(hatch_px([1, 1]), 2);
        assert_eq!(hatched([0; 4], [5, 0], 8), [0; 4]);
    }
}
