//! Moves the keyboard focus between the parts of the window.

use egui::{Context, Id, LayerId, Rect, Ui};

use crate::viewer::state::interface::FocusMove;

/// A part of the window that the focus moves to, in this order. The view is a part too: it gets the
/// keys while no widget has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Menus,
    Left,
    View,
    Right,
    Timeline,
    Cut,
    Bottom,
}

/// The rectangles of the visible parts of the window.
#[derive(Debug, Default)]
pub(super) struct FocusParts {
    parts: Vec<(Part, Rect)>,
}

impl FocusParts {
    /// Adds a part that has taken its place from the top or bottom of `before`.
    pub(super) fn add_taken(&mut self, part: Part, root: &Ui, before: Rect) {
        let after = root.available_rect_before_wrap();
        if after.top() > before.top() {
            self.add(part, before.with_max_y(after.top()));
        } else if after.bottom() < before.bottom() {
            self.add(part, before.with_min_y(after.bottom()));
        }
    }

    /// Adds a part.
    pub(super) fn add(&mut self, part: Part, rect: Rect) {
        // The resize handle lies on its edge.
        self.parts.push((part, rect.shrink(1.0)));
    }

    /// Moves the focus to the first widget of the next part that has a widget.
    pub(super) fn advance(mut self, ctx: &Context, wanted: FocusMove) {
        self.parts.sort_by_key(|(part, _)| *part);
        let focused = ctx.memory(egui::Memory::focused);
        let holder = focused.and_then(|id| {
            let place =
                ctx.viewport(|viewport| viewport.this_pass.widgets.get(id).map(|it| it.rect));
            let place = place?.center();
            self.parts.iter().position(|(_, rect)| rect.contains(place))
        });
        let view = self.parts.iter().position(|(part, _)| *part == Part::View);
        let count = self.parts.len();
        // Without a focused part and a view, the first part is next.
        let start = holder.or(view).unwrap_or(count.saturating_sub(1));
        for step in 1..=count {
            let at = match wanted {
                FocusMove::Previous => (start + count - step) % count,
                FocusMove::Next | FocusMove::Search | FocusMove::Query => (start + step) % count,
            };
            let Some((part, rect)) = self.parts.get(at) else {
                return;
            };
            if *part == Part::View {
                if let Some(focused) = focused {
                    ctx.memory_mut(|memory| memory.surrender_focus(focused));
                }
                break;
            }
            if let Some(first) = first_widget(ctx, *rect) {
                ctx.memory_mut(|memory| memory.request_focus(first));
                break;
            }
        }
        ctx.request_repaint();
    }
}

/// Returns the first focusable widget in a part of the window.
fn first_widget(ctx: &Context, part: Rect) -> Option<Id> {
    ctx.viewport(|viewport| {
        let mut widgets = viewport.this_pass.widgets.get_layer(LayerId::background());
        let first = widgets.find(|widget| {
            widget.enabled
                && widget.visible
                && widget.sense.is_focusable()
                && part.contains(widget.interact_rect.center())
        });
        first.map(|widget| widget.id)
    })
}
