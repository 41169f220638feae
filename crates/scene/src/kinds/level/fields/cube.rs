//! Descriptions of cubes and their sides, and positions of items.

use std::borrow::Cow;
use std::ops::Range;

use crate::describe::lines::box_edges;
use crate::describe::numbers::{short, xyz};
use crate::describe::own::long_text;
use crate::describe::table::{
    Field, INTEGERS, TEXTS, Table, ValueType, field, flag, integer, section, shown_only, text,
};
use crate::describe::value::{Fact, Value};
use crate::kinds::level::Map;
use crate::kinds::level::fields::{MAX_BYTES, MAX_LISTED, SECTION_NAMES, hex};
use crate::kinds::level::items::{ChunkAt, CubeAt};
use crate::kinds::level::lights::LightKind;
use crate::kinds::level::mesh::MeshFace;
use crate::kinds::level::place::Place;
use crate::{Aabb, LevelItem};
use glam::{Vec2, Vec3};
use mapscope_formats::counted;
use mapscope_formats::pmf::{
    Corners, Cube, CubeKind, Geometry, LightInfo, LightReference, NO_LIGHTMAP, SIDES, Side,
    StringRef, StringTable, VisInfo,
};

/// Maximum number of listed cubes that a visibility cube sees, over all chunks.
const MAX_SEEN: usize = 256;
/// Maximum number of listed ancestors of a cube; chains of them can have any length.
const MAX_ANCESTORS: usize = 128;
/// Maximum number of listed vertices of a side.
const MAX_VERTICES: usize = 24;
/// Characters reserved for a name in the status line. Longer names move the parts after it.
const NAME_WIDTH: usize = 16;
/// Characters of the longest cube type name.
const KIND_WIDTH: usize = 9;

/// A cube or one of its sides, with its place.
#[derive(Debug, Clone)]
pub(in crate::kinds::level) struct CubeRecord<'a> {
    cube: CubeAt<'a>,
    side: Option<usize>,
    /// `None` for a cube that is not reached from the root.
    place: Option<Place>,
    geometry: Option<&'a Geometry>,
    /// Position of the pointer in world space, if it is on the side.
    pub(in crate::kinds::level) pointer: Option<Vec3>,
}

impl Map {
    /// Returns a cube, or one of its sides, by its item.
    pub(in crate::kinds::level) fn cube_record(&self, item: LevelItem) -> Option<CubeRecord<'_>> {
        let (cube, side) = self.cube_at(item)?;
        Some(CubeRecord {
            cube,
            side,
            place: cube.place(),
            geometry: cube.geometry(),
            pointer: None,
        })
    }
}

impl<'a> CubeRecord<'a> {
    /// The fields of a cube. Each part of the status line is as wide as its widest value, so that
    /// nothing moves while the pointer does.
    pub(in crate::kinds::level) const FIELDS: Table<'a, Self> = Table {
        sections: &[
            section("Cube", Self::CUBE),
            section("Side", Self::SIDE),
            section("Vertices of the side", Self::VERTICES),
            section("Box", Self::BOX),
            section("Materials", Self::MATERIALS),
            section("Physics materials", Self::PHYSICS),
            section("Lightmaps", Self::LIGHTMAPS),
            section("Moved points", Self::MOVED),
            section("Contents", Self::CONTENTS),
            section("Wrappers", Self::WRAPPERS),
            section("Inside", Self::INSIDE),
            section("Bytes", Self::BYTES),
        ],
    };

    const CUBE: &'a [Field<Self>] = &[
        integer("Level", "level", |of: &Self| of.cube.at.level_number.into())
            .derived()
            .summary("Level", |of| {
                let at = of.cube.at;
                (at.map.levels.len() > 1).then_some(at.level_number).into()
            }),
        field("Chunk", "chunk", ValueType::Integers(3), |of: &Self| {
            let at = of.cube.at;
            Value::tuple(at.chunk.index.yxz())
                .link(at.item())
                .width(at.map.widths[0])
        })
        .derived()
        .in_summary(),
        integer("Index", "index", |of: &Self| {
            Value::from(of.cube.cube).width(of.cube.at.map.widths[1])
        })
        .place()
        .in_summary_as("Cube"),
        text("Type", "type", |of: &Self| {
            // If a side is picked, stepping iterates over the sides of its material.
            let kind = of.cube.kind().filter(|_| of.side.is_none());
            let level = of.cube.at.level_number;
            Value::name(of.cube.kind_name())
                .link_if(kind.map(|kind| LevelItem::cube_type(level, kind)))
                .width(KIND_WIDTH)
        })
        .in_summary()
        .listed(),
        integer("Depth", "depth", |of: &Self| {
            let depth = of.place.as_ref().map(|place| place.cell.depth);
            Value::from(depth).width(2)
        })
        .derived()
        .in_summary()
        .listed(),
        field("Path", "parents", INTEGERS, |of: &Self| {
            of.of_place(|place| Value::integers(place.parents()))
        })
        .derived()
        .listed()
        .shown(|of| of.of_place(|place| path(place).into())),
        field("Cell", "cell", MIN_AND_MAX, |of: &Self| corners(of.cell()))
            .derived()
            .listed()
            .shown(|of| of.cell().map(between).into()),
        field("Bounds", "bounds", MIN_AND_MAX, |of: &Self| {
            corners(of.bounds())
        })
        .derived()
        .listed()
        .shown(|of| of.bounds().map(between).into()),
        flag("Place", "reached", |of: &Self| of.place.is_some().into())
            .derived()
            .shown(|of| {
                let is_nowhere = of.place.is_none();
                is_nowhere
                    .then_some("it is not reached from the root")
                    .into()
            }),
    ];

    const SIDE: &'a [Field<Self>] = &[
        text("Side", "side", |of: &Self| {
            of.on_side(|side, _| {
                let name = SIDES.get(side).copied().unwrap_or_default();
                Value::from(name.to_lowercase()).shown_as(name)
            })
            .width(2)
        })
        .derived()
        .in_summary(),
        text("Material", "material", |of: &Self| {
            of.on_side(|side, geometry| of.cube.material_name(geometry.materials.get(side)))
        })
        .derived()
        .shown(|of| {
            of.on_side(|side, geometry| of.cube.material(geometry, side))
                .width(NAME_WIDTH)
        })
        .in_summary(),
        text("Physics", "physics_material", |of: &Self| {
            of.on_side(|side, geometry| of.cube.physics_name(geometry.physics.get(side)))
        })
        .derived()
        .shown(|of| of.on_side(|side, geometry| of.cube.physics(geometry, side))),
        integer("Lightmap", "lightmap", |of: &Self| {
            of.on_side(|side, geometry| of.cube.lightmap(geometry, side))
                .width(4)
        })
        .derived()
        .in_summary(),
        shown_only("Luxel", |of: &Self| {
            let lightmap = of
                .side_of_box()
                .and_then(|(side, geometry)| Some(usize::from(*geometry.lightmaps.get(side)?)));
            let pointed = of.pointer.zip(of.side).zip(lightmap);
            let luxel = pointed.and_then(|((at, side), map)| of.cube.luxel_at(at, side, map));
            let text = |([x, y], [r, g, b]): ([u32; 2], [u8; 3])| format!("{x}, {y}: {r} {g} {b}");
            luxel.map(text).map(Value::from).into()
        })
        .in_summary(),
        integer("Triangles", "triangles", |of: &Self| {
            of.on_side(|side, geometry| geometry.triangles.get(side).copied().into())
        })
        .derived(),
    ];

    const VERTICES: &'a [Field<Self>] = &[field("Vertex", "vertices", VERTEX_LIST, |of: &Self| {
        of.on_side(|side, geometry| of.cube.vertices_of(geometry, side))
    })
    .derived()];

    const BOX: &'a [Field<Self>] = &[
        integer("Flags", "flags", |of: &Self| {
            of.of_box(|geometry| Value::hex(geometry.bits | geometry.unknown_bits, 2))
        }),
        integer("Faces", "faces", |of: &Self| {
            of.geometry.map_or(0, Geometry::side_mask).into()
        })
        .derived()
        .hidden()
        .listed(),
        flag("Common data", "common_extended", |of: &Self| {
            of.of_box(|geometry| extent(geometry.is_common_extended()))
        })
        .derived(),
        flag("Client data", "client_extended", |of: &Self| {
            of.of_box(|geometry| extent(geometry.is_client_extended()))
        })
        .derived(),
        flag("Backfaces", "backfaces", |of: &Self| {
            of.of_box(|geometry| geometry.draws_backfaces().into())
        })
        .derived()
        .listed(),
        text("Sound", "sound_material", |of: &Self| {
            let data = of.cube.data;
            of.of_box(|geometry| {
                name_at(&data.strings, &data.sound_materials, Some(&geometry.sound))
            })
        })
        .shown_and_compared(|of| {
            let data = of.cube.data;
            of.of_box(|geometry| named(&data.strings, &data.sound_materials, Some(&geometry.sound)))
        }),
        field(
            "Triangles",
            "triangles",
            ValueType::Integers(6),
            |of: &Self| {
                let triangles = of.geometry.map(|geometry| geometry.triangles);
                triangles.unwrap_or_default().into()
            },
        )
        .listed()
        .shown_and_compared(|of| of.of_box(triangles)),
        integer("Flags of sides", "flags_of_sides", |of: &Self| {
            of.of_box(|geometry| {
                let bits = geometry.unknown_sides;
                let said = || Value::from(bits).shown_as(format!("{bits:#04x} (means nothing)"));
                (bits != 0).then(said).into()
            })
        }),
        integer("First vertex", "first_vertex", |of: &Self| {
            of.of_box(|geometry| geometry.first_vertex.into())
        })
        .derived(),
        integer("First normal", "first_normal", |of: &Self| {
            of.of_box(|geometry| {
                let is_there = geometry.is_client_extended();
                is_there.then_some(geometry.first_normal).into()
            })
        })
        .derived(),
        integer("Not drawn", "undrawn_faces", |of: &Self| {
            of.of_box(|geometry| {
                let bits = geometry.bad_sides;
                (bits != 0).then(|| undrawn(bits)).into()
            })
        })
        .derived(),
    ];

    const MATERIALS: &'a [Field<Self>] = &[field("All sides", "materials", TEXTS, |of: &Self| {
        let used = of.used(Geometry::is_common_extended, |geometry| &geometry.materials);
        Value::list(used.iter().map(|index| of.cube.material_name(Some(index))))
    })
    .listed()
    .shown_and_compared(|of| {
        of.sides(Geometry::is_common_extended, |side, geometry| {
            of.cube.material(geometry, side)
        })
    })];

    const PHYSICS: &'a [Field<Self>] =
        &[field("All sides", "physics_materials", TEXTS, |of: &Self| {
            let used = of.used(Geometry::is_common_extended, |geometry| &geometry.physics);
            Value::list(used.iter().map(|index| of.cube.physics_name(Some(index))))
        })
        .shown_and_compared(|of| {
            of.sides(Geometry::is_common_extended, |side, geometry| {
                of.cube.physics(geometry, side)
            })
        })];

    const LIGHTMAPS: &'a [Field<Self>] =
        &[field("All sides", "lightmaps", INTEGERS, |of: &Self| {
            let used = of.used(Geometry::is_client_extended, |geometry| &geometry.lightmaps);
            let used = used.iter().filter(|_| of.cube.data.client.is_some());
            Value::integers(used.copied())
        })
        .listed()
        .shown_and_compared(|of| {
            if of.cube.data.client.is_none() {
                return Value::absent();
            }
            of.sides(Geometry::is_client_extended, |side, geometry| {
                of.cube.lightmap(geometry, side)
            })
        })];

    const MOVED: &'a [Field<Self>] = &[field("Corner", "corners", BY_CORNER, |of: &Self| {
        let center = of.cube.at.center();
        of.of_box(|geometry| of.moved_to(geometry, |point| (Vec3::from(point) + center).into()))
    })
    .shown(|of| of.of_box(|geometry| of.moved_points(geometry)))
    .compared(|of| of.of_box(|geometry| of.moved_to(geometry, Value::from)))];

    const CONTENTS: &'a [Field<Self>] = &[
        field("Cube", "children", CHILDREN, |of: &Self| {
            let cubes = &of.cube.data.cubes;
            Value::list(cubes.inside(of.cube.cube).map(|(corner, child)| {
                let corner = Fact::new("Corner", corner);
                Value::object(of.cube.facts_of(child).into_iter().chain([corner]))
            }))
        })
        .derived()
        .shown(|of| of.cube.inside()),
        field("Sees", "sees_cubes", INTEGERS, |of: &Self| {
            of.vis_info(|info| {
                let cubes = of.cube.data.cubes.visible_cubes(info);
                Value::integers(cubes.iter().copied())
            })
        })
        .shown(|of| of.vis_info(|info| of.cube.seen(info)))
        .compared(|of| of.vis_info(|info| of.cube.all_visible(info))),
        field("Sees", "sees_of_chunks", SEEN_CHUNKS, |of: &Self| {
            of.vis_info(|info| of.cube.seen_of_chunks(info))
        })
        .derived()
        .hidden(),
        field(
            "Base light",
            "base_light",
            ValueType::Integers(3),
            |of| match of.cube.cube() {
                Some(Cube::LightInfo(info)) => Value::color(info.base),
                _ => Value::absent(),
            },
        ),
        field("Light", "lights", LIGHTS, |of: &Self| {
            match of.cube.cube() {
                Some(Cube::LightInfo(info)) => of.cube.lights(info),
                _ => Value::absent(),
            }
        }),
        field("Attribute", "attributes", ATTRIBUTES, |of: &Self| {
            of.attributes()
        }),
        integer("Boxes", "box_count", |of: &Self| {
            of.cube.boxes().map(<[Corners]>::len).into()
        })
        .derived(),
        field("Box", "boxes", BOXES, |of: &Self| {
            of.boxes(of.cube.at.center()).into()
        })
        .shown(|of| {
            let boxes = of.boxes(of.cube.at.center()).into_iter().flatten();
            let boxes = boxes.enumerate();
            Value::list(boxes.flat_map(|(index, corners)| [index.into(), corners]))
        })
        .compared(|of| of.boxes(Vec3::ZERO).into()),
    ];

    const WRAPPERS: &'a [Field<Self>] = &[field("Cube", "wrappers", CUBES, |of: &Self| {
        of.of_place(|place| {
            let wrappers = place.wrappers(&of.cube.data.cubes);
            Value::list(wrappers.map(|(wrapper, _)| Value::object(of.cube.facts_of(wrapper))))
        })
    })
    .derived()
    .listed()
    .shown(|of| of.above(true))];

    const INSIDE: &'a [Field<Self>] =
        &[field("Cube", "ancestors", INTEGERS, |of: &Self| of.above(false)).derived()];

    const BYTES: &'a [Field<Self>] = &[field("Record", "bytes", RECORDS, |of: &Self| {
        of.cube.record_bytes()
    })
    .derived()
    .listed()
    .shown(|of| of.cube.record_lines())];

    /// Lists the boxes of a collider: their corners, offset by `center`, the position of the chunk's
    /// centre.
    fn boxes(&self, center: Vec3) -> Option<Vec<Value>> {
        let boxes = self.cube.boxes()?.iter().map(|corners| {
            let corners = CORNERS.iter().zip(corners);
            let place = |corner: &[f32; 3]| Value::from(Vec3::from(*corner) + center);
            Value::list(corners.map(|(name, corner)| place(corner).named(name)))
        });
        Some(boxes.collect())
    }

    /// Reads a value from the cube's place, or none if it has no place.
    fn of_place(&self, read: impl Fn(&Place) -> Value) -> Value {
        self.place.as_ref().map(read).into()
    }

    /// Reads a value of a visibility cube.
    fn vis_info(&self, read: impl Fn(&VisInfo) -> Value) -> Value {
        match self.cube.cube() {
            Some(Cube::VisInfo(info)) => read(info),
            _ => Value::absent(),
        }
    }

    /// Lists the attributes for pathfinding.
    fn attributes(&self) -> Value {
        let server = self.cube.data.server.as_ref();
        let Some((Cube::PathInfo(info), server)) = self.cube.cube().zip(server) else {
            return Value::absent();
        };
        let attributes = self.cube.data.cubes.attributes(info).iter();
        Value::list(attributes.map(|attribute| {
            let texts = [attribute.name, attribute.data];
            let [name, data] = texts.map(|string| whole(&server.strings, string));
            let text = format!("{name}: {data}");
            Value::object([Fact::new("Name", name), Fact::new("Value", data)]).shown_as(text)
        }))
    }

    fn cell(&self) -> Option<Aabb> {
        let center = self.cube.at.center();
        Some(self.place.as_ref()?.cell_in_world(center))
    }

    fn bounds(&self) -> Option<Aabb> {
        let (cubes, center) = (&self.cube.data.cubes, self.cube.at.center());
        Some(self.place.as_ref()?.bounds_in_world(cubes, center))
    }

    fn side_of_box(&self) -> Option<(usize, &'a Geometry)> {
        self.side.zip(self.geometry)
    }

    /// Reads a value of the side of a box.
    fn on_side(&self, read: impl Fn(usize, &Geometry) -> Value) -> Value {
        self.side_of_box()
            .map(|(side, geometry)| read(side, geometry))
            .into()
    }

    /// Reads a value of a box.
    fn of_box(&self, read: impl Fn(&Geometry) -> Value) -> Value {
        self.geometry.map(read).into()
    }

    /// Returns the entries that the file stores for the sides of a box: one for all, or one for each
    /// if the data is extended.
    fn used(
        &self,
        is_extended: impl Fn(&Geometry) -> bool,
        sides: impl Fn(&Geometry) -> &[u8; 6],
    ) -> &'a [u8] {
        match self.geometry {
            Some(geometry) if is_extended(geometry) => sides(geometry),
            Some(geometry) => &sides(geometry)[..1],
            None => &[],
        }
    }

    /// Reads a value of each side of a box, or a single one if all sides share it.
    fn sides(
        &self,
        is_extended: impl Fn(&Geometry) -> bool,
        read: impl Fn(usize, &Geometry) -> Value,
    ) -> Value {
        self.of_box(|geometry| {
            if !is_extended(geometry) {
                return read(0, geometry);
            }
            let sides = SIDES.into_iter().enumerate();
            Value::list(sides.map(|(side, name)| read(side, geometry).named(name)))
        })
    }

    /// Returns the moved corners by name, each with the value that `told` returns for its position
    /// in chunk space.
    fn moved_to(&self, geometry: &Geometry, told: impl Fn([f32; 3]) -> Value) -> Value {
        let moved = self.cube.data.cubes.moved_points(geometry);
        Value::object(
            moved.filter_map(|(corner, point)| Some(Fact::new(CORNERS.get(corner)?, told(point)))),
        )
    }

    /// Lists each moved corner with its original and its actual position, in world space.
    fn moved_points(&self, geometry: &Geometry) -> Value {
        let Some(place) = &self.place else {
            return Value::absent();
        };
        let (center, cell) = (self.cube.at.center(), place.cell.corners());
        let moved = self.cube.data.cubes.moved_points(geometry);
        Value::list(moved.filter_map(|(corner, point)| {
            let [before, after] = [*cell.get(corner)?, point];
            let [before, after] = [before, after].map(|p| xyz(Vec3::from(p) + center));
            Some(Value::from(format!("{before}  to  {after}")).named(CORNERS.get(corner)?))
        }))
    }

    /// Lists the ancestors of the cube from the root on, or only the wrappers among them.
    fn above(&self, only_wrappers: bool) -> Value {
        let above: Vec<u32> = self
            .place
            .iter()
            .flat_map(|place| &place.above)
            .filter(|(_, corner)| !only_wrappers || corner.is_none())
            .map(|(cube, _)| *cube)
            .collect();
        let lines = above.into_iter().map(|above| {
            Value::from(above)
                .named(self.cube.data.cubes.kind(above).map_or("", CubeKind::name))
                .link(self.cube.at.cube_item(above))
        });
        Value::list(lines).showing(MAX_ANCESTORS)
    }
}

/// Positions by the names of their corners.
pub(in crate::kinds::level) const BY_CORNER: ValueType = ValueType::ByName(&ValueType::Numbers(3));
/// Min and max corner of a box.
pub(in crate::kinds::level) const MIN_AND_MAX: ValueType = ValueType::List(&ValueType::Numbers(3));
/// Boxes with eight corners each.
const BOXES: ValueType = ValueType::List(&ValueType::List(&ValueType::Numbers(3)));
/// Cubes of the same chunk.
const CUBES: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("type", ValueType::Text),
]));
/// Cubes with the corner of their parent that they fill.
const CHILDREN: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("type", ValueType::Text),
    ("corner", ValueType::Integer),
]));
/// Vertices in world space.
const VERTEX_LIST: ValueType = ValueType::List(&ValueType::Object(&[
    ("index", ValueType::Integer),
    ("position", ValueType::Numbers(3)),
    ("uv", ValueType::Numbers(2)),
    ("lightmap_uv", ValueType::Numbers(2)),
    ("normal", ValueType::Numbers(3)),
]));
/// Visible cubes of other chunks.
const SEEN_CHUNKS: ValueType = ValueType::List(&ValueType::Object(&[
    ("chunk", ValueType::Integers(3)),
    ("cubes", INTEGERS),
]));
/// Lights of the chunk, each with its share from 0 to 255.
const LIGHTS: ValueType = ValueType::List(&ValueType::Object(&[
    ("kind", ValueType::Text),
    ("number", ValueType::Integer),
    ("index", ValueType::Integer),
    ("multiplier", ValueType::Integer),
]));
/// Attributes for pathfinding.
const ATTRIBUTES: ValueType = ValueType::List(&ValueType::Object(&[
    ("name", ValueType::Text),
    ("value", ValueType::Text),
]));
/// Records by section.
const RECORDS: ValueType = ValueType::ByName(&ValueType::Object(&[
    ("offset", ValueType::Integer),
    ("hex", ValueType::Bytes),
]));

/// Describes whether a record of a box is extended.
fn extent(is_extended: bool) -> Value {
    Value::from(is_extended).shown_as(if is_extended { "extended" } else { "basic" })
}

/// Shows the numbers of triangles of the sides that have some.
fn triangles(geometry: &Geometry) -> Value {
    let sides = SIDES.iter().zip(geometry.triangles);
    let counts = sides.filter(|(_, count)| *count > 0);
    let texts = counts.map(|(side, count)| format!("{side} {count}"));
    Value::from(geometry.triangles).shown_as(texts.collect::<Vec<_>>().join("  "))
}

/// Names the sides that are not drawn.
fn undrawn(bits: u8) -> Value {
    let sides = SIDES.into_iter().enumerate();
    let bad = sides.filter(|(side, _)| bits >> side & 1 == 1);
    let bad: Vec<&str> = bad.map(|(_, name)| name).collect();
    Value::from(bits).shown_as(format!("{}: see the problems", bad.join(", ")))
}

/// Lists the min and the max corner.
fn corners(aabb: Option<Aabb>) -> Value {
    aabb.map(|aabb| Value::list([aabb.min, aabb.max])).into()
}

impl Map {
    /// Returns the bounds of an item in world space, or `None` if it has no position.
    pub(in crate::kinds::level) fn bounds_of(&self, item: LevelItem) -> Option<Aabb> {
        match item {
            LevelItem::Map => self.levels.first().map(|level| level.bounds),
            LevelItem::Level { level } => Some(self.levels.get(level as usize)?.bounds),
            LevelItem::Chunk { .. } => Some(self.chunk_of(item)?.bounds()),
            LevelItem::Lightmap { .. } => {
                let lit = self.lit_faces(item, |mesh, _, face, _| {
                    Aabb::around(mesh.triangles(face).flatten())
                });
                Aabb::around_all(lit).or_else(|| Some(self.chunk_of(item)?.bounds()))
            }
            LevelItem::Material { level, index } => {
                let uses = self.levels.get(level as usize)?.uses();
                uses.get(index as usize)?.bounds
            }
            LevelItem::Entity { .. } => self.entity_bounds(item),
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                Aabb::around_all(self.lit_boxes(item))
            }
            LevelItem::Weather { .. }
            | LevelItem::Gravity { .. }
            | LevelItem::SoundEnvironment { .. }
            | LevelItem::Sky { .. } => self.environment_bounds(item),
            LevelItem::Region { .. } => self.region_at(item)?.bounds(),
            LevelItem::ServerRegion { .. } => Some(self.server_region_at(item)?.bounds()),
            _ => {
                let (cube, _) = self.cube_at(item)?;
                let center = cube.at.center();
                match cube.place() {
                    Some(place) => Some(place.bounds_in_world(&cube.data.cubes, center)),
                    None => Aabb::around(self.face_outlines(&cube).into_iter().flatten()),
                }
            }
        }
    }

    /// Returns an outline of an item in world space: the edges of a box with its moved corners, of
    /// a hull, or of faces.
    pub(in crate::kinds::level) fn contour_of(&self, item: LevelItem) -> Vec<[Vec3; 2]> {
        let corners = match item {
            LevelItem::Chunk { .. } | LevelItem::ServerRegion { .. } => {
                self.bounds_of(item).map(|aabb| aabb.corners())
            }
            LevelItem::Region { .. } => self.region_at(item).map(|region| region.corners()),
            LevelItem::Entity { .. } => return self.entity_contour(item),
            LevelItem::Lightmap { .. } => {
                let rims = self.lit_faces(item, |mesh, _, face, _| Some(mesh.outer_edges(face)));
                return rims.into_iter().flatten().collect();
            }
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                let boxes = self.lit_boxes(item).into_iter();
                return boxes.flat_map(|aabb| box_edges(&aabb.corners())).collect();
            }
            _ => {
                let cube = self.cube_at(item).map(|(cube, _)| cube);
                let corners = cube.and_then(|cube| cube.corners_in_world());
                if corners.is_none()
                    && let Some(cube) = cube
                {
                    return self.face_outlines(&cube);
                }
                corners
            }
        };
        let edges = corners.iter().flat_map(box_edges);
        edges
            .filter(|ends| ends.iter().all(|end| end.is_finite()))
            .collect()
    }

    /// Returns the edges of a cube's faces, in world space. They are the only position of a cube
    /// that is not reached from the root.
    fn face_outlines(&self, cube: &CubeAt<'_>) -> Vec<[Vec3; 2]> {
        let level = self.levels.get(cube.at.level_number);
        let Some(mesh) = level.and_then(|level| level.mesh(cube.at.number)) else {
            return Vec::new();
        };
        let faces = mesh.faces.iter().filter(|face| face.cube == cube.cube);
        faces.flat_map(|face| mesh.outer_edges(face)).collect()
    }

    /// Returns the material of a side of a cube, or of its first side.
    pub(in crate::kinds::level) fn material_of(&self, item: LevelItem) -> Option<LevelItem> {
        let (cube, side) = self.cube_at(item)?;
        cube.material_item(cube.geometry()?, side.unwrap_or(0))
    }
}

impl ChunkAt<'_> {
    pub(in crate::kinds::level) fn center(&self) -> Vec3 {
        self.level.chunk_center(self.chunk.index).into()
    }

    pub(in crate::kinds::level) fn bounds(&self) -> Aabb {
        Aabb::centered(self.center(), Vec3::splat(self.half()))
    }

    /// Half the length of its edges, in metres.
    pub(in crate::kinds::level) fn half(&self) -> f32 {
        self.level.chunk_side() * 0.5
    }
}

impl<'a> CubeAt<'a> {
    pub(in crate::kinds::level) fn place(&self) -> Option<Place> {
        Place::find(&self.data.cubes, self.cube, self.at.half())
    }

    fn cube(&self) -> Option<Cube<'a>> {
        self.data.cubes.get(self.cube)
    }

    fn kind(&self) -> Option<CubeKind> {
        self.data.cubes.kind(self.cube)
    }

    pub(in crate::kinds::level) fn kind_name(&self) -> &'static str {
        self.kind().map_or("", CubeKind::name)
    }

    pub(in crate::kinds::level) fn geometry(&self) -> Option<&'a Geometry> {
        match self.cube()? {
            Cube::Geometry(geometry) => Some(geometry),
            _ => None,
        }
    }

    /// Returns the boxes of a collider.
    fn boxes(&self) -> Option<&'a [Corners]> {
        match self.cube()? {
            Cube::Collider(collider) => Some(self.data.cubes.boxes(collider)),
            _ => None,
        }
    }

    fn corners_in_world(&self) -> Option<[Vec3; 8]> {
        let place = self.place()?;
        let corners = match self.geometry() {
            Some(geometry) => self.data.cubes.corners(geometry, &place.cell),
            None => place.cell.corners(),
        };
        Some(corners.map(|corner| Vec3::from(corner) + self.at.center()))
    }

    /// Returns the type and the index of a cube of its chunk.
    fn facts_of(&self, cube: u32) -> [Fact; 2] {
        let kind = self.data.cubes.kind(cube).map(CubeKind::name);
        [
            Fact::new("Index", cube),
            Fact::new("Type", kind.map(Value::name)),
        ]
    }

    /// Returns the name of a material of the chunk.
    fn material_name(&self, used: Option<&u8>) -> Value {
        name_at(&self.data.strings, &self.data.materials, used)
    }

    /// Describes the material of a side by its name in the chunk.
    fn material(&self, geometry: &Geometry, side: usize) -> Value {
        let used = geometry.materials.get(side);
        let data = self.data;
        let item = self.material_item(geometry, side);
        let value = named(&data.strings, &data.materials, used).link_if(item);
        match item {
            Some(LevelItem::Material { index, .. }) => value.naming("material", index as usize, ""),
            _ => value,
        }
    }

    fn material_item(&self, geometry: &Geometry, side: usize) -> Option<LevelItem> {
        let used = geometry.materials.get(side).copied().unwrap_or(0);
        let name = *self.data.materials.get(usize::from(used))?;
        let index = self.at.level_material(name)?;
        Some(LevelItem::material(self.at.level_number, index))
    }

    /// Returns the name of a physics material of the chunk.
    fn physics_name(&self, used: Option<&u8>) -> Value {
        name_at(&self.data.strings, &self.data.physics_materials, used)
    }

    /// Column and row of the luxel at a place on a side, and its colour in the file, without
    /// switchable lights. `None` if the place is not on the side.
    fn luxel_at(&self, at: Vec3, side: usize, lightmap: usize) -> Option<([u32; 2], [u8; 3])> {
        let level = self.at.map.levels.get(self.at.level_number)?;
        let (mesh, slot) = (
            level.mesh(self.at.number)?,
            level.atlas.slots(self.at.number).get(lightmap)?,
        );
        let page = level.atlas.pages.get(usize::from(slot.page))?;
        let is_it = |face: &&MeshFace| face.cube == self.cube && usize::from(face.side) == side;
        let face = mesh.faces.iter().find(is_it)?;
        let (triangles, _) = mesh.indices.get(face.indices())?.as_chunks::<3>();
        let uv = triangles.iter().find_map(|triangle| {
            let vertices = triangle.map(|vertex| mesh.vertices.get(vertex as usize));
            let [Some(a), Some(b), Some(c)] = vertices else {
                return None;
            };
            let weights = weights(at, [a, b, c].map(|vertex| vertex.position.into()))?;
            let uv = [a, b, c].map(|vertex| Vec2::from(vertex.lightmap_uv.map(f32::from)));
            Some(uv[0] * weights.x + uv[1] * weights.y + uv[2] * weights.z)
        })?;
        let lightmap = self.at.lightmaps().get(lightmap)?;
        let side = lightmap.side();
        let axis = |axis: usize, corner: u16| {
            let on_page = uv[axis] / f32::from(u16::MAX) * page[axis] as f32 - f32::from(corner);
            let luxel = on_page * side as f32 / f32::from(slot.side.max(1));
            (luxel.max(0.0) as u32).min(side.saturating_sub(1))
        };
        let [x, y] = [axis(0, slot.x), axis(1, slot.y)];
        let first = (y as usize * side as usize + x as usize) * 3;
        let color = lightmap.luxels.get(first..first + 3)?;
        Some(([x, y], color.try_into().ok()?))
    }

    /// Describes the physics material of a side, with a link to that of the level.
    fn physics(&self, geometry: &Geometry, side: usize) -> Value {
        let used = geometry.physics.get(side);
        let data = self.data;
        match used.and_then(|used| data.physics_materials.get(usize::from(*used))) {
            Some(name) => {
                let physics = self.at.level.common.physics_by_name();
                let found = data.strings.name(*name).and_then(|name| physics.get(name));
                let level = self.at.level_number;
                let item = found.map(|index| LevelItem::physics_material(level, *index));
                Value::from(data.strings.told(*name)).link_if(item)
            }
            None => nothing_at(used, data.physics_materials.len()),
        }
    }

    fn lightmap(&self, geometry: &Geometry, side: usize) -> Value {
        let used = geometry.lightmaps.get(side);
        let used = used.filter(|index| **index != NO_LIGHTMAP);
        let count = self.at.lightmaps().len();
        match used.map(|index| usize::from(*index)) {
            Some(index) if index < count => Value::from(index).link(self.at.lightmap_item(index)),
            _ => nothing_at(used, count),
        }
    }

    /// Lists the vertices of a side with their texture and lightmap coordinates.
    fn vertices_of(&self, geometry: &Geometry, side: usize) -> Value {
        let center = self.at.center();
        let face = geometry.faces().find(|face| face.side == side);
        let Some((face, client)) = face.zip(self.data.client.as_ref()) else {
            return Value::absent();
        };
        let pair = |[u, v]: [f32; 2]| format!("{} {}", short(u), short(v));
        let first_normal = face.first_normal;
        let vertices = face.vertices.enumerate().filter_map(|(i, index)| {
            let vertex = client.vertices.get(index as usize)?;
            let place = Vec3::from(vertex.position) + center;
            let normal = first_normal.and_then(|first| client.normals.get(first as usize + i));
            let [uv, lightmap_uv] = [vertex.uv, vertex.lightmap_uv].map(pair);
            let text = format!(
                "{index}: {}  texture {uv}  lightmap {lightmap_uv}",
                xyz(place)
            );
            let facts = [
                Fact::new("Index", index),
                Fact::new("Position", place),
                Fact::new("UV", vertex.uv),
                Fact::new("Lightmap UV", vertex.lightmap_uv),
                Fact::new("Normal", normal.copied()),
            ];
            Some(Value::object(facts).shown_as(match normal {
                Some(normal) => format!("{text}  normal {}", xyz(*normal)),
                None => text,
            }))
        });
        Value::list(vertices).showing(MAX_VERTICES)
    }

    /// Lists the cubes that a visibility cube sees: those of its own chunk, then those of others.
    fn seen(&self, info: &VisInfo) -> Value {
        let at = &self.at;
        let cubes = &self.data.cubes;
        let line = |chunk: Option<usize>, index: u32, prefix: &str| {
            let item = chunk.map(|chunk| LevelItem::cube(at.level_number, chunk, index));
            let found = item.and_then(|item| at.map.cube_at(item));
            let kind = found.map_or("not there", |(found, _)| found.kind_name());
            let item = item.filter(|_| found.is_some());
            let text = format!("{prefix}{index} ({kind})");
            Value::from(text).named("Sees cube").link_if(item)
        };
        let own = cubes.visible_cubes(info);
        let count = counted(own.len(), "other cube");
        let of_chunk = own.iter().map(|index| line(Some(at.number), *index, ""));
        let mut lines = vec![
            Value::from(format!("{count} of this chunk")),
            Value::list(of_chunk).showing(MAX_LISTED).named("Sees cube"),
        ];
        let mut cubes_left = MAX_SEEN;
        let chunks = cubes.visible_chunks(info).iter().map(|seen| {
            let number = at.level.chunk_number(seen.chunk);
            let list = cubes.visible_chunk_cubes(seen);
            let what = match list.len() {
                0 => "all of it".to_owned(),
                count => counted(count, "cube"),
            };
            let item = number.map(|number| LevelItem::chunk(at.level_number, number));
            let of_chunk = Value::from(format!("chunk {}: {what}", seen.chunk)).link_if(item);
            let shown = list.len().min(cubes_left);
            cubes_left -= shown;
            let prefix = format!("{} ", seen.chunk);
            let shown_cubes = list
                .iter()
                .take(shown)
                .map(|index| line(number, *index, &prefix));
            let more = list.len() - shown;
            let more = (more > 0).then(|| format!("{prefix}and {more} more"));
            let more = more.map(|more| Value::from(more).named("Sees cube"));
            Value::list([of_chunk].into_iter().chain(shown_cubes).chain(more))
        });
        lines.push(Value::list(chunks).showing(MAX_SEEN));
        lines.into()
    }

    /// Lists the cubes of other chunks that a visibility cube sees. No cubes of a chunk stand for all
    /// of it.
    fn seen_of_chunks(&self, info: &VisInfo) -> Value {
        let cubes = &self.data.cubes;
        Value::list(cubes.visible_chunks(info).iter().map(|seen| {
            let list = cubes.visible_chunk_cubes(seen);
            Value::object([
                Fact::new("Chunk", seen.chunk.yxz()),
                Fact::new("Cubes", Value::integers(list.iter().copied())),
            ])
        }))
    }

    /// Describes everything that a visibility cube sees, by the numbers in the file.
    fn all_visible(&self, info: &VisInfo) -> Value {
        let cubes = &self.data.cubes;
        let numbers = |list: &[u32]| {
            let numbers = list.iter().map(u32::to_string);
            numbers.collect::<Vec<_>>().join(" ")
        };
        let of_chunk = long_text(numbers(cubes.visible_cubes(info)));
        let others = cubes.visible_chunks(info).iter().map(|seen| {
            let list = match cubes.visible_chunk_cubes(seen) {
                [] => "all of it".to_owned(),
                list => numbers(list),
            };
            format!("{}: {}", seen.chunk, long_text(list))
        });
        Value::object([
            Fact::new("Sees cubes", of_chunk),
            Fact::new("Sees of chunk", Value::list(others)).keyed("sees_of_chunks"),
        ])
    }

    /// Lists the lights of the chunk that reach a cube.
    fn lights(&self, info: &LightInfo) -> Value {
        let cubes = &self.data.cubes;
        let of_kinds = [
            (LightKind::Dynamic, "dynamic", cubes.dynamic_lights(info)),
            (LightKind::Fast, "fast", cubes.fast_lights(info)),
        ];
        Value::list(
            of_kinds
                .into_iter()
                .flat_map(|(kind, kind_name, references)| {
                    let lights = kind.lights(self.data);
                    references.iter().map(move |reference| {
                        let LightReference {
                            light: index,
                            multiplier,
                        } = *reference;
                        let light = lights.get(usize::from(index));
                        let light = light.map(|light| light.item(self.at.level_number));
                        let number = light.and_then(LightKind::of_item).map(|(.., id)| id);
                        let facts = [
                            Fact::new("Kind", Value::name(kind_name)),
                            Fact::new("Number", number),
                            Fact::new("Index", index),
                            Fact::new("Multiplier", multiplier),
                        ];
                        let name = light.map_or_else(
                            || "no such light of the chunk".to_owned(),
                            |light| self.at.map.light_name(light),
                        );
                        let text = format!("{name}, index {index}, times {multiplier} of 255");
                        Value::object(facts).shown_as(text).link_if(light)
                    })
                }),
        )
    }

    /// Lists the child cubes, each with its octant.
    fn inside(&self) -> Value {
        let cubes = &self.data.cubes;
        Value::list(cubes.inside(self.cube).map(|(corner, child)| {
            let kind = cubes.kind(child);
            let name = kind.map_or("not there", CubeKind::name);
            let octant = corner.and_then(|corner| CORNERS.get(corner));
            let octant = octant.map_or_else(String::new, |octant| format!("{octant}: "));
            let item = kind.map(|_| self.at.cube_item(child));
            Value::from(format!("{octant}{child} ({name})")).link_if(item)
        }))
    }

    /// Returns the ranges of its records in the decoded sections that have one.
    fn records(&self) -> impl Iterator<Item = (Side, Range<u32>)> {
        let cubes = &self.data.cubes;
        let records = Side::ALL.into_iter();
        records.filter_map(|side| Some((side, cubes.record(side, self.cube)?)))
    }

    /// Lists its records: offset in the decoded section, and bytes.
    fn record_lines(&self) -> Value {
        Value::list(self.records().map(|(side, record)| {
            let name = SECTION_NAMES
                .get(side as usize)
                .copied()
                .unwrap_or_default();
            let bytes = counted(record.len(), "byte");
            let mut text = format!("at {:#x} of the decoded section, {bytes}", record.start);
            // The extra byte marks the list as truncated.
            let end = record.start.saturating_add(MAX_BYTES as u32 + 1);
            let shown = record.start..record.end.min(end);
            if let Some(bytes) = self.at.map.section_bytes(&self.at, side, &shown) {
                text = format!("{text}: {}", hex(&bytes, MAX_BYTES));
            }
            Value::from(text).named(name)
        }))
    }

    /// Returns its record in each section: the offset in the decoded section, and the bytes.
    fn record_bytes(&self) -> Value {
        Value::object(self.records().filter_map(|(side, record)| {
            let record = Some(record).filter(|record| !record.is_empty())?;
            let bytes = self.at.map.section_bytes(&self.at, side, &record)?;
            let facts = [
                Fact::new("Offset", record.start),
                Fact::new("Hex", Value::bytes(bytes)),
            ];
            Some(Fact::new("Record", Value::object(facts)).keyed(side.to_string()))
        }))
    }
}

/// Names of the corners, in their order.
pub(in crate::kinds::level) const CORNERS: [&str; 8] = [
    "+X +Y +Z", "-X +Y +Z", "+X +Y -Z", "-X +Y -Z", "+X -Y +Z", "-X -Y +Z", "+X -Y -Z", "-X -Y -Z",
];

/// Returns a whole string of any length, or its offset if it is not in the table.
pub(in crate::kinds::level) fn whole(strings: &StringTable, string: StringRef) -> Cow<'_, str> {
    if strings.has(string.0) {
        strings.get(string)
    } else {
        strings.told(string)
    }
}

/// Returns the name at an index of a list.
fn name_at(strings: &StringTable, names: &[StringRef], index: Option<&u8>) -> Value {
    let name = index.and_then(|index| names.get(usize::from(*index)));
    name.map(|name| strings.brief(*name)).into()
}

/// Returns the whole name at an index of a list, or the index if there is none.
fn named(strings: &StringTable, names: &[StringRef], index: Option<&u8>) -> Value {
    match index.and_then(|index| names.get(usize::from(*index))) {
        Some(name) => whole(strings, *name).into(),
        None => nothing_at(index, names.len()),
    }
}

/// Describes an index outside its list. Index 0 of an empty list means that nothing is referenced.
fn nothing_at(index: Option<&u8>, count: usize) -> Value {
    match (index, count) {
        (None, _) | (Some(0), 0) => Value::none("none"),
        (Some(index), _) => Value::from(*index).shown_as(format!("{index} (there is none)")),
    }
}

/// Formats the corners that lead from the root to a cube by their numbers and signs, such as
/// `4 +X -Y +Z`. Wrappers, which do not subdivide the cell, are left out.
fn path(place: &Place) -> String {
    let corners = place
        .above
        .iter()
        .filter_map(|(_, corner)| *corner)
        .map(|corner| {
            let signs = CORNERS.get(corner).copied().unwrap_or_default();
            format!("{corner} {signs}")
        });
    let path: Vec<String> = corners.collect();
    if path.is_empty() {
        "the root".to_owned()
    } else {
        path.join(" / ")
    }
}

/// Formats a box for display.
fn between(aabb: Aabb) -> String {
    let size = (aabb.max - aabb.min).to_array().map(short).join(" x ");
    format!("{}  to  {}  ({size} m)", xyz(aabb.min), xyz(aabb.max))
}

/// Barycentric weights of a point in a triangle; `None` outside it.
fn weights(at: Vec3, [a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    /// Rounding of positions, as a fraction of the triangle.
    const SLACK: f32 = 1e-3;
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let part = |from: Vec3, to: Vec3| (to - from).cross(at - from).dot(normal) / area;
    let weights = Vec3::new(part(b, c), part(c, a), part(a, b));
    // NaN for a degenerate triangle.
    weights.cmpge(Vec3::splat(-SLACK)).all().then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document as _;
    use crate::kinds::level::sample::{self, properties};
    use mapscope_formats::pmf::{self, CubeKind};

    #[test]
    fn the_luxel_under_the_pointer_has_the_coordinates_and_the_colour_of_the_file() {
        let map = sample::made_up();
        let level = &map.levels[0];
        let mut seen = std::collections::BTreeSet::new();
        for (number, chunk) in map.pmf.levels[0].chunks.iter().enumerate() {
            let (Some(mesh), Some(data)) = (level.mesh(number), &chunk.data) else {
                continue;
            };
            let client = data.client.as_ref().unwrap();
            for face in &mesh.faces {
                let item = LevelItem::face(0, mesh.chunk, face.cube, face.side);
                let mut record = map.cube_record(item).unwrap();
                let corners = &mesh.indices[face.indices()][..3];
                // A place off the middle, so that columns and rows differ.
                let mix = |of: [Vec3; 3]| of[0] * 0.2 + of[1] * 0.3 + of[2] * 0.5;
                let at = mix(std::array::from_fn(|i| {
                    mesh.vertices[corners[i] as usize].position.into()
                }));
                let uv = mix(std::array::from_fn(|i| {
                    let vertex = face.file_vertex + corners[i] - face.first_vertex;
                    Vec2::from(client.vertices[vertex as usize].lightmap_uv).extend(0.0)
                }));
                let geometry = record.geometry.unwrap();
                let index = *geometry.lightmaps.get(usize::from(face.side)).unwrap();
                let Some(lightmap) = client.lightmaps.get(usize::from(index)) else {
                    continue;
                };
                let side = lightmap.side();
                let luxel = [uv.x, uv.y].map(|uv| (uv * side as f32) as u32);
                // Next to another luxel, rounding decides.
                let is_clear = [uv.x, uv.y].into_iter().all(|uv| {
                    let part = (uv * side as f32).fract();
                    (0.02..0.98).contains(&part) && (0.0..1.0).contains(&uv)
                });
                if !is_clear {
                    continue;
                }
                let [x, y] = luxel;
                let first = (y * side + x) as usize * 3;
                let [r, g, b] = lightmap.luxels[first..first + 3].try_into().unwrap();
                let (r, g, b): (u8, u8, u8) = (r, g, b);
                record.pointer = Some(at);
                let summary = CubeRecord::FIELDS.summary(&record);
                let part = summary.iter().find(|part| part.name == "Luxel").unwrap();
                assert_eq!(part.value, format!("{x}, {y}: {r} {g} {b}"), "{item:?}");
                seen.insert(luxel);
                // Off the face.
                record.pointer = Some(at + Vec3::splat(9.0));
                let summary = CubeRecord::FIELDS.summary(&record);
                let part = summary.iter().find(|part| part.name == "Luxel");
                assert!(part.is_none_or(|part| !part.value.contains(':')));
            }
        }
        assert!(
            seen.len() > 3 && seen.iter().any(|[x, y]| x != y),
            "{seen:?}"
        );
    }

    #[test]
    fn items_lead_to_their_cubes_and_back() {
        let map = sample::made_up();
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            for cube in 0..source.data.as_ref().unwrap().cubes.len() as u32 {
                let item = LevelItem::cube(0, chunk, cube);
                let (found, side) = map.cube_at(item).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, None));
                let face = LevelItem::face(0, chunk, cube, 4);
                let (found, side) = map.cube_at(face).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, Some(4)));
            }
            let count = source.data.as_ref().unwrap().cubes.len() as u32;
            for beyond in [count, u32::MAX] {
                let item = LevelItem::cube(0, chunk, beyond);
                assert!(map.cube_at(item).is_none());
                assert!(properties(&map, item).is_empty());
            }
        }
    }

    #[test]
    fn bytes_of_cubes_are_those_of_the_file() {
        let made = mapscope_testdata::synthesize::pmf([1, 2, 1], 2, 7);
        let bytes = pmf::write(&made, pmf::Packing::Compressed).unwrap();
        let map = sample::file(&bytes);
        let mut shown = 0;
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            let data = source.data.as_ref().unwrap();
            for (cube, kind) in data.cubes.iter() {
                let groups = properties(&map, LevelItem::cube(0, chunk, cube));
                let group = groups.iter().find(|group| group.title == "Bytes").unwrap();
                let common = &group.properties[0].value;
                let (_, hex) = common.split_once(": ").unwrap();
                // The first byte contains the type and its flags.
                let head = u8::from_str_radix(&hex[..2], 16).unwrap();
                assert_eq!(CubeKind::of(head), data.cubes.kind(cube));
                let [y, x, z] = source.index.yxz();
                let query = crate::InfoQuery {
                    cube: Some([0, y, x, z, cube]),
                    ..Default::default()
                };
                let info = map.info(&query);
                let record = &info["cube"]["bytes"]["common"];
                let at = data.cubes.record(Side::Common, cube).unwrap().start;
                assert_eq!(*record, serde_json::json!({"offset": at, "hex": hex}));
                if let Cube::Geometry(geometry) = kind
                    && !geometry.is_client_extended()
                {
                    let client = &group.properties[1].value;
                    let (_, hex) = client.split_once(": ").unwrap();
                    assert_eq!(hex[..2], format!("{:02x}", geometry.lightmaps[0]));
                    shown += 1;
                }
            }
        }
        assert!(shown > 10, "{shown}");
    }

    #[test]
    fn everything_about_a_geometryis_said() {
        let map = sample::made_up();
        let data = map.pmf().levels[0].chunks[1].data.as_ref().unwrap();
        let moved = data.cubes.iter().find_map(|(index, cube)| match cube {
            Cube::Geometry(geometry) if geometry.moved != 0 => Some((index, geometry)),
            _ => None,
        });
        let (cube, geometry) = moved.unwrap();
        let side = geometry.faces().next().map_or(1, |face| face.side);
        let face = LevelItem::face(0, 1, cube, side as u8);
        let summary = sample::summary(&map, face);
        let said: Vec<_> = summary.iter().map(|part| part.name).collect();
        assert_eq!(
            said,
            [
                "Chunk", "Cube", "Type", "Depth", "Side", "Material", "Lightmap"
            ]
        );
        assert_eq!(summary[0].value, "(0, 1, 0)");
        assert_eq!(summary[4].value, SIDES[side]);
        // The parts keep their place while the pointer moves.
        assert!(
            summary
                .iter()
                .take(4)
                .all(|part| part.width >= part.value.len())
        );
        let groups = properties(&map, face);
        let find = |title: &str| groups.iter().find(|group| group.title == title).unwrap();
        let points = find("Moved points").properties.len() as u32;
        assert_eq!(points, geometry.moved.count_ones());
        let materials = &find("Materials").properties;
        assert!(materials.iter().all(|material| material.link.is_some()));
        // The path has a corner for each parent.
        let cube_properties = &find("Cube").properties;
        let value = |name: &str| {
            let property = cube_properties.iter().find(|p| p.name == name);
            property.unwrap().value.clone()
        };
        let depth: usize = value("Depth").parse().unwrap();
        assert_eq!(value("Path").split(" / ").count(), depth);
        let inside = find("Inside").properties.first().unwrap().link.unwrap();
        assert_eq!(inside, LevelItem::cube(0, 1, 0).into());
        let details =
            (&map as &dyn crate::Document).details(face.into(), crate::Playhead::default());
        assert_eq!(details["cube"]["depth"], depth);
        assert_eq!(details["cube"]["chunk"], serde_json::json!([0, 1, 0]));
        let list = |group: &str, key: &str| details[group][key].as_array().unwrap().len();
        assert_eq!(list("cube", "parents"), depth);
        let sides = if geometry.is_common_extended() { 6 } else { 1 };
        assert_eq!(list("materials", "materials"), sides);
        assert_eq!(list("physics_materials", "physics_materials"), sides);
        let corners = details["moved_points"]["corners"].as_object().unwrap();
        assert_eq!(corners.len() as u32, points);
        assert_eq!(details["side"]["side"], SIDES[side].to_lowercase());
        let names = &details["materials"]["materials"];
        assert_eq!(details["side"]["material"], names[side % sides]);
        // The outline passes through the moved points.
        let outline = map.contour_of(face);
        assert_eq!(outline.len(), 12);
        let (_, point) = data.cubes.moved_points(geometry).next().unwrap();
        let (found, _) = map.cube_at(face).unwrap();
        let point = Vec3::from(point) + found.at.center();
        assert!(outline.iter().flatten().any(|end| *end == point));
        let empty = data.cubes.iter().find(|(_, cube)| *cube == Cube::Empty);
        let empty = LevelItem::cube(0, 1, empty.unwrap().0);
        let said = sample::summary(&map, empty);
        assert_eq!((said[2].name, said[2].value.as_str()), ("Type", "empty"));
        assert_eq!(CubeKind::Empty.name(), "empty");
    }
}
