//! Sprites on the GPU: a buffer of images, and a list of places. The areas of zones are sprites of
//! one pixel.

use std::ops::Range;

use super::cells::storage;
use super::{EntryKind, gpu_data};
use crate::gpu::{Gpu, UploadError, check_size};
use mapscope_scene::tilemap::{Object, Step, TileMap};

/// All sprites of a map.
#[derive(Debug)]
pub(super) struct Sprites {
    /// The pixels of all images.
    pub(super) pixels: wgpu::Buffer,
    pub(super) instances: wgpu::Buffer,
    /// The sprites of each step.
    of_steps: Vec<Range<u32>>,
    /// The filled areas of each layer with zones, and of the map itself.
    pub(super) of_areas: Vec<(Option<usize>, Range<u32>)>,
}

impl Sprites {
    pub(super) fn new(gpu: &Gpu, map: &TileMap) -> Result<Self, UploadError> {
        let mut pixels = Vec::new();
        let places: Vec<_> = map
            .images
            .iter()
            .map(|image| {
                let [width, height] = image.size;
                let at = pixels.len() as u32 / 4;
                let is_whole = image.rgba.len() as u64 == u64::from(width) * u64::from(height) * 4;
                if is_whole {
                    pixels.extend_from_slice(&image.rgba);
                }
                (is_whole && width > 0 && height > 0).then_some([at, width, height])
            })
            .collect();
        let filled = map.filled_objects();
        let mut fills: Vec<[u8; 4]> = filled
            .iter()
            .filter_map(|object| object.fill_color())
            .collect();
        fills.sort_unstable();
        fills.dedup();
        let first_fill = pixels.len() as u32 / 4;
        pixels.extend_from_slice(fills.as_flattened());
        check_size(gpu, "images of sprites", pixels.len() as u64)?;
        let instance = |object: &Object, image| {
            let ([left, top], [right, bottom]) = (object.rect_px.min, object.rect_px.max);
            gpu_data::Sprite {
                rect: [left, top, right, bottom],
                image,
                padding: 0,
            }
        };
        let mut instances = Vec::new();
        let mut of_steps = Vec::with_capacity(map.steps.len());
        for step in &map.steps {
            let first = instances.len() as u32;
            if let Step::Objects { layer } = *step {
                let objects = map.objects.iter().filter(|object| object.layer == layer);
                instances.extend(objects.filter_map(|object| {
                    let image = *places.get(object.image?)?;
                    Some(instance(object, image?))
                }));
            }
            of_steps.push(first..instances.len() as u32);
        }
        let mut of_areas = Vec::new();
        for areas in filled.chunk_by(|a, b| a.layer == b.layer) {
            let first = instances.len() as u32;
            instances.extend(areas.iter().filter_map(|object| {
                // One pixel covers the whole area.
                let fill = fills.binary_search(&object.fill_color()?).ok()?;
                Some(instance(object, [first_fill + fill as u32, 1, 1]))
            }));
            let layer = areas.first().and_then(|object| object.layer);
            of_areas.push((layer, first..instances.len() as u32));
        }
        instances.resize(instances.len().max(1), bytemuck::Zeroable::zeroed());
        Ok(Self {
            pixels: storage(gpu, "images of sprites", &pixels),
            instances: gpu.filled_buffer(
                "sprites",
                bytemuck::cast_slice(&instances),
                wgpu::BufferUsages::VERTEX,
            ),
            of_steps,
            of_areas,
        })
    }

    /// The sprites that an entry draws.
    pub(super) fn of(&self, kind: EntryKind) -> Range<u32> {
        let range = match kind {
            EntryKind::Objects { step } => self.of_steps.get(step),
            EntryKind::Areas { range } => self.of_areas.get(range).map(|(_, range)| range),
            EntryKind::Tiles { .. } | EntryKind::Grid { .. } => None,
        };
        range.cloned().unwrap_or(0..0)
    }

    /// Bytes of GPU memory.
    pub(super) fn bytes(&self) -> u64 {
        self.pixels.size() + self.instances.size()
    }
}
