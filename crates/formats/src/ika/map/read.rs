//! Reading binary maps.
//!
//! What comes before the layers must be right, or nothing can be shown. From there on, whatever
//! can be read is shown, and the rest is listed.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::super::block::{
    Block, Element, Inflated, budget, held_bytes, inflate_all, is_whole as is_whole_block, is_zlib,
    whole_length,
};
use super::super::bytes::{Cursor, File, bytes_left};
use super::super::rules;
use super::super::{DIRECTIONS, MAX_TILES, Parallax, verge};
use super::mend::{Damage, Field, Lost, Mended, Record};
use super::render_string::oddities;
use super::{BYTE_ORDER_MARK, Entity, Layer, MAGIC, MANGLED_MAGIC, Map, STATES, Zone};
use crate::{
    Cause, Message, NotRead, Place, Problem, Problems, ReadError, Rest, Subject, counted, outside,
    quoted,
};

/// The most layers that are shown. Render strings can name ten.
const MAX_LAYERS: usize = 1024;
/// How many layers are looked for where there are not as many as is said.
const MAX_COUNTED: usize = 64;
/// How many blocks are asked where they end since their lengths do not go with what follows.
const MAX_MENDED: usize = 8;
/// How many blocks in a row can be damaged, and twice as many as are not.
const MAX_LOST: usize = 4;
/// How many bytes are looked through for blocks behind damaged ones.
const MAX_SEARCHED: usize = 64 << 20;
/// The bytes of a number of records, and of the length of a block.
const COUNT_BYTES: usize = 4;
/// The bytes of the parallax of a layer.
const INFO_BYTES: usize = 16;

/// Reads a map.
///
/// Whatever does not keep the rest from being shown is in [`Map::problems`]. Layers and other
/// lists are shorter where the file has less. The memory in use is bounded by what the blocks
/// inflate to, and that by the length of `bytes`.
///
/// # Errors
/// When the head of the file is missing or broken, or the file is a map of VERGE.
pub fn read(bytes: &[u8]) -> Result<Map, ReadError> {
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
) -> Result<Map, ReadError> {
    let mut problems = Problems::new();
    let mut cursor = Cursor::new(bytes, File);
    let Head {
        mut map,
        layers,
        render_at,
        size_at,
        declared,
    } = find_head(&mut cursor, bytes, &mut problems)?;
    let blocks_at = cursor.pos();
    let in_head = problems.last();
    let (layout, layers) = Layout::find(bytes, blocks_at, layers, map.tile_count(), &mut problems);
    check_layers(
        &map.render_string,
        layers,
        [render_at, blocks_at],
        in_head,
        &mut problems,
    );
    let tail = layout.tail;
    layout.inflate(
        layers,
        bytes,
        (&mut map, (size_at, declared)),
        &mut problems,
        watch,
    )?;
    if let Some(tail) = tail {
        cursor.seek(tail);
        read_tail(&mut cursor, &mut map, &mut problems);
    } else {
        map.zones_not_read = Rest::Unknown;
        map.entities_not_read = Rest::Unknown;
    }
    // Where layers should be there are the blocks of others, or none.
    if let Some(cause) = problems.find_since(0, |problem| problem.rule == &rules::NO_LAYERS) {
        problems.fold(cause, |problem| {
            problem.place >= Place::Offset(blocks_at as u64)
        });
    }
    map.problems = problems.finish();
    Ok(map)
}

/// How far the head of a map is looked at for a byte that is wrong.
const MAX_HEAD: usize = 256;

/// Reads what comes before the layers, with a byte that is lost, too many or wrong in it if the layers then
/// follow it.
fn find_head(
    cursor: &mut Cursor<'_>,
    bytes: &[u8],
    problems: &mut Problems,
) -> Result<Head, ReadError> {
    let is_marked = bytes
        .strip_prefix(BYTE_ORDER_MARK)
        .is_some_and(|rest| rest.starts_with(MAGIC));
    if is_marked {
        problems.add(&rules::MAGIC, Place::Offset(0), || {
            "the file begins with the byte order mark of texts in UTF-8; expected `MAP`, with which it goes on; \
             it is read from there"
                .to_owned()
        });
        cursor.seek(BYTE_ORDER_MARK.len());
    }
    let begins = cursor.clone().rest();
    let mut of_head = Problems::new();
    let found = check_magic(begins).and_then(|()| Head::read(cursor, &mut of_head));
    let is_likely = |layers: usize, end: usize| {
        let first = end.saturating_add(layers.saturating_mul(INFO_BYTES) + COUNT_BYTES);
        bytes.get(first..).is_some_and(is_zlib)
    };
    let end = cursor.pos();
    let is_whole = |head: &Head| {
        // A byte may be missing or too many in the parallax of layers.
        let mut ends = end.saturating_sub(1)..=end + 1;
        head.layers == 0 && checked_size(head.declared).is_some()
            || ends.any(|end| is_likely(head.layers, end))
            || bytes
                .get(end + INFO_BYTES + COUNT_BYTES..)
                .is_some_and(is_zlib)
            || Layout::of_other_count(bytes, end, head.map.tile_count()).is_some()
    };
    if found.as_ref().is_ok_and(is_whole) {
        problems.append(of_head, None, |_| false);
        return found;
    }
    let can_be = |head: &[u8], end: usize| {
        let layers = head
            .last_chunk()
            .map_or(0, |count| u32::from_le_bytes(*count));
        head.starts_with(MAGIC) && layers > 0 && is_likely(layers as usize, end)
    };
    let is_good = |head: &Head, end: usize| {
        let tiles = head.map.tile_count();
        let first = end + head.layers * INFO_BYTES + COUNT_BYTES;
        tiles > 0
            && Layout::walk(bytes, end, head.layers, Order::InfosFirst, (0, tiles))
                .tail
                .is_some()
            && whole_length(bytes.get(first..).unwrap_or_default(), 4 * tiles).is_some()
    };
    let begin = bytes.get(..MAX_HEAD).unwrap_or(bytes);
    let Some(Mended {
        record,
        fault,
        at,
        end,
    }) = Mended::<Head>::find(begin, can_be, is_good)
    else {
        // Without the layers that it should have.
        let layers = found.as_ref().map_or(0, |head| head.layers);
        if u32::try_from(layers).is_ok_and(|layers| layers.cast_signed() < 0) {
            let found = format!("{} layers", (layers as u32).cast_signed());
            let place = Place::Offset((end - COUNT_BYTES) as u64);
            let (rule, expected) = (&rules::LAYER_COUNT, "0 or more");
            return Err(ReadError::unreadable(rule, place, found, expected));
        }
        problems.append(of_head, None, |_| false);
        return found;
    };
    let rule = if at < MAGIC.len() {
        &rules::MAGIC
    } else {
        &rules::BYTE
    };
    let place = Place::Offset(at as u64);
    problems.add(rule, place, || fault.message().within("header"));
    cursor.enter("header", None);
    cursor.seek(end);
    Ok(record)
}

fn check_magic(bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.starts_with(MAGIC) {
        return Ok(());
    }
    if let Some(verge) = verge::verge_version(bytes) {
        return Err(verge::refusal(verge));
    }
    let expected = "`MAP`, the byte F9, `6` and a zero byte";
    let found = if bytes.starts_with(MANGLED_MAGIC) {
        "the file was saved as text in UTF-8, which destroys binary maps".to_owned()
    } else if bytes.is_empty() {
        "the file is empty".to_owned()
    } else {
        let begin = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        format!("the file begins with {}", quoted(begin))
    };
    Err(ReadError::unreadable(
        &rules::MAGIC,
        Place::Offset(0),
        found,
        expected,
    ))
}

/// What comes before the layers.
struct Head {
    /// The map without all that follows.
    map: Map,
    /// How many layers are said to follow.
    layers: usize,
    /// Where the render string is.
    render_at: usize,
    /// Where the size is.
    size_at: usize,
    /// The size that is said, of which the map has none where it cannot be.
    declared: [i32; 2],
}

impl Record for Head {
    const FIELDS: &'static [Field] = &[
        Field::Bytes(MAGIC.len()),
        Field::Text,
        Field::Text,
        Field::Text,
        Field::Bytes(4 * 4),
        Field::Bytes(1),
        Field::Bytes(COUNT_BYTES),
    ];

    fn read(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Self, ReadError> {
        cursor.enter("header", None);
        let at = cursor.pos();
        if cursor.bytes(MAGIC.len())? != MAGIC {
            return Err(cursor.fault(&rules::MAGIC, at, "something else", "a map"));
        }
        read_head(cursor, problems)
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.map.tileset, &self.map.music, &self.map.render_string]
    }

    fn numbers(&self) -> Vec<i32> {
        self.map.start.to_vec()
    }
}

/// Reads what comes before the layers, and how many of these there are.
fn read_head(cursor: &mut Cursor<'_>, problems: &mut Problems) -> Result<Head, ReadError> {
    let tileset = cursor.field("name of the tileset").string(problems)?;
    let music = cursor.field("name of the music").string(problems)?;
    let render_at = cursor.pos();
    let render_string = cursor.field("render string").string(problems)?;
    let size_at = cursor.pos();
    let size = [cursor.field("width").i32()?, cursor.field("height").i32()?];
    let start = [cursor.field("start").i32()?, cursor.field("start").i32()?];
    let wraps = cursor.field("round flag").flag()?;
    let layers = cursor.field("number of layers").u32()?;
    let map = Map {
        tileset,
        music,
        render_string,
        size: checked_size(size).unwrap_or_default(),
        start,
        wraps,
        ..Map::default()
    };
    Ok(Head {
        map,
        layers: layers as usize,
        render_at,
        size_at,
        declared: size,
    })
}

/// That a map cannot have such a size.
fn size_error([width, height]: [i32; 2], at: usize) -> ReadError {
    let found = format!("header: a map of {width} x {height} tiles");
    let expected = format!("at least 1 x 1 and at most {MAX_TILES} tiles");
    ReadError::unreadable(&rules::SIZE, Place::Offset(at as u64), found, expected)
}

/// The size that makes so many tiles, of which one side is the declared one; of two, that whose sides are more
/// alike.
fn meant_size([width, height]: [i32; 2], tiles: u64) -> Option<[u32; 2]> {
    let other = |side: i32| {
        let side = u32::try_from(side).ok().filter(|side| *side > 0)?;
        let other = tiles
            .is_multiple_of(side.into())
            .then(|| tiles / u64::from(side));
        Some([side, u32::try_from(other?).ok()?])
    };
    let of_height = other(height).map(|[height, width]| [width, height]);
    let sizes = other(width).into_iter().chain(of_height);
    let can_be = |size: &[u32; 2]| checked_size(size.map(u32::cast_signed)).is_some();
    sizes
        .filter(can_be)
        .max_by_key(|[width, height]| *width.min(height))
}

/// Lists that the size is another than that of the blocks.
fn add_size(declared: [i32; 2], is: [u32; 2], at: usize, problems: &mut Problems) {
    let is_width = i64::from(declared[0]) != i64::from(is[0]);
    let place = Place::Offset((at + if is_width { 0 } else { 4 }) as u64);
    problems.add(&rules::SIZE, place, || {
        let ([width, height], [is_width, is_height]) = (declared, is);
        Message::read_so(format!(
            "a map of {width} x {height} tiles; expected {is_width} x {is_height}, as many as all blocks \
             have"
        ))
    });
}

/// Lists that there are no layers, and what in the render string names none. It stands at the first of
/// these places, and what follows the number of layers at the other. A byte of these may be wrong.
fn check_layers(
    render_string: &str,
    layers: usize,
    [render_at, blocks_at]: [usize; 2],
    in_head: Option<Cause>,
    problems: &mut Problems,
) {
    if layers == 0 {
        let place = Place::Offset((blocks_at - COUNT_BYTES) as u64);
        problems.add(&rules::NO_LAYERS, place, || {
            "the map has no layers, so there is nothing to show; expected at least one".to_owned()
        });
    }
    let no_layers = problems.last().filter(|_| layers == 0);
    for oddity in oddities(render_string, layers) {
        let (rule, place) = (&rules::RENDER_STRING, Place::Offset(render_at as u64));
        let cause = in_head.or(no_layers);
        problems.add_consequence(cause, rule, Subject::File, place, || oddity);
    }
}

/// A size in tiles, if it is one (fact sheet 7.5).
pub(in super::super) fn checked_size(size: [i32; 2]) -> Option<[u32; 2]> {
    let [width, height] = size.map(u32::try_from);
    let size = [width.ok()?, height.ok()?];
    let tiles = u64::from(size[0]) * u64::from(size[1]);
    (1..=MAX_TILES).contains(&tiles).then_some(size)
}

/// Where a block is.
#[derive(Debug, Clone)]
struct BlockPlace {
    /// The compressed bytes that there are.
    range: Range<usize>,
    /// Whether these are all.
    is_whole: bool,
}

impl BlockPlace {
    fn whole(range: Range<usize>) -> Self {
        let is_whole = true;
        Self { range, is_whole }
    }

    fn offsets(&self) -> Range<u64> {
        self.range.start as u64..self.range.end as u64
    }

    /// Whether it begins as a zlib stream does. Of a file that ends in it that counts too.
    fn is_likely(&self, bytes: &[u8]) -> bool {
        bytes.get(self.range.clone()).is_some_and(is_zlib)
    }

    /// Why what a block lacks was not read: its data ends where the file does.
    fn not_read(&self, inflated: &Inflated) -> Option<NotRead> {
        match inflated.not_read {
            Some(NotRead::DataEnds) if !self.is_whole => Some(NotRead::FileEnds),
            why => why,
        }
    }
}

/// A block whose length does not go with what follows, and which ends elsewhere by itself.
#[derive(Debug)]
struct WrongLength {
    /// Where the length stands.
    at: usize,
    /// Which block it is of.
    block: usize,
    declared: usize,
    is: usize,
}

/// That a byte is missing or too many, so that what follows begins elsewhere than it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    Missing,
    TooMany,
}

impl Slip {
    const ALL: [Self; 2] = [Self::Missing, Self::TooMany];

    /// Where that begins which should begin at a byte.
    fn moved(self, pos: usize) -> usize {
        match self {
            Self::Missing => pos.saturating_sub(1),
            Self::TooMany => pos + 1,
        }
    }
}

/// Where the compressed bytes of the block are whose length is at a byte, if one can be there.
fn block_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let length = bytes.get(at..)?.first_chunk().copied()?;
    let start = at + COUNT_BYTES;
    let end = start.checked_add(u32::from_le_bytes(length) as usize)?;
    bytes.get(start..end).filter(|it| is_zlib(it))?;
    Some(start..end)
}

/// How many blocks lead up to the zones from each byte of a range from which any do.
fn counts_to_zones(bytes: &[u8], range: Range<usize>) -> HashMap<usize, usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for at in range.rev() {
        let Some(block) = block_at(bytes, at) else {
            continue;
        };
        let behind = bytes.get(block.end..).unwrap_or_default();
        let following = counts.get(&block.end).copied();
        if let Some(following) = following.or_else(|| can_begin_zones(behind).then_some(0)) {
            counts.insert(at, following + 1);
        }
    }
    counts
}

/// Lists that a byte is missing or too many before something that should begin at a byte.
fn add_slip(slip: Slip, at: usize, what: &str, cause: Option<Cause>, problems: &mut Problems) {
    let (rule, subject) = (&rules::BYTE_COUNT, Subject::File);
    let place = Place::Offset(at as u64);
    problems.add_consequence(cause, rule, subject, place, || {
        let fault = match slip {
            Slip::Missing => "a byte is missing",
            Slip::TooMany => "there is a byte too many",
        };
        let begin = slip.moved(at);
        format!("{fault} before {what}; expected it here, but it begins at {begin:#x}; it is read from there")
    });
}

/// Lists that a byte is missing or too many in the number of records at the cursor, and goes to the first
/// of these.
fn add_slip_of_count(cursor: &mut Cursor<'_>, first: usize, what: &str, problems: &mut Problems) {
    let expected = cursor.pos() + COUNT_BYTES;
    let slip = if first < expected {
        Slip::Missing
    } else {
        Slip::TooMany
    };
    add_slip(slip, expected, what, None, problems);
    cursor.seek(first);
}

/// Blocks in a row that are damaged.
#[derive(Debug, Clone)]
struct BlockDamage {
    /// Which ones; none where only something stands before a block that belongs to none.
    blocks: Range<usize>,
    /// From where they should begin to where the next one does, or the list of zones.
    range: Range<usize>,
}

impl BlockDamage {
    /// Lists it: what is wrong with its blocks follows from that.
    fn add(&self, blocks: &mut [Block<&[u8]>], problems: &mut Problems) {
        let Some(damaged) = blocks.get_mut(self.blocks.clone()) else {
            return;
        };
        let Range { start, end } = self.range;
        let names: Vec<&str> = damaged.iter().map(|block| &*block.name).collect();
        let subject = damaged.first().map_or(Subject::File, |block| block.subject);
        problems.add_about(
            &rules::LOST_BLOCKS,
            subject,
            Place::Offset(start as u64),
            || {
                let next = format!("reading goes on at {end:#x}");
                match *names {
                    [] => {
                        let bytes = counted(end - start, "byte");
                        format!("{bytes} that belong to no block; {next}")
                    }
                    [name] => format!("{name}: its block is damaged; {next}"),
                    _ => format!("{}: their blocks are damaged; {next}", names.join(", ")),
                }
            },
        );
        for block in damaged {
            block.cause = problems.last();
        }
    }
}

/// What follows a block.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Another block; and how many bytes each tile has in this one.
    Block(u64),
    /// The list of zones.
    Zones,
}

/// In which order the parallax and the tiles of layers stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The parallax of all layers, then the tiles of all: what the engine did.
    InfosFirst,
    /// Parallax and tiles of each layer: what the document says.
    Interleaved,
}

/// Where the parts of a map are.
#[derive(Debug, Default)]
struct Layout {
    /// Parallax of layers and where it stands.
    infos: Vec<(usize, Parallax)>,
    /// The tiles of all layers, the obstruction and the zone map, as far as they are there.
    blocks: Vec<BlockPlace>,
    /// Where the list of zones begins, if all is there up to it.
    tail: Option<usize>,
    /// Why it is not.
    end: Option<ReadError>,
    /// Blocks that are read otherwise than the file says.
    wrong_lengths: Vec<WrongLength>,
    /// Blocks that begin elsewhere than they should: which, where they should, and why.
    slips: Vec<(usize, usize, Slip)>,
    /// Where blocks are damaged, if others are found behind them.
    damage: Option<BlockDamage>,
    /// How many more blocks may be asked where they end, and how many tiles they have.
    mends: (usize, u64),
}

impl Layout {
    /// Goes over the blocks without inflating them.
    fn walk(bytes: &[u8], pos: usize, layers: usize, order: Order, mends: (usize, u64)) -> Self {
        let mut layout = Self {
            mends,
            ..Self::default()
        };
        let mut cursor = Cursor::new(bytes, File);
        cursor.seek(pos);
        match layout.go_on(&mut cursor, layers, order) {
            Ok(()) => layout.tail = Some(cursor.pos()),
            Err(error) => layout.end = Some(error),
        }
        layout
    }

    fn go_on(
        &mut self,
        cursor: &mut Cursor<'_>,
        layers: usize,
        order: Order,
    ) -> Result<(), ReadError> {
        for i in 0..layers {
            cursor.enter("layer", i);
            self.infos.push((cursor.pos(), parallax(cursor)?));
            if order == Order::Interleaved {
                self.block(cursor, None)?;
            }
        }
        if order == Order::InfosFirst {
            for i in 0..layers {
                cursor.enter("layer", i);
                self.block(cursor, Some(Next::Block(4)))?;
            }
        }
        for (name, next) in [("obstruction", Next::Block(1)), ("zone map", Next::Zones)] {
            cursor.enter(name, None);
            self.block(cursor, Some(next))?;
        }
        Ok(())
    }

    /// The length of the block at the cursor by itself, where the one that is declared leads to nothing
    /// that can follow and this one does.
    fn true_length(&mut self, cursor: &Cursor<'_>, declared: usize, next: Next) -> Option<usize> {
        let rest = cursor.clone().rest();
        let follows = |length: usize| {
            let behind = rest.get(length..).unwrap_or_default();
            match next {
                Next::Block(_) => behind.get(COUNT_BYTES..).is_some_and(is_zlib),
                Next::Zones => can_begin_zones(behind),
            }
        };
        let (left, tiles) = &mut self.mends;
        if *left == 0 || !is_zlib(rest) || follows(declared) {
            return None;
        }
        *left -= 1;
        let element_bytes = match next {
            Next::Block(bytes) => bytes,
            Next::Zones => 4,
        };
        whole_length(rest, *tiles * element_bytes).filter(|length| follows(*length))
    }

    /// Where the block begins whose length is at the cursor, and how long it is by itself, if that is a byte
    /// before or behind where it should.
    fn slipped(&mut self, cursor: &Cursor<'_>, next: Next) -> Option<(Slip, usize)> {
        let mut other = cursor.clone();
        let start = other.pos() + COUNT_BYTES;
        other.seek(start);
        if self.mends.0 == 0 || is_zlib(other.rest()) {
            return None;
        }
        Slip::ALL.into_iter().find_map(|slip| {
            other.seek(slip.moved(start));
            // Whatever its length is said to be.
            Some((slip, self.true_length(&other, usize::MAX, next)?))
        })
    }

    /// Goes past a block, of which there may be only a part.
    fn block(&mut self, cursor: &mut Cursor<'_>, next: Option<Next>) -> Result<(), ReadError> {
        let at = cursor.pos();
        if let Some((slip, length)) = next.and_then(|next| self.slipped(cursor, next)) {
            let start = slip.moved(at + COUNT_BYTES);
            self.slips.push((self.blocks.len(), at, slip));
            self.blocks.push(BlockPlace {
                range: start..start + length,
                is_whole: true,
            });
            cursor.seek(start + length);
            return Ok(());
        }
        let mut declared = cursor.field("length of the block").u32()?;
        let (start, left) = (cursor.pos(), cursor.left());
        let length = next.and_then(|next| self.true_length(cursor, declared as usize, next));
        if let Some(is) = length {
            self.wrong_lengths.push(WrongLength {
                at,
                block: self.blocks.len(),
                declared: declared as usize,
                is,
            });
            declared = is as u32;
        }
        cursor.seek(start.saturating_add(declared as usize));
        let is_whole = declared as usize <= left;
        let range = start..cursor.pos();
        self.blocks.push(BlockPlace { range, is_whole });
        if is_whole {
            return Ok(());
        }
        let declared = counted(declared as usize, "byte");
        let found = format_args!("the block is {declared} long, but {}", bytes_left(left));
        Err(cursor.fault(
            &rules::TRUNCATED,
            at,
            found,
            "a block that ends in the file",
        ))
    }

    /// How many blocks begin as zlib streams do.
    fn likely_blocks(&self, bytes: &[u8]) -> usize {
        let blocks = self.blocks.iter();
        blocks.filter(|block| block.is_likely(bytes)).count()
    }

    /// Whether all blocks begin as zlib streams do.
    fn is_likely(&self, bytes: &[u8]) -> bool {
        let likely = self.likely_blocks(bytes);
        likely > 0 && likely == self.blocks.len()
    }

    /// The layout with the number of layers with which all is right, and that.
    fn of_other_count(bytes: &[u8], pos: usize, tiles: u64) -> Option<(Self, usize)> {
        let counts = 1..=MAX_COUNTED;
        let walk = |count| Self::walk(bytes, pos, count, Order::InfosFirst, (0, tiles));
        let mut others = counts.map(|count| (walk(count), count));
        others.find(|(layout, _)| layout.tail.is_some() && layout.is_likely(bytes))
    }

    /// The layout that the file seems to have (fact sheet 7.1), and how many layers.
    fn find(
        bytes: &[u8],
        pos: usize,
        layers: usize,
        tiles: u64,
        problems: &mut Problems,
    ) -> (Self, usize) {
        let walk = |layers, order, mends| Self::walk(bytes, pos, layers, order, (mends, tiles));
        let ours = walk(layers, Order::InfosFirst, MAX_MENDED);
        let likely = ours.likely_blocks(bytes);
        if likely == layers + 2 {
            ours.add_wrong_lengths(layers, problems);
            return (ours, layers);
        }
        let theirs = (layers > 1).then(|| walk(layers, Order::Interleaved, 0));
        let is_theirs =
            |theirs: &Self| theirs.likely_blocks(bytes) > likely && theirs.is_likely(bytes);
        if let Some(theirs) = theirs.filter(is_theirs) {
            problems.add(&rules::LAYER_ORDER, Place::Offset(pos as u64), || {
                "the tiles of each layer follow its parallax, as the document says; the engine \
                 expects the parallax of all layers first"
                    .to_owned()
            });
            return (theirs, layers);
        }
        if let Some((layout, count)) = Self::of_other_count(bytes, pos, tiles) {
            let place = Place::Offset((pos - COUNT_BYTES) as u64);
            problems.add(&rules::LAYER_COUNT, place, || {
                let layers = (layers as u32).cast_signed();
                Message::read_so(format!(
                    "{layers} layers; expected {count}, as many as follow"
                ))
            });
            return (layout, count);
        }
        let leads_to_zones = |tail: usize| bytes.get(tail..).is_some_and(can_begin_zones);
        if !ours.tail.is_some_and(leads_to_zones)
            && let Some(found) = Self::around_damage(bytes, pos, layers, tiles)
        {
            return (found, layers);
        }
        ours.add_wrong_lengths(layers, problems);
        (ours, layers)
    }

    /// The layout in which some blocks in a row are damaged, and those behind them lead from one to the next
    /// up to the zones.
    fn around_damage(bytes: &[u8], pos: usize, layers: usize, tiles: u64) -> Option<Self> {
        let mut layout = Self::default();
        let mut cursor = Cursor::new(bytes, File);
        cursor.seek(pos);
        for i in 0..layers {
            cursor.enter("layer", i);
            layout
                .infos
                .push((cursor.pos(), parallax(&mut cursor).ok()?));
        }
        let (first, blocks) = (cursor.pos(), layers + 2);
        let from = first..bytes.len().min(first.saturating_add(MAX_SEARCHED));
        let block_at = |at| block_at(bytes, at);
        let counts = counts_to_zones(bytes, from.clone());
        let mut at = first;
        while layout.blocks.len() < blocks {
            let left = blocks - layout.blocks.len();
            // Of the blocks of a map only the last but one, the obstruction, has a byte a tile.
            let needed = tiles * if left == 2 { 1 } else { 4 };
            let is_block = |range: &Range<usize>| {
                let block = bytes.get(range.clone());
                block.is_some_and(|block| is_whole_block(block, needed))
            };
            let leads_on = |range: &Range<usize>| match counts.get(&at) {
                Some(count) => *count == left,
                None => block_at(range.end).is_some() || is_block(range),
            };
            if let Some(range) = block_at(at).filter(leads_on) {
                at = range.end;
                layout.blocks.push(BlockPlace::whole(range));
                continue;
            }
            if layout.damage.is_some() {
                return None;
            }
            let mut behind = from.clone().skip(at - first);
            let next = behind.clone().find_map(|at| {
                let count = counts.get(&at).filter(|count| **count <= left)?;
                Some((at, *count))
            });
            let (next, following) = next.or_else(|| {
                let mut tail = Cursor::new(bytes, File);
                let next = behind.find(|at| {
                    tail.seek(*at);
                    // Without any zones and entities it tells too little.
                    let rest = bytes.get(*at..).unwrap_or_default();
                    rest.len() > 2 * COUNT_BYTES && can_begin_zones(rest) && is_whole(&tail)
                })?;
                Some((next, 0))
            })?;
            // A number of layers that lies is no damage.
            if left - following > MAX_LOST + 2 * (blocks - (left - following)) {
                return None;
            }
            layout.damage = Some(BlockDamage {
                blocks: layout.blocks.len()..blocks - following,
                range: at..next,
            });
            // Only of the first one there may be some.
            let mut start = (at + COUNT_BYTES).min(next);
            for _ in 0..left - following {
                layout.blocks.push(BlockPlace::whole(start..next));
                start = next;
            }
            at = next;
        }
        layout.tail = Some(at);
        Some(layout)
    }

    /// Lists the blocks whose lengths are wrong.
    fn add_wrong_lengths(&self, layers: usize, problems: &mut Problems) {
        for wrong in &self.wrong_lengths {
            let (name, subject) = match wrong.block.checked_sub(layers) {
                None => {
                    let layer = wrong.block;
                    (format!("layer {layer}"), Subject::Layer(layer as u32))
                }
                Some(0) => ("obstruction".to_owned(), Subject::File),
                Some(_) => ("zone map".to_owned(), Subject::File),
            };
            let place = Place::Offset(wrong.at as u64);
            problems.add_about(&rules::BLOCK_LENGTH, subject, place, || {
                let declared = counted(wrong.declared, "byte");
                let is = wrong.is;
                format!(
                    "{name}: the block is {declared} long; expected {is}, where its stream ends; it \
                     is read so"
                )
            });
        }
    }

    /// Inflates the blocks, and makes layers of them.
    fn inflate(
        mut self,
        layers: usize,
        bytes: &[u8],
        (map, (size_at, declared)): (&mut Map, (usize, [i32; 2])),
        problems: &mut Problems,
        watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let cut = self.blocks.last().filter(|last| !last.is_whole);
        let cut = cut.map(|cut| Place::Offset(cut.range.start as u64));
        let lost = lost(self.blocks.len(), cut.is_some(), layers);
        let mut of_map = self
            .blocks
            .split_off(layers.min(self.blocks.len()))
            .into_iter();
        let [obstruction, zones] = [of_map.next(), of_map.next()];
        self.blocks.truncate(MAX_LAYERS);
        let count = map.tile_count();
        let block = |place: &BlockPlace, name: String, subject, element| Block {
            bytes: bytes.get(place.range.clone()).unwrap_or_default(),
            place: Place::Offset(place.range.start as u64),
            name,
            subject,
            element,
            count,
            more_by: None,
            cause: None,
        };
        let tiles = self.blocks.iter().enumerate();
        let mut blocks: Vec<Block<&[u8]>> = tiles
            .map(|(i, place)| {
                let subject = Subject::Layer(i as u32);
                block(place, format!("layer {i}"), subject, Element::Word)
            })
            .collect();
        for (place, name, element) in [
            (&obstruction, "obstruction", Element::Byte),
            (&zones, "zone map", Element::Word),
        ] {
            let place = place.iter();
            blocks.extend(place.map(|at| block(at, name.to_owned(), Subject::File, element)));
        }
        let moment = problems.moment();
        if let Some(damage) = &self.damage {
            damage.add(&mut blocks, problems);
        }
        let mut found = Problems::new();
        let mut inflate = |blocks: &[Block<&[u8]>], found: &mut Problems| {
            inflate_all(blocks, &mut budget(bytes.len()), found, watch)
        };
        let mut inflated = Vec::new();
        if count > 0 {
            inflated = inflate(&blocks, &mut found)?;
        }
        let is_odd = self.end.is_none() && (count == 0 || found.moment() > 0);
        let held = is_odd.then(|| held_tiles(&blocks, bytes.len())).flatten();
        let held = held.filter(|held| *held != count);
        let meant = held.and_then(|tiles| Some((tiles, meant_size(declared, tiles)?)));
        if let Some((tiles, size)) = meant {
            for block in &mut blocks {
                block.count = tiles;
            }
            found = Problems::new();
            inflated = inflate(&blocks, &mut found)?;
            map.size = size;
            add_size(declared, map.size, size_at, problems);
        } else if count == 0 {
            return Err(size_error(declared, size_at));
        }
        problems.append(found, None, |_| false);
        let mut in_infos = None;
        for (index, at, slip) in std::mem::take(&mut self.slips) {
            let before = index.checked_sub(1).and_then(|before| blocks.get(before));
            let before = before.map(|before| before.place);
            let cause = problems.find_since(moment, |problem| Some(problem.place) == before);
            let name = blocks
                .get(index)
                .map_or("another layer", |block| &block.name);
            add_slip(slip, at, &format!("the block of {name}"), cause, problems);
            // What is before the first block is the parallax of layers.
            in_infos = in_infos.or(problems.last().filter(|_| index == 0));
        }
        // A wrong length of a block leads to others that are none, up to one that is too long.
        let astray = inflated.iter().rev().take_while(|block| block.is_lost());
        let first_astray = blocks.len() - astray.count();
        let astray = blocks.iter().skip(first_astray).map(|block| block.place);
        let astray: Vec<Place> = astray.collect();
        let mut inflated = inflated.into_iter();

        if let Some((at, _)) = self.infos.get(MAX_LAYERS) {
            let layers = self.infos.len();
            problems.add(&rules::TOO_MANY_LAYERS, Place::Offset(*at as u64), || {
                format!("{layers} layers; the first {MAX_LAYERS} are shown")
            });
        }
        let infos = u32::try_from(self.infos.len()).unwrap_or(u32::MAX);
        map.layers_not_read = (layers as u32).saturating_sub(infos);
        // Layers whose tiles are not there have none.
        let mut places = self.blocks.into_iter();
        for (i, (at, parallax)) in self.infos.into_iter().take(MAX_LAYERS).enumerate() {
            let mut layer = Layer {
                parallax: mended(parallax, i, at, problems),
                not_read: Some(NotRead::FileEnds),
                ..Layer::default()
            };
            let place = places.next();
            if let Some((place, tiles)) = place.and_then(|place| Some((place, inflated.next()?))) {
                layer.not_read = place.not_read(&tiles);
                layer.tiles = tiles.elements.into_words();
                layer.block = place.offsets();
            }
            map.layers.push(layer);
        }
        if let Some(cause) = in_infos {
            problems.fold_some_since(moment, cause, |problem| problem.rule == &rules::PARALLAX);
        }
        map.obstruction_not_read = Some(NotRead::FileEnds);
        if let (Some(place), Some(obstruction)) = (obstruction, inflated.next()) {
            map.obstruction_not_read = place.not_read(&obstruction);
            map.obstruction = obstruction.elements.into_bytes();
            map.obstruction_block = place.offsets();
        }
        map.zone_numbers_not_read = Some(NotRead::FileEnds);
        if let (Some(place), Some(zones)) = (zones, inflated.next()) {
            map.zone_numbers_not_read = place.not_read(&zones);
            map.zone_numbers = zones.elements.into_words();
            map.zone_block = place.offsets();
        }
        if let Some(end) = self.end {
            problems.add_error(end.losing(lost));
            // Layers that are read astray have any parallax.
            if let Some(end) = problems.last().filter(|_| map.layers_not_read > 0) {
                problems.fold_some_since(moment, end, |problem| problem.rule == &rules::PARALLAX);
            }
            if let Some((end, cut)) = problems.last().zip(cut) {
                let is_block = |problem: &Problem, place| {
                    problem.rule == &rules::BLOCK && problem.place == place
                };
                let first = astray.split_last().and_then(|(_, before)| before.first());
                let first = first.and_then(|first| {
                    problems.find_since(moment, |problem| is_block(problem, *first))
                });
                // A byte too many or too few in a block leads to one that is none, too.
                let before = first_astray.checked_sub(1).and_then(|i| blocks.get(i));
                let first = first.or_else(|| {
                    let before = before.filter(|_| astray.len() == 1)?;
                    problems.find_since(moment, |problem| problem.place == before.place)
                });
                match first {
                    Some(cause) => problems.fold_some_since(moment, cause, |problem| {
                        problem.rule == &rules::TRUNCATED
                            || astray.iter().any(|place| is_block(problem, *place))
                    }),
                    None => problems.fold(end, |problem| is_block(problem, cut)),
                }
            }
        }
        Ok(())
    }
}

/// How many tiles each of some blocks has, where that are as many in all of them and these are whole.
fn held_tiles(blocks: &[Block<&[u8]>], file_bytes: usize) -> Option<u64> {
    let mut budget = budget(file_bytes);
    let mut held = blocks.iter().map(|block| {
        let element_bytes = match block.element {
            Element::Byte => 1,
            Element::Word => 4,
        };
        let max = budget.left().min(element_bytes * MAX_TILES);
        let held = held_bytes(block.bytes, max)?;
        budget.take(held).ok()?;
        let is_whole = held.is_multiple_of(element_bytes);
        is_whole.then_some(held / element_bytes)
    });
    let first = held.next()??;
    held.all(|it| it == Some(first)).then_some(first)
}

/// What is left out of a map with so many layers where the file ends after so many blocks, or in the last
/// of these.
fn lost(blocks: usize, is_cut: bool, layers: usize) -> String {
    let of_map = ["the obstruction", "the zone map", "all zones and entities"];
    let mut parts = Vec::new();
    if let Some(cut) = blocks.checked_sub(1).filter(|_| is_cut) {
        parts.push(
            match cut
                .checked_sub(layers)
                .and_then(|of_map_at| of_map.get(of_map_at))
            {
                Some(of_map) => format!("the end of {of_map}"),
                None => format!("the end of layer {cut}"),
            },
        );
    }
    match layers.saturating_sub(blocks) {
        0 => {}
        1 => parts.push(format!("layer {blocks}")),
        _ => parts.push(format!("layers {blocks} to {}", layers - 1)),
    }
    let of_map = of_map.into_iter().skip(blocks.saturating_sub(layers));
    parts.extend(of_map.map(str::to_owned));
    parts.join(", ")
}

fn parallax(cursor: &mut Cursor<'_>) -> Result<Parallax, ReadError> {
    let mut number = || cursor.field("parallax").i32();
    let [mul_x, div_x, mul_y, div_y] = [number()?, number()?, number()?, number()?];
    Ok(Parallax {
        mul: [mul_x, mul_y],
        div: [div_x, div_y],
    })
}

/// A parallax that can be computed with.
fn mended(parallax: Parallax, layer: usize, at: usize, problems: &mut Problems) -> Parallax {
    let Some(mended) = parallax.mended() else {
        return parallax;
    };
    let Parallax { mul, div } = parallax;
    for (i, axis) in ["x", "y"].into_iter().enumerate() {
        let (Some(mul), Some(0)) = (mul.get(i), div.get(i)) else {
            continue;
        };
        let at = Place::Offset((at + 8 * i + 4) as u64);
        let subject = Subject::Layer(layer as u32);
        problems.add_about(&rules::PARALLAX, subject, at, || {
            format!(
                "layer {layer}: the parallax along {axis} is {mul}/0; expected a divisor that is \
                 not 0; it is taken for 0/1, fixed to the screen"
            )
        });
    }
    mended
}

/// Bytes of a zone and of an entity whose texts are empty.
pub(super) const ZONE_BYTES: usize = Field::min_bytes(Zone::FIELDS);
pub(super) const ENTITY_BYTES: usize = Field::min_bytes(Entity::FIELDS);

/// How many times the bytes of all zones and entities are read at most to find out how many there are.
const MAX_PROBES: usize = 4;

/// Whether zones and entities, as many as are said, are all that follows up to the end of the file, or
/// to another map that was put behind this one.
fn is_whole(cursor: &Cursor<'_>) -> bool {
    let is_whole = || {
        let problems = &mut Problems::of_trial(0);
        let mut cursor = cursor.clone();
        for _ in 0..cursor.u32().ok()? {
            read_zone(&mut cursor, problems).ok()?;
        }
        for _ in 0..cursor.u32().ok()? {
            read_entity(&mut cursor, problems).ok()?;
        }
        let rest = cursor.rest();
        Some(rest.is_empty() || rest.starts_with(MAGIC))
    };
    is_whole().unwrap_or_default()
}

/// Whether the list of zones can begin so.
fn can_begin_zones(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes, File);
    let mut begins = |record_bytes: usize, end: fn(&Cursor<'_>, usize) -> Option<usize>| {
        let count = cursor.u32().ok()?;
        let is_possible = u64::from(count) * record_bytes as u64 <= cursor.left() as u64;
        let begins = count == 0 || end(&cursor, cursor.pos()).is_some();
        (is_possible && begins).then_some(count)
    };
    match begins(ZONE_BYTES, Zone::likely_end) {
        Some(0) => begins(ENTITY_BYTES, Entity::likely_end)
            .is_some_and(|entities| entities > 0 || bytes.len() == 2 * COUNT_BYTES),
        zones => zones.is_some(),
    }
}

/// Whether the list of zones begins a byte before or behind the cursor: with all zones and entities as many
/// as are said, the file ends behind them.
fn slip_of_tail(cursor: &Cursor<'_>) -> Option<Slip> {
    Slip::ALL.into_iter().find(|slip| {
        let mut other = cursor.clone();
        other.seek(slip.moved(cursor.pos()));
        is_whole(&other)
    })
}

/// How many zones and entities there are, where that is not what the file says and the other number makes
/// the last entity end where the file does.
fn true_counts(cursor: &Cursor<'_>) -> [Option<u32>; 2] {
    let scratch = &mut Problems::new();
    let mut left = MAX_PROBES * cursor.left();
    let mut cursor = cursor.clone();
    let Ok(said) = cursor.u32() else {
        return [None; 2];
    };
    let mut other = [None; 2];
    for zones in 0.. {
        let entities = entities_to_end(&cursor, &mut left);
        if zones == said {
            match entities {
                Some((said, are)) if said == are => return [None; 2],
                // With more than there are, the file may be cut off.
                Some((said, are)) if said < are || !can_follow(&cursor, said) => {
                    return [None, Some(are)];
                }
                _ => {}
            }
        } else if other == [None; 2]
            && let Some((said, are)) = entities
            && said == are
        {
            other = [Some(zones), None];
        }
        if left == 0 || read_zone(&mut cursor, scratch).is_err() {
            // What is said may be far behind what is there.
            return other;
        }
    }
    other
}

/// How many entities are said to be at the cursor, and how many there are up to the end of the file, if
/// the last one ends there and so many bytes may be read.
fn entities_to_end(cursor: &Cursor<'_>, left: &mut usize) -> Option<(u32, u32)> {
    let problems = &mut Problems::of_trial(0);
    let mut cursor = cursor.clone();
    let said = cursor.u32().ok()?;
    let mut are = 0;
    while cursor.left() > 0 {
        let before = cursor.left();
        let entity = read_entity(&mut cursor, problems);
        *left = left.saturating_sub(before - cursor.left());
        entity.ok().filter(|_| *left > 0)?;
        are += 1;
    }
    // What is no entity can seem to be one of odd values.
    (said == are || !problems.has_failed()).then_some((said, are))
}

/// Whether a file of this length can have so many records, though it may be cut off in one of them.
fn can_follow(cursor: &Cursor<'_>, count: u32) -> bool {
    i32::try_from(count).is_ok() && count as usize <= cursor.pos() + cursor.left()
}

/// Reads zones and entities, and what may follow.
fn read_tail(cursor: &mut Cursor<'_>, map: &mut Map, problems: &mut Problems) {
    let (mut counts, mut damage) = ([None; 2], None);
    if is_whole(cursor) {
        // As it should be.
    } else if let Some(slip) = slip_of_tail(cursor) {
        let tail = cursor.pos();
        cursor.seek(slip.moved(tail));
        // The block before it, if the byte is lost in that.
        let cause = broken_zone_block(map, problems);
        add_slip(slip, tail, "the list of zones", cause, problems);
    } else {
        counts = true_counts(cursor);
        if counts == [None; 2] {
            damage = Damage::find(cursor);
        }
    }
    let [zones, entities] = counts;
    let moment = problems.moment();
    let result = read_zones(cursor, map, (zones, damage.as_ref()), problems).and_then(|()| {
        check_zone_numbers(map, problems);
        read_entities(cursor, map, (entities, damage.as_ref()), problems)
    });
    if let Err(error) = result {
        let subject = error.problem().map(|problem| problem.subject);
        problems.add_error(error);
        // A text of another length than it says leads to values that are none, and a byte that the block
        // before lacks to texts that are none.
        if let Some(end) = problems.last() {
            problems.fold_some_since(moment, end, |problem| Some(problem.subject) == subject);
            if let Some(block) = broken_zone_block(map, problems) {
                problems.fold_one(block, end);
            }
        }
        return;
    }
    let (left, rest) = (cursor.left(), cursor.rest());
    if left > 0 {
        cursor.enter("file", None);
        cursor.warn(problems, &rules::TRAILING_DATA, cursor.pos(), || {
            let left = counted(left, "byte");
            let begins = if rest.starts_with(MAGIC) {
                ", another map"
            } else {
                ""
            };
            format!("{left} after the last entity{begins}; expected the end of the file")
        });
    }
}

/// What is wrong with the block of the zone map, but for numbers of zones that do not exist: nothing follows
/// from these.
fn broken_zone_block(map: &Map, problems: &Problems) -> Option<Cause> {
    let place = Place::Offset(map.zone_block.start);
    problems.find_since(0, |problem| {
        problem.place == place && problem.rule != &rules::ZONE_NUMBER
    })
}

/// Reads how many records follow, of at least so many bytes each; where it is known that there are
/// others, how many these are. With what is wrong where there cannot be so many: then those that are there
/// are read, and how many are lost is not known.
fn read_count(
    cursor: &mut Cursor<'_>,
    what: &'static str,
    record_bytes: usize,
    are: Option<u32>,
    problems: &mut Problems,
) -> Result<(u32, Option<ReadError>), ReadError> {
    let at = cursor.pos();
    let count = cursor.u32()?;
    cursor.enter("file", None);
    if let Some(are) = are {
        problems.add(&rules::RECORD_COUNT, Place::Offset(at as u64), || {
            let count = count.cast_signed();
            Message::read_so(format!("{count} {what}; expected {are}, as many as follow"))
        });
        return Ok((are, None));
    }
    if i32::try_from(count).is_err() {
        let found = format_args!("{} {what}", count.cast_signed());
        let fault = cursor.fault(&rules::TRUNCATED, at, found, "0 or more");
        return Ok((count, Some(fault)));
    }
    let left = cursor.left();
    let fault = (!can_follow(cursor, count)).then(|| {
        let found = format_args!("{count} {what}, but {}", bytes_left(left));
        let most = format_args!("at most {}", left / record_bytes);
        cursor.fault(&rules::TRUNCATED, at, found, most)
    });
    Ok((count, fault))
}

impl Lost {
    /// Reads the first record that is damaged where it is the only one, and goes to the next one that is
    /// whole; none where it is not known which byte is wrong. `index` is that of the record at the cursor.
    fn read<T: Record>(
        &self,
        index: u32,
        cursor: &mut Cursor<'_>,
        problems: &mut Problems,
    ) -> Option<T> {
        let (start, next) = (cursor.pos(), self.next);
        // What was read before it may reach into what is whole behind it.
        if index > self.records.start || next < start {
            return None;
        }
        let others = self.records.len() as u32 - 1;
        if others > 0 {
            let last = self.records.end - 1;
            let what = format!("it and those up to number {last}");
            skip(cursor, next, &what, problems);
            return None;
        }
        let bytes = cursor.bytes(next - start).unwrap_or_default();
        let is_whole = |_: &[u8], end| end == bytes.len();
        let Some(mut mended) = Mended::<T>::find(bytes, is_whole, |_, _| true) else {
            cursor.warn(problems, &rules::RECORD, start, || {
                format!("it cannot be read; expected it to end at {next:#x}; it is left out")
            });
            return None;
        };
        let place = start as u64..next as u64;
        mended.record.set_place(place);
        cursor.warn(problems, &rules::BYTE, start + mended.at, || {
            mended.fault.message()
        });
        Some(mended.record)
    }
}

/// Lists that what is at the cursor cannot be read, and goes to what is whole behind it.
fn skip(cursor: &mut Cursor<'_>, next: usize, what: &str, problems: &mut Problems) {
    cursor.warn(problems, &rules::RECORD, cursor.pos(), || {
        format!("{what} cannot be read; they are left out, and reading goes on at {next:#x}")
    });
    cursor.seek(next);
}

fn read_zones(
    cursor: &mut Cursor<'_>,
    map: &mut Map,
    (are, damage): (Option<u32>, Option<&Damage>),
    problems: &mut Problems,
) -> Result<(), ReadError> {
    cursor.enter("zones", None);
    map.zones_not_read = Rest::Unknown;
    map.entities_not_read = Rest::Unknown;
    let (count, impossible) = if let Some(&Damage::ZoneCount(first, count)) = damage {
        add_slip_of_count(cursor, first, "the first zone", problems);
        (count, None)
    } else {
        let cursor_at_count = cursor.field("number of zones");
        let count = read_count(cursor_at_count, "zones", ZONE_BYTES, are, problems);
        count.map_err(|error| error.losing("all zones and entities"))?
    };
    for i in 0..count {
        cursor.enter("zone", i as usize);
        if impossible.is_none() {
            map.zones_not_read = Rest::Count(count - i);
        }
        match damage {
            Some(Damage::Zones(lost)) if lost.records.contains(&i) => {
                // Tiles name zones by their index.
                let zone = lost.read(i, cursor, problems);
                map.zones.push(zone.unwrap_or_default());
                continue;
            }
            Some(&Damage::ZonesAndEntities(first, next, _)) if first <= i => {
                if first == i {
                    skip(
                        cursor,
                        next,
                        "it, the zones behind it and the first entities",
                        problems,
                    );
                }
                map.zones.push(Zone::default());
                continue;
            }
            _ => {}
        }
        match read_zone(cursor, problems) {
            Ok(zone) => map.zones.push(zone),
            Err(error) => {
                return Err(match (impossible, i.checked_sub(1)) {
                    (Some(fault), None) => fault.losing("all zones and entities"),
                    (Some(fault), Some(last)) => {
                        fault.losing(format_args!("what follows zone {last}, and all entities"))
                    }
                    (None, _) => {
                        let more = counted((count - i) as usize, "zone");
                        error.losing(format_args!("{more} and all entities"))
                    }
                });
            }
        }
    }
    map.zones_not_read = Rest::Nothing;
    Ok(())
}

pub(super) fn read_zone(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Zone, ReadError> {
    let start = cursor.pos() as u64;
    Ok(Zone {
        name: cursor.field("name").string(problems)?,
        description: cursor.field("description").string(problems)?,
        activation_script: cursor.field("activation script").string(problems)?,
        entity_script: cursor.field("script for entities").string(problems)?,
        chance_percent: cursor.field("chance").i32()?,
        delay_steps: cursor.field("delay").i32()?,
        is_adjacent: cursor.field("flag of adjacent activation").flag()?,
        place: start..cursor.pos() as u64,
    })
}

/// Warns of tiles whose zone does not exist (fact sheet 7.13).
fn check_zone_numbers(map: &Map, problems: &mut Problems) {
    // Without zones, the engine makes up number 0.
    let zones = map.zones.len().max(1);
    let is_outside = |number: &u32| *number as usize >= zones;
    let mut all = map.zone_numbers.iter().enumerate();
    let Some((i, number)) = all.find(|(_, number)| is_outside(number)) else {
        return;
    };
    let width = map.size[0] as usize;
    let more = all.filter(|(_, number)| is_outside(number)).count();
    let subject = Subject::Cell {
        layer: 0,
        x: (i % width) as u32,
        y: (i / width) as u32,
    };
    let place = Place::Offset(map.zone_block.start);
    // What is broken in the block leaves numbers of no zone.
    let broken = broken_zone_block(map, problems);
    problems.add_consequence(broken, &rules::ZONE_NUMBER, subject, place, || {
        let more = if more > 0 {
            let (tiles, are) = (
                counted(more, "more tile"),
                if more == 1 { "is" } else { "are" },
            );
            format!("; {tiles} {are} in zones that do not exist")
        } else {
            String::new()
        };
        format!(
            "zone map: tile ({}, {}) is in zone {number}, {}{more}",
            i % width,
            i / width,
            outside("zone", map.zones.len() as u64)
        )
    });
}

fn read_entities(
    cursor: &mut Cursor<'_>,
    map: &mut Map,
    (are, damage): (Option<u32>, Option<&Damage>),
    problems: &mut Problems,
) -> Result<(), ReadError> {
    cursor.enter("entities", None);
    let (count, impossible) = if let Some(&Damage::EntityCount(first, count)) = damage {
        add_slip_of_count(cursor, first, "the first entity", problems);
        (count, None)
    } else if let Some(&Damage::ZonesAndEntities(_, _, count)) = damage {
        (count, None)
    } else if let Some(&Damage::FirstEntities(next, count)) = damage {
        skip(cursor, next, "their number and the first of them", problems);
        (count, None)
    } else {
        let cursor_at_count = cursor.field("number of entities");
        let count = read_count(cursor_at_count, "entities", ENTITY_BYTES, are, problems);
        count.map_err(|error| error.losing("all entities"))?
    };
    for i in 0..count {
        cursor.enter("entity", i as usize);
        if impossible.is_none() {
            map.entities_not_read = Rest::Count(count - i);
        }
        if let Some(Damage::Entities(lost)) = damage
            && lost.records.contains(&i)
        {
            let entity: Option<Entity> = lost.read(i, cursor, problems);
            map.entities.extend(entity);
            continue;
        }
        let is_at_end = cursor.left() == 0;
        match read_entity(cursor, problems) {
            Ok(entity) => map.entities.push(entity),
            Err(error) => {
                return Err(match (impossible, i.checked_sub(1)) {
                    (Some(fault), _) if is_at_end => fault,
                    (Some(fault), None) => fault.losing("all entities"),
                    (Some(fault), Some(last)) => {
                        fault.losing(format_args!("what follows entity {last}"))
                    }
                    (None, _) => error.losing(counted((count - i) as usize, "entity")),
                });
            }
        }
    }
    map.entities_not_read = Rest::Nothing;
    Ok(())
}

pub(super) fn read_entity(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Entity, ReadError> {
    let start = cursor.pos() as u64;
    let name = cursor.field("name").string(problems)?;
    let position = [cursor.field("x").i32()?, cursor.field("y").i32()?];
    let direction_at = cursor.pos();
    let direction = cursor.field("direction").i32()?;
    let in_table = usize::try_from(direction).is_ok_and(|i| i < DIRECTIONS.len());
    if !in_table {
        cursor.warn(problems, &rules::VALUE, direction_at, || {
            let last = DIRECTIONS.len() - 1;
            format!("the direction is {direction}; expected 0 to {last}")
        });
    }
    let speed = cursor.field("speed").i32()?;
    let is_obstructed_by_map = cursor.field("flag that the map obstructs it").flag()?;
    let is_obstructed_by_entities = cursor.field("flag that entities obstruct it").flag()?;
    let obstructs_entities = cursor.field("flag that it obstructs entities").flag()?;
    let sprite = cursor.field("name of the sprite").string(problems)?;
    let is_adjacent = cursor.field("flag of adjacent activation").flag()?;
    let activation_script = cursor.field("activation script").string(problems)?;
    let state_at = cursor.pos();
    let state = cursor.field("state").u32()?;
    if state as usize >= STATES.len() {
        cursor.warn(problems, &rules::VALUE, state_at, || {
            let last = STATES.len() - 1;
            format!("the state is {state}; expected 0 to {last}")
        });
    }
    Ok(Entity {
        name,
        position,
        direction,
        speed,
        is_obstructed_by_map,
        is_obstructed_by_entities,
        obstructs_entities,
        sprite,
        is_adjacent,
        activation_script,
        state,
        move_script: cursor.field("move script").string(problems)?,
        wander_steps: cursor.field("wander steps").i32()?,
        wander_delay: cursor.field("wander delay").i32()?,
        wander_rect: {
            let mut side = || cursor.field("wander rectangle").i32();
            [side()?, side()?, side()?, side()?]
        },
        wander_zone: cursor.field("wander zone").string(problems)?,
        chase_target: cursor.field("chase target").string(problems)?,
        chase_distance: cursor.field("chase distance").i32()?,
        place: start..cursor.pos() as u64,
    })
}
