//! One line about each item of a map, for the status bar.

use glam::Vec3;

use super::here::Here;
use super::items::{CellAt, title_of};
use super::{Cell, GridKind, ThingKind, TileMap, Tileset};
use crate::numbers::{plural, short};
use crate::{Item, Shown, SummaryPart, TileMapItem};

/// Characters that a name takes at most before what follows moves.
const NAME_WIDTH: usize = 16;
/// Characters of the longest number that is likely to be that of a tile.
const TILE_WIDTH: usize = 5;

/// How many digits numbers below a count have.
fn digits(count: u32) -> usize {
    count.saturating_sub(1).to_string().len()
}

impl Tileset {
    /// What a tile is called in files: its number.
    pub(super) fn tile_number(&self, picture: usize) -> String {
        if self.missing == Some(picture) {
            return "none".to_owned();
        }
        let number = self.tiles.get(picture).map(|tile| tile.id.to_string());
        number.unwrap_or_else(|| picture.to_string())
    }
}

/// The flags of a cell in words: how its tile is turned, and whether it has priority. The axes are
/// exchanged first, then the tile is flipped (fact sheet of `PixelPerfectEngine`, section 3).
pub(super) fn flag_names(cell: Cell) -> String {
    let has = |bit: u32| cell.0 & bit != 0;
    let turned = match [Cell::SWAP_AXES, Cell::MIRROR_X, Cell::MIRROR_Y].map(has) {
        [false, false, false] => None,
        [false, true, false] => Some("flipped horizontally"),
        [false, false, true] => Some("flipped vertically"),
        [false, true, true] => Some("rotated 180°"),
        [true, false, false] => Some("flipped diagonally"),
        [true, true, false] => Some("rotated 90° clockwise"),
        [true, false, true] => Some("rotated 90° counter-clockwise"),
        [true, true, true] => Some("flipped diagonally, rotated 180°"),
    };
    let priority = has(Cell::PRIORITY).then_some("with priority");
    let names: Vec<&str> = turned.into_iter().chain(priority).collect();
    names.join(", ")
}

impl TileMap {
    /// One line about an item; of a cell with what else is at a place that is pointed at, or where
    /// the cell itself is while the map is at rest.
    pub(super) fn item_summary(
        &self,
        item: Item,
        pointed_at: Option<(Vec3, &Shown)>,
    ) -> Vec<SummaryPart> {
        if let Some(at) = self.cell_at(item) {
            let here = match pointed_at {
                Some((point, shown)) => {
                    self.here([point.x, point.z].map(|at| at.floor() as i64), shown)
                }
                None => self.here_of(&at),
            };
            return self.cell_summary(&at, &here);
        }
        let parts = self.plain_summary(item).unwrap_or_default();
        let parts = parts.into_iter();
        parts
            .map(|(name, value)| SummaryPart::new(name, value))
            .collect()
    }

    /// A cell: each part as wide as the widest of its kind, so that nothing moves while the
    /// pointer does.
    fn cell_summary(&self, at: &CellAt<'_>, here: &Here<'_>) -> Vec<SummaryPart> {
        let mut parts = Vec::new();
        let mut say = |name, value: String, width| parts.push(SummaryPart { name, value, width });
        let names = (0..self.layers.len()).map(|layer| self.layer_name(layer).chars().count());
        let width = names.max().unwrap_or(0).min(NAME_WIDTH);
        say("Layer", self.layer_name(at.layer_number), width);
        for (axis, name) in ["X", "Y"].into_iter().enumerate() {
            let widest = self.layers.iter().map(|layer| digits(layer.size[axis]));
            say(name, at.place[axis].to_string(), widest.max().unwrap_or(0));
        }
        say("Tile", self.tile_said(at), TILE_WIDTH);
        if !self.zones.is_empty() {
            let zones = here.zones.iter();
            let zones: Vec<String> = zones
                .map(|zone| self.with_layer(self.zone_name(zone.zone), zone.layer))
                .collect();
            let zones = if zones.is_empty() {
                "none".to_owned()
            } else {
                zones.join(", ")
            };
            say("Zone", zones, NAME_WIDTH);
        }
        if let Some(obstructed) = self.obstruction_said(here) {
            let names = self.grids.iter().filter_map(|grid| match grid.kind {
                GridKind::Obstruction { .. } => Some(self.with_layer("yes".to_owned(), grid.layer)),
                GridKind::Zones | GridKind::Logic => None,
            });
            let widest = names.map(|name| name.chars().count()).max();
            say(
                "Obstructed",
                obstructed,
                widest.unwrap_or(0).min(NAME_WIDTH),
            );
        }
        let logic = here.logic_values();
        let logic: Vec<String> = logic
            .map(|number| self.with_layer(number.value.to_string(), number.layer))
            .collect();
        if !logic.is_empty() {
            say("Logic", logic.join(", "), TILE_WIDTH);
        }
        let flags = flag_names(at.cell);
        if !flags.is_empty() && at.cell.picture().is_some() {
            say("Flags", flags, 0);
        }
        // From the lowest to the highest.
        if here.cells.len() > 1 {
            let layers = here.cells.iter().map(|cell| {
                let name = self.layer_name(cell.layer_number);
                format!("{name} {}", self.layer_said(here, cell))
            });
            say("Here", layers.collect::<Vec<_>>().join("  "), 0);
        }
        parts
    }

    fn plain_summary(&self, item: Item) -> Option<Vec<(&'static str, String)>> {
        let size = |[w, h]: [u32; 2]| format!("{w} x {h}");
        let Item::TileMap(of_map) = item else {
            return None;
        };
        Some(match of_map {
            TileMapItem::Map => vec![
                ("Map", self.about.format.name.to_owned()),
                ("Layers", self.layers.len().to_string()),
            ],
            TileMapItem::Layer { index } => {
                let index = index as usize;
                let layer = self.layers.get(index)?;
                vec![
                    ("Layer", self.layer_name(index)),
                    ("Size", size(layer.size)),
                    ("Tileset", self.tileset_name(layer.tileset)),
                ]
            }
            TileMapItem::Tileset { index } => {
                let index = index as usize;
                let tileset = self.tilesets.get(index)?;
                vec![
                    ("Tileset", self.tileset_name(index)),
                    ("Tiles", tileset.tile_count().to_string()),
                    ("Size", size(tileset.tile_size)),
                ]
            }
            TileMapItem::Tile { .. } => {
                let (number, tileset, picture) = self.tile_at(item)?;
                let mut parts = vec![("Tile", tileset.tile_number(picture))];
                if let Some(tile) = tileset.tiles.get(picture) {
                    if !tile.name.is_empty() {
                        parts.push(("Name", tile.name.clone()));
                    }
                    let palette = tile.palette.map(|palette| palette.to_string());
                    parts.extend(palette.map(|palette| ("Palette", palette)));
                }
                parts.push(("Used", self.times_used(number, picture)));
                parts
            }
            TileMapItem::Zone { index } => {
                let index = index as usize;
                let counts = self.zone_counts().get(index)?;
                let mut parts = vec![("Zone", self.zone_name(index))];
                if counts.cells > 0 {
                    parts.push(("Tiles", counts.cells.to_string()));
                }
                if !counts.areas.is_empty() {
                    parts.push(("Areas", counts.areas.len().to_string()));
                }
                parts
            }
            TileMapItem::Clip => {
                let clip = self.clips.first()?;
                vec![
                    ("Clip", clip.name.clone()),
                    ("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
                ]
            }
            _ => {
                let (index, thing) = self.thing_at(item)?;
                let [x, y] = thing.rect_px.min.map(short);
                let mut parts = vec![
                    (title_of(thing.kind), self.thing_name(index)),
                    ("X", x),
                    ("Y", y),
                ];
                let zone = thing.zone.map(|zone| {
                    let says = match thing.kind {
                        ThingKind::ZoneArea => "Zone",
                        _ => "Wanders in",
                    };
                    (says, self.zone_name(zone))
                });
                parts.extend(zone);
                let layer = thing.layer.map(|layer| ("Layer", self.layer_name(layer)));
                parts.extend(layer);
                parts
            }
        })
    }

    /// How often a picture is used, for people.
    pub(super) fn times_used(&self, tileset: usize, picture: usize) -> String {
        match self.uses(tileset, picture) {
            0 => "nowhere".to_owned(),
            1 => "once".to_owned(),
            uses => plural(usize::try_from(uses).unwrap_or(usize::MAX), "time", "times"),
        }
    }

    /// The tileset and the picture of a cell.
    pub(super) fn tile_of(&self, at: &CellAt<'_>) -> Option<(&Tileset, usize, Item)> {
        let picture = at.cell.picture()?;
        let tileset = self.tilesets.get(at.layer.tileset)?;
        let item = Self::tile_item(at.layer.tileset, picture);
        Some((tileset, picture, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use crate::tilemap::sample;

    fn said(map: &TileMap, item: Item) -> Vec<(&'static str, String)> {
        let parts = map.summary(item, None, &Shown::default()).into_iter();
        parts.map(|part| (part.name, part.value)).collect()
    }

    fn owned<const N: usize>(parts: [(&'static str, &str); N]) -> Vec<(&'static str, String)> {
        parts.map(|(name, value)| (name, value.to_owned())).to_vec()
    }

    #[test]
    fn a_cell_is_said_in_a_line() {
        let mut map = sample::made_up();
        map.layers[0].cells[5].0 |= Cell::MIRROR_X | Cell::SWAP_AXES;
        let cell = owned([
            ("Layer", "Ground"),
            ("X", "1"),
            ("Y", "1"),
            ("Tile", "1"),
            ("Zone", "meadow"),
            ("Obstructed", "no"),
            ("Flags", "rotated 90° clockwise"),
            ("Here", "Ground 1  Roof 1"),
        ]);
        assert_eq!(said(&map, TileMap::cell_item(0, [1, 1])), cell);
        let empty = said(&map, TileMap::cell_item(0, [0, 2]));
        assert_eq!(empty[3], ("Tile", "empty".to_owned()));
        assert_eq!(empty[4], ("Zone", "none".to_owned()));
        // By its number it is in no zone that is described, and by no area.
        assert_eq!(said(&map, TileMap::cell_item(0, [2, 2]))[4].1, "Zone 7");
        assert_eq!(
            said(&map, TileMap::cell_item(0, [2, 1]))[4].1,
            "meadow, Zone 2 (Ground)"
        );
        assert_eq!(said(&map, TileMap::cell_item(0, [0, 3])), []);
        // What follows stays in its place.
        let widths = |index| {
            let parts = map
                .summary(map.layers[0].cell_item(0, index), None, &Shown::default())
                .into_iter();
            parts.map(|part| part.width).collect::<Vec<_>>()
        };
        assert_eq!(widths(1), [7, 1, 1, 5, 16, 3]);
    }

    #[test]
    fn what_blocks_a_place_is_said_with_its_layer() {
        let mut map = sample::made_up();
        // A layer on top of all that nothing is known of, as one that lights a cave.
        map.layers.push(crate::tilemap::Layer {
            name: "Light".to_owned(),
            size: [4, 3],
            cells: sample::cells(&[2; 12]),
            ..Default::default()
        });
        map.steps = TileMap::steps_in_file_order(&map.layers, &[]);
        map.grids[0].layer = Some(0);
        map.grids[0].kind = GridKind::Obstruction { by_sides: true };
        map.grids[1].layer = Some(0);
        let light = said(&map, TileMap::cell_item(3, [1, 0]));
        assert_eq!(light[0].1, "Light");
        assert_eq!(light[4], ("Zone", "meadow (Ground)".to_owned()));
        assert_eq!(light[5], ("Obstructed", "yes (Ground)".to_owned()));
        let all = "Ground 0 (obstructed, meadow)  Light 2".to_owned();
        assert_eq!(light[6], ("Here", all));
        let free = said(&map, TileMap::cell_item(3, [3, 1]));
        assert_eq!(free[5], ("Obstructed", "no".to_owned()));
        // Where the pointer is, layers may lie otherwise than at rest.
        map.layers[3].parallax.mul = [0, 0];
        let shown = Shown {
            flat: true,
            flat_camera_px: [4, 0],
            ..Shown::default()
        };
        let at = Some(glam::vec3(12.5, 0.0, 1.5));
        let parts = map.summary(TileMap::cell_item(3, [2, 0]), at, &shown);
        let obstructed = parts.iter().find(|part| part.name == "Obstructed");
        assert_eq!(obstructed.unwrap().value, "no");
        let at = Some(glam::vec3(4.5, 0.0, 1.5));
        let parts = map.summary(TileMap::cell_item(3, [0, 0]), at, &shown);
        let obstructed = parts.iter().find(|part| part.name == "Obstructed");
        assert_eq!(obstructed.unwrap().value, "yes (Ground)");
    }

    #[test]
    fn other_items_are_said_in_a_line() {
        let map = sample::made_up();
        let tile = said(&map, TileMap::tile_item(0, 2));
        assert_eq!(tile, owned([("Tile", "2"), ("Used", "3 times")]));
        let layer = said(&map, TileMap::layer_item(2));
        assert_eq!(layer[..2], owned([("Layer", "Layer 2"), ("Size", "1 x 1")]));
        let hero = said(&map, map.thing_item(0).unwrap());
        let expected = [
            ("Entity", "Hero"),
            ("X", "1"),
            ("Y", "1"),
            ("Wanders in", "meadow"),
        ];
        assert_eq!(hero, owned(expected));
        let zone = said(&map, TileMap::zone_item(1));
        assert_eq!(zone, owned([("Zone", "meadow"), ("Tiles", "5")]));
        let clip = said(&map, map.clips[0].item);
        assert_eq!(clip, owned([("Clip", "Tiles"), ("Lasts", "60 s")]));
    }
}
