use super::*;

fn texture(layout: Layout, size: [u32; 2], channels: u8) -> Texture {
    let count = size[0] * size[1] * u32::from(channels);
    let pixels = (0..count).map(|i| (i * 7 + i / 640) as u8).collect();
    Texture::new(layout, size, channels, pixels)
}

/// The rules and places of the problems of bytes that are read, or of their error.
fn problems(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let problems = match Texture::read(bytes) {
        Ok(texture) => texture.problems,
        Err(error) => vec![error.problem().unwrap().clone()],
    };
    let problems = problems.iter();
    problems
        .map(|problem| (problem.rule.id, problem.place.to_string()))
        .collect()
}

#[track_caller]
fn finds(bytes: &[u8], rule: &'static str, at: &str) {
    assert_eq!(problems(bytes), [(rule, at.to_owned())]);
}

#[test]
fn textures_of_every_layout_are_read_as_written() {
    for (layout, size, channels) in [
        (Layout::V1, [8, 8], 3),
        (Layout::V1, [1, 1], 4),
        (Layout::V2, [1, 1], 3),
        (Layout::V2, [64, 2], 4),
        (Layout::V3, [8, 32], 1),
        (Layout::V3, [64, 4], 2),
        (Layout::V3, [8, 32], 3),
        (Layout::V3, [2, 16], 4),
    ] {
        let texture = texture(layout, size, channels);
        let bytes = texture.write().unwrap();
        assert_eq!(Texture::read(&bytes).unwrap(), texture);
        let head = Head::of(&bytes).unwrap();
        assert_eq!(head.size, size);
        assert_eq!(head.has_alpha, texture.has_alpha());
        let mut rgba = Vec::new();
        Texture::read_rgba_rows(&bytes, &mut |row| rgba.extend_from_slice(row)).unwrap();
        assert_eq!(rgba.len(), (size[0] * size[1] * 4) as usize);
        assert_eq!(rgba, texture.into_rgba());
    }
    let wide = texture(Layout::V3, [64, 2], 2).write().unwrap();
    assert_eq!(
        wide[4..6],
        [1, 0x16],
        "the height is in the upper four bits"
    );
    let square = texture(Layout::V1, [8, 8], 4).write().unwrap();
    assert_eq!(square[4..6], [0x13, 0x04]);
}

#[test]
fn channels_become_red_green_blue_and_alpha() {
    let rgba = |channels, pixels: &[u8]| {
        let mut rgba = Vec::new();
        to_rgba(pixels, channels, &mut rgba);
        rgba
    };
    assert_eq!(rgba(1, &[7, 9]), [7, 7, 7, 255, 9, 9, 9, 255]);
    assert_eq!(rgba(2, &[7, 9]), [7, 7, 7, 9]);
    assert_eq!(rgba(3, &[1, 2, 3]), [1, 2, 3, 255]);
    assert_eq!(rgba(4, &[1, 2, 3, 4]), [1, 2, 3, 4]);
}

#[test]
fn sizes_and_channels_that_a_layout_lacks_are_not_written() {
    for (layout, size, channels, message) in [
        (Layout::V3, [3, 4], 3, "such as 4 x 4"),
        (Layout::V3, [0, 4], 3, "such as 1 x 4"),
        (Layout::V3, [1 << 16, 1], 3, "such as 32768 x 1"),
        (Layout::V3, [1, 1], 5, "1 to 4 in layout 3"),
        (Layout::V2, [1, 1], 2, "3 to 4 in layout 2"),
        (Layout::V1, [2, 1], 3, "a square in layout 1"),
    ] {
        let error = texture(layout, size, channels).write().unwrap_err();
        assert!(error.what.contains(message), "{error}");
    }
    let mut texture = texture(Layout::V3, [4, 4], 1);
    texture.pixels.pop();
    let error = texture.write().unwrap_err();
    assert_eq!(error.what, "15 bytes of pixels; expected 16");
}

#[test]
fn damaged_textures_have_problems_with_places() {
    let whole = texture(Layout::V3, [8, 8], 4);
    let bytes = whole.write().unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    finds(&[], "ptf/truncated", "0x0");
    finds(&bytes[..5], "ptf/truncated", "0x5");
    finds(&bytes[..7], "ptf/truncated", "0x7");
    finds(b"PTF\0\x03\x33\x09", "ptf/lz4", "0x6");
    finds(&with(0, b'Q'), "ptf/magic", "0x0");
    finds(&with(3, 1), "ptf/version", "0x3");
    finds(&with(5, 0xFF), "ptf/size", "0x5");
    finds(&with(5, 0x34), "ptf/short-block", "0x6");
    finds(&with(5, 0x32), "ptf/long-block", "0x6");
    finds(&with(4, 2), "ptf/long-block", "0x6");
    finds(&with(6, 0), "ptf/lz4", "0x6");
    finds(&with(4, 0x83), "ptf/unknown-flags", "0x4");
    let last = bytes.len() - 1;
    let end = format!("{:#x}", bytes.len());
    finds(&with(last, !bytes[last]), "ptf/checksum", &end);
    finds(&[&bytes[..], &[0]].concat(), "ptf/trailing-data", &end);
    // The pixels that are there are read, and the others are 0.
    let short = Texture::read(&with(5, 0x34)).unwrap();
    assert_eq!((short.width, short.height), (16, 8));
    assert_eq!(short.pixels, [&whole.pixels[..], &[0; 256]].concat());
    let long = Texture::read(&with(5, 0x32)).unwrap();
    assert_eq!(long.pixels, whole.pixels[..128]);
}

#[test]
fn whatever_is_decoded_before_a_cut_is_shown() {
    let whole = texture(Layout::V3, [256, 128], 3);
    let bytes = whole.write().unwrap();
    let mut shown = 0;
    for cut in (0..bytes.len()).step_by(bytes.len() / 61) {
        let Ok(texture) = Texture::read(&bytes[..cut]) else {
            continue;
        };
        assert_eq!(problems(&bytes[..cut])[0].0, "ptf/truncated");
        assert_eq!(texture.pixels.len(), whole.pixels.len());
        let pairs = texture.pixels.iter().zip(&whole.pixels);
        let same = pairs.take_while(|(a, b)| a == b).count();
        assert!(same >= shown, "{cut}");
        assert!(texture.pixels[same..].iter().all(|byte| *byte == 0));
        shown = same;
    }
    assert!(shown > whole.pixels.len() / 2, "{shown}");
}

#[test]
fn layouts_with_the_same_flags_are_told_apart_by_their_length() {
    for channels in [3, 4] {
        let v2 = texture(Layout::V2, [64, 64], channels);
        let bytes = v2.write().unwrap();
        let v3 = texture(Layout::V3, [64, 64], channels - 2);
        assert_eq!(bytes[..6], v3.write().unwrap()[..6]);
        assert_eq!(Texture::read(&bytes).unwrap(), v2);
        // A truncated file with more pixels than layout 3 would have.
        let cut = Texture::read(&bytes[..bytes.len() - 9]).unwrap();
        assert_eq!(cut.layout, Layout::V2);
        let bytes = v3.write().unwrap();
        let cut = Texture::read(&bytes[..bytes.len() - 9]).unwrap();
        assert_eq!(cut.layout, Layout::V3);
    }
}

#[test]
fn large_textures_are_made_smaller_while_they_are_decoded() {
    for (size, channels) in [
        ([512, 256], 1),
        ([512, 256], 2),
        ([512, 256], 3),
        ([256, 512], 4),
        ([512, 2], 4),
    ] {
        let [width, height] = size;
        let whole = texture(Layout::V3, size, channels);
        let bytes = whole.write().unwrap();
        let small = Texture::read_up_to(&bytes, 128).unwrap();
        let step = size.map(|side| side.min(4));
        let size = [width / step[0], height / step[1]];
        assert_eq!([small.width, small.height], size);
        let channels = usize::from(channels);
        assert_eq!(small.pixels.len(), (size[0] * size[1]) as usize * channels);
        // The first channel of the second pixel of the last row, computed by hand.
        let (mut sum, mut weights) = (0.0, 0.0);
        for y in height - step[1]..height {
            for x in step[0]..2 * step[0] {
                let at = (y * width + x) as usize * channels;
                let alpha = if channels.is_multiple_of(2) {
                    whole.pixels[at + channels - 1]
                } else {
                    255
                };
                sum += f64::from(whole.pixels[at]) * f64::from(alpha);
                weights += f64::from(alpha);
            }
        }
        let at = ((size[1] - 1) * size[0] + 1) as usize * channels;
        let first = f64::from(small.pixels[at]);
        assert!(
            (first - sum / weights).abs() < 0.6,
            "{first} {}",
            sum / weights
        );
    }
    let sides = [[1, 1], [0xDA, 1 << 13], [0xDD, 1 << 12], [0xFF, 1 << 12]];
    for [exponents, side] in sides {
        let head = [b'P', b'T', b'F', 0, 3, exponents as u8];
        let expected = if exponents == 1 { MAX_SHOWN_SIDE } else { side };
        assert_eq!(shown_side(&head), expected, "{exponents:#x}");
    }
}

#[test]
fn unknown_flags_are_kept() {
    for (layout, flags) in [(Layout::V1, 0xA0), (Layout::V2, 0x84), (Layout::V3, 0x84)] {
        let mut texture = texture(layout, [2, 2], 4);
        texture.unknown_flags = flags;
        let bytes = texture.write().unwrap();
        let mut read = Texture::read(&bytes).unwrap();
        assert_eq!(read.problems.len(), 1);
        read.problems.clear();
        assert_eq!(read, texture);
    }
}
