//! Navigation between items.

use super::MapScene;
use super::fields::entity_item;
use super::parts::entity_of;
use crate::describe::outline::{LISTED_AFTER, LISTED_BEFORE, beyond};
use crate::document::Walk;
use crate::{Direction, Item, Neighbor, SceneItem};

impl Walk for MapScene {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        if let Some((posed, part)) = self.part(item) {
            return posed.neighbor(part, direction);
        }
        let Item::Scene(SceneItem::Entity { index }) = item else {
            let terrain = self.terrain();
            return terrain.map_or_else(Neighbor::default, |t| t.neighbor(item, direction));
        };
        let (beside, name) = match direction {
            Direction::North | Direction::West => (index.checked_sub(1), LISTED_BEFORE),
            Direction::South | Direction::East => (index.checked_add(1), LISTED_AFTER),
        };
        let beside = beside.filter(|index| (*index as usize) < self.entities.len());
        Neighbor {
            item: beside.map(entity_item),
            name: Some(name),
        }
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        if let Some((posed, part)) = self.part(kind) {
            return posed.next_of_kind(part, after, backwards);
        }
        let Item::Scene(kind) = kind else {
            return self.terrain()?.next_of_kind(kind, after, backwards);
        };
        let after = after.and_then(|item| Some(self.entity(item)?.0));
        let next = |members: &[u32]| beyond(members, after, backwards).copied();
        let next = if kind == SceneItem::Scene {
            let all: Vec<u32> = (0..self.entities.len() as u32).collect();
            next(&all)
        } else {
            next(self.members(kind))
        };
        next.map(entity_item)
    }

    fn parent_of(&self, item: Item) -> Option<Item> {
        let (_, _) = self.part(item)?;
        Some(entity_item(entity_of(item)?))
    }
}
