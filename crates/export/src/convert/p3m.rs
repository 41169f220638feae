//! Layouts of P3M (fact sheet of P3M, PTF and PAF, P1).

use mapscope_formats::p3m::{self, FORMAT, Layout, NO_TEXTURE, P3m};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, ConversionReport, ItemNames, Row};

/// Flags of a part: in layout A its normals, in layout B its texture coordinates and normals.
const NORMALS_A: u8 = 0x01;
const UVS_B: u8 = 0x01;
const NORMALS_B: u8 = 0x02;

/// Length of a bone whose tail was lost, in metres.
const TAIL_LENGTH: f32 = 0.1;

/// The layouts of P3M.
pub(super) const FORMS: &[Row<P3m>] = &[
    Row::change(
        &FORMAT,
        "layout",
        ["a", "As written by the exporter and loaded by the engine"],
        |model, told| {
            to_layout_a(model, told);
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "layout",
        [
            "b",
            "As specified by the format's document; the engine does not load it",
        ],
        |model, told| {
            to_layout_b(model, told);
            Ok(())
        },
    ),
];

fn to_layout_a(model: &mut P3m, told: &mut ConversionReport) {
    if model.layout == Layout::A {
        return;
    }
    let parts = || model.parts.iter();
    let with_overrides = parts().filter(|part| !part.overrides.is_empty());
    let names: ItemNames = with_overrides.map(|part| part.name.text.as_str()).collect();
    told.lost(names, "part", "their materials of animations");
    let animated = model.materials.iter().filter(|it| it.animation.is_some());
    told.lost(animated.count(), "material", "their animation");
    let matcaps = model.materials.iter().filter(|it| it.matcap != NO_TEXTURE);
    told.lost(matcaps.count(), "material", "their matcap");
    let fields = model.fields.iter().map(|field| field.name.text.as_str());
    told.left_out(
        fields.collect::<ItemNames>(),
        "field of the user",
        "layout A does not support them",
    );
    for part in &mut model.parts {
        part.overrides.clear();
        // Layout A always has texture coordinates.
        part.uvs.resize(part.positions.len(), [0.0; 2]);
        let has_normals = part.flags & NORMALS_B != 0;
        part.flags = if has_normals { NORMALS_A } else { 0 };
    }
    for material in &mut model.materials {
        material.animation = None;
        material.matcap = NO_TEXTURE;
        material.mode &= 0x0F;
    }
    model.fields.clear();
    model.layout = Layout::A;
}

fn to_layout_b(model: &mut P3m, told: &mut ConversionReport) {
    if model.layout == Layout::B {
        return;
    }
    if model.has_lost_tails() {
        // Readers of layout B take the tails as they are.
        let names: ItemNames = model.bones.iter().map(|it| it.name.text.as_str()).collect();
        told.lost(
            names,
            "bone",
            "their tail, which the exporter has broken; another is written",
        );
        for (bone, direction) in model.directions().into_iter().enumerate() {
            let bone = &mut model.bones[bone];
            bone.tail = [0, 1, 2].map(|axis| bone.head[axis] + TAIL_LENGTH * direction[axis]);
        }
    }
    for part in &mut model.parts {
        let has_normals = part.flags & NORMALS_A != 0;
        part.flags = UVS_B | if has_normals { NORMALS_B } else { 0 };
    }
    for material in &mut model.materials {
        material.mode &= 0x0F;
    }
    model.layout = Layout::B;
}

impl Content for P3m {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        p3m::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        p3m::write(self).map_err(|error| error.to_string())
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        match self.layout {
            Layout::A => "layout A",
            Layout::B => "layout B",
            Layout::V1_0 => "layout 1.0",
            Layout::V1_1 => "layout 1.1",
        }
        .to_owned()
    }

    /// The written bytes hold all content, and no places of a file.
    fn is_same(&self, other: &Self) -> bool {
        matches!((p3m::write(self), p3m::write(other)), (Ok(one), Ok(other)) if one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_testdata::tiny_p3m;

    #[test]
    fn a_model_keeps_what_both_layouts_have() {
        let mut told = ConversionReport::default();
        let b = tiny_p3m(Layout::B).unwrap();
        let mut a = b.clone();
        to_layout_a(&mut a, &mut told);
        // Overrides, an animated material, a matcap and fields.
        assert_eq!(told.losses.len(), 4, "{:?}", told.losses);
        let read = p3m::read(&p3m::write(&a).unwrap()).unwrap();
        assert_eq!(read.layout, Layout::A);
        for (one, other) in read.parts.iter().zip(&b.parts) {
            assert_eq!(one.positions, other.positions);
            assert_eq!(one.uvs, other.uvs);
            assert_eq!(one.normals, other.normals);
            assert_eq!(one.indices, other.indices);
        }
        to_layout_b(&mut a, &mut told);
        let again = p3m::read(&p3m::write(&a).unwrap()).unwrap();
        assert_eq!(again.layout, Layout::B);
        assert!(again.is_same(&a));
        assert_eq!(again.parts[0].normals, b.parts[0].normals);
        assert_eq!(again.materials[0].color, b.materials[0].color);
    }
}
