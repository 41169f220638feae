//! Loss of devices, surfaces and servers while the window is open, and recovery from it.

use std::time::{Duration, Instant};

use image::RgbaImage;
use mapscope_testdata::tiny_scene::{sound_scene, write_game};

use super::display::Display;
use super::program::Program;
use super::screen::{Button, DesktopSettings, Key, Screen};
use super::x11::{text, write_map};

/// Screen size in pixels.
const SCREEN_SIZE: [u32; 2] = [1600, 1000];
/// Longer than the display time of a loss message on a slow machine.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Environment in which the program accepts commands that simulate losses.
pub(crate) const LOSSES: [(&str, &str); 2] = [("MAPSCOPE_LOSSES", "1"), ("MAPSCOPE_LOG", "warn")];

/// The program with its window.
struct OpenWindow {
    program: Program,
    screen: Screen,
}

/// `true` if a line reports a change of the view state.
fn is_view_change(line: &str) -> bool {
    let event = line.strip_prefix("event: ").unwrap_or_default();
    let changes = ["camera ", "selected ", "playhead ", "pointer "];
    changes.iter().any(|change| event.starts_with(change))
}

impl OpenWindow {
    /// Starts the program and waits until its document is open.
    fn start(display: &Display, arguments: &[&str]) -> Self {
        let mut program = Program::start_with(display, arguments, &LOSSES);
        program.wait_for("opened ");
        let screen = Screen::of(display, program.pid());
        Self { program, screen }
    }

    /// Presses keys and waits until the result is drawn.
    fn press(&mut self, keys: &[Key]) {
        self.screen.key(keys);
        self.program.wait_until_drawn();
    }

    /// Selects the item in the middle of the view.
    fn select_middle(&mut self) {
        let middle = self.program.rect("viewport").center();
        self.screen.click(middle);
        let selected = self.program.wait_for("selected ");
        assert_ne!(selected, "none");
        self.program.wait_until_idle();
    }

    /// Waits until the window shows this picture, and asserts that nothing else changes meanwhile.
    fn wait_for_picture(&mut self, wanted: &RgbaImage, name: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while self.screen.picture() != *wanted {
            let heard = self.program.listen(Duration::from_millis(200));
            let change = heard.iter().find(|line| is_view_change(line));
            assert_eq!(change, None, "{name}");
            if Instant::now() > deadline {
                self.screen.save_picture(&format!("lost-{name}-after"));
                panic!("it does not look as before; compare lost-{name}.png with -after.png");
            }
        }
    }

    /// Loses the surface and asserts that the picture is restored on the same device.
    fn lose_surface(&mut self) {
        self.program.wait_until_idle();
        let before = self.screen.picture();
        self.program.tell("surface 0\n");
        self.program.wait_until_drawn();
        let said = self.program.said();
        assert!(
            said.contains("the surface of the window was lost"),
            "{said}"
        );
        assert!(!said.contains("device-restored"), "{said}");
        self.wait_for_picture(&before, "surface");
    }

    /// Loses the device in the middle of a frame and asserts that the picture is restored.
    fn lose_device(&mut self, name: &str) {
        self.program.wait_until_idle();
        let before = self.screen.save_picture(&format!("lost-{name}"));
        self.program.tell("device 0\n");
        self.program.wait_for("device-restored");
        self.wait_for_picture(&before, name);
    }
}

/// Loses the device with each kind of content in view, and with each panel that draws previews.
#[test]
fn every_kind_of_document_survives_the_loss_of_the_device() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let mut it = OpenWindow::start(&display, &["--overlay", "tile-grid", "demo:terrain"]);
    it.program.wait_until_idle();
    it.press(&[Key::of('3')]);
    it.select_middle();
    // Live previews of each type of tile.
    it.press(&[Key::CTRL, Key::of('2')]);
    it.lose_surface();
    it.lose_device("terrain");
    drop(it);

    let arguments = ["--clip", "Walk", "--frame", "5", "demo:drakeling"];
    let mut it = OpenWindow::start(&display, &arguments);
    it.program.wait_until_idle();
    it.press(&[Key::of('2')]);
    it.select_middle();
    it.lose_device("model");
    it.screen.key(&[Key::SPACE]);
    let moment = it.program.wait_for("playhead ");
    assert!(moment.ends_with(" playing"), "{moment}");
    it.program.tell("device 2\n");
    let plays_on = |line: &str| {
        assert!(!line.starts_with("playhead "), "{line}");
        (line == "device-restored").then_some(())
    };
    it.program.wait_until("another device", plays_on);
    for _ in 0..3 {
        it.program.wait_for("scene-frame ");
    }
    drop(it);

    let folder = tempfile::tempdir().unwrap();
    let scene = write_game(folder.path(), &sound_scene()).unwrap();
    let mut it = OpenWindow::start(&display, &["--frame", "0", text(&scene)]);
    it.program.wait_until_idle();
    it.press(&[Key::of('3')]);
    it.select_middle();
    it.press(&[Key::of('h')]);
    it.lose_device("scene");
    drop(it);

    let mut it = OpenWindow::start(&display, &["--frame", "0", "demo:bathhouse"]);
    it.program.wait_until_idle();
    it.select_middle();
    it.press(&[Key::of('h')]);
    it.press(&[Key::CTRL, Key::of('l')]);
    // A lightmap other than the first, zoomed in.
    let panel = it.program.rect("bottom-dock");
    it.screen.click([panel.x + 80, panel.y + 126]);
    let selected = it.program.wait_for("selected ");
    assert_ne!(selected, "none");
    it.program.wait_until_idle();
    it.screen.move_to(panel.center());
    it.screen.press(Button::WheelUp);
    it.lose_device("level");
    drop(it);

    for map in ["village", "station"] {
        let demo = format!("demo:{map}");
        let arguments = ["--frame", "0", "--hide-layer", "1", &demo];
        let mut it = OpenWindow::start(&display, &arguments);
        it.program.wait_until_idle();
        it.select_middle();
        it.press(&[Key::CTRL, Key::of('8')]);
        if map == "village" {
            // Some tiles of the tileset are unused.
            let panel = it.program.rect("bottom-dock");
            it.screen.click([panel.x + 45, panel.y + 54]);
        }
        it.lose_device(map);
    }
}

/// Loses the device in the frame that first shows a document, in later ones, and too often.
#[test]
fn a_device_may_be_lost_in_any_frame_but_not_again_and_again() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let file = write_map(display.home(), "map.pfmap", 1);
    let mut program = Program::start_with(&display, [&file], &LOSSES);
    program.tell("device 0\ndevice 1\ndevice 2\n");
    for _ in 0..3 {
        program.wait_for("device-restored");
    }
    let screen = Screen::of(&display, program.pid());
    program.wait_until_idle();
    let view = program.rect("viewport");
    screen.click(view.center());
    program.wait_for("selected tile ");

    program.tell(&"device 0\n".repeat(5));
    let status = program.wait_for_end();
    assert_eq!(status.code(), Some(2));
    program.listen(Duration::from_millis(200));
    let said = program.said();
    assert!(said.contains("was lost 5 times in a row"), "{said}");
}

/// Changes the scale as desktops do: by XSETTINGS and by a window manager that reports the new
/// position.
#[test]
fn another_scale_is_taken_on_while_the_window_is_open() {
    let Some(display) = Display::start([3200, 2000]) else {
        return;
    };
    let file = write_map(display.home(), "map.pfmap", 1);
    let settings = DesktopSettings::of(&display);
    settings.set_dots_per_inch(96);
    let mut program = Program::start(&display, [&file]);
    assert_eq!(program.wait_for("opened "), text(&file));
    let screen = Screen::of(&display, program.pid());
    program.wait_until_drawn();
    let view = program.rect("viewport");
    screen.click(view.center());
    program.wait_for("selected tile ");
    program.wait_until_idle();
    let (size, menu) = (screen.size(), program.rect("menu"));
    let before = screen.save_picture("rescaled-before");
    for (dots_per_inch, scale) in [(192, 2), (96, 1)] {
        settings.set_dots_per_inch(dots_per_inch);
        let is_scaled = |line: &String| {
            let rect = line.strip_prefix("event: rect menu ");
            let height = rect.and_then(|rect| rect.rsplit(' ').next()?.parse().ok());
            height.is_some_and(|height: i32| (height - menu.height * scale).abs() <= 2)
        };
        let size = size.map(|side| side * scale as u16);
        let said = program.wait_until_drawn();
        assert!(said.iter().any(is_scaled), "{said:?}");
        let is_view_change = |line: &String| is_view_change(line) && !line.contains(" pointer ");
        assert!(!said.iter().any(is_view_change), "{said:?}");
        assert_eq!(screen.size(), size);
        screen.notify_position();
        program.wait_until_idle();
        assert_eq!(screen.size(), size);
        // The pointer uses the same scale.
        assert!((program.rect("viewport").width - view.width * scale).abs() <= 2);
        screen.move_to(program.rect("viewport").at(0.4, 0.5));
        program.wait_for("pointer tile ");
        screen.move_to(program.rect("viewport").center());
        program.wait_until_drawn();
        screen.save_picture(&format!("rescaled-{scale}"));
    }
    assert!(screen.picture() == before, "it does not look as before");
}

#[test]
fn when_the_x_server_ends_so_does_the_program() {
    let Some(mut display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let mut program = Program::start(&display, ["demo:drakeling"]);
    program.wait_for("scene-frame ");
    display.kill();
    let asked = Instant::now();
    let status = program.wait_for_end();
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(status.code().is_some_and(|code| code != 0), "{status}");
    program.listen(Duration::from_millis(200));
    let said = program.said();
    let others = said.lines().filter(|line| !line.starts_with("event: "));
    let others: Vec<&str> = others.collect();
    // Xlib itself prints an error of one or two lines and ends the program.
    assert!(!others.is_empty() && others.len() <= 2, "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
