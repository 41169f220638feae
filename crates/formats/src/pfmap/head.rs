//! The head of a map: the counts, the materials and the splats (document section 3.1, fact sheet
//! A1).

use super::{Material, Splat, TILE_CHARS, rules};
use crate::cursor::{Found, Text, Word, first_words, is_separator};
use crate::{Cause, Message, Place, Rule, Subject, counted, misspelt, outside, quoted};

/// Maximum number of materials, and of splats, in the engine.
const ENGINE_LIST_LEN: u64 = 256;
/// Number of materials that the three digits of a tile can name.
const NAMEABLE_MATERIALS: usize = 1000;
/// The newest version that the engine writes.
const NEWEST_VERSION: f32 = 1.2;

/// Lines of the head, by their index in [`LINES`].
const VERSION: usize = 0;
const NUM_MATERIALS: usize = 1;
const NUM_SPLATS: usize = 2;
const NUM_ROWS: usize = 3;
const NUM_COLS: usize = 4;
/// The key of each line.
const KEYS: [&str; 5] = [
    "version",
    "num_materials",
    "num_splats",
    "num_rows",
    "num_cols",
];
/// The form of each line in messages.
const LINES: [&str; 5] = [
    "`version <number>`",
    "`num_materials <number of materials>`",
    "`num_splats <number of splats>`",
    "`num_rows <number of chunks from north to south>`",
    "`num_cols <number of chunks from west to east>`",
];
/// The keys of the lists.
const LIST_KEYS: [&str; 2] = ["material", "splat"];

/// A number of the head and its word.
type Count<'a> = Option<(u64, Word<'a>)>;

/// The head of a file.
pub(super) struct Head<'a> {
    pub version: String,
    pub materials: Vec<Material>,
    pub splats: Vec<Splat>,
    /// The announced number of materials, and the problem that there are fewer.
    missing_materials: Option<(u64, Cause)>,
    /// Chunks from north to south; `None` without a number of at least 1.
    pub rows: Count<'a>,
    /// Chunks from west to east; `None` without a number of at least 1.
    pub cols: Count<'a>,
    /// The problem that made one of these numbers unknown.
    pub size_fault: Option<Cause>,
    pub crlf: bool,
}

impl Head<'_> {
    /// Returns the problem of missing materials, if this material may be one of them.
    pub(super) fn missing_material(&self, number: u64) -> Option<Cause> {
        let (announced, cause) = self.missing_materials?;
        (number < announced).then_some(cause)
    }
}

/// Reads the head, up to the tile list.
pub(super) fn read_head<'a>(text: &mut Text<'a>) -> Head<'a> {
    let mut lines = HeadLines::default();
    lines.read(text);
    lines.check_version(text);
    let has_splats = lines.keys[NUM_SPLATS].is_some();
    let version = lines
        .version
        .map(|word| String::from_utf8_lossy(word.text).into_owned());
    let mut lists = Lists::new(text, lines.counts[NUM_MATERIALS], lines.counts[NUM_SPLATS]);
    lists.read(text);
    let missing_materials = lists.end(text);
    let mut all_lines = text.bytes.split_inclusive(|byte| *byte == b'\n');
    Head {
        version: version.unwrap_or_else(|| if has_splats { "1.1" } else { "1.0" }.to_owned()),
        materials: lists.materials,
        splats: lists.splats,
        missing_materials,
        rows: lines.counts[NUM_ROWS],
        cols: lines.counts[NUM_COLS],
        size_fault: lines.fault_of(NUM_ROWS).or(lines.fault_of(NUM_COLS)),
        // All lines of a file end alike, so the first one is enough.
        crlf: all_lines.next().is_some_and(|line| line.ends_with(b"\r\n")),
    }
}

/// The lines of the head while they are read. A known line is accepted anywhere in the head.
/// Repeated and unknown lines are reported and skipped.
#[derive(Default)]
struct HeadLines<'a> {
    /// The key of each line that was read.
    keys: [Option<Word<'a>>; LINES.len()],
    /// The number on each line.
    counts: [Count<'a>; LINES.len()],
    version: Option<Word<'a>>,
    /// Faults of the text, each with the line that was expected there. If that line is missing, its
    /// absence is a consequence.
    faults: Vec<(usize, Cause)>,
}

impl<'a> HeadLines<'a> {
    fn line_of(key: &[u8]) -> Option<usize> {
        KEYS.iter().position(|name| name.as_bytes() == key)
    }

    /// The first required line that was not read yet.
    fn expected(&self) -> Option<usize> {
        let is_expected = |line: &usize| *line != NUM_SPLATS && self.keys[*line].is_none();
        (0..LINES.len()).find(is_expected)
    }

    /// Records a fault in the place of the next line.
    fn add_fault(&mut self, fault: Option<Cause>) {
        let line = self.keys.iter().position(Option::is_none);
        self.faults.extend(line.zip(fault));
    }

    /// The fault in the place of a line.
    fn fault_of(&self, line: usize) -> Option<Cause> {
        let is_there = |at: usize| at == line || at == NUM_SPLATS && line == NUM_ROWS;
        let mut faults = self.faults.iter();
        faults
            .find(|(at, _)| is_there(*at))
            .map(|(_, cause)| *cause)
    }

    fn read(&mut self, text: &mut Text<'a>) {
        loop {
            let before = text.problems.last();
            let next = text.line_word();
            // A blank line is in the place of the next one.
            self.add_fault(text.problems.last().filter(|last| before != Some(*last)));
            let line = next.and_then(|word| Self::line_of(word.text));
            let is_unknown = |word: &Word<'_>| {
                let is_behind = is_list_key(word.text) || looks_like_tile(word.text);
                self.expected().is_some() && !is_behind
            };
            match next.filter(|word| line.is_some() || is_unknown(word)) {
                Some(key) => match line.filter(|line| self.keys[*line].is_none()) {
                    Some(line) => self.read_line(text, line, key),
                    None => self.skip(text, line.is_some(), key),
                },
                None => return self.end(text, next),
            }
        }
    }

    fn read_line(&mut self, text: &mut Text<'a>, line: usize, key: Word<'a>) {
        text.problems.cause = None;
        if let Some(later) = (line + 1..LINES.len()).find(|later| self.keys[*later].is_some()) {
            let expected = format!("it before `{}`", KEYS[later]);
            text.wrong(&rules::HEADER_LINE, key, &expected);
        }
        self.keys[line] = Some(key);
        let value = text.word(false);
        let is_read = if line == VERSION {
            self.version = value.filter(|word| word.number::<f32>().is_some_and(f32::is_finite));
            self.version.is_some()
        } else {
            self.counts[line] = value.and_then(|word| Some((word.count()?, word)));
            self.counts[line].is_some()
        };
        if !is_read {
            let found = value.map_or_else(|| text.found_line_end(), Found::from);
            text.wrong(&rules::HEADER_LINE, found, LINES[line]);
            self.faults.extend(Some(line).zip(text.problems.last()));
        }
        text.end_line();
    }

    /// Reports and skips a repeated or unknown line. A block of such lines is one fault.
    fn skip(&mut self, text: &mut Text<'_>, is_repeated: bool, key: Word<'_>) {
        let expected = self.expected().map_or("the materials", |line| LINES[line]);
        let expected = [expected, &*suggestion(key.text, KEYS)].concat();
        let found = Found::from(key).with(if is_repeated { " again" } else { "" });
        text.wrong(&rules::HEADER_LINE, found, &expected);
        text.problems.cause = text.problems.cause.or(text.problems.last());
        self.add_fault(text.problems.cause);
        text.skip_line();
    }

    /// Ends the head at a word, or at the end of the file. Reports missing lines, and a map without
    /// chunks.
    fn end(&mut self, text: &mut Text<'a>, next: Option<Word<'a>>) {
        text.problems.cause = None;
        if let Some(word) = next {
            text.unread(word);
        }
        let end = next.map_or_else(|| text.found_file_end(), Found::from);
        while let Some(line) = self.expected() {
            let cause = self.fault_of(line);
            text.wrong_after(cause, &rules::HEADER_LINE, end.clone(), LINES[line]);
            self.faults.extend(Some(line).zip(text.problems.last()));
            self.keys[line] = next.or(Some(Word {
                text: b"",
                start: text.pos,
                place: text.place(),
            }));
        }
        for line in [NUM_ROWS, NUM_COLS] {
            if let Some((0, word)) = self.counts[line] {
                text.wrong(&rules::SIZE, word, "at least one chunk");
                self.faults.extend(Some(line).zip(text.problems.last()));
                self.counts[line] = None;
            }
        }
    }

    /// Checks the version, and whether `num_splats` is present as the version requires. Files are
    /// read by their content anyway: the engine's own editor never changed the version that it
    /// writes (fact sheet A1, F11).
    fn check_version(&self, text: &mut Text<'_>) {
        let Some(version) = self.version else {
            return;
        };
        let number = version.number::<f32>().unwrap_or_default();
        if number > NEWEST_VERSION {
            text.report(&rules::VERSION, version, || {
                let found = format!(
                    "version {} is newer than {NEWEST_VERSION}",
                    quoted(version.text)
                );
                Message::read(found, format_args!("as {NEWEST_VERSION}"))
            });
        }
        match (self.keys[NUM_SPLATS], self.keys[NUM_ROWS]) {
            (None, Some(next)) if number >= 1.1 => {
                let cause = self.fault_of(NUM_SPLATS);
                text.report_after(cause, &rules::NUM_SPLATS, next, || {
                    "missing `num_splats`, which version 1.1 and later require; the engine \
                        refuses the file"
                });
            }
            (Some(key), _) if number < 1.1 => text.warn(
                &rules::NUM_SPLATS,
                key,
                "found `num_splats` before version 1.1; the engine expects `num_rows`",
            ),
            _ => {}
        }
    }
}

/// Returns the end of a message about an unknown word: the similar known name, if there is one.
fn suggestion<const N: usize>(word: &[u8], names: [&str; N]) -> String {
    let near = misspelt::suggest(&String::from_utf8_lossy(word), names);
    near.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn is_list_key(word: &[u8]) -> bool {
    LIST_KEYS.iter().any(|key| key.as_bytes() == word)
}

/// `true` for words that can only be in the tile list: a tile, or the rest of one, of this layout
/// or an older one.
fn looks_like_tile(word: &[u8]) -> bool {
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_tile = word.len() == TILE_CHARS && 2 * digits > TILE_CHARS;
    is_tile
        || matches!(word, [kind, b'+' | b'-', ..] if kind.is_ascii_hexdigit())
        || is_older_tile(word)
}

/// `true` for tiles of the layouts before April 2019: 6 or 8 hexadecimal digits.
pub(super) fn is_older_tile(word: &[u8]) -> bool {
    matches!(word.len(), 6 | 8) && word.iter().all(u8::is_ascii_hexdigit)
}

/// A list of lines that begin with the same word.
struct List<'a> {
    key: &'static str,
    /// Form of a line in messages.
    line: &'static str,
    /// The rules for lines that cannot be read, and for a wrong number of lines.
    rules: [&'static Rule; 2],
    announced: Count<'a>,
    listed: u64,
    /// The end of the last line.
    end: Place,
    /// The first faulty line: a wrong number of lines is its consequence.
    fault: Option<Cause>,
}

impl List<'_> {
    fn is_short(&self) -> bool {
        self.announced.is_some_and(|(count, _)| self.listed < count)
    }

    /// Counts a line.
    fn begin_line(&mut self, text: &mut Text<'_>, key: Word<'_>) {
        if let Some((count, _)) = self.announced
            && self.listed == count
        {
            let name = self.key;
            text.report_after(self.fault, self.rules[1], key, || {
                format!(
                    "found more `{name}` lines; expected {count}, as declared by \
                         `num_{name}s`"
                )
            });
            self.fault = self.fault.or(text.problems.last());
        }
        self.listed += 1;
    }

    /// Reports a fault of a line.
    fn wrong<'f>(&mut self, text: &mut Text<'_>, found: impl Into<Found<'f>>, hint: &str) {
        text.wrong(self.rules[0], found, &[self.line, hint].concat());
        self.fault = self.fault.or(text.problems.last());
    }

    /// Compares the length with the announced one. Returns the problem of a list that is too short.
    fn end(&self, text: &mut Text<'_>) -> Option<Cause> {
        let (count, word) = self.announced?;
        let (key, mut cause) = (self.key, self.fault);
        if self.is_short() {
            text.report_after(cause, self.rules[1], self.end, || {
                let listed = counted(self.listed as usize, key);
                format!(
                    "the list ends after {listed}; expected {count}, as declared by \
                         `num_{key}s`"
                )
            });
            cause = cause.or(text.problems.last());
        }
        if count > ENGINE_LIST_LEN {
            // A wrong number may also be too large for the engine.
            let wrong = cause.filter(|_| self.listed != count);
            text.report_after(wrong, &rules::LIST_LENGTH, word, || {
                let count = quoted(word.text);
                format!("{count} {key}s; the engine refuses more than {ENGINE_LIST_LEN}")
            });
        }
        cause.filter(|_| self.is_short())
    }
}

/// The materials and the splats while they are read. Lines beyond the announced number are read
/// too.
struct Lists<'a> {
    material_list: List<'a>,
    splat_list: List<'a>,
    materials: Vec<Material>,
    splats: Vec<Splat>,
    /// Number of missing `material` lines. As many unknown lines are kept as placeholders, so that
    /// the materials after them keep their numbers.
    damaged: u64,
    /// The materials that splats name: index of the splat, number of the material, and its word.
    named: Vec<(usize, u32, Word<'a>)>,
}

impl<'a> Lists<'a> {
    fn new(text: &Text<'a>, materials: Count<'a>, splats: Count<'a>) -> Self {
        let lines = text
            .rest()
            .split(|byte| *byte == b'\n')
            .take_while(|line| !first_words(line).any(looks_like_tile));
        let found = lines
            .filter(|line| first_words(line).next() == Some(b"material"))
            .count() as u64;
        let list = |key, announced, line, rules| List {
            key,
            line,
            rules,
            announced,
            listed: 0,
            end: text.place().into(),
            fault: None,
        };
        let [material, splat] = LIST_KEYS;
        let (of_material, of_splat) = (
            "`material <name> <texture>`",
            "`splat <material number> <material number>`",
        );
        Self {
            material_list: list(
                material,
                materials,
                of_material,
                [&rules::MATERIAL, &rules::MATERIAL_COUNT],
            ),
            splat_list: list(
                splat,
                splats,
                of_splat,
                [&rules::SPLAT, &rules::SPLAT_COUNT],
            ),
            materials: Vec::new(),
            splats: Vec::new(),
            damaged: materials.map_or(0, |(count, _)| count.saturating_sub(found)),
            named: Vec::new(),
        }
    }

    /// Reads all lines before the first tile.
    fn read(&mut self, text: &mut Text<'a>) {
        while let Some(next) = text.next_word() {
            // The first tile on a line may be damaged.
            let line = text
                .rest()
                .trim_ascii_start()
                .split(|byte| *byte == b'\n')
                .next();
            if is_list_key(next) {
                text.problems.cause = None;
            } else if first_words(line.unwrap_or_default()).any(looks_like_tile) {
                break;
            }
            // The engine splits these lines at spaces, so they may be indented.
            let Some(key) = text.indented_line_word() else {
                break;
            };
            match key.text {
                b"material" => self.read_material(text, key),
                b"splat" => self.read_splat(text, key),
                _ => self.skip(text, key),
            }
        }
        text.problems.cause = None;
    }

    fn read_material(&mut self, text: &mut Text<'a>, key: Word<'a>) {
        text.problems.subject = Subject::Material(self.materials.len() as u32);
        if self.splat_list.listed > 0 {
            text.report_grouped(&rules::MATERIAL, key, || {
                "material after the first splat; the engine expects all materials before the \
                    splats"
            });
        }
        self.material_list.begin_line(text, key);
        let words = [text.word(false), text.word(false)];
        if words[1].is_none() {
            let found = text.found_line_end();
            self.material_list.wrong(text, found, "");
        }
        if let Some(texture) = words[1]
            && let Some(rest) = text.words()
        {
            let is_file = |word: &[u8]| word.contains(&b'.');
            let last = rest.text.split(|byte| is_separator(*byte)).next_back();
            if !is_file(texture.text) && last.is_some_and(is_file) {
                let texture = quoted(texture.text);
                let message = format!(
                    "the engine reads {texture} as the texture; the name and texture of a \
                     material cannot have spaces"
                );
                text.warn(&rules::EXTRA_WORDS, rest.place, &message);
            } else {
                text.warn_extra_words(rest.place);
            }
        }
        text.skip_line();
        self.add_material(text, key, words);
    }

    fn add_material(&mut self, text: &mut Text<'a>, key: Word<'a>, words: [Option<Word<'a>>; 2]) {
        self.material_list.end = text.place().into();
        if self.materials.len() == NAMEABLE_MATERIALS {
            let message = "material after the 1000th, which no tile can use; ignored";
            text.warn(&rules::UNNAMEABLE_MATERIAL, key, message);
            return;
        }
        let [name, texture] = words.map(|word| {
            let word = word.map_or(&b""[..], |word| word.text);
            String::from_utf8_lossy(word).into_owned()
        });
        let line = key.place.0;
        self.materials.push(Material {
            name,
            texture,
            line,
        });
    }

    fn read_splat(&mut self, text: &mut Text<'a>, key: Word<'a>) {
        let splat = self.splats.len();
        text.problems.subject = Subject::Splat(splat as u32);
        self.splat_list.begin_line(text, key);
        let words = [text.word(false), text.word(false)];
        let number = |word: Word<'_>| word.number::<u32>();
        if let [Some(base), Some(accent)] = words.map(|word| word.and_then(number)) {
            let named = [base, accent].into_iter().zip(words.into_iter().flatten());
            self.named
                .extend(named.map(|(index, word)| (splat, index, word)));
            self.splats.push(Splat { base, accent });
        } else {
            let bad = words
                .into_iter()
                .find(|word| word.and_then(number).is_none());
            let found = bad
                .flatten()
                .map_or_else(|| text.found_line_end(), Found::from);
            self.splat_list.wrong(text, found, "");
        }
        text.end_line();
        self.splat_list.end = text.place().into();
    }

    /// Reports and skips a line with an unknown key. A block of such lines is one fault.
    fn skip(&mut self, text: &mut Text<'a>, key: Word<'a>) {
        let hint = suggestion(key.text, LIST_KEYS);
        if self.material_list.is_short() && self.splats.is_empty() {
            self.material_list.wrong(text, key, &hint);
        } else if self.splat_list.is_short() {
            self.splat_list.wrong(text, key, &hint);
        } else {
            let expected = ["a tile of 24 characters", &*hint].concat();
            text.wrong(&rules::HEADER_LINE, key, &expected);
        }
        text.problems.cause = text.problems.cause.or(text.problems.last());
        text.skip_line();
        if self.damaged > 0 && self.splats.is_empty() {
            self.damaged -= 1;
            self.material_list.listed += 1;
            self.add_material(text, key, [None; 2]);
        }
    }

    /// Compares both lists with the head, and splats with the materials. Returns the announced
    /// number of materials and the problem that there are fewer.
    fn end(&self, text: &mut Text<'a>) -> Option<(u64, Cause)> {
        text.problems.subject = Subject::File;
        let few = self.material_list.end(text);
        self.splat_list.end(text);
        let few = self
            .material_list
            .announced
            .map(|(count, _)| count)
            .zip(few);
        let materials = self.materials.len() as u64;
        for (splat, index, word) in &self.named {
            let index = u64::from(*index);
            if index >= materials {
                text.problems.subject = Subject::Splat(*splat as u32);
                let missing = few.filter(|(announced, _)| index < *announced);
                let (cause, rule) = (missing.map(|(_, cause)| cause), &rules::SPLAT_MATERIAL);
                text.report_after(cause, rule, *word, || {
                    let outside = outside("material", materials);
                    format!("the splat uses material {index}, {outside}")
                });
            }
        }
        text.problems.subject = Subject::File;
        few
    }
}
