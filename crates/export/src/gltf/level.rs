//! Exports the levels of PMF maps: a mesh per chunk, with lightmaps.
//!
//! The meshes of levels list their triangles for a right-handed world, in which they appear
//! mirrored.

use std::any::Any;
use std::collections::BTreeMap;

use glam::{Affine3A, Vec3};
use gltf_json::accessor::{ComponentType, Type};
use gltf_json::material::{
    AlphaMode, EmissiveFactor, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor,
};
use gltf_json::mesh::{Primitive, Semantic};
use gltf_json::texture::{MagFilter, MinFilter, Sampler, WrappingMode};
use gltf_json::validation::Checked;
use gltf_json::{Index, Material, Mesh, Node, Texture};
use serde_json::json;

use super::axes::Axes;
use super::build::{Builder, Layout};
use super::{extras, model, parts};
use mapscope_scene::assets::Texture as Pixels;
use mapscope_scene::level::atlas::PageLuxels;
use mapscope_scene::level::materials::{self, Blend, Look, Materials};
use mapscope_scene::level::mesh::{ChunkMesh, LevelVertex, Part};
use mapscope_scene::level::textures::Textures;
use mapscope_scene::level::tint::Tint;
use mapscope_scene::level::{Level, Map, PlacedEntity};
use mapscope_scene::model::skeleton::LocalPose;
use mapscope_scene::normal::unpack_normal;
use mapscope_scene::{Drawable, Shown};

/// The extension of Mozilla Hubs and its Blender add-on for a lightmap texture of a material.
const LIGHTMAP: &str = "MOZ_lightmap";
/// The vertex attribute for the light of fast lights. glTF's own vertex colours multiply, but this
/// light is added to that of the lightmap.
const FAST_LIGHT: &str = "FAST_LIGHT";
/// Bytes per vertex: position, normal, two pairs of texture coordinates, fast light and colour.
const VERTEX_BYTES: u64 = 12 + 12 + 8 + 4 + 4 + 8;
/// Maximum value of a normalized 16-bit attribute.
const MAX_SHARE: f32 = u16::MAX as f32;

const FAST_LIGHTS: &str = "The light of fast lights is only in the attribute _FAST_LIGHT, which few \
                           programs draw.";
const LIGHTMAPS: &str = "The light of each vertex is its colour (COLOR_0), with the lights that are \
                         initially on. Complete lightmaps use the extension MOZ_lightmap, which few \
                         programs draw.";
const NO_SKIES: &str = "The skies are left out.";
const NO_PLACE: &str = "Entities without a position are left out.";

/// A property of a used material that glTF cannot represent, and its message.
type MaterialLoss = (fn(&materials::Material, &Look) -> bool, &'static str);

const MATERIAL_LOSSES: [MaterialLoss; 5] = [
    (
        |material, _| material.blend == Blend::Add,
        "Additive materials are blended by their alpha.",
    ),
    (
        |_, look| look.matcap.is_some(),
        "Matcaps of materials are left out.",
    ),
    (
        |_, look| look.advance_micros > 0 && !look.next_textures.is_empty(),
        "Materials that change their texture keep the first one.",
    ),
    (
        |_, look| look.texture_scroll != [0.0; 2],
        "Textures do not scroll.",
    ),
    (
        |material, look| material.is_liquid && look.wave_scale != 0.0,
        "Liquids have no waves.",
    ),
];

/// Adds the levels of a map.
pub(super) fn add(builder: &mut Builder, drawable: &Drawable<'_>) -> Option<Vec<Index<Node>>> {
    let content: &dyn Any = drawable.content;
    let map = content.downcast_ref::<Map>()?;
    let bytes = map.levels().iter().map(most_bytes).sum();
    if !builder.has_room("the levels with their lightmaps", bytes) {
        return Some(Vec::new());
    }
    report_loss(builder, map);
    let mut textures = BTreeMap::new();
    let mut nodes = Vec::new();
    let entities = map.placed_entities();
    for (number, level) in map.levels().iter().enumerate() {
        let mut adder = Adder {
            builder,
            map,
            number,
            level,
            pages: Vec::new(),
            luxels: Vec::new(),
            materials: BTreeMap::new(),
            textures: &mut textures,
        };
        let meshes = adder.meshes();
        let name = format!("Level {number}");
        for place in &*drawable.placements {
            let chunks = meshes.iter();
            let chunks = chunks.map(|(name, mesh)| parts::node(builder, name, *mesh));
            let mut children: Vec<Index<Node>> = chunks.collect();
            children.extend(entity_nodes(builder, &entities, Some(number)));
            nodes.push(parts::group(builder, &name, children, place));
        }
    }
    let of_map = entity_nodes(builder, &entities, None);
    if !of_map.is_empty() && !nodes.is_empty() {
        nodes.push(parts::group(
            builder,
            "Entities",
            of_map,
            &Affine3A::IDENTITY,
        ));
    }
    Some(nodes)
}

/// Adds an empty node for each entity of a level, or of the whole map.
fn entity_nodes(
    builder: &mut Builder,
    entities: &[PlacedEntity],
    level: Option<usize>,
) -> Vec<Index<Node>> {
    let of_level = entities.iter().filter(|entity| entity.level == level);
    let nodes = of_level.map(|entity| {
        let pose = LocalPose {
            scale: Vec3::ONE,
            rotation: builder.axes.rotation(entity.rotation),
            translation: builder.axes.vector(entity.place),
        };
        let kind = [("type".to_owned(), entity.kind.into())];
        builder.root.push(Node {
            extras: extras(kind.into_iter().collect()),
            ..model::node(entity.title.clone(), &pose)
        })
    });
    nodes.collect()
}

/// Maximum number of bytes of a level without the textures of its materials.
fn most_bytes(level: &Level) -> u64 {
    let chunks = level.chunks.iter().map(|chunk| {
        chunk.vertices.len() as u64 * VERTEX_BYTES + size_of_val(chunk.indices.as_slice()) as u64
    });
    let pages = level.atlas.pages.iter();
    let luxels = pages.map(|[width, height]| u64::from(*width) * u64::from(*height) * 4);
    chunks.sum::<u64>() + luxels.sum::<u64>()
}

/// Reports content of a map that the file cannot contain, except losses of materials.
fn report_loss(builder: &mut Builder, map: &Map) {
    let pmf = map.pmf();
    let clients = pmf.levels.iter().filter_map(|level| level.client.as_ref());
    let has_skies = clients.into_iter().any(|client| !client.skies.is_empty());
    for (is_lost, what) in [
        (has_skies, NO_SKIES),
        (map.has_entities_without_place(), NO_PLACE),
    ] {
        if is_lost {
            builder.report_loss(what);
        }
    }
}

/// Identifies a material of the file: a material of the level, its lightmap page, if any, and
/// `true` if it is double-sided.
type MaterialKey = (u16, Option<u16>, bool);

/// Adds a level to the file.
struct Adder<'a> {
    builder: &'a mut Builder,
    map: &'a Map,
    number: usize,
    level: &'a Level,
    /// The lightmap pages; empty if the level has no lightmaps.
    pages: Vec<Index<Texture>>,
    /// The luxels of the pages.
    luxels: Vec<PageLuxels>,
    materials: BTreeMap<MaterialKey, Index<Material>>,
    /// Textures of the map by index; `None` is the placeholder.
    textures: &'a mut BTreeMap<Option<usize>, Index<Texture>>,
}

impl Adder<'_> {
    /// Adds the meshes of all chunks and returns them with the names of their nodes.
    fn meshes(&mut self) -> Vec<(String, Index<Mesh>)> {
        let shown = Shown::default();
        self.add_pages(&shown);
        let source = self.map.pmf().levels.get(self.number);
        let mut meshes = Vec::new();
        for mesh in &self.level.chunks {
            let chunk = source.and_then(|level| level.chunks.get(mesh.chunk));
            let Some(chunk) = chunk.filter(|_| !mesh.indices.is_empty()) else {
                continue;
            };
            let tint = self.map.tint(&shown, self.number, mesh);
            let light = match &tint {
                Tint::Each(light) => {
                    self.builder.report_loss(FAST_LIGHTS);
                    Some(light.as_slice())
                }
                Tint::Same(_) => None,
            };
            let of_parts = mesh.parts.iter().filter(|(_, range)| !range.is_empty());
            let primitives = of_parts.filter_map(|(part, range)| {
                let range = range.start as usize..range.end as usize;
                let indices = mesh.indices.get(range)?;
                let indices = self.builder.axes.triangles(indices);
                let luxels = self.luxels.get(usize::from(part.page));
                let surface = Surface::of(mesh, &indices, light, luxels, self.builder.axes);
                Some(self.primitive(part, &surface))
            });
            let primitives = primitives.collect();
            let name = format!("chunk {}", chunk.index);
            let mesh = parts::mesh(self.builder, &name, primitives);
            meshes.push((name, mesh));
        }
        meshes
    }

    /// Adds the lightmap pages, if the level has lightmaps.
    fn add_pages(&mut self, shown: &Shown) {
        let source = self.map.pmf().levels.get(self.number);
        let chunks = source.map_or(0, |level| level.chunks.len());
        if (0..chunks).all(|chunk| self.level.atlas.slots(chunk).is_empty()) {
            return;
        }
        let Some(lighting) = self.map.lighting(shown, self.number) else {
            return;
        };
        self.builder.report_loss(LIGHTMAPS);
        self.luxels = lighting.pages();
        for (page, PageLuxels { size, bytes }) in self.luxels.iter().enumerate() {
            let pixels = Pixels {
                size: *size,
                levels: vec![bytes.clone()],
                has_holes: false,
            };
            let name = format!("lightmaps {},{page}", self.number);
            let texture = self.builder.texture(&name, &pixels);
            // Mip levels would mix adjacent lightmaps.
            let sampler = self.builder.root.push(Sampler {
                mag_filter: Some(Checked::Valid(MagFilter::Linear)),
                min_filter: Some(Checked::Valid(MinFilter::Linear)),
                wrap_s: Checked::Valid(WrappingMode::ClampToEdge),
                wrap_t: Checked::Valid(WrappingMode::ClampToEdge),
                ..Sampler::default()
            });
            if let Some(texture) = self.builder.root.textures.get_mut(texture.value()) {
                texture.sampler = Some(sampler);
            }
            self.pages.push(texture);
        }
        let used = &mut self.builder.root.extensions_used;
        if !used.iter().any(|name| name == LIGHTMAP) {
            used.push(LIGHTMAP.to_owned());
        }
    }

    fn primitive(&mut self, part: &Part, surface: &Surface) -> Primitive {
        let floats = |kind| Layout::vertices(ComponentType::F32, kind);
        let shares = |component, kind| Layout {
            normalized: true,
            ..Layout::vertices(component, kind)
        };
        let builder = &mut *self.builder;
        let positions = builder.positions(&surface.positions);
        let normals = builder.accessor(&surface.normals, floats(Type::Vec3));
        let uvs = builder.accessor(&surface.uvs, floats(Type::Vec2));
        let mut attributes = BTreeMap::from([
            (Checked::Valid(Semantic::Positions), positions),
            (Checked::Valid(Semantic::Normals), normals),
            (Checked::Valid(Semantic::TexCoords(0)), uvs),
        ]);
        if !self.pages.is_empty() {
            let layout = shares(ComponentType::U16, Type::Vec2);
            let uvs = builder.accessor(&surface.lightmap_uvs, layout);
            attributes.insert(Checked::Valid(Semantic::TexCoords(1)), uvs);
        }
        if !surface.colors.is_empty() {
            let layout = shares(ComponentType::U16, Type::Vec4);
            let colors = builder.accessor(&surface.colors, layout);
            attributes.insert(Checked::Valid(Semantic::Colors(0)), colors);
        }
        if let Some(light) = &surface.light {
            let light = builder.accessor(light, shares(ComponentType::U8, Type::Vec4));
            let semantic = Semantic::Extras(FAST_LIGHT.to_owned());
            attributes.insert(Checked::Valid(semantic), light);
        }
        let indices = builder.indices(&surface.indices);
        let material = self.material(part);
        parts::primitive(attributes, indices, material)
    }

    /// The material of a part.
    fn material(&mut self, part: &Part) -> Index<Material> {
        let page = self.pages.get(usize::from(part.page)).copied();
        let key = (part.material, page.map(|_| part.page), part.two_sided);
        if let Some(made) = self.materials.get(&key) {
            return *made;
        }
        let index = usize::from(part.material);
        let level = self.level;
        let material = level.materials.list.get(index);
        let look = material.and_then(|material| material.look.as_ref());
        let texture = match look {
            Some(look) => look.texture.map(Some),
            None if material.is_none_or(|material| !material.is_known) => Some(None),
            None => None,
        };
        let mut made = match material.zip(look) {
            Some((material, look)) => self.looking(material, look),
            None if texture.is_some() => Material::default(),
            None => colored(Materials::muted_color(index), u8::MAX),
        };
        made.name = material.map(|material| material.name.clone());
        made.double_sided = part.two_sided;
        let pbr = &mut made.pbr_metallic_roughness;
        pbr.metallic_factor = StrengthFactor(0.0);
        pbr.roughness_factor = StrengthFactor(1.0);
        pbr.base_color_texture = texture.map(|index| parts::texture_info(self.texture(index)));
        if let Some(page) = page {
            let lightmap = json!({ "index": page.value(), "texCoord": 1, "intensity": 1.0 });
            let extensions = made.extensions.get_or_insert_default();
            extensions.others.insert(LIGHTMAP.to_owned(), lightmap);
        }
        let made = self.builder.root.push(made);
        self.materials.insert(key, made);
        made
    }

    /// A material with the appearance that the file defines, without its texture.
    fn looking(&mut self, material: &materials::Material, look: &Look) -> Material {
        for (is_lost, what) in MATERIAL_LOSSES {
            if is_lost(material, look) {
                self.builder.report_loss(what);
            }
        }
        let alpha = if material.is_transparent {
            look.alpha
        } else {
            u8::MAX
        };
        let mode = match material.blend {
            Blend::Opaque => AlphaMode::Opaque,
            Blend::Alpha | Blend::Add => AlphaMode::Blend,
        };
        Material {
            alpha_mode: Checked::Valid(mode),
            emissive_factor: EmissiveFactor(look.emission.map(linear_of_byte)),
            ..colored(look.color, alpha)
        }
    }

    /// The texture of the map with this index, or the placeholder for `None`.
    fn texture(&mut self, index: Option<usize>) -> Index<Texture> {
        if let Some(made) = self.textures.get(&index) {
            return *made;
        }
        let found = index.and_then(|index| self.map.textures().list.get(index));
        let made = match found {
            Some(found) => self.builder.texture(&found.path, &found.texture),
            None => self
                .builder
                .texture("placeholder", &Textures::placeholder()),
        };
        self.textures.insert(index, made);
        made
    }
}

/// A material with a colour and an opacity.
fn colored(color: [u8; 3], alpha: u8) -> Material {
    let [red, green, blue] = color.map(linear_of_byte);
    let alpha = f32::from(alpha) / 255.0;
    Material {
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([red, green, blue, alpha]),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    }
}

/// Converts an 8-bit sRGB value to linear light from 0 to 1.
fn linear_of_byte(srgb: u8) -> f32 {
    parts::linear(f32::from(srgb) / 255.0)
}

/// The light of a vertex as a colour that multiplies its texture: its luxel plus the added light.
fn color_of(luxels: &PageLuxels, uv: [u16; 2], added: [u8; 4]) -> [u16; 4] {
    let [x, y] = [0, 1].map(|axis| {
        let side = luxels.size[axis] as usize;
        usize::from(uv[axis]) * side / (usize::from(u16::MAX) + 1)
    });
    let at = (y * luxels.size[0] as usize + x) * 4;
    let luxel = luxels.bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
    let luxel = luxel.copied().unwrap_or([u8::MAX; 4]);
    let share = |channel: usize| {
        let light = luxel[channel].saturating_add(added[channel]);
        (linear_of_byte(light) * MAX_SHARE).round() as u16
    };
    [share(0), share(1), share(2), u16::MAX]
}

/// Triangles of one part.
#[derive(Default)]
struct Surface {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    lightmap_uvs: Vec<[u16; 2]>,
    light: Option<Vec<[u8; 4]>>,
    /// The light of each vertex, if the level has lightmaps.
    colors: Vec<[u16; 4]>,
    indices: Vec<u32>,
}

impl Surface {
    /// The triangles for some of the indices of a chunk, with only the vertices that they use.
    fn of(
        mesh: &ChunkMesh,
        indices: &[u32],
        light: Option<&[[u8; 4]]>,
        luxels: Option<&PageLuxels>,
        axes: Axes,
    ) -> Self {
        let mut surface = Self {
            light: light.map(|_| Vec::new()),
            ..Self::default()
        };
        let mut known = vec![u32::MAX; mesh.vertices.len()];
        for at in indices.iter().map(|index| *index as usize) {
            let (Some(vertex), Some(index)) = (mesh.vertices.get(at), known.get_mut(at)) else {
                continue;
            };
            if *index == u32::MAX {
                *index = surface.positions.len() as u32;
                surface.push(vertex, axes);
                let added = light.and_then(|light| light.get(at)).copied();
                let added = added.unwrap_or_default();
                if let Some(light) = &mut surface.light {
                    light.push(added);
                }
                if let Some(luxels) = luxels {
                    surface
                        .colors
                        .push(color_of(luxels, vertex.lightmap_uv, added));
                }
            }
            surface.indices.push(*index);
        }
        surface
    }

    fn push(&mut self, vertex: &LevelVertex, axes: Axes) {
        // Files may contain numbers that are not finite, which glTF forbids.
        let number = |number: f32| if number.is_finite() { number } else { 0.0 };
        let position = axes.vector(vertex.position.map(number).into());
        let normal = axes.vector(unpack_normal(vertex.normal));
        self.positions.push(position.to_array());
        self.normals.push(normal.to_array());
        self.uvs.push(vertex.uv.map(number));
        self.lightmap_uvs.push(vertex.lightmap_uv);
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_back::{ReadBack, read_back};
    use super::*;
    use mapscope_formats::pmf::Pmf;
    use mapscope_scene::{OpenOptions, Progress, Source};

    fn built(pmf: Pmf) -> Map {
        let source = Source {
            path: "sample.pmf".into(),
            bytes: Default::default(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        Map::build(pmf, &source, &options, &progress).unwrap()
    }

    /// Two levels, with two and three chunks. The second one has no fast lights.
    fn sample() -> Map {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        let mut other = mapscope_testdata::synthesize::pmf([1, 1, 3], 2, 9);
        for chunk in &mut other.levels[0].chunks {
            let data = chunk.data.as_mut().unwrap();
            data.fast_lights.clear();
            data.client.as_mut().unwrap().fast_lights.clear();
        }
        pmf.levels.extend(other.levels);
        built(pmf)
    }

    /// The lightmap extension of a material: its texture and its texture coordinate set.
    fn lightmap_of(material: &gltf::Material<'_>) -> Option<(usize, u64)> {
        let extension = material.extension_value(LIGHTMAP)?;
        assert_eq!(extension["intensity"], 1.0);
        let texture = extension["index"].as_u64().unwrap() as usize;
        Some((texture, extension["texCoord"].as_u64().unwrap()))
    }

    #[test]
    fn all_chunks_of_all_levels_are_there_as_the_scene_has_them() {
        let map = sample();
        let file = read_back(&map);
        let triangles = file.triangles();
        let roots = file.gltf.default_scene().unwrap().nodes();
        let roots: Vec<_> = roots.map(|node| node.name().unwrap().to_owned()).collect();
        assert_eq!(roots, ["Level 0", "Level 1", "Entities"]);
        let mut read = triangles.iter();
        for (number, level) in map.levels().iter().enumerate() {
            for mesh in &level.chunks {
                let index = map.pmf().levels[number].chunks[mesh.chunk].index;
                for corners in mesh.indices.as_chunks::<3>().0 {
                    let triangle = read.next().unwrap();
                    assert_eq!(triangle.node, format!("chunk {index}"));
                    // Mirroring reverses the order of the corners.
                    for (k, at) in [0, 2, 1].into_iter().enumerate() {
                        let vertex = mesh.vertices[corners[at] as usize];
                        let [x, y, z] = vertex.position;
                        assert_eq!(triangle.corners[k].to_array(), [x, y, -z]);
                        assert_eq!(triangle.uvs[k].to_array(), vertex.uv);
                        let normal = unpack_normal(vertex.normal);
                        assert_eq!(triangle.normals[k], normal * Vec3::new(1.0, 1.0, -1.0));
                    }
                    let front = triangle.front();
                    assert!(
                        triangle
                            .normals
                            .iter()
                            .all(|normal| normal.dot(front) > 0.0)
                    );
                }
            }
        }
        assert!(read.next().is_none() && triangles.len() > 100);
    }

    #[test]
    fn a_level_is_not_mirrored() {
        // In a left-handed world X is right and Z ahead; in glTF ahead is -Z.
        let map = sample();
        let file = read_back(&map);
        let of = |node: &str, axis: usize| {
            let all = file.triangles();
            let of_node = all.iter().filter(|triangle| triangle.node == node);
            let places = of_node.flat_map(|triangle| triangle.corners);
            let (sum, count) =
                places.fold((0.0, 0), |(sum, count), at| (sum + at[axis], count + 1));
            sum / count as f32
        };
        assert!(of("chunk (0, 1, 0)", 0) > of("chunk (0, 0, 0)", 0));
        assert!(of("chunk (0, 0, 2)", 2) < of("chunk (0, 0, 1)", 2));
    }

    #[test]
    fn lightmaps_are_on_pages_at_the_second_texture_coordinates() {
        let map = sample();
        let file = read_back(&map);
        let used: Vec<_> = file.gltf.extensions_used().collect();
        assert_eq!(used, [LIGHTMAP]);
        assert_eq!(file.gltf.extensions_required().count(), 0);
        let shown = Shown::default();
        let mut lit = 0;
        for (number, level) in map.levels().iter().enumerate() {
            let lighting = map.lighting(&shown, number).unwrap();
            for mesh in &level.chunks {
                for painted in lighting.paint_all(mesh.chunk) {
                    let (texture, _) = page_texture(&file, number, painted.page);
                    let ([width, _], bytes) = file.image(texture);
                    let side = painted.side as usize;
                    for (i, luxel) in painted.luxels.chunks_exact(4).enumerate() {
                        let [x, y] = painted.corner.map(|at| at as usize);
                        let at = (y + i / side) * width as usize + x + i % side;
                        assert_eq!(&bytes[at * 4..][..4], luxel);
                    }
                    lit += 1;
                }
            }
        }
        assert!(lit > 0);
        let materials = file.gltf.materials().filter_map(|of| lightmap_of(&of));
        assert!(materials.count() == file.gltf.materials().count());
    }

    /// The texture of a lightmap page and the texture coordinate set with which materials use it.
    fn page_texture(file: &ReadBack, level: usize, page: u16) -> (usize, u64) {
        let name = format!("lightmaps {level},{page}");
        let materials = file.gltf.materials();
        let mut found = materials.filter_map(|material| lightmap_of(&material));
        let texture = |index: usize| file.gltf.textures().nth(index).unwrap();
        let (index, uvs) = found
            .find(|(index, _)| texture(*index).name() == Some(&name))
            .unwrap();
        assert_eq!(uvs, 1);
        let sampler = texture(index).sampler();
        assert_eq!(sampler.wrap_s(), WrappingMode::ClampToEdge);
        (index, uvs)
    }

    #[test]
    fn second_texture_coordinates_and_the_light_of_fast_lights_are_those_of_the_scene() {
        let map = sample();
        let file = read_back(&map);
        let [mut lit, mut vertices] = [0, 0];
        let nodes = file.gltf.nodes().filter(|node| node.mesh().is_some());
        let chunks = map.levels().iter().enumerate();
        let chunks =
            chunks.flat_map(|(number, level)| level.chunks.iter().map(move |m| (number, m)));
        for (node, (number, mesh)) in nodes.zip(chunks) {
            let tint = map.tint(&Shown::default(), number, mesh);
            for (primitive, (_, range)) in node.mesh().unwrap().primitives().zip(&mesh.parts) {
                let reader = file.reader(&primitive);
                let uvs: Vec<_> = reader.read_tex_coords(1).unwrap().into_u16().collect();
                let light = primitive.get(&Semantic::Extras(FAST_LIGHT.to_owned()));
                let light = light.map(|light| {
                    let view = light.view().unwrap();
                    &file.bytes()[view.offset() + light.offset()..][..light.count() * 4]
                });
                let indices: Vec<_> = reader.read_indices().unwrap().into_u32().collect();
                let source = &mesh.indices[range.start as usize..range.end as usize];
                for (to, from) in indices
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .zip(source.as_chunks::<3>().0)
                {
                    for (to, from) in [(to[0], from[0]), (to[1], from[2]), (to[2], from[1])] {
                        let vertex = mesh.vertices[from as usize];
                        assert_eq!(uvs[to as usize], vertex.lightmap_uv);
                        let here = light.map(|light| &light[to as usize * 4..][..4]);
                        match &tint {
                            Tint::Each(tints) => {
                                assert_eq!(here, Some(&tints[from as usize][..]));
                                lit += 1;
                            }
                            Tint::Same(_) => assert_eq!(here, None),
                        }
                        vertices += 1;
                    }
                }
            }
        }
        assert!(lit > 0 && vertices > lit, "{lit} of {vertices}");
        assert!(file.losses.iter().any(|loss| loss == FAST_LIGHTS));
    }

    #[test]
    fn the_light_of_a_vertex_is_its_colour() {
        let white = PageLuxels::new([2, 1]);
        let mut page = white.clone();
        page.bytes = vec![10, 20, 30, 255, 40, 50, 60, 255];
        let share = |byte: u8| (linear_of_byte(byte) * MAX_SHARE).round() as u16;
        let colors = |uv: u16, added: u8| color_of(&page, [uv, u16::MAX], [added, 0, 0, 0]);
        assert_eq!(colors(0, 0), [share(10), share(20), share(30), u16::MAX]);
        assert_eq!(
            colors(u16::MAX, 5),
            [share(45), share(50), share(60), u16::MAX]
        );
        assert_eq!(color_of(&white, [9, 9], [3; 4]), [u16::MAX; 4]);
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 2, 1], 3, 7);
        for chunk in &mut pmf.levels[0].chunks {
            let data = chunk.data.as_mut().unwrap();
            data.dynamic_lights
                .iter_mut()
                .for_each(|light| light.flags = 0);
            data.fast_lights.clear();
            data.client.as_mut().unwrap().fast_lights.clear();
        }
        let file = read_back(&built(pmf));
        let mut levels = std::collections::BTreeSet::new();
        for primitive in file.gltf.meshes().flat_map(|mesh| mesh.primitives()) {
            let reader = file.reader(&primitive);
            let colors: Vec<_> = reader.read_colors(0).unwrap().into_rgba_u16().collect();
            assert_eq!(colors.len(), reader.read_positions().unwrap().count());
            levels.extend(colors.iter().map(|color| color[0]));
        }
        assert!(levels.len() > 10, "{levels:?}");
    }

    #[test]
    fn entities_are_empty_nodes_where_they_stand() {
        let map = sample();
        let file = read_back(&map);
        let placed = map.placed_entities();
        assert!(!placed.is_empty() && placed.iter().any(|entity| entity.level == Some(0)));
        let empty = file.gltf.nodes().filter(|node| node.extras().is_some());
        let empty: Vec<_> = empty.collect();
        assert_eq!(empty.len(), placed.len());
        for entity in &placed {
            let [x, y, z] = entity.place.to_array();
            let found = empty.iter().find(|node| {
                node.name() == Some(&*entity.title) && node.transform().decomposed().0 == [x, y, -z]
            });
            let extras = found.unwrap().extras().as_ref().unwrap().get();
            assert!(extras.contains(entity.kind), "{extras}");
            assert!(found.unwrap().mesh().is_none());
        }
    }

    #[test]
    fn materials_look_as_the_file_says() {
        let mut pmf = mapscope_testdata::synthesize::pmf([1, 1, 1], 2, 3);
        let level = &mut pmf.levels[0];
        let client = level.client.as_mut().unwrap();
        for (i, (material, look)) in
            (0_u8..).zip(level.common.materials.iter_mut().zip(&mut client.materials))
        {
            material.flags = if i == 0 {
                mapscope_formats::pmf::Material::TRANSPARENT
            } else {
                0
            };
            material.render_mode = if i == 1 {
                mapscope_formats::pmf::Material::ADD
            } else {
                0
            };
            look.color = [255, 188, i];
            look.alpha = 51;
            look.emission = [0, 255, 188];
            look.texture_scroll = [0.0, f32::from(i == 2)];
        }
        let map = built(pmf);
        let file = read_back(&map);
        let mut modes = Vec::new();
        for material in file.gltf.materials() {
            let number = map.levels()[0]
                .materials
                .list
                .iter()
                .position(|of| Some(&*of.name) == material.name());
            let number = number.unwrap();
            let [red, green, blue, alpha] = material.pbr_metallic_roughness().base_color_factor();
            assert_eq!(red, 1.0);
            assert!((green - 0.5029).abs() < 1e-3, "{green}");
            assert!(
                (blue - number as f32 / 255.0 / 12.92).abs() < 1e-6,
                "{blue}"
            );
            assert!((alpha - if number == 0 { 0.2 } else { 1.0 }).abs() < 1e-6);
            let [dark, bright, half] = material.emissive_factor();
            assert!(dark == 0.0 && bright == 1.0 && (half - 0.5029).abs() < 1e-3);
            modes.push((number, material.alpha_mode()));
        }
        modes.sort_by_key(|(number, _)| *number);
        modes.dedup();
        use gltf::material::AlphaMode;
        let expected = [AlphaMode::Blend, AlphaMode::Blend, AlphaMode::Opaque];
        assert_eq!(
            modes.iter().map(|(_, mode)| *mode).collect::<Vec<_>>(),
            expected
        );
        for (_, what) in [MATERIAL_LOSSES[0], MATERIAL_LOSSES[3]] {
            assert!(file.losses.iter().any(|loss| loss == what), "{what}");
        }
        assert!(!file.losses.iter().any(|loss| loss == MATERIAL_LOSSES[1].1));
    }

    #[test]
    fn of_a_file_without_levels_it_is_said_that_nothing_is_drawn() {
        let said = |pmf| {
            let losses = crate::gltf::make(&built(pmf), false)
                .into_glb()
                .unwrap()
                .losses;
            losses.iter().any(|loss| loss.contains("has no scene"))
        };
        let full = mapscope_testdata::synthesize::pmf([1, 1, 1], 2, 3);
        let mut empty = full.clone();
        empty.levels.clear();
        assert!(said(empty));
        assert!(!said(full));
    }
}
