//! Animations as image files: frames of the same size that follow each other for ever.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use mapscope_formats::pfobj;
use mapscope_scene::saving::{APNG, FileKind, GIF};

/// How many frames a second an animation shows unless it is said otherwise: as many as clips have.
pub const DEFAULT_FPS: f32 = pfobj::FRAMES_PER_SECOND;
/// How many frames a second it may have: the formats cannot say more than hundredths of a second.
pub const FPS: std::ops::RangeInclusive<f32> = 1.0..=50.0;
/// The max number of pixels of a frame, which is in memory as a whole.
pub const MAX_FRAME_PX: u64 = 64 << 20;
/// How carefully the colours of a GIF are chosen, from 1 to 30: a good choice in a third of the time
/// that the best takes.
const GIF_SPEED: i32 = 10;

/// A format for animations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnimationFormat {
    /// PNG with several frames: all colours, and large.
    Apng,
    /// 256 colours a frame, and shown everywhere.
    Gif,
}

/// What an animation is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationInfo {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// How many frames it has.
    pub frames: u32,
    /// How many of them are shown in a second.
    pub fps: f32,
}

impl AnimationFormat {
    /// The format that a name asks for.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension().and_then(OsStr::to_str)?;
        let is = |kind: FileKind| ending.eq_ignore_ascii_case(kind.ending);
        if is(GIF) {
            return Some(Self::Gif);
        }
        is(APNG).then_some(Self::Apng)
    }

    /// The kind of file that has it.
    pub fn file_kind(self) -> FileKind {
        match self {
            Self::Apng => APNG,
            Self::Gif => GIF,
        }
    }

    /// Writes an animation. `next` gives the frames in order by their numbers: RGBA bytes from the
    /// top left, whose colours are not multiplied by their opacity.
    ///
    /// # Errors
    /// When it cannot be written, is larger than the format allows, or `next` gives no frame.
    pub fn write(
        self,
        out: &mut dyn Write,
        info: AnimationInfo,
        next: &mut dyn FnMut(u32) -> io::Result<Vec<u8>>,
    ) -> io::Result<()> {
        match self {
            Self::Apng => write_apng(out, info, next),
            Self::Gif => write_gif(out, info, next),
        }
    }
}

fn write_apng(
    out: &mut dyn Write,
    info: AnimationInfo,
    next: &mut dyn FnMut(u32) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let [width, height] = info.size;
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_animated(info.frames, 0)?;
    // Thousandths of a second for each thousandth of a frame.
    encoder.set_frame_delay(1000, (info.fps * 1000.0).round() as u16)?;
    let mut writer = encoder.write_header()?;
    for number in 0..info.frames {
        writer.write_image_data(&next(number)?)?;
    }
    Ok(writer.finish()?)
}

fn write_gif(
    out: &mut dyn Write,
    info: AnimationInfo,
    next: &mut dyn FnMut(u32) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let [width, height] = info.size.map(|side| u16::try_from(side).ok());
    let (Some(width), Some(height)) = (width, height) else {
        let text = "a GIF has at most 65535 pixels along a side";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    };
    let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
    let repeat = encoder.set_repeat(gif::Repeat::Infinite);
    repeat.map_err(io::Error::other)?;
    // Hundredths of a second since the start, so that rounding does not add up.
    let time = |number: u32| (f64::from(number) * 100.0 / f64::from(info.fps)).round();
    for number in 0..info.frames {
        let mut pixels = next(number)?;
        let is_transparent = pixels.chunks_exact(4).any(|pixel| pixel[3] < 255);
        // Of its opacity a pixel keeps whether it is there.
        for pixel in pixels.chunks_exact_mut(4) {
            pixel[3] = if pixel[3] < 128 { 0 } else { 255 };
        }
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, GIF_SPEED);
        frame.delay = (time(number + 1) - time(number)) as u16;
        if is_transparent {
            frame.dispose = gif::DisposalMethod::Background;
        }
        encoder.write_frame(&frame).map_err(io::Error::other)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: AnimationInfo = AnimationInfo {
        size: [3, 2],
        frames: 3,
        fps: 24.0,
    };

    #[expect(clippy::unnecessary_wraps, reason = "that is how frames are asked for")]
    /// A frame of one colour whose last pixel is transparent.
    fn frame(number: u32) -> io::Result<Vec<u8>> {
        let mut pixels = [[40 * number as u8, 90, 200, 255]; 6].concat();
        pixels[5 * 4 + 3] = 0;
        Ok(pixels)
    }

    #[test]
    fn an_apng_has_its_frames_and_their_time() {
        let mut bytes = Vec::new();
        let apng = AnimationFormat::Apng;
        apng.write(&mut bytes, INFO, &mut frame).unwrap();
        let decoder = png::Decoder::new(io::Cursor::new(bytes));
        let mut reader = decoder.read_info().unwrap();
        let control = reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        for number in 0..3 {
            let mut pixels = vec![0; 3 * 2 * 4];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, frame(number).unwrap());
            let control = reader.info().frame_control().unwrap();
            assert_eq!([control.delay_num, control.delay_den], [1000, 24000]);
        }
    }

    #[test]
    fn a_gif_has_its_frames_and_their_time() {
        let mut bytes = Vec::new();
        let gif = AnimationFormat::Gif;
        gif.write(&mut bytes, INFO, &mut frame).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut reader = options.read_info(&bytes[..]).unwrap();
        let (mut number, mut time) = (0, 0);
        while let Some(read) = reader.read_next_frame().unwrap() {
            let expected = frame(number).unwrap();
            assert_eq!(read.buffer[..20], expected[..20], "frame {number}");
            assert_eq!(read.buffer[23], 0, "the last pixel is not there");
            assert_eq!(read.dispose, gif::DisposalMethod::Background);
            time += read.delay;
            number += 1;
        }
        assert_eq!((number, time), (3, 13), "an eighth of a second");
    }

    #[test]
    fn what_fails_on_the_way_is_said() {
        for format in [AnimationFormat::Apng, AnimationFormat::Gif] {
            let mut next = |number| match number {
                2 => Err(io::Error::other("cancelled")),
                _ => frame(number),
            };
            let written = format.write(&mut Vec::new(), INFO, &mut next);
            assert_eq!(written.unwrap_err().to_string(), "cancelled");
        }
        let info = AnimationInfo {
            size: [70_000, 1],
            ..INFO
        };
        let written = AnimationFormat::Gif.write(&mut Vec::new(), info, &mut frame);
        assert!(written.unwrap_err().to_string().contains("65535"));
    }
}
