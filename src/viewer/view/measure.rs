//! The measuring tool: the distance between two points.

use egui::{Align2, FontId, Painter, Pos2, Rect, Stroke, vec2};
use glam::{Vec2, Vec3};

use super::View;
use crate::viewer::theme;
use mapscope_scene::camera::Camera;
use mapscope_scene::terrain::Terrain;
use mapscope_scene::terrain::geometry::TILE_SIDE;
use mapscope_scene::{Document, SummaryPart, fixed};

/// Half the length of the marks at the ends, in points.
const MARK: f32 = 5.0;

/// State of the measuring tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Measure {
    open: bool,
    /// Start and end in world space.
    pub line: Option<[Vec3; 2]>,
    /// Width and height of a tile along X and Z, if lengths are also given in tiles.
    tile: Option<[f32; 2]>,
    /// `true` if the document is a 2D map, whose unit is the pixel.
    in_pixels: bool,
}

impl Measure {
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Starts measuring in a document, or stops.
    pub(crate) fn toggle(&mut self, document: &dyn Document) {
        if self.open {
            self.close();
            return;
        }
        let layers = document.layers();
        let tile = if document.content::<Terrain>().is_some() {
            Some([TILE_SIDE; 2])
        } else {
            layers.and_then(|layers| {
                let size = layers.tilesets().first()?.tile_size;
                Some(size.map(|side| side.max(1) as f32))
            })
        };
        *self = Self {
            open: true,
            line: None,
            tile,
            in_pixels: layers.is_some(),
        };
    }

    /// Closes the tool.
    pub(crate) fn close(&mut self) {
        *self = Self::default();
    }

    /// Starts a line at a point.
    pub(crate) fn begin(&mut self, from: Vec3) {
        self.line = Some([from, from]);
    }

    /// Moves the end of the line to a point.
    pub(crate) fn go_to(&mut self, to: Vec3) {
        if let Some([_, end]) = &mut self.line {
            *end = to;
        }
    }

    /// Returns the lengths of the measured line, the most important first; none before anything was
    /// measured.
    pub(crate) fn parts(&self) -> Vec<SummaryPart> {
        let Some([from, to]) = self.line else {
            return Vec::new();
        };
        let way = to - from;
        let (across, down) = (way.x.abs(), way.z.abs());
        let mut parts = if self.in_pixels {
            vec![
                SummaryPart::new("Pixels", format!("{across} × {down}")),
                SummaryPart::new("Length", fixed(across.hypot(down), 1)),
            ]
        } else {
            vec![
                SummaryPart::new("Length", fixed(way.length(), 2)),
                SummaryPart::new("Distance", fixed(across.hypot(down), 2)),
                SummaryPart::new("Height difference", signed(way.y)),
            ]
        };
        if let Some([width, height]) = self.tile {
            let tiles = [across / width, down / height].map(in_tiles);
            parts.insert(1, SummaryPart::new("Tiles", tiles.join(" × ")));
        }
        parts
    }

    /// Paints the measured line over the view in a rectangle.
    pub(crate) fn paint(&self, camera: &Camera, painter: &Painter, rect: Rect) {
        let Some(line) = self.line else {
            return;
        };
        let ends = line.map(|point| on_screen(camera, point, rect));
        let [Some(from), Some(to)] = ends else {
            return;
        };
        let painter = painter.with_clip_rect(rect);
        let (dark, light) = (
            Stroke::new(4.0, theme::DEEP.of(painter.ctx()).gamma_multiply(0.75)),
            Stroke::new(1.5, theme::ACCENT.of(painter.ctx())),
        );
        let along = (to - from).normalized();
        let aside = if along == egui::Vec2::ZERO {
            vec2(0.0, MARK)
        } else {
            along.rot90() * MARK
        };
        for stroke in [dark, light] {
            painter.line_segment([from, to], stroke);
            for end in [from, to] {
                painter.line_segment([end - aside, end + aside], stroke);
            }
        }
        let parts = self.parts();
        let text: Vec<String> = parts
            .iter()
            .map(|part| format!("{} {}", part.name, part.value))
            .collect();
        let galley = painter.layout_no_wrap(
            text.join("\n"),
            FontId::proportional(12.5),
            theme::ACCENT.of(painter.ctx()),
        );
        // Beyond the end, so that the pointer does not hide it, and clamped to the view.
        let room = galley.size() + vec2(14.0, 10.0);
        let beside = to + vec2(14.0, 14.0);
        let place = Align2::LEFT_TOP.anchor_size(beside, room);
        let inner = rect.shrink(4.0);
        let back = vec2(
            (place.max.x - inner.max.x).max(0.0),
            (place.max.y - inner.max.y).max(0.0),
        );
        let place = place.translate(-back);
        painter.rect_filled(
            place,
            4.0,
            theme::DEEP.of(painter.ctx()).gamma_multiply(0.88),
        );
        painter.galley(
            place.min + vec2(7.0, 5.0),
            galley,
            theme::ACCENT.of(painter.ctx()),
        );
    }
}

impl View {
    /// Returns the point to measure at a view position: `at` is a fraction of the view, `px` is in
    /// physical pixels from the top left.
    pub(crate) fn measured_at(&self, document: &dyn Document, at: Vec2, px: Vec2) -> Vec3 {
        let place = self.flat_place(px);
        let place = place.unwrap_or_else(|| self.seen_at(document, at));
        if document.layers().is_some() {
            // From edge to edge of pixels.
            Vec3::new(place.x.round(), place.y, place.z.round())
        } else {
            place
        }
    }
}

/// Formats a length in tiles, without trailing zeros.
fn in_tiles(tiles: f32) -> String {
    let text = fixed(tiles, 2);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

/// Formats a difference with its sign, `+` included.
fn signed(difference: f32) -> String {
    let text = fixed(difference, 2);
    let plus = if text.starts_with('-') { "" } else { "+" };
    [plus, &text].concat()
}

pub(crate) fn on_screen(camera: &Camera, point: Vec3, rect: Rect) -> Option<Pos2> {
    let at = camera.project(point, rect.aspect_ratio())?;
    let place = rect.min + vec2(at.x * rect.width(), at.y * rect.height());
    place.is_finite().then_some(place)
}
