//! The line at the bottom of the window: what is pointed at, and how things stand.

use egui::{Align, Button, Layout, Panel as EguiPanel, RichText, Ui};

use super::camera_control::CameraMode;
use super::commands::Action;
use super::settings::Panel;
use super::state::State;
use super::ui::Shown;
use super::{folder, theme, viewport};
use crate::formats::Severity;

pub(super) fn status_bar(root: &mut Ui, state: &mut State, shown: &mut Shown) {
    let bar = EguiPanel::bottom("status bar").show(root, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                status_right(ui, state, shown);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let text = status_text(state);
                    ui.add(egui::Label::new(text).truncate());
                });
            });
        });
    });
    shown.at("status", bar.response.rect);
}

fn status_text(state: &State) -> RichText {
    let document = state.document();
    if let (Some(document), Some(item)) = (document, state.hovered) {
        return RichText::new(document.summary(item));
    }
    match document {
        Some(_) => RichText::new(format!("{}  ·  F1 shows all keys", viewport::hint(state))).weak(),
        None => RichText::new("Drop a file here, or open one  ·  F1 shows all keys").weak(),
    }
}

fn status_right(ui: &mut Ui, state: &mut State, shown: &mut Shown) {
    if let Some(document) = state.document() {
        let problems = document.problems();
        let errors = problems
            .iter()
            .filter(|p| p.severity == Severity::Error)
            .count();
        let (text, color) = match (errors, problems.len() - errors) {
            (0, 0) => ("No problems".to_owned(), theme::WEAK_TEXT),
            (0, 1) => ("1 warning".to_owned(), theme::WARNING),
            (0, warnings) => (format!("{warnings} warnings"), theme::WARNING),
            (1, 0) => ("1 error".to_owned(), theme::ERROR),
            (errors, 0) => (format!("{errors} errors"), theme::ERROR),
            (errors, warnings) => (
                format!("{errors} errors, {warnings} warnings"),
                theme::ERROR,
            ),
        };
        let button = ui.add(Button::new(RichText::new(text).color(color)).frame(false));
        shown.at("problem-count", button.rect);
        if button.on_hover_text("Show or hide the problems").clicked() {
            state.run(Action::Panel(Panel::Problems));
        }
    }
    if let Some(text) = state
        .playlist
        .as_ref()
        .and_then(folder::Playlist::position_text)
    {
        ui.separator();
        ui.weak(text)
            .on_hover_text("Page Down and Page Up go through these files");
    }
    let mode = match state.mode {
        CameraMode::Orbit => None,
        CameraMode::Fly => Some("Flying"),
        CameraMode::Game => Some("As in the game"),
    };
    if let Some(mode) = mode {
        ui.separator();
        ui.label(RichText::new(mode).color(theme::ACCENT));
    }
}
