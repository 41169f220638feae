use std::collections::HashMap;
use std::sync::OnceLock;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value as Json;

use crate::{Export, targets};
use mapscope_formats::Format;
use mapscope_scene::tilemap::{
    Cell, Facts, Grid, GridKind, Integers, Layer, ListPlace, Object, ObjectKind, Parallax, RectPx,
    Step, Strand, StrandMode, Tile, TileMap, Tileset, Zone,
};
use mapscope_scene::{Fact, FactGroup, TileMapItem};

static FORMAT: Format = Format {
    id: "ika-map",
    name: "Made-up map",
    endings: &["map"],
    sniff: |_| true,
};
/// A name with all special characters of XML, JSON and CSV, and one that XML cannot represent.
const ODD_NAME: &str = "a \"b\", <c> & 'd'\r\ne\u{1}";

/// Six tiles of 4 x 4 pixels: the number of each is its red value, and the second is half
/// transparent.
fn tileset() -> Tileset {
    let image = |shade: u8| [shade, 0, 0, if shade == 1 { 128 } else { 255 }].repeat(16);
    let tile = |id: u32| Tile {
        id: 40 + id * 3,
        palette: Some(id),
        name: format!("tile {id}"),
    };
    Tileset {
        name: "sheet".to_owned(),
        tile_size: [4, 4],
        count: 6,
        rgba: (0..6).flat_map(image).collect(),
        tiles: (0..6).map(tile).collect(),
        strands: vec![Strand {
            first: 2,
            last: 4,
            delay_ticks: 13,
            mode: StrandMode::PingPong,
        }],
        ..Tileset::default()
    }
}

fn objects() -> Vec<Object> {
    let rect = |at: [f32; 2], size: [f32; 2]| RectPx {
        min: at,
        max: [0, 1].map(|axis: usize| at[axis] + size[axis]),
    };
    let hero = Object {
        rect_px: rect([3.0, 5.5], [7.0, 9.0]),
        ..Object::new(ObjectKind::Entity, ODD_NAME, None)
    };
    let door = Object {
        rect_px: rect([12.0, 11.0], [0.0; 2]),
        ..Object::new(ObjectKind::Waypoint, "Door", None)
    };
    let area = Object {
        rect_px: rect([1.0, 2.0], [13.0, 14.0]),
        zone: Some(1),
        ..Object::new(ObjectKind::ZoneArea, "", None)
    };
    let line = Object {
        outline_px: vec![[2.0, 3.0], [7.0, 1.0]],
        ..Object::new(ObjectKind::Line, "Path", None)
    };
    vec![hero, door, area, line]
}

/// File data: how each layer is blended, and properties of the first object and of zones.
#[derive(Debug, Default)]
struct Data {
    script_of_zone_0: Option<&'static str>,
}

impl Facts for Data {
    fn of(&self, _map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let facts = match item {
            TileMapItem::Layer { index } => {
                let mode = ["Copy", "AlphaBlend"][index as usize];
                vec![Fact::new("Rendering mode", mode)]
            }
            TileMapItem::Entity { index: 0 } => {
                vec![Fact::new("Script", "x\n<y>"), Fact::new("Steps", -7)]
            }
            TileMapItem::Zone { index } => {
                let script = self.script_of_zone_0.filter(|_| index == 0);
                let facts = [Fact::new("Chance", 9), Fact::new("Closed", true)];
                facts
                    .into_iter()
                    .chain(script.map(|it| Fact::new("Script", it)))
                    .collect()
            }
            _ => return Vec::new(),
        };
        vec![FactGroup::new("In the file", facts)]
    }
}

/// A ground of 8 x 1 cells with each tile orientation, and above it a smaller layer with tiles
/// twice as large, which has another position and moves more slowly.
fn map() -> TileMap {
    let large = Tileset {
        name: "large".to_owned(),
        tile_size: [8, 8],
        count: 2,
        rgba: vec![255; 2 * 8 * 8 * 4],
        ..Tileset::default()
    };
    let ground = Layer {
        name: ODD_NAME.to_owned(),
        size: [8, 2],
        cells: (0..8)
            .map(|turn| Cell((turn % 6) | (turn << 24)))
            .chain([Cell::EMPTY; 7])
            .chain([Cell(5)])
            .collect(),
        ..Layer::default()
    };
    let roof = Layer {
        name: "Roof".to_owned(),
        tileset: 1,
        size: [2, 1],
        position_px: [3, -5],
        parallax: Parallax {
            mul: [1, 3],
            div: [4, 2],
        },
        cells: vec![Cell(1), Cell(0)],
        ..Layer::default()
    };
    let zone = |name: &str| Zone {
        name: name.to_owned(),
    };
    let draw = |layer, skips_zero, is_opaque| Step::Layer {
        layer,
        skips_zero,
        is_opaque,
        pass: mapscope_scene::tilemap::Pass::All,
    };
    let grid = |kind, values| Grid {
        kind,
        layer: None,
        size: [8, 2],
        values,
        place: ListPlace::Unknown,
    };
    TileMap {
        tilesets: vec![tileset(), large],
        layers: vec![ground, roof],
        steps: vec![
            draw(0, false, true),
            Step::Objects { layer: None },
            draw(1, true, false),
        ],
        grids: vec![
            grid(
                GridKind::Obstruction { by_sides: false },
                Integers::U8(vec![0, 7, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]),
            ),
            grid(GridKind::Zones, Integers::U32([0, 1].repeat(8))),
        ],
        zones: vec![zone("nowhere"), zone("mea\"dow,")],
        objects: objects(),
        ..TileMap::new(&FORMAT, "6", Box::new(Data::default()))
    }
    .finished()
}

fn made(ending: &str) -> &'static Export {
    static MADE: OnceLock<HashMap<&str, Export>> = OnceLock::new();
    let all = MADE.get_or_init(|| {
        let map = map();
        let made = targets(&map).into_iter();
        made.map(|target| (target.kind.ending, target.make(&map, "wald").unwrap()))
            .collect()
    });
    &all[ending]
}

/// An element: its name, its attributes and its content.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: HashMap<String, String>,
    children: Vec<Element>,
    text: String,
}

impl Element {
    fn all<'a>(&'a self, name: &str) -> Vec<&'a Self> {
        self.children
            .iter()
            .filter(|child| child.name == name)
            .collect()
    }

    fn get(&self, key: &str) -> &str {
        &self.attributes[key]
    }
}

fn tmx() -> Element {
    let text = std::str::from_utf8(&made("tmx").file).unwrap();
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        let event = reader.read_event().unwrap();
        let is_closed = matches!(event, Event::Empty(_) | Event::End(_));
        match event {
            Event::Start(start) | Event::Empty(start) => {
                let attributes = start.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
                    let value = std::str::from_utf8(&attribute.value).unwrap().to_owned();
                    (
                        key,
                        quick_xml::escape::unescape(&value).unwrap().into_owned(),
                    )
                });
                open.push(Element {
                    name: String::from_utf8(start.name().as_ref().to_vec()).unwrap(),
                    attributes: attributes.collect(),
                    ..Element::default()
                });
            }
            Event::Text(text) => {
                let text = text.decode().unwrap();
                open.last_mut().unwrap().text.push_str(text.trim());
            }
            Event::Eof => break,
            _ => {}
        }
        if is_closed {
            close(&mut open);
        }
    }
    open.remove(0).children.remove(0)
}

fn close(open: &mut Vec<Element>) {
    let done = open.pop().unwrap();
    open.last_mut().unwrap().children.push(done);
}

fn tmj() -> Json {
    serde_json::from_slice(&made("tmj").file).unwrap()
}

/// The odd name as XML represents it.
fn odd_in_xml() -> String {
    ODD_NAME.replace('\u{1}', "\u{fffd}")
}

#[test]
fn only_maps_of_tiled_are_known_as_such() {
    assert!(super::xml::is_map(&made("tmx").file));
    assert!(super::is_json_map(&made("tmj").file));
    let declared = "\u{feff}<?xml version=\"1.0\"?>\n";
    let map = "<map version=\"1.10\" orientation=\"orthogonal\"/>";
    for text in [map, &format!("{declared}<!-- <a> -->{map}")] {
        assert!(super::xml::is_map(text.as_bytes()), "{text}");
    }
    for text in [
        "<?xml version=\"1.0\"?><map name=\"m\"/>",
        &format!("<game>{map}</game>"),
        &format!("<!-- {map} --><svg/>"),
        "map",
        "<",
    ] {
        assert!(!super::xml::is_map(text.as_bytes()), "{text}");
    }
    let json = r#"{ "layers": [], "orientation": "orthogonal", "type": "map" }"#;
    assert!(super::is_json_map(json.as_bytes()));
    for text in [
        r#"{"type":"map","zoom":3}"#,
        r#"{"layers":[{"type":"map"}]}"#,
        "[",
    ] {
        assert!(!super::is_json_map(text.as_bytes()), "{text}");
    }
}

#[test]
fn characters_that_xml_has_not_are_told() {
    let [tmx, tmj] = ["tmx", "tmj"].map(|ending| {
        let losses = &made(ending).losses;
        losses
            .iter()
            .any(|loss| loss.starts_with("Control characters"))
    });
    assert!(tmx && !tmj);
}

#[test]
fn both_files_have_the_same_cells() {
    let (tmx, tmj) = (tmx(), tmj());
    let of_json = tmj["layers"].as_array().unwrap().iter();
    let of_json: Vec<&Json> = of_json
        .filter(|layer| layer["type"] == "tilelayer")
        .collect();
    let of_xml = tmx.all("layer");
    assert_eq!(of_xml.len(), 4);
    for (xml, json) in of_xml.iter().zip(&of_json) {
        let gids = xml.all("data")[0]
            .text
            .split(',')
            .map(|gid| gid.trim().parse().unwrap());
        let gids: Vec<u64> = gids.collect();
        let data = json["data"].as_array().unwrap().iter();
        assert_eq!(
            gids,
            data.map(|gid| gid.as_u64().unwrap()).collect::<Vec<u64>>()
        );
        assert_eq!(gids.len(), 16);
    }
    assert_eq!(of_xml[0].get("name"), odd_in_xml());
    assert_eq!(of_json[0]["name"], ODD_NAME);
}

#[test]
fn layers_have_what_the_file_says_of_them() {
    let tmj = tmj();
    let modes = [0, 2].map(|layer| {
        let properties = tmj["layers"][layer]["properties"].as_array().unwrap();
        let mode = properties.iter().find(|it| it["name"] == "Rendering mode");
        mode.unwrap()["value"].clone()
    });
    assert_eq!(modes, ["Copy", "AlphaBlend"]);
}

#[test]
fn tiles_are_turned_as_in_the_map() {
    let tmj = tmj();
    let first = tmj["tilesets"][0]["firstgid"].as_u64().unwrap();
    let data = tmj["layers"][0]["data"].as_array().unwrap();
    let bits = [0, 8, 4, 12, 2, 10, 6, 14];
    for (turn, bits) in bits.into_iter().enumerate() {
        assert_eq!(data[turn], (bits << 28) + first + turn as u64 % 6, "{turn}");
    }
    assert_eq!(
        [&data[8], &data[15]],
        [&Json::from(0), &Json::from(first + 5)]
    );
}

#[test]
fn what_hides_all_below_has_an_opaque_sheet() {
    let tmx = tmx();
    let sheets: Vec<&str> = tmx.all("tileset").iter().map(|it| it.get("name")).collect();
    assert_eq!(sheets, ["sheet (opaque)", "large", "Obstruction", "Zones"]);
    let export = made("tmx");
    let names: Vec<&str> = export.beside.iter().map(|file| &*file.name).collect();
    let expected = [
        "wald-sheet-opaque.png",
        "wald-large.png",
        "wald-Obstruction.png",
        "wald-Zones.png",
    ];
    assert_eq!(names, expected);
    let decoder = png::Decoder::new(std::io::Cursor::new(&export.beside[0].bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels.len(), 24 * 4 * 4);
    let colors = (0..6).map(|tile| pixels[tile * 16..][..4].to_vec());
    let expected = (0..6).map(|tile| vec![tile, 0, 0, 255]);
    assert!(colors.eq(expected));
}

#[test]
fn strands_are_animations_in_milliseconds() {
    let tmx = tmx();
    let tiles = tmx.all("tileset")[0].all("tile");
    let frames = |tile: usize| -> Vec<[String; 2]> {
        let animations = tiles[tile].all("animation");
        let frames = animations.iter().flat_map(|it| it.all("frame"));
        frames
            .map(|it| ["tileid", "duration"].map(|key| it.get(key).to_owned()))
            .collect()
    };
    let shown = |tiles: &[&str]| -> Vec<[String; 2]> {
        tiles
            .iter()
            .map(|tile| [(*tile).to_owned(), "130".to_owned()])
            .collect()
    };
    assert_eq!(frames(1), shown(&[]));
    assert_eq!(frames(3), shown(&["3", "4", "3", "2"]));
    let tmj = tmj();
    let tile = &tmj["tilesets"][0]["tiles"][3];
    assert_eq!(
        tile["animation"][3],
        serde_json::json!({"tileid": 2, "duration": 130})
    );
    let id = &tile["properties"][0];
    assert_eq!(
        *id,
        serde_json::json!({"name": "id", "type": "int", "value": 49})
    );
}

#[test]
fn smaller_layers_are_padded_and_lie_where_they_did() {
    let tmx = tmx();
    assert_eq!(["width", "height"].map(|key| tmx.get(key)), ["8", "2"]);
    assert_eq!(
        ["tilewidth", "tileheight"].map(|key| tmx.get(key)),
        ["4", "4"]
    );
    let roof = tmx.all("layer")[1];
    let keys = ["name", "offsetx", "offsety", "parallaxx", "parallaxy"];
    assert_eq!(
        keys.map(|key| roof.get(key)),
        ["Roof", "3", "-5", "0.25", "1.5"]
    );
    // The larger tile is in the lower left of its four cells, and tile 0 is not drawn.
    let gids: Vec<&str> = roof.all("data")[0].text.split(',').map(str::trim).collect();
    let first: u32 = tmx.all("tileset")[1].get("firstgid").parse().unwrap();
    let filled: Vec<(usize, &&str)> = gids
        .iter()
        .enumerate()
        .filter(|(_, gid)| **gid != "0")
        .collect();
    assert_eq!(filled, [(8, &&*(first + 1).to_string())]);
    let columns = roof.all("properties")[0].all("property")[0];
    assert_eq!(
        [columns.get("name"), columns.get("value")],
        ["columns", "2"]
    );
    assert!(
        made("tmx")
            .losses
            .iter()
            .any(|loss| loss.contains("4 x 4 pixels"))
    );
}

#[test]
fn what_is_said_of_zone_0_is_lost_where_it_is_more_than_numbers() {
    let is_lost = |name: &str, script_of_zone_0| {
        let mut map = map();
        name.clone_into(&mut map.zones[0].name);
        map.facts = Box::new(Data { script_of_zone_0 });
        let made = targets(&map)[0].make(&map, "wald").unwrap();
        made.losses.iter().any(|loss| loss.contains("zone 0"))
    };
    assert!(!is_lost("", None));
    assert!(is_lost("nowhere", None));
    assert!(is_lost("", Some("ring")));
}

#[test]
fn objects_have_their_shapes_and_properties() {
    let tmx = tmx();
    let objects = tmx.all("objectgroup")[0].all("object");
    let keys = ["id", "type", "x", "y"];
    let said: Vec<[&str; 4]> = objects
        .iter()
        .map(|object| keys.map(|key| object.get(key)))
        .collect();
    let expected = [
        ["1", "entity", "3", "5.5"],
        ["2", "waypoint", "12", "11"],
        ["3", "zone area", "1", "2"],
        ["4", "line", "2", "3"],
    ];
    assert_eq!(said, expected);
    assert_eq!(objects[0].get("name"), odd_in_xml());
    assert_eq!(
        ["width", "height"].map(|key| objects[0].get(key)),
        ["7", "9"]
    );
    let property = |object: usize, at: usize| {
        let property = objects[object].all("properties")[0].all("property")[at];
        ["name", "value"].map(|key| property.get(key).to_owned())
    };
    let kind = |object: usize, at: usize| {
        let property = objects[object].all("properties")[0].all("property")[at];
        property.get("type").to_owned()
    };
    assert_eq!(property(0, 0), ["Script", "x\n<y>"]);
    assert_eq!(property(0, 1), ["Steps", "-7"]);
    assert_eq!(property(2, 0), ["zone", "mea\"dow,"]);
    assert_eq!(property(2, 1), ["Chance", "9"]);
    assert_eq!(property(2, 2), ["Closed", "true"]);
    assert_eq!([kind(2, 1), kind(2, 2)], ["int", "bool"]);
    assert_eq!(objects[1].all("point").len(), 1);
    assert_eq!(objects[3].all("polyline")[0].get("points"), "0,0 5,-2");
    let tmj = tmj();
    let hero = &tmj["layers"][1]["objects"][0];
    assert_eq!(hero["name"], ODD_NAME);
    let steps = serde_json::json!({"name": "Steps", "type": "int", "value": -7});
    assert_eq!(hero["properties"][1], steps);
    let closed = serde_json::json!({"name": "Closed", "type": "bool", "value": true});
    assert_eq!(tmj["layers"][1]["objects"][2]["properties"][2], closed);
}

#[test]
fn grids_are_hidden_layers_of_their_numbers() {
    let tmx = tmx();
    let layers = tmx.all("layer");
    assert_eq!(
        [layers[2], layers[3]].map(|layer| layer.get("visible")),
        ["0", "0"]
    );
    let tilesets = tmx.all("tileset");
    let first: u32 = tilesets[2].get("firstgid").parse().unwrap();
    let gids: Vec<u32> = layers[2].all("data")[0]
        .text
        .split(',')
        .map(|gid| gid.trim().parse().unwrap())
        .collect();
    assert_eq!(
        [gids[0], gids[1], gids[4], gids[15]],
        [0, first + 1, first, first + 1]
    );
    let values = tilesets[2].all("tile");
    let value = |tile: usize| values[tile].all("properties")[0].all("property")[0].get("value");
    assert_eq!([value(0), value(1)], ["2", "7"]);
    let zone = tilesets[3].all("tile")[0].all("properties")[0].all("property");
    assert_eq!(zone[1].get("value"), "mea\"dow,");
}

/// Parses the records of a table according to RFC 4180.
fn records(bytes: &[u8]) -> Vec<Vec<String>> {
    let text = std::str::from_utf8(bytes).unwrap();
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\r' if !is_quoted => {
                assert_eq!(chars.next(), Some('\n'));
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    assert!(record.is_empty() && field.is_empty() && !is_quoted);
    records
}

#[test]
fn tables_have_a_line_for_each_cell() {
    let records = records(&made("csv").file);
    assert_eq!(records.len(), 1 + 16 + 2);
    assert!(
        records
            .iter()
            .all(|record| record.len() == records[0].len())
    );
    let line = |at: usize| -> HashMap<&str, &str> {
        records[0]
            .iter()
            .map(|name| &**name)
            .zip(records[at].iter().map(|it| &**it))
            .collect()
    };
    let keys = [
        "layer",
        "layer_name",
        "x",
        "y",
        "tile",
        "palette",
        "obstruction",
        "zone",
    ];
    assert_eq!(
        keys.map(|key| line(2)[key]),
        ["0", ODD_NAME, "1", "0", "43", "1", "7", "mea\"dow,"]
    );
    let flags = ["mirrored_x", "mirrored_y", "axes_swapped", "priority"];
    for turn in 0..8 {
        let bits = [1, 2, 4].map(|bit| if turn & bit == 0 { "false" } else { "true" });
        let [x, y, swapped] = bits;
        assert_eq!(flags.map(|flag| line(turn + 1)[flag]), [x, y, swapped, "0"]);
    }
    let empty = line(9);
    assert_eq!(
        ["x", "y", "tile", "mirrored_x"].map(|key| empty[key]),
        ["0", "1", "", ""]
    );
    assert_eq!(
        ["layer", "x", "tile"].map(|key| line(18)[key]),
        ["1", "1", "0"]
    );
}

#[test]
fn the_image_is_the_flat_one() {
    let map = map();
    let shown = mapscope_scene::Shown::default();
    let layers = mapscope_scene::Document::layers(&map).unwrap();
    let mut expected = Vec::new();
    layers.flat(&shown).write_png(&mut expected).unwrap();
    assert!(expected.len() > 50);
    assert_eq!(made("png").file, expected);
}

#[test]
fn more_cells_than_a_file_is_written_with_are_refused() {
    let mut map = map();
    map.layers[0].size = [1 << 16, 1 << 14];
    let target = targets(&map)[0];
    let error = target.make(&map, "wald").unwrap_err().to_string();
    assert!(
        error.contains("Tiled map files can have at most"),
        "{error}"
    );
}
