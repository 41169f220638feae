//! A small made-up map for tests.

use super::{
    Cell, Facts, Grid, GridKind, Integers, Layer, ListPlace, Object, ObjectKind, Pass, RectPx,
    Step, Strand, StrandMode, TileMap, Tileset, Zone,
};
use crate::{Fact, FactGroup, TileMapItem};
use mapscope_formats::Format;

static FORMAT: Format = Format {
    id: "ika-map",
    name: "Made-up map",
    endings: &["map"],
    sniff: |_| true,
};

/// Reports the index of each cell.
#[derive(Debug)]
struct Indices;

impl Facts for Indices {
    fn of(&self, map: &TileMap, item: TileMapItem) -> Vec<FactGroup> {
        let index = map
            .cell_at(item.into())
            .map(|at| Fact::new("Index", at.index));
        let group = index.map(|index| FactGroup::new("In the file", [index]));
        group.into_iter().collect()
    }
}

/// Five images of 4 x 4 pixels: a full one, one with only its upper left pixel visible, two full
/// ones that form an animation, and one for missing tiles.
pub(super) fn tileset() -> Tileset {
    let full = |color: u8| [color, 0, 0, 255].repeat(16);
    let mut corner = vec![0; 64];
    corner[..4].copy_from_slice(&[9, 9, 9, 255]);
    Tileset {
        name: "made-up.vsp".to_owned(),
        tile_size: [4, 4],
        count: 5,
        rgba: [full(10), corner, full(30), full(40), full(50)].concat(),
        missing: Some(4),
        strands: vec![Strand {
            first: 2,
            last: 3,
            delay_ticks: 10,
            mode: StrandMode::Forward,
        }],
        ..Tileset::default()
    }
}

pub(super) fn cells(images: &[u32]) -> Vec<Cell> {
    let cell = |image: &u32| match *image {
        u32::MAX => Cell::EMPTY,
        image => Cell(image),
    };
    images.iter().map(cell).collect()
}

/// Three layers: the ground of 4 x 3 tiles, a roof of 2 x 2 at pixel (4, 4), and one that is not
/// drawn.
pub(super) fn made_up() -> TileMap {
    const NONE: u32 = u32::MAX;
    let tilesets = vec![tileset()];
    let ground = Layer {
        name: "Ground".to_owned(),
        size: [4, 3],
        cells: cells(&[0, 0, 2, 2, 0, 1, 2, 3, NONE, 0, 0, 4]),
        ..Layer::default()
    };
    let roof = Layer {
        name: "Roof".to_owned(),
        size: [2, 2],
        position_px: [4, 4],
        cells: cells(&[1, 0, NONE, 3]),
        ..Layer::default()
    };
    let unseen = Layer {
        size: [1, 1],
        cells: cells(&[0]),
        ..Layer::default()
    };
    let entity = Object {
        rect_px: RectPx::at([1.0, 1.0], [6.0, 6.0]),
        faces: Some([1, 0]),
        wander_px: Some(RectPx::at([0.0, 0.0], [16.0, 8.0])),
        zone: Some(1),
        ..Object::new(ObjectKind::Entity, "Hero", None)
    };
    let chest = Object {
        rect_px: RectPx::at([2.0, 2.0], [2.0, 2.0]),
        ..Object::new(ObjectKind::Entity, "Chest", None)
    };
    let area = Object {
        rect_px: RectPx::at([8.0, 4.0], [8.0, 4.0]),
        zone: Some(2),
        ..Object::new(ObjectKind::ZoneArea, "", Some(0))
    };
    let door = Object {
        rect_px: RectPx::at([12.0, 8.0], [0.0, 0.0]),
        ..Object::new(ObjectKind::Waypoint, "Door", Some(0))
    };
    let zone = |name: &str| Zone {
        name: name.to_owned(),
    };
    let draw = |layer, skips_zero| Step::Layer {
        layer,
        skips_zero,
        is_opaque: false,
        pass: Pass::All,
    };
    TileMap {
        tilesets,
        layers: vec![ground, roof, unseen],
        layers_of_file: Vec::new(),
        steps: vec![draw(0, false), draw(1, true), Step::Objects { layer: None }],
        grids: vec![
            Grid {
                kind: GridKind::Obstruction { by_sides: false },
                layer: None,
                size: [4, 3],
                values: Integers::U8(vec![1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
                place: ListPlace::Unknown,
            },
            Grid {
                kind: GridKind::Zones,
                layer: None,
                size: [4, 3],
                values: Integers::U32(vec![0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 7, 0]),
                place: ListPlace::Unknown,
            },
        ],
        zones: vec![zone("nowhere"), zone("meadow"), zone("")],
        objects: vec![entity, chest, area, door],
        ..TileMap::new(&FORMAT, "6", Box::new(Indices))
    }
    .finished()
}
