//! For tests: what a document of two levels lists, all of it known.

use egui::Vec2;
use egui_kittest::Harness;
use glam::{Vec2 as Uv, Vec3};

use super::state::{OpenFile, State};
use super::testing::{Window, built, moving_with_parts, sized};
use mapscope_scene::{
    Aabb, Amounts, Branch, ChunkInfo, ChunkMap, Item, Light, OutlineNode, Overlay, Part, Property,
    PropertyGroup, Sheet, SheetFace, Shown, Swatch,
};

/// The overlays of the levels.
pub(super) static OVERLAYS: [Overlay; 4] = [
    Overlay {
        id: "lightmap",
        name: "Lightmap only",
        help: "The light alone",
        colors_surface: true,
    },
    Overlay {
        id: "unlit",
        name: "Full bright",
        help: "Without light",
        colors_surface: true,
    },
    Overlay {
        id: "wireframe",
        name: "Wireframe",
        help: "The edges of the triangles",
        colors_surface: false,
    },
    Overlay {
        id: "cells",
        name: "Octree cells",
        help: "The edges of the cells",
        colors_surface: false,
    },
];

/// Chunks along X and along Z of a level, and cubes in a chunk.
const SIDE: u64 = 3;
pub(super) const CUBES: u64 = 8;
/// A level that is not in the list, of thousands of chunks.
pub(super) const MANY: usize = 9;

pub(super) fn item(kind: &'static str, index: u64) -> Item {
    Item { kind, index }
}

/// Chunks are counted through the levels, cubes through the chunks, and faces through the cubes.
pub(super) fn chunk(part: u64, number: u64) -> Item {
    item("chunk", part * SIDE * SIDE + number)
}

pub(super) fn parts() -> Vec<Part> {
    [("Hall", 0.0), ("Cellar", 100.0)]
        .into_iter()
        .zip(0..)
        .map(|((name, x), index)| Part {
            name: name.to_owned(),
            item: item("level", index),
            bounds: Aabb {
                min: Vec3::new(x - 12.0, -4.0, -12.0),
                max: Vec3::new(x + 12.0, 4.0, 12.0),
            },
        })
        .collect()
}

pub(super) fn part_of(item: Item) -> Option<usize> {
    let chunk = match item.kind {
        "level" => return Some(item.index as usize),
        "light" | "sheet" => return Some((item.index / 1000) as usize),
        "chunk" => item.index,
        "cube" => item.index / CUBES,
        "face" => item.index / 6 / CUBES,
        _ => return None,
    };
    Some((chunk / (SIDE * SIDE)) as usize)
}

pub(super) fn bounds_of(item: Item) -> Option<Aabb> {
    let part = part_of(item)?;
    let whole = parts().get(part)?.bounds;
    let chunk = match item.kind {
        "chunk" => item.index,
        "cube" => item.index / CUBES,
        "face" => item.index / 6 / CUBES,
        _ => return Some(whole),
    };
    let number = chunk % (SIDE * SIDE);
    let min = whole.min + Vec3::new((number / SIDE) as f32, 0.0, (number % SIDE) as f32) * 8.0;
    let bounds = Aabb {
        min,
        max: min + 8.0,
    };
    if item.kind == "chunk" {
        return Some(bounds);
    }
    let cube = if item.kind == "cube" {
        item.index
    } else {
        item.index / 6
    };
    let [x, y, z] = [cube & 1, cube >> 1 & 1, cube >> 2 & 1].map(|bit| bit as f32 * 4.0);
    let min = min + Vec3::new(x, y, z);
    Some(Aabb {
        min,
        max: min + 4.0,
    })
}

pub(super) fn outline() -> Vec<OutlineNode> {
    let line = |label: &str, item: Item, children: Vec<OutlineNode>| OutlineNode {
        label: label.to_owned(),
        item: Some(item),
        note: "12 triangles".to_owned(),
        swatch: (item.kind == "material").then_some(Swatch::Color([170, 120, 80])),
        children,
    };
    let materials = ["Brick", "Plaster", "Oak"].into_iter().zip(0..);
    let materials = materials.map(|(name, i)| line(name, item("material", i), Vec::new()));
    vec![line("Hall", item("level", 0), materials.collect())]
}

pub(super) fn properties(of: Item) -> Vec<PropertyGroup> {
    let sheet = (of.kind == "face").then(|| item("sheet", of.index / 6 / CUBES % 2));
    vec![PropertyGroup {
        title: "Thing",
        properties: vec![Property {
            link: sheet,
            ..Property::new("Lightmap", "one of them")
        }],
    }]
}

pub(super) fn lights(part: usize) -> Vec<Light> {
    let colors = [
        [255, 190, 110],
        [120, 200, 255],
        [255, 90, 80],
        [200, 255, 160],
    ];
    (0_u64..)
        .zip(colors)
        .map(|(number, color)| Light {
            item: item("light", part as u64 * 1000 + number),
            name: format!("Fast light {}", 201 + number),
            note: if number == 1 { "by `lamp_switch`" } else { "" }.to_owned(),
            color,
            intensity: if number == 3 { 0 } else { 200 },
            full: if number == 3 { 90 } else { 200 },
        })
        .collect()
}

pub(super) fn branches(part: usize, below: Option<Item>) -> Vec<Branch> {
    let branch = |item: Item, label: String, note: &str, children: u64| Branch {
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
                branch(chunk(part as u64, number), label, "8 cubes", CUBES)
            })
            .collect(),
        Some(Item {
            kind: "chunk",
            index,
        }) => (0..CUBES)
            .map(|cube| {
                let cube = index * CUBES + cube;
                branch(item("cube", cube), format!("Cube {cube}"), "whole", 0)
            })
            .collect(),
        Some(_) => Vec::new(),
    }
}

pub(super) fn branch_above(of: Item) -> Option<Item> {
    match of.kind {
        "face" => Some(item("cube", of.index / 6)),
        "cube" => Some(item("chunk", of.index / CUBES)),
        _ => None,
    }
}

pub(super) fn find_branches(part: usize, text: &str, most: usize) -> Vec<Branch> {
    let chunks = branches(part, None);
    let cubes = chunks
        .iter()
        .flat_map(|chunk| branches(part, Some(chunk.item)));
    cubes
        .filter(|cube| cube.label.ends_with(&format!(" {text}")))
        .take(most)
        .collect()
}

pub(super) fn chunk_map(part: usize) -> ChunkMap {
    if part >= MANY {
        return many_chunks();
    }
    let info = |number: u64| {
        let item = chunk(part as u64, number);
        ChunkInfo {
            item,
            bounds: bounds_of(item).unwrap_or_default(),
            is_readable: number != 5,
            // The first one is empty.
            values: [1, 12, 1000].map(|factor| number * factor).to_vec(),
        }
    };
    ChunkMap {
        measures: vec!["Cubes", "Triangles", "Bytes"],
        chunks: (0..SIDE * SIDE).map(info).collect(),
    }
}

/// As many chunks as there may be in a level that is worked on.
fn many_chunks() -> ChunkMap {
    let info = |number: u64| {
        let [x, y, z] = [number % 16, number / 16 % 16, number / 256].map(|at| at as f32 * 8.0);
        let min = Vec3::new(x, y, z);
        ChunkInfo {
            item: item("chunk", number),
            bounds: Aabb {
                min,
                max: min + 8.0,
            },
            is_readable: true,
            values: vec![number + 1],
        }
    };
    ChunkMap {
        measures: vec!["Cubes"],
        chunks: (0..4096).map(info).collect(),
    }
}

pub(super) fn sheets(part: usize) -> Vec<Sheet> {
    let sheet = |number: u64| Sheet {
        item: item("sheet", part as u64 * 1000 + number),
        name: format!("Lightmap {number}"),
        size: [16, 8],
        faces: 2,
    };
    (0..2).map(sheet).collect()
}

/// From dark to bright, as bright as the first light.
pub(super) fn sheet_picture(shown: &Shown) -> Vec<u8> {
    let light = shown.lights.get(item("light", 0)).unwrap_or(255);
    let pixel = |i: u32| {
        let (x, y) = (i % 16 * 16, i / 16 * 32);
        [x as u8, y as u8, light, 255]
    };
    (0..16 * 8).flat_map(pixel).collect()
}

pub(super) fn sheet_faces(sheet: Item) -> Vec<SheetFace> {
    // The faces of the first cube of a chunk: on the left and on the right half.
    let first = sheet.index * CUBES * 6;
    (0_u8..2)
        .map(|side| {
            let left = f32::from(side) * 0.5 + 0.05;
            let corner = |x: f32, y: f32| Uv::new(left + x * 0.4, 0.1 + y * 0.8);
            let [a, b, c, d] = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let [a, b, c, d] = [a, b, c, d].map(|(x, y)| corner(x, y));
            SheetFace {
                item: item("face", first + u64::from(side)),
                triangles: vec![[a, b, c], [a, c, d]],
            }
        })
        .collect()
}

fn open(state: &mut State) {
    state.settings.timeline.plays = false;
    let document = moving_with_parts(parts());
    state.camera.handedness = document.handedness();
    state.open = Some(OpenFile::new("made.pmf".into(), None, document, 1));
    state.run(super::commands::Action::FrameAll);
}

/// A window with two levels open.
pub(super) fn with_rooms() -> Harness<'static, Window> {
    super::testing::window(open)
}

/// The same in a window of some size in points, with so many pixels to a point, of which a picture
/// can be taken.
pub(super) fn picture_of_rooms(size: Vec2, pixels_per_point: f32) -> Harness<'static, Window> {
    built(sized(size, pixels_per_point), open)
}

/// Lights as some of them were set.
pub(super) fn settings(set: &[(u64, u8)]) -> Amounts {
    let mut settings = Amounts::default();
    for (light, intensity) in set {
        settings.set(item("light", *light), Some(*intensity));
    }
    settings
}
