//! The level on the start page equals the output of its generator and shows all features.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use glam::Vec3;
use mapscope_formats::pmf::{
    self, Cell, ChunkClient, ChunkData, ClientMaterial, Cube, CubeKind, EntityKind, Face, Geometry,
    Level, Material, Pmf, SIDE_CORNERS,
};
use mapscope_scene::level::Map;
use mapscope_scene::{Document, LevelItem, OpenOptions, Progress, Ray, Shown, Source, demo};

use super::{FILE, bytes, plan};

static MADE: LazyLock<Vec<u8>> = LazyLock::new(|| bytes().unwrap());
static READ: LazyLock<Pmf> = LazyLock::new(|| pmf::read(&MADE).unwrap());
static OPEN: LazyLock<Map> = LazyLock::new(|| {
    let source = Source {
        path: FILE.into(),
        bytes: MADE.as_slice().into(),
        embedded: &[],
        archive: None,
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    Map::build(READ.clone(), &source, &options, &progress).unwrap()
});

fn level() -> &'static Level {
    &READ.levels[0]
}

/// The chunks of the level with their client data.
fn chunks() -> impl Iterator<Item = (&'static ChunkData, &'static ChunkClient)> {
    let data = level().chunks.iter().map(|chunk| chunk.data.as_deref());
    data.map(|data| (data.unwrap(), data.unwrap().client.as_ref().unwrap()))
}

/// The boxes of a chunk in their cells.
fn boxes(data: &ChunkData) -> impl Iterator<Item = (Cell, &Geometry)> {
    let cells = data.cubes.cells(level().chunk_side() * 0.5);
    cells.filter_map(|cell| match data.cubes.get(cell.cube) {
        Some(Cube::Geometry(geometry)) => Some((cell, geometry)),
        _ => None,
    })
}

#[test]
fn the_level_is_what_the_generator_makes() {
    let folder = crate::assets().join("levels");
    let kept = std::fs::read(folder.join(FILE)).unwrap();
    let hint = "run `cd generators && cargo run -- level`";
    assert!(
        kept == *MADE,
        "{FILE} is not what the generator makes: {hint}"
    );
    assert!(
        *demo::BATHHOUSE.source().bytes == *kept,
        "it is in the program"
    );
    for entry in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(entry.unwrap().file_name(), FILE, "made by hand");
    }
    assert!(kept.len() < 450_000, "{} bytes are too many", kept.len());
}

#[test]
fn nothing_is_wrong_with_it() {
    assert_eq!(READ.problems, []);
    assert_eq!(OPEN.about().problems, []);
    assert!(
        OPEN.textures()
            .list
            .iter()
            .all(|texture| texture.file.found)
    );
    let again = pmf::write(&READ, pmf::Packing::Compressed).unwrap();
    assert!(again == *MADE, "it is written again as it was");
}

#[test]
fn every_kind_of_cube_and_of_box_occurs() {
    let mut kinds: HashMap<CubeKind, u32> = HashMap::new();
    let mut extended: HashMap<(bool, bool), u32> = HashMap::new();
    for (data, client) in chunks() {
        for (cube, _) in data.cubes.iter() {
            *kinds.entry(data.cubes.kind(cube).unwrap()).or_default() += 1;
        }
        for (_, geometry) in boxes(data) {
            let bits = (geometry.is_common_extended(), geometry.is_client_extended());
            *extended.entry(bits).or_default() += 1;
        }
        assert_eq!(data.cubes.orphans(), 0);
        // Round objects have smooth normals.
        let flat = |normals: &[[f32; 3]]| normals.iter().all(|normal| *normal == normals[0]);
        assert!(client.normals.chunks(3).any(|normals| !flat(normals)));
    }
    for kind in CubeKind::ALL {
        assert!(kinds.contains_key(&kind), "{kind:?}: {kinds:?}");
    }
    assert_eq!(extended.len(), 4, "{extended:?}");
    assert!(extended.values().all(|count| *count > 10), "{extended:?}");
}

/// The content of a position in the level: air, a box that fills its cell, or another shape.
#[derive(Debug, Clone, Copy, PartialEq)]
enum In {
    Air,
    Solid,
    Clear,
    Shape,
}

/// The content of each quarter of a metre of the level.
struct Grid(HashMap<[i32; 3], In>);

/// The quarter of a metre that contains a position.
fn mark([x, y, z]: [f32; 3]) -> [i32; 3] {
    [x, y, z].map(|at| (at * 4.0).floor() as i32)
}

impl Grid {
    fn of_level() -> Self {
        let mut marks = HashMap::new();
        for (chunk, (data, _)) in level().chunks.iter().zip(chunks()) {
            let center = level().chunk_center(chunk.index);
            for cell in data.cubes.cells(level().chunk_side() * 0.5) {
                let what = match data.cubes.get(cell.cube) {
                    Some(Cube::Empty) => In::Air,
                    Some(Cube::Geometry(geometry)) => content(data, geometry),
                    _ => continue,
                };
                let least = [0, 1, 2].map(|i| center[i] + cell.center[i] - cell.half);
                let [x0, y0, z0] = mark(least);
                let side = (cell.half * 8.0) as i32;
                for x in x0..x0 + side {
                    for y in y0..y0 + side {
                        marks.extend((z0..z0 + side).map(|z| ([x, y, z], what)));
                    }
                }
            }
        }
        Self(marks)
    }

    /// The content of a mark; `None` outside the level.
    fn at(&self, mark: [i32; 3]) -> Option<In> {
        self.0.get(&mark).copied()
    }
}

fn content(data: &ChunkData, geometry: &Geometry) -> In {
    let is_plain = geometry.moved == 0 && geometry.first_normal == 0;
    let name = data.materials[usize::from(geometry.materials[0])];
    let name = data.strings.get(name);
    let materials = level().common.materials_by_name();
    let material = level().common.materials[materials[name.as_bytes()]];
    if material.flags & Material::TRANSPARENT != 0 || material.render_mode == Material::ADD {
        In::Clear
    } else if is_plain || flat_quads(data, geometry) {
        In::Solid
    } else {
        In::Shape
    }
}

/// `true` if all faces of a box are those of its cell although they have normals.
fn flat_quads(data: &ChunkData, geometry: &Geometry) -> bool {
    let vertices = &data.client.as_ref().unwrap().vertices;
    geometry.moved == 0
        && geometry.faces().all(|face| {
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let axis = face.side % 3;
            let mut places = vertices[range].iter().map(|vertex| vertex.position[axis]);
            let first = places.next();
            face.triangles == 2 && places.all(|place| Some(place) == first)
        })
}

#[test]
fn the_chunks_are_full_and_no_face_is_left_out_where_air_is() {
    let grid = Grid::of_level();
    assert_eq!(grid.0.len(), 128 * 64 * 64, "every place is in a cube");
    let mut faces = 0;
    for (chunk, (data, client)) in level().chunks.iter().zip(chunks()) {
        let center = level().chunk_center(chunk.index);
        for (cell, geometry) in boxes(data) {
            if content(data, geometry) != In::Solid {
                continue;
            }
            let corners = cell.corners();
            for (side, order) in SIDE_CORNERS.into_iter().enumerate() {
                let axis = side % 3;
                let least = [0, 1, 2].map(|i| center[i] + cell.center[i] - cell.half);
                let mut beside = mark(least);
                let count = (cell.half * 8.0) as i32;
                beside[axis] += if side < 3 { count } else { -1 };
                let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
                let next = (0..count * count).map(|i| {
                    let mut next = beside;
                    next[a] += i / count;
                    next[b] += i % count;
                    grid.at(next)
                });
                let next: Vec<Option<In>> = next.collect();
                let is_drawn = geometry.triangles[side] > 0;
                let is_open = |what: &Option<In>| matches!(what, Some(In::Air | In::Clear));
                if next.iter().any(is_open) {
                    assert!(is_drawn, "{side} of {cell:?} is seen from {beside:?}");
                }
                if next
                    .iter()
                    .all(|what| matches!(what, None | Some(In::Solid)))
                {
                    assert!(!is_drawn, "{side} of {cell:?} is never seen");
                }
                if !is_drawn || geometry.is_client_extended() {
                    continue;
                }
                faces += 1;
                let face = geometry.faces().find(|face| face.side == side).unwrap();
                for (vertex, corner) in face.vertices.zip(order) {
                    let found = client.vertices[vertex as usize].position;
                    assert_eq!(found, corners[corner], "{side} of {cell:?}");
                }
            }
        }
    }
    assert!(faces > 1500, "{faces}");
}

#[test]
fn triangles_are_seen_from_where_their_normals_look() {
    let mut count = 0;
    for (data, client) in chunks() {
        for (cell, geometry) in boxes(data) {
            for face in geometry.faces() {
                let Some(first) = face.first_normal else {
                    continue;
                };
                let range = face.vertices.start as usize..face.vertices.end as usize;
                let normals = client.normals[first as usize..].chunks(3);
                for (corners, normals) in client.vertices[range].chunks(3).zip(normals) {
                    let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(corners[i].position));
                    let normal: Vec3 = normals.iter().copied().map(Vec3::from).sum();
                    // The corner order of the file: fact sheet B3.
                    let outward = (c - a).cross(b - a);
                    assert!(outward.dot(normal) > 0.0, "{cell:?} {corners:?}");
                    for normal in normals {
                        assert!((Vec3::from(*normal).length() - 1.0).abs() < 1e-5);
                    }
                    count += 1;
                }
            }
        }
    }
    assert!(count > 2000, "{count}");
}

/// The normal of a flat face and a point on it; `None` if it is round.
fn plane(client: &ChunkClient, face: &Face) -> Option<(Vec3, Vec3)> {
    let vertices = &client.vertices[face.vertices.start as usize..face.vertices.end as usize];
    let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(vertices[i].position));
    if let Some(first) = face.first_normal {
        let normals = &client.normals[first as usize..][..vertices.len()];
        if normals.iter().any(|normal| *normal != normals[0]) {
            return None;
        }
    }
    Some(((c - a).cross(b - a).normalize(), a))
}

#[test]
fn light_does_not_bleed_from_face_to_face() {
    for (data, client) in chunks() {
        let mut owners: BTreeMap<(u8, i32, i32), (Vec3, Vec3)> = BTreeMap::new();
        for (_, geometry) in boxes(data) {
            for face in geometry.faces() {
                let lightmap = geometry.lightmaps[face.side];
                let map = client.lightmaps.get(usize::from(lightmap));
                let (Some(map), Some((normal, place))) = (map, plane(client, &face)) else {
                    continue;
                };
                let range = face.vertices.start as usize..face.vertices.end as usize;
                let side = map.side() as f32;
                let ends = [0, 1].map(|axis| {
                    let at = client.vertices[range.clone()].iter();
                    let at = at.map(|vertex| vertex.lightmap_uv[axis] * side);
                    let (low, high) = at.fold((f32::MAX, f32::MIN), |(low, high), at| {
                        (low.min(at), high.max(at))
                    });
                    // Filtering includes half a luxel around it.
                    assert!(low >= 0.99 && high <= side - 0.99, "{low} {high}");
                    (low - 0.49).floor() as i32..(high + 0.49).ceil() as i32
                });
                let [columns, rows] = ends;
                for (x, y) in columns.flat_map(|x| rows.clone().map(move |y| (x, y))) {
                    let (other, there) = *owners.entry((lightmap, x, y)).or_insert((normal, place));
                    assert!(
                        other.dot(normal) > 0.8 && (there - place).dot(normal).abs() < 0.3,
                        "luxel {x} {y} of {lightmap} is seen at {place} and at {there}"
                    );
                }
            }
        }
        assert!(owners.len() > 5000, "{}", owners.len());
    }
}

#[test]
fn light_goes_on_from_chunk_to_chunk() {
    // Luxels of the floor on both sides of the border are half a luxel away from it.
    let at_border = |chunk: usize| {
        let (data, client) = chunks().nth(chunk).unwrap();
        let mut found: BTreeMap<i32, [u8; 3]> = BTreeMap::new();
        for (_, geometry) in boxes(data) {
            let floor = geometry.faces().find(|face| face.side == 1);
            let map = client.lightmaps.get(usize::from(geometry.lightmaps[1]));
            let (Some(face), Some(map), false) = (floor, map, geometry.is_client_extended()) else {
                continue;
            };
            for vertex in &client.vertices[face.vertices.start as usize..][..4] {
                let [x, y, z] = vertex.position;
                let border = if chunk == 0 { 8.0 } else { -8.0 };
                if x != border || y != -4.0 {
                    continue;
                }
                let side = map.side() as f32;
                let [u, v] = vertex.lightmap_uv.map(|at| at * side);
                let inner = if chunk == 0 { u - 0.5 } else { u + 0.5 };
                let luxel = (v as usize * side as usize + inner as usize) * 3;
                let light = [0, 1, 2].map(|i| map.luxels[luxel + i]);
                found.insert(mark([x, y, z])[2], light);
            }
        }
        found
    };
    let (first, second) = (at_border(0), at_border(1));
    let mut compared = 0;
    for (place, light) in &first {
        let Some(other) = second.get(place) else {
            continue;
        };
        let most = (0..3).map(|i| light[i].abs_diff(other[i])).max();
        assert!(most < Some(40), "{place:?}: {light:?} and {other:?}");
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn materials_show_what_the_format_can() {
    let client = level().client.as_ref().unwrap();
    let materials = level().common.materials.iter().zip(&client.materials);
    let has = |of: &dyn Fn(&Material, &ClientMaterial) -> bool| {
        materials.clone().any(|(material, look)| of(material, look))
    };
    let water = Material::LIQUID | Material::TRANSPARENT;
    assert!(has(&|material, look| {
        let moves = look.texture_scroll != [0.0; 2] && look.wave.scale > 0.0;
        material.flags == water && moves && look.alpha < 255
    }));
    assert!(has(&|material, _| material.render_mode == Material::ADD));
    assert!(has(
        &|_, look| look.extra_textures.len() > 2 && look.advance_micros > 0
    ));
    assert!(has(&|_, look| look.emission != [0; 3]));
    assert!(has(&|material, look| material.flags
        == Material::TRANSPARENT
        && look.alpha < 100));
    // Every material is used by a face or by the sky.
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (data, _) in chunks() {
        for (_, geometry) in boxes(data) {
            used.extend(geometry.faces().map(|face| {
                let material = data.materials[usize::from(geometry.materials[face.side])];
                data.strings.get(material).into_owned()
            }));
        }
    }
    let sky = client.skies[0].skybox;
    used.extend(sky.map(|name| client.strings.get(name).into_owned()));
    assert_eq!(used.len(), level().common.materials.len(), "{used:?}");
    let archive = READ.archive.as_ref().unwrap();
    assert!(archive.file_paths().iter().any(|path| path == "notes.txt"));
}

#[test]
fn each_light_changes_something_where_it_shines() {
    let ids = |of: &dyn Fn(&ChunkData) -> Vec<u32>| -> BTreeSet<u32> {
        chunks().flat_map(|(data, _)| of(data)).collect()
    };
    let dynamic = ids(&|data| data.dynamic_lights.iter().map(|light| light.id).collect());
    let fast = ids(&|data| data.fast_lights.iter().map(|light| light.id).collect());
    assert_eq!((dynamic.len(), fast.len()), (4, 2));
    for id in &dynamic {
        let layers = chunks().flat_map(|(data, client)| {
            let lights = data.dynamic_lights.iter().zip(&client.dynamic_lights);
            lights
                .filter(|(light, _)| light.id == *id)
                .map(|(_, look)| &look.layers)
        });
        let brightest = layers.flatten().flat_map(|layer| &layer.luxels).max();
        assert!(brightest > Some(&60), "light {id}: {brightest:?}");
    }
    // Lanterns light both chunks.
    for (_, client) in chunks() {
        assert!(!client.dynamic_lights[0].layers.is_empty());
    }
    for id in &fast {
        let vertices: u32 = chunks()
            .flat_map(|(data, client)| data.fast_lights.iter().zip(&client.fast_lights))
            .filter(|(light, _)| light.id == *id)
            .flat_map(|(_, look)| look.ranges().map(|(range, _)| range.len() as u32))
            .sum();
        assert!(vertices > 100, "light {id} is on {vertices} vertices");
    }
    // Each of them is switched by an entity.
    let server = level().server.as_ref().unwrap();
    let switched = server.entities.iter(&server.strings).filter_map(|entity| {
        let is_controller = matches!(
            entity.kind(),
            EntityKind::DynamicLightController | EntityKind::FastLightController
        );
        is_controller.then(|| entity.value("light")?.number())?
    });
    let switched: BTreeSet<u32> = switched.map(|id| id as u32).collect();
    assert_eq!(switched, dynamic.union(&fast).copied().collect());
    // The lightmaps change when the lanterns are off.
    let luxels = |intensity| {
        let mut shown = Shown::default();
        let lantern = LevelItem::DynamicLight { level: 0, id: 1 }.into();
        shown.lights.set(lantern, Some(intensity));
        let lighting = OPEN.lighting(&shown, 0).unwrap();
        let chunks = 0..level().chunks.len();
        let maps = chunks.flat_map(|chunk| lighting.paint_all(chunk).collect::<Vec<_>>());
        maps.flat_map(|map| map.luxels).collect::<Vec<u8>>()
    };
    let (lit, dark) = (luxels(u8::MAX), luxels(0));
    let changed = lit.iter().zip(&dark).filter(|(lit, dark)| lit != dark);
    assert!(changed.count() > 10_000);
}

#[test]
fn there_are_entities_of_many_types_everywhere() {
    let mut kinds = HashSet::new();
    let mut count = |entities: &pmf::Entities, strings: &pmf::StringTable| {
        let mut properties = 0;
        for entity in entities.iter(strings) {
            assert!(!entity.name().is_empty());
            kinds.insert(entity.kind());
            properties += entity
                .properties()
                .filter(|(_, property)| property.is_ok())
                .count();
        }
        (entities.len(), properties)
    };
    let (of_map, properties) = count(&READ.entities, &READ.strings);
    assert!(of_map >= 3 && properties >= 3);
    let server = level().server.as_ref().unwrap();
    assert!(count(&server.entities, &server.strings).0 >= 6);
    for (data, _) in chunks() {
        let server = data.server.as_ref().unwrap();
        assert!(count(&server.entities, &server.strings).0 >= 5);
        assert!(!server.regions.is_empty());
        assert!(!data.weather_regions.is_empty());
    }
    assert!(kinds.len() >= 12, "{kinds:?}");
    assert_eq!(READ.header.gamemodes.len(), 2);
}

/// The material of the first hit from a position in a direction.
fn met(from: [f32; 3], to: [f32; 3]) -> String {
    let ray = Ray {
        origin: from.into(),
        direction: (Vec3::from(to) - Vec3::from(from)).normalize(),
    };
    let hit = OPEN.first_hit(ray, 0, false).unwrap();
    let parts = (&*OPEN as &dyn Document).summary(hit.item, &Shown::default());
    let part = parts.iter().find(|part| part.name == "Material");
    part.unwrap().value.clone()
}

#[test]
fn the_letters_read_from_the_left_to_the_right() {
    // In the hall looking along +X, right is toward -Z: B is on the left, S on the right.
    let row = |y: f32| -> String {
        let columns = (0..19).map(|column| 2.125 - 0.25 * column as f32);
        let marks = columns.map(|z| match met([15.0, y, z], [17.0, y, z]).as_str() {
            "brass" => '#',
            _ => ' ',
        });
        marks.collect()
    };
    let rows: Vec<String> = (0..5).map(|i| row(3.625 - 0.25 * i as f32)).collect();
    assert_eq!(rows, plan::LETTERS);
}

#[test]
fn one_sees_from_room_to_room() {
    // Through the arch onto the carpet, down to the water, and up through the skylight.
    assert_eq!(met([6.0, -2.5, 0.5], [-3.5, -3.97, 0.5]), "cloth");
    assert_eq!(met([6.5, -3.0, 2.0], [6.5, -5.0, 2.0]), "water");
    assert_eq!(met([15.0, 3.0, 0.0], [15.0, 5.0, 0.0]), "planks");
    assert_eq!(met([9.0, 5.0, 1.0], [9.0, 8.0, 1.0]), "clear glass");
}

/// The colour of a texel of a side of the sky.
fn sky(side: usize, [u, v]: [usize; 2]) -> [i32; 3] {
    let client = level().client.as_ref().unwrap();
    let name = client.skies[0].skybox[side];
    let name = client.strings.get(name);
    let material = level().common.materials_by_name()[name.as_bytes()];
    let path = client.strings.get(client.materials[material].texture);
    let index = OPEN.textures().find(&path).unwrap();
    let texture = &OPEN.textures().list[index].texture;
    let at = (v * texture.size[0] as usize + u) * 4;
    [0, 1, 2].map(|i| i32::from(texture.levels[0][at + i]))
}

#[test]
fn the_sky_goes_on_from_side_to_side() {
    const LAST: usize = 63;
    let [right, top, front, left, bottom, back] = [0, 1, 2, 3, 4, 5];
    // Texels on both sides of an edge, as seen from inside (fact sheet B35).
    type Edge = (
        usize,
        fn(usize) -> [usize; 2],
        usize,
        fn(usize) -> [usize; 2],
    );
    let edges: [Edge; 6] = [
        (front, |i| [LAST, i], right, |i| [0, i]),
        (right, |i| [LAST, i], back, |i| [0, i]),
        (back, |i| [LAST, i], left, |i| [0, i]),
        (left, |i| [LAST, i], front, |i| [0, i]),
        (front, |i| [i, 0], top, |i| [i, LAST]),
        (front, |i| [i, LAST], bottom, |i| [i, 0]),
    ];
    for (a, texel_a, b, texel_b) in edges {
        let mut colors = HashSet::new();
        let mut sum = 0;
        for i in 0..=LAST {
            let (from, to) = (sky(a, texel_a(i)), sky(b, texel_b(i)));
            colors.insert(from);
            sum += (0..3).map(|c| from[c].abs_diff(to[c])).sum::<u32>();
        }
        // Adjacent texels differ slightly.
        let mean = sum as f32 / 3.0 / (LAST + 1) as f32;
        assert!(mean < 6.0, "{a} and {b} differ by {mean}");
        assert!(colors.len() > 1 || b == bottom);
    }
}
