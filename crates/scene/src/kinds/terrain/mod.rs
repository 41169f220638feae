//! Terrain made of PFMAP tiles, as the Permafrost Engine draws a map.

mod class;
pub mod colors;
mod compare;
mod document;
mod fields;
pub mod geometry;
mod images;
pub(crate) mod info;
mod legends;
pub mod navigation;
pub mod noise;
mod outline;
mod overview;
pub mod pack;
mod patch;
mod patchwork;
mod pick;
mod place;
mod relief;
mod seams;
pub mod sun;
pub mod textures;
mod walk;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use class::TileClass;
pub(crate) use document::{MAP_OVERLAYS, OVERLAYS};
pub use mapscope_formats::pfmap::{BlendMode, CHUNK_SIDE, Edge, Splat, TileType};
pub use overview::Overview;
pub use patch::PATCH_TILES;
pub use patchwork::{ATLAS_SIZE, CELL, CORE, GUARD, Patchwork, patchwork, source_uv};
pub use relief::Relief;

use self::geometry::{Corner, LEVEL_HEIGHT, Placement, Shape};
use self::navigation::{Blocker, Cell, NavigationGrid, Obstacle};
use self::pack::TileRecord;
use self::seams::Seam;
use self::textures::Textures;
use crate::assets::{Assets, LoadedSkybox};
use crate::camera::Handedness;
use crate::core::parallel::map_parallel;
use crate::document::environment::{Environment, Sun};
use crate::document::{About, GameView};
use crate::{Aabb, Document, Item, OpenError, OpenOptions, Progress, Source, TerrainItem};
use mapscope_formats::pfmap::{self, Found, Pfmap, Tile};
use mapscope_formats::{Place, Problem, Subject};

/// Place for problems of the game's skybox, which the map does not name.
const SKYBOX_PLACE: Place = Place::Text { line: 1, column: 1 };
/// Maximum number of tiles of a map that is opened together with its relief, which takes about 50
/// ms at that size.
const MAX_TILES_WITH_RELIEF: usize = 1 << 20;

/// An open map, ready to be drawn, pointed at and described.
#[derive(Debug)]
pub struct Terrain {
    /// Metadata at the time of opening.
    about: About,
    /// The same with problems of its skybox, once that is read.
    whole_about: OnceLock<About>,
    path: PathBuf,
    map: Pfmap,
    placement: Placement,
    tiles: Arc<Vec<TileRecord>>,
    /// The initial relief; without faces and shadow if the map is large.
    relief: Relief,
    /// The complete relief, once it is computed.
    whole_relief: OnceLock<Relief>,
    overview: Overview,
    textures: Arc<Textures>,
    /// Its sun and sky. Within a scene it has the scene's sun, and the scene has the sky.
    environment: Environment,
    counts: Counts,
    /// Numbers of unreadable and of missing tiles for each chunk; empty if there are none.
    bad_in_chunks: Vec<[u32; 2]>,
    /// The static entities on it.
    blockers: Vec<Blocker>,
    /// Computed on demand.
    navigation: OnceLock<NavigationGrid>,
    /// Computed on demand.
    seams: OnceLock<Vec<Seam>>,
}

/// Opens a PFMAP file.
pub(crate) fn open(
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Arc<dyn Document>, OpenError> {
    let map = source.parse::<Pfmap>(progress)?;
    let terrain = Terrain::build(map, source, options, progress)?;
    Ok(Arc::new(terrain))
}

impl Terrain {
    /// Builds a terrain from a parsed map, with the sun and the sky of the game.
    ///
    /// # Errors
    /// Only if the load is cancelled.
    pub fn build(
        map: Pfmap,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let LoadedSkybox {
            skybox,
            faults,
            candidates,
        } = Assets::for_environment(source, options).default_skybox();
        let environment = Environment {
            skybox,
            ..Environment::default()
        };
        let mut terrain = Self::build_in(environment, map, source, options, progress)?;
        terrain.about.add_faults(&faults, SKYBOX_PLACE);
        terrain.about.dependencies.extend(candidates);
        Ok(terrain)
    }

    /// Builds a terrain from a parsed map, with the given environment.
    ///
    /// # Errors
    /// Only if the load is cancelled.
    pub fn build_in(
        environment: Environment,
        map: Pfmap,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let mut textures = textures::load(&map, source, options, progress)?;
        let mut problems = map.problems.clone();
        for problem in std::mem::take(&mut textures.problems) {
            let cause = problems
                .iter_mut()
                .find(|it| is_cut_at_space(it, &problem, &map));
            match cause {
                Some(cause) => cause.add_consequence(problem),
                None => problems.push(problem),
            }
        }
        problems.sort_by_key(|problem| problem.place);
        let path = source.path.clone();
        let dependencies = std::mem::take(&mut textures.dependencies);
        let textures = Arc::new(textures);
        let everything = [0..map.rows(), 0..map.cols()];
        let mut report = |fraction| progress.report(fraction);
        let mut terrain =
            Self::assemble(path, environment, map, textures, &everything, &mut report)?;
        terrain.about.problems = problems;
        terrain.about.dependencies = dependencies;
        Ok(terrain)
    }

    /// Builds a terrain from a map and loaded textures, without problems. Only tiles in the rows
    /// and columns of `drawn` get faces. `report` receives the progress and may cancel.
    fn assemble<E>(
        path: PathBuf,
        environment: Environment,
        map: Pfmap,
        textures: Arc<Textures>,
        drawn: &[Range<u32>; 2],
        report: &mut dyn FnMut(f32) -> Result<(), E>,
    ) -> Result<Self, E> {
        report(0.7)?;
        let layers = textures.layers_of_materials();
        let tiles = Arc::new(pack::pack_tiles(&map, &layers));
        report(0.75)?;
        let relief = if map.tiles.len() > MAX_TILES_WITH_RELIEF {
            Relief::coarse(&map)
        } else {
            let to_sun = environment.sun.casting_direction();
            Relief::whole(&map, &tiles, &layers, to_sun, drawn)
        };
        report(0.95)?;
        let overview = Overview::of(&map, &tiles, &textures);
        let mut counts = Counts::of(&map);
        counts.classes[TileClass::Unreadable.index()] = map.unreadable_tiles() as u64;
        counts.classes[TileClass::Missing.index()] = map.missing_tiles() as u64;
        let bad_in_chunks = count_bad_tiles(&map);
        report(1.0)?;
        let mut terrain = Self {
            about: About {
                format: &pfmap::FORMAT,
                version: map.version.clone(),
                problems: Vec::new(),
                bounds: Aabb::default(),
                handedness: Handedness::Mirrored,
                game_view: GameView::FromAbove,
                overlays: &[],
                dependencies: Vec::new(),
                kinds: Vec::new(),
                floor_height: None,
                cpu_bytes: 0,
            },
            whole_about: OnceLock::new(),
            path,
            placement: Placement {
                rows: map.rows(),
                cols: map.cols(),
            },
            map,
            tiles,
            relief,
            whole_relief: OnceLock::new(),
            overview,
            textures,
            environment,
            counts,
            bad_in_chunks,
            blockers: Vec::new(),
            navigation: OnceLock::new(),
            seams: OnceLock::new(),
        };
        let about = About {
            bounds: terrain.bounds(),
            overlays: terrain.overlays(),
            kinds: terrain.kinds(),
            floor_height: None,
            cpu_bytes: terrain.cpu_bytes(),
            ..terrain.about
        };
        terrain.about = about;
        Ok(terrain)
    }

    /// The parsed map.
    pub fn map(&self) -> &Pfmap {
        &self.map
    }

    /// Position of its tiles in the world.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// Its tiles for the GPU, in row-major order of the whole map.
    pub fn tiles(&self) -> &Arc<Vec<TileRecord>> {
        &self.tiles
    }

    /// Its faces and its shadow; until they are computed, only the heights of its chunks.
    pub fn relief(&self) -> &Relief {
        self.whole_relief.get().unwrap_or(&self.relief)
    }

    /// Computes the deferred faces and shadow; concurrent callers wait.
    fn make_relief(&self) {
        self.whole_relief.get_or_init(|| {
            let layers = self.textures.layers_of_materials();
            let to_sun = self.environment.sun.casting_direction();
            let everything = [0..self.map.rows(), 0..self.map.cols()];
            Relief::whole(&self.map, &self.tiles, &layers, to_sun, &everything)
        });
    }

    /// Its sun.
    pub fn sun(&self) -> &Sun {
        &self.environment.sun
    }

    /// The colours of the map as seen from far away.
    pub fn overview(&self) -> &Overview {
        &self.overview
    }

    /// The textures of its materials, which patches of the map share.
    pub fn textures(&self) -> &Arc<Textures> {
        &self.textures
    }

    /// The navigation grid; computed on demand.
    pub fn navigation(&self) -> &NavigationGrid {
        self.navigation
            .get_or_init(|| NavigationGrid::of(&self.map, &self.blockers))
    }

    /// The navigation cell below a place; `None` if it is off the map.
    pub fn cell_at(&self, world_x: f32, world_z: f32) -> Option<Cell> {
        let (row, col, uv) = self.placement.tile_at(world_x, world_z)?;
        let corner = match (uv.y >= 0.5, uv.x >= 0.5) {
            (false, false) => Corner::NorthWest,
            (false, true) => Corner::NorthEast,
            (true, false) => Corner::SouthWest,
            (true, true) => Corner::SouthEast,
        };
        Some(Cell::in_tile(row, col, corner))
    }

    /// Describes why a cell is impassable, with the name of a blocking entity.
    pub(super) fn obstacle_text(&self, obstacle: Obstacle) -> String {
        match obstacle {
            Obstacle::Entity(index) => {
                let entity = self.blockers.get(index as usize);
                let name = entity.map_or("an entity", |entity| entity.name.as_str());
                format!("blocked by {name}")
            }
            obstacle => format!("blocked: {}", obstacle.name()),
        }
    }

    /// The static entities on it, which block the ground that they cover.
    pub fn blockers(&self) -> &[Blocker] {
        &self.blockers
    }

    /// Replaces the static entities on it.
    pub fn set_blockers(&mut self, blockers: Vec<Blocker>) {
        self.blockers = blockers;
        self.navigation = OnceLock::new();
    }

    /// Lowest and highest level of the tiles that were read, without the skirt.
    pub fn levels(&self) -> [i32; 2] {
        let chunks = self.relief.packed.chunks.iter();
        let levels = chunks.filter_map(|chunk| chunk.ground);
        levels.reduce(pack::union_levels).unwrap_or_default()
    }

    /// Lowest and highest level of everything drawn, including the skirt and placeholders.
    fn drawn_levels(&self) -> [i32; 2] {
        let levels = self
            .relief
            .packed
            .chunks
            .iter()
            .map(|chunk| chunk.all.levels);
        levels.reduce(pack::union_levels).unwrap_or_default()
    }

    /// World height of the ground at a place; `None` off the map and on unreadable tiles.
    pub fn height_at(&self, world_x: f32, world_z: f32) -> Option<f32> {
        let (row, col, uv) = self.placement.tile_at(world_x, world_z)?;
        let tile = self.map.tile(row, col)?;
        let is_read = self.map.is_read(row, col);
        is_read.then(|| Shape::of(tile).level_at(uv) * LEVEL_HEIGHT)
    }

    /// Row and column of an item that is a tile of this map.
    pub fn tile_rc(&self, item: Item) -> Option<(u32, u32)> {
        match item {
            Item::Terrain(TerrainItem::Tile { row, col }) => {
                self.map.tile(row, col).map(|_| (row, col))
            }
            _ => None,
        }
    }

    /// A tile and its eight neighbours, row by row from the north-west. Beyond the border the
    /// nearest tile is repeated. `None` if the item is not a tile.
    pub fn neighborhood(&self, item: Item) -> Option<[Tile; 9]> {
        let (row, col) = self.tile_rc(item)?;
        let at = |r: i64, c: i64| {
            let r = (i64::from(row) + r).clamp(0, i64::from(self.map.rows()) - 1);
            let c = (i64::from(col) + c).clamp(0, i64::from(self.map.cols()) - 1);
            self.map
                .tile(r as u32, c as u32)
                .copied()
                .unwrap_or_default()
        };
        Some(std::array::from_fn(|i| {
            at(i as i64 / 3 - 1, i as i64 % 3 - 1)
        }))
    }

    /// Bounds of the tiles in the given rows and columns.
    fn tiles_bounds(&self, rows: Range<u32>, cols: Range<u32>) -> Aabb {
        let mut levels = [f32::MAX, f32::MIN];
        for row in rows.clone() {
            for col in cols.clone() {
                if let Some(tile) = self.map.tile(row, col) {
                    let shape = Shape::of(tile);
                    levels[0] = levels[0].min(shape.lowest() as f32);
                    levels[1] = levels[1].max(shape.highest() as f32);
                }
            }
        }
        let corners = [
            (cols.start, rows.start, levels[0]),
            (cols.end, rows.end, levels[1]),
        ];
        let world = |(col, row, level): (u32, u32, f32)| {
            self.placement.world(col as f32, row as f32, level)
        };
        Aabb::around(corners.map(world)).unwrap_or_default()
    }
}

/// Tile counts of a map.
#[derive(Debug, Clone)]
struct Counts {
    /// Number of tiles of each class.
    classes: [u64; TileClass::COUNT],
    /// Number of tiles with each [`Cover`](pfmap::Cover), without unreadable tiles.
    covers: [u64; 4],
    /// For each material, the number of tiles that use it for their top and for their sides,
    /// without unreadable tiles.
    materials: Vec<[u64; 2]>,
}

impl Counts {
    /// Number of tiles that a thread counts at a time.
    const PART: usize = 1 << 16;

    /// Counts the tiles that were read.
    fn of(map: &Pfmap) -> Self {
        let none = Self {
            classes: [0; TileClass::COUNT],
            covers: [0; 4],
            materials: vec![[0; 2]; map.materials.len()],
        };
        let parts: Vec<_> = map.tiles.chunks(Self::PART).collect();
        let counts = map_parallel(parts.len(), |part| {
            let mut counts = none.clone();
            for tile in parts[part] {
                counts.add(tile, 1);
            }
            counts
        });
        let mut sum = none.clone();
        for of_part in &counts {
            sum.add_all(of_part);
        }
        // Nearly all tiles are readable: the few others are subtracted afterwards.
        for tile in map.bad_tiles.iter().filter_map(|at| map.tile(at.0, at.1)) {
            sum.add(tile, -1);
        }
        sum
    }

    fn add(&mut self, tile: &Tile, by: i64) {
        let add = |count: &mut u64| *count = count.wrapping_add_signed(by);
        add(&mut self.classes[tile.kind as usize]);
        add(&mut self.covers[tile.cover() as usize]);
        for (use_, material) in [tile.top_material, tile.side_material].iter().enumerate() {
            if let Some(uses) = self.materials.get_mut(usize::from(*material)) {
                add(&mut uses[use_]);
            }
        }
    }

    fn add_all(&mut self, other: &Self) {
        let counts = self
            .classes
            .iter_mut()
            .chain(&mut self.covers)
            .chain(self.materials.as_flattened_mut());
        let others = other.classes.iter().chain(&other.covers);
        for (count, other) in counts.zip(others.chain(other.materials.as_flattened())) {
            *count += other;
        }
    }
}

/// `true` if `problem` reports that a material was cut at a space, and `of_texture` that its
/// texture was not found. The texture's name is then only the part before the space.
fn is_cut_at_space(problem: &Problem, of_texture: &Problem, map: &Pfmap) -> bool {
    let Subject::Material(index) = of_texture.subject else {
        return false;
    };
    let material = map.materials.get(index as usize);
    problem.rule.id == pfmap::rules::EXTRA_WORDS.id
        && problem.subject == of_texture.subject
        && material.is_some_and(|material| !material.texture.contains('.'))
}

/// Numbers of unreadable and of missing tiles for each chunk; empty if there are none.
fn count_bad_tiles(map: &Pfmap) -> Vec<[u32; 2]> {
    if map.bad_tiles.is_empty() {
        return Vec::new();
    }
    let mut counts = vec![[0; 2]; map.chunk_rows as usize * map.chunk_cols as usize];
    for &(row, col) in &map.bad_tiles {
        let chunk = (row / CHUNK_SIDE) as usize * map.chunk_cols as usize;
        if let Some(count) = counts.get_mut(chunk + (col / CHUNK_SIDE) as usize) {
            count[usize::from(map.found(row, col) == Found::Missing)] += 1;
        }
    }
    counts
}
