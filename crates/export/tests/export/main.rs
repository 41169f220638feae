//! Good files of every format, changed at random: what is opened of them becomes files of other programs
//! and other forms of itself, which hold together.

#![cfg(test)]

mod checks;
#[expect(
    dead_code,
    reason = "what readers are asked is for the tests of scenes"
)]
#[path = "../../../scene/tests/scene/mutation/subjects.rs"]
mod subjects;

use self::checks::{check_exports, check_forms};

/// Those of the files that can be written at all: some of the good ones lack something.
fn written(mut files: Vec<Vec<u8>>, name: &str) -> Vec<Vec<u8>> {
    files.retain(|file| !check_forms(file, name));
    files
}

/// Two tests for each format: with so many files that are exported, and so many that are converted.
macro_rules! formats {
    ($($exports:ident, $forms:ident: $good:path, $name:literal, $exported:literal, $converted:literal;)+) => {
        mapscope_testdata::mutation_tests! {
            $(
                $exports: $good, |bytes| check_exports(bytes, $name), $exported;
                $forms: || written($good(), $name), |bytes| check_forms(bytes, $name), $converted;
            )+
        }
    };
}

formats! {
    pfmap, forms_of_pfmap: subjects::good_pfmaps, "changed.pfmap", 60, 100;
    pfobj, forms_of_pfobj: subjects::good_pfobjs, "changed.pfobj", 1_000, 1_000;
    pfscene, forms_of_pfscene: subjects::good_pfscenes, "changed.pfscene", 200, 400;
    pmf, forms_of_pmf: subjects::good_pmfs, "changed.pmf", 500, 500;
    ika_map, forms_of_ika_map: subjects::good_ika_maps, "changed.map", 100, 500;
    ika_text, forms_of_ika_text: subjects::good_ika_texts, "changed.ika-map", 100, 500;
    vsp, forms_of_vsp: subjects::good_tilesets, "changed.vsp", 500, 500;
    ppe_map, forms_of_ppe_map: subjects::good_ppe_maps, "changed.map", 200, 500;
    xmf, forms_of_xmf: subjects::good_xmfs, "changed.xmf", 500, 500;
}
