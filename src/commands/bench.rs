//! `mapscope bench`: how fast a file opens and draws, beside what the device needs for nothing.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{Affine3A, Vec3};
use serde_json::{Value, json};

use super::cli::{BenchArgs, display_name};
use super::headless::{self, Headless, view_of};
use super::output::{self, Paint, Stdout};
use super::{CommandError, Status};
use mapscope_render::{DrawStatistics, Floor, GpuRequest, Renderer, Samples, View};
use mapscope_scene::camera::Pose;
use mapscope_scene::model::Model;
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::tilemap::FlatWindow;
use mapscope_scene::{Aabb, Animation, Document, OpenOptions, Playhead, Ray, Shown};

/// Frames that are drawn before any is measured: the first ones compile shaders and warm caches.
const WARM_UP_FRAMES: u32 = 5;
/// How high a flight is above the ground, in world units: about two men on a tile of 8 by 8.
const FLIGHT_HEIGHT: f32 = 14.0;
/// How far ahead one looks in flight, in world units.
const LOOK_AHEAD: f32 = 120.0;

/// What is reported, all times measured in this run.
#[derive(Debug)]
struct Report {
    read: Duration,
    parse: Duration,
    build: Duration,
    upload: Duration,
    first_frame: Duration,
    /// From the start to a frame with all textures, where the first one had not all.
    all_textures: Option<Duration>,
    frame: Times,
    /// Making and sending the palettes of a crowd.
    palettes: Option<Times>,
    clear: Times,
    textured_quad: Times,
    drawn: DrawStatistics,
    samples: Samples,
    target_bytes: u64,
    gpu_bytes: u64,
    cpu_bytes: u64,
    adapter: String,
}

pub(super) fn run(
    args: &BenchArgs,
    options: &OpenOptions,
    request: GpuRequest,
    started: Instant,
) -> Result<Status, CommandError> {
    let (opened, headless) = headless::open(&args.file, options, &args.image, request, false)?;
    let mut crowd = match args.instances {
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
    let frames = plays.map(|clip| clip.frames.max(1));
    if let Some(crowd) = &crowd
        && args.image.request.camera.is_none()
    {
        view.camera.frame(bounds_of(crowd), target.aspect());
    }

    let mut renderer = Renderer::new(gpu);
    let begun = Instant::now();
    let mut scene = renderer.upload_as_is(gpu, document)?;
    gpu.queue.submit([]);
    headless.wait()?;
    let upload = begun.elapsed();

    let mut drawn = DrawStatistics::default();
    // Times of the palettes and of the whole frame.
    let mut draw = |view: &mut View, number: u32| {
        let begun = Instant::now();
        if let Some(frames) = frames {
            view.shown.playhead.frame = (number % frames) as f32;
        }
        let document: &dyn Document = match &mut crowd {
            Some(crowd) => {
                // Each one frame ahead of the one before it.
                for (instance, number) in crowd.instances.iter_mut().zip(number..) {
                    let frame = frames.map(|frames| (number % frames) as f32);
                    instance.playhead = view.shown.playhead;
                    instance.playhead.frame = frame.unwrap_or(instance.playhead.frame);
                }
                renderer.prepare(gpu, &mut scene, crowd, view, target.size);
                crowd
            }
            None => document,
        };
        let palettes = begun.elapsed();
        let time = headless.time(|encoder| {
            drawn = renderer.draw(gpu, encoder, target, Some((&mut scene, document)), view);
        })?;
        Ok::<_, CommandError>((palettes, palettes + time))
    };
    draw(&mut view, 0)?;
    target.read_back(gpu).map_err(CommandError::Device)?;
    let first_frame = started.elapsed();
    // As in the window, all textures may come after the first frame.
    let before = document.revision();
    document.wait_for_textures();
    let mut all_textures = None;
    if document.revision() != before {
        draw(&mut view, 0)?;
        target.read_back(gpu).map_err(CommandError::Device)?;
        all_textures = Some(started.elapsed());
    }

    let floor = Floor::new(gpu);
    let clear = || headless.time(|encoder| floor.clear(encoder, target));
    let quad = || headless.time(|encoder| floor.textured_quad(encoder, target));
    for number in 0..WARM_UP_FRAMES {
        draw(&mut view, number)?;
        clear()?;
        quad()?;
    }
    let mut times = [(); 4].map(|()| Times::default());
    // In turns, so that whatever else the machine does meets all three alike.
    for frame in 0..args.frames {
        if args.fly {
            view.camera.pose = flight(document, frame as f32 / args.frames as f32);
        }
        if view.shown.flat {
            pan(&mut view, document, target.size);
        }
        let (palettes, whole) = draw(&mut view, frame)?;
        for (times, time) in times.iter_mut().zip([whole, palettes, clear()?, quad()?]) {
            times.0.push(time);
        }
    }
    let [frame, palettes, clear, textured_quad] = times.map(Times::sorted);
    let report = Report {
        read: opened.read_time,
        parse: opened.parse_time,
        build: opened.build_time,
        upload,
        first_frame,
        all_textures,
        frame,
        palettes: args.instances.is_some().then_some(palettes),
        clear,
        textured_quad,
        drawn,
        samples: gpu.samples,
        target_bytes: target.gpu_bytes(),
        gpu_bytes: scene.gpu_bytes(),
        cpu_bytes: document.cpu_bytes(),
        adapter: gpu.adapter_name(),
    };
    let mut out = Stdout::lock();
    if args.json {
        let keys = report.json(args, target.size);
        writeln!(out, "{keys:#}")?;
    } else {
        let paint = out.paint();
        report.write_text(&mut out, paint, args, target.size)?;
    }
    out.flush()?;
    let problems = &document.about().problems;
    output::note_problems(&args.file, problems);
    Ok(Status::of(problems))
}

/// Moves a flat map by whole pixels, as a drag does.
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

impl Headless {
    /// The time from the begin of recording until the device is idle again.
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

/// Times of many frames, shortest first once they are sorted.
#[derive(Debug, Default)]
struct Times(Vec<Duration>);

impl Times {
    fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        self
    }

    /// Min, median and max in milliseconds.
    fn ms(&self) -> [f64; 3] {
        let at = |at: usize| millis(self.0.get(at).copied().unwrap_or_default());
        [
            at(0),
            at(self.0.len() / 2),
            at(self.0.len().saturating_sub(1)),
        ]
    }
}

/// Milliseconds, to the microsecond.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

impl Report {
    /// The object of the contract ("bench --json").
    fn json(&self, args: &BenchArgs, size: [u32; 2]) -> Value {
        let [min, median, max] = self.frame.ms();
        let mut keys = json!({
            "file": display_name(&args.file),
            "size": size,
            "samples": self.samples.count(),
            "adapter": self.adapter,
            "open_ms": {
                "read": millis(self.read),
                "parse": millis(self.parse),
                "build": millis(self.build),
                "upload": millis(self.upload),
            },
            "first_frame_ms": millis(self.first_frame),
            "frames": args.frames,
            "frame_ms": { "median": median, "min": min, "max": max },
            "floor_ms": {
                "clear": self.clear.ms()[1],
                "textured_quad": self.textured_quad.ms()[1],
            },
            "triangles": self.drawn.triangles,
            "draw_calls": self.drawn.draw_calls,
            "shadow_map": {
                "triangles": self.drawn.shadow_triangles,
                "draw_calls": self.drawn.shadow_draw_calls,
            },
            "target_bytes": self.target_bytes,
            "gpu_bytes": self.gpu_bytes,
            "cpu_bytes": self.cpu_bytes,
        });
        if let Some(all_textures) = self.all_textures {
            keys["all_textures_ms"] = json!(millis(all_textures));
        }
        if let Some(palettes) = &self.palettes {
            keys["instances"] = json!(args.instances);
            let [min, median, _] = palettes.ms();
            keys["palettes_ms"] = json!({ "median": median, "min": min });
        }
        keys
    }

    fn write_text(
        &self,
        out: &mut impl Write,
        paint: Paint,
        args: &BenchArgs,
        [width, height]: [u32; 2],
    ) -> io::Result<()> {
        let name = display_name(&args.file);
        let name = output::printable(&name);
        let ms = |time: f64| format!("{time:.2} ms");
        let [read, parse, build, upload] =
            [self.read, self.parse, self.build, self.upload].map(|time| ms(millis(time)));
        let after_start = |time: Duration| format!("{} after the start", ms(millis(time)));
        let [min, median, max] = self.frame.ms();
        let [clear, quad] = [&self.clear, &self.textured_quad].map(|times| times.ms()[1]);
        let DrawStatistics {
            triangles,
            draw_calls,
            shadow_triangles,
            shadow_draw_calls,
        } = self.drawn;
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
        let frame = [median, min, max].map(ms);
        let frame = format!("median {}, min {}, max {}", frame[0], frame[1], frame[2]);
        let palettes = self.palettes.as_ref().zip(args.instances);
        let palettes = palettes.map(|(palettes, count)| {
            let [min, median, _] = palettes.ms().map(ms);
            format!("median {median}, min {min} of it for {count} models")
        });
        let opened = format!("read {read}, parse {parse}, build {build}, upload {upload}");
        let floor = format!("clear {}, textured quad {}", ms(clear), ms(quad));
        let ratio = (quad > 0.0).then(|| format!("{:.2} textured quads a frame", median / quad));
        let drawn = format!("{triangles} triangles, {draw_calls} draw calls");
        let shadows = (shadow_draw_calls > 0)
            .then(|| format!("{shadow_triangles} triangles, {shadow_draw_calls} draw calls"));
        let memory = format!(
            "GPU {} and {} for the image, CPU {}",
            mib(self.gpu_bytes),
            mib(self.target_bytes),
            mib(self.cpu_bytes)
        );
        let image = format!("{width}x{height}, {} frames", args.frames);
        writeln!(out, "{}", paint.heading(name))?;
        for (label, value) in [
            ("Adapter", Some(self.adapter.clone())),
            ("Image", Some(image)),
            ("Anti-aliasing", Some(self.samples.to_string())),
            ("Open", Some(opened)),
            ("First frame", Some(after_start(self.first_frame))),
            ("All textures", self.all_textures.map(after_start)),
            ("Frame", Some(frame)),
            ("Palettes", palettes),
            ("Floor", Some(floor)),
            ("Ratio", ratio),
            ("Drawn", Some(drawn)),
            ("Shadow map", shadows),
            ("Memory", Some(memory)),
        ] {
            if let Some(value) = value {
                writeln!(out, "  {}  {value}", paint.dim(format!("{label:13}")))?;
            }
        }
        Ok(())
    }
}

/// A model many times over, in rows and columns.
fn crowd_of(document: &Arc<dyn Document>, count: u32) -> Result<Crowd, CommandError> {
    if document.content::<Model>().is_none() {
        let text = "--instances is for models".to_owned();
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

/// What a crowd occupies, each as large as the model.
fn bounds_of(crowd: &Crowd) -> Aabb {
    let bounds = crowd.about().bounds;
    let each = crowd.instances.iter();
    let each = each.map(|instance| bounds.transformed(&instance.world_from_model));
    each.reduce(|all, one| all.union(&one)).unwrap_or(bounds)
}

/// The pose at a part, from 0 to 1, of a closed flight over a map near the ground: on an ellipse
/// within the map, looking where one flies.
fn flight(document: &dyn Document, part: f32) -> Pose {
    let bounds = document.about().bounds;
    let radius = (bounds.max - bounds.min) * 0.35;
    let (sin, cos) = (part * std::f32::consts::TAU).sin_cos();
    let here = bounds.center() + Vec3::new(radius.x * cos, 0.0, radius.z * sin);
    let tangent = Vec3::new(-radius.x * sin, 0.0, radius.z * cos);
    let ahead = here + tangent.normalize_or(Vec3::X) * LOOK_AHEAD;
    // The lowest where there is no ground.
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
