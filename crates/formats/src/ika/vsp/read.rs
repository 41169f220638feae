//! Reader of tilesets.

use std::ops::ControlFlow;

use super::super::aries::{Grammar, Node, Text, Tree, begins_with};
use super::super::block::{Block, Element, Elements, Inflated, budget, inflate_all, is_whole};
use super::super::bytes::{Cursor, File, bytes_left};
use super::super::{MAX_TILES, rules, text};
use super::rle::{RleEnd, unpack_bytes, unpack_words};
use super::{MAX_TILE_SIDE, MODES, Pixels, ROOT, STRANDS, Strand, Version, Vsp};
use crate::{Message, Place, Problems, ReadError, Subject, UnreadReason, counted, quoted};

/// Size of a palette, in bytes.
const PALETTE_BYTES: usize = 768;
/// Size of a description, in bytes.
const DESCRIPTION_BYTES: usize = 64;
/// Offset of the tile count in version 6.
const VERSION_6_COUNT_AT: usize = 7;
/// Size of a strand, in bytes.
const STRAND_BYTES: usize = 8;
/// Edge of a VERGE tile, in pixels.
const VERGE_TILE: u32 = 16;
/// Maximum number of tiles in a tileset. It is far above any real tileset, and small enough to keep
/// a use count for each tile.
const MAX_COUNT: u32 = 1 << 22;
/// Versions of text tilesets that the engine's editors wrote (fact sheet 5).
const TEXT_VERSIONS: [&str; 2] = ["1.0", "1.1"];
/// Magic bytes of the VERGE 3 tileset.
const VERGE_3_MAGIC: &[u8] = b"VSP\0";

/// Reads a tileset.
///
/// Recoverable faults are listed in [`Vsp::problems`]. A truncated file yields fewer pixels. Memory
/// use is bounded by the length of `bytes`.
///
/// # Errors
/// Returns an error if the file header is missing or corrupt.
pub fn read(bytes: &[u8]) -> Result<Vsp, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called regularly with the progress from 0 to 1,
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Vsp, ReadError> {
    let mut problems = Problems::new();
    let mut vsp = if begins_with(bytes, ROOT) {
        read_text(bytes, &mut problems, watch)?
    } else {
        read_binary(bytes, &mut problems, watch)?
    };
    vsp.problems = problems.finish();
    Ok(vsp)
}

/// Returns `true` if a file begins like a tileset. The version number is weak evidence, so the
/// fields after it must be plausible.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    if begins_with(bytes, ROOT) || bytes.starts_with(VERGE_3_MAGIC) {
        return true;
    }
    let mut cursor = Cursor::new(bytes, File);
    let mut problems = Problems::new();
    let Ok(head) = Header::read(&mut cursor, &mut problems) else {
        return false;
    };
    let left = cursor.left() as u64;
    let strands = (STRANDS * STRAND_BYTES) as u64;
    let packed = u64::from(head.packed);
    let ends = |bytes: u64| left == bytes || left == bytes + strands;
    head.vsp.count > 0
        && match head.packing {
            // A map of another engine may begin with the same number, but its size does not fit.
            Packing::None => ends(head.stored_bytes()),
            Packing::Rle => packed > 0 && ends(packed),
            Packing::Zlib => packed > 0 && packed <= left,
        }
}

/// The compression of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Rle,
    Zlib,
}

/// The fields before the pixels of a binary file.
struct Header {
    /// The tileset without pixels and strands.
    vsp: Vsp,
    bytes_per_pixel: u32,
    packing: Packing,
    /// Declared size of the packed pixels, in bytes.
    packed: u32,
    /// Offset of the field `packed` in the file.
    packed_at: usize,
}

impl Header {
    fn pixel_count(&self) -> u64 {
        // Cannot overflow: two 16-bit numbers times a 32-bit one.
        self.vsp.tile_pixels() * u64::from(self.vsp.count)
    }

    fn stored_bytes(&self) -> u64 {
        self.pixel_count() * u64::from(self.bytes_per_pixel)
    }

    /// Size of the pixels in the file as declared, in bytes.
    fn declared_bytes(&self) -> u64 {
        match self.packing {
            Packing::None => self.stored_bytes(),
            Packing::Rle | Packing::Zlib => self.packed.into(),
        }
    }

    /// Corrects a wrong declared size of the packed pixels, assuming that the strands end the file.
    /// The size up to the strands replaces it in two cases:
    /// - The pixels end exactly where the strands begin.
    /// - The declared size reaches past the end of the file, and the strands are valid. The pixels
    ///   are then damaged.
    fn correct_size(&mut self, cursor: &Cursor<'_>, problems: &mut Problems) {
        let declared = self.packed as usize;
        let up_to_strands = cursor.left().checked_sub(STRANDS * STRAND_BYTES);
        let is_needed = self.packing != Packing::None
            && up_to_strands != Some(declared)
            && !self.is_end_of_pixels(cursor, declared);
        let Some(size) = up_to_strands.filter(|_| is_needed) else {
            return;
        };
        let pixels_fit = self.is_end_of_pixels(cursor, size);
        let is_past_end = declared > cursor.left();
        let is_correct = pixels_fit || is_past_end && self.are_strands(cursor, size);
        if !is_correct {
            return;
        }
        let place = Place::Offset(self.packed_at as u64);
        problems.add(&rules::PIXELS_SIZE, place, || {
            let declared = counted(declared, "byte");
            Message::read_as_expected(format!(
                "pixels: the declared size is {declared}; expected {size}, followed by {STRANDS} \
                 strands and the end of the file"
            ))
        });
        if !pixels_fit {
            problems.cause = problems.last();
        }
        self.packed = size as u32;
    }

    /// Returns `true` if valid strands follow after `at` bytes, and at least one of them is active.
    fn are_strands(&self, cursor: &Cursor<'_>, at: usize) -> bool {
        let mut cursor = cursor.clone();
        cursor.seek(cursor.pos() + at);
        let strands: Vec<_> = (0..STRANDS)
            .map_while(|_| strand(&mut cursor).ok())
            .collect();
        let can_be_played =
            |strand: &Strand| has_mode(*strand) && has_tiles(*strand, self.vsp.count);
        strands.iter().all(can_be_played) && strands.iter().any(Strand::is_active)
    }

    /// Returns `true` if the packed pixels take exactly `bytes` bytes.
    fn is_end_of_pixels(&self, cursor: &Cursor<'_>, bytes: usize) -> bool {
        let mut cursor = cursor.clone();
        let Ok(packed) = cursor.bytes(bytes) else {
            return false;
        };
        let count = self.pixel_count() as usize;
        match (self.packing, self.bytes_per_pixel) {
            (Packing::Zlib, _) => is_whole(packed, self.stored_bytes()),
            (Packing::Rle, 1) => unpack_bytes(packed, count).1 == RleEnd::Whole,
            (Packing::Rle, _) => unpack_words(packed, count).1 == RleEnd::Whole,
            (Packing::None, _) => bytes as u64 == self.stored_bytes(),
        }
    }

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        cursor.enter("header", None);
        let version = cursor.field("version").u16()?;
        let mut head = Self {
            vsp: Vsp {
                version: Version::Binary(version),
                tile_size: [VERGE_TILE; 2],
                ..Vsp::default()
            },
            bytes_per_pixel: 1,
            packing: Packing::None,
            packed: 0,
            packed_at: 0,
        };
        let mut count_at = cursor.pos();
        match version {
            2 | 3 => {
                head.vsp.palette = palette(cursor)?;
                count_at = cursor.pos();
                head.vsp.count = cursor.field("number of tiles").u16()?.into();
            }
            4 | 5 => {
                head.bytes_per_pixel = 2;
                head.vsp.count = cursor.field("number of tiles").u16()?.into();
            }
            6 => {
                count_at = VERSION_6_COUNT_AT;
                head.read_version_6(cursor, problems)?;
            }
            _ => {
                let found = format_args!("version {version}");
                return Err(cursor.fault(&rules::TILESET_VERSION, 0, found, "2 to 6"));
            }
        }
        if head.pixel_count() > MAX_TILES || head.vsp.count > MAX_COUNT {
            let [width, height] = head.vsp.tile_size;
            let found = format_args!("{} tiles of {width} x {height} pixels", head.vsp.count);
            return Err(cursor.fault(&rules::TILE_COUNT, count_at, found, max_tiles()));
        }
        head.packing = match version {
            3 | 5 => Packing::Rle,
            6 => Packing::Zlib,
            _ => Packing::None,
        };
        if head.packing != Packing::None {
            head.packed_at = cursor.pos();
            head.packed = cursor.field("size of the pixels").u32()?;
        }
        Ok(head)
    }

    fn read_version_6(
        &mut self,
        cursor: &mut Cursor<'_>,
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        let at = cursor.pos();
        let bytes_per_pixel = cursor.field("bytes per pixel").u8()?;
        if !matches!(bytes_per_pixel, 1 | 4) {
            let found = format_args!("{bytes_per_pixel} bytes per pixel");
            return Err(cursor.fault(&rules::PIXEL_FORMAT, at, found, "1 or 4"));
        }
        self.bytes_per_pixel = bytes_per_pixel.into();
        let at = cursor.pos();
        let size = [
            cursor.field("tile width").u16()?,
            cursor.field("tile height").u16()?,
        ];
        self.vsp.tile_size = size.map(u32::from);
        if !is_tile_size(self.vsp.tile_size) {
            let [width, height] = size;
            let found = format_args!("tiles of {width} x {height} pixels");
            return Err(cursor.fault(&rules::TILE_SIZE, at, found, tile_sizes()));
        }
        let at = cursor.pos();
        self.vsp.count = cursor.field("number of tiles").u32()?;
        if i32::try_from(self.vsp.count).is_err() {
            let found = format_args!("{} tiles", self.vsp.count.cast_signed());
            return Err(cursor.fault(&rules::TILE_COUNT, at, found, "0 or more"));
        }
        let description = cursor.field("description").bytes(DESCRIPTION_BYTES)?;
        let len = description.iter().position(|byte| *byte == 0);
        let description = description.get(..len.unwrap_or(DESCRIPTION_BYTES));
        self.vsp.description = text::decode(description.unwrap_or_default());
        if bytes_per_pixel == 1 {
            self.vsp.palette = palette(cursor)?;
            let at = cursor.pos();
            let mask = cursor.field("transparent colour").u8()?;
            if mask != 0 {
                cursor.warn(problems, &rules::TRANSPARENT_COLOR, at, || {
                    format!(
                        "the transparent colour is number {mask}; the engine always uses number \
                         0"
                    )
                });
            }
            self.vsp.mask = Some(mask);
        }
        Ok(())
    }
}

/// Returns `true` if the tile size is valid. It is checked even in a tileset without tiles, because
/// the placeholder image has this size.
fn is_tile_size(size: [u32; 2]) -> bool {
    size.iter().all(|edge| (1..=MAX_TILE_SIDE).contains(edge))
}

/// The range of tile sizes, for messages.
fn tile_sizes() -> String {
    format!("1 x 1 to {MAX_TILE_SIDE} x {MAX_TILE_SIDE}")
}

/// The maximum size of a tileset, for messages.
fn max_tiles() -> String {
    format!("at most {MAX_COUNT} tiles and {MAX_TILES} pixels")
}

fn palette(cursor: &mut Cursor<'_>) -> Result<Vec<[u8; 3]>, ReadError> {
    let bytes = cursor.field("palette").bytes(PALETTE_BYTES)?;
    let (colors, _) = bytes.as_chunks::<3>();
    Ok(colors.to_vec())
}

fn read_binary(
    bytes: &[u8],
    problems: &mut Problems,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Vsp, ReadError> {
    if bytes.starts_with(VERGE_3_MAGIC) {
        let found = "this is a VERGE 3 tileset, another format with the same file extension";
        return Err(ReadError::unreadable(
            &rules::VERGE,
            Place::Offset(0),
            found,
            "a tileset of version 2 to 6",
        ));
    }
    let mut cursor = Cursor::new(bytes, File);
    let mut head = Header::read(&mut cursor, problems)?;
    head.correct_size(&cursor, problems);
    check_not_empty(head.vsp.count, problems);
    // Even in a truncated file, the pixels can be complete: their last bytes may be redundant.
    let is_cut = (cursor.left() as u64) < head.declared_bytes();
    let checkpoint = problems.checkpoint();
    let (pixels, pixels_not_read) = read_pixels(&mut cursor, &head, bytes.len(), problems, watch)?;
    // Earlier faults explain faulty strands: these may be moved, missing or refer to other tiles.
    problems.cause = problems.cause.or(problems.first_since(checkpoint));
    let strands_at = Some(cursor.pos() as u64);
    let (strands, strands_not_read) = read_strands(&mut cursor, head.vsp.count, problems);
    problems.cause = None;
    let strands_not_read = strands_not_read.or(is_cut.then_some(UnreadReason::FileEnds));
    Ok(Vsp {
        pixels,
        pixels_not_read,
        strands,
        strands_not_read,
        strands_at,
        ..head.vsp
    })
}

/// Warns of a tileset without tiles.
fn check_not_empty(count: u32, problems: &mut Problems) {
    if count == 0 {
        problems.add(&rules::NO_TILES, Place::Offset(0), || {
            "no tiles in the tileset".to_owned()
        });
    }
}

/// Reads the pixels. Also returns the reason if they are incomplete.
fn read_pixels(
    cursor: &mut Cursor<'_>,
    head: &Header,
    file_bytes: usize,
    problems: &mut Problems,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<(Pixels, Option<UnreadReason>), ReadError> {
    cursor.enter("pixels", None);
    let start = cursor.pos();
    let declared = head.declared_bytes();
    let left = cursor.left();
    let stored = cursor
        .field("pixels")
        .bytes(declared.min(left as u64) as usize)?;
    let is_cut = stored.len() as u64 != declared;
    if is_cut {
        problems.add(
            &rules::TRUNCATED,
            Place::Offset(cursor.pos() as u64),
            || {
                let declared = counted(declared as usize, "byte");
                format!("pixels: {declared} declared, but {}", bytes_left(left))
            },
        );
        problems.cause = problems.last();
    }
    // `Header::read` has checked the maximum.
    let count = head.pixel_count() as usize;
    let (pixels, end) = match (head.packing, head.bytes_per_pixel) {
        (Packing::None, 1) => (Pixels::Indexed(stored.to_vec()), RleEnd::Whole),
        (Packing::None, _) => {
            let (pairs, _) = stored.as_chunks::<2>();
            let words = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
            (Pixels::Rgb555(words.collect()), RleEnd::Whole)
        }
        (Packing::Rle, 1) => {
            let (bytes, end) = unpack_bytes(stored, count);
            (Pixels::Indexed(bytes), end)
        }
        (Packing::Rle, _) => {
            let (words, end) = unpack_words(stored, count);
            (Pixels::Rgb565(words), end)
        }
        (Packing::Zlib, bytes_per_pixel) => {
            let block = Block {
                bytes: stored,
                place: Place::Offset(start as u64),
                name: "pixels".to_owned(),
                subject: Subject::File,
                element: Element::Byte,
                count: head.stored_bytes(),
                cause: problems.cause,
            };
            let (bytes, not_read) = inflate(block, file_bytes, problems, watch)?;
            let pixels = if bytes_per_pixel == 1 {
                Pixels::Indexed(bytes)
            } else {
                Pixels::Rgba(whole_pixels(bytes))
            };
            let not_read = match not_read {
                Some(UnreadReason::DataEnds) if is_cut => Some(UnreadReason::FileEnds),
                not_read => not_read,
            };
            return Ok((pixels, not_read));
        }
    };
    let place = Place::Offset(start as u64);
    match end {
        RleEnd::Whole => {}
        RleEnd::Short => problems.add(&rules::BLOCK, place, || {
            format!(
                "pixels: the runs end after {}; expected {count} pixels",
                pixels.len()
            )
        }),
        RleEnd::Long => problems.add(&rules::LONG_BLOCK, place, || {
            format!("pixels: the runs continue after {count} pixels; the rest is left out")
        }),
    }
    let not_read = match (pixels.len() < count, is_cut) {
        (false, _) => None,
        (true, true) => Some(UnreadReason::FileEnds),
        (true, false) => Some(UnreadReason::DataEnds),
    };
    Ok((pixels, not_read))
}

/// Removes an incomplete last pixel. Each pixel has four bytes.
fn whole_pixels(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() / 4 * 4);
    bytes
}

/// Inflates the pixels. Also returns the reason if they are incomplete.
fn inflate<B: AsRef<[u8]> + Sync>(
    block: Block<B>,
    file_bytes: usize,
    problems: &mut Problems,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<(Vec<u8>, Option<UnreadReason>), ReadError> {
    let mut budget = budget(file_bytes);
    let inflated = inflate_all(&[block], &mut budget, problems, watch)?
        .into_iter()
        .next();
    let Inflated { elements, not_read } = inflated.unwrap_or(Inflated {
        elements: Elements::Bytes(Vec::new()),
        not_read: None,
    });
    Ok((elements.into_bytes(), not_read))
}

/// Reads the strands. Also returns the reason if they are incomplete.
fn read_strands(
    cursor: &mut Cursor<'_>,
    count: u32,
    problems: &mut Problems,
) -> (Vec<Strand>, Option<UnreadReason>) {
    cursor.enter("strands", None);
    let start = cursor.pos();
    if cursor.left() == 0 {
        cursor.warn(problems, &rules::STRAND, start, || {
            format!("the file ends; expected {STRANDS} strands; nothing is animated")
        });
        return (Vec::new(), None);
    }
    let mut strands = Vec::with_capacity(STRANDS);
    for i in 0..STRANDS {
        cursor.enter("strand", i);
        let at = cursor.pos();
        match strand(cursor) {
            Ok(strand) => {
                check_strand(cursor, strand, at, count, problems);
                strands.push(strand);
            }
            Err(error) => {
                problems.add_error(error);
                return (strands, Some(UnreadReason::FileEnds));
            }
        }
    }
    let left = cursor.left();
    if left > 0 {
        cursor.enter("file", None);
        cursor.warn(problems, &rules::TRAILING_DATA, cursor.pos(), || {
            let left = counted(left, "byte");
            format!("{left} after the last strand; expected the end of the file")
        });
    }
    (strands, None)
}

fn strand(cursor: &mut Cursor<'_>) -> Result<Strand, ReadError> {
    Ok(Strand {
        start: cursor.field("start").u16()?,
        finish: cursor.field("finish").u16()?,
        delay: cursor.field("delay").u16()?,
        mode: cursor.field("mode").u16()?,
    })
}

/// Returns `true` if the tiles of a strand exist in a tileset of `count` tiles.
fn has_tiles(strand: Strand, count: u32) -> bool {
    u32::from(strand.finish) < count
}

/// Returns `true` if the mode of a strand is valid.
fn has_mode(strand: Strand) -> bool {
    usize::from(strand.mode) < MODES.len()
}

fn check_strand(
    cursor: &Cursor<'_>,
    strand: Strand,
    at: usize,
    count: u32,
    problems: &mut Problems,
) {
    if !strand.is_active() {
        return;
    }
    if !has_tiles(strand, count) {
        cursor.warn(problems, &rules::STRAND, at, || {
            format!(
                "tiles {} to {}, {}",
                strand.start,
                strand.finish,
                crate::outside("tile", count.into())
            )
        });
    }
    if !has_mode(strand) {
        cursor.warn(problems, &rules::STRAND, at + 6, || {
            let last = MODES.len() - 1;
            format!("the mode is {}; expected 0 to {last}", strand.mode)
        });
    }
}

/// The node names of text tilesets.
const GRAMMAR: Grammar = Grammar {
    root: ROOT,
    nodes: &[
        (ROOT, &["version", "information", "tiles"]),
        ("information", &["title", "meta"]),
        ("tiles", &["count", "dimensions", "data"]),
        ("dimensions", &["width", "height"]),
        ("data", &["format"]),
    ],
    with_text: &["data"],
    free: "meta",
};

/// Reads a text tileset (fact sheet 5, last line of the table).
fn read_text(
    bytes: &[u8],
    problems: &mut Problems,
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Vsp, ReadError> {
    let (tree, found) = Tree::read(bytes, &GRAMMAR);
    *problems = found;
    let begin = Place::Text { line: 1, column: 1 };
    let missing = |place, what: &str| {
        let found = format!("node `{what}` not found");
        ReadError::unreadable(&rules::MISSING_NODE, place, found, "one")
    };
    let root = tree.root(ROOT).ok_or_else(|| missing(begin, ROOT))?;
    problems.cause = root.cause();
    let tiles = root
        .node("tiles")
        .ok_or_else(|| missing(root.place(), "tiles"))?;
    let dimensions = tiles.node("dimensions");
    let dimensions = dimensions.ok_or_else(|| missing(tiles.place(), "dimensions"))?;
    let count = number(tiles, "count")?;
    let size = [number(dimensions, "width")?, number(dimensions, "height")?];
    let [width, height] = size.map(u64::from);
    let refused =
        |rule, found, expected| ReadError::unreadable(rule, dimensions.place(), found, expected);
    if !is_tile_size(size) {
        let found = format!("tiles of {width} x {height} pixels");
        return Err(refused(&rules::TILE_SIZE, found, tile_sizes()));
    }
    let pixels = width * height * u64::from(count);
    if pixels > MAX_TILES || count > MAX_COUNT {
        let found = format!("{count} tiles of {width} x {height} pixels");
        return Err(refused(&rules::TILE_COUNT, found, max_tiles()));
    }
    let data = tiles
        .node("data")
        .ok_or_else(|| missing(tiles.place(), "data"))?;
    data.check_packing("pixels", problems);
    let packed = data.text().unwrap_or(Text::none(data.place()));
    let name = "pixels";
    let (packed_bytes, cause) = packed.base64(name, problems);
    let block = Block {
        bytes: packed_bytes,
        place: packed.place,
        name: name.to_owned(),
        subject: Subject::File,
        element: Element::Byte,
        count: pixels * 4,
        cause,
    };
    let (pixels, pixels_not_read) = inflate(block, bytes.len(), problems, watch)?;
    let pixels_not_read = match pixels_not_read {
        Some(_) if data.is_open() => Some(UnreadReason::FileEnds),
        not_read => not_read,
    };
    let value = |node: Option<Node<'_, '_>>, name| {
        let value = node.and_then(|node| node.node(name)).and_then(Node::text);
        value
            .map(|value| text::decode(&value.bytes))
            .unwrap_or_default()
    };
    let information = root.node("information");
    let meta = information
        .and_then(|node| node.node("meta"))
        .map(|node| node.nodes().map(Node::key_and_value).collect());
    let version = root.version(&TEXT_VERSIONS, problems);
    check_not_empty(count, problems);
    problems.cause = None;
    Ok(Vsp {
        version: Version::Text(version),
        tile_size: size,
        count,
        description: value(information, "title"),
        meta: meta.unwrap_or_default(),
        pixels: Pixels::Rgba(whole_pixels(pixels)),
        pixels_not_read,
        ..Vsp::default()
    })
}

/// Parses the number in a required child node.
fn number(node: Node<'_, '_>, name: &str) -> Result<u32, ReadError> {
    let value = node.node(name).and_then(Node::text);
    let place = value.as_ref().map_or(node.place(), |value| value.place);
    let bytes = value.map(|value| value.bytes).unwrap_or_default();
    let digits = std::str::from_utf8(&bytes).ok();
    let number = digits.and_then(|digits| digits.trim().parse().ok());
    number.ok_or_else(|| {
        let found = format!("`{name}` is {}", quoted(&bytes));
        ReadError::unreadable(&rules::NUMBER, place, found, "a whole number of at least 0")
    })
}
