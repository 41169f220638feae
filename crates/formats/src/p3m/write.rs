//! Writer of P3M. Reading the output restores the same data.

use std::collections::HashMap;

use super::decode::{COMPONENTS, MAX_MODES};
use super::names::MAX_STRING_BYTES;
use super::{
    Action, Animation, BoneTracks, Field, Group, Layout, Material, Name, P3m, Part, Texture,
    TextureContent, WeightRange,
};
use crate::out::Out;
use crate::{WriteError, counted};

/// Writes a model. Names are written as offsets into [`P3m::strings`]; their texts, the frames of
/// keys, parents, problems and file offsets are not used.
///
/// # Errors
/// Returns an error for data that the layout cannot represent:
///
/// * layouts of version 1
/// * lists that are too long
/// * vertices whose data does not match their number or the flags of the part
/// * overrides, fields and animated materials in layout A
/// * flags that do not match the data that they announce
pub fn write(model: &P3m) -> Result<Vec<u8>, WriteError> {
    let mut out = Out::default();
    let is_b = match model.layout {
        Layout::A => false,
        Layout::B => true,
        Layout::V1_0 | Layout::V1_1 => {
            return Err(WriteError::new("layout", "expected layout A or B"));
        }
    };
    out.bytes.extend(b"P3M\0");
    out.bytes.push(model.flags);
    out.count("part", model.parts.len(), 1);
    write_mask(&mut out, model);
    for (i, part) in model.parts.iter().enumerate() {
        write_part(&mut out, part, &format!("part {i}"), is_b);
    }
    out.count("material", model.materials.len(), 1);
    for (i, material) in model.materials.iter().enumerate() {
        write_material(&mut out, material, &format!("material {i}"), is_b);
    }
    out.count("texture", model.textures.len(), 1);
    for (i, texture) in model.textures.iter().enumerate() {
        write_texture(&mut out, texture, &format!("texture {i}"));
    }
    out.count("bone", model.bones.len(), 1);
    for bone in &model.bones {
        write_name(&mut out, &bone.name);
        write_floats(&mut out, &bone.head);
        write_floats(&mut out, &bone.tail);
        out.bytes.push(bone.children);
    }
    out.count("animation", model.animations.len(), 1);
    for animation in &model.animations {
        write_animation(&mut out, animation);
    }
    out.count("action", model.actions.len(), 1);
    for action in &model.actions {
        write_action(&mut out, action);
    }
    if is_b {
        out.count("field", model.fields.len(), 1);
        for (i, field) in model.fields.iter().enumerate() {
            write_field(&mut out, field, &format!("field {i}"));
        }
    } else {
        out.check_len("fields in layout A", model.fields.len(), 0);
    }
    out.bytes.extend(&model.strings);
    out.finish()
}

fn write_mask(out: &mut Out, model: &P3m) {
    for parts in model.parts.chunks(8) {
        let bits = parts.iter().rev();
        out.bytes
            .push(bits.fold(0, |bits, part| bits << 1 | u8::from(part.is_visible)));
    }
    if !model.parts.len().is_multiple_of(8)
        && let Some(last) = out.bytes.last_mut()
    {
        *last |= model.mask_padding & 0xFF << (model.parts.len() % 8);
    }
}

fn write_name(out: &mut Out, name: &Name) {
    out.bytes.extend(name.offset.to_le_bytes());
}

fn write_floats(out: &mut Out, numbers: &[f32]) {
    out.bytes
        .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Checks that a flag or type is set exactly if the data that it announces is there.
fn check_flag(out: &mut Out, record: &str, what: &str, is_set: bool, has_data: bool) {
    if is_set != has_data {
        out.fail(record, format!("its flags do not match its {what}"));
    }
}

fn write_part(out: &mut Out, part: &Part, record: &str, is_b: bool) {
    let count = part.positions.len();
    let [uv_flag, normal_flag] = if is_b { [0x01, 0x02] } else { [0, 0x01] };
    let has_uvs = !is_b || part.flags & uv_flag != 0;
    let has_normals = part.flags & normal_flag != 0;
    for (what, is_set, len) in [
        ("UVs", has_uvs, part.uvs.len()),
        ("normals", has_normals, part.normals.len()),
    ] {
        out.check_len(
            &format!("{record}: {what}"),
            len,
            if is_set { count } else { 0 },
        );
    }
    out.bytes.push(part.flags);
    write_name(out, &part.name);
    out.bytes.push(part.material);
    if is_b {
        out.count("override", part.overrides.len(), 1);
        for it in &part.overrides {
            write_name(out, &it.animation);
            out.bytes.extend([it.priority, it.material]);
        }
    } else {
        let what = format!("{record}: overrides in layout A");
        out.check_len(&what, part.overrides.len(), 0);
    }
    out.count("vertex", count, 2);
    if is_b {
        write_floats(out, part.positions.as_flattened());
        write_floats(out, part.uvs.as_flattened());
    } else {
        for (position, uv) in part.positions.iter().zip(&part.uvs) {
            write_floats(out, position);
            write_floats(out, uv);
        }
    }
    write_floats(out, part.normals.as_flattened());
    out.count("index", part.indices.len(), 2);
    out.bytes
        .extend(part.indices.iter().flat_map(|index| index.to_le_bytes()));
    out.count("group", part.groups.len(), 1);
    for group in &part.groups {
        write_group(out, group, record);
    }
}

fn write_group(out: &mut Out, group: &Group, record: &str) {
    write_name(out, &group.bone);
    for range in &group.ranges {
        if range.weights.is_empty() {
            out.fail(record, "a range without weights would end its group");
        }
        out.bytes.extend(range.skip.to_le_bytes());
        out.count("weight", range.weights.len(), 2);
        out.bytes.extend(&range.weights);
    }
    out.bytes.extend(group.last_skip.to_le_bytes());
    out.bytes.extend([0, 0]);
}

fn write_material(out: &mut Out, material: &Material, record: &str, is_b: bool) {
    out.bytes.push(material.mode);
    let animation = material.animation.as_deref();
    let is_animated = is_b && material.mode & 0x10 != 0;
    check_flag(out, record, "animation", is_animated, animation.is_some());
    if !is_b {
        out.bytes.push(material.texture);
    }
    if let Some(animation) = animation {
        out.bytes.extend(animation.us_per_frame.to_le_bytes());
        out.bytes.push(animation.flags);
    }
    out.bytes.extend(material.color);
    out.bytes.extend(material.emission);
    out.bytes.push(material.shading);
    if is_b {
        out.bytes.extend([material.texture, material.matcap]);
    }
    let Some(animation) = animation else { return };
    write_floats(out, &animation.texture_scroll);
    write_floats(out, &animation.matcap_scroll);
    out.bytes.push(animation.last_frame);
    let tracks = &animation.tracks;
    for track in tracks {
        out.count("key", track.len(), 1);
    }
    let keys = tracks.iter().flatten();
    out.bytes.extend(keys.map(|key| key.skip));
    let keys = tracks[..MAX_MODES.len()].iter().flatten();
    out.bytes.extend(keys.map(|key| key.mode));
    for (track, components) in tracks.iter().zip(COMPONENTS) {
        let values = track
            .iter()
            .flat_map(|key| key.value.into_iter().take(components));
        out.bytes.extend(values);
    }
}

fn write_texture(out: &mut Out, texture: &Texture, record: &str) {
    let is_external = matches!(texture.content, TextureContent::External(_));
    check_flag(out, record, "content", texture.kind == 1, is_external);
    out.bytes.push(texture.kind);
    match &texture.content {
        TextureContent::External(path) => write_name(out, path),
        TextureContent::Embedded { ptf, .. } => {
            out.count("byte of a texture", ptf.len(), 4);
            out.bytes.extend(ptf);
        }
    }
}

fn write_animation(out: &mut Out, animation: &Animation) {
    write_name(out, &animation.name);
    out.count("reference", animation.references.len(), 1);
    for reference in &animation.references {
        out.bytes.push(reference.action);
        write_floats(out, &[reference.speed]);
        out.bytes.extend(reference.start.to_le_bytes());
        out.bytes.extend(reference.end.to_le_bytes());
    }
}

fn write_action(out: &mut Out, action: &Action) {
    out.bytes.extend(action.us_per_frame.to_le_bytes());
    out.bytes.push(action.part_list_mode);
    out.count("part of a list", action.parts.len(), 1);
    for part in &action.parts {
        write_name(out, part);
    }
    out.count("track", action.tracks.len(), 1);
    for tracks in &action.tracks {
        write_tracks(out, tracks);
    }
}

fn write_tracks(out: &mut Out, tracks: &BoneTracks) {
    write_name(out, &tracks.bone);
    let all = [&tracks.translation, &tracks.rotation, &tracks.scale];
    for keys in all {
        out.count("key", keys.len(), 1);
    }
    let keys = || all.into_iter().flatten();
    out.bytes.extend(keys().map(|key| key.skip));
    out.bytes.extend(keys().map(|key| key.mode));
    for key in keys() {
        write_floats(out, &key.value);
    }
}

fn write_field(out: &mut Out, field: &Field, record: &str) {
    write_name(out, &field.name);
    out.bytes.push(field.kind);
    match field.value_bytes() {
        Some(expected) => out.check_len(record, field.bytes.len(), expected),
        None => out.fail(record, "unknown type"),
    }
    out.bytes.extend(&field.bytes);
}

/// Collects the weights of a group. `weights` are those of all vertices of a part, in order.
pub fn weight_ranges(weights: impl IntoIterator<Item = Option<u8>>) -> Vec<WeightRange> {
    let mut ranges: Vec<WeightRange> = Vec::new();
    let mut skip = 0;
    for weight in weights {
        match (weight, ranges.last_mut()) {
            (Some(weight), Some(range)) if skip == 0 => range.weights.push(weight),
            (Some(weight), _) => {
                let weights = vec![weight];
                ranges.push(WeightRange { skip, weights });
                skip = 0;
            }
            (None, _) => skip += 1,
        }
    }
    ranges
}

/// Collects the strings of a model. Each is stored once.
#[derive(Debug, Clone, Default)]
pub struct StringsBuilder {
    bytes: Vec<u8>,
    offsets: HashMap<String, u16>,
}

impl StringsBuilder {
    /// Adds a string if it is new and returns its name.
    ///
    /// # Errors
    /// Returns an error if the string contains a zero byte or if the strings would be too long.
    pub fn add(&mut self, text: &str) -> Result<Name, WriteError> {
        let name = |offset| Name {
            text: text.to_owned(),
            offset,
        };
        if let Some(offset) = self.offsets.get(text) {
            return Ok(name(*offset));
        }
        let end = self.bytes.len() + text.len() + 1;
        if text.contains('\0') || end > MAX_STRING_BYTES {
            let max = counted(MAX_STRING_BYTES, "byte");
            let expected = format!("expected no zero byte and at most {max} in all");
            return Err(WriteError::new("strings", expected));
        }
        let offset = self.bytes.len() as u16;
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
        self.offsets.insert(text.to_owned(), offset);
        Ok(name(offset))
    }

    /// The strings, for [`P3m::strings`].
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
