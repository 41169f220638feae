//! What the colours of the overlays of a map mean.

use std::collections::BTreeSet;

use super::environments::Environment;
use super::overlays::{self, cell_color};
use super::{Map, colors};
use crate::model::BACK_FACE_COLOR;
use crate::{LegendEntry, OverlayId};
use mapscope_formats::pmf::CubeKind;

/// How many materials a legend names.
const MAX_MATERIALS: usize = 128;

/// The colour of a cube by the kind of the nearest cube that wraps it, and by whether its own
/// record is extended.
pub(super) fn type_color(wrapper: Option<CubeKind>, is_extended: bool) -> [u8; 3] {
    let color: [u8; 3] = match wrapper {
        Some(CubeKind::VisInfo) => [90, 160, 255],
        Some(CubeKind::LightInfo) => [255, 214, 90],
        Some(CubeKind::PathInfo) => [120, 214, 120],
        Some(CubeKind::Collider) => [90, 225, 225],
        _ => [176, 176, 184],
    };
    if is_extended {
        // Toward red, so that it stands out among its neighbours.
        let [r, g, b] = color;
        return [r.midpoint(255), g / 2, b.midpoint(60)];
    }
    color
}

impl Map {
    /// How many depths the cubes of all levels have.
    pub(super) fn depth_steps(&self) -> usize {
        let levels = self.levels.iter().zip(&self.pmf.levels);
        let deepest = levels.map(|(level, source)| level.counts(source).deepest());
        usize::from(deepest.max().unwrap_or(0)) + 1
    }

    /// What the colours of an overlay mean.
    pub(super) fn legend_of(&self, overlay: OverlayId) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry::new(color, label);
        match overlay {
            OverlayId::OctreeDepth => {
                let steps = self.depth_steps();
                let depths = (0..steps).map(|depth| {
                    LegendEntry::new(colors::step(depth, steps), format!("Depth {depth}"))
                });
                depths.collect()
            }
            OverlayId::CubeTypes => {
                let wrappers = [
                    (None, "In no other cube but parents"),
                    (Some(CubeKind::VisInfo), "In a visibility cube"),
                    (Some(CubeKind::LightInfo), "In a lighting cube"),
                    (Some(CubeKind::PathInfo), "In a pathfinding cube"),
                    (Some(CubeKind::Collider), "In a collider"),
                ];
                let entries = wrappers.into_iter().flat_map(|(kind, label)| {
                    let extended = format!("{label}, extended");
                    [
                        entry(type_color(kind, false), label),
                        entry(type_color(kind, true), &extended),
                    ]
                });
                entries.collect()
            }
            OverlayId::MaterialColors => self.material_legend(),
            OverlayId::Normals => vec![
                entry([255, 128, 128], "Faces east (+X)"),
                entry([128, 255, 128], "Faces up (+Y)"),
                entry([128, 128, 255], "Faces north (+Z)"),
            ],
            OverlayId::BackFaces => vec![entry(BACK_FACE_COLOR, "Back of a face")],
            OverlayId::ChunkBorders => vec![
                entry(overlays::BORDER, "Chunk"),
                entry(overlays::BROKEN, "Chunk that cannot be read"),
            ],
            OverlayId::LeftOut if self.left_out.iter().any(|of| !of.is_whole) => vec![
                entry(overlays::DAMAGED, "Chunk of which something cannot be read"),
                entry(overlays::BROKEN, "Chunk or cube that cannot be read"),
            ],
            OverlayId::Cells => {
                let mut entries = vec![
                    entry(cell_color(CubeKind::Empty), "Empty"),
                    entry(cell_color(CubeKind::Geometry), "Geometry"),
                    entry(cell_color(CubeKind::Parent), "Parent"),
                    entry(cell_color(CubeKind::LightInfo), "Wrapper of nothing"),
                    entry(overlays::ORPHANS, "Chunk with cubes that are not reached"),
                ];
                if self.has_too_many_cells() {
                    entries.push(entry(
                        overlays::BORDER,
                        "Of more than 20000, only those of the selected cube's chunk, or else of \
                         a lesser depth",
                    ));
                }
                entries
            }
            OverlayId::Colliders => vec![entry(overlays::COLLIDER, "Collider")],
            OverlayId::Environments => Environment::ALL
                .into_iter()
                .map(|of| entry(of.color(), of.name()))
                .collect(),
            OverlayId::ServerRegions => vec![
                entry(overlays::SERVER, "Server region"),
                entry(
                    overlays::SERVER_SELECTED,
                    "To the chunks that the selected one keeps active",
                ),
            ],
            OverlayId::Visibility => vec![
                entry(overlays::SEEN_FROM, "Visibility cube of the selection"),
                entry(overlays::SEEN, "Seen from there"),
            ],
            OverlayId::Paths => vec![entry(overlays::PATH, "Pathfinding cube")],
            OverlayId::Entities => self.entity_legend(),
            _ => Vec::new(),
        }
    }

    /// The materials that are used.
    fn material_legend(&self) -> Vec<LegendEntry> {
        let used = self.levels.iter().enumerate().flat_map(|(number, level)| {
            let materials = level.materials.list.iter().zip(level.uses());
            let materials = materials.zip(level.material_colors());
            let used = materials.filter(|((_, uses), _)| uses.faces > 0);
            used.map(move |((material, _), color)| {
                let label = match self.levels.len() {
                    1 => material.name.clone(),
                    _ => format!("{} of level {number}", material.name),
                };
                LegendEntry::new(*color, label)
            })
        });
        used.take(MAX_MATERIALS).collect()
    }

    /// The types of entities that there are.
    fn entity_legend(&self) -> Vec<LegendEntry> {
        let kinds: BTreeSet<_> = self.entities_of_all().map(|(kind, _)| kind).collect();
        let entries = kinds.into_iter().map(|kind| {
            let color = colors::distinct(kind.number().into());
            LegendEntry::new(color, kind.name())
        });
        entries.collect()
    }
}
