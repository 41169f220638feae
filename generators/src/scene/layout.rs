//! The layout of the village: a market square with its chapel, streets of cottages, gardens,
//! fields, woods and the shore of the lake.

use mapscope_formats::pfscene::{
    Attribute, Attributes, Camera, Diplomacy, Entity, Faction, General, Layout, Pfscene, Region,
    Section, SectionKind, Setting, Tag, Value,
};

use super::ground::{Ground, TILE, world};
use super::models::Model;
use crate::maths::{cosine, sine};
use crate::noise::random;
use crate::terrain::map::{
    GARDEN, ISLAND, PATHS, Place, ROADS, SQUARE, distance, distance_from, distance_from_lines,
};

/// Facing directions as steps in columns and rows.
const NORTH: Place = [0.0, -1.0];
const SOUTH: Place = [0.0, 1.0];
const EAST: Place = [1.0, 0.0];
const WEST: Place = [-1.0, 0.0];

/// Factions by their index in the list.
const VILLAGERS: i32 = 0;
const TRAVELLERS: i32 = 1;
const ANIMALS: i32 = 2;
const NATURE: i32 = 3;
/// Names of the factions, their colours, and `true` if a player may control them.
const FACTIONS: [(&str, [f32; 3], bool); 4] = [
    ("Villagers", [66.0, 120.0, 190.0], true),
    ("Travellers", [214.0, 150.0, 48.0], true),
    ("Animals", [206.0, 196.0, 172.0], false),
    ("Nature", [88.0, 140.0, 62.0], false),
];

/// The centre of the square.
const MARKET: Place = [76.5, 62.5];

/// Planned objects: model, position and facing direction.
pub(super) const PLAN: &[(&str, Place, Place)] = &[
    // Around the square.
    ("well", MARKET, [0.3, 1.0]),
    ("tiled_cottage", [71.2, 53.8], SOUTH),
    ("thatched_cottage", [81.4, 54.7], SOUTH),
    ("tiled_cottage", [67.4, 58.2], EAST),
    ("thatched_cottage", [67.9, 67.6], EAST),
    ("thatched_cottage", [72.2, 71.6], NORTH),
    ("tiled_cottage", [81.2, 71.9], NORTH),
    ("chapel", [86.9, 58.4], WEST),
    ("thatched_cottage", [85.8, 68.6], WEST),
    // Along the road to the bridge.
    ("thatched_cottage", [72.9, 76.8], EAST),
    ("tiled_cottage", [80.4, 77.4], WEST),
    ("tiled_cottage", [72.7, 82.2], EAST),
    ("thatched_cottage", [80.4, 83.0], WEST),
    ("thatched_cottage", [72.8, 88.0], EAST),
    // Along the paths.
    ("thatched_cottage", [63.2, 67.9], [0.1, -1.0]),
    ("barn", [59.9, 71.4], [-0.8, -0.5]),
    ("thatched_cottage", [54.3, 79.2], [-0.9, -0.4]),
    ("tiled_cottage", [68.4, 51.4], [-1.0, 0.1]),
    ("windmill", [88.4, 39.4], [-0.5, 0.9]),
    // The market.
    ("stall_red", [73.3, 60.2], [0.7, 0.7]),
    ("stall_blue", [79.6, 59.9], [-0.7, 0.7]),
    ("stall_red", [79.9, 65.0], [-0.8, -0.6]),
    ("stall_blue", [73.2, 65.4], [0.7, -0.8]),
    ("cart", [74.0, 57.8], [0.8, 0.3]),
    ("cart", [61.9, 73.6], [-0.5, -0.9]),
    ("crates", [72.0, 61.3], [0.2, 1.0]),
    ("crates", [81.2, 61.0], [1.0, 0.4]),
    ("crates", [80.9, 67.0], [0.3, 1.0]),
    ("barrel", [80.9, 58.8], NORTH),
    ("barrel", [81.3, 59.3], EAST),
    ("barrel", [72.1, 66.9], NORTH),
    ("barrel", [71.6, 66.4], EAST),
    ("bench", [76.5, 60.3], SOUTH),
    ("bench", [76.5, 64.8], NORTH),
    ("trough", [78.9, 67.6], [1.0, 0.1]),
    ("signpost", [74.0, 67.9], [-0.9, 0.2]),
    ("signpost", [61.6, 62.6], [0.9, 0.3]),
    ("lamp", [71.3, 57.3], [0.7, 0.7]),
    ("lamp", [81.7, 57.3], [-0.7, 0.7]),
    ("lamp", [71.3, 67.7], [0.7, -0.7]),
    ("lamp", [81.7, 67.7], [-0.7, -0.7]),
    ("lamp", [74.6, 79.6], EAST),
    ("lamp", [78.4, 85.2], WEST),
    ("banner", [74.9, 57.0], SOUTH),
    ("banner", [78.1, 57.0], SOUTH),
    ("banner", [83.4, 56.2], WEST),
    ("banner", [83.4, 60.6], WEST),
    ("banner", [101.3, 27.2], SOUTH),
    ("banner", [105.7, 27.2], SOUTH),
    // Objects beside houses.
    ("log_pile", [69.9, 70.0], [1.0, 0.2]),
    ("log_pile", [83.6, 53.6], NORTH),
    ("log_pile", [70.6, 79.2], EAST),
    ("log_pile", [56.6, 77.6], [0.4, 1.0]),
    ("barrel", [69.3, 60.3], NORTH),
    ("barrel", [78.7, 79.4], NORTH),
    ("barrel", [52.6, 77.0], NORTH),
    ("barrel", [52.2, 77.4], EAST),
    ("crates", [74.3, 85.0], [1.0, 0.2]),
    ("bench", [83.9, 66.4], [-1.0, 0.2]),
    ("haystack", [57.2, 73.8], NORTH),
    ("haystack", [58.6, 75.3], EAST),
    ("haystack", [62.4, 79.0], EAST),
    ("trough", [58.6, 61.5], [1.0, 0.4]),
    // The shore.
    ("jetty", [49.2, 83.5], [-0.86, 0.5]),
    ("boat", [52.2, 87.0], [-0.8, -0.5]),
    ("boat", [49.2, 81.7], [-0.9, 0.3]),
    ("barrel", [49.9, 82.9], NORTH),
    ("crates", [50.4, 84.1], [1.0, 0.5]),
    // Single trees.
    ("oak", [69.6, 64.9], NORTH),
    ("oak", [84.3, 63.0], EAST),
    ("oak", [60.2, 62.2], EAST),
    ("apple_tree", [69.4, 55.9], SOUTH),
    ("apple_tree", [83.4, 73.9], SOUTH),
    ("birch", [78.9, 73.2], SOUTH),
    ("birch", [56.6, 81.6], SOUTH),
    ("oak", [76.0, 46.8], SOUTH),
];

/// The people: name, model, position, the point that they face, and `true` if they wave.
const PEOPLE: &[(&str, &str, Place, Place, bool)] = &[
    ("Agnes", "villager_red", [75.4, 61.6], MARKET, false),
    ("Bertram", "villager_blue", [77.7, 61.8], MARKET, false),
    (
        "Clara",
        "villager_violet",
        [74.2, 61.2],
        [73.3, 60.2],
        false,
    ),
    (
        "Dietrich",
        "villager_green",
        [72.6, 59.4],
        [76.5, 63.5],
        false,
    ),
    ("Elsbeth", "villager_red", [80.2, 59.2], MARKET, true),
    (
        "Frieda",
        "villager_violet",
        [78.7, 60.9],
        [79.6, 59.9],
        false,
    ),
    (
        "Gerhard",
        "villager_blue",
        [78.9, 64.2],
        [79.9, 65.0],
        false,
    ),
    ("Hedwig", "villager_red", [80.6, 65.6], MARKET, false),
    ("Ignaz", "villager_green", [74.3, 64.6], [73.2, 65.4], false),
    ("Johanna", "villager_violet", [72.5, 66.1], MARKET, false),
    ("Konrad", "villager_blue", [76.9, 69.6], [76.9, 74.0], false),
    (
        "Lambert",
        "villager_green",
        [77.6, 70.2],
        [76.9, 69.6],
        true,
    ),
    ("Magda", "villager_red", [83.1, 59.7], [80.0, 60.0], false),
    (
        "Norbert",
        "villager_blue",
        [75.9, 81.0],
        [77.0, 79.0],
        false,
    ),
    (
        "Odilia",
        "villager_violet",
        [76.9, 79.9],
        [75.9, 81.0],
        false,
    ),
    ("Paul", "villager_green", [58.3, 69.6], [56.0, 68.0], false),
    ("Reinhild", "villager_red", [62.0, 65.7], [58.0, 66.0], true),
    (
        "Severin",
        "villager_blue",
        [49.7, 84.3],
        [44.0, 86.0],
        false,
    ),
    ("Theres", "villager_red", [51.9, 79.6], [48.0, 81.0], false),
    (
        "Ulrich",
        "villager_green",
        [60.6, 60.4],
        [57.0, 59.0],
        false,
    ),
    ("Veit", "villager_blue", [87.6, 42.0], [84.0, 46.0], true),
    (
        "Walburga",
        "villager_violet",
        [65.6, 77.3],
        [65.0, 74.0],
        false,
    ),
];

/// The travellers among them.
const TRAVELLING: [&str; 3] = ["Konrad", "Lambert", "Reinhild"];

/// West, north, east and south end of the sheep's meadow, in tiles.
const MEADOW: [i32; 4] = [52, 57, 60, 63];
/// Centres of gardens, each 2 tiles wide.
const GARDENS: [Place; 5] = [
    [69.6, 73.2],
    [64.4, 70.6],
    [83.6, 77.6],
    [69.7, 86.6],
    [88.6, 66.3],
];

/// Vegetation in an ellipse: its centre, its half axes and the distance between plants, all in
/// tiles; the maximum number of plants, and the frequency of each kind.
struct Wood {
    middle: Place,
    half: Place,
    apart: f32,
    count: usize,
    trees: &'static [(&'static str, f32)],
}

const MIXED: &[(&str, f32)] = &[("oak", 0.45), ("birch", 0.25), ("pine", 0.3)];
const DARK: &[(&str, f32)] = &[("pine", 0.85), ("birch", 0.15)];
const LIGHT: &[(&str, f32)] = &[("birch", 0.6), ("oak", 0.4)];

const WOODS: [Wood; 13] = [
    wood([89.5, 79.5], [5.2, 8.0], 1.75, 18, MIXED),
    wood([100.0, 55.5], [8.0, 5.5], 1.9, 14, MIXED),
    wood([69.8, 43.5], [5.0, 5.5], 1.8, 14, LIGHT),
    wood([52.0, 49.5], [6.0, 5.5], 1.75, 12, DARK),
    wood([66.5, 92.0], [4.2, 6.0], 1.8, 10, LIGHT),
    wood([13.5, 76.0], [9.0, 9.0], 2.2, 9, DARK),
    wood([20.0, 119.0], [14.0, 6.0], 2.3, 9, DARK),
    wood([98.0, 100.0], [10.0, 5.5], 2.1, 9, MIXED),
    wood(ISLAND, [2.0, 2.0], 1.2, 4, LIGHT),
    wood([74.0, 66.0], [15.0, 15.0], 2.6, 20, &[("bush", 1.0)]),
    wood([72.0, 70.0], [30.0, 28.0], 7.0, 10, &[("rocks", 1.0)]),
    wood([74.0, 68.0], [13.0, 13.0], 1.4, 26, &[("flowers", 1.0)]),
    wood([73.0, 68.0], [15.0, 15.0], 1.4, 12, &[("grass", 1.0)]),
];

const fn wood(
    middle: Place,
    half: Place,
    apart: f32,
    count: usize,
    trees: &'static [(&'static str, f32)],
) -> Wood {
    Wood {
        middle,
        half,
        apart,
        count,
        trees,
    }
}

/// A scene under construction.
struct Village {
    ground: Ground,
    entities: Vec<Entity>,
    /// Occupied positions with radii in tiles.
    taken: Vec<(Place, f32)>,
}

fn attribute(key: &str, value: Value) -> Attribute {
    Attribute {
        key: key.to_owned(),
        value,
        line: 0,
    }
}

/// The rotation around Y for a facing direction, conjugated as in files.
fn looking([columns, rows]: Place) -> [f32; 4] {
    let long = (columns * columns + rows * rows).sqrt();
    // Columns run toward -X, rows toward +Z, and models face +Z.
    let (sine, cosine) = (-columns / long, rows / long);
    let half = |n: f32| (0.5 * n).max(0.0).sqrt();
    [
        0.0,
        -half(1.0 - cosine) * if sine < 0.0 { -1.0 } else { 1.0 },
        0.0,
        half(1.0 + cosine),
    ]
}

impl Village {
    /// Places a model on the ground, slightly scaled.
    fn put(&mut self, name: &str, model: &'static Model, at: Place, look: Place, scale: f32) {
        let Some(height) = self.ground.height(at) else {
            return;
        };
        let [x, z] = world(at);
        let is_person = name != model.name;
        let is_animal = matches!(model.name, "sheep" | "goose");
        let is_grown = matches!(
            model.name,
            "oak"
                | "apple_tree"
                | "birch"
                | "pine"
                | "bush"
                | "reeds"
                | "grass"
                | "flowers"
                | "rocks"
        );
        let faction = match () {
            () if TRAVELLING.contains(&name) => TRAVELLERS,
            () if is_animal => ANIMALS,
            () if is_grown => NATURE,
            () => VILLAGERS,
        };
        let passable = matches!(
            model.name,
            "grass" | "flowers" | "reeds" | "wheat" | "garden_bed" | "jetty"
        );
        let clip = model.idle_clip();
        let mut attributes = vec![
            attribute("position", Value::Vec3([x, height, z])),
            attribute("scale", Value::Vec3([scale; 3])),
            attribute("rotation", Value::Quat(looking(look))),
            attribute("animated", Value::Bool(clip.is_some())),
            attribute("selectable", Value::Bool(is_person || is_animal)),
            attribute("static", Value::Bool(!(is_person || is_animal))),
            attribute("collision", Value::Bool(!passable)),
            attribute("faction_id", Value::Int(faction)),
        ];
        if let Some(clip) = clip {
            attributes.push(attribute("idle_clip", Value::String(clip.to_owned())));
        }
        attributes.push(attribute(
            "selection_radius",
            Value::Float(model.radius * scale),
        ));
        self.taken.push((at, model.radius * scale / TILE));
        self.entities.push(Entity {
            name: name.to_owned(),
            model: model.path(),
            attributes: Attributes(attributes),
            line: 0,
        });
    }

    /// Places the model with this name.
    fn place(&mut self, name: &str, at: Place, look: Place, scale: f32) {
        if let Some(model) = Model::named(name) {
            self.put(name, model, at, look, scale);
        }
    }

    /// Attributes of the most recently placed entity.
    fn last(&mut self) -> Option<&mut Vec<Attribute>> {
        Some(&mut self.entities.last_mut()?.attributes.0)
    }

    /// Distance from a position to the nearest object in tiles; negative inside one.
    fn room(&self, at: Place) -> f32 {
        let things = self
            .taken
            .iter()
            .map(|&(other, radius)| distance(at, other) - radius);
        let things = things.fold(f32::MAX, f32::min);
        things
            .min(distance_from_lines(at, &ROADS) - 1.7)
            .min(distance_from_lines(at, &PATHS) - 1.5)
            .min(distance_from(at, SQUARE))
            .min(distance_from(at, GARDEN))
    }

    /// Plants a wood where there is room. Random positions are kept if they are dry and far enough
    /// from other objects (Poisson disks).
    fn scatter(&mut self, area: &Wood, seed: u32) {
        let mut stuck: Vec<Place> = Vec::new();
        for dart in 0..40 * area.count as i32 {
            let pick = |n| random(dart, n, seed);
            let (turns, far) = (f64::from(pick(0)), pick(1).sqrt());
            let at = [
                area.middle[0] + area.half[0] * far * cosine(turns) as f32,
                area.middle[1] + area.half[1] * far * sine(turns) as f32,
            ];
            let lonely = stuck.iter().all(|&other| distance(at, other) > area.apart);
            let mut share = pick(2);
            let kind = area.trees.iter().find(|(_, often)| {
                share -= often;
                share < 0.0
            });
            let Some(model) = kind.and_then(|(name, _)| Model::named(name)) else {
                continue;
            };
            let space = if model.radius < 3.0 { 0.3 } else { 0.75 };
            let dry = self.ground.height(at).is_some_and(|height| height >= 0.0);
            if lonely && dry && self.room(at) > space {
                let turns = f64::from(pick(3));
                let look = [cosine(turns) as f32, sine(turns) as f32];
                let scale = 0.82 + 0.4 * pick(4);
                self.put(model.name, model, at, look, scale);
                stuck.push(at);
            }
            if stuck.len() == area.count {
                break;
            }
        }
    }

    fn by_plan(&mut self) {
        for (name, at, look) in PLAN {
            self.place(name, *at, *look, 1.0);
        }
    }

    fn people(&mut self) {
        for (name, model, at, target, waves) in PEOPLE {
            let Some(model) = Model::named(model) else {
                continue;
            };
            let look = [target[0] - at[0], target[1] - at[1]];
            self.put(
                name,
                model,
                *at,
                look,
                0.82 + 0.08 * random(at[0] as i32, at[1] as i32, 900),
            );
            let home = world(MARKET);
            if let Some(attributes) = self.last() {
                if *waves {
                    for attribute in attributes.iter_mut().filter(|a| a.key == "idle_clip") {
                        attribute.value = Value::String("Wave".to_owned());
                    }
                }
                let argument = |value| attribute("", value);
                let tag = |text: &str| Tag {
                    text: text.to_owned(),
                    line: 0,
                };
                attributes.extend([
                    attribute("vision_range", Value::Float(48.0)),
                    attribute("home", Value::Vec2(home)),
                    attribute("class", Value::String("Villager".to_owned())),
                    attribute(
                        "constructor_arguments",
                        Value::Arguments(vec![
                            argument(Value::String("assets/models/village".to_owned())),
                            argument(Value::String(format!("{}.pfobj", model.name))),
                            argument(Value::String((*name).to_owned())),
                        ]),
                    ),
                    attribute(
                        "tags",
                        Value::Tags(vec![
                            tag("villager"),
                            tag(if *waves { "greets" } else { "market day" }),
                        ]),
                    ),
                ]);
            }
        }
    }

    /// A row of fences between two points, each about as long as a tile.
    fn fence(&mut self, name: &str, from: Place, to: Place, gap: Option<i32>) {
        let long = distance(from, to);
        let count = long.round().max(1.0) as i32;
        let way = [(to[0] - from[0]) / long, (to[1] - from[1]) / long];
        for i in (0..count).filter(|i| Some(*i) != gap) {
            let along = (i as f32 + 0.5) * long / count as f32;
            let at = [from[0] + way[0] * along, from[1] + way[1] * along];
            // Its length runs along X, across its facing direction.
            self.place(name, at, [-way[1], way[0]], 1.0);
        }
    }

    fn meadow(&mut self) {
        let [west, north, east, south] = MEADOW.map(|n| n as f32);
        let corners = [[west, north], [east, north], [east, south], [west, south]];
        for (i, gap) in [None, Some(3), None, None].into_iter().enumerate() {
            self.fence("fence", corners[i], corners[(i + 1) % 4], gap);
        }
        let flock = [
            [53.6, 58.4],
            [55.2, 59.7],
            [54.0, 61.4],
            [56.6, 58.3],
            [57.3, 60.6],
            [58.6, 58.9],
            [55.8, 61.6],
            [58.0, 62.0],
            [56.2, 60.4],
            [53.2, 60.0],
        ];
        for (i, at) in flock.into_iter().enumerate() {
            let turns = f64::from(random(i as i32, 0, 910));
            let look = [cosine(turns) as f32, sine(turns) as f32];
            self.place("sheep", at, look, 0.9 + 0.2 * random(i as i32, 1, 910));
        }
        let geese = [
            [75.0, 66.6],
            [75.5, 66.9],
            [75.2, 67.2],
            [50.9, 85.0],
            [51.3, 85.4],
            [50.8, 85.6],
            [51.5, 84.7],
        ];
        for (i, at) in geese.into_iter().enumerate() {
            let look = [0.6 - 1.2 * random(i as i32, 0, 911), 1.0];
            self.place("goose", at, look, 0.95 + 0.15 * random(i as i32, 1, 911));
        }
    }

    fn gardens(&mut self) {
        for (i, [x, y]) in GARDENS.into_iter().enumerate() {
            let corners = [
                [x - 1.0, y - 1.0],
                [x + 1.0, y - 1.0],
                [x + 1.0, y + 1.0],
                [x - 1.0, y + 1.0],
            ];
            for side in 0..4 {
                let gap = (side == i % 4).then_some(0);
                self.fence("pales", corners[side], corners[(side + 1) % 4], gap);
            }
            for side in [-0.46, 0.46] {
                self.place("garden_bed", [x, y + side], SOUTH, 1.0);
            }
        }
    }

    fn fields(&mut self) {
        for row in 0..5 {
            for column in 0..3 {
                let at = [63.7 + 2.0 * column as f32, 72.4 + row as f32];
                if self.ground.is_level(at, 0.9) {
                    self.place("wheat", at, SOUTH, 1.0);
                }
            }
        }
        for row in 0..3 {
            for column in 0..5 {
                let off = |n: u32| 0.3 * random(column, row, 920 + n) - 0.15;
                let at = [
                    59.0 + 1.75 * column as f32 + off(0),
                    81.2 + 1.8 * row as f32 + off(1),
                ];
                let turns = f64::from(random(column, row, 922));
                let look = [cosine(turns) as f32, sine(turns) as f32];
                self.place("apple_tree", at, look, 0.9 + 0.2 * random(column, row, 923));
            }
        }
    }

    fn wild(&mut self) {
        for (wood, seed) in WOODS.iter().zip(930..) {
            self.scatter(wood, seed);
        }
        // Reeds grow in shallow water.
        let mut stuck: Vec<Place> = Vec::new();
        for dart in 0..4000 {
            let pick = |n| random(dart, n, 955);
            let at = [30.0 + 30.0 * pick(0), 76.0 + 32.0 * pick(1)];
            let shallow = self
                .ground
                .height(at)
                .is_some_and(|height| (-4.0..-0.5).contains(&height));
            let clumped = (f64::from(at[0] * 0.11) + f64::from(at[1]) * 0.07).fract() < 0.45;
            let lonely = stuck.iter().all(|&other| distance(at, other) > 0.7);
            let jetty = distance(at, [47.4, 84.8]) < 2.6;
            if shallow && clumped && lonely && !jetty && stuck.len() < 24 {
                let turns = f64::from(pick(2));
                let look = [cosine(turns) as f32, sine(turns) as f32];
                self.place("reeds", at, look, 0.8 + 0.4 * pick(3));
                stuck.push(at);
            }
        }
    }
}

fn region(name: &str, middle: Place, shape: Value) -> Region {
    let (shape_type, key) = match shape {
        Value::Float(_) => (1, "radius"),
        _ => (0, "dimensions"),
    };
    Region {
        name: name.to_owned(),
        shape_type,
        attributes: Attributes(vec![
            attribute(key, shape),
            attribute("pos", Value::Vec2(world(middle))),
        ]),
        line: 0,
    }
}

fn camera(name: &str, position: [f32; 3], pitch: f32, yaw: f32) -> Camera {
    Camera {
        name: name.to_owned(),
        attributes: Attributes(vec![
            attribute("position", Value::Vec3(position)),
            attribute("pitch", Value::Float(pitch)),
            attribute("yaw", Value::Float(yaw)),
        ]),
        line: 0,
    }
}

/// The scene.
pub(super) fn scene() -> Pfscene {
    let mut village = Village {
        ground: Ground::new(),
        entities: Vec::new(),
        taken: Vec::new(),
    };
    village.by_plan();
    village.people();
    village.meadow();
    village.gardens();
    village.fields();
    village.wild();
    let setting = |color| {
        Some(Setting {
            value: color,
            line: 0,
        })
    };
    let indices = 0..FACTIONS.len() as u32;
    let pairs = indices
        .clone()
        .flat_map(|faction| indices.clone().map(move |other| (faction, other)));
    let kinds = [
        SectionKind::General,
        SectionKind::Factions,
        SectionKind::Entities,
        SectionKind::Regions,
        SectionKind::Cameras,
    ];
    Pfscene {
        version: "1.1".to_owned(),
        sections: kinds
            .into_iter()
            .map(|kind| Section {
                kind,
                line: 0,
                count_line: 0,
            })
            .collect(),
        general: General {
            skybox: None,
            ambient_light_color: setting([255, 255, 255, 255]),
            // A warm afternoon.
            emit_light_color: setting([255, 246, 226, 255]),
            emit_light_pos: Some(Setting {
                value: [1664.0, 1024.0, 384.0],
                line: 0,
            }),
            other: Vec::new(),
        },
        factions: FACTIONS
            .into_iter()
            .map(|(name, color, controllable)| Faction {
                name: name.to_owned(),
                attributes: Attributes(vec![
                    attribute("color", Value::Vec3(color)),
                    attribute("controllable", Value::Bool(controllable)),
                ]),
                line: 0,
            })
            .collect(),
        diplomacy: pairs
            .map(|(faction, other)| Diplomacy {
                faction,
                other,
                state: 0,
                line: 0,
            })
            .collect(),
        entities: village.entities,
        regions: vec![
            region("Market", MARKET, Value::Vec2([104.0, 104.0])),
            region("Meadow", [56.0, 60.0], Value::Vec2([64.0, 48.0])),
            region("Mill", [88.4, 39.4], Value::Float(32.0)),
            region("Landing", [49.2, 83.5], Value::Float(28.0)),
        ],
        cameras: vec![
            camera("market", [-41.0, 175.0, 47.0], -65.0, 135.0),
            camera("landing", [182.0, 60.0, 246.0], -24.0, 122.0),
            camera("mill", [-96.0, 66.0, -60.0], -14.0, 128.0),
        ],
        layout: Layout::default(),
        problems: Vec::new(),
    }
}
