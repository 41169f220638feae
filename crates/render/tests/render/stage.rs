//! Maps built tile by tile, and a graphics device that all tests of a program share.

use mapscope_scene::Bytes;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use image::RgbaImage;
use mapscope_formats::pfmap::{self, CHUNK_SIDE, Tile};
use mapscope_render::{DrawStatistics, Gpu, Renderer, Samples, SceneData, Target, View};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{self, Document, Environment, OpenOptions, Progress, Source, demo};

/// Materials of the built maps, with textures of the demo: green, grey, yellow and white.
pub(crate) const MATERIALS: [&str; 4] = ["grass.jpg", "rock.jpg", "sand.jpg", "snow.jpg"];
/// Indices of the materials, for writing maps.
pub(crate) const GRASS: u16 = 0;
pub(crate) const ROCK: u16 = 1;
pub(crate) const SAND: u16 = 2;
pub(crate) const SNOW: u16 = 3;

/// The text of a map of the given rows and columns of chunks. `tile` gets row and column in the
/// whole map.
pub(crate) fn map_text(
    [chunk_rows, chunk_cols]: [u32; 2],
    materials: &[&str],
    splats: &[[u32; 2]],
    tile: impl Fn(u32, u32) -> Tile,
) -> String {
    let mut text = format!(
        "version 1.2\nnum_materials {}\nnum_splats {}\nnum_rows {chunk_rows}\n\
         num_cols {chunk_cols}\n",
        materials.len(),
        splats.len()
    );
    for (i, texture) in materials.iter().enumerate() {
        writeln!(text, "material Material-{i} {texture}").unwrap();
    }
    for [base, accent] in splats {
        writeln!(text, "splat {base} {accent}").unwrap();
    }
    // Files list tiles chunk by chunk.
    for chunk in 0..chunk_rows * chunk_cols {
        let row = chunk / chunk_cols * CHUNK_SIDE;
        let col = chunk % chunk_cols * CHUNK_SIDE;
        for i in 0..CHUNK_SIDE * CHUNK_SIDE {
            let tile = tile(row + i / CHUNK_SIDE, col + i % CHUNK_SIDE);
            text.push_str(str::from_utf8(&tile.text()).unwrap());
            text.push(if i % 4 == 3 { '\n' } else { ' ' });
        }
    }
    text
}

/// Opens a map that is not on disk. Textures are found in the demo and beside `path`.
pub(crate) fn open(path: impl Into<PathBuf>, text: impl AsRef<[u8]>) -> Arc<dyn Document> {
    let source = Source {
        path: path.into(),
        bytes: text.as_ref().to_vec().into(),
        embedded: demo::TERRAIN.source().embedded,
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// The built-in terrain demo.
pub(crate) fn open_demo() -> Arc<dyn Document> {
    open("demo.pfmap", demo::TERRAIN.source().bytes)
}

/// Opens a map of [`MATERIALS`] and asserts that it has no problems.
pub(crate) fn open_map(chunks: [u32; 2], tile: impl Fn(u32, u32) -> Tile) -> Arc<dyn Document> {
    let document = open("made.pfmap", map_text(chunks, &MATERIALS, &[], tile));
    // Independently generated tiles rarely agree on their edges.
    let problems = document.about().problems.iter();
    let mut others = problems.filter(|problem| problem.rule.id != "pfmap/edge-blend");
    assert_eq!(others.next(), None);
    document
}

/// Like [`open_map`], with an environment.
pub(crate) fn open_map_in(
    environment: &Environment,
    chunks: [u32; 2],
    tile: impl Fn(u32, u32) -> Tile,
) -> Arc<dyn Document> {
    let source = Source {
        path: "made.pfmap".into(),
        bytes: Bytes::new(),
        embedded: demo::TERRAIN.source().embedded,
        archive: None,
    };
    let map = pfmap::read(map_text(chunks, &MATERIALS, &[], tile).as_bytes()).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let terrain = Terrain::build_in(environment.clone(), map, &source, &options, &progress);
    Arc::new(terrain.unwrap())
}

pub(crate) fn terrain(document: &dyn Document) -> &Terrain {
    let terrain: &Terrain = document.content().expect("this is not a map");
    terrain
}

/// A device whose largest binding has the given number of bytes.
pub(crate) fn small_device(most: u64) -> Gpu {
    let gpu = Gpu::headless(None).unwrap();
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: most,
        ..gpu.adapter.limits()
    };
    let (device, queue) = pollster::block_on(gpu.adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: limits,
        ..Default::default()
    }))
    .unwrap();
    Gpu {
        device,
        queue,
        ..gpu
    }
}

/// A device with its renderer.
pub(crate) struct Stage {
    pub(crate) gpu: Gpu,
    renderer: Renderer,
}

impl Stage {
    /// The shared stage with one sample per pixel; its pipelines are compiled once.
    ///
    /// Panics if there is no graphics adapter, not even a software adapter.
    pub(crate) fn get() -> MutexGuard<'static, Self> {
        Self::with(Samples::One)
    }

    /// The shared stage with the given number of samples per pixel.
    pub(crate) fn with(samples: Samples) -> MutexGuard<'static, Self> {
        static STAGES: [OnceLock<Mutex<Stage>>; 2] = [const { OnceLock::new() }; 2];
        let stage = STAGES[samples as usize].get_or_init(|| {
            let gpu = Gpu::headless(None)
                .unwrap_or_else(|error| panic!("{error}"))
                .with_samples(Some(samples));
            assert_eq!(gpu.samples, samples);
            Mutex::new(Self::on(gpu))
        });
        // Pictures are independent, so a failed test must not fail the others.
        stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage with a device of its own.
    pub(crate) fn on(gpu: Gpu) -> Self {
        let mut renderer = Renderer::new(&gpu);
        // As on a software adapter, on any test machine.
        renderer.set_ground_reflection(false);
        Self { gpu, renderer }
    }

    /// Uploads a document after waiting for its deferred parts.
    pub(crate) fn upload(&self, document: &dyn Document) -> SceneData {
        self.renderer.upload(&self.gpu, document).unwrap()
    }

    /// Uploads a document without its deferred parts.
    pub(crate) fn upload_without_deferred(&self, document: &dyn Document) -> SceneData {
        self.renderer
            .upload_without_deferred(&self.gpu, document)
            .unwrap()
    }

    /// Draws a document, or an empty view, and returns the picture with its statistics.
    pub(crate) fn draw(
        &mut self,
        document: Option<&dyn Document>,
        view: &View,
        size: [u32; 2],
    ) -> (RgbaImage, DrawStatistics) {
        let mut data = document.map(|document| self.upload(document));
        self.draw_scene(data.as_mut().zip(document), view, size)
    }

    /// Switches the reflection of ground in water for later pictures.
    pub(crate) fn set_ground_reflection(&mut self, has_ground_reflection: bool) {
        self.renderer.set_ground_reflection(has_ground_reflection);
    }

    /// Draws a document in parts whose sides are at most `max_side` pixels long.
    pub(crate) fn draw_tiled(
        &mut self,
        document: Option<&dyn Document>,
        view: &View,
        size: [u32; 2],
        max_side: u32,
    ) -> RgbaImage {
        let mut data = document.map(|document| self.upload(document));
        let scene = data.as_mut().zip(document);
        let mut pixels = Vec::new();
        let mut take = |rows: &[u8]| {
            pixels.extend_from_slice(rows);
            Ok(())
        };
        let max_side = Some(max_side);
        let drawn = self
            .renderer
            .draw_image(&self.gpu, scene, view, size, max_side, &mut take);
        drawn.unwrap();
        RgbaImage::from_raw(size[0], size[1], pixels).unwrap()
    }

    /// Number of parts of an empty picture that are delivered if the receiver stops after `wanted`.
    pub(crate) fn parts_before_error(
        &mut self,
        view: &View,
        size: [u32; 2],
        wanted: usize,
    ) -> usize {
        let mut parts = 0;
        let mut take = |_: &[u8]| {
            parts += 1;
            if parts == wanted {
                return Err(std::io::Error::other("enough"));
            }
            Ok(())
        };
        let drawn = self
            .renderer
            .draw_image(&self.gpu, None, view, size, Some(64), &mut take);
        assert_eq!(drawn.unwrap_err().to_string(), "enough");
        parts
    }

    /// Draws a document as in later frames, with specialised pipelines compiled ahead.
    pub(crate) fn draw_after_prefetch(
        &mut self,
        document: &dyn Document,
        view: &View,
        size: [u32; 2],
    ) -> RgbaImage {
        let mut data = self.upload(document);
        self.renderer
            .prepare(&self.gpu, &mut data, document, view, size);
        self.renderer.prefetch_pipelines(&self.gpu, &data);
        self.renderer.wait_for_pipelines();
        self.draw_scene(Some((&mut data, document)), view, size).0
    }

    /// One picture per view of a document that is uploaded once, all drawn in one submission.
    pub(crate) fn draw_views(
        &mut self,
        document: &dyn Document,
        views: &[View],
        size: [u32; 2],
    ) -> Vec<RgbaImage> {
        let Self { gpu, renderer } = self;
        let mut scene = renderer.upload(gpu, document).unwrap();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut data = Vec::new();
        for _ in views {
            data.push((Target::new(gpu, size), renderer.new_view(gpu, document)));
        }
        for (view, (target, data)) in views.iter().zip(&mut data) {
            renderer.draw_view(
                gpu,
                &mut encoder,
                target,
                (&mut scene, data),
                (document, view),
            );
        }
        gpu.queue.submit([encoder.finish()]);
        let targets = data.iter().map(|(target, _)| target);
        targets
            .map(|target| target.read_back(gpu).unwrap())
            .collect()
    }

    /// Draws uploaded content and returns the picture with its statistics.
    pub(crate) fn draw_scene(
        &mut self,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
        size: [u32; 2],
    ) -> (RgbaImage, DrawStatistics) {
        let target = Target::new(&self.gpu, size);
        let statistics = self.renderer.draw_and_wait(&self.gpu, &target, scene, view);
        (target.read_back(&self.gpu).unwrap(), statistics)
    }
}
