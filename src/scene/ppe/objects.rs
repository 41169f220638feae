//! What stands on layers: sprites, boxes and lines.

use std::collections::HashMap;

use super::files::{Files, Pixels, quoted_name};
use super::palette::{MapPalette, cut};
use crate::formats::Problem;
use crate::formats::ppe::sdlang::At;
use crate::formats::ppe::xmf::{Object, Point, Shape, Sprite, XmfLayer};
use crate::scene::tilemap::making::{group, yes};
use crate::scene::tilemap::{RectPx, Thing, ThingKind};
use crate::scene::{Picture, Property};

/// The size of sprites whose pictures are not there, in pixels.
const USUAL_SIDE: u32 = 16;
/// The largest edge of the picture of a sprite, in pixels.
const MOST_SIDE: i32 = 4096;
/// How many bytes the pictures of a layer's sprites may have.
const MOST_PICTURE_BYTES: usize = 64 << 20;
/// How many straight parts a bent line is drawn with.
const BEND_PARTS: u16 = 16;
/// The scale of a sprite that is drawn as large as its picture.
const SCALE_ONE: f32 = 1024.0;

/// What was made of the objects of a layer.
#[derive(Default)]
pub(super) struct Found {
    pub(super) things: Vec<Thing>,
    pub(super) pictures: Vec<Picture>,
    pub(super) notes: Vec<Problem>,
}

/// Where the picture of a sprite is.
struct Source<'a> {
    path: &'a str,
    part: Option<[i32; 4]>,
    at: At,
}

/// Makes all that stands on a layer, up to a number. So many pictures are in the map already.
pub(super) fn of_layer(
    layer: &XmfLayer,
    number: usize,
    palette: &MapPalette,
    files: &mut Files<'_>,
    pictures_before: usize,
    most_things: usize,
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
    let mut maker = Maker {
        sources,
        palette,
        files,
        made: HashMap::new(),
        pictures_before,
        bytes_left: MOST_PICTURE_BYTES,
        found: Found::default(),
    };
    // Sprites are drawn by their identifiers; of equals, the first one first.
    let mut objects: Vec<&Object> = layer.objects.iter().collect();
    objects.sort_by_key(|object| object.id);
    for object in objects.into_iter().take(most_things) {
        let thing = maker.thing(object, number);
        maker.found.things.push(thing);
    }
    maker.found
}

/// Which picture, palette and size of a palette a sprite has.
type Look = (i32, u32, Option<u32>);

struct Maker<'a, 'f> {
    sources: HashMap<i32, Source<'a>>,
    palette: &'a MapPalette,
    files: &'a mut Files<'f>,
    /// The pictures of looks, and their sizes.
    made: HashMap<Look, Option<(usize, [u32; 2])>>,
    pictures_before: usize,
    bytes_left: usize,
    found: Found,
}

impl Maker<'_, '_> {
    fn thing(&mut self, object: &Object, layer: usize) -> Thing {
        let mut properties = vec![Property::new("Identifier", object.id.to_string())];
        let thing = |kind| Thing::new(kind, &*object.name, Some(layer));
        let mut thing = match &object.shape {
            Shape::Box([left, top, right, bottom]) => {
                let sides = format!("{left}, {top} to {right}, {bottom}");
                properties.push(Property::new("Sides", sides));
                let [left, top, right, bottom] =
                    [*left, *top, *right, *bottom].map(|side| side as f32);
                Thing {
                    // The last pixel is part of it.
                    rect_px: RectPx {
                        min: [left, top],
                        max: [right + 1.0, bottom + 1.0],
                    },
                    ..thing(ThingKind::Box)
                }
            }
            Shape::Sprite(sprite) => {
                let (picture, size) = self.picture(sprite, object.at);
                properties.extend(sprite_properties(sprite));
                let min = sprite.position.map(|px| px as f32);
                let far = |axis: usize| {
                    let scale = sprite.scale[axis].map_or(1.0, |scale| scale as f32 / SCALE_ONE);
                    min[axis] + size[axis] as f32 * scale.abs()
                };
                Thing {
                    rect_px: RectPx {
                        min,
                        max: [far(0), far(1)],
                    },
                    picture,
                    ..thing(ThingKind::Sprite)
                }
            }
            Shape::Polyline { points, is_closed } => {
                properties.push(Property::new("Points", points.len().to_string()));
                properties.push(yes("Closed", *is_closed));
                let mut outline = bent(points);
                outline.extend(outline.first().copied().filter(|_| *is_closed));
                line(outline, thing(ThingKind::Line))
            }
            Shape::Quad([upper_left, upper_right, lower_left, lower_right]) => {
                let around = [upper_left, upper_right, lower_right, lower_left, upper_left];
                let outline = around.map(|corner| corner.map(|px| px as f32));
                line(outline.to_vec(), thing(ThingKind::Line))
            }
            Shape::Other { kind, .. } => {
                properties.push(Property::new("Kind", &**kind));
                thing(ThingKind::Waypoint)
            }
        };
        properties.push(yes("Collision", object.to_collision));
        let At { line, column } = object.at;
        properties.push(Property::new(
            "Place",
            format!("line {line}, column {column}"),
        ));
        thing.properties = vec![group("In the file", properties)];
        thing
    }

    /// The picture of a sprite, and how large it is.
    fn picture(&mut self, sprite: &Sprite, at: At) -> (Option<usize>, [u32; 2]) {
        let look = (sprite.source, sprite.palette, sprite.pal_shift);
        let made = if let Some(made) = self.made.get(&look) {
            *made
        } else {
            let made = match self.make(sprite) {
                Ok(made) => Some(made),
                Err((place, message)) => {
                    let place = place.unwrap_or(at).into();
                    self.found.notes.push(Problem::warning(place, message));
                    None
                }
            };
            self.made.insert(look, made);
            made
        };
        match made {
            Some((picture, size)) => (Some(picture), size),
            None => (None, [USUAL_SIDE; 2]),
        }
    }

    fn make(&mut self, sprite: &Sprite) -> Result<(usize, [u32; 2]), (Option<At>, String)> {
        let id = sprite.source;
        let source = self.sources.get(&id);
        let source =
            source.ok_or_else(|| (None, format!("no picture of a sprite is number {id}")))?;
        let at = Some(source.at);
        let pixels = self.files.picture(source.path);
        let pixels = pixels.map_err(|error| (at, format!("the picture of a sprite {error}")))?;
        let [width, height] = pixels.size();
        let whole = [0, 0, width as i32, height as i32];
        let [left, top, width, height] = source.part.unwrap_or(whole);
        if !(1..=MOST_SIDE).contains(&width) || !(1..=MOST_SIDE).contains(&height) {
            let message = format!(
                "the picture of a sprite, a part of {}, has {width} x {height} pixels; expected 1 \
                 to {MOST_SIDE} each",
                quoted_name(source.path)
            );
            return Err((at, message));
        }
        let size = [width as u32, height as u32];
        let bytes = size[0] as usize * size[1] as usize * 4;
        let left_bytes = self.bytes_left.checked_sub(bytes);
        self.bytes_left =
            left_bytes.ok_or_else(|| (at, "too many pixels in pictures of sprites".to_owned()))?;
        let sheet = match &*pixels {
            Pixels::Indexed(sheet) => Some(sheet),
            Pixels::Colors(_) => None,
        };
        let colors = sheet.map(|sheet| {
            self.palette
                .colors_of(sheet, sprite.palette, sprite.pal_shift)
        });
        let mut rgba = Vec::with_capacity(bytes);
        let corner = [left, top].map(i64::from);
        cut(&pixels, corner, size, colors.as_ref(), &mut rgba);
        if let Some(alpha) = sprite.alpha {
            for opacity in rgba.iter_mut().skip(3).step_by(4) {
                *opacity = (u16::from(*opacity) * u16::from(alpha) / 255) as u8;
            }
        }
        let number = self.pictures_before + self.found.pictures.len();
        self.found.pictures.push(Picture { size, rgba });
        Ok((number, size))
    }
}

fn sprite_properties(sprite: &Sprite) -> Vec<Property> {
    let mut properties = vec![Property::new("Picture", sprite.source.to_string())];
    let mut say = |name, value: Option<String>| {
        properties.extend(value.map(|value| Property::new(name, value)));
    };
    let of =
        |scale: Option<i32>| scale.map_or_else(|| "1024".to_owned(), |scale| scale.to_string());
    let [across, down] = sprite.scale;
    let scale = across
        .or(down)
        .map(|_| format!("{} x {} of 1024", of(across), of(down)));
    say("Scale", scale);
    say("Palette", Some(sprite.palette.to_string()));
    say(
        "Opacity",
        sprite.alpha.map(|alpha| format!("{alpha} of 255")),
    );
    properties
}

/// A line around or through points.
fn line(outline_px: Vec<[f32; 2]>, thing: Thing) -> Thing {
    let mut corners = outline_px.iter();
    let first = corners.next().copied().unwrap_or_default();
    let around = RectPx {
        min: first,
        max: first,
    };
    let rect_px = corners.fold(around, |rect, [x, y]| RectPx {
        min: [rect.min[0].min(*x), rect.min[1].min(*y)],
        max: [rect.max[0].max(*x), rect.max[1].max(*y)],
    });
    Thing {
        rect_px,
        outline_px,
        ..thing
    }
}

/// The points of a line; bends become many.
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
