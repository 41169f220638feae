//! The shown level: its chunks on the GPU, and the pending ones.

use glam::Vec3;

use super::LevelRenderer;
use super::chunks::{self, Block, LevelChunk};
use super::materials::{LevelMaterial, MaterialLayout, MaterialMaker};
use super::pipelines::{FacesKey, Look, Pipeline, Surface, TintSource};
use crate::gpu::{
    COLOR_FORMAT, Gpu, UploadError, bind_group, check_texture_size, upload_texture, write_texels,
};
use mapscope_scene::level::Map;
use mapscope_scene::level::atlas::{PageLuxels, PaintedLightmap, WHITE_SIDE};
use mapscope_scene::level::mesh::Part;
use mapscope_scene::level::tint::{PLAIN, TintKey};
use mapscope_scene::{Overrides, Shown};

/// A level on the GPU.
#[derive(Debug)]
pub(super) struct ShownLevel {
    /// Its number in the map.
    pub(super) number: usize,
    /// In the order of [`Level::chunks`].
    pub(super) chunks: Vec<LevelChunk>,
    pub(super) blocks: Vec<Block>,
    /// The tint of each chunk.
    pub(super) same_tints: wgpu::Buffer,
    pub(super) pages: Vec<Page>,
    /// By index in the level; created with the first chunk that uses them.
    materials: Vec<Option<LevelMaterial>>,
    maker: MaterialMaker,
    materials_layout: MaterialLayout,
    /// The last visible sky, and the materials on its sides.
    sky: Option<usize>,
    pub(super) sky_sides: [Option<(usize, bool)>; 6],
    /// Materials on sides of skies, with their indices in the level.
    sky_materials: Vec<(usize, LevelMaterial)>,
    /// Chunks to upload, in reverse order.
    pending: Vec<u32>,
    lights: Overrides,
    tint_key: TintKey,
}

/// A page of lightmaps.
#[derive(Debug)]
pub(super) struct Page {
    texture: wgpu::Texture,
    /// Bind group 3.
    pub(super) bind_group: wgpu::BindGroup,
}

impl ShownLevel {
    /// Allocates a level, without uploading chunks. A level that does not exist is empty.
    pub(super) fn new(
        gpu: &Gpu,
        renderer: &LevelRenderer,
        map: &Map,
        number: usize,
    ) -> Result<Self, UploadError> {
        let level = map.levels().get(number);
        let (chunks, blocks) = match level {
            Some(level) => LevelChunk::arrange(gpu, level)?,
            None => (Vec::new(), Vec::new()),
        };
        let pages = level
            .map_or(&[][..], |level| &level.atlas.pages)
            .iter()
            .map(|size| Page::new(gpu, renderer, *size));
        let materials = level.map_or(0, |level| level.materials.list.len());
        Ok(Self {
            number,
            same_tints: chunks::same_tints(gpu, chunks.len()),
            pages: pages.collect::<Result<_, _>>()?,
            materials: (0..materials).map(|_| None).collect(),
            maker: MaterialMaker::new(gpu, number),
            materials_layout: renderer.materials.clone(),
            sky: None,
            sky_sides: [None; 6],
            sky_materials: Vec::new(),
            // Uploads take the last one.
            pending: (0..chunks.len() as u32).rev().collect(),
            chunks,
            blocks,
            lights: Overrides::default(),
            tint_key: TintKey::default(),
        })
    }

    pub(super) fn gpu_bytes(&self) -> u64 {
        let blocks = self.blocks.iter().map(Block::gpu_bytes);
        let luxels = self.pages.iter().map(|page| {
            let size = page.texture.size();
            u64::from(size.width) * u64::from(size.height) * 4
        });
        let tints = self.same_tints.size();
        blocks.sum::<u64>() + luxels.sum::<u64>() + tints + self.maker.bytes()
    }

    /// The number of uploaded chunks and of all chunks; `None` once all are uploaded.
    pub(super) fn progress(&self) -> Option<(usize, usize)> {
        let all = self.chunks.len();
        (!self.pending.is_empty()).then(|| (all - self.pending.len(), all))
    }

    /// Uploads all pending chunks, or the nearest ones to a place within a budget of bytes.
    pub(super) fn upload_chunks(
        &mut self,
        gpu: &Gpu,
        map: &Map,
        shown: &Shown,
        nearest: Option<(u64, Vec3)>,
    ) {
        if self.pending.is_empty() {
            return;
        }
        let Some((mut left, eye)) = nearest else {
            self.upload_all(gpu, map, shown);
            return;
        };
        let chunks = &self.chunks;
        let distance = |i: &u32| {
            let chunk = chunks.get(*i as usize);
            chunk.map_or(f32::INFINITY, |chunk| chunk.bounds.distance(eye))
        };
        self.pending
            .sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        while left > 0
            && let Some(number) = self.pending.pop()
        {
            let before = self.maker.bytes();
            let bytes = self.upload_chunk(gpu, map, shown, number as usize);
            left = left.saturating_sub(bytes.unwrap_or(0) + self.maker.bytes() - before);
        }
    }

    /// Uploads all chunks at once.
    fn upload_all(&mut self, gpu: &Gpu, map: &Map, shown: &Shown) {
        self.pending.clear();
        let level = map.levels().get(self.number);
        let Some((level, lighting)) = level.zip(map.lighting(shown, self.number)) else {
            return;
        };
        for number in 0..self.chunks.len() {
            self.make_materials(gpu, map, number);
        }
        let to = (&mut self.chunks[..], &mut self.blocks[..]);
        let made = LevelChunk::upload_all(gpu, to, &level.chunks, |mesh| {
            let painted: Vec<_> = lighting.paint_all(mesh.chunk).collect();
            (map.tint(shown, self.number, mesh), painted)
        });
        let mut pages: Vec<_> = level
            .atlas
            .pages
            .iter()
            .map(|size| PageLuxels::new(*size))
            .collect();
        for (number, (tint, painted)) in made.into_iter().enumerate() {
            let Some(chunk) = self.chunks.get_mut(number) else {
                continue;
            };
            chunk.painted = lighting.intensities(chunk.number);
            if let Some(block) = self.blocks.get_mut(chunk.block) {
                chunk.upload_tint(gpu, block, (&self.same_tints, number), &tint);
            }
            for painted in painted {
                if let Some(page) = pages.get_mut(usize::from(painted.page)) {
                    page.put(&painted);
                }
            }
        }
        for (page, luxels) in self.pages.iter().zip(&pages) {
            write_luxels(gpu, &page.texture, [0, 0], luxels.size, &luxels.bytes);
        }
    }

    /// Creates the missing materials of a chunk.
    fn make_materials(&mut self, gpu: &Gpu, map: &Map, number: usize) {
        let chunk = self.chunks.get(number);
        for part in chunk.map_or(&[][..], |chunk| &chunk.parts) {
            let index = usize::from(part.part.material);
            if let Some(material @ None) = self.materials.get_mut(index) {
                let layout = &self.materials_layout;
                *material = self.maker.make(gpu, layout, &layout.repeated, map, index);
            }
        }
    }

    /// Uploads a chunk with its tint, its lightmaps and its materials. Returns the number of bytes.
    fn upload_chunk(&mut self, gpu: &Gpu, map: &Map, shown: &Shown, number: usize) -> Option<u64> {
        self.make_materials(gpu, map, number);
        let mesh = map.levels().get(self.number)?.chunks.get(number)?;
        let lighting = map.lighting(shown, self.number)?;
        let chunk = self.chunks.get_mut(number)?;
        let block = self.blocks.get_mut(chunk.block)?;
        chunk.upload(gpu, block, mesh);
        let tint = map.tint(shown, self.number, mesh);
        chunk.upload_tint(gpu, block, (&self.same_tints, number), &tint);
        chunk.painted = lighting.intensities(chunk.number);
        let mut bytes = LevelChunk::bytes(mesh);
        for painted in lighting.paint_all(chunk.number) {
            bytes += painted.luxels.len() as u64;
            put_on_page(gpu, &self.pages, &painted);
        }
        Some(bytes)
    }

    /// Repaints the lightmaps of changed lights, and uploads changed tints.
    pub(super) fn update_lights(&mut self, gpu: &Gpu, map: &Map, shown: &Shown) {
        let level = map.levels().get(self.number);
        let Some((level, lighting)) = level.zip(map.lighting(shown, self.number)) else {
            return;
        };
        if self.lights != shown.lights {
            self.lights.clone_from(&shown.lights);
            for chunk in self.chunks.iter_mut().filter(|chunk| chunk.is_uploaded) {
                for lightmap in lighting.update(chunk.number, &mut chunk.painted) {
                    if let Some(painted) = lighting.paint(chunk.number, lightmap) {
                        put_on_page(gpu, &self.pages, &painted);
                    }
                }
            }
        }
        let key = map.tint_key(shown);
        if self.tint_key == key {
            return;
        }
        self.tint_key = key;
        let chunks = self.chunks.iter_mut().zip(&level.chunks);
        for (i, (chunk, mesh)) in chunks.enumerate() {
            if chunk.is_uploaded
                && let Some(block) = self.blocks.get_mut(chunk.block)
            {
                let tint = map.tint(shown, self.number, mesh);
                chunk.upload_tint(gpu, block, (&self.same_tints, i), &tint);
            }
        }
    }

    /// The pipeline that draws a part of a chunk, once its material is uploaded.
    pub(super) fn pipeline(&self, look: Look, chunk: &LevelChunk, part: &Part) -> Option<Pipeline> {
        let material = self.materials.get(usize::from(part.material))?.as_ref()?;
        Some(Pipeline::Faces(FacesKey {
            look: Look {
                two_sided: look.two_sided || part.two_sided,
                ..look
            },
            blend: part.blend,
            is_textured: material.is_textured,
            has_matcap: material.has_matcap,
            is_liquid: material.is_liquid,
            tint: match chunk.same_tint {
                None => TintSource::Vertex,
                Some(PLAIN) if look.surface != Surface::Tint => TintSource::Nowhere,
                Some(_) => TintSource::Chunk,
            },
            darkens: chunk.darkens,
        }))
    }

    /// Bind group 2 of a material of the level.
    pub(super) fn material(&self, index: usize, time_secs: f32) -> Option<&wgpu::BindGroup> {
        self.materials.get(index)?.as_ref()?.bind_group(time_secs)
    }

    /// Bind group 2 of a material on a side of the sky.
    pub(super) fn sky_material(&self, index: usize, time_secs: f32) -> Option<&wgpu::BindGroup> {
        let found = self.sky_materials.iter().find(|(of, _)| *of == index);
        found?.1.bind_group(time_secs)
    }

    /// Uploads the materials on the sides of a sky, and notes them with `true` if they are
    /// textured.
    pub(super) fn set_sky(&mut self, gpu: &Gpu, map: &Map, sky: Option<usize>) {
        if self.sky == sky {
            return;
        }
        self.sky = sky;
        let sides = sky.map_or([None; 6], |sky| map.sky_materials(self.number, sky));
        self.sky_sides = sides.map(|index| {
            let index = index?;
            let made = self.sky_materials.iter().find(|(of, _)| *of == index);
            if let Some((_, material)) = made {
                return Some((index, material.is_textured));
            }
            let layout = &self.materials_layout;
            let material = self.maker.make(gpu, layout, &layout.clamped, map, index)?;
            let is_textured = material.is_textured;
            self.sky_materials.push((index, material));
            Some((index, is_textured))
        });
    }
}

impl Page {
    fn new(gpu: &Gpu, renderer: &LevelRenderer, size: [u32; 2]) -> Result<Self, UploadError> {
        check_texture_size(gpu, "the lightmaps", size)?;
        // Luxels are uploaded with their chunks.
        let texture = upload_texture(gpu, "lightmaps", COLOR_FORMAT, size, &[]);
        let white = [u8::MAX; (WHITE_SIDE * WHITE_SIDE * 4) as usize];
        write_luxels(gpu, &texture, [0, 0], [WHITE_SIDE; 2], &white);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let resources = [
            wgpu::BindingResource::TextureView(&view),
            wgpu::BindingResource::Sampler(&renderer.lightmap_sampler),
        ];
        let bind_group = bind_group(gpu, "lightmaps", &renderer.page_layout, resources);
        Ok(Self {
            texture,
            bind_group,
        })
    }
}

/// Uploads a lightmap to its page.
fn put_on_page(gpu: &Gpu, pages: &[Page], painted: &PaintedLightmap) {
    if let Some(page) = pages.get(usize::from(painted.page)) {
        let size = [painted.side; 2];
        write_luxels(gpu, &page.texture, painted.corner, size, &painted.luxels);
    }
}

fn write_luxels(
    gpu: &Gpu,
    texture: &wgpu::Texture,
    [x, y]: [u32; 2],
    size: [u32; 2],
    luxels: &[u8],
) {
    write_texels(gpu, texture, (0, [x, y, 0]), size, luxels);
}
