//! The outline tree of a map, and its statistics.

use super::grids::zone_color;
use super::{ObjectKind, TileMap, Unread};
use crate::describe::numbers::short;
use crate::describe::outline::{capped, heading, leaf, remainder_line};
use crate::{Item, Layers as _, OutlineNode, Statistic, Swatch, TileMapItem, ViewState};

/// Maximum number of listed items of one kind.
const MAX_LISTED: usize = 10_000;
/// Maximum number of listed areas of a zone.
const MAX_AREAS: usize = 1000;

impl TileMap {
    /// The file, its layers and tilesets, and its contents.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        if self.is_picture() {
            let picture = TileMapItem::Picture.into();
            return vec![leaf("Picture".to_owned(), picture, self.note_of(picture))];
        }
        let whole = TileMapItem::Map.into();
        let whole = OutlineNode {
            swatch: self.left_out_swatch(None),
            ..leaf("Map".to_owned(), whole, self.note_of(whole))
        };
        let lists = [
            self.layer_lines(),
            heading("Tilesets", self.tileset_lines()),
            self.zone_lines(),
        ];
        // Areas are listed below their zones.
        let kinds = ObjectKind::ALL
            .into_iter()
            .filter(|kind| *kind != ObjectKind::ZoneArea);
        let objects = kinds.map(|kind| self.object_lines(kind));
        // Empty headings are dropped.
        let lists = lists
            .into_iter()
            .chain(objects)
            .filter(|line| !line.children.is_empty());
        [whole].into_iter().chain(lists).collect()
    }

    /// The layers from top to bottom, as they appear, with their numbers in the file.
    fn layer_lines(&self) -> OutlineNode {
        let layers = self.layers().into_iter().rev();
        let lines = layers.map(|layer| {
            let index = match layer.item {
                Item::TileMap(TileMapItem::Layer { index }) => Some(index),
                _ => None,
            };
            let number = index.map(|index| format!("number {index}"));
            let [w, h] = layer.size;
            let size = (w > 0 && h > 0).then(|| format!("{w} x {h}"));
            let more = Some(layer.note).filter(|note| !note.is_empty());
            let notes: Vec<String> = [number, size, more].into_iter().flatten().collect();
            OutlineNode {
                swatch: index.and_then(|index| self.left_out_swatch(Some(index as usize))),
                ..leaf(layer.name, layer.item, notes.join(", "))
            }
        });
        let mut lines = heading("Layers", capped(lines.collect(), MAX_LISTED));
        if lines.children.len() > 1 {
            lines.note += ", from the top";
        }
        let not_read = self.left_out_line(|what| matches!(what, Unread::Layers(_)));
        lines.children.extend(not_read);
        lines
    }

    fn tileset_lines(&self) -> Vec<OutlineNode> {
        let lines = self.tilesets_with_tiles().map(|(number, _)| {
            let note = self.note_of(Self::tileset_item(number));
            leaf(self.tileset_name(number), Self::tileset_item(number), note)
        });
        capped(lines.collect(), MAX_LISTED)
    }

    fn zone_lines(&self) -> OutlineNode {
        let zones = self.zone_counts().iter().enumerate();
        let lines = zones.map(|(number, zone)| {
            let areas = zone.areas.iter().zip(1..).filter_map(|(index, place)| {
                let object = self.objects.get(*index)?;
                let [w, h] = object.rect_px.size();
                let name = self.zone_name(number);
                let label = match zone.areas.len() {
                    1 => format!("Area of {name}"),
                    _ => format!("Area {place} of {name}"),
                };
                Some(leaf(label, self.object_item(*index)?, format!("{w} x {h}")))
            });
            let areas = capped(areas.collect(), MAX_AREAS);
            let note = self.note_of(Self::zone_item(number));
            OutlineNode {
                swatch: Some(Swatch::Color(zone_color(number))),
                children: areas,
                ..leaf(self.zone_name(number), Self::zone_item(number), note)
            }
        });
        let mut lines = capped(lines.collect(), MAX_LISTED);
        lines.extend(self.left_out_line(|what| matches!(what, Unread::Zones(_))));
        OutlineNode {
            note: self.zones.len().to_string(),
            ..heading("Zones", lines)
        }
    }

    fn object_lines(&self, kind: ObjectKind) -> OutlineNode {
        let objects = || {
            let objects = self.objects.iter().enumerate();
            objects.filter(move |(_, object)| object.kind == kind)
        };
        let mut lines: Vec<OutlineNode> = objects()
            .take(MAX_LISTED + 1)
            .filter_map(|(index, object)| {
                let item = self.object_item(index)?;
                Some(OutlineNode {
                    swatch: self.object_swatch(object),
                    ..leaf(self.object_name(index), item, self.note_of(item))
                })
            })
            .collect();
        let count = objects().count();
        lines.truncate(MAX_LISTED);
        lines.extend(remainder_line(count, lines.len()));
        lines.extend(self.left_out_line(|what| what.is_of(kind)));
        OutlineNode {
            note: count.to_string(),
            ..heading(kind.said().list, lines)
        }
    }

    fn note_of(&self, item: Item) -> String {
        let described = self.described(item, ViewState::default());
        described.map_or_else(String::new, |described| described.note())
    }

    /// Statistics of the whole map.
    pub(super) fn statistics_of_map(&self) -> Vec<Statistic> {
        if self.is_picture() {
            return self.picture_statistics();
        }
        let counts = self.counts();
        let tilesets = self.tilesets.iter().zip(&counts.uses);
        let used = tilesets.map(|(tileset, uses)| {
            let tiles = uses.iter().take(tileset.tile_count());
            tiles.filter(|uses| **uses > 0).count() as u64
        });
        let of_kind = |kind| {
            let objects = self.objects.iter();
            objects.filter(|object| object.kind == kind).count() as u64
        };
        let blocked = self
            .grids
            .iter()
            .enumerate()
            .filter(|(_, grid)| grid.kind.is_obstruction())
            .filter_map(|(number, _)| Some(self.scale(number)?.set));
        let tiles = self
            .tilesets
            .iter()
            .map(|tileset| tileset.tile_count() as u64);
        let cells = self.layers.iter().map(|layer| layer.cells.len() as u64);
        let not_read = self
            .layers
            .iter()
            .enumerate()
            .map(|(number, layer)| self.cells_not_read(number, layer));
        let mut numbers = vec![
            ("Layers", self.layers.len() as u64),
            ("Cells", cells.sum()),
            ("Empty cells", counts.empty.iter().sum()),
            ("Tiles", tiles.sum()),
            ("Used tiles", used.sum()),
        ];
        let others = [
            ("Unread cells", not_read.sum()),
            ("Obstructed cells", blocked.sum()),
            ("Zones", self.zones.len() as u64),
        ];
        let objects = ObjectKind::ALL.map(|kind| (kind.said().list, of_kind(kind)));
        // Zero counts are omitted, since the format may not support the feature.
        let others = others.into_iter().chain(objects);
        numbers.extend(others.filter(|(_, count)| *count > 0));
        let numbers = numbers.into_iter().map(|(name, value)| Statistic {
            name,
            value: value.to_string(),
        });
        let tile_loop = self.loop_secs().map(|secs| Statistic {
            name: "Tile animation loop",
            value: format!("{} s", short(secs as f32)),
        });
        numbers.chain(tile_loop).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::tilemap::{Object, sample};

    fn labels(lines: &[OutlineNode]) -> Vec<&str> {
        lines.iter().map(|line| line.label.as_str()).collect()
    }

    #[test]
    fn the_tree_has_what_a_map_is_made_of() {
        let map = sample::made_up();
        let outline = map.outline_tree();
        let top = [
            "Map",
            "Layers",
            "Tilesets",
            "Zones",
            "Entities",
            "Waypoints",
        ];
        assert_eq!(labels(&outline), top);
        assert_eq!(outline[0].note, "16 x 12 pixels");
        assert_eq!(labels(&outline[1].children), ["Roof", "Ground", "Layer 2"]);
        assert_eq!(outline[1].note, "3, from the top");
        assert_eq!(outline[1].children[2].note, "number 2, 1 x 1, not drawn");
        assert_eq!(outline[1].children[0].note, "number 1, 2 x 2, at 4, 4");
        let zones = &outline[3].children;
        assert_eq!(labels(zones), ["nowhere", "meadow", "Zone 2"]);
        assert_eq!(zones[1].note, "5 tiles");
        assert_eq!(labels(&zones[2].children), ["Area of Zone 2"]);
        assert_eq!(labels(&outline[4].children), ["Hero", "Chest"]);
    }

    #[test]
    fn thousands_of_objects_are_cut_short() {
        let mut map = sample::made_up();
        let entity = |_| Object::new(ObjectKind::Entity, "", None);
        map.objects.extend((0..MAX_LISTED).map(entity));
        let outline = map.outline_tree();
        let entities = &outline[4];
        assert_eq!(entities.note, (MAX_LISTED + 2).to_string());
        assert_eq!(entities.children.len(), MAX_LISTED + 1);
        assert_eq!(entities.children[MAX_LISTED].label, "and 2 more");
        assert_eq!(entities.children[2].label, "Entity 4");
    }

    #[test]
    fn panels_list_layers_and_tiles() {
        let map = sample::made_up();
        let layers = map.layers();
        let items: Vec<Item> = layers.iter().map(|layer| layer.item).collect();
        let expected = [2, 0, 1].map(TileMap::layer_item);
        assert_eq!(items, expected, "from the bottom, what is not drawn first");
        let [tileset] = &map.tilesets()[..] else {
            panic!("one tileset");
        };
        assert_eq!(tileset.uses, [7, 2, 3, 2]);
        assert_eq!(
            map.tile_item(tileset.item, 3),
            Some(TileMap::tile_item(0, 3))
        );
        assert_eq!(map.tile_item(tileset.item, 4), None);
        let statistics = map.statistics_of_map();
        let said: Vec<_> = statistics.iter().map(|s| (s.name, &*s.value)).collect();
        let expected = [
            ("Layers", "3"),
            ("Cells", "17"),
            ("Empty cells", "2"),
            ("Tiles", "4"),
            ("Used tiles", "4"),
            ("Obstructed cells", "3"),
            ("Zones", "3"),
            ("Zone areas", "1"),
            ("Entities", "2"),
            ("Waypoints", "1"),
            ("Tile animation loop", "0.2 s"),
        ];
        assert_eq!(said, expected);
    }
}
