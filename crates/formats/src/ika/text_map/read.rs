//! Reader of text maps. It parses the tree of nodes, reads their values, then inflates all blocks
//! at once.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::super::aries::{Grammar, Node, Text, Tree};
use super::super::block::{Block, Element, Inflated, budget, inflate_all};
use super::super::map::validated_size;
use super::super::{DIRECTIONS, MAX_TILES, Parallax, rules, text};
use super::{Entity, Layer, ROOT, Span, TextMap, UnknownNode, Waypoint, Zone, ZoneRect};
use crate::{
    Cause, Message, Place, Problems, ReadError, Subject, UnreadReason, conflict, counted, quoted,
};

/// Versions that the engine reads.
const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];
/// Maximum number of layers shown.
const MAX_LAYERS: usize = 1024;

/// Reads a map.
///
/// Recoverable faults are in [`TextMap::problems`]. Memory use is bounded by the inflated size of
/// the blocks, which is bounded by the length of `bytes`.
///
/// # Errors
/// Returns an error if the file has no node `ika-map`.
pub fn read(bytes: &[u8]) -> Result<TextMap, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a progress callback. `watch` is called now and then with the progress from 0 to 1
/// and can cancel.
///
/// # Errors
/// As [`read`], plus [`ReadError::Cancelled`] if the callback breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<TextMap, ReadError> {
    let read = |bytes: &[u8]| read_version(bytes, watch);
    conflict::read(bytes, &rules::CONFLICT, read, |map| &mut map.problems)
}

/// [`read_with`] for a text without merge conflicts.
fn read_version(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<TextMap, ReadError> {
    let (tree, problems) = Tree::read(bytes, &GRAMMAR);
    let Some(root) = tree.root(ROOT) else {
        let begin = bytes.get(..12).unwrap_or(bytes);
        let found = if bytes.is_empty() {
            "the file is empty".to_owned()
        } else {
            format!("the file begins with {}", quoted(begin))
        };
        let (rule, place) = (&rules::MAGIC, Place::Text { line: 1, column: 1 });
        return Err(ReadError::unreadable(rule, place, found, "`(ika-map `"));
    };
    let mut reader = Reader {
        bytes,
        of_nodes: problems.find(|_| true),
        problems,
        zones_cause: None,
        unreadable: None,
        blocks: Vec::new(),
        targets: Vec::new(),
    };
    let mut map = reader.map(root);
    let budget = &mut budget(bytes.len());
    reader.problems.cause = None;
    let inflated = inflate_all(&reader.blocks, budget, &mut reader.problems, watch)?;
    for ((target, is_open), Inflated { elements, not_read }) in
        reader.targets.into_iter().zip(inflated)
    {
        let not_read = not_read.map(|why| if is_open { UnreadReason::FileEnds } else { why });
        match target {
            Target::Tiles(layer) => {
                if let Some(layer) = map.layers.get_mut(layer) {
                    layer.tiles = elements.into_words();
                    layer.tiles_not_read = not_read;
                }
            }
            Target::Obstructions(layer) => {
                if let Some(layer) = map.layers.get_mut(layer) {
                    layer.obstructions = elements.into_bytes();
                    layer.obstructions_not_read = not_read;
                }
            }
        }
    }
    map.problems = reader.problems.finish();
    Ok(map)
}

/// The node names of maps.
const GRAMMAR: Grammar = Grammar {
    root: ROOT,
    nodes: &[
        (
            ROOT,
            &[
                "version",
                "information",
                "header",
                "zones",
                "waypoints",
                "layers",
            ],
        ),
        ("information", &["title", "meta"]),
        ("header", &["dimensions", "tileset"]),
        ("dimensions", &["width", "height"]),
        ("zones", &["zone"]),
        ("zone", &["label", "script", "x", "y", "width", "height"]),
        ("waypoints", &["waypoint"]),
        ("waypoint", &["label", "x", "y"]),
        ("layers", &["layer"]),
        (
            "layer",
            &[
                "label",
                "type",
                "dimensions",
                "position",
                "parallax",
                "wrap",
                "data",
                "obstructions",
                "entities",
                "zones",
            ],
        ),
        ("position", &["x", "y"]),
        ("parallax", &["mulx", "muly", "divx", "divy"]),
        ("wrap", &["x", "y"]),
        ("data", &["format"]),
        ("obstructions", &["style", "format"]),
        ("entities", &["entity"]),
        (
            "entity",
            &[
                "label",
                "x",
                "y",
                "sprite",
                "speed",
                "direction",
                "move_script",
                "obstructs_entities",
                "obstructed_by_entities",
                "obstructed_by_map",
                "adj_activate_script",
                "activate_script",
            ],
        ),
    ],
    with_text: &["data", "obstructions"],
    free: "meta",
};

/// The destination of a block, with the index of its layer.
#[derive(Debug, Clone, Copy)]
enum Target {
    Tiles(usize),
    Obstructions(usize),
}

struct Reader<'a> {
    bytes: &'a [u8],
    problems: Problems,
    /// The first problem in the node tree. Missing nodes may follow from it.
    of_nodes: Option<Cause>,
    /// Reason why zones referenced by layers may be missing.
    zones_cause: Option<Cause>,
    /// The last unreadable value.
    unreadable: Option<Cause>,
    blocks: Vec<Block<Vec<u8>>>,
    /// The destination of each block, and `true` if the file ends in it.
    targets: Vec<(Target, bool)>,
}

impl Reader<'_> {
    fn map(&mut self, root: Node<'_, '_>) -> TextMap {
        self.problems.cause = root.cause();
        let version = root.version(&VERSIONS, &mut self.problems);
        let information = root.node("information");
        let meta = information
            .and_then(|node| node.node("meta"))
            .map(|node| node.nodes().map(Node::key_and_value).collect());
        let header = root.node("header");
        if header.is_none() {
            self.missing(root, "header");
        }
        let dimensions = header.and_then(|node| node.node("dimensions"));
        let is_cut = |node: Option<Node<'_, '_>>| node.map_or(root.is_open(), |it| it.is_open());
        let mut map = TextMap {
            is_header_truncated: is_cut(information) || is_cut(header),
            zones_not_read: root.rest_of("zones"),
            waypoints_not_read: root.rest_of("waypoints"),
            layers_not_read: root.rest_of("layers"),
            version,
            title: string(information, "title"),
            meta: meta.unwrap_or_default(),
            size: ["width", "height"].map(|name| self.side(dimensions, name)),
            tileset: string(header, "tileset"),
            tileset_place: header
                .and_then(|node| node.node("tileset"))
                .map(span)
                .unwrap_or_default(),
            other: self.unknown_nodes(root),
            ..TextMap::default()
        };
        for node in whole(root, "zones", "zone") {
            map.zones.push(Zone {
                label: string(Some(node), "label"),
                script: string(Some(node), "script"),
                place: span(node),
            });
        }
        for node in whole(root, "waypoints", "waypoint") {
            self.problems.cause = node.cause();
            map.waypoints.push(Waypoint {
                label: string(Some(node), "label"),
                position: self.pair(Some(node), ["x", "y"], 0),
                place: span(node),
            });
        }
        let zones = map.zones.iter().map(|zone| zone.label.as_str()).collect();
        let of_list = |name| root.node(name).map_or(root.cause(), |list| list.cause());
        let mut of_zones = list(root, "zones", "zone").filter_map(|zone| zone.cause());
        self.zones_cause = of_list("zones").or_else(|| of_zones.next());
        self.problems.cause = of_list("layers");
        let layers = list(root, "layers", "layer").count();
        if layers == 0 {
            let node = root.node("layers");
            let is_empty =
                node.is_some_and(|node| node.cause().is_none() && node.nodes().next().is_none());
            // An empty list is intended by the file.
            let rule = if is_empty {
                &rules::VALUE
            } else {
                self.problems.cause = self.problems.cause.or(self.of_nodes);
                &rules::NO_LAYERS
            };
            self.problems.add(rule, node.unwrap_or(root).place(), || {
                "no layers, so nothing can be shown; expected at least one".to_owned()
            });
        }
        let mut read = Vec::new();
        for (i, node) in list(root, "layers", "layer").enumerate() {
            if i == MAX_LAYERS {
                self.problems
                    .add(&rules::TOO_MANY_LAYERS, node.place(), || {
                        format!("{layers} layers; only the first {MAX_LAYERS} are shown")
                    });
                break;
            }
            read.push(self.layer(i, node, &zones));
        }
        (self.problems.subject, self.problems.cause) = (Subject::File, None);
        map.layers = read;
        map
    }

    fn layer(&mut self, index: usize, node: Node<'_, '_>, zones: &HashSet<&str>) -> Layer {
        self.problems.subject = Subject::Layer(index as u32);
        self.problems.cause = node.cause();
        let label = string(Some(node), "label");
        let name = format!("layer {index} {}", quoted(label.as_bytes()));
        if let Some(kind) = node.node("type").and_then(Node::text)
            && *kind.bytes != *b"tile"
        {
            self.problems.add(&rules::VALUE, kind.place, || {
                let kind = quoted(&kind.bytes);
                Message::read(
                    format!("{name}: the type is {kind}; expected `tile`"),
                    "as expected",
                )
            });
        }
        let missing = if node.is_open() {
            UnreadReason::FileEnds
        } else {
            UnreadReason::Missing
        };
        let size = self.layer_size(node, &name);
        let parallax = node.node("parallax");
        let numbers = Parallax {
            mul: self.pair(parallax, ["mulx", "muly"], 1),
            div: self.pair(parallax, ["divx", "divy"], 1),
        };
        if let Some(parallax) = parallax.filter(|_| numbers.div.contains(&0)) {
            self.problems.add(&rules::PARALLAX, parallax.place(), || {
                let Parallax { mul, div } = numbers;
                format!(
                    "{name}: the parallax is {}/{} along x and {}/{} along y; expected divisors \
                     other than 0, x/0 is read as 0/1 (fixed to the screen)",
                    mul[0], div[0], mul[1], div[1]
                )
            });
        }
        let wrap = node.node("wrap");
        let mut layer = Layer {
            size: size.unwrap_or_default(),
            position: self.pair(node.node("position"), ["x", "y"], 0),
            parallax: numbers,
            wrap: [self.flag(wrap, "x"), self.flag(wrap, "y")],
            place: span(node),
            label,
            entities_not_read: node.rest_of("entities"),
            zones_not_read: node.rest_of("zones"),
            is_cut: node.is_open() && node.node("data").is_none(),
            other: self.unknown_nodes(node),
            ..Layer::default()
        };
        let [width, height] = layer.size.map(u64::from);
        let count = width * height;
        layer.tiles_not_read = Some(missing).filter(|_| count == 0);
        if let Some(data) = node.node("data") {
            layer.data = span(data);
            let name = format!("{name}: tiles");
            data.check_packing(&name, &mut self.problems);
            self.block(data, name, Element::Word, count, Target::Tiles(index));
        } else {
            if size.is_some() {
                self.no_tiles(node, &name);
            }
            layer.tiles_not_read = Some(missing);
        }
        // Version 1.0 has `(format tile)` here but uses zlib too.
        if let Some(data) = node.node("obstructions") {
            layer.obstructions_not_read = layer.tiles_not_read.filter(|_| count == 0);
            let name = format!("{name}: obstructions");
            let target = Target::Obstructions(index);
            self.block(data, name, Element::Byte, count, target);
        } else if node.is_open() {
            layer.obstructions_not_read = Some(UnreadReason::FileEnds);
        }
        for (entity, i) in whole(node, "entities", "entity").zip(0..) {
            self.problems.subject = Subject::LayerEntity {
                layer: index as u32,
                entity: i,
            };
            self.problems.cause = entity.cause();
            let entity = self.entity(entity, &name);
            layer.entities.push(entity);
        }
        self.problems.subject = Subject::Layer(index as u32);
        for zone in whole(node, "zones", "zone") {
            self.problems.cause = zone.cause();
            let zone = self.zone_rect(zone, &name, zones);
            layer.zones.push(zone);
        }
        layer
    }

    fn no_tiles(&mut self, node: Node<'_, '_>, name: &str) {
        self.problems.add(&rules::MISSING_NODE, node.place(), || {
            format!("{name}: missing node `data`, so there are no tiles")
        });
    }

    /// The size of a layer as in the file, if it is valid.
    fn layer_size(&mut self, node: Node<'_, '_>, name: &str) -> Option<[u32; 2]> {
        let Some(dimensions) = node.node("dimensions") else {
            self.problems.add(&rules::MISSING_NODE, node.place(), || {
                format!("{name}: missing node `dimensions`")
            });
            return None;
        };
        let outer = self.problems.cause;
        self.problems.cause = outer.or(dimensions.cause());
        self.unreadable = None;
        let [width, height] = self.pair(Some(dimensions), ["width", "height"], 0);
        self.problems.cause = self.problems.cause.or(self.unreadable);
        let size = validated_size([width, height]);
        if size.is_none() {
            self.problems.add(&rules::SIZE, dimensions.place(), || {
                format!(
                    "{name}: not shown with {width} x {height} tiles; expected at least 1 x 1 \
                     and at most {MAX_TILES} tiles"
                )
            });
        }
        self.problems.cause = outer;
        size
    }

    /// Queues a block to inflate later.
    fn block(
        &mut self,
        node: Node<'_, '_>,
        name: String,
        element: Element,
        count: u64,
        target: Target,
    ) {
        if count == 0 {
            return;
        }
        let text = node.text().unwrap_or(Text::none(node.place()));
        let outer = self.problems.cause;
        let cause = outer.or(node.cause());
        self.problems.cause = cause;
        let (bytes, fault) = text.base64(&name, &mut self.problems);
        self.problems.cause = outer;
        self.blocks.push(Block {
            bytes,
            place: text.place,
            subject: self.problems.subject,
            name,
            element,
            count,
            cause: cause.or(fault),
        });
        self.targets.push((target, node.is_open()));
    }

    fn entity(&mut self, node: Node<'_, '_>, layer: &str) -> Entity {
        let node_text = |name| string(Some(node), name);
        let label = node_text("label");
        for name in ["label", "x", "y"] {
            if node.node(name).is_some() {
                continue;
            }
            self.problems.add(&rules::MISSING_NODE, node.place(), || {
                let label = quoted(label.as_bytes());
                format!("{layer}: missing node `{name}` in the entity {label}")
            });
            self.problems.cause = self.problems.cause.or(self.problems.last());
        }
        let direction = node_text("direction");
        if !DIRECTIONS.contains(&direction.as_str()) {
            let found = node.node("direction");
            let text = found.and_then(Node::text).map(|text| text.place);
            let place = text.unwrap_or(found.unwrap_or(node).place());
            self.problems.add(&rules::VALUE, place, || {
                format!(
                    "{layer}: the direction of entity {} is {}; expected one such as `up-left`, \
                     the engine uses `down`",
                    quoted(label.as_bytes()),
                    quoted(direction.as_bytes())
                )
            });
        }
        Entity {
            position: self.pair(Some(node), ["x", "y"], 0),
            sprite: node_text("sprite"),
            speed: self.number(Some(node), "speed", 100),
            direction,
            move_script: node_text("move_script"),
            obstructs_entities: self.flag(Some(node), "obstructs_entities"),
            is_obstructed_by_entities: self.flag(Some(node), "obstructed_by_entities"),
            is_obstructed_by_map: self.flag(Some(node), "obstructed_by_map"),
            adjacent_script: node_text("adj_activate_script"),
            activation_script: node_text("activate_script"),
            other: self.unknown_nodes(node),
            place: span(node),
            label,
        }
    }

    fn zone_rect(&mut self, node: Node<'_, '_>, layer: &str, zones: &HashSet<&str>) -> ZoneRect {
        let label = string(Some(node), "label");
        if !zones.contains(label.as_str()) {
            let (rule, subject, place) = (&rules::ZONE_NAME, self.problems.subject, node.place());
            let message = || {
                format!(
                    "{layer}: zone {} not found among the {} of the map",
                    quoted(label.as_bytes()),
                    counted(zones.len(), "zone")
                )
            };
            // A missing zone is reported once, for all references to it.
            let problems = &mut self.problems;
            if let Some(cause) = self.zones_cause {
                problems.add_consequence(Some(cause), rule, subject, place, message);
            } else {
                problems.add_grouped(&label, rule, subject, place, message);
            }
        }
        ZoneRect {
            position: self.pair(Some(node), ["x", "y"], 0),
            size: self.pair(Some(node), ["width", "height"], 0),
            place: span(node),
            label,
        }
    }

    fn pair(&mut self, node: Option<Node<'_, '_>>, names: [&str; 2], default: i32) -> [i32; 2] {
        names.map(|name| self.number(node, name, default))
    }

    /// The number in a child node.
    fn number(&mut self, node: Option<Node<'_, '_>>, name: &str, default: i32) -> i32 {
        let node = node.and_then(|node| node.node(name));
        // If the file ends in a number, digits may be missing.
        let Some(node) = node.filter(|node| !node.is_open()) else {
            return default;
        };
        let value = node.text();
        let number = value.as_ref().and_then(|value| {
            let digits = std::str::from_utf8(&value.bytes).ok()?;
            digits.trim().parse().ok()
        });
        number.unwrap_or_else(|| {
            let place = value.as_ref().map_or(node.place(), |value| value.place);
            self.add_unreadable(node, place, || {
                let found = quoted(value.map(|value| value.bytes).unwrap_or_default().as_ref());
                format!("`{name}` is {found}; expected a whole number, {default} is used")
            });
            self.unreadable = self.problems.last();
            default
        })
    }

    /// Reports that the value of a node is unreadable.
    fn add_unreadable(
        &mut self,
        node: Node<'_, '_>,
        place: Place,
        message: impl FnOnce() -> String,
    ) {
        let (cause, subject) = (self.problems.cause.or(node.cause()), self.problems.subject);
        let rule = &rules::UNREADABLE_VALUE;
        self.problems
            .add_consequence(cause, rule, subject, place, message);
    }

    /// The width or height of the map.
    fn side(&mut self, node: Option<Node<'_, '_>>, name: &str) -> i32 {
        let side = self.number(node, name, 0);
        let node = node.and_then(|node| node.node(name));
        if let Some(node) = node.filter(|_| side < 0) {
            let place = node.text().map_or(node.place(), |text| text.place);
            self.problems.add(&rules::VALUE, place, || {
                format!("the {name} of the map is {side} pixels; expected 0 or more")
            });
        }
        side
    }

    /// The flag in a child node.
    fn flag(&mut self, node: Option<Node<'_, '_>>, name: &str) -> bool {
        let node = node.and_then(|node| node.node(name));
        let Some((node, value)) = node.and_then(|node| Some((node, node.text()?))) else {
            return false;
        };
        match &*value.bytes {
            b"true" => true,
            b"false" => false,
            other => {
                self.add_unreadable(node, value.place, || {
                    let found = quoted(other);
                    format!("`{name}` is {found}; expected `true` or `false`, `false` is used")
                });
                false
            }
        }
    }

    /// The unknown nodes of a map, layer or entity.
    fn unknown_nodes(&self, node: Node<'_, '_>) -> Vec<UnknownNode> {
        let own = node
            .unknown_nodes(&GRAMMAR, &[b"layer", b"entity"])
            .into_iter()
            .filter(|node| !node.is_open())
            .map(|node| {
                let place = span(node);
                let range = place.bytes.start as usize..place.bytes.end as usize;
                let text = text::decode(self.bytes.get(range).unwrap_or_default());
                UnknownNode { text, place }
            });
        own.collect()
    }

    fn missing(&mut self, root: Node<'_, '_>, name: &str) {
        self.problems.add(&rules::NO_HEADER, root.place(), || {
            format!("missing node `{name}` in the map")
        });
    }
}

fn span(node: Node<'_, '_>) -> Span {
    Span {
        begin: node.place(),
        bytes: node.range(),
    }
}

/// The text in a child node.
fn string(node: Option<Node<'_, '_>>, name: &str) -> String {
    let value = node.and_then(|node| node.node(name)).and_then(Node::text);
    value
        .map(|value| text::decode(&value.bytes))
        .unwrap_or_default()
}

/// The nodes of a name in their list node, without one that is truncated.
fn whole<'t, 'a>(
    node: Node<'t, 'a>,
    of: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'t, 'a>> {
    list(node, of, name).filter(|node| !node.is_open())
}

/// The nodes of a name in their list node.
fn list<'t, 'a>(
    node: Node<'t, 'a>,
    list: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'t, 'a>> {
    let lists = node
        .nodes()
        .filter(move |node| node.name() == list.as_bytes());
    lists.flat_map(move |list| list.all(name))
}
