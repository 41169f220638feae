//! Cells: the image and orientation of a tile.

use bytemuck::{Pod, Zeroable};

/// A cell of a layer in its GPU format.
///
/// Bits 0 to 23 are the index of an image in the tileset, all ones for an empty cell. Bit 24
/// mirrors horizontally, bit 25 vertically, and bit 26 exchanges the axes before that. Bit 27 draws
/// the cell with priority.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
pub struct Cell(pub u32);

impl Cell {
    /// A cell without a tile.
    pub const EMPTY: Self = Self(Self::NOTHING);
    /// The image index of an empty cell.
    pub const NOTHING: u32 = 0x00ff_ffff;
    /// Bit that mirrors horizontally.
    pub const MIRROR_X: u32 = 1 << 24;
    /// Bit that mirrors vertically.
    pub const MIRROR_Y: u32 = 1 << 25;
    /// Bit that exchanges the axes, before any mirroring.
    pub const SWAP_AXES: u32 = 1 << 26;
    /// Bit of priority.
    pub const PRIORITY: u32 = 1 << 27;

    /// Index of the image in the layer's tileset; `None` if the cell is empty.
    pub fn image(self) -> Option<usize> {
        let image = self.0 & Self::NOTHING;
        (image != Self::NOTHING).then_some(image as usize)
    }

    /// `true` if the cell is drawn above the objects of its layer.
    pub fn has_priority(self) -> bool {
        self.0 & Self::PRIORITY != 0
    }

    /// Its flags in words: orientation and priority. The axes are exchanged first, then the tile is
    /// flipped (fact sheet of `PixelPerfectEngine`, section 3).
    pub(super) fn flags_text(self) -> String {
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

    /// The same cell with its image upright.
    pub fn upright(self) -> Self {
        Self(self.0 & !(Self::MIRROR_X | Self::MIRROR_Y | Self::SWAP_AXES))
    }

    /// The image pixel that is shown at a pixel of the cell, for tiles of any size. The axes are
    /// exchanged first, then the image is mirrored horizontally, then vertically (fact sheet of
    /// `PixelPerfectEngine`, section 3).
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
            // Non-square tiles are stretched, as in the engine.
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
        // Rotated clockwise, the upper right corner shows the upper left one.
        assert_eq!(at(Cell::SWAP_AXES | Cell::MIRROR_X, [15, 0]), [0, 0]);
        assert_eq!(at(Cell::SWAP_AXES | Cell::MIRROR_X, [15, 15]), [15, 0]);
        // Rotated counter-clockwise, it shows the lower left one.
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
        let named = |flags: u32| Cell(flags).flags_text();
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
