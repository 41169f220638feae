//! Event lines on stderr, for tests that drive the window from outside.
//!
//! They are written only if the environment variable `MAPSCOPE_EVENTS` is `1`; each is `event: `
//! followed by a name and its values. Text cursors do not blink then. If `MAPSCOPE_LOSSES` is also
//! set, stdin accepts commands: `device 0` drops the graphics device during the next frame, like a
//! crashing driver, and `surface 2` drops the window's surface before the third frame.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;

use egui::Rect;

use crate::viewer::state::State;
use mapscope_scene::Item;
use mapscope_scene::camera::Pose;

/// Writes the event lines; state is written only when it has changed.
pub(crate) struct Events {
    enabled: bool,
    frames: u64,
    /// Simulated losses, to test recovery, and the frame after which each is due.
    losses: Vec<(Loss, u64)>,
    scene_frames: u64,
    with_frame: Vec<String>,
    rects: HashMap<String, [i32; 4]>,
    selected: Option<Item>,
    hovered: Option<Item>,
    camera: Option<Pose>,
    moment: Option<Moment>,
}

/// A graphics resource that drivers may take away from an open window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    Device,
    Surface,
}

/// Parses a loss and the number of frames before it from a line.
fn parse_loss(line: &str) -> Option<(Loss, u64)> {
    let (what, frames) = line.split_once(' ')?;
    let loss = match what {
        "device" => Loss::Device,
        "surface" => Loss::Surface,
        _ => return None,
    };
    Some((loss, frames.parse().ok()?))
}

/// The reported state of the animation.
#[derive(PartialEq)]
struct Moment {
    clip: Option<usize>,
    playing: bool,
    /// The frame; `None` during playback, which does not write a line per frame.
    frame: Option<f64>,
}

impl Events {
    /// Reads the configuration from the environment.
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

    /// `true` if event lines are enabled.
    pub(crate) fn enabled(&self) -> bool {
        self.enabled
    }

    /// Reads losses from stdin in a separate thread and passes each to `lose`.
    pub(crate) fn listen(&self, lose: impl Fn((Loss, u64)) + Send + 'static) {
        if !self.enabled || std::env::var_os("MAPSCOPE_LOSSES").is_none() {
            return;
        }
        std::thread::spawn(move || {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                match parse_loss(&line) {
                    Some(loss) => lose(loss),
                    None => log::error!("`{line}` is no `device` or `surface` with a number"),
                }
            }
        });
    }

    /// Writes a line.
    pub(crate) fn write(&self, line: impl Display) {
        if self.enabled {
            // The reader may have closed the pipe.
            let _unread = writeln!(std::io::stderr().lock(), "event: {line}");
        }
    }

    /// Queues a line until the next frame is shown, so that the frame is on screen when the line is
    /// read.
    pub(crate) fn write_with_frame(&mut self, line: String) {
        self.with_frame.push(line);
    }

    /// Reports a presented frame.
    pub(crate) fn frame(&mut self) {
        self.frames += 1;
        if self.frames == 1 {
            self.write("first-frame");
        }
        self.write(format_args!("frame {}", self.frames));
        for line in std::mem::take(&mut self.with_frame) {
            self.write(line);
        }
    }

    /// Schedules a loss after the given number of frames.
    pub(crate) fn lose(&mut self, (loss, frames): (Loss, u64)) {
        self.losses.push((loss, self.frames + frames));
    }

    /// `true` if a loss of this kind is due; removes it.
    pub(crate) fn take_due_loss(&mut self, loss: Loss) -> bool {
        let is_due = |(what, after): &(Loss, u64)| *what == loss && *after <= self.frames;
        let due = self.losses.iter().position(is_due);
        due.map(|at| self.losses.swap_remove(at)).is_some()
    }

    /// Reports a drawn 3D view.
    pub(crate) fn scene_frame(&mut self) {
        self.scene_frames += 1;
        self.write(format_args!("scene-frame {}", self.scene_frames));
    }

    /// Writes the changes of the state. Rectangles are in logical pixels.
    pub(crate) fn state(&mut self, state: &State, rects: &[(String, Rect)], pixels_per_point: f32) {
        if !self.enabled {
            return;
        }
        for (name, rect) in rects {
            let pixels = [rect.min.x, rect.min.y, rect.width(), rect.height()]
                .map(|length| (length * pixels_per_point).round() as i32);
            if self.rects.insert(name.clone(), pixels) != Some(pixels) {
                let [x, y, width, height] = pixels;
                self.write(format_args!("rect {name} {x} {y} {width} {height}"));
            }
        }
        if self.hovered != state.session.pointer.hovered {
            self.hovered = state.session.pointer.hovered;
            self.write(format_args!(
                "pointer {}",
                item_text(state.session.pointer.hovered)
            ));
        }
        if self.selected != state.session.view.shown.selected {
            self.selected = state.session.view.shown.selected;
            self.write(format_args!(
                "selected {}",
                item_text(state.session.view.shown.selected)
            ));
        }
        if self.camera != Some(state.session.view.camera.pose) {
            self.camera = Some(state.session.view.camera.pose);
            self.write(format_args!("camera {}", state.session.view.camera.pose));
        }
        let player = &state.session.player;
        let playing = player.is_playing() && !player.is_held();
        let moment = (!state.session.clips().is_empty()).then(|| Moment {
            clip: player.clip(),
            playing,
            frame: (!playing).then(|| player.frame()),
        });
        if self.moment != moment {
            self.moment = moment;
            if self.moment.is_some() {
                let clip = player
                    .clip()
                    .and_then(|index| state.session.clips().get(index))
                    .map_or("none", |clip| &clip.name);
                let frame = (player.frame() * 1000.0).round() / 1000.0;
                let playing = if playing { "playing" } else { "paused" };
                self.write(format_args!("playhead {clip} {frame} {playing}"));
            }
        }
    }
}

fn item_text(item: Option<Item>) -> String {
    item.map_or_else(|| "none".to_owned(), |item| item.to_string())
}
