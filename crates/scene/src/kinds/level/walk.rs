//! Navigation between items: to neighbours, to the next item of a kind, and from problems to their
//! items.

use super::document::as_level_item;
use crate::Walk;
use glam::Vec3;

use super::Map;
use super::chunk_map::is_nonempty_chunk;
use crate::describe::outline::{LISTED_AFTER, LISTED_BEFORE, beside, beyond};
use crate::{Direction, Item, LevelItem, Neighbor, Owner};
use mapscope_formats::pmf::{Cell, ChunkIndex, Cube, CubeKind, Cubes, EntityKind, Level};
use mapscope_formats::{Problem, Subject};

/// Maximum number of empty cells crossed on the way to a neighbour.
const MAX_CROSSED_CELLS: usize = 4096;

/// A leaf of a tree: a cube without others in it, or an empty corner of a parent.
pub(super) struct Leaf {
    /// Cell. For an empty corner, its cube is the parent.
    pub(super) cell: Cell,
    /// Cube, or `None` for an empty corner.
    pub(super) cube: Option<u32>,
}

/// Returns the leaf at a point of chunk space.
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
                // Bits of a corner: toward -X, -Z and -Y.
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

/// Returns the neighbour of a chunk, or `None` at the edge of the grid.
fn chunk_beside(level: &Level, chunk: ChunkIndex, step: Vec3) -> Option<usize> {
    let [y, x, z] = chunk.yxz();
    let x = x.checked_add_signed(step.x as i32)?;
    let z = z.checked_add_signed(step.z as i32)?;
    let beside = ChunkIndex::new([y, x, z]);
    // Coordinates that do not fit an index are in no grid.
    (beside.yxz() == [y, x, z])
        .then(|| level.chunk_number(beside))
        .flatten()
}

impl Map {
    /// Returns the neighbour of an item: a box beside a box, a chunk beside a chunk, or the
    /// previous or next entry of a list.
    pub(super) fn item_beside(&self, item: LevelItem, direction: Direction) -> Option<LevelItem> {
        let backwards = matches!(direction, Direction::North | Direction::West);
        let step = |index: u32| {
            if backwards {
                index.checked_sub(1)
            } else {
                index.checked_add(1)
            }
        };
        let mut beside = item;
        match &mut beside {
            LevelItem::Cube { .. } | LevelItem::Face { .. } => {
                return self.cube_beside(item, direction);
            }
            LevelItem::Chunk { level, chunk } => {
                let at = self.chunk_at(*level, *chunk)?;
                let number = chunk_beside(at.level, at.chunk.index, step_of(direction))?;
                return Some(LevelItem::chunk(at.level_number, number));
            }
            LevelItem::Entity { owner, index } => {
                return self.entity_beside(*owner, *index, backwards);
            }
            LevelItem::Level { level: index }
            | LevelItem::Material { index, .. }
            | LevelItem::PhysicsMaterial { index, .. }
            | LevelItem::SoundMaterial { index, .. }
            | LevelItem::Weather { index, .. }
            | LevelItem::Gravity { index, .. }
            | LevelItem::SoundEnvironment { index, .. }
            | LevelItem::Sky { index, .. } => *index = step(*index)?,
            _ => return None,
        }
        self.described(beside).map(|_| beside)
    }

    /// Returns the entity before or after another in the file, in the same list or in another one.
    fn entity_beside(&self, owner: Owner, index: u32, backwards: bool) -> Option<LevelItem> {
        let count = |owner| {
            let list = self.entity_list(owner);
            list.map_or(0, |list| list.entities.len() as u32)
        };
        if index >= count(owner) {
            return None;
        }
        let in_list = if backwards {
            index.checked_sub(1)
        } else {
            Some(index + 1).filter(|next| *next < count(owner))
        };
        if let Some(index) = in_list {
            return Some(LevelItem::Entity { owner, index });
        }
        let at = owner.order();
        let is_filled = |owner: &Owner| count(*owner) > 0;
        if backwards {
            let mut before = self.owners().rev().filter(|other| other.order() < at);
            let owner = before.find(is_filled)?;
            let index = count(owner) - 1;
            return Some(LevelItem::Entity { owner, index });
        }
        let mut after = self.owners().filter(|other| other.order() > at);
        let owner = after.find(is_filled)?;
        Some(LevelItem::Entity { owner, index: 0 })
    }

    /// Returns the neighbour of an item and the name of the step for menus. Levels have no north.
    pub(super) fn neighbor_of(&self, item: LevelItem, direction: Direction) -> Neighbor {
        let is_placed = matches!(
            item,
            LevelItem::Cube { .. } | LevelItem::Face { .. } | LevelItem::Chunk { .. }
        );
        let name = match direction {
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
        };
        Neighbor {
            item: self.item_beside(item, direction).map(Item::from),
            name: Some(name),
        }
    }

    /// Returns the next box in a direction. For a side, it returns the same side of that box if it
    /// is drawn.
    fn cube_beside(&self, item: LevelItem, direction: Direction) -> Option<LevelItem> {
        let (cube, side) = self.cube_at(item)?;
        let step = step_of(direction);
        let half = cube.at.half();
        let cell = cube.place()?.cell;
        let mut at = cube.at;
        // Slightly off the centre, so that the ray hits exactly one of several smaller cubes.
        let from = Vec3::from(cell.center) + (Vec3::ONE - step.abs()) * cell.half * 1e-3;
        let mut along = (Vec3::from(cell.center) * step).element_sum() + cell.half;
        let nudge = half * 1e-6;
        let across = from * (Vec3::ONE - step.abs());
        for _ in 0..MAX_CROSSED_CELLS {
            if along + nudge >= half {
                let number = chunk_beside(at.level, at.chunk.index, step)?;
                at.chunk = at.level.chunks.get(number)?;
                at.number = number;
                along = -half;
            }
            let Some(data) = at.data() else {
                along = half;
                continue;
            };
            let point = across + step * (along + nudge);
            let leaf = leaf_at(&data.cubes, point, half)?;
            if let Some(found) = leaf.cube
                && let Some(Cube::Geometry(geometry)) = data.cubes.get(found)
            {
                let drawn = side.filter(|side| geometry.side_mask() >> side & 1 == 1);
                return Some(match drawn {
                    Some(side) => at.face_item(found, side as u8),
                    None => at.cube_item(found),
                });
            }
            along = (Vec3::from(leaf.cell.center) * step).element_sum() + leaf.cell.half;
        }
        None
    }

    /// Returns the next or previous item of a kind after another, wrapping around at the end: faces
    /// of a material, cubes and entities of a type, and non-empty chunks of a level.
    pub(super) fn next_of(
        &self,
        kind: LevelItem,
        after: Option<LevelItem>,
        backwards: bool,
    ) -> Option<LevelItem> {
        match kind {
            LevelItem::Material { level, index } => {
                self.next_face([level, index].map(|n| n as usize), after, backwards)
            }
            LevelItem::CubeType { level, cube_type } => {
                let kind = *CubeKind::ALL.get(usize::from(cube_type))?;
                self.next_cube(level as usize, kind, after, backwards)
            }
            LevelItem::EntityType { entity_type } => {
                let kind = EntityKind::from_number(u8::try_from(entity_type).ok()?)?;
                let all = self.entities_of_all();
                let of_kind = all.filter(|(of, _)| **of == kind).map(|(_, items)| items);
                let key = |item: &LevelItem| match *item {
                    LevelItem::Entity { owner, index } => Some((owner.order(), index, owner)),
                    _ => None,
                };
                let all: Vec<_> = of_kind.flatten().filter_map(key).collect();
                let (_, index, owner) = *beyond(&all, after.as_ref().and_then(key), backwards)?;
                Some(LevelItem::Entity { owner, index })
            }
            LevelItem::Level { level } => {
                let chunks = self
                    .chunks_of(level as usize)
                    .filter(|at| is_nonempty_chunk(at.chunk));
                let numbers: Vec<usize> = chunks.map(|at| at.number).collect();
                let after = after
                    .and_then(|item| self.chunk_of(item))
                    .filter(|at| at.level_number == level as usize);
                let chunk = beyond(&numbers, after.map(|at| at.number), backwards)?;
                Some(LevelItem::chunk(level as usize, *chunk))
            }
            _ => None,
        }
    }

    fn next_face(
        &self,
        [number, index]: [usize; 2],
        after: Option<LevelItem>,
        backwards: bool,
    ) -> Option<LevelItem> {
        let level = self.levels.get(number)?;
        let chunks = &level.uses().get(index)?.chunks;
        // Cubes and sides in ascending order.
        let faces_of = |chunk: usize| -> Vec<(u32, u8)> {
            let mesh = level.mesh(chunk);
            let mut faces: Vec<_> = mesh
                .into_iter()
                .flat_map(|mesh| {
                    let faces = mesh.faces.iter();
                    faces.filter(|face| mesh.material_of(face).map(usize::from) == Some(index))
                })
                .map(|face| (face.cube, face.side))
                .collect();
            faces.sort_unstable();
            faces
        };
        let found = |chunk, (cube, side)| LevelItem::face(number, chunk, cube, side);
        let after = after.and_then(|item| {
            let at = self.chunk_of(item).filter(|at| at.level_number == number)?;
            let first = match item {
                LevelItem::Face { cube, side, .. } => Some((cube, side)),
                LevelItem::Cube { cube, .. } => Some((cube, 0)),
                _ => None,
            };
            Some((at.number, first))
        });
        if let Some((chunk, Some(at))) = after {
            let faces = faces_of(chunk);
            if let Some(next) = beside(&faces, &at, backwards) {
                return Some(found(chunk, *next));
            }
        }
        let chunk = *beyond(chunks, after.map(|(chunk, _)| chunk), backwards)?;
        let faces = faces_of(chunk);
        Some(found(chunk, *beyond(&faces, None, backwards)?))
    }

    fn next_cube(
        &self,
        level: usize,
        wanted: CubeKind,
        after: Option<LevelItem>,
        backwards: bool,
    ) -> Option<LevelItem> {
        let after = after
            .and_then(|item| self.cube_at(item))
            .filter(|(cube, _)| cube.at.level_number == level)
            .map(|(cube, _)| (cube.at.number, cube.cube));
        let count = self.pmf.levels.get(level)?.chunks.len();
        let last = count.checked_sub(1)?;
        let first = after.map_or(if backwards { last } else { 0 }, |(chunk, _)| chunk);
        // The rest of the chunk, then the other chunks, and finally the same chunk from its other
        // end.
        for step in 0..=count {
            let steps = if backwards { count - step } else { step };
            let chunk = (first + steps) % count;
            let Some(data) = self.chunk_data(level, chunk) else {
                continue;
            };
            let from = after.filter(|_| step == 0).map(|(_, cube)| cube);
            let is_wanted = |cube: &u32| data.cubes.kind(*cube) == Some(wanted);
            let len = data.cubes.len() as u32;
            let next = if backwards {
                (0..from.unwrap_or(len)).rev().find(is_wanted)
            } else {
                (from.map_or(0, |from| from + 1)..len).find(is_wanted)
            };
            if let Some(cube) = next {
                return Some(LevelItem::cube(level, chunk, cube));
            }
        }
        None
    }

    /// Returns the item that a problem is about.
    pub(super) fn item_of_problem(&self, problem: &Problem) -> Option<LevelItem> {
        let item = self.item_of_subject(problem.subject)?;
        let is_there = |item: &LevelItem| self.described(*item).is_some();
        // The item of a problem may itself be omitted because it is unreadable.
        let level = Self::level_of_item(item).map(LevelItem::level);
        let mut items = [Some(item), level].into_iter().flatten();
        items.find(is_there).or(Some(LevelItem::Map))
    }

    /// Returns the item of a problem's subject, which may not exist.
    fn item_of_subject(&self, subject: Subject) -> Option<LevelItem> {
        match subject {
            Subject::MapEntity(entity) => self.entity_of_list(Owner::Map, entity),
            Subject::Extension(index) => Some(LevelItem::Extension { index }),
            Subject::ArchiveEntry(index) => Some(LevelItem::ArchiveFile { index }),
            Subject::Level(level) => Some(LevelItem::Level {
                level: level.into(),
            }),
            Subject::LevelMaterial { level, material } => {
                Some(LevelItem::material(level.into(), material as usize))
            }
            Subject::LevelEntity { level, entity } => {
                let level = level.into();
                let entity = self.entity_of_list(Owner::Level { level }, entity);
                entity.or(Some(LevelItem::Level { level }))
            }
            Subject::Chunk { level, chunk } => {
                let [level, chunk] = self.chunk_number(level, chunk)?;
                Some(LevelItem::Chunk { level, chunk })
            }
            Subject::Cube { level, chunk, cube } => {
                let [level, chunk] = self.chunk_number(level, chunk)?;
                let item = LevelItem::Cube { level, chunk, cube };
                let cube = self.cube_at(item).map(|_| item);
                cube.or(Some(LevelItem::Chunk { level, chunk }))
            }
            Subject::ChunkEntity {
                level,
                chunk,
                entity,
            } => {
                let [level, chunk] = self.chunk_number(level, chunk)?;
                let entity = self.entity_of_list(Owner::Chunk { level, chunk }, entity);
                entity.or(Some(LevelItem::Chunk { level, chunk }))
            }
            _ => Some(LevelItem::Map),
        }
    }

    /// Returns the numbers of a level and of a chunk in it.
    pub(super) fn chunk_number(&self, level: u8, chunk: [u32; 3]) -> Option<[u32; 2]> {
        let in_file = self.pmf.levels.get(usize::from(level))?;
        let chunk = in_file.chunk_number(ChunkIndex::new(chunk))?;
        Some([level.into(), chunk as u32])
    }

    fn entity_of_list(&self, owner: Owner, index: u32) -> Option<LevelItem> {
        let count = self.entity_list(owner)?.entities.len();
        ((index as usize) < count).then_some(LevelItem::Entity { owner, index })
    }
}

impl Walk for Map {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        as_level_item(item).map_or_else(Neighbor::default, |item| self.neighbor_of(item, direction))
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let next = self.next_of(
            as_level_item(kind)?,
            after.and_then(as_level_item),
            backwards,
        );
        next.map(Item::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf;

    #[test]
    fn steps_go_through_all_of_a_kind_and_round() {
        let map = sample::made_up();
        let level = &map.levels()[0];
        let count_of = |kind: LevelItem| {
            let mut items = std::collections::HashSet::new();
            let mut at = None;
            loop {
                at = map.next_of(kind, at, false);
                match at {
                    Some(item) if items.insert(item) => {}
                    _ => break,
                }
            }
            // The first item follows the last one.
            let first = map.next_of(kind, None, false);
            let last = map.next_of(kind, None, true);
            assert_eq!(map.next_of(kind, last, false), first);
            assert_eq!(map.next_of(kind, first, true), last);
            items.len()
        };
        for (index, uses) in level.uses().iter().enumerate() {
            assert_eq!(count_of(LevelItem::material(0, index)), uses.faces);
        }
        let counts = level.counts(&map.pmf().levels[0]);
        for (kind, count) in CubeKind::ALL.iter().zip(counts.kinds) {
            let kind = LevelItem::cube_type(0, *kind);
            assert_eq!(count_of(kind) as u64, count);
        }
        let light = LevelItem::EntityType { entity_type: 8 };
        assert_eq!(count_of(light), 4);
        assert_eq!(count_of(LevelItem::level(0)), 2);
        assert_eq!(map.next_of(LevelItem::chunk(0, 0), None, false), None);
    }

    #[test]
    fn neighbours_are_beside_each_other() {
        let map = sample::made_up();
        let chunk = LevelItem::chunk(0, 0);
        let east = map.item_beside(chunk, Direction::East);
        assert_eq!(east, Some(LevelItem::chunk(0, 1)));
        assert_eq!(map.item_beside(east.unwrap(), Direction::West), Some(chunk));
        assert_eq!(map.item_beside(chunk, Direction::North), None);
        let first = LevelItem::material(0, 0);
        let second = map.item_beside(first, Direction::South);
        assert_eq!(second, Some(LevelItem::material(0, 1)));
        assert_eq!(map.item_beside(first, Direction::North), None);
        let mut walked = 0;
        for mesh in &map.levels()[0].chunks {
            for face in mesh.faces.iter().step_by(23) {
                let at = LevelItem::cube(0, mesh.chunk, face.cube);
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
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 2, 7);
        let data = pmf.levels[0].chunks[1].data.as_mut().unwrap();
        let orphan = data.cubes.push_empty();
        data.cubes.link().unwrap();
        let bytes = pmf::write(&pmf, pmf::Packing::Compressed).unwrap();
        let map = sample::file(&bytes);
        let problems = &map.about.problems;
        let [problem] = &problems[..] else {
            panic!("{problems:?}");
        };
        assert_eq!(
            map.item_of_problem(problem),
            Some(LevelItem::cube(0, 1, orphan))
        );
        // A missing texture.
        let mut named = pmf.clone();
        let client = named.levels[0].client.as_mut().unwrap();
        client.materials[2].texture = client.skies[0].skybox[0];
        let other = sample::map(named);
        let missing = other
            .about
            .problems
            .iter()
            .find(|p| p.message.contains("`stone`"));
        let material = other.item_of_problem(missing.unwrap());
        assert_eq!(material, Some(LevelItem::material(0, 2)));
        // An unreadable chunk.
        let frame = map.pmf().levels[0].chunks[0].frames[0];
        let mut broken = bytes.clone();
        broken[frame.start as usize] = 0;
        let map = sample::file(&broken);
        let about: Vec<_> = map
            .about
            .problems
            .iter()
            .map(|problem| map.item_of_problem(problem))
            .collect();
        assert!(about.contains(&Some(LevelItem::chunk(0, 0))), "{about:?}");
    }
}
