//! Cells of a layer in Tiled's numbering, computed one at a time: a layer may have millions.

use mapscope_scene::tilemap::{Cell, Grid, Layer, Pass};

/// Orientation bits of a cell and their Tiled flags. Tiled also swaps the axes first and then
/// mirrors.
const TURNS: [(u32, u32); 3] = [
    (Cell::MIRROR_X, 1 << 31),
    (Cell::MIRROR_Y, 1 << 30),
    (Cell::SWAP_AXES, 1 << 29),
];

/// The cells of a layer on the grid of the map.
#[derive(Debug)]
pub(super) struct Cells<'a> {
    pub(super) of: Of<'a>,
    /// The global number of the tileset's first tile.
    pub(super) first_gid: u32,
    /// Size of each cell in cells of the map.
    pub(super) span: [u32; 2],
}

/// The source of the cells.
#[derive(Debug)]
pub(super) enum Of<'a> {
    /// The cells of a layer that one pass draws.
    Layer {
        layer: &'a Layer,
        pass: Pass,
        skips_zero: bool,
    },
    /// A grid, whose values other than 0 are tiles in the order of `values`.
    Grid { grid: &'a Grid, values: Vec<u64> },
}

impl Cells<'_> {
    /// The global tile id with flip flags in a cell of the map; 0 if it is empty.
    ///
    /// Tiled aligns the lower left corner of a tile larger than a cell with that of the cell.
    pub(super) fn gid(&self, at: [u32; 2]) -> u32 {
        let [wide, high] = self.span.map(|span| span.max(1));
        if !at[0].is_multiple_of(wide) || at[1] % high != high - 1 {
            return 0;
        }
        let at = [at[0] / wide, at[1] / high];
        match &self.of {
            Of::Layer {
                layer,
                pass,
                skips_zero,
            } => {
                let cell = layer.cell_at(at.map(i64::from)).map(|(cell, _)| cell);
                let cell = cell.filter(|cell| pass.draws(*cell, *skips_zero));
                cell.map_or(0, |cell| self.of_cell(cell))
            }
            Of::Grid { grid, values } => {
                let [x, y] = at;
                let is_inside = x < grid.size[0] && y < grid.size[1];
                let index = y as usize * grid.size[0] as usize + x as usize;
                let value = grid.values.get(index).filter(|_| is_inside);
                let tile = value.and_then(|value| values.binary_search(&value).ok());
                tile.map_or(0, |tile| self.first_gid + tile as u32)
            }
        }
    }

    fn of_cell(&self, cell: Cell) -> u32 {
        let Some(image) = cell.image().filter(|_| self.first_gid > 0) else {
            return 0;
        };
        let turns = TURNS.iter().filter(|(ours, _)| cell.0 & ours != 0);
        let turns = turns.fold(0, |bits, (_, theirs)| bits | theirs);
        turns | (self.first_gid + image as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(cells: &[Cell], size: [u32; 2]) -> Layer {
        Layer {
            cells: cells.to_vec(),
            size,
            ..Layer::default()
        }
    }

    #[test]
    fn each_way_to_turn_a_tile_has_its_bits() {
        let turned: Vec<Cell> = (0..8).map(|turn| Cell(5 | turn << 24)).collect();
        let layer = layer(&turned, [8, 1]);
        let cells = Cells {
            of: Of::Layer {
                layer: &layer,
                pass: Pass::All,
                skips_zero: false,
            },
            first_gid: 3,
            span: [1, 1],
        };
        let gids: Vec<u32> = (0..8).map(|x| cells.gid([x, 0])).collect();
        // Horizontal, vertical, both, diagonal, and diagonal with each of them.
        let expected = [
            0x0000_0008,
            0x8000_0008,
            0x4000_0008,
            0xc000_0008,
            0x2000_0008,
            0xa000_0008,
            0x6000_0008,
            0xe000_0008,
        ];
        assert_eq!(gids, expected);
    }

    #[test]
    fn larger_tiles_stand_in_the_lower_left_of_their_cells() {
        let layer = layer(&[Cell(0), Cell(1)], [1, 2]);
        let cells = Cells {
            of: Of::Layer {
                layer: &layer,
                pass: Pass::All,
                skips_zero: true,
            },
            first_gid: 10,
            span: [2, 3],
        };
        let rows: Vec<[u32; 3]> = (0..7)
            .map(|y| [0, 1, 2].map(|x| cells.gid([x, y])))
            .collect();
        let mut expected = vec![[0; 3]; 7];
        expected[5][0] = 11;
        assert_eq!(rows, expected);
    }

    #[test]
    fn passes_share_the_cells_of_a_layer() {
        let layer = layer(&[Cell(2), Cell(3 | Cell::PRIORITY), Cell::EMPTY], [3, 1]);
        let gids = |pass| {
            let cells = Cells {
                of: Of::Layer {
                    layer: &layer,
                    pass,
                    skips_zero: false,
                },
                first_gid: 1,
                span: [1, 1],
            };
            [0, 1, 2].map(|x| cells.gid([x, 0]))
        };
        assert_eq!(gids(Pass::Normal), [3, 0, 0]);
        assert_eq!(gids(Pass::Priority), [0, 4, 0]);
    }
}
