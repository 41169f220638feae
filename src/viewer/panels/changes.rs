//! The differences between the open file and another file, as a list.

use std::fmt::Write as _;

use egui::accesskit::Role;
use egui::{Align2, Color32, RichText, Ui};

use super::list::List;
use super::{Changes, PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::{self, Action, with_key};
use mapscope_scene::diff::{Difference, FieldChange, change_color};

/// Width of the column for kind and place of a difference, in points.
const PLACE_WIDTH: f32 = 240.0;
/// Maximum number of fields that a row names.
const MAX_FIELDS: usize = 6;

/// List of differences with links to them.
#[derive(Debug, Default)]
pub struct ChangesPanel {
    /// Number of the last shown comparison, and the selected difference at that time.
    shown: (u64, Option<usize>),
    list: List,
}

impl PanelUi for ChangesPanel {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(changes) = context.changes else {
            parts::hint(
                ui,
                "No comparison",
                "Differences are listed here after a reload or after \"Compare with…\".",
            );
            ui.vertical_centered(|ui| run_button(ui, context, "compare"));
            return;
        };
        ui.horizontal_wrapped(|ui| {
            ui.label(format!(
                "From {} to the open file: {}",
                changes.with,
                changes.summary()
            ));
            let has_some = !changes.diff.differences.is_empty();
            for (name, id) in [("Previous", "changes.previous"), ("Next", "changes.next")] {
                let help = format!("Go to the {} difference", name.to_lowercase());
                let help = with_key(&help, &commands::key_of(id, context.keymap));
                if parts::button(ui, has_some, name, &help) {
                    run(context, id);
                }
            }
            run_button(ui, context, "compare");
            let help = "Copy the listed differences as text";
            if parts::button(ui, has_some, "Copy all", help) {
                ui.copy_text(as_text(changes));
            }
        });
        let differences = &changes.diff.differences;
        if differences.is_empty() {
            let said = if changes.is_partial() {
                "The readable parts of both have the same content."
            } else {
                "Both have the same content."
            };
            parts::hint(ui, "No differences", said);
            return;
        }
        let unlisted = changes.diff.count() - differences.len() as u64;
        if unlisted > 0 {
            ui.weak(format!("{unlisted} more are not listed"));
        }
        let list_id = ui.scope_id().with("changes");
        let now = (changes.number, context.change);
        if std::mem::replace(&mut self.shown, now) != now
            && let Some(at) = context.change
        {
            // One row before it stays in view.
            self.list.top = Some(at.saturating_sub(1));
        }
        let count = differences.len();
        self.list.show(ui, None, count, |ui, index, _| {
            let Some(difference) = differences.get(index) else {
                return;
            };
            let fields = fields_text(difference, MAX_FIELDS);
            let heading = heading(difference);
            let row = parts::Row {
                id: list_id.with(index),
                role: Role::ListBoxOption,
                name: &format!("{heading}: {fields}"),
                note: "",
                selected: context.change == Some(index),
                highlighted: false,
                branch: None,
            };
            let response = row.show(ui);
            paint(ui, difference, &heading, &fields, response.rect);
            if response.clicked() {
                context.ask(Request::ShowChange(index));
            }
            response.on_hover_ui(|ui| tooltip(ui, difference, changes));
        });
    }
}

/// Returns the heading of a difference: how it differs, its name and its place.
fn heading(difference: &Difference) -> String {
    let Difference { what, place, .. } = difference;
    let how = match difference.is_in {
        [true, false] => "gone:",
        [false, true] => "only here:",
        _ => "changed",
    };
    if place == what {
        format!("{how} {what}")
    } else {
        format!("{how} {what} {place}")
    }
}

/// Returns the old and new values of up to `max` fields.
fn fields_text(difference: &Difference, max: usize) -> String {
    let shown = difference.fields.iter().take(max);
    let text = |field: &FieldChange| {
        let [before, now] = field.texts.clone();
        let value = match difference.is_in {
            [true, true] => {
                let [before, now] = [before, now].map(|it| match it.as_deref() {
                    None => "none".to_owned(),
                    Some("") => "empty".to_owned(),
                    Some(text) => text.to_owned(),
                });
                format!("{before} → {now}")
            }
            _ => before.or(now).unwrap_or_default(),
        };
        format!("{} {value}", field.name.to_lowercase())
    };
    let mut texts: Vec<String> = shown.map(text).collect();
    let more = difference.fields.len().saturating_sub(max);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(", ")
}

fn paint(ui: &Ui, difference: &Difference, heading: &str, fields: &str, row: egui::Rect) {
    let rect = row.with_min_x(row.min.x + 6.0);
    let rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    let [red, green, blue] = change_color(difference.is_in);
    let side = rect.height() * 0.5;
    let mark = Align2::LEFT_CENTER.align_size_within_rect(egui::vec2(4.0, side), rect);
    ui.painter()
        .rect_filled(mark, 1.0, Color32::from_rgb(red, green, blue));
    let place = rect.with_min_x(mark.max.x + 8.0);
    let place = place.with_max_x(place.min.x + PLACE_WIDTH);
    let visuals = ui.visuals();
    let (weak, color) = (visuals.weak_text_color(), visuals.text_color());
    parts::paint_text(
        ui,
        place,
        RichText::new(heading),
        color,
        Align2::LEFT_CENTER,
    );
    let rest = rect.with_min_x(place.max.x + 8.0);
    parts::paint_text(ui, rest, RichText::new(fields), weak, Align2::LEFT_CENTER);
}

fn tooltip(ui: &mut Ui, difference: &Difference, changes: &Changes) {
    ui.label(heading(difference));
    for field in &difference.fields {
        let one = Difference {
            fields: vec![field.clone()],
            ..difference.clone()
        };
        ui.label(fields_text(&one, 1));
    }
    let places = [changes.with.as_str(), "the open file"];
    for (file, at) in places.into_iter().zip(&difference.at) {
        if let Some(at) = at {
            ui.weak(format!("{at} of {file}"));
        }
    }
}

/// Returns the differences as text, one per line.
fn as_text(changes: &Changes) -> String {
    let mut text = String::new();
    for difference in &changes.diff.differences {
        let fields = fields_text(difference, usize::MAX);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}: {fields}", heading(difference));
    }
    text
}

fn action(id: &str) -> Option<(&'static str, &'static str, Action)> {
    let command = commands::all().iter().find(|command| command.id == id)?;
    Some((command.name, command.help, command.action))
}

fn run(context: &mut PanelContext<'_>, id: &str) {
    if let Some((.., action)) = action(id) {
        context.ask(Request::Run(action));
    }
}

fn run_button(ui: &mut Ui, context: &mut PanelContext<'_>, id: &str) {
    if let Some((name, help, action)) = action(id)
        && parts::button(ui, true, name, help)
    {
        context.ask(Request::Run(action));
    }
}
