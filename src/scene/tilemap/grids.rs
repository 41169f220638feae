//! The numbers of grids as colours.

use super::{GridKind, TileMap};

/// What is obstructed.
const OBSTRUCTED: [u8; 4] = [235, 64, 52, 130];

impl TileMap {
    /// The colours that stand for the numbers of a grid, row by row: red, green, blue and opacity.
    /// Where there is nothing to see, opacity is 0.
    pub fn grid_colors(&self, grid: usize) -> Vec<[u8; 4]> {
        let Some(grid) = self.grids.get(grid) else {
            return Vec::new();
        };
        let number = |index| grid.values.get(index).unwrap_or_default();
        let colors = (0..grid.values.len()).map(|index| match (grid.kind, number(index)) {
            (_, 0) => [0; 4],
            (GridKind::Obstruction, _) => OBSTRUCTED,
            (GridKind::Zones | GridKind::Logic, number) => color_of(number),
        });
        colors.collect()
    }
}

/// A colour that is not like that of the numbers next to it.
fn color_of(number: u64) -> [u8; 4] {
    let hue = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 / (1 << 24) as f32 * 6.0;
    let channel = |shift: f32| {
        let distance = ((hue + shift) % 6.0 - 3.0).abs() - 1.0;
        (distance.clamp(0.0, 1.0) * 200.0 + 40.0) as u8
    };
    [channel(0.0), channel(4.0), channel(2.0), 140]
}
