//! The contents of a document of two levels, all of them known, for tests.

use egui::Vec2;
use egui_kittest::Harness;
use glam::{Vec2 as Uv, Vec3};

use crate::viewer::state::{OpenFile, State};
use crate::viewer::testing::{Window, built, moving_with_levels, sized};
use mapscope_scene::{
    Aabb, Branch, ChunkInfo, ChunkMap, Item, LevelInfo, LevelItem, Light, LightmapFace,
    LightmapInfo, OutlineNode, Overlay, OverlayId, Overrides, Property, PropertyGroup, Shown,
    Swatch,
};

/// The overlays of the levels.
pub(crate) static OVERLAYS: [Overlay; 4] = [
    Overlay {
        id: OverlayId::Lightmap,
        name: "Lightmap only",
        help: "The light alone",
        colors_surface: true,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::Unlit,
        name: "Full bright",
        help: "Without light",
        colors_surface: true,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::Wireframe,
        name: "Wireframe",
        help: "The edges of the triangles",
        colors_surface: false,
        on_by_default: false,
    },
    Overlay {
        id: OverlayId::Cells,
        name: "Octree cells",
        help: "The edges of the cells",
        colors_surface: false,
        on_by_default: false,
    },
];

/// Number of chunks of a level along X and along Z, and number of cubes in a chunk.
const SIDE: u32 = 3;
pub(crate) const CUBES: u32 = 8;
/// Number of an unlisted level with thousands of chunks.
pub(crate) const MANY: usize = 9;

pub(crate) fn material(index: u32) -> Item {
    LevelItem::Material { level: 0, index }.into()
}

pub(crate) fn light(level: u32, id: u32) -> Item {
    LevelItem::FastLight { level, id }.into()
}

pub(crate) fn lightmap(level: u32, index: u32) -> Item {
    let chunk = 0;
    LevelItem::Lightmap {
        level,
        chunk,
        index,
    }
    .into()
}

pub(crate) fn chunk(level: u32, chunk: u32) -> Item {
    LevelItem::Chunk { level, chunk }.into()
}

/// A cube of the first level.
pub(crate) fn cube(chunk: u32, cube: u32) -> Item {
    let level = 0;
    LevelItem::Cube { level, chunk, cube }.into()
}

/// A face of a cube of the first level.
pub(crate) fn face(chunk: u32, cube: u32, side: u8) -> Item {
    let level = 0;
    LevelItem::Face {
        level,
        chunk,
        cube,
        side,
    }
    .into()
}

pub(crate) fn levels() -> Vec<LevelInfo> {
    [("Hall", 0.0), ("Cellar", 100.0)]
        .into_iter()
        .zip(0..)
        .map(|((name, x), level)| LevelInfo {
            name: name.to_owned(),
            item: LevelItem::Level { level }.into(),
            bounds: Aabb {
                min: Vec3::new(x - 12.0, -4.0, -12.0),
                max: Vec3::new(x + 12.0, 4.0, 12.0),
            },
        })
        .collect()
}

pub(crate) fn level_of(item: Item) -> Option<usize> {
    let Item::Level(item) = item else {
        return None;
    };
    match item {
        LevelItem::Level { level }
        | LevelItem::Chunk { level, .. }
        | LevelItem::Cube { level, .. }
        | LevelItem::Face { level, .. }
        | LevelItem::Lightmap { level, .. }
        | LevelItem::FastLight { level, .. } => Some(level as usize),
        _ => None,
    }
}

pub(crate) fn bounds_of(item: Item) -> Option<Aabb> {
    let whole = levels().get(level_of(item)?)?.bounds;
    let (chunk, cube) = match item {
        Item::Level(LevelItem::Chunk { chunk, .. }) => (chunk, None),
        Item::Level(LevelItem::Cube { chunk, cube, .. } | LevelItem::Face { chunk, cube, .. }) => {
            (chunk, Some(cube))
        }
        _ => return Some(whole),
    };
    let min = whole.min + Vec3::new((chunk / SIDE) as f32, 0.0, (chunk % SIDE) as f32) * 8.0;
    let Some(cube) = cube else {
        return Some(Aabb {
            min,
            max: min + 8.0,
        });
    };
    let [x, y, z] = [cube & 1, cube >> 1 & 1, cube >> 2 & 1].map(|bit| bit as f32 * 4.0);
    let min = min + Vec3::new(x, y, z);
    Some(Aabb {
        min,
        max: min + 4.0,
    })
}

pub(crate) fn outline() -> Vec<OutlineNode> {
    let line = |label: &str, item: Item, children: Vec<OutlineNode>| OutlineNode {
        label: label.to_owned(),
        item: Some(item),
        note: "12 triangles".to_owned(),
        swatch: children.is_empty().then_some(Swatch::Color([170, 120, 80])),
        children,
        count: 1,
    };
    let materials = ["Brick", "Plaster", "Oak"].into_iter().zip(0..);
    let materials = materials.map(|(name, i)| line(name, material(i), Vec::new()));
    vec![line(
        "Hall",
        LevelItem::Level { level: 0 }.into(),
        materials.collect(),
    )]
}

pub(crate) fn properties(of: Item) -> Vec<PropertyGroup> {
    let lightmap = match of {
        Item::Level(LevelItem::Face { level, chunk, .. }) => Some(lightmap(level, chunk % 2)),
        _ => None,
    };
    vec![PropertyGroup {
        title: "Thing",
        properties: vec![Property {
            link: lightmap,
            ..Property::new("Lightmap", "one of them")
        }],
    }]
}

pub(crate) fn lights(level: usize) -> Vec<Light> {
    let colors = [
        [255, 190, 110],
        [120, 200, 255],
        [255, 90, 80],
        [200, 255, 160],
    ];
    (0_u32..)
        .zip(colors)
        .map(|(number, color)| Light {
            item: light(level as u32, number),
            name: format!("Fast light {}", 201 + number),
            note: if number == 1 { "by `lamp_switch`" } else { "" }.to_owned(),
            color,
            intensity: if number == 3 { 0 } else { 200 },
            full: if number == 3 { 90 } else { 200 },
        })
        .collect()
}

pub(crate) fn branches(level: usize, below: Option<Item>) -> Vec<Branch> {
    let branch = |item: Item, label: String, note: &str, children: u32| Branch {
        item,
        label,
        note: note.to_owned(),
        swatch: None,
        children: children as usize,
    };
    match below {
        None => (0..SIDE * SIDE)
            .map(|number| {
                let label = format!("Chunk {}, {}", number / SIDE, number % SIDE);
                branch(chunk(level as u32, number), label, "8 cubes", CUBES)
            })
            .collect(),
        Some(Item::Level(LevelItem::Chunk { level, chunk })) => (0..CUBES)
            .map(|cube| {
                // Numbered across the levels.
                let number = (level * SIDE * SIDE + chunk) * CUBES + cube;
                let cube = LevelItem::Cube { level, chunk, cube };
                branch(cube.into(), format!("Cube {number}"), "whole", 0)
            })
            .collect(),
        Some(_) => Vec::new(),
    }
}

pub(crate) fn branch_above(of: Item) -> Option<Item> {
    let above = match of {
        Item::Level(LevelItem::Face {
            level, chunk, cube, ..
        }) => LevelItem::Cube { level, chunk, cube },
        Item::Level(LevelItem::Cube { level, chunk, .. }) => LevelItem::Chunk { level, chunk },
        _ => return None,
    };
    Some(above.into())
}

pub(crate) fn find_branches(level: usize, text: &str, most: usize) -> Vec<Branch> {
    let chunks = branches(level, None);
    let cubes = chunks
        .iter()
        .flat_map(|chunk| branches(level, Some(chunk.item)));
    cubes
        .filter(|cube| cube.label.ends_with(&format!(" {text}")))
        .take(most)
        .collect()
}

pub(crate) fn chunk_map(level: usize) -> ChunkMap {
    if level >= MANY {
        return many_chunks();
    }
    let info = |number: u32| {
        let item = chunk(level as u32, number);
        ChunkInfo {
            item,
            bounds: bounds_of(item).unwrap_or_default(),
            is_readable: number != 5,
            is_whole: number != 5 && number != 6,
            // The first one is empty.
            values: [1, 12, 1000]
                .map(|factor| u64::from(number * factor))
                .to_vec(),
        }
    };
    ChunkMap {
        measures: vec!["Cubes", "Triangles", "Bytes"],
        chunks: (0..SIDE * SIDE).map(info).collect(),
    }
}

/// Returns as many chunks as a level under development may have.
fn many_chunks() -> ChunkMap {
    let info = |number: u32| {
        let [x, y, z] = [number % 16, number / 16 % 16, number / 256].map(|at| at as f32 * 8.0);
        let min = Vec3::new(x, y, z);
        ChunkInfo {
            item: chunk(MANY as u32, number),
            bounds: Aabb {
                min,
                max: min + 8.0,
            },
            is_readable: true,
            is_whole: true,
            values: vec![u64::from(number) + 1],
        }
    };
    ChunkMap {
        measures: vec!["Cubes"],
        chunks: (0..4096).map(info).collect(),
    }
}

pub(crate) fn lightmaps(level: usize) -> Vec<LightmapInfo> {
    let lightmap = |number: u32| LightmapInfo {
        item: lightmap(level as u32, number),
        name: format!("Lightmap {number}"),
        size: [16, 8],
        faces: 2,
    };
    (0..2).map(lightmap).collect()
}

/// Returns an image from dark to bright, scaled by the first light.
pub(crate) fn lightmap_image(shown: &Shown) -> Vec<u8> {
    let light = shown.lights.get(light(0, 0)).unwrap_or(255);
    let pixel = |i: u32| {
        let (x, y) = (i % 16 * 16, i / 16 * 32);
        [x as u8, y as u8, light, 255]
    };
    (0..16 * 8).flat_map(pixel).collect()
}

pub(crate) fn lightmap_faces(lightmap: Item) -> Vec<LightmapFace> {
    let Item::Level(LevelItem::Lightmap { index: chunk, .. }) = lightmap else {
        return Vec::new();
    };
    // Two faces of the first cube of a chunk, on the left half and on the right half.
    (0_u8..2)
        .map(|side| {
            let left = f32::from(side) * 0.5 + 0.05;
            let corner = |x: f32, y: f32| Uv::new(left + x * 0.4, 0.1 + y * 0.8);
            let [a, b, c, d] = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let [a, b, c, d] = [a, b, c, d].map(|(x, y)| corner(x, y));
            LightmapFace {
                item: face(chunk, 0, side),
                triangles: vec![[a, b, c], [a, c, d]],
            }
        })
        .collect()
}

fn open(state: &mut State) {
    state.session.plays_at_once = false;
    let document = moving_with_levels(levels());
    state.session.view.camera.handedness = document.about().handedness;
    state.session.open = Some(OpenFile::new("made.pmf".into(), None, document, 1));
    state.run(crate::viewer::commands::Action::FrameAll);
}

/// Returns a window with two levels open.
pub(crate) fn with_rooms() -> Harness<'static, Window> {
    crate::viewer::testing::window(open)
}

/// Returns a window of the given size in points with two levels open, which can render pictures.
pub(crate) fn picture_of_rooms(size: Vec2, pixels_per_point: f32) -> Harness<'static, Window> {
    built(sized(size, pixels_per_point), open)
}

/// Returns overrides of some lights.
pub(crate) fn settings(set: &[([u32; 2], u8)]) -> Overrides {
    let mut settings = Overrides::default();
    for ([level, index], intensity) in set {
        settings.set(light(*level, *index), Some(*intensity));
    }
    settings
}
