//! Everything that can be said of a part of a model.

use glam::{Affine3A, Quat, Vec3};

use super::curves::{FirstAxis, euler_degrees};
use super::materials::ENGINE_TEXTURE_SIZE;
use super::mesh::Point;
use super::outline::seconds;
use super::poses::{Pose, skin_normal};
use super::skeleton::LocalPose;
use super::uses::is_reversed;
use super::{Model, joint_item, lods, material_item};
use crate::numbers::{plural, short, xyz};
use crate::pictures::named;
use crate::{Aabb, Item, ModelItem, Playhead, Property, PropertyGroup, Swatch};
use mapscope_formats::pfobj::{Rotation, Transform, Vertex};

/// Titles of the corners of a triangle.
const CORNERS: [&str; 3] = ["Corner 1", "Corner 2", "Corner 3"];

impl Model {
    /// Everything about an item at a moment; empty for one that is not there.
    pub(super) fn item_properties(&self, item: Item, playhead: Playhead) -> Vec<PropertyGroup> {
        let Item::Model(item) = item else {
            return Vec::new();
        };
        match item {
            ModelItem::Model => self.model_properties(),
            ModelItem::Joint { index } => self.joint_properties(index as usize, playhead),
            ModelItem::Triangle { index } => self.triangle_properties(index, playhead),
            ModelItem::Material { index } => self.material_properties(index as usize),
            ModelItem::Clip { index } => self.clip_properties(index as usize, playhead),
            ModelItem::Lod { number } => self.lod_properties(number),
        }
    }

    /// The corners of a triangle of the file.
    pub(super) fn corners(&self, triangle: u32) -> Option<&[Vertex]> {
        let first = (triangle as usize).checked_mul(3)?;
        self.pfobj.vertices.get(first..first.checked_add(3)?)
    }

    /// Where the corners of a triangle of the file are at a moment. None for one that is not
    /// there, or could not be read.
    pub(super) fn triangle_corners(&self, triangle: u32, playhead: Playhead) -> Option<[Vec3; 3]> {
        let first = (triangle as usize).checked_mul(3)?;
        let points = self
            .mesh
            .point_of_corner
            .get(first..first.checked_add(3)?)?;
        self.with_mesh(playhead, |mesh| {
            let place = |i: usize| mesh.points.get(points[i] as usize).copied();
            Some([place(0)?, place(1)?, place(2)?])
        })
    }

    fn model_properties(&self) -> Vec<PropertyGroup> {
        let mut about = vec![
            Property::new("File", self.path.display().to_string()),
            Property::new("Version", self.pfobj.version.clone()),
            Property::new("Triangles", self.pfobj.triangle_count().to_string()),
            Property::new(
                "Vertices",
                format!(
                    "{}, {} of them different",
                    self.pfobj.vertices.len(),
                    self.mesh.vertices.len()
                ),
            ),
            Property::new("Joints", self.skeleton.len().to_string()),
            Property::new("Materials", self.pfobj.materials.len().to_string()),
            Property::new("Clips", self.clips.len().to_string()),
            Property::new("Reversed triangles", self.reversed_text()),
        ];
        let left_out = self.pfobj.triangle_count() - self.mesh.triangles.len();
        if left_out > 0 {
            let text = format!("{left_out}, since they could not be read");
            about.push(Property::new("Left out", text));
        }
        let line_ends = if self.pfobj.crlf { "CR LF" } else { "LF" };
        about.push(Property::new("Line ends", line_ends));
        let mut bounds = Vec::new();
        if let Some(bind) = self.extents.bind {
            bounds.push(Property::new("Size", xyz(bind.max - bind.min)));
        }
        if let Some(declared) = &self.pfobj.bounds {
            bounds.extend(bounds_properties(["Min", "Max"], &declared.into()));
            if let Some(bind) = &self.extents.bind
                && !self.extents.agree(declared, bind)
            {
                let names = ["Min of the mesh", "Max of the mesh"];
                bounds.extend(bounds_properties(names, bind));
            }
        } else {
            let why = if self.pfobj.has_bounds {
                "promised, but not there"
            } else {
                "none: the engine refuses such models"
            };
            bounds.push(Property::new("Declared", why));
        }
        vec![
            PropertyGroup {
                title: "Model",
                properties: about,
            },
            PropertyGroup {
                title: "Bounds of the bind pose",
                properties: bounds,
            },
        ]
    }

    fn reversed_text(&self) -> String {
        match self.uses.reversed {
            0 => "none".to_owned(),
            reversed => format!("{reversed}: their normals point the other way"),
        }
    }

    fn joint_properties(&self, index: usize, playhead: Playhead) -> Vec<PropertyGroup> {
        let Some(joint) = self.pfobj.joints.get(index) else {
            return Vec::new();
        };
        let parent = self.skeleton.parent(index);
        let mut about = vec![
            Property::new("Index", index.to_string()),
            Property::new("Name", joint.name.clone()),
            match parent {
                Some(parent) => self.joint_property("Parent", parent),
                None => Property::new("Parent", "none: this is a root"),
            },
        ];
        let children = self.skeleton.children(index).iter();
        about.extend(children.map(|child| self.joint_property("Child", *child as usize)));
        let uses = self.uses.joints.get(index).copied().unwrap_or_default();
        about.push(Property::new(
            "Moves",
            format!(
                "{} of {} vertices",
                uses.vertices,
                self.pfobj.vertices.len()
            ),
        ));
        if uses.vertices > 0 {
            about.push(Property::new("Largest weight", short(uses.largest_weight)));
        }
        about.push(Property::new("In the file", format!("line {}", joint.line)));
        let pose = Pose::of(&self.pfobj, &self.poses, playhead).local(index);
        let global = self.with_joints(playhead, |globals| globals.get(index).copied());
        let mut groups = vec![PropertyGroup {
            title: "Joint",
            properties: about,
        }];
        if let Some((clip, [frame, _], between)) = self.poses.between(playhead) {
            let clip = self.pfobj.clips.get(clip);
            let written = clip.and_then(|clip| {
                let first = frame as usize * self.skeleton.len();
                clip.poses.get(first + index).filter(|_| between == 0.0)
            });
            let mut local = local_properties(&pose, written);
            let first = clip.and_then(|clip| clip.frame_lines.get(frame as usize));
            local.extend(first.map(|first| {
                let line = first + index as u64;
                Property::new("In the file", format!("line {line}"))
            }));
            groups.push(PropertyGroup {
                title: "At this frame, from its parent",
                properties: local,
            });
            groups.push(PropertyGroup {
                title: "At this frame, in the model",
                properties: global_properties(global.unwrap_or_default()),
            });
        }
        let mut bind = local_properties(&LocalPose::from(&joint.bind), Some(&joint.bind));
        bind.push(Property::new("Tip", xyz(joint.tip)));
        groups.push(PropertyGroup {
            title: "Bind pose, from its parent",
            properties: bind,
        });
        groups.push(PropertyGroup {
            title: "Bind pose, in the model",
            properties: global_properties(self.skeleton.bind_global(index)),
        });
        groups
    }

    fn joint_property(&self, name: &'static str, joint: usize) -> Property {
        let label = self.pfobj.joints.get(joint);
        let label = label.map_or_else(String::new, |joint| joint.name.clone());
        Property {
            link: Some(joint_item(joint)),
            ..Property::new(name, label)
        }
    }

    fn triangle_properties(&self, index: u32, playhead: Playhead) -> Vec<PropertyGroup> {
        let Some(corners) = self.corners(index) else {
            return Vec::new();
        };
        let first = index * 3;
        let lines = [first, first + 2].map(|vertex| self.pfobj.vertex_line(vertex));
        let mut about = vec![
            Property::new("Index", index.to_string()),
            self.material_property(corners[0].material as usize),
        ];
        if corners.iter().any(|c| c.material != corners[0].material) {
            let text = "the corners name different ones; the first counts";
            about.push(Property::new("Materials", text));
        }
        let posed = self.triangle_corners(index, playhead);
        about.push(Property::new(
            "Faces",
            match (posed, is_reversed(corners)) {
                (None, _) => "nowhere: a corner could not be read; see the problems",
                (_, false) => "where its normals point",
                (_, true) => "away from where its normals point: the engine shows its other side",
            },
        ));
        about.push(Property::new(
            "In the file",
            format!("lines {} to {}", lines[0], lines[1] + 4),
        ));
        let mut groups = vec![PropertyGroup {
            title: "Triangle",
            properties: about,
        }];
        let places = posed.map_or([None; 3], |places| places.map(Some));
        for (i, ((corner, title), place)) in corners.iter().zip(CORNERS).zip(places).enumerate() {
            let line = self.pfobj.vertex_line(first + i as u32);
            let mut properties = Vec::new();
            if let Some(place) = place {
                properties.push(Property::new("Position", xyz(place)));
                let bind = Vec3::from(corner.position);
                if self.poses.between(playhead).is_some() {
                    properties.push(Property::new("In the bind pose", xyz(bind)));
                }
                let normal = self.posed_normal(first as usize + i, playhead);
                properties.push(Property::new(
                    "Normal",
                    xyz(normal.unwrap_or_else(|| corner.normal.into())),
                ));
            }
            let [u, v] = corner.uv.map(short);
            properties.push(Property::new("UV", format!("u {u}  v {v}")));
            self.push_weights(first as usize + i, corner, &mut properties);
            properties.push(Property::new("In the file", format!("line {line}")));
            groups.push(PropertyGroup { title, properties });
        }
        groups
    }

    /// The normal of a corner of the file at a moment.
    fn posed_normal(&self, corner: usize, playhead: Playhead) -> Option<Vec3> {
        let point = *self.mesh.point_of_corner.get(corner)? as usize;
        let influences = self.mesh.points.get(point)?.influence_range();
        let influences = self.mesh.influences(influences);
        let normal = Vec3::from(self.pfobj.vertices.get(corner)?.normal).try_normalize()?;
        let posed = self.with_mesh(playhead, |mesh| {
            skin_normal(normal, influences, &mesh.palette)
        });
        Some(posed)
    }

    /// Adds what moves a corner: its normalised shares, and the weights as the file has them.
    fn push_weights(&self, index: usize, corner: &Vertex, properties: &mut Vec<Property>) {
        let listed = self.pfobj.influences_of(corner);
        let sum: f32 = listed.iter().map(|influence| influence.weight).sum();
        let point = self.mesh.point_of_corner.get(index);
        let point = point.and_then(|point| self.mesh.points.get(*point as usize));
        let range = point.map_or(0..0, Point::influence_range);
        if range.is_empty() && !self.skeleton.is_empty() {
            properties.push(Property::new("Moved by", "nothing: it stays where it is"));
        }
        for influence in self.mesh.influences(range) {
            let joint = influence.joint as usize;
            let Some(name) = self.pfobj.joints.get(joint).map(|joint| &joint.name) else {
                continue;
            };
            let share = short(influence.weight);
            let written = listed.iter().find(|i| i.joint == influence.joint);
            let text = match written {
                Some(written) if (sum - 1.0).abs() > 1e-3 => {
                    format!("{name}, {share} ({} in the file)", short(written.weight))
                }
                _ => format!("{name}, {share}"),
            };
            properties.push(Property {
                link: Some(joint_item(joint)),
                ..Property::new("Moved by", text)
            });
        }
        for influence in listed {
            if influence.joint as usize >= self.skeleton.len() {
                let text = format!("joint {}, which is not there", influence.joint);
                properties.push(Property::new("Moved by", text));
            }
        }
    }

    fn material_property(&self, index: usize) -> Property {
        let name = self.material_name(index);
        if index >= self.pfobj.materials.len() {
            return Property::new("Material", name);
        }
        Property {
            link: Some(material_item(index)),
            ..named("Material", name, index)
        }
    }

    fn material_properties(&self, index: usize) -> Vec<PropertyGroup> {
        let (Some(material), Some(picture), Some(drawn)) = (
            self.pfobj.materials.get(index),
            self.materials.pictures.get(index),
            self.materials.drawn.get(index),
        ) else {
            return Vec::new();
        };
        let uses = self.uses.materials.get(index).copied().unwrap_or_default();
        let [file, size] = picture.properties();
        let mut texture = vec![
            Property::new("Texture", material.texture.clone()),
            file,
            size,
            Property::new(
                "Holes",
                if drawn.texture.has_holes {
                    "where it is less than half opaque"
                } else {
                    "none"
                },
            ),
        ];
        if picture.size.is_some_and(|size| size != ENGINE_TEXTURE_SIZE) {
            let [width, height] = ENGINE_TEXTURE_SIZE;
            let text = format!("shrunk or stretched to {width} x {height} pixels");
            texture.insert(3, Property::new("In the engine", text));
        }
        if let Some([min, max]) = uses.uv {
            texture.push(Property::new("U", uv_text(min.x, max.x)));
            texture.push(Property::new("V", uv_text(min.y, max.y)));
        }
        vec![
            PropertyGroup {
                title: "Material",
                properties: vec![
                    Property::new("Index", index.to_string()),
                    named("Name", material.name.clone(), index),
                    Property::new("Ambient", short(material.ambient)),
                    color_property("Diffuse", material.diffuse),
                    color_property("Specular", material.specular),
                    Property::new(
                        "On",
                        format!(
                            "{} of {}",
                            uses.triangles,
                            plural(self.pfobj.triangle_count(), "triangle", "triangles")
                        ),
                    ),
                    Property::new(
                        "In the file",
                        format!("lines {} to {}", material.line, material.texture_line),
                    ),
                ],
            },
            PropertyGroup {
                title: "Texture",
                properties: texture,
            },
        ]
    }

    fn lod_properties(&self, number: u32) -> Vec<PropertyGroup> {
        let Some(path) = self.lods.path(number) else {
            return Vec::new();
        };
        let shown = if path == self.path { "yes" } else { "no" };
        vec![PropertyGroup {
            title: "Level of detail",
            properties: vec![
                Property::new("Level", lods::title(number)),
                Property::new("File", path.display().to_string()),
                Property::new("Open now", shown),
            ],
        }]
    }

    fn clip_properties(&self, index: usize, playhead: Playhead) -> Vec<PropertyGroup> {
        let (Some(clip), Some(info)) = (self.pfobj.clips.get(index), self.clips.get(index)) else {
            return Vec::new();
        };
        let worst = self.extents.worst.get(index).copied().flatten();
        let error = match worst {
            None => "none are declared".to_owned(),
            Some(worst) if worst.size <= self.extents.tolerance => {
                "those of the mesh in every frame".to_owned()
            }
            Some(worst) => format!(
                "off by up to {}, in frame {}",
                short(worst.size),
                worst.frame
            ),
        };
        let mut groups = vec![PropertyGroup {
            title: "Clip",
            properties: vec![
                Property::new("Index", index.to_string()),
                Property::new("Name", clip.name.clone()),
                Property::new("Frames", info.frames.to_string()),
                Property::new(
                    "Lasts",
                    format!("{} at 24 frames a second", seconds(info.frames)),
                ),
                Property::new("Bounds", error),
                Property::new("In the file", format!("line {}", clip.line)),
            ],
        }];
        let moment = self.poses.between(playhead);
        if let Some((_, [frame, _], _)) = moment.filter(|(clip, ..)| *clip == index) {
            let mut properties = vec![Property::new("Frame", frame.to_string())];
            if let Some(line) = clip.frame_lines.get(frame as usize) {
                properties.push(Property::new("In the file", format!("line {line}")));
            }
            if let Some(declared) = self.declared_at(playhead) {
                let names = ["Declared min", "Declared max"];
                properties.extend(bounds_properties(names, &declared.into()));
            }
            if let Some(skinned) = self.extent_at(playhead) {
                let names = ["Min of the mesh", "Max of the mesh"];
                properties.extend(bounds_properties(names, &skinned));
            }
            groups.push(PropertyGroup {
                title: "This frame",
                properties,
            });
        }
        groups
    }
}

fn bounds_properties(names: [&'static str; 2], aabb: &Aabb) -> [Property; 2] {
    [
        Property::new(names[0], xyz(aabb.min)),
        Property::new(names[1], xyz(aabb.max)),
    ]
}

/// Colour factors, with the colour that they make of white.
fn color_property(name: &'static str, factors: [f32; 3]) -> Property {
    let [r, g, b] = factors.map(short);
    Property {
        swatch: Some(Swatch::Color(
            factors.map(|factor| (factor * 255.0).round() as u8),
        )),
        ..Property::new(name, format!("red {r}  green {g}  blue {b}"))
    }
}

/// The range of a texture coordinate, and whether the texture is repeated in it.
fn uv_text(min: f32, max: f32) -> String {
    let repeats = if min < -1e-4 || max > 1.0001 {
        ", where the texture repeats"
    } else {
        ""
    };
    format!("{} to {}{repeats}", short(min), short(max))
}

/// The numbers of a place relative to a parent, and the rotation as the file writes it.
fn local_properties(pose: &LocalPose, written: Option<&Transform>) -> Vec<Property> {
    let mut properties = transform_properties(pose.translation, pose.rotation, pose.scale);
    // Whoever looks the line up finds other signs there.
    if let Some(Rotation::ConjugatedQuaternion(xyzw)) = written.map(|pose| pose.rotation) {
        let text = format!("{}: the conjugate", quaternion(xyzw));
        properties.insert(2, Property::new("As written", text));
    }
    properties
}

fn quaternion(xyzw: [f32; 4]) -> String {
    let [x, y, z, w] = xyzw.map(short);
    format!("x {x}  y {y}  z {z}  w {w}")
}

/// The numbers of a matrix to model space.
fn global_properties(global: Affine3A) -> Vec<Property> {
    let (scale, rotation, translation) = global.to_scale_rotation_translation();
    if scale.is_finite() && rotation.is_finite() && translation.is_finite() {
        return transform_properties(translation, rotation, scale);
    }
    vec![
        Property::new("Translation", xyz(global.translation)),
        Property::new("Rotation", "none: it is scaled to nothing"),
    ]
}

fn transform_properties(translation: Vec3, rotation: Quat, scale: Vec3) -> Vec<Property> {
    let degrees = |order| xyz((euler_degrees(rotation, order) * 100.0).round() / 100.0);
    vec![
        Property::new("Translation", xyz(translation)),
        Property::new("Rotation", quaternion(rotation.to_array())),
        Property::new("Degrees, Z first", degrees(FirstAxis::Z)),
        Property::new(
            "Degrees, X first",
            format!("{} (Blender's XYZ)", degrees(FirstAxis::X)),
        ),
        Property::new("Scale", xyz(scale)),
    ]
}
