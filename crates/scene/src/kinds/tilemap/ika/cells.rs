//! Cells of layers, and the numbers that they were in the file.

use crate::kinds::tilemap::making::sha256;
use crate::kinds::tilemap::{Cell, Tileset};

/// What the tile numbers of a layer are in the file.
#[derive(Debug)]
pub(super) struct Numbers {
    /// How many the file has.
    count: usize,
    /// All of them; none where they are the numbers of the cells' images.
    own: Option<Vec<u32>>,
    /// Below which they should be.
    limit: u32,
    /// How many of them are not, and the first one's index and number.
    outside: Option<(usize, usize, u32)>,
}

impl Numbers {
    /// Turns tile numbers into cells. Numbers that the tileset does not have become the image
    /// that stands for such; they are outside of it unless it only lacks those of the `promised` tiles that
    /// could not be read.
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
            let tiles_outside = tiles.iter().enumerate();
            let mut tiles_outside = tiles_outside.filter(|(_, number)| **number >= numbers.limit);
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

    /// How many numbers the tileset does not have, and the first one's index and number.
    pub(super) fn outside(&self) -> Option<(usize, usize, u32)> {
        self.outside
    }

    /// Below which number they should be: as many tiles as the tileset has, or was to have.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// How many tiles the file has.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of a tile in the file, where it may be another than that of its cell's image.
    pub(super) fn own(&self, index: usize) -> Option<u32> {
        self.own.as_ref()?.get(index).copied()
    }

    /// All of them.
    pub(super) fn all<'a>(&'a self, cells: &'a [Cell]) -> &'a [u32] {
        let cells: &[u32] = bytemuck::cast_slice(cells);
        let of_cells = || cells.get(..self.count).unwrap_or(cells);
        self.own.as_deref().unwrap_or_else(of_cells)
    }

    /// The SHA-256 of the numbers, four bytes each, the lowest first.
    pub(super) fn sha256(&self, cells: &[Cell]) -> String {
        let numbers = self.all(cells);
        if cfg!(target_endian = "big") {
            let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
            return sha256(&bytes);
        }
        sha256(bytemuck::cast_slice(numbers))
    }

    /// Bytes of memory that they take beside the cells.
    pub(super) fn cpu_bytes(&self) -> u64 {
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
        let hash = numbers.sha256(&cells);
        let bytes: Vec<u8> = [3, 4, u32::MAX, 0]
            .iter()
            .flat_map(|number: &u32| number.to_le_bytes())
            .collect();
        assert_eq!(hash, sha256(&bytes));
        assert_eq!(numbers.cpu_bytes(), 16);
        // One of those that the tileset was to have is not outside of it.
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
        assert_eq!(numbers.sha256(&cells), sha256(&[3, 0, 0, 0, 0, 0, 0, 0]));
    }
}
