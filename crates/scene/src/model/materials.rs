//! The materials of a model and their textures.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::assets::{Assets, LookUp, SharedTextures, Texture, TextureFile, placeholder};
use crate::parallel::in_parallel;
use crate::{OpenError, OpenOptions, Progress, Source};
use mapscope_formats::pfobj::Pfobj;
use mapscope_formats::{Place, Problems, Subject};

/// What the engine resizes every texture of a model to, in pixels (fact sheet B6).
pub const ENGINE_TEXTURE_SIZE: [u32; 2] = [128; 2];

/// A material as it is drawn.
#[derive(Debug)]
pub struct Material {
    /// Factor of the ambient light.
    pub ambient: f32,
    /// Factors of the diffuse light: red, green, blue.
    pub diffuse: [f32; 3],
    /// Factors of the specular light: red, green, blue.
    pub specular: [f32; 3],
    /// Its texture, or a placeholder; materials of the same name share it.
    pub texture: Arc<Texture>,
}

/// All materials of a model.
#[derive(Debug, Default)]
pub(super) struct Materials {
    /// Those of the file, and one more for triangles whose material is not in the file.
    pub(super) drawn: Vec<Material>,
    /// For each material of the file, its texture.
    pub(super) files: Vec<Arc<TextureFile>>,
    /// What is wrong with them.
    pub(super) problems: Problems,
    /// Files that were found, and those that were looked for.
    pub(super) dependencies: Vec<PathBuf>,
}

impl Materials {
    /// Finds and reads the textures of a file's materials, on as many threads as the machine has,
    /// but for those that other models have read.
    ///
    /// # Errors
    /// Only when the load is cancelled: a texture that is missing or broken is a problem and a
    /// placeholder.
    pub(super) fn load(
        pfobj: &Pfobj,
        source: &Source,
        options: &OpenOptions,
        progress: &Progress,
        shared: &SharedTextures,
    ) -> Result<Self, OpenError> {
        let assets = Assets::new(source, options, LookUp::Beside);
        // The first material that names each texture, and which of these it is for each material.
        let mut first = Vec::new();
        let mut numbers = HashMap::new();
        let texture_of: Vec<usize> = pfobj
            .materials
            .iter()
            .map(|material| {
                let next = first.len();
                let number = *numbers.entry(material.texture.as_str()).or_insert(next);
                if number == next {
                    first.push(material);
                }
                number
            })
            .collect();
        let loaded = in_parallel(first.len(), progress, |i| {
            let material = first[i];
            assets.shared_texture(&material.texture, material.texture_line, shared)
        })?;
        let mut materials = Self::default();
        for ((material, index), number) in pfobj.materials.iter().zip(0..).zip(texture_of) {
            let loaded = &loaded[number];
            // What a file should name but does not is the reader's to say.
            if let Some((rule, message)) = &loaded.fault
                && !material.texture.is_empty()
            {
                let place = Place::line(material.texture_line);
                let subject = Subject::Material(index);
                materials
                    .problems
                    .add_about(rule, subject, place, || message.clone());
            }
            materials.files.push(Arc::clone(&loaded.file));
            materials.drawn.push(Material {
                ambient: material.ambient,
                diffuse: material.diffuse,
                specular: material.specular,
                texture: Arc::clone(&loaded.texture),
            });
        }
        let looked_for = loaded.into_iter().flat_map(|loaded| loaded.looked_for);
        materials.dependencies.extend(looked_for);
        materials.drawn.push(unknown());
        Ok(materials)
    }

    /// Bytes of memory that the textures hold.
    pub(super) fn cpu_bytes(&self) -> usize {
        let mut bytes = 0;
        for (i, material) in self.drawn.iter().enumerate() {
            let same = |other: &Material| Arc::ptr_eq(&other.texture, &material.texture);
            if !self.drawn.iter().take(i).any(same) {
                bytes += material.texture.levels.iter().map(Vec::len).sum::<usize>();
            }
        }
        bytes
    }
}

/// What triangles show whose material is not in the file.
fn unknown() -> Material {
    Material {
        ambient: 1.0,
        diffuse: [0.8; 3],
        specular: [0.0; 3],
        texture: Arc::new(Texture::new(placeholder(u32::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::RgbaImage;

    use super::*;
    use crate::model::sample;

    /// The materials of a model whose materials name these textures, in a folder with these files.
    fn loaded(textures: &[&str], files: &[(&str, RgbaImage)]) -> Materials {
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
                ..stone.clone()
            })
            .collect();
        let models = folder.path().join("assets/models");
        std::fs::create_dir_all(&models).unwrap();
        let source = Source {
            path: models.join("thing.pfobj"),
            bytes: [].into(),
            embedded: &[("built_in.png", b"no image")],
        };
        Materials::load(
            &pfobj,
            &source,
            &OpenOptions::default(),
            &Progress::default(),
            &SharedTextures::default(),
        )
        .unwrap()
    }

    fn plain(side: u32, color: [u8; 4]) -> RgbaImage {
        RgbaImage::from_pixel(side, side, image::Rgba(color))
    }

    #[test]
    fn a_texture_beside_the_model_comes_before_that_of_a_map() {
        let (red, green, blue) = ([200, 0, 0, 255], [0, 200, 0, 255], [0, 0, 200, 128]);
        let materials = loaded(
            &["both.png", "map.png", "both.png", "far.png"],
            &[
                ("models/both.png", plain(8, red)),
                ("map_textures/both.png", plain(16, green)),
                ("map_textures/map.png", plain(4, blue)),
                ("far.png", plain(4, blue)),
            ],
        );
        let first = |i: usize| materials.drawn[i].texture.levels[0][..4].to_vec();
        assert_eq!(first(0), red);
        assert_eq!(first(1), blue);
        let holes: Vec<bool> = materials
            .drawn
            .iter()
            .map(|m| m.texture.has_holes)
            .collect();
        assert_eq!(holes, [false, true, false, false, false]);
        // The same texture is there once.
        let [a, b] = [0, 2].map(|i| &materials.drawn[i].texture);
        assert!(Arc::ptr_eq(a, b));
        // What is in neither folder is a problem where it is named.
        let problems: Vec<String> = materials
            .problems
            .finish()
            .into_iter()
            .map(|problem| problem.to_string())
            .collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("13:1: warning: texture `far.png` was not found in"));
        assert!(!problems[0].contains("did you mean"));
        assert_eq!(materials.files[0].size, Some([8, 8]));
        assert!(!materials.files[3].found);
    }

    #[test]
    fn a_name_in_another_case_is_what_was_meant() {
        let files = [("models/Stone.PNG", plain(2, [9; 4]))];
        let materials = loaded(&["stone.png", "textures/Stone.PNG"], &files);
        let problems = materials
            .problems
            .finish()
            .into_iter()
            .map(|problem| problem.to_string());
        let problems: Vec<String> = problems.collect();
        assert_eq!(problems.len(), 2);
        for problem in problems {
            assert!(
                problem.ends_with("; did you mean `Stone.PNG`?"),
                "{problem}"
            );
        }
    }

    #[test]
    fn names_that_lead_out_and_files_that_are_no_images_are_problems() {
        let refused = ["../map_textures/a.png", "/etc/passwd", "C:\\a.png"];
        let files = [("map_textures/a.png", plain(1, [1; 4]))];
        let materials = loaded(&[&refused[..], &["built_in.png"]].concat(), &files);
        let problems = materials.problems.finish();
        assert_eq!(problems.len(), 4);
        for (problem, name) in problems.iter().zip(refused) {
            let text = problem.to_string();
            assert!(text.contains(name) && text.contains("is refused"), "{text}");
        }
        assert!(problems[3].message.contains("cannot be read"));
        assert!(materials.files.iter().all(|file| !file.found));
        // A placeholder for each, and one for materials that are not in the file.
        assert_eq!(materials.drawn.len(), 5);
        for material in &materials.drawn {
            assert_eq!(material.texture.size, [256, 256]);
        }
    }
}
