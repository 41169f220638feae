//! Records the rectangles of named widgets, for tests that click them.

use egui::{Context, Id, Rect};

/// The recorded names and rectangles, in logical pixels.
pub(crate) type Places = Vec<(String, Rect)>;

fn id() -> Id {
    Id::unique("places")
}

/// Records the rectangle of a widget.
pub(crate) fn note(ctx: &Context, name: impl Into<String>, rect: Rect) {
    let place = (name.into(), rect);
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Places>(id()).push(place));
}

/// Takes all rectangles recorded since the last call.
pub(crate) fn take(ctx: &Context) -> Places {
    ctx.data_mut(|data| data.remove_temp(id()))
        .unwrap_or_default()
}
