//! Map geometry that is only needed nearby and takes longest to compute.

use super::{SKYBOX_PLACE, Terrain};
use crate::{Deferred, Pending};
use std::ops::Range;

use glam::Vec3;

use super::pack::{Layers, Packed, TileRecord};
use super::sun::ShadowMap;
use mapscope_formats::pfmap::Pfmap;

/// The faces of a map, and the shadow that it casts on itself.
#[derive(Debug)]
pub struct Relief {
    /// Its faces.
    pub packed: Packed,
    /// The shadow of terrain on terrain.
    pub shadow: ShadowMap,
    /// `true` if faces and shadow are missing and only the heights of chunks are known. The map can
    /// then be drawn only as from far away.
    pub is_coarse: bool,
}

impl Relief {
    /// The part of the relief that is available at once.
    pub(super) fn coarse(map: &Pfmap) -> Self {
        Self {
            packed: Packed::without_faces(map),
            shadow: ShadowMap::none(),
            is_coarse: true,
        }
    }

    /// The faces of the tiles in the rows and columns of `drawn`, and the shadow of all tiles.
    /// `to_sun` is the unit vector toward the sun; `None` if it casts no shadows.
    pub(super) fn whole(
        map: &Pfmap,
        tiles: &[TileRecord],
        layers: &Layers<'_>,
        to_sun: Option<Vec3>,
        drawn: &[Range<u32>; 2],
    ) -> Self {
        let (shadow, shaded) = ShadowMap::cast(map, to_sun);
        Self {
            packed: Packed::list(map, tiles, layers, &shaded, drawn),
            shadow,
            is_coarse: false,
        }
    }

    /// Bytes of memory that it holds.
    pub(super) fn cpu_bytes(&self) -> usize {
        let packed = &self.packed;
        size_of_val(packed.rects.as_slice())
            + size_of_val(packed.tops.as_slice())
            + size_of_val(packed.sides.as_slice())
            + size_of_val(packed.chunks.as_slice())
            + self.shadow.heights.bytes().len()
    }
}

impl Deferred for Terrain {
    fn revision(&self) -> u64 {
        u64::from(self.whole_relief.get().is_some()) + self.environment.revision()
    }

    fn pending(&self) -> Option<Pending> {
        let of_relief = self.relief().is_coarse.then_some(Pending::Relief);
        of_relief.or_else(|| self.environment.pending())
    }

    fn load(&self, keep_going: &(dyn Fn() -> bool + Sync), on_part: &(dyn Fn() + Sync)) {
        if self.relief().is_coarse && keep_going() {
            // The outline lists the islands: of a large map now, of a small one from the start.
            self.navigation();
            self.make_relief();
            on_part();
        }
        let (about, whole) = (&self.about, &self.whole_about);
        self.environment
            .complete(about, whole, SKYBOX_PLACE, keep_going, on_part);
    }

    fn bytes(&self) -> u64 {
        let relief = self.whole_relief.get();
        relief.map_or(0, |relief| relief.cpu_bytes() as u64) + self.environment.cpu_bytes()
    }
}
