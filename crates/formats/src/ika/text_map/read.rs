//! Reading text maps: the tree of nodes, what it says, and then all blocks at once.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::super::aries::{Beginning, Grammar, Node, Text, Tree};
use super::super::block::{Block, Element, Inflated, budget, held_bytes, inflate_all};
use super::super::map::checked_size;
use super::super::rules;
use super::super::{DIRECTIONS, MAX_TILES, Parallax, text};
use super::{Entity, Layer, ROOT, Span, TextMap, Waypoint, Zone, ZoneRect};
use crate::{
    Cause, Message, NotRead, Place, Problems, ReadError, Rest, Subject, conflict, counted, quoted,
};

/// The versions that the engine reads.
const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];
/// The most layers that are shown.
const MAX_LAYERS: usize = 1024;

/// Reads a map.
///
/// Whatever does not keep the rest from being shown is in [`TextMap::problems`]. The memory in
/// use is bounded by what the blocks inflate to, and that by the length of `bytes`.
///
/// # Errors
/// When the file has no node `ika-map`.
pub fn read(bytes: &[u8]) -> Result<TextMap, ReadError> {
    read_with(bytes, &mut |_| ControlFlow::Continue(()))
}

/// [`read`] with a watcher, which is told now and then how much is done, from 0 to 1, and can
/// stop it.
///
/// # Errors
/// As [`read`], and [`ReadError::Cancelled`] when the watcher breaks.
pub fn read_with(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<TextMap, ReadError> {
    let read = |bytes: &[u8]| read_version(bytes, watch);
    conflict::read(bytes, &rules::CONFLICT, read, |map| &mut map.problems)
}

/// [`read_with`] of a text without merge conflicts.
fn read_version(
    bytes: &[u8],
    watch: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<TextMap, ReadError> {
    if Beginning::of(bytes, &GRAMMAR).is_none() {
        let begin = bytes.get(..12).unwrap_or(bytes);
        let found = if bytes.is_empty() {
            "the file is empty".to_owned()
        } else {
            format!("the file begins with {}", quoted(begin))
        };
        let place = Place::Text { line: 1, column: 1 };
        return Err(ReadError::unreadable(
            &rules::MAGIC,
            place,
            found,
            "`(ika-map `",
        ));
    }
    let (tree, problems) = Tree::read(bytes, &GRAMMAR);
    let Some(root) = tree.root(ROOT) else {
        let place = Place::Text { line: 1, column: 1 };
        return Err(ReadError::unreadable(
            &rules::MISSING_NODE,
            place,
            "no map",
            "a node `ika-map`",
        ));
    };
    let mut reader = Reader {
        problems,
        zone_cause: ZoneCause::None,
        blocks: Vec::new(),
        targets: Vec::new(),
        sizes: Vec::new(),
    };
    let mut map = reader.map(root);
    // Only where something is wrong with blocks may it be with the sizes of layers.
    let whole = if reader.sizes.iter().all(Declared::is_size) {
        let scratch = &mut Problems::of_trial(usize::MAX);
        let inflated = inflate_all(&reader.blocks, &mut budget(bytes.len()), scratch, watch)?;
        let is_whole =
            scratch.moment() == 0 && reader.blocks.iter().all(|block| block.cause.is_none());
        // What is not whole may be large, and is inflated once more.
        is_whole.then_some(inflated)
    } else {
        None
    };
    let inflated = if let Some(inflated) = whole {
        inflated
    } else {
        reader.find_sizes(&mut map, bytes.len());
        let budget = &mut budget(bytes.len());
        inflate_all(&reader.blocks, budget, &mut reader.problems, watch)?
    };
    let Reader {
        mut problems,
        targets,
        ..
    } = reader;
    for ((target, is_open), Inflated { elements, not_read }) in targets.into_iter().zip(inflated) {
        let not_read = not_read.map(|why| if is_open { NotRead::FileEnds } else { why });
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
    let has_all_zones = map.zones_not_read == Rest::Nothing;
    tree.fold_cut(&mut problems, |problem| {
        problem.rule == &rules::ZONE_NAME && !has_all_zones
    });
    map.problems = problems.finish();
    Ok(map)
}

/// The nodes of maps.
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

/// What a block is for, with the index of its layer.
#[derive(Debug, Clone, Copy)]
enum Target {
    Tiles(usize),
    Obstructions(usize),
}

/// Why zones may be missing that layers name.
#[derive(Debug, Clone, Copy)]
enum ZoneCause {
    /// There is no list of them.
    NoList,
    /// A node of the list is called otherwise.
    Other(Cause),
    /// They are not in the list.
    None,
}

impl ZoneCause {
    /// With the first node of the list that is called otherwise, if there is one.
    fn of(other: Option<Cause>) -> Self {
        other.map_or(Self::None, Self::Other)
    }
}

/// The size of a layer as the file says it.
#[derive(Debug)]
struct Declared {
    /// What messages call the layer.
    name: String,
    size: [i32; 2],
    /// Where it stands, and its width and height.
    place: Place,
    sides: [Place; 2],
    /// Why a side is not what it says, if it is none.
    cause: Option<Cause>,
    /// Why its parts are missing if it is not known.
    missing: NotRead,
}

impl Declared {
    fn is_size(&self) -> bool {
        checked_size(self.size).is_some()
    }

    /// The size that makes so many tiles, of which one side is the declared one; of two, that which another
    /// layer has, or that has the sides of the map in proportion.
    fn meant(&self, tiles: u64, others: &[[u32; 2]], map: [i32; 2]) -> Option<[u32; 2]> {
        let of_side = |side: i32| {
            let side = u64::try_from(side).ok().filter(|side| *side > 0)?;
            let other = u32::try_from(tiles / side).ok()?;
            tiles
                .is_multiple_of(side)
                .then_some((u32::try_from(side).ok()?, other))
        };
        let [width, height] = self.size.map(of_side);
        let sizes = [
            width.map(|(width, height)| [width, height]),
            height.map(|(height, width)| [width, height]),
        ];
        let is_size =
            |size: &[u32; 2]| tiles > 0 && checked_size(size.map(u32::cast_signed)).is_some();
        let mut sizes: Vec<[u32; 2]> = sizes.into_iter().flatten().filter(is_size).collect();
        let is_of_other = |size: &&[u32; 2]| others.contains(size);
        if let Some(size) = sizes.iter().find(is_of_other) {
            return Some(*size);
        }
        sizes.dedup();
        if sizes.len() > 1 {
            let [across, down] = map.map(i64::from);
            sizes.retain(|[width, height]| i64::from(*width) * down == i64::from(*height) * across);
        }
        if let [size] = sizes[..] {
            return Some(size);
        }
        let area = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
        let mut others = others.iter().copied().filter(|size| area(*size) == tiles);
        // With neither side, it is as that of other layers.
        others.next().filter(|_| sizes.is_empty())
    }
}

struct Reader {
    problems: Problems,
    zone_cause: ZoneCause,
    blocks: Vec<Block<Vec<u8>>>,
    /// What each is for, and whether the file ends in it.
    targets: Vec<(Target, bool)>,
    /// The sizes of layers that have any.
    sizes: Vec<Declared>,
}

impl Reader {
    fn map(&mut self, root: Node<'_, '_>) -> TextMap {
        let version = root.version(&VERSIONS, &mut self.problems);
        let information = root.node("information");
        let meta = information.and_then(|node| node.node("meta"));
        let meta = meta.map(|node| node.nodes().map(Node::key_and_value).collect());
        let header = root.node("header");
        if header.is_none() {
            self.missing(root, "header");
        }
        let dimensions = header.and_then(|node| node.node("dimensions"));
        let tilesets = header.map_or(0, |node| node.all("tileset").count());
        if let (Some(header), 2..) = (header, tilesets) {
            self.problems.add(&rules::VALUE, header.place(), || {
                format!("{tilesets} tilesets; the engine reads the first alone")
            });
        }
        let is_cut = |node: Option<Node<'_, '_>>| node.map_or(root.is_open(), |it| it.is_open());
        let mut map = TextMap {
            is_head_cut: is_cut(information) || is_cut(header),
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
            ..TextMap::default()
        };
        let other_zones = self.check_list(root, "zones", "zone");
        self.zone_cause = match root.node("zones") {
            Some(_) => ZoneCause::of(other_zones),
            None => ZoneCause::NoList,
        };
        for node in whole(root, "zones", "zone") {
            map.zones.push(Zone {
                label: string(Some(node), "label"),
                script: string(Some(node), "script"),
                place: span(node),
            });
        }
        self.check_list(root, "waypoints", "waypoint");
        for node in whole(root, "waypoints", "waypoint") {
            map.waypoints.push(Waypoint {
                label: string(Some(node), "label"),
                position: self.pair(Some(node), ["x", "y"], 0),
                place: span(node),
            });
        }
        let zones = map.zones.iter().map(|zone| zone.label.as_str()).collect();
        self.check_list(root, "layers", "layer");
        let layers = list(root, "layers", "layer").count();
        if layers == 0 {
            let node = root.node("layers").unwrap_or(root);
            self.problems.add(&rules::NO_LAYERS, node.place(), || {
                "the map has no layers, so there is nothing to show; expected at least one"
                    .to_owned()
            });
        }
        let mut read = Vec::new();
        for (i, node) in list(root, "layers", "layer").enumerate() {
            if i == MAX_LAYERS {
                self.problems
                    .add(&rules::TOO_MANY_LAYERS, node.place(), || {
                        format!("{layers} layers; the first {MAX_LAYERS} are shown")
                    });
                break;
            }
            read.push(self.layer(i, node, &zones));
        }
        self.problems.subject = Subject::File;
        map.layers = read;
        map
    }

    fn layer(&mut self, index: usize, node: Node<'_, '_>, zones: &HashSet<&str>) -> Layer {
        self.problems.subject = Subject::Layer(index as u32);
        let label = string(Some(node), "label");
        let name = format!("layer {index} {}", quoted(label.as_bytes()));
        if let Some(kind) = node.node("type").and_then(Node::text)
            && *kind.bytes != *b"tile"
        {
            self.problems.add(&rules::VALUE, kind.place, || {
                let kind = quoted(&kind.bytes);
                Message::read(
                    format!("{name}: the type is {kind}; expected `tile`"),
                    "as that",
                )
            });
        }
        let missing = if node.is_open() {
            NotRead::FileEnds
        } else {
            NotRead::Missing
        };
        let size = self.layer_size(node, &name, missing);
        let parallax = node.node("parallax");
        let numbers = Parallax {
            mul: self.pair(parallax, ["mulx", "muly"], 1),
            div: self.pair(parallax, ["divx", "divy"], 1),
        };
        let mended = numbers.mended();
        if let (Some(parallax), Some(_)) = (parallax, mended) {
            self.problems.add(&rules::PARALLAX, parallax.place(), || {
                let Parallax { mul, div } = numbers;
                format!(
                    "{name}: the parallax is {}/{} along x and {}/{} along y; expected divisors \
                     that are not 0; x/0 is taken for 0/1, fixed to the screen",
                    mul[0], div[0], mul[1], div[1]
                )
            });
        }
        let wrap = node.node("wrap");
        let mut layer = Layer {
            size: size.unwrap_or_default(),
            position: self.pair(node.node("position"), ["x", "y"], 0),
            parallax: mended.unwrap_or(numbers),
            wrap: [self.flag(wrap, "x"), self.flag(wrap, "y")],
            place: span(node),
            label,
            entities_not_read: node.rest_of("entities"),
            zones_not_read: node.rest_of("zones"),
            is_cut: node.is_open() && node.node("data").is_none(),
            ..Layer::default()
        };
        let [width, height] = layer.size.map(u64::from);
        let count = width * height;
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
        // Versions 1.0 say `(format tile)` here and mean zlib all the same.
        if let Some(data) = node.node("obstructions") {
            let name = format!("{name}: obstructions");
            let target = Target::Obstructions(index);
            self.block(data, name, Element::Byte, count, target);
        } else if node.is_open() {
            layer.obstructions_not_read = Some(NotRead::FileEnds);
        }
        self.check_list(node, "entities", "entity");
        for (entity, i) in whole(node, "entities", "entity").zip(0..) {
            self.problems.subject = Subject::LayerEntity {
                layer: index as u32,
                entity: i,
            };
            let entity = self.entity(entity, &name);
            layer.entities.push(entity);
        }
        self.problems.subject = Subject::Layer(index as u32);
        self.check_list(node, "zones", "zone");
        for zone in whole(node, "zones", "zone") {
            let zone = self.zone_rect(zone, &name, zones);
            layer.zones.push(zone);
        }
        layer
    }

    /// Lists the nodes of a list that are called otherwise than its elements. Gives the first of them.
    fn check_list(&mut self, node: Node<'_, '_>, of: &str, name: &str) -> Option<Cause> {
        let mut first = None;
        let nodes = node.node(of).into_iter().flat_map(Node::nodes);
        for other in nodes.filter(|other| other.name() != name.as_bytes()) {
            self.problems.add(&rules::UNKNOWN_NODE, other.place(), || {
                let found = quoted(other.name());
                format!("{found} among the {of}; expected `{name}`; it is left out")
            });
            first = first.or(self.problems.last());
        }
        first
    }

    fn no_tiles(&mut self, node: Node<'_, '_>, name: &str) {
        self.problems.add(&rules::MISSING_NODE, node.place(), || {
            format!("{name}: there is no node `data`, so it has no tiles; expected one")
        });
    }

    /// The size of a layer as the file says it, if it is one.
    fn layer_size(&mut self, node: Node<'_, '_>, name: &str, missing: NotRead) -> Option<[u32; 2]> {
        let moment = self.problems.moment();
        let dimensions = node.node("dimensions");
        let size = self.pair(dimensions, ["width", "height"], 0);
        let mut cause = self.problems.first_since(moment);
        if dimensions.is_none() {
            self.problems.add(&rules::MISSING_NODE, node.place(), || {
                format!("{name}: there is no node `dimensions`; expected one")
            });
            cause = self.problems.last();
        }
        let place = dimensions.unwrap_or(node).place();
        let side = |name| {
            let side = dimensions.and_then(|node| node.node(name));
            side.map_or(place, |side| {
                side.text().map_or(side.place(), |text| text.place)
            })
        };
        self.sizes.push(Declared {
            name: name.to_owned(),
            size,
            place,
            sides: ["width", "height"].map(side),
            cause,
            missing,
        });
        checked_size(size)
    }

    /// Finds the sizes of layers that are another than their tiles are many, and leaves out what has none.
    fn find_sizes(&mut self, map: &mut TextMap, file_bytes: usize) {
        let mut budget = budget(file_bytes);
        let mut tiles = vec![None; self.sizes.len()];
        for (block, (target, _)) in self.blocks.iter().zip(&self.targets) {
            if let Target::Tiles(layer) = *target
                && let Some(tiles) = tiles.get_mut(layer)
            {
                let held = held_bytes(&block.bytes, budget.left().min(4 * MAX_TILES));
                let held = held.filter(|held| budget.take(*held).is_ok() && held % 4 == 0);
                *tiles = held.map(|held| held / 4);
            }
        }
        let area = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
        let declared = |declared: &Declared| checked_size(declared.size);
        let right =
            self.sizes.iter().zip(&tiles).filter_map(|(size, tiles)| {
                declared(size).filter(|size| Some(area(*size)) == *tiles)
            });
        let right: Vec<[u32; 2]> = right.collect();
        for (index, size) in self.sizes.iter().enumerate() {
            let (Some(layer), Some(tiles)) = (map.layers.get_mut(index), tiles.get(index)) else {
                continue;
            };
            let checked = declared(size);
            if checked.is_some_and(|size| Some(area(size)) == *tiles) {
                continue;
            }
            let meant = tiles.and_then(|tiles| size.meant(tiles, &right, map.size));
            if meant.is_none() && checked.is_some() {
                // What is missing is that of a block.
                continue;
            }
            let [width, height] = size.size;
            let side = meant.and_then(|meant| {
                let mut sides = meant.iter().zip(size.size).zip(size.sides);
                let wrong = sides.find(|((meant, is), _)| i64::from(**meant) != i64::from(*is));
                Some(wrong?.1)
            });
            let place = side.unwrap_or(size.place);
            let subject = Subject::Layer(index as u32);
            let problems = &mut self.problems;
            problems.add_consequence(size.cause, &rules::SIZE, subject, place, || {
                let name = &size.name;
                match meant {
                    Some([meant_width, meant_height]) => Message::read_so(format!(
                        "{name}: {width} x {height} tiles; expected {meant_width} x \
                         {meant_height}, as many as its data has"
                    )),
                    None => format!(
                        "{name}: {width} x {height} tiles, so it is not shown; expected at least \
                         1 x 1 and at most {MAX_TILES} tiles"
                    )
                    .into(),
                }
            });
            layer.size = meant.unwrap_or_default();
            if meant.is_none() {
                layer.tiles_not_read = Some(size.missing);
                layer.obstructions_not_read = Some(size.missing);
            }
        }
        let sizes = map.layers.iter().map(|layer| area(layer.size));
        let sizes: Vec<u64> = sizes.collect();
        let of_layer = |target: &Target| {
            let (Target::Tiles(layer) | Target::Obstructions(layer)) = target;
            sizes.get(*layer).copied().filter(|tiles| *tiles > 0)
        };
        let blocks = std::mem::take(&mut self.blocks).into_iter();
        let targets = std::mem::take(&mut self.targets);
        for (mut block, target) in blocks.zip(targets) {
            if let Some(count) = of_layer(&target.0) {
                block.count = count;
                self.blocks.push(block);
                self.targets.push(target);
            }
        }
    }

    /// Takes a block to inflate it later.
    fn block(
        &mut self,
        node: Node<'_, '_>,
        name: String,
        element: Element,
        count: u64,
        target: Target,
    ) {
        let text = node.text().unwrap_or(Text::none(node.place()));
        let (bytes, cause) = text.base64(&name, &mut self.problems);
        self.blocks.push(Block {
            bytes,
            place: text.place,
            subject: self.problems.subject,
            name,
            element,
            count,
            cause,
        });
        self.targets.push((target, node.is_open()));
    }

    fn entity(&mut self, node: Node<'_, '_>, layer: &str) -> Entity {
        let node_text = |name| string(Some(node), name);
        let label = node_text("label");
        let direction = node_text("direction");
        if !DIRECTIONS.contains(&direction.as_str()) {
            let found = node.node("direction");
            let text = found.and_then(Node::text).map(|text| text.place);
            let place = text.unwrap_or(found.unwrap_or(node).place());
            self.problems.add(&rules::VALUE, place, || {
                format!(
                    "{layer}: entity {} looks {}; expected a direction such as `up-left`; the \
                     engine takes it for `down`",
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
                    "{layer}: the zone {} is not among the {} of the map",
                    quoted(label.as_bytes()),
                    counted(zones.len(), "zone")
                )
            };
            // One that is missing is missing once, whatever names it.
            let problems = &mut self.problems;
            match self.zone_cause {
                ZoneCause::Other(cause) => {
                    problems.add_consequence(Some(cause), rule, subject, place, message);
                }
                ZoneCause::NoList => _ = problems.add_alike("", rule, subject, place, message),
                ZoneCause::None => _ = problems.add_alike(&label, rule, subject, place, message),
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

    /// The number that is the value of a node in another.
    fn number(&mut self, node: Option<Node<'_, '_>>, name: &str, default: i32) -> i32 {
        let Some(node) = node.and_then(|node| node.node(name)) else {
            return default;
        };
        let value = node.text();
        let number = value.as_ref().and_then(|value| {
            let digits = std::str::from_utf8(&value.bytes).ok()?;
            digits.trim().parse().ok()
        });
        number.unwrap_or_else(|| {
            let place = value.as_ref().map_or(node.place(), |value| value.place);
            self.problems.add(&rules::UNREADABLE_VALUE, place, || {
                let found = quoted(value.map(|value| value.bytes).unwrap_or_default().as_ref());
                format!("`{name}` is {found}; expected a whole number; it is taken for {default}")
            });
            default
        })
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

    /// The flag that is the value of a node in another.
    fn flag(&mut self, node: Option<Node<'_, '_>>, name: &str) -> bool {
        let value = node.and_then(|node| node.node(name)).and_then(Node::text);
        let Some(value) = value else { return false };
        match &*value.bytes {
            b"true" => true,
            b"false" => false,
            other => {
                self.problems.add(&rules::UNREADABLE_VALUE, value.place, || {
                    let found = quoted(other);
                    format!(
                        "`{name}` is {found}; expected `true` or `false`; it is taken for `false`"
                    )
                });
                false
            }
        }
    }

    fn missing(&mut self, root: Node<'_, '_>, name: &str) {
        self.problems.add(&rules::NO_HEADER, root.place(), || {
            format!("the map has no node `{name}`; expected one")
        });
    }
}

fn span(node: Node<'_, '_>) -> Span {
    Span {
        begin: node.place(),
        bytes: node.range(),
    }
}

/// The text that is the value of a node in another.
fn string(node: Option<Node<'_, '_>>, name: &str) -> String {
    let value = node.and_then(|node| node.node(name)).and_then(Node::text);
    value
        .map(|value| text::decode(&value.bytes))
        .unwrap_or_default()
}

/// The nodes of a name in the node that holds them all, but for one that the file ends in.
fn whole<'t, 'a>(
    node: Node<'t, 'a>,
    of: &str,
    name: &'static str,
) -> impl Iterator<Item = Node<'t, 'a>> {
    list(node, of, name).filter(|node| !node.is_open())
}

/// The nodes of a name in the node that holds them all.
fn list<'t, 'a>(
    node: Node<'t, 'a>,
    list: &str,
    name: &'static str,
) -> impl Iterator<Item = Node<'t, 'a>> {
    let list = node.node(list);
    list.into_iter().flat_map(move |list| list.all(name))
}
