//! PFOBJ, which has only one version (document section 1; fact sheet of Permafrost, D).

use mapscope_formats::pfobj::{self, Clip, FORMAT, Pfobj};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, ConversionReport, Row, report_encoding_loss};

/// No forms: the format has only one version.
pub(super) const FORMS: &[Row<Pfobj>] = &[];

/// The model without line numbers and problems.
fn content(model: &Pfobj) -> Pfobj {
    let mut model = model.clone();
    for material in &mut model.materials {
        (
            material.line,
            material.texture_line,
            material.texture_column,
        ) = (0, 0, 0);
    }
    for joint in &mut model.joints {
        joint.line = 0;
    }
    for clip in &mut model.clips {
        clip.line = 0;
        clip.frame_lines.clear();
    }
    model.problems.clear();
    model.notes.clear();
    model
}

impl Content for Pfobj {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        pfobj::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        let lacks_bounds =
            |clip: &Clip| clip.bounds.iter().flatten().count() < clip.frame_count as usize;
        if self.has_bounds && (self.bounds.is_none() || self.clips.iter().any(lacks_bounds)) {
            let text = "bounds are missing, although the header declares them (`has_collision`)";
            return Err(text.to_owned());
        }
        Ok(pfobj::write(self))
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        format!("version {}", self.version)
    }

    fn is_same(&self, other: &Self) -> bool {
        let [one, mut two] = [content(self), content(other)];
        two.layout = one.layout.clone();
        one == two
    }

    fn unwritten(&self, bytes: &[u8], told: &mut ConversionReport) {
        let materials = self
            .materials
            .iter()
            .flat_map(|it| [&*it.name, &*it.texture]);
        let joints = self.joints.iter().map(|joint| &*joint.name);
        let clips = self.clips.iter().map(|clip| &*clip.name);
        report_encoding_loss(bytes, &mut materials.chain(joints).chain(clips), told);
    }
}
