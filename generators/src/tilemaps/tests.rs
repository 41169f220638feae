//! The 2D maps on the start page equal the output of their generator and show all features.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use mapscope_formats::Integers;
use mapscope_formats::ika::{DIRECTIONS, map, vsp};
use mapscope_formats::ppe::map_data::{self, MapData};
use mapscope_formats::ppe::xmf::{self, MapSource, PaletteSource, Shape, Xmf};
use mapscope_formats::ppe::{Cell, IndexedImage, MapFlags, indexed};
use mapscope_scene::demo::{self, Demo};
use mapscope_scene::{self, Document, OpenOptions, Progress, Shown};

use super::canvas::{Canvas, TILE};
use super::{files, station, village};

static MADE: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| files().unwrap().into_iter().collect());
static VILLAGE: LazyLock<map::Map> = LazyLock::new(|| map::read(&MADE["harbour.map"]).unwrap());
static TILES: LazyLock<vsp::Vsp> = LazyLock::new(|| vsp::read(&MADE["harbour.vsp"]).unwrap());
static STATION: LazyLock<Xmf> = LazyLock::new(|| xmf::read(&MADE["station.xmf"]).unwrap());
static DECK: LazyLock<MapData> = LazyLock::new(|| map_data::read(&MADE["station.map"]).unwrap());
static SHEET: LazyLock<IndexedImage> =
    LazyLock::new(|| indexed::read(&MADE["station_tiles.png"]).unwrap().unwrap());

fn open(demo: &Demo) -> Arc<dyn Document> {
    let (options, progress) = (OpenOptions::default(), Progress::default());
    mapscope_scene::open(&demo.source(), &options, &progress).unwrap()
}

#[test]
fn the_assets_are_what_the_generator_makes() {
    let folder = crate::assets().join("maps");
    let hint = "run `cd generators && cargo run -- tilemaps`";
    for (name, made) in &*MADE {
        let kept = std::fs::read(folder.join(name)).unwrap();
        assert!(
            kept == *made,
            "{name} is not what the generator makes: {hint}"
        );
    }
    let mut built_in = BTreeSet::new();
    for demo in [&demo::VILLAGE, &demo::STATION] {
        let source = demo.source();
        built_in.insert(source.path.to_str().unwrap().to_owned());
        let name = source.path.to_str().unwrap();
        assert!(*source.bytes == *MADE[name], "{name} is in the program");
        for (name, bytes) in source.embedded {
            assert!(**bytes == *MADE[*name], "{name} is in the program");
            built_in.insert((*name).to_owned());
        }
    }
    let kept: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".gitattributes")
        .collect();
    assert_eq!(built_in, kept, "all that is kept is in the program");
    let bytes: usize = MADE.values().map(Vec::len).sum();
    assert!(bytes < 100_000, "{bytes} bytes are too many");
}

#[test]
fn nothing_is_wrong_with_them() {
    assert_eq!(VILLAGE.problems, []);
    assert_eq!(TILES.problems, []);
    assert_eq!(STATION.problems, []);
    assert_eq!(DECK.problems, []);
    for demo in [&demo::VILLAGE, &demo::STATION] {
        assert_eq!(open(demo).about().problems, [], "{}", demo.id);
    }
    assert!(map::write(&VILLAGE).unwrap() == MADE["harbour.map"]);
    assert!(xmf::write(&STATION) == MADE["station.xmf"]);
    assert!(map_data::write(&DECK).unwrap() == MADE["station.map"]);
}

// ---- The village ---------------------------------------------------------------------------

#[test]
fn the_village_has_everything_that_the_old_format_has() {
    assert_eq!(
        (VILLAGE.size, VILLAGE.layers.len()),
        ([48, 36], 4),
        "columns, rows and layers"
    );
    let clouds = VILLAGE.layers[3].parallax;
    assert_eq!((clouds.mul, clouds.div), ([3, 3], [2, 2]));
    let states: BTreeSet<u32> = VILLAGE.entities.iter().map(|e| e.state).collect();
    assert_eq!(states, (0..6).collect());
    let looks: BTreeSet<i32> = VILLAGE.entities.iter().map(|e| e.direction).collect();
    assert!(looks.len() >= 5 && looks.iter().all(|look| *look < DIRECTIONS.len() as i32));
    assert!(VILLAGE.entities.iter().any(|e| e.wander_rect != [0; 4]));
    let used: BTreeSet<u32> = VILLAGE.zone_numbers.iter().copied().collect();
    assert_eq!(used, (0..VILLAGE.zones.len() as u32).collect());
    for entity in &VILLAGE.entities {
        let named = |name: &str| VILLAGE.zones.iter().any(|zone| zone.name == name);
        assert!(named(&entity.wander_zone), "{}", entity.name);
        let names = |name: &str| VILLAGE.entities.iter().any(|e| e.name == name);
        let target = &entity.chase_target;
        assert!(target.is_empty() || names(target), "{}", entity.name);
    }
}

#[test]
fn everybody_of_the_village_stands_where_one_can_walk() {
    let is_blocked = |[column, row]: [i32; 2]| {
        let place = [column, row].map(|at| u32::try_from(at).unwrap());
        VILLAGE.obstruction[VILLAGE.tile_index(place).unwrap()] != 0
    };
    for entity in &VILLAGE.entities {
        let place = entity.position.map(|at| at / TILE);
        assert!(!is_blocked(place), "{}", entity.name);
    }
    assert!(!is_blocked(VILLAGE.start));
    // The farm across the river and the end of the pier are reachable from the player's start.
    let mut reached = vec![VILLAGE.start];
    let mut next = 0;
    while let Some([column, row]) = reached.get(next).copied() {
        next += 1;
        for [dx, dy] in [[-1, 0], [1, 0], [0, -1], [0, 1]] {
            let place = [column + dx, row + dy];
            let is_inside = (0..48).contains(&place[0]) && (0..36).contains(&place[1]);
            if is_inside && !is_blocked(place) && !reached.contains(&place) {
                reached.push(place);
            }
        }
    }
    for entity in &VILLAGE.entities {
        let place = entity.position.map(|at| at / TILE);
        assert!(reached.contains(&place), "{}", entity.name);
    }
    // Water blocks, except at the bridge and the piers.
    assert!(is_blocked([36, 10]) && is_blocked([24, 33]) && !is_blocked([36, 17]));
}

#[test]
fn the_tiles_of_the_village_differ_and_move() {
    let tiles: Vec<&[u8]> = match &TILES.pixels {
        vsp::Pixels::Rgba(rgba) => rgba.chunks((TILE * TILE * 4) as usize).collect(),
        other => panic!("{other:?}"),
    };
    let strands: Vec<_> = TILES.active_strands().collect();
    assert!(strands.len() > 5);
    let is_frame = |tile: usize| {
        let holds = |strand: &&vsp::Strand| (strand.start..=strand.finish).contains(&(tile as u16));
        strands.iter().any(holds)
    };
    for (i, tile) in tiles.iter().enumerate() {
        let is_repeated = tiles[..i].contains(tile);
        assert!(!is_repeated || is_frame(i), "tile {i} occurs twice");
    }
    let alphas: BTreeSet<u8> = tiles
        .iter()
        .flat_map(|t| t.chunks(4))
        .map(|p| p[3])
        .collect();
    assert!(alphas.len() > 5, "{alphas:?}");
    // Every strand is used somewhere.
    let used: BTreeSet<u32> = VILLAGE
        .layers
        .iter()
        .flat_map(|l| l.tiles.clone())
        .collect();
    for strand in strands {
        let mut frames = u32::from(strand.start)..=u32::from(strand.finish);
        assert!(frames.any(|frame| used.contains(&frame)), "{strand:?}");
    }
    assert_eq!(*used.last().unwrap() as usize + 1, tiles.len());
}

/// Blends a colour over an opaque one.
fn blend(below: &mut [f32; 3], [r, g, b, a]: [u8; 4]) {
    let alpha = f32::from(a) / 255.0;
    for (below, above) in below.iter_mut().zip([r, g, b]) {
        *below += (f32::from(above) - *below) * alpha;
    }
}

/// Asserts that a map is drawn as it was painted, except for rounding.
fn assert_drawn(demo: &Demo, size: [i32; 2], painted: &[[f32; 3]]) {
    let document = open(demo);
    let shown = Shown {
        flat: true,
        ..Shown::default()
    };
    let flat = document.layers().unwrap().flat(&shown);
    let [width, height] = size.map(|side| (side * TILE) as usize);
    assert_eq!(flat.size(), [width as u64, height as u64]);
    let mut row = vec![0; width * 4];
    for y in 0..height {
        flat.row(y as u64, &mut row);
        for (x, drawn) in row.chunks(4).enumerate() {
            let wanted = painted[y * width + x];
            let differs = (0..3).any(|i| (f32::from(drawn[i]) - wanted[i]).abs() > 3.0);
            assert!(!differs, "{}: {x}, {y}: {drawn:?} {wanted:?}", demo.id);
        }
    }
}

#[test]
fn the_village_is_drawn_as_it_was_painted() {
    let picture = village::plan::picture();
    let count = picture.layers[0].pixels().len();
    let mut painted = vec![[0.0; 3]; count];
    for layer in &picture.layers {
        for (below, color) in painted.iter_mut().zip(layer.pixels()) {
            blend(below, village::colors::rgba(*color));
        }
    }
    assert_drawn(&demo::VILLAGE, village::plan::SIZE, &painted);
}

// ---- The station ---------------------------------------------------------------------------

#[test]
fn the_station_has_everything_that_the_new_layout_has() {
    assert_eq!(DECK.size, [40, 30]);
    assert!(
        DECK.flags
            .has(MapFlags::NEW_LAYOUT | MapFlags::GRAPHICS | MapFlags::ZLIB)
    );
    let cells: Vec<Cell> = (0..DECK.cell_count()).map(|i| DECK.cell(i)).collect();
    let shown: Vec<&Cell> = cells.iter().filter(|cell| !cell.is_empty()).collect();
    assert!(shown.len() < cells.len(), "the stars are seen");
    let turns: BTreeSet<_> = shown
        .iter()
        .map(|cell| (cell.axis_switch, cell.mirror_h, cell.mirror_v))
        .collect();
    assert_eq!(turns.len(), 8, "every way to turn a tile: {turns:?}");
    let palettes: BTreeSet<u16> = shown.iter().map(|cell| cell.palette).collect();
    assert!(palettes.len() >= 6, "{palettes:?}");
    // Some tiles are used with several palettes.
    let mut colors: BTreeMap<u16, BTreeSet<u16>> = BTreeMap::new();
    for cell in &shown {
        colors.entry(cell.tile_id).or_default().insert(cell.palette);
    }
    assert!(colors.values().any(|palettes| palettes.len() > 3));
    assert!(shown.iter().filter(|cell| cell.priority != 0).count() > 10);
    let tints: BTreeSet<[u8; 4]> = DECK
        .graphics
        .iter()
        .flatten()
        .flat_map(|corners| corners.map(|corner| corner.rgba))
        .collect();
    assert!(tints.len() > 200);
    assert!(tints.iter().any(|[r, ..]| *r > 128) && tints.iter().any(|[r, ..]| *r < 100));
    match DECK.logic.as_ref().unwrap() {
        Integers::U8(values) => {
            let values: BTreeSet<u8> = values.iter().copied().collect();
            assert!(values.len() > 10, "{values:?}");
        }
        other => panic!("{} bits", other.bits()),
    }
}

#[test]
fn the_layers_of_the_station_name_what_is_there() {
    let [stars, deck, crew] = STATION.layers.as_slice() else {
        panic!("{} layers", STATION.layers.len());
    };
    assert!(stars.priority < deck.priority && deck.priority < crew.priority);
    assert_eq!(stars.scroll_rate, [Some(0.25); 2]);
    assert!(matches!(stars.map, Some(MapSource::Embedded { .. })));
    assert!(matches!(&deck.map, Some(MapSource::File { path, .. }) if MADE.contains_key(&**path)));
    for source in stars.tile_sources.iter().chain(&deck.tile_sources) {
        assert!(MADE.contains_key(&*source.path));
    }
    assert_eq!(STATION.palettes.len(), 8);
    assert_eq!(STATION.problems, []);
    for palette in STATION.palettes.iter().chain(&crew.palettes) {
        match &palette.source {
            PaletteSource::File(path) => assert!(MADE.contains_key(&**path), "{path}"),
            PaletteSource::Embedded { colors, .. } => assert_eq!(colors.len(), 32),
        }
    }
    let kinds: BTreeSet<&str> = crew
        .objects
        .iter()
        .map(|object| object.shape.kind())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["Box", "Polyline", "Sprite"]));
    for object in &crew.objects {
        if let Shape::Sprite(sprite) = object.shape {
            let mut ids = crew.sprite_sources.iter().map(|source| source.id);
            assert!(ids.any(|id| id == sprite.source), "{}", object.name);
        }
    }
}

/// The colour index that a cell shows at a pixel: transposed first, then mirrored (fact sheet 3).
fn color_at(cell: Cell, [x, y]: [i32; 2]) -> u8 {
    let x = if cell.mirror_h { TILE - 1 - x } else { x };
    let y = if cell.mirror_v { TILE - 1 - y } else { y };
    let [x, y] = if cell.axis_switch { [y, x] } else { [x, y] };
    let columns = SHEET.size[0] as i32 / TILE;
    let tile = i32::from(cell.tile_id);
    let [left, top] = [tile % columns, tile / columns].map(|at| at * TILE);
    SHEET.indices[((top + y) * SHEET.size[0] as i32 + left + x) as usize]
}

#[test]
fn the_cells_of_the_station_show_what_was_painted() {
    let stars = match &STATION.layers[0].map {
        Some(MapSource::Embedded { cells, .. }) => cells.clone(),
        other => panic!("{other:?}"),
    };
    let layers: [(&[u32], Canvas); 2] = [
        (&stars, station::space::sky()),
        (&DECK.cells, station::deck::deck().picture),
    ];
    for (cells, painted) in layers {
        for (i, raw) in (0..).zip(cells) {
            let [left, top] = [i % 40, i / 40].map(|at| at * TILE);
            let cell = Cell::decode(*raw, DECK.flags);
            for y in 0..TILE {
                for x in 0..TILE {
                    let color = if cell.is_empty() {
                        0
                    } else {
                        color_at(cell, [x, y])
                    };
                    assert_eq!(color, painted.get(left + x, top + y), "cell {i}: {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn the_station_is_drawn_as_it_was_painted() {
    let colors: Vec<_> = (0..8).map(station::colors::rgba).collect();
    let deck = station::deck::deck();
    let sky = station::space::sky();
    let crew = station::crew::picture();
    let [columns, rows] = station::plan::SIZE;
    let [width, height] = [columns * TILE, rows * TILE];
    let color = |palette: u8, number: u8| colors[usize::from(palette)][usize::from(number)];
    let cell_of = |x: i32, y: i32| (y / TILE * columns + x / TILE) as usize;
    // The lit colour of the deck at a pixel.
    let lit = |x: i32, y: i32| {
        let [r, g, b, a] = color(deck.palettes[cell_of(x, y)], deck.picture.get(x, y));
        let [u, v] = [x, y].map(|at| ((at % TILE) as f32 + 0.5) / TILE as f32);
        let corner = |i: i32, j: i32| station::light::at_corner(x / TILE + i, y / TILE + j).0;
        let corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
        let mut channel = 0;
        let [r, g, b] = [r, g, b].map(|from| {
            let [ul, ur, ll, lr] = corners.map(|corner| f32::from(corner[channel]));
            channel += 1;
            let light = (ul * (1.0 - u) + ur * u) * (1.0 - v) + (ll * (1.0 - u) + lr * u) * v;
            let from = f32::from(from);
            let to = if light < 128.0 {
                from * light / 128.0
            } else {
                255.0 - (255.0 - from) * (255.0 - light) / 127.0
            };
            to.round() as u8
        });
        [r, g, b, a]
    };
    let mut painted = vec![[0.0; 3]; (width * height) as usize];
    let places = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for ((x, y), pixel) in places().zip(&mut painted) {
        blend(pixel, color(station::colors::SPACE, sky.get(x, y)));
        if !deck.has_priority[cell_of(x, y)] {
            blend(pixel, lit(x, y));
        }
    }
    for object in &STATION.layers[2].objects {
        let Shape::Sprite(sprite) = object.shape else {
            continue;
        };
        let ([left, top, part_width, part_height], _) =
            station::crew::PARTS[usize::try_from(sprite.source).unwrap()];
        for y in 0..part_height {
            for x in 0..part_width {
                let [to_x, to_y] = [sprite.position[0] + x, sprite.position[1] + y];
                let color = crew.get(left + x, top + y);
                let pixel = &mut painted[(to_y * width + to_x) as usize];
                blend(pixel, station::crew::PALETTE[usize::from(color)]);
            }
        }
    }
    for ((x, y), pixel) in places().zip(&mut painted) {
        if deck.has_priority[cell_of(x, y)] {
            blend(pixel, lit(x, y));
        }
    }
    assert_drawn(&demo::STATION, station::plan::SIZE, &painted);
}
