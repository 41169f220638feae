//! The window on Wayland, for drops, the clipboard and scaling, which differ from X11. Common
//! behaviour is tested on X11.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use wayland_client::protocol::wl_pointer::ButtonState;

use super::losing::LOSSES;
use super::peer::{OfferedData, Peer, PeerReport, Role, TEXT};
use super::program::Program;
use super::screen::count_colors;
use super::sway::{Key, Sway};
use super::x11::{text, write_map};

/// The program with a map of one chunk open. Its window leaves the other program's corner free.
struct OpenWindow {
    // Fields are dropped in this order: the program ends before its display.
    program: Program,
    sway: Sway,
}

/// Starts the program on a small map. Returns `None` if sway is not available.
fn open_small_map(scale: f64, variables: &[(&str, &str)]) -> Option<OpenWindow> {
    let sway = Sway::start(scale)?;
    let file = write_map(sway.home(), "first.pfmap", 1);
    let mut program = Program::start_with(&sway, [&file], variables);
    assert_eq!(program.wait_for("opened "), text(&file));
    sway.arrange(sway.max_window_size());
    program.wait_until_idle();
    Some(OpenWindow { program, sway })
}

/// The `file:` URI of a path, as file managers write it.
fn uri(path: &Path) -> String {
    let escaped = path.as_os_str().as_bytes().iter().map(|&byte| match byte {
        b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("file://{}", escaped.collect::<String>())
}

fn files(paths: &[&Path]) -> OfferedData {
    OfferedData::uris(&paths.iter().map(|path| uri(path)).collect::<Vec<_>>())
}

/// Drags data over the middle of the window and holds it there.
fn drag_over<'a>(sway: &'a Sway, program: &mut Program, goods: OfferedData) -> Peer<'a> {
    let middle = sway.middle_of_view(program);
    let peer = Peer::start(sway, Role::Drag(goods));
    sway.input_devices().move_to(peer.at);
    sway.input_devices().button(ButtonState::Pressed);
    assert_eq!(peer.next_report(), PeerReport::Offers);
    sway.input_devices().glide_to(middle);
    peer
}

/// Releases the held drag.
fn release_drag(sway: &Sway) {
    sway.input_devices().button(ButtonState::Released);
}

impl OpenWindow {
    /// Drags files over the window, checks its reaction, and drops them.
    fn drop_on(&mut self, paths: &[&Path]) {
        let peer = drag_over(&self.sway, &mut self.program, files(paths));
        self.program.wait_for(&format!("hover {} ", paths.len()));
        release_drag(&self.sway);
        assert_eq!(peer.next_report(), PeerReport::Finished);
        self.program.wait_for("hover-end");
    }

    /// Gives the program the keyboard focus and presses keys.
    fn key(&self, keys: &[Key]) {
        self.sway.focus();
        self.sway.input_devices().key(keys);
    }

    /// The camera after pressing a key that changes it.
    fn camera_of(&mut self, key: Key) -> String {
        self.key(&[key]);
        self.program.wait_for("camera ")
    }
}

/// Asserts that the window still responds.
fn assert_alive(sway: &Sway, program: &mut Program) {
    for key in [Key::TWO, Key::THREE] {
        sway.focus();
        let asked = Instant::now();
        sway.input_devices().key(&[key]);
        program.wait_for("camera ");
        // Shorter than the timeout for other programs.
        assert!(asked.elapsed() < Duration::from_secs(4), "it stood still");
    }
}

/// Waits until the output has a line with this beginning and this text, at any position.
fn wait_for_output(program: &mut Program, beginning: &str, with: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    let is_it = |line: &str| line.starts_with(beginning) && line.contains(with);
    while !program.said().lines().any(is_it) {
        assert!(Instant::now() < deadline, "{}", program.said());
        program.listen(Duration::from_millis(50));
    }
}

/// Waits until the log reports a lost surface.
fn wait_until_surface_is_lost(program: &mut Program) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !program
        .said()
        .contains("the surface of the window was lost")
    {
        assert!(Instant::now() < deadline, "{}", program.said());
        program.listen(Duration::from_millis(50));
    }
}

#[test]
fn files_and_folders_of_any_name_are_dropped_and_all_else_is_refused() {
    let Some(mut it) = open_small_map(1.0, &[]) else {
        return;
    };
    let folder = it.sway.home().join("Ordner mit Größe 100% & #2");
    fs::create_dir(&folder).unwrap();
    let not_unicode = OsStr::from_bytes(b"caf\xe9.pfmap");
    let named =
        ["100%41 a+b?c#d.pfmap", "ünïcødé 日本.pfmap"].map(|name| write_map(&folder, name, 1));
    it.drop_on(&[&named[0], &named[1]]);
    assert_eq!(it.program.wait_for("opened "), text(&named[0]));
    it.key(&[Key::PAGE_DOWN]);
    assert_eq!(it.program.wait_for("opened "), text(&named[1]));

    let latin = it.sway.home().join(not_unicode);
    fs::copy(&named[0], &latin).unwrap();
    it.drop_on(&[&latin]);
    assert_eq!(it.program.wait_for("opened "), latin.to_string_lossy());

    it.drop_on(&[&folder]);
    assert_eq!(it.program.wait_for("opened "), text(&named[0]));
    it.program.wait_until_idle();
    let title = it.sway.window("mapscope")["name"].to_string();
    assert!(title.contains("100%41"), "{title}");

    // A drag that leaves.
    let other = write_map(it.sway.home(), "other.pfmap", 1);
    let peer = drag_over(&it.sway, &mut it.program, files(&[&other]));
    assert_eq!(it.program.wait_for("hover 1 "), text(&other));
    it.sway.input_devices().glide_to(peer.at);
    it.program.wait_for("hover-end");
    release_drag(&it.sway);
    assert_eq!(peer.next_report(), PeerReport::Cancelled);
    drop(peer);
    let heard = it.program.listen(Duration::from_millis(500));
    let opened = |line: &&String| line.contains("opened") || line.contains("failed");
    assert_eq!(heard.iter().find(opened), None);
    it.drop_on(&[&other]);
    assert_eq!(it.program.wait_for("opened "), text(&other));

    // No files.
    let page = "https://example.org/a.pfmap".to_owned();
    let share = "file://server/share/a.pfmap".to_owned();
    for (goods, said) in [
        (
            OfferedData::text("a.pfmap"),
            "The dragged data is not a file".to_owned(),
        ),
        (
            OfferedData::uris(std::slice::from_ref(&page)),
            format!("{page} is not a file on this computer"),
        ),
        (
            OfferedData::uris(&[share.clone(), page.clone()]),
            format!("{share} and 1 more are not files on this computer"),
        ),
    ] {
        let peer = drag_over(&it.sway, &mut it.program, goods);
        assert_eq!(it.program.wait_for("hover-refused "), said);
        release_drag(&it.sway);
        assert_eq!(peer.next_report(), PeerReport::Cancelled);
        it.program.wait_for("hover-end");
    }
    // The files among other URIs are opened, and the others are reported.
    let map = write_map(it.sway.home(), "map.pfmap", 1);
    let goods = OfferedData::uris(&[page.clone(), uri(&map)]);
    let peer = drag_over(&it.sway, &mut it.program, goods);
    assert_eq!(it.program.wait_for("hover 1 "), text(&map));
    release_drag(&it.sway);
    assert_eq!(peer.next_report(), PeerReport::Finished);
    drop(peer);
    let said = it.program.wait_for("not-dropped ");
    assert!(said.starts_with(&page), "{said}");
    assert_eq!(it.program.wait_for("opened "), text(&map));

    // A program that never sends what it drags.
    let silent = OfferedData {
        data: None,
        ..OfferedData::uris(&[])
    };
    let peer = drag_over(&it.sway, &mut it.program, silent);
    it.program.wait_for("frame ");
    release_drag(&it.sway);
    assert_alive(&it.sway, &mut it.program);
    let wanted = "did not answer within 5 seconds";
    wait_for_output(&mut it.program, "event: not-dropped ", wanted);
    assert_eq!(peer.next_report(), PeerReport::Cancelled);
    drop(peer);
    it.drop_on(&[&map]);
    assert_eq!(it.program.wait_for("opened "), text(&map));
}

#[test]
fn text_and_pictures_are_exchanged_with_other_programs() {
    let Some(mut it) = open_small_map(1.0, &[]) else {
        return;
    };
    // Copies to another program, and pastes from this one and from the other one.
    let top = it.camera_of(Key::TWO);
    it.key(&[Key::CTRL, Key::SHIFT, Key::C]);
    assert_ne!(it.camera_of(Key::THREE), top);
    it.key(&[Key::CTRL, Key::SHIFT, Key::V]);
    assert_eq!(it.program.wait_for("camera "), top);
    let reader = Peer::start(&it.sway, Role::Paste(TEXT));
    assert_eq!(
        reader.next_report(),
        PeerReport::Clipboard(top.clone().into_bytes())
    );
    drop(reader);
    assert_ne!(it.camera_of(Key::THREE), top);
    let writer = Peer::start(&it.sway, Role::Copy(OfferedData::text(top.clone())));
    assert_eq!(writer.next_report(), PeerReport::Offers);
    it.key(&[Key::CTRL, Key::SHIFT, Key::V]);
    assert_eq!(it.program.wait_for("camera "), top);
    drop(writer);

    // Pastes into a text field: the palette finds a command by the pasted text.
    for keys in [[Key::CTRL, Key::V], [Key::SHIFT, Key::INSERT]] {
        assert_ne!(it.camera_of(Key::THREE), top);
        let writer = Peer::start(&it.sway, Role::Copy(OfferedData::text("from the\r\ntop")));
        assert_eq!(writer.next_report(), PeerReport::Offers);
        it.key(&[Key::CTRL, Key::P]);
        it.program.wait_until_drawn();
        it.key(&keys);
        it.program.wait_until_drawn();
        it.key(&[Key::RETURN]);
        assert_eq!(it.program.wait_for("camera "), top);
    }

    // A picture of the view.
    assert_ne!(it.camera_of(Key::THREE), top);
    it.program.wait_until_idle();
    it.key(&[Key::CTRL, Key::SHIFT, Key::P]);
    it.program.wait_for("picture-copied");
    let reader = Peer::start(&it.sway, Role::Paste("image/png"));
    let PeerReport::Clipboard(png) = reader.next_report() else {
        panic!("it reads the clipboard");
    };
    let picture = image::load_from_memory(&png).unwrap().into_rgba8();
    assert!(count_colors(&picture) > 100);
    drop(reader);
    // The clipboard has no text: the camera stays, and the window keeps working.
    it.key(&[Key::CTRL, Key::SHIFT, Key::V]);
    assert_alive(&it.sway, &mut it.program);

    // Programs that send too much or nothing.
    let huge = OfferedData::text(vec![b'x'; 100 << 20]);
    let silent = OfferedData {
        data: None,
        ..OfferedData::text("")
    };
    for (goods, wanted) in [
        (huge, "larger than 1 MiB"),
        (silent, "did not answer within 5 seconds"),
    ] {
        let writer = Peer::start(&it.sway, Role::Copy(goods));
        assert_eq!(writer.next_report(), PeerReport::Offers);
        it.key(&[Key::CTRL, Key::SHIFT, Key::V]);
        assert_alive(&it.sway, &mut it.program);
        wait_for_output(&mut it.program, "event: not-pasted ", wanted);
    }
}

#[test]
fn the_window_is_used_in_full_screen_and_at_every_scale_and_size() {
    let Some(mut it) = open_small_map(1.0, &[]) else {
        return;
    };
    // Panels are to the left of the view, except in full screen.
    let beside_panels = it.program.rect("viewport").x;
    // The view changes once before the compositor has answered: the test waits for the answer too.
    let wait_for_view_at = |it: &mut OpenWindow, x: i32| {
        let deadline = Instant::now() + Duration::from_mins(1);
        let is_full = x == 0;
        while it.program.rect("viewport").x != x || it.sway.is_full_screen() != is_full {
            assert!(Instant::now() < deadline, "{}", it.program.said());
            it.program.listen(Duration::from_millis(50));
        }
    };
    it.key(&[Key::F11]);
    wait_for_view_at(&mut it, 0);
    it.program.wait_until_idle();
    it.sway
        .command("[app_id=\"^mapscope$\"] fullscreen disable");
    wait_for_view_at(&mut it, beside_panels);
    // The next key press starts full screen again.
    it.program.wait_until_idle();
    it.key(&[Key::F11]);
    wait_for_view_at(&mut it, 0);
    it.sway
        .command("[app_id=\"^mapscope$\"] fullscreen disable");
    wait_for_view_at(&mut it, beside_panels);
    it.program.wait_until_idle();

    let map = write_map(it.sway.home(), "map.pfmap", 1);
    let mut wide = it.program.rect("menu").width;
    for scale in [1.0, 1.5, 2.0] {
        it.sway.set_scale(scale);
        for shrunk in [60, 0] {
            let size = it.sway.max_window_size().map(|side| side - shrunk);
            it.sway.arrange(size);
            // At 1.5 an older compositor requests scale 2 and downscales the picture itself.
            let is_right = |wide: i32| {
                let scales = [scale, scale.ceil()].map(|scale| f64::from(size[0]) * scale);
                scales
                    .iter()
                    .any(|wanted| (f64::from(wide) - wanted).abs() < 2.0)
            };
            while !is_right(wide) {
                wide = it.program.wait_until("another size", |event| {
                    let numbers = event.strip_prefix("rect menu ")?;
                    numbers.split(' ').nth(2)?.parse().ok()
                });
            }
            it.program.wait_until_idle();
        }
        it.drop_on(&[&map]);
        assert_eq!(it.program.wait_for("opened "), text(&map));
        it.program.wait_until_idle();
        let middle = it.sway.middle_of_view(&mut it.program);
        it.sway.input_devices().click(middle);
        it.program.wait_for("selected tile ");
        it.sway.input_devices().scroll();
        it.program.wait_for("camera ");
        it.key(&[Key::ESCAPE]);
        assert_eq!(it.program.wait_for("selected "), "none");
    }
}

#[test]
fn the_desktop_knows_the_window_and_there_is_one_data_device() {
    // With this variable, the system's library logs all messages between program and compositor.
    let Some(mut it) = open_small_map(1.0, &[("WAYLAND_DEBUG", "client")]) else {
        return;
    };
    assert_eq!(it.sway.window("mapscope")["app_id"], "mapscope");
    it.key(&[Key::CTRL, Key::SHIFT, Key::C]);
    it.key(&[Key::CTRL, Key::Q]);
    assert!(it.program.wait_for_end().success());
    it.program.listen(Duration::from_millis(200));
    let said = it.program.said();
    assert_eq!(said.matches(".get_data_device(").count(), 1);
    assert!(said.contains(".set_selection("), "nothing was copied");
    let is_release = |line: &str| line.contains("wl_data_device") && line.contains(".release(");
    assert!(said.lines().any(is_release), "the device stays");
}

#[test]
fn a_lost_device_and_a_lost_surface_are_made_again_on_wayland() {
    let Some(mut it) = open_small_map(1.0, &LOSSES) else {
        return;
    };
    // The compositor disconnects a program that draws on one window in two ways.
    it.program.tell("device 0\n");
    it.program.wait_for("device-restored");
    assert_alive(&it.sway, &mut it.program);
    it.program.tell("surface 0\n");
    wait_until_surface_is_lost(&mut it.program);
    assert_alive(&it.sway, &mut it.program);
}

#[test]
fn when_the_compositor_ends_one_line_says_so() {
    let Some(mut it) = open_small_map(1.0, &[]) else {
        return;
    };
    it.sway.kill();
    let status = it.program.wait_for_end();
    assert!(status.code().is_some_and(|code| code != 0), "{status}");
    it.program.listen(Duration::from_millis(200));
    let said = it.program.said();
    let others = said.lines().filter(|line| !line.starts_with("event: "));
    let others: Vec<&str> = others.collect();
    let [line] = others[..] else {
        panic!("{said}");
    };
    assert!(line.contains("the display is gone"), "{line}");
}
