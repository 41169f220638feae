//! Overlays: optional ways to display a document.

use std::fmt;
use std::str::FromStr;

/// Generates the overlay identifiers, and their written form, from one table.
macro_rules! overlay_ids {
    ($($name:ident $id:literal),+ $(,)?) => {
        /// Identifier of an overlay. Overlays that several kinds of document offer share one
        /// identifier.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "`Overlay::help` describes each")]
        pub enum OverlayId { $($name),+ }

        impl OverlayId {
            /// All overlays.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name in settings and for `--overlay`, such as `tile-types`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }
        }
    };
}

overlay_ids! {
    BackFaces "back-faces",
    BindBounds "bind-bounds",
    Cameras "cameras",
    Cells "cells",
    ChunkBorders "chunk-borders",
    Circles "circles",
    Colliders "colliders",
    Cover "cover",
    CubeTypes "cube-types",
    EngineTextures "engine-textures",
    Entities "entities",
    Environments "environments",
    FrameBounds "frame-bounds",
    Grid "grid",
    GroundTile "ground-tile",
    Height "height",
    HeightScale "height-scale",
    JointNames "joint-names",
    JointPaths "joint-paths",
    JointWeights "joint-weights",
    LayerFrames "layer-frames",
    LeftOut "left-out",
    LightProbes "light-probes",
    Lightmap "lightmap",
    Logic "logic",
    MaterialColors "material-colors",
    NormalLines "normal-lines",
    Navigation "navigation",
    Normals "normals",
    Obstruction "obstruction",
    OctreeDepth "octree-depth",
    OnionSkin "onion-skin",
    Pathable "pathable",
    Paths "paths",
    PixelGrid "pixel-grid",
    Regions "regions",
    ReversedTriangles "reversed-triangles",
    Seams "seams",
    ServerRegions "server-regions",
    Skeleton "skeleton",
    Still "still",
    TileGrid "tile-grid",
    TileTypes "tile-types",
    TwoSided "two-sided",
    Unlit "unlit",
    UvChecker "uv-checker",
    Visibility "visibility",
    Wireframe "wireframe",
    Zones "zones",
}

impl fmt::Display for OverlayId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for OverlayId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let named = Self::ALL.iter().find(|id| id.as_str() == text);
        named.copied().ok_or(())
    }
}

/// An overlay as a document offers it.
#[derive(Debug, Clone, Copy)]
pub struct Overlay {
    /// Its identifier.
    pub id: OverlayId,
    /// Its display name.
    pub name: &'static str,
    /// A sentence that describes its effect.
    pub help: &'static str,
    /// `true` if it colours the surface; only one such overlay is active at a time.
    pub colors_surface: bool,
    /// `true` if it is active by default.
    pub on_by_default: bool,
}

/// Builds the overlays that a document offers. Each has an identifier, a name and a help text, then
/// optionally `surface` if it colours the surface, or `on` if it is active by default.
macro_rules! overlays {
    (@colors surface) => { true };
    (@colors $($other:ident)?) => { false };
    (@first on) => { true };
    (@first $($other:ident)?) => { false };
    ($($id:ident $name:literal $help:tt $($mark:ident)?,)+) => {
        [$($crate::Overlay {
            id: $crate::OverlayId::$id,
            name: $name,
            help: $help,
            colors_surface: $crate::core::overlay::overlays!(@colors $($mark)?),
            on_by_default: $crate::core::overlay::overlays!(@first $($mark)?),
        }),+]
    };
}

pub(crate) use overlays;

/// Help text of the overlay for unread content, shared by levels and 2D maps.
pub(crate) const LEFT_OUT_HELP: &str =
    "Outline unread parts: chunks and cubes of levels, tiles of 2D maps";

/// Concatenates two tables of overlays; `COUNT` is the sum of their lengths.
pub(crate) const fn joined<const COUNT: usize>(
    first: &[Overlay],
    second: &[Overlay],
) -> [Overlay; COUNT] {
    let mut all = [first[0]; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < first.len() {
            first[at]
        } else {
            second[at - first.len()]
        };
        at += 1;
    }
    all
}

/// Changes from the default state of a document's overlays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverlaySet {
    /// Overlays that were switched on.
    ids: Vec<OverlayId>,
    /// Overlays that are active by default and were switched off.
    off: Vec<OverlayId>,
}

impl OverlaySet {
    /// `true` if an overlay of a document is active.
    pub fn is_on(&self, overlay: &Overlay) -> bool {
        if overlay.on_by_default {
            !self.is_off(overlay.id)
        } else {
            self.contains(overlay.id)
        }
    }

    /// `true` if an overlay that is active by default was switched off.
    pub fn is_off(&self, id: OverlayId) -> bool {
        self.off.contains(&id)
    }

    /// `true` if an overlay that is inactive by default was switched on.
    pub fn contains(&self, id: OverlayId) -> bool {
        self.ids.contains(&id)
    }

    /// Switches an overlay on or off. An overlay that colours the surface turns off the others that
    /// do.
    pub fn set(&mut self, offered: &[Overlay], id: OverlayId, on: bool) {
        let Some(overlay) = offered.iter().find(|overlay| overlay.id == id) else {
            return;
        };
        let is_shut_out = |other: OverlayId| {
            let colors = |o: &Overlay| o.id == other && o.colors_surface;
            on && overlay.colors_surface && offered.iter().any(colors)
        };
        self.ids
            .retain(|other| *other != id && !is_shut_out(*other));
        self.off.retain(|other| *other != id);
        match (on, overlay.on_by_default) {
            (true, false) => self.ids.push(id),
            (false, true) => self.off.push(id),
            (true, true) | (false, false) => {}
        }
    }

    /// Returns the changes that still apply in a document with the overlays `offered`.
    pub fn kept_for(&self, offered: &[Overlay]) -> Self {
        let mut kept = Self::default();
        for id in &self.ids {
            kept.set(offered, *id, true);
        }
        for id in &self.off {
            kept.set(offered, *id, false);
        }
        kept
    }

    /// The overlays that were switched on, in that order.
    pub fn iter(&self) -> impl Iterator<Item = OverlayId> + '_ {
        self.ids.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_at_first_stays_off_once_it_was_switched_off() {
        let scene = overlays![
            Entities "Entities" "What stands on the map" on,
            Regions "Regions" "Regions",
        ];
        let level = overlays![Entities "Entities" "Markers",];
        let on = |set: &OverlaySet, offered: &[Overlay]| -> Vec<OverlayId> {
            let on = offered.iter().filter(|overlay| set.is_on(overlay));
            on.map(|overlay| overlay.id).collect()
        };
        let mut set = OverlaySet::default();
        assert_eq!(on(&set, &scene), [OverlayId::Entities]);
        assert_eq!(on(&set, &level), []);
        set.set(&scene, OverlayId::Regions, true);
        set.set(&scene, OverlayId::Entities, false);
        assert_eq!(on(&set.kept_for(&scene), &scene), [OverlayId::Regions]);
        assert_eq!(on(&set.kept_for(&level), &level), []);
        set.set(&scene, OverlayId::Entities, true);
        assert_eq!(on(&set, &scene), [OverlayId::Entities, OverlayId::Regions]);
        // An overlay switched on elsewhere is in its default state where it is active by default.
        let mut of_level = OverlaySet::default();
        of_level.set(&level, OverlayId::Entities, true);
        assert_eq!(of_level.kept_for(&scene), OverlaySet::default());
    }
}
