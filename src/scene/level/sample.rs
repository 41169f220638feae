//! Small levels for tests.

use std::sync::Arc;

use super::Map;
use crate::formats::pmf::{self, Pmf};
use crate::scene::registry::{OpenOptions, Progress, Source};

/// A map that is nowhere on disk.
pub(super) fn map(pmf: Pmf) -> Map {
    let source = Source {
        path: "sample.pmf".into(),
        bytes: [].into(),
        embedded: &[],
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Map::build(pmf, &source, &options, &progress).unwrap()
}

/// The map of a file that is nowhere on disk.
pub(super) fn file(bytes: &[u8]) -> Arc<Map> {
    let source = Source {
        path: "sample.pmf".into(),
        bytes: bytes.into(),
        embedded: &[],
    };
    let pmf = pmf::read(&source.bytes).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Arc::new(Map::build(pmf, &source, &options, &progress).unwrap())
}

/// Two chunks of blocks and caves in which every kind of cube and of light occurs.
pub(super) fn made_up() -> Map {
    map(pmf::synthesize([1, 2, 1], 3, 7))
}
