//! Cells: which image of a tileset is shown in one, and which way round.

use bytemuck::{Pod, Zeroable};

/// A cell of a layer, as it is on the GPU.
///
/// Bits 0 to 23 are the number of an image of the tileset, all set for an empty cell; bit 24
/// mirrors it left to right, bit 25 upside down, bit 26 exchanges its axes before that, and bit
/// 27 has it drawn with priority.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Cell(pub u32);

impl Cell {
    /// A cell without a tile.
    pub const EMPTY: Self = Self(Self::NOTHING);
    /// The number of no image.
    pub const NOTHING: u32 = 0x00ff_ffff;
    /// Bit that mirrors left to right.
    pub const MIRROR_X: u32 = 1 << 24;
    /// Bit that mirrors upside down.
    pub const MIRROR_Y: u32 = 1 << 25;
    /// Bit that exchanges the axes, before any mirroring.
    pub const SWAP_AXES: u32 = 1 << 26;
    /// Bit of priority.
    pub const PRIORITY: u32 = 1 << 27;

    /// The image that it shows, an index into those of the layer's tileset; none if it is empty.
    pub fn image(self) -> Option<usize> {
        let image = self.0 & Self::NOTHING;
        (image != Self::NOTHING).then_some(image as usize)
    }

    /// Whether it is drawn above what stands on the layer.
    pub fn has_priority(self) -> bool {
        self.0 & Self::PRIORITY != 0
    }

    /// Its flags in words: how its tile is turned, and whether it has priority. The axes are exchanged
    /// first, then the tile is flipped (fact sheet of `PixelPerfectEngine`, section 3).
    pub(super) fn flags_said(self) -> String {
        let has = |bit: u32| self.0 & bit != 0;
        let turned = match [Self::SWAP_AXES, Self::MIRROR_X, Self::MIRROR_Y].map(has) {
            [false, false, false] => None,
            [false, true, false] => Some("flipped horizontally"),
            [false, false, true] => Some("flipped vertically"),
            [false, true, true] => Some("rotated 180°"),
            [true, false, false] => Some("flipped diagonally"),
            [true, true, false] => Some("rotated 90° clockwise"),
            [true, false, true] => Some("rotated 90° counter-clockwise"),
            [true, true, true] => Some("flipped diagonally, rotated 180°"),
        };
        let priority = has(Self::PRIORITY).then_some("with priority");
        let names: Vec<&str> = turned.into_iter().chain(priority).collect();
        names.join(", ")
    }

    /// The same with its image the right way round.
    pub fn upright(self) -> Self {
        Self(self.0 & !(Self::MIRROR_X | Self::MIRROR_Y | Self::SWAP_AXES))
    }

    /// The pixel of the image that is seen at a pixel of the cell, for square and other tiles of
    /// this size: first the axes are exchanged, then it is mirrored left to right, then upside
    /// down (fact sheet of `PixelPerfectEngine`, section 3).
    pub fn source_pixel(self, [x, y]: [u32; 2], [w, h]: [u32; 2]) -> [u32; 2] {
        let x = if self.0 & Self::MIRROR_X == 0 {
            x
        } else {
            w - 1 - x
        };
        let y = if self.0 & Self::MIRROR_Y == 0 {
            y
        } else {
            h - 1 - y
        };
        if self.0 & Self::SWAP_AXES == 0 {
            [x, y]
        } else {
            // Stretched where the tile is not square, as the engine does.
            [y * w / h, x * h / w]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_exchanged_before_mirroring() {
        let at = |flags: u32, pixel| Cell(flags).source_pixel(pixel, [16, 16]);
        // Turned a quarter clockwise, the upper right corner shows the upper left one.
        assert_eq!(at(Cell::SWAP_AXES | Cell::MIRROR_X, [15, 0]), [0, 0]);
        assert_eq!(at(Cell::SWAP_AXES | Cell::MIRROR_X, [15, 15]), [15, 0]);
        // And counter-clockwise the lower left one.
        assert_eq!(at(Cell::SWAP_AXES | Cell::MIRROR_Y, [0, 15]), [0, 0]);
        assert_eq!(at(Cell::MIRROR_X | Cell::MIRROR_Y, [3, 4]), [12, 11]);
        assert_eq!(at(0, [3, 4]), [3, 4]);
    }

    #[test]
    fn axes_of_tiles_that_are_not_square_are_stretched() {
        let cell = Cell(Cell::SWAP_AXES);
        assert_eq!(cell.source_pixel([31, 0], [32, 16]), [0, 15]);
        assert_eq!(cell.source_pixel([0, 15], [32, 16]), [30, 0]);
    }

    #[test]
    fn turned_tiles_are_named_as_editors_do() {
        let named = |flags: u32| Cell(flags).flags_said();
        assert_eq!(
            named(Cell::SWAP_AXES | Cell::MIRROR_X),
            "rotated 90° clockwise"
        );
        let other = Cell::SWAP_AXES | Cell::MIRROR_Y | Cell::PRIORITY;
        assert_eq!(named(other), "rotated 90° counter-clockwise, with priority");
        assert_eq!(named(Cell::MIRROR_X | Cell::MIRROR_Y), "rotated 180°");
        assert_eq!(named(Cell::MIRROR_X), "flipped horizontally");
        let all: Vec<String> = (0..8).map(|turn| named(turn << 24)).collect();
        for (at, name) in all.iter().enumerate() {
            assert!(!all[..at].contains(name), "{name}");
        }
    }
}
