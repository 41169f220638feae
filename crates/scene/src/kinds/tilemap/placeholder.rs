//! Placeholder images for tiles without known images.

/// Number of colours around the colour wheel.
const HUES: u32 = 12;
/// Digits of three by five pixels: one row per number, the leftmost pixel in the highest of three
/// bits.
const DIGITS: [[u8; 5]; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];
const DIGIT_WIDTH: u32 = 3;
const DIGIT_HEIGHT: u32 = 5;

/// RGBA bytes of a coloured tile with its number on it, row by row from the top left. It shows as
/// many trailing digits as fit in one line, or in two if the tile is too narrow.
pub fn numbered_tile([width, height]: [u32; 2], number: u32) -> Vec<u8> {
    let back = hue(number % HUES);
    let edge = back.map(|channel| channel / 2);
    let mut tile = vec![0; width as usize * height as usize * 4];
    for y in 0..height {
        for x in 0..width {
            let is_edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            paint(&mut tile, width, [x, y], if is_edge { edge } else { back });
        }
    }
    let digits: Vec<u8> = number.to_string().bytes().map(|byte| byte - b'0').collect();
    let columns = (width.saturating_sub(1) / (DIGIT_WIDTH + 1)) as usize;
    let lines = (height.saturating_sub(1) / (DIGIT_HEIGHT + 1)) as usize;
    if columns == 0 || lines == 0 {
        return tile;
    }
    let shown = digits.len().saturating_sub(columns * lines.min(2));
    let lines: Vec<&[u8]> = digits
        .get(shown..)
        .unwrap_or_default()
        .chunks(columns)
        .collect();
    let text_height = lines.len() as u32 * (DIGIT_HEIGHT + 1) - 1;
    for (line, digits) in lines.iter().enumerate() {
        let text_width = digits.len() as u32 * (DIGIT_WIDTH + 1) - 1;
        let left = (width - text_width) / 2;
        let top = (height - text_height) / 2 + line as u32 * (DIGIT_HEIGHT + 1);
        for (column, digit) in digits.iter().enumerate() {
            let left = left + column as u32 * (DIGIT_WIDTH + 1);
            draw_digit(&mut tile, width, [left, top], *digit);
        }
    }
    tile
}

/// RGBA bytes of a tile for numbers that a tileset lacks: a magenta cross that cannot be mistaken
/// for a tile.
pub fn missing_tile([width, height]: [u32; 2]) -> Vec<u8> {
    let mut tile = vec![0; width as usize * height as usize * 4];
    for y in 0..height {
        for x in 0..width {
            // The column of the falling diagonal in this row.
            let down = (u64::from(y) * u64::from(width) / u64::from(height)) as u32;
            let is_cross = x == down || x + down + 1 == width;
            let is_edge = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            let color = if is_cross || is_edge {
                [255, 16, 224]
            } else {
                [44, 24, 52]
            };
            paint(&mut tile, width, [x, y], color);
        }
    }
    tile
}

fn draw_digit(tile: &mut [u8], width: u32, [left, top]: [u32; 2], digit: u8) {
    let Some(rows) = DIGITS.get(usize::from(digit)) else {
        return;
    };
    for (y, row) in (top..).zip(rows) {
        for x in 0..DIGIT_WIDTH {
            if row >> (DIGIT_WIDTH - 1 - x) & 1 != 0 {
                paint(tile, width, [left + x, y], [255; 3]);
            }
        }
    }
}

/// Sets an opaque pixel.
fn paint(tile: &mut [u8], width: u32, [x, y]: [u32; 2], [r, g, b]: [u8; 3]) {
    let at = (y as usize * width as usize + x as usize) * 4;
    if let Some(pixel) = tile.get_mut(at..at + 4) {
        pixel.copy_from_slice(&[r, g, b, 255]);
    }
}

/// A colour of the wheel, dark enough for white digits. Consecutive numbers get distant hues.
fn hue(number: u32) -> [u8; 3] {
    let sixth = (number * 7 % HUES) as f32 / HUES as f32 * 6.0;
    let channel = |offset: f32| {
        let at = (sixth + offset) % 6.0;
        let strength = ((at - 3.0).abs() - 1.0).clamp(0.0, 1.0);
        (40.0 + 110.0 * strength) as u8
    };
    [channel(0.0), channel(4.0), channel(2.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile as rows of characters: `#` for white.
    fn rows(tile: &[u8], width: usize) -> Vec<String> {
        let sign = |pixel: &[u8]| if pixel == [255; 4] { '#' } else { '.' };
        tile.chunks(width * 4)
            .map(|row| row.chunks(4).map(sign).collect())
            .collect()
    }

    #[test]
    fn tiles_show_their_numbers() {
        let tile = numbered_tile([9, 7], 17);
        assert_eq!(
            rows(&tile, 9),
            [
                ".........",
                "..#..###.",
                ".##....#.",
                "..#...#..",
                "..#...#..",
                ".###..#..",
                ".........",
            ]
        );
        assert!(tile.chunks(4).all(|pixel| pixel[3] == 255));
        // Two lines if one is too narrow; digits that do not fit are dropped.
        let white = |size: [u32; 2], number| {
            let tile = numbered_tile(size, number);
            assert_eq!(tile.len() as u32, size[0] * size[1] * 4);
            rows(&tile, size[0].max(1) as usize)
                .iter()
                .filter(|row| row.contains('#'))
                .count()
        };
        assert_eq!(white([16, 16], 123_456), 10);
        assert_eq!(white([16, 16], u32::MAX), 10);
        assert_eq!(white([64, 8], u32::MAX), 5);
        assert_eq!(white([3, 3], 5), 0);
        assert_eq!(white([1, 1], 5), 0);
        assert_ne!(numbered_tile([16, 16], 1), numbered_tile([16, 16], 13));
    }

    #[test]
    fn neighbours_differ_in_colour() {
        let colors: Vec<[u8; 3]> = (0..HUES).map(hue).collect();
        for (i, color) in colors.iter().enumerate() {
            assert!(!colors[..i].contains(color), "{i}: {color:?}");
        }
    }

    #[test]
    fn a_missing_tile_is_crossed_out() {
        for size in [[16, 16], [1, 1], [5, 40]] {
            let tile = missing_tile(size);
            assert_eq!(tile.len() as u32, size[0] * size[1] * 4);
            assert_eq!(tile[..4], [255, 16, 224, 255]);
        }
    }
}
