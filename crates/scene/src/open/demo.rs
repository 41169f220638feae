//! What is built into the program to be looked at when no file is at hand.
//!
//! Generators in `mapscope-testdata` make the demos; its tests see to it that both are the same.

use std::path::PathBuf;

use glam::Vec3;

use super::source::Source;
use crate::camera::Pose;

/// A file that is built in, with the files that it names.
#[derive(Debug)]
pub struct Demo {
    /// Its name on the command line, after `demo:`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What there is to see, in a few words.
    pub help: &'static str,
    /// Where to see it from at first. Where [`Demo::is_flat`], only the thumbnail is seen from
    /// there, and at first all of it, or as much as there is room for.
    pub first_pose: Pose,
    /// Whether it is seen flat, from straight above and without foreshortening.
    pub is_flat: bool,
    /// Its thumbnail, seen from there, as the bytes of a JPEG file.
    pub thumbnail: &'static [u8],
    /// The name that the file would have.
    file: &'static str,
    bytes: &'static [u8],
    /// Names and bytes of the other files that it is made of, such as textures.
    parts: &'static [(&'static str, &'static [u8])],
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
            embedded: self.parts,
        }
    }
}

/// Names and bytes of files in a folder of `assets`.
macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!("../../../../assets/", $folder, "/", $name)),
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
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/terrain.jpg"),
    file: "demo.pfmap",
    bytes: include_bytes!("../../../../assets/demo/demo.pfmap"),
    parts: files![
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

/// A level of two chunks: a hall with a pool, whose lamps can be switched.
pub static BATHHOUSE: Demo = Demo {
    id: "bathhouse",
    name: "Bath house",
    help: "A level with a pool, coloured light and lamps to switch",
    // From the wall of the vestibule over the pool to the windows.
    first_pose: Pose {
        eye: Vec3::new(2.2, -0.6, 3.0),
        target: Vec3::new(13.0, -1.5, -0.9),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/bathhouse.jpg"),
    file: "bathhouse.pmf",
    bytes: include_bytes!("../../../../assets/levels/bathhouse.pmf"),
    parts: &[],
};

/// From straight above a place of a map (in pixels), so that a screen of 424 by 240 pixels is seen.
const fn flat_pose(x: f32, z: f32) -> Pose {
    // Half of 240, over the tangent of half of the field of view.
    let height = 289.706;
    Pose {
        eye: Vec3::new(x, height, z),
        target: Vec3::new(x, 0.0, z),
    }
}

/// A village by the sea, as a map of ika's old format.
pub static VILLAGE: Demo = Demo {
    id: "village",
    name: "Village",
    help: "A 2D map of ika: a harbour with moving water, people and zones",
    first_pose: flat_pose(442.0, 290.0),
    is_flat: true,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/village.jpg"),
    file: "harbour.map",
    bytes: include_bytes!("../../../../assets/maps/harbour.map"),
    parts: files!["maps": "harbour.vsp"],
};

/// A space station, as an XMF file of `PixelPerfectEngine` with a map of the new layout.
pub static STATION: Demo = Demo {
    id: "station",
    name: "Space station",
    help: "A 2D map of PixelPerfectEngine: rooms with coloured light before the stars",
    first_pose: flat_pose(320.0, 250.0),
    is_flat: true,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/station.jpg"),
    file: "station.xmf",
    bytes: include_bytes!("../../../../assets/maps/station.xmf"),
    parts: files!["maps": "station.map", "station_crew.png", "station_tiles.png"],
};

/// A piece of ground as large as a tile of a map, with its top at a height of 0, for models to
/// stand on.
pub fn ground() -> Source {
    Source {
        path: PathBuf::from("ground.pfobj"),
        bytes: include_bytes!("../../../../assets/models/ground.pfobj")
            .as_slice()
            .into(),
        embedded: files!["models": "ground_earth.jpg", "ground_grass.jpg"],
    }
}

/// A young dragon that idles, walks and jumps.
pub static DRAKELING: Demo = Demo {
    id: "drakeling",
    name: "Drakeling",
    help: "A young dragon that idles, walks and jumps",
    first_pose: Pose {
        eye: Vec3::new(7.0, 5.0, 9.5),
        target: Vec3::new(0.2, 2.7, -0.7),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/drakeling.jpg"),
    file: "drakeling.pfobj",
    bytes: include_bytes!("../../../../assets/models/drakeling.pfobj"),
    parts: files!["models": "drakeling_eye.png", "drakeling_hide.png", "drakeling_horn.png", "drakeling_wing.png"],
};

/// A tree whose leaves have holes.
pub static BLOSSOM_TREE: Demo = Demo {
    id: "blossom-tree",
    name: "Blossom tree",
    help: "A tree whose leaves have holes",
    first_pose: Pose {
        eye: Vec3::new(10.0, 8.5, 13.5),
        target: Vec3::new(0.0, 5.2, 0.0),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/blossom-tree.jpg"),
    file: "blossom_tree.pfobj",
    bytes: include_bytes!("../../../../assets/models/blossom_tree.pfobj"),
    parts: files!["models": "blossom_tree_bark.png", "blossom_tree_leaves.png"],
};

/// A lantern that glows.
pub static LANTERN: Demo = Demo {
    id: "lantern",
    name: "Lantern",
    help: "A lantern that glows",
    first_pose: Pose {
        eye: Vec3::new(5.0, 6.0, 8.0),
        target: Vec3::new(0.8, 3.7, 0.0),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/lantern.jpg"),
    file: "lantern.pfobj",
    bytes: include_bytes!("../../../../assets/models/lantern.pfobj"),
    parts: files!["models": "lantern.png", "lantern_glass.png"],
};

/// A group of toadstools.
pub static TOADSTOOLS: Demo = Demo {
    id: "toadstools",
    name: "Toadstools",
    help: "A group of toadstools",
    first_pose: Pose {
        eye: Vec3::new(4.0, 4.5, 6.5),
        target: Vec3::new(0.0, 1.4, 0.0),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/toadstools.jpg"),
    file: "toadstools.pfobj",
    bytes: include_bytes!("../../../../assets/models/toadstools.pfobj"),
    parts: files!["models": "toadstools.png", "toadstools_cap.png"],
};

/// Three mossy boulders.
pub static BOULDERS: Demo = Demo {
    id: "boulders",
    name: "Boulders",
    help: "Three mossy boulders",
    first_pose: Pose {
        eye: Vec3::new(4.0, 3.8, 6.6),
        target: Vec3::new(0.0, 1.2, 0.0),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/boulders.jpg"),
    file: "boulders.pfobj",
    bytes: include_bytes!("../../../../assets/models/boulders.pfobj"),
    parts: files!["models": "boulders.png"],
};

/// A barrel.
pub static BARREL: Demo = Demo {
    id: "barrel",
    name: "Barrel",
    help: "A barrel",
    first_pose: Pose {
        eye: Vec3::new(3.0, 3.5, 5.0),
        target: Vec3::new(0.0, 1.4, 0.0),
    },
    is_flat: false,
    thumbnail: include_bytes!("../../../../assets/demo/pictures/barrel.jpg"),
    file: "barrel.pfobj",
    bytes: include_bytes!("../../../../assets/models/barrel.pfobj"),
    parts: files!["models": "barrel.png"],
};

/// Every demo, in the order in which they are offered.
pub static DEMOS: [&Demo; 10] = [
    &TERRAIN,
    &BATHHOUSE,
    &VILLAGE,
    &STATION,
    &DRAKELING,
    &BLOSSOM_TREE,
    &LANTERN,
    &TOADSTOOLS,
    &BOULDERS,
    &BARREL,
];

/// The demo of this name; the terrain for no name.
pub fn find(id: &str) -> Option<&'static Demo> {
    if id.is_empty() {
        return Some(&TERRAIN);
    }
    DEMOS.into_iter().find(|demo| demo.id == id)
}
