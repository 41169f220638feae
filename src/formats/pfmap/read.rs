//! Reading PFMAP.
use super::*;
/// Limits.
#[derive(Debug, Clone, Copy)]
pub struct Limits;
/// Why.
#[derive(Debug, thiserror::Error)]
pub enum PfmapError {
    /// x
    #[error("x")]
    X,
}
pub(super) fn sniff(_: &[u8]) -> bool { true }
/// Reads.
///
/// # Errors
/// x
pub fn read(_bytes: &[u8]) -> Result<Pfmap, PfmapError> { Err(PfmapError::X) }
