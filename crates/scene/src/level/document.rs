//! A map as the rest of the program sees it: the [`Document`] of a PMF.

use std::path::PathBuf;

use glam::Vec3;

use super::entities::entity_kind_item;
use super::items::item;
use super::{HANDEDNESS, Map};
use crate::camera::Handedness;
use crate::{
    Aabb, Branch, ChunkMap, ClipInfo, Direction, Document, Drawable, GameView, Hit, InfoQuery,
    Item, Kind, Label, LegendEntry, Light, Line, OutlineNode, Overlay, Part, Playhead,
    PropertyGroup, Ray, SeenFrom, Sheet, SheetFace, Shown, Spawn, Statistic, SummaryPart,
};
use mapscope_formats::{Format, Problem, pmf};

/// The overlays of a map.
static OVERLAYS: [Overlay; 19] = [
    Overlay {
        id: "lightmap",
        name: "Lightmap only",
        help: "The light alone, on white surfaces",
        colors_surface: true,
    },
    Overlay {
        id: "unlit",
        name: "Full bright",
        help: "Materials and textures without light",
        colors_surface: true,
    },
    Overlay {
        id: "material-colors",
        name: "Material colours",
        help: "A colour for each material, without textures and light",
        colors_surface: true,
    },
    Overlay {
        id: "normals",
        name: "Normals",
        help: "Colours the surface by the direction it faces: red east, green up, blue north",
        colors_surface: true,
    },
    Overlay {
        id: "uv-checker",
        name: "UV checker",
        help: "A checker in place of the textures: red grows with U, green with V",
        colors_surface: true,
    },
    Overlay {
        id: "octree-depth",
        name: "Octree depth",
        help: "Colours each cube by how many times the chunk was divided to reach it",
        colors_surface: true,
    },
    Overlay {
        id: "cube-types",
        name: "Cube types",
        help: "Colours each cube by the cubes around it that say more of it, and by how much its \
               own record says",
        colors_surface: true,
    },
    Overlay {
        id: "back-faces",
        name: "Back faces",
        help: "Draws the back of faces too, in a warning colour",
        colors_surface: true,
    },
    Overlay {
        id: "two-sided",
        name: "Two-sided",
        help: "Draws the back of faces as their front, whether or not the cube says so",
        colors_surface: false,
    },
    Overlay {
        id: "wireframe",
        name: "Wireframe",
        help: "The edges of the triangles that are drawn",
        colors_surface: false,
    },
    Overlay {
        id: "chunk-borders",
        name: "Chunk borders",
        help: "The edges of the chunks; red where one cannot be read",
        colors_surface: false,
    },
    Overlay {
        id: "cells",
        name: "Octree cells",
        help: "The edges of the cells of the octree at a depth, empty ones too",
        colors_surface: false,
    },
    Overlay {
        id: "colliders",
        name: "Colliders",
        help: "The boxes that are solid beside what is drawn",
        colors_surface: false,
    },
    Overlay {
        id: "environments",
        name: "Environments",
        help: "Where weather, gravity, sound and sky are other than in the rest of the level",
        colors_surface: false,
    },
    Overlay {
        id: "server-regions",
        name: "Server regions",
        help: "The boxes by which the server keeps chunks active",
        colors_surface: false,
    },
    Overlay {
        id: "visibility",
        name: "Visibility",
        help: "What is listed as seen from the selected visibility cube, or from the one that the \
               eye is in, is lit, and the rest is dimmed",
        colors_surface: false,
    },
    Overlay {
        id: "light-probes",
        name: "Base light",
        help: "The colour that each lighting cube gives to what moves through it",
        colors_surface: false,
    },
    Overlay {
        id: "paths",
        name: "Path attributes",
        help: "The cubes with attributes for pathfinding, and their names and data",
        colors_surface: false,
    },
    Overlay {
        id: "entities",
        name: "Entities",
        help: "A marker for each entity, with its box or its light",
        colors_surface: false,
    },
];

impl Document for Map {
    fn format(&self) -> &'static Format {
        &pmf::FORMAT
    }

    fn version(&self) -> String {
        // There is but one.
        "0".to_owned()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn bounds(&self) -> Aabb {
        let bounds = self.levels.iter().map(|level| level.bounds);
        let all = bounds.reduce(|all, next| all.union(&next));
        // A map without levels has only what concerns all of them.
        all.unwrap_or(Aabb {
            min: Vec3::NEG_ONE,
            max: Vec3::ONE,
        })
    }

    fn handedness(&self) -> Handedness {
        HANDEDNESS
    }

    fn drawable(&self) -> Drawable<'_> {
        Drawable::Level(self)
    }

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn part_of(&self, item: Item) -> Option<usize> {
        self.level_of(item)
    }

    fn clips(&self) -> &[ClipInfo] {
        &self.clips
    }

    fn hidden_with(&self, item: Item) -> Option<Item> {
        match item.kind {
            item::MATERIAL | item::CHUNK | item::CUBE_KIND | item::ENTITY_KIND | item::GAMEMODE => {
                Some(item)
            }
            item::ENTITY => Some(entity_kind_item(self.entity_at(item)?.entity.kind())),
            _ => self.material_of(item),
        }
    }

    fn outline(&self) -> Vec<OutlineNode> {
        self.outline_tree()
    }

    /// Nothing that is said of a map changes while its materials move.
    fn follows_playhead(&self, _item: Item) -> bool {
        false
    }

    fn pick(&self, ray_in_world: Ray, shown: &Shown) -> Option<Hit> {
        self.first_shown(ray_in_world, shown)
    }

    fn summary(&self, item: Item) -> Vec<SummaryPart> {
        self.item_summary(item)
    }

    fn properties(&self, item: Item, _playhead: Playhead) -> Vec<PropertyGroup> {
        self.item_properties(item)
    }

    fn item_bounds(&self, item: Item, _playhead: Playhead) -> Option<Aabb> {
        self.bounds_of(item)
    }

    fn seen_from(&self, item: Item, _shown: &Shown) -> SeenFrom {
        match item.kind {
            item::FACE => self.before_face(item).unwrap_or(SeenFrom::AllAround),
            item::CUBE | item::ENTITY => SeenFrom::AllAround,
            _ => SeenFrom::Anywhere,
        }
    }

    fn game_view(&self) -> GameView {
        GameView::FirstPerson
    }

    fn spawn(&self, part: usize) -> Option<Spawn> {
        self.player_start(part)
    }

    fn item_outline(&self, item: Item, _playhead: Playhead) -> Vec<[Vec3; 2]> {
        self.outline_of(item)
    }

    fn lines(&self, shown: &Shown, lines: &mut Vec<Line>) {
        self.overlay_lines(shown, lines);
    }

    fn labels(&self, shown: &Shown, labels: &mut Vec<Label>) {
        self.overlay_labels(shown, labels);
    }

    fn visibility_at(&self, eye: Vec3, shown: &Shown) -> Option<Item> {
        self.visibility_cube_at(eye, shown.part)
    }

    fn covers(&self, ray_in_world: Ray, distance: f32, shown: &Shown) -> bool {
        self.covers_place(ray_in_world, distance, shown)
    }

    fn neighbor_name(&self, item: Item, direction: Direction) -> Option<[&'static str; 2]> {
        Some(Self::name_beside(item, direction))
    }

    fn neighbor(&self, item: Item, direction: Direction) -> Option<Item> {
        self.item_beside(item, direction)
    }

    fn problem_item(&self, problem: &Problem) -> Option<Item> {
        self.item_of_problem(problem)
    }

    fn overlays(&self) -> &'static [Overlay] {
        &OVERLAYS
    }

    fn legend(&self, overlay_id: &str) -> Vec<LegendEntry> {
        self.legend_of(overlay_id)
    }

    fn kinds(&self) -> Vec<Kind> {
        Vec::new()
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        self.next_of(kind, after, backwards)
    }

    fn emptiness(&self, part: usize) -> Option<String> {
        if self.pmf.levels.is_empty() {
            return Some("This map has no levels.".to_owned());
        }
        let level = self.pmf.levels.get(part)?;
        let is_lost = level.chunks.iter().all(|chunk| chunk.data.is_none());
        is_lost.then(|| format!("No chunk of level {part} can be read: see the problems."))
    }

    fn lights(&self, part: usize) -> Vec<Light> {
        self.light_list(part)
    }

    fn branches(&self, part: usize, below: Option<Item>) -> Vec<Branch> {
        self.branch_lines(part, below)
    }

    fn branch_above(&self, item: Item) -> Option<Item> {
        self.above_in_tree(item)
    }

    fn find_branches(&self, part: usize, text: &str, most: usize) -> Vec<Branch> {
        self.found_branches(part, text, most)
    }

    fn chunk_map(&self, part: usize) -> Option<ChunkMap> {
        self.map_of_chunks(part)
    }

    fn sheets(&self, part: usize) -> Vec<Sheet> {
        self.sheet_list(part)
    }

    fn sheet_picture(&self, sheet: Item, shown: &Shown) -> Option<Vec<u8>> {
        self.lit_picture(sheet, shown)
    }

    fn sheet_faces(&self, sheet: Item) -> Vec<SheetFace> {
        self.faces_on_sheet(sheet)
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.numbers_of_all()
    }

    fn thumbnail(&self, index: usize) -> Option<(u32, u32, &[u8])> {
        self.picture(index)
    }

    fn dependencies(&self) -> Vec<PathBuf> {
        self.textures.dependencies.clone()
    }

    fn cpu_bytes(&self) -> u64 {
        let bytes = self.levels.iter().map(super::Level::cpu_bytes);
        (bytes.sum::<usize>() + self.textures.cpu_bytes() + self.unnamed.cpu_bytes()) as u64
    }

    fn info(&self, query: &InfoQuery) -> serde_json::Map<String, serde_json::Value> {
        self.information(query)
    }
}
