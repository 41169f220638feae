//! Temporary overlays of the view: failures, loading progress, toasts, drop preview.

use std::path::PathBuf;

use egui::accesskit::Live;
use egui::{Align, Align2, Color32, Id, Label, Layout, Rect, RichText, Ui};

use crate::search::Seen;
use crate::viewer::commands::{Action, key_of, with_key};
use crate::viewer::docks::Panel;
use crate::viewer::format::counted;
use crate::viewer::panels::parts;
use crate::viewer::state::{State, folder};
use crate::viewer::{places, theme};
use mapscope_formats::Severity;

/// Maximum number of listed files that could not be opened.
const MAX_LISTED_FAILURES: usize = 20;

/// Duration of a toast, in seconds.
const TOAST_SECS: f64 = 4.0;
/// Duration of an error toast, in seconds.
const ERROR_TOAST_SECS: f64 = 9.0;

/// Maximum text width of a toast, in points.
const TOAST_WIDTH: f32 = 330.0;
/// Maximum text width of a banner, in points, and the gap around it.
const BANNER_WIDTH: f32 = 460.0;
const BANNER_GAP: f32 = 12.0;
/// Gap between toasts, in points.
const TOAST_GAP: f32 = 6.0;
/// Gap between the mark of a toast and its text, in points.
const MARK_GAP: f32 = 8.0;
/// Margin inside an overlay of the view, in points.
const MARGIN: i8 = 10;

/// The frame of an overlay of the view.
pub(crate) fn overlay_frame(style: &egui::Style) -> egui::Frame {
    egui::Frame::popup(style)
        .fill(style.visuals.window_fill.gamma_multiply(0.94))
        .inner_margin(MARGIN)
}

/// Shows the files that could not be opened, with the reasons and their locations.
pub(crate) fn failures(ctx: &egui::Context, state: &mut State, center: Rect) {
    if state.notices.failures.is_empty() {
        return;
    }
    let mut open = true;
    let mut retry: Option<Vec<PathBuf>> = None;
    let title = match state.notices.failures.len() {
        1 => "Could not open".to_owned(),
        count => format!("Could not open {}", counted(count, "file")),
    };
    let width = (center.width() - 80.0).clamp(200.0, 520.0);
    egui::Window::new(title)
        // With the same id it would keep its width from a larger window.
        .id(Id::unique(("failures", width as u32)))
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .fixed_pos(center.center_top() + egui::vec2(0.0, 24.0))
        .pivot(Align2::CENTER_TOP)
        .show(ctx, |ui| {
            ui.set_width(width);
            egui::ScrollArea::vertical()
                .max_height(260.0)
                .show(ui, |ui| {
                    for failure in state.notices.failures.iter().take(MAX_LISTED_FAILURES) {
                        ui.label(RichText::new(folder::name(&failure.path)).strong());
                        ui.weak(failure.path.display().to_string());
                        ui.label(RichText::new(&failure.message).color(theme::ERROR.of(ui.ctx())));
                        ui.add_space(6.0);
                    }
                    let failures = state.notices.failures.len();
                    if failures > MAX_LISTED_FAILURES {
                        ui.weak(format!(
                            "and {}",
                            counted(failures - MAX_LISTED_FAILURES, "other")
                        ));
                    }
                });
            ui.horizontal(|ui| {
                if ui.button("Try again").clicked() {
                    retry = Some(
                        state
                            .notices
                            .failures
                            .iter()
                            .map(|f| f.path.clone())
                            .collect(),
                    );
                }
                if ui.button("Copy").clicked() {
                    let lines = state.notices.failures.iter();
                    let lines: Vec<String> = lines
                        .map(|f| format!("{}: {}", f.path.display(), f.message))
                        .collect();
                    ui.ctx().copy_text(lines.join("\n"));
                }
            });
        });
    if !open {
        state.notices.failures.clear();
    }
    if let Some(paths) = retry {
        state.notices.failures.clear();
        state.open_paths(&paths);
    }
}

/// Shows a banner at the top of the view, no wider than its contents and the view.
fn banner(ctx: &egui::Context, name: &str, center: Rect, contents: impl FnOnce(&mut Ui)) {
    let area = egui::Area::new(Id::unique(name))
        .fixed_pos(center.center_top() + egui::vec2(0.0, BANNER_GAP))
        .pivot(Align2::CENTER_TOP)
        .constrain_to(center)
        .show(ctx, |ui| {
            overlay_frame(ui.style()).show(ui, |ui| {
                let around = 2.0 * (BANNER_GAP + f32::from(MARGIN));
                ui.set_max_width((center.width() - around).clamp(120.0, BANNER_WIDTH));
                contents(ui);
            });
        });
    places::note(ctx, "banner", area.response.rect);
}

/// Shows that the file on disk is not the version in view, and why.
pub(crate) fn on_disk(ctx: &egui::Context, state: &mut State, center: Rect) {
    let tells = state.session.shows_disk_banner();
    let Some(on_disk) = state.session.on_disk.as_ref().filter(|_| tells) else {
        return;
    };
    let mut chosen = None;
    let mut dismissed = false;
    banner(ctx, "on disk", center, |ui| {
        ui.horizontal(|ui| {
            parts::severity(ui, Severity::Error);
            ui.add(Label::new(RichText::new(on_disk.headline()).strong()).wrap());
        });
        if let Some(why) = on_disk.reason() {
            ui.add(Label::new(why).wrap());
        }
        ui.weak(on_disk.in_view());
        ui.horizontal(|ui| {
            let [name, help] = on_disk.button();
            if ui.button(name).on_hover_text(help).clicked() {
                chosen = Some(Action::Reload);
            }
            let problems = Action::Panel(Panel::Problems);
            if !state.is_panel_open(Panel::Problems) && ui.button("Problems").clicked() {
                chosen = Some(problems);
            }
            dismissed = ui.button("Dismiss").clicked();
        });
    });
    if let Some(action) = chosen {
        state.run(action);
    }
    state.session.on_disk_dismissed |= dismissed;
}

/// Shows that a scene is placed on the map, with a button to open it.
pub(crate) fn scene_offer(ctx: &egui::Context, state: &mut State, center: Rect) {
    let tells = state.notices.offers_scene && !state.session.shows_disk_banner();
    let scene = state
        .session
        .open_file()
        .and_then(|open| open.scene.as_deref());
    let Some(scene) = scene.filter(|_| tells) else {
        return;
    };
    let name = folder::name(scene);
    let mut chosen = false;
    let mut dismissed = false;
    banner(ctx, "scene offer", center, |ui| {
        ui.add(Label::new(format!("The scene {name} uses this map")).wrap());
        ui.horizontal(|ui| {
            chosen = ui.button("Show its entities").clicked();
            dismissed = ui.button("Dismiss").clicked();
        });
    });
    if chosen {
        state.run(Action::Counterpart);
    }
    state.notices.offers_scene &= !dismissed;
}

/// Shows the progress of a load, with a button to cancel it.
pub(crate) fn loading(ctx: &egui::Context, state: &mut State, center: Rect) {
    let Some(loading) = &state.notices.loading else {
        return;
    };
    let mut cancel = false;
    let cancel_text = with_key("Cancel", &key_of("select.clear", &state.settings.keys));
    egui::Area::new(Id::unique("loading"))
        .fixed_pos(center.center_bottom() - egui::vec2(0.0, 24.0))
        .pivot(Align2::CENTER_BOTTOM)
        .show(ctx, |ui| {
            overlay_frame(ui.style()).show(ui, |ui| {
                ui.set_width(320.0);
                let verb = match loading.seen {
                    Some(_) => "Searching",
                    None => "Opening",
                };
                ui.label(format!("{verb} {}", loading.name));
                ui.horizontal(|ui| {
                    let width = ui.available_width() - 110.0;
                    match loading.seen {
                        // The total is unknown.
                        Some(Seen { folders, files }) => {
                            let folders = counted(folders as usize, "folder");
                            let files = counted(files as usize, "file");
                            ui.weak(format!("{folders}, {files} so far"));
                        }
                        None => {
                            ui.add(
                                egui::ProgressBar::new(loading.fraction)
                                    .desired_width(width)
                                    .show_percentage(),
                            );
                        }
                    }
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        cancel = ui.button(cancel_text).clicked();
                    });
                });
            });
        });
    // The bar is animated ten times a second.
    ctx.request_repaint_after_secs(0.1);
    if cancel {
        state.effects.push(crate::viewer::state::Effect::CancelLoad);
    }
}

/// Shows toasts above one another in a corner of the view.
pub(crate) fn toasts(ctx: &egui::Context, state: &mut State, center: Rect) {
    let now = ctx.input(|input| input.time);
    let mut next = f64::INFINITY;
    state.notices.toasts.retain_mut(|toast| {
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
    if state.notices.toasts.is_empty() {
        return;
    }
    ctx.request_repaint_after_secs(next as f32 + 0.01);
    let style = ctx.global_style();
    let font = egui::TextStyle::Body.resolve(&style);
    let width = (center.width() - 80.0).clamp(80.0, TOAST_WIDTH);
    let corner = center.right_bottom() - egui::vec2(12.0, 12.0);
    let mut bottom = corner.y;
    // From the bottom up, newest lowest, each as large as its current text.
    for toast in state.notices.toasts.iter().rev() {
        let color = style.visuals.text_color();
        let text = egui::text::LayoutJob::simple(toast.text.clone(), font.clone(), color, width);
        let text = ctx.fonts_mut(|fonts| fonts.layout_job(text));
        let side = font.size;
        let inside = egui::vec2(side + MARK_GAP + text.size().x, text.size().y.max(side));
        let size = inside + egui::Vec2::splat(2.0 * f32::from(MARGIN));
        let rect = Rect::from_min_size(egui::pos2(corner.x - size.x, bottom - size.y), size);
        bottom = rect.top() - TOAST_GAP;
        // Texts are unique. A screen reader announces each once.
        let id = Id::unique("toast").with(&toast.text);
        // Above the view, and below dialogs.
        let layer = egui::LayerId::new(egui::Order::Middle, id);
        let builder = egui::UiBuilder::new().layer_id(layer).max_rect(rect);
        let mut ui = Ui::new(ctx.clone(), id, builder);
        ui.painter()
            .add(overlay_frame(&style).paint(rect.shrink(f32::from(MARGIN))));
        let inner = rect.shrink(f32::from(MARGIN));
        let mark = Rect::from_min_size(inner.min, egui::Vec2::splat(side));
        match toast.severity {
            Some(severity) => parts::paint_severity(&ui, severity, mark),
            None => {
                ui.painter()
                    .circle_filled(mark.center(), side * 0.25, theme::ACCENT.of(ui.ctx()));
            }
        }
        let at = inner.with_min_x(mark.right() + MARK_GAP);
        let said = ui.put(at, Label::new(text).selectable(false));
        ctx.accesskit_node_builder(said.id, |node| {
            node.set_live(match toast.severity {
                Some(Severity::Error) => Live::Assertive,
                _ => Live::Polite,
            });
        });
    }
}

/// Shows what a drop of the hovering files would do.
pub(crate) fn drop_overlay(ctx: &egui::Context, state: &State) {
    let Some(hovering) = &state.interface.hovering else {
        return;
    };
    let rect = ctx.content_rect();
    let layer = egui::LayerId::new(egui::Order::Foreground, Id::unique("drop overlay"));
    let painter = ctx.layer_painter(layer);
    painter.rect_filled(rect, 0, Color32::from_black_alpha(190));
    let inner = rect.shrink(18.0);
    let stroke = egui::Stroke::new(2.0, theme::ACCENT.dark);
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
    let detail = text(detail, 15.0, theme::WEAK_TEXT.dark);
    let top = rect.center() - egui::vec2(0.0, (title.size().y + detail.size().y + 8.0) / 2.0);
    let below = top + egui::vec2(0.0, title.size().y + 8.0);
    painter.galley(top, title, Color32::WHITE);
    painter.galley(below, detail, theme::WEAK_TEXT.dark);
}
