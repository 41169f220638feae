//! Measures the GPU time of passes with timestamps.
//!
//! Only whole passes are timed: tile-based adapters, including software adapters, finish nothing
//! before the end of a pass.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use super::Gpu;

/// Maximum number of timed passes of a frame.
const MAX_PASSES: usize = 8;
/// Bytes of the two timestamps of a pass.
const BYTES_PER_PASS: u64 = 2 * wgpu::QUERY_SIZE as u64;

/// A timed pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedPass {
    /// The reflection in water.
    Reflection,
    /// The shadow map, if it is stale.
    ShadowMap,
    /// The frame itself.
    Frame,
}

impl TimedPass {
    /// All passes, in drawing order.
    pub const ALL: [Self; 3] = [Self::Reflection, Self::ShadowMap, Self::Frame];

    /// Its key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Reflection => "reflection",
            Self::ShadowMap => "shadow_map",
            Self::Frame => "frame",
        }
    }

    /// Its name in the user interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reflection => "reflection",
            Self::ShadowMap => "shadow map",
            Self::Frame => "frame",
        }
    }
}

/// GPU times of the passes of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassTimes([Option<Duration>; TimedPass::ALL.len()]);

impl PassTimes {
    /// The time of a pass; `None` if it was not drawn.
    pub fn of(&self, pass: TimedPass) -> Option<Duration> {
        self.0[pass as usize]
    }

    /// The sum of all passes.
    pub fn sum(&self) -> Duration {
        self.0.iter().flatten().sum()
    }

    /// Adds time to a pass.
    #[must_use]
    pub fn with(mut self, pass: TimedPass, time: Duration) -> Self {
        *self.0[pass as usize].get_or_insert_default() += time;
        self
    }
}

/// Measures one frame at a time: the next one after the times of the last were taken.
#[derive(Debug)]
pub(crate) struct PassTimer {
    is_on: bool,
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    /// The timed passes, in drawing order.
    passes: Vec<TimedPass>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Passes can be timed.
    Recording,
    /// All commands of the frame are recorded.
    Recorded,
    /// The frame was submitted, and its timestamps are being read back.
    Mapping(Receiver<Result<(), wgpu::BufferAsyncError>>),
}

impl PassTimer {
    /// Switches timing on or off. The timer is created on demand, because mapping memory for the
    /// CPU takes some drivers 20 ms, which would delay the first frame. Without timestamp support
    /// it stays `None`.
    pub(crate) fn set_on(timer: &mut Option<Self>, gpu: &Gpu, is_on: bool) {
        if is_on && timer.is_none() {
            *timer = Self::new(gpu);
        }
        if let Some(timer) = timer {
            timer.is_on = is_on;
        }
    }

    fn new(gpu: &Gpu) -> Option<Self> {
        if !gpu.has_timestamps() {
            return None;
        }
        let buffer = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: MAX_PASSES as u64 * BYTES_PER_PASS,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            is_on: false,
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MAX_PASSES as u32,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
            passes: Vec::new(),
            state: State::Recording,
        })
    }

    /// `true` if the times of a frame are pending.
    pub(crate) fn is_pending(&self) -> bool {
        !matches!(self.state, State::Recording)
    }

    /// The timestamps of a pass that begins; `None` if it is not timed.
    pub(crate) fn begin(&mut self, pass: TimedPass) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let is_recording = matches!(self.state, State::Recording);
        if !self.is_on || !is_recording || self.passes.len() >= MAX_PASSES {
            return None;
        }
        let first = 2 * self.passes.len() as u32;
        self.passes.push(pass);
        Some(wgpu::RenderPassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Ends the frame, after its last pass.
    pub(crate) fn end_frame(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let count = self.passes.len();
        if count == 0 || !matches!(self.state, State::Recording) {
            return;
        }
        let bytes = count as u64 * BYTES_PER_PASS;
        encoder.resolve_query_set(&self.queries, 0..2 * count as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, bytes);
        self.state = State::Recorded;
    }

    /// Takes the times of the last frame, once. `None` until the GPU has finished; does not wait.
    pub(crate) fn take(&mut self, gpu: &Gpu) -> Option<PassTimes> {
        if matches!(self.state, State::Recorded) {
            let (sender, receiver) = channel();
            self.readable
                .map_async(wgpu::MapMode::Read, .., move |result| {
                    // The receiver is gone only if the device is.
                    let _gone = sender.send(result);
                });
            self.state = State::Mapping(receiver);
        }
        let State::Mapping(receiver) = &self.state else {
            return None;
        };
        if let Err(error) = gpu.device.poll(wgpu::PollType::Poll) {
            log::warn!("timestamps: {error}");
        }
        let outcome = match receiver.try_recv() {
            Err(TryRecvError::Empty) => return None,
            outcome => outcome,
        };
        let passes = std::mem::take(&mut self.passes);
        self.state = State::Recording;
        // The device was lost.
        let Ok(Ok(())) = outcome else { return None };
        let mapped = self.readable.get_mapped_range(..).ok()?;
        let ns_per_tick = f64::from(gpu.queue.get_timestamp_period());
        let times = times(&passes, &mapped, ns_per_tick);
        drop(mapped);
        self.readable.unmap();
        Some(times)
    }
}

/// Computes the times of passes from their timestamps: two of 8 bytes each.
fn times(passes: &[TimedPass], timestamps: &[u8], ns_per_tick: f64) -> PassTimes {
    let (timestamps, _) = timestamps.as_chunks::<8>();
    let ticks: Vec<u64> = timestamps.iter().copied().map(u64::from_le_bytes).collect();
    let (pairs, _) = ticks.as_chunks::<2>();
    let times = passes.iter().zip(pairs);
    times.fold(PassTimes::default(), |times, (pass, [begin, end])| {
        // The clocks of some drivers occasionally go back.
        let ns = end.saturating_sub(*begin) as f64 * ns_per_tick;
        times.with(*pass, Duration::from_nanos(ns as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::View;
    use crate::gpu::Target;
    use crate::renderer::Renderer;
    use mapscope_scene::camera::{Camera, NamedView};
    use mapscope_scene::demo;

    #[test]
    fn passes_of_a_kind_are_summed_and_clocks_that_go_back_count_nothing() {
        let passes = [TimedPass::ShadowMap, TimedPass::ShadowMap, TimedPass::Frame];
        let ticks: [u64; 6] = [100, 110, 200, 205, 400, 399];
        let bytes: Vec<u8> = ticks.into_iter().flat_map(u64::to_le_bytes).collect();
        let times = times(&passes, &bytes, 2.0);
        assert_eq!(
            times.of(TimedPass::ShadowMap),
            Some(Duration::from_nanos(30))
        );
        assert_eq!(times.of(TimedPass::Frame), Some(Duration::ZERO));
        assert_eq!(times.of(TimedPass::Reflection), None);
        assert_eq!(times.sum(), Duration::from_nanos(30));
    }

    #[test]
    fn only_frames_that_are_timed_have_times_and_only_passes_that_are_drawn() {
        let gpu = Gpu::headless(None).unwrap();
        assert!(gpu.has_timestamps(), "{}", gpu.adapter_name());
        let source = demo::HAMLET.source();
        let document = mapscope_scene::open(&source, &Default::default(), &Default::default());
        let document = &*document.unwrap();
        let about = document.about();
        let camera = Camera::framing(about.bounds, NamedView::Iso, about.handedness, 1.0);
        let view = View::plain(camera);
        let target = Target::new(&gpu, [64, 64]);
        let mut renderer = Renderer::new(&gpu);
        let mut scene = renderer.upload_without_deferred(&gpu, document).unwrap();
        renderer.set_ground_reflection(false);
        let mut draw = |is_timed: bool| {
            renderer.set_pass_timing(&gpu, is_timed);
            renderer.draw_and_wait(&gpu, &target, Some((&mut scene, document)), &view);
            assert_eq!(renderer.has_pending_pass_times(), is_timed);
            renderer.pass_times(&gpu)
        };
        let mut passes = || {
            let times = draw(true).unwrap();
            TimedPass::ALL.map(|pass| times.of(pass).is_some())
        };
        // The shadow map is not stale.
        assert_eq!(
            [passes(), passes()],
            [[false, true, true], [false, false, true]]
        );
        assert_eq!(draw(false), None);
        assert!(draw(true).unwrap().sum() > Duration::ZERO);
        renderer.set_ground_reflection(true);
        renderer.set_pass_timing(&gpu, true);
        renderer.draw_and_wait(&gpu, &target, Some((&mut scene, document)), &view);
        let times = renderer.pass_times(&gpu).unwrap();
        assert!(times.of(TimedPass::Reflection).is_some());
    }
}
