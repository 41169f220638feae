//! Builds the map in the structures of the format.

use glam::{IVec3, Vec2, Vec3};
use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pmf::{
    Chunk, ChunkClient, ChunkData, ChunkIndex, ChunkServer, ClientDynamicLight, ClientFastLight,
    ClientMaterial, Corners, Cubes, DynamicLight, EnvironmentRegion, Extension, FastLight, Frame,
    Geometry, Gravity, Header, Level, LevelClient, LevelCommon, LevelServer, LightLayer,
    LightReference, Lightmap, Material, NO_LIGHTMAP, PathAttribute, PhysicsMaterial, Pmf,
    ServerRegion, Sky, SoundEnvironment, SoundMaterial, StringRef, StringTableBuilder, Vertex,
    Weather, WriteError,
};
use mapscope_formats::ptf::Texture;

use super::charts::{self, Charts, frame};
use super::entities::{self, Of};
use super::grid::{Corner, Form, Grid, RoundThing, mark_of, place_of};
use super::inside::{SIGHT_DEPTH, Wrap};
use super::light::{self, Lights, Scene, tone};
use super::materials::{LOOKS, Look, SKY, WAVE};
use super::plan::{self, Point};
use super::textures;
use super::tree::{Face, Node, Outline, Tree, chunk_center};

/// Time of the last change of the level, in seconds of Unix time.
const CREATED_UNIX_SECS: u64 = 1_795_000_000;
/// Exponent of the chunk size: chunks have an edge of 2^`CHUNK_EXPONENT` metres.
const CHUNK_EXPONENT: u8 = 4;
/// Minimum light in the layers of lamps; fainter light is omitted.
const FAINTEST: u8 = 8;
/// Step to which light is quantised: filtering hides it, and it halves the compressed size.
const STEP: f32 = 5.0;
/// Quantisation step of the layers of lamps.
const LAYER_STEP: f32 = 10.0;

/// Physics materials: name, `true` if permeable, then friction or speed, traction and bounce.
const PHYSICS: [(&str, bool, [f32; 3]); 7] = [
    ("air", true, [50.0, 0.0, 0.0]),
    ("stone", false, [0.8, 1.0, 0.1]),
    ("wet stone", false, [0.35, 0.6, 0.1]),
    ("wood", false, [0.7, 0.9, 0.15]),
    ("soft", false, [0.9, 1.0, 0.0]),
    ("glass", false, [0.3, 0.5, 0.2]),
    ("water", true, [3.0, 0.0, 0.0]),
];
/// The permeable material without any effect.
const LIGHT: &str = "light";

/// Sound materials: name, and damping of volume and of high frequencies.
const SOUNDS: [(&str, [f32; 2]); 3] = [
    ("hard", [0.1, 0.05]),
    ("soft", [0.6, 0.5]),
    ("wet", [0.3, 0.7]),
];

/// Winds: name, velocity and randomness.
const WEATHERS: [(&str, Point, f32); 2] = [
    ("evening breeze", [0.8, 0.0, 0.4], 0.3),
    ("still air", [0.0, 0.0, 0.0], 0.0),
];
const GRAVITIES: [(&str, Point); 2] = [("earth", [0.0, -9.81, 0.0]), ("afloat", [0.0, -1.2, 0.0])];
/// Acoustics of rooms: low pass, high pass, delay, feedback, mix, low pass and high pass of the
/// reverb.
const ECHOES: [(&str, [f32; 7]); 3] = [
    ("outdoors", [20_000.0, 20.0, 0.0, 0.0, 0.0, 20_000.0, 20.0]),
    (
        "bath hall",
        [18_000.0, 30.0, 0.09, 0.55, 0.35, 7_000.0, 80.0],
    ),
    ("under water", [900.0, 20.0, 0.02, 0.3, 0.5, 600.0, 20.0]),
];
const EVENING_SKY: &str = "evening";
const DUSK_SKY: &str = "the same evening from the garden";

/// A part of the level with its own environment: its box and the environment.
struct Region {
    from: Point,
    to: Point,
    name: &'static str,
}

const WEATHER_REGIONS: [Region; 1] = [Region {
    from: [-7.0, -4.0, -7.0],
    to: [17.0, 4.0, 7.0],
    name: "still air",
}];
const GRAVITY_REGIONS: [Region; 1] = [Region {
    from: [5.0, -6.0, -3.0],
    to: [14.0, -4.5, 3.0],
    name: "afloat",
}];
const SOUND_REGIONS: [Region; 2] = [
    Region {
        from: [-7.0, -4.0, -7.0],
        to: [17.0, 4.0, 7.0],
        name: "bath hall",
    },
    Region {
        from: [5.0, -6.0, -3.0],
        to: [14.0, -4.5, 3.0],
        name: "under water",
    },
];
const SKY_REGIONS: [Region; 1] = [Region {
    from: [18.0, -4.0, -8.0],
    to: [24.0, 8.0, 8.0],
    name: DUSK_SKY,
}];

/// A text file beside the textures.
const NOTES: &str = "The bath house\n\
\n\
A level of Mapscope, made by `make-assets level` from the plan of crates/testdata.\n\
Lights 1 to 4 have lightmaps of their own, lights 10 and 11 colour vertices.\n";

/// The reason why the level cannot be built.
#[derive(Debug)]
pub(crate) struct CannotBuild(String);

impl std::fmt::Display for CannotBuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotBuild {}

impl From<WriteError> for CannotBuild {
    fn from(error: WriteError) -> Self {
        Self(error.to_string())
    }
}

type Built<T> = Result<T, CannotBuild>;

fn add(strings: &mut StringTableBuilder, text: &str) -> Built<StringRef> {
    let found = strings.add(text);
    found.ok_or_else(|| CannotBuild(format!("`{text}` cannot be a string")))
}

/// Builds the map.
pub(crate) fn map() -> Built<Pmf> {
    let sun = Vec3::from(plan::SUN).normalize();
    let textures = textures::all(sun.to_array());
    let grid = Grid::of_plan();
    let [_, chunks, _] = plan::CHUNKS;
    let trees: Vec<Tree> = (0..chunks as usize)
        .map(|chunk| Tree::of(&grid, chunk))
        .collect();
    let means = mean_colors(&textures);
    let charts = Charts::of(&grid, &trees, &|block, side| {
        means[Look::find(grid.look(block, side).name).unwrap_or(0)]
    });
    let scene = Scene::of(&grid, &charts, &trees);
    let lights = Lights::bake(&scene);
    let builder = Builder {
        grid: &grid,
        trees: &trees,
        charts: &charts,
        scene: &scene,
        lights: &lights,
    };
    let mut strings = StringTableBuilder::default();
    let entities = entities::entities(&Of::Map, &mut strings)?;
    Ok(Pmf {
        header: Header {
            created_unix_secs: CREATED_UNIX_SECS,
            name: "Bath house".to_owned(),
            description: "A pool under a skylight, on an evening in late summer".to_owned(),
            authors: "The Mapscope authors".to_owned(),
            compiler: "Mapscope, make-assets".to_owned(),
            gamemodes: entities::GAMEMODES.map(str::to_owned).to_vec(),
        },
        strings: strings.finish(),
        archive: Some(archive(&textures)?),
        extensions: vec![Extension {
            flags: Extension::USE_IN_CRC,
            name: Extension::KNOWN.to_owned(),
            data: Vec::new(),
            ..Extension::default()
        }],
        levels: vec![builder.level()?],
        entities,
        problems: Vec::new(),
    })
}

/// The mean albedo of each material.
fn mean_colors(textures: &[(String, Texture)]) -> Vec<Vec3> {
    LOOKS
        .iter()
        .map(|look| {
            let texture = textures.iter().find(|(name, _)| *name == look.texture);
            let mean = texture.map_or(Vec3::ONE, |(_, texture)| textures::mean(texture).into());
            let color = Vec3::from(look.color.map(|channel| f32::from(channel) / 255.0));
            // Bytes are square roots of light.
            let both = mean * color;
            both * both * 0.9
        })
        .collect()
}

fn archive(textures: &[(String, Texture)]) -> Built<Archive> {
    let mut files = vec![("notes.txt".to_owned(), NOTES.as_bytes().to_vec())];
    for (name, texture) in textures {
        files.push((format!("textures/{name}.ptf"), texture.write()?));
    }
    let files: Vec<NewFile<'_>> = files
        .iter()
        .map(|(path, bytes)| NewFile {
            path,
            bytes,
            compress: false,
        })
        .collect();
    Ok(Archive::build(&files)?)
}

/// The parts from which the level is built.
struct Builder<'a> {
    grid: &'a Grid,
    trees: &'a [Tree],
    charts: &'a Charts,
    scene: &'a Scene<'a>,
    lights: &'a Lights,
}

/// Names to which cubes of a chunk refer by index.
#[derive(Default)]
struct Used {
    materials: Vec<&'static str>,
    physics: Vec<&'static str>,
    sounds: Vec<&'static str>,
}

/// The drawable content of a chunk.
#[derive(Default)]
struct Drawn {
    client: ChunkClient,
    used: Used,
    /// Data of each vertex for fast lights.
    seen: Vec<Seen>,
}

/// The normal of a vertex and the room from which it is visible.
struct Seen {
    normal: Vec3,
    room: usize,
}

/// The index of a name in a list, to which it is added if it is missing.
fn index_of(list: &mut Vec<&'static str>, name: &'static str) -> u8 {
    let found = list.iter().position(|other| *other == name);
    let index = found.unwrap_or_else(|| {
        list.push(name);
        list.len() - 1
    });
    index as u8
}

impl Builder<'_> {
    fn level(&self) -> Built<Level> {
        let common = level_common()?;
        let client = level_client()?;
        let mut strings = StringTableBuilder::default();
        let entities = entities::entities(&Of::Level, &mut strings)?;
        let chunks = (0..self.trees.len()).map(|chunk| {
            Ok(Chunk {
                index: ChunkIndex::new([0, chunk as u32, 0]),
                frames: [Frame::default(); 3],
                data: Some(Box::new(self.chunk(chunk)?)),
            })
        });
        Ok(Level {
            flags: Level::KEEP_VELOCITY,
            offset: 0,
            size: 0,
            frames: [Frame::default(); 3],
            grid: plan::CHUNKS,
            chunk_exponent: CHUNK_EXPONENT,
            center: ChunkIndex::new([0, 0, 0]),
            common,
            client: Some(client),
            server: Some(LevelServer {
                strings: strings.finish(),
                entities,
            }),
            chunks: chunks.collect::<Built<_>>()?,
        })
    }

    fn chunk(&self, chunk: usize) -> Built<ChunkData> {
        let mut strings = StringTableBuilder::default();
        let mut server_strings = StringTableBuilder::default();
        let mut drawn = Drawn::default();
        let cubes = self.cubes(chunk, &mut drawn, &mut server_strings)?;
        let used = &drawn.used;
        let center = chunk_center(chunk);
        let mut names = |list: &[&str]| -> Built<Vec<StringRef>> {
            list.iter().map(|name| add(&mut strings, name)).collect()
        };
        let (materials, physics_materials, sound_materials) = (
            names(&used.materials)?,
            names(&used.physics)?,
            names(&used.sounds)?,
        );
        let mut regions = |list: &[Region]| regions(list, center, &mut strings);
        let (weather_regions, gravity_regions) =
            (regions(&WEATHER_REGIONS)?, regions(&GRAVITY_REGIONS)?);
        drawn.client.sound_regions = regions(&SOUND_REGIONS)?;
        drawn.client.sky_regions = regions(&SKY_REGIONS)?;
        drawn.client.lightmaps = self.lightmaps(chunk);
        let mut dynamic_lights = Vec::new();
        for (number, lamp) in plan::LAMPS.iter().enumerate() {
            let on = if lamp.is_on { DynamicLight::ENABLED } else { 0 };
            dynamic_lights.push(DynamicLight {
                flags: on | DynamicLight::PRESERVE,
                id: lamp.id,
            });
            drawn.client.dynamic_lights.push(ClientDynamicLight {
                color: lamp.color,
                layers: self.layers(chunk, number),
            });
        }
        let mut fast_lights = Vec::new();
        for lamp in &plan::FAST_LAMPS {
            fast_lights.push(FastLight {
                flags: DynamicLight::ENABLED,
                intensity: lamp.intensity,
                id: lamp.id,
            });
            let light = Self::fast_light(chunk, lamp, &drawn);
            drawn.client.fast_lights.push(light);
        }
        let entities = entities::entities(&Of::Chunk(chunk), &mut server_strings)?;
        let half = Vec3::splat(plan::CHUNK_METRES * 0.5);
        Ok(ChunkData {
            is_damaged: false,
            strings: strings.finish(),
            materials,
            physics_materials,
            sound_materials,
            weather_regions,
            gravity_regions,
            dynamic_lights,
            fast_lights,
            cubes,
            client: Some(drawn.client),
            server: Some(ChunkServer {
                strings: server_strings.finish(),
                // A player in the half toward the other chunk activates it.
                regions: vec![ServerRegion {
                    max: half
                        .with_x(if chunk == 0 { half.x } else { 0.0 })
                        .to_array(),
                    min: (-half)
                        .with_x(if chunk == 0 { 0.0 } else { -half.x })
                        .to_array(),
                    chunks: vec![ChunkIndex::new([0, 1 - chunk as u32, 0])],
                }],
                entities,
            }),
        })
    }

    /// Builds the octree of a chunk and adds its drawable content.
    fn cubes(
        &self,
        chunk: usize,
        drawn: &mut Drawn,
        strings: &mut StringTableBuilder,
    ) -> Built<Cubes> {
        let mut cubes = Cubes::default();
        let center = chunk_center(chunk);
        let tree = &self.trees[chunk];
        for cube in &tree.cubes {
            match &cube.node {
                Node::Empty => {
                    cubes.push_empty();
                }
                Node::Parent(children) => {
                    let mask = children
                        .iter()
                        .fold(0, |mask, (corner, _)| mask | 1 << corner);
                    let children: Vec<u32> = children.iter().map(|(_, child)| *child).collect();
                    cubes.push_parent(mask, &children);
                }
                Node::Geometry {
                    block,
                    shape,
                    faces,
                } => {
                    let (geometry, moved) = self.geometry(chunk, (*block, *shape, faces), drawn);
                    cubes.push_geometry(geometry, &moved);
                }
                Node::Wrap(Wrap::Sight(seen), child) => {
                    let (own, others) = self.seen(chunk, seen);
                    let other = ChunkIndex::new([0, 1 - chunk as u32, 0]);
                    let others: Vec<_> = if others.is_empty() {
                        Vec::new()
                    } else {
                        vec![(other, others)]
                    };
                    cubes.push_vis_info(*child, own, &others);
                }
                Node::Wrap(Wrap::Light, child) => {
                    let middle = light::middle(cube.least, cube.side);
                    let (base, dynamic, fast) = self.probe(cube.least, cube.side, middle);
                    cubes.push_light_info(Some(*child), base, &dynamic, &fast);
                }
                Node::Wrap(Wrap::Path(attributes), child) => {
                    let attributes = attributes.iter().map(|(name, data)| {
                        Ok(PathAttribute {
                            name: add(strings, name)?,
                            data: add(strings, data)?,
                        })
                    });
                    let attributes = attributes.collect::<Built<Vec<_>>>()?;
                    cubes.push_path_info(Some(*child), &attributes);
                }
                Node::Wrap(Wrap::Collider(boxes), child) => {
                    let boxes = boxes
                        .iter()
                        .map(|corners| corners.map(|corner| (corner - center).to_array()));
                    cubes.push_collider(*child, boxes);
                }
            }
        }
        cubes
            .link()
            .map_err(|bad| CannotBuild(format!("the octree is none: {bad:?}")))?;
        Ok(cubes)
    }

    /// The cubes that contain these positions: those of the chunk, and those of the other one.
    fn seen(&self, chunk: usize, places: &[Point]) -> (Vec<u32>, Vec<u32>) {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for place in places {
            let mark = mark_of(Vec3::from(*place));
            for (number, tree) in self.trees.iter().enumerate() {
                let side = tree.cubes[0].side >> SIGHT_DEPTH;
                let found = tree.cubes.iter().position(|cube| {
                    let inside = (mark - cube.least).cmpge(IVec3::ZERO).all()
                        && (mark - cube.least).cmplt(IVec3::splat(side)).all();
                    cube.side == side && inside
                });
                if let Some(found) = found {
                    let list = if number == chunk {
                        &mut own
                    } else {
                        &mut others
                    };
                    list.push(found as u32);
                }
            }
        }
        (own, others)
    }

    /// The light in a cell: the base light and the share of each lamp.
    fn probe(
        &self,
        least: IVec3,
        side: i32,
        middle: Vec3,
    ) -> ([u8; 3], Vec<LightReference>, Vec<LightReference>) {
        // The centre of a cell may be inside an object.
        let place = (0..8).map(|corner| {
            let off = Vec3::from(mapscope_formats::pmf::corner_signs(corner));
            middle + off * (side as f32 * super::grid::MARK * 0.2)
        });
        let is_open = |place: &Vec3| self.grid.at(mark_of(*place)) == super::grid::What::Air;
        let place = std::iter::once(middle).chain(place).find(is_open);
        let place = place.unwrap_or(place_of(least));
        let base = bytes(self.scene.probe(place, &self.lights.static_light), 1.0);
        let dynamic = (self.lights.lamps.iter().enumerate()).map(|(lamp, light)| {
            let [r, g, b] = bytes(self.scene.probe_of_lamp(place, light), 1.0).map(u16::from);
            let multiplier = r.max(g).max(b) as u8;
            LightReference {
                light: lamp as u8,
                multiplier,
            }
        });
        let fast = plan::FAST_LAMPS.iter().enumerate().map(|(light, lamp)| {
            let near = light::fast(lamp, place, toward(lamp, place));
            LightReference {
                light: light as u8,
                multiplier: (near * 255.0 + 0.5) as u8,
            }
        });
        let reaches = |reference: &LightReference| reference.multiplier >= FAINTEST;
        (
            base,
            dynamic.filter(reaches).collect(),
            fast.filter(reaches).collect(),
        )
    }

    /// The geometry of a box or a shape, with its moved corners.
    fn geometry(
        &self,
        chunk: usize,
        (block, shape, faces): (usize, Option<usize>, &[usize]),
        drawn: &mut Drawn,
    ) -> (Geometry, Vec<[f32; 3]>) {
        let Drawn { client, used, seen } = drawn;
        let center = chunk_center(chunk);
        let what = self.grid.blocks[block];
        let materials = what.sides.map(|name| index_of(&mut used.materials, name));
        let physics = index_of(&mut used.physics, what.physics);
        let sound = index_of(&mut used.sounds, what.sound);
        let mut geometry = Geometry::new(materials[0], physics, sound);
        geometry.materials = materials;
        let mut moved = Vec::new();
        if let Some(shape) = shape.map(|shape| &self.grid.shapes[shape])
            && let Form::Moved(corners) = &shape.form
        {
            let least = place_of(shape.least);
            let metres = shape.side as f32 * super::grid::MARK;
            for (number, corner) in corners.iter().enumerate() {
                let signs = Vec3::from(mapscope_formats::pmf::corner_signs(number));
                if *corner != least + (signs * 0.5 + 0.5) * metres {
                    geometry.moved |= 1 << number;
                    moved.push((*corner - center).to_array());
                }
            }
        }
        if geometry.moved != 0 || materials != [materials[0]; 6] {
            geometry.bits |= Geometry::COMMON_EXTENDED;
        }
        let tree = &self.trees[chunk];
        let faces: Vec<(usize, &Face)> = faces
            .iter()
            .map(|face| (*face, &tree.faces[*face]))
            .collect();
        let first_map = self.charts.maps.iter().position(|map| map.chunk == chunk);
        let first_map = first_map.unwrap_or(0);
        for (number, face) in &faces {
            let chart = self.charts.of_face(chunk, *number);
            let map = chart.map(|chart| (self.charts.list[chart].map - first_map) as u8);
            geometry.lightmaps[face.side] = map.unwrap_or(NO_LIGHTMAP);
            geometry.triangles[face.side] = match &face.outline {
                Outline::Quad(_) => 2,
                Outline::Triangles(list, _) => list.len() as u8,
            };
        }
        let maps: Vec<u8> = faces
            .iter()
            .map(|(_, face)| geometry.lightmaps[face.side])
            .collect();
        let is_flat = |face: &Face| matches!(face.outline, Outline::Quad(_));
        let is_basic =
            faces.iter().all(|(_, face)| is_flat(face)) && maps.iter().all(|map| *map == maps[0]);
        geometry.first_vertex = client.vertices.len() as u32;
        if is_basic {
            geometry.lightmaps = [maps.first().copied().unwrap_or(NO_LIGHTMAP); 6];
        } else {
            geometry.bits |= Geometry::CLIENT_EXTENDED;
            geometry.first_normal = client.normals.len() as u32;
        }
        if self.grid.look(block, 0).name == "lattice" {
            geometry.bits |= Geometry::BACKFACES;
        }
        for (number, face) in &faces {
            let chart = self.charts.of_face(chunk, *number);
            let look = self.grid.look(face.block, face.side);
            let normal = face.normal();
            let round = match &face.outline {
                Outline::Triangles(_, Some(thing)) => Some(&self.grid.rounds[*thing]),
                _ => None,
            };
            let uv = |corner: &Corner| texture_uv(look, corner, normal, round);
            // Textures repeat, so offsets are reduced: small numbers are shared by many faces and
            // compress better.
            let whole = face.corners().map(|corner| uv(&corner)).reduce(Vec2::min);
            let whole = whole.unwrap_or_default().floor();
            let vertex = |corner: Corner| Vertex {
                position: (corner.place - center).to_array(),
                uv: (uv(&corner) - whole).to_array(),
                lightmap_uv: chart.map_or([0.0; 2], |chart| self.charts.uv(chart, &corner)),
            };
            let corners = if is_basic {
                face.corners().collect()
            } else {
                face.triangles()
            };
            let room = charts::room_of(face.middle() + normal * 0.1);
            for corner in corners {
                client.vertices.push(vertex(corner));
                seen.push(Seen {
                    normal: corner.normal,
                    room,
                });
                if !is_basic {
                    client.normals.push(corner.normal.to_array());
                }
            }
        }
        (geometry, moved)
    }

    /// The static light in the lightmaps of a chunk.
    fn lightmaps(&self, chunk: usize) -> Vec<Lightmap> {
        let maps = self.charts.maps.iter().enumerate();
        let maps = maps.filter(|(_, map)| map.chunk == chunk);
        maps.map(|(number, map)| Lightmap {
            exponent: map.exponent,
            luxels: self.painted(number, &|luxel| {
                bytes(tone(self.lights.static_light[luxel]), STEP)
            }),
        })
        .collect()
    }

    /// The layers that a lamp adds to the lightmaps of a chunk in its reach.
    fn layers(&self, chunk: usize, lamp: usize) -> Vec<LightLayer> {
        let color = plan::LAMPS[lamp]
            .color
            .map(|channel| f32::from(channel) / 255.0);
        let color = Vec3::from(color);
        let maps = self.charts.maps.iter().enumerate();
        let maps = maps.filter(|(_, map)| map.chunk == chunk);
        (maps.zip(0..))
            .map(|((number, _), lightmap)| LightLayer {
                lightmap,
                luxels: self.painted(number, &|luxel| {
                    let before = self.lights.static_light[luxel];
                    let after = before + self.lights.lamps[lamp][luxel];
                    // The lamp provides the colour: grey luxels compress better.
                    let more = (tone(after) - tone(before)).dot(color) / color.length_squared();
                    bytes(Vec3::splat(more), LAYER_STEP)
                }),
            })
            .filter(|layer| layer.luxels.iter().any(|channel| *channel > 2 * FAINTEST))
            .collect()
    }

    /// Draws a lightmap with a colour for each luxel in use.
    fn painted(&self, map: usize, color: &dyn Fn(usize) -> [u8; 3]) -> Vec<u8> {
        let side = 1_usize << self.charts.maps[map].exponent;
        let mut luxels = vec![0; side * side * 3];
        for chart in self.charts.list.iter().filter(|chart| chart.map == map) {
            let [width, height] = chart.outer().map(|size| size as usize);
            let [left, top] = chart.at.map(|at| at as usize - 1);
            for y in 0..height {
                for x in 0..width {
                    let luxel = chart.first + y * width + x;
                    if self.charts.luxels[luxel].is_used {
                        let at = ((top + y) * side + left + x) * 3;
                        luxels[at..at + 3].copy_from_slice(&color(luxel));
                    }
                }
            }
        }
        luxels
    }

    /// The vertices of a chunk that a fast light reaches.
    fn fast_light(chunk: usize, lamp: &plan::FastLamp, drawn: &Drawn) -> ClientFastLight {
        let center = chunk_center(chunk);
        let room = charts::room_of(lamp.places[0].into());
        let vertices = drawn.client.vertices.iter().zip(&drawn.seen);
        let multipliers: Vec<u8> = vertices
            .map(|(vertex, seen)| {
                let place = Vec3::from(vertex.position) + center;
                let near = if seen.room == room {
                    light::fast(lamp, place, seen.normal)
                } else {
                    0.0
                };
                (near * 255.0 + 0.5) as u8
            })
            .collect();
        let mut light = ClientFastLight::new(lamp.color);
        let mut at = 0;
        while at < multipliers.len() {
            let reached = |multiplier: &u8| *multiplier >= FAINTEST;
            let rest = &multipliers[at..];
            let skipped = rest.iter().position(reached).unwrap_or(rest.len());
            let first = at + skipped;
            let rest = &multipliers[first..];
            let count = rest.iter().position(|m| !reached(m)).unwrap_or(rest.len());
            if count > 0 {
                light.push_range(first as u32, &rest[..count]);
            }
            at = first + count;
        }
        light
    }
}

fn toward(lamp: &plan::FastLamp, place: Vec3) -> Vec3 {
    let nearest = lamp.places.iter().map(|at| Vec3::from(*at) - place);
    let nearest = nearest.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    nearest.unwrap_or(Vec3::Y).normalize_or(Vec3::Y)
}

fn bytes(light: Vec3, step: f32) -> [u8; 3] {
    let step = |channel: f32| (channel.clamp(0.0, 1.0) * 255.0 / step + 0.5).floor() * step;
    light
        .to_array()
        .map(|channel| step(channel).min(255.0) as u8)
}

/// The texture coordinates of a corner.
fn texture_uv(look: &Look, corner: &Corner, normal: Vec3, round: Option<&RoundThing>) -> Vec2 {
    let [right, down] = match round {
        Some(thing) => [
            corner.around[0] * thing.radius * 6.3,
            corner.place.y - thing.foot.y,
        ],
        None => frame(normal).map(|axis| corner.place.dot(axis)),
    };
    (Vec2::new(right, down) - Vec2::from(look.shift)) / Vec2::from(look.metres)
}

/// The parts of regions that lie in a chunk.
fn regions(
    list: &[Region],
    center: Vec3,
    strings: &mut StringTableBuilder,
) -> Built<Vec<EnvironmentRegion>> {
    let half = plan::CHUNK_METRES * 0.5;
    let mut regions = Vec::new();
    for region in list {
        let from = (Vec3::from(region.from) - center).max(Vec3::splat(-half));
        let to = (Vec3::from(region.to) - center).min(Vec3::splat(half));
        if from.cmplt(to).all() {
            let corners: Corners = std::array::from_fn(|corner| {
                let signs = Vec3::from(mapscope_formats::pmf::corner_signs(corner));
                Vec3::select(signs.cmpgt(Vec3::ZERO), to, from).to_array()
            });
            regions.push(EnvironmentRegion {
                corners,
                environment: add(strings, region.name)?,
            });
        }
    }
    Ok(regions)
}

fn level_common() -> Built<LevelCommon> {
    let mut strings = StringTableBuilder::default();
    let mut materials = Vec::new();
    for look in LOOKS {
        materials.push(Material {
            name: add(&mut strings, look.name)?,
            kind: add(&mut strings, look.kind)?,
            flags: look.flags(),
            render_mode: if look.is_added {
                Material::ADD
            } else {
                Material::NORMAL
            },
        });
    }
    let mut physics_materials = Vec::new();
    let through = (LIGHT, true, [50.0, 0.0, 0.0]);
    for (name, is_through, [friction_or_max_speed, traction, bounce]) in
        PHYSICS.into_iter().chain([through])
    {
        let flags = if is_through {
            PhysicsMaterial::NOT_SOLID
        } else {
            0
        };
        physics_materials.push(PhysicsMaterial {
            name: add(&mut strings, name)?,
            flags,
            friction_or_max_speed,
            traction,
            bounce,
            damage_speed: 12.0,
            base_damage: 5.0,
            extra_damage: 2.0,
        });
    }
    let mut weathers = Vec::new();
    for (seed, (name, wind, randomness)) in (1..).zip(WEATHERS) {
        weathers.push(Weather {
            name: add(&mut strings, name)?,
            wind,
            direction_seed: seed,
            direction_randomness: [randomness; 3],
            direction_speed: 0.2,
            velocity_seed: seed + 10,
            velocity_randomness: randomness,
            velocity_speed: 0.5,
        });
    }
    let mut gravities = Vec::new();
    for (name, acceleration) in GRAVITIES {
        gravities.push(Gravity {
            name: add(&mut strings, name)?,
            acceleration,
        });
    }
    Ok(LevelCommon {
        materials,
        physics_materials,
        sound_materials: SOUNDS
            .map(
                |(_, [volume_dampening, frequency_dampening])| SoundMaterial {
                    volume_dampening,
                    frequency_dampening,
                },
            )
            .to_vec(),
        air_physics: add(&mut strings, PHYSICS[0].0)?,
        weathers,
        gravities,
        default_weather: add(&mut strings, WEATHERS[0].0)?,
        default_gravity: add(&mut strings, GRAVITIES[0].0)?,
        strings: strings.finish(),
        is_incomplete: false,
    })
}

fn level_client() -> Built<LevelClient> {
    let mut strings = StringTableBuilder::default();
    let mut materials = Vec::new();
    for look in LOOKS {
        let frames = look.frames.iter().map(|frame| add(&mut strings, frame));
        let extra_textures = frames.collect::<Built<_>>()?;
        materials.push(ClientMaterial {
            color: look.color,
            alpha: look.alpha.unwrap_or(u8::MAX),
            emission: look.emission,
            shading: if look.is_lit { 255 } else { 0 },
            texture: add(&mut strings, look.texture)?,
            matcap: StringRef(0),
            extra_textures,
            advance_micros: look.frame_micros,
            texture_scroll: look.scroll,
            matcap_scroll: [0.0; 2],
            wave: if look.is_liquid {
                WAVE
            } else {
                Default::default()
            },
        });
    }
    let mut sounds = Vec::new();
    for (
        name,
        [
            low_pass,
            high_pass,
            delay,
            feedback,
            mix,
            reverb_low,
            reverb_high,
        ],
    ) in ECHOES
    {
        sounds.push(SoundEnvironment {
            name: add(&mut strings, name)?,
            low_pass,
            high_pass,
            reverb_delay: delay,
            reverb_feedback: feedback,
            reverb_mix: mix,
            reverb_low_pass: reverb_low,
            reverb_high_pass: reverb_high,
        });
    }
    let mut skybox = [StringRef(0); 6];
    for (side, name) in skybox.iter_mut().zip(SKY) {
        *side = add(&mut strings, name)?;
    }
    let mut skies = Vec::new();
    for name in [EVENING_SKY, DUSK_SKY] {
        skies.push(Sky {
            name: add(&mut strings, name)?,
            skybox,
            ..Sky::default()
        });
    }
    Ok(LevelClient {
        sounds,
        skies,
        default_sound: add(&mut strings, ECHOES[0].0)?,
        default_sky: add(&mut strings, EVENING_SKY)?,
        materials,
        strings: strings.finish(),
        is_incomplete: false,
    })
}
