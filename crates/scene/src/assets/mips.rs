//! Mip levels: successively halved versions of an image, for drawing it from a distance.

/// Returns all mip levels of an RGBA8 image, from the image itself down to a single texel. Each
/// texel is the mean of four texels of the previous level. Colours are weighted by alpha, so that
/// hidden colours behind the holes of a leaf do not darken its edges. An odd last row or column is
/// dropped.
pub(crate) fn mip_levels(size: [u32; 2], base: Vec<u8>) -> Vec<Vec<u8>> {
    let mut levels = vec![base];
    let [mut width, mut height] = size.map(|side| side as usize);
    while width > 1 || height > 1 {
        let last = levels.last().map_or(&[][..], Vec::as_slice);
        let next = halved(width, height, last);
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
        levels.push(next);
    }
    levels
}

/// Returns mip level `number` of an RGBA8 image; level 0 is the image.
pub(crate) fn mip_level(size: [u32; 2], base: Vec<u8>, number: u32) -> Vec<u8> {
    let [mut width, mut height] = size.map(|side| side as usize);
    let mut level = base;
    for _ in 0..number {
        level = halved(width, height, &level);
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
    }
    level
}

fn halved(width: usize, height: usize, texels: &[u8]) -> Vec<u8> {
    let row_bytes = width * 4;
    // A single row or column is averaged with itself.
    let [rows, columns] = [height, width].map(|side| if side == 1 { 1 } else { 2 });
    let size = (width / columns) * (height / rows) * 4;
    let mut next = vec![0; size];
    let is_opaque = texels.chunks_exact(4).all(|texel| texel[3] == 255);
    let pairs = texels.chunks_exact(rows * row_bytes);
    for (pair, row) in pairs.zip(next.chunks_exact_mut((width / columns) * 4)) {
        let (upper, lower) = (&pair[..row_bytes], &pair[(rows - 1) * row_bytes..]);
        let quads = upper
            .chunks_exact(columns * 4)
            .zip(lower.chunks_exact(columns * 4));
        for ((u, l), texel) in quads.zip(row.as_chunks_mut().0) {
            let quad = [u, l].map(|side| [side.first_chunk(), side.last_chunk()]);
            if let [[Some(a), Some(b)], [Some(c), Some(d)]] = quad {
                *texel = if is_opaque {
                    even_mean([a, b, c, d])
                } else {
                    mean([a, b, c, d])
                };
            }
        }
    }
    next
}

/// The mean of four texels with equal alpha.
fn even_mean([a, b, c, d]: [&[u8; 4]; 4]) -> [u8; 4] {
    let sum = |i: usize| u16::from(a[i]) + u16::from(b[i]) + u16::from(c[i]) + u16::from(d[i]);
    std::array::from_fn(|i| ((sum(i) + 2) >> 2) as u8)
}

/// The mean of four texels, with colours weighted by alpha.
fn mean(quad: [&[u8; 4]; 4]) -> [u8; 4] {
    let opacity = quad.iter().map(|texel| u32::from(texel[3])).sum::<u32>();
    if opacity == 0 || quad.iter().all(|texel| texel[3] == quad[0][3]) {
        return even_mean(quad);
    }
    std::array::from_fn(|i| {
        if i == 3 {
            return ((opacity + 2) >> 2) as u8;
        }
        let weighed = quad.iter().map(|t| u32::from(t[i]) * u32::from(t[3]));
        ((weighed.sum::<u32>() + opacity / 2) / opacity) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_halve_and_each_texel_is_the_mean_of_four() {
        let channel = |i: usize| if i % 4 == 3 { 255 } else { (i * 3) as u8 };
        let base: Vec<u8> = (0..4 * 2 * 4).map(channel).collect();
        let levels = mip_levels([4, 2], base.clone());
        let texels: Vec<usize> = levels.iter().map(|level| level.len() / 4).collect();
        assert_eq!(texels, [8, 2, 1]);
        let mean = |at: [usize; 4]| {
            let sum: u16 = at.iter().map(|i| u16::from(base[*i])).sum();
            ((sum + 2) / 4) as u8
        };
        assert_eq!(levels[1][0], mean([0, 4, 16, 20]));
        assert_eq!(levels[1][4], mean([8, 12, 24, 28]));
    }

    #[test]
    fn what_is_behind_holes_does_not_show() {
        let (leaf, hole) = ([40, 200, 60, 255], [0, 0, 0, 0]);
        let levels = mip_levels([2, 2], [leaf, hole, hole, leaf].concat());
        assert_eq!(levels[1], [40, 200, 60, 128]);
        let levels = mip_levels([2, 1], [hole, [8, 0, 0, 0]].concat());
        assert_eq!(levels[1], [4, 0, 0, 0]);
    }

    #[test]
    fn images_of_any_shape_have_levels() {
        for size in [[1, 1], [1, 7], [7, 1], [5, 3], [96, 128]] {
            let levels = mip_levels(size, vec![200; (size[0] * size[1] * 4) as usize]);
            for (i, level) in levels.iter().enumerate() {
                let expected = size.map(|side| (side >> i).max(1) as usize);
                assert_eq!(level.len(), expected[0] * expected[1] * 4, "{size:?}: {i}");
                assert!(level.iter().all(|byte| *byte == 200));
            }
        }
    }
}
