//! The textures of a map's materials: found, decoded, and cut into patchworks.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use bytes::Bytes;
use image::RgbaImage;

use super::pack::Layers;
use super::patchwork::{ATLAS_SIZE, Patchwork, SOURCE_SIDE, marked, patchwork, source_image};
use crate::assets::{
    Assets, Located, LookUp, MAX_SIDE_TEXELS, Reusable, Texture, TextureFile, Thumbnail, decode,
    placeholder,
};
use crate::core::parallel::in_parallel;
use crate::core::rules::{self, Fault};
use crate::{OpenError, OpenOptions, Progress, Source};
use mapscope_formats::pfmap::{Material, Pfmap, Splat};
use mapscope_formats::{Place, Problem, Subject};

/// Number of layers that a texture array supports on every device.
pub const MAX_LAYERS: usize = 256;
/// Bytes of a patchwork with its mip levels.
const ATLAS_BYTES: u64 = ATLAS_SIZE[0] as u64 * ATLAS_SIZE[1] as u64 * 4 * 4 / 3;
/// Bytes of the source image of a patchwork.
const SOURCE_BYTES: u64 = SOURCE_SIDE as u64 * SOURCE_SIDE as u64 * 4;

/// The textures that open maps show, by their real paths, with their files and whether they have
/// holes.
static SHOWN: Reusable<Patchwork, (TextureFile, bool)> = Reusable::new();
/// The other textures of open maps.
static UNUSED: Reusable<Unused, TextureFile> = Reusable::new();

/// The texture of a material.
#[derive(Debug)]
pub struct MaterialTexture {
    /// Its file.
    pub file: TextureFile,
    /// Layer of the texture array; `None` for a material that no tile shows.
    pub layer: Option<u8>,
    /// The bytes of the file if it is built in.
    built_in: Option<&'static [u8]>,
    /// Varies the placeholders.
    seed: u32,
    /// Data kept for a texture that no tile shows.
    unused: Option<Arc<Unused>>,
}

/// A texture that no tile of the map shows. Its patchwork is made when a patch shows it.
#[derive(Debug)]
struct Unused {
    /// The image at the source size of patchworks; `None` if it is missing or broken.
    image: Option<RgbaImage>,
    /// Varies the placeholders.
    seed: u32,
    has_holes: bool,
    patchwork: OnceLock<Arc<Patchwork>>,
}

/// All textures of a map.
#[derive(Debug)]
pub struct Textures {
    /// One for each material of the map.
    pub materials: Vec<MaterialTexture>,
    /// Layers of the texture array.
    pub layers: Vec<Arc<Patchwork>>,
    /// Layer of each material index, for packing tiles.
    pub layer_of_material: Vec<u8>,
    /// The placeholder layer, for tiles with materials that do not exist.
    pub placeholder_layer: u8,
    /// `true` if any texture has holes.
    pub has_holes: bool,
    /// Problems of the textures.
    pub problems: Vec<Problem>,
    /// Files that were found or looked for.
    pub dependencies: Vec<PathBuf>,
}

impl Textures {
    /// Textures for tiles that show these materials, and the materials that splats mix with them.
    /// Returns the same textures if the array has all of them. Otherwise it makes new ones, since
    /// the array lacks materials that no tile shows. New ones have no [`Textures::materials`].
    pub(super) fn for_materials(
        self: &Arc<Self>,
        shown: impl IntoIterator<Item = u16>,
        splats: &[Splat],
    ) -> Arc<Self> {
        let mut wanted: BTreeSet<u32> = shown.into_iter().map(u32::from).collect();
        let in_array = |i: &u32| self.material(*i).is_some_and(|m| m.layer.is_some());
        if wanted.iter().all(in_array) {
            return Arc::clone(self);
        }
        let mixed: Vec<u32> = splats
            .iter()
            .filter(|splat| wanted.contains(&splat.base))
            .map(|splat| splat.accent)
            .collect();
        wanted.extend(mixed);
        let mut layer_of_material = vec![None; self.materials.len()];
        let mut textures = Self {
            materials: Vec::new(),
            layers: Vec::new(),
            layer_of_material: Vec::new(),
            placeholder_layer: 0,
            has_holes: self.has_holes,
            problems: Vec::new(),
            dependencies: Vec::new(),
        };
        for i in wanted.into_iter().take(MAX_LAYERS - 1) {
            let Some(material) = self.material(i) else {
                continue;
            };
            let in_array = material
                .layer
                .and_then(|at| self.layers.get(usize::from(at)));
            let unused = material.unused.as_deref();
            if let Some(layer) = in_array.or_else(|| unused.map(Unused::patchwork)) {
                layer_of_material[i as usize] = Some(textures.layers.len() as u8);
                textures.layers.push(Arc::clone(layer));
                textures.has_holes |= unused.is_some_and(|unused| unused.has_holes);
            }
        }
        // As in the map's own array, the placeholder comes last: seams depend on the order of
        // layers.
        let placeholder = textures.add_placeholder();
        let layers = layer_of_material.into_iter();
        textures.layer_of_material = layers.map(|l| l.unwrap_or(placeholder)).collect();
        Arc::new(textures)
    }

    /// The placeholder for missing materials.
    pub fn placeholder() -> Texture {
        Texture::new(placeholder(u32::MAX))
    }

    /// The layers of the materials, for packing tiles.
    pub(super) fn layers_of_materials(&self) -> Layers<'_> {
        Layers {
            of_material: &self.layer_of_material,
            placeholder: self.placeholder_layer,
        }
    }

    /// Bytes of memory that the textures hold.
    pub(super) fn cpu_bytes(&self) -> usize {
        let unused = self.materials.iter().filter_map(|m| m.unused.as_ref());
        let made = unused.clone().filter_map(|unused| unused.patchwork.get());
        let levels = self.layers.iter().chain(made).flat_map(|l| &l.levels);
        let images = unused.filter_map(|unused| unused.image.as_ref());
        images.map(|image| image.len()).sum::<usize>() + levels.map(Vec::len).sum::<usize>()
    }

    /// Appends the placeholder layer.
    fn add_placeholder(&mut self) -> u8 {
        self.placeholder_layer = self.layers.len() as u8;
        self.layers.push(Arc::new(marked(u32::MAX)));
        self.placeholder_layer
    }

    fn material(&self, index: u32) -> Option<&MaterialTexture> {
        self.materials.get(index as usize)
    }
}

impl MaterialTexture {
    /// Reads the whole image again, since the ground is drawn with patches cut from it. Returns a
    /// placeholder if it cannot be read.
    pub fn image(&self) -> Texture {
        let bytes = match (self.built_in, &self.file.path) {
            (Some(bytes), _) => Some(Bytes::from_static(bytes)),
            (None, Some(path)) => Source::read_up_to(path, u64::MAX).ok(),
            (None, None) => None,
        };
        let image = bytes.and_then(|bytes| decode(&bytes, Some(MAX_SIDE_TEXELS)).ok());
        Texture::new(image.unwrap_or_else(|| placeholder(self.seed)))
    }
}

impl Unused {
    fn patchwork(&self) -> &Arc<Patchwork> {
        self.patchwork
            .get_or_init(|| Arc::new(atlas(self.image.as_ref(), self.seed)))
    }
}

/// The atlas of an image or of a placeholder. A placeholder is not quilted, which would scramble
/// its checkerboard.
fn atlas(image: Option<&RgbaImage>, seed: u32) -> Patchwork {
    image.map_or_else(|| marked(seed), patchwork)
}

fn has_holes(image: &RgbaImage) -> bool {
    image.pixels().any(|p| p.0[3] < 255)
}

/// `true` for each material that the tiles of a map show, including hidden sides.
fn used_materials(map: &Pfmap) -> Vec<bool> {
    let mut used = vec![false; map.materials.len()];
    let mut mark = |material: usize| {
        if let Some(used) = used.get_mut(material) {
            *used = true;
        }
    };
    let mut last = None;
    for tile in &map.tiles {
        let named = [tile.top_material, tile.side_material];
        if last.replace(named) != Some(named) {
            for material in named {
                mark(material.into());
            }
        }
    }
    for splat in &map.splats {
        mark(splat.base as usize);
        mark(splat.accent as usize);
    }
    used
}

/// The result of loading a texture.
#[derive(Clone)]
struct Loaded {
    file: TextureFile,
    built_in: Option<&'static [u8]>,
    patchwork: Option<Arc<Patchwork>>,
    unused: Option<Arc<Unused>>,
    has_holes: bool,
    fault: Option<Fault>,
    candidates: Vec<PathBuf>,
}

/// Finds and reads the textures of all materials, on all threads of the machine. Materials that
/// name the same file share the result.
///
/// # Errors
/// Only if the load is cancelled: a missing or broken texture gives a problem and a placeholder.
pub fn load(
    map: &Pfmap,
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Textures, OpenError> {
    let assets = Assets::new(source, options, LookUp::MapTextures);
    let used = used_materials(map);
    let mut files = HashMap::new();
    // The textures to read: a material, and whether any material with this texture is shown.
    let mut wanted: Vec<(usize, bool)> = Vec::new();
    let mut index_of = Vec::with_capacity(used.len());
    let mut afforded = Vec::with_capacity(used.len());
    for (i, (material, is_used)) in map.materials.iter().zip(&used).enumerate() {
        let name = &material.texture;
        let file = assets.identity(name);
        let known = file.as_ref().and_then(|file| files.get(file)).copied();
        let kept_bytes = if *is_used { ATLAS_BYTES } else { SOURCE_BYTES };
        // Each has its own layer.
        let path = file.as_deref().filter(|_| known.is_none());
        afforded.push(assets.spend_for_texture(name, path, |_| kept_bytes));
        let index = known.unwrap_or(wanted.len());
        match wanted.get_mut(index) {
            Some((_, is_any_used)) => *is_any_used |= is_used,
            None => wanted.push((i, *is_used)),
        }
        files.extend(file.map(|file| (file, index)));
        index_of.push(index);
    }
    let loaded = in_parallel(wanted.len(), progress, |at| {
        let (i, is_used) = wanted[at];
        match &afforded[i] {
            Ok(()) => load_one(&map.materials[i], is_used, &assets),
            Err(limit) => Loaded::refused(limit.clone()),
        }
    })?;
    let loaded = index_of.into_iter().zip(afforded).map(|(index, afforded)| {
        let refused = |limit| Some(Loaded::refused(limit));
        afforded.map_or_else(refused, |()| loaded.get(index).cloned())
    });
    Ok(collect(map, &used, loaded.flatten()))
}

fn collect(map: &Pfmap, used: &[bool], loaded: impl Iterator<Item = Loaded>) -> Textures {
    let mut textures = Textures {
        materials: Vec::new(),
        layers: Vec::new(),
        layer_of_material: Vec::new(),
        placeholder_layer: 0,
        has_holes: false,
        problems: Vec::new(),
        dependencies: Vec::new(),
    };
    let names_unknown = |t: &mapscope_formats::pfmap::Tile| {
        usize::from(t.top_material.max(t.side_material)) >= map.materials.len()
    };
    let has_unknown = !map.bad_tiles.is_empty() || map.tiles.iter().any(names_unknown);
    // The last layer is reserved for the placeholder only if one is needed.
    let shown = used.iter().filter(|used| **used).count();
    let room = MAX_LAYERS - usize::from(has_unknown || shown > MAX_LAYERS);
    let mut without_layer = Vec::new();
    for ((i, one), material) in loaded.enumerate().zip(&map.materials) {
        let place = Place::line(material.line);
        let subject = Subject::Material(i as u32);
        let is_refused = matches!(&one.fault, Some((rule, _)) if **rule == rules::TEXTURE_LIMIT);
        // A line without a texture is already reported as unreadable.
        if let Some((rule, message)) = one.fault.filter(|_| !material.texture.is_empty()) {
            let problem = Problem::new(rule, subject, place, message);
            textures.problems.push(problem);
        }
        let is_used = used.get(i) == Some(&true);
        let (layer, unused) = match one.patchwork {
            Some(patchwork) if is_used && textures.layers.len() < room => {
                textures.layers.push(patchwork);
                (Some((textures.layers.len() - 1) as u8), None)
            }
            // Another material with this texture is shown.
            Some(patchwork) if !is_used => {
                let unused = Unused {
                    image: None,
                    seed: material.line as u32,
                    has_holes: one.has_holes,
                    patchwork: OnceLock::from(patchwork),
                };
                (None, Some(Arc::new(unused)))
            }
            _ => (None, one.unused),
        };
        if layer.is_none() && is_used {
            without_layer.push(i);
            if !is_refused {
                let message = format!(
                    "placeholder shown for material {i}; at most {MAX_LAYERS} textures can be \
                     drawn at once"
                );
                let problem = Problem::new(&rules::TEXTURE_LIMIT, subject, place, message);
                textures.problems.push(problem);
            }
        }
        textures.layer_of_material.push(layer.unwrap_or(0));
        textures.has_holes |= one.has_holes;
        textures.dependencies.extend(one.candidates);
        textures.materials.push(MaterialTexture {
            file: one.file,
            layer,
            built_in: one.built_in,
            seed: material.line as u32,
            unused,
        });
    }
    if has_unknown || !without_layer.is_empty() || textures.layers.is_empty() {
        let placeholder = textures.add_placeholder();
        for i in without_layer {
            textures.layer_of_material[i] = placeholder;
        }
    }
    textures
}

impl Loaded {
    /// A texture that is refused because of a limit.
    fn refused(fault: Fault) -> Self {
        Self {
            file: TextureFile {
                path: None,
                found: false,
                size: None,
                thumbnail: Thumbnail::Unread,
            },
            built_in: None,
            patchwork: None,
            unused: None,
            has_holes: false,
            fault: Some(fault),
            candidates: Vec::new(),
        }
    }
}

/// The texture of a material, as an open map has it.
fn reused(found: &Located, used: bool) -> Option<Loaded> {
    let (file, patchwork, unused, has_holes) = if used {
        let (patchwork, (file, has_holes)) = SHOWN.get(&found.identity)?;
        (file, Some(patchwork), None, has_holes)
    } else {
        let (unused, file) = UNUSED.get(&found.identity)?;
        (file, None, Some(unused), false)
    };
    // Another document may write the path in another way.
    let path = found.path.clone();
    Some(Loaded {
        built_in: None,
        patchwork,
        unused,
        has_holes,
        fault: None,
        candidates: path.iter().cloned().collect(),
        file: TextureFile { path, ..file },
    })
}

fn load_one(material: &Material, used: bool, assets: &Assets) -> Loaded {
    let began = SystemTime::now();
    let found = assets.locate(&material.texture).ok();
    let found = found.filter(|found| found.path.is_some());
    if let Some(loaded) = found.as_ref().and_then(|found| reused(found, used)) {
        return loaded;
    }
    let loaded = assets.texture(&material.texture, material.line);
    let image = loaded.file.found.then_some(&loaded.image);
    let seed = material.line as u32;
    let has_holes = image.is_some_and(has_holes);
    let (patchwork, unused) = if used {
        (Some(Arc::new(atlas(image, seed))), None)
    } else {
        let unused = Unused {
            has_holes,
            image: image.map(|image| source_image(image).into_owned()),
            seed,
            patchwork: OnceLock::new(),
        };
        (None, Some(Arc::new(unused)))
    };
    if let Some(found) = found.filter(|_| loaded.file.found && loaded.fault.is_none()) {
        let (file, files) = (found.identity.clone(), [found.identity]);
        if let Some(patchwork) = &patchwork {
            SHOWN.put(
                file,
                (patchwork, (loaded.file.clone(), has_holes)),
                files,
                began,
            );
        } else if let Some(unused) = &unused {
            UNUSED.put(file, (unused, loaded.file.clone()), files, began);
        }
    }
    Loaded {
        built_in: assets.embedded(&material.texture),
        file: loaded.file,
        patchwork,
        unused,
        has_holes: has_holes && used,
        fault: loaded.fault,
        candidates: loaded.candidates,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use mapscope_formats::pfmap::Tile;

    /// Loads a map of one chunk whose materials have these textures, in a folder with these files.
    fn loaded(textures: &[&str], files: &[(&str, &[u8])]) -> Textures {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut text = format!("version 1.0\nnum_materials {}\n", textures.len());
        text += "num_rows 1\nnum_cols 1\n";
        for (i, texture) in textures.iter().enumerate() {
            text += ["material m", &i.to_string(), " ", texture, "\n"]
                .concat()
                .as_str();
        }
        for row in 0..32 {
            for col in 0..32_u16 {
                let mut tile = Tile::default();
                tile.top_material = (row + col) % textures.len() as u16;
                text += std::str::from_utf8(&tile.text()).unwrap();
                text += if col % 4 == 3 { "\n" } else { " " };
            }
        }
        let map = mapscope_formats::pfmap::read(text.as_bytes()).unwrap();
        let source = Source {
            path: folder.path().join("map.pfmap"),
            bytes: text.into_bytes().into(),
            embedded: &[],
            archive: None,
        };
        load(&map, &source, &OpenOptions::default(), &Progress::default()).unwrap()
    }

    #[test]
    fn a_material_without_a_texture_lacks_no_file() {
        let textures = loaded(&["", "a.png"], &[]);
        let [problem] = &textures.problems[..] else {
            panic!("{:?}", textures.problems);
        };
        assert_eq!(problem.subject, Subject::Material(1));
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        green(width, height, image::ImageFormat::Png)
    }

    fn green(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbImage::from_pixel(width, height, image::Rgb([40, 200, 60]))
            .write_to(&mut bytes, format)
            .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn what_there_is_of_a_truncated_texture_is_shown() {
        let jpeg = green(64, 32, image::ImageFormat::Jpeg);
        let textures = loaded(&["a.jpg"], &[("a.jpg", &jpeg[..jpeg.len() - 2])]);
        let [problem] = &textures.problems[..] else {
            panic!("{:?}", textures.problems);
        };
        assert_eq!(problem.rule.id, "texture/truncated");
        assert!(
            problem
                .facts()
                .ends_with("texture/truncated (Material 0): a.jpg")
        );
        let file = &textures.materials[0].file;
        assert_eq!((file.found, file.size), (true, Some([64, 32])));
        let mean = textures.layers[0].mean_rgb;
        assert!(mean[1] > 150 && mean[0] < 80, "{mean:?}");
    }

    #[test]
    fn a_texture_beside_the_map_is_found_whatever_its_ending_says() {
        let textures = loaded(&["green.jpg"], &[("green.jpg", &png(64, 32))]);
        assert_eq!(textures.problems, []);
        assert_eq!(textures.materials[0].file.size, Some([64, 32]));
        assert_eq!(textures.layers.len(), 1);
        let mean = textures.layers[0].mean_rgb;
        assert!(mean[1] > 150 && mean[0] < 80, "{mean:?}");
    }

    #[test]
    fn what_cannot_be_used_is_a_problem_at_its_material_and_a_placeholder() {
        // A header that declares 60000 by 60000 pixels without data.
        let mut huge = png(1, 1);
        huge[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
        let checksum = crc32(&huge[12..29]);
        huge[29..33].copy_from_slice(&checksum.to_be_bytes());
        let textures = loaded(
            &[
                "none.png",
                "huge.png",
                "junk.png",
                "empty.png",
                "../../../etc/passwd",
                "good.png",
            ],
            &[
                ("huge.png", &huge),
                ("junk.png", b"this is no image"),
                ("empty.png", b""),
                ("good.png", &png(8, 8)),
            ],
        );
        let problems: Vec<String> = textures.problems.iter().map(Problem::facts).collect();
        assert_eq!(problems.len(), 5, "{problems:#?}");
        let words = [
            "none.png",
            "huge.png",
            "junk.png",
            "empty.png",
            "texture/name",
        ];
        for (i, (problem, word)) in problems.iter().zip(words).enumerate() {
            let place = format!("{}:1: warning: ", i + 5);
            assert!(
                problem.starts_with(&place) && problem.contains(word),
                "{problem}"
            );
        }
        assert!(problems[1].contains(" 8192 "), "{}", problems[1]);
        // Each has its own bright layer, so that nothing is black or empty.
        for (i, material) in textures.materials[..5].iter().enumerate() {
            assert!(!material.file.found);
            let layer = &textures.layers[usize::from(material.layer.unwrap())];
            assert!(**layer == marked(i as u32 + 5), "its checker runs on");
            assert!(
                layer.mean_rgb[0] > 80 && layer.mean_rgb[2] > 60,
                "{:?}",
                layer.mean_rgb
            );
        }
        assert!(textures.materials[5].file.found);
    }

    /// The loaded textures of a map with `materials` materials, all of them shown by its tiles.
    fn collected(materials: u16, change: impl FnOnce(&mut Pfmap)) -> Textures {
        let mut map =
            mapscope_formats::pfmap::read(&mapscope_testdata::synthesize::pfmap(1, 1, 1)).unwrap();
        let material = map.materials[0].clone();
        map.materials = vec![material; materials.into()];
        for (tile, i) in map.tiles.iter_mut().zip((0..materials).cycle()) {
            tile.top_material = i;
            tile.side_material = i;
        }
        change(&mut map);
        let loaded = (0..materials).map(|i| Loaded {
            file: TextureFile {
                path: None,
                found: true,
                size: None,
                thumbnail: Thumbnail::Made(Vec::new()),
            },
            built_in: None,
            patchwork: Some(Arc::new(Patchwork {
                levels: Vec::new(),
                mean_rgb: [i as u8, 0, 0],
            })),
            unused: None,
            has_holes: false,
            fault: None,
            candidates: Vec::new(),
        });
        collect(&map, &used_materials(&map), loaded)
    }

    #[test]
    fn all_of_256_materials_have_a_texture() {
        let textures = collected(256, |_| {});
        assert_eq!(textures.problems, []);
        let layers = textures.layer_of_material.iter().map(|l| usize::from(*l));
        let shown: Vec<u8> = layers.map(|l| textures.layers[l].mean_rgb[0]).collect();
        assert_eq!(shown, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn a_placeholder_takes_the_place_of_the_last_material_only_where_there_is_no_room() {
        let unknown = |map: &mut Pfmap| map.tiles[999].top_material = 700;
        let textures = collected(255, unknown);
        assert_eq!(textures.problems, []);
        assert_eq!(textures.layers.len(), 256);
        assert_eq!(textures.placeholder_layer, 255);

        for (materials, change) in [(256, unknown as fn(&mut Pfmap)), (257, |_| {})] {
            let textures = collected(materials, change);
            let first = textures.problems[0].facts();
            assert!(first.contains("texture/limit (Material 255)"), "{first}");
            assert_eq!(textures.problems.len(), usize::from(materials) - 255);
            assert_eq!(textures.layers.len(), 256);
            assert_eq!(textures.placeholder_layer, 255);
            assert_eq!(textures.layer_of_material[254..][..2], [254, 255]);
        }
    }

    /// The checksum of a PNG chunk.
    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
            })
        })
    }
}
