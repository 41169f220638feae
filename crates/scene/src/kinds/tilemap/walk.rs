//! Steps between items: to the neighbour, to the next of a kind, and from a problem to its item.

use super::items::number;
use super::{Cell, ObjectKind, TileMap};
use crate::describe::outline::beyond;
use crate::{Direction, Item, Neighbor, TileMapItem, Walk};
use mapscope_formats::{Problem, Subject};

impl TileMap {
    /// The neighbour of an item: a cell beside a cell, or the previous or next item of a list.
    pub(super) fn item_beside(&self, item: Item, direction: Direction) -> Option<Item> {
        if let Some(at) = self.pixel_at(item) {
            return self.pixel_beside(&at, direction);
        }
        if let Some(at) = self.cell_at(item) {
            let [dx, dy] = direction.step();
            let x = at.place[0].checked_add_signed(dx)?;
            let y = at.place[1].checked_add_signed(dy)?;
            return Some(self.cell_in(at.layer_number, [x, y])?.item());
        }
        let backwards = matches!(direction, Direction::North | Direction::West);
        let beside = |index: u32, count: usize| {
            let index = index.checked_add_signed(if backwards { -1 } else { 1 })?;
            (index < number(count)).then_some(index as usize)
        };
        let Item::TileMap(of_map) = item else {
            return None;
        };
        Some(match of_map {
            TileMapItem::Layer { index } => Self::layer_item(beside(index, self.layers.len())?),
            TileMapItem::Tileset { index } => {
                Self::tileset_item(beside(index, self.tilesets.len())?)
            }
            TileMapItem::Zone { index } => Self::zone_item(beside(index, self.zones.len())?),
            TileMapItem::Tile { tileset, index } => {
                let tileset = tileset as usize;
                let images = self.tilesets.get(tileset)?.image_count();
                Self::tile_item(tileset, beside(index, images)?)
            }
            _ => {
                let (at, object) = self.object_at(item)?;
                let of_kind = |index: &usize| {
                    let other = self.objects.get(*index);
                    other.is_some_and(|other| other.kind == object.kind)
                };
                let found = if backwards {
                    (0..at).rev().find(of_kind)
                } else {
                    (at + 1..self.objects.len()).find(of_kind)
                };
                self.object_item(found?)?
            }
        })
    }

    /// The next or previous item of a kind, wrapping at the end: cells with a tile, zones, and
    /// objects of the same kind.
    pub(super) fn next_of(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        match kind {
            Item::TileMap(TileMapItem::Tile { .. }) => self.next_use(kind, after, backwards),
            Item::TileMap(TileMapItem::Zone { index }) => {
                let after = match after {
                    Some(Item::TileMap(TileMapItem::Zone { index })) => index,
                    _ => index,
                };
                let zones: Vec<usize> = (0..self.zones.len()).collect();
                let zone = *beyond(&zones, Some(after as usize), backwards)?;
                Some(Self::zone_item(zone))
            }
            _ => {
                let (first, object) = self.object_at(kind)?;
                let objects = self.objects.iter().enumerate();
                let of_kind = objects.filter(|(_, other)| other.kind == object.kind);
                let numbers: Vec<usize> = of_kind.map(|(index, _)| index).collect();
                let after = after.and_then(|item| self.object_at(item));
                let after = after
                    .filter(|(_, after)| after.kind == object.kind)
                    .map_or(first, |(index, _)| index);
                self.object_item(*beyond(&numbers, Some(after), backwards)?)
            }
        }
    }

    /// The next cell that shows an image of a tileset.
    fn next_use(&self, tile: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let tile = self.tile_at(tile).filter(|tile| tile.uses() > 0)?;
        let number = tile.tileset_number;
        let shows = |cell: &Cell| cell.image() == Some(tile.image);
        let find = |layer: usize, from: usize, to: usize| {
            let layer_of = self.layers.get(layer)?;
            let cells = layer_of.cells.get(from..to)?;
            let found = if backwards {
                cells.iter().rposition(shows)
            } else {
                cells.iter().position(shows)
            };
            Some(layer_of.cell_item(layer, from + found?))
        };
        let layers: Vec<usize> = self
            .layers
            .iter()
            .zip(0..)
            .filter(|(layer, _)| layer.tileset == number)
            .map(|(_, index)| index)
            .collect();
        let len = |layer: usize| self.layers.get(layer).map_or(0, |layer| layer.cells.len());
        let after = after
            .and_then(|item| self.cell_at(item))
            .filter(|at| at.layer.tileset == number);
        let start = after.and_then(|at| {
            let place = layers.iter().position(|layer| *layer == at.layer_number)?;
            Some((place, at.index))
        });
        if let Some((place, index)) = start {
            let layer = *layers.get(place)?;
            let rest = if backwards {
                find(layer, 0, index)
            } else {
                find(layer, index + 1, len(layer))
            };
            if rest.is_some() {
                return rest;
            }
        }
        // Then the other layers, and finally the first one from its other end.
        let count = layers.len();
        let first = match (start, backwards) {
            (Some((place, _)), false) => place + 1,
            (Some((place, _)), true) => place + count - 1,
            (None, false) => 0,
            (None, true) => count - 1,
        };
        (0..count).find_map(|step| {
            let place = if backwards {
                first + count - step
            } else {
                first + step
            };
            let layer = *layers.get(place % count)?;
            find(layer, 0, len(layer))
        })
    }

    /// The item of a problem.
    pub(super) fn item_of_problem(&self, problem: &Problem) -> Option<Item> {
        match problem.subject {
            Subject::Layer(layer) => self.shown_layer(layer).map(Self::layer_item),
            Subject::Cell { layer, x, y } => {
                let layer = self.shown_layer(layer)?;
                let [width, height] = self.layers.get(layer)?.size;
                Some(if x < width && y < height {
                    Self::cell_item(layer, [x, y])
                } else {
                    Self::layer_item(layer)
                })
            }
            Subject::LayerEntity { layer, entity } => {
                let layer = self.shown_layer(layer)?;
                let entity = self.entity(Some(layer), entity);
                entity.or_else(|| Some(Self::layer_item(layer)))
            }
            Subject::MapEntity(entity) => self.entity(None, entity),
            Subject::Zone(zone) => {
                let zone = zone as usize;
                (zone < self.zones.len()).then(|| Self::zone_item(zone))
            }
            Subject::Tileset => (!self.tilesets.is_empty()).then(|| Self::tileset_item(0)),
            _ => None,
        }
    }

    /// The index in the map of a layer of the file.
    fn shown_layer(&self, layer: u32) -> Option<usize> {
        let layer = layer as usize;
        let shown = match &self.layers_of_file[..] {
            [] => layer,
            of_file => *of_file.get(layer)?,
        };
        (shown < self.layers.len()).then_some(shown)
    }

    /// An entity by its index in its layer.
    fn entity(&self, layer: Option<usize>, index: u32) -> Option<Item> {
        let objects = self.objects.iter().enumerate();
        let mut entities = objects
            .filter(|(_, object)| object.kind == ObjectKind::Entity && object.layer == layer);
        self.object_item(entities.nth(index as usize)?.0)
    }
}

impl Walk for TileMap {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        Neighbor {
            item: self.item_beside(item, direction),
            name: None,
        }
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        self.next_of(kind, after, backwards)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::rules;
    use crate::kinds::tilemap::sample;
    use mapscope_formats::Place;

    #[test]
    fn arrow_keys_go_from_cell_to_cell() {
        let map = sample::made_up();
        let from = |index, direction| {
            let item = map.layers[0].cell_item(0, index);
            let cell = map.cell_at(map.neighbor(item, direction).item?).unwrap();
            assert_eq!(cell.layer_number, 0);
            Some(cell.index)
        };
        assert_eq!(from(5, Direction::North), Some(1));
        assert_eq!(from(5, Direction::East), Some(6));
        assert_eq!(from(5, Direction::South), Some(9));
        assert_eq!(from(5, Direction::West), Some(4));
        assert_eq!(from(3, Direction::East), None);
        assert_eq!(from(4, Direction::West), None);
        assert_eq!(from(1, Direction::North), None);
        assert_eq!(from(9, Direction::South), None);
    }

    #[test]
    fn arrow_keys_go_through_lists() {
        let map = sample::made_up();
        let east = |item| map.neighbor(item, Direction::East).item;
        let west = |item| map.neighbor(item, Direction::West).item;
        assert_eq!(east(TileMap::layer_item(0)), Some(TileMap::layer_item(1)));
        assert_eq!(east(TileMap::layer_item(2)), None);
        assert_eq!(east(TileMap::tile_item(0, 4)), None);
        assert_eq!(west(TileMap::tile_item(0, 0)), None);
        assert_eq!(west(TileMap::zone_item(1)), Some(TileMap::zone_item(0)));
        assert_eq!(east(map.object_item(0).unwrap()), map.object_item(1));
        assert_eq!(
            east(map.object_item(1).unwrap()),
            None,
            "the next one is an area"
        );
    }

    #[test]
    fn steps_go_through_every_use_of_a_tile_and_round() {
        let map = sample::made_up();
        for image in 0..5 {
            let tile = TileMap::tile_item(0, image);
            let uses = map.uses(0, image);
            for backwards in [false, true] {
                let mut seen = Vec::new();
                let mut at = None;
                for _ in 0..uses {
                    at = map.next_of_kind(tile, at, backwards);
                    let cell = map.cell_at(at.unwrap()).unwrap();
                    assert_eq!(cell.cell.image(), Some(image));
                    seen.push((cell.layer_number, cell.index));
                }
                assert!(seen.is_sorted_by(|a, b| (a < b) != backwards), "{seen:?}");
                // The last one is followed by the first.
                let first = map.next_of_kind(tile, None, backwards);
                assert_eq!(map.next_of_kind(tile, at, backwards), first);
            }
        }
        let mut unused = sample::made_up();
        unused.layers.truncate(1);
        assert_eq!(
            unused.next_of_kind(TileMap::tile_item(0, 9), None, false),
            None
        );
        unused.layers[0].cells.fill(Cell(1));
        assert_eq!(
            unused.next_of_kind(TileMap::tile_item(0, 0), None, false),
            None
        );
    }

    #[test]
    fn steps_go_from_one_entity_to_the_next() {
        let map = sample::made_up();
        let [hero, chest] = [0, 1].map(|index| map.object_item(index).unwrap());
        assert_eq!(map.next_of_kind(hero, None, false), Some(chest));
        assert_eq!(map.next_of_kind(hero, Some(chest), false), Some(hero));
        assert_eq!(map.next_of_kind(chest, None, true), Some(hero));
        let zones = [0, 2].map(TileMap::zone_item);
        assert_eq!(map.next_of_kind(zones[0], None, true), Some(zones[1]));
        // A cell or a layer is not a kind.
        assert_eq!(
            map.next_of_kind(TileMap::cell_item(0, [0, 0]), None, false),
            None
        );
        assert_eq!(map.next_of_kind(TileMap::layer_item(0), None, false), None);
    }

    #[test]
    fn problems_lead_to_what_they_are_about() {
        let map = sample::made_up();
        let item = |subject| {
            let place = Place::Offset(0);
            map.item_of_problem(&Problem::new(&rules::TILE_NUMBER, subject, place, "odd"))
        };
        let roof = Some(TileMap::layer_item(1));
        assert_eq!(item(Subject::Layer(1)), roof);
        assert_eq!(item(Subject::Layer(9)), None);
        assert_eq!(item(Subject::MapEntity(1)), map.object_item(1));
        assert_eq!(item(Subject::Zone(2)), Some(TileMap::zone_item(2)));
        assert_eq!(item(Subject::Zone(9)), None);
        assert_eq!(item(Subject::Tileset), Some(TileMap::tileset_item(0)));
        assert_eq!(item(Subject::File), None);
        let cell = |x, y| item(Subject::Cell { layer: 1, x, y });
        assert_eq!(cell(1, 1), Some(TileMap::cell_item(1, [1, 1])));
        assert_eq!(cell(9, 9), roof, "which has no such tile");
        let of_layer = item(Subject::LayerEntity {
            layer: 1,
            entity: 7,
        });
        assert_eq!(of_layer, roof, "which has no such entity");
    }
}
