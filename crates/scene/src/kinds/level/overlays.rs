//! Line and text overlays of a map.

use glam::Vec3;

use super::fields::entity::Marker;
use super::items::ChunkAt;
use super::known::is_outermost_in_cell;
use super::place::cell_in_world;
use super::visibility::VisiblePart;
use super::{Map, colors};
pub(super) use crate::colors::{BROKEN, DAMAGED};
use crate::describe::lines::LineBuilder;
use crate::{Aabb, Annotations, Item, Label, LevelItem, Line, OverlayId, Ray, Shown};
use mapscope_formats::pmf::{Cell, Cube, CubeKind, Cubes};

/// Maximum number of boxes in an overlay.
pub(super) const MAX_BOXES: usize = 20_000;
/// Maximum number of texts in an overlay.
const MAX_LABELS: usize = 2_000;

pub(super) const BORDER: [u8; 3] = [160, 190, 240];
pub(super) const ORPHANS: [u8; 3] = [240, 80, 220];
pub(super) const COLLIDER: [u8; 3] = [90, 235, 235];
pub(super) const SERVER: [u8; 3] = [245, 215, 80];
pub(super) const SERVER_SELECTED: [u8; 3] = [255, 140, 60];
pub(super) const PATH: [u8; 3] = [150, 235, 90];
pub(super) const SEEN_FROM: [u8; 3] = [255, 255, 255];
pub(super) const SEEN: [u8; 3] = [120, 240, 120];

/// Returns the colour of a cell by its content.
pub(super) fn cell_color(kind: CubeKind) -> [u8; 3] {
    match kind {
        CubeKind::Empty => [158, 172, 204],
        CubeKind::Parent => [90, 160, 255],
        CubeKind::Geometry => [255, 170, 60],
        CubeKind::VisInfo | CubeKind::LightInfo | CubeKind::PathInfo | CubeKind::Collider => {
            [200, 120, 255]
        }
    }
}

/// The visible level with its view settings.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    pub(super) map: &'a Map,
    pub(super) shown: &'a Shown,
}

impl<'a> Stage<'a> {
    fn chunks(self) -> impl Iterator<Item = ChunkAt<'a>> {
        let Stage { map, shown } = self;
        let chunks = map.chunks_of(shown.level);
        chunks.filter(move |at| self.is_in(&at.bounds()) && !shown.hides(at.item().into()))
    }

    /// `true` if at least a part of a box is not cut away.
    pub(super) fn is_in(self, aabb: &Aabb) -> bool {
        self.shown
            .cut
            .is_none_or(|cut| aabb.max.cmpge(cut.min).all() && aabb.min.cmple(cut.max).all())
    }

    /// Returns the cells of the cubes of a kind, with their boxes in world space.
    fn cubes(self, kind: CubeKind) -> impl Iterator<Item = (ChunkAt<'a>, Cell, Aabb)> {
        let is_hidden = Map::is_kind_hidden(self.shown, kind);
        let chunks = self.chunks().filter(move |_| !is_hidden);
        chunks.flat_map(move |at| {
            let data = at.data().into_iter();
            data.flat_map(move |data| {
                let cells = data.cubes.cells(at.half());
                let of_kind = cells.filter(move |cell| data.cubes.kind(cell.cube) == Some(kind));
                let center = at.center();
                let placed = of_kind.map(move |cell| (at, cell, cell_in_world(&cell, center)));
                placed.filter(move |(.., aabb)| self.is_in(aabb))
            })
        })
    }

    /// Returns the visible markers, with their boxes.
    fn markers(self) -> impl Iterator<Item = (&'a Marker, Aabb)> {
        let half = Vec3::splat(self.map.marker_half(Some(self.shown.level)));
        let markers = self.map.shown_markers(self.shown);
        let boxed = markers.map(move |marker| (marker, Aabb::centered(marker.place, half)));
        boxed.filter(move |(_, aabb)| self.is_in(aabb))
    }

    fn selected(self) -> Option<LevelItem> {
        match self.shown.selected {
            Some(Item::Level(item)) => Some(item),
            _ => None,
        }
    }
}

impl Map {
    /// `true` if cubes of a kind are hidden in the visible level, together with their faces and
    /// overlay lines.
    pub(super) fn is_kind_hidden(shown: &Shown, kind: CubeKind) -> bool {
        shown.hides(LevelItem::cube_type(shown.level, kind).into())
    }

    /// `true` if the faces of the visible level are hidden.
    pub fn are_faces_hidden(shown: &Shown) -> bool {
        Self::is_kind_hidden(shown, CubeKind::Geometry)
    }

    /// Returns the chunks of a level.
    pub(super) fn chunks_of(&self, level: usize) -> impl Iterator<Item = ChunkAt<'_>> {
        let source = self.pmf.levels.get(level).into_iter();
        source.flat_map(move |source| {
            let chunks = source.chunks.iter().enumerate();
            chunks.map(move |(number, chunk)| ChunkAt {
                map: self,
                level_number: level,
                level: source,
                number,
                chunk,
            })
        })
    }
}

impl Annotations for Map {
    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        let stage = Stage { map: self, shown };
        if !shown.overlays.is_off(OverlayId::LeftOut) {
            stage.left_out(lines);
        }
        for id in shown.overlays.iter() {
            match id {
                OverlayId::ChunkBorders => stage.chunk_borders(lines),
                OverlayId::Cells => stage.cells(lines),
                OverlayId::Colliders => stage.colliders(lines),
                OverlayId::Environments => stage.environments(lines),
                OverlayId::ServerRegions => stage.server_regions(lines),
                OverlayId::LightProbes => stage.light_probes(lines),
                OverlayId::Paths => stage.paths(lines),
                OverlayId::Visibility => stage.visibility(lines),
                OverlayId::Entities => stage.entities(lines),
                _ => {}
            }
        }
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        let stage = Stage { map: self, shown };
        for id in shown.overlays.iter() {
            match id {
                OverlayId::Environments => {
                    let regions = self.regions(shown.level).take(MAX_LABELS);
                    labels.extend(regions.filter_map(|region| {
                        let bounds = region.bounds().filter(|bounds| stage.is_in(bounds))?;
                        let text = format!("{} {}", region.of.name(), region.name());
                        Some(label(bounds.center(), text, region.of.color()))
                    }));
                }
                OverlayId::Paths => stage.path_labels(labels),
                _ => {}
            }
        }
        if shown.has_names || shown.overlays.contains(OverlayId::Entities) {
            stage.entity_labels(labels);
        }
    }

    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        self.covers_place(ray_in_world, distance, shown)
    }
}

impl Map {
    /// `true` if an overlay of cells has to omit some in any level.
    pub(super) fn exceeds_cell_budget(&self) -> bool {
        let levels = self.levels.iter().zip(&self.pmf.levels);
        let mut counts = levels.map(|(level, source)| level.counts(source).leaves);
        counts.any(|leaves| leaves > MAX_BOXES as u64)
    }
}

impl Stage<'_> {
    fn chunk_borders(self, lines: &mut Vec<Line>) {
        // Unreadable chunks are drawn last, over shared edges.
        let (broken, whole): (Vec<_>, Vec<_>) = self
            .chunks()
            .take(MAX_BOXES)
            .partition(|at| at.chunk.data.is_none());
        for (chunks, color, width) in [(whole, BORDER, 1.5), (broken, BROKEN, 2.0)] {
            let mut builder = LineBuilder::new(lines, color, width);
            for at in chunks {
                builder.aabb(&at.bounds());
            }
        }
    }

    /// Selects the outlined cells within the budget of boxes: a single chunk or all of them, and
    /// one depth or all leaf cells.
    fn select_cells(self) -> Option<(Option<usize>, Option<u8>)> {
        let (level, source) = self.map.level(self.shown.level)?;
        let counts = level.counts(source);
        let wanted = self.shown.cell_depth;
        let of_depth = |depth: u8| counts.depths.get(usize::from(depth)).copied().unwrap_or(0);
        let count = wanted.map_or(counts.leaves, of_depth);
        if count <= MAX_BOXES as u64 {
            return Some((None, wanted));
        }
        let selected = self.selected().and_then(|item| self.map.chunk_of(item));
        if let Some(at) = selected.filter(|at| at.level_number == self.shown.level) {
            return Some((Some(at.number), wanted));
        }
        let deepest = wanted.unwrap_or(counts.deepest());
        let fits = |depth: &u8| of_depth(*depth) <= MAX_BOXES as u64;
        Some((None, (0..=deepest).rev().find(fits)))
    }

    fn cells(self, lines: &mut Vec<Line>) {
        let Some((only, depth)) = self.select_cells() else {
            return;
        };
        let chunks = self
            .chunks()
            .filter(|at| only.is_none_or(|only| only == at.number))
            .filter_map(|at| Some((at, &at.data()?.cubes)));
        let mut left = MAX_BOXES;
        for (at, cubes) in chunks {
            if cubes.orphans() > 0 {
                LineBuilder::new(lines, ORPHANS, 2.0).aabb(&at.bounds());
            }
            let wanted = cubes.cells(at.half()).filter(|cell| match depth {
                Some(depth) => cell.depth == depth && is_outermost_in_cell(cubes, cell.cube),
                None => cubes.inside(cell.cube).next().is_none(),
            });
            let center = at.center();
            let boxes =
                wanted.map(|cell| (content(cubes, cell.cube), cell_in_world(&cell, center)));
            let shown = boxes
                .filter(|(kind, aabb)| self.is_in(aabb) && !Map::is_kind_hidden(self.shown, *kind));
            for (kind, aabb) in shown.take(left) {
                left -= 1;
                let mut builder = LineBuilder::new(lines, cell_color(kind), 1.0);
                // Empty cells are fainter than others.
                if kind == CubeKind::Empty {
                    builder.color[3] = 130;
                }
                builder.aabb(&aabb);
            }
        }
    }

    fn colliders(self, lines: &mut Vec<Line>) {
        if Map::is_kind_hidden(self.shown, CubeKind::Collider) {
            return;
        }
        let chunks = self
            .chunks()
            .filter_map(|at| Some((at.center(), &at.data()?.cubes)));
        let boxes = chunks.flat_map(|(center, cubes)| {
            let colliders = cubes.iter().filter_map(|(cube, kind)| match kind {
                Cube::Collider(collider) if cubes.is_reached(cube) => Some(collider),
                _ => None,
            });
            let boxes = colliders.flat_map(|collider| cubes.boxes(collider));
            boxes.map(move |corners| corners.map(|corner| Vec3::from(corner) + center))
        });
        let shown = boxes.filter(|corners| {
            let aabb = Aabb::around(*corners);
            aabb.is_some_and(|aabb| self.is_in(&aabb))
        });
        let mut builder = LineBuilder::new(lines, COLLIDER, 1.5);
        for corners in shown.take(MAX_BOXES) {
            builder.edges(&corners);
        }
    }

    fn environments(self, lines: &mut Vec<Line>) {
        let selected = self.selected();
        for region in self.map.regions(self.shown.level).take(MAX_BOXES) {
            if !region.bounds().is_some_and(|bounds| self.is_in(&bounds)) {
                continue;
            }
            let is_selected = selected == Some(region.item());
            let width = if is_selected { 3.0 } else { 1.5 };
            LineBuilder::new(lines, region.of.color(), width).edges(&region.corners());
        }
    }

    fn server_regions(self, lines: &mut Vec<Line>) {
        let selected = self.selected();
        for region in self.map.server_regions(self.shown.level).take(MAX_BOXES) {
            let aabb = region.bounds();
            let is_selected = selected == Some(region.item());
            if is_selected {
                // Lines from the centre of the region to those of the chunks that it keeps active.
                let mut builder = LineBuilder::new(lines, SERVER_SELECTED, 2.0).on_top();
                for chunk in region.region.chunks.iter().take(MAX_LABELS) {
                    let center = region.at.level.chunk_center(*chunk);
                    builder.line(aabb.center(), center.into());
                }
            }
            if self.is_in(&aabb) {
                LineBuilder::new(lines, SERVER, if is_selected { 3.0 } else { 1.5 }).aabb(&aabb);
            }
        }
    }

    fn light_probes(self, lines: &mut Vec<Line>) {
        for (at, cell, aabb) in self.cubes(CubeKind::LightInfo).take(MAX_BOXES) {
            let data = at.data();
            let Some(Cube::LightInfo(info)) = data.and_then(|data| data.cubes.get(cell.cube))
            else {
                continue;
            };
            let radius = (cell.half * 0.3).min(at.level.chunk_side() / 48.0);
            let mut builder = LineBuilder::new(lines, info.base, 2.0);
            diamond(&mut builder, aabb.center(), radius);
        }
    }

    fn paths(self, lines: &mut Vec<Line>) {
        let mut builder = LineBuilder::new(lines, PATH, 1.5);
        for (.., aabb) in self.cubes(CubeKind::PathInfo).take(MAX_BOXES) {
            builder.aabb(&aabb);
        }
    }

    fn path_labels(self, labels: &mut Vec<Label>) {
        for (at, cell, aabb) in self.cubes(CubeKind::PathInfo).take(MAX_LABELS) {
            let Some(data) = at.data() else {
                continue;
            };
            let found = data.cubes.get(cell.cube).zip(data.server.as_ref());
            let Some((Cube::PathInfo(info), server)) = found else {
                continue;
            };
            let attributes = data.cubes.attributes(info).iter().take(3).map(|attribute| {
                let texts = [attribute.name, attribute.data];
                let [name, data] = texts.map(|text| server.strings.told(text));
                format!("{name}: {data}")
            });
            let text = attributes.collect::<Vec<_>>().join(", ");
            labels.push(label(aabb.center(), text, PATH));
        }
    }

    fn visibility(self, lines: &mut Vec<Line>) {
        let Some(seen) = self.map.seen(self.shown) else {
            return;
        };
        if let Some(place) = seen.from.place() {
            let aabb = place.cell_in_world(seen.from.at.center());
            LineBuilder::new(lines, SEEN_FROM, 3.0).on_top().aabb(&aabb);
        }
        let mut left = MAX_BOXES;
        let mut builder = LineBuilder::new(lines, SEEN, 1.0);
        for at in self.chunks() {
            match (seen.chunks.get(&at.number), at.data()) {
                (Some(VisiblePart::All), _) => builder.aabb(&at.bounds()),
                (Some(VisiblePart::Cubes(cubes)), Some(data)) => {
                    // The cube itself already has an outline.
                    let from = Some(seen.from.cube).filter(|_| at.number == seen.from.at.number);
                    let cells = data.cubes.cells(at.half()).filter(|cell| {
                        from != Some(cell.cube) && cubes.binary_search(&cell.cube).is_ok()
                    });
                    for cell in cells.take(left) {
                        left -= 1;
                        builder.aabb(&cell_in_world(&cell, at.center()));
                    }
                }
                _ => {}
            }
        }
    }

    fn entities(self, lines: &mut Vec<Line>) {
        for (marker, aabb) in self.markers().take(MAX_BOXES) {
            let color = colors::distinct(marker.kind.number().into());
            let mut builder = LineBuilder::new(lines, color, 2.0);
            builder.aabb(&aabb);
            for axis in Vec3::AXES {
                let arm = axis * (aabb.max - aabb.min);
                builder.line(marker.place - arm, marker.place + arm);
            }
            let shape = self.map.entity_at(marker.item).map(|at| at.shape());
            builder.width_points = 1.0;
            builder.color[3] = 190;
            for [from, to] in shape.unwrap_or_default() {
                builder.line(from, to);
            }
        }
    }

    fn entity_labels(self, labels: &mut Vec<Label>) {
        let half = self.map.marker_half(Some(self.shown.level));
        let selected = self.selected();
        let markers = || self.map.shown_markers(self.shown);
        // The selected entity comes first.
        let first = markers().filter(|marker| Some(marker.item) == selected);
        let others = markers().filter(|marker| Some(marker.item) != selected);
        let placed = first.chain(others).take(MAX_LABELS);
        labels.extend(placed.filter_map(|marker| {
            let text = self.map.entity_at(marker.item)?.title();
            let position = marker.place + Vec3::Y * half * 2.0;
            Some(label(
                position,
                text,
                colors::distinct(marker.kind.number().into()),
            ))
        }));
    }
}

/// Creates a label to the right of a position.
fn label(position: Vec3, text: String, color: [u8; 3]) -> Label {
    Label {
        room: None,
        position,
        text,
        color,
    }
}

/// Returns the innermost content of a cell, past any wrappers.
fn content(cubes: &Cubes, cube: u32) -> CubeKind {
    let mut at = cube;
    loop {
        let kind = cubes.kind(at).unwrap_or(CubeKind::Empty);
        // Terminates, because each cube was reached once.
        match (kind, cubes.inside(at).next()) {
            (CubeKind::Parent, _) | (_, None) => return kind,
            (_, Some((_, inside))) => at = inside,
        }
    }
}

/// Draws an octahedron around a position.
fn diamond(builder: &mut LineBuilder<'_>, center: Vec3, radius: f32) {
    let ends = Vec3::AXES.map(|axis| [center - axis * radius, center + axis * radius]);
    for axis in 0..3 {
        for a in ends[axis] {
            for b in ends[(axis + 1) % 3] {
                builder.line(a, b);
            }
        }
    }
}

impl super::mesh::ChunkMesh {
    /// Returns the outer edges of a face, without those that two of its triangles share.
    pub(super) fn outer_edges(&self, face: &super::mesh::MeshFace) -> Vec<[Vec3; 2]> {
        // Finding shared edges among more triangles takes too long.
        const FEW: u8 = 32;
        let mut edges: Vec<[Vec3; 2]> = Vec::new();
        for [a, b, c] in self.triangles(face) {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let few = face.triangles <= FEW;
                match edges.iter().position(|edge| few && *edge == [to, from]) {
                    Some(shared) => {
                        edges.swap_remove(shared);
                    }
                    None => edges.push([from, to]),
                }
            }
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;

    #[test]
    fn each_overlay_draws_lines_within_what_is_shown() {
        let map = sample::made_up();
        let drawn = |id: OverlayId, shown: &Shown| {
            let mut shown = shown.clone();
            shown.overlays.set(map.about.overlays, id, true);
            let mut lines = Vec::new();
            map.lines(&shown, &mut lines);
            lines
        };
        let level = &map.pmf().levels[0];
        let counts = map.levels()[0].counts(level);
        let data = level
            .chunks
            .iter()
            .filter_map(|chunk| chunk.data.as_deref());
        let of_kind = |kind: CubeKind| counts.kinds[kind as usize] as usize;
        let shown = Shown::default();
        let boxes: usize = data
            .flat_map(|data| {
                let cubes = data.cubes.iter().map(|(_, cube)| cube);
                cubes.filter_map(|cube| match cube {
                    Cube::Collider(collider) => Some(data.cubes.boxes(collider).len()),
                    _ => None,
                })
            })
            .sum();
        let expected = [
            (OverlayId::ChunkBorders, 2 * 12),
            (OverlayId::Cells, counts.leaves as usize * 12),
            (OverlayId::Colliders, boxes * 12),
            (OverlayId::Environments, 2 * 4 * 12),
            (OverlayId::ServerRegions, 2 * 12),
            (OverlayId::LightProbes, of_kind(CubeKind::LightInfo) * 12),
            (OverlayId::Paths, of_kind(CubeKind::PathInfo) * 12),
        ];
        for (id, lines) in expected {
            assert_eq!(drawn(id, &shown).len(), lines, "{id}");
            assert!(
                !map.legend_of(id).is_empty() || id == OverlayId::LightProbes,
                "{id}"
            );
        }
        assert!(!drawn(OverlayId::Entities, &shown).is_empty());
        // Clipped or hidden parts have no lines.
        let half = Shown {
            cut: Some(Aabb {
                min: Vec3::new(-8.0, -8.0, -8.0),
                max: Vec3::new(7.9, 8.0, 8.0),
            }),
            ..Shown::default()
        };
        assert_eq!(drawn(OverlayId::ChunkBorders, &half).len(), 12);
        let hidden = Shown {
            hidden: vec![LevelItem::chunk(0, 0).into()],
            ..Shown::default()
        };
        assert_eq!(drawn(OverlayId::ServerRegions, &hidden).len(), 2 * 12);
        assert_eq!(drawn(OverlayId::ChunkBorders, &hidden).len(), 12);
        for (id, kind) in [
            (OverlayId::Colliders, CubeKind::Collider),
            (OverlayId::LightProbes, CubeKind::LightInfo),
            (OverlayId::Paths, CubeKind::PathInfo),
        ] {
            let hidden = Shown {
                hidden: vec![LevelItem::cube_type(0, kind).into()],
                ..Shown::default()
            };
            assert_eq!(drawn(id, &hidden).len(), 0, "{id}");
        }
        let without_empty = Shown {
            hidden: vec![LevelItem::cube_type(0, CubeKind::Empty).into()],
            ..Shown::default()
        };
        let cells = drawn(OverlayId::Cells, &without_empty).len();
        assert!(cells > 0 && cells < counts.leaves as usize * 12, "{cells}");
        for depth in 0..4 {
            let shown = Shown {
                cell_depth: Some(depth),
                ..Shown::default()
            };
            let cells = counts.depths[usize::from(depth)] as usize;
            assert_eq!(drawn(OverlayId::Cells, &shown).len(), cells * 12);
        }
        let selected = Shown {
            selected: Some(map.chunk_at(0, 0).unwrap().server_region_item(0).into()),
            ..Shown::default()
        };
        assert_eq!(drawn(OverlayId::ServerRegions, &selected).len(), 2 * 12 + 1);
    }

    #[test]
    fn too_many_cells_are_fewer() {
        let map = sample::map(mapscope_testdata::synthesize::pmf([1, 7, 7], 3, 7));
        let level = &map.pmf().levels[0];
        let counts = map.levels()[0].counts(level);
        assert!(counts.leaves > MAX_BOXES as u64, "{}", counts.leaves);
        let mut shown = Shown::default();
        shown
            .overlays
            .set(map.about.overlays, OverlayId::Cells, true);
        let count = |shown: &Shown| {
            let mut lines = Vec::new();
            map.lines(shown, &mut lines);
            lines.len()
        };
        assert_eq!(count(&shown), counts.depths[2] as usize * 12);
        shown.selected = Some(LevelItem::cube(0, 3, 1).into());
        let data = level.chunks[3].data.as_deref().unwrap();
        let leaves = data
            .cubes
            .cells(1.0)
            .filter(|cell| data.cubes.inside(cell.cube).next().is_none());
        assert_eq!(count(&shown), leaves.count() * 12);
        assert_eq!(map.legend_of(OverlayId::Cells).len(), 6);
    }
}
