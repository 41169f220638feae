//! The parts of a file, for comparison.

use super::MapScene;
use crate::document::Compare;
use crate::document::parts::Parts;
use crate::{Item, OwnLine, Playhead, SceneItem};

impl Compare for MapScene {
    fn parts(&self) -> Vec<Parts<'_>> {
        let scene = &self.pfscene;
        let number = |index: usize| index as u32;
        vec![
            Parts::one("scene", SceneItem::Scene),
            Parts::records("faction", &scene.factions, |it| it.name.clone())
                .items(move |i| Some(SceneItem::Faction { index: number(i) }))
                .referenced_by_index(),
            Parts::records("entity", &scene.entities, |it| it.name.clone())
                .items(move |i| Some(SceneItem::Entity { index: number(i) })),
            Parts::records("region", &scene.regions, |it| it.name.clone())
                .items(move |i| Some(SceneItem::Region { index: number(i) })),
            Parts::records("camera", &scene.cameras, |it| it.name.clone())
                .items(move |i| Some(SceneItem::Camera { index: number(i) })),
        ]
    }

    fn other_parts(&self) -> Vec<Parts<'_>> {
        self.terrain()
            .map_or_else(Vec::new, |terrain| terrain.parts())
    }

    fn own(&self, item: Item) -> Vec<OwnLine> {
        match (self.described(item, Playhead::default()), self.terrain()) {
            (Some(record), _) => record.own(),
            (None, Some(terrain)) => terrain.own(item),
            (None, None) => Vec::new(),
        }
    }
}
