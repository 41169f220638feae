//! The octrees of a level as a tree of lines, loaded lazily.

use std::collections::HashSet;

use super::Map;
use super::chunk_map::is_nonempty_chunk;
use super::fields::cube::CORNERS;
use super::items::ChunkAt;
use super::overlays::cell_color;
use crate::{Branch, Item, LevelItem, Swatch};
use mapscope_formats::pmf::{ChunkData, Cube, CubeKind, Cubes, Geometry};

/// Maximum number of lines below a line.
const MAX_LINES: usize = 4096;
/// Maximum number of materials named for a box.
const MAX_NAMED: usize = 3;

/// A search query.
struct BranchQuery<'a> {
    /// Part of the name of a chunk, such as `0,1,0`.
    chunk: Option<[u32; 3]>,
    index: Option<u32>,
    /// Part of the name of a type or a material.
    name: Option<&'a str>,
}

impl<'a> BranchQuery<'a> {
    /// Parses a query: `1234`, `chunk 0,1,0`, `0,1,0 1234`, `brick` or `0,1,0 brick`.
    fn of(text: &'a str) -> Option<Self> {
        let mut wanted = Self {
            chunk: None,
            index: None,
            name: None,
        };
        let mut rest = text.trim();
        rest = rest.strip_prefix("chunk").map_or(rest, str::trim_start);
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')' | ',' | ' ');
        let end = rest.find(|c| !digits(c)).unwrap_or(rest.len());
        let head = rest.get(..end)?;
        if head.contains(',') {
            // Three numbers separated by commas, then the rest.
            let mut numbers = Vec::new();
            let mut after = rest;
            while numbers.len() < 3 {
                after = after.trim_start_matches(['(', ',', ' ']);
                let len = after
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(after.len());
                numbers.push(after.get(..len)?.parse().ok()?);
                after = after.get(len..)?;
            }
            wanted.chunk = numbers.try_into().ok();
            rest = after.trim_start_matches([')', ',']).trim();
        }
        rest = rest.strip_prefix("cube ").map_or(rest, str::trim_start);
        if rest.is_empty() {
            return wanted.chunk.is_some().then_some(wanted);
        }
        match rest.parse() {
            Ok(index) => wanted.index = Some(index),
            Err(_) => wanted.name = Some(rest),
        }
        Some(wanted)
    }
}

impl Map {
    /// Returns the lines below an item of the tree, or without an item the chunks of the level.
    pub(super) fn branch_lines(&self, level: usize, below: Option<LevelItem>) -> Vec<Branch> {
        let Some(item) = below else {
            let chunks = self
                .chunks_of(level)
                .filter(|at| is_nonempty_chunk(at.chunk));
            return chunks.take(MAX_LINES).map(|at| chunk_branch(&at)).collect();
        };
        if let LevelItem::Chunk { level, chunk } = item {
            let at = self.chunk_at(level, chunk);
            let Some((at, data)) = at.and_then(|at| Some((at, at.data()?))) else {
                return Vec::new();
            };
            let root = cube_branch(&at, data, 0, "root");
            let orphans = orphans(&data.cubes).filter_map(|cube| {
                let branch = cube_branch(&at, data, cube, "not reached")?;
                Some(Branch {
                    children: 0,
                    ..branch
                })
            });
            return root.into_iter().chain(orphans).collect();
        }
        let Some((cube, None)) = self.cube_at(item) else {
            return Vec::new();
        };
        // Links below an unreached cube may lead anywhere.
        if !cube.data.cubes.is_reached(cube.cube) {
            return Vec::new();
        }
        let inside = cube.data.cubes.inside(cube.cube);
        let lines = inside.filter_map(|(corner, child)| {
            let corner = corner.and_then(|corner| CORNERS.get(corner));
            let place = corner.copied().unwrap_or("inside");
            cube_branch(&cube.at, cube.data, child, place)
        });
        lines.collect()
    }

    /// Returns the parent of an item in the tree.
    pub(super) fn parent_in_tree(&self, item: LevelItem) -> Option<Item> {
        let (cube, side) = self.cube_at(item)?;
        let above = match side {
            Some(_) => Some(cube.cube),
            None => cube.data.cubes.above(cube.cube),
        };
        let above = above.map_or_else(|| cube.at.item(), |above| cube.at.cube_item(above));
        Some(above.into())
    }

    /// Finds cubes of a level by index, type or material, at most `most` of them, in tree order.
    pub(super) fn search_branches(&self, level: usize, text: &str, most: usize) -> Vec<Branch> {
        let text = text.to_lowercase();
        let Some(wanted) = BranchQuery::of(&text) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for at in self.chunks_of(level) {
            if wanted.chunk.is_some_and(|yxz| yxz != at.chunk.index.yxz()) {
                continue;
            }
            if found.len() >= most {
                break;
            }
            let Some(data) = at.data() else {
                if wanted.index.is_none() && wanted.name.is_none() {
                    found.push(chunk_branch(&at));
                }
                continue;
            };
            let place = at.chunk.index.to_string();
            let branch = |cube| cube_branch(&at, data, cube, &place);
            match (wanted.index, wanted.name) {
                (Some(index), _) => found.extend(branch(index)),
                (None, None) => found.push(chunk_branch(&at)),
                (None, Some(name)) => {
                    let named = Named::of(data, name);
                    if named.is_nothing() {
                        continue;
                    }
                    let cells = data.cubes.cells(1.0).map(|cell| cell.cube);
                    let cubes = cells.chain(orphans(&data.cubes));
                    let left = most - found.len();
                    let matching = cubes.filter(|cube| named.has(&data.cubes, *cube));
                    found.extend(matching.take(left).filter_map(branch));
                }
            }
        }
        found.truncate(most);
        found
    }
}

fn chunk_branch(at: &ChunkAt<'_>) -> Branch {
    // A chunk that is mostly unreadable may have no root.
    let roots = |data: &ChunkData| data.cubes.len().min(1) + orphans(&data.cubes).count();
    Branch {
        item: at.item().into(),
        label: at.chunk.index.to_string(),
        note: ChunkAt::FIELDS.note(at),
        swatch: None,
        children: at.data().map_or(0, roots),
    }
}

fn cube_branch(at: &ChunkAt<'_>, data: &ChunkData, cube: u32, place: &str) -> Option<Branch> {
    let kind = data.cubes.kind(cube)?;
    Some(Branch {
        item: at.cube_item(cube).into(),
        label: format!("{cube} {}  {place}", kind.name()),
        note: note(data, cube),
        swatch: Some(Swatch::Color(cell_color(kind))),
        children: data.cubes.inside(cube).count(),
    })
}

/// Contents of a chunk that match a name.
struct Named {
    kinds: Vec<CubeKind>,
    /// Indices of materials that the chunk uses.
    materials: HashSet<u8>,
}

impl Named {
    fn of(data: &ChunkData, name: &str) -> Self {
        let kinds = CubeKind::ALL.into_iter();
        let materials = data
            .materials
            .iter()
            .zip(0..=u8::MAX)
            .filter(|(material, _)| {
                let material = data.strings.name(**material).unwrap_or_default();
                let material = String::from_utf8_lossy(material).to_lowercase();
                material.contains(name)
            });
        Self {
            kinds: kinds.filter(|kind| kind.name().contains(name)).collect(),
            materials: materials.map(|(_, index)| index).collect(),
        }
    }

    fn is_nothing(&self) -> bool {
        self.kinds.is_empty() && self.materials.is_empty()
    }

    fn has(&self, cubes: &Cubes, cube: u32) -> bool {
        let kind = cubes.kind(cube);
        if kind.is_some_and(|kind| self.kinds.contains(&kind)) {
            return true;
        }
        matches!(cubes.get(cube), Some(Cube::Geometry(geometry))
            if drawn_materials(geometry).any(|material| self.materials.contains(&material)))
    }
}

/// Returns the materials of the drawn sides of a box, or the common one if no side is drawn.
pub(super) fn drawn_materials(geometry: &Geometry) -> impl Iterator<Item = u8> {
    let mask = match geometry.side_mask() {
        0 if !geometry.is_common_extended() => 1,
        mask => mask,
    };
    let sides = geometry.materials.into_iter().enumerate();
    sides
        .filter(move |(side, _)| mask >> side & 1 == 1)
        .map(|(_, material)| material)
}

/// Returns the unreached cubes, up to the line limit.
fn orphans(cubes: &Cubes) -> impl Iterator<Item = u32> {
    let all = 0..cubes.len() as u32;
    let orphans = all.filter(|cube| !cubes.is_reached(*cube));
    orphans.take(MAX_LINES.min(cubes.orphans() as usize))
}

/// Formats the names of a box's materials, or the number of child cubes.
fn note(data: &ChunkData, cube: u32) -> String {
    let Some(Cube::Geometry(geometry)) = data.cubes.get(cube) else {
        return String::new();
    };
    let mut names: Vec<String> = Vec::new();
    for material in drawn_materials(geometry) {
        let name = data.materials.get(usize::from(material));
        let name = name.map_or_else(|| "none".into(), |name| data.strings.told(*name));
        if !names.iter().any(|other| *other == name) {
            names.push(name.into_owned());
        }
    }
    let more = names.len() > MAX_NAMED;
    names.truncate(MAX_NAMED);
    let mut note = names.join(", ");
    if more {
        note.push_str(", ...");
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;

    #[test]
    fn every_cube_is_in_the_tree_once_below_what_it_is_in() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 2, 7);
        let cubes = &mut pmf.levels[0].chunks[1].data.as_mut().unwrap().cubes;
        // An orphan cube, in no other cube.
        let orphan = cubes.push_empty();
        cubes.link().unwrap();
        let map = sample::map(pmf);
        let mut waiting = vec![None];
        let mut found = HashSet::new();
        while let Some(below) = waiting.pop() {
            let lines = map.branch_lines(0, below);
            for line in lines {
                let Item::Level(item) = line.item else {
                    panic!("{line:?}");
                };
                assert!(found.insert(item), "{line:?}");
                assert_eq!(map.parent_in_tree(item), below.map(Item::from));
                assert_eq!(map.branch_lines(0, Some(item)).len(), line.children);
                waiting.push(Some(item));
            }
        }
        let chunks = &map.pmf().levels[0].chunks;
        let cubes = chunks
            .iter()
            .map(|chunk| chunk.data.as_ref().unwrap().cubes.len());
        assert_eq!(found.len(), cubes.sum::<usize>() + chunks.len());
        let orphan = LevelItem::cube(0, 1, orphan).into();
        let lines = map.branch_lines(0, Some(LevelItem::chunk(0, 1)));
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1].item, orphan);
        assert!(lines[1].label.ends_with("not reached"), "{lines:?}");
        // A side is below its cube.
        let face = LevelItem::face(0, 0, 3, 2);
        let cube = Item::from(LevelItem::cube(0, 0, 3));
        assert_eq!(map.parent_in_tree(face), Some(cube));
    }

    #[test]
    fn a_chunk_without_cubes_has_nothing_below_it() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 7);
        let data = pmf.levels[0].chunks[0].data.as_mut().unwrap();
        data.cubes = Cubes::default();
        let map = sample::map(pmf);
        let [chunk] = &map.branch_lines(0, None)[..] else {
            panic!("no line for the chunk");
        };
        assert_eq!(chunk.children, 0);
        assert_eq!(map.branch_lines(0, Some(LevelItem::chunk(0, 0))), []);
    }

    #[test]
    fn cubes_are_found_by_index_type_and_material() {
        let map = sample::made_up();
        let found = |text, most| -> Vec<Item> {
            let lines = map.search_branches(0, text, most).into_iter();
            lines.map(|line| line.item).collect()
        };
        let cube = |chunk, index| Item::from(LevelItem::cube(0, chunk, index));
        assert_eq!(found("12", 9), [cube(0, 12), cube(1, 12)]);
        for text in [
            "0,1,0 12",
            "chunk 0,1,0 12",
            "(0, 1, 0) 12",
            "chunk (0, 1, 0) cube 12",
        ] {
            assert_eq!(found(text, 9), [cube(1, 12)], "{text}");
        }
        assert_eq!(found("chunk 0,1,0", 9), [LevelItem::chunk(0, 1).into()]);
        for nothing in ["", "  ", "0,9,0", "no such name", "4000000000", "0,1"] {
            assert_eq!(found(nothing, 9), [], "{nothing}");
        }
        let is_of = |item: &Item, kind| {
            let Item::Level(item) = *item else {
                return false;
            };
            let (cube, _) = map.cube_at(item).unwrap();
            cube.kind_name() == kind
        };
        let colliders = found("Collider", 5);
        assert!(!colliders.is_empty() && colliders.len() <= 5);
        assert!(colliders.iter().all(|item| is_of(item, "collider")));
        let grass = map.search_branches(0, "GRASS", 50);
        assert_eq!(grass.len(), 50);
        assert!(grass.iter().all(|line| line.note.contains("grass")));
        let in_second = map.search_branches(0, "0,1,0 grass", 3);
        assert!(
            in_second
                .iter()
                .all(|line| line.label.ends_with("(0, 1, 0)"))
        );
    }
}
