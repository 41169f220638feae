//! All problems of the file on disk, as a list.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use egui::accesskit::Role;
use egui::{Align2, RichText, TextStyle, Ui, vec2};

use super::document_key::DocumentKey;
use super::list::List;
use super::sorting::{Sorting, csv_button};
use super::{EditTarget, PanelContext, PanelUi, Request, menu, parts, tree};
use crate::file_names::{self, natural_order};
use crate::viewer::commands::Action;
use crate::viewer::format;
use crate::viewer::state::reload::OnDisk;
use mapscope_export::csv_of;
use mapscope_formats::{Problem, Severity, Tally, printable};

/// Width of the column of places, in points.
const PLACE_WIDTH: f32 = 84.0;
/// Indentation of the consequences below a problem, in points.
const INDENT: f32 = 22.0;

/// Lists the problems of the file and goes to their places.
#[derive(Debug)]
pub struct Problems {
    of: DocumentKey,
    /// Number of the listed version on disk, if that is not the version in view.
    of_disk: Option<u64>,
    /// Number of problems at the last listing.
    of_count: usize,
    show_errors: bool,
    show_warnings: bool,
    show_notes: bool,
    /// The notes of the document, which are made when first shown.
    notes: Option<Arc<[Problem]>>,
    /// Numbers of errors and warnings in the document.
    counts: [usize; 2],
    /// Entries that pass the filter: problems, then notes.
    listed: Vec<Entry>,
    sorting: Sorting,
    list: List,
    /// Indices of the problems whose consequences are listed.
    opened: BTreeSet<usize>,
    /// The entry that was clicked last.
    current: Option<Entry>,
}

/// A row of the list. Indices count problems first, then notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Entry {
    /// A problem.
    Problem(usize),
    /// The number of its consequences; a click opens or closes them.
    Count(usize),
    /// A consequence, by its index within the problem.
    Consequence(usize, usize),
}

impl Entry {
    /// Returns the index of its problem.
    fn problem(self) -> usize {
        match self {
            Self::Problem(index) | Self::Count(index) | Self::Consequence(index, _) => index,
        }
    }
}

impl Default for Problems {
    fn default() -> Self {
        Self {
            of: DocumentKey::default(),
            of_disk: None,
            of_count: 0,
            show_errors: true,
            show_warnings: true,
            show_notes: false,
            notes: None,
            counts: [0; 2],
            listed: Vec::new(),
            sorting: Sorting::default(),
            list: List::default(),
            opened: BTreeSet::new(),
            current: None,
        }
    }
}

impl PanelUi for Problems {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let on_disk = context.on_disk;
        let problems = match on_disk {
            Some(on_disk) => &on_disk.problems,
            None => &context.document.about().problems,
        };
        let disk = on_disk.map(|on_disk| on_disk.number);
        let other_document = self.of.changed_to(context.document);
        // Deferred content may add problems after the document was opened.
        let is_other_version = self.of_disk != disk || self.of_count != problems.len();
        if other_document || is_other_version {
            self.of_disk = disk;
            self.of_count = problems.len();
            let Tally { errors, warnings } = Tally::of(problems);
            self.counts = [errors, warnings];
            self.current = None;
            self.opened.clear();
            self.notes = None;
            self.listed.clear();
        }
        if self.show_notes && self.notes.is_none() {
            self.notes = Some(context.document.notes().into());
            self.list(problems);
        } else if other_document || is_other_version {
            self.list(problems);
        }
        if let Some(on_disk) = on_disk {
            note(ui, on_disk, context.requests);
        }
        match on_disk.and_then(|on_disk| on_disk.unreadable.as_deref()) {
            Some(why) if problems.is_empty() => {
                ui.label(why);
                return;
            }
            _ => {}
        }
        ui.horizontal_wrapped(|ui| {
            let [errors, warnings] = self.counts;
            let notes = self.notes.as_ref().filter(|_| self.show_notes);
            let notes = notes.map(|notes| format::counted(notes.len(), "note"));
            let filters = [
                (
                    &mut self.show_errors,
                    format::counted(errors, "error"),
                    "Show or hide errors",
                ),
                (
                    &mut self.show_warnings,
                    format::counted(warnings, "warning"),
                    "Show or hide warnings",
                ),
                (
                    &mut self.show_notes,
                    notes.unwrap_or_else(|| "Notes".to_owned()),
                    "Show or hide notes, such as unused materials",
                ),
            ];
            let mut changed = false;
            for (on, name, help) in filters {
                let toggle = ui.toggle_value(on, name);
                changed |= toggle.on_hover_text(help).changed();
            }
            changed |= self
                .sorting
                .headings(ui, &["severity", "place", "message", "rule"]);
            if changed {
                self.list(problems);
            }
            let copy = ui
                .button("Copy all")
                .on_hover_text("Copy the listed problems as text");
            if copy.clicked() {
                ui.copy_text(self.as_text(problems));
            }
            csv_button(ui, true, || self.as_csv(problems));
        });
        if self.listed.is_empty() {
            if problems.is_empty() {
                parts::hint(ui, "No problems", "Nothing is wrong with this file.");
            } else {
                parts::hint(ui, "All problems are filtered out", "");
            }
            return;
        }
        let notes = self.shown_notes();
        let list_id = ui.scope_id().with("problems");
        let mut toggled = None;
        let count = self.listed.len();
        self.list.show(ui, None, count, |ui, at_row, _| {
            let Some(&entry) = self.listed.get(at_row) else {
                return;
            };
            let of = at(problems, &notes, entry.problem());
            let shown = of.and_then(|of| match entry {
                Entry::Problem(_) => Some((of, of.to_string(), 0.0)),
                Entry::Count(_) => Some((of, of.consequence_summary()?, INDENT)),
                Entry::Consequence(_, index) => {
                    let consequence = of.consequences.get(index)?;
                    Some((consequence, consequence.to_string(), 2.0 * INDENT))
                }
            });
            let Some((problem, name, indent)) = shown else {
                return;
            };
            let is_open = self.opened.contains(&entry.problem());
            let is_count = matches!(entry, Entry::Count(_));
            let row = parts::Row {
                id: list_id.with(entry),
                role: Role::ListBoxOption,
                name: &name,
                note: "",
                selected: self.current == Some(entry),
                highlighted: false,
                branch: is_count.then_some(parts::Branch {
                    depth: 0,
                    open: Some(is_open),
                }),
            };
            let response = row.show(ui);
            let rect = response.rect.with_min_x(response.rect.min.x + indent);
            if is_count {
                paint_count(ui, &name, is_open, rect);
                if response.clicked() {
                    toggled = Some(entry.problem());
                }
                return;
            }
            paint_problem(ui, problem, rect);
            if response.clicked() {
                self.current = Some(entry);
                // The version in view does not contain the location.
                if on_disk.is_none() {
                    let target = context.document.problem_target(problem);
                    context.ask(Request::ShowProblem(target));
                }
            }
            response.context_menu(|ui| menu(ui, context, problem));
            response.on_hover_ui(|ui| {
                ui.label(&problem.message);
                ui.weak(problem.rule.id);
            });
        });
        if let Some(index) = toggled {
            if !self.opened.remove(&index) {
                self.opened.insert(index);
            }
            self.list(problems);
        }
    }
}

impl Problems {
    /// Fills the list with the entries that pass the filter.
    fn list(&mut self, problems: &[Problem]) {
        let notes = self.shown_notes();
        let passes = |problem: &Problem| match problem.severity {
            Severity::Error => self.show_errors,
            Severity::Warning => self.show_warnings,
            Severity::Note => self.show_notes,
        };
        let all = 0..problems.len() + notes.len();
        let passing = all.filter(|&i| at(problems, &notes, i).is_some_and(passes));
        let mut passing: Vec<usize> = passing.collect();
        // Worst first, and in file order within a severity.
        let severity = |i: &usize| severity_of(at(problems, &notes, *i));
        passing.sort_by_key(|i| Reverse(severity(i)));
        let problem = |i: &usize| at(problems, &notes, *i);
        self.sorting.apply(&mut passing, |column, a, b| {
            let (a, b) = (problem(a), problem(b));
            let by = |key: fn(&Problem) -> &str| a.map(key).cmp(&b.map(key));
            match column {
                0 => severity_of(a).cmp(&severity_of(b)),
                1 => a.map(|it| it.place).cmp(&b.map(|it| it.place)),
                2 => {
                    let [a, b] = [a, b].map(|it| it.map_or("", |it| &it.message));
                    natural_order(a, b)
                }
                _ => by(|it| it.rule.id),
            }
        });
        self.listed.clear();
        for index in passing {
            self.listed.push(Entry::Problem(index));
            let below = at(problems, &notes, index).map_or(0, |it| it.consequences.len());
            if below > 0 {
                self.listed.push(Entry::Count(index));
            }
            if self.opened.contains(&index) {
                let below = (0..below).map(|i| Entry::Consequence(index, i));
                self.listed.extend(below);
            }
        }
    }

    /// Returns the notes if they are shown.
    fn shown_notes(&self) -> Arc<[Problem]> {
        let notes = self.notes.clone().filter(|_| self.show_notes);
        notes.unwrap_or_default()
    }

    /// Returns the listed problems in their order.
    fn listed<'a>(
        &self,
        problems: &'a [Problem],
        notes: &'a [Problem],
    ) -> impl Iterator<Item = &'a Problem> {
        self.listed.iter().filter_map(|entry| match entry {
            Entry::Problem(index) => at(problems, notes, *index),
            Entry::Count(_) | Entry::Consequence(..) => None,
        })
    }

    /// Returns the listed problems as comma-separated values. Consequences follow their problem.
    fn as_csv(&self, problems: &[Problem]) -> String {
        let notes = self.shown_notes();
        let all = self
            .listed(problems, &notes)
            .flat_map(|problem| std::iter::once(problem).chain(&problem.consequences));
        csv_of(
            &["severity", "place", "message", "rule"],
            all.map(|problem| {
                [
                    problem.severity.to_string(),
                    problem.place.to_string(),
                    problem.message.clone(),
                    problem.rule.id.to_owned(),
                ]
                .map(serde_json::Value::from)
            }),
        )
    }

    /// Returns the listed problems as text, one per line, with indented consequences.
    fn as_text(&self, problems: &[Problem]) -> String {
        let mut text = String::new();
        let notes = self.shown_notes();
        for problem in self.listed(problems, &notes) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{problem} [{}]", problem.rule.id);
            for consequence in &problem.consequences {
                let _ = writeln!(text, "    {consequence} [{}]", consequence.rule.id);
            }
        }
        text
    }
}

fn severity_of(problem: Option<&Problem>) -> Option<Severity> {
    problem.map(|problem| problem.severity)
}

/// Returns a problem or a note; notes follow the problems.
fn at<'a>(problems: &'a [Problem], notes: &'a [Problem], index: usize) -> Option<&'a Problem> {
    problems.iter().chain(notes).nth(index)
}

/// Shows the context menu of a problem.
fn menu(ui: &mut Ui, context: &mut PanelContext<'_>, problem: &Problem) {
    let target = EditTarget::Place(problem.place);
    menu::edit(ui, context, "Open in editor", target);
    // The fault itself is in another file. The version in view does not know those of the one on disk.
    let summarized = context.document.summarized_file(problem);
    if let Some(path) = summarized.filter(|_| context.on_disk.is_none()) {
        let others = context.document.other_files();
        let other = others.iter().find(|other| other.path == path);
        let problems = other.into_iter().flat_map(|other| &other.problems);
        let first = problems.min_by_key(|problem| Reverse(problem.severity));
        let name = printable(&file_names::name(&path)).into_owned();
        let name = format!("Open {name} in editor");
        let target = EditTarget::File(path, first.map(|problem| problem.place));
        menu::edit(ui, context, &name, target);
    }
    if menu::entry(ui, "Copy message", None) {
        ui.copy_text(format!("{problem} [{}]", problem.rule.id));
    }
}

/// Shows a notice that the list describes the file on disk, not the version in view.
fn note(ui: &mut Ui, on_disk: &OnDisk, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(on_disk.headline()).color(ui.visuals().error_fg_color));
        ui.weak(on_disk.in_view());
        let [name, help] = on_disk.button();
        if ui.button(name).on_hover_text(help).clicked() {
            requests.push(Request::Run(Action::Reload));
        }
    });
}

/// Paints the number of consequences of the problem above.
fn paint_count(ui: &Ui, text: &str, is_open: bool, row: egui::Rect) {
    let toggle = row.with_max_x(row.min.x + 16.0);
    tree::paint_triangle(ui, is_open, toggle);
    let rect = row.with_min_x(toggle.max.x + 4.0);
    let rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    let weak = ui.visuals().weak_text_color();
    parts::paint_text(ui, rect, RichText::new(text), weak, Align2::LEFT_CENTER);
}

fn paint_problem(ui: &Ui, problem: &Problem, row: egui::Rect) {
    let rect = row.with_min_x(row.min.x + 6.0);
    let rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    let side = ui.text_style_height(&TextStyle::Body) * 0.8;
    let icon = Align2::LEFT_CENTER.align_size_within_rect(vec2(side, side), rect);
    parts::paint_severity(ui, problem.severity, icon);
    let place = rect.with_min_x(icon.max.x + 8.0);
    let place = place.with_max_x(place.min.x + PLACE_WIDTH);
    let visuals = ui.visuals();
    let (weak, color) = (visuals.weak_text_color(), visuals.text_color());
    let text = RichText::new(problem.place.to_string()).monospace();
    parts::paint_text(ui, place, text, weak, Align2::LEFT_CENTER);
    let message = rect.with_min_x(place.max.x + 8.0);
    let text = RichText::new(&problem.message);
    parts::paint_text(ui, message, text, color, Align2::LEFT_CENTER);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::state::load::UNREADABLE;

    #[test]
    fn unreadable_clipboards_are_reported_once() {
        let on_disk = OnDisk {
            name: "gone.pfmap".to_owned(),
            unreadable: Some(format!("{UNREADABLE}there is no such file")),
            problems: Vec::new(),
            new: None,
            read_at: "12:31:07".to_owned(),
            number: 1,
        };
        assert_eq!(on_disk.headline(), "gone.pfmap on disk cannot be read");
        assert_eq!(on_disk.reason().unwrap(), "There is no such file");
    }
}
