//! A tile to try things out on.

use crate::formats::pfmap::Tile;

/// A tile being edited and its eight neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileSandbox {
    /// Three rows of three tiles from the north-west; the one being edited is in the middle.
    pub tiles: [Tile; 9],
}
