//! Vertex colours that depend on view settings: fast lights, dimming outside a cube's visibility,
//! and overlay colours of faces.

use super::legends::type_color;
use super::lights::ChunkLight;
use super::mesh::{ChunkMesh, MeshFace};
use super::{Map, colors};
use crate::{LevelItem, OverlayId, Overrides, Shown};
use mapscope_formats::pmf::{Cube, Geometry};

/// No fast light, and no dimming.
pub const PLAIN: [u8; 4] = [0, 0, 0, 255];
/// Remaining light where a visibility cube does not see.
const DIMMED_BRIGHTNESS: u8 = 70;

/// Red, green, blue and a brightness factor for the vertices of a chunk.
///
/// On normal surfaces, the colour is light that is added to that of the lightmap. With overlays
/// that give each face a colour, it is that colour. The fourth number scales the light: 255 is full
/// brightness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tint {
    /// The same for all vertices.
    Same([u8; 4]),
    /// One for each vertex.
    Each(Vec<[u8; 4]>),
}

/// Sources of tint colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Colors {
    /// Light.
    #[default]
    Light,
    /// Octree depth of the cube.
    Depth,
    /// Wrapper of the cube.
    Type,
    Material,
}

impl Colors {
    fn of(shown: &Shown) -> Self {
        let all = [
            (OverlayId::OctreeDepth, Self::Depth),
            (OverlayId::CubeTypes, Self::Type),
            (OverlayId::MaterialColors, Self::Material),
        ];
        let on = all.iter().find(|(id, _)| shown.overlays.contains(*id));
        on.map_or(Self::Light, |(_, colors)| *colors)
    }
}

/// Cache key of tints: equal keys give equal tints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TintKey {
    colors: Colors,
    lights: Overrides,
    /// Visibility cube of the view; everything that it does not see is dimmed.
    seen_from: Option<LevelItem>,
}

impl Map {
    /// Returns the cache key for the tints of a level.
    pub fn tint_key(&self, shown: &Shown) -> TintKey {
        let colors = Colors::of(shown);
        let lights = if colors == Colors::Light {
            shown.lights.clone()
        } else {
            Overrides::default()
        };
        TintKey {
            colors,
            lights,
            seen_from: self.seen_from(shown),
        }
    }

    /// Computes the tint of a chunk of a level.
    pub fn tint(&self, shown: &Shown, level: usize, mesh: &ChunkMesh) -> Tint {
        let colors = match Colors::of(shown) {
            Colors::Light => self.fast_light(shown, level, mesh),
            colors => self.face_colors(colors, level, mesh),
        };
        let tint = colors.unwrap_or(Tint::Same(PLAIN));
        self.dimmed(shown, level, mesh, tint)
    }

    /// Computes a colour for each face of a chunk.
    fn face_colors(&self, colors: Colors, level: usize, mesh: &ChunkMesh) -> Option<Tint> {
        let (data, source) = self.level(level)?;
        let cubes = &self.chunk_data(level, mesh.chunk)?.cubes;
        let places = data.places(source, mesh.chunk)?;
        let steps = self.depth_steps();
        let of_face = |face: &MeshFace| match colors {
            Colors::Light => [0; 3],
            Colors::Depth => colors::step(places.depth(face.cube).into(), steps),
            Colors::Type => {
                let is_extended = matches!(cubes.get(face.cube), Some(Cube::Geometry(geometry))
                    if Geometry::is_common_extended(geometry) || geometry.is_client_extended());
                type_color(places.wrapper(face.cube), is_extended)
            }
            Colors::Material => {
                let material = mesh.material_of(face).map(usize::from);
                let color = material.and_then(|material| data.material_colors().get(material));
                color.copied().unwrap_or([255, 0, 255])
            }
        };
        let mut tints = vec![PLAIN; mesh.vertices.len()];
        for face in &mesh.faces {
            let [r, g, b] = of_face(face);
            if let Some(tints) = tints.get_mut(mesh.vertex_range(face)) {
                tints.fill([r, g, b, u8::MAX]);
            }
        }
        Some(Tint::Each(tints))
    }

    /// Dims a tint where the selected visibility cube does not see.
    fn dimmed(&self, shown: &Shown, level: usize, mesh: &ChunkMesh, tint: Tint) -> Tint {
        let Some(seen) = self.seen(shown).filter(|_| level == shown.level) else {
            return tint;
        };
        let data = self.chunk_data(level, mesh.chunk);
        let seen_of_chunk = seen.chunks.get(&mesh.chunk).zip(data);
        let visible_cubes = seen_of_chunk
            .map(|(seen, data)| seen.visible_cubes(&data.cubes))
            .unwrap_or_default();
        let is_seen = |face: &MeshFace| visible_cubes.get(face.cube as usize) == Some(&true);
        if mesh.faces.iter().all(is_seen) {
            return tint;
        }
        let mut tints = match tint {
            Tint::Each(tints) => tints,
            Tint::Same(tint) => vec![tint; mesh.vertices.len()],
        };
        for face in mesh.faces.iter().filter(|face| !is_seen(face)) {
            for tint in tints.get_mut(mesh.vertex_range(face)).unwrap_or_default() {
                tint[3] = DIMMED_BRIGHTNESS;
            }
        }
        Tint::Each(tints)
    }

    /// Computes the light of fast lights on a chunk, or returns `None` if there is none.
    fn fast_light(&self, shown: &Shown, level: usize, mesh: &ChunkMesh) -> Option<Tint> {
        let data = self.chunk_data(level, mesh.chunk)?;
        let client = data.client.as_ref()?;
        let intensities = data.fast_lights.iter();
        let intensities =
            intensities.map(|light| ChunkLight::from(light).shown_intensity(shown, level));
        let intensities: Vec<u8> = intensities.collect();
        let lights = client.fast_lights.iter().zip(&intensities);
        let mut shining = lights.filter(|(light, i)| **i > 0 && light.ranges().next().is_some());
        shining.next()?;
        Some(Tint::Each(mesh.fast_light(client, &intensities)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Levels as _;
    use crate::kinds::level::lights::LightKind;
    use crate::kinds::level::place::Place;
    use crate::kinds::level::sample;
    use mapscope_formats::pmf::{CubeKind, Cubes};

    fn with(map: &Map, overlay: OverlayId) -> Shown {
        let mut shown = Shown::default();
        shown.overlays.set(map.about.overlays, overlay, true);
        shown
    }

    #[test]
    fn faces_have_the_colors_that_the_legend_explains() {
        let map = sample::made_up();
        for overlay in [
            OverlayId::OctreeDepth,
            OverlayId::CubeTypes,
            OverlayId::MaterialColors,
        ] {
            let shown = with(&map, overlay);
            assert!(map.tint_key(&shown) != map.tint_key(&Shown::default()));
            let legend = map.legend_of(overlay);
            let mut used = std::collections::BTreeSet::new();
            for mesh in &map.levels()[0].chunks {
                let Tint::Each(tints) = map.tint(&shown, 0, mesh) else {
                    panic!("{overlay}");
                };
                for face in &mesh.faces {
                    let tint = tints[mesh.vertex_range(face).start];
                    let [r, g, b, 255] = tint else {
                        panic!("{overlay} {tint:?}");
                    };
                    let entry = legend.iter().find(|entry| entry.color == Some([r, g, b]));
                    used.insert(&entry.unwrap().label);
                }
            }
            // All boxes of the sample have the same depth.
            let least = if overlay == OverlayId::OctreeDepth {
                1
            } else {
                2
            };
            assert!(used.len() >= least, "{overlay}: {used:?}");
        }
    }

    #[test]
    fn depths_are_those_of_the_tree() {
        let map = sample::made_up();
        let shown = with(&map, OverlayId::OctreeDepth);
        let mesh = &map.levels()[0].chunks[0];
        let Tint::Each(tints) = map.tint(&shown, 0, mesh) else {
            panic!("no colours");
        };
        let legend = map.legend_of(OverlayId::OctreeDepth);
        for face in mesh.faces.iter().step_by(7) {
            let item = LevelItem::cube(0, mesh.chunk, face.cube);
            let (cube, _) = map.cube_at(item).unwrap();
            let depth = cube.place().unwrap().cell.depth;
            let [r, g, b, _] = tints[mesh.vertex_range(face).start];
            assert_eq!(legend[usize::from(depth)].color, Some([r, g, b]));
            assert_eq!(legend[usize::from(depth)].label, format!("Depth {depth}"));
        }
    }

    #[test]
    fn what_a_visibility_cube_does_not_list_is_dimmed() {
        let map = sample::made_up();
        let level = &map.pmf().levels[0];
        let cubes = &level.chunks[0].data.as_ref().unwrap().cubes;
        let is_vis = |cube: &u32| cubes.kind(*cube) == Some(CubeKind::VisInfo);
        let vis = (0..cubes.len() as u32).find(is_vis).unwrap();
        let Some(Cube::VisInfo(info)) = cubes.get(vis) else {
            panic!("no visibility cube");
        };
        let listed = cubes.visible_cubes(info).to_vec();
        let mut shown = with(&map, OverlayId::Visibility);
        let plain = map.tint_key(&shown);
        shown.selected = Some(LevelItem::cube(0, 0, vis).into());
        assert!(map.tint_key(&shown) != plain);
        let mut found = [0, 0];
        for mesh in &map.levels()[0].chunks {
            let tint = map.tint(&shown, 0, mesh);
            let data = level.chunks[mesh.chunk].data.as_ref().unwrap();
            let others: Vec<_> = cubes.visible_chunks(info).iter().collect();
            for face in &mesh.faces {
                let mut above = Some(face.cube);
                let mut is_seen = false;
                while let Some(cube) = above {
                    // A cube also sees its own contents, listed or not.
                    is_seen |= mesh.chunk == 0 && (cube == vis || listed.contains(&cube));
                    is_seen |= others.iter().any(|other| {
                        let seen = cubes.visible_chunk_cubes(other);
                        level.chunk_number(other.chunk) == Some(mesh.chunk)
                            && (seen.is_empty() || seen.contains(&cube))
                    });
                    above = data.cubes.above(cube);
                }
                let alpha = match &tint {
                    Tint::Same(tint) => tint[3],
                    Tint::Each(tints) => tints[mesh.vertex_range(face).start][3],
                };
                assert_eq!(alpha, if is_seen { 255 } else { DIMMED_BRIGHTNESS });
                found[usize::from(is_seen)] += 1;
            }
        }
        assert!(found[1] > 0, "{found:?}");
        // Without a selection, the cube that contains the eye is used.
        let (data, source) = map.level(0).unwrap();
        let place = Place::find(cubes, vis, source.chunk_side() * 0.5).unwrap();
        let center = source.chunk_center(source.chunks[0].index);
        let eye = place.cell_in_world(center.into()).center();
        let key = map.tint_key(&shown);
        shown.selected = None;
        assert_eq!(map.tint_key(&shown), plain);
        shown.visibility_from = map.visibility_at(eye, &shown);
        assert_eq!(map.tint_key(&shown), key);
        assert_eq!(map.visibility_at(data.bounds.max + 99.0, &shown), None);
        shown.visibility_from = None;
        // A cube inside a visibility cube has the same effect.
        shown.selected = Some(LevelItem::cube(0, 0, info.child.unwrap()).into());
        assert_eq!(map.tint_key(&shown), key);
    }

    #[test]
    fn what_is_in_a_visibility_cube_stays_lit_though_it_sees_nothing_else() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        // The whole first chunk, in a cube that sees only itself.
        let data = pmf.levels[0].chunks[0].data.as_mut().unwrap();
        let mut cubes = Cubes::default();
        cubes.push_vis_info(1, [], &[]);
        let mut geometry = Geometry::new(0, 0, 0);
        geometry.triangles[1] = 2;
        cubes.push_geometry(geometry, &[]);
        cubes.link().unwrap();
        data.cubes = cubes;
        let map = sample::map(pmf);
        let mut shown = with(&map, OverlayId::Visibility);
        shown.selected = Some(LevelItem::cube(0, 0, 0).into());
        let dimmed: Vec<bool> = (map.levels()[0].chunks.iter())
            .map(|mesh| match map.tint(&shown, 0, mesh) {
                Tint::Same(tint) => tint[3] != 255,
                Tint::Each(tints) => tints.iter().any(|tint| tint[3] != 255),
            })
            .collect();
        assert_eq!(dimmed, [false, true]);
    }

    #[test]
    fn fast_lights_tint_until_they_are_put_out() {
        let map = sample::made_up();
        let mesh = &map.levels()[0].chunks[0];
        let mut shown = Shown::default();
        let key = map.tint_key(&shown);
        let Tint::Each(tints) = map.tint(&shown, 0, mesh) else {
            panic!("the light of the sample shines");
        };
        assert_eq!(tints.len(), mesh.vertices.len());
        let brightest = |tints: &[[u8; 4]]| tints.iter().map(|tint| tint[2]).max();
        let data = map.pmf().levels[0].chunks[mesh.chunk]
            .data
            .as_ref()
            .unwrap();
        let light = LightKind::Fast.item(0, data.fast_lights[0].id).into();
        shown.lights.set(light, Some(20));
        assert!(map.tint_key(&shown) != key);
        let Tint::Each(dimmed) = map.tint(&shown, 0, mesh) else {
            panic!("it still shines a little");
        };
        assert!(brightest(&dimmed) < brightest(&tints));
        shown.lights.set(light, Some(0));
        assert_eq!(map.tint(&shown, 0, mesh), Tint::Same(PLAIN));
    }
}
