//! Small maps that decode to large data, repeat records, or declare data that they do not contain.
//! Opening one takes no more memory and time than a large valid map.

#![cfg(test)]
#![cfg(target_os = "linux")]

mod images;
mod sizes;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mapscope_formats::ika::{self, map as ika_map, text_map, vsp};
use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pmf::{
    self, Chunk, ChunkClient, ChunkData, ChunkIndex, ClientDynamicLight, ClientMaterial, Cubes,
    DynamicLight, EntityKind, EntityList, Frame, Geometry, LightLayer, Lightmap, NewEntity,
    Packing, Pmf, StringRef, StringTableBuilder, Vertex,
};
use mapscope_formats::ppe::{MapData, MapFlags, map_data, xmf};
use mapscope_formats::ptf;
use mapscope_testdata::synthesize;

/// Memory limit of `info` for such a map, in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// A generous time limit, for a slow machine with other tests in parallel.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Returns the text output of `info` for a map, within the memory limit.
fn info(name: &str, map: &Pmf) -> String {
    info_of(name, ".pmf", &pmf::write(map, Packing::Compressed).unwrap())
}

/// Returns the text output of `info` for a file, within the memory limit.
fn info_of(name: &str, suffix: &str, bytes: &[u8]) -> String {
    info_within(name, suffix, bytes, MAX_BYTES)
}

/// Like [`info_of`], with a given memory limit.
fn info_within(name: &str, suffix: &str, bytes: &[u8], limit: u64) -> String {
    // Containers beside map data are read too, so the folder is empty.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("bomb{suffix}"));
    std::fs::write(&file, bytes).unwrap();
    output_within(name, "info", &file, limit)
}

/// Returns the text output of a command for a file, within a memory limit and [`TIMEOUT`].
fn output_within(name: &str, command: &str, file: &Path, limit: u64) -> String {
    let output = tempfile::NamedTempFile::new().unwrap();
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mapscope"))
        .arg(command)
        .arg(file)
        .stdout(output.reopen().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak_bytes(&status).unwrap_or(0));
        if begin.elapsed() > TIMEOUT {
            child.kill().unwrap();
            panic!("{name} takes too long");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let elapsed = begin.elapsed();
    let bytes = file.metadata().unwrap().len();
    println!(
        "{command} {name}: {bytes} bytes, {} MiB, {elapsed:?}",
        most >> 20
    );
    // A process that ends before it can be sampled has not taken much memory.
    let is_over_at_once = elapsed < Duration::from_millis(50);
    assert!(most > 0 || is_over_at_once, "the memory was not seen");
    assert!(most < limit, "{name} takes {} MiB", most >> 20);
    let text = std::fs::read_to_string(output.path()).unwrap();
    assert!(
        text.len() < 100_000,
        "{name}: {} bytes are said",
        text.len()
    );
    text
}

/// Peak memory of a process, in bytes.
fn peak_bytes(status: &str) -> Option<u64> {
    let status = std::fs::read_to_string(status).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// A synthetic map of one chunk.
fn one_chunk() -> Pmf {
    synthesize::pmf([1, 1, 1], 1, 1)
}

fn chunk(map: &mut Pmf) -> &mut ChunkData {
    map.levels[0].chunks[0].data.as_mut().unwrap()
}

fn client(map: &mut Pmf) -> &mut ChunkClient {
    chunk(map).client.as_mut().unwrap()
}

#[test]
fn white_lightmaps() {
    let mut map = one_chunk();
    let white = || Lightmap {
        exponent: 11,
        luxels: vec![255; 3 << 22],
    };
    client(&mut map).lightmaps = (0..5).map(|_| white()).collect();
    client(&mut map).dynamic_lights[0].layers = (0..4)
        .map(|lightmap| LightLayer {
            lightmap,
            luxels: vec![255; 3 << 22],
        })
        .collect();
    assert!(info("white lightmaps", &map).contains("2048 x 2048"));
}

#[test]
fn one_huge_lightmap() {
    let mut map = one_chunk();
    client(&mut map).lightmaps[0] = Lightmap {
        exponent: 12,
        luxels: vec![255; 3 << 24],
    };
    client(&mut map).dynamic_lights[0].layers.clear();
    assert!(info("a huge lightmap", &map).contains("4096 x 4096"));
}

/// A chunk of boxes that all have six faces with the same vertices.
fn shared(boxes: u32, vertices: usize) -> ChunkData {
    let mut cubes = Cubes::default();
    let mut next = 1;
    // A tree of parents with boxes as its leaves.
    let mut parents = std::collections::VecDeque::from([()]);
    let mut made = 0;
    let face = |number: u32| {
        let mut geometry = Geometry::new(0, 0, 0);
        geometry.triangles = [2; 6];
        geometry.first_vertex = number % (vertices as u32 - 24);
        geometry
    };
    while parents.pop_front().is_some() {
        let children: [u32; 8] = std::array::from_fn(|i| next + i as u32);
        cubes.push_parent(0xFF, &children);
        next += 8;
        made += 7;
        if made < boxes {
            parents.extend([(); 8]);
        } else {
            break;
        }
    }
    while (cubes.len() as u32) < next {
        cubes.push_geometry(face(cubes.len() as u32), &[]);
    }
    cubes.link().unwrap();
    let mut strings = StringTableBuilder::default();
    let stone = strings.add("stone").unwrap();
    ChunkData {
        strings: strings.finish(),
        materials: vec![stone],
        physics_materials: vec![stone],
        sound_materials: vec![stone],
        cubes,
        client: Some(ChunkClient {
            vertices: vec![Vertex::default(); vertices],
            ..ChunkClient::default()
        }),
        ..ChunkData::default()
    }
}

#[test]
fn vertices_that_all_faces_share() {
    let mut map = one_chunk();
    *chunk(&mut map) = shared(500_000, 3_000_000);
    info("shared vertices", &map);
    *chunk(&mut map) = shared(500_000, 1_000);
    let text = info("few shared vertices", &map);
    assert!(text.contains("faces are left out"), "{text}");
}

#[test]
fn many_levels_and_chunks() {
    let mut map = one_chunk();
    map.levels = vec![map.levels[0].clone(); 255];
    info("levels", &map);
    let mut map = one_chunk();
    let level = &mut map.levels[0];
    let full = level.chunks[0].clone();
    level.grid = [16, 16, 16];
    level.chunks = (0..4096)
        .map(|i| Chunk {
            index: ChunkIndex::new([i / 256, i / 16 % 16, i % 16]),
            frames: [Frame::default(); 3],
            data: None,
        })
        .collect();
    info("empty chunks", &map);
    for chunk in &mut map.levels[0].chunks {
        chunk.data.clone_from(&full.data);
    }
    info("chunks", &map);
}

#[test]
fn long_names_again_and_again() {
    let mut map = one_chunk();
    let common = &mut map.levels[0].common;
    let mut strings = StringTableBuilder::default();
    let long = strings.add(&"name".repeat(15_000)).unwrap();
    let mut material = common.materials[0];
    (material.name, material.kind) = (long, long);
    common.materials = vec![material; 65_000];
    for list in [&mut common.air_physics, &mut common.default_gravity] {
        *list = long;
    }
    common.physics_materials[0].name = long;
    let mut physics = common.physics_materials[0];
    physics.name = long;
    common.physics_materials = vec![physics; 65_000];
    common.weathers.clear();
    common.gravities.clear();
    common.strings = strings.finish();
    let client = map.levels[0].client.as_mut().unwrap();
    client.materials = vec![ClientMaterial::default(); 65_000];
    info("materials", &map);

    let mut map = one_chunk();
    let mut strings = StringTableBuilder::default();
    let entity = NewEntity::new(EntityKind::Text, "name".repeat(15_000))
        .with("text", "name".repeat(15_000).as_str());
    let list = EntityList {
        entities: vec![entity; 20_000],
        ..EntityList::default()
    };
    map.entities = list.build(&mut strings).unwrap();
    map.strings = strings.finish();
    info("entities", &map);
}

/// Each offset in the string table is a different name.
#[test]
fn textures_with_all_names_that_a_table_has() {
    let mut map = one_chunk();
    let client = map.levels[0].client.as_mut().unwrap();
    let mut state = 1_u32;
    let mut table: Vec<u8> = (0..1_200_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (state >> 24) as u8 % 26
        })
        .collect();
    for end in table.iter_mut().skip(250).step_by(251) {
        *end = 0;
    }
    table.push(0);
    let mut places = (0..1_190_000).map(StringRef).cycle();
    client.strings = pmf::StringTable::new(&table);
    (client.default_sky, client.default_sound) = (StringRef(250), StringRef(250));
    client.skies.clear();
    client.sounds.clear();
    let look = client.materials[0].clone();
    client.materials = (0..5000)
        .map(|_| ClientMaterial {
            extra_textures: places.by_ref().take(250).collect(),
            ..look.clone()
        })
        .collect();
    let common = &mut map.levels[0].common;
    common.materials = vec![common.materials[0]; 5000];
    info("textures", &map);
}

#[test]
fn pictures_of_one_colour() {
    let texture = ptf::Texture::new(ptf::Layout::V2, [2048; 2], 4, vec![255; 4 << 22]);
    let texture = texture.write().unwrap();
    let paths: Vec<String> = (0..40).map(|i| format!("textures/t{i}.ptf")).collect();
    let files: Vec<NewFile<'_>> = (paths.iter())
        .map(|path| NewFile {
            path,
            bytes: &texture,
            compress: true,
        })
        .collect();
    let mut map = one_chunk();
    map.archive = Some(Archive::build(&files).unwrap());
    let client = map.levels[0].client.as_mut().unwrap();
    let mut strings = StringTableBuilder::default();
    let names = (0..40).map(|i| strings.add(&format!("t{i}")).unwrap());
    client.materials[0].extra_textures = names.collect();
    let none = strings.add("").unwrap();
    for material in &mut client.materials {
        (material.texture, material.matcap) = (none, none);
    }
    (client.default_sky, client.default_sound) = (none, none);
    client.skies.clear();
    client.sounds.clear();
    client.strings = strings.finish();
    let text = info("pictures", &map);
    assert!(text.contains("[texture/limit]"), "{text}");
}

#[test]
fn lights_without_end() {
    let mut map = one_chunk();
    let data = chunk(&mut map);
    data.dynamic_lights = vec![DynamicLight { flags: 1, id: 1 }; 255];
    let client = data.client.as_mut().unwrap();
    let layers = vec![
        LightLayer {
            lightmap: 0,
            luxels: vec![255; client.lightmaps[0].luxels.len()],
        };
        255
    ];
    let light = ClientDynamicLight {
        color: [255; 3],
        layers,
    };
    client.dynamic_lights = vec![light; 255];
    info("lights", &map);
}

/// An ika map that declares a size and a number of layers that it does not have.
fn ika_map_of(size: [u32; 2], layers: u32) -> Vec<u8> {
    let map = synthesize::ika_map([4, 4], 1, 1);
    let mut bytes = ika_map::write(&map).unwrap();
    let texts = [&map.tileset, &map.music, &map.render_string];
    let at = 6 + texts.iter().map(|text| 4 + text.len()).sum::<usize>();
    for (i, number) in size.into_iter().enumerate() {
        bytes[at + 4 * i..][..4].copy_from_slice(&number.to_le_bytes());
    }
    bytes[at + 17..][..4].copy_from_slice(&layers.to_le_bytes());
    bytes
}

#[test]
fn tiles_that_are_only_promised() {
    let text = info_of("promised tiles", ".map", &ika_map_of([8192, 8192], 1));
    assert!(text.contains("16 of 67108864 tiles read"), "{text}");
    info_of("a promised row", ".map", &ika_map_of([1 << 26, 1], 1));
    info_of(
        "promised layers",
        ".map",
        &ika_map_of([8192, 8192], 1 << 30),
    );
    let mut zeros = ika_map_of([8192, 8192], 1 << 20);
    // Only its header.
    let layer = zeros
        .windows(2)
        .position(|two| two == [0x78, 0x9c])
        .unwrap();
    zeros.truncate(layer - 20);
    zeros.resize(zeros.len() + (40 << 20), 0);
    let text = info_of("layers of nothing", ".map", &zeros);
    assert!(text.contains("Layers       1024"), "{text}");

    let map = synthesize::ika_text_map([4, 4], 1, 1);
    let bytes = text_map::write(&map).unwrap();
    let text = String::from_utf8_lossy(&bytes)
        .replace("(width '4')", "(width '8192')")
        .replace("(height '4')", "(height '8192')");
    let text = info_of("promised tiles of a text", ".ika-map", text.as_bytes());
    assert!(text.contains("16 of 67108864 tiles read"), "{text}");
}

#[test]
fn tiles_of_nothing() {
    let size = [4096, 4096];
    let tiles = vec![0; 4096 * 4096];
    let layer = ika_map::Layer {
        tiles: tiles.clone(),
        ..ika_map::Layer::default()
    };
    let map = ika::Map {
        size,
        layers: vec![layer; 12],
        obstruction: vec![0; tiles.len()],
        zone_numbers: tiles.clone(),
        ..synthesize::ika_map([4, 4], 0, 1)
    };
    let text = info_of("empty layers", ".map", &ika_map::write(&map).unwrap());
    assert!(text.contains("[ika/block]"), "{text}");
    let layer = text_map::Layer {
        size,
        tiles,
        obstructions: vec![0; 4096 * 4096],
        ..text_map::Layer::default()
    };
    let map = ika::TextMap {
        layers: vec![layer; 12],
        ..synthesize::ika_text_map([4, 4], 0, 1)
    };
    let text = info_of("empty texts", ".ika-map", &text_map::write(&map).unwrap());
    assert!(text.contains("[ika/block]"), "{text}");
}

/// At many offsets of such a file, there is a candidate for a zone or an entity.
#[test]
fn records_again_and_again() {
    let whole = ika_map::write(&synthesize::ika_map([4, 4], 3, 1)).unwrap();
    for len in [100, 250, 400] {
        let piece = &whole[whole.len() - len..];
        let bytes = [&whole[..], &piece.repeat((1 << 20) / len)].concat();
        info_of("records", ".map", &bytes);
    }
}

/// Zero bytes parse as empty lists at every candidate offset for the next level.
#[test]
fn levels_of_nothing() {
    let whole = pmf::write(&synthesize::pmf([1, 2, 1], 1, 3), Packing::Compressed).unwrap();
    for share in 1..8 {
        let (before, behind) = whole.split_at(whole.len() * share / 8);
        let bytes = [before, &vec![0; 1 << 20], behind].concat();
        info_of("zero bytes", ".pmf", &bytes);
    }
}

#[test]
fn pixels_of_nothing() {
    let tileset = ika::Vsp {
        tile_size: [4, 4],
        count: 1 << 22,
        pixels: vsp::Pixels::Rgba(vec![0; 4 << 26]),
        ..synthesize::ika_tileset(1)
    };
    let bytes = vsp::write(&tileset).unwrap();
    info_of("many tiles", ".vsp", &bytes);
}

#[test]
fn texts_of_parentheses() {
    let many = |piece: &str| format!("(ika-map {}", piece.repeat((8 << 20) / piece.len()));
    for (name, piece) in [
        ("nodes", "(a)"),
        ("nested nodes", "(a "),
        ("texts", "(a ''"),
        ("closed", ")"),
        ("layers", "(layers (layer ))"),
        ("lines", "\n"),
    ] {
        info_of(name, ".ika-map", many(piece).as_bytes());
    }
    let layers = format!("(ika-map (layers {}))", "(layer )".repeat(1 << 20));
    info_of("many layers", ".ika-map", layers.as_bytes());
    let zones = format!(
        "(ika-map (zones {})(layers (layer (zones {}))))",
        "(zone (label a))".repeat(100_000),
        "(zone (label b))".repeat(100_000)
    );
    info_of("zones", ".ika-map", zones.as_bytes());
}

/// Map data of the given number of columns and rows, all zeros.
fn zeros(flags: u32, size: [u32; 2]) -> Vec<u8> {
    let side = 1 << 12;
    let graphics = flags & MapFlags::GRAPHICS != 0;
    let map = MapData {
        flags: MapFlags(flags),
        size: [side, side],
        cells: vec![0; 1 << 24],
        graphics: graphics.then(|| vec![[bytemuck::Zeroable::zeroed(); 4]; 1 << 24]),
        ..MapData::default()
    };
    let mut bytes = map_data::write(&map).unwrap();
    bytes[4..12].copy_from_slice(bytemuck::cast_slice(&size.map(u32::to_le)));
    bytes
}

#[test]
fn cells_of_nothing() {
    for flags in [0x400, 0x800, 0x100, 0x410] {
        let text = info_of("cells", ".map", &zeros(flags, [1 << 12, 1 << 12]));
        assert!(text.contains("4096"), "{text}");
        // Attribute bytes are read as cells here. The file does have 256 MiB of cells, like the
        // largest valid map, and they are stored twice: raw and for drawing.
        let bytes = zeros(flags, [1 << 13, 1 << 13]);
        let text = info_within("promised cells", ".map", &bytes, 640 << 20);
        assert!(text.contains("cells"), "{text}");
    }
    let header = [0_u32, 1 << 13, 1 << 13].map(u32::to_le_bytes).concat();
    info_of("a header alone", ".map", &header);
    let header = [0x200_u32, 1 << 13, 1 << 13].map(u32::to_le_bytes).concat();
    info_of("a header of LZW", ".map", &header);
}

/// A compressed container that repeats a line.
fn lines(line: &str, count: usize) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(b"Metadata\nLayer:Sprite \"s\" 9 {\n")
        .unwrap();
    encoder.write_all(line.repeat(count).as_bytes()).unwrap();
    [b"ZLIB".to_vec(), encoder.finish().unwrap()].concat()
}

#[test]
fn texts_of_the_same_line() {
    let count = 700_000;
    for line in [
        "Object:Box \"\" 1 0 0 1 1\n",
        "Object:Sprite \"\" 1 1 0 0\n",
        "a {\n",
        "0\n",
        "\"\n",
        "}\nLayer:Tile \"\" 1 1000 1000 9999 9999 {\n",
        "}\nLayer:Tile \"\" 1 16 16 9 9 {\nEmbed:MapData [AAAA]\nFile:TileSource \"x.png\"\n",
        "File:SpriteSource 1 \"x.png\"\n",
        "Embed:Palette [AAAA] offset=65535\n",
    ] {
        // Includes the overhead of the allocator.
        info_within(line, ".zmf", &lines(line, count), 320 << 20);
    }
    let text = lines("", 0);
    assert!(xmf::read(&text).is_ok());
}
