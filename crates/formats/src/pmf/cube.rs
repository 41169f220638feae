//! The cubes of a chunk: an octree whose leaves are the boxes of the level and whose inner cubes
//! wrap others (fact sheet A10).
//!
//! Cubes of each kind share one list, and variable-length data is in side lists. A chunk of many
//! cubes therefore needs only a few allocations.

use std::ops::Range;

use super::bytes::{ChunkIndex, Side, StringRef};
use super::codec::records;

/// Index for "no cube".
const NO_CUBE: u32 = u32::MAX;
/// Maximum number of parents above a cube (fact sheet A10).
pub(super) const MAX_PARENTS: u8 = 64;
/// Lightmap index for "no lightmap" (fact sheet B13).
pub const NO_LIGHTMAP: u8 = 0xFF;

/// Names of the sides of a cube, in order.
pub const SIDES: [&str; 6] = ["+X", "+Y", "+Z", "-X", "-Y", "-Z"];

/// The corners of each side of a cube ([`corner_signs`]) in the vertex order of a quad: top left,
/// bottom left, bottom right, top right, seen from outside (fact sheet B2 and B3). +Z is the top of
/// +Y and -Y.
pub const SIDE_CORNERS: [[usize; 4]; 6] = [
    [2, 6, 4, 0],
    [1, 3, 2, 0],
    [0, 4, 5, 1],
    [1, 5, 7, 3],
    [4, 6, 7, 5],
    [3, 7, 6, 2],
];

/// The kind of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CubeKind {
    /// An empty cube.
    Empty,
    /// Contains up to eight cubes of half its size.
    Parent,
    /// A box with faces.
    Geometry,
    /// Wraps a cube and lists what is visible from it.
    VisInfo,
    /// Wraps a cube and lists the lights that reach it.
    LightInfo,
    /// Wraps a cube and has attributes for pathfinding.
    PathInfo,
    /// Wraps a cube and has boxes for collisions.
    Collider,
}

const KIND_NAMES: [&str; 7] = [
    "empty",
    "parent",
    "geometry",
    "visinfo",
    "lightinfo",
    "pathinfo",
    "collider",
];

impl CubeKind {
    /// All kinds in numerical order.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::Parent,
        Self::Geometry,
        Self::VisInfo,
        Self::LightInfo,
        Self::PathInfo,
        Self::Collider,
    ];

    /// The kind in the first byte of a cube.
    #[inline]
    pub fn of(head: u8) -> Option<Self> {
        Self::ALL.get(usize::from(head & 0x0F)).copied()
    }

    /// Its name in the document, in lower case.
    pub fn name(self) -> &'static str {
        KIND_NAMES[self as usize]
    }
}

/// Signs of X, Y and Z of a corner by its number, which is also its bit in a mask. Corners and
/// children have this order (fact sheet A10).
#[inline]
pub fn corner_signs(corner: usize) -> [f32; 3] {
    let sign = |bit: usize| if corner & bit == 0 { 1.0 } else { -1.0 };
    [sign(1), sign(4), sign(2)]
}

/// A parent (document, "Parent cube data").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// Corners that have a child: bit by corner ([`corner_signs`]).
    pub mask: u8,
    first_child: u32,
}

/// A box (document, "Geometry cube data" and "Client-side geometry cube data").
///
/// Sides are in the order +X, +Y, +Z, -X, -Y, -Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Bits of the first byte: [`Geometry::BACKFACES`], [`Geometry::CLIENT_EXTENDED`] and
    /// [`Geometry::COMMON_EXTENDED`].
    pub bits: u8,
    /// Material index of each side, among the materials that the chunk uses. Valid for sides with
    /// triangles.
    pub materials: [u8; 6],
    /// Physics material index of each side. An index outside the list means no material.
    pub physics: [u8; 6],
    /// Sound material index. An index outside the list means no material.
    pub sound: u8,
    /// Corners that are not at the corners of the cell ([`corner_signs`]).
    pub moved: u8,
    pub(super) first_moved: u32,
    /// Lightmap index of each side. [`NO_LIGHTMAP`] and an index outside the list mean no lightmap.
    pub lightmaps: [u8; 6],
    /// Number of triangles drawn per side. A side of a basic cube has two, from four vertices in
    /// the order top left, bottom left, bottom right, top right (fact sheet B2).
    pub triangles: [u8; 6],
    /// Sides that are not drawn, bit by side: a vertex is not finite, or vertices, normals or the
    /// material are missing.
    pub bad_sides: u8,
    /// Set bits of the first byte that have no meaning.
    pub unknown_bits: u8,
    /// Set bits without meaning in the side mask of a basic cube.
    pub unknown_sides: u8,
    /// Index of the first vertex of the first side.
    pub first_vertex: u32,
    /// Index of the first normal of the first side; only for extended client data.
    pub first_normal: u32,
}

impl Geometry {
    /// Both sides of faces are drawn.
    pub const BACKFACES: u8 = 0x40;
    /// Sides have any number of triangles, and normals.
    pub const CLIENT_EXTENDED: u8 = 0x20;
    /// Sides have different materials, and corners may be moved.
    pub const COMMON_EXTENDED: u8 = 0x10;
    pub(super) const BITS: u8 = Self::BACKFACES | Self::CLIENT_EXTENDED | Self::COMMON_EXTENDED;

    /// A box of one material without faces.
    pub fn new(material: u8, physics: u8, sound: u8) -> Self {
        Self {
            bits: 0,
            unknown_bits: 0,
            unknown_sides: 0,
            materials: [material; 6],
            physics: [physics; 6],
            sound,
            moved: 0,
            first_moved: 0,
            lightmaps: [NO_LIGHTMAP; 6],
            triangles: [0; 6],
            bad_sides: 0,
            first_vertex: 0,
            first_normal: 0,
        }
    }

    /// Returns `true` if both sides of faces are drawn.
    pub fn draws_backfaces(&self) -> bool {
        self.bits & Self::BACKFACES != 0
    }

    /// Returns `true` if its client data is extended.
    #[inline]
    pub fn is_client_extended(&self) -> bool {
        self.bits & Self::CLIENT_EXTENDED != 0
    }

    /// Returns `true` if its common data is extended.
    #[inline]
    pub fn is_common_extended(&self) -> bool {
        self.bits & Self::COMMON_EXTENDED != 0
    }

    /// Sides with triangles, including non-finite ones, bit by side.
    #[inline]
    pub fn side_mask(&self) -> u8 {
        let sides = self.triangles.iter().enumerate();
        sides.fold(0, |mask, (side, triangles)| {
            mask | u8::from(*triangles > 0) << side
        })
    }

    /// The drawn sides.
    pub fn faces(&self) -> impl Iterator<Item = Face> {
        let geometry = *self;
        let drawn = move |face: &Face| geometry.bad_sides >> face.side & 1 == 0;
        self.all_faces().filter(drawn)
    }

    /// The sides that have triangles.
    #[inline]
    pub fn all_faces(&self) -> impl Iterator<Item = Face> + use<> {
        let is_extended = self.is_client_extended();
        let mut vertex = self.first_vertex;
        let mut normal = self.first_normal;
        let sides = self.triangles.into_iter().enumerate();
        sides
            .filter(|(_, triangles)| *triangles > 0)
            .map(move |(side, triangles)| {
                let vertices = if is_extended {
                    3 * u32::from(triangles)
                } else {
                    4
                };
                let face = Face {
                    side,
                    triangles,
                    vertices: vertex..vertex.saturating_add(vertices),
                    first_normal: is_extended.then_some(normal),
                };
                vertex = vertex.saturating_add(vertices);
                normal = normal.saturating_add(vertices);
                face
            })
    }
}

/// A side of a box that has triangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Face {
    /// The side: +X, +Y, +Z, -X, -Y, -Z.
    pub side: usize,
    /// Number of triangles.
    pub triangles: u8,
    /// Its vertices in the chunk: three per triangle, or four for a quad without normals.
    pub vertices: Range<u32>,
    /// The normal of the first vertex, followed by those of the others; `None` for a quad.
    pub first_normal: Option<u32>,
}

/// Visibility from a cube (document, "Visibility info cube data").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisInfo {
    /// The cube that fills it; `None` if the one in the file is invalid.
    pub child: Option<u32>,
    cubes: Range<u32>,
    chunks: Range<u32>,
}

/// The visible part of another chunk (document, "Visibility info cube chunk").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisChunk {
    /// The chunk. It may be outside the grid.
    pub chunk: ChunkIndex,
    cubes: Range<u32>,
}

/// The light in a cube (document, "Lighting info cube data").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightInfo {
    /// The cube that fills it; `None` without a client section, or if the one in the file is
    /// invalid.
    pub child: Option<u32>,
    /// Constant light: red, green, blue.
    pub base: [u8; 3],
    pub(super) dynamic: Range<u32>,
    pub(super) fast: Range<u32>,
}

records! {
    /// A light that reaches a cube (document, "Lighting info cube light reference").
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct LightReference "light" {
        /// Index among the lights of the chunk. It may be outside the list.
        pub light: u8,
        /// Share of its light; 255 is all of it.
        pub multiplier: u8,
    }

    /// An attribute for pathfinding. Its strings are in the server section.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PathAttribute "attribute" {
        /// Its name.
        pub name: StringRef,
        /// Its value.
        pub data: StringRef,
    }
}

/// Pathfinding data of a cube (document, "Pathfinding info cube data").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathInfo {
    /// The cube that fills it; `None` without a server section, or if the one in the file is
    /// invalid.
    pub child: Option<u32>,
    pub(super) attributes: Range<u32>,
}

/// Boxes for collisions (document, "Collider cube data").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collider {
    /// The cube that fills it; `None` if the one in the file is invalid.
    pub child: Option<u32>,
    boxes: Range<u32>,
}

/// The corners of a box in the order of [`corner_signs`], in chunk space.
pub type Corners = [[f32; 3]; 8];

/// A cube with its entry in the list of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cube<'a> {
    /// [`CubeKind::Empty`].
    Empty,
    /// [`CubeKind::Parent`].
    Parent(&'a Parent),
    /// [`CubeKind::Geometry`].
    Geometry(&'a Geometry),
    /// [`CubeKind::VisInfo`].
    VisInfo(&'a VisInfo),
    /// [`CubeKind::LightInfo`].
    LightInfo(&'a LightInfo),
    /// [`CubeKind::PathInfo`].
    PathInfo(&'a PathInfo),
    /// [`CubeKind::Collider`].
    Collider(&'a Collider),
}

/// A cube with its place in the octree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Index of the cube.
    pub cube: u32,
    /// Number of parents above it.
    pub depth: u8,
    /// Centre in chunk space, whose origin is the centre of the chunk, in metres.
    pub center: [f32; 3],
    /// Half the length of its edges, in metres.
    pub half: f32,
}

/// The cubes of a chunk in file order. The first one is the root.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cubes {
    /// First byte of each cube: kind and bits.
    heads: Vec<u8>,
    /// Index of each cube among those of its kind.
    items: Vec<u32>,
    /// The enclosing cube of each cube; [`NO_CUBE`] for the root and unreachable cubes.
    above: Vec<u32>,
    /// Number of cubes unreachable from the root.
    pub(super) orphans: u32,
    /// `true` if children are missing because the file is corrupt.
    pub(super) is_incomplete: bool,
    pub(super) records: Records,
    parents: Vec<Parent>,
    children: Vec<u32>,
    pub(super) geometry: Vec<Geometry>,
    moved_points: Vec<[f32; 3]>,
    vis_infos: Vec<VisInfo>,
    vis_chunks: Vec<VisChunk>,
    listed: Vec<u32>,
    pub(super) light_infos: Vec<LightInfo>,
    pub(super) light_references: Vec<LightReference>,
    pub(super) path_infos: Vec<PathInfo>,
    pub(super) path_attributes: Vec<PathAttribute>,
    colliders: Vec<Collider>,
    collider_boxes: Vec<Corners>,
}

/// Offsets of cubes in the decoded sections. Empty for cubes that were not read from a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Records {
    /// Start of each cube's common data, then the end of the last one.
    pub common: Vec<u32>,
    /// The same for the client data; empty without a client section.
    pub client: Vec<u32>,
    /// Range of the server data of each [`PathInfo`]; empty without a server section.
    pub server: Vec<Range<u32>>,
}

impl PartialEq for Records {
    /// Equality of cubes does not depend on their offsets.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn slice<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    list.get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

/// Appends to a list and returns the indices of the new elements.
pub(super) fn extend<T>(list: &mut Vec<T>, more: impl IntoIterator<Item = T>) -> Range<u32> {
    let start = list.len() as u32;
    list.extend(more);
    start..list.len() as u32
}

impl Cubes {
    /// Number of cubes.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Returns `true` if there are no cubes, which no file allows.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of cubes unreachable from the root.
    pub fn orphans(&self) -> u32 {
        self.orphans
    }

    /// Returns `true` if children are missing because the file is corrupt. Their contents are then
    /// unreachable, although they may be intact.
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns `true` if the faces of a cube are drawn. Vertices have absolute positions, so
    /// unreachable cubes are drawn if they may only have lost their parent.
    pub fn is_drawn(&self, cube: u32) -> bool {
        self.is_incomplete || self.is_reached(cube)
    }

    /// The kind of a cube; `None` outside the list.
    #[inline]
    pub fn kind(&self, cube: u32) -> Option<CubeKind> {
        CubeKind::of(*self.heads.get(cube as usize)?)
    }

    /// Index of a cube among those of its kind; `None` outside the list.
    pub fn item(&self, cube: u32) -> Option<u32> {
        self.items.get(cube as usize).copied()
    }

    /// A cube; `None` outside the list.
    #[inline]
    pub fn get(&self, cube: u32) -> Option<Cube<'_>> {
        let item = *self.items.get(cube as usize)? as usize;
        Some(match self.kind(cube)? {
            CubeKind::Empty => Cube::Empty,
            CubeKind::Parent => Cube::Parent(self.parents.get(item)?),
            CubeKind::Geometry => Cube::Geometry(self.geometry.get(item)?),
            CubeKind::VisInfo => Cube::VisInfo(self.vis_infos.get(item)?),
            CubeKind::LightInfo => Cube::LightInfo(self.light_infos.get(item)?),
            CubeKind::PathInfo => Cube::PathInfo(self.path_infos.get(item)?),
            CubeKind::Collider => Cube::Collider(self.colliders.get(item)?),
        })
    }

    /// All cubes in file order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Cube<'_>)> {
        (0..self.len() as u32).filter_map(|cube| Some((cube, self.get(cube)?)))
    }

    /// The cube that contains or wraps a cube. `None` for the root and for unreachable cubes.
    pub fn above(&self, cube: u32) -> Option<u32> {
        let above = *self.above.get(cube as usize)?;
        (above != NO_CUBE).then_some(above)
    }

    /// Returns `true` if a cube is reachable from the root.
    pub fn is_reached(&self, cube: u32) -> bool {
        cube == 0 || self.above(cube).is_some()
    }

    /// Byte range of a cube in a decoded section. `None` if the section has no data for it or if
    /// the cube was not read from a file.
    pub fn record(&self, side: Side, cube: u32) -> Option<Range<u32>> {
        let offsets = match side {
            Side::Common => &self.records.common,
            Side::Client => &self.records.client,
            Side::Server => {
                let is_path_info = self.kind(cube) == Some(CubeKind::PathInfo);
                let item = self.item(cube).filter(|_| is_path_info)?;
                return self.records.server.get(item as usize).cloned();
            }
        };
        let cube = cube as usize;
        let record = *offsets.get(cube)?..*offsets.get(cube + 1)?;
        (!record.is_empty()).then_some(record)
    }

    /// The children of a parent with their corner numbers, in rising order.
    pub fn children(&self, parent: &Parent) -> impl Iterator<Item = (usize, u32)> {
        let corners = (0..8).filter(|corner| parent.mask >> corner & 1 == 1);
        let first = parent.first_child;
        let children = slice(&self.children, &(first..first + parent.mask.count_ones()));
        corners.zip(children.iter().copied())
    }

    /// The cubes directly inside a cube, with a corner number if they are smaller than it.
    pub fn inside(&self, cube: u32) -> impl Iterator<Item = (Option<usize>, u32)> {
        let (parent, child) = match self.get(cube) {
            Some(Cube::Parent(parent)) => (Some(parent), None),
            Some(Cube::VisInfo(info)) => (None, info.child),
            Some(Cube::LightInfo(info)) => (None, info.child),
            Some(Cube::PathInfo(info)) => (None, info.child),
            Some(Cube::Collider(collider)) => (None, collider.child),
            Some(Cube::Empty | Cube::Geometry(_)) | None => (None, None),
        };
        let children = parent
            .into_iter()
            .flat_map(|parent| self.children(parent))
            .map(|(corner, child)| (Some(corner), child));
        children.chain(child.map(|child| (None, child)))
    }

    /// The moved corners of a box with their numbers, in chunk space, in rising order.
    pub fn moved_points(&self, geometry: &Geometry) -> impl Iterator<Item = (usize, [f32; 3])> {
        let corners = (0..8).filter(|corner| geometry.moved >> corner & 1 == 1);
        let first = geometry.first_moved;
        let points = slice(
            &self.moved_points,
            &(first..first + geometry.moved.count_ones()),
        );
        corners.zip(points.iter().copied())
    }

    /// The corners of a box in a cell, in chunk space: those of the cell, except for the moved ones
    /// (fact sheet B11).
    pub fn corners(&self, geometry: &Geometry, cell: &Cell) -> Corners {
        let mut corners = cell.corners();
        for (corner, point) in self.moved_points(geometry) {
            if let Some(place) = corners.get_mut(corner) {
                *place = point;
            }
        }
        corners
    }

    /// The visible cubes of the same chunk; each includes its contents. They may be outside the
    /// list.
    pub fn visible_cubes(&self, info: &VisInfo) -> &[u32] {
        slice(&self.listed, &info.cubes)
    }

    /// The visible parts of other chunks.
    pub fn visible_chunks(&self, info: &VisInfo) -> &[VisChunk] {
        slice(&self.vis_chunks, &info.chunks)
    }

    /// The parts of other chunks that are visible from any cube.
    pub(super) fn all_visible_chunks(&self) -> &[VisChunk] {
        &self.vis_chunks
    }

    /// The visible cubes of another chunk; empty for the whole chunk.
    pub fn visible_chunk_cubes(&self, seen: &VisChunk) -> &[u32] {
        slice(&self.listed, &seen.cubes)
    }

    /// The dynamic lights that reach a cube.
    pub fn dynamic_lights(&self, info: &LightInfo) -> &[LightReference] {
        slice(&self.light_references, &info.dynamic)
    }

    /// The fast lights that reach a cube.
    pub fn fast_lights(&self, info: &LightInfo) -> &[LightReference] {
        slice(&self.light_references, &info.fast)
    }

    /// The attributes of a cube.
    pub fn attributes(&self, info: &PathInfo) -> &[PathAttribute] {
        slice(&self.path_attributes, &info.attributes)
    }

    /// The boxes of a collider, without non-finite ones.
    pub fn boxes(&self, collider: &Collider) -> &[Corners] {
        slice(&self.collider_boxes, &collider.boxes)
    }

    /// All reachable cubes with their places, each before its contents, for a chunk with edges of
    /// twice `half` metres.
    pub fn cells(&self, half: f32) -> impl Iterator<Item = Cell> {
        let root = Cell {
            cube: 0,
            depth: 0,
            center: [0.0; 3],
            half,
        };
        let mut stack: Vec<_> = (!self.is_empty()).then_some(root).into_iter().collect();
        std::iter::from_fn(move || {
            let cell = stack.pop()?;
            let first = stack.len();
            for (corner, cube) in self.inside(cell.cube) {
                stack.push(match corner {
                    Some(corner) => cell.child(corner, cube),
                    None => Cell { cube, ..cell },
                });
            }
            if let Some(inside) = stack.get_mut(first..) {
                inside.reverse();
            }
            Some(cell)
        })
    }

    /// Reserves room for `cubes` cubes.
    pub(super) fn reserve(&mut self, cubes: usize) {
        self.heads.reserve_exact(cubes);
        self.items.reserve_exact(cubes);
        self.records.common.reserve_exact(cubes + 1);
    }

    fn push(&mut self, kind: CubeKind, bits: u8, item: usize) -> u32 {
        let cube = self.len() as u32;
        self.heads.push(bits & 0xF0 | kind as u8);
        self.items.push(item as u32);
        cube
    }

    /// Adds an empty cube and returns its index.
    pub fn push_empty(&mut self) -> u32 {
        self.push(CubeKind::Empty, 0, 0)
    }

    /// Adds a parent with one child per bit of the mask and returns its index.
    pub fn push_parent(&mut self, mask: u8, children: &[u32]) -> u32 {
        let first_child = extend(&mut self.children, children.iter().copied()).start;
        self.parents.push(Parent { mask, first_child });
        self.push(CubeKind::Parent, 0, self.parents.len() - 1)
    }

    /// Adds a box with one point per bit of its moved corners and returns its index.
    pub fn push_geometry(&mut self, mut geometry: Geometry, moved: &[[f32; 3]]) -> u32 {
        geometry.first_moved = extend(&mut self.moved_points, moved.iter().copied()).start;
        self.geometry.push(geometry);
        self.push(CubeKind::Geometry, geometry.bits, self.geometry.len() - 1)
    }

    /// Adds a cube with visibility lists and returns its index. `chunks` are other chunks with
    /// their visible cubes.
    pub fn push_vis_info(
        &mut self,
        child: u32,
        cubes: impl IntoIterator<Item = u32>,
        chunks: &[(ChunkIndex, Vec<u32>)],
    ) -> u32 {
        let seen = chunks.iter().map(|(chunk, cubes)| VisChunk {
            chunk: *chunk,
            cubes: extend(&mut self.listed, cubes.iter().copied()),
        });
        let chunks = extend(&mut self.vis_chunks, seen);
        self.vis_infos.push(VisInfo {
            child: Some(child),
            cubes: extend(&mut self.listed, cubes),
            chunks,
        });
        self.push(CubeKind::VisInfo, 0, self.vis_infos.len() - 1)
    }

    /// Adds a cube with light and returns its index.
    pub fn push_light_info(
        &mut self,
        child: Option<u32>,
        base: [u8; 3],
        dynamic: &[LightReference],
        fast: &[LightReference],
    ) -> u32 {
        self.light_infos.push(LightInfo {
            child,
            base,
            dynamic: extend(&mut self.light_references, dynamic.iter().copied()),
            fast: extend(&mut self.light_references, fast.iter().copied()),
        });
        self.push(CubeKind::LightInfo, 0, self.light_infos.len() - 1)
    }

    /// Adds a cube with attributes and returns its index.
    pub fn push_path_info(&mut self, child: Option<u32>, attributes: &[PathAttribute]) -> u32 {
        self.path_infos.push(PathInfo {
            child,
            attributes: extend(&mut self.path_attributes, attributes.iter().copied()),
        });
        self.push(CubeKind::PathInfo, 0, self.path_infos.len() - 1)
    }

    /// Adds a collider and returns its index. Files have 1 to 16 boxes.
    pub fn push_collider(&mut self, child: u32, boxes: impl IntoIterator<Item = Corners>) -> u32 {
        let boxes = extend(&mut self.collider_boxes, boxes);
        self.colliders.push(Collider {
            child: Some(child),
            boxes,
        });
        self.push(CubeKind::Collider, 0, self.colliders.len() - 1)
    }

    /// Walks down from the root and records the enclosing cube of each cube (fact sheet A10, octree
    /// rules).
    ///
    /// # Errors
    /// Returns the first invalid child. Nothing is recorded then.
    pub fn link(&mut self) -> Result<(), BadChild> {
        let mut first = None;
        let (above, reached) = self.trace(|bad| {
            first = Some(bad);
            false
        });
        if let Some(bad) = first {
            return Err(bad);
        }
        self.set_above(above, reached);
        Ok(())
    }

    /// [`Cubes::link`] for cubes that may not form a tree. Invalid children are removed from their
    /// cubes and returned.
    pub(super) fn remove_bad_children(&mut self) -> Vec<BadChild> {
        let mut all = Vec::new();
        let (above, reached) = self.trace(|bad| {
            all.push(bad);
            true
        });
        self.set_above(above, reached);
        self.is_incomplete |= !all.is_empty();
        // Last child of a cube first, so that earlier places stay valid.
        for bad in all.iter().rev() {
            self.remove_child(bad);
        }
        all
    }

    fn set_above(&mut self, above: Vec<u32>, reached: u32) {
        self.above = above;
        self.orphans = self.len() as u32 - reached;
    }

    /// Finds the enclosing cube of each cube and the number of reached cubes. `keep_going` gets each
    /// invalid child and returns `true` to continue.
    fn trace(&self, mut keep_going: impl FnMut(BadChild) -> bool) -> (Vec<u32>, u32) {
        let count = self.len() as u32;
        let mut above = vec![NO_CUBE; self.len()];
        let mut reached = u32::from(count > 0);
        let mut stack: Vec<_> = (count > 0).then_some((0, 0_u8)).into_iter().collect();
        while let Some((cube, depth)) = stack.pop() {
            for (place, (corner, child)) in self.inside(cube).enumerate() {
                let depth = depth + u8::from(corner.is_some());
                let fault = match above.get(child as usize) {
                    None => ChildFault::Outside,
                    Some(_) if child == 0 => ChildFault::Root,
                    Some(above) if *above != NO_CUBE => ChildFault::Twice,
                    Some(_) if depth > MAX_PARENTS => ChildFault::TooDeep,
                    Some(_) => {
                        above[child as usize] = cube;
                        reached += 1;
                        stack.push((child, depth));
                        continue;
                    }
                };
                let bad = BadChild {
                    cube,
                    place,
                    child,
                    fault,
                };
                if !keep_going(bad) {
                    return (above, reached);
                }
            }
        }
        (above, reached)
    }

    /// Removes a child from its cube.
    fn remove_child(&mut self, bad: &BadChild) {
        let item = self.item(bad.cube).unwrap_or_default() as usize;
        match self.kind(bad.cube) {
            Some(CubeKind::Parent) => {
                let Some(parent) = self.parents.get_mut(item) else {
                    return;
                };
                let first = parent.first_child as usize;
                let end = first + parent.mask.count_ones() as usize;
                let mut corners = (0..8).filter(|corner| parent.mask >> corner & 1 == 1);
                if let Some(corner) = corners.nth(bad.place) {
                    parent.mask &= !(1 << corner);
                }
                // Later children move up.
                if let Some(behind) = self.children.get_mut(first + bad.place..end) {
                    behind.rotate_left(1);
                }
            }
            Some(CubeKind::VisInfo) => {
                if let Some(info) = self.vis_infos.get_mut(item) {
                    info.child = None;
                }
            }
            Some(CubeKind::LightInfo) => {
                if let Some(info) = self.light_infos.get_mut(item) {
                    info.child = None;
                }
            }
            Some(CubeKind::PathInfo) => {
                if let Some(info) = self.path_infos.get_mut(item) {
                    info.child = None;
                }
            }
            Some(CubeKind::Collider) => {
                if let Some(collider) = self.colliders.get_mut(item) {
                    collider.child = None;
                }
            }
            Some(CubeKind::Empty | CubeKind::Geometry) | None => {}
        }
    }
}

/// An invalid child of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadChild {
    /// The cube.
    pub cube: u32,
    /// Position among the children of the cube, from 0.
    pub place: usize,
    /// The child index in the file.
    pub child: u32,
    /// The fault.
    pub fault: ChildFault,
}

/// A fault of a child reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildFault {
    /// The cube does not exist.
    Outside,
    /// It is the root, which cannot be a child.
    Root,
    /// It is a child of another cube too.
    Twice,
    /// More than 64 parents are above it.
    TooDeep,
}

impl Cell {
    /// The cell of a child of half the size, in a corner by its number ([`corner_signs`]).
    pub fn child(&self, corner: usize, cube: u32) -> Self {
        let half = self.half * 0.5;
        let signs = corner_signs(corner);
        Self {
            cube,
            depth: self.depth + 1,
            center: std::array::from_fn(|axis| self.center[axis] + signs[axis] * half),
            half,
        }
    }

    /// Its corners in chunk space.
    pub fn corners(&self) -> Corners {
        std::array::from_fn(|corner| {
            let signs = corner_signs(corner);
            std::array::from_fn(|axis| self.center[axis] + signs[axis] * self.half)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_in_the_order_of_their_bits() {
        let corners: Vec<_> = (0..8).map(corner_signs).collect();
        let expected: [[f32; 3]; 8] = [
            [1.0, 1.0, 1.0],
            [-1.0, 1.0, 1.0],
            [1.0, 1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [1.0, -1.0, 1.0],
            [-1.0, -1.0, 1.0],
            [1.0, -1.0, -1.0],
            [-1.0, -1.0, -1.0],
        ];
        assert_eq!(corners, expected);
    }

    #[test]
    fn sides_face_outward() {
        for (side, [a, b, c, _]) in SIDE_CORNERS.into_iter().enumerate() {
            let [a, b, c] = [a, b, c].map(corner_signs);
            let between = |to: [f32; 3]| -> [f32; 3] { std::array::from_fn(|i| to[i] - a[i]) };
            let ([ux, uy, uz], [vx, vy, vz]) = (between(c), between(b));
            let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
            let mut outward = [0.0; 3];
            outward[side % 3] = if side < 3 { 4.0 } else { -4.0 };
            assert_eq!(normal, outward, "{}", SIDES[side]);
        }
    }

    #[test]
    fn cells_are_found_through_wrappers() {
        let mut cubes = Cubes::default();
        cubes.push_vis_info(1, [3], &[(ChunkIndex::new([0, 1, 0]), vec![2])]);
        cubes.push_collider(2, [[[0.0; 3]; 8]]);
        cubes.push_parent(0b1000_0001, &[4, 3]);
        cubes.push_empty();
        let moved = Geometry {
            moved: 0b10,
            ..Geometry::new(0, 0, 0)
        };
        cubes.push_geometry(moved, &[[9.0; 3]]);
        cubes.push_empty();
        cubes.link().unwrap();
        assert_eq!(cubes.orphans(), 1);
        let cells: Vec<_> = cubes.cells(4.0).collect();
        let order: Vec<_> = cells.iter().map(|cell| (cell.cube, cell.depth)).collect();
        assert_eq!(order, [(0, 0), (1, 0), (2, 0), (4, 1), (3, 1)]);
        assert_eq!((cells[3].center, cells[3].half), ([2.0; 3], 2.0));
        assert_eq!(cells[4].center, [-2.0; 3]);
        let Some(Cube::Geometry(geometry)) = cubes.get(4) else {
            panic!("no geometry");
        };
        let corners = cubes.corners(geometry, &cells[3]);
        assert_eq!(corners[0], [4.0; 3]);
        assert_eq!(corners[1], [9.0; 3]);
        assert_eq!(corners[7], [0.0; 3]);
        let above: Vec<_> = (0..6).map(|cube| cubes.above(cube)).collect();
        assert_eq!(above, [None, Some(0), Some(1), Some(2), Some(2), None]);
        assert!(cubes.is_reached(0) && !cubes.is_reached(5));
    }

    /// The first fault in a chunk of parents with these children.
    fn fault_of(children: &[&[u32]]) -> Option<(u32, usize, ChildFault)> {
        let mut cubes = Cubes::default();
        for children in children {
            cubes.push_parent((1_u32 << children.len()).wrapping_sub(1) as u8, children);
        }
        let bad = cubes.link().err()?;
        Some((bad.cube, bad.place, bad.fault))
    }

    #[test]
    fn cubes_that_are_not_a_tree_are_rejected() {
        assert_eq!(fault_of(&[&[1, 2], &[], &[]]), None);
        assert_eq!(fault_of(&[&[0]]), Some((0, 0, ChildFault::Root)));
        assert_eq!(fault_of(&[&[1], &[1]]), Some((1, 0, ChildFault::Twice)));
        assert_eq!(
            fault_of(&[&[1], &[2], &[1]]),
            Some((2, 0, ChildFault::Twice))
        );
        assert_eq!(fault_of(&[&[1, 1], &[]]), Some((0, 1, ChildFault::Twice)));
        assert_eq!(fault_of(&[&[1, 2], &[]]), Some((0, 1, ChildFault::Outside)));
        assert_eq!(fault_of(&[&[u32::MAX]]), Some((0, 0, ChildFault::Outside)));
        // Unreachable cubes are not checked.
        assert_eq!(fault_of(&[&[], &[1, 0, 99]]), None);
    }

    #[test]
    fn children_that_cannot_be_are_taken_out() {
        let mut cubes = Cubes::default();
        cubes.push_parent(0b1011_0001, &[99, 1, 0, 2]);
        cubes.push_parent(0b11, &[2, 1]);
        cubes.push_vis_info(3, [], &[]);
        cubes.push_collider(7, [[[0.0; 3]; 8]]);
        cubes.push_empty();
        let bad = cubes.remove_bad_children();
        let faults: Vec<_> = bad
            .iter()
            .map(|bad| (bad.cube, bad.place, bad.fault))
            .collect();
        assert_eq!(
            faults,
            [
                (0, 0, ChildFault::Outside),
                (0, 2, ChildFault::Root),
                (3, 0, ChildFault::Outside),
                (1, 0, ChildFault::Twice),
                (1, 1, ChildFault::Twice),
            ]
        );
        // The remaining cubes form a tree.
        cubes.link().unwrap();
        let Some(Cube::Parent(root)) = cubes.get(0) else {
            panic!("no parent");
        };
        assert_eq!(cubes.children(root).collect::<Vec<_>>(), [(4, 1), (7, 2)]);
        assert_eq!(cubes.inside(1).count() + cubes.inside(3).count(), 0);
        assert_eq!((cubes.above(3), cubes.orphans()), (Some(2), 1));
        assert!(cubes.is_incomplete() && cubes.is_drawn(4) && !cubes.is_reached(4));
    }

    #[test]
    fn parents_may_be_64_deep_and_wrappers_any_number() {
        for (parents, is_right) in [(64, true), (65, false)] {
            let mut cubes = Cubes::default();
            for i in 0..parents {
                cubes.push_parent(1, &[i + 1]);
            }
            cubes.push_empty();
            assert_eq!(cubes.link().is_ok(), is_right, "{parents} parents");
        }
        let mut cubes = Cubes::default();
        for i in 0..100_000 {
            cubes.push_light_info(Some(i + 1), [0; 3], &[], &[]);
        }
        cubes.push_empty();
        cubes.link().unwrap();
        assert_eq!(cubes.cells(1.0).last().unwrap().cube, 100_000);
    }

    #[test]
    fn faces_follow_each_other_in_the_order_of_sides() {
        let mut geometry = Geometry {
            triangles: [0, 2, 0, 2, 0, 2],
            first_vertex: 10,
            first_normal: 5,
            ..Geometry::new(0, 0, 0)
        };
        assert_eq!(geometry.side_mask(), 0b10_1010);
        let sides: Vec<_> = geometry.faces().map(|f| (f.side, f.vertices)).collect();
        assert_eq!(sides, [(1, 10..14), (3, 14..18), (5, 18..22)]);
        geometry.bits = Geometry::CLIENT_EXTENDED;
        geometry.triangles = [1, 0, 3, 0, 0, 0];
        geometry.bad_sides = 1;
        let faces: Vec<_> = geometry.faces().collect();
        assert_eq!(faces.len(), 1);
        assert_eq!(faces[0].vertices, 13..22);
        assert_eq!(faces[0].first_normal, Some(8));
    }
}
