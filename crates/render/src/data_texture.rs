//! Lists that shaders read by index, as textures.
//!
//! Software adapters fetch a texel with all its values at once, for all vertices of a batch, and values
//! of a buffer one by one for each vertex, which takes several times as long.

use super::resources::{texture, write_texels};
use super::{Gpu, UploadError};

/// Texels in a row, which is full before the next begins.
pub(super) const WIDTH: u32 = 1024;

/// A list of values that grows, in rows of texels.
#[derive(Debug)]
pub(super) struct DataTexture {
    what: &'static str,
    texture: wgpu::Texture,
    /// What is sent, in whole rows of words.
    rows: Vec<u32>,
}

impl DataTexture {
    /// A list without values; a texel has those of one index.
    pub(super) fn new(gpu: &Gpu, what: &'static str, format: wgpu::TextureFormat) -> Self {
        Self {
            what,
            texture: make(gpu, what, format, 1),
            rows: Vec::new(),
        }
    }

    /// A list of these values.
    ///
    /// # Errors
    /// When the device has no texture of that size.
    pub(super) fn of(
        gpu: &Gpu,
        what: &'static str,
        format: wgpu::TextureFormat,
        words: &[u32],
    ) -> Result<Self, UploadError> {
        let mut list = Self::new(gpu, what, format);
        list.reserve(gpu, words.len())?;
        list.write(gpu, words.len(), |to| to.copy_from_slice(words));
        // Nothing is sent again.
        list.rows = Vec::new();
        Ok(list)
    }

    /// Makes room for so many words of 32 bits; says whether the texture is another one now, which is empty.
    ///
    /// # Errors
    /// When the device has no texture of that size.
    pub(super) fn reserve(&mut self, gpu: &Gpu, words: usize) -> Result<bool, UploadError> {
        let rows = words.div_ceil(self.row_words());
        if rows <= self.texture.height() as usize {
            return Ok(false);
        }
        let most = gpu.device.limits().max_texture_dimension_2d;
        let Some(rows) = u32::try_from(rows).ok().filter(|rows| *rows <= most) else {
            return Err(UploadError::TooLarge {
                what: self.what,
                bytes: words as u64 * 4,
                limit: u64::from(most) * self.row_words() as u64 * 4,
            });
        };
        // With room to grow into, as far as there is any.
        let height = (rows + rows / 4).min(most);
        self.texture = make(gpu, self.what, self.texture.format(), height);
        Ok(true)
    }

    /// Sends so many words, for which there must be room, as they are filled in.
    pub(super) fn write(&mut self, gpu: &Gpu, words: usize, fill: impl FnOnce(&mut [u32])) {
        if words == 0 {
            return;
        }
        let row_words = self.row_words();
        let count = words.div_ceil(row_words);
        self.rows.resize(count * row_words, 0);
        fill(self.rows.get_mut(..words).unwrap_or_default());
        let size = [WIDTH, count as u32];
        write_texels(
            gpu,
            &self.texture,
            (0, [0; 3]),
            size,
            bytemuck::cast_slice(&self.rows),
        );
    }

    pub(super) fn view(&self) -> wgpu::TextureView {
        let whole = wgpu::TextureViewDescriptor::default();
        self.texture.create_view(&whole)
    }

    /// Bytes of GPU memory that it holds.
    pub(super) fn gpu_bytes(&self) -> u64 {
        u64::from(self.texture.height()) * self.row_words() as u64 * 4
    }

    fn row_words(&self) -> usize {
        let texel = self.texture.format().block_copy_size(None).unwrap_or(4);
        (WIDTH * texel / 4) as usize
    }
}

fn make(gpu: &Gpu, what: &str, format: wgpu::TextureFormat, height: u32) -> wgpu::Texture {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    texture(gpu, what, format, ([WIDTH, height], 1, 1), usage)
}
