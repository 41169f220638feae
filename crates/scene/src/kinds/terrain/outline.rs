//! The outline of a map.

use super::Terrain;
use super::document::island_name;
use super::fields::{ChunkAt, IslandAt, MaterialAt};
use super::legends::{MAX_ISLANDS, island_color};
use crate::describe::outline::{file_name, heading, heading_of, leaf};
use crate::{OutlineNode, Swatch, TerrainItem};
use mapscope_formats::counted;

impl Terrain {
    /// The tree for the outliner.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let materials = (0..self.map.materials.len()).filter_map(|index| {
            let at = MaterialAt::new(self, index)?;
            let item = TerrainItem::Material {
                index: index as u32,
            };
            Some(OutlineNode {
                swatch: Some(Swatch::Thumbnail(index)),
                ..leaf(at.name(), item.into(), MaterialAt::FIELDS.note(&at))
            })
        });
        let rows = 0..self.map.chunk_rows;
        let places = rows.flat_map(|row| (0..self.map.chunk_cols).map(move |col| (row, col)));
        let chunks = places.filter_map(|(row, col)| {
            let note = ChunkAt::FIELDS.note(&ChunkAt::new(self, row, col)?);
            let item = TerrainItem::Chunk { row, col };
            Some(leaf(format!("Chunk {row}, {col}"), item.into(), note))
        });
        let note = Self::FIELDS.note(self);
        vec![
            leaf(file_name(&self.path), TerrainItem::Map.into(), note),
            heading("Materials", materials.collect()),
            heading("Chunks", chunks.collect()),
        ]
        .into_iter()
        .chain(self.island_lines())
        .collect()
    }

    /// The outline of the ground islands, if there are several. For a large map they appear
    /// together with its relief.
    fn island_lines(&self) -> Option<OutlineNode> {
        if self.relief().is_coarse {
            return None;
        }
        let islands = (1..).zip(&self.ground().list);
        (self.ground().list.len() > 1).then(|| {
            heading_of("Islands", islands, MAX_ISLANDS, |(number, island)| {
                let note = counted(island.cells as usize, "cell");
                OutlineNode {
                    swatch: Some(Swatch::Color(island_color(number - 1))),
                    ..leaf(island_name(number), IslandAt::item(island), note)
                }
            })
        })
    }
}
