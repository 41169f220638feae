//! The textures of a document, and the layouts of the triangles that show them.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::lists::Image;
use crate::assets::{Texture, TextureFile};
use crate::core::item::Item;

/// Maximum number of pieces of a layout. A triangle has one in each repetition of the image that it
/// touches.
const MAX_PIECES: usize = 40_000;
/// Maximum number of repetitions that a triangle may span along an axis.
const MAX_REPEATS: f32 = 8.0;
/// Maximum distance of a triangle from the first repetition. Coordinates beyond it are too coarse to
/// locate a texel.
const MAX_COORDINATE: f32 = 4096.0;
/// Maximum side of a drawn layout, in pixels.
const MAX_LAYOUT_SIDE: u32 = 4096;

/// The textures of a document.
pub trait Textures {
    /// The textures, in file order.
    fn list(&self) -> Vec<TextureInfo>;

    /// The image of a texture, or its placeholder; `None` until it is read.
    fn image(&self, texture: Item) -> Option<Arc<Texture>>;

    /// Repetitions of the texture per unit of length, if known.
    fn scale(&self, texture: Item) -> Option<TextureScale> {
        let _ = texture;
        None
    }

    /// The layout of the triangles that show a texture. `None` for a document without texture
    /// coordinates, or if the item is not a texture.
    fn layout(&self, texture: Item) -> Option<UvLayout> {
        let _ = texture;
        None
    }

    /// The first texture with a layout, if any. This is cheap enough for every frame.
    fn first_with_layout(&self) -> Option<Item> {
        None
    }

    /// The item of [`Textures::list`] with the same texture as an item that has one: entities of
    /// one model share its textures.
    fn representative(&self, item: Item) -> Option<Item> {
        Some(item)
    }
}

/// A texture of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureInfo {
    /// The item that has it, such as a material.
    pub item: Item,
    /// The display name of the item.
    pub name: String,
    /// Name of the texture as written in the document; empty if it has none.
    pub texture: String,
    /// Its file; `None` if it was not found, is built in, or is inside the document.
    pub path: Option<PathBuf>,
    /// `true` if it was found and could be read. Otherwise its image is a placeholder.
    pub is_found: bool,
    /// Width and height of the image in the file, in pixels, once it was read.
    pub size: Option<[u32; 2]>,
}

impl TextureInfo {
    pub(crate) fn new(item: Item, name: &str, texture: &str, file: &TextureFile) -> Self {
        Self {
            item,
            name: match name {
                "" => item.to_string(),
                name => name.to_owned(),
            },
            texture: texture.to_owned(),
            path: file.path.clone(),
            is_found: file.found,
            size: file.size,
        }
    }

    /// The name of the image format of its file, and the size of the file in bytes. `None` if it has
    /// no file that can be read.
    pub fn file_facts(&self) -> Option<(String, u64)> {
        let path = self.path.as_ref().filter(|_| self.is_found)?;
        let bytes = path.metadata().ok()?.len();
        let reader = image::ImageReader::new(BufReader::new(File::open(path).ok()?));
        let known = reader.with_guessed_format().ok()?.format();
        let ending = path.extension().and_then(|ending| ending.to_str())?;
        // TGA has no signature. Other endings are formats of games.
        let is_image = image::ImageFormat::from_extension(ending).is_some();
        let format = known.or_else(|| is_image.then_some(image::ImageFormat::Tga));
        let name = format.and_then(|format| format.extensions_str().first());
        Some((name.unwrap_or(&ending).to_uppercase(), bytes))
    }
}

/// The scale of a texture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureScale {
    /// Repetitions of the image per unit of length, as the root of those per area.
    pub repeats: f32,
    /// The unit of length: `unit` or `tile`.
    pub unit: &'static str,
}

impl TextureScale {
    /// The median scale of triangles, each with its texture coordinates and its corners; `None` if
    /// none of them has an area.
    pub(crate) fn median(triangles: impl Iterator<Item = ([Vec2; 3], [Vec3; 3])>) -> Option<Self> {
        let scale = |([a, b, c], [p, q, r]): ([Vec2; 3], [Vec3; 3])| {
            let repeats = (b - a).perp_dot(c - a).abs() / (q - p).cross(r - p).length();
            (repeats.is_finite() && repeats > 0.0).then_some(repeats.sqrt())
        };
        let mut scales: Vec<f32> = triangles.filter_map(scale).collect();
        let middle = scales.len().checked_sub(1)? / 2;
        let (_, repeats, _) = scales.select_nth_unstable_by(middle, f32::total_cmp);
        Some(Self {
            repeats: *repeats,
            unit: "unit",
        })
    }

    /// Texels per unit of length, for an image of this size.
    pub fn texels(&self, [width, height]: [u32; 2]) -> f32 {
        (width as f32 * height as f32).sqrt() * self.repeats
    }
}

/// The triangles that show a texture, in coordinates of its image: (0, 0) is the top left, and 1 is
/// the whole width or height. A triangle that leaves the image continues at the opposite side, as the
/// image does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UvLayout {
    /// The item and the corners of each piece of a triangle. Corners may lie outside the image.
    pieces: Vec<(Item, [Vec2; 3])>,
    /// The edges, each once, clipped to the image.
    pub lines: Vec<[Vec2; 2]>,
    /// Number of triangles that show the texture.
    pub triangles: usize,
    /// Number of triangles that were left out because there are too many.
    pub left_out: usize,
    /// Number of triangles whose coordinates are not finite or too large.
    pub out_of_range: usize,
}

impl UvLayout {
    /// Creates the layout of triangles by their texture coordinates, in which (0, 0) is the bottom
    /// left.
    pub(crate) fn new(triangles: impl IntoIterator<Item = (Item, [Vec2; 3])>) -> Self {
        let mut layout = Self::default();
        let mut edges = HashSet::new();
        for (item, corners) in triangles {
            layout.triangles += 1;
            let corners = corners.map(|uv| Vec2::new(uv.x, 1.0 - uv.y));
            let Some([first, last]) = repetitions(corners) else {
                layout.out_of_range += 1;
                continue;
            };
            let count = (last - first + Vec2::ONE).element_product() as usize;
            if layout.pieces.len() + count > MAX_PIECES {
                layout.left_out += 1;
                continue;
            }
            let columns = first.x as i32..=last.x as i32;
            let offsets = columns.flat_map(|x| {
                let rows = first.y as i32..=last.y as i32;
                rows.map(move |y| Vec2::new(x as f32, y as f32))
            });
            for offset in offsets {
                // Adding zero turns negative zero into positive zero.
                let piece = corners.map(|corner| corner - offset + 0.0);
                layout.pieces.push((item, piece));
                let [a, b, c] = piece;
                for line in [[a, b], [b, c], [c, a]] {
                    let bits = line.map(|end| [end.x.to_bits(), end.y.to_bits()]);
                    let edge = [bits[0].min(bits[1]), bits[0].max(bits[1])];
                    if edges.insert(edge) {
                        layout.lines.extend(clipped(line));
                    }
                }
            }
        }
        layout
    }

    /// The same layout with other items.
    pub(crate) fn with_items(mut self, item_of: impl Fn(Item) -> Item) -> Self {
        for (item, _) in &mut self.pieces {
            *item = item_of(*item);
        }
        self
    }

    /// The triangles at a point of the image.
    pub fn triangles_at(&self, point: Vec2) -> impl Iterator<Item = Item> {
        let is_within = move |[a, b, c]: [Vec2; 3]| {
            let side = |from: Vec2, to: Vec2| (to - from).perp_dot(point - from);
            let sides = [side(a, b), side(b, c), side(c, a)];
            let has_area = (b - a).perp_dot(c - a) != 0.0;
            has_area && (sides.iter().all(|it| *it >= 0.0) || sides.iter().all(|it| *it <= 0.0))
        };
        let pieces = self.pieces.iter().filter(move |piece| is_within(piece.1));
        pieces.map(|(item, _)| *item)
    }

    /// The pieces of a triangle.
    pub fn pieces_of(&self, triangle: Item) -> impl Iterator<Item = [Vec2; 3]> {
        let pieces = self.pieces.iter().filter(move |(of, _)| *of == triangle);
        pieces.map(|(_, corners)| *corners)
    }

    /// Draws the lines in white on a transparent image of a size, which is halved until it fits a
    /// limit.
    pub fn draw(&self, mut size: [u32; 2]) -> Image {
        while size.iter().any(|side| *side > MAX_LAYOUT_SIDE) {
            size = size.map(|side| side / 2);
        }
        let [width, height] = size.map(|side| side.max(1));
        let mut rgba = vec![0; width as usize * height as usize * 4];
        let (scale, last) = (
            Vec2::new(width as f32, height as f32),
            Vec2::new((width - 1) as f32, (height - 1) as f32),
        );
        for line in &self.lines {
            let [from, to] = line.map(|end| (end * scale).floor().min(last));
            let steps = (to - from).abs().max_element().max(1.0);
            for step in 0..=steps as u32 {
                let at = from.lerp(to, step as f32 / steps).round();
                let first = (at.y as usize * width as usize + at.x as usize) * 4;
                if let Some(pixel) = rgba.get_mut(first..first + 4) {
                    pixel.fill(255);
                }
            }
        }
        Image {
            size: [width, height],
            rgba,
        }
    }
}

/// The first and the last repetition of the image that a triangle touches. `None` if its corners are
/// not finite, too far away, or too far apart.
fn repetitions([a, b, c]: [Vec2; 3]) -> Option<[Vec2; 2]> {
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    let is_near = |at: Vec2| at.is_finite() && at.abs().max_element() <= MAX_COORDINATE;
    let is_usable = [a, b, c].into_iter().all(is_near);
    if !is_usable || (max - min).max_element() > MAX_REPEATS {
        return None;
    }
    let first = min.floor();
    // An edge on the border belongs to the repetition before it.
    Some([first, (max.ceil() - Vec2::ONE).max(first)])
}

/// The part of a line inside the image, if any.
fn clipped([from, to]: [Vec2; 2]) -> Option<[Vec2; 2]> {
    let along = to - from;
    let mut range = [0.0_f32, 1.0];
    for (start, along) in [(from.x, along.x), (from.y, along.y)] {
        if along == 0.0 {
            if !(0.0..=1.0).contains(&start) {
                return None;
            }
            continue;
        }
        let [enter, leave] = [-start / along, (1.0 - start) / along];
        range = [
            range[0].max(enter.min(leave)),
            range[1].min(enter.max(leave)),
        ];
    }
    let [enter, leave] = range;
    (enter <= leave)
        .then(|| [enter, leave].map(|at| (from + along * at).clamp(Vec2::ZERO, Vec2::ONE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelItem;

    fn triangle(index: u32) -> Item {
        ModelItem::Triangle { index }.into()
    }

    fn layout(triangles: &[[[f32; 2]; 3]]) -> UvLayout {
        let triangles = triangles.iter().zip(0..);
        UvLayout::new(triangles.map(|(corners, index)| (triangle(index), corners.map(Vec2::from))))
    }

    /// The lower left and the upper right half of the texture.
    const HALVES: [[[f32; 2]; 3]; 2] = [
        [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    ];

    /// The lines of a layout, each from its first end in the order of rows.
    fn lines(layout: &UvLayout) -> Vec<[[f32; 2]; 2]> {
        let lines = layout.lines.iter().map(|line| {
            let mut ends = line.map(|end| end.to_array());
            ends.sort_by(|a, b| [a[1], a[0]].partial_cmp(&[b[1], b[0]]).unwrap());
            ends
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort_by(|a, b| a.partial_cmp(b).unwrap());
        lines
    }

    #[test]
    fn each_edge_is_one_line_in_coordinates_of_the_image() {
        let quad = layout(&HALVES);
        let [nw, ne, sw, se] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        assert_eq!(
            lines(&quad),
            [[nw, sw], [nw, ne], [nw, se], [sw, se], [ne, se]]
        );
        // The first triangle is at the bottom left of the image.
        let at = |x, y| quad.triangles_at(Vec2::new(x, y)).collect::<Vec<_>>();
        assert_eq!(at(0.25, 0.75), [triangle(0)]);
        assert_eq!(at(0.75, 0.25), [triangle(1)]);
        assert_eq!(at(1.25, 0.25), []);
    }

    #[test]
    fn a_triangle_that_leaves_the_image_continues_at_the_other_side() {
        let corners = [[0.75, 2.25], [1.25, 2.25], [0.75, 2.75]];
        let wide = layout(&[corners]);
        assert_eq!(
            lines(&wide),
            [
                [[0.0, 0.5], [0.25, 0.75]],
                [[0.0, 0.75], [0.25, 0.75]],
                [[0.75, 0.25], [0.75, 0.75]],
                [[0.75, 0.25], [1.0, 0.5]],
                [[0.75, 0.75], [1.0, 0.75]],
            ]
        );
        for (x, y, expected) in [(0.8, 0.7, 1), (0.1, 0.7, 1), (0.5, 0.7, 0), (0.1, 0.2, 0)] {
            assert_eq!(
                wide.triangles_at(Vec2::new(x, y)).count(),
                expected,
                "{x} {y}"
            );
        }
        assert_eq!(wide.pieces_of(triangle(0)).count(), 2);
    }

    #[test]
    fn unusable_coordinates_are_counted_and_not_drawn() {
        let [nan, infinite, huge] = [f32::NAN, f32::INFINITY, f32::MAX];
        let bad = [
            [[0.0, 0.0], [nan, 0.0], [0.0, 1.0]],
            [[0.0, 0.0], [1.0, infinite], [0.0, 1.0]],
            [[huge, huge], [-huge, 0.0], [0.0, huge]],
            [[1e9, 0.0], [1e9, 1.0], [1e9, 0.5]],
            [[0.0, 0.0], [9.0, 0.0], [0.0, 1.0]],
        ];
        let layout = layout(&bad);
        assert_eq!((layout.triangles, layout.out_of_range), (5, 5));
        assert_eq!((layout.lines.len(), layout.pieces.len()), (0, 0));
        for at in [Vec2::NAN, Vec2::INFINITY, Vec2::splat(0.5)] {
            assert_eq!(layout.triangles_at(at).count(), 0);
        }
    }

    #[test]
    fn a_triangle_without_area_is_drawn_and_is_at_no_point() {
        let point = layout(&[[[0.5, 0.5]; 3]]);
        assert_eq!(lines(&point), [[[0.5, 0.5]; 2]]);
        assert_eq!(point.triangles_at(Vec2::splat(0.5)).count(), 0);
    }

    #[test]
    fn too_many_triangles_are_left_out_and_counted() {
        let many = vec![HALVES[0]; MAX_PIECES + 3];
        let many = layout(&many);
        assert_eq!((many.triangles, many.left_out), (MAX_PIECES + 3, 3));
        assert_eq!((many.pieces.len(), many.lines.len()), (MAX_PIECES, 3));
    }

    #[test]
    fn a_drawn_layout_has_white_pixels_on_its_lines() {
        let image = layout(&HALVES[..1]).draw([5, 4]);
        assert_eq!(image.size, [5, 4]);
        let drawn = image.rgba.chunks_exact(4).map(|pixel| match pixel {
            [255, 255, 255, 255] => '#',
            [0, 0, 0, 0] => '.',
            _ => '?',
        });
        let drawn: String = drawn.collect();
        assert_eq!(drawn, ["#....", "##...", "#.##.", "#####"].concat());
        let halved = layout(&HALVES).draw([3 * MAX_LAYOUT_SIDE, 2]);
        assert_eq!(halved.size, [3 * MAX_LAYOUT_SIDE / 4, 1]);
        assert_eq!(UvLayout::default().draw([0, 0]).rgba, [0; 4]);
    }

    #[test]
    fn the_scale_is_the_median_of_triangles_with_an_area() {
        let corners = |side: f32| [Vec3::ZERO, Vec3::X * side, Vec3::Y * side];
        let uv = HALVES[0].map(Vec2::from);
        let scale = |sides: &[f32]| {
            let triangles = sides.iter().map(|side| (uv, corners(*side)));
            TextureScale::median(triangles)
        };
        let scale_of = |sides: &[f32]| scale(sides).unwrap().texels([64, 16]);
        assert_eq!(scale_of(&[2.0]), 16.0);
        assert_eq!(scale_of(&[0.0, 8.0, 1.0, f32::NAN, 4.0]), 8.0);
        assert_eq!(scale(&[0.0, f32::INFINITY]), None);
        assert_eq!(scale(&[]), None);
    }
}
