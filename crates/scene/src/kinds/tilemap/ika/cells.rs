//! Cells of layers, and their original numbers in the file.

use crate::kinds::tilemap::{Cell, Tileset};

/// The tile numbers of a layer in the file.
#[derive(Debug, Clone)]
pub(in crate::kinds::tilemap) struct Numbers {
    /// Number of tiles in the file.
    count: usize,
    /// All numbers; `None` if they equal the image indices of the cells.
    own: Option<Vec<u32>>,
    /// Upper limit (exclusive) of valid numbers.
    limit: u32,
    /// Number of invalid numbers, and index and value of the first one.
    outside: Option<(usize, usize, u32)>,
}

impl Numbers {
    /// Converts tile numbers to cells. Numbers that the tileset lacks get the image for missing
    /// tiles. They are invalid unless they are below `promised`, the declared number of tiles.
    pub(super) fn into_cells(
        mut tiles: Vec<u32>,
        tileset: &Tileset,
        promised: u32,
    ) -> (Vec<Cell>, Self) {
        let missing = tileset.missing.unwrap_or(tileset.count) as u32;
        let mut numbers = Self {
            count: tiles.len(),
            own: None,
            limit: missing.max(promised),
            outside: None,
        };
        if tiles.iter().any(|number| *number >= missing) {
            let mut tiles_outside = tiles
                .iter()
                .enumerate()
                .filter(|(_, number)| **number >= numbers.limit);
            let first = tiles_outside.next();
            numbers.outside =
                first.map(|(index, number)| (1 + tiles_outside.count(), index, *number));
            numbers.own = Some(tiles.clone());
            for tile in &mut tiles {
                *tile = (*tile).min(missing);
            }
        }
        (bytemuck::allocation::cast_vec(tiles), numbers)
    }

    /// Number of invalid numbers, and index and value of the first one; `None` if all are valid.
    pub(super) fn outside(&self) -> Option<(usize, usize, u32)> {
        self.outside
    }

    /// Upper limit (exclusive) of valid numbers: the actual or declared number of tiles in the
    /// tileset.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// Number of tiles in the file.
    pub(in crate::kinds::tilemap) fn count(&self) -> usize {
        self.count
    }

    /// The number of a tile in the file, if it may differ from the image index of its cell.
    pub(in crate::kinds::tilemap) fn own(&self, index: usize) -> Option<u32> {
        self.own.as_ref()?.get(index).copied()
    }

    /// All numbers.
    pub(in crate::kinds::tilemap) fn all<'a>(&'a self, cells: &'a [Cell]) -> &'a [u32] {
        let cells: &[u32] = bytemuck::cast_slice(cells);
        let of_cells = || cells.get(..self.count).unwrap_or(cells);
        self.own.as_deref().unwrap_or_else(of_cells)
    }

    /// Bytes of memory that they take in addition to the cells.
    pub(in crate::kinds::tilemap) fn cpu_bytes(&self) -> u64 {
        self.own.as_ref().map_or(0, |own| own.len() as u64 * 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_tileset_are_kept() {
        let tileset = Tileset {
            count: 5,
            missing: Some(4),
            ..Tileset::default()
        };
        let (cells, numbers) = Numbers::into_cells(vec![3, 4, u32::MAX, 0], &tileset, 4);
        assert_eq!(cells, [3, 4, 4, 0].map(Cell));
        assert_eq!(numbers.outside(), Some((2, 1, 4)));
        assert_eq!((numbers.own(2), numbers.count()), (Some(u32::MAX), 4));
        assert_eq!(numbers.all(&cells), [3, 4, u32::MAX, 0]);
        assert_eq!(numbers.cpu_bytes(), 16);
        // Tiles that the tileset declares are not invalid.
        for (promised, outside) in [
            (5, Some((1, 2, u32::MAX))),
            (u32::MAX, Some((1, 2, u32::MAX))),
        ] {
            let tiles = vec![3, 4, u32::MAX, 0];
            let (same, numbers) = Numbers::into_cells(tiles, &tileset, promised);
            assert_eq!((same, numbers.outside()), (cells.clone(), outside));
        }
        let (_, numbers) = Numbers::into_cells(vec![4], &tileset, 5);
        assert_eq!((numbers.outside(), numbers.own(0)), (None, Some(4)));

        let (mut cells, numbers) = Numbers::into_cells(vec![3, 0], &tileset, 4);
        cells.push(Cell::EMPTY);
        assert_eq!(numbers.outside(), None);
        assert_eq!((numbers.own(0), numbers.count()), (None, 2));
        assert_eq!(numbers.all(&cells), [3, 0]);
    }
}
