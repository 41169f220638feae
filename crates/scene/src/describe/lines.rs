//! Builder of overlay lines.

use glam::Vec3;

use crate::{Aabb, Line};

/// Appends lines of one style to a list.
pub(crate) struct LineBuilder<'a> {
    pub(crate) lines: &'a mut Vec<Line>,
    pub(crate) color: [u8; 4],
    pub(crate) width_points: f32,
    pub(crate) on_top: bool,
    pub(crate) room: Option<f32>,
}

impl<'a> LineBuilder<'a> {
    pub(crate) fn new(lines: &'a mut Vec<Line>, [r, g, b]: [u8; 3], width_points: f32) -> Self {
        Self {
            lines,
            color: [r, g, b, 255],
            width_points,
            on_top: false,
            room: None,
        }
    }

    /// Makes lines thinner and fainter where `room` world units cover few pixels.
    pub(crate) fn in_room(self, room: f32) -> Self {
        Self {
            room: Some(room),
            ..self
        }
    }

    /// Makes lines visible through objects in front of them.
    pub(crate) fn on_top(self) -> Self {
        Self {
            on_top: true,
            ..self
        }
    }

    /// Adds a line, unless an end is not finite.
    pub(crate) fn line(&mut self, from: Vec3, to: Vec3) {
        if from.is_finite() && to.is_finite() {
            self.lines.push(Line {
                ends: [from, to],
                color: self.color,
                width_points: self.width_points,
                on_top: self.on_top,
                room: self.room,
            });
        }
    }

    /// Adds the edges of a box.
    pub(crate) fn aabb(&mut self, aabb: &Aabb) {
        self.edges(&aabb.corners());
    }

    /// Adds the edges of a hexahedron with the corners of a box.
    pub(crate) fn edges(&mut self, corners: &[Vec3; 8]) {
        for [from, to] in box_edges(corners) {
            self.line(from, to);
        }
    }
}

/// Returns the twelve edges of a hexahedron with the corners of a box. Corners whose indices differ
/// in one bit share an edge.
pub(crate) fn box_edges(corners: &[Vec3; 8]) -> impl Iterator<Item = [Vec3; 2]> + use<> {
    let corners = *corners;
    (0..8_usize).flat_map(move |corner| {
        let further = [1, 2, 4].into_iter().filter(move |bit| corner & bit == 0);
        further.map(move |bit| [corners[corner], corners[corner | bit]])
    })
}
