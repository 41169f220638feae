//! Everything about the parts of a map, for the inspector.

use super::grids::zone_color;
use super::here::{Here, ZoneHere};
use super::items::{CellAt, title_of};
use super::layers::parallax_name;
use super::summary::flag_names;
use super::{GridKind, Pass, RectPx, Step, Strand, StrandMode, Thing, ThingKind, TileMap, Tileset};
use crate::numbers::{plural, short};
use crate::{Item, Property, PropertyGroup, Swatch, TileMapItem};

/// How many of one thing are listed.
const MOST_LISTED: usize = 64;

fn group(title: &'static str, properties: Vec<Property>) -> PropertyGroup {
    PropertyGroup { title, properties }
}

fn linked(name: &'static str, value: String, link: Item) -> Property {
    Property {
        link: Some(link),
        ..Property::new(name, value)
    }
}

/// The line that says how many more there are than are listed.
fn and_more(count: usize) -> Option<Property> {
    let more = count.checked_sub(MOST_LISTED).filter(|more| *more > 0)?;
    Some(Property::new("", format!("and {more} more")))
}

fn by([w, h]: [u32; 2], what: &str) -> String {
    format!("{w} x {h} {what}")
}

impl Strand {
    /// How long each tile is shown, in seconds, for people.
    fn delay_secs(&self) -> String {
        short(self.delay_ticks.max(1) as f32 / 100.0)
    }
}

impl StrandMode {
    fn name(self) -> &'static str {
        match self {
            Self::Forward => "forwards",
            Self::Backward => "backwards",
            Self::Random => "at random",
            Self::PingPong => "back and forth",
        }
    }
}

impl TileMap {
    /// Everything about an item; empty for one that is not there.
    pub(super) fn item_properties(&self, item: Item) -> Vec<PropertyGroup> {
        let Item::TileMap(of_map) = item else {
            return Vec::new();
        };
        let properties = match of_map {
            TileMapItem::Map => Some(self.map_properties()),
            TileMapItem::Layer { index } => self.layer_properties(index as usize),
            TileMapItem::Cell { .. } => self.cell_at(item).map(|at| self.cell_properties(&at)),
            TileMapItem::Tileset { index } => self.tileset_properties(index as usize),
            TileMapItem::Tile { .. } => self.tile_properties(item),
            TileMapItem::Zone { index } => self.zone_properties(index as usize),
            TileMapItem::Clip => self.clip_properties(),
            _ => self.thing_properties(item),
        };
        properties.unwrap_or_default()
    }

    fn map_properties(&self) -> Vec<PropertyGroup> {
        let [w, h] = self.canvas_px();
        let mut properties = vec![
            Property::new("Format", self.about.format.name),
            Property::new("Version", &*self.about.version),
            Property::new("Size", format!("{w} x {h} pixels")),
            Property::new("Layers", self.layers.len().to_string()),
            Property::new("Drawn", self.drawing_order()),
        ];
        let tilesets = self.tilesets_with_tiles().take(MOST_LISTED);
        properties.extend(tilesets.map(|(number, _)| {
            let name = self.tileset_name(number);
            linked("Tileset", name, Self::tileset_item(number))
        }));
        let mut groups = vec![group("Map", properties)];
        groups.extend(self.facts.map());
        groups
    }

    /// What is drawn after what, for people.
    fn drawing_order(&self) -> String {
        let steps = self.steps.iter().take(MOST_LISTED).map(|step| match *step {
            Step::Layer { layer, pass, .. } => {
                let name = self.layer_name(layer);
                match pass {
                    Pass::All | Pass::Normal => name,
                    Pass::Priority => format!("priority tiles of {name}"),
                }
            }
            Step::Things { layer: Some(layer) } => format!("what is on {}", self.layer_name(layer)),
            Step::Things { layer: None } => "entities".to_owned(),
        });
        let mut steps: Vec<String> = steps.collect();
        match self.steps.len().checked_sub(MOST_LISTED) {
            Some(more) if more > 0 => steps.push(format!("and {more} more")),
            _ if steps.is_empty() => steps.push("nothing".to_owned()),
            _ => {}
        }
        steps.join(", ")
    }

    fn layer_properties(&self, number: usize) -> Option<Vec<PropertyGroup>> {
        let layer = self.layers.get(number)?;
        let mut properties = vec![
            Property::new("Name", self.layer_name(number)),
            Property::new("Number", number.to_string()),
        ];
        let size = if layer.has_tiles() {
            by(layer.size, "tiles")
        } else {
            "no tiles".to_owned()
        };
        properties.push(Property::new("Size", size));
        if let Some(tile_size) = self.tile_size(layer).filter(|_| layer.has_tiles()) {
            let [w, h] =
                [0, 1].map(|axis| u64::from(layer.size[axis]) * u64::from(tile_size[axis]));
            properties.push(Property::new("", format!("{w} x {h} pixels")));
            properties.push(linked(
                "Tileset",
                self.tileset_name(layer.tileset),
                Self::tileset_item(layer.tileset),
            ));
        }
        let mut say = |name, value: String| properties.push(Property::new(name, value));
        let [x, y] = layer.position_px;
        say("Position", format!("{x}, {y}"));
        let parallax = parallax_name(&layer.parallax);
        let moves = match &*parallax {
            "" => "with the camera".to_owned(),
            "fixed" => "stays where it is on the screen".to_owned(),
            _ => format!("{parallax} of the camera"),
        };
        say("Moves", moves);
        let repeats = match layer.wraps {
            [true, true] => "in all directions",
            [true, false] => "left and right",
            [false, true] => "up and down",
            [false, false] => "no",
        };
        say("Repeats", repeats.to_owned());
        if let Some(outside) = layer.outside {
            let tileset = self.tilesets.get(layer.tileset);
            let tile = tileset.zip(outside.picture());
            let tile = tile.map(|(tileset, picture)| tileset.tile_number(picture));
            say(
                "Around it",
                format!("tile {}", tile.as_deref().unwrap_or("none")),
            );
        }
        say("Drawn", self.turns_of(number));
        if layer.has_tiles() {
            let empty = self.counts().empty.get(number).copied().unwrap_or(0);
            say("Empty tiles", format!("{empty} of {}", layer.cells.len()));
        }
        let mut groups = vec![group("Layer", properties)];
        groups.extend(self.facts.layer(number));
        Some(groups)
    }

    /// When a layer is drawn, for people.
    fn turns_of(&self, number: usize) -> String {
        let new = self.steps.iter().filter(|step| Self::is_new_layer(**step));
        let all = new.clone().count();
        let is_this = |step: &Step| matches!(step, Step::Layer { layer, .. } if *layer == number);
        let turns = new.zip(1..).filter(|(step, _)| is_this(step));
        let turns: Vec<String> = turns.map(|(_, turn)| turn.to_string()).take(8).collect();
        match &*turns {
            [] => "never".to_owned(),
            _ => format!("{} of {all}, counted from the bottom", turns.join(" and ")),
        }
    }

    fn cell_properties(&self, at: &CellAt<'_>) -> Vec<PropertyGroup> {
        let [x, y] = at.place;
        let mut properties = vec![
            linked(
                "Layer",
                self.layer_name(at.layer_number),
                Self::layer_item(at.layer_number),
            ),
            Property::new("X", x.to_string()),
            Property::new("Y", y.to_string()),
        ];
        if let Some(rect) = self.cells_px(at.layer, [at.place; 2], &Default::default()) {
            let [left, top] = rect.min.map(short);
            properties.push(Property::new("At pixel", format!("{left}, {top}")));
        }
        match self.tile_of(at) {
            Some((tileset, picture, tile)) => {
                properties.push(Property {
                    swatch: Some(Swatch::Thumbnail(
                        self.thumbnail_index(at.layer.tileset, picture),
                    )),
                    ..linked("Tile", tileset.tile_number(picture), tile)
                });
                if let Some(tile) = tileset.tiles.get(picture) {
                    if !tile.name.is_empty() {
                        properties.push(Property::new("Name", &*tile.name));
                    }
                    let palette = tile.palette.map(|palette| palette.to_string());
                    properties.extend(palette.map(|palette| Property::new("Palette", palette)));
                }
                if tileset.missing == Some(picture) {
                    let says = "the tileset does not have this tile";
                    properties.push(Property::new("", says));
                }
            }
            None => properties.push(Property::new("Tile", "empty")),
        }
        let flags = flag_names(at.cell);
        if !flags.is_empty() && at.cell.picture().is_some() {
            properties.push(Property::new("Flags", flags));
        }
        properties.extend(tints_of(at));
        let mut groups = vec![group("Tile", properties)];
        let known = self.known_of_place(at, &self.here_of(at));
        if !known.is_empty() {
            groups.push(group("Here", known));
        }
        groups.extend(self.facts.cell(at.layer_number, at.index));
        groups
    }

    /// What all layers have where a cell is while the map is at rest, and what grids and areas say of
    /// the place. Each layer leads to its own cell there.
    fn known_of_place(&self, at: &CellAt<'_>, here: &Here<'_>) -> Vec<Property> {
        let mut properties = Vec::new();
        if let Some(obstructed) = self.obstruction_said(here) {
            properties.push(Property::new("Obstructed", obstructed));
        }
        if here.zones.is_empty() && !self.zones.is_empty() {
            properties.push(Property::new("Zone", "none"));
        }
        let zones = here.zones.iter();
        properties.extend(zones.map(|zone| self.zone_property("Zone", *zone)));
        properties.extend(here.logic_values().map(|number| {
            let value = number.value;
            let says = self.with_layer(format!("{value} ({value:#x})"), number.layer);
            Property::new("Logic value", says)
        }));
        // From the lowest to the highest.
        let layers = here.cells.iter().filter(|_| here.cells.len() > 1);
        properties.extend(layers.map(|cell| {
            let name = self.layer_name(cell.layer_number);
            let says = format!("{name}: {}", self.layer_said(here, cell));
            let tile = self.tile_of(cell);
            let swatch = tile
                .map(|(_, picture, _)| self.thumbnail_index(cell.layer.tileset, picture))
                .map(Swatch::Thumbnail);
            let is_other = cell.layer_number != at.layer_number;
            Property {
                swatch,
                link: is_other.then(|| cell.item()),
                ..Property::new("On layer", says)
            }
        }));
        properties
    }

    fn zone_property(&self, name: &'static str, ZoneHere { zone, layer }: ZoneHere) -> Property {
        if zone >= self.zones.len() {
            return Property::new(name, format!("{zone}, which the file does not describe"));
        }
        let says = self.with_layer(self.zone_name(zone), layer);
        Property {
            swatch: Some(Swatch::Color(zone_color(zone))),
            ..linked(name, says, Self::zone_item(zone))
        }
    }

    fn tileset_properties(&self, number: usize) -> Option<Vec<PropertyGroup>> {
        let tileset = self.tilesets.get(number)?;
        let uses = self.counts().uses.get(number);
        let uses = uses.into_iter().flatten().take(tileset.tile_count());
        let used = uses.filter(|uses| **uses > 0).count();
        let mut properties = vec![
            Property::new("Name", self.tileset_name(number)),
            Property::new(
                "Tiles",
                if tileset.is_placeholder {
                    format!("{}, a guess by those that are used", tileset.tile_count())
                } else {
                    tileset.tile_count().to_string()
                },
            ),
            Property::new("Tile size", by(tileset.tile_size, "pixels")),
            Property::new("Used", plural(used, "tile", "tiles")),
        ];
        if tileset.is_placeholder {
            let says = "not found; tiles are shown by their numbers";
            properties.push(Property::new("Pictures", says));
        }
        if let Some(missing) = tileset.missing
            && self.uses(number, missing) > 0
        {
            let says = format!("used {}", self.times_used(number, missing));
            properties.push(Property {
                swatch: Some(Swatch::Thumbnail(self.thumbnail_index(number, missing))),
                ..linked("Other tiles", says, Self::tile_item(number, missing))
            });
        }
        let layers = self.layers.iter().enumerate();
        let layers = layers.filter(|(_, layer)| layer.tileset == number);
        properties.extend(
            layers
                .take(MOST_LISTED)
                .map(|(layer, _)| linked("Layer", self.layer_name(layer), Self::layer_item(layer))),
        );
        let mut groups = vec![group("Tileset", properties)];
        let strands = self.strand_properties(number, tileset);
        if !strands.is_empty() {
            groups.push(group("Animation", strands));
        }
        Some(groups)
    }

    /// The runs of tiles that follow each other.
    fn strand_properties(&self, number: usize, tileset: &Tileset) -> Vec<Property> {
        let strands = || tileset.strands.iter().filter(|strand| strand.is_active());
        let mut lines: Vec<Property> = strands()
            .take(MOST_LISTED)
            .map(|strand| {
                let [first, last] = [strand.first, strand.last].map(|tile| tile as usize);
                let value = format!(
                    "{} to {}, {}, each for {} s",
                    tileset.tile_number(first),
                    tileset.tile_number(last),
                    strand.mode.name(),
                    strand.delay_secs()
                );
                Property {
                    swatch: Some(Swatch::Thumbnail(self.thumbnail_index(number, first))),
                    ..linked("Strand", value, Self::tile_item(number, first))
                }
            })
            .collect();
        lines.extend(and_more(strands().count()));
        lines
    }

    fn tile_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let (number, tileset, picture) = self.tile_at(item)?;
        let tile = tileset.tiles.get(picture);
        let mut properties = vec![Property::with_thumbnail(
            "Number",
            tileset.tile_number(picture),
            self.thumbnail_index(number, picture),
        )];
        if let Some(name) = tile.map(|tile| &tile.name).filter(|name| !name.is_empty()) {
            properties.push(Property::new("Name", &**name));
        }
        if let Some(palette) = tile.and_then(|tile| tile.palette) {
            properties.push(Property::new("Palette", palette.to_string()));
        }
        if tileset.missing == Some(picture) {
            let says = "stands for the tiles that the tileset does not have";
            properties.push(Property::new("", says));
        }
        properties.push(linked(
            "Tileset",
            self.tileset_name(number),
            Self::tileset_item(number),
        ));
        properties.push(Property::new("Used", self.times_used(number, picture)));
        let mut groups = vec![group("Tile", properties)];
        groups.extend(self.strand_of(number, tileset, picture));
        groups.extend(self.other_palettes(number, tileset, picture));
        Some(groups)
    }

    /// A tile by its picture, its number and a link.
    fn tile_line(
        &self,
        name: &'static str,
        number: usize,
        tileset: &Tileset,
        picture: usize,
    ) -> Property {
        Property {
            swatch: Some(Swatch::Thumbnail(self.thumbnail_index(number, picture))),
            ..linked(
                name,
                tileset.tile_number(picture),
                Self::tile_item(number, picture),
            )
        }
    }

    /// The run of tiles that one is in.
    fn strand_of(&self, number: usize, tileset: &Tileset, picture: usize) -> Option<PropertyGroup> {
        let strand = tileset.strand_of(picture)?;
        let mut properties = vec![
            Property::new("Plays", strand.mode.name()),
            Property::new("Each for", format!("{} s", strand.delay_secs())),
        ];
        let last = (strand.last as usize).min(tileset.picture_count().saturating_sub(1));
        let members = strand.first as usize..=last;
        let count = members.clone().count();
        let members = members.take(MOST_LISTED);
        properties.extend(members.map(|member| self.tile_line("Tile", number, tileset, member)));
        properties.extend(and_more(count));
        Some(group("Animation", properties))
    }

    /// The same tile in other palettes.
    fn other_palettes(
        &self,
        number: usize,
        tileset: &Tileset,
        picture: usize,
    ) -> Option<PropertyGroup> {
        let id = tileset.tiles.get(picture)?.id;
        let same = tileset.tiles.iter().enumerate();
        let same = same.filter(|(other, tile)| tile.id == id && *other != picture);
        let same = same.filter_map(|(other, tile)| {
            let line = self.tile_line("Palette", number, tileset, other);
            Some(Property {
                value: tile.palette?.to_string(),
                ..line
            })
        });
        let lines: Vec<Property> = same.take(MOST_LISTED).collect();
        (!lines.is_empty()).then(|| group("In other palettes", lines))
    }

    fn zone_properties(&self, number: usize) -> Option<Vec<PropertyGroup>> {
        let zone = self.zones.get(number)?;
        let counts = self.zone_counts().get(number)?;
        let mut properties = vec![
            Property {
                swatch: Some(Swatch::Color(zone_color(number))),
                ..Property::new("Name", self.zone_name(number))
            },
            Property::new("Number", number.to_string()),
        ];
        if self.grids.iter().any(|grid| grid.kind == GridKind::Zones) {
            properties.push(Property::new("Tiles", counts.cells.to_string()));
        }
        let link = |name, index: usize| {
            let item = self.thing_item(index)?;
            let thing = self.things.get(index)?;
            let value = match thing.kind {
                ThingKind::ZoneArea => place_of(&thing.rect_px),
                _ => self.thing_name(index),
            };
            Some(linked(name, value, item))
        };
        let areas = counts.areas.iter().take(MOST_LISTED);
        properties.extend(areas.filter_map(|area| link("Area", *area)));
        properties.extend(and_more(counts.areas.len()));
        let others = || {
            let things = self.things.iter().enumerate();
            things.filter(|(_, thing)| {
                thing.zone == Some(number) && thing.kind != ThingKind::ZoneArea
            })
        };
        let listed = others().take(MOST_LISTED);
        properties.extend(listed.filter_map(|(index, thing)| link(title_of(thing.kind), index)));
        properties.extend(and_more(others().count()));
        let mut groups = vec![group("Zone", properties)];
        groups.extend(zone.properties.iter().cloned());
        Some(groups)
    }

    fn clip_properties(&self) -> Option<Vec<PropertyGroup>> {
        let clip = self.clips.first()?;
        let mut properties = vec![
            Property::new("Name", &*clip.name),
            Property::new("Lasts", format!("{} s", short(Self::clip_secs(clip)))),
        ];
        let tilesets = self.tilesets.iter().enumerate();
        properties
            .extend(tilesets.flat_map(|(number, tileset)| self.strand_properties(number, tileset)));
        Some(vec![group("Clip", properties)])
    }

    fn thing_properties(&self, item: Item) -> Option<Vec<PropertyGroup>> {
        let (index, thing) = self.thing_at(item)?;
        let mut properties = vec![Property {
            swatch: self.thing_swatch(thing),
            ..Property::new("Name", self.thing_name(index))
        }];
        if let Some(layer) = thing.layer {
            let name = self.layer_name(layer);
            properties.push(linked("Layer", name, Self::layer_item(layer)));
        }
        properties.push(Property::new("Place", place_of(&thing.rect_px)));
        if let Some(wander) = thing.wander_px {
            properties.push(Property::new("Walks about in", place_of(&wander)));
        }
        let zone = thing.zone.map(|zone| ZoneHere { zone, layer: None });
        let says = match thing.kind {
            ThingKind::ZoneArea => "Zone",
            _ => "Wanders in",
        };
        properties.extend(zone.map(|zone| self.zone_property(says, zone)));
        let mut groups = vec![group(title_of(thing.kind), properties)];
        groups.extend(thing.properties.iter().cloned());
        Some(groups)
    }

    /// The picture of a thing.
    pub(super) fn thing_swatch(&self, thing: &Thing) -> Option<Swatch> {
        let picture = thing
            .picture
            .filter(|picture| *picture < self.pictures.len())?;
        let tiles = self.tilesets.iter().map(Tileset::picture_count);
        Some(Swatch::Thumbnail(tiles.sum::<usize>() + picture))
    }

    /// The thumbnail of a picture of a tileset: they are numbered through all tilesets, and those
    /// of sprites follow.
    pub(super) fn thumbnail_index(&self, tileset: usize, picture: usize) -> usize {
        let before = self.tilesets.iter().take(tileset);
        before.map(Tileset::picture_count).sum::<usize>() + picture
    }
}

impl Tileset {
    /// The run of tiles that a picture is in.
    pub(super) fn strand_of(&self, picture: usize) -> Option<&Strand> {
        let number = u32::try_from(picture).ok()?;
        // As in a frame, the last one that has it counts.
        let mut strands = self.strands.iter().rev();
        strands.find(|strand| strand.is_active() && (strand.first..=strand.last).contains(&number))
    }
}

/// Where a rectangle is and how large, in pixels.
fn place_of(rect: &RectPx) -> String {
    let [x, y] = rect.min.map(short);
    let [w, h] = [0, 1].map(|axis| short(rect.max[axis] - rect.min[axis]));
    if w == "0" && h == "0" {
        return format!("{x}, {y}");
    }
    format!("{x}, {y}, {w} x {h} pixels")
}

/// What the corners of a cell are tinted with, once where all are alike.
fn tints_of(at: &CellAt<'_>) -> Vec<Property> {
    let tints = at.layer.tints.as_ref();
    let Some(corners) = tints.and_then(|tints| tints.get(at.index)) else {
        return Vec::new();
    };
    let names = [
        "Tint, upper left",
        "Tint, upper right",
        "Tint, lower left",
        "Tint, lower right",
    ];
    if corners.iter().all(|corner| *corner == corners[0]) {
        return vec![tint_property("Tint", corners[0])];
    }
    let said = names.into_iter().zip(*corners);
    said.map(|(name, tint)| tint_property(name, tint)).collect()
}

/// A tint: what it does to white and black, for people.
fn tint_property(name: &'static str, [r, g, b, a]: [u8; 4]) -> Property {
    if [r, g, b, a] == [128, 128, 128, 255] {
        return Property::new(name, "none");
    }
    Property {
        swatch: Some(Swatch::Color([r, g, b])),
        ..Property::new(name, format!("{r} {g} {b}, opacity {a}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tilemap::{Cell, Tile, sample};
    use crate::{Document, Layers as _, Playhead, Shown};

    /// The lines of an item with a name.
    fn lines(map: &TileMap, item: Item, name: &str) -> Vec<Property> {
        let groups = map.properties(item, Playhead::default()).into_iter();
        let all = groups.flat_map(|group| group.properties);
        all.filter(|property| property.name == name).collect()
    }

    fn value(map: &TileMap, item: Item, name: &str) -> String {
        let lines = lines(map, item, name);
        assert_eq!(lines.len(), 1, "{name}");
        lines[0].value.clone()
    }

    #[test]
    fn links_lead_from_a_cell_to_its_tile_and_its_tileset() {
        let map = sample::made_up();
        let cell = TileMap::cell_item(0, [2, 0]);
        let tile = lines(&map, cell, "Tile")[0].clone();
        assert_eq!(tile.link, Some(TileMap::tile_item(0, 2)));
        assert_eq!(tile.swatch, Some(Swatch::Thumbnail(2)));
        assert_eq!(map.thumbnail(2).unwrap().2[0], 30);
        let tileset = lines(&map, tile.link.unwrap(), "Tileset")[0].link.unwrap();
        assert_eq!(value(&map, tileset, "Tiles"), "4");
        assert_eq!(value(&map, tileset, "Used"), "4 tiles");
        let layers = lines(&map, tileset, "Layer");
        assert_eq!(layers[1].link, Some(TileMap::layer_item(1)));
        // What the format knows is last.
        assert_eq!(value(&map, cell, "Index"), "2");
        assert_eq!(value(&map, cell, "Obstructed"), "no");
        let blocked = TileMap::cell_item(0, [0, 0]);
        assert_eq!(value(&map, blocked, "Obstructed"), "yes");
        assert_eq!(value(&map, cell, "At pixel"), "8, 0");
        let last = map.properties(TileMap::cell_item(0, [0, 3]), Playhead::default());
        assert!(last.is_empty());
    }

    #[test]
    fn a_tile_is_shown_with_those_it_takes_turns_with() {
        let map = sample::made_up();
        let tile = TileMap::tile_item(0, 3);
        assert_eq!(value(&map, tile, "Plays"), "forwards");
        assert_eq!(value(&map, tile, "Each for"), "0.1 s");
        let members = lines(&map, tile, "Tile");
        let members: Vec<_> = members.iter().map(|line| line.link).collect();
        assert_eq!(
            members,
            [2, 3].map(|tile| Some(TileMap::tile_item(0, tile)))
        );
        assert_eq!(lines(&map, TileMap::tile_item(0, 1), "Plays").len(), 0);
        // At another moment it shows another picture.
        let picture = |playhead| map.tile_picture(tile, playhead).unwrap().rgba[0];
        assert_eq!(picture(Playhead::default()), 40);
        assert_eq!(picture(Playhead::at_frame(0, 3)), 30);
        let clip = lines(&map, map.clips[0].item, "Strand");
        assert_eq!(clip[0].value, "2 to 3, forwards, each for 0.1 s");
    }

    #[test]
    fn a_tile_in_several_palettes_leads_to_its_likes() {
        let mut map = sample::made_up();
        let tile = |id, palette| Tile {
            id,
            palette: Some(palette),
            name: "wall".to_owned(),
        };
        map.tilesets[0].tiles = vec![tile(9, 0), tile(9, 3), tile(8, 0), tile(7, 0)];
        let lines = lines(&map, TileMap::tile_item(0, 0), "Palette");
        let said: Vec<_> = lines.iter().map(|line| (&*line.value, line.link)).collect();
        assert_eq!(said, [("0", None), ("3", Some(TileMap::tile_item(0, 1)))]);
        assert_eq!(value(&map, TileMap::cell_item(0, [0, 0]), "Tile"), "9");
        assert_eq!(value(&map, TileMap::cell_item(0, [0, 0]), "Name"), "wall");
        assert_eq!(map.tilesets()[0].ids, [9, 9, 8, 7]);
        let missing = TileMap::cell_item(0, [3, 2]);
        assert_eq!(value(&map, missing, "Tile"), "none");
    }

    #[test]
    fn zones_and_what_is_in_them_lead_to_each_other() {
        let map = sample::made_up();
        let [meadow, other] = [1, 2].map(TileMap::zone_item);
        let hero = map.thing_item(0).unwrap();
        assert_eq!(lines(&map, hero, "Wanders in")[0].link, Some(meadow));
        assert_eq!(lines(&map, meadow, "Entity")[0].link, Some(hero));
        assert_eq!(value(&map, meadow, "Tiles"), "5");
        assert_eq!(lines(&map, other, "Area")[0].link, map.thing_item(2));
        let zones = lines(&map, TileMap::cell_item(0, [2, 2]), "Zone");
        assert_eq!(zones[0].link, None, "{zones:?}");
    }

    #[test]
    fn a_cell_leads_to_those_below_and_above_it() {
        let map = sample::made_up();
        let roof = TileMap::cell_item(1, [0, 0]);
        let layers = lines(&map, roof, "On layer");
        let said: Vec<_> = layers
            .iter()
            .map(|line| (&*line.value, line.link))
            .collect();
        let ground = TileMap::cell_item(0, [1, 1]);
        assert_eq!(said, [("Ground: 1", Some(ground)), ("Roof: 1", None)]);
        let below = lines(&map, ground, "On layer");
        assert_eq!(below[1].link, Some(roof));
        // A place that only one layer reaches needs no list.
        assert_eq!(
            lines(&map, TileMap::cell_item(0, [1, 0]), "On layer").len(),
            0
        );
    }

    #[test]
    fn turned_tiles_are_named_as_editors_do() {
        let named = |flags: u32| flag_names(Cell(flags));
        assert_eq!(
            named(Cell::SWAP_AXES | Cell::MIRROR_X),
            "rotated 90° clockwise"
        );
        let other = Cell::SWAP_AXES | Cell::MIRROR_Y | Cell::PRIORITY;
        assert_eq!(named(other), "rotated 90° counter-clockwise, with priority");
        assert_eq!(named(Cell::MIRROR_X | Cell::MIRROR_Y), "rotated 180°");
        assert_eq!(named(Cell::MIRROR_X), "flipped horizontally");
        let all: Vec<String> = (0..8).map(|turn| named(turn << 24)).collect();
        for (at, name) in all.iter().enumerate() {
            assert!(!all[..at].contains(name), "{name}");
        }
    }

    #[test]
    fn a_tint_is_said_once_where_it_is_even() {
        let mut map = sample::made_up();
        let plain = [128, 128, 128, 255];
        let mut tints = vec![[plain; 4]; 12];
        tints[1] = [[255, 0, 0, 255]; 4];
        tints[2][3] = [0, 0, 0, 0];
        map.layers[0].tints = Some(tints);
        let said = |index| {
            let cell = map.layers[0].cell_item(0, index);
            let groups = map.properties(cell, Playhead::default()).into_iter();
            let all = groups.flat_map(|group| group.properties);
            let tints = all.filter(|property| property.name.starts_with("Tint"));
            tints.map(|property| property.value).collect::<Vec<_>>()
        };
        assert_eq!(said(0), ["none"]);
        assert_eq!(said(1), ["255 0 0, opacity 255"]);
        assert_eq!(said(2), ["none", "none", "none", "0 0 0, opacity 0"]);
    }

    #[test]
    fn every_item_of_the_tree_has_properties_and_a_summary() {
        let map = sample::made_up();
        let mut lines = map.outline();
        let mut count = 0;
        while let Some(line) = lines.pop() {
            if let Some(item) = line.item {
                count += 1;
                assert!(
                    !map.properties(item, Playhead::default()).is_empty(),
                    "{item:?}"
                );
                assert!(
                    !map.summary(item, None, &Shown::default()).is_empty(),
                    "{item:?}"
                );
            }
            lines.extend(line.children);
        }
        assert_eq!(count, 12);
    }
}
