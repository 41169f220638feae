//! P3M models of `PlatinumSrc`, shown as [`Model`]s: their parts, bones and keys.

mod compare;
mod convert;
mod fields;
mod keys;
mod textures;

use std::sync::Arc;

use self::convert::Converted;
use self::fields::part_item;
use self::textures::TextureSet;
use super::document::P3M_OVERLAYS;
use super::poses::Poses;
use super::skeleton::Skeleton;
use super::uses::Uses;
use super::{Model, Own};
use crate::camera::Handedness;
use crate::core::rules;
use crate::describe::value::Value;
use crate::{Document, Flaw, GameView, OpenError, OpenOptions, Playhead, Progress, Source};
use mapscope_formats::p3m::{self, Layout, P3m};
use mapscope_formats::{Place, Problems, Subject, counted};

pub(crate) use self::fields::{info_keys, item_keys};
pub(super) use self::keys::Keys;

/// The P3M file of a model, and where its parts stand in the mesh.
#[derive(Debug)]
pub(super) struct Rig {
    pub(super) file: Arc<P3m>,
    /// For each part, the index of its first vertex in the mesh.
    first_vertices: Vec<u32>,
    /// For each triangle of the model, its part and its index in that part.
    pub(super) triangles: Vec<[u32; 2]>,
    pub(super) textures: TextureSet,
}

/// What decides which parts are drawn, and with which materials. Equal at most moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartState {
    clip: Option<usize>,
    action: Option<usize>,
}

/// Opens a P3M model for the table of formats.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let file = source.parse::<P3m>(progress)?;
    progress.report(0.6)?;
    let mut converted = Converted::new(file);
    let skeleton = Skeleton::build(&converted.pfobj.joints);
    let file = &converted.rig.file;
    let keys = Keys::new(Arc::clone(file), std::mem::take(&mut converted.rest));
    let (materials, textures) = textures::find(file, source, options);
    materials.read(progress)?;
    converted.rig.textures = textures;
    let Converted {
        pfobj, mesh, rig, ..
    } = converted;
    let poses = Poses::of_keys(keys);
    let model = Model::with_parts(
        (pfobj, mesh, skeleton, poses),
        Some(rig),
        source,
        materials,
        progress,
    )?;
    Ok(Arc::new(model))
}

impl Default for Rig {
    fn default() -> Self {
        Self {
            file: Arc::new(P3m::empty(Layout::A, 0)),
            first_vertices: Vec::new(),
            triangles: Vec::new(),
            textures: TextureSet::default(),
        }
    }
}

impl Rig {
    /// The properties of a model that depend on its format.
    pub(super) fn about(&self) -> Own {
        let version = match self.file.layout {
            Layout::A | Layout::B => "0",
            old => fields::layout_id(old),
        };
        Own {
            format: &p3m::FORMAT,
            version: version.to_owned(),
            // Views from the south show the face of a model, which looks along +Z.
            handedness: Handedness::Mirrored,
            game_view: GameView::FromAbove,
            overlays: &P3M_OVERLAYS,
        }
    }

    /// Reports triangles whose winding contradicts their normals as problems, and unused materials
    /// as notes.
    pub(super) fn check(&self, uses: &Uses, problems: &mut Problems, notes: &mut Problems) {
        let reversed = uses.flawed(Flaw::Reversed);
        if let Some([part, triangle]) = reversed.first().and_then(|first| self.part_of(*first)) {
            let place = Place::Offset(self.offset_of(part, triangle) as u64);
            let (count, all) = (reversed.len(), counted(self.triangles.len(), "triangle"));
            let subject = Subject::Part(part as u32);
            problems.add_about(&rules::REVERSED_IN_P3M, subject, place, || {
                format!(
                    "{count} of {all} with a winding that contradicts their normals; the engine \
                     shows them only from behind"
                )
            });
        }
        let materials = self.file.materials.iter().zip(&uses.materials).zip(0..);
        for ((material, _), index) in materials.filter(|((_, uses), _)| uses.triangles == 0) {
            let place = Place::Offset(material.at);
            notes.add_about(
                &rules::UNUSED_IN_P3M,
                Subject::Material(index),
                place,
                || format!("material {index} is not used by any triangle"),
            );
        }
    }

    /// Returns the part and the index in it of a triangle of the model.
    fn part_of(&self, triangle: u32) -> Option<[usize; 2]> {
        let found = self.triangles.get(triangle as usize)?;
        Some(found.map(|index| index as usize))
    }

    /// File offset of a triangle of a part.
    fn offset_of(&self, part: usize, triangle: usize) -> usize {
        let first = self.file.parts.get(part).map_or(0, |part| part.indices_at);
        first as usize + triangle * 3 * size_of::<u16>()
    }

    /// Heap size in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        size_of_val(self.triangles.as_slice()) + size_of_val(self.first_vertices.as_slice())
    }
}

impl Model {
    /// The P3M file of the model; `None` for other formats.
    pub fn p3m(&self) -> Option<&P3m> {
        self.rig.as_ref().map(|rig| &*rig.file)
    }

    /// Returns the material with which each part of the mesh is drawn in a state, or `None` if it
    /// is hidden.
    pub fn materials_of_parts(&self, state: PartState) -> Vec<Option<usize>> {
        let Some(file) = self.p3m() else {
            let parts = self.mesh.parts.iter();
            return parts.map(|part| Some(part.material)).collect();
        };
        let parts = file.parts.iter().zip(file.visible_parts(state.action));
        let materials = parts.map(|(part, is_visible)| {
            let material = usize::from(file.material_of(part, state.clip));
            is_visible.then(|| material.min(file.materials.len()))
        });
        materials.collect()
    }

    /// Returns the state of the parts at a moment.
    pub fn part_state(&self, playhead: Playhead) -> PartState {
        self.poses
            .keys()
            .map_or_else(PartState::default, |keys| PartState {
                clip: playhead.clip,
                action: keys.action_at(playhead),
            })
    }

    /// For each of [`materials`](Self::materials), `true` if some part is ever drawn with it.
    pub fn drawn_materials(&self) -> Vec<bool> {
        let mut drawn = vec![false; self.materials.drawn.len()];
        let rig = self.rig.as_ref();
        let overrides = rig.into_iter().flat_map(|rig| &rig.file.parts);
        let overrides = overrides.flat_map(|part| part.overrides.iter().map(|it| it.material));
        let of_parts = self.mesh.parts.iter().map(|part| part.material);
        for material in of_parts.chain(overrides.map(usize::from)) {
            if let Some(drawn) = drawn.get_mut(material) {
                *drawn = true;
            }
        }
        drawn
    }

    /// Returns the part and the index in it of a triangle of a P3M file.
    pub(super) fn part_of_triangle(&self, triangle: u32) -> Option<[usize; 2]> {
        self.rig.as_ref()?.part_of(triangle)
    }

    /// Returns the file offset of a triangle of a P3M file.
    pub(super) fn offset_of_triangle(&self, triangle: u32) -> Option<usize> {
        let [part, triangle] = self.part_of_triangle(triangle)?;
        Some(self.rig.as_ref()?.offset_of(part, triangle))
    }

    /// Returns the index within its part and the file offset of the vertex of a corner of a P3M
    /// file.
    pub(super) fn vertex_of_corner(&self, corner: usize) -> Option<(usize, usize)> {
        let rig = self.rig.as_ref()?;
        let [part, _] = rig.part_of((corner / 3) as u32)?;
        let of_mesh = *self.mesh.point_of_corner.get(corner)?;
        let index = of_mesh.checked_sub(*rig.first_vertices.get(part)?)? as usize;
        let bytes = match rig.file.layout {
            // Layout A has texture coordinates after each position.
            Layout::A => 5 * size_of::<f32>(),
            _ => 3 * size_of::<f32>(),
        };
        let first = rig.file.parts.get(part)?.vertices_at as usize;
        Some((index, first + index * bytes))
    }

    /// A reference to a part, with a link to it.
    pub(super) fn part_value(&self, part: usize) -> Value {
        let named = self.rig.as_ref().and_then(|rig| rig.file.parts.get(part));
        let name = named.map_or("", |part| &part.name.text);
        Value::reference(part, name).link(part_item(part))
    }
}
