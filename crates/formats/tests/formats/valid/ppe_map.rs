//! Map data of the `PixelPerfectEngine` (document, and fact sheet 2 to 6 and 8).

use mapscope_formats::Integers;
use mapscope_formats::ppe::map_data::MapData;
pub(super) use mapscope_formats::ppe::map_data::read;

use super::{GeneratedFile, Random, Reading, zlib};

pub(super) fn describe(map: MapData) -> Reading {
    let mut records = vec![format!("head {:#x} {:?}", map.flags.0, map.size)];
    let width = (map.size[0] as usize).max(1);
    records.extend(map.cells.chunks(width).map(|row| format!("row {row:?}")));
    for corners in map.graphics.iter().flatten() {
        records.push(format!(
            "corners {:?}",
            corners.map(|it| (it.rgba, it.light))
        ));
    }
    records.extend(map.logic.iter().map(logic_text));
    let problems = map.problems;
    Reading { records, problems }
}

fn logic_text(logic: &Integers) -> String {
    let numbers = (0..logic.len()).filter_map(|i| logic.get(i));
    format!("logic {} {:?}", logic.bits(), numbers.collect::<Vec<_>>())
}

/// A frame of stored blocks.
pub(super) fn zstd(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    out.extend((data.len() as u32).to_le_bytes());
    let mut chunks = data.chunks(100_000).peekable();
    while let Some(chunk) = chunks.next() {
        let head = (chunk.len() as u32) << 3 | u32::from(chunks.peek().is_none());
        out.extend(&head.to_le_bytes()[..3]);
        out.extend(chunk);
    }
    out
}

/// Packets of equal and of different elements.
fn rle(random: &mut Random, data: &[u8], unit: usize) -> Vec<u8> {
    let units: Vec<&[u8]> = data.chunks(unit).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let alike = units[at..]
            .iter()
            .take(128)
            .take_while(|it| **it == units[at])
            .count();
        if alike > 1 || random.below(4) == 0 {
            out.push(0x80 | (alike - 1) as u8);
            out.extend(units[at]);
            at += alike;
        } else {
            let count = (1 + random.below(5)).min(units.len() - at);
            out.push((count - 1) as u8);
            units[at..at + count].iter().for_each(|it| out.extend(*it));
            at += count;
        }
    }
    out
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::default();
    let size = [1 + random.below(9), 1 + random.below(7)];
    let count = size[0] * size[1];
    let is_new = random.below(2) == 0;
    let has_logic = is_new && random.below(2) == 0;
    let has_graphics = random.below(2) == 0;
    let bits = random.below(4);
    let packing = if random.is_odd {
        random.pick(&[0, 0, 0, 0x100, 0x400, 0x800])
    } else {
        0
    };
    let mut flags = packing
        | if is_new {
            8
        } else {
            random.pick(&[0, 1, 2, 4, 7])
        };
    flags |= u32::from(has_logic) | if has_graphics { 0x10 } else { 0 };
    if has_logic || random.odd(4) {
        // Two flags select the size of the attributes: 8, 16, 32 or 64 bits.
        flags |= [0, 0x1_0000, 0x2_0000, 0x3_0000][bits];
    }
    if random.odd(3) {
        flags |= (random.below(256) as u32) << 24;
    }
    if random.odd(4) {
        flags |= random.pick(&[0x20, 0x40, 0x80, 0x1000, 0x4_0000]);
        made.warn("ppe-map/flags");
    }
    let size_says = size.map(|edge| edge as u32);
    made.u32(flags as usize);
    size.into_iter().for_each(|edge| made.u32(edge));
    made.record(0, format!("head {flags:#x} {size_says:?}"));
    let is_plain = packing == 0;
    let mut sections: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), 4)];
    for _ in 0..size[1] {
        let same = random.next() as u32;
        let row: Vec<u32> = (0..size[0])
            .map(|_| {
                if random.below(2) == 0 {
                    same
                } else {
                    random.next() as u32
                }
            })
            .collect();
        let at = 12 + sections[0].0.len();
        sections[0]
            .0
            .extend(row.iter().flat_map(|cell| cell.to_le_bytes()));
        let end = 12 + sections[0].0.len();
        made.records.push(super::Record {
            says: format!("row {row:?}"),
            at: at..end,
        });
    }
    let cells = sections[0].0.len();
    if has_graphics {
        let mut bytes = Vec::new();
        for i in 0..count {
            let corners = [(); 4].map(|()| {
                let bits = random.next().to_le_bytes();
                bytes.extend(bits);
                let [r, g, b, a, x, xx, y, yy] = bits;
                (
                    [r, g, b, a],
                    [i16::from_le_bytes([x, xx]), i16::from_le_bytes([y, yy])],
                )
            });
            let at = 12 + cells + 32 * i;
            made.records.push(super::Record {
                says: format!("corners {corners:?}"),
                at: at..at + 32,
            });
        }
        sections.push((bytes, 8));
    }
    if has_logic {
        let width = 1 << bits;
        let numbers: Vec<u64> = (0..count)
            .map(|_| random.next() >> (64 - 8 * width))
            .collect();
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes()[..width].to_vec())
            .collect();
        let at = 12 + sections.iter().map(|(bytes, _)| bytes.len()).sum::<usize>();
        made.records.push(super::Record {
            says: format!("logic {} {numbers:?}", 8 * width),
            at: at..at + bytes.len(),
        });
        sections.push((bytes, width));
    }
    let all: Vec<u8> = sections
        .iter()
        .flat_map(|(bytes, _)| bytes.clone())
        .collect();
    let mut tail = Vec::new();
    if random.odd(4) {
        tail = vec![random.pick(&[0, 1]); random.pick(&[1, 4, 4 * size[0], count, 35])];
        made.warnings
            .extend(["ppe-map/trailing-data", "ppe-map/length"]);
    }
    match packing {
        0x100 => {
            made.warn("ppe-map/rle-attributes");
            let packed: Vec<u8> = sections
                .iter()
                .flat_map(|(bytes, unit)| rle(random, bytes, *unit))
                .collect();
            made.bytes.extend(packed);
            // Bytes after attributes are ambiguous.
            if sections.len() > 1 {
                tail.clear();
            }
        }
        0x400 => {
            made.warn("ppe-map/unfinished");
            let packed = zlib(random, &all);
            made.bytes.extend(packed);
            tail.clear();
        }
        0x800 => made.bytes.extend(zstd(&all)),
        _ => made.bytes.extend(all),
    }
    made.bytes.extend(tail);
    if !is_plain {
        let end = made.bytes.len();
        made.records
            .iter_mut()
            .skip(1)
            .for_each(|record| record.at = 12..end);
    }
    made
}
