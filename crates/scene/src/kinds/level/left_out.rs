//! Marks in the view for the unreadable parts of a map, which are left out.

use std::collections::BTreeSet;

use super::Map;
use super::overlays::{BROKEN, DAMAGED, MAX_BOXES, Stage};
use crate::describe::lines::LineBuilder;
use crate::{Aabb, LevelItem, Line};
use mapscope_formats::{Problem, Severity, Subject};

/// The omitted parts of a level.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// `true` if nothing is omitted.
    pub(super) is_whole: bool,
    marks: Vec<Mark>,
}

/// A mark around an omitted part.
#[derive(Debug, Clone, Copy)]
struct Mark {
    bounds: Aabb,
    what: MarkKind,
}

/// Kinds of marked part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    /// A partly readable chunk.
    DamagedChunk,
    /// An unreadable chunk.
    LostChunk,
    /// A cube, or its contents.
    Cube,
}

impl Map {
    /// Finds the omitted parts of each level.
    pub(super) fn find_omissions(&self) -> Vec<LeftOut> {
        let problems = self
            .about
            .problems
            .iter()
            .flat_map(Problem::with_consequences);
        let errors = problems.filter(|problem| problem.severity == Severity::Error);
        // A cube can have several errors.
        let mut cubes = BTreeSet::new();
        let mut levels = BTreeSet::new();
        for error in errors {
            match error.subject {
                Subject::Cube { level, chunk, cube } => _ = cubes.insert((level, chunk, cube)),
                Subject::Level(level)
                | Subject::LevelMaterial { level, .. }
                | Subject::LevelEntity { level, .. } => _ = levels.insert(usize::from(level)),
                _ => {}
            }
        }
        let of_level = |level: usize| {
            let broken = self.chunks_of(level).filter(|at| !at.chunk.is_whole());
            let chunks = broken.map(|at| Mark {
                bounds: at.bounds(),
                what: match at.data() {
                    Some(_) => MarkKind::DamagedChunk,
                    None => MarkKind::LostChunk,
                },
            });
            let mut marks: Vec<_> = chunks.take(MAX_BOXES).collect();
            let of_level = cubes.iter().filter(|(of, ..)| usize::from(*of) == level);
            marks.extend(of_level.filter_map(|(level, chunk, cube)| {
                let [level, chunk] = self.chunk_number(*level, *chunk)?;
                let item = LevelItem::Cube {
                    level,
                    chunk,
                    cube: *cube,
                };
                Some(Mark {
                    bounds: self.bounds_of(item)?,
                    what: MarkKind::Cube,
                })
            }));
            LeftOut {
                is_whole: marks.is_empty() && !levels.contains(&level),
                marks,
            }
        };
        (0..self.pmf.levels.len()).map(of_level).collect()
    }

    /// `true` if no part of a level is omitted.
    pub(super) fn is_level_whole(&self, level: usize) -> bool {
        self.left_out.get(level).is_none_or(|of| of.is_whole)
    }
}

impl Stage<'_> {
    /// Draws boxes around the omitted parts. Boxes of cubes are visible through objects in front of
    /// them, because most are inside walls.
    pub(super) fn left_out(self, lines: &mut Vec<Line>) {
        let Some(left_out) = self.map.left_out.get(self.shown.level) else {
            return;
        };
        // Lost parts are drawn last, over the edges that chunks share.
        for what in [MarkKind::DamagedChunk, MarkKind::LostChunk, MarkKind::Cube] {
            let color = match what {
                MarkKind::DamagedChunk => DAMAGED,
                MarkKind::LostChunk | MarkKind::Cube => BROKEN,
            };
            let mut builder = LineBuilder::new(lines, color, 2.0);
            if what == MarkKind::Cube {
                builder = builder.on_top();
            }
            let marks = left_out.marks.iter().filter(|mark| mark.what == what);
            for mark in marks.filter(|mark| self.is_in(&mark.bounds)) {
                builder.aabb(&mark.bounds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::overlay::OverlaySet;
    use crate::kinds::level::sample;
    use crate::{Annotations as _, Document as _, Levels as _, OverlayId, Shown};
    use mapscope_formats::pmf::{self, Cube, Packing, Side};

    /// Three chunks: an intact one, a lost one, and one with a box whose material does not exist.
    fn broken() -> (std::sync::Arc<Map>, u32) {
        let map = mapscope_testdata::synthesize::pmf([1, 3, 1], 2, 7);
        let mut file = pmf::write(&map, Packing::Stored).unwrap();
        let whole = pmf::read(&file).unwrap();
        let [_, lost, last] = &whole.levels[0].chunks[..] else {
            panic!("three chunks");
        };
        file[lost.frames[0].start as usize] = 0;
        let cubes = &last.data.as_ref().unwrap().cubes;
        let mut boxes = cubes.iter().filter(|(_, cube)| match cube {
            Cube::Geometry(geometry) => geometry.side_mask() != 0,
            _ => false,
        });
        let (cube, _) = boxes.next().unwrap();
        let record = cubes.record(Side::Common, cube).unwrap();
        // Past the headers of the frame and its block, at the second byte of the record.
        file[last.frames[0].start as usize + 11 + record.start as usize + 1] = 200;
        (sample::file(&file), cube)
    }

    #[test]
    fn what_is_left_out_is_outlined_until_it_is_switched_off() {
        let (map, cube) = broken();
        let level = &map.pmf().levels[0];
        let sides: Vec<_> = level.chunks.iter().map(pmf::Chunk::is_whole).collect();
        assert_eq!(sides, [true, false, false]);
        let lines = |overlays: OverlaySet| {
            let mut lines = Vec::new();
            let shown = Shown {
                overlays,
                ..Shown::default()
            };
            map.lines(&shown, &mut lines);
            lines
        };
        let marks = lines(OverlaySet::default());
        assert_eq!(marks.len(), 3 * 12);
        let around = |item: LevelItem, marks: &[Line]| {
            let ends = marks.iter().flat_map(|line| line.ends);
            assert_eq!(Aabb::around(ends), map.bounds_of(item));
        };
        around(LevelItem::chunk(0, 2), &marks[..12]);
        around(LevelItem::chunk(0, 1), &marks[12..24]);
        around(LevelItem::cube(0, 2, cube), &marks[24..]);
        // Not if it is switched off.
        let mut off = OverlaySet::default();
        off.set(map.about().overlays, OverlayId::LeftOut, false);
        assert_eq!(lines(off).len(), 0);
    }

    #[test]
    fn problems_lead_to_what_is_left_out() {
        let (map, cube) = broken();
        let items: Vec<_> = map
            .about()
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| map.item_of_problem(problem))
            .collect();
        let expected = [LevelItem::chunk(0, 1), LevelItem::cube(0, 2, cube)];
        assert_eq!(items, expected.map(Some));
        assert!(!map.is_level_whole(0));
        let chunks = map.chunk_map(0).unwrap().chunks;
        let whole: Vec<_> = chunks.iter().map(|c| (c.is_readable, c.is_whole)).collect();
        assert_eq!(whole, [(true, true), (false, false), (true, false)]);
        let whole = sample::made_up();
        assert!(whole.is_level_whole(0) && whole.chunk_map(0).unwrap().chunks[0].is_whole);
    }

    /// If a broken section hides the positions of cubes, the cubes are drawn and found at the
    /// positions of their vertices.
    #[test]
    fn cubes_without_a_place_are_where_their_faces_are() {
        let mut made = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 7);
        let data = made.levels[0].chunks[0].data.as_mut().unwrap();
        let mut cubes = pmf::Cubes::default();
        cubes.push_path_info(Some(1), &[]);
        let mut geometry = pmf::Geometry::new(0, 0, 0);
        geometry.triangles[1] = 2;
        cubes.push_geometry(geometry, &[]);
        data.cubes = cubes;
        let client = data.client.as_mut().unwrap();
        let corners = [
            [0.0, 1.0, 2.0],
            [0.0, 1.0, 0.0],
            [3.0, 1.0, 0.0],
            [3.0, 1.0, 2.0],
        ];
        client.vertices = corners
            .map(|position| pmf::Vertex {
                position,
                ..pmf::Vertex::default()
            })
            .to_vec();
        client.fast_lights = vec![pmf::ClientFastLight::new([0; 3])];
        let mut file = pmf::write(&made, Packing::Stored).unwrap();
        let frames = pmf::read(&file).unwrap().levels[0].chunks[0].frames;
        file[frames[2].start as usize] = 0;
        let map = sample::file(&file);
        let cube = LevelItem::cube(0, 0, 1);
        let chunk = &map.info(&crate::InfoQuery::default())["levels"][0]["chunks"][0];
        assert_eq!(
            (&chunk["triangles"], &chunk["readable"]),
            (&2.into(), &false.into())
        );
        let bounds = map.bounds_of(cube).unwrap();
        assert_eq!(bounds.min.to_array(), [0.0, 1.0, 0.0]);
        assert_eq!(bounds.max.to_array(), [3.0, 1.0, 2.0]);
        assert_eq!(map.contour_of(cube).len(), 4);
        let ray = crate::Ray {
            origin: glam::Vec3::new(1.0, 5.0, 1.0),
            direction: glam::Vec3::NEG_Y,
        };
        let hit = map.pick(ray, &Shown::default()).unwrap();
        assert!((hit.distance - 4.0).abs() < 1e-4);
    }
}
