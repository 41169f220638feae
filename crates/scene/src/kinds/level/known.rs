//! Lazily computed and cached data of levels: positions of cubes in the tree, counts, and uses of
//! materials.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use glam::Vec3;

use super::branches::drawn_materials;
use super::mesh::{ChunkMesh, MeshFace};
use super::{Level, Map, colors};
use crate::Aabb;
use crate::core::parallel::map_parallel;
use mapscope_formats::pmf::{self, Cube, CubeKind, Cubes};

/// Number of possible cube depths: the maximum number of parents, plus one for the root.
pub(super) const DEPTHS: usize = 65;

/// Cached data of a level.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// One for each chunk of the level.
    places: Vec<OnceLock<Box<Places>>>,
    counts: OnceLock<Counts>,
    uses: OnceLock<Vec<Use>>,
    cube_uses: OnceLock<Vec<CubeUse>>,
    material_colors: OnceLock<Vec<[u8; 3]>>,
    /// Mesh index plus one of each chunk of the level; 0 if it has no mesh.
    meshes: Vec<u32>,
}

/// Positions of a chunk's cubes in its tree.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Number of parents above each cube.
    depths: Vec<u8>,
    /// Kind of the nearest wrapper above each cube, as its number; 0 without a wrapper.
    wrappers: Vec<u8>,
}

/// Counts of a level's contents.
#[derive(Debug)]
pub(super) struct Counts {
    /// Number of cubes of each kind.
    pub(super) kinds: [u64; CubeKind::ALL.len()],
    /// Number of cells of each depth. A cube and its wrappers are one cell.
    pub(super) depths: [u64; DEPTHS],
    /// Number of cells without smaller cells in them.
    pub(super) leaves: u64,
    /// Number of unreached cubes.
    pub(super) orphans: u64,
}

/// Uses of a material.
#[derive(Debug, Clone, Default)]
pub(super) struct Use {
    pub(super) faces: usize,
    pub(super) triangles: usize,
    /// In square metres.
    pub(super) area: f64,
    /// Numbers of the chunks in the level, in ascending order.
    pub(super) chunks: Vec<usize>,
    pub(super) bounds: Option<Aabb>,
}

/// Cubes that have a material, with or without drawn faces.
#[derive(Debug, Clone, Default)]
pub(super) struct CubeUse {
    pub(super) cubes: usize,
    /// Numbers of their chunks in the level, in ascending order.
    pub(super) chunks: Vec<usize>,
}

impl Known {
    pub(super) fn new(chunks: usize, meshes: &[ChunkMesh]) -> Self {
        let mut of_chunks = vec![0; chunks];
        for (mesh, number) in meshes.iter().zip(1..) {
            if let Some(of_chunk) = of_chunks.get_mut(mesh.chunk) {
                *of_chunk = number;
            }
        }
        Self {
            places: (0..chunks).map(|_| OnceLock::new()).collect(),
            meshes: of_chunks,
            ..Self::default()
        }
    }
}

impl Places {
    fn of(cubes: &Cubes) -> Self {
        let mut places = Self {
            depths: vec![0; cubes.len()],
            wrappers: vec![0; cubes.len()],
        };
        for cell in cubes.cells(1.0) {
            let at = cell.cube as usize;
            let wrapper = cubes.above(cell.cube).map_or(0, |above| {
                let kind = cubes.kind(above).filter(|kind| *kind != CubeKind::Parent);
                kind.map_or_else(|| places.wrapper_number(above), |kind| kind as u8)
            });
            if let Some(of_cube) = places.wrappers.get_mut(at) {
                *of_cube = wrapper;
            }
            if let Some(depth) = places.depths.get_mut(at) {
                *depth = cell.depth;
            }
        }
        places
    }

    fn wrapper_number(&self, cube: u32) -> u8 {
        self.wrappers.get(cube as usize).copied().unwrap_or(0)
    }

    /// Number of parents above a cube.
    pub(super) fn depth(&self, cube: u32) -> u8 {
        self.depths.get(cube as usize).copied().unwrap_or(0)
    }

    /// Kind of the nearest wrapper above a cube.
    pub(super) fn wrapper(&self, cube: u32) -> Option<CubeKind> {
        CubeKind::of(self.wrapper_number(cube)).filter(|kind| *kind != CubeKind::Empty)
    }
}

impl Level {
    /// Returns the tree positions of a chunk's cubes, or `None` if the chunk is unreadable.
    pub(super) fn places(&self, level: &pmf::Level, chunk: usize) -> Option<&Places> {
        let data = level.chunks.get(chunk)?.data.as_deref()?;
        let places = self.known.places.get(chunk)?;
        Some(places.get_or_init(|| Box::new(Places::of(&data.cubes))))
    }

    /// Returns the mesh of a chunk by its number in the level, or `None` if it has no faces.
    pub(super) fn mesh(&self, chunk: usize) -> Option<&ChunkMesh> {
        let mesh = *self.known.meshes.get(chunk)?;
        self.chunks.get((mesh as usize).checked_sub(1)?)
    }

    /// Returns the counts of the level's contents.
    pub(super) fn counts(&self, level: &pmf::Level) -> &Counts {
        self.known.counts.get_or_init(|| {
            let each = map_parallel(level.chunks.len(), |chunk| {
                let places = self.places(level, chunk)?;
                let data = level.chunks.get(chunk)?.data.as_deref()?;
                Some(Counts::of(&data.cubes, places))
            });
            let mut all = Counts::none();
            for counts in each.into_iter().flatten() {
                all.add(&counts);
            }
            all
        })
    }

    /// Returns the uses of each of [`Level::materials`].
    pub(super) fn uses(&self) -> &[Use] {
        self.known.uses.get_or_init(|| {
            let count = self.materials.list.len();
            let each = map_parallel(self.chunks.len(), |mesh| {
                let mesh = self.chunks.get(mesh)?;
                Some(mesh.uses())
            });
            let mut uses = vec![Use::default(); count];
            for (material, more) in each.into_iter().flatten().flatten() {
                if let Some(of_material) = uses.get_mut(usize::from(material)) {
                    of_material.add(more);
                }
            }
            uses
        })
    }

    /// Returns the cubes that have each of [`Level::materials`].
    pub(super) fn cube_uses(&self, level: &pmf::Level) -> &[CubeUse] {
        self.known.cube_uses.get_or_init(|| {
            let names = level.common.materials_by_name();
            let each = map_parallel(level.chunks.len(), |chunk| {
                let data = level.chunks.get(chunk)?.data.as_deref()?;
                let of_name = |name| Some(*names.get(data.strings.name(name)?)?);
                let known: Vec<Option<usize>> =
                    data.materials.iter().map(|name| of_name(*name)).collect();
                let mut counts = BTreeMap::<usize, usize>::new();
                for (cube, kind) in data.cubes.iter() {
                    let Cube::Geometry(geometry) = kind else {
                        continue;
                    };
                    if !data.cubes.is_reached(cube) {
                        continue;
                    }
                    let mut materials: Vec<usize> = drawn_materials(geometry)
                        .map(|at| known.get(usize::from(at)).copied().flatten())
                        .map(|found| found.unwrap_or(self.materials.unknown().into()))
                        .collect();
                    materials.sort_unstable();
                    materials.dedup();
                    for material in materials {
                        *counts.entry(material).or_default() += 1;
                    }
                }
                Some(counts)
            });
            let mut uses = vec![CubeUse::default(); self.materials.list.len()];
            for (chunk, counts) in each.into_iter().enumerate() {
                for (material, cubes) in counts.into_iter().flatten() {
                    if let Some(of_material) = uses.get_mut(material) {
                        of_material.cubes += cubes;
                        of_material.chunks.push(chunk);
                    }
                }
            }
            uses
        })
    }
}

impl Level {
    /// Returns a distinct colour for each of [`Level::materials`]: its own colour if that differs
    /// from the ones before it.
    pub(super) fn material_colors(&self) -> &[[u8; 3]] {
        self.known.material_colors.get_or_init(|| {
            let mut taken: Vec<[u8; 3]> = Vec::new();
            for (material, number) in self.materials.list.iter().zip(0..) {
                let is_free = |color: &[u8; 3]| {
                    // Among very many colours, some must be similar.
                    let others = taken.iter().rev().take(MAX_COMPARED);
                    others
                        .clone()
                        .all(|other| colors::difference(*other, *color) > MIN_COLOR_DIFFERENCE)
                };
                let own = material.look.as_ref().map(|look| look.color);
                // White and grey are common defaults of materials that rely on their texture.
                let own = own.filter(|color| colors::is_colored(*color));
                let others = (number..).take(MAX_COMPARED).map(colors::distinct);
                let color = own.into_iter().chain(others).find(is_free);
                taken.push(color.unwrap_or_else(|| colors::distinct(number)));
            }
            taken
        })
    }
}

/// Maximum number of earlier colours compared with a new one.
const MAX_COMPARED: usize = 48;
/// Colours that differ by this or less are similar.
const MIN_COLOR_DIFFERENCE: u32 = 48;

/// Counts the cubes of each kind.
pub(super) fn kind_counts(cubes: &Cubes) -> [u64; CubeKind::ALL.len()] {
    let mut counts = [0; CubeKind::ALL.len()];
    for kind in (0..cubes.len() as u32).filter_map(|cube| cubes.kind(cube)) {
        if let Some(count) = counts.get_mut(kind as usize) {
            *count += 1;
        }
    }
    counts
}

impl Counts {
    fn none() -> Self {
        Self {
            kinds: [0; CubeKind::ALL.len()],
            depths: [0; DEPTHS],
            leaves: 0,
            orphans: 0,
        }
    }

    fn of(cubes: &Cubes, places: &Places) -> Self {
        let mut counts = Self::none();
        counts.orphans = u64::from(cubes.orphans());
        counts.kinds = kind_counts(cubes);
        for cube in (0..cubes.len() as u32).filter(|cube| cubes.is_reached(*cube)) {
            if is_outermost_in_cell(cubes, cube)
                && let Some(count) = counts.depths.get_mut(usize::from(places.depth(cube)))
            {
                *count += 1;
            }
            if cubes.inside(cube).next().is_none() {
                counts.leaves += 1;
            }
        }
        counts
    }

    fn add(&mut self, more: &Self) {
        let pairs = self.kinds.iter_mut().zip(&more.kinds);
        for (count, more) in pairs.chain(self.depths.iter_mut().zip(&more.depths)) {
            *count += more;
        }
        self.leaves += more.leaves;
        self.orphans += more.orphans;
    }

    /// The greatest depth.
    pub(super) fn deepest(&self) -> u8 {
        let deepest = self.depths.iter().rposition(|count| *count > 0);
        deepest.unwrap_or(0) as u8
    }
}

/// `true` if a reached cube is the outermost of those that fill the same cell.
pub(super) fn is_outermost_in_cell(cubes: &Cubes, cube: u32) -> bool {
    let above = cubes.above(cube).and_then(|above| cubes.kind(above));
    above.is_none_or(|kind| kind == CubeKind::Parent)
}

impl Use {
    fn add(&mut self, more: Self) {
        self.faces += more.faces;
        self.triangles += more.triangles;
        self.area += more.area;
        self.chunks.extend(more.chunks);
        self.bounds = Aabb::around_all(self.bounds.into_iter().chain(more.bounds));
    }
}

impl ChunkMesh {
    /// Returns the material of a face.
    pub(super) fn material_of(&self, face: &MeshFace) -> Option<u16> {
        Some(self.part_of(face)?.material)
    }

    /// Returns the part that a face is drawn with.
    pub(super) fn part_of(&self, face: &MeshFace) -> Option<&super::mesh::Part> {
        let end = self
            .parts
            .partition_point(|(_, indices)| indices.start <= face.first_index);
        let (part, _) = self.parts.get(end.checked_sub(1)?)?;
        Some(part)
    }

    /// Position of a vertex in world space.
    pub(super) fn place(&self, vertex: u32) -> Vec3 {
        let vertex = self.vertices.get(vertex as usize);
        vertex.map_or(Vec3::NAN, |vertex| vertex.position.into())
    }

    /// Returns the triangles of a face in world space.
    pub(super) fn triangles(&self, face: &MeshFace) -> impl Iterator<Item = [Vec3; 3]> {
        let indices = self.indices.get(face.indices()).unwrap_or_default();
        let (triangles, _) = indices.as_chunks::<3>();
        triangles
            .iter()
            .map(|corners| corners.map(|vertex| self.place(vertex)))
    }

    /// Collects the uses of the chunk's materials.
    fn uses(&self) -> Vec<(u16, Use)> {
        let mut uses: Vec<(u16, Use)> = Vec::new();
        for face in &self.faces {
            let Some(material) = self.material_of(face) else {
                continue;
            };
            let found = uses.iter().rposition(|(of, _)| *of == material);
            let at = found.unwrap_or_else(|| {
                let first = Use {
                    chunks: vec![self.chunk],
                    ..Use::default()
                };
                uses.push((material, first));
                uses.len() - 1
            });
            let Some((_, of_material)) = uses.get_mut(at) else {
                continue;
            };
            of_material.faces += 1;
            of_material.triangles += usize::from(face.triangles);
            for [a, b, c] in self.triangles(face) {
                of_material.area += f64::from((b - a).cross(c - a).length() * 0.5);
                let around = Aabb {
                    min: a.min(b).min(c),
                    max: a.max(b).max(c),
                };
                let bounds = of_material.bounds.get_or_insert(around);
                *bounds = bounds.union(&around);
            }
        }
        uses
    }
}

impl Map {
    /// Returns a level with its source.
    pub(super) fn level(&self, number: usize) -> Option<(&Level, &pmf::Level)> {
        self.levels.get(number).zip(self.pmf.levels.get(number))
    }
}
