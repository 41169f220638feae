//! One line about each item of a map, for the status bar.

use super::Map;
use super::environments::Environment;
use super::items::{EntityAt, in_level, item};
use crate::numbers::{plural, short};
use crate::{Item, SummaryPart};
use mapscope_formats::pmf::{CubeKind, EntityKind, SIDES};

/// Characters that a name takes at most before what follows moves.
const NAME_WIDTH: usize = 16;
/// Characters of the longest name of a kind of cube.
const KIND_WIDTH: usize = 9;

impl Map {
    /// One line about an item.
    pub(super) fn item_summary(&self, item: Item) -> Vec<SummaryPart> {
        if matches!(item.kind, item::CUBE | item::FACE) {
            return self.cube_summary(item);
        }
        let parts = self.plain_summary(item).unwrap_or_default();
        let parts = parts.into_iter();
        parts
            .map(|(name, value)| SummaryPart::new(name, value))
            .collect()
    }

    fn plain_summary(&self, item: Item) -> Option<Vec<(&'static str, String)>> {
        let (level, index) = in_level(item);
        Some(match item.kind {
            item::MAP => vec![
                ("Map", self.pmf.header.name.clone()),
                ("Levels", self.pmf.levels.len().to_string()),
            ],
            item::LEVEL => {
                let level = self.pmf.levels.get(usize::try_from(item.index).ok()?)?;
                let [y, x, z] = level.grid;
                vec![
                    ("Level", item.index.to_string()),
                    ("Chunks", format!("{x} x {y} x {z}")),
                    ("Chunk size", format!("{} m", short(level.chunk_side()))),
                ]
            }
            item::GAMEMODE => {
                let name = self
                    .pmf
                    .header
                    .gamemodes
                    .get(usize::try_from(item.index).ok()?)?;
                vec![("Gamemode", name.clone())]
            }
            item::CHUNK => {
                let at = self.chunk_at(item.index)?;
                let data = at.chunk.data.as_ref();
                let cubes = data.map(|data| data.cubes.len().to_string());
                let cubes = cubes.unwrap_or_else(|| "cannot be read".to_owned());
                vec![("Chunk", at.chunk.index.to_string()), ("Cubes", cubes)]
            }
            item::MATERIAL => {
                let uses = self.levels.get(level)?.uses().get(index)?;
                vec![
                    ("Material", self.material_name(item)?),
                    ("Faces", uses.faces.to_string()),
                    ("Area", format!("{:.1} m²", uses.area)),
                ]
            }
            item::LIGHTMAP => {
                let at = self.chunk_at(item.index >> 8)?;
                let data = at.chunk.data.as_deref()?;
                let number = (item.index & 0xFF) as usize;
                let map = data.client.as_ref()?.lightmaps.get(number)?;
                vec![
                    ("Chunk", at.chunk.index.to_string()),
                    ("Lightmap", number.to_string()),
                    ("Size", format!("{0} x {0}", map.side())),
                ]
            }
            item::CUBE_KIND => {
                let (level, source) = self.level(usize::try_from(item.index >> 8).ok()?)?;
                let number = (item.index & 0xFF) as usize;
                let kind = CubeKind::ALL.get(number)?;
                let count = level.counts(source).kinds.get(number)?;
                vec![
                    ("Type", kind.name().to_owned()),
                    ("Cubes", count.to_string()),
                ]
            }
            item::ENTITY => {
                let at = self.entity_at(item)?;
                let mut parts = vec![("Entity", EntityAt::title(&at))];
                if !self.pmf.header.gamemodes.is_empty() {
                    parts.push(("Gamemodes", self.gamemodes(at.entity.gamemodes())));
                }
                parts
            }
            item::ENTITY_KIND => {
                let kind = EntityKind::from_number(u8::try_from(item.index).ok()?)?;
                vec![("Type", kind.name().to_owned())]
            }
            item::DYNAMIC_LIGHT | item::FAST_LIGHT => self.light_summary(item)?.into(),
            item::PHYSICS => {
                let common = &self.pmf.levels.get(level)?.common;
                let material = common.physics_materials.get(index)?;
                let name = common.strings.brief(material.name).into_owned();
                vec![("Physics material", name)]
            }
            item::SOUND => {
                let common = &self.pmf.levels.get(level)?.common;
                common.sound_materials.get(index)?;
                vec![("Sound material", index.to_string())]
            }
            item::WEATHER | item::GRAVITY | item::ECHO | item::SKY => {
                let of = Environment::of_item(item.kind)?;
                let (strings, names, _) = of.names(self.pmf.levels.get(level)?)?;
                vec![(of.name(), strings.brief(*names.get(index)?).into_owned())]
            }
            item::REGION => {
                let region = self.region_at(item)?;
                vec![
                    ("Chunk", region.at.chunk.index.to_string()),
                    (region.of.name(), region.name()),
                ]
            }
            item::SERVER_REGION => {
                let (at, region) = self.server_region_at(item)?;
                vec![
                    ("Chunk", at.chunk.index.to_string()),
                    (
                        "Keeps active",
                        plural(region.chunks.len(), "chunk", "chunks"),
                    ),
                ]
            }
            item::ARCHIVE_FILE => {
                let (path, size) = self.archive_file_summary(item)?;
                vec![("File", path), ("Size", size)]
            }
            item::EXTENSION => {
                let extension = self.pmf.extensions.get(usize::try_from(item.index).ok()?)?;
                vec![("Extension", extension.name.clone())]
            }
            item::STRINGS => vec![("Strings of", self.strings_summary(item)?)],
            item::CLIP => {
                let clip = self.clips.get(usize::try_from(item.index).ok()?)?;
                vec![
                    ("Clip", clip.name.clone()),
                    ("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
                    ("Materials", self.moving_materials().count().to_string()),
                ]
            }
            _ => return None,
        })
    }

    /// A cube or a side of one: each part as wide as the widest of its kind, so that nothing moves
    /// while the pointer does.
    fn cube_summary(&self, item: Item) -> Vec<SummaryPart> {
        let Some((cube, side)) = self.cube_at(item) else {
            return Vec::new();
        };
        let [chunk_width, index_width] = self.numbers.widths;
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
