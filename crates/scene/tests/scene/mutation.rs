//! Valid files of every format with about ten thousand random changes. For any input, a reader
//! returns, with time and memory bounded by the file's length. Some files are also opened and
//! queried as by a window and the commands.
//!
//! A new format adds a line to [`subjects`].

mod subjects;

use self::subjects::{
    check_diff, check_document, check_ika_map, check_ika_text, check_opened_pfscene,
    check_opened_pmf, check_opened_tiles, check_paf, check_pfmap, check_pfobj, check_pfscene,
    check_pmf, check_ppe_map, check_sheet, check_texture, check_tileset, check_xmf, good_ika_maps,
    good_ika_texts, good_pafs, good_pfmaps, good_pfobjs, good_pfscenes, good_pmfs, good_ppe_maps,
    good_sheets, good_textures, good_tilesets, good_xmfs,
};

mapscope_testdata::mutation_tests! {
    pfmap: good_pfmaps, check_pfmap, 10_000;
    pfobj: good_pfobjs, check_pfobj, 10_000;
    pfscene: good_pfscenes, check_pfscene, 10_000;
    opened_pfscene: good_pfscenes, check_opened_pfscene, 300;
    pmf: good_pmfs, check_pmf, 10_000;
    paf: good_pafs, check_paf, 10_000;
    opened_paf: good_pafs, |bytes| check_document(bytes, "changed.paf"), 1_000;
    compared_paf: good_pafs, |bytes| check_diff([bytes, &good_pafs()[1]], "a.paf"), 300;
    opened_pfmap: good_pfmaps, |bytes| check_document(bytes, "changed.pfmap"), 100;
    opened_pfobj: good_pfobjs, |bytes| check_document(bytes, "changed.pfobj"), 1_000;
    opened_pmf: good_pmfs, check_opened_pmf, 3_000;
    ika_map: good_ika_maps, check_ika_map, 10_000;
    ika_map_text: good_ika_texts, check_ika_text, 10_000;
    vsp: good_tilesets, check_tileset, 10_000;
    opened_ika_map: good_ika_maps, |bytes| check_opened_tiles(bytes, "changed.map"), 1_000;
    opened_ika_map_text: good_ika_texts, |bytes| check_opened_tiles(bytes, "changed.ika-map"), 1_000;
    opened_vsp: good_tilesets, |bytes| check_opened_tiles(bytes, "changed.vsp"), 1_000;
    ppe_map: good_ppe_maps, check_ppe_map, 10_000;
    xmf: good_xmfs, check_xmf, 10_000;
    opened_ppe_map: good_ppe_maps, |bytes| check_opened_tiles(bytes, "changed.map"), 1_000;
    opened_xmf: good_xmfs, |bytes| check_opened_tiles(bytes, "changed.xmf"), 1_000;
    compared_pfobj: good_pfobjs, |bytes| check_diff([bytes, &good_pfobjs()[1]], "a.pfobj"), 300;
    compared_xmf: good_xmfs, |bytes| check_diff([bytes, &good_xmfs()[0]], "a.xmf"), 300;
    ptf: good_textures, check_texture, 10_000;
    opened_ptf: good_textures, |bytes| check_opened_tiles(bytes, "changed.ptf"), 1_000;
    compared_ptf: good_textures, |bytes| check_diff([bytes, &good_textures()[0]], "a.ptf"), 300;
    sheet: good_sheets, check_sheet, 10_000;
}
