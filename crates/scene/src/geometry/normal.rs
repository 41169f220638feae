//! Unit vectors packed in four bytes, for vertices.

use glam::{Vec2, Vec2Swizzles as _, Vec3};

/// Packs a unit vector as a point of an unfolded octahedron: two 16-bit numbers, accurate to a
/// hundredth of a degree. (Meyer and others, "On Floating-Point Normal Vectors", 2010.)
pub fn pack_normal(normal: Vec3) -> [i16; 2] {
    let on_octahedron = normal / normal.abs().element_sum().max(f32::MIN_POSITIVE);
    let flat = on_octahedron.truncate();
    let flat = if normal.z < 0.0 { fold(flat) } else { flat };
    let packed = (flat * f32::from(i16::MAX)).round();
    [packed.x as i16, packed.y as i16]
}

/// Unpacks the unit vector of [`pack_normal`], as the shader does.
pub fn unpack_normal(packed: [i16; 2]) -> Vec3 {
    let [x, y] = packed.map(|side| (f32::from(side) / f32::from(i16::MAX)).max(-1.0));
    let flat = Vec2::new(x, y);
    let z = 1.0 - x.abs() - y.abs();
    let flat = if z < 0.0 { fold(flat) } else { flat };
    flat.extend(z).normalize_or(Vec3::Y)
}

/// Folds the corners of a square over its middle square, or back.
fn fold(flat: Vec2) -> Vec2 {
    (Vec2::ONE - flat.yx().abs()) * Vec2::ONE.copysign(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_survive_packing() {
        for i in 0..2000 {
            let angle = i as f32 * 2.399_963;
            let z = i as f32 / 1000.0 - 1.0;
            let ring = (1.0 - z * z).sqrt();
            let normal = Vec3::new(ring * angle.cos(), ring * angle.sin(), z);
            let unpacked = unpack_normal(pack_normal(normal));
            assert!(normal.distance(unpacked) < 1e-4, "{normal} {unpacked}");
        }
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            assert_eq!(unpack_normal(pack_normal(axis)), axis);
        }
    }
}
