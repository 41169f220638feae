//! ika's text maps: what is wrong with a file, and what is made of it.

use std::ops::ControlFlow;

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::Parallax;
use mapscope_formats::ika::text_map::{FORMAT, Span, TextMap, read, read_with, write};
use mapscope_formats::{Place, ReadError, Severity};
use mapscope_testdata::synthesize;

fn made_up() -> TextMap {
    synthesize::ika_text_map([12, 9], 3, 7)
}

fn decode(bytes: &[u8]) -> String {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    text.into_owned()
}

/// A made-up map as a text that can be changed.
fn text() -> String {
    let bytes = write(&made_up()).unwrap();
    decode(&bytes)
}

#[track_caller]
fn good(text: &str) -> TextMap {
    let (bytes, ..) = WINDOWS_1252.encode(text);
    read(&bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn messages(map: &TextMap) -> Vec<String> {
    map.problems.iter().map(ToString::to_string).collect()
}

/// The one problem of a map.
#[track_caller]
fn one(map: &TextMap, severity: Severity, with: &str) {
    let [problem] = &map.problems[..] else {
        panic!("{:?}", messages(map))
    };
    assert_eq!(problem.severity, severity, "{problem}");
    assert!(problem.to_string().contains(with), "{problem}");
}

#[test]
fn made_up_maps_come_back() {
    for (size, layers) in [([1, 1], 1), ([12, 9], 3), ([3, 200], 12)] {
        let map = synthesize::ika_text_map(size, layers, u64::from(size[0]));
        let bytes = write(&map).unwrap();
        let read = read(&bytes).unwrap();
        assert!((FORMAT.sniff)(&bytes));
        assert_eq!(messages(&read), [""; 0]);
        assert_eq!(write(&read).unwrap(), bytes);
        assert_eq!(read.without_places(), map);
    }
}

#[test]
fn old_habits_are_read() {
    // Version 1.0: bare texts, base64 in lines of 44, `format` for the style of obstructions.
    let mut map = made_up();
    for layer in &mut map.layers {
        for entity in &mut layer.entities {
            entity.move_script = "down".to_owned();
        }
    }
    let bytes = write(&map).unwrap();
    let mut old = decode(&bytes).replace("'1.2'", "1.0");
    old = old.replace("(style 'tile')\r\n\t\t\t\t(format 'zlib')", "(format tile)");
    let mut bare = String::new();
    for line in old.lines() {
        if line.trim_start().starts_with("'eJ") {
            let base64 = line.trim().trim_matches('\'');
            for chunk in base64.as_bytes().chunks(44) {
                bare += std::str::from_utf8(chunk).unwrap();
                bare += "\r\n";
            }
        } else {
            bare += &line.replace('\'', "");
        }
        bare += "\r\n";
    }
    let read = good(&bare);
    assert_eq!(messages(&read), [""; 0]);
    let expected = TextMap {
        version: "1.0".to_owned(),
        ..map
    };
    assert_eq!(read.without_places(), expected);
}

#[test]
fn parts_are_where_they_are_said_to_be() {
    let bytes = write(&made_up()).unwrap();
    let read = read(&bytes).unwrap();
    let check = |place: &Span, begin: &[u8]| {
        let slice = &bytes[place.bytes.start as usize..place.bytes.end as usize];
        assert!(
            slice.starts_with(begin) && slice.ends_with(b")"),
            "{place:?}"
        );
        let before = &bytes[..place.bytes.start as usize];
        let lines: Vec<&[u8]> = before.split(|byte| *byte == b'\n').collect();
        let line = lines.len() as u64;
        let column = lines.last().unwrap().len() as u64 + 1;
        assert_eq!(place.begin, Place::Text { line, column });
    };
    check(&read.zones[0].place, b"(zone ");
    check(&read.waypoints[0].place, b"(waypoint ");
    for layer in &read.layers {
        check(&layer.place, b"(layer ");
        check(&layer.data, b"(data ");
        check(&layer.entities[3].place, b"(entity ");
        check(&layer.zones[0].place, b"(zone ");
    }
}

#[test]
fn only_maps_are_read() {
    let refused = |bytes: &[u8], with: &str| {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains(with), "{error}");
    };
    refused(b"", "the file is empty");
    refused(
        b"<ika-map>",
        "begins with `<ika-map>`; expected `(ika-map `",
    );
    refused(b"(ika-tileset )", "expected `(ika-map `");
    assert!(!(FORMAT.sniff)(b"(ika-tileset )"));
    let mut stop = |_| ControlFlow::Break(());
    let stopped = read_with(&write(&made_up()).unwrap(), &mut stop);
    assert_eq!(stopped, Err(ReadError::Cancelled));
    let empty = good("(ika-map )");
    assert_eq!(empty.layers, []);
    assert_eq!(
        messages(&empty),
        [
            "1:1: warning: no version; expected 1.0, 1.1 or 1.2; it is read as 1.2",
            "1:1: warning: the map has no node `header`; expected one",
            "1:1: error: the map has no layers, so there is nothing to show; expected at least one",
        ]
    );
}

#[test]
fn there_are_not_too_many_layers() {
    let read = good(&format!("(ika-map (layers {}))", "(layer )".repeat(3000)));
    assert_eq!(read.layers.len(), 1024);
    let messages = messages(&read);
    let expected = "3000 layers; the first 1024 are shown";
    assert!(
        messages.iter().any(|m| m.ends_with(expected)),
        "{messages:?}"
    );
}

#[test]
fn sections_are_found_by_name() {
    let read = good(
        "(ika-map (version 1.1)(zones (zone (script b)(label a)))(other (layers (layer )))\n\
         (header (tileset x.vsp)(tileset y.vsp))(layers (layer (dimensions (width 1)(height 1))\
         (data 'eJxjYGBgAAAABAAB'))))",
    );
    assert_eq!(
        (read.tileset.as_str(), read.zones[0].label.as_str()),
        ("x.vsp", "a")
    );
    assert_eq!((read.size, read.layers.len()), ([0, 0], 1));
    assert!(
        read.problems
            .iter()
            .all(|p| p.severity == Severity::Warning)
    );
    assert!(messages(&read).iter().any(|m| m.contains("2 tilesets")));
}

#[test]
fn odd_values_are_listed() {
    use Severity::{Error, Warning};
    let text = text();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        good(&text.replacen(from, to, 1))
    };
    one(
        &with("'1.2'", "'2.0'"),
        Warning,
        "2:11: warning: version `2.0`; expected 1.0, 1.1 or 1.2",
    );
    let read = with("(divx '2')", "(divx '0')");
    one(
        &read,
        Warning,
        "layer 2 `Layer 2`: the parallax is 3/0 along x and 1/2 along y",
    );
    assert_eq!(
        read.layers[2].parallax,
        Parallax {
            mul: [0, 1],
            div: [1, 2]
        }
    );
    let read = with("(width '12')", "(width '-12')");
    one(
        &read,
        Error,
        "layer 0 `Layer 0`: -12 x 9 tiles, so it is not shown; expected at least 1 x 1",
    );
    assert_eq!(read.layers[0].tiles.len(), 0);
    assert_eq!(read.layers[1].tiles.len(), 70);
    one(
        &with("(height '9')", "(height '65536000')"),
        Error,
        "12 x 65536000 tiles",
    );
    one(
        &with("(x '8')", "(x '8.5')"),
        Error,
        "`x` is `8.5`; expected a whole number",
    );
    one(
        &with("(x 'true')", "(x 'yes')"),
        Error,
        "`x` is `yes`; expected `true` or `false`",
    );
    one(
        &with("'left'", "'north'"),
        Warning,
        "looks `north`; expected a direction",
    );
    one(
        &with("(type 'tile')", "(type 'vector')"),
        Warning,
        "the type is `vector`",
    );
    one(
        &with("(format 'zlib')", "(format 'raw')"),
        Warning,
        "tiles: the data is said to be `raw`; expected `zlib`",
    );
    let read = with(
        "(label 'Café')\r\n\t\t\t(script",
        "(label 'Bar')\r\n\t\t\t(script",
    );
    // Three areas name it.
    assert_eq!(read.problems.len(), 1, "{:?}", messages(&read));
    assert_eq!(read.problems[0].consequences.len(), 2);
    let message = &read.problems[0].message;
    assert!(
        message.contains("the zone `Café` is not among the 1 zone of the map"),
        "{message}"
    );
    let read = with("'eJ", "'!!eJ");
    assert_eq!(read.problems.len(), 1, "{:?}", messages(&read));
    assert_eq!(read.problems[0].consequences.len(), 1);
    let message = &read.problems[0].message;
    assert!(
        message.contains("`Layer 0`: tiles: found `!`; expected base64"),
        "{message}"
    );
    assert!(read.layers[0].tiles.is_empty() && !read.layers[1].tiles.is_empty());
}

/// A made-up map whose nodes all begin and end on lines of their own, or on one.
fn lines() -> String {
    text().replace("it\\'s (a) path\\\\way\nnext", "down")
}

#[test]
fn cut_off_maps_show_what_is_there() {
    let bytes = write(&made_up()).unwrap();
    let whole = read(&bytes).unwrap();
    for cut in (10..bytes.len()).step_by(7) {
        let read = read(&bytes[..cut]).unwrap();
        let has_error = read.problems.iter().any(|p| p.severity == Severity::Error);
        assert!(has_error, "cut at {cut}");
        for (layer, all) in read.layers.iter().zip(&whole.layers) {
            assert!(all.tiles.starts_with(&layer.tiles), "cut at {cut}");
            let is_whole = all.data.bytes.end <= cut as u64;
            assert!(!is_whole || layer.tiles == all.tiles, "cut at {cut}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let mut map = made_up();
    map.meta[0].0 = "two words".to_owned();
    let error = write(&map).unwrap_err().to_string();
    assert_eq!(
        error,
        "name of a node: `two words` is empty or has spaces or parentheses"
    );
    let mut map = made_up();
    map.layers[1].obstructions.pop();
    let error = write(&map).unwrap_err().to_string();
    assert_eq!(error, "layer 1: 69 obstructions, but 10 x 7 tiles");
}

#[test]
fn one_cause_is_one_problem() {
    let bytes = write(&made_up()).unwrap();
    for cut in (10..bytes.len()).step_by(7) {
        let map = read(&bytes[..cut]).unwrap();
        let end = bytes[..cut].split(|byte| *byte == b'\n').count() as u64;
        let [problem] = &map.problems[..] else {
            panic!("cut at {cut}: {:?}", messages(&map));
        };
        assert_eq!(problem.rule.id, "ika/truncated", "cut at {cut}");
        // Where the file ends, or where the text begins that does not end.
        let Place::Text { line, .. } = problem.place else {
            panic!("{problem}")
        };
        assert!(line <= end, "cut at {cut}: {problem}");
    }
    let is_width = |window: &[u8]| window == b"(width '12')";
    let width = bytes.windows(12).position(is_width).unwrap();
    let unreadable = [&bytes[..width], b"(width '1x')", &bytes[width + 12..]].concat();
    let map = read(&unreadable).unwrap();
    assert_eq!(map.problems.len(), 1, "{:?}", messages(&map));
    assert_eq!(map.problems[0].rule.id, "ika/unreadable-value");
    assert_eq!(map.problems[0].severity, Severity::Error);
}

/// A map with each of the things that are named by others.
const SMALL: &str = "(ika-map (version 1.2)
 (header (dimensions (width 32) (height 16)) (tileset 'a.vsp'))
 (zones (zone (label 'one') (script 's'))
  (zone (label 'two') (script 's'))
  (zone (label 'three') (script 's')))
 (layers
  (layer (label 'a') (type tile) (dimensions (width 1) (height 1)) (data (format zlib) eJxjYGBgAAAABAAB)
   (zones (zone (label 'one') (x 0) (y 0)) (zone (label 'three') (x 0) (y 0)) (zone (label 'three') (x 1) (y 0))))
  (layer (label 'b') (type tile) (dimensions (width 1) (height 1)) (data (format zlib) eJxjYGBgAAAABAAB))
 ))
";

/// A map with a layer of its shape.
const SMALL_LAYERS: &str = "(ika-map (version 1.2)
 (header (dimensions (width 96) (height 80)) (tileset 'a.vsp'))
 (layers
  (layer (label 'a') (dimensions (width 6) (height 5))
   (data (format zlib) 'eJxiYGBgYAZiNiDmBGImIGYFYg4gZgRiFiBmZ4AAaqoDAAAA//8=')))
)
";

/// How much there is of a map: zones, waypoints, and of each layer tiles, obstructions, entities and zones.
fn counts(map: &TextMap) -> (usize, usize, Vec<[usize; 4]>) {
    let layers = map.layers.iter().map(|layer| {
        let (tiles, obstructions) = (layer.tiles.len(), layer.obstructions.len());
        [tiles, obstructions, layer.entities.len(), layer.zones.len()]
    });
    (map.zones.len(), map.waypoints.len(), layers.collect())
}

