//! ika's text maps: what is wrong with a file, and what is made of it.

use std::ops::ControlFlow;

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::Parallax;
use mapscope_formats::ika::text_map::{FORMAT, Span, TextMap, read, read_with, write};
use mapscope_formats::{Place, Problem, ReadError, Severity};
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
        "layer 0 `Layer 0`: -12 x 9 tiles; expected 12 x 9, as many as its data has; it is read so",
    );
    assert_eq!(read.layers[0].tiles.len(), 108);
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

/// All that can be wrong with a width or a height, which the tiles and the other side tell.
#[test]
fn a_wrong_width_or_height_of_a_layer_is_one_problem_and_loses_nothing() {
    let text = text();
    let whole = good(&text);
    let mut seen = 0;
    for layer in &whole.layers {
        let [width, height] = layer.size;
        let from = layer.place.bytes.start as usize;
        let (bytes, ..) = WINDOWS_1252.encode(&text);
        for (name, side) in [("width", width), ("height", height)] {
            let node = format!("({name} '{side}')");
            let is_it = |window: &[u8]| window == node.as_bytes();
            let at = from + bytes[from..].windows(node.len()).position(is_it).unwrap();
            for wrong in ["", "0", "-1", "x", "1x", "65536000", &format!("{side}7")] {
                let to = format!("({name} '{wrong}')");
                let changed = [&bytes[..at], to.as_bytes(), &bytes[at + node.len()..]].concat();
                let read = read(&changed).unwrap();
                one(&read, Severity::Error, "");
                let said = messages(&read);
                assert_eq!(
                    read.without_places(),
                    whole.clone().without_places(),
                    "{name} {wrong}: {said:?}"
                );
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 42);
    // Of two sizes that can be, that of the shape of the map.
    let square = SMALL_LAYERS.replacen("(height 5)", "(height 6)", 1);
    one(
        &good(&square),
        Severity::Error,
        "6 x 6 tiles; expected 6 x 5",
    );
    // One that cuts off tiles.
    let cut = text.replacen("(width '12')", "(width '11')", 1);
    one(&good(&cut), Severity::Error, "expected 12 x 9");
}

#[test]
fn a_line_that_is_there_twice_or_a_misspelt_root_loses_no_layer() {
    let text = text();
    let whole = good(&text);
    for name in ["ika-map", "dimensions", "layers", "header"] {
        let node = format!("({name}");
        let mut lines = text.split_inclusive('\n');
        let line = lines.find(|line| line.trim() == node).unwrap();
        let read = good(&text.replacen(line, &format!("{line}{line}"), 1));
        one(&read, Severity::Error, "twice; expected one; it is read so");
        assert_eq!(counts(&read), counts(&whole), "{line}");
    }
    for root in ["(ika-mapp ", "(ka-map ", "(iqa-map "] {
        let read = good(&text.replacen("(ika-map", root, 1));
        one(
            &read,
            Severity::Error,
            "expected `ika-map`; it is read as that",
        );
        assert_eq!(counts(&read), counts(&whole), "{root}");
    }
}

/// A made-up map whose nodes all begin and end on lines of their own, or on one.
fn lines() -> String {
    text().replace("it\\'s (a) path\\\\way\nnext", "down")
}

#[test]
fn two_lines_in_the_place_of_each_other_are_one_problem_and_lose_nothing() {
    let text = lines();
    let whole = good(&text).without_places();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut said = 0;
    // The keys of `meta` can have any names.
    let is_in_meta = |at: &usize| {
        ["(meta", "(rstring"]
            .iter()
            .any(|it| lines[*at].contains(it))
    };
    for at in (1..lines.len() - 1).filter(|at| !is_in_meta(at)) {
        let mut swapped = lines.clone();
        swapped.swap(at, at + 1);
        let read = good(&swapped.concat());
        let messages = messages(&read);
        assert!(messages.len() <= 1, "{at}: {messages:#?}");
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        assert!(read.problems.iter().all(is_error), "{at}: {messages:#?}");
        said += messages.len();
        // Of lists, keys and lines that are alike the order may be another.
        assert_eq!(counts(&read), counts(&whole), "{at}: {messages:#?}");
        let labels = |map: &TextMap| -> Vec<_> {
            let layers = map.layers.iter().map(|layer| layer.label.clone());
            let entities = map.layers.iter().flat_map(|layer| &layer.entities);
            let entities = entities.map(|it| format!("{} {:?}", it.label, it.position));
            layers.chain(entities).collect()
        };
        assert_eq!(labels(&read), labels(&whole), "{at}: {messages:#?}");
        if !messages.is_empty() {
            assert_eq!(read.without_places(), whole, "{at}: {messages:#?}");
        }
    }
    assert!(said > 80, "{said}");
}

#[test]
fn a_lost_line_that_begins_a_node_is_one_problem_and_loses_nothing() {
    let text = lines();
    let whole = good(&text).without_places();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut seen = 0;
    for (at, line) in lines.iter().enumerate() {
        // The keys of `meta` can have any names.
        let is_begin = line.trim_start().starts_with('(') && !line.trim_end().ends_with(')');
        if !is_begin || line.contains("(meta") {
            continue;
        }
        let mut lost = lines.clone();
        lost.remove(at);
        let read = good(&lost.concat());
        let said = messages(&read);
        let [problem] = &read.problems[..] else {
            panic!("{line}: {said:#?}");
        };
        let Place::Text { line: place, .. } = problem.place else {
            panic!("{problem}");
        };
        assert_eq!(problem.severity, Severity::Error, "{problem}");
        assert!(place.abs_diff(at as u64 + 1) <= 1, "{line}: {problem}");
        assert_eq!(read.without_places(), whole, "{line}: {said:#?}");
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn what_is_wrong_with_the_first_line_loses_nothing() {
    let text = lines();
    let whole = good(&text).without_places();
    let begin = "(ika-map ";
    for first in [
        "",
        "ika-map ",
        "((ika-map ",
        "; made (by hand\n(ika-map ",
        "(IKA-MAP ",
        "(map ",
        "(ika-mapp ",
    ] {
        let read = good(&text.replacen(begin, first, 1));
        one(&read, Severity::Error, "ika-map");
        assert_eq!(read.problems[0].rule.id, "ika/magic");
        assert_eq!(read.without_places(), whole, "{first}");
    }
}

#[test]
fn a_misspelt_name_is_one_problem_and_loses_nothing() {
    let text = lines();
    let whole = good(&text).without_places();
    let meta = text.find("(meta").unwrap()..text.find("(header").unwrap();
    let mut seen = [0; 2];
    for (at, _) in text.match_indices('(').skip(1) {
        let behind = &text[at + 1..];
        let name = &behind[..behind.find([' ', '\r', '\n']).unwrap()];
        if meta.contains(&at) && name != "meta" {
            continue;
        }
        let changed = |name_there: &str| {
            let behind = &behind[name.len()..];
            good(&[&text[..=at], name_there, behind].concat())
        };
        let mut names = vec![name.to_uppercase(), format!("{name}s")];
        if name.len() > 1 {
            names.push(name[..name.len() - 1].to_owned());
            names.push([&name[1..2], &name[..1], &name[2..]].concat());
        }
        for other in &names {
            let read = changed(other);
            one(&read, Severity::Error, "it is read as that");
            assert_eq!(read.without_places(), whole, "{name} {other}");
            seen[0] += 1;
        }
        // One that is no slip is known by what is in it, if it is.
        let read = changed("something");
        let said = messages(&read);
        assert!(!said.is_empty(), "{name}");
        let inside = behind[name.len()..].trim_start();
        if inside.starts_with('(') && !["information", "meta", "position", "wrap"].contains(&name) {
            assert_eq!(said.len(), 1, "{name}: {said:#?}");
            assert_eq!(read.without_places(), whole, "{name}: {said:#?}");
            seen[1] += 1;
        }
    }
    assert!(seen[0] > 500 && seen[1] > 20, "{seen:?}");
}

#[test]
fn a_misspelt_name_of_one_letter_is_one_problem_and_loses_nothing() {
    let text = text();
    let whole = good(&text);
    for name in ["x", "y"] {
        for (at, node) in text.match_indices(&format!("({name} ")) {
            let changed = [&text[..at], "(q ", &text[at + node.len()..]].concat();
            let read = good(&changed);
            let meant = format!("expected `{name}`; it is read as that");
            one(&read, Severity::Error, &meant);
            assert_eq!(read.without_places(), whole.clone().without_places());
        }
    }
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

#[test]
fn a_parenthesis_or_quote_lost_or_twice_is_one_problem_where_it_is_and_loses_nothing() {
    let quoted = text().replace("it\\'s (a) path\\\\way\nnext", "down");
    let bare = quoted.replace("'1.2'", "1.1").replace('\'', "");
    for (text, has_layout) in [(&*quoted, true), (&*bare, true), (SMALL, false)] {
        let whole = good(text);
        assert_eq!(messages(&whole), [""; 0]);
        for (at, found) in text.match_indices(['(', ')', '\'']).skip(1) {
            let (before, after) = (&text[..at], &text[at + 1..]);
            let line = before.split('\n').count() as u64;
            for (so, changed) in [
                ("lost", [before, after].concat()),
                ("twice", [before, found, found, after].concat()),
            ] {
                let read = good(&changed);
                let said = messages(&read);
                let [problem] = &read.problems[..] else {
                    panic!("{found} of line {line} {so}: {said:#?}");
                };
                let is_end = text[at..].trim_end().bytes().all(|byte| byte == b')');
                let is_quote = found == "'";
                assert_eq!(problem.rule.id == "ika/syntax", !is_end, "{said:?}");
                assert_eq!(counts(&read), counts(&whole), "{found} {line} {so}");
                if has_layout {
                    let Place::Text { line: said_at, .. } = problem.place else {
                        panic!("{problem}");
                    };
                    assert!(
                        said_at.abs_diff(line) <= 1 || is_end,
                        "{line} {so}: {problem}"
                    );
                    let read = read.without_places();
                    assert_eq!(read, whole.clone().without_places(), "{line} {so}");
                } else {
                    assert!(is_quote || problem.consequences.is_empty(), "{said:?}");
                }
            }
        }
    }
}

#[test]
fn a_letter_in_place_of_a_parenthesis_is_one_problem_and_loses_no_node() {
    let text = text().replace("it\\'s (a) path\\\\way\nnext", "down");
    let bare = text.replace("'1.2'", "1.1").replace('\'', "");
    let whole = good(&bare);
    for (at, _) in bare.match_indices(')') {
        let changed = [&bare[..at], "x", &bare[at + 1..]].concat();
        let read = good(&changed);
        let said = messages(&read);
        assert_eq!(read.problems.len(), 1, "{at}: {said:#?}");
        // Those at the end of the file end nothing else.
        let is_end = bare[at..].trim_end().bytes().all(|byte| byte == b')');
        if !is_end {
            assert_eq!(counts(&read), counts(&whole), "{at}: {said:#?}");
        }
    }
}

#[test]
fn quotes_in_texts_of_several_lines_are_one_problem_too() {
    let text = text();
    let whole = good(&text);
    for (from, to) in [
        ("'it\\'s (a)", "it\\'s (a)"),
        ("'it\\'s (a)", "''it\\'s (a)"),
        ("'it\\'s (a)", "'it's (a)"),
        ("'it\\'s (a)", "'it\\''s (a)"),
        ("\nnext')", "\nnext'')"),
    ] {
        let read = good(&text.replacen(from, to, 1));
        assert_eq!(read.problems.len(), 1, "{to}: {:#?}", messages(&read));
        assert_eq!(counts(&read), counts(&whole), "{to}");
    }
}

#[test]
fn a_node_that_lost_its_name_is_one_problem() {
    const NAMES: [&str; 20] = [
        "layer",
        "label",
        "type",
        "dimensions",
        "width",
        "height",
        "position",
        "parallax",
        "mulx",
        "muly",
        "divx",
        "divy",
        "wrap",
        "data",
        "format",
        "obstructions",
        "entities",
        "entity",
        "zones",
        "zone",
    ];
    let text = text();
    let mut seen = 0;
    for name in NAMES {
        let node = format!("({name} ");
        let last = text.rfind(&node);
        let Some(at) = last.filter(|at| text[..*at].contains("(layers ")) else {
            continue;
        };
        let changed = format!("{}{}", &text[..=at], &text[at + node.len() - 1..]);
        let read = good(&changed);
        let errors = read.problems.iter();
        let errors = errors.filter(|it| it.severity == Severity::Error);
        assert_eq!(errors.count(), 1, "{name}: {:#?}", messages(&read));
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn a_misspelt_name_or_that_of_a_list_for_that_of_an_element_loses_nothing() {
    let text = text();
    let whole = good(&text);
    for changes in [
        &[("(entities ", "(entity "), ("(entity ", "(entities ")][..],
        &[("(zones ", "(zone "), ("(zone ", "(zones ")],
        &[("(layers ", "(layer "), ("(layer ", "(layers ")],
        &[("(waypoints ", "(waypoint ")],
        &[("(entities ", "(entity ")],
        &[("(zone ", "(zones ")],
        &[("(layer ", "(lyer ")],
        &[("(obstructions ", "(obstuctions ")],
        &[("(dimensions ", "(dimension ")],
    ] {
        let mut changed = text.clone();
        let mut at = 0;
        for (from, to) in changes {
            at += changed[at..].find(from).unwrap();
            changed.replace_range(at..at + from.len(), to);
            at += to.len();
        }
        let read = good(&changed);
        assert_eq!(
            read.problems.len(),
            1,
            "{changes:?}: {:#?}",
            messages(&read)
        );
        assert_eq!(read.problems[0].rule.id, "ika/unknown-node");
        let read = read.without_places();
        assert_eq!(read, whole.clone().without_places(), "{changes:?}");
    }
    // The one that is there is taken.
    let twice = text.replacen("(header ", "(heder (tileset 'b.vsp'))(header ", 1);
    let read = good(&twice);
    one(
        &read,
        Severity::Error,
        "expected `header`, which it has; left out: ",
    );
    assert_eq!(read.tileset, whole.tileset);
}

#[test]
fn a_letter_a_blank_or_a_parenthesis_is_one_problem() {
    let problems = |text: &str| read(text.as_bytes()).unwrap().problems;
    assert_eq!(problems(SMALL), []);
    let changed = |from: &str, to: &str, number: usize| {
        let (at, _) = SMALL.match_indices(from).nth(number).unwrap();
        [&SMALL[..at], to, &SMALL[at + from.len()..]].concat()
    };
    for (from, to, number, rule) in [
        ("(zone (", "(zune (", 2, "ika/unknown-node"),
        ("(zone (", "(zune (", 3, "ika/unknown-node"),
        ("(layer (", "(lyer (", 1, "ika/unknown-node"),
        ("(zones (", "(zunes (", 0, "ika/unknown-node"),
        ("(label 'three'", "(label 'four'", 0, "ika/zone-name"),
        ("(dimensions (", "(dimenions (", 0, "ika/unknown-node"),
        ("(format zlib)", "(fromat zlib)", 0, "ika/unknown-node"),
        ("(width 1)", "(width1)", 1, "ika/node-name"),
        (
            "(data (format zlib) ",
            "(data(format zlib) ",
            1,
            "ika/node-name",
        ),
        ("(dimensions (", "(dimensions1(", 1, "ika/node-name"),
        ("(header (", "(heeder (", 0, "ika/unknown-node"),
        ("(zone (", "((zone (", 1, "ika/syntax"),
        ("(label 'b')", "((label 'b')", 0, "ika/syntax"),
        ("ABAAB))", "ABAAB)", 0, "ika/syntax"),
        // A parenthesis too few, and one too many.
        ("(label 'b')", "(label 'b'", 0, "ika/syntax"),
        ("(type tile)", "(type tile", 0, "ika/syntax"),
        ("(width 1)", "(width 1", 0, "ika/syntax"),
        ("(script 's'))", "(script 's')", 0, "ika/syntax"),
        ("(label 'b')", "(label 'b'))", 0, "ika/syntax"),
        ("(type tile)", "(type tile))", 0, "ika/syntax"),
        ("(width 1)", "(width 1))", 0, "ika/syntax"),
        ("(script 's')", "(script 's'))", 0, "ika/syntax"),
    ] {
        let text = changed(from, to, number);
        let found = problems(&text);
        let rules: Vec<_> = found.iter().map(|problem| problem.rule.id).collect();
        assert_eq!(rules, [rule], "{to} {number}: {found:#?}");
    }
}
