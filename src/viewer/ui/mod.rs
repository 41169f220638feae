//! The contents of the window: menus, panels around the view, status bar, and overlays.

mod cheat_sheet;
mod chooser;
mod clip_box;
pub(crate) mod dialogs;
mod flat_bar;
mod focus;
mod go_to;
mod icons;
mod level_chooser;
pub(crate) mod menus;
mod mini_map;
mod notices;
mod palette;
mod rulers;
mod split;
mod start_page;
mod status_bar;
mod timeline;
pub(crate) mod viewport;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use egui::accesskit::Role;
use egui::containers::panel::PanelState;
use egui::scroll_area::ScrollBarVisibility;
use egui::style::ScrollFadeStyle;
use egui::{
    Align2, Button, Event, Id, Key, Modifiers, Panel as EguiPanel, PointerButton, Rect, RichText,
    ScrollArea, Ui, UiBuilder,
};

use self::focus::{FocusParts, Part};
use self::mini_map::MiniMap;
pub(crate) use self::split::{ViewPlace, ViewPlaces};
use self::start_page::StartPage;
use self::viewport::Viewport;
use super::commands::{self, Action, Animation};
use super::panels::{
    self, FrameStatistics, PanelContext, PanelUi, PreviewRenderer, Thumbnails, parts,
};
use super::places;
use super::state::State;
use super::state::interface::FocusMove;
use crate::viewer::commands::Request;
use crate::viewer::docks::{Dock, Panel};

/// Side of the button that closes a panel, in points.
const CLOSE_SIDE: f32 = 22.0;
/// Padding at both sides of a panel's name in its tab, in points.
const TAB_PADDING: f32 = 6.0;
/// Visible width of the tabs beside the open one, in points: enough to click them.
const TAB_PEEK: f32 = 28.0;
/// Width over which tabs fade out if there are more, in points.
const TAB_FADE: f32 = 12.0;
/// Minimum size of a view in which legends are unfolded at first, in points.
const ROOM_FOR_LEGEND: egui::Vec2 = egui::vec2(520.0, 320.0);

/// The frame's measurements and renderer for the window's contents.
pub(crate) struct Canvas<'a> {
    /// Costs of the last image of the view.
    pub frame: FrameStatistics<'a>,
    /// Renders the live previews in panels.
    pub previews: &'a mut dyn PreviewRenderer,
}

/// State of the window's parts between frames.
pub(crate) struct WindowUi {
    start_page: StartPage,
    viewport: Viewport,
    second_viewport: Viewport,
    /// In the order of [`Panel::ALL`].
    panels: Vec<Box<dyn PanelUi>>,
    mini_map: MiniMap,
    thumbnails: Thumbnails,
    /// The load to which the thumbnails belong.
    version: u64,
    /// The file to which the searches belong.
    searched: PathBuf,
}

impl Default for WindowUi {
    fn default() -> Self {
        Self {
            start_page: StartPage::default(),
            viewport: Viewport::default(),
            second_viewport: Viewport::second(),
            panels: Panel::ALL
                .iter()
                .map(|panel| panels::contents(*panel))
                .collect(),
            mini_map: MiniMap::default(),
            thumbnails: Thumbnails::default(),
            version: 0,
            searched: PathBuf::new(),
        }
    }
}

impl WindowUi {
    /// Drops every texture, because their GPU is lost.
    pub(crate) fn forget_textures(&mut self) {
        for panel in &mut self.panels {
            panel.forget_textures();
        }
        self.thumbnails = Thumbnails::default();
        self.mini_map = MiniMap::default();
        self.start_page = StartPage::default();
    }

    /// Shows the window and carries out the user's actions. Returns the places of the views, if
    /// they are visible.
    pub(crate) fn show(
        &mut self,
        root: &mut Ui,
        state: &mut State,
        canvas: &mut Canvas<'_>,
    ) -> Option<ViewPlaces> {
        // The view sets it again.
        state.session.pointer.looking = false;
        state.fit_window(root.ctx().content_rect().size().into());
        let version = state.session.open.as_ref().map_or(0, |open| open.version);
        if version != self.version {
            self.version = version;
            self.thumbnails = Thumbnails::default();
        }
        self.forget_searches_of_others(state);
        let title = state.session.title();
        root.ctx()
            .accesskit_node_builder(egui::accesskit_root_id(), |node| node.set_label(title));
        run_pressed_keys(root.ctx(), state);
        let focus_move = state.interface.focus_move.take();
        let mut focus_parts = FocusParts::default();
        let is_search = |wanted: &FocusMove| matches!(wanted, FocusMove::Search | FocusMove::Query);
        parts::request_search_focus(root.ctx(), focus_move.filter(is_search));
        let now_secs = root.input(|input| input.time);
        if let Some(delay) = state.session.play_until(now_secs) {
            root.ctx().request_repaint_after(delay);
        }
        if !state.interface.full_screen {
            let room = root.available_rect_before_wrap();
            with_bar(state, |context| menus::menu_bar(root, context));
            focus_parts.add_taken(Part::Menus, root, room);
            with_bar(state, |context| status_bar::status_bar(root, context));
            if state.session.open.is_some() {
                if state.is_panel_open(Panel::Files) {
                    state.list_neighbors();
                }
                if let Some(rect) = self.dock(root, state, canvas, Dock::Bottom) {
                    focus_parts.add(Part::Bottom, rect);
                }
                let room = root.available_rect_before_wrap();
                timeline::timeline(root, state);
                focus_parts.add_taken(Part::Timeline, root, room);
                let room = root.available_rect_before_wrap();
                with_bar(state, |context| clip_box::clip_box(root, context));
                focus_parts.add_taken(Part::Cut, root, room);
                for (dock, part) in [(Dock::Left, Part::Left), (Dock::Right, Part::Right)] {
                    if let Some(rect) = self.dock(root, state, canvas, dock) {
                        focus_parts.add(part, rect);
                    }
                }
            }
        }
        let mut place = None;
        // Without a document the background colour is visible here.
        let center = egui::CentralPanel::no_frame().show(root, |ui| {
            place = split::views(ui, state, [&mut self.viewport, &mut self.second_viewport]);
            if let Some((first, _)) = place {
                places::note(ui.ctx(), "viewport", first.whole);
            } else if state.notices.loading.is_none() {
                with_bar(state, |context| self.start_page.ui(ui, context));
            }
        });
        if place.is_some() {
            state.session.view.note_view(now_secs);
        }
        let whole = place.map_or(center.response.rect, |(first, _)| first.whole);
        let center = rulers::rulers(root, state, whole);
        let is_start_page = place.is_none();
        focus_parts.add(
            if is_start_page {
                Part::Left
            } else {
                Part::View
            },
            whole,
        );
        if let Some(wanted) = focus_move.filter(|wanted| !is_search(wanted)) {
            focus_parts.advance(root.ctx(), wanted);
        }
        self.legend(root, state, canvas, center);
        let ctx = root.ctx().clone();
        let mut below_bar = center;
        with_bar(state, |context| {
            let bar = flat_bar::flat_bar(&ctx, context, center);
            below_bar.min.y = bar.map_or(center.min.y, |bar| bar.max.y);
        });
        if state.split.is_some() {
            // The names of the views.
            below_bar.min.y += split::NAME_HEIGHT;
        }
        with_bar(state, |context| self.mini_map.show(&ctx, context, center));
        // Banners that stay until they are dismissed must not cover buttons.
        notices::on_disk(&ctx, state, below_bar);
        notices::scene_offer(&ctx, state, below_bar);
        notices::failures(&ctx, state, below_bar);
        notices::loading(&ctx, state, center);
        let mut above_buttons = center;
        if state.split.is_some() {
            above_buttons.max.y -= split::BUTTONS_HEIGHT;
        }
        notices::toasts(&ctx, state, above_buttons);
        dialogs::ui(&ctx, state);
        notices::drop_overlay(&ctx, state);
        place
    }

    /// Clears searches when another file is opened.
    fn forget_searches_of_others(&mut self, state: &State) {
        let Some(open) = state.session.open.as_ref() else {
            return;
        };
        if open.path != self.searched {
            self.searched.clone_from(&open.path);
            for panel in &mut self.panels {
                panel.forget_search();
            }
        }
    }

    /// Shows the dock at an edge with its open panel. Returns the rectangle of the panel's
    /// contents.
    fn dock(
        &mut self,
        root: &mut Ui,
        state: &mut State,
        canvas: &mut Canvas<'_>,
        dock: Dock,
    ) -> Option<Rect> {
        let panel = state.open_panel(dock)?;
        let contents = self.panels.get_mut(panel as usize)?;
        let (frame, salt): (fn(&'static str) -> EguiPanel, _) = match dock {
            Dock::Left => (EguiPanel::left, "left-dock"),
            Dock::Right => (EguiPanel::right, "right-dock"),
            Dock::Bottom => (EguiPanel::bottom, "bottom-dock"),
        };
        let window = root.ctx().content_rect();
        let sizes = state.dock_sizes(dock, window.size().into(), contents.is_tall());
        let size_of = |rect: Rect| match dock {
            Dock::Left | Dock::Right => rect.width(),
            Dock::Bottom => rect.height(),
        };
        // egui rounds the remembered size of a panel to whole pixels.
        let is_other = |size: f32| (size - sizes.now).abs() > 1.0;
        // Otherwise it would keep the size from a smaller window.
        let id = root.scope_id().with(salt);
        let remembered = PanelState::load(root, id);
        if remembered.is_none_or(|remembered| is_other(size_of(remembered.outer_rect))) {
            let outer_rect = Rect::from_min_size(window.min, egui::Vec2::splat(sizes.now));
            root.data_mut(|data| data.insert_persisted(id, PanelState { outer_rect }));
        }
        let thumbnails = &mut self.thumbnails;
        let panel_ui = frame(salt)
            .resizable(true)
            .size_range(sizes.min..=sizes.max)
            .show(root, |ui| {
                parts::name_panel(ui, panel.name());
                // Its size is set by the user, regardless of its contents: overflow is clipped.
                let room = ui.available_rect_before_wrap();
                let mut inside = ui.new_child(UiBuilder::new().max_rect(room));
                inside.shrink_clip_rect(room.expand(2.0));
                dock_tabs(&mut inside, state, dock, panel);
                inside.separator();
                let contents_rect = inside.available_rect_before_wrap();
                with_context(state, thumbnails, canvas, |context| {
                    contents.ui(&mut inside, context);
                });
                ui.take_available_space();
                contents_rect
            });
        let response = panel_ui.response;
        places::note(root.ctx(), salt, response.rect);
        places::note(root.ctx(), panel.id(), response.rect);
        let size = size_of(response.rect);
        if is_other(size) {
            // The user has dragged the edge.
            state.resize_dock(dock, size);
        }
        Some(panel_ui.inner)
    }

    /// Shows the legend of colours in a corner of the view.
    fn legend(&mut self, root: &Ui, state: &mut State, canvas: &mut Canvas<'_>, center: Rect) {
        let Some(document) = state.session.document() else {
            return;
        };
        let legends = document.legends(&state.session.view.shown);
        if legends.is_empty() {
            return;
        }
        let thumbnails = &mut self.thumbnails;
        egui::Area::new(Id::unique("legend"))
            .fixed_pos(center.left_bottom() + egui::vec2(12.0, -12.0))
            .pivot(Align2::LEFT_BOTTOM)
            .constrain_to(center)
            .show(root.ctx(), |ui| {
                notices::overlay_frame(ui.style()).show(ui, |ui| {
                    // The legend must not hide the view: a long one scrolls, and is folded at first
                    // if it would cover much of the view.
                    ui.set_max_size(center.size() * egui::vec2(0.4, 0.5));
                    let has_room =
                        center.width() >= ROOM_FOR_LEGEND.x && center.height() >= ROOM_FOR_LEGEND.y;
                    with_context(state, thumbnails, canvas, |context| {
                        panels::legend(ui, &legends, has_room, context);
                    });
                });
            });
    }
}

/// Shows a widget with access to the document, and carries out its requests.
fn with_context(
    state: &mut State,
    thumbnails: &mut Thumbnails,
    canvas: &mut Canvas<'_>,
    show: impl FnOnce(&mut PanelContext<'_>),
) {
    let Some(document) = state.session.document().cloned() else {
        return;
    };
    let mut requests = Vec::new();
    show(&mut PanelContext {
        document: &document,
        path: state.session.path_on_disk().map(PathBuf::as_path),
        on_disk: state.session.on_disk.as_ref(),
        changes: state.session.tools.comparison.found.as_deref(),
        change: state.session.tools.comparison.current,
        finding: &state.session.tools.finding,
        files: state.playlist.as_ref(),
        shown: &state.session.view.shown,
        timeline: panels::TimelineWindow {
            frames: state.session.player.window(),
            clip_start: state.session.player.clip_start(),
        },
        hovered: state.session.pointer.hovered,
        camera: &state.session.view.camera,
        keymap: &state.settings.keys,
        frame: canvas.frame,
        thumbnails,
        previews: &mut *canvas.previews,
        requests: &mut requests,
    });
    state.carry_out(requests);
}

/// Shows the tabs of a dock and a button that closes it.
fn dock_tabs(ui: &mut Ui, state: &mut State, dock: Dock, open: Panel) {
    let close = Rect::from_min_size(
        ui.max_rect().right_top() - egui::vec2(CLOSE_SIDE, 0.0),
        egui::Vec2::splat(CLOSE_SIDE),
    );
    let end = close.left() - TAB_PADDING;
    let tabs = Rect::everything_left_of(end).intersect(ui.available_rect_before_wrap());
    ui.scope_builder(UiBuilder::new().max_rect(tabs), |ui| {
        // Vertical scrolling moves the tabs too.
        ui.style_mut().always_scroll_the_only_direction = true;
        // Four tabs fit side by side into a panel of the default width.
        ui.spacing_mut().button_padding.x = TAB_PADDING;
        // Names are short, so truncated ones have to be recognisable.
        ui.spacing_mut().scroll.fade = ScrollFadeStyle {
            strength: 1.0,
            size: TAB_FADE,
        };
        let shown = Id::unique(("tab in sight", dock));
        let area = ScrollArea::horizontal()
            .id_salt(shown)
            .auto_shrink([false, true])
            .scroll_bar_visibility(ScrollBarVisibility::AlwaysHidden)
            .animated(false);
        area.show(ui, |ui| {
            ui.horizontal(|ui| {
                parts::take_role(ui, Role::TabList);
                ui.spacing_mut().item_spacing.x = 0.0;
                for &panel in Panel::ALL {
                    if panel.dock() != dock || !state.session.offers(panel) {
                        continue;
                    }
                    let tab =
                        ui.selectable_label(panel == open, RichText::new(panel.name()).strong());
                    ui.ctx().accesskit_node_builder(tab.id, |node| {
                        node.set_role(Role::Tab);
                        node.clear_toggled();
                        node.set_selected(panel == open);
                    });
                    places::note(ui.ctx(), format!("tab-{}", panel.id()), tab.rect);
                    // A tab is scrolled into view when it is opened or focused.
                    let now = (open, tabs.width());
                    let was = ui.data_mut(|data| data.get_temp(shown));
                    if tab.gained_focus() || panel == open && was != Some(now) {
                        ui.data_mut(|data| data.insert_temp(shown, now));
                        ui.scroll_to_rect(tab.rect.expand2(egui::vec2(TAB_PEEK, 0.0)), None);
                    }
                    if tab.on_hover_text(panel.help()).clicked() {
                        state.show_panel(panel);
                    }
                }
            });
        });
    });
    let button = Button::new(RichText::new("×").size(18.0)).frame(false);
    // In its own child `Ui`, so that the next widgets follow below the tabs.
    let mut corner = ui.new_child(UiBuilder::new().max_rect(close));
    let close = corner.add(button).on_hover_text("Close this panel");
    close.widget_info(|| {
        let text = format!("Close {}", open.name());
        egui::WidgetInfo::labeled(Role::Button, true, text)
    });
    if close.clicked() {
        state.run(Action::Panel(open));
    }
}

/// The state that a strip of the window may read, and the place for its requests.
pub(crate) struct BarContext<'a> {
    /// The state of the viewer.
    pub state: &'a State,
    /// Requests, in order.
    pub requests: &'a mut Vec<Request>,
}

impl BarContext<'_> {
    /// Adds a request.
    fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Requests a command.
    fn run(&mut self, action: Action) {
        self.requests.push(Request::Run(action));
    }
}

/// Shows a strip of the window, and carries out its requests.
fn with_bar(state: &mut State, show: impl FnOnce(&mut BarContext<'_>)) {
    let mut requests = Vec::new();
    show(&mut BarContext {
        state,
        requests: &mut requests,
    });
    state.carry_out(requests);
}

/// Keys that never enter text.
const FUNCTION_KEYS: RangeInclusive<Key> = Key::F1..=Key::F12;

/// Keys that, with Ctrl, edit text in a text field.
const EDITING_KEYS: [Key; 10] = [
    Key::A,
    Key::C,
    Key::H,
    Key::K,
    Key::U,
    Key::V,
    Key::W,
    Key::X,
    Key::Y,
    Key::Z,
];

/// `true` if a key runs its command during text input, because it neither enters nor edits text.
fn runs_while_typing(key: Key, modifiers: Modifiers) -> bool {
    let is_shortcut = modifiers.command && !modifiers.alt && key.name().len() == 1;
    FUNCTION_KEYS.contains(&key) || is_shortcut && !EDITING_KEYS.contains(&key)
}

/// Runs the commands of pressed keys, unless a text field needs them.
fn run_pressed_keys(ctx: &egui::Context, state: &mut State) {
    use crate::viewer::state::interface::Dialog;
    let in_front = !matches!(
        state.interface.dialog,
        None | Some(Dialog::CheatSheet { edit: None, .. })
    );
    // An open menu handles Escape.
    if in_front || egui::Popup::is_any_open(ctx) {
        return;
    }
    // During text input only keys that enter no text run commands.
    let types = ctx.text_edit_focused();
    // Arrow keys move between widgets while one has the focus.
    let focused = ctx.memory(|memory| memory.focused().is_some());
    // In a list, letters search for items and Space presses the row.
    let in_list = parts::is_row_focused(ctx);
    let is_letter = |key: Key| key == Key::Space || key.name().len() == 1;
    let mut actions = Vec::new();
    ctx.input_mut(|input| {
        let pressed = |button| input.pointer.button_pressed(button);
        for (button, id) in [
            (PointerButton::Extra1, "file.back"),
            (PointerButton::Extra2, "file.forward"),
        ] {
            let command = commands::find(id).filter(|_| pressed(button));
            actions.extend(command.map(|command| command.action));
        }
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
            if types && !runs_while_typing(*key, *modifiers) {
                return true;
            }
            if in_list && is_letter(*key) && !(modifiers.alt || modifiers.ctrl || modifiers.command)
            {
                return true;
            }
            let Some(command) = commands::pressed(
                *key,
                *physical_key,
                *modifiers,
                &state.settings.keys,
                |action| state.is_enabled(action),
            ) else {
                return true;
            };
            let walks = matches!(command.action, Action::Walk(_));
            let repeats = walks
                || matches!(
                    command.action,
                    Action::NextOfKind { .. }
                        | Action::Scale(_)
                        | Action::FieldOfView(_)
                        | Action::Zoom { .. }
                        | Action::Animation(Animation::Step { .. } | Animation::Speed { .. })
                );
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use egui::vec2;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::menus;
    use super::*;
    use crate::images::shots::Shot;
    use crate::viewer::commands::{self, MENUS};
    use crate::viewer::state::Effect;
    use crate::viewer::state::animation::{Motion, SavingView};
    use crate::viewer::state::interface::{Dialog, PathPurpose};
    use crate::viewer::state::load::{Cause, Failure, LoadRequest, Target};
    use crate::viewer::state::notices::LoadingView;
    use crate::viewer::testing::maps::{map, with_map};
    use crate::viewer::testing::rooms::with_rooms;
    use crate::viewer::testing::{
        self, Window, button, document, drag, level, looking, middle, model, move_to, open_demo,
        press, quick_drag, state, window, with_demo, with_moving,
    };
    use crate::viewer::view::View;
    use crate::viewer::view::camera_control::CameraMode;
    use mapscope_formats::{Place, Problem, Severity, Subject};
    use mapscope_scene::camera::{NamedView, Projection};
    use mapscope_scene::{MapChoice, OverlayId, Playhead, Progress, Shown, TerrainItem, demo};

    #[test]
    fn every_overlay_has_a_command_and_every_command_of_one_an_overlay() {
        let maps = [&demo::VILLAGE, &demo::STATION].map(open_demo);
        let documents = [document(), model(), level(), map()].into_iter();
        let scene = mapscope_scene::Source {
            path: "a.pfscene".into(),
            bytes: mapscope_testdata::tiny_scene::SCENE.as_bytes().into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (mapscope_scene::OpenOptions::default(), Progress::default());
        let scene = mapscope_scene::open(&scene, &options, &progress);
        let documents: Vec<_> = documents.chain(maps).chain(scene).collect();
        let offered: Vec<OverlayId> = documents
            .iter()
            .flat_map(|document| document.about().overlays)
            .map(|overlay| overlay.id)
            .collect();
        for id in &offered {
            let command = commands::find(&format!("overlay.{id}"));
            let action = command.map(|command| command.action);
            assert!(
                matches!(action, Some(Action::Overlay(o)) if o == *id),
                "{id}"
            );
        }
        for command in commands::all() {
            if let Action::Overlay(id) = command.action {
                assert!(offered.contains(&id), "{id} is an overlay of nothing");
            }
        }
    }

    #[test]
    fn every_command_is_in_its_menu() {
        for title in MENUS {
            for make in [with_demo, with_moving, with_map] {
                let mut harness = make();
                harness.get_by_label(title).click();
                harness.run();
                for command in commands::all().iter().filter(|c| c.menu.title == title) {
                    let [name, _] = state(&harness).name_and_help(command);
                    let found = harness.query_all_by_label_contains(name).count();
                    // Commands that do not apply to the document are not offered.
                    let state = state(&harness);
                    let listed = commands::all().iter().any(|other| {
                        let is_other = other.id != command.id;
                        if other.menu.title != title {
                            return false;
                        }
                        // Another command may have the same name.
                        let same = is_other && state.name_and_help(other)[0].contains(name);
                        (same || !is_other) && menus::is_listed(state, other)
                    });
                    assert_eq!(found > 0, listed, "{title}: {}", command.name);
                }
            }
        }
    }

    #[test]
    fn the_start_page_opens_the_demo() {
        let mut harness = window(|_| {});
        harness.get_by_label_contains("Drop a file or a folder");
        harness.get_by_label_contains("Terrain").click();
        harness.run();
        let load = LoadRequest {
            map: MapChoice::Beside,
            target: Target::Demo(&demo::TERRAIN),
            cause: Cause::Opened,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn the_demos_stand_in_the_middle_of_the_start_page() {
        for width in [1200.0, 500.0] {
            let sized = Harness::builder().with_size(vec2(width, 800.0));
            let harness = testing::built(sized, |_| {});
            let rects = &harness.state().placed.rects;
            let cards = commands::all().iter().filter_map(|command| {
                let name = format!("start-{}", command.id);
                let is_demo = matches!(command.action, Action::OpenDemo(_));
                let found = rects.iter().find(|(known, _)| is_demo && *known == name)?;
                Some(found.1)
            });
            let cards: Vec<Rect> = cards.collect();
            let page = harness.ctx.content_rect();
            for card in &cards {
                let row = cards.iter().filter(|other| other.top() == card.top());
                let row = row.fold(Rect::NOTHING, |row, other| row.union(*other));
                assert!((row.center().x - page.center().x).abs() <= 1.0, "{row:?}");
                assert!(page.x_range().contains(row.left()), "{row:?}");
            }
            assert!(cards.len() > 5, "{cards:?}");
        }
    }

    #[test]
    fn files_that_could_not_be_opened_are_told_within_the_window() {
        let wide = Harness::builder().with_size(vec2(640.0, 400.0));
        let message = "this is no file of any format that is known here ".repeat(4);
        let mut harness = testing::built(wide, |state| {
            state.notices.failures.push(Failure {
                path: "/a/long/path/of/many/folders/that/has/no/room/in/one/line/a.png".into(),
                message: message.clone(),
                problem: None,
            });
        });
        for width in [640.0, 460.0, 320.0] {
            harness.set_size(vec2(width, 400.0));
            harness.run();
            let window = harness.ctx.content_rect();
            let told = harness.get_by_label(&message).rect();
            assert!(window.contains_rect(told), "{told:?} in {window:?}");
        }
    }

    #[test]
    fn about_says_what_draws_and_why() {
        let mut harness = with_demo();
        let why = "llvmpipe (gl): asked for by --backend";
        let interface = &mut harness.state_mut().state.interface;
        why.clone_into(&mut interface.adapter_and_reason);
        "4 samples a pixel".clone_into(&mut interface.anti_aliasing);
        harness.state_mut().state.run(Action::About);
        harness.run();
        harness.get_by_label(why);
        harness.get_by_label("4 samples a pixel");
    }

    /// Returns the index of the shape that draws a text, and its position.
    fn drawn(harness: &Harness<'_, Window>, wanted: &str) -> Option<(usize, egui::Pos2)> {
        let mut shapes = harness.output().shapes.iter().enumerate();
        shapes.find_map(|(at, clipped)| match &clipped.shape {
            egui::Shape::Text(text) if text.galley.text() == wanted => Some((at, text.pos)),
            _ => None,
        })
    }

    #[test]
    fn about_is_where_it_stays_as_soon_as_it_is_seen() {
        let mut harness = with_demo();
        let why = "llvmpipe (vulkan): a software adapter, since no graphics card was found. ";
        let interface = &mut harness.state_mut().state.interface;
        interface.adapter_and_reason = why.repeat(3);
        harness.state_mut().state.run(Action::About);
        let mut seen = Vec::new();
        for _ in 0..6 {
            harness.step();
            let texts = ["Opens", "Licence", "Close"].map(|text| drawn(&harness, text));
            if let [Some((_, first)), Some((_, last)), Some((_, close))] = texts {
                assert!(first.y + 80.0 < last.y && last.y < close.y);
                seen.push([first, last, close]);
            }
        }
        assert!(seen.len() >= 4, "{seen:?}");
        assert!(seen.iter().all(|places| *places == seen[0]), "{seen:?}");
    }

    #[test]
    fn a_dialog_that_another_opens_is_seen_without_a_further_event() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        let events = &mut harness.input_mut().events;
        events.push(Event::Text("about".to_owned()));
        harness.run();
        harness.input_mut().events.push(Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        });
        harness.run();
        assert!(drawn(&harness, "Licence").is_some());
    }

    #[test]
    fn keys_run_commands() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::NONE, Key::G);
        assert_eq!(state(&harness).session.view.mode, CameraMode::Game);
        press(&mut harness, Modifiers::NONE, Key::Num2);
        assert_eq!(state(&harness).session.view.mode, CameraMode::Orbit);
        press(&mut harness, Modifiers::ALT, Key::Num1);
        assert!(
            state(&harness)
                .session
                .view
                .shown
                .overlays
                .contains(OverlayId::TileTypes)
        );
        press(&mut harness, Modifiers::COMMAND, Key::Num1);
        assert_eq!(state(&harness).settings.left.open, None);
    }

    #[test]
    fn keys_that_are_typed_into_a_field_do_nothing_else() {
        let mut harness = with_demo();
        harness.get_by_role(Role::TextInput).focus();
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::G);
        press(&mut harness, Modifiers::NONE, Key::P);
        assert_eq!(state(&harness).session.view.mode, CameraMode::Orbit);
        assert_eq!(
            state(&harness).session.view.camera.projection,
            Projection::Perspective
        );
    }

    #[test]
    fn escape_closes_a_menu_before_anything_else() {
        let mut harness = with_demo();
        let tile = TerrainItem::Tile { row: 0, col: 5 };
        harness.state_mut().state.session.view.shown.selected = Some(tile.into());
        harness.get_by_label("Camera").click();
        harness.run();
        harness.get_by_label_contains("View from the top");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert!(
            harness
                .query_by_label_contains("View from the top")
                .is_none()
        );
        assert!(state(&harness).session.view.shown.selected.is_some());
    }

    #[test]
    fn the_palette_runs_what_is_typed() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        let events = &mut harness.input_mut().events;
        events.push(Event::Text("ortho".to_owned()));
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert_eq!(
            state(&harness).session.view.camera.projection,
            Projection::Orthographic
        );
        assert_eq!(state(&harness).interface.dialog, None);
    }

    #[test]
    fn the_first_key_after_a_dialog_is_a_command_again() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        // In two consecutive frames, without one between them to notice that the field is gone.
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
        assert_eq!(state(&harness).session.view.mode, CameraMode::Game);
    }

    #[test]
    fn the_cheat_sheet_says_what_is_on_and_finds_keys() {
        let mut harness = with_demo();
        press(&mut harness, Modifiers::NONE, Key::F1);
        harness.get_by_label("Ctrl+Shift+O");
        let on = harness.query_all_by_label("on").count();
        harness.state_mut().state.run(Action::Orthographic);
        harness.run();
        assert_eq!(harness.query_all_by_label("on").count(), on + 1);
        // Typed letters only search.
        let view = state(&harness).session.view.camera.pose;
        for key in ["w", "2", "p", "wireframe"] {
            let events = &mut harness.input_mut().events;
            events.push(Event::Text(key.to_owned()));
            let sheet = &mut harness.state_mut().state.interface.dialog;
            if let (Some(Dialog::CheatSheet { text, .. }), "wireframe") = (sheet, key) {
                text.clear();
            }
            harness.run();
        }
        assert_eq!(state(&harness).session.view.camera.pose, view);
        assert!(harness.query_by_label("Ctrl+Shift+O").is_none());
        harness.get_by_label("Wireframe");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).interface.dialog, None);
    }

    #[test]
    fn a_failure_names_the_file_and_the_place_and_can_be_dismissed() {
        let mut harness = window(|state| {
            let path = Path::new("/maps/bad.pfmap");
            state
                .notices
                .failures
                .push(Failure::new(path, "3:14: expected a number"));
        });
        harness.get_by_label("/maps/bad.pfmap");
        harness.get_by_label_contains("3:14");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert!(harness.query_by_label("/maps/bad.pfmap").is_none());
    }

    #[test]
    fn a_load_can_be_cancelled() {
        let mut harness = window(|state| {
            state.notices.loading = Some(LoadingView {
                name: "big.pfmap".into(),
                fraction: 0.25,
                seen: None,
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
            map: MapChoice::Beside,
            target: Target::Paths(vec!["/maps/a b.pfmap".into()]),
            cause: Cause::Opened,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn a_picture_is_saved_of_the_size_and_kind_that_is_chosen() {
        let mut harness = with_demo();
        harness.state_mut().state.run(Action::SavePicture);
        harness.run();
        let view_px = state(&harness).session.view.size_px;
        harness.get_by_label("Twice as large").click();
        harness
            .get_by_label("Without selection and overlays")
            .click();
        harness.get_by_label("Transparent background").click();
        harness.run();
        let [width, height] = view_px.map(|side| side * 2);
        harness.get_by_label(&format!("{width} × {height} px"));
        harness.get_by_label("Save…").click();
        harness.run();
        let asks = [Effect::AskPath(PathPurpose::SavePicture)];
        assert_eq!(state(&harness).effects, asks);
        assert_eq!(state(&harness).interface.dialog, None);
        assert_eq!(state(&harness).picture_size(), [width, height]);
        let shown = state(&harness).picture_shown();
        assert!(shown.is_transparent && shown.selected.is_none());

        // The next picture has the same size unless another one is typed.
        harness.state_mut().state.run(Action::SavePicture);
        harness.run();
        assert_eq!(state(&harness).picture_size(), [width, height]);
        harness.get_by_label("Custom size").click();
        harness.run();
        assert_eq!(state(&harness).picture_size(), [1920, 1080]);
        harness.get_by_label("Cancel").click();
        harness.run();
        assert_eq!(state(&harness).interface.dialog, None);
    }

    #[test]
    fn an_animation_is_saved_of_what_moves_and_is_chosen() {
        let mut harness = with_moving();
        harness.state_mut().state.run(Action::SaveAnimation);
        harness.run();
        let view_px = state(&harness).session.view.size_px;
        harness.get_by_label("72 images, 3.0 s");
        assert!(harness.query_by_label("Flight").is_none(), "no cameras");
        harness
            .get_by_role_and_label(Role::RadioButton, "Clip")
            .click();
        harness.run();
        harness.get_by_label("32 images, 1.3 s");
        harness.get_by_label("Twice as large").click();
        harness.get_by_label("Transparent background").click();
        harness.run();
        harness.get_by_label("Save…").click();
        harness.run();
        let asks = [Effect::AskPath(PathPurpose::SaveAnimation)];
        assert_eq!(state(&harness).effects, asks);
        assert_eq!(state(&harness).interface.dialog, None);
        assert_eq!(state(&harness).picture_size(), view_px.map(|side| side * 2));
        assert_eq!(state(&harness).animation_shots(), Shot::of_frames(0..32));

        // From straight above only the clip is available.
        harness.state_mut().state.run(Action::View(NamedView::Top));
        harness.state_mut().state.interface.animation.motion = Motion::Turntable;
        harness.state_mut().state.run(Action::SaveAnimation);
        harness.run();
        harness.get_by_label("A view from straight above cannot turn");
        harness.get_by_label("32 images, 1.3 s");
        harness.get_by_label("Turntable").click();
        harness.run();
        assert_eq!(state(&harness).motion(), Some(Motion::Clip));
    }

    #[test]
    fn what_is_typed_before_tab_in_a_slow_frame_is_for_the_field_before() {
        let mut harness = with_moving();
        harness.state_mut().state.run(Action::SaveAnimation);
        harness.run();
        harness.get_by_label("Views").click();
        harness.run();
        let key = |key, modifiers| Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        };
        harness.input_mut().events.extend([
            key(Key::A, Modifiers::COMMAND),
            Event::Text("4".to_owned()),
            key(Key::Tab, Modifiers::NONE),
            Event::Text("1".to_owned()),
            Event::Text("2".to_owned()),
            key(Key::Tab, Modifiers::NONE),
        ]);
        harness.run();
        let options = state(&harness).interface.animation;
        assert_eq!((options.views, options.fps), (4, 12.0));
    }

    #[test]
    fn what_is_saved_can_be_stopped_and_nothing_else_is_saved_meanwhile() {
        let progress = Arc::new(Progress::default());
        progress.report(0.25).unwrap();
        let mut harness = with_moving();
        assert!(state(&harness).is_enabled(Action::SavePicture));
        harness.state_mut().state.notices.saving = Some(SavingView {
            name: "knight.gif".to_owned(),
            files: 1,
            progress: Arc::clone(&progress),
        });
        harness.run_steps(3);
        harness.get_by_label("Saving knight.gif");
        harness
            .state_mut()
            .state
            .notices
            .saving
            .as_mut()
            .unwrap()
            .files = 8;
        harness.run_steps(3);
        harness.get_by_label("Saving image 3 of 8");
        for action in [Action::SavePicture, Action::SaveAnimation] {
            assert!(!state(&harness).is_enabled(action));
        }
        let why = state(&harness).why_disabled(Action::SaveAnimation);
        assert_eq!(why.as_deref(), Some("knight.gif is still being saved"));
        // Pressing a key shows the same reason.
        harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
        harness.run_steps(3);
        harness.get_by_label("knight.gif is still being saved");

        // Quitting asks for confirmation.
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Q);
        harness.run_steps(3);
        assert_eq!(state(&harness).interface.dialog, Some(Dialog::Quit));
        harness.get_by_label("Continue saving").click();
        harness.run_steps(3);
        assert_eq!(state(&harness).interface.dialog, None);
        assert!(state(&harness).effects.is_empty());
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Q);
        harness.run_steps(3);
        harness.get_by_role_and_label(Role::Button, "Quit").click();
        harness.run_steps(3);
        assert_eq!(
            std::mem::take(&mut harness.state_mut().state.effects),
            [Effect::Quit]
        );
        harness.get_by_label("Cancel saving").click();
        harness.run_steps(3);
        assert!(progress.check().is_err());
    }

    #[test]
    fn a_picture_that_is_there_is_replaced_after_a_question() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("view.png");
        std::fs::write(&path, b"").unwrap();
        for (answer, replaces, is_read_only) in [
            ("Replace", true, false),
            ("Cancel", false, false),
            ("Replace", true, true),
        ] {
            let mut permissions = std::fs::metadata(&path).unwrap().permissions();
            permissions.set_readonly(is_read_only);
            std::fs::set_permissions(&path, permissions).unwrap();
            let mut harness = window(|state| {
                state.ask_path(PathPurpose::SavePicture);
            });
            if let Some(Dialog::Path { text, .. }) = &mut harness.state_mut().state.interface.dialog
            {
                *text = path.display().to_string();
            }
            harness.run();
            harness.get_by_label("Save").click();
            harness.run();
            assert!(state(&harness).effects.is_empty());
            harness.get_by_role_and_label(Role::Dialog, "Replace view.png?");
            let said = harness.query_by_label_contains("and it is read-only");
            assert_eq!(said.is_some(), is_read_only);
            harness.get_by_label(answer).click();
            harness.run();
            let saves = state(&harness).effects == [Effect::SavePicture(path.clone())];
            assert_eq!(saves, replaces, "{answer}");
            assert_eq!(state(&harness).interface.dialog, None);
        }
    }

    #[test]
    fn after_a_path_that_is_refused_another_can_be_typed_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none/view.png");
        let mut harness = window(|state| {
            state.ask_path(PathPurpose::SavePicture);
        });
        if let Some(Dialog::Path { text, .. }) = &mut harness.state_mut().state.interface.dialog {
            *text = path.display().to_string();
        }
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert!(state(&harness).effects.is_empty());
        harness.run();
        harness.get_by_label("There is no such folder");
        assert!(harness.get_by_label("Path").is_focused());
    }

    #[test]
    fn a_click_selects_and_arrow_keys_walk() {
        let mut harness = with_demo();
        let at = middle(&harness);
        move_to(&mut harness, at);
        let hovered = state(&harness).session.pointer.hovered.unwrap();
        button(&mut harness, PointerButton::Primary, at, true);
        button(&mut harness, PointerButton::Primary, at, false);
        assert_eq!(state(&harness).session.view.shown.selected, Some(hovered));
        press(&mut harness, Modifiers::NONE, Key::ArrowUp);
        let north = document()
            .neighbor(hovered, mapscope_scene::Direction::North)
            .item;
        assert_eq!(state(&harness).session.view.shown.selected, north);
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        assert_eq!(state(&harness).session.view.shown.selected, Some(hovered));
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).session.view.shown.selected, None);
    }

    #[test]
    fn keys_alone_find_a_tile_and_step_through_a_material() {
        let mut harness = with_demo();
        harness.state_mut().state.run(Action::FrameAll);
        let framed = state(&harness).session.view.camera.pose;
        press(&mut harness, Modifiers::NONE, Key::ArrowUp);
        let first = state(&harness).session.view.shown.selected.unwrap();
        assert_eq!(
            Some(first),
            looking(state(&harness), View::item_at_center),
            "walking begins in the middle of the view"
        );
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        let south = document()
            .neighbor(first, mapscope_scene::Direction::South)
            .item;
        assert_eq!(state(&harness).session.view.shown.selected, south);

        let material = TerrainItem::Material { index: 3 }.into();
        let frame = document().place(material, &Shown::default()).bounds;
        let map = document().about().bounds;
        assert!(frame.unwrap().radius() < map.radius());
        harness.state_mut().state.session.select(Some(material));
        let mut before = None;
        for _ in 0..3 {
            press(&mut harness, Modifiers::NONE, Key::N);
            let selected = state(&harness).session.view.shown.selected;
            assert_eq!(selected, document().next_of_kind(material, before, false));
            let groups = document().properties(selected.unwrap(), Playhead::default());
            let mut properties = groups.iter().flat_map(|group| &group.properties);
            assert!(properties.any(|p| p.name == "Top material" && p.link == Some(material)));
            assert_eq!(
                state(&harness).session.view.shown.highlighted,
                Some(material)
            );
            before = selected;
        }
        assert_eq!(
            state(&harness).session.view.camera.pose,
            framed,
            "all of it is in view as it is"
        );
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).session.view.shown.highlighted, None);
    }

    #[test]
    fn drags_turn_and_move_and_the_wheel_comes_nearer() {
        let mut harness = with_demo();
        let before = state(&harness).session.view.camera;
        drag(&mut harness, PointerButton::Secondary, vec2(60.0, 0.0));
        let moved = state(&harness).session.view.camera;
        assert!((moved.forward() - before.forward()).length() < 1e-4);
        assert!(moved.pose.eye.distance(before.pose.eye) > 1.0);
        drag(&mut harness, PointerButton::Primary, vec2(0.0, -60.0));
        let turned = state(&harness).session.view.camera;
        assert!((turned.forward() - moved.forward()).length() > 0.1);
        wheel(&mut harness, 3.0);
        assert!(state(&harness).session.view.camera.distance() < turned.distance() * 0.9);
    }

    #[test]
    fn drags_and_the_wheel_follow_the_settings() {
        use crate::viewer::view::navigation::Preset;
        let (left, middle) = (PointerButton::Primary, PointerButton::Middle);
        let after = |preset, with: PointerButton, modifiers: Modifiers, reverses| {
            let mut h = with_demo();
            let navigation = &mut h.state_mut().state.settings.navigation;
            navigation.preset = preset;
            navigation.reverses_drag = reverses;
            navigation.reverses_wheel = reverses;
            let before = state(&h).session.view.camera;
            h.event(Event::ModifiersChanged(modifiers));
            drag(&mut h, with, vec2(60.0, 30.0));
            h.event(Event::ModifiersChanged(Modifiers::NONE));
            let after = state(&h).session.view.camera;
            wheel(&mut h, 3.0);
            let zoomed = state(&h).session.view.camera;
            let shift = after.pose.eye - before.pose.eye;
            let is_turned = (after.right_up()[0] - before.right_up()[0]).length() > 0.1;
            (is_turned, shift, zoomed.distance() / after.distance())
        };
        let none = Modifiers::NONE;
        for preset in [Preset::Blender, Preset::TrenchBroom] {
            let (is_turned, shift, _) = after(preset, left, none, false);
            assert!(!is_turned && shift.length() == 0.0, "{preset:?}");
        }
        let (is_turned, shift, _) = after(Preset::Blender, middle, none, false);
        assert!(is_turned && shift.length() > 1.0);
        let (is_turned, moved, nearer) = after(Preset::Blender, middle, Modifiers::SHIFT, false);
        assert!(!is_turned && moved.length() > 1.0 && nearer < 0.9);
        let (is_turned, shift, _) =
            after(Preset::TrenchBroom, PointerButton::Secondary, none, false);
        assert!(is_turned && shift.length() < 1e-3);
        let (_, back, farther) = after(Preset::Blender, middle, Modifiers::SHIFT, true);
        assert!((moved + back).length() < moved.length() * 1e-3 && farther > 1.1);
    }

    #[test]
    fn the_hint_and_the_cheat_sheet_show_the_drags_of_the_preset_and_changed_keys() {
        let mut h = with_demo();
        let settings = &mut h.state_mut().state.settings;
        settings.navigation.preset = crate::viewer::view::navigation::Preset::Blender;
        settings.keys = serde_json::from_str(r#"{"cheat-sheet": ["F2"]}"#).unwrap();
        h.run();
        h.get_by_label_contains("Middle drag to turn, Shift+middle drag to move");
        h.get_by_label_contains("F2 shows all keys");
        press(&mut h, Modifiers::NONE, Key::F2);
        h.get_by_label("Shift+middle drag");
        assert!(h.query_by_label("Left drag").is_none());
    }

    #[test]
    fn a_drag_within_one_frame_loses_nothing() {
        let by = vec2(200.0, 40.0);
        for with in [PointerButton::Primary, PointerButton::Secondary] {
            let mut slow = with_demo();
            let start = state(&slow).session.view.camera;
            drag(&mut slow, with, by);
            let mut quick = with_demo();
            let from = middle(&quick);
            quick_drag(&mut quick, with, from, by);
            let [slow, quick] = [&slow, &quick].map(|h| state(h).session.view.camera);
            let apart = slow.pose.eye.distance(quick.pose.eye);
            assert!(apart < start.distance() * 1e-3, "{with:?}: {apart} apart");
            let turned = start.right_up()[0].angle_between(quick.right_up()[0]);
            let wanted = match with {
                PointerButton::Primary => by.x * 0.006,
                _ => 0.0,
            };
            assert!((turned - wanted).abs() < 1e-3, "{with:?}: {turned}");
        }
        // The point under the pointer stays under it.
        let mut h = with_demo();
        let (from, view) = (middle(&h), h.state().placed.viewport.unwrap());
        let grabbed = looking(state(&h), View::point_at_center);
        quick_drag(&mut h, PointerButton::Secondary, from, by);
        let camera = state(&h).session.view.camera;
        let at = camera.project(grabbed, view.aspect_ratio()).unwrap();
        let at = view.min + vec2(at.x, at.y) * view.size();
        assert!(
            at.distance(from + by) < 0.5,
            "{at:?} is not {:?}",
            from + by
        );
    }

    #[test]
    fn the_way_of_the_frame_of_the_release_counts() {
        let mut h = with_demo();
        press(&mut h, Modifiers::NONE, Key::Y);
        let from = middle(&h);
        move_to(&mut h, from);
        button(&mut h, PointerButton::Primary, from, true);
        move_to(&mut h, from + vec2(30.0, 0.0));
        let to = from + vec2(120.0, 60.0);
        let events = &mut h.input_mut().events;
        events.push(Event::PointerMoved(to));
        events.push(Event::PointerButton {
            pos: to,
            button: PointerButton::Primary,
            pressed: false,
            modifiers: Modifiers::NONE,
        });
        h.run();
        let view = h.state().placed.viewport.unwrap();
        let [_, end] = state(&h).session.tools.measure.line.unwrap();
        let at = state(&h)
            .session
            .view
            .camera
            .project(end, view.aspect_ratio())
            .unwrap();
        let at = view.min + vec2(at.x, at.y) * view.size();
        assert!(at.distance(to) < 0.5, "{at:?} is not {to:?}");
    }

    #[test]
    fn holding_the_right_button_and_a_key_flies_until_the_button_is_released() {
        let mut h = with_demo();
        let w = |pressed| Event::Key {
            key: Key::W,
            physical_key: Some(Key::W),
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        h.input_mut().focused = true;
        let at = middle(&h);
        let before = state(&h).session.view.camera;
        move_to(&mut h, at);
        // The key alone does nothing.
        h.input_mut().events.push(w(true));
        h.run();
        assert_eq!(state(&h).session.view.camera.pose, before.pose);
        let hold = |pos, pressed| Event::PointerButton {
            pos,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        h.input_mut().events.push(hold(at, true));
        h.run_steps(3);
        assert_eq!(state(&h).session.view.mode, CameraMode::Fly);
        h.get_by_label_contains("Flying");
        let went = state(&h).session.view.camera.pose.eye - before.pose.eye;
        assert!(went.dot(before.forward()) > 1.0, "{went}");
        // With the key released, the drag looks around.
        h.input_mut().events.push(w(false));
        h.run();
        let eye = state(&h).session.view.camera.pose.eye;
        move_to(&mut h, at + vec2(0.0, -80.0));
        let went = state(&h).session.view.camera.pose.eye.distance(eye);
        assert!(went < 1e-2, "it went on by {went}");
        assert!(
            state(&h)
                .session
                .view
                .camera
                .forward()
                .angle_between(before.forward())
                > 0.1
        );
        button(&mut h, PointerButton::Secondary, at, false);
        assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
        assert!(h.query_by_label_contains("Flying").is_none());
    }

    #[test]
    fn flying_says_how_fast_it_is_and_escape_ends_it() {
        let mut h = with_demo();
        press(&mut h, Modifiers::NONE, Key::V);
        h.get_by_label("Flying, 50.0 units/s");
        let at = middle(&h);
        move_to(&mut h, at);
        wheel(&mut h, 1.0);
        h.get_by_label("Flying, 60.0 units/s");
        let item = state(&h).session.pointer.hovered;
        h.state_mut().state.session.select(item);
        press(&mut h, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&h).session.view.mode, CameraMode::Orbit);
        assert_eq!(
            state(&h).session.view.shown.selected,
            item,
            "one thing at a time"
        );
    }

    #[test]
    fn the_field_of_view_is_changed_by_keys_within_its_limits_and_remembered() {
        let mut h = with_demo();
        let degrees = |h: &Harness<'_, Window>| {
            state(h)
                .session
                .view
                .camera
                .fov_y_radians
                .to_degrees()
                .round()
        };
        assert_eq!(degrees(&h), 45.0);
        press(&mut h, Modifiers::ALT, Key::ArrowUp);
        press(&mut h, Modifiers::ALT, Key::ArrowUp);
        assert_eq!(degrees(&h), 55.0);
        h.get_by_label("Field of view 55°");
        assert_eq!(
            state(&h).settings.fields_of_view,
            state(&h).session.view.fov
        );
        for (key, end) in [(Key::ArrowUp, 110.0), (Key::ArrowDown, 30.0)] {
            for _ in 0..20 {
                press(&mut h, Modifiers::ALT, key);
            }
            assert_eq!(degrees(&h), end);
        }
        h.state_mut()
            .state
            .run(commands::find("camera.usual-field").unwrap().action);
        assert_eq!(degrees(&h), 45.0);
        // An orthographic view has no field of view.
        press(&mut h, Modifiers::NONE, Key::P);
        assert!(!state(&h).is_enabled(commands::find("camera.wider").unwrap().action));
    }

    /// Turns the wheel by notches over the view, and waits for the view to settle.
    fn wheel(h: &mut Harness<'_, Window>, notches: f32) {
        h.input_mut().events.push(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: vec2(0.0, notches),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
        h.run();
    }

    #[test]
    fn a_better_version_in_view_is_reported_and_the_one_on_disk_shown_on_request() {
        let mut harness = with_demo();
        let rule = mapscope_formats::rules().find(|rule| rule.severity == Severity::Error);
        let place = Place::Text { line: 9, column: 4 };
        let problem = Problem::new(rule.unwrap(), Subject::File, place, "the file ends here");
        harness
            .state_mut()
            .state
            .session
            .keep_version(None, vec![problem]);
        harness.run();
        harness.get_by_label("On disk: 1 error");
        harness.get_by_label("9:4: the file ends here");
        harness.get_by_label_contains("In view: the version read at ");
        harness.get_by_label("Problems").click();
        harness.run();
        assert!(state(&harness).is_panel_open(Panel::Problems));
        harness.get_by_label("Dismiss").click();
        harness.run();
        assert!(!state(&harness).session.shows_disk_banner());
        harness.get_by_label("Show it anyway").click();
        harness.run();
        let load = LoadRequest {
            map: MapChoice::Beside,
            target: Target::Demo(&demo::TERRAIN),
            cause: Cause::Asked,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn messages_stand_one_above_the_other_inside_the_view() {
        let mut harness = with_demo();
        let rects = |harness: &Harness<'_, Window>, texts: &[&str]| -> Vec<Rect> {
            let node = |text: &&str| harness.get_by_label(text).rect();
            texts.iter().map(node).collect()
        };
        let long = "a long message ".repeat(20);
        let say = |harness: &mut Harness<'static, Window>, text: &str| {
            let severity = Some(Severity::Error);
            harness.state_mut().state.notices.toast(text, severity);
            // Already in the first frame.
            harness.step();
        };
        say(&mut harness, "first");
        say(&mut harness, &long);
        say(&mut harness, "last");
        let view = harness.state().placed.viewport.unwrap();
        let [first, middle, last] = rects(&harness, &["first", &long, "last"])[..] else {
            panic!("one each");
        };
        assert!(view.contains_rect(first) && view.contains_rect(last));
        assert!(first.bottom() < middle.top() && middle.bottom() < last.top());
        // Without the others it is at the position of the first.
        harness.state_mut().state.notices.toasts.truncate(1);
        harness.step();
        let [alone] = rects(&harness, &["first"])[..] else {
            panic!("one");
        };
        assert_eq!(alone.bottom(), last.bottom());
    }

    /// A window that is too low for menus and dialogs, with a map open.
    fn low_window() -> Harness<'static, Window> {
        let low = Harness::builder().with_size(vec2(640.0, 320.0));
        testing::built(low, |state| {
            state.loaded(testing::loaded(document(), false));
        })
    }

    #[test]
    fn all_of_a_menu_is_reached_in_a_low_window() {
        let mut harness = low_window();
        let window = harness.ctx.content_rect();
        let bar = harness.get_by_label("File").rect();
        harness.get_by_label("File").click();
        harness.run();
        let item =
            |harness: &Harness<'_, Window>, name: &str| harness.get_by_label_contains(name).rect();
        assert!(item(&harness, "Open…").top() > bar.bottom());
        assert!(!window.contains_rect(item(&harness, "Quit")));
        harness.get_by_label_contains("Quit").focus();
        harness.run();
        assert!(window.contains_rect(item(&harness, "Quit")));
    }

    #[test]
    fn all_of_a_dialog_is_reached_in_a_low_window() {
        let mut harness = low_window();
        let window = harness.ctx.content_rect();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        for (role, shown) in [
            (Role::TextInput, "Find a command"),
            (Role::Label, "File › Open…: Choose a file and open it"),
        ] {
            let shown = harness.get_by_role_and_label(role, shown).rect();
            assert!(window.contains_rect(shown), "{shown:?}");
        }
        press(&mut harness, Modifiers::NONE, Key::Escape);
        harness.state_mut().state.run(Action::SaveAnimation);
        harness.run();
        let heading = harness.get_by_role_and_label(Role::Label, "Save animation");
        assert!(window.contains_rect(heading.rect()));
        let save = |harness: &Harness<'_, Window>| harness.get_by_label("Save…").rect();
        assert!(!window.contains_rect(save(&harness)));
        move_to(&mut harness, window.center());
        wheel(&mut harness, -20.0);
        assert!(window.contains_rect(save(&harness)));
    }

    #[test]
    fn the_cheat_sheet_has_room_for_help_in_a_narrow_window() {
        let sized = Harness::builder().with_size(vec2(460.0, 400.0));
        let mut harness = testing::built(sized, |state| state.run(Action::CheatSheet));
        harness.run();
        let column = |text: &str| harness.get_by_label(text).rect();
        let keys = column("Ctrl+Shift+O");
        let help = column("Type or paste the path of a file or folder and open it");
        assert!(keys.right() < help.left());
        assert!(help.width() > keys.width(), "{help:?} beside {keys:?}");
        assert!(harness.ctx.content_rect().contains_rect(help));
    }

    #[test]
    fn dialogs_are_drawn_over_messages() {
        for (action, heading) in [
            (Action::CheatSheet, "Keys and pointer"),
            (Action::About, "Graphics"),
        ] {
            let mut harness = with_demo();
            let notices = &mut harness.state_mut().state.notices;
            notices.toast("a message", Some(Severity::Error));
            harness.state_mut().state.run(action);
            harness.run();
            let below = |text: &str| drawn(&harness, text).map(|(below, _)| below);
            assert!(below("File") < below("a message"));
            assert!(below("a message") < below(heading), "{heading}");
        }
    }

    #[test]
    fn a_dialog_that_asks_for_a_path_stays_as_it_is_while_the_path_changes() {
        let mut harness = with_demo();
        harness.state_mut().state.ask_path(PathPurpose::Compare);
        harness.run();
        let compare = |harness: &Harness<'_, Window>| harness.get_by_label("Compare").rect();
        let before = compare(&harness);
        let typed = "none.pfmap";
        harness
            .input_mut()
            .events
            .push(Event::Text(typed.to_owned()));
        harness.run();
        let whole = std::env::current_dir().unwrap().join(typed);
        harness.get_by_label(whole.to_str().unwrap());
        assert_eq!(compare(&harness), before);
        // During a comparison, which does not run in this test.
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert!(matches!(
            state(&harness).effects.last(),
            Some(Effect::Compare(_))
        ));
        let field = harness.get_by_role_and_label(Role::TextInput, "Path");
        assert_eq!(field.value().as_deref(), Some(typed));
        assert_eq!(compare(&harness), before);
    }

    #[test]
    fn a_problem_that_nothing_can_be_shown_of_takes_the_selection_away() {
        let mut bytes = mapscope_testdata::synthesize::pfmap(1, 1, 1);
        bytes.extend_from_slice(b"0+0000000001101001111000\n");
        let source = mapscope_scene::Source {
            path: "made.pfmap".into(),
            bytes: bytes.into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (mapscope_scene::OpenOptions::default(), Progress::default());
        let map = mapscope_scene::open(&source, &options, &progress).unwrap();
        let mut problems = map.about().problems.iter();
        let problem = problems.find(|problem| map.problem_target(problem).is_none());
        let name = problem.unwrap().to_string();
        let mut harness = window(|state| state.loaded(testing::loaded(map, false)));
        let tile = Some(TerrainItem::Tile { row: 3, col: 3 }.into());
        harness.state_mut().state.session.select(tile);
        harness.run();
        assert_eq!(state(&harness).session.view.shown.selected, tile);
        harness.get_by_label(&name).click();
        harness.run();
        assert_eq!(state(&harness).session.view.shown.selected, None);
        harness.get_by_label("This problem has no location in the view");
    }

    #[test]
    fn recent_files_of_one_name_are_told_apart_and_come_before_the_demos() {
        let mut harness = window(|state| {
            for folder in ["/game/zebra", "/game/quagga"] {
                let file = Path::new(folder).join("town.pfmap");
                state.settings.remember_file(&file);
            }
        });
        let top = |label: &str| harness.get_by_label_contains(label).rect().top();
        assert!(top("quagga") < top("zebra") && top("zebra") < top("Terrain"));
        harness.get_by_label_contains("zebra").click();
        harness.run();
        let load = LoadRequest {
            map: MapChoice::Beside,
            target: Target::Paths(vec!["/game/zebra/town.pfmap".into()]),
            cause: Cause::Opened,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
    }

    #[test]
    fn texture_folders_are_listed_and_removed() {
        let mut harness = window(|state| {
            state.settings.texture_folders = vec!["/one".into(), "/two".into()];
            state.open_options.texture_folders = vec!["/three".into()];
            state.run(Action::TextureFolders);
        });
        harness.get_by_label("from the command line");
        harness.get_by_label("Remove /one").click();
        harness.run();
        assert_eq!(
            state(&harness).settings.texture_folders,
            [Path::new("/two")]
        );
        assert_eq!(state(&harness).effects, [Effect::SaveSettings]);
        assert!(harness.query_by_label("Remove /one").is_none());
        harness.get_by_label("Close").click();
        harness.run();
        assert_eq!(state(&harness).interface.dialog, None);
    }

    #[test]
    fn a_path_is_completed_with_tab_and_stays_when_it_failed() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a town.pfmap"), b"").unwrap();
        let whole = dir.path().join("a town.pfmap");
        let mut harness = window(|state| state.ask_path(PathPurpose::Open));
        let typed = format!("{}/a t", dir.path().display());
        harness.input_mut().events.push(Event::Text(typed));
        harness.run();
        press(&mut harness, Modifiers::NONE, Key::Tab);
        press(&mut harness, Modifiers::NONE, Key::Enter);
        let load = LoadRequest {
            map: MapChoice::Beside,
            target: Target::Paths(vec![whole.clone()]),
            cause: Cause::Opened,
        };
        assert_eq!(state(&harness).effects, [Effect::Load(load)]);
        harness.state_mut().state.ask_path(PathPurpose::Open);
        let text = whole.display().to_string();
        let purpose = PathPurpose::Open;
        assert_eq!(
            state(&harness).interface.dialog,
            Some(Dialog::Path {
                purpose,
                text,
                why_not: None
            })
        );
    }

    #[test]
    fn the_palette_stays_where_it_is_and_lists_last_what_cannot_be_done() {
        let mut harness = with_moving();
        press(&mut harness, Modifiers::COMMAND, Key::P);
        let role = Role::TextInput;
        let field = harness.get_by_role_and_label(role, "Find a command").rect();
        harness
            .input_mut()
            .events
            .push(Event::Text("xyzzy".to_owned()));
        harness.run();
        let after = harness.get_by_role_and_label(role, "Find a command").rect();
        assert_eq!(after.top(), field.top());
        harness.state_mut().state.interface.dialog = None;
        press(&mut harness, Modifiers::COMMAND, Key::P);
        harness
            .input_mut()
            .events
            .push(Event::Text("frame".to_owned()));
        harness.run();
        // Nothing is selected.
        let top = |label: &str| {
            let mut nodes = harness.get_all_by_label_contains(label);
            nodes.next().unwrap().rect().top()
        };
        assert!(top("Frame all") < top("Frame selection"));
    }

    #[test]
    fn f10_and_alt_open_menus_and_arrows_go_through_them() {
        let mut harness = with_demo();
        let has = |harness: &Harness<'_, Window>, item: &str| {
            harness.query_by_label_contains(item).is_some()
        };
        press(&mut harness, Modifiers::NONE, Key::F10);
        assert!(has(&harness, "Quit"));
        press(&mut harness, Modifiers::NONE, Key::ArrowRight);
        assert!(has(&harness, "Toggle full screen") && !has(&harness, "Quit"));
        press(&mut harness, Modifiers::NONE, Key::Escape);
        press(&mut harness, Modifiers::ALT, Key::C);
        assert!(has(&harness, "View from the top"));
        // The first enabled command is `Frame all`, since nothing is selected.
        harness.state_mut().state.paste_pose("10,200,30,40,5,60");
        let pasted = state(&harness).session.view.camera;
        press(&mut harness, Modifiers::NONE, Key::ArrowDown);
        press(&mut harness, Modifiers::NONE, Key::Enter);
        assert_ne!(state(&harness).session.view.camera, pasted);
        // A map has no playback.
        press(&mut harness, Modifiers::ALT, Key::A);
        assert!(!has(&harness, "Play"));
    }

    #[test]
    fn a_panel_keeps_its_width_whatever_is_in_it() {
        let mut harness = with_rooms();
        let width = |harness: &Harness<'_, Window>| {
            let rects = &harness.state().placed.rects;
            let dock = rects.iter().find(|(name, _)| name == "left-dock");
            dock.unwrap().1.width()
        };
        let at_first = width(&harness);
        for panel in [Panel::Octree, Panel::Lights, Panel::Outliner] {
            harness.state_mut().state.settings.left.open = Some(panel);
            harness.run();
            assert_eq!(width(&harness), at_first, "{panel:?}");
        }
        let mut harness = with_demo();
        let at_first = width(&harness);
        harness.state_mut().state.settings.left.open = Some(Panel::Kinds);
        harness.run();
        harness.get_by_label("Sandbox").click();
        harness.run();
        assert_eq!(width(&harness), at_first);
    }

    #[test]
    fn the_names_of_characters_are_not_broken_and_the_advice_stands_in_the_middle() {
        let mut harness = with_demo();
        let tile = TerrainItem::Tile { row: 3, col: 3 };
        harness.state_mut().state.session.select(Some(tile.into()));
        harness.state_mut().state.run(Action::Panel(Panel::Changes));
        harness.run();
        for name in ["Side material", "Blend north", "Ramp height"] {
            for name in harness.get_all_by_label(name) {
                assert!(name.rect().height() < 20.0, "{:?}", name.rect());
            }
        }
        let advice = harness.get_by_label("No comparison").rect();
        let button = harness.get_by_label("Compare with…").rect();
        assert!((advice.center().x - button.center().x).abs() < 1.0);
    }

    #[test]
    fn a_search_is_over_with_the_file_and_enter_selects_what_it_finds() {
        let mut harness = with_demo();
        let field = |harness: &Harness<'_, Window>| {
            let role = Role::TextInput;
            harness.get_by_role(role).value().unwrap_or_default()
        };
        let search = |harness: &mut Harness<'_, Window>, text: &str| {
            let role = Role::TextInput;
            harness.get_by_role(role).focus();
            harness.run();
            harness
                .input_mut()
                .events
                .push(Event::Text(text.to_owned()));
            harness.run();
        };
        search(&mut harness, "abc");
        assert_eq!(field(&harness), "abc");
        harness
            .state_mut()
            .state
            .session
            .open
            .as_mut()
            .unwrap()
            .path = "other.pfmap".into();
        harness.run();
        assert_eq!(field(&harness), "");
        // With one match Enter selects it.
        search(&mut harness, "grass");
        press(&mut harness, Modifiers::NONE, Key::Enter);
        let selected = state(&harness).session.view.shown.selected.unwrap();
        assert_eq!(selected.kind(), "material");
        // The view has the keys again. Escape clears the field, then leaves it, and only then
        // deselects.
        search(&mut harness, "s");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(field(&harness), "");
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).session.view.shown.selected, Some(selected));
        press(&mut harness, Modifiers::NONE, Key::Escape);
        assert_eq!(state(&harness).session.view.shown.selected, None);
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
            let before = state(&harness).session.view.camera;
            harness.run_steps(4);
            let after = state(&harness).session.view.camera;
            (after.pose.eye - before.pose.eye).dot(before.forward())
        };
        assert!(w(true) > 0.0);
        assert_eq!(w(false), 0.0);
    }

    #[test]
    fn everything_that_can_be_pressed_has_a_name() {
        // The harness panics on an input widget without a name.
        for &panel in Panel::ALL {
            let mut harness = match panel {
                Panel::Curves => with_moving(),
                Panel::Octree | Panel::Lights | Panel::ChunkMap | Panel::Lightmaps => with_rooms(),
                Panel::Layers | Panel::Tileset => with_map(),
                _ => with_demo(),
            };
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
            assert!(!state(&harness).is_panel_open(panel));
        }
    }
}
