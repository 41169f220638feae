//! Exports animated models: joints, skinning weights and clips.
//!
//! A model is skinned by the same product here and in glTF: the pose of a joint in model space
//! times the inverse of its bind pose ([`Skeleton`]). Only the rotations in the file are conjugates
//! (fact sheet B2, B3).

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::animation::{Channel, Interpolation, Property, Sampler, Target};
use gltf_json::mesh::Semantic;
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Animation, Index, Node, Skin};

use super::build::{Builder, Layout};
use super::model::{self, Attributes, is_close, node, still};
use mapscope_scene::Animation as _;
use mapscope_scene::model::Model;
use mapscope_scene::model::mesh::PackedInfluence;
use mapscope_scene::model::skeleton::{LocalPose, Skeleton};

/// Number of joints in a set of attributes.
const JOINTS_IN_SET: usize = 4;
/// Maximum number of joints that their 16-bit indices can distinguish, with one reserved for the
/// still joint.
const MAX_JOINTS: usize = u16::MAX as usize;

/// Adds a model with its skeleton and its clips. The mesh is beside the skeleton, because it
/// follows the joints and not its node.
pub(super) fn add(builder: &mut Builder, model: &Model) -> Vec<Index<Node>> {
    let name = model::name_of(model);
    if model.skeleton().len() > MAX_JOINTS {
        builder.report_loss("The skeleton has too many joints and is left out, with its clips.");
        let attributes = model::attributes(builder, model, model::in_bind_pose);
        let mesh = model::mesh(builder, model, &attributes, false);
        return vec![builder.root.push(Node {
            mesh,
            ..node(name, &still())
        })];
    }
    let held = SkinWeights::by(model);
    let (root, joints) = add_joints(builder, model, &held, &name);
    let mut attributes = model::attributes(builder, model, model::in_bind_pose);
    if !attributes.is_empty() {
        held.add_weights(builder, &mut attributes);
    }
    let mut nodes = Vec::new();
    if let Some(mesh) = model::mesh(builder, model, &attributes, false) {
        let skin = add_skin(builder, model, &joints, root, &name);
        nodes.push(builder.root.push(Node {
            mesh: Some(mesh),
            skin: Some(skin),
            ..node(name, &still())
        }));
    }
    nodes.push(root);
    let is_scaled = scaled_joints(model);
    let mut times = HashMap::new();
    for clip in 0..model.clips().len() {
        let joints = joints.iter().copied().zip(is_scaled.iter().copied());
        add_clip(builder, (model, clip), joints, &mut times);
    }
    nodes
}

/// Skinning weights of the vertices of a model.
struct SkinWeights {
    /// For each vertex, its joints and their weights in descending order. They sum to 1.
    weights: Vec<Vec<(u16, f32)>>,
    /// `true` if some vertices use the still joint, an additional joint after the last one.
    needs_static_joint: bool,
    /// `true` if some weights are negative.
    has_negative: bool,
}

impl SkinWeights {
    fn by(model: &Model) -> Self {
        let mesh = model.mesh();
        let skeleton = model.skeleton();
        let mut held = Self {
            weights: Vec::with_capacity(mesh.vertices.len()),
            needs_static_joint: false,
            has_negative: false,
        };
        let carriers: HashMap<u32, Option<u32>> = skeleton.carried().iter().copied().collect();
        for vertex in &mesh.vertices {
            let influences = mesh.influences(vertex.influence_range());
            let weights = held.weights_of(influences, skeleton, &carriers);
            held.weights.push(weights);
        }
        held
    }

    /// The weights of a vertex, once per joint. A joint that is carried is replaced by its carrier.
    fn weights_of(
        &mut self,
        influences: &[PackedInfluence],
        skeleton: &Skeleton,
        carriers: &HashMap<u32, Option<u32>>,
    ) -> Vec<(u16, f32)> {
        let still = skeleton.len() as u32;
        let mut weights: Vec<(u32, f64)> = Vec::new();
        for influence in influences {
            let carrier = carriers.get(&influence.joint);
            let joint = carrier.map_or(influence.joint, |carrier| carrier.unwrap_or(still));
            let weight = f64::from(influence.weight);
            match weights.iter_mut().find(|(of, _)| *of == joint) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((joint, weight)),
            }
        }
        self.has_negative |= weights.iter().any(|(_, weight)| *weight < 0.0);
        weights.retain(|(_, weight)| *weight as f32 > 0.0);
        if weights.is_empty() {
            weights.push((still, 1.0));
        }
        weights.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        self.needs_static_joint |= weights.iter().any(|(joint, _)| *joint == still);
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let parts = weights.iter();
        parts
            .map(|(joint, weight)| (*joint as u16, (weight / sum) as f32))
            .collect()
    }

    fn add_weights(&self, builder: &mut Builder, attributes: &mut Attributes) {
        if self.has_negative {
            builder.report_loss("Negative weights become 0.");
        }
        let most = self.weights.iter().map(Vec::len).max().unwrap_or(0);
        for (set, number) in (0..most.div_ceil(JOINTS_IN_SET)).zip(0..) {
            let first = set * JOINTS_IN_SET;
            let of_set = |weights: &[(u16, f32)]| {
                std::array::from_fn(|at| weights.get(first + at).copied().unwrap_or_default())
            };
            let sets = self.weights.iter().map(|weights| of_set(weights));
            let sets: Vec<[(u16, f32); JOINTS_IN_SET]> = sets.collect();
            let joints: Vec<_> = sets.iter().map(|set| set.map(|(joint, _)| joint)).collect();
            let weights: Vec<_> = sets
                .iter()
                .map(|set| set.map(|(_, weight)| weight))
                .collect();
            let joints_layout = Layout::vertices(ComponentType::U16, Type::Vec4);
            let weights_layout = Layout::vertices(ComponentType::F32, Type::Vec4);
            let joints = builder.accessor::<[u16; JOINTS_IN_SET]>(&joints, joints_layout);
            let weights = builder.accessor::<[f32; JOINTS_IN_SET]>(&weights, weights_layout);
            attributes.insert(Checked::Valid(Semantic::Joints(number)), joints);
            attributes.insert(Checked::Valid(Semantic::Weights(number)), weights);
        }
    }
}

/// Adds the joints in the bind pose below one node, which comes first: those of the file in order,
/// and the still joint if it is used.
fn add_joints(
    builder: &mut Builder,
    model: &Model,
    held: &SkinWeights,
    name: &str,
) -> (Index<Node>, Vec<Index<Node>>) {
    let skeleton = model.skeleton();
    let first = builder.root.nodes.len();
    let index = |joint: usize| Index::new((first + joint) as u32);
    for (at, joint) in model.pfobj().joints.iter().enumerate() {
        let pose = pose(builder, LocalPose::from(&joint.bind));
        let children = skeleton.children(at).iter();
        let children: Vec<Index<Node>> = children.map(|child| index(*child as usize)).collect();
        builder.root.push(Node {
            children: (!children.is_empty()).then_some(children),
            ..node(joint.name.clone(), &pose)
        });
    }
    let mut count = skeleton.len();
    let roots = (0..count).filter(|joint| skeleton.parent(*joint).is_none());
    let mut roots: Vec<Index<Node>> = roots.map(index).collect();
    if held.needs_static_joint {
        roots.push(builder.root.push(node("still".to_owned(), &still())));
        count += 1;
    }
    let root = builder.root.push(Node {
        children: Some(roots),
        ..node(format!("{name} skeleton"), &still())
    });
    (root, (0..count).map(index).collect())
}

/// Converts a pose to the axes of glTF and normalises its rotation.
fn pose(builder: &mut Builder, pose: LocalPose) -> LocalPose {
    let length = pose.rotation.length();
    let unit = LocalPose {
        rotation: if length > 0.0 && length.is_finite() {
            pose.rotation / length
        } else {
            Quat::IDENTITY
        },
        ..pose
    };
    if !is_close(&unit.matrix(), &pose.matrix()) {
        builder.report_loss(
            "Joint rotations whose quaternions do not have length 1 are normalized; in the engine they \
             also distort the mesh.",
        );
    }
    let finite = |vector: Vec3, else_: Vec3| if vector.is_finite() { vector } else { else_ };
    let axes = builder.axes;
    LocalPose {
        scale: finite(unit.scale, Vec3::ONE),
        rotation: axes.rotation(unit.rotation),
        translation: axes.vector(finite(unit.translation, Vec3::ZERO)),
    }
}

fn add_skin(
    builder: &mut Builder,
    model: &Model,
    joints: &[Index<Node>],
    root: Index<Node>,
    name: &str,
) -> Index<Skin> {
    let skeleton = model.skeleton();
    let carried: HashSet<u32> = skeleton.carried().iter().map(|(joint, _)| *joint).collect();
    let inverse_bind = |joint: usize| {
        // Carried joints have no vertices, and the still joint does not move.
        let is_held = joint < skeleton.len() && !carried.contains(&(joint as u32));
        let bind = is_held.then(|| builder.axes.matrix(&skeleton.bind_global(joint)));
        bind.map_or(Mat4::IDENTITY, |bind| Mat4::from(bind.inverse()))
            .to_cols_array()
    };
    let matrices: Vec<[f32; 16]> = (0..joints.len()).map(inverse_bind).collect();
    let matrices = builder.accessor(&matrices, Layout::floats(Type::Mat4));
    builder.root.push(Skin {
        inverse_bind_matrices: Some(matrices),
        joints: joints.to_vec(),
        skeleton: Some(root),
        name: Some(name.to_owned()),
        extensions: None,
        extras: Default::default(),
    })
}

/// For each joint, `true` if any frame scales it differently from the bind pose. Clips omit the
/// scale of other joints. Everything else is in every clip, so that no joint keeps its state from a
/// previous clip.
fn scaled_joints(model: &Model) -> Vec<bool> {
    (0..model.skeleton().len())
        .map(|joint| model.is_scaled(joint))
        .collect()
}

/// Adds a clip. `joints` are the nodes, each with `true` if its scale is animated. `times` caches
/// the key frame times.
fn add_clip(
    builder: &mut Builder,
    (model, clip): (&Model, usize),
    joints: impl ExactSizeIterator<Item = (Index<Node>, bool)>,
    times: &mut HashMap<Vec<u32>, Index<Accessor>>,
) {
    let frames = model.clips().get(clip).map_or(0, |clip| clip.frames);
    if frames == 0 {
        builder.report_loss("Clips without frames are left out.");
        return;
    }
    let bytes = size_of::<LocalPose>() as u64 * u64::from(frames) * joints.len() as u64;
    if !builder.has_room("the clips", bytes) {
        return;
    }
    let seconds = model.frame_seconds(clip);
    let bits: Vec<u32> = seconds.iter().map(|seconds| seconds.to_bits()).collect();
    let input = *times.entry(bits).or_insert_with(|| builder.times(&seconds));
    let mut animation = Animation {
        name: model.clips().get(clip).map(|clip| clip.name.clone()),
        channels: Vec::new(),
        samplers: Vec::new(),
        extensions: None,
        extras: Default::default(),
    };
    for (at, (node, is_scaled)) in joints.enumerate() {
        let poses = model.local_poses(clip, at);
        let mut poses: Vec<LocalPose> = poses.map(|local| pose(builder, local)).collect();
        shorten_rotations(&mut poses);
        let vectors = |of: fn(&LocalPose) -> Vec3| {
            let vectors = poses.iter().map(|pose| of(pose).to_array());
            vectors.collect::<Vec<[f32; 3]>>()
        };
        let rotations: Vec<[f32; 4]> = poses.iter().map(|pose| pose.rotation.into()).collect();
        let [of_vectors, of_rotations] = [Type::Vec3, Type::Vec4].map(Layout::floats);
        let translations = vectors(|pose| pose.translation);
        let mut outputs = vec![
            (
                Property::Translation,
                builder.accessor(&translations, of_vectors),
            ),
            (
                Property::Rotation,
                builder.accessor(&rotations, of_rotations),
            ),
        ];
        if is_scaled {
            let scales = vectors(|pose| pose.scale);
            outputs.push((Property::Scale, builder.accessor(&scales, of_vectors)));
        }
        for (property, output) in outputs {
            add_channel(&mut animation, node, property, [input, output]);
        }
    }
    builder.root.push(animation);
}

/// Adds a channel: the values of a node's property at given times.
fn add_channel(
    animation: &mut Animation,
    node: Index<Node>,
    property: Property,
    [input, output]: [Index<Accessor>; 2],
) {
    animation.channels.push(Channel {
        sampler: Index::new(animation.samplers.len() as u32),
        target: Target {
            node,
            path: Checked::Valid(property),
            extensions: None,
            extras: Default::default(),
        },
        extensions: None,
        extras: Default::default(),
    });
    animation.samplers.push(Sampler {
        input,
        output,
        interpolation: Checked::Valid(Interpolation::Linear),
        extensions: None,
        extras: Default::default(),
    });
}

/// Negates quaternions where needed, so that each rotation takes the short way from the previous
/// one.
fn shorten_rotations(poses: &mut [LocalPose]) {
    let mut last = None;
    for pose in poses {
        if last.is_some_and(|last| pose.rotation.dot(last) < 0.0) {
            pose.rotation = -pose.rotation;
        }
        last = Some(pose.rotation);
    }
}
