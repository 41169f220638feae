//! Maps in bands, each with the tiles of some rows of chunks, so that what shaders read of a map of any
//! size fits into bindings.

use std::ops::Range;
use std::sync::Arc;

use super::far::{BySteps, Parts};
use super::{Gpu, Map};
use crate::frame::pass::FramePass;
use crate::gpu::UploadError;
use crate::gpu::bindings::bind_group;
use crate::gpu::buffers::{Uniform, Uploads};
use crate::gpu::data_texture::DataTexture;
use mapscope_scene::terrain::pack::{Faces, Packed, TileRecord};
use mapscope_scene::terrain::{CHUNK_SIDE, Terrain};

/// Rows of chunks beside those of a band whose tiles it has too: grids of far chunks look that far.
const BESIDE: u32 = 1;

/// Which part of a map a band has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Its chunks, in row-major order of the map.
    pub(super) chunks: Range<usize>,
    /// Its rows of tiles, with those beside them.
    rows: Range<u32>,
    /// Tiles in a row.
    cols: usize,
    /// Where its faces lie in the lists of [`Packed`].
    rects: Range<u32>,
    tops: Range<u32>,
    sides: Range<u32>,
}

/// A texel for each [`TileRecord`].
const TILES: wgpu::TextureFormat = wgpu::TextureFormat::Rg32Uint;

/// How many bytes the tiles of a band have at most: those of navigation, half as many, are in a buffer.
pub(super) fn max_bytes(gpu: &Gpu) -> u64 {
    DataTexture::max_bytes(gpu, TILES).min(gpu.max_storage_bytes())
}

/// Parts a map so that the tiles of each fit into so many bytes.
///
/// # Errors
/// When the map is so wide that a row of chunks with those beside it does not fit.
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
            let faces = packed.chunks.get(chunks.clone()).unwrap_or_default();
            let mut faces = faces.iter().map(|chunk| &chunk.all);
            let first = faces.next();
            let last = faces.next_back().or(first);
            let between = |start: fn(&Faces) -> u32, end: fn(&Faces) -> u32| {
                first.map_or(0, start)..last.map_or(0, end)
            };
            Part {
                chunks,
                rows: rows.start.saturating_sub(BESIDE) * CHUNK_SIDE
                    ..(rows.end + BESIDE).min(chunk_rows) * CHUNK_SIDE,
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
        (fit as u32).saturating_sub(2 * BESIDE)
    };
    if of_band == 0 {
        return Err(UploadError::TooLarge {
            what: "a row of chunks and those beside it",
            bytes: row_bytes * u64::from(1 + 2 * BESIDE),
            limit: max_bytes,
        });
    }
    let first_rows = (0..chunk_rows.max(1)).step_by(of_band as usize);
    Ok(first_rows.map(move |first| first..(first + of_band).min(chunk_rows)))
}

impl Part {
    /// Some of its faces, in lists that begin with its own.
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

    /// Its part of a list that has something for every tile of the map.
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
    /// Bind group 1.
    bind_group: wgpu::BindGroup,
    /// Bind group 2.
    navigation: wgpu::BindGroup,
    map: Uniform<Map>,
    /// The part of the instances of a frame for each part of the grids of far chunks: where only the shadow
    /// of the ground may fall, and where those of what stands on it may too.
    pub(super) far_ranges: [BySteps<Parts<Range<u32>>>; 2],
    /// The part of the instances of a frame for water.
    pub(super) water_range: Range<u32>,
}

impl Band {
    /// Uploads its tiles, unless `same_tiles` has them, and its faces. `layouts` are those of bind
    /// groups 1 and 2, `shared` what all bands have in common.
    ///
    /// # Errors
    /// When its faces are too many for a binding.
    pub(super) fn new(
        uploads: &mut Uploads<'_>,
        [layout, navigation_layout]: [&wgpu::BindGroupLayout; 2],
        (tiles, packed): (&[TileRecord], &Packed),
        part: &Part,
        same_tiles: Option<&Self>,
        shared: &[wgpu::BindingResource<'_>; 6],
    ) -> Result<Self, UploadError> {
        let tiles = if let Some(band) = same_tiles {
            Arc::clone(&band.tiles)
        } else {
            let words = bytemuck::cast_slice(part.of_tiles(tiles));
            Arc::new(DataTexture::of(uploads.gpu, "tiles", TILES, words)?)
        };
        let storage = wgpu::BufferUsages::STORAGE;
        let mut buffer = |what, bytes: &[u8]| uploads.buffer(what, bytes, storage);
        let rects = buffer("level rectangles", listed(&packed.rects, &part.rects))?;
        let tops = buffer("tops", listed(&packed.tops, &part.tops))?;
        let sides = buffer("sides", listed(&packed.sides, &part.sides))?;
        let no_grid = buffer("no navigation grid", &[])?;
        let gpu = uploads.gpu;
        let map = Uniform::new(gpu, "map");
        uploads.bytes += map.buffer.size() + tiles.gpu_bytes();
        let faces = [&rects, &tops, &sides].map(wgpu::Buffer::as_entire_binding);
        let tiles_view = tiles.view();
        let own = [
            map.buffer.as_entire_binding(),
            wgpu::BindingResource::TextureView(&tiles_view),
        ];
        let resources = own.into_iter().chain(faces).chain(shared.iter().cloned());
        Ok(Self {
            part: part.clone(),
            bind_group: bind_group(gpu, "terrain", layout, resources),
            tiles,
            navigation: bind_group(
                gpu,
                "no navigation grid",
                navigation_layout,
                [no_grid.as_entire_binding()],
            ),
            map,
            far_ranges: Default::default(),
            water_range: 0..0,
        })
    }

    /// Uploads its part of the codes of a navigation grid. Where there is no room for it, the overlay
    /// shows nothing.
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

    /// Sends what shaders must know of the map.
    pub(super) fn write(&mut self, gpu: &Gpu, map: &Map) {
        let first_row = self.part.rows.start;
        self.map.write(gpu, Map { first_row, ..*map });
    }

    /// Draws with its tiles and faces from now on.
    pub(super) fn bind(&self, pass: &mut FramePass<'_>) {
        pass.set_bind_group(1, &self.bind_group, &[]);
        pass.set_bind_group(2, &self.navigation, &[]);
    }

    /// Whether any of its water is in view.
    pub(super) fn has_water(&self) -> bool {
        !self.water_range.is_empty()
    }
}

/// A part of a list, as a buffer has it.
fn listed<'a, T: bytemuck::NoUninit>(list: &'a [T], part: &Range<u32>) -> &'a [u8] {
    let part = part.start as usize..part.end as usize;
    bytemuck::cast_slice(list.get(part).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of chunks of each band and the one behind its last.
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
