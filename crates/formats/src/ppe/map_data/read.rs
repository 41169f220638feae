//! Reader of map data (fact sheet 2, 5, 6 and 8).

use std::ops::ControlFlow;

use super::{CELL_BYTES, Corner, GRAPHICS_BYTES, HEADER_BYTES, MAX_CELLS, MapData};
use crate::budget::Budget;
use crate::inflate::{End, Inflater};
use crate::ppe::cell::{Compression, MapFlags};
use crate::ppe::unpack::{
    Element, Stream, ZSTD_MAGIC, Zstd, copy_elements, is_zlib_header, read_elements, swap_all,
};
use crate::ppe::{rle, rules};
use crate::{Integers, Place, Problems, ReadError, UnreadReason, counted};

/// Decoding budget for the attributes of the smallest compressed file, in bytes: a quarter of the
/// decoded cells of the largest map. Cells themselves are allowed for any file length (fact sheet
/// 8.13).
const ATTRIBUTE_BYTES: u64 = MAX_CELLS * CELL_BYTES / 4;

/// Minimum number of bytes read after the map to find the checksum of a stream.
const MIN_BYTES_AFTER_MAP: u64 = 16 << 20;

/// Size of the checksum at the end of a stream, in bytes, for both kinds of stream.
const CHECKSUM_BYTES: usize = 4;

/// Reads a map.
///
/// Recoverable faults are in [`MapData::problems`]. Data missing at the end of a file is missing at
/// the end of the lists. Memory use is bounded by the length of `bytes` or, for compressed files,
/// by their decoded size: at most [`MAX_CELLS`], and attributes of 64 MiB plus sixteen times that
/// length.
///
/// # Errors
/// Returns an error if the header is truncated or its size is invalid.
pub fn read(bytes: &[u8]) -> Result<MapData, ReadError> {
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
) -> Result<MapData, ReadError> {
    let header = Header::read(bytes)?;
    let mut problems = Problems::new();
    warn_of_flags(header.flags, &mut problems);
    let mut reader = Reader {
        header,
        packed: bytes.get(HEADER_END..).unwrap_or_default(),
        problems,
        budget: Budget::new(ATTRIBUTE_BYTES, bytes.len()),
        watch,
        is_cancelled: false,
    };
    reader.report_progress(0);
    let flags = header.flags;
    let sections = match flags.compression() {
        Compression::None => reader.plain(),
        Compression::Rle => reader.rle(),
        Compression::Zlib => reader.stream(&mut Inflater::zlib(reader.packed), "zlib stream"),
        Compression::Zstd => reader.stream(&mut Zstd::new(reader.packed), "Zstandard data"),
        Compression::Lzw | Compression::Several => Sections::none(flags, UnreadReason::Compression),
    };
    if reader.is_cancelled {
        return Err(ReadError::Cancelled);
    }
    Ok(MapData {
        flags,
        size: header.size,
        cells: sections.cells,
        graphics: sections.graphics,
        logic: sections.logic,
        not_read: sections.not_read,
        problems: reader.problems.finish(),
    })
}

/// Maximum number of decoded bytes of cells and attributes; `None` without a valid header.
pub fn decoded_bytes(bytes: &[u8]) -> Option<u64> {
    let Header { flags, size } = Header::read(bytes).ok()?;
    let graphics = if flags.has_graphics() {
        GRAPHICS_BYTES
    } else {
        0
    };
    let of_cell = CELL_BYTES + graphics + u64::from(flags.logic_bits() / 8);
    let all = size.map(u64::from).iter().product::<u64>() * of_cell;
    Some(match flags.compression() {
        Compression::None => all.min(bytes.len() as u64),
        _ => all,
    })
}

/// Returns `true` if a file may be map data: the header is valid, and either the length matches it
/// or the compressed data begins correctly.
pub(in crate::ppe) fn sniff(bytes: &[u8]) -> bool {
    Header::read(bytes).is_ok_and(|header| header.fits(bytes))
}

/// End of the header.
const HEADER_END: usize = HEADER_BYTES as usize;

/// The first bytes of a file.
#[derive(Debug, Clone, Copy)]
struct Header {
    flags: MapFlags,
    size: [u32; 2],
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let Some(header) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else {
            let found = match bytes.len() {
                0 => "the file is empty".to_owned(),
                len => format!("the file ends after {}", counted(len, "byte")),
            };
            let place = Place::Offset(bytes.len() as u64);
            let expected = "a header of 12 bytes: flags, width and height";
            return Err(ReadError::unreadable(
                &rules::HEADER,
                place,
                found,
                expected,
            ));
        };
        let [flags, width, height]: [[u8; 4]; 3] = bytemuck::cast(*header);
        let number = |what, offset, bytes| {
            let number = i32::from_le_bytes(bytes);
            u32::try_from(number)
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(|| {
                    let found = format!("a {what} of {number} cells");
                    ReadError::unreadable(&rules::SIZE, Place::Offset(offset), found, "at least 1")
                })
        };
        let size = [number("width", 4, width)?, number("height", 8, height)?];
        let cells = u64::from(size[0]) * u64::from(size[1]);
        if cells > MAX_CELLS {
            let found = format!("{} x {} cells", size[0], size[1]);
            let expected = format!("at most {MAX_CELLS} cells in all");
            return Err(ReadError::unreadable(
                &rules::SIZE,
                Place::Offset(4),
                found,
                expected,
            ));
        }
        let flags = MapFlags(u32::from_le_bytes(flags));
        Ok(Self { flags, size })
    }

    /// Returns `true` if the rest of the file matches the header: it has the required length or
    /// begins with the right kind of compressed data.
    fn fits(&self, bytes: &[u8]) -> bool {
        let packed = bytes.get(HEADER_END..).unwrap_or_default();
        match self.flags.compression() {
            Compression::None => packed.len() as u64 == self.plain_bytes(),
            Compression::Rle => rle::fits(packed, self.cell_count(), CELL_BYTES as usize),
            Compression::Zlib => packed.first_chunk().copied().is_some_and(is_zlib_header),
            Compression::Zstd => packed.starts_with(&ZSTD_MAGIC),
            Compression::Lzw | Compression::Several => false,
        }
    }

    fn cell_count(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    /// Number of bytes after the header, once unpacked.
    fn plain_bytes(&self) -> u64 {
        self.cell_count() as u64 * Section::bytes_of_cell(self.flags)
    }

    /// A hint for messages: the map size that exactly matches the bytes after the header.
    fn size_hint(&self, packed: &[u8]) -> String {
        let of_cell = Section::bytes_of_cell(self.flags) as usize;
        let (cells, rest) = (packed.len() / of_cell, packed.len() % of_cell);
        let [width, height] = self.size.map(|edge| edge as usize);
        if self.flags.compression() != Compression::None || cells == 0 || rest > 0 {
            String::new()
        } else if cells.is_multiple_of(width) {
            format!("; the file fits {width} x {} cells", cells / width)
        } else if cells.is_multiple_of(height) {
            format!("; the file fits {} x {height} cells", cells / height)
        } else {
            String::new()
        }
    }
}

fn warn_of_flags(flags: MapFlags, problems: &mut Problems) {
    let place = Place::Offset(0);
    let names = |bits: u32, name: &dyn Fn(u32) -> String| {
        let set = (0..32).filter(|bit| bits >> bit & 1 != 0);
        set.map(name).collect::<Vec<_>>().join(", ")
    };
    let undefined = flags.0 & MapFlags::UNDEFINED;
    if undefined != 0 {
        problems.add(&rules::FLAGS, place, || {
            let bits = names(undefined, &|bit| bit.to_string());
            let bits = match undefined.count_ones() {
                1 => format!("bit {bits}"),
                _ => format!("bits {bits}"),
            };
            format!("flags {:#x}: unknown {bits}", flags.0)
        });
        // Unknown flags can cause any other fault.
        problems.cause = problems.last();
    }
    match flags.compression() {
        Compression::Lzw => problems.add(&rules::COMPRESSION, place, || {
            format!(
                "flags {:#x}: undefined compression LZW; expected none, RLE, zlib or Zstandard \
                 (only the header is read)",
                flags.0
            )
        }),
        Compression::Several => problems.add(&rules::COMPRESSION, place, || {
            let bits = flags.0 & MapFlags::COMPRESSIONS;
            let bits = names(bits, &|bit| {
                MapFlags(1 << bit).compression().name().to_owned()
            });
            format!(
                "flags {:#x}: several compressions ({bits}); expected at most one (only the \
                 header is read)",
                flags.0
            )
        }),
        _ => {}
    }
}

/// The sections after the header.
#[derive(Default)]
struct Sections {
    cells: Vec<u32>,
    graphics: Option<Vec<[Corner; 4]>>,
    logic: Option<Integers>,
    /// Reason for missing data, if any is missing.
    not_read: Option<UnreadReason>,
}

impl Sections {
    /// Sections without readable data, with the reason.
    fn none(flags: MapFlags, why: UnreadReason) -> Self {
        Self {
            cells: Vec::new(),
            graphics: flags.has_graphics().then(Vec::new),
            logic: read_logic(flags, &mut NoSource),
            not_read: Some(why),
        }
    }
}

/// A section of the file, read in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Cells,
    Graphics,
    Logic,
}

impl Section {
    /// Number of bytes per cell in the section.
    fn cell_bytes(self, flags: MapFlags) -> u64 {
        match self {
            Self::Cells => CELL_BYTES,
            Self::Graphics if flags.has_graphics() => GRAPHICS_BYTES,
            Self::Graphics => 0,
            Self::Logic => u64::from(flags.logic_bits() / 8),
        }
    }

    /// Number of bytes per cell in all sections together.
    fn bytes_of_cell(flags: MapFlags) -> u64 {
        let sections = [Self::Cells, Self::Graphics, Self::Logic];
        sections
            .map(|section| section.cell_bytes(flags))
            .iter()
            .sum()
    }

    /// Name of its elements in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Graphics => "graphics attributes",
            Self::Logic => "logic attributes",
        }
    }
}

/// A source of section elements.
trait ElementSource {
    /// Reads the available elements, at most one per cell.
    fn elements<T: Element + PartialEq>(&mut self, section: Section) -> Vec<T>;
}

struct NoSource;

impl ElementSource for NoSource {
    fn elements<T: Element + PartialEq>(&mut self, _: Section) -> Vec<T> {
        Vec::new()
    }
}

fn read_sections(flags: MapFlags, source: &mut impl ElementSource) -> Sections {
    Sections {
        cells: source.elements(Section::Cells),
        graphics: read_graphics(flags, source),
        logic: read_logic(flags, source),
        not_read: None,
    }
}

fn read_graphics(flags: MapFlags, source: &mut impl ElementSource) -> Option<Vec<[Corner; 4]>> {
    let has_graphics = flags.has_graphics();
    has_graphics.then(|| source.elements(Section::Graphics))
}

fn read_logic(flags: MapFlags, source: &mut impl ElementSource) -> Option<Integers> {
    match flags.logic_bits() {
        0 => None,
        8 => Some(Integers::U8(source.elements(Section::Logic))),
        16 => Some(Integers::U16(source.elements(Section::Logic))),
        32 => Some(Integers::U32(source.elements(Section::Logic))),
        _ => Some(Integers::U64(source.elements(Section::Logic))),
    }
}

struct Reader<'a, 'w> {
    header: Header,
    /// All bytes after the header.
    packed: &'a [u8],
    problems: Problems,
    budget: Budget,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    is_cancelled: bool,
}

impl<'a> Reader<'a, '_> {
    /// The position of a byte after the header.
    fn place(offset: usize) -> Place {
        Place::Offset(HEADER_BYTES + offset as u64)
    }

    /// Reports the number of bytes read to the callback. Returns `true` to continue.
    fn report_progress(&mut self, read: usize) -> bool {
        let done = read as f32 / self.packed.len().max(1) as f32;
        self.is_cancelled |= (self.watch)(done).is_break();
        !self.is_cancelled
    }

    fn plain(&mut self) -> Sections {
        let mut source = self.plain_source(0);
        let sections = read_sections(self.header.flags, &mut source);
        let not_read = self.check_end(&source);
        Sections {
            not_read,
            ..sections
        }
    }

    fn plain_source(&self, pos: usize) -> Plain<'a> {
        Plain {
            bytes: self.packed,
            pos,
            cells: self.header.cell_count(),
            cut: None,
        }
    }

    /// Reports data missing from or trailing the uncompressed sections. Returns the reason for
    /// missing data.
    fn check_end(&mut self, source: &Plain<'_>) -> Option<UnreadReason> {
        let Some((section, found)) = source.cut else {
            self.report_trailing_data(source.pos);
            return None;
        };
        self.report_truncated(section, found, self.packed.len(), "the file ends");
        Some(UnreadReason::FileEnds)
    }

    fn report_truncated(&mut self, section: Section, found: usize, at: usize, why: &str) {
        let count = self.header.cell_count();
        let fitting = self.header.size_hint(self.packed);
        self.problems.add(&rules::TRUNCATED, Self::place(at), || {
            let name = section.name();
            let those = match section {
                Section::Cells => "",
                Section::Graphics | Section::Logic => "those of ",
            };
            if found == count {
                return format!(
                    "{why} in the last packet of the {name}; {those}all {count} cells are read"
                );
            }
            format!("{why} in the {name}: {those}{found} of {count} cells are read{fitting}")
        });
    }

    /// Warns of data after uncompressed sections (fact sheet 8.14).
    fn report_trailing_data(&mut self, end: usize) {
        let rest = self.packed.len().saturating_sub(end);
        if rest > 0 {
            let [width, height] = self.header.size;
            let fitting = self.header.size_hint(self.packed);
            self.problems.add(&rules::LENGTH, Self::place(end), || {
                format!(
                    "{} after the {width} x {height} cells of the last section; ignored{fitting}",
                    counted(rest, "byte")
                )
            });
        }
    }

    fn warn_of_leftover(&mut self, end: usize, what: &str) {
        let rest = self.packed.len().saturating_sub(end);
        if rest > 0 {
            self.problems
                .add(&rules::TRAILING_DATA, Self::place(end), || {
                    format!("{} after {what}; ignored", counted(rest, "byte"))
                });
        }
    }

    /// Number of elements of a section that may be read: one per cell, within the budget.
    fn take(&mut self, section: Section) -> usize {
        let count = self.header.cell_count();
        if section == Section::Cells {
            return count;
        }
        let size = section.cell_bytes(self.header.flags);
        let wanted = count as u64 * size;
        let left = self.budget.left();
        match self.budget.take(wanted) {
            Ok(()) => count,
            Err(all) => {
                let room = left / size.max(1);
                let _ = self.budget.take(room * size);
                self.problems.add(&rules::TOO_LARGE, Self::place(0), || {
                    format!(
                        "the {} decode to {wanted} bytes; expected at most {all} for a file of \
                         this length (those of {room} cells are read)",
                        section.name()
                    )
                });
                room as usize
            }
        }
    }

    fn rle(&mut self) -> Sections {
        let count = self.header.cell_count();
        let unpacked = rle::unpack::<u32>(self.packed, count);
        let (mut cells, end) = (unpacked.elements, unpacked.end);
        swap_all(&mut cells);
        self.report_progress(end);
        let flags = self.header.flags;
        let not_read = match unpacked.fault {
            Some(rle::Fault::Cut) => {
                self.report_truncated(
                    Section::Cells,
                    cells.len(),
                    self.packed.len(),
                    "the file ends",
                );
                Some(UnreadReason::FileEnds)
            }
            Some(rle::Fault::Overlong(extra)) => {
                self.problems
                    .add(&rules::LONG_PACKET, Self::place(end), || {
                        format!(
                            "a packet continues for {extra} cells past the last one; expected \
                         {count} cells in all"
                        )
                    });
                Some(UnreadReason::Damaged)
            }
            None => (cells.len() < count).then_some(UnreadReason::FileEnds),
        };
        if let Some(why) = not_read {
            return Sections {
                cells,
                ..Sections::none(flags, why)
            };
        }
        if !flags.has_graphics() && flags.logic_bits() == 0 {
            self.warn_of_leftover(end, "the last packet");
            return Sections {
                cells,
                ..Sections::default()
            };
        }
        Sections {
            cells,
            ..self.rle_attributes(end)
        }
    }

    /// Reads the attributes after run-length encoded cells. They are treated as packed if the
    /// packets end exactly with the file, otherwise as uncompressed (fact sheet 8.9).
    fn rle_attributes(&mut self, start: usize) -> Sections {
        let flags = self.header.flags;
        let count = self.header.cell_count();
        let graphics_max = self.take(Section::Graphics);
        let logic_max = self.take(Section::Logic);
        let mut packed = Packets {
            bytes: self.packed,
            pos: start,
            graphics_max,
            logic_max,
            fault: None,
            cut: None,
        };
        let graphics = read_graphics(flags, &mut packed);
        let logic = read_logic(flags, &mut packed);
        let there = self.packed.len().saturating_sub(start) as u64;
        let plain_bytes = self.header.plain_bytes() - count as u64 * CELL_BYTES;
        let is_guess_right = match packed.fault {
            None => packed.pos == self.packed.len(),
            // A file that ends too early counts as packed, unless its length equals that of the
            // uncompressed attributes.
            Some(rle::Fault::Cut) => there != plain_bytes,
            Some(rle::Fault::Overlong(_)) => false,
        };
        let cut = packed.cut.filter(|_| is_guess_right);
        self.problems
            .add(&rules::RLE_ATTRIBUTES, Self::place(start), || {
                let how = if is_guess_right {
                    "packets of their own"
                } else {
                    "bytes without packets"
                };
                format!(
                    "undefined layout of attributes after run-length encoded cells; read as {how} \
                 (a guess)"
                )
            });
        if let Some((section, found)) = cut {
            self.report_truncated(section, found, self.packed.len(), "the file ends");
        }
        if is_guess_right {
            let has_room = graphics_max.min(logic_max) == count;
            let not_read = match cut {
                Some(_) => Some(UnreadReason::FileEnds),
                None => (!has_room).then_some(UnreadReason::TooLarge),
            };
            return Sections {
                graphics,
                logic,
                not_read,
                ..Sections::default()
            };
        }
        drop((graphics, logic));
        let mut plain = self.plain_source(start);
        let graphics = read_graphics(flags, &mut plain);
        let logic = read_logic(flags, &mut plain);
        Sections {
            graphics,
            logic,
            not_read: self.check_end(&plain),
            ..Sections::default()
        }
    }

    /// Reads a single stream of all sections (fact sheet 8.8).
    fn stream(&mut self, stream: &mut dyn Stream, name: &str) -> Sections {
        let flags = self.header.flags;
        let mut source = Unpacking {
            reader: self,
            stream,
            cut: None,
        };
        let mut sections = read_sections(flags, &mut source);
        let cut = source.cut;
        if self.is_cancelled {
            return sections;
        }
        // Data beyond the budget is not checked.
        if cut == Some(Cut::NoRoom) {
            sections.not_read = Some(UnreadReason::TooLarge);
            return sections;
        }
        let mut end = stream.end();
        let map_end = stream.consumed();
        let goes_on = end == End::More;
        if goes_on {
            end = self.read_to_stream_end(stream);
            if self.is_cancelled {
                return sections;
            }
        }
        let mut at = stream.consumed();
        if end == End::WrongChecksum {
            at = at.saturating_sub(CHECKSUM_BYTES);
        }
        if let Some(Cut::At(section, found)) = cut {
            sections.not_read = Some(match end {
                End::Broken | End::WrongChecksum => UnreadReason::Damaged,
                End::Unfinished => UnreadReason::FileEnds,
                End::Complete | End::More => UnreadReason::DataEnds,
            });
            let why = match end {
                End::Broken => {
                    format!("the {name} is damaged from here on,")
                }
                End::WrongChecksum => {
                    format!("the {name} is damaged: its checksum does not match, and it ends")
                }
                End::Unfinished => format!("the {name} is truncated"),
                End::Complete | End::More => format!("the {name} ends"),
            };
            self.report_truncated(section, found, at, &why);
        }
        let bytes = self.header.plain_bytes();
        match end {
            End::Complete if !goes_on => self.warn_of_leftover(at, &format!("the {name}")),
            // The early end is a consequence of the damage.
            End::WrongChecksum if cut.is_some() => {}
            End::WrongChecksum => self.problems.add(&rules::DAMAGED, Self::place(at), || {
                let more = if goes_on {
                    format!("; it continues after the {bytes} bytes of the map")
                } else {
                    String::new()
                };
                format!("the checksum of the {name} does not match the data{more}")
            }),
            End::Unfinished if cut.is_none() && !goes_on => {
                self.problems.add(&rules::UNFINISHED, Self::place(at), || {
                    format!("the {name} is not terminated, but the map is complete")
                });
            }
            End::Broken if cut.is_none() => {
                self.problems.add(&rules::DAMAGED, Self::place(at), || {
                    format!("the {name} is damaged after the bytes of the map")
                });
            }
            _ if goes_on => self.problems.add(&rules::LENGTH, Self::place(map_end), || {
                let [width, height] = self.header.size;
                format!(
                    "the {name} continues after the {bytes} bytes of {width} x {height} cells; \
                     the rest is ignored"
                )
            }),
            End::Complete | End::More | End::Unfinished | End::Broken => {}
        }
        sections
    }

    /// Reads past the map to the checksum of the stream, because damaged data can decode to more
    /// bytes than expected. Returns the state of the stream, which may be longer than the limit of
    /// this check.
    fn read_to_stream_end(&mut self, stream: &mut dyn Stream) -> End {
        let mut buffer = vec![0; 1 << 16];
        let mut left = self.header.plain_bytes().max(MIN_BYTES_AFTER_MAP);
        while left > 0 && self.report_progress(stream.consumed()) {
            let filled = stream.fill(&mut buffer);
            if filled < buffer.len() {
                break;
            }
            left = left.saturating_sub(filled as u64);
        }
        stream.end()
    }
}

/// Uncompressed sections.
struct Plain<'a> {
    bytes: &'a [u8],
    pos: usize,
    cells: usize,
    /// The first truncated section and the number of its elements that are present.
    cut: Option<(Section, usize)>,
}

impl ElementSource for Plain<'_> {
    fn elements<T: Element + PartialEq>(&mut self, section: Section) -> Vec<T> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let elements = copy_elements(rest, self.cells);
        self.pos = self.pos.saturating_add(self.cells * size_of::<T>());
        if elements.len() < self.cells && self.cut.is_none() {
            self.cut = Some((section, elements.len()));
        }
        elements
    }
}

/// Attributes packed section by section.
struct Packets<'a> {
    bytes: &'a [u8],
    pos: usize,
    graphics_max: usize,
    logic_max: usize,
    /// The fault of the first unusable packet.
    fault: Option<rle::Fault>,
    /// The section of that packet and the number of its elements that are present.
    cut: Option<(Section, usize)>,
}

impl Packets<'_> {
    fn unpack<T: Element>(&mut self, count: usize) -> Vec<T> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let mut unpacked = rle::unpack(rest, count);
        swap_all(&mut unpacked.elements);
        self.pos += unpacked.end;
        self.fault = unpacked.fault;
        unpacked.elements
    }
}

impl ElementSource for Packets<'_> {
    fn elements<T: Element + PartialEq>(&mut self, section: Section) -> Vec<T> {
        if self.fault.is_some() {
            return Vec::new();
        }
        let elements: Vec<T> = match section {
            // A packet repeats a single corner, not the four of a cell (fact sheet 8.9).
            Section::Graphics => {
                let corners = self.unpack::<Corner>(4 * self.graphics_max);
                let whole = corners.len() / 4 * 4;
                bytemuck::pod_collect_to_vec(&corners[..whole])
            }
            Section::Cells | Section::Logic => self.unpack(self.logic_max),
        };
        self.cut = self.fault.map(|_| (section, elements.len()));
        elements
    }
}

/// The reason why a stream was not read to the end of all sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It ends in a section after this number of its elements.
    At(Section, usize),
    /// The decoding budget is exhausted.
    NoRoom,
}

/// Consecutive sections in a stream.
struct Unpacking<'s, 'a, 'w> {
    reader: &'s mut Reader<'a, 'w>,
    stream: &'s mut dyn Stream,
    cut: Option<Cut>,
}

impl ElementSource for Unpacking<'_, '_, '_> {
    fn elements<T: Element + PartialEq>(&mut self, section: Section) -> Vec<T> {
        if self.cut.is_some() {
            return Vec::new();
        }
        let max = self.reader.take(section);
        let elements = read_elements(self.stream, max, &mut |read| {
            self.reader.report_progress(read)
        });
        if elements.len() < max {
            self.cut = Some(Cut::At(section, elements.len()));
        } else if max < self.reader.header.cell_count() {
            self.cut = Some(Cut::NoRoom);
        }
        elements
    }
}
