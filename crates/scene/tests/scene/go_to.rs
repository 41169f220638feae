//! Places that a text names.

use std::sync::Arc;

use glam::Vec3;

use mapscope_formats::Severity;
use mapscope_scene::camera::Pose;
use mapscope_scene::demo::{BATHHOUSE, DRAKELING, Demo, HAMLET, STATION, TERRAIN, VILLAGE};
use mapscope_scene::{
    Destination, Document, Item, LevelItem, ModelItem, OpenOptions, Owner, Playhead, Progress,
    SceneItem, Source, TerrainItem, TileMapItem, destinations, items_of_kinds, open,
};

fn opened(demo: &'static Demo) -> Arc<dyn Document> {
    let (options, progress) = (OpenOptions::default(), Progress::default());
    open(&demo.source(), &options, &progress).unwrap()
}

#[track_caller]
fn all(document: &dyn Document, text: &str) -> Vec<Destination> {
    destinations(document, text, 20).unwrap_or_else(|why| panic!("{text}: {why}"))
}

/// The items that a text names.
#[track_caller]
fn items(document: &dyn Document, text: &str) -> Vec<Item> {
    let found = all(document, text).into_iter();
    let items = found.filter_map(|found| match found {
        Destination::Item(named) => Some(named.item),
        Destination::Problem(target) => Some(target.item),
        _ => None,
    });
    items.collect()
}

fn tile(row: u32, col: u32) -> Item {
    TerrainItem::Tile { row, col }.into()
}

#[test]
fn a_tile_is_named_by_row_and_column_in_many_ways() {
    let map = opened(&TERRAIN);
    for text in [
        "30 50",
        "30, 50",
        "row 30 column 50",
        "Row 30, column 50",
        "column 50, row 30",
        "r30 c50",
        "tile 30,50",
        "tile:30,50",
        "tile 30 50",
        "Tile 30 50",
        "Row 30 Column 50 Chunk 0, 1 Type flat",
    ] {
        assert_eq!(items(&*map, text)[0], tile(30, 50), "{text}");
    }
    // A pair is also a position.
    let Destination::Position(at) = all(&*map, "30 50")[1] else {
        panic!("no position");
    };
    assert_eq!([at.x, at.z], [30.0, 50.0]);
    let bounds = map.about().bounds;
    assert!((bounds.min.y..=bounds.max.y).contains(&at.y));
}

#[test]
fn positions_have_two_or_three_numbers() {
    let map = opened(&TERRAIN);
    let position = |text: &str| match all(&*map, text)[..] {
        [Destination::Position(at)] => at.to_array(),
        ref other => panic!("{text}: {other:?}"),
    };
    for text in [
        "12.5 3 -40",
        "(12.5, 3, -40)",
        "x 12.5 y 3 z -40",
        "x=12.5, y=3, z=-40",
    ] {
        assert_eq!(position(text), [12.5, 3.0, -40.0], "{text}");
    }
    let [x, _, z] = position("-12.5 -40.25");
    assert_eq!([x, z], [-12.5, -40.25]);
}

#[test]
fn a_line_and_column_lead_to_the_record_there() {
    let map = opened(&TERRAIN);
    let place = map.details(tile(70, 3), Playhead::default())["tile"]["place"].clone();
    let [line, column] = ["line", "column"].map(|key| place[key].as_u64().unwrap());
    for text in [
        format!("{line}:{column}"),
        format!("line {line}, column {column}"),
        format!("line {line} column {}", column + 5),
        format!("maps/demo.pfmap:{line}:{column}: error[pfmap/tile]: no such type"),
        format!("C:\\maps\\demo.pfmap:{line}:{column}"),
        format!("In the file line {line}, column {column}"),
    ] {
        assert_eq!(items(&*map, &text), [tile(70, 3)], "{text}");
    }
    // A line alone leads to its first record.
    let first = items(&*map, &format!("line {line}"))[0];
    assert_eq!(items(&*map, &format!("demo.pfmap:{line}")), [first]);
    assert_eq!(items(&*map, &line.to_string())[0], first);

    let scene = opened(&HAMLET);
    for index in [0, 7, 40] {
        let entity: Item = SceneItem::Entity { index }.into();
        let details = scene.details(entity, Playhead::default());
        let line = details["entity"]["place"]["line"].as_u64().unwrap();
        // The attributes follow the line of the entity.
        assert_eq!(items(&*scene, &format!("line {}", line + 1))[0], entity);
    }
    // The inspector of a tile of a scene names a line of the map.
    let text = format!("line {line}, column {column}");
    assert!(items(&*scene, &text).contains(&tile(70, 3)), "{text}");
}

#[test]
fn an_offset_leads_to_the_record_there() {
    let map = opened(&VILLAGE);
    let zone: Item = TileMapItem::Zone { index: 1 }.into();
    let details = map.details(zone, Playhead::default());
    let place = details.values().find_map(|group| group.get("place"));
    let offset = place.unwrap()["offset"].as_u64().unwrap();
    for text in [
        format!("{:#x}", offset + 1),
        format!("offset {offset}"),
        format!("byte {offset}"),
        format!("harbour.map:{offset:#x}: warning: a message"),
    ] {
        assert_eq!(items(&*map, &text), [zone], "{text}");
    }
}

#[test]
fn cells_of_a_2d_map_are_named_by_column_and_row() {
    let map = opened(&STATION);
    let found = items(&*map, "3 4");
    let layers = items_of_kinds(&*map, &["layer"]).len();
    assert_eq!(found.len(), layers.min(found.len()));
    for item in &found {
        assert!(
            matches!(item, Item::TileMap(TileMapItem::Cell { x: 3, y: 4, .. })),
            "{item}"
        );
    }
    assert_eq!(items(&*map, "x 3 y 4"), found);
    assert_eq!(items(&*map, "row 4, column 3"), found);
    let pixel = Destination::Position(Vec3::new(305.0, 0.0, 211.0));
    assert_eq!(all(&*map, "Pixel 305, 211"), [pixel]);
}

#[test]
fn frames_cameras_items_and_names_are_places() {
    let model = opened(&DRAKELING);
    assert_eq!(all(&*model, "frame 3"), [Destination::Frame(3)]);
    assert!(destinations(&*model, "frame 100000", 5).is_err());
    let pose: Pose = "1,2,3,4,5,6.5".parse().unwrap();
    for text in [
        "1,2,3,4,5,6.5",
        "--camera 1,2,3,4,5,6.5",
        "--camera=1,2,3,4,5,6.5",
    ] {
        assert_eq!(all(&*model, text), [Destination::Camera(pose)], "{text}");
    }
    let joints = items_of_kinds(&*model, &["joint"]);
    let last = joints.last().unwrap();
    let name = last.name.clone().unwrap();
    assert_eq!(items(&*model, &format!("joint:{name}")), [last.item]);
    // Names are found in any case, whole names first.
    assert_eq!(items(&*model, &name.to_uppercase())[0], last.item);
    let part = &name[..name.len() - 1];
    assert!(items(&*model, part).contains(&last.item), "{part}");
    let first: Item = ModelItem::Joint { index: 0 }.into();
    assert_eq!(items(&*model, "joint 0"), [first]);
    assert_eq!(items(&*model, &format!("joint {name}")), [last.item]);

    let level = opened(&BATHHOUSE);
    let owner = Owner::Map;
    let entity: Item = LevelItem::Entity { owner, index: 0 }.into();
    assert_eq!(items(&*level, "entity map 0"), [entity]);
    let material: Item = LevelItem::Material { level: 0, index: 3 }.into();
    assert_eq!(items(&*level, "material 3"), [material]);
    let chunk: Item = LevelItem::Chunk { level: 0, chunk: 0 }.into();
    assert_eq!(items(&*level, "chunk (0, 0, 0)"), [chunk]);
    let map_material: Item = TerrainItem::Material { index: 0 }.into();
    assert_eq!(items(&*opened(&HAMLET), "material:Grass"), [map_material]);
}

#[test]
fn a_message_leads_to_the_subject_of_its_problem() {
    let mut text = String::from_utf8(TERRAIN.source().bytes.to_vec()).unwrap();
    text = text.replacen("material", "materiel", 1);
    let source = Source {
        bytes: text.into_bytes().into(),
        ..TERRAIN.source()
    };
    let (options, progress) = (OpenOptions::default(), Progress::default());
    let map = open(&source, &options, &progress).unwrap();
    let mut tried = 0;
    for problem in &map.about().problems {
        let Some(target) = map.problem_target(problem) else {
            continue;
        };
        let severity = match problem.severity {
            Severity::Error => "error",
            _ => "warning",
        };
        let message = format!(
            "demo.pfmap:{}: {severity}: {}",
            problem.place, problem.message
        );
        assert_eq!(
            all(&*map, &message),
            [Destination::Problem(target)],
            "{message}"
        );
        tried += 1;
    }
    let notes = map.notes();
    assert!(tried + notes.len() > 0);
}

#[test]
fn a_text_that_names_nothing_says_what_is_expected() {
    let map = opened(&TERRAIN);
    assert_eq!(destinations(&*map, "  ", 5), Ok(Vec::new()));
    for text in [
        "xyzzy",
        "tile:9999,1",
        "row 999999999999999999999 column 1",
        "1 2 3 4 5 6 7",
        "0xzz",
        "line",
        "demo.pfmap:99999999999999999999:1",
        "line 18446744073709551616",
        "::::",
        "frame 1",
        "é:1:2",
    ] {
        let why = destinations(&*map, text, 5).unwrap_err();
        assert!(!why.is_empty(), "{text}");
    }
}
