//! Names on images. They are laid out and rasterised on the CPU, so that they are identical on
//! every device and in every tile of a large image, and need no device.

use std::{fmt, io};

use epaint::text::{FontDefinitions, Fonts, TextOptions};
use epaint::{Color32, FontId, Galley};
use glam::{Vec2, vec2};

use super::labels::{FONT_SIZE, HALO, HALO_COLOR, HALO_OPACITY, LabelLayout, LabelView};
use mapscope_scene::Label;

/// Bytes per pixel.
const RGBA: usize = 4;
/// Maximum font size in pixels: larger letters would need too large an atlas.
const MAX_LETTERS: f32 = 160.0;
/// Maximum side of the font atlas, in pixels.
const MAX_ATLAS_SIDE: usize = 8192;

/// Lays out names and draws them on images.
pub struct NamePainter {
    fonts: Fonts,
    places: LabelLayout,
    labels: Vec<Label>,
    names: Vec<Name>,
}

/// A name on an image.
#[derive(Debug)]
struct Name {
    /// Position of its top left pixel.
    at: [i64; 2],
    /// Width and height in pixels.
    size: [usize; 2],
    /// RGBA of each of its pixels, with straight alpha.
    rgba: Vec<[u8; RGBA]>,
}

impl fmt::Debug for NamePainter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("NamePainter");
        debug
            .field("names", &self.names.len())
            .finish_non_exhaustive()
    }
}

impl Default for NamePainter {
    fn default() -> Self {
        let options = TextOptions {
            max_texture_side: MAX_ATLAS_SIDE,
            ..TextOptions::default()
        };
        Self {
            fonts: Fonts::new(options, FontDefinitions::default()),
            places: LabelLayout::default(),
            labels: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl NamePainter {
    /// Lays out the names of items in view and replaces the previous ones.
    pub fn write(&mut self, view: LabelView<'_>) {
        self.labels.clear();
        self.names.clear();
        if let Some(annotations) = view.document.annotations() {
            annotations.labels(view.shown, &mut self.labels);
        }
        self.places.forget();
        let letters = (FONT_SIZE * view.scale).min(MAX_LETTERS);
        let font = FontId::proportional(letters);
        let scale = letters / FONT_SIZE;
        let view = LabelView { scale, ..view };
        let fonts = &mut self.fonts;
        let mut laid_out = Vec::new();
        self.places.place(
            &self.labels,
            view,
            |label| {
                // Pixels are points here.
                let mut fonts = fonts.with_pixels_per_point(1.0);
                let text = label.text.clone();
                let galley = fonts.layout_no_wrap(text, font.clone(), Color32::WHITE);
                let size = vec2(galley.size().x, galley.size().y);
                ((galley, label.color), size)
            },
            |(galley, color), at| laid_out.push((galley, color, at)),
        );
        // The atlas now contains all letters.
        let atlas = self.fonts.texture_atlas().image();
        let names = laid_out
            .iter()
            .map(|(galley, color, at)| Name::new(galley, atlas, *color, *at, scale));
        self.names.extend(names);
    }

    /// Draws the names on rows of an image that is `width` pixels wide, starting at `first_row`.
    /// The rows are RGBA bytes with straight alpha.
    pub fn draw(&self, width: u64, first_row: u64, rows: &mut [u8]) {
        let row_bytes = (width as usize * RGBA).max(1);
        for (y, row) in (first_row as i64..).zip(rows.chunks_exact_mut(row_bytes)) {
            let (pixels, _) = row.as_chunks_mut();
            for name in &self.names {
                name.draw_row(y, pixels);
            }
        }
    }

    /// Returns a callback that draws the names on rows of an image and passes them on.
    pub fn on_rows(
        &self,
        width: u64,
        rows: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> impl FnMut(&[u8]) -> io::Result<()> {
        let (mut row, mut drawn) = (0, Vec::new());
        move |some| {
            drawn.clear();
            drawn.extend_from_slice(some);
            self.draw(width, row, &mut drawn);
            row += (some.len() / (width as usize * RGBA)) as u64;
            rows(&drawn)
        }
    }
}

impl Name {
    fn new(
        galley: &Galley,
        atlas: &epaint::ColorImage,
        [r, g, b]: [u8; 3],
        at: Vec2,
        scale: f32,
    ) -> Self {
        let edge = scale.ceil() as usize + 1;
        let [width, height] = [galley.size().x, galley.size().y].map(|it| it.ceil() as usize);
        let size = [width + 2 * edge, height + 2 * edge];
        let mut opacity = vec![0; size[0] * size[1]];
        for row in &galley.rows {
            for glyph in &row.glyphs {
                let uv = glyph.uv_rect;
                let left_top = row.pos.to_vec2() + glyph.pos.to_vec2() + uv.offset;
                let [left, top] =
                    [left_top.x, left_top.y].map(|it| it.round() as i64 + edge as i64);
                for (y, v) in (top..).zip(uv.min[1]..uv.max[1]) {
                    for (x, u) in (left..).zip(uv.min[0]..uv.max[0]) {
                        let texel = atlas
                            .pixels
                            .get(usize::from(v) * atlas.size[0] + usize::from(u));
                        let pixel = index_of(size, [x, y]).and_then(|index| opacity.get_mut(index));
                        if let (Some(texel), Some(pixel)) = (texel, pixel) {
                            *pixel = texel.a().max(*pixel);
                        }
                    }
                }
            }
        }
        let opacity_at = |x: i64, y: i64| {
            let opacity = index_of(size, [x, y]).and_then(|index| opacity.get(index));
            opacity.map_or(0.0, |opacity| f32::from(*opacity) / 255.0)
        };
        let halo = HALO.map(|offset| offset.map(|by| (by * scale).round() as i64));
        let mut rgba = Vec::with_capacity(size[0] * size[1]);
        for y in 0..size[1] as i64 {
            for x in 0..size[0] as i64 {
                let clear = halo
                    .iter()
                    .map(|[by_x, by_y]| 1.0 - opacity_at(x - by_x, y - by_y) * HALO_OPACITY);
                let [edge_r, edge_g, edge_b] = HALO_COLOR;
                let edge_alpha = ((1.0 - clear.product::<f32>()) * 255.0).round() as u8;
                let mut pixel = [edge_r, edge_g, edge_b, edge_alpha];
                let letter = (opacity_at(x, y) * 255.0).round() as u8;
                blend(&mut pixel, [r, g, b, letter]);
                rgba.push(pixel);
            }
        }
        let corner = [at.x, at.y].map(|it| it.round() as i64 - edge as i64);
        Self {
            at: corner,
            size,
            rgba,
        }
    }

    /// Draws the part of the name that lies on row `y`.
    fn draw_row(&self, y: i64, pixels: &mut [[u8; RGBA]]) {
        let [width, height] = self.size;
        let [left, top] = self.at;
        let Ok(row) = usize::try_from(y - top) else {
            return;
        };
        if row >= height {
            return;
        }
        let own = self.rgba.iter().skip(row * width).take(width);
        // Skip the part to the left of the image.
        let beside = usize::try_from(-left).unwrap_or(0);
        let first = usize::try_from(left).unwrap_or(0);
        for (pixel, over) in pixels.iter_mut().skip(first).zip(own.skip(beside)) {
            blend(pixel, *over);
        }
    }
}

/// Index of a pixel of an image of this size; `None` outside it.
fn index_of([width, height]: [usize; 2], [x, y]: [i64; 2]) -> Option<usize> {
    let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    (x < width && y < height).then(|| y * width + x)
}

/// Blends a colour over another one; both have straight alpha.
fn blend(under: &mut [u8; RGBA], over: [u8; RGBA]) {
    let [.., over_alpha] = over.map(f32::from);
    if over_alpha == 0.0 {
        return;
    }
    let alpha = over_alpha / 255.0;
    let [.., under_alpha] = under.map(|channel| f32::from(channel) / 255.0);
    let under_weight = under_alpha * (1.0 - alpha);
    let whole = alpha + under_weight;
    let [r, g, b] = [0, 1, 2].map(|channel| {
        let sum = f32::from(over[channel]) * alpha + f32::from(under[channel]) * under_weight;
        (sum / whole).round() as u8
    });
    *under = [r, g, b, (whole * 255.0).round() as u8];
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_scene::camera::{Camera, NamedView};
    use mapscope_scene::{OpenOptions, Progress, Shown, demo};

    #[test]
    fn colours_are_put_over_each_other() {
        let over = |mut under: [u8; 4], over| {
            blend(&mut under, over);
            under
        };
        assert_eq!(over([1, 2, 3, 4], [9, 9, 9, 0]), [1, 2, 3, 4]);
        assert_eq!(over([1, 2, 3, 4], [9, 8, 7, 255]), [9, 8, 7, 255]);
        assert_eq!(over([0; 4], [9, 8, 7, 100]), [9, 8, 7, 100], "on nothing");
        assert_eq!(over([0, 0, 0, 255], [200, 100, 50, 102]), [80, 40, 20, 255]);
    }

    #[test]
    fn joints_are_named_the_same_row_by_row_and_larger_where_wished() {
        let (options, progress) = (OpenOptions::default(), Progress::default());
        let document = mapscope_scene::open(&demo::DRAKELING.source(), &options, &progress);
        let document = &*document.unwrap();
        let mut shown = Shown::default();
        let about = document.about();
        let view = NamedView::South;
        let camera = Camera::framing(about.bounds, view, about.handedness, 1.5);
        let mut painter = NamePainter::default();
        let mut drawn = |shown: &Shown, scale: u32| {
            let [width, height] = [300 * scale, 200 * scale];
            painter.write(LabelView {
                document,
                shown,
                camera: &camera,
                size: vec2(width as f32, height as f32),
                scale: scale as f32,
            });
            let bytes = (width * height) as usize * RGBA;
            let mut whole = vec![0; bytes];
            painter.draw(width.into(), 0, &mut whole);
            let mut parts = Vec::new();
            let mut take = |rows: &[u8]| {
                parts.extend_from_slice(rows);
                Ok(())
            };
            let mut rows = painter.on_rows(width.into(), &mut take);
            let part = vec![0; width as usize * RGBA * 40];
            for _ in 0..height / 40 {
                rows(&part).unwrap();
            }
            drop(rows);
            assert!(parts == whole);
            whole
                .chunks_exact(RGBA)
                .filter(|pixel| pixel[3] > 0)
                .count()
        };
        assert_eq!(drawn(&shown, 1), 0, "no names are wanted");
        shown.has_names = true;
        let once = drawn(&shown, 1);
        assert!(once > 1000, "{once}");
        let twice = drawn(&shown, 2) as f32 / once as f32;
        assert!((3.0..5.0).contains(&twice), "{twice}");
    }
}
