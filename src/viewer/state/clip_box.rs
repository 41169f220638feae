//! The clip box: what lies outside it is cut away.

use super::session::Session;
use mapscope_scene::Aabb;

/// What of a document is cut off at each end beyond what it is known to occupy, as a part of its
/// size: a slider at its end cuts nothing, however numbers are rounded.
const BEYOND: f32 = 0.01;

/// The tool that cuts away what lies outside a box. What it was set to outlives its being closed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ClipBox {
    open: bool,
    /// Where it cuts, in world space; none where it cuts nothing.
    at: Option<Aabb>,
}

impl ClipBox {
    /// One that cuts at a box, and is open if there is one.
    pub(crate) fn at(at: Option<Aabb>) -> Self {
        Self {
            open: at.is_some(),
            at,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The box of which the sliders are the ends, in a document of these bounds.
    pub(crate) fn ends(&self, bounds: Aabb) -> Aabb {
        self.at.map_or(bounds, |at| Aabb {
            min: at.min.clamp(bounds.min, bounds.max),
            max: at.max.clamp(bounds.min, bounds.max),
        })
    }

    /// Whether anything is cut away while it is open.
    pub(crate) fn cuts(&self) -> bool {
        self.at.is_some()
    }
}

impl Session {
    /// Whether there is something to be cut open, and hidden.
    pub(crate) fn can_cut(&self) -> bool {
        self.levels().is_some()
    }

    /// Opens the tool that cuts, with what it cut before, or closes it and cuts nothing.
    pub(crate) fn toggle_cut(&mut self) {
        self.tools.clip_box.open = !self.tools.clip_box.open;
        self.view.shown.cut = self.tools.clip_box.at.filter(|_| self.tools.clip_box.open);
    }

    /// Cuts away what lies outside a box; what is not inside the bounds is not cut.
    pub(crate) fn set_cut(&mut self, ends: Option<Aabb>) {
        let bounds = self.shown_bounds().unwrap_or_default();
        let beyond = bounds.radius() * BEYOND;
        self.tools.clip_box.at = ends.filter(|ends| *ends != bounds).map(|ends| {
            let mut at = ends;
            for axis in 0..3 {
                if ends.min[axis] <= bounds.min[axis] {
                    at.min[axis] = bounds.min[axis] - beyond;
                }
                if ends.max[axis] >= bounds.max[axis] {
                    at.max[axis] = bounds.max[axis] + beyond;
                }
            }
            at
        });
        self.view.shown.cut = self.tools.clip_box.at.filter(|_| self.tools.clip_box.open);
    }
}
