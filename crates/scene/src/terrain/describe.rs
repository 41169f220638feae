//! What a terrain says of itself: the [`Document`] of a PFMAP.

use std::path::PathBuf;

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::class::{bad_tiles_note, tile_class};
use super::geometry::{LEVEL_HEIGHT, Shape};
use super::{Terrain, TileClass, item};
use crate::camera::Handedness;
use crate::numbers::number;
use crate::{
    Aabb, Direction, Document, Drawable, GridPlace, Hit, InfoQuery, Item, Kind, LegendEntry,
    OutlineNode, Overlay, Playhead, PropertyGroup, Ray, SeenFrom, Shown, Statistic, SummaryPart,
    Swatch,
};
use mapscope_formats::pfmap::{self, CHUNK_SIDE, Cover, Edge, TileType};
use mapscope_formats::{Format, Problem, Subject};

/// The overlays of a terrain; the last one only where tiles have cover.
pub(super) static OVERLAYS: [Overlay; 9] = [
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
    Overlay {
        id: "cover",
        name: "Cover",
        help: "Green where grass grows, yellow where it is sparse, red where there is none",
        colors_surface: true,
    },
];

/// Colours of the height overlay from the lowest level to the highest, evenly spread. Keep in sync
/// with `height_color` in `shaders/terrain.wgsl`.
const HEIGHT_COLORS: [[u8; 3]; 4] = [
    [26, 51, 128],
    [41, 158, 122],
    [240, 209, 87],
    [255, 255, 255],
];

/// Levels that the legend of the height overlay has at most.
const MAX_LEGEND_LEVELS: i32 = 10;

/// Colours of each [`Cover`] in the overlay. Keep in sync with `cover_color` in
/// `shaders/terrain.wgsl`.
const COVER_COLORS: [(Cover, [u8; 3]); 4] = [
    (Cover::Full, [66, 191, 82]),
    (Cover::Sparse, [247, 219, 66]),
    (Cover::None, [217, 51, 41]),
    (Cover::Unknown, [204, 77, 217]),
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
        let [low, high] = self.drawn_levels();
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
            let levels = chunk
                .ground
                .map(|[low, high]| format!("levels {low} to {high}"));
            // What is wrong comes first, since a narrow outliner cuts the end.
            let notes = self.bad_tiles_note(i).into_iter().chain(levels);
            leaf(
                format!("Chunk {row}, {col}"),
                item,
                notes.collect::<Vec<_>>().join(", "),
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
        let (rows, cols) = (self.map.rows(), self.map.cols());
        let [unreadable, missing] = self.bad_tile_counts();
        let size = bad_tiles_note([unreadable, missing])
            .into_iter()
            .chain([format!("{rows} rows, {cols} columns")])
            .collect::<Vec<_>>()
            .join(", ");
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

    fn is_placeholder(&self, item: Item) -> bool {
        self.tile_rc(item)
            .is_some_and(|(row, col)| !self.map.is_read(row, col))
    }

    fn summary(&self, item: Item) -> Vec<SummaryPart> {
        if let Some((row, col)) = self.tile_rc(item) {
            let digits = |most: u32| most.saturating_sub(1).to_string().len();
            let (rows, cols) = (digits(self.map.rows()), digits(self.map.cols()));
            let class = TileClass::of(&self.map, row, col);
            let class = class.map_or("", TileClass::name);
            let classes = TileClass::all().map(|class| class.name().len());
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
                part("Type", class.to_owned(), classes.max().unwrap_or(0)),
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
            item::TYPE => tile_class(item).map_or_else(Vec::new, |class| {
                let count = self.class_counts[class.index()];
                vec![
                    SummaryPart::new("Type", format!("{} {}", class.code(), class.name())),
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
            return Some(self.tiles_bounds(row..row + 1, col..col + 1));
        }
        match item.kind {
            item::CHUNK if item.index < self.packed.chunks.len() as u64 => {
                let [row, col] = self.chunk_rc(item.index).map(|at| at * CHUNK_SIDE);
                Some(self.tiles_bounds(row..row + CHUNK_SIDE, col..col + CHUNK_SIDE))
            }
            item::MAP => Some(self.bounds()),
            item::TYPE | item::MATERIAL => {
                let members = self.members(item)?;
                let is_member = |at: &usize| self.is_member(members, *at);
                let tiles = (0..self.map.tiles.len()).filter(is_member);
                let boxes = tiles.map(|at| {
                    let (row, col) = self.row_and_col(at);
                    self.tiles_bounds(row..row + 1, col..col + 1)
                });
                boxes.reduce(|all, tile| all.union(&tile))
            }
            _ => None,
        }
    }

    /// A hill may be before a tile.
    fn seen_from(&self, item: Item, _shown: &Shown) -> SeenFrom {
        match item.kind {
            item::TILE => SeenFrom::AllAround,
            _ => SeenFrom::Anywhere,
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

    fn grid_place(&self, item: Item) -> Option<GridPlace> {
        let [row, column] = match item.kind {
            item::TILE => self.tile_rc(item).map(<[u32; 2]>::from)?,
            item::CHUNK => self.chunk_rc(item.index),
            _ => return None,
        }
        .map(u64::from);
        let grid = 0;
        Some(GridPlace { grid, row, column })
    }

    fn item_on_grid(&self, kind: &'static str, place: GridPlace) -> Option<Item> {
        let [rows, columns] = match kind {
            item::TILE => [self.map.rows(), self.map.cols()],
            item::CHUNK => [self.map.chunk_rows, self.map.chunk_cols],
            _ => return None,
        }
        .map(u64::from);
        let GridPlace { row, column, .. } = place;
        let index = row * columns + column;
        (row < rows && column < columns).then_some(Item { kind, index })
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
        match problem.subject {
            Subject::Tile { row, col } => {
                self.map.tile(row, col)?;
                Some(self.tile_item(row, col))
            }
            Subject::Material(index) if (index as usize) < self.map.materials.len() => Some(Item {
                kind: item::MATERIAL,
                index: index.into(),
            }),
            _ => None,
        }
    }

    fn overlays(&self) -> &'static [Overlay] {
        let has_cover = self.cover_counts[Cover::None as usize] < self.read_tiles() as u64;
        &OVERLAYS[..OVERLAYS.len() - usize::from(!has_cover)]
    }

    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry {
            color,
            label: label.to_owned(),
        };
        match overlay_id {
            "tile-types" => self
                .listed_classes()
                .map(|class| {
                    let count = self.class_counts[class.index()];
                    let label = format!("{} {} ({count})", class.code(), class.name());
                    entry(class.color(), &label)
                })
                .collect(),
            "pathable" => [
                entry([66, 191, 82], "ground units can walk"),
                entry([217, 51, 41], "ground units cannot walk"),
            ]
            .into_iter()
            .chain(self.bad_tiles_entry())
            .collect(),
            "height" => {
                let [low, high] = self.levels();
                let step = (high - low).div_euclid(MAX_LEGEND_LEVELS) + 1;
                let listed = (low..high).step_by(step as usize).chain([high]);
                listed
                    .map(|level| {
                        let color = height_color(level, [low, high]);
                        let y = level as f32 * LEVEL_HEIGHT;
                        entry(color, &format!("level {level}, y {y}"))
                    })
                    .chain(self.bad_tiles_entry())
                    .collect()
            }
            "cover" => COVER_COLORS
                .into_iter()
                .map(|(cover, color)| (cover, color, self.cover_counts[cover as usize]))
                .filter(|(cover, _, count)| *cover != Cover::Unknown || *count > 0)
                .map(|(cover, color, count)| entry(color, &format!("{} ({count})", cover.name())))
                .chain(self.bad_tiles_entry())
                .collect(),
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
        self.listed_classes()
            .map(|class| Kind {
                item: Item {
                    kind: item::TYPE,
                    index: class.index() as u64,
                },
                name: class.name(),
                code: class.code().to_string(),
                count: self.class_counts[class.index()],
            })
            .collect()
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let members = self.members(kind)?;
        let count = self.map.tiles.len();
        let after = after.and_then(|item| self.tile_rc(item));
        let after = after.map(|(row, col)| self.tile_item(row, col).index as usize);
        let is_member = |at: &usize| self.is_member(members, *at);
        let found = match (after, backwards) {
            (None, false) => (0..count).find(is_member),
            (None, true) => (0..count).rev().find(is_member),
            (Some(at), false) => (1..=count).map(|n| (at + n) % count).find(is_member),
            (Some(at), true) => (1..=count)
                .map(|n| (at + count - n) % count)
                .find(is_member),
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
        let without_texture = self
            .textures
            .materials
            .iter()
            .filter(|t| !t.picture.found)
            .count();
        let [unreadable, missing] = self.bad_tile_counts();
        let bad = [("Unreadable tiles", unreadable), ("Missing tiles", missing)];
        let bad = bad.into_iter().filter(|(_, count)| *count > 0);
        let mut statistics = vec![statistic("Tiles", self.read_tiles())];
        statistics.extend(bad.map(|(name, count)| statistic(name, count as usize)));
        statistics.extend([
            statistic("Chunks", self.packed.chunks.len()),
            statistic("Level rectangles", self.packed.rects.len()),
            statistic("Tiles drawn one by one", self.packed.tops.len()),
            statistic("Side faces", self.packed.sides.len()),
            statistic("Texture layers", self.textures.layers.len()),
            statistic("Missing textures", without_texture),
        ]);
        statistics
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
                let count = self.class_counts[kind as usize];
                (kind.name().to_owned(), count.into())
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
        let [unreadable, missing] = self.bad_tile_counts();
        let mut info = Map::new();
        let mut put = |key: &str, value: Value| info.insert(key.to_owned(), value);
        put(
            "chunks",
            json!({"rows": self.map.chunk_rows, "cols": self.map.chunk_cols}),
        );
        put(
            "tiles",
            json!({
                "count": self.read_tiles(),
                "by_type": by_type,
                "unreadable": unreadable,
                "missing": missing,
            }),
        );
        put("materials", materials.into());
        put("splats", splats.into());
        if let Some((row, col)) = query.tile {
            let tile = self.map.tile(row, col);
            put(
                "tile",
                tile.map_or(Value::Null, |_| self.tile_info(row, col)),
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

/// The colour of a level in the height overlay.
fn height_color(level: i32, [low, high]: [i32; 2]) -> [u8; 3] {
    let last = HEIGHT_COLORS.len() - 1;
    let at = (level - low) as f32 / (high - low).max(1) as f32 * last as f32;
    let from = (at as usize).min(last - 1);
    let [from_color, to_color] =
        [from, from + 1].map(|i| Vec3::from(HEIGHT_COLORS[i].map(f32::from)));
    let color = from_color.lerp(to_color, at - from as f32);
    color.to_array().map(|channel| channel.round() as u8)
}

impl Terrain {
    /// What overlays show of tiles that could not be read, if there are any.
    fn bad_tiles_entry(&self) -> Option<LegendEntry> {
        let note = bad_tiles_note(self.bad_tile_counts())?;
        Some(LegendEntry {
            color: TileClass::Unreadable.color(),
            label: note,
        })
    }

    pub(super) fn chunk_rc(&self, index: u64) -> [u32; 2] {
        let cols = u64::from(self.map.chunk_cols.max(1));
        [(index / cols) as u32, (index % cols) as u32]
    }

    /// World position of the middle of a tile's top.
    pub(super) fn tile_center(&self, row: u32, col: u32) -> Vec3 {
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
}
