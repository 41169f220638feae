//! The live previews of tile types and of the tile sandbox.

use std::sync::Arc;

use image::RgbaImage;
use mapscope_formats::pfmap::{self, Field, Pfmap, Tile, TileType};
use mapscope_render::{Gpu, Renderer, SceneData, Target, View};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{self, Document, OpenOptions, Progress, Shown, Source, demo};

/// Size of the pictures in pixels, similar to a card in the panel.
const SIZE: [u32; 2] = [184, 138];
/// Index of the middle one of the nine tiles.
const CENTER: usize = 4;

/// A user's change of a tile in the sandbox.
type Edit = fn(&mut Tile);

/// An open map on the GPU.
struct Opened {
    gpu: Gpu,
    renderer: Renderer,
    document: Arc<dyn Document>,
    scene: SceneData,
}

impl Opened {
    fn new(source: &Source) -> Self {
        let document =
            mapscope_scene::open(source, &OpenOptions::default(), &Progress::default()).unwrap();
        let gpu = Gpu::headless(None).unwrap();
        let renderer = Renderer::new(&gpu);
        let scene = renderer.upload(&gpu, &*document).unwrap();
        Self {
            gpu,
            renderer,
            document,
            scene,
        }
    }

    fn picture(&mut self, patch: impl FnOnce(&Terrain) -> Terrain) -> RgbaImage {
        let terrain: &Terrain = self.document.content().expect("this is not a map");
        let patch = patch(terrain);
        let scene = self.renderer.upload_patch(&self.gpu, &self.scene, &patch);
        let target = Target::new(&self.gpu, SIZE);
        let view = View {
            shown: Shown {
                selected: Some(Terrain::patch_center()),
                ..Shown::default()
            },
            ..View::plain(patch.patch_camera(target.aspect()))
        };
        let shown = Some((&mut scene.unwrap(), &patch as _));
        self.renderer
            .draw_and_wait(&self.gpu, &target, shown, &view);
        target.read_back(&self.gpu).unwrap()
    }
}

/// Share of the pixels that differ visibly between two pictures, from 0 to 1.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    let differs = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 2)
    };
    let differing = a.pixels().zip(b.pixels()).filter(differs).count();
    differing as f64 / f64::from(a.width() * a.height())
}

/// A map of one chunk of flat ground in the demo's first material, changed by `edit`.
fn one_chunk(edit: impl FnOnce(&mut Pfmap)) -> Source {
    let mut map = pfmap::read(&demo::TERRAIN.source().bytes).unwrap();
    (map.chunk_rows, map.chunk_cols) = (1, 1);
    map.tiles = vec![Tile::default(); pfmap::CHUNK_TILES as usize];
    edit(&mut map);
    Source {
        bytes: pfmap::write(&map).into(),
        ..demo::TERRAIN.source()
    }
}

#[test]
fn every_type_has_a_picture_of_its_own() {
    let mut opened = Opened::new(&demo::TERRAIN.source());
    let pictures = TileType::ALL.map(|kind| opened.picture(|map| map.showcase_patch(kind)));
    for (i, a) in pictures.iter().enumerate() {
        for (j, b) in pictures.iter().enumerate().take(i) {
            let [a_kind, b_kind] = [TileType::ALL[i], TileType::ALL[j]];
            let difference = difference(a, b);
            assert!(difference > 0.1, "{a_kind}, {b_kind}: {difference}");
        }
    }
}

#[test]
fn a_type_that_the_map_does_not_use_has_a_picture() {
    let mut opened = Opened::new(&one_chunk(|_| {}));
    let counts = &opened.document.about().kinds;
    assert!(counts.iter().skip(1).all(|kind| kind.count == 0));
    let flat = opened.picture(|map| map.showcase_patch(TileType::Flat));
    let ramp = opened.picture(|map| map.showcase_patch(TileType::RampSn));
    assert!(difference(&flat, &ramp) > 0.1);
}

#[test]
fn an_edit_in_the_sandbox_changes_the_picture() {
    let mut opened = Opened::new(&demo::TERRAIN.source());
    let mut tiles = [Tile::default(); 9];
    let mut before = opened.picture(|map| map.patch(&tiles));
    let again = opened.picture(|map| map.patch(&tiles));
    assert_eq!(before, again, "the same tiles give the same picture");
    let edits: [(&str, Edit); 7] = [
        ("top material", |t| t.top_material = 8),
        ("type", |t| {
            t.kind = TileType::RampSn;
            t.ramp_height = 1;
        }),
        ("ramp height", |t| t.ramp_height = 3),
        ("base height", |t| t.base_height = 2),
        ("side material", |t| t.side_material = 3),
        ("blend north", |t| t.set(Field::BlendNorth, 0)),
        ("blend normals", |t| t.set(Field::BlendNormals, 0)),
    ];
    for (what, edit) in edits {
        edit(&mut tiles[CENTER]);
        let after = opened.picture(|map| map.patch(&tiles));
        let difference = difference(&before, &after);
        assert!(difference > 0.001, "{what}: {difference}");
        before = after;
    }
}

#[test]
fn a_patch_shares_the_textures_of_the_map() {
    let opened = Opened::new(&demo::TERRAIN.source());
    let terrain: &Terrain = opened.document.content().expect("this is not a map");
    let patch = terrain.showcase_patch(TileType::CornerConvexNe);
    assert!(Arc::ptr_eq(terrain.textures(), patch.textures()));
    let scene = opened
        .renderer
        .upload_patch(&opened.gpu, &opened.scene, &patch);
    let [of_map, of_patch] = [opened.scene.gpu_bytes(), scene.unwrap().gpu_bytes()];
    assert!(of_map > 8 << 20 && of_patch < 64 << 10, "{of_patch}");
}

#[test]
fn a_material_that_no_tile_of_the_map_shows_is_seen_in_a_patch() {
    let (unused, missing) = (8, 700);
    let mut tiles = [Tile::default(); 9];
    tiles[CENTER].top_material = unused;
    let mut using = Opened::new(&one_chunk(|map| map.tiles[0].top_material = unused));
    let mut not_using = Opened::new(&one_chunk(|_| {}));
    let wanted = using.picture(|map| map.patch(&tiles));
    assert_eq!(wanted, not_using.picture(|map| map.patch(&tiles)));
    // A missing material is marked, not replaced by the first one.
    tiles[CENTER].top_material = missing;
    let marked = not_using.picture(|map| map.patch(&tiles));
    let magenta = |p: &&image::Rgba<u8>| p[0] > 120 && p[2] > 90 && p[1] < 60;
    assert!(marked.pixels().filter(magenta).count() > 100);
}
