//! The colours of a map from a distance at which its textures reduce to their means.

use super::geometry::{Half, Shape, shows_side_material};
use super::pack::TileRecord;
use super::textures::Textures;
use super::{Terrain, noise};
use crate::Image;
use crate::assets::mip_levels;
use crate::core::parallel::split_among_threads;
use glam::Vec2;
use mapscope_formats::pfmap::Pfmap;

/// Maximum longer side, in tiles, of a map with one texel per tile.
const FINEST_TILES: u32 = 1024;
/// Change of brightness per level by which the ground of a plan rises toward the south-east.
const SHADE_PER_LEVEL: f32 = 0.12;
/// Limits of the brightness of a plan.
const SHADES: std::ops::RangeInclusive<f32> = 0.6..=1.4;

/// One colour for each tile, or for each block of tiles on large maps, with mip levels.
#[derive(Debug)]
pub struct Overview {
    /// Side of a texel in tiles.
    pub tiles_per_texel: u32,
    /// Width (west to east) and height (north to south) in texels.
    pub size: [u32; 2],
    /// RGBA8 mip levels, each row by row from the north-west.
    pub levels: Vec<Vec<u8>>,
}

impl Overview {
    /// Averages each block of tiles from the mean colours of both halves of their tops.
    pub(super) fn of(map: &Pfmap, tiles: &[TileRecord], textures: &Textures) -> Self {
        let means = layer_means(map, textures);
        let (rows, cols) = (map.rows(), map.cols());
        let block = rows.max(cols).div_ceil(FINEST_TILES).next_power_of_two();
        let size = [cols.div_ceil(block).max(1), rows.div_ceil(block).max(1)];
        let mut texels = vec![0; size[0] as usize * size[1] as usize * 4];
        let row_bytes = size[0] as usize * 4;
        split_among_threads(&mut texels, row_bytes, |first, texels| {
            let first_row = (first / row_bytes) as u32;
            for (y, texels) in (first_row..).zip(texels.chunks_exact_mut(row_bytes)) {
                for (x, texel) in (0..size[0]).zip(texels.as_chunks_mut().0) {
                    let mut sum = [0_u32; 3];
                    let mut count = 0;
                    for row in (y * block)..((y + 1) * block).min(rows) {
                        let first = row as usize * cols as usize;
                        let of_texel = first + (x * block) as usize
                            ..first + ((x + 1) * block).min(cols) as usize;
                        for (record, tile) in
                            tiles[of_texel.clone()].iter().zip(&map.tiles[of_texel])
                        {
                            for half in [Half::South, Half::North] {
                                let layer = if shows_side_material(tile, half) {
                                    TileRecord::SIDE_LAYER
                                } else {
                                    TileRecord::TOP_LAYER
                                };
                                if let Some(mean) = means.get(layer.get(record.surface) as usize) {
                                    for (sum, mean) in sum.iter_mut().zip(mean) {
                                        *sum += u32::from(*mean);
                                    }
                                }
                                count += 1;
                            }
                        }
                    }
                    let [red, green, blue] = sum.map(|sum| (sum / count.max(1)) as u8);
                    *texel = [red, green, blue, 255];
                }
            }
        });
        Self {
            tiles_per_texel: block,
            size,
            levels: mip_levels(size, texels),
        }
    }
}

impl Terrain {
    /// A small image of the whole map from above, north up, shaded as if lit from the north-west.
    /// Its longer side has at least `longest_px` pixels, unless the map is smaller.
    pub fn plan(&self, longest_px: u32) -> Image {
        let Overview { size, levels, .. } = &self.overview;
        let mut image = Image {
            size: *size,
            ..Image::default()
        };
        let mut texels = &[][..];
        for (halvings, level) in levels.iter().enumerate() {
            let halved = size.map(|side| (side >> halvings).max(1));
            if halvings > 0 && halved[0].max(halved[1]) < longest_px {
                break;
            }
            (image.size, texels) = (halved, level);
        }
        let [width, height] = image.size;
        let tile_of = |at: u32, count: u32, tiles: u32| {
            let middle = (u64::from(at) * 2 + 1) * u64::from(tiles) / (u64::from(count) * 2);
            middle as u32
        };
        let height_at = |x: u32, y: u32| {
            let row = tile_of(y, height, self.map.rows());
            let tile = self.map.tile(row, tile_of(x, width, self.map.cols()));
            tile.map_or(0.0, |tile| Shape::of(tile).level_at(Vec2::splat(0.5)))
        };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        image.rgba = places
            .zip(texels.as_chunks::<4>().0)
            .flat_map(|((x, y), [r, g, b, a])| {
                let rise = height_at(x, y) - height_at(x.saturating_sub(1), y.saturating_sub(1));
                let shade = 1.0 + rise * SHADE_PER_LEVEL;
                let shade = shade.clamp(*SHADES.start(), *SHADES.end());
                let [r, g, b] = [r, g, b].map(|channel| (f32::from(*channel) * shade) as u8);
                [r, g, b, *a]
            })
            .collect();
        image
    }
}

/// The mean colour of each texture layer, including the patches of its accent.
fn layer_means(map: &Pfmap, textures: &Textures) -> Vec<[u8; 3]> {
    let plain: Vec<[u8; 3]> = textures.layers.iter().map(|layer| layer.mean_rgb).collect();
    let mut means = plain.clone();
    for splat in &map.splats {
        let layer = |material: u32| textures.layer_of_material.get(material as usize);
        let (Some(&base), Some(&accent)) = (layer(splat.base), layer(splat.accent)) else {
            continue;
        };
        let (base, accent) = (usize::from(base), usize::from(accent));
        if let (Some(mean), Some(own), Some(over)) =
            (means.get_mut(base), plain.get(base), plain.get(accent))
        {
            let share = noise::accent_share();
            *mean = std::array::from_fn(|i| {
                let [own, over] = [own[i], over[i]].map(f32::from);
                (own + (over - own) * share).round() as u8
            });
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::patchwork::Patchwork;
    use super::*;
    use mapscope_formats::pfmap::{self, Splat, TileType};

    const TOP: [u8; 3] = [40, 200, 90];
    const SIDE: [u8; 3] = [120, 60, 10];

    /// The colours of the first tiles of a map whose first two materials are `TOP` and `SIDE`.
    fn colors(change: impl FnOnce(&mut Pfmap)) -> Vec<[u8; 3]> {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 3)).unwrap();
        change(&mut map);
        let layers = [TOP, SIDE].map(|mean_rgb| {
            Arc::new(Patchwork {
                levels: Vec::new(),
                mean_rgb,
            })
        });
        let textures = Textures {
            materials: Vec::new(),
            layers: layers.into(),
            layer_of_material: vec![0, 1],
            placeholder_layer: 0,
            has_holes: false,
            problems: Vec::new(),
            dependencies: Vec::new(),
        };
        let record = TileRecord {
            shape: 0,
            surface: 1 << 8,
        };
        let overview = Overview::of(&map, &vec![record; map.tiles.len()], &textures);
        let texels = overview.levels[0].chunks_exact(4);
        texels.map(|texel| [texel[0], texel[1], texel[2]]).collect()
    }

    #[test]
    fn the_level_half_of_a_corner_keeps_its_top() {
        let kinds = [
            (TileType::Flat, 2, TOP),
            (TileType::RampSn, 1, TOP),
            (TileType::RampSn, 2, SIDE),
            (TileType::CornerConvexSw, 1, TOP),
            (TileType::CornerConvexSw, 2, [80, 130, 50]),
            (TileType::CornerConcaveNw, 2, [80, 130, 50]),
        ];
        let colors = colors(|map| {
            for (tile, (kind, ramp, _)) in map.tiles.iter_mut().zip(kinds) {
                tile.kind = kind;
                tile.ramp_height = ramp;
            }
        });
        for ((kind, ramp, expected), found) in kinds.into_iter().zip(colors) {
            assert_eq!(found, expected, "{kind} {ramp}");
        }
    }

    #[test]
    fn accents_have_their_share() {
        let colors = colors(|map| {
            map.tiles[0].kind = TileType::Flat;
            map.splats = vec![Splat { base: 0, accent: 1 }];
        });
        let share = noise::accent_share();
        assert!((0.1..0.5).contains(&share), "{share}");
        let expected = 40.0 + 80.0 * share;
        assert!(
            (f32::from(colors[0][0]) - expected).abs() <= 0.5,
            "{colors:?}"
        );
    }
}
