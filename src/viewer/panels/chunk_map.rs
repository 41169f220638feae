//! The chunks of a level as small boxes, coloured by the amount of their content.

use egui::{
    Align2, Color32, Mesh, PointerButton, Pos2, Rect, Response, RichText, Role, Sense, Shape,
    Stroke, TextStyle, Ui, WidgetInfo, pos2, vec2,
};
use epaint::Vertex;
use glam::{Vec2, Vec3};

use super::document_key::DocumentKey;
use super::{Hover, PanelContext, PanelUi, Request, parts};
use crate::viewer::format;
use crate::viewer::view::camera_control;
use mapscope_scene::camera::{Camera, Pose};
use mapscope_scene::{Aabb, ChunkMap, Item};

/// Fraction of its cell that a box fills, which leaves a gap to the next box.
const BOX_FILL_FRACTION: f32 = 0.82;
/// Margin around the map, in points.
const MARGIN: f32 = 14.0;
/// Minimum panel width for a legend beside the map, in points.
const MIN_SIDE_LEGEND_WIDTH: f32 = 420.0;
/// Width of the legend beside the map, in points.
const LEGEND_WIDTH: f32 = 190.0;
/// Maximum number of boxes that are drawn with edges; with more, edges are only noise.
const MAX_WITH_EDGES: usize = 600;
/// Colours from the lowest to the highest value, evenly spaced.
const SCALE: [[u8; 3]; 5] = [
    [52, 66, 110],
    [44, 124, 142],
    [60, 174, 116],
    [176, 204, 72],
    [250, 214, 84],
];

/// Shows the chunks of the visible level as boxes that can be turned, pointed at and selected.
#[derive(Debug, Default)]
pub struct ChunkMapPanel {
    of: DocumentKey,
    level: usize,
    map: ChunkMap,
    /// Index of the measure that colours the boxes.
    measure: usize,
    /// The maximum of each measure.
    most: Vec<u64>,
    /// The camera pose after the user has turned the map; `None` follows the view.
    own: Option<Pose>,
    hovered: Hover,
}

/// A box in projection.
struct ProjectedChunk {
    chunk: usize,
    /// Depth of its centre along the view direction.
    depth: f32,
    /// Screen position of its centre.
    center: Pos2,
}

/// Orthographic projection of the world onto the panel: all boxes look alike.
struct Projection {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    scale: f32,
    /// The projected point that is drawn at `middle`.
    center: Vec2,
    middle: Pos2,
}

impl Projection {
    /// Returns a projection in which the whole box fills a rectangle.
    fn fitting(camera: &Camera, bounds: Aabb, place: Rect) -> Self {
        let [right, up] = camera.right_up();
        let flat = |point: Vec3| Vec2::new(point.dot(right), -point.dot(up));
        let corners = bounds.corners().map(flat);
        let least = corners.into_iter().fold(Vec2::MAX, Vec2::min);
        let most = corners.into_iter().fold(Vec2::MIN, Vec2::max);
        let size = (most - least).max(Vec2::splat(1e-3));
        let place = place.shrink(MARGIN);
        let scale = (place.width() / size.x).min(place.height() / size.y);
        Self {
            right,
            up,
            forward: camera.forward(),
            scale: scale.max(0.0),
            center: (least + most) * 0.5,
            middle: place.center(),
        }
    }

    fn at(&self, point: Vec3) -> Pos2 {
        let flat = Vec2::new(point.dot(self.right), -point.dot(self.up));
        let offset = (flat - self.center) * self.scale;
        self.middle + vec2(offset.x, offset.y)
    }

    /// Returns the three visible sides of a box, each with its brightness.
    fn sides(&self, bounds: &Aabb) -> [([Pos2; 4], f32); 3] {
        let center = bounds.center();
        let half = (bounds.max - bounds.min) * 0.5 * BOX_FILL_FRACTION;
        [0, 1, 2].map(|axis| {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            // The side that faces the eye.
            let toward = -self.forward[axis].signum() * half[axis];
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(a, b)| {
                let mut corner = center;
                corner[axis] += toward;
                corner[second] += a * half[second];
                corner[third] += b * half[third];
                self.at(corner)
            });
            let light = match axis {
                0 => 0.72,
                1 => 1.0,
                _ => 0.86,
            };
            (corners, light)
        })
    }
}

impl PanelUi for ChunkMapPanel {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let level = context.shown.level;
        if self.of.changed_to(context.document) || self.level != level {
            self.level = level;
            let levels = context.document.levels();
            let map = levels.and_then(|levels| levels.chunk_map(level));
            self.map = map.unwrap_or_default();
            let value = |measure: usize| {
                let values = self
                    .map
                    .chunks
                    .iter()
                    .map(|chunk| chunk.values.get(measure));
                values.flatten().copied().max().unwrap_or(0)
            };
            self.most = (0..self.map.measures.len()).map(value).collect();
            self.measure = self.measure.min(self.most.len().saturating_sub(1));
        }
        let boxes = self.map.chunks.iter().map(|chunk| chunk.bounds);
        let Some(bounds) = boxes.reduce(|all, next| all.union(&next)) else {
            parts::hint(ui, "No chunks", "This level has no chunks with content.");
            return;
        };
        if ui.available_width() >= MIN_SIDE_LEGEND_WIDTH {
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(LEGEND_WIDTH);
                    self.legend(ui);
                });
                self.view(ui, context, bounds);
            });
        } else {
            self.legend(ui);
            self.view(ui, context, bounds);
        }
    }

    fn is_tall(&self) -> bool {
        true
    }
}

impl ChunkMapPanel {
    /// Shows the choice of measure and the meaning of the colours.
    fn legend(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (index, name) in self.map.measures.iter().enumerate() {
                let switch = ui.selectable_label(self.measure == index, *name);
                if switch
                    .on_hover_text("Colour the chunks by this number")
                    .clicked()
                {
                    self.measure = index;
                }
            }
        });
        let most = self.most.get(self.measure).copied().unwrap_or(0);
        let width = ui.available_width().min(LEGEND_WIDTH);
        let (rect, _) = ui.allocate_exact_size(vec2(width, 10.0), Sense::hover());
        let steps = SCALE.len() - 1;
        let mut mesh = Mesh::default();
        for (step, color) in SCALE.into_iter().enumerate() {
            let x = rect.left() + rect.width() * step as f32 / steps as f32;
            let [r, g, b] = color;
            let color = Color32::from_rgb(r, g, b);
            for y in [rect.top(), rect.bottom()] {
                mesh.colored_vertex(pos2(x, y), color);
            }
            let first = step as u32 * 2;
            if step < steps {
                mesh.add_triangle(first, first + 1, first + 2);
                mesh.add_triangle(first + 1, first + 2, first + 3);
            }
        }
        ui.painter().add(Shape::mesh(mesh));
        ui.horizontal(|ui| {
            ui.set_width(width);
            ui.label(RichText::new("0").small().weak());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label(RichText::new(format::count(most)).small().weak());
            });
        });
        let broken = self
            .map
            .chunks
            .iter()
            .filter(|chunk| !chunk.is_readable)
            .count();
        let chunks = format::counted(self.map.chunks.len(), "chunk");
        ui.add(egui::Label::new(RichText::new(chunks).weak()).truncate());
        let damaged = self.map.chunks.iter().filter(|chunk| !chunk.is_whole);
        let damaged = damaged.count() - broken;
        let numbers = [(broken, "cannot be read"), (damaged, "damaged")];
        for (count, what) in numbers.into_iter().filter(|(count, _)| *count > 0) {
            let text = format!("{} {what}", format::count(count as u64));
            let color = ui.visuals().error_fg_color;
            ui.add(egui::Label::new(RichText::new(text).color(color)).truncate());
        }
        let follows = self.own.is_none();
        let follow = ui.selectable_label(follows, "Follow the view");
        let help =
            "Show the map from the direction of the view; drag the map to turn it independently";
        if follow.on_hover_text(help).clicked() {
            self.own = None;
        }
    }

    /// Shows the map.
    fn view(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, bounds: Aabb) {
        let size = ui.available_size().max(vec2(80.0, 80.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        response
            .widget_info(|| WidgetInfo::labeled(Role::Image, ui.is_enabled(), "Map of the chunks"));
        if !ui.is_rect_visible(rect) {
            return;
        }
        let camera = self.camera(&response, context.camera);
        let projection = Projection::fitting(&camera, bounds, rect);
        let seen = self.seen(&projection);
        self.paint(ui, context, rect, &projection, &seen);

        let pointer = response.hover_pos().filter(|_| !response.dragged());
        let at = pointer.and_then(|at| self.chunk_at(&projection, &seen, at));
        let chunk = at.and_then(|at| self.map.chunks.get(at));
        let hovered = chunk.map(|chunk| chunk.item);
        self.hovered.report(context, hovered);
        if let Some(text) = chunk.map(|chunk| self.says(context, chunk.item)) {
            response.clone().on_hover_text_at_pointer(text);
        }
        if response.clicked() {
            context.ask(Request::Select(hovered));
        }
        if let Some(item) = hovered.filter(|_| response.double_clicked()) {
            context.ask(Request::Frame(item));
        }
    }

    /// Returns the camera of the map: the view's camera, or the pose after dragging.
    fn camera(&mut self, response: &Response, main: &Camera) -> Camera {
        let dragged = response.dragged_by(PointerButton::Primary);
        let own = self.own.or(dragged.then_some(main.pose));
        let mut camera = *main;
        if let Some(pose) = own {
            camera.pose = pose;
        }
        if dragged {
            let by = response.drag_delta();
            let pivot = camera.pose.target;
            camera.pose = camera_control::orbit(&camera, pivot, Vec2::new(by.x, by.y));
        }
        self.own = own.map(|_| camera.pose);
        camera
    }

    /// Returns all boxes, farthest first.
    fn seen(&self, projection: &Projection) -> Vec<ProjectedChunk> {
        let chunks = self.map.chunks.iter().enumerate();
        let mut seen: Vec<ProjectedChunk> = chunks
            .map(|(chunk, info)| {
                let center = info.bounds.center();
                ProjectedChunk {
                    chunk,
                    depth: center.dot(projection.forward),
                    center: projection.at(center),
                }
            })
            .collect();
        seen.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        seen
    }

    fn color(&self, chunk: usize) -> Color32 {
        let most = self.most.get(self.measure).copied().unwrap_or(0).max(1);
        let chunk = self.map.chunks.get(chunk);
        let value = chunk.and_then(|chunk| chunk.values.get(self.measure));
        scale_color(value.copied().unwrap_or(0) as f32 / most as f32)
    }

    fn paint(
        &self,
        ui: &Ui,
        context: &PanelContext<'_>,
        rect: Rect,
        projection: &Projection,
        seen: &[ProjectedChunk],
    ) {
        let visuals = ui.visuals();
        let painter = ui.painter().with_clip_rect(rect);
        painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
        let mut mesh = Mesh::default();
        let edges = seen.len() <= MAX_WITH_EDGES;
        let mut lines: Vec<([Pos2; 4], Stroke)> = Vec::new();
        for one in seen {
            let Some(chunk) = self.map.chunks.get(one.chunk) else {
                continue;
            };
            let selected = context.shown.selected == Some(chunk.item);
            let hovered = context.hovered == Some(chunk.item);
            let hidden = context.shown.hides(chunk.item);
            if chunk.is_whole && chunk.values.iter().all(|value| *value == 0) {
                // Empty chunks are drawn as faint outlines.
                let stroke = Stroke::new(1.0, visuals.weak_text_color().gamma_multiply(0.3));
                for (corners, _) in projection
                    .sides(&chunk.bounds)
                    .into_iter()
                    .filter(|_| edges)
                {
                    lines.push((corners, stroke));
                }
                continue;
            }
            let color = if chunk.is_readable {
                self.color(one.chunk)
            } else {
                visuals.error_fg_color.gamma_multiply(0.35)
            };
            for (corners, light) in projection.sides(&chunk.bounds) {
                let shade = if hidden { 0.25 } else { 1.0 };
                let fill = color.gamma_multiply(shade);
                quad(&mut mesh, corners, darker(fill, light));
                let stroke = if selected || hovered {
                    let color = if selected {
                        visuals.strong_text_color()
                    } else {
                        visuals.hyperlink_color
                    };
                    Stroke::new(1.8, color)
                } else if !chunk.is_whole {
                    Stroke::new(1.0, visuals.error_fg_color)
                } else if edges {
                    Stroke::new(1.0, darker(fill, light * 0.6))
                } else {
                    continue;
                };
                lines.push((corners, stroke));
            }
            // Edges of boxes at the back must not cover boxes in front of them.
            if !lines.is_empty() {
                painter.add(Shape::mesh(std::mem::take(&mut mesh)));
                for (corners, stroke) in lines.drain(..) {
                    painter.add(Shape::closed_line(corners.to_vec(), stroke));
                }
            }
            if !chunk.is_whole {
                painter.add(Shape::mesh(std::mem::take(&mut mesh)));
                let cross = projection.scale * (chunk.bounds.max - chunk.bounds.min).min_element();
                let arm = (cross * 0.2).clamp(2.0, 9.0);
                let stroke = Stroke::new(1.5, visuals.error_fg_color);
                for slope in [-1.0, 1.0] {
                    let offset = vec2(arm, arm * slope);
                    painter.line_segment([one.center - offset, one.center + offset], stroke);
                }
            }
        }
        painter.add(Shape::mesh(mesh));
        let font = TextStyle::Small.resolve(ui.style());
        let weak = visuals.weak_text_color();
        let corner = rect.right_bottom() - vec2(8.0, 5.0);
        painter.text(corner, Align2::RIGHT_BOTTOM, "Drag to turn", font, weak);
    }

    /// Returns the frontmost box at a position.
    fn chunk_at(
        &self,
        projection: &Projection,
        seen: &[ProjectedChunk],
        at: Pos2,
    ) -> Option<usize> {
        let is_there = |one: &&ProjectedChunk| {
            let chunk = self.map.chunks.get(one.chunk);
            chunk.is_some_and(|chunk| {
                let sides = projection.sides(&chunk.bounds);
                let mut corners = sides.iter().map(|(corners, _)| corners);
                corners.any(|corners| parts::is_within(corners, at))
            })
        };
        seen.iter().rev().find(is_there).map(|one| one.chunk)
    }

    /// Describes a chunk and its numbers.
    fn says(&self, context: &PanelContext<'_>, item: Item) -> String {
        let mut lines = vec![parts::summary_text(context, item, "  ")];
        let chunk = self.map.chunks.iter().find(|chunk| chunk.item == item);
        if let Some(chunk) = chunk.filter(|chunk| chunk.is_readable) {
            let values = self.map.measures.iter().zip(&chunk.values);
            lines.extend(values.map(|(name, value)| format!("{name}: {}", format::count(*value))));
            if !chunk.is_whole {
                lines.push("Parts of it cannot be read".to_owned());
            }
        } else {
            lines.push("It cannot be read".to_owned());
        }
        lines.join("\n")
    }
}

/// Returns the colour of a fraction of the maximum.
fn scale_color(share: f32) -> Color32 {
    let last = SCALE.len() - 1;
    let along = share.clamp(0.0, 1.0) * last as f32;
    let step = (along as usize).min(last - 1);
    let (from, to) = (SCALE.get(step), SCALE.get(step + 1));
    let [from, to] = [from, to].map(|color| color.copied().unwrap_or_default());
    let part = along - step as f32;
    let mix = |i: usize| {
        let [a, b] = [from, to].map(|color| f32::from(color.get(i).copied().unwrap_or(0)));
        (a + (b - a) * part).round() as u8
    };
    Color32::from_rgb(mix(0), mix(1), mix(2))
}

fn darker(color: Color32, light: f32) -> Color32 {
    let [r, g, b, a] = color.to_array();
    let dim = |channel: u8| (f32::from(channel) * light) as u8;
    Color32::from_rgba_premultiplied(dim(r), dim(g), dim(b), a)
}

fn quad(mesh: &mut Mesh, corners: [Pos2; 4], color: Color32) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners.map(|pos| Vertex {
        pos,
        uv: epaint::WHITE_UV,
        color,
    }));
    mesh.add_triangle(first, first + 1, first + 2);
    mesh.add_triangle(first, first + 2, first + 3);
}
