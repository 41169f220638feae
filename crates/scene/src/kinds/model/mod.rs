//! Models: meshes with animated skeletons, of PFOBJ and P3M files, shown as in their engines.

pub mod attached;
mod bounds;
mod clips;
mod compare;
pub mod crowd;
mod document;
mod exported;
mod fields;
mod flaws;
mod info;
mod legends;
mod lods;
mod materials;
pub mod mesh;
mod motion;
mod outline;
mod overlays;
pub(crate) mod p3m;
mod pick;
mod place;
mod posed;
mod poses;
#[cfg(test)]
mod sample;
pub mod simplify;
pub mod skeleton;
mod textures;
mod uses;
mod walk;
mod weld;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use glam::{Affine3A, Vec3, Vec3A};

pub(crate) use document::{OVERLAYS, P3M_OVERLAYS};
pub use legends::{HEAT_COLORS, REVERSED_COLOR};
pub(crate) use materials::Materials;
pub use materials::{Blending, ENGINE_TEXTURE_SIZE, Material};
pub use motion::DEFAULT_GHOST_STEP;
pub use p3m::PartState;
pub use poses::{Poses, skin_normal, skin_position};

use self::bounds::Extents;
use self::lods::Lods;
use self::mesh::Mesh;
use self::motion::LoopGap;
use self::p3m::Rig;
use self::posed::Cache;
use self::simplify::SimplifiedMesh;
use self::skeleton::{Skeleton, SkinMatrix};
use self::uses::Uses;
use crate::assets::SharedTextures;
use crate::camera::Handedness;
use crate::core::rules;
use crate::geometry::bvh::Bvh;
use crate::{
    Aabb, About, ClipInfo, Document, Flaw, GameView, Item, ModelItem, OpenError, OpenOptions,
    Overlay, Playhead, Progress, Source,
};
use mapscope_formats::pfobj::{self, Pfobj};
use mapscope_formats::{Format, Place, Problem, Problems, Subject, quoted};

/// An open model, ready to be drawn, posed, picked and described. Model space is world space.
#[derive(Debug)]
pub struct Model {
    path: PathBuf,
    /// The data of the file, in P3M converted.
    pfobj: Pfobj,
    /// The parts of a P3M file.
    rig: Option<Rig>,
    mesh: Mesh,
    /// Built only if the model is drawn many times.
    simplified: OnceLock<Vec<SimplifiedMesh>>,
    skeleton: Skeleton,
    poses: Poses,
    materials: Materials,
    /// Indices of materials whose textures were pending when it was opened, in ascending order.
    unread: Vec<usize>,
    extents: Extents,
    uses: Uses,
    bvh: Bvh,
    clips: Vec<ClipInfo>,
    /// Notes about the file that are not problems, in file order.
    notes: Vec<Problem>,
    about: About,
    posed: Cache,
    lods: Lods,
    /// Differences between the ends of each clip, once they were needed.
    loops: OnceLock<Vec<Option<LoopGap>>>,
}

/// The properties of a model that depend on its format.
struct Own {
    format: &'static Format,
    version: String,
    handedness: Handedness,
    game_view: GameView,
    overlays: &'static [Overlay],
}

/// Opens a model for the table of formats.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let pfobj = source.parse::<Pfobj>(progress)?;
    Ok(Arc::new(Model::build(pfobj, source, options, progress)?))
}

impl Model {
    /// Builds a model from a parsed file.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub fn build(
        pfobj: Pfobj,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let materials = Materials::find(&pfobj, source, options, &SharedTextures::default());
        materials.read(progress)?;
        Self::build_with(pfobj, source, materials, progress)
    }

    /// Builds a model with materials whose textures may be read later.
    ///
    /// # Errors
    /// Only when the load is cancelled.
    pub(crate) fn build_with(
        pfobj: Pfobj,
        source: &Source,
        materials: Materials,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        progress.report(0.6)?;
        let mesh = Mesh::build(&pfobj);
        let skeleton = Skeleton::build(&pfobj.joints);
        progress.report(0.7)?;
        let poses = Poses::build(&pfobj, &skeleton);
        let parts = (pfobj, mesh, skeleton, poses);
        Self::with_parts(parts, None, source, materials, progress)
    }

    /// Builds a model of its data, mesh, skeleton and poses, with the parts of a P3M file.
    fn with_parts(
        (mut pfobj, mesh, skeleton, poses): (Pfobj, Mesh, Skeleton, Poses),
        rig: Option<Rig>,
        source: &Source,
        mut materials: Materials,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        progress.report(0.75)?;
        let extents = Extents::measure(&pfobj, &mesh, &skeleton, &poses, progress)?;
        progress.report(0.9)?;
        let mut uses = Uses::count(&pfobj, &mesh);
        if rig.is_some() {
            // Vertices without weights stay at rest.
            uses.forget(Flaw::Unweighted);
        }
        let clips = pfobj
            .clips
            .iter()
            .zip(0..)
            .map(|(clip, index)| ClipInfo {
                name: clip.name.clone(),
                frames: poses.frames(index as usize),
                item: ModelItem::Clip { index }.into(),
                is_clock: false,
                rates: poses
                    .keys()
                    .map_or_else(Vec::new, |keys| keys.rates(index as usize)),
            })
            .collect();
        let mut problems = std::mem::take(&mut pfobj.problems);
        let mut notes = std::mem::take(&mut pfobj.notes);
        let mut made = Problems::default();
        let mut made_notes = Problems::default();
        let unread = materials.unread();
        let is_known = |index| unread.binary_search(&index).is_err();
        materials.check(&pfobj, is_known, &mut made);
        let mut lods = Lods::default();
        if let Some(rig) = &rig {
            rig.check(&uses, &mut made, &mut made_notes);
        } else {
            extents.check(&pfobj, &mut problems);
            check_flat_joints(&pfobj, &skeleton, &mut made);
            flaws::check(&pfobj, &uses, &mut problems, &mut made_notes);
            check_unused_materials(&pfobj, &uses, &mut made_notes);
            exported::check(&pfobj, &uses, &problems, &mut made);
            lods = Lods::beside(&source.path);
            lods.check(&source.path, &pfobj, &mut made);
        }
        for (list, made) in [(&mut problems, made), (&mut notes, made_notes)] {
            list.extend(made.finish());
            list.sort_by_key(|problem| problem.place);
        }
        let others = lods.iter().map(|(_, path)| path.to_owned());
        materials
            .dependencies
            .extend(others.filter(|path| *path != source.path));
        let own = match &rig {
            Some(rig) => rig.about(),
            None => Own {
                format: &pfobj::FORMAT,
                version: pfobj.version.clone(),
                handedness: Handedness::Mirrored,
                game_view: GameView::FromAbove,
                overlays: &OVERLAYS,
            },
        };
        let about = About {
            format: own.format,
            version: own.version,
            problems,
            // In the bind pose and the first clip.
            bounds: whole(&pfobj, &extents, &skeleton),
            handedness: own.handedness,
            game_view: own.game_view,
            overlays: own.overlays,
            dependencies: std::mem::take(&mut materials.dependencies),
            kinds: Vec::new(),
            floor_height: None,
            cpu_bytes: 0,
        };
        let mut model = Self {
            lods,
            loops: OnceLock::new(),
            path: source.path.clone(),
            bvh: Bvh::build(&[]),
            posed: Cache::default(),
            pfobj,
            rig,
            mesh,
            simplified: OnceLock::new(),
            skeleton,
            poses,
            materials,
            unread,
            extents,
            uses,
            clips,
            notes,
            about,
        };
        model.bvh = Bvh::build(&model.centers());
        model.about.cpu_bytes = model.cpu_bytes();
        progress.report(1.0)?;
        Ok(model)
    }

    fn cpu_bytes(&self) -> u64 {
        let clips = self.pfobj.clips.iter().map(|clip| {
            size_of_val(clip.poses.as_slice())
                + size_of_val(clip.bounds.as_slice())
                + size_of_val(clip.frame_lines.as_slice())
        });
        let frames = self.extents.frames.iter();
        let bytes = size_of_val(self.pfobj.vertices.as_slice())
            + size_of_val(self.pfobj.influences.as_slice())
            + size_of_val(self.pfobj.joints.as_slice())
            + clips.sum::<usize>()
            + frames
                .map(|frames| size_of_val(frames.as_slice()))
                .sum::<usize>()
            + self.mesh.cpu_bytes()
            + self.uses.cpu_bytes()
            + self.skeleton.cpu_bytes()
            + self.poses.cpu_bytes()
            + self.rig.as_ref().map_or(0, Rig::cpu_bytes)
            + self.bvh.cpu_bytes()
            + self.materials.cpu_bytes();
        bytes as u64
    }

    /// Returns the centres of the drawn triangles, in the bind pose.
    fn centers(&self) -> Vec<Vec3A> {
        let points = self.mesh.points.iter();
        let places: Vec<Vec3> = points.map(|point| point.position).collect();
        (0..self.mesh.triangles.len() as u32)
            .map(|triangle| {
                let [a, b, c] = self.drawn_corners(&places, triangle);
                Vec3A::from((a + b + c) / 3.0)
            })
            .collect()
    }

    /// Path of the source file, or only a name if the model is built in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The parsed model. Its problems are in [`About::problems`].
    pub fn pfobj(&self) -> &Pfobj {
        &self.pfobj
    }

    /// Returns the problems found on opening, and those found in textures since then.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut found = Problems::default();
        let is_unread = |index| self.unread.binary_search(&index).is_ok();
        self.materials.check(&self.pfobj, is_unread, &mut found);
        let mut problems = self.about.problems.clone();
        problems.extend(found.finish());
        problems.sort_by_key(|problem| problem.place);
        problems
    }

    /// The mesh for the GPU, in the bind pose.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// `true` if all its textures were read without a fault.
    pub(crate) fn has_all_textures(&self) -> bool {
        self.materials.are_complete()
    }

    /// Materials of the mesh's parts: those of the file, followed by one for missing materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials.drawn
    }

    /// Number of matrices in a joint palette: one for each joint, and at least one.
    pub fn palette_len(&self) -> usize {
        self.skeleton.len().max(1)
    }

    /// Writes the joint palette of a moment, of [`palette_len`](Self::palette_len) matrices,
    /// without allocating.
    pub fn write_palette(&self, playhead: Playhead, palette: &mut [SkinMatrix]) {
        poses::write_palette(&self.pfobj, &self.skeleton, &self.poses, playhead, palette);
    }

    /// Largest side of the model in its bind pose and first clip, in units.
    fn size(&self) -> f32 {
        let bounds = self.about.bounds;
        (bounds.max - bounds.min).max_element()
    }

    /// Bounds of the mesh over all frames of a clip, or in the bind pose. `None` without a mesh or
    /// frames.
    pub(crate) fn extent_of(&self, clip: Option<usize>) -> Option<Aabb> {
        let extent = match clip {
            None => self.extents.bind,
            Some(clip) => {
                let frames = self.extents.frames.get(clip)?.iter().copied();
                frames.reduce(|all, next| all.union(&next))
            }
        };
        extent.filter(Aabb::is_finite)
    }

    /// Bounds of the mesh at a moment, or `None` without a mesh.
    pub(crate) fn extent_at(&self, playhead: Playhead) -> Option<Aabb> {
        if self.poses.between(playhead).is_none() {
            return self.extents.bind;
        }
        match self.poses.frame_at(playhead).filter(|_| self.rig.is_none()) {
            Some((clip, frame)) => {
                let frames = self.extents.frames.get(clip)?;
                frames.get(frame as usize).copied()
            }
            None => self.with_mesh(playhead, |mesh| Aabb::around(mesh.points.iter().copied())),
        }
    }

    /// Returns the joint of an item, if it exists.
    fn joint_of(&self, item: Item) -> Option<usize> {
        let Item::Model(ModelItem::Joint { index }) = item else {
            return None;
        };
        Some(index as usize).filter(|joint| *joint < self.skeleton.len())
    }

    /// Returns the start and the end of a bone in world space, for the joints' matrices at a
    /// moment.
    fn bone(&self, globals: &[Affine3A], joint: usize) -> [Vec3; 2] {
        let global = globals.get(joint).copied().unwrap_or_default();
        let named = self.pfobj.joints.get(joint);
        let tip = named.map_or([0.0; 3], |joint| joint.tip);
        [
            Vec3::from(global.translation),
            global.transform_point3(tip.into()),
        ]
    }
}

/// Returns the item of a joint.
fn joint_item(joint: usize) -> Item {
    let index = joint as u32;
    ModelItem::Joint { index }.into()
}

/// Returns the item of a material.
fn material_item(material: usize) -> Item {
    let index = material as u32;
    ModelItem::Material { index }.into()
}

/// Bounds of a model in the bind pose and the first clip. Without a mesh, they are those of its
/// skeleton or else of its file.
fn whole(pfobj: &Pfobj, extents: &Extents, skeleton: &Skeleton) -> Aabb {
    let frames = extents.frames.first().into_iter().flatten().copied();
    let posed = extents
        .bind
        .into_iter()
        .chain(frames)
        .filter(Aabb::is_finite);
    if let Some(posed) = posed.reduce(|all, next| all.union(&next)) {
        return posed;
    }
    let joints = pfobj.joints.iter().enumerate();
    let bones = joints.flat_map(|(i, joint)| {
        let global = skeleton.bind_global(i);
        let tip = global.transform_point3(joint.tip.into());
        [Vec3::from(global.translation), tip]
    });
    let bones = Aabb::around(bones.filter(|place| place.is_finite()));
    let declared = || pfobj.bounds.as_ref().map(Aabb::from);
    bones.or_else(declared).unwrap_or_default()
}

/// Reports materials that no triangle uses.
fn check_unused_materials(pfobj: &Pfobj, uses: &Uses, notes: &mut Problems) {
    let materials = pfobj.materials.iter().zip(&uses.materials).zip(0..);
    for ((material, _), index) in materials.filter(|((_, uses), _)| uses.triangles == 0) {
        let (subject, place) = (Subject::Material(index), Place::line(material.line));
        notes.add_about(&rules::UNUSED_MODEL_MATERIAL, subject, place, || {
            let name = quoted(material.name.as_bytes());
            format!("material {index} {name} is not used by any triangle")
        });
    }
}

/// Warns of each joint whose bind pose is not invertible.
fn check_flat_joints(pfobj: &Pfobj, skeleton: &Skeleton, problems: &mut Problems) {
    let flat = skeleton.carried().iter().filter_map(|(joint, carrier)| {
        let index = *joint as usize;
        // Descendants of such a joint are singular too, but not the cause.
        let is_first = skeleton.parent(index) == carrier.map(|carrier| carrier as usize);
        let named = pfobj.joints.get(index).filter(|_| is_first)?;
        Some((Subject::Joint(*joint), named))
    });
    for (subject, joint) in flat {
        let place = Place::line(joint.line);
        problems.add_about(&rules::FLAT_JOINT, subject, place, || {
            format!(
                "the bind pose of joint {} has scale 0; its vertices move with the parent joint",
                quoted(joint.name.as_bytes())
            )
        });
    }
}
