//! Field tables of models, joints, triangles, materials, clips and LODs. The inspector, the status
//! line, outline notes and JSON are generated from them.

use glam::{Affine3A, Quat, Vec3};
use serde_json::{Map, Value as Json};

use super::bounds::Difference;
use super::clips::{FirstAxis, euler_degrees};
use super::flaws::FlawAt;
use super::materials::ENGINE_TEXTURE_SIZE;
use super::mesh::Point;
use super::motion::LoopGap;
use super::posed::PosedMesh;
use super::poses::{Pose, skin_normal};
use super::skeleton::{LocalPose, SkinMatrix};
use super::uses::{JointUse, MaterialUse};
use super::{Model, joint_item, lods, material_item};
use crate::SummaryPart;
use crate::assets::TextureFile;
use crate::describe::numbers::{fixed, short, xyz};
use crate::describe::table::{
    Describe, Field, GroupKeys, INTEGERS, ItemKeys, Table, ValueType, compared_only, decimal,
    field, flag, integer, place, section, shown_only, summary_only, table, text, vector,
};
use crate::describe::value::{Fact, FactGroup, Value};
use crate::{Aabb, ClipInfo, Flaw, ModelItem, OwnLine, Playhead, PropertyGroup, Swatch};
use mapscope_formats::counted;
use mapscope_formats::pfobj::{
    Clip, FRAMES_PER_SECOND, Joint, Material, Rotation, Transform, Vertex,
};

/// The lowest and the highest corner of a box.
pub(super) const BOUNDS: ValueType = ValueType::Object(&[
    ("min", ValueType::Numbers(3)),
    ("max", ValueType::Numbers(3)),
]);
/// The three rows of an affine matrix, of four numbers each, for column vectors.
const MATRIX: ValueType = ValueType::List(&ValueType::Numbers(4));
/// The joints that move a vertex.
const WEIGHTS: ValueType = ValueType::List(&ValueType::Object(&[
    ("joint", ValueType::Integer),
    ("weight", ValueType::Number),
]));

/// Creates the row for the triangles with a flaw.
macro_rules! flawed {
    ($flaw:ident, $key:literal) => {
        field(Flaw::$flaw.title(), $key, INTEGERS, |model: &Self| {
            model.flaw_value(Flaw::$flaw)
        })
        .derived()
        .shown(|model| model.flaw_count(Flaw::$flaw))
    };
}

impl Model {
    /// Returns the record of an item at a moment with its table, or `None` if the item does not
    /// exist.
    pub(super) fn described(
        &self,
        item: ModelItem,
        playhead: Playhead,
    ) -> Option<Box<dyn Describe + '_>> {
        if let Some(described) = self.described_in_p3m(item, playhead) {
            return Some(described);
        }
        Some(match item {
            ModelItem::Model => Self::FIELDS.of(self),
            ModelItem::Joint { index } => {
                JointAt::FIELDS.of(self.joint_at(index as usize, playhead)?)
            }
            ModelItem::Triangle { index } => {
                Box::new(WithCorners(self.triangle_at(index, playhead)?))
            }
            ModelItem::Material { index } => {
                MaterialAt::FIELDS.of(self.material_at(index as usize)?)
            }
            ModelItem::Clip { index } => ClipAt::FIELDS.of(self.clip_at(index as usize, playhead)?),
            ModelItem::Lod { number } => LodAt::FIELDS.of(self.lod_at(number)?),
            ModelItem::Flaw { flaw } => FlawAt::FIELDS.of(self.flaw_at(flaw)?),
            ModelItem::Part { .. } | ModelItem::Texture { .. } | ModelItem::Action { .. } => {
                return None;
            }
        })
    }

    /// Returns the JSON keys of each kind of item.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        let mut keys = vec![
            Self::FIELDS.keys("model"),
            MaterialAt::FIELDS.keys("material"),
            ClipAt::FIELDS.keys("clip"),
            LodAt::FIELDS.keys("level of detail"),
        ];
        keys.extend(item_keys_of_mesh());
        keys
    }

    /// Returns the joints as a list of records.
    pub(super) fn joint_list(&self) -> Value {
        let joints = 0..self.skeleton.len();
        let joints = joints.filter_map(|index| self.joint_at(index, Playhead::default()));
        Value::list(joints.map(|at| JointAt::FIELDS.listed(&at)))
    }

    /// A place in the file: a line, or in P3M an offset in bytes.
    fn place_value(&self, line: u64) -> Value {
        match self.rig {
            Some(_) => Value::bytes_at(line as usize, 0),
            None => Value::line(line),
        }
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
        let pose = clip.poses.get(index).into_iter().flat_map(transform_facts);
        let first = clip.frame_lines.get(index / joints);
        let place = first.map(|first| in_the_file(first + (index % joints) as u64));
        FactGroup::new("Pose", pose.chain(place)).own()
    }

    /// Returns the values that the file stores for the bounds of a frame.
    pub(super) fn own_bounds(&self, clip: usize, frame: usize) -> Vec<OwnLine> {
        let Some(clip) = self.pfobj.clips.get(clip) else {
            return Vec::new();
        };
        let bounds = clip.bounds.get(frame).and_then(Option::as_ref);
        let facts = bounds
            .into_iter()
            .flat_map(|it| corner_facts(MIN_MAX, it.min, it.max));
        let first = clip.frame_lines.get(frame);
        let place = first.map(|first| in_the_file(first + self.pfobj.joints.len() as u64));
        FactGroup::new("Bounds", facts.chain(place)).own()
    }

    /// Returns the keys of `info --json`.
    pub(super) fn json(&self) -> Map<String, Json> {
        let mut keys = Self::FIELDS.json(self);
        if !self.lods.is_empty() {
            keys.insert("lods".to_owned(), self.lods.names().into());
        }
        keys
    }

    pub(super) const FIELDS: Table<'static, Self> = Table {
        sections: &[
            section("Model", Self::FILE),
            section("Bounds of the bind pose", Self::BOUNDS),
        ],
    };

    const FILE: &'static [Field<Self>] = &[
        text("File", "file", |model: &Self| {
            model.path.display().to_string().into()
        })
        .derived()
        .in_summary_as("Model"),
        text("Version", "version", |model| {
            model.about.version.clone().into()
        }),
        integer("Triangles", "triangles", |model: &Self| {
            model.pfobj.triangle_count().into()
        })
        .derived()
        .listed()
        .note(|model| {
            let (drawn, all) = (model.mesh.triangles.len(), model.pfobj.triangle_count());
            match triangles(all) {
                text if drawn < all => format!("{drawn} of {text}").into(),
                text => text.into(),
            }
        }),
        integer("Vertices", "vertices", |model: &Self| {
            model.pfobj.vertices.len().into()
        })
        .derived()
        .listed()
        .shown(|model| {
            let (listed, different) = (model.pfobj.vertices.len(), model.mesh.vertices.len());
            format!("{listed}, {different} of them different").into()
        }),
        integer(
            "Different vertices",
            "different_vertices",
            |model: &Self| model.mesh.vertices.len().into(),
        )
        .derived()
        .hidden(),
        field(
            "Joints",
            "joints",
            ValueType::Records(|| JointAt::FIELDS.listed_keys()),
            Self::joint_list,
        )
        .derived()
        .listed()
        .shown(|model| model.skeleton.len().into()),
        field(
            "Materials",
            "materials",
            ValueType::Records(|| MaterialAt::FIELDS.listed_keys()),
            |model: &Self| {
                let materials = 0..model.pfobj.materials.len();
                let materials = materials.filter_map(|index| model.material_at(index));
                Value::list(materials.map(|at| MaterialAt::FIELDS.listed(&at)))
            },
        )
        .derived()
        .listed()
        .shown(|model| model.pfobj.materials.len().into()),
        field(
            "Clips",
            "clips",
            ValueType::Records(|| ClipAt::FIELDS.listed_keys()),
            |model: &Self| {
                let clips = 0..model.clips.len();
                let clips = clips.filter_map(|index| model.clip_at(index, Playhead::default()));
                Value::list(clips.map(|at| ClipAt::FIELDS.listed(&at)))
            },
        )
        .derived()
        .listed()
        .shown(|model| model.clips.len().into()),
        field(
            "Levels of detail",
            "lods",
            ValueType::List(&ValueType::Text),
            |model: &Self| Value::list(model.lods.names()),
        )
        .derived()
        .hidden(),
        flawed!(Reversed, "reversed_triangles").listed(),
        flawed!(BentNormals, "bent_triangles").listed(),
        flawed!(Unweighted, "unweighted_triangles"),
        flawed!(NoNormal, "triangles_without_normals"),
        field(
            "Vertices without weights",
            "unweighted_vertices",
            INTEGERS,
            Self::unweighted,
        )
        .derived()
        .hidden()
        .listed(),
        integer("Left out", "left_out_triangles", |model: &Self| {
            model.left_out().into()
        })
        .derived()
        .shown(|model| {
            let left_out = model.left_out();
            let text = format!("{left_out}, since they could not be read");
            (left_out > 0).then_some(text).into()
        }),
        text("Line ends", "line_ends", |model: &Self| {
            if model.pfobj.crlf { "CR LF" } else { "LF" }.into()
        })
        .derived(),
    ];

    const BOUNDS: &'static [Field<Self>] = &[
        vector("Size", "size", |model: &Self| {
            model.extents.bind.map(|bind| bind.max - bind.min).into()
        })
        .derived(),
        field(
            "Declared bounds",
            "declared_bounds",
            BOUNDS,
            |model: &Self| {
                let declared = model.pfobj.bounds.as_ref();
                declared.map(|it| corners(MIN_MAX, it.min, it.max)).into()
            },
        ),
        field(
            "Bounds of the mesh",
            "mesh_bounds",
            BOUNDS,
            |model: &Self| {
                let bind = model.extents.bind;
                bind.map(|it| corners(OF_THE_MESH, it.min, it.max)).into()
            },
        )
        .derived()
        .shown(|model| {
            let other = model.other_bounds();
            other.map(|it| corners(OF_THE_MESH, it.min, it.max)).into()
        }),
        flag("Declared", "declared", |model: &Self| {
            model.pfobj.has_bounds.into()
        })
        .shown(|model| {
            let why = if model.pfobj.has_bounds {
                "promised, but not there"
            } else {
                "none: the engine refuses such models"
            };
            model.pfobj.bounds.is_none().then_some(why).into()
        }),
        // The declared bounds, or those of the mesh if none are declared.
        field("Bounds", "bounds", BOUNDS, |model: &Self| {
            let bind = model.extents.bind.unwrap_or(model.about.bounds);
            let bind = corners(MIN_MAX, bind.min, bind.max);
            let declared = model.pfobj.bounds.as_ref();
            declared.map_or(bind, |it| corners(MIN_MAX, it.min, it.max))
        })
        .derived()
        .hidden()
        .listed(),
    ];

    /// Number of triangles that could not be read.
    fn left_out(&self) -> usize {
        self.pfobj.triangle_count() - self.mesh.triangles.len()
    }

    /// Returns the bounds of the mesh in the bind pose if they differ from the declared ones.
    fn other_bounds(&self) -> Option<Aabb> {
        let declared = self.pfobj.bounds.as_ref()?;
        let bind = self.extents.bind?;
        (!self.extents.agree(declared, &bind)).then_some(bind)
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

    /// A reference to a joint, with a link to it.
    fn joint_value(&self, joint: usize) -> Value {
        let named = self.pfobj.joints.get(joint);
        let name = named.map_or_else(String::new, |joint| joint.name.clone());
        Value::reference(joint, name).link(joint_item(joint))
    }

    /// A reference to a material, shown with its index.
    fn material_value(&self, index: usize) -> Value {
        match self.pfobj.materials.get(index) {
            Some(material) => Value::reference(index, material.name.as_str()).with_index(),
            None => Value::from(index).shown_as(format!("{index}: there is no such material")),
        }
    }
}

/// Creates the rows of a transform that a method returns, and further ones.
macro_rules! transform {
    ($of:ident $(, $row:expr)* $(,)?) => {
        &[
            vector("Translation", "translation", |at: &Self| {
                at.$of().map(|it| it.translation).into()
            })
            .derived(),
            field("Rotation", "rotation", ValueType::Numbers(4), |at: &Self| {
                at.$of().map(|it| it.rotation()).into()
            })
            .derived(),
            shown_only("As written", |at: &Self| {
                at.$of().map(|it| it.written()).into()
            }),
            shown_only("Degrees, Z first", |at: &Self| {
                at.$of().map(|it| it.degrees(FirstAxis::Z)).into()
            }),
            shown_only("Degrees, X first", |at: &Self| {
                let degrees = at.$of().and_then(|it| it.degrees(FirstAxis::X));
                degrees.map(|it| format!("{it} (Blender's XYZ)")).into()
            }),
            vector("Scale", "scale", |at: &Self| {
                at.$of().map(|it| it.turned.map(|(_, scale)| scale)).into()
            })
            .derived(),
            field("Matrix", "matrix", MATRIX, |at: &Self| {
                at.$of().map(|it| rows(it.matrix)).into()
            })
            .derived()
            .hidden(),
            $($row),*
        ]
    };
}

/// Returns the JSON keys of the items that the mesh and the skeleton of any format have.
pub(super) fn item_keys_of_mesh() -> [ItemKeys; 3] {
    let corners = CornerAt::FIELDS.keys("corner").groups.into_iter();
    let corners = corners.map(|group| GroupKeys {
        key: "corners".to_owned(),
        ..group
    });
    let mut triangle = TriangleAt::FIELDS.keys("triangle");
    triangle.groups.extend(corners);
    [
        JointAt::FIELDS.keys("joint"),
        triangle,
        FlawAt::FIELDS.keys("flaw"),
    ]
}

/// A joint at a moment.
pub(super) struct JointAt<'a> {
    model: &'a Model,
    joint: &'a Joint,
    index: usize,
    playhead: Playhead,
}

impl<'a> JointAt<'a> {
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Joint", Self::JOINT),
            section("At this frame, from its parent", Self::LOCAL_POSE).keyed("local"),
            section("At this frame, in the model", Self::POSE).keyed("global"),
            section("Bind pose, from its parent", Self::LOCAL_BIND_POSE).keyed("bind_local"),
            section("Bind pose, in the model", Self::BIND_POSE).keyed("bind_global"),
        ],
    };

    const JOINT: &'a [Field<Self>] = &[
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        text("Name", "name", |at: &Self| at.joint.name.clone().into())
            .in_summary_as("Joint")
            .listed(),
        integer("Parent", "parent", |at: &Self| match at.parent() {
            Some(parent) => at.model.joint_value(parent).naming("joint", parent, ""),
            None => Value::none("none (root joint)"),
        })
        .summary("Parent", |at| {
            at.parent().map(|joint| at.model.joint_value(joint)).into()
        })
        .listed(),
        field("Child", "children", INTEGERS, |at: &Self| {
            let children = at.model.skeleton.children(at.index).iter();
            Value::list(children.map(|joint| at.model.joint_value(*joint as usize)))
        })
        .derived(),
        integer("Moves", "vertices", |at: &Self| at.uses().vertices.into())
            .derived()
            .shown(|at| {
                let all = at.model.pfobj.vertices.len();
                format!("{} of {all} vertices", at.uses().vertices).into()
            })
            .summary("Moves", |at| Value::count(at.uses().vertices, "vertex"))
            .note(|at| {
                let moved = Some(at.uses().vertices).filter(|count| *count > 0);
                moved.map(|count| Value::count(count, "vertex")).into()
            }),
        decimal("Max weight", "max_weight", |at: &Self| {
            let uses = at.uses();
            (uses.vertices > 0).then_some(uses.max_weight).into()
        })
        .derived(),
        place("In the file", "place", |at: &Self| {
            at.model.place_value(at.joint.line)
        })
        .place(),
        integer("Line", "line", |at: &Self| {
            let line = at.joint.line;
            at.model.rig.is_none().then_some(line).into()
        })
        .derived()
        .hidden(),
    ];

    const LOCAL_POSE: &'a [Field<Self>] = transform!(
        local,
        place("In the file", "place", |at: &Self| {
            at.pose_line().map(Value::line).into()
        })
        .derived(),
    );

    const POSE: &'a [Field<Self>] = transform!(
        global,
        field("Skinning", "skinning", MATRIX, |at: &Self| {
            at.skinning().map(rows).into()
        })
        .derived()
        .hidden(),
    );

    const LOCAL_BIND_POSE: &'a [Field<Self>] = transform!(
        bind,
        compared_only("", |at: &Self| Value::object(transform_facts(
            &at.joint.bind
        ))),
        vector("Tip", "tip", |at: &Self| at.joint.tip.into()),
    );

    const BIND_POSE: &'a [Field<Self>] = transform!(bind_global);

    #[expect(
        clippy::unnecessary_wraps,
        reason = "other poses of a joint may be absent"
    )]
    fn bind(&self) -> Option<Parts> {
        let bind = &self.joint.bind;
        Some(Parts::of_local(&bind.into(), Some(bind)))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "other poses of a joint may be absent"
    )]
    fn bind_global(&self) -> Option<Parts> {
        Some(self.model.skeleton.bind_global(self.index).into())
    }

    fn parent(&self) -> Option<usize> {
        self.model.skeleton.parent(self.index)
    }

    fn uses(&self) -> JointUse {
        let uses = self.model.uses.joints.get(self.index);
        uses.copied().unwrap_or_default()
    }

    /// Returns the clip and the frame, or the last frame that was passed.
    fn moment(&self) -> Option<(Option<&'a Clip>, usize)> {
        let (clip, [frame, _], _) = self.model.poses.between(self.playhead)?;
        Some((self.model.pfobj.clips.get(clip), frame as usize))
    }

    /// Transform relative to its parent in a frame of a clip.
    fn local(&self) -> Option<Parts> {
        let (clip, frame) = self.moment()?;
        let model = self.model;
        let pose = Pose::of(&model.pfobj, &model.poses, self.playhead).local(self.index);
        let is_exact = model.poses.frame_at(self.playhead).is_some();
        let written = clip.filter(|_| is_exact).and_then(|clip| {
            let first = frame * model.skeleton.len();
            clip.poses.get(first + self.index)
        });
        Some(Parts::of_local(&pose, written))
    }

    /// Line number of its pose in the file.
    fn pose_line(&self) -> Option<u64> {
        let (clip, frame) = self.moment()?;
        let first = clip?.frame_lines.get(frame)?;
        Some(first + self.index as u64)
    }

    /// Transform from its space to model space in a frame of a clip.
    fn global(&self) -> Option<Parts> {
        self.moment()?;
        let global = |globals: &[Affine3A]| globals.get(self.index).copied();
        let global = self.model.with_joints(self.playhead, global);
        Some(global.unwrap_or_default().into())
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
    const FIELDS: Table<'a, Self> = table!(
        "Triangle",
        integer("Index", "index", |at: &Self| at.index.into()).summary("Triangle", |at| {
            let digits = (at.model.pfobj.triangle_count() - 1).to_string().len();
            Value::from(format!("{:>digits$}", at.index)).width(digits)
        }),
        integer("Part", "part", |at: &Self| {
            let part = at.model.part_of_triangle(at.index);
            part.map(|[part, _]| at.model.part_value(part)).into()
        }),
        integer("Index in the part", "index_in_part", |at: &Self| {
            let part = at.model.part_of_triangle(at.index);
            part.map(|[_, index]| index).into()
        }),
        integer("Material", "material", |at: &Self| {
            let material = at.material();
            let value = at.model.material_value(material);
            if material >= at.model.pfobj.materials.len() {
                return value;
            }
            let value = value.link(material_item(material));
            value.swatch(Some(Swatch::Thumbnail(material)))
        })
        .summary("Material", |at| {
            let materials = at.model.pfobj.materials.iter();
            let widest = materials.map(|m| m.name.chars().count()).max();
            let value = at.model.material_value(at.material());
            value.width(widest.unwrap_or(0))
        }),
        shown_only("Materials", |at| {
            let material = at.corners[0].material;
            let differ = at.corners.iter().any(|c| c.material != material);
            let text = "the corners name different ones; the first counts";
            differ.then_some(text).into()
        }),
        flag("Drawn", "drawn", |at: &Self| at.is_drawn().into())
            .derived()
            .hidden(),
        field(
            "Flaws",
            "flaws",
            ValueType::List(&ValueType::Text),
            |at: &Self| {
                let flaws = at.model.triangle_flaws(at.index);
                Value::list(flaws.map(|flaw| flaw.to_string()))
            }
        )
        .derived()
        .hidden(),
        shown_only("Faces", |at: &Self| {
            let has = |flaw| at.model.triangle_flaws(at.index).any(|of| of == flaw);
            if !at.is_drawn() {
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
        shown_only("Drawn wrong", |at: &Self| {
            let is_wrong = |flaw| flaw != Flaw::BentNormals;
            at.model.flaw_values(at.index, is_wrong)
        }),
        shown_only("Worth knowing", |at: &Self| {
            let is_note = |flaw| flaw == Flaw::BentNormals;
            at.model.flaw_values(at.index, is_note)
        }),
        place("In the file", "place", |at: &Self| at.place()).place(),
        summary_only("Line", |at| {
            let line = at.model.pfobj.vertex_line(at.index * 3);
            at.model.rig.is_none().then_some(line).into()
        }),
    );

    /// `true` if all its corners could be read.
    fn is_drawn(&self) -> bool {
        let corners = self.model.triangle_corners(self.index, self.playhead);
        corners.is_some()
    }

    fn material(&self) -> usize {
        self.corners[0].material as usize
    }

    /// First and last line of the triangle in the file, or the bytes of its indices.
    fn place(&self) -> Value {
        if let Some(at) = self.model.offset_of_triangle(self.index) {
            return Value::bytes_at(at, 3 * size_of::<u16>());
        }
        let first = self.index * 3;
        let [from, to] = [first, first + 2].map(|i| self.model.pfobj.vertex_line(i));
        Value::lines([from, to + 4])
    }

    /// Returns its corners with their titles.
    fn corners(&self) -> impl Iterator<Item = (&'static str, CornerAt<'a>)> {
        let posed = self.model.triangle_corners(self.index, self.playhead);
        let titles = ["Corner 1", "Corner 2", "Corner 3"];
        let (model, playhead) = (self.model, self.playhead);
        let first = self.index as usize * 3;
        // Those of P3M are stored in the other order.
        let order = if model.rig.is_some() {
            [0, 2, 1]
        } else {
            [0, 1, 2]
        };
        let corners = order.into_iter().zip(titles);
        corners.map(move |(i, title)| {
            let corner = CornerAt {
                model,
                vertex: &self.corners[i],
                index: first + i,
                position: posed.map(|corners| corners[i]),
                playhead,
            };
            (title, corner)
        })
    }
}

/// A triangle with the fields of its corners.
struct WithCorners<'a>(TriangleAt<'a>);

impl Describe for WithCorners<'_> {
    fn groups(&self) -> Vec<PropertyGroup> {
        let mut groups = TriangleAt::FIELDS.groups(&self.0);
        groups.extend(self.0.corners().flat_map(|(title, corner)| {
            let groups = CornerAt::FIELDS.groups(&corner).into_iter();
            groups.map(move |group| PropertyGroup { title, ..group })
        }));
        groups
    }

    fn summary(&self) -> Vec<SummaryPart> {
        TriangleAt::FIELDS.summary(&self.0)
    }

    fn note(&self) -> String {
        TriangleAt::FIELDS.note(&self.0)
    }

    fn own(&self) -> Vec<OwnLine> {
        TriangleAt::FIELDS.own(&self.0)
    }

    fn details(&self) -> Map<String, Json> {
        let corners = self.0.corners().map(|(_, corner)| {
            let mut details = CornerAt::FIELDS.details(&corner).into_iter();
            details.next().map_or(Json::Null, |(_, fields)| fields)
        });
        let mut details = TriangleAt::FIELDS.details(&self.0);
        details.insert("corners".to_owned(), corners.collect());
        details
    }

    fn value(&self, path: &[String]) -> Option<Value> {
        TriangleAt::FIELDS.value(&self.0, path).or_else(|| {
            let corners: Vec<_> = self.0.corners().map(|(_, corner)| corner).collect();
            FactGroup::new("Corners", CornerAt::FIELDS.facts_of(&corners)).value(path)
        })
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
    const FIELDS: Table<'a, Self> = table!(
        "Corner",
        vector("Position", "position", |at: &Self| {
            at.posed_or(at.position, at.vertex.position)
        })
        .shown(|at| at.position.into()),
        vector("In the bind pose", "in_the_bind_pose", |at: &Self| {
            let posed = at.position.and(at.model.poses.between(at.playhead));
            posed.map(|_| at.vertex.position).into()
        })
        .derived(),
        vector("Normal", "normal", |at: &Self| {
            at.posed_or(at.position.map(|_| at.normal()), at.vertex.normal)
        })
        .shown(|at| at.position.map(|_| at.normal()).into()),
        field("UV", "uv", ValueType::Numbers(2), |at: &Self| at
            .vertex
            .uv
            .into())
        .shown(|at| {
            let [u, v] = at.vertex.uv.map(short);
            format!("u {u}  v {v}").into()
        }),
        integer("Material", "material", |at: &Self| {
            let index = at.vertex.material as usize;
            let value = match at.model.pfobj.materials.get(index) {
                Some(material) => Value::reference(index, material.name.as_str()),
                None => index.into(),
            };
            value.naming("material", index, "")
        })
        .hidden(),
        field("Moved by", "weights", WEIGHTS, |at: &Self| {
            let listed = at.model.pfobj.influences_of(at.vertex).iter();
            Value::list(listed.map(|it| {
                let (joint, weight) = (it.joint as usize, it.weight);
                let named = at.model.pfobj.joints.get(joint);
                let name = named.map_or_else(|| joint.to_string(), |it| it.name.clone());
                Value::object([Fact::new("Joint", joint), Fact::new("Weight", weight)])
                    .shown_as(format!("{name}, {weight}"))
                    .naming("joint", joint, weight.to_string())
            }))
        })
        .shown(Self::weight_lines),
        place("In the file", "place", |at: &Self| {
            match at.model.vertex_of_corner(at.index) {
                Some((_, offset)) => Value::bytes_at(offset, 0),
                None => Value::line(at.model.pfobj.vertex_line(at.index as u32)),
            }
        })
        .place(),
        integer("Vertex", "vertex", |at: &Self| {
            let in_part = at.model.vertex_of_corner(at.index);
            in_part.map_or(at.index, |(index, _)| index).into()
        })
        .derived()
        .hidden(),
    );

    /// Returns the posed vector if the model is posed, otherwise the one in the file with all its
    /// digits.
    fn posed_or(&self, posed: Option<Vec3>, own: [f32; 3]) -> Value {
        let posed = posed.filter(|_| self.model.poses.between(self.playhead).is_some());
        posed.map_or(own, |posed| posed.to_array()).into()
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

    /// Lists the normalized weights, and those in the file if they differ.
    fn weight_lines(&self) -> Value {
        let model = self.model;
        let joints = &model.pfobj.joints;
        let listed = model.pfobj.influences_of(self.vertex);
        let sum: f32 = listed.iter().map(|influence| influence.weight).sum();
        let range = self.point().map_or(0..0, Point::influence_range);
        let mut lines: Vec<Value> = Vec::new();
        if range.is_empty() && !joints.is_empty() {
            lines.push("nothing: it stays where it is".into());
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
            lines.push(Value::from(text).link(joint_item(influence.joint as usize)));
        }
        let unknown = listed.iter().filter(|i| i.joint as usize >= joints.len());
        lines.extend(unknown.map(|it| format!("joint {}, which is not there", it.joint).into()));
        lines.into()
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
        integer("Index", "index", |at: &Self| at.index.into())
            .derived()
            .summary("Material", |at| at.model.material_value(at.index))
            .note(|at| triangles(at.uses.triangles).into()),
        text("Name", "name", |at: &Self| {
            let name = Value::from(at.material.name.as_str());
            name.swatch(Some(Swatch::Thumbnail(at.index)))
        })
        .listed(),
        decimal("Ambient", "ambient", |at| at.material.ambient.into()),
        field("Diffuse", "diffuse", ValueType::Numbers(3), |at: &Self| {
            at.material.diffuse.into()
        })
        .shown(|at| color(at.material.diffuse)),
        field(
            "Specular",
            "specular",
            ValueType::Numbers(3),
            |at: &Self| at.material.specular.into(),
        )
        .shown(|at| color(at.material.specular)),
        integer("On", "triangles", |at: &Self| at.uses.triangles.into())
            .derived()
            .shown(|at| {
                let all = triangles(at.model.pfobj.triangle_count());
                format!("{} of {all}", at.uses.triangles).into()
            }),
        place("In the file", "place", |at: &Self| {
            Value::lines([at.material.line, at.material.texture_line])
        })
        .place(),
    ];

    const TEXTURE: &'a [Field<Self>] = &[
        text("Texture", "texture", |at: &Self| {
            at.material.texture.as_str().into()
        })
        .in_summary()
        .listed(),
        flag("Found", "found", |at: &Self| at.texture.found.into())
            .derived()
            .hidden()
            .listed()
            .note(|at| (!at.texture.found).then_some("no texture").into()),
        text("File", "file", |at: &Self| at.texture.file_value()).derived(),
        field("Image", "size_px", ValueType::Integers(2), |at: &Self| {
            at.texture.size_value()
        })
        .derived(),
        field(
            "In the engine",
            "engine_size_px",
            ValueType::Integers(2),
            |at: &Self| {
                let other = at.texture.size.filter(|size| *size != ENGINE_TEXTURE_SIZE);
                let [width, height] = ENGINE_TEXTURE_SIZE;
                let text = format!("shrunk or stretched to {width} x {height} pixels");
                other
                    .map(|_| Value::from(ENGINE_TEXTURE_SIZE).shown_as(text))
                    .into()
            },
        )
        .derived(),
        flag("Holes", "has_holes", |at: &Self| {
            let drawn = at.model.materials.drawn.get(at.index);
            let texture = drawn.and_then(|drawn| drawn.texture.get());
            let value = texture.map(|texture| {
                Value::from(texture.has_holes).shown_as(if texture.has_holes {
                    "where it is less than half opaque"
                } else {
                    "none"
                })
            });
            value.into()
        })
        .derived(),
        field("U", "u_range", ValueType::Numbers(2), |at: &Self| {
            at.uses.uv.map(|[min, max]| uv_range(min.x, max.x)).into()
        })
        .derived(),
        field("V", "v_range", ValueType::Numbers(2), |at: &Self| {
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
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        text("Name", "name", |at: &Self| at.clip.name.as_str().into())
            .in_summary_as("Clip")
            .listed(),
        integer("Frames", "frames", |at: &Self| at.info.frames.into())
            .derived()
            .in_summary()
            .note(|at| Value::count(at.info.frames, "frame"))
            .listed(),
        decimal("Lasts", "seconds", |at: &Self| at.seconds().into())
            .derived()
            .shown(|at| format!("{} at 24 frames a second", at.seconds_text()).into())
            .summary("Lasts", |at| at.seconds_text().into())
            .note(|at| at.seconds_text().into()),
        decimal("Bounds", "bounds_error", |at: &Self| {
            at.worst().map(|worst| worst.size).into()
        })
        .derived()
        .listed()
        .shown(|at| at.bounds_text().into()),
        integer("Worst frame", "worst_frame", |at: &Self| {
            at.worst().map(|worst| worst.frame).into()
        })
        .derived()
        .hidden(),
        decimal("Loop gap of joints", "loop_joint_distance", |at: &Self| {
            at.gap()
                .and_then(|gap| gap.joint)
                .map(|(_, far)| far)
                .into()
        })
        .derived()
        .listed()
        .shown(|at| at.joint_gap_text().into()),
        integer("Farthest joint", "loop_joint", |at: &Self| {
            let joint = at.gap().and_then(|gap| gap.joint);
            joint.map(|(joint, _)| joint).into()
        })
        .derived()
        .listed()
        .hidden(),
        decimal(
            "Loop gap of vertices",
            "loop_vertex_distance",
            |at: &Self| at.gap().and_then(|gap| gap.vertex).into(),
        )
        .derived()
        .listed()
        .shown(|at| {
            let gap = at.gap().and_then(|gap| gap.vertex);
            gap.map(|gap| format!("{} between the last frame and the first", short(gap)))
                .into()
        }),
        place("In the file", "place", |at: &Self| {
            Value::line(at.clip.line)
        })
        .place(),
    ];

    const FRAME: &'a [Field<Self>] = &[
        integer("Frame", "frame", |at: &Self| at.frame.into()).derived(),
        place("In the file", "place", |at: &Self| {
            at.frame_line().map(Value::line).into()
        })
        .derived(),
        field("Declared bounds", "declared_bounds", BOUNDS, |at: &Self| {
            let declared = at.frame.and(at.model.declared_at(at.playhead));
            let names = ["Declared min", "Declared max"];
            declared.map(|it| corners(names, it.min, it.max)).into()
        })
        .derived(),
        field("Bounds of the mesh", "mesh_bounds", BOUNDS, |at: &Self| {
            let skinned = at.frame.and_then(|_| at.model.extent_at(at.playhead));
            skinned
                .map(|it| corners(OF_THE_MESH, it.min, it.max))
                .into()
        })
        .derived(),
    ];

    /// First line of the visible frame in the file.
    fn frame_line(&self) -> Option<u64> {
        let lines = &self.clip.frame_lines;
        let frame = self.frame?;
        lines.get(frame as usize).copied()
    }

    /// Duration in the engine.
    fn seconds(&self) -> f32 {
        self.info.frames as f32 / FRAMES_PER_SECOND
    }

    fn seconds_text(&self) -> String {
        format!("{} s", fixed(self.seconds(), 2))
    }

    fn gap(&self) -> Option<LoopGap> {
        self.model.loop_gap(self.index)
    }

    fn joint_gap_text(&self) -> Option<String> {
        let (joint, distance) = self.gap()?.joint?;
        let name = &self.model.pfobj.joints.get(joint)?.name;
        Some(format!("{} at joint {joint} {name}", short(distance)))
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
}

/// A LOD in a separate file.
struct LodAt {
    number: u32,
    path: String,
    is_open: bool,
}

impl LodAt {
    const FIELDS: Table<'static, Self> = table!(
        "Level of detail",
        integer("Level", "level", |at: &Self| at.number.into())
            .shown(|at| lods::title(at.number).into()),
        text("File", "file", |at: &Self| at.path.clone().into()).in_summary(),
        flag("Open now", "open_now", |at: &Self| at.is_open.into())
            .note(|at| at.is_open.then_some("open").into()),
    );
}

pub(super) fn triangles(count: usize) -> String {
    counted(count, "triangle")
}

pub(super) const MIN_MAX: [&str; 2] = ["Min", "Max"];
const OF_THE_MESH: [&str; 2] = ["Min of the mesh", "Max of the mesh"];

/// Names the corners of a box.
fn corner_facts(
    [low, high]: [&'static str; 2],
    min: impl Into<Value>,
    max: impl Into<Value>,
) -> [Fact; 2] {
    [
        Fact::new(low, min).keyed("min"),
        Fact::new(high, max).keyed("max"),
    ]
}

pub(super) fn corners(
    names: [&'static str; 2],
    min: impl Into<Value>,
    max: impl Into<Value>,
) -> Value {
    Value::object(corner_facts(names, min, max))
}

fn rows(matrix: Affine3A) -> Value {
    Value::list(SkinMatrix::from(matrix).rows)
}

/// The line of a part that has no table.
fn in_the_file(line: u64) -> Fact {
    let place = Fact::new("In the file", Value::line(line));
    place.keyed("place").place()
}

/// The numbers of a transform in the file.
fn transform_facts(transform: &Transform) -> [Fact; 3] {
    let rotation = match transform.rotation {
        // The rotation in other outputs is its conjugate.
        Rotation::ConjugatedQuaternion(xyzw) => {
            Fact::new("Rotation", xyzw).keyed("rotation_as_written")
        }
        Rotation::EulerDegrees(degrees) => Fact::new("Rotation in degrees", degrees),
    };
    [
        Fact::new("Translation", transform.translation),
        rotation,
        Fact::new("Scale", transform.scale),
    ]
}

/// A transform in its parts.
#[derive(Clone, Copy)]
struct Parts {
    translation: Vec3,
    /// Rotation and scale; `None` if the matrix is singular.
    turned: Option<(Quat, Vec3)>,
    matrix: Affine3A,
    /// The rotation in the file, which has other signs.
    written: Option<[f32; 4]>,
}

/// Splits a transform to model space.
impl From<Affine3A> for Parts {
    fn from(matrix: Affine3A) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let is_finite = scale.is_finite() && rotation.is_finite() && translation.is_finite();
        Self {
            translation: matrix.translation.into(),
            turned: is_finite.then_some((rotation, scale)),
            matrix,
            written: None,
        }
    }
}

impl Parts {
    /// Splits a transform relative to a parent, with the one in the file, if any.
    fn of_local(pose: &LocalPose, written: Option<&Transform>) -> Self {
        Self {
            translation: pose.translation,
            turned: Some((pose.rotation, pose.scale)),
            matrix: pose.matrix(),
            written: match written.map(|pose| pose.rotation) {
                Some(Rotation::ConjugatedQuaternion(xyzw)) => Some(xyzw),
                _ => None,
            },
        }
    }

    fn rotation(&self) -> Value {
        let value = self.turned.map(|(rotation, _)| {
            let xyzw = rotation.to_array();
            Value::from(xyzw).shown_as(quaternion(xyzw))
        });
        value.unwrap_or_else(|| Value::none("none: it is scaled to nothing"))
    }

    fn written(&self) -> Option<String> {
        let written = self.written.map(quaternion);
        written.map(|written| format!("{written}: the conjugate"))
    }

    fn degrees(&self, first: FirstAxis) -> Option<String> {
        let degrees = self
            .turned
            .map(|(rotation, _)| euler_degrees(rotation, first));
        degrees.map(|degrees| xyz((degrees * 100.0).round() / 100.0))
    }
}

fn quaternion(xyzw: [f32; 4]) -> String {
    let [x, y, z, w] = xyzw.map(short);
    format!("x {x}  y {y}  z {z}  w {w}")
}

/// Formats colour factors, with the colour that they turn white into.
fn color(factors: [f32; 3]) -> Value {
    let swatch = factors.map(|factor| (factor * 255.0).round() as u8);
    let [r, g, b] = factors.map(short);
    Value::from(format!("red {r}  green {g}  blue {b}")).swatch(Some(Swatch::Color(swatch)))
}

/// The range of a texture coordinate, with a note if the texture repeats in it.
pub(super) fn uv_range(min: f32, max: f32) -> Value {
    let repeats = if min < -1e-4 || max > 1.0001 {
        ", where the texture repeats"
    } else {
        ""
    };
    let text = format!("{} to {}{repeats}", short(min), short(max));
    Value::from([min, max]).shown_as(text)
}
