//! Decoder of the sections of a model in one of the two layouts (fact sheet P1).
//!
//! Records are kept as they are written, however odd their values are. Only the end of the file
//! stops the decoder.

use std::ops::ControlFlow;

use super::bytes::{Cursor, File};
use super::names::MAX_STRING_BYTES;
use super::read::HEADER_BYTES;
use super::{
    Action, Animation, Bone, BoneTracks, Field, Group, Key, Layout, Material, MaterialAnimation,
    MaterialKey, NO_TEXTURE, Name, Override, P3m, Part, Reference, Texture, TextureContent,
    WeightRange, check, names, rules,
};
use crate::{Message, Problems, ReadError, Rule, counted};

/// Number of components of the tracks of a material: colour, emission, shading, texture, matcap.
pub(super) const COMPONENTS: [usize; 5] = [4, 3, 1, 1, 1];
/// Number of tracks of a material that have modes, and the greatest mode of each.
pub(super) const MAX_MODES: [u8; 3] = [3, 3, 1];

/// A model as read in one of the layouts, and the faults of that reading.
pub(super) struct Reading {
    pub model: P3m,
    pub problems: Problems,
    /// `true` if the reading reached the strings.
    pub is_complete: bool,
}

impl Reading {
    /// `true` if the file follows the layout in every respect.
    pub(super) fn is_whole(&self) -> bool {
        self.problems.count() == 0
    }
}

/// Reads the sections of a file into an empty model with the layout to read.
///
/// # Errors
/// Fails only if the reading was cancelled.
pub(super) fn decode(
    bytes: &[u8],
    model: P3m,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Reading, ReadError> {
    let mut cursor = Cursor::new(bytes, File);
    cursor.seek(HEADER_BYTES);
    let mut decoder = Decoder {
        cursor,
        model,
        problems: Problems::new(),
        mask: &[],
        bytes: bytes.len(),
        watch,
    };
    decoder.reserved(HEADER_BYTES - 1, "header flags", decoder.model.flags, 0);
    let is_complete = match decoder.sections() {
        Ok(()) => true,
        Err(ReadError::Cancelled) => return Err(ReadError::Cancelled),
        Err(error) => {
            let error = error.with_loss("the rest of the model and all names");
            decoder.problems.add_error(error);
            false
        }
    };
    let (mut model, mut problems) = (decoder.model, decoder.problems);
    if is_complete {
        names::resolve(&mut model, bytes.len(), &mut problems);
        check::references(&model, &mut problems);
    }
    Ok(Reading {
        model,
        problems,
        is_complete,
    })
}

struct Decoder<'a, 'w> {
    cursor: Cursor<'a>,
    model: P3m,
    problems: Problems,
    /// A bit for each part: 1 for visible ones.
    mask: &'a [u8],
    /// Size of the file.
    bytes: usize,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
}

impl Decoder<'_, '_> {
    fn sections(&mut self) -> Result<(), ReadError> {
        self.parts()?;
        self.list("material", |model| &mut model.materials, Self::material)?;
        self.list("texture", |model| &mut model.textures, Self::texture)?;
        self.bones()?;
        self.list("animation", |model| &mut model.animations, Self::animation)?;
        self.list("action", |model| &mut model.actions, Self::action)?;
        if self.model.layout == Layout::B {
            self.list("field", |model| &mut model.fields, Self::user_field)?;
        }
        let at = self.cursor.pos();
        self.cursor.enter("string", None);
        self.model.strings = self.cursor.rest().to_vec();
        let count = self.model.strings.len();
        if count > MAX_STRING_BYTES {
            self.warn(&rules::STRINGS_SIZE, at, || {
                let found = counted(count, "byte");
                format!("{found}; expected at most {MAX_STRING_BYTES}")
            });
        }
        Ok(())
    }

    /// Reads a list of records after its count. Records before a truncated one are kept.
    fn list<T>(
        &mut self,
        name: &'static str,
        list: fn(&mut P3m) -> &mut Vec<T>,
        read: fn(&mut Self) -> Result<T, ReadError>,
    ) -> Result<(), ReadError> {
        let count = self.count(name)?;
        self.records(name, count, list, read)
    }

    fn records<T>(
        &mut self,
        name: &'static str,
        count: u8,
        list: fn(&mut P3m) -> &mut Vec<T>,
        read: fn(&mut Self) -> Result<T, ReadError>,
    ) -> Result<(), ReadError> {
        for i in 0..count.into() {
            self.cursor.enter(name, i);
            let progress = self.cursor.pos() as f32 / self.bytes as f32;
            if (self.watch)(progress).is_break() {
                return Err(ReadError::Cancelled);
            }
            let record = read(self)?;
            list(&mut self.model).push(record);
        }
        Ok(())
    }

    /// Reads the number of records of a list.
    fn count(&mut self, name: &'static str) -> Result<u8, ReadError> {
        self.cursor.enter(name, None);
        self.cursor.field("list").u8()
    }

    /// Reports a fault of the current record.
    #[cold]
    fn warn<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: usize,
        message: impl FnOnce() -> M,
    ) {
        self.cursor.warn(&mut self.problems, rule, at, message);
    }

    /// Warns of set bits that have no meaning.
    fn reserved(&mut self, at: usize, what: &str, bits: u8, known: u8) {
        let unknown = bits & !known;
        if unknown != 0 {
            self.warn(&rules::RESERVED_BITS, at, || {
                format!("{what}: reserved bits {unknown:#04x} are set")
            });
        }
    }

    /// Warns of the first unknown value of some. `read_as` is the meaning of unknown values.
    fn known(
        &mut self,
        rule: &'static Rule,
        (at, what): (usize, &str),
        values: &[u8],
        max: u8,
        read_as: &str,
    ) {
        if let Some(i) = values.iter().position(|value| *value > max) {
            self.warn(rule, at + i, || {
                let found = format!("{what} {}; expected at most {max}", values[i]);
                Message::read(found, format_args!("as {read_as}"))
            });
        }
    }

    /// Warns of the first vector that is not finite. `stride` is their distance in bytes.
    fn finite<const N: usize>(
        &mut self,
        vectors: &[[f32; N]],
        (at, stride): (usize, usize),
        what: &str,
        message: fn(String) -> Message,
    ) {
        let mut bad = vectors.iter().enumerate().filter(|(_, it)| !is_finite(*it));
        if let Some((first, _)) = bad.next() {
            let others = bad.count();
            self.warn(&rules::NOT_FINITE, at + stride * first, || {
                message(format!("{what} {first}{} is not finite", more(others)))
            });
        }
    }

    /// Reads the offset of a name.
    fn name(&mut self, field: &'static str) -> Result<Name, ReadError> {
        let offset = self.cursor.field(field).u16()?;
        Ok(Name {
            text: String::new(),
            offset,
        })
    }

    /// Reads vectors that follow each other.
    fn vectors<const N: usize>(
        &mut self,
        field: &'static str,
        count: usize,
    ) -> Result<Vec<[f32; N]>, ReadError> {
        let bytes = self.cursor.field(field).bytes(4 * N * count)?;
        Ok(bytes.chunks_exact(4 * N).map(floats).collect())
    }

    fn parts(&mut self) -> Result<(), ReadError> {
        let count = self.count("part")?;
        self.mask = self
            .cursor
            .field("mask")
            .bytes(usize::from(count).div_ceil(8))?;
        if let [.., last] = self.mask
            && !count.is_multiple_of(8)
        {
            self.model.mask_padding = last & (0xFF << (count % 8));
            let at = self.cursor.pos() - 1;
            self.reserved(at, "mask", self.model.mask_padding, 0);
        }
        self.records("part", count, |model| &mut model.parts, Self::part)
    }

    fn part(&mut self) -> Result<Part, ReadError> {
        let index = self.model.parts.len();
        let mask = self.mask.get(index / 8).copied().unwrap_or(0);
        let is_b = self.model.layout == Layout::B;
        let at = self.cursor.pos();
        let flags = self.cursor.field("flags").u8()?;
        self.reserved(at, "flags", flags, if is_b { 0x03 } else { 0x01 });
        let name = self.name("name")?;
        let material = self.cursor.field("material").u8()?;
        let mut overrides = Vec::new();
        if is_b {
            for _ in 0..self.cursor.field("overrides").u8()? {
                overrides.push(Override {
                    animation: self.name("overrides")?,
                    priority: self.cursor.u8()?,
                    material: self.cursor.u8()?,
                });
            }
        }
        let count = self.cursor.field("vertices").u16()?.into();
        let vertices_at = self.cursor.pos();
        let (mut positions, mut uvs, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        let lose = |found| Message::left_out(found, "its triangles");
        if is_b {
            positions = self.vectors("vertices", count)?;
            self.finite(&positions, (vertices_at, 12), "position of vertex", lose);
            if flags & 0x01 != 0 {
                let at = self.cursor.pos();
                uvs = self.vectors("vertices", count)?;
                self.finite(&uvs, (at, 8), "UV of vertex", lose);
            }
        } else {
            let vertices = self.vectors::<5>("vertices", count)?;
            self.finite(&vertices, (vertices_at, 20), "vertex", lose);
            positions.extend(vertices.iter().map(|[x, y, z, ..]| [*x, *y, *z]));
            uvs.extend(vertices.iter().map(|[.., u, v]| [*u, *v]));
        }
        if flags & (if is_b { 0x02 } else { 0x01 }) != 0 {
            let at = self.cursor.pos();
            normals = self.vectors("normals", count)?;
            self.finite(&normals, (at, 12), "normal of vertex", lose);
        }
        let index_count = self.cursor.field("indices").u16()?;
        let indices_at = self.cursor.pos();
        let (indices, _) = self.cursor.bytes(2 * usize::from(index_count))?.as_chunks();
        let indices: Vec<u16> = indices.iter().copied().map(u16::from_le_bytes).collect();
        self.check_indices(&indices, indices_at, count);
        let mut groups = Vec::new();
        for number in 0..self.cursor.field("weights").u8()? {
            groups.push(self.group(number, count)?);
        }
        Ok(Part {
            name,
            at: at as u64,
            flags,
            is_visible: mask & 1 << (index % 8) != 0,
            material,
            overrides,
            positions,
            uvs,
            normals,
            indices,
            vertices_at: vertices_at as u64,
            indices_at: indices_at as u64,
            groups,
        })
    }

    fn check_indices(&mut self, indices: &[u16], at: usize, vertices: usize) {
        let mut bad = indices
            .iter()
            .enumerate()
            .filter(|(_, index)| usize::from(**index) >= vertices);
        if let Some((first, index)) = bad.next() {
            let others = bad.count();
            self.warn(&rules::VERTEX_INDEX, at + 2 * first, || {
                let found = format!("index {first} is {index}{}", more(others));
                let vertices = counted(vertices, "vertex");
                Message::left_out(
                    format!("{found}; expected one of {vertices}"),
                    "its triangle",
                )
            });
        }
        let rest = indices.len() % 3;
        if rest != 0 {
            self.warn(&rules::TRIANGLES, at + 2 * (indices.len() - rest), || {
                let found = counted(indices.len(), "index");
                Message::left_out(format!("{found}; expected a multiple of 3"), "the last")
            });
        }
    }

    fn group(&mut self, number: u8, vertices: usize) -> Result<Group, ReadError> {
        let at = self.cursor.pos();
        let bone = self.name("weights")?;
        let mut ranges = Vec::new();
        // The vertex after the last range, and the place of the first range with too many.
        let (mut end, mut overrun) = (0, None);
        let last_skip = loop {
            let at = self.cursor.pos();
            let skip = self.cursor.u16()?;
            let count = self.cursor.u16()?;
            end += usize::from(skip) + usize::from(count);
            if end > vertices && overrun.is_none() {
                overrun = Some((at, end));
            }
            if count == 0 {
                break skip;
            }
            let weights = self.cursor.bytes(count.into())?.to_vec();
            ranges.push(WeightRange { skip, weights });
        };
        if let Some((at, end)) = overrun {
            self.warn(&rules::WEIGHTS, at, || {
                let end = format!("group {number} is for {}", counted(end, "vertex"));
                let found = format!("{end}; expected at most {vertices}");
                Message::left_out(found, "the group")
            });
        }
        Ok(Group {
            bone,
            at: at as u64,
            ranges,
            last_skip,
        })
    }

    fn material(&mut self) -> Result<Material, ReadError> {
        let at = self.cursor.pos();
        let mode = self.cursor.field("values").u8()?;
        let mut material = Material {
            at: at as u64,
            mode,
            color: [0; 4],
            emission: [0; 3],
            shading: 0,
            texture: NO_TEXTURE,
            matcap: NO_TEXTURE,
            animation: None,
        };
        let is_b = self.model.layout == Layout::B;
        let render_mode = if is_b { mode & 0x0F } else { mode };
        let what = (at, "render mode");
        self.known(&rules::RENDER_MODE, what, &[render_mode], 1, "normal");
        if !is_b {
            material.texture = self.cursor.u8()?;
            material.color = self.cursor.array()?;
            material.emission = self.cursor.array()?;
            material.shading = self.cursor.u8()?;
            return Ok(material);
        }
        self.reserved(at, "flags", mode, 0x1F);
        let timing = if mode & 0x10 == 0 {
            None
        } else {
            Some((self.cursor.u32()?, self.cursor.u8()?))
        };
        material.color = self.cursor.array()?;
        material.emission = self.cursor.array()?;
        [material.shading, material.texture, material.matcap] = self.cursor.array()?;
        if let Some((us_per_frame, flags)) = timing {
            self.reserved(at + 5, "loop flags", flags, 0x1F);
            let what = (at + 5, "loop mode");
            self.known(&rules::LOOP_MODE, what, &[flags & 0x0F], 2, "no loop");
            let animation = self.material_animation(us_per_frame, flags)?;
            material.animation = Some(Box::new(animation));
        }
        Ok(material)
    }

    fn material_animation(
        &mut self,
        us_per_frame: u32,
        flags: u8,
    ) -> Result<MaterialAnimation, ReadError> {
        let scrolls_at = self.cursor.pos();
        let [texture_scroll, matcap_scroll] = [self.cursor.floats()?, self.cursor.floats()?];
        let at_rest = |found| Message::read(found, "as 0");
        let scrolls = [texture_scroll, matcap_scroll];
        self.finite(&scrolls, (scrolls_at, 8), "scroll", at_rest);
        let last_frame = self.cursor.u8()?;
        let counts = self.cursor.field("keys").array::<5>()?.map(usize::from);
        let mut skips = self.cursor.bytes(counts.iter().sum())?;
        let mut tracks: [Vec<MaterialKey>; 5] = Default::default();
        for (track, count) in tracks.iter_mut().zip(counts) {
            let frames = Frames::new(skips.split_off(..count).unwrap_or_default());
            track.extend(frames.map(|(skip, frame)| MaterialKey {
                skip,
                frame,
                mode: 0,
                value: [0; 4],
            }));
        }
        for (track, max) in tracks.iter_mut().zip(MAX_MODES) {
            let at = self.cursor.pos();
            let modes = self.cursor.bytes(track.len())?;
            self.known(
                &rules::KEY_MODE,
                (at, "mode of a key"),
                modes,
                max,
                "linear",
            );
            for (key, mode) in track.iter_mut().zip(modes) {
                key.mode = *mode;
            }
        }
        for (track, components) in tracks.iter_mut().zip(COMPONENTS) {
            for key in track {
                key.value[..components].copy_from_slice(self.cursor.bytes(components)?);
            }
        }
        Ok(MaterialAnimation {
            us_per_frame,
            flags,
            texture_scroll,
            matcap_scroll,
            last_frame,
            tracks,
        })
    }

    fn texture(&mut self) -> Result<Texture, ReadError> {
        let at = self.cursor.pos();
        let kind = self.cursor.field("type").u8()?;
        self.known(&rules::TEXTURE_TYPE, (at, "type"), &[kind], 1, "embedded");
        let content = if kind == 1 {
            TextureContent::External(self.name("path")?)
        } else {
            let size = self.cursor.field("size").u32()?;
            let at = self.cursor.pos() as u64;
            let ptf = self.cursor.field("image").bytes(size as usize)?.to_vec();
            TextureContent::Embedded { ptf, at }
        };
        Ok(Texture {
            at: at as u64,
            kind,
            content,
        })
    }

    fn bones(&mut self) -> Result<(), ReadError> {
        let count = self.count("bone")?;
        let read = self.records("bone", count, |model| &mut model.bones, Self::bone);
        self.parents(count.into());
        read
    }

    fn bone(&mut self) -> Result<Bone, ReadError> {
        let at = self.cursor.pos();
        let name = self.name("name")?;
        let ends_at = self.cursor.pos();
        let [head, tail] = [self.cursor.floats()?, self.cursor.floats()?];
        let turn_up = |found| Message::read(found, "as a bone that points up");
        self.finite(&[head, tail], (ends_at, 12), "end", turn_up);
        Ok(Bone {
            name,
            at: at as u64,
            head,
            tail,
            children: self.cursor.u8()?,
            parent: None,
        })
    }

    fn animation(&mut self) -> Result<Animation, ReadError> {
        let at = self.cursor.pos() as u64;
        let name = self.name("name")?;
        let mut references = Vec::new();
        for number in 0..self.cursor.field("references").u8()? {
            let at = self.cursor.pos();
            let reference = Reference {
                at: at as u64,
                action: self.cursor.u8()?,
                speed: self.cursor.f32()?,
                start: self.cursor.u16()?,
                end: self.cursor.u16()?,
            };
            if !reference.speed.is_finite() {
                self.warn(&rules::NOT_FINITE, at + 1, || {
                    let found = format!("speed of reference {number} is {}", reference.speed);
                    Message::read(found, "as 1")
                });
            }
            references.push(reference);
        }
        Ok(Animation {
            name,
            at,
            references,
        })
    }

    fn action(&mut self) -> Result<Action, ReadError> {
        let at = self.cursor.pos();
        let us_per_frame = self.cursor.field("frame time").u32()?;
        let part_list_mode = self.cursor.field("list of parts").u8()?;
        let what = (at + 4, "list mode");
        self.known(&rules::PART_LIST_MODE, what, &[part_list_mode], 3, "0");
        let mut parts = Vec::new();
        for _ in 0..self.cursor.u8()? {
            parts.push(self.name("list of parts")?);
        }
        let mut tracks = Vec::new();
        for _ in 0..self.cursor.field("tracks").u8()? {
            tracks.push(self.tracks()?);
        }
        Ok(Action {
            at: at as u64,
            us_per_frame,
            part_list_mode,
            parts,
            tracks,
        })
    }

    fn tracks(&mut self) -> Result<BoneTracks, ReadError> {
        let at = self.cursor.pos() as u64;
        let bone = self.name("tracks")?;
        let counts = self.cursor.array::<3>()?.map(usize::from);
        let count = counts.iter().sum();
        let mut skips = self.cursor.bytes(count)?;
        let modes_at = self.cursor.pos();
        let modes = self.cursor.bytes(count)?;
        self.known(
            &rules::KEY_MODE,
            (modes_at, "mode of a key"),
            modes,
            1,
            "linear",
        );
        let values_at = self.cursor.pos();
        let values: Vec<[f32; 3]> = self.vectors("tracks", count)?;
        let leave_out = |found| Message::read(found, "as if absent");
        self.finite(&values, (values_at, 12), "key", leave_out);
        let mut rest = modes.iter().zip(&values);
        let [translation, rotation, scale] = counts.map(|count| {
            let frames = Frames::new(skips.split_off(..count).unwrap_or_default());
            let keys = frames
                .zip(&mut rest)
                .map(|((skip, frame), (mode, value))| Key {
                    skip,
                    frame,
                    mode: *mode,
                    value: *value,
                });
            keys.collect()
        });
        Ok(BoneTracks {
            bone,
            at,
            translation,
            rotation,
            scale,
        })
    }

    /// Finds the parents of the bones from their numbers of children (fact sheet P3). `count` is the
    /// number of all bones, some of which may be missing.
    fn parents(&mut self, count: usize) {
        // Bones in preorder with missing children: index, and number of missing children.
        let mut open: Vec<(usize, u8)> = Vec::new();
        let mut has_impossible_count = false;
        for i in 0..self.model.bones.len() {
            while open.pop_if(|(_, missing)| *missing == 0).is_some() {}
            let bone = &mut self.model.bones[i];
            if let Some((parent, missing)) = open.last_mut() {
                bone.parent = Some(*parent as u32);
                *missing -= 1;
            }
            let (at, children) = (bone.children_at(), bone.children);
            open.push((i, children));
            let following = count - i - 1;
            if usize::from(children) > following {
                has_impossible_count = true;
                self.cursor.enter("bone", i);
                self.warn(&rules::CHILD_COUNT, at, || {
                    let expected = format_args!("expected at most {following}");
                    let found = format!("number of children {children}; {expected}");
                    Message::read(found, "with the bones that follow as its children")
                });
            }
        }
        // Other bones lack children because of an impossible number.
        if has_impossible_count || self.model.bones.len() < count {
            return;
        }
        for (i, missing) in open.into_iter().filter(|(_, missing)| *missing > 0) {
            let bone = &self.model.bones[i];
            let (at, children) = (bone.children_at(), bone.children);
            self.cursor.enter("bone", i);
            self.warn(&rules::MISSING_CHILDREN, at, || {
                let found = children - missing;
                format!("number of children {children}; expected {found}, which follow")
            });
        }
    }

    /// Reads data of the user.
    fn user_field(&mut self) -> Result<Field, ReadError> {
        let at = self.cursor.pos();
        let name = self.name("name")?;
        let kind = self.cursor.field("type").u8()?;
        self.reserved(at + 2, "flags", kind, 0x3F);
        let mut field = Field {
            name,
            at: at as u64,
            kind,
            bytes: Vec::new(),
            elements: 0..0,
        };
        let (found, expected) = (format!("type {}", kind & 0x0F), "a type up to 11");
        let error = self
            .cursor
            .fault(&rules::FIELD_TYPE, at + 2, found, expected);
        let Some(bytes) = field.value_bytes() else {
            return Err(error);
        };
        if field.type_name().is_none() {
            self.problems.add_error(error.with_loss("its value"));
        }
        field.bytes = self.cursor.field("value").bytes(bytes)?.to_vec();
        Ok(field)
    }
}

/// The keys of a track as skips and frames: each is at the frame after the previous one, plus its
/// skip.
struct Frames<'a> {
    skips: std::slice::Iter<'a, u8>,
    next: u32,
}

impl<'a> Frames<'a> {
    fn new(skips: &'a [u8]) -> Self {
        Self {
            skips: skips.iter(),
            next: 0,
        }
    }
}

impl Iterator for Frames<'_> {
    type Item = (u8, u32);

    fn next(&mut self) -> Option<(u8, u32)> {
        let skip = *self.skips.next()?;
        let frame = self.next + u32::from(skip);
        self.next = frame + 1;
        Some((skip, frame))
    }
}

/// `true` if all components are finite.
pub(super) fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Decodes the first numbers.
fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let (numbers, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|i| numbers.get(i).copied().map_or(0.0, f32::from_le_bytes))
}

/// The end of a phrase about the first of several faults.
fn more(others: usize) -> String {
    if others == 0 {
        String::new()
    } else {
        format!(" (and {others} more)")
    }
}
