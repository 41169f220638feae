//! The head of a map: the counts, the materials and the splats (document section 3.1, fact
//! sheet A1).

use super::{Material, Splat, TILE_CHARS, rules};
use crate::cursor::{Found, Text, Word, first_words};
use crate::head_lines::{HeadLayout, HeadLine, HeadLines};
use crate::{Cause, Message, Place, Rule, Subject, counted, outside, quoted};

/// Materials, and splats, that the engine has room for.
const ENGINE_LIST_LEN: u64 = 256;
/// Materials that the three digits of a tile can name.
const NAMEABLE_MATERIALS: usize = 1000;
/// The newest version that the engine writes.
const NEWEST_VERSION: f32 = 1.2;

/// Lines of the head, by their number in [`LAYOUT`].
const VERSION: usize = 0;
const NUM_MATERIALS: usize = 1;
const NUM_SPLATS: usize = 2;
const NUM_ROWS: usize = 3;
const NUM_COLS: usize = 4;
static LAYOUT: HeadLayout = HeadLayout {
    lines: &[
        ("version", "`version <number>`"),
        ("num_materials", "`num_materials <number of materials>`"),
        ("num_splats", "`num_splats <number of splats>`"),
        (
            "num_rows",
            "`num_rows <number of chunks from north to south>`",
        ),
        (
            "num_cols",
            "`num_cols <number of chunks from west to east>`",
        ),
    ],
    optional: Some(NUM_SPLATS),
    alias: None,
    then: "the materials",
    is_behind: |word| matches!(word, b"material" | b"splat") || looks_like_tile(word),
    rule: &rules::HEADER_LINE,
};

/// What the head of a file says.
pub(super) struct Head<'a> {
    pub version: String,
    pub materials: Vec<Material>,
    pub splats: Vec<Splat>,
    /// How many materials there should be, and the problem that there are fewer.
    pub few_materials: Option<(u64, Cause)>,
    /// Chunks from north to south, and where the number stands; none without a number of at least 1.
    pub rows: Option<(u64, Word<'a>)>,
    /// The same from west to east.
    pub cols: Option<(u64, Word<'a>)>,
    pub crlf: bool,
}

/// Reads the head; what follows is the tile list.
pub(super) fn read_head<'a>(text: &mut Text<'a>) -> Head<'a> {
    let mut lines = HeadLines::new(&LAYOUT);
    let mut version = None;
    let mut counts: [Option<(u64, Word<'a>)>; LAYOUT.lines.len()] = [None; _];
    let mut crlf = false;
    // What stands where `num_splats` should, if it is missing.
    let mut in_place_of_splats = None;
    let mut has_splats = false;
    while lines.goes_on(text)
        && let Some(HeadLine {
            line,
            key,
            is_misspelt,
        }) = lines.next(text)
    {
        match line {
            NUM_SPLATS => {
                has_splats = true;
                if let Some(found) = &in_place_of_splats {
                    text.wrong(
                        &rules::HEADER_LINE,
                        Found::clone(found),
                        LAYOUT.lines[line].1,
                    );
                }
            }
            NUM_ROWS | NUM_COLS => {
                in_place_of_splats.get_or_insert_with(|| Found::from(key));
            }
            _ => {}
        }
        let value = text.word(false);
        let number = value.and_then(|word| Some((word.count()?, word)));
        match (line, value) {
            (VERSION, Some(word)) if is_version(word) => version = Some(word),
            (_, Some(_)) if number.is_some() => counts[line] = number,
            _ if is_misspelt => {}
            _ => {
                let found = value.map_or_else(|| text.line_ends(), Found::from);
                text.wrong(&rules::HEADER_LINE, found, LAYOUT.lines[line].1);
            }
        }
        if is_misspelt || value.is_none() {
            text.skip_line();
        } else {
            text.end_line();
        }
        if line == VERSION {
            // Lines that end in CR LF all do: the first one tells.
            crlf = text.bytes[..text.pos].ends_with(b"\r\n");
        }
    }
    let number = version.and_then(|version| version.number::<f32>());
    if let Some(version) = version
        && number.is_some_and(|number| number > NEWEST_VERSION)
    {
        text.report(&rules::VERSION, version, || {
            let version = quoted(version.text);
            Message::read(
                format!("version {version} is newer than {NEWEST_VERSION}"),
                format_args!("as {NEWEST_VERSION}"),
            )
        });
    }
    // Versions 1.1 and later have the line. Files are read by what is in them all the same: the
    // engine's own editor never changed the version that it writes (fact sheet A1, F11).
    let expects_splats = number.map(|number| number >= 1.1);
    match (expects_splats, counts[NUM_SPLATS]) {
        (Some(true), _) if !has_splats => {
            let place = in_place_of_splats.map_or_else(|| text.place().into(), |found| found.place);
            let message =
                "no `num_splats` in a file of version 1.1 or later; the engine refuses it";
            text.warn(&rules::NUM_SPLATS, place, message);
        }
        (Some(false), Some((_, word))) => text.warn(
            &rules::NUM_SPLATS,
            (word.place.0, 1),
            "`num_splats` in a file of a version below 1.1; the engine expects `num_rows`",
        ),
        _ => {}
    }
    for (what, line) in [("materials", NUM_MATERIALS), ("splats", NUM_SPLATS)] {
        if let Some(count) = counts[line] {
            check_list_length(text, what, count);
        }
    }
    for line in [NUM_ROWS, NUM_COLS] {
        if let Some((0, word)) = counts[line] {
            text.wrong(&rules::SIZE, word, "at least one chunk");
            counts[line] = None;
        }
    }
    let promised = |(count, word): (u64, Word<'_>)| (count, Some(word.into()));
    // Without the line a file of an older version has none; of others it is not known how many there should be.
    let of_older = (expects_splats == Some(false) && !has_splats).then_some((0, None));
    let mut lists = Lists::new(
        text,
        counts[NUM_MATERIALS].map(promised),
        counts[NUM_SPLATS].map(promised).or(of_older),
    );
    lists.read(text);
    let (materials, splats, few_materials) = lists.end(text);
    Head {
        version: version.map_or_else(
            || version_of(has_splats).to_owned(),
            |version| String::from_utf8_lossy(version.text).into_owned(),
        ),
        materials,
        splats,
        few_materials,
        rows: counts[NUM_ROWS],
        cols: counts[NUM_COLS],
        crlf,
    }
}

fn is_version(word: Word<'_>) -> bool {
    word.number::<f32>().is_some_and(f32::is_finite)
}

/// The version of a file that does not say it.
fn version_of(has_splats: bool) -> &'static str {
    if has_splats { "1.1" } else { "1.0" }
}

fn check_list_length(text: &mut Text<'_>, what: &str, (count, word): (u64, Word<'_>)) {
    if count > ENGINE_LIST_LEN {
        text.report(&rules::LIST_LENGTH, word, || {
            let count = quoted(word.text);
            format!("{count} {what}; the engine refuses more than {ENGINE_LIST_LEN}")
        });
    }
}

/// A list of lines that begin with the same word, as long as the head says or not.
struct List {
    key: &'static str,
    promised: u64,
    /// Where the head says that, if it does.
    promise_place: Option<Place>,
    listed: u64,
    /// How many of its lines begin with another word, if others do: as many as are promised and not there.
    misspelt: u64,
    /// What a line breaks that cannot be read, what it should be, and what a list of another length breaks.
    line_rule: &'static Rule,
    expected: &'static str,
    count_rule: &'static Rule,
    /// Where its last line ends.
    end: Place,
}

impl List {
    fn is_short(&self) -> bool {
        self.listed < self.promised
    }

    /// Counts a line by its first word.
    fn count(&mut self, text: &mut Text<'_>, first: Word<'_>) {
        let Self { key, promised, .. } = self;
        if self.listed == *promised {
            text.report(self.count_rule, first, || {
                format!("found more `{key}` lines; expected {promised} as `num_{key}s` says")
            });
        }
        self.listed += 1;
    }

    /// Ends the list; gives the problem that it is too short, if it is.
    fn check_end(&self, text: &mut Text<'_>) -> Option<Cause> {
        if !self.is_short() {
            return None;
        }
        let Self {
            key,
            promised,
            listed,
            ..
        } = self;
        text.report(self.count_rule, self.end, || {
            let listed = counted(*listed as usize, key);
            format!("the list ends after {listed}; expected {promised} as `num_{key}s` says")
        });
        let cause = text.problems.last()?;
        // A number that is wrong may be too large for the engine too.
        let place = self.promise_place;
        text.problems.fold(cause, |problem| {
            problem.rule == &rules::LIST_LENGTH && Some(problem.place) == place
        });
        Some(cause)
    }
}

/// Whether a word can only be one of the tile list, or what is left of one.
fn looks_like_tile(word: &[u8]) -> bool {
    word.len() == TILE_CHARS || matches!(word, [kind, b'+' | b'-', ..] if kind.is_ascii_hexdigit())
}

/// The materials and the splats while they are read. Lines beyond those that were promised are read too,
/// or they would be taken for tiles.
struct Lists<'a> {
    of_materials: List,
    of_splats: List,
    materials: Vec<Material>,
    splats: Vec<Splat>,
    /// The materials that splats name, of which there may be fewer.
    named: Vec<(usize, u32, Word<'a>)>,
    /// Whether it was said that a material comes too late.
    is_late: bool,
}

impl<'a> Lists<'a> {
    /// Two lists of so many entries, and where the head says how many; of any number where it does not.
    fn new(
        text: &Text<'a>,
        materials: Option<(u64, Option<Place>)>,
        splats: Option<(u64, Option<Place>)>,
    ) -> Self {
        let mut found = [0_u64; 2];
        for line in text.rest().split(|byte| *byte == b'\n') {
            match first_words(line).next() {
                Some(b"material") => found[0] += 1,
                Some(b"splat") => found[1] += 1,
                Some(word) if looks_like_tile(word) => break,
                _ => {}
            }
        }
        let list = |key, (promised, promise_place): (u64, _), found| List {
            key,
            promised,
            promise_place,
            listed: 0,
            misspelt: promised.saturating_sub(found),
            line_rule: &rules::MATERIAL,
            expected: "`material <name> <texture>`",
            count_rule: &rules::MATERIAL_COUNT,
            end: text.place().into(),
        };
        Self {
            of_materials: list("material", materials.unwrap_or((found[0], None)), found[0]),
            of_splats: List {
                line_rule: &rules::SPLAT,
                expected: "`splat <material number> <material number>`",
                count_rule: &rules::SPLAT_COUNT,
                ..list("splat", splats.unwrap_or((found[1], None)), found[1])
            },
            materials: Vec::new(),
            splats: Vec::new(),
            named: Vec::new(),
            is_late: false,
        }
    }

    /// Reads all lines before the first tile.
    fn read(&mut self, text: &mut Text<'a>) {
        while let Some(next) = text.next_word() {
            let is_material = match next {
                b"material" => true,
                b"splat" => false,
                word if looks_like_tile(word) => return,
                // It belongs to the list that is not whole.
                _ if self.of_materials.is_short() => true,
                _ if self.of_splats.is_short() => false,
                _ => return,
            };
            // The engine splits these lines at spaces, wherever they begin.
            let Some(key) = text.indented_line_word() else {
                return;
            };
            if is_material {
                self.read_material(text, key);
                self.of_materials.end = text.place().into();
            } else {
                self.read_splat(text, key);
                self.of_splats.end = text.place().into();
            }
        }
    }

    /// Counts a line of a list, and says whether there may be an entry on it. One with another first word may
    /// be one if the list lacks any; otherwise it is one too many.
    fn begin_line(list: &mut List, text: &mut Text<'a>, key: Word<'a>) -> bool {
        if key.text == list.key.as_bytes() {
            list.count(text, key);
            return true;
        }
        text.wrong(list.line_rule, key, list.expected);
        let is_entry = list.misspelt > 0;
        if is_entry {
            list.misspelt -= 1;
            list.listed += 1;
        } else {
            text.skip_line();
        }
        is_entry
    }

    /// Reads the rest of a line that is that of a material, or stands for it.
    fn read_material(&mut self, text: &mut Text<'a>, key: Word<'a>) {
        text.problems.subject = Subject::Material(self.materials.len() as u32);
        let is_known = key.text == b"material";
        if is_known && self.of_splats.listed > 0 && !std::mem::replace(&mut self.is_late, true) {
            let message =
                "a material after the first splat; the engine expects all materials before";
            text.warn(&rules::MATERIAL, key, message);
        }
        if !Self::begin_line(&mut self.of_materials, text, key) {
            return;
        }
        let (name, texture) = (text.word(false), text.word(false));
        if is_known {
            if texture.is_none() {
                let expected = self.of_materials.expected;
                text.wrong(&rules::MATERIAL, text.line_ends(), expected);
            }
            text.end_line();
        } else {
            // Whatever else is wrong with it says nothing more.
            text.skip_line();
        }
        if self.materials.len() == NAMEABLE_MATERIALS {
            let message = "no tile can name a material after the 1000th; it is ignored";
            text.warn(&rules::UNNAMEABLE_MATERIAL, key, message);
            return;
        }
        let string = |word: Option<Word<'_>>| {
            word.map_or_else(String::new, |word| {
                String::from_utf8_lossy(word.text).into_owned()
            })
        };
        self.materials.push(Material {
            name: string(name),
            texture: string(texture),
            line: key.place.0,
        });
    }

    /// Reads the rest of a line that is that of a splat, or stands for it.
    fn read_splat(&mut self, text: &mut Text<'a>, key: Word<'a>) {
        text.problems.subject = Subject::Splat(self.splats.len() as u32);
        if !Self::begin_line(&mut self.of_splats, text, key) {
            return;
        }
        let words = [text.word(false), text.word(false)];
        let indices = words.map(|word| word.and_then(|word| word.number::<u32>()));
        if let [Some(base), Some(accent)] = indices {
            let named = [base, accent].into_iter().zip(words.into_iter().flatten());
            let splat = self.splats.len();
            self.named
                .extend(named.map(|(index, word)| (splat, index, word)));
            self.splats.push(Splat { base, accent });
        } else if key.text == b"splat" {
            let bad = words.iter().zip(indices).find(|(_, index)| index.is_none());
            let bad = bad.and_then(|(word, _)| *word);
            let found = bad.map_or_else(|| text.line_ends(), Found::from);
            text.wrong(&rules::SPLAT, found, self.of_splats.expected);
        }
        if key.text == b"splat" {
            text.end_line();
        } else {
            text.skip_line();
        }
    }

    /// Ends both lists; also gives how many materials there should be, with the problem that there are
    /// fewer.
    fn end(self, text: &mut Text<'a>) -> (Vec<Material>, Vec<Splat>, Option<(u64, Cause)>) {
        text.problems.subject = Subject::File;
        let few = self.of_materials.check_end(text);
        self.of_splats.check_end(text);
        let few = few.map(|cause| (self.of_materials.promised, cause));
        let materials = self.materials.len() as u64;
        for (splat, index, word) in self.named {
            let index = u64::from(index);
            if index < materials {
                continue;
            }
            // It may be among those that are missing.
            let missing = few.filter(|(promised, _)| index < *promised);
            text.problems.subject = Subject::Splat(splat as u32);
            let (cause, rule) = (missing.map(|(_, cause)| cause), &rules::SPLAT_MATERIAL);
            text.report_after(cause, rule, word, || {
                let outside = outside("material", materials);
                format!("the splat names material {index}, {outside}")
            });
        }
        text.problems.subject = Subject::File;
        (self.materials, self.splats, few)
    }
}
