//! The registry of formats, and the function that opens files.

pub mod demo;
pub(crate) mod find;
pub(crate) mod go_to;
pub(crate) mod query;
pub mod saving;
pub(crate) mod suggest;
pub(crate) mod usage;

use std::ffi::OsStr;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use crate::core::source::{OpenError, OpenOptions, Progress, Source};
use crate::core::{restored, rules};
use crate::describe::table::{InfoKeys, ItemKeys};
use crate::kinds::archive::ArchiveFile;
use crate::kinds::map_scene::MapScene;
use crate::kinds::model::Model;
use crate::kinds::terrain::Terrain;
use crate::kinds::tilemap::{TileMap, ika, ppe};
use crate::{Document, Overlay, archive, level, map_scene, model, terrain, tilemap};
use mapscope_formats::{Format, Problem};

/// Builds a document from a file's bytes.
type Open = fn(&Source, &OpenOptions, &Progress) -> Result<Arc<dyn Document>, OpenError>;

/// Number of bytes at the beginning of a file that are examined to distinguish text from binary
/// data.
const TEXT_BYTES: usize = 4096;

/// A format and the function that opens its files.
struct Entry {
    format: &'static Format,
    open: Open,
    kind: &'static Kind,
    /// The JSON keys of its files.
    info_keys: fn() -> InfoKeys,
    /// The kind of item that a query without a kind searches.
    main_kind: &'static str,
}

/// A kind of document, which several formats may share.
struct Kind {
    /// The overlays that its documents may offer.
    overlays: &'static [Overlay],
    /// The JSON keys of its items.
    item_keys: fn() -> Vec<ItemKeys>,
}

static TERRAIN: Kind = Kind {
    overlays: &terrain::MAP_OVERLAYS,
    item_keys: Terrain::item_keys,
};
static MODEL: Kind = Kind {
    overlays: &model::OVERLAYS,
    item_keys: Model::item_keys,
};
static P3M: Kind = Kind {
    overlays: &model::P3M_OVERLAYS,
    item_keys: model::p3m::item_keys,
};
static MAP_SCENE: Kind = Kind {
    overlays: &map_scene::OVERLAYS,
    item_keys: MapScene::item_keys,
};
static LEVEL: Kind = Kind {
    overlays: &level::OVERLAYS,
    item_keys: level::Map::item_keys,
};
static ARCHIVE: Kind = Kind {
    overlays: &archive::OVERLAYS,
    item_keys: ArchiveFile::item_keys,
};
static TILE_MAP: Kind = Kind {
    overlays: &tilemap::OVERLAYS,
    item_keys: TileMap::item_keys,
};

/// All formats that Mapscope opens, one entry each.
static REGISTRY: &[Entry] = &[
    Entry {
        format: &mapscope_formats::pfmap::FORMAT,
        open: terrain::open,
        kind: &TERRAIN,
        info_keys: Terrain::info_keys,
        main_kind: "tile",
    },
    Entry {
        format: &mapscope_formats::pfobj::FORMAT,
        open: model::open,
        kind: &MODEL,
        info_keys: Model::info_keys,
        main_kind: "triangle",
    },
    Entry {
        format: &mapscope_formats::p3m::FORMAT,
        open: model::p3m::open,
        kind: &P3M,
        info_keys: model::p3m::info_keys,
        main_kind: "triangle",
    },
    Entry {
        format: &mapscope_formats::pfscene::FORMAT,
        open: map_scene::open,
        kind: &MAP_SCENE,
        info_keys: MapScene::info_keys,
        main_kind: "entity",
    },
    Entry {
        format: &mapscope_formats::pmf::FORMAT,
        open: level::open,
        kind: &LEVEL,
        info_keys: level::Map::info_keys,
        main_kind: "cube",
    },
    Entry {
        format: &mapscope_formats::paf::FORMAT,
        open: archive::open,
        kind: &ARCHIVE,
        info_keys: ArchiveFile::info_keys,
        main_kind: "file",
    },
    Entry {
        format: &mapscope_formats::ika::map::FORMAT,
        open: ika::open_map,
        kind: &TILE_MAP,
        info_keys: tilemap::info::ika_map,
        main_kind: "cell",
    },
    Entry {
        format: &mapscope_formats::ika::text_map::FORMAT,
        open: ika::open_text,
        kind: &TILE_MAP,
        info_keys: tilemap::info::ika_text_map,
        main_kind: "cell",
    },
    Entry {
        format: &mapscope_formats::ppe::XMF_FORMAT,
        open: ppe::open_xmf,
        kind: &TILE_MAP,
        info_keys: tilemap::info::xmf,
        main_kind: "cell",
    },
    Entry {
        format: &mapscope_formats::ptf::FORMAT,
        open: tilemap::picture::open_ptf,
        kind: &TILE_MAP,
        info_keys: tilemap::info::ptf,
        main_kind: "pixel",
    },
    // This format has no magic number, but its length must match exactly.
    Entry {
        format: &mapscope_formats::ppe::MAP_FORMAT,
        open: ppe::open_map,
        kind: &TILE_MAP,
        info_keys: tilemap::info::ppe_map,
        main_kind: "cell",
    },
    // This format begins with a small number. Data of PPE maps can begin with the same number.
    Entry {
        format: &mapscope_formats::ika::vsp::FORMAT,
        open: ika::open_tileset,
        kind: &TILE_MAP,
        info_keys: tilemap::info::vsp,
        main_kind: "tile",
    },
];

/// All formats that Mapscope opens.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    REGISTRY.iter().map(|entry| entry.format)
}

/// The overlays of all formats. An overlay that several formats offer is repeated for each.
pub fn overlays() -> impl Iterator<Item = &'static Overlay> {
    REGISTRY.iter().flat_map(|entry| entry.kind.overlays)
}

/// The overlays of each kind of document: terrain, models, scenes, levels and 2D maps.
pub fn overlays_by_kind() -> [&'static [Overlay]; 5] {
    [&TERRAIN, &MODEL, &MAP_SCENE, &LEVEL, &TILE_MAP].map(|kind| kind.overlays)
}

/// The kind of item that a query without a kind searches in files of a format.
pub fn main_kind(format: &str) -> &'static str {
    let entry = REGISTRY.iter().find(|entry| entry.format.id == format);
    entry.map_or("", |entry| entry.main_kind)
}

/// The JSON keys of the files of each format ([`Document::info`]), with the id of the format.
pub fn info_keys() -> impl Iterator<Item = (&'static str, InfoKeys)> {
    let entries = REGISTRY.iter();
    entries.map(|entry| (entry.format.id, (entry.info_keys)()))
}

/// The JSON keys of the items of each kind of document
/// ([`Describe::details`](crate::Describe::details)), with the ids of the kind's formats.
pub fn item_keys() -> Vec<(Vec<&'static str>, Vec<ItemKeys>)> {
    let by_kind = REGISTRY.chunk_by(|a, b| ptr::eq(a.kind, b.kind));
    by_kind
        .map(|entries| {
            let ids = entries.iter().map(|entry| entry.format.id).collect();
            (ids, (entries[0].kind.item_keys)())
        })
        .collect()
}

/// Opens a file whose bytes were read.
///
/// # Errors
/// If the format is unknown, nothing in the file can be shown, or `progress` was cancelled.
pub fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let options = OpenOptions {
        budget: options.budget.fresh(source.bytes.len()),
        ..options.clone()
    };
    (identify(source)?.open)(source, &options, progress)
}

/// Identifies the format of a file by its content, or else by its name.
///
/// # Errors
/// If neither identifies a known format.
pub fn identify_format(source: &Source) -> Result<&'static Format, OpenError> {
    identify(source).map(|entry| entry.format)
}

fn identify(source: &Source) -> Result<&'static Entry, OpenError> {
    let by_content = |bytes: &[u8]| REGISTRY.iter().find(|e| (e.format.sniff)(bytes));
    if let Some(entry) = by_content(&source.bytes) {
        return Ok(entry);
    }
    if let Some((text, _)) = restored(&source.bytes)
        && let Some(entry) = by_content(&text)
    {
        return Ok(entry);
    }
    if let Some(reason) = describe_unsupported(&source.bytes) {
        return Err(OpenError::UnknownFormat {
            path: source.path.clone(),
            reason: unknown_reason(reason),
            is_foreign: false,
        });
    }
    // Many programs write text files with this ending.
    let binary_map = &mapscope_formats::ppe::MAP_FORMAT;
    if has_ending(&source.path, binary_map)
        && let Some(kind) = kind_of_text(&source.bytes)
    {
        return Err(OpenError::UnknownFormat {
            path: source.path.clone(),
            reason: format!(
                "this is {kind}; expected {}, which is binary",
                binary_map.name
            ),
            is_foreign: true,
        });
    }
    // No content matched, so formats with a magic number are unlikely. Formats without one come
    // last in the registry, so the last format with the ending is taken.
    let mut by_name = REGISTRY.iter().rev();
    if let Some(entry) = by_name.find(|e| has_ending(&source.path, e.format)) {
        return Ok(entry);
    }
    Err(OpenError::UnknownFormat {
        path: source.path.clone(),
        reason: unknown_reason(describe_unknown(&source.bytes)),
        is_foreign: false,
    })
}

/// The problem of a path that is a dangling symbolic link; `None` for other paths.
pub fn dangling_link(path: &Path) -> Option<Problem> {
    let is_dangling = path.is_symlink() && !path.exists();
    is_dangling.then(|| {
        rules::of_file(
            &rules::DANGLING_LINK,
            "the target of this link does not exist",
        )
    })
}

/// The note for a symbolic link that leads out of the searched folder, whether or not its target
/// exists.
pub fn outside_link() -> Problem {
    rules::of_file(
        &rules::OUTSIDE_LINK,
        "the target of this link is outside the folder",
    )
}

/// `true` if a file's name has the ending of a known format. The content is not examined.
pub fn has_known_ending(path: &Path) -> bool {
    REGISTRY.iter().any(|e| has_ending(path, e.format))
}

/// The format of a file by its name. If several formats share the ending, the bytes that
/// `beginning` returns decide. The result equals [`identify_format`] unless the content contradicts
/// the name.
pub fn format_by_name(path: &Path, beginning: impl FnOnce() -> Vec<u8>) -> Option<&'static Format> {
    let named = || formats().filter(|format| has_ending(path, format));
    let last = named().last()?;
    if named().count() == 1 {
        return Some(last);
    }
    let beginning = beginning();
    let sniffed = named().find(|format| (format.sniff)(&beginning));
    sniffed.or(Some(last))
}

fn has_ending(path: &Path, format: &Format) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|ending| {
            format
                .endings
                .iter()
                .any(|e| ending.eq_ignore_ascii_case(e))
        })
}

/// Describes a file in a known format that Mapscope does not open, regardless of its name. Returns
/// `None` for other files.
fn describe_unsupported(bytes: &[u8]) -> Option<&'static str> {
    /// Signatures and descriptions of these formats.
    const KINDS: [(&[u8], &str); 8] = [
        (
            b"version https://git-lfs.github.com/spec/",
            "this is a Git LFS pointer; fetch the file itself with `git lfs pull`",
        ),
        (b"\x89PNG", "this is a PNG image"),
        (b"\xff\xd8\xff", "this is a JPEG image"),
        (b"PK\x03\x04", "this is a ZIP archive"),
        (b"\x1f\x8b", "this is gzip-compressed data"),
        (b"\x7fELF", "this is a program"),
        (b"<!DOCTYPE", "this is a web page"),
        (b"<html", "this is a web page"),
    ];
    let begins = |beginning: &[u8]| {
        let begin = bytes.get(..beginning.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(beginning))
    };
    if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) {
        return Some("all bytes are zero, so the file was not written or downloaded completely");
    }
    let kind = KINDS.iter().find(|(beginning, _)| begins(beginning));
    kind.map(|(_, what)| *what)
}

/// Describes the text of a `.map` file of another program; `None` if the file does not begin with
/// text.
fn kind_of_text(bytes: &[u8]) -> Option<&'static str> {
    const QUAKE: &str = "a map of Quake or of a game based on it";
    const LINKER: &str = "a script or a map of a linker";
    /// Words that identify kinds of text, the most reliable first.
    const KINDS: [(&str, &str); 7] = [
        ("\"classname\"", QUAKE),
        ("\"mappings\"", "a source map of JavaScript or CSS"),
        ("OUTPUT_ARCH", LINKER),
        ("SECTIONS", LINKER),
        ("Linker script", LINKER),
        ("global:", LINKER),
        ("local:", LINKER),
    ];
    let beginning = &bytes[..bytes.len().min(TEXT_BYTES)];
    let text = match str::from_utf8(beginning) {
        Ok(text) => text,
        // The last character may be truncated.
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&beginning[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return None,
    };
    let is_control = |c: char| c.is_control() && !c.is_whitespace();
    if text.trim().is_empty() || text.contains(is_control) {
        return None;
    }
    let kind = KINDS.iter().find(|(word, _)| text.contains(word));
    Some(kind.map_or("text of another program", |(_, kind)| kind))
}

/// Describes a file of unknown format by its bytes.
fn describe_unknown(bytes: &[u8]) -> &'static str {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if bytes.is_empty() {
        "the file is empty"
    } else if bytes.iter().take(512).all(is_text) {
        "this is text of an unknown format"
    } else {
        "this is binary data of an unknown format"
    }
}

/// Appends a list of the known formats to the description of a file that cannot be opened.
fn unknown_reason(description: &str) -> String {
    let known = formats()
        .map(|f| format!("{} (.{})", f.name, f.endings.join(", .")))
        .collect::<Vec<String>>()
        .join(", ");
    format!("{description}; Mapscope opens {known}")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn files_of_archives_are_of_the_formats_of_the_registry() {
        let ids = |formats: &[&Format]| formats.iter().map(|it| it.id).collect::<Vec<_>>();
        let registry: Vec<_> = formats().collect();
        assert_eq!(ids(crate::core::parsed::FORMATS), ids(&registry));
    }

    #[test]
    fn formats_with_the_same_ending_are_distinguished() {
        let format = |name: &str, bytes: &[u8]| {
            let source = Source {
                path: name.into(),
                bytes: Bytes::copy_from_slice(bytes),
                embedded: &[],
                archive: None,
            };
            identify_format(&source).unwrap().id
        };
        // A PPE map in the old layout. Its first bytes match those of a VERGE tileset.
        let cells = [&[4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0][..], &[0; 8]].concat();
        assert_eq!(format("a.map", &cells), "ppe-map");
        assert_eq!(format("a.bin", &cells), "ppe-map");
        // Truncated data is identified only by its name.
        assert_eq!(format("a.map", &cells[..19]), "ppe-map");
        assert_eq!(format("a.bin", b"MAP\xf96\0"), "ika-map");
        assert_eq!(format("a.map", b"MAP\xf97\0"), "ika-map");
        assert_eq!(format("a.map", b"(ika-map (version 1.1))"), "ika-map-text");
    }

    #[test]
    fn texts_of_other_programs_are_not_maps() {
        for (bytes, word) in [
            (
                &b"// a comment\n{\n\"classname\" \"worldspawn\"\n}\n"[..],
                "Quake",
            ),
            (
                b"{\"version\":3,\"file\":\"b.js\",\"mappings\":\"AACA\"}",
                "source map",
            ),
            (b"OUTPUT_ARCH(example)\nENTRY(start)\n", "linker"),
            (b"EXAMPLE_1.0 {\n  global: first;\n};\n", "linker"),
            ("größe 3\n".as_bytes(), "text"),
        ] {
            let source = |path: &str| Source {
                path: path.into(),
                bytes: Bytes::copy_from_slice(bytes),
                embedded: &[],
                archive: None,
            };
            let error = identify_format(&source("a.map")).unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
            let OpenError::UnknownFormat { is_foreign, .. } = error else {
                panic!("{error}");
            };
            assert!(is_foreign);
            assert_eq!(identify_format(&source("a.pfmap")).unwrap().id, "pfmap");
        }
    }

    #[test]
    fn unknown_files_are_described_by_their_content() {
        let source = |bytes: &[u8]| Source {
            path: "thing.bin".into(),
            bytes: Bytes::copy_from_slice(bytes),
            embedded: &[],
            archive: None,
        };
        for (bytes, word) in [
            (&b""[..], "empty"),
            (b"\x89PNG\r\n\x1a\n", "PNG"),
            (b"PK\x03\x04", "ZIP"),
            (b"hello there", "text"),
            (b"\x00\x01\x02", "binary"),
            (&[0; 100], "zero"),
        ] {
            let error = identify_format(&source(bytes)).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("pfmap"), "{error}");
        }
    }
}
