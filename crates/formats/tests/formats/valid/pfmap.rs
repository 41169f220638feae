//! Terrain (document, and fact sheets A1 and A2).

use std::fmt::Write as _;

use mapscope_formats::pfmap::Pfmap;
pub(super) use mapscope_formats::pfmap::read;

use super::{GeneratedFile, Random, Reading};

/// Rules whose warnings unusual maps may have.
const ODD: [&str; 5] = [
    "pfmap/edge-blend",
    "pfmap/extra-words",
    "pfmap/row-start",
    "pfmap/tile-digit",
    "pfmap/trailing-data",
];

pub(super) fn describe(map: Pfmap) -> Reading {
    let mut records = vec![format!(
        "head {} {} {}",
        map.version, map.chunk_rows, map.chunk_cols
    )];
    records.extend(
        map.materials
            .iter()
            .map(|it| format!("material {} {}", it.name, it.texture)),
    );
    records.extend(
        map.splats
            .iter()
            .map(|it| format!("splat {} {}", it.base, it.accent)),
    );
    let cols = map.cols() as usize;
    for (i, tile) in map.tiles.iter().enumerate() {
        let (row, col) = (i / cols, i % cols);
        if map.is_read(row as u32, col as u32) {
            records.push(tile_text(&tile.text()));
        }
    }
    let problems = map.problems;
    Reading { records, problems }
}

/// The text of a tile. Tiles are listed by row and column, which are not repeated.
fn tile_text(text: &[u8]) -> String {
    format!("tile {}", String::from_utf8_lossy(text))
}

fn tile(random: &mut Random, materials: usize) -> String {
    let kind = random.pick(b"0001234567899AbcABC") as char;
    let sign = random.pick(&['+', '+', '-']);
    let [base, ramp] = [99, 12].map(|most| {
        if random.is_odd {
            random.below(most)
        } else {
            random.below(5)
        }
    });
    let [top, side] = [(); 2].map(|()| random.below(materials));
    let [pathable, normals, bump] = [(); 3].map(|()| random.below(2));
    let [cover, north, east, south, west] =
        [(); 5].map(|()| if random.is_odd { random.below(3) } else { 0 });
    let blend = random.below(2);
    let reserved = if random.odd(5) { random.below(1000) } else { 0 };
    format!(
        "{kind}{sign}{base:02}{ramp:02}{top:03}{side:03}{pathable}{blend}{normals}{bump}\
         {cover}{north}{east}{south}{west}{reserved:03}"
    )
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::text(random);
    let has_splats = random.below(2) == 0;
    let version = if has_splats {
        random.pick(&["1.1", "1.2"])
    } else {
        "1.0"
    };
    let [materials, splats] = [1 + random.below(8), random.count(3)];
    let [rows, cols] = if random.is_odd {
        random.pick(&[[1, 1], [1, 2], [2, 1]])
    } else {
        [1, 1]
    };
    let between = if random.odd(3) { "\t  " } else { " " };
    let start = made.bytes.len();
    made.line(&format!("version{between}{version}"));
    made.line(&format!("num_materials{between}{materials}"));
    if has_splats {
        made.line(&format!("num_splats{between}{splats}"));
    }
    made.line(&format!("num_rows{between}{rows}"));
    made.line(&format!("num_cols{between}{cols}"));
    made.record(start, format!("head {version} {rows} {cols}"));
    for _ in 0..materials {
        let start = made.bytes.len();
        let texture = format!("{}.png", random.name());
        let name = random.name();
        let name = if random.odd(3) { "splat" } else { &name };
        let more = if random.odd(5) { " more words" } else { "" };
        made.line(&format!("material{between}{name} {texture}{more}"));
        made.record(start, format!("material {name} {texture}"));
    }
    for _ in 0..if has_splats { splats } else { 0 } {
        let start = made.bytes.len();
        let [base, accent] = [(); 2].map(|()| random.below(materials));
        made.line(&format!("splat{between}{base} {accent}"));
        made.record(start, format!("splat {base} {accent}"));
    }
    if random.is_odd {
        made.warnings.extend(ODD);
    } else {
        made.warn("pfmap/edge-blend");
    }
    // A packing is valid if its lines end with the chunks and have at most 255 bytes.
    let most = if random.is_odd {
        1 + random.below(10)
    } else {
        4
    };
    let is_ragged = random.odd(3);
    let space = if random.odd(4) { "\t" } else { " " };
    let mut tiles = Vec::new();
    for chunk in 0..rows * cols {
        let mut left = 1024;
        while left > 0 {
            let count = if is_ragged {
                1 + random.below(most)
            } else {
                most
            }
            .min(left);
            let mut line = String::new();
            for i in 0..count {
                let before = if i > 0 {
                    space
                } else if random.odd(40) {
                    " "
                } else {
                    ""
                };
                let text = tile(random, materials);
                let at = made.bytes.len() + line.len() + before.len();
                let in_chunk = 1024 - left + i;
                let row = chunk / cols * 32 + in_chunk / 32;
                let col = chunk % cols * 32 + in_chunk % 32;
                tiles.push((row, col, at, text.clone()));
                let _ = write!(line, "{before}{text}");
            }
            left -= count;
            made.line(&line);
            if random.odd(60) {
                made.line(random.pick(&["", " ", "\t"]));
            }
        }
    }
    if random.odd(4) {
        made.line(random.pick(&["# the end", "metadata 1", "version"]));
    }
    tiles.sort_by_key(|(row, col, ..)| (*row, *col));
    for (_, _, at, text) in tiles {
        let says = tile_text(text.as_bytes());
        made.records.push(super::Record {
            says,
            at: at..at + text.len(),
        });
    }
    made
}
