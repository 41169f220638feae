//! Mistakes of mappers that no rule of the format forbids.

use std::cell::LazyCell;
use std::collections::HashMap;

use glam::Vec3;

use super::build::add;
use super::place::{can_move, foot, footprint_of, is_blocker};
use super::{MapScene, Placed, SceneModel};
use crate::Aabb;
use crate::core::rules;
use crate::describe::numbers::short;
use crate::kinds::terrain::Terrain;
use crate::kinds::terrain::navigation::{Cell, Domain, Overhang};
use mapscope_formats::pfscene::{Pfscene, Value};
use mapscope_formats::{Problem, Problems, counted, quoted};

/// Tolerance for equal positions, in world units, and for equal quaternion components.
const SAME_TOLERANCE: f32 = 0.01;
/// Factor between the scale of an entity and that of others of its model above which it is odd.
const ODD_FACTOR: f32 = 5.0;
/// An island is small if the largest one has more than this many times its cells.
const SMALL_ISLAND: u32 = 20;

/// Warns of coinciding entities, which are invisible duplicates.
pub(super) fn check_doubles(pfscene: &Pfscene, entities: &[Placed], problems: &mut Problems) {
    let mut seen = HashMap::new();
    for (index, (entity, placed)) in (0..).zip(pfscene.entities.iter().zip(entities)) {
        if !placed.has_position {
            continue;
        }
        let rotation = entity.attributes.value("rotation").and_then(Value::quat);
        let numbers = rotation.into_iter().flatten();
        let key: Vec<i64> = numbers
            .chain(placed.position().to_array())
            .map(|number| (number / SAME_TOLERANCE).round() as i64)
            .collect();
        let first = *seen.entry((placed.model, key)).or_insert(index);
        let Some(other) = pfscene.entities.get(first as usize) else {
            continue;
        };
        if first != index {
            let (rule, key) = (&rules::DOUBLE_ENTITY, Some("position"));
            add(problems, rule, pfscene, index, key, || {
                let (name, line) = (quoted(other.name.as_bytes()), other.line);
                format!(
                    "same model, position and rotation as entity {first} {name} on line \
                         {line}"
                )
            });
        }
    }
}

/// Warns of entities whose scale is far from the median of their model.
pub(super) fn check_scales(pfscene: &Pfscene, models: &[SceneModel], problems: &mut Problems) {
    for model in models {
        let scale = |index: &u32| {
            let attributes = &pfscene.entities.get(*index as usize)?.attributes;
            let scale = Vec3::from(attributes.value("scale")?.vec3()?)
                .abs()
                .max_element();
            (scale.is_finite() && scale > 0.0).then_some((*index, scale))
        };
        let scales: Vec<(u32, f32)> = model.entities.iter().filter_map(scale).collect();
        let mut sorted: Vec<f32> = scales.iter().map(|(_, scale)| *scale).collect();
        sorted.sort_by(f32::total_cmp);
        let Some(&median) = sorted.get(sorted.len().saturating_sub(1) / 2) else {
            continue;
        };
        for (index, scale) in scales {
            let factor = scale / median;
            if (1.0 / ODD_FACTOR..=ODD_FACTOR).contains(&factor) {
                continue;
            }
            let (rule, key) = (&rules::ODD_SCALE, Some("scale"));
            add(problems, rule, pfscene, index, key, || {
                let [scale, median] = [scale, median].map(short);
                format!("scale {scale}; other entities of the model have {median}")
            });
        }
    }
}

impl MapScene {
    /// Notes on entities that stand where they cannot stay or leave.
    pub(super) fn misplaced_entities(&self) -> Vec<Problem> {
        let mut notes = Problems::new();
        let Some(terrain) = self.terrain() else {
            return Vec::new();
        };
        for model in &self.models {
            let walks = LazyCell::new(|| self.walks(terrain, model));
            let foot = LazyCell::new(|| model.model.as_deref().and_then(foot));
            for &index in &model.entities {
                self.note_unit(terrain, index, &walks, &mut notes);
                self.note_overhang(terrain, index, &foot, &mut notes);
            }
        }
        notes.finish()
    }

    /// The cell below an entity that can move.
    fn cell_of_unit(&self, terrain: &Terrain, index: u32) -> Option<Cell> {
        let placed = self.entities.get(index as usize)?;
        let entity = self.pfscene.entities.get(index as usize)?;
        let position = placed.position();
        let cell = terrain.cell_at(position.x, position.z)?;
        (placed.has_position && can_move(entity)).then_some(cell)
    }

    /// `true` if entities of a model go on foot: it has a clip for that, or one of them stands on ground.
    fn walks(&self, terrain: &Terrain, model: &SceneModel) -> bool {
        let has_clip = model.model.as_ref().is_some_and(|model| {
            model.pfobj().clips.iter().any(|clip| {
                let name = clip.name.to_lowercase();
                name.contains("walk") || name.contains("run")
            })
        });
        let ground = terrain.navigation().islands(Domain::Ground);
        has_clip
            || model.entities.iter().any(|index| {
                let cell = self.cell_of_unit(terrain, *index);
                cell.is_some_and(|cell| ground.at(cell).is_some())
            })
    }

    /// Notes a unit that cannot move, or cannot leave a small island.
    /// `walks` is `true` for models that go on foot.
    fn note_unit<F: FnOnce() -> bool>(
        &self,
        terrain: &Terrain,
        index: u32,
        walks: &LazyCell<bool, F>,
        notes: &mut Problems,
    ) {
        let Some(cell) = self.cell_of_unit(terrain, index) else {
            return;
        };
        let (map, grid) = (terrain.map(), terrain.navigation());
        let (row, col) = cell.tile();
        let of_map = format_args!("(row {row}, column {col} of the map)");
        let key = Some("position");
        if let Some(obstacle) = grid.obstacle(map, Domain::Ground, cell) {
            let is_ship = grid.islands(Domain::Water).at(cell).is_some() && !**walks;
            if !is_ship {
                add(
                    notes,
                    &rules::STUCK_ENTITY,
                    &self.pfscene,
                    index,
                    key,
                    || {
                        let why = terrain.obstacle_text(obstacle);
                        format!("movable, but cannot leave its position: {why} {of_map}")
                    },
                );
            }
            return;
        }
        let ground = grid.islands(Domain::Ground);
        let island = ground.at(cell).and_then(|at| ground.list.get(at));
        let (Some(island), Some(largest)) = (island, ground.list.first()) else {
            return;
        };
        if island.cells < largest.cells / SMALL_ISLAND {
            add(
                notes,
                &rules::CUT_OFF_ENTITY,
                &self.pfscene,
                index,
                key,
                || {
                    let cells = counted(island.cells as usize, "cell");
                    format!("movable, but confined to an island of {cells} {of_map}")
                },
            );
        }
    }

    /// Notes a static entity whose foot, in model space, lies across a cliff or the edge of the map.
    fn note_overhang<F: FnOnce() -> Option<Aabb>>(
        &self,
        terrain: &Terrain,
        index: u32,
        foot: &LazyCell<Option<Aabb>, F>,
        notes: &mut Problems,
    ) {
        let entity = self.pfscene.entities.get(index as usize);
        let placed = self.entities.get(index as usize);
        let standing = entity.zip(placed).filter(|(entity, placed)| {
            // An entity off the map already has a warning.
            is_blocker(entity) && placed.ground.is_some()
        });
        let overhang = standing.and_then(|(_, placed)| {
            let footprint = footprint_of((**foot)?, placed);
            Overhang::of(terrain.map(), &footprint)
        });
        let Some(overhang) = overhang else {
            return;
        };
        let (rule, key) = (&rules::OVERHANG, Some("position"));
        add(notes, rule, &self.pfscene, index, key, || match overhang {
            Overhang::Border => "extends across the edge of the map".to_owned(),
            Overhang::Cliff { row, col, edge } => {
                let side = edge.name();
                format!(
                    "extends across the cliff at the {side} edge of row {row}, column {col} of \
                     the map"
                )
            }
        });
    }
}
