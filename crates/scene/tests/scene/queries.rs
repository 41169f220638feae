//! Queries over the fields of items.

use mapscope_scene::demo::{BATHHOUSE, DRAKELING, Demo, HAMLET, STATION, TERRAIN, VILLAGE};
use mapscope_scene::{
    Document, Found, Item, OpenOptions, Playhead, Progress, QueryError, Users, alike,
    continuations, fields_of_kind, find_matches, open, users,
};
use serde_json::Value;
use std::sync::Arc;

fn opened(demo: &'static Demo) -> Arc<dyn Document> {
    open(
        &demo.source(),
        &OpenOptions::default(),
        &Progress::default(),
    )
    .unwrap()
}

#[track_caller]
fn found(document: &dyn Document, query: &str) -> Found {
    find_matches(document, query, Playhead::default(), usize::MAX)
        .unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// The value of a field of each found item, by its heading and its key.
fn values(document: &dyn Document, found: &Found, heading: &str, key: &str) -> Vec<Value> {
    let items = found.items.iter();
    items
        .map(|found| document.details(found.item, Playhead::default())[heading][key].clone())
        .collect()
}

#[test]
fn tiles_are_found_by_all_operators() {
    let map = opened(&TERRAIN);
    let all = found(&*map, "row >= 0").count;
    assert_eq!(all, 128 * 128);
    for (query, rest) in [
        ("ramp_height > 1", "not ramp_height > 1"),
        ("base_height <= 2", "base_height > 2"),
        ("top_material = Grass", "top_material != Grass"),
        ("pathable", "pathable = false"),
        ("type ~ ramp or type ~ CORNER", "type = flat"),
        ("tile where (row < 3 and col < 3)", "row >= 3 or col >= 3"),
    ] {
        let counts = [query, rest].map(|query| found(&*map, query).count);
        assert_eq!(counts[0] + counts[1], all, "{query}: {counts:?}");
        assert!(counts.iter().all(|count| *count > 0), "{query}: {counts:?}");
    }
    let steep = found(&*map, "ramp_height > 1 and top_material != \"Grass\"");
    let heights = values(&*map, &steep, "shape", "ramp_height");
    assert!(heights.iter().all(|height| height.as_i64() > Some(1)));
    let names = values(&*map, &steep, "surface", "top_material");
    assert!(names.iter().all(|material| *material != 0));
    // A reference has a number and a name, and a part of a value has a path.
    let by_number = found(&*map, "top_material = 0").count;
    assert_eq!(by_number, found(&*map, "top_material = Grass").count);
    let high = found(&*map, "center.y > 30 and corners.nw > 30");
    assert!(high.count > 0 && high.count < all);
    assert_eq!(found(&*map, "surface.top_material = 0").count, by_number);
}

#[test]
fn found_items_are_in_file_order_and_their_number_is_limited() {
    let map = opened(&TERRAIN);
    let all = found(&*map, "type != flat");
    let first = find_matches(&*map, "type != flat", Playhead::default(), 10).unwrap();
    assert_eq!(first.count, all.count);
    assert_eq!(first.items, all.items[..10]);
    let place = |found: &Found| {
        let rows = values(&*map, found, "tile", "row");
        let cols = values(&*map, found, "tile", "col");
        let places = rows.iter().zip(&cols);
        places
            .map(|(row, col)| (row.as_u64(), col.as_u64()))
            .collect::<Vec<_>>()
    };
    assert!(place(&all).is_sorted());
    assert_eq!(all.items.len() as u64, all.count);
}

#[test]
fn every_format_has_items_to_find() {
    for (demo, queries) in [
        (
            &HAMLET,
            &[
                "found",
                "entity where position.y > 0",
                "tile where row = 1",
                "model where path ~ village",
                "not found or found",
            ][..],
        ),
        (
            &DRAKELING,
            &[
                "material = 0",
                "joint where parent = null",
                "clip where frames > 1",
            ],
        ),
        (
            &BATHHOUSE,
            &[
                "material ~ PLASTER and depth >= 1",
                "entity where type = light",
                "chunk where triangles > 0",
            ],
        ),
        (
            &VILLAGE,
            &[
                "tile > 0 and layer = 0",
                "obstructed",
                "entity where name ~ a",
                "tile where number < 3",
            ],
        ),
    ] {
        let document = opened(demo);
        for query in queries {
            assert!(found(&*document, query).count > 0, "{}: {query}", demo.id);
        }
    }
    let model = opened(&DRAKELING);
    let [root] = &found(&*model, "joint where parent = null").items[..] else {
        panic!("one root");
    };
    assert_eq!(root.item.to_string(), "joint 0");
    let map = opened(&VILLAGE);
    let cells = found(&*map, "tile = 5 and layer = 1");
    let tiles = values(&*map, &cells, "tile", "tile");
    assert!(tiles.iter().all(|tile| *tile == 5));
}

#[test]
fn parts_of_values_and_fields_of_headings_are_found() {
    let model = opened(&DRAKELING);
    let all = found(&*model, "index >= 0").count;
    let high = found(&*model, "position.y > 0.5").count;
    assert!(high > 0 && high < all);
    assert_eq!(found(&*model, "corners.position.y > 0.5").count, high);
    assert!(found(&*model, "joint where bind_global.translation.y > 0").count > 0);
    let scene = opened(&HAMLET);
    let entities = found(&*scene, "position.y > 1").count;
    assert!(entities > 0);
    assert_eq!(found(&*scene, "place.position.y > 1").count, entities);
    let fixed = found(&*scene, "static").count;
    assert_eq!(found(&*scene, "attributes.static").count, fixed);
    let level = opened(&BATHHOUSE);
    let parents = found(&*level, "type = parent").count;
    let with_children = found(&*level, "type = parent and children.index > 0").count;
    assert!(parents > 0);
    assert_eq!(with_children, parents);
    // Long chains are no nesting.
    let chain = vec!["type != flat"; 20_000].join(" and ");
    let map = opened(&TERRAIN);
    assert_eq!(
        found(&*map, &chain).count,
        found(&*map, "type != flat").count
    );
}

#[test]
fn faults_of_queries_have_a_column_and_what_would_be_valid() {
    let map = opened(&TERRAIN);
    let fault = |query: &str| find_matches(&*map, query, Playhead::default(), 1).unwrap_err();
    for (query, column) in [
        ("", 1),
        ("row >", 6),
        ("row > flat", 7),
        ("row = 1 col = 2", 9),
        ("(row = 1", 9),
        ("row = 1)", 8),
        ("row = \"1", 7),
        ("row = 1 and", 12),
        ("row & 1", 5),
        ("no_such_field", 1),
        ("row = 1 and no_such_field > 2", 13),
        ("position.foo > 1", 1),
        ("center.foo > 1", 1),
        ("row = 1 or surface.ramp_height = 1", 12),
        ("row = col", 7),
        ("pathable > 1", 1),
        ("row", 1),
        ("type > 3", 1),
        ("row = true", 1),
        ("trees where row = 1", 1),
        ("where row = 1", 1),
        (&"not ".repeat(100), 257),
    ] {
        let QueryError {
            column: at,
            expected,
            ..
        } = fault(query);
        assert_eq!(at, column, "{query}");
        assert!(!expected.is_empty(), "{query}");
    }
    let keys = fault("no_such_field").expected;
    assert!(keys.split(", ").any(|key| key == "ramp_height"), "{keys}");
    let kinds = fault("trees where row = 1").expected;
    assert!(kinds.split(", ").any(|kind| kind == "chunk"), "{kinds}");
    // Keys that depend on the file are known once an item has them.
    let scene = opened(&HAMLET);
    assert!(find_matches(&*scene, "no_such_attribute", Playhead::default(), 1).is_err());
    assert!(found(&*scene, "static").count > 0);
}

#[test]
fn fields_operators_and_values_continue_a_query() {
    let map = opened(&TERRAIN);
    let continued = |text: &str| continuations(&*map, text);
    let has = |text: &str, wanted: &str| {
        let all = continued(text);
        assert!(all.iter().any(|it| it == wanted), "{text}: {all:?}");
    };
    has("", "ramp_height");
    has("", "material where ");
    assert_eq!(continued("ramp"), ["ramp_height"]);
    has("ramp_height ", "ramp_height >=");
    has("not pathable and (bas", "not pathable and (base_height");
    has("ramp_height > 1 ", "ramp_height > 1 and ");
    has("top_material = Gr", "top_material = Grass");
    has("tile where type = ramp", "tile where type = ramp_sn");
    assert_eq!(
        continued("pathable = "),
        ["pathable = false", "pathable = true"]
            .map(str::to_owned)
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    has("material where na", "material where name");
    // The middle of a field is enough.
    has("height", "ramp_height");
    for text in [
        "xyzzy where ",
        "ramp_height > ",
        "\"",
        "(((",
        "a = \"b",
        "and = or",
        "ä",
    ] {
        let _any = continued(text);
    }
    let village = opened(&VILLAGE);
    let entities = continuations(&*village, "entity where sprite = \"");
    assert!(
        entities
            .iter()
            .all(|text| find_matches(&*village, text, Playhead::default(), 1).is_ok())
    );
    let fields = fields_of_kind(&*map, "tile");
    assert_eq!(fields[..2], ["row", "col"]);
}

#[test]
fn every_item_is_found_once_and_a_kind_alone_is_all_its_items() {
    for demo in [
        &TERRAIN, &HAMLET, &DRAKELING, &BATHHOUSE, &VILLAGE, &STATION,
    ] {
        let document = opened(demo);
        for kind in [
            "tile", "material", "entity", "joint", "layer", "chunk", "sprite",
        ] {
            let Ok(all) = find_matches(&*document, kind, Playhead::default(), usize::MAX) else {
                continue;
            };
            let mut items: Vec<String> = all.items.iter().map(|it| it.item.to_string()).collect();
            items.sort_unstable();
            items.dedup();
            assert_eq!(items.len() as u64, all.count, "{} {kind}", demo.id);
        }
    }
    let map = opened(&TERRAIN);
    assert_eq!(found(&*map, "tile").count, 128 * 128);
    assert_eq!(
        found(&*map, "material").count,
        found(&*map, "material where index >= 0").count
    );
}

#[test]
fn comparisons_that_cannot_hold_are_faults() {
    let scene = opened(&HAMLET);
    for query in [
        "scale.x != scale.y",
        "problems > 0",
        "problems",
        "not problems",
    ] {
        let fault = find_matches(&*scene, query, Playhead::default(), 1);
        assert!(fault.is_err(), "{query}");
    }
}

#[test]
fn items_like_another_are_found_by_each_of_its_fields() {
    for demo in [
        &TERRAIN, &HAMLET, &DRAKELING, &BATHHOUSE, &VILLAGE, &STATION,
    ] {
        let document = opened(demo);
        let kinds = ["tile", "entity", "joint", "cube", "cell"];
        let items = kinds.iter().filter_map(|kind| {
            let found = find_matches(&*document, kind, Playhead::default(), 1).ok()?;
            Some(found.items.first()?.item)
        });
        for item in items {
            for query in alike(&*document, item) {
                let like = found(&*document, &query);
                assert!(like.items.iter().any(|found| found.item == item), "{query}");
            }
        }
    }
    let tile = Item::of_kind("tile", "0 0")[0];
    let queries = alike(&*opened(&TERRAIN), tile);
    assert!(
        queries.contains(&"tile where top_material = Grass".to_owned()),
        "{queries:?}"
    );
}

#[test]
fn the_users_of_an_item_are_found_and_as_many_as_it_says() {
    let mut kinds_with_users = Vec::new();
    for demo in [
        &TERRAIN, &HAMLET, &DRAKELING, &BATHHOUSE, &VILLAGE, &STATION,
    ] {
        let document = opened(demo);
        let kinds = [
            "faction",
            "class",
            "model",
            "tile type",
            "material",
            "entity type",
            "tile",
            "zone",
        ];
        for kind in kinds {
            let Ok(items) = find_matches(&*document, kind, Playhead::default(), 4) else {
                continue;
            };
            for Users { kind, count, query } in items
                .items
                .iter()
                .flat_map(|found| users(&*document, found.item))
            {
                let of = found(&*document, &query);
                assert_eq!(of.kind, kind, "{query}");
                assert!(count.is_none_or(|count| count == of.count), "{query}");
                if of.count > 0 {
                    kinds_with_users.push((items.kind, kind));
                }
            }
        }
    }
    kinds_with_users.dedup();
    assert_eq!(
        kinds_with_users,
        [
            ("tile type", "tile"),
            ("material", "tile"),
            ("faction", "entity"),
            ("class", "entity"),
            ("model", "entity"),
            ("tile type", "tile"),
            ("material", "tile"),
            ("material", "triangle"),
            ("material", "cube"),
            ("entity type", "entity"),
            ("tile", "cell"),
            ("zone", "cell"),
            ("tile", "cell"),
        ]
    );
    let faction = Item::of_kind("faction", "1")[0];
    let of_faction = users(&*opened(&HAMLET), faction);
    assert_eq!(
        of_faction,
        [Users {
            kind: "entity",
            count: Some(3),
            query: "entity where faction = 1".to_owned(),
        }]
    );
}
