//! What items lead to: the levels, chunks, cubes and entities of a map.

use super::Map;
use super::environments::Environment;
use crate::{LevelItem, Owner};
use mapscope_formats::pmf::{self, ChunkData, ChunkIndex, Entities, Entity, Side, StringTable};

impl LevelItem {
    /// The item of a level.
    pub(super) fn level(level: usize) -> Self {
        let level = level as u32;
        Self::Level { level }
    }

    /// The item of a chunk of a level.
    pub(super) fn chunk(level: usize, chunk: usize) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Chunk { level, chunk }
    }

    /// The item of a cube.
    pub(super) fn cube(level: usize, chunk: usize, cube: u32) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Cube { level, chunk, cube }
    }

    /// The item of a side of a cube.
    pub(super) fn face(level: usize, chunk: usize, cube: u32, side: u8) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Face {
            level,
            chunk,
            cube,
            side,
        }
    }

    /// The item of all cubes of a type in a level.
    pub(super) fn cube_type(level: usize, kind: pmf::CubeKind) -> Self {
        Self::CubeType {
            level: level as u32,
            cube_type: kind as u8,
        }
    }

    /// The item of a material of a level.
    pub(super) fn material(level: usize, index: usize) -> Self {
        let [level, index] = [level, index].map(|index| index as u32);
        Self::Material { level, index }
    }

    /// The item of a physics material of a level.
    pub(super) fn physics_material(level: usize, index: usize) -> Self {
        let [level, index] = [level, index].map(|index| index as u32);
        Self::PhysicsMaterial { level, index }
    }

    /// The item of a type of entities.
    pub(super) fn entity_type(kind: pmf::EntityKind) -> Self {
        let entity_type = kind.number().into();
        Self::EntityType { entity_type }
    }

    /// The item of an entry of the archive.
    pub(super) fn archive_file(entry: usize) -> Self {
        let index = entry as u32;
        Self::ArchiveFile { index }
    }

    /// The item of the string table of the file.
    pub(super) const STRINGS_OF_FILE: Self = Self::Strings {
        owner: Owner::Map,
        index: 0,
    };

    /// The item of a string table of a level.
    pub(super) fn strings_of_level(level: usize, side: Side) -> Self {
        Self::Strings {
            owner: Owner::level(level),
            index: side as u32,
        }
    }
}

impl Owner {
    /// The owner that is a level.
    pub(super) fn level(level: usize) -> Self {
        let level = level as u32;
        Self::Level { level }
    }

    /// The level that it is, or is in; none for the file.
    pub(super) fn in_level(self) -> Option<usize> {
        match self {
            Self::Map => None,
            Self::Level { level } | Self::Chunk { level, .. } => Some(level as usize),
        }
    }

    /// Where it stands in the file: the lists of a level come before those of its chunks.
    pub(super) fn order(self) -> [u64; 2] {
        match self {
            Self::Map => [0, 0],
            Self::Level { level } => [1 + u64::from(level), 0],
            Self::Chunk { level, chunk } => [1 + u64::from(level), 1 + u64::from(chunk)],
        }
    }
}

/// An entity of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityAt<'a> {
    pub(super) map: &'a Map,
    pub(super) owner: Owner,
    /// The chunk that it belongs to, if it does to one.
    pub(super) chunk: Option<ChunkAt<'a>>,
    pub(super) entity: Entity<'a>,
}

/// A list of entities.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityListAt<'a> {
    map: &'a Map,
    pub(super) owner: Owner,
    /// The chunk that it belongs to, if it does to one.
    pub(super) chunk: Option<ChunkAt<'a>>,
    pub(super) entities: &'a Entities,
    pub(super) strings: &'a StringTable,
}

/// A chunk of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkAt<'a> {
    pub(super) map: &'a Map,
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

impl<'a> EntityListAt<'a> {
    /// An entity of the list by its index.
    pub(super) fn get(&self, index: u32) -> Option<EntityAt<'a>> {
        let entity = self.entities.get(index as usize, self.strings)?;
        Some(self.at(entity))
    }

    /// The entities of the list.
    pub(super) fn iter(self) -> impl Iterator<Item = EntityAt<'a>> {
        let entities = self.entities.iter(self.strings);
        entities.map(move |entity| self.at(entity))
    }

    fn at(self, entity: Entity<'a>) -> EntityAt<'a> {
        EntityAt {
            map: self.map,
            owner: self.owner,
            chunk: self.chunk,
            entity,
        }
    }
}

impl EntityAt<'_> {
    pub(super) fn item(&self) -> LevelItem {
        LevelItem::Entity {
            owner: self.owner,
            index: self.entity.index() as u32,
        }
    }
}

impl ChunkAt<'_> {
    pub(super) fn item(&self) -> LevelItem {
        LevelItem::chunk(self.level_number, self.number)
    }

    pub(super) fn cube_item(&self, cube: u32) -> LevelItem {
        LevelItem::cube(self.level_number, self.number, cube)
    }

    pub(super) fn face_item(&self, cube: u32, side: u8) -> LevelItem {
        LevelItem::face(self.level_number, self.number, cube, side)
    }

    pub(super) fn owner(&self) -> Owner {
        Owner::Chunk {
            level: self.level_number as u32,
            chunk: self.number as u32,
        }
    }

    pub(super) fn lightmap_item(&self, index: usize) -> LevelItem {
        LevelItem::Lightmap {
            level: self.level_number as u32,
            chunk: self.number as u32,
            index: index as u32,
        }
    }

    pub(super) fn region_item(&self, of: Environment, index: usize) -> LevelItem {
        LevelItem::Region {
            level: self.level_number as u32,
            chunk: self.number as u32,
            environment: of as u8,
            index: index as u32,
        }
    }

    pub(super) fn server_region_item(&self, index: usize) -> LevelItem {
        LevelItem::ServerRegion {
            level: self.level_number as u32,
            chunk: self.number as u32,
            index: index as u32,
        }
    }

    /// The item of a string table; that of the common section is the client's too.
    pub(super) fn strings_item(&self, side: Side) -> LevelItem {
        LevelItem::Strings {
            owner: self.owner(),
            index: u32::from(side == Side::Server),
        }
    }
}

/// Characters of the longest name of a chunk, and of the longest number of a cube.
pub(super) fn widths(map: &pmf::Pmf) -> [usize; 2] {
    let last = map.levels.iter().map(|level| {
        let last = ChunkIndex::new(level.grid.map(|count| count.saturating_sub(1)));
        last.to_string().len()
    });
    let chunks = map.levels.iter().flat_map(|level| &level.chunks);
    let cubes = chunks.filter_map(|chunk| Some(chunk.data.as_deref()?.cubes.len()));
    let max = cubes.max().unwrap_or(0);
    let cube = max.saturating_sub(1).to_string().len();
    [last.max().unwrap_or(0), cube]
}

impl Map {
    /// What has lists of entities, in the order of the file.
    pub(super) fn owners(&self) -> impl DoubleEndedIterator<Item = Owner> {
        let levels = self.pmf.levels.iter().enumerate();
        let of_levels = levels.flat_map(|(number, level)| {
            let chunks = (0..level.chunks.len()).map(move |chunk| Owner::Chunk {
                level: number as u32,
                chunk: chunk as u32,
            });
            [Owner::level(number)].into_iter().chain(chunks)
        });
        [Owner::Map].into_iter().chain(of_levels)
    }

    /// A list of entities; none where a section is missing.
    pub(super) fn entity_list(&self, owner: Owner) -> Option<EntityListAt<'_>> {
        let chunk = match owner {
            Owner::Chunk { level, chunk } => Some(self.chunk_at(level, chunk)?),
            _ => None,
        };
        let (entities, strings) = match owner {
            Owner::Map => (&self.pmf.entities, &self.pmf.strings),
            Owner::Level { level } => {
                let server = self.pmf.levels.get(level as usize)?.server.as_ref()?;
                (&server.entities, &server.strings)
            }
            Owner::Chunk { .. } => {
                let server = chunk?.server()?;
                (&server.entities, &server.strings)
            }
        };
        Some(EntityListAt {
            map: self,
            owner,
            chunk,
            entities,
            strings,
        })
    }

    /// An entity by its item.
    pub(super) fn entity_at(&self, item: LevelItem) -> Option<EntityAt<'_>> {
        match item {
            LevelItem::Entity { owner, index } => self.entity_list(owner)?.get(index),
            _ => None,
        }
    }

    /// The level that an item belongs to; none for one that belongs to all.
    pub(super) fn level_of_item(item: LevelItem) -> Option<usize> {
        match item {
            LevelItem::Map
            | LevelItem::Clip
            | LevelItem::EntityType { .. }
            | LevelItem::Gamemode { .. }
            | LevelItem::ArchiveFile { .. }
            | LevelItem::Extension { .. } => None,
            LevelItem::Entity { owner, .. } | LevelItem::Strings { owner, .. } => owner.in_level(),
            LevelItem::Level { level }
            | LevelItem::Chunk { level, .. }
            | LevelItem::Cube { level, .. }
            | LevelItem::Face { level, .. }
            | LevelItem::CubeType { level, .. }
            | LevelItem::Material { level, .. }
            | LevelItem::Lightmap { level, .. }
            | LevelItem::DynamicLight { level, .. }
            | LevelItem::FastLight { level, .. }
            | LevelItem::PhysicsMaterial { level, .. }
            | LevelItem::SoundMaterial { level, .. }
            | LevelItem::Weather { level, .. }
            | LevelItem::Gravity { level, .. }
            | LevelItem::SoundEnvironment { level, .. }
            | LevelItem::Sky { level, .. }
            | LevelItem::Region { level, .. }
            | LevelItem::ServerRegion { level, .. } => Some(level as usize),
        }
    }

    /// What a chunk holds, by its level and its number in it; none where it cannot be read.
    pub(super) fn chunk_data(&self, level: usize, chunk: usize) -> Option<&ChunkData> {
        self.pmf
            .levels
            .get(level)?
            .chunks
            .get(chunk)?
            .data
            .as_deref()
    }

    /// A chunk by its level and its number in it.
    pub(super) fn chunk_at(&self, level: u32, chunk: u32) -> Option<ChunkAt<'_>> {
        let (level_number, number) = (level as usize, chunk as usize);
        let level = self.pmf.levels.get(level_number)?;
        Some(ChunkAt {
            map: self,
            level_number,
            level,
            number,
            chunk: level.chunks.get(number)?,
        })
    }

    /// The cube that an item is, or is a side of, and which side.
    pub(super) fn cube_at(&self, item: LevelItem) -> Option<(CubeAt<'_>, Option<usize>)> {
        let (at, cube, side) = match item {
            LevelItem::Cube { level, chunk, cube } => (self.chunk_at(level, chunk)?, cube, None),
            LevelItem::Face {
                level,
                chunk,
                cube,
                side,
            } if side < 6 => (self.chunk_at(level, chunk)?, cube, Some(side.into())),
            _ => return None,
        };
        let data = at.data()?;
        ((cube as usize) < data.cubes.len()).then_some((CubeAt { at, data, cube }, side))
    }

    /// The chunk that an item is, or is in.
    pub(super) fn chunk_of(&self, item: LevelItem) -> Option<ChunkAt<'_>> {
        match item {
            LevelItem::Cube { .. } | LevelItem::Face { .. } => Some(self.cube_at(item)?.0.at),
            LevelItem::Chunk { level, chunk }
            | LevelItem::Lightmap { level, chunk, .. }
            | LevelItem::Region { level, chunk, .. }
            | LevelItem::ServerRegion { level, chunk, .. } => self.chunk_at(level, chunk),
            _ => None,
        }
    }
}
