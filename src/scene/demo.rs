//! The map that is shown when no file is named: part of the program, with its textures.
//!
//! `examples/make_demo` makes it; `tests/demo.rs` sees to it that both are the same.

use std::path::PathBuf;

use glam::Vec3;

use super::camera::Pose;
use super::registry::Source;

/// Names and bytes of the textures.
macro_rules! textures {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!("../../assets/demo/assets/map_textures/", $name)),
        )),*]
    };
}

static TEXTURES: &[(&str, &[u8])] = textures![
    "grass.jpg",
    "meadow.jpg",
    "moss.jpg",
    "rock.jpg",
    "sand.jpg",
    "path.jpg",
    "cobbles.jpg",
    "flagstones.jpg",
    "snow.jpg",
];

/// Where to see the demo map from at first: over the lake toward the castle and the mountain.
pub const FIRST_POSE: Pose = Pose {
    eye: Vec3::new(590.0, 330.0, 520.0),
    target: Vec3::new(90.0, -60.0, 20.0),
};

/// The demo map, as if it were a file named `demo.pfmap`.
pub fn source() -> Source {
    Source {
        path: PathBuf::from("demo.pfmap"),
        bytes: include_bytes!("../../assets/demo/demo.pfmap")
            .as_slice()
            .into(),
        embedded: TEXTURES,
    }
}
