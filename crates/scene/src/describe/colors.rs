//! Palettes and highlight colours.

/// Colour of the selection, as shader input: red, green and blue from 0 to 1.
pub const SELECTED: [f32; 3] = [1.0, 0.77, 0.24];
/// Colour of the hover outline, distinct from those of marks and of the selection.
pub const HOVERED: [u8; 3] = [64, 224, 255];
/// Colour of marks around unreadable items.
pub(crate) const BROKEN: [u8; 3] = [240, 70, 60];
/// Colour of marks around partly unreadable items.
pub(crate) const DAMAGED: [u8; 3] = [255, 150, 60];
/// Back faces of triangles.
pub const BACK_FACE: [u8; 3] = [255, 48, 160];

/// Converts a shader colour to bytes.
pub const fn bytes([r, g, b]: [f32; 3]) -> [u8; 3] {
    const fn byte(channel: f32) -> u8 {
        (channel * 255.0 + 0.5) as u8
    }
    [byte(r), byte(g), byte(b)]
}

/// The golden ratio. Hues that are this fraction of the circle apart stay far from each other.
const GOLDEN_RATIO: f32 = 0.618_034;

/// Returns a colour for a numbered item, distinct from those of its neighbours.
pub(crate) fn distinct(number: u32) -> [u8; 3] {
    let hue = (number as f32 * GOLDEN_RATIO).fract();
    // Each round of hues is followed by a paler and then a darker one.
    let (saturation, value) = match number / 12 % 3 {
        0 => (0.65, 0.95),
        1 => (0.4, 1.0),
        _ => (0.75, 0.7),
    };
    let channel = |shift: f32| {
        let from_hue = (((hue + shift).fract() * 6.0 - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        (value * (1.0 - saturation * (1.0 - from_hue)) * 255.0).round() as u8
    };
    [channel(0.0), channel(2.0 / 3.0), channel(1.0 / 3.0)]
}

/// Colours from dark to bright, each easy to distinguish from the next.
const RAMP: [[u8; 3]; 9] = [
    [70, 50, 126],
    [59, 82, 173],
    [44, 113, 196],
    [33, 145, 140],
    [53, 183, 121],
    [122, 209, 81],
    [220, 227, 25],
    [253, 165, 50],
    [214, 65, 45],
];

/// Returns the colour of step `step` of `steps`. Steps past the end get the last colour.
pub(crate) fn step(step: usize, steps: usize) -> [u8; 3] {
    let last = steps.saturating_sub(1).max(1);
    let place = step.min(last) as f32 / last as f32 * (RAMP.len() - 1) as f32;
    let at = (place as usize).min(RAMP.len() - 2);
    let part = place - at as f32;
    std::array::from_fn(|channel| {
        let [from, to] = [RAMP[at][channel], RAMP[at + 1][channel]].map(f32::from);
        (from + (to - from) * part).round() as u8
    })
}

/// Distance between two colours, from 0 to 765.
pub(crate) fn difference(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

/// `true` if a colour is clearly not grey.
pub(crate) fn is_colored([r, g, b]: [u8; 3]) -> bool {
    r.max(g).max(b) - r.min(g).min(b) > 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_differ() {
        for a in 0..27 {
            for b in 0..a {
                let between = difference(distinct(a), distinct(b));
                assert!(between > 20, "{a} {b}: {between}");
            }
        }
        for steps in 2..9 {
            for at in 1..steps {
                assert!(difference(step(at, steps), step(at - 1, steps)) > 30);
            }
        }
        for mark in [BROKEN, DAMAGED, bytes(SELECTED)] {
            assert!(difference(HOVERED, mark) > 200, "{mark:?}");
        }
        assert_eq!(step(0, 1), RAMP[0]);
        assert_eq!(step(99, 5), RAMP[8]);
    }
}
