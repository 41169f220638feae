//! Synthetic textures.

use mapscope_formats::ptf::{Layout, Texture};

/// Generates a texture: a gradient below a disc, with a soft rim if it has alpha.
pub fn ptf(layout: Layout, [width, height]: [u32; 2], channels: u8) -> Texture {
    let mut pixels = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let [x, y] = [(x, width), (y, height)].map(|(at, side)| (at * 2 + 1) * 128 / side);
            let from_center = [x, y].map(|at| (i64::from(at) - 128).pow(2));
            let distance = from_center.iter().sum::<i64>() / 64;
            let rim = (255 - distance).clamp(0, 255) as u8;
            let color = [(x & 0xFF) as u8, (y & 0xFF) as u8, 255 - rim];
            pixels.extend(match channels {
                1 => vec![color[0]],
                2 => vec![color[0], rim],
                3 => color.to_vec(),
                _ => [&color[..], &[rim]].concat(),
            });
        }
    }
    Texture::new(layout, [width, height], channels, pixels)
}

/// Generates textures of all layouts and channels.
pub fn ptfs() -> Vec<Texture> {
    vec![
        ptf(Layout::V3, [16, 8], 4),
        ptf(Layout::V3, [8, 32], 1),
        ptf(Layout::V3, [4, 16], 2),
        ptf(Layout::V3, [16, 2], 3),
        ptf(Layout::V2, [8, 16], 3),
        ptf(Layout::V2, [4, 4], 4),
        ptf(Layout::V1, [16, 16], 3),
        ptf(Layout::V1, [8, 8], 4),
        ptf(Layout::V3, [1, 1], 3),
    ]
}
