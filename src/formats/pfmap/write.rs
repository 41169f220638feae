//! Writing PFMAP.
use super::*;
/// Writes.
pub fn write(_map: &Pfmap) -> Vec<u8> { Vec::new() }
/// Makes.
pub fn synthesize(_chunk_rows: u32, _chunk_cols: u32, _seed: u64) -> Vec<u8> { Vec::new() }
