//! Containers of the `PixelPerfectEngine` (fact sheet 7).

use mapscope_formats::ppe::sdlang::{Attribute, Tag, Value};
pub(super) use mapscope_formats::ppe::xmf::read;
use mapscope_formats::ppe::xmf::{MapSource, Palette, PaletteSource, Shape, Xmf};

use super::ppe_map::zstd;
use super::{GeneratedFile, Random, Reading, zlib};

fn attributes(list: &[Attribute]) -> String {
    list.iter()
        .map(|it| format!(" {}:{}={}", it.namespace, it.name, value(&it.value)))
        .collect()
}

fn value(it: &Value) -> String {
    match it {
        Value::Float(number) => format!("float {number:?}"),
        Value::Integer(number) => format!("{number}"),
        Value::Text(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}

/// The expected lines of custom tags, including their children.
fn own(tag: &Tag) -> String {
    let values: String = tag
        .values
        .iter()
        .map(|it| format!(" {}", value(it)))
        .collect();
    let children: String = tag
        .children
        .iter()
        .map(|child| format!(" ({})", own(child)))
        .collect();
    format!(
        "own {}:{}{values}{}{children}",
        tag.namespace,
        tag.name,
        attributes(&tag.attributes)
    )
}

fn palette(it: &Palette) -> String {
    let source = match &it.source {
        PaletteSource::File(path) => path.clone(),
        PaletteSource::Embedded { name, colors } => format!("{name:?} {colors:?}"),
    };
    says!(
        "palette",
        source,
        it.pal_shift,
        it.offset,
        attributes(&it.attributes)
    )
}

pub(super) fn describe(xmf: Xmf) -> Reading {
    let mut records = Vec::new();
    let metadata = [&xmf.metadata]
        .into_iter()
        .filter(|it| it.version.is_some());
    list! { records: "metadata" in metadata => |it| it.version, it.name, it.resolution; }
    records.extend(xmf.metadata.other.iter().map(own));
    for layer in &xmf.layers {
        list! { records:
            "layer" in [layer].into_iter() => |it| it.kind.name(), it.name, it.priority,
                it.tile_size, it.size, it.scroll_rate, it.rendering_mode, attributes(&it.attributes);
            "map" in layer.map.iter() => |it| map_text(it);
        }
        for it in &layer.tile_sources {
            list! { records:
                "source" in [it].into_iter() =>
                    |it| it.path, it.pal_shift, it.offset, attributes(&it.attributes);
                "tile" in it.tiles.iter().flatten() => |it| it.first, it.second, it.name;
            }
            records.extend(it.other.iter().map(own));
        }
        list! { records:
            "sprite" in layer.sprite_sources.iter() =>
                |it| it.id, it.path, it.name, it.part, attributes(&it.attributes);
            "object" in layer.objects.iter() =>
                |it| it.name, it.id, it.shape, it.to_collision, attributes(&it.attributes);
        }
        records.extend(layer.palettes.iter().map(palette));
        let others = layer.objects.iter().flat_map(|it| &it.other);
        records.extend(others.chain(&layer.other).map(own));
    }
    records.extend(xmf.palettes.iter().map(palette));
    records.extend(xmf.other.iter().map(own));
    let problems = xmf.problems;
    Reading { records, problems }
}

fn map_text(map: &MapSource) -> String {
    match map {
        MapSource::File { path, .. } => path.clone(),
        MapSource::Embedded { cells, .. } => format!("{cells:?}"),
        MapSource::Shared { layer, .. } => layer.to_string(),
    }
}

/// The style of tags.
struct Writer {
    made: GeneratedFile,
    depth: usize,
}

impl Writer {
    /// Writes a tag and ends it, or begins its children.
    fn tag(&mut self, random: &mut Random, text: &str, opens: bool) {
        let indent = if random.odd(4) {
            random.pick(&["", " ", "\t\t\t"])
        } else {
            "\t"
        }
        .repeat(self.depth);
        if random.odd(8) {
            let comment = [
                "// Layer:Tile",
                "# {",
                "-- }",
                "/* a { \n <<<<<<< b \n======= */",
            ];
            self.made.line(random.pick(&comment));
        }
        let text = if random.odd(6) {
            text.replacen(' ', " \\\n  ", 1)
        } else {
            text.to_owned()
        };
        self.made.bytes.extend(format!("{indent}{text}").as_bytes());
        if opens {
            self.made.bytes.extend(b" {");
            self.depth += 1;
        } else if random.odd(5) {
            self.made.bytes.extend(b"; ");
            return;
        } else if random.odd(8) {
            self.made.bytes.extend(b" // said }");
        }
        self.end();
    }

    fn end(&mut self) {
        self.made.bytes.extend(self.made.line_end.as_bytes());
    }

    fn close(&mut self) {
        self.depth -= 1;
        let indent = "\t".repeat(self.depth);
        self.made.bytes.extend(format!("{indent}}}").as_bytes());
        self.end();
    }

    fn record(&mut self, start: usize, says: String) {
        self.made.record(start, says);
    }

    /// Writes a tag that no reader knows, and its expected text.
    fn own(&mut self, random: &mut Random) {
        let start = self.made.bytes.len();
        let number = random.int();
        match random.below(4) {
            0 => {
                self.tag(random, "Editor open=true", true);
                self.tag(random, &format!("Layer:State {number} \"x\""), false);
                self.tag(random, "Object:Note", true);
                self.close();
                self.close();
                self.record(start, format!("own :Editor :open=Bool(true) (own Layer:State {number} \"x\") (own Object:Note)"));
            }
            1 => {
                self.tag(
                    random,
                    &format!("Mapdata {number} null own:note=\"n\""),
                    false,
                );
                self.record(start, format!("own :Mapdata {number} Null own:note=\"n\""));
            }
            2 => {
                self.tag(random, "File:TileSources \"a.png\"", false);
                self.record(start, "own File:TileSources \"a.png\"".to_owned());
            }
            _ => {
                self.tag(
                    random,
                    &format!("Fade 0x1p4 1.5e3 {number} 1_000 0x1F 0b101"),
                    false,
                );
                self.record(
                    start,
                    format!("own :Fade float 16.0 float 1500.0 {number} 1000 31 5"),
                );
            }
        }
    }
}

/// A number in one of the notations of XDL.
fn number(random: &mut Random, number: usize) -> String {
    match random.below(6) {
        0 if random.is_odd => format!("{number:#x}"),
        1 if random.is_odd => format!("{number:#b}"),
        _ => number.to_string(),
    }
}

/// A text as it is written and as it is read.
fn text(random: &mut Random) -> (String, String) {
    let name = random.name();
    match random.below(6) {
        0 if random.is_odd => (format!("`raw \\n {name}`"), format!("raw \\n {name}")),
        1 if random.is_odd => (
            format!("\"say \\\"{name}\\\"\\tthen\""),
            format!("say \"{name}\"\tthen"),
        ),
        2 if random.is_odd => (
            format!("\"Grün }} {{ {name}\""),
            format!("Grün }} {{ {name}"),
        ),
        _ => (format!("\"{name}\""), name),
    }
}

/// Custom attributes as they are written and as they are read.
fn own_attributes(random: &mut Random) -> (String, String) {
    let number = random.fresh();
    match random.below(5) {
        0 if random.is_odd => (
            format!(" offsetX={number} offsetY=2"),
            format!(" :offsetX={number} :offsetY=2"),
        ),
        1 if random.is_odd => (
            format!(" own:shift={number}"),
            format!(" own:shift={number}"),
        ),
        2 if random.is_odd => (
            format!(" weight={number} fname=\"x\""),
            format!(" :weight={number} :fname=\"x\""),
        ),
        _ => Default::default(),
    }
}

fn tile_layer(w: &mut Writer, random: &mut Random, priority: usize) {
    let start = w.made.bytes.len();
    let (name, name_read) = text(random);
    let size = [1 + random.below(5), 1 + random.below(4)];
    let numbers = [8, 16]
        .into_iter()
        .chain(size)
        .map(|edge| number(random, edge))
        .collect::<Vec<_>>()
        .join(" ");
    let (own, own_read) = own_attributes(random);
    w.tag(
        random,
        &format!("Layer:Tile {name} {priority} {numbers}{own}"),
        true,
    );
    let (rate, rate_read) = random.pick(&[
        ("0.25", 0.25),
        ("1.5e-3", 1.5e-3),
        ("0x1p2", 4.0),
        ("-2.0", -2.0),
    ]);
    let rate = if random.is_odd { rate } else { "0.25" };
    let rate_read = if random.is_odd { rate_read } else { 0.25 };
    let mut lines = vec![
        "RenderingMode \"Copy\"".to_owned(),
        "RepeatMode \"On\"".to_owned(),
        format!("ScrollRateX {rate}"),
        "ScrollRateY 0.5".to_owned(),
    ];
    if random.odd(2) {
        random.shuffle(&mut lines);
    }
    for line in &lines {
        w.tag(random, line, false);
    }
    let rates = [Some(rate_read), Some(0.5)];
    let edges = [[8, 16], size];
    w.record(
        start,
        says!(
            "layer",
            "Tile",
            name_read,
            priority,
            edges[0],
            edges[1],
            rates,
            Some("Copy"),
            own_read
        ),
    );
    let at = w.made.bytes.len();
    if random.below(2) == 0 {
        let cells: Vec<u32> = (0..size[0] * size[1])
            .map(|i| if i % 2 == 0 { 0xffff } else { i as u32 })
            .collect();
        let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
        let packed = data_encoding::BASE64.encode(&bytes);
        let packed = if random.odd(3) {
            packed.replace('A', "A\n ")
        } else {
            packed
        };
        w.tag(random, &format!("Embed:MapData [{packed}]"), false);
        w.record(at, says!("map", format!("{cells:?}")));
    } else {
        let path = format!("%PATH%/maps/{}.map", random.name());
        w.tag(random, &format!("File:MapData \"{path}\""), false);
        w.record(at, says!("map", path));
    }
    let mut tiles = 0;
    for _ in 0..random.count(2) {
        let at = w.made.bytes.len();
        let path = format!("{}.png", random.name());
        let shift = random.odd(2).then_some(5);
        let shift_text = if shift.is_some() { " palShift=5" } else { "" };
        let (own, own_read) = own_attributes(random);
        w.tag(
            random,
            &format!("File:TileSource \"{path}\"{shift_text}{own}"),
            true,
        );
        w.record(at, says!("source", path, shift, None::<u32>, own_read));
        w.tag(random, "Embed:TileInfo", true);
        for _ in 0..random.count(20) {
            let at = w.made.bytes.len();
            let (name, read) = text(random);
            let id = number(random, tiles);
            w.tag(random, &format!("{id} {tiles} {name}"), false);
            w.record(at, says!("tile", tiles, tiles, read));
            tiles += 1;
        }
        w.close();
        if random.odd(4) {
            w.own(random);
        }
        w.close();
        w.made.pieces.push(at..w.made.bytes.len());
    }
    if random.odd(3) {
        w.own(random);
    }
    w.close();
    w.made.pieces.push(start..w.made.bytes.len());
}

fn sprite_layer(w: &mut Writer, random: &mut Random, priority: usize) {
    let start = w.made.bytes.len();
    let (name, name_read) = text(random);
    w.tag(random, &format!("Layer:Sprite {name} {priority}"), true);
    let none: [Option<f64>; 2] = [None; 2];
    w.record(
        start,
        says!(
            "layer",
            "Sprite",
            name_read,
            priority,
            [0, 0],
            [0, 0],
            none,
            None::<String>,
            ""
        ),
    );
    for id in 0..random.count(2) {
        let at = w.made.bytes.len();
        let (path, name) = (random.name(), random.name());
        let (own, own_read) = own_attributes(random);
        w.tag(random, &format!("File:SpriteSource {id} \"{path}\" name=\"{name}\" horizOffset=1 vertOffset=2 width=3 height=4{own}"), false);
        w.record(
            at,
            says!("sprite", id, path, Some(name), Some([1, 2, 3, 4]), own_read),
        );
    }
    for id in 0..random.count(3) {
        let at = w.made.bytes.len();
        let (name, read) = text(random);
        let edges = [(); 4].map(|()| random.int());
        let [a, b, c, d] = edges;
        let is_solid = random.below(2) == 0;
        let (own, own_read) = own_attributes(random);
        w.tag(
            random,
            &format!("Object:Box {name} {id} {a} {b} {c} {d}{own}"),
            is_solid,
        );
        if is_solid {
            w.tag(random, "ToCollision", false);
            w.close();
        }
        w.record(
            at,
            says!("object", read, id, Shape::Box(edges), is_solid, own_read),
        );
    }
    if random.odd(3) {
        w.own(random);
    }
    w.close();
    w.made.pieces.push(start..w.made.bytes.len());
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let mut w = Writer {
        made: GeneratedFile::text(random),
        depth: 0,
    };
    let start = w.made.bytes.len();
    w.tag(random, "Metadata", true);
    let (name, read) = text(random);
    let [width, height] = [(); 2].map(|()| random.fresh());
    let mut lines = [
        "Version 1 0".to_owned(),
        format!("Name {name}"),
        format!("Resolution {width} {height}"),
    ];
    if random.odd(2) {
        random.shuffle(&mut lines);
    }
    lines.iter().for_each(|line| w.tag(random, line, false));
    w.record(
        start,
        says!("metadata", Some([1, 0]), Some(read), Some([width, height])),
    );
    let at = w.made.bytes.len();
    w.tag(random, "DateOfCreation \"2026-01-01\"", false);
    w.record(at, "own :DateOfCreation \"2026-01-01\"".to_owned());
    if random.odd(3) {
        w.own(random);
    }
    w.close();
    let layers = 1 + random.count(2);
    let mut late = Vec::new();
    for priority in 0..layers {
        if random.odd(3) {
            let before = w.made.records.len();
            w.own(random);
            late.extend(w.made.records.drain(before..));
        }
        if random.below(3) == 0 {
            sprite_layer(&mut w, random, priority);
        } else {
            tile_layer(&mut w, random, priority);
        }
    }
    for _ in 0..random.count(1) {
        let at = w.made.bytes.len();
        let path = random.name();
        let offset = random.below(4) * 32;
        let (own, own_read) = own_attributes(random);
        w.tag(
            random,
            &format!("File:Palette \"{path}\" palShift=5 offset={offset}{own}"),
            false,
        );
        w.record(at, says!("palette", path, Some(5), offset, own_read));
    }
    w.made.records.extend(late);
    if random.odd(3) {
        w.own(random);
    }
    w.end();
    let mut made = w.made;
    made.warnings.extend([
        "xmf/no-cells",
        "xmf/tile-order",
        "xmf/cell-layout",
        "xmf/identifier",
        "xmf/tile-id",
    ]);
    if random.odd(3) {
        let packed = if random.below(2) == 0 {
            [
                b"ZLIB".to_vec(),
                zlib(&mut Random::new(1, false), &made.bytes),
            ]
            .concat()
        } else {
            [b"ZSTD".to_vec(), zstd(&made.bytes)].concat()
        };
        made.bytes = packed;
    }
    made
}
