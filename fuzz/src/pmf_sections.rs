//! Maps whose inputs are the content of the compressed sections. The sections are compressed here
//! and have the right sizes.

use std::io::Write as _;
use std::sync::LazyLock;

use lz4_flex::frame::FrameEncoder;
use mapscope_formats::pmf::{self, Packing, Part, Side};
use mapscope_testdata::synthesize;

use crate::subjects;

/// Number of sections: common, client and server section of the level and of its only chunk.
const SECTIONS: usize = 6;
/// Bytes of the flags and the six sizes at the start of a level.
const LEVEL_HEAD_BYTES: usize = 25;
/// Bytes of the grid, the chunk size and the centre.
const GRID_BYTES: usize = 9;

/// A map, split into its parts.
struct Base {
    /// Everything before the size of the level.
    front: Vec<u8>,
    flags: u8,
    grid: Vec<u8>,
    sections: [Vec<u8>; SECTIONS],
    /// The entities.
    back: Vec<u8>,
}

static BASE: LazyLock<Base> = LazyLock::new(|| {
    let map = synthesize::pmf([1, 1, 1], 0, 3);
    let file = pmf::write(&map, Packing::Stored).unwrap();
    let map = pmf::read(&file).unwrap();
    let level = &map.levels[0];
    let chunk = &level.chunks[0];
    let begin = level.offset as usize;
    let packed =
        |frames: &[pmf::Frame]| -> usize { frames.iter().map(|frame| frame.packed as usize).sum() };
    let grid = begin + LEVEL_HEAD_BYTES + packed(&level.frames);
    let sections: [pmf::Frame; SECTIONS] = std::array::from_fn(|i| match i {
        0..3 => level.frames[i],
        _ => chunk.frames[i - 3],
    });
    let part = Part::LevelSection(0, Side::Common);
    Base {
        front: file[..begin - 4].to_vec(),
        flags: file[begin],
        grid: file[grid..][..GRID_BYTES].to_vec(),
        sections: sections.map(|frame| frame.unpack(&file, part).unwrap()),
        back: file[begin + level.size as usize..].to_vec(),
    }
});

/// Bytes before each section in an input: its index and its length.
const PIECE_HEAD_BYTES: usize = 3;

/// The sections of an input: index and content.
fn pieces(mut input: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    std::iter::from_fn(move || {
        let (&[which, l0, l1], rest) = input.split_first_chunk::<PIECE_HEAD_BYTES>()?;
        let len = usize::from(u16::from_le_bytes([l0, l1])).min(rest.len());
        let (piece, rest) = rest.split_at(len);
        input = rest;
        Some((usize::from(which) % SECTIONS, piece))
    })
}

/// The sizes of three sections, and their frames.
fn packed(sections: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
    let frames: Vec<Vec<u8>> = sections
        .iter()
        .map(|section| {
            let mut encoder = FrameEncoder::new(Vec::new());
            encoder.write_all(section).unwrap();
            encoder.finish().unwrap()
        })
        .collect();
    let sizes = frames.iter().chain(sections);
    let sizes = sizes.flat_map(|bytes| (bytes.len() as u32).to_le_bytes());
    (sizes.collect(), frames.concat())
}

/// The file that an input represents.
fn file(input: &[u8]) -> Vec<u8> {
    let base = &*BASE;
    let mut sections = base.sections.clone();
    for (which, bytes) in pieces(input) {
        sections[which] = bytes.to_vec();
    }
    let (level, chunk) = sections.split_at(3);
    let (level_sizes, level_frames) = packed(level);
    let (chunk_sizes, chunk_frames) = packed(chunk);
    let level = [
        &[base.flags][..],
        &level_sizes,
        &level_frames,
        &base.grid,
        &chunk_sizes,
        &chunk_frames,
    ]
    .concat();
    let size = (level.len() as u32).to_le_bytes();
    [&base.front[..], &size, &level, &base.back].concat()
}

pub(crate) fn check(input: &[u8]) {
    subjects::check_pmf(&file(input));
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let pieces = BASE.sections.iter().zip(0_u8..).map(|(section, which)| {
        let [l0, l1] = (section.len() as u16).to_le_bytes();
        [&[which, l0, l1], &section[..]].concat()
    });
    let mut seeds: Vec<Vec<u8>> = pieces.collect();
    seeds.push(seeds.concat());
    for seed in &seeds {
        assert!(!subjects::check_pmf(&file(seed)), "a seed is refused");
    }
    seeds
}
