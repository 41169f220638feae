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

mapscope_testdata::mutation_tests! {
    pfmap: subjects::good_pfmaps, |bytes| check_exports(bytes, "changed.pfmap"), 60;
    pfobj: subjects::good_pfobjs, |bytes| check_exports(bytes, "changed.pfobj"), 1_000;
    pfscene: subjects::good_pfscenes, |bytes| check_exports(bytes, "changed.pfscene"), 200;
    pmf: subjects::good_pmfs, |bytes| check_exports(bytes, "changed.pmf"), 500;
    ika_map: subjects::good_ika_maps, |bytes| check_exports(bytes, "changed.map"), 500;
    ika_map_text: subjects::good_ika_texts, |bytes| check_exports(bytes, "changed.ika-map"), 500;
    vsp: subjects::good_tilesets, |bytes| check_exports(bytes, "changed.vsp"), 500;
    ppe_map: subjects::good_ppe_maps, |bytes| check_exports(bytes, "changed.map"), 500;
    xmf: subjects::good_xmfs, |bytes| check_exports(bytes, "changed.xmf"), 500;
    forms_of_pfmap: || written(subjects::good_pfmaps(), "changed.pfmap"), |bytes| check_forms(bytes, "changed.pfmap"), 200;
    forms_of_pfobj: || written(subjects::good_pfobjs(), "changed.pfobj"), |bytes| check_forms(bytes, "changed.pfobj"), 2_000;
    forms_of_pfscene: || written(subjects::good_pfscenes(), "changed.pfscene"), |bytes| check_forms(bytes, "changed.pfscene"), 1_000;
    forms_of_pmf: || written(subjects::good_pmfs(), "changed.pmf"), |bytes| check_forms(bytes, "changed.pmf"), 2_000;
    forms_of_ika_map: || written(subjects::good_ika_maps(), "changed.map"), |bytes| check_forms(bytes, "changed.map"), 1_000;
    forms_of_ika_text: || written(subjects::good_ika_texts(), "changed.ika-map"), |bytes| check_forms(bytes, "changed.ika-map"), 1_000;
    forms_of_vsp: || written(subjects::good_tilesets(), "changed.vsp"), |bytes| check_forms(bytes, "changed.vsp"), 1_000;
    forms_of_ppe_map: || written(subjects::good_ppe_maps(), "changed.map"), |bytes| check_forms(bytes, "changed.map"), 1_000;
    forms_of_xmf: || written(subjects::good_xmfs(), "changed.xmf"), |bytes| check_forms(bytes, "changed.xmf"), 1_000;
}
