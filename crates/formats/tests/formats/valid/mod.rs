//! Valid files in every form that the documents and fact sheets allow, each with its expected
//! content. They are written from the documents alone, so that a mistake shared by the crate's
//! reader and writer is detected.

#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::needless_for_each,
    reason = "test code that runs once is short rather than fast"
)]

/// The text of a record: its kind and all values that are read.
macro_rules! says {
    ($kind:literal $(, $value:expr)* $(,)?) => {{
        let mut says = String::from($kind);
        $(says += &format!(" {:?}", &$value);)*
        says
    }};
}

/// Lists the records that are read.
macro_rules! list {
    ($records:ident: $($kind:literal in $all:expr => |$it:pat_param| $($value:expr),+;)+) => {
        $($records.extend($all.map(|$it| says!($kind $(, $value)+)));)+
    };
}

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

/// A format: how its files are made up and read, and how much must be kept of damaged ones.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> GeneratedFile,
    pub(crate) read: fn(&[u8]) -> Result<Reading, ReadError>,
    pub(crate) is_text: bool,
    /// `true` if only its offset determines the meaning of a byte, so that all bytes after missing
    /// or surplus ones are misread.
    pub(crate) is_flat: bool,
    /// The minimum share of records beside a damage that must be read unchanged.
    pub(crate) kept: f64,
    /// The minimum share of damages that must give at most one problem, at the damage.
    pub(crate) told: f64,
    /// The maximum share of damages that may invent a record.
    pub(crate) made_up: f64,
}

/// A row for each format: its module, whether it is text and flat, and the limits for damaged
/// files.
macro_rules! formats {
    ($($module:ident $is_text:literal $is_flat:literal $kept:literal $told:literal $made_up:literal;)+) => {
        pub(crate) const FORMATS: &[Format] = &[$(Format {
            name: stringify!($module),
            make: $module::make,
            read: |bytes| $module::read(bytes).map($module::describe),
            is_text: $is_text,
            is_flat: $is_flat,
            kept: $kept,
            told: $told,
            made_up: $made_up,
        }),+];
    };
}

formats! {
    // text  flat   kept  told  made up
    pfscene  true  false 0.97 0.95 0.01;
    pfmap    true  false 0.97 0.95 0.01;
    pfobj    true  false 0.97 0.95 0.01;
    ika_text true  false 0.97 0.95 0.01;
    ika_map  false false 0.95 0.9 0.02;
    vsp      false true  0.9 0.9 0.02;
    ppe_map  false true  0.9 0.9 0.02;
    xmf      true  false 0.97 0.9 0.02;
    pmf      false false 0.9 0.9 0.04;
}

/// A record: its kind and values as text, and its range in the file.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) says: String,
    pub(crate) at: Range<usize>,
}

impl Record {
    fn behind(self, by: usize) -> Self {
        let at = self.at.start + by..self.at.end + by;
        Self { at, ..self }
    }
}

/// A file and its expected content.
#[derive(Debug, Default)]
pub(crate) struct GeneratedFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: Vec<Record>,
    /// Ranges outside records, such as lines that begin a section.
    pub(crate) pieces: Vec<Range<usize>>,
    /// Compressed sections: a fault inside may be reported at the beginning.
    pub(crate) sections: Vec<Range<usize>>,
    /// The rules whose warnings are allowed.
    pub(crate) warnings: Vec<&'static str>,
    /// The line end.
    line_end: &'static str,
}

/// The content that a reader finds in a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) records: Vec<String>,
    pub(crate) problems: Vec<Problem>,
}

impl GeneratedFile {
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

    /// Writes a line outside records.
    fn piece(&mut self, text: &str) {
        let start = self.bytes.len();
        self.line(text);
        self.pieces.push(start..self.bytes.len());
    }

    /// Adds records that were written elsewhere and are moved by `by` bytes here.
    fn take(&mut self, records: Vec<Record>, by: usize) {
        self.records
            .extend(records.into_iter().map(|it| it.behind(by)));
    }

    /// Adds the record that was written since `start`.
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

/// A small generator (`SplitMix64`): the same seed makes the same file.
pub(crate) struct Random {
    state: u64,
    /// `true` if unusual forms may be chosen.
    is_odd: bool,
    /// Number of values made so far, which makes each unique.
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

    /// `true` once in `n` calls, if unusual forms are allowed.
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

    /// A unique name.
    fn name(&mut self) -> String {
        let first = self.pick(&["ash", "Oak", "x", "Town_", "num-", "a.b-"]);
        format!("{first}{}", self.fresh())
    }

    fn int(&mut self) -> i32 {
        let number = self.fresh() as i32 * 8 + self.below(8) as i32;
        if self.below(3) == 0 { -number } else { number }
    }

    /// A unique number, as text and as it is read.
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

    /// Numbers separated by spaces or slashes, and as they are read.
    fn numbers<const N: usize>(&mut self, between: &str) -> (String, [f32; N]) {
        let all = [(); N].map(|()| self.number());
        let texts: Vec<&str> = all.iter().map(|(text, _)| &**text).collect();
        (texts.join(between), all.each_ref().map(|(_, read)| *read))
    }
}

/// Compresses data with zlib, in all the forms that the fact sheets allow.
fn zlib(random: &mut Random, data: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::new(random.pick(&[0, 1, 9]));
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(data).unwrap();
    if random.odd(3) {
        // As the game's writer did: never finished.
        encoder.flush().unwrap();
        return std::mem::take(encoder.get_mut());
    }
    let mut packed = encoder.finish().unwrap();
    if random.odd(3) {
        packed.truncate(packed.len() - 4);
    }
    packed
}

/// Returns a difference between a file and its reading.
fn fault(format: &Format, made: &GeneratedFile) -> Option<String> {
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
    // Records of one kind are in file order.
    fn by_kind<'a>(records: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let mut records: Vec<&str> = records.collect();
        records.sort_by_key(|record| record.split(' ').next());
        records
    }
    let says = by_kind(made.records.iter().map(|record| &*record.says));
    let read = by_kind(reading.records.iter().map(String::as_str));
    if let Some((made, read)) = says.iter().zip(&read).find(|(made, read)| made != read) {
        return Some(format!("made: {made}\n  read: {read}"));
    }
    let lost = says.get(read.len()..).unwrap_or_default();
    let more = read.get(says.len()..).unwrap_or_default();
    (says.len() != read.len()).then(|| format!("made: {lost:?}\n  read: {more:?}"))
}

/// Checks that files of a format are read as they were made.
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
    // For each rule, the smallest faulty file is kept for inspection.
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
    ($($name:ident: $index:literal, $cases:literal;)+) => {
        $(
            #[test]
            fn $name() {
                check(&FORMATS[$index], $cases / mapscope_testdata::stride(3) as u64);
            }
        )+
    };
}

valid_files_are_read_as_they_stand! {
    scenes: 0, 300;
    terrain: 1, 60;
    models: 2, 300;
    ika_text_maps: 3, 300;
    ika_maps: 4, 300;
    tilesets: 5, 200;
    ppe_maps: 6, 300;
    containers: 7, 300;
    levels: 8, 200;
}
