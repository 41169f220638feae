//! ika's text maps: faults of a file, and how it is read.

use std::ops::ControlFlow;

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::Parallax;
use mapscope_formats::ika::text_map::{FORMAT, Span, TextMap, read, read_with, write};
use mapscope_formats::{Place, Problem, ReadError, Severity};
use mapscope_testdata::{stride, synthesize};

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
    map.problems.iter().map(Problem::facts).collect()
}

/// Checks that a map has one problem.
#[track_caller]
fn one(map: &TextMap, severity: Severity, with: &str) {
    let [problem] = &map.problems[..] else {
        panic!("{:?}", messages(map))
    };
    assert_eq!(problem.severity, severity, "{problem}");
    assert!(problem.facts().contains(with), "{}", problem.facts());
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
    // Version 1.0: unquoted texts, base64 in lines of 44, `format` for the style of obstructions.
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
        let error = read(bytes).unwrap_err().problem().unwrap().facts();
        assert!(error.contains(with), "{error}");
    };
    refused(b"", "ika/magic: (ika-map ");
    refused(b"<ika-map>", "ika/magic: (ika-map ");
    refused(b"(ika-tileset )", "ika/magic");
    assert!(!(FORMAT.sniff)(b"(ika-tileset )"));
    let mut stop = |_| ControlFlow::Break(());
    let stopped = read_with(&write(&made_up()).unwrap(), &mut stop);
    assert_eq!(stopped, Err(ReadError::Cancelled));
    let empty = good("(ika-map )");
    assert_eq!(empty.layers, []);
    assert_eq!(
        messages(&empty),
        [
            "1:1: warning: ika/version, read: 1.0 1.1 1.2",
            "1:1: warning: ika/no-header: header",
            "1:1: error: ika/no-layers",
        ]
    );
}

#[test]
fn there_are_not_too_many_layers() {
    let read = good(&format!("(ika-map (layers {}))", "(layer )".repeat(3000)));
    assert_eq!(read.layers.len(), 1024);
    let messages = messages(&read);
    let expected = "ika/too-many-layers (Layer 1023): 1024 3000";
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
    assert!(
        messages(&read)
            .iter()
            .any(|m| m.contains("ika/value: header tileset"))
    );
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
        "2:11: warning: ika/version, read: 1.0 1.1 1.2 2.0",
    );
    let read = with("(divx '2')", "(divx '0')");
    one(
        &read,
        Warning,
        "ika/parallax (Layer 2): 0 0/1 1/2 2 3/0 Layer 2 x/0",
    );
    assert_eq!(
        read.layers[2].parallax,
        Parallax {
            mul: [3, 1],
            div: [0, 2]
        }
    );
    let read = with("(width '12')", "(width '-12')");
    one(
        &read,
        Error,
        "ika/size (Layer 0): -12 0 1 67108864 9 Layer 0",
    );
    assert_eq!(read.layers[0].tiles.len(), 0);
    assert_eq!(read.layers[1].tiles.len(), 70);
    one(
        &with("(height '9')", "(height '65536000')"),
        Error,
        "ika/size (Layer 0): 0 1 12 65536000 67108864 Layer 0",
    );
    one(
        &with("(x '8')", "(x '8.5')"),
        Error,
        "ika/unreadable-value (Layer 1): 0 8.5 x",
    );
    one(
        &with("(x 'true')", "(x 'yes')"),
        Error,
        "ika/unreadable-value (Layer 1): false true x yes",
    );
    one(
        &with("'left'", "'north'"),
        Warning,
        "ika/value (LayerEntity 0 2): 0 Entity 0.2 Layer 0 down north up-left",
    );
    one(
        &with("(type 'tile')", "(type 'vector')"),
        Warning,
        "ika/value (Layer 0), read: 0 Layer 0 tile vector",
    );
    one(
        &with("(format 'zlib')", "(format 'raw')"),
        Warning,
        "ika/value (Layer 0), read: 0 Layer 0 raw zlib",
    );
    let read = with(
        "(label 'Café')\r\n\t\t\t(script",
        "(label 'Bar')\r\n\t\t\t(script",
    );
    // Three areas name it.
    assert_eq!(read.problems.len(), 1, "{:?}", messages(&read));
    assert_eq!(read.problems[0].consequences.len(), 2);
    let message = &read.problems[0].facts();
    assert!(message.contains("ika/zone-name"), "{message}");
    let read = with("'eJ", "'!!eJ");
    assert_eq!(read.problems.len(), 1, "{:?}", messages(&read));
    assert_eq!(read.problems[0].consequences.len(), 1);
    let message = &read.problems[0].facts();
    assert!(
        message.contains("ika/base64 (Layer 0): ! + / 0 Layer 0 base64"),
        "{message}"
    );
    assert!(read.layers[0].tiles.is_empty() && !read.layers[1].tiles.is_empty());
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
        // At the end of the file, or at the beginning of an unterminated text.
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

/// A map with each of the nodes that others name.
const SMALL: &str = "(ika-map (version 1.2)
 (header (dimensions (width 32) (height 16)) (tileset 'a.vsp'))
 (zones (zone (label 'one') (script 's'))
  (zone (label 'two') (script 's'))
  (zone (label 'three') (script 's')))
 (layers
  (layer (label 'a') (type tile) (dimensions (width 1) (height 1)) (data (format zlib) eJxjYGBgAAAABAAB)
   (entities (entity (label 'me')(x 3)(y 4)(direction up)(activate_script run)))
   (zones (zone (label 'one') (x 0) (y 0)) (zone (label 'three') (x 0) (y 0)) (zone (label 'three') (x 1) (y 0))))
  (layer (label 'b') (type tile) (dimensions (width 1) (height 1)) (data (format zlib) eJxjYGBgAAAABAAB))
 ))
";

/// The number of entries of a map: zones, waypoints, and of each layer tiles, obstructions,
/// entities and zones.
fn counts(map: &TextMap) -> (usize, usize, Vec<[usize; 4]>) {
    let layers = map.layers.iter().map(|layer| {
        let (tiles, obstructions) = (layer.tiles.len(), layer.obstructions.len());
        [tiles, obstructions, layer.entities.len(), layer.zones.len()]
    });
    (map.zones.len(), map.waypoints.len(), layers.collect())
}

/// Names similar to known ones are not known ones, and known names have no meaning elsewhere.
#[test]
fn own_nodes_are_kept_and_change_nothing() {
    let whole = good(SMALL);
    assert_eq!(messages(&whole), [""; 0]);
    let own = "(deactivate_script X)(offset (x 40)(y 40))(type chest)(layer 2)(label2 q)(entity2 )";
    let more = |node: &str, own: &str| SMALL.replacen(node, &format!("{own}{node}"), 1);
    for (before, own) in [
        ("(label 'me')", own),
        (
            "(label 'a')",
            "(offset (x 40)(y 40))(entity (x 1))(types 2)",
        ),
        ("(header ", "(headers (tileset2 b.vsp))(layer (label no))"),
        ("(tileset ", "(tilesets b.vsp)(dimension (width 1))"),
        ("(zone (label 'one')", "(zonegroup (label q))(area )"),
        (
            "(layer (label 'b')",
            "(group (layer (label c)))(props (x 1))",
        ),
        ("(entity ", "(item (label Chest)(x 32)(y 16))(identity )"),
    ] {
        let read = good(&more(before, own));
        assert_eq!(messages(&read), [""; 0], "{own}");
        assert_eq!(read.without_places(), whole.clone().without_places());
        let read = good(&more(before, own));
        let layers = read.layers.iter();
        let entities = layers.clone().flat_map(|layer| &layer.entities);
        let all: Vec<_> = read
            .other
            .iter()
            .chain(layers.flat_map(|layer| &layer.other))
            .chain(entities.flat_map(|it| &it.other))
            .collect();
        let text: String = all.iter().map(|node| &*node.text).collect();
        assert_eq!(text, own);
    }
    let said = "ika/unknown-node: activate_script deactivate_script entity";
    let read = good(&SMALL.replacen("(activate", "(deactivate", 1));
    one(&read, Severity::Warning, said);
    assert_eq!(read.layers[0].entities[0].activation_script, "");
    let read = good(&SMALL.replacen("(zone (label 'two'", "(zune (label 'two'", 1));
    one(
        &read,
        Severity::Warning,
        "ika/unknown-node: zone zones zune",
    );
}

#[test]
fn an_entity_needs_a_name_and_a_place() {
    for node in ["(label 'me')", "(x 3)", "(y 4)"] {
        let read = good(&SMALL.replacen(node, "", 1));
        one(&read, Severity::Error, "ika/missing-node");
        assert_eq!(read.problems[0].rule.id, "ika/missing-node");
    }
    let read = good(&SMALL.replacen("(label 'me')(x 3)(y 4)", "(labl 'me')", 1));
    one(
        &read,
        Severity::Error,
        "ika/unknown-node: entity label labl",
    );
    assert_eq!(read.problems[0].consequences.len(), 3);
}

#[test]
fn texts_of_all_writers_are_read() {
    let read = good(&SMALL.replacen("'one') (script 's')", "Smiths') (script 's')", 1));
    assert_eq!(read.zones[0].label, "Smiths'");
    let title =
        "(information (title '<<<<<<< a\n=======\n>>>>>>> b\n')(meta (my key 'value')(ok 'v')))";
    let read = good(&SMALL.replacen("(header", &format!("{title}(header"), 1));
    assert_eq!(messages(&read), [""; 0]);
    assert_eq!(read.title, "<<<<<<< a\n=======\n>>>>>>> b\n");
    assert_eq!(read.meta[0], ("my".to_owned(), "key 'value'".to_owned()));
    assert_eq!(read.meta[1], ("ok".to_owned(), "v".to_owned()));
    // Balanced text is read unchanged.
    let read = good(&SMALL.replacen("(header", "(information (title 'a) b'c))(header", 1));
    one(&read, Severity::Warning, "ika/stray-text: c title");
    assert_eq!(read.title, "a) b");
    // The writer of 2006.
    let text = text();
    let mut old = text.replace(" '", " \\").replace("\t'", "\t\\");
    old = old.replace("'it", "\\it");
    let read = good(&old);
    one(
        &read,
        Severity::Error,
        "ika/syntax, read: 'text' 2006 \\text'",
    );
    assert_eq!(read.without_places(), made_up().without_places());
}

#[test]
fn more_tiles_than_the_size_are_left_out() {
    let read = good(&text().replacen("(height '9')", "(height '8')", 1));
    assert_eq!(read.layers[0].size, [12, 8]);
    assert_eq!(read.layers[0].tiles.len(), 96);
    let problems = read.problems.iter();
    assert!(problems.clone().count() > 0);
    assert!(problems.clone().all(|it| it.severity == Severity::Warning));
}

#[test]
fn a_parenthesis_or_quote_lost_or_twice_is_one_problem_and_loses_one_record() {
    let quoted = text().replace("it\\'s (a) path\\\\way\nnext", "down");
    let bare = quoted.replace("'1.2'", "1.1").replace('\'', "");
    let records = |map: &TextMap| {
        let (zones, waypoints, layers) = counts(map);
        zones + waypoints + layers.iter().map(|it| 1 + it[2] + it[3]).sum::<usize>()
    };
    for text in [&*quoted, &*bare, SMALL] {
        let whole = good(text);
        for (at, found) in text.match_indices(['(', ')']).skip(1).step_by(stride(7)) {
            let (before, after) = (&text[..at], &text[at + 1..]);
            let line = before.split('\n').count() as u64;
            for (so, changed) in [
                ("lost", [before, after].concat()),
                ("twice", [before, found, found, after].concat()),
            ] {
                let read = good(&changed);
                let said = messages(&read);
                assert_eq!(said.len(), 1, "{found} of line {line} {so}: {said:#?}");
                let [all, left] = [&whole, &read].map(records);
                assert!((all - 1..=all).contains(&left), "{line} {so}: {said:#?}");
                assert_eq!(
                    read.layers.len(),
                    whole.layers.len(),
                    "{line} {so}: {said:#?}"
                );
            }
        }
    }
    let whole = good(&quoted);
    for (at, _) in quoted.match_indices('\'') {
        let read = good(&[&quoted[..at], &quoted[at + 1..]].concat());
        let said = messages(&read);
        assert!(said.len() <= 1, "{at}: {said:#?}");
        assert_eq!(records(&read), records(&whole), "{at}: {said:#?}");
    }
}

/// The text stays balanced without two parentheses and a name; a layer loses its tiles.
#[test]
fn a_cut_inside_of_a_layer_loses_nothing_behind_it() {
    let text = text();
    let whole = good(&text);
    let begin = text.find(")\r\n\t\t\t(data").unwrap();
    let end = begin + text[begin..].find("(format").unwrap();
    let read = good(&[&text[..begin], &text[end..]].concat());
    assert_eq!(read.problems.len(), 1, "{:#?}", messages(&read));
    assert_eq!(read.layers.len(), whole.layers.len());
    assert!(read.layers[0].tiles.is_empty());
    assert_eq!(counts(&read).2[1..], counts(&whole).2[1..]);
    assert_eq!(
        read.layers[0].entities.len(),
        whole.layers[0].entities.len()
    );
}

#[test]
fn a_conflict_between_nodes_is_read_with_one_version() {
    let zones = " (zones (zone (label 'one') (script 's'))\n";
    let conflict = format!(
        "{zones}<<<<<<< HEAD\n(zone (label 'x'))\n=======\n(zone (label 'y'))\n>>>>>>> b\n"
    );
    let read = good(&SMALL.replacen(zones, &conflict, 1));
    one(&read, Severity::Error, "ika/conflict, left out: 6 8 HEAD b");
    assert_eq!(read.zones[1].label, "x");
}
