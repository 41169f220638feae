//! Outlines of differences, drawn in the view of the second document.

use glam::Vec3;

use super::{Diff, Difference};
use crate::describe::lines::box_edges;
use crate::{Aabb, ChangeLines, Document, Item, Line, Shown};

/// Maximum number of lines.
const MAX_LINES: usize = 40_000;
/// Maximum size of a boxed item relative to the document's diagonal. The box of a material that is
/// used everywhere is not informative.
const MAX_SHARE: f32 = 0.25;
/// Width of the lines, in logical pixels.
const WIDTH_POINTS: f32 = 2.0;

/// Red, green and blue of the lines around parts that are only in A, only in B, or in both but
/// different.
pub fn change_color(is_in: [bool; 2]) -> [u8; 3] {
    match is_in {
        [true, false] => [255, 84, 74],
        [false, true] => [84, 224, 104],
        _ => [255, 208, 64],
    }
}

impl Diff {
    /// Returns lines around the listed differences that have a place. Parts of B are outlined at
    /// their place in B, other parts at their place in A.
    pub fn lines(&self, documents: [&dyn Document; 2]) -> ChangeLines {
        self.lines_in(documents, 1)
    }

    /// Returns lines around the differences as they lie in A (0) or B (1), or in the only document
    /// that has them.
    pub fn lines_in(&self, documents: [&dyn Document; 2], side: usize) -> ChangeLines {
        ChangeLines::around(self.differences.iter().filter_map(|difference| {
            let (document, item) = difference.shown_in(documents, side)?;
            // A group, such as a faction, would outline all its members.
            let is_group = document.next_of_kind(item, None, false).is_some();
            (!is_group).then(|| (document, item, change_color(difference.is_in)))
        }))
    }

    /// Returns, for each listed difference, the world-space bounds of a part that only A has.
    pub fn removed_bounds(&self, a: &dyn Document) -> Vec<Option<Aabb>> {
        let place = |difference: &Difference| {
            let gone = difference.items[0].filter(|_| !difference.is_in[1]);
            a.place(gone?, &Shown::default()).bounds
        };
        self.differences.iter().map(place).collect()
    }
}

impl ChangeLines {
    /// Returns lines around items that have a place, each in its colour: red, green and blue.
    pub fn around<'d>(items: impl IntoIterator<Item = (&'d dyn Document, Item, [u8; 3])>) -> Self {
        let mut lines = Vec::new();
        for (document, item, [red, green, blue]) in items {
            let ends = ends_around(document, item);
            let room = MAX_LINES - lines.len();
            lines.extend(ends.into_iter().take(room).map(|ends| Line {
                ends,
                color: [red, green, blue, 255],
                width_points: WIDTH_POINTS,
                room: None,
                on_top: true,
            }));
            if lines.len() == MAX_LINES {
                break;
            }
        }
        Self((!lines.is_empty()).then(|| lines.into()))
    }
}

impl Difference {
    /// The document that it is outlined in, and its item there.
    fn shown_in<'d>(
        &self,
        documents: [&'d dyn Document; 2],
        side: usize,
    ) -> Option<(&'d dyn Document, Item)> {
        let in_side = |side: usize| {
            let item = self.items[side].filter(|_| self.is_in[side])?;
            Some((documents[side], item))
        };
        in_side(side).or_else(|| in_side(1 - side))
    }
}

fn ends_around(document: &dyn Document, item: Item) -> Vec<[Vec3; 2]> {
    let shown = Shown::default();
    let contour = document.contour(item, &shown);
    if !contour.is_empty() {
        return contour;
    }
    let all = document.about().bounds;
    let diagonal = (all.max - all.min).length();
    let bounds = document.place(item, &shown).bounds;
    let bounds = bounds.filter(|bounds| {
        let size = (bounds.max - bounds.min).length();
        size <= diagonal * MAX_SHARE
    });
    let corners = bounds.map(|bounds| bounds.corners());
    corners.iter().flat_map(box_edges).collect()
}
