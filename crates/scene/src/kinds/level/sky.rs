//! Sky regions: parts of a level with another sky than the default one.

use glam::{Vec3, Vec4};

use super::{Level, Map};
use mapscope_formats::pmf::{self, Corners, LevelClient, SIDE_CORNERS, corner_signs};

/// A part of a level with its own sky.
#[derive(Debug)]
pub(super) struct SkyRegion {
    /// Index of the sky in the level.
    sky: u16,
    /// Outward planes in world space. A point that is in front of none of the planes is inside.
    planes: [Vec4; 6],
}

/// Returns the sky regions of a level, in file order.
pub(super) fn regions(level: &pmf::Level) -> Vec<SkyRegion> {
    let Some(client) = &level.client else {
        return Vec::new();
    };
    let names: Vec<Option<&[u8]>> = names(client).collect();
    let mut regions = Vec::new();
    for chunk in &level.chunks {
        let Some(data) = chunk.data.as_deref() else {
            continue;
        };
        let center = Vec3::from(level.chunk_center(chunk.index));
        for region in data.client.iter().flat_map(|client| &client.sky_regions) {
            let name = data.strings.name(region.environment);
            let mut skies = names.iter();
            if let Some(sky) = skies.position(|other| name.is_some() && *other == name)
                && let Some(planes) = hull(&region.corners, center)
            {
                let sky = sky as u16;
                regions.push(SkyRegion { sky, planes });
            }
        }
    }
    regions
}

fn names(client: &LevelClient) -> impl Iterator<Item = Option<&[u8]>> {
    let skies = client.skies.iter();
    skies.map(|sky| client.strings.name(sky.name))
}

/// Returns the side planes of a box with movable corners, or `None` if a corner is not finite.
fn hull(corners: &Corners, center: Vec3) -> Option<[Vec4; 6]> {
    if !corners.as_flattened().iter().all(|place| place.is_finite()) {
        return None;
    }
    // Swaps corners that are on the wrong side of each other (fact sheet B34).
    let corner = |k: usize| {
        let signs = corner_signs(k);
        let place: [f32; 3] = std::array::from_fn(|axis| {
            let bit = [1, 4, 2][axis];
            let pair = [corners[k & !bit][axis], corners[k | bit][axis]];
            if signs[axis] > 0.0 {
                pair[0].max(pair[1])
            } else {
                pair[0].min(pair[1])
            }
        });
        Vec3::from(place) + center
    };
    Some(SIDE_CORNERS.map(|around| {
        let [a, b, c, d] = around.map(corner);
        // Outward normal. If the corners are not coplanar, the plane lies between them.
        let normal = (c - a).cross(b - d).normalize_or_zero();
        normal.extend(-normal.dot((a + b + c + d) * 0.25))
    }))
}

impl SkyRegion {
    fn contains(&self, point: Vec3) -> bool {
        let mut planes = self.planes.iter();
        planes.all(|plane| plane.dot(point.extend(1.0)) <= 0.0)
    }
}

impl Level {
    /// Index of the sky at a world position: that of the first region that contains it.
    fn region_sky(&self, point: Vec3) -> Option<usize> {
        let mut regions = self.sky_regions.iter();
        let region = regions.find(|region| region.contains(point))?;
        Some(region.sky.into())
    }
}

impl Map {
    /// Index of the sky of a level that is visible from a world position, or `None` if there is no
    /// sky.
    pub fn sky_at(&self, level: usize, point: Vec3) -> Option<usize> {
        let client = self.pmf.levels.get(level)?.client.as_ref()?;
        let of_region = self.levels.get(level)?.region_sky(point);
        let by_default = || {
            let name = client.strings.name(client.default_sky)?;
            names(client).position(|other| !name.is_empty() && other == Some(name))
        };
        let sky = of_region.or_else(by_default)?;
        (sky < client.skies.len()).then_some(sky)
    }

    /// Returns the level materials on the sides of a sky: +X, +Y, +Z, -X, -Y, -Z.
    pub fn sky_materials(&self, level: usize, sky: usize) -> [Option<usize>; 6] {
        let level = self.pmf.levels.get(level);
        let Some((level, client)) = level.and_then(|level| Some((level, level.client.as_ref()?)))
        else {
            return [None; 6];
        };
        let materials = level.common.materials_by_name();
        let Some(sky) = client.skies.get(sky) else {
            return [None; 6];
        };
        sky.skybox.map(|name| {
            let name = client.strings.name(name).filter(|name| !name.is_empty())?;
            materials.get(name).copied()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::level::sample;

    #[test]
    fn a_region_has_its_own_sky() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 1, 1);
        let level = &mut pmf.levels[0];
        let client = level.client.as_mut().unwrap();
        let day = client.skies[0];
        // A name that the string tables of the chunks contain too.
        let night = pmf::Sky {
            name: client.default_sound,
            ..day
        };
        client.skies.push(night);
        let chunk = &mut level.chunks[1];
        let data = chunk.data.as_mut().unwrap();
        let sounds = &data.client.as_ref().unwrap().sound_regions;
        let echo = sounds[0].environment;
        let corners = std::array::from_fn(|k| corner_signs(k).map(|sign| sign * 3.0));
        let region = pmf::EnvironmentRegion {
            corners,
            environment: echo,
        };
        let regions = &mut data.client.as_mut().unwrap().sky_regions;
        regions.insert(0, region);
        let map = sample::map(pmf);
        let sky = |point: Vec3| map.sky_at(0, point);
        // The second chunk is beside the first one.
        let center = Vec3::new(16.0, 0.0, 0.0);
        assert_eq!(sky(center + 2.9), Some(1));
        assert_eq!(sky(center - 2.9), Some(1));
        assert_eq!(sky(center + Vec3::new(3.1, 0.0, 0.0)), Some(0));
        assert_eq!(sky(Vec3::splat(500.0)), Some(0));
        assert_eq!(
            map.sky_materials(0, map.sky_at(0, center).unwrap()),
            [Some(0); 6]
        );
        assert!(map.sky_at(1, center).is_none());
    }
}
