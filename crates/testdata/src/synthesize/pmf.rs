//! Synthetic maps for tests and measurements.

use std::collections::VecDeque;

use mapscope_formats::pmf::{
    Cell, Chunk, ChunkClient, ChunkData, ChunkIndex, ChunkServer, ClientDynamicLight,
    ClientFastLight, ClientMaterial, Cubes, DynamicLight, Entities, EntityKind, EntityList,
    EnvironmentRegion, Extension, FastLight, Frame, Geometry, Gravity, Header, Level, LevelClient,
    LevelCommon, LevelServer, LightLayer, LightReference, Lightmap, Material, NO_LIGHTMAP,
    NewEntity, PathAttribute, PhysicsMaterial, Pmf, SIDE_CORNERS, ServerRegion, Sky,
    SoundEnvironment, SoundMaterial, StringRef, StringTable, StringTableBuilder, Vertex, Weather,
};

/// Exponent of the chunk size: chunks have a side of 2^`CHUNK_EXPONENT` metres.
const CHUNK_EXPONENT: u8 = 4;
/// Exponent of the lightmap size: lightmaps have 2^`LIGHTMAP_EXPONENT` luxels per side.
const LIGHTMAP_EXPONENT: u8 = 4;

/// Generates a map of one level: blocks of three materials with caves between them, with every kind
/// of cube and light. `grid` is the number of chunks along Y, X and Z. Each chunk is divided
/// `depth` times and has slightly more than `8^depth` cubes. The map depends only on the arguments.
pub fn pmf(grid: [u32; 3], depth: u8, seed: u64) -> Pmf {
    let [y_count, x_count, z_count] = grid;
    let blocks = Blocks { seed, depth };
    let common = common();
    let mut chunks = Vec::new();
    for y in 0..y_count {
        for x in 0..x_count {
            for z in 0..z_count {
                let index = ChunkIndex::new([y, x, z]);
                chunks.push(Chunk {
                    index,
                    frames: [Frame::default(); 3],
                    data: Some(Box::new(chunk(&blocks, index, grid))),
                });
            }
        }
    }
    let mut strings = StringTableBuilder::default();
    let entities = entities(&mut strings);
    Pmf {
        header: Header {
            created_unix_secs: 1_757_894_400,
            name: "Made up".to_owned(),
            description: "Blocks and caves".to_owned(),
            authors: "Mapscope".to_owned(),
            compiler: "Mapscope".to_owned(),
            gamemodes: vec!["walk".to_owned()],
        },
        strings: strings.finish(),
        archive: None,
        extensions: vec![Extension {
            flags: Extension::USE_IN_CRC,
            name: Extension::KNOWN.to_owned(),
            data: vec![1, 2, 3],
            ..Extension::default()
        }],
        entities,
        levels: vec![Level {
            flags: Level::KEEP_PLACE,
            offset: 0,
            size: 0,
            frames: [Frame::default(); 3],
            grid,
            chunk_exponent: CHUNK_EXPONENT,
            center: ChunkIndex::default(),
            client: Some(client(&common)),
            common,
            server: Some(server()),
            chunks,
        }],
        problems: Vec::new(),
    }
}

const MATERIALS: [&str; 3] = ["stone", "grass", "water"];
const PHYSICS: [&str; 2] = ["air", "ground"];
const SOUND: &str = "soft";
const WEATHER: &str = "calm";
const GRAVITY: &str = "earth";
const ECHO: &str = "cave";
const SKY: &str = "day";

/// A table of short texts, which always fits.
fn table<const N: usize>(texts: [&str; N]) -> (StringTable, [StringRef; N]) {
    let mut builder = StringTableBuilder::default();
    let strings = texts.map(|text| builder.add(text).unwrap_or_default());
    (builder.finish(), strings)
}

fn common() -> LevelCommon {
    let [stone, grass, water] = MATERIALS;
    let [air, ground] = PHYSICS;
    let (strings, refs) = table([stone, grass, water, air, ground, WEATHER, GRAVITY]);
    let [stone, grass, water, air, ground, weather, gravity] = refs;
    let material = |name, flags| Material {
        name,
        flags,
        ..Material::default()
    };
    LevelCommon {
        strings,
        materials: vec![
            material(stone, 0),
            material(grass, 0),
            material(water, Material::TRANSPARENT | Material::LIQUID),
        ],
        physics_materials: [(air, PhysicsMaterial::NOT_SOLID), (ground, 0)]
            .map(|(name, flags)| PhysicsMaterial {
                name,
                flags,
                friction_or_max_speed: 1.0,
                ..PhysicsMaterial::default()
            })
            .to_vec(),
        sound_materials: vec![SoundMaterial {
            volume_dampening: 0.5,
            frequency_dampening: 0.25,
        }],
        air_physics: air,
        weathers: vec![Weather {
            name: weather,
            wind: [1.0, 0.0, 0.5],
            ..Weather::default()
        }],
        gravities: vec![Gravity {
            name: gravity,
            acceleration: [0.0, -9.8, 0.0],
        }],
        default_weather: weather,
        default_gravity: gravity,
        is_incomplete: false,
    }
}

fn client(common: &LevelCommon) -> LevelClient {
    let [stone, ..] = MATERIALS;
    let (strings, [echo, sky, stone]) = table([ECHO, SKY, stone]);
    let colors = [
        [150, 150, 150, 255],
        [80, 140, 60, 255],
        [60, 110, 190, 150],
    ];
    let material = |[r, g, b, alpha]: [u8; 4]| ClientMaterial {
        color: [r, g, b],
        alpha,
        shading: 128,
        ..ClientMaterial::default()
    };
    LevelClient {
        strings,
        sounds: vec![SoundEnvironment {
            name: echo,
            low_pass: 20_000.0,
            ..SoundEnvironment::default()
        }],
        skies: vec![Sky {
            name: sky,
            skybox: [stone; 6],
            ..Sky::default()
        }],
        default_sound: echo,
        default_sky: sky,
        materials: (common.materials.iter().zip(colors))
            .map(|(_, color)| material(color))
            .collect(),
        is_incomplete: false,
    }
}

fn server() -> LevelServer {
    let mut strings = StringTableBuilder::default();
    let entities = entities(&mut strings);
    LevelServer {
        strings: strings.finish(),
        entities,
    }
}

/// A few entities.
fn entities(strings: &mut StringTableBuilder) -> Entities {
    let kinds = [EntityKind::from_number(0), EntityKind::from_number(8)];
    let list = EntityList {
        entities: (kinds.into_iter().flatten())
            .map(|kind| NewEntity::new(kind, "made up"))
            .collect(),
        ..EntityList::default()
    };
    // None of their strings is too long.
    list.build(strings).unwrap_or_default()
}

/// The blocks of the map.
struct Blocks {
    seed: u64,
    depth: u8,
}

impl Blocks {
    /// A random number for a block of two cells per side; `layer` separates independent uses.
    fn random(&self, layer: u64, cell: [u32; 3]) -> u64 {
        // The finaliser of SplitMix64, which hides patterns of its input.
        let [x, y, z] = cell.map(|at| u64::from(at >> 1));
        let mut bits = self.seed ^ layer << 60 ^ x << 40 ^ y << 20 ^ z;
        bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits >> 32
    }

    fn is_solid(&self, cell: [u32; 3]) -> bool {
        !self.random(0, cell).is_multiple_of(4)
    }
}

/// A cube to be added.
struct Waiting {
    cell: Cell,
    /// Remaining number of subdivisions.
    divisions: u8,
    /// Remaining number of wrappers around it.
    wrappers: u8,
    /// Its minimum cell in the level.
    origin: [u32; 3],
}

fn chunk(blocks: &Blocks, index: ChunkIndex, grid: [u32; 3]) -> ChunkData {
    let [stone, grass, water] = MATERIALS;
    let [_, ground] = PHYSICS;
    let names = [
        stone, grass, water, ground, SOUND, WEATHER, GRAVITY, ECHO, SKY,
    ];
    let (strings, refs) = table(names);
    let [
        stone,
        grass,
        water,
        ground,
        sound,
        weather,
        gravity,
        echo,
        sky,
    ] = refs;
    let half = f32::from(CHUNK_EXPONENT - 1).exp2();
    let root = Cell {
        cube: 0,
        depth: 0,
        center: [0.0; 3],
        half,
    };
    let region = |environment| EnvironmentRegion {
        corners: root.corners(),
        environment,
    };
    let luxels = |layer: u64| -> Vec<u8> {
        let count = 3_u32 << (2 * LIGHTMAP_EXPONENT);
        let luxels = (0..count).map(|i| blocks.random(layer, [i * 2, 0, index.0]) as u8);
        luxels.map(|luxel| luxel | 0x80).collect()
    };
    let mut client = ChunkClient {
        sound_regions: vec![region(echo)],
        sky_regions: vec![region(sky)],
        lightmaps: vec![Lightmap {
            exponent: LIGHTMAP_EXPONENT,
            luxels: luxels(1),
        }],
        dynamic_lights: vec![ClientDynamicLight {
            color: [255, 200, 100],
            layers: vec![LightLayer {
                lightmap: 0,
                luxels: luxels(2),
            }],
        }],
        ..ChunkClient::default()
    };
    let [y, x, z] = index.yxz();
    let root = Waiting {
        cell: root,
        divisions: blocks.depth,
        wrappers: 4,
        origin: [x, y, z].map(|at| at << blocks.depth),
    };
    let cubes = cubes(blocks, root, &mut client, grid);
    let mut light = ClientFastLight::new([100, 200, 255]);
    for first in (0..client.vertices.len() as u32).step_by(64) {
        light.push_range(first, &[200; 4]);
    }
    client.fast_lights.push(light);
    let mut server_strings = StringTableBuilder::default();
    let entities = entities(&mut server_strings);
    ChunkData {
        is_damaged: false,
        strings,
        materials: vec![stone, grass, water],
        physics_materials: vec![ground],
        sound_materials: vec![sound],
        weather_regions: vec![region(weather)],
        gravity_regions: vec![region(gravity)],
        dynamic_lights: vec![DynamicLight {
            flags: DynamicLight::ENABLED,
            id: 2 * index.0,
        }],
        fast_lights: vec![FastLight {
            flags: DynamicLight::ENABLED | DynamicLight::PRESERVE,
            intensity: 128,
            id: 2 * index.0 + 1,
        }],
        cubes,
        client: Some(client),
        server: Some(ChunkServer {
            entities,
            strings: server_strings.finish(),
            regions: vec![ServerRegion {
                max: [half; 3],
                min: [-half; 3],
                chunks: vec![ChunkIndex::default()],
            }],
        }),
    }
}

/// Builds the octree of a chunk, level by level, and adds vertices and normals to the client data.
fn cubes(
    blocks: &Blocks,
    root: Waiting,
    client: &mut ChunkClient,
    [_, x_count, _]: [u32; 3],
) -> Cubes {
    let mut cubes = Cubes::default();
    let mut waiting = VecDeque::from([root]);
    let mut next = 1;
    while let Some(Waiting {
        cell,
        divisions,
        wrappers,
        origin,
    }) = waiting.pop_front()
    {
        if wrappers > 0 {
            let reference = LightReference {
                light: 0,
                multiplier: 200,
            };
            let attribute = PathAttribute {
                name: StringRef(0),
                data: StringRef(0),
            };
            match wrappers {
                4 => {
                    let other = ChunkIndex::new([0, x_count - 1, 0]);
                    let chunks = [(other, vec![0]), (ChunkIndex::default(), Vec::new())];
                    cubes.push_vis_info(next, [0], &chunks)
                }
                3 => cubes.push_light_info(Some(next), [10, 20, 30], &[reference], &[reference]),
                2 => cubes.push_path_info(Some(next), &[attribute]),
                _ => cubes.push_collider(next, [cell.corners(); 2]),
            };
            next += 1;
            waiting.push_back(Waiting {
                cell,
                divisions,
                wrappers: wrappers - 1,
                origin,
            });
        } else if divisions > 0 {
            let children: [u32; 8] = std::array::from_fn(|corner| next + corner as u32);
            cubes.push_parent(0xFF, &children);
            next += 8;
            for corner in 0..8_u32 {
                let upper = [corner & 1 == 0, corner & 4 == 0, corner & 2 == 0];
                let origin = std::array::from_fn(|axis| {
                    origin[axis] | u32::from(upper[axis]) << (divisions - 1)
                });
                waiting.push_back(Waiting {
                    cell: cell.child(corner as usize, 0),
                    divisions: divisions - 1,
                    wrappers: 0,
                    origin,
                });
            }
        } else if blocks.is_solid(origin) {
            add_block(blocks, &mut cubes, client, (&cell, origin));
        } else {
            cubes.push_empty();
        }
    }
    // The generated cubes always form a tree.
    let _ = cubes.link();
    cubes
}

/// Adds a block with faces where it has no neighbour.
fn add_block(
    blocks: &Blocks,
    cubes: &mut Cubes,
    client: &mut ChunkClient,
    (cell, origin): (&Cell, [u32; 3]),
) {
    let random = blocks.random(3, origin);
    let material = (random % 3) as u8;
    let mut geometry = Geometry::new(material, 0, 0);
    // One in eight has extended geometry: client, common, or both.
    if random.is_multiple_of(8) {
        geometry.bits =
            (random >> 8) as u8 & (Geometry::CLIENT_EXTENDED | Geometry::COMMON_EXTENDED);
    }
    let mut moved = Vec::new();
    let mut corners = cell.corners();
    if geometry.is_common_extended() {
        let [x, y, z] = corners[0];
        geometry.moved = 1;
        geometry.materials[0] = 2;
        corners[0] = [x, y - cell.half, z];
        moved.push(corners[0]);
    }
    let lightmap_per_metre = (-f32::from(CHUNK_EXPONENT)).exp2();
    geometry.first_vertex = client.vertices.len() as u32;
    geometry.first_normal = client.normals.len() as u32;
    for (side, order) in SIDE_CORNERS.into_iter().enumerate() {
        let axis = side % 3;
        let mut beside = origin;
        beside[axis] = if side < 3 {
            origin[axis] + 1
        } else {
            origin[axis].wrapping_sub(1)
        };
        if blocks.is_solid(beside) {
            continue;
        }
        geometry.triangles[side] = 2;
        geometry.lightmaps[side] = 0;
        // As with compilers, textures and light continue from block to block.
        let quad = order.map(|corner| {
            let position = corners[corner];
            let [x, y, z] = position;
            let uv = match axis {
                0 => [z, -y],
                1 => [x, -z],
                _ => [x, -y],
            };
            Vertex {
                position,
                uv: uv.map(|metres| metres * 0.5),
                lightmap_uv: uv.map(|metres| metres * lightmap_per_metre + 0.5),
            }
        });
        if geometry.is_client_extended() {
            let [a, b, c, d] = quad;
            client.vertices.extend([a, b, c, a, c, d]);
            let mut normal = [0.0; 3];
            normal[axis] = if side < 3 { 1.0 } else { -1.0 };
            client.normals.extend([normal; 6]);
        } else {
            client.vertices.extend(quad);
        }
    }
    if !geometry.is_client_extended() {
        geometry.first_normal = 0;
        let is_lit = geometry.side_mask() != 0;
        geometry.lightmaps = [if is_lit { 0 } else { NO_LIGHTMAP }; 6];
    }
    cubes.push_geometry(geometry, &moved);
}
