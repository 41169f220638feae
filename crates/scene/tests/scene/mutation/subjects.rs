//! Small valid files of every format, and invariants of everything read from them after changes.
//! The fuzz targets use them too.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use mapscope_formats::ika::{self, map as ika_map, text_map, vsp};
use mapscope_formats::paf::{self, Archive, Content, NewFile, WrittenLayout};
use mapscope_formats::pfobj::{
    self, Bounds, Clip, Influence, Joint, Layout, Material, Pfobj, Rotation, Transform, Vertex,
};
use mapscope_formats::pmf::{
    self, Cube, EntityKind, EntityList, NewEntity, Packing, Property, PropertyValues, Side,
    StringTableBuilder,
};
use mapscope_formats::ppe::{Compression, MapFlags, Xmf, indexed, map_data, xmf};
use mapscope_formats::ptf::Texture;
use mapscope_formats::{Problem, Severity, pfmap, pfscene};
use mapscope_scene::diff::{Diff, tell};
use mapscope_scene::tilemap::{Step, TileMap};
use mapscope_scene::{
    self, Direction, Document, InfoQuery, Item, OpenOptions, OutlineNode, Playhead, Progress, Ray,
    Shown, Source,
};
use mapscope_testdata::tiny_scene::SCENE;
use mapscope_testdata::{shared, synthesize};

/// Asserts the limit on listed problems and on the length of messages, however broken the file is.
pub(crate) fn check_problems(problems: &[Problem]) {
    assert!(problems.len() < 2000, "{} problems", problems.len());
    for problem in problems {
        assert!(problem.message.chars().count() < 400, "{problem}");
    }
}

pub(crate) fn good_pfmaps() -> Vec<Vec<u8>> {
    let mut files = vec![
        synthesize::pfmap(1, 1, 1),
        synthesize::pfmap(1, 1, 2),
        synthesize::pfmap(1, 2, 3),
        synthesize::pfmap(2, 1, 4),
    ];
    let splats = String::from_utf8_lossy(&files[0])
        .replace("version 1.0", "version 1.2")
        .replace("num_rows", "num_splats 2\nnum_rows")
        .replacen("\n0+", "\nsplat 0 1\nsplat 2 3\n0+", 1)
        .replace('\n', "\r\n");
    files.push(splats.into_bytes());
    if let Some(demo) = shared("corpus/permafrost/assets/maps/demo.pfmap") {
        files.push(std::fs::read(demo).unwrap());
    }
    files
}

pub(crate) fn check_pfmap(bytes: &[u8]) -> bool {
    let map = match pfmap::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    assert_eq!(
        map.tiles.len() as u64,
        u64::from(map.rows()) * u64::from(map.cols())
    );
    // Small maps are shown with any number of tiles.
    let is_small = map.tiles.len() <= 16 * 1024;
    assert!(
        is_small || map.tiles.len() * 25 <= 4 * (bytes.len() + 1),
        "memory in proportion to the file"
    );
    assert!(map.bad_tiles.len() < map.tiles.len());
    assert!(map.bad_tiles.is_sorted());
    assert!(map.materials.len() <= 1000);
    check_problems(&map.problems);
    // The first, the last and every bad tile have consistent locations.
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    let corners = [(0, 0), (map.rows() - 1, map.cols() - 1)];
    for &(row, col) in map.bad_tiles.iter().chain(&corners).take(200) {
        let Some((line, column)) = map.tile_place(row, col) else {
            assert_eq!(map.found(row, col), pfmap::Found::Missing);
            continue;
        };
        assert!((1..=lines).contains(&line) && column >= 1);
        assert_eq!(map.tile_at_place(line, column), Some((row, col)));
    }
    false
}

/// A synthetic model with the given number of triangles, joints, clips and frames per clip.
fn made_up_model(triangles: u32, joints: u32, clips: u32, frames: u32) -> Pfobj {
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 12) as f32 / 1e5 - 5.0;
    let triple = |i: u32| [number(3 * i), number(3 * i + 1), number(3 * i + 2)];
    let transform = |i: u32| Transform {
        scale: [1.0; 3],
        rotation: if i.is_multiple_of(5) {
            Rotation::EulerDegrees(triple(i))
        } else {
            Rotation::ConjugatedQuaternion([number(i), 0.5, 0.5, 0.5])
        },
        translation: triple(i),
    };
    let bounds = Bounds {
        min: [-5.0; 3],
        max: [6.0; 3],
    };
    let vertices = 3 * triangles;
    let per_vertex = joints.min(3);
    Pfobj {
        version: "1.0".to_owned(),
        vertices: (0..vertices)
            .map(|i| Vertex {
                position: triple(i),
                uv: [number(i), number(i + 1)],
                normal: [0.0, 1.0, 0.0],
                first_influence: i * per_vertex,
                influence_count: per_vertex as u8,
                material: i % 2,
            })
            .collect(),
        influences: (0..vertices * per_vertex)
            .map(|i| Influence {
                joint: i % joints,
                weight: 0.25,
            })
            .collect(),
        materials: (0..2)
            .map(|i| Material {
                name: format!("material_{i}"),
                ambient: 1.0,
                diffuse: [0.8; 3],
                specular: [0.0; 3],
                texture: "skin.png".to_owned(),
                line: 0,
                texture_line: 0,
                texture_column: 1,
            })
            .collect(),
        joints: (0..joints)
            .map(|i| Joint {
                name: format!("joint_{i}"),
                parent: i.checked_sub(1 + i % 2),
                bind: transform(i),
                tip: triple(i),
                line: 0,
            })
            .collect(),
        clips: (0..clips)
            .map(|i| Clip {
                name: format!("Clip{i}"),
                frame_count: frames,
                poses: (0..joints * frames).map(transform).collect(),
                bounds: vec![Some(bounds); frames as usize],
                line: 0,
                frame_lines: vec![0; frames as usize],
            })
            .collect(),
        bounds: Some(bounds),
        has_bounds: true,
        layout: Layout::regular(vertices),
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    }
}

pub(crate) fn good_pfobjs() -> Vec<Vec<u8>> {
    let mut files = vec![
        pfobj::write(&made_up_model(1, 0, 0, 0)),
        pfobj::write(&made_up_model(2, 1, 1, 3)),
        pfobj::write(&made_up_model(10, 5, 2, 3)),
        pfobj::write(&made_up_model(1, 20, 3, 2)),
        pfobj::write(&Pfobj {
            crlf: true,
            has_bounds: false,
            bounds: None,
            ..made_up_model(2, 0, 0, 0)
        }),
    ];
    for real in ["grass/grass_1", "arrow/arrow-red"] {
        if let Some(model) = shared(&format!("corpus/permafrost/assets/models/{real}.pfobj")) {
            files.push(std::fs::read(model).unwrap());
        }
    }
    files
}

pub(crate) fn good_pfscenes() -> Vec<Vec<u8>> {
    let mut files = vec![
        SCENE.as_bytes().to_vec(),
        SCENE.replace('\n', "\r\n").into_bytes(),
        SCENE.replace("version 1.1", "version 1.0").into_bytes(),
    ];
    if let Some(scene) = shared("corpus/permafrost/assets/maps/test.pfscene") {
        files.push(std::fs::read(scene).unwrap());
    }
    files
}

pub(crate) fn check_pfscene(bytes: &[u8]) -> bool {
    let scene = match pfscene::read(bytes) {
        Ok(scene) => scene,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&scene.problems);
    let attributes: usize = scene
        .entities
        .iter()
        .map(|entity| entity.attributes.0.len())
        .sum();
    assert!(
        attributes * 2 <= bytes.len(),
        "memory in proportion to the file"
    );
    let written = pfscene::write(&scene);
    let again = pfscene::read(&written).unwrap();
    // In a scene that the engine refuses, some lines are guessed from those around them.
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    if again.problems.iter().any(is_error) {
        assert!(scene.problems.iter().any(is_error));
        return false;
    }
    assert_eq!(again.entities.len(), scene.entities.len());
    assert_eq!(again.sections.len(), scene.sections.len());
    let twice = pfscene::write(&again);
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (once, twice) = (lines(&written), lines(&twice));
    for (once, twice) in once.split('\n').zip(twice.split('\n')) {
        assert_eq!(
            once, twice,
            "a line is written otherwise when it is read again"
        );
    }
    assert!(once == twice, "what was written is not written again");
    false
}

pub(crate) fn check_opened_pfscene(bytes: &[u8]) -> bool {
    static MAP: LazyLock<Vec<u8>> = LazyLock::new(|| synthesize::pfmap(1, 1, 1));
    static MODEL: LazyLock<Vec<u8>> = LazyLock::new(|| pfobj::write(&made_up_model(2, 1, 1, 3)));
    static FILES: LazyLock<[(&str, &[u8]); 2]> = LazyLock::new(|| {
        [
            ("changed.pfmap", &MAP),
            ("assets/models/guard.pfobj", &MODEL),
        ]
    });
    let Some(scene) = open_with(bytes, "changed.pfscene", &*FILES) else {
        return true;
    };
    check_problems(&scene.about().problems);
    let bounds = scene.about().bounds;
    assert!(bounds.min.is_finite() && bounds.max.is_finite());
    assert!(!scene.info(&InfoQuery::default()).is_empty());
    let mut items = Vec::new();
    add_items(&scene.outline(), &mut items);
    let problems = scene.about().problems.iter();
    items.extend(problems.filter_map(|problem| Some(scene.problem_target(problem)?.item)));
    for item in items.into_iter().take(100) {
        check_item(&*scene, item);
    }
    false
}

pub(crate) fn check_pfobj(bytes: &[u8]) -> bool {
    let model = match pfobj::read(bytes) {
        Ok(model) => model,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&model.problems);
    let vertices = model.vertices.len();
    assert!(
        vertices * 8 <= bytes.len() + 64,
        "memory in proportion to the file"
    );
    assert!(model.bad_vertices.len() < vertices || !model.joints.is_empty());
    assert!(model.bad_vertices.is_sorted());
    assert!(
        model
            .bad_vertices
            .iter()
            .all(|vertex| (*vertex as usize) < vertices)
    );
    let mut influences = 0;
    for vertex in &model.vertices {
        assert_eq!(vertex.first_influence as usize, influences);
        influences += model.influences_of(vertex).len();
        let numbers = vertex
            .position
            .iter()
            .chain(&vertex.uv)
            .chain(&vertex.normal);
        assert!(numbers.copied().all(f32::is_finite));
    }
    assert_eq!(influences, model.influences.len());
    assert!(influences * 3 <= bytes.len());
    // From every joint, the parents lead to a root.
    for joint in 0..model.joints.len() {
        let parent = |joint: &usize| model.joints[*joint].parent.map(|parent| parent as usize);
        let depth = std::iter::successors(Some(joint), parent)
            .take(model.joints.len() + 1)
            .count();
        assert!(depth <= model.joints.len(), "a cycle");
    }
    for clip in &model.clips {
        let frames = clip.frame_count as usize;
        assert_eq!(clip.poses.len(), frames * model.joints.len());
        assert_eq!(clip.frame_lines.len(), frames);
        assert!(clip.bounds.is_empty() || clip.bounds.len() == frames);
        assert!(clip.poses.len() * 16 <= bytes.len());
    }
    // The first, the last and every bad vertex have consistent locations.
    let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
    let ends = [0, (vertices as u32).saturating_sub(1)];
    for &vertex in model.bad_vertices.iter().chain(&ends).take(200) {
        if (vertex as usize) < vertices {
            let line = model.vertex_line(vertex);
            assert!((1..=lines).contains(&line));
            assert_eq!(model.vertex_at_line(line), Some(vertex));
        }
    }
    // The model survives a round trip through the writer.
    let again = pfobj::read(&pfobj::write(&model)).unwrap();
    assert_eq!(again.influences, model.influences);
    assert_eq!(again.vertices, model.vertices);
    assert_eq!(again.clips.len(), model.clips.len());
    // If bounds are missing, later bounds may take their place.
    let has_all_bounds =
        |clip: &Clip| clip.bounds.iter().flatten().count() == clip.frame_count as usize;
    if model.clips.iter().all(has_all_bounds) {
        assert_eq!(again.bounds, model.bounds);
        let bounds = |model: &Pfobj| -> Vec<Vec<Option<Bounds>>> {
            model.clips.iter().map(|clip| clip.bounds.clone()).collect()
        };
        assert_eq!(bounds(&again), bounds(&model));
    }
    for (again, clip) in again.clips.iter().zip(&model.clips) {
        assert_eq!(again.name, clip.name);
        assert_eq!(again.poses, clip.poses);
        // Without joints, a frame consists only of its bounds and disappears if they are missing.
        if !model.joints.is_empty() || has_all_bounds(clip) {
            assert_eq!(again.frame_count, clip.frame_count);
        }
    }
    for (again, joint) in again.joints.iter().zip(&model.joints) {
        assert_eq!(
            (&again.bind, &again.name, again.parent),
            (&joint.bind, &joint.name, joint.parent)
        );
    }
    false
}

/// Maximum decompressed size of a zlib stream of this many bytes.
fn max_inflated_size(bytes: usize) -> usize {
    1032 * bytes + (64 << 10)
}

/// Files in a shared folder with this ending.
fn shared_files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let Some(folder) = shared(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

pub(crate) fn good_ika_maps() -> Vec<Vec<u8>> {
    let sizes = [([3, 2], 1), ([1, 40], 3), ([12, 9], 2), ([20, 20], 0)];
    let maps = sizes.map(|(size, layers)| synthesize::ika_map(size, layers, 5));
    let mut files = maps.map(|map| ika_map::write(&map).unwrap()).to_vec();
    let samples = shared_files("samples/tilemaps", ".map");
    files.extend(samples.into_iter().filter(|file| file.starts_with(b"MAP")));
    files
}

pub(crate) fn check_ika_map(bytes: &[u8]) -> bool {
    let map = match ika_map::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&map.problems);
    let tiles = map.tile_count() as usize;
    assert!((1..=1 << 26).contains(&tiles));
    let most = tiles.min(max_inflated_size(bytes.len()));
    assert!(map.obstruction.len() <= most && map.zone_numbers.len() <= most);
    assert!(map.layers.len() <= bytes.len() / 16);
    for layer in &map.layers {
        assert!(layer.tiles.len() <= most);
        assert!(layer.block.end <= bytes.len() as u64);
    }
    assert!(map.zones.len() <= bytes.len() / 25 && map.entities.len() <= bytes.len() / 78);
    for step in map.draw_steps() {
        assert!(!matches!(step, ika_map::DrawStep::Layer(layer) if layer >= map.layers.len()));
    }
    // A map that is read completely survives a round trip through the writer.
    if let Ok(written) = ika_map::write(&map) {
        let again = ika_map::read(&written).unwrap();
        assert!(again.without_places() == map.without_places());
    }
    false
}

pub(crate) fn good_ika_texts() -> Vec<Vec<u8>> {
    let sizes = [([3, 2], 1), ([1, 40], 3), ([12, 9], 2), ([20, 20], 0)];
    let maps = sizes.map(|(size, layers)| synthesize::ika_text_map(size, layers, 5));
    let mut files = maps.map(|map| text_map::write(&map).unwrap()).to_vec();
    files.extend(shared_files("corpus/ika", "testcave.ika-map"));
    files.extend(shared_files("corpus/ika", "cave1.ika-map"));
    files
}

pub(crate) fn check_ika_text(bytes: &[u8]) -> bool {
    let map = match text_map::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&map.problems);
    for layer in &map.layers {
        let [width, height] = layer.size.map(|edge| edge as usize);
        let most = (width * height).min(max_inflated_size(bytes.len()));
        assert!(layer.tiles.len() <= most && layer.obstructions.len() <= most);
        assert!(layer.place.bytes.end <= bytes.len() as u64);
        assert!(layer.entities.len() <= bytes.len() / 7);
    }
    if let Ok(written) = text_map::write(&map) {
        let again = text_map::read(&written).unwrap();
        let expected = ika::TextMap {
            version: "1.2".to_owned(),
            ..map
        };
        assert!(again.without_places() == expected.without_places());
    }
    false
}

pub(crate) fn good_tilesets() -> Vec<Vec<u8>> {
    let tileset = synthesize::ika_tileset(3);
    let mut files = vec![vsp::write(&tileset).unwrap()];
    let indexed = ika::Vsp {
        tile_size: [4, 4],
        count: 3,
        palette: vec![[9; 3]; 256],
        mask: Some(0),
        pixels: vsp::Pixels::Indexed((0..48).collect()),
        ..tileset
    };
    files.push(vsp::write(&indexed).unwrap());
    let pixels = [[0xFF, 250, 5].repeat(4), vec![1; 536]].concat();
    for version in 2..=5_u8 {
        let mut file = vec![version, 0];
        if version < 4 {
            file.extend([33; 768]);
        }
        let stored = if version == 4 { 2 } else { 6 };
        file.extend([stored, 0]);
        if version == 3 || version == 5 {
            file.extend((pixels.len() as u32).to_le_bytes());
            file.extend(&pixels);
        } else {
            file.extend(vec![
                7;
                256 * usize::from(stored)
                    * if version == 4 { 2 } else { 1 }
            ]);
        }
        file.extend([1, 0, 3, 0, 5, 0, 1, 0]);
        file.extend([0; 99 * 8]);
        files.push(file);
    }
    files.push(
        b"(ika-tileset (version 1.0)(tiles (count 1)(dimensions (width 2)(height 1))\
          (data (format zlib) eJxiZGJmYWVj5wAAAAD//w==)))"
            .to_vec(),
    );
    files.extend(shared_files("samples/tilemaps", ".vsp"));
    files
}

pub(crate) fn check_tileset(bytes: &[u8]) -> bool {
    let tileset = match vsp::read(bytes) {
        Ok(tileset) => tileset,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&tileset.problems);
    let pixels = tileset.pixels.len();
    assert!(pixels as u64 <= tileset.tile_pixels() * u64::from(tileset.count));
    assert!(pixels <= max_inflated_size(bytes.len()));
    assert_eq!(tileset.rgba().len(), 4 * pixels);
    assert!(tileset.strands.len() <= vsp::STRANDS);
    if let Ok(written) = vsp::write(&tileset) {
        let again = vsp::read(&written).unwrap();
        assert!(again.rgba() == tileset.rgba());
    }
    false
}

pub(crate) fn good_textures() -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = synthesize::ptfs()
        .iter()
        .map(|texture| texture.write().unwrap())
        .collect();
    files.extend(shared_files("samples/platinumsrc", ".ptf"));
    files
}

pub(crate) fn check_texture(bytes: &[u8]) -> bool {
    let texture = match Texture::read(bytes) {
        Ok(texture) => texture,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&texture.problems);
    assert!(texture.pixels.len() <= 255 * bytes.len() + 64);
    let again = Texture::read(&texture.write().unwrap()).unwrap();
    assert!(again.pixels == texture.pixels && again.layout == texture.layout);
    let small = Texture::read_up_to(bytes, 4).unwrap();
    assert!(small.width <= 4 && small.height <= 4);
    let pixels = texture.width as usize * texture.height as usize;
    let mut rgba = Vec::new();
    Texture::read_rgba_rows(bytes, &mut |row| rgba.extend_from_slice(row)).unwrap();
    assert_eq!(rgba.len(), pixels * 4);
    assert!(rgba == texture.into_rgba());
    false
}

pub(crate) fn good_pmfs() -> Vec<Vec<u8>> {
    // In stored sections, changes reach the content; compressed sections mostly just break.
    let maps = [
        ([1, 1, 1], 0),
        ([1, 1, 1], 1),
        ([1, 2, 1], 1),
        ([1, 1, 1], 2),
    ];
    let mut files: Vec<_> = maps
        .into_iter()
        .map(|(grid, depth)| pmf::write(&synthesize::pmf(grid, depth, 3), Packing::Stored).unwrap())
        .collect();
    let map = synthesize::pmf([2, 1, 2], 1, 4);
    files.push(pmf::write(&map, Packing::Compressed).unwrap());
    files.push(pmf::write(&pmf_of_parts(), Packing::Stored).unwrap());
    for name in ["tiny", "tiny_stored", "stripped"] {
        if let Some(map) = shared(&format!("samples/pmf/{name}.pmf")) {
            files.push(std::fs::read(map).unwrap());
        }
    }
    files
}

/// A map without levels, with an archive and entities of all types.
fn pmf_of_parts() -> pmf::Pmf {
    let file = |path, bytes, compress| NewFile {
        path,
        bytes,
        compress,
    };
    let files = [
        file("textures/stone.ptf", &b"grey grey grey grey"[..], true),
        file("textures/old/wood.ptf", b"brown", false),
        file("readme.txt", b"Hello", false),
    ];
    let mut strings = StringTableBuilder::default();
    let entity = |kind: EntityKind| {
        let entity = NewEntity::new(kind, kind.name());
        let entity = NewEntity {
            properties: (0..u32::from(kind.number()) % 4).collect(),
            ..entity
        };
        match kind {
            EntityKind::Intersectable => entity.with("shape", [1.0, 2.0, 3.0]),
            EntityKind::Setter => entity.with("value", pmf::Value::Property(1)),
            EntityKind::Light => entity.with("kind", 2).with("shape", [30.0; 6]),
            _ => entity,
        }
    };
    let property = |lengths: &[u32], values| Property {
        lengths: lengths.to_vec(),
        values,
    };
    let list = EntityList {
        properties: vec![
            property(&[2, 2], PropertyValues::U16(vec![1, 2, 3, 4])),
            property(&[], PropertyValues::F64(vec![0.5])),
            property(&[3], PropertyValues::Texts(vec!["text".to_owned(); 3])),
        ],
        entities: EntityKind::all().map(entity).collect(),
    };
    let entities = list.build(&mut strings).unwrap();
    pmf::Pmf {
        archive: Some(Archive::build(&files).unwrap()),
        levels: Vec::new(),
        strings: strings.finish(),
        entities,
        ..synthesize::pmf([1, 1, 1], 0, 3)
    }
}

/// Small archives of all layouts.
pub(crate) fn good_pafs() -> Vec<Vec<u8>> {
    let file = |path, bytes, compress| NewFile {
        path,
        bytes,
        compress,
    };
    let files = [
        file("textures/stone.ptf", &b"grey grey grey grey"[..], true),
        file("textures/old/wood.ptf", b"brown", false),
        file("models/rock.pfobj", ROCK, false),
        file("readme.txt", b"Hello", false),
        file("nothing", b"", false),
    ];
    let written = [WrittenLayout::P2, WrittenLayout::P3];
    let mut archives = written
        .map(|layout| paf::write(&files, layout).unwrap())
        .to_vec();
    for name in ["archive_p1", "archive_p2", "archive_p3"] {
        if let Some(archive) = shared(&format!("samples/platinumsrc/{name}.paf")) {
            archives.push(std::fs::read(archive).unwrap());
        }
    }
    archives
}

/// The beginning of a model.
const ROCK: &[u8] = b"version 1.0\nnum_verts 0\n";

pub(crate) fn check_paf(bytes: &[u8]) -> bool {
    let archive = match paf::read(&bytes.to_vec().into()) {
        Ok(read) => {
            check_problems(&read.problems);
            read.archive
        }
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_archive(bytes, &archive);
    false
}

/// Asserts that the contents of an archive are in proportion to its file, and that links lead to
/// something else.
fn check_archive(file: &[u8], archive: &Archive) {
    assert!(archive.entries().len() <= file.len() / 13 + 1);
    for (i, entry) in archive.entries().iter().enumerate() {
        let path = archive.path(entry);
        assert!(path.len() <= 16 * file.len() && !path.split('/').any(|name| name == ".."));
        if let Some(Ok(bytes)) = archive.file(i) {
            assert!(bytes.len() <= 255 * file.len() + 64);
            let _ = Texture::read(&bytes);
        }
        if let Content::Link(link) = &entry.content
            && let Ok(paf::Target::Entry(index)) = link.target
        {
            let target = &archive.entries()[index as usize];
            assert!(!matches!(target.content, Content::Link(_)));
        }
    }
}

/// Asserts that archive contents and entities are in proportion to the file.
fn check_pmf_parts(file: &[u8], map: &pmf::Pmf) {
    if let Some(archive) = &map.archive {
        check_archive(file, archive);
    }
    let entities = &map.entities;
    assert!(entities.len() * 17 <= file.len());
    for entity in entities.iter(&map.strings) {
        let fields = entity.head().chain(entity.fields());
        for field in fields {
            assert!(entities.range().contains(&field.at));
            let _ = field.field.describe(&field.value);
        }
        for (_, property) in entity.properties() {
            let _ = property.map(|property| property.values.describe(4));
        }
    }
}

pub(crate) fn check_pmf(bytes: &[u8]) -> bool {
    let map = match pmf::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&map.problems);
    check_pmf_parts(bytes, &map);
    for level in &map.levels {
        let [y, x, z] = level.grid.map(|count| count as usize);
        assert!(level.chunks.is_empty() || level.chunks.len() == y * x * z);
        assert!(level.chunks.len() * 24 <= bytes.len());
        for chunk in &level.chunks {
            if let Some(data) = &chunk.data {
                check_pmf_chunk(bytes, chunk, data);
            }
        }
    }
    // The map survives a round trip through the writer, except for parts that were left out.
    let is_broken = |problem: &Problem| problem.severity == Severity::Error;
    let is_broken = has_nan(&map) || map.problems.iter().any(is_broken);
    let written = match pmf::write(&map, Packing::Stored) {
        Ok(written) => written,
        // Without the bytes after its end, a map may look like a truncated one in a newer layout.
        Err(error) => {
            assert!(is_broken || error.to_string().contains("would be read as"));
            return false;
        }
    };
    let again = pmf::read(&written).unwrap();
    assert!(is_broken || again.levels.len() == map.levels.len());
    let chunks = |map: &pmf::Pmf| -> Vec<_> {
        let chunks = map.levels.iter().flat_map(|level| level.chunks.clone());
        chunks
            .map(|chunk| chunk.data.map(|data| data.cubes))
            .collect()
    };
    assert!(is_broken || chunks(&again) == chunks(&map));
    false
}

/// `true` if a map contains NaN or an infinity.
fn has_nan(map: &pmf::Pmf) -> bool {
    map.problems
        .iter()
        .any(|problem| problem.rule.id.starts_with("pmf/not-finite"))
}

fn check_pmf_chunk(file: &[u8], chunk: &pmf::Chunk, data: &pmf::ChunkData) {
    let cubes = &data.cubes;
    let vertices = data
        .client
        .as_ref()
        .map_or(&[][..], |client| &client.vertices);
    let normals = data
        .client
        .as_ref()
        .map_or(0, |client| client.normals.len());
    let unpacked: u64 = chunk
        .frames
        .iter()
        .map(|frame| u64::from(frame.unpacked))
        .sum();
    // Only a section that is left out may have a wrong size.
    assert!(data.is_damaged || unpacked <= 255 * file.len() as u64 + 192);
    assert!(vertices.len() as u64 * 28 <= unpacked);
    let mut reached = 0;
    for cell in cubes.cells(8.0) {
        reached += 1;
        assert!(reached <= cubes.len(), "a cycle");
        assert!(cell.depth <= 64);
    }
    assert_eq!(reached + cubes.orphans() as usize, cubes.len());
    let mut end = None;
    for (cube, what) in cubes.iter() {
        let record = cubes.record(Side::Common, cube).unwrap();
        assert_eq!(record.start, end.unwrap_or(record.start));
        assert!(!record.is_empty());
        end = Some(record.end);
        assert!(
            cubes
                .above(cube)
                .is_none_or(|above| (above as usize) < cubes.len())
        );
        let Cube::Geometry(geometry) = what else {
            continue;
        };
        assert!(
            cubes
                .moved_points(geometry)
                .all(|(_, point)| point.iter().all(|x| x.is_finite()))
        );
        for face in geometry.faces() {
            let material = usize::from(geometry.materials[face.side]);
            assert!(material < data.materials.len());
            let range = face.vertices.start as usize..face.vertices.end as usize;
            let count = range.len();
            assert!(vertices[range].iter().all(pmf::Vertex::is_finite));
            assert!(
                face.first_normal
                    .is_none_or(|first| first as usize + count <= normals)
            );
        }
    }
    assert!(end.is_none_or(|end| end <= chunk.frames[0].unpacked));
    for name in data.materials.iter().chain(&data.physics_materials) {
        assert!(data.is_damaged || data.strings.has(name.0));
    }
    let Some(client) = &data.client else {
        return;
    };
    assert_eq!(client.dynamic_lights.len(), data.dynamic_lights.len());
    for light in &client.fast_lights {
        let mut end = 0;
        for (range, multipliers) in light.ranges() {
            assert!(range.start >= end && range.len() == multipliers.len());
            end = range.end;
        }
        assert!(end as usize <= vertices.len());
    }
}

/// Opens a map and runs all queries of a window and of `info`.
pub(crate) fn check_opened_pmf(bytes: &[u8]) -> bool {
    let Some(map) = open(bytes, "changed.pmf") else {
        return true;
    };
    check_problems(&map.about().problems);
    let bounds = map.about().bounds;
    assert!(bounds.min.is_finite() && bounds.max.is_finite());
    assert!(!map.info(&InfoQuery::default()).is_empty());
    assert!(!map.statistics().is_empty());
    let mut items = Vec::new();
    add_items(&map.outline(), &mut items);
    assert!(!items.is_empty());
    for item in &items {
        let properties = map.properties(*item, Playhead::default());
        assert!(!properties.is_empty(), "{item:?} is listed and not there");
    }
    let problems = map.about().problems.iter();
    items.extend(problems.filter_map(|problem| Some(map.problem_target(problem)?.item)));
    for level in 0..map.levels().unwrap().levels().len().min(3) {
        check_level(&*map, level, &mut items);
    }
    for item in items.into_iter().take(1000) {
        check_item(&*map, item);
    }
    false
}

/// Opens a 2D map and runs all queries of a window and of the commands.
pub(crate) fn check_opened_tiles(bytes: &[u8], name: &str) -> bool {
    let Some(map) = open(bytes, name) else {
        return true;
    };
    check_problems(&map.about().problems);
    let bounds = map.about().bounds;
    assert!(bounds.min.is_finite() && bounds.max.is_finite());
    assert!(!map.info(&InfoQuery::default()).is_empty());
    let tiles: &TileMap = map.content().unwrap();
    for layer in &tiles.layers {
        let [width, height] = layer.size.map(|edge| edge as usize);
        assert_eq!(layer.cells.len(), width * height);
        let tileset = &tiles.tilesets[layer.tileset];
        let pictures = layer.cells.iter().filter_map(|cell| cell.image());
        assert!(pictures.max().is_none_or(|picture| picture < tileset.count));
    }
    for tileset in &tiles.tilesets {
        assert_eq!(tileset.rgba.len(), tileset.count * tileset.image_bytes());
    }
    for grid in &tiles.grids {
        let [width, height] = grid.size.map(|edge| edge as usize);
        // Fewer if some were not read.
        assert!(grid.values.len() <= width * height);
        assert!(grid.layer.is_none_or(|layer| layer < tiles.layers.len()));
    }
    for step in &tiles.steps {
        assert!(!matches!(step, Step::Layer { layer, .. } if *layer >= tiles.layers.len()));
    }
    let shown = Shown::default();
    let picture = map.layers().unwrap().flat(&shown).scaled_down(64);
    assert_eq!(
        picture.rgba.len() as u32,
        picture.size[0] * picture.size[1] * 4
    );
    let mut items = Vec::new();
    add_items(&map.outline(), &mut items);
    let problems = map.about().problems.iter();
    items.extend(problems.filter_map(|problem| Some(map.problem_target(problem)?.item)));
    for item in items.into_iter().take(200) {
        check_item(&*map, item);
    }
    false
}

/// Opens a file outside any folder; files that it names are not found.
pub(crate) fn open(bytes: &[u8], name: &str) -> Option<Arc<dyn Document>> {
    open_with(bytes, name, &[])
}

/// Like [`open`], with other files beside it.
fn open_with(
    bytes: &[u8],
    name: &str,
    embedded: &'static [(&'static str, &'static [u8])],
) -> Option<Arc<dyn Document>> {
    let source = Source {
        embedded,
        ..source(bytes, name)
    };
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).ok()
}

/// A source with this name in a folder that does not exist.
pub(crate) fn source(bytes: &[u8], name: &str) -> Source {
    Source {
        path: Path::new("/nowhere/at/all").join(name),
        bytes: bytes.to_vec().into(),
        embedded: &[],
        archive: None,
    }
}

/// Opens a file of any format, detected by content or else by name, and runs all queries of a
/// window and of the commands.
pub(crate) fn check_document(bytes: &[u8], name: &str) -> bool {
    let Some(document) = open(bytes, name) else {
        return true;
    };
    let document = &*document;
    let about = document.about();
    check_problems(&about.problems);
    check_problems(&document.notes());
    assert!(about.bounds.min.is_finite() && about.bounds.max.is_finite());
    assert!(!document.info(&InfoQuery::default()).is_empty());
    let query = InfoQuery {
        tile: Some((1, 1)),
        heights: vec![(0.5, 0.5)],
        cube: Some([0; 5]),
    };
    assert!(!document.info(&query).is_empty());
    let _ = document.statistics();
    let mut items = Vec::new();
    add_items(&document.outline(), &mut items);
    let problems = about.problems.iter();
    items.extend(problems.filter_map(|problem| Some(document.problem_target(problem)?.item)));
    items.truncate(300);
    items.extend(document.cameras().iter().map(|camera| camera.item));
    if let Some(levels) = document.levels() {
        for level in 0..levels.levels().len().min(2) {
            check_level(document, level, &mut items);
        }
    }
    let mut shown = Shown::default();
    let (center, radius) = (about.bounds.center(), about.bounds.radius());
    for direction in about.bounds.corners().map(|corner| corner - center) {
        let direction = direction.normalize_or(glam::Vec3::NEG_Y);
        let origin = center - direction * (radius * 2.0 + 1.0);
        if let Some(hit) = document.pick(Ray { origin, direction }, &shown) {
            assert!(hit.position.is_finite() && hit.distance >= 0.0);
            items.push(hit.item);
        }
    }
    for overlay in about.overlays {
        shown.overlays.set(about.overlays, overlay.id, true);
    }
    check_annotations(document, &shown);
    if let Some(animation) = document.animation() {
        for (clip, about_clip) in animation.clips().iter().enumerate().take(3) {
            for frame in [0, about_clip.frames.saturating_sub(1)] {
                shown.playhead = Playhead::at_frame(clip, frame);
                let bounds = document.bounds_in_view(&shown);
                assert!(bounds.min.is_finite() && bounds.max.is_finite());
                check_annotations(document, &shown);
                let item = items.get(frame as usize % items.len().max(1));
                if let Some(item) = item {
                    let _ = animation.curves(*item, clip, mapscope_scene::CurveOptions::default());
                    let _ = document.properties(*item, shown.playhead);
                }
            }
        }
        shown.playhead = Playhead::default();
    }
    if let Some(layers) = document.layers() {
        let picture = layers.flat(&shown).scaled_down(32);
        let [width, height] = picture.size.map(|side| side as usize);
        assert_eq!(picture.rgba.len(), width * height * 4);
    }
    for item in items.iter().copied().take(200) {
        check_item(document, item);
    }
    for selected in items.into_iter().rev().take(3) {
        shown.selected = Some(selected);
        check_annotations(document, &shown);
    }
    false
}

/// Asserts that all lines and labels have valid positions.
pub(crate) fn check_annotations(document: &dyn Document, shown: &Shown) {
    let _ = document.legends(shown);
    let Some(annotations) = document.annotations() else {
        return;
    };
    let (mut lines, mut labels) = (Vec::new(), Vec::new());
    annotations.lines(shown, &mut lines);
    annotations.labels(shown, &mut labels);
    let mut ends = lines.iter().flat_map(|line| line.ends);
    assert!(ends.all(glam::Vec3::is_finite), "{:?}", shown.selected);
    assert!(labels.iter().all(|label| label.position.is_finite()));
}

/// Opens two files with the same name and compares them. A file never differs from itself.
pub(crate) fn check_diff(files: [&[u8]; 2], name: &str) -> bool {
    let [Some(a), Some(b)] = files.map(|bytes| open(bytes, name)) else {
        return true;
    };
    let (a, b) = (&*a, &*b);
    if let Ok(diff) = Diff::of([a, b]) {
        assert!(diff.differences.len() as u64 <= diff.count());
        assert_eq!(diff.removed_bounds(a).len(), diff.differences.len());
        let _ = diff.lines([a, b]);
        let back = Diff::of([b, a]).unwrap();
        assert_eq!(back.count(), diff.count());
    }
    for document in [a, b] {
        if let Ok(diff) = Diff::of([document, document]) {
            assert_eq!(diff.count(), 0, "{:?}", diff.differences);
        }
        let _ = tell(document, |_| ControlFlow::Continue(()));
    }
    false
}

/// Collects the items of the lines of an outline, recursively.
fn add_items(lines: &[OutlineNode], items: &mut Vec<Item>) {
    for line in lines {
        items.extend(line.item);
        add_items(&line.children, items);
    }
}

/// Queries everything that is listed and drawn of a level, and collects the picked items.
fn check_level(map: &dyn Document, level: usize, items: &mut Vec<Item>) {
    let levels = map.levels().unwrap();
    items.extend(levels.lights(level).into_iter().map(|light| light.item));
    let chunks = levels
        .chunk_map(level)
        .into_iter()
        .flat_map(|map| map.chunks);
    items.extend(chunks.map(|chunk| chunk.item));
    let mut shown = Shown {
        level,
        ..Shown::default()
    };
    if let Some(lightmap) = levels.lightmaps(level).first() {
        let [width, height] = lightmap.size.map(|side| side as usize);
        let picture = levels.lightmap_image(lightmap.item, &shown).unwrap();
        assert_eq!(picture.len(), width * height * 4);
        let faces = levels.lightmap_faces(lightmap.item);
        assert_eq!(faces.len(), lightmap.faces);
        items.extend(faces.into_iter().map(|face| face.item));
    }
    let mut branches = levels.branches(level, None);
    for at in 0.. {
        let Some(branch) = branches.get(at).cloned() else {
            break;
        };
        let below = levels.branches(level, Some(branch.item));
        assert_eq!(below.len(), branch.children, "{branch:?}");
        for child in &below {
            assert_eq!(levels.branch_above(child.item), Some(branch.item));
        }
        branches.extend(
            below
                .into_iter()
                .take(200_usize.saturating_sub(branches.len())),
        );
    }
    for text in ["1", "geometry", "stone", ""] {
        let found = levels.find_branches(level, text, 20);
        assert!(found.len() <= 20);
        branches.extend(found);
    }
    items.extend(branches.into_iter().map(|branch| branch.item));
    let bounds = levels.levels()[level].bounds;
    let mut directions = bounds.corners().map(|corner| corner - bounds.center());
    directions[0] = glam::Vec3::X;
    for direction in directions.map(|direction| direction.normalize_or(glam::Vec3::Y)) {
        let outside = bounds.center() - direction * (bounds.radius() * 2.0 + 1.0);
        for origin in [bounds.center(), outside] {
            if let Some(hit) = map.pick(Ray { origin, direction }, &shown) {
                assert!(hit.position.is_finite() && hit.distance >= 0.0);
                items.push(hit.item);
            }
        }
    }
    for overlay in map.about().overlays {
        shown.overlays.set(map.about().overlays, overlay.id, true);
        let _ = map.legends(&shown);
    }
    // Some overlays depend on the selection.
    let every_tenth: Vec<Item> = items
        .iter()
        .copied()
        .step_by(items.len() / 10 + 1)
        .collect();
    for selected in every_tenth {
        shown.selected = Some(selected);
        check_annotations(map, &shown);
    }
}

/// Queries all descriptions of an item.
fn check_item(map: &dyn Document, item: Item) {
    let playhead = Playhead::default();
    let links: Vec<Item> = map
        .properties(item, playhead)
        .into_iter()
        .flat_map(|group| group.properties)
        .filter_map(|property| property.link)
        .collect();
    for link in links {
        let there = map.properties(link, playhead);
        assert!(
            !there.is_empty(),
            "{item:?} links {link:?}, which is not there"
        );
    }
    assert!(!map.summary(item, &Shown::default()).is_empty(), "{item:?}");
    let mut shown = Shown::default();
    if let Some(bounds) = map.place(item, &shown).bounds {
        assert!(bounds.min.is_finite() && bounds.max.is_finite(), "{item:?}");
    }
    let outline = map.contour(item, &shown);
    assert!(
        outline.iter().flatten().all(|end| end.is_finite()),
        "{item:?}"
    );
    let directions = [
        Direction::North,
        Direction::East,
        Direction::South,
        Direction::West,
    ];
    for direction in directions {
        let _ = map.neighbor(item, direction);
    }
    shown.selected = Some(item);
    let _ = map.legends(&shown);
    let _ = map.hide_target(item);
    let _ = map.next_of_kind(item, None, false);
    if let Some(levels) = map.levels() {
        let level = levels.level_of(item);
        assert!(level.is_none_or(|level| level < levels.levels().len()));
    }
}

pub(crate) fn good_ppe_maps() -> Vec<Vec<u8>> {
    let flags = [
        0, 0x04, 0x10, 0x08, 0x1_0019, 0x3_0009, 0x100, 0x108, 0x118, 0x400, 0x2_0419, 0x808,
        0x819, 0x208,
    ];
    let map = |flags| synthesize::ppe_map([12, 9], MapFlags(flags & !0x200), u64::from(flags));
    let file = |flags: u32| {
        let mut file = map_data::write(&map(flags)).unwrap();
        file[..4].copy_from_slice(&flags.to_le_bytes());
        file
    };
    flags.into_iter().map(file).collect()
}

pub(crate) fn check_ppe_map(bytes: &[u8]) -> bool {
    let map = match map_data::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&map.problems);
    let count = map.cell_count();
    assert!(count > 0 && map.cells.len() <= count);
    let graphics = map.graphics.as_ref().map_or(0, Vec::len);
    let logic = map
        .logic
        .as_ref()
        .map_or(0, mapscope_formats::Integers::len);
    assert!(graphics <= count && logic <= count);
    assert_eq!(map.graphics.is_some(), map.flags.has_graphics());
    assert_eq!(
        map.logic
            .as_ref()
            .map_or(0, mapscope_formats::Integers::bits),
        map.flags.logic_bits()
    );
    // The largest expansion of a byte is that of zlib, or of Zstandard: 128 KiB of 4 bytes.
    let most = match map.flags.compression() {
        Compression::Zstd => 32 << 10,
        _ => 1100,
    };
    let memory = 4 * map.cells.capacity() + 32 * graphics + 8 * logic;
    assert!(memory <= most * bytes.len() + (4 << 20), "{memory} bytes");
    for i in [0, count / 2, count - 1, count, usize::MAX] {
        assert_eq!(map.cell(i).encode(map.flags), map.raw(i));
        let end = |offset: Option<u64>, len| offset.is_none_or(|at| at + len <= bytes.len() as u64);
        assert!(end(map.cell_offset(i), 4) && end(map.graphics_offset(i), 32));
        assert!(end(
            map.logic_offset(i),
            u64::from(map.flags.logic_bits()) / 8
        ));
        assert!(map.corners(i).len() == 4);
    }
    let is_whole = map.cells.len() == count
        && (graphics == count || map.graphics.is_none())
        && (logic == count || map.logic.is_none());
    if is_whole {
        let again = map_data::read(&map_data::write(&map).unwrap()).unwrap();
        assert_eq!((again.cells, again.logic), (map.cells, map.logic));
        assert_eq!(again.graphics, map.graphics);
    }
    false
}

const XMF: &str = r#"// A comment
Metadata {
	Version 1 0
	Name "made up"
	Resolution 424 240
}
Layer:Tile "ground" 0 16 8 2 1 {
	RepeatMode "On"
	ScrollRate 0.25 0.75
	File:MapData "%PATH%/ground.map"
	File:TileSource "%PATH%/ground.png" palShift=5 offset=32 {
		Embed:TileInfo {
			0 0 "grass"
			1 2 `stone`; 2 1 "sand"
		}
	}
}
Layer:Tile "sky" 1 16 8 2 1 { Embed:MapData [AQAAAAIAAhA=]; Shared:TileData 0 }
Layer:Sprite "things" 16 { # more
	File:SpriteSource 3 "%PATH%/man.tga" name="man" horizOffset=1 vertOffset=2 width=3 height=4
	File:SpriteSheet "%PATH%/all.png" {
		SheetData id=56 {
			32 1 2 3 4 name="cat"
		}
	}
	Object:Sprite "man" 65536 3 -16 20 palSel=1 masterAlpha=250 { ToCollision }
	Object:Box "gate" 1 16 17 48 49
	Object:Polyline "path" 2 { Begin 1 2; Segment 3 4 { Bezier 5 6 }; Close }
	Object:Quad "quad" 3 0 0 10 0 0 10 10 10
}
Embed:Palette "night" [/wECA4AEBQY=] offset=768
"#;

pub(crate) fn good_xmfs() -> Vec<Vec<u8>> {
    let packed = |packing| {
        let xmf = xmf::read(XMF.as_bytes()).unwrap();
        xmf::write(&Xmf { packing, ..xmf })
    };
    let mut files = vec![
        XMF.as_bytes().to_vec(),
        XMF.replace('\n', "\r\n").into_bytes(),
        packed(xmf::Packing::Zlib),
        packed(xmf::Packing::Zstd),
    ];
    if let Some(real) = shared("corpus/ppe/test2.xmf") {
        files.push(std::fs::read(real).unwrap());
    }
    files
}

pub(crate) fn check_xmf(bytes: &[u8]) -> bool {
    let map = match xmf::read(bytes) {
        Ok(map) => map,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    check_problems(&map.problems);
    // A container survives a round trip through the writer.
    let written = xmf::write(&map);
    let again = xmf::read(&written).unwrap();
    assert_eq!(again.layers.len(), map.layers.len());
    assert_eq!(again.palettes.len(), map.palettes.len());
    for (a, b) in map.layers.iter().zip(&again.layers) {
        assert_eq!((&a.name, a.priority, a.size), (&b.name, b.priority, b.size));
        assert_eq!(a.objects.len(), b.objects.len());
        assert_eq!(a.tile_sources.len(), b.tile_sources.len());
    }
    false
}

pub(crate) fn good_sheets() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for depth in [png::BitDepth::Two, png::BitDepth::Eight] {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 16, 8);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette([1, 2, 3].repeat(4));
        encoder.set_trns([0, 255].as_slice());
        let row_bytes = 2 * depth as usize;
        let rows: Vec<u8> = (0..8 * row_bytes).map(|i| i as u8 % 4).collect();
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&rows).unwrap();
        writer.finish().unwrap();
        files.push(file);
    }
    for (kind, bits) in [(1, 24), (9, 32), (1, 16)] {
        let mut file = vec![2, 1, kind, 0, 0, 4, 0, bits, 0, 0, 0, 0, 16, 0, 8, 0, 8, 0];
        file.extend([7; 2]);
        file.extend((0..bits / 2).collect::<Vec<u8>>());
        if kind == 1 {
            file.extend([0, 1, 2, 3].repeat(32));
        } else {
            file.extend([0xFF, 3]);
        }
        files.push(file);
    }
    files
}

pub(crate) fn check_sheet(bytes: &[u8]) -> bool {
    let sheet = match indexed::read(bytes) {
        Ok(sheet) => sheet,
        Err(error) => {
            check_problems(error.problem().cloned().as_slice());
            return true;
        }
    };
    if let Some(sheet) = sheet {
        assert_eq!(
            sheet.indices.len(),
            (sheet.size[0] * sheet.size[1]) as usize
        );
        assert!(sheet.palette.len() <= 256);
        assert_eq!(sheet.colors().len(), sheet.palette.len());
        assert!(sheet.indices.len() <= 1100 * bytes.len());
    }
    false
}
