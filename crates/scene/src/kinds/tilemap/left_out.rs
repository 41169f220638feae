//! Unread parts of a map: descriptions, and marks in the view.

use glam::{Vec3, vec3};

use super::here::UnreadAt;
use super::items::CellAt;
use super::{GridKind, Layer, ObjectKind, TileMap};
use crate::colors::{BROKEN, DAMAGED};
use crate::describe::lines::LineBuilder;
use crate::describe::outline::heading;
use crate::describe::table::ValueType;
use crate::describe::value::{Fact, Value};
use crate::{LegendEntry, Line, OutlineNode, OverlayId, Shown, Swatch};
use mapscope_formats::{Rest, UnreadReason, counted};

/// Unread ends of lists.
pub(super) const LEFT_OUT: ValueType = ValueType::List(&ValueType::Object(&[
    ("what", ValueType::Text),
    ("layer", ValueType::Integer),
    ("read", ValueType::Integer),
    ("of", ValueType::Integer),
    ("why", ValueType::Text),
]));
/// Width of the lines, in logical pixels.
const LINE_POINTS: f32 = 2.0;

/// The unread end of a list in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// The contents of the list.
    pub what: Unread,
    /// The layer of the list; `None` for a list of the map itself.
    pub layer: Option<usize>,
    /// Number of elements that were read, from the start.
    pub read: usize,
    /// The reason why the others were not read.
    pub why: UnreadReason,
}

/// The contents of a list that was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// The tiles of a layer with these columns and rows.
    Tiles([u32; 2]),
    /// The tints of such tiles, including other lighting data.
    Attributes([u32; 2]),
    /// A number for each of such tiles.
    Grid(GridKind, [u32; 2]),
    /// The layers of the map, with the number of unread ones.
    Layers(Rest),
    /// The zones of the map.
    Zones(Rest),
    /// The entities of the map or of a layer.
    Entities(Rest),
    /// The areas of zones of a layer.
    ZoneAreas(Rest),
    /// The waypoints of the map.
    Waypoints(Rest),
    /// The sprites, boxes and lines of a layer.
    Objects(Rest),
    /// The images of a tileset.
    Images(Rest),
    /// The animations of a tileset.
    Strands(Rest),
}

impl Unread {
    /// The columns and rows of a list with one element per cell.
    fn size(self) -> Option<[u32; 2]> {
        match self {
            Self::Tiles(size) | Self::Attributes(size) | Self::Grid(_, size) => Some(size),
            _ => None,
        }
    }

    /// The number of unread elements of any other list.
    fn rest(self) -> Option<Rest> {
        match self {
            Self::Tiles(_) | Self::Attributes(_) | Self::Grid(..) => None,
            Self::Layers(rest)
            | Self::Zones(rest)
            | Self::Entities(rest)
            | Self::ZoneAreas(rest)
            | Self::Waypoints(rest)
            | Self::Objects(rest)
            | Self::Images(rest)
            | Self::Strands(rest) => Some(rest),
        }
    }

    /// `true` if it is a list of objects of a kind.
    pub(super) fn is_of(self, kind: ObjectKind) -> bool {
        match self {
            Self::Entities(_) => kind == ObjectKind::Entity,
            Self::ZoneAreas(_) => kind == ObjectKind::ZoneArea,
            Self::Waypoints(_) => kind == ObjectKind::Waypoint,
            Self::Objects(_) => matches!(
                kind,
                ObjectKind::Sprite | ObjectKind::Box | ObjectKind::Line
            ),
            _ => false,
        }
    }

    /// Name of its elements.
    fn name(self) -> &'static str {
        match self {
            Self::Tiles(_) | Self::Images(_) => "tiles",
            Self::Attributes(_) => "graphics attributes",
            Self::Grid(GridKind::Obstruction { .. }, _) => "obstruction",
            Self::Grid(GridKind::Zones, _) => "zone map",
            Self::Grid(GridKind::Logic, _) => "logic attributes",
            Self::Layers(_) => "layers",
            Self::Zones(_) => "zones",
            Self::Entities(_) => "entities",
            Self::ZoneAreas(_) => "zone areas",
            Self::Waypoints(_) => "waypoints",
            Self::Objects(_) => "objects",
            Self::Strands(_) => "strands",
        }
    }
}

/// Reason why something was not read; `it` is its name in the sentence.
fn because(why: UnreadReason, it: &str) -> String {
    match why {
        UnreadReason::FileEnds => format!("the file ends before {it}"),
        UnreadReason::DataEnds => format!("the packed data ends before {it}"),
        UnreadReason::Damaged => format!("the packed data is damaged before {it}"),
        UnreadReason::TooLarge => "more than a file of this length may unpack to".to_owned(),
        UnreadReason::Compression => "the compression is not known".to_owned(),
        UnreadReason::NoFile => format!("the file with {it} cannot be read"),
        UnreadReason::Missing => format!("the file does not have {it}"),
    }
}

/// Display text in place of unread data.
pub(super) fn not_read(why: UnreadReason) -> String {
    format!("not read: {}", because(why, "it"))
}

impl LeftOut {
    /// The unread end of a list with one element per cell, of which `read` were read. `None` if
    /// `why` is `None` or the list is complete.
    pub(super) fn of_cells(
        what: Unread,
        layer: Option<usize>,
        read: usize,
        why: Option<UnreadReason>,
    ) -> Option<Self> {
        let left_out = Self {
            what,
            layer,
            read,
            why: why?,
        };
        let is_short = left_out.of().is_none_or(|of| (read as u64) < of);
        is_short.then_some(left_out)
    }

    /// The unread end of another list, if the file ends before it does.
    pub(super) fn of_list(what: fn(Rest) -> Unread, read: usize, rest: Rest) -> Option<Self> {
        (rest != Rest::Nothing).then_some(Self {
            what: what(rest),
            layer: None,
            read,
            why: UnreadReason::FileEnds,
        })
    }

    /// Assigns the list to a layer.
    pub(super) fn of_layer(self, layer: usize) -> Self {
        Self {
            layer: Some(layer),
            ..self
        }
    }

    /// Sets another reason.
    pub(super) fn because(self, why: UnreadReason) -> Self {
        Self { why, ..self }
    }

    /// Number of elements that the file declares, if known.
    fn of(&self) -> Option<u64> {
        if let Some([w, h]) = self.what.size() {
            // A size of 0 is undeclared.
            return Some(u64::from(w) * u64::from(h)).filter(|count| *count > 0);
        }
        match self.what.rest()? {
            Rest::Nothing => Some(self.read as u64),
            Rest::Count(more) => Some(self.read as u64 + u64::from(more)),
            Rest::Unknown => None,
        }
    }

    /// Returns `true` if the element of the tile at this index was not read.
    pub fn has_cell(&self, index: usize) -> bool {
        self.what.size().is_some() && index >= self.read
    }

    /// Describes the unread data and the reason in a line.
    fn said(&self) -> String {
        let name = self.what.name();
        let many = match (self.of(), self.what.size()) {
            (Some(of), Some(_)) => {
                let lost = of.saturating_sub(self.read as u64);
                match self.what {
                    Unread::Grid(GridKind::Obstruction { .. } | GridKind::Zones, _) => {
                        format!("{name} of {lost} of {of} tiles")
                    }
                    _ => format!("{lost} of {of} {name}"),
                }
            }
            (Some(of), None) => format!("{} of {of} {name}", of.saturating_sub(self.read as u64)),
            (None, _) if self.read == 0 => name.to_owned(),
            (None, _) => format!("more {name}"),
        };
        format!("{many}: {}", because(self.why, "them"))
    }

    /// Its parts, and its description for people.
    fn value(&self) -> Value {
        let facts = [
            Fact::new("What", self.what.name()),
            Fact::new("Layer", self.layer),
            Fact::new("Read", self.read),
            Fact::new("Of", self.of()),
            Fact::new("Why", because(self.why, "them")),
        ];
        Value::object(facts).shown_as(self.said())
    }

    /// A short note for a line of the outline.
    fn note(&self) -> String {
        let name = self.what.name();
        match (self.what, self.read) {
            (Unread::Tiles(_), 0) => "not read".to_owned(),
            (Unread::Tiles(_), read) => {
                let of = self.of().unwrap_or_default();
                format!("{read} of {} read", counted(of as usize, "tile"))
            }
            (_, 0) => format!("{name} not read"),
            _ => format!("{name} partly read"),
        }
    }

    /// The colour of its marks.
    fn color(&self) -> [u8; 3] {
        match self.what {
            Unread::Tiles(_) => BROKEN,
            _ => DAMAGED,
        }
    }

    /// The corners around its cells, as columns and rows in order; empty if it has no place.
    fn corners(&self) -> Vec<[u32; 2]> {
        let Some([width, height]) = self.what.size().filter(|size| !size.contains(&0)) else {
            return Vec::new();
        };
        let row = u32::try_from(self.read / width as usize).unwrap_or(u32::MAX);
        let column = (self.read % width as usize) as u32;
        if row >= height {
            return Vec::new();
        }
        let mut corners = vec![[column, row], [width, row], [width, height]];
        if column == 0 {
            corners.push([0, height]);
        } else if row + 1 == height {
            corners.push([column, height]);
        } else {
            // The rest of a row, and the rows below it.
            corners.extend([[0, height], [0, row + 1], [column, row + 1]]);
        }
        corners
    }
}

impl TileMap {
    /// The unread parts of a layer, or of the map itself.
    fn left_out_of(&self, layer: Option<usize>) -> impl Iterator<Item = &LeftOut> {
        let all = self.left_out.iter();
        all.filter(move |left_out| left_out.layer == layer)
    }

    /// The reason why the tile of a cell was not read, if so.
    pub(super) fn tile_not_read(&self, at: &CellAt<'_>) -> Option<UnreadReason> {
        self.not_read_of(at, |what| matches!(what, Unread::Tiles(_)))
    }

    /// The reason why the tint of a cell was not read, if so.
    pub(super) fn tint_not_read(&self, at: &CellAt<'_>) -> Option<UnreadReason> {
        self.not_read_of(at, |what| matches!(what, Unread::Attributes(_)))
    }

    fn not_read_of(&self, at: &CellAt<'_>, is_it: fn(Unread) -> bool) -> Option<UnreadReason> {
        let mut of_layer = self.left_out_of(Some(at.layer_number));
        let lost = of_layer.find(|lost| is_it(lost.what) && lost.has_cell(at.index));
        lost.map(|lost| lost.why)
    }

    /// `true` if zones are defined by numbers of cells rather than by areas.
    pub(super) fn has_zone_grid(&self) -> bool {
        self.grids.iter().any(|grid| grid.kind == GridKind::Zones)
    }

    /// The unread lists of zone areas, and the unread list of layers if those contain the areas.
    /// Unread areas may be anywhere.
    pub(super) fn zone_areas_not_read(&self) -> impl Iterator<Item = &LeftOut> {
        let of_layers = !self.zones.is_empty() && !self.has_zone_grid();
        self.left_out.iter().filter(move |list| match list.what {
            Unread::ZoneAreas(_) => true,
            Unread::Layers(_) => of_layers,
            _ => false,
        })
    }

    /// The grids whose numbers at a map pixel were not read, and unread zone areas, which may be
    /// there.
    pub(super) fn grids_not_read(&self, px: [i64; 2], shown: &Shown) -> Vec<UnreadAt> {
        let grids = self.left_out.iter().filter_map(|left_out| {
            let Unread::Grid(kind, size) = left_out.what else {
                return None;
            };
            let ground = self.ground(left_out.layer, size)?;
            let [x, y] = self.cell_place(&ground, size, px, shown)?;
            let index = y as usize * size[0] as usize + x as usize;
            let is_lost = left_out.has_cell(index);
            is_lost.then_some(UnreadAt {
                kind,
                layer: left_out.layer,
                why: left_out.why,
            })
        });
        let areas = self.zone_areas_not_read().map(|areas| UnreadAt {
            kind: GridKind::Zones,
            layer: areas.layer,
            why: areas.why,
        });
        grids.chain(areas).collect()
    }

    /// `true` if an image of a tileset was not read completely.
    pub(super) fn is_image_unread(&self, image: usize) -> bool {
        let mut images = self.left_out.iter();
        images.any(|lost| matches!(lost.what, Unread::Images(_)) && image >= lost.read)
    }

    /// The first cell whose tile or attributes were not read. All cells after it are incomplete
    /// too.
    pub(super) fn first_unread_cell(&self, layer: usize) -> Option<usize> {
        let is_of_cells = |lost: &&LeftOut| {
            let is_of_cell = matches!(lost.what, Unread::Tiles(_) | Unread::Attributes(_));
            is_of_cell && lost.what.size().is_some()
        };
        let of_cells = self.left_out_of(Some(layer)).filter(is_of_cells);
        of_cells.map(|lost| lost.read).min()
    }

    /// Number of unread cells of a layer.
    pub(super) fn cells_not_read(&self, layer_number: usize, layer: &Layer) -> u64 {
        let mut of_layer = self.left_out_of(Some(layer_number));
        let tiles = of_layer.find(|left_out| matches!(left_out.what, Unread::Tiles(_)));
        tiles.map_or(0, |tiles| {
            layer.cells.len().saturating_sub(tiles.read) as u64
        })
    }

    /// `true` if a zone is among the unread ones.
    pub(super) fn is_zone_not_read(&self, zone: usize) -> bool {
        let mut of_map = self.left_out_of(None);
        let zones = of_map.find(|left_out| matches!(left_out.what, Unread::Zones(_)));
        zones.is_some_and(|zones| {
            zone >= zones.read && zones.of().is_none_or(|of| (zone as u64) < of)
        })
    }

    /// The unread parts of a layer, or of the map itself.
    pub(super) fn left_out_value(&self, layer: Option<usize>) -> Value {
        Value::list(self.left_out_of(layer).map(LeftOut::value))
    }

    /// Short notes for the outline.
    pub(super) fn left_out_notes(&self, layer: Option<usize>) -> Vec<String> {
        let of_cells = self
            .left_out_of(layer)
            .filter(|left_out| left_out.what.size().is_some());
        of_cells.map(LeftOut::note).collect()
    }

    /// The outline colour of a layer with unread parts; for the map's line, of any unread parts.
    pub(super) fn left_out_swatch(&self, layer: Option<usize>) -> Option<Swatch> {
        let mut all = self.left_out.iter();
        let of_layer = |left_out: &&LeftOut| layer.is_none() || left_out.layer == layer;
        let is_lost = |left_out: &LeftOut| match left_out.what {
            Unread::Tiles(_) => left_out.read == 0,
            _ => false,
        };
        all.clone().find(of_layer)?;
        let is_lost = layer.is_none() || all.any(|it| of_layer(&it) && is_lost(it));
        Some(Swatch::Color(if is_lost { BROKEN } else { DAMAGED }))
    }

    /// The outline line with the number of unread elements of a list.
    pub(super) fn left_out_line(&self, is_list: impl Fn(Unread) -> bool) -> Option<OutlineNode> {
        let list = self.left_out.iter().find(|list| is_list(list.what))?;
        let more = if list.read == 0 { "" } else { " more" };
        let label = match list.of() {
            Some(of) => format!("{}{more} not read", of.saturating_sub(list.read as u64)),
            None => format!("not read: {}", because(list.why, "them")),
        };
        Some(OutlineNode {
            swatch: Some(Swatch::Color(BROKEN)),
            ..heading(&label, Vec::new())
        })
    }

    /// All unread parts.
    pub(super) fn left_out_info(&self) -> Value {
        Value::list(self.left_out.iter().map(LeftOut::value))
    }

    /// Adds lines around unread cells. Lines around unread tiles are drawn last, over those around
    /// unread attributes.
    pub(super) fn left_out_marks(&self, shown: &Shown, lines: &mut Vec<Line>) {
        if shown.overlays.is_off(OverlayId::LeftOut) {
            return;
        }
        for color in [DAMAGED, BROKEN] {
            let mut builder = LineBuilder::new(lines, color, LINE_POINTS).on_top();
            for left_out in self.left_out.iter().filter(|it| it.color() == color) {
                let corners = self.left_out_corners(left_out, shown);
                let ends = corners.iter().zip(corners.iter().cycle().skip(1));
                for (from, to) in ends {
                    builder.line(*from, *to);
                }
            }
        }
    }

    /// World-space corners of unread cells, if their layer is shown.
    fn left_out_corners(&self, left_out: &LeftOut, shown: &Shown) -> Vec<Vec3> {
        let layer = left_out.layer;
        let is_shown = layer.is_none_or(|layer| Self::is_layer_shown(layer, shown));
        let Some(size) = left_out.what.size().filter(|_| is_shown) else {
            return Vec::new();
        };
        let Some(ground) = self.ground(layer, size) else {
            return Vec::new();
        };
        let height = self.ground_height_px(layer, shown);
        let corners = left_out.corners().into_iter().filter_map(|corner| {
            let rect = self.cells_px(&ground, [corner; 2], shown)?;
            Some(vec3(rect.min[0], height, rect.min[1]))
        });
        corners.collect()
    }

    /// The legend of the marks, limited to those in use.
    pub(super) fn left_out_legend(&self) -> Vec<LegendEntry> {
        let entries = [
            (DAMAGED, "Tiles with other unread data"),
            (BROKEN, "Unread tiles"),
        ];
        let is_there = |color: [u8; 3]| {
            let mut marked = self.left_out.iter();
            marked.any(|it| it.color() == color && !it.corners().is_empty())
        };
        let entries = entries.into_iter().filter(|(color, _)| is_there(*color));
        entries
            .map(|(color, label)| LegendEntry::new(color, label))
            .collect()
    }

    /// `true` if any unread part has a place.
    pub(super) fn has_left_out_marks(&self) -> bool {
        self.left_out.iter().any(|it| !it.corners().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kinds::tilemap::here::AT_REST;
    use crate::kinds::tilemap::{Cell, Integers, sample};
    use crate::{Annotations as _, Document, Playhead};

    fn left_out(what: Unread, layer: Option<usize>, read: usize) -> LeftOut {
        LeftOut::of_cells(what, layer, read, Some(UnreadReason::FileEnds)).unwrap()
    }

    /// The made-up map without the end of its ground, the whole roof, and some of its grids.
    fn cut() -> TileMap {
        let mut map = sample::made_up();
        map.layers[0].cells[5..].fill(Cell::EMPTY);
        map.layers[1].cells.fill(Cell::EMPTY);
        map.grids[0].values = Integers::U8(vec![1; 8]);
        map.grids.truncate(1);
        let obstruction = map.grids[0].kind;
        map.left_out = vec![
            left_out(Unread::Tiles([4, 3]), Some(0), 5),
            left_out(Unread::Tiles([2, 2]), Some(1), 0),
            LeftOut::of_list(Unread::Layers, 3, Rest::Count(2)).unwrap(),
            left_out(Unread::Grid(obstruction, [4, 3]), None, 8),
            left_out(Unread::Grid(GridKind::Zones, [4, 3]), None, 0),
            LeftOut::of_list(Unread::Zones, 3, Rest::Count(1)).unwrap(),
            LeftOut::of_list(Unread::Entities, 2, Rest::Unknown).unwrap(),
        ];
        map.finished()
    }

    fn line(map: &TileMap, item: crate::Item, name: &str) -> Vec<String> {
        let groups = (map as &dyn Document).properties(item, Playhead::default());
        let lines = groups
            .into_iter()
            .flat_map(|group| group.properties)
            .filter(|line| line.name == name);
        lines.map(|line| line.value).collect()
    }

    #[test]
    fn what_was_read_is_left_out_of_nothing() {
        let why = Some(UnreadReason::Damaged);
        let of = |read| LeftOut::of_cells(Unread::Tiles([4, 3]), Some(0), read, why);
        assert!(of(11).is_some() && of(12).is_none());
        assert_eq!(
            LeftOut::of_cells(Unread::Tiles([4, 3]), None, 0, None),
            None
        );
        assert_eq!(LeftOut::of_list(Unread::Zones, 0, Rest::Nothing), None);
    }

    #[test]
    fn the_inspector_says_what_was_not_read() {
        let map = cut();
        let cell = |place| TileMap::cell_item(0, place);
        let why = "not read: the file ends before it";
        assert_eq!(line(&map, cell([0, 1]), "Tile"), ["0"]);
        assert_eq!(line(&map, cell([1, 1]), "Tile"), [why]);
        assert_eq!(line(&map, cell([0, 1]), "Obstructed"), ["yes"]);
        assert_eq!(line(&map, cell([0, 2]), "Obstructed"), [why]);
        assert_eq!(line(&map, cell([0, 1]), "Zone"), [why]);
        let of_layer = |layer| line(&map, TileMap::layer_item(layer), "Not read");
        assert_eq!(of_layer(0), ["7 of 12 tiles: the file ends before them"]);
        assert_eq!(of_layer(2), [""; 0]);
        assert_eq!(
            line(&map, crate::TileMapItem::Map.into(), "Not read"),
            [
                "2 of 5 layers: the file ends before them",
                "obstruction of 4 of 12 tiles: the file ends before them",
                "zone map of 12 of 12 tiles: the file ends before them",
                "1 of 4 zones: the file ends before them",
                "more entities: the file ends before them",
            ]
        );
        // Unread cells do not count as empty.
        assert_eq!(
            line(&map, TileMap::layer_item(0), "Empty tiles"),
            ["0 of 12"]
        );
        let numbers = map.statistics();
        let number = |name| numbers.iter().find(|number| number.name == name).unwrap();
        assert_eq!(number("Empty cells").value, "0");
        assert_eq!(number("Unread cells").value, "11");
        let status = (&map as &dyn Document).summary(cell([1, 2]), &Shown::default());
        let said = |name| &status.iter().find(|part| part.name == name).unwrap().value;
        for name in ["Tile", "Zone", "Obstructed"] {
            assert_eq!(said(name).trim(), "not read", "{name}");
        }
    }

    #[test]
    fn zones_that_were_not_read_have_their_number() {
        let mut map = sample::made_up();
        // Two of three zones were read; the file has no eighth zone.
        map.zones.truncate(2);
        map.left_out = vec![LeftOut::of_list(Unread::Zones, 2, Rest::Count(1)).unwrap()];
        let map = map.finished();
        let cell = |place| TileMap::cell_item(0, place);
        let status = |place| {
            let parts = (&map as &dyn Document).summary(cell(place), &Shown::default());
            let zone = parts.into_iter().find(|part| part.name == "Zone");
            zone.unwrap().value
        };
        assert_eq!(status([2, 1]), "meadow, 2 (not read) (Ground)");
        assert_eq!(status([2, 2]), "7 (not described)");
        assert_eq!(
            line(&map, cell([2, 1]), "Zone"),
            ["meadow", "2 (not read) (Ground)"]
        );
        assert_eq!(line(&map, cell([2, 2]), "Zone"), ["7 (not described)"]);
        let told = |place| map.tile_info(place).unwrap()["zones"].clone();
        assert_eq!(told([2, 1]), json!(["meadow", "2 (not read)"]));
        assert_eq!(told([2, 2]), json!(["7 (not described)"]));
    }

    #[test]
    fn the_outline_marks_what_was_not_read() {
        let map = cut();
        let outline = map.outline();
        let color = |node: &OutlineNode| match node.swatch {
            Some(Swatch::Color(color)) => Some(color),
            _ => None,
        };
        assert_eq!(color(&outline[0]), Some(BROKEN));
        assert_eq!(
            outline[0].note,
            "16 x 12 pixels, obstruction partly read, zone map not read"
        );
        let layers: Vec<_> = outline[1].children.iter().collect();
        let notes: Vec<&str> = layers.iter().map(|node| &*node.note).collect();
        assert_eq!(
            notes,
            [
                "number 1, 2 x 2, at 4, 4, not read",
                "number 0, 4 x 3, 5 of 12 tiles read",
                "number 2, 1 x 1, not drawn",
                "",
            ]
        );
        assert_eq!(outline[1].note, "3, from the top");
        assert_eq!(layers[3].label, "2 more not read");
        let colors: Vec<_> = layers.iter().map(|node| color(node)).collect();
        assert_eq!(colors, [Some(BROKEN), Some(DAMAGED), None, Some(BROKEN)]);
        let last = |list: &str| {
            let list = outline.iter().find(|node| node.label == list).unwrap();
            list.children.last().unwrap().label.clone()
        };
        assert_eq!(last("Zones"), "1 more not read");
        assert_eq!(last("Entities"), "not read: the file ends before them");
        let layers = Document::layers(&map).unwrap().layers();
        assert_eq!(layers[2].note, "at 4, 4, not read");
    }

    #[test]
    fn marks_are_around_the_tiles_until_they_are_switched_off() {
        let map = cut();
        let lines = |shown: &Shown| {
            let mut lines = Vec::new();
            map.lines(shown, &mut lines);
            lines
        };
        let mut shown = AT_REST.clone();
        let all = lines(&shown);
        // A row of the obstruction, all zones, an L-shaped part of the ground, and the roof.
        assert_eq!(all.len(), 4 + 4 + 6 + 4);
        let corners = |lines: &[Line]| -> Vec<[f32; 2]> {
            let first = lines.iter().map(|line| line.ends[0]);
            first.map(|corner| [corner.x, corner.z]).collect()
        };
        assert_eq!(
            corners(&all[..4]),
            [[0.0, 8.0], [16.0, 8.0], [16.0, 12.0], [0.0, 12.0]]
        );
        assert_eq!(
            corners(&all[8..14]),
            [
                [4.0, 4.0],
                [16.0, 4.0],
                [16.0, 12.0],
                [0.0, 12.0],
                [0.0, 8.0],
                [4.0, 8.0]
            ]
        );
        assert_eq!(
            corners(&all[14..]),
            [[4.0, 4.0], [12.0, 4.0], [12.0, 12.0], [4.0, 12.0]]
        );
        let labels = |shown: &Shown| -> Vec<String> {
            let legends = map.legends(shown).into_iter();
            let entries = legends.flat_map(|legend| legend.entries);
            entries.map(|entry| entry.label).collect()
        };
        assert_eq!(
            labels(&shown),
            ["Tiles with other unread data", "Unread tiles"]
        );
        shown.hidden.push(TileMap::layer_item(0));
        assert_eq!(lines(&shown).len(), 4 + 4 + 4);
        shown
            .overlays
            .set(map.about.overlays, OverlayId::LeftOut, false);
        assert_eq!(lines(&shown).len(), 0);
        assert_eq!(labels(&shown), [""; 0]);
        // Only the end of a row.
        let end = left_out(Unread::Tiles([4, 3]), None, 10);
        assert_eq!(end.corners(), [[2, 2], [4, 2], [4, 3], [2, 3]]);
    }
}
