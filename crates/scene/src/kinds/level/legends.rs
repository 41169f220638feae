//! Legends of the overlays of a map.

use std::collections::BTreeSet;

use super::fields::environment::Environment;
use super::overlays::{self, cell_color};
use super::{Map, colors};
use crate::{LegendEntry, OverlayId, Shown};
use mapscope_formats::pmf::CubeKind;

/// Maximum number of materials in a legend.
const MAX_MATERIALS: usize = 128;

/// Returns the colour of a cube by the kind of its nearest wrapper, and by whether its own record
/// is extended.
pub(super) fn type_color(wrapper: Option<CubeKind>, is_extended: bool) -> [u8; 3] {
    let color: [u8; 3] = match wrapper {
        Some(CubeKind::VisInfo) => [90, 160, 255],
        Some(CubeKind::LightInfo) => [255, 214, 90],
        Some(CubeKind::PathInfo) => [120, 214, 120],
        Some(CubeKind::Collider) => [90, 225, 225],
        _ => [176, 176, 184],
    };
    if is_extended {
        // Shifted toward red, to stand out among its neighbours.
        let [r, g, b] = color;
        return [r.midpoint(255), g / 2, b.midpoint(60)];
    }
    color
}

impl Map {
    /// Number of distinct depths of cubes, over all levels.
    pub(super) fn depth_steps(&self) -> usize {
        let levels = self.levels.iter().zip(&self.pmf.levels);
        let deepest = levels.map(|(level, source)| level.counts(source).deepest());
        usize::from(deepest.max().unwrap_or(0)) + 1
    }

    /// Returns the legend of an overlay in a view, or a note that it shows nothing there.
    pub(super) fn legend_in(&self, overlay: OverlayId, shown: &Shown) -> Vec<LegendEntry> {
        let level = shown.level;
        let has_kind = |kind: CubeKind| {
            self.level(level).is_some_and(|(data, source)| {
                let counts = data.counts(source).kinds;
                counts.get(kind as usize).is_some_and(|count| *count > 0)
            })
        };
        let has_any = match overlay {
            OverlayId::Colliders => has_kind(CubeKind::Collider),
            OverlayId::LightProbes => has_kind(CubeKind::LightInfo),
            OverlayId::Paths => has_kind(CubeKind::PathInfo),
            OverlayId::Visibility => has_kind(CubeKind::VisInfo),
            OverlayId::Environments => self.regions(level).next().is_some(),
            OverlayId::ServerRegions => self.server_regions(level).next().is_some(),
            OverlayId::Entities => self.markers(level).next().is_some(),
            _ => true,
        };
        if !has_any {
            return vec![LegendEntry::of_several("None in this level")];
        }
        if overlay == OverlayId::Visibility && self.seen_from(shown).is_none() {
            let nowhere = "The eye is not in a visibility cube: select one";
            return vec![LegendEntry::of_several(nowhere)];
        }
        self.legend_of(overlay)
    }

    /// Returns the legend of an overlay.
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
                    (None, "Only in parent cubes"),
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
            OverlayId::BackFaces => vec![entry(colors::BACK_FACE, "Back of a face")],
            OverlayId::ChunkBorders => vec![
                entry(overlays::BORDER, "Chunk"),
                entry(overlays::BROKEN, "Unreadable chunk"),
            ],
            OverlayId::LeftOut if self.left_out.iter().any(|of| !of.is_whole) => vec![
                entry(overlays::DAMAGED, "Damaged chunk"),
                entry(overlays::BROKEN, "Unreadable chunk or cube"),
            ],
            OverlayId::Cells => {
                let mut entries = vec![
                    entry(cell_color(CubeKind::Empty), "Empty"),
                    entry(cell_color(CubeKind::Geometry), "Geometry"),
                    entry(cell_color(CubeKind::Parent), "Parent"),
                    entry(cell_color(CubeKind::LightInfo), "Wrapper without content"),
                    entry(overlays::ORPHANS, "Chunk with unreachable cubes"),
                ];
                if self.exceeds_cell_budget() {
                    entries.push(entry(
                        overlays::BORDER,
                        "More than 20000 cells: only the chunk of the selected cube, or a lower \
                         depth, is shown",
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
                    "Link to a chunk that the selected region keeps active",
                ),
            ],
            OverlayId::Visibility => vec![
                entry(overlays::SEEN_FROM, "Selected visibility cube"),
                entry(overlays::SEEN, "Visible from this cube"),
            ],
            OverlayId::Paths => vec![entry(overlays::PATH, "Pathfinding cube")],
            OverlayId::Entities => self.entity_legend(),
            _ => Vec::new(),
        }
    }

    /// Returns a legend entry for each used material.
    fn material_legend(&self) -> Vec<LegendEntry> {
        let used = self.levels.iter().enumerate().flat_map(|(number, level)| {
            let materials = level
                .materials
                .list
                .iter()
                .zip(level.uses())
                .zip(level.material_colors());
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

    /// Returns a legend entry for each entity type in the map.
    fn entity_legend(&self) -> Vec<LegendEntry> {
        let kinds: BTreeSet<_> = self.entities_of_all().map(|(kind, _)| kind).collect();
        let entries = kinds.into_iter().map(|kind| {
            let color = colors::distinct(kind.number().into());
            LegendEntry::new(color, kind.name())
        });
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LevelItem;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf::{Cubes, Geometry};

    /// Overlays whose content is optional in a level.
    const OF_PARTS: [OverlayId; 6] = [
        OverlayId::Colliders,
        OverlayId::LightProbes,
        OverlayId::Paths,
        OverlayId::Visibility,
        OverlayId::Environments,
        OverlayId::ServerRegions,
    ];

    /// Two chunks of one box each, without drawn faces.
    fn plain() -> Map {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        for chunk in &mut pmf.levels[0].chunks {
            let data = chunk.data.as_mut().unwrap();
            let mut cubes = Cubes::default();
            cubes.push_geometry(Geometry::new(0, 0, 0), &[]);
            cubes.link().unwrap();
            data.cubes = cubes;
            data.weather_regions.clear();
            data.gravity_regions.clear();
            let client = data.client.as_mut().unwrap();
            client.sound_regions.clear();
            client.sky_regions.clear();
            data.server.as_mut().unwrap().regions.clear();
        }
        sample::map(pmf)
    }

    #[test]
    fn overlays_without_anything_to_show_say_so() {
        let (full, plain) = (sample::made_up(), plain());
        let shown = Shown::default();
        for id in OF_PARTS {
            let none = LegendEntry::of_several("None in this level");
            assert_eq!(
                plain.legend_in(id, &shown),
                std::slice::from_ref(&none),
                "{id}"
            );
            assert!(!full.legend_in(id, &shown).contains(&none), "{id}");
        }
    }

    #[test]
    fn cubes_without_a_face_use_their_material() {
        let map = plain();
        let (level, source) = map.level(0).unwrap();
        assert!(level.uses().iter().all(|uses| uses.faces == 0));
        let uses = level.cube_uses(source);
        assert_eq!(uses.iter().map(|uses| uses.cubes).sum::<usize>(), 2);
        for (index, uses) in uses.iter().enumerate() {
            let note = map.described(LevelItem::material(0, index)).unwrap().note();
            match uses.cubes {
                0 => assert_eq!(note, "not used"),
                _ => assert!(note.ends_with("no face"), "{note}"),
            }
        }
    }
}
