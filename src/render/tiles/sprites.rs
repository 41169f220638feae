//! Sprites on the GPU: their pictures one after the other in a buffer, and where they are.

use std::ops::Range;

use super::cells::storage;
use super::gpu_data;
use crate::render::resources::check_size;
use crate::render::{Gpu, UploadError};
use crate::scene::tilemap::{Step, TileMap};

/// All sprites of a map.
#[derive(Debug)]
pub(super) struct Sprites {
    /// The pixels of all pictures.
    pub(super) pixels: wgpu::Buffer,
    pub(super) instances: wgpu::Buffer,
    /// Of each step those that it draws.
    pub(super) of_steps: Vec<Range<u32>>,
}

impl Sprites {
    pub(super) fn new(gpu: &Gpu, map: &TileMap) -> Result<Self, UploadError> {
        use wgpu::util::DeviceExt as _;
        let mut pixels = Vec::new();
        let places: Vec<_> = map
            .pictures
            .iter()
            .map(|picture| {
                let [width, height] = picture.size;
                let at = pixels.len() as u32 / 4;
                let is_whole =
                    picture.rgba.len() as u64 == u64::from(width) * u64::from(height) * 4;
                if is_whole {
                    pixels.extend_from_slice(&picture.rgba);
                }
                (is_whole && width > 0 && height > 0).then_some([at, width, height])
            })
            .collect();
        check_size(gpu, "pictures of sprites", pixels.len() as u64)?;
        let mut instances = Vec::new();
        let mut of_steps = Vec::with_capacity(map.steps.len());
        for step in &map.steps {
            let first = instances.len() as u32;
            if let Step::Things { layer } = *step {
                let things = map.things.iter().filter(|thing| thing.layer == layer);
                instances.extend(things.filter_map(|thing| {
                    let picture = *places.get(thing.picture?)?;
                    let ([left, top], [right, bottom]) = (thing.rect_px.min, thing.rect_px.max);
                    Some(gpu_data::Sprite {
                        rect: [left, top, right, bottom],
                        picture: picture?,
                        padding: 0,
                    })
                }));
            }
            of_steps.push(first..instances.len() as u32);
        }
        instances.resize(instances.len().max(1), bytemuck::Zeroable::zeroed());
        Ok(Self {
            pixels: storage(gpu, "pictures of sprites", &pixels),
            instances: gpu
                .device
                .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some("sprites"),
                    contents: bytemuck::cast_slice(&instances),
                    usage: wgpu::BufferUsages::VERTEX,
                }),
            of_steps,
        })
    }

    /// Bytes of GPU memory that they hold.
    pub(super) fn bytes(&self) -> u64 {
        self.pixels.size() + self.instances.size()
    }
}
