//! Exports the ground of PFMAP maps as the game shows it: a mesh per chunk, with cliffs and with
//! the walls around the map.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};

use glam::{Vec2, Vec3};
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::material::AlphaMode;
use gltf_json::mesh::Semantic;
use gltf_json::validation::Checked;
use gltf_json::{Index, Material, Node};

use super::axes::Axes;
use super::build::{Builder, Layout};
use super::parts;
use mapscope_formats::pfmap::{Edge, Pfmap, Tile, TileType};
use mapscope_scene::terrain::geometry::{Corner, Half, Placement, Shape, TILE_SIDE, half_material};
use mapscope_scene::terrain::pack::TopClass;
use mapscope_scene::terrain::textures::{MaterialTexture, Textures};
use mapscope_scene::terrain::{CHUNK_SIDE, Terrain, source_uv};
use mapscope_scene::{Drawable, map_parallel};

/// Bytes of two triangles without shared corners, the maximum for a top or a side.
const PAIR_BYTES: u64 = 6 * (parts::VERTEX_BYTES + size_of::<u32>() as u64);

/// Messages about content that glTF cannot represent.
const REPEATED: &str =
    "Ground textures repeat: the patchwork that hides the repetition is left out.";
const UNBLENDED: &str = "Ground materials meet at hard edges instead of blending.";
const NO_SPLATS: &str = "Patches of other materials on the ground (splats) are left out.";
const NO_BUMPS: &str = "Ground bumps are left out.";
const NO_WATER: &str = "The water is left out.";
const UNREAD: &str = "Unreadable tiles are flat and show a placeholder.";
const UNKNOWN_MATERIAL: &str = "Tiles with missing materials show a placeholder.";

/// Adds the ground of a map.
pub(super) fn add(builder: &mut Builder, drawable: &Drawable<'_>) -> Option<Vec<Index<Node>>> {
    let content: &dyn Any = drawable.content;
    let terrain = content.downcast_ref::<Terrain>()?;
    let sides = terrain.relief().packed.sides.len();
    if !builder.has_room("the ground", most_bytes(terrain.map().tiles.len(), sides)) {
        return Some(Vec::new());
    }
    report_loss(builder, terrain);
    let ground = Ground::of(terrain, builder.axes);
    let mut materials = Materials {
        terrain,
        made: BTreeMap::new(),
    };
    let mut meshes = Vec::new();
    for row in 0..ground.map.chunk_rows {
        let made = map_parallel(ground.map.chunk_cols as usize, |col| {
            ground.chunk(row, col as u32)
        });
        for (col, surfaces) in made.into_iter().enumerate() {
            let name = format!("chunk {row},{col}");
            let primitives = surfaces.into_iter().map(|(material, surface)| {
                let material = materials.get(builder, material);
                surface.primitive(builder, material)
            });
            let primitives = primitives.collect();
            let mesh = parts::mesh(builder, &name, primitives);
            meshes.push((name, mesh));
        }
    }
    let places = drawable.placements.iter().map(|place| {
        let nodes = meshes.iter();
        let nodes = nodes.map(|(name, mesh)| parts::node(builder, name, *mesh));
        let nodes = nodes.collect();
        parts::group(builder, "ground", nodes, place)
    });
    Some(places.collect())
}

/// Maximum number of bytes for these numbers of tiles and sides.
fn most_bytes(tiles: usize, sides: usize) -> u64 {
    (tiles as u64 + sides as u64) * PAIR_BYTES
}

/// Reports content of a map that the file cannot contain.
fn report_loss(builder: &mut Builder, terrain: &Terrain) {
    let map = terrain.map();
    let chunks = &terrain.relief().packed.chunks;
    let mixing = [TopClass::LitMixed, TopClass::ShadedMixed, TopClass::Many];
    let mixes = chunks.iter().any(|chunk| {
        let mut ranges = mixing
            .iter()
            .filter_map(|c| chunk.all.tops.get(*c as usize));
        ranges.any(|range| !range.is_empty())
    });
    let materials = map.materials.len();
    let is_unknown =
        |tile: &Tile| usize::from(tile.top_material.max(tile.side_material)) >= materials;
    let losses = [
        (!map.materials.is_empty(), REPEATED),
        (mixes, UNBLENDED),
        (!map.splats.is_empty(), NO_SPLATS),
        (map.tiles.iter().any(Tile::bump), NO_BUMPS),
        (chunks.iter().any(|chunk| chunk.has_water), NO_WATER),
        (!map.bad_tiles.is_empty(), UNREAD),
        (map.tiles.iter().any(is_unknown), UNKNOWN_MATERIAL),
    ];
    for (_, what) in losses.into_iter().filter(|(is_lost, _)| *is_lost) {
        builder.report_loss(what);
    }
}

/// A map whose faces are listed.
struct Ground<'a> {
    map: &'a Pfmap,
    placement: Placement,
    axes: Axes,
}

/// Triangles of a chunk by material index; `None` is a material that does not exist.
type Surfaces = BTreeMap<Option<u16>, Surface>;

/// Triangles of one material.
#[derive(Default)]
struct Surface {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
    /// Vertex indices by the bits of their numbers, to merge equal vertices.
    known: HashMap<[u32; 8], u32>,
}

/// A corner of a triangle.
#[derive(Clone, Copy)]
struct Vertex {
    position: Vec3,
    normal: Vec3,
    uv: Vec2,
}

impl<'a> Ground<'a> {
    fn of(terrain: &'a Terrain, axes: Axes) -> Self {
        Self {
            map: terrain.map(),
            placement: terrain.placement(),
            axes,
        }
    }

    /// A tile as it is drawn; `None` outside the map. An unreadable tile is flat.
    fn tile(&self, row: u32, col: u32) -> Option<Tile> {
        let mut tile = *self.map.tile(row, col)?;
        if !self.map.is_read(row, col) {
            tile.kind = TileType::Flat;
        }
        Some(tile)
    }

    /// The tile at an offset in rows and columns from another one.
    fn tile_from(&self, [row, col]: [u32; 2], [rows, cols]: [i32; 2]) -> Option<Tile> {
        let row = row.checked_add_signed(rows)?;
        self.tile(row, col.checked_add_signed(cols)?)
    }

    /// The index of a material that a tile references, if the material exists and the tile is
    /// readable.
    fn material(&self, [row, col]: [u32; 2], named: u16) -> Option<u16> {
        let is_known = usize::from(named) < self.map.materials.len();
        (is_known && self.map.is_read(row, col)).then_some(named)
    }

    /// Converts a position, in tiles east and south of the north-west corner of the map and in
    /// levels.
    fn position(&self, at: Vec2, level: f32) -> Vec3 {
        self.axes.vector(self.placement.world(at.x, at.y, level))
    }

    fn chunk(&self, row: u32, col: u32) -> Surfaces {
        let mut surfaces = Surfaces::new();
        for row in (row * CHUNK_SIDE..).take(CHUNK_SIDE as usize) {
            for col in (col * CHUNK_SIDE..).take(CHUNK_SIDE as usize) {
                let Some(tile) = self.tile(row, col) else {
                    continue;
                };
                self.add_top(&mut surfaces, [row, col], &tile);
                for edge in Edge::ALL {
                    self.add_side(&mut surfaces, [row, col], &tile, edge);
                }
            }
        }
        surfaces
    }

    fn add_top(&self, surfaces: &mut Surfaces, [row, col]: [u32; 2], tile: &Tile) {
        let shape = Shape::of(tile);
        for half in [Half::South, Half::North] {
            let material = self.material([row, col], half_material(tile, half));
            let surface = surfaces.entry(material).or_default();
            for corner in corners_of(&shape, half) {
                let [rows, cols] = offset(corner);
                let at = [row + rows, col + cols];
                let normal = if tile.blend_normals() {
                    self.blended_normal(at)
                } else {
                    shape.normal(half)
                };
                let level = shape
                    .corners
                    .get(corner as usize)
                    .copied()
                    .unwrap_or_default();
                let place = Vec2::new(at[1] as f32, at[0] as f32);
                surface.push(Vertex {
                    position: self.position(place, level as f32),
                    normal: self.axes.vector(normal),
                    uv: source_uv(place),
                });
            }
        }
    }

    /// The normal at a corner of the tile grid, given by row and column, for tiles that blend their
    /// normals with their neighbours' (fact sheet A9). It is in the world of the map.
    fn blended_normal(&self, at: [u32; 2]) -> Vec3 {
        let around = [
            ([0, 0], Corner::NorthWest),
            ([0, -1], Corner::NorthEast),
            ([-1, 0], Corner::SouthWest),
            ([-1, -1], Corner::SouthEast),
        ];
        let normals = around.into_iter().filter_map(|(step, corner)| {
            let shape = Shape::of(&self.tile_from(at, step)?);
            let [a, b] = shape.halves_at(corner);
            Some(shape.normal(a) + shape.normal(b))
        });
        normals.sum::<Vec3>().normalize_or(Vec3::Y)
    }

    /// Adds the wall on an edge between two tiles of different height. Inside the map, the northern
    /// or western tile adds it.
    fn add_side(&self, surfaces: &mut Surfaces, [row, col]: [u32; 2], tile: &Tile, edge: Edge) {
        let (rows, cols) = edge.step();
        let shape = Shape::of(tile);
        let beyond = self.tile_from([row, col], [rows, cols]);
        let other = match &beyond {
            Some(_) if matches!(edge, Edge::North | Edge::West) => return,
            Some(beyond) => Shape::of(beyond).edge(edge.opposite()),
            None => [shape.skirt_bottom(); 2],
        };
        let [own, other] = [shape.edge(edge), other].map(|levels| levels.map(|level| level as f32));
        let step = Vec2::new(cols as f32, rows as f32);
        let start = Vec2::new(col as f32, row as f32) + step.max(Vec2::ZERO);
        let along = Vec2::new(step.y.abs(), step.x.abs());
        for span in spans(own, other) {
            let owner = match (&beyond, span.is_own) {
                (Some(beyond), false) => (
                    beyond,
                    [row.wrapping_add_signed(rows), col.wrapping_add_signed(cols)],
                ),
                _ => (tile, [row, col]),
            };
            let outward = if span.is_own { step } else { -step };
            let material = self.material(owner.1, owner.0.side_material);
            let surface = surfaces.entry(material).or_default();
            self.add_wall(surface, &span, [start, along], outward);
        }
    }

    /// Adds a part of a wall that starts at a position and runs along a tile. It faces outward.
    fn add_wall(
        &self,
        surface: &mut Surface,
        span: &Span,
        [start, along]: [Vec2; 2],
        outward: Vec2,
    ) {
        // On southern and western faces, the start is on the left as seen from outside.
        let starts_left = outward.y > 0.0 || outward.x < 0.0;
        let corner = |end: usize, levels: [f32; 2]| {
            let [at, level] = [span.at, levels].map(|of| of.get(end).copied().unwrap_or_default());
            let place = start + along * at;
            let position = self.position(place, level);
            let right = place.dot(along) * if starts_left { 1.0 } else { -1.0 };
            let vertex = Vertex {
                position,
                // Columns run along +X and rows along +Z.
                normal: Vec3::new(outward.x, 0.0, outward.y),
                uv: source_uv(Vec2::new(right, -position.y / TILE_SIDE)),
            };
            (vertex, level)
        };
        let [left, right] = if starts_left { [0, 1] } else { [1, 0] };
        let is_high = |end: usize| span.top.get(end) != span.bottom.get(end);
        let mut push = |corners: [(usize, [f32; 2]); 3]| {
            for (end, levels) in corners {
                surface.push(corner(end, levels).0);
            }
        };
        if is_high(right) {
            push([(left, span.bottom), (right, span.bottom), (right, span.top)]);
        }
        if is_high(left) {
            push([(left, span.bottom), (right, span.top), (left, span.top)]);
        }
    }
}

/// A part of the wall between two tiles that belongs to one of them.
#[derive(Debug, PartialEq)]
struct Span {
    /// Its start and end along the edge, from 0 to 1.
    at: [f32; 2],
    /// Its upper levels at start and end.
    top: [f32; 2],
    bottom: [f32; 2],
    /// `true` if the tile itself is the higher one.
    is_own: bool,
}

/// The parts of the wall between the edges of two tiles, which are given by the levels of their
/// ends. There are two parts if the edges cross.
fn spans(own: [f32; 2], other: [f32; 2]) -> Vec<Span> {
    let [[own_start, own_end], [other_start, other_end]] = [own, other];
    let [rise_start, rise_end] = [own_start - other_start, own_end - other_end];
    if rise_start * rise_end >= 0.0 {
        let is_own = rise_start + rise_end > 0.0;
        let (top, bottom) = if is_own { (own, other) } else { (other, own) };
        let whole = Span {
            at: [0.0, 1.0],
            top,
            bottom,
            is_own,
        };
        return if own == other {
            Vec::new()
        } else {
            vec![whole]
        };
    }
    let crossing = rise_start / (rise_start - rise_end);
    let level = own_start + (own_end - own_start) * crossing;
    vec![
        Span {
            at: [0.0, crossing],
            top: [own_start.max(other_start), level],
            bottom: [own_start.min(other_start), level],
            is_own: rise_start > 0.0,
        },
        Span {
            at: [crossing, 1.0],
            top: [level, own_end.max(other_end)],
            bottom: [level, own_end.min(other_end)],
            is_own: rise_end > 0.0,
        },
    ]
}

/// The corners of half a tile top, counter-clockwise as seen from above.
fn corners_of(shape: &Shape, half: Half) -> [Corner; 3] {
    use Corner::{NorthEast, NorthWest, SouthEast, SouthWest};
    match (shape.cut_from_north_west, half) {
        (true, Half::South) => [NorthWest, SouthWest, SouthEast],
        (true, Half::North) => [NorthWest, SouthEast, NorthEast],
        (false, Half::South) => [SouthWest, SouthEast, NorthEast],
        (false, Half::North) => [NorthWest, SouthWest, NorthEast],
    }
}

/// Rows and columns from the north-west corner of a tile to another corner.
fn offset(corner: Corner) -> [u32; 2] {
    let corner = corner as u32;
    [corner / 2, corner % 2]
}

impl Surface {
    /// Adds the next corner of a triangle.
    fn push(&mut self, vertex: Vertex) {
        // Adding 0 turns negative zero into positive zero.
        let numbers = |of: Vec3| (of + 0.0).to_array();
        let [x, y, z] = numbers(vertex.position);
        let [nx, ny, nz] = numbers(vertex.normal);
        let [u, v] = (vertex.uv + 0.0).to_array();
        let key = [x, y, z, nx, ny, nz, u, v].map(f32::to_bits);
        let next = self.positions.len() as u32;
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.positions.push([x, y, z]);
            self.normals.push([nx, ny, nz]);
            self.uvs.push([u, v]);
        }
        self.indices.push(index);
    }

    fn primitive(
        &self,
        builder: &mut Builder,
        material: Index<Material>,
    ) -> gltf_json::mesh::Primitive {
        let floats = |kind| Layout::vertices(ComponentType::F32, kind);
        let attributes = [
            (Semantic::Positions, builder.positions(&self.positions)),
            (
                Semantic::Normals,
                builder.accessor(&self.normals, floats(Type::Vec3)),
            ),
            (
                Semantic::TexCoords(0),
                builder.accessor(&self.uvs, floats(Type::Vec2)),
            ),
        ];
        let attributes =
            attributes.map(|(semantic, accessor)| (Checked::Valid(semantic), accessor));
        let indices = builder.indices(&self.indices);
        parts::primitive(attributes.into(), indices, material)
    }
}

/// The materials of a map that are in the file.
struct Materials<'a> {
    terrain: &'a Terrain,
    made: BTreeMap<Option<u16>, Index<Material>>,
}

impl Materials<'_> {
    /// The material with this index, or a placeholder for `None`.
    fn get(&mut self, builder: &mut Builder, index: Option<u16>) -> Index<Material> {
        if let Some(made) = self.made.get(&index) {
            return *made;
        }
        let at = index.map(usize::from);
        let named = at.and_then(|at| self.terrain.map().materials.get(at));
        let texture = at.and_then(|at| self.terrain.textures().materials.get(at));
        let image = texture.map_or_else(Textures::placeholder, MaterialTexture::image);
        let file = named.map_or("placeholder", |material| &material.texture);
        let texture = builder.texture(file, &image);
        let alpha_mode = if image.has_holes {
            AlphaMode::Mask
        } else {
            AlphaMode::Opaque
        };
        let material = builder.root.push(Material {
            name: Some(
                named
                    .map_or("unknown", |material| &material.name)
                    .to_owned(),
            ),
            alpha_mode: Checked::Valid(alpha_mode),
            pbr_metallic_roughness: parts::matte(texture),
            ..Material::default()
        });
        self.made.insert(index, material);
        material
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_back::{ReadBack, Triangle, read_back};
    use super::*;
    use crate::ExportError;
    use mapscope_formats::pfmap::{self, Field};
    use mapscope_scene::terrain::geometry::LEVEL_HEIGHT;
    use mapscope_scene::{OpenOptions, Progress, Source};

    fn built(map: Pfmap) -> Terrain {
        let source = Source {
            path: "sample.pfmap".into(),
            bytes: Default::default(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        Terrain::build(map, &source, &options, &progress).unwrap()
    }

    /// Two chunks whose neighbouring tiles differ in type, height and ramp.
    fn sample() -> Terrain {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 2, 3)).unwrap();
        for (i, tile) in map.tiles.iter_mut().enumerate() {
            let mixed = (i as u32).wrapping_mul(2_654_435_761) >> 8;
            tile.kind = TileType::ALL[i % 13];
            tile.base_height = (mixed % 5) as i8 - 1;
            tile.ramp_height = (mixed / 5 % 4) as u8;
            tile.top_material = (mixed / 20 % 3) as u16;
            tile.side_material = 3 + (mixed / 60 % 3) as u16;
            tile.set(Field::BlendNormals, (mixed / 180 % 2) as i32);
        }
        built(map)
    }

    /// `true` for a triangle of a top; those of sides are upright.
    fn is_top(triangle: &Triangle) -> bool {
        triangle.front().y > 1e-3
    }

    /// Height, material and texture coordinates of the top triangle at a position.
    fn top_at(triangles: &[Triangle], x: f32, z: f32) -> (f32, usize, Vec2) {
        let mut found = triangles.iter().filter_map(|triangle| {
            let [a, b, c] = triangle.corners;
            let area = |p: Vec3, q: Vec3| (p.z - z) * (q.x - x) - (p.x - x) * (q.z - z);
            let weights = [area(b, c), area(c, a), area(a, b)];
            let sum: f32 = weights.iter().sum();
            let is_inside = weights.iter().all(|weight| *weight > 0.0);
            let mean = |of: [f32; 3]| of.iter().zip(weights).map(|(of, w)| of * w / sum).sum();
            let uv = [0, 1].map(|axis| mean(triangle.uvs.map(|uv| uv[axis])));
            is_inside.then(|| {
                (
                    mean(triangle.corners.map(|at| at.y)),
                    triangle.material,
                    uv.into(),
                )
            })
        });
        let first = found.next().unwrap();
        assert!(found.next().is_none(), "two tops at {x}, {z}");
        first
    }

    /// The name of a material of the file.
    fn name_of(file: &ReadBack, material: usize) -> String {
        let material = file.gltf.materials().nth(material).unwrap();
        material.name().unwrap().to_owned()
    }

    #[test]
    fn the_ground_is_where_and_what_it_is_in_the_game() {
        let terrain = sample();
        let file = read_back(&terrain);
        let tops: Vec<_> = file.triangles().into_iter().filter(is_top).collect();
        let tiles = terrain.map().tiles.len();
        assert_eq!(tops.len(), 2 * tiles);
        let mut kinds = [0; 13];
        for i in (0..tiles).step_by(3) {
            let (row, col) = (i as u32 / 64, i as u32 % 64);
            let tile = terrain.map().tile(row, col).unwrap();
            for [u, v] in [[0.3, 0.2], [0.8, 0.4], [0.6, 0.9], [0.1, 0.7]] {
                let place = Vec2::new(col as f32 + u, row as f32 + v);
                let world = terrain.placement().world(place.x, place.y, 0.0);
                let near: Vec<_> = tops
                    .iter()
                    .filter(|top| {
                        (top.corners[0] - Vec3::new(-world.x, top.corners[0].y, world.z)).length()
                            < 12.0
                    })
                    .cloned()
                    .collect();
                let (height, material, uv) = top_at(&near, -world.x, world.z);
                let expected = terrain.height_at(world.x, world.z).unwrap();
                assert!(
                    (height - expected).abs() < 1e-3,
                    "{}: {height} {expected}",
                    tile.kind
                );
                let half = Shape::of(tile).half_at(Vec2::new(u, v));
                let named = &terrain.map().materials[usize::from(half_material(tile, half))];
                assert_eq!(name_of(&file, material), named.name);
                assert!(uv.distance(source_uv(place)) < 1e-4);
                kinds[tile.kind as usize] += 1;
            }
        }
        assert!(kinds.iter().all(|count| *count > 100), "{kinds:?}");
    }

    #[test]
    fn all_faces_look_out_and_none_is_mirrored() {
        let terrain = sample();
        let file = read_back(&terrain);
        let triangles = file.triangles();
        for triangle in &triangles {
            let front = triangle.front();
            assert!(front.length() > 0.0);
            assert!(
                triangle
                    .normals
                    .iter()
                    .all(|normal| normal.dot(front) > 0.0),
                "{triangle:?}"
            );
            assert!(
                triangle
                    .normals
                    .iter()
                    .all(|normal| (normal.length() - 1.0).abs() < 1e-5)
            );
        }
        // The first chunk is the western one: it is on the left of a viewer looking north along -Z.
        let of_first = triangles
            .iter()
            .filter(|triangle| triangle.node == "chunk 0,0");
        assert!(
            of_first
                .flat_map(|triangle| triangle.corners)
                .all(|at| at.x <= 0.0)
        );
    }

    #[test]
    fn walls_close_what_is_between_tiles() {
        let terrain = sample();
        let file = read_back(&terrain);
        let sides: Vec<_> = file
            .triangles()
            .into_iter()
            .filter(|t| !is_top(t))
            .collect();
        // Keyed by the tile whose eastern or southern edge it is, and by the axis.
        let mut found = BTreeMap::<(i32, i32, usize), f32>::new();
        for side in &sides {
            let middle = side.corners.iter().sum::<Vec3>() / 3.0;
            let [col, row] = [middle.x / TILE_SIDE + 32.0, middle.z / TILE_SIDE + 16.0];
            let front = side.front();
            let (key, area) = if front.x.abs() > front.z.abs() {
                ((row.floor() as i32, col.round() as i32 - 1, 0), front.x)
            } else {
                ((row.round() as i32 - 1, col.floor() as i32, 1), front.z)
            };
            *found.entry(key).or_default() += area * 0.5;
        }
        for row in -1..32_i32 {
            for col in -1..64_i32 {
                let at = |row: i32, col: i32| {
                    let tile = terrain
                        .map()
                        .tile(u32::try_from(row).ok()?, u32::try_from(col).ok()?);
                    Some(Shape::of(tile?))
                };
                for (axis, edge) in [Edge::East, Edge::South].into_iter().enumerate() {
                    let (rows, cols) = edge.step();
                    let (own, beyond) = (at(row, col), at(row + rows, col + cols));
                    if own.is_none() && beyond.is_none() {
                        continue;
                    }
                    let ends = |of: Option<Shape>, edge, other: Option<Shape>| match (of, other) {
                        (Some(of), _) => of.edge(edge),
                        (None, other) => [other.unwrap().skirt_bottom(); 2],
                    };
                    let a = ends(own, edge, beyond);
                    let b = ends(beyond, edge.opposite(), own);
                    let rise = (a[0] + a[1] - b[0] - b[1]) as f32 / 2.0;
                    let area = rise * LEVEL_HEIGHT * TILE_SIDE;
                    let there = found.remove(&(row, col, axis)).unwrap_or_default();
                    assert!(
                        (there - area).abs() < 0.01,
                        "{row} {col} {edge:?}: {there} {area}"
                    );
                }
            }
        }
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn where_edges_cross_each_tile_has_its_part_of_the_wall() {
        let [first, second] = &spans([3.0, 1.0], [2.0, 4.0])[..] else {
            panic!("not two");
        };
        assert_eq!((first.at, first.is_own), ([0.0, 0.25], true));
        assert_eq!((first.top, first.bottom), ([3.0, 2.5], [2.0, 2.5]));
        assert_eq!((second.at, second.is_own), ([0.25, 1.0], false));
        assert_eq!((second.top, second.bottom), ([2.5, 4.0], [2.5, 1.0]));
        assert_eq!(spans([2.0, 5.0], [2.0, 5.0]), []);
    }

    #[test]
    fn normals_of_smooth_ground_are_those_of_all_that_meets() {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 3)).unwrap();
        map.tiles.fill(Tile::default());
        for tile in &mut map.tiles {
            tile.set(Field::BlendNormals, 1);
        }
        // A slope that descends to the south (+Z), north of level ground.
        let at = 5 * 32 + 7;
        map.tiles[at].kind = TileType::RampSn;
        map.tiles[at].ramp_height = 1;
        let terrain = built(map);
        let file = read_back(&terrain);
        let corner = terrain.placement().world(7.0, 6.0, 0.0) * Vec3::new(-1.0, 1.0, 1.0);
        let slope = Vec3::new(0.0, 1.0, 0.5).normalize();
        let expected = (slope * 2.0 + Vec3::Y * 6.0).normalize();
        let mut seen = 0;
        for triangle in file.triangles().iter().filter(|triangle| is_top(triangle)) {
            for (place, normal) in triangle.corners.iter().zip(triangle.normals) {
                if *place == corner {
                    assert!(normal.distance(expected) < 1e-5, "{normal} {expected}");
                    seen += 1;
                }
            }
        }
        assert!(seen >= 5, "{seen}");
    }

    #[test]
    fn level_ground_of_one_material_shares_its_vertices() {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 3)).unwrap();
        map.tiles.fill(Tile::default());
        let file = read_back(&built(map));
        let mesh = file.gltf.meshes().next().unwrap();
        let primitives = mesh.primitives().map(|primitive| {
            let reader = file.reader(&primitive);
            reader.read_positions().unwrap().count()
        });
        // Tops, and the four walls around, whose corners have their own normals.
        assert_eq!(primitives.sum::<usize>(), 33 * 33 + 4 * 33 * 2);
    }

    #[test]
    fn only_what_a_map_has_is_said_to_be_lost() {
        let mut map = pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 3)).unwrap();
        let mut plain = Tile::default();
        plain.set(Field::NoBump, 1);
        map.tiles.fill(plain);
        let of_ground = [
            REPEATED,
            UNBLENDED,
            NO_SPLATS,
            NO_BUMPS,
            NO_WATER,
            UNREAD,
            UNKNOWN_MATERIAL,
        ];
        let mut losses = read_back(&built(map.clone())).losses;
        losses.retain(|loss| of_ground.contains(&&**loss));
        assert_eq!(losses, [REPEATED]);
        map.tiles[40].set(Field::NoBump, 0);
        map.tiles[70].base_height = -1;
        map.tiles[99].top_material = 999;
        map.bad_tiles = vec![(3, 4)];
        map.splats = vec![pfmap::Splat { base: 0, accent: 1 }];
        let losses = read_back(&built(map)).losses;
        for what in of_ground.into_iter().filter(|what| *what != UNBLENDED) {
            assert!(losses.iter().any(|loss| loss == what), "{what}: {losses:?}");
        }
    }

    #[test]
    fn what_is_too_much_is_refused_before_it_is_made() {
        let terrain = sample();
        let sides = terrain.relief().packed.sides.len();
        let most = most_bytes(terrain.map().tiles.len(), sides);
        let made: usize = read_back(&terrain)
            .gltf
            .accessors()
            .map(|of| of.count() * of.size())
            .sum();
        assert!(
            made as u64 <= most && most < 4 * made as u64,
            "{made} {most}"
        );
        let mut builder = Builder::default();
        assert!(builder.has_room("the ground", most));
        assert!(!builder.has_room("the ground", most_bytes(20_000_000, sides)));
        let Err(ExportError::TooLarge { what, bytes, .. }) = builder.into_glb() else {
            panic!("it was made");
        };
        assert_eq!((what, bytes), ("the ground", most_bytes(20_000_000, sides)));
    }
}
