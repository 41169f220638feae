//! Files that a program altered on their way are read as they were, with one problem more.

use mapscope_formats::{Place, Severity, ika, pfobj, pmf, ppe};
use mapscope_scene::diff::Diff;
use mapscope_scene::{Document, OpenOptions, Source};
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

/// Text formats whose readers take every word by spaces and every line by its end.
fn texts() -> [(&'static str, String); 3] {
    let map = String::from_utf8(synthesize::pfmap(1, 1, 1)).unwrap();
    let model = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    let texts = [
        ("a.pfmap", map),
        ("a.pfobj", model),
        ("a.pfscene", SCENE.to_owned()),
    ];
    assert!(texts.iter().all(|(_, text)| text.is_ascii()));
    texts
}

#[test]
fn texts_in_utf_16_are_read() {
    for (path, text) in texts() {
        let altered: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        one_problem_more(path, [text.as_bytes(), &altered], "file/utf-16");
    }
}

#[test]
fn texts_with_line_ends_or_spaces_of_other_programs_are_read() {
    for (path, text) in texts() {
        let line_ends = text.replace('\n', "\r");
        let altered = [text.as_bytes(), line_ends.as_bytes()];
        one_problem_more(path, altered, "file/line-ends");
        let spaces = text.replace(' ', "\u{a0}");
        one_problem_more(
            path,
            [text.as_bytes(), spaces.as_bytes()],
            "file/no-break-space",
        );
    }
}

#[test]
fn lines_that_are_all_followed_by_a_blank_one_are_one_error() {
    for (path, text) in texts() {
        let double = text.replace('\n', "\n\n");
        let document = open(path, double.as_bytes());
        let whole = open(path, text.as_bytes());
        let errors = |document: &dyn Document| -> Vec<&str> {
            let problems = document.about().problems.iter();
            let errors = problems.filter(|problem| problem.severity == Severity::Error);
            errors.map(|error| error.rule.id).collect()
        };
        let expected = [&["file/double-spaced"][..], &errors(&*whole)].concat();
        assert_eq!(errors(&*document), expected, "{path}");
        assert_eq!(Diff::of([&*whole, &*document]).unwrap().differences, []);
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

#[test]
fn all_that_is_wrong_in_a_block_of_zero_bytes_is_one_error() {
    let level = synthesize::pmf([2, 3, 4], 1, 1);
    for (path, file) in [
        (
            "a.pmf",
            pmf::write(&level, pmf::Packing::Compressed).unwrap(),
        ),
        ("a.pfmap", synthesize::pfmap(2, 2, 1)),
        ("a.pfobj", pfobj::write(&synthesize::pfobj(2000, 1))),
    ] {
        let sound = broken(path, &file);
        // What the head says is not lost.
        let first = file.len() / 20;
        for start in (first..file.len() - 4096).step_by(file.len() / 20) {
            let mut zeroed = file.clone();
            zeroed[start..start + 4096].fill(0);
            let document = open(path, &zeroed);
            let problems = &document.about().problems;
            let errors = problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error);
            let errors: Vec<_> = errors.map(|error| (error.rule.id, error.place)).collect();
            let [("file/zeroed", place)] = errors[..] else {
                panic!("{path}, {start}: {errors:?}");
            };
            // Zero bytes before it belong to it.
            match place {
                Place::Offset(offset) => {
                    assert!((start as u64 - 32..=start as u64).contains(&offset));
                }
                Place::Text { line, column } => {
                    let before = zeroed[..start]
                        .iter()
                        .rev()
                        .take_while(|byte| **byte != b'\n')
                        .count();
                    assert_eq!(column, before as u64 + 1);
                    let lines = zeroed[..start].split(|byte| *byte == b'\n').count();
                    assert_eq!(line, lines as u64);
                }
            }
            assert!(
                problems.len() <= sound.len() + 1,
                "{path}, {start}: {problems:?}"
            );
        }
    }
}

#[test]
fn a_short_block_of_zero_bytes_in_a_text_is_one_error_too() {
    let station = include_str!("../../../../assets/maps/station.xmf");
    for (path, text, zeroed) in [
        ("a.pfscene", SCENE, "assets/models/guard.pfobj 13"),
        ("a.pfscene", SCENE, "   scale vec3 4.000000"),
        ("a.xmf", station, "\"On\"\n\tScrollRateX 0.25D"),
    ] {
        let sound = broken(path, text.as_bytes());
        let start = text.find(zeroed).unwrap();
        let mut bytes = text.as_bytes().to_vec();
        bytes[start..start + 20].fill(0);
        let document = open(path, &bytes);
        let problems = &document.about().problems;
        let rules: Vec<&str> = problems.iter().map(|problem| problem.rule.id).collect();
        let new: Vec<&&str> = rules.iter().filter(|rule| !sound.contains(rule)).collect();
        assert_eq!(new, [&"file/zeroed"], "{path}: {problems:#?}");
    }
}

#[test]
fn zero_bytes_that_may_be_what_was_saved_are_no_error() {
    let mut map = synthesize::ppe_map([20, 30], ppe::MapFlags::default(), 7);
    map.cells.fill(0);
    let file = ppe::map_data::write(&map).unwrap();
    assert!(
        file.windows(256)
            .any(|bytes| bytes.iter().all(|byte| *byte == 0))
    );
    let cut = &file[..file.len() - 3];
    let broken = broken("a.map", cut);
    assert!(broken.contains(&"ppe-map/truncated"), "{broken:?}");
}
