//! Everything that is wrong with the file on disk, as a list.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::sync::Arc;

use egui::accesskit::Role;
use egui::{Align2, RichText, ScrollArea, TextStyle, Ui, vec2};

use super::document_key::DocumentKey;
use super::{PanelContext, PanelUi, Request, format, parts};
use crate::viewer::commands::Action;
use mapscope_formats::{Problem, Severity, Tally};

/// Width of the column of places, in points.
const PLACE_WIDTH: f32 = 84.0;

/// The open file on disk, while a better version of it, read before, is in view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDisk {
    /// The name of the file.
    pub name: String,
    /// Why it cannot be shown; none where it can.
    pub unreadable: Option<String>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// When the version in view was read, for people, such as `12:31:07`.
    pub read_at: String,
    /// Another number for each version that is kept back.
    pub number: u64,
}

impl OnDisk {
    /// What is wrong, in one line.
    pub fn headline(&self) -> String {
        match self.unreadable {
            Some(_) => format!("{} on disk cannot be read", self.name),
            None => format!("{} on disk has {}", self.name, Tally::of(&self.problems)),
        }
    }

    /// What is said first: the first of what is worst, or else why it cannot be read.
    pub fn reason(&self) -> Option<String> {
        let worst = Tally::of(&self.problems).worst();
        let mut problems = self.problems.iter();
        let first = problems.find(|problem| Some(problem.severity) == worst);
        let first = first.map(|first| format!("{}: {}", first.place, first.message));
        first.or_else(|| self.unreadable.clone())
    }

    /// What is in view instead.
    pub fn in_view(&self) -> String {
        format!("In view: the version read at {}", self.read_at)
    }

    /// What the button says that reads the file again, whatever is wrong with it, and what that
    /// does.
    pub fn button(&self) -> [&'static str; 2] {
        match self.unreadable {
            Some(_) => ["Read again", "Try once more to read the file"],
            None => ["Show it anyway", "Show the file as it is on disk"],
        }
    }
}

/// Lists the problems of the file and leads to their places.
#[derive(Debug)]
pub struct Problems {
    of: DocumentKey,
    /// Which version on disk they are of, where that is not in view.
    of_disk: Option<u64>,
    show_errors: bool,
    show_warnings: bool,
    show_notes: bool,
    /// The notes of the document, which are made when they are first shown.
    notes: Option<Arc<[Problem]>>,
    /// Numbers of errors and warnings in the document.
    counts: [usize; 2],
    /// Indices of the problems that pass the filter, and of the notes after them.
    listed: Vec<usize>,
    /// The one that was clicked last.
    current: Option<usize>,
}

impl Default for Problems {
    fn default() -> Self {
        Self {
            of: DocumentKey::default(),
            of_disk: None,
            show_errors: true,
            show_warnings: true,
            show_notes: false,
            notes: None,
            counts: [0; 2],
            listed: Vec::new(),
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
        let is_other_version = self.of_disk != disk;
        if other_document || is_other_version {
            self.of_disk = disk;
            let Tally { errors, warnings } = Tally::of(problems);
            self.counts = [errors, warnings];
            self.current = None;
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
                    "List errors or not",
                ),
                (
                    &mut self.show_warnings,
                    format::counted(warnings, "warning"),
                    "List warnings or not",
                ),
                (
                    &mut self.show_notes,
                    notes.unwrap_or_else(|| "Notes".to_owned()),
                    "List what is not wrong but worth knowing, such as materials that nothing uses",
                ),
            ];
            let mut changed = false;
            for (on, name, help) in filters {
                let toggle = ui.toggle_value(on, name);
                changed |= toggle.on_hover_text(help).changed();
            }
            if changed {
                self.list(problems);
            }
            let copy = ui
                .button("Copy all")
                .on_hover_text("Copy the listed problems as text");
            if copy.clicked() {
                ui.copy_text(self.as_text(problems));
            }
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
        ui.spacing_mut().item_spacing.y = 0.0;
        let list_id = ui.scope_id().with("problems");
        let row_height = parts::Row::height(ui);
        let area = ScrollArea::vertical().auto_shrink(false);
        area.show_rows(ui, row_height, self.listed.len(), |ui, rows| {
            for &index in self.listed.get(rows).unwrap_or_default() {
                let Some(problem) = at(problems, &notes, index) else {
                    continue;
                };
                let row = parts::Row {
                    id: list_id.with(index),
                    role: Role::ListBoxOption,
                    name: &problem.to_string(),
                    selected: self.current == Some(index),
                    highlighted: false,
                    branch: None,
                };
                let response = row.show(ui);
                paint_problem(ui, problem, response.rect);
                if response.clicked() {
                    self.current = Some(index);
                    // What is in view is not where the problem is.
                    if on_disk.is_none() {
                        let target = context.document.problem_target(problem);
                        context.ask(Request::ShowProblem(target));
                    }
                }
                response.on_hover_ui(|ui| {
                    ui.label(&problem.message);
                    ui.weak(problem.rule.id);
                });
            }
        });
    }
}

impl Problems {
    /// Fills the list with what passes the filter.
    fn list(&mut self, problems: &[Problem]) {
        let notes = self.shown_notes();
        let passes = |problem: &Problem| match problem.severity {
            Severity::Error => self.show_errors,
            Severity::Warning => self.show_warnings,
            Severity::Note => self.show_notes,
        };
        self.listed = (0..problems.len() + notes.len())
            .filter(|&i| at(problems, &notes, i).is_some_and(passes))
            .collect();
        // What is worst first, each in file order.
        let severity = |i: &usize| at(problems, &notes, *i).map(|problem| problem.severity);
        self.listed.sort_by_key(|i| Reverse(severity(i)));
    }

    /// The notes, if they are shown.
    fn shown_notes(&self) -> Arc<[Problem]> {
        let notes = self.notes.clone().filter(|_| self.show_notes);
        notes.unwrap_or_default()
    }

    /// The listed problems, one to a line.
    fn as_text(&self, problems: &[Problem]) -> String {
        let mut text = String::new();
        let notes = self.shown_notes();
        for problem in self.listed.iter().filter_map(|&i| at(problems, &notes, i)) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{problem} [{}]", problem.rule.id);
        }
        text
    }
}

/// A problem, or a note, which follow the problems.
fn at<'a>(problems: &'a [Problem], notes: &'a [Problem], index: usize) -> Option<&'a Problem> {
    problems.iter().chain(notes).nth(index)
}

/// Says that the list is not about what is in view.
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
