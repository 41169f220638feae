//! Animations as image files: frames of equal size in an endless loop.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use mapscope_formats::pfobj;
use mapscope_scene::saving::{APNG, FileKind, GIF};

/// Default frame rate of an animation, in frames per second: that of clips.
pub const DEFAULT_FPS: f32 = pfobj::FRAMES_PER_SECOND;
/// Allowed frame rates. GIF stores delays in hundredths of a second.
pub const FPS: std::ops::RangeInclusive<f32> = 1.0..=50.0;
/// Maximum number of pixels of a frame, which is held in memory as a whole.
pub const MAX_FRAME_PX: u64 = 64 << 20;
/// Speed of the colour quantisation of a GIF, from 1 (best) to 30: good colours in a third of the
/// time that the best ones take.
const GIF_SPEED: i32 = 10;

/// A file format for animations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnimationFormat {
    /// Animated PNG: all colours, but large files.
    Apng,
    /// GIF: 256 colours per frame, supported everywhere.
    Gif,
}

/// Properties of an animation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationInfo {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of frames.
    pub frames: u32,
    /// Frames per second.
    pub fps: f32,
}

impl AnimationFormat {
    /// The format that the extension of a path requests.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension().and_then(OsStr::to_str)?;
        let is = |kind: FileKind| ending.eq_ignore_ascii_case(kind.ending);
        if is(GIF) {
            return Some(Self::Gif);
        }
        is(APNG).then_some(Self::Apng)
    }

    /// The file kind of this format.
    pub fn file_kind(self) -> FileKind {
        match self {
            Self::Apng => APNG,
            Self::Gif => GIF,
        }
    }

    /// Writes an animation. `next` returns the frames in order by their numbers: RGBA bytes from
    /// the top left with straight alpha.
    ///
    /// # Errors
    /// If the file cannot be written, if it is larger than the format allows, or if `next` fails.
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
    // 1000 / (fps x 1000) seconds per frame: keeps the frame rate to thousandths.
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
        let text = "a GIF can have at most 65535 pixels per side";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    };
    let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
    let repeat = encoder.set_repeat(gif::Repeat::Infinite);
    repeat.map_err(io::Error::other)?;
    // Times since the start in hundredths of a second, so that rounding errors do not accumulate.
    let time = |number: u32| (f64::from(number) * 100.0 / f64::from(info.fps)).round();
    for number in 0..info.frames {
        let mut pixels = next(number)?;
        let is_transparent = pixels.chunks_exact(4).any(|pixel| pixel[3] < 255);
        // GIF has only fully opaque and fully transparent pixels.
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

    #[expect(clippy::unnecessary_wraps, reason = "the signature of a frame source")]
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
