//! The colours of the village: ramps from dark to light. As in evening sun, dark ends lean toward
//! violet and light ends toward yellow.

/// A ramp of colours from dark to light, as palette indices.
pub(crate) type Ramp = [u8; 5];

const fn ramp(first: u8) -> Ramp {
    [first, first + 1, first + 2, first + 3, first + 4]
}

pub(crate) const INK: u8 = 1;
pub(crate) const SHADOW: u8 = 2;
pub(crate) const GLOW: u8 = 3;
pub(crate) const FOAM: u8 = 4;
pub(crate) const SHALLOW: u8 = 5;
pub(crate) const CLOUD: Ramp = ramp(6);
pub(crate) const SMOKE: [u8; 2] = [11, 12];
pub(crate) const GRASS: Ramp = ramp(15);
pub(crate) const LEAF: Ramp = ramp(20);
pub(crate) const PINE: Ramp = ramp(25);
pub(crate) const WATER: Ramp = ramp(30);
pub(crate) const SAND: Ramp = ramp(35);
pub(crate) const STONE: Ramp = ramp(40);
pub(crate) const WOOD: Ramp = ramp(45);
pub(crate) const RED: Ramp = ramp(50);
pub(crate) const BLUE: Ramp = ramp(55);
pub(crate) const PLASTER: Ramp = ramp(60);
pub(crate) const GOLD: Ramp = ramp(65);
pub(crate) const CLIFF: Ramp = ramp(70);
pub(crate) const FLOWER: Ramp = ramp(75);
pub(crate) const WHITE: u8 = 80;

/// RGBA of each palette index.
pub(crate) fn rgba(color: u8) -> [u8; 4] {
    let solid = |rgb: u32| [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255];
    let clear = |rgb: u32, alpha| {
        let [r, g, b, _] = solid(rgb);
        [r, g, b, alpha]
    };
    let of = |first: u8, ramp: [u32; 5]| solid(ramp[usize::from(color - first)]);
    match color {
        INK => solid(0x2b1f36),
        SHADOW => clear(0x1c1a4a, 92),
        GLOW => clear(0xffe28a, 70),
        FOAM => clear(0xf4fffb, 200),
        SHALLOW => clear(0x9fe6e0, 88),
        6 => clear(0xb8c6ea, 120),
        7 => clear(0xd3def5, 150),
        8 => clear(0xe9f0fb, 170),
        9 => clear(0xffffff, 190),
        10 => clear(0xffffff, 60),
        11 => clear(0xdfe3ee, 150),
        12 => clear(0xffffff, 190),
        15..=19 => of(15, [0x3c6b3f, 0x4f8a45, 0x69a84c, 0x86c056, 0xb0d66c]),
        20..=24 => of(20, [0x1f3f42, 0x2c5f4a, 0x3f834d, 0x66a94f, 0xa0cc5c]),
        25..=29 => of(25, [0x1b3044, 0x21494f, 0x2e6756, 0x488a5c, 0x77b066]),
        30..=34 => of(30, [0x2a4f8f, 0x3566ab, 0x4384c4, 0x6cb4dd, 0xb4e6ee]),
        35..=39 => of(35, [0x8b6552, 0xb88d63, 0xd6b27b, 0xe8cd97, 0xf6e6bd]),
        40..=44 => of(40, [0x46425e, 0x67667f, 0x8d8f9f, 0xb5b8ba, 0xdcdfd3]),
        45..=49 => of(45, [0x432a3a, 0x66413f, 0x8f5f46, 0xba8656, 0xdfb578]),
        50..=54 => of(50, [0x64263f, 0x983845, 0xc6544a, 0xe38159, 0xf5b37a]),
        55..=59 => of(55, [0x2b3567, 0x3a4f8c, 0x5175b3, 0x78a1cf, 0xafd0e4]),
        60..=64 => of(60, [0x9b8189, 0xc7ab9f, 0xe6d2b5, 0xf6e9cd, 0xfffbe8]),
        65..=69 => of(65, [0xa8643a, 0xd9913f, 0xf5bb4f, 0xffdc7a, 0xfff4bd]),
        70..=74 => of(70, [0x4b3a52, 0x6b5361, 0x92746e, 0xb99a80, 0xd9c29b]),
        75..=79 => of(75, [0x7d4b9e, 0xb46bc0, 0xd9537f, 0xf383a0, 0xffc0cc]),
        WHITE => solid(0xfffdf2),
        _ => [0; 4],
    }
}
