//! The window, operated like a user: started, dropped on, pointed at, typed into, resized.
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
use mapscope_formats::pmf::{self, Packing};
use mapscope_scene::demo;
use mapscope_testdata::tiny_scene::{SCENE, sound_scene, write_game};
use mapscope_testdata::{synthesize, tiny_model};

use super::arm::{BEND_FRAMES, write_arm};
use super::display::Display;
use super::drag::{Drag, DragError};
use super::losing::LOSSES;
use super::program::Program;
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

/// Row and column of a tile's text, such as `tile 3 17`.
fn row_and_column(tile: &str) -> [i64; 2] {
    let mut numbers = tile.rsplit(' ').map(|number| number.parse().unwrap());
    let column = numbers.next().unwrap();
    [numbers.next().unwrap(), column]
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
    // An animation would never become idle.
    let mut program = Program::start(&display, ["--frame", "0"]);
    program.wait_for("opened ");
    program.wait_until_drawn();
    let screen = Screen::of(&display, program.pid());
    assert!(screen.title().contains("Mapscope"), "{}", screen.title());
    let colors = count_colors(&screen.save_picture("demo"));
    assert!(colors > 1000, "only {colors} colours");
}

#[test]
fn drops_in_every_form_open_and_others_say_why_not() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let map = write_map(it.display.home(), "dropped.pfmap", 1);
    let latin = it
        .display
        .home()
        .join(OsStr::from_bytes(b"latin-\xe9.pfmap"));
    fs::copy(&map, &latin).unwrap();
    let home = text(it.display.home());
    for (list, name) in [
        (format!("file://localhost{home}/dropped.pfmap\r\n"), &map),
        (format!("file:{home}/dropped.pfmap\r\n"), &map),
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
}

#[test]
fn a_dropped_file_opens_and_is_framed() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let larger = write_map(it.display.home(), "larger.pfmap", 3);
    it.drop_on(&[&larger]);
    assert_eq!(it.program.wait_for("opened "), text(&larger));
    it.program.wait_for("camera ");
    it.program.wait_until_idle();
    assert!(
        it.screen.title().contains("larger.pfmap"),
        "{}",
        it.screen.title()
    );
    it.screen.save_picture("dropped");
}

#[test]
fn names_may_hold_anything() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let folder = it.display.home().join("Ordner mit Größe 100% & #2");
    fs::create_dir(&folder).unwrap();
    let names = [
        "with spaces.pfmap",
        "ünïcødé 日本 карта.pfmap",
        "100%41 a+b?c#d.pfmap",
    ];
    for name in names {
        let file = write_map(&folder, name, 1);
        it.drop_on(&[&file]);
        assert_eq!(it.program.wait_for("opened "), text(&file));
        it.program.wait_until_idle();
        assert!(it.screen.title().contains(name), "{}", it.screen.title());
    }
}

#[test]
fn several_dropped_files_are_gone_through_with_page_down_and_page_up() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    // Not in order of names, and in a folder with another file that was not dropped.
    let files =
        ["c.pfmap", "a.pfmap", "b 日本.pfmap"].map(|name| write_map(it.display.home(), name, 1));
    it.drop_on(&files.each_ref().map(PathBuf::as_path));
    assert_eq!(it.program.wait_for("opened "), text(&files[0]));
    for (key, file) in [
        (Key::PAGE_DOWN, &files[1]),
        (Key::PAGE_DOWN, &files[2]),
        (Key::PAGE_DOWN, &files[0]),
        (Key::PAGE_UP, &files[2]),
    ] {
        it.screen.key(&[key]);
        assert_eq!(it.program.wait_for("opened "), text(file));
    }
}

#[test]
fn a_scene_that_is_dropped_with_a_map_stands_on_it_and_waits_for_its_models() {
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
}

#[test]
fn textures_of_models_are_drawn_once_they_were_read() {
    let Some(mut it) = open_small_map() else {
        return;
    };
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
fn of_several_files_the_first_that_can_be_opened_is() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let junk = it.display.home().join("junk.bin");
    fs::write(&junk, [0, 159, 146, 150]).unwrap();
    let map = write_map(it.display.home(), "map.pfmap", 1);
    it.drop_on(&[&junk, &map]);
    assert_eq!(it.program.wait_for("opened "), text(&map));
}

#[test]
fn a_dropped_folder_opens_its_first_file_and_goes_on_to_the_next() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let folder = it.display.home().join("maps");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a note.txt"), "nothing to see").unwrap();
    let tenth = write_map(&folder, "map 10.pfmap", 1);
    let second = write_map(&folder, "map 2.pfmap", 1);
    it.drop_on(&[&folder]);
    assert_eq!(it.program.wait_for("opened "), text(&second));
    it.screen.key(&[Key::PAGE_DOWN]);
    assert_eq!(it.program.wait_for("opened "), text(&tenth));
    it.screen.key(&[Key::PAGE_UP]);
    assert_eq!(it.program.wait_for("opened "), text(&second));
}

#[test]
fn the_list_of_a_folder_follows_it_when_one_comes_back_to_the_window() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let folder = it.display.home().join("maps");
    fs::create_dir_all(folder.join("below")).unwrap();
    let [first, second] = ["a.pfmap", "c.pfmap"].map(|name| write_map(&folder, name, 1));
    it.drop_on(&[&folder]);
    assert_eq!(it.program.wait_for("opened "), text(&first));
    it.program.wait_until_idle();
    it.screen.unfocus();
    it.program.wait_until_idle();
    let new = write_map(&folder, "below/b.pfmap", 1);
    fs::remove_file(&second).unwrap();
    let another = write_map(&folder, "d.pfmap", 1);
    it.screen.focus();
    assert_eq!(it.program.wait_for("listed "), "3");
    it.program.wait_until_idle();
    it.screen.save_picture("listed");
    for file in [another, new, first] {
        it.screen.key(&[Key::PAGE_DOWN]);
        assert_eq!(it.program.wait_for("opened "), text(&file));
    }
}

#[test]
fn a_dropped_folder_is_searched_below_itself_and_lists_what_it_has() {
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
}

#[test]
fn a_broken_file_is_named_and_what_was_open_stays() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let before = it.screen.picture();
    let broken = it.display.home().join("broken.pfmap");
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
    assert!(
        it.screen.title().contains("first.pfmap"),
        "{}",
        it.screen.title()
    );
    // The message disappears, and the map is still usable.
    it.screen.key(&[Key::ESCAPE]);
    it.select_middle();
}

#[test]
fn a_cancelled_drag_opens_nothing() {
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
    let opened = heard
        .iter()
        .any(|line| line.contains("opened") || line.contains("failed"));
    assert!(!opened, "{heard:?}");
    let after = difference(&before, &it.screen.picture());
    assert!(after < hovering / 4.0, "the message stays: {after}");
    // A later drop works normally.
    it.drop_on(&[&other]);
    assert_eq!(it.program.wait_for("opened "), text(&other));
}

#[test]
fn nothing_is_drawn_while_nothing_changes() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.program.wait_until_idle();
    let ticks = it.program.cpu_ticks();
    let heard = it.program.listen(Duration::from_secs(2)).to_vec();
    let used = it.program.cpu_ticks() - ticks;
    assert!(heard.is_empty(), "{heard:?}");
    assert!(used <= 2, "{used} hundredths of a second of processor time");
}

#[test]
fn what_plays_rests_while_the_window_is_covered() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let file = display.home().join("dragon.pfobj");
    fs::write(&file, demo::DRAKELING.source().bytes).unwrap();
    let mut program = Program::start(&display, [&file]);
    program.wait_for("opened ");
    let screen = Screen::of(&display, program.pid());
    let plays = |line: &str| line.starts_with("scene-frame").then_some(());
    program.wait_until("it plays", plays);
    let cover = screen.cover();
    program.wait_until_idle();
    let heard = program.listen(Duration::from_secs(1)).to_vec();
    assert!(heard.is_empty(), "{heard:?}");
    screen.uncover(cover);
    program.wait_until("it plays on", plays);
}

#[test]
fn in_a_small_window_the_view_keeps_half_of_it() {
    let size = [1280, 800];
    let Some(display) = Display::start(size) else {
        return;
    };
    // The scene has a timeline and problems.
    let file = write_game(display.home(), &sound_scene()).unwrap();
    let variables = [("WINIT_X11_SCALE_FACTOR", "2"), ("MAPSCOPE_EVENTS", "1")];
    let arguments = ["--frame", "0", text(&file)];
    let mut program = Program::start_with(&display, arguments, &variables);
    program.wait_for("opened ");
    let screen = Screen::of(&display, program.pid());
    program.wait_until_idle();
    screen.save_picture("small-window");
    let view = program.rect("viewport");
    let [width, height] = screen.size().map(i32::from);
    assert!(
        view.width * view.height * 2 >= width * height,
        "{view:?} of {width} x {height}"
    );
    let said = program.said();
    assert!(!said.contains("rect bottom-dock"), "{said}");
    // A click on the number of problems opens their list.
    screen.click(program.rect("problem-count").center());
    program.wait_until_drawn();
    screen.save_picture("small-window-problems");
    program.rect("bottom-dock");
}

#[test]
fn arrow_keys_walk_to_neighbours() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let [mut row, mut column] = row_and_column(&it.select_middle());
    for (key, down, right) in [
        (Key::UP, -1, 0),
        (Key::RIGHT, 0, 1),
        (Key::DOWN, 1, 0),
        (Key::LEFT, 0, -1),
    ] {
        it.screen.key(&[key]);
        row += down;
        column += right;
        let selected = it.program.wait_for("selected tile ");
        assert_eq!(row_and_column(&selected), [row, column], "{key:?}");
    }
    it.program.wait_until_drawn();
    it.screen.save_picture("selected");
}

#[test]
fn the_pointer_turns_moves_and_zooms_the_view() {
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
}

#[test]
fn keys_with_super_are_the_desktops() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.key(&[Key::SUPER, Key::of('2')]);
    let heard = it.program.listen(Duration::from_millis(500));
    let has_moved = heard.iter().any(|event| event.starts_with("camera "));
    assert!(!has_moved, "{heard:?}");
    it.screen.key(&[Key::of('2')]);
    it.program.wait_for("camera ");
}

#[test]
fn a_copied_camera_can_be_pasted() {
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
}

#[test]
fn the_view_is_copied_as_a_picture() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.key(&[Key::CTRL, Key::SHIFT, Key::of('p')]);
    it.program.wait_for("picture-copied");
    let png = it.screen.clipboard("image/png");
    let copied = image::load_from_memory(&png).unwrap().into_rgba8();
    let view = it.program.rect("viewport");
    let size = [view.width, view.height].map(|side| side as u32);
    assert_eq!([copied.width(), copied.height()], size);
    assert!(count_colors(&copied) > 100);
    // The window shows the same, except for the contour of the hovered item and notices.
    let window = it.screen.save_picture("copied");
    let [x, y] = [view.x, view.y].map(|edge| edge as u32);
    let shown = imageops::crop_imm(&window, x, y, size[0], size[1]).to_image();
    let differing = difference(&copied, &shown);
    assert!(differing < 0.05, "{differing} of it");
    for panel in ["inspector", "outliner"] {
        let [x, y] = it.program.rect(panel).at(0.5, 0.97);
        let [r, g, b, _] = window.get_pixel(x as u32, y as u32).0;
        assert_eq!([r, g, b], [0x1d, 0x21, 0x27], "{panel}");
    }
}

#[test]
fn a_picture_of_twice_the_size_is_saved() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let view = it.program.rect("viewport");
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
    let path = it.file.with_extension("png");
    assert_eq!(it.program.wait_for("saved "), text(&path));
    let picture = image::open(&path).unwrap().into_rgba8();
    let size = [view.width, view.height].map(|side| side as u32 * 2);
    assert_eq!([picture.width(), picture.height()], size);
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
    assert!(it.program.is_running());
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
fn a_turntable_is_saved_and_another_cancelled_while_the_window_is_used() {
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
fn text_is_cut_and_pasted() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.key(&[Key::of('2')]);
    let top = it.program.wait_for("camera ");
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
}

#[test]
fn f1_shows_the_keys_and_escape_hides_them() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let before = it.screen.picture();
    it.screen.key(&[Key::F1]);
    it.program.wait_until_drawn();
    let keys = difference(&before, &it.screen.save_picture("keys"));
    assert!(keys > 0.1, "{keys}");
    it.screen.key(&[Key::ESCAPE]);
    it.program.wait_until_drawn();
    assert!(difference(&before, &it.screen.picture()) < keys / 4.0);
}

#[test]
fn the_palette_finds_a_command_by_part_of_its_name() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.key(&[Key::CTRL, Key::of('p')]);
    it.program.wait_until_drawn();
    it.screen.type_text("from the top");
    it.program.wait_until_drawn();
    it.screen.save_picture("palette");
    it.screen.key(&[Key::RETURN]);
    let found = it.program.wait_for("camera ");
    // The command's own key gives the same view.
    it.screen.key(&[Key::of('3')]);
    assert_ne!(it.program.wait_for("camera "), found);
    it.screen.key(&[Key::of('2')]);
    assert_eq!(it.program.wait_for("camera "), found);
}

#[test]
fn a_save_is_read_again_and_camera_and_selection_stay() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.select_middle();
    it.program.wait_until_drawn();
    fs::write(&it.file, synthesize::pfmap(1, 1, 8)).unwrap();
    assert_eq!(it.program.wait_for("reloaded "), text(&it.file));
    let heard = it.program.wait_until_drawn();
    let moved = |line: &&String| line.contains("event: selected") || line.contains("event: camera");
    assert_eq!(heard.iter().find(moved), None);
}

#[test]
fn a_whole_task_is_done_with_the_keyboard_alone() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    // Finds a chunk and frames it.
    it.screen.key(&[Key::CTRL, Key::of('f')]);
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
fn saves_are_read_after_the_folder_was_replaced() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let [folder, new, old] = ["maps", "maps.new", "maps.old"].map(|name| display.home().join(name));
    fs::create_dir(&folder).unwrap();
    let file = write_map(&folder, "first.pfmap", 1);
    let (mut program, _screen) = open(&display, &file, &[]);
    let mut seed = 8;
    let mut save = |program: &mut Program, folder: &Path| {
        seed += 1;
        fs::write(folder.join("first.pfmap"), synthesize::pfmap(1, 1, seed)).unwrap();
        if folder == file.parent().unwrap() {
            assert_eq!(program.wait_for("reloaded "), text(&file));
        }
    };
    // As after checking out another branch without the folder, and then this one again.
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(program.wait_for("kept "), text(&file));
    fs::create_dir(&folder).unwrap();
    save(&mut program, &folder);
    save(&mut program, &folder);
    // As by a program that exports to another folder first.
    fs::create_dir(&new).unwrap();
    save(&mut program, &new);
    fs::rename(&folder, &old).unwrap();
    fs::rename(&new, &folder).unwrap();
    assert_eq!(program.wait_for("reloaded "), text(&file));
    save(&mut program, &folder);
}

#[test]
fn two_windows_keep_what_either_has_changed() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let files = ["first.pfmap", "second.pfmap"].map(|name| write_map(display.home(), name, 1));
    let [mut first, mut second] = files.each_ref().map(|file| open(&display, file, &[]));
    // A covered window draws nothing and ignores keys.
    second.1.resize([600, 400]);
    second.0.wait_until_drawn();
    for ((program, screen), key) in [(&mut first, '='), (&mut second, '1')] {
        screen.focus();
        screen.key(&[Key::CTRL, Key::of(key)]);
        program.wait_until_drawn();
        screen.key(&[Key::CTRL, Key::of('q')]);
        assert!(program.wait_for_end().success());
    }
    let settings = display.home().join("config/mapscope/settings.json");
    let settings = fs::read(settings).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    let recent: Vec<&str> = files.iter().rev().map(|file| text(file)).collect();
    assert_eq!(settings["recent_files"], serde_json::json!(recent));
    assert!(settings["scale"].as_f64().unwrap() > 1.05, "{settings}");
    assert_eq!(settings["left"]["open"], serde_json::Value::Null);
}

#[test]
fn where_the_compositor_is_gone_the_x_server_is_used() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let file = write_map(display.home(), "first.pfmap", 1);
    open(&display, &file, &[("WAYLAND_DISPLAY", "wayland-gone")]);
}

#[test]
fn a_slow_save_keeps_the_last_good_version_in_view() {
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
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let Some(mut it) = open_small_map() else {
        return;
    };
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
}

#[test]
fn a_window_that_grows_is_dark_before_it_is_drawn() {
    let Some(it) = open_small_map() else {
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

/// The frame of a playhead event, which has clip, frame and state.
fn frame(moment: &str) -> f64 {
    moment.rsplit(' ').nth(1).unwrap().parse().unwrap()
}

/// Number of pictures of the view that some lines report.
fn pictures(heard: &[String]) -> usize {
    let is_picture = |line: &&String| line.starts_with("event: scene-frame ");
    heard.iter().filter(is_picture).count()
}

#[test]
fn a_dropped_model_plays_pauses_and_is_scrubbed_and_stepped_through() {
    let Some(mut it) = open_small_map() else {
        return;
    };
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
    let at = |part: f32| ruler.at(part, 0.3);
    it.screen.drag(Button::Left, at(0.1), at(0.77));
    let heard = it.program.wait_until_drawn().to_vec();
    let moments = heard
        .iter()
        .filter_map(|line| line.strip_prefix("event: playhead Bend "));
    let moments: Vec<&str> = moments.collect();
    assert_eq!(moments.last(), Some(&"18 paused"), "{heard:?}");
    // At least one intermediate picture, even on a slow machine.
    assert!(
        pictures(&heard) >= 2,
        "it draws while it is dragged: {heard:?}"
    );
    let bent = it.screen.save_picture("model-scrubbed");

    for (key, moment) in [
        (Key::of('.'), "19 paused"),
        (Key::of(','), "18 paused"),
        (Key::of(','), "17 paused"),
        (Key::HOME, "0 paused"),
    ] {
        it.screen.key(&[key]);
        assert_eq!(it.program.wait_for("playhead Bend "), moment, "{key:?}");
    }
    it.screen.key(&[Key::of(']')]);
    assert_eq!(it.program.wait_for("playhead Stretch "), "0 paused");
    it.screen.key(&[Key::END]);
    assert_eq!(it.program.wait_for("playhead Stretch "), "7 paused");
    it.program.wait_until_drawn();
    assert!(difference(&bent, &it.screen.save_picture("model-stretched")) > 0.002);

    // A drag pauses playback, which continues afterwards.
    it.screen.key(&[Key::SPACE]);
    assert!(it.program.wait_for("playhead ").ends_with("playing"));
    it.screen.drag(Button::Left, at(0.1), at(0.6));
    assert!(frame(&it.program.wait_for("playhead ")) < 8.0);
    it.program.wait_until("playing", |event| {
        let moment = event.strip_prefix("playhead ")?;
        moment.ends_with(" playing").then_some(())
    });
    // A reload keeps the playhead.
    it.screen.key(&[Key::SPACE]);
    let moment = it.program.wait_for("playhead ");
    assert!(moment.ends_with(" paused"), "{moment}");
    it.program.wait_until_drawn();
    write_arm(it.display.home(), "arm.pfobj");
    it.program.wait_for("reloaded ");
    let heard = it.program.wait_until_drawn();
    let moved = |line: &&String| line.contains("event: playhead");
    assert_eq!(heard.iter().find(moved), None);
}

#[test]
fn a_dropped_level_is_drawn_pointed_at_and_rests() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    let made_up = synthesize::pmf([1, 2, 1], 3, 7);
    let level = it.display.home().join("caves.pmf");
    fs::write(&level, pmf::write(&made_up, Packing::Compressed).unwrap()).unwrap();
    it.drop_on(&[&level]);
    assert_eq!(it.program.wait_for("opened "), text(&level));
    it.program.wait_for("camera ");
    it.program.wait_until_drawn();
    assert!(
        it.screen.title().contains("caves.pmf"),
        "{}",
        it.screen.title()
    );
    let before = it.screen.save_picture("level");
    let middle = it.program.rect("viewport").center();
    it.screen.click(middle);
    it.program.wait_for("selected face ");
    it.program.wait_until_drawn();
    // The picture differs without light.
    it.screen.key(&[Key::ALT, Key::of('5')]);
    it.program.wait_until_drawn();
    let after = it.screen.save_picture("level-unlit");
    assert!(difference(&before, &after) > 0.05);
    // A paused animation draws no frames.
    it.screen.key(&[Key::SPACE]);
    it.program.wait_until_idle();
    let heard = it.program.listen(Duration::from_secs(1)).to_vec();
    assert!(heard.is_empty(), "{heard:?}");
}

#[test]
fn the_size_of_the_window_is_remembered() {
    let Some(mut it) = open_small_map() else {
        return;
    };
    it.screen.resize([1010, 710]);
    it.program.wait_until_drawn();
    it.screen.key(&[Key::CTRL, Key::of('q')]);
    it.program.wait_for("closed");
    assert!(it.program.wait_for_end().success());
    let (program, screen) = open(&it.display, &it.file, &[]);
    assert_eq!(screen.size(), [1010, 710]);
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
