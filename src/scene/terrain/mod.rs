//! Terrain made of PFMAP tiles.

pub mod patchwork;

use std::sync::Arc;

use super::Document;
use super::registry::{OpenError, OpenOptions, Progress, Source};

/// An open terrain map.
#[derive(Debug)]
pub struct Terrain {}

pub(super) fn open(
    _source: &Source,
    _options: &OpenOptions,
    _progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    Err(OpenError::Cancelled)
}
