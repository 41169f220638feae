//! The dialogs in front of the window: palette, cheat sheet, path field, about and others.

use std::path::{MAIN_SEPARATOR, MAIN_SEPARATOR_STR, Path, PathBuf};

use egui::{
    Align, Align2, Color32, CompletionPopup, Event, Id, Key, Layout, Modal, Order, RectAlign,
    Response, RichText, Role, ScrollArea, Suggestion, TextEdit, UiKind, WidgetInfo, vec2,
};

use super::{cheat_sheet, go_to, palette};
use crate::file_names::local_path;
use crate::images::animation::FPS;
use crate::images::png_file::MAX_SIDE;
use crate::images::shots::MAX_VIEWS;
use crate::viewer::commands::Action;
use crate::viewer::format::counted;
use crate::viewer::io::editor::{Editor, Environment, PLACEHOLDERS};
use crate::viewer::panels::parts;
use crate::viewer::places;
use crate::viewer::state::animation::Motion;
use crate::viewer::state::bookmarks::{Bookmark, MAX_NAME};
use crate::viewer::state::interface::{Dialog, PathPurpose, PathSource};
use crate::viewer::state::picture::{PictureOptions, PictureSize};
use crate::viewer::state::{Effect, State, folder};
use mapscope_export::endings;
use mapscope_formats::{Place, printable};
use mapscope_scene::map_scene::MapFile;
use mapscope_scene::saving::{FileKind, SaveError};
use mapscope_scene::{Destination, MapChoice, fixed};

/// Width of the cheat sheet, in logical pixels.
const SHEET_WIDTH: f32 = 660.0;
/// Width of the name column in the about dialog, in logical pixels.
const ABOUT_NAME_WIDTH: f32 = 84.0;
/// Margin inside a dialog, in logical pixels.
const MARGIN: i8 = 14;
/// Minimum distance between a dialog and the edges of the window, in logical pixels.
const GAP: f32 = 6.0;

/// Makes Enter press a button, unless another widget has the focus.
fn make_default(button: &Response) {
    if button.ctx.memory(|memory| memory.focused().is_none()) {
        button.request_focus();
    }
}

/// Shows the heading of a dialog, which is also its accessible name.
fn heading(ui: &mut egui::Ui, title: &str) {
    ui.heading(title);
    parts::name_enclosing(ui, |kind| kind == UiKind::Modal, title);
}

/// Sets the accessible name of a text field without a label.
pub(crate) fn name_field(field: &Response, name: &'static str) {
    field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, name));
}

/// The result of a dialog in this frame.
enum Answer {
    Stay,
    Close,
    Run(Action),
    GoTo(Destination),
    Path(PathPurpose, PathBuf),
    Replace(PathPurpose, PathBuf),
    /// Ask for a path.
    AskPath(PathPurpose),
    /// Quit even during a save.
    Quit,
    /// Remove the texture folder at this index.
    RemoveFolder(usize),
    /// Set the command of the editor.
    Editor(String),
    /// Place the scene on this map.
    Map(MapChoice),
}

/// `true` if the system may offer file dialogs. On Linux they are provided by a portal on the
/// session bus, or by zenity. Without either, a request takes seconds to fail.
pub(crate) fn system_has_file_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let folders = |name| std::env::var_os(name).into_iter();
    let bus = folders("XDG_RUNTIME_DIR").any(|folder| Path::new(&folder).join("bus").exists());
    let has_zenity = |path| std::env::split_paths(&path).any(|dir| dir.join("zenity").is_file());
    bus || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some() || folders("PATH").any(has_zenity)
}

/// Shows the open dialog, if any, and carries out its result.
pub(crate) fn ui(ctx: &egui::Context, state: &mut State) {
    let Some(mut dialog) = state.interface.dialog.take() else {
        return;
    };
    let answer = match &mut dialog {
        Dialog::Palette { text, at } => modal(ctx, "palette", |ui| {
            match palette::ui(ui, state, text, at) {
                Some(action) => Answer::Run(action),
                None => Answer::Stay,
            }
        }),
        Dialog::GoTo(go_to) => {
            let answer = modal_at_top(ctx, "go to", |ui| {
                match go_to::ui(ui, &state.session, go_to) {
                    Some(destination) => Answer::GoTo(destination),
                    None => Answer::Stay,
                }
            });
            match answer {
                Answer::Stay => state.preview(go_to),
                _ => state.return_from(go_to),
            }
            answer
        }
        Dialog::Path {
            purpose,
            text,
            why_not,
        } => modal(ctx, "path", |ui| {
            let endings = match purpose {
                PathPurpose::Export => endings(&state.session.targets()),
                _ => String::new(),
            };
            path(ui, *purpose, text, (why_not.as_deref(), &endings))
        }),
        Dialog::Replace {
            purpose,
            path,
            existing,
            kind,
        } => modal(ctx, "replace", |ui| {
            let answer = replace(ui, existing, *kind);
            answer.unwrap_or_else(|| Answer::Replace(*purpose, path.clone()))
        }),
        Dialog::ChooseMap { scene, maps, .. } => {
            let own = scene.with_extension("pfmap");
            modal(ctx, "choose map", |ui| choose_map(ui, scene, &own, maps))
        }
        Dialog::Bookmarks => modal(ctx, "bookmarks", |ui| bookmarks(ui, state)),
        Dialog::Picture => modal(ctx, "picture", |ui| picture(ui, state)),
        Dialog::Animation => modal(ctx, "animation", |ui| animation(ui, state)),
        Dialog::TextureFolders => modal(ctx, "texture folders", |ui| texture_folders(ui, state)),
        Dialog::Editor { text } => modal(ctx, "editor", |ui| editor(ui, state, text)),
        Dialog::Quit => modal(ctx, "quit", |ui| quit(ui, state)),
        Dialog::About => modal(ctx, "about", |ui| about(ui, state)),
        Dialog::CheatSheet { text, is_new, edit } => {
            let mut open = true;
            let mut chosen = None;
            let title = match edit {
                Some(_) => "Change keys",
                None => "Keys and pointer",
            };
            egui::Window::new(title)
                .open(&mut open)
                .collapsible(false)
                .order(Order::Foreground)
                .default_size([SHEET_WIDTH, 560.0])
                // Contents that are too wide must not widen the window with every frame.
                .max_width(SHEET_WIDTH)
                .pivot(Align2::CENTER_CENTER)
                .default_pos(ctx.content_rect().center())
                .show(ctx, |ui| {
                    chosen = cheat_sheet::ui(ui, state, text, is_new, edit.as_mut());
                });
            match (open, chosen) {
                (false, _) | (_, Some(Action::CheatSheet)) => Answer::Close,
                // The sheet stays open, so that the state change is visible.
                (true, Some(action)) => {
                    state.run(action);
                    if state.interface.dialog.is_some() {
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
        // A dialog opened by another one is shown at once.
        ctx.request_repaint();
        // Otherwise the next key would still go to the field, which no longer exists.
        ctx.memory_mut(egui::Memory::stop_text_input);
    }
    match answer {
        Answer::Stay => state.interface.dialog = Some(dialog),
        Answer::Close => {}
        Answer::Run(action) => state.run(action),
        Answer::GoTo(destination) => state.go_to(&destination),
        Answer::Path(purpose, path) => {
            // A path typed for saving must not become a file to open.
            let is_opened = matches!(purpose, PathPurpose::Open | PathPurpose::Compare);
            if let Dialog::Path { text, .. } = dialog
                && is_opened
            {
                state.interface.typed_path = text;
            }
            state.path_chosen(purpose, &path, PathSource::InApp);
        }
        Answer::Replace(purpose, path) => {
            state.path_chosen(purpose, &path, PathSource::OverwriteConfirmed);
        }
        Answer::Map(choice) => {
            if let Dialog::ChooseMap { scene, is_new, .. } = dialog {
                state.choose_map(scene, choice, is_new);
            }
        }
        Answer::Editor(command) => state.set_editor(&command),
        Answer::AskPath(purpose) => state.effects.push(Effect::AskPath(purpose)),
        Answer::Quit => state.effects.push(Effect::Quit),
        Answer::RemoveFolder(index) => {
            state.remove_texture_folder(index);
            state.interface.dialog = Some(dialog);
        }
    }
}

/// Returns the maximum height of a dialog's contents, in points.
pub(crate) fn room(ctx: &egui::Context) -> f32 {
    ctx.content_rect().height() - 2.0 * (f32::from(MARGIN) + GAP)
}

/// Scrolls contents that are higher than `room`.
pub(crate) fn scrolled<R>(
    ui: &mut egui::Ui,
    room: f32,
    content: impl FnOnce(&mut egui::Ui) -> R,
) -> R {
    let area = ScrollArea::vertical().max_height(room);
    // Otherwise it would keep the height of the last frame when its contents grow.
    let area = area.min_scrolled_height(room);
    area.show(ui, content).inner
}

/// Shows a modal dialog; contents that do not fit into the window scroll.
fn modal(ctx: &egui::Context, id: &str, content: impl FnOnce(&mut egui::Ui) -> Answer) -> Answer {
    show_modal(ctx, Modal::new(Id::unique(id)), content)
}

/// Shows a modal dialog at the top of the window, and the rest of the window undimmed.
fn modal_at_top(
    ctx: &egui::Context,
    id: &str,
    content: impl FnOnce(&mut egui::Ui) -> Answer,
) -> Answer {
    let id = Id::unique(id);
    let area = Modal::default_area(id).anchor(Align2::CENTER_TOP, vec2(0.0, GAP));
    let modal = Modal::new(id)
        .area(area)
        .backdrop_color(Color32::TRANSPARENT);
    show_modal(ctx, modal, content)
}

fn show_modal(
    ctx: &egui::Context,
    modal: Modal,
    content: impl FnOnce(&mut egui::Ui) -> Answer,
) -> Answer {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(MARGIN);
    let shown = modal
        .frame(frame)
        .show(ctx, |ui| scrolled(ui, room(ctx), content));
    match shown.inner {
        Answer::Stay if shown.should_close() => Answer::Close,
        answer => answer,
    }
}

fn path(
    ui: &mut egui::Ui,
    purpose: PathPurpose,
    text: &mut String,
    (why_not, endings): (Option<&str>, &str),
) -> Answer {
    ui.set_width(520.0);
    let exports = format!("Where to save the export, as {endings}");
    let (title, help, verb) = match purpose {
        PathPurpose::Open => ("Open path", "The path of a file or folder", "Open"),
        PathPurpose::SavePicture => ("Save picture", "Where to save the picture as PNG", "Save"),
        PathPurpose::SaveAnimation => (
            "Save animation",
            "Where to save the animation: as .gif, as .apng, or as .png with one file per image",
            "Save",
        ),
        PathPurpose::SaveMap => (
            "Save whole map",
            "Where to save the image of the whole map as PNG",
            "Save",
        ),
        PathPurpose::SaveLayout(_) => (
            "Save UV layout",
            "Where to save the UV layout as PNG",
            "Save",
        ),
        PathPurpose::Export => ("Export", exports.as_str(), "Export"),
        PathPurpose::SceneMap => (
            "Choose the map",
            "The path of the map for the scene",
            "Choose",
        ),
        PathPurpose::Compare => (
            "Compare with",
            "The path of a file of the same format",
            "Compare",
        ),
        PathPurpose::Attach => (
            "Attach model",
            "The path of a model for the selected joint",
            "Attach",
        ),
        PathPurpose::TextureFolder => (
            "Add texture folder",
            "The path of a folder to search for textures",
            "Add",
        ),
    };
    heading(ui, title);
    ui.weak(help);
    ui.add_space(4.0);
    let field = TextEdit::singleline(text).desired_width(f32::INFINITY);
    let ctx = ui.ctx().clone();
    // Tab accepts the suggestion, Enter takes the typed text.
    let field = CompletionPopup::new(ui.make_persistent_id("typed path"))
        .word_boundary(|_| false)
        .align(RectAlign::BOTTOM_START)
        .accept_keys([Key::Tab])
        .show(ui, field, |query| suggestions(&ctx, query.word, purpose));
    let field = field.text_edit.response.response;
    name_field(&field, "Path");
    if field.lost_focus() {
        // After an invalid path the field stays open and gets the focus again.
        ui.ctx().request_repaint();
    } else if !field.has_focus() {
        field.request_focus();
    }
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    let typed = text.trim();
    let meant = resolve_typed_path(typed);
    // Always shown, so that the layout does not move during typing.
    let is_other = !typed.is_empty() && meant != Path::new(typed);
    let whole = is_other.then(|| meant.display().to_string());
    ui.add(egui::Label::new(RichText::new(whole.unwrap_or_default()).weak()).truncate());
    if let Some(why_not) = why_not {
        ui.colored_label(ui.visuals().error_fg_color, why_not);
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

/// Asks whether to replace existing files by files of a kind. Returns `None` for yes.
fn replace(ui: &mut egui::Ui, existing: &[PathBuf], kind: FileKind) -> Option<Answer> {
    ui.set_width(420.0);
    let first = existing.first().map_or(Path::new(""), PathBuf::as_path);
    let name = folder::name(first);
    let folder = first.parent().unwrap_or(Path::new("")).display();
    let others = existing.len().saturating_sub(1);
    let is_other = match kind.check_target(first, &[], false) {
        Err(SaveError::OtherKind(kind)) => format!(", and its format is not {}", kind.name),
        Err(SaveError::ReadOnly) => ", and it is read-only".to_owned(),
        _ => String::new(),
    };
    if others > 0 {
        let others = counted(others, "other");
        heading(ui, &format!("Replace {name} and {others}?"));
        ui.label(format!("Files with these names already exist in {folder}."));
    } else {
        heading(ui, &format!("Replace {name}?"));
        ui.label(format!(
            "A file with this name already exists in {folder}{is_other}."
        ));
    }
    ui.add_space(6.0);
    // A key held down since the path was typed must not answer the question.
    let is_repeated = |event: &Event| matches!(event, Event::Key { repeat: true, .. });
    ui.input_mut(|input| input.events.retain(|event| !is_repeated(event)));
    let answers = ui.horizontal(|ui| [ui.button("Replace"), ui.button("Cancel")]);
    let [yes, no] = &answers.inner;
    // Replacing a file of another kind is hardly intended.
    make_default(if is_other.is_empty() { yes } else { no });
    match answers.inner.each_ref().map(Response::clicked) {
        [true, _] => None,
        [_, true] => Some(Answer::Close),
        _ => Some(Answer::Stay),
    }
}

/// Asks whether to quit during a save. Closes once the save has ended.
fn quit(ui: &mut egui::Ui, state: &State) -> Answer {
    let Some(saving) = &state.notices.saving else {
        return Answer::Close;
    };
    ui.set_width(420.0);
    heading(ui, "Quit anyway?");
    let name = &saving.name;
    ui.label(format!("{name} is still being saved and would be lost."));
    ui.add_space(6.0);
    let answers = ui.horizontal(|ui| [ui.button("Quit"), ui.button("Continue saving")]);
    let [quit, go_on] = answers.inner;
    make_default(&go_on);
    places::note(ui.ctx(), "quit-anyway", quit.rect);
    match [quit.clicked(), go_on.clicked()] {
        [true, _] => Answer::Quit,
        [_, true] => Answer::Close,
        _ => Answer::Stay,
    }
}

/// Shows the options for saving a picture of the view.
fn picture(ui: &mut egui::Ui, state: &mut State) -> Answer {
    ui.set_width(360.0);
    heading(ui, "Save picture");
    ui.add_space(4.0);
    picture_options(ui, state);
    ui.add_space(6.0);
    save_or_cancel(ui, "picture-save", PathPurpose::SavePicture)
}

/// Shows the size of a picture and the choice of what it includes.
fn picture_options(ui: &mut egui::Ui, state: &mut State) {
    const SIZES: [(PictureSize, &str); 4] = [
        (PictureSize::Times(1), "As large as the view"),
        (PictureSize::Times(2), "Twice as large"),
        (PictureSize::Times(4), "Four times as large"),
        (PictureSize::Typed, "Custom size"),
    ];
    let view_px = state.session.view.size_px;
    let names = if state.session.has_layers() {
        "Names of entities and zones"
    } else if state.session.is_scene()
        || state
            .session
            .document()
            .is_some_and(|it| it.levels().is_some())
    {
        "Names of entities"
    } else {
        "Names of joints"
    };
    let options = &mut state.interface.picture;
    for (size, name) in SIZES {
        ui.horizontal(|ui| {
            let choice = ui.radio_value(&mut options.size, size, name);
            if let PictureSize::Times(times) = size {
                places::note(ui.ctx(), format!("picture-size-{times}"), choice.rect);
                let larger = PictureOptions { size, ..*options };
                let [width, height] = larger.size_of(view_px);
                ui.weak(format!("{width} × {height} px"));
                return;
            }
            for (side, name) in options.typed_size.iter_mut().zip(["Width", "Height"]) {
                let field = ui.add(egui::DragValue::new(side).range(1..=MAX_SIDE).suffix(" px"));
                parts::name(&field, name);
                if field.changed() {
                    options.size = PictureSize::Typed;
                }
            }
        });
    }
    ui.add_space(4.0);
    ui.checkbox(&mut options.is_plain, "Without selection and overlays");
    ui.checkbox(&mut options.is_transparent, "Transparent background");
    ui.checkbox(&mut options.has_names, names);
}

/// Shows the options for saving an animation of the view.
fn animation(ui: &mut egui::Ui, state: &mut State) -> Answer {
    ui.set_width(360.0);
    heading(ui, "Save animation");
    ui.add_space(4.0);
    let has_cameras = state
        .session
        .document()
        .is_some_and(|it| !it.cameras().is_empty());
    let moves = state.motion();
    for motion in Motion::ALL {
        if motion == Motion::Cameras && !has_cameras {
            continue;
        }
        let [name, help] = motion.name_and_help();
        let why_not = state.session.why_no_motion(motion);
        ui.horizontal(|ui| {
            let choice = egui::RadioButton::new(moves == Some(motion), name);
            let choice = ui.add_enabled(why_not.is_none(), choice);
            let place = format!("animation-{}", name.to_ascii_lowercase());
            places::note(ui.ctx(), place, choice.rect);
            if choice.clicked() {
                state.interface.animation.motion = motion;
            }
            ui.weak(why_not.unwrap_or(help));
        });
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let options = &mut state.interface.animation;
        if moves != Some(Motion::Clip) {
            let views = egui::DragValue::new(&mut options.views).range(2..=MAX_VIEWS);
            let views = ui.add(views.suffix(" views"));
            parts::name(&views, "Views");
            places::note(ui.ctx(), "animation-views", views.rect);
        }
        let fps = egui::DragValue::new(&mut options.fps).range(FPS);
        let fps = ui.add(fps.max_decimals(2).suffix(" fps"));
        parts::name(&fps, "Frames per second");
        let fps = options.fps;
        let images = state.animation_length();
        let secs = images as f32 / fps;
        let images = counted(images as usize, "image");
        ui.weak(format!("{images}, {} s", fixed(secs, 1)));
    });
    ui.add_space(4.0);
    picture_options(ui, state);
    ui.add_space(6.0);
    match save_or_cancel(ui, "animation-save", PathPurpose::SaveAnimation) {
        // The file may have changed since the dialog was opened.
        Answer::AskPath(_) if moves.is_none() => Answer::Stay,
        answer => answer,
    }
}

/// Shows the buttons of a save dialog; the place of the first is noted as `name`.
fn save_or_cancel(ui: &mut egui::Ui, name: &'static str, purpose: PathPurpose) -> Answer {
    let buttons = ui.horizontal(|ui| [ui.button("Save…"), ui.button("Cancel")]);
    let [save, cancel] = buttons.inner;
    places::note(ui.ctx(), name, save.rect);
    make_default(&save);
    match [save.clicked(), cancel.clicked()] {
        [true, _] => Answer::AskPath(purpose),
        [_, true] => Answer::Close,
        _ => Answer::Stay,
    }
}

/// Returns completions of a path: folders, and openable files if `purpose` is to open one.
fn suggestions(ctx: &egui::Context, typed: &str, purpose: PathPurpose) -> Vec<Suggestion> {
    // Cached: the field asks in every frame.
    let id = Id::unique("suggested paths");
    let known = ctx.data(|data| data.get_temp::<(String, Vec<String>)>(id));
    let paths = match known {
        Some((of, paths)) if of == typed => paths,
        _ => {
            let wants_files = matches!(
                purpose,
                PathPurpose::Open
                    | PathPurpose::SceneMap
                    | PathPurpose::Compare
                    | PathPurpose::Attach
            );
            let paths = continuations(typed, wants_files);
            ctx.data_mut(|data| data.insert_temp(id, (typed.to_owned(), paths.clone())));
            paths
        }
    };
    let suggestion = |path: String| {
        let is_folder = path.ends_with(MAIN_SEPARATOR);
        let name = folder::name(Path::new(&path));
        let end = if is_folder { MAIN_SEPARATOR_STR } else { "" };
        Suggestion::new(path).content(format!("{name}{end}"))
    };
    paths.into_iter().map(suggestion).collect()
}

/// Returns the paths that begin with the typed text, in natural order: folders with a trailing
/// separator and, if `wants_files`, openable files. Empty if no folder was typed.
fn continuations(typed: &str, wants_files: bool) -> Vec<String> {
    let Some(end_of_folder) = typed.rfind(std::path::is_separator) else {
        return Vec::new();
    };
    let (folder, beginning) = typed.split_at(end_of_folder + 1);
    let Ok(entries) = std::fs::read_dir(resolve_typed_path(folder)) else {
        return Vec::new();
    };
    let mut paths: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // Hidden entries are offered only once their dot has been typed.
            let is_hidden = name.starts_with('.') && beginning.is_empty();
            if is_hidden || !name.starts_with(beginning) {
                return None;
            }
            let path = entry.path();
            if path.is_dir() {
                Some(format!("{folder}{name}{MAIN_SEPARATOR}"))
            } else {
                let wanted =
                    wants_files && name != beginning && mapscope_scene::has_known_ending(&path);
                wanted.then(|| format!("{folder}{name}"))
            }
        })
        .collect();
    paths.sort_by(|a, b| folder::natural_order(a, b));
    paths
}

/// Returns the path for typed or pasted text, which may be in quotes, a `file` URI, below the home
/// folder (`~`), or relative to the working directory at program start.
fn resolve_typed_path(typed: &str) -> PathBuf {
    let quoted = |quote| typed.strip_prefix(quote)?.strip_suffix(quote);
    let typed = quoted('"').or_else(|| quoted('\'')).unwrap_or(typed);
    if let Some(path) = local_path(typed.as_bytes()) {
        return path;
    }
    let home = || directories::UserDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match typed.strip_prefix("~/").or((typed == "~").then_some("")) {
        Some(rest) => home().map_or_else(|| typed.into(), |home| home.join(rest)),
        None => std::path::absolute(typed).unwrap_or_else(|_| typed.into()),
    }
}

/// Shows the maps on which a scene can be placed.
fn choose_map(ui: &mut egui::Ui, scene: &Path, own: &Path, maps: &[MapFile]) -> Answer {
    ui.set_width(420.0);
    heading(ui, "Choose a map for the scene");
    ui.weak(format!(
        "{} will be shown on this map; you can choose another map in the File menu",
        folder::name(scene)
    ));
    ui.add_space(4.0);
    let mut answer = Answer::Stay;
    let list = ScrollArea::vertical().max_height(320.0);
    list.auto_shrink([false, true]).show(ui, |ui| {
        for map in maps {
            let name = folder::name(&map.path);
            let size = map.size();
            ui.horizontal(|ui| {
                let button = ui.button(&name);
                parts::name(&button, &format!("{name}, {size}"));
                make_default(&button);
                if button.clicked() {
                    answer = Answer::Map(if map.path == own {
                        MapChoice::Beside
                    } else {
                        MapChoice::File(map.path.clone())
                    });
                }
                ui.weak(size);
            });
        }
    });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let none = ui.button("No map");
        if none.on_hover_text("Show the scene on a grid").clicked() {
            answer = Answer::Map(MapChoice::Nowhere);
        }
        if ui.button("Another file…").clicked() {
            answer = Answer::AskPath(PathPurpose::SceneMap);
        }
        if ui.button("Cancel").clicked() {
            answer = Answer::Close;
        }
    });
    answer
}

/// Shows the folders that are searched for textures.
fn texture_folders(ui: &mut egui::Ui, state: &State) -> Answer {
    ui.set_width(520.0);
    heading(ui, "Texture folders");
    ui.weak("Textures that are not at the path in the file are searched here, in this order");
    ui.add_space(4.0);
    let mut answer = Answer::Stay;
    let named_at_start = &state.open_options.texture_folders;
    let remembered = &state.settings.texture_folders;
    if named_at_start.is_empty() && remembered.is_empty() {
        ui.label("No texture folders");
    }
    let mut line = |folder: &Path, end: &mut dyn FnMut(&mut egui::Ui)| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                end(ui);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = folder.display().to_string();
                    ui.add(egui::Label::new(name).truncate());
                });
            });
        });
    };
    for folder in named_at_start {
        line(folder, &mut |ui| {
            ui.weak("from the command line");
        });
    }
    for (index, folder) in remembered.iter().enumerate() {
        line(folder, &mut |ui| {
            let button = ui.button("Remove");
            parts::name(&button, &format!("Remove {}", folder.display()));
            if button.clicked() {
                answer = Answer::RemoveFolder(index);
            }
        });
    }
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        if ui.button("Add…").clicked() {
            answer = Answer::Run(Action::AddTextureFolder);
        }
        let close = ui.button("Close");
        make_default(&close);
        if close.clicked() {
            answer = Answer::Close;
        }
    });
    answer
}

fn bookmarks(ui: &mut egui::Ui, state: &mut State) -> Answer {
    ui.set_width(600.0);
    heading(ui, "Bookmarks");
    ui.weak("Views of this file, each with a number");
    ui.add_space(4.0);
    let mut answer = Answer::Stay;
    let bookmarks = state.bookmarks().to_vec();
    if bookmarks.is_empty() {
        ui.label("No bookmarks");
    }
    for Bookmark {
        number,
        mut name,
        view,
    } in bookmarks
    {
        ui.horizontal(|ui| {
            ui.label(number.to_string());
            let field = TextEdit::singleline(&mut name)
                .char_limit(MAX_NAME)
                .desired_width(190.0);
            let field = ui.add(field);
            let label = format!("Name of bookmark {number}");
            field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &label));
            if field.changed() {
                state.name_bookmark(number, name);
            }
            let mut is_clicked = |text: &str| {
                let button = ui.button(text);
                parts::name(&button, &format!("{text} bookmark {number}"));
                button.clicked()
            };
            if is_clicked("Go to") {
                answer = Answer::Run(Action::Bookmark(number));
            }
            if is_clicked("Replace") {
                state.set_bookmark(number);
            }
            if is_clicked("Remove") {
                state.remove_bookmark(number);
            }
            ui.add(egui::Label::new(RichText::new(view.place_text()).weak()).truncate());
        });
    }
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        if ui.button("Add").clicked() {
            state.add_bookmark();
        }
        let close = ui.button("Close");
        make_default(&close);
        if close.clicked() {
            answer = Answer::Close;
        }
    });
    answer
}

/// Asks for the command of the editor, and shows the command line that results from it.
fn editor(ui: &mut egui::Ui, state: &State, text: &mut String) -> Answer {
    ui.set_width(520.0);
    heading(ui, "Editor");
    ui.weak(format!(
        "The command that opens a file, with {}. Without a command, Mapscope uses $VISUAL, $EDITOR or \
         the first editor that it finds",
        PLACEHOLDERS.join(" ")
    ));
    ui.add_space(4.0);
    let field = TextEdit::singleline(text)
        .hint_text("code --goto {file}:{line}:{column}")
        .desired_width(f32::INFINITY);
    let field = ui.add(field);
    name_field(&field, "Command");
    let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    if !field.has_focus() && !enter && ui.memory(|memory| memory.focused().is_none()) {
        field.request_focus();
    }
    let chosen = Editor::choose(text, &Environment::here());
    let is_valid = chosen.is_ok() || text.trim().is_empty();
    match chosen {
        Ok(editor) => {
            let path = state.session.path_on_disk().cloned();
            let file = path.unwrap_or_else(|| "map.pfmap".into());
            let place = Some(Place::Text {
                line: 30,
                column: 5,
            });
            let command = editor.command(&file, place);
            let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
            ui.label(format!("Runs {}", printable(&words.join(" "))));
        }
        Err(error) => {
            ui.colored_label(ui.visuals().error_fg_color, error.to_string());
        }
    }
    let mut answer = Answer::Stay;
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let button = ui.add_enabled(is_valid, egui::Button::new("Use"));
        if is_valid && (button.clicked() || enter) {
            answer = Answer::Editor(text.clone());
        }
        if ui.button("Cancel").clicked() {
            answer = Answer::Close;
        }
    });
    answer
}

fn about(ui: &mut egui::Ui, state: &State) -> Answer {
    ui.set_width(400.0);
    heading(ui, &format!("Mapscope {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.add_space(6.0);
    let formats: Vec<&str> = mapscope_scene::formats()
        .map(|format| format.name)
        .collect();
    for (name, value) in [
        ("Opens", &*formats.join(", ")),
        ("Graphics", &state.interface.adapter_and_reason),
        ("Anti-aliasing", &state.interface.anti_aliasing),
        ("Licence", env!("CARGO_PKG_LICENSE")),
    ] {
        // Not a grid: a grid knows the height of its rows only in the third frame.
        ui.horizontal_top(|ui| {
            let column = vec2(ABOUT_NAME_WIDTH, 0.0);
            ui.allocate_ui(column, |ui| {
                ui.set_width(column.x);
                ui.weak(name);
            });
            ui.add(egui::Label::new(value).wrap());
        });
    }
    ui.add_space(6.0);
    let close = ui.button("Close");
    make_default(&close);
    if close.clicked() {
        Answer::Close
    } else {
        Answer::Stay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_on_with_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "map 10.pfmap",
            "map 9.pfmap",
            "map.txt",
            "other.pfobj",
            ".hidden.pfmap",
        ] {
            std::fs::write(dir.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(dir.path().join("maps")).unwrap();
        let folder = format!("{}/", dir.path().display());
        let goes_on = |beginning: &str, wants_files| -> Vec<String> {
            let typed = format!("{folder}{beginning}");
            let paths = continuations(&typed, wants_files);
            let rest = |path: &String| path.strip_prefix(&folder).unwrap().to_owned();
            paths.iter().map(rest).collect()
        };
        assert_eq!(
            goes_on("ma", true),
            ["map 9.pfmap", "map 10.pfmap", "maps/"]
        );
        assert_eq!(goes_on("ma", false), ["maps/"]);
        assert_eq!(goes_on(".h", true), [".hidden.pfmap"]);
        assert_eq!(goes_on("", true).len(), 4);
        assert!(goes_on("map 9.pfmap", true).is_empty(), "it is all there");
        assert!(continuations("", true).is_empty());
        assert!(continuations("/no such folder/x", true).is_empty());
    }

    #[test]
    fn a_pasted_path_may_be_quoted_or_a_uri() {
        for pasted in [
            "/a b/c.vsp",
            "'/a b/c.vsp'",
            "\"/a b/c.vsp\"",
            "file:///a%20b/c.vsp",
        ] {
            assert_eq!(
                resolve_typed_path(pasted),
                PathBuf::from("/a b/c.vsp"),
                "{pasted}"
            );
        }
        assert_eq!(resolve_typed_path("/it's"), PathBuf::from("/it's"));
        assert_eq!(resolve_typed_path("/'"), PathBuf::from("/'"));
    }

    #[test]
    fn a_tilde_is_the_home_and_nothing_else_changes() {
        let home = directories::UserDirs::new().unwrap().home_dir().to_owned();
        assert_eq!(
            resolve_typed_path("~/maps/a b.pfmap"),
            home.join("maps/a b.pfmap")
        );
        assert_eq!(resolve_typed_path("~"), home);
        assert_eq!(resolve_typed_path("/tmp/~/x"), PathBuf::from("/tmp/~/x"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(resolve_typed_path("~other/x"), here.join("~other/x"));
    }
}
