//! PNG files that are written row by row while the image is drawn.

use std::io::{self, Write};

/// Maximum number of pixels along a side. In larger images, positions in the view become inexact.
pub const MAX_SIDE: u32 = 1 << 16;

/// Writes an image as a PNG file. `draw` passes on its rows from the top as RGBA bytes, one or
/// several at a time. If all rows come at once, the file is written faster.
///
/// # Errors
/// If `draw` fails or the file cannot be written.
pub fn write_png<E: From<io::Error>>(
    out: &mut dyn Write,
    [width, height]: [u32; 2],
    all_at_once: bool,
    draw: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), E>,
) -> Result<(), E> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(io::Error::from)?;
    if all_at_once {
        draw(&mut |rows| Ok(writer.write_image_data(rows)?))?;
    } else {
        let mut stream = writer.stream_writer().map_err(io::Error::from)?;
        draw(&mut |rows| stream.write_all(rows))?;
        stream.finish().map_err(io::Error::from)?;
    }
    Ok(writer.finish().map_err(io::Error::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_image_however_they_come() {
        let pixels: Vec<u8> = (0..5 * 4 * 3).map(|byte| byte * 4).collect();
        for (all_at_once, rows) in [(true, 3), (false, 3), (false, 1)] {
            let mut bytes = Vec::new();
            write_png::<io::Error>(&mut bytes, [5, 3], all_at_once, |take| {
                pixels.chunks(5 * 4 * rows).try_for_each(take)
            })
            .unwrap();
            let mut reader = png::Decoder::new(io::Cursor::new(bytes))
                .read_info()
                .unwrap();
            let mut read = vec![0; pixels.len()];
            reader.next_frame(&mut read).unwrap();
            assert_eq!(read, pixels);
        }
    }

    #[test]
    fn an_image_with_too_few_rows_is_an_error() {
        for all_at_once in [true, false] {
            let row = [0; 5 * 4];
            let written = write_png(&mut Vec::new(), [5, 3], all_at_once, |take| take(&row));
            let _error: io::Error = written.unwrap_err();
        }
    }
}
