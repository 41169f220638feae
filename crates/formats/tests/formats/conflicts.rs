//! Merge conflicts in texts: one problem anywhere in a file, and the first version of the lines is
//! read.

use mapscope_formats::ika::text_map;
use mapscope_formats::ppe::xmf;
use mapscope_formats::{Problem, pfmap, pfobj, pfscene};
use mapscope_testdata::{stride, synthesize, tiny_scene};

/// Puts some lines of a text, from 0, into a conflict as its first version. The second version has
/// other numbers, and lacks the last line.
fn with_conflict(text: &str, from: usize, count: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, rest) = lines.split_at(from);
    let (ours, after) = rest.split_at(count.min(rest.len()));
    let theirs = ours[..ours.len() - 1].concat().replace('1', "7");
    let ours = format!("<<<<<<< HEAD\n{}=======\n", ours.concat());
    [
        before.concat(),
        ours,
        theirs,
        ">>>>>>> other/branch\n".to_owned(),
        after.concat(),
    ]
    .concat()
}

/// Checks conflicts of some lines at every `step`th line.
#[track_caller]
fn check(text: &str, step: usize, read: impl Fn(&[u8]) -> (Vec<Problem>, Vec<u8>)) {
    let (problems, whole) = read(text.as_bytes());
    assert!(problems.is_empty() && !whole.is_empty());
    for from in (0..text.lines().count()).step_by(step * stride(7)) {
        for count in [1, 2, 5] {
            let broken = with_conflict(text, from, count);
            let (problems, written) = read(broken.as_bytes());
            let said: Vec<_> = problems.iter().map(Problem::facts).collect();
            let place = format!("{}:1: error: ", from + 1);
            assert!(said.len() == 1 && said[0].starts_with(&place), "{said:#?}");
            assert!(written == whole, "{broken}");
        }
    }
}

#[test]
fn of_a_map_are_one_problem() {
    let text = String::from_utf8(synthesize::pfmap(1, 1, 3)).unwrap();
    check(&text, 1, |bytes| {
        let map = pfmap::read(bytes).unwrap();
        // The lines of the conflict are blank in the text.
        let plain = pfmap::Layout::regular(12, 4);
        let written = pfmap::write(&pfmap::Pfmap {
            layout: plain,
            ..map.clone()
        });
        (map.problems, written)
    });
}

#[test]
fn of_a_model_are_one_problem() {
    check(&super::pfobj::dancing(), 1, |bytes| {
        let model = pfobj::read(bytes).unwrap();
        let written = pfobj::write(&model);
        (model.problems, written)
    });
}

#[test]
fn of_a_scene_are_one_problem() {
    check(tiny_scene::SCENE, 1, |bytes| {
        let scene = pfscene::read(bytes).unwrap();
        let written = pfscene::write(&scene);
        (scene.problems, written)
    });
}

#[test]
fn of_a_map_of_ika_are_one_problem() {
    let bytes = text_map::write(&synthesize::ika_text_map([12, 9], 3, 7)).unwrap();
    let text = format!("{}\n", String::from_utf8_lossy(&bytes));
    check(&text, 1, |bytes| {
        let map = text_map::read(bytes).unwrap();
        let mut written = text_map::write(&map).unwrap();
        // A script that spans several lines has blanks in place of the conflict's lines.
        written.retain(|byte| !byte.is_ascii_whitespace());
        (map.problems, written)
    });
}

#[test]
fn of_an_xmf_are_one_problem() {
    let text = String::from_utf8(xmf::write(&synthesize::ppe_container([8, 6], 7))).unwrap();
    check(&text, 1, |bytes| {
        let map = xmf::read(bytes).unwrap();
        let written = xmf::write(&map);
        (map.problems, written)
    });
}

#[test]
fn several_are_told_one_by_one() {
    let text = super::pfobj::dancing();
    let twice = with_conflict(&with_conflict(&text, 40, 2), 10, 3);
    let problems = pfobj::read(twice.as_bytes()).unwrap().problems;
    let places: Vec<_> = problems.iter().map(|it| it.place.to_string()).collect();
    assert_eq!(places, ["11:1", "46:1"]);
}
