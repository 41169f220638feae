//! The icon of the program: a small terrain of tiles at different heights, in isometric view. All
//! sizes and the SVG are drawn from one list of polygons.

use std::fmt::Write as _;

use glam::DVec2;
use image::{DynamicImage, Rgba, RgbaImage};

use super::models::bake::png;
use super::{Failure, Files};

/// Width and height of the drawing, in its own units.
const SIDE: f64 = 256.0;
/// Corner radius of the background.
const CORNER: f64 = 52.0;
const BEHIND: Color = [0x1d, 0x21, 0x27];
/// Sizes of the PNG files in pixels: those of the window (64), of desktops and of installers.
const SIZES: [u32; 6] = [16, 32, 48, 64, 128, 256];
/// Samples per pixel along each axis.
const SAMPLES: u32 = 4;

/// Position of the far corner of the lowest tile.
const ORIGIN: DVec2 = DVec2::new(128.0, 104.0);
/// Steps along a row, along a column, and up.
const RIGHT: DVec2 = DVec2::new(35.0, 17.5);
const LEFT: DVec2 = DVec2::new(-35.0, 17.5);
const UP: DVec2 = DVec2::new(0.0, -21.0);

type Color = [u8; 3];

const WATER: Color = [0x4d, 0x9d, 0xd0];
const SAND: Color = [0xe3, 0xc6, 0x8b];
const GRASS: Color = [0x83, 0xb9, 0x5c];
const ROCK: Color = [0xe3, 0xa8, 0x57];

/// Height and colour of each tile, starting at the far corner.
const TILES: [[(f64, Color); 3]; 3] = [
    [(3.2, ROCK), (2.2, GRASS), (1.2, GRASS)],
    [(2.2, GRASS), (1.2, GRASS), (0.6, SAND)],
    [(1.2, GRASS), (0.6, SAND), (0.35, WATER)],
];

/// Brightness of the sides of a tile in percent of its top.
const LEFT_SHADE: u32 = 72;
const RIGHT_SHADE: u32 = 52;

/// A convex polygon of the drawing.
struct Polygon {
    corners: [DVec2; 4],
    color: Color,
}

/// Names (below `assets/icon`) and bytes of all files.
///
/// # Errors
/// If a picture cannot be encoded.
pub fn files() -> Result<Files, Failure> {
    let polygons = polygons();
    let mut files = vec![("mapscope.svg".to_owned(), svg(&polygons)?.into_bytes())];
    for size in SIZES {
        let picture = DynamicImage::from(draw(&polygons, size));
        files.push((format!("mapscope-{size}.png"), png(&picture)?));
    }
    Ok(files)
}

/// All polygons, the farthest first.
fn polygons() -> Vec<Polygon> {
    let mut polygons = Vec::new();
    for (row, tiles) in TILES.iter().enumerate() {
        for (column, &(height, color)) in tiles.iter().enumerate() {
            let far = ORIGIN + RIGHT * column as f64 + LEFT * row as f64 + UP * height;
            let [right, left] = [far + RIGHT, far + LEFT];
            let near = far + RIGHT + LEFT;
            // Extends to below the lowest tile.
            let down = -UP * (height + 0.6);
            for (corners, shade) in [
                ([far, right, near, left], 100),
                ([left, near, near + down, left + down], LEFT_SHADE),
                ([near, right, right + down, near + down], RIGHT_SHADE),
            ] {
                let color = color.map(|channel| (u32::from(channel) * shade / 100) as u8);
                polygons.push(Polygon { corners, color });
            }
        }
    }
    polygons
}

impl Polygon {
    fn contains(&self, point: DVec2) -> bool {
        let corners = self.corners;
        let next = corners.into_iter().cycle().skip(1);
        // The corners are in clockwise order, since Y points down.
        let mut edges = corners.into_iter().zip(next);
        edges.all(|(from, to)| (to - from).perp_dot(point - from) >= 0.0)
    }
}

/// The colour at a point; `None` outside the rounded square.
fn color_at(polygons: &[Polygon], point: DVec2) -> Option<Color> {
    let middle = DVec2::splat(SIDE / 2.0);
    let beyond = (point - middle).abs() - (middle - CORNER);
    let is_outside = beyond.max(DVec2::ZERO).length_squared() > CORNER * CORNER;
    let polygon = polygons
        .iter()
        .rev()
        .find(|polygon| polygon.contains(point));
    (!is_outside).then(|| polygon.map_or(BEHIND, |polygon| polygon.color))
}

fn draw(polygons: &[Polygon], size: u32) -> RgbaImage {
    let step = SIDE / f64::from(size * SAMPLES);
    RgbaImage::from_fn(size, size, |x, y| {
        let mut sum = [0u32; 3];
        let mut covered = 0;
        for sample in 0..SAMPLES * SAMPLES {
            let at = [
                x * SAMPLES + sample % SAMPLES,
                y * SAMPLES + sample / SAMPLES,
            ];
            let point = (DVec2::from(at.map(f64::from)) + 0.5) * step;
            if let Some(color) = color_at(polygons, point) {
                covered += 1;
                for (sum, channel) in sum.iter_mut().zip(color) {
                    *sum += u32::from(channel);
                }
            }
        }
        let [red, green, blue] = sum.map(|sum| (sum / covered.max(1)) as u8);
        Rgba([
            red,
            green,
            blue,
            (covered * 255 / (SAMPLES * SAMPLES)) as u8,
        ])
    })
}

fn svg(polygons: &[Polygon]) -> Result<String, std::fmt::Error> {
    let hex = |[red, green, blue]: Color| format!("#{red:02x}{green:02x}{blue:02x}");
    let mut svg = String::new();
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">"#
    )?;
    writeln!(
        svg,
        r#"<rect width="{SIDE}" height="{SIDE}" rx="{CORNER}" fill="{}"/>"#,
        hex(BEHIND)
    )?;
    // A thin outline of the same colour hides gaps between neighbours.
    writeln!(svg, r#"<g stroke-width="0.5" stroke-linejoin="round">"#)?;
    for Polygon { corners, color } in polygons {
        let points = corners.map(|corner| format!("{:.2},{:.2}", corner.x, corner.y));
        let (points, color) = (points.join(" "), hex(*color));
        writeln!(
            svg,
            r#"<polygon points="{points}" fill="{color}" stroke="{color}"/>"#
        )?;
    }
    writeln!(svg, "</g>\n</svg>")?;
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_those_in_assets() {
        let hint = "run `cd generators && cargo run -- icon`";
        let folder = crate::assets().join("icon");
        for (name, bytes) in files().unwrap() {
            let there = std::fs::read(folder.join(&name));
            assert!(there.is_ok_and(|there| there == bytes), "{name}: {hint}");
        }
    }

    #[test]
    fn it_fills_its_square_but_for_the_corners() {
        let icon = draw(&polygons(), 64);
        assert_eq!(icon.get_pixel(0, 0)[3], 0);
        assert_eq!(icon.get_pixel(32, 1).0, [0x1d, 0x21, 0x27, 255]);
        let colors = [WATER, SAND, GRASS, ROCK];
        for [red, green, blue] in colors {
            let wanted = Rgba([red, green, blue, 255]);
            let count = icon.pixels().filter(|pixel| **pixel == wanted).count();
            assert!(count > 20, "{wanted:?}: {count} pixels");
        }
        // Nothing is clipped at the edges.
        for corner in polygons().iter().flat_map(|polygon| polygon.corners) {
            assert!(corner.min_element() > 12.0 && corner.max_element() < SIDE - 12.0);
        }
    }
}
