//! Tests of exported files, read back as other programs read them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, Mat4, Quat, Vec3, Vec4};
use gltf::animation::Property;
use gltf::animation::util::ReadOutputs;
use gltf::material::AlphaMode;
use serde_json::json;

use super::build::Builder;
use super::model;
use crate::{Export, targets};
use mapscope_formats::pfobj::{FRAMES_PER_SECOND, Influence, Pfobj, Rotation, Transform};
use mapscope_scene::camera::Handedness;
use mapscope_scene::model::Model;
use mapscope_scene::model::skeleton::SkinMatrix;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{
    Animation as _, Bytes, Document, Drawable, OpenOptions, Playhead, Progress, Shown, Source,
};
use mapscope_testdata::{root, shared, tiny_model, tiny_scene};

/// Maximum distance of vertices from their displayed positions, relative to the size of their
/// model.
const MAX_ERROR: f32 = 2e-6;

/// A file that was read back; the reader has validated it against the rules of glTF.
struct ReadBack {
    gltf: gltf::Gltf,
    losses: Vec<String>,
}

impl ReadBack {
    fn of(export: &Export) -> Self {
        Self {
            gltf: gltf::Gltf::from_slice(&export.file).unwrap(),
            losses: export.losses.clone(),
        }
    }

    fn document(document: &dyn Document) -> Self {
        let glb = targets(document)[0];
        assert_eq!(glb.kind.ending, "glb");
        Self::of(&glb.make(document, "thing").unwrap())
    }

    /// Reads back the mirrored export of a model.
    fn mirrored(document: &dyn Document) -> Self {
        let glb = targets(document)[0].mirrored().unwrap();
        assert!(glb.mirrored().is_none());
        Self::of(&glb.make(document, "thing").unwrap())
    }

    fn bytes(&self) -> &[u8] {
        self.gltf.blob.as_deref().unwrap()
    }

    fn loses(&self, what: &str) -> bool {
        self.losses.iter().any(|loss| loss.contains(what))
    }

    /// The node with a name.
    fn node(&self, name: &str) -> gltf::Node<'_> {
        let mut nodes = self.gltf.nodes();
        nodes.find(|node| node.name() == Some(name)).unwrap()
    }

    /// Positions and normals of the vertices of a mesh, in its own space.
    fn vertices(&self, mesh: &gltf::Mesh<'_>) -> Vec<(Vec3, Vec3)> {
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(self.bytes()));
        let positions = reader.read_positions().unwrap().map(Vec3::from);
        let normals = reader.read_normals().unwrap().map(Vec3::from);
        positions.zip(normals).collect()
    }

    /// The corners of all triangles.
    fn triangles(&self, mesh: &gltf::Mesh<'_>) -> Vec<[u32; 3]> {
        let mut all = Vec::new();
        for primitive in mesh.primitives() {
            let reader = primitive.reader(|_| Some(self.bytes()));
            let indices = reader.read_indices().unwrap().into_u32();
            all.extend(indices.collect::<Vec<u32>>());
        }
        all.chunks_exact(3)
            .map(|corners| [corners[0], corners[1], corners[2]])
            .collect()
    }

    /// The matrices from nodes to the world, at a time of an animation.
    fn globals(&self, moment: Option<(usize, f32)>) -> Vec<Mat4> {
        let mut locals: Vec<_> = self
            .gltf
            .nodes()
            .map(|node| node.transform().decomposed())
            .collect();
        if let Some((clip, seconds)) = moment {
            let animation = self.gltf.animations().nth(clip).unwrap();
            for channel in animation.channels() {
                let reader = channel.reader(|_| Some(self.bytes()));
                let times: Vec<f32> = reader.read_inputs().unwrap().collect();
                let at = times
                    .iter()
                    .position(|time| (time - seconds).abs() < 1e-5)
                    .unwrap();
                let (translation, rotation, scale) = &mut locals[channel.target().node().index()];
                match reader.read_outputs().unwrap() {
                    ReadOutputs::Translations(mut it) => *translation = it.nth(at).unwrap(),
                    ReadOutputs::Rotations(it) => *rotation = it.into_f32().nth(at).unwrap(),
                    ReadOutputs::Scales(mut it) => *scale = it.nth(at).unwrap(),
                    ReadOutputs::MorphTargetWeights(_) => panic!("nothing morphs"),
                }
            }
        }
        let mut globals = vec![Mat4::NAN; locals.len()];
        let mut rest: Vec<_> = self
            .gltf
            .scenes()
            .next()
            .unwrap()
            .nodes()
            .map(|node| (node, Mat4::IDENTITY))
            .collect();
        while let Some((node, parent)) = rest.pop() {
            let (translation, rotation, scale) = locals[node.index()];
            let rotation = Quat::from_array(rotation);
            assert!(rotation.is_normalized(), "{rotation}");
            let local =
                Mat4::from_scale_rotation_translation(scale.into(), rotation, translation.into());
            globals[node.index()] = parent * local;
            rest.extend(node.children().map(|child| (child, parent * local)));
        }
        globals
    }

    /// The vertices of the only skin as any reader skins them: the matrix of each joint times its
    /// inverse bind matrix, mixed by the weights.
    fn skinned(&self, moment: Option<(usize, f32)>) -> Vec<Vec3> {
        let node = self
            .gltf
            .nodes()
            .find(|node| node.skin().is_some())
            .unwrap();
        let skin = node.skin().unwrap();
        let globals = self.globals(moment);
        let reader = skin.reader(|_| Some(self.bytes()));
        let inverse_binds = reader.read_inverse_bind_matrices().unwrap();
        let joints = skin.joints().zip(inverse_binds);
        let matrices: Vec<Mat4> = joints
            .map(|(joint, inverse)| globals[joint.index()] * Mat4::from_cols_array_2d(&inverse))
            .collect();
        let mesh = node.mesh().unwrap();
        let weights = self.weights(&mesh);
        let places = self.vertices(&mesh).into_iter().zip(weights);
        places
            .map(|((position, _), weights)| {
                let at = position.extend(1.0);
                let moved = weights
                    .iter()
                    .map(|(joint, weight)| matrices[*joint as usize] * at * *weight);
                moved.sum::<Vec4>().truncate()
            })
            .collect()
    }

    /// The joints of each vertex and their weights, from all sets.
    fn weights(&self, mesh: &gltf::Mesh<'_>) -> Vec<Vec<(u16, f32)>> {
        let primitive = mesh.primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(self.bytes()));
        let mut all = vec![Vec::new(); reader.read_positions().unwrap().len()];
        for set in 0.. {
            let Some(joints) = reader.read_joints(set) else {
                break;
            };
            let weights = reader.read_weights(set).unwrap().into_f32();
            for ((of, joints), weights) in all.iter_mut().zip(joints.into_u16()).zip(weights) {
                of.extend(
                    joints
                        .into_iter()
                        .zip(weights)
                        .filter(|(_, weight)| *weight != 0.0),
                );
            }
        }
        all
    }

    /// The pixels of an image, RGBA from the top left.
    fn pixels(&self, image: &gltf::Image<'_>) -> ([u32; 2], Vec<u8>) {
        let gltf::image::Source::View { view, mime_type } = image.source() else {
            panic!("an image is in the file");
        };
        assert_eq!(mime_type, "image/png");
        let png = &self.bytes()[view.offset()..view.offset() + view.length()];
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        ([info.width, info.height], pixels)
    }
}

fn open(path: &Path) -> Arc<dyn Document> {
    let source = Source::read(path).unwrap();
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// A model that is not on disk.
fn model_of(pfobj: Pfobj) -> Model {
    let source = Source {
        path: "folder/guard.pfobj".into(),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    Model::build(
        pfobj,
        &source,
        &OpenOptions::default(),
        &Progress::default(),
    )
    .unwrap()
}

/// Converts a position in a scene to the axes of its file.
fn turned(place: Vec3) -> Vec3 {
    place * Vec3::new(-1.0, 1.0, 1.0)
}

/// The vertices of a model at a playhead as the program poses them, in its own axes.
fn posed(model: &Model, playhead: Playhead) -> Vec<Vec3> {
    let mut palette = vec![SkinMatrix::IDENTITY; model.palette_len()];
    model.write_palette(playhead, &mut palette);
    let vertices = model.mesh().vertices.iter();
    vertices
        .map(|vertex| model.mesh().skinned(vertex, &palette).0)
        .collect()
}

/// Maximum deviation of the exported file from the model over all frames of all clips and the bind
/// pose, relative to the size of the model.
fn worst_error(model: &Model) -> f32 {
    let kept = worst_error_in(model, &ReadBack::document(model), |place| place);
    kept.max(worst_error_in(model, &ReadBack::mirrored(model), turned))
}

/// The maximum deviation for a file with these axes.
fn worst_error_in(model: &Model, file: &ReadBack, axes: fn(Vec3) -> Vec3) -> f32 {
    let clips = model.clips();
    let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let animations: Vec<&str> = file
        .gltf
        .animations()
        .map(|it| it.name().unwrap())
        .collect();
    assert_eq!(animations, names);
    let frames = clips.iter().enumerate().flat_map(|(clip, info)| {
        // Sample long clips.
        let step = (info.frames as usize / 12).max(1);
        (0..info.frames)
            .step_by(step)
            .map(move |frame| Some((clip, frame)))
    });
    let size = model.about().bounds.max - model.about().bounds.min;
    let mut worst = 0.0_f32;
    for moment in frames.chain([None]) {
        let playhead = moment.map_or_else(Playhead::default, |(clip, frame)| {
            Playhead::at_frame(clip, frame)
        });
        let expected = posed(model, playhead);
        let seconds = moment.map(|(clip, frame)| (clip, frame as f32 / FRAMES_PER_SECOND));
        let found = file.skinned(seconds);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            worst = worst.max(found.distance(axes(*expected)));
        }
    }
    worst / size.length()
}

fn asset(name: &str) -> PathBuf {
    let models = root().join("assets/models");
    models.join(name).with_extension("pfobj")
}

/// A quaternion as files store it.
fn conjugated(rotation: Quat) -> Rotation {
    Rotation::ConjugatedQuaternion(rotation.conjugate().to_array())
}

/// A chain of joints with rotations and uneven scales, which shear their children. Each vertex has
/// different weights.
fn stretched() -> Pfobj {
    let mut pfobj = tiny_model();
    let turned = |x: f32| {
        let rotation = Quat::from_rotation_z(x) * Quat::from_rotation_y(0.3 - x);
        Transform {
            scale: [1.0 + x, 2.0 - x, 1.0 + 0.5 * x],
            rotation: conjugated(rotation),
            translation: [x, 0.5 + x, -2.0 * x],
        }
    };
    for (at, joint) in pfobj.joints.iter_mut().enumerate() {
        joint.bind = turned(0.2 + 0.3 * at as f32);
    }
    let clips = pfobj.clips.iter_mut();
    let poses = clips.flat_map(|clip| clip.poses.iter_mut());
    for (at, pose) in poses.enumerate() {
        *pose = turned(0.9 - 0.17 * at as f32);
    }
    weigh(
        &mut pfobj,
        &[
            &[(0, 3.0), (1, 1.0)],
            &[(1, 0.25)],
            &[(2, 0.1), (0, 0.2), (1, 0.3), (2, 0.4)],
            &[],
            &[(2, 1.0), (1, 1.0), (0, 2.0)],
            &[(2, 5.0)],
        ],
    );
    pfobj
}

/// Sets the influences of vertices: joints and their weights.
fn weigh(pfobj: &mut Pfobj, weights: &[&[(u32, f32)]]) {
    pfobj.influences.clear();
    for (vertex, weights) in pfobj.vertices.iter_mut().zip(weights) {
        vertex.first_influence = pfobj.influences.len() as u32;
        vertex.influence_count = weights.len() as u8;
        let influences = weights.iter();
        let influences = influences.map(|&(joint, weight)| Influence { joint, weight });
        pfobj.influences.extend(influences);
    }
}

#[test]
fn any_reader_skins_a_model_as_it_is_shown() {
    let document = open(&asset("drakeling"));
    let error = worst_error(document.content().unwrap());
    // Its quaternions have six digits, which limits how close they are to length 1.
    assert!(error < 10.0 * MAX_ERROR, "{error}");
}

#[test]
fn any_reader_skins_models_of_the_game_as_they_are_shown() {
    for name in ["knight/knight", "arrow/arrow-green", "arrow/arrow-red"] {
        let path = format!("corpus/permafrost/assets/models/{name}.pfobj");
        let Some(path) = shared(&path) else {
            return;
        };
        let document = open(&path);
        let error = worst_error(document.content().unwrap());
        assert!(error < MAX_ERROR, "{name}: {error}");
    }
}

#[test]
fn any_reader_skins_what_joints_shear_and_hold_unevenly() {
    let model = model_of(stretched());
    let error = worst_error(&model);
    assert!(error < MAX_ERROR, "{error}");
    let file = ReadBack::document(&model);
    let still = file.node("guard").skin().unwrap().joints().last().unwrap();
    assert_eq!(still.name(), Some("still"), "one vertex hangs on no joint");
    assert!(!file.loses("rotations") && !file.loses("weights"));
}

#[test]
fn what_cannot_be_undone_hangs_on_the_joint_above_it() {
    let mut pfobj = stretched();
    pfobj.joints[1].bind.scale = [0.0; 3];
    let model = model_of(pfobj);
    assert_eq!(model.skeleton().carried().len(), 2);
    let error = worst_error(&model);
    assert!(error < MAX_ERROR, "{error}");
}

#[test]
fn weights_of_a_vertex_sum_to_one_and_name_each_joint_once() {
    let mut pfobj = stretched();
    let joint = pfobj.joints[2].clone();
    pfobj.joints.extend(vec![joint; 4]);
    for clip in &mut pfobj.clips {
        let still = clip.poses[0];
        clip.poses = vec![still; 7 * clip.frame_count as usize];
    }
    let six = [(0, 0.3), (1, 0.9), (2, 0.1), (4, 2.0), (5, 0.2), (6, 0.4)];
    let twice = [(3, 0.5), (1, 0.75), (3, 0.75)];
    weigh(
        &mut pfobj,
        &[
            &six,
            &twice,
            &[(0, 1.0)],
            &[(1, 1.0)],
            &[(2, 1.0)],
            &[(0, 7.0)],
        ],
    );
    let model = model_of(pfobj);
    let file = ReadBack::document(&model);
    let weights = file.weights(&file.node("guard").mesh().unwrap());
    for weights in &weights {
        let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{weights:?}");
    }
    let of = |at: usize| {
        let vertex = model.mesh().indices[at] as usize;
        weights[vertex].as_slice()
    };
    let joints: Vec<u16> = of(0).iter().map(|(joint, _)| *joint).collect();
    assert_eq!(
        joints,
        [4, 1, 6, 0, 5, 2],
        "those that hold it most come first"
    );
    assert_eq!(of(1).len(), 2);
    assert_eq!(of(1)[0], (3, 0.625));
    assert!(worst_error(&model) < MAX_ERROR);
}

#[test]
fn what_gltf_cannot_say_of_a_skeleton_is_told() {
    let mut pfobj = stretched();
    weigh(&mut pfobj, &[&[(0, 2.0), (1, -1.0)]]);
    assert!(ReadBack::document(&model_of(pfobj)).loses("Negative weights"));
    let mut pfobj = stretched();
    pfobj.clips[1].poses[2].rotation = Rotation::ConjugatedQuaternion([0.0, 0.3, 0.0, 0.7]);
    assert!(ReadBack::document(&model_of(pfobj)).loses("Joint rotations"));
    let mut pfobj = stretched();
    pfobj.clips[0].poses.clear();
    pfobj.clips[0].frame_count = 0;
    let file = ReadBack::document(&model_of(pfobj));
    assert!(file.loses("Clips without frames"));
    assert_eq!(file.gltf.animations().next().unwrap().name(), Some("idle"));
    let mut pfobj = stretched();
    pfobj.joints.clear();
    let file = ReadBack::document(&model_of(pfobj));
    assert!(file.loses("Clips of models without joints"));
    assert_eq!((file.gltf.skins().len(), file.gltf.meshes().len()), (0, 1));
}

#[test]
fn joints_and_clips_keep_their_names_and_order() {
    let document = open(&asset("drakeling"));
    let model = document.content::<Model>().unwrap();
    let file = ReadBack::document(&*document);
    let skin = file.gltf.skins().next().unwrap();
    let joints: Vec<gltf::Node<'_>> = skin.joints().collect();
    let named = &model.pfobj().joints;
    assert_eq!(joints.len(), named.len(), "all its vertices hang on joints");
    for (joint, named) in joints.iter().zip(named) {
        assert_eq!(joint.name(), Some(named.name.as_str()));
        let parent = named.parent.map(|parent| joints[parent as usize].index());
        let parent = parent.unwrap_or(file.node("drakeling skeleton").index());
        let mut nodes = file.gltf.nodes();
        let above = nodes.find(|node| node.children().any(|it| it.index() == joint.index()));
        assert_eq!(above.map(|node| node.index()), Some(parent));
    }
    for (animation, clip) in file.gltf.animations().zip(&model.pfobj().clips) {
        assert_eq!(animation.name(), Some(clip.name.as_str()));
        let channel = animation.channels().next().unwrap();
        let reader = channel.reader(|_| Some(file.bytes()));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert_eq!(times.len(), clip.frame_count as usize);
        assert_eq!(times.last(), Some(&((clip.frame_count - 1) as f32 / 24.0)));
    }
}

#[test]
fn scales_are_in_clips_only_where_something_scales() {
    let scales = |pfobj| {
        let file = ReadBack::document(&model_of(pfobj));
        let animations = file.gltf.animations();
        let channels = animations.flat_map(|animation| animation.channels());
        let properties = channels.map(|channel| channel.target().property());
        properties
            .filter(|property| *property == Property::Scale)
            .count()
    };
    let mut pfobj = tiny_model();
    assert_eq!(scales(pfobj.clone()), 0);
    pfobj.clips[1].poses[4].scale = [2.0; 3];
    assert_eq!(scales(pfobj), 2, "in both clips, of one joint");
}

#[test]
fn a_model_keeps_its_axes_or_is_mirrored_by_wish() {
    let document = open(&asset("blossom_tree"));
    let kept = ReadBack::document(&*document);
    assert!(kept.loses("as in the file") && !kept.loses("are swapped"));
    check_axes(&document, &kept, |place| place);
    let mirrored = ReadBack::mirrored(&*document);
    assert!(mirrored.loses("are swapped") && !mirrored.loses("as in the file"));
    check_axes(&document, &mirrored, turned);
    let scene = open(&root().join("assets/demo/demo.pfscene"));
    assert!(
        targets(&*scene)
            .iter()
            .all(|target| target.mirrored().is_none())
    );
}

/// Checks positions, normals, texture coordinates and the orientation of triangles.
fn check_axes(document: &Arc<dyn Document>, file: &ReadBack, axes: fn(Vec3) -> Vec3) {
    let model = document.content::<Model>().unwrap();
    let mesh = model.mesh();
    let written = file.node("blossom_tree").mesh().unwrap();
    let vertices = file.vertices(&written);
    let reader = written.primitives().next().unwrap();
    let reader = reader.reader(|_| Some(file.bytes()));
    let uvs: Vec<[f32; 2]> = reader.read_tex_coords(0).unwrap().into_f32().collect();
    for ((vertex, (position, normal)), uv) in mesh.vertices.iter().zip(&vertices).zip(uvs) {
        assert_eq!(*position, axes(vertex.position.into()));
        let shown = mapscope_scene::normal::unpack_normal(vertex.normal);
        assert!(normal.distance(axes(shown)) < 1e-5);
        assert!((normal.length() - 1.0).abs() < 1e-5);
        assert_eq!(uv, [vertex.uv[0], 1.0 - vertex.uv[1]]);
    }
    // Faces point in the direction of their normals.
    let triangles = file.triangles(&written);
    assert_eq!(triangles.len(), mesh.triangles.len());
    let agrees = |corners: &&[u32; 3]| {
        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
        (b.0 - a.0).cross(c.0 - a.0).dot(a.1 + b.1 + c.1) > 0.0
    };
    let share = triangles.iter().filter(agrees).count() as f32 / triangles.len() as f32;
    assert!(share > 0.95, "{share}");
}

#[test]
fn materials_have_the_pixels_of_their_textures() {
    let document = open(&asset("blossom_tree"));
    let model = document.content::<Model>().unwrap();
    let file = ReadBack::document(&*document);
    let named = &model.pfobj().materials;
    let materials: Vec<gltf::Material<'_>> = file.gltf.materials().collect();
    assert_eq!(materials.len(), named.len());
    let mut modes = Vec::new();
    for ((material, named), drawn) in materials.iter().zip(named).zip(model.materials()) {
        assert_eq!(material.name(), Some(named.name.as_str()));
        let pbr = material.pbr_metallic_roughness();
        assert_eq!((pbr.metallic_factor(), pbr.roughness_factor()), (0.0, 1.0));
        assert!(!material.double_sided());
        let texture = pbr.base_color_texture().unwrap().texture();
        assert_eq!(texture.name(), Some(named.texture.as_str()));
        let pixels = drawn.texture.wait();
        let expected = (pixels.size, pixels.levels[0].clone());
        assert!(
            file.pixels(&texture.source()) == expected,
            "{}",
            named.texture
        );
        let mode = if pixels.has_holes {
            AlphaMode::Mask
        } else {
            AlphaMode::Opaque
        };
        assert_eq!(material.alpha_mode(), mode);
        modes.push(mode);
    }
    assert!(modes.contains(&AlphaMode::Mask) && modes.contains(&AlphaMode::Opaque));
}

#[test]
fn materials_with_the_same_texture_share_its_image() {
    let document = open(&root().join("assets/demo/demo.pfscene"));
    let file = ReadBack::document(&*document);
    // The ground has its own images.
    let terrain: &Terrain = document.content().unwrap();
    let ground = &terrain.map().materials;
    let of_models = file.gltf.materials().filter(|material| {
        let name = material.name().unwrap();
        !ground.iter().any(|material| material.name == name)
    });
    let (mut materials, mut images) = (BTreeSet::new(), BTreeMap::new());
    for material in of_models {
        assert!(
            materials.insert(material.name().unwrap()),
            "models share materials"
        );
        let texture = material.pbr_metallic_roughness().base_color_texture();
        let image = texture.unwrap().texture().source();
        let index = images
            .entry(image.name().unwrap().to_owned())
            .or_insert(image.index());
        assert_eq!(*index, image.index());
    }
    assert!(images.len() > 10 && images.len() <= materials.len());
}

#[test]
fn a_scene_has_every_entity_where_it_stands() {
    let document = open(&root().join("assets/demo/demo.pfscene"));
    let file = ReadBack::document(&*document);
    assert_eq!(
        targets(&*document)[0].what(&*document),
        "all that stands in the scene"
    );
    let scene = standing(&*document);
    let globals = file.globals(None);
    let mut models = Vec::new();
    for (drawable, model, names) in &scene {
        let expected = posed(model, drawable.playhead.unwrap());
        for (placement, name) in drawable.placements.iter().zip(names) {
            models.push((expected.clone(), *placement, name.clone()));
        }
    }
    let nodes = file.gltf.nodes().filter(|node| node.mesh().is_some());
    // The ground comes first, if it exists.
    let nodes: Vec<gltf::Node<'_>> = nodes.collect();
    let nodes = &nodes[nodes.len() - models.len()..];
    assert!(models.len() > 300);
    let lights = file.gltf.extension_value("KHR_lights_punctual").unwrap();
    assert_eq!(lights["lights"][0]["type"], "directional");
    let sun = globals[file.node("sun").index()].transform_vector3(Vec3::Z);
    let toward_sun = turned(document.environment().unwrap().sun.direction());
    assert!(sun.distance(toward_sun) < 1e-5, "{sun} {toward_sun}");
    for (node, (expected, placement, name)) in nodes.iter().zip(&models) {
        assert_eq!(node.name(), Some(name.as_str()));
        let is_of_parts = matches!(node.transform(), gltf::scene::Transform::Decomposed { .. });
        assert!(is_of_parts, "{name}");
        let extras: serde_json::Value =
            serde_json::from_str(node.extras().as_ref().unwrap().get()).unwrap();
        assert_eq!(
            extras["faction"].is_string(),
            extras["faction_id"].is_number()
        );
        assert!(extras["selection_radius"].is_number() && extras.get("position").is_none());
        let vertices = file.vertices(&node.mesh().unwrap());
        assert_eq!(vertices.len(), expected.len());
        for ((found, _), expected) in vertices.iter().zip(expected) {
            let found = globals[node.index()].transform_point3(*found);
            let expected = turned(placement.transform_point3(*expected));
            assert!(
                found.distance(expected) < 1e-3,
                "{name}: {found} {expected}"
            );
        }
    }
    let meshes: BTreeSet<usize> = nodes
        .iter()
        .map(|node| node.mesh().unwrap().index())
        .collect();
    assert_eq!(meshes.len(), scene.len(), "one for each model and moment");
}

#[test]
fn cameras_and_attributes_are_those_of_the_scene() {
    let source = Source {
        path: "a.pfscene".into(),
        bytes: Bytes::from_static(tiny_scene::SCENE.as_bytes()),
        embedded: &[],
        archive: None,
    };
    let document = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
    let document = document.unwrap();
    let [camera] = document.cameras() else {
        panic!("{:?}", document.about().problems);
    };
    let guard = &super::entities(&*document)[&0];
    assert_eq!(guard.name, "guard");
    let extras = guard.extras.as_ref().unwrap().get();
    let extras: serde_json::Value = serde_json::from_str(extras).unwrap();
    for (key, value) in [
        ("class", json!("Guard")),
        ("faction", json!("The Others")),
        ("home", json!([-7.0, 8.5])),
        ("tags", json!(["night watch", "gate"])),
    ] {
        assert_eq!(extras[key], value, "{extras}");
    }
    assert_eq!(extras["faction_id"], 1);
    assert!(
        super::IN_TRANSFORM
            .iter()
            .all(|key| extras.get(key).is_none())
    );
    let mut builder = Builder::default();
    builder.axes = super::Axes::of(Handedness::Mirrored);
    super::parts::add_camera(&mut builder, camera);
    let file = ReadBack::of(&builder.into_glb().unwrap());
    let node = file.node("above");
    assert!(node.camera().is_some());
    let global = file.globals(None)[node.index()];
    let [eye, target] = [camera.pose.eye, camera.pose.target].map(turned);
    assert!(global.transform_point3(Vec3::ZERO).distance(eye) < 1e-4);
    let ahead = global.transform_vector3(Vec3::NEG_Z);
    assert!(ahead.distance((target - eye).normalize()) < 1e-4, "{ahead}");
    assert!((global.determinant() - 1.0).abs() < 1e-4);
}

/// The models of a scene, with the names of their entities.
type Standing<'a> = Vec<(Drawable<'a>, &'a Model, Vec<String>)>;

fn standing(document: &dyn Document) -> Standing<'_> {
    let mut names = std::collections::HashMap::new();
    for named in mapscope_scene::items_of_kinds(document, &["entity"]) {
        names.insert(named.item, named.name.unwrap());
    }
    let mut standing = Vec::new();
    document.for_each_drawable(&Shown::default(), &mut |drawable| {
        let content: &dyn std::any::Any = drawable.content;
        if let Some(model) = content.downcast_ref() {
            let entities = drawable.entities.iter();
            let entities =
                entities.map(|index| mapscope_scene::SceneItem::Entity { index: *index });
            let of = entities
                .map(|entity| names[&entity.into()].clone())
                .collect();
            standing.push((drawable, model, of));
        }
    });
    standing
}

#[test]
fn what_stands_askew_or_flat_is_put_there_vertex_by_vertex() {
    let model = model_of(stretched());
    let turn = Quat::from_rotation_y(0.7);
    let stretch = Affine3A::from_scale(Vec3::new(3.0, 1.0, 0.5));
    let placements = [
        Affine3A::from_scale_rotation_translation(Vec3::new(2.0, 3.0, -1.5), turn, Vec3::X * 7.0),
        stretch * Affine3A::from_quat(turn),
        Affine3A::from_translation(Vec3::Y * 4.0) * Affine3A::from_scale(Vec3::new(-1.0, 2.0, 0.0)),
        Affine3A::from_scale(-Vec3::ONE) * stretch * Affine3A::from_quat(turn),
        Affine3A::from_translation(Vec3::Z * f32::NAN),
    ];
    let playhead = Playhead::at_frame(0, 2);
    let mut builder = Builder::default();
    builder.axes = super::Axes::of(Handedness::Mirrored);
    let drawable = Drawable {
        placements: mapscope_scene::Placements::Held(&placements),
        playhead: Some(playhead),
        ..Drawable::in_place(&model)
    };
    let nodes = model::add(&mut builder, &drawable).unwrap();
    builder.show(nodes);
    let file = ReadBack::of(&builder.into_glb().unwrap());
    let nodes: Vec<gltf::Node<'_>> = file.gltf.nodes().collect();
    assert_eq!(nodes.len(), 4);
    assert!(file.loses("position is not a number"));
    assert!(
        nodes[1].transform().matrix()
            == gltf::scene::Transform::Matrix {
                matrix: Mat4::IDENTITY.to_cols_array_2d()
            }
            .matrix()
    );
    let expected = posed(&model, playhead);
    let globals = file.globals(None);
    for (node, placement) in nodes.iter().zip(&placements) {
        let mesh = node.mesh().unwrap();
        let global = globals[node.index()];
        let found: Vec<(Vec3, Vec3)> = file.vertices(&mesh);
        for ((found, normal), expected) in found.iter().zip(&expected) {
            let found = global.transform_point3(*found);
            let expected = turned(placement.transform_point3(*expected));
            assert!(found.distance(expected) < 1e-4, "{found} {expected}");
            assert!((normal.length() - 1.0).abs() < 1e-5);
        }
        // A mirrored node reverses its faces; for other nodes the export has reversed them if
        // needed.
        let mirrored = if global.determinant() < 0.0 {
            -1.0
        } else {
            1.0
        };
        let front = |corners: [Vec3; 3]| (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let seen = |corners: [u32; 3]| {
            front(corners.map(|at| global.transform_point3(found[at as usize].0))) * mirrored
        };
        let meant = |corners: [u32; 3]| {
            let places = corners.map(|at| placement.transform_point3(expected[at as usize]));
            let sign = if placement.matrix3.determinant() < 0.0 {
                -1.0
            } else {
                1.0
            };
            turned(front(places)) * sign
        };
        let written = file.triangles(&mesh);
        for (written, corners) in written.iter().zip(model.mesh().indices.chunks_exact(3)) {
            let corners = [corners[0], corners[1], corners[2]];
            let (seen, meant) = (seen(*written), meant(corners));
            assert!(
                seen.distance(meant) < 1e-2 * meant.length().max(1.0),
                "{seen} {meant}"
            );
        }
    }
}

#[test]
fn models_that_are_missing_are_left_out_and_named() {
    let source = Source {
        path: "a.pfscene".into(),
        bytes: Bytes::from_static(tiny_scene::SCENE.as_bytes()),
        embedded: &[],
        archive: None,
    };
    let document = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
    let file = ReadBack::document(&*document.unwrap());
    // The camera and the sun remain.
    assert_eq!(file.gltf.nodes().len(), 2);
    assert!(file.node("above").camera().is_some());
    assert!(file.gltf.nodes().all(|node| node.mesh().is_none()));
    assert!(file.loses("model assets/models/guard.pfobj, assets/models/rock.pfobj"));
    assert!(file.loses("a usable model or position are left out: 2 of 2"));
    let file = ReadBack::document(&model_of(tiny_model()));
    assert!(file.loses("shown as placeholders: texture picture0.png, picture1.png"));
}

#[test]
fn the_same_model_makes_the_same_file() {
    for name in ["drakeling", "toadstools"] {
        for at in 0..2 {
            let document = open(&asset(name));
            let make = || {
                targets(&*document)[at]
                    .make(&*document, "thing")
                    .unwrap()
                    .file
            };
            assert!(make() == make(), "{name}");
        }
    }
}

#[test]
fn nothing_more_is_made_once_there_is_no_room() {
    let model = model_of(tiny_model());
    let drawable = Drawable {
        playhead: Some(Playhead::default()),
        ..Drawable::in_place(&model)
    };
    let nodes = |builder: &mut Builder| model::add(builder, &drawable).unwrap().len();
    let mut builder = Builder::default();
    assert_eq!(nodes(&mut builder), 1);
    let mut builder = Builder::default();
    assert!(!builder.has_room("it", u64::MAX));
    assert_eq!((nodes(&mut builder), builder.root.accessors.len()), (0, 0));
    assert!(builder.into_glb().is_err());
}

#[test]
fn what_a_file_is_made_of_is_said() {
    let what = |pfobj| {
        let model = model_of(pfobj);
        targets(&model)[0].what(&model)
    };
    let mut pfobj = tiny_model();
    assert_eq!(what(pfobj.clone()), "the mesh with its skeleton and clips");
    pfobj.clips.clear();
    assert_eq!(what(pfobj.clone()), "the mesh with its skeleton");
    pfobj.joints.clear();
    assert_eq!(what(pfobj), "the mesh");
}

#[test]
fn only_gltf_is_known_as_such() {
    assert!(super::is_gltf(
        br#"{ "nodes": [], "asset": { "version": "2.0" } }"#
    ));
    for text in [
        r#"{"asset":{"id":3}}"#,
        r#"{"meta":{"asset":{"version":"2.0"}}}"#,
        "{",
    ] {
        assert!(!super::is_gltf(text.as_bytes()), "{text}");
    }
}
