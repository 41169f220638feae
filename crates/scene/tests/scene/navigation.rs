//! The navigation grid: against a simple flood fill without runs, and its descriptions.

use mapscope_scene::{Bytes, Deferred as _, Places as _};
use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec2;
use mapscope_formats::pfmap::{self, BlendMode, Edge, Field, Pfmap, Tile, TileType};
use mapscope_formats::{Place, Severity};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::geometry::{Barrier, Corner, Placement};
use mapscope_scene::terrain::navigation::{
    Blocker, Cell, Domain, Footprint, NavigationGrid, Obstacle,
};
use mapscope_scene::{
    Document, InfoQuery, Item, OpenOptions, OverlayId, Pending, Playhead, Progress, SceneItem,
    Shown, Source, TerrainItem,
};
use mapscope_testdata::{shared, synthesize};

const CORNERS: [Corner; 4] = [
    Corner::NorthWest,
    Corner::NorthEast,
    Corner::SouthWest,
    Corner::SouthEast,
];

/// A flat map without problems.
fn level_map(rows: u32, cols: u32) -> Pfmap {
    let mut map = pfmap::read(&synthesize::pfmap(rows, cols, 3)).unwrap();
    let mut tile = Tile::default();
    tile.set(Field::Pathable, 1);
    map.tiles.fill(tile);
    map
}

fn tile_mut(map: &mut Pfmap, row: u32, col: u32) -> &mut Tile {
    let at = row * map.cols() + col;
    &mut map.tiles[at as usize]
}

/// A pseudorandom hash of a number.
fn pseudorandom(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x045d_9f3b);
    x = (x ^ x >> 16).wrapping_mul(0x045d_9f3b);
    x ^ x >> 16
}

/// A random map that exercises every rule of the grid.
fn random_map(seed: u32) -> Pfmap {
    let mut map = level_map(1, 2);
    for (tile, at) in map.tiles.iter_mut().zip(0_u32..) {
        let chance =
            |part: u32, below: u32| pseudorandom(at * 31 + part + seed * 1_000_003) % below;
        if chance(0, 3) == 0 {
            tile.kind = TileType::ALL[chance(1, 13) as usize];
            tile.ramp_height = chance(2, 4) as u8;
        }
        if chance(3, 5) == 0 {
            tile.base_height = chance(4, 5) as i8 - 3;
        }
        tile.set(Field::Pathable, i32::from(chance(5, 9) != 0));
    }
    map.bad_tiles = vec![(3, 4), (10, 40), (31, 63)];
    map
}

/// Size and first cell of each island, by a simple flood fill.
fn flood_fill(size: [u32; 2], is_open: impl Fn(Cell) -> bool) -> Vec<(u32, Cell)> {
    let [rows, cols] = size;
    let mut seen = BTreeSet::new();
    let mut islands = Vec::new();
    for row in 0..rows {
        for col in 0..cols {
            let first = Cell { row, col };
            if seen.contains(&first) || !is_open(first) {
                continue;
            }
            let mut cells = 0;
            let mut next = vec![first];
            seen.insert(first);
            while let Some(Cell { row, col }) = next.pop() {
                cells += 1;
                for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                    let beside = (row.checked_add_signed(down), col.checked_add_signed(right));
                    let (Some(row), Some(col)) = beside else {
                        continue;
                    };
                    let cell = Cell { row, col };
                    if row < rows && col < cols && is_open(cell) && seen.insert(cell) {
                        next.push(cell);
                    }
                }
            }
            islands.push((cells, first));
        }
    }
    islands.sort_by_key(|(cells, first)| (std::cmp::Reverse(*cells), *first));
    islands
}

/// `true` if ships or ground units can pass a cell, by a direct implementation of the documented
/// rules.
fn is_open(map: &Pfmap, domain: Domain, cell: Cell) -> bool {
    let (row, col) = cell.tile();
    let tile = map.tile(row, col).unwrap();
    if !map.is_read(row, col) {
        return false;
    }
    let [base, ramp] = [tile.base_height.into(), i32::from(tile.ramp_height)];
    let is_flat = tile.kind == TileType::Flat;
    let tile_is_open = tile.pathable()
        && match domain {
            Domain::Ground => base >= -1 && (is_flat || ramp <= 1),
            Domain::Water => base + ramp <= -1,
        };
    if !tile_is_open {
        let (level_corner, level) = match tile.kind {
            TileType::CornerConcaveSw => (Corner::SouthWest, base),
            TileType::CornerConcaveSe => (Corner::SouthEast, base),
            TileType::CornerConcaveNw => (Corner::NorthWest, base),
            TileType::CornerConcaveNe => (Corner::NorthEast, base),
            TileType::CornerConvexNe => (Corner::SouthWest, base + ramp),
            TileType::CornerConvexNw => (Corner::SouthEast, base + ramp),
            TileType::CornerConvexSe => (Corner::NorthWest, base + ramp),
            TileType::CornerConvexSw => (Corner::NorthEast, base + ramp),
            _ => return false,
        };
        let height = level * 4;
        let is_right = match domain {
            Domain::Ground => height >= -1,
            Domain::Water => height <= -1,
        };
        if cell.corner() != level_corner || !is_right {
            return false;
        }
    }
    Edge::ALL.into_iter().all(|edge| {
        let (down, right) = edge.step();
        let corner = cell.corner() as u32;
        let (south, east) = (corner / 2 == 1, corner % 2 == 1);
        let lies_along = match edge {
            Edge::North => !south,
            Edge::South => south,
            Edge::West => !east,
            Edge::East => east,
        };
        let beyond = (row.checked_add_signed(down), col.checked_add_signed(right));
        let (Some(row), Some(col)) = beyond else {
            return true;
        };
        let Some(other) = map.tile(row, col).filter(|_| map.is_read(row, col)) else {
            return true;
        };
        let is_cliff =
            is_flat && other.kind == TileType::Flat && i32::from(other.base_height) != base;
        lies_along || !is_cliff
    })
}

/// The ground cells of two maps match a text that another program made from the engine's rules.
#[test]
fn the_cells_of_two_maps_are_those_of_the_sheet() {
    for name in ["ramp", "regions"] {
        let file = |ending: &str| shared(&format!("samples/scenes/{name}.{ending}"));
        let (Some(map), Some(sheet)) = (file("pfmap"), file("nav.txt")) else {
            return;
        };
        let map = pfmap::read(&std::fs::read(map).unwrap()).unwrap();
        let grid = NavigationGrid::of(&map, &[]);
        let sheet = std::fs::read_to_string(sheet).unwrap();
        let [rows, cols] = grid.size();
        assert_eq!(sheet.lines().count(), rows as usize);
        for (row, line) in (0..).zip(sheet.lines()) {
            assert_eq!(line.len(), cols as usize);
            for (col, cell) in (0..).zip(line.chars()) {
                let obstacle = grid.obstacle(&map, Domain::Ground, Cell { row, col });
                assert_eq!(obstacle.is_some(), cell == '1', "{name}: {row},{col}");
            }
        }
    }
}

#[test]
fn islands_are_those_of_a_flood_fill() {
    for seed in 0..8 {
        let map = random_map(seed);
        let grid = NavigationGrid::of(&map, &[]);
        let ground = grid.islands(Domain::Ground);
        assert_eq!(grid.size(), [64, 128]);
        let expected = flood_fill(grid.size(), |cell| is_open(&map, Domain::Ground, cell));
        let found: Vec<_> = ground.list.iter().map(|i| (i.cells, i.first)).collect();
        assert_eq!(found, expected, "seed {seed}");
        assert!(found.len() > 20 && found[0].0 > 100, "seed {seed} is dull");
        let mut reasons = BTreeSet::new();
        for row in 0..64 {
            for col in 0..128 {
                let cell = Cell { row, col };
                let obstacle = grid.obstacle(&map, Domain::Ground, cell);
                let expected = is_open(&map, Domain::Ground, cell);
                assert_eq!(obstacle.is_none(), expected, "{cell:?}");
                assert_eq!(obstacle.is_none(), ground.at(cell).is_some(), "{cell:?}");
                reasons.extend(obstacle.map(Obstacle::name));
            }
        }
        let all = [
            "cliff at the opposite edge",
            "could not be read",
            "not pathable",
            "slope over 1 level",
            "too deep",
        ];
        assert!(reasons.iter().eq(&all), "{reasons:?}");
        let expected = flood_fill(grid.size(), |cell| is_open(&map, Domain::Water, cell));
        let water = &grid.islands(Domain::Water).list;
        let found: Vec<_> = water.iter().map(|i| (i.cells, i.first)).collect();
        assert_eq!(found, expected, "seed {seed}: water");
    }
}

/// The border of an island is where a step leaves it, and its tiles are those of its cells.
#[test]
fn borders_are_where_islands_end() {
    let map = random_map(3);
    let grid = NavigationGrid::of(&map, &[]);
    let ground = grid.islands(Domain::Ground);
    for island in 0..ground.list.len() {
        let mut expected = BTreeSet::new();
        let mut tiles = BTreeSet::new();
        for row in 0..64 {
            for col in 0..128 {
                let cell = Cell { row, col };
                if ground.at(cell) != Some(island) {
                    continue;
                }
                tiles.insert(cell.tile());
                for edge in Edge::ALL {
                    let (down, right) = edge.step();
                    let beside = row
                        .checked_add_signed(down)
                        .zip(col.checked_add_signed(right));
                    let beyond = beside.and_then(|(row, col)| ground.at(Cell { row, col }));
                    if beyond != Some(island) {
                        expected.insert((cell, edge as u8));
                    }
                }
            }
        }
        let found: Vec<_> = ground.border(island).collect();
        let distinct: BTreeSet<_> = found
            .iter()
            .map(|(cell, edge)| (*cell, *edge as u8))
            .collect();
        assert_eq!(found.len(), distinct.len(), "twice");
        assert_eq!(distinct, expected);
        let [rows, cols] = ground.tiles_of(island).unwrap();
        let of = |side: fn(&(u32, u32)) -> u32| {
            let sides = || tiles.iter().map(side);
            sides().min().unwrap()..sides().max().unwrap() + 1
        };
        assert_eq!([rows, cols], [of(|at| at.0), of(|at| at.1)]);
    }
    assert_eq!(ground.tiles_of(ground.list.len()), None);
}

#[test]
fn a_wall_of_any_kind_makes_an_island() {
    type Build = fn(&mut Tile);
    // With the expected islands: cliffs block the far half of the tiles along the wall.
    let [plain, cliffs]: [&[u32]; 2] = [&[22 * 128, 9 * 128], &[21 * 128, 8 * 128, 64, 64]];
    let walls: [(&str, &[u32], Build); 4] = [
        ("not pathable", plain, |tile| tile.set(Field::Pathable, 0)),
        ("too deep", cliffs, |tile| tile.base_height = -2),
        ("slope over 1 level", plain, |tile| {
            tile.kind = TileType::RampSn;
            tile.ramp_height = 2;
        }),
        ("cliff at the opposite edge", cliffs, |tile| {
            tile.base_height = 1;
        }),
    ];
    for (reason, expected, build) in walls {
        let mut map = level_map(1, 1);
        for col in 0..32 {
            build(tile_mut(&mut map, 9, col));
        }
        let grid = NavigationGrid::of(&map, &[]);
        let ground = grid.islands(Domain::Ground);
        let sizes: Vec<u32> = ground.list.iter().map(|island| island.cells).collect();
        assert_eq!(sizes, expected, "{reason}");
        let cell = Cell { row: 18, col: 5 };
        let obstacle = grid.obstacle(&map, Domain::Ground, cell).unwrap();
        assert_eq!(obstacle.name(), reason);
        let others: u32 = expected[1..].iter().sum();
        assert_eq!(ground.cut_off(), u64::from(others), "{reason}");
    }
}

#[test]
fn of_many_islands_the_legend_has_those_that_have_a_colour_of_their_own() {
    let mut map = level_map(1, 1);
    for at in [3, 7, 11, 15, 19, 23, 27] {
        for col in 0..32 {
            tile_mut(&mut map, at, col).set(Field::Pathable, 0);
        }
    }
    let legend = |map: &Pfmap| {
        let source = Source {
            path: "islands.pfmap".into(),
            bytes: pfmap::write(map).into(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&source, &options, &progress).unwrap();
        let mut shown = Shown::default();
        let offered = document.about().overlays;
        shown.overlays.set(offered, OverlayId::Navigation, true);
        let mut legends = document.legends(&shown).into_iter();
        let legend = legends.find(|legend| legend.title == "Navigation");
        legend.unwrap().entries
    };
    let entries = legend(&map);
    let more = entries
        .iter()
        .find(|entry| entry.label.contains("more"))
        .unwrap();
    assert_eq!(more.label, "2 more islands, 768 cells, in repeated colours");
    assert_eq!(more.color, None, "they have several");
    let colored: BTreeSet<[u8; 3]> = entries.iter().filter_map(|entry| entry.color).collect();
    assert_eq!(colored.len(), entries.len() - 1, "{entries:?}");
}

/// An entity that blocks the cells of a footprint.
fn blocker(name: &str, index: u32, footprint: Footprint) -> Blocker {
    Blocker {
        item: SceneItem::Entity { index }.into(),
        name: name.to_owned(),
        footprint,
    }
}

fn placement(map: &Pfmap) -> Placement {
    Placement {
        rows: map.rows(),
        cols: map.cols(),
    }
}

/// World X and Z of a position in cells, east and south of the north-west corner.
fn at_cell(map: &Pfmap, east: f32, south: f32) -> Vec2 {
    let world = placement(map).world(east / 2.0, south / 2.0, 0.0);
    Vec2::new(world.x, world.z)
}

/// Cells of a grid that an entity blocks.
fn blocked_cells(map: &Pfmap, footprint: Footprint) -> Vec<(u32, u32)> {
    let grid = NavigationGrid::of(map, &[blocker("rock", 7, footprint)]);
    let [rows, cols] = grid.size();
    let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| Cell { row, col }));
    let blocked: Vec<_> = cells
        .filter(|cell| {
            let obstacle = grid.obstacle(map, Domain::Ground, *cell);
            assert!(
                matches!(obstacle, None | Some(Obstacle::Entity(0))),
                "{obstacle:?}"
            );
            obstacle.is_some()
        })
        .map(|cell| (cell.row, cell.col))
        .collect();
    assert_eq!(grid.blocked_by_entities(), blocked.len() as u64);
    blocked
}

#[test]
fn an_entity_blocks_the_cells_that_it_covers() {
    let map = level_map(1, 1);
    let corners = |points: &[(f32, f32)]| {
        let points: Vec<Vec2> = points.iter().map(|(x, y)| at_cell(&map, *x, *y)).collect();
        Footprint::around(&points)
    };
    // A footprint that only touches a cell does not block it.
    let square = corners(&[(4.0, 6.0), (6.0, 6.0), (6.0, 7.0), (4.0, 7.0), (5.0, 6.5)]);
    assert_eq!(blocked_cells(&map, square), [(6, 4), (6, 5)]);
    // Rotated by 45 degrees: the corners of its bounding box stay free.
    let turned = corners(&[(10.5, 8.2), (12.8, 10.5), (10.5, 12.8), (8.2, 10.5)]);
    let cells = blocked_cells(&map, turned);
    let expected: Vec<(u32, u32)> = (8..13_u32)
        .flat_map(|row| (8..13_u32).map(move |col| (row, col)))
        .filter(|(row, col)| row.abs_diff(10) + col.abs_diff(10) <= 3)
        .collect();
    assert_eq!(cells, expected);
    let circle = |east, south, radius| Footprint::Circle {
        center: at_cell(&map, east, south),
        radius,
    };
    assert_eq!(blocked_cells(&map, circle(3.5, 3.5, 1.9)), [(3, 3)]);
    let plus = [(2, 3), (3, 2), (3, 3), (3, 4), (4, 3)];
    assert_eq!(blocked_cells(&map, circle(3.5, 3.5, 2.4)), plus);
    // Half off the map, far off the map, and without a position.
    assert_eq!(blocked_cells(&map, circle(0.0, 0.0, 3.9)), [(0, 0)]);
    let off = corners(&[(-90.0, 3.0), (-80.0, 3.0), (-80.0, 9.0)]);
    assert_eq!(blocked_cells(&map, off), []);
    for far in [f32::NAN, f32::INFINITY] {
        let nowhere = Footprint::Circle {
            center: Vec2::new(far, 0.0),
            radius: 9.0,
        };
        assert_eq!(blocked_cells(&map, nowhere), []);
    }
    let all = Footprint::Circle {
        center: Vec2::ZERO,
        radius: 1e30,
    };
    assert_eq!(blocked_cells(&map, all).len(), 64 * 64);
    assert_eq!(blocked_cells(&map, Footprint::around(&[])), []);
}

#[test]
fn entities_without_end_are_left_out() {
    let map = level_map(1, 1);
    let all = Footprint::Circle {
        center: Vec2::ZERO,
        radius: 1e30,
    };
    let many = vec![blocker("moon", 0, all); 100_000];
    let grid = NavigationGrid::of(&map, &many);
    assert_eq!(grid.left_out(), 100_000 - (1 << 20) / (64 * 64));
    assert_eq!(grid.islands(Domain::Ground).passable(), 0);
}

/// The shader codes of all cells match the grid.
#[test]
fn codes_are_those_of_the_grid() {
    let map = random_map(5);
    let circle = Footprint::Circle {
        center: at_cell(&map, 40.0, 30.0),
        radius: 30.0,
    };
    let grid = NavigationGrid::of(&map, &[blocker("tower", 0, circle)]);
    let ground = grid.islands(Domain::Ground);
    let codes = grid.codes(4);
    assert_eq!(codes.len(), map.tiles.len());
    let mut seen = BTreeSet::new();
    for row in 0..32 {
        for col in 0..64 {
            for corner in CORNERS {
                let cell = Cell::in_tile(row, col, corner);
                assert_eq!((cell.tile(), cell.corner()), ((row, col), corner));
                let code = codes[(row * 64 + col) as usize].to_le_bytes()[corner as usize];
                let expected = match (ground.at(cell), grid.obstacle(&map, Domain::Ground, cell)) {
                    (Some(0), _) => 0,
                    (Some(island), _) => 1 + (island - 1) % 3,
                    (None, Some(Obstacle::Entity(_))) => 5,
                    (None, _) => 4,
                };
                assert_eq!(usize::from(code), expected, "{cell:?}");
                seen.insert(code);
            }
        }
    }
    assert!(seen.into_iter().eq(0..6));
}

// ---- Descriptions --------------------------------------------------------------------------

fn property(document: &dyn Document, item: Item, name: &str) -> (String, Option<Item>) {
    let groups = document.properties(item, Playhead::default());
    let mut properties = groups.into_iter().flat_map(|group| group.properties);
    let found = properties.find(|property| property.name == name);
    found.map_or_else(Default::default, |found| (found.value, found.link))
}

/// A map as a document, with valid modes and flags of its tiles.
fn document(map: &Pfmap) -> Arc<Terrain> {
    let source = Source {
        path: "a.pfmap".into(),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    let mut map = map.clone();
    for tile in &mut map.tiles {
        for edge in Edge::ALL {
            tile.set_blend(edge, BlendMode::None);
        }
    }
    let options = OpenOptions::default();
    Arc::new(Terrain::build(map, &source, &options, &Progress::default()).unwrap())
}

#[test]
fn the_islands_of_a_large_map_come_after_it() {
    // More than 2^20 tiles.
    let mut map = level_map(33, 32);
    for row in 0..map.rows() {
        tile_mut(&mut map, row, 500).set(Field::Pathable, 0);
    }
    let terrain = document(&map);
    let names = || -> Vec<String> {
        let outline = terrain.outline();
        outline.into_iter().map(|node| node.label).collect()
    };
    assert_eq!(names(), ["a.pfmap", "Materials", "Chunks"]);
    assert_eq!(terrain.pending(), Some(Pending::Relief));
    // A cancelled load completes nothing.
    terrain.load(&|| false, &|| panic!("nothing was to be made"));
    assert_eq!(terrain.pending(), Some(Pending::Relief));
    let revision = terrain.revision();
    terrain.load(&|| true, &|| {});
    assert_eq!(terrain.pending(), None);
    assert_ne!(terrain.revision(), revision);
    assert_eq!(names(), ["a.pfmap", "Materials", "Chunks", "Islands"]);
}

#[test]
fn a_tile_says_where_its_cells_lead_and_what_bars_them() {
    let mut map = level_map(1, 1);
    for col in 0..32 {
        tile_mut(&mut map, 9, col).set(Field::Pathable, 0);
    }
    let steep = tile_mut(&mut map, 20, 20);
    steep.kind = TileType::CornerConcaveSw;
    steep.ramp_height = 3;
    let terrain = document(&map);
    let tile = |row, col| Item::from(TerrainItem::Tile { row, col });
    let said = |row, col, name| property(&*terrain, tile(row, col), name);
    let large = Item::from(TerrainItem::Island { row: 20, col: 0 });
    let (text, link) = said(30, 2, "North-west cell");
    assert!(text.starts_with("open, island 1 of "), "{text}");
    assert_eq!(link, Some(large));
    assert_eq!(said(9, 2, "South-east cell").0, "blocked: not pathable");
    assert_eq!(
        [(30, 2), (9, 2), (20, 20)].map(|(row, col)| said(row, col, "Ground units").0),
        [
            "can walk",
            "cannot walk: not pathable",
            "can walk on 1 of 4 cells: slope over 1 level"
        ]
    );
    assert_eq!(
        said(20, 20, "North-east cell").0,
        "blocked: slope over 1 level"
    );
    assert!(said(20, 20, "South-west cell").0.starts_with("open"));
    assert_eq!(said(20, 20, "Ships").0, "");
    let (text, link) = said(3, 3, "South-west cell");
    assert_eq!(text, "open, island 2 of 1152 cells");
    let small = link.unwrap();
    assert_eq!(small, TerrainItem::Island { row: 0, col: 0 }.into());
    assert_eq!(
        property(&*terrain, small, "Tiles").0,
        "rows 0 to 8, columns 0 to 31"
    );
    assert_eq!(property(&*terrain, small, "Number").0, "2");

    let outline = terrain.outline();
    let islands = outline.iter().find(|line| line.label == "Islands").unwrap();
    assert_eq!(islands.note, "2");
    assert_eq!(islands.children[1].item, Some(small));
    let bounds = terrain.place(small, &Shown::default()).bounds.unwrap();
    assert_eq!([bounds.min.z, bounds.max.z], [-128.0, -128.0 + 9.0 * 8.0]);
    // A line for each of its border cells.
    assert_eq!(
        terrain.contour(small, &Shown::default()).len(),
        2 * (64 + 18)
    );

    let info = terrain.info(&InfoQuery {
        tile: Some((20, 20)),
        ..InfoQuery::default()
    });
    assert_eq!(info["navigation"]["cells"], 64 * 64);
    assert_eq!(info["navigation"]["ground"]["island_count"], 2);
    let small = &info["navigation"]["ground"]["islands"][1];
    assert_eq!(
        *small,
        serde_json::json!(
            {"island": 2, "cells": 1152, "tile": [0, 0], "x": 126.0, "z": -126.0}
        )
    );
    assert_eq!(info["navigation"]["ground"]["unreachable"], 1152);
    assert_eq!(info["navigation"]["water"]["passable"], 0);
    let cells = &info["tile"]["cells"];
    assert_eq!(cells["ne"]["blocked"], "slope over 1 level");
    assert_eq!(cells["sw"]["passable"], true);
    assert_eq!(cells["sw"]["island"], 1);
}

#[test]
fn ground_that_is_all_one_island_needs_no_list() {
    let terrain = document(&level_map(1, 1));
    let outline = terrain.outline();
    assert!(outline.iter().all(|line| line.label != "Islands"));
    let item = TerrainItem::Island { row: 99, col: 0 }.into();
    assert!(
        (&*terrain as &dyn Document)
            .properties(item, Playhead::default())
            .is_empty()
    );
    assert!(terrain.contour(item, &Shown::default()).is_empty());
}

/// Sizes and first cells of the islands of the engine's demo map, from an independent script.
#[test]
fn the_engines_demo_map_has_the_islands_that_a_script_counts() {
    let Some(path) = shared("corpus/permafrost/assets/maps/demo.pfmap") else {
        return;
    };
    let map = pfmap::read(&std::fs::read(path).unwrap()).unwrap();
    let grid = NavigationGrid::of(&map, &[]);
    let ground = grid.islands(Domain::Ground);
    assert_eq!((grid.cells(), ground.passable()), (65_536, 62_865));
    let found: Vec<_> = ground
        .list
        .iter()
        .map(|i| (i.cells, (i.first.row, i.first.col)))
        .collect();
    let expected = [
        (62_452, (0, 0)),
        (202, (64, 62)),
        (124, (69, 172)),
        (41, (56, 166)),
        (13, (88, 168)),
        (10, (125, 119)),
        (8, (64, 174)),
        (6, (120, 112)),
        (4, (122, 116)),
        (1, (111, 92)),
        (1, (112, 93)),
        (1, (115, 94)),
        (1, (123, 110)),
        (1, (125, 114)),
    ];
    assert_eq!(found, expected);
    let mut counts = std::collections::BTreeMap::new();
    for row in 0..256 {
        for col in 0..256 {
            if let Some(obstacle) = grid.obstacle(&map, Domain::Ground, Cell { row, col }) {
                *counts.entry(obstacle.name()).or_insert(0) += 1;
            }
        }
    }
    let expected = [(Barrier::Steep.name(), 1702), (Barrier::Deep.name(), 969)];
    assert!(counts.into_iter().eq(expected));
}

/// At the line of a material, and at the first tile of an island of at least one tile.
#[test]
fn unused_materials_and_unreachable_ground_are_noted() {
    let mut map = level_map(1, 1);
    map.materials.truncate(4);
    for (row, col) in [(0, 5), (1, 5), (5, 5)] {
        tile_mut(&mut map, row, col).side_material = 1;
    }
    map.splats = vec![
        pfmap::Splat { base: 0, accent: 2 },
        pfmap::Splat { base: 3, accent: 3 },
    ];
    // An enclosed area of two tiles, and a corner tile with a single walkable cell.
    for (row, col) in [(9, 9), (9, 10), (9, 11), (9, 12), (10, 9), (10, 12)] {
        tile_mut(&mut map, row, col).set(Field::Pathable, 0);
    }
    for (row, col) in [(11, 9), (11, 10), (11, 11), (11, 12)] {
        tile_mut(&mut map, row, col).set(Field::Pathable, 0);
    }
    let corner = tile_mut(&mut map, 20, 20);
    corner.kind = TileType::CornerConcaveSw;
    corner.ramp_height = 2;
    for (row, col) in [(20, 19), (21, 20)] {
        tile_mut(&mut map, row, col).set(Field::Pathable, 0);
    }
    let terrain = document(&map);
    let sizes: Vec<u32> = terrain
        .navigation()
        .islands(Domain::Ground)
        .list
        .iter()
        .skip(1)
        .map(|island| island.cells)
        .collect();
    assert_eq!(sizes, [8, 1]);
    let notes = terrain.notes();
    let said: Vec<_> = notes
        .iter()
        .map(|note| (note.rule.id, note.place))
        .collect();
    let place = |row, col| {
        let (line, column) = map.tile_place(row, col).unwrap();
        let column = column.into();
        Place::Text { line, column }
    };
    let (island, seam) = (place(10, 10), place(20, 20));
    let expected = [
        ("pfmap/unused-material", Place::line(map.materials[3].line)),
        ("pfmap/unreachable-ground", island),
        // The two raised edges of the corner.
        ("pfmap/seam", seam),
        ("pfmap/seam", seam),
    ];
    assert_eq!(said, expected);
    assert!(notes[1].facts().ends_with(" 8"), "{}", notes[1]);
    assert!(
        terrain
            .about()
            .problems
            .iter()
            .all(|p| p.severity != Severity::Note)
    );
    // Unreadable tiles may have used the material.
    map.bad_tiles = vec![(0, 0)];
    let rules = document(&map).notes();
    assert!(
        rules
            .iter()
            .all(|note| note.rule.id != "pfmap/unused-material")
    );
}

// ---- Slopes ----------------------------------------------------------------------------------

/// A rule, a tile, and the number of further occurrences.
type SlopeFault = (&'static str, (u32, u32), usize);

/// Notes of a map on slopes, and on seams.
fn slope_faults(terrain: &Terrain) -> [Vec<SlopeFault>; 2] {
    let notes = terrain.notes();
    let faults = |of_seams: bool| {
        let faults = notes.iter().filter_map(|it| match it.subject {
            mapscope_formats::Subject::Tile { row, col }
                if it.rule.id != UNREACHABLE && (it.rule.id == "pfmap/seam") == of_seams =>
            {
                Some((it.rule.id, (row, col), it.consequence_count()))
            }
            _ => None,
        });
        faults.collect()
    };
    [faults(false), faults(true)]
}

const UNREACHABLE: &str = "pfmap/unreachable-ground";

/// Two adjacent ramps at the south of a plateau: correct, and with each mistake.
#[test]
fn slopes_that_do_not_fit_are_found() {
    let lines = |terrain: &Terrain| {
        let mut shown = Shown::default();
        let offered = terrain.about().overlays;
        shown.overlays.set(offered, OverlayId::Seams, true);
        let mut lines = Vec::new();
        let annotations = terrain.annotations().unwrap();
        annotations.lines(&shown, &mut lines);
        lines.len()
    };
    let with = |build: &dyn Fn(&mut Tile)| {
        let mut map = level_map(1, 1);
        for (row, col) in (0..8).flat_map(|row| (0..32).map(move |col| (row, col))) {
            tile_mut(&mut map, row, col).base_height = 1;
        }
        for col in [3, 4] {
            let tile = tile_mut(&mut map, 8, col);
            tile.kind = TileType::RampSn;
            tile.ramp_height = 1;
            build(tile);
        }
        document(&map)
    };
    let right = with(&|_| ());
    assert_eq!(slope_faults(&right), [vec![], vec![]]);
    assert_eq!(lines(&right), 0);

    let seams = |tiles: &[(u32, u32)]| -> Vec<_> {
        tiles.iter().map(|at| ("pfmap/seam", *at, 0)).collect()
    };
    let reversed = with(&|tile| tile.kind = TileType::RampNs);
    let both = [(8, 3), (8, 4)];
    assert_eq!(
        slope_faults(&reversed),
        [
            vec![("pfmap/reversed-ramp", (8, 3), 1)],
            seams(&[both[0], both[0], both[1], both[1]])
        ]
    );
    assert_eq!(lines(&reversed), 4 * 4);
    let notes = reversed.notes();
    let seam = notes.iter().find(|it| it.rule.id == "pfmap/seam").unwrap();
    let target = reversed.problem_target(seam).unwrap();
    assert_eq!(target.overlay, Some(OverlayId::Seams));

    let flat = with(&|tile| tile.ramp_height = 0);
    let rule = "pfmap/slope-without-height";
    assert_eq!(
        slope_faults(&flat),
        [vec![(rule, (8, 3), 0), (rule, (8, 4), 0)], seams(&both)]
    );
    // A ramp of two levels ends a level above the plateau.
    let high = with(&|tile| tile.ramp_height = 2);
    assert_eq!(slope_faults(&high), [vec![], seams(&both)]);
    // All edges of a corner tile count: its south edge, both ends, and the edge between them.
    let corner = with(&|tile| tile.kind = TileType::CornerConvexSe);
    let [problems, notes] = slope_faults(&corner);
    assert_eq!((problems.len(), notes.len()), (0, 5));
}

/// A script counts 62 edges of slopes that do not meet in the engine's demo map, and no other
/// faults.
#[test]
fn the_engines_demo_map_has_the_seams_that_a_script_counts() {
    let Some(path) = shared("corpus/permafrost/assets/maps/demo.pfmap") else {
        return;
    };
    let terrain = document(&pfmap::read(&std::fs::read(path).unwrap()).unwrap());
    let [problems, notes] = slope_faults(&terrain);
    assert_eq!((problems.len(), notes.len()), (0, 62));
}
