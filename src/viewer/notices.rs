//! What lies over the view for a while: failures, a load under way, messages, a drop.

use egui::{Align, Align2, Color32, Id, Rect, RichText};

use super::state::State;
use super::{folder, theme};
use crate::formats::Severity;

/// Seconds that a message stays.
const TOAST_SECS: f64 = 4.0;
/// Seconds that a message about something that went wrong stays.
const ERROR_TOAST_SECS: f64 = 9.0;

pub(super) fn overlay_frame(style: &egui::Style) -> egui::Frame {
    egui::Frame::popup(style)
        .fill(theme::PANEL.gamma_multiply(0.94))
        .inner_margin(10)
}

/// Files that could not be opened, with what is wrong and where.
pub(super) fn failures(ctx: &egui::Context, state: &mut State, center: Rect) {
    if state.failures.is_empty() {
        return;
    }
    let mut open = true;
    let mut retry = None;
    let title = if state.failures.len() == 1 {
        "Could not open"
    } else {
        "Could not open these"
    };
    egui::Window::new(title)
        .id(Id::unique("failures"))
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .fixed_pos(center.center_top() + egui::vec2(0.0, 24.0))
        .pivot(Align2::CENTER_TOP)
        .show(ctx, |ui| {
            ui.set_width((center.width() - 80.0).clamp(200.0, 520.0));
            egui::ScrollArea::vertical()
                .max_height(260.0)
                .show(ui, |ui| {
                    for failure in &state.failures {
                        ui.label(RichText::new(folder::name(&failure.path)).strong());
                        ui.weak(failure.path.display().to_string());
                        ui.label(RichText::new(&failure.message).color(theme::ERROR));
                        ui.add_space(6.0);
                    }
                });
            ui.horizontal(|ui| {
                if ui.button("Try again").clicked() {
                    retry = Some(state.failures.iter().map(|f| f.path.clone()).collect());
                }
                if ui.button("Copy").clicked() {
                    let lines = state.failures.iter();
                    let lines: Vec<String> = lines
                        .map(|f| format!("{}: {}", f.path.display(), f.message))
                        .collect();
                    ui.ctx().copy_text(lines.join("\n"));
                }
            });
        });
    if !open {
        state.failures.clear();
    }
    if let Some(paths) = retry {
        state.failures.clear();
        state.open_paths(paths);
    }
}

/// How far a load is, with a way to stop it.
pub(super) fn loading(ctx: &egui::Context, state: &mut State, center: Rect) {
    let Some(loading) = &state.loading else {
        return;
    };
    let mut cancel = false;
    egui::Area::new(Id::unique("loading"))
        .fixed_pos(center.center_bottom() - egui::vec2(0.0, 24.0))
        .pivot(Align2::CENTER_BOTTOM)
        .show(ctx, |ui| {
            overlay_frame(ui.style()).show(ui, |ui| {
                ui.set_width(320.0);
                ui.label(format!("Opening {}", loading.name));
                ui.horizontal(|ui| {
                    let width = ui.available_width() - 110.0;
                    ui.add(
                        egui::ProgressBar::new(loading.fraction)
                            .desired_width(width)
                            .show_percentage(),
                    );
                    cancel = ui.button("Cancel (Esc)").clicked();
                });
            });
        });
    // The bar moves by itself, ten times a second.
    ctx.request_repaint_after_secs(0.1);
    if cancel {
        state.effects.push(super::state::Effect::CancelLoad);
    }
}

pub(super) fn toasts(ctx: &egui::Context, state: &mut State, center: Rect) {
    let now = ctx.input(|input| input.time);
    let mut next = f64::INFINITY;
    state.toasts.retain_mut(|toast| {
        let since = *toast.shown_at_secs.get_or_insert(now);
        let stays = if toast.severity.is_some() {
            ERROR_TOAST_SECS
        } else {
            TOAST_SECS
        };
        let left = since + stays - now;
        if left > 0.0 {
            next = next.min(left);
        }
        left > 0.0
    });
    if state.toasts.is_empty() {
        return;
    }
    ctx.request_repaint_after_secs(next as f32 + 0.01);
    egui::Area::new(Id::unique("toasts"))
        .fixed_pos(center.right_bottom() - egui::vec2(12.0, 12.0))
        .pivot(Align2::RIGHT_BOTTOM)
        .interactable(false)
        .show(ctx, |ui| {
            for toast in &state.toasts {
                let color = match toast.severity {
                    None => theme::ACCENT,
                    Some(Severity::Warning) => theme::WARNING,
                    Some(Severity::Error) => theme::ERROR,
                };
                overlay_frame(ui.style()).show(ui, |ui| {
                    ui.set_max_width(360.0);
                    ui.horizontal(|ui| {
                        ui.label(RichText::new("•").strong().color(color));
                        ui.add(egui::Label::new(&toast.text).wrap());
                    });
                });
            }
        });
}

/// What dropping the files that are held over the window would do.
pub(super) fn drop_overlay(ctx: &egui::Context, state: &State) {
    let Some(hovering) = &state.hovering else {
        return;
    };
    let rect = ctx.content_rect();
    let layer = egui::LayerId::new(egui::Order::Foreground, Id::unique("drop overlay"));
    let painter = ctx.layer_painter(layer);
    painter.rect_filled(rect, 0, Color32::from_black_alpha(190));
    let inner = rect.shrink(18.0);
    let stroke = egui::Stroke::new(2.0, theme::ACCENT);
    painter.rect_stroke(inner, 10, stroke, egui::StrokeKind::Inside);
    let (title, detail) = match &hovering.preview {
        Some(preview) => (preview.title.as_str(), preview.detail.as_str()),
        None => ("Drop to open", ""),
    };
    let width = inner.width() - 40.0;
    let text = |text: &str, size: f32, color| {
        let mut job = egui::text::LayoutJob::simple(
            text.to_owned(),
            egui::FontId::proportional(size),
            color,
            width,
        );
        job.halign = Align::Center;
        painter.layout_job(job)
    };
    let title = text(title, 24.0, Color32::WHITE);
    let detail = text(detail, 15.0, theme::WEAK_TEXT);
    let top = rect.center() - egui::vec2(0.0, (title.size().y + detail.size().y + 8.0) / 2.0);
    let below = top + egui::vec2(0.0, title.size().y + 8.0);
    painter.galley(top, title, Color32::WHITE);
    painter.galley(below, detail, theme::WEAK_TEXT);
}
