//! Golden pictures: the renderer's output is compared with reviewed pictures.
//!
//! A picture that differs leaves `NAME.new.png` and `NAME.diff.png` beside the golden one. For an
//! intended change, run `UPDATE_GOLDENS=1 cargo test -p mapscope-render goldens`, and look at every
//! changed picture before you commit it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use glam::{Affine3A, Quat, Vec3};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{DynamicImage, RgbImage, Rgba, RgbaImage};
use mapscope_formats::UnreadReason;
use mapscope_formats::pfmap::{self, Edge, Field, Tile, TileType};
use mapscope_formats::ptf::Layout;
use mapscope_render::{AdapterReason, Backend, Gpu, Samples, View};
use mapscope_scene::camera::{Camera, Handedness, NamedView, Pose, Projection};
use mapscope_scene::diff::Diff;
use mapscope_scene::model::attached::{Assembly, Attached};
use mapscope_scene::model::crowd::{Crowd, Instance};
use mapscope_scene::tilemap::{
    Cell, FlatWindow, Grid, GridKind, Integers, LeftOut, ListPlace, Object, ObjectKind, Parallax,
    RectPx, TileMap, Unread, Zone,
};
use mapscope_scene::{
    Aabb, Document, Item, LevelItem, ModelItem, OpenOptions, OverlayId, Playhead, Progress,
    TerrainItem, TileMapItem, demo,
};
use mapscope_testdata::{Need, skip, stride, synthesize};

use super::stage::{
    GRASS, MATERIALS, ROCK, SAND, SNOW, Stage, map_text, open, open_demo, open_map, terrain,
};
use super::tile_maps::{layer, scrambled, sprite, tiles, tileset};
use super::{gallery, rigs, scenes, sky, tile_maps};

/// Tolerance of a channel: other versions of Mesa round and filter slightly differently.
const MAX_DIFFERENCE: u8 = 6;
/// Allowed share of pixels beyond the tolerance, per mille. If an edge goes through the centre of a
/// pixel, rasterizers may decide differently.
const PER_MILLE_BEYOND: usize = 2;

/// The same for Mesa's OpenGL, which rasterizes edges and lines differently.
const PER_MILLE_BEYOND_OF_GL: usize = 30;
/// The same for OpenGL pictures with visible triangle edges, whose subpixel positions and depths
/// differ.
const PER_MILLE_BEYOND_OF_GL_EDGES: usize = 300;

/// Size of the pictures of single tile types.
const TYPE_SIZE: [u32; 2] = [144, 96];
/// Size of the pictures of levels.
const LEVEL_SIZE: [u32; 2] = [176, 120];
/// Size of the pictures of models.
const MODEL_SIZE: [u32; 2] = [120, 96];
/// Size of all other pictures.
const SIZE: [u32; 2] = [192, 108];

/// A picture to draw and compare.
struct Golden {
    name: String,
    document: Option<Arc<dyn Document>>,
    view: View,
    size: [u32; 2],
    /// `true` if water reflects the ground.
    has_ground_reflection: bool,
    samples: Samples,
}

impl Golden {
    fn new(name: impl Into<String>, document: &Arc<dyn Document>, camera: Camera) -> Self {
        Self {
            name: name.into(),
            document: Some(Arc::clone(document)),
            view: View::plain(camera),
            size: SIZE,
            has_ground_reflection: false,
            samples: Samples::One,
        }
    }

    fn with_overlay(mut self, id: OverlayId) -> Self {
        let offered = self
            .document
            .as_ref()
            .map_or(&[][..], |d| d.about().overlays);
        self.view.shown.overlays.set(offered, id, true);
        assert!(self.view.shown.overlays.contains(id));
        self
    }

    fn with_selected(mut self, item: impl Into<Item>) -> Self {
        self.view.shown.selected = Some(item.into());
        self
    }

    fn draw(&self) -> RgbaImage {
        self.draw_on(&mut Stage::with(self.samples))
    }

    fn draw_on(&self, stage: &mut Stage) -> RgbaImage {
        stage.set_ground_reflection(self.has_ground_reflection);
        let (picture, _) = stage.draw(self.document.as_deref(), &self.view, self.size);
        stage.set_ground_reflection(false);
        picture
    }
}

// ---- Cameras and maps ----------------------------------------------------------------------

/// A camera that looks at a position in tiles south and east of the north-west corner and in
/// levels. Its eye is `distance` world units away in the direction `toward_eye`.
fn look_at(
    document: &Arc<dyn Document>,
    [south, east, level]: [f32; 3],
    toward_eye: Vec3,
    distance: f32,
) -> Camera {
    let target = terrain(&**document).placement().world(east, south, level);
    let eye = target + toward_eye.normalize() * distance;
    Camera::new(Pose { eye, target }, Handedness::Mirrored)
}

/// From the south and slightly from the west, steep enough to see slopes that face north.
const STEEP: Vec3 = Vec3::new(0.25, 1.7, 0.9);
/// From the south-west, at a slant.
const SLANT: Vec3 = Vec3::new(1.0, 1.0, 1.1);
/// From above, with north up.
const ABOVE: Vec3 = Vec3::Y;

fn tile(kind: TileType, base_height: i8, ramp_height: u8, top: u16) -> Tile {
    let mut tile = Tile::default();
    tile.kind = kind;
    tile.base_height = base_height;
    tile.ramp_height = ramp_height;
    tile.top_material = top;
    tile.side_material = ROCK;
    tile
}

fn flat(base_height: i8, top: u16) -> Tile {
    tile(TileType::Flat, base_height, 0, top)
}

fn with_blend(mut tile: Tile, mode: u8) -> Tile {
    for edge in Edge::ALL {
        tile.set(Field::blend(edge), mode.into());
    }
    // Without modes of edges, an older field would apply to all edges.
    tile.set(Field::BlendMode, 0);
    tile
}

/// Hills with slopes and lakes, with the textures of the demo.
fn land(chunks: u32, seed: u64, change: impl Fn(u32, Tile) -> Tile) -> Arc<dyn Document> {
    let land = pfmap::read(&synthesize::pfmap(chunks, chunks, seed)).unwrap();
    open_map([chunks, chunks], |row, col| {
        let mut tile = *land.tile(row, col).unwrap();
        tile.top_material =
            [GRASS, GRASS, ROCK, SNOW, GRASS, SAND, SAND][usize::from(tile.top_material)];
        change(col, tile)
    })
}

// ---- The pictures --------------------------------------------------------------------------

/// Each tile type at base height 1, with a ramp of one level in the west and of two in the east, on
/// flat ground surrounded by sand.
fn types() -> Vec<Golden> {
    let picture = |kind: TileType| {
        let document = open_map([1, 1], |row, col| match (row, col) {
            (15, 14) => with_blend(tile(kind, 1, 1, GRASS), 0),
            (15, 17) => with_blend(tile(kind, 1, 2, GRASS), 0),
            (14..=16, 13..=18) => with_blend(flat(0, SAND), 0),
            _ => with_blend(flat(0, GRASS), 0),
        });
        let camera = look_at(&document, [15.4, 16.0, 1.4], STEEP, 44.0);
        let name = format!("type-{}-{}", kind.digit().to_ascii_lowercase(), kind.name());
        Golden {
            size: TYPE_SIZE,
            ..Golden::new(name, &document, camera)
        }
    };
    TileType::ALL.into_iter().map(picture).collect()
}

/// Every overlay, every named view, and hovered and selected items on the demo map. All tile types
/// and the borders of four chunks are near its lake.
fn demo() -> Vec<Golden> {
    let document = open_demo();
    let near = look_at(&document, [95.0, 30.0, 0.0], SLANT, 85.0);
    let mut goldens = vec![Golden::new("demo", &document, near)];
    let overlays = document.about().overlays.iter();
    for overlay in overlays.filter(|overlay| overlay.id != OverlayId::Entities) {
        let name = format!("overlay-{}", overlay.id);
        goldens.push(Golden::new(name, &document, near).with_overlay(overlay.id));
    }
    let aspect = SIZE[0] as f32 / SIZE[1] as f32;
    for named in NamedView::ALL {
        let camera = Camera::framing(
            document.about().bounds,
            named,
            document.about().handedness,
            aspect,
        );
        goldens.push(Golden::new(
            format!("view-{}", named.name()),
            &document,
            camera,
        ));
    }
    let mut orthographic = near;
    orthographic.projection = Projection::Orthographic;
    goldens.push(Golden::new("orthographic", &document, orthographic));
    let mut above = look_at(&document, [95.0, 30.0, 0.0], ABOVE, 85.0);
    above.projection = Projection::Orthographic;
    goldens
        .push(Golden::new("orthographic-top", &document, above).with_overlay(OverlayId::TileGrid));

    let mut outlines = Golden::new("outlines", &document, near);
    outlines.view.shown.selected = Some(TerrainItem::Tile { row: 94, col: 28 }.into());
    goldens.push(outlines);
    let mut chunk = Golden::new("outline-chunk", &document, near);
    chunk.view.shown.selected = Some(TerrainItem::Chunk { row: 2, col: 0 }.into());
    goldens.push(chunk);
    let most_sloped = document
        .about()
        .kinds
        .iter()
        .skip(1)
        .max_by_key(|kind| kind.count);
    let mut kind = Golden::new("highlight-type", &document, near);
    kind.view.shown.selected = most_sloped.map(|kind| kind.item);
    goldens.push(kind);
    let mut material = Golden::new("highlight-material", &document, near);
    material.view.shown.selected = Some(TerrainItem::Material { index: 0 }.into());
    goldens.push(material);
    goldens
}

/// The blend modes where four materials meet.
fn blends() -> Vec<Golden> {
    let picture = |(name, mode): (&str, u8)| {
        let text = map_text([1, 1], &MATERIALS, &[], |row, col| {
            let material = [GRASS, SAND, SNOW, ROCK][((row / 2 % 2) * 2 + (col / 2) % 2) as usize];
            with_blend(flat(0, material), mode)
        });
        let document = open("blends.pfmap", text);
        let camera = look_at(&document, [16.0, 16.0, 0.0], ABOVE, 50.0);
        Golden::new(format!("blend-{name}"), &document, camera)
    };
    [("none", 0), ("blur", 1), ("edge", 2), ("unknown", 3)]
        .map(picture)
        .into()
}

/// Rarer cases than four adjacent materials: eight that meet at slopes, seams that only a neighbour
/// requests, and blends between textures with and without holes.
fn rare_blends() -> Vec<Golden> {
    let textures = [
        "grass.jpg",
        "rock.jpg",
        "sand.jpg",
        "snow.jpg",
        "path.jpg",
        "cobbles.jpg",
        "moss.jpg",
        "flagstones.jpg",
    ];
    // Low where eight meet, high where two do.
    let slopes = [
        (TileType::CornerConcaveSw, [0, 1]),
        (TileType::CornerConcaveSe, [2, 4]),
        (TileType::CornerConcaveNw, [3, 5]),
        (TileType::CornerConcaveNe, [6, 7]),
    ];
    let many = open(
        "many.pfmap",
        map_text([1, 1], &textures, &[], |row, col| {
            let (kind, [top, side]) = slopes[(row % 2 * 2 + col % 2) as usize];
            let mut tile = with_blend(tile(kind, 0, 2, top), 1);
            tile.side_material = side;
            tile
        }),
    );
    // In the west: tiles without blending, with blur and with seams, and finally seams whose
    // neighbours have none.
    let spill = open_map([1, 1], |row, col| {
        let mode = row.saturating_sub(15).min(3) as u8;
        match (col < 16, mode) {
            (true, 0..3) => with_blend(flat(0, GRASS), mode),
            (true, _) => with_blend(flat(0, GRASS), 2),
            (false, 0..3) => with_blend(flat(0, SNOW), 2),
            (false, _) => with_blend(flat(0, SNOW), 0),
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let grating = RgbaImage::from_fn(256, 256, |x, y| {
        let is_bar = x % 64 < 24 || y % 64 < 24;
        Rgba([150, 90, 40, if is_bar { 255 } else { 0 }])
    });
    grating.save(folder.path().join("grating.png")).unwrap();
    let text = map_text([1, 1], &["grass.jpg", "grating.png"], &[], |row, col| {
        let is_grating = (14..18).contains(&row) && (13..19).contains(&col);
        let mut tile = with_blend(flat(0, u16::from(is_grating)), 1);
        tile.side_material = 0;
        tile
    });
    let holes = open(folder.path().join("holes.pfmap"), text);
    vec![
        Golden::new(
            "blend-many",
            &many,
            look_at(&many, [16.0, 16.0, 1.0], ABOVE, 45.0),
        ),
        Golden::new(
            "blend-spill",
            &spill,
            look_at(&spill, [17.0, 16.0, 0.0], ABOVE, 45.0),
        ),
        Golden::new(
            "holes",
            &holes,
            look_at(&holes, [16.0, 16.0, 0.0], ABOVE, 70.0),
        ),
    ]
}

/// Flags and fields of tiles, set differently in the western and the eastern half of a picture.
fn flags() -> Vec<Golden> {
    // Ridges from west to east.
    let picture = |name: &str, field: Field, west: i32, east: i32| {
        let document = open_map([1, 1], |row, col| {
            let mut tile = match row % 4 {
                0 => tile(TileType::RampNs, 0, 1, SAND),
                1 => flat(1, SAND),
                2 => tile(TileType::RampSn, 0, 1, SAND),
                _ => flat(0, SAND),
            };
            tile.set(field, if col < 16 { west } else { east });
            tile
        });
        let camera = look_at(&document, [16.0, 16.0, 0.0], STEEP, 80.0);
        Golden::new(name, &document, camera)
    };
    let splats = open(
        "splats.pfmap",
        map_text(
            [1, 1],
            &MATERIALS,
            &[[u32::from(GRASS), u32::from(SNOW)]],
            |_, col| flat(0, if col < 14 { SAND } else { GRASS }),
        ),
    );
    let sides = open(
        "splats-on-sides.pfmap",
        map_text(
            [1, 1],
            &MATERIALS,
            &[[u32::from(ROCK), u32::from(SNOW)]],
            |row, _| flat(if row < 16 { 4 } else { 0 }, GRASS),
        ),
    );
    vec![
        picture("no-bump", Field::NoBump, 0, 1),
        picture("normals-not-blended", Field::BlendNormals, 1, 0),
        Golden::new(
            "splats",
            &splats,
            look_at(&splats, [16.0, 16.0, 0.0], ABOVE, 80.0),
        ),
        Golden::new(
            "splats-on-sides",
            &sides,
            look_at(&sides, [16.0, 16.0, 2.0], Vec3::new(0.2, 0.4, 1.0), 60.0),
        ),
    ]
}

fn scenery() -> Vec<Golden> {
    // A wall in the north, a tower, and a pit; the sun is in the west.
    let shadow = open_map([1, 1], |row, col| match (row, col) {
        (..12, _) => flat(3, GRASS),
        (15, 14) => flat(5, SAND),
        (17..20, 15..19) => flat(-1, SAND),
        _ => flat(0, GRASS),
    });
    // Land, a slope into shallow water, and one into deep water.
    let shore = open_map([1, 1], |_, col| match col {
        ..13 => flat(0, GRASS),
        13 => flat(0, SAND),
        14 => tile(TileType::RampEw, -1, 1, SAND),
        15..18 => flat(-1, SAND),
        18 => tile(TileType::RampEw, -3, 2, SAND),
        _ => flat(-3, SAND),
    });
    // Adjacent slopes in opposite directions: on each side, the other one is higher.
    let crossing = open_map([1, 1], |row, col| match (row, col) {
        (15, 14..18) => with_blend(tile(TileType::RampEw, 0, 2, SAND), 0),
        (16, 14..18) => with_blend(tile(TileType::RampWe, 0, 2, SAND), 0),
        _ => flat(0, GRASS),
    });
    let corner = look_at(&shadow, [31.0, 1.0, -0.5], SLANT, 60.0);
    // The tower and the pit are new; the wall is unchanged.
    let before = open_map([1, 1], |row, _| match row {
        ..12 => flat(3, GRASS),
        _ => flat(0, GRASS),
    });
    let versions = [&*before, &*shadow];
    let steep = look_at(&shadow, [15.5, 16.5, 0.0], STEEP, 80.0);
    let mut changes = Golden::new("changes", &shadow, steep);
    changes.view.shown.changes = Diff::of(versions).unwrap().lines(versions);
    let far = land(24, 3, |_, tile| tile);
    let middle = land(3, 3, |_, tile| tile);
    vec![
        Golden::new(
            "shadow",
            &shadow,
            look_at(&shadow, [15.5, 16.5, 0.0], STEEP, 80.0),
        ),
        Golden::new(
            "cliff",
            &shadow,
            look_at(&shadow, [12.0, 20.0, 1.5], Vec3::new(0.3, 0.35, 1.0), 40.0),
        ),
        Golden::new("skirt", &shadow, corner),
        Golden::new(
            "water",
            &shore,
            look_at(&shore, [16.0, 16.5, -1.0], STEEP, 80.0),
        ),
        Golden::new(
            "water-low",
            &shore,
            look_at(&shore, [16.0, 18.0, -0.5], Vec3::new(0.5, 0.3, 1.0), 50.0),
        ),
        Golden::new(
            "crossing-sides",
            &crossing,
            look_at(&crossing, [16.0, 16.0, 1.0], SLANT, 50.0),
        ),
        Golden::new(
            "middle",
            &middle,
            look_at(&middle, [48.0, 48.0, 0.0], SLANT, 200.0),
        ),
        Golden::new(
            "far",
            &far,
            look_at(&far, [500.0, 384.0, 0.0], Vec3::new(0.3, 0.5, 1.0), 1500.0),
        ),
        Golden::new(
            "farthest",
            &far,
            look_at(&far, [384.0, 384.0, 0.0], SLANT, 11000.0),
        ),
        changes,
    ]
}

/// Missing textures (one on flat ground and slopes, one on sides), an unknown material, an
/// unreadable tile, and a picture without a map.
fn missing_content() -> Vec<Golden> {
    let textures = ["grass.jpg", "no-such-cliffs.png", "no-such-grass.png"];
    let text = map_text([1, 1], &textures, &[], |row, col| match (row, col) {
        (..=13, _) => flat(2, GRASS),
        (15..18, 12..15) => flat(0, 2),
        (16, 17) => flat(0, 77),
        (16, 19) => flat(9, SAND),
        _ => flat(0, GRASS),
    });
    let bad_tile = String::from_utf8_lossy(&flat(9, SAND).text()).into_owned();
    let text = text.replace(&bad_tile, &bad_tile[..20]);
    let document = open("missing.pfmap", text);
    assert_eq!(
        document.about().problems.len(),
        4,
        "{:#?}",
        document.about().problems
    );
    let camera = look_at(&document, [16.0, 16.5, 0.5], STEEP, 70.0);
    let sky = Camera::new("0,50,0,20,55,-30".parse().unwrap(), Handedness::Mirrored);
    vec![
        Golden::new("placeholder", &document, camera),
        Golden {
            name: "sky".to_owned(),
            document: None,
            view: View::plain(sky),
            size: [96, 54],
            has_ground_reflection: false,
            samples: Samples::One,
        },
    ]
}

/// Camera for models: from the south-west and above, looking into the model.
fn model_camera(document: &Arc<dyn Document>) -> Camera {
    let target = document.about().bounds.center();
    let eye = target + Vec3::new(0.55, 0.75, 1.0).normalize() * 31.0;
    Camera::new(Pose { eye, target }, Handedness::Mirrored)
}

/// A picture of a model at a frame of its first clip.
fn model(name: &str, document: &Arc<dyn Document>, frame: u32) -> Golden {
    let mut golden = Golden::new(format!("model-{name}"), document, model_camera(document));
    golden.view.shown.playhead = Playhead::at_frame(0, frame);
    golden.size = MODEL_SIZE;
    golden
}

/// The robot of the demos: parts that one clip shows, light that is added, poses between frames, and
/// the weights of a soft joint.
fn robots() -> Vec<Golden> {
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let source = demo::ROBOT.source();
    let robot = mapscope_scene::open(&source, &options, &progress).unwrap();
    let pictures = [
        ("walk", 0, 6.0, None),
        ("wave", 1, 20.5, None),
        ("carry", 2, 12.0, None),
        ("weights", 0, 6.0, Some(9)),
    ];
    pictures
        .into_iter()
        .map(|(name, clip, frame, joint)| {
            let camera = Camera::new(demo::ROBOT.first_pose, Handedness::Mirrored);
            let mut golden = Golden::new(format!("robot-{name}"), &robot, camera);
            golden.size = MODEL_SIZE;
            golden.view.shown.playhead = Playhead {
                clip: Some(clip),
                frame,
                smooth: true,
                blend: None,
            };
            golden.view.shown.selected = joint.map(|index| ModelItem::Joint { index }.into());
            golden
        })
        .collect()
}

/// A bending chimney: its poses, every overlay, and all kinds of highlighted items.
fn models() -> Vec<Golden> {
    let path = Path::new("chimney.pfobj");
    let chimney = rigs::open(path, &rigs::chimney("rock.jpg", "sand.jpg"));
    let mut goldens = vec![
        model("bind-pose", &chimney, 0),
        model("bent-west", &chimney, 2),
        model("bent-east", &chimney, 6),
        model("joint", &chimney, 2).with_selected(ModelItem::Joint { index: 2 }),
        model("material", &chimney, 2).with_selected(ModelItem::Material { index: 1 }),
        model("triangle", &chimney, 2).with_selected(ModelItem::Triangle { index: 11 }),
    ];
    goldens[0].view.shown.playhead = Playhead::default();
    let mut smooth = model("smooth", &chimney, 2);
    smooth.view.shown.playhead = Playhead {
        clip: Some(0),
        frame: 4.5,
        smooth: true,
        blend: None,
    };
    goldens.push(smooth);
    let sword = rigs::open(Path::new("sword.pfobj"), &rigs::sword("snow.jpg"));
    let attached = [1, 3].map(|joint| Attached {
        joint,
        path: "sword.pfobj".into(),
        model: Arc::clone(&sword),
    });
    let armed = Assembly::of(&chimney, attached.into());
    let camera = model_camera(&chimney);
    for (name, selected) in [("attached", None), ("attached-joint", Some(2))] {
        let mut golden = model(name, &armed, 2);
        golden.view.camera = camera;
        golden.view.shown.selected = selected.map(|index| ModelItem::Joint { index }.into());
        goldens.push(golden);
    }
    let odd = rigs::open(path, &rigs::reversed_chimney("rock.jpg", "sand.jpg"));
    for overlay in chimney.about().overlays {
        let document = match overlay.id {
            OverlayId::ReversedTriangles => &odd,
            _ => &chimney,
        };
        let mut golden = model(overlay.id.as_str(), document, 2).with_overlay(overlay.id);
        if overlay.id == OverlayId::JointPaths {
            golden = golden.with_selected(ModelItem::Joint { index: 2 });
        }
        goldens.push(golden);
    }
    // Without the overlay, the opposite wall is visible.
    goldens.push(model("reversed", &odd, 2));

    // A fence; the back of its far side is visible only if back faces are drawn.
    let holes = tempfile::tempdir().unwrap();
    let fence = RgbaImage::from_fn(32, 32, |x, y| {
        let is_bar = x % 16 < 5 || y % 16 < 5;
        Rgba([150, 90, 40, if is_bar { 255 } else { 0 }])
    });
    fence.save(holes.path().join("fence.png")).unwrap();
    let fence = rigs::open(
        &holes.path().join("fence.pfobj"),
        &rigs::chimney("rock.jpg", "fence.png"),
    );
    goldens.push(model("holes", &fence, 2));
    goldens.push(model("holes-two-sided", &fence, 2).with_overlay(OverlayId::TwoSided));

    // Bars so fine that the engine's texture size loses some of them.
    let bars = RgbaImage::from_fn(1024, 1024, |x, y| {
        let is_light = (x / 12 + y / 12) % 2 == 0;
        let [r, g, b] = if is_light {
            [240, 220, 150]
        } else {
            [60, 40, 90]
        };
        Rgba([r, g, b, 255])
    });
    bars.save(holes.path().join("bars.png")).unwrap();
    let bars = rigs::open(
        &holes.path().join("bars.pfobj"),
        &rigs::chimney("bars.png", "bars.png"),
    );
    for mut golden in [
        model("sharp-bars", &bars, 2),
        model("engine-bars", &bars, 2).with_overlay(OverlayId::EngineTextures),
    ] {
        golden.view.camera.fov_y_radians = 0.03;
        goldens.push(golden);
    }

    let missing = rigs::open(path, &rigs::chimney("rock.jpg", "no-such-picture.png"));
    goldens.push(model("placeholder", &missing, 2));

    let instances = (0..5).map(|i| Instance {
        world_from_model: Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.4 + 0.1 * i as f32),
            Quat::from_rotation_y(0.4 * i as f32),
            Vec3::new(12.0 - 7.0 * i as f32, 0.0, 0.0),
        ),
        playhead: Playhead::at_frame(0, i * 2),
    });
    let mut row = model("instances", &chimney, 0);
    row.document = Some(Arc::new(Crowd::new(chimney, instances.collect())));
    goldens.push(row);
    goldens
}

/// A picture of a level from a given pose.
fn level(name: &str, document: &Arc<dyn Document>, pose: &str) -> Golden {
    let camera = Camera::new(pose.parse().unwrap(), document.about().handedness);
    let mut golden = Golden::new(format!("level-{name}"), document, camera);
    golden.size = LEVEL_SIZE;
    golden
}

/// Looking ahead and slightly down; X is right.
const LEVEL_POSE: &str = "0.8,2.2,-11.5,-0.1,-0.8,2";
/// The same from a distance, with the whole chunk in view.
const LEVEL_POSE_FAR: &str = "5,6,-13,0,-0.3,0";

/// A level with one of every feature: effects of its lights, every overlay, and its skies.
fn levels() -> Vec<Golden> {
    let document = gallery::open();
    let mut goldens = vec![level("full", &document, LEVEL_POSE)];
    let west = Aabb {
        min: Vec3::splat(-4.0),
        max: Vec3::new(-1.5, 0.0, 0.0),
    };
    for overlay in document.about().overlays {
        let pose = match overlay.id {
            OverlayId::ChunkBorders => LEVEL_POSE_FAR,
            OverlayId::Cells => "0,1,-8.5,-2.6,-2.3,-2",
            _ => LEVEL_POSE,
        };
        if overlay.id == OverlayId::LeftOut {
            // The overlay is on by default.
            let broken = gallery::open_broken();
            goldens.push(level("left-out", &broken, "-12,24,-36,14,-2,0"));
            continue;
        }
        let mut golden = level(overlay.id.as_str(), &document, pose).with_overlay(overlay.id);
        match overlay.id {
            // Only a few cells.
            OverlayId::Cells => golden.view.shown.cut = Some(west),
            OverlayId::Visibility => golden = golden.with_selected(gallery::VIS_INFO),
            OverlayId::ServerRegions => golden = golden.with_selected(gallery::SERVER_REGION),
            _ => {}
        }
        goldens.push(golden);
    }
    let mut cells =
        level("cells-of-depth", &document, LEVEL_POSE_FAR).with_overlay(OverlayId::Cells);
    cells.view.shown.cell_depth = Some(1);
    goldens.push(cells);
    let mut changed = |name: &str, pose: &str, change: &dyn Fn(&mut View)| {
        let mut golden = level(name, &document, pose);
        change(&mut golden.view);
        goldens.push(golden);
    };
    let light = |item: LevelItem, intensity| {
        move |view: &mut View| view.shown.lights.set(item.into(), Some(intensity))
    };
    let dynamic_light = LevelItem::DynamicLight {
        level: 0,
        id: gallery::DYNAMIC_LIGHT,
    };
    let fast_light = LevelItem::FastLight {
        level: 0,
        id: gallery::FAST_LIGHT,
    };
    let dynamic = light(dynamic_light, 0);
    changed("dynamic-light-off", LEVEL_POSE, &dynamic);
    let dimmed = light(dynamic_light, 90);
    changed("dynamic-light-dimmed", LEVEL_POSE, &dimmed);
    let fast = light(fast_light, 40);
    changed("fast-light-dimmed", LEVEL_POSE, &fast);
    changed("later", LEVEL_POSE, &|view| {
        view.shown.playhead = Playhead::at_frame(0, 36);
    });
    changed("cut", "2.5,8,-7.5,0.3,-1,0.5", &|view| {
        view.shown.cut = Some(Aabb {
            min: Vec3::new(-1.6, -3.5, -4.0),
            max: Vec3::new(4.0, 0.7, 4.0),
        });
    });
    // Along the faces of cubes, which stay whole.
    changed("cut-along-faces", "2.5,8,-7.5,0.3,-1,0.5", &|view| {
        view.shown.cut = Some(Aabb {
            min: Vec3::new(-2.0, -3.0, -4.0),
            max: Vec3::new(4.0, 0.0, 3.0),
        });
    });
    changed("hidden", LEVEL_POSE, &|view| {
        view.shown.hidden = vec![gallery::FLOOR_ITEM.into()];
    });
    changed("selected", LEVEL_POSE, &|view| {
        view.shown.selected = Some(gallery::FLOOR_ITEM.into());
    });
    // Transparent panes are sorted correctly from both sides.
    changed("panes", "5.5,-0.5,-6,1,-1,0.5", &|_| ());
    changed("panes-from-behind", "-2,0.5,2.6,1.6,-1.6,-0.5", &|_| ());
    // All sides of the sky, in two halves, and the sky of a region.
    changed("sky", "50,50,50,51,50.9,51", &|_| ());
    changed("sky-below", "50,50,50,49,49.1,49", &|_| ());
    changed("region-sky", "-0.5,-0.5,-0.5,-1.5,0.6,-1.6", &|_| ());
    changed("orthographic", LEVEL_POSE, &|view| {
        view.camera.projection = Projection::Orthographic;
    });
    goldens
}

/// Size of the pictures of 2D maps.
const MAP_SIZE: [u32; 2] = [176, 112];

/// A flat picture of a map with this map pixel in its upper left corner.
fn from_above(name: &str, map: &Arc<dyn Document>, top_left_px: [f64; 2], zoom: f64) -> Golden {
    let view = tile_maps::flat_view(top_left_px, zoom, MAP_SIZE);
    Golden {
        view,
        size: MAP_SIZE,
        ..Golden::new(format!("tiles-{name}"), map, view_of_nothing())
    }
}

/// A picture of a map with its layers stacked in space.
fn apart(name: &str, map: &Arc<dyn Document>, pose: &str) -> Golden {
    let camera = Camera::new(pose.parse().unwrap(), map.about().handedness);
    Golden {
        size: MAP_SIZE,
        ..Golden::new(format!("tiles-{name}"), map, camera)
    }
}

fn view_of_nothing() -> Camera {
    Camera::new("0,1,0,0,0,0".parse().unwrap(), Handedness::Right)
}

/// A field with a path, semitransparent blocks on it, and a roof that partly has priority over a
/// sprite.
fn village() -> TileMap {
    let ground = layer([14, 10], |x, y| {
        let is_path = x == 4 || y == 6;
        let turned = (scrambled(x + y * 31) & 7) << 24;
        Cell(if is_path { 1 } else { turned })
    });
    let blocks = layer([14, 10], |x, y| match scrambled(x * 7 + y * 131) % 5 {
        0 => Cell(2),
        1 => Cell(3),
        _ => Cell::EMPTY,
    });
    let mut roof = layer([6, 4], |x, y| match (x, y) {
        (2 | 3, 1 | 2) => Cell::EMPTY,
        (_, 0) => Cell(4 | Cell::PRIORITY),
        _ => Cell(5),
    });
    roof.position_px = [80, 48];
    roof.has_priority = true;
    let tileset = tiles([16, 16], 6, |tile, [x, y]| match tile {
        2 => 130,
        3 if (x + y) % 5 < 2 => 0,
        _ => 255,
    });
    let mut map = tile_maps::map(vec![tileset], vec![ground, blocks, roof]);
    map.images = vec![sprite([26, 30], [230, 90, 60])];
    map.objects = vec![Object {
        rect_px: RectPx {
            min: [98.0, 52.0],
            max: [124.0, 82.0],
        },
        image: Some(0),
        ..Object::new(ObjectKind::Sprite, "sprite", Some(2))
    }];
    // Objects that only overlays show.
    let rect = |[left, top]: [f32; 2], [right, bottom]: [f32; 2]| RectPx {
        min: [left, top],
        max: [right, bottom],
    };
    map.objects.extend([
        Object {
            rect_px: rect([20.0, 86.0], [74.0, 128.0]),
            zone: Some(2),
            ..Object::new(ObjectKind::ZoneArea, "", Some(1))
        },
        Object {
            rect_px: rect([150.0, 100.0], [166.0, 116.0]),
            faces: Some([-1, 1]),
            wander_px: Some(rect([140.0, 92.0], [200.0, 124.0])),
            ..Object::new(ObjectKind::Entity, "somebody", None)
        },
    ]);
    map.steps = TileMap::steps_in_file_order(&map.layers, &map.objects);
    let obstructed = |x: u32, y: u32| u8::from(scrambled(x * 7 + y * 131).is_multiple_of(5));
    let zone = |x: u32, y: u32| if x > 8 { 1 } else { u8::from(y < 3) * 2 };
    let numbers = |number: &dyn Fn(u32, u32) -> u8| {
        let cells = (0..10).flat_map(|y| (0..14).map(move |x| (x, y)));
        Integers::U8(cells.map(|(x, y)| number(x, y)).collect())
    };
    map.grids = vec![
        Grid {
            kind: GridKind::Obstruction { by_sides: true },
            layer: Some(1),
            size: [14, 10],
            values: numbers(&obstructed),
            place: ListPlace::Unknown,
        },
        Grid {
            kind: GridKind::Zones,
            layer: Some(0),
            size: [14, 10],
            values: numbers(&zone),
            place: ListPlace::Unknown,
        },
    ];
    for name in ["", "meadow", "grove"] {
        map.zones.push(Zone {
            name: name.to_owned(),
        });
    }
    map
}

/// The village with a file that ends in the blocks and in their obstruction, before the zones. The
/// overlay that outlines these parts is on by default.
fn cut_village() -> TileMap {
    let mut map = village();
    let size = map.layers[1].size;
    map.layers[1].cells[75..].fill(Cell::EMPTY);
    map.grids.clear();
    let obstruction = GridKind::Obstruction { by_sides: true };
    let left_out = |what, layer, read| LeftOut {
        what,
        layer,
        read,
        why: UnreadReason::FileEnds,
    };
    map.left_out = vec![
        left_out(Unread::Tiles(size), Some(1), 75),
        left_out(Unread::Grid(obstruction, size), Some(1), 52),
        left_out(Unread::Grid(GridKind::Zones, size), Some(0), 0),
    ];
    map
}

/// 2D maps: all variants of cells, flat and stacked in space, near and far.
fn tile_layers() -> Vec<Golden> {
    let document = |map: TileMap| -> Arc<dyn Document> { Arc::new(map.finished()) };
    let village = document(village());
    let turned = layer([9, 6], |x, y| {
        if (x, y) == (8, 2) || x + y == 13 {
            return Cell::EMPTY;
        }
        Cell(((x / 2 + y) % 6) | ((x % 8) << 24))
    });
    let turned = document(tile_maps::map(vec![tileset([16, 16], 6)], vec![turned]));
    let mut goldens = vec![
        from_above("turned", &turned, [-12.0, -6.0], 1.0),
        from_above("turned-larger", &turned, [-1.0, -1.0], 3.0),
        from_above("not-whole", &turned, [3.3, 5.1], 1.7),
        from_above("flat", &village, [16.0, 8.0], 1.0),
        from_above("larger", &village, [72.0, 40.0], 2.0),
        from_above("smaller", &village, [-60.0, -20.0], 0.5),
        apart("apart", &village, "40,210,330,120,30,85"),
        apart("from-below", &village, "60,-130,250,115,30,80"),
        apart("near", &village, "30,22,190,70,0,120"),
    ];
    let mut orthographic = apart("orthographic", &village, "-80,190,280,112,30,80");
    orthographic.view.camera.projection = Projection::Orthographic;
    goldens.push(orthographic);
    let mut together = apart("together", &village, "20,150,260,112,0,80");
    together.view.shown.layer_gap = Some(0.0);
    goldens.push(together);

    let large = layer([300, 200], |x, y| {
        let is_water = (x as f32 * 0.05).sin() + (y as f32 * 0.07).cos() > 0.6;
        let speckle = u32::from(scrambled(x + y * 300).is_multiple_of(9));
        Cell(if is_water { 2 } else { speckle * 5 })
    });
    let large = document(tile_maps::map(vec![tileset([16, 16], 6)], vec![large]));
    goldens.push(from_above("far", &large, [-600.0, -300.0], 0.03));
    goldens.push(apart("far-tilted", &large, "2400,300,3300,2400,0,2500"));

    let mut tinted = layer([6, 4], |x, y| Cell((x + y) % 6));
    let dark = [60, 60, 110, 255];
    let light = [200, 170, 128, 255];
    let faint = [128, 128, 128, 70];
    let corner =
        |x: u32, y: u32| [[128, 128, 128, 255], dark, light, faint][((x * 3 + y) % 4) as usize];
    let corners =
        |x, y| [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| corner(x, y));
    tinted.tints = Some((0..24).map(|i| corners(i % 6, i / 6)).collect());
    let tinted = document(tile_maps::map(vec![tileset([16, 16], 6)], vec![tinted]));
    goldens.push(from_above("tints", &tinted, [-8.0, -4.0], 1.5));
    goldens.push(from_above("tints-larger", &tinted, [0.0, 0.0], 2.0));

    let texture = synthesize::ptf(Layout::V3, [64, 32], 4).write().unwrap();
    let texture = open("texture.ptf", texture);
    let mut picture = from_above("picture", &texture, [-8.0, -4.0], 3.0);
    picture.view.shown.selected = Some(TileMapItem::Pixel { x: 20, y: 9 }.into());
    goldens.push(picture.with_overlay(OverlayId::Grid));

    let ground = layer([10, 7], |x, y| Cell(scrambled(x + y * 50) % 2));
    let mut wrapped = layer([2, 2], |x, y| if x == y { Cell(3) } else { Cell::EMPTY });
    wrapped.wraps = [true, false];
    wrapped.position_px = [5, 20];
    wrapped.parallax = Parallax {
        mul: [1, 1],
        div: [2, 2],
    };
    let mut framed = layer([4, 3], |x, y| {
        if (x, y) == (1, 1) {
            Cell::EMPTY
        } else {
            Cell(4)
        }
    });
    framed.position_px = [60, 60];
    framed.outside = Some(Cell(2));
    let see_through = tiles([16, 16], 6, |tile, [x, y]| {
        let is_hole = tile == 2 && (x / 2 + y / 2) % 4 != 0;
        if is_hole { 0 } else { 255 }
    });
    let layers = vec![ground, wrapped, framed];
    let around = document(tile_maps::map(vec![see_through], layers));
    goldens.push(from_above("around", &around, [0.0, 0.0], 1.0));
    goldens.push(from_above("around-moved", &around, [-20.0, -10.0], 1.0));
    goldens.push(from_above("still", &around, [-20.0, -10.0], 1.0).with_overlay(OverlayId::Still));
    goldens.push(apart("around-apart", &around, "-10,150,220,80,20,60"));

    let overlay = |name: &str, top_left, zoom| from_above(name, &village, top_left, zoom);
    goldens.push(overlay("obstruction", [40.0, 20.0], 1.0).with_overlay(OverlayId::Obstruction));
    goldens.push(overlay("zones", [-40.0, -30.0], 0.6).with_overlay(OverlayId::Zones));
    goldens.push(overlay("grid", [72.0, 40.0], 2.0).with_overlay(OverlayId::Grid));
    let both = overlay("pixel-grid", [92.4, 60.2], 11.0).with_overlay(OverlayId::Grid);
    goldens.push(both.with_overlay(OverlayId::PixelGrid));
    // All at once: obstruction is hatched over zones, and boxes are visible on any ground.
    let overlays = [
        OverlayId::Zones,
        OverlayId::Entities,
        OverlayId::LayerFrames,
    ]
    .into_iter();
    let all = overlay("overlays", [32.0, 36.0], 1.0).with_overlay(OverlayId::Obstruction);
    goldens.push(overlays.fold(all, Golden::with_overlay));
    let pose = "40,210,330,120,30,85";
    let hatched = apart("apart-zones", &village, pose).with_overlay(OverlayId::Zones);
    goldens.push(hatched.with_overlay(OverlayId::Obstruction));
    let lines = apart("apart-grid", &village, pose).with_overlay(OverlayId::Grid);
    goldens.push(lines.with_overlay(OverlayId::Obstruction));
    let cut = document(cut_village());
    goldens.push(from_above("left-out", &cut, [32.0, 36.0], 1.0));
    goldens.push(apart("apart-left-out", &cut, pose));
    let mut selected = from_above("selected-tile", &village, [16.0, 8.0], 1.0);
    selected.view.shown.selected = Some(TileMap::tile_item(0, 3));
    goldens.push(selected);
    let mut selected = from_above("selected-tile-far", &village, [-60.0, -60.0], 0.3);
    selected.view.shown.selected = Some(TileMap::tile_item(0, 3));
    goldens.push(selected);
    let mut faint = from_above("opacity", &village, [16.0, 8.0], 1.0);
    faint
        .view
        .shown
        .opacities
        .set(TileMap::layer_item(2), Some(110));
    faint.view.shown.hidden = vec![TileMap::layer_item(1)];
    goldens.push(faint);
    goldens
}

/// Models on terrain in one picture.
fn scenes() -> Vec<Golden> {
    let scene: Arc<dyn Document> = Arc::new(scenes::chimneys_on_land());
    let camera = look_at(&scene, [15.5, 16.0, 1.0], SLANT, 75.0);
    let mut goldens = vec![
        Golden::new("scene", &scene, camera),
        Golden::new("scene-wireframe", &scene, camera).with_overlay(OverlayId::Wireframe),
    ];
    // The demo scene: its market in the initial view, its well and stalls from nearby, and the
    // landing at the lake.
    let source = demo::HAMLET.source();
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let hamlet = mapscope_scene::open(&source, &options, &progress).unwrap();
    let near = |eye: [f32; 3], target: [f32; 3]| Pose {
        eye: eye.into(),
        target: target.into(),
    };
    for (name, pose) in [
        ("hamlet", demo::HAMLET.first_pose),
        (
            "hamlet-market",
            near([-58.0, 22.0, 30.0], [-100.0, 4.0, -14.0]),
        ),
        (
            "hamlet-landing",
            near([220.0, 60.0, 60.0], [120.0, 0.0, 190.0]),
        ),
    ] {
        let camera = Camera::new(pose, hamlet.about().handedness);
        let mut golden = Golden::new(name, &hamlet, camera);
        golden.view.shown.playhead.clip = Some(0);
        golden.view.shown.playhead.frame = 20.0;
        goldens.push(golden);
    }
    goldens
}

/// A six-coloured sky behind land and in its water, and the same land in other light, from the
/// north.
fn skyboxes() -> Vec<Golden> {
    let scene: Arc<dyn Document> = Arc::new(sky::chimneys_below_a_skybox());
    let low = look_at(&scene, [21.0, 21.0, 0.0], Vec3::new(1.0, 0.3, 0.5), 60.0);
    let dusk: Arc<dyn Document> = Arc::new(sky::chimneys_at_dusk());
    let mut ground = Golden::new("skybox-ground-reflected", &scene, low);
    ground.has_ground_reflection = true;
    let demo = open_demo();
    let lake = look_at(&demo, [95.0, 30.0, 0.0], Vec3::new(1.0, 0.3, 0.6), 85.0);
    let mut reflected = Golden::new("ground-reflected", &demo, lake);
    reflected.has_ground_reflection = true;
    let sunny: Arc<dyn Document> = Arc::new(scenes::chimneys_in_the_sun());
    let shore = look_at(&sunny, [20.0, 22.0, 0.0], Vec3::new(-1.0, 0.3, 0.2), 60.0);
    let mut models = Golden::new("models-reflected", &sunny, shore);
    models.has_ground_reflection = true;
    vec![
        ground,
        reflected,
        models,
        Golden::new("skybox", &scene, low),
        Golden::new("dusk", &dusk, low),
    ]
}

/// Shadows on ground, slope, wall, water and other models, with the sun behind the camera and in
/// front of it.
fn shadows() -> Vec<Golden> {
    let scene: Arc<dyn Document> = Arc::new(scenes::chimneys_in_the_sun());
    let with = look_at(&scene, [17.0, 16.5, 1.0], SLANT, 75.0);
    let against = look_at(&scene, [17.0, 16.5, 1.0], Vec3::new(-1.0, 0.9, 0.6), 75.0);
    let mut without = Golden::new("shadows-off", &scene, with);
    without.view.shown.hides_shadows = true;
    vec![
        Golden::new("shadows-with-sun", &scene, with),
        Golden::new("shadows-against-sun", &scene, against),
        Golden::new("shadows-tile-grid", &scene, with).with_overlay(OverlayId::TileGrid),
        Golden::new(
            "shadows-far",
            &scene,
            look_at(&scene, [17.0, 16.5, 1.0], SLANT, 260.0),
        ),
        without,
    ]
}

/// A scene, a level and a horizon with anti-aliasing. Near the horizon, pixels cover more than a
/// tile.
fn smooth() -> Vec<Golden> {
    let scene: Arc<dyn Document> = Arc::new(scenes::chimneys_in_the_sun());
    let camera = look_at(&scene, [15.5, 16.0, 1.0], SLANT, 75.0);
    let level = level("smooth", &gallery::open(), LEVEL_POSE);
    let demo = open_demo();
    let flat = Camera::new(
        "-200,14,-200,0,5,0".parse().unwrap(),
        demo.about().handedness,
    );
    let scene = Golden::new("scene-smooth", &scene, camera);
    [scene, level, Golden::new("horizon-smooth", &demo, flat)]
        .map(|golden| Golden {
            samples: Samples::Four,
            ..golden
        })
        .into()
}

/// All goldens, whose documents are opened once for all tests.
fn all() -> &'static [Golden] {
    static ALL: LazyLock<Vec<Golden>> = LazyLock::new(make_all);
    &ALL
}

fn make_all() -> Vec<Golden> {
    [
        types(),
        demo(),
        blends(),
        rare_blends(),
        flags(),
        scenery(),
        missing_content(),
        models(),
        robots(),
        levels(),
        tile_layers(),
        scenes(),
        shadows(),
        skyboxes(),
        smooth(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

// ---- Comparing -----------------------------------------------------------------------------

fn folder() -> PathBuf {
    mapscope_testdata::root().join("tests/goldens")
}

/// Removes alpha: goldens are opaque and smaller without it.
fn without_alpha(picture: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let Rgba([r, g, b, _]) = *picture.get_pixel(x, y);
        image::Rgb([r, g, b])
    })
}

fn save(picture: &RgbImage, path: &Path) {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let encoder = PngEncoder::new_with_quality(file, CompressionType::Best, FilterType::Adaptive);
    picture.write_with_encoder(encoder).unwrap();
}

/// The difference of two pictures of the same size, amplified eight times, and the number of pixels
/// beyond the tolerance.
fn difference(a: &RgbImage, b: &RgbImage) -> (RgbImage, usize) {
    let mut beyond = 0;
    let picture = RgbImage::from_fn(a.width(), a.height(), |x, y| {
        let (a, b) = (a.get_pixel(x, y).0, b.get_pixel(x, y).0);
        let differences: [u8; 3] = std::array::from_fn(|i| a[i].abs_diff(b[i]));
        beyond += usize::from(differences.iter().any(|d| *d > MAX_DIFFERENCE));
        image::Rgb(differences.map(|d| d.saturating_mul(8)))
    });
    (picture, beyond)
}

/// Compares a picture with the golden one. An error describes the difference and names the files.
fn compare(name: &str, new: &RgbImage) -> Result<(), String> {
    let path = |ending: &str| folder().join(format!("{name}{ending}"));
    let golden = match image::open(path(".png")) {
        Ok(golden) => golden.into_rgb8(),
        Err(error) => {
            save(new, &path(".new.png"));
            return Err(format!(
                "{name}: {error}; see {}",
                path(".new.png").display()
            ));
        }
    };
    if golden.dimensions() != new.dimensions() {
        save(new, &path(".new.png"));
        return Err(format!(
            "{name}: {:?} pixels, not {:?}",
            new.dimensions(),
            golden.dimensions()
        ));
    }
    let (picture, beyond) = difference(&golden, new);
    let allowed = new.pixels().len() * PER_MILLE_BEYOND / 1000;
    if beyond > allowed {
        save(new, &path(".new.png"));
        save(&picture, &path(".diff.png"));
        return Err(format!(
            "{name}: {beyond} pixels differ, of which {allowed} may; see {} and {}",
            path(".new.png").display(),
            path(".diff.png").display()
        ));
    }
    // Removes files of earlier failures.
    for ending in [".new.png", ".diff.png"] {
        if path(ending).exists() {
            std::fs::remove_file(path(ending)).unwrap();
        }
    }
    Ok(())
}

#[test]
fn pictures_are_as_they_were() {
    let adapter = Stage::get().gpu.adapter_name();
    if !adapter.contains("llvmpipe") {
        let reason = format!("the golden pictures are lavapipe's, and this is {adapter}");
        skip(Need::Gpu, &reason);
        return;
    }
    let update = std::env::var_os("UPDATE_GOLDENS").is_some();
    let mut failures = Vec::new();
    for golden in all() {
        let picture = without_alpha(&golden.draw());
        if update && compare(&golden.name, &picture).is_err() {
            save(&picture, &folder().join(format!("{}.png", golden.name)));
        }
        failures.extend(compare(&golden.name, &picture).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The first frames use few general pipelines, later ones use specialised pipelines.
#[test]
fn later_frames_of_maps_look_as_the_first_ones() {
    let mut later = Stage::on(
        Gpu::headless(None)
            .unwrap()
            .with_samples(Some(Samples::One)),
    );
    let mut compared = 0;
    for golden in all().iter().step_by(stride(4)) {
        let is_on_ground = |document: &&dyn Document| document.environment().is_some();
        let document = golden.document.as_deref().filter(is_on_ground);
        let Some(document) = document.filter(|_| golden.samples == Samples::One) else {
            continue;
        };
        later.set_ground_reflection(golden.has_ground_reflection);
        let picture = later.draw_after_prefetch(document, &golden.view, golden.size);
        let (_, beyond) = difference(&without_alpha(&picture), &without_alpha(&golden.draw()));
        assert_eq!(beyond, 0, "{}", golden.name);
        compared += 1;
    }
    assert!(compared * stride(4) > 20, "{compared}");
}

/// Pictures made in parts of any size have no visible seams.
#[test]
fn pictures_made_in_parts_are_those_made_at_once() {
    let mut failures = Vec::new();
    // Testing all of them would take minutes.
    let few = all().iter().step_by(4 * stride(2));
    for golden in few.chain(&smooth()) {
        let whole = without_alpha(&golden.draw());
        let mut stage = Stage::with(golden.samples);
        stage.set_ground_reflection(golden.has_ground_reflection);
        let document = golden.document.as_deref();
        let parts = stage.draw_tiled(document, &golden.view, golden.size, 70);
        stage.set_ground_reflection(false);
        let (_, beyond) = difference(&without_alpha(&parts), &whole);
        let pixels = (golden.size[0] * golden.size[1]) as usize;
        if beyond * 1000 > pixels * PER_MILLE_BEYOND {
            failures.push(format!("{}: {beyond} of {pixels} pixels", golden.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A picture with several parts in a row of parts can be stopped early.
#[test]
fn a_picture_in_parts_ends_after_any_of_them() {
    let camera = all()[0].view.camera;
    let parts = Stage::get().parts_before_error(&View::plain(camera), [640, 32], 3);
    assert_eq!(parts, 3);
}

/// Drawn pixels of a transparent picture equal those of an opaque one; all others are empty.
#[test]
fn transparent_pictures_leave_out_what_is_behind() {
    let wanted = ["view-iso", "model-bind-pose", "model-wireframe", "sky"];
    let is_wanted = |golden: &&Golden| wanted.contains(&&*golden.name);
    let goldens = all();
    assert_eq!(goldens.iter().filter(is_wanted).count(), wanted.len());
    for golden in goldens.iter().filter(is_wanted) {
        let plain = golden.draw();
        let mut view = golden.view.clone();
        view.shown.is_transparent = true;
        let document = golden.document.as_deref();
        let picture = Stage::get().draw_tiled(document, &view, golden.size, u32::MAX);
        let (mut there, mut nothing) = (0, 0);
        for (Rgba([r, g, b, a]), plain) in picture.pixels().zip(plain.pixels()) {
            match a {
                255 => {
                    // Blended colours are rounded once more.
                    let pairs = [r, g, b].into_iter().zip(&plain.0);
                    let off = pairs.map(|(new, old)| new.abs_diff(*old)).max();
                    assert!(off <= Some(1), "{}: {off:?}", golden.name);
                    there += 1;
                }
                0 => nothing += 1,
                _ => {}
            }
        }
        assert!(nothing > 0, "{}", golden.name);
        assert_eq!(there > 0, document.is_some(), "{}", golden.name);
    }
}

/// A picture drawn at `times` its size and averaged.
fn supersampled(golden: &Golden, times: u32) -> RgbImage {
    let mut view = golden.view.clone();
    view.line_scale *= times as f32;
    let size = golden.size.map(|side| side * times);
    let document = golden.document.as_deref();
    let (large, _) = Stage::get().draw(document, &view, size);
    imageops::thumbnail(&without_alpha(&large), golden.size[0], golden.size[1])
}

/// The mean squared difference of two pictures.
fn mean_error(a: &RgbImage, b: &RgbImage) -> f64 {
    let pairs = a.as_raw().iter().zip(b.as_raw());
    let squares = pairs.map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
    squares.sum::<f64>() / a.as_raw().len() as f64
}

#[test]
fn with_four_samples_edges_are_as_smooth_as_in_a_larger_picture() {
    for golden in smooth() {
        let wanted = supersampled(&golden, 4);
        let error_with = |samples| {
            let (picture, _) =
                Stage::with(samples).draw(golden.document.as_deref(), &golden.view, golden.size);
            mean_error(&without_alpha(&picture), &wanted)
        };
        let [one, four] = [Samples::One, Samples::Four].map(error_with);
        assert!(four * 1.5 < one, "{}: {one} and {four}", golden.name);
    }
}

/// A pixel half covered by a surface has the surface's colour and is half transparent.
#[test]
fn smooth_edges_of_transparent_pictures_have_the_colour_of_their_surface() {
    let folder = tempfile::tempdir().unwrap();
    let color = [200, 120, 40];
    let plain = RgbImage::from_pixel(4, 4, image::Rgb(color));
    plain.save(folder.path().join("plain.png")).unwrap();
    let path = folder.path().join("plain.pfobj");
    let document = rigs::open(&path, &rigs::chimney("plain.png", "plain.png"));
    let mut golden = model("plain", &document, 2).with_overlay(OverlayId::Unlit);
    golden.view.shown.is_transparent = true;
    let picture = Stage::with(Samples::Four).draw_tiled(
        golden.document.as_deref(),
        &golden.view,
        golden.size,
        u32::MAX,
    );
    let mut steps = BTreeSet::new();
    for Rgba([r, g, b, a]) in picture.pixels().filter(|pixel| pixel.0[3] > 0) {
        let off = [r, g, b]
            .into_iter()
            .zip(color)
            .map(|(new, old)| new.abs_diff(old));
        // A quarter of a colour is rounded to an integer.
        assert!(off.max() <= Some(3), "{r} {g} {b} {a}");
        steps.insert(a / 60);
    }
    assert_eq!(steps.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn with_opengl_pictures_are_nearly_as_they_were() {
    let gpu = match Gpu::headless(Some(Backend::OpenGl)) {
        Ok(gpu) if gpu.adapter_name().contains("llvmpipe") => gpu,
        Ok(gpu) => {
            let name = gpu.adapter_name();
            let reason = format!("the bound is for Mesa's software OpenGL, and this is {name}");
            skip(Need::OpenGl, &reason);
            return;
        }
        Err(error) => {
            skip(Need::OpenGl, &format!("there is no OpenGL: {error}"));
            return;
        }
    };
    assert_eq!(gpu.reason, AdapterReason::Asked);
    let smooth_gpu = Gpu::headless(Some(Backend::OpenGl))
        .unwrap()
        .with_samples(Some(Samples::Four));
    let mut stages = [gpu, smooth_gpu].map(Stage::on);
    let mut failures = Vec::new();
    let goldens = [
        types(),
        blends(),
        rare_blends(),
        models(),
        robots(),
        levels(),
        tile_layers(),
        scenes(),
        shadows(),
        skyboxes(),
        smooth(),
    ];
    for golden in goldens.into_iter().flatten().step_by(stride(4)) {
        let picture = without_alpha(&golden.draw_on(&mut stages[golden.samples as usize]));
        let path = folder().join(format!("{}.png", golden.name));
        let (_, beyond) = difference(&image::open(path).unwrap().into_rgb8(), &picture);
        let shows_edges = golden.view.shown.overlays.contains(OverlayId::Wireframe);
        let per_mille = if shows_edges {
            PER_MILLE_BEYOND_OF_GL_EDGES
        } else {
            PER_MILLE_BEYOND_OF_GL
        };
        let allowed = picture.pixels().len() * per_mille / 1000;
        if beyond > allowed {
            save(
                &picture,
                &folder().join(format!("{}.gl.new.png", golden.name)),
            );
            failures.push(format!(
                "{}: {beyond} pixels differ, of which {allowed} may",
                golden.name
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_overlay_view_and_type_has_a_golden_and_every_golden_a_picture() {
    let names: Vec<String> = all().iter().map(|golden| golden.name.clone()).collect();
    let drawn: BTreeSet<String> = names.iter().cloned().collect();
    assert_eq!(drawn.len(), names.len(), "a name is used twice");
    let entries = std::fs::read_dir(folder()).unwrap();
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let kept: BTreeSet<String> = files
        .filter_map(|file| file.strip_suffix(".png").map(str::to_owned))
        // Excludes files of failures.
        .filter(|name| !name.contains('.'))
        .collect();
    assert_eq!(kept, drawn);
    let demo = open_demo();
    let overlays = demo
        .about()
        .overlays
        .iter()
        .map(|o| format!("overlay-{}", o.id));
    let views = NamedView::ALL.map(|view| format!("view-{}", view.name()));
    let chimney = rigs::chimney("rock.jpg", "sand.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    // For a map alone, the overlay of entities draws nothing: it opens the scene beside the map.
    let overlays = overlays.filter(|name| *name != format!("overlay-{}", OverlayId::Entities));
    let of_models = chimney
        .about()
        .overlays
        .iter()
        .map(|o| format!("model-{}", o.id));
    let level = gallery::open();
    let of_levels = level
        .about()
        .overlays
        .iter()
        .map(|o| format!("level-{}", o.id));
    for name in overlays.chain(views).chain(of_models).chain(of_levels) {
        assert!(kept.contains(&name), "{name}");
    }
    for kind in TileType::ALL {
        assert!(
            kept.iter().any(|name| name.ends_with(&format!("-{kind}"))),
            "{kind}"
        );
    }
}

/// Textures of models have the engine's size only while that overlay is on.
#[test]
fn the_size_of_textures_can_be_switched_to_and_fro() {
    let chimney = rigs::chimney("cobbles.jpg", "flagstones.jpg");
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let sharp = model("sharp", &chimney, 2);
    let engine = model("engine", &chimney, 2).with_overlay(OverlayId::EngineTextures);
    let mut stage = Stage::get();
    let mut draw = |golden: &Golden| {
        let document = golden.document.as_deref();
        stage.draw(document, &golden.view, golden.size).0
    };
    let first = draw(&sharp);
    let resized = draw(&engine);
    assert!(first != resized);
    assert!(first == draw(&sharp));
    assert!(resized == draw(&engine));
}

/// Weights of a selected joint are drawn if the joint moves vertices and weights are not switched
/// off; otherwise the textures stay.
#[test]
fn only_joints_that_move_something_colour_the_surface() {
    let mut chimney = rigs::chimney("rock.jpg", "sand.jpg");
    let joints = chimney.joints.len();
    let still = rigs::transform(1.0, Quat::IDENTITY, Vec3::ZERO);
    let control = rigs::joint("control".to_owned(), None, still, Vec3::Y);
    chimney.joints.push(control);
    let clip = &mut chimney.clips[0];
    let frames = clip.poses.chunks(joints);
    clip.poses = frames
        .flat_map(|frame| [frame, &[still]].concat())
        .collect();
    let chimney = rigs::open(Path::new("chimney.pfobj"), &chimney);
    let plain = model("plain", &chimney, 2).draw();
    // All pictures have the outline of the joint.
    let changed = |golden: &Golden| {
        let picture = golden.draw();
        let pixels = picture.pixels().zip(plain.pixels());
        pixels.filter(|(a, b)| a != b).count()
    };
    let mut heat = model("heat", &chimney, 2).with_selected(ModelItem::Joint { index: 2 });
    let shown = changed(&heat);
    heat.view.shown.hides_weights = true;
    let hidden = changed(&heat);
    let index = joints as u32;
    let control = model("control", &chimney, 2).with_selected(ModelItem::Joint { index });
    let control = changed(&control);
    let most = shown / 2;
    assert!(
        shown > 500 && hidden < most && control < most,
        "{shown} {hidden} {control}"
    );
}

/// The comparison detects differences and tolerates rounding.
#[test]
fn a_picture_that_differs_is_told_from_one_that_is_rounded_otherwise() {
    let a = RgbImage::from_pixel(100, 100, image::Rgb([100, 150, 200]));
    let rounded = RgbImage::from_pixel(100, 100, image::Rgb([106, 144, 200]));
    assert_eq!(difference(&a, &rounded).1, 0);
    let mut moved = a.clone();
    for x in 0..21 {
        moved.put_pixel(x, 50, image::Rgb([100, 143, 200]));
    }
    assert_eq!(difference(&a, &moved).1, 21);
}

/// Size of the start page's pictures: twice their displayed size.
const PICTURE_SIZE: [u32; 2] = [340, 192];
/// Tolerance for the mean difference of a channel: the pictures are stored as JPEG, and other
/// versions of Mesa draw slightly differently.
const MAX_MEAN_DIFFERENCE: f64 = 4.0;

#[test]
fn each_demo_has_a_picture_of_itself() {
    let folder = mapscope_testdata::root().join("assets/demo/pictures");
    for demo in demo::DEMOS {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&demo.source(), &options, &progress).unwrap();
        assert_eq!(document.about().problems, [], "{}", demo.id);
        // Downscaling a larger picture gives smoother edges.
        let large = PICTURE_SIZE.map(|side| side * 4);
        let mut view = View::plain(Camera::new(demo.first_pose, document.about().handedness));
        if demo.is_flat {
            view.camera.projection = Projection::Orthographic;
            view.shown.flat = true;
            view.shown.flat_camera_px = FlatWindow::of(&view.camera, large).unwrap().camera_px();
        }
        view.shown.playhead.clip = document.animation().map(|_| 0);
        let (picture, _) = Stage::get().draw(Some(&*document), &view, large);
        let [width, height] = PICTURE_SIZE;
        let picture = imageops::resize(&picture, width, height, FilterType::Triangle);
        let drawn = DynamicImage::from(picture).into_rgb8();
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            let file = std::fs::File::create(folder.join(format!("{}.jpg", demo.id))).unwrap();
            let encoder = JpegEncoder::new_with_quality(file, 85);
            drawn.write_with_encoder(encoder).unwrap();
            continue;
        }
        let kept = image::load_from_memory(demo.thumbnail).unwrap().into_rgb8();
        assert_eq!(kept.dimensions(), drawn.dimensions(), "{}", demo.id);
        let channels = kept.as_raw().iter().zip(drawn.as_raw());
        let sum: u64 = channels.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let mean = sum as f64 / kept.as_raw().len() as f64;
        assert!(
            mean < MAX_MEAN_DIFFERENCE,
            "the picture of {} differs by {mean:.1}: run `UPDATE_GOLDENS=1 \
             cargo test -p mapscope-render goldens`, and look at it",
            demo.id
        );
    }
}
