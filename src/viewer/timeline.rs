//! The strip below the view in which clips are chosen, played and gone through.

use egui::accesskit;
use egui::{
    Align, Align2, Color32, ComboBox, CornerRadius, CursorIcon, DragValue, EventFilter, FontId,
    Id, Key, Layout, Modifiers, Panel, Pos2, Rect, Response, Role, Sense, Slider, Stroke,
    StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::commands::{self, Action, Animation};
use super::icons::{self, Icon};
use super::player::{self, LoopMode};
use super::state::State;
use super::theme;
use super::ui::Placed;

/// Windows narrower than this have what is seldom changed in a menu, in points.
const WIDE: f32 = 800.0;
/// Height of the ruler, in points: numbers, ticks, and the range that is played.
const RULER_HEIGHT: f32 = 38.0;
/// Height of the range at the bottom of the ruler.
const RANGE_HEIGHT: f32 = 9.0;
/// Room beside the first and after the last frame.
const RULER_MARGIN: f32 = 12.0;
/// The least room between two numbers of the ruler, and between two ticks.
const NUMBER_ROOM: f32 = 52.0;
const TICK_ROOM: f32 = 6.0;
/// How wide a place the pointer finds a handle of the range at.
const HANDLE_WIDTH: f32 = 12.0;

/// Shows the timeline, if the open document has clips.
pub(super) fn timeline(root: &mut Ui, state: &mut State, placed: &mut Placed) {
    if state.clips().is_empty() || !state.settings.timeline.shown {
        return;
    }
    let strip = Panel::bottom("timeline").resizable(false).show(root, |ui| {
        ui.add_space(1.0);
        ui.horizontal(|ui| controls(ui, state, placed));
        ruler(ui, state, placed);
        ui.add_space(1.0);
    });
    placed.at("timeline", strip.response.rect);
}

fn controls(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let wide = ui.available_width() >= WIDE;
    ui.spacing_mut().item_spacing.x = 6.0;
    clip_chooser(ui, state, if wide { 150.0 } else { 96.0 }, placed);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        let play = if state.player.is_playing() {
            Icon::Pause
        } else {
            Icon::Play
        };
        for (icon, action, place) in [
            (Icon::ToStart, Animation::End { last: false }, "first"),
            (Icon::StepBack, Animation::Step { backwards: true }, "previous"),
            (play, Animation::Play, "play"),
            (Icon::Stop, Animation::Stop, "stop"),
            (Icon::StepAhead, Animation::Step { backwards: false }, "next"),
            (Icon::ToEnd, Animation::End { last: true }, "last"),
        ] {
            command_button(ui, state, icon, action, place, placed);
        }
    });
    frame_fields(ui, state, placed);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if wide {
            options(ui, state, placed);
        } else {
            more(ui, state, placed);
        }
    });
}

/// A button that runs a command, and shows whether it is on.
fn command_button(
    ui: &mut Ui,
    state: &mut State,
    icon: Icon,
    action: Animation,
    place: &str,
    placed: &mut Placed,
) {
    let action = Action::Animation(action);
    let Some(command) = commands::of(action) else {
        return;
    };
    // A button that says it is pressed while it shows what pressing it would do says two things.
    let on = state.is_on(action).filter(|_| icon != Icon::Pause && icon != Icon::Play);
    let name = if icon == Icon::Pause { "Pause" } else { command.name };
    let enabled = state.is_enabled(action);
    let button = ui.add_enabled_ui(enabled, |ui| icons::button(ui, icon, name, on));
    let button = button.inner;
    placed.at(&format!("timeline-{place}"), button.rect);
    let keys = command.first_key_text();
    let keys = if keys.is_empty() { keys } else { format!(" ({keys})") };
    if button.on_hover_text(format!("{}{keys}", command.help)).clicked() {
        state.run(action);
    }
}

/// Tells a screen reader what a field is for, where nothing is written beside it.
fn name(response: &Response, name: &str) {
    response
        .ctx
        .accesskit_node_builder(response.id, |node| node.set_label(name));
}

fn clip_chooser(ui: &mut Ui, state: &mut State, width: f32, placed: &mut Placed) {
    let shown = state.player.clip();
    let clip_name = |index: usize| state.clips().get(index).map(|clip| clip.name.clone());
    let text = shown.and_then(clip_name);
    let text = text.unwrap_or_else(|| "Bind pose".to_owned());
    let mut chosen = None;
    let list = ComboBox::from_id_salt("clip")
        .selected_text(text)
        .width(width)
        .truncate()
        .show_ui(ui, |ui| {
            for (index, clip) in state.clips().iter().enumerate() {
                let frames = match clip.frames {
                    1 => "1 frame".to_owned(),
                    frames => format!("{frames} frames"),
                };
                let secs = f64::from(clip.frames) / state.player.fps();
                let length = egui::RichText::new(format!("{frames}, {secs:.2} s")).weak();
                let button = egui::Button::new(&clip.name)
                    .right_text(length)
                    .selected(shown == Some(index))
                    .frame_when_inactive(shown == Some(index))
                    .min_size(vec2(210.0, 0.0));
                if ui.add(button).clicked() {
                    chosen = Some(Some(index));
                }
            }
            let button = egui::Button::new("Bind pose")
                .selected(shown.is_none())
                .frame_when_inactive(shown.is_none())
                .min_size(vec2(210.0, 0.0));
            if ui.add(button).clicked() {
                chosen = Some(None);
            }
        });
    placed.at("timeline-clip", list.response.rect);
    name(&list.response, "Clip");
    if let Some(chosen) = chosen {
        state.choose_clip(chosen);
    }
}

/// The frame and the time as numbers that can be typed.
fn frame_fields(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let player = &state.player;
    let (frame, last, fps) = (player.frame(), f64::from(player.last()), player.fps());
    let (smooth, in_clip) = (player.is_smooth(), player.clip().is_some());
    let mut typed = None;
    let mut held = false;
    ui.add_enabled_ui(in_clip, |ui| {
        ui.spacing_mut().interact_size.x = 40.0;
        let mut to = frame;
        let field = DragValue::new(&mut to)
            .range(0.0..=last)
            .speed(0.1)
            .fixed_decimals(usize::from(smooth))
            .custom_parser(|text| player::parse_frame(text, fps))
            .update_while_editing(false);
        let field = ui.add(field);
        name(&field, "Frame");
        placed.at("timeline-frame", field.rect);
        held |= field.has_focus() || field.dragged();
        typed = field.changed().then_some(to);
        let help = "The frame, from 0. Type a number, or seconds such as 0.5s";
        field.on_hover_text(help);
        ui.weak(format!("/ {last}"));
        let mut to = frame / fps;
        let field = DragValue::new(&mut to)
            .range(0.0..=last / fps)
            .speed(0.1 / fps)
            .fixed_decimals(2)
            .suffix(" s")
            // Seconds here, with or without the unit; a letter `f` would be for frames.
            .custom_parser(|text| {
                let text = text.trim().trim_end_matches(char::is_alphabetic);
                player::parse_frame(&format!("{text}s"), fps).map(|frame| frame / fps)
            })
            .update_while_editing(false);
        let field = ui.add(field);
        name(&field, "Time");
        placed.at("timeline-time", field.rect);
        held |= field.has_focus() || field.dragged();
        if field.changed() {
            typed = Some(to * fps);
        }
        field.on_hover_text("Seconds from the beginning of the clip");
    });
    if let Some(frame) = typed {
        // Halfway between two whole frames there is none.
        let frame = if smooth { frame } else { (frame + 1e-6).floor() };
        state.scrub(frame);
    } else if held {
        // A number that changes cannot be typed over.
        state.player.hold();
    }
}

/// What is changed now and then, from the right to the left.
fn options(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let hide = commands::of(Action::Animation(Animation::Timeline));
    let close = ui
        .add(egui::Button::new(egui::RichText::new("×").size(18.0)).frame(false))
        .on_hover_text("Hide the timeline");
    close.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Hide the timeline"));
    placed.at("timeline-hide", close.rect);
    if close.clicked()
        && let Some(hide) = hide
    {
        state.run(hide.action);
    }
    fps_field(ui, state, placed);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 1.0;
        let smooth = Animation::Smooth;
        command_button(ui, state, Icon::Smooth, smooth, "smooth", placed);
        ui.add_space(5.0);
        for mode in LoopMode::ALL.into_iter().rev() {
            loop_button(ui, state, mode, placed);
        }
    });
    speed_field(ui, state, placed);
}

/// The same in a menu, where there is no room.
fn more(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let button = icons::button(ui, Icon::More, "How it plays", None);
    placed.at("timeline-more", button.rect);
    egui::Popup::menu(&button)
        .close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            egui::Grid::new("how it plays").num_columns(2).show(ui, |ui| {
                ui.label("Speed");
                ui.horizontal(|ui| speed_field(ui, state, placed));
                ui.end_row();
                ui.label("At the end");
                ui.horizontal(|ui| {
                    for mode in LoopMode::ALL {
                        loop_button(ui, state, mode, placed);
                    }
                });
                ui.end_row();
                ui.label("Smooth");
                let smooth = Animation::Smooth;
                command_button(ui, state, Icon::Smooth, smooth, "smooth", placed);
                ui.end_row();
                ui.label("Rate");
                fps_field(ui, state, placed);
                ui.end_row();
            });
            for action in [Animation::WholeRange, Animation::Timeline] {
                let action = Action::Animation(action);
                if let Some(command) = commands::of(action) {
                    super::menus::menu_item(ui, state, command)
                        .clicked()
                        .then(|| state.run(action));
                }
            }
        });
    button.on_hover_text("Speed, what happens at the end, and more");
}

fn loop_button(ui: &mut Ui, state: &mut State, mode: LoopMode, placed: &mut Placed) {
    let (icon, place) = match mode {
        LoopMode::Once => (Icon::Once, "once"),
        LoopMode::Loop => (Icon::Loop, "loop"),
        LoopMode::PingPong => (Icon::PingPong, "ping-pong"),
    };
    command_button(ui, state, icon, Animation::Loop(mode), place, placed);
}

fn fps_field(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let mut fps = state.player.fps();
    let field = DragValue::new(&mut fps)
        .range(player::FPS)
        .speed(0.2)
        .max_decimals(2)
        .suffix(" fps")
        .update_while_editing(false);
    let field = ui.add(field);
    name(&field, "Frames a second");
    placed.at("timeline-fps", field.rect);
    if field.changed() {
        state.player.set_fps(fps);
    }
    field.on_hover_text("Frames a second; the game has 24");
}

fn speed_field(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    ui.spacing_mut().slider_width = 76.0;
    ui.spacing_mut().interact_size.x = 46.0;
    let mut speed = state.player.speed();
    let slider = Slider::new(&mut speed, player::SPEEDS)
        .logarithmic(true)
        .show_value(false);
    let slider = ui.add(slider);
    name(&slider, "Speed");
    placed.at("timeline-speed", slider.rect);
    let reset = slider.double_clicked();
    let slid = slider.changed();
    slider.on_hover_text("How fast it plays; a double click makes it normal");
    let field = DragValue::new(&mut speed)
        .range(player::SPEEDS)
        .speed(0.01)
        .fixed_decimals(2)
        .suffix("×")
        .update_while_editing(false);
    let field = ui.add(field);
    name(&field, "Speed as a number");
    if reset {
        speed = 1.0;
    }
    if reset || slid || field.changed() {
        state.player.set_speed(speed);
    }
}

/// Places on the ruler.
#[derive(Clone, Copy)]
struct Track {
    /// From the beginning of the first frame to the end of the last.
    rect: Rect,
    frames: f32,
}

impl Track {
    /// Where a frame begins.
    fn x(&self, frame: f64) -> f32 {
        self.rect.left() + frame as f32 / self.frames * self.rect.width()
    }

    /// The frame at a place, with how much of it has gone by.
    fn frame(&self, x: f32) -> f64 {
        let along = (x - self.rect.left()) / self.rect.width().max(1.0);
        f64::from(along * self.frames).clamp(0.0, f64::from(self.frames) - 1e-3)
    }

    fn frame_width(&self) -> f32 {
        self.rect.width() / self.frames
    }
}

/// The frames of the clip in a row, to be gone through with the pointer.
fn ruler(ui: &mut Ui, state: &mut State, placed: &mut Placed) {
    let size = vec2(ui.available_width(), RULER_HEIGHT);
    let (_, rect) = ui.allocate_space(size);
    let in_clip = state.player.clip().is_some() && state.player.frames() > 0;
    let track = Track {
        rect: rect.shrink2(vec2(RULER_MARGIN, 0.0)),
        frames: state.player.frames().max(1) as f32,
    };
    placed.at("timeline-ruler", track.rect);
    ui.painter().rect_filled(rect, 4.0, theme::DEEP);
    if !in_clip {
        let text = "The bind pose, without any clip";
        let font = FontId::proportional(12.0);
        let color = ui.visuals().weak_text_color();
        ui.painter()
            .text(rect.center(), Align2::CENTER_CENTER, text, font, color);
        return;
    }
    let upper = rect.with_max_y(rect.bottom() - RANGE_HEIGHT - 2.0);
    let lower = rect.with_min_y(upper.bottom());
    let response = ui.interact(upper, Id::unique("timeline ruler"), Sense::click_and_drag());
    let last = f64::from(state.player.last());
    let moved = slide(ui, &response, "Frame ruler", state.player.frame(), last);
    let pointer = response.interact_pointer_pos();
    if let Some(pointer) = pointer.filter(|_| response.is_pointer_button_down_on()) {
        let frame = track.frame(pointer.x);
        state.scrub(frame.min(if state.player.is_smooth() { last } else { frame }));
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
    } else if let Some(frame) = moved {
        state.change_player(|player| player.set_playing(false));
        state.change_player(|player| player.seek(frame));
    }
    let range = range_strip(ui, state, track, lower, placed);
    paint_ruler(ui, state, track, rect, upper);
    if let Some(pointer) = response.hover_pos().filter(|_| !response.dragged()) {
        let x = track.x(track.frame(pointer.x).floor());
        let stroke = Stroke::new(1.0, theme::WEAK_TEXT.gamma_multiply(0.5));
        ui.painter().vline(x, upper.y_range(), stroke);
    }
    paint_range(ui, state, track, lower, range);
    paint_playhead(ui, state, track, rect);
}

/// Makes something a slider for screen readers and arrow keys. Gives the value that these ask for.
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
    wanted.filter(|value| value.is_finite()).map(|value| value.clamp(0.0, last))
}

/// The handles at both ends of what is played. Gives which one the pointer is at.
fn range_strip(
    ui: &Ui,
    state: &mut State,
    track: Track,
    strip: Rect,
    placed: &mut Placed,
) -> [bool; 2] {
    let whole = ui.interact(strip, Id::unique("timeline range"), Sense::click());
    if whole.double_clicked() {
        state.player.reset_range();
    }
    whole.on_hover_text(
        "What is played: drag its ends. A double click plays all of the clip again",
    );
    let [first, last] = state.player.range();
    let end = f64::from(state.player.last());
    let mut at = [false; 2];
    for (side, (frame, id, name)) in [
        (first, "range-start", "First frame that is played"),
        (last, "range-end", "Last frame that is played"),
    ]
    .into_iter()
    .enumerate()
    {
        let x = track.x(f64::from(frame) + side as f64);
        // Outward, so that both can be taken hold of where they meet.
        let outward = if side == 0 { -0.25 } else { 0.25 };
        let center = pos2(x + outward * HANDLE_WIDTH, strip.center().y);
        let handle = Rect::from_center_size(center, vec2(HANDLE_WIDTH, strip.height()));
        let response = ui.interact(handle, Id::unique(("timeline", id)), Sense::click_and_drag());
        let mut to = slide(ui, &response, name, frame.into(), end);
        placed.at(&format!("timeline-{id}"), handle);
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            // The nearest line between two frames.
            let along = track.frame(pointer.x + track.frame_width() * 0.5).floor();
            let beyond = pointer.x > track.x(end + 0.5);
            to = Some(match side {
                0 => along.min(end),
                _ if beyond => end,
                _ => (along - 1.0).max(0.0),
            });
        }
        if response.double_clicked() {
            state.player.reset_range();
        } else if let Some(to) = to {
            if side == 0 {
                state.player.set_range_start(to as u32);
            } else {
                state.player.set_range_end(to as u32);
            }
        }
        let grabbed = response.hovered() || response.dragged() || response.has_focus();
        if let Some(at) = at.get_mut(side) {
            *at = grabbed;
        }
        response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    }
    at
}

/// The least of 1, 2, 5, 10, 20, 50 ... frames that takes so much room.
fn step_with_room(frame_width: f32, room: f32) -> u32 {
    let mut steps = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u32.pow(power)));
    let fits = |step: &u32| *step as f32 * frame_width >= room;
    steps.find(fits).unwrap_or(1_000_000_000)
}

fn paint_ruler(ui: &Ui, state: &State, track: Track, rect: Rect, upper: Rect) {
    let painter = ui.painter();
    let [first, last] = state.player.range();
    // What is not played steps back.
    let played = rect
        .with_min_x(track.x(first.into()))
        .with_max_x(track.x(f64::from(last) + 1.0));
    painter.rect_filled(
        played.with_max_y(upper.bottom()),
        0.0,
        theme::PANEL.lerp_to_gamma(Color32::WHITE, 0.03),
    );
    let line = ui.visuals().widgets.noninteractive.bg_stroke.color;
    let width = track.frame_width();
    let tick_step = step_with_room(width, TICK_ROOM);
    let number_step = step_with_room(width, NUMBER_ROOM).max(tick_step);
    let frames = state.player.frames();
    let font = FontId::monospace(11.0);
    for frame in (0..=frames).step_by(tick_step as usize) {
        let x = track.x(frame.into());
        let numbered = frame % number_step == 0 && frame < frames;
        let length = if numbered { 9.0 } else { 5.0 };
        let color = if numbered { theme::WEAK_TEXT } else { line };
        let ends = [pos2(x, upper.bottom() - length), pos2(x, upper.bottom())];
        painter.line_segment(ends, Stroke::new(1.0, color));
        if numbered {
            let at = pos2(x, upper.top() + 2.0);
            let inside = frame >= first && frame <= last;
            let color = theme::WEAK_TEXT.gamma_multiply(if inside { 1.0 } else { 0.6 });
            painter.text(at, Align2::CENTER_TOP, frame, font.clone(), color);
        }
    }
}

fn paint_range(ui: &Ui, state: &State, track: Track, strip: Rect, at: [bool; 2]) {
    let painter = ui.painter();
    let bar = strip.shrink2(vec2(0.0, 2.5));
    painter.rect_filled(bar.intersect(track.rect), 2.0, theme::PANEL);
    let [first, last] = state.player.range();
    let ends = [track.x(first.into()), track.x(f64::from(last) + 1.0)];
    let [left, right] = ends;
    let played = bar.with_min_x(left).with_max_x(right);
    let whole = state.player.is_whole_range();
    let strength = if whole { 0.35 } else { 0.75 };
    painter.rect_filled(played, 2.0, theme::ACCENT.gamma_multiply(strength));
    for (x, at) in ends.into_iter().zip(at) {
        let handle = Rect::from_center_size(pos2(x, strip.center().y), vec2(5.0, strip.height()));
        let color = if at {
            ui.visuals().strong_text_color()
        } else {
            theme::ACCENT
        };
        painter.rect_filled(handle, 2.0, color);
    }
}

/// A line at the moment that is shown, with its number.
fn paint_playhead(ui: &Ui, state: &State, track: Track, rect: Rect) {
    let painter = ui.painter();
    let frame = state.player.frame();
    let x = track.x(frame);
    let bottom = rect.bottom() - RANGE_HEIGHT - 2.0;
    if !state.player.is_smooth() && track.frame_width() >= 4.0 {
        // For as long as it is shown.
        let cell = Rect::from_min_max(
            pos2(x, rect.top()),
            pos2(x + track.frame_width(), bottom),
        );
        painter.rect_filled(cell, 0.0, theme::ACCENT.gamma_multiply(0.22));
    }
    let stroke = Stroke::new(1.5, theme::ACCENT);
    painter.vline(x, rect.top()..=bottom, stroke);
    let text = if state.player.is_smooth() {
        format!("{frame:.1}")
    } else {
        format!("{frame:.0}")
    };
    let galley = painter.layout_no_wrap(text, FontId::monospace(11.5), theme::DEEP);
    let size = galley.size() + vec2(8.0, 1.0);
    let half = size.x * 0.5;
    let middle = x.clamp(rect.left() + half, (rect.right() - half).max(rect.left() + half));
    let flag = Rect::from_center_size(pos2(middle, rect.top() + 1.0 + size.y * 0.5), size);
    painter.rect_filled(flag, CornerRadius::same(3), theme::ACCENT);
    let at: Pos2 = flag.center() - galley.size() * 0.5;
    painter.galley(at, galley, theme::DEEP);
    let outline = Stroke::new(1.0, theme::DEEP);
    painter.rect_stroke(flag, CornerRadius::same(3), outline, StrokeKind::Outside);
}
