//! Reading the cubes of a chunk from its three sections (fact sheet A10).

use std::sync::atomic::{AtomicU64, Ordering};

use super::bytes::{ChunkIndex, Cursor, StringTable};
use super::chunk::{ChunkClient, Vertex};
use super::cube::{
    BadChild, ChildFault, Cube, CubeKind, Geometry, LightReference, MAX_PARENTS, NO_LIGHTMAP,
    PathAttribute, SIDES,
};
use super::level::warn_of_bits;
use super::read_chunk::{ChunkReader, indices, is_inside, no_such, warn_of_chunk};
use super::rules;
use crate::{Problems, ReadError, outside};

/// The most cubes in a file. A cube takes one byte of a section, which is next to nothing when it
/// is compressed, but some twenty bytes of memory.
const MAX_CUBES: u64 = 1 << 26;
/// How many cubes a file may have whatever its size.
const FEW_CUBES: u64 = 1 << 20;
/// How many it may have beyond that for each of its bytes: an octree takes about as many bytes as
/// it has cubes even when it is packed, since each parent lists its children.
const CUBES_PER_FILE_BYTE: u64 = 4;

/// How many cubes a file may still have, counted by all threads that read it.
#[derive(Debug, Default)]
pub(super) struct CubeAllowance {
    all: u64,
    left: AtomicU64,
}

impl CubeAllowance {
    /// For a file of so many bytes.
    pub(super) fn new(file_bytes: usize) -> Self {
        let more = (file_bytes as u64).saturating_mul(CUBES_PER_FILE_BYTE);
        let all = FEW_CUBES.saturating_add(more).min(MAX_CUBES);
        Self {
            all,
            left: AtomicU64::new(all),
        }
    }

    /// Takes some, if they are left.
    fn take(&self, count: usize) -> bool {
        let less = |left: u64| left.checked_sub(count as u64);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

impl ChunkReader<'_, '_> {
    pub(super) fn read_cubes(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        cursor.enter("cube list", None);
        let at = cursor.pos();
        let count = cursor.u32()?;
        if count == 0 {
            return Err(cursor.fault(&rules::CUBE_COUNT, at, "no cubes", "at least one"));
        }
        let count = cursor.count(count, 1, "cubes")?;
        let allowance = self.around.cubes;
        if !allowance.take(count) {
            let expected = format!("at most {} in a file of this size", allowance.all);
            return Err(cursor.fault(&rules::CUBE_COUNT, at, format!("{count} cubes"), expected));
        }
        self.data.cubes.reserve(count);
        for i in 0..count {
            cursor.enter("cube", i);
            self.data.cubes.records.common.push(cursor.pos() as u32);
            self.read_cube(cursor)?;
        }
        self.data.cubes.records.common.push(cursor.pos() as u32);
        Ok(())
    }

    /// Reads the common data of a cube.
    #[inline]
    fn read_cube(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let at = cursor.pos();
        let head = cursor.u8()?;
        let Some(kind) = CubeKind::of(head) else {
            let found = format!("type {}", head & 0x0F);
            return Err(cursor.fault(&rules::CUBE_TYPE, at, found, "a type from 0 to 6"));
        };
        let bits = head & 0xF0;
        let known = match kind {
            CubeKind::Geometry => {
                Geometry::BACKFACES | Geometry::CLIENT_EXTENDED | Geometry::COMMON_EXTENDED
            }
            CubeKind::Collider => 0xF0,
            _ => 0,
        };
        warn_of_bits(cursor, self.problems, at, bits, known);
        let cubes = &mut self.data.cubes;
        match kind {
            CubeKind::Empty => {
                cubes.push_empty();
            }
            CubeKind::Parent => {
                let mask = cursor.u8()?;
                let count = mask.count_ones() as usize;
                let bytes = cursor.bytes(4 * count)?;
                let mut children = [0; 8];
                for (child, bytes) in children.iter_mut().zip(bytes.as_chunks().0) {
                    *child = u32::from_le_bytes(*bytes);
                }
                let children = children.get(..count).unwrap_or_default();
                cubes.push_parent(mask, children);
            }
            CubeKind::Geometry if bits & Geometry::COMMON_EXTENDED == 0 => {
                let [material, physics, sound] = cursor.array()?;
                let geometry = Geometry {
                    bits: bits & known,
                    ..Geometry::new(material, physics, sound)
                };
                cubes.push_geometry(geometry, &[]);
            }
            CubeKind::Geometry => self.read_extended(cursor, bits & known)?,
            CubeKind::VisInfo => {
                let child = cursor.u32()?;
                let count = cursor.u32()?;
                let count = cursor.count(count, 4, "visible cubes")?;
                let listed = cursor.bytes(4 * count)?;
                let listed = cubes.push_listed(indices(listed));
                let count = cursor.u32()?;
                let count = cursor.count(count, 8, "visible chunks")?;
                let first = cubes.vis_chunk_count();
                for _ in 0..count {
                    let at = cursor.pos();
                    let chunk = ChunkIndex(cursor.u32()?);
                    if !is_inside(self.around.grid, chunk) {
                        warn_of_chunk(cursor, self.problems, at, chunk);
                    }
                    let count = cursor.u32()?;
                    let count = cursor.count(count, 4, "visible cubes of a chunk")?;
                    let listed = cursor.bytes(4 * count)?;
                    cubes.push_vis_chunk(chunk, indices(listed));
                }
                cubes.push_vis_info_of(child, listed, first);
            }
            CubeKind::LightInfo => {
                cubes.push_light_info(None, [0; 3], &[], &[]);
            }
            CubeKind::PathInfo => {
                cubes.push_path_info(None, &[]);
            }
            CubeKind::Collider => {
                let child = cursor.u32()?;
                let count = usize::from(bits >> 4) + 1;
                let mut boxes = Vec::with_capacity(count);
                for _ in 0..count {
                    boxes.extend(self.read_corners(cursor)?);
                }
                self.data.cubes.push_collider(child, boxes);
            }
        }
        Ok(())
    }

    fn read_extended(&mut self, cursor: &mut Cursor<'_>, bits: u8) -> Result<(), ReadError> {
        let mut geometry = Geometry {
            bits,
            materials: cursor.array()?,
            physics: cursor.array()?,
            ..Geometry::new(0, 0, 0)
        };
        geometry.sound = cursor.u8()?;
        let mask = cursor.u8()?;
        let mut points = [[0.0; 3]; 8];
        let mut count = 0;
        for corner in (0..8).filter(|corner| mask >> corner & 1 == 1) {
            let at = cursor.pos();
            let point: [f32; 3] = cursor.floats()?;
            if !point.iter().all(|number| number.is_finite()) {
                cursor.warn(self.problems, &rules::NOT_FINITE_GEOMETRY, at, || {
                    format!("the moved corner {corner} is not finite; it is not moved")
                });
                continue;
            }
            geometry.moved |= 1 << corner;
            if let Some(place) = points.get_mut(count) {
                *place = point;
                count += 1;
            }
        }
        let points = points.get(..count).unwrap_or_default();
        self.data.cubes.push_geometry(geometry, points);
        Ok(())
    }

    /// Reads what the client section has of the cubes: geometry and light (fact sheet B5).
    pub(super) fn read_client_cubes(
        &mut self,
        cursor: &mut Cursor<'_>,
        client: &ChunkClient,
    ) -> Result<(), ReadError> {
        // Nearly always all are finite, and no face must be looked at.
        let sum = client.vertices.iter().fold(0.0, |sum, vertex| {
            // Numbers that are not finite times zero are not zero.
            let [x, y, z] = vertex.position;
            let [u, v] = vertex.uv;
            let [s, t] = vertex.lightmap_uv;
            sum + (x * 0.0 + y * 0.0 + z * 0.0 + u * 0.0 + v * 0.0 + s * 0.0 + t * 0.0)
        });
        let are_finite = sum == 0.0;
        let count = self.data.cubes.len() as u32;
        let mut offsets = Vec::with_capacity(count as usize + 1);
        for cube in 0..count {
            offsets.push(cursor.pos() as u32);
            match self.data.cubes.kind(cube) {
                Some(CubeKind::Geometry) => {
                    cursor.enter("cube", cube as usize);
                    self.read_client_geometry(cube, cursor, client, are_finite)?;
                }
                Some(CubeKind::LightInfo) => {
                    cursor.enter("cube", cube as usize);
                    self.read_light_info(cube, cursor)?;
                }
                _ => {}
            }
        }
        offsets.push(cursor.pos() as u32);
        self.data.cubes.records.client = offsets;
        Ok(())
    }

    #[inline]
    fn read_client_geometry(
        &mut self,
        cube: u32,
        cursor: &mut Cursor<'_>,
        client: &ChunkClient,
        are_finite: bool,
    ) -> Result<(), ReadError> {
        let at = cursor.pos();
        let item = self.data.cubes.item(cube).unwrap_or_default();
        let Some(geometry) = self.data.cubes.geometry.get_mut(item as usize) else {
            return Ok(());
        };
        if geometry.is_client_extended() {
            geometry.lightmaps = cursor.array()?;
            geometry.triangles = cursor.array()?;
            geometry.first_vertex = cursor.u32()?;
            geometry.first_normal = cursor.u32()?;
        } else {
            geometry.lightmaps = [cursor.u8()?; 6];
            geometry.first_vertex = cursor.u32()?;
            let sides = cursor.u8()?;
            warn_of_bits(cursor, self.problems, at + 5, sides, 0x3F);
            geometry.triangles = std::array::from_fn(|side| 2 * (sides >> side & 1));
        }
        let mut geometry = *geometry;
        let used = self.data.materials.len();
        if has_lies(&geometry, client.vertices.len(), client.normals.len(), used) {
            self.suspects.push(cube);
        }
        for face in geometry.all_faces() {
            let side = face.side;
            let lightmap = geometry.lightmaps.get(side).copied().unwrap_or_default();
            if usize::from(lightmap) >= client.lightmaps.len() && lightmap != NO_LIGHTMAP {
                let at = at
                    + if geometry.is_client_extended() {
                        side
                    } else {
                        0
                    };
                cursor.warn(self.problems, &rules::INDEX, at, || {
                    no_such("lightmap", lightmap, client.lightmaps.len() as u64)
                });
            }
            if !are_finite {
                let range = face.vertices.start as usize..face.vertices.end as usize;
                let vertices = client.vertices.get(range).unwrap_or_default();
                if !vertices.iter().all(Vertex::is_finite) {
                    geometry.bad_sides |= 1 << side;
                    cursor.warn(self.problems, &rules::NOT_FINITE_GEOMETRY, at, || {
                        let first = face.vertices.start;
                        format!(
                            "a vertex of its side {} is not finite (from vertex {first} on); the \
                             side is left out",
                            SIDES.get(side).unwrap_or(&"")
                        )
                    });
                }
            }
        }
        if geometry.bad_sides != 0
            && let Some(place) = self.data.cubes.geometry.get_mut(item as usize)
        {
            place.bad_sides = geometry.bad_sides;
        }
        Ok(())
    }

    /// Says why the first of the suspects that is drawn cannot be: where its vertices and normals
    /// are, or what material it is of. What is not reached is not drawn, and loses nothing (fact
    /// sheet A10, B19).
    pub(super) fn check_suspects(
        &self,
        common: &Cursor<'_>,
        client: &Cursor<'_>,
    ) -> Result<(), ReadError> {
        let cubes = &self.data.cubes;
        let mut drawn = self.suspects.iter().filter(|cube| cubes.is_reached(**cube));
        let Some(&cube) = drawn.next() else {
            return Ok(());
        };
        let (Some(Cube::Geometry(geometry)), Some(data)) = (cubes.get(cube), &self.data.client)
        else {
            return Ok(());
        };
        let (mut common, mut client) = (common.clone(), client.clone());
        let start =
            |record: Option<std::ops::Range<u32>>| record.unwrap_or_default().start as usize;
        common.enter("cube", cube as usize);
        client.enter("cube", cube as usize);
        for (first, needed, count, what) in needs(geometry, data.vertices.len(), data.normals.len())
        {
            if u64::from(first) + u64::from(needed) > count as u64 {
                let found = format!("its {needed} {what} begin at {first}");
                let at = start(cubes.client_record(cube));
                return Err(client.fault(
                    &rules::CUBE_VERTICES,
                    at,
                    found,
                    format!("all of them among the {count}"),
                ));
            }
        }
        let used = self.data.materials.len();
        for face in geometry.all_faces() {
            let material = geometry.materials.get(face.side).copied();
            let material = material.unwrap_or_default();
            if usize::from(material) >= used {
                let is_extended = geometry.is_common_extended();
                let at =
                    start(cubes.common_record(cube)) + 1 + if is_extended { face.side } else { 0 };
                let found = no_such("material", material, used as u64);
                return Err(common.fault(
                    &rules::CUBE_MATERIAL,
                    at,
                    found,
                    "a material that the chunk uses",
                ));
            }
        }
        Ok(())
    }

    fn read_light_info(&mut self, cube: u32, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let child = cursor.u32()?;
        let base = cursor.array()?;
        let (dynamic, fast) = (&self.data.dynamic_lights, &self.data.fast_lights);
        let dynamic = read_references(cursor, self.problems, "dynamic light", dynamic.len())?;
        let fast = read_references(cursor, self.problems, "fast light", fast.len())?;
        let cubes = &mut self.data.cubes;
        let item = cubes.item(cube).unwrap_or_default() as usize;
        if let Some(info) = cubes.light_infos.get_mut(item) {
            (info.child, info.base) = (Some(child), base);
        }
        cubes.set_lights(item, references(dynamic), references(fast));
        Ok(())
    }

    pub(super) fn read_path_info(
        &mut self,
        cube: u32,
        strings: &StringTable,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), ReadError> {
        let start = cursor.pos() as u32;
        let child = cursor.u32()?;
        let count = cursor.u8()?;
        let count = cursor.count(count, 8, "attributes")?;
        let mut attributes = Vec::with_capacity(count);
        for _ in 0..count {
            attributes.push(PathAttribute {
                name: cursor.string(strings)?,
                data: cursor.string(strings)?,
            });
        }
        let cubes = &mut self.data.cubes;
        let item = cubes.item(cube).unwrap_or_default() as usize;
        if let Some(info) = cubes.path_infos.get_mut(item) {
            info.child = Some(child);
        }
        cubes.records.server.push(start..cursor.pos() as u32);
        cubes.set_attributes(item, attributes);
        Ok(())
    }

    /// Why the cubes are no tree.
    #[cold]
    pub(super) fn bad_child(
        &self,
        bad: &BadChild,
        common: Cursor<'_>,
        client: Option<Cursor<'_>>,
        server: Option<Cursor<'_>>,
    ) -> ReadError {
        let cubes = &self.data.cubes;
        let start =
            |record: Option<std::ops::Range<u32>>| record.unwrap_or_default().start as usize;
        let in_common = start(cubes.common_record(bad.cube));
        let (mut cursor, at) = match cubes.get(bad.cube) {
            Some(Cube::Parent(_)) => (common, in_common + 2 + 4 * bad.place),
            Some(Cube::LightInfo(_)) => {
                let at = start(cubes.client_record(bad.cube));
                (client.unwrap_or(common), at)
            }
            Some(Cube::PathInfo(_)) => {
                let at = start(cubes.server_record(bad.cube));
                (server.unwrap_or(common), at)
            }
            _ => (common, in_common + 1),
        };
        cursor.enter("cube", bad.cube as usize);
        let child = bad.child;
        let found = match bad.fault {
            ChildFault::Outside => {
                format!("its child {child}, {}", outside("cube", cubes.len() as u64))
            }
            ChildFault::Root => "its child is cube 0, the root".to_owned(),
            ChildFault::Twice => format!("its child {child} is in another cube already"),
            ChildFault::TooDeep => {
                format!("its child {child} is below more than {MAX_PARENTS} parents")
            }
        };
        cursor.fault(&rules::CUBE_TREE, at, found, "a tree of cubes below cube 0")
    }

    /// Warns of what can be odd about cubes that make a tree.
    pub(super) fn check_tree(
        &mut self,
        cursor: &mut Cursor<'_>,
        (has_client, has_server): (bool, bool),
    ) {
        let data = &self.data;
        let cubes = &data.cubes;
        // What wrappers have in sections that are missing cannot be told from what nothing has.
        let leaves = [
            (
                CubeKind::LightInfo,
                cubes.light_infos.len(),
                has_client,
                "client",
            ),
            (
                CubeKind::PathInfo,
                cubes.path_infos.len(),
                has_server,
                "server",
            ),
        ]
        .into_iter()
        .filter(|(_, count, is_there, _)| !is_there && *count > 0);
        for (kind, count, _, side) in leaves.clone() {
            let first = (0..cubes.len() as u32).find(|cube| cubes.kind(*cube) == Some(kind));
            let first = first.unwrap_or_default();
            let at = cubes.common_record(first).unwrap_or_default().start;
            cursor.enter("cube", first as usize);
            cursor.warn(self.problems, &rules::MISSING_CHILDREN, at as usize, || {
                let name = kind.name();
                format!(
                    "what is in {name} cubes is in the {side} section, which is missing; nothing \
                     is in the {count} of this chunk, of which this is the first"
                )
            });
        }
        let orphans = cubes.orphans();
        if orphans > 0 && leaves.count() == 0 {
            let first = (0..cubes.len() as u32).find(|cube| !cubes.is_reached(*cube));
            let first = first.unwrap_or_default();
            let at = cubes.common_record(first).unwrap_or_default().start;
            cursor.enter("cube", first as usize);
            cursor.warn(self.problems, &rules::UNREACHED_CUBE, at as usize, || {
                let count = cubes.len();
                format!("{orphans} of {count} cubes are in no other, of which this is the first")
            });
        }
        let (physics, sounds) = (data.physics_materials.len(), data.sound_materials.len());
        for (cube, what) in cubes.iter() {
            let at = |offset: usize| {
                let record = cubes.common_record(cube).unwrap_or_default();
                record.start as usize + offset
            };
            match what {
                Cube::Geometry(geometry) => {
                    let is_bad = |index: &u8| usize::from(*index) >= physics;
                    let sound = usize::from(geometry.sound);
                    if !geometry.physics.iter().any(is_bad) && sound < sounds {
                        continue;
                    }
                    cursor.enter("cube", cube as usize);
                    if let Some(side) = geometry.physics.iter().position(is_bad) {
                        let is_extended = geometry.is_common_extended();
                        let at = at(if is_extended { 7 + side } else { 2 });
                        let index = geometry.physics.get(side).copied().unwrap_or_default();
                        cursor.warn(self.problems, &rules::INDEX, at, || {
                            no_such("physics material", index, physics as u64)
                        });
                    }
                    if sound >= sounds {
                        let at = at(if geometry.is_common_extended() { 13 } else { 3 });
                        cursor.warn(self.problems, &rules::INDEX, at, || {
                            no_such("sound material", sound, sounds as u64)
                        });
                    }
                }
                Cube::VisInfo(info) => {
                    let count = cubes.len() as u64;
                    let seen = cubes.seen_cubes(info);
                    let bad = seen.iter().position(|cube| u64::from(*cube) >= count);
                    if let Some(bad) = bad {
                        cursor.enter("cube", cube as usize);
                        cursor.warn(self.problems, &rules::INDEX, at(9 + 4 * bad), || {
                            let index = seen.get(bad).copied().unwrap_or_default();
                            no_such("visible cube", index, count)
                        });
                    }
                }
                _ => {}
            }
        }
    }
}

/// What a box needs of the vertices and normals of its chunk, of which there are so many: the first,
/// how many, how many there are, and what they are called.
fn needs(
    geometry: &Geometry,
    vertices: usize,
    normals: usize,
) -> [(u32, u32, usize, &'static str); 2] {
    let drawn = geometry.triangles.iter().copied().map(u32::from);
    let corners = if geometry.is_client_extended() {
        3 * drawn.sum::<u32>()
    } else {
        // Two triangles have four corners.
        2 * drawn.sum::<u32>()
    };
    let of_normals = if geometry.is_client_extended() {
        corners
    } else {
        0
    };
    [
        (geometry.first_vertex, corners, vertices, "vertices"),
        (geometry.first_normal, of_normals, normals, "normals"),
    ]
}

/// Whether a box names vertices, normals or materials that its chunk does not have.
#[inline]
fn has_lies(geometry: &Geometry, vertices: usize, normals: usize, materials: usize) -> bool {
    let mut needs = needs(geometry, vertices, normals).into_iter();
    let sides = geometry.triangles.iter().zip(geometry.materials);
    needs.any(|(first, needed, count, _)| u64::from(first) + u64::from(needed) > count as u64)
        || sides
            .filter(|(triangles, _)| **triangles > 0)
            .any(|(_, material)| usize::from(material) >= materials)
}

fn read_references<'a>(
    cursor: &mut Cursor<'a>,
    problems: &mut Problems,
    what: &str,
    lights: usize,
) -> Result<&'a [u8], ReadError> {
    let count = cursor.u8()?;
    let count = cursor.count(count, 2, "lights of a cube")?;
    let at = cursor.pos();
    let bytes = cursor.bytes(2 * count)?;
    for (i, light) in bytes.iter().step_by(2).enumerate() {
        if usize::from(*light) >= lights {
            cursor.warn(problems, &rules::INDEX, at + 2 * i, || {
                no_such(what, *light, lights as u64)
            });
        }
    }
    Ok(bytes)
}

fn references(bytes: &[u8]) -> impl Iterator<Item = LightReference> {
    let pairs = bytes.as_chunks().0.iter();
    pairs.map(|&[light, multiplier]| LightReference { light, multiplier })
}
