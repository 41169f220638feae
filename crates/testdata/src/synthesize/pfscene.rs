//! Synthetic scenes for measurements.

use mapscope_formats::pfmap::{CHUNK_SIDE, Pfmap, TileType};
use mapscope_formats::pfscene::{Layout, Pfscene, Value};

use super::ppe::scramble;

/// Side length of a tile and height of a level in world units (fact sheet 0).
const TILE_SIDE: f32 = 8.0;
const LEVEL_HEIGHT: f32 = 4.0;

/// Generates a scene with `count` entities: those of another scene are repeated and scattered over
/// the flat tiles of a map above the water. If the map has no such tiles, they keep their
/// positions. The scene depends only on the arguments.
pub fn pfscene(like: &Pfscene, map: &Pfmap, count: u32, seed: u64) -> Pfscene {
    let tiles = (0_u32..).zip(&map.tiles);
    let level = tiles.filter(|(_, tile)| tile.kind == TileType::Flat && tile.base_height >= 0);
    let level: Vec<(u32, i8)> = level.map(|(at, tile)| (at, tile.base_height)).collect();
    let [rows, cols] = [map.chunk_rows, map.chunk_cols].map(|chunks| chunks * CHUNK_SIDE);
    let entities = like.entities.iter().cycle().zip(0..count);
    let entities = entities.map(|(entity, number)| {
        let mut entity = entity.clone();
        let bits = scramble(seed ^ u64::from(number) << 20);
        let tile = (bits as usize).checked_rem(level.len());
        let mut attributes = entity.attributes.0.iter_mut();
        if let Some(&(at, base)) = tile.and_then(|tile| level.get(tile))
            && let Some(position) = attributes.find(|attribute| attribute.key == "position")
        {
            // A random position on the tile; columns run toward -X (fact sheet A4).
            let [aside, along] =
                [bits >> 40, bits >> 52].map(|bits| (bits & 0xfff) as f32 / 4096.0);
            let x = cols as f32 / 2.0 - ((at % cols) as f32 + aside);
            let z = (at / cols) as f32 + along - rows as f32 / 2.0;
            let y = f32::from(base) * LEVEL_HEIGHT;
            position.value = Value::Vec3([x * TILE_SIDE, y, z * TILE_SIDE]);
        }
        entity
    });
    Pfscene {
        entities: entities.collect(),
        layout: Layout::default(),
        ..like.clone()
    }
}
