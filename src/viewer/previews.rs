//! Live pictures for the panel that lists the kinds a document is built of: of each kind, and of
//! the tile in the sandbox among its neighbours.
//!
//! Each shows a few tiles by themselves that share the textures of the open map. It is drawn when
//! it is first seen, and again when its size or what it shows has changed.

use std::collections::HashMap;

use egui::{TextureId, Vec2};

use super::panels::{PreviewRenderer, TileSandbox};
use super::picture::Picture;
use super::state::OpenFile;
use crate::formats::pfmap::{Tile, TileType};
use crate::render::{Gpu, Renderer, Target, View};
use crate::scene::terrain::Terrain;
use crate::scene::{Drawable, Item};

/// Pixels that are drawn for each pixel that is shown, along each axis: it smooths edges.
const SAMPLES: f32 = 2.0;
/// Pictures of kinds that are drawn in one frame at most, so that the window stays quick.
const MOST_KINDS_A_FRAME: u32 = 3;

/// The pictures that were drawn of a document.
#[derive(Default)]
pub(super) struct PreviewPictures {
    version: Option<u64>,
    kinds: HashMap<Item, Drawn>,
    sandbox: Option<([Tile; 9], Drawn)>,
}

/// A picture that was drawn.
#[derive(Clone, Copy)]
struct Drawn {
    texture: TextureId,
    /// Width and height in pixels.
    size: [u32; 2],
}

impl PreviewPictures {
    /// Lets go of all pictures, because they show a document that is no longer open, or not as it
    /// would be drawn now.
    pub(super) fn clear(&mut self, painter: &mut egui_wgpu::Renderer) {
        let sandbox = self.sandbox.take().map(|(_, drawn)| drawn);
        let kinds = self.kinds.drain().map(|(_, drawn)| drawn);
        for drawn in kinds.chain(sandbox) {
            painter.free_texture(&drawn.texture);
        }
    }
}

/// Draws pictures when panels ask for them, during one frame.
pub(super) struct LivePreviews<'a> {
    gpu: &'a Gpu,
    renderer: &'a mut Renderer,
    painter: &'a mut egui_wgpu::Renderer,
    picture: &'a mut Picture,
    pictures: &'a mut PreviewPictures,
    open: Option<OpenFile>,
    pixels_per_point: f32,
    kinds_left: u32,
    unfinished: bool,
}

impl<'a> LivePreviews<'a> {
    /// For a frame in which this document is open.
    pub(super) fn new(
        gpu: &'a Gpu,
        renderer: &'a mut Renderer,
        painter: &'a mut egui_wgpu::Renderer,
        picture: &'a mut Picture,
        pictures: &'a mut PreviewPictures,
        open: Option<OpenFile>,
        pixels_per_point: f32,
    ) -> Self {
        let version = open.as_ref().map(|open| open.version);
        if pictures.version != version {
            pictures.clear(painter);
            pictures.version = version;
        }
        Self {
            gpu,
            renderer,
            painter,
            picture,
            pictures,
            open,
            pixels_per_point,
            kinds_left: MOST_KINDS_A_FRAME,
            unfinished: false,
        }
    }

    /// Whether a picture was asked for that only the next frame can have.
    pub(super) fn unfinished(&self) -> bool {
        self.unfinished
    }

    /// The size in pixels of a picture that takes this much room, in points.
    fn pixels(&self, size: Vec2) -> [u32; 2] {
        let scale = self.pixels_per_point;
        [size.x, size.y].map(|side| ((side * scale).round() * SAMPLES).max(1.0) as u32)
    }

    /// Draws some tiles of the open map, in place of an older picture if there is one.
    fn draw(
        &mut self,
        tiles: impl FnOnce(&Terrain) -> Terrain,
        size: [u32; 2],
        before: Option<Drawn>,
    ) -> Option<Drawn> {
        let open = self.open.as_ref()?;
        let Some(map) = self.picture.scene(open.version) else {
            // The map is put on the GPU after the panels are shown.
            self.unfinished = true;
            return None;
        };
        let Drawable::Terrain(terrain) = open.document.drawable();
        let patch = tiles(terrain);
        let scene = self.renderer.upload_patch(self.gpu, map, &patch);
        let mut scene = scene
            .inspect_err(|error| log::warn!("a picture of a tile: {error}"))
            .ok()?;
        let target = Target::new(self.gpu, size);
        let view = View {
            selected: Some(patch.patch_center()),
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
        let before = self.pictures.kinds.get(&kind).copied();
        let mut drawn = before;
        if before.is_none_or(|before| before.size != size) {
            if self.kinds_left == 0 {
                self.unfinished = true;
            } else {
                let kind_of_tile = u8::try_from(kind.index).ok();
                let kind_of_tile = kind_of_tile.and_then(TileType::from_index)?;
                self.kinds_left -= 1;
                drawn = self.draw(|map| map.kind_patch(kind_of_tile), size, before);
            }
        }
        // Until it is drawn in the new size, the old picture will do.
        let drawn = drawn.or(before)?;
        self.pictures.kinds.insert(kind, drawn);
        Some(drawn.texture)
    }

    fn sandbox_preview(&mut self, sandbox: &TileSandbox, size: Vec2) -> Option<TextureId> {
        let size = self.pixels(size);
        let tiles = sandbox.tiles;
        let before = self.pictures.sandbox;
        if let Some((of, drawn)) = before
            && of == tiles
            && drawn.size == size
        {
            return Some(drawn.texture);
        }
        let before = before.map(|(_, drawn)| drawn);
        let drawn = self.draw(|map| map.patch(&tiles), size, before)?;
        self.pictures.sandbox = Some((tiles, drawn));
        Some(drawn.texture)
    }
}
