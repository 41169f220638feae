//! From one item to another: to the neighbour, to the next of a kind, and from a problem to what
//! it is about.

use glam::Vec3;

use super::chunk_map::holds_anything;
use super::items::{CubeAt, in_level, item};
use super::{Map, files};
use crate::listed::{LISTED_AFTER, LISTED_BEFORE, beside, beyond};
use crate::{Direction, Item};
use mapscope_formats::pmf::{Cell, ChunkIndex, Cube, CubeKind, Cubes, EntityKind, Level};
use mapscope_formats::{Problem, Subject};

/// How many empty cells are crossed on the way to a neighbour.
const MOST_CROSSED: usize = 4096;

/// The place in a tree where a point is: a cube without others in it, or the empty corner of a
/// parent.
pub(super) struct Leaf {
    /// Its place; the cube of an empty corner is the parent.
    pub(super) cell: Cell,
    /// None where no child is.
    pub(super) cube: Option<u32>,
}

/// What is at a point of chunk space.
pub(super) fn leaf_at(cubes: &Cubes, point: Vec3, half: f32) -> Option<Leaf> {
    if cubes.is_empty() {
        return None;
    }
    let mut cell = Cell {
        cube: 0,
        depth: 0,
        center: [0.0; 3],
        half,
    };
    loop {
        match cubes.get(cell.cube)? {
            Cube::Parent(parent) => {
                let from = point - Vec3::from(cell.center);
                // Bits of a corner: toward less X, Z and Y.
                let corner = usize::from(from.x < 0.0)
                    | usize::from(from.z < 0.0) << 1
                    | usize::from(from.y < 0.0) << 2;
                let child = cubes.children(parent).find(|(at, _)| *at == corner);
                let Some((_, child)) = child else {
                    let cell = cell.child(corner, cell.cube);
                    return Some(Leaf { cell, cube: None });
                };
                cell = cell.child(corner, child);
            }
            _ => match cubes.inside(cell.cube).next() {
                Some((_, inside)) => cell.cube = inside,
                None => {
                    return Some(Leaf {
                        cell,
                        cube: Some(cell.cube),
                    });
                }
            },
        }
    }
}

fn step_of(direction: Direction) -> Vec3 {
    match direction {
        Direction::North => Vec3::Z,
        Direction::East => Vec3::X,
        Direction::South => Vec3::NEG_Z,
        Direction::West => Vec3::NEG_X,
    }
}

/// The chunk beside another; none at the edge of the grid.
fn chunk_beside(level: &Level, chunk: ChunkIndex, step: Vec3) -> Option<usize> {
    let [y, x, z] = chunk.yxz();
    let x = x.checked_add_signed(step.x as i32)?;
    let z = z.checked_add_signed(step.z as i32)?;
    let beside = ChunkIndex::new([y, x, z]);
    // What has no room in an index is in no grid.
    (beside.yxz() == [y, x, z])
        .then(|| level.chunk_number(beside))
        .flatten()
}

impl Map {
    /// The item beside another: a box beside a box, a chunk beside a chunk, and of what stands in
    /// a list the one before or after.
    pub(super) fn item_beside(&self, item: Item, direction: Direction) -> Option<Item> {
        let backwards = matches!(direction, Direction::North | Direction::West);
        match item.kind {
            item::CUBE | item::FACE => self.cube_beside(item, direction),
            item::CHUNK => {
                let at = self.chunk_at(item.index)?;
                let number = chunk_beside(at.level, at.chunk.index, step_of(direction))?;
                self.chunk_item(at.level_number, number)
            }
            item::LEVEL
            | item::MATERIAL
            | item::PHYSICS
            | item::SOUND
            | item::WEATHER
            | item::GRAVITY
            | item::ECHO
            | item::SKY
            | item::ENTITY => {
                let index = if backwards {
                    item.index.checked_sub(1)?
                } else {
                    item.index.checked_add(1)?
                };
                let beside = Item { index, ..item };
                let is_there = !self.item_properties(beside).is_empty();
                is_there.then_some(beside)
            }
            _ => None,
        }
    }

    /// What the item beside another is called in a menu, and what it is: levels have no north.
    pub(super) fn name_beside(item: Item, direction: Direction) -> [&'static str; 2] {
        let is_placed = matches!(item.kind, item::CUBE | item::FACE | item::CHUNK);
        match direction {
            Direction::North if is_placed => ["Neighbour toward +Z", "Select what is next along Z"],
            Direction::East if is_placed => ["Neighbour toward +X", "Select what is next along X"],
            Direction::South if is_placed => {
                ["Neighbour toward -Z", "Select what is next against Z"]
            }
            Direction::West if is_placed => {
                ["Neighbour toward -X", "Select what is next against X"]
            }
            Direction::North | Direction::West => LISTED_BEFORE,
            Direction::South | Direction::East => LISTED_AFTER,
        }
    }

    /// The box that follows one in a direction; of a side, the same side of it if it is drawn.
    fn cube_beside(&self, item: Item, direction: Direction) -> Option<Item> {
        let (cube, side) = self.cube_at(item)?;
        let step = step_of(direction);
        let half = cube.at.level.chunk_side() * 0.5;
        let cell = cube.place()?.cell;
        let mut at = cube.at;
        // A little off the middle, so that of smaller cubes one is chosen.
        let from = Vec3::from(cell.center) + (Vec3::ONE - step.abs()) * cell.half * 1e-3;
        let mut along = (Vec3::from(cell.center) * step).element_sum() + cell.half;
        let nudge = half * 1e-6;
        let across = from * (Vec3::ONE - step.abs());
        for _ in 0..MOST_CROSSED {
            if along + nudge >= half {
                let number = chunk_beside(at.level, at.chunk.index, step)?;
                at.chunk = at.level.chunks.get(number)?;
                at.number = number;
                along = -half;
            }
            let Some(data) = at.chunk.data.as_deref() else {
                along = half;
                continue;
            };
            let point = across + step * (along + nudge);
            let leaf = leaf_at(&data.cubes, point, half)?;
            if let Some(found) = leaf.cube
                && let Some(Cube::Geometry(geometry)) = data.cubes.get(found)
            {
                let beside = CubeAt {
                    at,
                    data,
                    cube: found,
                };
                let drawn = side.filter(|side| geometry.side_mask() >> side & 1 == 1);
                let (level, chunk) = (at.level_number, at.number);
                return match drawn {
                    Some(side) => self.face_item(level, chunk, beside.cube, side as u8),
                    None => self.cube_item(level, chunk, beside.cube),
                };
            }
            along = (Vec3::from(leaf.cell.center) * step).element_sum() + leaf.cell.half;
        }
        None
    }

    /// The item of a kind that follows or precedes another, going round at the end: faces of a
    /// material, cubes and entities of a type, and chunks of a level that hold anything.
    pub(super) fn next_of(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        match kind.kind {
            item::MATERIAL => self.next_face(kind, after, backwards),
            item::CUBE_KIND => self.next_cube(kind, after, backwards),
            item::ENTITY_KIND => {
                let kind = EntityKind::from_number(u8::try_from(kind.index).ok()?)?;
                let lists = [None]
                    .into_iter()
                    .chain((0..self.pmf.levels.len()).map(Some));
                let of_kind = lists.filter_map(|level| {
                    let kinds = self.entities_by_kind(level);
                    let (_, numbers) = kinds.iter().find(|(of, _)| *of == kind)?;
                    Some(numbers)
                });
                let numbers: Vec<u64> = of_kind.flatten().copied().collect();
                let after = after.filter(|item| item.kind == item::ENTITY);
                let found = beyond(&numbers, after.map(|item| item.index), backwards)?;
                Some(Item {
                    kind: item::ENTITY,
                    index: found,
                })
            }
            item::LEVEL => {
                let level = usize::try_from(kind.index).ok()?;
                let first = self.chunk_item(level, 0)?.index;
                let chunks = self.chunks_of(level);
                let chunks = chunks.filter(|at| holds_anything(at.chunk));
                let numbers: Vec<u64> = chunks.map(|at| first + at.number as u64).collect();
                let after = after.and_then(|item| {
                    let at = self.chunk_of(item)?;
                    Some(self.chunk_item(at.level_number, at.number)?.index)
                });
                Some(Item {
                    kind: item::CHUNK,
                    index: beyond(&numbers, after, backwards)?,
                })
            }
            _ => None,
        }
    }

    fn next_face(&self, material: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let (number, index) = in_level(material);
        let level = self.levels.get(number)?;
        let chunks = &level.uses().get(index)?.chunks;
        let faces_of = |chunk: usize| -> Vec<u64> {
            let mesh = level.mesh(chunk);
            let faces = mesh.into_iter().flat_map(|mesh| {
                let faces = mesh.faces.iter();
                faces.filter(|face| mesh.material_of(face).map(usize::from) == Some(index))
            });
            let items =
                faces.filter_map(|face| self.face_item(number, chunk, face.cube, face.side));
            let mut items: Vec<u64> = items.map(|item| item.index).collect();
            items.sort_unstable();
            items
        };
        let found = |index| Item {
            kind: item::FACE,
            index,
        };
        let after = after.and_then(|item| {
            let at = self.chunk_of(item).filter(|at| at.level_number == number)?;
            let first = match item.kind {
                item::FACE => Some(item.index),
                item::CUBE => Some(item.index * 6),
                _ => None,
            };
            Some((at.number, first))
        });
        if let Some((chunk, Some(at))) = after {
            let faces = faces_of(chunk);
            if let Some(next) = beside(&faces, at, backwards) {
                return Some(found(*next));
            }
        }
        let numbers: Vec<u64> = chunks.iter().map(|chunk| *chunk as u64).collect();
        let chunk = beyond(&numbers, after.map(|(chunk, _)| chunk as u64), backwards)?;
        let faces = faces_of(chunk as usize);
        let end = if backwards {
            faces.last()
        } else {
            faces.first()
        };
        end.copied().map(found)
    }

    fn next_cube(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let level = usize::try_from(kind.index >> 8).ok()?;
        let wanted = *CubeKind::ALL.get((kind.index & 0xFF) as usize)?;
        let after = after.and_then(|item| self.cube_at(item));
        let after = after
            .map(|(cube, _)| cube)
            .filter(|cube| cube.at.level_number == level);
        let chunks = &self.pmf.levels.get(level)?.chunks;
        let count = chunks.len();
        let cubes_of = |chunk: usize| {
            let data = chunks.get(chunk)?.data.as_deref()?;
            Some(&data.cubes)
        };
        let item = |chunk, cube| self.cube_item(level, chunk, cube);
        let is_wanted = |cubes: &Cubes, cube: &u32| cubes.kind(*cube) == Some(wanted);
        // The rest of the chunk, then the others, and last the chunk from its other end.
        let first = after.map_or(if backwards { count.checked_sub(1)? } else { 0 }, |cube| {
            cube.at.number
        });
        for step in 0..=count {
            let chunk = if backwards {
                (first + count - step % count.max(1)) % count.max(1)
            } else {
                (first + step) % count.max(1)
            };
            let Some(cubes) = cubes_of(chunk) else {
                continue;
            };
            let len = cubes.len() as u32;
            let from = after.filter(|_| step == 0).map(|cube| cube.cube);
            let mut cubes_after = from.map_or(0, |from| from + 1)..len;
            let mut cubes_before = (0..from.unwrap_or(len)).rev();
            let next = if backwards {
                cubes_before.find(|cube| is_wanted(cubes, cube))
            } else {
                cubes_after.find(|cube| is_wanted(cubes, cube))
            };
            if let Some(cube) = next {
                return item(chunk, cube);
            }
        }
        None
    }

    /// What a problem is about.
    pub(super) fn item_of_problem(&self, problem: &Problem) -> Option<Item> {
        let item = |kind, index: usize| Item {
            kind,
            index: index as u64,
        };
        match problem.subject {
            Subject::MapEntity(entity) => self.entity_of_list(0, entity),
            Subject::Extension(index) => Some(item(item::EXTENSION, index as usize)),
            Subject::ArchiveEntry(index) => Some(files::file_item(index as usize)),
            Subject::Level(level) => Some(item(item::LEVEL, level.into())),
            Subject::LevelMaterial { level, material } => {
                Some(Self::material_item(level.into(), material as usize))
            }
            Subject::LevelEntity { level, entity } => {
                let level = usize::from(level);
                let list = self.list_of_level(level)?;
                let entity = self.entity_of_list(list, entity);
                entity.or(Some(item(item::LEVEL, level)))
            }
            Subject::Chunk { level, chunk } => {
                let (level, chunk) = self.chunk_number(level, chunk)?;
                self.chunk_item(level, chunk)
            }
            Subject::Cube { level, chunk, cube } => {
                let (level, chunk) = self.chunk_number(level, chunk)?;
                let data = self.pmf.levels.get(level)?.chunks.get(chunk)?.data.as_ref();
                if data.is_some_and(|data| (cube as usize) < data.cubes.len()) {
                    self.cube_item(level, chunk, cube)
                } else {
                    self.chunk_item(level, chunk)
                }
            }
            Subject::ChunkEntity {
                level,
                chunk,
                entity,
            } => {
                let (level, chunk) = self.chunk_number(level, chunk)?;
                let list = self.list_of_level(level)? + 1 + chunk;
                let entity = self.entity_of_list(list, entity);
                entity.or_else(|| self.chunk_item(level, chunk))
            }
            _ => Some(item(item::MAP, 0)),
        }
    }

    /// The numbers of a level and of a chunk in it.
    fn chunk_number(&self, level: u8, chunk: [u32; 3]) -> Option<(usize, usize)> {
        let level = usize::from(level);
        let number = self.pmf.levels.get(level)?;
        Some((level, number.chunk_number(ChunkIndex::new(chunk))?))
    }

    fn entity_of_list(&self, list: usize, index: u32) -> Option<Item> {
        let (_, entities, _) = self.entity_list(list)?;
        ((index as usize) < entities.len()).then_some(Item {
            kind: item::ENTITY,
            index: self.first_entity(list) + u64::from(index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::sample;
    use mapscope_formats::pmf;

    #[test]
    fn steps_go_through_all_of_a_kind_and_round() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let count_of = |kind: Item| {
            let mut items = std::collections::HashSet::new();
            let mut at = None;
            loop {
                at = map.next_of(kind, at, false);
                match at {
                    Some(item) if items.insert(item) => {}
                    _ => break,
                }
            }
            // The first one comes after the last one.
            let first = map.next_of(kind, None, false);
            let last = map.next_of(kind, None, true);
            assert_eq!(map.next_of(kind, last, false), first);
            assert_eq!(map.next_of(kind, first, true), last);
            items.len()
        };
        for (index, uses) in level.uses().iter().enumerate() {
            assert_eq!(count_of(Map::material_item(0, index)), uses.faces);
        }
        let counts = level.counts(&map.pmf().levels[0]);
        for (kind, count) in CubeKind::ALL.iter().zip(counts.kinds) {
            let kind = super::super::properties::cube_kind_item(0, *kind);
            assert_eq!(count_of(kind) as u64, count);
        }
        let light = Item {
            kind: item::ENTITY_KIND,
            index: 8,
        };
        assert_eq!(count_of(light), 4);
        let of_level = Item {
            kind: item::LEVEL,
            index: 0,
        };
        assert_eq!(count_of(of_level), 2);
        assert_eq!(
            map.next_of(map.chunk_item(0, 0).unwrap(), None, false),
            None
        );
    }

    #[test]
    fn neighbours_are_beside_each_other() {
        let map = sample::made_up();
        let chunk = map.chunk_item(0, 0).unwrap();
        let east = map.item_beside(chunk, Direction::East);
        assert_eq!(east, map.chunk_item(0, 1));
        assert_eq!(map.item_beside(east.unwrap(), Direction::West), Some(chunk));
        assert_eq!(map.item_beside(chunk, Direction::North), None);
        let first = Map::material_item(0, 0);
        let second = map.item_beside(first, Direction::South);
        assert_eq!(second, Some(Map::material_item(0, 1)));
        assert_eq!(map.item_beside(first, Direction::North), None);
        let mut walked = 0;
        for mesh in &map.levels()[0].chunks {
            for face in mesh.faces.iter().step_by(23) {
                let at = map.cube_item(0, mesh.chunk, face.cube).unwrap();
                for direction in [
                    Direction::North,
                    Direction::East,
                    Direction::South,
                    Direction::West,
                ] {
                    let Some(beside) = map.item_beside(at, direction) else {
                        continue;
                    };
                    let place = |item| {
                        let (cube, _) = map.cube_at(item).unwrap();
                        let place = cube.place().unwrap();
                        place.cell_in_world(cube.at.center()).center()
                    };
                    let way = place(beside) - place(at);
                    let step = step_of(direction);
                    assert!(way.dot(step) > 0.0);
                    assert!((way - step * way.dot(step)).length() < 1e-3, "{way}");
                    walked += 1;
                }
            }
        }
        assert!(walked > 50, "{walked}");
    }

    #[test]
    fn problems_lead_to_what_they_are_about() {
        let mut pmf = pmf::synthesize([1, 2, 1], 2, 7);
        let data = pmf.levels[0].chunks[1].data.as_mut().unwrap();
        let orphan = data.cubes.push_empty();
        data.cubes.link().unwrap();
        let bytes = pmf::write(&pmf, pmf::Packing::Compressed).unwrap();
        let map = sample::file(&bytes);
        let problems = &map.problems;
        let [problem] = &problems[..] else {
            panic!("{problems:?}");
        };
        assert_eq!(map.item_of_problem(problem), map.cube_item(0, 1, orphan));
        // A texture that is not there.
        let mut named = pmf.clone();
        let client = named.levels[0].client.as_mut().unwrap();
        client.materials[2].texture = client.skies[0].skybox[0];
        let other = sample::map(named);
        let missing = other
            .problems
            .iter()
            .find(|p| p.message.contains("`stone`"));
        let material = other.item_of_problem(missing.unwrap());
        assert_eq!(material, Some(Map::material_item(0, 2)));
        // A chunk that cannot be read.
        let frame = map.pmf().levels[0].chunks[0].frames[0];
        let mut broken = bytes.clone();
        broken[frame.start as usize] = 0;
        let map = sample::file(&broken);
        let about: Vec<_> = map
            .problems
            .iter()
            .map(|problem| map.item_of_problem(problem))
            .collect();
        assert!(about.contains(&map.chunk_item(0, 0)), "{about:?}");
    }
}
