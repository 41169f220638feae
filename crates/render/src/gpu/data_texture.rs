//! Indexed lists for shaders, stored as textures.
//!
//! A software adapter fetches a whole texel at once for a batch of vertices, but reads a buffer
//! value by value for each vertex, which takes several times as long.

use super::{Gpu, UploadError, check_limit, texture, write_texels};

/// Texels per row. Rows are filled one after the other.
const WIDTH: u32 = 1024;

/// WGSL function that maps an index to its texel.
pub(crate) fn wgsl() -> String {
    format!(
        "fn texel_of(index: u32) -> vec2u {{ return vec2u(index % {WIDTH}u, index / {WIDTH}u); }}\n"
    )
}

/// A growing list of values, stored in rows of texels.
#[derive(Debug)]
pub(crate) struct DataTexture {
    what: &'static str,
    texture: wgpu::Texture,
    /// Upload buffer: whole rows of words.
    rows: Vec<u32>,
}

impl DataTexture {
    /// Creates an empty list with one texel per index.
    pub(crate) fn new(gpu: &Gpu, what: &'static str, format: wgpu::TextureFormat) -> Self {
        Self {
            what,
            texture: make(gpu, what, format, 1),
            rows: Vec::new(),
        }
    }

    /// Creates a list from values.
    ///
    /// # Errors
    /// When the device has no texture of that size.
    pub(crate) fn from_words(
        gpu: &Gpu,
        what: &'static str,
        format: wgpu::TextureFormat,
        words: &[u32],
    ) -> Result<Self, UploadError> {
        let rows = rows_of(gpu, what, format, words.len())?;
        let list = Self {
            what,
            texture: make(gpu, what, format, rows),
            rows: Vec::new(),
        };
        let row_words = list.row_words();
        let whole_rows = words.len() / row_words;
        let (whole, rest) = words.split_at(whole_rows * row_words);
        list.write_rows(gpu, 0, whole);
        let mut last = rest.to_vec();
        last.resize(rest.len().next_multiple_of(row_words), 0);
        list.write_rows(gpu, whole_rows as u32, &last);
        Ok(list)
    }

    /// Maximum size of a list in bytes.
    pub(crate) fn max_bytes(gpu: &Gpu, format: wgpu::TextureFormat) -> u64 {
        let rows = gpu.device.limits().max_texture_dimension_2d;
        u64::from(rows) * row_words(format) as u64 * 4
    }

    /// Uploads whole rows. The list may be empty.
    fn write_rows(&self, gpu: &Gpu, first: u32, words: &[u32]) {
        if words.is_empty() {
            return;
        }
        let size = [WIDTH, (words.len() / self.row_words()) as u32];
        let texels = bytemuck::cast_slice(words);
        write_texels(gpu, &self.texture, (0, [0, first, 0]), size, texels);
    }

    /// Reserves capacity for a number of 32-bit words. Returns `true` if that replaced the texture
    /// by an empty one.
    ///
    /// # Errors
    /// When the device has no texture of that size.
    pub(crate) fn reserve(&mut self, gpu: &Gpu, words: usize) -> Result<bool, UploadError> {
        let rows = rows_of(gpu, self.what, self.texture.format(), words)?;
        if rows <= self.texture.height() {
            return Ok(false);
        }
        let most = gpu.device.limits().max_texture_dimension_2d;
        // Room to grow, within the device's limit.
        let height = (rows + rows / 4).min(most);
        self.texture = make(gpu, self.what, self.texture.format(), height);
        Ok(true)
    }

    /// Uploads a number of words that `fill` writes. The capacity must be reserved.
    pub(crate) fn write(&mut self, gpu: &Gpu, words: usize, fill: impl FnOnce(&mut [u32])) {
        let row_words = self.row_words();
        let count = words.div_ceil(row_words);
        self.rows.resize(count * row_words, 0);
        fill(self.rows.get_mut(..words).unwrap_or_default());
        self.write_rows(gpu, 0, &self.rows);
    }

    pub(crate) fn view(&self) -> wgpu::TextureView {
        let whole = wgpu::TextureViewDescriptor::default();
        self.texture.create_view(&whole)
    }

    /// Bytes of GPU memory.
    pub(crate) fn gpu_bytes(&self) -> u64 {
        u64::from(self.texture.height()) * self.row_words() as u64 * 4
    }

    fn row_words(&self) -> usize {
        row_words(self.texture.format())
    }
}

/// 32-bit words per row.
fn row_words(format: wgpu::TextureFormat) -> usize {
    let texel = format.block_copy_size(None).unwrap_or(4);
    (WIDTH * texel / 4) as usize
}

/// Number of rows for a number of words, at least one.
fn rows_of(
    gpu: &Gpu,
    what: &'static str,
    format: wgpu::TextureFormat,
    words: usize,
) -> Result<u32, UploadError> {
    check_limit(what, words as u64 * 4, DataTexture::max_bytes(gpu, format))?;
    Ok(words.div_ceil(row_words(format)).max(1) as u32)
}

fn make(gpu: &Gpu, what: &str, format: wgpu::TextureFormat, height: u32) -> wgpu::Texture {
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    texture(gpu, what, format, ([WIDTH, height], 1, 1), usage)
}
