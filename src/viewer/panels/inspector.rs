//! All properties of the selected item.

use std::fmt::Write as _;

use egui::{Frame, Grid, Label, RichText, TextWrapMode, Ui, accesskit};

use super::document_key::DocumentKey;
use super::{EditTarget, PanelContext, PanelUi, Request, dump, menu, parts};
use crate::viewer::format;
use mapscope_formats::Plural;
use mapscope_scene::{Item, Playhead, Property, PropertyGroup, TextSpan, Users, users};

/// Width of the name column, in points.
const NAME_WIDTH: f32 = 104.0;
/// Minimum width of the value column, in points. In a narrower panel, values are below their names.
const MIN_VALUE_WIDTH: f32 = 80.0;

/// Shows the selected item's properties as names and values.
#[derive(Debug, Default)]
pub struct Inspector {
    document_key: DocumentKey,
    item: Option<(Item, Playhead)>,
    /// The document's revision at the last query.
    revision: u64,
    /// Flat view at the last query: `true` if a 2D map was shown flat, and the map pixel at its top
    /// left corner.
    flat: (bool, [i64; 2]),
    /// `true` if the item has a position that the camera can go to.
    has_place: bool,
    /// `true` if the item is a camera to look through.
    is_camera: bool,
    /// `true` if the item is a file that can be opened.
    is_file: bool,
    /// The items that refer to it.
    users: Vec<Users>,
    groups: Vec<PropertyGroup>,
    /// Index of the visible page of the item's bytes.
    page: usize,
}

impl PanelUi for Inspector {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(item) = context.shown.selected else {
            let advice = "Click an item in the view or in the outliner to see its properties.";
            parts::hint(ui, "Nothing is selected", advice);
            return;
        };
        let now = Some((item, context.shown.playhead));
        let other_document = self.document_key.changed_to(context.document);
        let other_item = self.item.is_none_or(|(before, _)| before != item);
        let follows = || {
            let animation = context.document.animation();
            animation.is_some_and(|animation| animation.follows_playhead(item))
        };
        let moved = || self.item != now && follows();
        let revision = context.document.revision();
        let flat = (context.shown.flat, context.shown.flat_camera_px);
        let is_stale = self.revision != revision || self.flat != flat;
        if other_document || other_item || is_stale || moved() {
            (self.revision, self.flat) = (revision, flat);
            let document = context.document;
            self.groups = document.properties(item, context.shown);
            self.has_place = document.place(item, context.shown).bounds.is_some();
            self.users = users(&**document, item);
            self.is_camera = document.camera_of(item).is_some();
            self.is_file = document.file_of(item).is_some();
            self.item = now;
            if other_document || other_item {
                self.page = 0;
            }
        }
        if self.groups.is_empty() {
            let advice = "It no longer exists after the reload.";
            parts::hint(ui, "The selected item is not in the file", advice);
            return;
        }
        ui.horizontal_wrapped(|ui| {
            let frame = ui
                .add_enabled(self.has_place, egui::Button::new("Frame"))
                .on_hover_text("Move the camera so that this item fills the view");
            if frame.clicked() {
                context.ask(Request::Frame(item));
            }
            let look = "Look through";
            if self.is_camera && parts::button(ui, true, look, "Show the view of this camera") {
                context.ask(Request::LookThrough(item));
            }
            if self.is_file && ui.button("Open").on_hover_text("Open this file").clicked() {
                context.ask(Request::OpenFileOf(item));
            }
            let copy = ui
                .button("Copy all")
                .on_hover_text("Copy these names and values as text");
            if copy.clicked() {
                ui.copy_text(as_text(&self.groups));
            }
            ui.menu_button("More", |ui| menu::of_item(ui, context.menu(), item, None));
        });
        self.show_users(ui, context);
        parts::scrolled(ui, |ui| {
            for (i, group) in self.groups.iter().enumerate() {
                ui.push_id(i, |ui| show_group(ui, context, group, &mut self.page));
            }
        });
    }
}

impl Inspector {
    /// Shows links to the lists of the items that refer to this one.
    fn show_users(&self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.users.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.weak("Used by:");
            for Users { kind, count, query } in &self.users {
                let mut text = match count {
                    Some(count) => format::counted(*count as usize, kind),
                    None => Plural(kind).to_string(),
                };
                if self.users.iter().filter(|it| it.kind == *kind).count() > 1 {
                    // Such as the top of a tile and its side.
                    let field = query.split(' ').skip_while(|word| *word != "where").nth(1);
                    text.extend([" by ", field.unwrap_or_default()]);
                }
                let link = ui.link(text);
                if link.clicked() {
                    context.ask(Request::ListMatches(query.clone()));
                }
                link.on_hover_text(format!("Find {query}"));
            }
        });
    }
}

fn show_group(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    group: &PropertyGroup,
    page: &mut usize,
) {
    parts::heading(ui, group.title);
    // Text and bytes of the file need the full width, so they are placed between tables.
    let is_text = |property: &Property| !property.spans.is_empty() || !property.bytes.is_empty();
    for (i, run) in group
        .properties
        .chunk_by(|a, b| !is_text(a) && !is_text(b))
        .enumerate()
    {
        match run {
            [property] if !property.bytes.is_empty() => dump::show(ui, &property.bytes, page),
            [property] if is_text(property) => show_spans(ui, property),
            _ => show_table(ui, context, run, i),
        }
    }
}

fn show_table(ui: &mut Ui, context: &mut PanelContext<'_>, properties: &[Property], salt: usize) {
    let value_width = ui.available_width() - NAME_WIDTH - ui.spacing().item_spacing.x;
    if value_width < MIN_VALUE_WIDTH {
        // Too narrow for two columns: place values below their names.
        for property in properties {
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.weak(property.name);
                show_value(ui, context, property);
            });
        }
        return;
    }
    let table = Grid::new(salt)
        .num_columns(2)
        .min_col_width(NAME_WIDTH)
        .max_col_width(value_width.max(NAME_WIDTH));
    table.show(ui, |ui| {
        for property in properties {
            ui.label(RichText::new(property.name).weak());
            show_value(ui, context, property);
            ui.end_row();
        }
    });
}

fn show_value(ui: &mut Ui, context: &mut PanelContext<'_>, property: &Property) {
    match property.swatch {
        Some(swatch) => {
            ui.horizontal(|ui| {
                ui.style_mut().wrap_mode = Some(TextWrapMode::Wrap);
                parts::swatch(ui, context, swatch);
                show_text(ui, context, property);
            });
        }
        None => show_text(ui, context, property),
    }
}

fn show_text(ui: &mut Ui, context: &mut PanelContext<'_>, property: &Property) {
    let text = parts::value_text(&format::with_counts_of(&property.value));
    let shown = match property.link {
        None => ui.add(Label::new(text).selectable(true)),
        Some(item) => {
            let link = ui.link(text);
            if link.clicked() {
                context.ask(Request::Select(Some(item)));
            }
            link.on_hover_text("Select this")
        }
    };
    shown.context_menu(|ui| {
        if menu::entry(ui, "Copy value", None) {
            ui.copy_text(property.value.clone());
        }
        if let (Some(place), Some(item)) = (property.place, context.shown.selected) {
            let target = EditTarget::Within(item, place);
            menu::edit(ui, context, "Open in editor", target);
        }
    });
    let add_name = |node: &mut accesskit::Node| node.set_description(property.name);
    ui.ctx().accesskit_node_builder(shown.id, add_name);
}

/// Shows text of the file with coloured fields and a legend of the colours.
fn show_spans(ui: &mut Ui, property: &Property) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(property.name).weak());
        if ui
            .small_button("Copy")
            .on_hover_text("Copy the text exactly as in the file")
            .clicked()
        {
            ui.copy_text(spans_text(&property.spans));
        }
    });
    let frame = Frame::new()
        .fill(ui.visuals().extreme_bg_color)
        .corner_radius(3)
        .inner_margin(6);
    frame.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for span in &property.spans {
                let color = parts::field_color(ui, span.color_index);
                let text = RichText::new(&span.text).monospace().color(color);
                ui.add(Label::new(text).selectable(true))
                    .on_hover_text(span.field);
            }
        });
    });
    ui.scope(|ui| {
        // Reduce the row height to that of the text.
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal_wrapped(|ui| {
            let mut fields: Vec<&str> = Vec::new();
            for span in &property.spans {
                if !fields.contains(&span.field) {
                    fields.push(span.field);
                    let color = parts::field_color(ui, span.color_index);
                    let name = RichText::new(span.field).small().color(color);
                    // A name of two words stays on one line.
                    ui.add(Label::new(name).extend());
                }
            }
        });
    });
}

fn spans_text(spans: &[TextSpan]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// Returns the properties as lines of text.
fn as_text(groups: &[PropertyGroup]) -> String {
    let mut text = String::new();
    for group in groups {
        text.push_str(group.title);
        text.push('\n');
        for property in &group.properties {
            let value = if !property.bytes.is_empty() {
                dump::as_text(&property.bytes)
            } else if property.spans.is_empty() {
                property.value.clone()
            } else {
                spans_text(&property.spans)
            };
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}: {value}", property.name);
        }
    }
    text
}
