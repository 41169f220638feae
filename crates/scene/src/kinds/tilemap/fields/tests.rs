use super::*;
use crate::Property;
use crate::kinds::tilemap::{Cell, GridKind, Tile, sample};
use crate::{Document, Layers, Playhead, Shown};

/// The lines of an item with a name.
fn lines(map: &TileMap, item: Item, name: &str) -> Vec<Property> {
    let groups = (map as &dyn Document)
        .properties(item, Playhead::default())
        .into_iter();
    let all = groups.flat_map(|group| group.properties);
    all.filter(|property| property.name == name).collect()
}

fn value(map: &TileMap, item: Item, name: &str) -> String {
    let lines = lines(map, item, name);
    assert_eq!(lines.len(), 1, "{name}");
    lines[0].value.clone()
}

#[test]
fn links_lead_from_a_cell_to_its_tile_and_its_tileset() {
    let map = sample::made_up();
    let cell = TileMap::cell_item(0, [2, 0]);
    let tile = lines(&map, cell, "Tile")[0].clone();
    assert_eq!(tile.link, Some(TileMap::tile_item(0, 2)));
    assert_eq!(tile.swatch, Some(Swatch::Thumbnail(2)));
    assert_eq!(map.thumbnail(2).unwrap().2[0], 30);
    let tileset = lines(&map, tile.link.unwrap(), "Tileset")[0].link.unwrap();
    assert_eq!(value(&map, tileset, "Tiles"), "4");
    assert_eq!(value(&map, tileset, "Used"), "4 tiles");
    let layers = lines(&map, tileset, "Layer");
    assert_eq!(layers[1].link, Some(TileMap::layer_item(1)));
    // Format-specific data comes last.
    assert_eq!(value(&map, cell, "Index"), "2");
    assert_eq!(value(&map, cell, "Obstructed"), "no");
    let blocked = TileMap::cell_item(0, [0, 0]);
    assert_eq!(value(&map, blocked, "Obstructed"), "yes");
    assert_eq!(value(&map, cell, "At pixel"), "8, 0");
    let last =
        (&map as &dyn Document).properties(TileMap::cell_item(0, [0, 3]), Playhead::default());
    assert!(last.is_empty());
}

#[test]
fn what_a_cell_says_of_itself_takes_no_look_at_other_layers() {
    let map = sample::made_up();
    let at = map.cell_at(TileMap::cell_item(0, [2, 0])).unwrap();
    let cell = CellWithPlace::new(&map, at, map.middle_px(&at), &AT_REST);
    assert!(!CellWithPlace::FIELDS.own(&cell).is_empty());
    assert_eq!(cell.json()["obstructed"], false);
    assert!(cell.here.get().is_none());
}

#[test]
fn a_tile_is_shown_with_those_it_takes_turns_with() {
    let map = sample::made_up();
    let tile = TileMap::tile_item(0, 3);
    assert_eq!(value(&map, tile, "Plays"), "forwards");
    assert_eq!(value(&map, tile, "Each for"), "0.1 s");
    let members = lines(&map, tile, "Tile");
    let members: Vec<_> = members.iter().map(|line| line.link).collect();
    assert_eq!(
        members,
        [2, 3].map(|tile| Some(TileMap::tile_item(0, tile)))
    );
    assert_eq!(lines(&map, TileMap::tile_item(0, 1), "Plays").len(), 0);
    // At another moment it shows another image.
    let image = |playhead| map.tile_image(tile, playhead).unwrap().rgba[0];
    assert_eq!(image(Playhead::default()), 40);
    assert_eq!(image(Playhead::at_frame(0, 3)), 30);
    let clip = lines(&map, map.clips[0].item, "Strand");
    assert_eq!(clip[0].value, "2 to 3, forwards, each for 0.1 s");
}

#[test]
fn a_tile_in_several_palettes_leads_to_its_likes() {
    let mut map = sample::made_up();
    let tile = |id, palette| Tile {
        id,
        palette: Some(palette),
        name: "wall".to_owned(),
    };
    map.tilesets[0].tiles = vec![tile(9, 0), tile(9, 3), tile(8, 0), tile(7, 0)];
    let lines = lines(&map, TileMap::tile_item(0, 0), "Palette");
    let said: Vec<_> = lines.iter().map(|line| (&*line.value, line.link)).collect();
    assert_eq!(said, [("0", None), ("3", Some(TileMap::tile_item(0, 1)))]);
    assert_eq!(value(&map, TileMap::cell_item(0, [0, 0]), "Tile"), "9");
    assert_eq!(value(&map, TileMap::cell_item(0, [0, 0]), "Name"), "wall");
    assert_eq!(map.tilesets()[0].ids, [9, 9, 8, 7]);
    let missing = TileMap::cell_item(0, [3, 2]);
    assert_eq!(value(&map, missing, "Tile"), "none");
}

#[test]
fn zones_and_what_is_in_them_lead_to_each_other() {
    let map = sample::made_up();
    let [meadow, other] = [1, 2].map(TileMap::zone_item);
    let hero = map.object_item(0).unwrap();
    assert_eq!(lines(&map, hero, "Wanders in")[0].link, Some(meadow));
    assert_eq!(lines(&map, meadow, "Entity")[0].link, Some(hero));
    assert_eq!(value(&map, meadow, "Tiles"), "5");
    assert_eq!(lines(&map, other, "Area")[0].link, map.object_item(2));
    let zones = lines(&map, TileMap::cell_item(0, [2, 2]), "Zone");
    assert_eq!(zones[0].link, None, "{zones:?}");
}

#[test]
fn a_cell_leads_to_those_below_and_above_it() {
    let map = sample::made_up();
    let roof = TileMap::cell_item(1, [0, 0]);
    let layers = lines(&map, roof, "On layer");
    let said: Vec<_> = layers
        .iter()
        .map(|line| (&*line.value, line.link))
        .collect();
    let ground = TileMap::cell_item(0, [1, 1]);
    assert_eq!(said, [("Ground: 1", Some(ground)), ("Roof: 1", None)]);
    let below = lines(&map, ground, "On layer");
    assert_eq!(below[1].link, Some(roof));
    // A place with only one layer needs no list.
    assert_eq!(
        lines(&map, TileMap::cell_item(0, [1, 0]), "On layer").len(),
        0
    );
}

#[test]
fn a_tint_is_said_once_where_it_is_even() {
    let mut map = sample::made_up();
    let plain = [128, 128, 128, 255];
    let mut tints = vec![[plain; 4]; 12];
    tints[1] = [[255, 0, 0, 255]; 4];
    tints[2][3] = [0, 0, 0, 0];
    map.layers[0].tints = Some(tints);
    let said = |index| {
        let cell = map.layers[0].cell_item(0, index);
        let groups = (&map as &dyn Document)
            .properties(cell, Playhead::default())
            .into_iter();
        let all = groups.flat_map(|group| group.properties);
        let tints = all.filter(|property| property.name.starts_with("Tint"));
        tints.map(|property| property.value).collect::<Vec<_>>()
    };
    assert_eq!(said(0), ["none"]);
    assert_eq!(said(1), ["255 0 0, opacity 255"]);
    assert_eq!(said(2), ["none", "none", "none", "0 0 0, opacity 0"]);
}

#[test]
fn every_item_of_the_tree_has_properties_and_a_summary() {
    let map = sample::made_up();
    let mut lines = map.outline();
    let mut count = 0;
    while let Some(line) = lines.pop() {
        if let Some(item) = line.item {
            count += 1;
            assert!(
                !(&map as &dyn Document)
                    .properties(item, Playhead::default())
                    .is_empty(),
                "{item:?}"
            );
            assert!(
                !(&map as &dyn Document)
                    .summary(item, &Shown::default())
                    .is_empty(),
                "{item:?}"
            );
        }
        lines.extend(line.children);
    }
    assert_eq!(count, 12);
}

fn said(map: &TileMap, item: Item) -> Vec<(&'static str, String)> {
    let parts = (map as &dyn Document)
        .summary(item, &Shown::default())
        .into_iter();
    parts.map(|part| (part.name, part.value)).collect()
}

fn owned<const N: usize>(parts: [(&'static str, &str); N]) -> Vec<(&'static str, String)> {
    parts.map(|(name, value)| (name, value.to_owned())).to_vec()
}

#[test]
fn a_cell_is_said_in_a_line() {
    let mut map = sample::made_up();
    map.layers[0].cells[5].0 |= Cell::MIRROR_X | Cell::SWAP_AXES;
    let cell = owned([
        ("Layer", "Ground"),
        ("X", "1"),
        ("Y", "1"),
        ("Tile", "1"),
        ("Zone", "meadow"),
        ("Obstructed", "no"),
        ("Flags", "rotated 90° clockwise"),
        ("Here", "Ground 1  Roof 1"),
    ]);
    assert_eq!(said(&map, TileMap::cell_item(0, [1, 1])), cell);
    let empty = said(&map, TileMap::cell_item(0, [0, 2]));
    assert_eq!(empty[3], ("Tile", "empty".to_owned()));
    assert_eq!(empty[4], ("Zone", "none".to_owned()));
    // Its zone number is not described, and no area contains it.
    assert_eq!(
        said(&map, TileMap::cell_item(0, [2, 2]))[4].1,
        "7 (not described)"
    );
    assert_eq!(
        said(&map, TileMap::cell_item(0, [2, 1]))[4].1,
        "meadow, Zone 2 (Ground)"
    );
    assert_eq!(said(&map, TileMap::cell_item(0, [0, 3])), []);
    // The following parts keep their position.
    let widths = |index| {
        let parts = (&map as &dyn Document)
            .summary(map.layers[0].cell_item(0, index), &Shown::default())
            .into_iter();
        parts.map(|part| part.width).collect::<Vec<_>>()
    };
    assert_eq!(widths(1), [7, 1, 1, 5, 16, 3]);
}

#[test]
fn what_blocks_a_place_is_said_with_its_layer() {
    let mut map = sample::made_up();
    // A top layer without further data, such as one that lights a cave.
    map.layers.push(Layer {
        name: "Light".to_owned(),
        size: [4, 3],
        cells: sample::cells(&[2; 12]),
        ..Default::default()
    });
    map.steps = TileMap::steps_in_file_order(&map.layers, &[]);
    map.grids[0].layer = Some(0);
    map.grids[0].kind = GridKind::Obstruction { by_sides: true };
    map.grids[1].layer = Some(0);
    let light = said(&map, TileMap::cell_item(3, [1, 0]));
    assert_eq!(light[0].1, "Light");
    assert_eq!(light[4], ("Zone", "meadow (Ground)".to_owned()));
    assert_eq!(light[5], ("Obstructed", "yes (Ground)".to_owned()));
    let all = "Ground 0 (obstructed, meadow)  Light 2".to_owned();
    assert_eq!(light[6], ("Here", all));
    let free = said(&map, TileMap::cell_item(3, [3, 1]));
    assert_eq!(free[5], ("Obstructed", "no".to_owned()));
    // At the pointer, layers may be arranged differently than at rest.
    map.layers[3].parallax.mul = [0, 0];
    let shown = Shown {
        flat: true,
        flat_camera_px: [4, 0],
        ..Shown::default()
    };
    let at = Some(glam::vec3(12.5, 0.0, 1.5));
    let parts = (&map as &dyn Document).summary(
        TileMap::cell_item(3, [2, 0]),
        ViewState {
            pointer: at,
            ..(&shown).into()
        },
    );
    let obstructed = parts.iter().find(|part| part.name == "Obstructed");
    assert_eq!(obstructed.unwrap().value, "no");
    let at = Some(glam::vec3(4.5, 0.0, 1.5));
    let parts = (&map as &dyn Document).summary(
        TileMap::cell_item(3, [0, 0]),
        ViewState {
            pointer: at,
            ..(&shown).into()
        },
    );
    let obstructed = parts.iter().find(|part| part.name == "Obstructed");
    assert_eq!(obstructed.unwrap().value, "yes (Ground)");
}

/// With parallax, the inspector agrees with the status line about a place.
#[test]
fn the_inspector_and_the_status_line_agree_on_what_is_at_a_place() {
    let mut map = sample::made_up();
    map.layers[1].parallax.mul = [0, 0];
    let shown = Shown {
        flat: true,
        flat_camera_px: [8, 4],
        ..Shown::default()
    };
    // The roof stays fixed on the screen, over other tiles of the ground.
    let roof = TileMap::cell_item(1, [0, 0]);
    let pointer = glam::vec3(14.5, 0.0, 10.5);
    let status = (&map as &dyn Document).summary(
        roof,
        ViewState {
            pointer: Some(pointer),
            ..(&shown).into()
        },
    );
    let status = status.iter().find(|part| part.name == "Here").unwrap();
    let groups = (&map as &dyn Document).properties(roof, &shown).into_iter();
    let lines = groups.flat_map(|group| group.properties);
    let lines: Vec<String> = lines
        .filter(|line| line.name == "On layer")
        .map(|line| line.value.replace(": ", " "))
        .collect();
    assert_eq!(status.value, lines.join("  "));
    let at_rest = lines_at_rest(&map, roof);
    assert_ne!(lines, at_rest, "at rest other tiles are there");
}

fn lines_at_rest(map: &TileMap, item: Item) -> Vec<String> {
    let lines = lines(map, item, "On layer").into_iter();
    lines.map(|line| line.value.replace(": ", " ")).collect()
}

#[test]
fn other_items_are_said_in_a_line() {
    let map = sample::made_up();
    let tile = said(&map, TileMap::tile_item(0, 2));
    assert_eq!(tile, owned([("Tile", "2"), ("Used", "3 times")]));
    let layer = said(&map, TileMap::layer_item(2));
    assert_eq!(layer[..2], owned([("Layer", "Layer 2"), ("Size", "1 x 1")]));
    let hero = said(&map, map.object_item(0).unwrap());
    let expected = [
        ("Entity", "Hero"),
        ("X", "1"),
        ("Y", "1"),
        ("Wanders in", "meadow"),
    ];
    assert_eq!(hero, owned(expected));
    let zone = said(&map, TileMap::zone_item(1));
    assert_eq!(zone, owned([("Zone", "meadow"), ("Tiles", "5")]));
    let clip = said(&map, map.clips[0].item);
    assert_eq!(clip, owned([("Clip", "Tiles"), ("Lasts", "0.2 s")]));
}
