//! `mapscope bench --plot`: plots the report of a suite as curves, and writes a page with all
//! figures.
//!
//! All figures are multiples of baselines of the same machine, so that reports of different
//! machines can be compared.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::commands::{CommandError, Status, interrupt};
use crate::images::series;
use mapscope_render::TimedPass;
use mapscope_scene::saving::{FileKind, MARKDOWN, SVG};
use mapscope_scene::system_reason;

/// Size of a picture; size and top left corner of the plot area in it.
const SIZE: [f64; 2] = [572.0, 300.0];
const PLOT: [f64; 2] = [380.0, 220.0];
const TOP_LEFT: [f64; 2] = [70.0, 34.0];

/// Description of the expected input in messages.
const REPORT: &str = "a report of `mapscope bench --suite`";
/// Maximum number of characters quoted from a wrong value.
const MAX_QUOTED: usize = 40;

/// Colours of the curves, distinguishable on white and on black, and their marks.
const CURVES: [(&str, Mark); 6] = [
    ("#3b82c4", Mark::Circle),
    ("#d97a1e", Mark::Square),
    ("#2f9e6e", Mark::Triangle),
    ("#c2549d", Mark::Diamond),
    ("#d1495b", Mark::Cross),
    ("#8577d6", Mark::Bar),
];

/// A mark on a curve.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Bar,
}

/// A figure that each file has.
struct Figure {
    /// File name of its picture, without extension.
    id: &'static str,
    /// Heading of its column.
    name: &'static str,
    /// The baseline that it is divided by.
    floor: &'static str,
    of: fn(&Value) -> Option<f64>,
}

/// All figures, in the order in which they occur when a file is opened.
const FIGURES: [Figure; 7] = [
    Figure {
        id: "read",
        name: "Read",
        floor: "a copy of the bytes",
        of: |file| ratio(file, "read"),
    },
    Figure {
        id: "parse",
        name: "Parse",
        floor: "a copy of the bytes",
        of: |file| ratio(file, "parse"),
    },
    Figure {
        id: "build",
        name: "Build",
        floor: "a copy of the bytes",
        of: |file| ratio(file, "build"),
    },
    Figure {
        id: "upload",
        name: "Upload",
        floor: "a copy of the bytes",
        of: |file| ratio(file, "upload"),
    },
    Figure {
        id: "first-frame",
        name: "First frame",
        floor: "an empty first frame",
        of: |file| ratio(file, "first_frame"),
    },
    Figure {
        id: "memory",
        name: "Memory",
        floor: "the bytes of the files",
        of: |file| ratio(file, "memory"),
    },
    Figure {
        id: "frame",
        name: "Frame",
        floor: "a textured quad; the slowest of the named views",
        of: |file| frames(file).map(|(_, ratio, _)| ratio).reduce(f64::max),
    },
];

fn ratio(file: &Value, key: &str) -> Option<f64> {
    file["ratios"][key].as_f64()
}

/// For each view of a file: its name, its frame time relative to the textured quad, and its object.
fn frames(file: &Value) -> impl Iterator<Item = (&str, f64, &Value)> {
    let views = file["views"].as_array().into_iter().flatten();
    views.filter_map(|view| {
        let frame = view["frame_ms"]["median"].as_f64()?;
        let quad = view["floor_ms"]["textured_quad"].as_f64()?;
        Some((view["view"].as_str()?, frame / quad, view)).filter(|_| quad > 0.0)
    })
}

/// The files of one format, in the order of the report.
struct Series<'r> {
    format: &'r str,
    files: Vec<&'r Value>,
}

/// Plots all curves of a report and writes its page.
pub(super) fn run(report: &Path, folder: &Path) -> Result<Status, CommandError> {
    let refused = |why: &dyn fmt::Display| {
        CommandError::Argument(format!("--plot {}: {why}", report.display()))
    };
    let bytes = fs::read(report).map_err(|error| {
        let reason = system_reason(&error, "file");
        refused(&format!("{reason}; expected {REPORT}"))
    })?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        refused(&format!("{line}:{column}: invalid JSON; expected {REPORT}"))
    })?;
    let series = series_of(&value).map_err(|why| refused(&why))?;
    interrupt::hold();
    fs::create_dir_all(folder).map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })?;
    for figure in &FIGURES {
        let name = format!("{}.{}", figure.id, SVG.ending);
        write(&folder.join(name), SVG, &picture(figure, &series), report)?;
    }
    let page = page(&value, &series);
    write(&folder.join("figures.md"), MARKDOWN, &page, report)?;
    Ok(Status::Done)
}

/// Groups the files of a report by format.
///
/// # Errors
/// If the value is not a report.
fn series_of(report: &Value) -> Result<Vec<Series<'_>>, String> {
    let files = report["files"].as_array();
    let files = files.ok_or_else(|| format!("missing list `files`; expected {REPORT}"))?;
    let mut all: Vec<Series<'_>> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let format = file["format"].as_str().filter(|_| bytes_of(file).is_some());
        let format = format.ok_or_else(|| {
            format!(
                "files[{number}]: found `{}`; expected an object with `format` and `bytes`",
                shortened(file)
            )
        })?;
        match all.iter_mut().find(|series| series.format == format) {
            Some(series) => series.files.push(file),
            None => all.push(Series {
                format,
                files: vec![file],
            }),
        }
    }
    Ok(all)
}

/// The start of a JSON value, for messages.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The size of a file if it is above 0.
fn bytes_of(file: &Value) -> Option<f64> {
    file["bytes"].as_f64().filter(|bytes| *bytes > 0.0)
}

fn write(path: &Path, kind: FileKind, text: &str, report: &Path) -> Result<(), CommandError> {
    let checked = kind.check_target(path, &[report.to_owned()], false);
    checked.map_err(|error| CommandError::Argument(format!("{}: {error}", path.display())))?;
    let written = series::write_atomically(path, &interrupt::check, &mut |out| {
        out.write_all(text.as_bytes())
    });
    written.map_err(|source| CommandError::Write {
        path: path.to_owned(),
        source,
    })
}

/// A logarithmic axis with ticks at powers of ten.
struct Axis {
    /// First and last tick, as exponents.
    ends: [i32; 2],
    /// Pixel positions of these ticks.
    px: [f64; 2],
}

impl Axis {
    /// Creates an axis that contains all values.
    fn new(values: impl Iterator<Item = f64>, px: [f64; 2]) -> Self {
        let logs = values.filter(|value| *value > 0.0).map(f64::log10);
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        let [min, max] = logs.fold(none, |[min, max], log| [min.min(log), max.max(log)]);
        if min > max {
            return Self { ends: [0, 1], px };
        }
        let first = min.floor() as i32;
        let ends = [first, (max.ceil() as i32).max(first + 1)];
        Self { ends, px }
    }

    /// Pixel position of a value; `None` if it has no logarithm.
    fn at(&self, value: f64) -> Option<f64> {
        let [first, last] = self.ends.map(f64::from);
        let part = (value.log10() - first) / (last - first);
        let [from, to] = self.px;
        (value > 0.0).then_some(from + (to - from) * part)
    }

    fn ticks(&self) -> impl Iterator<Item = (i32, f64)> {
        let exponents = self.ends[0]..=self.ends[1];
        exponents.filter_map(|exponent| Some((exponent, self.at(10_f64.powi(exponent))?)))
    }
}

/// The curves of a figure as an SVG file, readable on light and dark pages.
fn picture(figure: &Figure, series: &[Series<'_>]) -> String {
    let points = series.iter().map(|series| {
        let files = series.files.iter();
        let points = files.filter_map(|file| Some([bytes_of(file)?, (figure.of)(file)?]));
        points.collect::<Vec<_>>()
    });
    let points: Vec<Vec<[f64; 2]>> = points.collect();
    let [left, top] = TOP_LEFT;
    let [right, bottom] = [left + PLOT[0], top + PLOT[1]];
    let all = || points.iter().flatten();
    let x_axis = Axis::new(all().map(|point| point[0]), [left, right]);
    let y_axis = Axis::new(all().map(|point| point[1]), [bottom, top]);
    let mut svg = String::new();
    // Writing to memory cannot fail.
    let _ = draw(&mut svg, figure, series, &points, [&x_axis, &y_axis]);
    svg
}

fn draw(
    svg: &mut String,
    figure: &Figure,
    series: &[Series<'_>],
    points: &[Vec<[f64; 2]>],
    [x_axis, y_axis]: [&Axis; 2],
) -> fmt::Result {
    let [width, height] = SIZE;
    let [left, top] = TOP_LEFT;
    let [right, bottom] = [left + PLOT[0], top + PLOT[1]];
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">"
    )?;
    writeln!(
        svg,
        "<style>text{{fill:#24292f}}.grid{{stroke:#8c959f;stroke-opacity:.35}}\
         .curve{{fill:none;stroke-width:1.8}}\
         @media(prefers-color-scheme:dark){{text{{fill:#d1d7e0}}}}</style>"
    )?;
    writeln!(
        svg,
        "<text x=\"{left}\" y=\"18\"><tspan font-weight=\"bold\">{}</tspan>, multiples of {}</text>",
        figure.name, figure.floor
    )?;
    for (exponent, x) in x_axis.ticks() {
        writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            byte_tick(exponent)
        )?;
    }
    for (exponent, y) in y_axis.ticks() {
        writeln!(
            svg,
            "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            y + 4.0,
            plain(10_f64.powi(exponent))
        )?;
    }
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">bytes of the files</text>",
        f64::midpoint(left, right),
        bottom + 34.0
    )?;
    for (number, (series, points)) in series.iter().zip(points).enumerate() {
        let (color, mark) = CURVES[number % CURVES.len()];
        let at = |point: &[f64; 2]| Some([x_axis.at(point[0])?, y_axis.at(point[1])?]);
        let at: Vec<[f64; 2]> = points.iter().filter_map(at).collect();
        let line: Vec<String> = at.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            svg,
            "<polyline class=\"curve\" stroke=\"{color}\" points=\"{}\"/>",
            line.join(" ")
        )?;
        let row = top + 10.0 + 20.0 * number as f64;
        let legend = [right + 20.0, row];
        for point in at.iter().chain([&legend]) {
            writeln!(svg, "{}", mark.svg(*point, color))?;
        }
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            legend[0] + 12.0,
            row + 4.0,
            escaped(series.format)
        )?;
    }
    writeln!(svg, "</svg>")
}

impl Mark {
    /// The SVG of the mark at a point.
    fn svg(self, [x, y]: [f64; 2], color: &str) -> String {
        let shape = match self {
            Self::Circle => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
            Self::Square => "m-3.5-3.5h7v7h-7z",
            Self::Triangle => "m0-4.5l4.5 8h-9z",
            Self::Diamond => "m0-5l5 5l-5 5l-5-5z",
            Self::Cross => "m-4-4l8 8m0-8l-8 8",
            Self::Bar => "m-5-1.5h10v3h-10z",
        };
        let paint = match self {
            Self::Cross => format!("stroke=\"{color}\" stroke-width=\"2\""),
            _ => format!("fill=\"{color}\""),
        };
        format!("<path {paint} d=\"M{x:.1} {y:.1}{shape}\"/>")
    }
}

/// Label of a tick at 10^`exponent` bytes.
fn byte_tick(exponent: i32) -> String {
    let units = ["B", "KB", "MB", "GB", "TB"];
    let unit = units.get((exponent.max(0) / 3) as usize);
    let number = plain(10_f64.powi(exponent.max(0) % 3));
    format!("{number} {}", unit.copied().unwrap_or("PB"))
}

/// A number with three significant digits, or with all digits before the decimal point.
fn plain(number: f64) -> String {
    let digits = match number.abs().log10().floor() {
        log if log >= 2.0 => 0,
        log if log >= 1.0 => 1,
        log if log >= -1.0 => 2,
        _ => 3,
    };
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

/// All figures of a report as a Markdown page.
fn page(report: &Value, series: &[Series<'_>]) -> String {
    let mut page = String::new();
    // Writing to memory cannot fail.
    let _ = write_page(&mut page, report, series);
    page
}

fn write_page(page: &mut String, report: &Value, series: &[Series<'_>]) -> fmt::Result {
    let text = |pointer: &str| match report.pointer(pointer) {
        Some(Value::String(text)) => cell(text),
        Some(Value::Null) | None => "unknown".to_owned(),
        Some(other) => other.to_string(),
    };
    let memory = report.pointer("/machine/memory_bytes");
    let memory = memory.and_then(Value::as_f64);
    let memory = memory.map_or("unknown".to_owned(), size);
    writeln!(page, "# Figures of `mapscope bench --suite`\n")?;
    writeln!(page, "Made from a report by `mapscope bench --plot`.\n")?;
    writeln!(page, "| | |\n|---|---|")?;
    let lines = [
        (
            "Mapscope",
            format!("{}, {}", text("/mapscope"), text("/profile")),
        ),
        (
            "Processor",
            format!(
                "{}, {} threads",
                text("/machine/cpu"),
                text("/machine/threads")
            ),
        ),
        ("Memory", memory),
        ("System", text("/machine/os")),
        (
            "Adapter",
            format!("{} ({})", text("/adapter/name"), text("/adapter/type")),
        ),
        (
            "Driver",
            format!("{}, {}", text("/adapter/backend"), text("/adapter/driver")),
        ),
        (
            "Image",
            format!("{} x {} pixels", text("/size/0"), text("/size/1")),
        ),
        ("Rounds", text("/rounds")),
    ];
    for (name, value) in lines {
        writeln!(page, "| {name} | {value} |")?;
    }
    writeln!(page)?;
    for figure in &FIGURES {
        writeln!(
            page,
            "- {}: multiples of {}, ![curves]({}.{})",
            figure.name, figure.floor, figure.id, SVG.ending
        )?;
    }
    for series in series {
        writeln!(page, "\n## {}\n", cell(series.format))?;
        let names = FIGURES.iter().map(|figure| figure.name);
        let head: Vec<&str> = ["Size", "Bytes"].into_iter().chain(names).collect();
        write_table(page, &head, &series.files, |file| {
            let bytes = bytes_of(file).map_or_else(String::new, size);
            let figures = FIGURES.iter().map(|figure| figure_cell((figure.of)(file)));
            std::iter::once(bytes).chain(figures).collect()
        })?;
        writeln!(
            page,
            "\nFrames from each view, in textured quads, and the floors in milliseconds:\n"
        )?;
        let views: Vec<&str> = series.files.first().map_or_else(Vec::new, |file| {
            frames(file).map(|(view, ..)| view).collect()
        });
        let floors = ["Copy", "Empty first frame", "Textured quad"];
        let head: Vec<&str> = { ["Size"].into_iter() }
            .chain(views.iter().copied())
            .chain(floors)
            .collect();
        write_table(page, &head, &series.files, |file| {
            let ratios = views.iter().map(|view| {
                let found = frames(file).find(|(name, ..)| name == view);
                found.map(|(_, ratio, _)| ratio)
            });
            let floors = ["copy", "empty_frame", "textured_quad"];
            let floors = floors.map(|key| file["floor_ms"][key].as_f64());
            ratios.chain(floors).map(figure_cell).collect()
        })?;
        if series.files.iter().all(|file| gpu_times(file).is_none()) {
            continue;
        }
        writeln!(
            page,
            "\nThe slowest view by the clock of the GPU, in milliseconds, and what it draws:\n"
        )?;
        let names = TimedPass::ALL.map(TimedPass::name);
        let head: Vec<&str> = { ["Size"].into_iter() }
            .chain(names)
            .chain(["textured quad", "Triangles", "Draw calls"])
            .collect();
        write_table(page, &head, &series.files, |file| {
            let Some((view, times)) = gpu_times(file) else {
                return vec![figure_cell(None); head.len() - 1];
            };
            let keys = TimedPass::ALL.map(TimedPass::key);
            let keys = keys.into_iter().chain(["textured_quad"]);
            let times = keys.map(|key| figure_cell(times[key].as_f64()));
            let counts = ["triangles", "draw_calls"].map(|key| view[key].to_string());
            times.chain(counts).collect()
        })?;
    }
    Ok(())
}

/// The slowest view of a file and its GPU times; `None` without GPU times.
fn gpu_times(file: &Value) -> Option<(&Value, &Value)> {
    let slowest = frames(file).max_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
    let (.., view) = slowest?;
    let times = &view["gpu_ms"];
    times.is_object().then_some((view, times))
}

/// Writes a table with one row per file, which starts with the file's size.
fn write_table(
    page: &mut String,
    head: &[&str],
    files: &[&Value],
    row: impl Fn(&Value) -> Vec<String>,
) -> fmt::Result {
    writeln!(page, "| {} |", head.join(" | "))?;
    writeln!(page, "|{}", "---|".repeat(head.len()))?;
    for file in files {
        let unit = file["unit"].as_str().unwrap_or_default();
        let size = format!("{} {unit}", file["count"]);
        let cells = row(file).join(" | ");
        writeln!(page, "| {} | {cells} |", cell(&size))?;
    }
    Ok(())
}

fn figure_cell(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), plain)
}

/// A size with its unit, for display.
fn size(bytes: f64) -> String {
    let exponent = bytes.max(1.0).log10().floor() as i32 / 3 * 3;
    let unit = byte_tick(exponent);
    let unit = unit.split(' ').nth(1).unwrap_or_default();
    format!("{} {unit}", plain(bytes / 10_f64.powi(exponent)))
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report() -> Value {
        let file = |bytes: u64, parse: f64| {
            json!({
                "format": "pfmap", "bytes": bytes, "count": 4, "unit": "chunks",
                "ratios": { "parse": parse },
                "floor_ms": { "copy": 2.0 },
                "views": [{
                    "view": "iso",
                    "frame_ms": { "median": 30.0 },
                    "floor_ms": { "textured_quad": 10.0 },
                    "gpu_ms": { "frame": 20.5, "textured_quad": 9.5 },
                    "triangles": 7, "draw_calls": 2,
                }],
            })
        };
        json!({ "files": [file(2000, 2.0), file(300_000, 30.0)] })
    }

    #[test]
    fn larger_files_are_further_right_and_larger_figures_higher() {
        let report = report();
        let series = series_of(&report).unwrap();
        let picture = picture(&FIGURES[1], &series);
        let line = picture.split("points=\"").nth(1).unwrap();
        let line = line.split('"').next().unwrap();
        let points: Vec<[f64; 2]> = line
            .split(' ')
            .map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                [x, y].map(|number| number.parse().unwrap())
            })
            .collect();
        // The axes range from 1 KB to 1 MB and from 1 to 100.
        let [left, top] = TOP_LEFT;
        let x = |bytes: f64| left + PLOT[0] * (bytes / 1e3).log10() / 3.0;
        let y = |ratio: f64| top + PLOT[1] * (1.0 - ratio.log10() / 2.0);
        let expected = [[x(2e3), y(2.0)], [x(3e5), y(30.0)]];
        for (point, expected) in points.iter().flatten().zip(expected.iter().flatten()) {
            assert!((point - expected).abs() < 0.06, "{points:?}, {expected:?}");
        }
        for tick in ["1 KB", "10 KB", "100 KB", "1 MB", ">1<", ">10<", ">100<"] {
            assert!(picture.contains(tick), "{tick}: {picture}");
        }
    }

    #[test]
    fn the_page_has_all_figures_and_says_which_are_not_there() {
        let report = report();
        let page = page(&report, &series_of(&report).unwrap());
        assert!(page.contains("| 4 chunks | 300 KB | – | 30 |"), "{page}");
        assert!(page.contains("| 4 chunks | 3 | 2 | – | – |"), "{page}");
        let on_gpu = "| 4 chunks | – | – | 20.5 | 9.5 | 7 | 2 |";
        assert!(page.contains(on_gpu), "{page}");
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for (report, said) in [
            (json!([]), "`files`"),
            (
                json!({ "files": [{ "format": "pfmap", "bytes": 0 }] }),
                "files[0]",
            ),
        ] {
            let error = series_of(&report).err().unwrap();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn numbers_have_three_digits() {
        let numbers = [1234.5, 123.4, 12.34, 1.234, 0.5, 0.1234, 10.0, 100.0, 0.001];
        let texts = [
            "1234", "123", "12.3", "1.23", "0.5", "0.12", "10", "100", "0.001",
        ];
        assert_eq!(numbers.map(plain), texts);
        assert_eq!(size(104_200_000.0), "104 MB");
        assert_eq!(byte_tick(4), "10 KB");
    }
}
