//! The clip box hides everything outside it.

use super::session::Session;
use mapscope_scene::Aabb;

/// Margin around the bounds of the document, relative to its size. A slider at its end cuts nothing
/// despite rounding.
const MARGIN: f32 = 0.01;

/// The clip box tool. It keeps its box while it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ClipBox {
    open: bool,
    /// The box in world space; `None` if it cuts nothing.
    at: Option<Aabb>,
}

impl ClipBox {
    /// Creates a clip box, open if there is a box.
    pub(crate) fn at(at: Option<Aabb>) -> Self {
        Self {
            open: at.is_some(),
            at,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The positions of the sliders within the bounds of a document.
    pub(crate) fn ends(&self, bounds: Aabb) -> Aabb {
        self.at.map_or(bounds, |at| Aabb {
            min: at.min.clamp(bounds.min, bounds.max),
            max: at.max.clamp(bounds.min, bounds.max),
        })
    }

    /// `true` if it cuts anything away while it is open.
    pub(crate) fn cuts(&self) -> bool {
        self.at.is_some()
    }
}

impl Session {
    /// `true` if the open document can be clipped.
    pub(crate) fn can_cut(&self) -> bool {
        self.levels().is_some()
    }

    /// Opens the clip box with its previous box, or closes it.
    pub(crate) fn toggle_cut(&mut self) {
        self.tools.clip_box.open = !self.tools.clip_box.open;
        self.view.shown.cut = self.tools.clip_box.at.filter(|_| self.tools.clip_box.open);
    }

    /// Sets the clip box. Sides on or outside the bounds cut nothing.
    pub(crate) fn set_cut(&mut self, ends: Option<Aabb>) {
        let bounds = self.shown_bounds().unwrap_or_default();
        let margin = bounds.radius() * MARGIN;
        self.tools.clip_box.at = ends.filter(|ends| *ends != bounds).map(|ends| {
            let mut at = ends;
            for axis in 0..3 {
                if ends.min[axis] <= bounds.min[axis] {
                    at.min[axis] = bounds.min[axis] - margin;
                }
                if ends.max[axis] >= bounds.max[axis] {
                    at.max[axis] = bounds.max[axis] + margin;
                }
            }
            at
        });
        self.view.shown.cut = self.tools.clip_box.at.filter(|_| self.tools.clip_box.open);
    }
}
