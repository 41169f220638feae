//! The layout of a map: locates the blocks and the parallax of its layers and recovers after
//! damaged blocks.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use super::super::block::{Block, Element, Inflated, budget, inflate_all, is_whole, is_zlib};
use super::super::bytes::{Cursor, File, bytes_left};
use super::super::{Parallax, rules};
use super::read::reads_to_end;
use super::resync::{ENTITY_BYTES, Record, ZONE_BYTES};
use super::{Entity, Layer, Map, Zone};
use crate::{Cause, Message, Place, Problems, ReadError, Subject, UnreadReason, counted};

/// Maximum number of layers shown. Render strings can name ten.
const MAX_LAYERS: usize = 1024;
/// Largest layer count tried if the declared one does not lead to a layout.
const MAX_TRIED_LAYERS: usize = 64;
/// Maximum number of consecutive damaged blocks, in addition to twice the number of whole ones.
const MAX_DAMAGED_BLOCKS: usize = 4;
/// Number of bytes to search for blocks after damaged ones.
const MAX_SEARCH_BYTES: usize = 64 << 20;
/// Size of a record count and of a block length, in bytes.
pub(super) const COUNT_BYTES: usize = 4;
/// Size of the parallax of a layer, in bytes.
const INFO_BYTES: usize = 16;

/// The location of a block.
#[derive(Debug, Clone)]
struct BlockPlace {
    /// The compressed bytes that are present.
    range: Range<usize>,
    /// `true` if the compressed bytes are complete.
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

    /// Returns `true` if the block begins with a zlib header, or if it is truncated before the
    /// header ends.
    fn is_plausible(&self, bytes: &[u8]) -> bool {
        let is_cut = !self.is_whole && self.range.len() < 2;
        is_cut || bytes.get(self.range.clone()).is_some_and(is_zlib)
    }

    /// Reason for missing elements. If the file ends inside the block, that is the reason.
    fn not_read(&self, inflated: &Inflated) -> Option<UnreadReason> {
        match inflated.not_read {
            Some(UnreadReason::DataEnds) if !self.is_whole => Some(UnreadReason::FileEnds),
            why => why,
        }
    }
}

/// Range of the compressed bytes of the block whose length is at `at`, if a block is possible
/// there.
fn block_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let length = bytes.get(at..)?.first_chunk().copied()?;
    let start = at + COUNT_BYTES;
    let end = start.checked_add(u32::from_le_bytes(length) as usize)?;
    bytes.get(start..end).filter(|it| is_zlib(it))?;
    Some(start..end)
}

/// Counts the blocks in the chain from each offset to the zones, for offsets that have such a
/// chain.
fn chains_to_zones(bytes: &[u8], range: Range<usize>) -> HashMap<usize, usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for at in range.rev() {
        let Some(block) = block_at(bytes, at) else {
            continue;
        };
        let following = counts.get(&block.end).copied();
        if let Some(following) = following.or_else(|| leads_to_zones(bytes, block.end).then_some(0))
        {
            counts.insert(at, following + 1);
        }
    }
    counts
}

/// Returns `true` if a plausible list of zones begins at `at`.
fn leads_to_zones(bytes: &[u8], at: usize) -> bool {
    let mut cursor = Cursor::new(bytes, File);
    cursor.seek(at);
    let all = cursor.clone();
    let mut begins = |record_bytes: usize, is_plausible: fn(&Cursor<'_>, usize) -> bool| {
        let count = cursor.u32().ok()?;
        let is_possible = u64::from(count) * record_bytes as u64 <= cursor.left() as u64;
        (is_possible && (count == 0 || is_plausible(&cursor, cursor.pos()))).then_some(count)
    };
    let zones = begins(ZONE_BYTES, |cursor, at| {
        Zone::parse_plausible(cursor, at).is_some()
    });
    match zones {
        Some(0) => begins(ENTITY_BYTES, |cursor, at| {
            Entity::parse_plausible(cursor, at).is_some()
        })
        .is_some_and(|entities| entities > 0 || all.left() == 2 * COUNT_BYTES),
        zones => zones.is_some(),
    }
}

/// Consecutive damaged blocks.
#[derive(Debug, Clone)]
struct BlockDamage {
    /// Indices of the blocks; empty if there are only stray bytes between two blocks.
    blocks: Range<usize>,
    /// From where the damaged blocks should begin to the next whole block or the list of zones.
    range: Range<usize>,
}

impl BlockDamage {
    /// Reports the damage. Problems of its blocks are consequences of it.
    fn add(&self, blocks: &mut [Block<&[u8]>], problems: &mut Problems) {
        let Some(damaged) = blocks.get_mut(self.blocks.clone()) else {
            return;
        };
        let Range { start, end } = self.range;
        let subject = damaged.first().map_or(Subject::File, |block| block.subject);
        let place = Place::Offset(start as u64);
        if let [block] = damaged
            && is_whole(block.bytes, block.needed_bytes())
        {
            problems.add_about(&rules::BLOCK_LENGTH, subject, place, || {
                let length = counted(block.bytes.len(), "byte");
                Message::read_as_expected(format!(
                    "{}: the declared length does not match the stream; expected {length}",
                    block.name
                ))
            });
            return;
        }
        problems.add_about(&rules::LOST_BLOCKS, subject, place, || {
            let names: Vec<&str> = damaged.iter().map(|block| &*block.name).collect();
            let next = format!("reading continues at {end:#x}");
            match *names {
                [] => {
                    let bytes = counted(end.abs_diff(start), "byte");
                    let fault = if end < start { "missing" } else { "too many" };
                    format!("{bytes} {fault} before the next block; {next}")
                }
                [name] => format!("{name}: damaged block; {next}"),
                [first, .., last] => {
                    format!("{first} to {last}: damaged blocks; {next}")
                }
            }
        });
        for block in damaged {
            block.cause = problems.last();
        }
    }
}

/// The order of the layers' parallax and tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The parallax of all layers, then the tiles of all layers: the order of the engine.
    InfosFirst,
    /// The parallax and the tiles of each layer in turn: the order of the document.
    Interleaved,
}

/// Locations of the parts of a map.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The parallax of each layer, with its offset.
    infos: Vec<(usize, Parallax)>,
    /// The tiles of all layers, the obstruction and the zone map, as far as they are present.
    blocks: Vec<BlockPlace>,
    /// Offset of the list of zones, if all blocks are present.
    pub tail: Option<usize>,
    /// Reason for missing blocks.
    end: Option<ReadError>,
    /// The damage after which reading continues.
    damage: Option<BlockDamage>,
}

impl Layout {
    /// Walks the blocks without inflating them.
    fn walk(bytes: &[u8], pos: usize, layers: usize, order: Order) -> Self {
        let mut layout = Self::default();
        let mut cursor = Cursor::new(bytes, File);
        cursor.seek(pos);
        match layout.walk_parts(&mut cursor, layers, order) {
            Ok(()) => layout.tail = Some(cursor.pos()),
            Err(error) => layout.end = Some(error),
        }
        layout
    }

    fn walk_parts(
        &mut self,
        cursor: &mut Cursor<'_>,
        layers: usize,
        order: Order,
    ) -> Result<(), ReadError> {
        for i in 0..layers {
            cursor.enter("layer", i);
            self.infos.push((cursor.pos(), parallax(cursor)?));
            if order == Order::Interleaved {
                self.block(cursor)?;
            }
        }
        if order == Order::InfosFirst {
            for i in 0..layers {
                cursor.enter("layer", i);
                self.block(cursor)?;
            }
        }
        for name in ["obstruction", "zone map"] {
            cursor.enter(name, None);
            self.block(cursor)?;
        }
        Ok(())
    }

    /// Skips a block, which may be truncated.
    fn block(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let at = cursor.pos();
        let declared = cursor.field("length of the block").u32()? as usize;
        let (start, left) = (cursor.pos(), cursor.left());
        cursor.seek(start.saturating_add(declared));
        let is_whole = declared <= left;
        let range = start..cursor.pos();
        self.blocks.push(BlockPlace { range, is_whole });
        if is_whole {
            return Ok(());
        }
        let declared = counted(declared, "byte");
        let found = format_args!("the block is {declared} long, but {}", bytes_left(left));
        let expected = "a block inside the file";
        Err(cursor.fault(&rules::TRUNCATED, at, found, expected))
    }

    /// Number of blocks that begin with a zlib header.
    fn plausible_blocks(&self, bytes: &[u8]) -> usize {
        let blocks = self.blocks.iter();
        blocks.filter(|block| block.is_plausible(bytes)).count()
    }

    /// Returns `true` if all blocks begin with a zlib header.
    fn is_plausible(&self, bytes: &[u8]) -> bool {
        let likely = self.plausible_blocks(bytes);
        likely > 0 && likely == self.blocks.len()
    }

    /// Returns `true` if the blocks lead to the list of zones, or if the last of them ends with its
    /// stream.
    fn leads_to_zones(&self, bytes: &[u8], tiles: u64) -> bool {
        let Some((tail, zone_map)) = self.tail.zip(self.blocks.last()) else {
            return false;
        };
        let mut cursor = Cursor::new(bytes, File);
        cursor.seek(tail);
        let zone_map = bytes.get(zone_map.range.clone()).unwrap_or_default();
        leads_to_zones(bytes, tail)
            || self.is_plausible(bytes) && (reads_to_end(&cursor) || is_whole(zone_map, 4 * tiles))
    }

    /// Finds the layout and the number of layers of a file. Tries other layouts only if the
    /// declared one does not lead to the zones (fact sheet 7.1).
    pub(super) fn find(
        bytes: &[u8],
        pos: usize,
        layers: usize,
        tiles: u64,
        problems: &mut Problems,
    ) -> (Self, usize) {
        let ours = Self::walk(bytes, pos, layers, Order::InfosFirst);
        if ours.leads_to_zones(bytes, tiles) {
            return (ours, layers);
        }
        if layers > 1 {
            let theirs = Self::walk(bytes, pos, layers, Order::Interleaved);
            if theirs.is_plausible(bytes)
                && theirs.plausible_blocks(bytes) > ours.plausible_blocks(bytes)
            {
                problems.add(&rules::LAYER_ORDER, Place::Offset(pos as u64), || {
                    "the tiles of each layer follow its parallax, as documented; the engine \
                     expects the parallax of all layers first"
                        .to_owned()
                });
                return (theirs, layers);
            }
        }
        let is = |count: &usize| {
            let layout = Self::walk(bytes, pos, *count, Order::InfosFirst);
            layout.is_plausible(bytes) && layout.leads_to_zones(bytes, tiles)
        };
        let add_count = |is: usize, problems: &mut Problems| {
            let place = Place::Offset((pos - COUNT_BYTES) as u64);
            problems.add(&rules::LAYER_COUNT, place, || {
                let layers = (layers as u32).cast_signed();
                Message::read_as_expected(format!("{layers} layers declared, {is} found"))
            });
        };
        if let Some(is) = (1..=MAX_TRIED_LAYERS).find(is) {
            add_count(is, problems);
            return (Self::walk(bytes, pos, is, Order::InfosFirst), is);
        }
        if let Some((found, is)) = Self::recover(bytes, pos, layers, tiles) {
            if is != layers {
                add_count(is, problems);
            }
            return (found, is);
        }
        (ours.truncated_at_damage(bytes), layers)
    }

    /// Recovers a layout with damaged blocks or parallax that are followed by whole blocks up to
    /// the zones. Returns the number of layers too; it differs from the declared one only if that
    /// is impossible.
    fn recover(bytes: &[u8], pos: usize, layers: usize, tiles: u64) -> Option<(Self, usize)> {
        let from = pos..bytes.len().min(pos.saturating_add(MAX_SEARCH_BYTES));
        let chains = chains_to_zones(bytes, from.clone());
        let mut layout = Self::default();
        let mut cursor = Cursor::new(bytes, File);
        cursor.seek(pos);
        let max = layers.saturating_add(2);
        // Before the first chain, blocks are whole as long as each leads to the next.
        let (next, following) = from
            .clone()
            .find_map(|at| Some((at, *chains.get(&at)?)).filter(|(_, count)| *count <= max))
            .or_else(|| {
                let mut cursor = cursor.clone();
                let at = from.clone().find(|at| {
                    cursor.seek(*at);
                    // Zero bytes alone, without zones and entities, prove too little.
                    cursor.left() > 2 * COUNT_BYTES
                        && leads_to_zones(bytes, *at)
                        && reads_to_end(&cursor)
                })?;
                Some((at, 0))
            })?;
        for i in 0..layers {
            cursor.enter("layer", i);
            let at = cursor.pos();
            let info = parallax(&mut cursor).ok().filter(|_| cursor.pos() <= next);
            let Some(info) = info else {
                break;
            };
            layout.infos.push((at, info));
        }
        let mut at = pos + INFO_BYTES.saturating_mul(layers);
        while layout.blocks.len() + following < max
            && let Some(range) = block_at(bytes, at).filter(|range| range.end <= next)
        {
            let element_bytes = if layout.blocks.len() == layers { 1 } else { 4 };
            let leads_on = range.end == next || block_at(bytes, range.end).is_some();
            let block = bytes.get(range.clone()).unwrap_or_default();
            if !leads_on && !is_whole(block, tiles * element_bytes) {
                break;
            }
            at = range.end;
            layout.blocks.push(BlockPlace::whole(range));
        }
        let whole = layout.blocks.len();
        let mut lost = max - following - whole;
        let mut is = layers;
        if lost > MAX_DAMAGED_BLOCKS + 2 * (whole + following) {
            (lost, is) = (0, (whole + following).checked_sub(2)?);
        }
        layout.damage = Some(BlockDamage {
            blocks: whole..whole + lost,
            range: at..next,
        });
        // Only the first damaged block may have some of its bytes.
        let mut start = (at + COUNT_BYTES).min(next);
        for _ in 0..lost {
            layout.blocks.push(BlockPlace::whole(start..next));
            start = next;
        }
        let mut at = next;
        for _ in 0..following {
            let range = block_at(bytes, at)?;
            at = range.end;
            layout.blocks.push(BlockPlace::whole(range));
        }
        layout.tail = Some(at);
        Some((layout, is))
    }

    /// Truncates the layout after the last plausible block. Used if no whole block follows the
    /// damage.
    fn truncated_at_damage(mut self, bytes: &[u8]) -> Self {
        let likely = self
            .blocks
            .iter()
            .rposition(|block| block.is_plausible(bytes));
        let whole = likely.map_or(0, |last| last + 1);
        if self.tail.is_none()
            && let Some(astray) = self.blocks.get(whole)
        {
            let mut cursor = Cursor::new(bytes, File);
            cursor.enter("blocks", None);
            let at = astray.range.start.saturating_sub(COUNT_BYTES);
            let (found, expected) = ("no block found here", "its length and a zlib stream");
            self.end = Some(cursor.fault(&rules::LOST_BLOCKS, at, found, expected));
            self.blocks.truncate(whole);
        }
        self
    }

    /// Inflates the blocks into layers.
    pub(super) fn inflate(
        mut self,
        layers: usize,
        bytes: &[u8],
        size_at: usize,
        map: &mut Map,
        problems: &mut Problems,
        watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let cut = self.blocks.last().filter(|last| !last.is_whole);
        let lost = lost(self.blocks.len(), cut.is_some(), layers);
        let mut cause = None;
        if let Some(end) = self.end.take() {
            problems.add_error(end.with_loss(lost));
            cause = problems.last();
        }
        let mut of_map = self
            .blocks
            .split_off(layers.min(self.blocks.len()))
            .into_iter();
        let of_map = [of_map.next(), of_map.next()];
        self.blocks.truncate(MAX_LAYERS);
        let mut blocks = self.blocks_of(&of_map, bytes, map.tile_count());
        // The last block is truncated or implausible.
        if let Some(last) = blocks.last_mut() {
            last.cause = cause;
        }
        if let Some(damage) = &self.damage {
            damage.add(&mut blocks, problems);
            // Damage before the first block affects the parallax.
            cause = problems.last().filter(|_| damage.blocks.start == 0);
        }
        let budget = &mut budget(bytes.len());
        let inflated = if blocks.iter().all(|block| block.cause.is_none()) {
            let mut found = Problems::new();
            let inflated = inflate_all(&blocks, budget, &mut found, watch)?;
            let cause = add_size(map.size, &inflated, size_at, problems);
            problems.append(found, cause.or(problems.cause), |_| true);
            inflated
        } else {
            inflate_all(&blocks, budget, problems, watch)?
        };
        problems.cause = problems.cause.or(cause);
        self.fill(layers, inflated, of_map, map, problems);
        Ok(())
    }

    /// The blocks of all layers, the obstruction and the zone map, as far as they are present.
    fn blocks_of<'a>(
        &self,
        of_map: &[Option<BlockPlace>; 2],
        bytes: &'a [u8],
        count: u64,
    ) -> Vec<Block<&'a [u8]>> {
        let block = |place: &BlockPlace, name: String, subject, element| Block {
            bytes: bytes.get(place.range.clone()).unwrap_or_default(),
            place: Place::Offset(place.range.start as u64),
            name,
            subject,
            element,
            count,
            cause: None,
        };
        let tiles = self.blocks.iter().enumerate().map(|(i, place)| {
            let subject = Subject::Layer(i as u32);
            block(place, format!("layer {i}"), subject, Element::Word)
        });
        let kinds = [("obstruction", Element::Byte), ("zone map", Element::Word)];
        let of_map = of_map
            .iter()
            .zip(kinds)
            .filter_map(|(place, (name, element))| {
                Some(block(
                    place.as_ref()?,
                    name.to_owned(),
                    Subject::File,
                    element,
                ))
            });
        tiles.chain(of_map).collect()
    }

    /// Moves the inflated blocks into a map.
    fn fill(
        self,
        layers: usize,
        inflated: Vec<Inflated>,
        [obstruction, zones]: [Option<BlockPlace>; 2],
        map: &mut Map,
        problems: &mut Problems,
    ) {
        if layers > MAX_LAYERS {
            let at = self.infos.get(MAX_LAYERS).map_or(0, |(at, _)| *at);
            problems.add(&rules::TOO_MANY_LAYERS, Place::Offset(at as u64), || {
                format!("{layers} layers; only the first {MAX_LAYERS} are shown")
            });
        }
        let there = self.infos.len().max(self.blocks.len()).min(layers);
        map.layers_not_read = u32::try_from(layers - there).unwrap_or(u32::MAX);
        let mut inflated = inflated.into_iter();
        let (mut infos, mut places) = (self.infos.into_iter(), self.blocks.into_iter());
        for i in 0..there.min(MAX_LAYERS) {
            let mut layer = Layer {
                not_read: Some(UnreadReason::FileEnds),
                ..Layer::default()
            };
            if let Some((at, parallax)) = infos.next() {
                check_divisors(parallax, i, at, problems);
                layer.parallax = parallax;
            }
            if let Some((place, tiles)) = places.next().and_then(|it| Some((it, inflated.next()?)))
            {
                layer.not_read = place.not_read(&tiles);
                layer.tiles = tiles.elements.into_words();
                layer.block = place.offsets();
            }
            map.layers.push(layer);
        }
        map.obstruction_not_read = Some(UnreadReason::FileEnds);
        if let (Some(place), Some(obstruction)) = (obstruction, inflated.next()) {
            map.obstruction_not_read = place.not_read(&obstruction);
            map.obstruction = obstruction.elements.into_bytes();
            map.obstruction_block = place.offsets();
        }
        map.zone_numbers_not_read = Some(UnreadReason::FileEnds);
        if let (Some(place), Some(zones)) = (zones, inflated.next()) {
            map.zone_numbers_not_read = place.not_read(&zones);
            map.zone_numbers = zones.elements.into_words();
            map.zone_block = place.offsets();
        }
    }
}

/// Reports that all blocks have the same number of tiles, fewer than the declared size. The
/// declared size is kept.
fn add_size(
    [width, height]: [u32; 2],
    inflated: &[Inflated],
    at: usize,
    problems: &mut Problems,
) -> Option<Cause> {
    let mut counts = inflated.iter().map(|block| block.elements.len() as u64);
    let tiles = counts
        .next()
        .filter(|tiles| *tiles > 0 && counts.all(|it| it == *tiles))?;
    let is_short = inflated
        .iter()
        .all(|block| block.not_read == Some(UnreadReason::DataEnds));
    if !is_short {
        return None;
    }
    let [of_width, of_height] = [width, height].map(|edge| tiles / u64::from(edge));
    let (offset, fits) = if of_width * u64::from(width) == tiles {
        (4, format!(", which fits {width} x {of_width}"))
    } else if of_height * u64::from(height) == tiles {
        (0, format!(", which fits {of_height} x {height}"))
    } else {
        (0, String::new())
    };
    problems.add(&rules::SIZE, Place::Offset((at + offset) as u64), || {
        format!("header: a map of {width} x {height} tiles, but all blocks hold {tiles}{fits}")
    });
    problems.last()
}

/// Names the parts missing from a truncated file. `blocks` is the number of blocks before its end;
/// the last one is truncated if `is_cut`.
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

/// Warns of divisors of 0, which fix the layer to the screen (fact sheet 7.6).
fn check_divisors(parallax: Parallax, layer: usize, at: usize, problems: &mut Problems) {
    let Parallax { mul, div } = parallax;
    let axes = [("x", mul[0], div[0]), ("y", mul[1], div[1])];
    let zero: Vec<String> = axes
        .iter()
        .filter(|(.., div)| *div == 0)
        .map(|(axis, mul, _)| format!("along {axis} is {mul}/0"))
        .collect();
    if zero.is_empty() {
        return;
    }
    let at = Place::Offset((at + if div[0] == 0 { 4 } else { 12 }) as u64);
    problems.add_about(&rules::PARALLAX, Subject::Layer(layer as u32), at, || {
        format!(
            "layer {layer}: the parallax {}; expected a divisor other than 0, read as 0/1 \
             (fixed to the screen)",
            zero.join(" and ")
        )
    });
}
