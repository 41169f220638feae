//! Cells of layers and colours of grids on the GPU. Lists that exceed the binding limit are split
//! into bands of rows.

use std::ops::Range;

use crate::gpu::{Gpu, UploadError};

/// Number of rows of each neighbour that a band also has, for lookups across its edge.
const SHARED_ROWS: u32 = 2;

/// The rows of a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    /// Rows that it draws.
    pub(super) drawn: Range<u32>,
    /// Rows in its buffer, including those of its neighbours.
    pub(super) stored: Range<u32>,
}

/// A band on the GPU.
#[derive(Debug)]
pub(super) struct Band {
    pub(super) cells: wgpu::Buffer,
    pub(super) tints: Option<wgpu::Buffer>,
}

/// The bands of a list of cells with a number of columns, rows and bytes per cell.
pub(super) fn split_bands(
    gpu: &Gpu,
    what: &'static str,
    [columns, rows]: [u32; 2],
    cell_bytes: u64,
) -> Result<Vec<Rows>, UploadError> {
    let limit = gpu.max_storage_bytes();
    let row_bytes = (u64::from(columns) * cell_bytes).max(1);
    let max = u32::try_from(limit / row_bytes).unwrap_or(u32::MAX);
    split(rows, max).ok_or(UploadError::TooLarge {
        what,
        bytes: row_bytes * u64::from(2 * SHARED_ROWS + 1),
        limit,
    })
}

/// Splits rows into bands of at most `max`; `None` if that is too few.
fn split(rows: u32, max: u32) -> Option<Vec<Rows>> {
    if rows <= max {
        let all = 0..rows;
        return Some(vec![Rows {
            drawn: all.clone(),
            stored: all,
        }]);
    }
    let drawn = max.checked_sub(2 * SHARED_ROWS).filter(|rows| *rows > 0)?;
    let bands = (0..rows).step_by(drawn as usize).map(|first| {
        let end = first.saturating_add(drawn).min(rows);
        Rows {
            drawn: first..end,
            stored: first.saturating_sub(SHARED_ROWS)..end.saturating_add(SHARED_ROWS).min(rows),
        }
    });
    Some(bands.collect())
}

/// Uploads the bands of a layer, as far as it has cells.
pub(super) fn upload_bands(
    gpu: &Gpu,
    rows: Vec<Rows>,
    columns: u32,
    cells: &[u32],
    tints: Option<&[[[u8; 4]; 4]]>,
) -> Vec<(Rows, Band)> {
    let of_tints = tints.map_or(cells.len(), <[_]>::len);
    let there = cells.len().min(of_tints) / columns.max(1) as usize;
    let there = u32::try_from(there).unwrap_or(u32::MAX);
    let send = |mut rows: Rows| {
        let Range { start, end } = rows.stored;
        rows.stored = start.min(there)..end.min(there);
        let band = Band::new(gpu, &rows, columns, cells, tints);
        (rows, band)
    };
    rows.into_iter().map(send).collect()
}

impl Band {
    /// Uploads a band of cells and their tints.
    fn new(
        gpu: &Gpu,
        rows: &Rows,
        columns: u32,
        cells: &[u32],
        tints: Option<&[[[u8; 4]; 4]]>,
    ) -> Self {
        let range = rows.stored.start as usize * columns as usize
            ..rows.stored.end as usize * columns as usize;
        let part = |len: usize| range.start.min(len)..range.end.min(len);
        let of_tints = tints.map(|tints| &tints[part(tints.len())]);
        Self {
            cells: storage(
                gpu,
                "cells",
                bytemuck::cast_slice(&cells[part(cells.len())]),
            ),
            tints: of_tints.map(|tints| storage(gpu, "tints", bytemuck::cast_slice(tints))),
        }
    }

    /// Bytes of GPU memory.
    pub(super) fn bytes(&self) -> u64 {
        self.cells.size() + self.tints.as_ref().map_or(0, wgpu::Buffer::size)
    }
}

/// A read-only storage buffer.
pub(super) fn storage(gpu: &Gpu, label: &str, bytes: &[u8]) -> wgpu::Buffer {
    gpu.filled_buffer(label, bytes, wgpu::BufferUsages::STORAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_split_without_gaps() {
        assert_eq!(split(100, 100).map(|bands| bands.len()), Some(1));
        assert_eq!(split(0, 0).map(|bands| bands.len()), Some(1));
        assert_eq!(split(100, 4), None);
        let bands = split(100, 44).unwrap_or_default();
        let drawn: Vec<_> = bands.iter().map(|rows| rows.drawn.clone()).collect();
        assert_eq!(drawn, [0..40, 40..80, 80..100]);
        let stored: Vec<_> = bands.iter().map(|rows| rows.stored.clone()).collect();
        assert_eq!(stored, [0..42, 38..82, 78..100]);
    }
}
