//! What is built into the program to be looked at when no file is at hand.
//!
//! Generators in `examples` make the demos; `tests/demo.rs` sees to it that both are the same.

use std::path::PathBuf;

use glam::Vec3;

use super::camera::Pose;
use super::registry::Source;

/// A file that is built in, with the files that it names.
#[derive(Debug)]
pub struct Demo {
    /// Its name on the command line, after `demo:`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What there is to see, in a few words.
    pub help: &'static str,
    /// Where to see it from at first.
    pub first_pose: Pose,
    /// A small picture of it from there, as the bytes of a JPEG file.
    pub picture: &'static [u8],
    /// The name that the file would have.
    file: &'static str,
    bytes: &'static [u8],
    /// Names and bytes of its textures.
    textures: &'static [(&'static str, &'static [u8])],
}

impl PartialEq for Demo {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Demo {}

impl Demo {
    /// The demo as if it were a file.
    pub fn source(&self) -> Source {
        Source {
            path: PathBuf::from(self.file),
            bytes: self.bytes.into(),
            embedded: self.textures,
        }
    }
}

/// Names and bytes of files in a folder of `assets`.
macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!("../../assets/", $folder, "/", $name)),
        )),*]
    };
}

/// A map with a lake, a castle and a mountain; what is shown when nothing else is asked for.
pub static TERRAIN: Demo = Demo {
    id: "terrain",
    name: "Terrain",
    help: "A map with a lake, a castle and a mountain",
    // Over the lake toward the castle and the mountain.
    first_pose: Pose {
        eye: Vec3::new(590.0, 330.0, 520.0),
        target: Vec3::new(90.0, -60.0, 20.0),
    },
    picture: include_bytes!("../../assets/demo/pictures/terrain.jpg"),
    file: "demo.pfmap",
    bytes: include_bytes!("../../assets/demo/demo.pfmap"),
    textures: files![
        "demo/assets/map_textures":
        "grass.jpg",
        "meadow.jpg",
        "moss.jpg",
        "rock.jpg",
        "sand.jpg",
        "path.jpg",
        "cobbles.jpg",
        "flagstones.jpg",
        "snow.jpg",
    ],
};

/// Every demo, in the order in which they are offered.
pub static DEMOS: [&Demo; 1] = [&TERRAIN];

/// The demo of this name; the terrain for no name.
pub fn find(id: &str) -> Option<&'static Demo> {
    if id.is_empty() {
        return Some(&TERRAIN);
    }
    DEMOS.into_iter().find(|demo| demo.id == id)
}
