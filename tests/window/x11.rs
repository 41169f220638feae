//! The window on X11, operated like a user: started, dropped on, pointed at, typed into, resized.
//!
//! Each test examines the program's reaction (its `event:` lines and its picture), not only its
//! input. Pictures are saved under `target/tmp/window` for inspection.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use image::{RgbaImage, imageops};
use mapscope_formats::pfobj;
use mapscope_scene::demo;
use mapscope_testdata::tiny_scene::{SCENE, sound_scene, write_game};
use mapscope_testdata::{synthesize, tiny_model};

use super::arm::{BEND_FRAMES, write_arm};
use super::display::Display;
use super::drag::{Drag, DragError};
use super::losing::LOSSES;
use super::program::{Host as _, Program};
use super::screen::{Button, Key, Screen, count_colors};

/// Default screen size in pixels.
const SCREEN_SIZE: [u32; 2] = [1600, 1000];

/// The program with a map of one chunk open.
struct OpenWindow {
    // Fields are dropped in this order: the program ends before its display.
    program: Program,
    screen: Screen,
    file: PathBuf,
    display: Display,
}

/// Starts the program on a small map. Returns `None` if no display is available.
fn open_small_map() -> Option<OpenWindow> {
    let display = Display::start(SCREEN_SIZE)?;
    let file = write_map(display.home(), "first.pfmap", 1);
    let (program, screen) = open(&display, &file, &[]);
    Some(OpenWindow {
        program,
        screen,
        file,
        display,
    })
}

/// Starts the program on a file and waits until everything is drawn.
fn open(display: &Display, file: &Path, variables: &[(&str, &str)]) -> (Program, Screen) {
    let mut program = Program::start_with(display, [file], variables);
    assert_eq!(program.wait_for("opened "), text(file));
    let screen = Screen::of(display, program.pid());
    program.wait_until_drawn();
    (program, screen)
}

/// Writes a map with this many chunks along each side.
pub(crate) fn write_map(folder: &Path, name: &str, chunks: u32) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, synthesize::pfmap(chunks, chunks, 7)).unwrap();
    file
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Share of the pixels that differ between two pictures of the same size, from 0 to 1.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let differing = a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    differing as f64 / f64::from(a.width() * a.height())
}

impl OpenWindow {
    /// Drags files over the window, checks its reaction, and drops them.
    fn drop_on(&mut self, files: &[&Path]) {
        let drag = Drag::over(&self.display, &self.screen, files).unwrap();
        self.program.wait_for(&format!("hover {} ", files.len()));
        drag.drop_files().unwrap();
    }

    /// Selects the tile in the middle of the view.
    fn select_middle(&mut self) -> String {
        let middle = self.program.rect("viewport").center();
        self.screen.click(middle);
        self.program.wait_for("selected tile ")
    }
}

#[test]
fn without_a_file_the_demo_opens() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    // An animation would never become idle. Without a compositor, the X server is used.
    let arguments = ["--frame", "0"];
    let variables = [("WAYLAND_DISPLAY", "wayland-gone")];
    let mut program = Program::start_with(&display, arguments, &variables);
    program.wait_for("opened ");
    program.wait_until_drawn();
    let screen = Screen::of(&display, program.pid());
    assert!(screen.title().contains("Mapscope"), "{}", screen.title());
    let colors = count_colors(&screen.save_picture("demo"));
    assert!(colors > 1000, "only {colors} colours");
}

#[test]
fn dropped_files_open_and_a_cancelled_drag_opens_nothing() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let before = it.screen.picture();
    let other = write_map(it.display.home(), "other.pfmap", 1);
    let drag = Drag::over(&it.display, &it.screen, &[&other]).unwrap();
    assert_eq!(it.program.wait_for("hover 1 "), text(&other));
    it.program.wait_until_drawn();
    let hovering = difference(&before, &it.screen.save_picture("hovering"));
    assert!(
        hovering > 0.1,
        "the window does not say what would open: {hovering}"
    );
    drag.cancel();
    it.program.wait_for("hover-end");
    let heard = it.program.wait_until_drawn();
    let is_loaded = |line: &String| line.contains("opened") || line.contains("failed");
    assert!(!heard.iter().any(is_loaded), "{heard:?}");
    let after = difference(&before, &it.screen.picture());
    assert!(after < hovering / 4.0, "the message stays: {after}");

    // Every form of URI.
    let latin = it
        .display
        .home()
        .join(OsStr::from_bytes(b"latin-\xe9.pfmap"));
    fs::copy(&other, &latin).unwrap();
    let home = text(it.display.home()).to_owned();
    for (list, name) in [
        (format!("file://localhost{home}/other.pfmap\r\n"), &other),
        (format!("file:{home}/other.pfmap\r\n"), &other),
        (format!("file://{home}/latin-%E9.pfmap\r\n"), &latin),
    ] {
        let drag = Drag::list_over(&it.display, &it.screen, list).unwrap();
        drag.drop_files().unwrap();
        let opened = it.program.wait_for("opened ");
        assert_eq!(opened, name.to_string_lossy());
    }
    for list in [
        "http://example.org/a.pfmap\r\n",
        "file://server/a.pfmap\r\n",
        "\r\n",
    ] {
        let drag = Drag::list_over(&it.display, &it.screen, list.to_owned()).unwrap();
        assert_eq!(drag.drop_files(), Err(DragError::NotTaken), "{list}");
        let said = it.program.wait_for("not-dropped ");
        assert!(said.contains(list.trim()), "{said}");
    }

    // Names of any characters, in a list of files of which the first is of no format.
    let folder = it.display.home().join("Ordner mit Größe 100% & #2");
    fs::create_dir(&folder).unwrap();
    let junk = folder.join("junk.bin");
    fs::write(&junk, [0, 159, 146, 150]).unwrap();
    let names = [
        "with spaces.pfmap",
        "ünïcødé 日本 карта.pfmap",
        "100%41 a+b?c#d.pfmap",
    ];
    for name in names {
        let file = write_map(&folder, name, 3);
        it.drop_on(&[&junk, &file]);
        assert_eq!(it.program.wait_for("opened "), text(&file));
        it.program.wait_until_idle();
        assert!(it.screen.title().contains(name), "{}", it.screen.title());
    }
    it.screen.save_picture("dropped");

    // A broken file is reported, and the open one stays.
    let before = it.screen.picture();
    let broken = folder.join("broken.pfmap");
    fs::write(&broken, "version 1.0\nnum_materials none\n").unwrap();
    it.drop_on(&[&broken]);
    let failed = it.program.wait_for("failed ");
    let message = failed.strip_prefix(text(&broken)).unwrap();
    assert!(
        message.contains("none") && message.contains("2:"),
        "{message}"
    );
    it.program.wait_until_drawn();
    let shown = difference(&before, &it.screen.save_picture("broken"));
    assert!(shown > 0.01, "nothing is said: {shown}");
    let title = it.screen.title();
    assert!(title.contains(names[2]), "{title}");
    it.screen.key(&[Key::ESCAPE]);
    it.select_middle();
}

#[test]
fn a_model_dropped_while_a_joint_is_selected_is_attached_and_comes_back() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let folder = display.home().to_owned();
    let [dragon, hat] = ["dragon.pfobj", "hat.pfobj"].map(|name| folder.join(name));
    fs::write(&dragon, demo::DRAKELING.source().bytes).unwrap();
    let barrel = demo::BARREL.source().bytes;
    fs::write(&hat, &barrel).unwrap();
    let arguments = [text(&dragon), "--frame", "0", "--select", "joint:head"];
    let mut program = Program::start_with(&display, arguments, &[]);
    program.wait_for("opened ");
    program.wait_for("selected joint ");
    let screen = Screen::of(&display, program.pid());
    program.wait_until_idle();
    // Only the view: messages come and go elsewhere.
    let view = program.rect("viewport");
    let in_view = |picture: &RgbaImage| {
        let [x, y, width, height] = [view.x, view.y, view.width, view.height].map(|it| it as u32);
        imageops::crop_imm(picture, x, y, width, height).to_image()
    };
    let before = screen.picture();
    let drag = Drag::over(&display, &screen, &[&hat]).unwrap();
    assert_eq!(program.wait_for("hover 1 "), text(&hat));
    program.wait_until_drawn();
    screen.save_picture("attach-hovering");
    drag.drop_files().unwrap();
    program.wait_for("attached");
    program.wait_until_drawn();
    let armed = screen.save_picture("attached");
    assert!(difference(&in_view(&before), &in_view(&armed)) > 0.01);
    assert!(screen.title().contains("dragon"), "{}", screen.title());

    // A change of the attached file is followed.
    let mut other = pfobj::read(&barrel).unwrap();
    for vertex in &mut other.vertices {
        vertex.position = vertex.position.map(|at| at * 1.5);
    }
    fs::write(&hat, pfobj::write(&other)).unwrap();
    program.wait_for("reloaded ");
    program.wait_for("attached");
    program.wait_until_drawn();
    let larger = screen.save_picture("attached-larger");
    assert!(difference(&in_view(&armed), &in_view(&larger)) > 0.01);

    // Without a selection, the drop opens the model.
    screen.key(&[Key::ESCAPE]);
    program.wait_until_idle();
    let drag = Drag::over(&display, &screen, &[&hat]).unwrap();
    drag.drop_files().unwrap();
    assert_eq!(program.wait_for("opened "), text(&hat));
    // Back at the first file, the model is attached again.
    screen.key(&[Key::ALT, Key::LEFT]);
    assert_eq!(program.wait_for("opened "), text(&dragon));
    program.wait_for("attached");
}

#[test]
fn a_dropped_scene_stands_on_its_map_and_waits_for_models_and_textures() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let folder = it.display.home().to_owned();
    let map = write_map(&folder, "castle.pfmap", 1);
    let scene = folder.join("siege.pfscene");
    fs::write(&scene, SCENE.replace("Stand still", "Idle")).unwrap();
    it.drop_on(&[&map, &scene]);
    assert_eq!(it.program.wait_for("opened "), text(&scene));
    it.program.wait_until_drawn();
    it.screen.save_picture("scene");
    // The map provides the ground.
    it.select_middle();
    // Adds the model of the first entity, in a new folder.
    let models = folder.join("assets/models");
    fs::create_dir_all(&models).unwrap();
    fs::write(models.join("guard.pfobj"), demo::DRAKELING.source().bytes).unwrap();
    let plays = |line: &str| line.contains("playhead Idle clips") && line.ends_with("playing");
    it.program
        .wait_until("its clip plays", |line| plays(line).then_some(()));
    it.screen.save_picture("scene-with-model");

    // Textures of models are drawn as soon as they are read.
    let folder = it.display.home().join("game");
    let scene = write_game(&folder, &sound_scene()).unwrap();
    let model = tiny_model();
    for material in &model.materials {
        let texture = folder.join("assets/models").join(&material.texture);
        RgbaImage::from_pixel(8, 8, image::Rgba([0, 255, 0, 255]))
            .save(texture)
            .unwrap();
    }
    it.drop_on(&[&scene]);
    assert_eq!(it.program.wait_for("opened "), text(&scene));
    it.program.wait_for("complete");
    // The scene plays: the next frames show the textures.
    for _ in 0..3 {
        it.program.wait_for("scene-frame");
    }
    let picture = it.screen.save_picture("scene-with-textures");
    // Green in the scene's dim light, with less blue than the ground.
    let is_green = |p: &&image::Rgba<u8>| {
        let [red, green, blue, _] = p.0;
        green > 20 && red < green / 4 && blue < green / 4
    };
    assert!(picture.pixels().filter(is_green).count() > 20);
}

#[test]
fn a_dropped_folder_is_searched_and_its_list_follows_it() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let folder = it.display.home().join("assets");
    let files = [
        "maps/a 日本.pfmap",
        "models/b.pfmap",
        "models/c/bad.pfmap",
        "models/c/d.pfmap",
    ];
    let files = files.map(|name| {
        let below = folder.join(name);
        fs::create_dir_all(below.parent().unwrap()).unwrap();
        write_map(&folder, name, 1)
    });
    fs::write(&files[2], "version 1.0\nnum_materials none\n").unwrap();
    fs::create_dir(folder.join(".git")).unwrap();
    write_map(&folder, ".git/hidden.pfmap", 1);
    std::os::unix::fs::symlink(&folder, folder.join("models/round")).unwrap();
    it.drop_on(&[&folder]);
    assert_eq!(it.program.wait_for("opened "), text(&files[0]));
    it.program.wait_until_drawn();
    let list = it.program.rect("file-list");
    // Rows are 22 points high.
    it.screen.click([list.center()[0], list.y + 33]);
    assert_eq!(it.program.wait_for("opened "), text(&files[1]));
    // The keys go through the list: files that cannot be opened are marked and skipped.
    it.screen.key(&[Key::DOWN]);
    let failed = it.program.wait_for("failed ");
    assert!(failed.starts_with(text(&files[2])), "{failed}");
    it.program.wait_until_drawn();
    assert!(
        it.screen.title().contains("b.pfmap"),
        "{}",
        it.screen.title()
    );
    it.screen.save_picture("folder");
    it.screen.key(&[Key::DOWN]);
    assert_eq!(it.program.wait_for("opened "), text(&files[3]));
    it.screen.key(&[Key::PAGE_DOWN]);
    assert_eq!(
        it.program.wait_for("opened "),
        text(&files[0]),
        "there are no others"
    );

    // The list is updated when the window gets the focus again.
    it.program.wait_until_idle();
    it.screen.unfocus();
    it.program.wait_until_idle();
    let new = write_map(&folder, "maps/b.pfmap", 1);
    for file in &files[2..] {
        fs::remove_file(file).unwrap();
    }
    it.screen.focus();
    assert_eq!(it.program.wait_for("listed "), "3");
    it.program.wait_until_idle();
    it.screen.save_picture("listed");
    for file in [&new, &files[1], &files[0]] {
        it.screen.key(&[Key::PAGE_DOWN]);
        assert_eq!(it.program.wait_for("opened "), text(file));
    }
}

#[test]
fn nothing_is_drawn_while_nothing_changes_or_the_window_is_covered() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.program.wait_until_idle();
    let ticks = it.program.cpu_ticks();
    let heard = it.program.listen(Duration::from_secs(2)).to_vec();
    let used = it.program.cpu_ticks() - ticks;
    assert!(heard.is_empty(), "{heard:?}");
    assert!(used <= 2, "{used} hundredths of a second of processor time");

    // A clip is drawn once per frame, and not at all while it is paused.
    let arm = write_arm(it.display.home(), "arm.pfobj");
    it.drop_on(&[&arm]);
    assert_eq!(it.program.wait_for("opened "), text(&arm));
    assert_eq!(it.program.wait_for("playhead Bend "), "0 playing");
    let second = Duration::from_secs(1);
    it.program.listen(second);
    let heard = it.program.listen(second).to_vec();
    let seen = pictures(&heard);
    assert!(seen >= 2, "it does not play: {heard:?}");
    assert!(
        seen <= BEND_FRAMES as usize + 2,
        "more pictures than frames: {seen}"
    );
    it.screen.save_picture("model");
    it.screen.key(&[Key::SPACE]);
    it.program.wait_for("playhead Bend ");
    it.program.wait_until_drawn();
    let heard = it.program.listen(second).to_vec();
    assert!(heard.is_empty(), "{heard:?}");

    let ruler = it.program.rect("timeline-ruler");
    it.screen
        .drag(Button::Left, ruler.at(0.1, 0.3), ruler.at(0.77, 0.3));
    let heard = it.program.wait_until_drawn().to_vec();
    let mut moments = heard
        .iter()
        .filter_map(|line| line.strip_prefix("event: playhead Bend "));
    assert_eq!(moments.next_back(), Some("18 paused"), "{heard:?}");
    // At least one intermediate picture, even on a slow machine.
    assert!(
        pictures(&heard) >= 2,
        "it draws while it is dragged: {heard:?}"
    );
    // A reload keeps the playhead.
    write_arm(it.display.home(), "arm.pfobj");
    it.program.wait_for("reloaded ");
    let heard = it.program.wait_until_drawn();
    let moved = |line: &&String| line.contains("event: playhead");
    assert_eq!(heard.iter().find(moved), None);

    // Neither while the window is covered.
    it.screen.key(&[Key::SPACE]);
    let plays = |line: &str| line.starts_with("scene-frame").then_some(());
    it.program.wait_until("it plays", plays);
    let cover = it.screen.cover();
    it.program.wait_until_idle();
    let heard = it.program.listen(second).to_vec();
    assert!(heard.is_empty(), "{heard:?}");
    it.screen.uncover(cover);
    it.program.wait_until("it plays on", plays);
}

#[test]
fn cameras_text_and_pictures_are_copied_and_pasted() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.key(&[Key::of('2')]);
    let top = it.program.wait_for("camera ");
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('c')]);
    it.screen.key(&[Key::of('3')]);
    assert_ne!(it.program.wait_for("camera "), top);
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('v')]);
    assert_eq!(it.program.wait_for("camera "), top);

    // Text of fields.
    it.screen.key(&[Key::CTRL, Key::of('p')]);
    it.program.wait_until_drawn();
    it.screen.type_text("from the top");
    it.screen.key(&[Key::CTRL, Key::of('a')]);
    it.screen.key(&[Key::CTRL, Key::of('x')]);
    it.program.wait_until_drawn();
    it.screen.key(&[Key::ESCAPE]);
    for keys in [[Key::CTRL, Key::of('v')], [Key::SHIFT, Key::INSERT]] {
        it.screen.key(&[Key::of('3')]);
        assert_ne!(it.program.wait_for("camera "), top);
        it.screen.key(&[Key::CTRL, Key::of('p')]);
        it.program.wait_until_drawn();
        it.screen.key(&keys);
        it.program.wait_until_drawn();
        it.screen.key(&[Key::RETURN]);
        assert_eq!(it.program.wait_for("camera "), top, "{keys:?}");
    }

    // The picture of the view.
    it.program.wait_until_idle();
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('p')]);
    it.program.wait_for("picture-copied");
    let png = it.screen.clipboard("image/png");
    let copied = image::load_from_memory(&png).unwrap().into_rgba8();
    let view = it.program.rect("viewport");
    let size = [view.width, view.height].map(|side| side as u32);
    assert_eq!([copied.width(), copied.height()], size);
    assert!(count_colors(&copied) > 100);
    // The window shows the same, except for the rulers at its edges, the contour of the hovered
    // item, and notices.
    let window = it.screen.save_picture("copied");
    let [x, y] = [view.x, view.y].map(|edge| edge as u32);
    let rulers = [40, 24];
    let [width, height] = [0, 1].map(|axis| size[axis] - rulers[axis]);
    let inner = |picture: &RgbaImage, [x, y]: [u32; 2]| {
        imageops::crop_imm(picture, x + rulers[0], y + rulers[1], width, height).to_image()
    };
    let differing = difference(&inner(&copied, [0, 0]), &inner(&window, [x, y]));
    assert!(differing < 0.05, "{differing} of it");
    for panel in ["inspector", "outliner"] {
        let [x, y] = it.program.rect(panel).at(0.5, 0.97);
        let [r, g, b, _] = window.get_pixel(x as u32, y as u32).0;
        assert_eq!([r, g, b], [0x1d, 0x21, 0x27], "{panel}");
    }
}

/// Requests an animation of a motion with this number of views, up to the question for its path.
fn ask_for_animation(it: &mut OpenWindow, motion: &str, views: &str) {
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('a')]);
    it.program.wait_until_drawn();
    for field in [motion, "animation-views"] {
        let field = it.program.rect(field).center();
        it.screen.click(field);
        it.program.wait_until_drawn();
    }
    it.screen.key(&[Key::CTRL, Key::of('a')]);
    it.screen.type_text(views);
    it.screen.key(&[Key::RETURN]);
    it.program.wait_until_drawn();
    it.screen.save_picture(&format!("save-{motion}"));
    let save = it.program.rect("animation-save").center();
    it.screen.click(save);
    it.program.wait_until_drawn();
}

fn ask_for_turntable(it: &mut OpenWindow, views: &str) {
    ask_for_animation(it, "animation-turntable", views);
}

/// Starts a long turntable at the suggested path and waits until its file exists.
fn begin_long_turntable(it: &mut OpenWindow) {
    ask_for_turntable(it, "5000");
    it.screen.key(&[Key::RETURN]);
    wait_until_begun(it);
}

/// Waits until an unfinished file exists.
fn wait_until_begun(it: &mut OpenWindow) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while unfinished(it).is_empty() {
        assert!(Instant::now() < deadline, "{}", it.program.said());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The unfinished files.
fn unfinished(it: &OpenWindow) -> Vec<PathBuf> {
    let files = fs::read_dir(it.display.home()).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let begun = paths.filter(|path| path.extension().is_some_and(|it| it == "part"));
    begun.collect()
}

#[test]
fn a_picture_and_a_turntable_are_saved_and_another_is_cancelled() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let view = it.program.rect("viewport");
    ask_for_turntable(&mut it, "5");
    it.screen.key(&[Key::RETURN]);
    let path = it.file.with_extension("gif");
    assert_eq!(it.program.wait_for("saved "), text(&path));
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(fs::File::open(&path).unwrap()).unwrap();
    let size = [view.width, view.height].map(|side| side as u16);
    assert_eq!([reader.width(), reader.height()], size);
    let mut frames = Vec::new();
    while let Some(frame) = reader.read_next_frame().unwrap() {
        frames.push(frame.buffer.to_vec());
    }
    assert_eq!(frames.len(), 5);
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "it turns");

    it.program.wait_until_drawn();
    it.screen.key(&[Key::CTRL, Key::of('s')]);
    it.program.wait_until_drawn();
    it.screen.save_picture("save-picture");
    let larger = it.program.rect("picture-size-2").center();
    it.screen.click(larger);
    it.program.wait_until_drawn();
    let save = it.program.rect("picture-save").center();
    it.screen.click(save);
    it.program.wait_until_drawn();
    // Without system dialogs, the window asks for the path and suggests one beside the file.
    it.screen.key(&[Key::RETURN]);
    let picture_path = it.file.with_extension("png");
    assert_eq!(it.program.wait_for("saved "), text(&picture_path));
    let picture = image::open(&picture_path).unwrap().into_rgba8();
    let doubled = size.map(|side| u32::from(side) * 2);
    assert_eq!([picture.width(), picture.height()], doubled);
    assert!(count_colors(&picture) > 100);

    // Enter presses the button. A folder that cannot be written to is reported, and the window goes
    // on.
    it.screen.key(&[Key::CTRL, Key::of('s')]);
    it.program.wait_until_drawn();
    it.screen.key(&[Key::RETURN]);
    it.program.wait_until_drawn();
    it.screen.key(&[Key::CTRL, Key::of('a')]);
    it.screen.type_text("/proc/a.png");
    it.screen.key(&[Key::RETURN]);
    let why = it.program.wait_for("not-saved ");
    assert!(why.starts_with("/proc/a.png: "), "{why}");
    it.program.wait_until_drawn();
    it.screen.key(&[Key::ESCAPE]);
    it.program.wait_until_drawn();

    fs::remove_file(&path).unwrap();
    begin_long_turntable(&mut it);
    it.screen.key(&[Key::of('3')]);
    // The event is printed after the frame that shows the progress.
    it.program.wait_for("camera ");
    it.screen.save_picture("saving-animation");
    let cancel = it.program.rect("saving-cancel").center();
    it.screen.click(cancel);
    assert_eq!(it.program.wait_for("not-saved "), "cancelled");
    assert!(unfinished(&it).is_empty() && !path.exists());

    // Quitting during a save leaves no file behind.
    it.program.wait_until_drawn();
    begin_long_turntable(&mut it);
    it.screen.key(&[Key::CTRL, Key::of('q')]);
    // The first layout pass is invisible, to measure the size.
    it.program.wait_for("rect quit-anyway ");
    it.program.wait_for("rect quit-anyway ");
    let quit = it.program.rect("quit-anyway").center();
    it.screen.save_picture("quit-anyway");
    it.screen.click(quit);
    assert!(it.program.wait_for_end().success());
    assert!(unfinished(&it).is_empty() && !path.exists());
}

/// Cameras of a scene: from two corners of its map towards its middle.
const CAMERAS: &str = "\
num_cameras 2
camera first
   position vec3 -80.000000 60.000000 80.000000
   pitch float -28.000000
   yaw float 45.000000
camera last
   position vec3 80.000000 30.000000 80.000000
   pitch float -14.000000
   yaw float 135.000000
";

/// The frames of an APNG.
fn frames_of(path: &Path) -> Vec<RgbaImage> {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let (width, height) = (reader.info().width, reader.info().height);
    let count = reader.info().animation_control().unwrap().num_frames;
    let next = |_| {
        let mut pixels = vec![0; (width * height * 4) as usize];
        reader.next_frame(&mut pixels).unwrap();
        RgbaImage::from_raw(width, height, pixels).unwrap()
    };
    (0..count).map(next).collect()
}

#[test]
fn a_flight_through_the_cameras_of_a_scene_goes_from_the_first_to_the_last() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let scene = sound_scene();
    let (scene, _) = scene.split_once("num_cameras").unwrap();
    let file = write_game(display.home(), &format!("{scene}{CAMERAS}")).unwrap();
    // An animation would never become idle.
    let mut program = Program::start(&display, ["--frame", "0", text(&file)]);
    assert_eq!(program.wait_for("opened "), text(&file));
    let screen = Screen::of(&display, program.pid());
    program.wait_until_drawn();
    let mut it = OpenWindow {
        program,
        screen,
        file,
        display,
    };
    let size = it.program.rect("viewport");
    let size = format!("{}x{}", size.width, size.height);
    // Cameras look as in their game, whatever the projection of the view.
    it.screen.key(&[Key::of('p')]);
    it.program.wait_until_drawn();
    ask_for_animation(&mut it, "animation-flight", "3");
    for _ in "gif".chars() {
        it.screen.key(&[Key::BACKSPACE]);
    }
    it.screen.type_text("apng");
    it.screen.key(&[Key::RETURN]);
    // Without a pictures folder, the suggested folder is the home.
    let path = it.display.home().join("a.apng");
    assert_eq!(it.program.wait_for("saved "), text(&path));
    let frames = frames_of(&path);
    assert_eq!(frames.len(), 3);
    for (frame, camera) in [(&frames[0], "first"), (&frames[2], "last")] {
        let expected = it.display.home().join("expected.png");
        let arguments = [
            "render",
            text(&it.file),
            "-o",
            text(&expected),
            "--size",
            &size,
        ];
        let rendered = Command::new(env!("CARGO_BIN_EXE_mapscope"))
            .args(arguments)
            .args(["--look-through", camera])
            .output()
            .unwrap();
        assert!(rendered.status.success(), "{rendered:?}");
        let expected = image::open(expected).unwrap().into_rgba8();
        let differing = difference(frame, &expected);
        assert!(differing < 0.005, "{camera}: {differing}");
    }
    for pair in frames.windows(2) {
        assert!(difference(&pair[0], &pair[1]) > 0.1, "it flies");
    }
}

#[test]
fn whoever_ends_the_program_while_it_saves_leaves_nothing_behind() {
    for signal in ["TERM", "HUP"] {
        let Some(mut it) = open_small_map() else {
            return;
        };
        begin_long_turntable(&mut it);
        it.program.signal(signal);
        assert!(it.program.wait_for_end().success(), "{signal}");
        assert!(unfinished(&it).is_empty(), "{signal}");
    }
}

#[test]
fn what_is_saved_is_begun_again_after_the_loss_of_the_device_but_only_once() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let file = write_map(display.home(), "first.pfmap", 1);
    let (program, screen) = open(&display, &file, &LOSSES);
    let mut it = OpenWindow {
        program,
        screen,
        file,
        display,
    };
    let path = it.file.with_extension("gif");
    begin_long_turntable(&mut it);
    it.program.tell("device 0\n");
    it.screen.key(&[Key::of('3')]);
    // The save is restarted on the new device.
    it.program.wait_for("saving-again");
    wait_until_begun(&mut it);
    it.program.tell("device 0\n");
    it.screen.key(&[Key::of('4')]);
    assert_eq!(it.program.wait_for("not-saved "), "device lost");
    assert!(unfinished(&it).is_empty() && !path.exists());
    it.program.wait_until_idle();
    ask_for_turntable(&mut it, "2");
    it.screen.key(&[Key::RETURN]);
    assert_eq!(it.program.wait_for("saved "), text(&path));
}

#[test]
fn the_view_is_used_with_the_pointer_and_a_task_with_the_keyboard_alone() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let view = it.program.rect("viewport");
    it.screen.move_to(view.center());
    it.program.wait_for("pointer tile ");
    for button in [Button::Left, Button::Right] {
        it.program.wait_until_drawn();
        it.screen.drag(button, view.at(0.4, 0.5), view.at(0.6, 0.6));
        it.program.wait_for("camera ");
    }
    it.program.wait_until_drawn();
    it.screen.press(Button::WheelUp);
    it.program.wait_for("camera ");
    // Keys with Super belong to the desktop.
    it.program.wait_until_idle();
    it.screen.key(&[Key::SUPER, Key::of('2')]);
    let heard = it.program.listen(Duration::from_millis(500));
    let has_moved = heard.iter().any(|event| event.starts_with("camera "));
    assert!(!has_moved, "{heard:?}");
    it.screen.key(&[Key::of('2')]);
    it.program.wait_for("camera ");
    it.program.wait_until_drawn();

    // Finds a chunk and frames it.
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('f')]);
    it.program.wait_until_drawn();
    it.screen.type_text("chunk");
    it.program.wait_until_drawn();
    it.screen.key(&[Key::RETURN]);
    it.program.wait_for("selected chunk ");
    it.program.wait_until_drawn();
    it.screen.key(&[Key::of('f')]);
    it.program.wait_for("camera ");
    // Runs a command by its name.
    it.screen.key(&[Key::CTRL, Key::of('p')]);
    it.program.wait_until_drawn();
    it.screen.type_text("orthographic");
    it.program.wait_until_drawn();
    it.screen.key(&[Key::RETURN]);
    it.program.wait_for("scene-frame ");
    it.program.wait_until_drawn();
    // Saves a picture, and then overwrites it.
    let path = it.file.with_extension("png");
    for _ in 0..2 {
        it.screen.key(&[Key::CTRL, Key::of('s')]);
        it.program.wait_until_drawn();
        it.screen.key(&[Key::RETURN]);
        it.program.wait_until_drawn();
        let is_there = path.exists();
        it.screen.key(&[Key::RETURN]);
        if is_there {
            it.program.wait_until_drawn();
            it.screen.key(&[Key::RETURN]);
        }
        assert_eq!(it.program.wait_for("saved "), text(&path));
        it.program.wait_until_drawn();
    }
    it.screen.key(&[Key::CTRL, Key::of('q')]);
    assert!(it.program.wait_for_end().success());
}

#[test]
fn the_time_from_a_save_to_its_frame_is_measured_on_a_copy() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let file = write_map(display.home(), "first.pfmap", 1);
    let version = display.home().join("second.pfmap");
    fs::write(&version, synthesize::pfmap(1, 1, 9)).unwrap();
    let before = fs::read(&file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mapscope"));
    display.apply_to(&mut command);
    command.args(["bench", text(&file), "--reload", text(&version)]);
    let measured = command.args(["--frames", "3", "--json"]).output().unwrap();
    assert_eq!(measured.status.code(), Some(0), "{measured:?}");
    let output: serde_json::Value = serde_json::from_slice(&measured.stdout).unwrap();
    assert_eq!([&output["file"], &output["saved"]], [text(&file); 2]);
    assert_eq!(output["saves"], 3);
    let times = ["min", "median", "max"].map(|key| output["reload_ms"][key].as_f64().unwrap());
    assert!(times[0] > 0.0 && times.is_sorted(), "{times:?}");
    assert_eq!(fs::read(&file).unwrap(), before);
    // A file that the map does not use.
    let refused = command.args(["--over", text(&version)]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn saves_are_read_again_and_a_slow_one_keeps_the_last_good_version() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.select_middle();
    it.program.wait_until_drawn();
    let before = it.screen.picture();
    let whole = synthesize::pfmap(1, 1, 8);
    let half = whole.len() / 2;
    let mut file = fs::File::create(&it.file).unwrap();
    for piece in [&whole[..half], &whole[half..half + 1000]] {
        file.write_all(piece).unwrap();
        // Much longer than an editor takes between two steps of a save.
        assert_eq!(it.program.wait_for("kept "), text(&it.file));
    }
    it.program.wait_until_idle();
    let view = it.program.rect("viewport");
    let after = it.screen.save_picture("half-saved");
    // Below the banner of the window.
    let [x, y] = view.at(0.0, 0.5).map(|at| at as u32);
    let lower = |picture: &RgbaImage| {
        let [width, height] = [view.width, view.height / 2].map(|side| side as u32 - 40);
        imageops::crop_imm(picture, x, y, width, height).to_image()
    };
    assert!(difference(&lower(&before), &lower(&after)) < 0.001);
    file.write_all(&whole[half + 1000..]).unwrap();
    drop(file);
    let heard = it.program.wait_until("reloaded", |event| {
        assert!(!event.starts_with("selected") && !event.starts_with("camera"));
        event.strip_prefix("reloaded ").map(str::to_owned)
    });
    assert_eq!(heard, text(&it.file));
    it.program.wait_until_idle();
    it.screen.save_picture("saved");

    // A save at once.
    fs::write(&it.file, synthesize::pfmap(1, 1, 9)).unwrap();
    assert_eq!(it.program.wait_for("reloaded "), text(&it.file));
    let heard = it.program.wait_until_drawn();
    let moved = |line: &&String| line.contains("event: selected") || line.contains("event: camera");
    assert_eq!(heard.iter().find(moved), None);
}

#[test]
fn a_storm_of_sizes_is_survived_and_the_last_one_remembered() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let [width, height] = it.screen.size().map(u32::from);
    let before = it.screen.picture();
    it.program.signal("STOP");
    it.screen.resize([width + 100, height + 100]);
    let picture = it.screen.picture();
    it.program.signal("CONT");
    for at in [
        [width + 50, 50],
        [50, height + 50],
        [width + 99, height + 99],
    ] {
        let [red, green, blue, _] = picture.get_pixel(at[0], at[1]).0;
        let is_dark = (1..60).contains(&red.max(green).max(blue));
        assert!(is_dark, "{red} {green} {blue} at {at:?}");
    }
    let kept = imageops::crop_imm(&picture, 0, 0, width, height).to_image();
    assert!(difference(&before, &kept) < 0.01, "the rest stays");

    for step in 0..60_u32 {
        it.screen
            .resize([1 + step * 331 % 1400, 1 + step * 577 % 900]);
        std::thread::sleep(Duration::from_millis(u64::from(step % 7) * 5));
    }
    it.screen.resize([1, 1]);
    it.program.listen(Duration::from_millis(300));
    it.screen.resize([1000, 700]);
    it.program.wait_until_drawn();
    assert!(it.program.is_running(), "{}", it.program.said());
    assert_eq!(it.screen.size(), [1000, 700]);
    let colors = count_colors(&it.screen.save_picture("resized"));
    assert!(colors > 200, "only {colors} colours");
    let view = it.program.rect("viewport");
    assert!(
        view.x + view.width <= 1000 && view.y + view.height <= 700,
        "{view:?}"
    );

    it.screen.key(&[Key::CTRL, Key::of('q')]);
    it.program.wait_for("closed");
    assert!(it.program.wait_for_end().success());
    let (program, screen) = open(&it.display, &it.file, &[]);
    assert_eq!(screen.size(), [1000, 700]);
    drop(program);
    // At twice the scale it would not fit.
    let doubled = [("WINIT_X11_SCALE_FACTOR", "2")];
    let (_program, screen) = open(&it.display, &it.file, &doubled);
    let size = screen.size().map(u32::from);
    assert!(
        size[0] <= SCREEN_SIZE[0] && size[1] <= SCREEN_SIZE[1],
        "{size:?}"
    );
}

#[test]
fn at_twice_the_scale_everything_is_twice_as_large() {
    let Some(display) = Display::start([3200, 2000]) else {
        return;
    };
    let file = write_map(display.home(), "map.pfmap", 1);
    let (mut single, screen) = open(&display, &file, &[]);
    let (size, menu) = (screen.size(), single.rect("menu"));
    drop(single);
    let (mut program, screen) = open(&display, &file, &[("WINIT_X11_SCALE_FACTOR", "2")]);
    assert_eq!(screen.size(), size.map(|side| side * 2));
    let doubled = program.rect("menu");
    assert!(
        (doubled.height - menu.height * 2).abs() <= 2,
        "{menu:?} {doubled:?}"
    );
    // The pointer and drops use the same scale.
    screen.click(program.rect("viewport").center());
    program.wait_for("selected tile ");
    let other = write_map(display.home(), "other.pfmap", 1);
    let drag = Drag::over(&display, &screen, &[&other]).unwrap();
    drag.drop_files().unwrap();
    assert_eq!(program.wait_for("opened "), text(&other));
    program.wait_until_idle();
    screen.save_picture("scale-2");
}

/// Number of pictures of the view that some lines report.
fn pictures(heard: &[String]) -> usize {
    let is_picture = |line: &&String| line.starts_with("event: scene-frame ");
    heard.iter().filter(is_picture).count()
}
