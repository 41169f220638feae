//! What is said of the parts of a map, for the status bar and the inspector.

use std::fmt::Write as _;

use glam::Vec3;

use super::Map;
use super::items::{ChunkAt, CubeAt, item};
use super::place::Place;
use crate::formats::pmf::{Cube, Geometry, SIDES, Side, StringRef, StringTable, corner_signs};
use crate::scene::numbers::{plural, short, xyz};
use crate::scene::{Aabb, Item, Property, PropertyGroup, SummaryPart};

impl Map {
    /// Where an item is in world space; none for one that is nowhere.
    pub(super) fn bounds_of(&self, item: Item) -> Option<Aabb> {
        match item.kind {
            item::MAP => self.levels.first().map(|level| level.bounds),
            item::LEVEL => Some(self.levels.get(usize::try_from(item.index).ok()?)?.bounds),
            item::CHUNK => Some(self.chunk_at(item.index)?.bounds()),
            item::LIGHTMAP => Some(self.chunk_at(item.index >> 8)?.bounds()),
            _ => {
                let (cube, _) = self.cube_at(item)?;
                let center = cube.at.center();
                Some(cube.place()?.bounds_in_world(&cube.data.cubes, center))
            }
        }
    }

    /// Lines in world space along the edges of a cube or a chunk: those of a box follow its moved
    /// corners.
    pub(super) fn outline_of(&self, item: Item) -> Vec<[Vec3; 2]> {
        let corners = match item.kind {
            item::CHUNK => self.chunk_at(item.index).map(|at| at.bounds().corners()),
            _ => self
                .cube_at(item)
                .and_then(|(cube, _)| cube.corners_in_world()),
        };
        let Some(corners) = corners else {
            return Vec::new();
        };
        let edges = (0..8_usize).flat_map(|from| [1, 2, 4].map(|bit| (from, from | bit)));
        edges
            .filter(|(from, to)| from != to)
            .map(|(from, to)| [corners[from], corners[to]])
            .filter(|ends| ends.iter().all(|end| end.is_finite()))
            .collect()
    }

    /// One line about an item, for the status bar.
    pub(super) fn item_summary(&self, item: Item) -> Vec<SummaryPart> {
        let mut parts = Vec::new();
        let mut say = |name, value: String| parts.push(SummaryPart::new(name, value));
        match item.kind {
            item::CHUNK => {
                if let Some(at) = self.chunk_at(item.index) {
                    say("Chunk", at.chunk.index.to_string());
                    let data = at.chunk.data.as_ref();
                    let cubes = data.map(|data| data.cubes.len().to_string());
                    say(
                        "Cubes",
                        cubes.unwrap_or_else(|| "cannot be read".to_owned()),
                    );
                }
            }
            item::MATERIAL => {
                if let Some(name) = self.material_name(item) {
                    say("Material", name);
                }
            }
            item::CUBE | item::FACE => {
                if let Some((cube, side)) = self.cube_at(item) {
                    if self.levels.len() > 1 {
                        say("Level", cube.at.level_number.to_string());
                    }
                    say("Chunk", cube.at.chunk.index.to_string());
                    say("Cube", format!("{} {}", cube.cube, cube.kind_name()));
                    if let Some(place) = cube.place() {
                        say("Depth", place.cell.depth.to_string());
                    }
                    if let Some((side, geometry)) = side.zip(cube.geometry()) {
                        say(
                            "Side",
                            SIDES.get(side).copied().unwrap_or_default().to_owned(),
                        );
                        say("Material", cube.material(geometry, side));
                        say("Lightmap", cube.lightmap(geometry, side));
                    }
                }
            }
            _ => {}
        }
        parts
    }

    pub(super) fn cube_properties(
        &self,
        cube: &CubeAt<'_>,
        side: Option<usize>,
    ) -> Vec<PropertyGroup> {
        let cubes = &cube.data.cubes;
        let at = &cube.at;
        let mut properties = vec![
            Property::new("Level", at.level_number.to_string()),
            Property {
                link: self.chunk_item(at.level_number, at.number),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", cube.cube.to_string()),
            Property::new("Type", cube.kind_name()),
        ];
        let mut say = |name, value: String| properties.push(Property::new(name, value));
        match cube.place() {
            Some(place) => {
                say("Depth", place.cell.depth.to_string());
                say("Path", path(&place));
                let center = at.center();
                say("Cell", between(place.cell_in_world(center)));
                say("Bounds", between(place.bounds_in_world(cubes, center)));
            }
            None => say("Place", "it is not reached from the root".to_owned()),
        }
        let mut groups = vec![PropertyGroup {
            title: "Cube",
            properties,
        }];
        let mut add = |title, properties: Vec<Property>| {
            if !properties.is_empty() {
                groups.push(PropertyGroup { title, properties });
            }
        };
        if let Some(geometry) = cube.geometry() {
            if let Some(side) = side {
                add("Side", self.side_properties(cube, geometry, side));
            }
            add("Box", cube.box_properties(geometry));
            add("Materials", Self::materials_of(cube, geometry));
            add("Moved points", cube.moved_points(geometry));
        }
        add("Contents", self.wrapper_properties(cube));
        add("Inside", self.wrappers_of(cube));
        add("Bytes", self.records_of(cube));
        groups
    }

    fn side_properties(
        &self,
        cube: &CubeAt<'_>,
        geometry: &Geometry,
        side: usize,
    ) -> Vec<Property> {
        let triangles = geometry.triangles.get(side).copied().unwrap_or(0);
        let lightmap = geometry.lightmaps.get(side).copied().unwrap_or(u8::MAX);
        let at = &cube.at;
        vec![
            Property::new("Side", SIDES.get(side).copied().unwrap_or_default()),
            Self::material_property("Material", cube, geometry, side),
            Property::new("Physics", cube.physics(geometry, side)),
            Property {
                link: self
                    .lightmap_item(at.level_number, at.number, lightmap)
                    .filter(|_| cube.has_lightmap(lightmap)),
                ..Property::new("Lightmap", cube.lightmap(geometry, side))
            },
            Property::new("Triangles", triangles.to_string()),
        ]
    }

    /// The material of each side, or of all where they are the same.
    fn materials_of(cube: &CubeAt<'_>, geometry: &Geometry) -> Vec<Property> {
        if !geometry.is_common_extended() {
            return vec![Self::material_property("All sides", cube, geometry, 0)];
        }
        let sides = SIDES.into_iter().enumerate();
        sides
            .map(|(side, name)| Self::material_property(name, cube, geometry, side))
            .collect()
    }

    fn material_property(
        name: &'static str,
        cube: &CubeAt<'_>,
        geometry: &Geometry,
        side: usize,
    ) -> Property {
        let used = geometry.materials.get(side).copied().unwrap_or(0);
        let by_name = cube.at.level.common.materials_by_name();
        let wanted = cube.data.materials.get(usize::from(used));
        let wanted = wanted.and_then(|name| cube.data.strings.name(*name));
        let found = wanted.and_then(|wanted| by_name.get(wanted).copied());
        Property {
            link: found.map(|material| Self::material_item(cube.at.level_number, material)),
            ..Property::new(name, cube.material(geometry, side))
        }
    }

    /// The material of a side of a cube, or of the first side.
    pub(super) fn material_of(&self, item: Item) -> Option<Item> {
        let (cube, side) = self.cube_at(item)?;
        let geometry = cube.geometry()?;
        Self::material_property("", &cube, geometry, side.unwrap_or(0)).link
    }

    fn material_name(&self, item: Item) -> Option<String> {
        let level = self.levels.get((item.index >> 32) as usize)?;
        let material = level.materials.list.get(item.index as u32 as usize)?;
        Some(material.name.clone())
    }

    /// The cubes that a cube is in, from the root on.
    fn wrappers_of(&self, cube: &CubeAt<'_>) -> Vec<Property> {
        let Some(place) = cube.place() else {
            return Vec::new();
        };
        let at = &cube.at;
        let above = place.above.iter().take(MOST_ABOVE);
        above
            .map(|(above, _)| Property {
                link: self.cube_item(at.level_number, at.number, *above),
                ..Property::new(
                    cube.data.cubes.kind(*above).map_or("", |kind| kind.name()),
                    above.to_string(),
                )
            })
            .collect()
    }
}

impl Map {
    /// The bytes of a cube and where they are in what the sections decode to.
    fn records_of(&self, cube: &CubeAt<'_>) -> Vec<Property> {
        let cubes = &cube.data.cubes;
        let records = [
            ("Common", Side::Common, cubes.common_record(cube.cube)),
            ("Client", Side::Client, cubes.client_record(cube.cube)),
            ("Server", Side::Server, cubes.server_record(cube.cube)),
        ];
        let records = records.into_iter().filter_map(|(name, side, record)| {
            let record = record?;
            let mut text = format!(
                "at {:#x}, {}",
                record.start,
                plural(record.len(), "byte", "bytes")
            );
            let shown = record.start..record.end.min(record.start.saturating_add(MOST_BYTES));
            if let Some(bytes) = self.section_bytes(&cube.at, side, &shown) {
                text.push(':');
                for byte in bytes {
                    // Writing to a string does not fail.
                    let _ = write!(text, " {byte:02x}");
                }
                if shown.end < record.end {
                    text.push_str(" ...");
                }
            }
            Some(Property::new(name, text))
        });
        records.collect()
    }
}

/// How many bytes of a record are shown.
const MOST_BYTES: u32 = 256;
/// How many of the cubes around one are listed; chains of them may be any length.
const MOST_ABOVE: usize = 128;

impl ChunkAt<'_> {
    fn center(&self) -> Vec3 {
        self.level.chunk_center(self.chunk.index).into()
    }

    fn bounds(&self) -> Aabb {
        let half = self.level.chunk_side() * 0.5;
        Aabb {
            min: self.center() - half,
            max: self.center() + half,
        }
    }
}

impl CubeAt<'_> {
    fn place(&self) -> Option<Place> {
        Place::find(
            &self.data.cubes,
            self.cube,
            self.at.level.chunk_side() * 0.5,
        )
    }

    fn kind_name(&self) -> &'static str {
        let kind = self.data.cubes.kind(self.cube);
        kind.map_or("", |kind| kind.name())
    }

    fn geometry(&self) -> Option<&Geometry> {
        match self.data.cubes.get(self.cube)? {
            Cube::Geometry(geometry) => Some(geometry),
            _ => None,
        }
    }

    fn corners_in_world(&self) -> Option<[Vec3; 8]> {
        let place = self.place()?;
        let corners = match self.geometry() {
            Some(geometry) => self.data.cubes.corners(geometry, &place.cell),
            None => place.cell.corners(),
        };
        Some(corners.map(|corner| Vec3::from(corner) + self.at.center()))
    }

    /// Name of the material of a side as the chunk has it.
    fn material(&self, geometry: &Geometry, side: usize) -> String {
        named(
            &self.data.strings,
            &self.data.materials,
            geometry.materials.get(side),
        )
    }

    fn physics(&self, geometry: &Geometry, side: usize) -> String {
        let names = &self.data.physics_materials;
        named(&self.data.strings, names, geometry.physics.get(side))
    }

    fn has_lightmap(&self, lightmap: u8) -> bool {
        let client = self.data.client.as_ref();
        client.is_some_and(|client| usize::from(lightmap) < client.lightmaps.len())
    }

    fn lightmap(&self, geometry: &Geometry, side: usize) -> String {
        let lightmap = geometry.lightmaps.get(side).copied();
        let lightmap = lightmap.filter(|lightmap| self.has_lightmap(*lightmap));
        lightmap.map_or_else(|| "none".to_owned(), |lightmap| lightmap.to_string())
    }

    fn box_properties(&self, geometry: &Geometry) -> Vec<Property> {
        let kind = |is_extended| if is_extended { "extended" } else { "basic" };
        let yes = |is_so: bool| if is_so { "yes" } else { "no" };
        let sound = Some(&geometry.sound);
        let triangles = SIDES.iter().zip(geometry.triangles);
        let triangles: Vec<String> = triangles
            .filter(|(_, count)| *count > 0)
            .map(|(side, count)| format!("{side} {count}"))
            .collect();
        vec![
            Property::new("Common data", kind(geometry.is_common_extended())),
            Property::new("Client data", kind(geometry.is_client_extended())),
            Property::new("Backfaces", yes(geometry.draws_backfaces())),
            Property::new(
                "Sound",
                named(&self.data.strings, &self.data.sound_materials, sound),
            ),
            Property::new("Triangles", triangles.join("  ")),
            Property::new("First vertex", geometry.first_vertex.to_string()),
        ]
    }

    /// Each moved corner, where it would be and where it is, in world space.
    fn moved_points(&self, geometry: &Geometry) -> Vec<Property> {
        let Some(place) = self.place() else {
            return Vec::new();
        };
        let (center, cell) = (self.at.center(), place.cell.corners());
        let moved = self.data.cubes.moved_points(geometry);
        moved
            .filter_map(|(corner, point)| {
                let [before, after] = [*cell.get(corner)?, point];
                let [before, after] = [before, after].map(|p| xyz(Vec3::from(p) + center));
                let name = CORNERS.get(corner)?;
                Some(Property::new(name, format!("{before}  to  {after}")))
            })
            .collect()
    }
}

/// Names of corners in their order.
const CORNERS: [&str; 8] = [
    "+X +Y +Z", "-X +Y +Z", "+X +Y -Z", "-X +Y -Z", "+X -Y +Z", "-X -Y +Z", "+X -Y -Z", "-X -Y -Z",
];

/// The name at an index of a list; none where it has no such.
fn named(strings: &StringTable, names: &[StringRef], index: Option<&u8>) -> String {
    let name = index.and_then(|index| names.get(usize::from(*index)));
    name.map_or_else(|| "none".to_owned(), |name| strings.get(*name).into_owned())
}

/// The corners that lead from the root to a cube: `+X -Y +Z` and so on, as far as they are in
/// smaller and smaller cells.
fn path(place: &Place) -> String {
    let mut path = String::new();
    for (_, corner) in &place.above {
        let Some(corner) = corner else { continue };
        if !path.is_empty() {
            path.push_str(" / ");
        }
        for (axis, sign) in ["X", "Y", "Z"].iter().zip(corner_signs(*corner)) {
            // Writing to a string does not fail.
            let _ = write!(path, "{}{axis}", if sign > 0.0 { '+' } else { '-' });
        }
    }
    if path.is_empty() {
        "the root".to_owned()
    } else {
        path
    }
}

/// A box, for people.
fn between(aabb: Aabb) -> String {
    let size = (aabb.max - aabb.min).to_array().map(short);
    let size = size.join(" x ");
    format!("{}  to  {}  ({size} m)", xyz(aabb.min), xyz(aabb.max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pmf::{self, CubeKind};
    use crate::scene::level::sample;

    #[test]
    fn items_lead_to_their_cubes_and_back() {
        let map = sample::made_up();
        let mut number = 0;
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            for cube in 0..source.data.as_ref().unwrap().cubes.len() as u32 {
                let item = map.cube_item(0, chunk, cube).unwrap();
                assert_eq!(item.index, number);
                let (found, side) = map.cube_at(item).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, None));
                let face = map.face_item(0, chunk, cube, 4).unwrap();
                let (found, side) = map.cube_at(face).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, Some(4)));
                number += 1;
            }
        }
        let kind = item::CUBE;
        let beyond = [number, u64::MAX].map(|index| map.cube_at(Item { kind, index }).is_none());
        assert_eq!(beyond, [true; 2]);
        assert!(
            map.item_properties(Item {
                kind,
                index: number
            })
            .is_empty()
        );
    }

    #[test]
    fn bytes_of_cubes_are_those_of_the_file() {
        let made = pmf::synthesize([1, 2, 1], 2, 7);
        let bytes = pmf::write(&made, pmf::Packing::Compressed).unwrap();
        let map = sample::file(&bytes);
        let mut shown = 0;
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            let data = source.data.as_ref().unwrap();
            for (cube, kind) in data.cubes.iter() {
                let groups = map.item_properties(map.cube_item(0, chunk, cube).unwrap());
                let group = groups.iter().find(|group| group.title == "Bytes").unwrap();
                let common = &group.properties[0].value;
                let (_, hex) = common.split_once(": ").unwrap();
                // The first byte is the type and its bits.
                let head = u8::from_str_radix(&hex[..2], 16).unwrap();
                assert_eq!(CubeKind::of(head), data.cubes.kind(cube));
                if let Cube::Geometry(geometry) = kind
                    && !geometry.is_client_extended()
                {
                    let client = &group.properties[1].value;
                    let (_, hex) = client.split_once(": ").unwrap();
                    assert_eq!(hex[..2], format!("{:02x}", geometry.lightmaps[0]));
                    shown += 1;
                }
            }
        }
        assert!(shown > 10, "{shown}");
    }

    #[test]
    fn everything_about_a_box_is_said() {
        let map = sample::made_up();
        let data = map.pmf().levels[0].chunks[1].data.as_ref().unwrap();
        let moved = data.cubes.iter().find_map(|(index, cube)| match cube {
            Cube::Geometry(geometry) if geometry.moved != 0 => Some((index, geometry)),
            _ => None,
        });
        let (cube, geometry) = moved.unwrap();
        let side = geometry.faces().next().map_or(1, |face| face.side);
        let face = map.face_item(0, 1, cube, side as u8).unwrap();
        let summary = map.item_summary(face);
        let said: Vec<_> = summary.iter().map(|part| part.name).collect();
        assert_eq!(
            said,
            ["Chunk", "Cube", "Depth", "Side", "Material", "Lightmap"]
        );
        assert_eq!(summary[0].value, "(0, 1, 0)");
        assert_eq!(summary[3].value, SIDES[side]);
        let groups = map.item_properties(face);
        let find = |title: &str| groups.iter().find(|group| group.title == title).unwrap();
        let points = find("Moved points").properties.len() as u32;
        assert_eq!(points, geometry.moved.count_ones());
        let materials = &find("Materials").properties;
        assert!(materials.iter().all(|material| material.link.is_some()));
        // The path has a corner for each parent.
        let cube_properties = &find("Cube").properties;
        let value = |name: &str| {
            let property = cube_properties.iter().find(|p| p.name == name);
            property.unwrap().value.clone()
        };
        let depth: usize = value("Depth").parse().unwrap();
        assert_eq!(value("Path").split(" / ").count(), depth);
        let inside = find("Inside").properties.first().unwrap().link.unwrap();
        let (root, _) = map.cube_at(inside).unwrap();
        assert_eq!(root.cube, 0);
        // The outline goes through the moved points.
        let outline = map.outline_of(face);
        assert_eq!(outline.len(), 12);
        let (_, point) = data.cubes.moved_points(geometry).next().unwrap();
        let (found, _) = map.cube_at(face).unwrap();
        let point = Vec3::from(point) + found.at.center();
        assert!(outline.iter().flatten().any(|end| *end == point));
        let empty = data.cubes.iter().find(|(_, cube)| *cube == Cube::Empty);
        let empty = map.cube_item(0, 1, empty.unwrap().0).unwrap();
        assert_eq!(
            map.item_summary(empty)[1].value.split(' ').nth(1),
            Some("empty")
        );
        assert_eq!(CubeKind::Empty.name(), "empty");
    }
}
