//! Synthetic files for measurements: `synthetic:`, a kind and a size.
//!
//! One table defines the kinds, their maximum sizes and the sizes of `bench --suite`. The same
//! argument always gives the same bytes.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;

use super::CommandError;
#[cfg(test)]
use mapscope_formats::Format;
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::{ika, p3m, pfmap, pfobj, pfscene, ppe};
use mapscope_scene::{Source, demo};
use mapscope_testdata::synthesize;

/// Prefix of the kind and the size.
const SYNTHETIC: &str = "synthetic:";
/// Fixed seed, so that every run gives the same files.
const SEED: u64 = 1;
/// Number of subdivisions of the chunks of a synthetic level.
const LEVEL_DEPTH: u8 = 4;
/// Maximum number of cells of a 2D map.
const MAX_TILES: u64 = ika::MAX_TILES;

/// Number of sizes per kind that `bench --suite` measures.
pub(super) const SUITE_SIZES: usize = 4;

/// A kind of synthetic file.
#[cfg_attr(
    not(any(feature = "gpu", test)),
    expect(dead_code, reason = "only `bench --suite` and tests use all fields")
)]
pub(super) struct Kind {
    /// Its format.
    #[cfg(test)]
    format: &'static Format,
    /// Prefix of the size.
    prefix: &'static str,
    /// Allowed count of numbers in a size, which are separated by `x`.
    sides: RangeInclusive<usize>,
    /// Description of the size.
    size: &'static str,
    /// Unit that the product of the numbers counts.
    pub(super) unit: &'static str,
    /// Maximum product.
    max: u64,
    /// An example size for messages.
    example: &'static str,
    /// The sizes that `bench --suite` measures, in ascending order.
    pub(super) suite: [&'static str; SUITE_SIZES],
    make: fn(&[u32]) -> Result<Source, String>,
}

/// All kinds. Kinds with the same prefix are distinguished by the count of numbers in the size.
pub(super) static KINDS: [Kind; 7] = [
    Kind {
        #[cfg(test)]
        format: &pfmap::FORMAT,
        prefix: "",
        sides: 2..=2,
        size: "rows and columns of chunks of terrain",
        unit: "chunks",
        // 16 times the largest size in the published measurements.
        max: 65_536,
        example: "64x64",
        suite: ["8x8", "16x16", "32x32", "64x64"],
        make: terrain,
    },
    Kind {
        #[cfg(test)]
        format: &pfobj::FORMAT,
        prefix: "model:",
        sides: 1..=1,
        size: "triangles of a model",
        unit: "triangles",
        max: 2_000_000,
        example: "20000",
        suite: ["1000", "6000", "36000", "216000"],
        make: model,
    },
    Kind {
        #[cfg(test)]
        format: &p3m::FORMAT,
        prefix: "p3m:",
        sides: 1..=1,
        size: "triangles of a P3M model",
        unit: "triangles",
        max: 2_000_000,
        example: "20000",
        suite: ["1000", "6000", "36000", "216000"],
        make: p3m_model,
    },
    Kind {
        #[cfg(test)]
        format: &pfscene::FORMAT,
        prefix: "scene:",
        sides: 1..=1,
        size: "entities of a scene",
        unit: "entities",
        max: 200_000,
        example: "5000",
        suite: ["300", "1200", "4800", "19200"],
        make: scene,
    },
    Kind {
        #[cfg(test)]
        format: &pmf::FORMAT,
        prefix: "",
        sides: 3..=3,
        size: "layers (Y), columns (X) and rows (Z) of chunks of a level",
        unit: "chunks",
        // Each chunk has about 4,500 cubes.
        max: 512,
        example: "2x5x5",
        suite: ["1x2x2", "1x4x4", "2x5x6", "4x8x8"],
        make: level,
    },
    Kind {
        #[cfg(test)]
        format: &ika::map::FORMAT,
        prefix: "tiles:",
        sides: 2..=3,
        size: "columns and rows of tiles of an ika map, and optionally its layers",
        unit: "tiles",
        max: MAX_TILES,
        example: "4096x4096",
        suite: ["256x256", "512x512", "1024x1024", "2048x2048"],
        make: tiles,
    },
    Kind {
        #[cfg(test)]
        format: &ppe::XMF_FORMAT,
        prefix: "cells:",
        sides: 2..=2,
        size: "columns and rows of cells of a PixelPerfectEngine map",
        unit: "cells",
        max: MAX_TILES,
        example: "1024x1024",
        suite: ["256x256", "512x512", "1024x1024", "2048x2048"],
        make: cells,
    },
];

impl Kind {
    /// The argument for a file of this size.
    pub(super) fn argument(&self, size: &str) -> String {
        format!("{SYNTHETIC}{}{size}", self.prefix)
    }

    /// Number of units in a file of this size.
    pub(super) fn count(&self, size: &str) -> Option<u64> {
        let sides = sides_of(size)?;
        let fits = self.sides.contains(&sides.len());
        let mut sides = sides.into_iter();
        let count = sides.try_fold(1, |product: u64, side| product.checked_mul(side.into()));
        count.filter(|count| fits && (1..=self.max).contains(count))
    }

    /// A description of the expected size for messages.
    fn expected(&self) -> String {
        format!(
            "{}, such as {}, at most {} {} in all",
            self.size,
            self.argument(self.example),
            self.max,
            self.unit
        )
    }
}

/// Parses the numbers of a size.
fn sides_of(size: &str) -> Option<Vec<u32>> {
    size.split('x').map(|side| side.parse().ok()).collect()
}

/// The synthetic file that an argument names; `None` if it names something else.
pub(super) fn source_of(argument: &Path) -> Option<Result<Source, CommandError>> {
    let text = argument.to_str()?.strip_prefix(SYNTHETIC)?;
    let refused = |why: &dyn Display| {
        let argument = argument.display();
        CommandError::Argument(format!("`{argument}`: {why}"))
    };
    let mut kinds = KINDS.iter().filter_map(|kind| {
        let size = text.strip_prefix(kind.prefix)?;
        kind.count(size)?;
        Some((kind, sides_of(size)?))
    });
    if let Some((kind, sides)) = kinds.next() {
        return Some((kind.make)(&sides).map_err(|error| refused(&error)));
    }
    let named = KINDS.iter().filter(|kind| !kind.prefix.is_empty());
    let mut meant: Vec<&Kind> = named.filter(|kind| text.starts_with(kind.prefix)).collect();
    if meant.is_empty() {
        meant = KINDS.iter().collect();
    }
    let expected: Vec<String> = meant.into_iter().map(Kind::expected).collect();
    let expected = expected.join("; or ");
    Some(Err(refused(&format!("expected {expected}"))))
}

fn terrain(sides: &[u32]) -> Result<Source, String> {
    let [rows, cols] = fixed(sides)?;
    let bytes = synthesize::pfmap(rows, cols, SEED);
    Ok(source(format!("synthetic-{rows}x{cols}.pfmap"), bytes, &[]))
}

fn level(sides: &[u32]) -> Result<Source, String> {
    let [y, x, z] = fixed(sides)?;
    let map = synthesize::pmf([y, x, z], LEVEL_DEPTH, SEED);
    let bytes = pmf::write(&map, Packing::Compressed).map_err(|error| error.to_string())?;
    Ok(source(format!("synthetic-{y}x{x}x{z}.pmf"), bytes, &[]))
}

fn tiles(sides: &[u32]) -> Result<Source, String> {
    static FILES: OnceLock<Vec<NamedBytes>> = OnceLock::new();
    let [columns, rows, layers] = match *sides {
        [columns, rows] => [columns, rows, 1],
        _ => fixed(sides)?,
    };
    let map = synthesize::ika_map([columns, rows], layers as usize, SEED);
    let bytes = ika::map::write(&map).map_err(|error| error.to_string())?;
    let files = FILES.get_or_init(|| {
        let tileset = ika::vsp::write(&synthesize::ika_tileset(SEED));
        let tileset = tileset.map(|bytes| (synthesize::IKA_TILESET, &*bytes.leak()));
        tileset.into_iter().collect()
    });
    let path = format!("synthetic-{columns}x{rows}x{layers}.map");
    Ok(source(path, bytes, files))
}

fn cells(sides: &[u32]) -> Result<Source, String> {
    let [columns, rows] = fixed(sides)?;
    let container = synthesize::ppe_container([columns, rows], SEED);
    let bytes = ppe::xmf::write(&container);
    let path = format!("synthetic-{columns}x{rows}.xmf");
    Ok(source(path, bytes, sheet()))
}

fn model(sides: &[u32]) -> Result<Source, String> {
    let [triangles] = fixed(sides)?;
    let bytes = pfobj::write(&synthesize::pfobj(triangles, SEED));
    Ok(source(
        format!("synthetic-{triangles}.pfobj"),
        bytes,
        sheet(),
    ))
}

fn p3m_model(sides: &[u32]) -> Result<Source, String> {
    let [triangles] = fixed(sides)?;
    let model = synthesize::p3m(triangles, SEED).and_then(|model| p3m::write(&model));
    let bytes = model.map_err(|error| error.to_string())?;
    Ok(source(format!("synthetic-{triangles}.p3m"), bytes, sheet()))
}

/// The demo scene with the given number of entities, at other places on its map.
fn scene(sides: &[u32]) -> Result<Source, String> {
    let [entities] = fixed(sides)?;
    let demo = demo::HAMLET.source();
    let like = pfscene::read(&demo.bytes).map_err(|error| error.to_string())?;
    let mut maps = demo.embedded.iter().filter_map(|(name, bytes)| {
        let mut endings = pfmap::FORMAT.endings.iter();
        endings
            .any(|ending| name.ends_with(ending))
            .then(|| pfmap::read(bytes))
    });
    let map = maps.next().ok_or("the demo has no map")?;
    let map = map.map_err(|error| error.to_string())?;
    let scene = synthesize::pfscene(&like, &map, entities, SEED);
    Ok(Source {
        bytes: pfscene::write(&scene).into(),
        ..demo
    })
}

/// The name and the bytes of a file.
type NamedBytes = (&'static str, &'static [u8]);

/// The tile sheet that synthetic containers and models reference.
fn sheet() -> &'static [NamedBytes] {
    static FILES: OnceLock<[NamedBytes; 1]> = OnceLock::new();
    FILES.get_or_init(|| [(synthesize::PPE_SHEET, synthesize::ppe_sheet(SEED).leak())])
}

fn source(path: String, bytes: Vec<u8>, embedded: &'static [NamedBytes]) -> Source {
    Source {
        path: path.into(),
        bytes: bytes.into(),
        embedded,
        archive: None,
    }
}

/// Converts the numbers of a size to an array of `N`.
fn fixed<const N: usize>(sides: &[u32]) -> Result<[u32; N], String> {
    let sides = sides.try_into();
    sides.map_err(|_| format!("expected {N} numbers separated by `x`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_suite_and_examples_can_be_made_and_rise() {
        for kind in &KINDS {
            assert!(kind.count(kind.example).is_some(), "{}", kind.expected());
            let counts = kind.suite.map(|size| kind.count(size).unwrap());
            assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
            let argument = kind.argument(kind.suite[0]);
            let source = source_of(Path::new(&argument)).unwrap().unwrap();
            let format = mapscope_scene::identify_format(&source).unwrap();
            assert_eq!(format.id, kind.format.id, "{argument}");
        }
    }

    #[test]
    fn made_up_files_have_no_problems() {
        for argument in [
            "model:1000",
            "cells:40x30",
            "tiles:40x30",
            "1x1x1",
            "scene:9",
        ] {
            let argument = format!("{SYNTHETIC}{argument}");
            let source = source_of(Path::new(&argument)).unwrap().unwrap();
            let opened = mapscope_scene::open(&source, &Default::default(), &Default::default());
            let problems = &opened.unwrap().about().problems.clone();
            assert!(problems.is_empty(), "{argument}: {problems:#?}");
        }
    }
}
