//! Live previews for the panel of kinds: one per kind, and the sandbox tile among its neighbours.
//!
//! Each shows a few isolated tiles with the textures of the open map. It is drawn when first
//! visible, and again when its size or its contents change.

use std::collections::HashMap;

use egui::{TextureId, Vec2};

use super::view_texture::ViewTexture;
use crate::viewer::panels::{PreviewRenderer, TileSandbox};
use crate::viewer::state::OpenFile;
use mapscope_formats::pfmap::{Tile, TileType};
use mapscope_render::{Gpu, Renderer, Target, View};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Item, Shown, TerrainItem};

/// Supersampling factor along each axis, which smooths edges.
const SAMPLES: f32 = 2.0;
/// Maximum number of kind previews per frame, so that the window stays responsive.
const MAX_KINDS_PER_FRAME: u32 = 3;

/// The previews of a document.
#[derive(Default)]
pub(crate) struct PreviewTextures {
    version: Option<u64>,
    kinds: HashMap<Item, Drawn>,
    sandbox: Option<([Tile; 9], Drawn)>,
}

/// A drawn preview.
#[derive(Clone, Copy)]
struct Drawn {
    texture: TextureId,
    /// Width and height in pixels.
    size: [u32; 2],
}

impl PreviewTextures {
    /// Drops all previews, because their document is closed or would be drawn differently now.
    pub(crate) fn clear(&mut self, painter: &mut egui_wgpu::Renderer) {
        let sandbox = self.sandbox.take().map(|(_, drawn)| drawn);
        let kinds = self.kinds.drain().map(|(_, drawn)| drawn);
        for drawn in kinds.chain(sandbox) {
            painter.free_texture(&drawn.texture);
        }
    }
}

/// Draws previews on request of the panels, during one frame.
pub(crate) struct LivePreviews<'a> {
    gpu: &'a Gpu,
    renderer: &'a mut Renderer,
    painter: &'a mut egui_wgpu::Renderer,
    view: &'a mut ViewTexture,
    textures: &'a mut PreviewTextures,
    open: Option<OpenFile>,
    pixels_per_point: f32,
    kinds_left: u32,
    unfinished: bool,
}

impl<'a> LivePreviews<'a> {
    /// Creates the previews of a frame with the open document.
    pub(crate) fn new(
        gpu: &'a Gpu,
        renderer: &'a mut Renderer,
        painter: &'a mut egui_wgpu::Renderer,
        view: &'a mut ViewTexture,
        textures: &'a mut PreviewTextures,
        open: Option<OpenFile>,
        pixels_per_point: f32,
    ) -> Self {
        let version = open.as_ref().map(|open| open.version);
        if textures.version != version {
            textures.clear(painter);
            textures.version = version;
        }
        Self {
            gpu,
            renderer,
            painter,
            view,
            textures,
            open,
            pixels_per_point,
            kinds_left: MAX_KINDS_PER_FRAME,
            unfinished: false,
        }
    }

    /// `true` if a requested preview has to wait for the next frame.
    pub(crate) fn unfinished(&self) -> bool {
        self.unfinished
    }

    /// Returns the size in pixels of a preview with the given size in points.
    fn pixels(&self, size: Vec2) -> [u32; 2] {
        let scale = self.pixels_per_point;
        [size.x, size.y].map(|side| ((side * scale).round() * SAMPLES).max(1.0) as u32)
    }

    /// Draws some tiles of the open map, and replaces an older preview if there is one.
    fn draw(
        &mut self,
        tiles: impl FnOnce(&Terrain) -> Terrain,
        size: [u32; 2],
        before: Option<Drawn>,
    ) -> Option<Drawn> {
        let open = self.open.as_ref()?;
        let Some(map) = self.view.scene(open.version) else {
            // The map is uploaded after the panels are shown.
            self.unfinished = true;
            return None;
        };
        let terrain = open.document.content::<Terrain>()?;
        let patch = tiles(terrain);
        let mut scene = self
            .renderer
            .upload_patch(self.gpu, map, &patch)
            .inspect_err(|error| log::warn!("a preview of a tile: {error}"))
            .ok()?;
        let target = Target::new(self.gpu, size);
        let view = View {
            shown: Shown {
                selected: Some(Terrain::patch_center()),
                ..Shown::default()
            },
            // Half as wide as in the view, but the same width in points on every screen.
            line_scale: SAMPLES * 0.5 * self.pixels_per_point,
            ..View::plain(patch.patch_camera(target.aspect()))
        };
        let device = &self.gpu.device;
        let mut encoder = device.create_command_encoder(&Default::default());
        let shown = Some((&mut scene, &patch as _));
        self.renderer
            .draw(self.gpu, &mut encoder, &target, shown, &view);
        self.gpu.queue.submit([encoder.finish()]);
        let (view, filter) = (target.color_view(), wgpu::FilterMode::Linear);
        let texture = match before {
            Some(Drawn { texture, .. }) => {
                self.painter
                    .update_egui_texture_from_wgpu_texture(device, view, filter, texture);
                texture
            }
            None => self.painter.register_native_texture(device, view, filter),
        };
        Some(Drawn { texture, size })
    }
}

impl PreviewRenderer for LivePreviews<'_> {
    fn kind_preview(&mut self, kind: Item, size: Vec2) -> Option<TextureId> {
        let size = self.pixels(size);
        let before = self.textures.kinds.get(&kind).copied();
        let mut drawn = before;
        if before.is_none_or(|before| before.size != size) {
            if self.kinds_left == 0 {
                self.unfinished = true;
            } else {
                let Item::Terrain(TerrainItem::TileType { class }) = kind else {
                    return None;
                };
                let kind_of_tile = TileType::from_index(class)?;
                self.kinds_left -= 1;
                drawn = self.draw(|map| map.showcase_patch(kind_of_tile), size, before);
            }
        }
        // The old preview is shown until it is drawn in the new size.
        let drawn = drawn.or(before)?;
        self.textures.kinds.insert(kind, drawn);
        Some(drawn.texture)
    }

    fn sandbox_preview(&mut self, sandbox: &TileSandbox, size: Vec2) -> Option<TextureId> {
        let size = self.pixels(size);
        let tiles = sandbox.tiles;
        let before = self.textures.sandbox;
        if let Some((of, drawn)) = before
            && of == tiles
            && drawn.size == size
        {
            return Some(drawn.texture);
        }
        let before = before.map(|(_, drawn)| drawn);
        let drawn = self.draw(|map| map.patch(&tiles), size, before)?;
        self.textures.sandbox = Some((tiles, drawn));
        Some(drawn.texture)
    }
}

#[cfg(test)]
mod tests {
    use super::super::view_texture::Extent;
    use super::*;
    use crate::view_request::ViewRequest;
    use crate::viewer::state::State;
    use crate::viewer::state::settings::Settings;
    use mapscope_render::{COLOR_FORMAT, Samples};
    use mapscope_scene::{OpenOptions, Progress, demo};

    /// The resources of a window, without a window.
    struct Stage {
        gpu: Gpu,
        renderer: Renderer,
        painter: egui_wgpu::Renderer,
        preview: ViewTexture,
        previews: PreviewTextures,
        state: State,
    }

    impl Stage {
        fn new() -> Self {
            Self::with(Samples::One)
        }

        fn with(samples: Samples) -> Self {
            let gpu = Gpu::headless(None).unwrap().with_samples(Some(samples));
            let options = egui_wgpu::RendererOptions::default();
            let painter = egui_wgpu::Renderer::new(&gpu.device, COLOR_FORMAT, options);
            let mut stage = Self {
                renderer: Renderer::new(&gpu),
                preview: ViewTexture::new(&gpu, COLOR_FORMAT),
                previews: PreviewTextures::default(),
                state: State::new(Settings::default(), ViewRequest::default()),
                painter,
                gpu,
            };
            stage.open(1);
            stage
        }

        fn open(&mut self, version: u64) {
            let source = demo::TERRAIN.source();
            let document =
                mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
                    .unwrap();
            self.state.session.open = Some(OpenFile::new(
                source.path,
                Some(&demo::TERRAIN),
                document,
                version,
            ));
        }

        /// Draws a frame with the panel's previews, then the frame itself.
        fn frame<T>(&mut self, panel: impl FnOnce(&mut LivePreviews<'_>) -> T) -> (T, bool) {
            let mut previews = LivePreviews::new(
                &self.gpu,
                &mut self.renderer,
                &mut self.painter,
                &mut self.preview,
                &mut self.previews,
                self.state.session.open.clone(),
                1.0,
            );
            let shown = panel(&mut previews);
            let unfinished = previews.unfinished();
            let extent = Extent {
                size: [64, 48],
                pixels_per_point: 1.0,
            };
            self.preview
                .update(
                    &self.gpu,
                    &mut self.renderer,
                    &self.state.session,
                    extent,
                    false,
                )
                .unwrap();
            (shown, unfinished)
        }

        fn has(&self, texture: TextureId) -> bool {
            self.painter.texture(&texture).is_some()
        }
    }

    const PLACE: Vec2 = Vec2::new(80.0, 60.0);

    #[test]
    fn previews_of_kinds_come_a_few_at_a_time_and_are_kept() {
        let mut stage = Stage::new();
        let kinds = stage
            .state
            .session
            .document()
            .unwrap()
            .about()
            .kinds
            .clone();
        let all = |stage: &mut Stage, place| {
            stage.frame(|previews| -> Vec<Option<TextureId>> {
                kinds
                    .iter()
                    .map(|k| previews.kind_preview(k.item, place))
                    .collect()
            })
        };
        // Previews require the map on the GPU.
        let (shown, unfinished) = all(&mut stage, PLACE);
        assert!(unfinished && shown.iter().all(Option::is_none));
        for drawn in [3, 6, 9, 12, 13] {
            let (shown, unfinished) = all(&mut stage, PLACE);
            assert_eq!(shown.iter().flatten().count(), drawn);
            assert_eq!(unfinished, drawn < 13);
        }
        let kept = stage.previews.kinds.len();
        let (shown, unfinished) = all(&mut stage, PLACE);
        assert_eq!((shown.len(), kept, unfinished), (13, 13, false));
        // In another size they are drawn again; the old ones remain visible meanwhile.
        let (larger, unfinished) = all(&mut stage, PLACE * 1.5);
        assert_eq!((&larger, unfinished), (&shown, true));
        // Another document has its own previews.
        stage.open(2);
        let (others, _) = all(&mut stage, PLACE);
        assert!(others.iter().all(Option::is_none));
        assert!(!shown.iter().flatten().any(|texture| stage.has(*texture)));
    }

    /// The view, its pictures, previews and egui's rendering need the same sample count; otherwise
    /// the device rejects them.
    #[test]
    fn the_view_and_its_previews_have_smooth_edges() {
        let taken = [Samples::One, Samples::Four].map(|samples| {
            let mut stage = Stage::with(samples);
            let sandbox = TileSandbox::default();
            stage.frame(|_| ());
            let (shown, _) = stage.frame(|previews| previews.sandbox_preview(&sandbox, PLACE));
            assert!(shown.is_some_and(|texture| stage.has(texture)));
            let (gpu, renderer) = (&stage.gpu, &mut stage.renderer);
            let taken = stage.preview.take(gpu, renderer, &stage.state).unwrap();
            (taken, stage.preview.gpu_bytes())
        });
        let [(plain, fewer), (smooth, more)] = taken;
        assert_eq!(plain.dimensions(), (64, 48));
        let colors = |image: &image::RgbaImage| {
            let colors: std::collections::BTreeSet<_> = image.pixels().map(|p| p.0).collect();
            colors.len()
        };
        assert!(colors(&smooth) > colors(&plain));
        assert!(more > fewer, "{more} and {fewer} bytes");
    }

    #[test]
    fn the_sandbox_is_drawn_again_only_when_it_changed() {
        let mut stage = Stage::new();
        let mut sandbox = TileSandbox::default();
        // The texture and its contents: each drawing creates a new bind group.
        let show = |stage: &mut Stage, sandbox: &TileSandbox| {
            let (texture, _) = stage.frame(|previews| previews.sandbox_preview(sandbox, PLACE));
            let shown = texture.and_then(|texture| stage.painter.texture(&texture));
            (texture, shown.map(|shown| shown.bind_group.clone()))
        };
        assert_eq!(show(&mut stage, &sandbox), (None, None));
        let (texture, first) = show(&mut stage, &sandbox);
        assert!(first.is_some());
        assert_eq!(show(&mut stage, &sandbox), (texture, first.clone()));
        sandbox.tiles[4].base_height = 3;
        let (same_texture, second) = show(&mut stage, &sandbox);
        assert!(same_texture == texture && second.is_some() && second != first);
        assert_eq!(show(&mut stage, &sandbox), (texture, second));
    }
}
