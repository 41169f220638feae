//! Reading XMF.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{
    LayerKind, MapSource, Metadata, Object, Packing, Palette, PaletteSource, Point, RepeatMode,
    Shape, SheetSprite, Sprite, SpriteSheet, SpriteSource, TileInfo, TileSource, Xmf, XmfLayer,
};
use crate::formats::budget::Budget;
use crate::formats::cursor::BYTE_ORDER_MARK;
use crate::formats::inflate::End;
use crate::formats::ppe::problems::{TextKind, TextProblems};
use crate::formats::ppe::sdlang::{self, At, Tag, Value};
use crate::formats::ppe::unpack::{
    Stream, ZSTD_MAGIC, Zlib, Zstd, copy_elements, is_zlib_header, read_elements,
};
use crate::formats::{Place, ReadError, quoted};

/// What a packed file begins with.
const ZLIB: &[u8; 4] = b"ZLIB";
const ZSTD: &[u8; 4] = b"ZSTD";
/// What the text of the smallest packed file may have, in bytes.
const TEXT_BYTES: u64 = 16 << 20;
/// How much of a text is looked at to know it.
const SNIFFED_BYTES: usize = 4096;

/// Reads XMF.
///
/// Whatever does not keep the rest from being shown is in [`Xmf::problems`].
///
/// # Errors
/// When there is neither metadata nor a layer.
pub fn read(bytes: &[u8]) -> Result<Xmf, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told now and then how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`ReadError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Xmf, ReadError> {
    let mut look_up = |done: f32| match watch(done) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(ReadError::Cancelled),
    };
    look_up(0.0)?;
    let mut problems = TextProblems::new();
    let (text, packing) = unpack(bytes, &mut problems);
    look_up(0.3)?;
    let tags = sdlang::read(&text, &mut problems);
    look_up(0.8)?;
    let is_xmf = |tag: &Tag| tag.namespace == "Layer" || tag.is("", "Metadata");
    if !tags.iter().any(is_xmf) {
        let found = match tags.first() {
            None => "found no tag".to_owned(),
            Some(tag) => format!("found {}", tag.title()),
        };
        let at = tags.first().map_or(At { line: 1, column: 1 }, |tag| tag.at);
        let expected = "a map: `Metadata` and `Layer:` tags";
        return Err(ReadError::unreadable(at.into(), found, expected));
    }
    let mut reader = Reader { problems };
    let mut xmf = reader.xmf(tags);
    xmf.packing = packing;
    xmf.problems = reader.problems.finish();
    Ok(xmf)
}

/// Says whether a file is XMF: packed, or a text that begins with metadata or a layer.
pub(in crate::formats::ppe) fn sniff(bytes: &[u8]) -> bool {
    if let Some(packed) = bytes.strip_prefix(ZLIB) {
        return packed.first_chunk().is_some_and(is_zlib_header);
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

/// The text of a file.
fn unpack<'a>(bytes: &'a [u8], problems: &mut TextProblems) -> (Cow<'a, [u8]>, Packing) {
    let packed = bytes.get(4..).unwrap_or_default();
    let (stream, packing): (&mut dyn Stream, _) = if bytes.starts_with(ZLIB) {
        (&mut Zlib::new(packed), Packing::Zlib)
    } else if bytes.starts_with(ZSTD) {
        (&mut Zstd::new(packed), Packing::Zstd)
    } else {
        return (bytes.into(), Packing::Text);
    };
    let most = Budget::new(TEXT_BYTES, bytes.len()).left();
    let text = read_elements::<u8>(stream, most as usize, &mut |_| true);
    let end = stream.end();
    let at = 4 + stream.consumed();
    let rest = bytes.len() - at;
    let mut add = |kind, message: String| {
        problems.add(kind, Place::Offset(at as u64), || message);
    };
    let len = text.len();
    match end {
        End::Complete if rest > 0 => {
            add(
                TextKind::Oddity,
                format!("{rest} bytes after the packed text"),
            );
        }
        End::Complete => {}
        End::WrongChecksum => add(
            TextKind::Packing,
            "the checksum of the packed text is that of other bytes: some are damaged".to_owned(),
        ),
        End::Unfinished => add(
            TextKind::Packing,
            format!("the packed text is cut off after {len} bytes"),
        ),
        End::Broken => add(
            TextKind::Packing,
            format!("the packed text is broken after {len} bytes"),
        ),
        End::More => add(
            TextKind::Limit,
            format!("the packed text has more than {len} bytes; the rest is not read"),
        ),
    }
    (text.into(), packing)
}

struct Reader {
    problems: TextProblems,
}

impl Reader {
    fn add(&mut self, kind: TextKind, at: At, message: impl FnOnce() -> String) {
        self.problems.add(kind, at.into(), message);
    }

    fn xmf(&mut self, tags: Vec<Tag>) -> Xmf {
        let mut xmf = Xmf::default();
        let mut has_metadata = false;
        for tag in tags {
            match (tag.namespace.as_str(), tag.name.as_str()) {
                ("", "Metadata") if !has_metadata => {
                    has_metadata = true;
                    xmf.metadata = self.metadata(tag);
                }
                ("Layer", _) => {
                    let layer = self.layer(tag);
                    if let Some(first) = xmf.layers.iter().find(|l| l.priority == layer.priority) {
                        let (priority, line) = (layer.priority, first.at.line);
                        self.add(TextKind::Tag, layer.at, || {
                            format!(
                                "priority {priority} is that of the layer in line {line} too; the \
                                 engine knows layers by it"
                            )
                        });
                    }
                    xmf.layers.push(layer);
                }
                ("File" | "Embed", "Palette") => xmf.palettes.extend(self.palette(tag)),
                _ => xmf.other.push(tag),
            }
        }
        self.warn_of_tile_order(&xmf);
        xmf
    }

    /// Says how numbers of tiles are read where that matters.
    fn warn_of_tile_order(&mut self, xmf: &Xmf) {
        let sources = xmf.layers.iter().flat_map(|layer| &layer.tile_sources);
        let differs = |tile: &TileInfo| tile.first != tile.second;
        let mut sources =
            sources.filter(|source| source.tiles.as_ref().is_some_and(|t| t.iter().any(differs)));
        if let Some(source) = sources.next() {
            self.add(TextKind::Oddity, source.at, || {
                "numbers of tiles are read as identifier and place in the sheet, as the editor \
                 writes them; the engine's loader reads them the other way round"
                    .to_owned()
            });
        }
    }

    fn metadata(&mut self, tag: Tag) -> Metadata {
        let mut metadata = Metadata::default();
        for child in tag.children {
            match (child.namespace.as_str(), child.name.as_str()) {
                ("", "Version") => {
                    let major = self.integer(&child, 0, "the major version");
                    let minor = self.integer(&child, 1, "the minor version");
                    metadata.version = major.zip(minor).map(<[_; 2]>::from);
                }
                ("", "Name") => metadata.name = self.text(&child, 0, "the name of the map"),
                ("", "Resolution") => {
                    let width = self.size(&child, 0, "the width");
                    let height = self.size(&child, 1, "the height");
                    metadata.resolution = width.zip(height).map(<[_; 2]>::from);
                }
                _ => metadata.other.push(child),
            }
        }
        metadata
    }

    /// A value of a tag; what is missing or of the wrong kind is listed.
    fn value<'t, T>(
        &mut self,
        tag: &'t Tag,
        index: usize,
        what: &str,
        expected: &str,
        get: impl FnOnce(&'t Value) -> Option<T>,
    ) -> Option<T> {
        let value = tag.values.get(index);
        let found = value.and_then(get);
        if found.is_none() {
            self.add(TextKind::Value, tag.at, || {
                let (title, number) = (tag.title(), index + 1);
                match value {
                    None => format!("{title} has no value {number}; expected {what}, {expected}"),
                    Some(value) => format!(
                        "{title}: value {number} is {}; expected {what}, {expected}",
                        described(value)
                    ),
                }
            });
        }
        found
    }

    fn text(&mut self, tag: &Tag, index: usize, what: &str) -> Option<String> {
        let text = self.value(tag, index, what, "a text", Value::as_text);
        text.map(str::to_owned)
    }

    fn integer(&mut self, tag: &Tag, index: usize, what: &str) -> Option<i64> {
        self.value(tag, index, what, "a whole number", Value::as_integer)
    }

    fn int(&mut self, tag: &Tag, index: usize, what: &str) -> Option<i32> {
        let int = |value: &Value| value.as_integer()?.try_into().ok();
        self.value(tag, index, what, "a whole number of 32 bits", int)
    }

    fn size(&mut self, tag: &Tag, index: usize, what: &str) -> Option<u32> {
        let size = |value: &Value| {
            let number = i32::try_from(value.as_integer()?).ok()?;
            u32::try_from(number).ok().filter(|size| *size > 0)
        };
        self.value(tag, index, what, "a whole number above 0", size)
    }

    /// Takes an attribute out of a tag; what is of the wrong kind is listed and left there.
    fn attribute<T>(
        &mut self,
        tag: &mut Tag,
        name: &str,
        expected: &str,
        get: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let index = tag.attributes.iter().position(|other| other.name == name)?;
        let found = get(&tag.attributes.get(index)?.value);
        if found.is_some() {
            tag.attributes.remove(index);
            return found;
        }
        let at = tag.at;
        let value = tag.attributes.get(index).map(|attribute| &attribute.value);
        let found = value.map(described).unwrap_or_default();
        let title = tag.title();
        self.add(TextKind::Value, at, || {
            format!("{title}: the attribute `{name}` is {found}; expected {expected}")
        });
        None
    }

    fn text_attribute(&mut self, tag: &mut Tag, name: &str) -> Option<String> {
        let text = |value: &Value| value.as_text().map(str::to_owned);
        self.attribute(tag, name, "a text", text)
    }

    fn int_attribute(&mut self, tag: &mut Tag, name: &str) -> Option<i32> {
        let int = |value: &Value| value.as_integer()?.try_into().ok();
        self.attribute(tag, name, "a whole number of 32 bits", int)
    }

    /// An attribute that is a number from 0 to `most`.
    fn number_attribute(&mut self, tag: &mut Tag, name: &str, most: u32) -> Option<u32> {
        let number = |value: &Value| {
            let number = u32::try_from(value.as_integer()?).ok()?;
            (number <= most).then_some(number)
        };
        self.attribute(
            tag,
            name,
            &format!("a whole number from 0 to {most}"),
            number,
        )
    }

    fn pal_shift(&mut self, tag: &mut Tag) -> Option<u32> {
        // The palette of the engine has 65536 colours.
        self.number_attribute(tag, "palShift", 16)
    }

    fn layer(&mut self, tag: Tag) -> XmfLayer {
        let kind = match tag.name.as_str() {
            "Tile" => LayerKind::Tile,
            "TransformableTile" => LayerKind::TransformableTile,
            "Sprite" => LayerKind::Sprite,
            other => {
                let title = tag.title();
                self.add(TextKind::Tag, tag.at, || {
                    format!("{title} is no kind of layer; the engine refuses it")
                });
                LayerKind::Other(other.to_owned())
            }
        };
        let mut layer = XmfLayer {
            name: self
                .text(&tag, 0, "the name of the layer")
                .unwrap_or_default(),
            priority: self.int(&tag, 1, "the priority of the layer").unwrap_or(0),
            at: tag.at,
            ..XmfLayer::default()
        };
        if kind.has_tiles() {
            let mut number = |index, what| self.size(&tag, index, what).unwrap_or(0);
            layer.tile_size = [
                number(2, "the width of tiles"),
                number(3, "the height of tiles"),
            ];
            layer.size = [
                number(4, "the width of the map"),
                number(5, "the height of the map"),
            ];
        }
        layer.kind = kind;
        for child in tag.children {
            self.layer_child(&mut layer, child);
        }
        layer
    }

    fn layer_child(&mut self, layer: &mut XmfLayer, mut tag: Tag) {
        let at = tag.at;
        match (tag.namespace.as_str(), tag.name.as_str()) {
            ("File", "MapData") => {
                let path = self.text(&tag, 0, "the path of the map data");
                let source = path.map(|path| MapSource::File { path, at });
                self.set_map(layer, source, at);
            }
            ("Embed", "MapData") => {
                let cells = self.cells(&tag, layer);
                let source = cells.map(|cells| MapSource::Embedded { cells, at });
                self.set_map(layer, source, at);
            }
            ("Shared", "MapData") => {
                let source = self.int(&tag, 0, "the priority of another layer");
                let source = source.map(|layer| MapSource::Shared { layer, at });
                self.set_map(layer, source, at);
            }
            ("Shared", "TileData") => {
                let source = self.int(&tag, 0, "the priority of another layer");
                layer.shared_tiles.extend(source);
            }
            ("File", "TileSource") => layer.tile_sources.extend(self.tile_source(tag)),
            ("File" | "Embed", "Palette") => layer.palettes.extend(self.palette(tag)),
            ("File", "SpriteSource") => layer.sprite_sources.extend(self.sprite_source(tag)),
            ("File", "SpriteSheet") => layer.sprite_sheets.extend(self.sprite_sheet(tag)),
            ("Object", _) => layer.objects.extend(self.object(tag)),
            ("", "RenderingMode") => {
                layer.rendering_mode = self.text(&tag, 0, "the name of a rendering mode");
            }
            ("", "RepeatMode") => {
                let mode = |value: &Value| match value.as_text()? {
                    "Off" => Some(RepeatMode::Off),
                    "On" => Some(RepeatMode::On),
                    "SingleTile" => Some(RepeatMode::SingleTile),
                    _ => None,
                };
                let expected = "`On`, `Off` or `SingleTile`";
                let mode = self.value(&tag, 0, "the repeat mode", expected, mode);
                layer.repeat = mode.unwrap_or(layer.repeat);
            }
            ("", "ScrollRateX") => layer.scroll_rate[0] = self.rate(&tag, 0),
            ("", "ScrollRateY") => layer.scroll_rate[1] = self.rate(&tag, 0),
            ("", "ScrollRate") => layer.scroll_rate = [0, 1].map(|index| self.rate(&tag, index)),
            _ => layer.other.push(std::mem::take(&mut tag)),
        }
    }

    fn rate(&mut self, tag: &Tag, index: usize) -> Option<f64> {
        self.value(tag, index, "a scroll rate", "a number", Value::as_number)
    }

    /// Takes the cells of a layer, if it has none yet.
    fn set_map(&mut self, layer: &mut XmfLayer, source: Option<MapSource>, at: At) {
        if source.is_some() && layer.map.is_some() {
            self.add(TextKind::Tag, at, || {
                "the layer has cells already; these are ignored".to_owned()
            });
            return;
        }
        layer.map = layer.map.take().or(source);
    }

    /// The raw cells of embedded map data.
    fn cells(&mut self, tag: &Tag, layer: &XmfLayer) -> Option<Vec<u32>> {
        let bytes = self.value(tag, 0, "the cells", "bytes in base64", Value::as_bytes)?;
        let expected = layer.size.iter().map(|n| u64::from(*n)).product::<u64>();
        let found = bytes.len() as u64;
        if found != 4 * expected {
            let [width, height] = layer.size;
            self.add(TextKind::Embedded, tag.at, || {
                format!(
                    "{found} bytes of cells; expected {}, 4 for each of {width} x {height}",
                    4 * expected
                )
            });
        }
        let count = usize::try_from(expected).unwrap_or(usize::MAX);
        Some(copy_elements(bytes, count))
    }

    fn tile_source(&mut self, mut tag: Tag) -> Option<TileSource> {
        let path = self.text(&tag, 0, "the path of a picture")?;
        let pal_shift = self.pal_shift(&mut tag);
        let offset = self.number_attribute(&mut tag, "offset", 0xFFFF);
        let mut tiles = None;
        let mut other = Vec::new();
        for child in tag.children {
            // The document calls it `TileData`, the engine `TileInfo`.
            if child.is("Embed", "TileInfo") || child.is("Embed", "TileData") {
                let infos = tiles.get_or_insert_with(Vec::new);
                infos.extend(
                    child
                        .children
                        .iter()
                        .filter_map(|tile| self.tile_info(tile)),
                );
            } else {
                other.push(child);
            }
        }
        Some(TileSource {
            path,
            pal_shift,
            offset,
            tiles,
            attributes: tag.attributes,
            other,
            at: tag.at,
        })
    }

    fn tile_info(&mut self, tag: &Tag) -> Option<TileInfo> {
        let number = |value: &Value| value.as_integer()?.try_into().ok();
        let expected = "a whole number that is not negative";
        let first = self.value(tag, 0, "the identifier of a tile", expected, number)?;
        let second = self.value(tag, 1, "the place of a tile in the sheet", expected, number)?;
        let name = tag.values.get(2).and_then(Value::as_text);
        Some(TileInfo {
            first,
            second,
            name: name.unwrap_or_default().to_owned(),
        })
    }

    fn palette(&mut self, mut tag: Tag) -> Option<Palette> {
        let source = if tag.namespace == "File" {
            PaletteSource::File(self.text(&tag, 0, "the path of a picture")?)
        } else {
            // The document leaves out the name, which the engine writes.
            let name = tag.values.first().and_then(Value::as_text);
            let name = name.map(str::to_owned);
            let index = usize::from(name.is_some());
            let bytes = self.value(&tag, index, "colours", "bytes in base64", Value::as_bytes)?;
            if bytes.len() % 4 != 0 {
                let len = bytes.len();
                self.add(TextKind::Embedded, tag.at, || {
                    format!("{len} bytes of colours; expected 4 for each")
                });
            }
            let colors = bytes
                .as_chunks()
                .0
                .iter()
                .map(|&[a, r, g, b]| [r, g, b, a])
                .collect();
            PaletteSource::Embedded { name, colors }
        };
        Some(Palette {
            source,
            pal_shift: self.pal_shift(&mut tag),
            offset: self
                .number_attribute(&mut tag, "offset", 0xFFFF)
                .unwrap_or(0),
            attributes: tag.attributes,
            at: tag.at,
        })
    }

    fn sprite_source(&mut self, mut tag: Tag) -> Option<SpriteSource> {
        const PART: [&str; 4] = ["horizOffset", "vertOffset", "width", "height"];
        let id = self.int(&tag, 0, "the identifier of the picture")?;
        let path = self.text(&tag, 1, "the path of a picture")?;
        // Only all four together mean a part.
        let is_part = PART.iter().all(|name| tag.attribute(name).is_some());
        let part = if is_part {
            let part = PART.map(|name| self.int_attribute(&mut tag, name));
            let [x, y, width, height] = part;
            (|| Some([x?, y?, width?, height?]))()
        } else {
            None
        };
        Some(SpriteSource {
            id,
            path,
            name: self.text_attribute(&mut tag, "name"),
            part,
            attributes: tag.attributes,
            at: tag.at,
        })
    }

    fn sprite_sheet(&mut self, tag: Tag) -> Option<SpriteSheet> {
        let path = self.text(&tag, 0, "the path of a picture")?;
        let mut sprites = Vec::new();
        let mut other = Vec::new();
        for mut child in tag.children {
            if child.is("", "SheetData") {
                for mut sprite in std::mem::take(&mut child.children) {
                    sprites.extend(self.sheet_sprite(&mut sprite));
                }
            }
            other.push(child);
        }
        Some(SpriteSheet {
            path,
            sprites,
            other,
            at: tag.at,
        })
    }

    fn sheet_sprite(&mut self, tag: &mut Tag) -> Option<SheetSprite> {
        Some(SheetSprite {
            id: self.int(tag, 0, "the identifier of the sprite")?,
            part: self.ints(
                tag,
                1,
                ["the left side", "the top", "the width", "the height"],
            )?,
            name: self.text_attribute(tag, "name"),
        })
    }

    /// Several numbers from the value `first` on.
    fn ints<const N: usize>(
        &mut self,
        tag: &Tag,
        first: usize,
        what: [&str; N],
    ) -> Option<[i32; N]> {
        let mut numbers = [0; N];
        for ((number, what), index) in numbers.iter_mut().zip(what).zip(first..) {
            *number = self.int(tag, index, what)?;
        }
        Some(numbers)
    }

    fn object(&mut self, mut tag: Tag) -> Option<Object> {
        let name = self
            .text(&tag, 0, "the name of the object")
            .unwrap_or_default();
        let id = self
            .int(&tag, 1, "the identifier of the object")
            .unwrap_or(0);
        let at = tag.at;
        let mut children = std::mem::take(&mut tag.children);
        let shape = match tag.name.as_str() {
            "Box" => Shape::Box(self.ints(
                &tag,
                2,
                ["the left side", "the top", "the right side", "the bottom"],
            )?),
            "Sprite" => Shape::Sprite(self.sprite(&mut tag)?),
            "Polyline" => self.polyline(&mut children, at),
            "Quad" if tag.values.len() >= 10 => {
                let [a, b, c, d, e, f, g, h] =
                    self.ints(&tag, 2, ["a coordinate of a corner"; 8])?;
                Shape::Quad([[a, b], [c, d], [e, f], [g, h]])
            }
            _ => Shape::Other {
                kind: tag.name.clone(),
                values: tag.values.split_off(tag.values.len().min(2)),
            },
        };
        let before = children.len();
        children.retain(|child| !is_plain(child, "ToCollision"));
        Some(Object {
            name,
            id,
            shape,
            to_collision: children.len() < before
                || children.iter().any(|child| child.is("", "ToCollision")),
            attributes: tag.attributes,
            other: children,
            at,
        })
    }

    fn sprite(&mut self, tag: &mut Tag) -> Option<Sprite> {
        let source = self.int(tag, 2, "the identifier of a picture")?;
        let position = self.ints(tag, 3, ["the left side", "the top"])?;
        Some(Sprite {
            source,
            position,
            scale: ["scaleHoriz", "scaleVert"].map(|name| self.int_attribute(tag, name)),
            palette: self.number_attribute(tag, "palSel", 0xFFFF).unwrap_or(0),
            pal_shift: self.pal_shift(tag),
            alpha: self
                .number_attribute(tag, "masterAlpha", 255)
                .map(|alpha| alpha as u8),
        })
    }

    /// Takes the points of a line out of the tags inside it.
    fn polyline(&mut self, children: &mut Vec<Tag>, at: At) -> Shape {
        let mut points = Vec::new();
        let mut is_closed = false;
        let mut other = Vec::new();
        for mut child in std::mem::take(children) {
            match (child.namespace.as_str(), child.name.as_str()) {
                ("", "Begin" | "Segment") => {
                    let is_begin = child.name == "Begin";
                    if is_begin != points.is_empty() {
                        self.add(TextKind::Tag, child.at, || {
                            if is_begin {
                                "`Begin` in the middle of a line; expected `Segment`".to_owned()
                            } else {
                                "`Segment` at the begin of a line; expected `Begin`".to_owned()
                            }
                        });
                    }
                    if let Some(position) = self.ints(&child, 0, ["X of a point", "Y of a point"]) {
                        let mut point = Point {
                            position,
                            ..Point::default()
                        };
                        for bend in std::mem::take(&mut child.children) {
                            if ["Bezier", "Bezier0", "Bezier1"]
                                .iter()
                                .any(|name| bend.is("", name))
                            {
                                point.controls.extend(self.ints(
                                    &bend,
                                    0,
                                    ["X of a point", "Y of a point"],
                                ));
                            } else {
                                point.other.push(bend);
                            }
                        }
                        points.push(point);
                    }
                }
                ("", "Close") if child.children.is_empty() => is_closed = true,
                ("", "Close") => {
                    is_closed = true;
                    other.push(child);
                }
                _ => other.push(child),
            }
        }
        *children = other;
        if points.len() < 2 {
            let count = points.len();
            self.add(TextKind::Value, at, || {
                format!("a line of {count} points; expected at least 2")
            });
        }
        Shape::Polyline { points, is_closed }
    }
}

/// Whether a tag is a name and nothing else.
fn is_plain(tag: &Tag, name: &str) -> bool {
    tag.is("", name)
        && tag.values.is_empty()
        && tag.attributes.is_empty()
        && tag.children.is_empty()
}

/// What messages say of a value.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(yes) => format!("`{yes}`"),
        Value::Integer(number) => format!("{number}"),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => format!("the text {}", quoted(text.as_bytes())),
        Value::Binary(bytes) => format!("{} bytes", bytes.len()),
        Value::Time(text) => format!("the time {}", quoted(text.as_bytes())),
    }
}
