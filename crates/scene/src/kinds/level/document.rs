//! The [`Document`] implementation for PMF maps.

use std::path::PathBuf;

use crate::describe::archive_entry::EntryAt;
use crate::describe::table::Describe;
use crate::{Compare, Hiding, Places, RelatedFiles, Walk};
use glam::Vec3;

use super::Map;
use super::fields::MapAt;
use super::fields::cube::CubeRecord;
use crate::core::overlay::{LEFT_OUT_HELP, overlays};
use crate::{
    About, Animation, Annotations, Branch, ChunkMap, Document, Drawable, Hit, InfoQuery, Item,
    Legend, LevelInfo, LevelItem, Levels, Light, LightmapFace, LightmapInfo, NamedFile,
    OutlineNode, Overlay, ProblemTarget, Ray, Shown, Spawn, Statistic, Textures, ViewState,
};
use mapscope_formats::paf::Archive;
use mapscope_formats::pmf::ChunkIndex;
use mapscope_formats::{Problem, Severity};

/// The overlays of a map.
pub(crate) static OVERLAYS: [Overlay; 20] = overlays![
    Lightmap "Lightmap only" "Show only the light, on white surfaces" surface,
    Unlit "Full bright" "Show materials and textures without light" surface,
    MaterialColors "Material colours"
        "Give each material a colour, without textures and light" surface,
    Normals "Normals"
        "Colour the surface by the direction it faces: red east, green up, blue north" surface,
    UvChecker "UV checker"
        "Show a checkerboard in place of textures: red grows with U, green with V" surface,
    OctreeDepth "Octree depth"
        "Colour each cube by its depth in the octree" surface,
    CubeTypes "Cube types"
        "Colour cubes by their wrapper type; extended cubes are tinted red" surface,
    BackFaces "Back faces" "Draw back faces too, in a warning colour" surface,
    TwoSided "Two-sided"
        "Draw back faces like front faces, regardless of the cube's setting",
    Wireframe "Wireframe" "Draw the edges of the triangles",
    ChunkBorders "Chunk borders" "Draw the edges of the chunks; unreadable chunks are red",
    LeftOut "Left out" LEFT_OUT_HELP on,
    Cells "Octree cells"
        "Draw the octree cells of the depth set in the octree panel, including empty ones",
    Colliders "Colliders" "Show collision boxes without visible geometry",
    Environments "Environments"
        "Draw the regions where weather, gravity, sound or sky differ from the rest of the level",
    ServerRegions "Server regions" "Draw the boxes by which the server keeps chunks active",
    Visibility "Visibility"
        "Highlight the part of the level visible from the selected visibility cube, or from the \
         one around the eye, and dim the rest",
    LightProbes "Base light"
        "Draw the colour that lighting cubes give to moving objects inside them",
    Paths "Pathfinding data"
        "Draw the cubes with attributes for pathfinding, with their names and data",
    Entities "Entities" "Draw a marker for each entity, with its box or its light",
];

impl Map {
    /// Returns a cube by its level, the position of its chunk in the grid, and its index, or `None`
    /// if the chunk does not exist.
    fn cube_in_grid(&self, [level, y, x, z, cube]: [u32; 5]) -> Option<LevelItem> {
        let level = level as usize;
        let place = ChunkIndex::new([y, x, z]);
        // Coordinates that do not fit an index are in no grid.
        let is_place = place.yxz() == [y, x, z];
        let chunk = self.pmf.levels.get(level)?.chunk_number(place)?;
        is_place.then(|| LevelItem::cube(level, chunk, cube))
    }
}

/// Returns the level item of an item, or `None` if it belongs to another kind of document.
pub(super) fn as_level_item(item: Item) -> Option<LevelItem> {
    match item {
        Item::Level(item) => Some(item),
        _ => None,
    }
}

impl Document for Map {
    fn about(&self) -> &About {
        &self.about
    }

    fn for_each_drawable<'a>(&'a self, _shown: &Shown, draw: &mut dyn FnMut(Drawable<'a>)) {
        draw(Drawable {
            bounds: Some(self.about().bounds),
            ..Drawable::in_place(self)
        });
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_visible_hit(ray_in_world, shown)
    }

    fn record<'a>(&'a self, item: Item, view: ViewState<'a>) -> Option<Box<dyn Describe + 'a>> {
        let item = as_level_item(item)?;
        if let (LevelItem::Face { .. }, Some(_)) = (item, view.pointer) {
            let mut face = self.cube_record(item)?;
            face.pointer = view.pointer;
            return Some(CubeRecord::FIELDS.of(face));
        }
        self.described(item)
    }

    fn problem_target(&self, problem: &Problem) -> Option<ProblemTarget> {
        Some(ProblemTarget {
            item: self.item_of_problem(problem)?.into(),
            moment: None,
            overlay: None,
        })
    }

    fn legends(&self, shown: &Shown) -> Vec<Legend> {
        Legend::of_overlays(&OVERLAYS, &shown.overlays, |id| self.legend_in(id, shown))
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.statistics_of_map()
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        self.thumbnail_of(index)
    }

    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        let mut info = MapAt::FIELDS.json(&MapAt { map: self });
        if let Some(cube) = query.cube {
            let cube = self
                .cube_in_grid(cube)
                .and_then(|item| self.cube_record(item));
            let cube = cube.map(|cube| CubeRecord::FIELDS.json(&cube));
            info.insert("cube".to_owned(), cube.into());
        }
        info
    }

    fn annotations(&self) -> Option<&dyn Annotations> {
        Some(self)
    }

    fn animation(&self) -> Option<&dyn Animation> {
        (!self.clips.is_empty()).then_some(self)
    }

    fn levels(&self) -> Option<&dyn Levels> {
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

    fn hiding(&self) -> Option<&dyn Hiding> {
        Some(self)
    }

    fn related_files(&self) -> Option<&dyn RelatedFiles> {
        Some(self)
    }

    fn comparison(&self) -> Option<&dyn Compare> {
        Some(self)
    }

    fn archive(&self) -> Option<&Archive> {
        self.pmf.archive.as_ref()
    }
}

impl Hiding for Map {
    fn hide_target(&self, item: Item) -> Option<Item> {
        let of_map = as_level_item(item)?;
        match of_map {
            LevelItem::Material { .. }
            | LevelItem::Chunk { .. }
            | LevelItem::CubeType { .. }
            | LevelItem::EntityType { .. }
            | LevelItem::Gamemode { .. } => Some(item),
            LevelItem::Entity { .. } => {
                let kind = self.entity_at(of_map)?.entity.kind();
                Some(LevelItem::entity_type(kind).into())
            }
            _ => self.material_of(of_map).map(Item::from),
        }
    }
}

impl RelatedFiles for Map {
    fn files(&self) -> Vec<NamedFile> {
        let textures = self.textures.list.iter();
        textures
            .map(|texture| texture.file.named(&texture.path))
            .collect()
    }

    fn file_of(&self, item: Item) -> Option<PathBuf> {
        let LevelItem::ArchiveFile { index } = as_level_item(item)? else {
            return None;
        };
        EntryAt::new(self, index as usize)?.openable_path(&self.path)
    }
}

impl Levels for Map {
    fn levels(&self) -> &[LevelInfo] {
        &self.level_infos
    }

    fn level_of(&self, item: Item) -> Option<usize> {
        let level = Self::level_of_item(as_level_item(item)?);
        level.filter(|level| *level < self.levels.len())
    }

    fn spawn(&self, level: usize) -> Option<Spawn> {
        self.player_start(level)
    }

    fn emptiness(&self, level: usize) -> Option<String> {
        if self.pmf.levels.is_empty() {
            let mut problems = self.about.problems.iter();
            let is_broken = problems.any(|problem| problem.severity == Severity::Error);
            let text = if is_broken {
                "No level of this map can be read: see the problems."
            } else {
                "This map has no levels."
            };
            return Some(text.to_owned());
        }
        let data = self.pmf.levels.get(level)?;
        let is_lost = data.chunks.iter().all(|chunk| chunk.data.is_none());
        is_lost.then(|| format!("No chunk of level {level} can be read: see the problems."))
    }

    fn lights(&self, level: usize) -> Vec<Light> {
        self.light_list(level)
    }

    fn branches(&self, level: usize, below: Option<Item>) -> Vec<Branch> {
        match below.map(as_level_item) {
            Some(None) => Vec::new(),
            below => self.branch_lines(level, below.flatten()),
        }
    }

    fn branch_above(&self, item: Item) -> Option<Item> {
        self.parent_in_tree(as_level_item(item)?)
    }

    fn find_branches(&self, level: usize, text: &str, most: usize) -> Vec<Branch> {
        self.search_branches(level, text, most)
    }

    fn chunk_map(&self, level: usize) -> Option<ChunkMap> {
        self.chunk_map_of(level)
    }

    fn lightmaps(&self, level: usize) -> Vec<LightmapInfo> {
        self.lightmap_list(level)
    }

    fn lightmap_image(&self, lightmap: Item, shown: &Shown) -> Option<Vec<u8>> {
        self.lit_pixels(as_level_item(lightmap)?, shown)
    }

    fn lightmap_faces(&self, lightmap: Item) -> Vec<LightmapFace> {
        as_level_item(lightmap).map_or_else(Vec::new, |lightmap| self.faces_on_lightmap(lightmap))
    }

    fn visibility_at(&self, eye: Vec3, shown: &Shown) -> Option<Item> {
        self.visibility_cube_at(eye, shown.level).map(Item::from)
    }
}
