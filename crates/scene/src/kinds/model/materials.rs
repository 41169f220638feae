//! The materials of a model and their textures.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::assets::{
    Assets, DeferredTexture, LookUp, SharedTextures, TextureFile, placeholder_texture,
};
use crate::core::parallel::in_parallel;
use crate::{OpenError, OpenOptions, Progress, Source};
use mapscope_formats::pfobj::Pfobj;
use mapscope_formats::{Place, Problems, Subject};

/// Size to which the engine resizes every texture of a model, in pixels (fact sheet B6).
pub const ENGINE_TEXTURE_SIZE: [u32; 2] = [128; 2];

/// A material for drawing.
#[derive(Debug)]
pub struct Material {
    /// Factors of the ambient light: red, green, blue.
    pub ambient: [f32; 3],
    /// Factors of the diffuse light: red, green, blue.
    pub diffuse: [f32; 3],
    /// Factors of the specular light: red, green, blue.
    pub specular: [f32; 3],
    /// Light of its own: red, green, blue.
    pub emission: [f32; 3],
    /// Opacity, from 0 to 1.
    pub opacity: f32,
    /// Its blending.
    pub blending: Blending,
    /// Texture, shared between materials that use the same file.
    pub texture: Arc<DeferredTexture>,
}

/// The mixture of a surface with the picture behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blending {
    /// It covers what is behind it.
    None,
    /// By its opacity.
    Mix,
    /// Its light is added.
    Add,
}

/// All materials of a model.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    /// Materials of the file, followed by one for triangles whose material is missing.
    pub(super) drawn: Vec<Material>,
    /// Files that were found, and candidates that were looked up.
    pub(super) dependencies: Vec<PathBuf>,
}

impl Materials {
    /// Locates the textures of a file's materials, without reading them.
    pub(crate) fn find(
        pfobj: &Pfobj,
        source: &Source,
        options: &OpenOptions,
        shared: &SharedTextures,
    ) -> Self {
        let assets = Arc::new(Assets::new(source, options, LookUp::Beside));
        let mut materials = Self::default();
        let mut by_name = HashMap::new();
        for material in &pfobj.materials {
            let name = material.texture.as_str();
            let texture = by_name.entry(name).or_insert_with(|| {
                let line = material.texture_line;
                let (texture, candidates) = assets.deferred_texture(name, line, shared);
                materials.dependencies.extend(candidates);
                texture
            });
            materials.drawn.push(Material {
                ambient: [material.ambient; 3],
                diffuse: material.diffuse,
                specular: material.specular,
                texture: Arc::clone(texture),
                ..unknown()
            });
        }
        materials.drawn.push(unknown());
        materials
    }

    /// Reads the pending textures, on as many threads as the machine has.
    ///
    /// # Errors
    /// Only when the load is cancelled. A missing or broken texture is reported as a problem and
    /// replaced by a placeholder.
    pub(super) fn read(&self, progress: &Progress) -> Result<(), OpenError> {
        in_parallel(self.drawn.len(), progress, |index| {
            self.drawn[index].texture.wait();
        })?;
        Ok(())
    }

    /// Returns the texture file of a material of the file.
    pub(super) fn file(&self, material: usize) -> Option<&TextureFile> {
        let (_unknown, of_file) = self.drawn.split_last()?;
        Some(of_file.get(material)?.texture.file())
    }

    /// Reports the problems of textures that were read or not found, for the materials that
    /// `is_included` selects.
    pub(super) fn check(
        &self,
        pfobj: &Pfobj,
        is_included: impl Fn(usize) -> bool,
        problems: &mut Problems,
    ) {
        for (index, material) in pfobj.materials.iter().enumerate() {
            let drawn = self.drawn.get(index).filter(|_| is_included(index));
            // The parser reports empty texture names.
            if let Some((rule, message)) = drawn.and_then(|drawn| drawn.texture.fault())
                && !material.texture.is_empty()
            {
                // A converted P3M file has offsets and no columns.
                let place = match material.texture_column {
                    0 => Place::Offset(material.texture_line),
                    column => Place::Text {
                        line: material.texture_line,
                        column: column.into(),
                    },
                };
                let subject = Subject::Material(index as u32);
                problems.add_about(rule, subject, place, || message.clone());
            }
        }
    }

    /// Returns the indices of materials with pending textures, in ascending order.
    pub(super) fn unread(&self) -> Vec<usize> {
        let unread = |index: &usize| self.drawn[*index].texture.get().is_none();
        (0..self.drawn.len()).filter(unread).collect()
    }

    /// `true` if all textures were read without a fault.
    pub(super) fn are_complete(&self) -> bool {
        let mut textures = self.drawn.iter().map(|material| &material.texture);
        textures.all(|texture| texture.get().is_some() && texture.fault().is_none())
    }

    /// Heap size of the textures that were read, in bytes.
    pub(super) fn cpu_bytes(&self) -> usize {
        let mut bytes = 0;
        for (i, material) in self.drawn.iter().enumerate() {
            let same = |other: &Material| Arc::ptr_eq(&other.texture, &material.texture);
            if !self.drawn.iter().take(i).any(same) {
                bytes += material.texture.cpu_bytes();
            }
        }
        bytes
    }
}

/// Returns the material for triangles whose material is missing.
pub(super) fn unknown() -> Material {
    Material {
        ambient: [1.0; 3],
        diffuse: [0.8; 3],
        specular: [0.0; 3],
        emission: [0.0; 3],
        opacity: 1.0,
        blending: Blending::None,
        texture: Arc::new(DeferredTexture::of(placeholder_texture(u32::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::RgbaImage;

    use bytes::Bytes;

    use super::*;
    use crate::assets::Texture;
    use crate::kinds::model::sample;
    use mapscope_formats::Problem;

    /// The materials of a model with these texture names, in a folder with these files, and their
    /// problems.
    fn loaded(textures: &[&str], files: &[(&str, RgbaImage)]) -> (Materials, Vec<Problem>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, image) in files {
            let path = folder.path().join("assets").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut bytes = Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            std::fs::write(path, bytes.into_inner()).unwrap();
        }
        let mut pfobj = sample::quad();
        let stone = pfobj.materials[0].clone();
        let materials = textures.iter().enumerate();
        pfobj.materials = materials
            .map(|(i, texture)| mapscope_formats::pfobj::Material {
                texture: (*texture).to_owned(),
                texture_line: 10 + i as u64,
                texture_column: 12,
                ..stone.clone()
            })
            .collect();
        let models = folder.path().join("assets/models");
        std::fs::create_dir_all(&models).unwrap();
        let source = Source {
            path: models.join("thing.pfobj"),
            bytes: Bytes::new(),
            embedded: &[("built_in.png", b"no image")],
            archive: None,
        };
        let options = OpenOptions::default();
        let materials = Materials::find(&pfobj, &source, &options, &SharedTextures::default());
        materials.read(&Progress::default()).unwrap();
        let mut problems = Problems::default();
        materials.check(&pfobj, |_| true, &mut problems);
        (materials, problems.finish())
    }

    fn texture(materials: &Materials, index: usize) -> &Texture {
        materials.drawn[index].texture.get().unwrap()
    }

    fn plain(side: u32, color: [u8; 4]) -> RgbaImage {
        RgbaImage::from_pixel(side, side, image::Rgba(color))
    }

    #[test]
    fn a_texture_beside_the_model_comes_before_that_of_a_map() {
        let (red, green, blue) = ([200, 0, 0, 255], [0, 200, 0, 255], [0, 0, 200, 128]);
        let (materials, problems) = loaded(
            &["both.png", "map.png", "both.png", "far.png"],
            &[
                ("models/both.png", plain(8, red)),
                ("map_textures/both.png", plain(16, green)),
                ("map_textures/map.png", plain(4, blue)),
                ("far.png", plain(4, blue)),
            ],
        );
        let first = |i: usize| texture(&materials, i).levels[0][..4].to_vec();
        assert_eq!(first(0), red);
        assert_eq!(first(1), blue);
        let holes: Vec<bool> = (0..5).map(|i| texture(&materials, i).has_holes).collect();
        assert_eq!(holes, [false, true, false, false, false]);
        // The same texture is loaded once.
        let [a, b] = [0, 2].map(|i| &materials.drawn[i].texture);
        assert!(Arc::ptr_eq(a, b));
        // A texture in neither folder is a problem at the place of its name.
        let problems: Vec<String> = problems.iter().map(Problem::facts).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("13:12: warning: texture/missing "));
        assert!(problems[0].contains("far.png"));
        assert_eq!(materials.file(0).unwrap().size, Some([8, 8]));
        assert!(!materials.file(3).unwrap().found);
        assert!(materials.file(4).is_none());
    }

    #[test]
    fn a_name_in_another_case_is_what_was_meant() {
        let files = [("models/Stone.PNG", plain(2, [9; 4]))];
        let (_, problems) = loaded(&["stone.png", "textures/Stone.PNG"], &files);
        let problems: Vec<String> = problems.iter().map(Problem::facts).collect();
        assert_eq!(problems.len(), 2);
        for problem in problems {
            assert!(problem.contains("Stone.PNG"), "{problem}");
        }
    }

    #[test]
    fn names_that_lead_out_and_files_that_are_no_images_are_problems() {
        let refused = ["../map_textures/a.png", "/etc/passwd", "C:\\a.png"];
        let files = [("map_textures/a.png", plain(1, [1; 4]))];
        let (materials, problems) = loaded(&[&refused[..], &["built_in.png"]].concat(), &files);
        assert_eq!(problems.len(), 4);
        for (problem, name) in problems.iter().zip(refused) {
            let text = problem.to_string();
            assert!(
                text.contains(name) && problem.rule.id == "texture/name",
                "{text}"
            );
        }
        assert!(problems[3].rule.id == "texture/unreadable");
        assert!((0..4).all(|i| !materials.file(i).unwrap().found));
        // A placeholder for each, and one for missing materials.
        assert_eq!(materials.drawn.len(), 5);
        for i in 0..5 {
            assert_eq!(texture(&materials, i).size, [256, 256]);
        }
    }
}
