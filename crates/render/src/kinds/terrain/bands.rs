//! Bands of a map: runs of rows of chunks, small enough for the binding limits of the device.

use std::ops::Range;
use std::sync::Arc;

use super::far::{BySteps, Parts};
use super::gpu_data::Map;
use crate::frame::FramePass;
use crate::gpu::{DataTexture, Gpu, Uniform, UploadError, Uploads, bind_group};
use mapscope_scene::terrain::pack::{Faces, Packed, TileRecord};
use mapscope_scene::terrain::{CHUNK_SIDE, Terrain};

/// Number of rows of chunks on each side of a band whose tiles it also has. Grids of far chunks
/// read them.
const NEIGHBOR_ROWS: u32 = 1;

/// The part of a map in a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Its chunks, in row-major order of the map.
    pub(super) chunks: Range<usize>,
    /// Its rows of tiles, including those of the neighbours.
    rows: Range<u32>,
    /// Tiles in a row.
    cols: usize,
    /// Its faces in the lists of [`Packed`].
    rects: Range<u32>,
    tops: Range<u32>,
    sides: Range<u32>,
}

/// One texel per [`TileRecord`].
const TILES: wgpu::TextureFormat = wgpu::TextureFormat::Rg32Uint;

/// Maximum size of the tiles of a band in bytes. Its navigation grid, half as large, is in a
/// buffer.
pub(super) fn max_bytes(gpu: &Gpu) -> u64 {
    DataTexture::max_bytes(gpu, TILES).min(gpu.max_storage_bytes())
}

/// Divides a map so that the tiles of each part fit into a number of bytes.
///
/// # Errors
/// When the map is so wide that a row of chunks with its neighbours does not fit.
pub(super) fn parts(
    terrain: &Terrain,
    packed: &Packed,
    max_bytes: u64,
) -> Result<Vec<Part>, UploadError> {
    let placement = terrain.placement();
    let cols = (placement.cols / CHUNK_SIDE).max(1) as usize;
    let row_bytes = u64::from(CHUNK_SIDE * placement.cols) * size_of::<TileRecord>() as u64;
    let chunk_rows = placement.rows / CHUNK_SIDE;
    Ok(bands(chunk_rows, row_bytes, max_bytes)?
        .map(|rows| {
            let chunks = rows.start as usize * cols..rows.end as usize * cols;
            let mut faces = packed
                .chunks
                .get(chunks.clone())
                .unwrap_or_default()
                .iter()
                .map(|chunk| &chunk.all);
            let first = faces.next();
            let last = faces.next_back().or(first);
            let between = |start: fn(&Faces) -> u32, end: fn(&Faces) -> u32| {
                first.map_or(0, start)..last.map_or(0, end)
            };
            Part {
                chunks,
                rows: rows.start.saturating_sub(NEIGHBOR_ROWS) * CHUNK_SIDE
                    ..(rows.end + NEIGHBOR_ROWS).min(chunk_rows) * CHUNK_SIDE,
                cols: placement.cols as usize,
                rects: between(|faces| faces.rects.start, |faces| faces.rects.end),
                tops: between(|faces| faces.all_tops().start, |faces| faces.all_tops().end),
                sides: between(|faces| faces.sides.start, |faces| faces.sides.end),
            }
        })
        .collect())
}

/// The rows of chunks of each band.
fn bands(
    chunk_rows: u32,
    row_bytes: u64,
    max_bytes: u64,
) -> Result<impl Iterator<Item = Range<u32>>, UploadError> {
    let fit = max_bytes / row_bytes.max(1);
    let of_band = if fit >= u64::from(chunk_rows) {
        chunk_rows.max(1)
    } else {
        (fit as u32).saturating_sub(2 * NEIGHBOR_ROWS)
    };
    if of_band == 0 {
        return Err(UploadError::TooLarge {
            what: "a row of chunks and those beside it",
            bytes: row_bytes * u64::from(1 + 2 * NEIGHBOR_ROWS),
            limit: max_bytes,
        });
    }
    let first_rows = (0..chunk_rows.max(1)).step_by(of_band as usize);
    Ok(first_rows.map(move |first| first..(first + of_band).min(chunk_rows)))
}

impl Part {
    /// Converts ranges of faces from lists of the map to lists of the band.
    pub(super) fn own(&self, faces: &Faces) -> Faces {
        let own =
            |range: &Range<u32>, all: &Range<u32>| range.start - all.start..range.end - all.start;
        Faces {
            rects: own(&faces.rects, &self.rects),
            tops: faces.tops.each_ref().map(|range| own(range, &self.tops)),
            sides: own(&faces.sides, &self.sides),
            levels: faces.levels,
        }
    }

    /// The part of a list with an element per tile of the map.
    fn of_tiles<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        let [start, end] = [self.rows.start, self.rows.end].map(|row| row as usize * self.cols);
        all.get(start..end).unwrap_or_default()
    }
}

/// A band on the GPU.
#[derive(Debug)]
pub(super) struct Band {
    part: Part,
    tiles: Arc<DataTexture>,
    /// Level rectangles, tops and sides.
    faces: [wgpu::Buffer; 3],
    /// Bind group 2.
    navigation: wgpu::BindGroup,
}

impl Band {
    /// Uploads its faces, and its tiles unless `same_tiles` has them. `layout` is that of bind
    /// group 2.
    ///
    /// # Errors
    /// When it has too many faces for a binding.
    pub(super) fn new(
        uploads: &mut Uploads<'_>,
        layout: &wgpu::BindGroupLayout,
        (tiles, packed): (&[TileRecord], &Packed),
        part: &Part,
        same_tiles: Option<&Self>,
    ) -> Result<Self, UploadError> {
        let tiles = if let Some(band) = same_tiles {
            Arc::clone(&band.tiles)
        } else {
            let words = bytemuck::cast_slice(part.of_tiles(tiles));
            Arc::new(DataTexture::from_words(uploads.gpu, "tiles", TILES, words)?)
        };
        uploads.bytes += tiles.gpu_bytes();
        let storage = wgpu::BufferUsages::STORAGE;
        let mut buffer = |what, bytes: &[u8]| uploads.buffer(what, bytes, storage);
        let faces = [
            buffer("level rectangles", listed(&packed.rects, &part.rects))?,
            buffer("tops", listed(&packed.tops, &part.tops))?,
            buffer("sides", listed(&packed.sides, &part.sides))?,
        ];
        let no_grid = buffer("no navigation grid", &[])?;
        let no_grid = [no_grid.as_entire_binding()];
        Ok(Self {
            part: part.clone(),
            tiles,
            faces,
            navigation: bind_group(uploads.gpu, "no navigation grid", layout, no_grid),
        })
    }

    /// Uploads its part of the codes of a navigation grid. The overlay shows nothing if the device has
    /// no room for it.
    pub(super) fn set_navigation(
        &mut self,
        uploads: &mut Uploads<'_>,
        layout: &wgpu::BindGroupLayout,
        codes: &[u32],
    ) {
        let codes = bytemuck::cast_slice(self.part.of_tiles(codes));
        let usage = wgpu::BufferUsages::STORAGE;
        if let Ok(buffer) = uploads.buffer("navigation grid", codes, usage) {
            let resources = [buffer.as_entire_binding()];
            self.navigation = bind_group(uploads.gpu, "navigation grid", layout, resources);
        }
    }
}

/// A band in a view.
#[derive(Debug)]
pub(super) struct BandView {
    pub(super) map: Uniform<Map>,
    /// Bind group 1.
    bind_group: wgpu::BindGroup,
    /// The instances of far grids: first those that only the ground can shade, then all others.
    pub(super) far_ranges: [BySteps<Parts<Range<u32>>>; 2],
    /// The instances of water.
    pub(super) water_range: Range<u32>,
}

impl BandView {
    /// `shared` are the bindings that all bands have in common.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        band: &Band,
        shared: &[wgpu::BindingResource<'_>; 6],
    ) -> Self {
        let map = Uniform::new(gpu, "map");
        let tiles = band.tiles.view();
        let own = [
            map.buffer.as_entire_binding(),
            wgpu::BindingResource::TextureView(&tiles),
        ];
        let faces = band.faces.each_ref().map(wgpu::Buffer::as_entire_binding);
        let resources = own.into_iter().chain(faces).chain(shared.iter().cloned());
        Self {
            bind_group: bind_group(gpu, "terrain", layout, resources),
            map,
            far_ranges: Default::default(),
            water_range: 0..0,
        }
    }

    /// Writes the uniforms of a band's part of the map.
    pub(super) fn write(&mut self, gpu: &Gpu, band: &Band, map: &Map) {
        let first_row = band.part.rows.start;
        self.map.write(gpu, Map { first_row, ..*map });
    }

    /// Binds the tiles and faces of a band.
    pub(super) fn bind(&self, band: &Band, pass: &mut FramePass<'_>) {
        pass.set_bind_group(1, &self.bind_group, &[]);
        pass.set_bind_group(2, &band.navigation, &[]);
    }

    /// `true` if any of its water is in view.
    pub(super) fn has_water(&self) -> bool {
        !self.water_range.is_empty()
    }
}

/// The bytes of a part of a list.
fn listed<'a, T: bytemuck::NoUninit>(list: &'a [T], part: &Range<u32>) -> &'a [u8] {
    let part = part.start as usize..part.end as usize;
    bytemuck::cast_slice(list.get(part).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the end row of chunks of each band.
    fn rows(chunk_rows: u32, max_bytes: u64) -> Vec<[u32; 2]> {
        let bands = bands(chunk_rows, 100, max_bytes).unwrap();
        bands.map(|rows| [rows.start, rows.end]).collect()
    }

    #[test]
    fn a_band_fits_with_the_rows_beside_it() {
        assert_eq!(rows(7, 700), [[0, 7]]);
        assert_eq!(rows(7, 699), [[0, 4], [4, 7]]);
        assert_eq!(rows(4, 399), [[0, 1], [1, 2], [2, 3], [3, 4]]);
        assert_eq!(rows(0, 399), [[0, 0]]);
    }

    #[test]
    fn rows_that_are_too_wide_are_refused() {
        let Err(error) = bands(7, 100, 299).map(Iterator::count) else {
            panic!("299 bytes hold three rows of 100");
        };
        let message = error.to_string();
        assert!(message.contains("those beside it"), "{message}");
    }
}
