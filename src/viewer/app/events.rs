//! Lines on stderr that say what the window did, for tests that drive it from outside.
//!
//! They are written only when the environment variable `MAPSCOPE_EVENTS` is `1`; each is
//! `event: ` and then a name and its values. Cursors do not blink then. With it, and with `MAPSCOPE_LOSSES` set to anything,
//! a line `device 0` on stdin gives the graphics device up in the middle of the next frame, as a driver
//! does that crashes, and `surface 2` the window's surface before the third.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;

use egui::Rect;

use crate::viewer::state::State;
use mapscope_scene::Item;
use mapscope_scene::camera::Pose;

/// Writes the lines, those about a state only when it has changed.
pub(crate) struct Events {
    enabled: bool,
    frames: u64,
    /// What is given up, to see that nothing is lost with it, and after which frame.
    losses: Vec<(Loss, u64)>,
    scene_frames: u64,
    with_frame: Vec<String>,
    rects: HashMap<String, [i32; 4]>,
    selected: Option<Item>,
    hovered: Option<Item>,
    camera: Option<Pose>,
    moment: Option<Moment>,
}

/// What drivers take away while a window is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    Device,
    Surface,
}

/// What a line asks to lose, and after how many more frames.
fn asked_loss(line: &str) -> Option<(Loss, u64)> {
    let (what, frames) = line.split_once(' ')?;
    let loss = match what {
        "device" => Loss::Device,
        "surface" => Loss::Surface,
        _ => return None,
    };
    Some((loss, frames.parse().ok()?))
}

/// What is said of the animation.
#[derive(PartialEq)]
struct Moment {
    clip: Option<usize>,
    playing: bool,
    /// The frame; while it plays, there is no line for each.
    frame: Option<f64>,
}

impl Events {
    /// As the environment says.
    pub(crate) fn from_env() -> Self {
        Self {
            enabled: std::env::var_os("MAPSCOPE_EVENTS").is_some_and(|value| value == "1"),
            frames: 0,
            losses: Vec::new(),
            scene_frames: 0,
            with_frame: Vec::new(),
            rects: HashMap::new(),
            selected: None,
            hovered: None,
            camera: None,
            moment: None,
        }
    }

    /// Whether anybody wants the lines.
    pub(crate) fn enabled(&self) -> bool {
        self.enabled
    }

    /// Tells, from a thread of its own, what stdin asks to lose and after how many more frames.
    pub(crate) fn listen(&self, lose: impl Fn((Loss, u64)) + Send + 'static) {
        if !self.enabled || std::env::var_os("MAPSCOPE_LOSSES").is_none() {
            return;
        }
        std::thread::spawn(move || {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                match asked_loss(&line) {
                    Some(loss) => lose(loss),
                    None => log::error!("`{line}` is no `device` or `surface` with a number"),
                }
            }
        });
    }

    /// Writes a line.
    pub(crate) fn say(&self, line: impl Display) {
        if self.enabled {
            // Nobody may be reading.
            let _unread = writeln!(std::io::stderr().lock(), "event: {line}");
        }
    }

    /// Writes a line once the next frame is shown, so that who reads it finds it on the screen.
    pub(crate) fn say_with_frame(&mut self, line: String) {
        self.with_frame.push(line);
    }

    /// A frame was shown.
    pub(crate) fn frame(&mut self) {
        self.frames += 1;
        if self.frames == 1 {
            self.say("first-frame");
        }
        self.say(format_args!("frame {}", self.frames));
        for line in std::mem::take(&mut self.with_frame) {
            self.say(line);
        }
    }

    /// Has something given up after so many more frames.
    pub(crate) fn lose(&mut self, (loss, frames): (Loss, u64)) {
        self.losses.push((loss, self.frames + frames));
    }

    /// Whether this is to be given up now.
    pub(crate) fn is_lost_now(&mut self, loss: Loss) -> bool {
        let is_due = |(what, after): &(Loss, u64)| *what == loss && *after <= self.frames;
        let due = self.losses.iter().position(is_due);
        due.map(|at| self.losses.swap_remove(at)).is_some()
    }

    /// The 3D view was drawn.
    pub(crate) fn scene_frame(&mut self) {
        self.scene_frames += 1;
        self.say(format_args!("scene-frame {}", self.scene_frames));
    }

    /// Says what of the state has changed. Rectangles are in logical pixels.
    pub(crate) fn state(&mut self, state: &State, rects: &[(String, Rect)], pixels_per_point: f32) {
        if !self.enabled {
            return;
        }
        for (name, rect) in rects {
            let pixels = [rect.min.x, rect.min.y, rect.width(), rect.height()]
                .map(|length| (length * pixels_per_point).round() as i32);
            if self.rects.insert(name.clone(), pixels) != Some(pixels) {
                let [x, y, width, height] = pixels;
                self.say(format_args!("rect {name} {x} {y} {width} {height}"));
            }
        }
        if self.hovered != state.pointer.hovered {
            self.hovered = state.pointer.hovered;
            self.say(format_args!("pointer {}", item_text(state.pointer.hovered)));
        }
        if self.selected != state.view.shown.selected {
            self.selected = state.view.shown.selected;
            self.say(format_args!(
                "selected {}",
                item_text(state.view.shown.selected)
            ));
        }
        if self.camera != Some(state.view.camera.pose) {
            self.camera = Some(state.view.camera.pose);
            self.say(format_args!("camera {}", state.view.camera.pose));
        }
        let player = &state.player;
        let playing = player.is_playing() && !player.is_held();
        let moment = (!state.clips().is_empty()).then(|| Moment {
            clip: player.clip(),
            playing,
            frame: (!playing).then(|| player.frame()),
        });
        if self.moment != moment {
            self.moment = moment;
            if self.moment.is_some() {
                let clip = player.clip().and_then(|index| state.clips().get(index));
                let clip = clip.map_or("none", |clip| &clip.name);
                let frame = (player.frame() * 1000.0).round() / 1000.0;
                let playing = if playing { "playing" } else { "paused" };
                self.say(format_args!("playhead {clip} {frame} {playing}"));
            }
        }
    }
}

fn item_text(item: Option<Item>) -> String {
    item.map_or_else(|| "none".to_owned(), |item| item.to_string())
}
