//! What is counted of a map when it is first asked for, and then kept: it takes a look at every
//! cell.

use std::sync::OnceLock;

use super::{Cell, Grid, GridKind, Integers, ObjectKind, TileMap, Tileset};
use crate::core::parallel::on_all_threads;

/// How many cells are counted in one go.
const CELLS_AT_ONCE: usize = 1 << 20;
/// How many different numbers of a grid are kept.
const MAX_VALUES: usize = 64;
/// How many steps there are from the minimum to the maximum of more.
const STEPS: usize = 256;
/// How many cells are looked at to find them.
const LOOKED_AT: usize = 1 << 14;

/// What was counted of a map so far.
#[derive(Debug, Default)]
pub struct Known {
    counts: OnceLock<Counts>,
    zones: OnceLock<Vec<ZoneCounts>>,
    /// Of each grid.
    scales: OnceLock<Vec<OnceLock<Scale>>>,
}

/// How often tiles are used.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Of each tileset, how many cells show each of its images.
    pub(super) uses: Vec<Vec<u64>>,
    /// Of each layer, how many of its cells are empty.
    pub(super) empty: Vec<u64>,
}

/// Where a zone is.
#[derive(Debug, Default, Clone)]
pub(super) struct ZoneCounts {
    /// How many cells of grids have its number.
    pub(super) cells: u64,
    /// The first and the last column and row of each grid that has it.
    pub(super) bounds: Vec<(usize, [[u32; 2]; 2])>,
    /// A grid, and the cell of it in the midst of the largest connected part of the zone.
    pub(super) middle: Option<(usize, [u32; 2])>,
    /// Its areas, by their indices among all objects, the largest first.
    pub(super) areas: Vec<usize>,
}

/// Which numbers a grid has.
#[derive(Debug, Default)]
pub(super) struct Scale {
    /// Minimum and maximum.
    pub(super) range: [u64; 2],
    /// Each number and how many cells have it, in rising order; none of them if there are too
    /// many to have a colour each.
    pub(super) values: Vec<(u64, u64)>,
    /// How many cells do not have the number 0.
    pub(super) set: u64,
    /// Where a colour begins after the first one, if there are too many: so that about as many
    /// cells have each.
    pub(super) bounds: Vec<u64>,
    /// Colours of numbers, as far as they were made beforehand.
    pub(super) palette: Vec<[u8; 4]>,
}

impl Tileset {
    /// How many images it has, with the one for tiles that it does not have.
    pub(super) fn image_count(&self) -> usize {
        let missing = self.missing.map_or(0, |missing| missing + 1);
        self.count.max(missing)
    }

    /// How many tiles it has: the last image may stand for others.
    pub fn tile_count(&self) -> usize {
        match self.missing {
            Some(missing) if missing + 1 == self.count => missing,
            _ => self.count,
        }
    }
}

impl TileMap {
    /// How often tiles are used.
    pub(super) fn counts(&self) -> &Counts {
        self.known.counts.get_or_init(|| self.count())
    }

    fn count(&self) -> Counts {
        let images = |tileset: usize| self.tilesets.get(tileset).map_or(0, Tileset::image_count);
        let pieces: Vec<(usize, usize, &[Cell])> = self
            .layers
            .iter()
            .enumerate()
            .flat_map(|(index, layer)| {
                let pieces = layer.cells.chunks(CELLS_AT_ONCE);
                pieces.map(move |cells| (index, layer.tileset, cells))
            })
            .collect();
        let counted = on_all_threads(pieces.len(), |piece| {
            let Some((_, tileset, cells)) = pieces.get(piece) else {
                return Vec::new();
            };
            // The last one counts those without image.
            let mut counts = vec![0_u64; images(*tileset) + 1];
            let last = counts.len() - 1;
            for cell in *cells {
                let image = (cell.0 & Cell::NOTHING) as usize;
                counts[image.min(last)] += 1;
            }
            counts
        });
        let mut all = Counts {
            uses: (0..self.tilesets.len())
                .map(|tileset| vec![0; images(tileset)])
                .collect(),
            empty: vec![0; self.layers.len()],
        };
        for ((layer, tileset, _), counts) in pieces.iter().zip(counted) {
            let Some((empty, counts)) = counts.split_last() else {
                continue;
            };
            if let Some(all) = all.empty.get_mut(*layer) {
                *all += empty;
            }
            let uses = all.uses.get_mut(*tileset).into_iter().flatten();
            for (all, count) in uses.zip(counts) {
                *all += count;
            }
        }
        // Those that were not read are filled with empty ones.
        for (number, (empty, layer)) in all.empty.iter_mut().zip(&self.layers).enumerate() {
            *empty = empty.saturating_sub(self.cells_not_read(number, layer));
        }
        all
    }

    /// How many cells show an image of a tileset.
    pub(super) fn uses(&self, tileset: usize, image: usize) -> u64 {
        let uses = self.counts().uses.get(tileset);
        uses.and_then(|uses| uses.get(image)).copied().unwrap_or(0)
    }

    /// Where each zone is.
    pub(super) fn zone_counts(&self) -> &[ZoneCounts] {
        self.known.zones.get_or_init(|| {
            let mut zones = vec![ZoneCounts::default(); self.zones.len()];
            for (number, grid) in self.grids.iter().enumerate() {
                if grid.kind == GridKind::Zones {
                    count_zones(number, grid, &mut zones);
                }
            }
            for (index, object) in self.objects.iter().enumerate() {
                let zone = object.zone.filter(|_| object.kind == ObjectKind::ZoneArea);
                if let Some(zone) = zone.and_then(|zone| zones.get_mut(zone)) {
                    zone.areas.push(index);
                }
            }
            let area = |index: &usize| {
                self.objects
                    .get(*index)
                    .map_or(0.0, |area| area.rect_px.area())
            };
            for zone in &mut zones {
                zone.areas.sort_by(|a, b| area(b).total_cmp(&area(a)));
            }
            zones
        })
    }

    /// Which numbers a grid has; of zones only their colours are known.
    pub(super) fn scale(&self, grid: usize) -> Option<&Scale> {
        let none = || self.grids.iter().map(|_| OnceLock::new()).collect();
        let grid = match self.grids.get(grid)?.kind {
            // A colour means the same on all layers.
            GridKind::Logic => self.first_logic_grid()?,
            GridKind::Obstruction { .. } | GridKind::Zones => grid,
        };
        let scale = self.known.scales.get_or_init(none).get(grid)?;
        let grid = self.grids.get(grid)?;
        Some(scale.get_or_init(|| {
            let mut scale = match grid.kind {
                GridKind::Obstruction { .. } => Scale::of(&[&grid.values]),
                GridKind::Logic => {
                    let grids = self.grids.iter();
                    let grids = grids.filter(|grid| grid.kind == GridKind::Logic);
                    let values: Vec<_> = grids.map(|grid| &grid.values).collect();
                    Scale::of(&values)
                }
                GridKind::Zones => Scale::default(),
            };
            scale.palette = scale.palette(grid.kind, self.zones.len());
            scale
        }))
    }

    /// The first grid of numbers that the game makes something of.
    pub(super) fn first_logic_grid(&self) -> Option<usize> {
        let mut grids = self.grids.iter();
        grids.position(|grid| grid.kind == GridKind::Logic)
    }
}

impl Scale {
    /// The scale of all numbers of some grids.
    fn of(grids: &[&Integers]) -> Self {
        let mut known: Vec<(u64, u64)> = Vec::new();
        let mut too_many = false;
        let mut range = [u64::MAX, 0];
        let mut set = 0;
        // Most numbers are those of the cell before.
        let mut at = 0;
        let all = grids.iter().flat_map(|values| {
            let indices = 0..values.len();
            indices.filter_map(|index| values.get(index))
        });
        for value in all {
            set += u64::from(value != 0);
            if !too_many && known.get(at).is_none_or(|(last, _)| *last != value) {
                match known.binary_search_by_key(&value, |(known, _)| *known) {
                    Ok(found) => at = found,
                    Err(_) if known.len() == MAX_VALUES => too_many = true,
                    Err(place) => {
                        known.insert(place, (value, 0));
                        at = place;
                    }
                }
            }
            if too_many {
                range = [range[0].min(value), range[1].max(value)];
            } else if let Some((_, count)) = known.get_mut(at) {
                *count += 1;
            }
        }
        for (value, _) in &known {
            range = [range[0].min(*value), range[1].max(*value)];
        }
        let mut bounds = if too_many {
            step_bounds(grids)
        } else {
            Vec::new()
        };
        // Where many cells have the lowest number, nothing is below it.
        bounds.retain(|bound| *bound > range[0]);
        Self {
            range: if range[0] > range[1] { [0; 2] } else { range },
            values: if too_many { Vec::new() } else { known },
            set,
            bounds,
            palette: Vec::new(),
        }
    }
}

/// Numbers between which about as many cells are.
fn step_bounds(grids: &[&Integers]) -> Vec<u64> {
    let count: usize = grids.iter().map(|values| values.len()).sum();
    let get = |mut index: usize| {
        for values in grids {
            match index.checked_sub(values.len()) {
                Some(left) => index = left,
                None => return values.get(index),
            }
        }
        None
    };
    // All over the map, and not only in some columns.
    let golden = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = |i: usize| (u128::from(golden(i)) * count as u128) >> 64;
    let looked_at = (0..LOOKED_AT).filter_map(|i| get(place(i) as usize));
    let mut sample: Vec<u64> = looked_at.collect();
    sample.sort_unstable();
    let bounds = (1..STEPS).filter_map(|step| sample.get(step * sample.len() / STEPS));
    let mut bounds: Vec<u64> = bounds.copied().collect();
    bounds.dedup();
    bounds
}

/// A connected part of a zone, as far as its rows were seen.
#[derive(Debug, Clone, Copy)]
struct Part {
    zone: usize,
    cells: u64,
    /// The sum of all columns and rows.
    sums: [u64; 2],
    /// Length, first column and row of the longest run of cells beside each other.
    longest: [u32; 3],
}

/// A run of cells of a zone that are beside each other in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    from: u32,
    to: u32,
    part: usize,
}

/// Adds where zones are in a grid. Parts that meet only further down count as two.
fn count_zones(number: usize, grid: &Grid, zones: &mut [ZoneCounts]) {
    let [width, height] = grid.size;
    let mut best: Vec<Option<Part>> = vec![None; zones.len()];
    let mut finish = |part: &Part| {
        if let Some(best) = best.get_mut(part.zone)
            && best.is_none_or(|best| best.cells < part.cells)
        {
            *best = Some(*part);
        }
    };
    // Those of the row above, and where in the list of this row they went.
    let (mut above, mut parts_above): (Vec<Run>, Vec<(Part, Option<usize>)>) = Default::default();
    let mut bounds: Vec<Option<[[u32; 2]; 2]>> = vec![None; zones.len()];
    for row in 0..height {
        let (mut runs, mut parts): (Vec<Run>, Vec<(Part, Option<usize>)>) = Default::default();
        let first = row as usize * width as usize;
        let zone_at = |column: u32| grid.values.get(first + column as usize);
        let mut first_above = 0;
        let mut column = 0;
        while column < width {
            let from = column;
            let zone = zone_at(from);
            column += 1;
            while column < width && zone_at(column) == zone {
                column += 1;
            }
            let zone = zone.and_then(|zone| usize::try_from(zone).ok());
            let Some((zone, counts)) = zone.and_then(|zone| Some((zone, zones.get_mut(zone)?)))
            else {
                continue;
            };
            let length = u64::from(column - from);
            counts.cells += length;
            let here = [[from, row], [column - 1, row]];
            if let Some(bounds) = bounds.get_mut(zone) {
                let [min, max] = bounds.unwrap_or(here);
                *bounds = Some([[min[0].min(from), min[1]], [max[0].max(column - 1), row]]);
            }
            while above.get(first_above).is_some_and(|run| run.to <= from) {
                first_above += 1;
            }
            let touching = above.get(first_above..).unwrap_or_default().iter();
            let mut touching = touching.take_while(|run| run.from < column);
            let joined = touching.find(|run| {
                let part = parts_above.get(run.part);
                part.is_some_and(|(part, _)| part.zone == zone)
            });
            let part = joined.and_then(|run| {
                let (part, moved) = parts_above.get_mut(run.part)?;
                Some(*moved.get_or_insert_with(|| {
                    parts.push((*part, None));
                    parts.len() - 1
                }))
            });
            let part = part.unwrap_or_else(|| {
                let part = Part {
                    zone,
                    cells: 0,
                    sums: [0; 2],
                    longest: [0; 3],
                };
                parts.push((part, None));
                parts.len() - 1
            });
            if let Some((part, _)) = parts.get_mut(part) {
                part.cells += length;
                part.sums[0] += length * (u64::from(from) * 2 + length - 1) / 2;
                part.sums[1] += length * u64::from(row);
                if length > u64::from(part.longest[0]) {
                    part.longest = [column - from, from, row];
                }
            }
            let to = column;
            runs.push(Run { from, to, part });
        }
        let ended = parts_above.iter().filter(|(_, moved)| moved.is_none());
        ended.for_each(|(part, _)| finish(part));
        (above, parts_above) = (runs, parts);
    }
    for (part, _) in &parts_above {
        finish(part);
    }
    for (zone, (part, bounds)) in best.into_iter().zip(bounds).enumerate() {
        let Some(counts) = zones.get_mut(zone) else {
            continue;
        };
        counts.bounds.extend(bounds.map(|bounds| (number, bounds)));
        if let Some(part) = part {
            let center = part.sums.map(|sum| (sum / part.cells.max(1)) as u32);
            let index = center[1] as usize * width as usize + center[0] as usize;
            let [length, from, row] = part.longest;
            // The middle of a ring is not in it.
            let is_in = grid.values.get(index) == Some(zone as u64);
            let middle = if is_in {
                center
            } else {
                [from + length / 2, row]
            };
            counts.middle.get_or_insert((number, middle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::sample;

    #[test]
    fn every_use_of_a_tile_is_counted() {
        let map = sample::made_up();
        // The ground, the roof and the layer that is not drawn.
        assert_eq!(map.counts().uses, [vec![7, 2, 3, 2, 1]]);
        assert_eq!(map.counts().empty, [1, 1, 0]);
        assert_eq!(map.tilesets[0].tile_count(), 4);
    }

    #[test]
    fn numbers_beyond_the_tileset_do_not_count() {
        let mut map = sample::made_up();
        map.layers[0].cells[0] = Cell(4000);
        assert_eq!(map.counts().uses[0][0], 6);
        assert_eq!(map.counts().empty[0], 2, "nothing is seen there");
    }

    #[test]
    fn zones_are_where_their_cells_and_areas_are() {
        let map = sample::made_up();
        let [_, meadow, other] = map.zone_counts() else {
            panic!("three zones");
        };
        assert_eq!((meadow.cells, other.cells), (5, 0));
        assert_eq!(meadow.bounds, [(1, [[0, 0], [2, 2]])]);
        assert_eq!(meadow.middle, Some((1, [1, 1])));
        assert_eq!(other.areas, [2]);
    }

    #[test]
    fn the_name_of_a_ring_is_on_it() {
        let ring = [1, 1, 1, 1, 0, 1, 1, 1, 1];
        let mut map = sample::made_up();
        map.grids[1].size = [3, 3];
        map.grids[1].values = Integers::U8(ring.to_vec());
        let (_, [x, y]) = map.zone_counts()[1].middle.unwrap();
        assert_eq!(ring[(y * 3 + x) as usize], 1);
    }

    #[test]
    fn of_two_parts_the_larger_one_has_the_name() {
        let mut map = sample::made_up();
        map.grids[1].size = [6, 2];
        let row = [1, 0, 0, 1, 1, 1];
        map.grids[1].values = Integers::U16([row, row].concat());
        assert_eq!(map.zone_counts()[1].middle.unwrap().1, [4, 0]);
    }

    #[test]
    fn few_numbers_are_kept_and_of_many_the_range() {
        let few = Scale::of(&[&Integers::U8(vec![3, 3, 0, 9])]);
        assert_eq!(few.values, [(0, 1), (3, 2), (9, 1)]);
        assert_eq!((few.range, few.set), ([0, 9], 3));
        let many = Scale::of(&[&Integers::U64((5..500).collect())]);
        assert!(many.values.is_empty());
        assert_eq!((many.range, many.set), ([5, 499], 495));
        assert_eq!(Scale::of(&[&Integers::U32(Vec::new())]).range, [0, 0]);
    }
}
