//! The list of files that belong to the open one; a click opens a file.

use std::borrow::Cow;
use std::path::MAIN_SEPARATOR;

use egui::accesskit::Role;
use egui::{Align2, Key, Modifiers, RichText, TextStyle, Ui, WidgetText, vec2};

use super::list::List;
use super::sorting::{Sorting, csv_button};
use super::{PanelContext, PanelUi, Request, parts, tree};
use crate::viewer::state::folder;
use crate::viewer::state::playlist::{ListedFile, Playlist};
use crate::viewer::{format, places};
use mapscope_export::csv_of;
use mapscope_formats::Severity;

/// Gap between the path of a file and its format, in points.
const GAP: f32 = 10.0;

/// Lists the files of the folder, or those that were opened together. A click opens a file.
#[derive(Debug, Default)]
pub struct Files {
    /// Number and revision of the list that is shown.
    of: Option<(u64, u64)>,
    search: String,
    /// Indices of the files that match the search.
    listed: Vec<usize>,
    /// The open file that was last scrolled into view.
    current: Option<usize>,
    sorting: Sorting,
    list: List,
    /// `true` if a row of the list had the keyboard focus in the last frame.
    has_focus: bool,
}

impl PanelUi for Files {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(list) = context.files else {
            let advice = "Drop a folder on the window to list the files below it.";
            parts::hint(ui, "No other files", advice);
            return;
        };
        let of = (list.number(), list.changes());
        if self.of != Some(of) {
            if self.of.is_none_or(|(number, _)| number != of.0) {
                *self = Self::default();
            } else {
                // Files that appear or disappear do not scroll the list.
                self.current = Some(list.current());
            }
            self.of = Some(of);
            self.list(list);
        }
        let help = "Filter files by path or format; Enter opens the first";
        let searched = parts::search_field(ui, &mut self.search, help);
        if searched.changed {
            self.list(list);
            self.current = None;
            context.ask(Request::FilterListed(self.search.clone()));
        }
        if searched.entered
            && let Some(&first) = self.listed.first()
        {
            context.ask(Request::OpenListed(first));
            // Arrow keys continue from there.
            self.current = Some(first);
            (self.list.focus, self.list.reveal) = (Some(0), Some(0));
        }
        if self.search.is_empty() {
            let files = format::counted(list.files().len(), "file");
            let count = ui.weak(format!("{}: {files}", folder::name(list.base())));
            count.on_hover_text(list.base().display().to_string());
        } else {
            ui.weak(parts::matches(self.listed.len(), &self.search));
        }
        ui.horizontal_wrapped(|ui| {
            if self.sorting.headings(ui, &["path", "format"]) {
                self.list(list);
                self.current = None;
            }
            csv_button(ui, !self.listed.is_empty(), || self.as_csv(list));
        });
        if let Some(note) = list.note() {
            ui.horizontal_top(|ui| {
                parts::severity(ui, Severity::Warning);
                ui.add(egui::Label::new(note).wrap());
            });
        }
        if self.current != Some(list.current()) {
            self.current = Some(list.current());
            self.list.reveal = self.listed.iter().position(|at| *at == list.current());
            if self.has_focus && list.tried().is_none() {
                self.list.focus = self.list.reveal;
            }
        }
        self.rows(ui, context, list);
    }
}

impl Files {
    /// Lists the files that match the search, in the order of the sorted column.
    fn list(&mut self, list: &Playlist) {
        self.listed = list.matching(&self.search);
        let format = |index: &usize| {
            let file = list.files().get(*index);
            file.and_then(|file| Some(file.format?.name))
        };
        self.sorting
            .apply(&mut self.listed, |column, a, b| match column {
                0 => a.cmp(b),
                _ => (format(a).is_none(), format(a)).cmp(&(format(b).is_none(), format(b))),
            });
    }

    fn as_csv(&self, list: &Playlist) -> String {
        let files = self.listed.iter().filter_map(|at| list.files().get(*at));
        csv_of(
            &["path", "format", "error"],
            files.map(|file| {
                let format = file.format.map(|format| format.name);
                [
                    file.name.as_str().into(),
                    format.into(),
                    file.failure.clone().into(),
                ]
            }),
        )
    }

    fn rows(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, list: &Playlist) {
        let id = ui.scope_id().with("files");
        places::note(ui.ctx(), "file-list", ui.available_rect_before_wrap());
        self.has_focus = false;
        let count = self.listed.len();
        let mut next_focus = None;
        self.list.show(ui, None, count, |ui, at, takes_focus| {
            let index = self.listed.get(at).copied();
            let Some((index, file)) = index.and_then(|i| Some((i, list.files().get(i)?))) else {
                return;
            };
            let name = match &file.failure {
                Some(failure) => Cow::Owned(format!("{}: {failure}", file.name)),
                None => Cow::Borrowed(&*file.name),
            };
            let row = parts::Row {
                id: id.with(&file.path),
                role: Role::ListBoxOption,
                name: &name,
                note: "",
                selected: index == list.current(),
                highlighted: list.tried() == Some(index),
                branch: None,
            };
            let response = row.show(ui);
            paint(ui, file, response.rect);
            if takes_focus {
                response.request_focus();
            }
            let mut next = None;
            if response.has_focus() {
                self.has_focus = true;
                tree::keep_arrows(ui, &response);
                // A slow frame may contain several key presses.
                let presses =
                    |key| ui.input_mut(|it| it.count_and_consume_key(Modifiers::NONE, key));
                let down = at + presses(Key::ArrowDown);
                let to = down.saturating_sub(presses(Key::ArrowUp)).min(count - 1);
                next = Some(to).filter(|to| *to != at);
            }
            if next.is_some() {
                next_focus = next;
                ui.ctx().request_repaint();
            }
            let chosen = match next {
                Some(next) => self.listed.get(next).copied(),
                None => response.clicked().then_some(index),
            };
            if let Some(chosen) = chosen {
                // It is visible already.
                self.current = Some(chosen);
                response.request_focus();
                context.ask(Request::OpenListed(chosen));
            }
            response.on_hover_ui(|ui| {
                ui.label(file.path.display().to_string());
                if let Some(format) = file.format {
                    ui.weak(format.name);
                }
                if let Some(failure) = &file.failure {
                    ui.colored_label(ui.visuals().error_fg_color, failure);
                }
            });
        });
        if next_focus.is_some() {
            (self.list.focus, self.list.reveal) = (next_focus, next_focus);
        }
    }
}

/// Paints the row of a file: an error mark if it could not be opened, its path, and its format if
/// there is room.
fn paint(ui: &Ui, file: &ListedFile, row: egui::Rect) {
    let rect = row.with_min_x(row.min.x + 6.0);
    let mut rect = rect.with_max_x(row.max.x - parts::Row::END_MARGIN);
    if file.failure.is_some() {
        let side = ui.text_style_height(&TextStyle::Body) * 0.8;
        let icon = Align2::LEFT_CENTER.align_size_within_rect(vec2(side, side), rect);
        parts::paint_severity(ui, Severity::Error, icon);
        rect.min.x = icon.max.x + 8.0;
    }
    let visuals = ui.visuals();
    let (weak, color) = (visuals.weak_text_color(), visuals.text_color());
    let path = shortened(ui, &file.name, rect.width());
    let (folders, name) = match path.rfind(MAIN_SEPARATOR) {
        Some(end) => path.split_at(end + MAIN_SEPARATOR.len_utf8()),
        None => ("", &*path),
    };
    for (text, color) in [(folders, weak), (name, color)] {
        let (width, _) = parts::paint_text(ui, rect, text.into(), color, Align2::LEFT_CENTER);
        rect.min.x += width;
    }
    if let Some(format) = file.format {
        let room = rect.with_min_x(rect.min.x + GAP);
        let note = RichText::new(format.name).small();
        if width_of(ui, note.clone()) <= room.width() {
            parts::paint_text(ui, room, note, weak, Align2::RIGHT_CENTER);
        }
    }
}

/// Returns the path, without leading folders that do not fit into `width`.
fn shortened<'a>(ui: &Ui, path: &'a str, width: f32) -> Cow<'a, str> {
    let mut short = Cow::Borrowed(path);
    let mut rest = path;
    while width_of(ui, RichText::new(&*short)) > width
        && let Some((_, below)) = rest.split_once(MAIN_SEPARATOR)
    {
        rest = below;
        short = Cow::Owned(format!("…{MAIN_SEPARATOR}{rest}"));
    }
    if !rest.contains(MAIN_SEPARATOR) && width_of(ui, RichText::new(&*short)) > width {
        // The name gets all of the width.
        short = Cow::Borrowed(rest);
    }
    short
}

fn width_of(ui: &Ui, text: RichText) -> f32 {
    let wrap = Some(egui::TextWrapMode::Extend);
    let galley = WidgetText::from(text).into_galley(ui, wrap, f32::INFINITY, TextStyle::Body);
    galley.size().x
}

#[cfg(test)]
mod tests {
    use std::path::MAIN_SEPARATOR_STR;

    use super::*;

    #[test]
    fn a_path_loses_its_first_folders_and_then_the_name_has_all_the_room() {
        egui::__run_test_ui(|ui| {
            let path = ["a longer folder", "below", "oak.pfobj"].join(MAIN_SEPARATOR_STR);
            let width = |text: &str| width_of(ui, text.into()) + 0.5;
            assert_eq!(shortened(ui, &path, width(&path)), path);
            for kept in ["below/oak.pfobj", "oak.pfobj"] {
                let kept = kept.replace('/', MAIN_SEPARATOR_STR);
                let short = format!("…{MAIN_SEPARATOR}{kept}");
                assert_eq!(shortened(ui, &path, width(&short)), short);
            }
            for too_little in [width("oak.pfobj"), 5.0] {
                assert_eq!(shortened(ui, &path, too_little), "oak.pfobj");
            }
            assert_eq!(shortened(ui, "oak.pfobj", 5.0), "oak.pfobj");
        });
    }
}
