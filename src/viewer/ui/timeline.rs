//! The strip below the view that chooses, plays and scrubs clips.

use std::cell::Cell;
use std::sync::Arc;

use egui::{
    Align, Align2, Color32, ComboBox, CornerRadius, CursorIcon, DragValue, EventFilter, FontId,
    Galley, Id, Key, Layout, Modifiers, Panel, Pos2, Rect, Response, Role, Sense, Slider, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, accesskit, pos2, vec2,
};

use super::icons::{self, Icon};
use super::{BarContext, with_bar};
use crate::viewer::commands::{self, Action, Animation, Request};
use crate::viewer::panels::parts;
use crate::viewer::state::State;
use crate::viewer::state::player::{self, LoopMode};
use crate::viewer::{format, places, theme};
use mapscope_scene::{OverlayId, OwnClip, fixed, model};

/// Narrower windows, in points, have seldom used options in a menu.
const MIN_FULL_WIDTH: f32 = 800.0;
/// The same for models, which have more options.
const MIN_WIDTH_WITH_EXTRAS: f32 = 1100.0;
/// Height of the ruler, in points: numbers, ticks, and the played range.
const RULER_HEIGHT: f32 = 38.0;
/// Height of the range at the bottom of the ruler.
const RANGE_HEIGHT: f32 = 9.0;
/// Margin before the first and after the last frame.
const RULER_MARGIN: f32 = 12.0;
/// Minimum distance between two numbers of the ruler, and between two ticks.
const MIN_NUMBER_SPACING: f32 = 52.0;
const MIN_TICK_SPACING: f32 = 6.0;
/// Width of the hit area of a range handle.
const HANDLE_WIDTH: f32 = 12.0;
/// The command that plays the whole clip again.
const WHOLE_RANGE: Action = Action::Animation(Animation::WholeRange);

/// Shows the timeline, if the open document has clips.
pub(crate) fn timeline(root: &mut Ui, state: &mut State) {
    if state.session.clips().is_empty() || !state.settings.timeline.shown {
        return;
    }
    let strip = Panel::bottom("timeline").resizable(false).show(root, |ui| {
        parts::name_panel(ui, "Timeline");
        ui.add_space(1.0);
        // Before the fields, which show the new frame.
        with_bar(state, |context| follow_pointer(ui, context));
        with_bar(state, |context| {
            ui.horizontal(|ui| controls(ui, context));
            ruler(ui, context);
        });
        ui.add_space(1.0);
    });
    places::note(root.ctx(), "timeline", strip.response.rect);
    // egui knows its height only now; the view above it is not drawn in another size first.
    let was_shown = Id::unique("timeline was shown");
    let is_first = root.data_mut(|data| {
        let was_shown: &mut bool = data.get_temp_mut_or_default(was_shown);
        !std::mem::replace(was_shown, true)
    });
    if is_first {
        root.ctx().request_discard("the first timeline");
    }
}

fn controls(ui: &mut Ui, context: &mut BarContext<'_>) {
    let min_width = if context.state.session.has_joints() {
        MIN_WIDTH_WITH_EXTRAS
    } else {
        MIN_FULL_WIDTH
    };
    let wide = ui.available_width() >= min_width;
    ui.spacing_mut().item_spacing.x = 6.0;
    clip_chooser(ui, context, if wide { 150.0 } else { 96.0 });
    if wide {
        transition_chooser(ui, context);
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        let play = if context.state.session.player.is_playing() {
            Icon::Pause
        } else {
            Icon::Play
        };
        let step = |backwards| Animation::Step { backwards };
        for (icon, action, place) in [
            (Icon::ToStart, Animation::End { last: false }, "first"),
            (Icon::StepBack, step(true), "previous"),
            (play, Animation::Play, "play"),
            (Icon::Stop, Animation::Stop, "stop"),
            (Icon::StepAhead, step(false), "next"),
            (Icon::ToEnd, Animation::End { last: true }, "last"),
        ] {
            command_button(ui, context, icon, action, place);
        }
    });
    frame_fields(ui, context);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if wide {
            options(ui, context);
        } else {
            more(ui, context);
        }
    });
}

/// Shows a button that runs a command and displays its state.
fn command_button(
    ui: &mut Ui,
    context: &mut BarContext<'_>,
    icon: Icon,
    action: Animation,
    place: &str,
) {
    let action = Action::Animation(action);
    let Some(command) = commands::of(action) else {
        return;
    };
    // The play button shows the action of a press; showing it as pressed too would be ambiguous.
    let is_play = action == Action::Animation(Animation::Play);
    let on = context.state.is_on(action).filter(|_| !is_play);
    let name = match icon {
        Icon::Pause => "Pause",
        _ => command.name,
    };
    let enabled = context.state.is_enabled(action);
    let button = ui.add_enabled_ui(enabled, |ui| icons::button(ui, icon, name, on));
    let button = button.inner;
    places::note(ui.ctx(), format!("timeline-{place}"), button.rect);
    let help = command.help_and_key(&context.state.settings.keys);
    if button.on_hover_text(help).clicked() {
        context.run(action);
    }
}

fn clip_chooser(ui: &mut Ui, context: &mut BarContext<'_>, width: f32) {
    let state = context.state;
    let shown = state.session.player.clip();
    let still = commands::of(Action::Animation(Animation::BindPose));
    let [still, _] = still.map_or([""; 2], |command| state.name_and_help(command));
    let clip = shown.and_then(|clip| state.session.clips().get(clip));
    let list = ComboBox::from_id_salt("clip")
        .selected_text(clip.map_or(still, |clip| &clip.name))
        .width(width)
        .truncate()
        .show_ui(ui, |ui| {
            let mut line = |name: &str, length: String, clip: Option<usize>| {
                let button = egui::Button::new(name)
                    .right_text(egui::RichText::new(length).weak())
                    .selected(shown == clip)
                    .frame_when_inactive(shown == clip)
                    .min_size(vec2(210.0, 0.0));
                if ui.add(button).clicked() {
                    context.ask(Request::ChooseClip(clip));
                }
            };
            for (index, clip) in state.session.clips().iter().enumerate() {
                let frames = format::counted(clip.frames as usize, "frame");
                let secs = clip.seconds(state.session.player.fps());
                let length = format!("{frames}, {} s", fixed(secs, 2));
                line(&clip.name, length, Some(index));
            }
            line(still, String::new(), None);
        });
    name_and_place(&list.response, "Clip", "timeline-clip");
}

/// Shows the choice of a clip to preview a transition to, with its duration.
fn transition_chooser(ui: &mut Ui, context: &mut BarContext<'_>) {
    let session = &context.state.session;
    if !session.offers_transition() {
        return;
    }
    let transition = session.player.transition();
    let mut secs = transition.map_or(player::DEFAULT_TRANSITION_SECS, |it| it.secs);
    let name = |clip: usize| session.clips().get(clip).map_or("", |it| it.name.as_str());
    let mut chosen = None;
    let list = ComboBox::from_id_salt("transition")
        .selected_text(transition.map_or("Transition to…", |it| name(it.clip)))
        .width(110.0)
        .truncate()
        .show_ui(ui, |ui| {
            let shown = transition.map(|it| it.clip);
            let clips = session.clips().iter().enumerate();
            let others = clips
                .filter(|(clip, it)| it.frames > 0 && session.player.clip() != Some(*clip))
                .map(|(clip, it)| (Some(clip), it.name.as_str()));
            for (clip, name) in std::iter::once((None, "No transition")).chain(others) {
                if ui.selectable_label(shown == clip, name).clicked() {
                    chosen = Some(clip);
                }
            }
        });
    name_and_place(&list.response, "Transition", "timeline-transition");
    if let Some(clip) = chosen {
        context.ask(Request::SetTransition(clip.map(|clip| (clip, secs))));
    }
    let Some(transition) = transition else {
        return;
    };
    let field = DragValue::new(&mut secs)
        .range(player::TRANSITION_SECS)
        .speed(0.01)
        .fixed_decimals(2)
        .suffix(" s")
        .update_while_editing(false);
    let field = ui.add(field);
    let name = "Duration of the transition";
    name_and_place(&field, name, "timeline-transition-secs");
    if field.changed() {
        context.ask(Request::SetTransition(Some((transition.clip, secs))));
    }
    field.on_hover_text("Seconds from the last frame of the clip to the first one of the other");
}

/// Shows the number of frames between ghosts, while the onion skin is on.
fn ghost_field(ui: &mut Ui, context: &mut BarContext<'_>) {
    let shown = &context.state.session.view.shown;
    if !shown.overlays.contains(OverlayId::OnionSkin) {
        return;
    }
    let mut step = shown.ghost_step.unwrap_or(model::DEFAULT_GHOST_STEP);
    let field = DragValue::new(&mut step)
        .range(1..=100)
        .speed(0.1)
        .prefix("Ghosts ±");
    let field = ui.add(field);
    name_and_place(&field, "Frames between ghosts", "timeline-ghosts");
    if field.changed() {
        context.ask(Request::SetGhostStep(step));
    }
    field.on_hover_text("Frames between the skeletons of the onion skin");
}

/// Sets the accessible name of a widget and records its rectangle.
fn name_and_place(response: &Response, name: &str, place: &str) {
    parts::name(response, name);
    places::note(&response.ctx, place, response.rect);
}

/// Shows fields for the frame and the time.
fn frame_fields(ui: &mut Ui, context: &mut BarContext<'_>) {
    let player = &context.state.session.player;
    let (frame, last, fps) = (player.frame(), f64::from(player.last()), player.fps());
    let (smooth, in_clip) = (player.is_smooth(), player.clip().is_some());
    let mut typed = None;
    let (mut held, mut dragged) = (false, false);
    // Typed text that is not a moment of the clip.
    let refused = Cell::new(None);
    let moment = |text: &str, frame: Option<f64>| {
        let frame = frame.filter(|frame| *frame >= 0.0);
        if frame.is_none() {
            refused.set(Some(text.trim().to_owned()));
        }
        frame
    };
    let is_clock = context.state.session.plays_clock();
    ui.add_enabled_ui(in_clip, |ui| {
        ui.spacing_mut().interact_size.x = 40.0;
        if !is_clock {
            let mut to = frame;
            let field = DragValue::new(&mut to)
                .range(0.0..=last)
                .speed(0.1)
                .fixed_decimals(usize::from(smooth))
                .custom_parser(|text| moment(text, player::parse_frame(text, fps)))
                .update_while_editing(false);
            let field = ui.add(field);
            name_and_place(&field, "Frame", "timeline-frame");
            dragged |= field.dragged();
            held |= field.has_focus() || field.dragged();
            typed = field.changed().then_some(to);
            let help = "The frame, from 0. Type a number, or seconds such as 0.5s";
            field.on_hover_text(help);
            ui.weak(format!("/ {last}"));
        }
        let mut to = frame / fps;
        let field = DragValue::new(&mut to)
            .range(0.0..=last / fps)
            .speed(0.1 / fps)
            .fixed_decimals(2)
            .suffix(" s")
            // Seconds, with or without the unit; a suffix `f` would mean frames.
            .custom_parser(|text| {
                let number = text.trim().trim_end_matches(char::is_alphabetic);
                let frame = player::parse_frame(&format!("{number}s"), fps);
                moment(text, frame).map(|frame| frame / fps)
            })
            .update_while_editing(false);
        let field = ui.add(field);
        name_and_place(&field, "Time", "timeline-time");
        dragged |= field.dragged();
        held |= field.has_focus() || field.dragged();
        if field.changed() {
            typed = Some(to * fps);
        }
        field.on_hover_text("Seconds from the beginning of the clip");
        if is_clock {
            ui.weak(format!("/ {} s", fixed(last / fps, 0)));
            own_clip(ui, context.state);
        }
    });
    if let Some(text) = refused.take() {
        let advice =
            format!("`{text}` is not a frame: expected 0 to {last}, or seconds such as 0.5s");
        context.ask(Request::Warn(advice));
    }
    if let Some(frame) = typed {
        // Without smooth playback there are only whole frames.
        let frame = if smooth {
            frame
        } else {
            (frame + 1e-6).floor()
        };
        // A typed frame stops playback.
        context.ask(if dragged {
            Request::ShowFrame(frame)
        } else {
            Request::GoToFrame(frame)
        });
    } else if held {
        // A number that changes cannot be edited.
        context.ask(Request::HoldMoment);
    }
}

/// Shows the clip that the selected item plays on its own, and its frame.
fn own_clip(ui: &mut Ui, state: &State) {
    let shown = &state.session.view.shown;
    let animation = state
        .session
        .document()
        .and_then(|document| document.animation());
    let own = shown
        .selected
        .and_then(|item| animation?.own_clip(item, shown.playhead));
    if let Some(own) = own {
        // As wide as at the last frame.
        let frame = own.frames.saturating_sub(1);
        let width = OwnClip { frame, ..own }.to_string().chars().count();
        let text = format!("{own:<width$}");
        ui.add(egui::Label::new(egui::RichText::new(text).monospace()).truncate())
            .on_hover_text("Clip and frame of the selected item");
    }
}

/// Shows seldom used options, from right to left.
fn options(ui: &mut Ui, context: &mut BarContext<'_>) {
    let close = ui
        .add(egui::Button::new(egui::RichText::new("×").size(18.0)).frame(false))
        .on_hover_text("Hide the timeline");
    close.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Hide the timeline"));
    places::note(ui.ctx(), "timeline-hide", close.rect);
    if close.clicked() {
        context.run(Action::Animation(Animation::Timeline));
    }
    ghost_field(ui, context);
    fps_field(ui, context);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        let smooth = Animation::Smooth;
        command_button(ui, context, Icon::Smooth, smooth, "smooth");
        ui.add_space(5.0);
        for mode in LoopMode::ALL.into_iter().rev() {
            loop_button(ui, context, mode);
        }
    });
    speed_field(ui, context);
}

/// Shows the same options in a menu, if there is no room.
fn more(ui: &mut Ui, context: &mut BarContext<'_>) {
    let button = icons::button(ui, Icon::More, "Playback options", None);
    places::note(ui.ctx(), "timeline-more", button.rect);
    egui::Popup::menu(&button)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            egui::Grid::new("how it plays")
                .num_columns(2)
                .show(ui, |ui| {
                    ui.label("Speed");
                    ui.horizontal(|ui| speed_field(ui, context));
                    ui.end_row();
                    ui.label("Loop");
                    ui.horizontal(|ui| {
                        for mode in LoopMode::ALL {
                            loop_button(ui, context, mode);
                        }
                    });
                    ui.end_row();
                    ui.label("Smooth");
                    let smooth = Animation::Smooth;
                    command_button(ui, context, Icon::Smooth, smooth, "smooth");
                    ui.end_row();
                    ui.label("Rate");
                    fps_field(ui, context);
                    ui.end_row();
                });
            ui.horizontal(|ui| transition_chooser(ui, context));
            ghost_field(ui, context);
            for (action, text) in [
                (Animation::WholeRange, "Reset range"),
                (Animation::Timeline, "Hide the timeline"),
            ] {
                let action = Action::Animation(action);
                let enabled = context.state.is_enabled(action);
                if ui.add_enabled(enabled, egui::Button::new(text)).clicked() {
                    context.run(action);
                }
            }
        });
    button.on_hover_text("Speed, looping and more");
}

fn loop_button(ui: &mut Ui, context: &mut BarContext<'_>, mode: LoopMode) {
    let (icon, place) = match mode {
        LoopMode::Once => (Icon::Once, "once"),
        LoopMode::Loop => (Icon::Loop, "loop"),
        LoopMode::PingPong => (Icon::PingPong, "ping-pong"),
    };
    command_button(ui, context, icon, Animation::Loop(mode), place);
}

fn fps_field(ui: &mut Ui, context: &mut BarContext<'_>) {
    let mut fps = context.state.session.player.fps();
    let field = DragValue::new(&mut fps)
        .range(player::FPS)
        .speed(0.2)
        .custom_formatter(|fps, _| format!("{}", (fps * 1000.0).round() / 1000.0))
        .suffix(" fps")
        .update_while_editing(false);
    let field = ui.add(field);
    name_and_place(&field, "Frames per second", "timeline-fps");
    if field.changed() {
        context.ask(Request::SetFps(fps));
    }
    field.on_hover_text("Frames per second; the game uses 24");
}

fn speed_field(ui: &mut Ui, context: &mut BarContext<'_>) {
    ui.spacing_mut().slider_width = 76.0;
    ui.spacing_mut().interact_size.x = 46.0;
    let mut speed = context.state.session.player.speed();
    let slider = Slider::new(&mut speed, player::SPEEDS)
        .logarithmic(true)
        .show_value(false);
    let slider = ui.add(slider);
    name_and_place(&slider, "Speed", "timeline-speed");
    let reset = slider.double_clicked();
    let slid = slider.changed();
    slider.on_hover_text("Playback speed; double-click to reset");
    // Typed text that is not a speed.
    let refused = Cell::new(None);
    let field = DragValue::new(&mut speed)
        .range(player::SPEEDS)
        .speed(0.01)
        .fixed_decimals(2)
        .suffix("×")
        .custom_parser(|text| {
            let speed = player::parse_speed(text);
            if speed.is_none() {
                refused.set(Some(text.trim().to_owned()));
            }
            speed
        })
        .update_while_editing(false);
    let field = ui.add(field);
    parts::name(&field, "Speed as a number");
    if let Some(text) = refused.take() {
        let [least, most] = [player::SPEEDS.start(), player::SPEEDS.end()];
        let advice = format!(
            "`{text}` is not a speed: expected {least} to {most}, or a percentage such as 50%"
        );
        context.ask(Request::Warn(advice));
    }
    if reset {
        speed = 1.0;
    }
    if reset || slid || field.changed() {
        context.ask(Request::SetSpeed(speed));
    }
}

/// Maps frames to positions on the ruler.
#[derive(Clone, Copy)]
struct Track {
    /// From the start of the first visible frame to the end of the last.
    rect: Rect,
    /// The visible frames.
    window: [f64; 2],
    /// Number of frames, at least 1.
    frames: f64,
}

impl Track {
    /// Returns the track of a ruler's rectangle.
    fn of(state: &State, ruler: Rect) -> Self {
        let player = &state.session.player;
        let [first, end] = player.window();
        Self {
            rect: ruler.shrink2(vec2(RULER_MARGIN, 0.0)),
            window: if first < end {
                [first, end]
            } else {
                [0.0, 1.0]
            },
            frames: player.frames().max(1).into(),
        }
    }

    /// Returns the position at which a frame starts.
    fn x(&self, frame: f64) -> f32 {
        let [first, end] = self.window;
        self.rect.left() + ((frame - first) / (end - first)) as f32 * self.rect.width()
    }

    /// Returns the frame at a position, with its elapsed fraction.
    fn frame(&self, x: f32) -> f64 {
        let along = (x - self.rect.left()) / self.rect.width().max(1.0);
        let [first, end] = self.window;
        (first + f64::from(along) * (end - first)).clamp(0.0, self.frames - 1e-3)
    }

    fn frame_width(&self) -> f32 {
        let [first, end] = self.window;
        self.rect.width() / (end - first) as f32
    }
}

fn ruler_id() -> Id {
    Id::unique("timeline ruler")
}

/// Goes to the frame at which the pointer holds the ruler.
fn follow_pointer(ui: &Ui, context: &mut BarContext<'_>) {
    let Some(ruler) = ui.ctx().read_response(ruler_id()) else {
        return;
    };
    let in_clip = context.state.session.player.frames() > 0;
    let Some(pointer) = parts::held_at(&ruler).filter(|_| in_clip) else {
        return;
    };
    let frame = Track::of(context.state, ruler.rect).frame(pointer.x);
    context.ask(Request::ShowFrame(frame));
    ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
}

/// Shows the frames of the clip in a row, to scrub with the pointer.
fn ruler(ui: &mut Ui, context: &mut BarContext<'_>) {
    let size = vec2(ui.available_width(), RULER_HEIGHT);
    let (_, rect) = ui.allocate_space(size);
    let in_clip =
        context.state.session.player.clip().is_some() && context.state.session.player.frames() > 0;
    let track = Track::of(context.state, rect);
    places::note(ui.ctx(), "timeline-ruler", track.rect);
    ui.painter()
        .rect_filled(rect, 4.0, theme::DEEP.of(ui.ctx()));
    if !in_clip {
        let text = match context.state.session.player.clip() {
            Some(_) => "This clip has no frames",
            None => "Bind pose, no clip",
        };
        let font = FontId::proportional(12.0);
        let color = ui.visuals().weak_text_color();
        ui.painter()
            .text(rect.center(), Align2::CENTER_CENTER, text, font, color);
        return;
    }
    let upper = rect.with_max_y(rect.bottom() - RANGE_HEIGHT - 2.0);
    let lower = rect.with_min_y(upper.bottom());
    let response = ui.interact(upper, ruler_id(), Sense::click_and_drag());
    let player = &context.state.session.player;
    let (frame, last) = (player.frame(), f64::from(player.last()));
    if let Some(frame) = slide(ui, &response, "Frame ruler", frame, last) {
        context.ask(Request::GoToFrame(frame));
    }
    if let Some(pointer) = response.hover_pos() {
        let frames_per_point = f64::from(track.frame_width()).recip();
        let at = track.frame(pointer.x);
        if let Some(request) = parts::timeline_scroll(ui, at, frames_per_point) {
            context.ask(request);
        }
    }
    let range = range_strip(ui, context, track, lower);
    let flag = Flag::of(ui, context.state, track, rect);
    paint_ruler(ui, context.state, track, [rect, upper, flag.rect]);
    if let Some(pointer) = response.hover_pos().filter(|_| !response.dragged()) {
        let x = track.x(track.frame(pointer.x).floor());
        let stroke = Stroke::new(1.0, theme::WEAK_TEXT.of(ui.ctx()).gamma_multiply(0.5));
        ui.painter().vline(x, upper.y_range(), stroke);
    }
    paint_range(ui, context.state, track, lower, range);
    paint_playhead(ui, context.state, track, rect, flag);
}

/// Makes a widget a slider for screen readers and arrow keys. Returns the value that they request.
fn slide(ui: &Ui, response: &Response, name: &str, value: f64, last: f64) -> Option<f64> {
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), value, name));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(last);
        node.set_numeric_value_step(1.0);
        node.add_action(accesskit::Action::SetValue);
        node.add_action(accesskit::Action::Increment);
        node.add_action(accesskit::Action::Decrement);
    });
    let mut by = 0.0;
    let mut wanted = None;
    if response.has_focus() {
        let keys = EventFilter {
            horizontal_arrows: true,
            ..EventFilter::default()
        };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, keys));
        by = ui.input_mut(|input| {
            let mut count = |key| input.count_and_consume_key(Modifiers::NONE, key) as f64;
            count(Key::ArrowRight) - count(Key::ArrowLeft)
        });
    }
    ui.input(|input| {
        use accesskit::{Action, ActionData};
        let asked = |action| input.num_accesskit_action_requests(response.id, action) as f64;
        by += asked(Action::Increment) - asked(Action::Decrement);
        for request in input.accesskit_action_requests(response.id, Action::SetValue) {
            if let Some(ActionData::NumericValue(value)) = request.data {
                wanted = Some(value);
            }
        }
    });
    let wanted = wanted.or((by != 0.0).then_some(value.floor() + by));
    wanted
        .filter(|value| value.is_finite())
        .map(|value| value.clamp(0.0, last))
}

/// Shows the handles at both ends of the played range. Returns for each whether the pointer is at
/// it.
fn range_strip(ui: &Ui, context: &mut BarContext<'_>, track: Track, strip: Rect) -> [bool; 2] {
    let whole = ui.interact(strip, Id::unique("timeline range"), Sense::click());
    if whole.double_clicked() {
        context.run(WHOLE_RANGE);
    }
    whole.on_hover_text("Playback range: drag its ends, or double-click to reset");
    let [first, last] = context.state.session.player.range();
    let end = f64::from(context.state.session.player.last());
    let mut at = [false; 2];
    let sides = [
        (first, "range-start", "First frame of the range"),
        (last, "range-end", "Last frame of the range"),
    ];
    for (side, (frame, id, name)) in sides.into_iter().enumerate() {
        let edge = f64::from(frame) + side as f64;
        if !(track.window[0]..=track.window[1]).contains(&edge) {
            continue;
        }
        let x = track.x(edge);
        // Outward, so that both can be grabbed where they meet.
        let outward = if side == 0 { -0.25 } else { 0.25 };
        let center = pos2(x + outward * HANDLE_WIDTH, strip.center().y);
        let handle = Rect::from_center_size(center, vec2(HANDLE_WIDTH, strip.height()));
        let handle_id = Id::unique(("timeline", id));
        let response = ui.interact(handle, handle_id, Sense::click_and_drag());
        let mut to = slide(ui, &response, name, frame.into(), end);
        places::note(ui.ctx(), format!("timeline-{id}"), handle);
        let dragged = response.dragged() || response.drag_stopped();
        if let Some(pointer) = parts::held_at(&response).filter(|_| dragged) {
            // The nearest boundary between two frames.
            let along = track.frame(pointer.x + track.frame_width() * 0.5).floor();
            let beyond = pointer.x > track.x(end + 0.5);
            to = Some(match side {
                0 => along.min(end),
                _ if beyond => end,
                _ => (along - 1.0).max(0.0),
            });
        }
        if response.double_clicked() {
            context.run(WHOLE_RANGE);
        } else if let Some(to) = to {
            context.ask(if side == 0 {
                Request::SetRangeStart(to as u32)
            } else {
                Request::SetRangeEnd(to as u32)
            });
        }
        let grabbed = response.hovered() || response.dragged() || response.has_focus();
        if let Some(at) = at.get_mut(side) {
            *at = grabbed;
        }
        response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    }
    at
}

/// Paints the ruler without the playhead. The playhead's flag replaces the numbers below it.
fn paint_ruler(ui: &Ui, state: &State, track: Track, [rect, upper, flag]: [Rect; 3]) {
    let painter = &ui.painter_at(rect);
    let [first, last] = state.session.player.range();
    // Frames outside the played range are dimmed.
    let played = rect
        .with_min_x(track.x(first.into()))
        .with_max_x(track.x(f64::from(last) + 1.0));
    painter.rect_filled(
        played.with_max_y(upper.bottom()),
        0.0,
        theme::PANEL
            .of(ui.ctx())
            .lerp_to_gamma(Color32::WHITE, 0.03),
    );
    let line = ui.visuals().widgets.noninteractive.bg_stroke.color;
    let width = track.frame_width();
    let player = &state.session.player;
    if player.transition().is_some() {
        let ends = [player.last_of_clip(), player.transition_end()].map(|frame| track.x(frame));
        let blended = upper.with_min_x(ends[0]).with_max_x(ends[1]);
        let color = theme::ACCENT.of(ui.ctx()).gamma_multiply(0.15);
        painter.rect_filled(blended, 0.0, color);
    }
    // Whole seconds if the clip has no meaningful frames.
    let fps = state.session.player.fps().round().max(1.0) as u32;
    let unit = if state.session.plays_clock() { fps } else { 1 };
    let step = |room: f32| {
        let units = format::round_step((room / (width * unit as f32)).into());
        (units.clamp(1.0, 1.0e6) as u32).saturating_mul(unit)
    };
    let (tick_step, number_step) = (step(MIN_TICK_SPACING), step(MIN_NUMBER_SPACING));
    let frames = state.session.player.frames();
    let font = FontId::monospace(11.0);
    let [window_first, window_end] = track.window;
    let begin = (window_first / f64::from(tick_step)).ceil() as u32 * tick_step;
    let end = frames.min(window_end.floor() as u32);
    for frame in (begin..=end).step_by(tick_step as usize) {
        let x = track.x(frame.into());
        let numbered = frame % number_step == 0 && frame < frames;
        let length = if numbered { 9.0 } else { 5.0 };
        let color = if numbered {
            theme::WEAK_TEXT.of(ui.ctx())
        } else {
            line
        };
        let ends = [pos2(x, upper.bottom() - length), pos2(x, upper.bottom())];
        painter.line_segment(ends, Stroke::new(1.0, color));
        if numbered {
            let inside = frame >= first && frame <= last;
            let color =
                theme::WEAK_TEXT
                    .of(ui.ctx())
                    .gamma_multiply(if inside { 1.0 } else { 0.6 });
            let text = moment_text(state, frame.into());
            let galley = painter.layout_no_wrap(text, font.clone(), color);
            let place = within(upper, x, 2.0, galley.size());
            if !place.intersects(flag.expand(3.0)) {
                painter.galley(place.min, galley, color);
            }
        }
    }
}

/// Formats a moment: the frame, or minutes and seconds if frames are not meaningful.
fn moment_text(state: &State, frame: f64) -> String {
    if state.session.plays_clock() {
        let seconds = (frame / state.session.player.fps() + 1e-6).floor();
        let [minutes, seconds] = [(seconds / 60.0).floor(), seconds % 60.0];
        format!("{}:{:0>2}", fixed(minutes, 0), fixed(seconds, 0))
    } else if state.session.player.is_smooth() && frame.fract() != 0.0 {
        fixed(frame, 1)
    } else {
        fixed(frame, 0)
    }
}

fn paint_range(ui: &Ui, state: &State, track: Track, strip: Rect, at: [bool; 2]) {
    let painter = &ui.painter_at(strip);
    let bar = strip.shrink2(vec2(0.0, 2.5));
    painter.rect_filled(bar.intersect(track.rect), 2.0, theme::PANEL.of(ui.ctx()));
    let [first, last] = state.session.player.range();
    let ends = [track.x(first.into()), track.x(f64::from(last) + 1.0)];
    let [left, right] = ends;
    let played = bar.with_min_x(left).with_max_x(right);
    let whole = state.session.player.is_whole_range();
    let strength = if whole { 0.35 } else { 0.75 };
    painter.rect_filled(
        played,
        2.0,
        theme::ACCENT.of(ui.ctx()).gamma_multiply(strength),
    );
    for (x, at) in ends.into_iter().zip(at) {
        let handle = Rect::from_center_size(pos2(x, strip.center().y), vec2(5.0, strip.height()));
        let color = if at {
            ui.visuals().strong_text_color()
        } else {
            theme::ACCENT.of(ui.ctx())
        };
        painter.rect_filled(handle, 2.0, color);
    }
}

/// Returns a rectangle of a given size around a position of the ruler, `below` points from its top,
/// clamped to its ends.
fn within(ruler: Rect, x: f32, below: f32, size: Vec2) -> Rect {
    let half = size.x * 0.5;
    let [left, right] = [ruler.left() + half, ruler.right() - half];
    let middle = pos2(x.clamp(left, right.max(left)), ruler.top() + below);
    Align2::CENTER_TOP.anchor_size(middle, size)
}

/// The label with the current moment at the top of the playhead.
struct Flag {
    rect: Rect,
    number: Arc<Galley>,
}

impl Flag {
    fn of(ui: &Ui, state: &State, track: Track, ruler: Rect) -> Self {
        let frame = state.session.player.frame();
        let text = moment_text(state, frame);
        let font = FontId::monospace(11.5);
        let number = ui
            .painter()
            .layout_no_wrap(text, font, theme::DEEP.of(ui.ctx()));
        let size = number.size() + vec2(8.0, 1.0);
        let rect = within(ruler, track.x(frame), 1.0, size);
        Self { rect, number }
    }
}

/// Paints a line at the current moment, with its label.
fn paint_playhead(ui: &Ui, state: &State, track: Track, rect: Rect, flag: Flag) {
    let painter = &ui.painter_at(rect.expand(2.0));
    let frame = state.session.player.frame();
    let x = track.x(frame);
    let bottom = rect.bottom() - RANGE_HEIGHT - 2.0;
    if !state.session.player.is_smooth() && track.frame_width() >= 4.0 {
        // The cell covers the duration of the frame.
        let cell = Rect::from_min_max(pos2(x, rect.top()), pos2(x + track.frame_width(), bottom));
        painter.rect_filled(cell, 0.0, theme::ACCENT.of(ui.ctx()).gamma_multiply(0.22));
    }
    let stroke = Stroke::new(1.5, theme::ACCENT.of(ui.ctx()));
    painter.vline(x, rect.top()..=bottom, stroke);
    let Flag { rect, number } = flag;
    painter.rect_filled(rect, CornerRadius::same(3), theme::ACCENT.of(ui.ctx()));
    let at: Pos2 = rect.center() - number.size() * 0.5;
    painter.galley(at, number, theme::DEEP.of(ui.ctx()));
    let outline = Stroke::new(1.0, theme::DEEP.of(ui.ctx()));
    painter.rect_stroke(rect, CornerRadius::same(3), outline, StrokeKind::Outside);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use egui::{Event, PointerButton, ViewportId, vec2};
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};

    use super::*;
    use crate::viewer::docks::Panel as DockPanel;
    use crate::viewer::state::load::Outcome;
    use crate::viewer::testing::{
        self, Window, button, joint, keep_picture, middle, move_to, moving, picture_of_moving,
        press, quick_drag, state, with_demo, with_moving,
    };

    type Opened = Harness<'static, Window>;

    /// Returns the current frame, and `true` if playback runs.
    fn moment(h: &Opened) -> (f64, bool) {
        let player = &state(h).session.player;
        assert_eq!(state(h).session.view.shown.playhead, player.playhead());
        (player.frame(), player.is_playing())
    }

    fn clip(h: &Opened) -> Option<&str> {
        let clip = state(h).session.view.shown.playhead.clip?;
        Some(&state(h).session.clips()[clip].name)
    }

    fn key(h: &mut Opened, key: Key) {
        press(h, Modifiers::NONE, key);
    }

    fn click(h: &mut Opened, name: &str) {
        h.get_by_label(name).click();
        h.run();
    }

    /// Returns the recorded rectangle of a widget.
    fn rect(h: &Opened, name: &str) -> Rect {
        let rects = &h.state().placed.rects;
        let found = rects.iter().find(|(known, _)| known == name);
        found.map(|(_, rect)| *rect).unwrap()
    }

    /// Returns the centre of a frame on the ruler.
    fn at_frame(h: &Opened, frame: f32) -> Pos2 {
        let ruler = rect(h, "timeline-ruler");
        let frames = state(h).session.player.frames() as f32;
        let x = ruler.left() + (frame + 0.5) / frames * ruler.width();
        pos2(x, ruler.top() + 10.0)
    }

    fn drag(h: &mut Opened, from: Pos2, to: Pos2) {
        move_to(h, from);
        button(h, PointerButton::Primary, from, true);
        move_to(h, from.lerp(to, 0.5));
        move_to(h, to);
        button(h, PointerButton::Primary, to, false);
    }

    /// Types into a number field.
    fn type_into(h: &mut Opened, name: &str, text: &str) {
        h.get_by_role_and_label(Role::SpinButton, name).click();
        h.run();
        press(h, Modifiers::COMMAND, Key::A);
        h.input_mut().events.push(Event::Text(text.to_owned()));
        h.run();
        key(h, Key::Enter);
    }

    fn asks_for_a_frame(h: &Opened) -> bool {
        h.output().viewport_output[&ViewportId::ROOT].repaint_delay < Duration::from_mins(1)
    }

    #[test]
    fn only_what_has_clips_has_a_timeline() {
        assert!(with_demo().query_by_label("Frame ruler").is_none());
        let mut h = with_moving();
        h.get_by_label("Frame ruler");
        click(&mut h, "Hide the timeline");
        assert!(h.query_by_label("Frame ruler").is_none());
        press(&mut h, Modifiers::COMMAND, Key::T);
        h.get_by_label("Frame ruler");
    }

    #[test]
    fn space_and_the_button_play_and_pause() {
        let mut h = with_moving();
        assert_eq!(moment(&h), (0.0, false));
        key(&mut h, Key::Space);
        // A step of the test is a quarter of a second: six frames.
        let (begun, playing) = moment(&h);
        assert!(playing && state(&h).session.plays_at_once);
        h.step();
        assert_eq!(moment(&h), (begun + 6.0, true));
        assert!(asks_for_a_frame(&h));
        click(&mut h, "Pause");
        let (stopped, playing) = moment(&h);
        assert!(!playing && !state(&h).session.plays_at_once);
        h.run_steps(4);
        assert_eq!(moment(&h), (stopped, false));
        click(&mut h, "Play");
        click(&mut h, "Stop");
        assert_eq!(moment(&h), (0.0, false));
    }

    #[test]
    fn nothing_is_drawn_while_nothing_plays() {
        let mut h = with_moving();
        assert!(!asks_for_a_frame(&h));
        key(&mut h, Key::Period);
        assert!(!asks_for_a_frame(&h));
        key(&mut h, Key::Space);
        assert!(asks_for_a_frame(&h));
        key(&mut h, Key::Space);
        h.run_steps(2);
        assert!(!asks_for_a_frame(&h));
        // A clip of one frame is a still picture, even during playback.
        h.state_mut().state.session.choose_clip(Some(2));
        key(&mut h, Key::Space);
        h.run_steps(2);
        assert!(moment(&h).1 && !asks_for_a_frame(&h));
    }

    #[test]
    fn what_is_below_a_resting_pointer_is_that_of_the_picture_while_a_clip_plays() {
        let mut h = with_moving();
        h.state_mut().state.session.frame(joint(1));
        let pointer = middle(&h);
        move_to(&mut h, pointer);
        let hovered = |h: &Opened| state(h).session.pointer.hovered;
        assert_eq!(hovered(&h), Some(joint(1)));
        key(&mut h, Key::Space);
        // Steps of a quarter of a second, longer than the interval between two hover updates.
        h.run_steps(4);
        assert!(moment(&h).1 && moment(&h).0 > 12.0);
        assert_eq!(hovered(&h), Some(joint(0)));
    }

    #[test]
    fn stepped_playing_asks_for_a_frame_when_there_is_another_one() {
        let mut h = with_moving();
        key(&mut h, Key::Space);
        h.step();
        let delay = |h: &Opened| h.output().viewport_output[&ViewportId::ROOT].repaint_delay;
        let until = delay(&h).as_secs_f64();
        assert!(until > 0.0 && until <= 1.0 / 24.0 + 1e-6, "{until}");
        click(&mut h, "Pause");
        click(&mut h, "Smooth");
        h.get_by_label("Play").click();
        h.run_steps(5);
        assert_eq!(delay(&h), Duration::ZERO);
    }

    #[test]
    fn keys_step_and_go_to_the_ends() {
        let mut h = with_moving();
        for (pressed, frame) in [
            (Key::Period, 1.0),
            (Key::Period, 2.0),
            (Key::Comma, 1.0),
            (Key::End, 31.0),
            (Key::Period, 0.0),
            (Key::Comma, 31.0),
            (Key::Home, 0.0),
        ] {
            let camera = state(&h).session.view.camera;
            key(&mut h, pressed);
            assert_eq!(moment(&h), (frame, false), "{pressed:?}");
            assert_eq!(
                state(&h).session.view.camera,
                camera,
                "it is not for the camera too"
            );
        }
        key(&mut h, Key::Space);
        key(&mut h, Key::Period);
        assert!(!moment(&h).1, "a step stops");
        // Without clips the key belongs to the camera.
        let mut h = with_demo();
        let camera = state(&h).session.view.camera;
        h.state_mut().state.session.view.camera.pose.eye.y += 50.0;
        key(&mut h, Key::Home);
        assert!(
            state(&h)
                .session
                .view
                .camera
                .pose
                .eye
                .distance(camera.pose.eye)
                < 1.0
        );
    }

    #[test]
    fn buttons_step_and_go_to_the_ends() {
        let mut h = with_moving();
        for (name, frame) in [
            ("Next frame", 1.0),
            ("Next frame", 2.0),
            ("Previous frame", 1.0),
            ("Last frame", 31.0),
            ("First frame", 0.0),
        ] {
            click(&mut h, name);
            assert_eq!(moment(&h).0, frame, "{name}");
        }
    }

    #[test]
    fn space_does_not_press_the_button_that_has_the_keyboard() {
        let mut h = with_moving();
        h.get_by_label("Last frame").focus();
        h.run();
        key(&mut h, Key::Space);
        assert!(moment(&h).1 && moment(&h).0 < 31.0);
        key(&mut h, Key::Space);
        key(&mut h, Key::Enter);
        assert_eq!(moment(&h), (31.0, false));
    }

    #[test]
    fn a_drag_on_the_ruler_goes_through_the_frames() {
        let mut h = with_moving();
        let (from, to) = (at_frame(&h, 4.0), at_frame(&h, 20.0));
        move_to(&mut h, from);
        button(&mut h, PointerButton::Primary, from, true);
        assert_eq!(moment(&h), (4.0, false), "a press is enough");
        h.input_mut().events.push(Event::PointerMoved(to));
        h.step();
        assert_eq!(moment(&h), (20.0, false));
        // At once, since nothing else may request another frame.
        let field = h.get_by_role_and_label(Role::SpinButton, "Frame");
        assert_eq!(field.accesskit_node().numeric_value(), Some(20.0));
        let beyond = to + vec2(5000.0, -300.0);
        move_to(&mut h, beyond);
        assert_eq!(moment(&h), (31.0, false));
        button(&mut h, PointerButton::Primary, beyond, false);
        assert!(!asks_for_a_frame(&h));
    }

    #[test]
    fn a_drag_on_the_ruler_that_is_over_within_a_frame_goes_to_its_end() {
        let mut h = with_moving();
        let (from, to) = (at_frame(&h, 4.0), at_frame(&h, 20.0));
        quick_drag(&mut h, PointerButton::Primary, from, to - from);
        assert_eq!(moment(&h), (20.0, false));
    }

    #[test]
    fn a_click_on_the_ruler_that_is_over_at_once_goes_there_too() {
        let mut h = with_moving();
        let at = at_frame(&h, 22.0);
        move_to(&mut h, at);
        click_at_once(&mut h, at, 1);
        assert_eq!(moment(&h), (22.0, false));
    }

    /// Clicks within one frame of the window.
    fn click_at_once(h: &mut Opened, at: Pos2, times: usize) {
        let presses = [true, false].map(|pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        for _ in 0..times {
            h.input_mut().events.extend(presses.clone());
        }
        h.run();
    }

    #[test]
    fn what_plays_waits_for_the_drag_and_goes_on() {
        let mut h = with_moving();
        h.state_mut().state.session.player.set_speed(0.1);
        key(&mut h, Key::Space);
        let at = at_frame(&h, 8.0);
        move_to(&mut h, at);
        button(&mut h, PointerButton::Primary, at, true);
        for _ in 0..3 {
            h.step();
            assert_eq!(moment(&h), (8.0, true));
        }
        button(&mut h, PointerButton::Primary, at, false);
        h.run_steps(3);
        let (frame, playing) = moment(&h);
        assert!(playing && frame > 8.0 && frame < 14.0, "{frame}");
    }

    #[test]
    fn frames_and_seconds_are_typed() {
        let mut h = with_moving();
        for (field, text, frame) in [
            ("Frame", "17", 17.0),
            ("Frame", "0.5s", 12.0),
            ("Frame", "999", 31.0),
            ("Frame", "nonsense", 31.0),
            ("Time", "0.25", 6.0),
            ("Time", "1 s", 24.0),
        ] {
            type_into(&mut h, field, text);
            assert_eq!(moment(&h), (frame, false), "{field} {text}");
        }
        // An invalid frame changes nothing and is reported.
        for (field, text) in [
            ("Frame", "-3"),
            ("Frame", "abc"),
            ("Time", "-1"),
            ("Time", "s"),
        ] {
            h.state_mut().state.notices.toasts.clear();
            type_into(&mut h, field, text);
            assert_eq!(moment(&h), (24.0, false), "{field} {text}");
            let said: Vec<&str> = state(&h)
                .notices
                .toasts
                .iter()
                .map(|t| t.text.as_str())
                .collect();
            let expected =
                format!("`{text}` is not a frame: expected 0 to 31, or seconds such as 0.5s");
            assert_eq!(said, [expected]);
        }
        // Also during playback, which must not overwrite the typed text.
        h.state_mut().state.session.player.set_speed(0.05);
        key(&mut h, Key::Space);
        h.get_by_role_and_label(Role::SpinButton, "Frame").click();
        h.run();
        press(&mut h, Modifiers::COMMAND, Key::A);
        h.input_mut().events.push(Event::Text("9".to_owned()));
        h.run_steps(4);
        key(&mut h, Key::Enter);
        assert_eq!(moment(&h), (9.0, false), "stays at what was typed");
    }

    #[test]
    fn speed_and_rate_have_limits() {
        let mut h = with_moving();
        for (wanted, speed) in [(99.0, 4.0), (0.001, 0.05), (0.5, 0.5)] {
            h.get_by_role_and_label(Role::Slider, "Speed")
                .set_value_accesskit(wanted);
            h.run();
            assert!((state(&h).session.player.speed() - speed).abs() < 1e-3);
        }
        type_into(&mut h, "Speed as a number", "2");
        assert_eq!(state(&h).session.player.speed(), 2.0);
        for (text, fps) in [
            ("60", 60.0),
            ("0", 1.0),
            ("9999", 240.0),
            ("23.976", 23.976),
        ] {
            type_into(&mut h, "Frames per second", text);
            assert_eq!(state(&h).session.player.fps(), fps);
        }
        key(&mut h, Key::Minus);
        assert_eq!(state(&h).session.player.speed(), 1.5);
    }

    #[test]
    fn the_range_is_dragged_by_its_ends_and_reset_by_a_double_click() {
        let mut h = with_moving();
        let low = |h: &Opened, frame: f32| {
            let ruler = rect(h, "timeline-ruler");
            pos2(at_frame(h, frame - 0.5).x, ruler.bottom() - 4.0)
        };
        let (start, to) = (rect(&h, "timeline-range-start").center(), low(&h, 8.0));
        drag(&mut h, start, to);
        assert_eq!(state(&h).session.player.range(), [8, 31]);
        let (end, to) = (rect(&h, "timeline-range-end").center(), low(&h, 20.0));
        drag(&mut h, end, to);
        assert_eq!(state(&h).session.player.range(), [8, 19]);
        assert_eq!(moment(&h).0, 0.0, "the moment is another matter");
        key(&mut h, Key::End);
        assert_eq!(moment(&h).0, 19.0);
        key(&mut h, Key::Space);
        for _ in 0..8 {
            h.step();
            assert!((8.0..20.0).contains(&moment(&h).0));
        }
        key(&mut h, Key::Space);
        let handle = "Last frame of the range";
        h.get_by_role_and_label(Role::Slider, handle)
            .set_value_accesskit(25.0);
        h.run();
        assert_eq!(state(&h).session.player.range(), [8, 25]);
        h.get_by_role_and_label(Role::Slider, handle).focus();
        h.run();
        key(&mut h, Key::ArrowLeft);
        assert_eq!(state(&h).session.player.range(), [8, 24]);
        let at = low(&h, 15.0);
        move_to(&mut h, at);
        click_at_once(&mut h, at, 2);
        assert!(state(&h).session.player.is_whole_range());
        key(&mut h, Key::Home);
        key(&mut h, Key::Period);
        key(&mut h, Key::I);
        key(&mut h, Key::Period);
        key(&mut h, Key::O);
        assert_eq!(state(&h).session.player.range(), [1, 2]);
    }

    #[test]
    fn clips_are_chosen_from_a_list_and_by_keys() {
        let mut h = with_moving();
        let list = |h: &Opened| h.get_by_role_and_label(Role::ComboBox, "Clip").value();
        assert_eq!(
            (clip(&h), list(&h).as_deref()),
            (Some("Walk"), Some("Walk"))
        );
        key(&mut h, Key::Period);
        h.get_by_role_and_label(Role::ComboBox, "Clip").click();
        h.run();
        h.get_by_label_contains("10 frames, 0.42 s").click();
        h.run();
        assert_eq!((clip(&h), moment(&h).0), (Some("Idle"), 0.0));
        for (pressed, name) in [
            (Key::CloseBracket, Some("Salute")),
            (Key::CloseBracket, Some("Walk")),
            (Key::OpenBracket, Some("Salute")),
            (Key::Num0, None),
            (Key::CloseBracket, Some("Walk")),
        ] {
            key(&mut h, pressed);
            assert_eq!(clip(&h), name, "{pressed:?}");
        }
        key(&mut h, Key::Num0);
        assert_eq!(list(&h).as_deref(), Some("Bind pose"));
        assert!(!asks_for_a_frame(&h));
        key(&mut h, Key::Space);
        assert_eq!((clip(&h), moment(&h).1), (Some("Walk"), true));
        // Selecting in the outline does the same.
        let idle = state(&h).session.clips()[1].item;
        h.state_mut().state.session.select(Some(idle));
        assert_eq!(clip(&h), Some("Idle"));
    }

    #[test]
    fn what_happens_at_the_end_is_chosen() {
        let mut h = with_moving();
        for (name, mode) in [
            ("Play once", LoopMode::Once),
            ("Play back and forth", LoopMode::PingPong),
            ("Play in a loop", LoopMode::Loop),
        ] {
            click(&mut h, name);
            assert_eq!(state(&h).session.player.loop_mode(), mode);
            let pressed = h.get_by_label(name).accesskit_node().toggled();
            assert_eq!(pressed, Some(accesskit::Toggled::True), "{name}");
        }
        click(&mut h, "Play once");
        key(&mut h, Key::Space);
        h.run_steps(12);
        assert_eq!(moment(&h), (31.0, false));
    }

    #[test]
    fn the_ruler_is_a_slider_for_the_keyboard_and_for_screen_readers() {
        let mut h = with_moving();
        let ruler = |h: &mut Opened, value: f64| {
            h.get_by_role_and_label(Role::Slider, "Frame ruler")
                .set_value_accesskit(value);
            h.run();
        };
        ruler(&mut h, 12.0);
        assert_eq!(moment(&h), (12.0, false));
        h.get_by_role_and_label(Role::Slider, "Frame ruler").focus();
        h.run();
        key(&mut h, Key::ArrowRight);
        key(&mut h, Key::ArrowRight);
        key(&mut h, Key::ArrowLeft);
        assert_eq!(moment(&h), (13.0, false));
        ruler(&mut h, f64::NAN);
        assert_eq!(moment(&h), (13.0, false));
    }

    /// The result of loading a document with these clips.
    fn loaded(clips: &[(&str, u32)], reload: bool) -> Outcome {
        testing::loaded(moving(clips), reload)
    }

    #[test]
    fn a_file_plays_when_it_is_opened_even_if_the_last_one_was_stopped() {
        let mut h = with_moving();
        for plays in [true, false] {
            h.state_mut().state.session.plays_at_once = plays;
            h.state_mut().state.loaded(loaded(&[("Run", 8)], false));
            assert_eq!((clip(&h), moment(&h)), (Some("Run"), (0.0, true)));
        }
        key(&mut h, Key::Space);
        h.state_mut().state.loaded(loaded(&[], false));
        assert_eq!((clip(&h), moment(&h)), (None, (0.0, false)));
        assert!(state(&h).session.plays_at_once, "nothing was stopped");
    }

    #[test]
    fn a_reload_keeps_clip_frame_and_playing() {
        let mut h = with_moving();
        key(&mut h, Key::CloseBracket);
        key(&mut h, Key::Space);
        h.state_mut().state.session.scrub(7.0);
        let again = loaded(&[("New", 3), ("Idle", 20), ("Walk", 32)], true);
        h.state_mut().state.loaded(again);
        assert_eq!((clip(&h), moment(&h)), (Some("Idle"), (7.0, true)));
        h.state_mut().state.loaded(loaded(&[("Idle", 4)], true));
        assert_eq!((clip(&h), moment(&h)), (Some("Idle"), (3.0, true)));
        h.state_mut().state.loaded(loaded(&[("Walk", 4)], true));
        assert_eq!((clip(&h), moment(&h)), (Some("Walk"), (0.0, true)));
        key(&mut h, Key::Num0);
        h.state_mut().state.loaded(loaded(&[("Walk", 4)], true));
        assert_eq!(clip(&h), None);
    }

    #[test]
    fn a_click_in_the_curves_goes_to_the_frame() {
        let mut h = with_moving();
        h.state_mut().state.run(Action::Panel(DockPanel::Curves));
        h.run();
        h.get_by_label("No joint is selected");
        h.state_mut().state.session.select(Some(joint(0)));
        h.run();
        let curves = h.get_by_label("Rotation curves").rect();
        let at = curves.center();
        move_to(&mut h, at);
        button(&mut h, PointerButton::Primary, at, true);
        button(&mut h, PointerButton::Primary, at, false);
        let (frame, _) = moment(&h);
        assert!((frame - 15.5).abs() <= 0.5, "{frame}");
        h.get_by_label_contains(&format!("Frame {frame}"));
        let to = curves.right_center() + vec2(-1.0, 5.0);
        drag(&mut h, at, to);
        assert_eq!(moment(&h).0, 31.0);
        key(&mut h, Key::Num0);
        h.get_by_label("No clip is shown");
    }

    #[test]
    fn curves_show_the_frames_of_the_timeline_and_several_joints() {
        let mut h = with_moving();
        h.state_mut().state.run(Action::Panel(DockPanel::Curves));
        h.state_mut().state.session.select(Some(joint(0)));
        for at in [0.0, 0.5] {
            let zoom = Request::ZoomTimeline {
                frame: 16.0,
                factor: 1.0 - at,
            };
            h.state_mut().state.request(zoom);
        }
        h.run();
        let to = h.get_by_label("Rotation curves").rect().right_center() + vec2(-1.0, 5.0);
        let from = to - vec2(20.0, 0.0);
        move_to(&mut h, from);
        drag(&mut h, from, to);
        assert_eq!(moment(&h).0, 23.0, "the last of the visible frames");
        let ruler = rect(&h, "timeline-ruler");
        let at = pos2(ruler.left() + 1.0, ruler.top() + 10.0);
        move_to(&mut h, at);
        click_at_once(&mut h, at, 1);
        assert_eq!(moment(&h).0, 8.0, "the first of the visible frames");
        h.state_mut().state.request(Request::AlsoSelect(joint(1)));
        click(&mut h, "Global");
        click(&mut h, "Quaternions");
        let selected = |h: &Opened| {
            let shown = &state(h).session.view.shown;
            shown.all_selected().collect::<Vec<_>>()
        };
        assert_eq!(selected(&h), [joint(0), joint(1)]);
        h.state_mut().state.request(Request::AlsoSelect(joint(0)));
        assert_eq!(selected(&h), [joint(1)]);
        h.state_mut().state.request(Request::AlsoSelect(joint(2)));
        h.state_mut().state.request(Request::AlsoSelect(joint(2)));
        assert_eq!(selected(&h), [joint(1)]);
    }

    #[test]
    fn a_transition_is_previewed_in_the_time_that_is_typed() {
        let mut h = testing::window(|state| {
            state.loaded(testing::loaded(testing::model(), false));
            state.session.player.set_playing(false);
        });
        let frames = |h: &Opened| {
            let clips = state(h).session.clips();
            [clips[0].frames, clips[1].frames]
        };
        let [own, other] = frames(&h);
        let transition = Request::SetTransition(Some((1, 0.5)));
        h.state_mut().state.request(transition);
        h.run();
        assert_eq!(state(&h).session.player.frames(), own + 12 + other);
        type_into(&mut h, "Duration of the transition", "1");
        assert_eq!(state(&h).session.player.frames(), own + 24 + other);
        let list = h.get_by_role_and_label(Role::ComboBox, "Transition");
        assert_eq!(
            list.value().as_ref(),
            Some(&state(&h).session.clips()[1].name)
        );
        h.state_mut().state.session.scrub(f64::from(own - 1) + 12.0);
        let blend = state(&h).session.view.shown.playhead.blend.unwrap();
        assert_eq!((blend.clip, blend.part), (1, 0.48));
        h.state_mut().state.request(Request::SetTransition(None));
        h.run();
        assert_eq!(state(&h).session.player.frames(), own);
        assert!(h.query_by_label("Duration of the transition").is_none());
        let onion = Action::Overlay(OverlayId::OnionSkin);
        h.state_mut().state.run(onion);
        h.run();
        type_into(&mut h, "Frames between ghosts", "5");
        assert_eq!(state(&h).session.view.shown.ghost_step, Some(5));
    }

    #[test]
    fn a_narrow_window_has_the_rest_in_a_menu() {
        for scale in [1.0, 2.0] {
            let mut h = picture_of_moving(vec2(480.0, 420.0), scale);
            let inside = h.ctx.content_rect();
            for (name, rect) in &h.state().placed.rects {
                let whole = !name.starts_with("timeline") || inside.contains_rect(*rect);
                assert!(whole, "{name} is at {rect:?}");
            }
            assert!(h.query_by_label("Frames per second").is_none());
            click(&mut h, "Playback options");
            type_into(&mut h, "Frames per second", "12");
            assert_eq!(state(&h).session.player.fps(), 12.0);
            keep_picture(&mut h, &format!("timeline-narrow-{scale}"));
        }
    }

    #[test]
    fn numbers_are_not_cut_off_at_the_ends_of_the_ruler() {
        let ruler = Rect::from_min_size(pos2(8.0, 50.0), vec2(100.0, 38.0));
        let place = |x| within(ruler, x, 2.0, vec2(30.0, 12.0));
        for x in [8.0, 20.0, 60.0, 96.0, 108.0] {
            assert!(ruler.contains_rect(place(x)), "{x}: {:?}", place(x));
        }
        assert_eq!(place(60.0).center_top(), pos2(60.0, 52.0));
    }

    /// Texts on the ruler, with their rectangles.
    fn numbers_of_ruler(h: &Opened) -> Vec<(String, Rect)> {
        let ruler = rect(h, "timeline-ruler").expand(20.0);
        let texts = h.output().shapes.iter().filter_map(|clipped| {
            let egui::Shape::Text(text) = &clipped.shape else {
                return None;
            };
            let place = text.visual_bounding_rect();
            let shown = ruler.contains_rect(place) && clipped.clip_rect.contains_rect(place);
            shown.then(|| (text.galley.text().to_owned(), place))
        });
        texts.collect()
    }

    #[test]
    fn the_number_of_the_moment_is_over_no_other() {
        let mut h = with_moving();
        for frame in 0..32 {
            h.state_mut().state.session.scrub(frame.into());
            h.run();
            let numbers = numbers_of_ruler(&h);
            assert!(numbers.len() > 5, "{numbers:?}");
            let moment = numbers
                .iter()
                .filter(|(text, _)| *text == frame.to_string());
            assert_eq!(moment.count(), 1, "{frame}: {numbers:?}");
            for (at, (text, place)) in numbers.iter().enumerate() {
                for (other, its_place) in &numbers[..at] {
                    assert!(!place.intersects(*its_place), "{text} and {other}");
                }
            }
        }
    }

    #[test]
    fn the_moment_is_marked_on_the_ruler() {
        for (scale, smooth) in [(1.0, false), (2.0, true)] {
            let mut h = picture_of_moving(vec2(1280.0, 800.0), scale);
            h.state_mut().state.run(Action::Panel(DockPanel::Curves));
            h.state_mut().state.session.select(Some(joint(1)));
            h.state_mut().state.session.player.set_smooth(smooth);
            h.state_mut().state.session.player.set_range_start(5);
            h.state_mut().state.session.player.set_range_end(25);
            h.state_mut().state.session.scrub(12.0);
            h.run();
            let picture = keep_picture(&mut h, &format!("timeline-{scale}"));
            let ruler = rect(&h, "timeline-ruler");
            let accent = |frame: f32| {
                let x = ruler.left() + frame / 32.0 * ruler.width();
                let [x, y] = [x, ruler.top() + 20.0].map(|at| (at * scale) as u32);
                // Anywhere within the line's width.
                (x - 2..=x + 2).any(|x| {
                    let [r, g, b, _] = picture.get_pixel(x, y).0;
                    r > 180 && g > 120 && b < 120
                })
            };
            assert!(accent(12.0) && !accent(9.0) && !accent(20.0));
        }
    }
}
