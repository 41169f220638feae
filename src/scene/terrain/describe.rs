//! What a terrain says of itself: the [`Document`] of a PFMAP.

use std::path::PathBuf;

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::geometry::{LEVEL_HEIGHT, Shape};
use super::{Terrain, item};
use crate::formats::pfmap::{self, CHUNK_SIDE, Edge, Tile, TileType};
use crate::formats::{Format, Place, Problem};
use crate::scene::camera::Handedness;
use crate::scene::numbers::number;
use crate::scene::pictures;
use crate::scene::{
    Aabb, Direction, Document, Drawable, Hit, InfoQuery, Item, Kind, LegendEntry, OutlineNode,
    Overlay, Playhead, Property, PropertyGroup, Ray, Shown, Statistic, SummaryPart, Swatch,
    TextSpan,
};

/// The overlays of a terrain.
pub(super) static OVERLAYS: [Overlay; 8] = [
    Overlay {
        id: "tile-types",
        name: "Tile types",
        help: "Colours every tile by its type",
        colors_surface: true,
    },
    Overlay {
        id: "pathable",
        name: "Pathable",
        help: "Green where ground units can walk, red where they cannot",
        colors_surface: true,
    },
    Overlay {
        id: "height",
        name: "Height",
        help: "Colours the ground by its height",
        colors_surface: true,
    },
    Overlay {
        id: "chunk-borders",
        name: "Chunk borders",
        help: "Red lines around the chunks of 32 by 32 tiles",
        colors_surface: false,
    },
    Overlay {
        id: "tile-grid",
        name: "Tile grid",
        help: "Dark lines around the tiles",
        colors_surface: false,
    },
    Overlay {
        id: "wireframe",
        name: "Wireframe",
        help: "The edges of the triangles that are drawn",
        colors_surface: false,
    },
    Overlay {
        id: "normals",
        name: "Normals",
        help: "Colours the ground by the direction it faces: red west, green up, blue south",
        colors_surface: true,
    },
    Overlay {
        id: "unlit",
        name: "Unlit",
        help: "Textures as they are, without light and shadow",
        colors_surface: true,
    },
];

/// Colours of the tile types in their overlay. Keep in sync with `type_color` in
/// `shaders/terrain.wgsl`.
const TYPE_COLORS: [[u8; 3]; 13] = [
    [158, 166, 153],
    [230, 82, 66],
    [250, 158, 51],
    [247, 219, 66],
    [158, 209, 61],
    [46, 158, 77],
    [92, 212, 158],
    [31, 153, 184],
    [120, 199, 245],
    [51, 92, 204],
    [148, 143, 242],
    [133, 51, 168],
    [235, 133, 209],
];

/// The fields of a tile's 24 characters: how many characters each has, and its name.
pub const TILE_FIELDS: [(usize, &str); 15] = [
    (1, "Type"),
    (3, "Base height"),
    (2, "Ramp height"),
    (3, "Top material"),
    (3, "Side material"),
    (1, "Pathable"),
    (1, "Blend mode (before version 1.1)"),
    (1, "Blend normals"),
    (1, "No bump"),
    (1, "Cover"),
    (1, "Blend north"),
    (1, "Blend east"),
    (1, "Blend south"),
    (1, "Blend west"),
    (3, "Reserved"),
];

impl Document for Terrain {
    fn format(&self) -> &'static Format {
        &pfmap::FORMAT
    }

    fn version(&self) -> String {
        self.map.version.clone()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn bounds(&self) -> Aabb {
        let [low, high] = self.levels();
        let a = self.placement.world(0.0, 0.0, low as f32);
        let b = self.placement.world(
            self.placement.cols as f32,
            self.placement.rows as f32,
            high as f32,
        );
        Aabb {
            min: Vec3::min(a, b),
            max: Vec3::max(a, b),
        }
    }

    fn handedness(&self) -> Handedness {
        Handedness::Mirrored
    }

    fn drawable(&self) -> Drawable<'_> {
        Drawable::Terrain(self)
    }

    fn outline(&self) -> Vec<OutlineNode> {
        let leaf = |label: String, item: Item, note: String, swatch| OutlineNode {
            label,
            item: Some(item),
            note,
            swatch,
            children: Vec::new(),
        };
        let materials = self.map.materials.iter().enumerate().map(|(i, material)| {
            let uses = self.material_uses.get(i).map_or(0, |[top, _]| *top);
            let found = self
                .textures
                .materials
                .get(i)
                .is_some_and(|t| t.picture.found);
            let note = if found {
                format!("{uses}")
            } else {
                format!("{uses}, no texture")
            };
            let item = Item {
                kind: item::MATERIAL,
                index: i as u64,
            };
            leaf(
                format!("{i} {}", material.name),
                item,
                note,
                Some(Swatch::Thumbnail(i)),
            )
        });
        let chunks = self.packed.chunks.iter().enumerate().map(|(i, chunk)| {
            let [row, col] = self.chunk_rc(i as u64);
            let item = Item {
                kind: item::CHUNK,
                index: i as u64,
            };
            let [low, high] = chunk.all.levels;
            leaf(
                format!("Chunk {row}, {col}"),
                item,
                format!("levels {low} to {high}"),
                None,
            )
        });
        let name = self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let map = Item {
            kind: item::MAP,
            index: 0,
        };
        let size = format!("{} x {} tiles", self.map.cols(), self.map.rows());
        let heading = |label: &str, children: Vec<OutlineNode>| OutlineNode {
            label: label.to_owned(),
            item: None,
            note: children.len().to_string(),
            swatch: None,
            children,
        };
        vec![
            leaf(name, map, size, None),
            heading("Materials", materials.collect()),
            heading("Chunks", chunks.collect()),
        ]
    }

    fn pick(&self, ray_in_world: Ray, _shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world)
    }

    fn summary(&self, item: Item) -> Vec<SummaryPart> {
        if let Some((row, col)) = self.tile_rc(item)
            && let Some(tile) = self.map.tile(row, col)
        {
            let digits = |most: u32| most.saturating_sub(1).to_string().len();
            let (rows, cols) = (digits(self.map.rows()), digits(self.map.cols()));
            let kinds = TileType::ALL.iter().map(|kind| kind.name().len());
            let chunk_digits =
                digits(self.map.rows() / CHUNK_SIDE) + digits(self.map.cols() / CHUNK_SIDE);
            let part = |name, value, width| SummaryPart { name, value, width };
            return vec![
                part("Row", format!("{row:>rows$}"), rows),
                part("Column", format!("{col:>cols$}"), cols),
                part(
                    "Chunk",
                    format!("{}, {}", row / CHUNK_SIDE, col / CHUNK_SIDE),
                    chunk_digits + 2,
                ),
                part("Type", tile.kind.to_string(), kinds.max().unwrap_or(0)),
            ];
        }
        match item.kind {
            item::CHUNK => {
                let [row, col] = self.chunk_rc(item.index);
                vec![SummaryPart::new("Chunk", format!("{row}, {col}"))]
            }
            item::MATERIAL => {
                let material = self.map.materials.get(item.index as usize);
                let line = |m: &pfmap::Material| format!("{} {}", item.index, m.name);
                let part = |m| SummaryPart::new("Material", line(m));
                material.map(part).into_iter().collect()
            }
            item::TYPE => tile_type(item).map_or_else(Vec::new, |kind| {
                let count = self.type_counts[kind as usize];
                vec![
                    SummaryPart::new("Type", format!("{} {kind}", kind.digit())),
                    SummaryPart::new("Tiles", count.to_string()),
                ]
            }),
            item::MAP => vec![SummaryPart::new("Map", self.path.display().to_string())],
            _ => Vec::new(),
        }
    }

    fn properties(&self, item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        match item.kind {
            item::TILE => self.tile_properties(item),
            item::CHUNK => self.chunk_properties(item),
            item::MATERIAL => self.material_properties(item.index as usize),
            item::TYPE => self.type_properties(item),
            item::MAP => self.map_properties(),
            _ => Vec::new(),
        }
    }

    fn item_bounds(&self, item: Item, _playhead: Playhead) -> Option<Aabb> {
        if let Some((row, col)) = self.tile_rc(item) {
            // With the tiles around it, so that one sees where it is.
            let around = |at: u32, end: u32| at.saturating_sub(3)..(at + 4).min(end);
            return Some(
                self.tiles_bounds(around(row, self.map.rows()), around(col, self.map.cols())),
            );
        }
        match item.kind {
            item::CHUNK if item.index < self.packed.chunks.len() as u64 => {
                let [row, col] = self.chunk_rc(item.index).map(|at| at * CHUNK_SIDE);
                Some(self.tiles_bounds(row..row + CHUNK_SIDE, col..col + CHUNK_SIDE))
            }
            item::MAP => Some(self.bounds()),
            _ => None,
        }
    }

    fn item_outline(&self, item: Item, _playhead: Playhead) -> Vec<[Vec3; 2]> {
        if let Some((row, col)) = self.tile_rc(item) {
            return Edge::ALL
                .into_iter()
                .filter_map(|edge| self.edge_line(row, col, edge))
                .collect();
        }
        if item.kind != item::CHUNK || item.index >= self.packed.chunks.len() as u64 {
            return Vec::new();
        }
        let [row, col] = self.chunk_rc(item.index).map(|at| at * CHUNK_SIDE);
        (0..CHUNK_SIDE)
            .flat_map(|i| {
                [
                    (row, col + i, Edge::North),
                    (row + CHUNK_SIDE - 1, col + i, Edge::South),
                    (row + i, col, Edge::West),
                    (row + i, col + CHUNK_SIDE - 1, Edge::East),
                ]
            })
            .filter_map(|(row, col, edge)| self.edge_line(row, col, edge))
            .collect()
    }

    fn neighbor(&self, item: Item, direction: Direction) -> Option<Item> {
        let edge = match direction {
            Direction::North => Edge::North,
            Direction::East => Edge::East,
            Direction::South => Edge::South,
            Direction::West => Edge::West,
        };
        let (rows, cols) = edge.step();
        if let Some((row, col)) = self.tile_rc(item) {
            let row = row
                .checked_add_signed(rows)
                .filter(|&r| r < self.map.rows())?;
            let col = col
                .checked_add_signed(cols)
                .filter(|&c| c < self.map.cols())?;
            return Some(self.tile_item(row, col));
        }
        if item.kind == item::CHUNK {
            let [row, col] = self.chunk_rc(item.index);
            let row = row
                .checked_add_signed(rows)
                .filter(|&r| r < self.map.chunk_rows)?;
            let col = col
                .checked_add_signed(cols)
                .filter(|&c| c < self.map.chunk_cols)?;
            return Some(Item {
                kind: item::CHUNK,
                index: u64::from(row) * u64::from(self.map.chunk_cols) + u64::from(col),
            });
        }
        None
    }

    fn problem_item(&self, problem: &Problem) -> Option<Item> {
        let Place::Text { line, column } = problem.place else {
            return None;
        };
        if let Some((row, col)) = self.map.tile_at_place(line, column as u32) {
            return Some(self.tile_item(row, col));
        }
        let material = self.map.materials.iter().position(|m| m.line == line)?;
        Some(Item {
            kind: item::MATERIAL,
            index: material as u64,
        })
    }

    fn overlays(&self) -> &'static [Overlay] {
        &OVERLAYS
    }

    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry {
            color,
            label: label.to_owned(),
        };
        match overlay_id {
            "tile-types" => TileType::ALL
                .into_iter()
                .map(|kind| LegendEntry {
                    color: TYPE_COLORS[kind as usize],
                    label: format!(
                        "{} {kind} ({})",
                        kind.digit(),
                        self.type_counts[kind as usize]
                    ),
                })
                .collect(),
            "pathable" => vec![
                entry([66, 191, 82], "ground units can walk"),
                entry([217, 51, 41], "ground units cannot walk"),
            ],
            "height" => {
                let [low, high] = self.levels();
                let at = |t: f32| low as f32 + (high - low) as f32 * t;
                [
                    ([26, 51, 128], 0.0),
                    ([41, 158, 122], 1.0 / 3.0),
                    ([240, 209, 87], 2.0 / 3.0),
                    ([255, 255, 255], 1.0),
                ]
                .into_iter()
                .map(|(color, t)| LegendEntry {
                    color,
                    label: format!("level {:.1}, y {:.1}", at(t), at(t) * LEVEL_HEIGHT),
                })
                .collect()
            }
            "normals" => vec![
                entry([255, 128, 128], "faces west (+X)"),
                entry([128, 255, 128], "faces up (+Y)"),
                entry([128, 128, 255], "faces south (+Z)"),
            ],
            "chunk-borders" => vec![entry([255, 41, 31], "chunk border")],
            _ => Vec::new(),
        }
    }

    fn kinds(&self) -> Vec<Kind> {
        TileType::ALL
            .into_iter()
            .map(|kind| Kind {
                item: Item {
                    kind: item::TYPE,
                    index: kind as u64,
                },
                name: kind.name(),
                code: kind.digit().to_string(),
                count: self.type_counts[kind as usize],
            })
            .collect()
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let kind = tile_type(kind)?;
        let count = self.map.tiles.len();
        if self.type_counts[kind as usize] == 0 {
            return None;
        }
        let cols = u64::from(self.map.cols());
        let after = after.and_then(|item| self.tile_rc(item));
        let after = after.map(|(row, col)| (u64::from(row) * cols + u64::from(col)) as usize);
        let is_kind = |i: &usize| self.map.tiles[*i].kind == kind;
        let found = match (after, backwards) {
            (None, false) => (0..count).find(is_kind),
            (None, true) => (0..count).rev().find(is_kind),
            (Some(at), false) => (1..=count).map(|n| (at + n) % count).find(is_kind),
            (Some(at), true) => (1..=count).map(|n| (at + count - n) % count).find(is_kind),
        }?;
        Some(Item {
            kind: item::TILE,
            index: found as u64,
        })
    }

    fn statistics(&self) -> Vec<Statistic> {
        let statistic = |name, value: usize| Statistic {
            name,
            value: value.to_string(),
        };
        let missing = self
            .textures
            .materials
            .iter()
            .filter(|t| !t.picture.found)
            .count();
        vec![
            statistic("Tiles", self.map.tiles.len()),
            statistic("Chunks", self.packed.chunks.len()),
            statistic("Level rectangles", self.packed.rects.len()),
            statistic("Tiles drawn one by one", self.packed.tops.len()),
            statistic("Side faces", self.packed.sides.len()),
            statistic("Texture layers", self.textures.layers.len()),
            statistic("Missing textures", missing),
        ]
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let material = self.textures.materials.get(index)?;
        Some(material.picture.thumbnail())
    }

    fn dependencies(&self) -> Vec<PathBuf> {
        self.textures.dependencies.clone()
    }

    fn cpu_bytes(&self) -> u64 {
        let pixels = |levels: &[Vec<u8>]| levels.iter().map(Vec::len).sum::<usize>();
        let bytes = size_of_val(self.map.tiles.as_slice())
            + size_of_val(self.packed.tiles.as_slice())
            + size_of_val(self.packed.rects.as_slice())
            + size_of_val(self.packed.tops.as_slice())
            + size_of_val(self.packed.sides.as_slice())
            + size_of_val(self.packed.chunks.as_slice())
            + size_of_val(self.shadow.heights.as_slice())
            + pixels(&self.overview.levels)
            + self.textures.cpu_bytes();
        bytes as u64
    }

    fn info(&self, query: &InfoQuery) -> Map<String, Value> {
        let by_type: Map<String, Value> = TileType::ALL
            .into_iter()
            .map(|kind| {
                (
                    kind.name().to_owned(),
                    self.type_counts[kind as usize].into(),
                )
            })
            .collect();
        let materials: Vec<Value> = self
            .map
            .materials
            .iter()
            .zip(&self.textures.materials)
            .map(|(m, t)| json!({"name": m.name, "texture": m.texture, "found": t.picture.found}))
            .collect();
        let splats: Vec<Value> = self
            .map
            .splats
            .iter()
            .map(|s| json!([s.base, s.accent]))
            .collect();
        let mut info = Map::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put(
            "chunks",
            json!({"rows": self.map.chunk_rows, "cols": self.map.chunk_cols}),
        );
        put(
            "tiles",
            json!({"count": self.map.tiles.len(), "by_type": by_type}),
        );
        put("materials", materials.into());
        put("splats", splats.into());
        if let Some((row, col)) = query.tile {
            let tile = self.map.tile(row, col);
            put(
                "tile",
                tile.map_or(Value::Null, |tile| tile_info(tile, row, col)),
            );
        }
        if !query.heights.is_empty() {
            let heights: Vec<Value> = query
                .heights
                .iter()
                .map(|&(x, z)| {
                    let y = self.height_at(x, z).map_or(Value::Null, number);
                    json!({"x": number(x), "z": number(z), "y": y})
                })
                .collect();
            put("heights", heights.into());
        }
        info
    }
}

/// The tile of `info --tile`, as the contract has it; corners in world units.
fn tile_info(tile: &Tile, row: u32, col: u32) -> Value {
    let [nw, ne, sw, se] = Shape::of(tile)
        .corners
        .map(|c| number(c as f32 * LEVEL_HEIGHT));
    json!({
        "row": row,
        "col": col,
        "chunk": [row / CHUNK_SIDE, col / CHUNK_SIDE],
        "raw": String::from_utf8_lossy(&tile.text()),
        "type": tile.kind.name(),
        "base_height": tile.base_height,
        "ramp_height": tile.ramp_height,
        "top_material": tile.top_material,
        "side_material": tile.side_material,
        "pathable": tile.pathable(),
        "blend": Edge::ALL.map(|edge| tile.blend(edge) as u8),
        "blend_normals": tile.blend_normals(),
        "bump": tile.bump(),
        "cover": tile.digit(16),
        "corners": {"nw": nw, "ne": ne, "sw": sw, "se": se},
    })
}

fn tile_type(item: Item) -> Option<TileType> {
    (item.kind == item::TYPE).then_some(())?;
    TileType::from_index(u8::try_from(item.index).ok()?)
}

fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// The characters of a tile, cut into its fields.
fn spans(tile: &Tile) -> Vec<TextSpan> {
    let text = tile.text();
    let mut at = 0;
    TILE_FIELDS
        .into_iter()
        .enumerate()
        .map(|(color_index, (length, field))| {
            let text = String::from_utf8_lossy(&text[at..at + length]).into_owned();
            at += length;
            TextSpan {
                text,
                field,
                color_index,
            }
        })
        .collect()
}

impl Terrain {
    fn chunk_rc(&self, index: u64) -> [u32; 2] {
        let cols = u64::from(self.map.chunk_cols.max(1));
        [(index / cols) as u32, (index % cols) as u32]
    }

    /// World position of the middle of a tile's top.
    fn tile_center(&self, row: u32, col: u32) -> Vec3 {
        let level = self
            .map
            .tile(row, col)
            .map_or(0.0, |tile| Shape::of(tile).level_at(glam::Vec2::splat(0.5)));
        self.placement
            .world(col as f32 + 0.5, row as f32 + 0.5, level)
    }

    /// The line along an edge of a tile's top, in world space.
    fn edge_line(&self, row: u32, col: u32, edge: Edge) -> Option<[Vec3; 2]> {
        let ends = Shape::of(self.map.tile(row, col)?).edge(edge);
        let (east, south) = (col as f32, row as f32);
        let places = match edge {
            Edge::North => [(east, south), (east + 1.0, south)],
            Edge::South => [(east, south + 1.0), (east + 1.0, south + 1.0)],
            Edge::West => [(east, south), (east, south + 1.0)],
            Edge::East => [(east + 1.0, south), (east + 1.0, south + 1.0)],
        };
        let [(e0, s0), (e1, s1)] = places;
        Some([
            self.placement.world(e0, s0, ends[0] as f32),
            self.placement.world(e1, s1, ends[1] as f32),
        ])
    }

    fn material_property(&self, name: &'static str, index: u16) -> Property {
        let index = usize::from(index);
        match self.map.materials.get(index) {
            Some(material) => Property {
                link: Some(Item {
                    kind: item::MATERIAL,
                    index: index as u64,
                }),
                ..pictures::named(name, format!("{index} {}", material.name), index)
            },
            None => Property::new(name, format!("{index}: there is no such material")),
        }
    }

    fn tile_properties(&self, item: Item) -> Vec<PropertyGroup> {
        let Some((row, col)) = self.tile_rc(item) else {
            return Vec::new();
        };
        let Some(tile) = self.map.tile(row, col) else {
            return Vec::new();
        };
        let center = self.tile_center(row, col);
        let (line, column) = self.map.tile_place(row, col);
        let [chunk_row, chunk_col] = [row / CHUNK_SIDE, col / CHUNK_SIDE];
        let mut place = vec![
            Property::new("Row", row.to_string()),
            Property::new("Column", col.to_string()),
            Property {
                link: Some(Item {
                    kind: item::CHUNK,
                    index: u64::from(chunk_row) * u64::from(self.map.chunk_cols)
                        + u64::from(chunk_col),
                }),
                ..Property::new("Chunk", format!("{chunk_row}, {chunk_col}"))
            },
            Property::new(
                "In chunk",
                format!("row {}, column {}", row % CHUNK_SIDE, col % CHUNK_SIDE),
            ),
            Property::new(
                "Centre",
                format!("x {}  y {}  z {}", center.x, center.y, center.z),
            ),
            Property::new("In the file", format!("line {line}, column {column}")),
        ];
        if self.map.bad_tiles.contains(&(row, col)) {
            place.push(Property::new(
                "Placeholder",
                "this tile could not be read; see the problems",
            ));
        }
        let shape = Shape::of(tile);
        let corner = |name, level: i32| {
            let y = level as f32 * LEVEL_HEIGHT;
            Property::new(name, format!("level {level}, y {y}"))
        };
        let [nw, ne, sw, se] = shape.corners;
        let ramp_note = if tile.kind == TileType::Flat && tile.ramp_height != 0 {
            " (means nothing on a flat tile)"
        } else {
            ""
        };
        let blend = |edge| tile.blend(edge).name();
        vec![
            PropertyGroup {
                title: "Tile",
                properties: place,
            },
            PropertyGroup {
                title: "Text",
                properties: vec![Property {
                    spans: spans(tile),
                    ..Property::new("Characters", String::from_utf8_lossy(&tile.text()))
                }],
            },
            PropertyGroup {
                title: "Shape",
                properties: vec![
                    Property {
                        link: Some(Item {
                            kind: item::TYPE,
                            index: tile.kind as u64,
                        }),
                        swatch: Some(Swatch::Color(TYPE_COLORS[tile.kind as usize])),
                        ..Property::new("Type", format!("{} {}", tile.kind.digit(), tile.kind))
                    },
                    Property::new("Base height", tile.base_height.to_string()),
                    Property::new("Ramp height", format!("{}{ramp_note}", tile.ramp_height)),
                    corner("North-west", nw),
                    corner("North-east", ne),
                    corner("South-west", sw),
                    corner("South-east", se),
                ],
            },
            PropertyGroup {
                title: "Surface",
                properties: vec![
                    self.material_property("Top material", tile.top_material),
                    self.material_property("Side material", tile.side_material),
                    Property::new("Pathable", yes_no(tile.pathable())),
                    Property::new("Blend north", blend(Edge::North)),
                    Property::new("Blend east", blend(Edge::East)),
                    Property::new("Blend south", blend(Edge::South)),
                    Property::new("Blend west", blend(Edge::West)),
                    Property::new("Blend normals", yes_no(tile.blend_normals())),
                    Property::new("Bumpy", yes_no(tile.bump())),
                    Property::new("Cover", tile.cover().name()),
                    Property::new(
                        "Reserved",
                        String::from_utf8_lossy(&tile.text()[21..]).into_owned(),
                    ),
                ],
            },
        ]
    }

    fn chunk_properties(&self, item: Item) -> Vec<PropertyGroup> {
        let Some(chunk) = self.packed.chunks.get(item.index as usize) else {
            return Vec::new();
        };
        let [row, col] = self.chunk_rc(item.index);
        let corner =
            self.placement
                .world((col * CHUNK_SIDE) as f32, (row * CHUNK_SIDE) as f32, 0.0);
        let [low, high] = chunk.all.levels;
        let count = |range: &std::ops::Range<u32>| range.len().to_string();
        vec![PropertyGroup {
            title: "Chunk",
            properties: vec![
                Property::new("Row", row.to_string()),
                Property::new("Column", col.to_string()),
                Property::new(
                    "North-west corner",
                    format!("x {}  z {}", corner.x, corner.z),
                ),
                Property::new("Levels", format!("{low} to {high}")),
                Property::new("Below the water", yes_no(chunk.has_water)),
                Property::new("Level rectangles", count(&chunk.all.rects)),
                Property::new("Tiles drawn one by one", count(&chunk.all.all_tops())),
                Property::new("Side faces", count(&chunk.all.sides)),
            ],
        }]
    }

    fn material_properties(&self, index: usize) -> Vec<PropertyGroup> {
        let (Some(material), Some(texture)) = (
            self.map.materials.get(index),
            self.textures.materials.get(index),
        ) else {
            return Vec::new();
        };
        let [file, size] = texture.picture.properties();
        let [tops, sides] = self.material_uses.get(index).copied().unwrap_or_default();
        vec![PropertyGroup {
            title: "Material",
            properties: vec![
                Property::new("Index", index.to_string()),
                pictures::named("Name", material.name.clone(), index),
                Property::new("Texture", material.texture.clone()),
                file,
                size,
                Property::new("Tops", format!("{tops} tiles")),
                Property::new("Sides", format!("{sides} tiles")),
                Property::new("In the file", format!("line {}", material.line)),
            ],
        }]
    }

    fn type_properties(&self, item: Item) -> Vec<PropertyGroup> {
        let Some(kind) = tile_type(item) else {
            return Vec::new();
        };
        vec![PropertyGroup {
            title: "Tile type",
            properties: vec![
                Property {
                    swatch: Some(Swatch::Color(TYPE_COLORS[kind as usize])),
                    ..Property::new("Name", kind.name())
                },
                Property::new("Digit", kind.digit().to_string()),
                Property::new("Tiles", self.type_counts[kind as usize].to_string()),
            ],
        }]
    }

    fn map_properties(&self) -> Vec<PropertyGroup> {
        let bounds = self.bounds();
        let splats = self
            .map
            .splats
            .iter()
            .map(|s| Property::new("Splat", format!("{} over {}", s.accent, s.base)));
        vec![PropertyGroup {
            title: "Map",
            properties: [
                Property::new("File", self.path.display().to_string()),
                Property::new("Version", self.map.version.clone()),
                Property::new(
                    "Chunks",
                    format!(
                        "{} rows, {} columns",
                        self.map.chunk_rows, self.map.chunk_cols
                    ),
                ),
                Property::new(
                    "Tiles",
                    format!("{} rows, {} columns", self.map.rows(), self.map.cols()),
                ),
                Property::new(
                    "Size",
                    format!(
                        "{} x {} units",
                        bounds.max.x - bounds.min.x,
                        bounds.max.z - bounds.min.z
                    ),
                ),
                Property::new("Materials", self.map.materials.len().to_string()),
                Property::new("Line ends", if self.map.crlf { "CR LF" } else { "LF" }),
            ]
            .into_iter()
            .chain(splats)
            .collect(),
        }]
    }
}
