//! Where things are shown, by their names: for tests, which aim at them.

use egui::{Context, Id, Rect};

/// The names and places that were noted, in logical pixels.
pub(crate) type Places = Vec<(String, Rect)>;

fn id() -> Id {
    Id::unique("places")
}

/// Notes where something is shown.
pub(crate) fn note(ctx: &Context, name: impl Into<String>, rect: Rect) {
    let place = (name.into(), rect);
    ctx.data_mut(|data| data.get_temp_mut_or_default::<Places>(id()).push(place));
}

/// Takes what was noted since this was last asked.
pub(crate) fn take(ctx: &Context) -> Places {
    ctx.data_mut(|data| data.remove_temp(id()))
        .unwrap_or_default()
}
