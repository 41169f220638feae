//! Draws documents: the renderers of all kinds of content, and the passes of a frame.

mod picture;
mod scene;
mod view_data;

pub use self::picture::{PictureError, fits_one_target};
pub use self::scene::SceneData;
pub use self::view_data::ViewData;

use glam::Vec2;

use self::scene::{Content, Contents, key};
use self::view_data::Placed;
use crate::frame::{
    AnyRenderer, Background, Casters, DrawStatistics, FrameData, FrameLayout, FrameLight,
    FramePass, Frustum, GroundShadow, LineRenderer, LocalView, Phase, Reflected, Reflection,
    ShadowFit, SkyRenderer, View,
};
use crate::gpu::{Gpu, PassTimer, PassTimes, Target, TimedPass, UploadError};
use crate::kinds::{level, model, terrain, tiles};
use mapscope_scene::camera::Projection;
use mapscope_scene::{Aabb, Document, Drawable, Environment, Shown, Sun, map_parallel};

/// The renderers, one for each kind of content.
fn renderers(gpu: &Gpu, frame: &FrameLayout) -> [Box<dyn AnyRenderer>; 4] {
    [
        Box::new(terrain::TerrainRenderer::new(gpu, frame)),
        Box::new(model::ModelRenderer::new(gpu, frame)),
        Box::new(level::LevelRenderer::new(gpu, frame)),
        Box::new(tiles::TilesRenderer::new(gpu, frame)),
    ]
}

/// All renderers of one device.
#[derive(Debug)]
pub struct Renderer {
    frame: FrameLayout,
    sky: SkyRenderer,
    lines: LineRenderer,
    kinds: [Box<dyn AnyRenderer>; 4],
    /// `true` if water reflects the ground and the objects on it.
    has_ground_reflection: bool,
    /// For frames without a document.
    empty: FrameData,
    /// `None` until timing is switched on, and without timestamp support.
    timer: Option<PassTimer>,
}

impl Renderer {
    /// Creates the resources that all frames share. Pipelines are created on demand.
    pub fn new(gpu: &Gpu) -> Self {
        let frame = FrameLayout::new(gpu);
        Self {
            sky: SkyRenderer::new(&frame),
            lines: LineRenderer::new(&frame),
            kinds: renderers(gpu, &frame),
            // Too slow on a software adapter: a pixel of the reflection costs as much as one of the
            // frame.
            has_ground_reflection: !gpu.is_software(),
            empty: FrameData::new(gpu, &frame, Aabb::default(), 0.0),
            timer: None,
            frame,
        }
    }

    /// Switches the reflection of the ground and of its objects in water on or off. The sky is
    /// always reflected. The default is on, except on software adapters.
    pub fn set_ground_reflection(&mut self, has_ground_reflection: bool) {
        self.has_ground_reflection = has_ground_reflection;
    }

    /// Switches GPU timing of passes on or off. The default is off. See [`Renderer::pass_times`].
    pub fn set_pass_timing(&mut self, gpu: &Gpu, is_on: bool) {
        PassTimer::set_on(&mut self.timer, gpu, is_on);
    }

    /// Takes the GPU times of the last timed frame, without waiting. Call it after the commands of
    /// the frame were submitted. `None` until the GPU has finished, and without timestamp support
    /// ([`Gpu::has_timestamps`]). No other frame is timed until the times are taken.
    pub fn pass_times(&mut self, gpu: &Gpu) -> Option<PassTimes> {
        self.timer.as_mut()?.take(gpu)
    }

    /// `true` if the times of a frame are pending ([`Renderer::pass_times`]).
    pub fn has_pending_pass_times(&self) -> bool {
        self.timer.as_ref().is_some_and(PassTimer::is_pending)
    }

    /// Recreates all pipelines from the shaders on disk (debug builds). If any of them does not
    /// compile, the old ones stay.
    ///
    /// # Errors
    /// Returns the message of the shader compiler.
    pub fn reload_shaders(&mut self, gpu: &Gpu) -> Result<(), String> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let sky = self.sky.reloaded(gpu);
        let lines = self.lines.reloaded(gpu);
        let kinds = self.kinds.each_ref().map(|one| one.reloaded(gpu));
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(error.to_string());
        }
        (self.sky, self.lines, self.kinds) = (sky, lines, kinds);
        Ok(())
    }

    /// Uploads a document. Loads all of its deferred parts first.
    ///
    /// # Errors
    /// Returns an error if a resource exceeds a limit of the device.
    pub fn upload(&self, gpu: &Gpu, document: &dyn Document) -> Result<SceneData, UploadError> {
        document.wait_until_complete();
        self.upload_without_deferred(gpu, document)
    }

    /// Uploads a document without waiting for its deferred parts. Each of these is uploaded with
    /// the next frame after it was loaded.
    ///
    /// # Errors
    /// Returns an error if a resource exceeds a limit of the device.
    pub fn upload_without_deferred(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, None)
    }

    /// Starts a gradual upload. Each frame uploads about `bytes_per_frame` of its visible content,
    /// and the deferred parts that were loaded since the previous frame. See
    /// [`SceneData::progress`].
    ///
    /// # Errors
    /// Returns an error if a resource exceeds a limit of the device.
    pub fn upload_gradually(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
        bytes_per_frame: u64,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, Some(bytes_per_frame))
    }

    /// Starts to upload a later version of an uploaded document. It keeps the contents and textures
    /// that both share.
    ///
    /// # Errors
    /// Returns an error if a resource exceeds a limit of the device.
    pub fn upload_version(
        &self,
        gpu: &Gpu,
        scene: &mut SceneData,
        [before, document]: [&dyn Document; 2],
    ) -> Result<(), UploadError> {
        let skyboxes = [before, document].map(|document| {
            let skybox = document.environment().and_then(Environment::skybox);
            skybox.map(|skybox| &raw const *skybox)
        });
        if skyboxes[0] != skyboxes[1] {
            scene.contents.skybox = None;
        }
        let place = &mut |_: &dyn AnyRenderer, _: &Content, _: &Drawable<'_>| {};
        let shown = Shown::default();
        let contents = &mut scene.contents;
        contents.update(gpu, &self.kinds, (document, &shown), None, place)?;
        scene.view = self.new_view(gpu, document);
        Ok(())
    }

    /// Uploads a patch of an open map ([`Terrain::patch`]). It shares the map's textures.
    ///
    /// # Errors
    /// Returns an error if a resource exceeds a limit of the device.
    ///
    /// [`Terrain::patch`]: mapscope_scene::terrain::Terrain::patch
    pub fn upload_patch(
        &self,
        gpu: &Gpu,
        map: &SceneData,
        patch: &dyn Document,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, patch, Some(&map.contents), None)
    }

    fn upload_sharing(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
        shared: Option<&Contents>,
        bytes_per_frame: Option<u64>,
    ) -> Result<SceneData, UploadError> {
        let mut contents = Contents::new(bytes_per_frame);
        let shown = Shown::default();
        let place = &mut |_: &dyn AnyRenderer, _: &Content, _: &Drawable<'_>| {};
        contents.update(gpu, &self.kinds, (document, &shown), shared, place)?;
        let view = self.new_view(gpu, document);
        Ok(SceneData { contents, view })
    }

    /// Creates the state of another view of a document, for [`draw_view`](Self::draw_view).
    pub fn new_view(&self, gpu: &Gpu, document: &dyn Document) -> ViewData {
        ViewData::new(gpu, &self.frame, document)
    }

    /// Prepares the next frame of a document ahead of time. This is optional, but makes the next
    /// [`draw`](Self::draw) faster.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        scene: &mut SceneData,
        document: &dyn Document,
        view: &View,
        size: [u32; 2],
    ) {
        self.prepare_frame(gpu, &mut FrameJob::new(scene, document, view), size);
    }

    fn prepare_frame(&mut self, gpu: &Gpu, job: &mut FrameJob<'_>, size: [u32; 2]) {
        let (document, view) = (job.document, job.view);
        let environment = document.environment();
        job.contents.upload_skybox(gpu, environment);
        let local = LocalView::new(view, size);
        let water_height = job
            .contents
            .water_height(&local)
            .filter(|_| self.has_ground_reflection);
        let mirrored = water_height.and_then(|height| local.mirrored_at(height));
        job.data.has_reflection = mirrored.is_some();
        job.data.shadow.begin(shadow_fit(document, view, size));
        self.place(gpu, job, &local, mirrored.as_ref());
        let FrameJob { contents, data, .. } = &mut *job;

        let is_lit = environment.is_some() && !view.shown.hides_shadows;
        let ground = contents.ground().filter(|_| is_lit).cloned();
        let light = FrameLight {
            sun: environment.map_or_else(Sun::default, |environment| environment.sun),
            shadow: data.shadow.prepare(gpu, &self.frame),
            ground: ground.as_ref().map(GroundShadow::place).unwrap_or_default(),
            ground_heights: ground
                .as_ref()
                .map_or(Vec2::Y, |ground| ground.heights_of_texels),
        };
        data.frame.write(gpu, &local, &light);
        let has_skybox = contents.skybox.is_some();
        let mut lit = local;
        lit.to_sun = light.sun.direction();
        lit.casters = data.shadow.casters_of_frame();
        lit.reflected = Reflected {
            skybox: has_skybox,
            ground: mirrored.is_some(),
        };
        self.prepare_contents(gpu, contents, &mut data.placed, document, (lit, mirrored));

        // In an orthographic view, every pixel would show the same point of the sky.
        let shows_skybox = has_skybox && view.camera.projection == Projection::Perspective;
        data.arrange(document.about().floor_height.is_some(), shows_skybox);
        self.sky.prepare(data.background);
        self.lines.prepare(gpu, &mut data.lines, document, view);
        self.make_pipelines(gpu);

        let skybox = contents.skybox.as_ref().map(|skybox| &skybox.view);
        if let Some(mirrored) = mirrored {
            let reflection = data.reflection.take().filter(|it| it.is_for(size));
            let new = || Reflection::new(gpu, &self.frame, size);
            let reflection = data.reflection.insert(reflection.unwrap_or_else(new));
            reflection.bind(gpu, &self.frame, &mirrored, &light, ground.as_ref(), skybox);
        }
        let reflection = data.reflection.as_ref().filter(|_| data.has_reflection);
        data.frame.bind(
            gpu,
            &self.frame,
            data.shadow.view(),
            ground.as_ref(),
            skybox,
            reflection.map(Reflection::view),
        );
    }

    /// Uploads new contents of a document, and places them in the next frame of a view and in its
    /// reflection.
    fn place(
        &self,
        gpu: &Gpu,
        job: &mut FrameJob<'_>,
        local: &LocalView<'_>,
        mirrored: Option<&LocalView<'_>>,
    ) {
        let frustum = Frustum::new(local.clip_from_model);
        let mirrored = mirrored.map(|mirrored| Frustum::new(mirrored.clip_from_model));
        let frusta = [Some(&frustum), mirrored.as_ref()];
        let FrameJob { contents, data, .. } = job;
        data.begin();
        let place =
            &mut |renderer: &dyn AnyRenderer, content: &Content, drawable: &Drawable<'_>| {
                data.place(renderer, content, drawable, local, frusta);
            };
        let shown = &local.view.shown;
        let result = contents.update(gpu, &self.kinds, (job.document, shown), None, place);
        data.end();
        if let Err(error) = result {
            log::error!("{error}");
        }
    }

    /// Prepares the placed contents for the frame, and for the reflection if it needs separate view
    /// data.
    fn prepare_contents(
        &mut self,
        gpu: &Gpu,
        contents: &mut Contents,
        placed: &mut [Placed],
        document: &dyn Document,
        (local, mirrored): (LocalView<'_>, Option<LocalView<'_>>),
    ) {
        document.for_each_drawable(&local.view.shown, &mut |drawable| {
            let key = key(&drawable);
            let mut numbered = contents.list.iter_mut().enumerate();
            let Some((number, content)) = numbered.find(|(_, content)| content.key == key) else {
                return;
            };
            let Some(renderer) = self.kinds.get_mut(content.renderer) else {
                return;
            };
            for placed in placed.iter_mut().filter(|placed| placed.awaits(key)) {
                placed.content = number;
                placed.prepare(
                    gpu,
                    &self.frame,
                    &mut **renderer,
                    (content, drawable.content),
                    (local, mirrored.as_ref()),
                );
            }
        });
    }

    /// Creates the pipelines that the next frame needs, for all renderers in parallel.
    fn make_pipelines(&mut self, gpu: &Gpu) {
        let mut jobs = Vec::new();
        for renderer in &mut self.kinds {
            renderer.pipelines().take_requested(gpu, &mut jobs);
        }
        self.sky.pipelines().take_requested(gpu, &mut jobs);
        self.lines.pipelines().take_requested(gpu, &mut jobs);
        if !jobs.is_empty() {
            map_parallel(jobs.len(), |i| jobs[i]());
        }
    }

    /// Creates further pipelines in the background: those that the last frame did not need, but
    /// that later frames of the document may need.
    pub fn prefetch_pipelines(&mut self, gpu: &Gpu, scene: &SceneData) {
        for placed in &scene.view.placed {
            let content = scene.contents.list.get(placed.content);
            let renderer = content.and_then(|content| self.kinds.get_mut(content.renderer));
            if let (Some(renderer), Some(view)) = (renderer, placed.view.as_deref()) {
                renderer.prefetch_pipelines(gpu, view);
            }
        }
    }

    /// Waits until [`prefetch_pipelines`](Self::prefetch_pipelines) has created its pipelines, so
    /// that no later frame is slowed down by it.
    pub fn wait_for_pipelines(&mut self) {
        for renderer in &mut self.kinds {
            renderer.pipelines().wait_for_pipelines();
        }
    }

    /// Records one frame of a document. Without a document, the frame shows only the sky.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
    ) -> DrawStatistics {
        if let Some((scene, document)) = scene {
            let mut job = FrameJob::new(scene, document, view);
            return self.draw_passes(gpu, encoder, target, &mut job);
        }
        let local = LocalView::new(view, target.size);
        self.empty.write(gpu, &local, &FrameLight::default());
        self.sky.prepare(Background::Sky);
        self.make_pipelines(gpu);
        let is_transparent = view.shown.is_transparent;
        let mut pass = FramePass::begin(target, encoder, is_transparent, None);
        if !is_transparent {
            pass.set_bind_group(0, &self.empty.bind_group, &[]);
            self.sky.draw_above_haze(&mut pass, Background::Sky, &local);
        }
        pass.statistics
    }

    /// Records one frame of another view of a document. Frames of several views may be submitted
    /// together. All views show the same level of the document, with the same lights and tints.
    pub fn draw_view(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        (scene, data): (&mut SceneData, &mut ViewData),
        (document, view): (&dyn Document, &View),
    ) -> DrawStatistics {
        let mut job = FrameJob {
            contents: &mut scene.contents,
            data,
            document,
            view,
        };
        self.draw_passes(gpu, encoder, target, &mut job)
    }

    /// Prepares a frame and records its passes.
    fn draw_passes(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        job: &mut FrameJob<'_>,
    ) -> DrawStatistics {
        self.prepare_frame(gpu, job, target.size);
        let mut statistics = DrawStatistics::default();
        for pass in TimedPass::ALL {
            match pass {
                TimedPass::Reflection => self.draw_reflection(encoder, job),
                TimedPass::ShadowMap => self.draw_shadow_map(gpu, encoder, job),
                TimedPass::Frame => statistics = self.draw_frame(encoder, target, job),
            }
        }
        if let Some(timer) = &mut self.timer {
            timer.end_frame(encoder);
        }
        statistics
    }

    /// Draws the reflection, if the frame shows it.
    fn draw_reflection(&mut self, encoder: &mut wgpu::CommandEncoder, job: &FrameJob<'_>) {
        let data = &job.data;
        let Some(reflection) = data.reflection.as_ref().filter(|_| data.has_reflection) else {
            return;
        };
        let mut pass = reflection.begin_pass(encoder, self.timer.as_mut());
        let placed = data.in_phase(Phase::Reflection);
        for placed in placed.filter(|placed| placed.frame.is_none()) {
            pass.is_mirrored = true;
            draw_placed(
                &self.kinds,
                Phase::Reflection,
                &mut pass,
                job.contents,
                placed,
            );
        }
        pass.is_mirrored = false;
        self.sky.draw(&mut pass, data.background);
    }

    /// Redraws the stale parts of the shadow map.
    fn draw_shadow_map(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        job: &mut FrameJob<'_>,
    ) {
        let Self { kinds, timer, .. } = self;
        let ViewData { shadow, placed, .. } = &mut *job.data;
        let casters = |kind| {
            let prepared = placed.iter().filter(|placed| placed.is_prepared);
            prepared.filter(move |placed| Casters::of(&placed.placements.casting[0]) == kind)
        };
        let plays = casters(Casters::Playing).next().is_some();
        shadow.draw(gpu, encoder, timer.as_mut(), plays, |kind, pass| {
            for placed in casters(kind) {
                draw_placed(kinds, Phase::Shadow, pass, job.contents, placed);
            }
        });
    }

    fn draw_frame(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        job: &FrameJob<'_>,
    ) -> DrawStatistics {
        let data = &job.data;
        let local = LocalView::new(job.view, target.size);
        let is_transparent = job.view.shown.is_transparent;
        let timer = self.timer.as_mut();
        let timestamps = timer.and_then(|timer| timer.begin(TimedPass::Frame));
        let mut pass = FramePass::begin(target, encoder, is_transparent, timestamps);
        for phase in Phase::OF_FRAME {
            if phase == Phase::Background && is_transparent {
                continue;
            }
            for placed in data.in_phase(phase) {
                let frame = placed.frame.as_ref().unwrap_or(&data.frame);
                pass.set_bind_group(0, &frame.bind_group, &[]);
                pass.is_mirrored = placed.is_mirrored;
                draw_placed(&self.kinds, phase, &mut pass, job.contents, placed);
            }
            pass.set_bind_group(0, &data.frame.bind_group, &[]);
            pass.is_mirrored = false;
            match phase {
                Phase::Background => {
                    self.sky.draw_above_haze(&mut pass, data.background, &local);
                }
                Phase::Lines => self.lines.draw(&mut pass, &data.lines),
                Phase::Shadow | Phase::Reflection | Phase::Opaque | Phase::Transparent => {}
            }
        }
        let shadow = data.shadow.statistics();
        DrawStatistics {
            shadow_triangles: shadow.shadow_triangles,
            shadow_draw_calls: shadow.shadow_draw_calls,
            ..pass.statistics
        }
    }

    /// Draws one frame and waits for the GPU.
    pub fn draw_and_wait(
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
            log::error!("waiting for the frame: {error}");
        }
        statistics
    }
}

/// A frame to draw: a document with its resources, and a view of it.
struct FrameJob<'a> {
    contents: &'a mut Contents,
    data: &'a mut ViewData,
    document: &'a dyn Document,
    view: &'a View,
}

impl<'a> FrameJob<'a> {
    fn new(scene: &'a mut SceneData, document: &'a dyn Document, view: &'a View) -> Self {
        Self {
            contents: &mut scene.contents,
            data: &mut scene.view,
            document,
            view,
        }
    }
}

/// Draws one phase of prepared content.
fn draw_placed(
    kinds: &[Box<dyn AnyRenderer>],
    phase: Phase,
    pass: &mut FramePass<'_>,
    contents: &Contents,
    placed: &Placed,
) {
    let Some(content) = contents.list.get(placed.content) else {
        return;
    };
    let view = match phase {
        Phase::Reflection => placed.mirror.as_ref().or(placed.view.as_ref()),
        _ => placed.view.as_ref(),
    };
    let renderer = kinds.get(content.renderer);
    if let (Some(renderer), Some(data), Some(view)) = (renderer, &content.data, view) {
        renderer.draw(phase, pass, &**data, &**view);
    }
}

/// The part of the world that the shadow map covers; `None` without shadows.
fn shadow_fit(document: &dyn Document, view: &View, size: [u32; 2]) -> Option<ShadowFit> {
    let to_sun = document
        .environment()?
        .sun
        .casting_direction()
        .filter(|_| !view.shown.hides_shadows)?;
    // If a large image is drawn in parts, all parts share one shadow map.
    let whole = LocalView::whole(view, size);
    ShadowFit::new(&whole, &document.about().bounds, to_sun)
}
