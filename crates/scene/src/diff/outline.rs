//! Where differences are, drawn in the view of the second document.

use glam::Vec3;

use super::{Diff, Difference};
use crate::describe::lines::box_edges;
use crate::{Aabb, ChangeLines, Document, Item, Line, Shown};

/// How many lines there are at most.
const MAX_LINES: usize = 40_000;
/// How much of the document, along its diagonal, something takes up at most whose box is drawn: the
/// box of a material that is everywhere says nothing.
const MAX_SHARE: f32 = 0.25;
/// How wide the lines are, in pixels of a plain screen.
const WIDTH_POINTS: f32 = 2.0;

/// Red, green and blue of the lines around what is only in A, only in B, or not the same in both.
pub fn change_color(is_in: [bool; 2]) -> [u8; 3] {
    match is_in {
        [true, false] => [255, 84, 74],
        [false, true] => [84, 224, 104],
        _ => [255, 208, 64],
    }
}

impl Diff {
    /// Lines around the differences that are listed and are somewhere: of what B has, where that
    /// has it, else where A had it.
    pub fn lines(&self, documents: [&dyn Document; 2]) -> ChangeLines {
        let mut lines = Vec::new();
        for difference in &self.differences {
            let Some((document, item)) = difference.shown_in(documents) else {
                continue;
            };
            let [red, green, blue] = change_color(difference.is_in);
            let ends = ends_around(document, item);
            let room = MAX_LINES - lines.len();
            lines.extend(ends.into_iter().take(room).map(|ends| Line {
                ends,
                color: [red, green, blue, 255],
                width_points: WIDTH_POINTS,
                room: None,
                on_top: true,
            }));
        }
        ChangeLines((!lines.is_empty()).then(|| lines.into()))
    }

    /// Of each difference that is listed, where what only A has is in world space.
    pub fn places_of_gone(&self, a: &dyn Document) -> Vec<Option<Aabb>> {
        let place = |difference: &Difference| {
            let gone = difference.items[0].filter(|_| !difference.is_in[1]);
            a.place(gone?, &Shown::default()).bounds
        };
        self.differences.iter().map(place).collect()
    }
}

impl Difference {
    /// The document that it is drawn from, and the item there.
    fn shown_in<'d>(&self, [a, b]: [&'d dyn Document; 2]) -> Option<(&'d dyn Document, Item)> {
        match self.items {
            [_, Some(item)] if self.is_in[1] => Some((b, item)),
            [Some(item), _] => Some((a, item)),
            _ => None,
        }
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
