//! Reader of XMF.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use super::{
    ColorOrder, MapSource, Metadata, Packing, Palette, PaletteSource, TileInfo, Xmf, XmfLayer, tag,
};
use crate::budget::Budget;
use crate::inflate::{End, Inflater};
use crate::ppe::rules;
use crate::ppe::sdlang::{self, At, Tag, Text};
use crate::ppe::unpack::{Stream, ZSTD_MAGIC, Zstd, is_zlib_header, read_elements};
use crate::text::BYTE_ORDER_MARK;
use crate::{Cause, Place, Problems, ReadError, Rule, Subject, conflict, counted};

/// Magic bytes of a packed file.
const ZLIB: &[u8; 4] = b"ZLIB";
const ZSTD: &[u8; 4] = b"ZSTD";
/// Decoding budget for the text of the smallest packed file, in bytes.
const TEXT_BYTES: u64 = 3 << 20;
/// Maximum number of layers. Real maps have less than twenty.
const MAX_LAYERS: usize = 512;
/// Number of bytes of a text that are inspected to recognise it.
const SNIFFED_BYTES: usize = 4096;

/// Reads XMF.
///
/// Recoverable faults are in [`Xmf::problems`].
///
/// # Errors
/// Returns an error if there is neither metadata nor a layer.
pub fn read(bytes: &[u8]) -> Result<Xmf, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called now and then with the progress from 0 to 1
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Xmf, ReadError> {
    let read = |bytes: &[u8]| read_version(bytes, watch);
    conflict::read(bytes, &rules::CONFLICT, read, |xmf| &mut xmf.problems)
}

/// [`read_with`] for a text without merge conflicts.
fn read_version(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Xmf, ReadError> {
    let mut report_progress = |done: f32| match watch(done) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ReadError::Cancelled),
    };
    report_progress(0.0)?;
    let (bytes, packing, damage) = unpack(bytes);
    report_progress(0.3)?;
    // If the packed bytes are damaged, faults in the text are consequences of that.
    let begin = || {
        let mut problems = Problems::new();
        if let Some(Damage {
            rule, at, message, ..
        }) = &damage
        {
            problems.add(rule, Place::Offset(*at), || message.clone());
            problems.cause = problems.last().filter(|_| *rule != &rules::TRAILING_TEXT);
        }
        problems
    };
    let (mut text, mut problems) = sdlang::read(&bytes, begin);
    report_progress(0.8)?;
    text.is_cut |= damage.is_some_and(|damage| damage.is_cut);
    let tags = &text.tags;
    let is_xmf = |tag: &Tag| tag::is::<XmfLayer>(tag) || tag::is::<Metadata>(tag);
    if !tags.iter().any(is_xmf) {
        let found = match tags.first() {
            None => "found no tag".to_owned(),
            Some(tag) => format!("found {}", tag.title()),
        };
        let at = tags.first().map_or(At { line: 1, column: 1 }, |tag| tag.at);
        let expected = "a map: `Metadata` and `Layer:` tags";
        return Err(ReadError::unreadable(
            &rules::NO_MAP,
            at.into(),
            found,
            expected,
        ));
    }
    let xmf = xmf(text, &mut problems);
    Ok(Xmf {
        packing,
        problems: problems.finish(),
        ..xmf
    })
}

/// Returns `true` if a file is XMF: packed, or a text that begins with metadata or a layer.
pub(in crate::ppe) fn sniff(bytes: &[u8]) -> bool {
    if let Some(packed) = bytes.strip_prefix(ZLIB) {
        return packed.first_chunk().copied().is_some_and(is_zlib_header);
    }
    if let Some(packed) = bytes.strip_prefix(ZSTD) {
        return packed.starts_with(&ZSTD_MAGIC);
    }
    let head = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    let mut rest = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    loop {
        rest = rest.trim_ascii_start();
        let comment_end = match rest {
            [b'/', b'/', ..] | [b'-', b'-', ..] | [b'#', ..] => {
                rest.iter().position(|byte| *byte == b'\n')
            }
            [b'/', b'*', ..] => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                end.map(|end| end + 4)
            }
            _ => break,
        };
        match comment_end {
            Some(end) => rest = rest.get(end..).unwrap_or_default(),
            None => return false,
        }
    }
    let ends = |rest: &[u8]| {
        rest.first()
            .is_none_or(|b| b.is_ascii_whitespace() || *b == b'{')
    };
    rest.strip_prefix(b"Metadata").is_some_and(ends)
        || [
            &b"Layer:Tile"[..],
            b"Layer:TransformableTile",
            b"Layer:Sprite",
        ]
        .into_iter()
        .any(|name| rest.strip_prefix(name).is_some_and(ends))
}

/// A fault of packed text.
#[derive(Debug)]
struct Damage {
    rule: &'static Rule,
    at: u64,
    message: String,
    /// `true` if the end of the text is missing.
    is_cut: bool,
}

/// The unpacked text of a file; the readable part of a damaged one.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    unpack(bytes).0.into_owned()
}

/// The text of a file, its packing, and the fault if the packed text is damaged.
fn unpack(bytes: &[u8]) -> (Cow<'_, [u8]>, Packing, Option<Damage>) {
    let packed = bytes.get(4..).unwrap_or_default();
    let (stream, packing): (&mut dyn Stream, _) = if bytes.starts_with(ZLIB) {
        (&mut Inflater::zlib(packed), Packing::Zlib)
    } else if bytes.starts_with(ZSTD) {
        (&mut Zstd::new(packed), Packing::Zstd)
    } else {
        return (bytes.into(), Packing::Text, None);
    };
    let max = Budget::new(TEXT_BYTES, bytes.len()).left();
    let text = read_elements::<u8>(stream, max as usize, &mut |_| true);
    let end = stream.end();
    let at = 4 + stream.consumed();
    let rest = bytes.len() - at;
    let len = text.len();
    let (rule, message) = match end {
        End::Complete if rest == 0 => return (text.into(), packing, None),
        End::Complete => (
            &rules::TRAILING_TEXT,
            format!("{} after the packed text; ignored", counted(rest, "byte")),
        ),
        End::WrongChecksum => (
            &rules::PACKED_TEXT,
            "the checksum of the packed text does not match the data".to_owned(),
        ),
        End::Unfinished => (
            &rules::PACKED_TEXT,
            format!(
                "the packed text is truncated after {}",
                counted(len, "byte")
            ),
        ),
        End::Broken => (
            &rules::PACKED_TEXT,
            format!("the packed text is damaged after {}", counted(len, "byte")),
        ),
        End::More => (
            &rules::LIMIT,
            format!("the packed text has more than {len} bytes; the rest is ignored"),
        ),
    };
    let damage = Damage {
        rule,
        at: at as u64,
        message,
        is_cut: !matches!(end, End::Complete | End::WrongChecksum),
    };
    (text.into(), packing, Some(damage))
}

fn xmf(mut text: Text, problems: &mut Problems) -> Xmf {
    let mut xmf = Xmf {
        is_cut: text.is_cut,
        ..Xmf::default()
    };
    let mut has_metadata = false;
    // Start of the first layer of each priority.
    let mut priorities = HashMap::new();
    for mut tag in std::mem::take(&mut text.tags) {
        // The last tag may lack its end, and needs no end of line.
        let may_be_cut = !text.is_cut && std::mem::take(&mut tag.is_open);
        xmf.is_cut |= may_be_cut && tag.places.fault().is_some();
        if tag::is::<Metadata>(&tag) && !has_metadata {
            has_metadata = true;
            xmf.is_header_truncated = tag.is_open;
            xmf.metadata = tag::read(tag, problems).0.unwrap_or_default();
        } else if tag::is::<XmfLayer>(&tag) && xmf.layers.len() == MAX_LAYERS {
            if !std::mem::replace(&mut xmf.is_cut, true) {
                problems.add(&rules::LIMIT, tag.at.into(), || {
                    format!("more than {MAX_LAYERS} layers; the rest is ignored")
                });
            }
        } else if tag::is::<XmfLayer>(&tag) {
            problems.subject = Subject::Layer(xmf.layers.len() as u32);
            let (layer, is_whole): (Option<XmfLayer>, _) = tag::read(tag, problems);
            if !is_whole && may_be_cut {
                xmf.is_cut = true;
                break;
            }
            let layer = layer.unwrap_or_default();
            let (priority, at) = (layer.priority, layer.at);
            let first = if is_whole {
                *priorities.entry(priority).or_insert(at)
            } else {
                at
            };
            if first != at {
                let line = first.line;
                problems.add(&rules::PRIORITY, at.into(), || {
                    format!(
                        "duplicate priority {priority} of the layer on line {line}; the engine \
                         identifies layers by it"
                    )
                });
            }
            problems.subject = Subject::File;
            xmf.layers.push(layer);
        } else if tag::is::<Palette>(&tag) {
            let (palette, is_whole) = tag::read::<Palette>(tag, problems);
            xmf.is_cut |= !is_whole && may_be_cut;
            xmf.palettes.extend(palette);
        } else if !tag.is_open {
            xmf.other.push(tag);
        }
    }
    xmf.is_header_truncated |= xmf.is_cut && !has_metadata;
    problems.cause = None;
    warn_of_guesses(&xmf, problems);
    xmf
}

/// Warns of guesses that affect the result: the order of the numbers of tiles and, without a date,
/// the interpretation of embedded colours and cells, which has changed (fact sheet 8.20).
fn warn_of_guesses(xmf: &Xmf, problems: &mut Problems) {
    let warn =
        |problems: &mut Problems, cause: Option<Cause>, rule, at: Option<At>, message: &str| {
            let at = at?;
            problems.add_consequence(cause, rule, Subject::File, at.into(), || message.to_owned());
            cause.or(problems.last())
        };
    let mut sources = xmf.layers.iter().flat_map(|layer| &layer.tile_sources);
    let differs = |tile: &TileInfo| tile.first != tile.second;
    let source = sources.find(|source| source.tiles.iter().flatten().any(differs));
    warn(
        problems,
        None,
        &rules::TILE_ORDER,
        source.map(|source| source.at),
        "tile numbers are read as identifier and sheet position, as the editor writes them; the \
         engine reads them in reverse order",
    );
    if xmf.metadata.date().is_some() {
        return;
    }
    let of_layers = xmf.layers.iter().flat_map(|layer| &layer.palettes);
    let is_disputed = |palette: &&Palette| match &palette.source {
        PaletteSource::Embedded { colors, .. } => {
            let mut colors = colors.iter();
            colors.any(|color| ColorOrder::Abgr.rgba(*color) != ColorOrder::Argb.rgba(*color))
        }
        PaletteSource::File(_) => false,
    };
    let palette = xmf.palettes.iter().chain(of_layers).find(is_disputed);
    let cells = xmf.layers.iter().find_map(|layer| match &layer.map {
        // The tile is in the same bits of both layouts.
        Some(MapSource::Embedded { cells, at }) => {
            cells.iter().any(|cell| cell >> 16 != 0).then_some(*at)
        }
        _ => None,
    });
    // The missing date is the cause of both guesses.
    let no_date = warn(
        problems,
        None,
        &rules::CELL_LAYOUT,
        cells,
        "embedded cells are read in the new layout, which the engine writes since 2025-04-14; \
         older files have the old one",
    );
    warn(
        problems,
        no_date,
        &rules::COLOR_ORDER,
        palette.map(|palette| palette.at),
        "embedded colours are read as alpha, blue, green, red, which the engine writes since \
         March 2025; older files have alpha, red, green, blue",
    );
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::ppe::cell::Layout;
    use crate::ppe::unpack::{pack_zlib, pack_zstd};
    use crate::ppe::xmf::{
        Dialect, LayerKind, RepeatMode, Shape, Sprite, TileOrder, path_below_root, write,
    };
    use crate::{Problem, Severity};

    const MAP: &str = r#"
Metadata checked=true {
	Version 1 0
	Software "PixelPerfectEditor" 0 9 4
	Name "test"
	Resolution 424 240
}
Layer:Tile "ground" 0 16 8 2 1 mood="dark" {
	ShaderProgram "%SHADERS%/tile.vert"
	RenderingMode "AlphaBlend"
	RepeatMode "SingleTile"
	ScrollRateX 0.5
	ScrollRateY 2
	File:MapData "%PATH%/ground.map" dataPakSrc="m.dpk"
	Shared:TileData 7
	File:TileSource "%PATH%/ground.png" palShift=5 offset=32 dataPakSrc="a.dpk" {
		Embed:TileInfo {
			1 0 "grass"
			2 1
		}
		Note "kept"
	}
}
Layer:Tile "sky" -1 16 8 2 1 {
	Embed:MapData [AQAAAAIAAhA=] note=1
}
Layer:TransformableTile "copy" 7 16 8 2 1 {
	ScrollRate 0.25 0.75
	Shared:MapData 0
}
Layer:Sprite "things" 16 {
	File:SpriteSource 3 "%PATH%/man.tga" name="man" horizOffset=1 vertOffset=2 width=3 height=4
	File:SpriteSource 4 "%PATH%/man.tga"
	File:SpriteSheet "%PATH%/all.png" dataPakSrc="s.dpk" {
		SheetData id=56 name="all" {
			32 1 2 3 4 name="cat"
			33 5 6 7 8 pivot=3
		}
	}
	File:Palette "%PATH%/man.tga" offset=256
	Object:Sprite "man" 65536 3 -16 20 palSel=1 palShift=4 scaleHoriz=2048 masterAlpha=250 {
		ToCollision
	}
	Object:Box "gate" 1 16 17 48 49 {
		ToCollision shape=2
		Color "ff00ff00"
	}
	Object:Polyline "path" 2 {
		Begin 1 2
		Segment 3 4 { Bezier 5 6 }
		Segment 7 8 { Bezier0 9 10; Bezier1 11 12; Color 5 }
		Close
	}
	Object:Quad "quad" 3 0 0 10 0 0 10 10 10
	Object:Star "star" 4 1.5 2
	Object:Sprite "flag" 5 4 1 2 lrCornerX=9 lrCornerY=-8 hMirror=yes vMirror=false palSel=0x1_2
	Object:QuadSprite "kite" 6 4 1 2 3 4 5 6 7 8 masterAlpha=7 { RenderingMode "Add" }
}
File:Palette "%PATH%/ground.png" palShift=5
Embed:Palette "night" [/wECA4AEBQY=] offset=768
Embed:Palette [/wECAw==]
Extra 1
"#;

    fn read_good(text: &str) -> Xmf {
        let xmf = read(text.as_bytes()).unwrap();
        let errors = xmf
            .problems
            .iter()
            .filter(|p| p.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{:?}", xmf.problems);
        xmf
    }

    #[track_caller]
    fn says(text: impl AsRef<[u8]>, expected: &[&str]) -> Xmf {
        let xmf = read(text.as_ref()).unwrap();
        let said: Vec<_> = xmf.problems.iter().map(Problem::facts).collect();
        assert_eq!(said, expected);
        xmf
    }

    #[test]
    fn everything_that_the_format_names_is_read() {
        let xmf = read_good(MAP);
        let said: Vec<_> = xmf.problems.iter().map(Problem::facts).collect();
        assert_eq!(
            said,
            [
                "16:2: warning: xmf/tile-order",
                "25:2: warning: xmf/cell-layout: 2025-04-14",
            ]
        );
        let [_, cells] = &xmf.problems[..] else {
            panic!("{said:?}");
        };
        let below = cells.consequences.iter().map(Problem::facts);
        let colors = "60:1: warning: xmf/color-order: 2025";
        assert!(below.eq([colors]), "both lack a date");
        let metadata = &xmf.metadata;
        assert_eq!(metadata.version, Some([1, 0]));
        assert_eq!(metadata.name.as_deref(), Some("test"));
        assert_eq!(metadata.resolution, Some([424, 240]));
        assert!(metadata.other[0].is("", "Software"));
        let [ground, sky, copy, things] = xmf.layers.as_slice() else {
            panic!("{:?}", xmf.layers);
        };

        assert_eq!((ground.name.as_str(), ground.priority), ("ground", 0));
        assert_eq!((ground.tile_size, ground.size), ([16, 8], [2, 1]));
        assert_eq!(ground.kind, LayerKind::Tile);
        assert_eq!(ground.rendering_mode.as_deref(), Some("AlphaBlend"));
        assert_eq!(ground.repeat, RepeatMode::SingleTile);
        assert_eq!(ground.scroll_rate, [Some(0.5), Some(2.0)]);
        assert_eq!((ground.at.line, ground.at.column), (8, 1));
        let at = At {
            line: 14,
            column: 2,
        };
        let path = "%PATH%/ground.map".to_owned();
        assert_eq!(ground.map, Some(MapSource::File { path, at }));
        assert_eq!(ground.shared_tiles, [7]);
        assert!(ground.other[0].is("", "ShaderProgram"));
        let source = &ground.tile_sources[0];
        assert_eq!(source.path, "%PATH%/ground.png");
        assert_eq!((source.pal_shift, source.offset), (Some(5), Some(32)));
        assert_eq!(source.attributes[0].name, "dataPakSrc");
        let tiles = source.tiles.as_ref().unwrap();
        assert_eq!(
            (
                tiles[0].id(TileOrder::IdFirst),
                tiles[0].index(TileOrder::IdFirst)
            ),
            (1, 0)
        );
        let engine = TileOrder::IndexFirst;
        assert_eq!((tiles[1].id(engine), tiles[1].index(engine)), (1, 2));
        assert_eq!(
            (tiles[0].name.as_str(), tiles[1].name.as_str()),
            ("grass", "")
        );

        let at = At {
            line: 25,
            column: 2,
        };
        let cells = vec![1, 0x1002_0002];
        assert_eq!(sky.map, Some(MapSource::Embedded { cells, at }));
        assert_eq!(copy.kind, LayerKind::TransformableTile);
        assert_eq!(copy.scroll_rate, [Some(0.25), Some(0.75)]);
        assert!(matches!(copy.map, Some(MapSource::Shared { layer: 0, .. })));

        assert_eq!((&things.kind, things.size), (&LayerKind::Sprite, [0, 0]));
        let [part, whole] = things.sprite_sources.as_slice() else {
            panic!("{things:?}");
        };
        assert_eq!(
            (part.id, part.part, part.name.as_deref()),
            (3, Some([1, 2, 3, 4]), Some("man"))
        );
        assert_eq!((whole.id, whole.part), (4, None));
        let sheet = &things.sprite_sheets[0];
        assert_eq!(
            (sheet.sprites[0].id, sheet.sprites[0].part),
            (32, [1, 2, 3, 4])
        );
        assert_eq!(sheet.sprites[1].name, None);
        assert_eq!(things.palettes[0].offset, 256);
        let [man, gate, path, quad, star, flag, kite] = things.objects.as_slice() else {
            panic!("{things:?}");
        };
        let sprite = Sprite {
            source: 3,
            position: [-16, 20],
            scale: [Some(2048), None],
            corner: [None, None],
            mirror: [None, None],
            palette: 1,
            pal_shift: Some(4),
            alpha: Some(250),
        };
        assert_eq!(
            (&man.shape, man.to_collision, man.id),
            (&Shape::Sprite(sprite), true, 65536)
        );
        assert_eq!(
            (&gate.shape, gate.to_collision),
            (&Shape::Box([16, 17, 48, 49]), true)
        );
        assert_eq!(gate.other.len(), 2);
        let Shape::Polyline { points, is_closed } = &path.shape else {
            panic!("{path:?}");
        };
        assert!(is_closed);
        assert_eq!(points[0].position, [1, 2]);
        assert_eq!(points[1].controls, [[5, 6]]);
        assert_eq!(points[2].controls, [[9, 10], [11, 12]]);
        assert!(points[2].other[0].is("", "Color"));
        assert_eq!(
            quad.shape,
            Shape::Quad([[0, 0], [10, 0], [0, 10], [10, 10]])
        );
        assert_eq!(
            (star.shape.kind(), star.name.as_str(), star.id),
            ("Star", "star", 4)
        );

        let Shape::Sprite(flag) = flag.shape else {
            panic!("{flag:?}");
        };
        assert_eq!((flag.corner, flag.palette), ([Some(9), Some(-8)], 0x12));
        assert_eq!(flag.mirror, [Some(true), Some(false)]);
        let Shape::QuadSprite(sprite, corners) = kite.shape else {
            panic!("{kite:?}");
        };
        assert_eq!(
            (sprite.source, sprite.position, sprite.alpha),
            (4, [1, 2], Some(7))
        );
        assert_eq!(corners, [[3, 4], [5, 6], [7, 8]]);

        let [file, night, nameless] = xmf.palettes.as_slice() else {
            panic!("{:?}", xmf.palettes);
        };
        assert_eq!(
            file.source,
            PaletteSource::File("%PATH%/ground.png".to_owned())
        );
        assert_eq!((file.pal_shift, night.offset), (Some(5), 768));
        let embedded = |name: Option<&str>, colors| PaletteSource::Embedded {
            name: name.map(str::to_owned),
            colors,
        };
        assert_eq!(
            night.source,
            embedded(Some("night"), vec![[255, 1, 2, 3], [128, 4, 5, 6]])
        );
        assert_eq!(nameless.source, embedded(None, vec![[255, 1, 2, 3]]));
        assert_eq!(ColorOrder::Abgr.rgba([128, 4, 5, 6]), [6, 5, 4, 128]);
        assert_eq!(ColorOrder::Argb.rgba([128, 4, 5, 6]), [4, 5, 6, 128]);
        assert!(xmf.other[0].is("", "Extra"));
    }

    #[test]
    fn the_date_of_a_map_says_how_it_was_written() {
        let embedded =
            "Embed:Palette [/wECAw==]\nLayer:Tile \"a\" 0 1 1 1 1 {\n\tEmbed:MapData [AQAAEA==]\n}";
        let dialect = |metadata: &str, said: usize| {
            let text = format!("Metadata {{\n{metadata}\n}}\n{embedded}");
            let xmf = read_good(&text);
            let all = xmf.problems.iter().flat_map(Problem::with_consequences);
            assert_eq!(all.count(), said, "{:?}", xmf.problems);
            Dialect::of(&xmf.metadata)
        };
        let now = Dialect::default();
        assert_eq!(dialect("Name \"a\"", 2), now);
        assert_eq!(dialect("DateOfCreation \"soon\"", 2), now);
        assert_eq!(dialect("DateOfCreation 2025-04-14", 0), now);
        assert_eq!(dialect("DateOfCreation 2024/09/19", 0), Dialect::OLD);
        // The date of the last change wins.
        let between = Dialect {
            cells: Layout::Old,
            ..now
        };
        let dates = "DateOfCreation 2020-01-01\nDateOfLastModification \"2025-03-20\"";
        assert_eq!(dialect(dates, 0), between);
    }

    /// Debug text without positions and problems.
    fn content(xmf: &Xmf) -> String {
        let text = format!(
            "{:#?}",
            Xmf {
                problems: Vec::new(),
                ..xmf.clone()
            }
        );
        let is_place = |line: &&str| {
            !["line: ", "column: "]
                .iter()
                .any(|key| line.trim_start().starts_with(key))
        };
        text.lines().filter(is_place).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn everything_comes_back() {
        for packing in [Packing::Text, Packing::Zlib, Packing::Zstd] {
            let mut xmf = read_good(MAP);
            xmf.packing = packing;
            let bytes = write(&xmf);
            assert!(sniff(&bytes), "{packing:?}");
            let again = read(&bytes).unwrap();
            assert_eq!(content(&again), content(&xmf));
            assert_eq!(write(&again), bytes);
        }
        let text = String::from_utf8(write(&read_good(MAP))).unwrap();
        // Unknown attributes, or names for all tags of a namespace.
        for kept in [
            "Metadata checked=true {",
            r#"Layer:Tile "ground" 0 16 8 2 1 mood="dark" {"#,
            r#"File:MapData "%PATH%/ground.map" dataPakSrc="m.dpk""#,
            "Embed:MapData [AQAAAAIAAhA=] note=1",
            r#"palShift=5 offset=32 dataPakSrc="a.dpk" {"#,
            r#"File:SpriteSheet "%PATH%/all.png" dataPakSrc="s.dpk" {"#,
            "33 5 6 7 8 pivot=3",
            r#"SheetData id=56 name="all" {"#,
            "ToCollision shape=2",
            "lrCornerX=9 lrCornerY=-8 hMirror=true vMirror=false palSel=18",
            r#"Object:QuadSprite "kite" 6 4 1 2 3 4 5 6 7 8 masterAlpha=7 {"#,
        ] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert!(sniff(MAP.as_bytes()));
    }

    /// A map without ambiguous data.
    const PLAIN: &str = r#"Metadata {
	Version 1 0
	DateOfCreation 2025-06-01
	Name "test"
	Resolution 424 240
}
Layer:Tile "ground" 0 16 8 2 1 {
	RenderingMode "AlphaBlend"
	RepeatMode "SingleTile"
	ScrollRateX 0.5
	File:MapData "%PATH%/ground.map" dataPakSrc="m.dpk"
	File:TileSource "%PATH%/ground.png" palShift=5 offset=32 {
		Embed:TileInfo {
			1 1 "grass"
			2 2
		}
	}
}
Layer:Tile "sky" 1 16 8 2 1 {
	Embed:MapData [AQAAAAIAAhA=]
	Shared:TileData 0
}
Layer:Sprite "things" 16 {
	File:SpriteSource 3 "%PATH%/man.tga" name="man" horizOffset=1 vertOffset=2 width=3 height=4
	File:SpriteSheet "%PATH%/all.png" {
		SheetData id=56 name="all" {
			32 1 2 3 4 name="cat"
			33 5 6 7 8
		}
	}
	File:Palette "%PATH%/man.tga" offset=256
	Object:Sprite "man" 65536 3 16 20 palSel=1 scaleHoriz=2048 masterAlpha=250 {
		ToCollision
	}
	Object:Box "gate" 1 16 17 48 49
	Object:Polyline "path" 2 {
		Begin 1 2
		Segment 3 4
		Close
	}
	Object:Quad "quad" 3 0 0 10 0 0 10 10 10
}
File:Palette "%PATH%/ground.png" palShift=5
Embed:Palette "night" [/wECA4AEBQY=] offset=768
"#;

    #[test]
    fn a_value_that_is_lost_twice_or_wrong_is_one_problem_at_its_place() {
        let number = |text: &str| text.matches('\n').count() as u64 + 1;
        assert_eq!(read(PLAIN.as_bytes()).unwrap().problems, []);
        let mut start = 0;
        while let Some(word) = PLAIN[start..].split_whitespace().next() {
            start += PLAIN[start..].find(word).unwrap();
            let (before, after) = (&PLAIN[..start], &PLAIN[start + word.len()..]);
            start += word.len();
            // Names of tags and braces affect more than a single value.
            let line = before.lines().last().unwrap_or_default();
            let is_value = !line.trim().is_empty() && before.ends_with(' ') && word != "{";
            let twice = format!("{word} {word}");
            let values = ["", &twice, "-1", "1.5", "\"x\"", "99999999999"];
            for value in values.into_iter().filter(|_| is_value) {
                let text = [before, value, after].concat();
                let Ok(xmf) = read(text.as_bytes()) else {
                    panic!("{text}");
                };
                let said: Vec<_> = xmf.problems.iter().map(Problem::facts).collect();
                assert!(said.len() <= 1, "{line}{value}: {said:#?}");
                let is_wrong = |problem: &&Problem| problem.rule == &rules::VALUE;
                for problem in xmf
                    .problems
                    .iter()
                    .filter(is_wrong)
                    .filter(|_| value == "1.5")
                {
                    let (line, column) = (number(before), 1 + line.len() as u64);
                    let place = Place::Text { line, column };
                    let is_there = problem.with_consequences().any(|it| it.place == place);
                    assert!(is_there, "{problem}, but it is at {place}");
                }
            }
        }
    }

    /// Writing in field order can move tags after others.
    #[test]
    fn what_is_read_where_it_cannot_stand_is_the_same_once_it_is_written() {
        #[track_caller]
        fn comes_back(text: &str) {
            if let Ok(xmf) = read(text.as_bytes()) {
                let written = write(&xmf);
                let again = write(&read(&written).unwrap());
                let [written, again] =
                    [written, again].map(|text| String::from_utf8(text).unwrap());
                assert_eq!(written, again, "{text}");
            }
        }
        let lines: Vec<&str> = PLAIN.split_inclusive('\n').collect();
        for from in 0..lines.len() {
            let mut without = lines.clone();
            let line = without.remove(from);
            for to in 0..=without.len() {
                for (line, rest) in [
                    // Moved, duplicated, or missing while another line is duplicated.
                    (line, &without),
                    (line, &lines),
                    (lines[to], &without),
                ] {
                    let [before, behind] = [&rest[..to], &rest[to..]];
                    comes_back(&[before, &[line], behind].concat().concat());
                }
            }
            // Inside an unreadable tag, inside an unknown one, or without the brace of a layer.
            let (before, behind) = (lines[..from].concat(), lines[from..].concat());
            for around in [
                "@ {\n",
                "note {\n",
                "}\n",
                "Begin {\n",
                "Layer:Sprite \"a\" 9\n",
            ] {
                for misspelt in [&behind, &behind.replacen("le", "l", 1)] {
                    comes_back(&format!("{before}{around}{misspelt}"));
                }
            }
        }
        for end in 0..PLAIN.len() {
            comes_back(&PLAIN[..end]);
            comes_back(&format!("{}x", &PLAIN[..end]));
        }
    }

    /// Names that resemble known ones are still unknown.
    #[test]
    fn own_tags_and_attributes_are_kept_and_change_nothing() {
        let whole = read(PLAIN.as_bytes()).unwrap();
        for (behind, own) in [
            (
                "Name \"test\"\n",
                "\tNames \"x\" \"y\"\n\tVersion2 5 5\n\tResolutions 1 2\n",
            ),
            (
                " 2 1 {\n",
                "\tFile:MapData2 \"backup.map\"\n\tLayer:Note \"x\"\n",
            ),
            (
                "offset=32 {\n",
                "\t\tEmbed:TileInfo2 {\n\t\t\t5 5 \"x\"\n\t\t}\n",
            ),
            ("ToCollision\n", "\t\tNoCollision\n\t\tCloses\n"),
            ("palShift=5 offset=32", " offsets=3 PalShift=2"),
            ("\t}\n}\n", "Editor {\n\tLayer:State 0\n\tObject:Box 7\n}\n"),
            (
                "Object:Box \"gate\" 1 16 17 48 49\n",
                "\tObject:Note 5 { Layer:Tile \"x\" }\n",
            ),
        ] {
            let text = PLAIN.replacen(behind, &format!("{behind}{own}"), 1);
            assert_ne!(text, PLAIN, "{behind}");
            let mut xmf = says(&text, &[]);
            assert_ne!(content(&xmf), content(&whole), "{own}");
            xmf.other.clear();
            xmf.metadata
                .other
                .retain(|tag| tag.is("", "DateOfCreation"));
            for layer in &mut xmf.layers {
                layer.other.clear();
                for source in &mut layer.tile_sources {
                    source.other.clear();
                    source.attributes.clear();
                }
                layer.objects.iter_mut().for_each(|it| it.other.clear());
            }
            assert_eq!(content(&xmf), content(&whole), "{own}");
        }
    }

    #[test]
    fn misspelt_names_are_reported() {
        for (from, to, place) in [
            ("Resolution", "Resoluton", "5:2"),
            ("palShift=5 offset=32", "PalShift=5 offset=32", "12:38"),
            ("ToCollision", "NoCollision", "33:3"),
            ("File:MapData", "File:MapDat", "11:2"),
        ] {
            let xmf = read(PLAIN.replacen(from, to, 1).as_bytes()).unwrap();
            let said: Vec<_> = xmf.problems.iter().map(Problem::facts).collect();
            let begin = format!("{place}: warning: xmf/tag-name");
            let from = from.split('=').next().unwrap();
            let end = format!(" {from}");
            let is_it = |said: &&String| said.starts_with(&begin) && said.contains(&end);
            assert!(said.iter().any(|said| is_it(&said)), "{said:#?}");
            assert!(
                xmf.problems
                    .iter()
                    .all(|it| it.severity == Severity::Warning)
            );
        }
    }

    /// The names of the layers and objects of a map.
    fn names(xmf: &Xmf) -> Vec<&str> {
        let layers = xmf.layers.iter();
        let mut names: Vec<&str> = layers
            .flat_map(|layer| {
                let objects = layer.objects.iter().map(|object| &*object.name);
                objects.chain([&*layer.name])
            })
            .collect();
        names.sort_unstable();
        names
    }

    /// The palettes of a map without their positions.
    fn palettes(xmf: &Xmf) -> Vec<Palette> {
        let palettes = xmf.palettes.iter().cloned();
        let at = At::default();
        palettes.map(|palette| Palette { at, ..palette }).collect()
    }

    #[test]
    fn a_brace_that_is_lost_or_twice_is_one_problem_and_loses_one_tag() {
        let lines: Vec<&str> = PLAIN.split_inclusive('\n').collect();
        let whole = read(PLAIN.as_bytes()).unwrap();
        for (at, line) in lines.iter().enumerate() {
            let Some(brace) = line.find(['{', '}']) else {
                continue;
            };
            let (without, twice) = ([&line[..brace], &line[brace + 1..]], line.repeat(2));
            let without = without.concat();
            for changed in [Some(&without), Some(&twice).filter(|_| line.trim() == "}")] {
                let Some(changed) = changed else { continue };
                let text = [&lines[..at], &[changed], &lines[at + 1..]]
                    .concat()
                    .concat();
                let xmf = read(text.as_bytes()).unwrap();
                let said: Vec<_> = xmf.problems.iter().map(Problem::facts).collect();
                assert_eq!(said.len(), 1, "{at} {changed}: {said:#?}");
                assert_eq!(names(&xmf), names(&whole), "{at} {changed}: {said:#?}");
                let [read, all] = [&xmf, &whole].map(palettes);
                assert_eq!(read, all, "{at} {changed}: {said:#?}");
            }
        }
    }

    #[test]
    fn duplicate_identifiers_are_reported() {
        let twice = |from: &str, to: &str| {
            let text = PLAIN.replacen(from, to, 1);
            let xmf = read(text.as_bytes()).unwrap();
            let [problem] = &xmf.problems[..] else {
                panic!("{:?}", xmf.problems);
            };
            problem.facts()
        };
        assert_eq!(
            twice("\"quad\" 3", "\"quad\" 1"),
            "41:2: warning: xmf/identifier (Layer 2): 1 35"
        );
        let sheet = "\tFile:TileSource \"b.png\" {\n\t\tEmbed:TileInfo {\n\t\t\t2 2\n\t\t}\n\t}\n";
        let sheet = format!("\t}}\n{sheet}}}\nLayer:Tile \"sky\"");
        let said = twice("\t}\n}\nLayer:Tile \"sky\"", &sheet);
        assert!(said.contains("xmf/tile-id (Layer 0): 15 2"), "{said}");
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        let xmf = says(
            "Layer:Tile 5 0 16 -1 {\n\tFile:MapData\n\tRepeatMode \"Maybe\"\n}",
            &[
                "1:12: error: xmf/value (Layer 0): 1 5 Layer:Tile",
                "2:2: error: xmf/value (Layer 0): 1 File:MapData",
                "3:13: error: xmf/value (Layer 0): 1 Maybe Off On RepeatMode SingleTile",
            ],
        );
        assert_eq!(
            (xmf.layers[0].tile_size, xmf.layers[0].size),
            ([16, 0], [0, 0])
        );
        says(
            "Layer:Tile \"a\" 0 1 1 2 2 {\n\tEmbed:MapData [AAAA]\n\tEmbed:MapData [AAAA]\n}",
            &[
                "2:2: error: xmf/embedded-size (Layer 0): 16 2 3 4",
                "3:2: error: xmf/embedded-size (Layer 0): 16 2 3 4",
                "3:2: warning: xmf/duplicate-cells (Layer 0)",
            ],
        );
        says(
            "Layer:Sprite \"a\" 1\nLayer:Effects \"b\" 1",
            &[
                "2:1: error: xmf/layer-kind (Layer 1): Layer:Effects",
                "2:1: warning: xmf/priority (Layer 1): 1",
            ],
        );
        says(
            "Metadata\nFile:Palette \"p\" palShift=17\nEmbed:Palette [AAA=]",
            &[
                "2:18: error: xmf/value: 0 16 17 File:Palette palShift",
                "3:1: error: xmf/embedded-size: 2 4",
            ],
        );
        let xmf = says(
            "Layer:Sprite \"a\" 1 {\n\tObject:Box \"b\" 1 2 3 4\n\tObject:Polyline \"p\" 2 {\n\t\tSegment 1 2\n\t}\n}",
            &[
                "2:2: error: xmf/value (Layer 0): 32 6 Object:Box",
                "4:3: error: xmf/polyline (Layer 0): Begin Segment",
            ],
        );
        assert_eq!(xmf.layers[0].objects.len(), 1);
    }

    #[test]
    fn what_the_engine_would_miss_is_said() {
        let tiles = "\tFile:TileSource \"b.png\" {\n\t\tEmbed:TileInfo {\n\t\t\t1 1 \"a\"\n\t\t\t1 2\n\t\t}\n\t}\n";
        says(
            format!("Metadata {{\n\tVersion 9 0\n}}\nLayer:Tile \"a\" 0 1 1 2 2 {{\n{tiles}}}"),
            &[
                "2:2: warning: xmf/version, read: 1.0 9.0",
                "4:1: warning: xmf/no-cells (Layer 0): Embed:MapData File:MapData Shared:MapData",
                "5:2: warning: xmf/tile-order",
                "8:4: warning: xmf/tile-id (Layer 0): 1 7",
            ],
        );
    }

    /// Every prefix of a container has exactly one truncation problem, and its content is
    /// unchanged.
    #[test]
    fn a_cut_is_one_problem() {
        let whole = read_good(MAP);
        let mut most = 0;
        for end in 0..MAP.len() {
            let Ok(xmf) = read(MAP.as_bytes().get(..end).unwrap()) else {
                assert_eq!(most, 0, "{end}");
                continue;
            };
            let problems = xmf.problems.iter();
            let errors: Vec<_> = problems
                .filter(|it| it.severity == Severity::Error)
                .collect();
            assert_eq!(errors.len(), usize::from(xmf.is_cut), "{end}: {errors:?}");
            let layers = xmf.layers.iter().zip(&whole.layers);
            for (layer, of_whole) in layers {
                assert_eq!(
                    (&layer.name, layer.size),
                    (&of_whole.name, of_whole.size),
                    "{end}"
                );
                let count = layer.objects.len();
                let objects = of_whole.objects.get(..count).unwrap();
                assert_eq!(layer.objects, objects, "{end}");
                let tiles = |layer: &XmfLayer| {
                    let sheet = layer.tile_sources.first()?;
                    sheet.tiles.clone()
                };
                if let (Some(tiles), Some(all)) = (tiles(layer), tiles(of_whole)) {
                    assert!(all.starts_with(&tiles), "{end}: {tiles:?}");
                    assert!(
                        tiles.len() == all.len() || layer.tile_sources[0].is_cut,
                        "{end}"
                    );
                }
                assert!(
                    count == of_whole.objects.len() || layer.is_cut || !xmf.is_cut,
                    "{end}"
                );
            }
            let said: usize = xmf.layers.iter().map(|layer| 1 + layer.objects.len()).sum();
            most = most.max(said);
        }
        assert_eq!(most, 11);
    }

    #[test]
    fn files_without_a_map_are_rejected() {
        let refused = |text: &str, expected: &str| {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(
                error.problem().unwrap().facts().starts_with(expected),
                "{error}"
            );
        };
        refused("", "1:1: error: xmf/no-map");
        refused("# x\n\nother 1", "3:1: error: xmf/no-map");
    }

    #[test]
    fn files_are_known_by_their_first_tag() {
        for text in [
            "Metadata {",
            "\u{feff}// a\n# b\n-- c\n/* d */ /**/ Metadata\n",
            "Layer:Tile \"a\"",
            "ZLIB\x78\u{1}",
        ] {
            assert!(sniff(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "Metadatas",
            "Layer",
            "Layer:Tiles",
            "/*",
            "# Metadata",
            "ZLIB",
            "ZSTDx",
            "version 1.0",
        ] {
            assert!(!sniff(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn packed_texts_that_are_not_whole_are_told_apart() {
        let text = MAP.as_bytes();
        let zlib = [b"ZLIB".to_vec(), pack_zlib(text)].concat();
        let zstd = [b"ZSTD".to_vec(), pack_zstd(text)].concat();
        let last = |bytes: &[u8]| {
            let xmf = read(bytes).unwrap();
            let packing = xmf
                .problems
                .iter()
                .find(|p| matches!(p.place, Place::Offset(_)));
            packing.map(Problem::facts).unwrap_or_default()
        };
        assert_eq!(last(&zlib), "");
        assert!(last(&zlib[..zlib.len() - 30]).contains("xmf/packed-text: 1633"));
        assert!(last(&[&zlib[..], b"x"].concat()).contains("xmf/trailing-data: 1"));
        assert!(last(&[&zstd[..], b"x"].concat()).contains("xmf/trailing-data: 1"));
        let mut wrong = zlib.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(last(&wrong).contains("xmf/packed-text"));
        // Damaged bytes are not XMF text; faults in it follow from the damage.
        let count = |bytes: &[u8]| read(bytes).unwrap().problems.len();
        let none = flate2::Compression::none();
        let mut stored = flate2::read::ZlibEncoder::new(text, none);
        let mut damaged = ZLIB.to_vec();
        stored.read_to_end(&mut damaged).unwrap();
        assert_eq!(count(&damaged), count(&zlib));
        let quote = damaged.iter().rposition(|byte| *byte == b'"').unwrap();
        damaged[quote] = b'{';
        assert_eq!(count(&damaged), 1 + count(&zlib));
        // A decompression bomb.
        let long = [MAP.as_bytes(), &vec![b'\n'; 40 << 20]].concat();
        for packed in [
            [b"ZLIB".to_vec(), pack_zlib(&long)].concat(),
            [b"ZSTD".to_vec(), pack_zstd(&long)].concat(),
        ] {
            assert!(last(&packed).contains("xmf/limit"), "{}", last(&packed));
        }
    }

    #[test]
    fn paths_are_looked_for_below_a_folder() {
        for (path, expected) in [
            ("%PATH%/assets/a.png", "assets/a.png"),
            ("../../assets/a.png", "assets/a.png"),
            ("..\\a.png", "a.png"),
            ("./a.png", "a.png"),
            ("/a.png", "a.png"),
            ("a/../b.png", "a/../b.png"),
            ("100%.png", "100%.png"),
            ("%PATH%", ""),
            (".hidden", ".hidden"),
        ] {
            assert_eq!(path_below_root(path), expected);
        }
    }
}
