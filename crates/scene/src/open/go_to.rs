//! Places that a text names: rows and columns, positions, lines, offsets, frames, poses, items,
//! names, and lines that Mapscope printed.

use glam::Vec3;

use super::find::{NamedItem, find_items};
use crate::camera::Pose;
use crate::core::parallel::Share;
use crate::document::parts::Parts;
use crate::{Animation, Document, Item, Layers, ProblemTarget, Ray, Shown, TileMapItem, ViewState};
use mapscope_formats::{Place, Problem};

/// The column of a place that is a whole line.
const WHOLE_LINE: u64 = 0;
/// Explains what a text can name.
const EXPECTED: &str = "expected a row and a column, a position x y z, a line, an offset such as \
                        0x1f4, a frame, an item such as material:0, a name, or a message";

/// A place in a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Destination {
    /// An item.
    Item(NamedItem),
    /// The item that a problem is about.
    Problem(ProblemTarget),
    /// A position in world space.
    Position(Vec3),
    /// A frame of the shown clip, from 0.
    Frame(u32),
    /// Eye and target of the camera.
    Camera(Pose),
}

/// Returns the places that a text may mean, the most likely first and at most `max`. An empty text
/// means no place.
///
/// # Errors
///
/// If the text means no place of the document: a sentence for the user.
pub fn destinations(
    document: &dyn Document,
    text: &str,
    max: usize,
) -> Result<Vec<Destination>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let pose = text.trim_start_matches("--camera").trim_start_matches('=');
    found.extend(pose.parse().ok().map(Destination::Camera));
    let mut why = EXPECTED.to_owned();
    // Mapscope writes kinds with a capital at the start of a line.
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    let lower: String = first.chain(chars).collect();
    if let Some((kind, rest)) = Item::split_kind(&lower) {
        // A name may follow without a colon, and numbers without those of the first level.
        let rest = rest.trim_start_matches([':', ' ']);
        let others = [format!("{kind}:{rest}"), format!("{kind}:0,{rest}")];
        let items = find_items(document, &lower).or_else(|message| {
            let mut items = others.iter().map(|form| find_items(document, form));
            items.find_map(Result::ok).ok_or(message)
        });
        match items {
            Ok(items) => found.extend(items.into_iter().take(max).map(Destination::Item)),
            // It may be a line of the file.
            Err(_) if kind == "line" => {}
            Err(message) if lower.contains(':') => return Err(message),
            Err(message) => why = message,
        }
    }
    if found.is_empty() {
        if let Some(numbers) = Numbers::of(text) {
            numbers.destinations(document, &mut found)?;
        } else {
            found.extend(of_message(document, text));
        }
    }
    if found.is_empty() {
        found = named(document, text, max);
    }
    found.truncate(max);
    if found.is_empty() {
        Err(why)
    } else {
        Ok(found)
    }
}

/// The numbers of a text, each with the word before it.
struct Numbers<'t> {
    numbers: Vec<(&'t str, f64)>,
    /// `true` for the form `LINE:COLUMN`.
    has_colon: bool,
}

impl<'t> Numbers<'t> {
    /// The words that can stand before a number.
    const WORDS: [&'static str; 22] = [
        "at", "byte", "c", "cell", "col", "column", "file", "frame", "in", "line", "lines",
        "offset", "pixel", "position", "r", "row", "the", "tile", "to", "x", "y", "z",
    ];

    /// Splits a text that has only numbers and known words.
    fn of(text: &'t str) -> Option<Self> {
        let mut numbers = Vec::new();
        let mut word = "";
        let parts = text.split(|c: char| c.is_whitespace() || ",;:=()[]".contains(c));
        for part in parts.filter(|part| !part.is_empty()) {
            if let Some(digits) = part.strip_prefix("0x") {
                let number = u64::from_str_radix(digits, 16).ok()?;
                numbers.push(("offset", number as f64));
                continue;
            }
            let start = part.find(|c: char| !c.is_ascii_alphabetic());
            let (letters, digits) = part.split_at(start.unwrap_or(part.len()));
            if !letters.is_empty() {
                let known = |known: &&&str| known.eq_ignore_ascii_case(letters);
                word = Self::WORDS.iter().find(known)?;
            }
            if !digits.is_empty() {
                let number = digits
                    .parse()
                    .ok()
                    .filter(|number: &f64| number.is_finite());
                numbers.push((word, number?));
                word = "";
            }
        }
        (!numbers.is_empty()).then_some(Self {
            numbers,
            has_colon: text.contains(':'),
        })
    }

    /// The number after one of the words.
    fn after(&self, words: &[&str]) -> Option<f64> {
        let mut numbers = self.numbers.iter();
        numbers
            .find(|(word, _)| words.contains(word))
            .map(|(_, number)| *number)
    }

    /// `true` if the words do not tell the numbers apart.
    fn are_plain(&self) -> bool {
        let mut words = self.numbers.iter().map(|(word, _)| *word);
        words.all(|word| ["", "at", "cell", "pixel", "position", "tile", "to"].contains(&word))
    }

    /// The whole number after one of the words.
    fn whole(&self, words: &[&str]) -> Option<u64> {
        self.after(words).and_then(whole)
    }

    /// Adds the places that the numbers mean.
    ///
    /// # Errors
    ///
    /// If they mean a place that the document does not have: a sentence for the user.
    fn destinations(
        &self,
        document: &dyn Document,
        found: &mut Vec<Destination>,
    ) -> Result<(), String> {
        let column = ["column", "col", "c"];
        let nothing = |what: String| Err(format!("no item is stored at {what}"));
        if let Some(frame) = self.whole(&["frame"]) {
            found.push(frame_of(document, frame)?);
        } else if let Some(offset) = self.whole(&["offset", "byte"]) {
            found.extend(at_place(document, Place::Offset(offset)));
            if found.is_empty() {
                return nothing(format!("offset {offset:#x}"));
            }
        } else if let Some(line) = self.whole(&["line", "lines"]) {
            let column = self.whole(&column).unwrap_or(WHOLE_LINE);
            found.extend(at_place(document, Place::Text { line, column }));
            if found.is_empty() {
                return nothing(format!("line {line}"));
            }
        } else if let (Some(row), Some(column)) = (self.whole(&["row", "r"]), self.whole(&column)) {
            found.extend(in_grid(document, row, column));
            if found.is_empty() {
                return Err(format!("there is no row {row} with a column {column}"));
            }
        } else if let Some(x) = self.after(&["x"]) {
            let [y, z] = [["y"], ["z"]].map(|word| self.after(&word));
            match (y, z) {
                (Some(y), Some(z)) => found.push(position([x, y, z])),
                (Some(y), None) => found.extend(at_pair(document, [x, y])),
                (None, Some(z)) => found.push(on_ground(document, [x, z])),
                (None, None) => {}
            }
        } else if self.are_plain() {
            let numbers: Vec<f64> = self.numbers.iter().map(|(_, number)| *number).collect();
            match (numbers[..].as_ref(), self.numbers[0].0) {
                ([x, y], "pixel") => found.push(position([*x, 0.0, *y])),
                ([a, b], "tile" | "cell") => {
                    if let (Some(a), Some(b)) = (whole(*a), whole(*b)) {
                        found.extend(of_pair(document, a, b));
                    }
                }
                ([number], _) => {
                    if let Some(number) = whole(*number) {
                        let column = WHOLE_LINE;
                        let line = Place::Text {
                            line: number,
                            column,
                        };
                        found.extend(at_place(document, line));
                        found.extend(frame_of(document, number).ok());
                    }
                }
                ([a, b], _) => match (self.has_colon, whole(*a), whole(*b)) {
                    (true, Some(line), Some(column)) if is_text(document) => {
                        found.extend(at_place(document, Place::Text { line, column }));
                        if found.is_empty() {
                            return nothing(format!("line {line}"));
                        }
                    }
                    _ => found.extend(at_pair(document, [*a, *b])),
                },
                ([x, y, z], _) => found.push(position([*x, *y, *z])),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns a number without a fraction.
fn whole(number: f64) -> Option<u64> {
    let is_whole = number >= 0.0 && number.fract() == 0.0 && number < 2_f64.powi(53);
    is_whole.then_some(number as u64)
}

fn position(xyz: [f64; 3]) -> Destination {
    Destination::Position(Vec3::from(xyz.map(|at| at as f32)))
}

/// The position on the ground, or on whatever else is highest there.
fn on_ground(document: &dyn Document, [x, z]: [f64; 2]) -> Destination {
    let bounds = document.about().bounds;
    let origin = Vec3::new(x as f32, bounds.max.y + 1.0, z as f32);
    let ray = Ray {
        origin,
        direction: Vec3::NEG_Y,
    };
    let hit = document.pick(ray, &Shown::default());
    let ground = hit.map_or(bounds.min.y, |hit| hit.position.y);
    Destination::Position(Vec3::new(origin.x, ground, origin.z))
}

/// The tile or cells that a pair of numbers names, and the position in world space.
fn at_pair(document: &dyn Document, pair: [f64; 2]) -> Vec<Destination> {
    let whole = whole(pair[0]).zip(whole(pair[1]));
    let mut found = whole.map_or_else(Vec::new, |(a, b)| of_pair(document, a, b));
    if document.layers().is_none() {
        found.push(on_ground(document, pair));
    }
    found
}

/// The tile of a row and a column, or the cells of a column and a row: each as its format writes
/// them.
fn of_pair(document: &dyn Document, a: u64, b: u64) -> Vec<Destination> {
    if document.layers().is_some() {
        in_grid(document, b, a)
    } else {
        in_grid(document, a, b)
    }
}

/// The tile of a row and a column, or the cells there of all layers, the topmost first.
fn in_grid(document: &dyn Document, row: u64, column: u64) -> Vec<Destination> {
    let layers = document.layers().map(Layers::layers).unwrap_or_default();
    let of_layers = layers.iter().rev().filter_map(|layer| match layer.item {
        Item::TileMap(TileMapItem::Layer { index }) => {
            Some(("cell", format!("{index} {column} {row}")))
        }
        _ => None,
    });
    let others = [
        ("tile", format!("{row} {column}")),
        ("pixel", format!("{column} {row}")),
    ];
    let others = others.into_iter().filter(|_| layers.is_empty());
    let items = of_layers
        .chain(others)
        .flat_map(|(kind, numbers)| Item::of_kind(kind, &numbers));
    let items = items.filter(|item| document.has(*item));
    items
        .map(|item| Destination::Item(NamedItem { item, name: None }))
        .collect()
}

/// A frame of the clips.
///
/// # Errors
///
/// If no clip has it: a sentence for the user.
fn frame_of(document: &dyn Document, frame: u64) -> Result<Destination, String> {
    let clips = document.animation().map_or(&[][..], Animation::clips);
    let frames = clips.iter().map(|clip| clip.frames).max().unwrap_or(0);
    let found = u32::try_from(frame).ok().filter(|frame| *frame < frames);
    found.map(Destination::Frame).ok_or_else(|| match frames {
        0 => "this file has no clips".to_owned(),
        _ => format!("the clips have frames 0 to {}", frames - 1),
    })
}

/// The place that a printed message names. A message of the document's own problems leads to the
/// item of the problem.
fn of_message(document: &dyn Document, text: &str) -> Vec<Destination> {
    let target = |problem: &Problem| {
        let is_named = !problem.message.is_empty() && text.contains(&*problem.message);
        let is_here = text.contains(&problem.place.to_string());
        (is_named && is_here)
            .then(|| document.problem_target(problem))
            .flatten()
    };
    let problems = document.about().problems.iter();
    let of_problem = problems.clone().find_map(target);
    let of_note = || document.notes().iter().find_map(target);
    if let Some(target) = of_problem.or_else(of_note) {
        return vec![Destination::Problem(target)];
    }
    // A line of the status bar.
    let lower = text.to_lowercase();
    if let (Some(row), Some(column)) = (
        number_after(&lower, "row "),
        number_after(&lower, "column "),
    ) && !lower.contains("line ")
    {
        return in_grid(document, row, column);
    }
    place_in(text).map_or_else(Vec::new, |place| at_place(document, place))
}

/// The whole number after a word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let (_, rest) = text.split_once(word)?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

/// Returns the place in a text such as `FILE:12:5: error: ...`, `FILE:0x1f4: ...` or `line 12,
/// column 5`.
fn place_in(text: &str) -> Option<Place> {
    let number = |text: &str| -> Option<(u64, usize)> {
        let end = text.find(|c: char| !c.is_ascii_digit());
        let digits = text.get(..end.unwrap_or(text.len()))?;
        Some((digits.parse().ok()?, digits.len()))
    };
    if let Some(at) = text.find("line ") {
        let rest = text.get(at + 5..)?;
        if let Some((line, length)) = number(rest) {
            let column = rest.get(length..)?.strip_prefix(", column ");
            let column = column
                .and_then(number)
                .map_or(WHOLE_LINE, |(column, _)| column);
            return Some(Place::Text { line, column });
        }
    }
    text.match_indices(':').find_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        if let Some(hex) = rest.strip_prefix("0x") {
            let end = hex.find(|c: char| !c.is_ascii_hexdigit());
            let digits = hex.get(..end.unwrap_or(hex.len()))?;
            return u64::from_str_radix(digits, 16).ok().map(Place::Offset);
        }
        let (line, length) = number(rest)?;
        let rest = rest.get(length..)?;
        let column = rest.strip_prefix(':').and_then(number);
        (column.is_some() || rest.is_empty() || rest.starts_with([':', ' '])).then_some(
            Place::Text {
                line,
                column: column.map_or(WHOLE_LINE, |(column, _)| column),
            },
        )
    })
}

/// The items whose name is the text, or contains it, in any case.
fn named(document: &dyn Document, text: &str, max: usize) -> Vec<Destination> {
    let wanted = text.to_lowercase();
    let mut found = Vec::new();
    let mut lists = document.parts().unwrap_or_default();
    lists.extend(document.other_parts());
    with_name(&lists, &wanted, &mut found);
    found.sort_by_key(|(is_part, _)| *is_part);
    found.truncate(max);
    found
        .into_iter()
        .map(|(_, found)| Destination::Item(found))
        .collect()
}

/// Collects the items with a name; `true` for those of which it is only a part.
fn with_name(lists: &[Parts<'_>], wanted: &str, found: &mut Vec<(bool, NamedItem)>) {
    for list in lists {
        // Cells of grids have no names.
        let has_names = list.lists_items() && list.has_keys() && list.columns.is_none();
        for index in 0..if has_names { list.count } else { 0 } {
            let name = list.name(index);
            let lower = name.to_lowercase();
            if let Some(item) = list.item(index).filter(|_| lower.contains(wanted)) {
                let name = Some(name);
                found.push((lower != wanted, NamedItem { item, name }));
            }
        }
        if list.has_items_within() && list.columns.is_none() {
            for index in 0..list.count {
                with_name(&list.children(index), wanted, found);
            }
        }
    }
}

/// The item that the file stores at a place: of those that begin there or before, the last one. Of
/// those in other files that the document shows, such as the map of a scene, the one at the place
/// follows.
fn at_place(document: &dyn Document, place: Place) -> Vec<Destination> {
    let own = nearest(document, place, |document| {
        document.parts().unwrap_or_default()
    });
    let other = nearest(document, place, |document| document.other_parts());
    let other = other.filter(|([lines, _], _)| *lines == 0);
    let found = own.into_iter().chain(other);
    found.map(|(_, item)| Destination::Item(item)).collect()
}

/// `true` if the items of the file have lines.
fn is_text(document: &dyn Document) -> bool {
    let last = Place::line(u64::MAX);
    nearest(document, last, |document| {
        document.parts().unwrap_or_default()
    })
    .is_some()
}

/// The item that is stored next before a place, and how far before.
fn nearest(
    document: &dyn Document,
    place: Place,
    lists: impl Fn(&dyn Document) -> Vec<Parts<'_>> + Sync,
) -> Option<([u64; 2], NamedItem)> {
    let nearest = Share::among_threads(|share| {
        let mut search = Nearest {
            document,
            place,
            key: ["place".to_owned()],
            share,
            best: None,
        };
        search.visit(&lists(document));
        search.best
    });
    nearest
        .into_iter()
        .flatten()
        .min_by_key(|(distance, _)| *distance)
}

/// The search of a thread for the item next before a place.
struct Nearest<'a> {
    document: &'a dyn Document,
    place: Place,
    /// Key of the field with the place of an item.
    key: [String; 1],
    share: Share,
    /// The nearest item, and how far before the place it begins.
    best: Option<([u64; 2], NamedItem)>,
}

impl Nearest<'_> {
    fn visit(&mut self, lists: &[Parts<'_>]) {
        for list in lists {
            if list.lists_items() {
                self.examine(list);
            }
            if list.has_items_within() {
                for index in 0..list.count {
                    self.visit(&list.children(index));
                }
            }
        }
    }

    fn examine(&mut self, list: &Parts<'_>) {
        for (index, _) in self.share.of(list.count) {
            let distance = list.item(index).and_then(|item| {
                let record = self.document.record(item, ViewState::default())?;
                let distance = record.value(&self.key)?.distance_before(self.place)?;
                Some((distance, item))
            });
            if let Some((distance, item)) = distance
                && self.best.as_ref().is_none_or(|(best, _)| distance < *best)
            {
                let name = Some(list.name(index));
                self.best = Some((distance, NamedItem { item, name }));
            }
        }
    }
}
