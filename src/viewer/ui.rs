//! Everything in the window: menus, panels around the view, status bar, and what lies over them.

use egui::{
    Align, Align2, Button, Color32, Event, Id, Layout, Panel as EguiPanel, Rect, RichText,
    TextureId, Ui,
};

use super::camera_control::CameraMode;
use super::commands::{self, Action, COMMANDS, Command, MENUS};
use super::panels::{
    FrameStatistics, Inspector, Kinds, Legend, Outliner, PanelContext, PreviewRenderer, Problems,
    Statistics, Thumbnails,
};
use super::settings::{Dock, Panel};
use super::state::State;
use super::viewport::{self, Viewport};
use super::{dialogs, folder, theme};
use crate::formats::Severity;

/// Seconds that a message stays.
const TOAST_SECS: f64 = 4.0;
/// Seconds that a message about something that went wrong stays.
const ERROR_TOAST_SECS: f64 = 9.0;

/// What the window's contents are drawn with.
pub(super) struct Canvas<'a> {
    /// The 3D picture.
    pub picture: TextureId,
    /// What the last picture took.
    pub frame: FrameStatistics<'a>,
    /// Who makes the live pictures in panels.
    pub previews: &'a mut dyn PreviewRenderer,
}

/// What was shown where, in logical pixels.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The 3D view, where it is shown.
    pub viewport: Option<Rect>,
    /// Places that tests aim at, by name.
    pub rects: Vec<(String, Rect)>,
}

impl Shown {
    fn at(&mut self, name: &str, rect: Rect) {
        self.rects.push((name.to_owned(), rect));
    }
}

/// What the window's parts remember between frames.
#[derive(Default)]
pub(super) struct WindowUi {
    viewport: Viewport,
    outliner: Outliner,
    kinds: Kinds,
    inspector: Inspector,
    problems: Problems,
    statistics: Statistics,
    legend: Legend,
    thumbnails: Thumbnails,
    /// The load that thumbnails are of.
    version: u64,
}

impl WindowUi {
    /// Forgets every texture: the GPU they were on is gone.
    pub(super) fn forget_textures(&mut self) {
        self.thumbnails = Thumbnails::default();
    }

    /// Shows the window and does what the user does in it.
    pub(super) fn show(
        &mut self,
        root: &mut Ui,
        state: &mut State,
        canvas: &mut Canvas<'_>,
    ) -> Shown {
        let mut shown = Shown::default();
        let version = state.open.as_ref().map_or(0, |open| open.version);
        if version != self.version {
            self.version = version;
            self.thumbnails = Thumbnails::default();
        }
        run_pressed_keys(root.ctx(), state);
        if !state.full_screen {
            menu_bar(root, state, &mut shown);
            status_bar(root, state, &mut shown);
            if state.open.is_some() {
                self.dock(root, state, canvas, Dock::Bottom, &mut shown);
                self.dock(root, state, canvas, Dock::Left, &mut shown);
                self.dock(root, state, canvas, Dock::Right, &mut shown);
            }
        }
        let center = egui::CentralPanel::no_frame()
            .frame(egui::Frame::NONE.fill(viewport::BACKGROUND))
            .show(root, |ui| {
                if state.open.is_some() {
                    let rect = self.viewport.ui(ui, state, canvas.picture);
                    shown.viewport = Some(rect);
                    shown.at("viewport", rect);
                } else if state.loading.is_none() {
                    start_page(ui, state, &mut shown);
                }
            });
        let center = center.response.rect;
        self.legend(root, state, canvas, center);
        let ctx = root.ctx().clone();
        failures(&ctx, state, center);
        loading(&ctx, state, center);
        toasts(&ctx, state, center);
        dialogs::ui(&ctx, state);
        drop_overlay(&ctx, state);
        shown
    }

    /// An edge of the window with the panel that is open at it.
    fn dock(
        &mut self,
        root: &mut Ui,
        state: &mut State,
        canvas: &mut Canvas<'_>,
        dock: Dock,
        shown: &mut Shown,
    ) {
        let remembered = *state.settings.dock(dock);
        let Some(panel) = remembered.open else {
            return;
        };
        let (frame, name) = match dock {
            Dock::Left => (EguiPanel::left("left dock"), "left-dock"),
            Dock::Right => (EguiPanel::right("right dock"), "right-dock"),
            Dock::Bottom => (EguiPanel::bottom("bottom dock"), "bottom-dock"),
        };
        let response = frame
            .resizable(true)
            .default_size(remembered.size)
            .min_size(if dock == Dock::Bottom { 90.0 } else { 170.0 })
            .show(root, |ui| {
                dock_tabs(ui, state, dock, panel, shown);
                ui.separator();
                self.panel(ui, state, canvas, panel);
                // Keeps its size when its contents are small.
                ui.take_available_space();
            })
            .response;
        shown.at(name, response.rect);
        shown.at(panel_id(panel), response.rect);
        state.settings.dock_mut(dock).size = match dock {
            Dock::Left | Dock::Right => response.rect.width(),
            Dock::Bottom => response.rect.height(),
        };
    }

    fn panel(&mut self, ui: &mut Ui, state: &mut State, canvas: &mut Canvas<'_>, panel: Panel) {
        let parts = &mut *self;
        with_context(
            state,
            &mut parts.thumbnails,
            canvas,
            |context| match panel {
                Panel::Outliner => parts.outliner.ui(ui, context),
                Panel::Kinds => parts.kinds.ui(ui, context),
                Panel::Inspector => parts.inspector.ui(ui, context),
                Panel::Problems => parts.problems.ui(ui, context),
                Panel::Statistics => parts.statistics.ui(ui, context),
            },
        );
    }

    /// The meaning of the colours of the overlays that are on, in a corner of the view.
    fn legend(&mut self, root: &Ui, state: &mut State, canvas: &mut Canvas<'_>, center: Rect) {
        let Some(document) = state.document() else {
            return;
        };
        if state
            .overlays
            .iter()
            .all(|id| document.legend(id).is_empty())
        {
            return;
        }
        let parts = &mut *self;
        egui::Area::new(Id::unique("legend"))
            .fixed_pos(center.left_bottom() + egui::vec2(12.0, -12.0))
            .pivot(Align2::LEFT_BOTTOM)
            .show(root.ctx(), |ui| {
                overlay_frame(ui.style()).show(ui, |ui| {
                    with_context(state, &mut parts.thumbnails, canvas, |context| {
                        parts.legend.ui(ui, context);
                    });
                });
            });
    }
}

/// Shows something that looks at the document, and does what it asks for.
fn with_context(
    state: &mut State,
    thumbnails: &mut Thumbnails,
    canvas: &mut Canvas<'_>,
    show: impl FnOnce(&mut PanelContext<'_>),
) {
    let Some(document) = state.document().cloned() else {
        return;
    };
    let mut requests = Vec::new();
    show(&mut PanelContext {
        document: &document,
        selected: state.selected,
        hovered: state.hovered,
        overlays: &state.overlays,
        frame: canvas.frame,
        thumbnails,
        previews: &mut *canvas.previews,
        requests: &mut requests,
    });
    for request in requests {
        state.request(request);
    }
}

/// The name of a panel for tests, which is also the end of its command's.
fn panel_id(panel: Panel) -> &'static str {
    match panel {
        Panel::Outliner => "outliner",
        Panel::Kinds => "kinds",
        Panel::Inspector => "inspector",
        Panel::Problems => "problems",
        Panel::Statistics => "statistics",
    }
}

fn overlay_frame(style: &egui::Style) -> egui::Frame {
    egui::Frame::popup(style)
        .fill(theme::PANEL.gamma_multiply(0.94))
        .inner_margin(10)
}

/// The names of an edge's panels, to change between them, and a button that closes it.
fn dock_tabs(ui: &mut Ui, state: &mut State, dock: Dock, open: Panel, shown: &mut Shown) {
    ui.horizontal(|ui| {
        for panel in Panel::ALL.into_iter().filter(|panel| panel.dock() == dock) {
            let Some(command) = commands::of(Action::Panel(panel)) else {
                continue;
            };
            let text = RichText::new(command.name).strong();
            let tab = ui
                .selectable_label(panel == open, text)
                .on_hover_text(command.help);
            shown.at(&format!("tab-{}", panel_id(panel)), tab.rect);
            if tab.clicked() {
                state.settings.dock_mut(dock).open = Some(panel);
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let name = commands::of(Action::Panel(open)).map_or("", |command| command.name);
            let close = ui
                .add(Button::new(RichText::new("×").size(18.0)).frame(false))
                .on_hover_text("Close this panel");
            close.widget_info(|| {
                let text = format!("Close {name}");
                egui::WidgetInfo::labeled(egui::Role::Button, true, text)
            });
            if close.clicked() {
                state.settings.dock_mut(dock).open = None;
            }
        });
    });
}

/// Runs the commands whose keys were pressed, unless they were meant for a text field.
fn run_pressed_keys(ctx: &egui::Context, state: &mut State) {
    use super::state::Dialog;
    let in_front = !matches!(state.dialog, None | Some(Dialog::CheatSheet { .. }));
    // An open menu has Escape for itself.
    if ctx.text_edit_focused() || in_front || egui::Popup::is_any_open(ctx) {
        return;
    }
    // Arrow keys move between widgets while one has the focus.
    let focused = ctx.memory(|memory| memory.focused().is_some());
    let mut actions = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let Event::Key {
                key,
                physical_key,
                pressed: true,
                repeat,
                modifiers,
            } = event
            else {
                return true;
            };
            let Some(command) = commands::pressed(*key, *physical_key, *modifiers) else {
                return true;
            };
            let walks = matches!(command.action, Action::Walk(_));
            let repeats =
                walks || matches!(command.action, Action::NextOfKind { .. } | Action::Scale(_));
            if walks && focused || (*repeat && !repeats) {
                return true;
            }
            actions.push(command.action);
            false
        });
    });
    for action in actions {
        state.run(action);
    }
}

fn menu_bar(root: &mut Ui, state: &mut State, shown: &mut Shown) {
    let bar = EguiPanel::top("menu bar").show(root, |ui| {
        egui::MenuBar::new().ui(ui, |ui| {
            for title in MENUS {
                let menu = ui.menu_button(title, |ui| menu(ui, state, title, shown));
                shown.at(
                    &format!("menu-{}", title.to_lowercase()),
                    menu.response.rect,
                );
            }
        });
    });
    shown.at("menu", bar.response.rect);
}

fn menu(ui: &mut Ui, state: &mut State, title: &str, shown: &mut Shown) {
    ui.set_min_width(230.0);
    let mut group = None;
    for command in COMMANDS
        .iter()
        .filter(|command| command.menu.title == title)
    {
        if group.is_some_and(|group| group != command.menu.group) {
            ui.separator();
        }
        group = Some(command.menu.group);
        let item = menu_item(ui, state, command);
        shown.at(&format!("item-{}", command.id), item.rect);
        if item.clicked() {
            state.run(command.action);
            ui.close();
        }
        if command.action == Action::OpenPath {
            recent_files_menu(ui, state);
        }
    }
}

fn menu_item(ui: &mut Ui, state: &State, command: &Command) -> egui::Response {
    let on = state.is_on(command.action).unwrap_or(false);
    let button = Button::new(command.name)
        .shortcut_text(command.first_key_text())
        .selected(on);
    ui.add_enabled(state.is_enabled(command.action), button)
        .on_hover_text(command.help)
}

fn recent_files_menu(ui: &mut Ui, state: &mut State) {
    let any = !state.settings.recent_files.is_empty();
    ui.add_enabled_ui(any, |ui| {
        ui.menu_button("Recent files", |ui| {
            if let Some(path) = recent_files(ui, state) {
                state.open_paths(vec![path]);
                ui.close();
            }
            ui.separator();
            if ui.button("Forget them").clicked() {
                state.settings.recent_files.clear();
                ui.close();
            }
        });
    });
}

/// The files that were open lately; gives the one that was clicked.
fn recent_files(ui: &mut Ui, state: &State) -> Option<std::path::PathBuf> {
    let mut chosen = None;
    for path in &state.settings.recent_files {
        let button = Button::new(folder::name(path)).truncate();
        let folder_of = path.parent().map(|folder| folder.display().to_string());
        let line = ui.add(button).on_hover_text(folder_of.unwrap_or_default());
        if line.clicked() {
            chosen = Some(path.clone());
        }
    }
    chosen
}

fn status_bar(root: &mut Ui, state: &mut State, shown: &mut Shown) {
    let bar = EguiPanel::bottom("status bar").show(root, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                status_right(ui, state, shown);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let text = status_text(state);
                    ui.add(egui::Label::new(text).truncate());
                });
            });
        });
    });
    shown.at("status", bar.response.rect);
}

fn status_text(state: &State) -> RichText {
    let document = state.document();
    if let (Some(document), Some(item)) = (document, state.hovered) {
        return RichText::new(document.summary(item));
    }
    match document {
        Some(_) => RichText::new(format!("{}  ·  F1 shows all keys", viewport::hint(state))).weak(),
        None => RichText::new("Drop a file here, or open one  ·  F1 shows all keys").weak(),
    }
}

fn status_right(ui: &mut Ui, state: &mut State, shown: &mut Shown) {
    if let Some(document) = state.document() {
        let problems = document.problems();
        let errors = problems
            .iter()
            .filter(|p| p.severity == Severity::Error)
            .count();
        let (text, color) = match (errors, problems.len() - errors) {
            (0, 0) => ("No problems".to_owned(), theme::WEAK_TEXT),
            (0, 1) => ("1 warning".to_owned(), theme::WARNING),
            (0, warnings) => (format!("{warnings} warnings"), theme::WARNING),
            (1, 0) => ("1 error".to_owned(), theme::ERROR),
            (errors, 0) => (format!("{errors} errors"), theme::ERROR),
            (errors, warnings) => (
                format!("{errors} errors, {warnings} warnings"),
                theme::ERROR,
            ),
        };
        let button = ui.add(Button::new(RichText::new(text).color(color)).frame(false));
        shown.at("problem-count", button.rect);
        if button.on_hover_text("Show or hide the problems").clicked() {
            state.run(Action::Panel(Panel::Problems));
        }
    }
    if let Some(text) = state
        .playlist
        .as_ref()
        .and_then(folder::Playlist::position_text)
    {
        ui.separator();
        ui.weak(text)
            .on_hover_text("Page Down and Page Up go through these files");
    }
    let mode = match state.mode {
        CameraMode::Orbit => None,
        CameraMode::Fly => Some("Flying"),
        CameraMode::Game => Some("As in the game"),
    };
    if let Some(mode) = mode {
        ui.separator();
        ui.label(RichText::new(mode).color(theme::ACCENT));
    }
}

/// What the window shows while nothing is open.
fn start_page(ui: &mut Ui, state: &mut State, shown: &mut Shown) {
    let rect = ui.available_rect_before_wrap();
    shown.at("start-page", rect);
    let mut chosen = None;
    egui::ScrollArea::vertical()
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let recent = state.settings.recent_files.len().min(6) as f32;
            let height = 230.0
                + if recent > 0.0 {
                    40.0 + recent * 28.0
                } else {
                    0.0
                };
            ui.add_space(((rect.height() - height) * 0.42).max(16.0));
            ui.vertical_centered(|ui| {
                ui.set_max_width(420.0);
                ui.label(RichText::new("Mapscope").size(34.0).strong());
                ui.add_space(2.0);
                ui.label(
                    RichText::new("Look into the maps of games")
                        .size(15.0)
                        .weak(),
                );
                ui.add_space(22.0);
                let zone = egui::Frame::NONE
                    .stroke(egui::Stroke::new(1.0, theme::WEAK_TEXT.gamma_multiply(0.5)))
                    .corner_radius(8)
                    .inner_margin(18)
                    .show(ui, |ui| {
                        ui.vertical_centered(|ui| {
                            ui.label("Drop a file or a folder here");
                            ui.add_space(8.0);
                            for action in [Action::Open, Action::OpenPath, Action::OpenDemo] {
                                let Some(command) = commands::of(action) else {
                                    continue;
                                };
                                let button = Button::new(command.name)
                                    .right_text(RichText::new(command.first_key_text()).weak())
                                    .min_size(egui::vec2(220.0, 30.0));
                                let button = ui.add(button).on_hover_text(command.help);
                                shown.at(&format!("start-{}", command.id), button.rect);
                                if button.clicked() {
                                    state.run(action);
                                }
                            }
                        });
                    });
                shown.at("drop-zone", zone.response.rect);
                if recent > 0.0 {
                    ui.add_space(18.0);
                    ui.label(RichText::new("Recent files").weak());
                    chosen = recent_files(ui, state);
                }
            });
        });
    if let Some(path) = chosen {
        state.open_paths(vec![path]);
    }
}

/// Files that could not be opened, with what is wrong and where.
fn failures(ctx: &egui::Context, state: &mut State, center: Rect) {
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
fn loading(ctx: &egui::Context, state: &mut State, center: Rect) {
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

fn toasts(ctx: &egui::Context, state: &mut State, center: Rect) {
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
fn drop_overlay(ctx: &egui::Context, state: &State) {
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use egui::{Key, Modifiers, PointerButton, Pos2, Vec2, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::loader::{Failure, LoadRequest, Target};
    use super::super::panels::TileSandbox;
    use super::super::settings::Settings;
    use super::super::state::{Dialog, Effect, LoadingView, OpenFile, PathPurpose, StartView};
    use super::*;
    use crate::scene::camera::Projection;
    use crate::scene::registry::{self, OpenOptions, Progress};
    use crate::scene::{Document, Item, demo};

    struct NoPictures;

    impl PreviewRenderer for NoPictures {
        fn kind_preview(&mut self, _kind: Item, _size: Vec2) -> Option<TextureId> {
            None
        }

        fn sandbox_preview(&mut self, _sandbox: &TileSandbox, _size: Vec2) -> Option<TextureId> {
            None
        }
    }

    struct Window {
        ui: WindowUi,
        state: State,
        shown: Shown,
    }

    fn document() -> Arc<dyn Document> {
        static DOCUMENT: OnceLock<Arc<dyn Document>> = OnceLock::new();
        let open = || {
            registry::open(
                &demo::source(),
                &OpenOptions::default(),
                &Progress::default(),
            )
            .unwrap()
        };
        Arc::clone(DOCUMENT.get_or_init(open))
    }

    fn window(change: impl FnOnce(&mut State)) -> Harness<'static, Window> {
        let mut state = State::new(Settings::default(), StartView::default());
        change(&mut state);
        let show = |ui: &mut Ui, window: &mut Window| {
            let mut canvas = Canvas {
                picture: TextureId::default(),
                frame: FrameStatistics {
                    frame_ms: 1.0,
                    triangles: 2,
                    draw_calls: 3,
                    gpu_bytes: 4,
                    cpu_bytes: 5,
                    adapter: "test",
                },
                previews: &mut NoPictures,
            };
            window.shown = window.ui.show(ui, &mut window.state, &mut canvas);
        };
        let mut harness = Harness::builder()
            .with_size(vec2(1200.0, 800.0))
            .with_max_steps(40)
            .build_ui_state(
                show,
                Window {
                    ui: WindowUi::default(),
                    state,
                    shown: Shown::default(),
                },
            );
        theme::apply(&harness.ctx);
        harness.run();
        harness
    }

    /// A window with the demo open, seen from straight above.
    fn with_demo() -> Harness<'static, Window> {
        let mut harness = window(|state| {
            state.open = Some(OpenFile {
                path: "demo.pfmap".into(),
                demo: true,
                document: document(),
                version: 1,
            });
            state.camera.handedness = document().handedness();
        });
        for action in [
            Action::View(crate::scene::camera::NamedView::Top),
            Action::FrameAll,
        ] {
            harness.state_mut().state.run(action);
        }
        harness.run();
        harness
    }

    fn state<'a>(harness: &'a Harness<'_, Window>) -> &'a State {
        &harness.state().state
    }

    fn press(harness: &mut Harness<'_, Window>, modifiers: Modifiers, key: Key) {
        harness.key_press_modifiers(modifiers, key);
        harness.run();
    }

    fn middle(harness: &Harness<'_, Window>) -> Pos2 {
        harness.state().shown.viewport.unwrap().center()
    }

    fn move_to(harness: &mut Harness<'_, Window>, to: Pos2) {
        harness.input_mut().events.push(Event::PointerMoved(to));
        harness.run();
    }

    fn button(harness: &mut Harness<'_, Window>, button: PointerButton, at: Pos2, pressed: bool) {
        harness.input_mut().events.push(Event::PointerButton {
            pos: at,
            button,
            pressed,
            modifiers: Modifiers::NONE,
        });
        harness.run();
    }

    fn drag(harness: &mut Harness<'_, Window>, with: PointerButton, by: Vec2) {
        let from = middle(harness);
        move_to(harness, from);
        button(harness, with, from, true);
        for step in 1_u8..=4 {
            move_to(harness, from + by * f32::from(step) / 4.0);
        }
        button(harness, with, from + by, false);
    }

    #[test]
    fn every_overlay_has_a_command_and_every_command_of_one_an_overlay() {
        let offered: Vec<&str> = document().overlays().iter().map(|o| o.id).collect();
        for id in &offered {
            let command = commands::find(&format!("overlay.{id}"));
            let action = command.map(|command| command.action);
            assert!(
                matches!(action, Some(Action::Overlay(o)) if o == *id),
                "{id}"
            );
        }
        for command in COMMANDS {
            if let Action::Overlay(id) = command.action {
                assert!(offered.contains(&id), "{id} is an overlay of nothing");
            }
        }
    }

    #[test]
    fn every_command_is_in_its_menu() {
        for title in MENUS {
            let mut harness = with_demo();
            harness.get_by_label(title).click();
            harness.run();
            for command in COMMANDS.iter().filter(|c| c.menu.title == title) {
                let found = harness.query_all_by_label_contains(command.name).count();
                assert!(found > 0, "{title} has no {}", command.name);
            }
        }
    }

    #[test]
    fn the_start_page_opens_the_demo() {
        let mut harness = window(|_| {});
        harness.get_by_label_contains("Drop a file or a folder");
        harness.get_by_label_contains("Open the demo").click();
        harness.run();
        let load = LoadRequest {
            target: Target::Demo,
            reload: false,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn keys_run_commands() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::NONE, Key::G);
        assert_eq!(state(&harness).mode, CameraMode::Game);
        press(&mut harness, Modifiers::NONE, Key::Num2);
        assert_eq!(state(&harness).mode, CameraMode::Orbit);
        press(&mut harness, Modifiers::ALT, Key::Num1);
        assert!(state(&harness).overlays.contains("tile-types"));
        press(&mut harness, Modifiers::COMMAND, Key::Num1);
        assert_eq!(state(&harness).settings.left.open, None);
    }

    #[test]
    fn keys_that_are_typed_into_a_field_do_nothing_else() {
        let mut harness = with_demo();
        harness
            .get_by_role(egui::accesskit::Role::TextInput)
            .focus();
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::G);
        press(&mut harness, Modifiers::NONE, Key::P);
        assert_eq!(state(&harness).mode, CameraMode::Orbit);
        assert_eq!(state(&harness).camera.projection, Projection::Perspective);
    }

    #[test]
    fn escape_closes_a_menu_before_anything_else() {
        let mut harness = with_demo();
        harness.state_mut().state.selected = Some(Item {
            kind: "tile",
            index: 5,
        });
        harness.get_by_label("Camera").click();
        harness.run();
        harness.get_by_label_contains("From the top");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert!(harness.query_by_label_contains("From the top").is_none());
        assert!(state(&harness).selected.is_some());
    }

    #[test]
    fn the_palette_runs_what_is_typed() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        let events = &mut harness.input_mut().events;
        events.push(Event::Text("ortho".to_owned()));
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert_eq!(state(&harness).camera.projection, Projection::Orthographic);
        assert_eq!(state(&harness).dialog, None);
    }

    #[test]
    fn the_first_key_after_a_dialog_is_a_command_again() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        // In two frames that follow each other, with none between to notice that the field is gone.
        for key in [Key::Enter, Key::G] {
            harness.input_mut().events.push(Event::Key {
                key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::NONE,
            });
            harness.step();
        }
        assert_eq!(state(&harness).mode, CameraMode::Game);
    }

    #[test]
    fn the_cheat_sheet_says_what_is_on_and_finds_keys() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::NONE, Key::F1);
        harness.get_by_label("Ctrl+Shift+O");
        let on = harness.query_all_by_label("on").count();
        press(&mut harness, Modifiers::NONE, Key::P);
        assert_eq!(harness.query_all_by_label("on").count(), on + 1);
        if let Some(Dialog::CheatSheet { text }) = &mut harness.state_mut().state.dialog {
            "wireframe".clone_into(text);
        }
        harness.run();
        assert!(harness.query_by_label("Ctrl+Shift+O").is_none());
        harness.get_by_label("Wireframe");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).dialog, None);
    }

    #[test]
    fn a_failure_names_the_file_and_the_place_and_can_be_dismissed() {
        let mut harness = window(|state| {
            state.failures.push(Failure {
                path: "/maps/bad.pfmap".into(),
                message: "3:14: expected a number".into(),
            });
        });
        harness.get_by_label("/maps/bad.pfmap");
        harness.get_by_label_contains("3:14");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert!(harness.query_by_label("/maps/bad.pfmap").is_none());
    }

    #[test]
    fn a_load_can_be_cancelled() {
        let mut harness = window(|state| {
            state.loading = Some(LoadingView {
                name: "big.pfmap".into(),
                fraction: 0.25,
            });
        });
        harness.get_by_label("Opening big.pfmap");
        harness.get_by_label("Cancel (Esc)").click();
        harness.run_steps(3);
        assert_eq!(state(&harness).effects, [Effect::CancelLoad]);
    }

    #[test]
    fn a_path_can_always_be_typed() {
        let mut harness = window(|state| state.ask_path(PathPurpose::Open));
        let events = &mut harness.input_mut().events;
        events.push(Event::Text("/maps/a b.pfmap".to_owned()));
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::Enter);
        let load = LoadRequest {
            target: Target::Paths(vec!["/maps/a b.pfmap".into()]),
            reload: false,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn a_click_selects_and_arrow_keys_walk() {
        let mut harness = with_demo();
        let at = middle(&harness);
        move_to(&mut harness, at);
        let hovered = state(&harness).hovered.unwrap();
        button(&mut harness, PointerButton::Primary, at, true);
        button(&mut harness, PointerButton::Primary, at, false);
        assert_eq!(state(&harness).selected, Some(hovered));
        press(&mut harness, Modifiers::NONE, Key::ArrowUp);
        let north = document().neighbor(hovered, crate::scene::Direction::North);
        assert_eq!(state(&harness).selected, north);
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        assert_eq!(state(&harness).selected, Some(hovered));
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).selected, None);
    }

    #[test]
    fn drags_turn_and_move_and_the_wheel_comes_nearer() {
        let mut harness = with_demo();
        let before = state(&harness).camera;
        drag(&mut harness, PointerButton::Secondary, vec2(60.0, 0.0));
        let moved = state(&harness).camera;
        assert!((moved.forward() - before.forward()).length() < 1e-4);
        assert!(moved.pose.eye.distance(before.pose.eye) > 1.0);
        drag(&mut harness, PointerButton::Primary, vec2(0.0, -60.0));
        let turned = state(&harness).camera;
        assert!((turned.forward() - moved.forward()).length() > 0.1);
        harness.input_mut().events.push(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, 3.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        harness.run();
        assert!(state(&harness).camera.distance() < turned.distance() * 0.9);
    }

    #[test]
    fn held_keys_fly_until_they_are_released() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::NONE, Key::V);
        let mut w = |pressed| {
            harness.input_mut().events.push(Event::Key {
                key: Key::Z,
                physical_key: Some(Key::W),
                pressed,
                repeat: false,
                modifiers: Modifiers::NONE,
            });
            harness.input_mut().focused = true;
            let before = state(&harness).camera;
            harness.run_steps(4);
            let after = state(&harness).camera;
            (after.pose.eye - before.pose.eye).dot(before.forward())
        };
        assert!(w(true) > 0.0);
        assert_eq!(w(false), 0.0);
    }

    #[test]
    fn everything_that_can_be_pressed_has_a_name() {
        // The harness itself panics over an input widget without one.
        for panel in Panel::ALL {
            let mut harness = with_demo();
            harness
                .state_mut()
                .state
                .settings
                .dock_mut(panel.dock())
                .open = Some(panel);
            harness.run();
            let name = commands::of(Action::Panel(panel)).unwrap().name;
            harness.get_by_label(&format!("Close {name}")).click();
            harness.run();
            assert!(!state(&harness).settings.is_open(panel));
        }
    }
}
