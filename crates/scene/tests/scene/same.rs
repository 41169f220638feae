//! Spellings that engines read alike are not reported as differences between two files.

use std::path::Path;
use std::sync::Arc;

use mapscope_formats::{ika::text_map, pfmap, pfobj};
use mapscope_scene::diff::Diff;
use mapscope_scene::{Document, OpenOptions, Source};
use mapscope_testdata::tiny_scene::{sound_scene, write_game};
use mapscope_testdata::{root, synthesize, tiny_model};

pub(crate) fn open(path: impl AsRef<Path>, bytes: &[u8]) -> Arc<dyn Document> {
    let source = Source {
        path: path.as_ref().into(),
        bytes: bytes.to_vec().into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Default::default()).unwrap()
}

/// Number of differences between two files with the same name.
fn differences(path: impl AsRef<Path>, files: [&[u8]; 2]) -> u64 {
    let [a, b] = files.map(|file| open(&path, file));
    Diff::of([&*a, &*b]).unwrap().count()
}

/// The file with the other line ends.
fn with_other_line_ends(file: &[u8]) -> Vec<u8> {
    let is_cr_lf = file.windows(2).any(|two| two == b"\r\n");
    let mut other = Vec::new();
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(if is_cr_lf { &b"\r\n"[..] } else { b"\n" }) {
            Some(line) => {
                other.extend(line);
                other.extend(if is_cr_lf { &b"\n"[..] } else { b"\r\n" });
            }
            None => other.extend(line),
        }
    }
    other
}

#[test]
fn ends_of_lines_are_no_difference_in_any_text_format() {
    let game = tempfile::tempdir().unwrap();
    let scene = write_game(game.path(), &sound_scene()).unwrap();
    let text_map = text_map::write(&synthesize::ika_text_map([5, 4], 2, 5)).unwrap();
    let xmf = root().join("assets/maps/station.xmf");
    let files = [
        ("a.pfmap".into(), synthesize::pfmap(1, 1, 1)),
        ("a.pfobj".into(), pfobj::write(&tiny_model())),
        (scene, sound_scene().into_bytes()),
        ("a.map".into(), text_map),
        (xmf.clone(), std::fs::read(&xmf).unwrap()),
    ];
    for (path, file) in files {
        let other = with_other_line_ends(&file);
        assert!(other != file, "{}", path.display());
        assert_eq!(differences(&path, [&file, &other]), 0, "{}", path.display());
    }
}

/// A tile type in the other case, and the height `-00`.
#[test]
fn tiles_that_are_spelt_in_two_ways_are_the_same() {
    let mut map = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    map.tiles[0] = pfmap::Tile::parse(b"A+0001000001101001111000").unwrap();
    map.tiles[1] = pfmap::Tile::parse(b"0+0000000001101001111000").unwrap();
    let file = pfmap::write(&map);
    map.tiles[0] = pfmap::Tile::parse(b"a+0001000001101001111000").unwrap();
    map.tiles[1] = pfmap::Tile::parse(b"0-0000000001101001111000").unwrap();
    let other = pfmap::write(&map);
    assert!(file != other);
    assert_eq!(differences("a.pfmap", [&file, &other]), 0);
    map.tiles[0] = pfmap::Tile::parse(b"b+0001000001101001111000").unwrap();
    let [a, b] = [file, pfmap::write(&map)].map(|file| open("a.pfmap", &file));
    let diff = Diff::of([&*a, &*b]).unwrap();
    assert_eq!(diff.count(), 1);
    // A changed type implies its character, which is not reported.
    let fields: Vec<_> = diff.differences[0]
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(fields, ["Type"]);
}
