//! Files that a program altered on their way are read as they were, with one problem more.

use mapscope_formats::{ika, pfobj, pmf, ppe};
use mapscope_scene::diff::Diff;
use mapscope_scene::{OpenOptions, Source};
use mapscope_testdata::tiny_scene::SCENE;
use mapscope_testdata::{synthesize, tiny_model};

use super::same::open;

/// The ids of the rules that a file breaks which stand for themselves.
fn broken(path: &str, bytes: &[u8]) -> Vec<&'static str> {
    let document = open(path, bytes);
    let problems = document.about().problems.iter();
    problems.map(|problem| problem.rule.id).collect()
}

/// Checks that an altered file is read as it was, and that one problem more is said of it.
#[track_caller]
fn one_problem_more(path: &str, [file, altered]: [&[u8]; 2], rule: &str) {
    let expected = [&[rule][..], &broken(path, file)].concat();
    assert_eq!(broken(path, altered), expected, "{path}");
    let [a, b] = [file, altered].map(|file| open(path, file));
    assert_eq!(Diff::of([&*a, &*b]).unwrap().differences, [], "{path}");
}

/// Every binary format, with a file that has bytes over 127 and line feeds in it.
fn binary_files() -> Vec<(&'static str, Vec<u8>)> {
    let flags = ppe::MapFlags::default();
    vec![
        (
            "a.map",
            ika::map::write(&synthesize::ika_map([20, 30], 2, 7)).unwrap(),
        ),
        (
            "a.vsp",
            ika::vsp::write(&synthesize::ika_tileset(7)).unwrap(),
        ),
        (
            "a.pmf",
            pmf::write(&synthesize::pmf([1, 1, 1], 1, 1), pmf::Packing::Stored).unwrap(),
        ),
        (
            "a.map",
            ppe::map_data::write(&synthesize::ppe_map([20, 30], flags, 7)).unwrap(),
        ),
    ]
}

#[test]
fn texts_in_utf_16_are_read() {
    let map = synthesize::pfmap(1, 1, 1);
    let model = pfobj::write(&tiny_model());
    for (path, file) in [
        ("a.pfmap", map),
        ("a.pfobj", model),
        ("a.pfscene", SCENE.as_bytes().to_vec()),
    ] {
        assert!(file.is_ascii(), "{path}");
        let text = str::from_utf8(&file).unwrap();
        let altered: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        one_problem_more(path, [&file, &altered], "file/utf-16");
    }
}

#[test]
fn binary_files_that_were_saved_as_utf_8_are_read() {
    for (path, file) in binary_files() {
        let text: String = file.iter().copied().map(char::from).collect();
        one_problem_more(path, [&file, text.as_bytes()], "file/utf-8");
    }
}

#[test]
fn binary_files_that_were_transferred_as_text_are_read() {
    for (path, file) in binary_files() {
        let mut altered = Vec::new();
        for byte in &file {
            let new: &[u8] = if *byte == b'\n' { b"\r\n" } else { &[*byte] };
            altered.extend(new);
        }
        assert!(altered.len() > file.len() + 1, "{path}");
        one_problem_more(path, [&file, &altered], "file/text-mode");
    }
}

#[test]
fn what_was_lost_in_utf_8_is_the_cause_of_all() {
    for (path, file) in binary_files() {
        let altered = String::from_utf8_lossy(&file).into_owned();
        let source = Source {
            path: path.into(),
            bytes: altered.into_bytes().into(),
            embedded: &[],
        };
        let said = match mapscope_scene::open(&source, &OpenOptions::default(), &Default::default())
        {
            Ok(document) => {
                let problems = document.about().problems.iter();
                let of_file = problems.filter(|it| it.rule.id != "ppe-map/no-container");
                of_file.map(|it| it.rule.id).collect()
            }
            Err(mapscope_scene::OpenError::Refused { problem, .. }) => vec![problem.rule.id],
            Err(error) => panic!("{path}: {error}"),
        };
        assert_eq!(said, ["file/utf-8"], "{path}");
    }
}

#[test]
fn files_of_other_kinds_are_named_whatever_their_ending() {
    for (begin, kind) in [
        (
            &b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"[..],
            "Git LFS",
        ),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"PK\x03\x04\0\0", "ZIP"),
        (b"<!doctype html>", "web page"),
    ] {
        for path in ["a.pfmap", "a.map", "a.vsp", "a.pmf"] {
            let source = Source {
                path: path.into(),
                bytes: begin.to_vec().into(),
                embedded: &[],
            };
            let error = mapscope_scene::open(&source, &OpenOptions::default(), &Default::default());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(kind), "{path}: {error}");
        }
    }
}
