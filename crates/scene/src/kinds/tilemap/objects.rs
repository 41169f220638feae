//! The kinds of objects on a map: names, colours and overlays.

use super::ObjectKind;
use crate::OverlayId;

/// Names, colour and overlay of a kind of object.
pub(super) struct KindInfo {
    /// Singular name.
    pub(super) title: &'static str,
    /// Plural name.
    pub(super) list: &'static str,
    /// Its entry in the legend; empty for areas, which have the colours of their zones.
    pub(super) legend: &'static str,
    /// The colour of its lines.
    pub(super) color: [u8; 3],
    /// The overlay that shows it.
    pub(super) overlay: OverlayId,
}

impl ObjectKind {
    /// All kinds, in the order of lists.
    pub(super) const ALL: [Self; 6] = [
        Self::ZoneArea,
        Self::Entity,
        Self::Waypoint,
        Self::Sprite,
        Self::Box,
        Self::Line,
    ];

    /// Its names, colour and overlay.
    pub(super) fn said(self) -> KindInfo {
        let (title, list, color) = match self {
            Self::ZoneArea => ("Zone area", "Zone areas", [160, 190, 240]),
            Self::Entity => ("Entity", "Entities", [255, 214, 90]),
            Self::Waypoint => ("Waypoint", "Waypoints", [90, 225, 225]),
            Self::Sprite => ("Sprite", "Sprites", [120, 224, 120]),
            Self::Box => ("Box", "Boxes", [255, 128, 100]),
            Self::Line => ("Line", "Lines", [230, 130, 255]),
        };
        let (legend, overlay) = match self {
            Self::ZoneArea => ("", OverlayId::Zones),
            Self::Entity => ("Entity, with its direction", OverlayId::Entities),
            _ => (title, OverlayId::Entities),
        };
        KindInfo {
            title,
            list,
            legend,
            color,
            overlay,
        }
    }
}
