//! Shared code of the fuzz targets: seeds, checks, and the time and memory limits of an input.
//!
//! A target is a file in `targets/` and a row here. Seeds and checks are shared with the mutation
//! tests (`crates/scene/tests/scene/mutation/subjects.rs`,
//! `crates/export/tests/export/checks.rs` and `crates/formats/tests/formats/p3m/checks.rs`), so that
//! a new check applies to both.

mod bounds;
#[path = "../../crates/export/tests/export/checks.rs"]
mod checks;
#[path = "../../crates/formats/tests/formats/p3m/checks.rs"]
mod p3m_checks;
mod pmf_sections;
mod repeated;
mod sheet;
#[expect(dead_code, reason = "only the mutation tests use some of them")]
#[path = "../../crates/scene/tests/scene/mutation/subjects.rs"]
mod subjects;

use std::path::Path;

#[doc(hidden)]
pub use libfuzzer_sys;

/// A fuzz target.
#[derive(Debug)]
pub struct Target {
    /// Initial inputs.
    seeds: fn() -> Vec<Vec<u8>>,
    /// Panics if the results for an input are inconsistent.
    check: fn(&[u8]),
    /// Size in bytes of the file that an input represents, if it differs from the input's length.
    file_bytes: fn(&[u8]) -> usize,
    /// Allowed time as a multiple of the reader's: the checks write the file and read it again, or
    /// query all of a document.
    time_factor: u32,
}

/// Maximum size of a seed in bytes: more inputs can be tried if they are small.
const LARGEST_SEED: usize = 8 << 10;

macro_rules! targets {
    ($($name:ident: $seeds:expr, $check:expr, $time_factor:literal;)+) => {
        $(
            #[doc = concat!("The target `", stringify!($name), "`.")]
            pub static $name: Target = Target {
                seeds: $seeds,
                check: |bytes| {
                    let _ = $check(bytes);
                },
                file_bytes: <[u8]>::len,
                time_factor: $time_factor,
            };
        )+
    };
}

targets! {
    PFMAP: pfmap_seeds, subjects::check_pfmap, 1;
    PFOBJ: subjects::good_pfobjs, subjects::check_pfobj, 3;
    PFSCENE: subjects::good_pfscenes, subjects::check_pfscene, 4;
    PMF: subjects::good_pmfs, subjects::check_pmf, 3;
    PMF_SECTIONS: pmf_sections::seeds, pmf_sections::check, 3;
    P3M: p3m_checks::good, p3m_checks::check, 3;
    PAF: subjects::good_pafs, subjects::check_paf, 3;
    IKA_MAP: subjects::good_ika_maps, subjects::check_ika_map, 3;
    IKA_TEXT_MAP: subjects::good_ika_texts, subjects::check_ika_text, 3;
    VSP: subjects::good_tilesets, subjects::check_tileset, 3;
    PTF: subjects::good_textures, subjects::check_texture, 3;
    PPE_MAP: subjects::good_ppe_maps, subjects::check_ppe_map, 3;
    XMF: subjects::good_xmfs, subjects::check_xmf, 3;
    SHEET: subjects::good_sheets, sheet::check, 1;
    DOCUMENT: document_seeds, |input| named(input, subjects::check_document), 10;
    DIFF: diff_seeds, check_diff, 20;
    EXPORT: document_seeds, |input| named(input, checks::check_exports), 40;
    CONVERT: document_seeds, |input| named(input, checks::check_forms), 20;
}

/// The target `repeated`, whose inputs represent larger files.
pub static REPEATED: Target = Target {
    seeds: repeated::seeds,
    check: repeated::check,
    file_bytes: |bytes| repeated::file(bytes).map_or(0, |(_, file)| file.len()),
    time_factor: 12,
};

/// File names, one of each kind, indexed by the first byte of an input, and valid files for each.
const NAMES: [(&str, fn() -> Vec<Vec<u8>>); 11] = [
    ("a.pfmap", pfmap_seeds),
    ("a.pfobj", subjects::good_pfobjs),
    ("a.pfscene", subjects::good_pfscenes),
    ("a.pmf", subjects::good_pmfs),
    ("a.paf", subjects::good_pafs),
    ("a.map", subjects::good_ika_maps),
    ("a.ika-map", subjects::good_ika_texts),
    ("a.vsp", subjects::good_tilesets),
    ("a.ptf", subjects::good_textures),
    ("a.mbf", subjects::good_ppe_maps),
    ("a.xmf", subjects::good_xmfs),
];

/// The file name that a byte selects.
fn name_of(byte: u8) -> &'static str {
    NAMES[usize::from(byte) % NAMES.len()].0
}

/// Prefixes of maps, since no complete one is small.
fn pfmap_seeds() -> Vec<Vec<u8>> {
    let mut files = subjects::good_pfmaps();
    for file in &mut files {
        // At least a quarter of the tiles must remain.
        file.truncate(7 << 10);
    }
    files.retain(|file| !subjects::check_pfmap(file));
    files
}

fn document_seeds() -> Vec<Vec<u8>> {
    let seeds = NAMES.iter().zip(0..).flat_map(|((_, good), number)| {
        let files = good().into_iter();
        files.map(move |file| [&[number], &file[..]].concat())
    });
    seeds.collect()
}

/// The first byte selects the name, the rest is the file.
fn named(input: &[u8], check: fn(&[u8], &str) -> bool) -> bool {
    let Some((name, file)) = input.split_first() else {
        return true;
    };
    check(file, name_of(*name))
}

/// Separator between two files.
const FILE_SEPARATOR: &[u8] = b"\n<=>\n";

fn diff_seeds() -> Vec<Vec<u8>> {
    let seeds = NAMES.iter().zip(0..).flat_map(|((_, good), number)| {
        let mut files = good();
        files.retain(|file| file.len() < LARGEST_SEED / 2);
        let pairs: Vec<_> = files
            .windows(2)
            .map(|pair| [&[number], &pair[0][..], FILE_SEPARATOR, &pair[1][..]].concat())
            .collect();
        pairs
    });
    seeds.collect()
}

/// The first byte selects the name of both files, the rest is the files. Without a separator, they
/// are the two halves.
fn check_diff(input: &[u8]) -> bool {
    let Some((name, files)) = input.split_first() else {
        return true;
    };
    let end = files
        .windows(FILE_SEPARATOR.len())
        .position(|window| window == FILE_SEPARATOR);
    let files = match end {
        Some(end) => [&files[..end], &files[end + FILE_SEPARATOR.len()..]],
        None => files.split_at(files.len() / 2).into(),
    };
    subjects::check_diff(files, name_of(*name))
}

/// Runs before the first input: writes the seeds to the folder in `MAPSCOPE_FUZZ_SEEDS`, from which
/// libFuzzer reads them.
pub fn begin(target: &Target) {
    bounds::pin_to_one_cpu();
    let Some(folder) = std::env::var_os("MAPSCOPE_FUZZ_SEEDS") else {
        return;
    };
    let mut seeds = (target.seeds)();
    seeds.retain(|seed| seed.len() <= LARGEST_SEED);
    for (number, seed) in seeds.into_iter().enumerate() {
        let file = Path::new(&folder).join(format!("seed-{number}"));
        std::fs::write(file, seed).expect("the folder of the seeds can be written to");
    }
}

/// Checks an input within its limits.
pub fn check(target: &Target, input: &[u8]) {
    let bytes = (target.file_bytes)(input);
    bounds::hold(bytes, target.time_factor, || (target.check)(input));
}

/// The complete content of a file in `targets/`.
#[macro_export]
macro_rules! fuzz {
    ($target:ident) => {
        use $crate::libfuzzer_sys;

        libfuzzer_sys::fuzz_target!(
            init: $crate::begin(&$crate::$target),
            |bytes: &[u8]| $crate::check(&$crate::$target, bytes)
        );
    };
}
