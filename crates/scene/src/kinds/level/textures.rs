//! Textures of maps: PTF images from the map's archive, or else from the asset root.

use bytes::Bytes;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use image::RgbaImage;

use crate::assets::{
    AssetError, Assets, LookUp, Texture, TextureFile, Thumbnail, placeholder, thumbnail,
};
use crate::core::budget::with_room;
use crate::core::parallel::in_parallel;
use crate::core::rules::{self, Fault};
use crate::describe::value::{Fact, Value};
use crate::{OpenError, OpenOptions, Progress, Source};
use mapscope_formats::pmf::{LONGEST_PATH_BYTES, Pmf};
use mapscope_formats::ptf::{self, Head};
use mapscope_formats::{Place, Problem, ReadError, Subject};

/// Maximum side of a texture that is decoded whole. Longer ones are scaled down during decoding, so
/// they need no more memory.
const MAX_SIDE: u32 = 4096;
/// Maximum number of textures. Each takes at most about 5 MB, because those larger than 1024 texels
/// are scaled down.
const MAX_TEXTURES: usize = 512;
/// Maximum number of paths counted past that limit.
const MAX_SKIPPED_PATHS: usize = 10_000;
/// Pixel budget shared by all textures, for a map of any size.
const BASE_PIXELS: u64 = 32 << 20;
/// Additional pixels for each byte of the map and of the files that textures are read from.
const PIXELS_PER_BYTE: u64 = 16;
/// Maximum total size of encoded textures in memory.
const MAX_PACKED_BYTES: usize = 64 << 20;

/// A texture of a map, found or not.
#[derive(Debug)]
pub struct LevelTexture {
    /// Path, as referenced by materials.
    pub path: String,
    /// Texture, or a placeholder.
    pub texture: Arc<Texture>,
    /// Description of its file.
    pub file: TextureFile,
}

/// All textures of a map.
#[derive(Debug, Default)]
pub struct Textures {
    /// Each path that a material references, once.
    pub list: Vec<LevelTexture>,
    /// Index in the list by path.
    by_path: HashMap<String, usize>,
    /// Paths past the limit, which are not looked up.
    left_out: BTreeSet<String>,
    pub(super) problems: Vec<Problem>,
    /// Files that were found, and candidates that were looked up.
    pub(super) dependencies: Vec<PathBuf>,
}

/// A path that a material references, with the place of the reference.
struct Named {
    path: String,
    place: Place,
    level: usize,
    /// First material of the level that references it.
    material: usize,
}

/// Bytes of a texture, its file unless it is from the archive, and the candidate paths that were
/// looked up.
struct Found {
    bytes: Result<Bytes, Fault>,
    path: Option<PathBuf>,
    candidates: Vec<PathBuf>,
}

impl Textures {
    /// Finds and decodes the textures that the materials of all levels reference.
    ///
    /// # Errors
    /// Only when the load is cancelled. A missing or broken texture is reported as a problem and
    /// replaced by a placeholder.
    pub(super) fn load(
        map: &Pmf,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
    ) -> Result<Self, OpenError> {
        let mut textures = Self::default();
        let assets = Assets::new(source, options, LookUp::Beside);
        let mut named = Vec::new();
        let mut seen = HashSet::new();
        let mut too_long = 0;
        'levels: for (level, data) in map.levels.iter().enumerate() {
            let Some(client) = &data.client else { continue };
            let [_, frame, _] = data.frames;
            // Materials may reference the same long path many times.
            seen.clear();
            for (material, number) in client.materials.iter().zip(0..) {
                let extra = material.extra_textures.iter();
                for name in [&material.texture, &material.matcap]
                    .into_iter()
                    .chain(extra)
                {
                    if !seen.insert(*name) {
                        continue;
                    }
                    let Some(name) = client.strings.path(*name) else {
                        let begin = client.strings.brief(*name);
                        if begin.is_empty() {
                            // The string is missing, which the problems of its section report.
                            continue;
                        }
                        too_long += 1;
                        if too_long == 1 {
                            let message = format!(
                                "texture `{begin}` of level {level}: its path has more than \
                                 {LONGEST_PATH_BYTES} bytes, so it cannot be found"
                            );
                            textures.problems.push(Problem::new(
                                &rules::TEXTURE_NAME,
                                material_of(level, number),
                                Place::Offset(frame.start),
                                message,
                            ));
                        }
                        continue;
                    };
                    if name.is_empty() {
                        continue;
                    }
                    let path = String::from_utf8_lossy(name);
                    if textures.by_path.contains_key(&*path) {
                        continue;
                    }
                    if named.len() == MAX_TEXTURES {
                        if textures.left_out.len() == MAX_SKIPPED_PATHS {
                            break 'levels;
                        }
                        textures.left_out.insert(path.into_owned());
                        continue;
                    }
                    let path = path.into_owned();
                    textures.by_path.insert(path.clone(), named.len());
                    let place = Place::Offset(frame.start);
                    named.push(Named {
                        path,
                        place,
                        level,
                        material: number,
                    });
                }
            }
        }
        if let (Some(first), Some(last)) = (textures.left_out.first(), named.last()) {
            let count = textures.left_out.len();
            let or_more = if count == MAX_SKIPPED_PATHS {
                " or more"
            } else {
                ""
            };
            let message = format!(
                "materials use {}{or_more} textures; only {MAX_TEXTURES} are read ({count} are \
                 not, such as `{first}`)",
                count + MAX_TEXTURES
            );
            let subject = Subject::Level(last.level as u8);
            let problem = Problem::new(&rules::TEXTURE_LIMIT, subject, last.place, message);
            textures.problems.push(problem);
        }
        let mut packed_left = MAX_PACKED_BYTES;
        let of_bytes = |bytes: usize| (bytes as u64).saturating_mul(PIXELS_PER_BYTE);
        let mut pixels_left = of_bytes(source.bytes.len()).saturating_add(BASE_PIXELS);
        let mut found = Vec::with_capacity(named.len());
        for named in &named {
            let mut texture = find(map, &named.path, &assets, &mut packed_left);
            if let Ok(bytes) = &texture.bytes {
                if texture.path.is_some() {
                    pixels_left = pixels_left.saturating_add(of_bytes(bytes.len()));
                }
                if let Some(left) = pixels_left.checked_sub(pixels(bytes)) {
                    pixels_left = left;
                } else {
                    let reason = "with those before it, it exceeds the limit of pixels for a file of \
                         this size";
                    texture.bytes = Err((&rules::TEXTURE_LIMIT, reason.to_owned()));
                }
            }
            found.push(texture);
        }
        let decoded = in_parallel(found.len(), progress, |i| {
            let bytes = found.get(i).map(|found| found.bytes.as_deref());
            match bytes {
                Some(Ok(bytes)) => {
                    let decoded = with_room(working_bytes(bytes), || {
                        let texture = read(bytes)?;
                        let faults = faults(&texture);
                        Ok((prepared(image(texture)?), faults))
                    });
                    Ok((decoded?, Head::of(bytes)))
                }
                Some(Err(reason)) => Err(reason.clone()),
                None => Err((
                    &rules::MISSING_TEXTURE,
                    "it was not searched for".to_owned(),
                )),
            }
        })?;
        for ((number, named), (found, decoded)) in named
            .into_iter()
            .enumerate()
            .zip(found.into_iter().zip(decoded))
        {
            let mut warn = |(rule, reason): Fault| {
                let Named {
                    path,
                    level,
                    place,
                    material,
                } = &named;
                let subject = material_of(*level, *material);
                let message = format!("texture `{path}` of level {level}: {reason}");
                let problem = Problem::new(rule, subject, *place, message);
                textures.problems.push(problem);
            };
            let mut size = None;
            let (texture, thumbnail) = match decoded {
                Ok(((prepared, faults), head)) => {
                    size = head.map(|head| head.size);
                    faults.into_iter().for_each(warn);
                    prepared
                }
                Err(reason) => {
                    warn(reason);
                    prepared(placeholder(number as u32))
                }
            };
            textures.dependencies.extend(found.candidates);
            textures.list.push(LevelTexture {
                path: named.path,
                texture: Arc::new(texture),
                file: TextureFile {
                    path: found.path,
                    found: size.is_some(),
                    size,
                    thumbnail: Thumbnail::Made(thumbnail),
                },
            });
        }
        Ok(textures)
    }

    /// Returns the list index of a texture by the path that a material references, or `None` if the
    /// path is empty or past the limit.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the texture for unknown materials, which looks unlike any real surface.
    pub fn placeholder() -> Texture {
        Texture::new(placeholder(0))
    }

    /// Heap size in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        let levels = self.list.iter().flat_map(|texture| &texture.texture.levels);
        levels.map(Vec::len).sum()
    }
}

/// Looks up a texture in the archive, then in the asset root.
fn find(map: &Pmf, path: &str, assets: &Assets, packed_left: &mut usize) -> Found {
    let archive = map.archive.as_ref();
    let in_archive = archive.and_then(|archive| archive.file(archive.find_texture(path)?));
    let mut found = if let Some(bytes) = in_archive {
        Found {
            bytes: bytes.map_err(|error| archive_fault(&error)),
            path: None,
            candidates: Vec::new(),
        }
    } else {
        // As in the archive (fact sheet B30).
        let plain = path
            .split_once(':')
            .map_or(path, |(_, path)| path)
            .trim_start_matches('/');
        let file = assets
            .read(&format!("{plain}.ptf"))
            .or_else(|| assets.read(&format!("textures/{plain}.ptf")));
        let neither = "not found in the archive or the asset root";
        Found {
            bytes: file.bytes.map_err(|error| match error {
                AssetError::Unreadable(reason) => (&rules::UNREADABLE_TEXTURE, reason),
                _ => (&rules::MISSING_TEXTURE, neither.to_owned()),
            }),
            path: file.path,
            candidates: file.candidates,
        }
    };
    if let Ok(bytes) = &found.bytes {
        match packed_left.checked_sub(bytes.len()) {
            Some(left) => *packed_left = left,
            None => {
                found.bytes = Err((
                    &rules::TEXTURE_LIMIT,
                    "too many textures before it".to_owned(),
                ));
            }
        }
    }
    found
}

impl LevelTexture {
    /// Formats its size in the file, and the size at which it is drawn.
    pub(super) fn size_text(&self) -> String {
        match self.file.size {
            Some([width, height]) if self.texture.size == [width, height] => {
                format!("{width} x {height}")
            }
            Some([width, height]) => {
                let [drawn_width, drawn_height] = self.texture.size;
                format!("{width} x {height}, drawn with {drawn_width} x {drawn_height}")
            }
            None => "not found".to_owned(),
        }
    }
}

/// Returns the reason why a file of the archive is unreadable.
pub(super) fn archive_fault(error: &ReadError) -> Fault {
    let rule = error.problem().map(|problem| problem.rule);
    (
        rule.unwrap_or(&rules::UNREADABLE_TEXTURE),
        error.to_string(),
    )
}

/// Returns the fault of a PTF in a map.
fn fault(problem: &Problem) -> Fault {
    let rule = match problem.rule.id {
        "ptf/unknown-flags" => &rules::PTF_FLAGS,
        _ => &rules::PTF,
    };
    (rule, format!("{}: {}", problem.place, problem.message))
}

/// Returns the faults of a PTF that was read in spite of them.
pub(super) fn faults(texture: &ptf::Texture) -> Vec<Fault> {
    texture.problems.iter().map(fault).collect()
}

/// Returns the subject for problems of a texture: the material that references it.
fn material_of(level: usize, material: usize) -> Subject {
    Subject::LevelMaterial {
        level: level as u8,
        material: material as u32,
    }
}

/// Number of pixels according to the header of a PTF. Returns 0 if the file is too short to contain
/// them, because detecting that costs nothing.
pub(super) fn pixels(bytes: &[u8]) -> u64 {
    let head = Head::of(bytes);
    let pixels = head.map_or(0, |head| {
        head.size.map(u64::from).into_iter().product::<u64>()
    });
    // One LZ4 byte expands to at most 255 bytes.
    if pixels / 255 > bytes.len() as u64 {
        0
    } else {
        pixels
    }
}

/// Memory in bytes for decoding and preparing a PTF.
fn working_bytes(bytes: &[u8]) -> u64 {
    // Decoded pixels, pixels with alpha, and mip levels.
    pixels(bytes).min(u64::from(MAX_SIDE).pow(2)) * 12
}

/// Reads a PTF, scaled down if it exceeds the maximum side.
pub(super) fn read(bytes: &[u8]) -> Result<ptf::Texture, Fault> {
    let texture = ptf::Texture::read_up_to(bytes, MAX_SIDE);
    texture.map_err(|error| match error.problem() {
        Some(problem) => fault(problem),
        None => (&rules::PTF, error.to_string()),
    })
}

/// Returns the image of a PTF.
fn image(texture: ptf::Texture) -> Result<RgbaImage, Fault> {
    let (width, height) = (texture.width, texture.height);
    RgbaImage::from_raw(width, height, texture.into_rgba())
        .ok_or_else(|| (&rules::UNREADABLE_TEXTURE, "too few pixels".to_owned()))
}

/// Returns the thumbnail of a PTF, or `None` if it is unreadable.
pub(super) fn thumbnail_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let image = read(bytes).and_then(image).ok()?;
    Some(thumbnail(&image))
}

/// Returns the header fields of a PTF. Empty for any other file.
pub(super) fn head_facts(bytes: &[u8]) -> Vec<Fact> {
    let Some(head) = Head::of(bytes) else {
        return Vec::new();
    };
    let mut facts = vec![
        Fact::new("Texture", Value::size(head.size, "pixels")).keyed("size_px"),
        Fact::new("Has alpha", head.has_alpha),
    ];
    if head.unknown_flags != 0 {
        let unknown = head.unknown_flags;
        let flags = Value::from(unknown).shown_as(format!("unknown: {unknown:#04x}"));
        facts.push(Fact::new("Flags", flags).keyed("unknown_flags"));
    }
    facts
}

/// Prepares a texture and its thumbnail.
fn prepared(image: RgbaImage) -> (Texture, Vec<u8>) {
    let thumbnail = thumbnail(&image);
    (Texture::new(image), thumbnail)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use mapscope_formats::pmf::{self, Packing, StringTableBuilder};

    /// Textures of a generated map with these three material textures, with a folder beside it.
    fn loaded(names: [&str; 3], files: &[(&str, Vec<u8>)]) -> Textures {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let mut map = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let client = map.levels[0].client.as_mut().unwrap();
        let mut strings = StringTableBuilder::default();
        let refs = names.map(|name| strings.add(name).unwrap());
        client.strings = strings.finish();
        for material in &mut client.materials {
            (material.texture, material.matcap) = (refs[0], refs[1]);
            material.extra_textures = vec![refs[2]];
        }
        assert!(pmf::write(&map, Packing::Compressed).is_ok());
        load(&map, folder.path().join("map.pmf"))
    }

    fn load(map: &Pmf, path: PathBuf) -> Textures {
        let source = Source {
            path,
            bytes: Bytes::new(),
            embedded: &[],
            archive: None,
        };
        let (options, progress) = (OpenOptions::default(), Progress::default());
        Textures::load(map, &source, &options, &progress).unwrap()
    }

    fn ptf(width: u32, height: u32, has_alpha: bool) -> Vec<u8> {
        let channels = if has_alpha { 4 } else { 3 };
        let count = width * height * u32::from(channels);
        let pixels = (0..count).map(|i| i as u8).collect();
        let texture = ptf::Texture::new(ptf::Layout::V2, [width, height], channels, pixels);
        texture.write().unwrap()
    }

    #[test]
    fn names_outside_the_strings_are_not_long() {
        let mut map = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let client = map.levels[0].client.as_mut().unwrap();
        for material in &mut client.materials {
            material.texture = pmf::StringRef(0x1000_0000);
        }
        let textures = load(&map, "map.pmf".into());
        let mut rules = textures.problems.iter().map(|problem| problem.rule.id);
        assert!(!rules.any(|rule| rule == "texture/name"));
    }

    #[test]
    fn paths_may_be_long() {
        let long = format!("{}/{}", "a".repeat(150), "b".repeat(150));
        let too_long = "c/".repeat(2500);
        let files = [(&*format!("{long}.ptf"), ptf(2, 1, false))];
        let textures = loaded([&long, &too_long, &long], &files);
        let texture = &textures.list[textures.find(&long).unwrap()];
        assert_eq!(texture.file.size, Some([2, 1]));
        let [problem] = &textures.problems[..] else {
            panic!("{:?}", textures.problems);
        };
        assert!(problem.facts().contains(" 4096 "), "{problem}");
        assert!(problem.message.len() < 500, "{problem}");
    }

    #[test]
    fn what_is_odd_about_a_texture_or_made_smaller_is_said() {
        let mut odd = ptf(2, 2, true);
        odd[4] |= 0x82;
        let files = [("odd.ptf", odd), ("long.ptf", ptf(8192, 2, false))];
        let textures = loaded(["odd", "long", "odd"], &files);
        let [problem] = &textures.problems[..] else {
            panic!("{:?}", textures.problems);
        };
        assert!(
            problem
                .facts()
                .contains("pmf/texture-flags (LevelMaterial 0 0): 0 0x03 0x4 0x80 odd"),
            "{problem}"
        );
        let said = |name: &str| {
            let texture = &textures.list[textures.find(name).unwrap()];
            assert!(texture.file.found);
            texture.size_text()
        };
        assert_eq!(said("odd"), "2 x 2");
        assert_eq!(said("long"), "8192 x 2, drawn with 1024 x 1");
    }

    #[test]
    fn textures_are_found_beside_the_map_and_told_apart() {
        let files = [
            ("a.ptf", ptf(2, 1, false)),
            ("textures/b.ptf", ptf(4, 4, true)),
        ];
        let textures = loaded(["map:/a", "b", "a"], &files);
        assert!(textures.problems.is_empty(), "{:?}", textures.problems);
        let paths: Vec<_> = textures.list.iter().map(|texture| &*texture.path).collect();
        assert_eq!(paths, ["map:/a", "b", "a"]);
        let first = &textures.list[textures.find("map:/a").unwrap()];
        assert_eq!(first.texture.levels[0], [0, 1, 2, 255, 3, 4, 5, 255]);
        let second = &textures.list[textures.find("b").unwrap()];
        assert_eq!(
            (second.file.size, second.texture.has_holes),
            (Some([4, 4]), true)
        );
        assert_eq!(textures.find(""), None);
    }

    #[test]
    fn more_textures_than_are_read_are_a_problem() {
        let mut map = mapscope_testdata::synthesize::pmf([1, 1, 1], 1, 1);
        let client = map.levels[0].client.as_mut().unwrap();
        let mut strings = StringTableBuilder::default();
        let names = (0..MAX_TEXTURES + 3).map(|i| strings.add(&format!("t{i:04}")).unwrap());
        client.materials[0].extra_textures = names.collect();
        client.strings = strings.finish();
        let textures = load(&map, "map.pmf".into());
        assert_eq!(textures.list.len(), MAX_TEXTURES);
        let first = textures.problems[0].facts();
        assert!(first.contains("texture/limit (Level 0): 3 512 "), "{first}");
    }

    #[test]
    fn what_is_missing_broken_or_too_large_is_a_placeholder() {
        let mut large = ptf(1, 1, false);
        large[5] = 0xD0;
        let files = [("large.ptf", large), ("broken.ptf", b"PTF".to_vec())];
        let textures = loaded(["large", "broken", "../a"], &files);
        let messages: Vec<_> = textures.problems.iter().map(Problem::facts).collect();
        assert_eq!(messages.len(), 3);
        // The file is too short for that many pixels.
        assert!(
            messages[0].contains("pmf/texture") && messages[0].contains(" 8192 "),
            "{messages:?}"
        );
        assert!(messages[1].contains("pmf/texture"), "{messages:?}");
        assert!(messages[2].contains("texture/missing") && messages[2].contains("../a"));
        assert!(textures.list.iter().all(|texture| !texture.file.found));
        assert!(!textures.dependencies.is_empty());
    }
}
