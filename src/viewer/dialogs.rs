//! What is in front of everything else: palette, cheat sheet, path field, about.

use std::path::{Path, PathBuf};

use egui::{Key, Modal, Response, RichText, Role, TextEdit, WidgetInfo};

use super::commands::Action;
use super::state::{Asked, Dialog, PathPurpose, State};
use super::{cheat_sheet, palette};
use crate::scene::registry;

/// Room around what a dialog says, in logical pixels.
const MARGIN: i8 = 14;

/// Gives a text field, which has no label of its own, a name for screen readers.
pub(super) fn name_field(field: &Response, name: &'static str) {
    field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, name));
}

/// What a dialog leaves behind.
enum Answer {
    Stay,
    Close,
    Run(Action),
    Path(PathPurpose, PathBuf),
    Replace(PathPurpose, PathBuf),
}

/// Whether the system may have dialogs that ask for paths. On Linux they come from a portal, which
/// is reached by the session's bus, or from zenity; to ask where there is neither takes seconds.
pub(super) fn system_has_some() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let folders = |name| std::env::var_os(name).into_iter();
    let bus = folders("XDG_RUNTIME_DIR").any(|folder| Path::new(&folder).join("bus").exists());
    let has_zenity = |path| std::env::split_paths(&path).any(|dir| dir.join("zenity").is_file());
    bus || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || folders("PATH").any(has_zenity)
}

/// Shows the dialog that is open, if any, and does what was chosen in it.
pub(super) fn ui(ctx: &egui::Context, state: &mut State) {
    let Some(mut dialog) = state.dialog.take() else {
        return;
    };
    let answer = match &mut dialog {
        Dialog::Palette { text, at } => modal(ctx, "palette", |ui| {
            match palette::ui(ui, state, text, at) {
                Some(action) => Answer::Run(action),
                None => Answer::Stay,
            }
        }),
        Dialog::Path { purpose, text } => modal(ctx, "path", |ui| path(ui, *purpose, text)),
        Dialog::Replace { purpose, path } => {
            modal(ctx, "replace", |ui| replace(ui, *purpose, path))
        }
        Dialog::About => modal(ctx, "about", |ui| about(ui, state)),
        Dialog::CheatSheet { text } => {
            let mut open = true;
            let mut chosen = None;
            egui::Window::new("Keys and pointer")
                .open(&mut open)
                .collapsible(false)
                .default_size([620.0, 560.0])
                .pivot(egui::Align2::CENTER_CENTER)
                .default_pos(ctx.content_rect().center())
                .show(ctx, |ui| chosen = cheat_sheet::ui(ui, state, text));
            match (open, chosen) {
                (false, _) => Answer::Close,
                // The sheet stays: one can see the state change.
                (true, Some(action)) => {
                    state.run(action);
                    if state.dialog.is_some() {
                        Answer::Close
                    } else {
                        Answer::Stay
                    }
                }
                (true, None) => Answer::Stay,
            }
        }
    };
    if !matches!(answer, Answer::Stay) {
        // Or else the next key would still be meant for the field that is gone.
        ctx.memory_mut(egui::Memory::stop_text_input);
    }
    match answer {
        Answer::Stay => state.dialog = Some(dialog),
        Answer::Close => {}
        Answer::Run(action) => state.run(action),
        Answer::Path(purpose, path) => state.path_chosen(purpose, path, Asked::InWindow),
        Answer::Replace(purpose, path) => state.path_chosen(purpose, path, Asked::ToReplace),
    }
}

fn modal(ctx: &egui::Context, id: &str, content: impl FnOnce(&mut egui::Ui) -> Answer) -> Answer {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(MARGIN);
    let shown = Modal::new(egui::Id::unique(id))
        .frame(frame)
        .show(ctx, content);
    match shown.inner {
        Answer::Stay if shown.should_close() => Answer::Close,
        answer => answer,
    }
}

fn path(ui: &mut egui::Ui, purpose: PathPurpose, text: &mut String) -> Answer {
    ui.set_width(520.0);
    let (title, help, verb) = match purpose {
        PathPurpose::Open => (
            "Open path",
            "The path of a file or of a folder with files",
            "Open",
        ),
        PathPurpose::SavePicture => ("Save picture", "Where to save the picture as PNG", "Save"),
        PathPurpose::SaveMap => (
            "Save whole map",
            "Where to save the picture of the whole map as PNG",
            "Save",
        ),
        PathPurpose::TextureFolder => (
            "Add texture folder",
            "The path of a folder in which textures are looked for",
            "Add",
        ),
    };
    ui.heading(title);
    ui.weak(help);
    ui.add_space(4.0);
    let field = ui.add(TextEdit::singleline(text).desired_width(f32::INFINITY));
    name_field(&field, "Path");
    if !field.has_focus() && !field.lost_focus() {
        field.request_focus();
    }
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let typed = text.trim().trim_matches('"');
    let meant = from_home(typed);
    if !typed.is_empty() && meant != Path::new(typed) {
        ui.weak(meant.display().to_string());
    }
    let mut answer = Answer::Stay;
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let pressed = ui
            .add_enabled(!typed.is_empty(), egui::Button::new(verb))
            .clicked();
        if (pressed || enter) && !typed.is_empty() {
            answer = Answer::Path(purpose, meant);
        }
        if ui.button("Cancel").clicked() {
            answer = Answer::Close;
        }
    });
    answer
}

fn replace(ui: &mut egui::Ui, purpose: PathPurpose, path: &Path) -> Answer {
    ui.set_width(420.0);
    let name = super::folder::name(path);
    ui.heading(format!("Replace {name}?"));
    let folder = path.parent().unwrap_or(Path::new("")).display();
    ui.label(format!("There is a file of this name in {folder}."));
    ui.add_space(6.0);
    let answers = ui.horizontal(|ui| [ui.button("Replace"), ui.button("Cancel")]);
    match answers.inner.each_ref().map(Response::clicked) {
        [true, _] => Answer::Replace(purpose, path.to_owned()),
        [_, true] => Answer::Close,
        _ => Answer::Stay,
    }
}

/// A path as people type it: `~` is their home, and a relative one begins in the folder that the
/// program was started in.
fn from_home(typed: &str) -> PathBuf {
    let home = || directories::UserDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match typed.strip_prefix("~/").or((typed == "~").then_some("")) {
        Some(rest) => home().map_or_else(|| typed.into(), |home| home.join(rest)),
        None => std::path::absolute(typed).unwrap_or_else(|_| typed.into()),
    }
}

fn about(ui: &mut egui::Ui, state: &State) -> Answer {
    ui.set_width(400.0);
    ui.heading(format!("Mapscope {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.add_space(6.0);
    let formats: Vec<&str> = registry::formats().map(|format| format.name).collect();
    egui::Grid::new("about").num_columns(2).show(ui, |ui| {
        for (name, value) in [
            ("Opens", formats.join(", ")),
            ("Draws with", state.adapter.clone()),
            ("Licence", env!("CARGO_PKG_LICENSE").to_owned()),
        ] {
            ui.label(RichText::new(name).weak());
            ui.add(egui::Label::new(value).wrap());
            ui.end_row();
        }
    });
    ui.add_space(6.0);
    if ui.button("Close").clicked() {
        Answer::Close
    } else {
        Answer::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_home_and_nothing_else_changes() {
        let home = directories::UserDirs::new().unwrap().home_dir().to_owned();
        assert_eq!(from_home("~/maps/a b.pfmap"), home.join("maps/a b.pfmap"));
        assert_eq!(from_home("~"), home);
        assert_eq!(from_home("/tmp/~/x"), PathBuf::from("/tmp/~/x"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(from_home("~other/x"), here.join("~other/x"));
    }
}
