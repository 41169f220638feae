//! ika's text maps (fact sheet 4).

use encoding_rs::WINDOWS_1252;
use mapscope_formats::ika::text_map::TextMap;
pub(super) use mapscope_formats::ika::text_map::read;

use super::{GeneratedFile, Random, Reading, zlib};

pub(super) fn describe(map: TextMap) -> Reading {
    let mut records = Vec::new();
    list! { records:
        "version" in [&map].into_iter() => |it| it.version;
        "title" in [&map].into_iter() => |it| it.title;
        "header" in [&map].into_iter() => |it| it.size, it.tileset;
        "meta" in map.meta.iter() => |it| it.0, it.1;
        "zone" in map.zones.iter() => |it| it.label, it.script;
        "waypoint" in map.waypoints.iter() => |it| it.label, it.position;
    }
    for layer in &map.layers {
        list! { records:
            "layer" in [layer].into_iter() =>
                |it| it.label, it.size, it.position, it.parallax.mul, it.parallax.div, it.wrap;
            "tiles" in [&layer.tiles].into_iter().filter(|it| !it.is_empty()) => |it| it;
            "obstructions" in [&layer.obstructions].into_iter().filter(|it| !it.is_empty()) => |it| it;
            "entity" in layer.entities.iter() => |it| [&it.label, &it.sprite, &it.direction],
                [&it.move_script, &it.adjacent_script, &it.activation_script], it.position, it.speed,
                [it.obstructs_entities, it.is_obstructed_by_entities, it.is_obstructed_by_map];
            "rect" in layer.zones.iter() => |it| it.label, it.position, it.size;
        }
    }
    let problems = map.problems;
    Reading { records, problems }
}

/// Custom nodes, most with names similar to known ones.
const OWN: [&str; 10] = [
    "(deactivate_script X)",
    "(offset (x 40)(y 40))",
    "(type chest)",
    "(note 'it\\'s ( not ) closed')",
    "(labels a)",
    "(num_regions 3)",
    "(own (layer-like (label 'no layer')(x 1)))",
    "(empty )",
    "(tag boss)",
    "(Position 5)",
];

/// The style of nodes: their line ends, indentation and texts.
struct Writer {
    made: GeneratedFile,
    depth: usize,
    is_dense: bool,
    is_quoted: bool,
}

impl Writer {
    fn space(&mut self) {
        if !self.is_dense {
            let indent = "\t".repeat(self.depth);
            let text = format!("{}{indent}", self.made.line_end);
            self.put(&text);
        }
    }

    fn put(&mut self, text: &str) {
        self.made.bytes.extend(&*WINDOWS_1252.encode(text).0);
    }

    fn open(&mut self, name: &str) {
        self.space();
        self.put(&format!("({name} "));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.space();
        self.put(")");
    }

    /// Writes a node with one text.
    fn leaf(&mut self, random: &mut Random, name: &str, text: &str) {
        self.space();
        let is_plain = !text.contains(['(', ')', '\n', '\t'])
            && !text.starts_with(['\'', '\\'])
            && text.trim() == text;
        let is_quoted = !is_plain
            || if random.odd(4) {
                !self.is_quoted
            } else {
                self.is_quoted
            };
        let text = if is_quoted {
            let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
            let line_feed = if random.odd(2) { "\\n" } else { "\n" };
            format!(
                "'{}'",
                escaped.replace('\n', line_feed).replace('\t', "\\t")
            )
        } else if random.odd(4) {
            format!(" {text} \t")
        } else {
            text.to_owned()
        };
        self.put(&format!("({name} {text})"));
    }

    fn own(&mut self, random: &mut Random) {
        if random.odd(3) {
            self.space();
            self.put(random.pick(&OWN));
        }
    }

    /// Writes nodes in any order.
    fn leaves(&mut self, random: &mut Random, leaves: &[(&str, String)]) {
        let mut leaves = leaves.to_vec();
        if random.odd(2) {
            random.shuffle(&mut leaves);
        }
        for (name, text) in leaves {
            self.leaf(random, name, &text);
            if random.odd(4) {
                self.own(random);
            }
        }
    }

    fn pair(&mut self, random: &mut Random, name: &str, keys: [&str; 2], numbers: [i32; 2]) {
        self.open(name);
        let leaves = [0, 1].map(|i| (keys[i], numbers[i].to_string()));
        self.leaves(random, &leaves);
        self.close();
    }

    fn record(&mut self, start: usize, says: String) {
        self.made.record(start, says);
    }

    /// Writes a node with packed numbers.
    fn block(&mut self, random: &mut Random, [name, version]: [&str; 2], data: &[u8], row: usize) {
        let start = self.made.bytes.len();
        let mut data = data.to_vec();
        if random.odd(5) {
            data.extend(std::iter::repeat_n(1, row));
            self.made.warn("ika/long-block");
        }
        let packed = data_encoding::BASE64.encode(&zlib(random, &data));
        self.open(name);
        match (name, version) {
            ("data", _) => self.leaf(random, "format", "zlib"),
            (_, "1.0") => self.leaf(random, "format", "tile"),
            _ => self.leaves(
                random,
                &[("style", "tile".to_owned()), ("format", "zlib".to_owned())],
            ),
        }
        self.space();
        let lines: Vec<&str> = if version == "1.0" || random.odd(4) {
            packed
                .as_bytes()
                .chunks(44)
                .map(|line| std::str::from_utf8(line).unwrap())
                .collect()
        } else {
            vec![&packed]
        };
        let text = lines.join(self.made.line_end);
        let text = if self.is_quoted {
            format!("'{text}'")
        } else {
            text
        };
        self.put(&text);
        self.close();
        self.made.pieces.push(start..self.made.bytes.len());
    }
}

fn some_text(random: &mut Random) -> String {
    let begin = random.pick(&[
        "",
        "",
        "Grün \u{20ac} ",
        "it's ",
        "(a) ",
        "back\\slash ",
        "tab\there ",
        "- ",
    ]);
    if random.is_odd {
        format!("{begin}{}", random.name())
    } else {
        random.name()
    }
}

fn entity(w: &mut Writer, random: &mut Random) {
    let start = w.made.bytes.len();
    let [label, sprite, moves, adjacent, activation] = [(); 5].map(|()| some_text(random));
    let [x, y, speed] = [(); 3].map(|()| random.int());
    let direction = random.pick(&["up", "down", "left", "right", "up-left", "down-right"]);
    let bools = [(); 3].map(|()| random.below(2) == 0);
    let mut leaves = vec![
        ("label", label.clone()),
        ("x", x.to_string()),
        ("y", y.to_string()),
        ("sprite", sprite.clone()),
        ("speed", speed.to_string()),
        ("direction", direction.to_owned()),
        ("move_script", moves.clone()),
        ("obstructs_entities", bools[0].to_string()),
        ("obstructed_by_entities", bools[1].to_string()),
        ("obstructed_by_map", bools[2].to_string()),
        ("adj_activate_script", adjacent.clone()),
        ("activate_script", activation.clone()),
    ];
    let texts = [label, sprite, direction.to_owned()];
    let mut scripts = [moves, adjacent, activation];
    if random.odd(2) {
        // Without a script of its own, beside a custom node with a similar name.
        leaves.retain(|(name, _)| *name != "activate_script");
        scripts[2].clear();
    }
    w.open("entity");
    w.leaves(random, &leaves);
    w.own(random);
    w.close();
    w.record(start, says!("entity", texts, scripts, [x, y], speed, bools));
}

fn layer(w: &mut Writer, random: &mut Random, version: &str, zones: &[String]) {
    let start = w.made.bytes.len();
    let size = [1 + random.below(8), 1 + random.below(6)];
    let [width, height] = size;
    let label = some_text(random);
    let [x, y, mul_x, mul_y] = [(); 4].map(|()| random.int());
    let [div_x, div_y] = [(); 2].map(|()| random.fresh() as i32);
    let wrap = [(); 2].map(|()| random.below(2) == 0);
    w.open("layer");
    let mut leaves = vec![("label", label.clone())];
    if !random.odd(3) {
        leaves.push(("type", "tile".to_owned()));
    }
    w.leaves(random, &leaves);
    w.own(random);
    w.pair(
        random,
        "dimensions",
        ["width", "height"],
        size.map(|edge| edge as i32),
    );
    w.pair(random, "position", ["x", "y"], [x, y]);
    w.open("parallax");
    let parallax = [
        ("mulx", mul_x),
        ("muly", mul_y),
        ("divx", div_x),
        ("divy", div_y),
    ];
    w.leaves(
        random,
        &parallax.map(|(name, number)| (name, number.to_string())),
    );
    w.close();
    w.open("wrap");
    w.leaves(
        random,
        &[("x", wrap[0].to_string()), ("y", wrap[1].to_string())],
    );
    w.close();
    let says = says!(
        "layer",
        label,
        size,
        [x, y],
        [mul_x, mul_y],
        [div_x, div_y],
        wrap
    );
    w.record(start, says);
    let at = w.made.bytes.len();
    let tiles: Vec<u32> = (0..width * height)
        .map(|_| random.next() as u32 & 0x3ff)
        .collect();
    let bytes: Vec<u8> = tiles.iter().flat_map(|tile| tile.to_le_bytes()).collect();
    w.block(random, ["data", version], &bytes, 4 * width);
    w.record(at, says!("tiles", tiles));
    let at = w.made.bytes.len();
    let bits: Vec<u8> = (0..width * height).map(|_| random.below(2) as u8).collect();
    w.block(random, ["obstructions", version], &bits, width);
    w.record(at, says!("obstructions", bits));
    let entities = random.count(3);
    w.open("entities");
    for _ in 0..entities {
        entity(w, random);
    }
    w.close();
    w.open("zones");
    for _ in 0..if zones.is_empty() { 0 } else { random.count(2) } {
        let start = w.made.bytes.len();
        let label = &zones[random.below(zones.len())];
        let numbers = [(); 4].map(|()| random.fresh());
        let [x, y, width, height] = numbers;
        w.open("zone");
        w.leaves(
            random,
            &[
                ("label", label.clone()),
                ("x", x.to_string()),
                ("y", y.to_string()),
                ("width", width.to_string()),
                ("height", height.to_string()),
            ],
        );
        w.close();
        w.record(start, says!("rect", label, [x, y], [width, height]));
    }
    w.close();
    w.own(random);
    w.close();
    w.made.pieces.push(start..w.made.bytes.len());
}

pub(super) fn make(random: &mut Random) -> GeneratedFile {
    let version = random.pick(&["1.0", "1.1", "1.2"]);
    let mut w = Writer {
        made: GeneratedFile::text(random),
        depth: 0,
        is_dense: random.odd(4),
        is_quoted: version == "1.2" || random.odd(3),
    };
    let mut parts = vec!["information", "header", "zones", "waypoints", "layers"];
    if random.odd(2) {
        random.shuffle(&mut parts);
    }
    let zones: Vec<String> = (0..random.count(3)).map(|_| some_text(random)).collect();
    w.put("(ika-map ");
    w.depth = 1;
    let start = w.made.bytes.len();
    w.leaf(random, "version", version);
    w.record(start, says!("version", version));
    for part in parts {
        w.own(random);
        w.open(part);
        match part {
            "information" => {
                let start = w.made.bytes.len();
                let text = some_text(random);
                let marks = "\n<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n";
                let title = if random.odd(4) {
                    format!("{text}{marks}")
                } else {
                    text
                };
                w.leaf(random, "title", &title);
                w.record(start, says!("title", title));
                w.open("meta");
                for _ in 0..random.count(2) {
                    let start = w.made.bytes.len();
                    let (key, value) = (random.name(), some_text(random));
                    w.leaf(random, &key, &value);
                    w.record(start, says!("meta", key, value));
                }
                w.close();
            }
            "header" => {
                let start = w.made.bytes.len();
                let size = [random.fresh() as i32 * 16, 480];
                let tileset = format!("{}.vsp", random.name());
                w.pair(random, "dimensions", ["width", "height"], size);
                w.leaf(random, "tileset", &tileset);
                w.record(start, says!("header", size, tileset));
            }
            "zones" => {
                for label in &zones {
                    let start = w.made.bytes.len();
                    let script = some_text(random);
                    w.open("zone");
                    w.leaves(
                        random,
                        &[("label", label.clone()), ("script", script.clone())],
                    );
                    w.close();
                    w.record(start, says!("zone", label, script));
                }
            }
            "waypoints" => {
                for _ in 0..random.count(2) {
                    let start = w.made.bytes.len();
                    let (label, x, y) = (some_text(random), random.int(), random.int());
                    w.open("waypoint");
                    w.leaves(
                        random,
                        &[
                            ("label", label.clone()),
                            ("x", x.to_string()),
                            ("y", y.to_string()),
                        ],
                    );
                    w.close();
                    w.record(start, says!("waypoint", label, [x, y]));
                }
            }
            _ => {
                for _ in 0..=random.count(2) {
                    layer(&mut w, random, version, &zones);
                }
            }
        }
        w.close();
    }
    w.close();
    let end = w.made.line_end;
    w.put(end);
    let mut made = w.made;
    if random.is_odd {
        made.warnings
            .extend(["ika/node-name", "ika/other-node", "ika/value"]);
    }
    made
}
