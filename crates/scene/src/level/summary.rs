//! One line about each item of a map, for the status bar.

use super::Map;
use super::environments::Environment;
use super::items::EntityAt;
use crate::numbers::{plural, short};
use crate::{LevelItem, SummaryPart};
use mapscope_formats::pmf::{CubeKind, EntityKind, SIDES};

/// Characters that a name takes at most before what follows moves.
const NAME_WIDTH: usize = 16;
/// Characters of the longest name of a kind of cube.
const KIND_WIDTH: usize = 9;

impl Map {
    /// One line about an item.
    pub(super) fn summary_of(&self, item: LevelItem) -> Vec<SummaryPart> {
        if matches!(item, LevelItem::Cube { .. } | LevelItem::Face { .. }) {
            return self.cube_summary(item);
        }
        let parts = self.plain_summary(item).unwrap_or_default();
        let parts = parts.into_iter();
        parts
            .map(|(name, value)| SummaryPart::new(name, value))
            .collect()
    }

    fn plain_summary(&self, item: LevelItem) -> Option<Vec<(&'static str, String)>> {
        Some(match item {
            LevelItem::Map => vec![
                ("Map", self.pmf.header.name.clone()),
                ("Levels", self.pmf.levels.len().to_string()),
            ],
            LevelItem::Level { level: number } => {
                let level = self.pmf.levels.get(number as usize)?;
                let [y, x, z] = level.grid;
                vec![
                    ("Level", number.to_string()),
                    ("Chunks", format!("{x} x {y} x {z}")),
                    ("Chunk size", format!("{} m", short(level.chunk_side()))),
                ]
            }
            LevelItem::Gamemode { index } => {
                let name = self.pmf.header.gamemodes.get(index as usize)?;
                vec![("Gamemode", name.clone())]
            }
            LevelItem::Chunk { level, chunk } => {
                let at = self.chunk_at(level, chunk)?;
                let data = at.chunk.data.as_ref();
                let cubes = data.map(|data| data.cubes.len().to_string());
                let cubes = cubes.unwrap_or_else(|| "cannot be read".to_owned());
                vec![("Chunk", at.chunk.index.to_string()), ("Cubes", cubes)]
            }
            LevelItem::Material { level, index } => {
                let level = self.levels.get(level as usize)?;
                let uses = level.uses().get(index as usize)?;
                let material = level.materials.list.get(index as usize)?;
                vec![
                    ("Material", material.name.clone()),
                    ("Faces", uses.faces.to_string()),
                    ("Area", format!("{:.1} m²", uses.area)),
                ]
            }
            LevelItem::Lightmap { index: number, .. } => {
                let at = self.chunk_of(item)?;
                let data = at.chunk.data.as_deref()?;
                let map = data.client.as_ref()?.lightmaps.get(number as usize)?;
                vec![
                    ("Chunk", at.chunk.index.to_string()),
                    ("Lightmap", number.to_string()),
                    ("Size", format!("{0} x {0}", map.side())),
                ]
            }
            LevelItem::CubeType { level, cube_type } => {
                let (level, source) = self.level(level as usize)?;
                let number = usize::from(cube_type);
                let kind = CubeKind::ALL.get(number)?;
                let count = level.counts(source).kinds.get(number)?;
                vec![
                    ("Type", kind.name().to_owned()),
                    ("Cubes", count.to_string()),
                ]
            }
            LevelItem::Entity { .. } => {
                let at = self.entity_at(item)?;
                let mut parts = vec![("Entity", EntityAt::title(&at))];
                if !self.pmf.header.gamemodes.is_empty() {
                    parts.push(("Gamemodes", self.gamemodes(at.entity.gamemodes())));
                }
                parts
            }
            LevelItem::EntityType { entity_type } => {
                let kind = EntityKind::from_number(u8::try_from(entity_type).ok()?)?;
                vec![("Type", kind.name().to_owned())]
            }
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                self.light_summary(item)?.into()
            }
            LevelItem::PhysicsMaterial { level, index } => {
                let common = &self.pmf.levels.get(level as usize)?.common;
                let material = common.physics_materials.get(index as usize)?;
                let name = common.strings.brief(material.name).into_owned();
                vec![("Physics material", name)]
            }
            LevelItem::SoundMaterial { level, index } => {
                let common = &self.pmf.levels.get(level as usize)?.common;
                common.sound_materials.get(index as usize)?;
                vec![("Sound material", index.to_string())]
            }
            LevelItem::Weather { .. }
            | LevelItem::Gravity { .. }
            | LevelItem::SoundEnvironment { .. }
            | LevelItem::Sky { .. } => {
                let (of, level, index) = Environment::of_item(item)?;
                let (strings, names, _) = of.names(self.pmf.levels.get(level)?)?;
                vec![(of.name(), strings.brief(*names.get(index)?).into_owned())]
            }
            LevelItem::Region { .. } => {
                let region = self.region_at(item)?;
                vec![
                    ("Chunk", region.at.chunk.index.to_string()),
                    (region.of.name(), region.name()),
                ]
            }
            LevelItem::ServerRegion { .. } => {
                let (at, region) = self.server_region_at(item)?;
                vec![
                    ("Chunk", at.chunk.index.to_string()),
                    (
                        "Keeps active",
                        plural(region.chunks.len(), "chunk", "chunks"),
                    ),
                ]
            }
            LevelItem::ArchiveFile { index } => {
                let (path, size) = self.archive_file_summary(index as usize)?;
                vec![("File", path), ("Size", size)]
            }
            LevelItem::Extension { index } => {
                let extension = self.pmf.extensions.get(index as usize)?;
                vec![("Extension", extension.name.clone())]
            }
            LevelItem::Strings { .. } => vec![("Strings of", self.strings_summary(item)?)],
            LevelItem::Clip => {
                let clip = self.clips.first()?;
                vec![
                    ("Clip", clip.name.clone()),
                    ("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
                    ("Materials", self.moving_materials().count().to_string()),
                ]
            }
            LevelItem::Cube { .. } | LevelItem::Face { .. } => return None,
        })
    }

    /// A cube or a side of one: each part as wide as the widest of its kind, so that nothing moves
    /// while the pointer does.
    fn cube_summary(&self, item: LevelItem) -> Vec<SummaryPart> {
        let Some((cube, side)) = self.cube_at(item) else {
            return Vec::new();
        };
        let [chunk_width, index_width] = self.widths;
        let mut parts = Vec::new();
        let mut say = |name, value: String, width| parts.push(SummaryPart { name, value, width });
        if self.levels.len() > 1 {
            say("Level", cube.at.level_number.to_string(), 0);
        }
        say("Chunk", cube.at.chunk.index.to_string(), chunk_width);
        say("Cube", cube.cube.to_string(), index_width);
        say("Type", cube.kind_name().to_owned(), KIND_WIDTH);
        if let Some(place) = cube.place() {
            say("Depth", place.cell.depth.to_string(), 2);
        }
        if let Some((side, geometry)) = side.zip(cube.geometry()) {
            let name = SIDES.get(side).copied().unwrap_or_default();
            say("Side", name.to_owned(), 2);
            say("Material", cube.material(geometry, side), NAME_WIDTH);
            say("Lightmap", cube.lightmap(geometry, side), 4);
        }
        parts
    }
}
