//! Items found by what they are called: every kind of every demo.

use std::collections::BTreeSet;
use std::sync::Arc;

use mapscope_scene::demo::DEMOS;
use mapscope_scene::{Document, OpenOptions, Playhead, Progress, find_items, open};

fn demos() -> impl Iterator<Item = Arc<dyn Document>> {
    DEMOS.iter().map(|demo| {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        open(&demo.source(), &options, &progress).unwrap()
    })
}

#[test]
fn what_is_listed_is_found_again_and_described() {
    let mut kinds_seen = BTreeSet::new();
    for document in demos() {
        let document = &*document;
        let whole = document.outline().into_iter().find_map(|line| line.item);
        for kind in whole.unwrap().kinds_beside() {
            let listed = find_items(document, kind);
            // What is neither listed nor counted is asked for by its numbers.
            let listed = listed.unwrap_or_else(|why| {
                let form = format!("say which one, as in {}:", kind.replace(' ', "-"));
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
