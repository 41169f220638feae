//! Overlays: ways of looking at a document that can be switched on and off.

use std::fmt;
use std::str::FromStr;

/// Makes the identifiers of overlays, and how they are written, of one table.
macro_rules! overlay_ids {
    ($($name:ident $id:literal),+ $(,)?) => {
        /// Which overlay it is. Those that several kinds of document offer are the same.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "documents say what each shows: `Overlay::help`")]
        pub enum OverlayId { $($name),+ }

        impl OverlayId {
            /// Every overlay.
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
    JointWeights "joint-weights",
    LayerFrames "layer-frames",
    LightProbes "light-probes",
    Lightmap "lightmap",
    Logic "logic",
    MaterialColors "material-colors",
    NormalLines "normal-lines",
    Navigation "navigation",
    Normals "normals",
    Obstruction "obstruction",
    OctreeDepth "octree-depth",
    Pathable "pathable",
    Paths "paths",
    PixelGrid "pixel-grid",
    Regions "regions",
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
    /// Which it is.
    pub id: OverlayId,
    /// Its name for people.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub help: &'static str,
    /// Whether it colours the surface: of such overlays only one is on.
    pub colors_surface: bool,
}

/// Overlays as a document offers them: of each its identifier, its name and what it does, and
/// `surface` where it colours the surface.
macro_rules! overlays {
    (@colors surface) => { true };
    (@colors) => { false };
    ($($id:ident $name:literal $help:literal $($surface:ident)?,)+) => {
        [$($crate::Overlay {
            id: $crate::OverlayId::$id,
            name: $name,
            help: $help,
            colors_surface: $crate::overlay::overlays!(@colors $($surface)?),
        }),+]
    };
}

pub(crate) use overlays;

/// The overlays of two tables, of so many in all.
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

/// Which of a document's overlays are on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverlaySet {
    ids: Vec<OverlayId>,
}

impl OverlaySet {
    /// Whether an overlay is on.
    pub fn contains(&self, id: OverlayId) -> bool {
        self.ids.contains(&id)
    }

    /// Switches an overlay on or off; one that colours the surface turns off the others that do.
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
        if on {
            self.ids.push(id);
        }
    }

    /// The overlays that are on, in the order in which they were switched on.
    pub fn iter(&self) -> impl Iterator<Item = OverlayId> + '_ {
        self.ids.iter().copied()
    }
}
