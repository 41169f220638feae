//! Bakes textures: packs charts into pictures and paints every texel for its position on the model.

use glam::{DVec2, DVec3};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageResult, Rgb, RgbImage};

use super::mesh::{Mesh, Place, Point};
use crate::maths::{cosine, sine};
use crate::terrain::textures::Color;

/// Texels between charts.
const MARGIN: f64 = 5.0;

/// Encodes a picture as PNG.
pub(crate) fn png(image: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    image.write_with_encoder(encoder)?;
    Ok(bytes)
}

/// Converts a colour channel to a byte.
pub(crate) fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// For each point, the fraction of the sky above its surface that is visible. The model and, with
/// `ground`, the ground at Y = 0 occlude it.
pub(crate) fn openness(mesh: &Mesh, normals: &[DVec3], ground: bool) -> Vec<f64> {
    const RAYS: u32 = 64;
    const REACH: f64 = 2.2;
    let triangles: Vec<[DVec3; 3]> = mesh
        .faces
        .iter()
        .map(|face| face.corners.map(|corner| mesh.at(corner.point)))
        .collect();
    // Evenly distributed over a sphere.
    let ways: Vec<DVec3> = (0..RAYS)
        .map(|i| {
            let y = 1.0 - (f64::from(i) + 0.5) * 2.0 / f64::from(RAYS);
            let turns = f64::from(i) * 0.381_966_011_25;
            let wide = (1.0 - y * y).sqrt();
            DVec3::new(cosine(turns) * wide, y, sine(turns) * wide)
        })
        .collect();
    let see = |(point, &normal): (&Point, &DVec3)| {
        let from = point.position + normal * 0.04;
        let (mut open, mut all) = (0.0, 0.0);
        for &way in &ways {
            let facing = normal.dot(way);
            if facing <= 0.05 {
                continue;
            }
            all += facing;
            let mut reach = REACH;
            if ground && way.y < 0.0 {
                reach = reach.min(from.y.max(0.0) / -way.y);
            }
            for triangle in &triangles {
                if let Some(hit) = distance(from, way, triangle) {
                    reach = reach.min(hit);
                }
            }
            open += facing * reach / REACH;
        }
        open / all.max(1e-9)
    };
    mesh.points.iter().zip(normals).map(see).collect()
}

/// The distance to a triangle in a direction, if it is hit.
fn distance(from: DVec3, way: DVec3, [a, b, c]: &[DVec3; 3]) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let across = way.cross(ac);
    let det = ab.dot(across);
    if det.abs() < 1e-12 {
        return None;
    }
    let to = from - a;
    let u = to.dot(across) / det;
    let upright = to.cross(ab);
    let v = way.dot(upright) / det;
    let hit = ac.dot(upright) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && hit > 1e-6).then_some(hit)
}

/// Packs the painted charts of a material into a picture of `side` texels at the maximum scale, and
/// converts their corners to texture coordinates.
pub(crate) fn pack(mesh: &mut Mesh, material: usize, side: u32) {
    let charts: Vec<usize> = (0..mesh.charts.len())
        .filter(|&i| mesh.charts[i].material == material && mesh.charts[i].paint.is_some())
        .collect();
    let mut boxes: Vec<(usize, DVec2, DVec2)> = charts
        .into_iter()
        .filter_map(|chart| {
            let faces = mesh.faces.iter().filter(|face| face.chart == chart);
            let uvs = faces.flat_map(|face| face.corners.map(|corner| corner.uv));
            let (min, max) = uvs.fold((DVec2::MAX, DVec2::MIN), |(min, max), uv| {
                (min.min(uv), max.max(uv))
            });
            let size = (max - min) * mesh.charts[chart].scale;
            (min.x <= max.x).then_some((chart, min, size))
        })
        .collect();
    boxes.sort_by(|a, b| b.2.y.total_cmp(&a.2.y));
    let (mut low, mut high) = (0.0, f64::from(side));
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if shelves(&boxes, middle, f64::from(side)).is_some() {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (&(chart, min, _), corner) in boxes
        .iter()
        .zip(shelves(&boxes, low, f64::from(side)).unwrap_or_default())
    {
        let scale = low * mesh.charts[chart].scale;
        for face in mesh.faces.iter_mut().filter(|face| face.chart == chart) {
            for place in &mut face.corners {
                place.uv = ((place.uv - min) * scale + corner) / f64::from(side);
            }
        }
    }
}

/// Places boxes on shelves, starting with the tallest; `None` if they do not fit.
fn shelves(boxes: &[(usize, DVec2, DVec2)], scale: f64, side: f64) -> Option<Vec<DVec2>> {
    // For each shelf: its bottom, its height and its filled width.
    let mut rows: Vec<[f64; 3]> = Vec::new();
    let mut corners = Vec::new();
    for &(_, _, size) in boxes {
        let size = size * scale + MARGIN;
        let free = rows.iter().position(|row| size.x <= side - row[2]);
        let row = free.unwrap_or(rows.len());
        if row == rows.len() {
            let bottom = rows.last().map_or(0.0, |row| row[0] + row[1]);
            if bottom + size.y > side || size.x > side {
                return None;
            }
            rows.push([bottom, size.y, 0.0]);
        }
        let row = &mut rows[row];
        corners.push(DVec2::new(row[2], row[0]) + 0.5 * MARGIN);
        row[2] += size.x;
    }
    Some(corners)
}

/// Paints the charts of a material and fills the space between them with adjacent colours.
pub(crate) fn bake(
    mesh: &Mesh,
    material: usize,
    side: u32,
    normals: &[DVec3],
    open: &[f64],
) -> DynamicImage {
    let size = side as usize;
    let mut texels: Vec<Option<Color>> = vec![None; size * size];
    // How far inside its triangle each texel was painted: texels on a border are painted several
    // times.
    let mut inside = vec![f64::MIN; size * size];
    let own = &mesh.faces[..mesh.mirrored_from.unwrap_or(mesh.faces.len())];
    for face in own {
        let chart = mesh.charts[face.chart];
        let Some(paint) = chart.paint.filter(|_| chart.material == material) else {
            continue;
        };
        let [a, b, c] = face.corners.map(|corner| corner.uv * f64::from(side));
        let area = (b - a).perp_dot(c - a);
        if area.abs() < 1e-9 {
            continue;
        }
        let (min, max) = (a.min(b).min(c) - 1.0, a.max(b).max(c) + 1.0);
        for y in min.y.max(0.0) as u32..=(max.y as u32).min(side - 1) {
            for x in min.x.max(0.0) as u32..=(max.x as u32).min(side - 1) {
                let at = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let shares = [
                    (b - at).perp_dot(c - at) / area,
                    (c - at).perp_dot(a - at) / area,
                    (a - at).perp_dot(b - at) / area,
                ];
                let least = shares[0].min(shares[1]).min(shares[2]);
                // Half a texel beyond the edge, so that filtering finds paint there.
                let longest = (b - a).length().max((c - a).length()).max((c - b).length());
                let slack = -0.8 * longest / area.abs();
                // Rows of a picture run downwards.
                let index = (size - 1 - y as usize) * size + x as usize;
                // If two layers share a chart, the first one is painted.
                if least < slack || least <= inside[index] + 1e-6 {
                    continue;
                }
                let blend = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
                    (0..3).map(|i| of(face.corners[i].point) * shares[i]).sum()
                };
                let traits = blend(&|i| {
                    let point = &mesh.points[i];
                    DVec3::new(point.along, point.around, open[i])
                });
                inside[index] = least;
                texels[index] = Some(paint(&Place {
                    position: blend(&|i| mesh.at(i)),
                    normal: blend(&|i| normals[i]).normalize_or(DVec3::Y),
                    along: traits.x,
                    around: traits.y.clamp(0.0, 1.0),
                    open: traits.z.clamp(0.0, 1.0),
                }));
            }
        }
    }
    spread(&mut texels, size);
    let image = RgbImage::from_fn(side, side, |x, y| {
        let color = texels[y as usize * size + x as usize].unwrap_or([0.5; 3]);
        Rgb(color.map(byte))
    });
    DynamicImage::ImageRgb8(image)
}

/// Fills empty texels with the mean of their painted neighbours until none is empty.
fn spread(texels: &mut [Option<Color>], size: usize) {
    for _ in 0..size {
        let before = texels.to_vec();
        let mut empty = false;
        for (i, texel) in texels
            .iter_mut()
            .enumerate()
            .filter(|(_, texel)| texel.is_none())
        {
            let (x, y) = (i % size, i / size);
            let mut sum = [0.0; 3];
            let mut count = 0.0;
            for row in y.saturating_sub(1)..=(y + 1).min(size - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(size - 1) {
                    if let Some(color) = before[row * size + column] {
                        sum = [0, 1, 2].map(|c| sum[c] + color[c]);
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 {
                *texel = Some(sum.map(|c| c / count));
            } else {
                empty = true;
            }
        }
        if !empty {
            return;
        }
    }
}
