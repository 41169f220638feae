//! Reading textures: which of the three layouts it is, and the rows of pixels.

use super::downscale::Downscaler;
use super::{Layout, MAX_SIDE, Texture, has_alpha, rules, to_rgba};
use crate::lz4::{self, FaultCause, Lz4Fault};
use crate::text::hex;
use crate::{Place, Problems, ReadError, counted};

/// Bytes before the version.
const MAGIC: &[u8] = b"PTF";
const VERSION: u8 = 0;
/// Bits of the flags of [`Layout::V2`] and [`Layout::V3`] that are the pixel format.
const FORMAT_BITS: u8 = 0x03;
/// The flag for alpha in [`Layout::V1`], above the size.
const V1_ALPHA: u8 = 0x10;

/// The bytes before the pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Width and height.
    pub size: [u32; 2],
    /// `true` if the pixels have an alpha channel.
    pub has_alpha: bool,
    /// Flag bits without a meaning.
    pub unknown_flags: u8,
    /// [`Layout::V3`] for a file that may also have [`Layout::V2`].
    layout: Layout,
    /// Channels in this layout.
    channels: u8,
    /// Offset of the LZ4 frame.
    frame_at: usize,
}

impl Head {
    /// The header of a texture; `None` if the bytes are too short, or of another format or version.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let [p, t, f, version, flags, ..] = *bytes else {
            return None;
        };
        if [p, t, f] != MAGIC || version != VERSION {
            return None;
        }
        if bytes.get(5..).is_some_and(lz4::begins) {
            return Some(Self {
                size: [1 << (flags & 0x0F); 2],
                has_alpha: flags & V1_ALPHA != 0,
                unknown_flags: flags & 0xE0,
                layout: Layout::V1,
                channels: if flags & V1_ALPHA == 0 { 3 } else { 4 },
                frame_at: 5,
            });
        }
        let exponents = bytes.get(5)?;
        let channels = (flags & FORMAT_BITS) + 1;
        Some(Self {
            size: [exponents & 0x0F, exponents >> 4].map(|exponent| 1 << exponent),
            has_alpha: has_alpha(channels),
            unknown_flags: flags & !FORMAT_BITS,
            layout: Layout::V3,
            channels,
            frame_at: 6,
        })
    }

    /// Reads the header, and decodes the frame if only its length tells the layouts apart.
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut head = Self::of(bytes).ok_or_else(|| describe_other(bytes))?;
        let frame = head.frame(bytes);
        if !lz4::begins(frame) {
            return Err(if lz4::may_begin(frame) {
                let found = counted(bytes.len(), "byte");
                let expected = "a header of 6 bytes and an LZ4 frame";
                fault(&rules::TRUNCATED, bytes.len(), found, expected)
            } else {
                let found = format!(
                    "the pixels begin with {}",
                    hex(&frame[..frame.len().min(4)])
                );
                fault(&rules::LZ4, head.frame_at, found, lz4::begin())
            });
        }
        if head.layout == Layout::V3 && head.channels < 3 {
            let [v3, v2] = [head.channels, head.channels + 2].map(|channels| head.bytes(channels));
            let max = v2.min(lz4::max_decoded_bytes(frame.len() as u64));
            let (decoded, fault) = lz4::unpack_each_partial(frame, max, &mut |_| {});
            let is_v2 = match fault.map(|fault| fault.cause) {
                Some(FaultCause::CutOff) => decoded > v3,
                Some(FaultCause::Length) => false,
                _ => decoded == v2,
            };
            if is_v2 {
                head.layout = Layout::V2;
                head.channels += 2;
            }
        }
        let (declared, max) = (head.declared(), lz4::max_decoded_bytes(frame.len() as u64));
        if declared > max {
            let [width, height] = head.size;
            let channels = head.channels;
            let found = format!(
                "{width} x {height} pixels of {} are {declared} bytes",
                counted(channels.into(), "byte")
            );
            let frame = counted(frame.len(), "byte");
            let expected = format!("at most {max}, the maximum for {frame} of LZ4");
            return Err(fault(&rules::SIZE, head.frame_at - 1, found, expected));
        }
        Ok(head)
    }

    fn frame<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.frame_at..).unwrap_or_default()
    }

    /// Bytes of all pixels with this many channels.
    fn bytes(&self, channels: u8) -> u64 {
        let [width, height] = self.size.map(u64::from);
        width * height * u64::from(channels)
    }

    fn declared(&self) -> u64 {
        self.bytes(self.channels)
    }

    /// Decodes the pixels row by row. Missing ones are 0.
    fn decode(
        &self,
        bytes: &[u8],
        problems: &mut Problems,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ReadError> {
        let [width, height] = self.size.map(|side| side as usize);
        let mut rows = Rows {
            row: Vec::new(),
            row_bytes: width * usize::from(self.channels),
            left: height,
            take,
        };
        let declared = self.declared();
        let (decoded, fault) =
            lz4::unpack_each_partial(self.frame(bytes), declared, &mut |piece| rows.add(piece));
        rows.fill();
        if let Some(fault) = fault {
            self.report(fault, decoded, problems)?;
        }
        let unknown = self.unknown_flags;
        if unknown != 0 {
            problems.add(&rules::UNKNOWN_FLAGS, Place::Offset(4), || {
                let mask = match self.layout {
                    Layout::V1 => 0x1F,
                    Layout::V2 => 0x01,
                    Layout::V3 => 0x03,
                };
                format!("unknown flags {unknown:#04x}; expected only bits of {mask:#04x}")
            });
        }
        Ok(())
    }

    /// Lists the fault of a frame; an error if nothing of it was decoded.
    fn report(
        &self,
        mut fault: Lz4Fault,
        decoded: u64,
        problems: &mut Problems,
    ) -> Result<(), ReadError> {
        let declared = self.declared();
        let rule = match fault.cause {
            FaultCause::CutOff => &rules::TRUNCATED,
            FaultCause::Length if decoded < declared => &rules::SHORT_BLOCK,
            FaultCause::Length => &rules::LONG_BLOCK,
            FaultCause::Checksum => &rules::CHECKSUM,
            FaultCause::Trailing => &rules::TRAILING_DATA,
            FaultCause::Other => &rules::LZ4,
        };
        let at = Place::Offset((self.frame_at + fault.at) as u64);
        if decoded == 0 {
            return Err(ReadError::unreadable(rule, at, fault.found, fault.expected));
        }
        if decoded < declared && fault.cause != FaultCause::Length {
            fault.found = format!("{}; {decoded} bytes of pixels decoded", fault.found);
            fault.expected = format!("{declared}, as declared");
        }
        problems.add(rule, at, || {
            format!("{}; expected {}", fault.found, fault.expected)
        });
        Ok(())
    }
}

impl Texture {
    /// Reads a texture of any layout.
    ///
    /// # Errors
    /// Returns the reason if no pixel can be read, with its offset in `bytes`. A declared size that
    /// the bytes cannot hold is rejected without allocating memory.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::read_up_to(bytes, MAX_SIDE)
    }

    /// Reads a texture with sides of at most `max_side`. A larger one is downscaled while it is
    /// decoded, so that it is never in memory as a whole. Each pixel is the mean of a square in
    /// which colours are weighted by their opacity.
    ///
    /// # Errors
    /// As [`Texture::read`].
    pub fn read_up_to(bytes: &[u8], max_side: u32) -> Result<Self, ReadError> {
        let head = Head::read(bytes)?;
        let [width, height] = head.size;
        let step = (width.max(height) / max_side.max(1)).max(1);
        let mut problems = Problems::new();
        let ([width, height], pixels) = if step > 1 {
            let mut smaller = Downscaler::new(head.size, head.channels, step);
            head.decode(bytes, &mut problems, &mut |row| smaller.add(row))?;
            (smaller.size, smaller.pixels)
        } else {
            // The size was compared with that of the frame.
            let mut pixels = Vec::with_capacity(head.declared() as usize);
            head.decode(bytes, &mut problems, &mut |row| {
                pixels.extend_from_slice(row);
            })?;
            (head.size, pixels)
        };
        Ok(Self {
            layout: head.layout,
            width,
            height,
            channels: head.channels,
            pixels,
            unknown_flags: head.unknown_flags,
            problems: problems.finish(),
        })
    }

    /// Decodes a texture of any size row by row, from the top, as RGBA.
    ///
    /// # Errors
    /// As [`Texture::read`].
    pub fn read_rgba_rows(bytes: &[u8], take: &mut dyn FnMut(&[u8])) -> Result<(), ReadError> {
        let head = Head::read(bytes)?;
        let mut rgba = Vec::new();
        head.decode(bytes, &mut Problems::new(), &mut |row| {
            rgba.clear();
            to_rgba(row, head.channels, &mut rgba);
            take(&rgba);
        })
    }
}

/// Splits decoded bytes into rows.
struct Rows<'t> {
    /// The start of the next row.
    row: Vec<u8>,
    row_bytes: usize,
    /// Rows that were not passed on.
    left: usize,
    take: &'t mut dyn FnMut(&[u8]),
}

impl Rows<'_> {
    fn add(&mut self, mut bytes: &[u8]) {
        while self.left > 0 && !bytes.is_empty() {
            let wanted = self.row_bytes - self.row.len();
            let (now, later) = bytes.split_at(bytes.len().min(wanted));
            bytes = later;
            if now.len() == self.row_bytes {
                (self.take)(now);
                self.left -= 1;
                continue;
            }
            self.row.extend_from_slice(now);
            if now.len() == wanted {
                self.end_row();
            }
        }
    }

    /// Fills what is missing with 0.
    fn fill(&mut self) {
        while self.left > 0 {
            self.row.resize(self.row_bytes, 0);
            self.end_row();
        }
    }

    fn end_row(&mut self) {
        (self.take)(&self.row);
        self.row.clear();
        self.left -= 1;
    }
}

/// Returns the error for bytes without a header.
fn describe_other(bytes: &[u8]) -> ReadError {
    let begin = &bytes[..bytes.len().min(3)];
    match bytes.get(3) {
        _ if !MAGIC.starts_with(begin) => {
            let found = format!("the file begins with {}", hex(begin));
            fault(&rules::MAGIC, 0, found, hex(MAGIC))
        }
        Some(version) if *version != VERSION => {
            let found = format!("version {version}");
            fault(&rules::VERSION, 3, found, format!("version {VERSION}"))
        }
        _ => {
            let found = counted(bytes.len(), "byte");
            let expected = "a header of 6 bytes and an LZ4 frame";
            fault(&rules::TRUNCATED, bytes.len(), found, expected)
        }
    }
}

fn fault(
    rule: &'static crate::Rule,
    at: usize,
    found: String,
    expected: impl std::fmt::Display,
) -> ReadError {
    ReadError::unreadable(rule, Place::Offset(at as u64), found, expected)
}
