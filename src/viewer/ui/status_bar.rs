//! The status bar: the item under the pointer, and the state of the viewer.

use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align, Button, Layout, Panel as EguiPanel, RichText, TextStyle, TextWrapMode, Ui, WidgetText,
};

use super::BarContext;
use crate::viewer::commands::{Action, key_of};
use crate::viewer::docks::Panel;
use crate::viewer::format::capitalized;
use crate::viewer::panels::parts;
use crate::viewer::state::State;
use crate::viewer::state::playlist::Playlist;
use crate::viewer::ui::viewport;
use crate::viewer::view::camera_control::CameraMode;
use crate::viewer::view::flat;
use crate::viewer::{places, theme};
use mapscope_formats::{Severity, Tally};
use mapscope_scene::{SummaryPart, ViewState, fixed};

/// Width of the progress bar of a save, in points.
const SAVING_WIDTH: f32 = 90.0;
/// Maximum number of characters of its text, which contains a file name.
const MAX_SAVING_CHARS: usize = 31;

pub(crate) fn status_bar(root: &mut Ui, context: &mut BarContext<'_>) {
    let panel = EguiPanel::bottom("status bar").frame(theme::bar(root));
    let bar = panel.show(root, |ui| {
        parts::name_panel(ui, "Status bar");
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                status_right(ui, context);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let (text, spoken) = status_text(ui, context.state, true);
                    let width = |text: &WidgetText| {
                        let wrap = Some(TextWrapMode::Extend);
                        let galley = text.clone().into_galley(ui, wrap, 0.0, TextStyle::Body);
                        galley.size().x
                    };
                    let text = if width(&text) > ui.available_width() {
                        status_text(ui, context.state, false).0
                    } else {
                        text
                    };
                    let status = ui.add(egui::Label::new(text).truncate());
                    if !spoken.is_empty() {
                        ui.ctx()
                            .accesskit_node_builder(status.id, |node| node.set_value(spoken));
                    }
                });
            });
        });
    });
    places::note(root.ctx(), "status", bar.response.rect);
}

/// Returns the text about the hovered item and its position, or else the available mouse actions.
/// With `roomy`, values are padded, so that the text does not move while they change. The second
/// text is for screen readers; it is empty if it would be the same.
fn status_text(ui: &Ui, state: &State, roomy: bool) -> (WidgetText, String) {
    let Some(document) = state.session.document() else {
        return advice("Drop a file here, or open one", state);
    };
    let measured = state.session.tools.measure.parts();
    if !measured.is_empty() {
        let mut line = Line::new(ui);
        for part in measured {
            line.add(part.name, &part.value);
        }
        return (line.job.into(), line.spoken);
    }
    let Some(item) = state
        .session
        .pointer
        .hovered
        .filter(|_| !state.session.tools.measure.is_open())
    else {
        return advice(&viewport::hint(state, &**document), state);
    };
    let mut line = Line::new(ui);
    let room = |width: usize| if roomy { width } else { 0 };
    let mut parts = document.summary(
        item,
        ViewState {
            pointer: state.session.pointer.pointed_at,
            ..ViewState::from(&*state.session.view.shown)
        },
    );
    if let Some(at) = state
        .session
        .pointer
        .pointed_at
        .filter(|_| state.session.is_map())
    {
        let [x, y] = [at.x, at.z].map(|at| fixed(at.floor(), 0));
        let width = room(5);
        let pixel = SummaryPart::new("Pixel", format!("{x:>width$}, {y:>width$}"));
        // Before values that may be long and get truncated.
        let fixed = parts.iter().rposition(|part| part.width > 0);
        parts.insert(fixed.map_or(parts.len(), |last| last + 1), pixel);
    }
    for part in parts {
        line.add(part.name, &format!("{:<1$}", part.value, room(part.width)));
    }
    if let Some(at) = state
        .session
        .pointer
        .pointed_at
        .filter(|_| !state.session.is_map())
    {
        // Small models need more decimals.
        let decimals = if document
            .level_bounds(state.session.view.shown.level)
            .radius()
            < 50.0
        {
            3
        } else {
            1
        };
        let [wide, high] = [6, 5].map(room);
        let [x, y, z] = at.to_array().map(|at| fixed(at, decimals));
        line.add("Position", &format!("x {x:>wide$}  z {z:>wide$}"));
        let is_placeholder = document
            .place(item, &state.session.view.shown)
            .is_placeholder;
        let height = if is_placeholder { "-" } else { &y };
        line.add("Height", &format!("{height:>high$}"));
    }
    (line.job.into(), line.spoken)
}

/// Returns advice, and the key that shows all others.
fn advice(text: &str, state: &State) -> (WidgetText, String) {
    let key = key_of("cheat-sheet", &state.settings.keys);
    let keys = match key.as_str() {
        "" => String::new(),
        key => format!("  ·  {key} shows all keys"),
    };
    let text = RichText::new(format!("{text}{keys}")).weak();
    (text.into(), String::new())
}

/// Names and values in a row. Values are monospace, so that the text does not move while they
/// change.
struct Line {
    job: LayoutJob,
    spoken: String,
    name: TextFormat,
    value: TextFormat,
    bar: TextFormat,
}

impl Line {
    fn new(ui: &Ui) -> Self {
        let format = |style: TextStyle, color| TextFormat {
            valign: Align::Center,
            ..TextFormat::simple(style.resolve(ui.style()), color)
        };
        let visuals = ui.visuals();
        Self {
            job: LayoutJob::default(),
            spoken: String::new(),
            name: format(TextStyle::Body, visuals.weak_text_color()),
            value: format(TextStyle::Monospace, visuals.strong_text_color()),
            // The body font has no such glyph, unless the system has a font with it.
            bar: format(
                TextStyle::Monospace,
                visuals.widgets.noninteractive.bg_stroke.color,
            ),
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        if !self.job.is_empty() {
            self.spoken.push_str(", ");
            self.job.append("│", 9.0, self.bar.clone());
        }
        let space = if self.job.is_empty() { 0.0 } else { 9.0 };
        self.job.append(name, space, self.name.clone());
        self.job.append(value, 6.0, self.value.clone());
        self.spoken.extend([name, " ", value.trim()]);
    }
}

/// Shows the progress of a save, with a button to cancel it.
fn saving(ui: &mut Ui, context: &mut BarContext<'_>) {
    let Some(saving) = &context.state.notices.saving else {
        return;
    };
    ui.separator();
    let stop = ui.small_button("Cancel");
    parts::name(&stop, "Cancel saving");
    places::note(ui.ctx(), "saving-cancel", stop.rect);
    if stop
        .on_hover_text("Cancel the save and delete its partial files")
        .clicked()
    {
        saving.progress.cancel();
    }
    let bar = egui::ProgressBar::new(saving.progress.fraction());
    ui.add(bar.desired_width(SAVING_WIDTH).show_percentage());
    let text = saving.text();
    let mut short: String = text.chars().take(MAX_SAVING_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    ui.label(short);
    // The progress bar is animated.
    ui.ctx().request_repaint_after_secs(0.25);
}

fn status_right(ui: &mut Ui, context: &mut BarContext<'_>) {
    let state = context.state;
    if let Some(document) = state.session.document() {
        let on_disk = state.session.on_disk.as_ref();
        let problems = on_disk.map_or(&document.about().problems, |on_disk| &on_disk.problems);
        let tally = Tally::of(problems);
        let text = match on_disk {
            None => capitalized(&tally.to_string()),
            Some(on_disk) if on_disk.unreadable.is_some() => "Cannot be read".to_owned(),
            Some(_) => format!("On disk: {tally}"),
        };
        let color = match tally.worst() {
            _ if on_disk.is_some() => theme::ERROR.of(ui.ctx()),
            None | Some(Severity::Note) => theme::WEAK_TEXT.of(ui.ctx()),
            Some(Severity::Warning) => theme::WARNING.of(ui.ctx()),
            Some(Severity::Error) => theme::ERROR.of(ui.ctx()),
        };
        let button = ui.add(Button::new(RichText::new(text).color(color)).frame(false));
        places::note(ui.ctx(), "problem-count", button.rect);
        if button.on_hover_text("Show or hide the problems").clicked() {
            context.run(Action::Panel(Panel::Problems));
        }
    }
    saving(ui, context);
    if let Some(text) = state.playlist.as_ref().and_then(Playlist::position_text) {
        ui.separator();
        let button = ui.add(Button::new(RichText::new(text).weak()).frame(false));
        let keys = ["next-file", "previous-file"].map(|id| key_of(id, &state.settings.keys));
        let help = match keys.each_ref().map(String::as_str) {
            ["", _] | [_, ""] => "Show or hide the list of files".to_owned(),
            [next, previous] => {
                format!("Show or hide the list of files; {next} and {previous} step through it")
            }
        };
        if button.on_hover_text(help).clicked() {
            context.run(Action::Panel(Panel::Files));
        }
    }
    if let Some(level) = state
        .session
        .level_name()
        .filter(|_| state.session.has_levels())
    {
        ui.separator();
        ui.weak(level).on_hover_text("Current level");
    }
    let hidden = state.session.view.shown.hidden.len();
    if hidden > 0 {
        ui.separator();
        let text = RichText::new(format!("{hidden} hidden")).color(theme::ACCENT.of(ui.ctx()));
        let button = ui.add(Button::new(text).frame(false));
        if button
            .on_hover_text("Show all hidden items again")
            .clicked()
        {
            context.run(Action::ShowAll);
        }
    }
    if let Some((shown, all)) = state.interface.chunks_shown {
        ui.separator();
        ui.label(format!("Showing chunks {shown} of {all}"));
    }
    if let Some(pending) = state
        .session
        .document()
        .and_then(|document| document.pending())
    {
        ui.separator();
        ui.label(pending.to_string());
    }
    let mode = match state.session.view.mode {
        CameraMode::Orbit | CameraMode::Flat => None,
        CameraMode::Fly => {
            // Levels are in metres.
            let unit = if state.session.can_cut() {
                "m"
            } else {
                "units"
            };
            let full = state.session.view.fly_speed;
            let speed = state
                .session
                .document()
                .map_or(full, |it| state.session.view.fly_speed(&**it));
            let speed = fixed(speed, 1);
            Some(format!("Flying, {speed} {unit}/s"))
        }
        CameraMode::Game | CameraMode::Walk => Some("Game view".to_owned()),
    };
    if let Some(window) = state.session.view.flat_window() {
        ui.separator();
        let text = RichText::new(flat::zoom_text(window.zoom)).color(theme::ACCENT.of(ui.ctx()));
        let button = ui.add(Button::new(text).frame(false));
        places::note(ui.ctx(), "zoom", button.rect);
        let help = "Zoom of the map; click for 1:1";
        if button.on_hover_text(help).clicked() {
            context.run(Action::ActualSize);
        }
    }
    if state.session.tools.measure.is_open() {
        ui.separator();
        ui.label(RichText::new("Measuring").color(theme::ACCENT.of(ui.ctx())));
    }
    if let Some(mode) = mode {
        ui.separator();
        ui.label(RichText::new(mode).color(theme::ACCENT.of(ui.ctx())));
    }
}

#[cfg(test)]
mod tests {
    use egui::epaint::text::ByteRangeExt as _;

    use super::*;
    use crate::viewer::testing;
    use mapscope_scene::TerrainItem;

    #[test]
    fn what_is_rounded_to_nothing_has_no_sign() {
        let mut harness = testing::with_demo();
        let state = &mut harness.state_mut().state;
        state.session.pointer.hovered = Some(TerrainItem::Tile { row: 0, col: 0 }.into());
        state.session.pointer.pointed_at = Some(glam::Vec3::new(-0.0, -0.04, -0.02));
        let context = egui::Context::default();
        let mut said = String::new();
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            said = status_text(ui, state, false).0.text().to_owned();
        });
        // The textures are never drawn.
        output.textures_delta.clear();
        assert!(said.ends_with("Positionx 0.0  z 0.0│Height0.0"), "{said}");
    }

    /// A character missing from them would be a box on systems without fonts.
    #[test]
    fn a_line_is_written_with_the_built_in_fonts() {
        let context = egui::Context::default();
        let mut checked = 0;
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let mut line = Line::new(ui);
            line.add("Position", "x 1.000");
            line.add("Height", "-");
            for section in &line.job.sections {
                let text = section.byte_range.slice(&line.job.text);
                let font = &section.format.font_id;
                let is_there = ui.ctx().fonts_mut(|fonts| fonts.has_glyphs(font, text));
                assert!(is_there, "{text}");
                checked += 1;
            }
        });
        // The textures are never drawn.
        output.textures_delta.clear();
        assert!(checked >= 5, "{checked}");
    }
}
