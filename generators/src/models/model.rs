//! Converts modelled meshes to files.

use glam::DVec3;
use image::ImageResult;
use mapscope_formats::pfobj::{Influence, Layout, Material, Pfobj, Vertex};

use super::bake::{bake, openness, pack, png};
use super::mesh::Mesh;
use super::rig::{Rig, bounds_of, rounded};

/// Maximum number of joints per point.
const MAX_INFLUENCES: usize = 4;

/// A material, and the side of its texture in texels if it is painted per chart.
pub(crate) struct Stuff {
    pub(crate) name: &'static str,
    pub(crate) texture: &'static str,
    pub(crate) side: Option<u32>,
    /// Factors of the ambient light, and of the specular light in each channel.
    pub(crate) ambient: f32,
    pub(crate) specular: f32,
}

/// A model and its painted textures, by name.
pub(crate) struct Made {
    pub(crate) model: Pfobj,
    pub(crate) textures: Vec<(String, Vec<u8>)>,
}

/// Builds a model in its bind pose from a mesh, and paints it.
pub(crate) fn make(mut mesh: Mesh, stuffs: &[Stuff], rig: &Rig, ground: bool) -> ImageResult<Made> {
    let (normals, face_normals) = mesh.normals();
    let painted = stuffs.iter().any(|stuff| stuff.side.is_some());
    let open = if painted {
        openness(&mesh, &normals, ground)
    } else {
        Vec::new()
    };
    let mut textures = Vec::new();
    for (material, stuff) in stuffs.iter().enumerate() {
        if let Some(side) = stuff.side {
            pack(&mut mesh, material, side);
            let image = bake(&mesh, material, side, &normals, &open);
            textures.push((stuff.texture.to_owned(), png(&image)?));
        }
    }
    let mut vertices = Vec::new();
    let mut influences = Vec::new();
    for (face, face_normal) in mesh.faces.iter().zip(face_normals) {
        for corner in face.corners {
            let point = &mesh.points[corner.point];
            let smooth = point.normal.unwrap_or(normals[corner.point]);
            let normal = if face.flat { face_normal } else { smooth };
            let first_influence = influences.len() as u32;
            influences.extend(strongest(&point.weights));
            vertices.push(Vertex {
                position: point.position.to_array().map(|n| rounded(n, 4)),
                uv: corner.uv.to_array().map(|n| rounded(n, 4)),
                normal: normal.to_array().map(|n| rounded(n, 4)),
                first_influence,
                influence_count: (influences.len() as u32 - first_influence) as u8,
                material: mesh.charts[face.chart].material as u32,
            });
        }
    }
    let places = vertices
        .iter()
        .map(|v| DVec3::from(v.position.map(f64::from)));
    let bounds = bounds_of(places);
    let materials = stuffs.iter().map(|stuff| Material {
        name: stuff.name.to_owned(),
        ambient: stuff.ambient,
        diffuse: [0.64; 3],
        specular: [stuff.specular; 3],
        texture: stuff.texture.to_owned(),
        line: 0,
        texture_line: 0,
        texture_column: 1,
    });
    let model = Pfobj {
        version: "1.0".to_owned(),
        layout: Layout::regular(vertices.len() as u32),
        vertices,
        influences,
        materials: materials.collect(),
        joints: rig.joints(),
        clips: Vec::new(),
        bounds: Some(bounds),
        has_bounds: true,
        bad_vertices: Vec::new(),
        crlf: false,
        problems: Vec::new(),
        notes: Vec::new(),
    };
    Ok(Made { model, textures })
}

/// The strongest weights of a point in descending order, in thousandths that sum to 1.
fn strongest(weights: &[(usize, f64)]) -> Vec<Influence> {
    let mut weights = weights.to_vec();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    weights.truncate(MAX_INFLUENCES);
    weights.retain(|weight| weight.1 > 0.05);
    let total: f64 = weights.iter().map(|weight| weight.1).sum();
    let mut left = 1000;
    let mut parts: Vec<(usize, i32)> = Vec::new();
    for (joint, weight) in weights {
        let part = ((weight / total * 1000.0).round() as i32).min(left);
        left -= part;
        parts.push((joint, part));
    }
    if let Some(first) = parts.first_mut() {
        first.1 += left;
    }
    let parts = parts.into_iter().filter(|part| part.1 > 0);
    parts
        .map(|(joint, part)| Influence {
            joint: joint as u32,
            weight: rounded(f64::from(part) / 1000.0, 3),
        })
        .collect()
}
