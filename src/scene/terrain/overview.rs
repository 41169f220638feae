//! A map's colours as seen from so far away that its textures are no more than their means.

use std::sync::Arc;

use super::pack::TileRecord;
use super::patchwork::Patchwork;
use crate::formats::pfmap::Pfmap;
use crate::scene::mips::mip_levels;

/// Tiles along the longer side up to which each tile has a texel of its own.
const FINEST_TILES: u32 = 1024;

/// One colour for each tile, or for each block of tiles on large maps, with mip levels.
#[derive(Debug)]
pub struct Overview {
    /// Tiles along the side of a texel.
    pub tiles_per_texel: u32,
    /// Texels from west to east and from north to south.
    pub size: [u32; 2],
    /// RGBA8 mip levels, each in rows from the north-west.
    pub levels: Vec<Vec<u8>>,
}

impl Overview {
    /// Takes the mean of each block of tiles, of the mean colours of what their tops show.
    pub(super) fn of(map: &Pfmap, tiles: &[TileRecord], layers: &[Arc<Patchwork>]) -> Self {
        let (rows, cols) = (map.rows(), map.cols());
        let block = rows.max(cols).div_ceil(FINEST_TILES).next_power_of_two();
        let size = [cols.div_ceil(block).max(1), rows.div_ceil(block).max(1)];
        let mut texels = Vec::with_capacity(size[0] as usize * size[1] as usize * 4);
        for y in 0..size[1] {
            for x in 0..size[0] {
                let mut sum = [0_u32; 3];
                let mut count = 0;
                for row in (y * block)..((y + 1) * block).min(rows) {
                    for col in (x * block)..((x + 1) * block).min(cols) {
                        let at = row as usize * cols as usize + col as usize;
                        let Some(record) = tiles.get(at) else {
                            continue;
                        };
                        let steep = map.tiles[at].kind as u8 != 0 && map.tiles[at].ramp_height > 1;
                        let layer = record.surface >> if steep { 8 } else { 0 } & 0xff;
                        if let Some(layer) = layers.get(layer as usize) {
                            for (sum, mean) in sum.iter_mut().zip(layer.mean_rgb) {
                                *sum += u32::from(mean);
                            }
                        }
                        count += 1;
                    }
                }
                texels.extend(sum.map(|s| (s / count.max(1)) as u8));
                texels.push(255);
            }
        }
        Self {
            tiles_per_texel: block,
            size,
            levels: mip_levels(size, texels),
        }
    }
}
