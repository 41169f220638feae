//! `mapscope bench`: measures how fast a file opens and draws, relative to baselines of the device.

mod machine;
mod plot;
#[cfg(feature = "window")]
mod reload;
mod suite;

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use glam::{Affine3A, Vec3};

use super::cli::{BenchArgs, GraphicsArgs, display_name};
use super::headless::{self, Headless, view_of};
use super::json::{
    BenchOutput, FloorTimes, FrameTimes, GpuTimes, NamedViewOutput, OpenTimes, PaletteTimes,
    Ratios, ShadowMapOutput, StartTimes, ViewOutput,
};
use super::output::{self, Paint, Stdout};
use super::{CommandError, Status, source};
use mapscope_formats::Format;
use mapscope_render::{
    DrawStatistics, Floor, Gpu, GpuOptions, PassTimes, Renderer, Samples, SceneData, Target,
    TimedPass, View,
};
use mapscope_scene::camera::{NamedView, Pose};
use mapscope_scene::model::Model;
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Aabb, Animation, Document, OpenOptions, Playhead, Ray, Shown};

/// Number of frames drawn before measuring: the first ones compile shaders and warm caches.
const WARM_UP_FRAMES: u32 = 5;
/// Maximum number of frames whose GPU pass times are queried.
const GPU_FRAMES: u32 = 20;
/// Number of copies of the file's bytes to time.
const COPIES: u32 = 3;
/// Maximum number of bytes per copy: more than memory allocators cache.
const MAX_COPIED_BYTES: u64 = 64 << 20;
/// Stages before the first frame.
const START: [&str; 3] = ["file open", "device ready", "uploaded"];
/// Height of a flight above the ground in world units: about two men on a tile of 8 by 8.
const FLIGHT_HEIGHT: f32 = 14.0;
/// Distance to the point that a flight looks at, in world units.
const LOOK_AHEAD: f32 = 120.0;

/// The report of a measurement; all times were measured in this run.
#[derive(Debug)]
struct Report<'a> {
    args: &'a BenchArgs,
    file: &'a Path,
    format: &'static Format,
    size: [u32; 2],
    /// Total size of the file and of those it references.
    bytes: u64,
    read: Duration,
    parse: Duration,
    build: Duration,
    upload: Duration,
    /// Times from process start until the file was open, the device was ready, and the initial
    /// content was uploaded.
    start: [Duration; START.len()],
    /// Time from process start to the first frame.
    first_frame: Duration,
    /// Time from process start to a frame with all content, if some was loaded after the first
    /// frame.
    complete: Option<Duration>,
    /// Time to copy the bytes of the file.
    copy: Duration,
    /// Time to open a device and draw an empty frame.
    empty_frame: Duration,
    /// The requested view, or all views with `--all-views`.
    views: Vec<Measured>,
    samples: Samples,
    target_bytes: u64,
    gpu_bytes: u64,
    cpu_bytes: u64,
    /// Peak memory of the process until it had drawn a frame with all content.
    peak_bytes: Option<u64>,
    adapter: String,
}

/// Measurements of one view.
#[derive(Debug, Default)]
struct Measured {
    /// Its name; empty for the requested view.
    name: &'static str,
    frame: Times,
    /// Times to create and upload the palettes of a crowd.
    palettes: Times,
    clear: Times,
    textured_quad: Times,
    /// GPU times of passes, in the order of [`TimedPass::ALL`]. That of the textured quad is in
    /// `quad_pass`.
    passes: [Times; TimedPass::ALL.len()],
    quad_pass: Times,
    drawn: DrawStatistics,
}

/// Measures a file or the suite, or plots the report of a suite.
pub(super) fn run(
    mut args: BenchArgs,
    options: &OpenOptions,
    graphics: GraphicsArgs,
    started: Instant,
) -> Result<Status, CommandError> {
    match (args.file.take(), args.plot.take(), args.output.take()) {
        (Some(mut file), ..) => {
            #[cfg(feature = "window")]
            if let Some(version) = &args.reload {
                return reload::run(&args, &file, version, options);
            }
            #[cfg(not(feature = "window"))]
            if args.reload.is_some() {
                return Err(CommandError::NotBuilt {
                    what: "the window",
                    feature: "window",
                });
            }
            let request = &args.image.request;
            let options = source::with_entities(&mut file, request, options)?;
            measure_file(&args, &file, &options, graphics.into(), started)
        }
        (None, Some(report), Some(folder)) => plot::run(&report, &folder),
        (None, None, Some(report)) => suite::run(&args, &report, graphics),
        // clap ensures that one of them is given.
        (None, _, None) => Err(CommandError::Argument("expected --output".to_owned())),
    }
}

/// The state with which frames are drawn during a measurement.
struct Bench<'a> {
    headless: &'a Headless,
    target: &'a Target,
    renderer: Renderer,
    scene: SceneData,
    document: &'a dyn Document,
    crowd: Option<Crowd>,
    /// Number of frames of the playing clip, if any.
    clip_frames: Option<u32>,
}

impl Bench<'_> {
    /// Draws one frame. Returns the time for the palettes, the time for the whole frame, and the
    /// draw statistics.
    fn draw(
        &mut self,
        view: &mut View,
        number: u32,
    ) -> Result<(Duration, Duration, DrawStatistics), CommandError> {
        let (gpu, target) = (&self.headless.gpu, self.target);
        let begun = Instant::now();
        if let Some(frames) = self.clip_frames {
            view.shown.playhead.frame = (number % frames) as f32;
        }
        let document: &dyn Document = match &mut self.crowd {
            Some(crowd) => {
                // Each instance is one frame ahead of the previous one.
                for (instance, number) in crowd.instances.iter_mut().zip(number..) {
                    let frame = self.clip_frames.map(|frames| (number % frames) as f32);
                    instance.playhead = view.shown.playhead;
                    instance.playhead.frame = frame.unwrap_or(instance.playhead.frame);
                }
                self.renderer
                    .prepare(gpu, &mut self.scene, crowd, view, target.size);
                crowd
            }
            None => self.document,
        };
        let palettes = begun.elapsed();
        let mut drawn = DrawStatistics::default();
        let time = self.headless.time(|encoder| {
            let scene = Some((&mut self.scene, document));
            drawn = self.renderer.draw(gpu, encoder, target, scene, view);
        })?;
        Ok((palettes, palettes + time, drawn))
    }

    /// Draws a frame and reads it back to the CPU.
    fn draw_and_read(&mut self, view: &mut View) -> Result<(), CommandError> {
        self.draw(view, 0)?;
        let read = self.target.read_back(&self.headless.gpu);
        read.map(|_image| ()).map_err(CommandError::Device)
    }

    /// Measures frames of a view.
    fn measure(
        &mut self,
        name: &'static str,
        view: &mut View,
        args: &BenchArgs,
        floor: &mut Floor,
    ) -> Result<Measured, CommandError> {
        let (headless, target) = (self.headless, self.target);
        let gpu = &headless.gpu;
        let clear = || headless.time(|encoder| Floor::clear(encoder, target));
        let mut measured = Measured {
            name,
            ..Measured::default()
        };
        self.renderer.prefetch_pipelines(gpu, &self.scene);
        self.renderer.wait_for_pipelines();
        // Query GPU times separately, since the queries would slow down the timed frames.
        self.renderer.set_pass_timing(gpu, true);
        floor.set_pass_timing(gpu, true);
        for number in 0..WARM_UP_FRAMES.max(args.frames().min(GPU_FRAMES)) {
            self.draw(view, number)?;
            measured.add_passes(self.renderer.pass_times(gpu));
            clear()?;
            headless.time(|encoder| floor.textured_quad(encoder, target))?;
            let quad = floor.pass_times(gpu);
            let quad = quad.and_then(|times| times.of(TimedPass::Frame));
            measured.quad_pass.0.extend(quad);
        }
        self.renderer.set_pass_timing(gpu, false);
        floor.set_pass_timing(gpu, false);
        // Interleave the three measurements, so that other load on the machine affects all alike.
        for frame in 0..args.frames() {
            if args.fly {
                view.camera.pose = flight(self.document, frame as f32 / args.frames() as f32);
            }
            if view.shown.flat {
                pan(view, self.document, target.size);
            }
            let (palettes, whole, drawn) = self.draw(view, frame)?;
            measured.drawn = drawn;
            measured.frame.0.push(whole);
            measured.palettes.0.push(palettes);
            measured.clear.0.push(clear()?);
            let quad = headless.time(|encoder| floor.textured_quad(encoder, target))?;
            measured.textured_quad.0.push(quad);
        }
        Ok(measured.sorted())
    }
}

/// Opens and draws a file and reports the times.
fn measure_file(
    args: &BenchArgs,
    file: &Path,
    options: &OpenOptions,
    request: GpuOptions,
    started: Instant,
) -> Result<Status, CommandError> {
    let (opened, headless) = headless::open(file, options, &args.image, request, false)?;
    let crowd = match args.instances {
        Some(count) => Some(crowd_of(&opened.document, count)?),
        None => None,
    };
    let document = &*opened.document;
    let gpu = &headless.gpu;
    let target = &headless.target(args.image.size())?;
    let mut view = view_of(&args.image, document, target.aspect())?;
    if args.fly {
        view.camera.pose = flight(document, 0.0);
    }
    let clip = view.shown.playhead.clip;
    let clips = document.animation().map_or(&[][..], Animation::clips);
    let clip = clip.and_then(|clip| clips.get(clip));
    let plays = clip.filter(|_| args.image.request.frame.is_none());
    if let Some(crowd) = &crowd
        && args.image.request.camera.is_none()
    {
        view.camera.frame(bounds_of(crowd), target.aspect());
    }

    let renderer = Renderer::new(gpu);
    let begun = Instant::now();
    let scene = renderer.upload_without_deferred(gpu, document)?;
    gpu.queue.submit([]);
    headless.wait()?;
    let upload = begun.elapsed();
    let start = [opened.finished_at, headless.ready_at, Instant::now()];
    let start = start.map(|at| at.duration_since(started));

    let mut bench = Bench {
        headless: &headless,
        target,
        renderer,
        scene,
        document,
        crowd,
        clip_frames: plays.map(|clip| clip.frames.max(1)),
    };
    bench.draw_and_read(&mut view)?;
    let first_frame = started.elapsed();
    // As in the window, some content may be loaded after the first frame.
    let before = document.revision();
    document.wait_until_complete();
    let mut complete = None;
    if document.revision() != before {
        bench.draw_and_read(&mut view)?;
        complete = Some(started.elapsed());
    }
    let peak_bytes = machine::peak_bytes();

    let mut floor = Floor::new(gpu);
    let mut views = Vec::new();
    if args.all_views {
        let flat = document.layers().map(|_| NamedView::Flat);
        for named in NamedView::ALL.into_iter().chain(flat) {
            let mut image = args.image.clone();
            image.request.view = Some(named);
            let mut view = view_of(&image, document, target.aspect())?;
            views.push(bench.measure(named.name(), &mut view, args, &mut floor)?);
        }
    } else {
        views.push(bench.measure("", &mut view, args, &mut floor)?);
    }
    let named = document.about().dependencies.iter();
    let named = named.filter_map(|path| Some(std::fs::metadata(path).ok()?.len()));
    let bytes = opened.bytes.len() as u64 + opened.embedded_bytes + named.sum::<u64>();
    let report = Report {
        args,
        file,
        format: document.about().format,
        size: target.size,
        bytes,
        read: opened.read_time,
        parse: opened.parse_time,
        build: opened.build_time,
        upload,
        start,
        first_frame,
        complete,
        copy: time_of_copy(bytes),
        empty_frame: time_of_empty_frame(request, target.size)?,
        views,
        samples: gpu.samples,
        target_bytes: target.gpu_bytes(),
        gpu_bytes: bench.scene.gpu_bytes(),
        cpu_bytes: document.cpu_bytes(),
        peak_bytes,
        adapter: gpu.adapter_name(),
    };
    let mut out = Stdout::lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report.output()).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        let paint = out.paint();
        report.write_text(&mut out, paint)?;
    }
    out.flush()?;
    let problems = &document.about().problems;
    output::note_problems(file, problems);
    Ok(Status::of(problems))
}

/// Median time of a copy of `bytes` bytes to new memory. Large sizes are extrapolated from a
/// smaller copy: a map of gigabytes leaves no memory for a second one.
fn time_of_copy(bytes: u64) -> Duration {
    let copied = bytes.clamp(1, MAX_COPIED_BYTES);
    let time = time_of_whole_copy(copied);
    time.mul_f64(bytes as f64 / copied as f64)
}

fn time_of_whole_copy(bytes: u64) -> Duration {
    let bytes = vec![1_u8; bytes as usize];
    // Keep all copies until the end, so that none reuses the memory of another.
    let copies = (0..COPIES).map(|_| {
        let begun = Instant::now();
        let copy = std::hint::black_box(&bytes[..]).to_vec();
        (begun.elapsed(), std::hint::black_box(copy))
    });
    let copies: Vec<(Duration, Vec<u8>)> = copies.collect();
    let times = copies.iter().map(|(time, _)| *time);
    Times(times.collect()).sorted().median()
}

/// Time to open a device, clear a frame of this size and read it back.
fn time_of_empty_frame(request: GpuOptions, size: [u32; 2]) -> Result<Duration, CommandError> {
    let begun = Instant::now();
    let headless = Headless::new(Gpu::requested(request)?);
    let target = headless.target(size)?;
    headless.time(|encoder| Floor::clear(encoder, &target))?;
    let read = target.read_back(&headless.gpu);
    read.map_err(CommandError::Device)?;
    Ok(begun.elapsed())
}

/// Pans a flat map by whole pixels, as dragging does.
fn pan(view: &mut View, document: &dyn Document, size: [u32; 2]) {
    let way = Vec3::new(3.0, 0.0, 1.0);
    let pose = &mut view.camera.pose;
    pose.eye += way;
    pose.target += way;
    let window = FlatWindow::of(&view.camera, size);
    if let (Some(window), Some(layers)) = (window, document.layers()) {
        view.shown.flat_camera_px = window.camera_on_map_px(layers.flat_size(), size);
    }
}

impl Measured {
    fn add_passes(&mut self, times: Option<PassTimes>) {
        let times = times.unwrap_or_default();
        for (samples, pass) in self.passes.iter_mut().zip(TimedPass::ALL) {
            samples.0.extend(times.of(pass));
        }
    }

    /// Sorts the times of each series.
    fn sorted(self) -> Self {
        Self {
            frame: self.frame.sorted(),
            palettes: self.palettes.sorted(),
            clear: self.clear.sorted(),
            textured_quad: self.textured_quad.sorted(),
            passes: self.passes.map(Times::sorted),
            quad_pass: self.quad_pass.sorted(),
            ..self
        }
    }

    /// GPU times of each pass that was drawn; `None` if the adapter does not report times.
    fn gpu_ms(&self) -> Option<GpuTimes> {
        let median = |times: &Times| (!times.0.is_empty()).then(|| millis(times.median()));
        let pass = |pass| {
            let index = TimedPass::ALL.iter().position(|of| *of == pass)?;
            median(self.passes.get(index)?)
        };
        let times = GpuTimes {
            reflection: pass(TimedPass::Reflection),
            shadow_map: pass(TimedPass::ShadowMap),
            frame: pass(TimedPass::Frame),
            textured_quad: median(&self.quad_pass),
        };
        times.frame.is_some().then_some(times)
    }

    /// The figures that every view has.
    fn output(&self) -> ViewOutput {
        let [min, median, max] = self.frame.ms();
        let [clear, textured_quad] = [&self.clear, &self.textured_quad].map(|it| it.ms()[1]);
        ViewOutput {
            frame_ms: FrameTimes { median, min, max },
            floor_ms: FloorTimes {
                clear,
                textured_quad,
                copy: None,
                empty_frame: None,
            },
            gpu_ms: self.gpu_ms(),
            triangles: self.drawn.triangles,
            draw_calls: self.drawn.draw_calls,
            shadow_map: ShadowMapOutput {
                draw_calls: self.drawn.shadow_draw_calls,
                triangles: self.drawn.shadow_triangles,
            },
        }
    }
}

impl Headless {
    /// Measures the time from the start of recording until the device is idle again.
    fn time(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<Duration, CommandError> {
        let begun = Instant::now();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        self.gpu.queue.submit([encoder.finish()]);
        self.wait()?;
        Ok(begun.elapsed())
    }
}

/// Times of many frames, in ascending order once they are sorted.
#[derive(Debug, Default)]
struct Times(Vec<Duration>);

impl Times {
    fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }

    /// The median, once they are sorted; 0 if empty.
    fn median(&self) -> Duration {
        self.0.get(self.0.len() / 2).copied().unwrap_or_default()
    }

    /// Minimum, median and maximum in milliseconds.
    fn ms(&self) -> [f64; 3] {
        let at = |at: usize| millis(self.0.get(at).copied().unwrap_or_default());
        [
            at(0),
            at(self.0.len() / 2),
            at(self.0.len().saturating_sub(1)),
        ]
    }
}

/// Milliseconds, rounded to the microsecond.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// The figures of a report as multiples of its baselines. Missing figures have no ratio.
fn ratios(report: &BenchOutput) -> Ratios {
    let of = |value: f64, floor: Option<f64>| {
        let ratio = value / floor.filter(|floor| *floor > 0.0)?;
        Some((ratio * 1e3).round() / 1e3)
    };
    let (open, view) = (&report.open_ms, &report.view);
    let copy = view.floor_ms.copy;
    let gpu = view.gpu_ms.as_ref();
    let quad_on_gpu = gpu.and_then(|times| times.textured_quad);
    let memory = (report.cpu_bytes + report.gpu_bytes) as f64;
    Ratios {
        read: of(open.read, copy),
        parse: of(open.parse, copy),
        build: of(open.build, copy),
        upload: of(open.upload, copy),
        first_frame: of(report.first_frame_ms, view.floor_ms.empty_frame),
        frame: of(view.frame_ms.median, Some(view.floor_ms.textured_quad)),
        frame_on_gpu: gpu.and_then(|times| of(times.frame?, quad_on_gpu)),
        memory: of(memory, Some(report.bytes as f64)),
    }
}

impl Report<'_> {
    /// The first view, whose figures are the top-level keys.
    fn view(&self) -> &Measured {
        static NONE: LazyLock<Measured> = LazyLock::new(Measured::default);
        self.views.first().unwrap_or(&NONE)
    }

    /// The JSON object of the report (contract, "bench --json").
    fn output(&self) -> BenchOutput {
        let mut view = self.view().output();
        // For small files it is below a microsecond.
        view.floor_ms.copy = Some(self.copy.as_nanos() as f64 / 1e6);
        view.floor_ms.empty_frame = Some(millis(self.empty_frame));
        let [opened, device, uploaded] = self.start.map(millis);
        let instances = self.args.instances;
        let palettes = instances.map(|_| {
            let [min, median, _] = self.view().palettes.ms();
            PaletteTimes { median, min }
        });
        let named = |view: &Measured| NamedViewOutput {
            view: view.name.to_owned(),
            measured: view.output(),
        };
        let all_views = self.args.all_views;
        let mut output = BenchOutput {
            file: display_name(self.file),
            format: self.format.id.to_owned(),
            bytes: self.bytes,
            size: self.size,
            adapter: self.adapter.clone(),
            samples: self.samples.count(),
            open_ms: OpenTimes {
                read: millis(self.read),
                parse: millis(self.parse),
                build: millis(self.build),
                upload: millis(self.upload),
            },
            start_ms: StartTimes {
                opened,
                device,
                uploaded,
            },
            first_frame_ms: millis(self.first_frame),
            complete_ms: self.complete.map(millis),
            frames: self.args.frames(),
            ratios: Ratios::default(),
            view,
            views: all_views.then(|| self.views.iter().map(named).collect()),
            gpu_bytes: self.gpu_bytes,
            cpu_bytes: self.cpu_bytes,
            peak_bytes: self.peak_bytes,
            target_bytes: self.target_bytes,
            instances,
            palettes_ms: palettes,
        };
        output.ratios = ratios(&output);
        output
    }

    fn write_text(&self, out: &mut impl Write, paint: Paint) -> io::Result<()> {
        let name = display_name(self.file);
        let name = output::printable(&name);
        let ms = |time: f64| format!("{time:.2} ms");
        let [read, parse, build, upload, copy, empty_frame] = [
            self.read,
            self.parse,
            self.build,
            self.upload,
            self.copy,
            self.empty_frame,
        ]
        .map(|time| ms(millis(time)));
        let after_start = |time: Duration| format!("{} after the start", ms(millis(time)));
        let before = START.iter().zip(self.start);
        let before = before.map(|(name, time)| format!("{name} {}", ms(millis(time))));
        let before: Vec<String> = before.collect();
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
        let peak = self
            .peak_bytes
            .map(|bytes| format!(", peak {}", mib(bytes)));
        let memory = format!(
            "GPU {} and {} for the image, CPU {}{}",
            mib(self.gpu_bytes),
            mib(self.target_bytes),
            mib(self.cpu_bytes),
            peak.unwrap_or_default()
        );
        let [width, height] = self.size;
        let image = format!("{width}x{height}, {} frames", self.args.frames());
        let opened = format!("read {read}, parse {parse}, build {build}, upload {upload}");
        let floor = format!("copy of the bytes {copy}, empty first frame {empty_frame}");
        writeln!(out, "{}", paint.heading(name))?;
        let lines = [
            ("Adapter", Some(self.adapter.clone())),
            ("Image", Some(image)),
            ("Anti-aliasing", Some(self.samples.to_string())),
            ("Open", Some(opened)),
            ("First frame", Some(after_start(self.first_frame))),
            ("Startup steps", Some(before.join(", "))),
            ("Complete", self.complete.map(after_start)),
            ("Floor", Some(floor)),
            ("Memory", Some(memory)),
        ];
        write_lines(out, paint, lines)?;
        for view in &self.views {
            if !view.name.is_empty() {
                let view = format!("View {}", view.name);
                writeln!(out, "{}", paint.heading(view))?;
            }
            self.write_view(out, paint, view)?;
        }
        Ok(())
    }

    fn write_view(&self, out: &mut impl Write, paint: Paint, view: &Measured) -> io::Result<()> {
        let ms = |time: f64| format!("{time:.2} ms");
        let [min, median, max] = view.frame.ms();
        let [clear, quad] = [&view.clear, &view.textured_quad].map(|times| times.ms()[1]);
        let DrawStatistics {
            triangles,
            draw_calls,
            shadow_triangles,
            shadow_draw_calls,
        } = view.drawn;
        let frame = [median, min, max].map(ms);
        let frame = format!("median {}, min {}, max {}", frame[0], frame[1], frame[2]);
        let palettes = self.args.instances.map(|count| {
            let [min, median, _] = view.palettes.ms().map(ms);
            format!("median {median}, min {min} for {count} models")
        });
        let names = TimedPass::ALL.map(TimedPass::name).into_iter();
        let passes = names.zip(&view.passes);
        let passes = passes.chain([("textured quad", &view.quad_pass)]);
        let passes = passes.filter(|(_, times)| !times.0.is_empty());
        let passes = passes.map(|(name, times)| format!("{name} {}", ms(times.ms()[1])));
        let passes: Vec<String> = passes.collect();
        let on_gpu = if passes.is_empty() {
            "this adapter has no timestamps".to_owned()
        } else {
            passes.join(", ")
        };
        let ratio = (quad > 0.0).then(|| format!("{:.2} textured quads per frame", median / quad));
        let shadows = (shadow_draw_calls > 0)
            .then(|| format!("{shadow_triangles} triangles, {shadow_draw_calls} draw calls"));
        let floor = format!("clear {}, textured quad {}", ms(clear), ms(quad));
        let drawn = format!("{triangles} triangles, {draw_calls} draw calls");
        let lines = [
            ("Frame", Some(frame)),
            ("Palettes", palettes),
            ("Frame floor", Some(floor)),
            ("Ratio", ratio),
            ("On the GPU", Some(on_gpu)),
            ("Drawn", Some(drawn)),
            ("Shadow map", shadows),
        ];
        write_lines(out, paint, lines)
    }
}

/// Writes names and values below a heading.
fn write_lines<const N: usize>(
    out: &mut impl Write,
    paint: Paint,
    lines: [(&str, Option<String>); N],
) -> io::Result<()> {
    for (label, value) in lines {
        if let Some(value) = value {
            writeln!(out, "  {}  {value}", paint.dim(format!("{label:13}")))?;
        }
    }
    Ok(())
}

/// A crowd of many instances of a model, in rows and columns.
fn crowd_of(document: &Arc<dyn Document>, count: u32) -> Result<Crowd, CommandError> {
    if document.content::<Model>().is_none() {
        let text = "--instances needs a model".to_owned();
        return Err(CommandError::Argument(text));
    }
    let bounds = document.about().bounds;
    let spacing = (bounds.max - bounds.min).with_y(0.0) * 1.1;
    let columns = f64::from(count).sqrt().ceil() as u32;
    let instances = (0..count).map(|i| {
        let place = spacing * Vec3::new((i % columns) as f32, 0.0, (i / columns) as f32);
        Instance {
            world_from_model: Affine3A::from_translation(place),
            playhead: Playhead::default(),
        }
    });
    Ok(Crowd::new(Arc::clone(document), instances.collect()))
}

/// The bounds of a crowd, in which each instance is as large as the model.
fn bounds_of(crowd: &Crowd) -> Aabb {
    let bounds = crowd.about().bounds;
    let each = crowd.instances.iter();
    let each = each.map(|instance| bounds.transformed(&instance.world_from_model));
    each.reduce(|all, one| all.union(&one)).unwrap_or(bounds)
}

/// The pose on a closed flight over a map near the ground, at `part` from 0 to 1. The flight is an
/// ellipse within the map and looks ahead.
fn flight(document: &dyn Document, part: f32) -> Pose {
    let bounds = document.about().bounds;
    let radius = (bounds.max - bounds.min) * 0.35;
    let (sin, cos) = (part * std::f32::consts::TAU).sin_cos();
    let here = bounds.center() + Vec3::new(radius.x * cos, 0.0, radius.z * sin);
    let tangent = Vec3::new(-radius.x * sin, 0.0, radius.z * cos);
    let ahead = here + tangent.normalize_or(Vec3::X) * LOOK_AHEAD;
    // The lowest point of the bounds if the map has no ground here.
    let ground = |point: Vec3| {
        let ray = Ray {
            origin: point.with_y(bounds.max.y + 1.0),
            direction: Vec3::NEG_Y,
        };
        let hit = document.pick(ray, &Shown::default());
        hit.map_or(bounds.min.y, |hit| hit.position.y)
    };
    let ground_ahead = ground(ahead);
    Pose {
        eye: here.with_y(ground(here).max(ground_ahead) + FLIGHT_HEIGHT),
        target: ahead.with_y(ground_ahead),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up() {
        let ms = Duration::from_millis;
        let times = Times(vec![ms(9), ms(1), ms(3)]).sorted();
        assert_eq!(times.ms(), [1.0, 3.0, 9.0]);
        assert_eq!(Times::default().ms(), [0.0; 3]);
    }
}
