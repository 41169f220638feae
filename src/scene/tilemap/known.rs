//! What is counted of a map when it is first asked for, and then kept.

use std::sync::OnceLock;

/// What was counted of a map so far.
#[derive(Debug, Default)]
pub struct Known {
    /// Of each tileset, how many cells show each of its pictures.
    uses: OnceLock<Vec<Vec<u64>>>,
}
