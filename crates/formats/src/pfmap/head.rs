//! The head of a map: the counts, the materials and the splats (document section 3.1, fact
//! sheet A1).

use super::{Material, PfmapError, Splat, TILE_CHARS, rules};
use crate::cursor::{Text, Word, text_place};
use crate::{Subject, outside, quoted};

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
        .ok_or_else(|| {
            PfmapError::unreadable(
                &rules::HEADER_LINE,
                version.place_of(0),
                version.found(),
                "a version number",
            )
        })?;
    if number > NEWEST_VERSION {
        text.problems.add(&rules::VERSION, version.place_of(0), || {
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
            return Err(PfmapError::unreadable(
                &rules::SIZE,
                word.place_of(0),
                word.found(),
                "at least one chunk",
            ));
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
        text.problems
            .add(&rules::LIST_LENGTH, word.place_of(0), || {
                format!(
                    "{} {what}; the engine refuses more than {ENGINE_LIST_LEN}",
                    quoted(word.text)
                )
            });
    }
}

/// Whether a word can only be one of the tile list, or what is left of one.
fn looks_like_tile(word: &[u8]) -> bool {
    word.len() == TILE_CHARS || matches!(word, [kind, b'+' | b'-', ..] if kind.is_ascii_hexdigit())
}

fn read_materials(text: &mut Text<'_>, promised: u64) -> Vec<Material> {
    let mut materials = Vec::new();
    let mut listed = 0;
    // Lines beyond those that were promised are read too, or they would be taken for tiles.
    while listed < promised || text.next_line_is(b"material") {
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
        if listed == promised {
            text.problems
                .add(&rules::MATERIAL_COUNT, key.place_of(0), || {
                    format!(
                        "found more `material` lines; expected {promised} as `num_materials` says"
                    )
                });
        }
        listed += 1;
        let (name, texture) = if is_material {
            (text.word(false), text.word(false))
        } else {
            (None, None)
        };
        if texture.is_none() {
            let (place, found) = if is_material {
                (text_place(text.place(), 0), "the line ends".to_owned())
            } else {
                (key.place_of(0), key.found())
            };
            text.problems.add(&rules::MATERIAL, place, || {
                format!("{found}; expected `material <name> <texture>`")
            });
        }
        // Whatever else is on a line that is no material says nothing more.
        if is_material {
            text.end_line();
        } else {
            text.skip_line();
        }
        if materials.len() == NAMEABLE_MATERIALS {
            text.problems
                .add(&rules::UNNAMEABLE_MATERIAL, key.place_of(0), || {
                    "no tile can name a material after the 1000th; it is ignored".to_owned()
                });
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
    text.problems.subject = Subject::File;
    if listed < promised {
        let place = text_place(text.place(), 0);
        text.problems.add(&rules::MATERIAL_COUNT, place, || {
            format!(
                "the list ends after {listed} materials; expected {promised} as `num_materials` says"
            )
        });
    }
    materials
}

fn read_splats(text: &mut Text<'_>, promised: u64, materials: usize) -> Vec<Splat> {
    let mut splats = Vec::new();
    let mut listed = 0;
    while text.next_line_is(b"splat") {
        let Some(key) = text.indented_line_word() else {
            break;
        };
        text.problems.subject = Subject::Splat(splats.len() as u32);
        if listed == promised {
            text.problems.add(&rules::SPLAT_COUNT, key.place_of(0), || {
                format!("found more `splat` lines; expected {promised} as `num_splats` says")
            });
        }
        listed += 1;
        let words = [text.word(false), text.word(false)];
        let indices = words.map(|word| word.and_then(|word| word.number::<u32>()));
        if let [Some(base), Some(accent)] = indices {
            splats.push(Splat { base, accent });
            for (index, word) in [base, accent].into_iter().zip(words.into_iter().flatten()) {
                if index as usize >= materials {
                    text.problems
                        .add(&rules::SPLAT_MATERIAL, word.place_of(0), || {
                            format!(
                                "the splat names material {index}, {}",
                                outside("material", materials as u64)
                            )
                        });
                }
            }
        } else {
            let bad = words
                .into_iter()
                .zip(indices)
                .find(|(_, index)| index.is_none());
            let (place, found) = match bad {
                Some((Some(word), _)) => (word.place_of(0), word.found()),
                _ => (text_place(text.place(), 0), "the line ends".to_owned()),
            };
            text.problems.add(&rules::SPLAT, place, || {
                format!("{found}; expected `splat <material number> <material number>`")
            });
        }
        text.end_line();
    }
    text.problems.subject = Subject::File;
    if listed < promised {
        let place = text_place(text.place(), 0);
        text.problems.add(&rules::SPLAT_COUNT, place, || {
            format!("the list ends after {listed} splats; expected {promised} as `num_splats` says")
        });
    }
    splats
}
