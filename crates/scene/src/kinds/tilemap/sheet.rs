//! The tiles of a tileset as one image.

use std::sync::Arc;

use super::{Contents, TileMap, Tileset};
use crate::assets::Texture;
use crate::{Item, TextureInfo, Textures, TileMapItem};

/// Maximum side of an image of tiles, in pixels. Tiles beyond it are left out.
const MAX_SHEET_SIDE: usize = 4096;

impl Textures for TileMap {
    fn list(&self) -> Vec<TextureInfo> {
        let tilesets = self.tilesets_with_tiles();
        let tilesets = tilesets.map(|(number, tileset)| TextureInfo {
            item: match self.form.contents {
                Contents::Picture => TileMapItem::Picture.into(),
                _ => Self::tileset_item(number),
            },
            name: self.tileset_name(number),
            texture: tileset.name.clone(),
            path: None,
            is_found: !tileset.is_placeholder,
            size: None,
        });
        tilesets.collect()
    }

    fn image(&self, texture: Item) -> Option<Arc<Texture>> {
        let index = match texture {
            Item::TileMap(TileMapItem::Tileset { index }) => index as usize,
            Item::TileMap(TileMapItem::Picture | TileMapItem::Pixel { .. }) => 0,
            _ => return None,
        };
        let sheet = sheet(self.tilesets.get(index)?)?;
        Some(Arc::new(sheet))
    }
}

/// Returns the tiles in rows, about as wide as high.
fn sheet(tileset: &Tileset) -> Option<Texture> {
    let [width, height] = tileset.tile_size.map(|side| side as usize);
    let count = tileset.tile_count();
    if count == 0 || width == 0 || height == 0 {
        return None;
    }
    let square = (count as f64 * height as f64 / width as f64).sqrt().ceil() as usize;
    let columns = square.clamp(1, (MAX_SHEET_SIDE / width).max(1)).min(count);
    let rows = count
        .div_ceil(columns)
        .min((MAX_SHEET_SIDE / height).max(1));
    let row_bytes = columns * width * 4;
    let mut rgba = vec![0; row_bytes * rows * height];
    for index in 0..count.min(columns * rows) {
        let lines = tileset.image(index)?.chunks_exact(width * 4);
        let first = index / columns * height * row_bytes + index % columns * width * 4;
        for (line, from) in lines.enumerate() {
            let to = first + line * row_bytes;
            rgba.get_mut(to..to + from.len())?.copy_from_slice(from);
        }
    }
    Some(Texture {
        size: [columns * width, rows * height].map(|side| side as u32),
        has_holes: rgba.chunks_exact(4).any(|pixel| pixel[3] < 255),
        levels: vec![rgba],
    })
}
