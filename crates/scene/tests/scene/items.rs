//! Finding items by name: every kind in every demo.

use std::collections::BTreeSet;
use std::sync::Arc;

use mapscope_formats::pmf;
use mapscope_scene::demo::DEMOS;
use mapscope_scene::{
    Document, NamedItem, OpenOptions, Playhead, Progress, Source, find_items, open,
};
use mapscope_testdata::synthesize;
use serde_json::json;

fn demos() -> impl Iterator<Item = Arc<dyn Document>> {
    DEMOS.iter().map(|demo| {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        open(&demo.source(), &options, &progress).unwrap()
    })
}

#[test]
fn every_listed_texture_has_an_image() {
    let mut counts = BTreeSet::new();
    for document in demos() {
        let Some(textures) = document.textures() else {
            continue;
        };
        document.wait_until_complete();
        let list = textures.list();
        for texture in &list {
            let image = textures.image(texture.item).unwrap();
            let [width, height] = image.size;
            assert_eq!(image.levels[0].len() as u32, width * height * 4);
            assert!(document.has(texture.item), "{}", texture.name);
            assert_eq!(textures.representative(texture.item), Some(texture.item));
            if let Some(layout) = textures.layout(texture.item) {
                assert!(layout.triangles > 0 && layout.out_of_range == 0);
            }
        }
        counts.insert((document.about().format.id, !list.is_empty()));
    }
    for format in ["pfmap", "pfobj", "pfscene", "pmf", "ika-map"] {
        assert!(counts.contains(&(format, true)), "{format}: {counts:?}");
    }
}

#[test]
fn what_is_listed_is_found_again_and_described() {
    let mut kinds_seen = BTreeSet::new();
    for document in demos() {
        let document = &*document;
        let whole = document.outline().into_iter().find_map(|line| line.item);
        for kind in whole.unwrap().sibling_kinds() {
            let listed = find_items(document, kind);
            // Items without a list are found by their numbers.
            let listed = listed.unwrap_or_else(|why| {
                let form = format!("specify which one, as in {}:", kind.replace(' ', "-"));
                assert!(why.contains(&form), "{kind}: {why}");
                Vec::new()
            });
            for named in listed.iter().step_by(listed.len() / 2 + 1) {
                let text = named.item.to_string();
                let found = find_items(document, &text).unwrap();
                assert!(found.contains(named), "{text}: {found:?}");
                assert!(
                    !document.details(named.item, Playhead::default()).is_empty(),
                    "{text}"
                );
                if let Some(name) = &named.name {
                    let found = find_items(document, &format!("{kind}:{name}")).unwrap();
                    assert!(found.contains(named), "{kind}:{name}: {found:?}");
                }
                kinds_seen.insert(named.item.kind());
            }
        }
    }
    for kind in [
        "joint",
        "triangle",
        "entity",
        "zone",
        "layer",
        "cube",
        "chunk",
        "archive file",
        "fast light",
        "camera",
        "region",
        "faction",
        "tile",
        "material",
        "clip",
    ] {
        assert!(kinds_seen.contains(kind), "{kind}: {kinds_seen:?}");
    }
}

#[test]
fn tile_types_are_found_by_name_and_as_the_file_writes_them() {
    let mut count = 0;
    for document in demos() {
        for kind in &document.about().kinds {
            for called in [kind.name, &kind.code] {
                let found = find_items(&*document, &format!("tile type:{called}")).unwrap();
                assert_eq!(found.len(), 1, "{called}: {found:?}");
                assert_eq!(found[0].item, kind.item, "{called}");
                count += 1;
            }
        }
    }
    assert!(count >= 26, "{count}");
}

#[test]
fn corners_in_a_level_are_said_in_world_space_by_their_names() {
    let map = synthesize::pmf([2, 1, 2], 3, 5);
    let level = &map.levels[0];
    let source = Source {
        path: "a.pmf".into(),
        bytes: pmf::write(&map, pmf::Packing::Stored).unwrap().into(),
        embedded: &[],
        archive: None,
    };
    let document = open(&source, &OpenOptions::default(), &Progress::default()).unwrap();
    let details = |named: &NamedItem| document.details(named.item, Playhead::default());
    let with = |chunk: usize, corner: [f32; 3]| {
        let center = level.chunk_center(level.chunks[chunk].index);
        json!([0, 1, 2].map(|axis| center[axis] + corner[axis]))
    };
    let data = |chunk: usize| level.chunks[chunk].data.as_ref().unwrap();

    let regions = find_items(&*document, "server region").unwrap();
    assert_eq!(regions.len(), level.chunks.len());
    for (chunk, region) in regions.iter().enumerate() {
        let [file] = &data(chunk).server.as_ref().unwrap().regions[..] else {
            panic!("chunk {chunk}");
        };
        let said = details(region);
        assert_eq!(said["server_region"]["max_corner"], with(chunk, file.max));
        assert_eq!(said["server_region"]["min_corner"], with(chunk, file.min));
    }
    let weather = |region: &&NamedItem| details(region)["region"]["kind"] == "weather";
    let regions = find_items(&*document, "environment region").unwrap();
    let regions: Vec<_> = regions.iter().filter(weather).collect();
    assert_eq!(regions.len(), level.chunks.len());
    for (chunk, region) in regions.into_iter().enumerate() {
        let corners = data(chunk).weather_regions[0].corners;
        let said = &details(region)["region"]["corners"];
        for (at, x) in ["+x", "-x"].into_iter().enumerate() {
            let key = format!("{x}_+y_+z");
            assert_eq!(said[&key], with(chunk, corners[at]), "{said}");
        }
        let of_corners = said.as_object().unwrap().keys();
        assert_eq!(of_corners.filter(|key| key.ends_with('z')).count(), 8);
    }
}
