//! The textures of a map's materials: found, decoded, and made into patchworks.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use image::RgbaImage;

use super::patchwork::{Patchwork, marked, patchwork, source_image};
use crate::formats::pfmap::{Material, Pfmap, Splat};
use crate::formats::{Place, Problem};
use crate::scene::assets::AssetRoots;
use crate::scene::parallel::in_parallel;
use crate::scene::pictures::{self, First, PictureFile};
use crate::scene::registry::{OpenError, OpenOptions, Progress, Source};

/// Layers that a texture array may have on every device.
pub const MOST_LAYERS: usize = 256;

/// A material of a map as it is drawn.
#[derive(Debug)]
pub struct MaterialTexture {
    /// Its picture.
    pub picture: PictureFile,
    /// Layer of the texture array; none for a material that no tile shows.
    pub layer: Option<u8>,
    /// What is kept of a texture that no tile shows.
    unused: Option<Unused>,
}

/// A texture that no tile of the map shows, from which a patchwork is made when a patch does.
#[derive(Debug)]
struct Unused {
    /// As large as patchworks are made from.
    image: RgbaImage,
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
    /// The layer of the placeholder: for tiles that name materials that do not exist.
    pub placeholder_layer: u8,
    /// Whether any texture has holes.
    pub has_holes: bool,
    /// What is wrong with them.
    pub problems: Vec<Problem>,
    /// Files that were found, and those that were looked for.
    pub dependencies: Vec<PathBuf>,
}

impl Textures {
    /// Textures for tiles that show these materials and those that splats mix with them: others
    /// than these only where some are not in the array, since no tile of the map shows them.
    /// Of what the materials are nothing is said in them.
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
        let mixed = splats.iter().filter(|splat| wanted.contains(&splat.base));
        let mixed: Vec<u32> = mixed.map(|splat| splat.accent).collect();
        wanted.extend(mixed);
        // The placeholder comes first.
        let mut textures = Self {
            materials: Vec::new(),
            layers: vec![Arc::new(marked(u32::MAX))],
            layer_of_material: vec![0; self.materials.len()],
            placeholder_layer: 0,
            has_holes: self.has_holes,
            problems: Vec::new(),
            dependencies: Vec::new(),
        };
        for i in wanted {
            let Some(material) = self.material(i) else {
                continue;
            };
            let in_array = material
                .layer
                .and_then(|at| self.layers.get(usize::from(at)));
            let unused = material.unused.as_ref();
            if let Some(layer) = in_array.or_else(|| unused.map(Unused::patchwork)) {
                textures.layer_of_material[i as usize] = textures.layers.len() as u8;
                textures.layers.push(Arc::clone(layer));
                textures.has_holes |= unused.is_some_and(|unused| unused.has_holes);
            }
        }
        Arc::new(textures)
    }

    /// Bytes of memory that the pictures hold.
    pub(super) fn cpu_bytes(&self) -> usize {
        let unused = self.materials.iter().filter_map(|m| m.unused.as_ref());
        let made = unused.clone().filter_map(|unused| unused.patchwork.get());
        let levels = self.layers.iter().chain(made).flat_map(|l| &l.levels);
        unused.map(|unused| unused.image.len()).sum::<usize>() + levels.map(Vec::len).sum::<usize>()
    }

    fn material(&self, index: u32) -> Option<&MaterialTexture> {
        self.materials.get(index as usize)
    }
}

impl Unused {
    fn patchwork(&self) -> &Arc<Patchwork> {
        self.patchwork
            .get_or_init(|| Arc::new(patchwork(&self.image)))
    }
}

fn has_holes(image: &RgbaImage) -> bool {
    image.pixels().any(|p| p.0[3] < 255)
}

/// Which materials the tiles of a map show, sides that nobody sees included.
fn used_materials(map: &Pfmap) -> Vec<bool> {
    let mut used = vec![false; map.materials.len()];
    let mut last = None;
    for tile in &map.tiles {
        let named = (tile.top_material, tile.side_material);
        if last == Some(named) {
            continue;
        }
        last = Some(named);
        for material in [named.0, named.1] {
            if let Some(used) = used.get_mut(usize::from(material)) {
                *used = true;
            }
        }
    }
    for splat in &map.splats {
        for material in [splat.base, splat.accent] {
            if let Some(used) = used.get_mut(material as usize) {
                *used = true;
            }
        }
    }
    used
}

/// A texture that was looked for, and what is made of it.
struct Loaded {
    file: PictureFile,
    patchwork: Option<Patchwork>,
    unused: Option<Unused>,
    has_holes: bool,
    problem: Option<String>,
    looked_for: Vec<PathBuf>,
}

/// Finds and reads the textures of all materials, on as many threads as the machine has.
///
/// # Errors
/// Only when the load is cancelled: a texture that is missing or broken is a problem and a
/// placeholder.
pub fn load(
    map: &Pfmap,
    source: &Source,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Textures, OpenError> {
    let roots = pictures::roots(&source.path, First::MapTextures, options);
    let used = used_materials(map);
    let load = |i: usize| load_one(&map.materials[i], used[i], source, &roots);
    let loaded = in_parallel(map.materials.len(), progress, load)?;
    Ok(collect(map, &used, loaded.into_iter()))
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
    let mut without_layer = Vec::new();
    for ((i, one), material) in loaded.enumerate().zip(&map.materials) {
        let place = Place::Text {
            line: material.line,
            column: 1,
        };
        if let Some(message) = one.problem {
            textures.problems.push(Problem::warning(place, message));
        }
        // The last layer is kept for the placeholder.
        let layer = match one.patchwork {
            Some(patchwork) if textures.layers.len() < MOST_LAYERS - 1 => {
                textures.layers.push(Arc::new(patchwork));
                Some((textures.layers.len() - 1) as u8)
            }
            _ => None,
        };
        if layer.is_none() && used.get(i) == Some(&true) {
            without_layer.push(i);
        }
        textures.layer_of_material.push(layer.unwrap_or(0));
        textures.has_holes |= one.has_holes;
        textures.dependencies.extend(one.looked_for);
        textures.materials.push(MaterialTexture {
            picture: one.file,
            layer,
            unused: one.unused,
        });
    }
    let names_unknown = |t: &crate::formats::pfmap::Tile| {
        usize::from(t.top_material.max(t.side_material)) >= map.materials.len()
    };
    let wanted = !without_layer.is_empty() || !map.bad_tiles.is_empty();
    if wanted || textures.layers.is_empty() || map.tiles.iter().any(names_unknown) {
        textures.placeholder_layer = textures.layers.len() as u8;
        textures.layers.push(Arc::new(marked(u32::MAX)));
        for i in without_layer {
            textures.layer_of_material[i] = textures.placeholder_layer;
        }
    }
    textures
}

fn load_one(material: &Material, used: bool, source: &Source, roots: &AssetRoots) -> Loaded {
    let loaded = pictures::load(&material.texture, material.line, source, roots);
    let image = &loaded.image;
    let has_holes = loaded.file.found && has_holes(image);
    let (patchwork, unused) = if used {
        (Some(patchwork(image)), None)
    } else {
        let unused = Unused {
            has_holes,
            image: source_image(image).into_owned(),
            patchwork: OnceLock::new(),
        };
        (None, Some(unused))
    };
    Loaded {
        file: loaded.file,
        patchwork,
        unused,
        has_holes: has_holes && used,
        problem: loaded.problem,
        looked_for: loaded.looked_for,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::formats::pfmap::Tile;

    /// A map of one chunk whose materials have these textures, in a folder that has these files.
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
        let map = crate::formats::pfmap::read(text.as_bytes()).unwrap();
        let source = Source {
            path: folder.path().join("map.pfmap"),
            bytes: text.into_bytes().into(),
            embedded: &[],
        };
        load(&map, &source, &OpenOptions::default(), &Progress::default()).unwrap()
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        RgbaImage::from_pixel(width, height, image::Rgba([40, 200, 60, 255]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_texture_beside_the_map_is_found_whatever_its_ending_says() {
        let textures = loaded(&["green.jpg"], &[("green.jpg", &png(64, 32))]);
        assert_eq!(textures.problems, []);
        assert_eq!(textures.materials[0].picture.size, Some([64, 32]));
        assert_eq!(textures.layers.len(), 1);
        let mean = textures.layers[0].mean_rgb;
        assert!(mean[1] > 150 && mean[0] < 80, "{mean:?}");
    }

    #[test]
    fn what_cannot_be_used_is_a_problem_at_its_material_and_a_placeholder() {
        // A header that promises 60000 by 60000 pixels, with nothing behind it.
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
                ("junk.png", b"this is no picture"),
                ("empty.png", b""),
                ("good.png", &png(8, 8)),
            ],
        );
        let problems: Vec<String> = textures.problems.iter().map(Problem::to_string).collect();
        assert_eq!(problems.len(), 5, "{problems:#?}");
        let words = [
            "none.png",
            "huge.png",
            "junk.png",
            "empty.png",
            "is refused",
        ];
        for (i, (problem, word)) in problems.iter().zip(words).enumerate() {
            let place = format!("{}:1: warning: ", i + 5);
            assert!(
                problem.starts_with(&place) && problem.contains(word),
                "{problem}"
            );
        }
        assert!(
            problems[1].to_lowercase().contains("limit"),
            "{}",
            problems[1]
        );
        // Each has a layer of its own that is bright, so that nothing is black or empty.
        for material in &textures.materials[..5] {
            assert!(!material.picture.found);
            let layer = &textures.layers[usize::from(material.layer.unwrap())];
            assert!(
                layer.mean_rgb[0] > 80 && layer.mean_rgb[2] > 60,
                "{:?}",
                layer.mean_rgb
            );
        }
        assert!(textures.materials[5].picture.found);
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
