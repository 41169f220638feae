//! What is said of the parts of a map, for the status bar and the inspector.

use glam::Vec3;

use super::Map;
use super::environments::server_box;
use super::items::{ChunkAt, CubeAt};
use super::place::Place;
use super::properties::{MOST_BYTES, hex};
use crate::numbers::{plural, short, xyz};
use crate::pen::box_edges;
use crate::{Aabb, Item, LevelItem, Property, PropertyGroup};
use mapscope_formats::pmf::{Cube, Geometry, SIDES, Side, StringRef, StringTable};

impl Map {
    /// Where an item is in world space; none for one that is nowhere.
    pub(super) fn bounds_of(&self, item: LevelItem) -> Option<Aabb> {
        let all = |boxes: Vec<Aabb>| boxes.into_iter().reduce(|all, next| all.union(&next));
        match item {
            LevelItem::Map => self.levels.first().map(|level| level.bounds),
            LevelItem::Level { level } => Some(self.levels.get(level as usize)?.bounds),
            LevelItem::Chunk { .. } => Some(self.chunk_of(item)?.bounds()),
            LevelItem::Lightmap { .. } => {
                let lit = self.lit_faces(item, |mesh, _, face, _| {
                    Aabb::around(mesh.triangles(face).flatten())
                });
                all(lit).or_else(|| Some(self.chunk_of(item)?.bounds()))
            }
            LevelItem::Material { level, index } => {
                let uses = self.levels.get(level as usize)?.uses();
                uses.get(index as usize)?.bounds
            }
            LevelItem::Entity { .. } => self.entity_bounds(item),
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                all(self.lit_boxes(item))
            }
            LevelItem::Weather { .. }
            | LevelItem::Gravity { .. }
            | LevelItem::SoundEnvironment { .. }
            | LevelItem::Sky { .. } => self.environment_bounds(item),
            LevelItem::Region { .. } => self.region_at(item)?.bounds(),
            LevelItem::ServerRegion { .. } => {
                let (at, region) = self.server_region_at(item)?;
                Some(server_box(&at, region))
            }
            _ => {
                let (cube, _) = self.cube_at(item)?;
                let center = cube.at.center();
                Some(cube.place()?.bounds_in_world(&cube.data.cubes, center))
            }
        }
    }

    /// Lines in world space that show where an item is: the edges of a box, which follow its moved
    /// corners, of a hull, or of faces.
    pub(super) fn contour_of(&self, item: LevelItem) -> Vec<[Vec3; 2]> {
        let corners = match item {
            LevelItem::Chunk { .. } | LevelItem::ServerRegion { .. } => {
                self.bounds_of(item).map(|aabb| aabb.corners())
            }
            LevelItem::Region { .. } => self.region_at(item).map(|region| region.corners()),
            LevelItem::Entity { .. } => return self.entity_outline(item),
            LevelItem::Lightmap { .. } => {
                let rims = self.lit_faces(item, |mesh, _, face, _| Some(mesh.rim(face)));
                return rims.into_iter().flatten().collect();
            }
            LevelItem::DynamicLight { .. } | LevelItem::FastLight { .. } => {
                let boxes = self.lit_boxes(item).into_iter();
                let edges = boxes.flat_map(|aabb| box_edges(&aabb.corners()).collect::<Vec<_>>());
                return edges.collect();
            }
            _ => self
                .cube_at(item)
                .and_then(|(cube, _)| cube.corners_in_world()),
        };
        let Some(corners) = corners else {
            return Vec::new();
        };
        let edges = box_edges(&corners);
        edges
            .filter(|ends| ends.iter().all(|end| end.is_finite()))
            .collect()
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
                link: Some(at.item().into()),
                ..Property::new("Chunk", at.chunk.index.to_string())
            },
            Property::new("Index", cube.cube.to_string()),
            Property {
                // Steps go through the sides of a material where a side is picked.
                link: cube
                    .data
                    .cubes
                    .kind(cube.cube)
                    .filter(|_| side.is_none())
                    .map(|kind| LevelItem::cube_type(at.level_number, kind).into()),
                ..Property::new("Type", cube.kind_name())
            },
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
                add("Side", Self::side_properties(cube, geometry, side));
            }
            if let Some(side) = side {
                add("Vertices of the side", cube.vertices_of(geometry, side));
            }
            add("Box", cube.box_properties(geometry));
            add("Materials", Self::materials_of(cube, geometry));
            add("Physics materials", Self::physics_of(cube, geometry));
            add("Lightmaps", Self::lightmaps_of(cube, geometry));
            add("Moved points", cube.moved_points(geometry));
        }
        add("Contents", self.wrapper_properties(cube));
        add("Wrappers", Self::above_properties(cube, true));
        add("Inside", Self::above_properties(cube, false));
        add("Bytes", self.records_of(cube));
        groups
    }

    fn side_properties(cube: &CubeAt<'_>, geometry: &Geometry, side: usize) -> Vec<Property> {
        let triangles = geometry.triangles.get(side).copied().unwrap_or(0);
        vec![
            Property::new("Side", SIDES.get(side).copied().unwrap_or_default()),
            Self::material_property("Material", cube, geometry, side),
            Self::physics_property("Physics", cube, geometry, side),
            Self::lightmap_property("Lightmap", cube, geometry, side),
            Property::new("Triangles", triangles.to_string()),
        ]
    }

    /// The physics material of each side, or of all where they are the same.
    fn physics_of(cube: &CubeAt<'_>, geometry: &Geometry) -> Vec<Property> {
        if !geometry.is_common_extended() {
            return vec![Self::physics_property("All sides", cube, geometry, 0)];
        }
        let sides = SIDES.into_iter().enumerate();
        sides
            .map(|(side, name)| Self::physics_property(name, cube, geometry, side))
            .collect()
    }

    fn physics_property(
        name: &'static str,
        cube: &CubeAt<'_>,
        geometry: &Geometry,
        side: usize,
    ) -> Property {
        let used = geometry.physics.get(side).copied().unwrap_or(u8::MAX);
        let common = &cube.at.level.common;
        let wanted = cube.data.physics_materials.get(usize::from(used));
        let wanted = wanted.and_then(|name| cube.data.strings.name(*name));
        let found = wanted.and_then(|wanted| {
            let mut materials = common.physics_materials.iter();
            materials.position(|material| common.strings.name(material.name) == Some(wanted))
        });
        Property {
            link: found
                .map(|index| LevelItem::physics_material(cube.at.level_number, index).into()),
            ..Property::new(name, cube.physics(geometry, side))
        }
    }

    /// The lightmap of each side, or of all where they are the same.
    fn lightmaps_of(cube: &CubeAt<'_>, geometry: &Geometry) -> Vec<Property> {
        if cube.data.client.is_none() {
            return Vec::new();
        }
        if !geometry.is_client_extended() {
            return vec![Self::lightmap_property("All sides", cube, geometry, 0)];
        }
        let sides = SIDES.into_iter().enumerate();
        sides
            .map(|(side, name)| Self::lightmap_property(name, cube, geometry, side))
            .collect()
    }

    fn lightmap_property(
        name: &'static str,
        cube: &CubeAt<'_>,
        geometry: &Geometry,
        side: usize,
    ) -> Property {
        let lightmap = geometry.lightmaps.get(side).copied().unwrap_or(u8::MAX);
        Property {
            link: cube
                .has_lightmap(lightmap)
                .then(|| cube.at.lightmap_item(lightmap.into()).into()),
            ..Property::new(name, cube.lightmap(geometry, side))
        }
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
            link: found.map(|material| LevelItem::material(cube.at.level_number, material).into()),
            ..Property::new(name, cube.material(geometry, side))
        }
    }

    /// The material of a side of a cube, or of the first side.
    pub(super) fn material_of(&self, item: LevelItem) -> Option<Item> {
        let (cube, side) = self.cube_at(item)?;
        let geometry = cube.geometry()?;
        Self::material_property("", &cube, geometry, side.unwrap_or(0)).link
    }

    /// The cubes that wrap a cube or what it is in, or else all that it is in, from the root on.
    fn above_properties(cube: &CubeAt<'_>, only_wrappers: bool) -> Vec<Property> {
        let Some(place) = cube.place() else {
            return Vec::new();
        };
        let at = &cube.at;
        let above = place.above.iter();
        let above = above.filter(|(_, corner)| !only_wrappers || corner.is_none());
        let mut properties: Vec<Property> = above
            .clone()
            .take(MOST_ABOVE)
            .map(|(above, _)| Property {
                link: Some(at.cube_item(*above).into()),
                ..Property::new(
                    cube.data.cubes.kind(*above).map_or("", |kind| kind.name()),
                    above.to_string(),
                )
            })
            .collect();
        let count = above.count();
        if count > MOST_ABOVE {
            let more = count - MOST_ABOVE;
            properties.push(Property::new("", format!("and {more} more")));
        }
        properties
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
                "at {:#x} of the decoded section, {}",
                record.start,
                plural(record.len(), "byte", "bytes")
            );
            let shown = record.start
                ..record
                    .end
                    .min(record.start.saturating_add(MOST_BYTES as u32));
            if let Some(bytes) = self.section_bytes(&cube.at, side, &shown) {
                text = format!("{text}: {}", hex(&bytes, MOST_BYTES));
                if shown.end < record.end {
                    text.push_str(" ...");
                }
            }
            Some(Property::new(name, text))
        });
        records.collect()
    }
}

/// How many of the cubes around one are listed; chains of them may be any length.
const MOST_ABOVE: usize = 128;
/// How many vertices of a side are listed.
const MOST_VERTICES: usize = 24;

impl ChunkAt<'_> {
    pub(super) fn center(&self) -> Vec3 {
        self.level.chunk_center(self.chunk.index).into()
    }

    pub(super) fn bounds(&self) -> Aabb {
        let half = self.level.chunk_side() * 0.5;
        Aabb {
            min: self.center() - half,
            max: self.center() + half,
        }
    }
}

impl CubeAt<'_> {
    pub(super) fn place(&self) -> Option<Place> {
        Place::find(
            &self.data.cubes,
            self.cube,
            self.at.level.chunk_side() * 0.5,
        )
    }

    pub(super) fn kind_name(&self) -> &'static str {
        let kind = self.data.cubes.kind(self.cube);
        kind.map_or("", |kind| kind.name())
    }

    pub(super) fn geometry(&self) -> Option<&Geometry> {
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
    pub(super) fn material(&self, geometry: &Geometry, side: usize) -> String {
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

    pub(super) fn lightmap(&self, geometry: &Geometry, side: usize) -> String {
        let lightmap = geometry.lightmaps.get(side).copied();
        let lightmap = lightmap.filter(|lightmap| self.has_lightmap(*lightmap));
        lightmap.map_or_else(|| "none".to_owned(), |lightmap| lightmap.to_string())
    }

    fn box_properties(&self, geometry: &Geometry) -> Vec<Property> {
        let kind = |is_extended| if is_extended { "extended" } else { "basic" };
        use super::properties::yes;
        let sound = Some(&geometry.sound);
        let triangles = SIDES.iter().zip(geometry.triangles);
        let triangles: Vec<String> = triangles
            .filter(|(_, count)| *count > 0)
            .map(|(side, count)| format!("{side} {count}"))
            .collect();
        let mut properties = vec![
            Property::new("Flags", format!("{:#04x}", geometry.bits)),
            Property::new("Common data", kind(geometry.is_common_extended())),
            Property::new("Client data", kind(geometry.is_client_extended())),
            Property::new("Backfaces", yes(geometry.draws_backfaces())),
            Property::new(
                "Sound",
                named(&self.data.strings, &self.data.sound_materials, sound),
            ),
            Property::new("Triangles", triangles.join("  ")),
            Property::new("First vertex", geometry.first_vertex.to_string()),
        ];
        if geometry.is_client_extended() {
            let first = geometry.first_normal.to_string();
            properties.push(Property::new("First normal", first));
        }
        let bad = SIDES.iter().enumerate();
        let bad: Vec<&str> = bad
            .filter(|(side, _)| geometry.bad_sides >> side & 1 == 1)
            .map(|(_, name)| *name)
            .collect();
        if !bad.is_empty() {
            let text = format!("{}: a vertex is not finite", bad.join(", "));
            properties.push(Property::new("Not drawn", text));
        }
        properties
    }

    /// The vertices of a side with their coordinates on the texture and on the lightmap.
    fn vertices_of(&self, geometry: &Geometry, side: usize) -> Vec<Property> {
        let Some(client) = &self.data.client else {
            return Vec::new();
        };
        let center = self.at.center();
        let mut faces = geometry.faces();
        let Some(face) = faces.find(|face| face.side == side) else {
            return Vec::new();
        };
        let pair = |[u, v]: [f32; 2]| format!("{} {}", short(u), short(v));
        let mut properties = Vec::new();
        for (i, index) in face.vertices.clone().enumerate().take(MOST_VERTICES) {
            let Some(vertex) = client.vertices.get(index as usize) else {
                break;
            };
            let place = xyz(Vec3::from(vertex.position) + center);
            let [uv, lightmap_uv] = [vertex.uv, vertex.lightmap_uv].map(pair);
            let mut text = format!("{place}  texture {uv}  lightmap {lightmap_uv}");
            let normal = face.first_normal.and_then(|first| {
                let index = first as usize + i;
                client.normals.get(index)
            });
            if let Some(normal) = normal {
                text = format!("{text}  normal {}", xyz(*normal));
            }
            properties.push(Property::new("Vertex", format!("{index}: {text}")));
        }
        if face.vertices.len() > MOST_VERTICES {
            let more = face.vertices.len() - MOST_VERTICES;
            properties.push(Property::new("Vertex", format!("and {more} more")));
        }
        properties
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
pub(super) const CORNERS: [&str; 8] = [
    "+X +Y +Z", "-X +Y +Z", "+X +Y -Z", "-X +Y -Z", "+X -Y +Z", "-X -Y +Z", "+X -Y -Z", "-X -Y -Z",
];

/// The name at an index of a list; none where it has no such.
fn named(strings: &StringTable, names: &[StringRef], index: Option<&u8>) -> String {
    let name = index.and_then(|index| names.get(usize::from(*index)));
    name.map_or_else(|| "none".to_owned(), |name| strings.get(*name).into_owned())
}

/// The corners that lead from the root to a cube, by their numbers and signs: `4 +X -Y +Z` and so
/// on, as far as they are in smaller and smaller cells.
fn path(place: &Place) -> String {
    let corners = place.above.iter().filter_map(|(_, corner)| *corner);
    let corners = corners.map(|corner| {
        let signs = CORNERS.get(corner).copied().unwrap_or_default();
        format!("{corner} {signs}")
    });
    let path: Vec<String> = corners.collect();
    if path.is_empty() {
        "the root".to_owned()
    } else {
        path.join(" / ")
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
    use crate::Document as _;
    use crate::level::sample;
    use mapscope_formats::pmf::{self, CubeKind};

    #[test]
    fn items_lead_to_their_cubes_and_back() {
        let map = sample::made_up();
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            for cube in 0..source.data.as_ref().unwrap().cubes.len() as u32 {
                let item = LevelItem::cube(0, chunk, cube);
                let (found, side) = map.cube_at(item).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, None));
                let face = LevelItem::face(0, chunk, cube, 4);
                let (found, side) = map.cube_at(face).unwrap();
                assert_eq!((found.at.number, found.cube, side), (chunk, cube, Some(4)));
            }
            let count = source.data.as_ref().unwrap().cubes.len() as u32;
            for beyond in [count, u32::MAX] {
                let item = LevelItem::cube(0, chunk, beyond);
                assert!(map.cube_at(item).is_none());
                assert!(map.properties_of(item).is_empty());
            }
        }
    }

    #[test]
    fn bytes_of_cubes_are_those_of_the_file() {
        let made = mapscope_testdata::synthesize::pmf([1, 2, 1], 2, 7);
        let bytes = pmf::write(&made, pmf::Packing::Compressed).unwrap();
        let map = sample::file(&bytes);
        let mut shown = 0;
        for (chunk, source) in map.pmf().levels[0].chunks.iter().enumerate() {
            let data = source.data.as_ref().unwrap();
            for (cube, kind) in data.cubes.iter() {
                let groups = map.properties_of(LevelItem::cube(0, chunk, cube));
                let group = groups.iter().find(|group| group.title == "Bytes").unwrap();
                let common = &group.properties[0].value;
                let (_, hex) = common.split_once(": ").unwrap();
                // The first byte is the type and its bits.
                let head = u8::from_str_radix(&hex[..2], 16).unwrap();
                assert_eq!(CubeKind::of(head), data.cubes.kind(cube));
                let [y, x, z] = source.index.yxz();
                let query = crate::InfoQuery {
                    cube: Some([0, y, x, z, cube]),
                    ..Default::default()
                };
                let info = map.info(&query);
                let record = &info["cube"]["bytes"]["common"];
                let at = data.cubes.common_record(cube).unwrap().start;
                assert_eq!(*record, serde_json::json!({"offset": at, "hex": hex}));
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
        let face = LevelItem::face(0, 1, cube, side as u8);
        let summary = map.summary_of(face);
        let said: Vec<_> = summary.iter().map(|part| part.name).collect();
        assert_eq!(
            said,
            [
                "Chunk", "Cube", "Type", "Depth", "Side", "Material", "Lightmap"
            ]
        );
        assert_eq!(summary[0].value, "(0, 1, 0)");
        assert_eq!(summary[4].value, SIDES[side]);
        // What follows stays in its place while the pointer moves on.
        assert!(
            summary
                .iter()
                .take(4)
                .all(|part| part.width >= part.value.len())
        );
        let groups = map.properties_of(face);
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
        assert_eq!(inside, LevelItem::cube(0, 1, 0).into());
        // The outline goes through the moved points.
        let outline = map.contour_of(face);
        assert_eq!(outline.len(), 12);
        let (_, point) = data.cubes.moved_points(geometry).next().unwrap();
        let (found, _) = map.cube_at(face).unwrap();
        let point = Vec3::from(point) + found.at.center();
        assert!(outline.iter().flatten().any(|end| *end == point));
        let empty = data.cubes.iter().find(|(_, cube)| *cube == Cube::Empty);
        let empty = LevelItem::cube(0, 1, empty.unwrap().0);
        let said = map.summary_of(empty);
        assert_eq!((said[2].name, said[2].value.as_str()), ("Type", "empty"));
        assert_eq!(CubeKind::Empty.name(), "empty");
    }
}
