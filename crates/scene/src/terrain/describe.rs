//! What a terrain says of itself: the [`Document`] of a PFMAP.

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::class::bad_tiles_note;
use super::geometry::{LEVEL_HEIGHT, Shape};
use super::inspect::{ChunkAt, MaterialAt, TileAt, TilesOf};
use super::{Terrain, TileClass, colors};
use crate::colors::bytes;
use crate::numbers::number;
use crate::overlay::overlays;
use crate::{
    Aabb, About, Direction, Document, Drawable, Hit, InfoQuery, Item, ItemPlace, Kind, Legend,
    LegendEntry, Neighbor, OutlineNode, Overlay, OverlayId, Playhead, ProblemTarget, PropertyGroup,
    Ray, SeenFrom, Shown, Statistic, SummaryPart, Swatch, TerrainItem,
};
use mapscope_formats::pfmap::{CHUNK_SIDE, Cover, Edge};
use mapscope_formats::{Problem, Subject};

/// The overlays of a terrain; the last one only where tiles have cover.
pub(crate) static OVERLAYS: [Overlay; 9] = overlays![
    TileTypes "Tile types" "Colour every tile by its type" surface,
    Pathable "Pathable"
        "Colour tiles green where ground units can walk, red where they cannot" surface,
    Height "Height" "Colour the ground by its height" surface,
    ChunkBorders "Chunk borders" "Draw red lines around the chunks of 32 by 32 tiles",
    TileGrid "Tile grid" "Draw dark lines around the tiles",
    Wireframe "Wireframe" "Draw the edges of the triangles",
    Normals "Normals"
        "Colour the ground by the direction it faces: red west, green up, blue south" surface,
    Unlit "Unlit" "Show textures as they are, without light and shadow" surface,
    Cover "Cover"
        "Colour tiles green where grass grows, yellow where it is sparse, red where there is \
         none" surface,
];

/// Levels that the legend of the height overlay has at most.
const MAX_LEGEND_LEVELS: i32 = 10;

/// What a table of fields makes of the record of an item, if there is one.
macro_rules! described {
    ($terrain:ident, $item:ident, $make:ident) => {
        match $item {
            Item::Terrain(TerrainItem::Map) => Some(Self::FIELDS.$make($terrain)),
            Item::Terrain(TerrainItem::Tile { row, col }) => {
                TileAt::new($terrain, row, col).map(|at| TileAt::FIELDS.$make(&at))
            }
            Item::Terrain(TerrainItem::Chunk { row, col }) => {
                ChunkAt::new($terrain, row, col).map(|at| ChunkAt::FIELDS.$make(&at))
            }
            Item::Terrain(TerrainItem::Material { index }) => {
                MaterialAt::new($terrain, index as usize).map(|at| MaterialAt::FIELDS.$make(&at))
            }
            Item::Terrain(TerrainItem::TileType { class }) => {
                TilesOf::new($terrain, class).map(|of| TilesOf::FIELDS.$make(&of))
            }
            _ => None,
        }
        .unwrap_or_default()
    };
}

impl Document for Terrain {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, draw: &mut dyn FnMut(Drawable<'a>)) {
        draw(Drawable {
            bounds: Some(self.about().bounds),
            ..Drawable::in_place(self)
        });
    }

    fn outline(&self) -> Vec<OutlineNode> {
        let leaf = |label: String, item: Item, note: String, swatch| OutlineNode {
            label,
            item: Some(item),
            note,
            swatch,
            children: Vec::new(),
        };
        let materials = (0..self.map.materials.len()).filter_map(|index| {
            let at = MaterialAt::new(self, index)?;
            let item = TerrainItem::Material {
                index: index as u32,
            };
            let swatch = Some(Swatch::Thumbnail(index));
            let note = MaterialAt::FIELDS.note(&at);
            Some(leaf(at.name(), item.into(), note, swatch))
        });
        let rows = 0..self.map.chunk_rows;
        let places = rows.flat_map(|row| (0..self.map.chunk_cols).map(move |col| (row, col)));
        let chunks = places.filter_map(|(row, col)| {
            let at = ChunkAt::new(self, row, col)?;
            let item = TerrainItem::Chunk { row, col };
            let label = format!("Chunk {row}, {col}");
            Some(leaf(label, item.into(), ChunkAt::FIELDS.note(&at), None))
        });
        let name = self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        let heading = |label: &str, children: Vec<OutlineNode>| OutlineNode {
            label: label.to_owned(),
            item: None,
            note: children.len().to_string(),
            swatch: None,
            children,
        };
        vec![
            leaf(name, TerrainItem::Map.into(), Self::FIELDS.note(self), None),
            heading("Materials", materials.collect()),
            heading("Chunks", chunks.collect()),
        ]
    }

    fn pick(&self, ray_in_world: Ray, _shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world)
    }

    fn summary(&self, item: Item, _pointer: Option<Vec3>, _shown: &Shown) -> Vec<SummaryPart> {
        described!(self, item, summary)
    }

    fn properties(&self, item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        described!(self, item, groups)
    }

    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        if let Some((row, col)) = self.tile_rc(item) {
            return ItemPlace {
                bounds: Some(self.tiles_bounds(row..row + 1, col..col + 1)),
                // A hill may be before a tile.
                seen_from: SeenFrom::AllAround,
                is_placeholder: !self.map.is_read(row, col),
            };
        }
        let bounds = match item {
            Item::Terrain(TerrainItem::Map) => Some(self.about.bounds),
            Item::Terrain(TerrainItem::Chunk { row, col }) => {
                self.chunk_index(row, col).map(|_| {
                    let [row, col] = [row, col].map(|at| at * CHUNK_SIDE);
                    self.tiles_bounds(row..row + CHUNK_SIDE, col..col + CHUNK_SIDE)
                })
            }
            _ => self.members(item).and_then(|members| {
                let is_member = |at: &usize| self.is_member(members, *at);
                let tiles = (0..self.map.tiles.len()).filter(is_member);
                let boxes = tiles.map(|at| {
                    let (row, col) = self.row_and_col(at);
                    self.tiles_bounds(row..row + 1, col..col + 1)
                });
                boxes.reduce(|all, tile| all.union(&tile))
            }),
        };
        ItemPlace {
            bounds,
            ..ItemPlace::default()
        }
    }

    fn contour(&self, item: Item, _shown: &Shown) -> Vec<[Vec3; 2]> {
        if let Some((row, col)) = self.tile_rc(item) {
            return Edge::ALL
                .into_iter()
                .filter_map(|edge| self.edge_line(row, col, edge))
                .collect();
        }
        let Item::Terrain(TerrainItem::Chunk { row, col }) = item else {
            return Vec::new();
        };
        if self.chunk_index(row, col).is_none() {
            return Vec::new();
        }
        let [row, col] = [row, col].map(|at| at * CHUNK_SIDE);
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

    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let (rows, cols) = match direction {
            Direction::North => Edge::North,
            Direction::East => Edge::East,
            Direction::South => Edge::South,
            Direction::West => Edge::West,
        }
        .step();
        let beside = |row: u32, col: u32| {
            Some((row.checked_add_signed(rows)?, col.checked_add_signed(cols)?))
        };
        let neighbor = match item {
            Item::Terrain(TerrainItem::Tile { row, col }) => beside(row, col)
                .filter(|(row, col)| self.map.tile(*row, *col).is_some())
                .map(|(row, col)| TerrainItem::Tile { row, col }.into()),
            Item::Terrain(TerrainItem::Chunk { row, col }) => beside(row, col)
                .filter(|(row, col)| self.chunk_index(*row, *col).is_some())
                .map(|(row, col)| TerrainItem::Chunk { row, col }.into()),
            _ => None,
        };
        Neighbor {
            item: neighbor,
            name: None,
        }
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        let item = match problem.subject {
            Subject::Tile { row, col } => {
                self.map.tile(row, col)?;
                TerrainItem::Tile { row, col }
            }
            Subject::Material(index) if (index as usize) < self.map.materials.len() => {
                TerrainItem::Material { index }
            }
            _ => return None,
        };
        Some(ProblemTarget {
            item: item.into(),
            frame: None,
        })
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        let colors = |id| self.legend(id);
        Legend::of_overlays(self.about.overlays, &shown.overlays, colors)
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let members = self.members(kind)?;
        let count = self.map.tiles.len();
        let after = after.and_then(|item| self.tile_rc(item));
        let after = after.map(|(row, col)| row as usize * self.map.cols() as usize + col as usize);
        let is_member = |at: &usize| self.is_member(members, *at);
        let found = match (after, backwards) {
            (None, false) => (0..count).find(is_member),
            (None, true) => (0..count).rev().find(is_member),
            (Some(at), false) => (1..=count).map(|n| (at + n) % count).find(is_member),
            (Some(at), true) => (1..=count)
                .map(|n| (at + count - n) % count)
                .find(is_member),
        }?;
        let (row, col) = self.row_and_col(found);
        Some(TerrainItem::Tile { row, col }.into())
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
            .filter(|t| !t.file.found)
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
        Some(material.file.thumbnail())
    }

    fn info(&self, query: &InfoQuery) -> Map<String, Value> {
        let mut info = Self::FIELDS.json(self);
        if let Some((row, col)) = query.tile {
            let tile = TileAt::new(self, row, col).map(|at| at.info());
            info.insert("tile".to_owned(), tile.into());
        }
        if !query.heights.is_empty() {
            let height = |&(x, z): &(f32, f32)| {
                let y = self.height_at(x, z).map_or(Value::Null, number);
                json!({"x": number(x), "z": number(z), "y": y})
            };
            let heights = query.heights.iter().map(height).collect();
            info.insert("heights".to_owned(), heights);
        }
        info
    }
}

/// The colour of a level in the height overlay.
fn height_color(level: i32, [low, high]: [i32; 2]) -> [u8; 3] {
    let last = colors::HEIGHTS.len() - 1;
    let at = (level - low) as f32 / (high - low).max(1) as f32 * last as f32;
    let from = (at as usize).min(last - 1);
    let [from_color, to_color] =
        [from, from + 1].map(|i| Vec3::from(bytes(colors::HEIGHTS[i]).map(f32::from)));
    let color = from_color.lerp(to_color, at - from as f32);
    color.to_array().map(|channel| channel.round() as u8)
}

impl Terrain {
    pub(super) fn bounds(&self) -> Aabb {
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

    pub(super) fn overlays(&self) -> &'static [Overlay] {
        let has_cover = self.cover_counts[Cover::None as usize] < self.read_tiles() as u64;
        &OVERLAYS[..OVERLAYS.len() - usize::from(!has_cover)]
    }

    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.listed_classes()
            .map(|class| Kind {
                item: class.item(),
                name: class.name(),
                code: class.code().to_string(),
                count: self.class_counts[class.index()],
            })
            .collect()
    }

    pub(super) fn cpu_bytes(&self) -> u64 {
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

    /// What the colours of an overlay mean.
    fn legend(&self, overlay: OverlayId) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry::new(color, label);
        match overlay {
            OverlayId::TileTypes => self
                .listed_classes()
                .map(|class| {
                    let count = self.class_counts[class.index()];
                    let label = format!("{} {} ({count})", class.code(), class.name());
                    entry(class.color(), &label)
                })
                .collect(),
            OverlayId::Pathable => [
                entry(bytes(colors::GOOD), "ground units can walk"),
                entry(bytes(colors::BAD), "ground units cannot walk"),
            ]
            .into_iter()
            .chain(self.bad_tiles_entry())
            .collect(),
            OverlayId::Height => {
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
            OverlayId::Cover => [Cover::Full, Cover::Sparse, Cover::None, Cover::Unknown]
                .into_iter()
                .map(|cover| (cover, self.cover_counts[cover as usize]))
                .filter(|(cover, count)| *cover != Cover::Unknown || *count > 0)
                .map(|(cover, count)| {
                    let color = bytes(colors::COVERS[cover as usize]);
                    entry(color, &format!("{} ({count})", cover.name()))
                })
                .chain(self.bad_tiles_entry())
                .collect(),
            OverlayId::Normals => vec![
                entry([255, 128, 128], "faces west (+X)"),
                entry([128, 255, 128], "faces up (+Y)"),
                entry([128, 128, 255], "faces south (+Z)"),
            ],
            OverlayId::ChunkBorders => {
                vec![entry(bytes(colors::CHUNK_BORDER), "chunk border")]
            }
            _ => Vec::new(),
        }
    }

    /// What overlays show of tiles that could not be read, if there are any.
    fn bad_tiles_entry(&self) -> Option<LegendEntry> {
        let note = bad_tiles_note(self.bad_tile_counts())?;
        Some(LegendEntry {
            color: TileClass::Unreadable.color(),
            label: note,
        })
    }

    /// Where a chunk stands in lists of them; none off the map.
    pub(super) fn chunk_index(&self, row: u32, col: u32) -> Option<usize> {
        let on_map = row < self.map.chunk_rows && col < self.map.chunk_cols;
        on_map.then(|| row as usize * self.map.chunk_cols as usize + col as usize)
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
