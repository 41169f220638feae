//! Terrain: GPU and CPU compute the same shapes, faces are listed once and only where they can be
//! visible, memory stays within its limits, and picking matches the picture.

use mapscope_scene::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Vec2, Vec3, Vec4};
use image::RgbaImage;
use mapscope_formats::pfmap::{BlendMode, CHUNK_SIDE, CHUNK_TILES, Edge, Field, Tile, TileType};
use mapscope_formats::{Place, Severity};
use mapscope_render::{DrawStatistics, View, probe_tiles};
use mapscope_scene::camera::{
    Camera, FIELD_OF_VIEW_Y_RADIANS, Handedness, NamedView, Pose, Projection,
};
use mapscope_scene::terrain::geometry::{
    BORDER_LEVEL, Barrier, Corner, Half, LEVEL_HEIGHT, Shape, TILE_SIDE, half_material,
};
use mapscope_scene::terrain::navigation::{Blocker, Cell, Domain, Footprint, Obstacle, color_of};
use mapscope_scene::terrain::pack::{Faces, TileRecord};
use mapscope_scene::terrain::{Terrain, colors};
use mapscope_scene::{
    Aabb, Document, InfoQuery, Item, LegendEntry, OpenOptions, OverlayId, OverlaySet, Pending,
    Playhead, Progress, Ray, Shown, Source, TerrainItem,
};
use mapscope_testdata::{shared, synthesize};

use super::stage::{
    GRASS, MATERIALS, ROCK, SAND, SNOW, Stage, map_text, open, open_demo, open_map, small_device,
    terrain,
};

// ---- Maps ----------------------------------------------------------------------------------

fn tile(kind: TileType, base_height: i8, ramp_height: u8) -> Tile {
    let mut tile = Tile::default();
    tile.kind = kind;
    tile.base_height = base_height;
    tile.ramp_height = ramp_height;
    tile.top_material = GRASS;
    tile.side_material = ROCK;
    tile
}

fn tile_item(row: u32, col: u32) -> Item {
    TerrainItem::Tile { row, col }.into()
}

/// A pseudorandom hash for each tile and purpose.
fn hash(row: u32, col: u32, purpose: u32) -> u32 {
    let mut bits = row.wrapping_mul(0x9e37_79b1) ^ col.wrapping_mul(0x85eb_ca77) ^ purpose << 7;
    bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    bits = (bits ^ bits >> 12).wrapping_mul(0x297a_2d39);
    bits ^ bits >> 15
}

/// A tile of random type, height and material, unlike real maps.
fn random_tile(row: u32, col: u32) -> Tile {
    let any = |purpose, below: u32| hash(row, col, purpose) % below;
    let kind = TileType::ALL[any(1, 13) as usize];
    let mut tile = tile(kind, any(2, 12) as i8 - 4, any(3, 4) as u8);
    tile.top_material = any(4, 4) as u16;
    tile.side_material = any(5, 4) as u16;
    for digit in [14, 15, 17, 18, 19, 20] {
        let field = Field::of_char(digit).unwrap();
        tile.set(field, any(digit as u32, 2) as i32);
    }
    tile
}

/// Like [`random_tile`], but above water, and without shapes too steep to be visible from the side.
fn hilly_tile(row: u32, col: u32) -> Tile {
    let mut tile = random_tile(row / 3, col / 3);
    tile.base_height = (hash(row / 3, col / 3, 2) % 3) as i8;
    tile.ramp_height = tile.ramp_height.min(2);
    tile
}

fn chess_tile(row: u32, col: u32) -> Tile {
    tile(TileType::Flat, (row + col) as i8 % 2, 0)
}

/// Rises to the north and east, away from the sun: without shadows, and with different heights of
/// neighbours.
fn stair_tile(row: u32, col: u32) -> Tile {
    tile(TileType::Flat, (CHUNK_SIDE - 1 - row + col) as i8, 0)
}

/// Named maps for checks of face lists.
fn maps() -> Vec<(&'static str, Arc<dyn Document>)> {
    vec![
        ("demo", open_demo()),
        ("land", open("land.pfmap", synthesize::pfmap(2, 3, 5))),
        ("wild", open_map([2, 2], random_tile)),
        ("hills", open_map([1, 2], hilly_tile)),
        ("chess", open_map([1, 1], chess_tile)),
        ("stairs", open_map([1, 1], stair_tile)),
    ]
}

// ---- The shape of tiles --------------------------------------------------------------------

#[test]
fn the_gpu_makes_of_every_tile_what_the_cpu_does() {
    let bases = [-99, -4, -1, 0, 1, 7, 99];
    let ramps = [0, 1, 2, 9, 99];
    let tiles: Vec<Tile> = TileType::ALL
        .into_iter()
        .flat_map(|kind| bases.map(|base| (kind, base)))
        .flat_map(|(kind, base)| ramps.map(|ramp| tile(kind, base, ramp)))
        .flat_map(|tile| {
            let mut barred = tile;
            barred.set(Field::Pathable, 0);
            [tile, barred]
        })
        .collect();
    let document = open_map([1, 1], |row, col| {
        let at = (row * CHUNK_SIDE + col) as usize;
        tiles.get(at).copied().unwrap_or_default()
    });
    let terrain = terrain(&*document);
    let records: &[TileRecord] = &terrain.tiles()[..tiles.len()];
    let probes = probe_tiles(&Stage::get().gpu, records).unwrap();
    assert_eq!(probes.len(), tiles.len());

    let corners = [
        Corner::NorthWest,
        Corner::NorthEast,
        Corner::SouthWest,
        Corner::SouthEast,
    ];
    let halves = [Half::South, Half::North];
    let layers = &terrain.textures().layer_of_material;
    for (tile, probe) in tiles.iter().zip(&probes) {
        let shape = Shape::of(tile);
        let grid: [Vec2; 25] =
            std::array::from_fn(|i| Vec2::new((i % 5) as f32, (i / 5) as f32) / 4.0);
        assert_eq!(probe.levels, grid.map(|uv| shape.level_at(uv)), "{tile:?}");
        for (uv, half) in grid.into_iter().zip(probe.halves) {
            // Both halves include the cut.
            if uv.x != uv.y && uv.x + uv.y != 1.0 {
                assert_eq!(half, shape.half_at(uv) as u32, "{tile:?} at {uv}");
            }
        }
        for half in halves {
            let normal = Vec3::from(probe.normals[half as usize]);
            let expected = shape.normal(half);
            assert!(
                (normal - expected).length() < 1e-5,
                "{tile:?}: {normal} {expected}"
            );
            let layer = layers[usize::from(half_material(tile, half))];
            assert_eq!(
                probe.layers[half as usize],
                u32::from(layer),
                "{tile:?} {half:?}"
            );
        }
        let at_corners = corners.map(|corner| shape.halves_at(corner).map(|half| half as u32));
        assert_eq!(probe.halves_at, at_corners, "{tile:?}");
        let on_edges = Edge::ALL.map(|edge| (shape.half_on(edge) as u32) << edge as u32);
        assert_eq!(probe.halves_on, on_edges.iter().sum::<u32>(), "{tile:?}");
        assert_eq!(
            probe.edges,
            Edge::ALL.map(|edge| shape.edge(edge)),
            "{tile:?}"
        );
        let walkable = Barrier::of(tile).is_none();
        assert_eq!(probe.walkable != 0, walkable, "{tile:?}");
    }
}

/// A map of the corpus, if available.
pub(crate) fn corpus_map(name: &str) -> Option<Arc<dyn Document>> {
    let path = shared(&format!("corpus/permafrost/assets/maps/{name}"))?;
    let source = Source::read(&path).unwrap();
    Some(mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default()).unwrap())
}

#[test]
fn every_entity_of_the_game_stands_on_the_ground() {
    let Some(document) = corpus_map("demo.pfmap") else {
        return;
    };
    let scene = shared("corpus/permafrost/assets/maps/demo.pfscene").unwrap();
    let scene = std::fs::read_to_string(scene).unwrap();
    let mut inside_entity = false;
    let mut heights = Vec::new();
    for line in scene.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["entity", ..] => inside_entity = true,
            ["section", ..] => inside_entity = false,
            ["position", "vec3", x, y, z] if inside_entity => {
                heights.push([x, y, z].map(|number| number.parse::<f32>().unwrap()));
            }
            _ => {}
        }
    }
    assert_eq!(heights.len(), 388);
    assert!(heights.iter().filter(|[_, y, _]| *y != 0.0).count() > 300);
    for [x, y, z] in heights {
        let ground = terrain(&*document).height_at(x, z).unwrap();
        assert!((ground - y).abs() < 0.05, "at {x}, {z}: {ground}, not {y}");
    }
}

// ---- Lists of faces ------------------------------------------------------------------------

/// GPU bytes per tile, without textures.
fn bytes_per_tile(terrain: &Terrain) -> f64 {
    let packed = &terrain.relief().packed;
    let bytes = size_of_val(terrain.tiles().as_slice())
        + size_of_val(packed.rects.as_slice())
        + size_of_val(packed.tops.as_slice())
        + size_of_val(packed.sides.as_slice());
    bytes as f64 / terrain.tiles().len() as f64
}

#[test]
fn a_tile_takes_sixteen_bytes_at_most() {
    for (name, document) in maps() {
        let bytes = bytes_per_tile(terrain(&*document));
        println!("{name}: {bytes:.3} bytes a tile");
        assert!(bytes <= 16.0, "{name}: {bytes}");
    }
    // The largest map: each list fits the binding of 128 MiB that every device supports, even if
    // one list has all sixteen bytes.
    let tiles = 64 * 64 * u64::from(CHUNK_TILES);
    assert!(size_of::<TileRecord>() as u64 * tiles <= 128 << 20);
    assert!((16 - size_of::<TileRecord>() as u64) * tiles <= 128 << 20);
}

/// The side faces in a map's lists: row and column of their tile, and the edge.
fn listed_sides(terrain: &Terrain) -> Vec<(u32, u32, u8)> {
    let packed = &terrain.relief().packed;
    let chunk_cols = terrain.map().chunk_cols;
    let of_chunk = |(chunk, sides): (u32, &[u16])| {
        let origin = [chunk / chunk_cols, chunk % chunk_cols].map(|at| at * CHUNK_SIDE);
        let side = |side: &u16| {
            let (side, edge) = (u32::from(*side), (side >> 10) as u8);
            (origin[0] + (side >> 5 & 31), origin[1] + (side & 31), edge)
        };
        sides.iter().map(side).collect::<Vec<_>>()
    };
    let chunks = packed.chunks.iter().zip(0..).flat_map(|(chunk, i)| {
        let range = chunk.all.sides.start as usize..chunk.all.sides.end as usize;
        of_chunk((i, &packed.sides[range]))
    });
    chunks.collect()
}

#[test]
fn sides_are_listed_once_and_only_where_heights_differ() {
    for (name, document) in maps() {
        let terrain = terrain(&*document);
        let map = terrain.map();
        let mut expected = BTreeSet::new();
        let shape = |row, col| Shape::of(map.tile(row, col).unwrap());
        for row in 0..map.rows() {
            for col in 0..map.cols() {
                let own = shape(row, col);
                let [nw, ne, sw, se] = own.corners;
                let skirt = BORDER_LEVEL.min(own.lowest());
                let mut add = |edge: Edge, shows: bool| {
                    if shows {
                        expected.insert((row, col, edge as u8));
                    }
                };
                add(Edge::North, row == 0 && [nw, ne] != [skirt; 2]);
                add(Edge::West, col == 0 && [nw, sw] != [skirt; 2]);
                let south = if row + 1 < map.rows() {
                    let [nw, ne, ..] = shape(row + 1, col).corners;
                    [nw, ne]
                } else {
                    [skirt; 2]
                };
                add(Edge::South, [sw, se] != south);
                let east = if col + 1 < map.cols() {
                    let [nw, _, sw, _] = shape(row, col + 1).corners;
                    [nw, sw]
                } else {
                    [skirt; 2]
                };
                add(Edge::East, [ne, se] != east);
            }
        }
        let listed = listed_sides(terrain);
        let once: BTreeSet<_> = listed.iter().copied().collect();
        assert_eq!(once.len(), listed.len(), "{name}: a side is listed twice");
        assert!(
            once == expected,
            "{name}: sides that show and sides that are listed differ"
        );
        assert_eq!(
            terrain.relief().packed.sides.len(),
            listed.len(),
            "{name}: all are in a chunk"
        );
    }
}

/// Number of faces that cover each tile of a chunk, row by row.
fn covered(terrain: &Terrain, chunk: usize, faces: &Faces) -> Vec<u32> {
    let map = terrain.map();
    let packed = &terrain.relief().packed;
    let mut times = vec![0; CHUNK_TILES as usize];
    let origin = [chunk as u32 / map.chunk_cols, chunk as u32 % map.chunk_cols];
    let at = |row: u32, col: u32| {
        let [rows, cols] = origin.map(|at| at * CHUNK_SIDE);
        ((rows + row) * map.cols() + cols + col) as usize
    };
    for rect in &packed.rects[faces.rects.start as usize..faces.rects.end as usize] {
        let [col, row, more_cols, more_rows] = [0, 5, 10, 15].map(|bit| rect >> bit & 31);
        for r in row..=row + more_rows {
            for c in col..=col + more_cols {
                times[(r * CHUNK_SIDE + c) as usize] += 1;
                assert_eq!(
                    terrain.tiles()[at(r, c)],
                    terrain.tiles()[at(row, col)],
                    "all are alike"
                );
                let shape = Shape::of(&map.tiles[at(r, c)]);
                assert_eq!(shape.lowest(), shape.highest(), "all are level");
            }
        }
    }
    for tops in &faces.tops {
        for top in &packed.tops[tops.start as usize..tops.end as usize] {
            times[usize::from(*top)] += 1;
        }
    }
    times
}

#[test]
fn every_tile_is_covered_once() {
    for (name, document) in maps() {
        let terrain = terrain(&*document);
        for (i, chunk) in terrain.relief().packed.chunks.iter().enumerate() {
            let times = covered(terrain, i, &chunk.all);
            assert!(times.iter().all(|times| *times == 1), "{name}, chunk {i}");
            let mut in_blocks = vec![0; times.len()];
            for block in &chunk.blocks {
                for (sum, times) in in_blocks.iter_mut().zip(covered(terrain, i, block)) {
                    *sum += times;
                }
            }
            assert!(in_blocks == times, "{name}, chunk {i}: the same in blocks");
            let tops: usize = chunk.all.tops.iter().map(ExactSizeIterator::len).sum();
            assert_eq!(chunk.all.all_tops().len(), tops, "{name}, chunk {i}");
        }
    }
}

// ---- Picking -------------------------------------------------------------------------------

/// Points that cover a unit square evenly.
fn spread(count: u32) -> impl Iterator<Item = Vec2> {
    (0..count).map(|i| Vec2::new(i as f32 * 0.754_877_7, i as f32 * 0.569_840_3).fract())
}

/// Distance at which a ray from above first reaches the ground, in small steps. The ground ends in
/// a skirt around the map; a ray that enters below the skirt misses it.
fn march(terrain: &Terrain, ray: Ray) -> Option<f32> {
    const STEP: f32 = 0.02;
    let [low, high] = terrain.levels().map(|level| level as f32 * LEVEL_HEIGHT);
    let low = low.min(BORDER_LEVEL as f32 * LEVEL_HEIGHT);
    let mut t = ((high + 0.1 - ray.origin.y) / ray.direction.y.min(-1e-6)).max(0.0);
    let end = (low - 0.1 - ray.origin.y) / ray.direction.y.min(-1e-6);
    let mut is_inside = false;
    while t < end {
        let point = ray.origin + ray.direction * t;
        if let Some((row, col, uv)) = terrain.placement().tile_at(point.x, point.z) {
            let shape = Shape::of(terrain.map().tile(row, col).unwrap());
            let bottom = shape.skirt_bottom() as f32 * LEVEL_HEIGHT;
            if !is_inside && point.y < bottom - 0.05 {
                return None;
            }
            is_inside = true;
            if point.y <= shape.level_at(uv) * LEVEL_HEIGHT {
                return Some(t);
            }
        }
        t += STEP;
    }
    None
}

/// Compares picking with marching along the ray. Returns `true` if both found the same position.
fn check_pick(document: &dyn Document, ray: Ray, name: &str) -> bool {
    let terrain = terrain(document);
    let marched = march(terrain, ray);
    let picked = document.pick(ray, &Shown::default());
    let (Some(marched), Some(hit)) = (marched, picked) else {
        assert_eq!(
            marched.is_some(),
            picked.is_some(),
            "{name}: {ray:?} {picked:?} {marched:?}"
        );
        return false;
    };
    let point = ray.origin + ray.direction * hit.distance;
    assert!((point - hit.position).length() < 0.02, "{name}: {hit:?}");
    let at = terrain.placement().tiles(hit.position.x, hit.position.z);
    let (row, col) = terrain.tile_rc(hit.item).unwrap();
    let inside = at - Vec2::new(col as f32, row as f32);
    assert!(
        inside.cmpgt(Vec2::splat(-0.01)).all() && inside.cmplt(Vec2::splat(1.01)).all(),
        "{name}: {hit:?} is not on its tile: {inside}"
    );
    // The steps may miss an edge that the ray only grazes. Then the hit is closer, and on the
    // ground.
    let shape = Shape::of(terrain.map().tile(row, col).unwrap());
    let ground = shape.level_at(inside.clamp(Vec2::ZERO, Vec2::ONE)) * LEVEL_HEIGHT;
    assert!(
        hit.position.y <= ground + 0.02,
        "{name}: {hit:?} is above the ground at {ground}"
    );
    assert!(
        hit.distance <= marched + 0.02,
        "{name}: {ray:?} {hit:?} {marched}"
    );
    marched - hit.distance < 0.1
}

#[test]
fn a_ray_hits_what_it_first_runs_into() {
    let mut maps = vec![
        ("demo", open_demo()),
        ("wild", open_map([2, 2], random_tile)),
    ];
    maps.extend(corpus_map("demo.pfmap").map(|map| ("demo of the game", map)));
    for (name, document) in &maps {
        let bounds = document.about().bounds;
        let mut hits = 0;
        for (from, to) in spread(400).zip(spread(800).skip(400)) {
            let size = bounds.max - bounds.min;
            let place = |at: Vec2, y| {
                bounds.min + Vec3::new(at.x * size.x, y - bounds.min.y, at.y * size.z)
            };
            // From inside and outside, from just above the hills and from high up.
            let from = (from - 0.5) * 1.4 + 0.5;
            let origin = place(
                from,
                bounds.max.y + 3.0 + 200.0 * (from.x * 7.0).rem_euclid(1.0),
            );
            let target = place(to, bounds.min.y + 2.0);
            let direction = (target - origin).normalize();
            hits += u32::from(check_pick(&**document, Ray { origin, direction }, name));
        }
        assert!(hits > 350, "{name}: {hits} hits");
    }
}

#[test]
fn picking_agrees_with_both_projections() {
    let document = open_demo();
    for projection in [Projection::Perspective, Projection::Orthographic] {
        for view in NamedView::ALL {
            let mut camera =
                Camera::framing(document.about().bounds, view, Handedness::Mirrored, 1.5);
            camera.projection = projection;
            let name = format!("{} {projection:?}", view.name());
            let hits = spread(60)
                .filter(|at| check_pick(&*document, camera.ray_in_world(*at, 1.5), &name))
                .count();
            assert!(hits > 10, "{name}: {hits} hits");
        }
    }
}

#[test]
fn straight_down_is_the_tile_below() {
    let document = open_map([1, 1], random_tile);
    let terrain = terrain(&*document);
    for row in 0..CHUNK_SIDE {
        for col in 0..CHUNK_SIDE {
            let origin = terrain
                .placement()
                .world(col as f32 + 0.3, row as f32 + 0.4, 50.0);
            let ray = Ray {
                origin,
                direction: Vec3::NEG_Y,
            };
            let hit = document.pick(ray, &Shown::default()).unwrap();
            assert_eq!(hit.item, tile_item(row, col));
            let ground = terrain.height_at(origin.x, origin.z).unwrap();
            assert!((hit.position.y - ground).abs() < 1e-3, "{hit:?} {ground}");
        }
    }
}

#[test]
fn sides_and_the_skirt_are_hit_as_their_tiles() {
    let document = open_map([1, 1], |row, col| {
        tile(
            TileType::Flat,
            if (row, col) == (10, 20) { 5 } else { 0 },
            0,
        )
    });
    let terrain = terrain(&*document);
    let placement = terrain.placement();
    let inward = |edge: Edge| {
        let (rows, cols) = edge.step();
        // East is -X, south is +Z.
        Vec3::new(cols as f32, 0.0, -rows as f32)
    };
    for edge in Edge::ALL {
        let direction = inward(edge);
        // Toward the tower from far outside the map, above the surrounding ground.
        let center = placement.world(20.5, 10.5, 2.5);
        let hit = document
            .pick(
                Ray {
                    origin: center - direction * 600.0,
                    direction,
                },
                &Shown::default(),
            )
            .unwrap();
        assert_eq!(hit.item, tile_item(10, 20), "{edge:?}");
        let expected = center - direction * TILE_SIDE / 2.0;
        assert!(
            (hit.position - expected).length() < 0.01,
            "{edge:?}: {hit:?}"
        );
        // Over the ground and past the tower.
        let beside = placement.world(5.5, 5.5, 2.5);
        assert_eq!(
            document.pick(
                Ray {
                    origin: beside - direction * 600.0,
                    direction
                },
                &Shown::default()
            ),
            None
        );
        // The skirt reaches down to level -1.
        let below = placement.world(5.5, 5.5, -0.5);
        let hit = document
            .pick(
                Ray {
                    origin: below - direction * 600.0,
                    direction,
                },
                &Shown::default(),
            )
            .unwrap();
        let expected = match edge {
            Edge::North => (0, 5),
            Edge::South => (CHUNK_SIDE - 1, 5),
            Edge::West => (5, 0),
            Edge::East => (5, CHUNK_SIDE - 1),
        };
        assert_eq!(hit.item, tile_item(expected.0, expected.1), "{edge:?}");
        let deeper = placement.world(5.5, 5.5, -1.5);
        assert_eq!(
            document.pick(
                Ray {
                    origin: deeper - direction * 600.0,
                    direction
                },
                &Shown::default()
            ),
            None
        );
    }
    let up = Ray {
        origin: Vec3::new(0.0, 10.0, 0.0),
        direction: Vec3::Y,
    };
    assert_eq!(document.pick(up, &Shown::default()), None);
}

#[test]
fn below_the_skirt_nothing_is_hit() {
    // A lake in the middle, deeper than the border anywhere.
    let lake = 12..20;
    let document = open_map([1, 1], |row, col| {
        let is_lake = lake.contains(&row) && lake.contains(&col);
        tile(TileType::Flat, if is_lake { -3 } else { 0 }, 0)
    });
    let placement = terrain(&*document).placement();
    let pick = |from: Vec3, to: Vec3| {
        let direction = (to - from).normalize();
        let ray = Ray {
            origin: from,
            direction,
        };
        document.pick(ray, &Shown::default())
    };
    for at in [4.5, 16.5, 31.5] {
        for level in [-1.5, -2.0, -2.9] {
            // From the north, and down onto the ground of the lake from the west.
            let from = placement.world(at, -20.0, level);
            assert_eq!(pick(from, placement.world(at, 40.0, level)), None);
            let from = placement.world(-20.0, at, level + 2.0);
            assert_eq!(pick(from, placement.world(0.0, at, level)), None);
        }
        let above = pick(
            placement.world(at, -20.0, -0.9),
            placement.world(at, 40.0, -0.9),
        );
        assert!(above.is_some(), "the skirt itself");
    }
}

#[test]
fn the_skirt_is_no_ground() {
    let document = open_map([1, 2], |_, col| {
        tile(TileType::Flat, if col < CHUNK_SIDE { 5 } else { 7 }, 0)
    });
    assert_eq!(terrain(&*document).levels(), [5, 7]);
    let notes = notes_below(&*document, "Chunks");
    assert_eq!(notes, ["levels 5 to 5", "levels 7 to 7"]);
    let chunk = TerrainItem::Chunk { row: 0, col: 0 }.into();
    assert_eq!(property(&*document, chunk, "Levels"), "5 to 5");
    assert_eq!(property(&*document, chunk, "Below the water"), "no");
    assert_eq!(
        property(&*document, chunk, "In the file"),
        "lines 10 to 265"
    );
    let labels = legend_labels(&*document, OverlayId::Height);
    assert_eq!(labels, ["Level 5, y 20", "Level 6, y 24", "Level 7, y 28"]);
    // The bounds include the skirt.
    assert_eq!(document.about().bounds.min.y, -LEVEL_HEIGHT);

    let level = open_map([1, 1], |_, _| tile(TileType::Flat, 0, 0));
    assert_eq!(legend_labels(&*level, OverlayId::Height), ["Level 0, y 0"]);
    assert!(!terrain(&*level).relief().packed.chunks[0].has_water);
    let high = open_map([1, 1], |row, col| {
        tile(TileType::Flat, (row + col) as i8 - 9, 0)
    });
    let labels = legend_labels(&*high, OverlayId::Height);
    assert_eq!(labels.len(), 10);
    assert_eq!(
        [&labels[0], &labels[9]],
        ["Level -9, y -36", "Level 53, y 212"]
    );
}

// ---- Descriptions --------------------------------------------------------------------------

fn material(index: u16) -> Item {
    let index = index.into();
    TerrainItem::Material { index }.into()
}

/// The notes of the lines below a heading of the outline.
fn notes_below(document: &dyn Document, heading: &str) -> Vec<String> {
    let mut outline = document.outline().into_iter();
    let heading = outline.find(|node| node.label == heading).unwrap();
    let notes = heading.children.into_iter().map(|node| node.note);
    notes.collect()
}

/// The legend of an overlay when only that overlay is on.
fn legend(document: &dyn Document, id: OverlayId) -> Vec<LegendEntry> {
    let shown = Shown {
        overlays: overlay(document, id),
        ..Shown::default()
    };
    let legends = document.legends(&shown).into_iter();
    legends.flat_map(|legend| legend.entries).collect()
}

fn legend_labels(document: &dyn Document, id: OverlayId) -> Vec<String> {
    let entries = legend(document, id).into_iter();
    entries.map(|entry| entry.label).collect()
}

/// The value of a property; empty if it does not exist.
fn property(document: &dyn Document, item: Item, name: &str) -> String {
    let groups = document.properties(item, Playhead::default());
    let mut properties = groups.into_iter().flat_map(|group| group.properties);
    let found = properties.find(|property| property.name == name);
    found.map(|property| property.value).unwrap_or_default()
}

/// A map that ends after 20 rows. Three tiles of its first row are malformed.
fn broken_map() -> Arc<dyn Document> {
    let ramp = |_, _| tile(TileType::RampSn, 2, 1);
    let text = map_text([1, 1], &MATERIALS, &[], ramp);
    let first = text.lines().position(|line| line.starts_with('1')).unwrap();
    let mut lines: Vec<&str> = text.lines().take(first + 20 * 8).collect();
    let odd = "1+0201000001101001111000 F+0500002001101001111000 \
               1+0301000003 1+0:01000001101001111000";
    lines[first] = odd;
    lines.push("");
    open("broken.pfmap", lines.join("\n"))
}

#[test]
fn what_is_not_in_the_file_is_not_made_up() {
    let document = broken_map();
    let terrain = terrain(&*document);
    let info = |row, col| {
        let query = InfoQuery {
            tile: Some((row, col)),
            heights: [(row, col)]
                .map(|(row, col)| {
                    let at = terrain
                        .placement()
                        .world(col as f32 + 0.5, row as f32 + 0.5, 0.0);
                    (at.x, at.z)
                })
                .to_vec(),
            ..InfoQuery::default()
        };
        serde_json::Value::Object(document.info(&query))
    };
    let [good, typeless, short, engine, missing] =
        [(1, 0), (0, 1), (0, 2), (0, 3), (25, 7)].map(|(row, col)| info(row, col));
    let tiles = &good["tiles"];
    assert_eq!(tiles["count"], 20 * 32 - 2);
    assert_eq!(
        (&tiles["unreadable"], &tiles["missing"]),
        (&2.into(), &(12 * 32).into())
    );
    assert_eq!(
        (&tiles["by_type"]["flat"], &tiles["by_type"]["ramp_sn"]),
        (&0.into(), &638.into())
    );
    for (value, readable, is_missing, raw) in [
        (&good, true, false, Some("1+0201000001100001111000")),
        (&typeless, false, false, Some("F+0500002001101001111000")),
        (&short, false, false, Some("1+0301000003")),
        (&engine, true, false, Some("1+0:01000001101001111000")),
        (&missing, false, true, None),
    ] {
        let tile = &value["tile"];
        assert_eq!(tile["readable"], readable, "{tile}");
        assert_eq!(tile["missing"], is_missing, "{tile}");
        assert_eq!(
            tile["raw"].as_str().map(str::len),
            raw.map(str::len),
            "{tile}"
        );
        assert_eq!(value["heights"][0]["y"].is_null(), !readable, "{value}");
        assert_eq!(tile["corners"].is_null(), !readable, "{tile}");
        assert_eq!(tile["type"].is_null(), !readable, "{tile}");
    }
    assert_eq!(typeless["tile"]["raw"], "F+0500002001101001111000");
    assert_eq!(typeless["tile"]["base_height"], 5);
    assert_eq!(typeless["tile"]["top_material"], 2);
    assert_eq!(short["tile"]["raw"], "1+0301000003");
    assert!(short["tile"]["base_height"].is_null() && missing["tile"]["pathable"].is_null());
    // The code of `:` minus that of `0` is 10.
    assert_eq!(engine["tile"]["raw"], "1+0:01000001101001111000");
    assert_eq!(engine["tile"]["base_height"], 10);

    let of = |row, col, name: &str| property(&*document, tile_item(row, col), name);
    assert_eq!(of(0, 1, "Characters"), "F+0500002001101001111000");
    assert_eq!(
        (of(0, 1, "State"), of(0, 1, "Type")),
        ("unreadable".into(), "unknown".into())
    );
    assert_eq!(
        (of(0, 1, "Base height"), of(0, 1, "Ground units")),
        ("5".into(), "unknown".into())
    );
    assert!(of(0, 1, "Top material").starts_with("2 "));
    assert_eq!(
        (of(0, 2, "Characters"), of(0, 2, "Base height")),
        ("1+0301000003".into(), String::new())
    );
    assert_eq!(of(0, 2, "In the file"), "line 10, column 51");
    assert!(of(0, 3, "State").contains("what the engine reads"));
    assert_eq!(of(25, 7, "In the file"), "missing: the file ends before it");
    assert_eq!(
        (of(25, 7, "State"), of(25, 7, "Characters")),
        ("missing".into(), String::new())
    );
    assert_eq!(
        (of(25, 7, "Centre"), of(1, 0, "State")),
        (String::new(), String::new())
    );

    let kind_in_status = |row, col| {
        let parts = document.summary(tile_item(row, col), &Shown::default());
        parts
            .into_iter()
            .find(|part| part.name == "Type")
            .unwrap()
            .value
    };
    assert_eq!(
        [(0, 1), (0, 3), (20, 0)].map(|(row, col)| kind_in_status(row, col)),
        ["unreadable", "ramp_sn", "missing"]
    );
    let kinds = &document.about().kinds;
    let counted = |name: &str| kinds.iter().find(|kind| kind.name == name).unwrap();
    assert_eq!((counted("ramp_sn").count, counted("flat").count), (638, 0));
    for (name, count, first) in [("unreadable", 2, (0, 1)), ("missing", 384, (20, 0))] {
        let kind = counted(name);
        assert_eq!(kind.count, count);
        let next = document.next_of_kind(kind.item, None, false);
        assert_eq!(next, Some(tile_item(first.0, first.1)), "{name}");
    }
    assert_eq!(
        document.outline()[0].note,
        "2 unreadable, 384 missing, 32 rows, 32 columns"
    );
    assert_eq!(
        notes_below(&*document, "Chunks"),
        ["2 unreadable, 384 missing, levels 2 to 11"]
    );
    let labels = legend_labels(&*document, OverlayId::TileTypes);
    assert_eq!(labels[13..], ["? unreadable (2)", "- missing (384)"]);
    assert!(open_map([1, 1], chess_tile).about().kinds.len() == 13);
}

#[test]
fn materials_are_stepped_through_and_framed() {
    let at = [(3, 4), (3, 9), (20, 7)];
    let document = open_map([1, 1], |row, col| {
        let mut tile = tile(TileType::Flat, (row / 8) as i8, 0);
        if at.contains(&(row, col)) {
            tile.top_material = SAND;
        }
        tile
    });
    let terrain = terrain(&*document);
    let [first, second, third] = at.map(|(row, col)| tile_item(row, col));
    for (after, backwards, expected) in [
        (None, false, first),
        (Some(first), false, second),
        (Some(third), false, first),
        (Some(tile_item(3, 5)), false, second),
        (None, true, third),
        (Some(first), true, third),
    ] {
        let next = document.next_of_kind(material(SAND), after, backwards);
        assert_eq!(next, Some(expected), "{after:?} {backwards}");
    }
    // No tile has it on top, but all have it at their sides.
    let next = document.next_of_kind(material(ROCK), Some(first), false);
    assert_eq!(next, Some(tile_item(3, 5)));
    assert_eq!(document.next_of_kind(material(SNOW), None, false), None);
    let bounds = |item| document.place(item, &Shown::default()).bounds;
    let placement = terrain.placement();
    let corners = [
        placement.world(4.0, 3.0, 0.0),
        placement.world(10.0, 21.0, 2.0),
    ];
    assert_eq!(bounds(material(SAND)), Aabb::around(corners));
    assert_eq!(bounds(material(SNOW)), None);
}

// ---- Pictures ------------------------------------------------------------------------------

fn view(pose: &str) -> View {
    View::plain(Camera::new(pose.parse().unwrap(), Handedness::Mirrored))
}

fn overlay(document: &dyn Document, id: OverlayId) -> OverlaySet {
    let mut overlays = OverlaySet::default();
    overlays.set(document.about().overlays, id, true);
    assert!(overlays.contains(id));
    overlays
}

#[test]
fn what_is_not_in_view_is_not_drawn() {
    let document = open_demo();
    let mut stage = Stage::get();
    let mut triangles = |pose: &str| {
        let (_, statistics) = stage.draw(Some(&*document), &view(pose), [160, 90]);
        statistics
    };
    // Inward from the middle of the southern border, outward, aside, and up.
    let inward = triangles("0,60,520,0,30,400");
    let outward = triangles("0,60,520,0,30,640");
    let aside = triangles("0,60,520,200,30,520");
    let sky = DrawStatistics {
        triangles: 1,
        draw_calls: 1,
        ..DrawStatistics::default()
    };
    assert_eq!(outward, sky);
    assert_eq!(triangles("0,60,0,0,200,1"), sky);
    assert!(
        aside.triangles > 1 && aside.triangles < inward.triangles,
        "{aside:?} {inward:?}"
    );
    assert!(aside.draw_calls < inward.draw_calls);
    // From the middle of the map, a good part of it is behind the camera.
    let packed = &terrain(&*document).relief().packed;
    let all = packed.rects.len() * 2 + packed.tops.len() * 8 + packed.sides.len() * 2;
    for pose in ["0,40,0,0,30,-100", "0,40,0,0,30,100", "0,40,0,100,30,0"] {
        let seen = triangles(pose).triangles;
        assert!(
            seen > 1000 && seen < all as u64 * 2 / 3,
            "{pose}: {seen} of {all}"
        );
    }
}

#[test]
fn a_map_that_is_too_large_for_one_binding_looks_the_same() {
    // In bands of 3, 3 and 1 rows of chunks, with their neighbours.
    let row_bytes = 2 * u64::from(CHUNK_TILES) * size_of::<TileRecord>() as u64;
    let mut small = Stage::on(small_device(row_bytes * 5));
    let maps = [
        open_map([7, 2], random_tile),
        open_map([7, 2], hilly_tile),
        open_map([7, 2], chess_tile),
    ];
    let size = [160, 120];
    let ids = [
        None,
        Some(OverlayId::TileTypes),
        Some(OverlayId::Navigation),
        Some(OverlayId::TileGrid),
    ];
    for document in maps {
        // Near and far, and at the borders of bands.
        let poses = [
            "0,60,-300,0,0,-200",
            "60,200,-150,0,0,20",
            "0,900,-1500,0,0,0",
            "100,2600,10,0,0,0",
        ];
        for (pose, id) in poses.into_iter().flat_map(|pose| ids.map(|id| (pose, id))) {
            let mut view = view(pose);
            if let Some(id) = id {
                view.shown.overlays = overlay(&*document, id);
            }
            let (expected, whole) = Stage::get().draw(Some(&*document), &view, size);
            let (drawn, in_bands) = small.draw(Some(&*document), &view, size);
            assert!(drawn == expected, "{pose}, {id:?}");
            assert_eq!(in_bands.triangles, whole.triangles, "{pose}");
            assert!(whole.triangles > 1, "{pose} shows nothing");
        }
    }
    let wide = open_map([3, 4], chess_tile);
    let renderer = mapscope_render::Renderer::new(&small.gpu);
    let error = renderer.upload(&small.gpu, &*wide).unwrap_err().to_string();
    assert!(error.contains("a row of chunks"), "{error}");
}

#[test]
fn a_large_map_is_coarse_until_its_faces_are_there() {
    // More than 2^20 tiles.
    let text = synthesize::pfmap(33, 32, 5);
    let document = open("large.pfmap", &text);
    let size = [160, 120];
    let [far, near] = ["0,6000,-6000,0,0,0", "0,60,-300,0,0,-200"].map(view);
    let mut stage = Stage::get();
    let mut data = stage.upload_without_deferred(&*document);
    let mut draw = |stage: &mut Stage, view: &View| {
        let drawn = stage.draw_scene(Some((&mut data, &*document)), view, size);
        (drawn, data.gpu_bytes())
    };
    let ((coarse_far, _), coarse_bytes) = draw(&mut stage, &far);
    let ((coarse_near, _), _) = draw(&mut stage, &near);
    assert_eq!(document.pending(), Some(Pending::Relief));
    let before = document.cpu_bytes();
    document.wait_until_complete();
    assert_eq!(document.pending(), None);
    assert!(document.cpu_bytes() > before + (1 << 20));
    let ((fine_far, _), fine_bytes) = draw(&mut stage, &far);
    let ((fine_near, _), _) = draw(&mut stage, &near);
    // From afar it lacks only shadows; from nearby it is the same ground without sides.
    let sum = |image: &RgbaImage| -> u64 { image.iter().map(|byte| u64::from(*byte)).sum() };
    assert!(coarse_near != fine_near);
    for (coarse, fine) in [(&coarse_far, &fine_far), (&coarse_near, &fine_near)] {
        let [coarse, fine] = [coarse, fine].map(sum);
        assert!(coarse.abs_diff(fine) < fine / 20, "{coarse} and {fine}");
    }
    // The completed map equals one that is uploaded completely.
    let mut whole = stage.upload(&*document);
    assert!(fine_bytes > coarse_bytes);
    for (view, drawn) in [(&far, fine_far), (&near, fine_near)] {
        let (expected, _) = stage.draw_scene(Some((&mut whole, &*document)), view, size);
        assert!(drawn == expected);
    }
    assert_eq!(whole.gpu_bytes(), fine_bytes);
}

/// Index of the legend colour with the most similar hue, independently of brightness.
fn nearest_hue(color: Vec3, legend: &[LegendEntry]) -> usize {
    let likeness = |entry: &LegendEntry| {
        let entry = Vec3::from(entry.color.unwrap().map(f32::from));
        entry.normalize().dot(color.normalize())
    };
    let best = legend
        .iter()
        .enumerate()
        .max_by(|a, b| likeness(a.1).total_cmp(&likeness(b.1)));
    best.unwrap().0
}

fn pixel(picture: &RgbaImage, at: [u32; 2]) -> Vec3 {
    let [r, g, b, _] = picture.get_pixel(at[0], at[1]).0;
    Vec3::from([r, g, b].map(f32::from))
}

/// Cameras on all sides of a map: near enough for textures, at medium distance, and far enough that
/// its chunks are drawn as grids. The last number is the distance, 1 for a view of the whole map.
fn cameras(document: &dyn Document, aspect: f32) -> Vec<(String, Camera, f32)> {
    let mut cameras = Vec::new();
    for named in NamedView::ALL {
        for projection in [Projection::Perspective, Projection::Orthographic] {
            for distance in [0.3, 0.6, 2.0] {
                let mut camera =
                    Camera::framing(document.about().bounds, named, Handedness::Mirrored, aspect);
                camera.projection = projection;
                let back = camera.pose.eye - camera.pose.target;
                camera.pose.eye = camera.pose.target + back * distance;
                let name = format!("{} {projection:?} {distance}", named.name());
                cameras.push((name, camera, distance));
            }
        }
    }
    cameras
}

/// In every picture, each pixel has the colour of the tile that picking finds there: positions,
/// directions, occlusion and culling agree.
#[test]
fn the_picture_shows_what_picking_finds() {
    let document = open_map([1, 1], hilly_tile);
    let terrain = terrain(&*document);
    let size = [320, 240];
    let aspect = 320.0 / 240.0;
    let legend = legend(&*document, OverlayId::TileTypes);
    let mut stage = Stage::get();
    for (name, camera, distance) in cameras(&*document, aspect) {
        let mut view = View::plain(camera);
        view.shown.overlays = overlay(&*document, OverlayId::TileTypes);
        let (picture, _) = stage.draw(Some(&*document), &view, size);
        let kind_at = |x: f32, y: f32| {
            let at = Vec2::new(x / size[0] as f32, y / size[1] as f32);
            let hit = document.pick(camera.ray_in_world(at, aspect), &Shown::default())?;
            let (row, col) = terrain.tile_rc(hit.item)?;
            Some(terrain.map().tile(row, col)?.kind)
        };
        let mut compared = 0;
        let mut different = 0;
        for y in (2..size[1] - 2).step_by(3) {
            for x in (2..size[0] - 2).step_by(3) {
                let center = [x as f32 + 0.5, y as f32 + 0.5];
                let Some(kind) = kind_at(center[0], center[1]) else {
                    continue;
                };
                // Away from the visible edges.
                let around = [[-1.5, 0.0], [1.5, 0.0], [0.0, -1.5], [0.0, 1.5]];
                if around
                    .iter()
                    .any(|d| kind_at(center[0] + d[0], center[1] + d[1]) != Some(kind))
                {
                    continue;
                }
                compared += 1;
                different +=
                    u32::from(nearest_hue(pixel(&picture, [x, y]), &legend) != kind as usize);
            }
        }
        println!("{name}: {different} of {compared} differ");
        assert!(compared > 50, "{name}: {compared} compared");
        // Sides may be thinner than the compared pixels, and grids are only similar to the ground.
        let allowed = compared / if distance > 1.0 { 5 } else { 1000 };
        assert!(different <= allowed, "{name}: {different} of {compared}");
    }
}

/// In the top view, north is up and west is left, and heights have the colours of the legend.
#[test]
fn the_top_view_is_the_file_as_it_is_written() {
    // A different height in each quarter.
    let height = |row: u32, col: u32| [[0, 3], [6, 9]][(row / 16) as usize][(col / 16) as usize];
    let document = open_map([1, 1], |row, col| tile(TileType::Flat, height(row, col), 0));
    let mut camera = Camera::framing(
        document.about().bounds,
        NamedView::Top,
        Handedness::Mirrored,
        1.0,
    );
    camera.projection = Projection::Orthographic;
    let mut view = View::plain(camera);
    view.shown.overlays = overlay(&*document, OverlayId::Height);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, [200, 200]);
    let legend = legend(&*document, OverlayId::Height);
    let expected = |level: i32| {
        let label = format!("Level {level},");
        let entry = legend.iter().find(|entry| entry.label.starts_with(&label));
        Vec3::from(entry.unwrap().color.unwrap().map(f32::from))
    };
    for (x, y, level) in [(60, 60, 0), (140, 60, 3), (60, 140, 6), (140, 140, 9)] {
        let found = pixel(&picture, [x, y]).normalize();
        let expected = expected(level).normalize();
        assert!(
            found.dot(expected) > 0.999,
            "level {level}: {found} {expected}"
        );
    }
}

/// The overlay paints the tiles red that the inspector reports as not walkable for ground units.
/// Unreadable tiles are neither.
#[test]
fn the_pathable_overlay_and_the_inspector_agree() {
    let document = open_map([1, 1], |row, col| {
        let mut tile = random_tile(row, col);
        let pathable = !hash(row, col, 12).is_multiple_of(5);
        tile.set(Field::Pathable, pathable.into());
        tile
    });
    let terrain = terrain(&*document);
    let mut camera = Camera::framing(
        document.about().bounds,
        NamedView::Top,
        Handedness::Mirrored,
        1.0,
    );
    camera.projection = Projection::Orthographic;
    let mut view = View::plain(camera);
    view.shown.overlays = overlay(&*document, OverlayId::Pathable);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, [640, 640]);
    let mut reasons = BTreeSet::new();
    for row in 0..CHUNK_SIDE {
        for col in 0..CHUNK_SIDE {
            let tile = terrain.map().tile(row, col).unwrap();
            let level = Shape::of(tile).level_at(Vec2::new(0.3, 0.4));
            let place = terrain
                .placement()
                .world(col as f32 + 0.3, row as f32 + 0.4, level);
            let at = camera.project(place, 1.0).unwrap() * 640.0;
            let color = pixel(&picture, [at.x as u32, at.y as u32]);
            let barrier = Barrier::of(tile);
            assert_eq!(color.x > color.y, barrier.is_some(), "{tile:?}: {color}");
            let item = tile_item(row, col);
            let said = property(&*document, item, "Ground units");
            match barrier {
                Some(barrier) => assert!(said.ends_with(barrier.name()), "{tile:?}: {said}"),
                None => assert!(
                    said == "can walk" || said.ends_with("cliff at the opposite edge"),
                    "{tile:?}: {said}"
                ),
            }
            reasons.extend(barrier.map(Barrier::name));
            // The flag is reported as in the file.
            let flag = if tile.pathable() { "yes" } else { "no" };
            assert_eq!(property(&*document, item, "Pathable"), flag);
        }
    }
    let expected = ["not pathable", "slope over 1 level", "too deep"];
    assert!(reasons.into_iter().eq(expected));
}

/// In the centre of each cell, the navigation overlay matches the grid.
#[test]
fn the_navigation_overlay_and_the_grid_agree() {
    let folder = tempfile::tempdir().unwrap();
    let paint = image::Rgba([90, 120, 70, 255]);
    let image = RgbaImage::from_pixel(256, 256, paint);
    image.save(folder.path().join("paint.png")).unwrap();
    let text = map_text([1, 1], &["paint.png"], &[], |row, col| {
        let base = if hash(row, col, 13).is_multiple_of(11) {
            -2
        } else {
            0
        };
        let mut tile = Tile::default();
        tile.base_height = base;
        let is_open = !hash(row, col, 12).is_multiple_of(3);
        tile.set(Field::Pathable, is_open.into());
        tile
    });
    let map = mapscope_formats::pfmap::read(text.as_bytes()).unwrap();
    let source = Source {
        path: folder.path().join("land.pfmap"),
        bytes: Bytes::new(),
        embedded: &[],
        archive: None,
    };
    let options = OpenOptions::default();
    let mut land = Terrain::build(map, &source, &options, &Progress::default()).unwrap();
    land.set_blockers(vec![Blocker {
        item: tile_item(0, 0),
        name: "tower".to_owned(),
        footprint: Footprint::Circle {
            center: Vec2::new(30.0, 10.0),
            radius: 30.0,
        },
    }]);
    let document: Arc<dyn Document> = Arc::new(land);
    let land = terrain(&*document);
    let mut camera = Camera::framing(
        document.about().bounds,
        NamedView::Top,
        Handedness::Mirrored,
        1.0,
    );
    camera.projection = Projection::Orthographic;
    let mut view = View::plain(camera);
    view.shown.overlays = overlay(&*document, OverlayId::Navigation);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, [1600, 1600]);
    let albedo = Vec4::from(paint.0.map(f32::from)).truncate();
    let grid = land.navigation();
    let ground = grid.islands(Domain::Ground);
    let codes = colors::ISLANDS.len();
    let marks = [&colors::ISLANDS[..], &colors::BLOCKED_CELLS].concat();
    // Shade of flat ground in the light of overlays.
    let shade = 0.45 + 0.55 * Vec3::new(0.5, 0.75, 0.3).normalize().y;
    let mut seen = BTreeSet::new();
    for row in 0..CHUNK_SIDE * 2 {
        for col in 0..CHUNK_SIDE * 2 {
            let cell = Cell { row, col };
            let (tile_row, tile_col) = cell.tile();
            let tile = land.map().tile(tile_row, tile_col).unwrap();
            let middle = cell.middle();
            let level = f32::from(tile.base_height);
            let place = land.placement().world(middle.x, middle.y, level);
            let at = camera.project(place, 1.0).unwrap() * 1600.0;
            let at = [at.x as u32, at.y as u32];
            let island = ground.at(cell);
            let obstacle = grid.obstacle(land.map(), Domain::Ground, cell);
            let (code, stripe) = match (island, obstacle) {
                (Some(island), _) => (color_of(island, codes), 1.0),
                (None, Some(Obstacle::Entity(_))) => (codes + 1, 0.65),
                (None, _) => (codes, 0.65),
            };
            let mark = Vec3::from(marks[code]) * 255.0;
            let expected = albedo.lerp(mark, 0.6) * stripe * shade;
            let color = pixel(&picture, at);
            assert!(
                color.distance(expected) < 4.0,
                "{cell:?}, {code}: {color} {expected}"
            );
            seen.insert(code);
        }
    }
    assert!(seen.into_iter().eq(0..codes + 2));
}

/// For unreadable tiles and highlighted ones.
#[test]
fn what_could_not_be_read_has_a_color_of_its_own() {
    let document = broken_map();
    let mut camera = Camera::framing(
        document.about().bounds,
        NamedView::Top,
        Handedness::Mirrored,
        1.0,
    );
    camera.projection = Projection::Orthographic;
    for id in [OverlayId::TileTypes, OverlayId::Pathable, OverlayId::Height] {
        let mut view = View::plain(camera);
        view.shown.overlays = overlay(&*document, id);
        let (picture, _) = Stage::get().draw(Some(&*document), &view, [200, 200]);
        let [magenta, _] = count_magenta_and_black(&picture);
        // 12 of 32 rows of a map that fills nearly the whole picture.
        assert!((9_000..16_000).contains(&magenta), "{id}: {magenta}");
    }
    let mut view = View::plain(camera);
    let plain = Stage::get().draw(Some(&*document), &view, [200, 200]).0;
    view.shown.selected = Some(tile_item(5, 5));
    view.shown.highlighted = Some(TerrainItem::TileType { class: 1 }.into());
    let stepping = Stage::get().draw(Some(&*document), &view, [200, 200]).0;
    let changed = |at: [u32; 2]| (pixel(&plain, at) - pixel(&stepping, at)).length() > 20.0;
    assert!(
        changed([100, 60]),
        "others of the kind that is stepped through stay bright"
    );
}

// ---- Blending ------------------------------------------------------------------------------

/// Colours with alpha that no blend of others produces, dark enough for the light.
const PAINTS: [[u8; 4]; 10] = [
    [200, 20, 10, 255],
    [15, 190, 40, 255],
    [30, 25, 195, 255],
    [180, 170, 5, 255],
    [5, 160, 170, 255],
    [150, 10, 140, 255],
    [90, 90, 85, 255],
    [10, 15, 20, 255],
    [185, 95, 60, 255],
    [120, 195, 110, 255],
];

/// A map of one chunk with materials of uniform colours.
fn painted(
    paints: &[[u8; 4]],
    splats: &[[u32; 2]],
    tile: impl Fn(u32, u32) -> Tile,
) -> Arc<dyn Document> {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..paints.len()).map(|i| format!("paint{i}.png")).collect();
    for (name, paint) in names.iter().zip(paints) {
        let image = RgbaImage::from_pixel(256, 256, image::Rgba(*paint));
        image.save(folder.path().join(name)).unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = map_text([1, 1], &names, splats, tile);
    open(folder.path().join("painted.pfmap"), text)
}

/// A tile of random type and materials, above the water. In the north are crossing valleys where
/// eight materials meet.
fn steep_tile(row: u32, col: u32) -> Tile {
    if row < 6 {
        let (kind, [top, side]) = [
            (TileType::CornerConcaveSw, [4, 1]),
            (TileType::CornerConcaveSe, [2, 8]),
            (TileType::CornerConcaveNw, [0, 5]),
            (TileType::CornerConcaveNe, [9, 6]),
        ][(row % 2 * 2 + col % 2) as usize];
        let mut tile = tile(kind, 0, 2);
        tile.top_material = top;
        tile.side_material = side;
        return tile;
    }
    let any = |purpose, below: u32| hash(row, col, purpose) % below;
    let kind = TileType::ALL[any(1, 13) as usize];
    let mut tile = tile(kind, any(2, 4) as i8, any(3, 4) as u8);
    tile.top_material = any(4, PAINTS.len() as u32) as u16;
    tile.side_material = any(5, PAINTS.len() as u32) as u16;
    tile
}

/// Sets random blend modes of edges, below `modes`. Field H is 0, so the modes of edges apply.
fn with_modes(mut tile: Tile, row: u32, col: u32, modes: u32) -> Tile {
    for digit in 17..=20 {
        let field = Field::of_char(digit).unwrap();
        tile.set(field, (hash(row, col, digit as u32) % modes) as i32);
    }
    tile.set(Field::BlendMode, 0);
    tile
}

/// Pixels along a tile's side in the pictures of painted maps.
const TILE_PIXELS: u32 = 16;

/// A view of a map of one chunk straight from above, with its size in pixels.
fn plan_view(document: &dyn Document) -> (View, [u32; 2]) {
    let mut camera = Camera::framing(
        document.about().bounds,
        NamedView::Top,
        Handedness::Mirrored,
        1.0,
    );
    camera.projection = Projection::Orthographic;
    let half = CHUNK_SIDE as f32 * TILE_SIDE * 0.5;
    let distance = half / (FIELD_OF_VIEW_Y_RADIANS * 0.5).tan();
    camera.pose.target = Vec3::ZERO;
    camera.pose.eye = Vec3::Y * distance;
    (View::plain(camera), [CHUNK_SIDE * TILE_PIXELS; 2])
}

/// Tile and position in the tile of each pixel of a [`plan_view`], except for pixels on a diagonal,
/// which may belong to either triangle.
fn plan_pixels() -> impl Iterator<Item = ([u32; 2], [u32; 2], Vec2)> {
    let side = CHUNK_SIDE * TILE_PIXELS;
    let all = (0..side).flat_map(move |y| (0..side).map(move |x| [x, y]));
    all.filter_map(|[x, y]| {
        let [u, v] = [x, y].map(|at| at % TILE_PIXELS);
        let uv = (Vec2::new(u as f32, v as f32) + 0.5) / TILE_PIXELS as f32;
        let tile = [y / TILE_PIXELS, x / TILE_PIXELS];
        (u != v && u + v != TILE_PIXELS - 1).then_some(([x, y], tile, uv))
    })
}

/// An independent implementation of fact sheet A5 and A8: the blend at a position on a tile's top.
struct Blend<'a>(&'a Terrain);

impl Blend<'_> {
    fn tile(&self, row: i64, col: i64) -> Option<&Tile> {
        let (row, col) = (u32::try_from(row).ok()?, u32::try_from(col).ok()?);
        self.0.map().tile(row, col)
    }

    /// The materials of `tri0`, the southern triangle, and `tri1`.
    fn triangles(tile: &Tile) -> [u16; 2] {
        let sloped = match tile.kind as u8 {
            1..=4 => [true, true],
            6 | 8 | 9 | 11 => [true, false],
            5 | 7 | 10 | 12 => [false, true],
            _ => [false, false],
        };
        sloped.map(|sloped| {
            if sloped && tile.ramp_height > 1 {
                tile.side_material
            } else {
                tile.top_material
            }
        })
    }

    /// `true` if the triangles meet from north-west to south-east.
    fn is_cut_down(tile: &Tile) -> bool {
        matches!(tile.kind as u8, 5 | 6 | 11 | 12)
    }

    fn on_edge(tile: &Tile, edge: Edge) -> u16 {
        let [t0, t1] = Self::triangles(tile);
        match (Self::is_cut_down(tile), edge) {
            (_, Edge::North) | (false, Edge::West) | (true, Edge::East) => t1,
            (_, Edge::South) | (false, Edge::East) | (true, Edge::West) => t0,
        }
    }

    fn at_corner(tile: &Tile, corner: Corner) -> [u16; 2] {
        let [t0, t1] = Self::triangles(tile);
        match (Self::is_cut_down(tile), corner) {
            (false, Corner::NorthWest) | (true, Corner::NorthEast) => [t1, t1],
            (false, Corner::SouthEast) | (true, Corner::SouthWest) => [t0, t0],
            _ => [t0, t1],
        }
    }

    /// The edges of a position's quadrant: western or eastern, and northern or southern; and the
    /// one that its triangle touches.
    fn edges(uv: Vec2) -> (Edge, Edge, Edge) {
        let x = if uv.x < 0.5 { Edge::West } else { Edge::East };
        let y = if uv.y < 0.5 { Edge::North } else { Edge::South };
        let from_middle = (uv - 0.5).abs();
        (x, y, if from_middle.x > from_middle.y { x } else { y })
    }

    /// Materials and their weights, without spills.
    fn weights(&self, [row, col]: [u32; 2], uv: Vec2) -> BTreeMap<u16, f32> {
        let (row, col) = (i64::from(row), i64::from(col));
        let own = self.tile(row, col).unwrap();
        let (edge_x, edge_y, edge) = Self::edges(uv);
        if own.blend(edge) != BlendMode::Blur {
            return BTreeMap::from([(Self::on_edge(own, edge), 1.0)]);
        }
        let east = if edge_x == Edge::East { 1 } else { -1 };
        let south = if edge_y == Edge::South { 1 } else { -1 };
        let (tile_x, tile_y) = (self.tile(row, col + east), self.tile(row + south, col));
        let tile_xy = self.tile(row + south, col + east);
        let corner = |south: bool, east: bool| match (south, east) {
            (false, false) => Corner::NorthWest,
            (false, true) => Corner::NorthEast,
            (true, false) => Corner::SouthWest,
            (true, true) => Corner::SouthEast,
        };
        let (is_south, is_east) = (south > 0, east > 0);

        let [own_x, own_y] = [edge_x, edge_y].map(|edge| Self::on_edge(own, edge));
        let other_x = tile_x.map_or(own_x, |t| Self::on_edge(t, edge_x.opposite()));
        let other_y = tile_y.map_or(own_y, |t| Self::on_edge(t, edge_y.opposite()));
        let pair = if tile_x.is_some() {
            [own_x, other_x]
        } else {
            [own_y, other_y]
        };
        let at_corner = [
            Self::at_corner(own, corner(is_south, is_east)),
            tile_x.map_or([own_x; 2], |t| {
                Self::at_corner(t, corner(is_south, !is_east))
            }),
            tile_y.map_or([own_y; 2], |t| {
                Self::at_corner(t, corner(!is_south, is_east))
            }),
            tile_xy.map_or(pair, |t| Self::at_corner(t, corner(!is_south, !is_east))),
        ];
        let toward = (uv - 0.5).abs() * 2.0;
        let points = [
            (
                Self::triangles(own).to_vec(),
                (1.0 - toward.x) * (1.0 - toward.y),
            ),
            (vec![own_x, other_x], toward.x * (1.0 - toward.y)),
            (vec![own_y, other_y], (1.0 - toward.x) * toward.y),
            (at_corner.concat(), toward.x * toward.y),
        ];
        let mut weights = BTreeMap::new();
        for (samples, weight) in points {
            for sample in &samples {
                *weights.entry(*sample).or_insert(0.0) += weight / samples.len() as f32;
            }
        }
        weights
    }

    /// The material that spills in across an edge.
    fn spills(&self, [row, col]: [u32; 2], edge: Edge) -> Option<u16> {
        let (rows, cols) = edge.step();
        let (row, col) = (i64::from(row), i64::from(col));
        let own = Self::on_edge(self.tile(row, col).unwrap(), edge);
        let other = self.tile(row + i64::from(rows), col + i64::from(cols))?;
        let facing = edge.opposite();
        let over = Self::on_edge(other, facing);
        (other.blend(facing) == BlendMode::Edge && over > own).then_some(over)
    }
}

/// The blended colour with alpha, 0 to 255.
fn mixed_paint(weights: &BTreeMap<u16, f32>, paints: &[[u8; 4]]) -> Vec4 {
    let paint = |i: u16| Vec4::from(paints[usize::from(i)].map(f32::from));
    weights.iter().map(|(i, weight)| paint(*i) * *weight).sum()
}

/// Nine control points with eight samples at each corner, for any number of materials and any
/// combination of blurred edges.
#[test]
fn every_place_of_a_top_is_the_mix_of_its_control_points() {
    let document = painted(&PAINTS, &[], |row, col| {
        with_modes(steep_tile(row, col), row, col, 2)
    });
    let (mut view, size) = plan_view(&*document);
    view.shown.overlays = overlay(&*document, OverlayId::Unlit);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, size);
    let blend = Blend(terrain(&*document));
    let mut seen = [0; 9];
    for (at, tile, uv) in plan_pixels() {
        let weights = blend.weights(tile, uv);
        seen[weights.len()] += 1;
        let expected = mixed_paint(&weights, &PAINTS).truncate();
        let apart = (pixel(&picture, at) - expected).abs().max_element();
        assert!(
            apart < 2.0,
            "tile {tile:?} at {uv}: {}, not {expected}: {weights:?}",
            pixel(&picture, at)
        );
    }
    println!("pixels by how many materials they are mixed of: {seen:?}");
    assert!(seen[1..].iter().all(|count| *count > 100), "{seen:?}");
}

/// A seam appears if the neighbour requests it and has the higher index, whatever the tile's own
/// mode. It is ragged, between 6 % and 42 % of a tile wide.
#[test]
fn a_higher_material_spills_in_where_the_neighbors_edge_says_so() {
    let document = painted(&PAINTS, &[], |row, col| {
        with_modes(steep_tile(row, col), row, col, 3)
    });
    let (mut view, size) = plan_view(&*document);
    view.shown.overlays = overlay(&*document, OverlayId::Unlit);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, size);
    let terrain = terrain(&*document);
    let blend = Blend(terrain);
    // Numbers of pixels that a neighbour spills over, by the tile's own mode there.
    let mut spilled = [0; 3];
    for (at, tile, uv) in plan_pixels() {
        let (edge_x, edge_y, edge) = Blend::edges(uv);
        let is = |weights: &BTreeMap<u16, f32>| {
            let expected = mixed_paint(weights, &PAINTS).truncate();
            (pixel(&picture, at) - expected).abs().max_element() < 2.0
        };
        let near =
            |edge: Edge, distance: f32| blend.spills(tile, edge).map(|over| (over, distance));
        let from_edges = 0.5 - (uv - 0.5).abs();
        let overs = [near(edge_x, from_edges.x), near(edge_y, from_edges.y)];
        let spills = overs
            .into_iter()
            .flatten()
            .filter(|(_, distance)| *distance < 0.43);
        let must = overs
            .into_iter()
            .flatten()
            .any(|(_, distance)| distance < 0.059);
        let over = spills
            .map(|(over, _)| over)
            .find(|over| is(&BTreeMap::from([(*over, 1.0)])));
        let own = blend.weights(tile, uv);
        assert!(
            over.is_some() || !must && is(&own),
            "tile {tile:?} at {uv}: {}, neither {own:?} nor {overs:?}",
            pixel(&picture, at)
        );
        if over.is_some() && !is(&own) {
            let mode = terrain.map().tile(tile[0], tile[1]).unwrap().blend(edge);
            spilled[mode as usize] += 1;
        }
    }
    println!("pixels that are spilled over: {spilled:?}");
    assert!(spilled.iter().all(|count| *count > 2000), "{spilled:?}");
}

/// Light is applied to the blend; a pixel is discarded if the blended alpha is below one half.
#[test]
fn the_alpha_test_is_on_the_mix_of_materials() {
    let mut paints = PAINTS;
    paints[2][3] = 40;
    paints[5][3] = 120;
    paints[8][3] = 170;
    for paints in [PAINTS, paints] {
        let document = painted(&paints, &[], |row, col| {
            let mut tile = tile(TileType::Flat, 0, 0);
            tile.top_material = (hash(row, col, 4) % paints.len() as u32) as u16;
            tile.side_material = 0;
            // Without bumps, the light is uniform.
            tile.set(Field::NoBump, 1);
            with_modes(tile, row, col, 2)
        });
        let (view, size) = plan_view(&*document);
        let mut stage = Stage::get();
        let (picture, _) = stage.draw(Some(&*document), &view, size);
        let (sky, _) = stage.draw(None, &view, size);
        let blend = Blend(terrain(&*document));
        let light = 0.7 + 0.9 * Vec3::new(1664.0, 1024.0, 384.0).normalize().y;
        let mut holes = 0;
        for (at, tile, uv) in plan_pixels() {
            let mixed = mixed_paint(&blend.weights(tile, uv), &paints);
            let alpha = mixed.w / 255.0;
            let found = pixel(&picture, at);
            let expected = if alpha <= 0.5 {
                pixel(&sky, at)
            } else {
                mixed.truncate() * alpha * light
            };
            let apart = (found - expected).abs().max_element();
            let is_even = (alpha - 0.5).abs() < 0.003;
            assert!(
                apart < 2.0 || is_even,
                "tile {tile:?} at {uv}: {found}, not {expected}; alpha {alpha}"
            );
            holes += usize::from(alpha <= 0.5);
        }
        println!("{holes} pixels are holes");
        assert_eq!(holes > 2000, paints != PAINTS, "{holes}");
    }
}

#[test]
fn sides_show_the_accents_of_their_material() {
    let picture = |splats: &[[u32; 2]]| {
        let document = painted(&PAINTS[..3], splats, |row, _| {
            let mut tile = tile(TileType::Flat, if row < 16 { 9 } else { 0 }, 0);
            tile.top_material = 2;
            tile.side_material = 0;
            tile
        });
        let mut view = view("0,18,120,0,18,0");
        view.shown.overlays = overlay(&*document, OverlayId::Unlit);
        Stage::get().draw(Some(&*document), &view, [320, 120]).0
    };
    // Pixels of the side's material, red, and pixels with much of its accent, green.
    let count = |picture: &RgbaImage| {
        let count = |is: fn(&image::Rgba<u8>) -> bool| picture.pixels().filter(|p| is(p)).count();
        [
            count(|p| p.0[0] > 190 && p.0[1] < 30 && p.0[2] < 30),
            count(|p| p.0[0] < 140 && p.0[1] > 70 && p.0[2] < 60),
        ]
    };
    let [own, accent] = count(&picture(&[]));
    assert!(own > 2000 && accent == 0, "{own} {accent}");
    let [own, accent] = count(&picture(&[[0, 1]]));
    println!("{own} pixels of the side's material, {accent} of its accent");
    assert!(own > 200 && accent > 200, "{own} {accent}");
}

/// The overlay is offered if the map has grass, and uses the colours and numbers of its legend.
#[test]
fn cover_has_an_overlay_where_there_is_any() {
    let covered = |digits: [i32; 4]| {
        painted(&PAINTS[7..8], &[], move |row, _| {
            let mut tile = tile(TileType::Flat, 0, 0);
            tile.top_material = 0;
            tile.side_material = 0;
            // Quarters of different sizes: 5, 7, 9 and 11 rows.
            let quarter = [5, 12, 21].iter().filter(|end| row >= **end).count();
            tile.set(Field::Cover, digits[quarter]);
            tile
        })
    };
    let bare = covered([0; 4]);
    assert!(
        bare.about()
            .overlays
            .iter()
            .all(|overlay| overlay.id != OverlayId::Cover)
    );
    let labels = |document: &dyn Document| legend_labels(document, OverlayId::Cover);
    let known = covered([2, 0, 1, 0]);
    assert_eq!(
        labels(&*known),
        ["full grass (288)", "sparse grass (160)", "none (576)"]
    );
    let document = covered([2, 0, 1, 7]);
    let legend = legend(&*document, OverlayId::Cover);
    assert_eq!(
        labels(&*document),
        [
            "full grass (288)",
            "sparse grass (160)",
            "none (224)",
            "unknown (352)"
        ]
    );
    let (mut view, size) = plan_view(&*document);
    view.shown.overlays = overlay(&*document, OverlayId::Cover);
    let (picture, _) = Stage::get().draw(Some(&*document), &view, size);
    for (row, entry) in [(2, 1), (8, 2), (16, 0), (26, 3)] {
        let found = nearest_hue(pixel(&picture, [100, row * TILE_PIXELS + 8]), &legend);
        assert_eq!(found, entry, "row {row}");
    }
}

// ---- Missing content -----------------------------------------------------------------------

/// Numbers of pixels in the placeholder's magenta and of black pixels.
fn count_magenta_and_black(picture: &RgbaImage) -> [usize; 2] {
    let is_magenta = |[r, g, b, _]: [u8; 4]| r > 60 && b > 60 && r / 3 > g && b / 3 > g;
    let is_black = |[r, g, b, _]: [u8; 4]| r.max(g).max(b) < 12;
    let count = |is: fn([u8; 4]) -> bool| picture.pixels().filter(|pixel| is(pixel.0)).count();
    [count(is_magenta), count(is_black)]
}

#[test]
fn a_missing_or_broken_texture_is_seen_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("broken.png"),
        b"\x89PNG\r\n\x1a\nnothing of the kind",
    )
    .unwrap();
    std::fs::write(folder.path().join("empty.png"), b"").unwrap();
    let draw = |texture: &str| {
        let text = map_text([1, 1], &["grass.jpg", texture], &[], |row, col| {
            let mut tile = tile(TileType::Flat, 0, 0);
            tile.top_material = u16::from((8..24).contains(&row) && (8..24).contains(&col));
            tile
        });
        let document = open(folder.path().join("map.pfmap"), text);
        let mut stage = Stage::get();
        let near = stage
            .draw(Some(&*document), &view("0,90,40,0,0,0"), [160, 120])
            .0;
        let far = stage
            .draw(Some(&*document), &view("0,900,400,0,0,0"), [160, 120])
            .0;
        let counts = [near, far].map(|picture| count_magenta_and_black(&picture));
        let problems = document.about().problems.clone();
        (counts, problems)
    };
    let (counts, problems) = draw("sand.jpg");
    assert_eq!((counts, problems), ([[0, 0], [0, 0]], vec![]));
    for texture in [
        "missing.png",
        "broken.png",
        "empty.png",
        "../../../etc/passwd",
    ] {
        let ([near, far], problems) = draw(texture);
        assert!(near[0] > 160 * 120 / 8, "{texture}: {near:?}");
        assert!(far[0] > 20, "{texture} from afar: {far:?}");
        assert_eq!([near[1], far[1]], [0, 0], "{texture}: black");
        assert_eq!(problems.len(), 1, "{texture}: {problems:?}");
        assert_eq!(problems[0].severity, Severity::Warning);
        assert_eq!(problems[0].place, Place::Text { line: 7, column: 1 });
        assert!(
            problems[0].message.contains(texture),
            "{texture}: {}",
            problems[0]
        );
    }
}

#[test]
fn materials_that_do_not_exist_and_bad_tiles_are_seen() {
    let text = map_text([1, 1], &MATERIALS, &[], |row, _| {
        let mut tile = tile(TileType::Flat, 0, 0);
        tile.top_material = [SAND, SNOW, 200, SNOW][(row / 8) as usize];
        tile
    });
    // Breaks the type of a row's first tile in the middle.
    let tiles = text
        .lines()
        .position(|line| line.starts_with("0+"))
        .unwrap();
    let mut lines: Vec<String> = text
        .replace("200001", "000001")
        .lines()
        .map(str::to_owned)
        .collect();
    for line in &mut lines[tiles + 8 * 16..tiles + 8 * 16 + 32] {
        *line = line.replace("0+00", "F+00");
    }
    lines.push(String::new());
    for (name, text) in [("unknown material", text), ("bad tiles", lines.join("\n"))] {
        let document = open("bad.pfmap", text);
        assert!(!document.about().problems.is_empty(), "{name}");
        let (picture, _) = Stage::get().draw(Some(&*document), &view("0,200,40,0,0,0"), [160, 120]);
        let [magenta, black] = count_magenta_and_black(&picture);
        assert!(magenta > 500, "{name}: {magenta} magenta");
        assert_eq!(black, 0, "{name}");
    }
}

#[test]
fn nothing_open_is_the_sky() {
    let (picture, statistics) = Stage::get().draw(None, &view("0,60,0,0,50,10"), [64, 36]);
    assert_eq!(
        statistics,
        DrawStatistics {
            triangles: 1,
            draw_calls: 1,
            ..DrawStatistics::default()
        }
    );
    assert!(picture.pixels().all(|pixel| pixel.0[2] > 60));
    let item = TerrainItem::Tile { row: 0, col: 3 }.into();
    let mut selected = view("0,60,0,0,50,10");
    selected.shown.selected = Some(item);
    assert!(Stage::get().draw(None, &selected, [64, 36]).0 == picture);
}

/// A cliff at the border between a near chunk and a far one: the skirt of the far chunk is behind
/// it.
#[test]
fn a_cliff_before_far_ground_shows_nothing_of_it() {
    let document = open_map([1, 12], |_, col| {
        let mut tile = Tile::default();
        tile.base_height = if col < 10 * CHUNK_SIDE { 0 } else { 40 };
        tile.top_material = GRASS;
        tile.side_material = ROCK;
        tile
    });
    let placement = terrain(&*document).placement();
    let at = |col: f32, level: f32| placement.world(col, 16.5, level);
    let cliff = 10.0 * CHUNK_SIDE as f32;
    let size = [300, 400];
    let mut sides = 0;
    // Distances at which the ground before the cliff is drawn tile by tile, but not the ground
    // behind it.
    for tiles in [235.0, 240.0, 245.0, 250.0] {
        let pose = Pose {
            eye: at(cliff - tiles, 20.0),
            target: at(cliff, 20.0),
        };
        let camera = Camera::new(pose, document.about().handedness);
        let (picture, _) = Stage::get().draw(Some(&*document), &View::plain(camera), size);
        let [foot, top] = [0.0, 40.0].map(|level| {
            let at = camera.project(at(cliff, level), size[0] as f32 / size[1] as f32);
            (at.unwrap().y * size[1] as f32) as u32
        });
        for (x, y) in (145..155).flat_map(|x| (top + 2..foot - 1).map(move |y| (x, y))) {
            let [r, g, b, _] = picture.get_pixel(x, y).0.map(i32::from);
            assert!(g < r + 20 && g < b + 40, "{tiles}: {x}, {y}: {r}, {g}, {b}");
            sides += 1;
        }
    }
    assert!(sides > 1000, "{sides}");
}
