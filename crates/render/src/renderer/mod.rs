//! Draws documents: the pipelines of all kinds of content, and the passes of a frame.

mod picture;
mod scene;

pub use self::picture::{PictureError, is_drawn_at_once};
pub use self::scene::SceneData;

use self::scene::{Content, Skybox, key};
use glam::Vec2;

use crate::frame::content::{AnyRenderer, UploadOptions};
use crate::frame::light::{FrameLight, GroundShadow};
use crate::frame::lines::LineRenderer;
use crate::frame::pass::{Background, FramePass, Phase};
use crate::frame::reflection::Reflection;
use crate::frame::shadow::{Casters, ShadowFit};
use crate::frame::sky::{SkyRenderer, upload_skybox};
use crate::frame::uniforms::{FrameData, FrameLayout};
use crate::frame::view::{Frustum, LocalView, Reflected};
use crate::frame::{DrawStatistics, View};
use crate::gpu::timing::PassTimer;
use crate::gpu::{Gpu, PassTimes, Target, TimedPass, UploadError};
use crate::kinds::{level, model, terrain, tiles};
use mapscope_scene::camera::Projection;
use mapscope_scene::{Aabb, Document, Shown, Sun, on_all_threads};

/// The renderers, one for each kind of content.
fn renderers(gpu: &Gpu, frame: &FrameLayout) -> [Box<dyn AnyRenderer>; 4] {
    [
        Box::new(terrain::TerrainRenderer::new(gpu, frame)),
        Box::new(model::ModelRenderer::new(gpu, frame)),
        Box::new(level::LevelRenderer::new(gpu, frame)),
        Box::new(tiles::TilesRenderer::new(gpu, frame)),
    ]
}

/// All renderers, for one device.
#[derive(Debug)]
pub struct Renderer {
    frame: FrameLayout,
    sky: SkyRenderer,
    lines: LineRenderer,
    contents: [Box<dyn AnyRenderer>; 4],
    /// Whether water reflects the ground and what stands on it.
    reflects_ground: bool,
    /// For frames of no document.
    empty: FrameData,
    /// None where the adapter has no timestamps.
    timer: Option<PassTimer>,
}

impl Renderer {
    /// Makes what all frames share. Pipelines are compiled when they are first needed.
    pub fn new(gpu: &Gpu) -> Self {
        let frame = FrameLayout::new(gpu);
        Self {
            sky: SkyRenderer::new(&frame),
            lines: LineRenderer::new(&frame),
            contents: renderers(gpu, &frame),
            // There each pixel of it would cost as much as one of the frame.
            reflects_ground: !gpu.is_software(),
            empty: FrameData::new(gpu, &frame, Aabb::default(), 0.0),
            timer: None,
            frame,
        }
    }

    /// Has water reflect the ground and what stands on it as well as the sky, or not. At first it
    /// does, except on software adapters.
    pub fn set_reflects_ground(&mut self, reflects_ground: bool) {
        self.reflects_ground = reflects_ground;
    }

    /// Has the GPU's own time for the passes of the next frames measured, or not, which it is not at
    /// first. See [`Renderer::pass_times`].
    pub fn set_times_passes(&mut self, gpu: &Gpu, is_on: bool) {
        PassTimer::set_on(&mut self.timer, gpu, is_on);
    }

    /// What the passes of a frame took on the GPU that was drawn while they were timed, once the
    /// commands that draw it were submitted: none until the GPU is done, which is not waited for, and
    /// where the adapter has no timestamps ([`Gpu::has_timestamps`]). While they are not taken, no
    /// other frame is timed.
    pub fn pass_times(&mut self, gpu: &Gpu) -> Option<PassTimes> {
        self.timer.as_mut()?.take(gpu)
    }

    /// Whether the times of a frame are still to be had ([`Renderer::pass_times`]).
    pub fn awaits_pass_times(&self) -> bool {
        self.timer.as_ref().is_some_and(PassTimer::is_awaited)
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

    /// Puts a document on the GPU: all of what is shown of it first, for which it is completed. What
    /// it has later follows when it is drawn.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    pub fn upload(&self, gpu: &Gpu, document: &dyn Document) -> Result<SceneData, UploadError> {
        document.wait_until_complete();
        self.upload_as_is(gpu, document)
    }

    /// The same, but what it was opened without follows when it is drawn after that has come.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    pub fn upload_as_is(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, None)
    }

    /// Puts a document on the GPU that may appear piece by piece: before each frame some of what
    /// is shown is sent, nearly so many bytes ([`SceneData::progress`]), and what has come since the
    /// last one of what it was opened without.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    pub fn upload_gradually(
        &self,
        gpu: &Gpu,
        document: &dyn Document,
        bytes_per_frame: u64,
    ) -> Result<SceneData, UploadError> {
        self.upload_sharing(gpu, document, None, Some(bytes_per_frame))
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
        bytes_per_frame: Option<u64>,
    ) -> Result<SceneData, UploadError> {
        let bounds = document.about().bounds;
        let floor = document.floor_height().unwrap_or(0.0);
        let frame = FrameData::new(gpu, &self.frame, bounds, floor);
        let mut scene = SceneData::new(gpu, frame, bytes_per_frame);
        self.list(gpu, &mut scene, document, shared, [None; 2])?;
        Ok(scene)
    }

    /// Finds out what a document is made of and where that stands in the next frame, and in what its
    /// water reflects. What is new is put on the GPU, and what is gone is removed from it.
    ///
    /// # Errors
    /// The last one that was met. It is met once.
    fn list(
        &self,
        gpu: &Gpu,
        scene: &mut SceneData,
        document: &dyn Document,
        shared: Option<&SceneData>,
        [local, mirrored]: [Option<&LocalView<'_>>; 2],
    ) -> Result<(), UploadError> {
        let plain = Shown::default();
        let shown = local.map_or(&plain, |local| &local.view.shown);
        let mut result = Ok(());
        let mut sent_bytes = 0;
        let frusta =
            [local, mirrored].map(|local| local.map(|local| Frustum::new(local.clip_from_model)));
        scene.awaited = 0;
        for content in &mut scene.contents {
            let groups = content.groups.as_flattened_mut();
            groups.iter_mut().for_each(Vec::clear);
            content.casting[1].clear();
            (content.is_listed, content.is_prepared) = (false, false);
        }
        document.for_each_drawable(shown, &mut |drawable| {
            let mut renderers = self.contents.iter().enumerate();
            let Some((number, renderer)) = renderers.find(|(_, r)| r.draws(drawable.content))
            else {
                log::error!("there is no renderer for this kind of content");
                return;
            };
            let key = key(&drawable);
            for content in scene.contents.iter_mut().filter(|c| c.key == key) {
                content.is_listed = true;
            }
            let is_instanced = renderer.is_instanced();
            let together = if is_instanced { usize::MAX } else { 1 };
            for placements in drawable.placements.chunks(together) {
                let is_free = |c: &Content| c.key == key && (is_instanced || c.is_nowhere());
                let mut at = scene.contents.iter().position(is_free);
                if at.is_none() {
                    if scene.bytes_per_frame.is_some_and(|max| sent_bytes >= max) {
                        scene.awaited += 1;
                        continue;
                    }
                    let of_other = shared.and_then(|other| {
                        let mut contents = other.contents.iter();
                        contents.find(|content| content.renderer == number)
                    });
                    // What the same content was before it changed.
                    let is_earlier = |c: &&Content| c.renderer == number && c.key.0 == key.0;
                    let shared = of_other.or_else(|| scene.contents.iter().find(is_earlier));
                    let shared = shared.and_then(|content| content.data.as_deref());
                    let options = UploadOptions {
                        shared,
                        bytes_per_frame: scene.bytes_per_frame,
                    };
                    let data = renderer.upload(gpu, drawable.content, options);
                    let data = data.unwrap_or_else(|error| {
                        result = Err(error);
                        None
                    });
                    sent_bytes += data.as_ref().map_or(0, |data| data.gpu_bytes());
                    at = Some(scene.contents.len());
                    scene.contents.push(Content::new(number, key, data));
                }
                if let Some(content) = at.and_then(|at| scene.contents.get_mut(at)) {
                    let frusta = frusta.each_ref();
                    let frusta = frusta.map(|it| it.as_ref().filter(|_| is_instanced));
                    let casts = renderer.casts_shadows();
                    let shadow = Some(&mut scene.shadow).filter(|_| casts);
                    content.place(&drawable, placements, local, frusta, shadow);
                }
            }
        });
        let shadow = &mut scene.shadow;
        scene.contents.retain_mut(|content| {
            let [drawn, next] = &mut content.casting;
            shadow.compare(drawn, next);
            drawn.clone_from(next);
            content.is_listed
        });
        result
    }

    /// Makes ready what the next frame of a document needs. [`draw`](Self::draw) does it too;
    /// what is ready takes it next to no time.
    pub fn prepare(
        &mut self,
        gpu: &Gpu,
        scene: &mut SceneData,
        document: &dyn Document,
        view: &View,
        size: [u32; 2],
    ) {
        let mut local = LocalView::new(view, size);
        // All parts of an image have one shadow map.
        let whole = LocalView::whole(view, size);
        let environment = document.environment();
        if scene.skybox.is_none() {
            let skybox = environment.and_then(|environment| environment.skybox());
            scene.skybox = skybox.and_then(|skybox| {
                Some(Skybox {
                    view: upload_skybox(gpu, skybox)?,
                    bytes: skybox.cpu_bytes(),
                })
            });
        }
        let to_sun = environment.and_then(|environment| environment.sun.casting_direction());
        let to_sun = to_sun.filter(|_| !view.shown.hides_shadows);
        let bounds = document.about().bounds;
        let fit = to_sun.and_then(|to_sun| ShadowFit::new(&whole, &bounds, to_sun));
        scene.shadow.begin(fit);
        let mut grounds = scene.contents.iter().filter(|content| content.is_ground());
        let water = grounds.find_map(|content| content.data.as_ref()?.water_height(&local));
        let water = water.filter(|_| self.reflects_ground);
        let mirrored = water.and_then(|height| local.mirrored_at(height));
        let locals = [Some(&local), mirrored.as_ref()];
        if let Err(error) = self.list(gpu, scene, document, None, locals) {
            log::error!("{error}");
        }
        let shadow = scene.shadow.prepare(gpu, &self.frame);
        let lights_ground = environment.is_some() && !view.shown.hides_shadows;
        let mut data = scene.contents.iter().filter_map(|c| c.data.as_ref());
        let ground = data.find_map(|data| data.ground_shadow());
        let ground = ground.filter(|_| lights_ground).cloned();
        let light = FrameLight {
            sun: environment.map_or_else(Sun::default, |environment| environment.sun),
            shadow,
            ground: ground.as_ref().map(GroundShadow::place).unwrap_or_default(),
            ground_heights: ground
                .as_ref()
                .map_or(Vec2::Y, |ground| ground.heights_of_texels),
        };
        let skybox = scene.skybox.as_ref().map(|skybox| &skybox.view);
        scene.frame.write(gpu, &local, &light);
        local.to_sun = light.sun.direction();
        local.casters = scene.shadow.casters_of_frame();
        local.reflected = Reflected {
            skybox: scene.skybox.is_some(),
            ground: mirrored.is_some(),
        };
        if mirrored.is_some() && scene.reflection.is_none() {
            // So that its pipelines are made beside those of what its water reflects.
            self.prepare_ground(gpu, document, &mut scene.contents, local);
            for content in &mut scene.contents {
                content.is_prepared = false;
            }
        }
        document.for_each_drawable(&view.shown, &mut |drawable| {
            let key = key(&drawable);
            let is_next = |c: &&mut Content| c.key == key && !c.is_prepared;
            for content in scene.contents.iter_mut().filter(is_next) {
                if let Some(renderer) = self.contents.get_mut(content.renderer) {
                    // The ground is drawn as in a mirror first.
                    let of_mirror = mirrored.filter(|_| content.is_ground());
                    let local = of_mirror.unwrap_or(local);
                    content.prepare(gpu, &self.frame, &mut **renderer, drawable.content, local);
                }
            }
        });
        let contents = &scene.contents;
        scene.far_to_near.clear();
        scene.far_to_near.extend(0..contents.len());
        scene.far_to_near.sort_unstable_by(|&a, &b| {
            let nearness = contents[b].depth.total_cmp(&contents[a].depth);
            nearness.then(a.cmp(&b))
        });
        let contents = scene.in_phase(Phase::Background);
        let backgrounds = contents.map(|(_, data)| data.background());
        // What has a floor stands on it also while none of it can be drawn.
        let of_nothing = match document.floor_height() {
            Some(_) => Background::Studio,
            None => Background::Sky,
        };
        scene.background = backgrounds.max().unwrap_or(of_nothing);
        // Without perspective all rays are the same, and an image would be one colour.
        let has_sky = view.camera.projection == Projection::Perspective && scene.skybox.is_some();
        if scene.background == Background::Sky && has_sky {
            scene.background = Background::Skybox;
        }
        self.sky.prepare(scene.background);
        self.lines.prepare(gpu, &mut scene.lines, document, view);
        self.make_pipelines(gpu);
        if let Some(mirrored) = mirrored {
            let reflection = scene.reflection.take().filter(|it| it.is_for(size));
            let new = || Reflection::new(gpu, &self.frame, size);
            let mut reflection = reflection.unwrap_or_else(new);
            reflection.bind(gpu, &self.frame, &mirrored, &light, ground.as_ref(), skybox);
            reflection.draw(gpu, self.timer.as_mut(), |pass| {
                let in_place = scene.in_phase(Phase::Reflection);
                for (content, data) in in_place.filter(|(content, _)| content.frame.is_none()) {
                    pass.is_mirrored = true;
                    if let Some(renderer) = self.contents.get(content.renderer) {
                        renderer.draw(Phase::Reflection, pass, data);
                    }
                }
                pass.is_mirrored = false;
                self.sky.draw(pass, scene.background);
            });
            scene.reflection = Some(reflection);
            self.prepare_ground(gpu, document, &mut scene.contents, local);
            self.make_pipelines(gpu);
        }
        let reflection = mirrored.and(scene.reflection.as_ref());
        let shadow_map = scene.shadow.view();
        let reflection = reflection.map(Reflection::view);
        scene.frame.bind(
            gpu,
            &self.frame,
            shadow_map,
            ground.as_ref(),
            skybox,
            reflection,
        );
        for data in scene.contents.iter_mut().filter_map(|c| c.data.as_mut()) {
            if data.take_new_shadow() {
                scene.shadow.renew();
            }
        }
    }

    /// Makes the pipelines that the next frame needs, those of all renderers side by side.
    fn make_pipelines(&mut self, gpu: &Gpu) {
        let mut jobs = Vec::new();
        for renderer in &mut self.contents {
            renderer.pipelines().take_needed(gpu, &mut jobs);
        }
        self.sky.pipelines().take_needed(gpu, &mut jobs);
        self.lines.pipelines().take_needed(gpu, &mut jobs);
        if !jobs.is_empty() {
            on_all_threads(jobs.len(), |i| jobs[i]());
        }
    }

    /// Begins to make pipelines that the frame which was drawn last had no need of and others of the
    /// same document may, so that these do not wait for them. They are made in a thread of their own.
    pub fn prepare_ahead(&mut self, gpu: &Gpu, scene: &SceneData) {
        for content in &scene.contents {
            let renderer = self.contents.get_mut(content.renderer);
            if let (Some(renderer), Some(data)) = (renderer, content.data.as_deref()) {
                renderer.prepare_ahead(gpu, data);
            }
        }
    }

    /// Waits for the pipelines that [`prepare_ahead`](Self::prepare_ahead) began to make: frames after
    /// that take as long as any later one.
    pub fn finish_ahead(&mut self) {
        for renderer in &mut self.contents {
            renderer.pipelines().finish_ahead();
        }
    }

    /// Makes ready the ground alone, after it was seen from elsewhere.
    fn prepare_ground(
        &mut self,
        gpu: &Gpu,
        document: &dyn Document,
        contents: &mut [Content],
        local: LocalView<'_>,
    ) {
        document.for_each_drawable(&local.view.shown, &mut |drawable| {
            let key = key(&drawable);
            let is_it = |content: &&mut Content| content.key == key && content.is_ground();
            for content in contents.iter_mut().filter(is_it) {
                if let Some(renderer) = self.contents.get_mut(content.renderer) {
                    content.prepare(gpu, &self.frame, &mut **renderer, drawable.content, local);
                }
            }
        });
    }

    /// Records one frame of a document, or of the empty sky when there is none.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &Target,
        scene: Option<(&mut SceneData, &dyn Document)>,
        view: &View,
    ) -> DrawStatistics {
        let Some((scene, document)) = scene else {
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
            return pass.statistics;
        };
        self.prepare(gpu, scene, document, view, target.size);
        let local = LocalView::new(view, target.size);
        self.draw_shadows(gpu, encoder, scene);
        let is_transparent = view.shown.is_transparent;
        let timer = self.timer.as_mut();
        let timestamps = timer.and_then(|timer| timer.begin(TimedPass::Frame));
        let mut pass = FramePass::begin(target, encoder, is_transparent, timestamps);
        for phase in Phase::OF_FRAME {
            if phase == Phase::Background && is_transparent {
                continue;
            }
            for (content, data) in scene.in_phase(phase) {
                let frame = content.frame.as_ref().unwrap_or(&scene.frame);
                pass.set_bind_group(0, &frame.bind_group, &[]);
                pass.is_mirrored = content.is_mirrored;
                if let Some(renderer) = self.contents.get(content.renderer) {
                    renderer.draw(phase, &mut pass, data);
                }
            }
            pass.set_bind_group(0, &scene.frame.bind_group, &[]);
            pass.is_mirrored = false;
            match phase {
                Phase::Background => {
                    self.sky
                        .draw_above_haze(&mut pass, scene.background, &local);
                }
                Phase::Lines => self.lines.draw(&mut pass, &scene.lines),
                Phase::Shadow | Phase::Reflection | Phase::Opaque | Phase::Transparent => {}
            }
        }
        let mut statistics = pass.statistics;
        drop(pass);
        if let Some(timer) = &mut self.timer {
            timer.end_frame(encoder);
        }
        if scene.shadow.is_on() {
            let of_map = scene.shadow.statistics();
            statistics.shadow_triangles = of_map.shadow_triangles;
            statistics.shadow_draw_calls = of_map.shadow_draw_calls;
        }
        statistics
    }

    /// Draws the shadow map of a frame that was prepared, as far as it is not as it must be.
    fn draw_shadows(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        scene: &mut SceneData,
    ) {
        let renderers = &self.contents;
        let mut shadow = std::mem::take(&mut scene.shadow);
        let casters = || {
            let contents = scene.in_phase(Phase::Shadow);
            contents.map(|(content, data)| (Casters::of(&content.casting[0]), content, data))
        };
        let plays = casters().any(|(kind, ..)| kind == Casters::Playing);
        shadow.draw(gpu, encoder, self.timer.as_mut(), plays, |drawn, pass| {
            for (_, content, data) in casters().filter(|(kind, ..)| *kind == drawn) {
                if let Some(renderer) = renderers.get(content.renderer) {
                    renderer.draw(Phase::Shadow, pass, data);
                }
            }
        });
        scene.shadow = shadow;
    }

    /// Draws one frame and waits until it is done.
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
            log::error!("waiting for the frame: {error}");
        }
        statistics
    }
}
