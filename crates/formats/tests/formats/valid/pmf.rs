//! Maps of `PlatinumSrc` (document, and fact sheet A and C).

use std::io::Write as _;

pub(super) use mapscope_formats::pmf::read;
use mapscope_formats::pmf::{
    ChunkData, Cube, Entities, LightReference, Pmf, StringRef, StringTable,
};

use super::{GeneratedFile, Random, Reading};

pub(super) fn describe(map: Pmf) -> Reading {
    let mut records = Vec::new();
    let levels = || (0_usize..).zip(&map.levels);
    list! { records:
        "header" in [&map.header].into_iter() =>
            |it| it.created_unix_secs, it.name, it.description, it.authors, it.compiler, it.gamemodes;
        "extension" in map.extensions.iter() => |it| it.flags, it.name, it.data;
        "level" in levels() =>
            |(number, it)| number, it.flags, it.grid, it.chunk_exponent, it.center.yxz();
    }
    for (number, level) in levels() {
        let common = &level.common;
        let get = |name| common.strings.get(name);
        list! { records:
            "material" in common.materials.iter() =>
                |it| get(it.name), get(it.kind), it.flags, it.render_mode;
            "physics" in common.physics_materials.iter() => |it| get(it.name), it.flags,
                [it.friction_or_max_speed, it.traction, it.bounce],
                [it.damage_speed, it.base_damage, it.extra_damage];
            "sound" in common.sound_materials.iter() => |it| it.volume_dampening, it.frequency_dampening;
            "gravity" in common.gravities.iter() => |it| get(it.name), it.acceleration;
        }
        if let Some(client) = &level.client {
            let get = |name| client.strings.get(name);
            let extra = |it: &[StringRef]| it.iter().map(|name| get(*name)).collect::<Vec<_>>();
            list! { records:
                "look" in client.materials.iter() => |it| it.color, it.alpha, get(it.texture),
                    extra(&it.extra_textures), it.advance_micros, it.wave.velocity;
            }
        }
        if let Some(server) = &level.server {
            let place = format!("of level {number}");
            entities(&mut records, &place, &server.entities, &server.strings);
        }
        for chunk in &level.chunks {
            if let Some(data) = &chunk.data {
                push_chunk_texts(
                    &mut records,
                    &format!("{number} {:?}", chunk.index.yxz()),
                    data,
                );
            }
        }
    }
    entities(&mut records, "of the map", &map.entities, &map.strings);
    let problems = map.problems;
    Reading { records, problems }
}

fn entities(records: &mut Vec<String>, place: &str, list: &Entities, strings: &StringTable) {
    list! { records:
        "entity" in list.iter(strings) => |it| place, it.kind().number(), it.name(), it.bytes();
    }
}

fn push_chunk_texts(records: &mut Vec<String>, place: &str, data: &ChunkData) {
    let names = data.materials.iter().map(|name| data.strings.get(*name));
    records.push(says!("chunk", place, names.collect::<Vec<_>>()));
    if let Some(client) = &data.client {
        list! { records:
            "lightmap" in client.lightmaps.iter() => |it| it.exponent, it.luxels;
            "vertex" in client.vertices.iter() => |it| it.position, it.uv, it.lightmap_uv;
        }
    }
    let cubes = &data.cubes;
    let text = |name| data.server.as_ref().map(|server| server.strings.get(name));
    let lights = |all: &[LightReference]| -> Vec<(u8, u8)> {
        all.iter().map(|it| (it.light, it.multiplier)).collect()
    };
    let cube_says = |cube: Cube<'_>| match cube {
        Cube::Empty => "empty".to_owned(),
        Cube::Parent(it) => says!("parent", cubes.children(it).collect::<Vec<_>>()),
        Cube::Geometry(it) => {
            let moved: Vec<_> = cubes.moved_points(it).collect();
            let normal = it.is_client_extended().then_some(it.first_normal);
            let face = |side: usize| (side, it.materials[side], it.lightmaps[side]);
            let faces: Vec<_> = it.faces().map(|it| face(it.side)).collect();
            says!(
                "geometry",
                it.bits,
                faces,
                moved,
                it.triangles,
                it.first_vertex,
                normal
            )
        }
        Cube::VisInfo(it) => {
            let chunks = cubes
                .visible_chunks(it)
                .iter()
                .map(|seen| (seen.chunk.yxz(), cubes.visible_chunk_cubes(seen)));
            says!(
                "vis",
                it.child,
                cubes.visible_cubes(it),
                chunks.collect::<Vec<_>>()
            )
        }
        Cube::LightInfo(it) => {
            let [dynamic, fast] = [cubes.dynamic_lights(it), cubes.fast_lights(it)].map(lights);
            says!("light", it.child, it.base, dynamic, fast)
        }
        Cube::PathInfo(it) => {
            let all = cubes
                .attributes(it)
                .iter()
                .map(|it| (text(it.name), text(it.data)));
            says!("path", it.child, all.collect::<Vec<_>>())
        }
        Cube::Collider(it) => says!("collider", it.child, cubes.boxes(it)),
    };
    list! { records: "cube" in cubes.iter() => |(number, cube)| place, number, cube_says(cube); }
    if let Some(server) = &data.server {
        list! { records: "region" in server.regions.iter() => |it| it.max, it.min, it.chunks.len(); }
        let place = format!("of chunk {place}");
        entities(records, &place, &server.entities, &server.strings);
    }
}

/// A section while it is written: its content, and the places of its records.
#[derive(Default)]
struct Section {
    bytes: Vec<u8>,
    strings: Vec<u8>,
    records: Vec<super::Record>,
}

impl Section {
    fn u8(&mut self, number: usize) {
        self.bytes.push(number as u8);
    }

    fn u32(&mut self, number: usize) {
        self.bytes.extend((number as u32).to_le_bytes());
    }

    fn floats(&mut self, numbers: &[f32]) {
        numbers
            .iter()
            .for_each(|number| self.bytes.extend(number.to_le_bytes()));
    }

    /// Writes the offset of a text.
    fn text(&mut self, text: &str) {
        let offset = self.string(text);
        self.bytes.extend((offset as u32).to_le_bytes());
    }

    fn string(&mut self, text: &str) -> usize {
        if self.strings.is_empty() {
            self.strings.push(0);
        }
        if text.is_empty() {
            return 0;
        }
        let offset = self.strings.len();
        self.strings.extend(text.as_bytes());
        self.strings.push(0);
        offset
    }

    fn record(&mut self, start: usize, says: String) {
        let at = start..self.bytes.len();
        self.records.push(super::Record { says, at });
    }

    /// The section with its texts before it.
    fn with_strings(mut self) -> Self {
        self.string("");
        let size = (self.strings.len() as u32).to_le_bytes();
        let by = 4 + self.strings.len();
        Self {
            bytes: [&size[..], &self.strings, &self.bytes].concat(),
            strings: Vec::new(),
            records: self.records.into_iter().map(|it| it.behind(by)).collect(),
        }
    }

    /// Writes a list of entities, which is always the last of its section.
    fn entities(&mut self, random: &mut Random, place: &str, most: usize) {
        let (shorts, words, longs) = (random.count(3), 32, random.count(2));
        self.u32(shorts);
        self.bytes.extend(vec![0; 2 * shorts]);
        self.u32(words);
        (0..words).for_each(|_| self.floats(&[1.5]));
        self.u32(longs);
        self.bytes.extend(vec![0; 8 * longs]);
        // One property, a flag.
        self.u32(1);
        self.u8(1);
        [0, 0, 1].into_iter().for_each(|number| self.u32(number));
        let count = random.count(most);
        self.u32(count);
        for _ in 0..count {
            let start = self.bytes.len();
            let kind = random.below(BODIES.len());
            let (size, position) = BODIES[kind];
            self.u32(random.below(4));
            let name = random.name();
            self.text(&name);
            [0, 0].into_iter().for_each(|number| self.u32(number));
            self.u8(kind);
            let mut body = vec![0; size];
            if let Some(at) = position {
                let numbers = [(); 3].map(|()| float(random)).concat();
                body[at..at + 12].copy_from_slice(&numbers);
            }
            self.bytes.extend(body);
            let bytes = &self.bytes[start..];
            let says = says!("entity", place, kind, name, bytes);
            self.record(start, says);
        }
    }
}

/// The body size of each entity type, and the offset of its position.
const BODIES: [(usize, Option<usize>); 27] = [
    (0, None),
    (4, None),
    (121, Some(1)),
    (126, Some(2)),
    (394, Some(2)),
    (37, Some(1)),
    (222, Some(2)),
    (158, Some(1)),
    (60, Some(1)),
    (147, Some(1)),
    (242, Some(1)),
    (98, Some(1)),
    (81, Some(1)),
    (69, Some(1)),
    (105, Some(1)),
    (43, Some(0)),
    (53, Some(1)),
    (58, Some(1)),
    (31, None),
    (29, None),
    (37, None),
    (20, None),
    (24, None),
    (15, None),
    (81, Some(1)),
    (25, None),
    (53, None),
];

/// A number, sometimes NaN.
fn float(random: &mut Random) -> [u8; 4] {
    let number = if random.odd(30) {
        f32::NAN
    } else {
        random.int() as f32 / 8.0
    };
    number.to_le_bytes()
}

fn triple(random: &mut Random) -> [f32; 3] {
    [(); 3].map(|()| random.int() as f32 / 8.0)
}

/// An LZ4 frame.
fn frame(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    if random.odd(2) {
        let mut info = lz4_flex::frame::FrameInfo::new();
        info.content_checksum = random.below(2) == 0;
        info.block_checksums = random.below(2) == 0;
        info.content_size = (random.below(2) == 0).then_some(bytes.len() as u64);
        let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(bytes).unwrap();
        return encoder.finish().unwrap();
    }
    // Stored, in blocks of at most 64 KiB, without checksums.
    let mut out = vec![0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82];
    for block in bytes.chunks(1 << 16) {
        out.extend((block.len() as u32 | 1 << 31).to_le_bytes());
        out.extend(block);
    }
    out.extend([0; 4]);
    out
}

/// The cubes of a chunk: their records in the three sections, and the expected texts.
#[derive(Default)]
struct Cubes {
    common: Vec<Vec<u8>>,
    client: Vec<Vec<u8>>,
    server: Vec<Vec<u8>>,
    says: Vec<String>,
    vertices: Vec<[f32; 7]>,
    normals: usize,
}

impl Cubes {
    fn add(&mut self) -> usize {
        self.common.push(Vec::new());
        self.client.push(Vec::new());
        self.server.push(Vec::new());
        self.says.push(String::new());
        self.common.len() - 1
    }

    /// Makes a cube with all cubes below it, and returns its number.
    fn cube(
        &mut self,
        random: &mut Random,
        depth: usize,
        grid: [usize; 3],
        server: &mut Section,
    ) -> usize {
        let kind = if depth == 0 {
            1
        } else if depth > 3 {
            random.pick(&[0, 2, 2])
        } else {
            random.pick(&[0, 1, 2, 2, 2, 3, 4, 5, 6])
        };
        // A child may be before or after its parent.
        let early = (depth == 0 || random.below(2) == 0).then(|| self.add());
        let mut children = Vec::new();
        let mut mask = 0;
        if kind == 1 {
            mask = if depth == 0 { 0xff } else { random.below(256) };
            for corner in (0..8).filter(|corner| mask >> corner & 1 != 0) {
                children.push((corner, self.cube(random, depth + 1, grid, server) as u32));
            }
        } else if kind > 2 {
            children.push((0, self.cube(random, depth + 1, grid, server) as u32));
        }
        let number = early.unwrap_or_else(|| self.add());
        let child = children.first().map(|(_, child)| *child);
        let mut bits = 0;
        let mut common = Section::default();
        let mut client = Section::default();
        let mut own = Vec::new();
        let says = match kind {
            0 => "empty".to_owned(),
            1 => {
                common.u8(mask);
                children
                    .iter()
                    .for_each(|(_, child)| common.u32(*child as usize));
                says!("parent", children)
            }
            2 => self.geometry(random, &mut bits, &mut common, &mut client),
            3 => {
                let seen: Vec<u32> = (0..random.below(3)).map(|_| number as u32).collect();
                common.u32(child.unwrap_or_default() as usize);
                common.u32(seen.len());
                seen.iter().for_each(|cube| common.u32(*cube as usize));
                let chunk = grid.map(|count| random.below(count));
                common.u32(1);
                common.u32(index(chunk));
                common.u32(0);
                says!("vis", child, seen, [(chunk, [0_u32; 0])])
            }
            4 => {
                let base = [(); 3].map(|()| random.below(256) as u8);
                client.u32(child.unwrap_or_default() as usize);
                client.bytes.extend(base);
                client.bytes.extend([1, 0, 77, 0]);
                says!("light", child, base, [(0, 77)], [0; 0])
            }
            5 => {
                own.extend(child.unwrap_or_default().to_le_bytes());
                own.push(1);
                let (name, data) = (random.name(), random.name());
                for text in [&name, &data] {
                    own.extend((server.string(text) as u32).to_le_bytes());
                }
                says!("path", child, [(Some(name), Some(data))])
            }
            _ => {
                let boxes: Vec<[[f32; 3]; 8]> = (0..=random.below(2))
                    .map(|_| [(); 8].map(|()| triple(random)))
                    .collect();
                bits = (boxes.len() - 1) << 4;
                common.u32(child.unwrap_or_default() as usize);
                boxes
                    .iter()
                    .flatten()
                    .for_each(|point| common.floats(point));
                says!("collider", child, boxes)
            }
        };
        self.common[number] = [&[(bits | kind) as u8][..], &common.bytes].concat();
        self.client[number] = client.bytes;
        self.server[number] = own;
        self.says[number] = says;
        number
    }

    fn geometry(
        &mut self,
        random: &mut Random,
        bits: &mut usize,
        common: &mut Section,
        client: &mut Section,
    ) -> String {
        *bits = random.below(8) << 4;
        let materials: [u8; 6];
        let mut moved = Vec::new();
        let mut triangles = [0_u8; 6];
        let mut lightmaps = [0_u8; 6];
        let mask = random.below(64);
        if *bits & 0x20 != 0 {
            triangles = [(); 6].map(|()| random.below(3) as u8);
        } else {
            (0..6)
                .filter(|side| mask >> side & 1 != 0)
                .for_each(|side| triangles[side] = 2);
        }
        if *bits & 0x10 != 0 {
            // Faces that are not drawn may have any material.
            materials = std::array::from_fn(|side| {
                if triangles[side] == 0 {
                    200
                } else {
                    random.below(2) as u8
                }
            });
            common.bytes.extend(materials);
            common.bytes.extend([0; 7]);
            let corners = random.below(256);
            common.u8(corners);
            for corner in (0..8).filter(|corner| corners >> corner & 1 != 0) {
                let point = triple(random);
                common.floats(&point);
                moved.push((corner, point));
            }
        } else {
            materials = [random.below(2) as u8; 6];
            common.bytes.extend([materials[0], 0, 0]);
        }
        let first = self.vertices.len();
        let mut first_normal = None;
        let count: usize = triangles.iter().map(|count| usize::from(*count)).sum();
        if *bits & 0x20 != 0 {
            lightmaps = [(); 6].map(|()| random.pick(&[0, 255]));
            first_normal = Some(self.normals);
            client.bytes.extend(lightmaps);
            client.bytes.extend(triangles);
            client.u32(first);
            client.u32(self.normals);
            self.normals += 3 * count;
        } else {
            lightmaps = [random.pick(&[lightmaps[0], 255]); 6];
            client.u8(lightmaps[0].into());
            client.u32(first);
            client.u8(mask);
        }
        let vertices = if *bits & 0x20 != 0 {
            3 * count
        } else {
            2 * count
        };
        self.vertices
            .extend((0..vertices).map(|_| [(); 7].map(|()| random.int() as f32 / 8.0)));
        let drawn = (0..6).filter(|side| triangles[*side] > 0);
        let faces: Vec<_> = drawn
            .map(|side| (side, materials[side], lightmaps[side]))
            .collect();
        says!(
            "geometry",
            bits,
            faces,
            moved,
            triangles,
            first,
            first_normal
        )
    }
}

fn index([y, x, z]: [usize; 3]) -> usize {
    y << 24 | x << 12 | z
}

const MATERIALS: [&str; 2] = ["stone", "deactivated"];

fn chunk(random: &mut Random, place: &str, grid: [usize; 3]) -> [Section; 3] {
    let [mut common, mut client, mut server] = [(); 3].map(|()| Section::default());
    let mut cubes = Cubes::default();
    cubes.cube(random, 0, grid, &mut server);
    let start = common.bytes.len();
    for names in [&MATERIALS[..], &["ground"], &["soft"]] {
        common.u8(names.len());
        names.iter().for_each(|name| common.text(name));
    }
    common.record(start, says!("chunk", place, MATERIALS));
    // No regions, a dynamic light, no fast light.
    common.bytes.extend([0, 0, 1, 1]);
    common.u32(random.fresh() as usize);
    common.u8(0);
    common.u32(cubes.common.len());
    // No regions, one lightmap.
    client.bytes.extend([0, 0, 1]);
    let at = client.bytes.len();
    let exponent = random.below(3);
    let luxels: Vec<u8> = (0..3 << (2 * exponent))
        .map(|_| random.next() as u8)
        .collect();
    client.u8(exponent);
    client.bytes.extend(&luxels);
    client.record(at, says!("lightmap", exponent, luxels));
    client.u32(cubes.vertices.len());
    for it in &cubes.vertices {
        let at = client.bytes.len();
        client.floats(it);
        client.record(at, says!("vertex", it[..3], it[3..5], it[5..]));
    }
    client.u32(cubes.normals);
    (0..cubes.normals).for_each(|_| client.floats(&[0.0, 1.0, 0.0]));
    // The dynamic light illuminates nothing, in a colour.
    client.bytes.extend([9, 8, 7, 0]);
    let regions = random.count(2);
    server.u8(regions);
    for _ in 0..regions {
        let at = server.bytes.len();
        let low = triple(random);
        let high = low.map(|edge| edge + 2.0);
        server.floats(&high);
        server.floats(&low);
        server.u32(1);
        server.u32(0);
        server.record(at, says!("region", high, low, 1));
    }
    for (number, says) in cubes.says.iter().enumerate() {
        let at = common.bytes.len();
        common.bytes.extend(&cubes.common[number]);
        common.record(at, says!("cube", place, number, says));
        client.bytes.extend(&cubes.client[number]);
        server.bytes.extend(&cubes.server[number]);
    }
    server.entities(random, &format!("of chunk {place}"), 2);
    [common.with_strings(), client, server.with_strings()]
}

fn level_sections(random: &mut Random, number: usize, made: &mut GeneratedFile) -> [Section; 3] {
    let [mut common, mut client, mut server] = [(); 3].map(|()| Section::default());
    common.bytes.extend(2_u16.to_le_bytes());
    for name in MATERIALS {
        let at = common.bytes.len();
        let (kind, mut flags, mode) = (random.name(), random.below(4), random.below(2));
        if random.odd(4) {
            flags |= 0x40;
            made.warn("pmf/reserved-bits");
        }
        common.text(name);
        common.text(&kind);
        common.bytes.extend([flags as u8, mode as u8]);
        common.record(at, says!("material", name, kind, flags, mode));
    }
    common.bytes.extend(1_u16.to_le_bytes());
    let at = common.bytes.len();
    let numbers = [(); 6].map(|()| random.int() as f32);
    common.text("ground");
    common.u8(0);
    common.floats(&numbers);
    common.record(
        at,
        says!("physics", "ground", 0, numbers[..3], numbers[3..]),
    );
    common.bytes.extend(1_u16.to_le_bytes());
    let at = common.bytes.len();
    let numbers = [(); 2].map(|()| random.int() as f32);
    common.floats(&numbers);
    common.record(at, says!("sound", numbers[0], numbers[1]));
    common.text("ground");
    common.bytes.extend([0, 1]);
    let at = common.bytes.len();
    let pull = triple(random);
    common.text("earth");
    common.floats(&pull);
    common.record(at, says!("gravity", "earth", pull));
    common.text("");
    common.text("earth");
    client.bytes.extend([0, 0]);
    client.text("");
    client.text("");
    for _ in MATERIALS {
        let at = client.bytes.len();
        let color = [(); 3].map(|()| random.below(256) as u8);
        let (alpha, texture, micros, wave) = (
            random.below(256),
            random.name(),
            random.fresh() as usize,
            triple(random),
        );
        client.bytes.extend(color);
        client.u8(alpha);
        client.bytes.extend([1, 2, 3, 4]);
        client.text(&texture);
        client.text("");
        let extra: Vec<String> = (0..random.count(2)).map(|_| random.name()).collect();
        client.u8(extra.len());
        extra.iter().for_each(|name| client.text(name));
        client.u32(micros);
        client.floats(&[0.5; 4]);
        client.floats(&wave);
        client.floats(&[0.25; 3]);
        client.record(
            at,
            says!("look", color, alpha, texture, extra, micros, wave),
        );
    }
    server.entities(random, &format!("of level {number}"), 3);
    [common, client, server].map(Section::with_strings)
}

/// Writes the frames of three sections, and returns their two lists of sizes.
fn frames(
    made: &mut GeneratedFile,
    random: &mut Random,
    sections: [Section; 3],
    body: &mut Vec<u8>,
    at: usize,
) -> [[usize; 3]; 2] {
    let mut sizes = [[0; 3]; 2];
    for (i, mut section) in sections.into_iter().enumerate() {
        if random.odd(12) {
            section.bytes.extend([1, 2, 3]);
            made.warn("pmf/trailing-data");
        }
        let packed = frame(random, &section.bytes);
        sizes[0][i] = packed.len();
        sizes[1][i] = section.bytes.len();
        // After the head of the frame and the size of its only block, if it is stored.
        let by = at + body.len() + 11;
        made.take(section.records, by);
        made.sections
            .push(at + body.len()..at + body.len() + packed.len());
        body.extend(packed);
    }
    sizes
}

fn level(made: &mut GeneratedFile, random: &mut Random, number: usize, at: usize) -> Vec<u8> {
    let grid = if random.is_odd {
        random.pick(&[[1, 1, 1], [1, 2, 1], [2, 1, 2]])
    } else {
        [1, 2, 1]
    };
    let mut flags = random.below(8);
    if random.odd(3) {
        flags |= random.pick(&[0x08, 0x80, 0xf8]);
        made.warn("pmf/reserved-bits");
    }
    let (exponent, center) = (random.below(6), grid.map(|count| random.below(count)));
    let before = made.records.len();
    let sections = level_sections(random, number, made);
    let mut body = Vec::new();
    let head = 25;
    let sizes = frames(made, random, sections, &mut body, at + head);
    let mut bytes = vec![flags as u8];
    let put = |bytes: &mut Vec<u8>, number: usize| bytes.extend((number as u32).to_le_bytes());
    sizes
        .iter()
        .flatten()
        .for_each(|size| put(&mut bytes, *size));
    bytes.extend(body);
    put(&mut bytes, index(grid.map(|count| count - 1)));
    bytes.push(exponent as u8);
    put(&mut bytes, index(center));
    let says = says!("level", number, flags, grid, exponent, center);
    let at_flags = at..at + 1;
    made.records
        .insert(before, super::Record { says, at: at_flags });
    let [rows, columns, layers] = grid;
    let count = rows * columns * layers;
    let (mut directory, mut blobs) = (Vec::new(), Vec::new());
    let blobs_at = at + bytes.len() + 24 * count;
    for i in 0..count {
        let place = [i / layers / columns, i / layers % columns, i % layers];
        let sections = chunk(random, &format!("{number} {place:?}"), grid);
        let sizes = frames(made, random, sections, &mut blobs, blobs_at);
        sizes
            .iter()
            .flatten()
            .for_each(|size| put(&mut directory, *size));
    }
    bytes.extend(directory);
    bytes.extend(blobs);
    if random.odd(4) {
        bytes.extend(random.name().as_bytes());
        made.warn("pmf/trailing-data");
    }
    bytes
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut made = GeneratedFile::default();
    let created = random.next() >> 32;
    let texts = [(); 4].map(|()| {
        if random.odd(4) {
            String::new()
        } else {
            random.name()
        }
    });
    let modes: Vec<String> = (0..random.count(3)).map(|_| random.name()).collect();
    made.bytes.extend(b"PMF\0");
    made.bytes.extend(created.to_le_bytes());
    texts
        .iter()
        .for_each(|text| made.bytes.extend([text.as_bytes(), b"\0"].concat()));
    made.bytes.push(modes.len() as u8);
    modes
        .iter()
        .for_each(|mode| made.bytes.extend([mode.as_bytes(), b"\0"].concat()));
    let [name, description, authors, compiler] = &texts;
    made.record(
        0,
        says!(
            "header",
            created,
            name,
            description,
            authors,
            compiler,
            modes
        ),
    );
    let mut global = Section::default();
    global.entities(random, "of the map", 4);
    global.string("");
    made.u32(global.strings.len());
    made.bytes.extend(&global.strings);
    // No archive.
    made.u32(0);
    let extensions = random.count(3);
    made.bytes.extend((extensions as u16).to_le_bytes());
    let bodies: Vec<(String, Vec<u8>)> = (0..extensions)
        .map(|_| {
            let mut flags = random.below(2) as u8;
            if random.odd(4) {
                flags |= 0x42;
                made.warnings
                    .extend(["pmf/reserved-bits", "pmf/required-extension"]);
            }
            let (name, data) = (random.name(), vec![random.next() as u8; random.below(5)]);
            let body = [&[flags], name.as_bytes(), &[0], &data].concat();
            (says!("extension", flags, name, data), body)
        })
        .collect();
    bodies.iter().for_each(|(_, body)| made.u32(body.len()));
    for (says, body) in bodies {
        let at = made.bytes.len();
        made.bytes.extend(body);
        made.record(at, says);
    }
    let levels = if random.odd(6) {
        0
    } else {
        1 + random.count(1)
    };
    made.bytes.push(levels as u8);
    let mut bodies = Vec::new();
    for number in 0..levels {
        let at = made.bytes.len() + 4 * levels + bodies.iter().map(Vec::len).sum::<usize>();
        let body = level(&mut made, random, number, at);
        bodies.push(body);
    }
    bodies.iter().for_each(|body| made.u32(body.len()));
    bodies.into_iter().for_each(|body| made.bytes.extend(body));
    let by = made.bytes.len();
    made.bytes.extend(global.bytes);
    made.take(global.records, by);
    if random.odd(3) {
        made.bytes
            .extend(random.pick(&[&b"\x12\x34\x56\x78"[..], b"seventeen letters", &[0; 40]]));
        made.warn("pmf/trailing-data");
    }
    made.warnings.push("pmf/not-finite");
    if random.is_odd {
        made.warnings.push("pmf/not-finite-geometry");
    }
    made
}
