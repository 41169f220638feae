//! Map flags and the cells whose bits they define (fact sheet 2, 3 and 8.1 to 8.7).

/// The raw bits of a cell without a tile and without attributes.
pub const EMPTY_CELL: u32 = Cell::NO_TILE as u32;

/// The flags of a map (document, "Currently used flags").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MapFlags(pub u32);

/// Bit layout of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Eight bits of attributes and eight of palette.
    Old,
    /// Twelve bits of palette and four of attributes.
    New,
}

impl Layout {
    /// `old` or `new`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

/// Compression of the bytes after the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Uncompressed.
    None,
    /// Runs of equal cells.
    Rle,
    /// Named in the document but not defined there; unreadable.
    Lzw,
    /// A zlib stream.
    Zlib,
    /// Zstandard frames.
    Zstd,
    /// More than one of these is set; unreadable.
    Several,
}

impl Compression {
    /// A short name, such as `zlib`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rle => "rle",
            Self::Lzw => "lzw",
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
            Self::Several => "several",
        }
    }
}

impl MapFlags {
    /// Old layout: the priority field holds user data. New layout: cells have logic attributes.
    pub const PRIORITY_USER_DATA_OR_LOGIC: u32 = 1;
    /// The palette field holds user data.
    pub const PALETTE_USER_DATA: u32 = 1 << 1;
    /// Old layout: bit 2 of the attributes exchanges the axes of the tile.
    pub const AXIS_SWITCH: u32 = 1 << 2;
    /// Cells have the new layout.
    pub const NEW_LAYOUT: u32 = 1 << 3;
    /// Cells have graphics attributes.
    pub const GRAPHICS: u32 = 1 << 4;
    /// The cells are run-length encoded.
    pub const RLE: u32 = 1 << 8;
    /// LZW, which no document defines.
    pub const LZW: u32 = 1 << 9;
    /// All bytes after the header are a zlib stream.
    pub const ZLIB: u32 = 1 << 10;
    /// All bytes after the header are Zstandard.
    pub const ZSTD: u32 = 1 << 11;
    /// All four kinds of compression.
    pub const COMPRESSIONS: u32 = Self::RLE | Self::LZW | Self::ZLIB | Self::ZSTD;
    /// Logic attributes have 8 bits, shifted left by this number.
    pub const LOGIC_SIZE: u32 = 3 << Self::LOGIC_SIZE_SHIFT;
    /// Bits that the document does not mention.
    pub const UNDEFINED: u32 = 0x00FC_F0E0;

    const LOGIC_SIZE_SHIFT: u32 = 16;

    /// Returns `true` if any of these bits is set.
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// The layout of cells.
    pub fn layout(self) -> Layout {
        if self.has(Self::NEW_LAYOUT) {
            Layout::New
        } else {
            Layout::Old
        }
    }

    /// The compression.
    pub fn compression(self) -> Compression {
        match self.0 & Self::COMPRESSIONS {
            0 => Compression::None,
            Self::RLE => Compression::Rle,
            Self::LZW => Compression::Lzw,
            Self::ZLIB => Compression::Zlib,
            Self::ZSTD => Compression::Zstd,
            _ => Compression::Several,
        }
    }

    /// Returns `true` if graphics attributes follow the cells, in the old layout too (fact sheet
    /// 8.4).
    pub fn has_graphics(self) -> bool {
        self.has(Self::GRAPHICS)
    }

    /// Number of bits in a logic attribute: 0 without logic attributes, as always in the old layout
    /// (fact sheet 8.3), otherwise 8, 16, 32 or 64.
    pub fn logic_bits(self) -> u32 {
        if self.layout() == Layout::New && self.has(Self::PRIORITY_USER_DATA_OR_LOGIC) {
            8 << ((self.0 & Self::LOGIC_SIZE) >> Self::LOGIC_SIZE_SHIFT)
        } else {
            0
        }
    }

    /// Bits 24 to 31, reserved for games.
    pub fn user(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// Lowest bit of the priority or user data in the attributes: above the mirrors and, if it is
    /// in use, the axis switch (fact sheet 8.2).
    fn old_priority_shift(self) -> u32 {
        if self.has(Self::AXIS_SWITCH) { 3 } else { 2 }
    }
}

/// A decoded cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cell {
    /// Identifier of the tile, which differs from its index in a sheet. [`Cell::NO_TILE`] means no
    /// tile.
    pub tile_id: u16,
    /// The palette; 0 if its field holds user data.
    pub palette: u16,
    /// Mirrors left and right, after the axis switch.
    pub mirror_h: bool,
    /// Mirrors top and bottom, after the axis switch.
    pub mirror_v: bool,
    /// Exchanges the axes of the tile: a transpose, before the mirrors.
    pub axis_switch: bool,
    /// Drawing priority. Cells with a priority above 0 are drawn after all others of the layer; 0
    /// if the field holds user data. At most 31 in the old layout (63 without axis switch), 1 in
    /// the new one.
    pub priority: u8,
    /// Content of the priority field if it is user data.
    pub priority_user_data: Option<u8>,
    /// Content of the palette field if it is user data.
    pub palette_user_data: Option<u16>,
}

impl Cell {
    /// The identifier for "no tile".
    pub const NO_TILE: u16 = 0xFFFF;

    /// Returns `true` if the cell has no tile.
    pub fn is_empty(self) -> bool {
        self.tile_id == Self::NO_TILE
    }

    /// Decodes the 32 bits of a cell, in the byte order of the machine.
    pub fn decode(raw: u32, flags: MapFlags) -> Self {
        // The document's drawing shows the bits of old attributes in reverse order compared with
        // the code (fact sheet 8.1).
        let (mirrors, axis_switch, priority, palette) = match flags.layout() {
            Layout::Old => {
                let attributes = raw >> 16 & 0xFF;
                let axis_switch = flags.has(MapFlags::AXIS_SWITCH) && attributes & 4 != 0;
                let priority = attributes >> flags.old_priority_shift();
                (attributes, axis_switch, priority, raw >> 24)
            }
            Layout::New => {
                let attributes = raw >> 28;
                let axis_switch = attributes & 4 != 0;
                (attributes, axis_switch, attributes >> 3, raw >> 16 & 0xFFF)
            }
        };
        let (priority, palette) = (priority as u8, palette as u16);
        let is_priority_free = flags.priority_is_user_data();
        let is_palette_free = flags.has(MapFlags::PALETTE_USER_DATA);
        Self {
            tile_id: raw as u16,
            palette: if is_palette_free { 0 } else { palette },
            mirror_h: mirrors & 1 != 0,
            mirror_v: mirrors & 2 != 0,
            axis_switch,
            priority: if is_priority_free { 0 } else { priority },
            priority_user_data: is_priority_free.then_some(priority),
            palette_user_data: is_palette_free.then_some(palette),
        }
    }

    /// Encodes the cell into 32 bits. Values too large for their field are truncated.
    pub fn encode(self, flags: MapFlags) -> u32 {
        let priority = u32::from(self.priority_user_data.unwrap_or(self.priority));
        let palette = u32::from(self.palette_user_data.unwrap_or(self.palette));
        let mirrors = u32::from(self.mirror_h) | u32::from(self.mirror_v) << 1;
        let axis_switch = u32::from(self.axis_switch) << 2;
        let above_tile = match flags.layout() {
            Layout::Old => {
                let axis_switch = axis_switch & flags.0 & MapFlags::AXIS_SWITCH;
                let priority = priority << flags.old_priority_shift() & 0xFF;
                mirrors | axis_switch | priority | (palette & 0xFF) << 8
            }
            Layout::New => palette & 0xFFF | (mirrors | axis_switch | (priority & 1) << 3) << 12,
        };
        u32::from(self.tile_id) | above_tile << 16
    }
}

impl MapFlags {
    /// Returns `true` if the priority of cells is user data.
    pub fn priority_is_user_data(self) -> bool {
        self.layout() == Layout::Old && self.has(Self::PRIORITY_USER_DATA_OR_LOGIC)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(raw: u32, flags: u32) -> Cell {
        Cell::decode(raw, MapFlags(flags))
    }

    #[test]
    fn old_cells_have_the_bits_of_the_code() {
        let tile = Cell {
            tile_id: 0x1234,
            ..Cell::default()
        };
        assert_eq!(cell(0x1234, 0), tile);
        let is = |raw: u32, flags: u32, expected: Cell| {
            assert_eq!(cell(raw, flags), expected, "{raw:#x} {flags:#x}");
        };
        let mirror_h = Cell {
            mirror_h: true,
            ..tile
        };
        let mirror_v = Cell {
            mirror_v: true,
            ..tile
        };
        is(0x0001_1234, 0, mirror_h);
        is(0x0002_1234, 0, mirror_v);
        is(
            0xAB00_1234,
            0,
            Cell {
                palette: 0xAB,
                ..tile
            },
        );
        // Bit 2 is the axis switch only if the flag is set.
        is(
            0x0004_1234,
            0,
            Cell {
                priority: 1,
                ..tile
            },
        );
        is(
            0x00FC_1234,
            0,
            Cell {
                priority: 63,
                ..tile
            },
        );
        is(
            0x0004_1234,
            4,
            Cell {
                axis_switch: true,
                ..tile
            },
        );
        is(
            0x00F8_1234,
            4,
            Cell {
                priority: 31,
                ..tile
            },
        );
        // User data is not a priority.
        let user = |data| Cell {
            priority_user_data: Some(data),
            ..tile
        };
        is(0x0004_1234, 1, user(1));
        is(0x00F8_1234, 5, user(31));
        is(
            0x5600_1234,
            2,
            Cell {
                palette_user_data: Some(0x56),
                ..tile
            },
        );
    }

    #[test]
    fn new_cells_have_four_bits_on_top() {
        let tile = Cell {
            tile_id: 0xFFFE,
            ..Cell::default()
        };
        for flags in [8, 8 | 1, 8 | 4] {
            let is = |raw: u32, expected: Cell| assert_eq!(cell(raw, flags), expected, "{raw:#x}");
            is(
                0x0ABC_FFFE,
                Cell {
                    palette: 0xABC,
                    ..tile
                },
            );
            is(
                0x1000_FFFE,
                Cell {
                    mirror_h: true,
                    ..tile
                },
            );
            is(
                0x2000_FFFE,
                Cell {
                    mirror_v: true,
                    ..tile
                },
            );
            is(
                0x4000_FFFE,
                Cell {
                    axis_switch: true,
                    ..tile
                },
            );
            is(
                0x8000_FFFE,
                Cell {
                    priority: 1,
                    ..tile
                },
            );
        }
        let user = Cell {
            palette_user_data: Some(0xFFF),
            ..tile
        };
        assert_eq!(cell(0x0FFF_FFFE, 10), user);
        assert!(cell(0xFFFF, 8).is_empty() && !tile.is_empty());
        assert!(cell(EMPTY_CELL, 0).is_empty());
    }

    #[test]
    fn cells_come_back_from_any_bits() {
        let mut raw = 1_u32;
        for flags in 0..16 {
            for _ in 0..10_000 {
                raw = raw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                assert_eq!(cell(raw, flags).encode(MapFlags(flags)), raw, "{flags}");
            }
        }
        let wide = Cell {
            palette: 0xFFFF,
            priority: 0xFF,
            ..Cell::default()
        };
        assert_eq!(wide.encode(MapFlags(8)), 0x8FFF_0000);
        assert_eq!(wide.encode(MapFlags(0)), 0xFFFC_0000);
    }

    #[test]
    fn sections_depend_on_flags() {
        assert_eq!(MapFlags(1).logic_bits(), 0, "user data in the old layout");
        assert_eq!(
            MapFlags(0x3_0008).logic_bits(),
            0,
            "a size without attributes"
        );
        for (size, bits) in [(0, 8), (0x1_0000, 16), (0x2_0000, 32), (0x3_0000, 64)] {
            assert_eq!(MapFlags(9 | size).logic_bits(), bits);
        }
        assert!(MapFlags(0x10).has_graphics() && MapFlags(0x18).has_graphics());
        assert_eq!(MapFlags(0x900).compression(), Compression::Several);
        let of = |flags| MapFlags(flags).compression().name();
        let names = [0, 0x100, 0x200, 0x400, 0x800].map(of);
        assert_eq!(names, ["none", "rle", "lzw", "zlib", "zstd"]);
        assert_eq!(MapFlags(0xA500_0000).user(), 0xA5);
        let defined = 0x1F | MapFlags::COMPRESSIONS | MapFlags::LOGIC_SIZE | 0xFF00_0000;
        assert_eq!(MapFlags::UNDEFINED, !defined);
    }
}
