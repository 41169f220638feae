//! Tests of the comparison with made-up parts.

use super::*;
use crate::describe::own::hex_text;
use crate::document::About;
use crate::{Aabb, Compare, Drawable, GameView, Shown, TileMapItem};
use serde_json::json;

/// A document of names with a number each, and of a grid.
#[derive(Debug)]
struct Sample {
    about: About,
    named: Vec<(&'static str, u32)>,
    grid: ([u32; 2], Vec<u8>),
    /// Number of cells at the end of the grid that were not read.
    lost: usize,
}

fn sample(named: &[(&'static str, u32)], grid: ([u32; 2], &[u8])) -> Sample {
    let map = crate::tilemap::TileMap::new(&mapscope_formats::ika::map::FORMAT, "6", Box::new(()));
    Sample {
        about: About {
            bounds: Aabb::default(),
            game_view: GameView::FromAbove,
            ..map.about
        },
        named: named.to_vec(),
        grid: (grid.0, grid.1.to_vec()),
        lost: 0,
    }
}

impl Document for Sample {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _: &Shown, _: &mut dyn FnMut(Drawable<'a>)) {}

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }
}

impl Compare for Sample {
    fn parts(&self) -> Vec<Parts<'_>> {
        let (size, values) = &self.grid;
        let named = Parts::named("thing", self.named.len(), |i| self.named[i].0.to_owned())
            .items(|index| {
                let index = index as u32;
                Some(TileMapItem::Zone { index })
            })
            .owns(|i| vec![OwnLine::new("Thing", "Number", self.named[i].1)]);
        let grid = Parts::grid("cell", *size, |[row, col]| format!("{row},{col}"))
            .owns(|i| vec![OwnLine::new("Cell", "value", hex_text(&values[i..=i]))])
            .contents(|run, content| content.bytes(&values[run]));
        let read = values.len().saturating_sub(self.lost);
        vec![named, grid.up_to(read)]
    }

    fn own(&self, _: Item) -> Vec<OwnLine> {
        Vec::new()
    }
}

fn places(diff: &Diff) -> Vec<(&str, &str, [bool; 2])> {
    let differences = diff.differences.iter();
    differences
        .map(|it| (it.what, &*it.place, it.is_in))
        .collect()
}

const BOTH: [bool; 2] = [true; 2];

#[test]
fn what_is_inserted_is_one_difference() {
    let grid: ([u32; 2], &[u8]) = ([1, 2], &[7, 8]);
    let a = sample(&[("one", 1), ("two", 2), ("three", 3)], grid);
    let b = sample(&[("zero", 0), ("one", 1), ("two", 5), ("three", 3)], grid);
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(
        places(&diff),
        [("thing", "two", BOTH), ("thing", "zero", [false, true])]
    );
    assert_eq!(diff.count(), 2);
    let two = &diff.differences[0];
    let items = [1, 2].map(|index| Some(TileMapItem::Zone { index }.into()));
    assert_eq!(two.items, items);
    let [field] = two.fields.as_slice() else {
        panic!("{two:?}");
    };
    assert_eq!((&*field.name, &*field.key), ("Number", "number"));
    assert_eq!(field.values, [Some(json!(2)), Some(json!(5))]);
    // A part that only one file has is reported with all its fields.
    assert_eq!(diff.differences[1].fields[0].values, [None, Some(json!(0))]);
    // In the other direction, the same part is only in A.
    let back = Diff::of([&b, &a]).unwrap();
    assert_eq!(back.groups[0].only_in, [1, 0]);
    assert_eq!(Diff::of([&a, &a]).unwrap().count(), 0);
}

#[test]
fn a_name_that_is_there_twice_is_matched_in_turn_and_an_order_is_said_once() {
    let grid: ([u32; 2], &[u8]) = ([0, 0], &[]);
    let a = sample(&[("x", 1), ("x", 2), ("y", 3), ("z", 4)], grid);
    let b = sample(&[("x", 1), ("x", 2), ("z", 4), ("y", 3)], grid);
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(places(&diff), [("thing", "order", BOTH)]);
    let field = &diff.differences[0].fields[0];
    assert_eq!(
        field.values,
        [Some(json!(["y", "z"])), Some(json!(["z", "y"]))]
    );
    assert_eq!(field.texts[1].as_deref(), Some("z, y"));
}

#[test]
fn in_a_long_list_those_that_have_moved_are_named() {
    let grid: ([u32; 2], &[u8]) = ([0, 0], &[]);
    let names: Vec<(&str, u32)> = (0..100).map(|i| (&*format!("n{i}").leak(), i)).collect();
    let mut moved = names.clone();
    let [late, early] = [moved.remove(90), moved.remove(10)];
    moved.insert(0, late);
    moved.insert(50, early);
    let [a, b] = [names, moved].map(|names| sample(&names, grid));
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(places(&diff), [("thing", "order", BOTH)]);
    let expected = [
        json!(["n10 behind n9", "n90 behind n89"]),
        json!(["n90 first", "n10 behind n49"]),
    ];
    assert_eq!(diff.differences[0].fields[0].values, expected.map(Some));
}

#[test]
fn grids_of_other_sizes_are_compared_where_both_are() {
    let a = sample(&[], ([2, 2], &[1, 2, 3, 4]));
    let b = sample(&[], ([1, 3], &[1, 9, 5]));
    let diff = Diff::of([&a, &b]).unwrap();
    let expected = [
        ("cell", "0,1", BOTH),
        ("cell", "0,2", [false, true]),
        ("cell", "row 1", [true, false]),
    ];
    assert_eq!(places(&diff), expected);
    assert_eq!(diff.differences[0].fields[0].key, "value");
}

/// The declared size costs no time: a row of four billion unread cells is compared at once.
#[test]
fn cells_that_were_not_read_take_no_time() {
    let endless = |size| sample(&[], (size, &[]));
    let files = [[9, u32::MAX], [u32::MAX, 9], [9, u32::MAX - 1]].map(endless);
    let small = sample(&[], ([1, 3], &[1, 9, 5]));
    for first in &files {
        for second in files.iter().chain([&small]) {
            let diff = Diff::of([first, second]).unwrap();
            // The rows or columns that only one of them has.
            assert!(diff.count() <= 1, "{diff:?}");
        }
    }
}

#[test]
fn of_many_differences_all_are_counted_and_the_first_listed() {
    let count = MAX_LISTED as u32 + 500;
    let [ones, twos] = [1, 2].map(|value| vec![value; count as usize]);
    let a = sample(&[("one", 1)], ([count, 1], &ones));
    let b = sample(&[("one", 2)], ([count, 1], &twos));
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(diff.count(), u64::from(count) + 1);
    assert_eq!(diff.groups[1].listed, MAX_LISTED);
    assert_eq!(diff.differences.len(), MAX_LISTED + 1);
}

#[test]
fn files_of_two_formats_are_not_compared() {
    let a = sample(&[], ([0, 0], &[]));
    let mut b = sample(&[], ([0, 0], &[]));
    b.about.format = &mapscope_formats::pfmap::FORMAT;
    let error = Diff::of([&a, &b]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected two files of the same format"),
        "{error}"
    );
}

fn told(document: &Sample) -> Vec<String> {
    let mut lines = Vec::new();
    let _whole = tell(document, |part| {
        let fields = part.fields.iter().map(|field| {
            let [value, _] = &field.texts;
            format!(" {} {}", field.name, value.as_ref().unwrap())
        });
        let fields = fields.collect::<Vec<_>>().concat();
        lines.push(format!("{} {}{fields}", part.what, part.place));
        std::ops::ControlFlow::Continue(())
    });
    lines
}

#[test]
fn everything_is_told_line_by_line() {
    let a = sample(&[("one", 1)], ([1, 1], &[7]));
    assert_eq!(told(&a), ["thing one Number 1", "cell 0,0 value 07"]);
}

#[test]
fn bytes_that_happen_to_be_letters_are_no_text() {
    let [a, b] = [b'A', b'B'].map(|value| sample(&[], ([1, 1], &[value])));
    assert_eq!(told(&a), ["cell 0,0 value 41"]);
    let diff = Diff::of([&a, &b]).unwrap();
    let values = ["41", "42"].map(|value| Some(value.to_owned()));
    assert_eq!(diff.differences[0].fields[0].texts, values);
}

#[test]
fn one_of_many_alike_that_is_inserted_is_one_difference() {
    let grid: ([u32; 2], &[u8]) = ([0, 0], &[]);
    let a = sample(&[("tree", 1), ("tree", 2), ("tree", 3)], grid);
    let b = sample(&[("tree", 1), ("tree", 9), ("tree", 2), ("tree", 3)], grid);
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(places(&diff), [("thing", "tree", [false, true])]);
    assert_eq!(diff.differences[0].fields[0].values, [None, Some(json!(9))]);
    // A changed part among similar ones is identified.
    let b = sample(&[("tree", 1), ("tree", 5), ("tree", 3)], grid);
    let diff = Diff::of([&a, &b]).unwrap();
    assert_eq!(
        diff.differences[0].fields[0].values,
        [Some(json!(2)), Some(json!(5))]
    );
    assert_eq!(diff.count(), 1);
}
