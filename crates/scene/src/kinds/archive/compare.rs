//! The parts of an archive, for comparison with another one.

use super::ArchiveFile;
use crate::Document;
use crate::document::parts::Parts;
use crate::{ArchiveItem, Compare, Item, OwnLine, ViewState};

impl Compare for ArchiveFile {
    fn parts(&self) -> Vec<Parts<'_>> {
        let mut lists: [Vec<u32>; 3] = Default::default();
        let kind = |item: ArchiveItem| match item {
            ArchiveItem::Folder { .. } => 1,
            ArchiveItem::Link { .. } => 2,
            ArchiveItem::File { .. } | ArchiveItem::Archive => 0,
        };
        for index in 0..self.archive.entries().len() {
            let list = self.item(index).and_then(|item| lists.get_mut(kind(item)));
            if let Some(list) = list {
                list.push(index as u32);
            }
        }
        let [files, folders, links] = lists;
        let list = |what, indices: Vec<u32>| {
            let items = indices.clone();
            let path = move |index: usize| {
                let entry = indices.get(index);
                let entry = entry.and_then(|entry| self.archive.entries().get(*entry as usize));
                entry.map_or_else(String::new, |entry| self.archive.path(entry))
            };
            Parts::named(what, items.len(), path)
                .items(move |index| self.item(*items.get(index)? as usize))
        };
        vec![
            Parts::one("archive", ArchiveItem::Archive),
            list("file", files),
            list("folder", folders),
            list("link", links),
        ]
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        let record = self.record(item, ViewState::default());
        record.map_or_else(Vec::new, |record| record.own())
    }
}
