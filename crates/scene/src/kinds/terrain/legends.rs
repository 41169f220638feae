//! Legends of the overlays and of the selection.

use super::class::bad_tiles_note;
use super::document::island_name;
use super::geometry::LEVEL_HEIGHT;
use super::navigation::color_of;
use super::{Terrain, TileClass, colors};
use crate::colors::bytes;
use crate::{LegendEntry, OverlayId};
use glam::Vec3;
use mapscope_formats::counted;
use mapscope_formats::pfmap::Cover;

/// Maximum number of islands in the outline and in JSON.
pub(super) const MAX_ISLANDS: usize = 100;

/// Maximum number of levels in the legend of the height overlay.
const MAX_LEGEND_LEVELS: i32 = 10;

impl Terrain {
    /// The legend of an overlay.
    pub(super) fn legend(&self, overlay: OverlayId) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry::new(color, label);
        match overlay {
            OverlayId::TileTypes => self
                .listed_classes()
                .map(|class| {
                    let count = self.counts.classes[class.index()];
                    let label = format!("{} {} ({count})", class.code(), class.name());
                    entry(class.color(), &label)
                })
                .collect(),
            OverlayId::Pathable => [
                entry(bytes(colors::GOOD), "Ground units can walk"),
                entry(bytes(colors::BAD), "Ground units cannot walk"),
            ]
            .into_iter()
            .chain(self.bad_tiles_entry())
            .collect(),
            OverlayId::Navigation => self.navigation_legend(),
            OverlayId::Seams => self.seam_legend(),
            OverlayId::Height => {
                let [low, high] = self.levels();
                let step = (high - low).div_euclid(MAX_LEGEND_LEVELS) + 1;
                let listed = (low..high).step_by(step as usize).chain([high]);
                listed
                    .map(|level| {
                        let color = height_color(level, [low, high]);
                        let y = level as f32 * LEVEL_HEIGHT;
                        entry(color, &format!("Level {level}, y {y}"))
                    })
                    .chain(self.bad_tiles_entry())
                    .collect()
            }
            OverlayId::Cover => [Cover::Full, Cover::Sparse, Cover::None, Cover::Unknown]
                .into_iter()
                .map(|cover| (cover, self.counts.covers[cover as usize]))
                .filter(|(cover, count)| *cover != Cover::Unknown || *count > 0)
                .map(|(cover, count)| {
                    let color = bytes(colors::COVERS[cover as usize]);
                    entry(color, &format!("{} ({count})", cover.name()))
                })
                .chain(self.bad_tiles_entry())
                .collect(),
            OverlayId::Normals => vec![
                entry([255, 128, 128], "Faces west (+X)"),
                entry([128, 255, 128], "Faces up (+Y)"),
                entry([128, 128, 255], "Faces south (+Z)"),
            ],
            OverlayId::ChunkBorders => {
                vec![entry(bytes(colors::CHUNK_BORDER), "Chunk border")]
            }
            _ => Vec::new(),
        }
    }

    fn navigation_legend(&self) -> Vec<LegendEntry> {
        let grid = self.navigation();
        let ground = self.ground();
        let cells = |count: u64| counted(count as usize, "cell");
        let largest = (1..).zip(ground.list.iter().take(colors::ISLANDS.len()));
        let mut entries: Vec<LegendEntry> = largest
            .map(|(number, island)| {
                let label = format!("{}, {}", island_name(number), cells(island.cells.into()));
                LegendEntry::new(island_color(number - 1), label)
            })
            .collect();
        let others = ground
            .list
            .iter()
            .skip(colors::ISLANDS.len())
            .fold((0, 0), |(count, sum), island| {
                (count + 1, sum + u64::from(island.cells))
            });
        if others.0 > 0 {
            let islands = counted(others.0, "more island");
            let label = format!("{islands}, {}, in repeated colours", cells(others.1));
            entries.push(LegendEntry::of_several(label));
        }
        let by_entities = grid.blocked_by_entities();
        let barred = grid.cells() - ground.passable() - by_entities;
        let counts = [
            ("Not walkable", barred),
            ("Blocked by entities", by_entities),
        ];
        for (color, (why, count)) in colors::BLOCKED_CELLS.into_iter().zip(counts) {
            if count > 0 {
                entries.push(LegendEntry::new(
                    bytes(color),
                    format!("{why}, {}", cells(count)),
                ));
            }
        }
        entries
    }

    /// Legend entry for tiles that could not be read, if there are any.
    fn bad_tiles_entry(&self) -> Option<LegendEntry> {
        let note = bad_tiles_note(self.bad_tile_counts())?;
        Some(LegendEntry::new(TileClass::Unreadable.color(), note))
    }
}

/// Colour of a level in the height overlay.
fn height_color(level: i32, [low, high]: [i32; 2]) -> [u8; 3] {
    let last = colors::HEIGHTS.len() - 1;
    let at = (level - low) as f32 / (high - low).max(1) as f32 * last as f32;
    let from = (at as usize).min(last - 1);
    let [from_color, to_color] =
        [from, from + 1].map(|i| Vec3::from(bytes(colors::HEIGHTS[i]).map(f32::from)));
    let color = from_color.lerp(to_color, at - from as f32);
    color.to_array().map(|channel| channel.round() as u8)
}

/// Colour of an island in the navigation overlay, by its index.
pub(super) fn island_color(index: usize) -> [u8; 3] {
    bytes(colors::ISLANDS[color_of(index, colors::ISLANDS.len())])
}
