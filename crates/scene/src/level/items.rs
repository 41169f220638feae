//! The numbers by which parts of a map are pointed at, selected and described.

use super::Map;
use crate::Item;
use mapscope_formats::pmf::{self, ChunkData, ChunkIndex, Entities, Entity, StringTable};

/// The kinds of [`Item`] that a map has.
pub(super) mod item {
    /// The whole file.
    pub(crate) const MAP: &str = "map";
    /// A level, by its number.
    pub(crate) const LEVEL: &str = "level";
    /// A chunk, counted through all levels.
    pub(crate) const CHUNK: &str = "chunk";
    /// A cube, counted through all chunks.
    pub(crate) const CUBE: &str = "cube";
    /// A side of a cube: six times the cube plus the side.
    pub(crate) const FACE: &str = "face";
    /// A material: its level times 2 to the power of 32, plus its index.
    pub(crate) const MATERIAL: &str = "material";
    /// A lightmap: 256 times its chunk plus its index.
    pub(crate) const LIGHTMAP: &str = "lightmap";
    /// A kind of cube in a level: 256 times its level plus the number of the kind.
    pub(crate) const CUBE_KIND: &str = "cube type";
    /// An entity: first those of the map, then level by level those of the level and of its chunks.
    pub(crate) const ENTITY: &str = "entity";
    /// A type of entity, by its number in files.
    pub(crate) const ENTITY_KIND: &str = "entity type";
    /// A gamemode, by its number in the head of the file.
    pub(crate) const GAMEMODE: &str = "gamemode";
    /// A light with lightmaps of its own: its level times 2 to the power of 32, plus its number in
    /// the map.
    pub(crate) const DYNAMIC_LIGHT: &str = "dynamic light";
    /// A light that colours vertices, numbered like the others.
    pub(crate) const FAST_LIGHT: &str = "fast light";
    /// How a material feels, numbered like the materials.
    pub(crate) const PHYSICS: &str = "physics material";
    /// How a material sounds, numbered like the materials.
    pub(crate) const SOUND: &str = "sound material";
    /// A kind of weather, numbered like the materials.
    pub(crate) const WEATHER: &str = "weather";
    /// A kind of gravity, numbered like the materials.
    pub(crate) const GRAVITY: &str = "gravity";
    /// How a room sounds, numbered like the materials.
    pub(crate) const ECHO: &str = "sound environment";
    /// A kind of sky, numbered like the materials.
    pub(crate) const SKY: &str = "sky";
    /// Where an environment is: 1024 times its chunk, plus 256 times the number of the kind of
    /// environment, plus its index.
    pub(crate) const REGION: &str = "environment region";
    /// Where other chunks are awake: 256 times its chunk plus its index.
    pub(crate) const SERVER_REGION: &str = "server region";
    /// An entry of the archive, by its index.
    pub(crate) const ARCHIVE_FILE: &str = "archive file";
    /// An extension of the format, by its index.
    pub(crate) const EXTENSION: &str = "extension";
    /// The clip of the materials that move.
    pub(crate) const CLIP: &str = "clip";
    /// A string table: 0 of the file, from 1 on those of levels, from 1024 on those of chunks.
    pub(crate) const STRINGS: &str = "string table";
}

/// The item of something of a level that is numbered within it.
pub(super) fn of_level(kind: &'static str, level: usize, index: u32) -> Item {
    Item {
        kind,
        index: (level as u64) << 32 | u64::from(index),
    }
}

/// The level and the index of something that is numbered within a level.
pub(super) fn in_level(item: Item) -> (usize, usize) {
    ((item.index >> 32) as usize, item.index as u32 as usize)
}

/// How many there are before each chunk.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Of each level the number of its first chunk, and last how many there are.
    chunks: Vec<u64>,
    /// Of each chunk the number of its first cube, and last how many there are.
    cubes: Vec<u64>,
    /// Of each list of entities the number of its first one, and last how many there are: that of
    /// the map, then level by level that of the level and those of its chunks.
    entities: Vec<u64>,
    /// Characters of the longest name of a chunk and of the longest number of a cube.
    pub(super) widths: [usize; 2],
}

/// Whose a list of entities is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Owner<'a> {
    Map,
    Level(usize),
    Chunk(ChunkAt<'a>),
}

/// An entity of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityAt<'a> {
    pub(super) owner: Owner<'a>,
    pub(super) entity: Entity<'a>,
}

/// A chunk of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkAt<'a> {
    /// Number of the level.
    pub(super) level_number: usize,
    pub(super) level: &'a pmf::Level,
    /// Number of the chunk in the level.
    pub(super) number: usize,
    pub(super) chunk: &'a pmf::Chunk,
}

/// A cube of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct CubeAt<'a> {
    pub(super) at: ChunkAt<'a>,
    pub(super) data: &'a ChunkData,
    /// Index of the cube in the chunk.
    pub(super) cube: u32,
}

impl Numbers {
    pub(super) fn of(map: &pmf::Pmf) -> Self {
        let mut numbers = Self::default();
        let (mut chunks, mut cubes, mut entities) = (0, 0, 0);
        let mut most_cubes = 0;
        let mut add = |list: Option<&Entities>| {
            let first = entities;
            entities += list.map_or(0, Entities::len) as u64;
            first
        };
        numbers.entities.push(add(Some(&map.entities)));
        for level in &map.levels {
            numbers.chunks.push(chunks);
            chunks += level.chunks.len() as u64;
            let server = level.server.as_ref();
            let first = add(server.map(|server| &server.entities));
            numbers.entities.push(first);
            for chunk in &level.chunks {
                numbers.cubes.push(cubes);
                let data = chunk.data.as_deref();
                let count = data.map_or(0, |data| data.cubes.len());
                cubes += count as u64;
                most_cubes = most_cubes.max(count);
                let server = data.and_then(|data| data.server.as_ref());
                let first = add(server.map(|server| &server.entities));
                numbers.entities.push(first);
            }
            let last = ChunkIndex::new(level.grid.map(|count| count.saturating_sub(1)));
            let [widest, _] = &mut numbers.widths;
            *widest = last.to_string().len().max(*widest);
        }
        numbers.chunks.push(chunks);
        numbers.cubes.push(cubes);
        numbers.entities.push(entities);
        numbers.widths[1] = most_cubes.saturating_sub(1).to_string().len();
        numbers
    }

    /// The last one that begins at or before a number, and how far behind its begin that is.
    fn split(firsts: &[u64], number: u64) -> Option<(usize, u64)> {
        // The last entry is the end of all.
        let (end, firsts) = firsts.split_last()?;
        if number >= *end {
            return None;
        }
        let at = firsts
            .partition_point(|first| *first <= number)
            .checked_sub(1)?;
        Some((at, number - firsts.get(at)?))
    }
}

impl Map {
    /// The item of a chunk of a level.
    pub fn chunk_item(&self, level: usize, chunk: usize) -> Option<Item> {
        Some(Item {
            kind: item::CHUNK,
            index: self.numbers.chunks.get(level)? + chunk as u64,
        })
    }

    /// The item of a cube.
    pub fn cube_item(&self, level: usize, chunk: usize, cube: u32) -> Option<Item> {
        let chunk = self.chunk_item(level, chunk)?.index;
        let first = self.numbers.cubes.get(usize::try_from(chunk).ok()?)?;
        Some(Item {
            kind: item::CUBE,
            index: first + u64::from(cube),
        })
    }

    /// The item of a side of a cube.
    pub(super) fn face_item(
        &self,
        level: usize,
        chunk: usize,
        cube: u32,
        side: u8,
    ) -> Option<Item> {
        Some(Item {
            kind: item::FACE,
            index: self.cube_item(level, chunk, cube)?.index * 6 + u64::from(side),
        })
    }

    /// The item of a material of a level.
    pub fn material_item(level: usize, material: usize) -> Item {
        of_level(item::MATERIAL, level, material as u32)
    }

    /// The item of a lightmap of a chunk.
    pub(super) fn lightmap_item(&self, level: usize, chunk: usize, lightmap: u8) -> Option<Item> {
        Some(Item {
            kind: item::LIGHTMAP,
            index: self.chunk_item(level, chunk)?.index << 8 | u64::from(lightmap),
        })
    }

    /// The number of the first entity of a list, by the list's number.
    pub(super) fn first_entity(&self, list: usize) -> u64 {
        self.numbers.entities.get(list).copied().unwrap_or(0)
    }

    /// How many lists of entities there are.
    pub(super) fn entity_lists(&self) -> usize {
        self.numbers.entities.len().saturating_sub(1)
    }

    /// The number of the list of the entities of a level, which those of its chunks follow.
    pub(super) fn list_of_level(&self, level: usize) -> Option<usize> {
        Some(1 + level + *self.numbers.chunks.get(level)? as usize)
    }

    /// A list of entities by its number, with its strings; none where a section is missing.
    pub(super) fn entity_list(
        &self,
        list: usize,
    ) -> Option<(Owner<'_>, &'_ Entities, &'_ StringTable)> {
        let Some(number) = list.checked_sub(1) else {
            return Some((Owner::Map, &self.pmf.entities, &self.pmf.strings));
        };
        // Each level has a list before those of its chunks.
        let before = |level: &u64, index: usize| level + index as u64 <= number as u64;
        let levels = self.numbers.chunks.iter().take(self.pmf.levels.len());
        let level_number = levels
            .enumerate()
            .take_while(|(index, first)| before(first, *index))
            .count()
            .checked_sub(1)?;
        let first = *self.numbers.chunks.get(level_number)? as usize + level_number;
        let level = self.pmf.levels.get(level_number)?;
        let Some(chunk_number) = (number - first).checked_sub(1) else {
            let server = level.server.as_ref()?;
            let owner = Owner::Level(level_number);
            return Some((owner, &server.entities, &server.strings));
        };
        let chunk = level.chunks.get(chunk_number)?;
        let server = chunk.data.as_deref()?.server.as_ref()?;
        let owner = Owner::Chunk(ChunkAt {
            level_number,
            level,
            number: chunk_number,
            chunk,
        });
        Some((owner, &server.entities, &server.strings))
    }

    /// An entity by its item.
    pub(super) fn entity_at(&self, item: Item) -> Option<EntityAt<'_>> {
        if item.kind != item::ENTITY {
            return None;
        }
        let (list, index) = Numbers::split(&self.numbers.entities, item.index)?;
        let (owner, entities, strings) = self.entity_list(list)?;
        let entity = entities.get(usize::try_from(index).ok()?, strings)?;
        Some(EntityAt { owner, entity })
    }

    /// The part that an item belongs to; none for one that belongs to all, or is not there.
    pub(super) fn level_of(&self, item: Item) -> Option<usize> {
        let of_chunk = |chunk| Some(self.chunk_at(chunk)?.level_number);
        let level = match item.kind {
            item::MAP | item::CLIP | item::ENTITY_KIND | item::ARCHIVE_FILE | item::EXTENSION => {
                None
            }
            item::LEVEL => usize::try_from(item.index).ok(),
            item::CUBE_KIND => usize::try_from(item.index >> 8).ok(),
            item::CHUNK => of_chunk(item.index),
            item::LIGHTMAP | item::SERVER_REGION => of_chunk(item.index >> 8),
            item::REGION => of_chunk(item.index >> 10),
            item::CUBE | item::FACE => Some(self.cube_at(item)?.0.at.level_number),
            item::STRINGS => match item.index {
                0 => None,
                1..1024 => usize::try_from((item.index - 1) / 3).ok(),
                number => of_chunk((number - 1024) / 2),
            },
            item::ENTITY => match self.entity_at(item)?.owner {
                Owner::Map => None,
                Owner::Level(level) => Some(level),
                Owner::Chunk(at) => Some(at.level_number),
            },
            _ => Some(in_level(item).0),
        };
        level.filter(|level| *level < self.pmf.levels.len())
    }

    /// A chunk by its number in the file.
    pub(super) fn chunk_at(&self, number: u64) -> Option<ChunkAt<'_>> {
        let (level_number, number) = Numbers::split(&self.numbers.chunks, number)?;
        let level = self.pmf.levels.get(level_number)?;
        let number = usize::try_from(number).ok()?;
        Some(ChunkAt {
            level_number,
            level,
            number,
            chunk: level.chunks.get(number)?,
        })
    }

    /// The cube that an item is, or is a side of, and which side.
    pub(super) fn cube_at(&self, item: Item) -> Option<(CubeAt<'_>, Option<usize>)> {
        let (number, side) = match item.kind {
            item::CUBE => (item.index, None),
            item::FACE => (item.index / 6, Some((item.index % 6) as usize)),
            _ => return None,
        };
        let (chunk, cube) = Numbers::split(&self.numbers.cubes, number)?;
        let at = self.chunk_at(chunk as u64)?;
        let data = at.chunk.data.as_deref()?;
        let cube = u32::try_from(cube).ok()?;
        Some((CubeAt { at, data, cube }, side))
    }
}
