//! Scenes to pictures, with wgpu and without a window.
//!
//! A document says what it is made of, and where each thing stands ([`Drawable`]). There is a renderer
//! for each kind of content (`content.rs` lists them), which knows that kind alone; what it needs on
//! the GPU is made once for a document ([`SceneData`]) and changed when the view does. A picture is
//! drawn in phases: what is opaque of all drawables, what is behind them, what is transparent, and
//! lines.

mod constants;
mod content;
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
mod wgsl;

use std::any::Any;

use glam::Affine3A;
use thiserror::Error;

use self::content::{AnyRenderer, Background, ContentData, Phase, UploadOptions};
use self::frame::{FrameData, FrameLayout, LocalView};
use self::lines::{LineData, LineRenderer};
use self::sky::SkyRenderer;
use mapscope_scene::camera::Camera;
use mapscope_scene::{Aabb, Document, Drawable, Shown};

pub use floor::Floor;
pub use gpu::{Gpu, GpuError};
pub use probe::{SkinProbe, TileProbe, probe_skin, probe_tiles};
pub use shaders::{SHADERS, Shader, folder as shader_folder};
pub use target::{COLOR_FORMAT, Target};

/// The renderers, one for each kind of content.
fn renderers(gpu: &Gpu, frame: &FrameLayout) -> [Box<dyn AnyRenderer>; 4] {
    [
        Box::new(terrain::TerrainRenderer::new(gpu, frame)),
        Box::new(model::ModelRenderer::new(gpu, frame)),
        Box::new(level::LevelRenderer::new(gpu, frame)),
        Box::new(tiles::TilesRenderer::new(gpu, frame)),
    ]
}

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
    /// How much wider than on a plain screen contours are, in pixels.
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
    frame: FrameLayout,
    sky: SkyRenderer,
    lines: LineRenderer,
    contents: [Box<dyn AnyRenderer>; 4],
    /// For pictures of no document.
    empty: FrameData,
}

/// A document on the GPU. It holds the values of one picture at a time: commands that draw it
/// from two places must be submitted one after the other. Content is known by its address, so that
/// the document must stay where it is in memory.
#[derive(Debug)]
pub struct SceneData {
    frame: FrameData,
    lines: LineData,
    contents: Vec<Content>,
}

/// Something that a document is made of, on the GPU.
#[derive(Debug)]
struct Content {
    /// The index of its renderer.
    renderer: usize,
    /// The address of what was uploaded.
    address: usize,
    data: Box<dyn ContentData>,
    /// Where it stands in the next picture.
    placements: Vec<Affine3A>,
    is_prepared: bool,
    /// The frame as it is seen from there, once it stands elsewhere than in the middle of the world.
    frame: Option<FrameData>,
}

impl Content {
    /// Whether this is what is drawn for a drawable, and there is room for one more place.
    fn takes(&self, drawable: &Drawable<'_>, renderers: &[Box<dyn AnyRenderer>]) -> bool {
        let is_instanced = renderers
            .get(self.renderer)
            .is_some_and(|renderer| renderer.is_instanced());
        self.address == address(drawable) && (is_instanced || self.placements.is_empty())
    }
}

/// What tells the content of one drawable from that of others.
fn address(drawable: &Drawable<'_>) -> usize {
    (&raw const *drawable.content).addr()
}

impl SceneData {
    /// Bytes of GPU memory that it holds.
    pub fn gpu_bytes(&self) -> u64 {
        let contents = self.contents.iter();
        contents.map(|content| content.data.gpu_bytes()).sum()
    }

    /// How many chunks of how many are on the GPU, of a document that appears chunk by chunk; none
    /// once all are.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let progress = self.contents.iter().filter_map(|c| c.data.progress());
        progress.reduce(|(done, all), (more, of)| (done + more, all + of))
    }

    /// The first content of a type.
    fn data_mut<D: ContentData>(&mut self) -> Option<&mut D> {
        self.contents.iter_mut().find_map(|content| {
            let data: &mut dyn Any = &mut *content.data;
            data.downcast_mut()
        })
    }
}

impl Renderer {
    /// Makes what all pictures share. Pipelines are compiled when they are first needed.
    pub fn new(gpu: &Gpu) -> Self {
        let frame = FrameLayout::new(gpu);
        Self {
            sky: SkyRenderer::new(&frame),
            lines: LineRenderer::new(&frame),
            contents: renderers(gpu, &frame),
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
        let sky = self.sky.reloaded(gpu);
        let lines = self.lines.reloaded(gpu);
        let contents = self.contents.each_ref().map(|one| one.reloaded(gpu));
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        (self.sky, self.lines, self.contents) = (sky, lines, contents);
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
        let mut contents: Vec<Content> = Vec::new();
        let mut result = Ok(());
        document.for_each_drawable(&mut |drawable| {
            let place = drawable.world_from_model;
            let takes = |content: &&mut Content| content.takes(&drawable, &self.contents);
            if let Some(content) = contents.iter_mut().find(takes) {
                content.placements.push(place);
            } else if result.is_ok() {
                match self.upload_content(gpu, &drawable, shared, bytes_per_picture) {
                    Ok(content) => contents.extend(content),
                    Err(error) => result = Err(error),
                }
            }
        });
        result?;
        Ok(SceneData {
            frame: FrameData::new(gpu, &self.frame, document.about().bounds),
            lines: LineData::new(gpu),
            contents,
        })
    }

    fn upload_content(
        &self,
        gpu: &Gpu,
        drawable: &Drawable<'_>,
        shared: Option<&SceneData>,
        bytes_per_picture: Option<u64>,
    ) -> Result<Option<Content>, UploadError> {
        for (number, renderer) in self.contents.iter().enumerate() {
            let shared = shared.and_then(|scene| {
                let mut contents = scene.contents.iter();
                contents.find(|content| content.renderer == number)
            });
            let options = UploadOptions {
                shared: shared.map(|content| &*content.data),
                bytes_per_picture,
            };
            if let Some(data) = renderer.upload(gpu, drawable.content, options) {
                return Ok(Some(Content {
                    renderer: number,
                    address: address(drawable),
                    data: data?,
                    placements: vec![drawable.world_from_model],
                    is_prepared: false,
                    frame: None,
                }));
            }
        }
        log::error!("there is no renderer for this kind of content");
        Ok(None)
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
        let local = LocalView::new(view, target.size);
        let mut statistics = DrawStatistics::default();
        let Some((scene, document)) = scene else {
            self.empty.write(gpu, &local);
            self.sky.prepare(gpu, Background::Sky);
            let mut pass = target.begin_pass(encoder);
            pass.set_bind_group(0, &self.empty.bind_group, &[]);
            let (phase, background) = (Phase::Background, Background::Sky);
            self.sky.draw(phase, &mut pass, background, &mut statistics);
            return statistics;
        };
        scene.frame.write(gpu, &local);
        self.prepare_contents(gpu, scene, document, &local);
        self.lines.prepare(gpu, &mut scene.lines, document, view);
        let contents = || scene.contents.iter().filter(|content| content.is_prepared);
        let backgrounds = contents().map(|content| content.data.background());
        let background = backgrounds.max().unwrap_or(Background::Sky);
        self.sky.prepare(gpu, background);

        let mut pass = target.begin_pass(encoder);
        for phase in Phase::ALL {
            for content in contents() {
                let frame = content.frame.as_ref().unwrap_or(&scene.frame);
                pass.set_bind_group(0, &frame.bind_group, &[]);
                if let Some(renderer) = self.contents.get(content.renderer) {
                    renderer.draw(phase, &mut pass, &*content.data, &mut statistics);
                }
            }
            pass.set_bind_group(0, &scene.frame.bind_group, &[]);
            self.sky.draw(phase, &mut pass, background, &mut statistics);
            self.lines
                .draw(phase, &mut pass, &scene.lines, &mut statistics);
        }
        statistics
    }

    /// Makes ready what the drawables of a document need for the next picture. What is new since
    /// the upload is not drawn.
    fn prepare_contents(
        &mut self,
        gpu: &Gpu,
        scene: &mut SceneData,
        document: &dyn Document,
        local: &LocalView<'_>,
    ) {
        for content in &mut scene.contents {
            content.placements.clear();
            content.is_prepared = false;
        }
        document.for_each_drawable(&mut |drawable| {
            let takes = |content: &&mut Content| content.takes(&drawable, &self.contents);
            if let Some(content) = scene.contents.iter_mut().find(takes) {
                content.placements.push(drawable.world_from_model);
            }
        });
        document.for_each_drawable(&mut |drawable| {
            let is_next = |content: &&mut Content| {
                content.address == address(&drawable) && !content.is_prepared
            };
            let Some(content) = scene.contents.iter_mut().find(is_next) else {
                return;
            };
            let Some(renderer) = self.contents.get_mut(content.renderer) else {
                return;
            };
            let place = content.placements.first();
            let local = match place.filter(|_| !renderer.is_instanced()) {
                Some(place) => local.of(place),
                None => *local,
            };
            if local.is_in_place {
                content.frame = None;
            } else {
                let new = || FrameData::new(gpu, &self.frame, Aabb::default());
                content.frame.get_or_insert_with(new).write(gpu, &local);
            }
            let (data, placements) = (&mut *content.data, &content.placements);
            renderer.prepare(gpu, data, drawable.content, &local, placements);
            content.is_prepared = true;
        });
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
