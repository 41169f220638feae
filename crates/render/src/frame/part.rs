//! Parts of images.

use glam::{Mat4, Vec2, Vec4};

/// A part of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImagePart {
    /// Width and height of the image in pixels.
    pub of: [u32; 2],
    /// Pixel of the image at the top left corner of the part.
    pub origin: [u32; 2],
    /// Width and height of the part in pixels.
    pub size: [u32; 2],
}

impl ImagePart {
    /// The whole of an image.
    pub fn whole(size: [u32; 2]) -> Self {
        Self {
            of: size,
            origin: [0; 2],
            size,
        }
    }

    /// Normalized device coordinates of the image from those of the part: multiply by x and y, add
    /// z and w.
    pub(crate) fn scale_and_offset(&self) -> Vec4 {
        let side = |axis: usize| {
            let [of, origin, size] =
                [self.of, self.origin, self.size].map(|sides| f64::from(sides[axis]));
            [
                (size / of) as f32,
                ((origin * 2.0 + size) / of - 1.0) as f32,
            ]
        };
        let [[width, middle_x], [height, middle_y]] = [side(0), side(1)];
        Vec4::new(width, height, middle_x, -middle_y)
    }

    /// Clip space of the image to that of the part.
    pub(crate) fn clip_from_whole(&self) -> Mat4 {
        let all = self.scale_and_offset();
        let (scale, offset) = (Vec2::new(all.x, all.y), Vec2::new(all.z, all.w));
        let (stretch, shift) = (scale.recip(), -offset / scale);
        Mat4::from_cols(
            Vec4::new(stretch.x, 0.0, 0.0, 0.0),
            Vec4::new(0.0, stretch.y, 0.0, 0.0),
            Vec4::Z,
            Vec4::new(shift.x, shift.y, 0.0, 1.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_part_is_where_it_is_in_the_image() {
        let part = ImagePart {
            of: [400, 200],
            origin: [100, 50],
            size: [200, 50],
        };
        let clip = part.clip_from_whole();
        // The top left corner of the part, in the image from -1 to 1.
        let corner = clip * Vec4::new(-0.5, 0.5, 0.25, 1.0);
        assert_eq!(corner, Vec4::new(-1.0, 1.0, 0.25, 1.0));
        // The same at twice the distance.
        let corner = clip * Vec4::new(-1.0, 1.0, 0.25, 2.0);
        assert_eq!(corner, Vec4::new(-2.0, 2.0, 0.25, 2.0));
        let [scale, offset] = [part.scale_and_offset(); 2];
        assert_eq!((scale.x * 1.0 + offset.z, scale.y + offset.w), (0.5, 0.5));
        let whole = ImagePart::whole([333, 7]);
        assert_eq!(whole.clip_from_whole(), Mat4::IDENTITY);
    }
}
