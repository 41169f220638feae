//! The parts of a file, for comparison.

use super::Terrain;
use super::fields::IslandAt;
use crate::document::Compare;
use crate::document::parts::Parts;
use crate::{Item, OwnLine, TerrainItem};

impl Compare for Terrain {
    fn parts(&self) -> Vec<Parts<'_>> {
        let map = &self.map;
        let (rows, cols) = (map.rows(), map.cols());
        vec![
            Parts::one("map", TerrainItem::Map),
            Parts::records("material", &map.materials, |it| it.name.clone())
                .items(|index| {
                    let index = index as u32;
                    Some(TerrainItem::Material { index })
                })
                .referenced_by_index(),
            Parts::grid("tile", [rows, cols], |[row, col]| format!("{row},{col}"))
                .cells(|[row, col]| TerrainItem::Tile { row, col })
                .contents(|run, content| self.add_tiles(run, content)),
            Parts::grid("chunk", [map.chunk_rows, map.chunk_cols], |[row, col]| {
                format!("{row},{col}")
            })
            .cells(|[row, col]| TerrainItem::Chunk { row, col })
            .not_compared(),
            Parts::list("island", self.ground().list.len())
                .items(|index| self.ground().list.get(index).map(IslandAt::item))
                .not_compared(),
        ]
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        self.described(item).map_or_else(Vec::new, |at| at.own())
    }
}
