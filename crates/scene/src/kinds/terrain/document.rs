//! The [`Document`] of a PFMAP.

use crate::{Compare, Deferred, Places, RelatedFiles, Walk};
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Terrain;
use super::fields::{ChunkAt, IslandAt, MaterialAt, TileAt, TilesOf};
use super::navigation::{CELLS_PER_SIDE, Domain, Islands};
use crate::core::overlay::{joined, overlays};
use crate::core::rules;
use crate::describe::numbers::number;
use crate::describe::table::{Describe, ItemKeys};
use crate::{
    Aabb, About, Annotations, Document, Drawable, Environment, Hit, InfoQuery, Item, Kind, Legend,
    NamedFile, OutlineNode, Overlay, OverlayId, ProblemTarget, Ray, Shown, Statistic, TerrainItem,
    Textures, ViewState,
};
use mapscope_formats::pfmap::Cover;
use mapscope_formats::{Place, Problem, Problems, Subject, counted, quoted};

/// The overlays of a map on its own: those of its ground, and one for entities.
pub(crate) static MAP_OVERLAYS: [Overlay; OVERLAYS.len() + 1] = joined(
    &overlays![
        Entities "Entities" "Show the entities on the map: open its scene",
    ],
    &OVERLAYS,
);

/// The overlays of a terrain. The last one is only offered if tiles have cover.
pub(crate) static OVERLAYS: [Overlay; 11] = overlays![
    TileTypes "Tile types" "Colour every tile by its type" surface,
    Pathable "Pathable"
        "Colour tiles green where ground units can walk, red where they cannot" surface,
    Navigation "Navigation"
        "Colour walkable cells of 4 by 4 units by island, and hatch blocked cells" surface,
    Seams "Seams" "Outline the edges where a slope does not meet the tile beside it",
    Height "Height" "Colour the ground by its height" surface,
    ChunkBorders "Chunk borders" "Draw red lines around the chunks of 32 by 32 tiles",
    TileGrid "Tile grid" "Draw dark lines around the tiles",
    Wireframe "Wireframe" "Draw the edges of the triangles",
    Normals "Normals"
        "Colour the ground by the direction it faces: red west, green up, blue south" surface,
    Unlit "Unlit" "Show textures as they are, without light and shadow" surface,
    Cover "Cover"
        "Colour tiles by their grass: green is full, yellow is sparse, red is bare" surface,
];

/// Minimum number of cells of an island that gets a note: those of one tile.
const MIN_NOTED_CELLS: u32 = CELLS_PER_SIDE * CELLS_PER_SIDE;

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

    fn environment(&self) -> Option<&Environment> {
        Some(&self.environment)
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn pick(&self, ray_in_world: Ray, _shown: &Shown) -> Option<Hit> {
        self.first_hit(ray_in_world)
    }

    fn record<'a>(&'a self, item: Item, _view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        self.described(item)
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

    fn statistics(&self) -> Vec<Statistic> {
        let packed = &self.relief().packed;
        let textures = self.textures.materials.iter();
        let without_texture = textures.filter(|texture| !texture.file.found).count();
        let [unreadable, missing] = self.bad_tile_counts();
        let bad = [("Unreadable tiles", unreadable), ("Missing tiles", missing)]
            .into_iter()
            .filter(|(_, count)| *count > 0);
        let mut statistics = vec![Statistic::new("Tiles", self.read_tiles())];
        statistics.extend(bad.map(|(name, count)| Statistic::new(name, count)));
        statistics.extend([
            Statistic::new("Chunks", packed.chunks.len()),
            Statistic::new("Level rectangles", packed.rects.len()),
            Statistic::new("Individually drawn tiles", packed.tops.len()),
            Statistic::new("Side faces", packed.sides.len()),
            Statistic::new("Texture layers", self.textures.layers.len()),
            Statistic::new("Missing textures", without_texture),
            Statistic::new("Walkable cells", self.ground().passable()),
            Statistic::new("Walkable islands", self.ground().list.len()),
            Statistic::new("Unreachable cells", self.ground().cut_off()),
        ]);
        statistics
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        let material = self.textures.materials.get(index)?;
        material.file.thumbnail()
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

    fn deferred(&self) -> Option<&dyn Deferred> {
        Some(self)
    }

    fn textures(&self) -> Option<&dyn Textures> {
        Some(self)
    }

    fn walk(&self) -> Option<&dyn Walk> {
        Some(self)
    }

    fn places(&self) -> Option<&dyn Places> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }
}

impl RelatedFiles for Terrain {
    fn files(&self) -> Vec<NamedFile> {
        let mut seen = HashSet::new();
        let materials = self.map.materials.iter().zip(&self.textures.materials);
        let named = materials.filter(|(material, _)| seen.insert(material.texture.as_str()));
        named
            .map(|(material, texture)| texture.file.named(&material.texture))
            .collect()
    }
}

/// Display name of an island, by its number from 1.
pub(super) fn island_name(number: usize) -> String {
    format!("Island {number}")
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
    pub(super) fn described(&self, item: Item) -> Option<Box<dyn Describe + '_>> {
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
        let corners = [([0.0; 2], low), (size, high)]
            .map(|([x, y], level)| self.placement.world(x, y, level as f32));
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

    /// `true` if a tile, or a splat on a shown material, uses a material. Also `true` if some tiles
    /// could not be read, since they may use it.
    pub(super) fn is_used(&self, index: u32) -> bool {
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
    pub(super) fn ground(&self) -> &Islands {
        self.navigation().islands(Domain::Ground)
    }
}
