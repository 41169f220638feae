//! The built-in demo map equals the output of its generator and shows all features.

use std::collections::HashSet;
use std::path::Path;

use mapscope_formats::pfmap::{BlendMode, Edge, Field, TileType};
use mapscope_scene::demo;

use super::{files, map};

#[test]
fn the_assets_are_what_the_generator_makes() {
    let assets = crate::assets().join("demo");
    let embedded = demo::TERRAIN.source();
    for (name, made) in files().unwrap() {
        let kept = std::fs::read(assets.join(&name)).unwrap();
        let hint = "run `cd generators && cargo run -- terrain`";
        assert!(
            kept == made,
            "{name} is not what the generator makes: {hint}"
        );
        let file = Path::new(&name).file_name().unwrap().to_str().unwrap();
        let texture = embedded.embedded.iter().find(|(name, _)| *name == file);
        let bytes = texture.map_or(&*embedded.bytes, |(_, bytes)| *bytes);
        assert!(bytes == made, "{name} is in the program");
        assert!(
            made.len() < 120_000 || file == "demo.pfmap",
            "{name} is small"
        );
    }
}

#[test]
fn all_types_and_blend_modes_occur_and_neighbours_agree() {
    let tiles = map::tiles();
    let types: HashSet<TileType> = tiles.iter().map(|t| t.kind).collect();
    assert_eq!(types.len(), 13);
    let modes: HashSet<BlendMode> = tiles
        .iter()
        .flat_map(|t| Edge::ALL.map(|edge| t.blend(edge)))
        .collect();
    assert_eq!(
        modes,
        HashSet::from([BlendMode::None, BlendMode::Blur, BlendMode::Edge])
    );
    assert!(tiles.iter().any(|t| !t.bump()) && tiles.iter().any(|t| !t.pathable()));
    let materials: HashSet<u16> = tiles.iter().map(|t| t.top_material).collect();
    assert_eq!(materials.len(), map::MATERIALS.len());
    let side = 128;
    for (i, tile) in tiles.iter().enumerate() {
        // A tile without blend modes on its edges falls back to field H, which has none either.
        assert_eq!(tile.get(Field::BlendMode), 0);
        if i % side + 1 < side {
            assert_eq!(
                tile.blend(Edge::East),
                tiles[i + 1].blend(Edge::West),
                "tile {i}"
            );
        }
        if i + side < tiles.len() {
            assert_eq!(
                tile.blend(Edge::South),
                tiles[i + side].blend(Edge::North),
                "tile {i}"
            );
        }
    }
}

#[test]
fn the_engine_can_read_the_file() {
    let text = map::text();
    assert!(text.ends_with('\n') && !text.contains('\r'));
    assert!(text.lines().all(|line| line.len() < 255));
    let map = mapscope_formats::pfmap::read(text.as_bytes()).unwrap();
    assert_eq!(map.problems, []);
    assert_eq!((map.chunk_rows, map.chunk_cols), (4, 4));
    assert_eq!(map.tiles, map::tiles());
    assert_eq!(map.splats.len(), 1);
}
