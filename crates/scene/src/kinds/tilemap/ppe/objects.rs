//! Objects on layers: sprites, boxes and lines.

use std::collections::HashMap;

use super::facts::in_drawing_order;
use super::files::{Files, Pixels, quoted_name};
use super::palette::{MapPalette, cut};
use crate::Image;
use crate::core::rules::{self, Fault};
use crate::kinds::tilemap::{Object, ObjectKind, RectPx};
use mapscope_formats::ppe::sdlang::At;
use mapscope_formats::ppe::xmf::{Object as FileObject, Point, Shape, Sprite, XmfLayer};

/// Side of sprites without an image, in pixels.
const DEFAULT_SIDE: u32 = 16;
/// Maximum side of a sprite's image, in pixels.
const MAX_SIDE: i32 = 4096;
/// Number of segments of a curve.
const BEND_PARTS: u16 = 16;
/// The scale of an unscaled sprite.
const SCALE_ONE: f32 = 1024.0;

/// The objects built for a layer.
#[derive(Default)]
pub(super) struct Found {
    pub(super) objects: Vec<Object>,
    pub(super) images: Vec<Image>,
    /// Problems of their images, with places.
    pub(super) notes: Vec<(At, Fault)>,
}

/// The source of a sprite's image.
struct Source<'a> {
    path: &'a str,
    part: Option<[i32; 4]>,
    at: At,
}

/// Builds the objects of a layer, up to `max_objects`. `images_before` is the number of images
/// already in the map; `bytes_left` is the remaining budget for sprite images.
pub(super) fn of_layer(
    layer: &XmfLayer,
    number: usize,
    palette: &MapPalette,
    files: &mut Files<'_>,
    images_before: usize,
    bytes_left: &mut usize,
    max_objects: usize,
) -> Found {
    let mut sources = HashMap::new();
    for source in &layer.sprite_sources {
        let (path, part, at) = (&*source.path, source.part, source.at);
        sources
            .entry(source.id)
            .or_insert(Source { path, part, at });
    }
    for sheet in &layer.sprite_sheets {
        for sprite in &sheet.sprites {
            let (path, part, at) = (&*sheet.path, Some(sprite.part), sheet.at);
            sources
                .entry(sprite.id)
                .or_insert(Source { path, part, at });
        }
    }
    let mut maker = ObjectBuilder {
        sources,
        palette,
        files,
        made: HashMap::new(),
        images_before,
        bytes_left,
        found: Found::default(),
    };
    let objects = in_drawing_order(&layer.objects)
        .into_iter()
        .filter_map(|index| layer.objects.get(index));
    for of_file in objects.take(max_objects) {
        let object = maker.object(of_file, number);
        maker.found.objects.push(object);
    }
    maker.found
}

/// Everything that determines the image of a sprite; a cache key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SpriteKey {
    source: i32,
    palette: u32,
    pal_shift: Option<u32>,
    alpha: Option<u8>,
    /// Mirrored horizontally, vertically.
    mirrored: [bool; 2],
}

impl SpriteKey {
    fn of(sprite: &Sprite) -> Self {
        Self {
            source: sprite.source,
            palette: sprite.palette,
            pal_shift: sprite.pal_shift,
            alpha: sprite.alpha,
            mirrored: mirrored(sprite),
        }
    }
}

/// Two flags for a sprite that is mirrored horizontally, vertically.
pub(super) fn mirrored(sprite: &Sprite) -> [bool; 2] {
    [0, 1].map(|axis| {
        let by_scale = sprite.scale[axis].is_some_and(|scale| scale < 0);
        let start = sprite.position[axis];
        let by_corner = sprite.corner[axis].is_some_and(|corner| corner < start);
        sprite.mirror[axis].unwrap_or(false) ^ by_scale ^ by_corner
    })
}

struct ObjectBuilder<'a, 'f, 'b> {
    sources: HashMap<i32, Source<'a>>,
    palette: &'a MapPalette,
    files: &'a mut Files<'f>,
    /// Cache of images and their sizes.
    made: HashMap<SpriteKey, Option<(usize, [u32; 2])>>,
    images_before: usize,
    bytes_left: &'b mut usize,
    found: Found,
}

impl ObjectBuilder<'_, '_, '_> {
    fn object(&mut self, of_file: &FileObject, layer: usize) -> Object {
        let object = |kind| Object::new(kind, &*of_file.name, Some(layer));
        match &of_file.shape {
            Shape::Box([left, top, right, bottom]) => {
                let [left, top, right, bottom] =
                    [*left, *top, *right, *bottom].map(|side| side as f32);
                Object {
                    // The last pixel is included.
                    rect_px: RectPx {
                        min: [left, top],
                        max: [right + 1.0, bottom + 1.0],
                    },
                    ..object(ObjectKind::Box)
                }
            }
            Shape::Sprite(sprite) => {
                let look = SpriteKey::of(sprite);
                let (image, size) = self.image(look, of_file.at);
                Object {
                    rect_px: sprite_rect(sprite, size),
                    image,
                    ..object(ObjectKind::Sprite)
                }
            }
            Shape::QuadSprite(sprite, [upper_right, lower_left, lower_right]) => {
                let corners = [sprite.position, *upper_right, *lower_left, *lower_right]
                    .map(|corner| corner.map(|px| px as f32));
                let look = SpriteKey::of(sprite);
                let [a, b, c, d] = corners;
                let outlined = line(vec![a, b, d, c], object(ObjectKind::Sprite));
                let (image, _) = self.image(look, of_file.at);
                let stretched = image.map(|image| self.stretched(image, corners));
                let image = match stretched {
                    Some(Ok(image)) => image,
                    Some(Err(message)) => {
                        let fault = (&rules::SPRITE, message);
                        self.found.notes.push((of_file.at, fault));
                        None
                    }
                    None => None,
                };
                Object { image, ..outlined }
            }
            Shape::Polyline { points, is_closed } => {
                let mut outline = bent(points);
                outline.extend(outline.first().copied().filter(|_| *is_closed));
                line(outline, object(ObjectKind::Line))
            }
            Shape::Quad([upper_left, upper_right, lower_left, lower_right]) => {
                let around = [upper_left, upper_right, lower_right, lower_left, upper_left];
                let outline = around.map(|corner| corner.map(|px| px as f32));
                line(outline.to_vec(), object(ObjectKind::Line))
            }
            Shape::Other { .. } => object(ObjectKind::Waypoint),
        }
    }

    /// The image of a sprite and its size.
    fn image(&mut self, look: SpriteKey, at: At) -> (Option<usize>, [u32; 2]) {
        let made = if let Some(made) = self.made.get(&look) {
            *made
        } else {
            let made = match self.make(look) {
                Ok(made) => Some(made),
                Err((place, fault)) => {
                    self.found.notes.push((place.unwrap_or(at), fault));
                    None
                }
            };
            self.made.insert(look, made);
            made
        };
        match made {
            Some((image, size)) => (Some(image), size),
            None => (None, [DEFAULT_SIDE; 2]),
        }
    }

    fn make(&mut self, look: SpriteKey) -> Result<(usize, [u32; 2]), (Option<At>, Fault)> {
        let id = look.source;
        let source = self.sources.get(&id).ok_or_else(|| {
            let message = format!("sprite image {id} not found");
            (None, (&rules::SPRITE, message))
        })?;
        let at = Some(source.at);
        let wrong = |message| (at, (&rules::SPRITE, message));
        let pixels = self.files.image(source.path);
        let pixels =
            pixels.map_err(|(rule, error)| (at, (rule, format!("sprite image {error}"))))?;
        let [width, height] = pixels.size();
        let image_size = [width, height];
        let whole = [0, 0, width as i32, height as i32];
        let [left, top, width, height] = source.part.unwrap_or(whole);
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            let message = format!(
                "the sprite image in {} has {width} x {height} pixels; expected 1 to {MAX_SIDE} \
                 per side",
                quoted_name(source.path)
            );
            return Err(wrong(message));
        }
        let ends =
            [(left, width), (top, height)].map(|(from, side)| i64::from(from) + i64::from(side));
        let is_inside = left >= 0
            && top >= 0
            && ends
                .iter()
                .zip(image_size)
                .all(|(end, side)| *end <= i64::from(side));
        if !is_inside {
            let [image_width, image_height] = image_size;
            let message = format!(
                "the sprite image has {width} x {height} pixels at {left}, {top} of {}, which \
                 has {image_width} x {image_height}",
                quoted_name(source.path)
            );
            return Err(wrong(message));
        }
        let size = [width as u32, height as u32];
        let bytes = self.take_bytes(size).map_err(wrong)?;
        let sheet = match &*pixels {
            Pixels::Indexed(sheet) => Some(sheet),
            Pixels::Colors(_) => None,
        };
        let colors = sheet.map(|sheet| self.palette.colors_of(sheet, look.palette, look.pal_shift));
        let mut rgba = Vec::with_capacity(bytes);
        let corner = [left, top].map(i64::from);
        cut(&pixels, corner, size, colors.as_ref(), &mut rgba);
        mirror(&mut rgba, size, look.mirrored);
        if let Some(alpha) = look.alpha {
            for opacity in rgba.iter_mut().skip(3).step_by(4) {
                *opacity = (u16::from(*opacity) * u16::from(alpha) / 255) as u8;
            }
        }
        Ok((self.add(Image { size, rgba }), size))
    }

    /// Reserves memory for an image of this size, and returns its bytes.
    fn take_bytes(&mut self, size: [u32; 2]) -> Result<usize, String> {
        let bytes = size[0] as usize * size[1] as usize * 4;
        let left = self.bytes_left.checked_sub(bytes);
        *self.bytes_left = left.ok_or_else(|| "too many pixels in sprite images".to_owned())?;
        Ok(bytes)
    }

    /// Adds an image and returns its index.
    fn add(&mut self, image: Image) -> usize {
        self.found.images.push(image);
        self.images_before + self.found.images.len() - 1
    }

    /// Stretches an image between four corners, within their bounding rectangle; `None` if the
    /// rectangle is empty.
    fn stretched(&mut self, image: usize, corners: [[f32; 2]; 4]) -> Result<Option<usize>, String> {
        let around = around(&corners);
        let sides = [0, 1].map(|axis| around.max[axis] - around.min[axis]);
        let max = MAX_SIDE as f32;
        if sides.iter().any(|side| *side > max) {
            let [width, height] = sides;
            return Err(format!(
                "the corners of the sprite are {width} x {height} pixels apart; expected at \
                 most {MAX_SIDE} per side (its image is left out)"
            ));
        }
        let size = sides.map(|side| side as u32);
        if size.contains(&0) {
            return Ok(None);
        }
        let bytes = self.take_bytes(size)?;
        let place = image.checked_sub(self.images_before);
        let Some(from) = place.and_then(|place| self.found.images.get(place)) else {
            return Ok(None);
        };
        let mut rgba = Vec::with_capacity(bytes);
        for y in 0..size[1] {
            for x in 0..size[0] {
                let at = [x, y].map(|px| px as f32 + 0.5);
                let at = [at[0] + around.min[0], at[1] + around.min[1]];
                rgba.extend(texel(from, corners, at).unwrap_or_default());
            }
        }
        Ok(Some(self.add(Image { size, rgba })))
    }
}

/// The texel at a place of an image that is stretched between upper left, upper right, lower left
/// and lower right corner. The engine draws two triangles: the first three corners, and the last
/// three.
fn texel(image: &Image, [a, b, c, d]: [[f32; 2]; 4], at: [f32; 2]) -> Option<[u8; 4]> {
    let first = within([a, b, c], at).map(|[_, across, down]| [across, down]);
    // In the second triangle, the way down is one minus the weight of the upper right corner, and
    // the way across is one minus the weight of the lower left corner.
    let second = || within([d, c, b], at).map(|[_, left, up]| [1.0 - left, 1.0 - up]);
    let at = first.or_else(second)?;
    let [column, row] = [0, 1].map(|axis| {
        let size = image.size[axis];
        ((at[axis] * size as f32) as u32).min(size.saturating_sub(1))
    });
    let start = (row as usize * image.size[0] as usize + column as usize) * 4;
    image.rgba.get(start..)?.first_chunk().copied()
}

/// Barycentric coordinates of a place in a triangle, if it is inside.
fn within([a, b, c]: [[f32; 2]; 3], at: [f32; 2]) -> Option<[f32; 3]> {
    let cross = |from: [f32; 2], u: [f32; 2], v: [f32; 2]| {
        (u[0] - from[0]) * (v[1] - from[1]) - (u[1] - from[1]) * (v[0] - from[0])
    };
    let area = cross(a, b, c);
    let shares = [cross(at, b, c), cross(at, c, a), cross(at, a, b)].map(|part| part / area);
    let is_within = area != 0.0 && shares.iter().all(|share| *share >= 0.0);
    is_within.then_some(shares)
}

/// Mirrors an image horizontally and vertically.
fn mirror(rgba: &mut [u8], [width, _]: [u32; 2], [across, down]: [bool; 2]) {
    let (pixels, _) = rgba.as_chunks_mut::<4>();
    if down {
        // Reverses all pixels, which mirrors both axes; each row is reversed back below if needed.
        pixels.reverse();
    }
    if across != down {
        pixels
            .chunks_mut(width.max(1) as usize)
            .for_each(<[_]>::reverse);
    }
}

/// The rectangle of a sprite with an image of this size: up to its lower right corner if it has
/// one, else by its scale.
fn sprite_rect(sprite: &Sprite, size: [u32; 2]) -> RectPx {
    let ends = [0, 1].map(|axis| {
        let start = sprite.position[axis] as f32;
        if let Some(corner) = sprite.corner[axis] {
            let corner = corner as f32;
            return [start.min(corner), start.max(corner)];
        }
        let scale = sprite.scale[axis].map_or(1.0, |scale| scale as f32 / SCALE_ONE);
        [start, start + size[axis] as f32 * scale.abs()]
    });
    RectPx {
        min: ends.map(|[start, _]| start),
        max: ends.map(|[_, end]| end),
    }
}

/// The bounding rectangle of points.
fn around(points: &[[f32; 2]]) -> RectPx {
    let mut points = points.iter();
    let first = points.next().copied().unwrap_or_default();
    let around = RectPx {
        min: first,
        max: first,
    };
    points.fold(around, |rect, [x, y]| RectPx {
        min: [rect.min[0].min(*x), rect.min[1].min(*y)],
        max: [rect.max[0].max(*x), rect.max[1].max(*y)],
    })
}

/// An object with an outline through these points.
fn line(outline_px: Vec<[f32; 2]>, object: Object) -> Object {
    Object {
        rect_px: around(&outline_px),
        outline_px,
        ..object
    }
}

/// The points of a line, with curves split into segments.
fn bent(points: &[Point]) -> Vec<[f32; 2]> {
    let at = |[x, y]: [i32; 2]| [x as f32, y as f32];
    let mix =
        |a: [f32; 2], b: [f32; 2], t: f32| [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
    let mut line: Vec<[f32; 2]> = Vec::with_capacity(points.len());
    for point in points {
        let end = at(point.position);
        let bend = line.last().copied().zip(point.controls.first());
        if let Some((start, first)) = bend {
            let first = at(*first);
            let second = point.controls.get(1).map(|second| at(*second));
            for part in 1..BEND_PARTS {
                let t = f32::from(part) / f32::from(BEND_PARTS);
                let [mut a, mut b] = [mix(start, first, t), mix(first, second.unwrap_or(end), t)];
                if let Some(second) = second {
                    let c = mix(second, end, t);
                    [a, b] = [mix(a, b, t), mix(b, c, t)];
                }
                line.push(mix(a, b, t));
            }
        }
        line.push(end);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of pixels with numbers as colours.
    fn image(size: [u32; 2], pixels: &[u8]) -> Image {
        let rgba: Vec<u8> = pixels.iter().flat_map(|pixel| [*pixel; 4]).collect();
        assert_eq!(rgba.len() as u32, size[0] * size[1] * 4);
        Image { size, rgba }
    }

    #[test]
    fn images_are_mirrored() {
        let mirrored = |mirrored| {
            let mut rgba = image([3, 2], &[1, 2, 3, 4, 5, 6]).rgba;
            mirror(&mut rgba, [3, 2], mirrored);
            let first = rgba.iter().step_by(4).copied();
            first.collect::<Vec<u8>>()
        };
        assert_eq!(mirrored([false, false]), [1, 2, 3, 4, 5, 6]);
        assert_eq!(mirrored([true, false]), [3, 2, 1, 6, 5, 4]);
        assert_eq!(mirrored([false, true]), [4, 5, 6, 1, 2, 3]);
        assert_eq!(mirrored([true, true]), [6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn corners_and_scales_mirror() {
        let base = Sprite {
            position: [10, 20],
            ..Sprite::default()
        };
        let made = |sprite: Sprite| {
            let RectPx { min, max } = sprite_rect(&sprite, [8, 4]);
            (SpriteKey::of(&sprite).mirrored, [min, max])
        };
        assert_eq!(made(base), ([false; 2], [[10.0, 20.0], [18.0, 24.0]]));
        let scaled = Sprite {
            scale: [Some(-2048), Some(512)],
            ..base
        };
        let expected = [[10.0, 20.0], [26.0, 22.0]];
        assert_eq!(made(scaled), ([true, false], expected));
        let cornered = Sprite {
            corner: [Some(30), Some(5)],
            ..base
        };
        let expected = [[10.0, 5.0], [30.0, 20.0]];
        assert_eq!(made(cornered), ([false, true], expected));
        let twice = Sprite {
            mirror: [Some(true), Some(true)],
            ..cornered
        };
        assert_eq!(made(twice), ([true, false], expected));
    }

    #[test]
    fn quads_show_the_corners_of_their_image_at_theirs() {
        let image = image([2, 2], &[1, 2, 3, 4]);
        let at = |corners, at| texel(&image, corners, at).map(|[pixel, ..]| pixel);
        let rows = |corners, size: [u32; 2]| {
            let row = |y| (0..size[0]).map(move |x| [x as f32 + 0.5, y as f32 + 0.5]);
            let pixels = (0..size[1]).flat_map(row);
            pixels
                .map(|place| at(corners, place).unwrap_or(0))
                .collect::<Vec<u8>>()
        };
        let square = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]];
        assert_eq!(rows(square, [2, 2]), [1, 2, 3, 4]);
        // A quarter turn clockwise.
        let turned = [[2.0, 0.0], [2.0, 2.0], [0.0, 0.0], [0.0, 2.0]];
        assert_eq!(rows(turned, [2, 2]), [3, 1, 4, 2]);
        // Sheared to the right: pixels outside are empty.
        let leaning = [[2.0, 0.0], [4.0, 0.0], [0.0, 4.0], [2.0, 4.0]];
        assert_eq!(
            rows(leaning, [4, 4]),
            [0, 0, 1, 2, 0, 1, 2, 0, 0, 3, 4, 0, 3, 4, 0, 0]
        );
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        assert_eq!(at(line, [0.5, 0.0]), None);
    }

    #[test]
    fn bends_go_through_their_ends() {
        let point = |position, controls: &[[i32; 2]]| Point {
            position,
            controls: controls.to_vec(),
            ..Point::default()
        };
        let line = bent(&[
            point([0, 0], &[]),
            point([10, 0], &[[5, 8]]),
            point([20, 0], &[]),
            point([30, 0], &[[20, 8], [30, -8]]),
        ]);
        let parts = usize::from(BEND_PARTS);
        assert_eq!(line.len(), 1 + parts + 1 + parts);
        assert_eq!(line[parts / 2], [5.0, 4.0]);
        assert_eq!((line[parts], line[parts + 1]), ([10.0, 0.0], [20.0, 0.0]));
        assert_eq!(line[parts + 1 + parts / 2], [25.0, 0.0]);
        assert_eq!(bent(&[point([1, 2], &[[3, 4]])]), [[1.0, 2.0]]);
    }
}
