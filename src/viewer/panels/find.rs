//! A query over the fields of items, and a table of the matches.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::text_edit::TextEditOutput;
use egui::{
    Align, Button, CompletionPopup, EventFilter, Key, Label, Layout, RectAlign, RichText,
    ScrollArea, Sense, Suggestion, TextEdit, Ui, WidgetInfo,
};
use egui_extras::{Column, TableBuilder};

use super::document_key::DocumentKey;
use super::sorting::Sorting;
use super::{Matches, PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::{self, with_key};
use crate::viewer::format::{count, counted};
use crate::viewer::state::interface::FocusMove;
use mapscope_export::csv_of;
use mapscope_scene::{
    Document, Item, NamedItem, Value, ViewState, continuations, fields_of_kind, main_kind,
};

/// Examples of queries, by kind of item.
const EXAMPLES: [(&str, &str); 7] = [
    ("tile", "ramp_height > 1 and not pathable"),
    ("entity", "not found"),
    ("entity", "faction = 0 and above_ground > 1"),
    ("cube", "material ~ brick and depth >= 3"),
    ("cell", "tile = 12 and layer = 2"),
    ("pixel", "alpha < 255"),
    ("triangle", "material = 0"),
];
/// Initial width of a column, in points.
const COLUMN_WIDTH: f32 = 110.0;
/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 60;

/// The query and the table of its matches.
#[derive(Debug, Default)]
pub struct Find {
    of: DocumentKey,
    text: String,
    /// The query that was asked for last.
    asked: String,
    /// The text before the cursor for which the suggestions are.
    suggested_for: String,
    suggestions: Vec<String>,
    /// Queries that show how one is written.
    examples: Vec<String>,
    /// Number of the listed search.
    number: u64,
    /// Keys of the columns after item and name.
    columns: Vec<String>,
    /// Fields that the items may have.
    fields: Vec<String>,
    /// Column 0 is the item, column 1 the name; the others follow.
    sorting: Sorting,
    /// Indices of the matches in the order of the table.
    order: Vec<usize>,
    /// The match that was last scrolled into view.
    revealed: Option<usize>,
}

impl PanelUi for Find {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.suggested_for.clear();
            self.suggestions.clear();
            self.examples = examples(&**context.document);
        }
        ui.horizontal(|ui| {
            // Buttons and the number of matches stand at the end.
            self.query(ui, context);
        });
        let finding = context.finding;
        match &finding.result {
            None if self.text.is_empty() => self.hint(ui, context),
            None => {}
            Some(Err(why)) => {
                let why = RichText::new(why).color(ui.visuals().error_fg_color);
                ScrollArea::vertical().show(ui, |ui| ui.add(Label::new(why).wrap()));
            }
            Some(Ok(matches)) => {
                let matches = Arc::clone(matches);
                self.list(context, &matches);
                self.table(ui, context, &matches);
            }
        }
    }

    fn is_tall(&self) -> bool {
        true
    }
}

impl Find {
    fn query(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let finding = context.finding;
        if self.asked != finding.query {
            self.asked.clone_from(&finding.query);
            self.text.clone_from(&finding.query);
        }
        let matches = finding.matches().cloned();
        let width = (ui.available_width() - 420.0).max(160.0);
        let document = Arc::clone(context.document);
        let field = TextEdit::singleline(&mut self.text)
            .hint_text("Find items, such as ramp_height > 1 and not pathable")
            .desired_width(width)
            .event_filter(EventFilter {
                escape: true,
                horizontal_arrows: true,
                vertical_arrows: true,
                tab: false,
            });
        let (suggested_for, suggestions) = (&mut self.suggested_for, &mut self.suggestions);
        let shown = CompletionPopup::new(ui.make_persistent_id("query"))
            .word_boundary(|_| false)
            .align(RectAlign::TOP_START)
            .accept_keys([Key::Tab])
            .show(ui, field, |query| {
                if suggested_for != query.word {
                    query.word.clone_into(suggested_for);
                    *suggestions = continuations(&*document, query.word);
                    suggestions.truncate(MAX_SUGGESTIONS);
                }
                let texts = suggestions.iter().cloned();
                texts.map(Suggestion::new).collect()
            });
        let TextEditOutput { response, .. } = shown.text_edit;
        let field = response.response;
        field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Query"));
        parts::focus_if_wanted(&field, FocusMove::Query);
        if field.has_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            if self.text.is_empty() {
                field.surrender_focus();
            } else {
                self.text.clear();
            }
        }
        let query = if self.text.trim().is_empty() {
            ""
        } else {
            &*self.text
        };
        if self.asked != query {
            query.clone_into(&mut self.asked);
            context.ask(Request::Find(query.to_owned()));
        }
        if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            run(context, "find.next");
        }
        let has_some = matches
            .as_ref()
            .is_some_and(|it| !it.found.items.is_empty());
        for (name, id) in [("Previous", "find.previous"), ("Next", "find.next")] {
            let help = format!("Go to the {} match", name.to_lowercase());
            let help = with_key(&help, &commands::key_of(id, context.keymap));
            if parts::button(ui, has_some, name, &help) {
                run(context, id);
            }
        }
        let Some(matches) = matches else {
            return;
        };
        ui.menu_button("Columns", |ui| {
            if self.choose_columns(ui) {
                // The columns have other numbers now.
                self.sorting = Sorting::default();
                self.order = (0..matches.found.items.len()).collect();
                context.ask(Request::OrderMatches(None));
            }
        });
        ui.menu_button("Copy", |ui| {
            let help = "Copy the table as comma-separated values";
            if ui.button("Table as CSV").on_hover_text(help).clicked() {
                ui.copy_text(self.as_csv(&*document, context, &matches));
            }
            let help = "Copy a command that finds the same items";
            if ui.button("Command line").on_hover_text(help).clicked() {
                run(context, "find.copy-command");
            }
        });
        ui.label(summary(context, &matches));
    }

    /// Shows how to write a query, with examples to click.
    fn hint(&self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let kind = main_kind(context.document.about().format.id);
        let advice = format!(
            "A condition finds items of the kind `{kind}`; `KIND where` before it finds others. \
             For example:"
        );
        parts::hint(ui, "No query", &advice);
        ui.vertical_centered(|ui| {
            for query in &self.examples {
                if ui.link(query).on_hover_text("Find these").clicked() {
                    context.ask(Request::Find(query.clone()));
                }
            }
        });
    }

    /// Updates the table for other matches, or for another order.
    fn list(&mut self, context: &PanelContext<'_>, matches: &Matches) {
        if self.number == matches.number {
            return;
        }
        self.number = matches.number;
        self.revealed = None;
        self.fields = fields_of_kind(&**context.document, matches.found.kind);
        let fields = matches.found.fields.iter();
        // The name has a column of its own.
        self.columns = fields.filter(|field| *field != "name").cloned().collect();
        self.sorting = Sorting::default();
        self.order = (0..matches.found.items.len()).collect();
    }

    fn sort(&mut self, context: &PanelContext<'_>, matches: &Matches) {
        let items = &matches.found.items;
        self.order = (0..items.len()).collect();
        let field = self.sorting.column().and_then(|it| it.checked_sub(2));
        let path = field.and_then(|field| Some(path_of(self.columns.get(field)?)));
        let values: Vec<Option<Value>> = path.map_or_else(Vec::new, |path| {
            let items = items.iter();
            items
                .map(|found| value_of(context, found.item, &path))
                .collect()
        });
        let value = |row: &usize| values.get(*row).and_then(Option::as_ref);
        self.sorting
            .apply(&mut self.order, |column, a, b| match column {
                0 => a.cmp(b),
                1 => items[*a].name.cmp(&items[*b].name),
                _ => match (value(a), value(b)) {
                    (Some(a), Some(b)) => a.order(b),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                },
            });
    }

    /// Shows the fields to choose columns from; returns `true` if the columns were changed.
    fn choose_columns(&mut self, ui: &mut Ui) -> bool {
        let before = self.columns.len();
        ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
            for field in &self.fields {
                let mut is_on = self.columns.contains(field);
                if ui.checkbox(&mut is_on, field).changed() {
                    match self.columns.iter().position(|column| column == field) {
                        Some(at) => drop(self.columns.remove(at)),
                        None => self.columns.push(field.clone()),
                    }
                }
            }
        });
        self.columns.len() != before
    }

    fn table(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, matches: &Matches) {
        if matches.found.items.is_empty() {
            parts::hint(ui, "No match", "");
            return;
        }
        let paths: Vec<Vec<String>> = self.columns.iter().map(|key| path_of(key)).collect();
        let row_height = parts::Row::height(ui);
        let mut table = TableBuilder::new(ui)
            .id_salt(&self.columns)
            .striped(true)
            .sense(Sense::click())
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink(false)
            .column(
                Column::initial(COLUMN_WIDTH * 1.4)
                    .resizable(true)
                    .clip(true),
            )
            .columns(
                Column::initial(COLUMN_WIDTH).resizable(true).clip(true),
                1 + paths.len(),
            );
        if self.revealed != context.finding.current {
            self.revealed = context.finding.current;
            let row = self
                .order
                .iter()
                .position(|index| Some(*index) == self.revealed);
            if let Some(row) = row {
                table = table.scroll_to_row(row, None);
            }
        }
        let mut is_sorted_anew = false;
        let table = table.header(row_height, |mut header| {
            let names = ["item", "name"]
                .into_iter()
                .chain(self.columns.iter().map(|it| &**it));
            for (column, name) in names.enumerate() {
                header.col(|ui| is_sorted_anew |= self.sorting.heading(ui, column, name));
            }
        });
        table.body(|body| {
            body.rows(row_height, self.order.len(), |mut row| {
                let found = self.order.get(row.index()).copied();
                let Some((index, NamedItem { item, name })) =
                    found.and_then(|index| Some((index, matches.found.items.get(index)?)))
                else {
                    return;
                };
                row.set_selected(context.shown.selected == Some(*item));
                let mut is_clicked = false;
                row.col(|ui| {
                    let text = Button::new(item.to_string()).frame(false).truncate();
                    is_clicked |= ui.add(text).clicked();
                });
                row.col(|ui| {
                    ui.add(
                        Label::new(name.as_deref().unwrap_or_default())
                            .selectable(false)
                            .truncate(),
                    );
                });
                let record = context
                    .document
                    .record(*item, ViewState::from(context.shown));
                for path in &paths {
                    row.col(|ui| {
                        let value = record.as_ref().and_then(|record| record.value(path));
                        let text = value.as_ref().and_then(Value::text).unwrap_or_default();
                        ui.add(Label::new(&*text).selectable(false).truncate());
                    });
                }
                if is_clicked || row.response().clicked() {
                    context.requests.push(Request::ShowMatch(index));
                }
            });
        });
        if is_sorted_anew {
            self.sort(context, matches);
            let order = self.sorting.column().map(|_| self.order.clone());
            context.ask(Request::OrderMatches(order));
        }
    }

    fn as_csv(
        &self,
        document: &dyn Document,
        context: &PanelContext<'_>,
        matches: &Matches,
    ) -> String {
        let headings = ["item", "name"].into_iter();
        let headings: Vec<&str> = headings
            .chain(self.columns.iter().map(|it| &**it))
            .collect();
        let paths: Vec<Vec<String>> = self.columns.iter().map(|key| path_of(key)).collect();
        let items = self
            .order
            .iter()
            .filter_map(|index| matches.found.items.get(*index));
        csv_of(
            &headings,
            items.map(|NamedItem { item, name }| {
                let record = document.record(*item, ViewState::from(context.shown));
                let values = paths.iter().map(move |path| {
                    let value = record.as_ref().and_then(|record| record.value(path));
                    value.map_or(serde_json::Value::Null, |value| value.json())
                });
                [item.to_string().into(), name.clone().into()]
                    .into_iter()
                    .chain(values)
                    .collect::<Vec<_>>()
            }),
        )
    }
}

/// Returns example queries for the main kind of a document.
fn examples(document: &dyn Document) -> Vec<String> {
    let kind = main_kind(document.about().format.id);
    let fields = fields_of_kind(document, kind);
    // Entities of levels have other fields than those of scenes.
    let is_known = |condition: &str| {
        let first = condition.trim_start_matches("not ").split(' ').next();
        fields.iter().any(|field| Some(&**field) == first)
    };
    let of_kind = EXAMPLES.iter().filter(|(of, _)| *of == kind);
    of_kind
        .filter(|(_, condition)| is_known(condition))
        .map(|(_, condition)| format!("{kind} where {condition}"))
        .collect()
}

fn path_of(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

fn value_of(context: &PanelContext<'_>, item: Item, path: &[String]) -> Option<Value> {
    let record = context
        .document
        .record(item, ViewState::from(context.shown))?;
    record.value(path)
}

fn summary(context: &PanelContext<'_>, matches: &Matches) -> String {
    let found = &matches.found;
    let all = counted(found.count as usize, found.kind);
    let listed = found.items.len();
    let is_selected = |at: &usize| {
        let item = found.items.get(*at).map(|found| found.item);
        item.is_some() && item == context.shown.selected
    };
    let text = match context.finding.current.filter(is_selected) {
        Some(at) => format!("{} of {all}", count(at as u64 + 1)),
        None => all,
    };
    if listed as u64 == found.count {
        return text;
    }
    format!("{text}, the first {} are listed", count(listed as u64))
}

fn run(context: &mut PanelContext<'_>, id: &str) {
    if let Some(command) = commands::find(id) {
        context.ask(Request::Run(command.action));
    }
}
