//! The tiles of a tileset with their number of uses and a way to find them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

use egui::emath::GuiRounding as _;
use egui::{
    Align, Button, Color32, ColorImage, ComboBox, DragValue, Id, Layout, Mesh, Rect, RichText,
    ScrollArea, Sense, Shape, Slider, Stroke, StrokeKind, TextureHandle, TextureOptions, Ui,
    WidgetInfo, pos2, vec2,
};

use super::document_key::DocumentKey;
use super::{Hover, PanelContext, PanelUi, Request, parts};
use crate::viewer::commands::Action;
use crate::viewer::format;
use mapscope_scene::{Item, Playhead, TilesetInfo};

/// Maximum side of a texture that holds tiles, in pixels.
const PAGE_SIDE: u32 = 1024;
/// Initial size of a tile's longest side, and its maximum, in points.
const INITIAL_TILE_SIDE: f32 = 32.0;
const MAX_TILE_SIDE: f32 = 160.0;
/// Gap between tiles, in screen pixels.
const GAP_PX: f32 = 2.0;
/// Maximum number of tile columns.
const MAX_COLUMNS: usize = 256;
/// Opacity of an unused tile.
const UNUSED_OPACITY: f32 = 0.28;

/// Shows the tiles of one of the document's tilesets.
#[derive(Default)]
pub struct TilesetPanel {
    of: DocumentKey,
    tilesets: Vec<Rc<TilesetInfo>>,
    /// The tileset and index of each tile.
    places: HashMap<Item, (usize, usize)>,
    chosen: usize,
    /// Indices of the listed tiles.
    listed: Vec<usize>,
    used_only: bool,
    /// Screen pixels per tile pixel; 0 before the first choice.
    zoom: u32,
    /// Tiles per row, as in the source image; 0 for as many as fit.
    columns: usize,
    /// Textures with the tiles of the chosen tileset, created when first visible.
    pages: HashMap<usize, TextureHandle>,
    /// The selection for which a tile was last found; a cell has a tile too.
    selected: Option<Item>,
    selected_tile: Option<(usize, usize)>,
    pointed_at: Option<Item>,
    pointed_tile: Option<(usize, usize)>,
    /// `true` if the selected tile has to be scrolled into view.
    reveal: bool,
    hovered: Hover,
}

impl fmt::Debug for TilesetPanel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TilesetPanel")
            .field("tilesets", &self.tilesets.len())
            .field("chosen", &self.chosen)
            .finish_non_exhaustive()
    }
}

/// Layout of a tileset's tiles in textures.
#[derive(Debug, Clone, Copy)]
struct Atlas {
    /// Width and height of a tile in the texture, in pixels.
    tile: [u32; 2],
    /// Sampling step in pixels: 1, unless a tile is larger than a page.
    step: u32,
    columns: u32,
    rows: u32,
}

impl Atlas {
    fn of(size: [u32; 2]) -> Self {
        let step = size[0].max(size[1]).div_ceil(PAGE_SIDE).max(1);
        let tile = size.map(|side| (side / step).max(1));
        Self {
            tile,
            step,
            columns: PAGE_SIDE / tile[0],
            rows: PAGE_SIDE / tile[1],
        }
    }

    fn tiles(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// Returns the page of a tile and its UV rectangle there, in a tileset of `tiles` tiles.
    fn uv(&self, index: usize, tiles: usize) -> (usize, Rect) {
        let (page, within) = (index / self.tiles(), (index % self.tiles()) as u32);
        let [width, height] = self.page_size(page, tiles);
        let (column, row) = (within % self.columns, within / self.columns);
        let at = |column: u32, row: u32| {
            pos2(
                (column * self.tile[0]) as f32 / width as f32,
                (row * self.tile[1]) as f32 / height as f32,
            )
        };
        (
            page,
            Rect::from_min_max(at(column, row), at(column + 1, row + 1)),
        )
    }

    /// Returns the width and height of a page in pixels, in a tileset of `tiles` tiles.
    fn page_size(&self, page: usize, tiles: usize) -> [u32; 2] {
        let left = tiles.saturating_sub(page * self.tiles()).min(self.tiles()) as u32;
        let rows = left.div_ceil(self.columns).max(1);
        [self.columns * self.tile[0], rows * self.tile[1]]
    }
}

impl PanelUi for TilesetPanel {
    fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.take(context);
        }
        if self.tilesets.is_empty() {
            parts::hint(ui, "No tileset", "This file has no tiles.");
            return;
        }
        self.follow(context);
        self.tools(ui, context);
        self.missing(ui, context);
        self.grid(ui, context);
    }

    fn forget_textures(&mut self) {
        self.pages.clear();
    }

    fn is_tall(&self) -> bool {
        true
    }
}

impl TilesetPanel {
    /// Reports that the chosen tileset was not found, and offers to look elsewhere.
    fn missing(&self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(tileset) = self.tilesets.get(self.chosen).filter(|t| t.is_missing) else {
            return;
        };
        ui.horizontal_wrapped(|ui| {
            let name = if tileset.name.is_empty() {
                "The tileset".to_owned()
            } else {
                format!("`{}`", tileset.name)
            };
            let says = format!(
                "{name} was not found: tiles are shown as numbers, and their count is estimated."
            );
            ui.label(RichText::new(says).color(ui.visuals().warn_fg_color));
            if ui.button("Add texture folder…").clicked() {
                context.ask(Request::Run(Action::AddTextureFolder));
            }
        });
    }

    /// Loads the tilesets of the document.
    fn take(&mut self, context: &PanelContext<'_>) {
        let document = context.document;
        let layers = document.layers();
        let tilesets = layers.map_or_else(Vec::new, mapscope_scene::Layers::tilesets);
        self.tilesets = tilesets.into_iter().map(Rc::new).collect();
        self.places.clear();
        for (nth, tileset) in self.tilesets.iter().enumerate() {
            for index in 0..tileset.uses.len() {
                let item = layers.and_then(|layers| layers.tile_item(tileset.item, index));
                if let Some(item) = item {
                    self.places.insert(item, (nth, index));
                }
            }
        }
        self.selected = None;
        self.selected_tile = None;
        self.pointed_at = None;
        self.pointed_tile = None;
        self.choose(self.chosen.min(self.tilesets.len().saturating_sub(1)));
    }

    fn choose(&mut self, tileset: usize) {
        self.chosen = tileset;
        self.pages.clear();
        self.zoom = 0;
        self.list();
    }

    fn list(&mut self) {
        let uses = self.tilesets.get(self.chosen).map(|tileset| &*tileset.uses);
        let uses = uses.unwrap_or_default().iter().enumerate();
        let listed = uses.filter(|(_, uses)| !self.used_only || **uses > 0);
        self.listed = listed.map(|(index, _)| index).collect();
    }

    /// Finds the tiles of the selected and the hovered item.
    fn follow(&mut self, context: &PanelContext<'_>) {
        if self.selected != context.shown.selected {
            self.selected = context.shown.selected;
            self.selected_tile = self.selected.and_then(|item| self.tile_of(context, item));
            if let Some((tileset, _)) = self.selected_tile {
                if tileset != self.chosen {
                    self.choose(tileset);
                }
                self.reveal = true;
            }
        }
        if self.pointed_at != context.hovered {
            self.pointed_at = context.hovered;
            self.pointed_tile = self.pointed_at.and_then(|item| self.tile_of(context, item));
        }
    }

    /// Returns the tile that an item is or that its properties link to, as those of a cell do.
    fn tile_of(&self, context: &PanelContext<'_>, item: Item) -> Option<(usize, usize)> {
        if let Some(place) = self.places.get(&item) {
            return Some(*place);
        }
        let groups = context.document.properties(item, Playhead::default());
        let mut links = groups
            .iter()
            .flat_map(|group| &group.properties)
            .filter_map(|property| property.link);
        links.find_map(|link| self.places.get(&link).copied())
    }

    /// Shows the controls above the tiles.
    fn tools(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let pixels_per_point = ui.pixels_per_point();
        let Some(tileset) = self.tilesets.get(self.chosen).cloned() else {
            return;
        };
        let [width, height] = tileset.tile_size.map(|side| side.max(1));
        let longest = width.max(height) as f32;
        let most = (MAX_TILE_SIDE * pixels_per_point / longest)
            .floor()
            .max(1.0) as u32;
        if self.zoom == 0 {
            self.zoom = (INITIAL_TILE_SIDE * pixels_per_point / longest)
                .round()
                .max(1.0) as u32;
        }
        self.zoom = self.zoom.clamp(1, most);
        let mut chosen = self.chosen;
        ui.horizontal(|ui| {
            if self.tilesets.len() > 1 {
                let list = ComboBox::from_id_salt("tileset")
                    .selected_text(&tileset.name)
                    .width(150.0)
                    .truncate()
                    .show_ui(ui, |ui| {
                        for (index, tileset) in self.tilesets.iter().enumerate() {
                            ui.selectable_value(&mut chosen, index, &tileset.name);
                        }
                    });
                parts::name(&list.response, "Tileset to show");
            }
            let only = ui.toggle_value(&mut self.used_only, "Used only");
            let only = only.on_hover_text("Hide unused tiles");
            if only.changed() {
                self.list();
            }
            ui.separator();
            ui.weak("Size");
            ui.spacing_mut().slider_width = 80.0;
            let slider = Slider::new(&mut self.zoom, 1..=most).show_value(false);
            let slider = ui.add(slider);
            parts::name(&slider, "Size of the tiles");
            slider.on_hover_text("Display size of the tiles");
            ui.separator();
            ui.weak("Columns");
            let columns = DragValue::new(&mut self.columns)
                .range(0..=MAX_COLUMNS)
                .speed(0.1)
                .custom_formatter(|columns, _| match columns as usize {
                    0 => "as many as fit".to_owned(),
                    columns => columns.to_string(),
                })
                .custom_parser(|text| text.split_whitespace().next()?.parse().ok());
            let columns = ui.add(columns);
            parts::name(&columns, "Columns of tiles");
            columns.on_hover_text("Tiles per row, as in the original image; 0 for as many as fit");
            let used = tileset.uses.iter().filter(|uses| **uses > 0).count();
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.uses(ui, context);
                let text = format!(
                    "{}: {}, {} used, {width} × {height} px",
                    tileset.name,
                    format::counted(tileset.uses.len(), "tile"),
                    format::count(used as u64),
                );
                ui.add(egui::Label::new(RichText::new(text).weak()).truncate());
            });
        });
        if chosen != self.chosen {
            self.choose(chosen);
        }
    }

    /// Shows the selected tile and buttons that step through its uses.
    fn uses(&self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some((tileset, index)) = self.selected_tile.filter(|(of, _)| *of == self.chosen) else {
            return;
        };
        let Some(tileset) = self.tilesets.get(tileset) else {
            return;
        };
        let uses = tileset.uses.get(index).copied().unwrap_or(0);
        for (text, name, backwards) in [("›", "Next use", false), ("‹", "Previous use", true)] {
            let button = ui.add_enabled(uses > 0, Button::new(text));
            parts::name(&button, name);
            if button.on_hover_text(name).clicked() {
                context.ask(Request::Run(Action::NextOfKind { backwards }));
            }
        }
        ui.label(says(tileset, index));
        ui.separator();
    }

    fn grid(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let Some(tileset) = self.tilesets.get(self.chosen) else {
            return;
        };
        let pixels_per_point = ui.pixels_per_point();
        let [width, height] = tileset
            .tile_size
            .map(|side| (side.max(1) * self.zoom) as f32);
        let tile = vec2(width, height) / pixels_per_point;
        let step = tile + egui::Vec2::splat(GAP_PX / pixels_per_point);
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let room = ui.available_width() - parts::Row::END_MARGIN;
        let columns = match self.columns {
            0 => ((room / step.x) as usize).max(1),
            columns => columns,
        };
        let room = room.max(columns as f32 * step.x);
        let rows = self.listed.len().div_ceil(columns);
        let mut area = ScrollArea::new([self.columns > 0, true]).auto_shrink(false);
        if std::mem::take(&mut self.reveal) {
            let tile = self.selected_tile.filter(|(of, _)| *of == self.chosen);
            let at = tile.and_then(|(_, index)| self.listed.binary_search(&index).ok());
            if let Some(at) = at {
                let middle = (ui.available_height() - step.y) * 0.5;
                let offset = (at / columns) as f32 * step.y - middle;
                area = area.vertical_scroll_offset(offset.max(0.0));
            }
        }
        let id = ui.scope_id().with("tiles");
        let mut hovered = None;
        area.show_rows(ui, step.y, rows, |ui, rows| {
            let (_, place) = ui.allocate_space(vec2(room, rows.len() as f32 * step.y));
            let corner = place.min.round_to_pixels(pixels_per_point);
            let first = rows.start * columns;
            let last = (rows.end * columns).min(self.listed.len());
            let tiles = self.listed.get(first..last).unwrap_or_default().to_vec();
            let at = |nth: usize| {
                let offset = vec2((nth % columns) as f32, (nth / columns) as f32) * step;
                Rect::from_min_size(corner + offset, tile).round_to_pixels(pixels_per_point)
            };
            let places: Vec<(usize, Rect)> = tiles
                .into_iter()
                .enumerate()
                .map(|(nth, index)| (index, at(nth)))
                .collect();
            self.paint(ui, context, &places);
            hovered = self.point(ui, context, id, &places);
        });
        self.hovered.report(context, hovered);
    }

    /// Paints tiles at the given rectangles.
    fn paint(&mut self, ui: &Ui, context: &PanelContext<'_>, places: &[(usize, Rect)]) {
        let Some(tileset) = self.tilesets.get(self.chosen).cloned() else {
            return;
        };
        let atlas = Atlas::of(tileset.tile_size);
        let mut meshes: BTreeMap<usize, Mesh> = BTreeMap::new();
        for (index, place) in places {
            let (page, uv) = atlas.uv(*index, tileset.uses.len());
            let texture = self.pages.entry(page);
            let texture = texture.or_insert_with(|| load_page(ui, context, &tileset, atlas, page));
            let used = tileset.uses.get(*index).is_some_and(|uses| *uses > 0);
            let tint = if used {
                Color32::WHITE
            } else {
                Color32::WHITE.gamma_multiply(UNUSED_OPACITY)
            };
            let mesh = meshes
                .entry(page)
                .or_insert_with(|| Mesh::with_texture(texture.id()));
            mesh.add_rect_with_uv(*place, uv, tint);
        }
        let back = ui.visuals().extreme_bg_color;
        let all = places.iter().map(|(_, place)| *place);
        if let Some(all) = all.reduce(Rect::union) {
            ui.painter().rect_filled(all, 0.0, back);
        }
        for mesh in meshes.into_values() {
            ui.painter().add(Shape::mesh(mesh));
        }
        let line = 1.0 / ui.pixels_per_point();
        let accent = ui.visuals().hyperlink_color;
        for (index, place) in places {
            if tileset.uses.get(*index).is_some_and(|uses| *uses > 0) {
                // Below the tile, in the gap between two.
                let mark = Rect::from_min_max(
                    pos2(place.min.x, place.max.y),
                    pos2(place.max.x, place.max.y + line),
                );
                ui.painter().rect_filled(mark, 0.0, accent);
            }
        }
        let outlined = [
            (self.pointed_tile, ui.visuals().strong_text_color()),
            (self.selected_tile, accent),
        ];
        for (tile, color) in outlined {
            let Some((_, index)) = tile.filter(|(of, _)| *of == self.chosen) else {
                continue;
            };
            if let Some((_, place)) = places.iter().find(|(of, _)| *of == index) {
                let painter = ui.painter();
                for (width, color) in [(4.0, back), (2.0, color)] {
                    let stroke = Stroke::new(width, color);
                    painter.rect_stroke(*place, 1.0, stroke, StrokeKind::Middle);
                }
            }
        }
    }

    /// Handles hovers and clicks on tiles. Returns the hovered item.
    fn point(
        &self,
        ui: &Ui,
        context: &mut PanelContext<'_>,
        id: Id,
        places: &[(usize, Rect)],
    ) -> Option<Item> {
        let tileset = self.tilesets.get(self.chosen)?;
        let mut hovered = None;
        for (index, place) in places {
            // Not focusable: Tab would have to pass all tiles.
            let sense = Sense::CLICK;
            let response = ui.interact(place.expand(line_width(ui)), id.with(index), sense);
            let item = context.document.layers()?.tile_item(tileset.item, *index);
            response.widget_info(|| {
                let selected = item.is_some() && item == context.shown.selected;
                let name = says(tileset, *index);
                WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), selected, name)
            });
            if response.hovered() {
                hovered = item;
            }
            if response.clicked() {
                context.ask(Request::Select(item));
            }
            if response.double_clicked() {
                context.ask(Request::Run(Action::NextOfKind { backwards: false }));
            }
            response.on_hover_text(says(tileset, *index));
        }
        hovered
    }
}

/// Returns half of the gap between two tiles, so that the pointer is always over a tile.
fn line_width(ui: &Ui) -> f32 {
    GAP_PX * 0.5 / ui.pixels_per_point()
}

/// Describes a tile: its number and its number of uses.
fn says(tileset: &TilesetInfo, index: usize) -> String {
    let uses = tileset.uses.get(index).copied().unwrap_or(0);
    let number = tileset
        .ids
        .get(index)
        .map_or(index as u64, |id| u64::from(*id));
    match uses {
        0 => format!("Tile {number}, unused"),
        1 => format!("Tile {number}, used once"),
        uses => format!("Tile {number}, used {} times", format::count(uses)),
    }
}

/// Copies the tiles of a page into a texture.
fn load_page(
    ui: &Ui,
    context: &PanelContext<'_>,
    tileset: &TilesetInfo,
    atlas: Atlas,
    page: usize,
) -> TextureHandle {
    let [width, height] = atlas
        .page_size(page, tileset.uses.len())
        .map(|side| side as usize);
    let mut rgba = vec![0; width * height * 4];
    let first = page * atlas.tiles();
    let last = (first + atlas.tiles()).min(tileset.uses.len());
    let [tile_w, tile_h] = atlas.tile.map(|side| side as usize);
    for index in first..last {
        let image = context.document.layers().and_then(|layers| {
            let item = layers.tile_item(tileset.item, index)?;
            layers.tile_image(item, Playhead::default())
        });
        let Some(image) = image.filter(|image| image.size == tileset.tile_size) else {
            continue;
        };
        let within = index - first;
        let (left, top) = (
            within % atlas.columns as usize * tile_w,
            within / atlas.columns as usize * tile_h,
        );
        let step = atlas.step as usize;
        for y in 0..tile_h {
            for x in 0..tile_w {
                let from = (y * step * image.size[0] as usize + x * step) * 4;
                let to = ((top + y) * width + left + x) * 4;
                if let (Some(from), Some(to)) =
                    (image.rgba.get(from..from + 4), rgba.get_mut(to..to + 4))
                {
                    to.copy_from_slice(from);
                }
            }
        }
    }
    let image = ColorImage::from_rgba_unmultiplied([width, height], &rgba);
    let name = format!("{} {page}", tileset.name);
    ui.ctx().load_texture(name, image, TextureOptions::NEAREST)
}
