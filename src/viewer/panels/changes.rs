//! The differences between the open file and another file, as a list.

use std::fmt::Write as _;

use egui::accesskit::Role;
use egui::{Align2, Color32, RichText, Ui};
use serde_json::Value as Json;

use super::list::List;
use super::sorting::{Sorting, csv_button};
use super::{Changes, PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::{self, Action, with_key};
use crate::viewer::state::folder::natural_order;
use mapscope_export::csv_of;
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
    sorting: Sorting,
    /// Indices of the differences in the order of the list.
    order: Vec<usize>,
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
        let now = (changes.number, context.change);
        let before = std::mem::replace(&mut self.shown, now);
        if before.0 != now.0 {
            self.sort(changes);
            if self.sorting.column().is_some() {
                context.ask(Request::OrderChanges(Some(self.order.clone())));
            }
        }
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
                ui.copy_text(as_text(&self.listed(changes)));
            }
            csv_button(ui, has_some, || as_csv(&self.listed(changes)));
            let columns = ["change", "kind", "place", "fields"];
            if has_some && self.sorting.headings(ui, &columns) {
                self.sort(changes);
                let order = self.sorting.column().map(|_| self.order.clone());
                context.ask(Request::OrderChanges(order));
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
        let row_of = |at| self.order.iter().position(|index| *index == at);
        if before != now
            && let Some(row) = context.change.and_then(row_of)
        {
            // One row before it stays in view.
            self.list.top = Some(row.saturating_sub(1));
        }
        self.list.show(ui, None, self.order.len(), |ui, row, _| {
            let found = self.order.get(row).copied();
            let Some((index, difference)) =
                found.and_then(|index| Some((index, differences.get(index)?)))
            else {
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

impl ChangesPanel {
    fn sort(&mut self, changes: &Changes) {
        let all = &changes.diff.differences;
        self.order = (0..all.len()).collect();
        self.sorting.apply(&mut self.order, |column, a, b| {
            let (a, b) = (&all[*a], &all[*b]);
            let first = |it: &Difference| it.fields.first().map(|field| field.name.to_lowercase());
            match column {
                0 => how(a).cmp(how(b)),
                1 => a.what.cmp(b.what),
                2 => natural_order(&a.place, &b.place),
                _ => first(a).cmp(&first(b)),
            }
        });
    }

    /// Returns the differences in the order of the list.
    fn listed<'a>(&self, changes: &'a Changes) -> Vec<&'a Difference> {
        let order = self.order.iter();
        order
            .filter_map(|index| changes.diff.differences.get(*index))
            .collect()
    }
}

fn how(difference: &Difference) -> &'static str {
    match difference.is_in {
        [true, false] => "gone",
        [false, true] => "only here",
        _ => "changed",
    }
}

/// Returns the heading of a difference: how it differs, its name and its place.
fn heading(difference: &Difference) -> String {
    let Difference { what, place, .. } = difference;
    let colon = if difference.is_in == [true, true] {
        ""
    } else {
        ":"
    };
    let how = how(difference);
    if place == what {
        format!("{how}{colon} {what}")
    } else {
        format!("{how}{colon} {what} {place}")
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
fn as_text(differences: &[&Difference]) -> String {
    let mut text = String::new();
    for difference in differences {
        let fields = fields_text(difference, usize::MAX);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}: {fields}", heading(difference));
    }
    text
}

/// Returns the differences as comma-separated values, one line per field.
fn as_csv(differences: &[&Difference]) -> String {
    let lines = differences.iter().flat_map(|difference| {
        let Difference { what, place, .. } = difference;
        let line = move |field: Option<&FieldChange>| {
            let [before, now] = field.map(|field| field.texts.clone()).unwrap_or_default();
            let name = field.map(|field| field.name.to_lowercase());
            let start = [how(difference), *what, place.as_str()].map(Json::from);
            start.into_iter().chain([name, before, now].map(Json::from))
        };
        let fields = difference.fields.iter().map(move |field| line(Some(field)));
        fields.chain(difference.fields.is_empty().then(|| line(None)))
    });
    csv_of(
        &["change", "kind", "place", "field", "before", "now"],
        lines,
    )
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
