//! The palettes of the station. Colours have the same index in all of them, so that a tile with
//! another palette belongs to another part of the station.

pub(crate) const INK: u8 = 1;
/// Transparent, so that the stars are visible through it.
pub(crate) const GLASS: u8 = 2;
pub(crate) const GLEAM: u8 = 3;
/// Ramps of five colours from dark to light.
pub(crate) const WALL: [u8; 5] = [4, 5, 6, 7, 8];
pub(crate) const FLOOR: [u8; 5] = [9, 10, 11, 12, 13];
pub(crate) const ACCENT: [u8; 5] = [14, 15, 16, 17, 18];
pub(crate) const METAL: [u8; 5] = [19, 20, 21, 22, 23];
pub(crate) const PLANT: [u8; 4] = [24, 25, 26, 27];
pub(crate) const HAZARD: [u8; 2] = [28, 29];
pub(crate) const RED: u8 = 30;
pub(crate) const WHITE: u8 = 31;

/// The palettes by purpose.
pub(crate) const NAMES: [&str; 8] = [
    "steel", "engine", "garden", "clinic", "cargo", "reactor", "space", "sun",
];
pub(crate) const STEEL: u8 = 0;
pub(crate) const ENGINE: u8 = 1;
pub(crate) const GARDEN: u8 = 2;
pub(crate) const CLINIC: u8 = 3;
pub(crate) const CARGO: u8 = 4;
pub(crate) const REACTOR: u8 = 5;
pub(crate) const SPACE: u8 = 6;
pub(crate) const SUN: u8 = 7;

type Palette = [u32; 32];

const fn part(wall: [u32; 5], floor: [u32; 5], accent: [u32; 5], metal: [u32; 5]) -> Palette {
    let [w0, w1, w2, w3, w4] = wall;
    let [f0, f1, f2, f3, f4] = floor;
    let [a0, a1, a2, a3, a4] = accent;
    let [m0, m1, m2, m3, m4] = metal;
    [
        0, 0x171527, 0x6fa8d8, 0xd6f2ff, w0, w1, w2, w3, w4, f0, f1, f2, f3, f4, a0, a1, a2, a3,
        a4, m0, m1, m2, m3, m4, 0x1d4a3c, 0x2f7d4c, 0x62b356, 0xb5e07a, 0x3a3038, 0xf0b541,
        0xe8485a, 0xfffdf0,
    ]
}

const GREY: [u32; 5] = [0x383c52, 0x565c74, 0x7c8499, 0xa9b2c1, 0xd9dfe4];
const COPPER: [u32; 5] = [0x4a2a2f, 0x7a4238, 0xb06a47, 0xd99b62, 0xf6d193];
const CYAN: [u32; 5] = [0x14476b, 0x1c78a0, 0x2bb3cf, 0x6fe3e6, 0xd2fff4];

const PALETTES: [Palette; 8] = [
    part(
        [0x272b47, 0x3b4366, 0x566489, 0x7d8fb1, 0xb4c6da],
        [0x252a3f, 0x353d57, 0x485370, 0x616f8c, 0x8493ab],
        CYAN,
        GREY,
    ),
    part(
        [0x33273a, 0x523d4b, 0x785a5b, 0xa4816f, 0xd3b592],
        [0x2b2533, 0x41363f, 0x5b4b4c, 0x7a655c, 0xa08872],
        [0x6b2a2a, 0xb04a2c, 0xe87f35, 0xffbb54, 0xfff0a8],
        COPPER,
    ),
    part(
        [0x22383f, 0x345756, 0x508070, 0x82ae90, 0xc3dcb4],
        [0x243440, 0x344d53, 0x4a6a68, 0x69897c, 0x95ad96],
        [0x2c6b3f, 0x4a9c48, 0x85cc52, 0xc4ec79, 0xf3ffc4],
        [0x3d3149, 0x63485a, 0x91666a, 0xbd9080, 0xe5c8a4],
    ),
    part(
        [0x3c3a5e, 0x5f6085, 0x9397b0, 0xc7cdd6, 0xf1f4f0],
        [0x4a4a6b, 0x686c8b, 0x8d94aa, 0xb3bcc6, 0xdce3e2],
        [0x5b2a6e, 0x94409a, 0xd465b4, 0xf79fc9, 0xffdcea],
        GREY,
    ),
    part(
        [0x2e2c3d, 0x474459, 0x68677a, 0x93949c, 0xc6c6c0],
        [0x2a2b33, 0x3c3e47, 0x545760, 0x70747a, 0x959997],
        [0x7a4a1e, 0xb8792a, 0xeeb03c, 0xffd96e, 0xfff6c0],
        [0x33405c, 0x46628a, 0x5f8db5, 0x8cb9d3, 0xc8e4e8],
    ),
    part(
        [0x2b2547, 0x433a68, 0x62578c, 0x8c82b3, 0xc2bcd9],
        [0x221f38, 0x322e4f, 0x484369, 0x625d86, 0x8a85a8],
        [0x2a3aa0, 0x3a78e0, 0x58c0ff, 0xa5f0ff, 0xf2ffff],
        [0x3a3350, 0x5a4f78, 0x8679a0, 0xb5abc6, 0xe4ddea],
    ),
    // Stars and a planet.
    part(
        [0x0d0b1f, 0x141230, 0x1d1a45, 0x2b245f, 0x43337e],
        [0x1b2150, 0x253a78, 0x35619f, 0x5492c0, 0x93c9dc],
        [0x3a1f55, 0x65306e, 0x9c4c7f, 0xd4808a, 0xf7c6a0],
        [0x6b4d47, 0x9c7357, 0xc9a06e, 0xe8cb92, 0xfaeec5],
    ),
    // Solar panels.
    part(
        [0x1a2148, 0x25336e, 0x34509c, 0x5079c6, 0x86b3e6],
        [0x1a1c38, 0x232a55, 0x2f3f7d, 0x4460a8, 0x6f92cf],
        [0x7a4a1e, 0xb8792a, 0xeeb03c, 0xffd96e, 0xfff6c0],
        GREY,
    ),
];

/// Red, green, blue and opacity of each colour of a palette.
pub(crate) fn rgba(palette: u8) -> Vec<[u8; 4]> {
    let colors = PALETTES[usize::from(palette)].iter().zip(0..);
    let color = |(rgb, place): (&u32, u8)| {
        let alpha = match place {
            0 => 0,
            GLASS => 70,
            GLEAM => 110,
            _ => 255,
        };
        [(rgb >> 16) as u8, (rgb >> 8) as u8, *rgb as u8, alpha]
    };
    colors.map(color).collect()
}
