//! 2D maps: layers of tiles, each one draw.

use super::frame::{FrameData, FrameRenderer};
use super::{DrawStatistics, Gpu, UploadError, View};
use crate::scene::tilemap::TileMap;

/// Draws 2D maps.
#[derive(Debug)]
pub(super) struct TilesRenderer {}

/// A 2D map on the GPU.
#[derive(Debug)]
pub(super) struct TilesData {}

impl TilesRenderer {
    pub(super) fn new(_gpu: &Gpu) -> Self {
        Self {}
    }

    /// The same with the shaders as they now are on disk.
    pub(super) fn reloaded(&self, gpu: &Gpu, _frame: &FrameRenderer) -> Self {
        Self::new(gpu)
    }

    /// Puts a map on the GPU.
    ///
    /// # Errors
    /// When it is larger than the device allows.
    #[expect(clippy::unnecessary_wraps, reason = "devices have limits")]
    pub(super) fn upload(&self, _gpu: &Gpu, _map: &TileMap) -> Result<TilesData, UploadError> {
        Ok(TilesData {})
    }

    /// Makes ready what one picture needs of a map in so many pixels.
    pub(super) fn prepare(
        &mut self,
        _gpu: &Gpu,
        _frame: &FrameRenderer,
        _data: &mut TilesData,
        _what: (&TileMap, &View, [u32; 2]),
    ) {
    }

    /// Records the picture, from the background to what lies on top.
    pub(super) fn draw(
        &self,
        _pass: &mut wgpu::RenderPass<'_>,
        _frame: &FrameData,
        _data: &TilesData,
        _statistics: &mut DrawStatistics,
    ) {
    }
}

impl TilesData {
    /// Bytes of GPU memory that it holds.
    pub(super) fn gpu_bytes(&self) -> u64 {
        0
    }
}
