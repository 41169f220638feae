//! Field tables of models, joints, triangles, materials, clips and LODs. The inspector, the status
//! line, outline notes and JSON are generated from them.

use glam::{Affine3A, Quat, Vec3};
use serde_json::{Map, Value as Json, json};

use super::bounds::Difference;
use super::clips::{FirstAxis, euler_degrees};
use super::flaws::FlawAt;
use super::materials::ENGINE_TEXTURE_SIZE;
use super::mesh::Point;
use super::posed::PosedMesh;
use super::poses::{Pose, skin_normal};
use super::skeleton::{LocalPose, SkinMatrix};
use super::uses::{JointUse, MaterialUse};
use super::{Model, joint_item, lods, material_item};
use crate::assets::TextureFile;
use crate::describe::fields::{
    Describe, Field, GroupKeys, ItemKeys, Table, Value, detail_only, field, fields, json_only,
    own_only, section, summary_only,
};
use crate::describe::numbers::{fixed, number, short, xyz};
use crate::{
    Aabb, ClipInfo, Flaw, ModelItem, Origin, OwnLine, Playhead, Property, PropertyGroup, Swatch,
};
use mapscope_formats::counted;
use mapscope_formats::pfobj::{
    Bounds, Clip, FRAMES_PER_SECOND, Joint, Material, Rotation, Transform, Vertex,
};

impl Model {
    /// Returns the inspector's lists for an item at a moment. Empty for an item that does not
    /// exist.
    pub(super) fn groups(&self, item: ModelItem, playhead: Playhead) -> Vec<PropertyGroup> {
        let described = self.described(item, playhead);
        let mut groups = described.map_or_else(Vec::new, |at| at.groups());
        if let ModelItem::Triangle { index } = item {
            let triangle = self.triangle_at(index, playhead);
            groups.extend(triangle.iter().flat_map(TriangleAt::corner_groups));
        }
        groups
    }

    /// Returns the record of an item at a moment with its table, or `None` if the item does not
    /// exist.
    pub(super) fn described(
        &self,
        item: ModelItem,
        playhead: Playhead,
    ) -> Option<Box<dyn Describe + '_>> {
        Some(match item {
            ModelItem::Model => Self::FIELDS.of(self),
            ModelItem::Joint { index } => {
                JointAt::FIELDS.of(self.joint_at(index as usize, playhead)?)
            }
            ModelItem::Triangle { index } => {
                TriangleAt::FIELDS.of(self.triangle_at(index, playhead)?)
            }
            ModelItem::Material { index } => {
                MaterialAt::FIELDS.of(self.material_at(index as usize)?)
            }
            ModelItem::Clip { index } => ClipAt::FIELDS.of(self.clip_at(index as usize, playhead)?),
            ModelItem::Lod { number } => LodAt::FIELDS.of(self.lod_at(number)?),
            ModelItem::Flaw { flaw } => FlawAt::FIELDS.of(self.flaw_at(flaw)?),
        })
    }

    /// Returns the same description as JSON.
    pub(super) fn details_of(&self, item: ModelItem, playhead: Playhead) -> Map<String, Json> {
        let described = self.described(item, playhead);
        let mut details = described.map_or_else(Map::new, |at| at.details());
        if let ModelItem::Triangle { index } = item
            && let Some(triangle) = self.triangle_at(index, playhead)
        {
            let corners = triangle.corners().map(|(_, corner)| {
                let mut details = CornerAt::FIELDS.details(&corner).into_iter();
                details.next().map_or(Json::Null, |(_, fields)| fields)
            });
            details.insert("corners".to_owned(), corners.collect());
        }
        details
    }

    /// Returns the JSON keys of each kind of item.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        let corners = CornerAt::FIELDS.keys("corner").groups.into_iter();
        let corners = corners.map(|group| GroupKeys {
            key: "corners".to_owned(),
            ..group
        });
        let mut triangle = TriangleAt::FIELDS.keys("triangle");
        triangle.groups.extend(corners);
        vec![
            Self::FIELDS.keys("model"),
            JointAt::FIELDS.keys("joint"),
            triangle,
            MaterialAt::FIELDS.keys("material"),
            ClipAt::FIELDS.keys("clip"),
            LodAt::FIELDS.keys("level of detail"),
            FlawAt::FIELDS.keys("flaw"),
        ]
    }

    /// Returns the values that the file stores for a vertex.
    pub(super) fn own_vertex(&self, index: usize) -> Vec<OwnLine> {
        let corner = self.pfobj.vertices.get(index).map(|vertex| CornerAt {
            model: self,
            vertex,
            index,
            position: None,
            playhead: Playhead::default(),
        });
        corner.map_or_else(Vec::new, |at| CornerAt::FIELDS.own(&at))
    }

    /// Returns the values that the file stores for a pose of a joint, by its index among those of a
    /// clip.
    pub(super) fn own_pose(&self, clip: usize, index: usize) -> Vec<OwnLine> {
        let Some(clip) = self.pfobj.clips.get(clip) else {
            return Vec::new();
        };
        let joints = self.pfobj.joints.len().max(1);
        let pose = clip.poses.get(index);
        let mut own = pose.map_or_else(Vec::new, |pose| own_transform(pose).own_lines("Pose"));
        let first = clip.frame_lines.get(index / joints);
        own.extend(first.map(|first| {
            let place = line(first + (index % joints) as u64);
            OwnLine::new("Pose", "In the file", place).within(Origin::Place)
        }));
        own
    }

    /// Returns the values that the file stores for the bounds of a frame.
    pub(super) fn own_bounds(&self, clip: usize, frame: usize) -> Vec<OwnLine> {
        let clip = self.pfobj.clips.get(clip);
        let bounds = clip.and_then(|clip| clip.bounds.get(frame)?.as_ref());
        let bounds = bounds.map(|bounds| own_min_max(bounds).own_lines("Bounds"));
        let mut own = bounds.unwrap_or_default();
        let first = clip.and_then(|clip| clip.frame_lines.get(frame));
        own.extend(first.map(|first| {
            let place = line(first + self.pfobj.joints.len() as u64);
            OwnLine::new("Bounds", "In the file", place).within(Origin::Place)
        }));
        own
    }

    /// Returns the keys of `info --json`.
    pub(super) fn json(&self) -> Map<String, Json> {
        let mut keys = Self::FIELDS.json(self);
        if self.lods.is_empty() {
            keys.remove("lods");
        }
        keys
    }

    const FIELDS: Table<'static, Self> = Table {
        sections: &[
            section("Model", Self::FILE),
            section("Bounds of the bind pose", Self::BOUNDS),
        ],
    };

    const FILE: &'static [Field<Self>] = &[
        field("File", |model: &Self| {
            model.path.display().to_string().into()
        })
        .derived()
        .in_summary_as("Model"),
        field("Version", |model| model.about.version.clone().into()),
        field("Triangles", |model: &Self| {
            model.pfobj.triangle_count().into()
        })
        .derived()
        .note(|model| {
            let (drawn, all) = (model.mesh.triangles.len(), model.pfobj.triangle_count());
            match triangles(all) {
                text if drawn < all => format!("{drawn} of {text}").into(),
                text => text.into(),
            }
        }),
        field("Vertices", |model: &Self| {
            let (listed, different) = (model.pfobj.vertices.len(), model.mesh.vertices.len());
            format!("{listed}, {different} of them different").into()
        })
        .derived()
        .json_as("vertices", |model| model.pfobj.vertices.len().into()),
        json_only("triangles", |model| model.pfobj.triangle_count().into()),
        field("Joints", |model: &Self| model.skeleton.len().into())
            .derived()
            .json_as("joints", Self::joints_json),
        field("Materials", |model: &Self| {
            model.pfobj.materials.len().into()
        })
        .derived()
        .json_as("materials", Self::materials_json),
        field("Clips", |model: &Self| model.clips.len().into())
            .derived()
            .json_as("clips", Self::clips_json),
        json_only("lods", |model| model.lods.names().into()),
        field("", |model: &Self| model.flaw_counts())
            .derived()
            .json_as("reversed_triangles", |model| {
                model.flaw_json(Flaw::Reversed)
            }),
        json_only("bent_triangles", |model| model.flaw_json(Flaw::BentNormals)),
        json_only("unweighted_vertices", Self::unweighted_json),
        field("Left out", |model: &Self| {
            let left_out = model.pfobj.triangle_count() - model.mesh.triangles.len();
            let text = format!("{left_out}, since they could not be read");
            (left_out > 0).then_some(text).into()
        })
        .derived(),
        field("Line ends", |model: &Self| {
            if model.pfobj.crlf { "CR LF" } else { "LF" }.into()
        })
        .derived(),
    ];

    const BOUNDS: &'static [Field<Self>] = &[
        field("Size", |model: &Self| {
            model.extents.bind.map(|bind| bind.max - bind.min).into()
        })
        .derived(),
        field("", |model: &Self| {
            let declared = model.pfobj.bounds.as_ref().map(Aabb::from);
            min_max(["Min", "Max"], declared)
        })
        .own(|model| {
            let declared = model.pfobj.bounds.as_ref();
            declared.map(own_min_max).into()
        }),
        field("", |model: &Self| {
            min_max(["Min of the mesh", "Max of the mesh"], model.other_bounds())
        })
        .derived(),
        field("Declared", |model| {
            let why = if model.pfobj.has_bounds {
                "promised, but not there"
            } else {
                "none: the engine refuses such models"
            };
            model.pfobj.bounds.is_none().then_some(why).into()
        }),
        json_only("bounds", |model| {
            // The declared bounds, or those of the mesh if none are declared.
            let bind = model.extents.bind.unwrap_or(model.about.bounds);
            let Bounds { min, max } = model.pfobj.bounds.unwrap_or(Bounds {
                min: bind.min.into(),
                max: bind.max.into(),
            });
            json!({"min": min.map(number), "max": max.map(number)})
        }),
    ];

    /// Returns the bounds of the mesh in the bind pose if they differ from the declared ones.
    fn other_bounds(&self) -> Option<Aabb> {
        let declared = self.pfobj.bounds.as_ref()?;
        let bind = self.extents.bind?;
        (!self.extents.agree(declared, &bind)).then_some(bind)
    }

    fn joints_json(&self) -> Json {
        let joints = (0..self.skeleton.len()).filter_map(|i| self.joint_at(i, Playhead::default()));
        joints.map(|at| JointAt::FIELDS.json(&at)).collect()
    }

    fn materials_json(&self) -> Json {
        let materials = (0..self.pfobj.materials.len()).filter_map(|i| self.material_at(i));
        materials.map(|at| MaterialAt::FIELDS.json(&at)).collect()
    }

    fn clips_json(&self) -> Json {
        let clips = (0..self.clips.len()).filter_map(|i| self.clip_at(i, Playhead::default()));
        clips.map(|at| ClipAt::FIELDS.json(&at)).collect()
    }

    fn joint_at(&self, index: usize, playhead: Playhead) -> Option<JointAt<'_>> {
        Some(JointAt {
            model: self,
            joint: self.pfobj.joints.get(index)?,
            index,
            playhead,
        })
    }

    fn triangle_at(&self, index: u32, playhead: Playhead) -> Option<TriangleAt<'_>> {
        let first = (index as usize).checked_mul(3)?;
        Some(TriangleAt {
            model: self,
            corners: self.pfobj.vertices.get(first..first.checked_add(3)?)?,
            index,
            playhead,
        })
    }

    fn material_at(&self, index: usize) -> Option<MaterialAt<'_>> {
        Some(MaterialAt {
            model: self,
            material: self.pfobj.materials.get(index)?,
            texture: self.materials.file(index)?,
            uses: self.uses.materials.get(index).copied()?,
            index,
        })
    }

    fn clip_at(&self, index: usize, playhead: Playhead) -> Option<ClipAt<'_>> {
        let moment = self
            .poses
            .between(playhead)
            .filter(|(clip, ..)| *clip == index);
        Some(ClipAt {
            model: self,
            clip: self.pfobj.clips.get(index)?,
            info: self.clips.get(index)?,
            index,
            playhead,
            frame: moment.map(|(_, [frame, _], _)| frame),
        })
    }

    fn lod_at(&self, number: u32) -> Option<LodAt> {
        let path = self.lods.path(number)?;
        Some(LodAt {
            number,
            is_open: path == self.path,
            path: path.display().to_string(),
        })
    }

    /// Name of a joint, with a link to it.
    fn joint_link(&self, joint: usize) -> Value {
        let named = self.pfobj.joints.get(joint);
        let name = named.map_or_else(String::new, |joint| joint.name.clone());
        Value::from(name).link(joint_item(joint))
    }

    /// Number and name of a material.
    fn material_name(&self, index: usize) -> String {
        match self.pfobj.materials.get(index) {
            Some(material) => format!("{index} {}", material.name),
            None => format!("{index}: there is no such material"),
        }
    }
}

/// A joint at a moment.
struct JointAt<'a> {
    model: &'a Model,
    joint: &'a Joint,
    index: usize,
    playhead: Playhead,
}

impl<'a> JointAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Joint", Self::JOINT),
            section("At this frame, from its parent", Self::LOCAL_POSE).keyed("local"),
            section("At this frame, in the model", Self::POSE).keyed("global"),
            section("Bind pose, from its parent", Self::LOCAL_BIND_POSE).keyed("bind_local"),
            section("Bind pose, in the model", Self::BIND_POSE).keyed("bind_global"),
        ],
    };

    const JOINT: &'a [Field<Self>] = &[
        field("Index", |at: &Self| at.index.into()).derived(),
        field("Name", |at: &Self| at.joint.name.clone().into())
            .in_summary_as("Joint")
            .json("name"),
        field("Parent", |at: &Self| match at.parent() {
            Some(parent) => at.model.joint_link(parent).naming("joint", parent, ""),
            None => "none (root joint)".into(),
        })
        .summary("Parent", |at| {
            at.parent().map(|joint| at.model.joint_link(joint)).into()
        })
        .json_as("parent", |at| at.parent().into()),
        field("Child", |at: &Self| {
            let children = at.model.skeleton.children(at.index).iter();
            let links = children.map(|joint| at.model.joint_link(*joint as usize));
            let lines = links.filter_map(|link| link.property("Child"));
            lines.collect::<Vec<_>>().into()
        })
        .derived()
        .detail_as("children", |at| json!(at.model.skeleton.children(at.index))),
        field("Moves", |at: &Self| {
            let all = at.model.pfobj.vertices.len();
            format!("{} of {all} vertices", at.uses().vertices).into()
        })
        .derived()
        .summary("Moves", |at| at.moved_vertices().into())
        .note(|at| (at.uses().vertices > 0).then(|| at.moved_vertices()).into())
        .detail_as("vertices", |at| at.uses().vertices.into()),
        field("Max weight", |at: &Self| {
            let uses = at.uses();
            (uses.vertices > 0).then_some(uses.max_weight).into()
        })
        .derived(),
        field("In the file", |at: &Self| line(at.joint.line).into())
            .place()
            .detail_as("line", |at| at.joint.line.into()),
    ];

    const LOCAL_POSE: &'a [Field<Self>] = &[
        field("", |at: &Self| at.local_lines().into())
            .derived()
            .detail_as("rotation", |at| {
                local_json(at.local(), |pose| quat(pose.rotation))
            }),
        detail_only("translation", |at: &Self| {
            local_json(at.local(), |pose| vector(pose.translation))
        }),
        detail_only("scale", |at: &Self| {
            local_json(at.local(), |pose| vector(pose.scale))
        }),
        detail_only("matrix", |at: &Self| {
            local_json(at.local(), |pose| rows(pose.matrix()))
        }),
        field("In the file", |at: &Self| at.pose_line().map(line).into())
            .derived()
            .detail_as("line", |at| at.pose_line().into()),
    ];

    const POSE: &'a [Field<Self>] = &[
        field("", |at: &Self| at.global().map(global_lines).into())
            .derived()
            .detail_as("rotation", |at| global_json(at.global(), Part::Rotation)),
        detail_only("translation", |at: &Self| {
            global_json(at.global(), Part::Translation)
        }),
        detail_only("scale", |at: &Self| global_json(at.global(), Part::Scale)),
        detail_only("matrix", |at: &Self| at.global().map(rows).into()),
        detail_only("skinning", |at: &Self| at.skinning().map(rows).into()),
    ];

    const LOCAL_BIND_POSE: &'a [Field<Self>] = &[
        field("", |at: &Self| {
            let bind = &at.joint.bind;
            local_lines(&bind.into(), Some(bind)).into()
        })
        .own(|at| own_transform(&at.joint.bind))
        .detail_as("rotation", |at| quat(at.bind().rotation)),
        detail_only("translation", |at: &Self| vector(at.bind().translation)),
        detail_only("scale", |at: &Self| vector(at.bind().scale)),
        detail_only("matrix", |at: &Self| rows(at.bind().matrix())),
        field("Tip", |at| at.joint.tip.into()),
    ];

    const BIND_POSE: &'a [Field<Self>] = &[
        field("", |at: &Self| global_lines(at.bind_global()).into())
            .derived()
            .detail_as("rotation", |at| {
                global_json(Some(at.bind_global()), Part::Rotation)
            }),
        detail_only("translation", |at: &Self| {
            global_json(Some(at.bind_global()), Part::Translation)
        }),
        detail_only("scale", |at: &Self| {
            global_json(Some(at.bind_global()), Part::Scale)
        }),
        detail_only("matrix", |at: &Self| rows(at.bind_global())),
    ];

    fn bind(&self) -> LocalPose {
        LocalPose::from(&self.joint.bind)
    }

    fn bind_global(&self) -> Affine3A {
        self.model.skeleton.bind_global(self.index)
    }

    fn parent(&self) -> Option<usize> {
        self.model.skeleton.parent(self.index)
    }

    fn uses(&self) -> JointUse {
        let uses = self.model.uses.joints.get(self.index);
        uses.copied().unwrap_or_default()
    }

    fn moved_vertices(&self) -> String {
        counted(self.uses().vertices, "vertex")
    }

    /// Returns the clip, the frame, and the fraction of the way to the next frame.
    fn moment(&self) -> Option<(Option<&'a Clip>, usize, f32)> {
        let (clip, [frame, _], between) = self.model.poses.between(self.playhead)?;
        Some((self.model.pfobj.clips.get(clip), frame as usize, between))
    }

    /// Transform relative to its parent in a frame of a clip.
    fn local(&self) -> Option<LocalPose> {
        self.moment()?;
        let model = self.model;
        Some(Pose::of(&model.pfobj, &model.poses, self.playhead).local(self.index))
    }

    fn local_lines(&self) -> Option<Vec<Property>> {
        let (clip, frame, between) = self.moment()?;
        let model = self.model;
        let pose = self.local()?;
        let written = clip.filter(|_| between == 0.0).and_then(|clip| {
            let first = frame * model.skeleton.len();
            clip.poses.get(first + self.index)
        });
        Some(local_lines(&pose, written))
    }

    /// Line number of its pose in the file.
    fn pose_line(&self) -> Option<u64> {
        let (clip, frame, _) = self.moment()?;
        let first = clip?.frame_lines.get(frame)?;
        Some(first + self.index as u64)
    }

    /// Matrix from its space to model space in a frame of a clip.
    fn global(&self) -> Option<Affine3A> {
        self.moment()?;
        let global = |globals: &[Affine3A]| globals.get(self.index).copied();
        let global = self.model.with_joints(self.playhead, global);
        Some(global.unwrap_or_default())
    }

    /// Matrix that moves its vertices from the bind pose to a frame of a clip.
    fn skinning(&self) -> Option<Affine3A> {
        self.moment()?;
        let skinning = |mesh: &PosedMesh| mesh.palette.get(self.index).copied();
        let skinning = self.model.with_mesh(self.playhead, skinning);
        skinning.map(Affine3A::from)
    }
}

/// A triangle of the file at a moment.
struct TriangleAt<'a> {
    model: &'a Model,
    corners: &'a [Vertex],
    index: u32,
    playhead: Playhead,
}

impl<'a> TriangleAt<'a> {
    const FIELDS: Table<'a, Self> = fields!(
        "Triangle",
        field("Index", |at: &Self| at.index.into()).summary("Triangle", |at| {
            let digits = (at.model.pfobj.triangle_count() - 1).to_string().len();
            Value::from(format!("{:>digits$}", at.index)).width(digits)
        }),
        field("Material", |at: &Self| {
            let material = at.material();
            let value = Value::from(at.model.material_name(material));
            if material >= at.model.pfobj.materials.len() {
                return value;
            }
            let value = value.link(material_item(material));
            value.swatch(Some(Swatch::Thumbnail(material)))
        })
        .detail_as("material", |at| at.material().into())
        .summary("Material", |at| {
            let materials = at.model.pfobj.materials.iter();
            let widest = materials.map(|m| m.name.chars().count()).max();
            let value = Value::from(at.model.material_name(at.material()));
            value.width(widest.unwrap_or(0))
        }),
        field("Materials", |at| {
            let material = at.corners[0].material;
            let differ = at.corners.iter().any(|c| c.material != material);
            let text = "the corners name different ones; the first counts";
            differ.then_some(text).into()
        }),
        field("Faces", |at| {
            let posed = at.model.triangle_corners(at.index, at.playhead);
            let has = |flaw| at.model.triangle_flaws(at.index).any(|of| of == flaw);
            if posed.is_none() {
                "nowhere: a corner could not be read; see the problems"
            } else if has(Flaw::Reversed) {
                "away from where its normals point: the engine shows its other side"
            } else if has(Flaw::BentNormals) {
                "where not each of its normals points"
            } else {
                "where its normals point"
            }
            .into()
        }),
        field("Drawn wrong", |at: &Self| {
            let is_wrong = |flaw| flaw != Flaw::BentNormals;
            at.model.flaw_values(at.index, is_wrong)
        })
        .derived(),
        field("Worth knowing", |at: &Self| {
            let is_note = |flaw| flaw == Flaw::BentNormals;
            at.model.flaw_values(at.index, is_note)
        })
        .derived(),
        field("In the file", |at: &Self| {
            let [from, to] = at.lines();
            lines(from, to).into()
        })
        .detail_as("lines", |at| json!(at.lines())),
        summary_only("Line", |at| at.model.pfobj.vertex_line(at.index * 3).into()),
    );

    fn material(&self) -> usize {
        self.corners[0].material as usize
    }

    /// First and last line of the triangle in the file.
    fn lines(&self) -> [u64; 2] {
        let first = self.index * 3;
        let [from, to] = [first, first + 2].map(|i| self.model.pfobj.vertex_line(i));
        [from, to + 4]
    }

    /// Returns its corners with their titles.
    fn corners(&self) -> impl Iterator<Item = (&'static str, CornerAt<'a>)> {
        let posed = self.model.triangle_corners(self.index, self.playhead);
        let titles = ["Corner 1", "Corner 2", "Corner 3"];
        let (model, playhead) = (self.model, self.playhead);
        let first = self.index as usize * 3;
        let corners = self.corners.iter().enumerate().zip(titles);
        corners.map(move |((i, vertex), title)| {
            let corner = CornerAt {
                model,
                vertex,
                index: first + i,
                position: posed.map(|corners| corners[i]),
                playhead,
            };
            (title, corner)
        })
    }

    /// Returns one list for each corner.
    fn corner_groups(&self) -> Vec<PropertyGroup> {
        let groups = self.corners().flat_map(|(title, corner)| {
            let groups = CornerAt::FIELDS.groups(&corner).into_iter();
            groups.map(move |group| PropertyGroup { title, ..group })
        });
        groups.collect()
    }
}

/// A corner of a triangle at a moment.
struct CornerAt<'a> {
    model: &'a Model,
    vertex: &'a Vertex,
    /// Index among the vertices of the file.
    index: usize,
    /// `None` if it could not be read.
    position: Option<Vec3>,
    playhead: Playhead,
}

impl<'a> CornerAt<'a> {
    const FIELDS: Table<'a, Self> = fields!(
        "Corner",
        field("Position", |at: &Self| at.position.into())
            .own(|at| at.vertex.position.into())
            .detail_as("position", |at| at
                .posed_json(at.position, at.vertex.position)),
        field("In the bind pose", |at: &Self| {
            let posed = at.position.and(at.model.poses.between(at.playhead));
            posed.map(|_| at.vertex.position).into()
        })
        .derived(),
        field("Normal", |at: &Self| at
            .position
            .map(|_| at.normal())
            .into())
        .own(|at| at.vertex.normal.into())
        .detail_as("normal", |at| {
            let posed = at.position.map(|_| at.normal());
            at.posed_json(posed, at.vertex.normal)
        }),
        field("UV", |at: &Self| {
            let [u, v] = at.vertex.uv.map(short);
            format!("u {u}  v {v}").into()
        })
        .own(|at| {
            let [u, v] = at.vertex.uv;
            format!("u {u}  v {v}").into()
        })
        .detail_as("uv", |at| json!(at.vertex.uv.map(number))),
        own_only("Material", |at: &Self| {
            let materials = &at.model.pfobj.materials;
            let material = materials.get(at.vertex.material as usize);
            let name = material.map_or_else(
                || at.vertex.material.to_string(),
                |material| material.name.clone(),
            );
            Value::from(name).naming("material", at.vertex.material as usize, "")
        }),
        field("", |at: &Self| at.weight_lines().into())
            .own(CornerAt::own_weights)
            .detail_as("weights", |at| {
                let listed = at.model.pfobj.influences_of(at.vertex).iter();
                listed
                    .map(|it| json!({"joint": it.joint, "weight": number(it.weight)}))
                    .collect()
            }),
        field("In the file", |at: &Self| {
            line(at.model.pfobj.vertex_line(at.index as u32)).into()
        })
        .place()
        .detail_as("line", |at| at
            .model
            .pfobj
            .vertex_line(at.index as u32)
            .into()),
        detail_only("vertex", |at: &Self| at.index.into()),
    );

    /// Returns the posed vector if the model is posed, otherwise the one in the file with all its
    /// digits.
    fn posed_json(&self, posed: Option<Vec3>, own: [f32; 3]) -> Json {
        let posed = posed.filter(|_| self.model.poses.between(self.playhead).is_some());
        json!(posed.map_or(own, |posed| posed.to_array()).map(number))
    }

    /// Returns the vertex of the mesh, without texture coordinates and normal.
    fn point(&self) -> Option<&'a Point> {
        let point = *self.model.mesh.point_of_corner.get(self.index)?;
        self.model.mesh.points.get(point as usize)
    }

    fn normal(&self) -> Vec3 {
        let normal = Vec3::from(self.vertex.normal);
        let posed = self
            .point()
            .zip(normal.try_normalize())
            .map(|(point, unit)| {
                let influences = self.model.mesh.influences(point.influence_range());
                let posed = |mesh: &PosedMesh| skin_normal(unit, influences, &mesh.palette);
                self.model.with_mesh(self.playhead, posed)
            });
        posed.unwrap_or(normal)
    }

    /// Lists the weights in the file.
    fn own_weights(&self) -> Value {
        let listed = self.model.pfobj.influences_of(self.vertex).iter();
        Value::list(listed.map(|influence| {
            let joint = self
                .model
                .pfobj
                .joints
                .get(influence.joint as usize)
                .map_or_else(|| influence.joint.to_string(), |it| it.name.clone());
            let weight = influence.weight;
            Value::from(format!("{joint}, {weight}"))
                .naming("joint", influence.joint as usize, weight.to_string())
                .named("Moved by")
        }))
    }

    /// Lists the normalized weights, and those in the file if they differ.
    fn weight_lines(&self) -> Vec<Property> {
        let model = self.model;
        let joints = &model.pfobj.joints;
        let listed = model.pfobj.influences_of(self.vertex);
        let sum: f32 = listed.iter().map(|influence| influence.weight).sum();
        let range = self.point().map_or(0..0, Point::influence_range);
        let mut lines = Vec::new();
        if range.is_empty() && !joints.is_empty() {
            lines.push(Property::new("Moved by", "nothing: it stays where it is"));
        }
        for influence in model.mesh.influences(range) {
            let Some(joint) = joints.get(influence.joint as usize) else {
                continue;
            };
            let mut text = format!("{}, {}", joint.name, short(influence.weight));
            let written = listed.iter().find(|i| i.joint == influence.joint);
            if let Some(written) = written.filter(|_| (sum - 1.0).abs() > 1e-3) {
                text = format!("{text} ({} in the file)", short(written.weight));
            }
            lines.push(Property {
                link: Some(joint_item(influence.joint as usize)),
                ..Property::new("Moved by", text)
            });
        }
        let unknown = listed.iter().filter(|i| i.joint as usize >= joints.len());
        lines.extend(unknown.map(|influence| {
            let text = format!("joint {}, which is not there", influence.joint);
            Property::new("Moved by", text)
        }));
        lines
    }
}

/// A material with its texture.
struct MaterialAt<'a> {
    model: &'a Model,
    material: &'a Material,
    texture: &'a TextureFile,
    uses: MaterialUse,
    index: usize,
}

impl<'a> MaterialAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Material", Self::MATERIAL),
            section("Texture", Self::TEXTURE),
        ],
    };

    const MATERIAL: &'a [Field<Self>] = &[
        field("Index", |at: &Self| at.index.into())
            .derived()
            .summary("Material", |at| at.model.material_name(at.index).into())
            .note(|at| triangles(at.uses.triangles).into()),
        field("Name", |at: &Self| {
            let name = Value::from(at.material.name.clone());
            name.swatch(Some(Swatch::Thumbnail(at.index)))
        })
        .json("name"),
        field("Ambient", |at| at.material.ambient.into()),
        field("Diffuse", |at: &Self| color(at.material.diffuse))
            .own(|at| at.material.diffuse.into())
            .detail_as("diffuse", |at| json!(at.material.diffuse.map(number))),
        field("Specular", |at: &Self| color(at.material.specular))
            .own(|at| at.material.specular.into())
            .detail_as("specular", |at| json!(at.material.specular.map(number))),
        field("On", |at: &Self| {
            let all = triangles(at.model.pfobj.triangle_count());
            format!("{} of {all}", at.uses.triangles).into()
        })
        .derived()
        .detail_as("triangles", |at| at.uses.triangles.into()),
        field("In the file", |at: &Self| {
            lines(at.material.line, at.material.texture_line).into()
        })
        .place()
        .detail_as("lines", |at| {
            json!([at.material.line, at.material.texture_line])
        }),
    ];

    const TEXTURE: &'a [Field<Self>] = &[
        field("Texture", |at: &Self| at.material.texture.clone().into())
            .in_summary()
            .json("texture"),
        field("", |at: &Self| at.texture.properties().to_vec().into())
            .derived()
            .note(|at| (!at.texture.found).then_some("no texture").into())
            .json_as("found", |at| at.texture.found.into()),
        field("In the engine", |at: &Self| {
            let other = at.texture.size.filter(|size| *size != ENGINE_TEXTURE_SIZE);
            let [width, height] = ENGINE_TEXTURE_SIZE;
            let text = format!("shrunk or stretched to {width} x {height} pixels");
            other.map(|_| text).into()
        })
        .derived(),
        field("Holes", |at: &Self| {
            let drawn = at.model.materials.drawn.get(at.index);
            let texture = drawn.and_then(|drawn| drawn.texture.get());
            let text = texture.map(|texture| {
                if texture.has_holes {
                    "where it is less than half opaque"
                } else {
                    "none"
                }
            });
            text.into()
        })
        .derived(),
        field("U", |at: &Self| {
            at.uses.uv.map(|[min, max]| uv_range(min.x, max.x)).into()
        })
        .derived(),
        field("V", |at: &Self| {
            at.uses.uv.map(|[min, max]| uv_range(min.y, max.y)).into()
        })
        .derived(),
    ];
}

/// A clip at a moment.
struct ClipAt<'a> {
    model: &'a Model,
    clip: &'a Clip,
    info: &'a ClipInfo,
    index: usize,
    playhead: Playhead,
    /// `None` if another clip is shown.
    frame: Option<u32>,
}

impl<'a> ClipAt<'a> {
    const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Clip", Self::CLIP),
            section("This frame", Self::FRAME),
        ],
    };

    const CLIP: &'a [Field<Self>] = &[
        field("Index", |at: &Self| at.index.into()).derived(),
        field("Name", |at: &Self| at.clip.name.clone().into())
            .in_summary_as("Clip")
            .json("name"),
        field("Frames", |at: &Self| at.info.frames.into())
            .derived()
            .in_summary()
            .note(|at| counted(at.info.frames as usize, "frame").into())
            .json("frames"),
        field("Lasts", |at: &Self| {
            format!("{} at 24 frames a second", at.seconds()).into()
        })
        .derived()
        .summary("Lasts", |at| at.seconds().into())
        .note(|at| at.seconds().into())
        .detail_as("seconds", |at| {
            number(at.info.frames as f32 / FRAMES_PER_SECOND)
        }),
        field("Bounds", |at: &Self| at.bounds_text().into())
            .derived()
            .json_as("bounds_error", |at| {
                at.worst().map_or(Json::Null, |worst| number(worst.size))
            }),
        field("In the file", |at: &Self| line(at.clip.line).into())
            .place()
            .detail_as("line", |at| at.clip.line.into()),
    ];

    const FRAME: &'a [Field<Self>] = &[
        field("Frame", |at: &Self| at.frame.into()).derived(),
        field("In the file", |at: &Self| at.frame_line().map(line).into())
            .derived()
            .detail_as("line", |at| at.frame_line().into()),
        field("", |at: &Self| {
            min_max(["Declared min", "Declared max"], at.declared())
        })
        .derived()
        .detail_as("declared_bounds", |at| {
            at.declared().map(bounds_json).into()
        }),
        field("", |at: &Self| {
            min_max(["Min of the mesh", "Max of the mesh"], at.skinned())
        })
        .derived()
        .detail_as("bounds", |at| at.skinned().map(bounds_json).into()),
    ];

    /// First line of the visible frame in the file.
    fn frame_line(&self) -> Option<u64> {
        let lines = &self.clip.frame_lines;
        let frame = self.frame?;
        lines.get(frame as usize).copied()
    }

    /// Duration in the engine.
    fn seconds(&self) -> String {
        let seconds = self.info.frames as f32 / FRAMES_PER_SECOND;
        format!("{} s", fixed(seconds, 2))
    }

    fn worst(&self) -> Option<Difference> {
        self.model.extents.worst.get(self.index).copied().flatten()
    }

    fn bounds_text(&self) -> String {
        match self.worst() {
            None => "none are declared".to_owned(),
            Some(worst) if worst.size <= self.model.extents.tolerance => {
                "those of the mesh in every frame".to_owned()
            }
            Some(worst) => {
                let size = short(worst.size);
                format!("off by up to {size}, in frame {}", worst.frame)
            }
        }
    }

    fn declared(&self) -> Option<Aabb> {
        let declared = self.frame.and(self.model.declared_at(self.playhead));
        declared.map(Aabb::from)
    }

    fn skinned(&self) -> Option<Aabb> {
        self.frame.and_then(|_| self.model.extent_at(self.playhead))
    }
}

/// A LOD in a separate file.
struct LodAt {
    number: u32,
    path: String,
    is_open: bool,
}

impl LodAt {
    const FIELDS: Table<'static, Self> = fields!(
        "Level of detail",
        field("Level", |at: &Self| lods::title(at.number).into()),
        field("File", |at: &Self| at.path.clone().into()).in_summary(),
        field("Open now", |at: &Self| at.is_open.into())
            .note(|at| at.is_open.then_some("open").into()),
    );
}

fn triangles(count: usize) -> String {
    counted(count, "triangle")
}

fn min_max(names: [&'static str; 2], bounds: Option<Aabb>) -> Value {
    let lines = |bounds: Aabb| {
        let [min, max] = names;
        vec![
            Property::new(min, xyz(bounds.min)),
            Property::new(max, xyz(bounds.max)),
        ]
    };
    bounds.map(lines).into()
}

fn bounds_json(bounds: Aabb) -> Json {
    json!({"min": vector(bounds.min), "max": vector(bounds.max)})
}

fn vector(vector: Vec3) -> Json {
    json!(vector.to_array().map(number))
}

/// Converts a quaternion to JSON: X, Y, Z and W.
fn quat(rotation: Quat) -> Json {
    json!(rotation.to_array().map(number))
}

/// Returns the three rows of an affine matrix, of four numbers each, for column vectors.
fn rows(matrix: Affine3A) -> Json {
    json!(SkinMatrix::from(matrix).rows.map(|row| row.map(number)))
}

/// Reads a value of a transform relative to a parent, or null without one.
fn local_json(pose: Option<LocalPose>, read: fn(&LocalPose) -> Json) -> Json {
    pose.as_ref().map_or(Json::Null, read)
}

/// A component of a matrix.
#[derive(Clone, Copy)]
enum Part {
    Scale,
    Rotation,
    Translation,
}

/// Returns a component of a matrix, or null if the matrix is singular.
fn global_json(matrix: Option<Affine3A>, part: Part) -> Json {
    let Some(matrix) = matrix else {
        return Json::Null;
    };
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    match part {
        Part::Translation => vector(matrix.translation.into()),
        _ if !(scale.is_finite() && rotation.is_finite() && translation.is_finite()) => Json::Null,
        Part::Scale => vector(scale),
        Part::Rotation => quat(rotation),
    }
}

/// Bounds as in the file.
fn own_min_max(bounds: &Bounds) -> Value {
    let Bounds { min, max } = *bounds;
    Value::list([("Min", min), ("Max", max)].map(|(name, corner)| Value::from(corner).named(name)))
}

/// A transform as in the file.
fn own_transform(transform: &Transform) -> Value {
    let numbers = |numbers: &[f32]| {
        let numbers = numbers.iter().map(f32::to_string);
        Value::from(numbers.collect::<Vec<_>>().join(" "))
    };
    let rotation = match &transform.rotation {
        Rotation::ConjugatedQuaternion(xyzw) => numbers(xyzw).named("Rotation"),
        Rotation::EulerDegrees(degrees) => numbers(degrees).named("Rotation in degrees"),
    };
    Value::list([
        Value::from(transform.translation).named("Translation"),
        rotation,
        Value::from(transform.scale).named("Scale"),
    ])
}

/// Formats a line number in the file.
fn line(line: u64) -> String {
    format!("line {line}")
}

fn lines(from: u64, to: u64) -> String {
    format!("lines {from} to {to}")
}

/// Formats colour factors, with the colour that they turn white into.
fn color(factors: [f32; 3]) -> Value {
    let swatch = factors.map(|factor| (factor * 255.0).round() as u8);
    let [r, g, b] = factors.map(short);
    Value::from(format!("red {r}  green {g}  blue {b}")).swatch(Some(Swatch::Color(swatch)))
}

/// Formats the range of a texture coordinate, with a note if the texture repeats in it.
fn uv_range(min: f32, max: f32) -> String {
    let repeats = if min < -1e-4 || max > 1.0001 {
        ", where the texture repeats"
    } else {
        ""
    };
    format!("{} to {}{repeats}", short(min), short(max))
}

/// Lists a transform relative to a parent, with the rotation as written in the file.
fn local_lines(pose: &LocalPose, written: Option<&Transform>) -> Vec<Property> {
    // The file has other signs in that line.
    let written = match written.map(|pose| pose.rotation) {
        Some(Rotation::ConjugatedQuaternion(xyzw)) => Some(xyzw),
        _ => None,
    };
    transform_lines(pose.translation, pose.rotation, pose.scale, written)
}

/// Lists a transform to model space.
fn global_lines(global: Affine3A) -> Vec<Property> {
    let (scale, rotation, translation) = global.to_scale_rotation_translation();
    if scale.is_finite() && rotation.is_finite() && translation.is_finite() {
        return transform_lines(translation, rotation, scale, None);
    }
    vec![
        Property::new("Translation", xyz(global.translation)),
        Property::new("Rotation", "none: it is scaled to nothing"),
    ]
}

fn transform_lines(
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    written: Option<[f32; 4]>,
) -> Vec<Property> {
    let degrees = |order| xyz((euler_degrees(rotation, order) * 100.0).round() / 100.0);
    let quaternion = |xyzw: [f32; 4]| {
        let [x, y, z, w] = xyzw.map(short);
        format!("x {x}  y {y}  z {z}  w {w}")
    };
    let lines = [
        ("Translation", Some(xyz(translation))),
        ("Rotation", Some(quaternion(rotation.to_array()))),
        (
            "As written",
            written.map(|xyzw| format!("{}: the conjugate", quaternion(xyzw))),
        ),
        ("Degrees, Z first", Some(degrees(FirstAxis::Z))),
        (
            "Degrees, X first",
            Some(format!("{} (Blender's XYZ)", degrees(FirstAxis::X))),
        ),
        ("Scale", Some(xyz(scale))),
    ]
    .into_iter();
    lines
        .filter_map(|(name, value)| Some(Property::new(name, value?)))
        .collect()
}
