//! Valid files made up in every form that the documents and fact sheets allow, each with what must be
//! read of it. They are written here from the documents alone, so that a mistake that reader and
//! writer of the crate share shows.

#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_for_each,
    reason = "what is written once is short rather than fast"
)]

mod ika_map;
mod ika_text;
mod pfmap;
mod pfobj;
mod pfscene;
mod pmf;
mod ppe_map;
mod vsp;
mod xmf;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::Range;

use mapscope_formats::{Problem, ReadError, Severity};

/// A format: how files of it are made up and read, and how much must be left of damaged ones.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> Made,
    pub(crate) read: fn(&[u8]) -> Result<Reading, ReadError>,
    pub(crate) is_text: bool,
    /// Whether nothing but its place says what a byte is for, so that all are read wrongly behind bytes
    /// that are lost or too many.
    pub(crate) is_flat: bool,
    /// The share of the records beside a damage that must be read as before.
    pub(crate) kept: f64,
    /// The share of damages that must give no more than one problem, which is at the damage.
    pub(crate) told: f64,
    /// The share of damages that may make up a record.
    pub(crate) made_up: f64,
}

pub(crate) const FORMATS: [Format; 9] = [
    pfscene::FORMAT,
    pfmap::FORMAT,
    pfobj::FORMAT,
    ika_text::FORMAT,
    ika_map::FORMAT,
    vsp::FORMAT,
    ppe_map::FORMAT,
    xmf::FORMAT,
    pmf::FORMAT,
];

/// A record: its kind and what it says, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) says: String,
    pub(crate) at: Range<usize>,
}

/// A file, and what must be read of it.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: Vec<Record>,
    /// What is no record, such as lines that begin a section.
    pub(crate) pieces: Vec<Range<usize>>,
    /// Packed sections: what is wrong within one may be said of where it begins.
    pub(crate) sections: Vec<Range<usize>>,
    /// The rules whose warnings are allowed.
    pub(crate) warnings: Vec<&'static str>,
    /// What is written at the end of each line.
    line_end: &'static str,
}

/// What a reader makes of a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) records: Vec<String>,
    pub(crate) problems: Vec<Problem>,
}

impl Made {
    fn text(random: &mut Random) -> Self {
        Self {
            line_end: if random.odd(3) { "\r\n" } else { "\n" },
            ..Self::default()
        }
    }

    fn line(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
        self.bytes.extend(self.line_end.as_bytes());
    }

    /// Writes a line that is no record.
    fn piece(&mut self, text: &str) {
        let start = self.bytes.len();
        self.line(text);
        self.pieces.push(start..self.bytes.len());
    }

    /// The record that what was written since `start` is.
    fn record(&mut self, start: usize, says: impl Into<String>) {
        let (says, at) = (says.into(), start..self.bytes.len());
        self.records.push(Record { says, at });
    }

    fn u32(&mut self, number: usize) {
        self.bytes.extend((number as u32).to_le_bytes());
    }

    fn i32(&mut self, number: i32) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn warn(&mut self, rule: &'static str) {
        self.warnings.push(rule);
    }
}

/// A small generator (`SplitMix64`): the same number makes the same file.
pub(crate) struct Random {
    state: u64,
    /// Whether unusual forms may be chosen.
    is_odd: bool,
    /// How many values were made, so that no two are alike.
    made: u32,
}

impl Random {
    pub(crate) fn new(seed: u64, is_odd: bool) -> Self {
        Self {
            state: seed,
            is_odd,
            made: 0,
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A number of records: often some, sometimes none.
    fn count(&mut self, most: usize) -> usize {
        if self.is_odd {
            self.below(most + 1)
        } else {
            most
        }
    }

    /// Whether something unusual is to be done, once in `n` times.
    fn odd(&mut self, n: usize) -> bool {
        let is_chosen = self.below(n) == 0;
        is_chosen && self.is_odd
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            let with = self.below(i + 1);
            list.swap(i, with);
        }
    }

    fn fresh(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// A name that no other thing has.
    fn name(&mut self) -> String {
        let first = self.pick(&["ash", "Oak", "x", "Town_", "num-", "a.b-"]);
        format!("{first}{}", self.fresh())
    }

    fn int(&mut self) -> i32 {
        let number = self.fresh() as i32 * 8 + self.below(8) as i32;
        if self.below(3) == 0 { -number } else { number }
    }

    /// A number that no other is equal to, as a text and as it is read.
    fn number(&mut self) -> (String, f32) {
        let number = f64::from(self.int()) / 8.0;
        let text = match self.below(8) {
            _ if !self.is_odd => format!("{number:.6}"),
            0 => format!("{number:e}"),
            1 => format!("{:.3}E-2", number * 100.0),
            2 if number > 0.0 => format!("+{number}"),
            3 => format!("{number}"),
            4 => "-0.0".to_owned(),
            _ => format!("{number:.6}"),
        };
        let read = text.parse().unwrap();
        (text, read)
    }

    /// Numbers between spaces or slashes, and as they are read.
    fn numbers<const N: usize>(&mut self, between: &str) -> (String, [f32; N]) {
        let all = [(); N].map(|()| self.number());
        let texts: Vec<&str> = all.iter().map(|(text, _)| &**text).collect();
        (texts.join(between), all.each_ref().map(|(_, read)| *read))
    }
}

/// What goes between a zlib header and its checksum, in all the ways that the fact sheets allow.
fn zlib(random: &mut Random, data: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::new(random.pick(&[0, 1, 9]));
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(data).unwrap();
    if random.odd(3) {
        // As the writer of the game did: never finished.
        encoder.flush().unwrap();
        return std::mem::take(encoder.get_mut());
    }
    let mut packed = encoder.finish().unwrap();
    if random.odd(3) {
        packed.truncate(packed.len() - 4);
    }
    packed
}

/// A file whose reading is not what it was made of.
fn fault(format: &Format, made: &Made) -> Option<String> {
    let reading = match (format.read)(&made.bytes) {
        Ok(reading) => reading,
        Err(error) => return Some(format!("refused: {error}")),
    };
    let is_fault = |problem: &&Problem| match problem.severity {
        Severity::Error => true,
        Severity::Warning => {
            !made.warnings.contains(&problem.rule.id) && !problem.message.contains("did you mean")
        }
        Severity::Note => false,
    };
    let all = reading.problems.iter().flat_map(Problem::with_consequences);
    if let Some(problem) = all.into_iter().find(is_fault) {
        return Some(format!("{problem} [{}]", problem.rule.id));
    }
    let says: Vec<&str> = made.records.iter().map(|record| &*record.says).collect();
    let both = says.iter().zip(&reading.records);
    if let Some((made, read)) = both.into_iter().find(|(made, read)| *made != read) {
        return Some(format!("made: {made}\n  read: {read}"));
    }
    let lost = says.get(reading.records.len()..).unwrap_or_default();
    let more = reading.records.get(says.len()..).unwrap_or_default();
    (says.len() != reading.records.len()).then(|| format!("lost: {lost:?}\n  made up: {more:?}"))
}

/// Files of a format are read as what they were made of.
fn check(format: &Format, cases: u64) {
    let mut faults = Vec::new();
    for seed in 0..cases {
        let made = (format.make)(&mut Random::new(seed, seed >= 4));
        if let Some(fault) = fault(format, &made) {
            faults.push((made.bytes.len(), seed, fault, made.bytes));
        }
    }
    if faults.is_empty() {
        return;
    }
    faults.sort();
    // Of each rule the smallest, which is kept to be looked at.
    let folder = std::env::temp_dir().join("mapscope-valid");
    std::fs::create_dir_all(&folder).unwrap();
    let mut rules = BTreeSet::new();
    let kind = |fault: &str| fault.split('[').next_back().unwrap_or_default().to_owned();
    let mut told = String::new();
    for (_, seed, fault, bytes) in &faults {
        if fault.starts_with("made") || rules.insert(kind(fault)) {
            let file = folder.join(format!("{}-{seed}", format.name));
            std::fs::write(&file, bytes).unwrap();
            told += &format!("{}: {fault}\n", file.display());
            if told.lines().count() > 16 {
                break;
            }
        }
    }
    panic!("{} of {cases} files:\n{told}", faults.len());
}

macro_rules! valid_files_are_read_as_they_stand {
    ($($name:ident: $format:expr, $cases:literal;)+) => {
        $(
            #[test]
            fn $name() {
                check(&$format, $cases);
            }
        )+
    };
}

valid_files_are_read_as_they_stand! {
    scenes: pfscene::FORMAT, 300;
    terrain: pfmap::FORMAT, 60;
    models: pfobj::FORMAT, 300;
    ika_text_maps: ika_text::FORMAT, 300;
    ika_maps: ika_map::FORMAT, 300;
    tilesets: vsp::FORMAT, 200;
    ppe_maps: ppe_map::FORMAT, 300;
    containers: xmf::FORMAT, 300;
    levels: pmf::FORMAT, 200;
}
