//! Tilesets (fact sheet 5 and 7).

pub(super) use mapscope_formats::ika::vsp::read;
use mapscope_formats::ika::vsp::{Pixels, Vsp};

use super::{GeneratedFile, Random, Reading, zlib};

pub(super) fn describe(tileset: Vsp) -> Reading {
    let mut records = Vec::new();
    let strands: Vec<_> = tileset
        .strands
        .iter()
        .map(|it| [it.start, it.finish, it.delay, it.mode])
        .collect();
    list! { records:
        "head" in [&tileset].into_iter() =>
            |it| it.version.to_string(), it.tile_size, it.count, it.description;
        "palette" in [&tileset].into_iter() => |it| it.palette, it.mask;
        "meta" in tileset.meta.iter() => |it| it;
        "pixels" in [&tileset.pixels].into_iter() => |it| it;
        "strands" in [&strands].into_iter().filter(|it| !it.is_empty()) => |it| it;
    }
    let problems = tileset.problems;
    Reading { records, problems }
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes
        .chunks(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]))
        .collect()
}

/// Runs of VERGE: a marker and a count, then the value.
fn runs(random: &mut Random, units: &[u16], unit_bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |unit: u16| out.extend(&unit.to_le_bytes()[..unit_bytes]);
    for run in units.chunk_by(|a, b| a == b) {
        for piece in run.chunks(255) {
            let is_mark = (run[0] >> (8 * (unit_bytes - 1))) == 0xff;
            if is_mark || (piece.len() > 2 && random.below(4) > 0) {
                let count = piece.len() as u16;
                if unit_bytes == 1 {
                    put(0xff);
                    put(count);
                } else {
                    put(0xff00 | count);
                }
                put(run[0]);
            } else {
                piece.iter().for_each(|unit| put(*unit));
            }
        }
    }
    out
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let version = if random.is_odd {
        random.pick(&[2, 3, 4, 5, 6, 6, 6, 7])
    } else {
        6
    };
    let count = if random.odd(5) {
        0
    } else {
        1 + random.below(4)
    };
    let size = if version < 6 {
        [16, 16]
    } else {
        [1 + random.below(20), 1 + random.below(9)]
    };
    let pixels = size[0] * size[1] * count;
    // Wide runs, and values of all kinds.
    let is_blank = random.odd(3);
    let mut made = GeneratedFile::default();
    let data = |random: &mut Random, bytes: usize| -> Vec<u8> {
        (0..pixels * bytes)
            .map(|i| {
                if is_blank || i % 11 > 7 {
                    0
                } else {
                    random.next() as u8
                }
            })
            .collect()
    };
    made.warnings
        .extend(["vsp/no-tiles", "vsp/transparent-color", "vsp/strand"]);
    if version == 7 {
        let pixels = data(random, 4);
        return text(random, made, count, size, &pixels);
    }
    made.bytes.extend([version, 0]);
    let mut description = String::new();
    let bpp: u8 = if random.below(2) == 0 { 1 } else { 4 };
    let size_word = |edge: usize| (edge as u16).to_le_bytes();
    if version == 6 {
        made.bytes.push(bpp);
        made.bytes
            .extend([size_word(size[0]), size_word(size[1])].concat());
        made.u32(count);
        description = if random.below(2) == 0 {
            String::new()
        } else {
            random.name()
        };
        let mut field = description.clone().into_bytes();
        field.push(0);
        // The bytes after the text are uninitialised memory.
        field.extend((field.len()..64).map(|i| {
            if description.is_empty() {
                0
            } else {
                (i * 7) as u8
            }
        }));
        made.bytes.extend(field);
    }
    let head_end = made.bytes.len();
    let mut palette: Vec<[u8; 3]> = Vec::new();
    let mut mask = None;
    if version < 4 || version == 6 && bpp == 1 {
        let most = if version < 6 || random.below(2) == 0 {
            64
        } else {
            256
        };
        palette = (0..256)
            .map(|_| [(); 3].map(|()| random.below(most) as u8))
            .collect();
        made.bytes.extend(palette.iter().flatten());
    }
    if version == 6 && bpp == 1 {
        mask = Some(random.below(4) as u8);
        made.bytes.extend(mask);
    }
    let palette_says = says!("palette", palette, mask);
    made.record(
        0,
        says!("head", version.to_string(), size, count, description),
    );
    made.record(head_end, palette_says);
    if version < 6 {
        made.bytes.extend(size_word(count));
    }
    let at = made.bytes.len();
    let read = match (version, bpp) {
        (2 | 3, _) | (6, 1) => Pixels::Indexed(data(random, 1)),
        (4, _) => Pixels::Rgb555(words(&data(random, 2))),
        (5, _) => Pixels::Rgb565(words(&data(random, 2))),
        _ => Pixels::Rgba(data(random, 4)),
    };
    let (units, unit_bytes): (Vec<u16>, usize) = match &read {
        Pixels::Indexed(bytes) | Pixels::Rgba(bytes) => {
            (bytes.iter().map(|byte| u16::from(*byte)).collect(), 1)
        }
        Pixels::Rgb555(words) | Pixels::Rgb565(words) => (words.clone(), 2),
    };
    let bytes: Vec<u8> = units
        .iter()
        .flat_map(|unit| unit.to_le_bytes()[..unit_bytes].to_vec())
        .collect();
    let packed = match version {
        2 | 4 => bytes,
        3 | 5 => runs(random, &units, unit_bytes),
        _ => {
            let mut bytes = bytes;
            if random.odd(4) {
                let tile = size[0] * size[1] * usize::from(bpp);
                bytes.extend(std::iter::repeat_n(3, tile));
                made.warn("ika/long-block");
            }
            zlib(random, &bytes)
        }
    };
    if matches!(version, 3 | 5 | 6) {
        made.u32(packed.len());
    }
    made.bytes.extend(packed);
    made.record(at, says!("pixels", read));
    // The table of strands may be missing at the end of the file.
    if !random.odd(4) {
        let at = made.bytes.len();
        let last = count.saturating_sub(1).max(1);
        let strands: Vec<[u16; 4]> = (0..100)
            .map(|i| match (i, random.below(3)) {
                (0..3, 0) => [
                    random.below(last) as u16,
                    last as u16,
                    random.below(500) as u16,
                    random.below(4) as u16,
                ],
                _ => [0; 4],
            })
            .collect();
        made.bytes.extend(
            strands
                .iter()
                .flatten()
                .flat_map(|number| number.to_le_bytes()),
        );
        made.record(at, says!("strands", strands));
        if random.odd(3) {
            made.bytes.extend(vec![7; 1 + random.below(400)]);
            made.warn("ika/trailing-data");
        }
    }
    made
}

fn text(
    random: &mut Random,
    mut made: GeneratedFile,
    count: usize,
    size: [usize; 2],
    pixels: &[u8],
) -> GeneratedFile {
    let version = random.pick(&["1.0", "1.1"]);
    let (title, key, value) = (random.name(), random.name(), random.name());
    let packed = data_encoding::BASE64.encode(&zlib(random, pixels));
    let [width, height] = size;
    let information = format!("(information (title '{title}') (meta ({key} {value})))");
    let tiles = format!(
        "(tiles (count {count}) (dimensions (height {height}) (width '{width}'))\n (own node) (data (format zlib) {packed}))"
    );
    let parts = if random.below(2) == 0 {
        [information, tiles]
    } else {
        [tiles, information]
    };
    made.bytes = format!(
        "(ika-tileset (version '{version}')\r\n {}{})\n",
        parts[0], parts[1]
    )
    .into_bytes();
    made.record(0, says!("head", version, size, count, title));
    made.record(0, says!("palette", [0; 0], None::<u8>));
    made.record(0, says!("meta", (key, value)));
    made.record(0, says!("pixels", Pixels::Rgba(pixels.to_vec())));
    made.warn("ika/node-name");
    made
}
