//! The lightmaps of a level as sheets, with the faces that take their light from them.

use glam::Vec2;

use super::Map;
use super::mesh::{ChunkMesh, MeshFace};
use crate::{LevelItem, LightmapFace, LightmapInfo, Shown};
use mapscope_formats::pmf::{ChunkData, Cube};

/// How many lightmaps are listed.
const MAX_SHEETS: usize = 1 << 14;

impl ChunkMesh {
    /// The faces that have a lightmap, with its index.
    pub(super) fn faces_with_lightmaps(
        &self,
        data: &ChunkData,
    ) -> impl Iterator<Item = (&MeshFace, u8)> {
        let lightmaps = data
            .client
            .as_ref()
            .map_or(0, |client| client.lightmaps.len());
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
    /// The lightmaps of a level, chunk by chunk.
    pub(super) fn sheet_list(&self, level_number: usize) -> Vec<LightmapInfo> {
        let Some((level, source)) = self.level(level_number) else {
            return Vec::new();
        };
        let mut sheets = Vec::new();
        for (number, chunk) in source.chunks.iter().enumerate() {
            let slots = level.atlas.slots(number);
            let Some(data) = chunk.data.as_deref().filter(|_| !slots.is_empty()) else {
                continue;
            };
            let mut faces = vec![0_usize; slots.len()];
            let of_chunk = level.mesh(number).into_iter();
            for (_, lightmap) in of_chunk.flat_map(|mesh| mesh.faces_with_lightmaps(data)) {
                if let Some(count) = faces.get_mut(usize::from(lightmap)) {
                    *count += 1;
                }
            }
            for (index, (slot, faces)) in slots.iter().zip(faces).enumerate() {
                if sheets.len() == MAX_SHEETS {
                    return sheets;
                }
                let item = LevelItem::Lightmap {
                    level: level_number as u32,
                    chunk: number as u32,
                    index: index as u32,
                };
                sheets.push(LightmapInfo {
                    item: item.into(),
                    name: format!("Chunk {}, lightmap {index}", chunk.index),
                    size: [slot.side.into(); 2],
                    faces,
                });
            }
        }
        sheets
    }

    /// The image of a lightmap with the lights that shine: RGBA bytes from the top left.
    pub(super) fn lit_pixels(&self, sheet: LevelItem, shown: &Shown) -> Option<Vec<u8>> {
        let LevelItem::Lightmap { index, .. } = sheet else {
            return None;
        };
        let at = self.chunk_of(sheet)?;
        let atlas = &self.levels.get(at.level_number)?.atlas;
        let slot = atlas.slots(at.number).get(index as usize)?;
        let lighting = self.lighting(shown, at.level_number)?;
        let painted = lighting.paint(at.number, index as usize)?;
        let rows = painted.luxels.chunks_exact(painted.side as usize * 4);
        let (border, inside) = (usize::from(slot.border), usize::from(slot.side));
        let rows = rows.skip(border).take(inside);
        let rows = rows.flat_map(|row| row.iter().skip(border * 4).take(inside * 4));
        Some(rows.copied().collect())
    }

    /// The faces that a lightmap lights.
    pub(super) fn faces_on_sheet(&self, sheet: LevelItem) -> Vec<LightmapFace> {
        self.lit_faces(sheet, |mesh, data, face, item| {
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

    /// What is made of each face that a lightmap lights.
    pub(super) fn lit_faces<T>(
        &self,
        sheet: LevelItem,
        make: impl Fn(&ChunkMesh, &ChunkData, &MeshFace, LevelItem) -> Option<T>,
    ) -> Vec<T> {
        let (LevelItem::Lightmap { index: wanted, .. }, Some(at)) = (sheet, self.chunk_of(sheet))
        else {
            return Vec::new();
        };
        let Some((level, data)) = self
            .levels
            .get(at.level_number)
            .zip(at.chunk.data.as_deref())
        else {
            return Vec::new();
        };
        let meshes = level.mesh(at.number).into_iter();
        let faces = meshes.flat_map(|mesh| {
            let faces = mesh.faces_with_lightmaps(data);
            faces.map(move |(face, lightmap)| (mesh, face, lightmap))
        });
        let made = faces.filter(|(.., lightmap)| u32::from(*lightmap) == wanted);
        let made = made.filter_map(|(mesh, face, _)| {
            make(mesh, data, face, at.face_item(face.cube, face.side))
        });
        made.collect()
    }
}
