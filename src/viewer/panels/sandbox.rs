//! A sandbox for a tile: every field and the 24 characters can be edited.

use std::ops::RangeInclusive;
use std::sync::Arc;

use egui::accesskit::Role;
use egui::emath::GuiRounding as _;
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align2, Checkbox, CollapsingHeader, ComboBox, DragValue, FontSelection, Galley, Grid, Id,
    Label, Rect, RichText, Sense, Stroke, TextBuffer, TextEdit, TextStyle, Ui, Vec2, WidgetInfo,
    vec2,
};

use super::document_key::DocumentKey;
use super::{PanelContext, parts};
use mapscope_formats::pfmap::{BlendMode, Cover, Field, Meaning, TILE_CHARS, Tile, TileType};
use mapscope_scene::terrain::Terrain;
use mapscope_scene::{Document, Item, OutlineNode, Swatch, TerrainItem};

/// Size of the preview of the tile among its neighbours, in points.
pub const SANDBOX_PREVIEW_SIZE: Vec2 = vec2(320.0, 240.0);

/// Width of the column of names, in points.
const NAME_WIDTH: f32 = 92.0;

/// Minimum width of the value column, in points.
const MIN_VALUE_WIDTH: f32 = 40.0;

/// Maximum width of a drop-down list, in points.
const MAX_LIST_WIDTH: f32 = 180.0;

/// Index of the edited tile among the nine.
const CENTER: usize = 4;

/// The edited tile and its eight neighbours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TileSandbox {
    /// Three rows of three tiles from the north-west; the edited tile is in the middle.
    pub tiles: [Tile; 9],
}

/// Error in the text of the tile.
#[derive(Debug, PartialEq, Eq)]
struct TextError {
    /// Zero-based index of the first bad character.
    index: usize,
    message: String,
}

/// A material of the document that a tile can name.
#[derive(Debug)]
struct Material {
    index: i32,
    name: String,
    swatch: Option<Swatch>,
}

/// The part of the panel that edits a tile.
#[derive(Debug, Default)]
pub(super) struct Sandbox {
    of: DocumentKey,
    tiles: TileSandbox,
    /// The characters as typed, which may not form a tile.
    text: String,
    error: Option<TextError>,
    /// The tile of the map that was copied into the sandbox.
    source: Option<Item>,
    /// `true` after an edit; until then the sandbox follows the selection.
    edited: bool,
    materials: Vec<Material>,
}

impl Sandbox {
    pub(super) fn ui(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        let header = CollapsingHeader::new("Sandbox").id_salt("sandbox");
        header.show(ui, |ui| self.contents(ui, context));
    }

    fn contents(&mut self, ui: &mut Ui, context: &mut PanelContext<'_>) {
        if self.of.changed_to(context.document) {
            self.materials.clear();
            collect_materials(context.document.outline(), &mut self.materials);
            self.source = None;
            if !self.edited {
                self.take(TileSandbox::default().tiles);
            }
        }
        ui.weak("Try out a tile here. The file is not changed.");
        let preview = preview_place(ui);
        self.buttons(ui, context);
        self.characters(ui);
        let before = self.tiles.tiles;
        if let Some(tile) = self.tiles.tiles.get_mut(CENTER) {
            show_fields(ui, context, &self.materials, tile);
        }
        if self.tiles.tiles != before {
            self.edited = true;
            self.write_text();
        }
        // Last, so that it shows the latest edits of the fields above.
        self.paint_preview(ui, context, preview);
    }

    /// Paints the tile among its neighbours, if it is visible.
    fn paint_preview(&self, ui: &Ui, context: &mut PanelContext<'_>, rect: Rect) {
        if !ui.is_rect_visible(rect) {
            return;
        }
        // Whole pixels; otherwise it would be blurred.
        let rect = rect.round_to_pixels(ui.pixels_per_point());
        let texture = context.previews.sandbox_preview(&self.tiles, rect.size());
        if let Some(texture) = texture {
            egui::Image::new((texture, rect.size()))
                .corner_radius(4)
                .paint_at(ui, rect);
        } else {
            let (back, color) = (
                ui.visuals().extreme_bg_color,
                ui.visuals().weak_text_color(),
            );
            ui.painter().rect_filled(rect, 4.0, back);
            let text = RichText::new("No preview yet");
            parts::paint_text(ui, rect, text, color, Align2::CENTER_CENTER);
        }
    }

    fn buttons(&mut self, ui: &mut Ui, context: &PanelContext<'_>) {
        let selected = context.shown.selected;
        // Queried only if the answer may have changed.
        if !self.edited && selected.is_some() && selected != self.source {
            self.take_selected(context);
        }
        ui.horizontal_wrapped(|ui| {
            let is_tile = matches!(selected, Some(Item::Terrain(TerrainItem::Tile { .. })));
            let take = ui.add_enabled(is_tile, egui::Button::new("Use the selected tile"));
            let take = take.on_hover_text("Start from the tile selected in the map");
            if take.clicked() {
                self.take_selected(context);
            }
            let reset = ui.button("Reset").on_hover_text("Start from flat ground");
            if reset.clicked() {
                self.source = selected;
                self.edited = false;
                self.take(TileSandbox::default().tiles);
            }
        });
    }

    fn take_selected(&mut self, context: &PanelContext<'_>) {
        self.source = context.shown.selected;
        let tiles = context
            .shown
            .selected
            .and_then(|item| neighborhood(&**context.document, item));
        if let Some(tiles) = tiles {
            self.edited = false;
            self.take(tiles);
        }
    }

    fn take(&mut self, tiles: [Tile; 9]) {
        self.tiles = TileSandbox { tiles };
        self.write_text();
    }

    /// Writes the tile into the text.
    fn write_text(&mut self) {
        self.error = None;
        self.text = self
            .tiles
            .tiles
            .get(CENTER)
            .map_or_else(String::new, tile_text);
    }

    /// Shows the 24 characters, their error, and a button that copies them.
    fn characters(&mut self, ui: &mut Ui) {
        let label = ui.horizontal(|ui| {
            let label = ui.label(RichText::new("Characters").weak());
            let copy = egui::Button::new("Copy text").small();
            let copy = ui.add_enabled(self.error.is_none(), copy);
            if copy.on_hover_text("Copy the 24 characters").clicked() {
                ui.copy_text(self.text.trim().to_owned());
            }
            label.id
        });
        let mut layouter =
            |ui: &Ui, text: &dyn TextBuffer, _width: f32| colored_characters(ui, text.as_str());
        let edit = TextEdit::singleline(&mut self.text)
            .font(TextStyle::Monospace)
            .layouter(&mut layouter)
            .desired_width(SANDBOX_PREVIEW_SIZE.x);
        if ui.add(edit).labelled_by(label.inner).changed() {
            self.edited = true;
            match parse(&self.text) {
                Ok(tile) => {
                    self.error = None;
                    if let Some(center) = self.tiles.tiles.get_mut(CENTER) {
                        *center = tile;
                    }
                }
                Err(error) => self.error = Some(error),
            }
        }
        if let Some(error) = &self.error {
            let color = ui.visuals().error_fg_color;
            ui.label(RichText::new(&error.message).color(color));
        }
    }
}

/// Allocates the preview.
fn preview_place(ui: &mut Ui) -> Rect {
    let width = ui.available_width().min(SANDBOX_PREVIEW_SIZE.x);
    let height = width * SANDBOX_PREVIEW_SIZE.y / SANDBOX_PREVIEW_SIZE.x;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Image, true, "The tile among its eight neighbours")
    });
    rect
}

/// Returns the tile of a map item and its neighbours.
fn neighborhood(document: &dyn Document, item: Item) -> Option<[Tile; 9]> {
    document.content::<Terrain>()?.neighborhood(item)
}

fn tile_text(tile: &Tile) -> String {
    tile.text().map(char::from).iter().collect()
}

/// Parses a tile from typed text, which may have spaces around it.
fn parse(text: &str) -> Result<Tile, TextError> {
    let leading = text.chars().take_while(|c| c.is_whitespace()).count();
    let text = text.trim();
    if let Some((index, found)) = text.chars().enumerate().find(|(_, c)| !c.is_ascii()) {
        return Err(bad_character(
            leading,
            index,
            found,
            "an ASCII letter, digit or sign",
        ));
    }
    let fits: Result<&[u8; TILE_CHARS], _> = text.as_bytes().try_into();
    let Ok(characters) = fits else {
        return Err(wrong_length(text, leading));
    };
    Tile::parse(characters).map_err(|error| {
        bad_character(
            leading,
            error.index,
            char::from(error.found),
            error.expected,
        )
    })
}

fn bad_character(leading: usize, index: usize, found: char, expected: &str) -> TextError {
    let found = if found.is_control() {
        format!("{}", found.escape_default())
    } else {
        found.to_string()
    };
    TextError {
        index: leading + index,
        message: format!(
            "Character {} is `{found}`: expected {expected} ({})",
            index + 1,
            Field::of_char(index).map_or("beyond the end", Field::name)
        ),
    }
}

/// Reports the wrong length of a text, unless an earlier character is wrong.
fn wrong_length(text: &str, leading: usize) -> TextError {
    let length = text.len();
    let mut padded = *b"0+0000000000000000000000";
    for (to, from) in padded.iter_mut().zip(text.bytes()) {
        *to = from;
    }
    if let Err(error) = Tile::parse(&padded) {
        return bad_character(
            leading,
            error.index,
            char::from(error.found),
            error.expected,
        );
    }
    TextError {
        index: leading + length.min(TILE_CHARS),
        message: format!("Expected {TILE_CHARS} characters, found {length}"),
    }
}

/// Returns the text with coloured fields; a bad character is underlined.
fn colored_characters(ui: &Ui, text: &str) -> Arc<Galley> {
    let bad = parse(text).err().map(|error| error.index);
    let font = FontSelection::Style(TextStyle::Monospace).resolve(ui.style());
    let leading = text.chars().take_while(|c| c.is_whitespace()).count();
    let error = ui.visuals().error_fg_color;
    let mut job = LayoutJob::default();
    let mut buffer = [0; 4];
    for (i, character) in text.chars().enumerate() {
        let field = Field::of_char(i.saturating_sub(leading));
        // Characters after the last field are invalid; they get the error colour below.
        let color = parts::field_color(ui, field.map_or(Field::ALL.len(), |field| field as usize));
        let mut format = TextFormat::simple(font.clone(), color);
        if bad.is_some_and(|bad| bad == i || (bad < i && i >= TILE_CHARS + leading)) {
            format.color = error;
            format.underline = Stroke::new(1.5, error);
            format.background = error.gamma_multiply(0.25);
        }
        job.append(character.encode_utf8(&mut buffer), 0.0, format);
    }
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Shows the fields of a tile for editing.
fn show_fields(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    materials: &[Material],
    tile: &mut Tile,
) {
    // Fields take the width of the panel, so that their contents do not widen it.
    let value_width = ui.available_width() - NAME_WIDTH - ui.spacing().item_spacing.x;
    // Both columns have the same bounds.
    let min_width = value_width.clamp(MIN_VALUE_WIDTH, NAME_WIDTH);
    let table = Grid::new("fields")
        .num_columns(2)
        .min_col_width(min_width)
        .max_col_width(value_width.max(min_width));
    table.show(ui, |ui| {
        for field in Field::ALL {
            show_field(ui, context, materials, tile, field);
        }
    });
}

/// Shows a row of the table, unless the field has no meaning yet.
fn show_field(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    materials: &[Material],
    tile: &mut Tile,
    field: Field,
) {
    let meaning = field.meaning();
    if matches!(meaning, Meaning::BlendAll | Meaning::Reserved) {
        return;
    }
    let digits = 0..=i32::from(field.max_digit());
    row(ui, field.label(), |ui, label| {
        let mut number = tile.get(field);
        match meaning {
            Meaning::Type => {
                let name = |kind: TileType| format!("{} {}", kind.digit(), kind.name());
                let options = TileType::ALL.map(|kind| (kind as i32, name(kind)));
                choose(ui, label, &name(tile.kind), &mut number, options);
            }
            Meaning::Levels => levels(ui, label, &mut number, field.range()),
            Meaning::Material => choose_material(ui, context, label, materials, &mut number),
            Meaning::Flag | Meaning::InvertedFlag(_) => {
                let set = meaning == Meaning::Flag;
                let mut on = (number != 0) == set;
                let checkbox = ui.add(Checkbox::without_text(&mut on));
                if checkbox.labelled_by(label).changed() {
                    number = (on == set).into();
                }
            }
            Meaning::Cover => {
                let name = |digit| Cover::from_digit(digit as u8).name().to_owned();
                let options = digits.map(|digit| (digit, name(digit)));
                choose(ui, label, tile.cover().name(), &mut number, options);
            }
            Meaning::Blend(edge) => {
                let mut mode = tile.blend(edge);
                let options = digits.map(|digit| BlendMode::from_digit(digit as u8));
                let options = options.map(|mode| (mode, mode.name().to_owned()));
                choose(ui, label, mode.name(), &mut mode, options);
                if mode != tile.blend(edge) {
                    tile.set_blend(edge, mode);
                }
                return;
            }
            Meaning::BlendAll | Meaning::Reserved => {}
        }
        if number != tile.get(field) {
            tile.set(field, number);
        }
    });
}

/// Shows a row of the table: a name that labels the widget beside it.
fn row(ui: &mut Ui, name: &str, value: impl FnOnce(&mut Ui, Id)) {
    let label = ui.label(RichText::new(name).weak());
    ui.horizontal(|ui| value(ui, label.id));
    ui.end_row();
}

/// Shows a height in levels.
fn levels(ui: &mut Ui, label: Id, height: &mut i32, range: RangeInclusive<i32>) {
    let field = DragValue::new(height).range(range).speed(0.05);
    ui.add(field).labelled_by(label);
    let y = RichText::new(format!("y {}", *height * 4)).weak();
    let y = ui.add(Label::new(y).truncate());
    y.on_hover_text("Height in world units; a level is 4 units high");
}

/// Shows a drop-down list.
fn choose<Value: PartialEq>(
    ui: &mut Ui,
    label: Id,
    current: &str,
    value: &mut Value,
    options: impl IntoIterator<Item = (Value, String)>,
) {
    let list = ComboBox::from_id_salt(label)
        .selected_text(current)
        .width(ui.available_width().min(MAX_LIST_WIDTH))
        .truncate();
    let list = list.show_ui(ui, |ui| {
        for (option, name) in options {
            ui.selectable_value(value, option, name);
        }
    });
    // A narrow panel truncates long names.
    list.response.labelled_by(label).on_hover_text(current);
}

fn choose_material(
    ui: &mut Ui,
    context: &mut PanelContext<'_>,
    label: Id,
    materials: &[Material],
    index: &mut i32,
) {
    if materials.is_empty() {
        let field = DragValue::new(index).range(Field::TopMaterial.range());
        ui.add(field.speed(0.1)).labelled_by(label);
        return;
    }
    let current = materials.iter().find(|material| material.index == *index);
    if let Some(swatch) = current.and_then(|material| material.swatch) {
        parts::swatch(ui, context, swatch);
    }
    let name = match current {
        Some(material) => material.name.clone(),
        None => format!("{index} (not in the file)"),
    };
    let options = materials.iter();
    let options = options.map(|material| (material.index, material.name.clone()));
    choose(ui, label, &name, index, options);
}

/// Collects the materials of an outline.
fn collect_materials(nodes: Vec<OutlineNode>, found: &mut Vec<Material>) {
    for node in nodes {
        if let Some(Item::Terrain(TerrainItem::Material { index })) = node.item
            && let Ok(index) = i32::try_from(index)
            && Field::TopMaterial.range().contains(&index)
        {
            found.push(Material {
                index,
                name: node.label,
                swatch: node.swatch,
            });
        }
        collect_materials(node.children, found);
    }
}
