//! `mapscope info`: the contents of a file.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::cli::{GraphicsArgs, InfoArgs};
#[cfg(feature = "gpu")]
use super::json::{AdapterOutput, AdaptersOutput};
use super::json::{FoundOutput, InfoOutput, ItemOutput, NamedFileOutput, Unreadable};
use super::output::{self, Paint, Stdout, Tally, printable};
use super::schema::schema;
use super::source::{self, Known};
use super::{CommandError, Status};
use mapscope_formats::Problem;
use mapscope_formats::pmf::SIDES;
#[cfg(feature = "gpu")]
use mapscope_render::AdapterEntry;
use mapscope_scene::terrain::CHUNK_SIDE;
use mapscope_scene::{
    Document, Found, InfoQuery, Layers, NamedItem, OpenOptions, OutlineNode, Pending, Playhead,
    find_items, find_matches, items_of_kinds, without_sign_of_zero,
};

/// Item kinds of objects on or in a map. JSON lists all objects of these kinds.
const OBJECTS: [&str; 12] = [
    "zone",
    "zone area",
    "entity",
    "waypoint",
    "sprite",
    "box",
    "line",
    "faction",
    "region",
    "camera",
    "environment region",
    "server region",
];
/// Maximum number of lines per list in text output.
const MAX_LINES: usize = 24;
/// Maximum number of found items in JSON.
const MAX_FOUND: usize = 1000;

pub(super) fn run(
    args: &InfoArgs,
    options: &OpenOptions,
    graphics: GraphicsArgs,
) -> Result<Status, CommandError> {
    if args.adapters {
        return list_adapters(args, graphics);
    }
    let mut out = Stdout::lock();
    if args.schema {
        serde_json::to_writer_pretty(&mut out, &schema()).map_err(io::Error::from)?;
        writeln!(out)?;
        out.flush()?;
        return Ok(Status::Done);
    }
    source::refuse_stdin_twice(&args.files)?;
    let [file] = &args.files[..] else {
        return describe_all(args, options, &mut out);
    };
    let known = match source::open_or_refused(file, options) {
        Ok(known) => known,
        Err(error) => {
            if args.json {
                write_json(&mut out, &not_read(file, &error))?;
            }
            return Err(error);
        }
    };
    source::refuse_map(file, known.format(), options)?;
    describe(file, &known, args, &mut out)?;
    Ok(Status::of(known.problems()))
}

/// Describes several files one after another; unreadable files do not stop the others.
fn describe_all(
    args: &InfoArgs,
    options: &OpenOptions,
    out: &mut Stdout,
) -> Result<Status, CommandError> {
    let mut status = Status::Done;
    let mut without_scene = None;
    let mut has_scene = false;
    for (index, file) in args.files.iter().enumerate() {
        if index > 0 && !args.json {
            writeln!(out)?;
        }
        let described = source::open_or_refused(file, options).and_then(|known| {
            // With several files, `--map` applies to the scenes among them.
            match source::refuse_map(file, known.format(), options) {
                Ok(()) => has_scene = true,
                Err(error) => without_scene = Some(error),
            }
            describe(file, &known, args, out)?;
            Ok(Status::of(known.problems()))
        });
        status = status.max(match described {
            Ok(status) => status,
            Err(error @ CommandError::Output(_)) => return Err(error),
            Err(error) => {
                if args.json {
                    write_json(out, &not_read(file, &error))?;
                }
                let error = error.about(file);
                output::report_error(&error);
                error.status()
            }
        });
    }
    match without_scene.filter(|_| !has_scene) {
        Some(error) => Err(error),
        None => Ok(status),
    }
}

/// The JSON object of an unreadable file.
fn not_read(file: &Path, error: &CommandError) -> Unreadable {
    Unreadable {
        file: super::cli::display_name(file),
        error: error.reason(),
        at: None,
    }
}

/// Prints the contents of a file and the answers to the query.
fn describe(
    file: &Path,
    known: &Known,
    args: &InfoArgs,
    out: &mut Stdout,
) -> Result<(), CommandError> {
    let paint = out.paint();
    let mut answers = Map::new();
    let mut items = Vec::new();
    let mut absent = Vec::new();
    let mut found = None;
    let mut playhead = Playhead::default();
    if let Known::Opened(document) = known {
        let document = &**document;
        let query = args.query();
        answers = document.info(&query);
        check_answers(document, &query, &answers)?;
        playhead = args.playhead(document).map_err(CommandError::Argument)?;
        for (wanted, option) in args.wanted() {
            let found = find_items(document, &wanted);
            let found = found.map_err(|why| CommandError::Argument(format!("{option}: {why}")))?;
            if found.is_empty() {
                absent.push(wanted);
            }
            items.extend(found);
        }
        if let Some(query) = &args.find {
            let matches = find_matches(document, query, playhead, MAX_FOUND);
            found =
                Some(matches.map_err(|error| CommandError::Argument(format!("--find: {error}")))?);
        }
    }
    match known {
        Known::Opened(document) if args.json => {
            let document = &**document;
            let told = |items: &[NamedItem]| -> Vec<ItemOutput> {
                let items = items.iter();
                items
                    .map(|item| item_output(document, item, playhead))
                    .collect()
            };
            let files = document.files();
            let output = InfoOutput {
                file: known.output(file),
                answers,
                objects: told(&items_of_kinds(document, &OBJECTS)),
                files: files.iter().map(NamedFileOutput::from).collect(),
                items: args.wanted().next().map(|_| told(&items)),
                found: found.map(|found| FoundOutput {
                    query: args.find.clone().unwrap_or_default(),
                    count: found.count,
                    listed: found.items.len(),
                    items: told(&found.items),
                }),
            };
            write_json(out, &output)?;
        }
        Known::Refused(..) if args.json => {
            write_json(out, &known.output(file))?;
        }
        Known::Opened(document) => {
            let document = &**document;
            if let Some(found) = &found {
                write_found(out, paint, found)?;
                return Ok(out.flush()?);
            }
            write_about(out, paint, file, document)?;
            write_answers(out, paint, &answers)?;
            write_items(out, paint, document, &items, playhead)?;
            for kind in absent {
                writeln!(out, "\n{}  none", paint.heading(printable(&kind)))?;
            }
            write_problems(out, paint, file, document)?;
        }
        Known::Refused(_, [problem]) => {
            output::write_problem(out, paint, file, problem)?;
        }
    }
    Ok(out.flush()?)
}

/// The details of an item.
fn item_output(document: &dyn Document, named: &NamedItem, playhead: Playhead) -> ItemOutput {
    ItemOutput {
        item: named.item.to_string(),
        kind: named.item.kind(),
        name: named.name.clone(),
        fields: document.details(named.item, playhead),
    }
}

/// Writes the details of items as text.
fn write_items(
    out: &mut impl Write,
    paint: Paint,
    document: &dyn Document,
    items: &[NamedItem],
    playhead: Playhead,
) -> io::Result<()> {
    for NamedItem { item, name } in items.iter().take(MAX_LINES) {
        let heading = item.to_string();
        let name = name.as_deref().map(printable).unwrap_or_default();
        let line = format!("{}  {name}", paint.heading(printable(&heading)));
        writeln!(out, "\n{}", line.trim_end())?;
        for group in document.properties(*item, playhead) {
            writeln!(out, "  {}", paint.heading(group.title))?;
            let lines = group.properties.iter();
            let lines = lines.map(|line| (line.name.to_owned(), line.text().into_owned()));
            write_aligned(out, paint, 2, &lines.collect::<Vec<_>>())?;
        }
    }
    let rest = items.len().saturating_sub(MAX_LINES);
    write_rest(out, paint, 0, rest, "--json lists them")
}

/// Writes the items that a query found, one per line.
fn write_found(out: &mut impl Write, paint: Paint, found: &Found) -> io::Result<()> {
    let heading = format!("{} found", output::counted(found.count as usize, "item"));
    writeln!(out, "{}", paint.heading(heading))?;
    let lines = found.items.iter().map(|NamedItem { item, name }| {
        let name = name.as_deref().unwrap_or_default();
        (item.to_string(), name.to_owned())
    });
    write_aligned(out, paint, 1, &lines.collect::<Vec<_>>())?;
    let rest = (found.count as usize).saturating_sub(found.items.len());
    write_rest(out, paint, 1, rest, "--json lists them")
}

#[cfg(not(feature = "gpu"))]
fn list_adapters(_: &InfoArgs, _: GraphicsArgs) -> Result<Status, CommandError> {
    Err(CommandError::NotBuilt {
        what: "graphics",
        feature: "gpu",
    })
}

/// Name and version of an adapter's driver.
#[cfg(feature = "gpu")]
fn driver_of(adapter: &AdapterEntry) -> String {
    let info = &adapter.info;
    let driver = [info.driver.as_str(), info.driver_info.as_str()];
    driver.join(" ").trim().to_owned()
}

/// An adapter in JSON.
#[cfg(feature = "gpu")]
fn adapter_output(adapter: &AdapterEntry) -> AdapterOutput {
    let info = &adapter.info;
    AdapterOutput {
        name: info.name.clone(),
        kind: mapscope_render::adapter_type_name(info.device_type).to_owned(),
        backend: info.backend.to_str().to_owned(),
        driver: driver_of(adapter),
        samples: adapter.samples.count(),
        chosen: adapter.is_chosen,
        reason: adapter.reason.to_string(),
    }
}

/// The adapter that would draw, in JSON.
///
/// # Errors
/// If no adapter can draw.
#[cfg(feature = "gpu")]
pub(super) fn chosen_adapter(
    graphics: GraphicsArgs,
) -> Result<Option<AdapterOutput>, CommandError> {
    let (adapters, drawing) = mapscope_render::adapters(graphics.into());
    drawing?;
    let chosen = adapters.iter().find(|adapter| adapter.is_chosen);
    Ok(chosen.map(adapter_output))
}

/// Lists the adapters and marks the one that would draw.
///
/// # Errors
/// If no adapter can draw; the list is printed first.
#[cfg(feature = "gpu")]
fn list_adapters(args: &InfoArgs, graphics: GraphicsArgs) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    let paint = out.paint();
    let mut outputs = Vec::new();
    let (adapters, drawing) = mapscope_render::adapters(graphics.into());
    for adapter in adapters {
        if args.json {
            outputs.push(adapter_output(&adapter));
            continue;
        }
        let info = &adapter.info;
        let driver = driver_of(&adapter);
        let reason = adapter.reason.to_string();
        let samples = adapter.samples.to_string();
        let chosen = if adapter.is_chosen { "yes" } else { "no" };
        let lines = [
            ("Type", mapscope_render::adapter_type_name(info.device_type)),
            ("Backend", info.backend.to_str()),
            ("Driver", &driver),
            ("Anti-aliasing", &samples),
            ("Chosen", chosen),
            ("Reason", &reason),
        ];
        writeln!(out, "{}", paint.heading(printable(&info.name)))?;
        let lines = lines.map(|(name, value)| (name.to_owned(), value.to_owned()));
        write_aligned(&mut out, paint, 1, &lines)?;
    }
    if args.json {
        write_json(&mut out, &AdaptersOutput { adapters: outputs })?;
    }
    out.flush()?;
    drawing?;
    Ok(Status::Done)
}

/// Row and column of the tile in the south-east corner of a terrain, derived from its answers.
fn last_tile(answers: &Map<String, Value>) -> Option<[u64; 2]> {
    let chunks = answers.get("chunks")?;
    let last = |key| Some((chunks.get(key)?.as_u64()? * u64::from(CHUNK_SIDE)).saturating_sub(1));
    Some([last("rows")?, last("cols")?])
}

/// Checks that every query beyond the file as a whole has an answer.
fn check_answers(
    document: &dyn Document,
    query: &InfoQuery,
    answers: &Map<String, Value>,
) -> Result<(), CommandError> {
    let missing = |key| answers.get(key).is_none_or(Value::is_null);
    if let Some((row, col)) = query.tile.filter(|_| missing("tile")) {
        let count = document.layers().and_then(Layers::tile_count);
        let says = match count {
            Some([columns, rows]) if columns > 0 && rows > 0 => format!(
                "the map has {columns} x {rows} tiles; expected X,Y with X from 0 to {} and Y from \
                 0 to {}",
                columns - 1,
                rows - 1
            ),
            _ => match last_tile(answers) {
                Some([last_row, last_col]) => {
                    format!(
                        "expected ROW,COL with ROW from 0 to {last_row} and COL from 0 to {last_col}"
                    )
                }
                None => "the file has no such tile".to_owned(),
            },
        };
        return Err(CommandError::Argument(format!(
            "--tile {row},{col}: {says}"
        )));
    }
    if let Some(cube) = query.cube.filter(|_| missing("cube")) {
        let cube = cube.map(|number| number.to_string()).join(",");
        return Err(CommandError::Argument(format!(
            "--cube {cube}: the file has no such cube"
        )));
    }
    if !query.heights.is_empty() && missing("heights") {
        return Err(CommandError::Argument(
            "--height: files of this format have no ground".to_owned(),
        ));
    }
    Ok(())
}

/// Writes an object on one line, or indented on a terminal.
fn write_json(out: &mut Stdout, keys: &impl Serialize) -> io::Result<()> {
    if out.is_terminal() {
        serde_json::to_writer_pretty(&mut *out, keys)?;
    } else {
        serde_json::to_writer(&mut *out, keys)?;
    }
    writeln!(out)?;
    out.flush()
}

/// Writes the format and the contents of the file.
fn write_about(
    out: &mut impl Write,
    paint: Paint,
    file: &Path,
    document: &dyn Document,
) -> io::Result<()> {
    let about = document.about();
    let name = super::cli::display_name(file);
    writeln!(out, "{}", paint.heading(printable(&name)))?;
    let mut lines = vec![
        ("Format".to_owned(), about.format.name.to_owned()),
        ("Version".to_owned(), about.version.clone()),
    ];
    // Load enough to count faces; textures are not read for this.
    let goes_on = || document.pending() == Some(Pending::Relief);
    document.load_deferred(&goes_on, &|| {});
    let statistics = document.statistics();
    lines.extend(statistics.into_iter().map(|s| (s.name.to_owned(), s.value)));
    write_aligned(out, paint, 1, &lines)?;
    write_outline(out, paint, 0, &document.outline())
}

/// Writes the answers to queries beyond the file as a whole.
fn write_answers(
    out: &mut impl Write,
    paint: Paint,
    answers: &Map<String, Value>,
) -> io::Result<()> {
    for key in ["tile", "heights", "cube"] {
        match answers.get(key) {
            Some(Value::Object(fields)) => {
                writeln!(out, "\n{}", paint.heading(key))?;
                let lines = |(name, value): (&String, &Value)| {
                    let text = match (key, name.as_str(), value) {
                        ("cube", "faces", Value::Number(mask)) => sides_text(mask),
                        ("cube", "bytes", Value::Object(records)) => records_text(records),
                        _ => return field_lines(name, value),
                    };
                    vec![(name.clone(), text)]
                };
                let lines: Vec<_> = fields.iter().flat_map(lines).collect();
                write_aligned(out, paint, 1, &lines)?;
            }
            Some(Value::Array(points)) => {
                writeln!(out, "\n{}", paint.heading(key))?;
                for point in points {
                    writeln!(out, "  {}", value_text(point))?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes the problems and notes of the file.
fn write_problems(
    out: &mut impl Write,
    paint: Paint,
    file: &Path,
    document: &dyn Document,
) -> io::Result<()> {
    let notes = document.notes();
    if !notes.is_empty() {
        let heading = output::counted(notes.len(), "note");
        writeln!(out, "\n{}", paint.heading(heading))?;
        for note in notes.iter().take(MAX_LINES) {
            write!(out, "  ")?;
            output::write_problem(out, paint, file, note)?;
        }
        write_rest(out, paint, 1, unlisted(&notes), "--json lists them")?;
    }
    let problems = &document.about().problems;
    if problems.is_empty() {
        return writeln!(out, "\n{}", paint.dim("no problems"));
    }
    writeln!(out, "\n{}", paint.heading(Tally::of(problems)))?;
    for problem in problems.iter().take(MAX_LINES) {
        write!(out, "  ")?;
        output::write_problem(out, paint, file, problem)?;
    }
    write_rest(out, paint, 1, unlisted(problems), "--json lists them")
}

/// Number of unlisted problems.
fn unlisted(problems: &[Problem]) -> usize {
    problems.iter().skip(MAX_LINES).map(|p| p.count).sum()
}

/// Writes names and values, with the values aligned in a column.
fn write_aligned(
    out: &mut impl Write,
    paint: Paint,
    depth: usize,
    lines: &[(String, String)],
) -> io::Result<()> {
    let width = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    for (name, value) in lines {
        let name = format!("{name:width$}");
        let value = printable(value);
        writeln!(
            out,
            "{:indent$}{}  {value}",
            "",
            paint.dim(name),
            indent = depth * 2
        )?;
    }
    Ok(())
}

/// Writes a level of the outline and its descendants.
fn write_outline(
    out: &mut impl Write,
    paint: Paint,
    depth: usize,
    nodes: &[OutlineNode],
) -> io::Result<()> {
    let shown = || nodes.iter().take(MAX_LINES);
    let width = shown()
        .map(|node| node.label.chars().count())
        .max()
        .unwrap_or(0);
    for node in shown() {
        let label = printable(&node.label);
        let label = format!("{label:width$}");
        let note = printable(&node.note);
        if depth == 0 {
            writeln!(out)?;
        }
        let indent = depth * 2;
        let line = if depth == 0 {
            format!("{}  {}", paint.heading(label), paint.dim(note))
        } else {
            format!("{:indent$}{label}  {}", "", paint.dim(note))
        };
        writeln!(out, "{}", line.trim_end())?;
        write_outline(out, paint, depth + 1, &node.children)?;
    }
    let rest = nodes.iter().skip(MAX_LINES).map(|node| node.count).sum();
    write_rest(out, paint, depth, rest, "the window lists them")
}

/// Writes how many lines of a list are omitted, and where to find them.
fn write_rest(
    out: &mut impl Write,
    paint: Paint,
    depth: usize,
    rest: usize,
    elsewhere: &str,
) -> io::Result<()> {
    if rest == 0 {
        return Ok(());
    }
    let line = paint.dim(format!("… and {rest} more ({elsewhere})"));
    writeln!(out, "{:indent$}{line}", "", indent = depth * 2)
}

/// The lines of a field; several objects or lists have one line each.
fn field_lines(name: &str, value: &Value) -> Vec<(String, String)> {
    let is_several = |value: &Value| value.is_object() || value.is_array();
    let lines: Vec<String> = match value {
        Value::Array(values) if values.iter().any(is_several) => {
            values.iter().map(value_text).collect()
        }
        Value::Object(fields) if fields.values().any(is_several) => {
            let width = fields.keys().map(String::len).max().unwrap_or(0);
            let fields = fields.iter();
            fields
                .map(|(key, value)| format!("{key:width$}  {}", value_text(value)))
                .collect()
        }
        _ => vec![value_text(value)],
    };
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let lines = names.zip(lines);
    lines.map(|(name, line)| (name.to_owned(), line)).collect()
}

/// Key that lists which values of an object are null because they were not read.
const NOT_READ: &str = "not_read";

/// A JSON value as readable text: strings without quotes, fields as `name value`.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => joined(values.iter().map(value_text)),
        Value::Object(fields) => {
            let unread = fields.get(NOT_READ).and_then(Value::as_array);
            let is_unread = |key: &str| unread.is_some_and(|keys| keys.iter().any(|it| it == key));
            let fields = fields.iter().filter(|(key, _)| *key != NOT_READ);
            joined(fields.map(|(key, value)| {
                if is_unread(key) {
                    format!("{key} not read")
                } else {
                    format!("{key} {}", value_text(value))
                }
            }))
        }
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => without_sign_of_zero(number.to_string()),
    }
}

/// The names of the sides in a bit mask.
fn sides_text(mask: &serde_json::Number) -> String {
    let mask = mask.as_u64().unwrap_or_default();
    let sides = SIDES.into_iter().enumerate();
    let sides: Vec<&str> = sides
        .filter(|(side, _)| mask >> side & 1 == 1)
        .map(|(_, name)| name)
        .collect();
    if sides.is_empty() {
        "none".to_owned()
    } else {
        sides.join(" ")
    }
}

/// The bytes of a cube in each section.
fn records_text(records: &Map<String, Value>) -> String {
    let record = |(section, record): (&String, &Value)| {
        let offset = record["offset"].as_u64().unwrap_or_default();
        let hex = record["hex"].as_str().unwrap_or_default();
        format!("{section} at {offset:#x} of the decoded section: {hex}")
    };
    let records: Vec<String> = records.iter().map(record).collect();
    records.join("; ")
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_as_text() {
        let corners = json!({"nw": 4.0, "ok": true, "list": [1, "a", null], "se": -0.0, "to": []});
        let text = "list 1, a, none, nw 4.0, ok yes, se 0.0, to none";
        assert_eq!(value_text(&corners), text);
    }

    #[test]
    fn cubes_are_told_in_words() {
        let cube =
            json!({"faces": 0b10_0101, "bytes": {"common": {"offset": 258, "hex": "02 00"}}});
        let Value::Number(mask) = &cube["faces"] else {
            panic!("a mask");
        };
        assert_eq!(sides_text(mask), "+X +Z -Z");
        let cell = json!({"layer": 1, "logic": null, "not_read": ["tile"], "tile": null});
        assert_eq!(value_text(&cell), "layer 1, logic none, tile not read");
        assert_eq!(sides_text(&0.into()), "none");
        let records = cube["bytes"].as_object().unwrap();
        let text = "common at 0x102 of the decoded section: 02 00";
        assert_eq!(records_text(records), text);
    }

    #[test]
    fn several_objects_or_lists_have_a_line_for_each() {
        let check = |name, value, expected: &[&str]| {
            let (names, lines): (Vec<_>, Vec<_>) = field_lines(name, &value).into_iter().unzip();
            assert_eq!(lines, expected);
            assert_eq!(names[0], name);
            assert!(names[1..].iter().all(String::is_empty), "{names:?}");
        };
        let layers = json!([{"layer": 0, "tile": 7}, {"layer": 2, "tile": null}]);
        check("layers", layers, &["layer 0, tile 7", "layer 2, tile none"]);
        let cells = json!({"n": {"island": 1, "passable": true}, "se": {"island": null}});
        check(
            "cells",
            cells,
            &["n   island 1, passable yes", "se  island none"],
        );
        check("bounds", json!([[0, 1], [2, 3]]), &["0, 1", "2, 3"]);
        check("corners", json!({"nw": 4, "se": 0}), &["nw 4, se 0"]);
        check("zones", json!(["a", "b"]), &["a, b"]);
        check("zones", json!([]), &["none"]);
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let leaf = |i: usize| OutlineNode {
            label: format!("chunk {i}\u{7}"),
            item: None,
            note: String::new(),
            swatch: None,
            children: Vec::new(),
            count: 1,
        };
        let more = OutlineNode {
            count: 570,
            ..leaf(0)
        };
        let root = OutlineNode {
            label: "Chunks".to_owned(),
            note: "30".to_owned(),
            children: (0..30).map(leaf).chain([more]).collect(),
            ..leaf(0)
        };
        let mut out = Vec::new();
        write_outline(&mut out, Paint::default(), 0, &[root]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("\nChunks  30\n  chunk 0\\u{7}\n"),
            "{text}"
        );
        assert!(
            text.ends_with("  … and 576 more (the window lists them)\n"),
            "{text}"
        );
    }
}
