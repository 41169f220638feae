//! Random mutations of valid files of every format. Each one that opens is exported and converted,
//! and the results must be consistent.

#![cfg(test)]

mod checks;
#[expect(
    dead_code,
    reason = "the queries of readers are for the tests of scenes"
)]
#[path = "../../../scene/tests/scene/mutation/subjects.rs"]
mod subjects;

use self::checks::{check_exports, check_forms};

/// Keeps the files that can be written; some valid files are incomplete.
fn written(mut files: Vec<Vec<u8>>, name: &str) -> Vec<Vec<u8>> {
    files.retain(|file| !check_forms(file, name));
    files
}

/// Two tests per format, with the numbers of files to export and to convert.
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
    ptf, forms_of_ptf: subjects::good_textures, "changed.ptf", 500, 500;
    ppe_map, forms_of_ppe_map: subjects::good_ppe_maps, "changed.map", 200, 500;
    xmf, forms_of_xmf: subjects::good_xmfs, "changed.xmf", 500, 500;
}
