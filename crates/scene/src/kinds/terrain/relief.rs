//! What of a map is seen from nearby alone, and takes longer to make than all else.

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
    /// Where terrain shades terrain.
    pub shadow: ShadowMap,
    /// Whether there are neither, and all that is known is how high its chunks are: it can be drawn
    /// as if from far away.
    pub is_coarse: bool,
}

impl Relief {
    /// What of a map is known at once.
    pub(super) fn coarse(map: &Pfmap) -> Self {
        Self {
            packed: Packed::without_faces(map),
            shadow: ShadowMap::none(),
            is_coarse: true,
        }
    }

    /// The faces of the tiles in the rows and columns of `drawn`, and the shadow of all tiles in the
    /// light of a sun. `to_sun` is the unit vector toward it; none where it casts no shadows.
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
