//! The player: clip, position, speed and loop mode.
//!
//! It is independent of documents, windows and clocks. Callers pass the lengths of clips and the
//! current time.

use std::time::Duration;

use mapscope_formats::pfobj;
use mapscope_scene::{Blend, Playhead};

/// Default number of frames per second.
const DEFAULT_FPS: f64 = pfobj::FRAMES_PER_SECOND as f64;
/// Range of the frame rate.
pub(crate) const FPS: std::ops::RangeInclusive<f64> = 1.0..=240.0;
/// Range of the playback speed; 1 is normal.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.05..=4.0;
/// Speeds that [`Player::change_speed`] steps through.
const SPEED_STEPS: [f64; 9] = [0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Durations of a transition, in seconds.
pub(crate) const TRANSITION_SECS: std::ops::RangeInclusive<f64> = 0.0..=5.0;
/// Default duration of a transition, in seconds.
pub(crate) const DEFAULT_TRANSITION_SECS: f64 = 0.25;
/// Seconds of the first clip in the range of a new transition.
const SECS_BEFORE_TRANSITION: f64 = 1.0;
/// Minimum number of visible frames in the timeline.
const MIN_WINDOW: f64 = 4.0;

/// A transition from the player's clip to another one. The player then plays a sequence: the
/// frames of its clip, those of the transition, and those of the other clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Transition {
    /// Index of the other clip.
    pub clip: usize,
    /// Number of frames of the other clip, at least 1.
    pub frames: u32,
    /// Duration of the transition, in seconds.
    pub secs: f64,
}

/// Behaviour at the end of the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LoopMode {
    /// Playback stops at the last frame.
    Once,
    /// Playback restarts at the first frame.
    #[default]
    Loop,
    /// Playback reverses its direction.
    PingPong,
}

impl LoopMode {
    /// All modes, in the order of the menu.
    pub(crate) const ALL: [Self; 3] = [Self::Once, Self::Loop, Self::PingPong];
}

/// The current playhead and how it advances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Player {
    clip: Option<usize>,
    /// Number of frames of the clip; 0 without a clip.
    own_frames: u32,
    /// Number of frames of the clip, or of the whole sequence with a transition.
    frames: u32,
    transition: Option<Transition>,
    /// The frames that the timeline shows, from the start of the first to the end of the last.
    window: [f64; 2],
    /// Position in frames, from 0 to less than `frames`.
    position: f64,
    playing: bool,
    backwards: bool,
    /// `true` while the user drags or types the position; time then does not advance it.
    held: bool,
    /// First and last frame of the playback range.
    range: [u32; 2],
    loop_mode: LoopMode,
    smooth: bool,
    /// The frame rate that the user chose for files without one.
    fps: f64,
    /// The mean frame rate of the clip's file, or what the user chose in its place.
    fps_of_file: Option<f64>,
    /// The end of each run of frames of the clip, and its frame rate as a factor of the mean.
    rates: Vec<(u32, f64)>,
    speed: f64,
    /// Time of the last tick, in seconds, if playback is running.
    last_tick_secs: Option<f64>,
}

impl Player {
    /// Creates a player without a clip.
    pub(crate) fn new(loop_mode: LoopMode, smooth: bool) -> Self {
        Self {
            clip: None,
            own_frames: 0,
            frames: 0,
            transition: None,
            window: [0.0; 2],
            position: 0.0,
            playing: false,
            backwards: false,
            held: false,
            range: [0, 0],
            loop_mode,
            smooth,
            fps: DEFAULT_FPS,
            fps_of_file: None,
            rates: Vec::new(),
            speed: 1.0,
            last_tick_secs: None,
        }
    }

    /// Goes to the start of a clip, given its index and number of frames. `None` chooses the bind
    /// pose. Playback continues if it was running.
    pub(crate) fn choose(&mut self, clip: Option<(usize, u32)>) {
        let (clip, frames) = clip.map_or((None, 0), |(clip, frames)| (Some(clip), frames));
        self.clip = clip;
        self.set_own_frames(frames);
        self.playing &= clip.is_some();
        self.backwards &= self.loop_mode != LoopMode::PingPong;
        self.reset_range();
        self.go_to_start();
    }

    /// Takes the frame rates of the clip's file ([`ClipInfo::rates`]).
    ///
    /// [`ClipInfo::rates`]: mapscope_scene::ClipInfo::rates
    pub(crate) fn set_rates(&mut self, rates: &[(u32, f64)]) {
        let starts = std::iter::once(0).chain(rates.iter().map(|(end, _)| *end));
        let runs = rates.iter().zip(starts);
        let secs: f64 = runs
            .map(|((end, fps), start)| f64::from(end - start) / fps)
            .sum();
        let frames = rates.last().map(|(end, _)| f64::from(*end));
        let mean = frames.filter(|_| secs > 0.0).map(|frames| frames / secs);
        self.fps_of_file = mean.map(|mean| mean.clamp(*FPS.start(), *FPS.end()));
        self.rates = rates
            .iter()
            .filter_map(|(end, fps)| Some((*end, fps / mean?)))
            .collect();
    }

    /// The frame rate at the position, as a factor of the mean one of the clip.
    fn rate(&self) -> f64 {
        let mut runs = self.rates.iter();
        let run = runs.find(|(end, _)| self.position < f64::from(*end));
        run.map_or(1.0, |(_, factor)| *factor)
    }

    /// Updates the index and the length of the clip after a reload. The position stays.
    pub(crate) fn replace(&mut self, clip: usize, frames: u32) {
        let whole = self.is_whole_range();
        let window = self.window;
        let is_zoomed = window != [0.0, self.frames.into()];
        self.clip = Some(clip);
        self.set_own_frames(frames);
        if is_zoomed && window[1] <= frames.into() {
            self.window = window;
        }
        self.position = self.clamped(self.position);
        let last = self.last();
        self.range = if whole {
            [0, last]
        } else {
            self.range.map(|frame| frame.min(last))
        };
    }

    /// Sets the length of the clip, and ends a transition.
    fn set_own_frames(&mut self, frames: u32) {
        self.transition = None;
        self.own_frames = frames;
        self.frames = frames;
        self.window = [0.0, frames.into()];
    }

    /// The playhead for documents.
    pub(crate) fn playhead(&self) -> Playhead {
        self.playhead_at(self.frame())
    }

    /// The playhead at a frame of the clip or of the sequence.
    pub(crate) fn playhead_at(&self, frame: f64) -> Playhead {
        let of = |clip, frame: f64| Playhead {
            clip,
            frame: frame as f32,
            smooth: self.smooth,
            blend: None,
        };
        let Some(Transition { clip, frames, .. }) = self.transition else {
            return of(self.clip, frame);
        };
        let (last, start) = (self.last_of_clip(), self.transition_end());
        if frame <= last {
            of(self.clip, frame)
        } else if frame >= start {
            // The end of the sequence is no loop of the other clip.
            of(Some(clip), (frame - start).min((frames - 1).into()))
        } else {
            let part = ((frame - last) / (start - last)) as f32;
            let blend = Blend {
                clip,
                frame: 0.0,
                part,
            };
            Playhead {
                blend: Some(blend),
                ..of(self.clip, last)
            }
        }
    }

    /// The transition to another clip, if one is previewed.
    pub(crate) fn transition(&self) -> Option<Transition> {
        self.transition
    }

    /// The frame at which the transition ends and the other clip starts.
    pub(crate) fn transition_end(&self) -> f64 {
        let secs = self.transition.map_or(0.0, |transition| transition.secs);
        f64::from(self.own_frames) + (secs * self.fps()).round()
    }

    /// The last frame of the clip, before a transition.
    pub(crate) fn last_of_clip(&self) -> f64 {
        self.own_frames.saturating_sub(1).into()
    }

    /// The frame at which the clip of the playhead starts.
    pub(crate) fn clip_start(&self) -> f64 {
        let end = self.transition_end();
        if self.transition.is_some() && self.frame() >= end {
            end
        } else {
            0.0
        }
    }

    /// Previews a transition to another clip, or ends the preview. The range then starts shortly
    /// before the transition.
    pub(crate) fn set_transition(&mut self, transition: Option<Transition>) {
        let transition = transition.filter(|it| it.frames > 0 && self.own_frames > 0);
        if transition.is_none() && self.transition.is_none() {
            return;
        }
        let is_same_clip = self.transition.map(|it| it.clip) == transition.map(|it| it.clip);
        self.set_own_frames(self.own_frames);
        if let Some(Transition { secs, .. }) = transition {
            let secs = secs.clamp(*TRANSITION_SECS.start(), *TRANSITION_SECS.end());
            self.transition = transition.map(|it| Transition { secs, ..it });
            self.frames = self.sequence_frames();
            self.window = [0.0, self.frames.into()];
        }
        let before = (SECS_BEFORE_TRANSITION * self.fps()) as u32;
        let start = match transition {
            Some(_) if is_same_clip => self.range[0],
            Some(_) => (self.own_frames - 1).saturating_sub(before),
            None => 0,
        };
        self.range = [start.min(self.last()), self.last()];
        if is_same_clip {
            self.position = self.clamped(self.position);
        } else {
            self.go_to_start();
        }
    }

    fn sequence_frames(&self) -> u32 {
        let others = self.transition.map_or(0, |it| it.frames);
        (self.transition_end() as u32).saturating_add(others)
    }

    /// The frames that the timeline shows, from the start of the first to the end of the last.
    pub(crate) fn window(&self) -> [f64; 2] {
        self.window
    }

    /// Scales the visible part of the timeline by a factor, around a frame.
    pub(crate) fn zoom_window(&mut self, frame: f64, factor: f64) {
        let [first, end] = self.window;
        let frames = f64::from(self.frames);
        let size = ((end - first) * factor).clamp(MIN_WINDOW.min(frames), frames);
        if size.is_finite() && end > first {
            let along = ((frame - first) / (end - first)).clamp(0.0, 1.0);
            self.move_window(first + along * (end - first - size), size);
        }
    }

    /// Moves the visible part of the timeline by a number of frames.
    pub(crate) fn pan_window(&mut self, frames: f64) {
        let [first, end] = self.window;
        self.move_window(first + frames, end - first);
    }

    fn move_window(&mut self, first: f64, size: f64) {
        let first = first.min(f64::from(self.frames) - size).max(0.0);
        self.window = [first, first + size];
    }

    /// Moves the visible part of the timeline to the position, if it is outside.
    pub(crate) fn reveal_position(&mut self) {
        let [first, end] = self.window;
        if self.position < first || self.position >= end {
            self.move_window(self.position.floor(), end - first);
        }
    }

    /// Index of the clip; `None` in the bind pose.
    pub(crate) fn clip(&self) -> Option<usize> {
        self.clip
    }

    /// Number of frames of the clip, or of the sequence with a transition.
    pub(crate) fn frames(&self) -> u32 {
        self.frames
    }

    /// The last frame of the clip or of the sequence.
    pub(crate) fn last(&self) -> u32 {
        self.frames.saturating_sub(1)
    }

    /// The visible frame: a whole number unless playback is smooth.
    pub(crate) fn frame(&self) -> f64 {
        if !self.smooth {
            return self.whole_frame().into();
        }
        // The transition from the last frame to the first exists only for the whole clip.
        if self.is_whole_range() || self.position > f64::from(self.range[1]) + 1.0 {
            self.position
        } else {
            self.position.min(self.range[1].into())
        }
    }

    /// The visible whole frame, or the last one that was passed.
    pub(crate) fn whole_frame(&self) -> u32 {
        let [first, last] = self.range;
        // Every frame is visible for the same time in both directions.
        if !(self.backwards && self.playing && !self.smooth) {
            return (self.position as u32).min(self.last());
        }
        let frame = self.position.ceil() as u32;
        let past_end = frame == last + 1 && self.position > f64::from(last);
        if past_end || frame > self.last() {
            first
        } else {
            frame
        }
    }

    /// `true` if time advances the position.
    pub(crate) fn is_playing(&self) -> bool {
        self.playing
    }

    /// `true` if the user holds the position of a running playback.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// `true` if playback runs toward the first frame.
    pub(crate) fn is_backwards(&self) -> bool {
        self.backwards
    }

    /// Starts or pauses playback.
    pub(crate) fn set_playing(&mut self, playing: bool) {
        let ended = if self.backwards {
            self.position <= self.range[0].into()
        } else {
            self.position >= self.range[1].into()
        };
        if playing && self.loop_mode == LoopMode::Once && ended {
            self.go_to_start();
        }
        // Computed first, because it depends on `playing`.
        let frame = self.whole_frame();
        if !self.smooth {
            self.position = frame.into();
        }
        self.playing = playing && self.clip.is_some();
        self.held = false;
        self.last_tick_secs = None;
    }

    /// Stops at the start of the range.
    pub(crate) fn stop(&mut self) {
        self.set_playing(false);
        self.backwards &= self.loop_mode != LoopMode::PingPong;
        self.position = self.range[0].into();
    }

    /// Reverses the direction.
    pub(crate) fn turn_around(&mut self) {
        let frame = self.whole_frame();
        self.backwards = !self.backwards;
        if !self.smooth {
            self.position = frame.into();
        }
    }

    /// Goes to the nearest valid frame. Playback continues from there.
    pub(crate) fn seek(&mut self, frame: f64) {
        let frame = if self.smooth { frame } else { frame.floor() };
        self.position = self.clamped(frame);
    }

    /// Goes to a frame, and holds it while the pointer or a text field edits it.
    pub(crate) fn scrub(&mut self, frame: f64) {
        self.seek(frame);
        self.hold();
    }

    /// Holds the position until the next tick.
    pub(crate) fn hold(&mut self) {
        self.held = self.playing;
    }

    /// Pauses at the previous or next whole frame.
    pub(crate) fn step(&mut self, backwards: bool) {
        self.set_playing(false);
        let last = f64::from(self.last());
        let to = if backwards {
            self.position.ceil() - 1.0
        } else {
            self.position.floor() + 1.0
        };
        let round = self.loop_mode == LoopMode::Loop;
        self.position = if to < 0.0 {
            if round { last } else { 0.0 }
        } else if to > last {
            if round { 0.0 } else { last }
        } else {
            to
        };
    }

    /// Goes to the first or last frame of the range. Running playback continues from there.
    pub(crate) fn go_to_end_of_range(&mut self, last: bool) {
        self.position = self.range[usize::from(last)].into();
        // The frame's display time starts now, regardless of the last tick.
        self.last_tick_secs = None;
    }

    fn go_to_start(&mut self) {
        self.go_to_end_of_range(self.backwards);
    }

    /// First and last frame of the playback range.
    pub(crate) fn range(&self) -> [u32; 2] {
        self.range
    }

    /// `true` if the range covers the whole clip.
    pub(crate) fn is_whole_range(&self) -> bool {
        self.range == [0, self.last()]
    }

    /// Sets the first frame of the range. The last frame moves if it would be before that.
    pub(crate) fn set_range_start(&mut self, frame: u32) {
        let first = frame.min(self.last());
        self.range = [first, self.range[1].max(first)];
    }

    /// Sets the last frame of the range. The first frame moves if it would be after that.
    pub(crate) fn set_range_end(&mut self, frame: u32) {
        let last = frame.min(self.last());
        self.range = [self.range[0].min(last), last];
    }

    /// Resets the range to the whole clip.
    pub(crate) fn reset_range(&mut self) {
        self.range = [0, self.last()];
    }

    /// Behaviour at the end of the range.
    pub(crate) fn loop_mode(&self) -> LoopMode {
        self.loop_mode
    }

    /// Sets the behaviour at the end of the range.
    pub(crate) fn set_loop_mode(&mut self, mode: LoopMode) {
        // A ping-pong on its way back continues forwards.
        if self.loop_mode == LoopMode::PingPong && self.backwards {
            self.turn_around();
        }
        self.loop_mode = mode;
    }

    /// `true` if poses between two frames are interpolated.
    pub(crate) fn is_smooth(&self) -> bool {
        self.smooth
    }

    /// Enables or disables the interpolation between frames.
    pub(crate) fn set_smooth(&mut self, smooth: bool) {
        self.position = self.whole_frame().into();
        self.smooth = smooth;
    }

    /// Frames per second; of a clip with several rates their mean.
    pub(crate) fn fps(&self) -> f64 {
        self.fps_of_file.unwrap_or(self.fps)
    }

    /// Sets the frame rate. The position stays.
    pub(crate) fn set_fps(&mut self, fps: f64) {
        if fps.is_finite() {
            let own = self.fps_of_file.as_mut().unwrap_or(&mut self.fps);
            *own = fps.clamp(*FPS.start(), *FPS.end());
            if self.transition.is_some() {
                // The transition keeps its seconds.
                self.set_transition(self.transition);
            }
        }
    }

    /// Playback speed; 1 is normal.
    pub(crate) fn speed(&self) -> f64 {
        self.speed
    }

    /// Sets the playback speed.
    pub(crate) fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
        }
    }

    /// Goes to the next or the previous speed step.
    pub(crate) fn change_speed(&mut self, faster: bool) {
        let steps = SPEED_STEPS.iter().copied();
        let next = if faster {
            steps.clone().find(|speed| *speed > self.speed + 1e-9)
        } else {
            steps.rev().find(|speed| *speed < self.speed - 1e-9)
        };
        self.speed = next.unwrap_or(self.speed);
    }

    /// Advances playback to a time in seconds. Returns the delay until the visible frame changes;
    /// `None` if it never does.
    pub(crate) fn tick(&mut self, now_secs: f64) -> Option<Duration> {
        if !self.playing {
            self.held = false;
            self.last_tick_secs = None;
            return None;
        }
        let before = self.last_tick_secs.replace(now_secs);
        if std::mem::take(&mut self.held) {
            // A released position needs one more tick before playback continues.
            return Some(Duration::from_secs_f64(1.0 / self.fps()));
        }
        self.advance(before.map_or(0.0, |before| now_secs - before));
        self.until_next_frame()
    }

    /// Time until the visible frame changes; `None` if it never does.
    fn until_next_frame(&self) -> Option<Duration> {
        let [first, last] = self.range;
        if !self.playing || first == last {
            return None;
        }
        if self.smooth {
            return Some(Duration::ZERO);
        }
        let frames = if self.backwards {
            self.position - (self.position.ceil() - 1.0)
        } else {
            self.position.floor() + 1.0 - self.position
        };
        // A zero delay would request updates continuously.
        let secs = (frames / (self.fps() * self.rate() * self.speed)).max(1.0e-4);
        Some(Duration::from_secs_f64(secs))
    }

    /// Advances playback by a duration in seconds.
    pub(crate) fn advance(&mut self, dt_secs: f64) {
        let by = dt_secs * self.fps() * self.rate() * self.speed;
        if !self.playing || !by.is_finite() || by < 0.0 {
            return;
        }
        let [first, last] = self.range.map(f64::from);
        // A seek may have left the range.
        if self.position < first || self.position >= last + 1.0 {
            self.position = if self.backwards { last } else { first };
        }
        let span = last - first;
        match self.loop_mode {
            LoopMode::Loop => {
                let by = if self.backwards { -by } else { by };
                // Rounding may produce the full length.
                let along = (self.position - first + by).rem_euclid(span + 1.0);
                self.position = first
                    + if along > span + 1.0 - 1e-9 {
                        0.0
                    } else {
                        along
                    };
            }
            LoopMode::PingPong if span == 0.0 => self.position = first,
            LoopMode::PingPong => {
                // A round trip has twice the span. Its second half is the way back.
                let along = (self.position - first).min(span);
                let along = if self.backwards {
                    2.0 * span - along
                } else {
                    along
                };
                let along = (along + by).rem_euclid(2.0 * span);
                self.backwards = along >= span;
                self.position = first
                    + if self.backwards {
                        2.0 * span - along
                    } else {
                        along
                    };
            }
            LoopMode::Once => {
                let to = if self.backwards {
                    self.position - by
                } else {
                    self.position + by
                };
                self.position = to.clamp(first, last);
                let ended = if self.backwards {
                    to <= first
                } else {
                    to >= last
                };
                if ended {
                    self.set_still();
                }
            }
        }
    }

    fn set_still(&mut self) {
        self.playing = false;
        self.last_tick_secs = None;
    }

    /// The nearest valid position.
    fn clamped(&self, position: f64) -> f64 {
        // NaN counts as 0.
        position.max(0.0).min(self.last().into())
    }
}

/// Parses a frame: a number of frames, or of seconds such as `0.5s`.
pub(crate) fn parse_frame(text: &str, fps: f64) -> Option<f64> {
    // The tolerance accepts a frame that starts slightly after the typed time.
    let of_seconds = || parse_with_unit(text, &["seconds", "secs", "sec", "s"]);
    parse_with_unit(text, &["frames", "frame", "f", ""])
        .or_else(|| of_seconds().map(|seconds| seconds * fps + 1e-6))
}

/// Parses a speed: a factor such as `0.1` or `0.1x`, or a percentage such as `50%`.
pub(crate) fn parse_speed(text: &str) -> Option<f64> {
    let speed = parse_with_unit(text, &["×", "x", ""])
        .or_else(|| parse_with_unit(text, &["%"]).map(|percent| percent / 100.0));
    speed.filter(|speed| *speed > 0.0)
}

/// Parses a finite number with one of the given units. The decimal separator is a point or a comma.
fn parse_with_unit(text: &str, units: &[&str]) -> Option<f64> {
    let text = text.trim().to_lowercase().replace(',', ".");
    units.iter().find_map(|unit| {
        let number = text.strip_suffix(unit)?.trim().parse().ok();
        number.filter(|number: &f64| number.is_finite())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transition_plays_both_clips_and_the_blend_between_them() {
        let mut player = Player::new(LoopMode::Loop, false);
        player.choose(Some((3, 40)));
        let to = |secs| Transition {
            clip: 5,
            frames: 10,
            secs,
        };
        player.set_transition(Some(to(0.25)));
        assert_eq!((player.frames(), player.range()), (40 + 6 + 10, [15, 55]));
        assert_eq!(player.frame(), 15.0);
        let at = |player: &Player, frame| {
            let it = player.playhead_at(frame);
            (
                it.clip,
                it.frame,
                it.blend.map(|blend| (blend.clip, blend.part)),
            )
        };
        assert_eq!(at(&player, 39.0), (Some(3), 39.0, None));
        // Seven steps lead from the last frame to the first one of the other clip.
        assert_eq!(at(&player, 42.5), (Some(3), 39.0, Some((5, 0.5))));
        assert_eq!(at(&player, 46.0), (Some(5), 0.0, None));
        assert_eq!(at(&player, 55.8), (Some(5), 9.0, None));
        player.set_playing(true);
        player.advance(31.5 / 24.0);
        assert_eq!(at(&player, player.frame()), (Some(5), 0.0, None));
        assert_eq!(player.clip_start(), 46.0);
        player.advance(10.0 / 24.0);
        assert_eq!(player.frame(), 15.0, "repeats from before the transition");
        player.set_fps(48.0);
        assert_eq!(player.frames(), 40 + 12 + 10);
        player.set_transition(Some(to(0.0)));
        assert_eq!(at(&player, 40.0), (Some(5), 0.0, None));
        player.set_transition(None);
        assert_eq!((player.frames(), player.range()), (40, [0, 39]));
        player.set_transition(Some(to(99.0)));
        assert_eq!(player.transition().unwrap().secs, 5.0);
        player.choose(Some((0, 3)));
        assert_eq!((player.transition(), player.frames()), (None, 3));
    }

    #[test]
    fn the_timeline_is_zoomed_around_a_frame_and_follows_the_position() {
        let mut player = Player::new(LoopMode::Loop, false);
        player.choose(Some((0, 40)));
        assert_eq!(player.window(), [0.0, 40.0]);
        player.zoom_window(10.0, 0.5);
        assert_eq!(player.window(), [5.0, 25.0]);
        player.pan_window(100.0);
        assert_eq!(player.window(), [20.0, 40.0]);
        player.pan_window(-3.0);
        player.seek(37.0);
        player.reveal_position();
        assert_eq!(player.window(), [20.0, 40.0]);
        player.seek(4.0);
        player.reveal_position();
        assert_eq!(player.window(), [4.0, 24.0]);
        player.zoom_window(4.0, 0.001);
        assert_eq!(player.window(), [4.0, 8.0]);
        player.zoom_window(6.0, f64::INFINITY);
        player.zoom_window(6.0, 1000.0);
        assert_eq!(player.window(), [0.0, 40.0]);
    }

    #[test]
    fn speeds_and_frames_are_typed_with_and_without_units() {
        for (text, speed) in [
            ("0.1", Some(0.1)),
            ("0.1x", Some(0.1)),
            (" 2 × ", Some(2.0)),
            ("50%", Some(0.5)),
            ("0,25", Some(0.25)),
            ("fast", None),
            ("0", None),
            ("-1x", None),
            ("%", None),
        ] {
            assert_eq!(parse_speed(text), speed, "{text}");
        }
        for (text, frame) in [("3f", Some(3.0)), ("3 frames", Some(3.0)), ("3g", None)] {
            assert_eq!(parse_frame(text, 24.0), frame, "{text}");
        }
    }

    /// A player with a clip of ten frames.
    fn player(loop_mode: LoopMode) -> Player {
        let mut player = Player::new(loop_mode, false);
        player.choose(Some((3, 10)));
        player.set_playing(true);
        player
    }

    /// The visible frames at half-frame intervals.
    fn shown(player: &mut Player, half_frames: usize) -> Vec<f64> {
        let mut frames = Vec::new();
        for _ in 0..half_frames {
            frames.push(player.frame());
            player.advance(0.5 / 24.0);
        }
        frames
    }

    /// Repeats each number twice.
    fn twice(frames: &[u32]) -> Vec<f64> {
        let both = |frame: &u32| [f64::from(*frame); 2];
        frames.iter().flat_map(both).collect()
    }

    #[test]
    fn a_loop_shows_every_frame_equally_long_and_begins_again() {
        let mut player = player(LoopMode::Loop);
        player.set_range_start(2);
        player.set_range_end(4);
        player.stop();
        player.set_playing(true);
        assert_eq!(shown(&mut player, 10), twice(&[2, 3, 4, 2, 3]));
        player.stop();
        player.turn_around();
        player.set_playing(true);
        assert_eq!(shown(&mut player, 14), twice(&[2, 4, 3, 2, 4, 3, 2]));
    }

    #[test]
    fn ping_pong_turns_at_both_ends_and_shows_the_ends_once() {
        let mut player = player(LoopMode::PingPong);
        player.set_range_end(3);
        let there_and_back = [0, 1, 2, 3, 2, 1, 0, 1, 2];
        assert_eq!(shown(&mut player, 18), twice(&there_and_back));
        player.advance(1000.0);
        assert!((0.0..=3.0).contains(&player.position), "{player:?}");
    }

    #[test]
    fn once_stops_at_the_end_and_begins_again_when_asked() {
        let mut player = player(LoopMode::Once);
        player.advance(60.0);
        assert_eq!((player.frame(), player.is_playing()), (9.0, false));
        player.set_playing(true);
        assert_eq!((player.frame(), player.is_playing()), (0.0, true));
        player.turn_around();
        player.seek(4.0);
        player.advance(60.0);
        assert_eq!((player.frame(), player.is_playing()), (0.0, false));
    }

    #[test]
    fn a_long_pause_ends_where_it_would_have_without_one() {
        for mode in [LoopMode::Loop, LoopMode::PingPong] {
            let mut at_once = player(mode);
            let mut by_and_by = player(mode);
            at_once.advance(12.0);
            for _ in 0..1200 {
                by_and_by.advance(0.01);
            }
            let apart = (at_once.position - by_and_by.position).abs();
            assert!(apart < 1e-6, "{mode:?}: {at_once:?} {by_and_by:?}");
        }
    }

    #[test]
    fn speed_and_frames_a_second_multiply_and_are_kept_within_bounds() {
        let mut player = player(LoopMode::Loop);
        player.set_fps(10.0);
        player.set_speed(2.0);
        player.advance(0.25);
        assert_eq!(player.frame(), 5.0);
        player.set_fps(60.0);
        assert_eq!(player.frame(), 5.0, "another number of frames keeps it");
        player.set_fps(1e9);
        player.set_speed(1e9);
        assert_eq!((player.fps(), player.speed()), (240.0, 4.0));
        player.set_fps(0.0);
        player.set_speed(-3.0);
        assert_eq!((player.fps(), player.speed()), (1.0, 0.05));
        player.set_speed(f64::NAN);
        assert_eq!(player.speed(), 0.05);
        for _ in 0..20 {
            player.change_speed(true);
        }
        assert_eq!(player.speed(), 4.0);
        player.change_speed(false);
        assert_eq!(player.speed(), 2.0);
    }

    #[test]
    fn it_is_told_the_time_only_when_there_is_another_picture() {
        let mut player = player(LoopMode::Loop);
        let close = |a: Option<Duration>, secs: f64| {
            let a = a.unwrap().as_secs_f64();
            assert!((a - secs).abs() < 1e-6, "{a} is not {secs}");
        };
        close(player.tick(100.0), 1.0 / 24.0);
        close(player.tick(100.0 + 0.25 / 24.0), 0.75 / 24.0);
        assert_eq!(player.frame(), 0.0);
        player.tick(100.0 + 1.01 / 24.0);
        assert_eq!(player.frame(), 1.0);
        player.set_smooth(true);
        assert_eq!(player.tick(100.1), Some(Duration::ZERO));
        player.set_playing(false);
        assert_eq!(player.tick(200.0), None);
        // The pause does not count.
        player.set_playing(true);
        let before = player.frame();
        player.tick(300.0);
        assert_eq!(player.frame(), before);
        player.choose(Some((0, 10)));
        player.tick(300.5);
        assert_eq!(
            player.frame(),
            0.0,
            "another clip begins with its first frame"
        );
        player.set_range_start(5);
        player.set_range_end(5);
        assert_eq!(player.tick(301.0), None, "one frame is a still picture");
    }

    #[test]
    fn it_stands_still_while_it_is_held_and_goes_on_after() {
        let mut player = player(LoopMode::Loop);
        player.tick(0.0);
        player.scrub(7.9);
        for now in 1..5 {
            assert!(player.tick(now.into()).is_some());
            player.scrub(7.9);
            assert_eq!(player.frame(), 7.0);
        }
        player.tick(5.0);
        assert_eq!((player.frame(), player.is_playing()), (7.0, true));
        player.tick(5.0 + 1.5 / 24.0);
        assert_eq!(player.frame(), 8.0);
    }

    #[test]
    fn steps_go_round_only_in_a_loop() {
        let mut player = player(LoopMode::Loop);
        player.step(true);
        assert_eq!((player.frame(), player.is_playing()), (9.0, false));
        player.step(false);
        assert_eq!(player.frame(), 0.0);
        player.set_loop_mode(LoopMode::Once);
        player.step(true);
        assert_eq!(player.frame(), 0.0);
        player.set_smooth(true);
        player.seek(4.25);
        player.step(true);
        assert_eq!(player.frame(), 4.0);
        player.seek(4.25);
        player.step(false);
        assert_eq!(player.frame(), 5.0);
    }

    #[test]
    fn smooth_playing_leads_from_the_last_frame_to_the_first_only_in_the_whole_clip() {
        let mut player = player(LoopMode::Loop);
        player.set_smooth(true);
        player.seek(9.0);
        player.advance(0.5 / 24.0);
        assert_eq!(player.playhead().between(10), Some(([9, 0], 0.5)));
        player.set_range_end(5);
        player.seek(5.0);
        player.advance(0.5 / 24.0);
        assert_eq!(player.playhead().between(10), Some(([5, 6], 0.0)));
    }

    #[test]
    fn a_range_has_a_first_frame_that_is_not_after_its_last() {
        let mut player = player(LoopMode::Loop);
        player.set_range_start(6);
        player.set_range_end(3);
        assert_eq!(player.range(), [3, 3]);
        player.set_range_start(99);
        assert_eq!(player.range(), [9, 9]);
        player.reset_range();
        assert!(player.is_whole_range());
        player.set_range_start(4);
        player.seek(1.0);
        player.advance(0.0);
        assert_eq!(player.frame(), 4.0, "it plays what is in the range");
    }

    #[test]
    fn a_clip_that_is_read_again_keeps_its_moment() {
        let mut player = player(LoopMode::Loop);
        player.seek(8.0);
        player.replace(1, 20);
        assert_eq!((player.frame(), player.range()), (8.0, [0, 19]));
        player.set_range_start(6);
        player.replace(1, 5);
        assert_eq!((player.frame(), player.range()), (4.0, [4, 4]));
        assert!(player.is_playing());
        player.choose(None);
        assert_eq!(player.playhead(), Playhead::default());
        assert!(!player.is_playing());
    }

    #[test]
    fn a_clip_without_frames_does_no_harm() {
        let mut player = Player::new(LoopMode::PingPong, true);
        player.choose(Some((0, 0)));
        player.set_playing(true);
        assert_eq!(player.tick(1.0), None);
        player.advance(5.0);
        player.step(true);
        player.step(false);
        player.seek(f64::NAN);
        player.seek(1e300);
        assert_eq!(player.frame(), 0.0);
    }

    #[test]
    fn a_clip_with_rates_of_its_own_plays_each_run_at_its_rate() {
        let mut player = Player::new(LoopMode::Loop, true);
        player.choose(Some((0, 30)));
        player.set_rates(&[(10, 20.0), (30, 40.0)]);
        assert_eq!(player.fps(), 30.0);
        player.set_playing(true);
        let position_after = |player: &mut Player, secs: f64| {
            for _ in 0..100 {
                player.advance(secs / 100.0);
            }
            player.frame()
        };
        assert!((position_after(&mut player, 0.45) - 9.0).abs() < 1e-9);
        // A step across the border keeps the rate of its beginning.
        assert!((position_after(&mut player, 0.525) - 29.0).abs() < 0.15);
        // The user's rate is that of the whole clip, and ends with it.
        player.go_to_end_of_range(false);
        player.set_fps(60.0);
        assert!((position_after(&mut player, 0.225) - 9.0).abs() < 1e-9);
        player.set_rates(&[]);
        assert_eq!(player.fps(), DEFAULT_FPS);
    }

    #[test]
    fn frames_and_seconds_can_be_typed() {
        for (text, frame) in [
            ("12", Some(12.0)),
            (" 3.5 ", Some(3.5)),
            ("0.5s", Some(12.0)),
            ("0,25 Sec", Some(6.0)),
            ("2 seconds", Some(48.0)),
            ("s", None),
            ("inf", None),
            ("frame", None),
            ("", None),
        ] {
            let parsed = parse_frame(text, 24.0);
            let near = parsed.zip(frame).is_none_or(|(a, b)| (a - b).abs() < 1e-3);
            assert!(
                parsed.is_some() == frame.is_some() && near,
                "{text}: {parsed:?}"
            );
        }
    }
}
