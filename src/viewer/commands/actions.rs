//! Applies commands to the state.

use egui::KeyboardShortcut;

use super::{Action, Animation, Command, ScaleChange, Setting, Surroundings};
use crate::viewer::docks::Panel;
use crate::viewer::keymap::Keymap;
use crate::viewer::state::interface::{Dialog, KeyEdit, PathPurpose};
use crate::viewer::state::load::{Cause, Target};
use crate::viewer::state::{Effect, State};
use crate::viewer::view::camera_control::{self, CameraMode};
use crate::viewer::view::fields_of_view::FieldsOfView;
use mapscope_formats::Severity;
use mapscope_scene::camera::{NamedView, Projection};
use mapscope_scene::{OverlayId, fixed};

/// Step of the field of view, in degrees.
const FIELD_OF_VIEW_STEP_DEGREES: f32 = 5.0;

/// Name and help of a view of a level. Levels have axes instead of compass directions.
fn level_view_name(view: NamedView) -> Option<[&'static str; 2]> {
    Some(match view {
        NamedView::Top => ["View from the top", "Look straight down, +Z up"],
        NamedView::North => ["View from +Z", "Look from +Z toward -Z"],
        NamedView::South => ["View from -Z", "Look from -Z toward +Z"],
        NamedView::East => ["View from +X", "Look from +X toward -X"],
        NamedView::West => ["View from -X", "Look from -X toward +X"],
        _ => return None,
    })
}

impl State {
    /// `true` if a command has an effect now.
    pub(crate) fn is_enabled(&self, action: Action) -> bool {
        let open = self.session.open.is_some();
        match action {
            Action::Reload
            | Action::Close
            | Action::FrameAll
            | Action::View(_)
            | Action::Fly
            | Action::Measure => open,
            Action::Do(operation) => (operation.is_enabled)(self),
            Action::Edit => open && self.why_no_editing().is_none(),
            Action::SavePicture => self.can_save(),
            Action::SaveAnimation => self.can_save_animation(),
            Action::SaveMap => self.can_save() && self.session.is_map(),
            Action::ChooseMap => self.session.can_choose_map(),
            Action::Counterpart => self.session.counterpart().is_some(),
            Action::GameView => open && !self.session.is_map(),
            Action::Orthographic => open && !self.session.view.is_flat(),
            Action::FieldOfView(_) => {
                open && self.session.view.camera.projection == Projection::Perspective
            }
            Action::Flat => self.session.is_map(),
            Action::MiniMap | Action::Rulers => self.session.has_plan(),
            Action::ActualSize | Action::Zoom { .. } => self.session.view.is_flat(),
            Action::Solo => self.session.solo_target().is_some(),
            Action::Neighbor { .. } => self
                .session
                .open_file()
                .is_some_and(|open| open.demo.is_none()),
            Action::FrameSelection => open && self.session.view.shown.selected.is_some(),
            Action::Walk(direction) => self.session.neighbor(direction).is_some(),
            Action::NextOfKind { .. } => open && self.session.kind_of_selection().is_some(),
            Action::SelectedWeights => self.session.has_joints(),
            Action::Surroundings(Surroundings::Shadows) => self
                .session
                .document()
                .is_some_and(|it| it.environment().is_some()),
            Action::HoldVisibility => self
                .session
                .view
                .shown
                .overlays
                .contains(OverlayId::Visibility),
            Action::Animation(Animation::Timeline) => true,
            Action::Animation(action) => self.can_animate(action),
            Action::Bookmark(number) => self.bookmarks().iter().any(|it| it.number == number),
            Action::Panel(panel) => self.session.offers(panel),
            Action::Overlay(id) => {
                self.session.offers_overlay(id) && self.session.why_no_overlay(id).is_none()
            }
            Action::PlainSurface => self.session.surface_overlays().next().is_some(),
            Action::Level { .. } => self.session.has_levels(),
            Action::Cut => self.session.can_cut(),
            Action::HideSelection => self.session.hidden_with_selection().is_some(),
            Action::ShowAll => !self.session.view.shown.hidden.is_empty(),
            Action::Clear => {
                self.notices.loading.is_some()
                    || self.interface.dialog.is_some()
                    || !self.notices.failures.is_empty()
                    || self.session.shows_disk_banner()
                    || self.notices.offers_scene
                    || self.session.tools.measure.is_open()
                    || self.session.view.can_leave_mode()
                    || self.session.view.shown.selected.is_some()
            }
            Action::Open
            | Action::OpenPath
            | Action::OpenDemo(_)
            | Action::AddTextureFolder
            | Action::TextureFolders
            | Action::Quit
            | Action::Scale(_)
            | Action::FullScreen
            | Action::LastView
            | Action::Palette
            | Action::CheatSheet
            | Action::EditKeys
            | Action::Setting(_)
            | Action::About => true,
        }
    }

    /// Reports the keys of the settings that have no effect.
    pub(crate) fn report_unknown_keys(&mut self) {
        let faults = self.settings.keys.faults(|id| super::find(id).is_some());
        if !faults.is_empty() {
            let text = format!("Keys of the settings are not used: {}", faults.join("; "));
            log::warn!("{text}");
            self.notices.toast(text, Some(Severity::Warning));
        }
    }

    /// Sets the keys of a command, and saves them.
    pub(crate) fn set_keys(&mut self, command: &Command, keys: Vec<KeyboardShortcut>) {
        let changed = (keys != command.default_keys).then_some(keys);
        self.settings.keys.set(command.id, changed);
        self.effects.push(Effect::SaveSettings);
    }

    /// Restores the default keys of all commands.
    pub(crate) fn reset_keys(&mut self) {
        self.settings.keys = Keymap::default();
        self.effects.push(Effect::SaveSettings);
    }

    /// The reason why a command is disabled, if that is not obvious.
    pub(crate) fn why_disabled(&self, action: Action) -> Option<String> {
        match action {
            Action::Counterpart => self.session.why_no_counterpart(),
            Action::Overlay(id) => self.session.why_no_overlay(id),
            Action::SavePicture | Action::SaveMap => self.why_no_saving(),
            Action::SaveAnimation => self.why_no_animation(),
            Action::Edit => self.why_no_editing(),
            Action::Bookmark(number) if self.can_have_bookmarks() && !self.is_enabled(action) => {
                Some(format!("No bookmark {number}"))
            }
            _ => None,
        }
    }

    /// `true` if the option of a command is on; `None` for commands without an on state.
    pub(crate) fn is_on(&self, action: Action) -> Option<bool> {
        match action {
            Action::Panel(panel) => Some(self.is_panel_open(panel)),
            Action::FullScreen => Some(self.interface.full_screen),
            Action::Orthographic => {
                Some(self.session.view.camera.projection == Projection::Orthographic)
            }
            Action::GameView => Some(matches!(
                self.session.view.mode,
                CameraMode::Game | CameraMode::Walk
            )),
            Action::Fly => Some(self.session.view.mode == CameraMode::Fly),
            Action::Flat => Some(self.session.view.is_flat()),
            Action::MiniMap => Some(self.settings.mini_map),
            Action::Rulers => Some(self.settings.rulers),
            Action::SelectedWeights => Some(self.settings.joint_weights),
            Action::Surroundings(Surroundings::Shadows) => {
                Some(!self.session.view.shown.hides_shadows)
            }
            Action::HoldVisibility => Some(self.session.tools.holds_visibility),
            Action::Measure => Some(self.session.tools.measure.is_open()),
            Action::LastView => Some(self.settings.remembers_views),
            Action::Animation(action) => self.is_animation_on(action),
            Action::Overlay(id) => Some(self.session.is_overlay_on(id)),
            Action::PlainSurface => Some(self.session.is_surface_plain()),
            Action::Cut => Some(self.session.tools.clip_box.is_open()),
            Action::Setting(Setting::Navigation(preset)) => {
                Some(self.settings.navigation.preset == preset)
            }
            Action::Setting(Setting::Theme(theme)) => Some(self.settings.theme == theme),
            Action::Setting(Setting::ReversesWheel) => {
                Some(self.settings.navigation.reverses_wheel)
            }
            Action::Setting(Setting::ReversesDrag) => Some(self.settings.navigation.reverses_drag),
            Action::Setting(Setting::BookmarkPins) => Some(self.settings.bookmark_pins),
            _ => None,
        }
    }

    /// Name and help of a command. Some commands have another name for some documents.
    pub(crate) fn name_and_help(&self, command: &Command) -> [&'static str; 2] {
        match command.action {
            Action::Overlay(id) => {
                let overlay = self
                    .session
                    .overlays()
                    .iter()
                    .find(|overlay| overlay.id == id);
                overlay.map(|overlay| [overlay.name, overlay.help])
            }
            Action::Walk(direction) => self.session.view.shown.selected.and_then(|item| {
                let document = self.session.document()?;
                document.neighbor(item, direction).name
            }),
            Action::View(view) if self.session.can_cut() => level_view_name(view),
            // Levels have no bones.
            Action::Animation(Animation::BindPose) if self.session.can_cut() => {
                Some(["No animation", "Show materials without their animation"])
            }
            Action::Animation(Animation::BindPose) if self.session.has_layers() => {
                Some(["No animation", "Show tiles without their animation"])
            }
            Action::Counterpart if self.session.is_scene() => Some([
                "Show the map alone",
                "Open the map of the scene without its entities",
            ]),
            Action::HideSelection if self.session.has_layers() => Some([
                "Hide layer",
                "Hide the selected layer, or the layer of the selection",
            ]),
            Action::ShowAll if self.session.has_layers() => {
                Some(["Show all layers", "Show all hidden layers again"])
            }
            _ => None,
        }
        .unwrap_or([command.name, command.help])
    }

    /// Runs a command, if it is enabled.
    pub(crate) fn run(&mut self, action: Action) {
        if !self.is_enabled(action) {
            let is_explained = matches!(
                action,
                Action::SavePicture
                    | Action::SaveMap
                    | Action::SaveAnimation
                    | Action::Edit
                    | Action::Bookmark(_)
            );
            if let Some(why) = self.why_disabled(action).filter(|_| is_explained) {
                // A keyboard shortcut shows no menu that could explain it.
                self.notices.toast(why, None);
            }
            return;
        }
        if !matches!(action, Action::Zoom { .. }) {
            self.session.view.history.rest();
        }
        let ask_path = |state: &mut Self, purpose| state.effects.push(Effect::AskPath(purpose));
        match action {
            Action::Open => ask_path(self, PathPurpose::Open),
            Action::OpenPath => self.ask_path(PathPurpose::Open),
            Action::OpenDemo(demo) => self.load(Target::Demo(demo), Cause::Opened),
            Action::Reload => {
                self.reload(Cause::Asked);
                self.rescan_playlist();
            }
            Action::ChooseMap => self.ask_for_other_map(),
            Action::Counterpart => self.open_counterpart(),
            Action::Neighbor { backwards } => self.open_neighbor(backwards),
            Action::SavePicture => self.interface.dialog = Some(Dialog::Picture),
            Action::SaveAnimation => self.interface.dialog = Some(Dialog::Animation),
            Action::SaveMap => ask_path(self, PathPurpose::SaveMap),
            Action::AddTextureFolder => ask_path(self, PathPurpose::TextureFolder),
            Action::TextureFolders => self.interface.dialog = Some(Dialog::TextureFolders),
            Action::Close => self.close(),
            Action::Quit if self.notices.saving.is_some() => {
                self.interface.dialog = Some(Dialog::Quit);
            }
            Action::Quit => self.effects.push(Effect::Quit),
            Action::Panel(panel) => {
                let open = self.is_panel_open(panel);
                if panel == Panel::Problems {
                    self.interface.problems_auto_opened = false;
                    self.settings.keeps_problems_closed = open;
                }
                self.unfold(panel.dock());
                if open {
                    self.interface.panel_replaced_by_files = None;
                    self.settings.dock_mut(panel.dock()).open = None;
                } else {
                    self.show_panel(panel);
                }
            }
            Action::Scale(change) => {
                let scale = match change {
                    ScaleChange::Larger => self.settings.scale + 0.1,
                    ScaleChange::Smaller => self.settings.scale - 0.1,
                    ScaleChange::Reset => 1.0,
                };
                self.settings.scale = (scale.clamp(0.5, 3.0) * 10.0).round() / 10.0;
            }
            Action::FullScreen => {
                let on = !self.interface.full_screen;
                self.interface.full_screen = on;
                self.effects.push(Effect::FullScreen(on));
                if let Some(command) = super::of(action) {
                    let key = command.first_key_text(&self.settings.keys);
                    let text = format!("Press {key} to leave full screen");
                    if on && !key.is_empty() {
                        // In full screen, no menu shows the shortcut.
                        self.notices.toast(text, None);
                    } else {
                        self.notices.dismiss(&text);
                    }
                }
            }
            Action::FrameSelection => {
                if let Some(item) = self.session.view.shown.selected {
                    self.session.frame(item);
                }
            }
            Action::FrameAll => self.session.frame_all(),
            Action::View(view) => {
                self.session.view.set_mode(CameraMode::Orbit);
                let camera = &self.session.view.camera;
                let direction = view.direction(camera.handedness, camera.projection);
                let is_all = self.session.view.framed == Some(camera.pose);
                self.session.view.camera.pose = camera_control::face(camera, direction);
                if is_all {
                    self.session.frame_all();
                }
            }
            Action::FieldOfView(change) => self.change_field_of_view(change),
            Action::Orthographic => {
                let camera = &mut self.session.view.camera;
                camera.set_projection(match camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                });
            }
            Action::GameView => {
                if let Some(open) = &self.session.open
                    && !self.session.view.toggle_game_view(&*open.document)
                {
                    self.notices.toast("There is no floor to stand on", None);
                }
            }
            Action::Fly => {
                if let Some(open) = &self.session.open {
                    self.session.view.toggle_fly(&*open.document);
                }
            }
            Action::Flat => {
                if let Some(open) = &self.session.open {
                    self.session.view.toggle_flat(&*open.document);
                }
            }
            Action::ActualSize => {
                if let Some(open) = &self.session.open {
                    let middle = self.session.view.middle_of_view();
                    self.session.view.zoom_flat_to(&*open.document, 1.0, middle);
                }
            }
            Action::Zoom { nearer } => {
                if let Some(open) = &self.session.open {
                    let middle = self.session.view.middle_of_view();
                    self.session.view.zoom_flat(&*open.document, nearer, middle);
                }
            }
            Action::Measure => {
                if let Some(open) = &self.session.open {
                    self.session.tools.measure.toggle(&*open.document);
                }
            }
            Action::MiniMap => self.settings.mini_map = !self.settings.mini_map,
            Action::Rulers => self.settings.rulers = !self.settings.rulers,
            Action::HoldVisibility => {
                self.session.tools.holds_visibility = !self.session.tools.holds_visibility;
            }
            Action::Surroundings(Surroundings::Shadows) => {
                self.session.view.shown.hides_shadows = !self.session.view.shown.hides_shadows;
            }
            Action::SelectedWeights => {
                self.settings.joint_weights = !self.settings.joint_weights;
                self.session.view.shown.hides_weights = !self.settings.joint_weights;
            }
            Action::Bookmark(number) => self.go_to_bookmark(number),
            Action::LastView => self.settings.remembers_views = !self.settings.remembers_views,
            Action::Solo => {
                if let Some(item) = self.session.solo_target() {
                    self.session.solo(item);
                }
            }
            Action::Edit => self.edit_selection(),
            Action::Do(operation) => (operation.run)(self),
            Action::Clear => self.clear(),
            Action::Walk(direction) => {
                let neighbor = self.session.neighbor(direction);
                self.session.select(neighbor);
                self.session.keep_in_view();
            }
            Action::NextOfKind { backwards } => {
                if let Some(kind) = self.session.kind_of_selection() {
                    self.next_of_kind(kind, backwards);
                }
            }
            Action::Animation(action) => self.animate(action),
            Action::Overlay(id) => {
                let on = !self.session.is_overlay_on(id);
                self.switch_overlay(id, on);
                self.session
                    .tools
                    .problem_overlays
                    .retain(|other| *other != id);
            }
            Action::PlainSurface => self.make_surface_plain(),
            Action::Level { backwards } => self.session.next_level(backwards),
            Action::Cut => self.session.toggle_cut(),
            Action::HideSelection => self.session.hide_selection(),
            Action::ShowAll => self.session.view.shown.hidden.clear(),
            Action::Palette => {
                self.interface.dialog = Some(Dialog::Palette {
                    text: String::new(),
                    at: 0,
                });
            }
            Action::CheatSheet => {
                let shown = matches!(self.interface.dialog, Some(Dialog::CheatSheet { .. }));
                self.interface.dialog = (!shown).then(|| Dialog::cheat_sheet(None));
            }
            Action::Setting(setting) => {
                let navigation = &mut self.settings.navigation;
                match setting {
                    Setting::Theme(theme) => self.settings.theme = theme,
                    Setting::Navigation(preset) => navigation.preset = preset,
                    Setting::ReversesWheel => navigation.reverses_wheel ^= true,
                    Setting::ReversesDrag => navigation.reverses_drag ^= true,
                    Setting::BookmarkPins => self.settings.bookmark_pins ^= true,
                }
                self.effects.push(Effect::SaveSettings);
            }
            Action::EditKeys => {
                self.interface.dialog = Some(Dialog::cheat_sheet(Some(KeyEdit::default())));
            }
            Action::About => self.interface.dialog = Some(Dialog::About),
        }
    }

    /// Cancels, closes or deselects the foremost element.
    fn clear(&mut self) {
        if self.interface.dialog.take().is_some() {
            return;
        }
        if self.notices.loading.is_some() {
            self.effects.push(Effect::CancelLoad);
        } else if !self.notices.failures.is_empty() {
            self.notices.failures.clear();
        } else if self.session.shows_disk_banner() {
            self.session.on_disk_dismissed = true;
        } else if self.notices.offers_scene {
            self.notices.offers_scene = false;
        } else if self.session.tools.measure.is_open() {
            self.session.tools.measure.close();
        } else if self.session.view.can_leave_mode()
            && let Some(open) = &self.session.open
        {
            self.session.view.leave_mode(&*open.document);
        } else {
            let selected = self.session.view.shown.selected;
            let document = self.session.document();
            match selected.and_then(|item| document?.parent_of(item)) {
                whole @ Some(_) => self.session.select(whole),
                None => self.session.deselect(),
            }
        }
    }

    /// Changes the field of view within its limits.
    fn change_field_of_view(&mut self, change: ScaleChange) {
        let in_use = self.session.view.field_of_view();
        let degrees = match change {
            ScaleChange::Larger => in_use + FIELD_OF_VIEW_STEP_DEGREES,
            ScaleChange::Smaller => in_use - FIELD_OF_VIEW_STEP_DEGREES,
            ScaleChange::Reset => FieldsOfView::default().of(self.session.view.mode),
        };
        self.settings
            .fields_of_view
            .set(self.session.view.mode, degrees);
        self.session.view.fov = self.settings.fields_of_view;
        self.session.view.use_field_of_view();
        let text = format!(
            "Field of view {}°",
            fixed(self.session.view.field_of_view(), 0)
        );
        self.notices.replace_toast("Field of view", text);
    }

    /// `true` if a command has an effect now.
    fn can_animate(&self, action: Animation) -> bool {
        let clips = self.session.clips().len();
        match action {
            Animation::Clip { .. } => clips > usize::from(self.session.player.clip().is_some()),
            Animation::WholeRange => clips > 0 && !self.session.player.is_whole_range(),
            Animation::Step { .. } | Animation::End { .. } | Animation::Range { .. } => {
                self.session.player.clip().is_some()
            }
            Animation::Timeline => true,
            Animation::Play
            | Animation::Stop
            | Animation::BindPose
            | Animation::Loop(_)
            | Animation::Backwards
            | Animation::Smooth
            | Animation::Speed { .. } => clips > 0,
        }
    }

    /// `true` if the option of a command is on; `None` for commands without an on state.
    fn is_animation_on(&self, action: Animation) -> Option<bool> {
        let player = &self.session.player;
        match action {
            Animation::Play => Some(player.is_playing()),
            Animation::BindPose => {
                Some(!self.session.clips().is_empty() && player.clip().is_none())
            }
            Animation::Loop(mode) => Some(player.loop_mode() == mode),
            Animation::Backwards => Some(player.is_backwards()),
            Animation::Smooth => Some(player.is_smooth()),
            Animation::Timeline => Some(self.settings.timeline.shown),
            _ => None,
        }
    }

    /// Runs a command.
    fn animate(&mut self, action: Animation) {
        match action {
            Animation::Play => {
                if self.session.player.clip().is_none() {
                    self.session.choose_clip(Some(0));
                }
                let playing = !self.session.player.is_playing();
                self.session.player.set_playing(playing);
                self.session.plays_at_once = playing;
            }
            Animation::Stop => {
                self.session.player.stop();
                self.session.plays_at_once = false;
            }
            Animation::Step { backwards } => self.session.player.step(backwards),
            Animation::End { last } => self.session.player.go_to_end_of_range(last),
            Animation::Clip { backwards } => self.step_clip(backwards),
            Animation::BindPose => self.session.choose_clip(None),
            Animation::Loop(mode) => self.session.player.set_loop_mode(mode),
            Animation::Backwards => self.session.player.turn_around(),
            Animation::Smooth => self
                .session
                .player
                .set_smooth(!self.session.player.is_smooth()),
            Animation::Speed { faster } => {
                self.session.player.change_speed(faster);
                if !self.settings.timeline.shown {
                    let text = format!("Speed {}×", self.session.player.speed());
                    self.notices.toast(text, None);
                }
            }
            Animation::Range { last } => {
                let frame = self.session.player.whole_frame();
                if last {
                    self.session.player.set_range_end(frame);
                } else {
                    self.session.player.set_range_start(frame);
                }
            }
            Animation::WholeRange => self.session.player.reset_range(),
            Animation::Timeline => {
                self.settings.timeline.shown = !self.settings.timeline.shown;
            }
        }
        self.session.show_moment();
    }
}
