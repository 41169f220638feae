//! The [`Document`] of a PFMAP.

use std::collections::HashSet;

use glam::Vec3;
use serde_json::{Map, Value, json};

use super::class::bad_tiles_note;
use super::fields::{ChunkAt, IslandAt, MaterialAt, TileAt, TilesOf};
use super::geometry::{LEVEL_HEIGHT, Shape};
use super::navigation::{CELLS_PER_SIDE, Cell, Domain, Island, Islands, color_of};
use super::{SKYBOX_PLACE, Terrain, TileClass, colors};
use crate::colors::bytes;
use crate::core::overlay::{joined, overlays};
use crate::core::rules;
use crate::describe::fields::{Describe, ItemKeys};
use crate::describe::numbers::number;
use crate::describe::outline::{file_name, heading, heading_of, leaf};
use crate::document::parts::Parts;
use crate::{
    Aabb, About, Annotations, Direction, Document, Drawable, Environment, Hit, InfoQuery, Item,
    ItemPlace, Kind, Legend, LegendEntry, NamedFile, Neighbor, OutlineNode, Overlay, OverlayId,
    OwnLine, Pending, Playhead, ProblemTarget, PropertyGroup, Ray, SeenFrom, Shown, Statistic,
    SummaryPart, Swatch, TerrainItem,
};
use mapscope_formats::pfmap::{CHUNK_SIDE, Cover, Edge};
use mapscope_formats::{Place, Problem, Problems, Subject, counted, quoted};

/// The overlays of a map on its own: those of its ground, and one for entities.
pub(crate) static MAP_OVERLAYS: [Overlay; OVERLAYS.len() + 1] = joined(
    &overlays![
        Entities "Entities" "Show what stands on the map: open the scene beside it",
    ],
    &OVERLAYS,
);

/// The overlays of a terrain. The last one is only offered if tiles have cover.
pub(crate) static OVERLAYS: [Overlay; 11] = overlays![
    TileTypes "Tile types" "Colour every tile by its type" surface,
    Pathable "Pathable"
        "Colour tiles green where ground units can walk, red where they cannot" surface,
    Navigation "Navigation"
        "Colour the cells of 4 by 4 units where ground units can walk, each island of them in a \
         colour of its own, and hatch those where they cannot" surface,
    Seams "Seams" "Outline the edges where a slope does not meet the tile beside it",
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

/// Maximum number of levels in the legend of the height overlay.
const MAX_LEGEND_LEVELS: i32 = 10;
/// Maximum number of islands in the outline and in JSON.
const MAX_ISLANDS: usize = 100;
/// Minimum number of cells of an island that gets a note: those of one tile.
const MIN_NOTED_CELLS: u32 = CELLS_PER_SIDE * CELLS_PER_SIDE;
/// Maximum number of lines around an island.
const MAX_BORDER: usize = 1 << 16;

impl Document for Terrain {
    fn about(&self) -> &About {
        self.whole_about.get().unwrap_or(&self.about)
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        draw(Drawable {
            revision: u64::from(self.whole_relief.get().is_some()),
            bounds: Some(self.about().bounds),
            ..Drawable::in_place(self)
        });
    }

    fn revision(&self) -> u64 {
        u64::from(self.whole_relief.get().is_some()) + self.environment.revision()
    }

    fn pending(&self) -> Option<Pending> {
        let of_relief = self.relief().is_coarse.then_some(Pending::Relief);
        of_relief.or_else(|| self.environment.pending())
    }

    fn complete(&self, keep_going: &(dyn Fn() -> bool + Sync), on_part: &(dyn Fn() + Sync)) {
        if self.relief().is_coarse && keep_going() {
            // The outline lists the islands: of a large map now, of a small one from the start.
            self.navigation();
            self.make_relief();
            on_part();
        }
        let (about, whole) = (&self.about, &self.whole_about);
        self.environment
            .complete(about, whole, SKYBOX_PLACE, keep_going, on_part);
    }

    fn deferred_bytes(&self) -> u64 {
        let relief = self.whole_relief.get();
        relief.map_or(0, |relief| relief.cpu_bytes() as u64) + self.environment.cpu_bytes()
    }

    fn environment(&self) -> Option<&Environment> {
        Some(&self.environment)
    }

    fn outline(&self) -> Vec<OutlineNode> {
        let materials = (0..self.map.materials.len()).filter_map(|index| {
            let at = MaterialAt::new(self, index)?;
            let item = TerrainItem::Material {
                index: index as u32,
            };
            Some(OutlineNode {
                swatch: Some(Swatch::Thumbnail(index)),
                ..leaf(at.name(), item.into(), MaterialAt::FIELDS.note(&at))
            })
        });
        let rows = 0..self.map.chunk_rows;
        let places = rows.flat_map(|row| (0..self.map.chunk_cols).map(move |col| (row, col)));
        let chunks = places.filter_map(|(row, col)| {
            let note = ChunkAt::FIELDS.note(&ChunkAt::new(self, row, col)?);
            let item = TerrainItem::Chunk { row, col };
            Some(leaf(format!("Chunk {row}, {col}"), item.into(), note))
        });
        let note = Self::FIELDS.note(self);
        vec![
            leaf(file_name(&self.path), TerrainItem::Map.into(), note),
            heading("Materials", materials.collect()),
            heading("Chunks", chunks.collect()),
        ]
        .into_iter()
        .chain(self.island_lines())
        .collect()
    }

    fn pick(&self, ray_in_world: Ray, _shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world)
    }

    fn summary(&self, item: Item, _pointer: Option<Vec3>, _shown: &Shown) -> Vec<SummaryPart> {
        self.described(item)
            .map_or_else(Vec::new, |at| at.summary())
    }

    fn properties(&self, item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        self.described(item).map_or_else(Vec::new, |at| at.groups())
    }

    fn details(&self, item: Item, _playhead: Playhead) -> Map<String, Value> {
        let described = self.described(item);
        let mut details = described.map_or_else(Map::new, |at| at.details());
        let tile = self.tile_rc(item);
        let tile = tile.and_then(|(row, col)| Some(TileAt::new(self, row, col)?.info()));
        if let Some(tile) = tile {
            // In the form of `--tile`.
            let groups = details.values_mut().filter_map(Value::as_object_mut);
            for (key, value) in groups.flat_map(Map::iter_mut) {
                if let Some(known) = tile.get(key) {
                    *value = known.clone();
                }
            }
        }
        details
    }

    fn parts(&self) -> Option<Vec<Parts<'_>>> {
        let map = &self.map;
        let (rows, cols) = (map.rows(), map.cols());
        Some(vec![
            Parts::one("map", TerrainItem::Map),
            Parts::records("material", &map.materials, |it| it.name.clone())
                .items(|index| {
                    let index = index as u32;
                    Some(TerrainItem::Material { index })
                })
                .referenced_by_index(),
            Parts::grid("tile", [rows, cols], |[row, col]| format!("{row},{col}"))
                .cells(|[row, col]| TerrainItem::Tile { row, col })
                .contents(|run, content| self.add_tiles(run, content)),
            Parts::grid("chunk", [map.chunk_rows, map.chunk_cols], |[row, col]| {
                format!("{row},{col}")
            })
            .cells(|[row, col]| TerrainItem::Chunk { row, col })
            .not_compared(),
            Parts::list("island", self.ground().list.len())
                .items(|index| self.ground().list.get(index).map(IslandAt::item))
                .not_compared(),
        ])
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        self.described(item).map_or_else(Vec::new, |at| at.own())
    }

    fn place(&self, item: Item, _shown: &Shown) -> ItemPlace {
        if let Some((row, col)) = self.tile_rc(item) {
            return ItemPlace {
                bounds: Some(self.tiles_bounds(row..row + 1, col..col + 1)),
                // A hill may hide a tile.
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
            Item::Terrain(TerrainItem::Island { row, col }) => {
                let islands = self.navigation().islands(Domain::Ground);
                let tiles = IslandAt::new(self, row, col);
                let tiles = tiles.and_then(|at| islands.tiles_of(at.index));
                tiles.map(|[rows, cols]| self.tiles_bounds(rows, cols))
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
        if let Item::Terrain(TerrainItem::Island { row, col }) = item {
            return self.island_border(row, col);
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
            Direction::North => (-1, 0),
            Direction::East => (0, 1),
            Direction::South => (1, 0),
            Direction::West => (0, -1),
        };
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

    fn notes(&self) -> Vec<Problem> {
        let mut notes = Problems::new();
        for (index, material) in (0..).zip(&self.map.materials) {
            if !self.is_used(index) {
                let (subject, place) = (Subject::Material(index), Place::line(material.line));
                notes.add_about(&rules::UNUSED_MATERIAL, subject, place, || {
                    let name = quoted(material.name.as_bytes());
                    format!("no tile uses material {index}, {name}")
                });
            }
        }
        let cut_off = self.ground().list.iter().skip(1);
        for island in cut_off.take_while(|island| island.cells >= MIN_NOTED_CELLS) {
            let (row, col) = island.first.tile();
            let Some((line, column)) = self.map.tile_place(row, col) else {
                continue;
            };
            let column = column.into();
            let (subject, place) = (Subject::Tile { row, col }, Place::Text { line, column });
            notes.add_about(&rules::UNREACHABLE_GROUND, subject, place, || {
                let cells = counted(island.cells as usize, "cell");
                format!(
                    "ground units cannot get here from most of the ground: an island of {cells} of \
                     4 by 4 units (from row {row}, column {col} of the map)"
                )
            });
        }
        self.note_slopes(&mut notes);
        notes.finish()
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
            moment: None,
            overlay: [
                &rules::SEAM,
                &rules::REVERSED_RAMP,
                &rules::SLOPE_WITHOUT_HEIGHT,
            ]
            .contains(&problem.rule)
            .then_some(OverlayId::Seams),
        })
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
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
        // Starts behind the current tile and wraps around to it.
        let first = after.map_or(0, |at| if backwards { at } else { at + 1 });
        let mut tiles = (first..count).chain(0..first.min(count));
        let is_member = |at: &usize| self.is_member(members, *at);
        let found = if backwards {
            tiles.rfind(is_member)
        } else {
            tiles.find(is_member)
        }?;
        let (row, col) = self.row_and_col(found);
        Some(TerrainItem::Tile { row, col }.into())
    }

    fn statistics(&self) -> Vec<Statistic> {
        let packed = &self.relief().packed;
        let textures = self.textures.materials.iter();
        let without_texture = textures.filter(|texture| !texture.file.found).count();
        let [unreadable, missing] = self.bad_tile_counts();
        let bad = [("Unreadable tiles", unreadable), ("Missing tiles", missing)];
        let bad = bad.into_iter().filter(|(_, count)| *count > 0);
        let mut statistics = vec![Statistic::new("Tiles", self.read_tiles())];
        statistics.extend(bad.map(|(name, count)| Statistic::new(name, count)));
        statistics.extend([
            Statistic::new("Chunks", packed.chunks.len()),
            Statistic::new("Level rectangles", packed.rects.len()),
            Statistic::new("Tiles drawn one by one", packed.tops.len()),
            Statistic::new("Side faces", packed.sides.len()),
            Statistic::new("Texture layers", self.textures.layers.len()),
            Statistic::new("Missing textures", without_texture),
            Statistic::new("Cells where units can walk", self.ground().passable()),
            Statistic::new("Islands of them", self.ground().list.len()),
            Statistic::new("Cells out of reach", self.ground().cut_off()),
        ]);
        statistics
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let material = self.textures.materials.get(index)?;
        material.file.thumbnail()
    }

    fn files(&self) -> Vec<NamedFile> {
        let mut seen = HashSet::new();
        let materials = self.map.materials.iter().zip(&self.textures.materials);
        let named = materials.filter(|(material, _)| seen.insert(material.texture.as_str()));
        named
            .map(|(material, texture)| texture.file.named(&material.texture))
            .collect()
    }

    fn info(&self, query: &InfoQuery) -> Map<String, Value> {
        let mut info = Self::FIELDS.json(self);
        info.insert("navigation".to_owned(), self.navigation_json());
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

/// Display name of an island, by its number from 1.
fn island_name(number: usize) -> String {
    format!("Island {number}")
}

/// Colour of an island in the navigation overlay, by its index.
fn island_color(index: usize) -> [u8; 3] {
    bytes(colors::ISLANDS[color_of(index, colors::ISLANDS.len())])
}

/// Colour of a level in the height overlay.
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
    /// JSON keys of items of each kind.
    pub(crate) fn item_keys() -> Vec<ItemKeys> {
        vec![
            Self::FIELDS.keys("map"),
            TileAt::FIELDS.keys("tile"),
            ChunkAt::FIELDS.keys("chunk"),
            MaterialAt::FIELDS.keys("material"),
            TilesOf::FIELDS.keys("tile type"),
            IslandAt::FIELDS.keys("island"),
        ]
    }

    /// The record of an item with its table of fields.
    fn described(&self, item: Item) -> Option<Box<dyn Describe + '_>> {
        let Item::Terrain(item) = item else {
            return None;
        };
        Some(match item {
            TerrainItem::Map => Self::FIELDS.of(self),
            TerrainItem::Tile { row, col } => TileAt::FIELDS.of(TileAt::new(self, row, col)?),
            TerrainItem::Chunk { row, col } => ChunkAt::FIELDS.of(ChunkAt::new(self, row, col)?),
            TerrainItem::Material { index } => {
                MaterialAt::FIELDS.of(MaterialAt::new(self, index as usize)?)
            }
            TerrainItem::TileType { class } => TilesOf::FIELDS.of(TilesOf::new(self, class)?),
            TerrainItem::Island { row, col } => IslandAt::FIELDS.of(IslandAt::new(self, row, col)?),
        })
    }

    pub(super) fn bounds(&self) -> Aabb {
        let [low, high] = self.drawn_levels();
        let size = [self.placement.cols, self.placement.rows].map(|side| side as f32);
        let corners = [([0.0; 2], low), (size, high)];
        let corners = corners.map(|([x, y], level)| self.placement.world(x, y, level as f32));
        Aabb::around(corners).unwrap_or_default()
    }

    pub(super) fn overlays(&self) -> &'static [Overlay] {
        &MAP_OVERLAYS[..MAP_OVERLAYS.len() - usize::from(!self.has_cover())]
    }

    /// `true` if any tile has cover, which is the condition for the last of [`OVERLAYS`].
    pub(crate) fn has_cover(&self) -> bool {
        self.counts.covers[Cover::None as usize] < self.read_tiles() as u64
    }

    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.listed_classes()
            .map(|class| Kind {
                item: class.item(),
                name: class.name(),
                code: class.code().to_string(),
                count: self.counts.classes[class.index()],
            })
            .collect()
    }

    pub(super) fn cpu_bytes(&self) -> u64 {
        let pixels = |levels: &[Vec<u8>]| levels.iter().map(Vec::len).sum::<usize>();
        let bytes = size_of_val(self.map.tiles.as_slice())
            + size_of_val(self.tiles.as_slice())
            + self.relief.cpu_bytes()
            + pixels(&self.overview.levels)
            + self.textures.cpu_bytes();
        bytes as u64
    }

    /// The legend of an overlay.
    fn legend(&self, overlay: OverlayId) -> Vec<LegendEntry> {
        let entry = |color, label: &str| LegendEntry::new(color, label);
        match overlay {
            OverlayId::TileTypes => self
                .listed_classes()
                .map(|class| {
                    let count = self.counts.classes[class.index()];
                    let label = format!("{} {} ({count})", class.code(), class.name());
                    entry(class.color(), &label)
                })
                .collect(),
            OverlayId::Pathable => [
                entry(bytes(colors::GOOD), "Ground units can walk"),
                entry(bytes(colors::BAD), "Ground units cannot walk"),
            ]
            .into_iter()
            .chain(self.bad_tiles_entry())
            .collect(),
            OverlayId::Navigation => self.navigation_legend(),
            OverlayId::Seams => self.seam_legend(),
            OverlayId::Height => {
                let [low, high] = self.levels();
                let step = (high - low).div_euclid(MAX_LEGEND_LEVELS) + 1;
                let listed = (low..high).step_by(step as usize).chain([high]);
                listed
                    .map(|level| {
                        let color = height_color(level, [low, high]);
                        let y = level as f32 * LEVEL_HEIGHT;
                        entry(color, &format!("Level {level}, y {y}"))
                    })
                    .chain(self.bad_tiles_entry())
                    .collect()
            }
            OverlayId::Cover => [Cover::Full, Cover::Sparse, Cover::None, Cover::Unknown]
                .into_iter()
                .map(|cover| (cover, self.counts.covers[cover as usize]))
                .filter(|(cover, count)| *cover != Cover::Unknown || *count > 0)
                .map(|(cover, count)| {
                    let color = bytes(colors::COVERS[cover as usize]);
                    entry(color, &format!("{} ({count})", cover.name()))
                })
                .chain(self.bad_tiles_entry())
                .collect(),
            OverlayId::Normals => vec![
                entry([255, 128, 128], "Faces west (+X)"),
                entry([128, 255, 128], "Faces up (+Y)"),
                entry([128, 128, 255], "Faces south (+Z)"),
            ],
            OverlayId::ChunkBorders => {
                vec![entry(bytes(colors::CHUNK_BORDER), "Chunk border")]
            }
            _ => Vec::new(),
        }
    }

    /// `true` if a tile, or a splat on a shown material, uses a material. Also `true` if some tiles
    /// could not be read, since they may use it.
    fn is_used(&self, index: u32) -> bool {
        let by_tiles = |index: u32| {
            let uses = self.counts.materials.get(index as usize);
            uses.is_some_and(|uses| *uses != [0; 2])
        };
        let mut splats = self.map.splats.iter();
        !self.map.bad_tiles.is_empty()
            || by_tiles(index)
            || splats.any(|splat| splat.accent == index && by_tiles(splat.base))
    }

    /// The islands of ground units.
    fn ground(&self) -> &Islands {
        self.navigation().islands(Domain::Ground)
    }

    /// The outline of the ground islands, if there are several. For a large map they appear
    /// together with its relief.
    fn island_lines(&self) -> Option<OutlineNode> {
        if self.relief().is_coarse {
            return None;
        }
        let islands = (1..).zip(&self.ground().list);
        (self.ground().list.len() > 1).then(|| {
            heading_of("Islands", islands, MAX_ISLANDS, |(number, island)| {
                let note = counted(island.cells as usize, "cell");
                OutlineNode {
                    swatch: Some(Swatch::Color(island_color(number - 1))),
                    ..leaf(island_name(number), IslandAt::item(island), note)
                }
            })
        })
    }

    /// The lines around an island, on the ground.
    fn island_border(&self, row: u32, col: u32) -> Vec<[Vec3; 2]> {
        let Some(island) = IslandAt::new(self, row, col) else {
            return Vec::new();
        };
        let side = 1.0 / CELLS_PER_SIDE as f32;
        let line = |(cell, edge): (Cell, Edge)| {
            let (row, col) = cell.tile();
            let shape = Shape::of(self.map.tile(row, col)?);
            let [west, north] = [cell.col, cell.row].map(|at| (at % CELLS_PER_SIDE) as f32 * side);
            let [nw, ne, sw, se] =
                [(0.0, 0.0), (side, 0.0), (0.0, side), (side, side)].map(|(east, south)| {
                    let uv = glam::Vec2::new(west + east, north + south);
                    let at = uv + glam::Vec2::new(col as f32, row as f32);
                    self.placement.world(at.x, at.y, shape.level_at(uv))
                });
            Some(match edge {
                Edge::North => [nw, ne],
                Edge::East => [ne, se],
                Edge::South => [sw, se],
                Edge::West => [nw, sw],
            })
        };
        let border = self.ground().border(island.index);
        border.take(MAX_BORDER).filter_map(line).collect()
    }

    /// The navigation grid in JSON: the islands of each domain, the largest first.
    pub(crate) fn navigation_json(&self) -> Value {
        let grid = self.navigation();
        let domains = Domain::ALL.map(|domain| {
            let islands = grid.islands(domain);
            let island = |(nth, island): (usize, &Island)| {
                let (row, col) = island.first.tile();
                let middle = island.first.middle();
                let place = self.placement.world(middle.x, middle.y, 0.0);
                json!({
                    "island": nth,
                    "cells": island.cells,
                    "tile": [row, col],
                    "x": number(place.x),
                    "z": number(place.z),
                })
            };
            let listed = (1..).zip(islands.list.iter().take(MAX_ISLANDS));
            let json = json!({
                "passable": islands.passable(),
                "unreachable": islands.cut_off(),
                "island_count": islands.list.len(),
                "listed": islands.list.len().min(MAX_ISLANDS),
                "islands": listed.map(island).collect::<Value>(),
            });
            (domain.name().to_owned(), json)
        });
        let mut json = json!({
            "cells": grid.cells(),
            "blocked_by_entities": grid.blocked_by_entities(),
            "entities_left_out": grid.left_out(),
        });
        if let Value::Object(keys) = &mut json {
            keys.extend(domains);
        }
        json
    }

    fn navigation_legend(&self) -> Vec<LegendEntry> {
        let grid = self.navigation();
        let ground = self.ground();
        let cells = |count: u64| counted(count as usize, "cell");
        let largest = (1..).zip(ground.list.iter().take(colors::ISLANDS.len()));
        let mut entries: Vec<LegendEntry> = largest
            .map(|(number, island)| {
                let label = format!("{}, {}", island_name(number), cells(island.cells.into()));
                LegendEntry::new(island_color(number - 1), label)
            })
            .collect();
        let others = ground.list.iter().skip(colors::ISLANDS.len());
        let others = others.fold((0, 0), |(count, sum), island| {
            (count + 1, sum + u64::from(island.cells))
        });
        if others.0 > 0 {
            let islands = counted(others.0, "more island");
            let label = format!("{islands}, {}, in these colours again", cells(others.1));
            entries.push(LegendEntry::of_several(label));
        }
        let by_entities = grid.blocked_by_entities();
        let barred = grid.cells() - ground.passable() - by_entities;
        let counts = [
            ("Units cannot walk", barred),
            ("Entities stand there", by_entities),
        ];
        for (color, (why, count)) in colors::BARRED_CELLS.into_iter().zip(counts) {
            if count > 0 {
                entries.push(LegendEntry::new(
                    bytes(color),
                    format!("{why}, {}", cells(count)),
                ));
            }
        }
        entries
    }

    /// Legend entry for tiles that could not be read, if there are any.
    fn bad_tiles_entry(&self) -> Option<LegendEntry> {
        let note = bad_tiles_note(self.bad_tile_counts())?;
        Some(LegendEntry::new(TileClass::Unreadable.color(), note))
    }

    /// Index of a chunk in chunk lists; `None` if it is not on the map.
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
    pub(super) fn edge_line(&self, row: u32, col: u32, edge: Edge) -> Option<[Vec3; 2]> {
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
