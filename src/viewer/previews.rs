//! Live pictures of the kinds that a document is built of, for the panel that lists them.

use std::collections::HashMap;

use egui::TextureId;
use glam::Vec3;

use super::camera_control;
use super::panels::{KIND_PREVIEW_SIZE, PreviewRenderer, TileSandbox};
use super::picture::Picture;
use super::state::OpenFile;
use crate::render::{Gpu, Renderer, Target, View};
use crate::scene::camera::{Camera, NamedView};
use crate::scene::{Aabb, Item};

/// The pictures that were drawn of a document.
#[derive(Default)]
pub(super) struct KindPictures {
    version: u64,
    pixels_per_point: f32,
    textures: HashMap<Item, Option<TextureId>>,
}

/// Draws pictures when panels ask for them.
pub(super) struct LivePreviews<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) renderer: &'a mut Renderer,
    pub(super) painter: &'a mut egui_wgpu::Renderer,
    pub(super) picture: &'a mut Picture,
    pub(super) pictures: &'a mut KindPictures,
    pub(super) open: Option<OpenFile>,
    pub(super) pixels_per_point: f32,
    /// Whether a picture was asked for that can be drawn only once the document is on the GPU.
    pub(super) too_early: bool,
}

/// The box around an outline. What is below an item does not belong into its picture.
fn outlined(outline: &[[Vec3; 2]]) -> Option<Aabb> {
    let mut points = outline.iter().flatten();
    let first = *points.next()?;
    let around = Aabb {
        min: first,
        max: first,
    };
    Some(points.fold(around, |around, point| Aabb {
        min: around.min.min(*point),
        max: around.max.max(*point),
    }))
}

impl LivePreviews<'_> {
    /// A picture of the first item of a kind, where it is in the map and outlined.
    fn draw(&mut self, open: &OpenFile, kind: Item) -> Option<TextureId> {
        let document = &*open.document;
        let item = document.next_of_kind(kind, None, false)?;
        let bounds = outlined(&document.item_outline(item))?;
        let size = [KIND_PREVIEW_SIZE.x, KIND_PREVIEW_SIZE.y]
            .map(|side| (side * self.pixels_per_point).round().max(1.0) as u32);
        let target = Target::new(self.gpu, size);
        let aspect = target.aspect();
        let mut camera = Camera::framing(bounds, NamedView::Iso, document.handedness(), aspect);
        camera.near = camera_control::near_plane(document.bounds());
        // Some of what is around it shows how it fits in.
        camera.pose = camera_control::zoom(&camera, bounds.center(), 1.3);
        let view = View {
            selected: Some(item),
            ..View::plain(camera)
        };
        let scene = self.picture.scene(open.version)?;
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let scene = Some((scene, document));
        self.renderer
            .draw(self.gpu, &mut encoder, &target, scene, &view);
        self.gpu.queue.submit([encoder.finish()]);
        let filter = wgpu::FilterMode::Linear;
        let device = &self.gpu.device;
        Some(
            self.painter
                .register_native_texture(device, target.color_view(), filter),
        )
    }
}

impl PreviewRenderer for LivePreviews<'_> {
    fn kind_preview(&mut self, kind: Item) -> Option<TextureId> {
        let open = self.open.clone()?;
        if self.picture.scene(open.version).is_none() {
            self.too_early = true;
            return None;
        }
        let pictures = &mut *self.pictures;
        if pictures.version != open.version || pictures.pixels_per_point != self.pixels_per_point {
            for texture in std::mem::take(&mut pictures.textures)
                .into_values()
                .flatten()
            {
                self.painter.free_texture(&texture);
            }
            pictures.version = open.version;
            pictures.pixels_per_point = self.pixels_per_point;
        }
        if let Some(texture) = self.pictures.textures.get(&kind) {
            return *texture;
        }
        let texture = self.draw(&open, kind);
        self.pictures.textures.insert(kind, texture);
        texture
    }

    fn sandbox_preview(&mut self, _sandbox: &TileSandbox) -> Option<TextureId> {
        // Needs a way to put a few tiles on the GPU that share the textures of the open map.
        None
    }
}
