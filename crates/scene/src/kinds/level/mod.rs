//! Levels: PMF maps of cubes, shown as in `PlatinumSrc`.
//!
//! # Handedness
//!
//! World coordinates are those of the file, in metres from the centre of a level's centre chunk:
//! left-handed, X right, Y up, Z forward (fact sheet B1). They are not converted. All maths is
//! nevertheless that of right-handed coordinates. Two places compensate for this:
//!
//! * The view is [`Handedness::Left`] ([`HANDEDNESS`]). Looking along a direction `f` with Y up,
//!   right is `Y x f` in a left-handed world and `f x Y` in a right-handed one. The left-handed
//!   world seen directly and the right-handed one seen in a mirror are therefore the same image.
//! * Triangles are listed with their second and third corner swapped ([`mesh`]). In the file their
//!   outward normal is `(c - a) x (b - a)` (fact sheet B3), and everywhere else in the program it
//!   is `(b - a) x (c - a)`.

pub mod atlas;
mod branches;
pub mod caps;
mod chunk_map;
mod clips;
mod compare;
mod date;
mod document;
mod fields;
mod images;
mod info;
mod items;
mod known;
mod left_out;
mod legends;
mod lightmaps;
pub mod lights;
pub mod materials;
pub mod merge;
pub mod mesh;
mod outline;
mod overlays;
mod pick;
mod place;
#[cfg(test)]
mod sample;
mod sections;
mod signals;
mod sky;
pub mod textures;
pub mod tint;
mod visibility;
mod walk;

pub(crate) use document::OVERLAYS;
pub use fields::entity::PlacedEntity;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use glam::Vec3;

use self::atlas::Atlas;
use self::fields::entity::EntityIndex;
use self::fields::file::UnreferencedTextures;
use self::fields::light::LightList;
use self::known::Known;
use self::left_out::LeftOut;
use self::materials::Materials;
use self::mesh::{ChunkMesh, MeshInputs};
use self::pick::Trees;
use self::sections::Sections;
use self::sky::SkyRegion;
use self::textures::Textures;
use crate::camera::Handedness;
use crate::core::parallel::in_parallel;
use crate::core::rules;
use crate::{
    Aabb, About, ClipInfo, Document, GameView, LevelInfo, LevelItem, OpenError, OpenOptions,
    Progress, Source, colors,
};
use mapscope_formats::pmf::{self, Pmf};
use mapscope_formats::{Place, Problem, Subject};

/// Handedness of level worlds, with which the view is not mirrored (see the module).
pub const HANDEDNESS: Handedness = Handedness::Left;

/// An open map, ready to be drawn, picked and described.
#[derive(Debug)]
pub struct Map {
    path: PathBuf,
    /// The file, for showing the bytes of records.
    bytes: Bytes,
    pmf: Arc<Pmf>,
    levels: Vec<Level>,
    about: About,
    level_infos: Vec<LevelInfo>,
    clips: Vec<ClipInfo>,
    /// Characters of the longest chunk name and of the longest cube number.
    widths: [usize; 2],
    textures: Textures,
    /// Textures of the archive that no material references.
    unnamed: UnreferencedTextures,
    sections: Sections,
    entities: EntityIndex,
    light_list: LightList,
    /// Unreadable parts of each level.
    left_out: Vec<LeftOut>,
}

/// A level, ready to be drawn.
#[derive(Debug)]
pub struct Level {
    /// Appearance of its surfaces.
    pub materials: Materials,
    /// Placement of its lightmaps.
    pub atlas: Atlas,
    /// Chunks that have faces, in file order.
    pub chunks: Vec<ChunkMesh>,
    /// Bounds of its faces in world space, or of its chunks if it has no faces.
    pub bounds: Aabb,
    sky_regions: Vec<SkyRegion>,
    trees: Trees,
    known: Known,
}

/// Opens a map.
///
/// # Errors
/// If nothing of it can be shown, or if `progress` was cancelled.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let pmf = source.parse(progress)?;
    Ok(Arc::new(Map::build(pmf, source, options, progress)?))
}

impl Map {
    /// Builds a map from a parsed file.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub fn build(
        mut pmf: Pmf,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let mut problems = std::mem::take(&mut pmf.problems);
        let mut textures = Textures::load(&pmf, source, options, progress)?;
        problems.append(&mut textures.problems);
        let mut unnamed = UnreferencedTextures::find(&pmf, &textures, progress)?;
        problems.append(&mut unnamed.problems);
        progress.report(0.6)?;
        let mut levels = Vec::with_capacity(pmf.levels.len());
        for level in &pmf.levels {
            levels.push(Level::build(level, &textures, progress)?);
        }
        for (number, (level, source)) in levels.iter().zip(&pmf.levels).enumerate() {
            problems.extend(level.left_out(source, number));
        }
        problems.sort_by_key(|problem| problem.place);
        let level_infos = levels.iter().enumerate().map(|(index, level)| LevelInfo {
            name: format!("Level {index}"),
            item: LevelItem::level(index).into(),
            bounds: level.bounds,
        });
        let bounds = Aabb::around_all(levels.iter().map(|level| level.bounds));
        let about = About {
            format: &pmf::FORMAT,
            // There is only one version.
            version: "0".to_owned(),
            problems,
            // A map without levels has only map-wide data.
            bounds: bounds.unwrap_or(Aabb {
                min: Vec3::NEG_ONE,
                max: Vec3::ONE,
            }),
            handedness: HANDEDNESS,
            game_view: GameView::FirstPerson,
            overlays: &OVERLAYS,
            dependencies: std::mem::take(&mut textures.dependencies),
            kinds: Vec::new(),
            floor_height: None,
            cpu_bytes: (levels.iter().map(Level::cpu_bytes).sum::<usize>() + textures.cpu_bytes())
                as u64,
        };
        progress.report(1.0)?;
        let mut map = Self {
            path: source.path.clone(),
            bytes: source.bytes.clone(),
            sections: Sections::default(),
            entities: EntityIndex::default(),
            light_list: LightList::default(),
            unnamed,
            about,
            level_infos: level_infos.collect(),
            widths: items::widths(&pmf),
            pmf: Arc::new(pmf),
            clips: clips::clips(levels.iter().flat_map(|level| &level.materials.list)),
            levels,
            textures,
            left_out: Vec::new(),
        };
        map.left_out = map.find_omissions();
        Ok(map)
    }

    /// Levels, in file order.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Textures that materials reference.
    pub fn textures(&self) -> &Textures {
        &self.textures
    }

    /// The parsed map. Its problems are in [`About::problems`].
    pub fn pmf(&self) -> &Arc<Pmf> {
        &self.pmf
    }
}

impl Level {
    fn build(
        level: &pmf::Level,
        textures: &Textures,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let materials = Materials::of(level, textures);
        let atlas = Atlas::arrange(level);
        let names = level.common.materials_by_name();
        let around = MeshInputs {
            level,
            materials: &materials,
            names: &names,
            atlas: &atlas,
        };
        let chunks: Vec<ChunkMesh> = in_parallel(level.chunks.len(), progress, |chunk| {
            ChunkMesh::build(&around, chunk)
        })?
        .into_iter()
        .flatten()
        .collect();
        let boxes = chunks.iter().filter(|chunk| !chunk.faces.is_empty());
        let bounds = Aabb::around_all(boxes.map(|chunk| chunk.bounds));
        Ok(Self {
            bounds: bounds.unwrap_or_else(|| grid_bounds(level)),
            sky_regions: sky::regions(level),
            trees: Trees::new(chunks.len()),
            known: Known::new(level.chunks.len(), &chunks),
            materials,
            atlas,
            chunks,
        })
    }

    /// Returns a warning for each chunk with omitted faces.
    fn left_out(&self, level: &pmf::Level, number: usize) -> impl Iterator<Item = Problem> {
        let chunks = self.chunks.iter().filter(|chunk| chunk.left_out > 0);
        chunks.filter_map(move |mesh| {
            let chunk = level.chunks.get(mesh.chunk)?;
            let [_, client, _] = chunk.frames;
            let message = format!(
                "client section of chunk {} of level {number}: {} faces are left out because \
                 they share their vertices with many others",
                chunk.index, mesh.left_out
            );
            let subject = Subject::Chunk {
                level: number as u8,
                chunk: chunk.index.yxz(),
            };
            let place = Place::Offset(client.start);
            Some(Problem::new(
                &rules::SHARED_VERTICES,
                subject,
                place,
                message,
            ))
        })
    }

    fn cpu_bytes(&self) -> usize {
        let chunks = self.chunks.iter().map(ChunkMesh::cpu_bytes);
        chunks.sum::<usize>() + self.atlas.cpu_bytes()
    }
}

/// Bounds of a level's chunks in world space.
fn grid_bounds(level: &pmf::Level) -> Aabb {
    let half = level.chunk_side() * 0.5;
    let ends = [level.chunks.first(), level.chunks.last()];
    let centers =
        ends.map(|chunk| chunk.map_or(Vec3::ZERO, |chunk| level.chunk_center(chunk.index).into()));
    let [first, last] = centers;
    Aabb {
        min: first - half,
        max: last + half,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::camera::{Camera, Pose};

    /// Position of a world point in the view: right and down, from 0 to 1.
    fn seen(pose: Pose, point: [f32; 3]) -> [f32; 2] {
        let camera = Camera::new(pose, HANDEDNESS);
        camera.project(Vec3::from(point), 1.5).unwrap().to_array()
    }

    #[test]
    fn looking_ahead_x_is_right_and_y_is_up() {
        let ahead = Pose {
            eye: Vec3::ZERO,
            target: Vec3::Z,
        };
        let [right, down] = seen(ahead, [1.0, 2.0, 10.0]);
        assert!(right > 0.5 && down < 0.5, "{right} {down}");
        let to_the_right = Pose {
            eye: Vec3::ZERO,
            target: Vec3::X,
        };
        // After a right turn, the former direction ahead is on the left.
        let [right, down] = seen(to_the_right, [10.0, -2.0, 3.0]);
        assert!(right < 0.5 && down > 0.5, "{right} {down}");
    }

    #[test]
    fn the_room_of_the_sample_is_not_mirrored() {
        // The view of a reference screenshot of the room.
        let pose: Pose = "-6,-2,6.3,9.211,-4.394,-6.463".parse().unwrap();
        let [doorway, _] = seen(pose, [8.0, -6.0, 0.0]);
        let pillars = [[3.5, 3.5], [-3.5, 3.5], [-3.5, -3.5]];
        let [left, middle, right] = pillars.map(|[x, z]| seen(pose, [x, -3.0, z])[0]);
        assert!(left < doorway && doorway < middle && middle < right);
        // The stairs go down toward the near end of the right wall.
        let [upper, lower] = [[2.5, -4.0, -5.0], [-2.5, -6.5, -5.0]].map(|step| seen(pose, step));
        assert!(middle < upper[0] && upper[0] < lower[0] && lower[0] < right);
        assert!(upper[1] < lower[1]);
    }
}
