//! The head of a map: the counts, the materials and the splats (document section 3.1, fact
//! sheet A1).

use super::{Material, PfmapError, Splat, TILE_CHARS, rules};
use crate::cursor::{Found, Text, Word};
use crate::{Rule, Subject, counted, outside, quoted};

/// Materials, and splats, that the engine has room for.
const ENGINE_LIST_LEN: u64 = 256;
/// Materials that the three digits of a tile can name.
const NAMEABLE_MATERIALS: usize = 1000;
/// The newest version that the engine writes.
const NEWEST_VERSION: f32 = 1.2;

/// What the head of a file says.
pub(super) struct Head<'a> {
    pub version: String,
    pub materials: Vec<Material>,
    pub splats: Vec<Splat>,
    /// Chunks from north to south, and where the number stands.
    pub rows: (u64, Word<'a>),
    /// Chunks from west to east, and where the number stands.
    pub cols: (u64, Word<'a>),
    pub crlf: bool,
}

/// Reads the head; what follows is the tile list.
pub(super) fn read_head<'a>(text: &mut Text<'a>) -> Result<Head<'a>, PfmapError> {
    let version = text.key_line("version", "number")?;
    // Lines that end in CR LF all do: the first one tells.
    let crlf = text.bytes[..text.pos].ends_with(b"\r\n");
    let number = version
        .number::<f32>()
        .filter(|number| number.is_finite())
        .ok_or_else(|| Found::from(version).error(&rules::HEADER_LINE, "a version number"))?;
    if number > NEWEST_VERSION {
        text.report(&rules::VERSION, version, || {
            format!(
                "version {} is newer than {NEWEST_VERSION}; it is read as {NEWEST_VERSION}",
                quoted(version.text)
            )
        });
    }
    let material_count = text.count_line("num_materials", "number of materials")?;
    check_list_length(text, "materials", material_count);
    // Versions 1.1 and later have the line. Files are read by what is in them all the same: the
    // engine's own editor never changed the version that it writes (fact sheet A1, F11).
    let splat_count = if text.next_line_is(b"num_splats") {
        let count = text.count_line("num_splats", "number of splats")?;
        if number < 1.1 {
            text.warn(
                &rules::NUM_SPLATS,
                (count.1.place.0, 1),
                "`num_splats` in a file of a version below 1.1; the engine expects `num_rows`",
            );
        }
        check_list_length(text, "splats", count);
        count.0
    } else {
        if number >= 1.1 {
            text.warn(
                &rules::NUM_SPLATS,
                text.place(),
                "no `num_splats` in a file of version 1.1 or later; the engine refuses it",
            );
        }
        0
    };
    let rows = text.count_line("num_rows", "number of chunks from north to south")?;
    let cols = text.count_line("num_cols", "number of chunks from west to east")?;
    for (number, word) in [rows, cols] {
        if number == 0 {
            return Err(Found::from(word).error(&rules::SIZE, "at least one chunk"));
        }
    }
    let materials = read_materials(text, material_count.0);
    let splats = read_splats(text, splat_count, materials.len());
    Ok(Head {
        version: String::from_utf8_lossy(version.text).into_owned(),
        materials,
        splats,
        rows,
        cols,
        crlf,
    })
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
    listed: u64,
    /// What a list of another length breaks.
    rule: &'static Rule,
}

impl List {
    fn new(key: &'static str, promised: u64, rule: &'static Rule) -> Self {
        Self {
            key,
            promised,
            listed: 0,
            rule,
        }
    }

    fn is_short(&self) -> bool {
        self.listed < self.promised
    }

    /// Counts a line by its first word.
    fn count(&mut self, text: &mut Text<'_>, first: Word<'_>) {
        let Self { key, promised, .. } = self;
        if self.listed == *promised {
            text.report(self.rule, first, || {
                format!("found more `{key}` lines; expected {promised} as `num_{key}s` says")
            });
        }
        self.listed += 1;
    }

    /// Ends the list.
    fn end(self, text: &mut Text<'_>) {
        text.problems.subject = Subject::File;
        if self.is_short() {
            let Self {
                key,
                promised,
                listed,
                rule,
            } = self;
            text.report(rule, text.place(), || {
                let listed = counted(listed as usize, key);
                format!("the list ends after {listed}; expected {promised} as `num_{key}s` says")
            });
        }
    }
}

/// Whether a word can only be one of the tile list, or what is left of one.
fn looks_like_tile(word: &[u8]) -> bool {
    word.len() == TILE_CHARS || matches!(word, [kind, b'+' | b'-', ..] if kind.is_ascii_hexdigit())
}

fn read_materials(text: &mut Text<'_>, promised: u64) -> Vec<Material> {
    let mut materials = Vec::new();
    let mut list = List::new("material", promised, &rules::MATERIAL_COUNT);
    // Lines beyond those that were promised are read too, or they would be taken for tiles.
    while list.is_short() || text.next_line_is(b"material") {
        // The engine splits these lines at spaces, wherever they begin.
        let Some(key) = text.indented_line_word() else {
            break;
        };
        text.problems.subject = Subject::Material(materials.len() as u32);
        let is_material = key.text == b"material";
        if key.text == b"splat" || looks_like_tile(key.text) {
            text.unread(key);
            break;
        }
        list.count(text, key);
        let (mut name, mut texture) = (None, None);
        let expected = "`material <name> <texture>`";
        // Whatever else is on a line that is no material says nothing more.
        if is_material {
            (name, texture) = (text.word(false), text.word(false));
            if texture.is_none() {
                text.wrong(&rules::MATERIAL, text.line_ends(), expected);
            }
            text.end_line();
        } else {
            text.wrong(&rules::MATERIAL, key, expected);
            text.skip_line();
        }
        if materials.len() == NAMEABLE_MATERIALS {
            let message = "no tile can name a material after the 1000th; it is ignored";
            text.warn(&rules::UNNAMEABLE_MATERIAL, key, message);
            continue;
        }
        let string = |word: Option<Word<'_>>| {
            word.map_or_else(String::new, |word| {
                String::from_utf8_lossy(word.text).into_owned()
            })
        };
        materials.push(Material {
            name: string(name),
            texture: string(texture),
            line: key.place.0,
        });
    }
    list.end(text);
    materials
}

fn read_splats(text: &mut Text<'_>, promised: u64, materials: usize) -> Vec<Splat> {
    let mut splats = Vec::new();
    let mut list = List::new("splat", promised, &rules::SPLAT_COUNT);
    while text.next_line_is(b"splat") {
        let Some(key) = text.indented_line_word() else {
            break;
        };
        text.problems.subject = Subject::Splat(splats.len() as u32);
        list.count(text, key);
        let words = [text.word(false), text.word(false)];
        let indices = words.map(|word| word.and_then(|word| word.number::<u32>()));
        if let [Some(base), Some(accent)] = indices {
            splats.push(Splat { base, accent });
            for (index, word) in [base, accent].into_iter().zip(words.into_iter().flatten()) {
                if index as usize >= materials {
                    text.report(&rules::SPLAT_MATERIAL, word, || {
                        let outside = outside("material", materials as u64);
                        format!("the splat names material {index}, {outside}")
                    });
                }
            }
        } else {
            let bad = words.iter().zip(indices).find(|(_, index)| index.is_none());
            let bad = bad.and_then(|(word, _)| *word);
            let found = bad.map_or_else(|| text.line_ends(), Found::from);
            let expected = "`splat <material number> <material number>`";
            text.wrong(&rules::SPLAT, found, expected);
        }
        text.end_line();
    }
    list.end(text);
    splats
}
