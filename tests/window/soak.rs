//! Long use of a window: memory, threads and open files stop growing after a warm-up.

use std::fs;
use std::time::Duration;

use mapscope_testdata::tiny_scene::{sound_scene, write_game};

use super::display::Display;
use super::losing::LOSSES;
use super::program::Program;
use super::screen::{Key, Screen};
use super::x11::{text, write_map};

/// Screen size in pixels.
const SCREEN_SIZE: [u32; 2] = [1280, 800];
/// Viewing time of each file. Playing content never becomes idle.
const VIEW_TIME: Duration = Duration::from_millis(400);
/// Rounds until all one-time allocations are made.
const WARM_UP: usize = 10;
/// Allowed growth of memory: documents differ, and freed memory is not returned at once.
const MAX_GROWTH_BYTES: u64 = 96 << 20;

/// Resources of a process.
#[derive(Debug, Clone, Copy)]
struct ResourceUsage {
    bytes: u64,
    threads: u64,
    files: usize,
}

impl ResourceUsage {
    fn of(program: &Program) -> Self {
        let process = format!("/proc/{}", program.pid());
        let status = fs::read_to_string(format!("{process}/status")).unwrap();
        let number = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace()
                .nth(1)
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        Self {
            bytes: number("RssAnon:") << 10,
            threads: number("Threads:"),
            files: fs::read_dir(format!("{process}/fd")).unwrap().count(),
        }
    }
}

/// Opens and reloads files, loses the device, and resizes the window, for `MAPSCOPE_SOAK` rounds.
#[test]
#[ignore = "it takes many minutes; the weekly job runs it"]
fn a_window_that_is_used_for_long_grows_no_more() {
    let Some(display) = Display::start(SCREEN_SIZE) else {
        return;
    };
    let rounds = std::env::var("MAPSCOPE_SOAK").map_or(40, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let scene = write_game(folder.path(), &sound_scene()).unwrap();
    let map = write_map(folder.path(), "b.pfmap", 2);
    let files = [text(&map), text(&scene), "demo:drakeling", "demo:bathhouse"];
    let mut program = Program::start_with(&display, files, &LOSSES);
    program.wait_for("opened ");
    let screen = Screen::of(&display, program.pid());
    let mut warm = None;
    for round in 0..WARM_UP + rounds {
        for _ in &files {
            screen.key(&[Key::PAGE_DOWN]);
            program.wait_for("opened ");
            program.listen(VIEW_TIME);
        }
        fs::write(&map, fs::read(&map).unwrap()).unwrap();
        fs::write(&scene, format!("{}\n", fs::read_to_string(&scene).unwrap())).unwrap();
        screen.resize([900 + round as u32 % 7 * 40, 700]);
        // The program gives up a device that is lost in every round.
        if round % 8 == 0 {
            program.tell("device 0\n");
            program.wait_for("device-restored");
        }
        program.listen(VIEW_TIME);
        let held = ResourceUsage::of(&program);
        println!("round {round}: {held:?}");
        if round < WARM_UP {
            warm = Some(held);
        }
    }
    let (warm, end) = (warm.unwrap(), ResourceUsage::of(&program));
    assert!(
        end.bytes <= warm.bytes + MAX_GROWTH_BYTES,
        "{warm:?} {end:?}"
    );
    assert!(end.threads <= warm.threads + 4, "{warm:?} {end:?}");
    assert!(end.files <= warm.files + 4, "{warm:?} {end:?}");
}
