//! Limits of the device.

use thiserror::Error;

use super::Gpu;

/// Why a document cannot be drawn on this device.
#[derive(Debug, Error)]
pub enum UploadError {
    /// Something is larger than the device allows.
    #[error(
        "this is too large for the graphics device: {what} would take {bytes} bytes, \
         and it allows {limit}"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
}

/// Says whether something fits where the device can use it.
pub(crate) fn check_size(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.max_storage_bytes())
}

/// Says whether a buffer that is not bound as a whole fits the device.
pub(crate) fn check_buffer_size(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.device.limits().max_buffer_size)
}

/// Says whether so many bytes are within a limit.
pub(crate) fn check_limit(what: &'static str, bytes: u64, limit: u64) -> Result<(), UploadError> {
    if bytes > limit {
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Says whether a texture of four bytes a texel fits the device.
pub(crate) fn check_texture_size(
    gpu: &Gpu,
    what: &'static str,
    size: [u32; 2],
) -> Result<(), UploadError> {
    let side = u64::from(gpu.device.limits().max_texture_dimension_2d);
    let size = size.map(u64::from);
    if size.iter().any(|of_texture| *of_texture > side) {
        let [bytes, limit] = [size[0] * size[1] * 4, side * side * 4];
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}
