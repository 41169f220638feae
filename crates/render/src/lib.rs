//! Scenes to pictures, with wgpu and without a window.
//!
//! A renderer is long-lived and knows how to draw one kind of thing; what it draws is in a data
//! value that is made once for a document ([`SceneData`]) and changed when the view does.

mod floor;
mod frame;
mod gpu;
mod level;
mod lines;
mod model;
mod probe;
mod resources;
mod shaders;
mod sky;
mod target;
mod terrain;
mod tiles;

use std::sync::OnceLock;

use thiserror::Error;

use self::frame::{FrameData, FrameRenderer};
use self::level::{LevelData, LevelRenderer};
use self::lines::{LineData, LineRenderer};
use self::model::{ModelData, ModelRenderer};
use self::sky::SkyRenderer;
use self::terrain::{TerrainData, TerrainRenderer};
use self::tiles::{TilesData, TilesRenderer};
use mapscope_scene::camera::Camera;
use mapscope_scene::model::{Model, instances::Instance};
use mapscope_scene::{Aabb, Document, Drawable, Shown};

pub use floor::Floor;
pub use gpu::{Gpu, GpuError};
pub use probe::{SkinProbe, TileProbe, probe_skin, probe_tiles};
pub use shaders::{SHADERS, Shader, folder as shader_folder};
pub use target::{COLOR_FORMAT, Target};

/// Everything about a picture but the document itself.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Where it is taken from.
    pub camera: Camera,
    /// What of the document is shown.
    pub shown: Shown,
    /// Seconds since the start, for what moves by itself. A view that does not change has one
    /// that does not change.
    pub time_secs: f32,
    /// How much wider than on a plain screen outlines are, in pixels.
    pub outline_scale: f32,
}

impl View {
    /// A view with nothing selected and no overlay.
    pub fn plain(camera: Camera) -> Self {
        Self {
            camera,
            shown: Shown::default(),
            time_secs: 0.0,
            outline_scale: 1.0,
        }
    }
}

/// What a picture took to draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawStatistics {
    /// Triangles handed to the GPU.
    pub triangles: u64,
    /// Draw calls.
    pub draw_calls: u32,
}

/// Why a document cannot be drawn on this device.
#[derive(Debug, Error)]
pub enum UploadError {
    /// Something is larger than the device allows.
    #[error(
        "this is too large for the graphics device: {what} would take {bytes} bytes, \
         and it allows {limit}"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
}

/// All renderers, for one device.
#[derive(Debug)]
pub struct Renderer {
    frame: FrameRenderer,
    sky: SkyRenderer,
    lines: LineRenderer,
    terrain: TerrainRenderer,
    model: ModelRenderer,
    level: LevelRenderer,
    tiles: TilesRenderer,
    /// A tile of terrain under models, once one was asked for; none if it could not be made.
    ground: OnceLock<Option<ModelData>>,
    /// For pictures of no document.
    empty: FrameData,
}

/// A document on the GPU. It holds the values of one picture at a time: commands that draw it
/// from two places must be submitted one after the other.
#[derive(Debug)]
pub struct SceneData {
    frame: FrameData,
    lines: LineData,
    content: Content,
}

/// What is drawn, by the way in which it is drawn.
#[derive(Debug)]
enum Content {
    Terrain(Box<TerrainData>),
    Model(Box<ModelData>),
    Level(Box<LevelData>),
    Tiles(Box<TilesData>),
}

impl SceneData {
    /// Says whether flat faces of levels are joined where they are small on screen, which leaves
    /// gaps of a pixel now and then. At first they are.
    pub fn set_merges_faces(&mut self, merges_faces: bool) {
        if let Content::Level(level) = &mut self.content {
            level.merges_faces = merges_faces;
        }
    }

    /// Bytes of GPU memory that it holds.
    pub fn gpu_bytes(&self) -> u64 {
        match &self.content {
            Content::Terrain(terrain) => terrain.gpu_bytes(),
            Content::Model(model) => model.gpu_bytes(),
            Content::Level(level) => level.gpu_bytes(),
            Content::Tiles(tiles) => tiles.gpu_bytes(),
        }
    }

    /// How many chunks of how many are on the GPU, of a document that appears chunk by chunk; none
    /// once all are.
    pub fn progress(&self) -> Option<(usize, usize)> {
        match &self.content {
            Content::Level(level) => level.progress(),
            Content::Terrain(_) | Content::Model(_) | Content::Tiles(_) => None,
        }
    }

    /// Shows a model, of which this is the data, this many times from now on, instead of once at
    /// the moment that the view asks for.
    ///
    /// # Errors
    /// When they are more than the device has room for.
    pub fn set_instances(
        &mut self,
        gpu: &Gpu,
        model: &Model,
        instances: &[Instance],
    ) -> Result<(), UploadError> {
        match &mut self.content {
            Content::Model(data) => data.set_instances(gpu, model, instances),
            Content::Terrain(_) | Content::Level(_) | Content::Tiles(_) => Ok(()),
        }
    }
}

impl Renderer {
    /// Compiles the pipelines.
    pub fn new(gpu: &Gpu) -> Self {
        let frame = FrameRenderer::new(gpu);
        Self {
            sky: SkyRenderer::new(gpu, &frame),
            lines: LineRenderer::new(gpu, &frame),
            terrain: TerrainRenderer::new(gpu, &frame),
            model: ModelRenderer::new(gpu),
            level: LevelRenderer::new(gpu),
            tiles: TilesRenderer::new(gpu),
            ground: OnceLock::new(),
            empty: FrameData::new(gpu, &frame, Aabb::default()),
            frame,
        }
    }

    /// Makes the pipelines again from the shaders as they now are on disk (debug builds). The old
    /// ones stay when the new ones do not compile.
    ///
    /// # Errors
    /// What the shader compiler said.
    pub fn reload_shaders(&mut self, gpu: &Gpu) -> Result<(), String> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let sky = self.sky.reloaded(gpu, &self.frame);
        let lines = LineRenderer::new(gpu, &self.frame);
        let terrain = self.terrain.reloaded(gpu, &self.frame);
        let model = self.model.reloaded(gpu, &self.frame);
        let level = self.level.reloaded(gpu, &self.frame);
        let tiles = self.tiles.reloaded(gpu, &self.frame);
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        (self.sky, self.lines) = (sky, lines);
        (self.terrain, self.model) = (terrain, model);
        (self.level, self.tiles) = (level, tiles);
        Ok(())
    }

    /// Puts a document on the GPU: all of what is shown of it first.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    pub fn upload(&self, gpu: &Gpu, document: &dyn Document) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, None)
    }

    /// Puts a document on the GPU that may appear chunk by chunk: before each picture some of what
    /// is shown is sent, nearly so many bytes ([`SceneData::progress`]).
    ///
    /// # Errors
    /// When it is larger than the device allows.
    pub fn upload_gradually(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
        bytes_per_picture: u64,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, Some(bytes_per_picture))
    }

    /// Puts a patch of an open map on the GPU ([`Terrain::patch`]). It shares the map's textures.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    ///
    /// [`Terrain::patch`]: mapscope_scene::terrain::Terrain::patch
    pub fn upload_patch(
        &self,
        gpu: &Gpu,
        map: &SceneData,
        patch: &dyn Document,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, patch, Some(map), None)
    }

    fn upload_sharing(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
        shared: Option<&SceneData>,
        bytes_per_picture: Option<u64>,
    ) -> Result<SceneData, UploadError> {
        let content = match document.drawable() {
            Drawable::Terrain(terrain) => {
                let shared = shared.and_then(|scene| match &scene.content {
                    Content::Terrain(terrain) => Some(&**terrain),
                    Content::Model(_) | Content::Level(_) | Content::Tiles(_) => None,
                });
                let terrain = self.terrain.upload(gpu, &self.frame, terrain, shared)?;
                Content::Terrain(Box::new(terrain))
            }
            Drawable::Model(model) => Content::Model(Box::new(self.model.upload(gpu, model)?)),
            Drawable::Level(map) => {
                let level = self.level.upload(gpu, map, bytes_per_picture)?;
                Content::Level(Box::new(level))
            }
            Drawable::Tiles(map) => Content::Tiles(Box::new(self.tiles.upload(gpu, map)?)),
        };
        Ok(SceneData {
            frame: FrameData::new(gpu, &self.frame, document.bounds()),
            lines: LineData::new(gpu),
            content,
        })
    }

    /// Records one picture of a document, or of the empty sky when there is none.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
    ) -> DrawStatistics {
        let Some((scene, document)) = scene else {
            self.empty.write(gpu, view, target.size);
            let mut pass = target.begin_pass(encoder);
            self.sky.draw_sky(&mut pass, &self.empty);
            return DrawStatistics {
                triangles: 1,
                draw_calls: 1,
            };
        };
        scene.frame.write(gpu, view, target.size);
        scene.lines.prepare(gpu, document, view);
        match (document.drawable(), &mut scene.content) {
            (Drawable::Terrain(terrain), Content::Terrain(data)) => {
                data.prepare(gpu, terrain, view, target.size);
                self.terrain.prepare(gpu, &self.frame, data, view);
            }
            (Drawable::Model(model), Content::Model(data)) => {
                data.prepare(gpu, model, &view.shown);
                self.model.prepare(gpu, &self.frame, data, &view.shown);
            }
            (Drawable::Level(map), Content::Level(data)) => {
                let what = (map, view, target.size);
                self.level.prepare(gpu, &self.frame, data, what);
            }
            (Drawable::Tiles(map), Content::Tiles(data)) => {
                let what = (map, view, target.size);
                self.tiles.prepare(gpu, &self.frame, data, what);
            }
            // Data of another document shows what it was made of.
            _ => {}
        }

        let wants_ground = matches!(scene.content, Content::Model(_))
            && view.shown.overlays.contains("ground-tile");
        let ground = wants_ground
            .then(|| self.ground.get_or_init(|| self.model.upload_ground(gpu)))
            .and_then(Option::as_ref);
        if let Some(ground) = ground {
            let plain = Shown::default();
            self.model.prepare(gpu, &self.frame, ground, &plain);
        }

        let frame = &scene.frame;
        let mut statistics = DrawStatistics::default();
        let mut pass = target.begin_pass(encoder);
        match &scene.content {
            Content::Terrain(data) => {
                self.terrain
                    .draw_ground(&mut pass, frame, data, &mut statistics);
            }
            Content::Model(data) => self.model.draw(&mut pass, frame, data, &mut statistics),
            Content::Level(data) => self.level.draw(&mut pass, frame, data, &mut statistics),
            Content::Tiles(data) => {
                if !data.has_backdrop() {
                    // Layers are see-through: what is behind them comes first.
                    self.sky.draw_studio(gpu, &self.frame, &mut pass, frame);
                    statistics.draw_calls += 1;
                    statistics.triangles += 1;
                }
                self.tiles.draw(&mut pass, frame, data, &mut statistics);
            }
        }
        if let Some(ground) = ground {
            self.model.draw(&mut pass, frame, ground, &mut statistics);
        }
        match scene.content {
            Content::Terrain(_) => self.sky.draw_sky(&mut pass, frame),
            Content::Model(_) => self.sky.draw_studio(gpu, &self.frame, &mut pass, frame),
            // They have drawn it.
            Content::Level(_) | Content::Tiles(_) => {}
        }
        if !matches!(scene.content, Content::Level(_) | Content::Tiles(_)) {
            statistics.draw_calls += 1;
            statistics.triangles += 1;
        }
        if let Content::Terrain(data) = &scene.content {
            self.terrain
                .draw_water(&mut pass, frame, data, &mut statistics);
        }
        if view.shown.overlays.contains("wireframe") {
            match &scene.content {
                Content::Terrain(data) => {
                    self.terrain
                        .draw_wireframe(&mut pass, frame, data, &mut statistics);
                }
                // They have drawn them, or have none.
                Content::Level(_) | Content::Tiles(_) => {}
                Content::Model(data) => {
                    self.model
                        .draw_wireframe(&mut pass, frame, data, &mut statistics);
                }
            }
        }
        statistics.draw_calls += self.lines.draw(&mut pass, frame, &scene.lines);
        statistics
    }

    /// Draws one picture and waits until it is done.
    pub fn draw_now(
        &mut self,
        gpu: &Gpu,
        target: &Target,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
    ) -> DrawStatistics {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let statistics = self.draw(gpu, &mut encoder, target, scene, view);
        gpu.queue.submit([encoder.finish()]);
        if let Err(error) = gpu.device.poll(wgpu::PollType::wait_indefinitely()) {
            log::error!("waiting for the picture: {error}");
        }
        statistics
    }
}
