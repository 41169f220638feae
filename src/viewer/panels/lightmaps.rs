//! The lightmaps of a level: a list, and the image of one lightmap with its faces.

use std::fmt;

use egui::{
    Align2, Color32, ColorImage, Rect, RichText, Role, ScrollArea, Sense, Shape, Stroke,
    StrokeKind, TextureHandle, Ui, WidgetInfo, pos2, vec2,
};
use glam::Vec2;

use super::document_key::DocumentKey;
use super::image_view::{ImageView, position_of, uv_of};
use super::{Hover, PanelContext, PanelUi, Request, parts};
use crate::viewer::format;
use mapscope_scene::{Document, Item, LightmapFace, LightmapInfo, Overrides, Shown};

/// Minimum panel width for a list beside the image, in points.
const MIN_SIDE_LIST_WIDTH: f32 = 420.0;
/// Width of the list beside the image, in points.
const LIST_WIDTH: f32 = 210.0;
/// Minimum distance between the lines of faces at which they are drawn, in points.
const MIN_LINE_DISTANCE: f32 = 2.5;
/// Lists the lightmap sheets of the visible level and shows one of them.
#[derive(Default)]
pub struct Lightmaps {
    of: DocumentKey,
    level: usize,
    sheets: Vec<LightmapInfo>,
    search: String,
    /// Indices of the sheets that match the search.
    listed: Vec<usize>,
    /// The selection for which a sheet was last found.
    selected: Option<Item>,
    /// Index of the visible sheet.
    chosen: Option<usize>,
    image: Option<LightmapImage>,
    view: ImageView,
    are_faces_hidden: bool,
    /// `true` if the row of the chosen sheet has to be scrolled into view.
    reveal: bool,
    hovered: Hover,
}

impl fmt::Debug for Lightmaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lightmaps")
            .field("sheets", &self.sheets.len())
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}

/// The texture of a sheet, with its faces.
struct LightmapImage {
    sheet: Item,
    lights: Overrides,
    /// `None` if the sheet has no image.
    texture: Option<TextureHandle>,
    faces: Vec<LightmapFace>,
}

impl PanelUi for Lightmaps {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let level = context.shown.level;
        if self.of.changed_to(context.document) || self.level != level {
            let shown_before = self.chosen_item().filter(|_| self.level == level);
            self.level = level;
            let levels = context.document.levels();
            self.sheets = levels.map_or_else(Vec::new, |levels| levels.lightmaps(level));
            self.image = None;
            self.selected = None;
            self.chosen = None;
            self.list();
            let first = self.sheets.first().map(|sheet| sheet.item);
            if let Some(item) = shown_before.or(first) {
                self.choose(item);
            }
        }
        if self.sheets.is_empty() {
            let advice = "This level does not use lightmaps.";
            parts::hint(ui, "No lightmaps", advice);
            return;
        }
        if self.selected != context.shown.selected {
            self.selected = context.shown.selected;
            if let Some(sheet) = self.sheet_of_selection(&**context.document, context.shown) {
                self.choose(sheet);
            }
        }
        if ui.available_width() >= MIN_SIDE_LIST_WIDTH {
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(LIST_WIDTH);
                    self.list_ui(ui, context, f32::INFINITY);
                });
                ui.vertical(|ui| self.image_ui(ui, context));
            });
        } else {
            let height = ui.available_height() * 0.35;
            self.list_ui(ui, context, height);
            self.image_ui(ui, context);
        }
    }

    fn forget_textures(&mut self) {
        self.image = None;
    }

    fn is_tall(&self) -> bool {
        true
    }
}

impl Lightmaps {
    fn chosen_item(&self) -> Option<Item> {
        Some(self.sheets.get(self.chosen?)?.item)
    }

    /// Shows a sheet.
    fn choose(&mut self, item: Item) {
        let index = self.sheets.iter().position(|sheet| sheet.item == item);
        if index.is_some() && index != self.chosen {
            self.chosen = index;
            self.view = ImageView::default();
            self.reveal = true;
        }
    }

    /// Returns the selected sheet, or the sheet of the selected item, which is linked from its
    /// properties.
    fn sheet_of_selection(&self, document: &dyn Document, shown: &Shown) -> Option<Item> {
        let selected = shown.selected?;
        let is_sheet = |item: &Item| self.sheets.iter().any(|sheet| sheet.item == *item);
        if is_sheet(&selected) {
            return Some(selected);
        }
        // The visible sheet may be another one of the same item.
        let on_chosen = self.image.as_ref().filter(|image| {
            let faces = &image.faces;
            faces.iter().any(|face| face.item == selected)
        });
        if let Some(image) = on_chosen {
            return Some(image.sheet);
        }
        let groups = document.properties(selected, shown.playhead);
        let links = groups.iter().flat_map(|group| &group.properties);
        links.filter_map(|property| property.link).find(is_sheet)
    }

    fn list(&mut self) {
        let wanted = self.search.to_lowercase();
        let sheets = self.sheets.iter().enumerate();
        let listed = sheets.filter(|(_, sheet)| sheet.name.to_lowercase().contains(&wanted));
        self.listed = listed.map(|(index, _)| index).collect();
    }

    fn list_ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, most_height: f32) {
        if parts::search(ui, &mut self.search, "Filter lightmaps by name") {
            self.list();
        }
        if !self.search.is_empty() {
            ui.weak(parts::matches(self.listed.len(), &self.search));
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        let row_height = parts::Row::height(ui);
        let mut area = ScrollArea::vertical()
            .auto_shrink(false)
            .max_height(most_height);
        if std::mem::take(&mut self.reveal) {
            let chosen = self.chosen;
            let at = self.listed.iter().position(|&index| Some(index) == chosen);
            if let Some(at) = at.filter(|at| *at > 3) {
                area = area.vertical_scroll_offset((at as f32 - 2.0) * row_height);
            }
        }
        let id = ui.scope_id().with("lightmaps");
        let mut clicked = None;
        area.show_rows(ui, row_height, self.listed.len(), |ui, rows| {
            for &index in self.listed.get(rows).unwrap_or_default() {
                let Some(sheet) = self.sheets.get(index) else {
                    continue;
                };
                let row = parts::Row {
                    selected: self.chosen == Some(index),
                    ..parts::Row::of(id, sheet.item, &sheet.name, context)
                };
                let response = row.show(ui);
                let rect = response.rect.shrink2(vec2(6.0, 0.0));
                let rect = rect.with_max_x(rect.max.x - parts::Row::END_MARGIN);
                let [width, height] = sheet.size;
                let note = format!("{width}×{height}");
                parts::paint_name_and_note(ui, rect, &sheet.name, &note, false);
                if response.clicked() {
                    clicked = Some(sheet.item);
                }
                context.answer(&response, sheet.item);
            }
        });
        if let Some(item) = clicked {
            self.choose(item);
            self.reveal = false;
        }
    }

    fn image_ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(sheet) = self
            .chosen
            .and_then(|index| self.sheets.get(index))
            .cloned()
        else {
            parts::hint(ui, "No lightmap is selected", "Click one in the list.");
            return;
        };
        self.load(ui, context, &sheet);
        ui.horizontal(|ui| {
            let mut faces = !self.are_faces_hidden;
            ui.toggle_value(&mut faces, "Faces")
                .on_hover_text("Draw the outlines of the faces on the lightmap");
            self.are_faces_hidden = !faces;
            if parts::button(ui, self.view.zoom != 1.0, "Fit", "Show the whole lightmap") {
                self.view = ImageView::default();
            }
            let [width, height] = sheet.size;
            let faces = format::counted(sheet.faces, "face");
            let says = format!("{}, {width} × {height}, {faces}", sheet.name);
            ui.add(egui::Label::new(RichText::new(says).weak()).truncate());
        });
        let size = ui.available_size().max(vec2(60.0, 60.0));
        let (place, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        response.widget_info(|| {
            let name = format!("Image of {}", sheet.name);
            WidgetInfo::labeled(Role::Image, ui.is_enabled(), name)
        });
        let shape = Shape::rect_filled(place, 4.0, ui.visuals().extreme_bg_color);
        ui.painter().add(shape);
        let seen = self.view.moved(ui, &response, place, sheet.size);
        let Some(image) = &self.image else {
            return;
        };
        let pointed_at = response.hover_pos().filter(|_| !response.dragged());
        let face = pointed_at.and_then(|at| image.face_at(uv_of(seen, at)));
        image.paint(ui, context, place, seen, self.are_faces_hidden);
        self.hovered.report(context, face);
        if response.clicked() && face.is_some() {
            context.ask(Request::Select(face));
        }
        if let Some(face) = face {
            if response.double_clicked() {
                context.ask(Request::Frame(face));
            }
            response.on_hover_text_at_pointer(parts::summary_text(context, face, "\n"));
        }
    }

    /// Creates the texture of a sheet, or updates it after lights have changed.
    fn load(&mut self, ui: &Ui, context: &PanelContext<'_>, sheet: &LightmapInfo) {
        let lights = &context.shown.lights;
        let before = self.image.take();
        let before = before.filter(|image| image.sheet == sheet.item);
        let Some(mut image) = before else {
            let image = image_of(context, sheet);
            let levels = context.document.levels();
            self.image = Some(LightmapImage {
                sheet: sheet.item,
                lights: lights.clone(),
                texture: image.map(|image| ui.ctx().load_texture(&sheet.name, image, parts::SHARP)),
                faces: levels.map_or_else(Vec::new, |levels| levels.lightmap_faces(sheet.item)),
            });
            return;
        };
        if image.lights != *lights {
            image.lights = lights.clone();
            if let (Some(texture), Some(image)) = (&mut image.texture, image_of(context, sheet)) {
                texture.set(image, parts::SHARP);
            }
        }
        self.image = Some(image);
    }
}

/// Returns the image of a sheet; `None` if the document has no image of that size.
fn image_of(context: &PanelContext<'_>, sheet: &LightmapInfo) -> Option<ColorImage> {
    let levels = context.document.levels()?;
    let rgba = levels.lightmap_image(sheet.item, context.shown)?;
    parts::color_image(sheet.size, &rgba)
}

impl LightmapImage {
    /// Returns the face at a UV position of the sheet.
    fn face_at(&self, uv: Vec2) -> Option<Item> {
        let point = |uv: Vec2| pos2(uv.x, uv.y);
        let is_in = |triangle: &[Vec2; 3]| parts::is_within(&triangle.map(point), point(uv));
        let mut faces = self.faces.iter();
        let face = faces.find(|face| face.triangles.iter().any(is_in))?;
        Some(face.item)
    }

    fn paint(
        &self,
        ui: &Ui,
        context: &PanelContext<'_>,
        place: Rect,
        seen: Rect,
        are_faces_hidden: bool,
    ) {
        let visuals = ui.visuals();
        let painter = ui.painter().with_clip_rect(place);
        if let Some(texture) = &self.texture {
            parts::paint_texture(&painter, texture.id(), seen);
        } else {
            let says = RichText::new("This lightmap has no image");
            parts::paint_text(
                ui,
                place,
                says,
                visuals.weak_text_color(),
                Align2::CENTER_CENTER,
            );
        }
        let outline = visuals.widgets.noninteractive.bg_stroke;
        painter.rect_stroke(seen, 0.0, outline, StrokeKind::Outside);
        let at = |uv: Vec2| position_of(seen, uv);
        let triangles = |face: &LightmapFace, fill: Color32, stroke: Stroke| {
            for triangle in &face.triangles {
                let corners = triangle.map(at);
                if Rect::from_points(&corners).intersects(place) {
                    painter.add(Shape::convex_polygon(corners.to_vec(), fill, stroke));
                }
            }
        };
        let count: usize = self.faces.iter().map(|face| face.triangles.len()).sum();
        // Approximate distance between lines. Dense lines would hide the image.
        let apart = (seen.area() / count.max(1) as f32).sqrt();
        if !are_faces_hidden && apart > MIN_LINE_DISTANCE {
            let strength = ((apart - MIN_LINE_DISTANCE) / 16.0).clamp(0.15, 1.0);
            // A light line with dark edges is visible on any lightmap.
            for (width, color, least_apart) in [
                (2.6, Color32::from_black_alpha(120), 10.0),
                (1.0, Color32::from_white_alpha(190), MIN_LINE_DISTANCE),
            ] {
                let stroke = Stroke::new(width, color.gamma_multiply(strength));
                for face in self.faces.iter().filter(|_| apart > least_apart) {
                    triangles(face, Color32::TRANSPARENT, stroke);
                }
            }
        }
        // Hovered and selected faces are drawn nevertheless, on top of all others.
        let hovered = context
            .hovered
            .map(|item| (item, visuals.strong_text_color()));
        let selected = context
            .shown
            .selected
            .map(|item| (item, visuals.hyperlink_color));
        for (item, color) in selected.into_iter().chain(hovered) {
            for face in self.faces.iter().filter(|face| face.item == item) {
                triangles(face, color.gamma_multiply(0.22), Stroke::new(2.0, color));
            }
        }
    }
}
