//! Small levels for tests.

use bytes::Bytes;
use std::sync::Arc;

use super::Map;
use crate::{
    LevelItem, OpenOptions, Playhead, Progress, PropertyGroup, Shown, Source, SummaryPart,
};
use mapscope_formats::pmf::{self, Pmf};
use mapscope_formats::ptf;

/// Builds a map that is not on disk.
pub(super) fn map(pmf: Pmf) -> Map {
    let source = Source {
        path: "sample.pmf".into(),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Map::build(pmf, &source, &options, &progress).unwrap()
}

/// Parses the map of a file that is not on disk.
pub(super) fn file(bytes: &[u8]) -> Arc<Map> {
    let source = Source {
        path: "sample.pmf".into(),
        bytes: Bytes::copy_from_slice(bytes),
        embedded: &[],
        archive: None,
    };
    let pmf = pmf::read(&source.bytes).unwrap();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Arc::new(Map::build(pmf, &source, &options, &progress).unwrap())
}

/// Returns the inspector's lists for an item.
pub(super) fn properties(map: &Map, item: LevelItem) -> Vec<PropertyGroup> {
    (map as &dyn crate::Document).properties(item.into(), Playhead::default())
}

/// Returns the status line for an item.
pub(super) fn summary(map: &Map, item: LevelItem) -> Vec<SummaryPart> {
    (map as &dyn crate::Document).summary(item.into(), &Shown::default())
}

/// Two chunks of blocks and caves with every kind of cube and light.
pub(super) fn made_up() -> Map {
    map(mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7))
}

/// The same with an archive of two textures, one of them broken, and a text file.
pub(super) fn with_archive() -> Map {
    let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
    let pixels = (0..24).map(|i| i * 9).collect();
    let texture = ptf::Texture::new(ptf::Layout::V2, [4, 2], 3, pixels);
    let file = |path, bytes| mapscope_formats::paf::NewFile {
        path,
        bytes,
        compress: true,
    };
    let whole = texture.write().unwrap();
    let archive = mapscope_formats::paf::Archive::build(&[
        file("readme.txt", b"Made up"),
        file("textures/broken.ptf", b"PTF\0\0\x22 no frame"),
        file("textures/whole.ptf", &whole),
    ]);
    pmf.archive = Some(archive.unwrap());
    map(pmf)
}
