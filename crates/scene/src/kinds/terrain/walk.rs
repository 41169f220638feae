//! Navigation between items.

use super::Terrain;
use crate::document::Walk;
use crate::{Direction, Item, Neighbor, TerrainItem};

impl Walk for Terrain {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let (rows, cols) = match direction {
            Direction::North => (-1, 0),
            Direction::East => (0, 1),
            Direction::South => (1, 0),
            Direction::West => (0, -1),
        };
        let beside = |row: u32, col: u32| {
            Some((row.checked_add_signed(rows)?, col.checked_add_signed(cols)?))
        };
        let neighbor = match item {
            Item::Terrain(TerrainItem::Tile { row, col }) => beside(row, col)
                .filter(|(row, col)| self.map.tile(*row, *col).is_some())
                .map(|(row, col)| TerrainItem::Tile { row, col }.into()),
            Item::Terrain(TerrainItem::Chunk { row, col }) => beside(row, col)
                .filter(|(row, col)| self.chunk_index(*row, *col).is_some())
                .map(|(row, col)| TerrainItem::Chunk { row, col }.into()),
            _ => None,
        };
        Neighbor {
            item: neighbor,
            name: None,
        }
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let members = self.members(kind)?;
        let count = self.map.tiles.len();
        let after = after
            .and_then(|item| self.tile_rc(item))
            .map(|(row, col)| row as usize * self.map.cols() as usize + col as usize);
        // Starts behind the current tile and wraps around to it.
        let first = after.map_or(0, |at| if backwards { at } else { at + 1 });
        let mut tiles = (first..count).chain(0..first.min(count));
        let is_member = |at: &usize| self.is_member(members, *at);
        let found = if backwards {
            tiles.rfind(is_member)
        } else {
            tiles.find(is_member)
        }?;
        let (row, col) = self.row_and_col(found);
        Some(TerrainItem::Tile { row, col }.into())
    }
}
