//! The textures of the document: one of them, by channel, with the UV layout of its triangles.

use std::fmt;
use std::sync::Arc;

use egui::epaint::Tessellator;
use egui::{
    Align, Align2, Color32, ColorImage, ComboBox, Layout, Mesh, Rect, RichText, Role, Sense, Shape,
    Stroke, StrokeKind, TextureHandle, TextureOptions, TextureWrapMode, Ui, WidgetInfo, pos2, vec2,
};
use glam::Vec2;

use super::document_key::DocumentKey;
use super::image_view::{ImageView, position_of, uv_of};
use super::{Hover, PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::Action;
use crate::viewer::format;
use mapscope_formats::printable;
use mapscope_scene::assets::Texture;
use mapscope_scene::{Item, TextureInfo, Textures, UvLayout, fixed};

/// Side of a square of the checkerboard, in points.
const SQUARE: f32 = 8.0;
/// Its colours.
const SQUARES: [Color32; 2] = [Color32::from_gray(104), Color32::from_gray(144)];

/// Approximate distance between lines at which they have their full opacity, in points.
const DISTINCT_LINES: f32 = 16.0;
/// The opacity of dense lines.
const MIN_STRENGTH: f32 = 0.3;

/// The part of a texture that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Channel {
    #[default]
    Rgba,
    Component(usize),
    Opaque,
}

impl Channel {
    /// All channels with their names and their help.
    const ALL: [(Self, &str, &str); 6] = [
        (Self::Rgba, "RGBA", "Colours over a checkerboard"),
        (Self::Component(0), "R", "Red as grey"),
        (Self::Component(1), "G", "Green as grey"),
        (Self::Component(2), "B", "Blue as grey"),
        (Self::Component(3), "A", "Alpha as grey; white is opaque"),
        (Self::Opaque, "Opaque", "Colours without alpha"),
    ];

    /// Returns the RGBA bytes that show this channel of an image.
    fn of(self, rgba: &[u8]) -> Vec<u8> {
        let mut shown = rgba.to_vec();
        for pixel in shown.chunks_exact_mut(4) {
            match self {
                Self::Rgba => {}
                Self::Component(index) => {
                    let value = pixel[index];
                    pixel.copy_from_slice(&[value, value, value, 255]);
                }
                Self::Opaque => pixel[3] = 255,
            }
        }
        shown
    }
}

/// Shows one texture of the document.
#[derive(Default)]
pub struct TexturePanel {
    of: DocumentKey,
    list: Vec<TextureInfo>,
    /// Index of the visible texture.
    chosen: usize,
    /// The selection for which a texture was last found.
    selected: Option<Item>,
    shown: Option<ShownTexture>,
    checkerboard: Option<TextureHandle>,
    channel: Channel,
    view: ImageView,
    is_layout_hidden: bool,
    hovered: Hover,
}

impl fmt::Debug for TexturePanel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TexturePanel")
            .field("textures", &self.list.len())
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}

/// The image of a texture, with its layout.
struct ShownTexture {
    /// The item whose texture it is: that of the list, or one with the same texture.
    item: Item,
    image: Option<Arc<Texture>>,
    /// The image of a channel on the GPU.
    uploaded: Option<(Channel, TextureHandle)>,
    layout: UvLayout,
    facts: String,
    /// The lines as last drawn, at a place and scale.
    lines: Option<(Rect, Rect, f32, Arc<Mesh>)>,
}

impl PanelUi for TexturePanel {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.shown = None;
            self.selected = None;
            self.list_textures(context);
            self.chosen = self.chosen.min(self.list.len().saturating_sub(1));
        }
        self.follow(context);
        self.load(context);
        let (Some(info), Some(shown)) = (self.list.get(self.chosen), &self.shown) else {
            parts::hint(ui, "No textures", "This file has no textures.");
            return;
        };
        let info = info.clone();
        let size = shown.image.as_ref().map(|image| image.size);
        self.tools(ui, context, &info);
        missing(ui, context, &info);
        self.image_ui(ui, context, &info, size);
    }

    fn forget_textures(&mut self) {
        self.checkerboard = None;
        if let Some(shown) = &mut self.shown {
            shown.uploaded = None;
        }
    }

    fn is_tall(&self) -> bool {
        true
    }
}

impl TexturePanel {
    fn list_textures(&mut self, context: &PanelContext<'_>) {
        let textures = context.document.textures();
        self.list = textures.map_or_else(Vec::new, Textures::list);
        for text in self
            .list
            .iter_mut()
            .flat_map(|info| [&mut info.name, &mut info.texture])
        {
            *text = printable(text).into_owned();
        }
    }

    /// Shows a texture of the list.
    fn choose(&mut self, index: usize, item: Item) {
        if index != self.chosen {
            self.view = ImageView::default();
        }
        self.chosen = index;
        if self.shown.as_ref().is_none_or(|shown| shown.item != item) {
            self.shown = Some(ShownTexture::unread(item));
        }
    }

    /// Shows the texture of the selected item, or one that its properties link to.
    fn follow(&mut self, context: &PanelContext<'_>) {
        if self.selected == context.shown.selected {
            return;
        }
        self.selected = context.shown.selected;
        let (Some(selected), Some(textures)) = (self.selected, context.document.textures()) else {
            return;
        };
        let groups = context.document.properties(selected, context.shown);
        let properties = groups.iter().flat_map(|group| &group.properties);
        let links = properties.filter_map(|property| property.link);
        let found = [selected].into_iter().chain(links).find_map(|item| {
            let listed = textures.representative(item)?;
            let index = self.list.iter().position(|info| info.item == listed)?;
            Some((index, item))
        });
        if let Some((index, item)) = found {
            self.choose(index, item);
        }
    }

    /// Takes the image and the layout of the visible texture once they are read.
    fn load(&mut self, context: &PanelContext<'_>) {
        let Some(info) = self.list.get(self.chosen) else {
            return;
        };
        let shown = self.shown.take();
        let mut shown = shown.unwrap_or_else(|| ShownTexture::unread(info.item));
        if shown.image.is_none()
            && let Some(textures) = context.document.textures()
            && let Some(image) = textures.image(shown.item)
        {
            // The size of a texture is known once it is read.
            self.list_textures(context);
            let info = self.list.get(self.chosen);
            let scale = textures.scale(shown.item);
            shown.layout = textures.layout(shown.item).unwrap_or_default();
            shown.facts = info.map_or_else(String::new, |info| {
                let scale = scale.map(|scale| {
                    let texels = scale.texels(info.size.unwrap_or(image.size));
                    format!("{} texels per {}", fixed(texels, 1), scale.unit)
                });
                facts(info, &image, &shown.layout, scale)
            });
            shown.image = Some(image);
        }
        self.shown = Some(shown);
    }

    /// Shows the controls above the image.
    fn tools(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>, info: &TextureInfo) {
        let mut chosen = self.chosen;
        ui.horizontal_wrapped(|ui| {
            if self.list.len() > 1 {
                let list = ComboBox::from_id_salt("texture")
                    .selected_text(&info.name)
                    .width(150.0)
                    .truncate()
                    .show_ui(ui, |ui| {
                        for (index, texture) in self.list.iter().enumerate() {
                            ui.selectable_value(&mut chosen, index, &texture.name);
                        }
                    });
                parts::name(&list.response, "Texture to show");
            }
            for (channel, name, help) in Channel::ALL {
                ui.selectable_value(&mut self.channel, channel, name)
                    .on_hover_text(help);
            }
            ui.separator();
            if parts::button(ui, self.view.zoom != 1.0, "Fit", "Show the whole texture") {
                self.view = ImageView::default();
            }
            if parts::button(ui, true, "1:1", "Show a texel as a pixel of the screen") {
                self.view.show_actual_size();
            }
            let shown = self.shown.as_ref();
            if let Some(shown) = shown.filter(|shown| shown.layout.triangles > 0) {
                ui.separator();
                let mut layout = !self.is_layout_hidden;
                ui.toggle_value(&mut layout, "UV layout")
                    .on_hover_text("Draw the triangles that show the texture");
                self.is_layout_hidden = !layout;
                let help = "Save the UV layout as a PNG as large as the texture";
                if parts::button(ui, true, "Save layout…", help) {
                    context.ask(Request::SaveLayout(shown.item));
                }
            }
        });
        if let Some(texture) = self.list.get(chosen).filter(|_| chosen != self.chosen) {
            self.choose(chosen, texture.item);
            self.load(context);
        }
    }

    /// Shows the texture, its facts, and the pixel under the pointer.
    fn image_ui(
        &mut self,
        ui: &mut Ui,
        context: &mut PanelContext<'_>,
        info: &TextureInfo,
        size: Option<[u32; 2]>,
    ) {
        let line = ui.spacing().interact_size.y;
        let room = (ui.available_size() - vec2(0.0, line)).max(vec2(60.0, 60.0));
        let (place, response) = ui.allocate_exact_size(room, Sense::click_and_drag());
        response.widget_info(|| {
            let name = format!("Image of {}", info.name);
            WidgetInfo::labeled(Role::Image, ui.is_enabled(), name)
        });
        let visuals = ui.visuals();
        let (back, weak) = (visuals.extreme_bg_color, visuals.weak_text_color());
        ui.painter().rect_filled(place, 4.0, back);
        let Some(size) = size else {
            let says = RichText::new("The texture is loading");
            parts::paint_text(ui, place, says, weak, Align2::CENTER_CENTER);
            return;
        };
        let seen = self.view.moved(ui, &response, place, size);
        self.paint(ui, context, place, seen);
        let Some(shown) = &self.shown else {
            return;
        };
        let pointed_at = response.hover_pos().filter(|_| !response.dragged());
        let uv = pointed_at.map(|at| uv_of(seen, at));
        let triangle = uv.and_then(|uv| {
            let selected = context.shown.selected;
            let triangle = shown.triangle_at(uv, selected, response.clicked());
            triangle.filter(|_| !self.is_layout_hidden)
        });
        self.hovered.report(context, triangle);
        if response.clicked() && triangle.is_some() {
            context.ask(Request::Select(triangle));
        }
        if let Some(triangle) = triangle.filter(|_| response.double_clicked()) {
            context.ask(Request::Frame(triangle));
        }
        let pixel = uv.and_then(|uv| shown.pixel_at(uv));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some(pixel) = pixel {
                ui.monospace(pixel);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(&shown.facts).weak()).truncate());
            });
        });
    }

    fn paint(&mut self, ui: &Ui, context: &PanelContext<'_>, place: Rect, seen: Rect) {
        let painter = ui.painter().with_clip_rect(place);
        let board = self.checkerboard.get_or_insert_with(|| {
            let [a, b] = SQUARES;
            let options = TextureOptions {
                wrap_mode: TextureWrapMode::Repeat,
                ..TextureOptions::NEAREST
            };
            let image = ColorImage::new([2, 2], vec![a, b, b, a]);
            ui.ctx().load_texture("checkerboard", image, options)
        });
        let covered = seen.intersect(place);
        let squares = covered.size() / (2.0 * SQUARE);
        let repeated = Rect::from_min_size(pos2(0.0, 0.0), squares);
        painter.image(board.id(), covered, repeated, Color32::WHITE);
        let Some(shown) = &mut self.shown else {
            return;
        };
        if let Some(texture) = shown.upload(ui.ctx(), self.channel) {
            parts::paint_texture(&painter, texture.id(), seen);
        }
        let outline = ui.visuals().widgets.noninteractive.bg_stroke;
        painter.rect_stroke(seen, 0.0, outline, StrokeKind::Outside);
        if self.is_layout_hidden {
            return;
        }
        painter.add(Shape::mesh(shown.line_mesh(ui, place, seen)));
        let visuals = ui.visuals();
        let marked = [
            (context.shown.selected, visuals.hyperlink_color),
            (context.hovered, visuals.strong_text_color()),
        ];
        for (item, color) in marked {
            for corners in item
                .into_iter()
                .flat_map(|item| shown.layout.pieces_of(item))
            {
                let corners = corners.map(|corner| position_of(seen, corner)).to_vec();
                let stroke = Stroke::new(2.0, color);
                let fill = color.gamma_multiply(0.35);
                painter.add(Shape::convex_polygon(corners, fill, stroke));
            }
        }
    }
}

impl ShownTexture {
    fn unread(item: Item) -> Self {
        Self {
            item,
            image: None,
            uploaded: None,
            layout: UvLayout::default(),
            facts: String::new(),
            lines: None,
        }
    }

    /// Returns the image of a channel on the GPU.
    fn upload(&mut self, ctx: &egui::Context, channel: Channel) -> Option<&TextureHandle> {
        let image = self.image.as_ref()?;
        if self.uploaded.as_ref().is_none_or(|(of, _)| *of != channel) {
            let image = parts::color_image(image.size, &channel.of(image.levels.first()?))?;
            let texture = ctx.load_texture("texture", image, parts::SHARP);
            self.uploaded = Some((channel, texture));
        }
        self.uploaded.as_ref().map(|(_, texture)| texture)
    }

    /// Returns a triangle at a point: the selected one if it is there. A click goes on to the next
    /// one that overlaps it.
    fn triangle_at(&self, uv: Vec2, selected: Option<Item>, is_click: bool) -> Option<Item> {
        let mut triangles = self.layout.triangles_at(uv);
        let first = triangles.next()?;
        let mut all = [first].into_iter().chain(triangles);
        match all.find(|triangle| Some(*triangle) == selected) {
            Some(_) if is_click => Some(all.next().unwrap_or(first)),
            Some(selected) => Some(selected),
            None => Some(first),
        }
    }

    /// Describes the pixel at a point.
    fn pixel_at(&self, uv: Vec2) -> Option<String> {
        let image = self.image.as_ref()?;
        let [width, height] = image.size;
        let at = (uv * Vec2::new(width as f32, height as f32)).floor();
        let is_inside = uv.cmpge(Vec2::ZERO).all() && uv.cmplt(Vec2::ONE).all();
        let (x, y) = (at.x as usize, at.y as usize);
        let first = (y * width as usize + x) * 4;
        let pixel = image.levels.first()?.get(first..first + 4)?;
        let [r, g, b, a] = *pixel.as_array()?;
        is_inside.then(|| format!("x {x}  y {y}  R {r}  G {g}  B {b}  A {a}"))
    }

    /// Returns the lines of the layout as a mesh, which is made again when the view moves.
    fn line_mesh(&mut self, ui: &Ui, place: Rect, seen: Rect) -> Arc<Mesh> {
        let scale = ui.pixels_per_point();
        if let Some((at, of, by, mesh)) = &self.lines
            && (*at, *of, *by) == (place, seen, scale)
        {
            return Arc::clone(mesh);
        }
        let options = ui.ctx().tessellation_options(|options| *options);
        let mut tessellator = Tessellator::new(scale, options, [1, 1], Vec::new());
        let mut mesh = Mesh::default();
        let count = self.layout.lines.len().max(1) as f32;
        // Dense lines would hide the texture.
        let strength = ((seen.area() / count).sqrt() / DISTINCT_LINES).clamp(MIN_STRENGTH, 1.0);
        // A light line with dark edges is visible on any texture.
        for (width, color) in [
            (2.2, Color32::from_black_alpha(110)),
            (0.8, Color32::from_white_alpha(200)),
        ] {
            for line in &self.layout.lines {
                let line = line.map(|end| position_of(seen, end));
                if Rect::from_points(&line).intersects(place) {
                    let stroke = Stroke::new(width, color.gamma_multiply(strength));
                    tessellator.tessellate_line_segment(line, stroke, &mut mesh);
                }
            }
        }
        let mesh = Arc::new(mesh);
        self.lines = Some((place, seen, scale, Arc::clone(&mesh)));
        mesh
    }
}

/// Reports that the file of a texture was not found, and offers to look elsewhere.
fn missing(ui: &mut Ui, context: &mut PanelContext<'_>, info: &TextureInfo) {
    if info.is_found {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let says = if info.texture.is_empty() {
            "No texture is named: a placeholder is shown.".to_owned()
        } else {
            let texture = &info.texture;
            format!("`{texture}` was not found or cannot be read: a placeholder is shown.")
        };
        ui.label(RichText::new(says).color(ui.visuals().warn_fg_color));
        if ui.button("Add texture folder…").clicked() {
            context.ask(Request::Run(Action::AddTextureFolder));
        }
    });
}

/// Describes a texture: its file, size and format, and its use.
fn facts(info: &TextureInfo, image: &Texture, layout: &UvLayout, scale: Option<String>) -> String {
    let pixels = |[width, height]: [u32; 2]| format!("{width} × {height}");
    let drawn = pixels(image.size);
    let size = match info.size {
        Some(size) if size != image.size => format!("{} px, drawn as {drawn}", pixels(size)),
        _ => format!("{drawn} px"),
    };
    let file = info.file_facts();
    let (kind, bytes) = file.map_or((None, None), |(kind, bytes)| (Some(kind), Some(bytes)));
    let name = info.path.as_ref().and_then(|path| path.file_name());
    let name = name.map_or_else(
        || info.texture.clone(),
        |name| printable(&name.to_string_lossy()).into_owned(),
    );
    let alpha = if image.has_holes {
        "with alpha"
    } else {
        "opaque"
    };
    let triangles = (layout.triangles > 0).then(|| format::counted(layout.triangles, "triangle"));
    let note = |count: usize, why: &str| (count > 0).then(|| format!("{count} {why}"));
    let parts = [
        Some(name).filter(|name| !name.is_empty()),
        Some(size),
        kind,
        Some(alpha.to_owned()),
        bytes.map(format::bytes),
        scale,
        triangles,
        note(layout.left_out, "of them not drawn: there are too many"),
        note(layout.out_of_range, "of them not drawn: UV out of range"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_show_one_component_or_no_alpha() {
        let pixels = [10, 20, 30, 40, 50, 60, 70, 255];
        for (channel, name, expected) in [
            (Channel::Rgba, "RGBA", pixels),
            (
                Channel::Component(0),
                "R",
                [10, 10, 10, 255, 50, 50, 50, 255],
            ),
            (
                Channel::Component(1),
                "G",
                [20, 20, 20, 255, 60, 60, 60, 255],
            ),
            (
                Channel::Component(2),
                "B",
                [30, 30, 30, 255, 70, 70, 70, 255],
            ),
            (
                Channel::Component(3),
                "A",
                [40, 40, 40, 255, 255, 255, 255, 255],
            ),
            (
                Channel::Opaque,
                "Opaque",
                [10, 20, 30, 255, 50, 60, 70, 255],
            ),
        ] {
            assert_eq!(channel.of(&pixels), expected, "{name}");
            assert!(
                Channel::ALL
                    .iter()
                    .any(|(of, named, _)| (*of, *named) == (channel, name))
            );
        }
    }
}
