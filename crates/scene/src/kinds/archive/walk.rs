//! Steps between the entries of an archive.

use super::ArchiveFile;
use crate::describe::outline::{LISTED_AFTER, LISTED_BEFORE};
use crate::{ArchiveItem, Direction, Item, Neighbor, Walk};

impl Walk for ArchiveFile {
    fn neighbor(&self, item: Item, direction: Direction) -> Neighbor {
        let Some(at) = self.entry_at(item) else {
            return Neighbor::default();
        };
        let (index, name) = match direction {
            Direction::North => (at.index.checked_sub(1), LISTED_BEFORE),
            Direction::South => (Some(at.index + 1), LISTED_AFTER),
            Direction::East | Direction::West => return Neighbor::default(),
        };
        Neighbor {
            item: index.and_then(|index| self.item(index)).map(Item::from),
            name: Some(name),
        }
    }

    fn next_of_kind(&self, kind: Item, after: Option<Item>, backwards: bool) -> Option<Item> {
        let kind = kind.kind();
        let count = self.archive.entries().len();
        let at = after
            .and_then(|item| self.entry_at(item))
            .map(|at| at.index);
        let of_kind = |index: usize| {
            let item = self.item(index).map(Item::from);
            item.filter(|item| item.kind() == kind)
        };
        if backwards {
            let at = at.unwrap_or(0);
            (0..at).rev().chain((at..count).rev()).find_map(of_kind)
        } else {
            let after = at.map_or(0, |at| at + 1);
            (after..count).chain(0..after).find_map(of_kind)
        }
    }

    fn parent_of(&self, item: Item) -> Option<Item> {
        let parent = self.entry_at(item)?.entry.parent;
        let folder = parent.map(|index| ArchiveItem::Folder { index });
        Some(folder.unwrap_or(ArchiveItem::Archive).into())
    }
}
