//! Reading XMF.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::{
    ColorOrder, LayerKind, MapSource, Metadata, Object, Packing, Palette, PaletteSource, Point,
    RepeatMode, Shape, SheetSprite, Sprite, SpriteSheet, SpriteSource, TileInfo, TileSource, Xmf,
    XmfLayer,
};
use crate::budget::Budget;
use crate::inflate::{End, Inflater};
use crate::ppe::rules;
use crate::ppe::sdlang::{self, At, Tag, Value};
use crate::ppe::unpack::{Stream, ZSTD_MAGIC, Zstd, copy_elements, is_zlib_header, read_elements};
use crate::text::BYTE_ORDER_MARK;
use crate::{Place, Problems, ReadError, Rule, Subject, quoted};

/// What a packed file begins with.
const ZLIB: &[u8; 4] = b"ZLIB";
const ZSTD: &[u8; 4] = b"ZSTD";
/// What the text of the smallest packed file may have, in bytes.
const TEXT_BYTES: u64 = 16 << 20;
/// How many layers are read. Real maps have less than twenty.
const MAX_LAYERS: usize = 512;
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
    let mut problems = Problems::new();
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
        return Err(ReadError::unreadable(
            &rules::NO_MAP,
            at.into(),
            found,
            expected,
        ));
    }
    let mut reader = Reader { problems };
    let mut xmf = reader.xmf(tags);
    xmf.packing = packing;
    xmf.problems = reader.problems.finish();
    Ok(xmf)
}

/// Says whether a file is XMF: packed, or a text that begins with metadata or a layer.
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

/// The text of a file.
fn unpack<'a>(bytes: &'a [u8], problems: &mut Problems) -> (Cow<'a, [u8]>, Packing) {
    let packed = bytes.get(4..).unwrap_or_default();
    let (stream, packing): (&mut dyn Stream, _) = if bytes.starts_with(ZLIB) {
        (&mut Inflater::zlib(packed), Packing::Zlib)
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
    let mut add = |rule, message: String| {
        problems.add(rule, Place::Offset(at as u64), || message);
    };
    let len = text.len();
    match end {
        End::Complete if rest > 0 => {
            add(
                &rules::TRAILING_TEXT,
                format!("{rest} bytes after the packed text"),
            );
        }
        End::Complete => {}
        End::WrongChecksum => add(
            &rules::PACKED_TEXT,
            "the checksum of the packed text is that of other bytes: some are damaged".to_owned(),
        ),
        End::Unfinished => add(
            &rules::PACKED_TEXT,
            format!("the packed text is cut off after {len} bytes"),
        ),
        End::Broken => add(
            &rules::PACKED_TEXT,
            format!("the packed text is broken after {len} bytes"),
        ),
        End::More => add(
            &rules::LIMIT,
            format!("the packed text has more than {len} bytes; the rest is not read"),
        ),
    }
    (text.into(), packing)
}

struct Reader {
    problems: Problems,
}

impl Reader {
    fn add(&mut self, rule: &'static Rule, at: At, message: impl FnOnce() -> String) {
        self.problems.add(rule, at.into(), message);
    }

    fn xmf(&mut self, tags: Vec<Tag>) -> Xmf {
        let mut xmf = Xmf::default();
        let mut has_metadata = false;
        let mut has_all_layers = true;
        for tag in tags {
            match (tag.namespace.as_str(), tag.name.as_str()) {
                ("", "Metadata") if !has_metadata => {
                    has_metadata = true;
                    xmf.metadata = self.metadata(tag);
                }
                ("Layer", _) if xmf.layers.len() == MAX_LAYERS => {
                    if !has_all_layers {
                        continue;
                    }
                    has_all_layers = false;
                    self.add(&rules::LIMIT, tag.at, || {
                        format!("more than {MAX_LAYERS} layers; the rest is not read")
                    });
                }
                ("Layer", _) => {
                    self.problems.subject = Subject::Layer(xmf.layers.len() as u32);
                    let layer = self.layer(tag);
                    if let Some(first) = xmf.layers.iter().find(|l| l.priority == layer.priority) {
                        let (priority, line) = (layer.priority, first.at.line);
                        self.add(&rules::PRIORITY, layer.at, || {
                            format!(
                                "priority {priority} is that of the layer in line {line} too; the \
                                 engine knows layers by it"
                            )
                        });
                    }
                    self.problems.subject = Subject::File;
                    xmf.layers.push(layer);
                }
                ("File" | "Embed", "Palette") => xmf.palettes.extend(self.palette(tag)),
                _ => xmf.other.push(tag),
            }
        }
        self.warn_of_tile_order(&xmf);
        self.warn_of_age(&xmf);
        xmf
    }

    /// Says how numbers of tiles are read where that matters.
    fn warn_of_tile_order(&mut self, xmf: &Xmf) {
        let sources = xmf.layers.iter().flat_map(|layer| &layer.tile_sources);
        let differs = |tile: &TileInfo| tile.first != tile.second;
        let mut sources =
            sources.filter(|source| source.tiles.as_ref().is_some_and(|t| t.iter().any(differs)));
        if let Some(source) = sources.next() {
            self.add(&rules::TILE_ORDER, source.at, || {
                "numbers of tiles are read as identifier and place in the sheet, as the editor \
                 writes them; the engine's loader reads them the other way round"
                    .to_owned()
            });
        }
    }

    /// Says how embedded colours and cells are read where that matters and no date tells: both have
    /// changed (fact sheet 8.20).
    fn warn_of_age(&mut self, xmf: &Xmf) {
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
        if let Some(palette) = xmf.palettes.iter().chain(of_layers).find(is_disputed) {
            self.add(&rules::COLOR_ORDER, palette.at, || {
                "embedded colours are read as alpha, blue, green, red, as the engine has written \
                 them since March 2025; before, it wrote alpha, red, green, blue"
                    .to_owned()
            });
        }
        let disputed = xmf.layers.iter().find_map(|layer| match &layer.map {
            // The tile is in the same bits of both layouts.
            Some(MapSource::Embedded { cells, at }) => {
                let has_more = cells.iter().any(|cell| cell >> 16 != 0);
                has_more.then_some(*at)
            }
            _ => None,
        });
        if let Some(at) = disputed {
            self.add(&rules::CELL_LAYOUT, at, || {
                "embedded cells are read in the new layout, as the engine has written them since \
                 2025-04-14; before, it wrote the old one"
                    .to_owned()
            });
        }
    }

    fn metadata(&mut self, tag: Tag) -> Metadata {
        let mut metadata = Metadata {
            attributes: tag.attributes,
            ..Metadata::default()
        };
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
            self.add(&rules::VALUE, tag.at, || {
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
        self.add(&rules::VALUE, at, || {
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

    fn bool_attribute(&mut self, tag: &mut Tag, name: &str) -> Option<bool> {
        self.attribute(tag, name, "`true` or `false`", Value::as_bool)
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

    fn layer(&mut self, mut tag: Tag) -> XmfLayer {
        let kind = match tag.name.as_str() {
            "Tile" => LayerKind::Tile,
            "TransformableTile" => LayerKind::TransformableTile,
            "Sprite" => LayerKind::Sprite,
            other => {
                let title = tag.title();
                self.add(&rules::LAYER_KIND, tag.at, || {
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
        layer.attributes = std::mem::take(&mut tag.attributes);
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
                self.set_map(layer, source, tag);
            }
            ("Embed", "MapData") => {
                let cells = self.cells(&tag, layer);
                let source = cells.map(|cells| MapSource::Embedded { cells, at });
                self.set_map(layer, source, tag);
            }
            ("Shared", "MapData") => {
                let source = self.int(&tag, 0, "the priority of another layer");
                let source = source.map(|layer| MapSource::Shared { layer, at });
                self.set_map(layer, source, tag);
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
    fn set_map(&mut self, layer: &mut XmfLayer, source: Option<MapSource>, tag: Tag) {
        let Some(source) = source else {
            return;
        };
        if layer.map.is_some() {
            self.add(&rules::DUPLICATE_CELLS, tag.at, || {
                "the layer has cells already; these are ignored".to_owned()
            });
            return;
        }
        layer.map = Some(source);
        layer.map_attributes = tag.attributes;
    }

    /// The raw cells of embedded map data.
    fn cells(&mut self, tag: &Tag, layer: &XmfLayer) -> Option<Vec<u32>> {
        let bytes = self.value(tag, 0, "the cells", "bytes in base64", Value::as_bytes)?;
        let expected = layer.size.iter().map(|n| u64::from(*n)).product::<u64>();
        let found = bytes.len() as u64;
        if found != 4 * expected {
            let [width, height] = layer.size;
            self.add(&rules::EMBEDDED_SIZE, tag.at, || {
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
                self.add(&rules::EMBEDDED_SIZE, tag.at, || {
                    format!("{len} bytes of colours; expected 4 for each")
                });
            }
            let colors = bytes.as_chunks().0.to_vec();
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
            attributes: tag.attributes,
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
            attributes: std::mem::take(&mut tag.attributes),
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
            "QuadSprite" => {
                let sprite = self.sprite(&mut tag)?;
                let [a, b, c, d, e, f] = self.ints(&tag, 5, ["a coordinate of a corner"; 6])?;
                Shape::QuadSprite(sprite, [[a, b], [c, d], [e, f]])
            }
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
            corner: ["lrCornerX", "lrCornerY"].map(|name| self.int_attribute(tag, name)),
            mirror: ["hMirror", "vMirror"].map(|name| self.bool_attribute(tag, name)),
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
                        self.add(&rules::POLYLINE, child.at, || {
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
            self.add(&rules::POLYLINE_POINTS, at, || {
                let points = if count == 1 { "point" } else { "points" };
                format!("a line of {count} {points}; expected at least 2")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;
    use crate::ppe::cell::Layout;
    use crate::ppe::unpack::{pack_zlib, pack_zstd};
    use crate::ppe::xmf::{Dialect, TileOrder, path_below_root, write};

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
        let said: Vec<_> = xmf.problems.iter().map(ToString::to_string).collect();
        assert_eq!(said, expected);
        xmf
    }

    #[test]
    fn everything_that_the_format_names_is_read() {
        let xmf = read_good(MAP);
        let said: Vec<_> = xmf.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "16:2: warning: numbers of tiles are read as identifier and place in the sheet, as the \
             editor writes them; the engine's loader reads them the other way round",
                "25:2: warning: embedded cells are read in the new layout, as the engine has written \
             them since 2025-04-14; before, it wrote the old one",
                "60:1: warning: embedded colours are read as alpha, blue, green, red, as the engine has \
             written them since March 2025; before, it wrote alpha, red, green, blue",
            ]
        );
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
            assert_eq!(xmf.problems.len(), said, "{:?}", xmf.problems);
            Dialect::of(&xmf.metadata)
        };
        let now = Dialect::default();
        assert_eq!(dialect("Name \"a\"", 2), now);
        assert_eq!(dialect("DateOfCreation \"soon\"", 2), now);
        assert_eq!(dialect("DateOfCreation 2025-04-14", 0), now);
        assert_eq!(dialect("DateOfCreation 2024/09/19", 0), Dialect::OLD);
        // The last change counts.
        let between = Dialect {
            cells: Layout::Old,
            ..now
        };
        let dates = "DateOfCreation 2020-01-01\nDateOfLastModification \"2025-03-20\"";
        assert_eq!(dialect(dates, 0), between);
    }

    /// Debug text without places and problems.
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
        // Attributes that the format does not name, or names for all tags of a namespace.
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

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let xmf = says(
            "Layer:Tile 5 0 16 -1 {\n\tFile:MapData\n\tRepeatMode \"Maybe\"\n}",
            &[
                "1:1: error: `Layer:Tile`: value 1 is 5; expected the name of the layer, a text",
                "1:1: error: `Layer:Tile`: value 4 is -1; expected the height of tiles, a whole number above 0",
                "1:1: error: `Layer:Tile` has no value 5; expected the width of the map, a whole number above 0",
                "1:1: error: `Layer:Tile` has no value 6; expected the height of the map, a whole number above 0",
                "2:2: error: `File:MapData` has no value 1; expected the path of the map data, a text",
                "3:2: error: `RepeatMode`: value 1 is the text `Maybe`; expected the repeat mode, `On`, `Off` or `SingleTile`",
            ],
        );
        assert_eq!(
            (xmf.layers[0].tile_size, xmf.layers[0].size),
            ([16, 0], [0, 0])
        );
        says(
            "Layer:Tile \"a\" 0 1 1 2 2 {\n\tEmbed:MapData [AAAA]\n\tEmbed:MapData [AAAA]\n}",
            &[
                "2:2: error: 3 bytes of cells; expected 16, 4 for each of 2 x 2",
                "3:2: error: 3 bytes of cells; expected 16, 4 for each of 2 x 2",
                "3:2: warning: the layer has cells already; these are ignored",
            ],
        );
        says(
            "Layer:Sprite \"a\" 1\nLayer:Effects \"b\" 1",
            &[
                "2:1: warning: `Layer:Effects` is no kind of layer; the engine refuses it",
                "2:1: warning: priority 1 is that of the layer in line 1 too; the engine knows layers by it",
            ],
        );
        says(
            "Metadata\nFile:Palette \"p\" palShift=17\nEmbed:Palette [AAA=]",
            &[
                "2:1: error: `File:Palette`: the attribute `palShift` is 17; expected a whole number from 0 to 16",
                "3:1: error: 2 bytes of colours; expected 4 for each",
            ],
        );
        let xmf = says(
            "Layer:Sprite \"a\" 1 {\n\tObject:Box \"b\" 1 2 3 4\n\tObject:Polyline \"p\" 2 {\n\t\tSegment 1 2\n\t}\n}",
            &[
                "2:2: error: `Object:Box` has no value 6; expected the bottom, a whole number of 32 bits",
                "3:2: error: a line of 1 point; expected at least 2",
                "4:3: warning: `Segment` at the begin of a line; expected `Begin`",
            ],
        );
        assert_eq!(xmf.layers[0].objects.len(), 1);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        let refused = |text: &str, expected: &str| {
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), expected);
        };
        let expected = "expected a map: `Metadata` and `Layer:` tags";
        refused("", &format!("1:1: found no tag; {expected}"));
        refused("# x\n\nother 1", &format!("3:1: found `other`; {expected}"));
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
            packing.map(ToString::to_string).unwrap_or_default()
        };
        assert_eq!(last(&zlib), "");
        assert!(last(&zlib[..zlib.len() - 30]).contains("error: the packed text is cut off after"));
        assert!(
            last(&[&zlib[..], b"x"].concat()).contains("warning: 1 bytes after the packed text")
        );
        assert!(
            last(&[&zstd[..], b"x"].concat()).contains("warning: 1 bytes after the packed text")
        );
        let mut wrong = zlib.clone();
        *wrong.last_mut().unwrap() ^= 1;
        assert!(last(&wrong).contains("error: the checksum of the packed text"));
        // A bomb: text without end.
        let long = [MAP.as_bytes(), &vec![b'\n'; 40 << 20]].concat();
        for packed in [
            [b"ZLIB".to_vec(), pack_zlib(&long)].concat(),
            [b"ZSTD".to_vec(), pack_zstd(&long)].concat(),
        ] {
            assert!(
                last(&packed).contains("error: the packed text has more than 1"),
                "{}",
                last(&packed)
            );
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
