//! Lookup of items: the levels, chunks, cubes and entities of a map.

use super::Map;
use super::fields::environment::Environment;
use crate::{LevelItem, Owner};
use mapscope_formats::pmf::{self, ChunkData, ChunkIndex, Entities, Entity, Side, StringTable};

impl LevelItem {
    /// Returns the item of a level.
    pub(super) fn level(level: usize) -> Self {
        let level = level as u32;
        Self::Level { level }
    }

    /// Returns the item of a chunk of a level.
    pub(super) fn chunk(level: usize, chunk: usize) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Chunk { level, chunk }
    }

    /// Returns the item of a cube.
    pub(super) fn cube(level: usize, chunk: usize, cube: u32) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Cube { level, chunk, cube }
    }

    /// Returns the item of a side of a cube.
    pub(super) fn face(level: usize, chunk: usize, cube: u32, side: u8) -> Self {
        let [level, chunk] = [level, chunk].map(|index| index as u32);
        Self::Face {
            level,
            chunk,
            cube,
            side,
        }
    }

    /// Returns the item of all cubes of a type in a level.
    pub(super) fn cube_type(level: usize, kind: pmf::CubeKind) -> Self {
        Self::CubeType {
            level: level as u32,
            cube_type: kind as u8,
        }
    }

    /// Returns the item of a material of a level.
    pub(super) fn material(level: usize, index: usize) -> Self {
        let [level, index] = [level, index].map(|index| index as u32);
        Self::Material { level, index }
    }

    /// Returns the item of a physics material of a level.
    pub(super) fn physics_material(level: usize, index: usize) -> Self {
        let [level, index] = [level, index].map(|index| index as u32);
        Self::PhysicsMaterial { level, index }
    }

    /// Returns the item of an entity type.
    pub(super) fn entity_type(kind: pmf::EntityKind) -> Self {
        let entity_type = kind.number().into();
        Self::EntityType { entity_type }
    }

    /// Returns the item of an archive entry.
    pub(super) fn archive_file(entry: usize) -> Self {
        let index = entry as u32;
        Self::ArchiveFile { index }
    }

    /// Item of the string table of the file.
    pub(super) const STRINGS_OF_FILE: Self = Self::Strings {
        owner: Owner::Map,
        index: 0,
    };

    /// Returns the item of a string table of a level.
    pub(super) fn strings_of_level(level: usize, side: Side) -> Self {
        Self::Strings {
            owner: Owner::level(level),
            index: side as u32,
        }
    }
}

impl Owner {
    /// Returns the owner for a level.
    pub(super) fn level(level: usize) -> Self {
        let level = level as u32;
        Self::Level { level }
    }

    /// Level that the owner is or belongs to, or `None` for the file.
    pub(super) fn in_level(self) -> Option<usize> {
        match self {
            Self::Map => None,
            Self::Level { level } | Self::Chunk { level, .. } => Some(level as usize),
        }
    }

    /// Sort key for file order: the lists of a level precede those of its chunks.
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
    /// Chunk that owns it, if any.
    pub(super) chunk: Option<ChunkAt<'a>>,
    pub(super) entity: Entity<'a>,
}

/// A list of entities.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntityListAt<'a> {
    map: &'a Map,
    pub(super) owner: Owner,
    /// Chunk that owns it, if any.
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
    /// Returns an entity of the list by its index.
    pub(super) fn get(&self, index: u32) -> Option<EntityAt<'a>> {
        let entity = self.entities.get(index as usize, self.strings)?;
        Some(self.at(entity))
    }

    /// Returns the entities of the list.
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

    /// Returns the item of a string table. The common and client sections share one.
    pub(super) fn strings_item(&self, side: Side) -> LevelItem {
        LevelItem::Strings {
            owner: self.owner(),
            index: u32::from(side == Side::Server),
        }
    }
}

/// Characters of the longest chunk name and of the longest cube number.
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
    /// Returns all owners of entity lists, in file order.
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

    /// Returns a list of entities, or `None` if its section is missing.
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

    /// Returns an entity by its item.
    pub(super) fn entity_at(&self, item: LevelItem) -> Option<EntityAt<'_>> {
        match item {
            LevelItem::Entity { owner, index } => self.entity_list(owner)?.get(index),
            _ => None,
        }
    }

    /// Level of an item, or `None` if it belongs to all levels.
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

    /// Returns the content of a chunk by its level and its number there, or `None` if it is
    /// unreadable.
    pub(super) fn chunk_data(&self, level: usize, chunk: usize) -> Option<&ChunkData> {
        self.pmf
            .levels
            .get(level)?
            .chunks
            .get(chunk)?
            .data
            .as_deref()
    }

    /// Returns a chunk by its level and its number there.
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

    /// Returns the cube of a cube or side item, with the side if it is one.
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

    /// Returns the chunk that an item is or belongs to.
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
