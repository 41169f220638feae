//! Files with a repeated piece that are read, opened or compared. They reveal content whose cost
//! grows out of proportion to its amount.

use mapscope_formats::ika::{map as ika_map, text_map, vsp};
use mapscope_formats::ppe::{indexed, map_data, xmf};
use mapscope_formats::{paf, pfmap, pfobj, pfscene, pmf, ptf};
use mapscope_scene::{InfoQuery, Shown};

use crate::subjects;

/// Maximum size of a file in bytes.
const MAX_BYTES: usize = 256 << 10;
/// Bytes of an input before the file: the reader, and the count, start and length of the repeated
/// piece.
const HEAD_BYTES: usize = 7;

/// Reads a file and discards the result.
type Read = fn(&[u8]);

/// A bit of the first byte: the file is opened as a document.
const IS_OPENED: u8 = 0x80;
/// A bit of the first byte: the file is also compared with itself.
const IS_COMPARED: u8 = 0x40;

/// The readers, indexed by the other bits of the first byte of an input, and valid files for each.
const READERS: [(Read, fn() -> Vec<Vec<u8>>); 12] = [
    (|file| drop(pfmap::read(file)), crate::pfmap_seeds),
    (|file| drop(pfobj::read(file)), subjects::good_pfobjs),
    (|file| drop(pfscene::read(file)), subjects::good_pfscenes),
    (|file| drop(pmf::read(file)), subjects::good_pmfs),
    (|file| drop(paf::read(&file.to_vec().into())), subjects::good_pafs),
    (|file| drop(ika_map::read(file)), subjects::good_ika_maps),
    (|file| drop(text_map::read(file)), subjects::good_ika_texts),
    (|file| drop(vsp::read(file)), subjects::good_tilesets),
    (|file| drop(map_data::read(file)), subjects::good_ppe_maps),
    (|file| drop(xmf::read(file)), subjects::good_xmfs),
    (|file| drop(indexed::read(file)), subjects::good_sheets),
    (|file| drop(ptf::Texture::read(file)), subjects::good_textures),
];

/// The file that an input represents, and the first byte.
pub(crate) fn file(input: &[u8]) -> Option<(u8, Vec<u8>)> {
    let (&[what, c0, c1, f0, f1, l0, l1], file) = input.split_first_chunk::<HEAD_BYTES>()?;
    let [count, from, len] = [[c0, c1], [f0, f1], [l0, l1]].map(u16::from_le_bytes);
    let from = usize::from(from).min(file.len());
    let end = (from + usize::from(len)).min(file.len());
    let room = MAX_BYTES.saturating_sub(file.len());
    let count = usize::from(count).min(room / (end - from).max(1));
    let piece = file[from..end].repeat(count);
    Some((what, [&file[..from], &piece, &file[from..]].concat()))
}

pub(crate) fn check(input: &[u8]) {
    let Some((what, file)) = file(input) else {
        return;
    };
    let number = what & !(IS_OPENED | IS_COMPARED);
    if what & IS_OPENED != 0 {
        check_opened(&file, crate::name_of(number));
    } else if what & IS_COMPARED != 0 {
        subjects::check_diff([&file, &file], crate::name_of(number));
    } else {
        let (read, _) = READERS[usize::from(number) % READERS.len()];
        read(&file);
    }
}

/// Opens a file and makes the queries that a window makes at once.
fn check_opened(bytes: &[u8], name: &str) {
    let Some(document) = subjects::open(bytes, name) else {
        return;
    };
    let about = document.about();
    subjects::check_problems(&about.problems);
    assert!(about.bounds.min.is_finite() && about.bounds.max.is_finite());
    assert!(!document.info(&InfoQuery::default()).is_empty());
    let _ = (document.outline(), document.statistics(), document.notes());
    let mut shown = Shown::default();
    subjects::check_annotations(&*document, &shown);
    for overlay in about.overlays {
        shown.overlays.set(about.overlays, overlay.id, true);
    }
    subjects::check_annotations(&*document, &shown);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let whats = [0, IS_OPENED, IS_COMPARED].into_iter();
    let whats = whats.flat_map(|how| {
        (0_u8..)
            .zip(READERS)
            .map(move |(i, (_, good))| (how | i, good))
    });
    for (what, good) in whats {
        for file in good().into_iter().filter(|file| file.len() < 8 << 10) {
            // Repeat each line in turn, or pieces at regular intervals.
            let step = (file.len() / 12).max(1);
            for from in (0..file.len()).step_by(step) {
                let rest = &file[from..];
                let len = rest.iter().position(|byte| *byte == b'\n').unwrap_or(15) + 1;
                let numbers = [2000, from, len].map(|number| (number as u16).to_le_bytes());
                seeds.push([&[what], numbers.as_flattened(), &file].concat());
            }
        }
    }
    seeds
}
