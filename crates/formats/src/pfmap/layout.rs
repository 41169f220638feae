//! Positions of the tiles in the text of a file.
//!
//! The file has tiles in runs of 32, each a row of a chunk. In almost every map tiles are one space
//! or line end apart, and all runs are alike. A few bytes describe such a layout, however large the
//! map is.

use std::ops::Range;

use super::{CHUNK_SIDE, TILE_CHARS};

/// Number of tiles in a run.
pub(super) const RUN: usize = CHUNK_SIDE as usize;

/// Characters of a tile and the separator after it.
pub(super) const TILE_STEP: usize = TILE_CHARS + 1;

/// Line ends in a run with the given number of tiles on each line and the rest on its own line
/// ([`Run::breaks`]).
pub(super) fn line_breaks(tiles_per_line: u32) -> u32 {
    let ends_line = |tile: &u32| *tile == CHUNK_SIDE || tile.is_multiple_of(tiles_per_line);
    (1..=CHUNK_SIDE)
        .filter(ends_line)
        .fold(0, |breaks, tile| breaks | 1 << (tile - 1))
}

/// The layout of a file's tiles in its text. It gives the place of each tile, and the file can be
/// written as it was read. Tiles are counted in file order here, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    form: Form,
    /// Tiles missing from the text, in file order; each range has the place where it belongs.
    gaps: Vec<(Range<usize>, (u64, u32))>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// Every run begins a line and has the same line ends.
    Regular { first_line: u64, breaks: u32 },
    /// A list of runs. `scattered` has exact places of the tiles of irregular runs, with more than
    /// one character between tiles or with tiles of a wrong length: line relative to that of the
    /// run, and column.
    Runs {
        runs: Vec<Run>,
        scattered: Vec<(usize, [(u32, u32); RUN])>,
    },
}

/// The beginning of a run, and the tiles that are followed by a line end (bit 0 for the first).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub line: u64,
    pub column: u32,
    pub breaks: u32,
}

impl Run {
    /// Line and column of a tile of the run, if its tiles are one character apart.
    fn place(self, tile: usize) -> (u64, u32) {
        let before = self.breaks & ((1 << tile) - 1);
        match before.checked_ilog2() {
            None => (
                self.line,
                self.column.saturating_add((TILE_STEP * tile) as u32),
            ),
            Some(last) => (
                self.line + u64::from(before.count_ones()),
                1 + TILE_STEP as u32 * (tile as u32 - last - 1),
            ),
        }
    }
}

impl Layout {
    /// Returns the layout of a file whose first tile begins `first_line` (from 1) and that has the
    /// given number of tiles on each line. The rest of 32 is on its own line.
    pub fn regular(first_line: u64, tiles_per_line: u32) -> Self {
        Self {
            form: Form::Regular {
                first_line,
                breaks: line_breaks(tiles_per_line),
            },
            gaps: Vec::new(),
        }
    }

    /// Ranges of the tiles that are missing from the text.
    pub(super) fn gaps(&self) -> impl Iterator<Item = Range<usize>> {
        self.gaps.iter().map(|(tiles, _)| tiles.clone())
    }

    /// The place of a missing tile.
    pub(super) fn gap_at(&self, tile: usize) -> Option<(u64, u32)> {
        let before = self.gaps.partition_point(|(tiles, _)| tiles.end <= tile);
        let (tiles, place) = self.gaps.get(before)?;
        tiles.contains(&tile).then_some(*place)
    }

    /// Line and column of a tile, both from 1; for a missing tile, the place where it belongs.
    pub fn place(&self, tile: usize) -> (u64, u32) {
        if let Some(place) = self.gap_at(tile) {
            return place;
        }
        let (run, tile) = (tile / RUN, tile % RUN);
        match &self.form {
            Form::Regular { first_line, breaks } => Run {
                line: first_line + run as u64 * u64::from(breaks.count_ones()),
                column: 1,
                breaks: *breaks,
            }
            .place(tile),
            Form::Runs { runs, scattered } => {
                let Some(start) = runs.get(run) else {
                    return (1, 1);
                };
                match scattered.binary_search_by_key(&run, |(run, _)| *run) {
                    Ok(at) => {
                        let (line, column) = scattered[at].1[tile];
                        (start.line + u64::from(line), column)
                    }
                    Err(_) => start.place(tile),
                }
            }
        }
    }

    /// Returns the tile whose characters are at a line and column, both from 1. In a place where
    /// tiles are missing and no tile begins, returns the first missing one.
    pub fn tile_at(&self, line: u64, column: u32) -> Option<usize> {
        let at = (line, column);
        let gap = self.gaps.iter().find(|(_, place)| *place == at);
        let held = self
            .held_tile_at(line, column)
            .filter(|tile| gap.is_none() || self.place(*tile) == at);
        held.or_else(|| Some(gap?.0.start))
    }

    fn held_tile_at(&self, line: u64, column: u32) -> Option<usize> {
        let run = match &self.form {
            Form::Regular { first_line, breaks } => {
                usize::try_from(line.checked_sub(*first_line)? / u64::from(breaks.count_ones()))
                    .ok()?
            }
            Form::Runs { runs, .. } => runs
                .partition_point(|run| (run.line, run.column) <= (line, column))
                .checked_sub(1)?,
        };
        let first = run.checked_mul(RUN)?;
        // Backwards, since a word that is too short ends before the next one begins.
        (first..first.saturating_add(RUN)).rev().find(|tile| {
            let (tile_line, start) = self.place(*tile);
            let columns = start..start.saturating_add(TILE_CHARS as u32);
            tile_line == line && columns.contains(&column) && self.gap_at(*tile).is_none()
        })
    }

    /// Line ends of a run (bit 0 for the first tile). A run outside the text has the same as any
    /// other.
    pub(super) fn breaks(&self, run: usize) -> u32 {
        match &self.form {
            Form::Regular { breaks, .. } => *breaks,
            Form::Runs { runs, .. } => runs.get(run).map_or(1 << (RUN - 1), |run| run.breaks),
        }
    }
}

/// Builds the layout of a file while it is read.
#[derive(Debug, Default)]
pub(super) struct LayoutBuilder {
    runs: Vec<Run>,
    scattered: Vec<(usize, [(u32, u32); RUN])>,
    gaps: Vec<(Range<usize>, (u64, u32))>,
}

impl LayoutBuilder {
    /// Adds tiles after those added so far that are missing from the text, and the place where they
    /// belong.
    pub(super) fn add_gap(&mut self, tiles: Range<usize>, place: (u64, u32)) {
        if !tiles.is_empty() {
            self.gaps.push((tiles, place));
        }
    }

    /// Adds the next run, its tiles one space or line end apart. `begins_line` is set if a line end
    /// precedes it.
    #[inline]
    pub(super) fn push(&mut self, run: Run, begins_line: bool) {
        if let Some(before) = self.runs.last_mut()
            && begins_line
        {
            before.breaks |= 1 << (RUN - 1);
        }
        self.runs.push(run);
    }

    /// Adds the next run by the places of its tiles (at most 32). In a run with missing tiles,
    /// `breaks` has the line ends of all other runs of the file.
    pub(super) fn push_places(
        &mut self,
        places: &[(u64, u32)],
        breaks: Option<u32>,
        begins_line: bool,
    ) {
        let Some(&(line, column)) = places.first() else {
            return;
        };
        let breaks = breaks.unwrap_or_else(|| {
            let pairs = places.windows(2).enumerate();
            let ends = pairs.filter(|(_, pair)| pair[0].0 != pair[1].0);
            ends.fold(0, |breaks, (tile, _)| breaks | 1 << tile)
        });
        let run = Run {
            line,
            column,
            breaks,
        };
        let exact = |(tile, place): (usize, &(u64, u32))| run.place(tile) == *place;
        if !places.iter().enumerate().all(exact) {
            let mut offsets = [(0, 0); RUN];
            for (offset, place) in offsets.iter_mut().zip(places) {
                *offset = (u32::try_from(place.0 - line).unwrap_or(u32::MAX), place.1);
            }
            self.scattered.push((self.runs.len(), offsets));
        }
        self.push(run, begins_line);
    }

    /// Returns the layout of the whole file.
    pub(super) fn finish(mut self) -> Layout {
        // The end of the file also ends the last line.
        if let Some(last) = self.runs.last_mut() {
            last.breaks |= 1 << (RUN - 1);
        }
        let form = match self.runs.first() {
            Some(first) if self.is_regular(*first) => Form::Regular {
                first_line: first.line,
                breaks: first.breaks,
            },
            _ => Form::Runs {
                runs: self.runs,
                scattered: self.scattered,
            },
        };
        Layout {
            form,
            gaps: self.gaps,
        }
    }

    fn is_regular(&self, first: Run) -> bool {
        let lines = u64::from(first.breaks.count_ones());
        self.scattered.is_empty()
            && first.column == 1
            && first.breaks >> (RUN - 1) == 1
            && self.runs.iter().enumerate().all(|(i, run)| {
                *run == Run {
                    line: first.line + i as u64 * lines,
                    ..first
                }
            })
    }
}
