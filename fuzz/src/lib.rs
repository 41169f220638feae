//! What the fuzz targets have in common: their seeds, what must hold of each input, and the time and
//! memory that it may take.
//!
//! A target is a file in `targets/` with a row here. Seeds and checks are those of the mutation tests
//! (`crates/scene/tests/scene/mutation/subjects.rs` and `crates/export/tests/export/checks.rs`), so that a new rule for what is read holds for both.

mod bounds;
#[path = "../../crates/export/tests/export/checks.rs"]
mod checks;
mod pmf_sections;
mod repeated;
mod sheet;
#[expect(dead_code, reason = "some of them are for the mutation tests alone")]
#[path = "../../crates/scene/tests/scene/mutation/subjects.rs"]
mod subjects;

use std::path::Path;

#[doc(hidden)]
pub use libfuzzer_sys;

/// What is fuzzed.
#[derive(Debug)]
pub struct Target {
    /// Inputs to begin with.
    seeds: fn() -> Vec<Vec<u8>>,
    /// Panics if what comes of an input does not hold together.
    check: fn(&[u8]),
    /// What an input stands for, in bytes, if that is not its length.
    file_bytes: fn(&[u8]) -> usize,
    /// How many times as long as a reader alone it may take: the checks write the file and read it
    /// again, or ask a document everything.
    patience: u32,
}

/// Larger files are no seeds, in bytes: the smaller they are, the more are tried.
const LARGEST_SEED: usize = 8 << 10;

macro_rules! targets {
    ($($name:ident: $seeds:expr, $check:expr, $patience:literal;)+) => {
        $(
            #[doc = concat!("The target `", stringify!($name), "`.")]
            pub static $name: Target = Target {
                seeds: $seeds,
                check: |bytes| {
                    let _ = $check(bytes);
                },
                file_bytes: <[u8]>::len,
                patience: $patience,
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
    IKA_MAP: subjects::good_ika_maps, subjects::check_ika_map, 3;
    IKA_TEXT_MAP: subjects::good_ika_texts, subjects::check_ika_text, 3;
    VSP: subjects::good_tilesets, subjects::check_tileset, 3;
    PPE_MAP: subjects::good_ppe_maps, subjects::check_ppe_map, 3;
    XMF: subjects::good_xmfs, subjects::check_xmf, 3;
    SHEET: subjects::good_sheets, sheet::check, 1;
    DOCUMENT: document_seeds, |input| named(input, subjects::check_document), 10;
    DIFF: diff_seeds, check_diff, 20;
    EXPORT: document_seeds, |input| named(input, checks::check_exports), 40;
    CONVERT: document_seeds, |input| named(input, checks::check_forms), 20;
}

/// The target `repeated`, whose inputs stand for larger files.
pub static REPEATED: Target = Target {
    seeds: repeated::seeds,
    check: repeated::check,
    file_bytes: |bytes| repeated::file(bytes).map_or(0, |(_, file)| file.len()),
    patience: 12,
};

/// File names, one of each kind, by the first byte of an input; and good files for each.
const NAMES: [(&str, fn() -> Vec<Vec<u8>>); 9] = [
    ("a.pfmap", pfmap_seeds),
    ("a.pfobj", subjects::good_pfobjs),
    ("a.pfscene", subjects::good_pfscenes),
    ("a.pmf", subjects::good_pmfs),
    ("a.map", subjects::good_ika_maps),
    ("a.ika-map", subjects::good_ika_texts),
    ("a.vsp", subjects::good_tilesets),
    ("a.mbf", subjects::good_ppe_maps),
    ("a.xmf", subjects::good_xmfs),
];

/// The name that a byte stands for.
fn name_of(byte: u8) -> &'static str {
    NAMES[usize::from(byte) % NAMES.len()].0
}

/// Beginnings of maps, since no whole one is small.
fn pfmap_seeds() -> Vec<Vec<u8>> {
    let mut files = subjects::good_pfmaps();
    for file in &mut files {
        // A quarter of the tiles must be there.
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

/// The first byte is the name, the rest the file.
fn named(input: &[u8], check: fn(&[u8], &str) -> bool) -> bool {
    let Some((name, file)) = input.split_first() else {
        return true;
    };
    check(file, name_of(*name))
}

/// Where the first file of two ends and the second begins.
const BETWEEN_FILES: &[u8] = b"\n<=>\n";

fn diff_seeds() -> Vec<Vec<u8>> {
    let seeds = NAMES.iter().zip(0..).flat_map(|((_, good), number)| {
        let mut files = good();
        files.retain(|file| file.len() < LARGEST_SEED / 2);
        let pairs: Vec<_> = files
            .windows(2)
            .map(|pair| [&[number], &pair[0][..], BETWEEN_FILES, &pair[1][..]].concat())
            .collect();
        pairs
    });
    seeds.collect()
}

/// The first byte is the name of both, the rest the files; without anything between them, the halves.
fn check_diff(input: &[u8]) -> bool {
    let Some((name, files)) = input.split_first() else {
        return true;
    };
    let end = files
        .windows(BETWEEN_FILES.len())
        .position(|window| window == BETWEEN_FILES);
    let files = match end {
        Some(end) => [&files[..end], &files[end + BETWEEN_FILES.len()..]],
        None => files.split_at(files.len() / 2).into(),
    };
    subjects::check_diff(files, name_of(*name))
}

/// Before the first input: writes the seeds into the folder that `MAPSCOPE_FUZZ_SEEDS` names, where
/// libFuzzer finds them.
pub fn begin(target: &Target) {
    bounds::stay_on_one_processor();
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

/// Tries an input, within its bounds.
pub fn check(target: &Target, input: &[u8]) {
    let bytes = (target.file_bytes)(input);
    bounds::hold(bytes, target.patience, || (target.check)(input));
}

/// The whole of a file in `targets/`.
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
