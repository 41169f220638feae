//! Files re-encoded by another program: texts are read with one additional problem, binary files
//! are reported.

use mapscope_formats::{Severity, ika, pfobj, pmf, ppe};
use mapscope_scene::diff::Diff;
use mapscope_scene::{OpenError, OpenOptions, Source};
use mapscope_testdata::tiny_scene::SCENE;
use mapscope_testdata::{synthesize, tiny_model};

use super::same::open;

/// Ids of the rules that a file breaks, without consequences.
fn broken(path: &str, bytes: &[u8]) -> Vec<&'static str> {
    let document = open(path, bytes);
    let problems = document.about().problems.iter();
    problems.map(|problem| problem.rule.id).collect()
}

/// Asserts that an altered file has the same content, with one additional problem.
#[track_caller]
fn assert_one_extra_problem(path: &str, [file, altered]: [&[u8]; 2], rule: &str) {
    let expected = [&[rule][..], &broken(path, file)].concat();
    assert_eq!(broken(path, altered), expected, "{path}");
    let [a, b] = [file, altered].map(|file| open(path, file));
    assert_eq!(Diff::of([&*a, &*b]).unwrap().differences, [], "{path}");
}

/// A file of every binary format, with bytes above 127 and line feeds.
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

/// Text formats whose readers split words at spaces and lines at their ends.
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
        assert_one_extra_problem(path, [text.as_bytes(), &altered], "file/utf-16");
    }
}

#[test]
fn texts_with_cr_line_ends_are_read() {
    for (path, text) in texts() {
        let altered = text.replace('\n', "\r");
        assert_one_extra_problem(
            path,
            [text.as_bytes(), altered.as_bytes()],
            "file/line-ends",
        );
    }
}

/// Each byte is decoded as a character or, if it is invalid UTF-8, replaced; or CR is inserted
/// before every LF.
#[test]
fn binary_files_that_were_handled_as_text_are_named() {
    for (path, file) in binary_files() {
        let decoded: String = file.iter().copied().map(char::from).collect();
        let lossy = String::from_utf8_lossy(&file).into_owned();
        let with_cr: Vec<u8> = file
            .iter()
            .flat_map(|byte| match byte {
                b'\n' => &b"\r\n"[..],
                byte => std::slice::from_ref(byte),
            })
            .copied()
            .collect();
        assert!(with_cr.len() > file.len() + 1, "{path}");
        for (bytes, rule) in [
            (decoded.into_bytes(), "file/utf-8"),
            (lossy.into_bytes(), "file/utf-8"),
            (with_cr, "file/text-mode"),
        ] {
            let source = Source {
                path: path.into(),
                bytes: bytes.into(),
                embedded: &[],
                archive: None,
            };
            let opened =
                mapscope_scene::open(&source, &OpenOptions::default(), &Default::default());
            let rules: Vec<&str> = match opened {
                Ok(document) => {
                    let errors = document
                        .about()
                        .problems
                        .iter()
                        .filter(|it| it.severity == Severity::Error);
                    errors.map(|it| it.rule.id).collect()
                }
                Err(OpenError::Refused { problem, .. }) => vec![problem.rule.id],
                Err(error) => panic!("{path}: {error}"),
            };
            assert_eq!(rules, [rule], "{path}");
        }
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
                archive: None,
            };
            let error = mapscope_scene::open(&source, &OpenOptions::default(), &Default::default())
                .unwrap_err()
                .to_string();
            assert!(error.contains(kind), "{path}: {error}");
        }
    }
}
