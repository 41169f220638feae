//! The lightmaps of a level as images, with the faces that they light.

use glam::Vec2;

use super::Map;
use super::mesh::{ChunkMesh, MeshFace};
use crate::{LevelItem, LightmapFace, LightmapInfo, Shown};
use mapscope_formats::pmf::{ChunkData, Cube};

/// Maximum number of listed lightmaps.
const MAX_LIGHTMAPS: usize = 1 << 14;

impl ChunkMesh {
    /// Returns the faces that have a lightmap, with its index.
    pub(super) fn faces_with_lightmaps(
        &self,
        data: &ChunkData,
    ) -> impl Iterator<Item = (&MeshFace, u8)> {
        let client = data.client.as_ref();
        let lightmaps = client.map_or(0, |client| client.lightmaps.len());
        self.faces.iter().filter_map(move |face| {
            let Cube::Geometry(geometry) = data.cubes.get(face.cube)? else {
                return None;
            };
            let lightmap = *geometry.lightmaps.get(usize::from(face.side))?;
            (usize::from(lightmap) < lightmaps).then_some((face, lightmap))
        })
    }
}

impl Map {
    /// Returns the lightmaps of a level, chunk by chunk.
    pub(super) fn lightmap_list(&self, level: usize) -> Vec<LightmapInfo> {
        let level = self.level_at(level).into_iter();
        let lightmaps = level.flat_map(|level| {
            self.chunks_of(level.number).flat_map(move |at| {
                let slots = level.data.atlas.slots(at.number);
                let mut faces = vec![0_usize; slots.len()];
                let mesh = level.data.mesh(at.number).zip(at.data()).into_iter();
                let lit = mesh.flat_map(|(mesh, data)| mesh.faces_with_lightmaps(data));
                for (_, lightmap) in lit {
                    if let Some(count) = faces.get_mut(usize::from(lightmap)) {
                        *count += 1;
                    }
                }
                let lightmaps = slots.iter().zip(faces).enumerate();
                lightmaps.map(move |(index, (slot, faces))| LightmapInfo {
                    item: at.lightmap_item(index).into(),
                    name: format!("Chunk {}, lightmap {index}", at.chunk.index),
                    size: [slot.side.into(); 2],
                    faces,
                })
            })
        });
        lightmaps.take(MAX_LIGHTMAPS).collect()
    }

    /// Returns the image of a lightmap with its active lights, as RGBA bytes from the top left.
    pub(super) fn lit_pixels(&self, lightmap: LevelItem, shown: &Shown) -> Option<Vec<u8>> {
        let LevelItem::Lightmap { index, .. } = lightmap else {
            return None;
        };
        let at = self.chunk_of(lightmap)?;
        let atlas = &self.levels.get(at.level_number)?.atlas;
        let slot = atlas.slots(at.number).get(index as usize)?;
        let lighting = self.lighting(shown, at.level_number)?;
        let painted = lighting.paint(at.number, index as usize)?;
        let rows = painted.luxels.chunks_exact(painted.side as usize * 4);
        let (border, inside) = (usize::from(slot.border), usize::from(slot.side));
        let rows = rows
            .skip(border)
            .take(inside)
            .flat_map(|row| row.iter().skip(border * 4).take(inside * 4));
        Some(rows.copied().collect())
    }

    /// Returns the faces that a lightmap lights.
    pub(super) fn faces_on_lightmap(&self, lightmap: LevelItem) -> Vec<LightmapFace> {
        self.lit_faces(lightmap, |mesh, data, face, item| {
            let client = data.client.as_ref()?;
            let indices = mesh.indices.get(face.indices())?;
            let uv = |index: &u32| {
                let at = face
                    .file_vertex
                    .checked_add(index.checked_sub(face.first_vertex)?)?;
                let uv = Vec2::from(client.vertices.get(at as usize)?.lightmap_uv);
                uv.is_finite().then_some(uv)
            };
            let (triangles, _) = indices.as_chunks::<3>();
            let triangles = triangles
                .iter()
                .filter_map(|[a, b, c]| Some([uv(a)?, uv(b)?, uv(c)?]));
            Some(LightmapFace {
                item: item.into(),
                triangles: triangles.collect(),
            })
        })
    }

    /// Maps each face that a lightmap lights with `make`.
    pub(super) fn lit_faces<T>(
        &self,
        lightmap: LevelItem,
        make: impl Fn(&ChunkMesh, &ChunkData, &MeshFace, LevelItem) -> Option<T>,
    ) -> Vec<T> {
        let (LevelItem::Lightmap { index: wanted, .. }, Some(at)) =
            (lightmap, self.chunk_of(lightmap))
        else {
            return Vec::new();
        };
        let level = self.levels.get(at.level_number);
        let mesh = level.and_then(|level| level.mesh(at.number));
        let Some((mesh, data)) = mesh.zip(at.data()) else {
            return Vec::new();
        };
        let faces = mesh
            .faces_with_lightmaps(data)
            .filter(|(_, lightmap)| u32::from(*lightmap) == wanted);
        let made = faces
            .filter_map(|(face, _)| make(mesh, data, face, at.face_item(face.cube, face.side)));
        made.collect()
    }
}
