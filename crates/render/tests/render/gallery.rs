//! A small level with one of every feature of levels, placed asymmetrically so that mirrored
//! pictures differ.

use std::path::Path;
use std::sync::Arc;

use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pmf::{
    self, Cell, ChunkClient, ChunkData, ChunkIndex, ChunkServer, ClientDynamicLight,
    ClientFastLight, ClientMaterial, Corners, Cube, Cubes, DynamicLight, EntityKind, EntityList,
    EnvironmentRegion, FastLight, Geometry, Gravity, LevelClient, LevelCommon, LevelServer,
    LightLayer, Lightmap, Material, NO_LIGHTMAP, NewEntity, Packing, PathAttribute, SIDE_CORNERS,
    ServerRegion, Side, Sky, SoundEnvironment, StringTableBuilder, Vertex, Wave, Weather,
    corner_signs,
};
use mapscope_formats::ptf::{Layout, Texture};
use mapscope_scene::{Document, LevelItem, OpenOptions, Progress, Source};
use mapscope_testdata::synthesize;

/// Names of the materials, in the order of the constants below. The six of the sky are +X to -Z.
const NAMES: [&str; 16] = [
    "floor",
    "wall",
    "letter",
    "blue glass",
    "glow",
    "lamp",
    "water",
    "pages",
    "x",
    "y",
    "z",
    "-x",
    "-y",
    "-z",
    "chrome",
    "red glass",
];
pub(crate) const FLOOR: u8 = 0;
/// The floor material as an item.
pub(crate) const FLOOR_ITEM: LevelItem = LevelItem::Material { level: 0, index: 0 };
const WALL: u8 = 1;
const LETTER: u8 = 2;
const BLUE_GLASS: u8 = 3;
const GLOW: u8 = 4;
const LAMP: u8 = 5;
const WATER: u8 = 6;
const PAGES: u8 = 7;
const CHROME: u8 = 14;
const RED_GLASS: u8 = 15;
/// A material that the level does not have.
const UNKNOWN: u8 = 16;

/// The lights of the level, by global number.
pub(crate) const DYNAMIC_LIGHT: u32 = 7;
pub(crate) const FAST_LIGHT: u32 = 9;

/// The visibility cube of the western half of the chunk.
pub(crate) const VIS_INFO: LevelItem = LevelItem::Cube {
    level: 0,
    chunk: 0,
    cube: 8,
};

/// The region in which the server keeps chunks active.
pub(crate) const SERVER_REGION: LevelItem = LevelItem::ServerRegion {
    level: 0,
    chunk: 0,
    index: 0,
};

/// Cells along each side of the chunk, one metre each.
const SIDE: i32 = 8;

/// Letters of five by seven dots.
const GLYPHS: [(&str, [&str; 7]); 4] = [
    (
        "F",
        [
            "#####", "#    ", "#    ", "#### ", "#    ", "#    ", "#    ",
        ],
    ),
    (
        "X",
        [
            "#   #", "#   #", " # # ", "  #  ", " # # ", "#   #", "#   #",
        ],
    ),
    (
        "Y",
        [
            "#   #", "#   #", " # # ", "  #  ", "  #  ", "  #  ", "  #  ",
        ],
    ),
    (
        "Z",
        [
            "#####", "    #", "   # ", "  #  ", " #   ", "#    ", "#####",
        ],
    ),
];

/// A texture with a letter in its upper left half and a red corner at the upper left.
fn letter(name: &str, paper: [u8; 3], ink: [u8; 3]) -> Vec<u8> {
    let (_, dots) = GLYPHS.iter().find(|(of, _)| *of == name).unwrap();
    let pixels = (0..32 * 32_usize).flat_map(|i| {
        let (x, y) = (i % 32, i / 32);
        let at = |start: usize, at: usize| at.checked_sub(start).map(|from| from / 3);
        let dot = at(8, x)
            .zip(at(6, y))
            .and_then(|(column, row)| dots.get(row)?.as_bytes().get(column));
        match dot {
            _ if x < 6 && y < 4 => [230, 40, 40],
            Some(b'#') => ink,
            _ => paper,
        }
    });
    texture(pixels.collect())
}

fn texture(pixels: Vec<u8>) -> Vec<u8> {
    let texture = Texture::new(Layout::V2, [32, 32], 3, pixels);
    texture.write().unwrap()
}

fn archive() -> Archive {
    let [dark, light] = [[30, 34, 40], [235, 235, 225]];
    // A reflection: bright above, dark below, and a spot at the upper left.
    let mirror = (0..32 * 32_usize).flat_map(|i| {
        let (x, y) = (i % 32, i / 32);
        if x.abs_diff(10) + y.abs_diff(9) < 6 {
            return [255; 3];
        }
        [(150 - 4 * y) as u8; 3]
    });
    let files = [
        ("floor", letter("F", light, dark)),
        ("page", letter("Z", [200, 220, 160], dark)),
        ("x", letter("X", [170, 70, 70], light)),
        ("y", letter("Y", [70, 150, 80], light)),
        ("z", letter("Z", [80, 100, 180], light)),
        ("-x", letter("X", [90, 50, 50], light)),
        ("-y", letter("Y", [40, 80, 50], light)),
        ("-z", letter("Z", [40, 50, 100], light)),
        ("chrome", texture(mirror.collect())),
    ];
    let paths = files
        .each_ref()
        .map(|(name, _)| format!("textures/{name}.ptf"));
    let files: Vec<NewFile<'_>> = (files.iter().zip(&paths))
        .map(|((_, bytes), path)| NewFile {
            path,
            bytes,
            compress: true,
        })
        .collect();
    Archive::build(&files).unwrap()
}

fn common() -> LevelCommon {
    let mut strings = StringTableBuilder::default();
    let materials = NAMES
        .iter()
        .zip(0..)
        .map(|(name, number)| Material {
            name: strings.add(name).unwrap(),
            flags: match number {
                BLUE_GLASS | RED_GLASS => Material::TRANSPARENT,
                WATER => Material::TRANSPARENT | Material::LIQUID,
                _ => 0,
            },
            render_mode: if number == GLOW { Material::ADD } else { 0 },
            kind: strings.add("").unwrap(),
        })
        .collect();
    let none = strings.add("").unwrap();
    LevelCommon {
        weathers: vec![Weather {
            name: strings.add("rain").unwrap(),
            ..Weather::default()
        }],
        gravities: vec![Gravity {
            name: strings.add("moon").unwrap(),
            ..Gravity::default()
        }],
        materials,
        air_physics: none,
        default_weather: none,
        default_gravity: none,
        strings: strings.finish(),
        ..LevelCommon::default()
    }
}

fn client() -> LevelClient {
    let mut strings = StringTableBuilder::default();
    let none = strings.add("").unwrap();
    let mut add = |text: &str| strings.add(text).unwrap();
    let materials = NAMES
        .iter()
        .zip(0..)
        .map(|(name, number)| {
            let mut look = ClientMaterial {
                color: [255; 3],
                alpha: 255,
                texture: none,
                matcap: none,
                ..ClientMaterial::default()
            };
            match number {
                FLOOR => look.texture = add("floor"),
                WALL => look.color = [150, 160, 175],
                LETTER => look.color = [200, 70, 50],
                BLUE_GLASS => (look.color, look.alpha) = ([90, 150, 255], 130),
                RED_GLASS => (look.color, look.alpha) = ([255, 90, 70], 130),
                GLOW => look.color = [90, 70, 0],
                LAMP => (look.color, look.emission) = ([60, 60, 60], [120, 110, 30]),
                WATER => {
                    (look.color, look.alpha) = ([60, 110, 190], 170);
                    (look.texture, look.texture_scroll) = (add("floor"), [0.25, 0.0]);
                    look.wave = Wave {
                        velocity: [0.5, 0.0, 0.0],
                        scale: 1.0,
                        ..Wave::default()
                    };
                }
                PAGES => {
                    (look.texture, look.extra_textures) = (add("floor"), vec![add("page")]);
                    look.advance_micros = 1_000_000;
                }
                CHROME => (look.color, look.matcap) = ([70, 70, 80], add("chrome")),
                _ => look.texture = add(name),
            }
            look
        })
        .collect();
    let [day, night, cave] = ["day", "night", "cave"].map(&mut add);
    let sides = ["x", "y", "z", "-x", "-y", "-z"].map(&mut add);
    let letter = add("letter");
    let sky = |name, skybox| Sky {
        name,
        skybox,
        top_clouds: none,
        bottom_clouds: none,
        ..Sky::default()
    };
    LevelClient {
        is_incomplete: false,
        sounds: vec![SoundEnvironment {
            name: cave,
            ..SoundEnvironment::default()
        }],
        skies: vec![
            sky(day, sides),
            sky(night, [letter, none, letter, letter, letter, letter]),
        ],
        default_sky: day,
        default_sound: none,
        materials,
        strings: strings.finish(),
    }
}

/// Material and lightmap of a cell, by its position from the minimum corner.
fn block([x, y, z]: [i32; 3]) -> Option<(u8, u8)> {
    let is_letter = (x == 2 && (1..=6).contains(&y)) || (y == 6 && x <= 5) || (y == 4 && x <= 4);
    Some(match (x, y, z) {
        (5, 0, 1..=3) => (WATER, 0),
        (_, 0, _) => (FLOOR, 0),
        (_, _, 7) => (WALL, 1),
        (2..=5, _, 6) if is_letter => (LETTER, 0),
        (4..=5, 1..=3, 4) => (BLUE_GLASS, NO_LIGHTMAP),
        (5..=6, 2..=4, 3) => (RED_GLASS, NO_LIGHTMAP),
        (0, 1..=3, 5) => (GLOW, NO_LIGHTMAP),
        (0, 1, 2) => (LAMP, 0),
        (7, 1, 1) => (UNKNOWN, NO_LIGHTMAP),
        (2, 1, 1) => (PAGES, NO_LIGHTMAP),
        (7, 1, 5) => (CHROME, 0),
        _ => return None,
    })
}

fn is_seen_through(material: u8) -> bool {
    matches!(material, BLUE_GLASS | RED_GLASS | WATER | GLOW)
}

/// `true` if a side of a block beside another one is drawn.
fn is_drawn(material: u8, beside: Option<(u8, u8)>) -> bool {
    match beside {
        None => true,
        Some((beside, _)) => is_seen_through(beside) && !is_seen_through(material),
    }
}

fn lightmap(luxel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    (0..16).flat_map(|i| luxel(i % 4, i / 4)).collect()
}

fn chunk() -> ChunkData {
    let mut strings = StringTableBuilder::default();
    let mut materials: Vec<_> = NAMES
        .iter()
        .map(|name| strings.add(name).unwrap())
        .collect();
    materials.push(strings.add("nobody knows").unwrap());
    let mut region = |name: &str, min, max| EnvironmentRegion {
        corners: corners_of(min, max),
        environment: strings.add(name).unwrap(),
    };
    let rain = region("rain", [-4.0, 1.0, -1.0], [0.0, 4.0, 2.5]);
    let moon = region("moon", [1.0, -3.0, -3.5], [3.5, -1.0, -1.0]);
    let cave = region("cave", [0.5, 1.0, -3.0], [3.5, 3.5, 0.0]);
    let night = region("night", [-1.0; 3], [0.0; 3]);
    let map = |luxels| Lightmap {
        exponent: 2,
        luxels,
    };
    // The floor's is darker toward the west, the wall's bluer toward the top.
    let floor = lightmap(|u, _| [90 + 50 * u as u8; 3]);
    let wall = lightmap(|_, v| [90 + 30 * v as u8, 90 + 30 * v as u8, 230]);
    // A light in the middle of the wall.
    let spot = lightmap(|u, v| match (u, v) {
        (1..=2, 1..=2) => [200; 3],
        _ => [20; 3],
    });
    let mut client = ChunkClient {
        sound_regions: vec![cave],
        sky_regions: vec![night],
        lightmaps: vec![map(floor), map(wall)],
        dynamic_lights: vec![ClientDynamicLight {
            color: [255, 160, 40],
            layers: vec![LightLayer {
                lightmap: 1,
                luxels: spot,
            }],
        }],
        ..ChunkClient::default()
    };
    let mut lit = Vec::new();
    let mut server_strings = StringTableBuilder::default();
    let attribute = PathAttribute {
        name: server_strings.add("floor").unwrap(),
        data: server_strings.add("wet").unwrap(),
    };
    let server = ChunkServer {
        regions: vec![ServerRegion {
            max: [3.5, 1.0, -1.5],
            min: [1.0, -2.5, -3.5],
            chunks: vec![ChunkIndex::default()],
        }],
        entities: entities().build(&mut server_strings).unwrap(),
        strings: server_strings.finish(),
    };
    let cubes = cubes(&mut client, &mut lit, attribute);
    let mut fast = ClientFastLight::new([60, 255, 90]);
    for first in lit {
        fast.push_range(first, &[255, 255, 0, 0]);
    }
    client.fast_lights.push(fast);
    ChunkData {
        strings: strings.finish(),
        materials,
        dynamic_lights: vec![DynamicLight {
            flags: DynamicLight::ENABLED,
            id: DYNAMIC_LIGHT,
        }],
        fast_lights: vec![FastLight {
            flags: DynamicLight::ENABLED,
            intensity: 160,
            id: FAST_LIGHT,
        }],
        weather_regions: vec![rain],
        gravity_regions: vec![moon],
        cubes,
        client: Some(client),
        server: Some(server),
        ..ChunkData::default()
    }
}

/// The corners of a box in the order of the format.
fn corners_of(min: [f32; 3], max: [f32; 3]) -> Corners {
    std::array::from_fn(|corner| {
        let signs = corner_signs(corner);
        std::array::from_fn(|axis| [min, max][usize::from(signs[axis] > 0.0)][axis])
    })
}

/// Some entities with shapes, and a rotated one.
fn entities() -> EntityList {
    let slanted =
        corners_of([-1.0, -1.0, -0.5], [1.0, 1.0, 0.5]).map(|[x, y, z]| [x + y * 0.4, y, z]);
    let entities = vec![
        NewEntity::new(EntityKind::Generic, "guard")
            .with("position", [-2.5, -3.0, -2.5])
            .with("rotation", [0.0, 30.0, 20.0])
            .with("bounds max", [0.5, 2.0, 0.5])
            .with("bounds min", [-0.5, 0.0, -0.5]),
        NewEntity::new(EntityKind::Light, "lamp")
            .with("position", [-2.5, 2.0, 0.0])
            .with("range", 1.5),
        NewEntity::new(EntityKind::Trigger, "gate")
            .with("position", [2.0, -1.0, -2.0])
            .with("shape", pmf::Value::Floats(slanted.as_flattened().to_vec())),
        NewEntity::new(EntityKind::AudioEmitter, "wind")
            .with("position", [2.5, 2.0, 0.0])
            .with("radius", [1.0, 0.5, 1.0]),
        NewEntity::new(EntityKind::Text, "note").with("position", [0.0, -1.0, -3.0]),
    ];
    EntityList {
        entities,
        ..EntityList::default()
    }
}

/// The one-metre cell of a position in the chunk, counted from the minimum corner.
fn metre_at(place: [f32; 3]) -> [i32; 3] {
    place.map(|at| (at + SIDE as f32 / 2.0).floor() as i32)
}

/// Depth of the octree at a cell: one metre, and deeper at the lamp.
fn divisions(cell: &Cell) -> u8 {
    match metre_at(cell.center) {
        [0, 1, 2] if cell.center[1] > -2.5 => 5,
        [0, 1, 2] => 4,
        _ => 3,
    }
}

/// Wraps the cube `inside` of a cell with additional cubes. Returns `true` if it added any.
fn wrap(cubes: &mut Cubes, cell: &Cell, inside: u32, attribute: PathAttribute) -> bool {
    let slope = || {
        let corners = corners_of([1.0, -3.0, -3.5], [3.5, -1.0, -1.5]);
        // Narrows the top to a ridge.
        corners.map(|[x, y, z]| [if y > -2.0 { x * 0.5 + 1.125 } else { x }, y, z])
    };
    let step = || corners_of([0.25, -3.0, -1.0], [3.5, -2.25, -0.25]);
    match (cell.depth, cell.center) {
        (1, [-2.0, -2.0, -2.0]) => {
            // The children of the root have the numbers 1 to 8.
            let west = (0..8).filter(|corner| corner_signs(*corner)[0] < 0.0);
            cubes.push_vis_info(inside, west.map(|corner| 1 + corner as u32), &[]);
        }
        (1, [2.0, -2.0, -2.0]) => {
            cubes.push_collider(inside, [slope(), step()]);
        }
        (2, [x, 1.0, z @ -1.0..=1.0]) => {
            let base = [x * 40.0 + 130.0, 120.0, 130.0 - z * 90.0];
            cubes.push_light_info(Some(inside), base.map(|part| part as u8), &[], &[]);
        }
        (2, [-1.0, -3.0, _]) => {
            cubes.push_path_info(Some(inside), &[attribute]);
        }
        _ => return false,
    }
    true
}

/// The octree, divided down to the cells. Collects the first vertices of quads that the fast light
/// reaches.
fn cubes(client: &mut ChunkClient, lit: &mut Vec<u32>, attribute: PathAttribute) -> Cubes {
    let mut cubes = Cubes::default();
    let root = Cell {
        cube: 0,
        depth: 0,
        center: [0.0; 3],
        half: 4.0,
    };
    let mut waiting = std::collections::VecDeque::from([(root, false)]);
    let mut next = 1;
    while let Some((cell, is_wrapped)) = waiting.pop_front() {
        if !is_wrapped && wrap(&mut cubes, &cell, next, attribute) {
            next += 1;
            waiting.push_back((cell, true));
            continue;
        }
        if cell.depth < divisions(&cell) {
            let children: [u32; 8] = std::array::from_fn(|corner| next + corner as u32);
            cubes.push_parent(0xFF, &children);
            next += 8;
            waiting.extend((0..8).map(|corner| (cell.child(corner, 0), false)));
            continue;
        }
        let place = metre_at(cell.center);
        let Some((material, lightmap)) = block(place) else {
            cubes.push_empty();
            continue;
        };
        let mut geometry = Geometry::new(material, 0, 0);
        if material == WALL {
            geometry.bits |= Geometry::COMMON_EXTENDED;
        }
        geometry.first_vertex = client.vertices.len() as u32;
        geometry.lightmaps = [lightmap; 6];
        for (side, order) in SIDE_CORNERS.into_iter().enumerate() {
            let axis = side % 3;
            let mut beside = cell.center;
            beside[axis] += cell.half * if side < 3 { 2.0 } else { -2.0 };
            let beside = metre_at(beside);
            let is_inside = beside.iter().all(|at| (0..SIDE).contains(at));
            if !is_drawn(material, if is_inside { block(beside) } else { None }) {
                continue;
            }
            geometry.triangles[side] = 2;
            if material == FLOOR && side == 1 && place[0] == 0 {
                lit.push(client.vertices.len() as u32);
            }
            let corners = cell.corners();
            let uvs = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]];
            client
                .vertices
                .extend(order.iter().zip(uvs).map(|(corner, uv)| {
                    let position: [f32; 3] = corners[*corner];
                    // The wall is mapped from the front, everything else from above.
                    let [u, v] = match axis {
                        2 => [position[0], -position[1]],
                        _ => [position[0], position[2]],
                    };
                    Vertex {
                        position,
                        uv,
                        lightmap_uv: [u, v].map(|at| at / SIDE as f32 + 0.5),
                    }
                }));
        }
        cubes.push_geometry(geometry, &[]);
    }
    cubes.link().unwrap();
    cubes
}

/// Writes the level and opens it from the written bytes.
pub(crate) fn open() -> Arc<dyn Document> {
    let mut map = synthesize::pmf([1, 1, 1], 1, 1);
    map.archive = Some(archive());
    let level = &mut map.levels[0];
    level.chunk_exponent = 3;
    level.center = ChunkIndex::default();
    level.common = common();
    level.client = Some(client());
    level.server = Some(LevelServer::default());
    level.chunks[0].data = Some(Box::new(chunk()));
    let bytes = pmf::write(&map, Packing::Compressed).unwrap();
    let source = Source {
        path: Path::new("gallery.pmf").into(),
        bytes: bytes.into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}

/// Opens a level of three chunks in a row: an intact one, an unreadable one, and one with a box of
/// a missing material.
pub(crate) fn open_broken() -> Arc<dyn Document> {
    /// Bytes before the data of a stored section: magic, descriptor and size of the block.
    const BEFORE: usize = 11;
    let map = synthesize::pmf([1, 3, 1], 2, 7);
    let mut file = pmf::write(&map, Packing::Stored).unwrap();
    let whole = pmf::read(&file).unwrap();
    let [_, lost, damaged] = &whole.levels[0].chunks[..] else {
        panic!("three chunks");
    };
    file[lost.frames[0].start as usize] = 0;
    let cubes = &damaged.data.as_ref().unwrap().cubes;
    let mut boxes = cubes.iter().filter(|(_, cube)| match cube {
        Cube::Geometry(geometry) => geometry.side_mask().count_ones() > 2,
        _ => false,
    });
    let (cube, _) = boxes.next().unwrap();
    let record = cubes.record(Side::Common, cube).unwrap();
    file[damaged.frames[0].start as usize + BEFORE + record.start as usize + 1] = 200;
    let source = Source {
        path: Path::new("broken.pmf").into(),
        bytes: file.into(),
        embedded: &[],
        archive: None,
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap()
}
