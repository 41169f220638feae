//! Reader and writer of a chunk's cubes in its three sections (fact sheet A10).

use std::sync::atomic::{AtomicU64, Ordering};

use super::bytes::{Cursor, Side};
use super::chunk::{ChunkClient, ChunkData, Vertex};
use super::chunk_codec::{LevelContext, check_chunk, invalid_index_message};
use super::codec::{Out, Reader, Stored as _};
use super::cube::{
    BadChild, ChildFault, Cube, CubeKind, Cubes, Geometry, LightInfo, LightReference, MAX_PARENTS,
    NO_LIGHTMAP, PathAttribute, PathInfo, SIDES, extend,
};
use super::rules;
use crate::{Cause, Message, Problems, ReadError, Rule, counted, outside};

/// Maximum number of cubes in a file. A cube takes one byte of a section, which compresses to
/// almost nothing, but some twenty bytes of memory.
const MAX_CUBES: u64 = 1 << 26;
/// Number of cubes allowed for any file size.
const MIN_CUBE_BUDGET: u64 = 1 << 20;
/// Number of cubes allowed per byte of the file in addition. Even a packed octree takes about one
/// byte per cube, because each parent lists its children.
const CUBES_PER_FILE_BYTE: u64 = 4;

/// Limit of skipped cubes per byte of a section when searching for the continuation after a broken
/// one.
const STEPS_PER_BYTE: usize = 16;

/// Remaining cube budget of a file, shared by all threads that read it.
#[derive(Debug, Default)]
pub(super) struct CubeBudget {
    all: u64,
    left: AtomicU64,
}

impl CubeBudget {
    /// The budget for a file of `file_bytes` bytes.
    pub(super) fn new(file_bytes: usize) -> Self {
        let more = (file_bytes as u64).saturating_mul(CUBES_PER_FILE_BYTE);
        let all = MIN_CUBE_BUDGET.saturating_add(more).min(MAX_CUBES);
        Self {
            all,
            left: AtomicU64::new(all),
        }
    }

    /// Takes cubes from the budget if enough are left.
    fn take(&self, count: usize) -> bool {
        let less = |left: u64| left.checked_sub(count as u64);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }
}

/// State for reading the cubes of a chunk.
pub(super) struct CubeReader<'a, 'd> {
    pub around: &'a LevelContext<'a>,
    /// The common, client and server section. The common one replaces missing ones.
    pub sections: [Cursor<'a>; 3],
    /// The reason why each section cannot be read to its end, if so.
    pub causes: [Option<Cause>; 3],
    /// Flags of the client and the server section: it is in the file but cannot be read to its end.
    pub broken: [bool; 2],
    pub data: &'d mut ChunkData,
    /// Boxes that need a check before they can be drawn.
    pub unchecked_boxes: Vec<u32>,
    /// An unreadable cube with readable ones after it.
    pub lost: Option<u32>,
}

impl CubeReader<'_, '_> {
    /// Reads the declared number of cubes of the common section. Returns the reason if the last
    /// ones are unreadable.
    ///
    /// # Errors
    /// Returns an error if no cube is readable or if the cube budget is exceeded.
    pub(super) fn read_common(
        &mut self,
        r: &mut Reader<'_, '_, '_>,
    ) -> Result<Option<ReadError>, ReadError> {
        r.cursor.enter("cube list", None);
        let at = r.cursor.pos();
        let announced = r.cursor.u32()?;
        if announced == 0 {
            return Err(r
                .cursor
                .fault(&rules::CUBE_COUNT, at, "no cubes", "at least one"));
        }
        let too_many = r.cursor.count(announced, 1, "cube").err();
        let count = (announced as usize).min(r.cursor.left());
        let allowance = self.around.cubes;
        if !allowance.take(count) {
            let found = format!("{count} cubes");
            let expected = format!("at most {} in a file of this size", allowance.all);
            return Err(r.cursor.fault(&rules::CUBE_COUNT, at, found, expected));
        }
        self.data.cubes.reserve(count);
        for i in 0..count {
            // An excessive count ends with the section.
            if too_many.is_some() && r.cursor.left() == 0 {
                break;
            }
            r.cursor.enter("cube", i);
            let at = r.cursor.pos();
            self.data.cubes.records.common.push(at as u32);
            let Err(error) = self.read_cube(r) else {
                continue;
            };
            self.data.cubes.is_incomplete = true;
            // Only one cube is skipped; all cubes after it must be intact.
            if let Some(next) = self.next_cube(&r.cursor, at, count - i - 1) {
                r.problems.add_error(error.with_loss("the cube"));
                self.lost = Some(self.data.cubes.push_empty());
                r.cursor.seek(next);
                continue;
            }
            // Unreadable data is not reported as trailing data.
            r.cursor.rest();
            if i == 0 {
                return Err(too_many.unwrap_or(error));
            }
            let lost = counted(announced as usize - i, "cube");
            let error = too_many.unwrap_or(error);
            return Ok(Some(
                error.with_loss(format_args!("{lost} from cube {i} on")),
            ));
        }
        self.data.cubes.records.common.push(r.cursor.pos() as u32);
        Ok(too_many.map(|error| {
            self.data.cubes.is_incomplete = true;
            error.with_loss("the cubes after the last byte")
        }))
    }

    /// First offset after a broken cube at `at` from which `count` cubes parse to the end of the
    /// section.
    fn next_cube(&self, cursor: &Cursor<'_>, at: usize, count: usize) -> Option<usize> {
        let [cause, ..] = self.causes;
        if cause.is_some() || self.lost.is_some() {
            return None;
        }
        let mut cursor = cursor.clone();
        cursor.seek(at);
        let end = at + cursor.left();
        let mut steps_left = STEPS_PER_BYTE * cursor.left() + count;
        (at + 1..=end - count).find(|next| {
            let mut cursor = cursor.clone();
            cursor.seek(*next);
            let are_whole = (0..count).all(|_| {
                let head = cursor.u8().ok().filter(|_| steps_left > 0);
                steps_left = steps_left.saturating_sub(1);
                head.and_then(|head| skip_body(&mut cursor, head)).is_some()
            });
            are_whole && cursor.left() == 0
        })
    }

    /// Reads the common data of a cube.
    #[inline]
    fn read_cube(&mut self, r: &mut Reader<'_, '_, '_>) -> Result<(), ReadError> {
        let at = r.cursor.pos();
        let head = r.cursor.u8()?;
        self.read_body(r, at, head)
    }

    /// Reads the rest of a cube after its first byte, which is at `at`.
    #[inline]
    fn read_body(
        &mut self,
        r: &mut Reader<'_, '_, '_>,
        at: usize,
        head: u8,
    ) -> Result<(), ReadError> {
        let Some(kind) = CubeKind::of(head) else {
            let found = format!("type {}", head & 0x0F);
            return Err(r
                .cursor
                .fault(&rules::CUBE_TYPE, at, found, "a type from 0 to 6"));
        };
        let bits = head & 0xF0;
        let known = match kind {
            CubeKind::Geometry => Geometry::BITS,
            CubeKind::Collider => 0xF0,
            _ => 0,
        };
        r.check_bits(at, bits, known);
        let cubes = &mut self.data.cubes;
        match kind {
            CubeKind::Empty => cubes.push_empty(),
            CubeKind::Parent => {
                let mask: u8 = r.read()?;
                let mut children = [0; 8];
                let children = children
                    .get_mut(..mask.count_ones() as usize)
                    .unwrap_or_default();
                for child in &mut *children {
                    *child = r.read()?;
                }
                cubes.push_parent(mask, children)
            }
            CubeKind::Geometry if bits & Geometry::COMMON_EXTENDED == 0 => {
                let [material, physics, sound] = r.cursor.array()?;
                let geometry = Geometry {
                    bits: bits & known,
                    unknown_bits: bits & !known,
                    ..Geometry::new(material, physics, sound)
                };
                cubes.push_geometry(geometry, &[])
            }
            CubeKind::Geometry => {
                let (mut geometry, moved) = read_extended(r, bits & known)?;
                geometry.unknown_bits = bits & !known;
                cubes.push_geometry(geometry, &moved)
            }
            CubeKind::VisInfo => {
                let child = r.read()?;
                let seen: Vec<u32> = r.read()?;
                let count = r.cursor.u32()?;
                let count = r.cursor.count(count, 8, "visible chunk")?;
                let mut places = Vec::with_capacity(count);
                let mut chunks = Vec::with_capacity(count);
                for _ in 0..count {
                    places.push(r.cursor.pos());
                    chunks.push((r.read()?, r.read()?));
                }
                for (at, (chunk, _)) in places.into_iter().zip(&chunks) {
                    check_chunk(r, at, *chunk, self.around.grid);
                }
                cubes.push_vis_info(child, seen, &chunks)
            }
            CubeKind::LightInfo => cubes.push_light_info(None, [0; 3], &[], &[]),
            CubeKind::PathInfo => cubes.push_path_info(None, &[]),
            CubeKind::Collider => {
                let child = r.read()?;
                let mut boxes = Vec::with_capacity(16);
                for _ in 0..=bits >> 4 {
                    let at = r.cursor.pos();
                    let corners = r.corners()?;
                    boxes.extend(r.check_geometry(at, &corners, "box").then_some(corners));
                }
                cubes.push_collider(child, boxes)
            }
        };
        Ok(())
    }

    /// Reads the client data of the cubes: geometry and light (fact sheet B5).
    ///
    /// # Errors
    /// Returns an error if the section ends too early. The remaining cubes have no client data
    /// then.
    pub(super) fn read_client(
        &mut self,
        r: &mut Reader<'_, '_, '_>,
        client: &ChunkClient,
    ) -> Result<(), ReadError> {
        // Usually all vertices are finite and no face needs a check.
        let are_finite = client.vertices.iter().all(Vertex::is_finite);
        let count = self.data.cubes.len() as u32;
        let mut offsets = Vec::with_capacity(count as usize + 1);
        let mut read = Ok(());
        for cube in 0..count {
            offsets.push(r.cursor.pos() as u32);
            read = match self.data.cubes.kind(cube) {
                Some(CubeKind::Geometry) => {
                    r.cursor.enter("cube", cube as usize);
                    self.read_client_geometry(cube, r, client, are_finite)
                }
                Some(CubeKind::LightInfo) => {
                    r.cursor.enter("cube", cube as usize);
                    self.read_light_info(cube, r)
                }
                _ => Ok(()),
            };
            if read.is_err() {
                break;
            }
            if self.lost == Some(cube) {
                let size = lost_size(&r.cursor, &self.data.cubes, cube + 1);
                r.cursor.seek(r.cursor.pos() + size.unwrap_or(0));
            }
        }
        if read.is_ok() {
            offsets.push(r.cursor.pos() as u32);
        }
        self.data.cubes.records.client = offsets;
        read
    }

    #[inline]
    fn read_client_geometry(
        &mut self,
        cube: u32,
        r: &mut Reader<'_, '_, '_>,
        client: &ChunkClient,
        are_finite: bool,
    ) -> Result<(), ReadError> {
        let at = r.cursor.pos();
        let item = self.data.cubes.item(cube).unwrap_or_default();
        let Some(place) = self.data.cubes.geometry.get_mut(item as usize) else {
            return Ok(());
        };
        let mut geometry = *place;
        if geometry.is_client_extended() {
            geometry.lightmaps = r.cursor.array()?;
            geometry.triangles = r.cursor.array()?;
            geometry.first_vertex = r.read()?;
            geometry.first_normal = r.read()?;
        } else {
            geometry.lightmaps = [r.cursor.u8()?; 6];
            geometry.first_vertex = r.read()?;
            let sides = r.cursor.u8()?;
            r.check_bits(at + 5, sides, 0x3F);
            geometry.unknown_sides = sides & !0x3F;
            geometry.triangles = std::array::from_fn(|side| 2 * (sides >> side & 1));
        }
        let used = self.data.materials.len();
        let find_missing_data =
            find_missing_data(&geometry, client.vertices.len(), client.normals.len());
        if find_missing_data.is_some() || bad_materials(&geometry, used).next().is_some() {
            self.unchecked_boxes.push(cube);
        }
        let mut listed = 0_u8;
        for face in geometry.all_faces() {
            let side = face.side;
            let lightmap = geometry.lightmaps.get(side).copied().unwrap_or_default();
            if usize::from(lightmap) >= client.lightmaps.len() && lightmap != NO_LIGHTMAP {
                let offset = if geometry.is_client_extended() {
                    side
                } else {
                    0
                };
                // Sides that share a byte share its problem.
                if listed >> offset & 1 == 0 {
                    listed |= 1 << offset;
                    r.warn(&rules::INDEX, at + offset, || {
                        invalid_index_message("lightmap", lightmap, client.lightmaps.len())
                    });
                }
            }
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let vertices = || client.vertices.get(range).unwrap_or_default().iter();
            if !are_finite && !vertices().all(Vertex::is_finite) {
                geometry.bad_sides |= 1 << side;
                r.warn(&rules::NOT_FINITE_GEOMETRY, at, || {
                    let (first, side) = (face.vertices.start, SIDES.get(side).unwrap_or(&""));
                    format!(
                        "side {side} has a vertex that is not finite (from vertex {first} on); \
                         the side is left out"
                    )
                });
            }
        }
        *place = geometry;
        Ok(())
    }

    fn read_light_info(&mut self, cube: u32, r: &mut Reader<'_, '_, '_>) -> Result<(), ReadError> {
        let child = r.read()?;
        let base = r.read()?;
        let dynamic = read_lights(r, "dynamic light", self.data.dynamic_lights.len())?;
        let fast = read_lights(r, "fast light", self.data.fast_lights.len())?;
        let cubes = &mut self.data.cubes;
        let item = cubes.item(cube).unwrap_or_default() as usize;
        if let Some(info) = cubes.light_infos.get_mut(item) {
            *info = LightInfo {
                child: Some(child),
                base,
                dynamic: extend(&mut cubes.light_references, dynamic),
                fast: extend(&mut cubes.light_references, fast),
            };
        }
        Ok(())
    }

    /// Reads the server data of the cubes: attributes.
    pub(super) fn read_server(&mut self, r: &mut Reader<'_, '_, '_>) -> Result<(), ReadError> {
        let cubes = &mut self.data.cubes;
        for cube in 0..cubes.len() as u32 {
            if cubes.kind(cube) != Some(CubeKind::PathInfo) {
                continue;
            }
            r.cursor.enter("cube", cube as usize);
            let start = r.cursor.pos() as u32;
            let child = r.read()?;
            let attributes: Vec<PathAttribute> = r.read()?;
            cubes.records.server.push(start..r.cursor.pos() as u32);
            let item = cubes.item(cube).unwrap_or_default() as usize;
            if let Some(info) = cubes.path_infos.get_mut(item) {
                *info = PathInfo {
                    child: Some(child),
                    attributes: extend(&mut cubes.path_attributes, attributes),
                };
            }
        }
        Ok(())
    }

    /// Offset of a cube in a section, and a cursor with its context for messages.
    fn place(&self, side: Side, cube: u32) -> (Cursor<'_>, usize) {
        let mut cursor = self.sections[side as usize].clone();
        cursor.enter("cube", cube as usize);
        let record = self.data.cubes.record(side, cube).unwrap_or_default();
        (cursor, record.start as usize)
    }

    fn warn<M: Into<Message>>(
        &self,
        problems: &mut Problems,
        rule: &'static Rule,
        (cube, offset): (u32, usize),
        message: impl FnOnce() -> M,
    ) {
        let (cursor, start) = self.place(Side::Common, cube);
        cursor.warn(problems, rule, start + offset, message);
    }

    /// Makes the cubes a tree with drawable boxes: removes and reports invalid children, faces and
    /// ranges. Also warns of other oddities.
    pub(super) fn check(&mut self, problems: &mut Problems) {
        let [of_common, of_client, of_server] = self.causes;
        problems.cause = of_common;
        self.data.cubes.is_incomplete |= self.has_lost_children();
        let places: Vec<_> = self.data.cubes.remove_bad_children();
        for bad in &places {
            problems.add_error(self.child_error(bad).with_loss("the child"));
        }
        self.check_indices(problems);
        problems.cause = of_common.or(of_client);
        for cube in std::mem::take(&mut self.unchecked_boxes) {
            self.check_box(cube, problems);
        }
        problems.cause = of_common.or(of_client).or(of_server);
        self.check_reached(problems);
        problems.cause = None;
    }

    /// Returns `true` if children are in an unreadable section.
    fn has_lost_children(&self) -> bool {
        let cubes = &self.data.cubes;
        let [is_client_broken, is_server_broken] = self.broken;
        (is_client_broken && cubes.light_infos.iter().any(|info| info.child.is_none()))
            || (is_server_broken && cubes.path_infos.iter().any(|info| info.child.is_none()))
    }

    /// The error for a child that breaks the tree.
    #[cold]
    fn child_error(&self, bad: &BadChild) -> ReadError {
        let cubes = &self.data.cubes;
        let (side, offset) = match cubes.kind(bad.cube) {
            Some(CubeKind::Parent) => (Side::Common, 2 + 4 * bad.place),
            Some(CubeKind::LightInfo) => (Side::Client, 0),
            Some(CubeKind::PathInfo) => (Side::Server, 0),
            _ => (Side::Common, 1),
        };
        let (cursor, start) = self.place(side, bad.cube);
        let child = bad.child;
        let found = match bad.fault {
            ChildFault::Outside => {
                format!("child {child}, {}", outside("cube", cubes.len() as u64))
            }
            ChildFault::Root => "child 0 is the root".to_owned(),
            ChildFault::Twice if child == bad.cube => "the cube is its own child".to_owned(),
            ChildFault::Twice => format!("child {child} already has another parent"),
            ChildFault::TooDeep => {
                format!("child {child} has more than {MAX_PARENTS} ancestors")
            }
        };
        let expected = "a tree of cubes below cube 0";
        cursor.fault(&rules::CUBE_TREE, start + offset, found, expected)
    }

    /// Removes undrawable faces from a box: those with missing vertices or normals, or with a
    /// material that the chunk does not use. Boxes that are not drawn anyway are not reported (fact
    /// sheet A10, B19).
    fn check_box(&mut self, cube: u32, problems: &mut Problems) {
        let Some(client) = &self.data.client else {
            return;
        };
        let cubes = &self.data.cubes;
        let Some(Cube::Geometry(geometry)) = cubes.get(cube) else {
            return;
        };
        let (vertices, normals) = (client.vertices.len(), client.normals.len());
        let used = self.data.materials.len();
        let is_drawn = cubes.is_drawn(cube);
        let mut lost = 0;
        if let Some(lack) = find_missing_data(geometry, vertices, normals) {
            let MissingData {
                first,
                needed,
                count,
                what,
            } = lack;
            for face in geometry.all_faces() {
                let normal = face.first_normal.unwrap_or_default();
                let last_normal = u64::from(normal) + face.vertices.len() as u64;
                let is_there = face.vertices.end as usize <= vertices
                    && !face.vertices.is_empty()
                    && (face.first_normal.is_none() || last_normal <= normals as u64);
                lost |= u8::from(!is_there) << face.side;
            }
            if is_drawn {
                let (cursor, at) = self.place(Side::Client, cube);
                let found = format!("{needed} {what} from {first} on");
                let expected = format!("all within the {count} of the chunk");
                let error = cursor.fault(&rules::CUBE_VERTICES, at, found, expected);
                problems.add_error(error.with_loss(sides(lost)));
            }
        }
        for (side, material) in bad_materials(geometry, used) {
            lost |= 1 << side;
            if is_drawn {
                let (cursor, start) = self.place(Side::Common, cube);
                let is_extended = geometry.is_common_extended();
                let offset = if is_extended { side } else { 0 };
                let found = invalid_index_message("material", material, used);
                let expected = "a material that the chunk uses";
                let at = start + 1 + offset;
                let error = cursor.fault(&rules::CUBE_MATERIAL, at, found, expected);
                let faces = if is_extended {
                    1 << side
                } else {
                    geometry.side_mask()
                };
                problems.add_error(error.with_loss(sides(faces)));
                if !is_extended {
                    lost |= faces;
                    break;
                }
            }
        }
        let item = cubes.item(cube).unwrap_or_default() as usize;
        if let Some(geometry) = self.data.cubes.geometry.get_mut(item) {
            geometry.bad_sides |= lost;
        }
    }

    /// Warns of cubes unreachable from the root.
    fn check_reached(&self, problems: &mut Problems) {
        let cubes = &self.data.cubes;
        let all = || 0..cubes.len() as u32;
        // If a section is missing, the children of its wrappers are unknown, so unreachable cubes
        // cannot be detected.
        let mut are_children_known = true;
        let [is_client_broken, is_server_broken] = self.broken;
        let lights = cubes.light_infos.iter().map(|info| info.child);
        let paths = cubes.path_infos.iter().map(|info| info.child);
        for (kind, children, (is_there, is_broken), side) in [
            (
                CubeKind::LightInfo,
                lights.collect::<Vec<_>>(),
                (self.data.client.is_some(), is_client_broken),
                Side::Client,
            ),
            (
                CubeKind::PathInfo,
                paths.collect(),
                (self.data.server.is_some(), is_server_broken),
                Side::Server,
            ),
        ] {
            // If the section was read to its end, invalid children have been reported already.
            if is_there && !is_broken {
                continue;
            }
            let of_kind = all().filter(|cube| cubes.kind(*cube) == Some(kind));
            let mut unknown = of_kind.zip(&children).filter(|(_, child)| child.is_none());
            let Some((first, _)) = unknown.next() else {
                continue;
            };
            are_children_known = false;
            self.warn(problems, &rules::MISSING_CHILDREN, (first, 0), || {
                let name = kind.name();
                let cubes = counted(1 + unknown.count(), &format!("{name} cube"));
                let place = format!("the children of {name} cubes are in the {side} section");
                let lost = if is_broken {
                    "cannot be read; the children are drawn without a parent"
                } else {
                    "is missing; these cubes are empty"
                };
                format!("{cubes}, this being the first: {place}, which {lost}")
            });
        }
        let first = all().find(|cube| !cubes.is_reached(*cube));
        if let Some(first) = first.filter(|_| are_children_known && !cubes.is_incomplete) {
            self.warn(problems, &rules::UNREACHED_CUBE, (first, 0), || {
                let (orphans, count) = (cubes.orphans(), cubes.len());
                format!("{orphans} of {count} cubes have no parent, this being the first")
            });
        }
    }

    /// Warns of indices outside their lists.
    fn check_indices(&self, problems: &mut Problems) {
        let data = &self.data;
        let cubes = &data.cubes;
        let (physics, sounds) = (data.physics_materials.len(), data.sound_materials.len());
        for (cube, what) in cubes.iter() {
            match what {
                Cube::Geometry(geometry) => {
                    let is_extended = geometry.is_common_extended();
                    let mut sides = geometry.physics.into_iter().enumerate();
                    if let Some((side, index)) =
                        sides.find(|(_, index)| usize::from(*index) >= physics)
                    {
                        let offset = if is_extended { 7 + side } else { 2 };
                        self.warn(problems, &rules::INDEX, (cube, offset), || {
                            invalid_index_message("physics material", index, physics)
                        });
                    }
                    let sound = geometry.sound;
                    if usize::from(sound) >= sounds {
                        let offset = if is_extended { 13 } else { 3 };
                        self.warn(problems, &rules::INDEX, (cube, offset), || {
                            invalid_index_message("sound material", sound, sounds)
                        });
                    }
                }
                Cube::VisInfo(info) => {
                    let mut seen = (0..).zip(cubes.visible_cubes(info));
                    if let Some((i, index)) =
                        seen.find(|(_, index)| **index as usize >= cubes.len())
                    {
                        self.warn(problems, &rules::INDEX, (cube, 9 + 4 * i), || {
                            invalid_index_message("visible cube", index, cubes.len())
                        });
                    }
                }
                _ => {}
            }
        }
    }
}

/// Size of a lost cube in a client section, with the cursor at that cube. It is the smallest size
/// after which the cubes from `next` on parse to the end of the section.
fn lost_size(cursor: &Cursor<'_>, cubes: &Cubes, next: u32) -> Option<usize> {
    let mut steps_left = STEPS_PER_BYTE * cursor.left() + cubes.len();
    let mut fits = |size: usize| {
        let mut cursor = cursor.clone();
        cursor.bytes(size).ok()?;
        for cube in next..cubes.len() as u32 {
            steps_left = steps_left.checked_sub(1)?;
            let size = match cubes.get(cube) {
                Some(Cube::Geometry(geometry)) if geometry.is_client_extended() => 20,
                Some(Cube::Geometry(_)) => 6,
                Some(Cube::LightInfo(_)) => {
                    cursor.bytes(7).ok()?;
                    let dynamic = cursor.u8().ok()?;
                    cursor.bytes(2 * usize::from(dynamic)).ok()?;
                    2 * usize::from(cursor.u8().ok()?)
                }
                _ => 0,
            };
            cursor.bytes(size).ok()?;
        }
        (cursor.left() == 0).then_some(size)
    };
    let of_light = (9..=cursor.left()).step_by(2);
    [0, 6, 20].into_iter().chain(of_light).find_map(&mut fits)
}

/// Skips the rest of a cube after its first byte. Returns `None` if it does not fit.
fn skip_body(cursor: &mut Cursor<'_>, head: u8) -> Option<()> {
    let bits = head & 0xF0;
    match CubeKind::of(head)? {
        CubeKind::Empty | CubeKind::LightInfo | CubeKind::PathInfo => {}
        CubeKind::Parent => {
            let mask = cursor.u8().ok()?;
            cursor.bytes(4 * mask.count_ones() as usize).ok()?;
        }
        CubeKind::Geometry if bits & Geometry::COMMON_EXTENDED == 0 => {
            cursor.bytes(3).ok()?;
        }
        CubeKind::Geometry => {
            cursor.bytes(13).ok()?;
            let moved = cursor.u8().ok()?;
            cursor.bytes(12 * moved.count_ones() as usize).ok()?;
        }
        CubeKind::VisInfo => {
            cursor.u32().ok()?;
            skip_list(cursor)?;
            for _ in 0..cursor.u32().ok()? {
                cursor.u32().ok()?;
                skip_list(cursor)?;
            }
        }
        CubeKind::Collider => {
            cursor.bytes(4 + 96 * (1 + usize::from(bits >> 4))).ok()?;
        }
    }
    Some(())
}

/// Skips a count and that number of 32-bit values.
fn skip_list(cursor: &mut Cursor<'_>) -> Option<()> {
    let count = cursor.u32().ok()? as usize;
    cursor.bytes(count.saturating_mul(4)).ok()?;
    Some(())
}

/// Reads a box with different sides, and its moved corners.
fn read_extended(
    r: &mut Reader<'_, '_, '_>,
    bits: u8,
) -> Result<(Geometry, Vec<[f32; 3]>), ReadError> {
    let mut geometry = Geometry {
        bits,
        materials: r.cursor.array()?,
        physics: r.cursor.array()?,
        ..Geometry::new(0, 0, r.cursor.u8()?)
    };
    let mask: u8 = r.read()?;
    let mut points = Vec::new();
    for corner in (0..8).filter(|corner| mask >> corner & 1 == 1) {
        let at = r.cursor.pos();
        let point: [f32; 3] = r.cursor.floats()?;
        if point.iter().all(|number| number.is_finite()) {
            geometry.moved |= 1 << corner;
            points.push(point);
        } else {
            r.warn(&rules::NOT_FINITE_GEOMETRY, at, || {
                format!("moved corner {corner} is not finite; it is not moved")
            });
        }
    }
    Ok((geometry, points))
}

fn read_lights(
    r: &mut Reader<'_, '_, '_>,
    what: &str,
    lights: usize,
) -> Result<Vec<LightReference>, ReadError> {
    let first = r.cursor.pos() + 1;
    let references: Vec<LightReference> = r.read()?;
    for (i, LightReference { light, .. }) in references.iter().enumerate() {
        if usize::from(*light) >= lights {
            r.warn(&rules::INDEX, first + 2 * i, || {
                invalid_index_message(what, light, lights)
            });
        }
    }
    Ok(references)
}

/// Data that a box needs but its chunk lacks.
struct MissingData {
    first: u32,
    needed: u32,
    /// Number of elements present.
    count: usize,
    what: &'static str,
}

/// Finds vertices or normals that a box needs beyond those of its chunk.
#[inline]
fn find_missing_data(geometry: &Geometry, vertices: usize, normals: usize) -> Option<MissingData> {
    let triangles: u32 = geometry.triangles.iter().copied().map(u32::from).sum();
    let (corners, with_normals) = if geometry.is_client_extended() {
        (3 * triangles, 3 * triangles)
    } else {
        // Two triangles share four corners.
        (2 * triangles, 0)
    };
    [
        (geometry.first_vertex, corners, vertices, "vertices"),
        (geometry.first_normal, with_normals, normals, "normals"),
    ]
    .into_iter()
    .find(|(first, needed, count, _)| u64::from(*first) + u64::from(*needed) > *count as u64)
    .map(|(first, needed, count, what)| MissingData {
        first,
        needed,
        count,
        what,
    })
}

/// The sides with triangles whose material index is not below `used`, with that index.
#[inline]
fn bad_materials(geometry: &Geometry, used: usize) -> impl Iterator<Item = (usize, u8)> + use<> {
    let sides = geometry.triangles.into_iter().zip(geometry.materials);
    let drawn = sides
        .enumerate()
        .filter(|(_, (triangles, _))| *triangles > 0);
    let materials = drawn.map(|(side, (_, material))| (side, material));
    materials.filter(move |(_, material)| usize::from(*material) >= used)
}

/// Formats faces for messages: `its faces +X, -Y`.
fn sides(mask: u8) -> String {
    let names: Vec<_> = SIDES
        .iter()
        .enumerate()
        .filter(|(side, _)| mask >> side & 1 == 1)
        .map(|(_, name)| *name)
        .collect();
    match &names[..] {
        [name] => format!("its face {name}"),
        _ => format!("its faces {}", names.join(", ")),
    }
}

/// Writes the cubes of the common section.
pub(super) fn write_cubes(out: &mut Out, cubes: &Cubes) {
    if cubes.is_empty() {
        out.fail("cubes", "there are none");
    }
    out.count("cube", cubes.len(), 4);
    for (cube, what) in cubes.iter() {
        let refuse = |out: &mut Out, what: &str| out.fail(format!("cube {cube}"), what);
        let head = cubes.kind(cube).map_or(0, |kind| kind as u8);
        match what {
            Cube::Empty | Cube::LightInfo(_) | Cube::PathInfo(_) => head.write(out),
            Cube::Parent(parent) => {
                [head, parent.mask].write(out);
                let children: Vec<_> = cubes.children(parent).map(|(_, child)| child).collect();
                if children.len() != parent.mask.count_ones() as usize {
                    refuse(out, "the mask does not match the children");
                }
                for child in children {
                    child.write(out);
                }
            }
            Cube::Geometry(geometry) => {
                (head | (geometry.bits | geometry.unknown_bits) & 0xF0).write(out);
                if geometry.is_common_extended() {
                    [geometry.materials, geometry.physics].write(out);
                    [geometry.sound, geometry.moved].write(out);
                    let points: Vec<_> = cubes.moved_points(geometry).collect();
                    if points.len() != geometry.moved.count_ones() as usize {
                        refuse(out, "the mask does not match the moved corners");
                    }
                    for (_, point) in points {
                        point.write(out);
                    }
                    continue;
                }
                let ([material, ..], [physics, ..]) = (geometry.materials, geometry.physics);
                let is_same = geometry.materials == [material; 6]
                    && geometry.physics == [physics; 6]
                    && geometry.moved == 0;
                if !is_same {
                    refuse(out, "sides of a basic cube differ, or corners are moved");
                }
                [material, physics, geometry.sound].write(out);
            }
            Cube::VisInfo(info) => {
                head.write(out);
                write_child(out, cube, info.child);
                out.list("visible cube", cubes.visible_cubes(info));
                let chunks = cubes.visible_chunks(info);
                out.count("visible chunk", chunks.len(), 4);
                for chunk in chunks {
                    chunk.chunk.write(out);
                    out.list("visible cube", cubes.visible_chunk_cubes(chunk));
                }
            }
            Cube::Collider(collider) => {
                let boxes = cubes.boxes(collider);
                if !(1..=16).contains(&boxes.len()) {
                    refuse(out, &format!("{} boxes; 1 to 16 can be", boxes.len()));
                }
                (head | (boxes.len().wrapping_sub(1) as u8) << 4).write(out);
                write_child(out, cube, collider.child);
                for corners in boxes {
                    corners.write(out);
                }
            }
        }
    }
}

/// Writes the client data of the cubes.
pub(super) fn write_client_cubes(out: &mut Out, cubes: &Cubes) {
    for (cube, what) in cubes.iter() {
        match what {
            Cube::Geometry(geometry) if geometry.is_client_extended() => {
                [geometry.lightmaps, geometry.triangles].write(out);
                [geometry.first_vertex, geometry.first_normal].write(out);
            }
            Cube::Geometry(geometry) => {
                let [lightmap, ..] = geometry.lightmaps;
                let is_basic = geometry.lightmaps == [lightmap; 6]
                    && geometry
                        .triangles
                        .iter()
                        .all(|triangles| matches!(triangles, 0 | 2));
                if !is_basic {
                    let what = "sides of a basic cube are not quads, or have different lightmaps";
                    out.fail(format!("cube {cube}"), what);
                }
                lightmap.write(out);
                geometry.first_vertex.write(out);
                (geometry.side_mask() | geometry.unknown_sides & !0x3F).write(out);
            }
            Cube::LightInfo(info) => {
                write_child(out, cube, info.child);
                info.base.write(out);
                out.list("light", cubes.dynamic_lights(info));
                out.list("light", cubes.fast_lights(info));
            }
            _ => {}
        }
    }
}

/// Writes the server data of the cubes.
pub(super) fn write_server_cubes(out: &mut Out, cubes: &Cubes) {
    for (cube, what) in cubes.iter() {
        if let Cube::PathInfo(info) = what {
            write_child(out, cube, info.child);
            out.list("attribute", cubes.attributes(info));
        }
    }
}

fn write_child(out: &mut Out, cube: u32, child: Option<u32>) {
    if child.is_none() {
        out.fail(format!("cube {cube}"), "nothing is in it");
    }
    child.unwrap_or_default().write(out);
}
