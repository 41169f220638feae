//! The outline of a scene.

use super::MapScene;
use super::fields::{FactionAt, ModelAt, faction_color};
use crate::describe::outline::{capped, file_name, heading, leaf};
use crate::{Document as _, OutlineNode, Playhead, SceneItem, Swatch};

/// Maximum number of lines below a heading of the outline.
const MAX_LISTED: usize = 2_000;

impl MapScene {
    /// The tree for the outliner.
    pub(super) fn outline_tree(&self) -> Vec<OutlineNode> {
        let name = file_name(&self.path);
        let scene = &self.pfscene;
        let factions = (0..scene.factions.len() as u32)
            .chain(self.unknown_factions())
            .filter_map(|index| {
                let name = FactionAt::new(self, index)?.name();
                Some((name, SceneItem::Faction { index }))
            });
        let mut factions = self.kind_lines(factions);
        for (line, faction) in factions.iter_mut().zip(&scene.factions) {
            line.swatch = faction_color(faction).map(Swatch::Color);
        }
        let classes = (0..)
            .zip(&self.classes)
            .map(|(index, class)| (class.clone(), SceneItem::Class { index }));
        let models = (0..self.models.len() as u32).filter_map(|index| {
            let name = ModelAt::new(self, index)?.name().to_owned();
            Some((name, SceneItem::Model { index }))
        });
        let regions = (0..)
            .zip(&scene.regions)
            .map(|(index, region)| self.line(region.name.clone(), SceneItem::Region { index }));
        let cameras = (0..)
            .zip(&scene.cameras)
            .map(|(index, camera)| self.line(camera.name.clone(), SceneItem::Camera { index }));
        let mut lines = vec![
            self.line(name, SceneItem::Scene),
            heading("Factions", factions),
            heading("Classes", self.kind_lines(classes)),
            heading("Models", self.kind_lines(models)),
            heading("Regions", regions.collect()),
            heading("Cameras", cameras.collect()),
        ];
        lines.retain(|line| line.item.is_some() || !line.children.is_empty());
        if let Some(terrain) = self.terrain() {
            lines.push(heading("Map", terrain.outline()));
        }
        lines
    }

    /// The line of an item in the outline.
    fn line(&self, label: String, item: SceneItem) -> OutlineNode {
        let described = self.described(item.into(), Playhead::default());
        let note = described.map(|record| record.note());
        leaf(label, item.into(), note.unwrap_or_default())
    }

    fn entity_lines(&self, kind: SceneItem) -> Vec<OutlineNode> {
        let lines = self.members(kind).iter().filter_map(|&index| {
            let entity = self.pfscene.entities.get(index as usize)?;
            let label = format!("{index} {}", entity.name);
            Some(self.line(label, SceneItem::Entity { index }))
        });
        capped(lines.collect(), MAX_LISTED)
    }

    /// A line for each of several kinds, with their entities below.
    fn kind_lines(&self, kinds: impl Iterator<Item = (String, SceneItem)>) -> Vec<OutlineNode> {
        let lines = kinds.map(|(label, item)| OutlineNode {
            children: self.entity_lines(item),
            ..self.line(label, item)
        });
        lines.collect()
    }
}
