//! Field tables of P3M files: the model, its parts, materials, textures, animations and actions.

use super::Rig;
use crate::assets::TextureFile;
use crate::describe::numbers::{fixed, short};
use crate::describe::table::{
    Describe, Field, InfoKeys, ItemKeys, TEXTS, Table, ValueType, decimal, field, flag, integer,
    place, section, shown_only, table, text, vector,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::model::fields::{
    BOUNDS, JointAt, MIN_MAX, corners, item_keys_of_mesh, triangles, uv_range,
};
use crate::kinds::model::uses::MaterialUse;
use crate::kinds::model::{Model, material_item};
use crate::{ModelItem, Playhead, Swatch};
use mapscope_formats::p3m::{
    Action, Animation, BoneTracks, Group, Layout, NO_TEXTURE, Override, Part, Texture,
    TextureContent, Timeline,
};
use mapscope_formats::{counted, p3m};

/// Names of the modes of a list of parts, by number.
const PART_LIST_MODES: [&str; 4] = ["visible_and", "visible_without", "only", "all_without"];
/// The same as sentences.
const PART_LISTS: [&str; 4] = [
    "the visible parts and those of the list",
    "the visible parts without those of the list",
    "only those of the list",
    "all parts without those of the list",
];
/// The parts of an override.
const OVERRIDES: ValueType = ValueType::List(&ValueType::Object(&[
    ("animation", ValueType::Text),
    ("priority", ValueType::Integer),
    ("material", ValueType::Integer),
]));
/// A reference of an animation to an action.
const REFERENCES: ValueType = ValueType::List(&ValueType::Object(&[
    ("action", ValueType::Integer),
    ("speed", ValueType::Number),
    ("start", ValueType::Integer),
    ("end", ValueType::Integer),
]));
/// The tracks of a bone in an action, as numbers of keys.
const TRACKS: ValueType = ValueType::List(&ValueType::Object(&[
    ("bone", ValueType::Text),
    ("translations", ValueType::Integer),
    ("rotations", ValueType::Integer),
    ("scales", ValueType::Integer),
]));
/// The weights of a bone on a part.
const GROUPS: ValueType = ValueType::List(&ValueType::Object(&[
    ("bone", ValueType::Text),
    ("vertices", ValueType::Integer),
]));

/// A P3M model.
pub(super) struct File<'a> {
    model: &'a Model,
    rig: &'a Rig,
}

impl Model {
    /// Returns the record of an item of a P3M file at a moment. `None` for other files, for items
    /// that do not exist, and for those that models of all formats have.
    pub(in crate::kinds::model) fn described_in_p3m(
        &self,
        item: ModelItem,
        playhead: Playhead,
    ) -> Option<Box<dyn Describe + '_>> {
        let (model, rig) = (self, self.rig.as_ref()?);
        let file = &*rig.file;
        Some(match item {
            ModelItem::Model => File::FIELDS.of(File { model, rig }),
            ModelItem::Part { index } => PartAt::FIELDS.of(PartAt {
                model,
                rig,
                part: file.parts.get(index as usize)?,
                index: index as usize,
                playhead,
            }),
            ModelItem::Material { index } => MaterialAt::FIELDS.of(MaterialAt {
                model,
                rig,
                material: file.materials.get(index as usize)?,
                uses: model.uses.materials.get(index as usize).copied()?,
                index: index as usize,
            }),
            ModelItem::Texture { index } => TextureAt::FIELDS.of(TextureAt {
                rig,
                texture: file.textures.get(index as usize)?,
                file: rig.textures.file(index as usize)?,
                index: index as usize,
            }),
            ModelItem::Clip { index } => {
                ClipAt::FIELDS.of(ClipAt::new(model, rig, index, playhead)?)
            }
            ModelItem::Action { index } => ActionAt::FIELDS.of(ActionAt {
                rig,
                action: file.actions.get(index as usize)?,
                index: index as usize,
            }),
            _ => return None,
        })
    }

    /// Returns the keys of `info --json` of a P3M file.
    pub(in crate::kinds::model) fn json_of_p3m(
        &self,
    ) -> Option<serde_json::Map<String, serde_json::Value>> {
        let (model, rig) = (self, self.rig.as_ref()?);
        Some(File::FIELDS.json(&File { model, rig }))
    }
}

/// The JSON keys of the items of P3M files.
pub(crate) fn item_keys() -> Vec<ItemKeys> {
    let mut keys = vec![
        File::FIELDS.keys("model"),
        PartAt::FIELDS.keys("part"),
        MaterialAt::FIELDS.keys("material"),
        TextureAt::FIELDS.keys("texture"),
        ClipAt::FIELDS.keys("clip"),
        ActionAt::FIELDS.keys("action"),
    ];
    keys.extend(item_keys_of_mesh());
    keys
}

/// The JSON keys of P3M files.
pub(crate) fn info_keys() -> InfoKeys {
    InfoKeys::new(File::FIELDS.listed_keys(), &[], &[])
}

impl<'a> File<'a> {
    pub(super) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Model", Self::FILE),
            section("Bounds at rest", Self::BOUNDS),
        ],
    };

    const FILE: &'a [Field<Self>] = &[
        text("File", "file", |at: &Self| {
            at.model.path().display().to_string().into()
        })
        .derived()
        .in_summary_as("Model"),
        text("Layout", "layout", |at: &Self| {
            Value::name(layout_id(at.rig.file.layout)).shown_as(layout_text(at.rig.file.layout))
        })
        .listed(),
        integer("Triangles", "triangles", |at: &Self| {
            at.model.pfobj.triangle_count().into()
        })
        .derived()
        .listed()
        .note(|at| triangles(at.model.pfobj.triangle_count()).into()),
        integer("Vertices", "vertices", |at: &Self| {
            at.model.mesh.vertices.len().into()
        })
        .derived()
        .listed(),
        field(
            "Parts",
            "parts",
            ValueType::Records(|| PartAt::FIELDS.listed_keys()),
            |at: &Self| {
                let (model, rig) = (at.model, at.rig);
                let parts = rig.file.parts.iter().enumerate();
                Value::list(parts.map(|(index, part)| {
                    PartAt::FIELDS.listed(&PartAt {
                        model,
                        rig,
                        part,
                        index,
                        playhead: Playhead::default(),
                    })
                }))
            },
        )
        .derived()
        .listed()
        .shown(|at| at.rig.file.parts.len().into()),
        field(
            "Joints",
            "joints",
            ValueType::Records(|| JointAt::FIELDS.listed_keys()),
            |at: &Self| at.model.joint_list(),
        )
        .derived()
        .listed()
        .shown(|at| at.model.skeleton.len().into()),
        shown_only("Ends of bones", |at| {
            let is_lost = at.rig.file.has_lost_tails();
            let text = "lost by the exporter; directions follow the children";
            is_lost.then_some(text).into()
        }),
        field(
            "Materials",
            "materials",
            ValueType::Records(|| MaterialAt::FIELDS.listed_keys()),
            |at: &Self| {
                let (model, rig) = (at.model, at.rig);
                let all = rig.file.materials.iter().zip(&model.uses.materials);
                Value::list(all.enumerate().map(|(index, (material, uses))| {
                    MaterialAt::FIELDS.listed(&MaterialAt {
                        model,
                        rig,
                        material,
                        uses: *uses,
                        index,
                    })
                }))
            },
        )
        .derived()
        .listed()
        .shown(|at| at.rig.file.materials.len().into()),
        field(
            "Textures",
            "textures",
            ValueType::Records(|| TextureAt::FIELDS.listed_keys()),
            |at: &Self| {
                let rig = at.rig;
                let all = rig.file.textures.iter().enumerate();
                Value::list(all.filter_map(|(index, texture)| {
                    Some(TextureAt::FIELDS.listed(&TextureAt {
                        rig,
                        texture,
                        file: rig.textures.file(index)?,
                        index,
                    }))
                }))
            },
        )
        .derived()
        .listed()
        .shown(|at| at.rig.file.textures.len().into()),
        field(
            "Clips",
            "clips",
            ValueType::Records(|| ClipAt::FIELDS.listed_keys()),
            |at: &Self| {
                let clips = 0..at.rig.file.animations.len() as u32;
                let clips = clips
                    .filter_map(|index| ClipAt::new(at.model, at.rig, index, Playhead::default()));
                Value::list(clips.map(|at| ClipAt::FIELDS.listed(&at)))
            },
        )
        .derived()
        .listed()
        .shown(|at| at.rig.file.animations.len().into()),
        integer("Actions", "actions", |at: &Self| {
            at.rig.file.actions.len().into()
        })
        .derived()
        .listed(),
        field(
            "Data of the user",
            "fields",
            ValueType::List(&ValueType::Object(&[
                ("name", ValueType::Text),
                ("type", ValueType::Text),
                ("bytes", ValueType::Bytes),
            ])),
            |at: &Self| {
                let fields = at.rig.file.fields.iter();
                Value::list(fields.map(|field| {
                    let kind = field_type(field.kind);
                    Value::object([
                        Fact::new("Name", field.name.text.as_str()),
                        Fact::new("Type", kind).keyed("type"),
                        Fact::new("Bytes", Value::bytes(field.bytes.as_slice())),
                    ])
                    .shown_as(format!("{}: {kind}", field.name.text))
                }))
            },
        )
        .listed(),
        integer("Flags", "flags", |at: &Self| at.rig.file.flags.into())
            .shown(|at| Some(at.rig.file.flags).filter(|flags| *flags != 0).into()),
    ];

    const BOUNDS: &'a [Field<Self>] = &[
        vector("Size", "size", |at: &Self| {
            let bind = at.model.extents.bind;
            bind.map(|bind| bind.max - bind.min).into()
        })
        .derived(),
        field("Bounds", "bounds", BOUNDS, |at: &Self| {
            let bind = at.model.extents.bind;
            bind.map(|it| corners(MIN_MAX, it.min, it.max)).into()
        })
        .derived()
        .listed(),
    ];
}

/// A part at a moment.
struct PartAt<'a> {
    model: &'a Model,
    rig: &'a Rig,
    part: &'a Part,
    index: usize,
    playhead: Playhead,
}

impl<'a> PartAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Part",
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        text("Name", "name", |at: &Self| at
            .part
            .name
            .text
            .as_str()
            .into())
        .in_summary_as("Part")
        .listed(),
        integer("Material", "material", |at: &Self| {
            at.rig.material_value(at.part.material)
        })
        .listed(),
        integer("Vertices", "vertices", |at: &Self| {
            at.part.positions.len().into()
        })
        .derived()
        .listed(),
        integer("Triangles", "triangles", |at: &Self| {
            at.triangles().into()
        })
        .derived()
        .listed()
        .shown(|at| {
            let (all, whole) = (at.part.indices.len() / 3, at.triangles());
            if whole < all {
                format!("{whole} of {all}; the others name vertices that are not there").into()
            } else {
                whole.into()
            }
        })
        .note(|at| triangles(at.triangles()).into()),
        flag("Visible", "visible", |at: &Self| at.part.is_visible.into())
            .listed()
            .note(|at| (!at.part.is_visible).then_some("hidden").into()),
        flag("Drawn now", "drawn", |at: &Self| {
            let state = at.model.part_state(at.playhead);
            let materials = at.model.materials_of_parts(state);
            materials.get(at.index).is_some_and(Option::is_some).into()
        })
        .derived(),
        flag("Normals", "has_normals", |at: &Self| {
            let has_normals = !at.part.normals.is_empty();
            let text = if has_normals {
                "of the file"
            } else {
                "none; made from the triangles"
            };
            Value::from(has_normals).shown_as(text)
        }),
        flag("Texture coordinates", "has_uvs", |at: &Self| {
            let has_uvs = !at.part.uvs.is_empty();
            Value::from(has_uvs).shown_as(if has_uvs { "of the file" } else { "none" })
        }),
        field("Bone", "bones", GROUPS, |at: &Self| {
            let groups = at.part.groups.iter();
            Value::list(groups.map(|group| at.group_value(group)))
        }),
        field("While", "overrides", OVERRIDES, |at: &Self| {
            let overrides = at.part.overrides.iter();
            Value::list(overrides.map(override_value))
        }),
        place("In the file", "place", |at: &Self| Value::bytes_at(
            at.part.at as usize,
            0
        ))
        .place(),
    );

    fn triangles(&self) -> usize {
        self.part.triangles().count()
    }

    fn group_value(&self, group: &Group) -> Value {
        let name = group.bone.text.as_str();
        let count = group.weights(self.part.positions.len()).count();
        let bone = self.rig.file.bone_named(name);
        let missing = if bone.is_none() { ", no such bone" } else { "" };
        Value::object([Fact::new("Bone", name), Fact::new("Vertices", count)])
            .shown_as(format!("{name}: {}{missing}", vertices(count)))
            .link_if(bone.map(|index| item(|index| ModelItem::Joint { index }, index)))
    }
}

/// The display value of the material of a part while an animation plays.
fn override_value(of: &Override) -> Value {
    let name = of.animation.text.as_str();
    Value::object([
        Fact::new("Animation", name),
        Fact::new("Priority", of.priority),
        Fact::new("Material", of.material),
    ])
    .shown_as(format!(
        "{name} plays: material {}, priority {}",
        of.material, of.priority
    ))
}

/// A material with its texture.
struct MaterialAt<'a> {
    model: &'a Model,
    rig: &'a Rig,
    material: &'a p3m::Material,
    uses: MaterialUse,
    index: usize,
}

impl<'a> MaterialAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Material",
        integer("Index", "index", |at: &Self| {
            Value::from(at.index).swatch(Some(Swatch::Thumbnail(at.index)))
        })
        .derived()
        .summary("Material", |at| at.index.into())
        .note(|at| triangles(at.uses.triangles).into()),
        text("Mode", "mode", |at: &Self| {
            match at.material.mode & 0x0F {
                0 => "normal".into(),
                1 => Value::name("add").shown_as("its light is added to what is behind it"),
                mode => Value::from(mode.to_string()).shown_as(format!("{mode}, drawn as normal")),
            }
        })
        .listed(),
        field("Colour", "color", ValueType::Integers(4), |at: &Self| {
            let [r, g, b, a] = at.material.color;
            Value::integers([r, g, b, a])
                .shown_as(format!("red {r}  green {g}  blue {b}  alpha {a}"))
                .swatch(Some(Swatch::Color([r, g, b])))
        })
        .listed(),
        field(
            "Own light",
            "emission",
            ValueType::Integers(3),
            |at: &Self| { Value::color(at.material.emission) }
        )
        .listed(),
        integer("Shading", "shading", |at: &Self| {
            at.material.shading.into()
        })
        .listed()
        .shown(|at| match at.material.shading {
            0 => "0: even light".into(),
            255 => "255: full directional light".into(),
            shading => format!("{shading} of 255").into(),
        }),
        text("Texture", "texture", |at: &Self| {
            let path = at
                .texture(at.material.texture)
                .and_then(|texture| texture.path());
            path.map(str::to_owned).into()
        })
        .listed()
        .shown(|at| at.rig.texture_value(at.material.texture)),
        flag("Found", "found", |at: &Self| {
            let file = at.rig.textures.file(at.material.texture.into());
            file.map(|file| file.found).into()
        })
        .derived()
        .hidden()
        .listed()
        .note(|at| {
            let file = at.rig.textures.file(at.material.texture.into());
            file.filter(|file| !file.found).map(|_| "no texture").into()
        }),
        integer("Index of the texture", "texture_index", |at: &Self| {
            present(at.material.texture).into()
        })
        .hidden()
        .listed(),
        integer("Matcap", "matcap_index", |at: &Self| {
            present(at.material.matcap).into()
        })
        .listed()
        .shown(|at| {
            let has_any = present(at.material.matcap).is_some();
            if has_any {
                at.rig.texture_value(at.material.matcap)
            } else {
                Value::absent()
            }
        }),
        decimal("Frames", "frame_us", |at: &Self| {
            let animation = at.material.animation.as_deref();
            animation.map(|it| it.us_per_frame).into()
        })
        .shown(|at| {
            let animation = at.material.animation.as_deref();
            animation
                .map(|it| {
                    let last = u32::from(it.last_frame);
                    format!("0 to {last}, {} microseconds each", it.us_per_frame)
                })
                .into()
        }),
        field(
            "Scroll",
            "texture_scroll_per_s",
            ValueType::Numbers(2),
            |at: &Self| {
                let animation = at.material.animation.as_deref();
                animation.map(|it| it.texture_scroll).into()
            }
        ),
        field("U", "u_range", ValueType::Numbers(2), |at: &Self| {
            at.uses.uv.map(|[min, max]| uv_range(min.x, max.x)).into()
        })
        .derived(),
        field("V", "v_range", ValueType::Numbers(2), |at: &Self| {
            at.uses.uv.map(|[min, max]| uv_range(min.y, max.y)).into()
        })
        .derived(),
        integer("On", "triangles", |at: &Self| at.uses.triangles.into())
            .derived()
            .shown(|at| {
                let all = triangles(at.model.pfobj.triangle_count());
                format!("{} of {all}", at.uses.triangles).into()
            }),
        place("In the file", "place", |at: &Self| Value::bytes_at(
            at.material.at as usize,
            0
        ))
        .place(),
    );

    fn texture(&self, index: u8) -> Option<&'a Texture> {
        self.rig.file.textures.get(usize::from(index))
    }
}

/// A texture with its image.
struct TextureAt<'a> {
    rig: &'a Rig,
    texture: &'a Texture,
    file: &'a TextureFile,
    index: usize,
}

impl<'a> TextureAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Texture",
        integer("Index", "index", |at: &Self| at.index.into())
            .derived()
            .summary("Texture", |at| at.index.into())
            .listed(),
        text("Path", "path", |at: &Self| {
            match &at.texture.content {
                TextureContent::External(path) => path.text.as_str().into(),
                TextureContent::Embedded { .. } => Value::none("in this file"),
            }
        })
        .listed()
        .note(|at| at
            .texture
            .path()
            .unwrap_or("in this file")
            .to_owned()
            .into()),
        integer("Bytes", "bytes", |at: &Self| {
            match &at.texture.content {
                TextureContent::External(_) => Value::absent(),
                TextureContent::Embedded { ptf, .. } => ptf.len().into(),
            }
        })
        .listed(),
        flag("Found", "found", |at: &Self| at.file.found.into())
            .derived()
            .hidden()
            .listed(),
        text("File", "file", |at: &Self| at.file.file_value()).derived(),
        field("Image", "size_px", ValueType::Integers(2), |at: &Self| {
            at.file.size_value()
        })
        .derived()
        .listed(),
        field(
            "Material",
            "materials",
            ValueType::List(&ValueType::Integer),
            |at: &Self| {
                let index = at.index as u8;
                let shows = |it: &&p3m::Material| [it.texture, it.matcap].contains(&index);
                let all = at.rig.file.materials.iter().enumerate();
                let users = all.filter(|(_, it)| shows(it));
                Value::list(
                    users.map(|(number, _)| Value::from(number).link(material_item(number))),
                )
            }
        )
        .derived(),
        place("In the file", "place", |at: &Self| {
            match &at.texture.content {
                TextureContent::External(_) => Value::bytes_at(at.texture.at as usize, 0),
                TextureContent::Embedded { ptf, at } => Value::bytes_at(*at as usize, ptf.len()),
            }
        })
        .place(),
    );
}

/// An animation at a moment.
struct ClipAt<'a> {
    model: &'a Model,
    animation: &'a Animation,
    timeline: &'a Timeline,
    index: usize,
    /// The moment in frames; `None` if another clip is shown.
    frame: Option<f32>,
}

impl<'a> ClipAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Clip",
        integer("Index", "index", |at: &Self| at.index.into()).derived(),
        text("Name", "name", |at: &Self| {
            at.animation.name.text.as_str().into()
        })
        .in_summary_as("Clip")
        .listed(),
        integer("Frames", "frames", |at: &Self| {
            at.timeline.frames.into()
        })
        .derived()
        .in_summary()
        .note(|at| Value::count(at.timeline.frames, "frame"))
        .listed(),
        decimal("Lasts", "duration_us", |at: &Self| {
            (at.timeline.duration_us as f32).into()
        })
        .derived()
        .listed()
        .shown(|at| at.seconds().into())
        .summary("Lasts", |at| at.seconds().into())
        .note(|at| at.seconds().into()),
        field("Plays", "references", REFERENCES, |at: &Self| {
            let references = at.animation.references.iter();
            Value::list(references.map(|it| {
                let text = format!(
                    "action {}, frames {} to {}, speed {}",
                    it.action,
                    it.start,
                    it.end,
                    short(it.speed)
                );
                Value::object([
                    Fact::new("Action", it.action),
                    Fact::new("Speed", it.speed),
                    Fact::new("Start", it.start),
                    Fact::new("End", it.end),
                ])
                .shown_as(text)
                .link(action_item(it.action.into()))
            }))
        }),
        integer("Now", "action", |at: &Self| {
            let moment = at.frame.and_then(|frame| at.timeline.at(frame));
            moment.map(|it| it.action).into()
        })
        .derived()
        .shown(|at| {
            let moment = at.frame.and_then(|frame| at.timeline.at(frame));
            let text = moment.map(|it| {
                let frame = fixed(it.frame, 2);
                Value::from(format!("frame {frame} of action {}", it.action))
                    .link(action_item(it.action))
            });
            text.into()
        }),
        decimal(
            "Loop gap of vertices",
            "loop_vertex_distance",
            |at: &Self| {
                let gap = at.model.loop_gap(at.index);
                gap.and_then(|gap| gap.vertex).into()
            }
        )
        .derived()
        .listed()
        .shown(|at| {
            let gap = at.model.loop_gap(at.index).and_then(|gap| gap.vertex);
            gap.map(|gap| format!("{} between the last frame and the first", short(gap)))
                .into()
        }),
        place("In the file", "place", |at: &Self| Value::bytes_at(
            at.animation.at as usize,
            0
        ))
        .place(),
    );

    fn new(model: &'a Model, rig: &'a Rig, index: u32, playhead: Playhead) -> Option<Self> {
        let index = index as usize;
        Some(Self {
            model,
            animation: rig.file.animations.get(index)?,
            timeline: model.poses.keys()?.timeline(index)?,
            index,
            frame: (playhead.clip == Some(index)).then_some(playhead.frame),
        })
    }

    fn seconds(&self) -> String {
        format!("{} s", fixed((self.timeline.duration_us / 1e6) as f32, 2))
    }
}

/// An action.
struct ActionAt<'a> {
    rig: &'a Rig,
    action: &'a Action,
    index: usize,
}

impl<'a> ActionAt<'a> {
    const FIELDS: Table<'a, Self> = table!(
        "Action",
        integer("Index", "index", |at: &Self| at.index.into())
            .derived()
            .summary("Action", |at| at.index.into()),
        integer("Time of a frame", "frame_us", |at: &Self| {
            at.action.us_per_frame.into()
        })
        .shown(|at| {
            let us = at.action.us_per_frame;
            format!(
                "{us} microseconds, {} frames a second",
                short(1e6 / us as f32)
            )
            .into()
        }),
        text("Parts", "part_list_mode", |at: &Self| {
            let mode = usize::from(at.action.part_list_mode);
            let [name, text] = [&PART_LIST_MODES, &PART_LISTS].map(|all| all.get(mode));
            match (name, text) {
                (Some(name), Some(text)) => Value::name(name).shown_as(*text),
                _ => mode.to_string().into(),
            }
        }),
        field("List of parts", "parts", TEXTS, |at: &Self| {
            let parts = at.action.parts.iter();
            Value::list(parts.map(|part| part.text.as_str()))
        }),
        field("Bone", "tracks", TRACKS, |at: &Self| {
            Value::list(at.action.tracks.iter().map(|it| at.tracks_value(it)))
        })
        .note(|at| counted(at.action.tracks.len(), "bone").into()),
        field(
            "Played by",
            "clips",
            ValueType::List(&ValueType::Integer),
            |at: &Self| {
                let animations = at.rig.file.animations.iter().enumerate();
                let users = animations.filter(|(_, it)| {
                    it.references
                        .iter()
                        .any(|it| usize::from(it.action) == at.index)
                });
                Value::list(users.map(|(number, animation)| {
                    Value::reference(number, animation.name.text.as_str())
                        .link(item(|index| ModelItem::Clip { index }, number))
                }))
            }
        )
        .derived(),
        place("In the file", "place", |at: &Self| Value::bytes_at(
            at.action.at as usize,
            0
        ))
        .place(),
    );

    fn tracks_value(&self, tracks: &BoneTracks) -> Value {
        let name = tracks.bone.text.as_str();
        let keys = [&tracks.translation, &tracks.rotation, &tracks.scale].map(Vec::len);
        let [moves, turns, scales] = keys;
        let bone = self.rig.file.bone_named(name);
        let missing = if bone.is_none() { ", no such bone" } else { "" };
        Value::object([
            Fact::new("Bone", name),
            Fact::new("Translations", moves),
            Fact::new("Rotations", turns),
            Fact::new("Scales", scales),
        ])
        .shown_as(format!(
            "{name}: keys of translation {moves}, rotation {turns}, scale {scales}{missing}"
        ))
        .link_if(bone.map(|index| item(|index| ModelItem::Joint { index }, index)))
    }
}

impl Rig {
    /// A reference to a material, as written.
    fn material_value(&self, index: u8) -> Value {
        let number = usize::from(index);
        if number < self.file.materials.len() {
            Value::from(number).link(material_item(number))
        } else {
            Value::from(number).shown_as(format!("{number}: there is no such material"))
        }
    }

    /// The display value of a reference to a texture.
    fn texture_value(&self, index: u8) -> Value {
        if index == NO_TEXTURE {
            return Value::none("none");
        }
        let number = usize::from(index);
        match self.file.textures.get(number) {
            None => format!("{number}: there is no such texture").into(),
            Some(texture) => {
                let path = texture.path().unwrap_or("in this file");
                Value::from(format!("{number}: {path}")).link(texture_item(number))
            }
        }
    }
}

fn item(make: fn(u32) -> ModelItem, index: usize) -> ModelItem {
    make(index as u32)
}

/// The item of a part.
pub(super) fn part_item(index: usize) -> ModelItem {
    item(|index| ModelItem::Part { index }, index)
}

/// The item of a texture.
pub(super) fn texture_item(index: usize) -> ModelItem {
    item(|index| ModelItem::Texture { index }, index)
}

/// The item of an action.
pub(super) fn action_item(index: usize) -> ModelItem {
    item(|index| ModelItem::Action { index }, index)
}

/// The index of a texture, or `None` for none.
fn present(index: u8) -> Option<u8> {
    Some(index).filter(|index| *index != NO_TEXTURE)
}

fn vertices(count: usize) -> String {
    counted(count, "vertex")
}

/// The name of a layout in JSON.
pub(super) fn layout_id(layout: Layout) -> &'static str {
    match layout {
        Layout::A => "a",
        Layout::B => "b",
        Layout::V1_0 => "1.0",
        Layout::V1_1 => "1.1",
    }
}

fn layout_text(layout: Layout) -> &'static str {
    match layout {
        Layout::A => "A, which the exporter writes and the engine loads",
        Layout::B => "B, that of the format's document",
        Layout::V1_0 => "1.0, which is only recognised",
        Layout::V1_1 => "1.1, which is only recognised",
    }
}

/// The name of a type of the user's data.
fn field_type(kind: u8) -> &'static str {
    const TYPES: [&str; 12] = [
        "str", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
    ];
    TYPES
        .get(usize::from(kind & 0x0F))
        .copied()
        .unwrap_or("unknown")
}
