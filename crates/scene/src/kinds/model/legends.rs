//! Legends of the overlays and of the selection.

use super::Model;
use super::document::OVERLAYS;
use super::motion::{AFTER_COLOR, BEFORE_COLOR};
use super::overlays::{BIND_COLOR, BONE_COLOR, DECLARED_COLOR, NORMAL_COLOR, SKINNED_COLOR};
use crate::{Aabb, Flaw, Legend, LegendEntry, OverlayId, Playhead, Shown, colors};

/// Colour of vertices that no joint moves, in the overlay of all joints' weights. The shader has
/// the same constant.
const UNMOVED_COLOR: [u8; 3] = [115; 3];

/// Colour of triangles whose winding contradicts their normals.
pub const REVERSED_COLOR: [u8; 3] = [36, 204, 255];

/// Colours of vertices by the weight of a joint: 0, a quarter, and so on up to 1.
pub const HEAT_COLORS: [[u8; 3]; 5] = [
    [42, 46, 92],
    [36, 124, 184],
    [56, 190, 120],
    [244, 200, 62],
    [232, 66, 48],
];

impl Model {
    /// Legends of the active overlays and of the selected joint.
    pub(super) fn legend_list(&self, shown: &Shown) -> Vec<Legend> {
        let on = &shown.overlays;
        let mut legends =
            Legend::of_overlays(&OVERLAYS, on, |id| self.overlay_colors(id, shown.playhead));
        let selected = shown.selected.filter(|_| !shown.hides_weights);
        let joint = selected.and_then(|item| self.joint_of(item));
        if joint.is_some_and(|joint| self.moves_vertices(joint)) {
            let labels = ["0", "0.25", "0.5", "0.75", "1: only this joint"];
            let entries = HEAT_COLORS.into_iter().zip(labels);
            legends.push(Legend {
                title: "Weight of this joint",
                entries: entries
                    .map(|(c, label)| LegendEntry::new(c, label))
                    .collect(),
            });
        }
        legends
    }

    /// Returns the legend of an overlay at a moment.
    pub(crate) fn overlay_colors(
        &self,
        overlay: OverlayId,
        playhead: Playhead,
    ) -> Vec<LegendEntry> {
        let entry = LegendEntry::new;
        match overlay {
            OverlayId::Normals => vec![
                entry([255, 128, 128], "Faces west (+X)"),
                entry([128, 255, 128], "Faces up (+Y)"),
                entry([128, 128, 255], "Faces south (+Z)"),
            ],
            OverlayId::BackFaces => vec![entry(colors::BACK_FACE, "Back of a triangle")],
            OverlayId::ReversedTriangles if !self.flawed(Flaw::Reversed).is_empty() => {
                vec![entry(REVERSED_COLOR, "Winding against the normals")]
            }
            OverlayId::JointWeights => {
                let joints = self.pfobj.joints.iter().enumerate();
                let moving = joints
                    .filter(|(i, _)| self.moves_vertices(*i))
                    .map(|(i, joint)| LegendEntry::new(self.joint_color(i), joint.name.clone()));
                let still = (self.uses.unweighted > 0)
                    .then(|| LegendEntry::new(UNMOVED_COLOR, "Not moved by any joint"));
                moving.chain(still).collect()
            }
            OverlayId::Skeleton if !self.pfobj.joints.is_empty() => {
                vec![entry(BONE_COLOR, "Bone, from joint to tip")]
            }
            OverlayId::OnionSkin if !self.pfobj.joints.is_empty() => vec![
                entry(BEFORE_COLOR, "Earlier frames"),
                entry(AFTER_COLOR, "Later frames"),
            ],
            OverlayId::NormalLines if !self.mesh.vertices.is_empty() => {
                vec![entry(NORMAL_COLOR, "Normal of a vertex")]
            }
            OverlayId::FrameBounds => bounds_entries(self.frame_bounds(playhead), DECLARED_COLOR),
            OverlayId::BindBounds => bounds_entries(self.bind_bounds(), BIND_COLOR),
            _ => Vec::new(),
        }
    }

    /// `true` if a joint moves any vertex. Joints that only control others do not.
    pub fn moves_vertices(&self, joint: usize) -> bool {
        let uses = self.uses.joints.get(joint);
        uses.is_some_and(|uses| uses.vertices > 0)
    }

    /// Returns the colour of a joint in the overlay of all joints' weights. Neighbours in the file
    /// are far apart on the colour wheel.
    pub fn joint_color(&self, joint: usize) -> [u8; 3] {
        const GOLDEN: f32 = 0.618_034;
        let hue = (joint as f32 * GOLDEN).fract() * 6.0;
        // Brightness varies between rounds of the wheel.
        let value = [1.0, 0.72, 0.88][joint % 3];
        [5.0, 3.0, 1.0].map(|offset: f32| {
            let at = (hue + offset) % 6.0;
            let chroma = at.min(4.0 - at).clamp(0.0, 1.0);
            (255.0 * value * (1.0 - 0.7 * chroma)) as u8
        })
    }
}

/// Returns the legend of the existing boxes: the declared one, and that of the mesh.
fn bounds_entries([declared, mesh]: [Option<Aabb>; 2], color: [u8; 3]) -> Vec<LegendEntry> {
    let declared = declared.map(|_| LegendEntry::new(color, "Declared by the file"));
    let mesh = mesh.map(|_| LegendEntry::new(SKINNED_COLOR, "Of the mesh, where it differs"));
    declared.into_iter().chain(mesh).collect()
}
