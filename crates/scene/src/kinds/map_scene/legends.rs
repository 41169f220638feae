//! Legends of the overlays and of the map.

use super::MapScene;
use super::document::OWN_OVERLAYS;
use super::overlays::{CAMERA, MISSING, REGION, SELECTION, VISION};
use crate::{Document as _, Legend, LegendEntry, OverlayId, Shown};

impl MapScene {
    /// Legends of the active overlays, with those of the map.
    pub(super) fn legend_list(&self, shown: &Shown) -> Vec<Legend> {
        let some = |is_there: bool, color, label| -> Vec<LegendEntry> {
            let entry = is_there.then(|| LegendEntry::new(color, label));
            entry.into_iter().collect()
        };
        let own = Legend::of_overlays(&OWN_OVERLAYS, &shown.overlays, |id| match id {
            OverlayId::Regions => some(
                !self.pfscene.regions.is_empty(),
                REGION,
                "Outline of a region",
            ),
            OverlayId::Cameras => some(
                !self.cameras.is_empty(),
                CAMERA,
                "Place and view of a camera",
            ),
            OverlayId::Circles => {
                let [selection, vision] = self.has_circles;
                let selection = some(selection, SELECTION, "Selection circle");
                let vision = some(vision, VISION, "Vision range");
                [selection, vision].concat()
            }
            OverlayId::Entities => some(self.missing_count() > 0, MISSING, "Missing model"),
            id => {
                let selected = self.selected_entity(shown);
                selected.map_or_else(Vec::new, |entity| entity.model_colors(id, shown))
            }
        });
        let mut legends = own;
        let ground = self.terrain().map(|terrain| terrain.legends(shown));
        legends.extend(ground.into_iter().flatten());
        legends
    }
}
