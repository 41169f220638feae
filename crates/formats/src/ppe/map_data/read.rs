//! Reading map data (fact sheet 2, 5, 6 and 8).

use std::ops::ControlFlow;

use super::{CELL_BYTES, Corner, GRAPHICS_BYTES, HEADER_BYTES, Logic, MOST_CELLS, MapData};
use crate::budget::Budget;
use crate::inflate::End;
use crate::ppe::cell::{Compression, MapFlags};
use crate::ppe::rle;
use crate::ppe::rules;
use crate::ppe::unpack::{
    Element, Stream, ZSTD_MAGIC, Zlib, Zstd, copy_elements, is_zlib_header, read_elements, swap_all,
};
use crate::{Place, Problems, ReadError};

/// What the attributes in the smallest compressed file may decode to, in bytes: a quarter of what the
/// cells of the largest map do, which are let in whatever the file's length (fact sheet 8.13).
const ATTRIBUTE_BYTES: u64 = MOST_CELLS * CELL_BYTES / 4;

/// Reads a map.
///
/// Whatever does not keep the rest from being shown is in [`MapData::problems`]. What is missing at
/// the end of a file is missing at the end of the lists. The memory in use is bounded by the length
/// of `bytes` or, for compressed files, by what they decode to: at most [`MOST_CELLS`], and attributes
/// of 64 MiB and sixteen times that length.
///
/// # Errors
/// When the header is cut off, or its size makes no sense.
pub fn read(bytes: &[u8]) -> Result<MapData, ReadError> {
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
) -> Result<MapData, ReadError> {
    let header = Header::read(bytes)?;
    let mut problems = Problems::new();
    warn_of_flags(header.flags, &mut problems);
    let mut reader = Reader {
        header,
        packed: bytes.get(HEADER_BYTES as usize..).unwrap_or_default(),
        problems,
        budget: Budget::new(ATTRIBUTE_BYTES, bytes.len()),
        watch,
        is_cancelled: false,
    };
    reader.go_on(0);
    let flags = header.flags;
    let sections = match flags.compression() {
        Compression::None => reader.plain(),
        Compression::Rle => reader.rle(),
        Compression::Zlib => reader.stream(&mut Zlib::new(reader.packed), "zlib stream"),
        Compression::Zstd => reader.stream(&mut Zstd::new(reader.packed), "Zstandard data"),
        Compression::Lzw | Compression::Several => Sections::none(flags),
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
        problems: reader.problems.finish(),
    })
}

/// Says whether a file can be map data: the header makes sense, and the length is the one that it
/// asks for, or something of the right kind begins behind it.
pub(in crate::ppe) fn sniff(bytes: &[u8]) -> bool {
    let Ok(header) = Header::read(bytes) else {
        return false;
    };
    let packed = bytes.get(HEADER_BYTES as usize..).unwrap_or_default();
    match header.flags.compression() {
        Compression::None => packed.len() as u64 == header.plain_bytes(),
        Compression::Rle => rle::fits(packed, header.cell_count(), CELL_BYTES as usize),
        Compression::Zlib => packed.first_chunk().copied().is_some_and(is_zlib_header),
        Compression::Zstd => packed.starts_with(&ZSTD_MAGIC),
        Compression::Lzw | Compression::Several => false,
    }
}

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
                len => format!("the file ends after {len} bytes"),
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
        if cells > MOST_CELLS {
            let found = format!("{} x {} cells", size[0], size[1]);
            let expected = format!("at most {MOST_CELLS} cells in all");
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

    fn cell_count(&self) -> usize {
        self.size[0] as usize * self.size[1] as usize
    }

    /// What follows the header, in bytes, once it is unpacked.
    fn plain_bytes(&self) -> u64 {
        let graphics = self.flags.has_graphics().then_some(GRAPHICS_BYTES);
        let logic = u64::from(self.flags.logic_bits() / 8);
        self.cell_count() as u64 * (CELL_BYTES + graphics.unwrap_or(0) + logic)
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
            format!("flags {:#x}: bits {bits} mean nothing", flags.0)
        });
    }
    match flags.compression() {
        Compression::Lzw => problems.add(&rules::COMPRESSION, place, || {
            format!(
                "flags {:#x}: LZW compression, which the format names but does not define; expected \
                 none, RLE, zlib or Zstandard. Only the header can be read",
                flags.0
            )
        }),
        Compression::Several => problems.add(&rules::COMPRESSION, place, || {
            let bits = flags.0 & MapFlags::COMPRESSIONS;
            let bits = names(bits, &|bit| {
                MapFlags(1 << bit).compression().name().to_owned()
            });
            format!(
                "flags {:#x}: several compressions at once ({bits}); expected at most one. Only \
                 the header can be read",
                flags.0
            )
        }),
        _ => {}
    }
}

/// What follows the header.
#[derive(Default)]
struct Sections {
    cells: Vec<u32>,
    graphics: Option<Vec<[Corner; 4]>>,
    logic: Option<Logic>,
}

impl Sections {
    /// Of which nothing can be read.
    fn none(flags: MapFlags) -> Self {
        Self {
            cells: Vec::new(),
            graphics: flags.has_graphics().then(Vec::new),
            logic: read_logic(flags, &mut NoSource),
        }
    }
}

/// A part of the file that is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Cells,
    Graphics,
    Logic,
}

impl Section {
    /// What messages call its elements.
    fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Graphics => "graphics attributes",
            Self::Logic => "logic attributes",
        }
    }
}

/// Where the elements of sections come from.
trait ElementSource {
    /// As many as there are, at most one for each cell.
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
    }
}

fn read_graphics(flags: MapFlags, source: &mut impl ElementSource) -> Option<Vec<[Corner; 4]>> {
    let has_graphics = flags.has_graphics();
    has_graphics.then(|| source.elements(Section::Graphics))
}

fn read_logic(flags: MapFlags, source: &mut impl ElementSource) -> Option<Logic> {
    match flags.logic_bits() {
        0 => None,
        8 => Some(Logic::Bits8(source.elements(Section::Logic))),
        16 => Some(Logic::Bits16(source.elements(Section::Logic))),
        32 => Some(Logic::Bits32(source.elements(Section::Logic))),
        _ => Some(Logic::Bits64(source.elements(Section::Logic))),
    }
}

struct Reader<'a, 'w> {
    header: Header,
    /// All after the header.
    packed: &'a [u8],
    problems: Problems,
    budget: Budget,
    watch: &'w mut dyn FnMut(f32) -> ControlFlow<()>,
    is_cancelled: bool,
}

/// The place of a byte after the header.
fn place(offset: usize) -> Place {
    Place::Offset(HEADER_BYTES + offset as u64)
}

impl Reader<'_, '_> {
    /// Tells the watcher how many bytes are read, and asks it whether to read on.
    fn go_on(&mut self, read: usize) -> bool {
        let done = read as f32 / self.packed.len().max(1) as f32;
        self.is_cancelled |= (self.watch)(done).is_break();
        !self.is_cancelled
    }

    fn plain(&mut self) -> Sections {
        let mut source = Plain {
            bytes: self.packed,
            pos: 0,
            cells: self.header.cell_count(),
            cut: None,
        };
        let sections = read_sections(self.header.flags, &mut source);
        let Plain { pos, cut, .. } = source;
        if let Some((section, found)) = cut {
            self.add_cut(section, found, self.packed.len(), "the file ends");
        } else {
            self.warn_of_leftover(pos, "the last section");
        }
        sections
    }

    fn add_cut(&mut self, section: Section, found: usize, at: usize, why: &str) {
        let count = self.header.cell_count();
        self.problems.add(&rules::TRUNCATED, place(at), || {
            let name = section.name();
            format!("{why} in the {name}: those of {found} cells are there; expected {count}")
        });
    }

    fn warn_of_leftover(&mut self, end: usize, what: &str) {
        let rest = self.packed.len().saturating_sub(end);
        if rest > 0 {
            self.problems.add(&rules::TRAILING_DATA, place(end), || {
                format!("{rest} bytes after {what}; they are ignored")
            });
        }
    }

    /// How many elements of a section may be read: one for each cell, if there is room.
    fn take<T>(&mut self, section: Section) -> usize {
        let count = self.header.cell_count();
        if section == Section::Cells {
            return count;
        }
        let size = size_of::<T>() as u64;
        let wanted = count as u64 * size;
        let left = self.budget.left();
        match self.budget.take(wanted) {
            Ok(()) => count,
            Err(all) => {
                let room = left / size;
                let _ = self.budget.take(room * size);
                self.problems.add(&rules::TOO_LARGE, place(0), || {
                    format!(
                        "the {} decode to {wanted} bytes; expected at most {all} in all from a \
                         file of this length. Those of {room} cells are read",
                        section.name()
                    )
                });
                room as usize
            }
        }
    }

    fn rle(&mut self) -> Sections {
        let count = self.take::<u32>(Section::Cells);
        let unpacked = rle::unpack::<u32>(self.packed, count);
        let (mut cells, end) = (unpacked.elements, unpacked.end);
        swap_all(&mut cells);
        self.go_on(end);
        let flags = self.header.flags;
        let is_whole = unpacked.fault.is_none() && cells.len() == self.header.cell_count();
        match unpacked.fault {
            Some(rle::Fault::Cut) => {
                self.add_cut(Section::Cells, cells.len(), self.packed.len(), "the file ends");
            }
            Some(rle::Fault::Crosses(extra)) => self.problems.add(&rules::LONG_PACKET, place(end), || {
                format!(
                    "a packet goes on for {extra} cells past the last one; expected {count} cells \
                     in all"
                )
            }),
            None => {}
        }
        if !is_whole {
            return Sections {
                cells,
                ..Sections::none(flags)
            };
        }
        if !flags.has_graphics() && flags.logic_bits() == 0 {
            self.warn_of_leftover(end, "the last packet");
            return Sections {
                cells,
                ..Sections::default()
            };
        }
        let (graphics, logic) = self.rle_attributes(end);
        Sections {
            cells,
            graphics,
            logic,
        }
    }

    /// Reads the attributes behind packed cells: packed too if that ends where the file does, else
    /// as they are (fact sheet 8.9).
    fn rle_attributes(&mut self, start: usize) -> (Option<Vec<[Corner; 4]>>, Option<Logic>) {
        let flags = self.header.flags;
        let cells = self.header.cell_count();
        let graphics_most = if flags.has_graphics() {
            self.take::<[Corner; 4]>(Section::Graphics)
        } else {
            0
        };
        let logic_most = match flags.logic_bits() {
            0 => 0,
            8 => self.take::<u8>(Section::Logic),
            16 => self.take::<u16>(Section::Logic),
            32 => self.take::<u32>(Section::Logic),
            _ => self.take::<u64>(Section::Logic),
        };
        let mut packed = Packets {
            bytes: self.packed,
            pos: start,
            graphics_most,
            logic_most,
            is_whole: true,
        };
        let graphics = read_graphics(flags, &mut packed);
        let logic = read_logic(flags, &mut packed);
        let is_guess_right = packed.is_whole && packed.pos == self.packed.len();
        self.problems.add(&rules::RLE_ATTRIBUTES, place(start), || {
            let how = if is_guess_right {
                "packets of their own"
            } else {
                "bytes without packets"
            };
            format!(
                "the format does not say how attributes follow run-length encoded cells; they are \
                 read as {how}, which is a guess"
            )
        });
        if is_guess_right {
            return (graphics, logic);
        }
        drop((graphics, logic));
        let mut plain = Plain {
            bytes: self.packed,
            pos: start,
            cells,
            cut: None,
        };
        let attributes = (
            read_graphics(flags, &mut plain),
            read_logic(flags, &mut plain),
        );
        let Plain { pos, cut, .. } = plain;
        if let Some((section, found)) = cut {
            self.add_cut(section, found, self.packed.len(), "the file ends");
        } else {
            self.warn_of_leftover(pos, "the last section");
        }
        attributes
    }

    /// Reads one stream of all sections (fact sheet 8.8).
    fn stream(&mut self, stream: &mut dyn Stream, name: &str) -> Sections {
        let flags = self.header.flags;
        let mut source = Unpacking {
            reader: self,
            stream,
            cut: None,
        };
        let sections = read_sections(flags, &mut source);
        let cut = source.cut;
        if self.is_cancelled {
            return sections;
        }
        // What there is no room for is not looked at.
        if cut == Some(Cut::NoRoom) {
            return sections;
        }
        let end = stream.end();
        let at = stream.consumed();
        if let Some(Cut::At(section, found)) = cut {
            let why = match end {
                End::Broken => format!("the {name} is broken here, which is"),
                End::Unfinished => format!("the {name} is cut off"),
                End::Complete | End::WrongChecksum | End::More => format!("the {name} ends"),
            };
            self.add_cut(section, found, at, &why);
        }
        match end {
            End::Complete => self.warn_of_leftover(at, &format!("the {name}")),
            End::WrongChecksum => self.problems.add(&rules::DAMAGED, place(at), || {
                format!("the checksum of the {name} is that of other bytes: some are damaged")
            }),
            End::Unfinished if cut.is_none() => {
                self.problems.add(&rules::UNFINISHED, place(at), || {
                    format!("the {name} has no end; all that is needed is there")
                });
            }
            End::Broken if cut.is_none() => self.problems.add(&rules::DAMAGED, place(at), || {
                format!("the {name} is broken behind all that is needed")
            }),
            End::More => self.problems.add(&rules::TRAILING_DATA, place(at), || {
                let bytes = self.header.plain_bytes();
                format!("the {name} goes on behind the {bytes} bytes of the map; that is ignored")
            }),
            End::Unfinished | End::Broken => {}
        }
        sections
    }
}

/// Sections that are as they are in the file.
struct Plain<'a> {
    bytes: &'a [u8],
    pos: usize,
    cells: usize,
    /// The section that is cut off first, and how many of its elements there are.
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

/// Attributes that are packed section by section.
struct Packets<'a> {
    bytes: &'a [u8],
    pos: usize,
    graphics_most: usize,
    logic_most: usize,
    /// Whether all was there so far.
    is_whole: bool,
}

impl Packets<'_> {
    fn unpack<T: Element>(&mut self, count: usize) -> Vec<T> {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let mut unpacked = rle::unpack(rest, count);
        swap_all(&mut unpacked.elements);
        self.pos += unpacked.end;
        self.is_whole &= unpacked.fault.is_none();
        unpacked.elements
    }
}

impl ElementSource for Packets<'_> {
    fn elements<T: Element + PartialEq>(&mut self, section: Section) -> Vec<T> {
        if !self.is_whole {
            return Vec::new();
        }
        match section {
            // A packet repeats one corner, not those of a cell (fact sheet 8.9).
            Section::Graphics => {
                let corners = self.unpack::<Corner>(4 * self.graphics_most);
                let whole = corners.len() / 4 * 4;
                bytemuck::pod_collect_to_vec(&corners[..whole])
            }
            Section::Cells | Section::Logic => self.unpack(self.logic_most),
        }
    }
}

/// Why a stream was not read to the end of all sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It ends in a section, of which so many elements are there.
    At(Section, usize),
    /// It may not decode to so much.
    NoRoom,
}

/// Sections that follow each other in a stream.
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
        let most = self.reader.take::<T>(section);
        let elements = read_elements(self.stream, most, &mut |read| self.reader.go_on(read));
        if elements.len() < most {
            self.cut = Some(Cut::At(section, elements.len()));
        } else if most < self.reader.header.cell_count() {
            self.cut = Some(Cut::NoRoom);
        }
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;
    use crate::ppe::{EMPTY_CELL, map_data, synthesize};

    const SIZE: [u32; 2] = [7, 5];
    const CELLS: usize = 35;

    fn made_up(flags: u32) -> MapData {
        synthesize(SIZE, MapFlags(flags), 3)
    }

    fn written(map: &MapData) -> Vec<u8> {
        map_data::write(map).unwrap()
    }

    /// The file of a made-up map.
    fn file(flags: u32) -> Vec<u8> {
        written(&made_up(flags))
    }

    /// All combinations of flags that say something of the rest.
    fn all_flags() -> impl Iterator<Item = u32> {
        const COMPRESSIONS: [u32; 4] = [0, 0x100, 0x400, 0x800];
        (0..32).flat_map(|low| {
            COMPRESSIONS.into_iter().flat_map(move |packed| {
                (0..4).map(move |size| low | packed | size << 16 | 0x5A00_0000)
            })
        })
    }

    /// What is said of a file, each with its severity.
    fn said(map: &MapData) -> Vec<String> {
        map.problems.iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn says(bytes: &[u8], expected: &[&str]) -> MapData {
        let map = read(bytes).unwrap();
        let said = said(&map);
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.contains(expected), "{said}\nnot {expected}");
        }
        map
    }

    #[track_caller]
    fn refused(bytes: &[u8], expected: &str) {
        assert_eq!(read(bytes).unwrap_err().to_string(), expected);
    }

    fn with_header(flags: u32, size: [i32; 2], rest: &[u8]) -> Vec<u8> {
        let head = [
            flags.to_le_bytes(),
            size[0].to_le_bytes(),
            size[1].to_le_bytes(),
        ];
        [head.as_flattened(), rest].concat()
    }

    #[test]
    fn every_flag_comes_back() {
        for flags in all_flags() {
            let map = made_up(flags);
            let bytes = written(&map);
            let mut again = read(&bytes).unwrap();
            let problems = std::mem::take(&mut again.problems);
            assert_eq!(again, map, "{flags:#x}");
            let is_guess =
                flags & MapFlags::RLE != 0 && (map.graphics.is_some() || map.logic.is_some());
            assert_eq!(problems.len(), usize::from(is_guess), "{problems:?}");
            assert!(problems.iter().all(|p| p.severity == Severity::Warning));
            assert!(sniff(&bytes), "{flags:#x}");
            assert_eq!(map.cell_count(), CELLS);
        }
    }

    #[test]
    fn offsets_lead_to_the_bytes() {
        for flags in all_flags() {
            let map = made_up(flags);
            let bytes = written(&map);
            let at = |offset: u64, len: usize| &bytes[offset as usize..][..len];
            for i in 0..CELLS {
                let offsets = [
                    map.cell_offset(i),
                    map.graphics_offset(i),
                    map.logic_offset(i),
                ];
                if flags & MapFlags::COMPRESSIONS != 0 {
                    assert_eq!(offsets, [None; 3]);
                    continue;
                }
                assert_eq!(at(offsets[0].unwrap(), 4), map.raw(i).to_le_bytes());
                let graphics = map.graphics.as_ref().map(|all| all[i]);
                assert_eq!(offsets[1].is_some(), graphics.is_some());
                if let (Some(offset), Some(corners)) = (offsets[1], graphics) {
                    assert_eq!(at(offset, 32), bytemuck::bytes_of(&corners));
                    assert_eq!(map.corners(i), corners);
                }
                let logic = map.logic.as_ref();
                assert_eq!(offsets[2].is_some(), logic.is_some());
                if let (Some(offset), Some(logic)) = (offsets[2], logic) {
                    let value = logic.get(i).unwrap().to_le_bytes();
                    let len = logic.bits() as usize / 8;
                    assert_eq!(at(offset, len), &value[..len]);
                }
            }
            assert_eq!(map.cell_offset(CELLS), None);
        }
    }

    #[test]
    fn headers_without_sense_are_refused() {
        refused(
            b"",
            "0x0: the file is empty; expected a header of 12 bytes: flags, width and height",
        );
        refused(
            &[0; 11],
            "0xb: the file ends after 11 bytes; expected a header of 12 bytes: flags, width and height",
        );
        let size = |size| with_header(8, size, &[0; 400]);
        refused(
            &size([-24, 18]),
            "0x4: a width of -24 cells; expected at least 1",
        );
        refused(
            &size([24, 0]),
            "0x8: a height of 0 cells; expected at least 1",
        );
        refused(
            &size([i32::MIN, 1]),
            "0x4: a width of -2147483648 cells; expected at least 1",
        );
        let most = "expected at most 67108864 cells in all";
        refused(
            &size([65536, 65536]),
            &format!("0x4: 65536 x 65536 cells; {most}"),
        );
        refused(
            &size([0x4000_0000, 4]),
            &format!("0x4: 1073741824 x 4 cells; {most}"),
        );
        refused(
            &size([1 << 13, (1 << 13) + 1]),
            &format!("0x4: 8192 x 8193 cells; {most}"),
        );
        says(
            &size([1 << 13, 1 << 13]),
            &["those of 100 cells are there; expected 67108864"],
        );
    }

    #[test]
    fn flags_without_meaning_are_warned_of() {
        let map = says(
            &with_header(0x8000_10A0, [1, 1], &[7, 0, 1, 0]),
            &["0x0: warning: flags 0x800010a0: bits 5, 7, 12 mean nothing"],
        );
        assert_eq!(map.cells, [0x1_0007]);
        assert_eq!(map.flags.user(), 0x80);
    }

    #[test]
    fn what_cannot_be_unpacked_has_its_header_shown() {
        let map = says(
            &with_header(0x1_0219, [24, 18], &[1; 400]),
            &["0x0: error: flags 0x10219: LZW compression, which the format names but does not"],
        );
        assert_eq!((map.size, map.cells.len()), ([24, 18], 0));
        assert_eq!(map.compression(), Compression::Lzw);
        assert_eq!(map.graphics, Some(Vec::new()));
        assert_eq!(map.logic.as_ref().map(Logic::bits), Some(16));
        assert_eq!((map.cell(0).is_empty(), map.raw(0)), (true, EMPTY_CELL));
        assert_eq!(map.corners(0), [Corner::NEUTRAL; 4]);
        let several = with_header(0xD00, [24, 18], &[1; 400]);
        let map = says(
            &several,
            &["several compressions at once (rle, zlib, zstd)"],
        );
        assert_eq!(map.problems[0].severity, Severity::Error);
        assert!(!sniff(&several));
    }

    #[test]
    fn files_that_are_cut_off_keep_what_they_have() {
        let whole = made_up(0x1_0019);
        let bytes = written(&whole);
        let sections = [
            ("cells", 4),
            ("graphics attributes", 32),
            ("logic attributes", 2),
        ];
        let mut start = HEADER_BYTES as usize;
        for (name, size) in sections {
            for bytes_left in [0, 1, size, 3 * size + 1, CELLS * size - 1] {
                let cut = &bytes[..start + bytes_left];
                let found = bytes_left / size;
                let expected = format!(
                    "{:#x}: error: the file ends in the {name}: those of {found} cells are there; \
                     expected 35",
                    cut.len()
                );
                let map = says(cut, &[&expected]);
                assert!(whole.cells.starts_with(&map.cells));
                assert!(
                    whole
                        .graphics
                        .as_ref()
                        .unwrap()
                        .starts_with(map.graphics.as_ref().unwrap())
                );
                assert!(!sniff(cut));
            }
            start += CELLS * size;
        }
        assert_eq!(start, bytes.len());
        let long = [&bytes[..], b"tail"].concat();
        says(&long, &["4 bytes after the last section; they are ignored"]);
        assert!(!sniff(&long));
    }

    #[test]
    fn runs_must_end_with_the_cells() {
        let bytes = file(0x108);
        let more = [&bytes[..], &[0x80, 1, 2, 3, 4]].concat();
        let map = says(
            &more,
            &["warning: 5 bytes after the last packet; they are ignored"],
        );
        assert_eq!(map.cells, made_up(0x108).cells);
        // A packet that goes on past the last cell.
        let crossing = with_header(0x108, [3, 1], &[0x84, 1, 2, 3, 4]);
        let map = says(
            &crossing,
            &["0xc: error: a packet goes on for 2 cells past the last one"],
        );
        assert_eq!(map.cells, [0x0403_0201; 3]);
        assert!(!sniff(&crossing) && sniff(&bytes) && sniff(&more));
        let cut = &bytes[..bytes.len() - 1];
        let map = says(cut, &["error: the file ends in the cells: those of"]);
        assert!(made_up(0x108).cells.starts_with(&map.cells));
        assert!(!sniff(cut));
    }

    #[test]
    fn attributes_of_runs_are_guessed_both_ways() {
        for flags in [0x118, 0x109, 0x2_0119, 0x3_0119] {
            let mut map = made_up(flags);
            let packed = written(&map);
            map.problems =
                says(&packed, &["read as packets of their own, which is a guess"]).problems;
            // The same with attributes as they are.
            let mut plain = map.clone();
            plain.flags = MapFlags(flags & !MapFlags::RLE);
            let plain = written(&plain);
            let mut cells = map.clone();
            (cells.flags, cells.graphics, cells.logic) = (MapFlags(0x108), None, None);
            let mut mixed = written(&cells);
            mixed[..4].copy_from_slice(&flags.to_le_bytes());
            mixed.extend(&plain[HEADER_BYTES as usize + 4 * CELLS..]);
            let again = says(&mixed, &["read as bytes without packets, which is a guess"]);
            assert_eq!((&again.cells, &again.graphics), (&map.cells, &map.graphics));
            assert_eq!(again.logic, map.logic);
            assert!(sniff(&packed) && sniff(&mixed));
            // Cut off, neither fits.
            says(
                &mixed[..mixed.len() - 1],
                &["bytes without packets", "the file ends in the"],
            );
        }
    }

    #[test]
    fn streams_that_are_not_whole_are_told_apart() {
        let map = made_up(0x2_0419);
        let bytes = written(&map);
        let whole = |bytes: &[u8], expected: &str| {
            let again = says(bytes, &[expected]);
            assert_eq!((&again.cells, &again.logic), (&map.cells, &map.logic));
            assert!(sniff(bytes));
        };
        whole(
            &bytes[..bytes.len() - 4],
            "warning: the zlib stream has no end; all that is needed",
        );
        let mut wrong = bytes.clone();
        *wrong.last_mut().unwrap() ^= 1;
        whole(
            &wrong,
            "error: the checksum of the zlib stream is that of other bytes",
        );
        let long = [&bytes[..], b"tail"].concat();
        whole(
            &long,
            "warning: 4 bytes after the zlib stream; they are ignored",
        );
        // Attributes that the flags know nothing of.
        let mut more = bytes.clone();
        more[2] = 0;
        more[0] = 0x08;
        let again = says(
            &more,
            &["warning: the zlib stream goes on behind the 140 bytes of the map"],
        );
        assert_eq!(again.cells, map.cells);
        assert_eq!((again.graphics, again.logic), (None, None));
        // Attributes that are missing.
        let mut fewer = file(0x408);
        fewer[0] |= 0x10;
        says(
            &fewer,
            &["the zlib stream ends in the graphics attributes: those of 0 cells"],
        );
        let half = &bytes[..bytes.len() / 2];
        let again = says(half, &["error: the zlib stream is cut off in the"]);
        assert!(!again.cells.is_empty() && map.cells.starts_with(&again.cells));
        let mut broken = bytes.clone();
        broken[14] = 0xFF;
        let again = says(
            &broken,
            &["error: the zlib stream is broken here, which is in the cells"],
        );
        assert!(again.cells.is_empty());
        says(&bytes[..12], &["those of 0 cells are there"]);

        let bytes = file(0x808);
        says(
            &bytes[..bytes.len() - 5],
            &["error: the Zstandard data is cut off in the cells"],
        );
        let mut broken = bytes.clone();
        broken[12] = 0;
        says(
            &broken,
            &["error: the Zstandard data is broken here, which is in the cells"],
        );
        assert!(!sniff(&broken));
    }

    #[test]
    fn bombs_stop_at_the_size_of_the_map() {
        use crate::ppe::unpack::{pack_zlib, pack_zstd};
        let zeros = vec![0; 32 << 20];
        for (flag, packed) in [(0x400, pack_zlib(&zeros)), (0x800, pack_zstd(&zeros))] {
            assert!(packed.len() < 64 << 10);
            let map = says(
                &with_header(flag, [4, 4], &packed),
                &["goes on behind the 64 bytes"],
            );
            assert_eq!((map.cells.len(), map.cells.capacity()), (16, 16));
            // The header of a map that is larger than the stream.
            let map = says(
                &with_header(flag, [1 << 12, 1 << 13], &packed),
                &["ends in the cells: those of 8388608 cells are there"],
            );
            assert!(map.cells.capacity() <= 16 << 20);
        }
    }

    #[test]
    fn large_maps_of_nothing_are_read() {
        use crate::ppe::unpack::pack_zlib;
        // An empty map of 144 MB in some 140 kB.
        let packed = pack_zlib(&vec![0xFF; 4 * 6000 * 6000]);
        assert!(packed.len() < 256 << 10);
        let map = read(&with_header(0x408, [6000, 6000], &packed)).unwrap();
        assert_eq!(map.problems, []);
        assert_eq!(map.empty_cells(), 6000 * 6000);
    }

    #[test]
    fn attributes_that_are_too_much_are_left_out() {
        use crate::ppe::unpack::pack_zlib;
        // Attributes of 2^23 cells are 256 MiB, which the cells have a part of already.
        let packed = pack_zlib(&vec![0; 33 << 20]);
        let map = says(
            &with_header(0x410, [1 << 13, 1 << 10], &packed),
            &[
                "error: the graphics attributes decode to 268435456 bytes; expected at most 676",
                "the zlib stream ends in the graphics attributes: those of 32768 cells are there",
            ],
        );
        assert_eq!(map.cells.len(), 1 << 23);
        assert_eq!(map.graphics.map(|graphics| graphics.len()), Some(1 << 15));
    }

    #[test]
    fn nothing_else_is_taken_for_map_data() {
        for bytes in [
            &b"MAP\xf96\0\0\0\x01\0\0\0"[..],
            b"version 1.0\nnum_verts 3\n",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            &[0; 12],
            &[0; 16],
            b"",
        ] {
            assert!(!sniff(bytes), "{bytes:?}");
        }
        assert!(sniff(&with_header(0, [1, 1], &[0; 4])));
        assert!(!sniff(&with_header(0x400, [1, 1], b"MA")));
        assert!(!sniff(&with_header(0x400, [1, 1], &[0x78])));
    }

    #[test]
    fn reading_can_be_stopped() {
        for flags in [0x08, 0x118, 0x408, 0x808] {
            let map = synthesize([700, 700], MapFlags(flags), 1);
            let bytes = written(&map);
            let mut left = 2;
            let mut watch = |done: f32| {
                assert!((0.0..=1.0).contains(&done));
                left -= 1;
                if left == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let stopped = read_with(&bytes, &mut watch) == Err(ReadError::Cancelled);
            assert_eq!(stopped, flags != 0x08, "a copy is not worth asking for");
            assert_eq!(
                read_with(&bytes, &mut |_| ControlFlow::Break(())),
                Err(ReadError::Cancelled)
            );
        }
    }
}
