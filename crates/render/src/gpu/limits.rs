//! Checks against the limits of the device.

use thiserror::Error;

use super::Gpu;

/// The reason why a document cannot be drawn on this device.
#[derive(Debug, Error)]
pub enum UploadError {
    /// Something exceeds a limit of the device.
    #[error(
        "this is too large for the graphics device: {what} would take {bytes} bytes, \
         and it allows {limit}"
    )]
    TooLarge {
        /// The name of the resource.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

/// Checks the size of a storage buffer.
pub(crate) fn check_size(gpu: &Gpu, what: &'static str, bytes: u64) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.max_storage_bytes())
}

/// Checks the size of a buffer that is never bound as a whole.
pub(crate) fn check_buffer_size(
    gpu: &Gpu,
    what: &'static str,
    bytes: u64,
) -> Result<(), UploadError> {
    check_limit(what, bytes, gpu.device.limits().max_buffer_size)
}

/// Checks a size in bytes against a limit.
pub(crate) fn check_limit(what: &'static str, bytes: u64, limit: u64) -> Result<(), UploadError> {
    if bytes > limit {
        return Err(UploadError::TooLarge { what, bytes, limit });
    }
    Ok(())
}

/// Checks the size of a texture with four bytes per texel.
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
