//! All layers' data at a place of a map: tile, obstruction, zone and logic value.
//!
//! A game queries all layers at a place, not only the topmost visible one. The window,
//! `info --tile` and the overlay colours therefore share this data.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::fields::CellWithPlace;
use super::grids::obstruction_name;
use super::items::CellAt;
use super::{Grid, GridKind, LeftOut, ObjectKind, TileMap, Unread};
use crate::{Layers, Shown};
use mapscope_formats::UnreadReason;

/// View settings of the map as stored in the file, without a camera offset.
pub(super) static AT_REST: LazyLock<Shown> = LazyLock::new(|| Shown {
    flat: true,
    ..Shown::default()
});

/// The data at a place.
#[derive(Debug)]
pub(super) struct Here<'a> {
    /// The cells of all layers at the place, the lowest first.
    pub(super) cells: Vec<CellAt<'a>>,
    /// The numbers of grids, the lowest layer first.
    pub(super) numbers: Vec<NumberAt>,
    /// The zones at the place: first by number, then by area.
    pub(super) zones: Vec<ZoneAt>,
    /// The grids whose numbers at the place were not read.
    pub(super) not_read: Vec<UnreadAt>,
}

/// A grid whose number at a place was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnreadAt {
    pub(super) kind: GridKind,
    /// Its layer; `None` for a grid of the map.
    pub(super) layer: Option<usize>,
    pub(super) why: UnreadReason,
}

/// A number of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberAt {
    pub(super) kind: GridKind,
    /// Its layer; `None` for a grid of the map.
    pub(super) layer: Option<usize>,
    pub(super) value: u64,
}

/// A zone, by its number or by an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ZoneAt {
    pub(super) zone: usize,
    /// Its layer; `None` for a zone of the map itself.
    pub(super) layer: Option<usize>,
}

impl Here<'_> {
    /// The obstruction numbers.
    pub(super) fn obstructions(&self) -> impl Iterator<Item = &NumberAt> {
        let numbers = self.numbers.iter();
        numbers.filter(|number| number.kind.is_obstruction())
    }

    /// The numbers with game-specific meaning.
    pub(super) fn logic_values(&self) -> impl Iterator<Item = &NumberAt> {
        let numbers = self.numbers.iter();
        numbers.filter(|number| number.kind == GridKind::Logic)
    }

    /// The names of the zones, each once.
    pub(super) fn zone_names(&self, map: &TileMap) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for zone in &self.zones {
            let name = map.zone_name(zone.zone);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The obstruction that was not read at the place.
    pub(super) fn obstructions_not_read(&self) -> impl Iterator<Item = &UnreadAt> {
        let not_read = self.not_read.iter();
        not_read.filter(|grid| grid.kind.is_obstruction())
    }

    /// The zone map that was not read at the place.
    pub(super) fn zones_not_read(&self) -> Option<&UnreadAt> {
        let mut not_read = self.not_read.iter();
        not_read.find(|grid| grid.kind == GridKind::Zones)
    }

    /// The logic values that were not read at the place.
    pub(super) fn logic_not_read(&self) -> impl Iterator<Item = &UnreadAt> {
        let not_read = self.not_read.iter();
        not_read.filter(|grid| grid.kind == GridKind::Logic)
    }
}

impl TileMap {
    /// The number of a grid at a map pixel under these view settings.
    fn number_at(&self, grid: &Grid, px: [i64; 2], shown: &Shown) -> Option<u64> {
        let ground = self.ground_of(grid)?;
        let [x, y] = self.cell_place(&ground, grid.size, px, shown)?;
        let index = y as usize * grid.size[0] as usize + x as usize;
        grid.values.get(index)
    }

    /// `true` if a layer is blocked at a map pixel, by its own obstruction or by the map's; `None`
    /// if neither is defined.
    pub(super) fn is_obstructed(&self, layer: usize, px: [i64; 2], shown: &Shown) -> Option<bool> {
        let of = |layer: Option<usize>| {
            let grids = self.grids.iter().filter(move |grid| grid.layer == layer);
            let mut grids = grids.filter(|grid| grid.kind.is_obstruction());
            grids.find_map(|grid| self.number_at(grid, px, shown))
        };
        let value = of(None).or_else(|| of(Some(layer)))?;
        Some(value != 0)
    }

    /// The logic value of a layer at a map pixel.
    pub(super) fn logic_value(&self, layer: usize, px: [i64; 2], shown: &Shown) -> Option<u64> {
        let grids = self.grids.iter();
        let mut grids =
            grids.filter(|grid| grid.kind == GridKind::Logic && grid.layer == Some(layer));
        grids.find_map(|grid| self.number_at(grid, px, shown))
    }

    /// The data of all layers at a map pixel under these view settings.
    pub(super) fn here(&self, px: [i64; 2], shown: &Shown) -> Here<'_> {
        let order = self.layers_from_below();
        let cells = order.iter().filter_map(|number| {
            let layer = self.layers.get(*number)?;
            let place = self.cell_place(layer, layer.size, px, shown)?;
            self.cell_in(*number, place)
        });
        let rank = |layer: Option<usize>| {
            layer.and_then(|layer| order.iter().position(|number| *number == layer))
        };
        let mut numbers: Vec<NumberAt> = self
            .grids
            .iter()
            .filter_map(|grid| {
                Some(NumberAt {
                    kind: grid.kind,
                    layer: grid.layer,
                    value: self.number_at(grid, px, shown)?,
                })
            })
            .collect();
        numbers.sort_by_key(|number| rank(number.layer));
        let mut zones = Vec::new();
        let mut add = |zone, layer| {
            let zone = ZoneAt { zone, layer };
            if !zones.contains(&zone) {
                zones.push(zone);
            }
        };
        for number in &numbers {
            let zone = usize::try_from(number.value).ok();
            // The number 0 is no zone.
            if let Some(zone @ 1..) = zone.filter(|_| number.kind == GridKind::Zones) {
                add(zone, number.layer);
            }
        }
        // The middle of the pixel, since areas may begin between two pixels.
        let middle = px.map(|px| px as f32 + 0.5);
        let areas = self.objects.iter();
        for area in areas.filter(|object| object.kind == ObjectKind::ZoneArea) {
            let place = self.object_offset(area.layer, shown);
            if let Some(zone) = area.zone
                && place.rect(area.rect_px).contains(middle)
            {
                add(zone, area.layer);
            }
        }
        Here {
            cells: cells.collect(),
            numbers,
            zones,
            not_read: self.grids_not_read(px, shown),
        }
    }

    /// The map pixel in the middle of a cell while the map is at rest.
    pub(super) fn middle_px(&self, at: &CellAt<'_>) -> [i64; 2] {
        let size = self.tile_size(at.layer).unwrap_or([1; 2]);
        [0, 1].map(|axis| {
            i64::from(at.layer.position_px[axis])
                + i64::from(at.place[axis]) * i64::from(size[axis])
                + i64::from(size[axis] / 2)
        })
    }

    /// Number of blocked cells of each obstruction grid, for machine-readable output.
    pub(super) fn obstruction_info(&self) -> Value {
        let grids = self.grids.iter().filter(|grid| grid.kind.is_obstruction());
        let told = grids.map(|grid| {
            let cells = grid.size[0] as usize * grid.size[1] as usize;
            let is_blocked = |index: &usize| grid.values.get(*index).is_some_and(|n| n != 0);
            json!({
                "layer": grid.layer,
                "size": grid.size,
                "obstructed": (0..cells).filter(is_blocked).count(),
                "by_sides": grid.kind == GridKind::Obstruction { by_sides: true },
            })
        });
        told.collect()
    }

    /// Display text of the obstruction at a place, with layer names; `None` if the map has no
    /// obstruction data. `not_read` words unread data.
    pub(super) fn obstruction_text(
        &self,
        here: &Here<'_>,
        not_read: fn(UnreadReason) -> String,
    ) -> Option<String> {
        if !self.has_obstruction() {
            return None;
        }
        let blocked = here.obstructions().filter(|number| number.value != 0);
        let blocked = blocked.map(|number| {
            let name = match obstruction_name(number.kind, number.value) {
                name if name == "blocked" => "yes".to_owned(),
                name => name,
            };
            self.with_layer(name, number.layer)
        });
        let lost = here
            .obstructions_not_read()
            .map(|grid| self.with_layer(not_read(grid.why), grid.layer));
        let said: Vec<String> = blocked.chain(lost).collect();
        Some(if said.is_empty() {
            "no".to_owned()
        } else {
            said.join(", ")
        })
    }

    /// `true` if the file has obstruction data.
    fn has_obstruction(&self) -> bool {
        let is_lost = |left_out: &LeftOut| match left_out.what {
            Unread::Grid(kind, _) => kind.is_obstruction(),
            _ => false,
        };
        self.grids.iter().any(|grid| grid.kind.is_obstruction())
            || self.left_out.iter().any(is_lost)
    }

    /// Appends the name of a layer if the map has several.
    pub(super) fn with_layer(&self, said: String, layer: Option<usize>) -> String {
        match layer.filter(|_| self.layers.len() > 1) {
            Some(layer) => format!("{said} ({})", self.layer_name(layer)),
            None => said,
        }
    }

    /// Short description of a layer at a place: its tile, then in parentheses its obstruction and
    /// zones.
    pub(super) fn layer_text(&self, here: &Here<'_>, at: &CellAt<'_>) -> String {
        let mut more = Vec::new();
        let of_layer = |layer: Option<usize>| layer == Some(at.layer_number);
        let mut blocked = here
            .obstructions()
            .filter(|number| of_layer(number.layer) && number.value != 0);
        if let Some(number) = blocked.next() {
            more.push(match &*obstruction_name(number.kind, number.value) {
                "blocked" => "obstructed".to_owned(),
                sides => format!("obstructed: {sides}"),
            });
        }
        let mut lost = here.obstructions_not_read();
        if lost.any(|grid| of_layer(grid.layer)) {
            more.push("obstruction not read".to_owned());
        }
        let zones = here.zones.iter().filter(|zone| of_layer(zone.layer));
        more.extend(zones.map(|zone| self.zone_name(zone.zone)));
        let tile = self.tile_text(at);
        if more.is_empty() {
            tile
        } else {
            format!("{tile} ({})", more.join(", "))
        }
    }

    /// The number of the tile of a cell, as display text.
    pub(super) fn tile_text(&self, at: &CellAt<'_>) -> String {
        match (at.cell.image(), self.tilesets.get(at.layer.tileset)) {
            (Some(image), Some(tileset)) => tileset.tile_number(image),
            (Some(image), None) => image.to_string(),
            (None, _) if self.tile_not_read(at).is_some() => "not read".to_owned(),
            (None, _) => "empty".to_owned(),
        }
    }

    /// The number of the tile of a cell in the file; `None` if the file has no number for it.
    pub(super) fn tile_in_file(&self, at: &CellAt<'_>) -> Option<u32> {
        let of_image = || {
            let image = at.cell.image()?;
            let tileset = self.tilesets.get(at.layer.tileset)?;
            let tile = tileset.tiles.get(image);
            Some(tile.map_or(image as u32, |tile| tile.id))
        };
        at.layer.stored.tile_number(at.index).or_else(of_image)
    }

    /// Size in pixels of the tiles that address places of the map ([`Layers::tile_count`]): those
    /// of its first layer with tiles.
    pub(super) fn tile_of_map_px(&self) -> Option<[u32; 2]> {
        if self.is_picture() {
            return Some([1; 2]);
        }
        let mut layers = self.layers.iter().filter(|layer| layer.has_tiles());
        layers.find_map(|layer| self.tile_size(layer))
    }

    /// The `info --tile X,Y` object for a column and row of the map at rest, with the keys of the
    /// contract ("2D maps"); `None` off the map.
    pub fn tile_info(&self, [x, y]: [u32; 2]) -> Option<Value> {
        let [columns, rows] = self.tile_count()?;
        if x >= columns || y >= rows {
            return None;
        }
        let tile = self.tile_of_map_px()?;
        let middle = [(x, tile[0]), (y, tile[1])]
            .map(|(at, side)| i64::from(at) * i64::from(side) + i64::from(side / 2));
        let here = self.here(middle, &AT_REST);
        let layers = here.cells.iter().map(|at| {
            let cell = CellWithPlace::new(self, *at, middle, &AT_REST);
            cell.json().into()
        });
        let mut told = json!({
            "x": x,
            "y": y,
            "layers": layers.collect::<Vec<Value>>(),
            "zones": here.zone_names(self),
        });
        if here.zones_not_read().is_some() {
            told["not_read"] = json!(["zones"]);
        }
        Some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::left_out::not_read;
    use crate::kinds::tilemap::{Integers, ListPlace, Parallax, sample};
    use crate::{Document, InfoQuery};

    /// The made-up map with an obstruction on the roof instead of the map's.
    fn with_roof_blocked() -> TileMap {
        let mut map = sample::made_up();
        map.grids[0] = Grid {
            kind: GridKind::Obstruction { by_sides: true },
            layer: Some(1),
            size: [2, 2],
            values: Integers::U8(vec![1, 0, 0, 5]),
            place: ListPlace::Unknown,
        };
        map
    }

    fn tile(map: &TileMap, x: u32, y: u32) -> Option<Value> {
        let query = InfoQuery {
            tile: Some((x, y)),
            ..InfoQuery::default()
        };
        map.info(&query).remove("tile")
    }

    #[test]
    fn every_layer_that_reaches_a_place_is_told_the_lowest_first() {
        let map = with_roof_blocked();
        // The third layer is not drawn, and has a single tile.
        let expected = json!({
            "x": 1,
            "y": 1,
            "layers": [
                {"layer": 0, "name": "Ground", "x": 1, "y": 1, "tile": 1, "obstructed": null},
                {"layer": 1, "name": "Roof", "x": 0, "y": 0, "tile": 1, "obstructed": true},
            ],
            "zones": ["meadow"],
        });
        assert_eq!(tile(&map, 1, 1), Some(expected));
        let corner = tile(&map, 0, 0).unwrap();
        let layers: Vec<_> = corner["layers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|layer| layer["layer"].as_u64())
            .collect();
        assert_eq!(layers, [2, 0].map(Some));
        // By an area and by the grid; an empty cell has no tile.
        assert_eq!(
            tile(&map, 2, 1).unwrap()["zones"],
            json!(["meadow", "Zone 2"])
        );
        assert_eq!(tile(&map, 0, 2).unwrap()["layers"][0]["tile"], json!(null));
        assert_eq!(tile(&map, 4, 0), None);
        assert_eq!(tile(&map, 0, 3), None);
        assert_eq!(map.tile_count(), Some([4, 3]));
    }

    #[test]
    fn what_the_map_itself_says_holds_for_all_layers() {
        let map = sample::made_up();
        let place = tile(&map, 0, 0).unwrap();
        for layer in place["layers"].as_array().unwrap() {
            assert_eq!(layer["obstructed"], json!(true), "{layer}");
        }
        let free = tile(&map, 2, 2).unwrap();
        assert_eq!(free["layers"][1]["obstructed"], json!(false));
        assert_eq!(free["zones"], json!(["7 (not described)"]));
    }

    #[test]
    fn places_are_where_layers_are_shown() {
        let mut map = with_roof_blocked();
        map.layers[1].parallax = Parallax {
            mul: [1, 1],
            div: [2, 1],
        };
        let mut shown = AT_REST.clone();
        let blocked = |map: &TileMap, x, shown: &Shown| {
            let here = map.here([x, 4], shown);
            map.obstruction_text(&here, not_read)
        };
        let says = |said: &str| Some(said.to_owned());
        assert_eq!(blocked(&map, 4, &shown), says("yes (Roof)"));
        assert_eq!(blocked(&map, 8, &shown), says("no"));
        // The roof lags behind by half of 8 pixels.
        shown.flat_camera_px = [8, 0];
        assert_eq!(blocked(&map, 4, &shown), says("no"));
        assert_eq!(blocked(&map, 8, &shown), says("yes (Roof)"));
        assert_eq!(
            map.obstruction_text(&map.here([15, 8], &shown), not_read),
            says("top, left (5) (Roof)")
        );
        map.layers[1].wraps = [true, false];
        assert_eq!(blocked(&map, 16, &shown), says("yes (Roof)"));
        map.grids.remove(0);
        assert_eq!(blocked(&map, 4, &shown), None);
    }
}
