//! Versions of PFMAP (document sections 1 and 3; fact sheet of Permafrost, A1 and A2).

use mapscope_formats::pfmap::{self, BlendMode, Cover, Edge, FORMAT, Field, Found, Pfmap};
use mapscope_formats::{Format, Problem, ReadError};

use super::{Content, ConversionReport, ItemNames, Row, report_encoding_loss};

/// The versions of PFMAP.
pub(super) const FORMS: &[Row<Pfmap>] = &[
    Row::change(
        &FORMAT,
        "version",
        [
            "1.0",
            "As written and read by the engine's editor: without splats, with grass and a blend mode per edge",
        ],
        |map, told| {
            told.left_out(
                map.splats.len(),
                "splat",
                "version 1.0 does not support them",
            );
            map.splats.clear();
            name_edges(map);
            set_version(map, "1.0");
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "version",
        [
            "1.0-document",
            "As specified by the format's document: without splats and grass, with one blend mode per tile, \
         none or blur",
        ],
        |map, told| {
            told.left_out(
                map.splats.len(),
                "splat",
                "version 1.0 does not support them",
            );
            map.splats.clear();
            as_document(map, told);
            set_version(map, "1.0");
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "version",
        ["1.1", "With splats; tiles as in 1.2"],
        |map, _| {
            name_edges(map);
            set_version(map, "1.1");
            Ok(())
        },
    ),
    Row::change(
        &FORMAT,
        "version",
        [
            "1.2",
            "As written by the engine: with splats, grass and a blend mode per edge",
        ],
        |map, _| {
            name_edges(map);
            set_version(map, "1.2");
            Ok(())
        },
    ),
];

fn set_version(map: &mut Pfmap, version: &str) {
    version.clone_into(&mut map.version);
}

/// Copies the blend mode of a tile to each of its edges: the current engine reads only those of
/// edges.
fn name_edges(map: &mut Pfmap) {
    for tile in &mut map.tiles {
        let names_edges = Edge::ALL
            .iter()
            .any(|edge| tile.get(Field::blend(*edge)) != 0);
        if !names_edges && tile.get(Field::BlendMode) != 0 {
            for (edge, digit) in Edge::ALL.into_iter().zip([tile.get(Field::BlendMode); 4]) {
                tile.set(Field::blend(edge), digit);
            }
            tile.set(Field::BlendMode, 0);
        }
    }
}

/// Reduces each tile to the fields of the document.
fn as_document(map: &mut Pfmap, told: &mut ConversionReport) {
    let (mut covers, mut edges) = (0, 0);
    for tile in &mut map.tiles {
        covers += usize::from(tile.cover() != Cover::None);
        tile.set(Field::Cover, 0);
        let modes = tile.blends();
        let is_one = modes.iter().all(|mode| *mode == modes[0]);
        let is_known = matches!(modes[0], BlendMode::None | BlendMode::Blur);
        edges += usize::from(!is_one || !is_known);
        let is_blurred = modes.iter().any(|mode| *mode != BlendMode::None);
        for edge in Edge::ALL {
            tile.set(Field::blend(edge), 0);
        }
        tile.set(Field::BlendMode, is_blurred.into());
    }
    told.lost(covers, "tile", "their grass");
    let what = "their blend modes, which differ between edges or are neither none nor blur: all edges are blurred";
    told.lost(edges, "tile", what);
}

impl Content for Pfmap {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        pfmap::read(bytes)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn write(&self) -> Result<Vec<u8>, String> {
        Ok(pfmap::write(self))
    }

    fn format() -> &'static Format {
        &FORMAT
    }

    fn form(&self) -> String {
        format!("version {}", self.version)
    }

    fn is_same(&self, other: &Self) -> bool {
        let names = |map: &Self| -> Vec<[String; 2]> {
            let materials = map.materials.iter();
            materials
                .map(|it| [it.name.clone(), it.texture.clone()])
                .collect()
        };
        let head = |map: &Self| (map.version.clone(), map.chunk_rows, map.chunk_cols);
        head(self) == head(other)
            && names(self) == names(other)
            && self.splats == other.splats
            && self.tiles == other.tiles
    }

    fn unwritten(&self, bytes: &[u8], told: &mut ConversionReport) {
        let names = self
            .materials
            .iter()
            .flat_map(|it| [&*it.name, &*it.texture]);
        report_encoding_loss(bytes, &mut names.into_iter(), told);
        let mut odd = Vec::new();
        for row in 0..self.rows() {
            for col in 0..self.cols() {
                if let Found::Odd(found) = self.found(row, col) {
                    let written = self.tile(row, col).map(pfmap::Tile::text);
                    if written.is_none_or(|text| *found.text != text) {
                        odd.push(format!("{row},{col}"));
                    }
                }
            }
        }
        let what = "characters that the document does not allow: they become what the engine reads";
        told.lost(odd.into_iter().collect::<ItemNames>(), "tile", what);
    }
}
